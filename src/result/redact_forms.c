/*
 * Encoded forms of values. Matching never backtracks and reads at most REDACT_MATCH_MAX bytes. See
 * redact_forms.h.
 */
#include "result/redact_forms.h"

#define TOKEN_MAX 8  /* length of one escaped byte */
#define TOKENS_MAX 24

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* ---- base64 ---- */

/*
 * Encodes the value after `before` (0 to 2) unknown bytes in its group of three. Only letters that depend on
 * the value alone are used.
 */
static struct form base64_of(struct arena *a, struct str v, size_t before)
{
	size_t from = (8 * before + 5) / 6, to = 8 * (before + v.n) / 6;
	char *p = arena_alloc(a, to - from);

	for (size_t i = from; i < to; i++) {
		unsigned bits = 0;

		for (size_t bit = 6 * i; bit < 6 * i + 6; bit++)
			bits = bits << 1 |
					(unsigned)((unsigned char)v.p[bit / 8 - before] >> (7 - bit % 8) & 1);
		p[i - from] = alphabet[bits];
	}
	return (struct form){.kind = FORM_BASE64, .text = str_n(p, to - from),
			.partial = 8 * (before + v.n) % 6};
}

static char standard_letter(char c) { return (char)(c == '-' ? '+' : c == '_' ? '/' : c); }

/* Length of a line break between letters: a newline, or JSON's escape for it. */
static size_t line_end(struct str s, size_t at)
{
	if (at < s.n && s.p[at] == '\n')
		return 1;
	return at + 1 < s.n && s.p[at] == '\\' && s.p[at + 1] == 'n' ? 2 : 0;
}

static bool ends_early(const struct candidate *c, size_t at)
{
	return at >= c->text.n && c->more && at < REDACT_MATCH_MAX;
}

static enum found match_base64(const struct form *f, const struct candidate *c, size_t *ret_to)
{
	struct str s = c->text;
	size_t at = 0;

	for (size_t i = 0; i < f->text.n; i++) {
		if (i && at < s.n && standard_letter(s.p[at]) != f->text.p[i]) {
			if (at + 1 == s.n && s.p[at] == '\\' && c->more)
				return FOUND_MORE;
			at += line_end(s, at);
		}
		if (ends_early(c, at))
			return FOUND_MORE;
		if (at >= s.n || standard_letter(s.p[at]) != f->text.p[i])
			return FOUND_NO;
		at++;
	}
	if (ends_early(c, at))
		return FOUND_MORE;
	if (f->partial && at < s.n && standard_letter(s.p[at]) != '=' &&
			strchr(alphabet, standard_letter(s.p[at])) && s.p[at])
		at++;
	*ret_to = at;
	return FOUND_YES;
}

/* ---- hexadecimal ---- */

/* Between two bytes; longer ones first. */
static const char separators[][8] = {", 0x", ",0x", " 0x", "\\x", " ", ":", "-", "\n", "%", ","};
#define SEPARATOR_MAX 4

static size_t separator_length(struct str s, size_t at)
{
	for (size_t i = 0; i < ARRAY_SIZE(separators); i++)
		if (str_starts(str_sub(s, at, s.n), separators[i]))
			return strlen(separators[i]);
	return 0;
}

static enum found match_hex(const struct form *f, const struct candidate *c, size_t *ret_to)
{
	struct str s = c->text;
	size_t at = 0;

	for (size_t i = 0; i < f->text.n; i++) {
		unsigned byte = (unsigned char)f->text.p[i];

		if (i && s.n - at < SEPARATOR_MAX + 2 && c->more && at < REDACT_MATCH_MAX)
			return FOUND_MORE;
		at += i ? separator_length(s, at) : 0;
		for (unsigned half = 0; half < 2; half++, at++) {
			if (ends_early(c, at))
				return FOUND_MORE;
			if (at >= s.n || ascii_hex_value(s.p[at]) != (int)(half ? byte & 15 : byte >> 4))
				return FOUND_NO;
		}
	}
	*ret_to = at;
	return FOUND_YES;
}

