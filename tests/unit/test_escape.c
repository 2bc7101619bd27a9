/* Backslash escapes: fixed rows, and generated texts compared with what bash and dash really print. */
#include "shell/escape.h"
#include "real.h"
#include "unit.h"

static struct arena A;

struct row {
	const char *in;
	struct str want;
};

static void test_ansi_c(void)
{
	static const struct row rows[] = {
		{"plain", STR("plain")}, {"\\x65vil", STR("evil")}, {"\\145v", STR("ev")},
		{"\\u0065", STR("e")}, {"\\U00000065", STR("e")},
		{"\\u20ac", STR("\xe2\x82\xac")}, {"a\\'b", STR("a'b")}, {"\\q", STR("\\q")},
		{"a\\0b", STR("a")}, {"\\x{41}b", STR("Ab")},
		{"\\cA", STR("\0")}, {"\\c?", STR("\x7f")}, {"\\e\\E", STR("\033\033")}, {"\\", STR("\\")},
		{"\\1z", STR("\0z")}, {"", STR("")},
		{"\\c\\\\x", STR("\x1cx")}, {"\\xzz", STR("\\xzz")}, {"a\\x{}b", STR("a")},
		{"\\Uffffffffz", STR("z")},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct str got = escape_ansi_c(&A, str_of(rows[i].in));
		CHECK_ROW(str_eq(got, rows[i].want), rows[i].in);
	}
}

static struct str echo(struct str s, enum escape_style style, bool *ret_stop)
{
	*ret_stop = false;
	return escape_decode(&A, s, style, ret_stop);
}

static void test_echo(void)
{
	bool stop;

	CHECK_STR(echo(STR("a\\0101b\\101"), ESCAPE_ECHO, &stop), "aAb\\101");
	CHECK(!stop);
	CHECK_STR(echo(STR("a\\cb"), ESCAPE_ECHO, &stop), "a");
	CHECK(stop);
	CHECK_STR(echo(STR("a\\0101\\101\\x41"), ESCAPE_DASH, &stop), "aAA\\x41");
	CHECK(!stop);
	CHECK_STR(echo(STR("a\\cb"), ESCAPE_DASH, &stop), "a");
	CHECK(stop);
}

/* Real bytes 0 and 1 are what our text writes as the hole; nothing else may become one. */
static bool same(struct str got, struct str real)
{
	if (got.n != real.n)
		return false;
	for (size_t i = 0; i < got.n; i++)
		if (got.p[i] != real.p[i] && !(got.p[i] == 0 && (real.p[i] == 1 || real.p[i] == 2)))
			return false;
	return true;
}

static struct str generate(struct arena *a, uint64_t *seed)
{
	static const char *const pieces[] = {"\\", "\\", "\\", "x", "u", "U", "c", "0", "1", "7", "8", "4",
			"a", "e", "E", "f", "n", "{", "}", "?", "\"",
		"\\'", "q", "@", "[", "\xc3\xa9", "\xff", "\x7f", " ", "%", "\\x", "\\u00", "\\U0001", "\\0",
		"\\c", "d8", "41"};
	struct buf b;
	unsigned n = 1 + real_rand(seed, 9);

	buf_init(&b, a, 0);
	while (n--)
		buf_c(&b, pieces[real_rand(seed, ARRAY_SIZE(pieces))]);
	return buf_view(&b);
}

/* Can it stand between $' and '? */
static bool quotable(struct str s)
{
	size_t i = 0;

	for (; i < s.n; i++) {
		if (s.p[i] == '\'')
			return false;
		i += s.p[i] == '\\';
	}
	return i == s.n;
}

enum { CASES = 1500 };

static struct str texts[CASES];

static void compare(const char *shell, const char *before, const char *after, bool raw,
		struct str (*ours)(struct str))
{
	struct buf script;
	struct str out;
	uint64_t seed = 7;

	buf_init(&script, &A, 0);
	for (size_t i = 0; i < CASES; i++) {
		do
			texts[i] = generate(&A, &seed);
		while (raw && !quotable(texts[i]));
		buf_c(&script, before);
		if (raw)
			buf_str(&script, texts[i]);
		else
			real_quote(&script, texts[i]);
		buf_c(&script, after);
		buf_c(&script, "\nprintf '<<<END>>>\\n'\n");
	}
	out = real_script(&A, shell, buf_view(&script));
	for (size_t i = 0; i < CASES; i++) {
		struct str real = real_piece(&out, "<<<END>>>\n"), got = ours(texts[i]);
		if (same(got, real))
			continue;
		unit_fail(__FILE__, __LINE__, "%s differs", shell);
		unit_bytes("text", texts[i]);
		unit_bytes(" got", got);
		unit_bytes("real", real);
	}
	CHECK_INT(out.n, 0);
}

static struct str ours_ansi_c(struct str s) { return escape_ansi_c(&A, s); }

static struct str ours_echo(struct str s)
{
	bool stop;
	struct str t = echo(s, ESCAPE_ECHO, &stop);
	return stop ? t : str_cat(&A, t, STR("\n"));
}

static struct str ours_dash(struct str s)
{
	bool stop;
	struct str t = echo(s, ESCAPE_DASH, &stop);
	return stop ? t : str_cat(&A, t, STR("\n"));
}

static struct str ours_b(struct str s) { return escape_decode(&A, s, ESCAPE_B, NULL); }

static void test_real_ansi_c(void) { compare("bash", "printf %s $'", "'", true, ours_ansi_c); }
static void test_real_echo(void) { compare("bash", "echo -e ", "", false, ours_echo); }
static void test_real_b(void) { compare("bash", "printf %b ", "", false, ours_b); }
static void test_real_dash(void) { compare("dash", "echo ", "", false, ours_dash); }
static void test_real_dash_b(void)
{
	bool stop = false;
	CHECK_STR(escape_decode(&A, STR("x\\0101\\c"), ESCAPE_DASH, &stop), "xA");
	CHECK(stop);
}

static void test_any_bytes(void)
{
	uint64_t seed = 99;
	char bytes[24];
	bool stop;

	for (int i = 0; i < 20000; i++) {
		size_t n = real_rand(&seed, sizeof(bytes));
		for (size_t k = 0; k < n; k++)
			bytes[k] = real_rand(&seed, 3) ? "\\xucU01e{\"'"[real_rand(&seed, 11)] :
					(char)real_rand(&seed, 256);
		for (int style = ESCAPE_ANSI_C; style <= ESCAPE_B; style++)
			CHECK(escape_decode(&A, str_n(bytes, n), (enum escape_style)style, &stop).n <= n * 3);
	}
}

int main(void)
{
	arena_init(&A, ARENA_CAP_DEFAULT);
	RUN(test_ansi_c);
	RUN(test_echo);
	RUN(test_real_ansi_c);
	RUN(test_real_echo);
	RUN(test_real_b);
	RUN(test_real_dash);
	RUN(test_real_dash_b);
	RUN(test_any_bytes);
	arena_free(&A);
	return unit_end();
}
