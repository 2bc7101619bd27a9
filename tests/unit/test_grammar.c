/*
 * The bounds of inline code, by what the parser and the readers count: ordinary code of 1 MB is far from
 * them, hostile code stops at them.
 */
#include "code/code.h"
#include "code/grammar.h"
#include "unit.h"

const TSLanguage *tree_sitter_python(void);
const TSLanguage *tree_sitter_javascript(void);

#define MB 1000000
#define PER_BYTE(count, n) ((double)(count) / (double)(n))

static struct arena A;

static const char python[] =
	"def total(rows, key=\"n\"):\n"
	"    \"\"\"Sum of one column.\"\"\"\n"
	"    result = 0\n"
	"    for r in rows:\n"
	"        result += r.get(key, 0)\n"
	"    return result\n"
	"TABLE = [{\"n\": 1, \"name\": \"one\", \"tags\": [\"a\", 'b']}, {\"n\": 2, \"name\": \"two\", "
	"\"tags\": []}]\n"
	"print(total(TABLE), [d[\"name\"].upper() for d in TABLE])\n";
static const char javascript[] =
	"{ const data = [1, 2, 3].map(i => ({n: i, name: `item ${i}`}));\n"
	"const total = rows => rows.reduce((a, r) => a + r.n, 0);\n"
	"for (const d of data) { if (d.n > 1) console.log(d.name.toUpperCase(), JSON.stringify(d)); }\n"
	"console.log(total(data)); }\n";

/* `unit` again and again, up to n bytes. */
static struct str repeated(const char *before, const char *unit, const char *after, size_t n)
{
	struct buf b;

	buf_init(&b, &A, 0);
	buf_c(&b, before);
	while (b.n + strlen(unit) + strlen(after) <= n)
		buf_c(&b, unit);
	buf_c(&b, after);
	return buf_view(&b);
}

struct parsed {
	struct grammar g;
	const TSLanguage *language;
	TSTree *tree;
	bool good;
};

static int parse_it(void *arg)
{
	struct parsed *p = arg;

	p->tree = grammar_parse(&p->g, p->language);
	p->good = p->tree && !ts_node_has_error(ts_tree_root_node(p->tree));
	return 0;
}

static struct grammar_cost cost(const TSLanguage *language, struct str text, bool *ret_good)
{
	struct parsed p = {.language = language};

	grammar_begin(&p.g, text);
	if (arena_run(&p.g.heap, parse_it, &p) < 0)
		p.good = false;
	grammar_end(&p.g);
	*ret_good = p.good;
	return p.g.used;
}

/* Counts per byte do not grow with the text, and stay well inside of the bounds. */
static void test_ordinary(void)
{
	static const size_t sizes[] = {10000, 100000, MB};
	const struct {
		const TSLanguage *language;
		const char *unit;
	} rows[] = {{tree_sitter_python(), python}, {tree_sitter_javascript(), javascript}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct grammar_cost first = {0};

		for (size_t k = 0; k < ARRAY_SIZE(sizes); k++) {
			struct str text = repeated("", rows[i].unit, "", sizes[k]);
			bool good;
			struct grammar_cost c = cost(rows[i].language, text, &good);

			CHECK(good);
			CHECK_INT(c.errors, 0);
			CHECK(PER_BYTE(c.steps, text.n) * GRAMMAR_STEP_BYTES < 0.5);
			CHECK(PER_BYTE(c.reads, text.n) * GRAMMAR_READ_BYTES < 0.1);
			CHECK(PER_BYTE(c.bytes, text.n) < GRAMMAR_BYTES_PER_BYTE / 4.0);
			if (k == 0)
				first = c;
			CHECK(PER_BYTE(c.steps, text.n) < 1.1 * PER_BYTE(first.steps, sizes[0]));
			CHECK(PER_BYTE(c.reads, text.n) < 1.1 * PER_BYTE(first.reads, sizes[0]));
			CHECK(PER_BYTE(c.bytes, text.n) < 1.1 * PER_BYTE(first.bytes, sizes[0]));
		}
	}
}