/* ---- escaped ---- */

static const struct {
	char byte;
	char as[8];
} escapes[] = {
	{'\n', "\\n"}, {'\t', "\\t"}, {'\r', "\\r"}, {'"', "\\\""}, {'\\', "\\\\"}, {'/', "\\/"},
	{'\'', "\\'"}, {' ', "+"}, {' ', "\\ "}, {'$', "\\$"}, {'`', "\\`"}, {'!', "\\!"}, {'&', "\\&"},
	{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}, {'\'', "&#x27;"},
	{'"', "&#34;"},
};

/* Bytes that are never escaped. */
static bool is_plain(char c) { return redact_in_set("A-Za-z0-9_.~-", c); }

struct token {
	char p[TOKEN_MAX];
	size_t n;
};

static void put_byte(struct token *t, const char *before, char byte, bool upper)
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";

	t->n = strlen(before);
	memcpy(t->p, before, t->n);
	t->p[t->n++] = digits[(unsigned char)byte >> 4];
	t->p[t->n++] = digits[(unsigned char)byte & 15];
}

/* Lists all spellings of a byte; a longer one comes before its prefixes. */
static size_t tokens_of(char byte, struct token *ret)
{
	size_t n = 0;

	if (!is_plain(byte)) {
		for (unsigned upper = 0; upper < 2; upper++) {
			put_byte(&ret[n++], "%", byte, upper);
			put_byte(&ret[n++], "\\x", byte, upper);
			if (!((unsigned char)byte & 0x80))
				put_byte(&ret[n++], "\\u00", byte, upper);
		}
		for (size_t i = 0; i < ARRAY_SIZE(escapes); i++)
			if (escapes[i].byte == byte) {
				ret[n].n = strlen(escapes[i].as);
				memcpy(ret[n].p, escapes[i].as, ret[n].n);
				n++;
			}
	}
	ret[n].p[0] = byte;
	ret[n++].n = 1;
	return n;
}

static enum found match_escaped(const struct form *f, const struct candidate *c, size_t *ret_to)
{
	struct token tokens[TOKENS_MAX];
	struct str s = c->text;
	size_t at = 0;

	for (size_t i = 0; i < f->text.n; i++) {
		size_t n, k = 0;

		if (at < s.n && is_plain(f->text.p[i])) { /* most bytes */
			if (s.p[at++] != f->text.p[i])
				return FOUND_NO;
			continue;
		}
		if (s.n - at < TOKEN_MAX && c->more && at < REDACT_MATCH_MAX)
			return FOUND_MORE;
		n = tokens_of(f->text.p[i], tokens);
		while (k < n && !(s.n - at >= tokens[k].n && !memcmp(s.p + at, tokens[k].p, tokens[k].n)))
			k++;
		if (k == n)
			return FOUND_NO;
		at += tokens[k].n;
	}
	*ret_to = at;
	return FOUND_YES;
}

/* ---- all forms ---- */

static enum found match_bytes(const struct form *f, const struct candidate *c, size_t *ret_to)
{
	size_t n = c->text.n < f->text.n ? c->text.n : f->text.n;

	if (memcmp(c->text.p, f->text.p, n) != 0)
		return FOUND_NO;
	*ret_to = f->text.n;
	return n == f->text.n ? FOUND_YES : c->more ? FOUND_MORE : FOUND_NO;
}

enum found form_match(const struct form *f, const struct candidate *c, size_t *ret_to)
{
	static enum found (*const matchers[])(const struct form *f, const struct candidate *c,
			size_t *ret_to) = {
		[FORM_BASE64] = match_base64, [FORM_HEX] = match_hex, [FORM_ESCAPED] = match_escaped,
		[FORM_REVERSED] = match_bytes,
	};
	/* a form that exceeds the bound is decided by the part that fits */
	struct candidate bound = {.text = str_sub(c->text, 0, REDACT_MATCH_MAX), .more = c->more &&
			c->text.n < REDACT_MATCH_MAX};

