/*
 * The output of commands: fixed rows, and generated calls compared with the real programs. With holes in the
 * arguments, our result must cover the real output.
 */
#include "shell/known_output.h"
#include "real.h"
#include "unit.h"

#define MAX_ARGS 8

static struct arena A;

/* Does abstract text cover these bytes? HOLE_ANY is any bytes, HOLE_NUM an integer. */
static bool covers(struct str abs, struct str real)
{
	size_t n = real.n + 1;
	bool *now, *then;

	if (text_exact(abs))
		return str_eq(abs, real);
	now = arena_array(&A, n, sizeof(bool));
	now[0] = true;
	for (size_t i = 0; i < abs.n; i++) {
		then = arena_array(&A, n, sizeof(bool));
		for (size_t k = 0; k < n; k++) {
			size_t d = k;
			if (!now[k])
				continue;
			if (abs.p[i] == HOLE_ANY)
				for (; d < n; d++)
					then[d] = true;
			else if (abs.p[i] == HOLE_NUM)
				for (d += d < real.n && real.p[d] == '-'; d < real.n && real.p[d] >= '0' &&
						real.p[d] <= '9'; d++)
					then[d + 1] = true;
			else if (k < real.n && real.p[k] == abs.p[i])
				then[k + 1] = true;
		}
		now = then;
	}
	return now[real.n];
}

static bool run(enum dialect d, const char *const *argv, const char *in, struct str *ret)
{
	struct word w[MAX_ARGS + 1];
	struct str text = str_of(in ? in : "");
	struct output_env env = {.dialect = d, .in = in ? &text : NULL, .cwd = STR("/home/me")};
	size_t n = 0;

	for (; argv[n]; n++)
		w[n] = (struct word){.kind = WORD_EXACT, .text = str_of(argv[n])};
	return output_of(&A, w, n, &env, ret);
}

struct row {
	enum dialect d;
	const char *argv[MAX_ARGS + 1];
	const char *in;
	struct str want; /* p NULL: not known */
};

#define UNKNOWN {NULL, 0}
#define B DIALECT_BASH
#define S DIALECT_SH
#define Z DIALECT_ZSH

