/*
 * The quick reader of plain YAML against libfyaml: whatever it accepts, libfyaml reads to the same nodes at
 * the same places. Tried on all presets, on every change of one byte in texts that use each construct, and on
 * many random texts of YAML's own pieces.
 */
#include <stdlib.h>

#include "config/config.h"
#include "config/yaml_plain.h"
#include "unit.h"

static size_t accepted, tried;

static bool same(const struct ynode *x, const struct ynode *y)
{
	if (x->kind != y->kind || x->plain != y->plain || !str_eq(x->text, y->text) ||
			!str_eq(x->key, y->key) || x->line != y->line || x->column != y->column ||
	    x->key_line != y->key_line || x->key_column != y->key_column || x->count != y->count)
		return false;
	const struct ynode *a = x->child, *b = y->child;
	for (; a && b; a = a->next, b = b->next)
		if (!same(a, b))
			return false;
	return !a && !b;
}

/* One text through both. */
static bool compare(struct str text)
{
	struct arena a;
	struct yaml_file quick = {.name = STR("t"), .bytes = text}, full = {0};
	struct err e = {0};
	arena_init(&a, (size_t)64 << 20);
	tried++;
	bool ok = true, got = yaml_plain(&a, &quick);
	if (str_contains(text, STR("''''"))) /* libfyaml misreads it, and yaml_read_full() refuses */
		(void)yaml_read_full(&a, STR("t"), text, &full, &e);
	else if (got) {
		accepted++;
		ok = yaml_read_full(&a, STR("t"), text, &full, &e) == 0 && full.root &&
				same(quick.root, full.root);
	}
	if (!ok)
		unit_fail(__FILE__, __LINE__, "differs from libfyaml (%s) on:\n%.*s", e.text, STR_ARG(text));
	arena_free(&a);
	return got;
}

static const char *const good[] = {
	"default: ask\n",
	"default: ask",
	"# first\n\n  # second\na: b # comment\n\nc: d#e\nf: 'it''s' # x\ng: \"a \\\\ \\\" b\"\nh: ''\ni: "
			"\"\"\n",
	"tools:\n  bash:\n    deny:\n      - rm -rf\n      - prefix: git push\n        description: a, b "
			"and c; d\n        match: [a b, 'c, d', \"e\"]\n    ask:\n    - x\n    - y: z\n   "
			"   w: v\n    allow: []\n  ask: {}\n",
	"a: {b: c, d: [e, {f: g}], h: 'i'}\nj: [ a , b ]\nk: { l: m }\n",
	"a: -x\nb: --long\nc: http://x/y:z\nd: a-b_c\ne: /p/q*\nf: ~\ng: null\nh: 5\ni: true\nj: ~/x\nk: "
			".env\nl: $x\nm: (a|b)\nn: a [b] {c}\no: x, y\n",
	"a:\n  b:\n    c:\n      d: e\n    f: g\n  h: i\nj: k\n",
	"a:   b   \nc:    # note\n  - d   # note\n  -   e\nf: g\n",
	"a: \xc3\xa9 # \xe2\x80\x94\nb: [\xe6\x97\xa5, c, '\xc3\xa9', {d: \"\xf0\x9f\x98\x80\", e: "
			"f}]\nc:\n  - \xc2\xa0x\n",
	"list:\n  - name: x\n    flags: {a: word, b-c: {}}\n    operands: {rest: command}\n  - name: y\n",
	"a:\n- b: [c]\n  d:\n  - e\n  - f\n- g\nh: i\n",
};

/* Texts it must leave to libfyaml, whatever that makes of them. */
static const char *const left[] = {
	"", "\n", "# x\n", "a", "- a\n", "a: b\n  c\n", "a: 'b\n  c'\n", "a: |\n  b\n", "a: >-\n  b\n",
	"a: &x b\n", "a: *x\n", "a: !t b\n", "a: [b,\n c]\n", "a: [b\n", "a: {b}\n",
	"a: b: c\n", "a: b\na: c\n", "a: {b: c, b: d}\n", "a:\n", "a: \nb: c\n", "a:\n  - b\n - c\n",
	"a:\n   b: c\n  d: e\n", "'a': b\n", "\"a\": b\n", "? a\n: b\n", "---\na: b\n", "a: b\n---\n",
	"a: b\n...\n",
	"a: \"\\n\"\n", "a: \"b\n", "a:\tb\n", "a: b\r\n", "a: \xc3\n", "a: \xe2\x80\xa8\n",
	"a: \xef\xbb\xbf\n", "a: \xc2\x85\n", "\xc3\xa9: b\n", "%YAML 1.2\n---\na: b\n", "a: [b: c]\n",
	"a: [b,]\n", "a: [,b]\n", "a: - b\n", "a: ? b\n", "a: @b\n", "a: `b\n", "a: %b\n",
	"- - a\n", "a:\n  -\n    b\n", "a: 'b' c\n", "a: [b] c\n", "a: 'b'#c\n", "<<: a\n", "1: a\n",
	" a: b\n", "a: b\n c: d\n", "a: [b #c]\n", "{a: b}\n", "a: {b:c}\n", "a: {b: }\n", "a:b\n",
	"a: [-]\n", "a: [- b]\n",
};

