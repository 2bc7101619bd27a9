/* src/base: err, str, buf, num, utf8, pmap, json. Each also under torture where it allocates. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/chars.h"
#include "base/terminal.h"
#include "base/num.h"
#include "base/pmap.h"
#include "base/utf8.h"
#include "torture.h"
#include "unit.h"

static struct arena arena;
static struct arena *const A = &arena;

/* ---- err ---- */

static void test_err(void)
{
	struct err e, far;
	CHECK_INT(err_input(&e, "bad '%s'", "x"), -1);
	CHECK_STR(str_of(e.text), "bad 'x'");
	CHECK_INT(e.kind, ERR_INPUT);
	CHECK_INT(err_set(&e, ERR_SYSTEM, ENOENT, "cannot open '%s'", "/x"), -1);
	CHECK_STR(str_of(e.text), "cannot open '/x': No such file or directory");
	CHECK_INT(e.errnum, ENOENT);
	CHECK_INT(err_set(NULL, ERR_SYSTEM, ENOENT, "nobody asks"), -1);
	err_set(&e, ERR_SYSTEM, ENOSPC, "cannot write '%s'", "x");
	CHECK_INT(err_wrap(&far, &e, "it cannot be recorded"), -1);
	CHECK_STR(str_of(far.text), "it cannot be recorded: cannot write 'x': No space left on device");
	CHECK_INT(far.errnum, ENOSPC);
	CHECK_INT(err_wrap(NULL, &e, "nobody asks"), -1);
	char huge[2 * ERR_TEXT_MAX];
	memset(huge, 'y', sizeof huge - 1);
	huge[sizeof huge - 1] = '\0';
	err_set(&e, ERR_SYSTEM, EPERM, "%s", huge);
	CHECK_INT(strlen(e.text), ERR_TEXT_MAX - 1);
	/* the reason is cut, not written past the end */
	err_set(&e, ERR_SYSTEM, EPERM, "%.*s", ERR_TEXT_MAX - 5, huge);
	CHECK_INT(strlen(e.text), ERR_TEXT_MAX - 1);
}

/* ---- str, buf ---- */

static void test_str_compare(void)
{
	struct str none = {NULL, 0};
	CHECK(str_eq(none, STR("")) && str_is(none, "") && !str_is(none, "a"));
	CHECK(str_is(STR("abc"), "abc") && !str_is(STR("abc"), "ab") && !str_is(STR("ab"), "abc"));
	CHECK(str_starts(STR("abc"), "ab") && str_starts(none, "") && !str_starts(STR("a"), "ab"));
	CHECK(str_ends(STR("abc"), "bc") && str_ends(none, "") && !str_ends(STR("c"), "bc"));
	CHECK_INT(str_cmp(STR("a"), STR("b")), -1);
	CHECK_INT(str_cmp(STR("b"), STR("a")), 1);
	CHECK_INT(str_cmp(STR("a"), STR("aa")), -1);
	CHECK_INT(str_cmp(STR("aa"), STR("a")), 1);
	CHECK_INT(str_cmp(none, STR("")), 0);
	CHECK_INT(str_cmp(STR("\xff"), STR("a")), 1); /* bytes are unsigned */
	CHECK_INT(str_cmp(STR("a\0b"), STR("a\0c")), -1);
}

