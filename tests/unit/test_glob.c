/* Patterns: names, paths, gitignore lines, texts with holes, and patterns made to be slow. */
#include "base/glob.h"
#include "unit.h"

struct row {
	const char *pattern, *text;
	int want;
};

static const char *row_name(const struct row *r)
{
	static char b[256];

	snprintf(b, sizeof b, "'%s' on '%s'", r->pattern, r->text);
	return b;
}

/* In a table ~ stands for any bytes, # for a number, @ for a name without a slash. */
static struct str with_holes(const char *text)
{
	static char b[256];
	size_t n = strlen(text);

	for (size_t i = 0; i < n; i++)
		b[i] = text[i] == '~' ? GLOB_HOLE_ANY : text[i] == '#' ? GLOB_HOLE_NUM : text[i] == '@' ?
				GLOB_HOLE_NAME : text[i];
	return str_n(b, n);
}

static void test_names(void)
{
	static const struct row rows[] = {
		{"", "", 1}, {"", "a", 0}, {"*", "", 1}, {"*", "a/b c", 1}, {"a", "a", 1}, {"a", "A", 0},
		{"a", "ab", 0}, {"ab", "a", 0},
		{"mcp__x_*", "mcp__x_read", 1}, {"mcp__x_*", "mcp__y_read", 0},
		{"*.example.com", "a.b.example.com", 1}, {"*.example.com", "example.com", 0},
		{"a*b*c", "axxbyyc", 1}, {"a*b*c", "axxbyycd", 0}, {"*ab", "aab", 1}, {"*ab*", "xaby", 1},
		{"os.*", "os.system", 1}, {"os.*", "osx.system", 0},
		{"[a]", "[a]", 1}, {"[a]", "a", 0}, {"a?c", "abc", 0}, {"a?c", "a?c", 1}, {"**", "x", 1},
		{"a**b", "ab", 1},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct str p = str_of(rows[i].pattern), t = str_of(rows[i].text);

		CHECK_ROW(glob_name(p, t) == rows[i].want, row_name(&rows[i]));
		/* two ways, one answer */
		CHECK_ROW(glob_may(p, t, 0) == (rows[i].want ? GLOB_YES : GLOB_NO), row_name(&rows[i]));
	}
}