static void test_accepts(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		CHECK_ROW(compare(str_of(good[i])), good[i]);
	struct config_preset p;
	for (size_t i = 0; config_preset_at(i, &p); i++)
		compare(p.text);
}

/* Texts that libfyaml misreads are read here, or refused. */
static void test_quotes(void)
{
	struct arena a;
	struct yaml_file f = {0};
	struct err e = {0};
	arena_init(&a, 1 << 20);
	CHECK_INT(yaml_read(&a, STR("t"), STR("a: 'q''''q'\n"), &f, &e), 0);
	CHECK_STR(f.root->child->text, "q''q");
	CHECK_INT(yaml_read(&a, STR("t"), STR("a: 'q''''q'\nb: |\n  c\n"), &f, &e), -1);
	CHECK_STR(str_of(e.text),
			"t:1:4: four quotes in a row: write the text in double quotes: 'a: 'q''''q''");
	CHECK_INT(yaml_read(&a, STR("t"), STR("a: 'q''q'\nb: |\n  c\n"), &f, &e), 0);
	CHECK_STR(f.root->child->text, "q'q");
	arena_free(&a);
}

static void test_gives_up(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(left); i++)
		CHECK_ROW(!compare(str_of(left[i])), left[i]);
}

/* Every byte of every good text replaced, left out, or given a neighbour. */
static void test_changes(void)
{
	static const char bytes[] = " \n:-#,[]{}'\"\\&*!|>%@`?ab0~";
	char copy[1024];
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		size_t n = strlen(good[i]);
		CHECK(n + 1 < sizeof(copy));
		for (size_t k = 0; k < n; k++) {
			memcpy(copy, good[i], k);
			memcpy(copy + k, good[i] + k + 1, n - k - 1);
			compare(str_n(copy, n - 1));
			compare(str_n(good[i], k));
			for (size_t b = 0; b < sizeof(bytes) - 1; b++) {
				memcpy(copy, good[i], n);
				copy[k] = bytes[b];
				compare(str_n(copy, n));
				memcpy(copy + k + 1, good[i] + k, n - k);
				compare(str_n(copy, n + 1));
			}
		}
	}
	CHECK(accepted > 5000); /* or the comparison means little */
}

static uint32_t seed = 12345;

static uint32_t dice(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static size_t put(char *text, size_t n, const char *piece)
{
	memcpy(text + n, piece, strlen(piece));
	return n + strlen(piece);
}

#define PICK(list) ((list)[dice(ARRAY_SIZE(list))])

static void test_random(void)
{
	static const char *const indents[] = {"", "", "", "  ", "  ", "    ", " "},
			*const dashes[] = {"", "", "- ", "- ", "-   ", "-"},
		*const keys[] = {"a: ", "b: ", "c: ", "d: ", "e: ", "f:", "g:", "h: ", "a", ""},
				*const ends[] = {"\n", "\n", "\n", "\n", " # n\n", "  \n", "\n\n", "\n# n\n",
				"#\n", ""},
		*const pieces[] = {"a", "x y", "'q'", "\"r\"", "[s, t]", "{u: v}", "[s, 't', {u: v}]", "{}",
				"[]", "z:w", "-x", "\xc3\xa9 \xe2\x80\x94", "/p", "a, b", "k: v", "- i", "[",
				"]", "{", "}", ",", "'", "''", "\"", "\\\\", "\\\"", "#", ":", " ", "|", ">",
				"&", "*", "!", "? ", "---", "...", "\xc3\xa9", "\xe2\x80\x94", "\xe2\x80\xa8",
				"\xc2\xa0", "\xf0\x9f\x98\x80"};
	char text[512];
	size_t before = accepted;
	for (size_t i = 0; i < 60000; i++) {
		size_t n = 0, lines = 1 + dice(6);
		for (size_t k = 0; k < lines; k++) {
			if (k) { /* the first line is a plain key, or hardly any text would be accepted */
				n = put(text, n, PICK(indents));
				n = put(text, n, PICK(dashes));
			}
			n = put(text, n, dice(4) ? keys[k] : PICK(keys));
			for (uint32_t some = dice(6) ? 1 : dice(4); some; some--)
				n = put(text, n, dice(6) ? pieces[dice(14)] : PICK(pieces));
			n = put(text, n, PICK(ends));
		}
		compare(str_n(text, n));
	}
	CHECK(accepted - before > 5000);
	printf("# %zu texts, %zu accepted\n", tried, accepted);
}

int main(void)
{
	RUN(test_accepts);
	RUN(test_quotes);
	RUN(test_gives_up);
	RUN(test_changes);
	RUN(test_random);
	return unit_end();
}