/* Data of short items is the densest code there is; 100 KB of it are read. */
static void test_dense(void)
{
	bool good;

	cost(tree_sitter_python(), repeated("x = [", "1,", "]", 100000), &good);
	CHECK(good);
	cost(tree_sitter_javascript(), repeated("x = [", "1,", "]", 100000), &good);
	CHECK(good);
	cost(tree_sitter_python(), repeated("", "f(1)\n", "", 100000), &good);
	CHECK(good);
	cost(tree_sitter_javascript(), repeated("", "f(1)\n", "", 100000), &good);
	CHECK(good);
}

/* Whatever it is, the counters end where they should: at most one beyond the bound. */
static void test_hostile(void)
{
	static const char *const units[] = {"\"", "'", "(", "[", "{", ")", "f'{", "`", "`${", "\"\"\"a", "\\",
			"\\\n", "a b c\n", "x = [1, 2\n", "let ", "exec ", "@", "/[", "({a,", "a => ", "not ",
			"!", "if x:\n a\n  b\n", "a?", "<a>"};
	const TSLanguage *languages[] = {tree_sitter_python(), tree_sitter_javascript()};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		for (size_t k = 0; k < 2; k++) {
			struct str text = repeated("", units[i], "", 30000);
			bool good;
			struct grammar_cost c = cost(languages[k], text, &good);

			if (c.steps > GRAMMAR_STEPS_BASE + text.n / GRAMMAR_STEP_BYTES + 1 ||
					c.reads > GRAMMAR_READS_BASE + text.n / GRAMMAR_READ_BYTES + 100 ||
			    c.bytes > GRAMMAR_BYTES_BASE + text.n * GRAMMAR_BYTES_PER_BYTE +
			    2 * text.n * sizeof(void *) + 1000000 || c.errors > GRAMMAR_ERRORS_MAX + 1)
				unit_fail(__FILE__, __LINE__,
						"%s: steps %zu, reads %zu, bytes %zu, errors %zu", units[i],
						c.steps, c.reads, c.bytes, c.errors);
			if (good && c.errors > GRAMMAR_ERRORS_MAX)
				unit_fail(__FILE__, __LINE__, "%s: parsed, with errors", units[i]);
		}
}

/*
 * A scanner that looks ahead to the end for every token is cut off, and what it did not see is not taken for
 * the end of the text.
 */
static void test_reads(void)
{
	struct str text = repeated("x = 1 + ", "\\\n", "\n2\n", 100000);
	bool good;
	struct grammar_cost c = cost(tree_sitter_python(), text, &good);

	CHECK(!good);
	CHECK(c.reads > text.n / GRAMMAR_READ_BYTES);
	c = cost(tree_sitter_python(), repeated("x = 1 + ", "\\\n", "2\n", 300), &good);
	CHECK(good);
}

/*
 * The way out of many errors stops early, by leaving the parser from inside; the next text is parsed as if
 * nothing had been.
 */
static void test_errors(void)
{
	bool good;
	struct grammar_cost c = cost(tree_sitter_javascript(), repeated("", "\"", "", 100000), &good);

	CHECK(!good);
	CHECK_INT(c.errors, GRAMMAR_ERRORS_MAX + 1);
	CHECK(c.bytes < 10 * MB);
	cost(tree_sitter_javascript(), STR("f(1)"), &good);
	CHECK(good);
	c = cost(tree_sitter_python(), STR("x = (1\ny = 2\n"), &good);
	CHECK(!good);
	CHECK(c.errors <= GRAMMAR_ERRORS_MAX);
}

/* ---- the readers ---- */

static const struct code *read_code(struct arena *a, const char *lang, struct str text)
{
	struct view v = {.cwd = STR("/w/p"), .home = STR("/home/dev"), .tmp = STR("/tmp")};
	struct snippet s = {.lang = lang_find(str_of(lang)),
		.text = {.kind = WORD_EXACT, .text = text},
		.at = {.text = UINT32_MAX},
		.cwd = v.cwd}; /* in no text */
	struct code_run *runs;
	struct facts f;

	facts_init(&f);
	f.snippets = &s;
	f.snippets_end = &s.next;
	code_read(a, &f, &s, &v, &runs);
	return s.code;
}

