/*
 * Shell patterns: fixed rows, and generated patterns compared with real bash (matching, cutting, replacing).
 */
#include "shell/pattern.h"
#include "model/facts.h"
#include "real.h"
#include "unit.h"

static struct arena A;

static int match(const char *p, const char *t)
{
	unsigned fuel = 100000;
	return pattern_match(str_of(p), str_of(t), &fuel);
}

struct row {
	const char *pattern, *text;
	int want;
};

static void test_match(void)
{
	static const struct row rows[] = {
		{"", "", 1}, {"", "a", 0}, {"*", "", 1}, {"*", "abc", 1}, {"a*c", "abbc", 1},
		{"a*c", "abcd", 0}, {"?", "a", 1},
		{"?", "", 0}, {"[a-c]x", "bx", 1},
		{"[!a-c]x", "bx", 0}, {"[^a-c]x", "dx", 1}, {"[]]", "]", 1}, {"[[:digit:]]", "7", 1},
		{"[[:alpha:]]", "7", 0}, {"[a",
		"[a", 1}, {"\\*", "*", 1}, {"\\*", "a", 0},
		{"[\\]]", "]", 1}, {"[a-]", "-", 1}, {"@(a|b)c", "bc", 1}, {"?(a)b", "b", 1},
		{"+(ab)", "ababab", 1}, {"+(ab)",
		"", 0}, {"*(ab)", "", 1}, {"!(a)", "b", 1},
		{"!(a)", "a", 0}, {"!(a|b)", "ab", 1}, {"@(a|@(b|c))", "c", 1}, {"a*b*c*d", "axxbxxcxxd", 1},
		{"[[.a.]]", "a", -1},
		{"[[=a=]]", "a", -1}, {"?", "\xc3\xa9", -1},
		{"*\xc3\xa9", "caf\xc3\xa9", 1}, {"\xc3\xa9", "e", 0}, {"*", "\xff", -1}, {"\\", "\\", 1},
		{"@([(]|x)", "(", 1},
		{"[z-a]", "b", 0}, {"*.[ch]", "x.c", 1},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int got = match(rows[i].pattern, rows[i].text);
		CHECK_ROW(got == rows[i].want, rows[i].pattern);
	}
}

static struct str cut(const char *t, const char *p, bool head, bool longest)
{
	unsigned fuel = 100000;
	struct str ret = STR("(not known)");
	pattern_cut(str_of(t), str_of(p), head, longest, &fuel, &ret);
	return ret;
}

static struct str replace(const char *t, const char *p, const char *r, int where)
{
	unsigned fuel = 100000;
	struct str ret = STR("(not known)");
	pattern_replace(&A, str_of(t), str_of(p), str_of(r), where, true, &fuel, &ret);
	return ret;
}

static void test_cut_replace(void)
{
	CHECK_STR(cut("/a/b/c", "*/", true, false), "a/b/c");
	CHECK_STR(cut("/a/b/c", "*/", true, true), "c");
	CHECK_STR(cut("a.tar.gz", ".*", false, false), "a.tar");
	CHECK_STR(cut("a.tar.gz", ".*", false, true), "a");
	CHECK_STR(cut("abc", "x", false, true), "abc");
	CHECK_STR(cut("\xc3\xa9x", "?", true, false), "(not known)");
	CHECK_STR(cut("x\xc3\xa9", "?", true, false), "\xc3\xa9");
	CHECK_STR(replace("banana", "an", "<&>", 0), "b<an>ana");
	CHECK_STR(replace("banana", "an", "<\\&\\\\>", 1), "b<&\\><&\\>a");
	CHECK_STR(replace("banana", "ba", "x", 2), "xnana");
	CHECK_STR(replace("banana", "na", "x", 3), "banax");
	CHECK_STR(replace("banana", "", "x", 2), "xbanana");
	CHECK_STR(replace("banana", "", "x", 3), "bananax");
	CHECK_STR(replace("banana", "", "x", 1), "banana");
	CHECK_STR(replace("", "*", "x", 0), "x");
	CHECK_STR(replace("banana", "*(n)", "x", 0), "(not known)");
}

static void test_active(void)
{
	static const struct row rows[] = {{"abc", "", 0}, {"a*", "", 1}, {"a\\*", "", 0}, {"[a", "", 0},
			{"[a]", "", 1}, {"a]",
		"", 0}, {"@(a)", "", 1}, {"@a", "", 0}, {"\\?", "", 0},
		{"?", "", 1}, {"\\[a]", "", 0}};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_ROW(pattern_active(str_of(rows[i].pattern)) == rows[i].want, rows[i].pattern);
	CHECK(pattern_extended(STR("x!(a)")) && !pattern_extended(STR("x\\!(a)")) &&
			!pattern_extended(STR("*?[a]")));
}

static void test_bounds(void)
{
	static char text[100001], pattern[100001];
	unsigned fuel = 200000;

	memset(text, 'a', 100000);
	CHECK_INT(pattern_match(STR("+(a)"), str_n(text, 100000), &fuel), -1);
	fuel = 200000;
	CHECK_INT(pattern_match(STR("+(a|aa|+(a))b"), str_n(text, 40), &fuel), -1);
	CHECK_INT(fuel, 0);
	fuel = 2000000;
	CHECK_INT(pattern_match(STR("*a*a*a*a*b"), str_n(text, 50000), &fuel), 0);
	for (size_t i = 0; i < 100000; i += 2)
		memcpy(pattern + i, "@(", 2);
	fuel = 200000;
	CHECK_INT(pattern_match(str_n(pattern, 100000), str_n(text, 10), &fuel), -1);
	fuel = 100;
	CHECK_INT(pattern_match(STR("a\1"), STR("a"), &fuel), -1);
	CHECK_INT(pattern_match(STR("a"), STR("a\0"), &fuel), -1);
}

