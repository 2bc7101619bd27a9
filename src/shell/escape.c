/*
 * Backslash escapes, for the six places that decode them in slightly different ways. One row per place lists
 * the forms that it knows; an unknown escape keeps its backslash.
 */
#include "shell/escape.h"

#include "model/facts.h"

enum octal { OCTAL_PLAIN, OCTAL_ZERO_ONLY, OCTAL_BOTH, OCTAL_DASH };

struct escape_rules {
	char simple[12]; /* letters; simple_value() has their values */
	enum octal octal;
	bool hex, brace, quotes, control, stops, nul_ends;
};

static const struct escape_rules styles[] = {
	[ESCAPE_ANSI_C] = {"abeEfnrtv\\", OCTAL_PLAIN, .hex = true, .brace = true, .quotes = true,
			.control = true, .nul_ends = true},
	[ESCAPE_ECHO] = {"abeEfnrtv\\", OCTAL_ZERO_ONLY, .hex = true, .stops = true},
	[ESCAPE_DASH] = {"abefnrtv\\", OCTAL_DASH, .stops = true},
	[ESCAPE_FORMAT] = {"abeEfnrtv\\", OCTAL_PLAIN, .hex = true, .quotes = true},
	[ESCAPE_DASH_FORMAT] = {"abefnrtv\\", OCTAL_PLAIN, .hex = false},
	[ESCAPE_B] = {"abeEfnrtv\\", OCTAL_BOTH, .hex = true, .stops = true},
};

static int simple_value(char c)
{
	static const char from[] = "abeEfnrtv\\", to[] = "\a\b\033\033\f\n\r\t\v\\";
	return to[strchr(from, c) - from];
}

/* Reads up to max digits of the base from s[*i]; returns their number. */
static size_t read_digits(struct str s, size_t *i, unsigned base, size_t max, uint64_t *ret)
{
	size_t n = 0;
	uint64_t v = 0;

	for (; n < max && *i < s.n && (unsigned)ascii_hex_value(s.p[*i]) < base; n++)
		v = v * base + (unsigned)ascii_hex_value(s.p[(*i)++]);
	*ret = v;
	return n;
}

static bool octal_digit(struct str s, size_t i) { return i < s.n && s.p[i] >= '0' && s.p[i] <= '7'; }

static void put_byte(struct buf *out, unsigned c) { buf_char(out, (char)(c & 0xff)); }

/* bash's encoder also writes the old five and six byte forms and surrogates, which utf8_put() does not. */
static void put_wide(struct buf *out, uint64_t v)
{
	static const struct { uint32_t limit; unsigned char lead; int more; } forms[] = {
		{0x80, 0, 0}, {0x800, 0xc0, 1}, {0x10000, 0xe0, 2}, {0x200000, 0xf0, 3}, {0x4000000, 0xf8, 4},
		{0x80000000u, 0xfc, 5},
	};
	for (size_t f = 0; f < ARRAY_SIZE(forms); f++) {
		if (v >= forms[f].limit)
			continue;
		put_byte(out, (unsigned)(forms[f].lead | (v >> (6 * forms[f].more))));
		for (int k = forms[f].more - 1; k >= 0; k--)
			put_byte(out, (unsigned)(0x80 | ((v >> (6 * k)) & 0x3f)));
		return;
	}
}

/* s[*i] is the first octal digit. False if this style has no octal escape of that form. */
static bool decode_octal(struct buf *out, struct str s, size_t *i, enum octal kind)
{
	bool zero = s.p[*i] == '0';
	size_t max = 3;
	uint64_t v;

	if (kind == OCTAL_ZERO_ONLY && !zero)
		return false;
	if (kind == OCTAL_DASH && zero && octal_digit(s, *i + 1))
		++*i;
	else if (zero && (kind == OCTAL_ZERO_ONLY || kind == OCTAL_BOTH))
		max = 4;
	read_digits(s, i, 8, max, &v);
	put_byte(out, (unsigned)v);
	return true;
}