static void test_str_parts(void)
{
	struct str s = STR("one:two:");
	CHECK_INT(str_find(s, ':', 0), 3);
	CHECK_INT(str_find(s, ':', 4), 7);
	CHECK_INT(str_find(s, ':', 8), -1);
	CHECK_INT(str_find(s, ':', 900), -1);
	CHECK_INT(str_find((struct str){NULL, 0}, 'x', 0), -1);
	CHECK_STR(str_sub(s, 4, 7), "two");
	CHECK_STR(str_sub(s, 4, 900), "two:");
	CHECK_STR(str_sub(s, 900, 901), "");
	CHECK_STR(str_sub(s, 5, 4), "");
	CHECK(str_contains(s, STR("e:t")) && str_contains(s, STR("")) && !str_contains(s, STR("three")) &&
			!str_contains(STR(""), STR("a")));
	CHECK(str_contains(STR("a\0b"), STR("\0b")));
	CHECK(str_contains_nocase(s, "E:T") && str_contains_nocase(s, "") &&
			!str_contains_nocase(s, "Three") && !str_contains_nocase(STR("a"), "AB"));
	CHECK(str_is_any(STR("b"), "a b c") && str_is_any(STR("a"), "a") && str_is_any(STR("c"), "a  c "));
	CHECK(!str_is_any(STR("B"), "a b c") && !str_is_any(STR("a b"), "a b") && !str_is_any(STR("b"),
			"ab bc"));
	CHECK(!str_is_any(STR(""), "a  b") && !str_is_any(STR(""), "") && !str_is_any(STR("a"), NULL));
	CHECK(str_like_any(STR("Bc"), "a bC") && !str_like_any(STR("b"), "a bc") && !str_like_any(STR(""),
			" "));
	CHECK_STR(str_trim(STR(" \t a b\t"), " \t"), "a b");
	CHECK_STR(str_trim(STR("\r a"), " "), "\r a");
	CHECK_STR(str_trim(STR("   "), " "), "");
	CHECK_STRN(str_trim(STR("\0a\0"), " "), STR("\0a\0")); /* the end of the set is not in it */
	CHECK(str_is_hex(STR("09af"), 4) && str_is_hex(STR(""), 0) && !str_is_hex(STR("09af"), 5) &&
			!str_is_hex(STR("09aF"), 4) && !str_is_hex(STR("09ag"), 4));
	CHECK_INT(str_hash(STR("")), 2166136261u);
	CHECK_INT(str_hash(STR("foobar")), 0xbf9cf968u); /* FNV-1a's own test vector */
}

static int make_strings(struct arena *a, void *ctx)
{
	(void)ctx;
	struct str s = str_fmt(a, "%d-%s", 12, "x");
	CHECK_STR(s, "12-x");
	CHECK_STR(str_cat(a, s, STR("yz")), "12-xyz");
	CHECK_STR(str_cat(a, STR(""), STR("")), "");
	struct buf q;
	buf_init(&q, a, 0);
	buf_quoted(&q, STR("it's $x"));
	buf_quoted(&q, STR(""));
	CHECK_STR(buf_view(&q), "'it'\\''s $x'''");
	struct str d = str_dup(a, STR("a\0b"));
	CHECK_STRN(d, STR("a\0b"));
	CHECK_INT(d.p[3], '\0');
	CHECK_STR(str_of(str_c(a, STR("c"))), "c");
	CHECK_STR(str_dup(a, (struct str){NULL, 0}), "");
	struct str wide = str_fmt(a, "%0*d", 5000, 1);
	CHECK_INT(wide.n, 5000);
	return 0;
}

/* str_put() writes what fits and a NUL, touches nothing behind that, and returns the length of all of it. */
static void test_formats(void)
{
	static const char all[] = "one/bcd-007";
	char got[sizeof all + 1], want[sizeof all];

	for (size_t room = 1; room <= sizeof all; room++) {
		memset(got, 'x', sizeof got);
		CHECK_INT(str_put(got, room, "%s/%.*s-%03u", "one", 3, "bcdef", 7u), sizeof all - 1);
		memcpy(want, all, room - 1);
		want[room - 1] = '\0';
		CHECK_STR(str_of(got), want);
		CHECK_INT(got[room], 'x');
	}
	CHECK_INT(str_put(NULL, 0, "%s", all), sizeof all - 1);
}

static int make_buffer(struct arena *a, void *ctx)
{
	(void)ctx;
	struct buf b;
	buf_init(&b, a, 0);
	CHECK_STR(buf_view(&b), "");
	struct str want = STR("");
	for (int i = 0; i < 300; i++) {
		buf_char(&b, 'a');
		buf_fmt(&b, "%d", i % 10);
		buf_c(&b, "");
		buf_str(&b, STR("\0z"));
		arena_alloc(a, 1); /* something in the way: growing must copy */
	}
	CHECK_INT(b.n, 300 * 4);
	for (size_t i = 0; i < 300; i++) {
		char row[4] = {'a', (char)('0' + i % 10), '\0', 'z'};
		want = str_n(row, 4);
		CHECK_STRN(str_sub(buf_view(&b), i * 4, i * 4 + 4), want);
	}
	return 0;
}

