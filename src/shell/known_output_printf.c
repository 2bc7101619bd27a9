/*
 * printf of bash, dash and zsh over abstract texts. A conversion that is not modelled, or an argument that
 * printf would reject, makes the output unknown.
 */
#include "shell/escape.h"
#include "shell/known_output_row.h"

#define WIDTH_MAX 4096

struct printf_spec {
	bool left, zero, plus, space, alt;
	long width, precision; /* precision -1: none */
	char conv;
};

struct printf_state {
	struct arena *a;
	const struct word *args;
	size_t nargs, next;
	enum dialect d;
	struct buf out;
	bool stop;   /* \c: no more output */
	bool failed; /* the output is unknown */
};

static bool give_up(struct printf_state *j)
{
	j->failed = true;
	return false;
}

/* Takes the next argument; false if none is left. */
static bool take_argument(struct printf_state *j, struct str *ret)
{
	if (j->next >= j->nargs)
		return false;
	*ret = word_abstract(&j->args[j->next++]);
	return true;
}

static void put_padding(struct buf *b, char c, long n)
{
	for (; n > 0; n--)
		buf_char(b, c);
}

/*
 * Parses a whole number as strtoimax does with base 0. Negative numbers wrap as in unsigned conversions;
 * false if out of range.
 */
static bool parse_integer(struct str s, uint64_t *ret, bool *ret_negative)
{
	size_t i = 0;
	unsigned base = 10;
	uint64_t v = 0;

	if (s.n && (s.p[0] == '\'' || s.p[0] == '"')) {
		*ret = s.n > 1 ? (unsigned char)s.p[1] : 0;
		*ret_negative = false;
		return s.n == 2 && *ret < 0x80;
	}
	while (i < s.n && ascii_is_blank(s.p[i]))
		i++;
	*ret_negative = i < s.n && s.p[i] == '-';
	i += i < s.n && (s.p[i] == '-' || s.p[i] == '+');
	if (i + 2 < s.n && s.p[i] == '0' && (s.p[i + 1] == 'x' || s.p[i + 1] == 'X'))
		base = 16, i += 2;
	else if (i < s.n && s.p[i] == '0')
		base = 8;
	if (i >= s.n)
		return false;
	for (; i < s.n; i++) {
		char c = s.p[i];
		unsigned digit = ascii_is_digit(c) ? (unsigned)(c - '0') : c >= 'a' &&
				c <= 'f' ? (unsigned)(c - 'a') + 10
			: c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 99;

		if (digit >= base || v > ((uint64_t)INT64_MAX - digit) / base)
			return false;
		v = v * base + digit;
	}
	*ret = *ret_negative ? -v : v;
	return true;
}

static struct str digits_of(struct arena *a, uint64_t v, char conv)
{
	return str_fmt(a, conv == 'o' ? "%llo" : conv == 'x' ? "%llx" : conv == 'X' ? "%llX" : "%llu",
			(unsigned long long)v);
}

static bool is_bare(const struct printf_spec *s)
{
	return !s->width && s->precision < 0 && !s->zero && !s->plus && !s->space && !s->alt;
}

/* Returns the sign, or the prefix for #. False: the combination is not modelled. */
static bool sign_of(const struct printf_spec *s, uint64_t v, bool negative, long digits, const char **ret)
{
	bool is_signed = s->conv == 'd' || s->conv == 'i';

	*ret = "";
	if (is_signed)
		*ret = negative && v ? "-" : s->plus ? "+" : s->space ? " " : "";
	if (!s->alt)
		return true;
	if (s->conv == 'o' && s->precision > digits)
		return false;
	if (v && s->conv == 'x')
		*ret = "0x";
	else if (v && s->conv == 'X')
		*ret = "0X";
	else if (v && s->conv == 'o')
		*ret = "0";
	return true;
}

