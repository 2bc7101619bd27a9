/*
 * Arithmetic: fixed rows, holes, and generated expressions compared with real bash: the value, the error, and
 * all assignments.
 */
#include "shell/arith.h"
#include "model/facts.h"
#include "real.h"
#include "unit.h"

#define NUM "\1"
#define ANY "\0"

static struct arena A;

/* A shell with a few variables and one array r, whose subscripts are arithmetic. */
struct store {
	struct str name[16], value[16];
	size_t n;
	struct str r[16];
	unsigned fuel;
	bool bad; /* a subscript outside r */
	char log[512];
	struct arith ar;
};

static struct str *slot(struct store *st, struct str name)
{
	if (str_is(name, "r"))
		return &st->r[0];
	for (size_t i = 0; i < st->n; i++)
		if (str_eq(st->name[i], name))
			return &st->value[i];
	if (st->n == 16)
		abort();
	st->name[st->n] = name;
	st->value[st->n] = STR("");
	return &st->value[st->n++];
}

static struct str *element(struct store *st, struct str sub)
{
	struct number i = arith_eval(&st->ar, sub);

	if (!i.known || i.n < 0 || i.n > 15) {
		st->bad = true;
		return NULL;
	}
	st->ar.resolved = str_fmt(&A, "%lld", (long long)i.n);
	return &st->r[i.n];
}

static struct str get(void *ctx, struct str name, const struct str *sub)
{
	struct store *st = ctx;
	struct str *at;

	strncat(st->log, "g:", sizeof(st->log) - strlen(st->log) - 1);
	strncat(st->log, str_c(&A, name), sizeof(st->log) - strlen(st->log) - 1);
	strncat(st->log, " ", sizeof(st->log) - strlen(st->log) - 1);
	if (!sub)
		return *slot(st, name);
	st->bad |= !str_is(name, "r");
	at = element(st, *sub);
	return at ? *at : STR("");
}

static void set(void *ctx, struct str name, const struct str *sub, struct str value)
{
	struct store *st = ctx;
	struct str *at;

	st->bad |= sub && !str_is(name, "r");
	at = sub ? element(st, *sub) : slot(st, name);
	if (at)
		*at = value;
}

static void store_init(struct store *st)
{
	*st = (struct store){.fuel = 100000};
	st->ar = (struct arith){.a = &A, .fuel = &st->fuel, .ctx = st, .get = get, .set = set};
	for (size_t i = 0; i < 16; i++)
		st->r[i] = STR("");
}

static struct number eval(struct store *st, const char *expr) { return arith_eval(&st->ar, str_of(expr)); }

struct row {
	const char *expr;
	int64_t want;
};

static void test_values(void)
{
	static const struct row rows[] = {
		{"", 0}, {" \t\n", 0}, {"1+2*3", 7}, {"(1+2)*3", 9}, {"2**3**2", 512}, {"-2**2", 4},
		{"7%3", 1}, {"-7/2", -3},
		{"0x1F", 31}, {"010", 8},
		{"2#101", 5}, {"36#z", 35}, {"64#_", 63}, {"64#@", 62}, {"37#A", 36}, {"1<<65", 2},
		{"-1>>1", -1}, {"1,2,3", 3},
		{"1?2:3", 2}, {"0?2:3?4:5", 4},
		{"!5", 0}, {"~0", -1}, {"5--3", 8}, {"5 - - 3", 8}, {"1<2==1", 1}, {"3&1|4^1", 5},
		{"9223372036854775807+1", INT64_MIN}, {"x=3,x*=4,x", 12},
		{"(-9223372036854775807-1)/-1", INT64_MIN}, {"(-9223372036854775807-1)%-1", 0},
		{"a=5,a++ + ++a", 12}, {"0&&1/0", 0},
		{"1||1/0", 1}, {"1?1:1/0", 1},
		{"r[1]=4,r[1]<<=2,r[1]", 16}, {"i=1,r[i++]+=5,i", 2}, {"x=y=3,x+y", 6}, {"!0&&!0", 1},
		{"0x", 0},
		{"99999999999999999999", 7766279631452241919},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct store st;
		struct number v;
		store_init(&st);
		v = eval(&st, rows[i].expr);
		CHECK_ROW(v.known && v.n == rows[i].want && !st.ar.error && !st.ar.opaque, rows[i].expr);
	}
}

