/* Table of hidden and misleading code points, and the escapes for them. */
#include "base/chars.h"

#include "base/utf8.h"

/* Sorted for binary search. */
static const struct {
	uint32_t from, to;
	enum char_class class;
} classes[] = {
	{0x00, 0x08, CHAR_CONTROL},       {0x0B, 0x0C, CHAR_CONTROL},       {0x0E, 0x1F, CHAR_CONTROL},
	{0x7F, 0x84, CHAR_CONTROL},       {0x85, 0x85, CHAR_LINE},          {0x86, 0x9F, CHAR_CONTROL},
	{0xA0, 0xA0, CHAR_BLANK},         {0xAD, 0xAD, CHAR_INVISIBLE},     {0x34F, 0x34F, CHAR_JOINER},
	{0x61C, 0x61C, CHAR_BIDI},        {0x115F, 0x1160, CHAR_INVISIBLE}, {0x1680, 0x1680, CHAR_BLANK},
	{0x17B4, 0x17B5, CHAR_INVISIBLE}, {0x180B, 0x180D, CHAR_JOINER},    {0x180E, 0x180E, CHAR_INVISIBLE},
	{0x180F, 0x180F, CHAR_JOINER},    {0x2000, 0x200A, CHAR_BLANK},     {0x200B, 0x200B, CHAR_INVISIBLE},
	{0x200C, 0x200D, CHAR_JOINER},    {0x200E, 0x200F, CHAR_BIDI},      {0x2028, 0x2029, CHAR_LINE},
	{0x202A, 0x202E, CHAR_BIDI},      {0x202F, 0x202F, CHAR_BLANK},     {0x205F, 0x205F, CHAR_BLANK},
	{0x2060, 0x2065, CHAR_INVISIBLE}, {0x2066, 0x2069, CHAR_BIDI},      {0x206A, 0x206F, CHAR_INVISIBLE},
	{0x2800, 0x2800, CHAR_BLANK},     {0x3000, 0x3000, CHAR_BLANK},     {0x3164, 0x3164, CHAR_INVISIBLE},
	{0xFE00, 0xFE0F, CHAR_JOINER},    {0xFEFF, 0xFEFF, CHAR_INVISIBLE}, {0xFFA0, 0xFFA0, CHAR_INVISIBLE},
	{0xFFF0, 0xFFFB, CHAR_INVISIBLE}, {0x13430, 0x1343F, CHAR_JOINER},
	{0x16FE4, 0x16FE4, CHAR_INVISIBLE},
	{0x1BCA0, 0x1BCA3, CHAR_INVISIBLE}, {0x1D159, 0x1D159, CHAR_INVISIBLE},
	{0x1D173, 0x1D17A, CHAR_INVISIBLE},
	{0xE0000, 0xE007F, CHAR_TAG},     {0xE0080, 0xE00FF, CHAR_INVISIBLE}, {0xE0100, 0xE01EF, CHAR_JOINER},
	{0xE01F0, 0xE0FFF, CHAR_INVISIBLE},
};

const bool char_blocks[CHAR_BLOCKS] = {
	[0x00 >> 6] = true, [0x40 >> 6] = true, [0x80 >> 6] = true, [0x34F >> 6] = true, [0x61C >> 6] = true,
	[0x115F >> 6] = true, [0x1680 >> 6] = true, [0x17B4 >> 6] = true,
	[0x180B >> 6] = true, [0x2000 >> 6] = true, [0x205F >> 6] = true, [0x2800 >> 6] = true,
	[0x3000 >> 6] = true, [0x3164 >> 6] = true, [0xFE00 >> 6] = true, [0xFEFF >> 6] = true,
	[0xFFA0 >> 6] = true, [0xFFF0 >> 6] = true,
};

static bool printable_ascii(uint32_t cp) { return cp >= 0x20 && cp < 0x7F; }

bool char_in_ranges(const struct char_range *r, size_t n, uint32_t cp)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (cp > r[mid].to)
			low = mid + 1;
		else if (cp < r[mid].from)
			high = mid;
		else
			return true;
	}
	return false;
}

enum char_class char_class_find(uint32_t cp)
{
	size_t low = 0, high = ARRAY_SIZE(classes);

	if (printable_ascii(cp))
		return CHAR_PLAIN;
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (cp > classes[mid].to)
			low = mid + 1;
		else if (cp < classes[mid].from)
			high = mid;
		else
			return classes[mid].class;
	}
	return CHAR_PLAIN;
}

bool char_put_visible(struct buf *b, struct str s, size_t *i)
{
	size_t from = *i;
	uint32_t cp = utf8_next(s, i);

	if (cp == UTF8_BAD) {
		buf_fmt(b, "\\x%02x", (unsigned char)s.p[from]);
	} else if (cp != '\r' && char_class(cp) == CHAR_PLAIN) {
		buf_add(b, s.p + from, *i - from);
		return false;
	} else {
		buf_fmt(b, cp < 0x80 ? "\\x%02x" : "\\u{%x}", (unsigned)cp);
	}
	return true;
}

struct str str_visible(struct arena *a, struct str s)
{
	struct buf b;
	size_t plain = 0;

	while (plain < s.n && (printable_ascii((unsigned char)s.p[plain]) || s.p[plain] == '\n' ||
			s.p[plain] == '\t'))
		plain++;
	if (plain == s.n)
		return s;
	buf_init(&b, a, s.n > BUF_MAX_DEFAULT / CHAR_VISIBLE_MAX ? s.n * CHAR_VISIBLE_MAX : 0);
	for (size_t i = 0; i < s.n;)
		char_put_visible(&b, s, &i);
	return buf_view(&b);
}
