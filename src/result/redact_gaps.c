/* See redact_gaps.h. Text without a backslash and beyond ASCII is copied as a whole. */
#include "result/redact_gaps.h"

#include "base/chars.h"
#include "base/utf8.h"
#include "result/redact_table.h"

#define EACH(c) ((uint64_t)0x0101010101010101u * (c))
#define HIGH EACH(0x80)
#define ESCAPE_DIGITS_MAX 6
#define SLOW_RUN 64 /* bytes looked at one by one after a character beyond ASCII */

void gaps_init(struct gaps *g, struct arena *a, size_t max)
{
	*g = (struct gaps){.a = a, .max = max};
	buf_init(&g->bytes, a, a->cap);
}

static bool is_gap(uint32_t cp)
{
	enum char_class c = cp == UTF8_BAD ? CHAR_PLAIN : char_class(cp);

	return c == CHAR_INVISIBLE || c == CHAR_JOINER || c == CHAR_BIDI || c == CHAR_TAG;
}

/* \u{200b} */
static enum found match_escape(struct str s, size_t *ret_n)
{
	static const char open[] = "\\u{";
	uint32_t cp = 0;
	size_t i = 0;

	for (; i < sizeof(open) - 1; i++) {
		if (i >= s.n)
			return FOUND_MORE;
		if (s.p[i] != open[i])
			return FOUND_NO;
	}
	for (; i < s.n && i < sizeof(open) - 1 + ESCAPE_DIGITS_MAX && ascii_hex_value(s.p[i]) >= 0; i++)
		cp = cp * 16 + (uint32_t)ascii_hex_value(s.p[i]);
	if (i >= s.n)
		return FOUND_MORE;
	*ret_n = i + 1;
	return s.p[i] == '}' && is_gap(cp) ? FOUND_YES : FOUND_NO;
}

/* The second bytes of invisible characters in UTF-8 that start so. */
static bool may_be_gap(unsigned char c, unsigned char next)
{
	switch (c) {
	case '\\': return next == 'u';
	case 0xC2: return next == 0xAD; /* soft hyphen */
	case 0xCD: return next == 0x8F;
	case 0xD8: return next == 0x9C;
	case 0xE1: return next == 0x85 || next == 0x9E || next == 0xA0;
	case 0xE2: return next == 0x80 || next == 0x81; /* zero-width characters */
	case 0xE3: return next == 0x85;
	case 0xEF: return next >= 0xB8;
	case 0xF0: return next == 0x93 || next == 0x96 || next == 0x9B || next == 0x9D;
	case 0xF3: return next == 0xA0; /* tags */
	default: return false;
	}
}

/* Third bytes of invisible characters that start with E2 80 or E2 81; dashes and quotes have others. */
static bool may_be_mark(const char *p)
{
	unsigned char next = (unsigned char)p[1], third = (unsigned char)p[2];

	if (next != 0x80)
		return third >= 0xA0;
	return (third >= 0x8B && third <= 0x8F) || (third >= 0xA8 && third <= 0xAE);
}

static enum found match_gap(struct str s, size_t *ret_n)
{
	unsigned char c = (unsigned char)s.p[0];
	size_t need = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2, i = 0;

	if (c == '\\')
		return match_escape(s, ret_n);
	if (s.n > 1 ? !may_be_gap(c, (unsigned char)s.p[1]) : c < 0xC2)
		return FOUND_NO;
	if (s.n < need) {
		for (size_t k = 1; k < s.n; k++)
			if (!utf8_continues(s.p[k]))
				return FOUND_NO;
		return FOUND_MORE;
	}
	if ((c == 0xE2 && !may_be_mark(s.p)) || !is_gap(utf8_next(s, &i)))
		return FOUND_NO;
	*ret_n = i;
	return FOUND_YES;
}

/* Returns the next place from `i` on where a gap may start, or the length. */
static size_t next_start(struct str s, size_t i)
{
	static const bool starts[256] = {['\\'] = true, [0xC2] = true, [0xCD] = true, [0xD8] = true,
			[0xE1] = true, [0xE2] = true, [0xE3] = true, [0xEF] = true, [0xF0] = true,
			[0xF3] = true};

	for (;;) {
		size_t stop;

		for (; i + 8 <= s.n; i += 8) { /* eight bytes of ordinary ASCII at a time */
			uint64_t w, x;

			memcpy(&w, s.p + i, 8);
			x = w ^ EACH('\\');
			if ((w | ((x - EACH(1)) & ~x)) & HIGH)
				break;
		}
		for (stop = i + SLOW_RUN < s.n ? i + SLOW_RUN : s.n; i < stop; i++)
			if (starts[(unsigned char)s.p[i]] && (i + 1 >= s.n ||
					may_be_gap((unsigned char)s.p[i], (unsigned char)s.p[i + 1])))
				return i;
		if (i >= s.n)
			return s.n;
	}
}

