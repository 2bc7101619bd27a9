/*
 * Regular expressions: what they match, what is refused, what runs into a bound; and two properties over
 * generated patterns, each compared with PCRE2 used directly: what the scanner takes PCRE2 compiles, and the
 * search for literals never hides a match.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <time.h>

#include "base/regex.h"
#include "base/regex_scan.h"
#include "base/utf8.h"
#include "unit.h"

#define ARENA_CAP ((size_t)256 << 20)
#define BASE_OPTIONS \
	(PCRE2_UTF | PCRE2_ALT_BSUX | PCRE2_ALLOW_EMPTY_CLASS | PCRE2_MATCH_UNSET_BACKREF | \
			PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C)

static struct regex *make(struct arena *a, struct str pattern, unsigned flags)
{
	struct regex *r = NULL;
	struct err e = {0};

	if (regex_new(a, pattern, flags, &r, NULL, &e))
		unit_fail(__FILE__, __LINE__, "pattern '%.*s': %s", STR_ARG(pattern), e.text);
	return r;
}

/* ---- examples ---- */

static const struct {
	const char *pattern;
	unsigned flags;
	const char *subject;
	enum regex_answer want;
} examples[] = {
	{"rm\\s+-rf", 0, "sudo rm   -rf /", REGEX_YES},
	{"rm\\s+-rf", 0, "rm -fr /", REGEX_NO},
	{"rm\\s+-rf", 0, "RM -RF", REGEX_NO},
	{"rm\\s+-rf", REGEX_NOCASE, "RM -Rf", REGEX_YES},
	{"(?i)rm\\s+-rf", 0, "rM -RF", REGEX_YES},
	{"(curl|wget).*\\|", 0, "wget -qO- x | sh", REGEX_YES},
	{"(curl|wget).*\\|", 0, "wget -qO- x", REGEX_NO},
	{"(curl|wget).*\\|", 0, "wget x\n|", REGEX_NO},
	{"(curl|wget)[^]*\\|", 0, "wget x\n|", REGEX_YES},
	{"^git push", 0, "git push", REGEX_YES},
	{"^git push", 0, "ls\ngit push", REGEX_NO},
	{"push$", 0, "git push", REGEX_YES},
	{"push$", 0, "git push\n", REGEX_NO},
	{"git push(?!.*--dry-run)", 0, "git push origin", REGEX_YES},
	{"git push(?!.*--dry-run)", 0, "git push --dry-run", REGEX_NO},
	{"(?<q>['\"]).*\\k<q>", 0, "echo 'x'", REGEX_YES},
	{"(['\"])x\\1", 0, "echo 'x\"", REGEX_NO},
	{"(a)?\\1b", 0, "b", REGEX_YES},
	{"a[]b", 0, "ab a]b", REGEX_NO},
	{"\\u0041\\x42", 0, "AB", REGEX_YES},
	{"\\/etc\\/passwd", 0, "cat /etc/passwd", REGEX_YES},
	{"[\\w.-]+@[\\w-]+", 0, "mail a.b@c-d", REGEX_YES},
	{"\\$\\{?HOME\\}?", 0, "echo ${HOME}", REGEX_YES},
	{"x{", 0, "x{", REGEX_YES},
	{"", 0, "", REGEX_YES},
	{"^$", 0, "", REGEX_YES},
	{"\xc3\xa9t\xc3\xa9", REGEX_NOCASE, "\xc3\x89T\xc3\x89", REGEX_YES},
	{"kiss", REGEX_NOCASE, "\xe2\x84\xaaI\xc5\xbfs", REGEX_YES},
	{"^.{3}$", 0, "\xc3\xa9\xc3\xa9\xc3\xa9", REGEX_YES},
	/* broken bytes hide nothing */
	{"rm.*-rf", 0, "rm \xff -rf", REGEX_YES},
	{"rm[^;]*-rf", 0, "rm \xc3 -rf", REGEX_YES},
	{"rm\\s+-rf", 0, "\xed\xa0\x80 rm -rf \xf8", REGEX_YES},
	{"[^\\x00-\\x7f]", 0, "a\x80", REGEX_YES},
	{"\xef\xbf\xbdx", 0, "\xffx", REGEX_YES},
	{"\xc3\xa9", 0, "\xc3 \xa9", REGEX_NO},
};