static const struct row rows[] = {
	{B, {"echo", "a", "b"}, NULL, STR("a b\n")},
	{B, {"echo", "-n", "a"}, NULL, STR("a")},
	{B, {"echo", "-ne", "a\\tb"}, NULL, STR("a\tb")},
	{B, {"echo", "a\\tb"}, NULL, STR("a\\tb\n")},
	{S, {"echo", "a\\tb"}, NULL, STR("a\tb\n")},
	{S, {"echo", "-e", "a"}, NULL, STR("-e a\n")},
	{Z, {"echo", "a\\tb"}, NULL, UNKNOWN},
	{Z, {"echo", "a", "b"}, NULL, STR("a b\n")},
	{B, {"printf", "%s-%d\\n", "x", "7"}, NULL, STR("x-7\n")},
	{B, {"printf", "\\x72\\x6d"}, NULL, STR("rm")},
	{B, {"printf", "%s", "a", "b"}, NULL, STR("ab")},
	{B, {"printf", "-v", "x", "y"}, NULL, UNKNOWN},
	{B, {"printf", "%d", "abc"}, NULL, UNKNOWN},
	{B, {"printf", "%5.1f", "1"}, NULL, UNKNOWN},
	{B, {"cat"}, "in", STR("in")},
	{B, {"cat", "-"}, "in", STR("in")},
	{B, {"cat", "file"}, "in", UNKNOWN},
	{B, {"cat"}, NULL, UNKNOWN},
	{B, {"base64", "-d"}, "cm0gLXJm\n", STR("rm -rf")},
	{B, {"base64", "--decode"}, "cm0=", STR("rm")},
	{B, {"base64", "-d"}, "cm0", UNKNOWN},
	{B, {"base64", "-d"}, "c!m0", UNKNOWN},
	{B, {"base64", "-di"}, "c!m0=", STR("rm")},
	{B, {"base64"}, "rm", STR("cm0=\n")},
	{B, {"base64", "-w0"}, "rm", STR("cm0=")},
	{B, {"base64", "-d", "f"}, "cm0=", UNKNOWN},
	{B, {"base64", "-D"}, "cm0=", UNKNOWN},
	{B, {"base32", "-d"}, "OJWQ====", STR("rm")},
	{B, {"xxd", "-r", "-p"}, "726d\n", STR("rm")},
	{B, {"xxd", "-r"}, "726d", UNKNOWN},
	{B, {"tr", "a-z", "n-za-m"}, "ez", STR("rm")},
	{B, {"tr", "-d", "x"}, "rxxm", STR("rm")},
	{B, {"tr", "[:upper:]", "[:lower:]"}, "RM", STR("rm")},
	{B, {"rev"}, "mr", STR("rm")},
	{B, {"tac"}, "a\nb\n", STR("b\na\n")},
	{B, {"cut", "-d:", "-f2"}, "a:b:c", STR("b\n")},
	{B, {"cut", "-c2-3"}, "abcd", STR("bc\n")},
	{B, {"head", "-n1"}, "a\nb\n", STR("a\n")},
	{B, {"head", "-c", "2"}, "abc", STR("ab")},
	{B, {"tail", "-1"}, "a\nb\n", STR("b\n")},
	{B, {"tail", "-n", "+2"}, "a\nb\n", STR("b\n")},
	{B, {"tail", "-f"}, "a\n", UNKNOWN},
	{B, {"seq", "3"}, NULL, STR("1\n2\n3\n")},
	{B, {"seq", "1000000000"}, NULL, UNKNOWN},
	{B, {"basename", "/a/b.c", ".c"}, NULL, STR("b\n")},
	{B, {"dirname", "/a/b.c"}, NULL, STR("/a\n")},
	{B, {"tee", "f"}, "x", STR("x")},
	{B, {"tee", "/dev/stdout"}, "x", UNKNOWN},
	{B, {"pwd"}, NULL, STR("/home/me\n")},
	{B, {"pwd", "-P"}, NULL, STR("\0\n")},
	{B, {"true"}, NULL, STR("")},
	{B, {"wc", "-l"}, "a\nb\n", STR("2\n")},
	{B, {"wc", "-l"}, NULL, STR("\1\n")},
	{B, {"wc", "-l", "f"}, NULL, UNKNOWN},
	{B, {"grep", "-c", "x"}, NULL, STR("\1\n")},
	{B, {"grep", "-c", "x", "a", "b"}, NULL, UNKNOWN},
	{B, {"grep", "-rc", "x"}, NULL, UNKNOWN},
	{B, {"id", "-u"}, NULL, STR("\1\n")},
	{B, {"id", "-un"}, NULL, UNKNOWN},
	{B, {"date", "+%s"}, NULL, STR("\1\n")},
	{B, {"date", "+%F"}, NULL, STR("\1-\1-\1\n")},
	{B, {"date", "+%Y%m%d-%H%M"}, NULL, STR("\1-\1\n")},
	{B, {"date", "+%A"}, NULL, UNKNOWN},
	{B, {"expr", "2", "+", "3"}, NULL, STR("5\n")},
	{B, {"expr", "2", "/", "0"}, NULL, UNKNOWN},
	{B, {"stat", "-c", "%s", "f"}, NULL, STR("\1\n")},
	{B, {"nproc"}, NULL, STR("\1\n")},
	{B, {"curl", "x"}, NULL, UNKNOWN},
	{DIALECT_POWERSHELL, {"echo", "x"}, NULL, UNKNOWN},
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct str got = STR("");
		bool known = run(rows[i].d, rows[i].argv, rows[i].in, &got);
		char what[64];
		snprintf(what, sizeof(what), "%zu %s %s", i, rows[i].argv[0],
				rows[i].argv[1] ? rows[i].argv[1] : "");
		CHECK_ROW(known == (rows[i].want.p != NULL), what);
		CHECK_ROW(!known || str_eq(got, rows[i].want), what);
	}
}

/* --- holes --- */

struct hole_row {
	enum dialect d;
	struct str argv[5];
	struct str want;
};