static void test_strings_torture(void)
{
	struct torture t;
	CHECK_INT(torture(make_strings, NULL, 1000, &t), 0);
	CHECK(t.runs == 8);
	CHECK_INT(torture(make_buffer, NULL, 1000, &t), 0);
	CHECK(t.runs > 300);
}

struct bounded {
	size_t max;
	int how;
	struct buf b;
};

static int fill_past_max(struct arena *a, void *ctx)
{
	struct bounded *w = ctx;
	buf_init(&w->b, a, w->max);
	for (size_t i = 0; i < w->max; i++)
		buf_char(&w->b, 'x');
	if (w->how == 1)
		buf_char(&w->b, 'y');
	if (w->how == 2)
		buf_fmt(&w->b, "%s", "y");
	if (w->how == 3)
		buf_add(&w->b, "yy", 2);
	return 0;
}

struct call {
	struct arena *a;
	struct bounded w;
};

static int call_fill(void *arg)
{
	struct call *c = arg;
	return fill_past_max(c->a, &c->w);
}

static void test_buf_max(void)
{
	for (size_t max = 1; max < 200; max += 7)
		for (int how = 0; how < 4; how++) {
			struct call c = {A, {.max = max, .how = how}};
			CHECK_INT(arena_run(A, call_fill, &c), how ? ARENA_FULL : 0);
			CHECK_INT(c.w.b.n, max);
		}
}

/* ---- num ---- */

static void test_num(void)
{
	static const struct {
		const char *text;
		int64_t min, max, want;
		int code;
	} rows[] = {
		{"0", 0, 9, 0, 0},
		{"007", 0, 9, 7, 0},
		{"-5", -9, 9, -5, 0},
		{"-0", -9, 9, 0, 0},
		{"10", 0, 9, 0, -1},
		{"-1", 0, 9, 0, -1},
		{"", 0, 9, 0, -1},
		{"-", -9, 9, 0, -1},
		{"+1", 0, 9, 0, -1},
		{" 1", 0, 9, 0, -1},
		{"1 ", 0, 9, 0, -1},
		{"1x", 0, 9, 0, -1},
		{"0x1", 0, 9, 0, -1},
		{"--1", -9, 9, 0, -1},
		{"9223372036854775807", INT64_MIN, INT64_MAX, INT64_MAX, 0},
		{"-9223372036854775808", INT64_MIN, INT64_MAX, INT64_MIN, 0},
		{"9223372036854775808", INT64_MIN, INT64_MAX, 0, -1},
		{"-9223372036854775809", INT64_MIN, INT64_MAX, 0, -1},
		{"99999999999999999999999999", INT64_MIN, INT64_MAX, 0, -1},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int64_t n = 4711;
		CHECK_ROW(num_parse(str_of(rows[i].text), rows[i].min, rows[i].max, &n) == rows[i].code,
				rows[i].text);
		CHECK_ROW(n == (rows[i].code ? 4711 : rows[i].want), rows[i].text);
	}
	int64_t n;
	CHECK_INT(num_parse(STR("1\0"), 0, 9, &n), -1);
}

/* ---- utf8 ---- */

/*
 * One code point of each row of the table and of the gaps; then no code point with a class is printed as it
 * is.
 */
