/* Strict UTF-8 decoder and encoder. */
#include "base/utf8.h"

/*
 * Indexed by the number of continuation bytes: payload bits of the first byte, its marker, and the smallest
 * code point of this length.
 */
static const struct {
	unsigned char mask, mark;
	uint32_t least;
} lengths[] = {
	{0x80, 0x00, 0},
	{0xe0, 0xc0, 0x80},
	{0xf0, 0xe0, 0x800},
	{0xf8, 0xf0, 0x10000},
};

uint32_t utf8_next(struct str s, size_t *i)
{
	unsigned char first = (unsigned char)s.p[*i];
	size_t start = (*i)++, more = first < 0xe0 ? first >= 0x80 : first < 0xf0 ? 2 : 3;
	uint32_t cp = first & (unsigned char)~lengths[more].mask;
	if ((first & lengths[more].mask) != lengths[more].mark || more >= s.n - start)
		return UTF8_BAD;
	for (size_t k = 1; k <= more; k++) {
		unsigned char c = (unsigned char)s.p[start + k];
		if ((c & 0xc0) != 0x80)
			return UTF8_BAD;
		cp = cp << 6 | (c & 0x3f);
	}
	if (cp < lengths[more].least || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		return UTF8_BAD;
	*i = start + more + 1;
	return cp;
}

size_t utf8_put(uint32_t cp, char out[4])
{
	if (cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		return 0;
	size_t more = cp < 0x80 ? 0 : cp < 0x800 ? 1 : cp < 0x10000 ? 2 : 3;
	for (size_t k = more; k > 0; k--) {
		out[k] = (char)(0x80 | (cp & 0x3f));
		cp >>= 6;
	}
	out[0] = (char)(lengths[more].mark | cp);
	return more + 1;
}

bool utf8_valid(struct str s)
{
	for (size_t i = 0; i < s.n;)
		if (utf8_next(s, &i) == UTF8_BAD)
			return false;
	return true;
}

struct str utf8_repair(struct arena *a, struct str s)
{
	if (utf8_valid(s))
		return s;
	struct buf b;
	buf_init(&b, a, s.n > BUF_MAX_DEFAULT / 3 ? s.n * 3 : 0);
	for (size_t i = 0; i < s.n;) {
		size_t from = i;
		if (utf8_next(s, &i) == UTF8_BAD)
			buf_add(&b, "\xef\xbf\xbd", 3);
		else
			buf_add(&b, s.p + from, i - from);
	}
	return buf_view(&b);
}