static void test_examples(void)
{
	struct arena a;

	arena_init(&a, ARENA_CAP);
	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		struct regex *r = make(&a, str_of(examples[i].pattern), examples[i].flags);
		if (!r)
			continue;
		CHECK_ROW(regex_match(r, str_of(examples[i].subject)) == examples[i].want,
				examples[i].pattern);
		CHECK_ROW(regex_match(r, str_of(examples[i].subject)) == examples[i].want,
				examples[i].pattern);
		CHECK_STR(regex_pattern(r), examples[i].pattern);
	}
	CHECK_INT(regex_match(make(&a, STR("a.b"), 0), str_n("a\0b", 3)), REGEX_YES);
	CHECK_INT(regex_match(make(&a, STR("^a*$"), 0), str_n(NULL, 0)), REGEX_YES);
	arena_free(&a);
}

static void test_find(void)
{
	static const struct {
		const char *pattern, *subject;
		size_t start, end;
	} rows[] = {
		{"-n \\S+", "kubectl -n prod get", 8, 15},
		{"b*", "abb", 0, 0},
		{"a\\Kb", "xab", 2, 3},
		{"o.", "\xff\xffg\xc3o\xfe!", 4, 6}, /* in the bytes as given, not as repaired */
		{"x$", "\xc3\xa9\xffx", 3, 4},
	};
	struct arena a;
	size_t start = 0, end = 0;

	arena_init(&a, ARENA_CAP);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int64_t work = INT64_MAX;

		CHECK_ROW(regex_find_within(make(&a, str_of(rows[i].pattern), 0), str_of(rows[i].subject),
				&start, &end, &work) == REGEX_YES, rows[i].pattern);
		CHECK_INT(start, rows[i].start);
		CHECK_INT(end, rows[i].end);
	}
	arena_free(&a);
}

static void test_errors(void)
{
	static const struct {
		const char *pattern, *text;
		size_t offset;
	} rows[] = {
		{"a(b", "missing closing parenthesis", 3},
		{"ab)", "unmatched closing parenthesis", 2},
		{"a**b", "quantifier does not follow", 2},
		{"*a", "quantifier does not follow", 0},
		{"[a", "missing terminating ]", 2},
		{"[b-a]", "range out of order", 3},
		{"a{3,2}", "out of order", 5},
		{"\\", "\\ at end of pattern", 1},
		{"(?<n>a)\\k<m>", "non-existent subpattern", 10},
		{"(?<=a*)b", "not fixed length", 0},
		{"\\2", "non-existent subpattern", 1},
		{"a\xff", "UTF-8 error", 1},
		{"[[:nope:]]", "POSIX class name", 3},
		{"a\\Cb", "\\C", 3},
		{"(?:(?:a{9}){1000}){1000}", "too large", 24},
		{"\\q", "unrecognized character follows", 1},
	};
	struct arena a;

	arena_init(&a, ARENA_CAP);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct regex *r = NULL;
		struct err e = {0};
		size_t offset = 999;

		CHECK_ROW(regex_new(&a, str_of(rows[i].pattern), 0, &r, &offset, &e) == -1, rows[i].pattern);
		CHECK_ROW(r == NULL && e.kind == ERR_CONFIG && strstr(e.text, rows[i].text), rows[i].pattern);
		if (offset != rows[i].offset || !strstr(e.text, rows[i].text))
			unit_fail(__FILE__, __LINE__, "'%s': offset %zu, want %zu: %s", rows[i].pattern,
					offset, rows[i].offset, e.text);
		CHECK(strstr(e.text, str_fmt_c(&a, "(at byte %zu)", offset)));
	}

	struct regex *r = NULL;
	struct err e = {0};
	char *longest = arena_alloc(&a, REGEX_PATTERN_MAX + 1);
	memset(longest, 'a', REGEX_PATTERN_MAX + 1);
	CHECK_INT(regex_new(&a, str_n(longest, REGEX_PATTERN_MAX + 1), 0, &r, NULL, &e), -1);
	CHECK_INT(regex_new(&a, str_n(longest, REGEX_PATTERN_MAX), 0, &r, NULL, &e), 0);
	CHECK_INT(regex_match(r, str_n(longest, REGEX_PATTERN_MAX)), REGEX_YES);
	arena_free(&a);
}

/* ---- bounds ---- */

static struct str repeat(struct arena *a, const char *text, size_t n, const char *tail)
{
	struct buf b;

