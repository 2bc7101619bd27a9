/*
 * The output of commands: the table, echo, and the small commands. known_output_filter.c has the filters
 * (base64, tr, cut ...), known_output_printf.c has printf.
 */
#include "base/num.h"
#include "shell/escape.h"
#include "shell/known_output_row.h"

/* --- helpers --- */

static bool give_text(const struct output_call *c, struct str *ret, const char *text, size_t n)
{
	*ret = str_dup(c->a, str_n(text, n));
	return true;
}

/* An unknown integer on a line. */
static bool some_number(const struct output_call *c, struct str *ret) { return give_text(c, ret, "\1\n", 2); }
static bool give_anything(const struct output_call *c, struct str *ret) { return give_text(c, ret, "\0", 1); }

/* True if this argument may be an option. A hole at its start may be a dash. */
static bool maybe_option(struct str s) { return s.n && (s.p[0] == '-' || text_hole(s.p[0])); }

/* True if there are min to max arguments from index `from` on, and none of them may be an option. */
static bool has_operands(const struct output_call *c, size_t from, size_t min, size_t max)
{
	if (c->argc < from || c->argc - from < min || c->argc - from > max)
		return false;
	for (size_t i = from; i < c->argc; i++)
		if (maybe_option(word_abstract(&c->argv[i])))
			return false;
	return true;
}

static bool arg_is(const struct output_call *c, size_t i, const char *text)
{
	return i < c->argc && str_is(word_abstract(&c->argv[i]), text);
}

/* --- echo --- */

struct echo {
	struct buf out;
	bool newline, escapes;
	enum escape_style style;
};

/* Parses an option of bash's echo: a dash and only n, e, E. */
static bool echo_option(struct echo *e, struct str s)
{
	if (s.n < 2 || s.p[0] != '-')
		return false;
	for (size_t i = 1; i < s.n; i++)
		if (!memchr("neE", s.p[i], 3))
			return false;
	for (size_t i = 1; i < s.n; i++) {
		if (s.p[i] == 'n')
			e->newline = false;
		else
			e->escapes = s.p[i] == 'e';
	}
	return true;
}

/*
 * True if the word, with its holes, could be an option of echo. HOLE_NUM contains a digit, which no option
 * does.
 */
static bool echo_maybe_option(struct str s)
{
	if (text_exact(s) || str_has(s, HOLE_NUM))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!text_hole(s.p[i]) && !memchr("-neE", s.p[i], 4))
			return false;
	return text_hole(s.p[0]) || s.p[0] == '-';
}

static bool has_backslash(struct str s) { return str_has(s, '\\'); }

/* Adds one word with escapes decoded. True: the rest is not printed (\c), or is unknown. */
static bool echo_escaped(struct arena *a, struct echo *e, struct str s)
{
	bool stop = false;
	size_t n = 0;

	if (text_exact(s)) {
		buf_str(&e->out, escape_decode(a, s, e->style, &stop));
		e->newline &= !stop;
		return stop;
	}
	if (!text_open(s) && !has_backslash(s)) {
		buf_str(&e->out, s);
		return false;
	}
	while (s.p[n] != HOLE_ANY && s.p[n] != HOLE_NAME && s.p[n] != '\\')
		n++;
	buf_str(&e->out, str_first(s, n));
	buf_char(&e->out, HOLE_ANY);
	e->newline = false;
	return true;
}

static bool echo_words(const struct output_call *c, size_t from, struct echo *e, struct str *ret)
{
	for (size_t i = from; i < c->argc; i++) {
		struct str s = word_abstract(&c->argv[i]);

		if (i > from)
			buf_char(&e->out, ' ');
		if (!e->escapes)
			buf_str(&e->out, s);
		else if (echo_escaped(c->a, e, s))
			break;
	}
	if (e->newline)
		buf_char(&e->out, '\n');
	*ret = buf_view(&e->out);
	return true;
}

/*
 * argv[at] may or may not be an option. If the words after it are plain, their text is certain; a blank
 * before and a newline after are not.
 */
static bool echo_unsure(const struct output_call *c, size_t at, struct str *ret)
{
	struct buf out;

	for (size_t i = at + 1; i < c->argc; i++) {
		struct str s = word_abstract(&c->argv[i]);
		if (has_backslash(s) || maybe_option(s) || text_open(s))
			return give_anything(c, ret);
	}
	buf_init(&out, c->a, 0);
	buf_char(&out, HOLE_ANY);
	for (size_t i = at + 1; i < c->argc; i++) {
		if (i > at + 1)
			buf_char(&out, ' ');
		buf_str(&out, word_abstract(&c->argv[i]));
	}
	if (c->argc > at + 1)
		buf_char(&out, HOLE_ANY);
	*ret = buf_view(&out);
	return true;
}