static void test_char_classes(void)
{
	static const struct {
		uint32_t cp;
		enum char_class class;
	} rows[] = {
		{'a', CHAR_PLAIN},         {'\n', CHAR_PLAIN},       {'\t', CHAR_PLAIN},
		{'\r', CHAR_PLAIN},       {0, CHAR_CONTROL},
		{0x1b, CHAR_CONTROL},      {0x7f, CHAR_CONTROL},     {0x85, CHAR_LINE},
		{0x9b, CHAR_CONTROL},     {0xa0, CHAR_BLANK},
		{0xad, CHAR_INVISIBLE},    {0xe9, CHAR_PLAIN},       {0x61c, CHAR_BIDI},
		{0x115f, CHAR_INVISIBLE}, {0x180d, CHAR_JOINER},
		{0x180e, CHAR_INVISIBLE},  {0x180f, CHAR_JOINER},    {0x200b, CHAR_INVISIBLE},
		{0x200d, CHAR_JOINER},    {0x200e, CHAR_BIDI},
		{0x2010, CHAR_PLAIN},      {0x2028, CHAR_LINE},      {0x202e, CHAR_BIDI},
		{0x2065, CHAR_INVISIBLE}, {0x2069, CHAR_BIDI},
		{0x20ac, CHAR_PLAIN},      {0x3000, CHAR_BLANK},     {0x3164, CHAR_INVISIBLE},
		{0xfe0f, CHAR_JOINER},    {0xfeff, CHAR_INVISIBLE},
		{0xfffd, CHAR_PLAIN},      {0x1f4a9, CHAR_PLAIN},    {0xe0041, CHAR_TAG},
		{0xe0100, CHAR_JOINER},   {0xe0fff, CHAR_INVISIBLE},
		{0x10ffff, CHAR_PLAIN},    {UTF8_BAD, CHAR_PLAIN},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_INT(char_class(rows[i].cp), rows[i].class);
	for (uint32_t cp = 0; cp <= 0x10ffff; cp++) {
		char out[4];
		size_t n = utf8_put(cp, out);
		struct arena a;
		struct str shown;

		CHECK_INT(char_class(cp), char_class_find(cp));
		if (!n || char_class(cp) == CHAR_PLAIN)
			continue;
		arena_init(&a, ARENA_CAP_DEFAULT);
		shown = str_visible(&a, str_n(out, n));
		CHECK(str_starts(shown, "\\") && !str_contains(shown, str_n(out, n)));
		arena_free(&a);
	}
}

static void test_str_visible(void)
{
	struct arena a;
	struct str plain = STR("a\tb\nc");

	arena_init(&a, ARENA_CAP_DEFAULT);
	CHECK(str_visible(&a, plain).p == plain.p);
	CHECK_STRN(str_visible(&a, STR("a\r\x1b[1m\xff\xe2\x80\xae\xc3\xa9")),
			STR("a\\x0d\\x1b[1m\\xff\\u{202e}\xc3\xa9"));
	CHECK_STRN(str_visible(&a, STR("")), STR(""));
	arena_free(&a);
}

static void test_utf8_roundtrip(void)
{
	for (uint32_t cp = 0; cp <= 0x110010; cp++) {
		char out[4];
		size_t n = utf8_put(cp, out), i = 0;
		bool bad = cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff);
		if ((n == 0) != bad) {
			CHECK_INT(cp, -1);
			break;
		}
		if (n && (utf8_next(str_n(out, n), &i) != cp || i != n)) {
			CHECK_INT(cp, -2);
			break;
		}
	}
}

static void test_utf8_bad(void)
{
	static const char *const bad[] = {
		"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3(", "\xe0\x80\x80", "\xe0\x9f\xbf",
		"\xe2\x82", "\xe2(\xa1", "\xed\xa0\x80", "\xed\xbf\xbf",
		"\xf0\x80\x80\x80", "\xf0\x9f\x92", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80",
		"\xf8\x88\x80\x80\x80", "\xfe", "\xff",
	};
	for (size_t k = 0; k < ARRAY_SIZE(bad); k++) {
		size_t i = 0;
		CHECK_INT(utf8_next(str_of(bad[k]), &i), UTF8_BAD);
		CHECK_INT(i, 1);
		CHECK(!utf8_valid(str_of(bad[k])));
	}
	CHECK(utf8_valid(STR("a\0\xc3\xa9\xe2\x82\xac\xf0\x9f\x92\xa9")) &&
			utf8_valid((struct str){NULL, 0}));
}

static int repair(struct arena *a, void *ctx)
{
	(void)ctx;
	struct str s = STR("ok \xc3\xa9");
	CHECK(utf8_repair(a, s).p == s.p); /* valid text is not copied */
	CHECK_STR(utf8_repair(a, STR("a\xff" "b\xe2\x82" "c")), "a\xef\xbf\xbd" "b\xef\xbf\xbd\xef\xbf\xbd"
			"c");
	return 0;
}

