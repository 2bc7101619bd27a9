/* Characters that look like others. Ranges are sorted, for a binary search. */
#include "base/chars.h"
#include "base/utf8.h"
#include "shell/marks.h"

static bool in_ranges(const struct char_range *r, size_t n, uint32_t c)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (c > r[mid].to)
			low = mid + 1;
		else if (c < r[mid].from)
			high = mid;
		else
			return true;
	}
	return false;
}

/*
 * Letters (and slashes) that look like an ASCII one. Greek, Cyrillic and Armenian are listed by letter; the
 * other blocks are look-alikes as a whole.
 */
static const struct char_range lookalikes[] = {
	{0x251, 0x251},   {0x261, 0x261},   {0x391, 0x392},   {0x395, 0x397},   {0x399, 0x39A},
	{0x39C, 0x39D},   {0x39F, 0x39F},   {0x3A1, 0x3A1},
	{0x3A4, 0x3A5},   {0x3A7, 0x3A7},   {0x3B1, 0x3B1},   {0x3B3, 0x3B3},   {0x3B9, 0x3BA},
	{0x3BD, 0x3BD},   {0x3BF, 0x3BF},   {0x3C1, 0x3C1},
	{0x3C4, 0x3C5},   {0x3C7, 0x3C7},   {0x3F2, 0x3F3},   {0x405, 0x406},   {0x408, 0x408},
	{0x410, 0x410},   {0x412, 0x412},   {0x415, 0x415},
	{0x41A, 0x41A},   {0x41C, 0x41E},   {0x420, 0x423},   {0x425, 0x425},   {0x430, 0x430},
	{0x433, 0x433},   {0x435, 0x435},   {0x43A, 0x43A},
	{0x43C, 0x43E},   {0x440, 0x443},   {0x445, 0x445},   {0x455, 0x456},   {0x458, 0x458},
	{0x475, 0x475},   {0x4AE, 0x4AF},   {0x4BA, 0x4BB},
	{0x4C0, 0x4C0},   {0x4CF, 0x4CF},   {0x4E9, 0x4E9},   {0x501, 0x501},   {0x51A, 0x51D},
	{0x555, 0x555},   {0x561, 0x561},   {0x563, 0x563},
	{0x566, 0x566},   {0x570, 0x570},   {0x578, 0x578},   {0x57D, 0x57D},   {0x581, 0x581},
	{0x585, 0x585},   {0x13A0, 0x13FF}, {0x1D00, 0x1D2B},
	{0x2044, 0x2044}, {0x2102, 0x2102}, {0x210A, 0x2115}, {0x2119, 0x211D}, {0x2124, 0x2124},
	{0x2128, 0x2128}, {0x212A, 0x2134}, {0x2139, 0x2139},
	{0x2145, 0x2149}, {0x2160, 0x2188}, {0x2215, 0x2215}, {0x24B6, 0x24E9}, {0x29F8, 0x29F8},
	{0x2C80, 0x2CB1}, {0xA4D0, 0xA4F7}, {0xAB70, 0xABBF},
	{0xFF0F, 0xFF0F}, {0xFF21, 0xFF3A}, {0xFF41, 0xFF5A}, {0x1D400, 0x1D7FF},
};

/* Scripts whose letters do not belong between ASCII letters, look-alike or not. */
static const struct char_range foreign[] = {{0x400, 0x52F}, {0x531, 0x587}};

static bool is_lookalike(uint32_t c)
{
	return in_ranges(lookalikes, ARRAY_SIZE(lookalikes), c);
}
static bool ascii_letter(uint32_t c) { return ascii_is_letter(c); }

bool text_mixes_scripts(struct str s)
{
	bool ascii = false, other = false;
	if (str_is_ascii(s))
		return false;
	for (size_t i = 0; i < s.n;) {
		uint32_t c = utf8_next(s, &i);
		if (c < 0x80 && !ascii_letter(c)) /* any other ASCII character ends a run */
			ascii = other = false;
		ascii |= ascii_letter(c);
		other |= c >= 0x80 && (is_lookalike(c) || in_ranges(foreign, ARRAY_SIZE(foreign), c));
		if (ascii && other)
			return true;
	}
	return false;
}

bool text_all_lookalikes(struct str s)
{
	size_t letters = 0;
	for (size_t i = 0; i < s.n;) {
		uint32_t c = utf8_next(s, &i);
		if (ascii_letter(c) || (c >= 0x80 && !is_lookalike(c)))
			return false;
		letters += c >= 0x80;
	}
	return letters > 0;
}

bool text_false_dash(struct str s)
{
	static const struct char_range dashes[] = {{0x2010, 0x2015}, {0x2212, 0x2212}, {0xFE58, 0xFE58},
			{0xFE63, 0xFE63}, {0xFF0D, 0xFF0D}};
	size_t i = 0;
	bool any = false;
	while (i < s.n) {
		uint32_t c = utf8_next(s, &i);
		bool dash = in_ranges(dashes, ARRAY_SIZE(dashes), c);
		if (!dash && c != '-')
			return any && ascii_letter(c);
		any |= dash;
	}
	return false;
}