	buf_init(&b, a, 0);
	while (b.n < n)
		buf_c(&b, text);
	buf_c(&b, tail);
	return buf_view(&b);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

#define FORTY "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define ALMOST_200 FORTY FORTY FORTY FORTY "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"

static void test_hostile(void)
{
	static const struct {
		const char *pattern, *unit, *tail;
	} rows[] = {
		{"(a+)+$", "a", "!"},
		{"(a|aa)+$", "a", "!"},
		{"(a|a?)+$", "a", "!"},
		{"(.*a){20}$", "a", "!"},
		{"([a-zA-Z]+)*$", "a", "!"},
		{"^(([a-z])+.)+[A-Z]([a-z])+$", "a", "!"},
		{"(x+x+)+y", "x", "!y"},
		{"(?=(a+)+b)a", "a", "!b"},
		/* these do few steps from any one place, but many characters */
		{"\\s+$", " ", "!"},
		{"^(.*,)*x!", ",", "!x!"},
		{"a*a*a*b!?$", "a", "bc"},
		{"a{30000}b", "a", "!b"},
		{"a{200}b", ALMOST_200, "!ab"}, /* fails without moving */
		{"(?<=^a{60000})b|a(?<=b)", "a", ""},
		{"(a*)c?\\1b", "a", "!b"},
	};
	struct arena a;

	arena_init(&a, ARENA_CAP);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct regex *r = make(&a, str_of(rows[i].pattern), 0);
		struct str subject = repeat(&a, rows[i].unit, 2 << 20, rows[i].tail);
		double start = now_ms();

		CHECK_ROW(regex_match(r, subject) == REGEX_LIMIT, rows[i].pattern);
		printf("# 2 MB against %s: %.1f ms\n", rows[i].pattern, now_ms() - start);
	}
	/* The exponential ones do not need a long subject. */
	CHECK_INT(regex_match(make(&a, STR("(a+)+$"), 0), repeat(&a, "a", 40, "!")), REGEX_LIMIT);
	/* no y, no search */
	CHECK_INT(regex_match(make(&a, STR("(x+x+)+y"), 0), repeat(&a, "x", 40, "")), REGEX_NO);
	CHECK_INT(regex_match(make(&a, STR("^(a|a)*$"), 0), repeat(&a, "a", 60, "!")), REGEX_LIMIT);
	arena_free(&a);
}

/* A long subject is matched in full by patterns that are linear on it. */
static void test_long_subjects(void)
{
	static const struct {
		const char *pattern;
		enum regex_answer want;
	} rows[] = {
		{"rm\\s+-rf", REGEX_YES},
		{"wget.*\\|.*bash", REGEX_NO},
		{"^.*-rf$", REGEX_YES},
		{"[a-z]+ -rf", REGEX_YES},
		{"x\\d+y", REGEX_NO},
		{"(?:curl|rm)\\b", REGEX_YES},
		{"rm(?! -rf)", REGEX_NO},
		{"\\bdd\\b", REGEX_NO},
		{"=[0-9a-f]{16}", REGEX_NO},
	};
	struct arena a;

	arena_init(&a, ARENA_CAP);
	struct str subject = repeat(&a, "echo curl=0123abc | sort; ", 2 << 20, "rm -rf");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct regex *r = make(&a, str_of(rows[i].pattern), 0);
		double start = now_ms();

		CHECK_ROW(regex_match(r, subject) == rows[i].want, rows[i].pattern);
		printf("# 2 MB against %s: %.1f ms\n", rows[i].pattern, now_ms() - start);
	}
	arena_free(&a);
}

/* ---- the scanner ---- */