/* s[*i] is the x. The brace form takes any number of digits; without digits it is a NUL. */
static bool decode_hex(struct buf *out, struct str s, size_t *i, bool brace)
{
	size_t at = *i + 1;
	uint64_t v;

	if (brace && at < s.n && s.p[at] == '{') {
		at++;
		read_digits(s, &at, 16, s.n, &v); /* only the low byte counts, so wrapping is harmless */
		if (at < s.n && s.p[at] == '}')
			at++;
	} else if (!read_digits(s, &at, 16, 2, &v)) {
		return false;
	}
	*i = at;
	put_byte(out, (unsigned)v & 0xff);
	return true;
}

static bool decode_wide(struct buf *out, struct str s, size_t *i)
{
	size_t at = *i + 1;
	uint64_t v;

	if (!read_digits(s, &at, 16, s.p[*i] == 'u' ? 4 : 8, &v))
		return false;
	*i = at;
	put_wide(out, v);
	return true;
}

/* s[*i] is the c of \cX; if X is a backslash, it may be doubled. */
static bool decode_control(struct buf *out, struct str s, size_t *i)
{
	size_t at = *i + 1;
	unsigned c;

	if (at >= s.n)
		return false;
	c = (unsigned char)s.p[at++];
	if (c == (unsigned char)HOLE_ANY)
		c = 1; /* in source text, the hole stands for a byte 1 */
	if (c == '\\' && at < s.n && s.p[at] == '\\')
		at++;
	if (c == 0x7f) { /* bash internally prefixes this byte with a byte 1, and \c consumes the prefix */
		*i = at - 1;
		put_byte(out, 1);
		return true;
	}
	*i = at;
	put_byte(out, c == '?' ? 0x7f : c & 0x1f);
	return true;
}

/* As escape_one(), but writes a byte 0 or 1 made by the escape as is. */
static bool raw_one(struct buf *out, struct str s, size_t *i, enum escape_style style)
{
	const struct escape_rules *st = &styles[style];
	char c;

	if (*i >= s.n) {
		buf_char(out, '\\');
		return false;
	}
	c = s.p[*i];
	if (c && strchr(st->simple, c)) {
		buf_char(out, (char)simple_value(c));
		++*i;
		return false;
	}
	if (octal_digit(s, *i) && decode_octal(out, s, i, st->octal))
		return false;
	if (st->hex && ((c == 'x' && decode_hex(out, s, i, st->brace)) ||
			((c == 'u' || c == 'U') && decode_wide(out, s, i))))
		return false;
	if (c == 'c' && st->stops)
		return true;
	if (c == 'c' && st->control && decode_control(out, s, i))
		return false;
	if (!(st->quotes && (c == '\'' || c == '"' || c == '?')))
		buf_char(out, '\\');
	buf_char(out, c);
	++*i;
	return false;
}

/*
 * In abstract text the bytes 0, 1 and 2 are holes, so a real one becomes HOLE_ANY. Such a byte is always an
 * escape's only byte.
 */
static bool made_hole(struct buf *out, size_t before)
{
	if (out->n != before + 1 || !text_hole(out->p[before]))
		return false;
	out->p[before] = HOLE_ANY;
	return true;
}

bool escape_one(struct buf *out, struct str s, size_t *i, enum escape_style style)
{
	size_t before = out->n;
	bool stop = raw_one(out, s, i, style);

	made_hole(out, before);
	return stop;
}

struct str escape_decode(struct arena *a, struct str s, enum escape_style style, bool *ret_stop)
{
	struct buf out;

	if (!s.n || !str_has(s, '\\'))
		return s;
	buf_init(&out, a, 0);
	for (size_t i = 0; i < s.n;) {
		size_t before = out.n;

		if (s.p[i] != '\\') {
			buf_char(&out, s.p[i++]);
			continue;
		}
		i++;
		if (raw_one(&out, s, &i, style)) {
			if (ret_stop)
				*ret_stop = true;
			break;
		}
		if (styles[style].nul_ends && out.n == before + 1 && !out.p[before]) {
			out.n = before;
			break;
		}
		made_hole(&out, before);
	}
	return buf_view(&out);
}

struct str escape_ansi_c(struct arena *a, struct str s) { return escape_decode(a, s, ESCAPE_ANSI_C, NULL); }