bool gaps_any(struct str text)
{
	size_t n;

	for (size_t i = next_start(text, 0); i < text.n; i = next_start(text, i + 1))
		if (match_gap(str_sub(text, i, text.n), &n) == FOUND_YES)
			return true;
	return false;
}

static void add_gap(struct gaps *g, struct str bytes, size_t at)
{
	if (g->n == g->cap) {
		size_t cap = g->cap ? 2 * g->cap : 16;
		struct gap *v = arena_array(g->a, cap, sizeof(*v));

		if (g->n)
			memcpy(v, g->v, g->n * sizeof(*v));
		g->v = v;
		g->cap = cap;
	}
	g->v[g->n++] = (struct gap){at, g->bytes.n, bytes.n};
	buf_str(&g->bytes, bytes);
}

/* Completes what the text before ended with; returns how many bytes of the text it took. */
static size_t complete_start(struct gaps *g, struct str text, struct buf *plain)
{
	size_t used = 0, n = 0;

	while (g->nstart && used < text.n) {
		enum found f;

		g->start[g->nstart++] = text.p[used++];
		f = match_gap(str_n(g->start, g->nstart), &n);
		if (f == FOUND_MORE && g->nstart < GAP_MAX)
			continue;
		if (f == FOUND_YES)
			add_gap(g, str_n(g->start, n), plain->n);
		else
			buf_add(plain, g->start, g->nstart - 1); /* the last byte may start another */
		used -= f != FOUND_YES;
		g->nstart = 0;
	}
	return used;
}

void gaps_feed(struct gaps *g, struct str text, struct buf *plain)
{
	size_t shown = complete_start(g, text, plain);

	for (size_t i = next_start(text, shown); i < text.n; i = next_start(text, i)) {
		size_t n = 0;
		enum found f = match_gap(str_sub(text, i, i + GAP_MAX), &n);

		if (f == FOUND_NO || (f == FOUND_MORE && i + GAP_MAX <= text.n) || g->bytes.n > g->max) {
			i++;
			continue;
		}
		buf_add(plain, text.p + shown, i - shown);
		if (f == FOUND_MORE) {
			g->nstart = text.n - i;
			memcpy(g->start, text.p + i, g->nstart);
			return;
		}
		add_gap(g, str_sub(text, i, i + n), plain->n);
		i = shown = i + n;
	}
	buf_add(plain, text.p + shown, text.n - shown);
}

void gaps_flush(struct gaps *g, struct buf *plain)
{
	buf_add(plain, g->start, g->nstart);
	g->nstart = 0;
}

/* Returns the first gap at `at` or after it. */
static size_t first_from(const struct gaps *g, size_t at)
{
	size_t low = 0, high = g->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (g->v[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

void gaps_put(const struct gaps *g, struct str text, size_t from, size_t to, struct buf *out)
{
	for (size_t i = first_from(g, from); i < g->n && g->v[i].at < to; i++) {
		buf_add(out, text.p + from, g->v[i].at - from);
		buf_add(out, g->bytes.p + g->v[i].from, g->v[i].n);
		from = g->v[i].at;
	}
	if (from < to)
		buf_add(out, text.p + from, to - from);
}

void gaps_put_last(const struct gaps *g, size_t size, struct buf *out)
{
	for (size_t i = first_from(g, size); i < g->n; i++)
		buf_add(out, g->bytes.p + g->v[i].from, g->v[i].n);
}

void gaps_drop(struct gaps *g, size_t done, size_t shift)
{
	size_t gone = first_from(g, done), bytes = gone < g->n ? g->v[gone].from : g->bytes.n;

	if (!g->n)
		return;
	g->n -= gone;
	memmove(g->v, g->v + gone, g->n * sizeof(*g->v));
	memmove(g->bytes.p, g->bytes.p + bytes, g->bytes.n - bytes);
	g->bytes.n -= bytes;
	for (size_t i = 0; i < g->n; i++) {
		g->v[i].at -= shift;
		g->v[i].from -= bytes;
	}
}

void gaps_clear(struct gaps *g)
{
	g->n = g->nstart = 0;
	g->bytes.n = 0;
}

size_t gaps_bytes(const struct gaps *g)
{
	size_t n = g->nstart;

	for (size_t i = 0; i < g->n; i++)
		n += g->v[i].n;
	return n;
}