/*
 * zsh's echo and the echo of coreutils are modelled only where all agree: plain words, after at most one -n.
 */
static bool echo_plain(const struct output_call *c)
{
	size_t words = arg_is(c, 0, "-n");

	for (size_t k = 0; k < c->argc; k++) {
		struct str s = word_abstract(&c->argv[k]);

		if (has_backslash(s) || text_open(s) || (k == words && maybe_option(s)))
			return false;
	}
	return true;
}

/* dash: only a first word -n is an option, and escapes are always decoded. */
static bool echo_dash(const struct output_call *c, struct str *ret)
{
	struct echo e = {.newline = true, .escapes = true, .style = ESCAPE_DASH};
	size_t i = arg_is(c, 0, "-n");

	if (c->argc && echo_maybe_option(word_abstract(&c->argv[0])))
		return give_anything(c, ret);
	e.newline = !i;
	buf_init(&e.out, c->a, 0);
	return echo_words(c, i, &e, ret);
}

static bool echo(const struct output_call *c, struct str *ret)
{
	struct echo e = {.newline = true, .style = ESCAPE_ECHO};
	size_t i = 0;

	if ((c->env->dialect == DIALECT_ZSH || c->env->external) && !echo_plain(c))
		return false;
	if (c->env->dialect == DIALECT_SH && !c->env->external)
		return echo_dash(c, ret);
	buf_init(&e.out, c->a, 0);
	for (; i < c->argc; i++) {
		struct str s = word_abstract(&c->argv[i]);

		if (echo_maybe_option(s))
			return i ? give_anything(c, ret) : echo_unsure(c, i, ret);
		if (!echo_option(&e, s))
			break;
	}
	return echo_words(c, i, &e, ret);
}

static bool printf_row(const struct output_call *c, struct str *ret)
{
	size_t from = arg_is(c, 0, "--");

	if (c->argc <= from || (!from && maybe_option(word_abstract(&c->argv[0]))))
		return false;
	for (size_t i = 0; c->env->external && i < c->argc; i++)
		if (has_backslash(word_abstract(&c->argv[i])) &&
				!(i == from && str_is(word_abstract(&c->argv[i]), "%s\\n")))
			return false;
	return output_printf(c->a, c->argv + from, c->argc - from, c->env->dialect, ret);
}

/* --- copied input, empty output --- */

static bool cat(const struct output_call *c, struct str *ret)
{
	for (size_t i = 0; i < c->argc; i++)
		if (!arg_is(c, i, "-"))
			return false;
	if (!c->env->in)
		return false;
	*ret = *c->env->in;
	return true;
}

static bool tee(const struct output_call *c, struct str *ret)
{
	size_t from = arg_is(c, 0, "-a") || arg_is(c, 0, "-i") || arg_is(c, 0, "--");

	if (!c->env->in || !has_operands(c, from, 0, SIZE_MAX))
		return false;
	for (size_t i = from; i < c->argc; i++)
		if (str_starts(word_abstract(&c->argv[i]), "/dev/") || str_starts(word_abstract(&c->argv[i]),
				"/proc/"))
			return false; /* may be the output itself */
	*ret = *c->env->in;
	return true;
}

static bool nothing(const struct output_call *c, struct str *ret)
{
	if (c->env->external && c->argc)
		return false; /* such as --help */
	return give_text(c, ret, "", 0);
}

static bool pwd(const struct output_call *c, struct str *ret)
{
	bool logical = !c->env->external && (c->argc == 0 || (c->argc == 1 && arg_is(c, 0, "-L")));

	if (c->argc > 1 || (c->argc && !arg_is(c, 0, "-L") && !arg_is(c, 0, "-P")))
		return false;
	*ret = str_cat(c->a, logical && c->env->cwd.n ? c->env->cwd : str_n("\0", 1), STR("\n"));
	return true;
}

/* --- names --- */

static struct str strip_slashes(struct str s)
{
	while (s.n > 1 && s.p[s.n - 1] == '/')
		s.n--;
	return s;
}

static size_t after_last_slash(struct str s)
{
	return s.n - str_base(s).n;
}