static void test_utf8_repair(void)
{
	struct torture t;
	CHECK_INT(torture(repair, NULL, 100, &t), 0);
	CHECK(t.runs >= 1);
}

/* ---- pmap ---- */

#define KEYS 400

struct model { /* the same map, the simple way */
	struct str key[KEYS];
	const void *value[KEYS];
	size_t seen, differing;
	const struct model *other;
	bool wrong;
};

static size_t key_of(const struct model *m, struct str key)
{
	for (size_t i = 0; i < KEYS; i++)
		if (str_eq(m->key[i], key))
			return i;
	abort();
}

static void visit(void *ctx, struct str key, const void *value)
{
	struct model *m = ctx;
	m->wrong |= m->value[key_of(m, key)] != value;
	m->seen++;
}

static void differ(void *ctx, struct str key, const void *vx, const void *vy)
{
	struct model *m = ctx;
	size_t i = key_of(m, key);
	m->wrong |= m->value[i] != vx || m->other->value[i] != vy || vx == vy;
	m->differing++;
}

static void compare(struct model *m, const struct pmap *map)
{
	size_t entries = 0;
	for (size_t i = 0; i < KEYS; i++) {
		entries += m->value[i] != NULL;
		m->wrong |= pmap_get(map, m->key[i]) != m->value[i];
	}
	m->seen = 0;
	pmap_each(map, visit, m);
	CHECK_INT(m->seen, entries);
	CHECK(!m->wrong);
}

/* Pairs of keys with equal 32-bit FNV-1a hashes, so that chains and whole depth are walked. */
static const char *const colliding[] = {"costarring", "liquid", "declinate", "macallums", "altarage", "zinke",
		"altarages", "zinkes"};

static void model_init(struct model *m)
{
	*m = (struct model){0};
	for (size_t i = 0; i < KEYS; i++)
		m->key[i] = i < 8 ? str_of(colliding[i]) : i == 8 ? STR("") : str_fmt(A, "key%zu", i);
}

static void test_pmap_against_model(void)
{
	for (size_t i = 0; i < 8; i += 2)
		CHECK_INT(str_hash(str_of(colliding[i])), str_hash(str_of(colliding[i + 1])));
	static struct model now, then;
	static char values[7];
	model_init(&now);
	const struct pmap *map = NULL, *old = NULL;
	uint32_t seed = 12345;
	for (int step = 0; step < 20000; step++) {
		seed = seed * 1664525 + 1013904223;
		size_t i = (seed >> 8) % (step % 5 ? KEYS : 10);
		const void *v = step / 3000 % 2 ? NULL : seed >> 20 & 3 ? &values[(seed >> 24) % 7] : NULL;
		now.value[i] = v;
		const struct pmap *next = pmap_set(A, map, now.key[i], v);
		if (pmap_get(map, now.key[i]) == v)
			CHECK(next == map); /* nothing changed: the same map */
		map = next;
		if (step % 500 == 0) {
			compare(&now, map);
			if (step > 0) {
				compare(&then, old); /* the old map is as it was */
				size_t expect = 0;
				for (size_t k = 0; k < KEYS; k++)
					expect += now.value[k] != then.value[k];
				now.other = &then;
				now.differing = 0;
				pmap_diff(map, old, differ, &now);
				CHECK_INT(now.differing, expect);
				CHECK(!now.wrong);
			}
			then = now;
			old = map;
		}
	}
}

static void record(void *ctx, struct str key, const void *value)
{
	(void)value;
	buf_str(ctx, key);
	buf_char(ctx, ' ');
}