static const struct {
	const char *pattern;
	const char *literals; /* joined by spaces; "" none; NULL: not in the subset */
} scans[] = {
	{"rm\\s+-rf", "-rf"},
	{"(curl|wget).*\\|", "curl wget"},
	{"\\brm\\b", "rm"},
	{"git (push|reset) --hard", " --hard"},
	{"ab+c", "ab"},
	{"ab*c", "a"},
	{"colou?r", "colo"},
	{"(?:foo|)bar", "bar"},
	{"(?:foo)?x", "x"},
	{"(?:foo){2,}x", "foo"},
	{"a|bc|def", "a bc def"},
	{"a|b*", ""},
	{"a||b", ""},
	{".*", ""},
	{"[ab]", ""},
	{"(?i)DROP TABLE", "drop table"},
	{"\\.env(?:\\.\\w+)?$", ".env"},
	{"x{2,3}yz", "xyz"},
	{"x{0}yz", "yz"},
	{"\\$\\(", "$("},
	{"a{b", "a{b"},
	{"(?i)caf\xc3\xa9 au", "caf"},
	{"caf\xc3\xa9+s", "caf\xc3\xa9"},
	{"a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q", ""},
	{"(?=a)", NULL},
	{"a++", NULL},
	{"\\x41", NULL},
	{"\\u0041", NULL},
	{"\\1", NULL},
	{"\\Qa\\E", NULL},
	{"[[:alpha:]]", NULL},
	{"[:alpha:]", NULL},
	{"[]a]", NULL},
	{"[\\w-z]", NULL},
	{"^*", NULL},
	{"a{,3}", NULL},
	{"a{2}{3}", NULL},
	{"(?:(?:a{9}){100}){100}", NULL},
	{"(*UCP)a", NULL},
	{"a(?i)b", NULL},
};

static struct str scan_text(struct arena *a, struct str pattern, bool *ret_valid)
{
	struct regex_scan scan;
	struct buf b;
	char *pool = arena_alloc(a, REGEX_POOL(pattern.n));

	buf_init(&b, a, 0);
	*ret_valid = regex_scan(pattern, false, pool, &scan);
	for (unsigned i = 0; *ret_valid && i < scan.must.n; i++) {
		if (i)
			buf_char(&b, ' ');
		buf_add(&b, pool + scan.must.lit[i].at, scan.must.lit[i].n);
	}
	return buf_view(&b);
}

static void test_scans(void)
{
	struct arena a;

	arena_init(&a, ARENA_CAP);
	for (size_t i = 0; i < ARRAY_SIZE(scans); i++) {
		bool valid;
		struct str text = scan_text(&a, str_of(scans[i].pattern), &valid);

		CHECK_ROW(valid == (scans[i].literals != NULL), scans[i].pattern);
		if (scans[i].literals)
			CHECK_STR(text, scans[i].literals);
	}
	arena_free(&a);
}

static void test_lazy(void)
{
	struct arena a;

	arena_init(&a, ARENA_CAP);
	struct regex *r = make(&a, STR("rm\\s+-rf"), 0);
	CHECK(!regex_is_compiled(r));
	CHECK_INT(regex_match(r, STR("ls -la")), REGEX_NO);
	CHECK(!regex_is_compiled(r));
	CHECK_INT(regex_match(r, STR("rm -rf")), REGEX_YES);
	CHECK(regex_is_compiled(r));
	CHECK(regex_is_compiled(make(&a, STR("(?=a)"), 0)));
	arena_free(&a);
}

/*
 * The two letters beyond ASCII that are also ASCII letters without case: the search for literals knows them
 * by name.
 */
static void test_fold(void)
{
	struct arena a;
	unsigned found = 0;

	arena_init(&a, ARENA_CAP);
	struct regex *r = make(&a, STR("[a-z]"), REGEX_NOCASE);
	for (uint32_t cp = 0x80; cp < 0x20000; cp++) {
		char text[4];
		size_t n = utf8_put(cp, text);
		if (n && regex_match(r, str_n(text, n)) == REGEX_YES) {
			CHECK(cp == 0x17F || cp == 0x212A);
			found++;
		}
	}
	CHECK_INT(found, 2);
	arena_free(&a);
}

/* ---- properties over generated patterns ---- */

struct gen {
	uint64_t seed;
	struct buf *b;
	unsigned depth;
};

static unsigned pick(struct gen *g, unsigned n)
{
	g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((g->seed >> 33) % n);
}

static void gen_one(struct gen *g, const char *const *from, unsigned n)
{
	buf_c(g->b, from[pick(g, n)]);
}

#define GEN_ONE(g, table) gen_one((g), (table), ARRAY_SIZE(table))