	return matchers[f->kind](f, &bound, ret_to);
}

size_t forms_of(struct arena *a, struct str value, struct form *ret)
{
	struct str hex = str_sub(value, 0, REDACT_MATCH_MAX / (SEPARATOR_MAX + 2)),
			escaped = str_sub(value, 0, REDACT_MATCH_MAX / TOKEN_MAX);
	bool special = false;
	size_t n = 0;
	char *back;

	if (value.n < FORM_VALUE_MIN)
		return 0;
	for (size_t before = 0; before < 3; before++)
		ret[n++] = base64_of(a, str_sub(value, 0, REDACT_MATCH_MAX / 2), before);
	ret[n++] = (struct form){.kind = FORM_HEX, .text = hex};
	for (size_t i = 0; i < value.n; i++)
		special |= !is_plain(value.p[i]);
	if (special)
		ret[n++] = (struct form){.kind = FORM_ESCAPED, .text = escaped};
	if (str_is_ascii(value)) {
		back = arena_alloc(a, value.n);
		for (size_t i = 0; i < value.n; i++)
			back[i] = value.p[value.n - 1 - i];
		ret[n++] = (struct form){.kind = FORM_REVERSED, .text = str_n(back, value.n)};
	}
	return n;
}

/* ---- first three bytes ---- */

struct starts {
	const struct form *f;
	void (*mark)(void *ctx, const char *three);
	void *ctx;
};

static void mark_base64(const struct starts *s)
{
	for (unsigned ways = 0; ways < 3 * 8; ways++) {
		char three[REDACT_PREFIX_MIN];
		size_t from = 0;

		for (unsigned i = 0; i < REDACT_PREFIX_MIN; i++) {
			bool breaks = i && ways / 8 == i; /* a line break before this letter */

			three[i] = breaks ? '\n' : s->f->text.p[from++];
			if (ways >> i & 1 && (three[i] == '+' || three[i] == '/'))
				three[i] = three[i] == '+' ? '-' : '_';
		}
		s->mark(s->ctx, three);
	}
}

static void mark_hex(const struct starts *s)
{
	static const char digits[][20] = {"0123456789abcdef", "0123456789ABCDEF"};
	unsigned x = (unsigned char)s->f->text.p[0], y = (unsigned char)s->f->text.p[1];

	for (unsigned upper = 0; upper < 2; upper++) {
		char three[REDACT_PREFIX_MIN] = {digits[upper][x >> 4], digits[upper][x & 15],
				digits[upper][y >> 4]};

		s->mark(s->ctx, three);
		for (size_t i = 0; i < ARRAY_SIZE(separators); i++) {
			three[2] = separators[i][0];
			s->mark(s->ctx, three);
		}
	}
}

static void mark_escaped(const struct starts *s, size_t byte, const char *so_far, size_t n)
{
	struct token tokens[TOKENS_MAX];
	size_t count = tokens_of(s->f->text.p[byte], tokens);

	for (size_t k = 0; k < count; k++) {
		char text[REDACT_PREFIX_MIN + TOKEN_MAX];

		memcpy(text, so_far, n);
		memcpy(text + n, tokens[k].p, tokens[k].n);
		if (n + tokens[k].n >= REDACT_PREFIX_MIN)
			s->mark(s->ctx, text);
		else
			mark_escaped(s, byte + 1, text, n + tokens[k].n); /* at most three levels deep */
	}
}

void form_starts(const struct form *f, void (*mark)(void *ctx, const char *three), void *ctx)
{
	struct starts s = {f, mark, ctx};

	switch (f->kind) {
	case FORM_BASE64: mark_base64(&s); break;
	case FORM_HEX: mark_hex(&s); break;
	case FORM_ESCAPED: mark_escaped(&s, 0, "", 0); break;
	case FORM_REVERSED: mark(ctx, f->text.p); break;
	}
}