static void test_paths(void)
{
	static const struct row rows[] = {
		{"/etc/*", "/etc/passwd", 1}, {"/etc/*", "/etc/ssh/x", 0}, {"/etc/**", "/etc/ssh/x", 1},
		{"/etc/**", "/etc/", 1}, {"/etc/**", "/etc", 0},
		{"**/x", "x", 1}, {"**/x", "a/b/x", 1}, {"**/x", "/a/x", 1}, {"**/x", "ax", 0},
		{"**/x", "a/bx", 0}, {"a/**/b", "a/b", 1}, {"a/**/b", "a/x/y/b", 1},
		{"a/**/b", "a/xb", 0}, {"a**b", "a/x/b", 1}, {"*.c", "x.c", 1}, {"*.c", "d/x.c", 0},
		{"?.c", "x.c", 1}, {"?.c", "/.c", 0}, {"?.c", ".c", 0},
		{"[a-c]x", "bx", 1}, {"[a-c]x", "dx", 0}, {"[!a-c]x", "dx", 1}, {"[!a-c]x", "bx", 0},
		{"[^a]", "/", 0}, {"[]]", "]", 1}, {"[]a]x", "ax", 1},
		{"[a\\]b]", "]", 1}, {"[a", "[a", 1}, {"a[", "a[", 1}, {"[a-", "[a-", 1}, {"[-a]", "-", 1},
		{"[a-]", "-", 1}, {"\\*", "*", 1}, {"\\*", "x", 0},
		{"\\[a]", "[a]", 1}, {"a\\", "a\\", 1}, {"/**", "/a/b", 1}, {"**", "/a/b", 1},
		{"a/*/c", "a/b/c", 1}, {"a/*/c", "a//c", 1}, {"a/*/c", "a/b/b/c", 0},
		{"/home/*/.ssh/**", "/home/u/.ssh/id", 1}, {"/home/*/.ssh/**", "/home/u/v/.ssh/id", 0},
		{"[z-a]", "b", 0},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_ROW(glob_path(str_of(rows[i].pattern), str_of(rows[i].text), 0) == rows[i].want,
				row_name(&rows[i]));
	CHECK(glob_path(STR("/Users/*/X"), STR("/users/me/x"), GLOB_FOLD));
	CHECK(!glob_path(STR("/Users/*/X"), STR("/users/me/x"), 0));
	CHECK(glob_path(STR("[a-f]"), STR("C"), GLOB_FOLD));
	CHECK(glob_path(STR("[A-F]"), STR("c"), GLOB_FOLD));
	CHECK(!glob_path(STR("[a-f]"), STR("C"), 0));
}

/* The path relative to the directory of the .gitignore. */
static enum glob_match ignored(const char *pattern, const char *path, unsigned flags)
{
	char whole[64];

	snprintf(whole, sizeof whole, "/p/%s", path);
	return gitignore_below(STR("/p"), str_of(pattern), str_of(whole), flags);
}

static void test_gitignore(void)
{
	static const struct row rows[] = {
		{".env", ".env", GLOB_YES}, {".env", "a/b/.env", GLOB_YES}, {".env", "a/.env/x", GLOB_YES},
		{".env", "a.env", GLOB_NO}, {".env", ".env.local", GLOB_NO},
		{".env*", ".env.local", GLOB_YES}, {"/.env", ".env", GLOB_YES}, {"/.env", "a/.env", GLOB_NO},
		{"a/b", "a/b", GLOB_YES}, {"a/b", "a/b/c", GLOB_YES},
		{"a/b", "x/a/b", GLOB_NO}, {"a/b", "a/bc", GLOB_NO}, {"src/**", "src/x/y", GLOB_YES},
		{"src/**", "src", GLOB_NO}, {"src/**", "lib/src/x", GLOB_NO},
		{"build/", "build/x", GLOB_YES}, {"build/", "a/build/x", GLOB_YES},
		{"build/", "build/", GLOB_YES}, {"build/", "build", GLOB_MAYBE},
		{"build/", "rebuild/x", GLOB_NO}, {"/build/", "a/build/x", GLOB_NO},
		{"a/b/", "a/b/c", GLOB_YES}, {"*.pem", "k/x.pem", GLOB_YES},
		{"*.pem", "k/x.pem.txt", GLOB_NO}, {"a**b", "axb", GLOB_YES}, {"a**b", "a/b", GLOB_NO},
		{"**/foo/bar", "x/foo/bar", GLOB_YES}, {"**", "any/thing", GLOB_YES},
		{"*", "any/thing", GLOB_YES}, {"x ", "x", GLOB_YES}, {"x\\ ", "x ", GLOB_YES},
		{"x\\ ", "x", GLOB_NO}, {"a/**/b", "a/b", GLOB_YES}, {"a/**/b", "a/x/b/c", GLOB_YES},
		{"/", "x", GLOB_YES},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_ROW((int)ignored(rows[i].pattern, rows[i].text, 0) == rows[i].want, row_name(&rows[i]));
	CHECK_INT(ignored(".ENV", "a/.env", GLOB_FOLD), GLOB_YES);
	CHECK_INT(ignored(".ENV", "a/.env", 0), GLOB_NO);
}

static void test_gitignore_below(void)
{
	CHECK_INT(gitignore_below(STR("/p"), STR(".env"), STR("/p/a/.env"), 0), GLOB_YES);
	CHECK_INT(gitignore_below(STR("/p/"), STR(".env"), STR("/p/.env"), 0), GLOB_YES);
	CHECK_INT(gitignore_below(STR("/p"), STR(".env"), STR("/q/.env"), 0), GLOB_NO);
	CHECK_INT(gitignore_below(STR("/p"), STR("/a"), STR("/p/b/a"), 0), GLOB_NO);
	CHECK_INT(gitignore_below(STR("/"), STR("/etc/**"), STR("/etc/passwd"), 0), GLOB_YES);
	/* the directory is no pattern */
	CHECK_INT(gitignore_below(STR("/a*b"), STR("x"), STR("/a*b/x"), 0), GLOB_YES);
	CHECK_INT(gitignore_below(STR("/a*b"), STR("x"), STR("/acb/x"), 0), GLOB_NO);
	CHECK_INT(gitignore_below(STR("/a[b]"), STR("x"), STR("/a[b]/x"), 0), GLOB_YES);
	CHECK_INT(gitignore_below(STR(""), STR(".env"), STR("/p/.env"), 0), GLOB_MAYBE);
	CHECK_INT(gitignore_below(STR(""), STR("/a/.env"), STR("/p/a/.env"), 0), GLOB_MAYBE);
	CHECK_INT(gitignore_below(STR(""), STR(".env"), STR("/p/env"), 0), GLOB_NO);
}

static void test_holes_in_paths(void)
{
	static const struct row rows[] = {
		{"/etc/passwd", "/etc/~", GLOB_MAYBE}, {"/etc/passwd", "~", GLOB_MAYBE},
		{"/etc/passwd", "/usr/~", GLOB_NO}, {"/etc/**", "/etc/~", GLOB_YES},
		{"/etc/*", "/etc/~", GLOB_MAYBE}, {"/etc/*", "/etc/@", GLOB_YES},
		{"/etc/*", "/etc/@/x", GLOB_NO}, {"/etc/*", "/etc/x#", GLOB_YES},
		{"/etc/passwd", "/etc/x#", GLOB_NO}, {"/etc/x1", "/etc/x#", GLOB_MAYBE},
		{"/etc/x", "/etc/x#", GLOB_MAYBE}, {"/etc/x/y", "/etc/@", GLOB_NO},
		{"/etc/x/y", "/etc/@/y", GLOB_MAYBE}, {"/a/[0-9]", "/a/#", GLOB_MAYBE},
		{"/a/[a-z]", "/a/#", GLOB_NO}, {"/a/?", "/a/#", GLOB_MAYBE},
		{"**/.env", "~/.env", GLOB_YES}, {"**/.env", "/p/@/.env", GLOB_YES},
		{"**/.env", "/p/~", GLOB_MAYBE}, {"**/.env", "/p/~.txt", GLOB_NO},
		{"**/.env", "/p/@.env", GLOB_MAYBE}, {"/a/**/b", "/a/~/b", GLOB_YES},
		{"/a/**/b", "/a~b", GLOB_MAYBE}, {"/p/*.c", "/p/@.c", GLOB_YES},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_ROW((int)glob_may(str_of(rows[i].pattern), with_holes(rows[i].text),
				GLOB_PATH) == rows[i].want, row_name(&rows[i]));
}

static void test_holes_below(void)
{
	static const struct row rows[] = {
		{".ssh", "/.ssh/~", GLOB_YES}, {".ssh", "/~", GLOB_MAYBE}, {".ssh", "/@", GLOB_MAYBE},
		{".ssh", "/x@", GLOB_NO}, {".ssh", "/x/~", GLOB_MAYBE},
		{".ssh/", "/.ssh/~", GLOB_YES}, {".ssh/", "/.ssh~", GLOB_MAYBE}, {"/a/b", "/a/b/~", GLOB_YES},
		{"/a/b", "/a/b~", GLOB_MAYBE}, {"/a/b", "/c/~", GLOB_NO},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_ROW((int)gitignore_below(STR("/"), str_of(rows[i].pattern), with_holes(rows[i].text),
				0) == rows[i].want, row_name(&rows[i]));
}

/* "name" and its words, then * for any further words, or a word ending in + for names that start so. */
static enum glob_match words(const char *pattern, unsigned flags, const char *line)
{
	struct glob g;
	struct str s = str_of(line);

	glob_start(&g, str_of(pattern), flags);
	for (size_t i = 0; i <= s.n;) {
		ptrdiff_t end = str_find(s, ' ', i);
		struct str w = str_sub(s, i, end < 0 ? s.n : (size_t)end);

		if (str_is(w, "*")) {
			glob_feed_rest(&g);
		} else if (str_ends(w, "+")) {
			glob_feed_names(&g, str_sub(w, 0, w.n - 1));
		} else {
			if (i)
				glob_feed(&g, STR(" "));
			glob_feed(&g, w);
		}
		i += w.n + 1;
	}
	return glob_end(&g);
}

static void test_words(void)
{
	static const struct {
		const char *pattern;
		unsigned flags;
		const char *line;
		enum glob_match want;
	} rows[] = {
		{"git push", GLOB_WORDS, "git push", GLOB_YES},
		{"git push", GLOB_WORDS, "git push -f", GLOB_YES},
		{"git push", GLOB_WORDS, "git pushx", GLOB_NO},
		{"git push", 0, "git push -f", GLOB_NO}, {"git push", GLOB_WORDS, "git *", GLOB_MAYBE},
		{"git", GLOB_WORDS, "git *", GLOB_YES},
		{"git", 0, "git *", GLOB_MAYBE}, {"gitk", 0, "git *", GLOB_NO},
		{"git push", GLOB_WORDS, "git push * x", GLOB_YES},
		{"git push", GLOB_WORDS, "git * push", GLOB_MAYBE},
		{"git * main", 0, "git push * main", GLOB_YES}, {"git * main", 0, "git * main", GLOB_MAYBE},
		{"git*", 0, "git *", GLOB_YES},
		{"rm -rf", GLOB_WORDS, "rm +", GLOB_NO}, {"rm x", GLOB_WORDS, "rm +", GLOB_MAYBE},
		{"rm x.c", GLOB_WORDS, "rm x+", GLOB_MAYBE}, {"rm y", GLOB_WORDS, "rm x+", GLOB_NO},
		{"rm", GLOB_WORDS, "rm x+", GLOB_YES}, {"rm *-rf*", 0, "rm +", GLOB_MAYBE},
		{"rm x -rf", 0, "rm x+", GLOB_MAYBE},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct row r = {rows[i].pattern, rows[i].line, 0};

		CHECK_ROW(words(rows[i].pattern, rows[i].flags, rows[i].line) == rows[i].want, row_name(&r));
	}
}

static void test_escapes_in_names(void)
{
	CHECK_INT(glob_may(STR("echo \\*"), STR("echo *"), GLOB_ESCAPE), GLOB_YES);
	CHECK_INT(glob_may(STR("echo \\*"), STR("echo x"), GLOB_ESCAPE), GLOB_NO);
	CHECK_INT(glob_may(STR("echo \\*"), STR("echo \\x"), 0), GLOB_YES);
	CHECK_INT(glob_may(STR("a\\\\b"), STR("a\\b"), GLOB_ESCAPE), GLOB_YES);
	/* other backslashes are themselves */
	CHECK_INT(glob_may(STR("a\\nb"), STR("a\\nb"), GLOB_ESCAPE), GLOB_YES);
}

/* A set of positions and plain recursion must say the same, on everything short. */
static bool slow_match(const char *p, const char *t)
{
	if (!*p)
		return !*t;
	if (*p == '*')
		return slow_match(p + 1, t) || (*t && *t != '/' && slow_match(p, t + 1));
	return *t && (*p == '?' ? *t != '/' : *p == *t) && slow_match(p + 1, t + 1);
}

static void test_all_short_patterns(void)
{
	static const char pb[] = "ab*?/", tb[] = "ab/";
	char p[5], t[6];
	size_t bad = 0;

	for (unsigned i = 0; i < 625; i++) {
		for (unsigned k = 0, v = i; k < 4; k++, v /= 5)
			p[k] = pb[v % 5];
		p[4] = '\0';
		if (strstr(p, "**"))
			continue;
		for (unsigned j = 0; j < 243; j++) {
			for (unsigned k = 0, v = j; k < 5; k++, v /= 3)
				t[k] = tb[v % 3];
			for (unsigned n = 0; n <= 5; n++)
				bad += glob_path(str_of(p), str_n(t, n), 0) != slow_match(p,
						(t[n] = '\0', t)) && n < 5;
			t[5] = '\0';
		}
	}
	CHECK_INT(bad, 0);
}

/* Short cuts, steps (folding takes none of the short cuts), two pieces, and the other matcher: one answer. */
static void test_ways_agree(void)
{
	static const char pb[] = "ab*", tb[] = "ab";
	char p[6], t[6];
	size_t bad = 0;

	for (unsigned i = 0; i < 243; i++) {
		for (unsigned k = 0, v = i; k < 5; k++, v /= 3)
			p[k] = pb[v % 3];
		for (unsigned j = 0; j < 64 * 7; j++) {
			unsigned n = j % 7;
			struct glob g;

			for (unsigned k = 0; k < 6; k++)
				t[k] = tb[j / 7 >> k & 1];
			bool want = glob_name(str_n(p, 5), str_n(t, n));
			glob_start(&g, str_n(p, 5), 0);
			glob_feed(&g, str_n(t, n / 2));
			glob_feed(&g, str_n(t + n / 2, n - n / 2));
			bad += (glob_end(&g) == GLOB_YES) != want;
			bad += (glob_may(str_n(p, 5), str_n(t, n), 0) == GLOB_YES) != want;
			bad += (glob_may(str_n(p, 5), str_n(t, n), GLOB_FOLD) == GLOB_YES) != want;
			bad += (glob_may(str_n(p, 5), str_n(t, n), GLOB_WORDS) == GLOB_YES) != want;
		}
	}
	CHECK_INT(bad, 0);
}

/*
 * A property of every value of a hole must hold for each value; a property of one value must not be GLOB_NO.
 */
static void test_holes_against_values(void)
{
	static const char *const patterns[] = {"a*", "*a", "a/*", "a/**", "**/b", "a**b", "a", "a/b", "*/b",
			"a?", "*", "**", "a/**/b", "?*", "1", "a1*"};
	static const char *const values[] = {"", "a", "b", "1", "12", "-3", "/", "a/", "/b", "a/b", "b/a",
			"/a/", "ab"};
	static const char *const before[] = {"", "a", "a/"}, *const after[] = {"", "b", "/b"};
	size_t bad = 0;

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
		for (unsigned h = 0; h < 3; h++)
			for (unsigned k = 0; k < 9; k++) {
				char text[32], hole[32];
				size_t nb = strlen(before[k / 3]), na = strlen(after[k % 3]);

				memcpy(hole, before[k / 3], nb);
				hole[nb] = (char)h;
				memcpy(hole + nb + 1, after[k % 3], na);
				enum glob_match m = glob_may(str_of(patterns[i]), str_n(hole, nb + 1 + na),
						GLOB_PATH);

				for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
					bool number = v >= 3 && v <= 5, fits = h == GLOB_HOLE_ANY ||
							(h == GLOB_HOLE_NUM ? number : !strchr(values[v],
							'/'));
					int n = snprintf(text, sizeof text, "%s%s%s", before[k / 3],
							values[v], after[k % 3]);
					bool hit = glob_path(str_of(patterns[i]), str_n(text, (size_t)n), 0);

					if (fits && ((m == GLOB_YES && !hit) || (m == GLOB_NO && hit))) {
						printf("# %s on %s, hole %u\n", patterns[i], text, h);
						bad++;
					}
				}
			}
	CHECK_INT(bad, 0);
}

static char big[GLOB_PATTERN_MAX + 2], text[200000];

static void test_bounds(void)
{
	struct glob g;

	for (size_t i = 0; i < sizeof big; i++)
		big[i] = i % 2 ? 'a' : '*';
	memset(text, 'a', sizeof text);
	text[sizeof text - 1] = 'b';
	/* thousands of stars: given up after the named number of steps, not after a lifetime */
	glob_start(&g, str_n(big, GLOB_PATTERN_MAX), 0);
	glob_feed(&g, str_n(text, sizeof text));
	CHECK_INT(glob_end(&g), GLOB_MAYBE);
	CHECK(g.steps <= GLOB_STEPS_MAX + 1);
	CHECK(!glob_path(str_n(big, GLOB_PATTERN_MAX), str_n(text, sizeof text), 0));
	/* thirty stars are exact */
	CHECK_INT(glob_may(str_n(big, 60), str_n(text, 20000), 0), GLOB_YES);
	big[60] = 'c';
	CHECK_INT(glob_may(str_n(big, 61), str_n(text, 20000), 0), GLOB_NO);
	CHECK(!glob_name(str_n(big, 61), str_n(text, 20000)));
	/* too long for a pattern: not known; holes only: bounded as well */
	memset(big, 'a', sizeof big);
	CHECK_INT(glob_may(str_n(big, GLOB_PATTERN_MAX + 1), str_n(text, 10), 0), GLOB_MAYBE);
	CHECK_INT(glob_may(str_n(big, GLOB_PATTERN_MAX), str_n(text, GLOB_PATTERN_MAX), 0), GLOB_YES);
	memset(text, GLOB_HOLE_ANY, sizeof text);
	CHECK_INT(glob_may(str_n(big, GLOB_PATTERN_MAX), str_n(text, sizeof text), 0), GLOB_MAYBE);
	memset(big, '[', sizeof big);
	CHECK_INT(glob_may(str_n(big, 4000), STR("[[[["), GLOB_PATH), GLOB_NO);
	memset(big, '/', sizeof big);
	CHECK_INT(gitignore_below(str_n(big, sizeof big), STR("x"), STR("/x"), 0), GLOB_YES);
	memset(big, 'd', sizeof big);
	CHECK_INT(gitignore_below(str_n(big, sizeof big), STR("x"), STR("/x"), 0), GLOB_MAYBE);
	CHECK_INT(gitignore_below(STR("/p"), str_n(big, GLOB_PATTERN_MAX), STR("/p/x"), 0), GLOB_MAYBE);
}

int main(void)
{
	RUN(test_names);
	RUN(test_paths);
	RUN(test_gitignore);
	RUN(test_gitignore_below);
	RUN(test_holes_in_paths);
	RUN(test_holes_below);
	RUN(test_words);
	RUN(test_escapes_in_names);
	RUN(test_all_short_patterns);
	RUN(test_ways_agree);
	RUN(test_holes_against_values);
	RUN(test_bounds);
	return unit_end();
}