static void test_holes(void)
{
	static const struct hole_row holes[] = {
		{B, {STR("echo"), STR("x\0")}, STR("x\0\n")},
		{B, {STR("echo"), STR("\0")}, STR("\0")},
		{B, {STR("echo"), STR("\0"), STR("b")}, STR("\0b\0")},
		{B, {STR("echo"), STR("\0"), STR("-n")}, STR("\0")},
		{B, {STR("echo"), STR("\1")}, STR("\1\n")},
		{B, {STR("echo"), STR("-e"), STR("a\0b"), STR("c")}, STR("a\0")},
		{S, {STR("echo"), STR("a\\\1b"), STR("c")}, STR("a\0")},
		{S, {STR("echo"), STR("a\1b"), STR("c")}, STR("a\1b c\n")},
		{B, {STR("printf"), STR("%s|%d"), STR("\0"), STR("\0")}, STR("\0|\1")},
		{B, {STR("printf"), STR("%5s|"), STR("\0")}, STR("\0|")},
		{B, {STR("printf"), STR("%b|"), STR("a\0")}, STR("a\0")},
		{B, {STR("printf"), STR("\0")}, UNKNOWN},
		{B, {STR("tr"), STR("a"), STR("\0")}, UNKNOWN},
		{B, {STR("basename"), STR("/x\0/b")}, UNKNOWN},
		{B, {STR("basename"), STR("\0/b")}, UNKNOWN},
		{B, {STR("expr"), STR("\1"), STR("+"), STR("1")}, STR("\1\n")},
		{B, {STR("grep"), STR("-c"), STR("\0")}, UNKNOWN},
		{B, {STR("cat"), STR("\0")}, UNKNOWN},
	};
	for (size_t i = 0; i < ARRAY_SIZE(holes); i++) {
		struct word w[5];
		struct output_env env = {.dialect = holes[i].d};
		struct str got = STR("");
		size_t n = 0;
		bool known;
		char what[32];
		for (; n < 5 && holes[i].argv[n].p; n++)
			w[n] = (struct word){.kind = text_exact(holes[i].argv[n]) ? WORD_EXACT : WORD_UNKNOWN,
					.text = holes[i].argv[n]};
		known = output_of(&A, w, n, &env, &got);
		snprintf(what, sizeof(what), "%zu", i);
		CHECK_ROW(known == (holes[i].want.p != NULL), what);
		CHECK_ROW(!known || str_eq(got, holes[i].want), what);
		w[1].kind = WORD_REST;
		CHECK_ROW(!output_of(&A, w, n, &env, &got), what);
	}
	CHECK(covers(STR("a\0b\1"), STR("axxb-12")) && !covers(STR("a\1"), STR("a")) &&
			!covers(STR("ab"), STR("abc")));
}

/* --- against the real programs --- */

struct pool {
	const char *name;
	const char *args[32];
};