static void test_errors(void)
{
	static const char *const rows[] = {"1+", "1 2", "1/0", "2**-1", "08", "2#3", "1#0", "65#1", "16#",
			"5=3", "x+1=2", "--x++",
		"x++=3", "(1", "1)", "1?2", "1?:2",
		"'1'", "\"1\"", "$x", "a b", ".5", "1.5", "r[1", "&&", "1&&", "x ? y : z = 3", "@", "\x80",
		"x=08", "5++x"};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct store st;
		store_init(&st);
		CHECK_ROW(!eval(&st, rows[i]).known && st.ar.error && !st.ar.opaque, rows[i]);
	}
}

static void test_lookups(void)
{
	struct store st;

	store_init(&st);
	*slot(&st, STR("x")) = STR("r[y=7]");
	CHECK_INT(eval(&st, "x").n, 0);
	CHECK_STR(*slot(&st, STR("y")), "7");
	store_init(&st);
	eval(&st, "1 r[0]");
	CHECK(st.ar.error);
	CHECK_STR(str_of(st.log), "g:r ");
	store_init(&st);
	eval(&st, "0 && r[0], 1 ? 2 : q");
	CHECK_STR(str_of(st.log), "");
	store_init(&st);
	eval(&st, "x = 3, y += 1");
	CHECK_STR(str_of(st.log), "g:y ");
	store_init(&st);
	*slot(&st, STR("x")) = STR("x+1");
	CHECK(!eval(&st, "x").known && st.ar.opaque);
}

/* expression, variable x before, after; number known or not; opaque */
struct hole_row {
	struct str expr, before, after;
	bool known, opaque, error;
};

static void test_holes(void)
{
	static const struct hole_row rows[] = {
		{STR(NUM), STR("3"), STR("3"), 0, 0, 0},
		{STR(NUM "+1"), STR("3"), STR("3"), 0, 0, 0},
		{STR("x=" NUM), STR("3"), STR(NUM), 0, 0, 0},
		{STR("x=" NUM "*2,1"), STR("3"), STR(NUM), 1, 0, 0},
		{STR("1" NUM), STR(""), STR(""), 0, 0, 0},
		{STR("x" NUM), STR("3"), STR("3"), 0, 1, 0},
		{STR("0&&x" NUM), STR("3"), STR("3"), 0, 1, 0},
		{STR("x" NUM "[1]"), STR("3"), STR("3"), 0, 1, 0},
		{STR(ANY), STR("3"), STR("3"), 0, 1, 0},
		{STR("1+" ANY), STR("3"), STR("3"), 0, 1, 0},
		{STR("x"), STR("a" ANY), STR("a" ANY), 0, 1, 0},
		{STR("0&&x"), STR("a" ANY), STR("a" ANY), 1, 0, 0},
		{STR(NUM "&&(x=5)"), STR("3"), STR(NUM), 0, 0, 0},
		{STR(NUM "&&(x=5)"), STR("5"), STR("5"), 0, 0, 0},
		{STR(NUM "&&(x=5)"), STR("a[0]"), STR(ANY), 0, 0, 0},
		{STR(NUM "&&(x=5)"), STR(""), STR(ANY), 0, 0, 0},
		{STR(NUM "?(x=5):(y=6),7"), STR("3"), STR(NUM), 1, 0, 0},
		{STR(NUM "?4:4"), STR("3"), STR("3"), 1, 0, 0},
		{STR(NUM "&&0"), STR("3"), STR("3"), 1, 0, 0},
		{STR("1/" NUM ",x=5"), STR("3"), STR(NUM), 1, 0, 0},
		{STR("1/" NUM ",x=5"), STR("z"), STR(ANY), 1, 0, 0},
		{STR(NUM "&&1/0,x=5"), STR("3"), STR(NUM), 1, 0, 0},
		{STR(NUM " " NUM), STR("3"), STR("3"), 0, 0, 0},
		{STR("5" NUM ",x=1"), STR("3"), STR("1"), 1, 0, 0},
		{STR("0" NUM ",x=1"), STR("3"), STR(NUM), 1, 0, 0},
		{STR(NUM "q,x=1"), STR("3"), STR(NUM), 1, 0, 0},
		{STR("x-" NUM), STR("3"), STR(NUM), 0, 0, 0},
		{STR("x - " NUM), STR("3"), STR("3"), 0, 0, 0},
		{STR("x--" NUM), STR("3"), STR("2"), 0, 0, 0},
		{STR("r[" NUM "]"), STR("3"), STR("3"), 1, 0, 0},
		{STR("x++"), STR(NUM), STR(NUM), 0, 0, 0},
		{STR(NUM "+"), STR("3"), STR("3"), 0, 0, 1},
		{STR("r[$(case x in x) echo ]; esac)]"), STR("3"), STR("3"), 0, 1, 0},
		{STR("r[$(x"), STR("3"), STR("3"), 0, 1, 0},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct store st;
		struct number v;
		char row[16];
		store_init(&st);
		*slot(&st, STR("x")) = rows[i].before;
		v = arith_eval(&st.ar, rows[i].expr);
		snprintf(row, sizeof(row), "%zu", i);
		CHECK_ROW(v.known == rows[i].known, row);
		CHECK_ROW(st.ar.opaque == rows[i].opaque, row);
		CHECK_ROW(st.ar.error == rows[i].error, row);
		CHECK_ROW(str_eq(*slot(&st, STR("x")), rows[i].after), row);
	}
}