static void test_pmap_order(void)
{
	struct model m;
	model_init(&m);
	const struct pmap *up = NULL, *down = NULL;
	for (size_t i = 0; i < KEYS; i++)
		up = pmap_set(A, up, m.key[i], "v");
	for (size_t i = KEYS; i-- > 0;)
		down = pmap_set(A, down, m.key[i], "v");
	for (size_t i = 0; i < KEYS; i += 3)
		up = pmap_set(A, up, m.key[i], NULL);
	for (size_t i = KEYS; i-- > 0;)
		if (i % 3 == 0)
			down = pmap_set(A, down, m.key[i], NULL);
	struct buf x, y;
	buf_init(&x, A, 0);
	buf_init(&y, A, 0);
	pmap_each(up, record, &x);
	pmap_each(down, record, &y);
	CHECK(x.n > 0);
	CHECK_STRN(buf_view(&x), buf_view(&y)); /* the order depends on the keys only */
	for (size_t i = 0; i < KEYS; i++)
		up = pmap_set(A, up, m.key[i], NULL);
	CHECK(up == NULL); /* all removed: the empty map */
	CHECK(pmap_get(NULL, STR("x")) == NULL);
	pmap_each(NULL, record, &x);
	pmap_diff(NULL, NULL, NULL, NULL);
}

static int make_map(struct arena *a, void *ctx)
{
	(void)ctx;
	const struct pmap *m = NULL;
	for (int i = 0; i < 40; i++)
		m = pmap_set(a, m, str_fmt(a, "k%d", i), "v");
	for (int i = 0; i < 40; i += 2)
		m = pmap_set(a, m, str_fmt(a, "k%d", i), NULL);
	CHECK(pmap_get(m, STR("k1")) && !pmap_get(m, STR("k2")));
	return 0;
}

static void test_pmap_torture(void)
{
	struct torture t;
	CHECK_INT(torture(make_map, NULL, 1000, &t), 0);
	CHECK(t.runs > 80);
}

/* The terminal output for a text, the same for any chunks. */
static void shows(const char *in, const char *want)
{
	char whole[512], pieces[512];
	size_t n = strlen(in), got, at = 0;
	struct terminal t = {0};

	got = terminal_filter(&t, in, n, whole);
	CHECK_STR(str_n(whole, got), want);
	t = (struct terminal){0};
	for (size_t i = 0; i < n; i++)
		at += terminal_filter(&t, in + i, 1, pieces + at);
	CHECK_STR(str_n(pieces, at), want);
}

/* The terminal output after the program is gone. */
static void ends(const char *in, const char *want)
{
	char out[512];
	struct terminal t = {0};

	for (size_t i = 0; in[i]; i++)
		terminal_filter(&t, in + i, 1, out);
	CHECK_STR(str_n(out, terminal_end(&t, out)), want);
	CHECK_STR(str_n(out, terminal_end(&t, out)), "");
}

static void test_terminal_draws(void)
{
	static const char *const same[] = {
		/* progress, colours */
		"\r\033[K[####    ] 50%\r\033[2K", "\033[1A\033[2K\033[1G",
		"\033[38;2;255;0;0;48;5;17;4:3m\033[m",
		/* prompts, full screen */
		"\033[?2004h$ \033[?2004l",
		"\033[?1049h\033[?1h\033=\033[2J\033[1;24r\033[?25l\033[4h\033[4l\033[?7l",
		"\033[?12;25h\033[?1l\033>\033[2 "
				"q\033[!p\033[?3;4l\033[10X\033[3@\033[2P\033[5L\033[5M\033[3S\033[3T",
		"\033[s\033[u\0337\0338\033[3g\033H\033c\033(0lqk\033(B\033#8\033[?2026h\033[?2026l\033[20b"
				"\033[3J",
	};

	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		shows(same[i], same[i]);
}

static void test_terminal_leaves_out(void)
{
	static const char *const gone[] = {
		"\033[1$w", "\033[&u", "\033[1$u", "\033[?2;1;0S", "\033[?4m", "\033[1'|", "\033ktitle\033\\",
		"\033[5i", "\033[?5i", "\033[4i", "\033[i",
		"\033[?1003h", "\033[?1004h", "\033[?1000h", "\033[?9h", "\033[?1000;1006h", "\033[?25;1003h",
		"\033[?1003;25h", "\033[?01003h", "\033[?2048h", "\033[?2031h",
		"\033[?2l", "\033[?h", "\033[?1049:1h", "\033[?99999999999h", "\033[?1003r", "\033[2h",
		"\033[12l", "\033[>4;2m", "\033[>1u", "\033[=1u", "\033[<u",
		"\033[#R", "\033[1;2]", "\033[[", "\033[1?25h", "\033[??25h", "\033[ $q", "\033[1 2m",
		"\033[62;1\"p", "\033[1;1;1;1;1*y", "\033[?1;1$p", "\033[q",
		"\033%@", "\033 G", "\033!m", "\033Z", "\033V", "\033$(B", "\033l",
	};

	for (size_t i = 0; i < ARRAY_SIZE(gone); i++)
		shows(gone[i], "");
}