static void gen_branches(struct gen *g)
{
	static const char *const plain[] = {
		"a", "b", "k", "S", "-", "ab", "sk", "ba", " ", "\xc3\xa9", "\\.", "\\/", "\\n", "}", "]",
		"{", "\xef\xbf\xbd"};
	static const char *const any[] = {
		".", "\\s", "\\S", "\\w", "\\W", "\\d", "\\D", "[ab]", "[^ab]", "[a-k]", "[\\w-]", "[-a]",
		"[^\\s]", "[\\].]", "[$(*]"};
	static const char *const edge[] = {"^", "$", "\\b", "\\B"};
	static const char *const often[] = {"*", "+", "?", "{2}", "{0}", "{1,}", "{0,2}", "{1,3}", "*?", "+?",
			"??", "{1,2}?"};
	/* outside of the subset, or wrong */
	static const char *const other[] = {"(?=a)", "\\x61", "[[:alpha:]]", "[:alpha:]", "[.a.]", "[^:a:]",
			"[a[:]", "[]", "[b-a]", "\\1",
		"(?i)", "**", "\\", "(", ")", "[", "{,2}", "[\\d-a]", "\\u0061", "++", "\\E", "(?#x)", "(*",
		"a{3", "a{3,", "[a", "\\h",
		"[a-", "\t", "[\\b]", "\\_"};
	unsigned items = pick(g, 5);

	g->depth++;
	for (unsigned i = 0; i <= items; i++) {
		unsigned kind = pick(g, 40);

		if (kind < 20) {
			GEN_ONE(g, plain);
		} else if (kind < 25) {
			GEN_ONE(g, any);
		} else if (kind < 27) {
			GEN_ONE(g, edge);
			continue;
		} else if (kind < 32 && g->depth < 4) {
			buf_c(g->b, pick(g, 2) ? "(" : "(?:");
			gen_branches(g);
			buf_char(g->b, ')');
		} else if (kind < 35) {
			buf_char(g->b, '|');
			continue;
		} else if (kind == 35) {
			GEN_ONE(g, other);
		} else {
			GEN_ONE(g, plain);
		}
		if (pick(g, 4) == 0)
			GEN_ONE(g, often);
	}
	g->depth--;
}

/* Characters in no order at all, mostly those that mean something. */
static void gen_soup(struct gen *g)
{
	static const char soup[] = "aab[[]](())??:**++{{}}013,,^^$\\\\\\||..--=<>!#dDsSwWbBnQExuki&~@ ";

	for (unsigned n = 1 + pick(g, 12); n; n--)
		buf_char(g->b, soup[pick(g, sizeof(soup) - 1)]);
}

static struct str gen_pattern(struct gen *g, struct arena *a)
{
	struct buf b;

	buf_init(&b, a, 0);
	g->b = &b;
	g->depth = 0;
	if (pick(g, 8) == 0)
		buf_c(&b, "(?i)");
	if (pick(g, 4) == 0)
		gen_soup(g);
	else
		gen_branches(g);
	return buf_view(&b);
}

static struct str gen_subject(struct gen *g, struct arena *a)
{
	static const char *const pieces[] = {"a", "b", "k", "s", "S", "K", "A", "B", "-", " ", "ab", "sk",
			"ba", "aab", ".", "/", "\n",
		"\xc3\xa9", "\xc3\x89", "\xc5\xbf", "\xe2\x84\xaa", "\xff", "\xc3", "\xef\xbf\xbd", "}", "]",
		"{", "(", "1"};
	struct buf b;

	buf_init(&b, a, 0);
	g->b = &b;
	for (unsigned n = pick(g, 12); n; n--)
		GEN_ONE(g, pieces);
	return buf_view(&b);
}

static pcre2_code *plain_compile(struct str p, unsigned flags)
{
	size_t offset;
	int code;

	return pcre2_compile((PCRE2_SPTR)p.p, p.n, BASE_OPTIONS | (flags & REGEX_NOCASE ? PCRE2_CASELESS : 0),
			&code, &offset, NULL);
}