static const struct pool pools[] = {
	{"echo", {"-n", "-e", "-E", "-ne", "a", "b\\n", "\\x41\\0101", "\\c", "--", "-", "-x", "", "x y",
			"\\\\", "-nn", "\\101\\e"}},
	{"printf", {"%s", "%d\\n", "[%5s]", "%-5s|", "%05d", "%x %X %o", "%c%c", "%b", "%%",
			"\\x41\\101\\0101", "%+d % d", "%.2s",
		"%#x", "%*d", "7", "-12", "0x1f", "010", "abc", "a\\tb",
		"'A", "", "x\\cy", "%i-%u", "%.3d", "--", "\\\"q\\'", "%s-%s\\n", "\\e[0m", "%08.3d"}},
	{"base64", {"-d", "-w0", "-w", "5", "-i", "--decode", "-di", "--wrap=7", "-"}},
	{"base32", {"-d", "-w0", "-w", "5", "--decode"}},
	{"xxd", {"-p", "-ps"}}, /* and -r before, or it could write a file of any length */
	{"tr", {"a-z", "A-Z", "-d", "-s", "[:upper:]", "[:lower:]", "abc", "xyz", "n-za-m", "\\n", " ", "-c",
			"[:space:]", "a",
		"[:digit:]", "a-", "-dc", "\\141-c", "[a-c]", "[:alnum:]", "-cs", "", "z-a"}},
	{"rev", {NULL}},
	{"tac", {NULL}},
	{"cut", {"-d:", "-f1", "-f2-", "-c1-3", "-b2", "-f", "1,3", "-d", " ", "-s", "-c-2", "-f2", "-f-1,3-",
			"-c5-", "-d,", "-f0",
		"-c3-1"}},
	{"head", {"-n1", "-n", "2", "-1", "-c3", "-n-1", "-c", "--lines=2", "-n0", "-c-2"}},
	{"tail", {"-n1", "-n", "2", "-1", "-c3", "-n+2", "-c", "--lines=2", "-n0", "-n-1", "+2", "-c+3"}},
	{"seq", {"1", "3", "-2", "2", "5", "-s", ",", "0", "-1", "10", "01"}},
	{"basename", {"/a/b.c", ".c", "a/", "/", "//", "", "b.c", "x", "a//b//"}},
	{"dirname", {"/a/b.c", "a", "/a", "/", "a/b/", "a//b", "//", "", "./x"}},
	{"wc", {"-l", "-c", "-w"}},
	{"expr", {"3", "+", "4", "*", "-2", "/", "7", "-", "%", "0"}},
	{"cat", {"-", NULL}},
	{"date", {"+%s", "+%Y", "+%F", "+%Y%m%d", "+%Y-%m-%d_%H%M%S", "-u", "+%s%N", "+%Y.%j", "+%H"}},
	{"id", {"-u", "-g", "-un"}},
	{"stat", {"-c", "%s", "/", "%u", "%n"}},
	{"grep", {"-c", "-ic", "a", "b", "-v"}},
	{"nproc", {NULL}},
	{"true", {"x", NULL}},
};

static const char *const inputs[] = {"", "a\nb\nc\n", "abc", "Hello World\n", "a:b:c\nd:e\nnone\n",
		"cm0gLXJmIC8K", "cm0=\n", "YQ==",
	"OJWSALLSMYQC6===", "726d202d\n7266", "aabbcc  dd\n\n\nx",
	"a b c d\ne f\n", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\n",
	"\xc3\xa9t\xc3\xa9\n", "x\ty\tz\n",
		"no newline\nat end",
		"the quick brown fox jumps over the lazy dog and runs away from the big bad wolf\n",
	"AQIDBA==", "616263\n", "12345", "A,B,C\n"};

/* Calls that make sense, each tried on every input. The pools above rarely hit them. */
static const char *const recipes[][5] = {
	{"base64", "-d"}, {"base64", "-di"}, {"base64"}, {"base64", "-w5"}, {"base64", "-w0", "-"},
	{"base64", "-w", "4"},
	{"base32"}, {"base32", "-d"}, {"base32", "-w0"}, {"xxd", "-r", "-p"},
	{"tr", "a-z", "n-za-m"}, {"tr", "a-zA-Z", "xy"}, {"tr", "-d", "a-c\n"}, {"tr", "-s", "a-z "},
	{"tr", "-s", "a-z", "x"},
	{"tr", "-cd", "a-z"}, {"tr", "-c", "a-z", "_"}, {"tr", "-cs", "[:alnum:]", "\n"},
	{"tr", "[:lower:]", "[:upper:]"}, {"tr", "[:upper:]", "a-z"}, {"tr", "-ds", "a", "b"},
	{"tr", "abc", "b-d"}, {"tr",
	"[:space:]", "-"}, {"tr", "\141\142", "\001\t"}, {"tr", "-d", "[:punct:]"},
	{"tr", "a-", "xy"}, {"tr", "--", "-a", "xy"}, {"tr", "[a-c]", "(A-C)"}, {"tr", "aa", "xy"},
	{"tr", "-C", "\n", "="},
	{"rev"}, {"tac"}, {"cut", "-d:", "-f1"}, {"cut", "-d:", "-f2-"}, {"cut", "-d", " ", "-f", "1,3"},
	{"cut", "-f2"}, {"cut",
	"-d:", "-f3,1", "-s"}, {"cut", "-c1-3"}, {"cut", "-b", "2,4-"}, {"cut", "-c-2"},
	{"cut", "-c2,1,2-3"}, {"cut", "-d,", "-f-2"}, {"head"}, {"head", "-n1"}, {"head", "-n", "-2"},
	{"head", "-c5"}, {"head",
	"-c", "-3"}, {"head", "-2"}, {"head", "--lines=3"}, {"tail"}, {"tail", "-n1"},
	{"tail", "-n", "+2"}, {"tail", "-n+0"}, {"tail", "-c4"}, {"tail", "-c", "+3"}, {"tail", "-2"},
	{"tail", "-n", "-3"}, {"tail",
		"--bytes=2"}, {"wc", "-l"}, {"wc", "-w"}, {"wc", "-c"}, {"cat"}, {"tee"}, {"grep", "-c", "a"},
	{"grep", "-vc", "a"}, {"tr", "\\141\\142", "\\001\\t"}, {"tr", "-d", "\\n\\040-\\071"},
	{"tr", "\\\\a", "xy"}, {"tr", "a\\-z", "xyz"},
};