/* Adds sign and digits in a field of the given width and precision. */
static void put_number(struct buf *out, const struct printf_spec *s, const char *sign, struct str text)
{
	long digits = (long)text.n, n = (long)strlen(sign) + (s->precision > digits ? s->precision : digits);
	bool zeros = s->zero && s->precision < 0;

	if (!s->left && !zeros)
		put_padding(out, ' ', s->width - n);
	buf_c(out, sign);
	if (!s->left && zeros)
		put_padding(out, '0', s->width - n);
	put_padding(out, '0', s->precision - digits);
	buf_str(out, text);
	if (s->left)
		put_padding(out, ' ', s->width - n);
}

static bool put_integer(struct printf_state *j, const struct printf_spec *s)
{
	bool negative, is_signed = s->conv == 'd' || s->conv == 'i';
	struct str arg = STR("0"), text;
	const char *sign;
	uint64_t v;

	if (take_argument(j, &arg) && !text_exact(arg)) {
		if (!is_signed || !is_bare(s) || j->d == DIALECT_ZSH)
			return give_up(j);
		buf_char(&j->out, HOLE_NUM); /* in any case a number is written: 0 after an error message */
		return true;
	}
	if (!arg.n && j->d == DIALECT_BASH)
		arg = STR("0");
	if (j->d == DIALECT_ZSH && (!arg.n || arg.p[0] < '1' || arg.p[0] > '9'))
		return give_up(j); /* zsh evaluates an expression, and 010 is ten */
	if (!parse_integer(arg, &v, &negative) || (s->precision == 0 && v == 0))
		return give_up(j);
	text = digits_of(j->a, is_signed && negative ? -v : v, s->conv);
	if (!sign_of(s, v, negative, (long)text.n, &sign))
		return give_up(j);
	put_number(&j->out, s, sign, text);
	return true;
}

/* Holes in the text stay if the field has no width or precision; otherwise the text becomes one hole. */
static bool put_text(struct printf_state *j, const struct printf_spec *s, struct str text)
{
	if (s->width || s->precision >= 0) {
		if (!text_exact(text))
			text = str_n("\0", 1);
		else if (!str_is_ascii(text))
			return give_up(j);
		else if (s->precision >= 0)
			text = str_first(text, (size_t)s->precision);
	}
	if (!s->left)
		put_padding(&j->out, ' ', s->width - (long)text.n);
	buf_str(&j->out, text);
	if (s->left)
		put_padding(&j->out, ' ', s->width - (long)text.n);
	return true;
}

/* The padding of a text with holes is unknown, so a field with a width becomes one hole. */
static bool put_string(struct printf_state *j, const struct printf_spec *s)
{
	struct str arg = STR("");
	struct printf_spec plain = *s;

	take_argument(j, &arg);
	if (!text_exact(arg) && (s->width || s->precision >= 0)) {
		buf_char(&j->out, HOLE_ANY);
		return true;
	}
	plain.zero = false;
	return put_text(j, &plain, arg);
}

static bool put_escaped(struct printf_state *j, const struct printf_spec *s)
{
	struct str arg = STR(""), text;
	bool stop = false;

	take_argument(j, &arg);
	if (!text_exact(arg)) {
		/* an escape in it may also end all output: only the part before is certain */
		size_t n = 0;
		while (arg.p[n] != '\\' && !text_hole(arg.p[n]))
			n++;
		if (is_bare(s))
			buf_str(&j->out, str_first(arg, n));
		buf_char(&j->out, HOLE_ANY);
		j->stop = true;
		return true;
	}
	text = escape_decode(j->a, arg, j->d == DIALECT_SH ? ESCAPE_DASH : ESCAPE_B, &stop);
	if (!text_exact(text) && !is_bare(s))
		return give_up(j);
	put_text(j, s, text);
	j->stop = stop;
	return true;
}

static bool put_char(struct printf_state *j, const struct printf_spec *s)
{
	struct str arg = STR("");

	take_argument(j, &arg);
	if (!text_exact(arg) || !arg.n || s->precision >= 0) {
		if (!is_bare(s))
			return give_up(j);
		buf_char(&j->out, HOLE_ANY);
		return true;
	}
	return put_text(j, s, str_first(arg, 1));
}