static bool basename_row(const struct output_call *c, struct str *ret)
{
	struct str s, suffix, base;

	if (!has_operands(c, 0, 1, 2))
		return false;
	s = strip_slashes(word_abstract(&c->argv[0]));
	suffix = c->argc > 1 ? word_abstract(&c->argv[1]) : STR("");
	base = str_is(s, "/") ? s : str_from(s, after_last_slash(s));
	if ((str_has(base, HOLE_ANY)) || (str_has(s, HOLE_ANY)) ||
			!text_exact(suffix))
		return false;
	for (size_t i = 0; i < suffix.n && i < base.n; i++)
		if (text_hole(base.p[base.n - 1 - i]))
			return false; /* the end of the name is unknown */
	if (base.n > suffix.n && suffix.n && str_eq(str_from(base, base.n - suffix.n), suffix) &&
			!str_is(base, "/"))
		base.n -= suffix.n;
	*ret = str_cat(c->a, base, STR("\n"));
	return true;
}

static bool dirname_row(const struct output_call *c, struct str *ret)
{
	struct str s;
	size_t slash;

	if (!has_operands(c, 0, 1, 1) ||
		str_has(word_abstract(&c->argv[0]), HOLE_ANY))
		return false;
	s = strip_slashes(word_abstract(&c->argv[0]));
	slash = after_last_slash(s);
	s = slash ? strip_slashes(str_first(s, slash)) : STR(".");
	*ret = str_cat(c->a, s, STR("\n"));
	return true;
}

/* --- numbers --- */

/* Parses a plain decimal without a leading zero, which seq and expr print unchanged. */
static bool plain_number(struct str s, int64_t *ret)
{
	size_t i = s.n && s.p[0] == '-';

	if (i >= s.n || (s.p[i] == '0' && (s.n > i + 1 || i)))
		return false;
	return num_parse(s, -1000000000000, 1000000000000, ret) == 0;
}

static bool seq(const struct output_call *c, struct str *ret)
{
	int64_t v[3] = {1, 1, 0}, n[3];
	size_t from = 0, count;
	struct str sep = STR("\n");
	struct buf out;

	if (!output_exact(c))
		return false;
	if (arg_is(c, 0, "-s") && c->argc > 1) {
		sep = word_abstract(&c->argv[1]);
		from = 2;
	}
	count = c->argc - from;
	if (count < 1 || count > 3)
		return false;
	for (size_t i = 0; i < count; i++)
		if (!plain_number(word_abstract(&c->argv[from + i]), &n[i]))
			return false;
	v[2] = n[count - 1];
	v[0] = count > 1 ? n[0] : 1;
	v[1] = count > 2 ? n[1] : 1;
	if (!v[1] || (v[2] - v[0]) / v[1] > 100000)
		return false;
	buf_init(&out, c->a, 0);
	for (int64_t x = v[0]; v[1] > 0 ? x <= v[2] : x >= v[2]; x += v[1]) {
		if (x != v[0])
			buf_str(&out, sep);
		buf_fmt(&out, "%lld", (long long)x);
	}
	if (out.n)
		buf_char(&out, '\n');
	*ret = buf_view(&out);
	return true;
}

static bool expr_row(const struct output_call *c, struct str *ret)
{
	int64_t x, y, r;
	struct str op;

	if (c->argc != 3)
		return false;
	op = word_abstract(&c->argv[1]);
	if (op.n != 1 || !memchr("+-*/%", op.p[0], 5))
		return false;
	for (int i = 0; i < 3; i += 2) {
		struct str s = word_abstract(&c->argv[i]);
		if (s.n == 1 && s.p[0] == HOLE_NUM)
			return some_number(c, ret);
		if (!plain_number(s, i ? &y : &x))
			return false;
	}
	if (__builtin_mul_overflow(x, op.p[0] == '*' ? y : 1, &r) ||
			((op.p[0] == '/' || op.p[0] == '%') && y == 0))
		return false;
	r = op.p[0] == '+' ? x + y : op.p[0] == '-' ? x - y : op.p[0] == '/' ? x / y : op.p[0] == '%' ?
			x % y : r;
	*ret = str_fmt(c->a, "%lld\n", (long long)r);
	return true;
}