static void test_bounds(void)
{
	struct store st;
	static char deep[200001];
	static const char *const openers[] = {"(", "-", "!", "1?", "x=", "1**", "r[", "r[\"$(\"${", "x ",
			"1+(", "x?1:"};

	for (size_t i = 0; i < ARRAY_SIZE(openers); i++) {
		size_t n = strlen(openers[i]);
		for (size_t k = 0; k + n <= 200000; k += n)
			memcpy(deep + k, openers[i], n);
		store_init(&st);
		CHECK_ROW(!arith_eval(&st.ar, str_n(deep, 200000 / n * n)).known &&
				(st.ar.opaque || st.ar.error), openers[i]);
	}
	store_init(&st);
	for (char c = 'a'; c < 'n'; c++) {
		char *two = str_c(&A, STR("?+?+?+?"));
		two[0] = two[2] = two[4] = two[6] = (char)(c + 1);
		*slot(&st, str_dup(&A, str_n(&c, 1))) = str_of(two);
	}
	CHECK(!eval(&st, "a").known && st.ar.opaque); /* 4^13 look-ups: the fuel ends it */
	CHECK_INT(st.fuel, 0);
}

/* --- against bash --- */

static struct str generate(uint64_t *seed)
{
	static const char *const operands[] = {"a", "b", "x", "y", "0", "1", "2", "7", "010", "0x1f", "3#21",
			"08",
		"9223372036854775807", "r[0]", "r[b&3]",
		"r[y++&3]", "r[r[1]&3]", "u", "z", "a++", "--b", "++x", "y--", "(a=3)", "(x=b)", "(r[2]=5)",
		"-1", "!a", "~x", "64"};
	static const char *const operators[] = {"+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=",
			"==", "!=", "&", "|", "^",
		"&&", "||", ",", "?", ":", "=",
		"+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "**", " + ", " - "};
	struct buf b;
	unsigned n = 1 + real_rand(seed, 6), depth = 0;

	buf_init(&b, &A, 0);
	for (unsigned i = 0; i < n; i++) {
		if (!real_rand(seed, 5))
			buf_c(&b, "("), depth++;
		if (!real_rand(seed, 12))
			buf_c(&b, "-+!~"), b.n -= 3;
		buf_c(&b, operands[real_rand(seed, ARRAY_SIZE(operands))]);
		if (depth && real_rand(seed, 2))
			buf_c(&b, ")"), depth--;
		if (i + 1 < n && real_rand(seed, 9) == 0)
			buf_c(&b, "?1:");
		else if (i + 1 < n || !real_rand(seed, 20))
			buf_c(&b, operators[real_rand(seed, ARRAY_SIZE(operators))]);
	}
	while (depth--)
		buf_c(&b, ")");
	if (!real_rand(seed, 10) && b.n > 2)
		b.p[real_rand(seed, (unsigned)b.n)] = "+-=()? ,a1"[real_rand(seed, 10)];
	return buf_view(&b);
}

static void test_real(void)
{
	enum { CASES = 6000 };
	static struct str exprs[CASES];
	struct buf script;
	struct str out;
	uint64_t seed = 11;
	int errors = 0, skipped = 0;

	buf_init(&script, &A, 0);
	for (int i = 0; i < CASES; i++) {
		exprs[i] = generate(&seed);
		buf_c(&script, "unset ${!a*} ${!b*} ${!x*} ${!y*} ${!z*} ${!u*} ${!r*}\na=5 b=2 x=-3 y=0 "
				"z=a+b\nr=(3 4 1 b)\ne=");
		real_quote(&script, exprs[i]);
		buf_c(&script,
		"\nlet zz=e\nprintf '%s|' \"${zz-ERR}\" \"$a\" \"$b\" \"$x\" \"$y\" \"$z\" \"$u\" "
		"\"${r[0]}\" \"${r[1]}\" \"${r[2]}\" \"${r[3]}\"\necho\n");
	}
	out = real_script(&A, "bash", buf_view(&script));
	for (int i = 0; i < CASES; i++) {
		static const char *const names[] = {"a", "b", "x", "y", "z", "u"},
				*const start[] = {"5", "2", "-3", "0", "a+b", ""};
		struct str real = real_piece(&out, "\n"), got;
		struct store st;
		struct number v;
		struct buf b;

		store_init(&st);
		for (int k = 0; k < 6; k++)
			*slot(&st, str_of(names[k])) = str_of(start[k]);
		st.r[0] = STR("3"), st.r[1] = STR("4"), st.r[2] = STR("1"), st.r[3] = STR("b");
		v = arith_eval(&st.ar, exprs[i]);
		buf_init(&b, &A, 0);
		if (v.known)
			buf_fmt(&b, "%lld|", (long long)v.n);
		else
			buf_c(&b, st.ar.error ? "ERR|" : "?|");
		errors += st.ar.error;
		for (int k = 0; k < 6; k++)
			buf_str(&b, *slot(&st, str_of(names[k]))), buf_c(&b, "|");
		for (int k = 0; k < 4; k++)
			buf_str(&b, st.r[k]), buf_c(&b, "|");
		got = buf_view(&b);
		if (str_eq(got, real) || st.bad)
			continue;
		/*
		 * a negative exponent where nothing is evaluated: an error in 5.2, none in 5.3; ours covers
		 * both
		 */
		if (str_starts(real, "ERR|") && v.known && str_contains(exprs[i], STR("**")) &&
				skipped++ < CASES / 500)
			continue;
		unit_fail(__FILE__, __LINE__, "bash differs");
		unit_bytes("expr", exprs[i]);
		unit_bytes(" got", got);
		unit_bytes("real", real);
	}
	CHECK_INT(out.n, 0);
	CHECK(errors > CASES / 10 && errors < CASES * 9 / 10); /* the generator makes both kinds */
	printf("# %d expressions, %d of them errors\n", CASES, errors);
}

static void test_any_bytes(void)
{
	uint64_t seed = 5;
	char text[40];

	for (int i = 0; i < 100000; i++) {
		struct store st;
		size_t n = real_rand(&seed, sizeof(text));
		store_init(&st);
		st.fuel = 200;
		for (size_t k = 0; k < n; k++)
			text[k] = real_rand(&seed, 20) ? "ar10x+-*/%=<>!?:,&|^~()[]# \1\1"[real_rand(&seed,
					29)] : (char)real_rand(&seed, 256);
		CHECK(arith_eval(&st.ar, str_n(text, n)).known + (st.ar.error || st.ar.opaque) < 2);
	}
}

int main(void)
{
	arena_init(&A, (size_t)2 << 30);
	RUN(test_values);
	RUN(test_errors);
	RUN(test_lookups);
	RUN(test_holes);
	RUN(test_bounds);
	RUN(test_real);
	RUN(test_any_bytes);
	arena_free(&A);
	return unit_end();
}