/* -1 when PCRE2 gave up */
static int plain_match(const pcre2_code *code, struct str s)
{
	pcre2_match_data *data = pcre2_match_data_create(1, NULL);
	int found = pcre2_match(code, (PCRE2_SPTR)s.p, s.n, 0, 0, data, NULL);

	pcre2_match_data_free(data);
	return found >= 0 ? 1 : found == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

struct tally {
	unsigned patterns, in_subset, valid, matches, skipped;
};

static void compare(struct gen *g, struct arena *a, struct tally *t)
{
	struct str p = gen_pattern(g, a);
	unsigned flags = pick(g, 3) == 0 ? REGEX_NOCASE : 0;
	pcre2_code *plain = plain_compile(p, flags);
	struct regex *r = NULL;
	bool in_subset;

	scan_text(a, p, &in_subset);
	t->patterns++;
	t->in_subset += in_subset;
	t->valid += plain != NULL;
	if ((in_subset && !plain) || (regex_new(a, p, flags, &r, NULL, NULL) == 0) != (plain != NULL)) {
		unit_fail(__FILE__, __LINE__, "the scanner says %d, pcre2 %d", in_subset, plain != NULL);
		unit_bytes("pattern", p);
	}
	for (unsigned i = 0; plain && r && i < 12; i++) {
		struct str s = gen_subject(g, a);
		enum regex_answer got = regex_match(r, s);
		int want = plain_match(plain, utf8_repair(a, s));

		t->matches += want == 1;
		t->skipped += got == REGEX_LIMIT;
		if (got == REGEX_LIMIT || want < 0 || (int)got == want)
			continue;
		unit_fail(__FILE__, __LINE__, "match is %d, pcre2 says %d, flags %u", got, want, flags);
		unit_bytes("pattern", p);
		unit_bytes("subject", s);
	}
	pcre2_code_free(plain);
}

static void test_properties(void)
{
	struct tally t = {0};
	struct gen g = {.seed = 20240611};

	for (unsigned i = 0; i < 20000; i++) {
		struct arena a;

		arena_init(&a, ARENA_CAP);
		compare(&g, &a, &t);
		arena_free(&a);
	}
	printf("# %u patterns, %u in the subset, %u valid; %u matches, %u limits\n", t.patterns, t.in_subset,
			t.valid, t.matches,
		t.skipped);
	CHECK(t.in_subset > t.patterns / 2 && t.in_subset < t.valid && t.valid < t.patterns);
	CHECK(t.matches > t.patterns);
	CHECK(t.skipped < t.patterns / 100);
}

/* Patterns up to the scanner's size bound do compile, with callouts and without case, too. */
static void try_size(struct arena *a, struct str p, unsigned *taken)
{
	bool valid;

	scan_text(a, p, &valid);
	if (!valid || p.n > REGEX_PATTERN_MAX)
		return;
	struct regex *r = make(a, str_cat(a, p, STR("(?:)")), REGEX_NOCASE);
	(void)regex_match(r, STR("aXbc"));
	(void)regex_match(r, p);
	(*taken)++;
	size_t offset;
	int code;
	pcre2_code *plain = pcre2_compile((PCRE2_SPTR)p.p, p.n, BASE_OPTIONS | PCRE2_AUTO_CALLOUT |
			PCRE2_CASELESS, &code, &offset, NULL);
	CHECK(plain != NULL);
	if (!plain)
		unit_bytes("pattern", p);
	pcre2_code_free(plain);
}

static void test_sizes(void)
{
	static const char *const units[] = {"a", ".", "[a-z]", "(a)", "(?:ab|c)", "\xc3\xa9", "a{2,5}",
			"[^x]{1,1000}?", "(?:a?){3}", "\\b",
		"(?:[ab]{1,3}){2,9}", "|a", "((", "\xc5\xbf+", "k{3,}"};
	static const char *const wraps[][2] = {
		{"", ""}, {"(?:", "){3}"}, {"((", ")*){0,4}"}, {"(?:(?:", "){2,}){5}"}, {"(?:", "){1000}"},
		{"((a|", "){0,30}){2}"}};
	struct arena a;
	unsigned taken = 0;

	arena_init(&a, ARENA_CAP);
	for (size_t u = 0; u < ARRAY_SIZE(units); u++) {
		for (size_t w = 0; w < ARRAY_SIZE(wraps); w++) {
			for (size_t n = 1; n < REGEX_PATTERN_MAX; n += n / 16 + 1) {
				struct str inner = repeat(&a, units[u], n, "");
				try_size(&a, str_fmt(&a, "%s%.*s%s", wraps[w][0], STR_ARG(inner),
						wraps[w][1]), &taken);
			}
		}
	}
	printf("# %u large patterns in the subset\n", taken);
	CHECK(taken > 500);
	arena_free(&a);
}

/* ---- memory and time ---- */

struct use {
	struct arena a;
	enum regex_answer answers[2];
};

static int use_memory(void *arg)
{
	struct use *u = arg;
	struct regex *plain = NULL, *look = NULL;

	if (regex_new(&u->a, STR("rm.*-rf"), 0, &plain, NULL, NULL) || regex_new(&u->a, STR("(?<x>a)(?=b)"),
			0, &look, NULL, NULL))
		return 1;
	u->answers[0] = regex_match(plain, STR("rm \xff -rf"));
	u->answers[1] = regex_match(look, STR("ab"));
	return 0;
}

/*
 * Whichever allocation fails, the way out is clean: regex_new() leaves, regex_match() says REGEX_LIMIT, and
 * no answer is wrong.
 */
static void test_memory(void)
{
	size_t left = 0, limits = 0;
	bool through = false;

	for (size_t at = 1; at < 200 && !through; at++) {
		struct use u = {0};

		arena_init(&u.a, ARENA_CAP);
		u.a.fail_at = at;
		int code = arena_run(&u.a, use_memory, &u);
		CHECK(code == 0 || code == ARENA_FULL);
		CHECK(code || (u.answers[0] != REGEX_NO && u.answers[1] != REGEX_NO));
		left += code == ARENA_FULL;
		limits += !code && u.answers[0] == REGEX_LIMIT;
		through = u.a.allocs < at;
		CHECK(!through || (u.answers[0] == REGEX_YES && u.answers[1] == REGEX_YES));
		arena_free(&u.a);
	}
	CHECK(through);
	CHECK(left >= 6 && limits >= 4);
}

static const char *const typical[] = {
	"rm\\s+-rf\\s+/",
	"git\\s+push\\s+.*--force",
	"(curl|wget).*\\|\\s*(ba)?sh",
	"\\bsudo\\b",
	"chmod\\s+777",
	"^docker\\s+system\\s+prune",
	"DROP\\s+TABLE",
	"npm\\s+publish",
	"kubectl\\s+delete\\s+(ns|namespace)",
	"terraform\\s+(apply|destroy)",
	"\\.env(\\.\\w+)?$",
	"aws\\s+s3\\s+rm.*--recursive",
	"dd\\s+if=.*of=/dev/",
	"mkfs\\.\\w+",
	">\\s*/dev/sd[a-z]",
	"git\\s+reset\\s+--hard",
	"pip3?\\s+install\\s+(?:-U\\s+)?[\\w.-]+",
	"eval\\s+[\"'`$]",
	"nc\\s+-[a-z]*e",
	"history\\s+-c",
};

#define RULES 100

static double run_rules(struct arena *a, unsigned flags, const char *subject, double *ret_new,
		unsigned *ret_compiled)
{
	struct regex *rules[RULES];
	struct str s = str_of(subject);
	double start = now_ms();

	for (size_t i = 0; i < RULES; i++)
		rules[i] = make(a, str_of(typical[i % (ARRAY_SIZE(typical))]), flags);
	double made = now_ms();
	for (size_t i = 0; i < RULES; i++)
		CHECK_INT(regex_match(rules[i], s), REGEX_NO);
	double end = now_ms();
	*ret_compiled = 0;
	for (size_t i = 0; i < RULES; i++)
		*ret_compiled += regex_is_compiled(rules[i]);
	*ret_new = (made - start) * 1e3;
	return (end - made) * 1e3;
}

/* Times are for reading; what is checked is that an ordinary command makes no rule compile. */
static void test_typical(void)
{
	static const char subject[] =
			"find src tests -name '*.c' -newer build/stamp -print0 | xargs -0 clang-format "
			"--dry-run --Werror -v";
	struct arena a;
	double making, matching, least[2] = {0};
	unsigned compiled = 0;

	for (unsigned flags = 0; flags <= REGEX_NOCASE; flags++) {
		arena_init(&a, ARENA_CAP);
		for (unsigned i = 0; i < 20; i++) {
			matching = run_rules(&a, flags, subject, &making, &compiled);
			if (!i) /* the first one also pays for fresh memory and cold code */
				printf("# first time: new %.1f us, match %.1f us\n", making, matching);
			least[0] = i && least[0] < making ? least[0] : making;
			least[1] = i && least[1] < matching ? least[1] : matching;
		}
		printf("# %d rules, %zu bytes%s: new %.1f us, match %.1f us, %u compiled\n", RULES,
				sizeof(subject) - 1,
			flags ? ", nocase" : "", least[0], least[1], compiled);
		CHECK_INT(compiled, 0);
		arena_free(&a);
	}
}

int main(void)
{
	RUN(test_examples);
	RUN(test_find);
	RUN(test_errors);
	RUN(test_hostile);
	RUN(test_long_subjects);
	RUN(test_scans);
	RUN(test_lazy);
	RUN(test_fold);
	RUN(test_properties);
	RUN(test_sizes);
	RUN(test_memory);
	RUN(test_typical);
	return unit_end();
}