/* Parses a number in the format, or takes an argument for *. */
static bool parse_field(struct printf_state *j, struct str f, size_t *i, long *ret)
{
	long v = 0;

	if (*i < f.n && f.p[*i] == '*') {
		struct str arg = STR("0");
		uint64_t u;
		bool negative;

		++*i;
		take_argument(j, &arg);
		if (!text_exact(arg) || !parse_integer(arg, &u, &negative) || (int64_t)u > WIDTH_MAX ||
				(int64_t)u < -WIDTH_MAX)
			return give_up(j);
		*ret = (long)(int64_t)u;
		return true;
	}
	for (; *i < f.n && ascii_is_digit(f.p[*i]) && v <= WIDTH_MAX; ++*i)
		v = v * 10 + (f.p[*i] - '0');
	*ret = v;
	return v <= WIDTH_MAX ? true : give_up(j);
}

/* f[*i] follows the %. */
static bool parse_spec(struct printf_state *j, struct str f, size_t *i, struct printf_spec *s)
{
	*s = (struct printf_spec){.precision = -1};
	for (; *i < f.n && memchr("-0+ #", f.p[*i], 5); ++*i) {
		s->left |= f.p[*i] == '-';
		s->zero |= f.p[*i] == '0';
		s->plus |= f.p[*i] == '+';
		s->space |= f.p[*i] == ' ';
		s->alt |= f.p[*i] == '#';
	}
	if (!parse_field(j, f, i, &s->width))
		return false;
	if (s->width < 0) {
		s->left = true;
		s->width = -s->width;
	}
	if (*i < f.n && f.p[*i] == '.') {
		++*i;
		if (!parse_field(j, f, i, &s->precision) || s->precision < 0)
			return give_up(j);
	}
	while (j->d == DIALECT_BASH && *i < f.n && memchr("hlLjzt", f.p[*i], 6))
		++*i;
	if (*i >= f.n)
		return give_up(j);
	s->conv = f.p[(*i)++];
	return true;
}

static bool convert_argument(struct printf_state *j, const struct printf_spec *s)
{
	switch (s->conv) {
	case '%':
		return is_bare(s) && !s->left ? (buf_char(&j->out, '%'), true) : give_up(j);
	case 's':
		return put_string(j, s);
	case 'b':
		return j->d == DIALECT_ZSH ? give_up(j) : put_escaped(j, s);
	case 'c':
		return put_char(j, s);
	case 'd': case 'i': case 'o': case 'u': case 'x': case 'X':
		return put_integer(j, s);
	default:
		return give_up(j);
	}
}

/* True for an escape on which zsh may differ: only the common ones are modelled. */
static bool odd_escape(const struct printf_state *j, struct str f, size_t i)
{
	return j->d == DIALECT_ZSH && (i >= f.n || !memchr("nt\\", f.p[i], 3));
}

static void format_once(struct printf_state *j, struct str f)
{
	struct printf_spec s;

	for (size_t i = 0; i < f.n && !j->stop && !j->failed;) {
		char c = f.p[i++];

		if (c == '%') {
			if (!parse_spec(j, f, &i, &s) || !convert_argument(j, &s))
				return;
		} else if (c == '\\') {
			if (odd_escape(j, f, i))
				give_up(j);
			else
				escape_one(&j->out, f, &i, j->d == DIALECT_SH ? ESCAPE_DASH_FORMAT :
						ESCAPE_FORMAT);
		} else {
			buf_char(&j->out, c);
		}
		if (j->out.n > OUTPUT_MAX)
			give_up(j);
	}
}

bool output_printf(struct arena *a, const struct word *argv, size_t argc, enum dialect d, struct str *ret)
{
	struct printf_state j = {.a = a, .args = argv + 1, .nargs = argc - 1, .d = d};
	struct str format;

	if (!argc || d == DIALECT_POWERSHELL)
		return false;
	for (size_t i = 0; i < argc; i++)
		if (argv[i].kind == WORD_REST)
			return false;
	format = word_abstract(&argv[0]);
	if (!text_exact(format))
		return false;
	buf_init(&j.out, a, 0);
	do {
		size_t before = j.next;

		format_once(&j, format);
		if (j.next == before)
			break;
	} while (j.next < j.nargs && !j.stop && !j.failed);
	if (j.failed)
		return false;
	*ret = buf_view(&j.out);
	return true;
}