/* --- against bash --- */

static struct str generate(uint64_t *seed, bool is_pattern, unsigned max)
{
	static const char *const pieces[] = {"*", "?", "*", "a", "b", "c", "[ab]", "[!a]", "[a-c]", "\\",
			"\\*", "[", "]", "-", "(",
		")", "|", "@(", "+(", "!(", "?(", "*(", ")", ")",
		"[[:alpha:]]", "[[:punct:]x]", ".", "[^]b]", "@(a|b)", "+(ab|c)", "[b-a]", "[a\\]]",
		"\xc3\xa9", "!(ab)"};
	static const char *const letters[] = {"a", "b", "c", "a", "b", "ab", "*", "[", "]", "\\", "-", ".",
			"(", ")", "|", "\xc3\xa9"};
	struct buf b;
	unsigned n = real_rand(seed, max);

	buf_init(&b, &A, 0);
	while (n--)
		buf_c(&b, is_pattern ? pieces[real_rand(seed, ARRAY_SIZE(pieces))]
				     : letters[real_rand(seed,
				     real_rand(seed, 3) ? 6 : ARRAY_SIZE(letters))]);
	return buf_view(&b);
}

static struct str ours(struct str t, struct str p, int which)
{
	struct str ret = STR("");
	unsigned fuel = 1000000;
	int r;

	if (which == 0) {
		r = pattern_match(p, t, &fuel);
		ret = r ? STR("yes") : STR("no");
	} else if (which <= 4) {
		r = pattern_cut(t, p, which <= 2, which % 2 == 0, &fuel, &ret);
	} else {
		r = pattern_replace(&A, t, p, STR("<&>"), which - 5, true, &fuel, &ret);
	}
	return r < 0 ? str_n(NULL, 0) : ret;
}

static void test_real(void)
{
	enum { CASES = 5000, FORMS = 9 };
	static const char *const forms[FORMS] = {"match", "#", "##", "%", "%%", "/", "//", "/#", "/%"};
	static struct str ps[CASES], ts[CASES];
	struct buf script;
	struct str out;
	uint64_t seed = 3;
	int unknown = 0;

	buf_init(&script, &A, 0);
	buf_c(&script, "shopt -s extglob\nf() { if [[ $t == $p ]]; then r=yes; else r=no; fi\n"
		"printf '%s\\n' \"$r\" \"${t#$p}\" \"${t##$p}\" \"${t%$p}\" \"${t%%$p}\" \"${t/$p/<&>}\" "
		"\"${t//$p/<&>}\" \"${t/#$p/<&>}\" \"${t/%$p/<&>}\"; }\n");
	for (int i = 0; i < CASES; i++) {
		ps[i] = generate(&seed, true, 6);
		ts[i] = generate(&seed, false, 7);
		buf_c(&script, "p=");
		real_quote(&script, ps[i]);
		buf_c(&script, " t=");
		real_quote(&script, ts[i]);
		buf_c(&script, "\nf\n");
	}
	out = real_script(&A, "bash", buf_view(&script));
	for (int i = 0; i < CASES; i++) {
		for (int k = 0; k < FORMS; k++) {
			struct str real = real_piece(&out, "\n"), got = ours(ts[i], ps[i], k);

			unknown += !got.p;
			if (!got.p || str_eq(got, real))
				continue;
			unit_fail(__FILE__, __LINE__, "bash differs in %s", forms[k]);
			unit_bytes("pattern", ps[i]);
			unit_bytes("   text", ts[i]);
			unit_bytes("    got", got);
			unit_bytes("   real", real);
		}
	}
	CHECK_INT(out.n, 0);
	CHECK(unknown < CASES * FORMS / 2);
	printf("# %d results, %d of them not known\n", CASES * FORMS, unknown);
}

static void test_any_bytes(void)
{
	uint64_t seed = 21;
	char p[16], t[16];
	struct str ret;

	for (int i = 0; i < 100000; i++) {
		size_t pn = real_rand(&seed, sizeof(p)), tn = real_rand(&seed, sizeof(t));
		unsigned fuel = 500;
		for (size_t k = 0; k < pn; k++)
			p[k] = real_rand(&seed, 15) ? "*?[]!^-:\\(|)@+ab"[real_rand(&seed, 16)] :
					(char)real_rand(&seed, 256);
		for (size_t k = 0; k < tn; k++)
			t[k] = real_rand(&seed, 15) ? "ab[]\\"[real_rand(&seed, 5)] : (char)real_rand(&seed,
					256);
		CHECK(pattern_match(str_n(p, pn), str_n(t, tn), &fuel) <= 1);
		CHECK(pattern_cut(str_n(t, tn), str_n(p, pn), i & 1, i & 2, &fuel, &ret) <= 0);
		CHECK(pattern_replace(&A, str_n(t, tn), str_n(p, pn), STR("&\\"), i & 3, true, &fuel,
				&ret) <= 0);
		pattern_active(str_n(p, pn));
	}
}

int main(void)
{
	arena_init(&A, (size_t)1 << 30);
	RUN(test_match);
	RUN(test_cut_replace);
	RUN(test_active);
	RUN(test_bounds);
	RUN(test_real);
	RUN(test_any_bytes);
	arena_free(&A);
	return unit_end();
}