static void test_terminal_end(void)
{
	ends("text \033[31mred\033[0m\r\n", "");
	ends("\033[?1049h\033[?25l\033[?2004h vim \033[?2004l\033[?25h\033[?1049l", "");
	ends("\033[?1049h\033[?2004h", "\033[?1049l\033[?2004l");
	ends("\033[?1049;25l\033[4h\033=", "\033[4l\033[?25h\033>");
	ends("\033[?25;1003l", "");
	ends("\033=\033>\033[?1003h\033[?1004h", "");
	ends("\033[4;4h\033[?1;5;6;47;1047;1049;69;2004;2026h\033[?7;25l\033=",
	     "\033[4l\033[?1l\033[?5l\033[?6l\033[?7h\033[?25h\033[?47l\033[?1047l\033[?1049l\033[?69l\033[?"
			"2004l\033[?2026l\033>");
}

static void test_terminal(void)
{
	/* twins: what programs do to the screen */
	shows("text\r\n\ttabs\b\a", "text\r\n\ttabs\b\a");
	shows("\033[1;31mred\033[0m\033[2K\033[10;20H\033[?25l\033[?1049h",
			"\033[1;31mred\033[0m\033[2K\033[10;20H\033[?25l\033[?1049h");
	shows("\033(B\0337\0338\033M\033=", "\033(B\0337\0338\033M\033=");
	shows("\303\251 \342\235\200 \360\237\230\200 \302\251 \302\240",
			"\303\251 \342\235\200 \360\237\230\200 \302\251 \302\240");
	/* control strings */
	shows("a\033]52;c;aGk=\007b", "ab");
	shows("a\033]52;c;aGk=\033\\b", "ab");
	shows("\033]0;title\007\033]8;;http://x\033\\link\033]8;;\033\\", "link");
	shows("\033Pq#0\033\\\033_G\033\\\033^x\033\\\033Xx\033\\.", ".");
	shows("\033]52;c;never ends\nnext", "\nnext");
	shows("\033]52;c;aGk=\033[31mred", "\033[31mred");
	shows("\302\235" "52;c;aGk=\007", "52;c;aGk=\007");
	shows("\235" "52;c;aGk=\007", "52;c;aGk=\007");
	/* questions */
	shows("\033[6n\033[c\033[>c\033[21t\033[?u\033[>q\033[?2026$p\033Z\005.", ".");
	/* nothing is joined */
	shows("\033\033]x\007]52;c;zz\007", "]52;c;zz\007");
	shows("\033[\033]x\0076n", "6n");
	shows("\302\033]x\007\235" "52;c;zz\007", "52;c;zz\007");
	shows("\342\033]x\007\235" "52;c;zz\007", "\34252;c;zz\007");
}

static int all(void *arg)
{
	(void)arg;
	RUN(test_err);
	RUN(test_str_compare);
	RUN(test_str_parts);
	RUN(test_formats);
	RUN(test_strings_torture);
	RUN(test_buf_max);
	RUN(test_num);
	RUN(test_char_classes);
	RUN(test_str_visible);
	RUN(test_utf8_roundtrip);
	RUN(test_utf8_bad);
	RUN(test_utf8_repair);
	RUN(test_pmap_against_model);
	RUN(test_pmap_order);
	RUN(test_pmap_torture);
	RUN(test_terminal);
	RUN(test_terminal_draws);
	RUN(test_terminal_leaves_out);
	RUN(test_terminal_end);
	return 0;
}

int main(void)
{
	arena_init(A, ARENA_CAP_DEFAULT);
	CHECK_INT(arena_run(A, all, NULL), 0);
	arena_free(A);
	return unit_end();
}