struct gen {
	enum dialect d;
	const char *argv[MAX_ARGS + 1];
	size_t argc;
	const char *in;
};

static void generate(struct gen *g, uint64_t *seed, size_t i)
{
	const struct pool *p = &pools[i % 3 ? real_rand(seed, 2) : real_rand(seed, ARRAY_SIZE(pools))];
	size_t size = 0;

	if (i % 3 == 2)
		p = &pools[2 + real_rand(seed, ARRAY_SIZE(pools) - 2)];
	while (size < 32 && p->args[size])
		size++;
	*g = (struct gen){.d = real_rand(seed, 3) ? B : S, .in = inputs[real_rand(seed, ARRAY_SIZE(inputs))]};
	g->argv[g->argc++] = p->name;
	if (str_is(str_of(p->name), "xxd")) {
		g->argv[g->argc++] = "-r";
		g->argv[g->argc++] = "-p";
	}
	for (unsigned n = size ? real_rand(seed, 4) + (p == &pools[1]) : 0; n--;)
		g->argv[g->argc++] = p->args[real_rand(seed, (unsigned)size)];
}

/* Half of the words get a hole in the place of some of their bytes. */
static struct str dig(struct str s, uint64_t *seed)
{
	size_t from = real_rand(seed, (unsigned)s.n + 1),
			to = from + real_rand(seed, (unsigned)(s.n - from) + 1);
	struct buf b;

	buf_init(&b, &A, 0);
	buf_str(&b, str_sub(s, 0, from));
	buf_char(&b, HOLE_ANY);
	buf_str(&b, str_sub(s, to, s.n));
	return buf_view(&b);
}

enum { RANDOM = 600, INPUTS = ARRAY_SIZE(inputs), CASES = RANDOM + (ARRAY_SIZE(recipes)) * INPUTS };
static struct gen cases[CASES];

static void script_line(struct buf *b, const struct gen *g)
{
	buf_c(b, "printf %s ");
	real_quote(b, str_of(g->in));
	buf_c(b, " | ");
	for (size_t k = 0; k < g->argc; k++) {
		real_quote(b, str_of(g->argv[k]));
		buf_char(b, ' ');
	}
	buf_c(b, "\necho '<<<'$?\n");
}