static bool marked(const struct code *c, const char *id)
{
	for (const struct code_marker *m = c->markers; m; m = m->next)
		if (!strcmp(marker_name(m->id), id))
			return true;
	return false;
}

struct reading {
	const char *lang;
	struct str text;
	bool complete, bound, parsed;
	size_t used;
};

static struct reading reading(const char *lang, struct str text)
{
	struct reading r = {.lang = lang, .text = text};
	const struct code *c;
	struct arena a;

	arena_init(&a, ARENA_CAP_DEFAULT);
	c = read_code(&a, lang, text);
	r.parsed = c->parsed;
	r.complete = c->complete;
	r.bound = marked(c, "bound");
	r.used = a.used;
	arena_free(&a);
	return r;
}

static void test_long(void)
{
	struct reading r = reading("python", repeated("", python, "", MB));

	CHECK(r.complete);
	CHECK(r.used < 128 << 20);
	r = reading("javascript", repeated("", javascript, "", MB));
	CHECK(r.complete);
	CHECK(r.used < 128 << 20);
	CHECK(!reading("python", repeated("", "#\n", "", CODE_TEXT_MAX + 2)).parsed);
}

/*
 * None fills the arena, which would deny; those that are only long are complete, those that are entangled or
 * deep say so.
 */
static void test_folding(void)
{
	static const struct {
		const char *lang, *before, *unit;
		bool complete;
	} rows[] = {
		{"python", "a = 'x'\n", "a = a + a\n", true},
		{"python", "", "a = b + 'x'\nb = a + 'y'\n", false},
		{"python", "x = y = 1\nz = x", ".a", false},
		{"python", "from os import *\n", "from os import *\nprint(sep)\n", true},
		{"python", "", "f(f(f(f(f(f(f(f(1))))))))\n", false},
		{"python", "", "a, b = 'x', 'y'\n", true},
		{"python", "", "print('x' 'y' 'z')\n", true},
		{"javascript", "let a = 'x';\n", "a = a + a;\n", true},
		{"javascript", "let a, b;\n", "a = b + 'x'; b = a + 'y';\n", true},
		{"javascript", "let x = 1, z = x", ".a", false},
		{"javascript", "let f = x => x;\n", "f(f(f(f(f(f(1))))));\n", true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct reading r = reading(rows[i].lang, repeated(rows[i].before, rows[i].unit, "\n", 20000));

		if (r.complete != rows[i].complete)
			unit_fail(__FILE__, __LINE__, "%s of %s is %scomplete", rows[i].unit, rows[i].lang,
					r.complete ? "" : "not ");
		if (r.used > 64 << 20)
			unit_fail(__FILE__, __LINE__, "%s of %s takes %zu bytes", rows[i].unit, rows[i].lang,
					r.used);
	}
}

/* Depth without brackets: the readers' recursion is bounded, however the text is nested. */
static void test_depth(void)
{
	CHECK(reading("python", repeated("x = y", ".a", "\n", 400000)).bound);
	CHECK(reading("python", repeated("x = y", "()", "\n", 400000)).bound);
	CHECK(reading("python", repeated("x = y", "[0]", "\n", 400000)).bound);
	CHECK(reading("python", repeated("x = ", "not ", "1\n", 400000)).bound);
	CHECK(reading("javascript", repeated("x = y", ".a", "\n", 400000)).bound);
	CHECK(reading("javascript", repeated("x = y", "()", "\n", 400000)).bound);
	CHECK(reading("javascript", repeated("x = ", "a => ", "1\n", 400000)).bound);
}

int main(void)
{
	arena_init(&A, ARENA_CAP_DEFAULT);
	RUN(test_ordinary);
	RUN(test_dense);
	RUN(test_hostile);
	RUN(test_reads);
	RUN(test_errors);
	RUN(test_long);
	RUN(test_folding);
	RUN(test_depth);
	arena_free(&A);
	return unit_end();
}