static bool wc(const struct output_call *c, struct str *ret)
{
	struct str in;
	size_t lines = 0, words = 0;
	bool blank = true;
	char what;

	if (c->argc != 1 || !(arg_is(c, 0, "-l") || arg_is(c, 0, "-c") || arg_is(c, 0, "-w")))
		return false;
	if (!output_input(c, &in) || !str_is_ascii(in))
		return some_number(c, ret);
	what = c->argv[0].text.p[1];
	for (size_t i = 0; i < in.n; i++) {
		bool now = in.p[i] == ' ' || (in.p[i] >= 9 && in.p[i] <= 13);
		if (what == 'w' && ((unsigned char)in.p[i] < 9 || (in.p[i] > 13 && in.p[i] < 32) ||
				in.p[i] == 127))
			return some_number(c, ret);
		lines += in.p[i] == '\n';
		words += blank && !now;
		blank = now;
	}
	*ret = str_fmt(c->a, "%zu\n", what == 'l' ? lines : what == 'w' ? words : in.n);
	return true;
}

/* grep -c prints one number, unless there are several files. */
static bool grep(const struct output_call *c, struct str *ret)
{
	size_t i = 0;
	bool counts = false;

	for (; i < c->argc; i++) {
		struct str s = word_abstract(&c->argv[i]);
		if (s.n < 2 || s.p[0] != '-')
			break;
		for (size_t k = 1; k < s.n; k++) {
			if (!memchr("ciEFGvwx", s.p[k], 8))
				return false;
			counts |= s.p[k] == 'c';
		}
	}
	return counts && has_operands(c, i, 1, 2) && some_number(c, ret);
}

static bool no_args_number(const struct output_call *c, struct str *ret)
{
	return c->argc == 0 && some_number(c, ret);
}

static bool id(const struct output_call *c, struct str *ret)
{
	return c->argc == 1 && (arg_is(c, 0, "-u") || arg_is(c, 0, "-g")) && some_number(c, ret);
}

static bool stat_row(const struct output_call *c, struct str *ret)
{
	static const char formats[][4] = {"%s", "%Y", "%X", "%Z", "%u", "%g", "%i", "%h", "%b"};

	if (c->argc != 3 || !arg_is(c, 0, "-c") || !has_operands(c, 2, 1, 1))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (arg_is(c, 1, formats[i]))
			return some_number(c, ret);
	return false;
}

/*
 * True if the format prints a name: conversions and separators without a slash, at least one digit, no dash
 * at the start.
 */
static bool date_name(struct str f)
{
	bool digits = false;

	for (size_t i = 1; i < f.n; i++) {
		char x = f.p[i], y = i + 1 < f.n ? f.p[i + 1] : 0;
		bool letter = ascii_is_alnum(x);

		if (x == '%' && y && memchr("aAbBdeFgGhHIjklmMNpPRsSTuUVwWyYZ", y, 32)) {
			digits |= !memchr("aAbBhpPZ", y, 8);
			i++;
		} else if (!letter && !memchr("_.:-+ ", x, 6)) {
			return false;
		}
	}
	return digits && f.n > 1 && f.p[1] != '-';
}

/*
 * date +FORMAT of digits and separators. Fields with leading zeros are allowed only after a year, so that no
 * number starts with zero.
 */
static bool date(const struct output_call *c, struct str *ret)
{
	struct str f;
	struct buf out;
	size_t i = arg_is(c, 0, "-u");

	if (c->argc != i + 1 || !output_exact(c))
		return false;
	f = word_abstract(&c->argv[i]);
	if (str_is_any(f, "-I --iso-8601"))
		f = STR("+%F");
	if (f.n < 2 || f.p[0] != '+')
		return false;
	for (size_t k = 1; k < f.n && date_name(f); k++) /* formats that HOLE_NUM cannot describe below */
		if ((f.p[k] == '%' && k + 1 < f.n && !memchr("sYmdHMSNjFT", f.p[k + 1], 11)) ||
				(f.p[k] != '%' && f.p[k - 1] != '%' && !memchr("-_.T:", f.p[k], 5)))
			return give_text(c, ret, "\2\n", 2);
	if (!str_starts(f, "+%s") && !str_starts(f, "+%Y") && !str_is(f, "+%F"))
		return date_name(f) && give_text(c, ret, "\2\n", 2);
	buf_init(&out, c->a, 0);
	for (size_t k = 1; k < f.n; k++) {
		char x = f.p[k], y = k + 1 < f.n ? f.p[k + 1] : 0;

		if (x != '%') {
			if (!memchr("-_.T:/", x, 6))
				return false;
			buf_char(&out, x);
			continue;
		}
		k++;
		if (y == 'F')
			buf_add(&out, "\1-\1-", 4);
		else if (y == 'T')
			buf_add(&out, "\1:\1:", 4);
		else if (!y || !memchr("sYmdHMSNj", y, 9))
			return false;
		if (!out.n || buf_view(&out).p[out.n - 1] != HOLE_NUM)
			buf_char(&out, HOLE_NUM);
	}
	buf_char(&out, '\n');
	*ret = buf_view(&out);
	return true;
}