/* Runs all cases of one shell; compares ours, exact or with holes. */
static void compare(enum dialect d, const char *shell, uint64_t seed, int *ret_known, int *ret_total)
{
	struct buf script;
	struct str out;

	buf_init(&script, &A, 0);
	for (size_t i = 0; i < CASES; i++)
		if (cases[i].d == d)
			script_line(&script, &cases[i]);
	out = real_script(&A, shell, buf_view(&script));
	for (size_t i = 0; i < CASES; i++) {
		const struct gen *g = &cases[i];
		struct str real, status, got = STR(""), in = str_of(g->in);
		struct output_env env = {.dialect = d, .in = &in};

		if (g->d != d)
			continue;
		real = real_piece(&out, "<<<");
		status = real_piece(&out, "\n");
		for (int holes = 0; holes < 4; holes++) {
			struct word w[MAX_ARGS];
			for (size_t k = 0; k < g->argc; k++) {
				w[k] = (struct word){.kind = WORD_EXACT, .text = str_of(g->argv[k])};
				if (k && holes && real_rand(&seed, 2))
					w[k] = (struct word){.kind = WORD_UNKNOWN,
							.text = dig(w[k].text, &seed)};
			}
			++*ret_total;
			if (!output_of(&A, w, g->argc, &env, &got))
				continue;
			++*ret_known;
			if (covers(got, real) && (holes || text_exact(got) || !text_exact(real) ||
					!str_is(status,
			"0") || str_find(got, HOLE_ANY, 0) < 0))
				continue;
			if (!real.n && !str_is(status, "0") && memchr(got.p, HOLE_NUM, got.n))
				continue; /* a command that failed wrote nothing */
			unit_fail(__FILE__, __LINE__, "%s differs, status %.*s", shell, STR_ARG(status));
			for (size_t k = 0; k < g->argc; k++)
				unit_bytes(" arg", w[k].text);
			unit_bytes("  in", in);
			unit_bytes(" got", got);
			unit_bytes("real", real);
		}
	}
	CHECK_INT(out.n, 0);
}

static void test_real(void)
{
	uint64_t seed = 17;
	int known = 0, total = 0;

	for (size_t i = 0; i < CASES; i++) {
		const char *const *recipe = i < RANDOM ? NULL : recipes[(i - RANDOM) / INPUTS];
		if (!recipe) {
			generate(&cases[i], &seed, i);
			continue;
		}
		cases[i] = (struct gen){.d = B, .in = inputs[(i - RANDOM) % INPUTS]};
		for (size_t k = 0; k < 5 && recipe[k]; k++)
			cases[i].argv[cases[i].argc++] = recipe[k];
	}
	compare(B, "bash", 1, &known, &total);
	compare(S, "dash", 2, &known, &total);
	printf("# %d answers, %d of them known\n", total, known);
	CHECK(known > total / 5);
}

/* No arguments and no input make it crash, and \1 and \0 in them are taken for holes. */
static void test_any_bytes(void)
{
	uint64_t seed = 41;
	char bytes[MAX_ARGS][16], in[32];

	for (int i = 0; i < 60000; i++) {
		const struct pool *p = &pools[real_rand(&seed, ARRAY_SIZE(pools))];
		size_t n = 1 + real_rand(&seed, MAX_ARGS - 1), size = 0;
		struct word w[MAX_ARGS] = {{.kind = WORD_EXACT, .text = str_of(p->name)}};
		struct str input = str_n(in, real_rand(&seed, sizeof(in))), got = STR("untouched");
		struct output_env env = {.dialect = (enum dialect)real_rand(&seed, 3),
				.in = real_rand(&seed, 9) ? &input : NULL, .external = !real_rand(&seed, 5)};

		for (size_t k = 0; k < input.n; k++)
			in[k] = real_rand(&seed, 8) ? "ab \n:A=0"[real_rand(&seed, 8)] :
					(char)real_rand(&seed, 256);
		while (size < 32 && p->args[size])
			size++;
		for (size_t k = 1; k < n; k++) {
			size_t len = real_rand(&seed, 16);
			for (size_t b = 0; b < len; b++)
				bytes[k][b] = real_rand(&seed, 12) ?
						"-%sdbc\\x0179*.[]:a\1"[real_rand(&seed, 20)] :
						(char)real_rand(&seed, 256);
			w[k].text = size &&
					real_rand(&seed, 2) ?
					str_of(p->args[real_rand(&seed, (unsigned)size)]) : str_n(bytes[k],
					len);
			w[k].kind = text_exact(w[k].text) ? WORD_EXACT : WORD_UNKNOWN;
		}
		if (!output_of(&A, w, n, &env, &got))
			CHECK_STR(got, "untouched");
	}
}

int main(void)
{
	arena_init(&A, (size_t)2 << 30);
	RUN(test_rows);
	RUN(test_holes);
	RUN(test_real);
	RUN(test_any_bytes);
	arena_free(&A);
	return unit_end();
}