/* --- names --- */

static bool some_name(const struct output_call *c, struct str *ret) { return give_text(c, ret, "\2\n", 2); }
static bool no_args_name(const struct output_call *c, struct str *ret)
{
	return c->argc == 0 && some_name(c, ret);
}

static bool uname(const struct output_call *c, struct str *ret)
{
	bool one = c->argc == 0 ||
			(c->argc == 1 && (arg_is(c, 0, "-s") || arg_is(c, 0, "-m") || arg_is(c, 0, "-r") ||
			arg_is(c, 0, "-n")));

	return one && some_name(c, ret);
}

/* mktemp's name: the last run of at least three X becomes letters and digits. */
static bool temporary(const struct output_call *c, struct str dir, struct str template, struct str *ret)
{
	size_t to = template.n, from;

	while (to && template.p[to - 1] != 'X' && template.p[to - 1] != '/')
		to--;
	for (from = to; from && template.p[from - 1] == 'X'; from--)
		;
	if (to - from < 3 || (str_has(template, HOLE_ANY)))
		return false;
	*ret = str_cat(c->a, str_cat(c->a, dir, str_first(template, from)),
			str_cat(c->a, STR("\2"), str_cat(c->a, str_from(template, to),
			STR("\n"))));
	return true;
}

static bool mktemp_row(const struct output_call *c, struct str *ret)
{
	size_t i = 0;
	bool in_tmp = false;

	for (; i < c->argc && (arg_is(c, i, "-d") || arg_is(c, i, "-q") || arg_is(c, i, "-u") ||
			arg_is(c, i, "-t") || arg_is(c, i, "-dt")); i++)
		in_tmp |= arg_is(c, i, "-t") || arg_is(c, i, "-dt");
	if (c->argc > i + 1 || (i == c->argc && in_tmp) || ((i == c->argc || in_tmp) && !c->env->tmp.n))
		return false;
	if (i == c->argc)
		return temporary(c, c->env->tmp, STR("/tmp.XXXXXXXXXX"), ret);
	if (maybe_option(word_abstract(&c->argv[i])) ||
			(in_tmp && str_has(word_abstract(&c->argv[i]), '/')))
		return false;
	return temporary(c, in_tmp ? str_cat(c->a, c->env->tmp, STR("/")) : STR(""),
			word_abstract(&c->argv[i]), ret);
}

/* --- the table --- */

static const struct output_entry {
	const char *name;
	output_fn *fn;
} rows[] = {
	{":", nothing},          {"[", nothing},          {"base32", output_base32},
	{"base64", output_base64}, {"basename", basename_row},
	{"cat", cat},            {"cut", output_cut},     {"date", date},            {"dirname", dirname_row},
	{"echo", echo},
	{"expr", expr_row},      {"false", nothing},      {"grep", grep},            {"head", output_head},
	{"id", id},
	{"hostname", no_args_name}, {"mktemp", mktemp_row},    {"nproc", no_args_number},
	{"printf", printf_row}, {"pwd", pwd},             {"rev", output_rev},       {"seq", seq},
	{"stat", stat_row},      {"tac", output_tac},     {"tail", output_tail},     {"tee", tee},
	{"test", nothing},
	{"tr", output_tr},       {"true", nothing},       {"uname", uname},          {"wc", wc},
	{"xxd", output_xxd},
};

bool output_of(struct arena *a, const struct word *argv, size_t argc, const struct output_env *env,
		struct str *ret)
{
	struct output_call c = {.a = a, .env = env, .argv = argv + 1, .argc = argc - 1};

	if (!argc || env->dialect == DIALECT_POWERSHELL || argv[0].kind != WORD_EXACT)
		return false;
	for (size_t i = 1; i < argc; i++)
		if (argv[i].kind == WORD_REST)
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (str_is(argv[0].text, rows[i].name))
			return rows[i].fn(&c, ret);
	return false;
}
