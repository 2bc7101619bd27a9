/*
 * Escapes invisible characters as \u{...}: they change the direction of text, carry hidden text, or make two
 * different texts look the same. Parts of an emoji stay. Only preceding characters decide, never following
 * ones, so that a second pass gives the same result.
 */
#include "result/text.h"

#include "base/chars.h"
#include "base/utf8.h"

#define ZWJ 0x200D
#define VS16 0xFE0F
#define BLACK_FLAG 0x1F3F4
#define TAG_FIRST 0xE0000
#define TAG_LAST 0xE007F
#define HIDDEN_FIRST 0xAD /* the normaliser handles the control characters below it */

/*
 * Components of emoji; a variation selector may follow them. Wider than the standard's list where its gaps
 * are other pictures.
 */
static const struct char_range pictures[] = {
	{0xA9, 0xA9},     {0xAE, 0xAE},     {0x203C, 0x203C}, {0x2049, 0x2049}, {0x2122, 0x2122},
	{0x2139, 0x2139}, {0x2194, 0x21AA},   {0x231A, 0x23FF},
	{0x24C2, 0x24C2}, {0x25AA, 0x25FE}, {0x2600, 0x27BF}, {0x2934, 0x2935}, {0x2B05, 0x2B55},
	{0x3030, 0x3030}, {0x303D, 0x303D},   {0x3297, 0x3299},
	{0x1F000, 0x1FAFF},
};

/* The flags written with tags. */
static const char flags[][8] = {"gbeng\x7F", "gbsct\x7F", "gbwls\x7F"};
#define FLAG_TAGS 6

static bool is_picture(uint32_t cp)
{
	return char_in_ranges(pictures, ARRAY_SIZE(pictures), cp);
}

/*
 * True if this tag continues a flag. The tags so far may be shared by several flags, so later tags decide
 * among those left.
 */
static bool continues_flag(struct visible *v, uint32_t cp)
{
	if (v->before == BLACK_FLAG)
		v->flag = 0;
	else if (!(v->before >= TAG_FIRST && v->before <= TAG_LAST))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		unsigned at = v->flag & 7;

		if (at >= FLAG_TAGS || (at > 2 && v->flag >> 3 != i))
			continue;
		if ((uint32_t)flags[i][at] != cp - TAG_FIRST)
			continue;
		v->flag = (unsigned)(i << 3) | (at + 1);
		return true;
	}
	return false;
}

/*
 * Blanks of odd widths, the empty Braille pattern, the object replacement character and noncharacters: they
 * pass for an ordinary blank or for nothing. No-break and ideographic spaces are ordinary in texts, and stay.
 */
static bool passes_for_blank(uint32_t cp)
{
	return cp == 0x2800 || cp == 0x1680 || (cp >= 0x2000 && cp <= 0x200A) || cp == 0x205F ||
			cp == 0xFFFC || (cp & 0xFFFE) == 0xFFFE;
}

static bool belongs_to_emoji(struct visible *v, uint32_t cp, enum char_class class)
{
	if (class == CHAR_TAG)
		return continues_flag(v, cp);
	if (cp == VS16)
		return is_picture(v->before) || v->before == '#' || v->before == '*' ||
				ascii_is_digit(v->before);
	return cp == ZWJ && (is_picture(v->before) || v->before == VS16);
}

void visible_put(struct buf *out, struct visible *v, struct str text, struct sanitized *counts)
{
	size_t shown = 0;

	for (size_t i = 0; i < text.n;) {
		size_t from = i;
		uint32_t cp = (unsigned char)text.p[i] < 0x80 ? (unsigned char)text.p[i++] : utf8_next(text,
				&i);
		enum char_class class = cp < HIDDEN_FIRST ? CHAR_PLAIN : char_class(cp);

		if (char_block_plain(cp) || (!char_hidden(class) && !passes_for_blank(cp)) ||
				belongs_to_emoji(v, cp, class)) {
			v->before = cp;
			continue;
		}
		buf_add(out, text.p + shown, from - shown);
		shown = i;
		buf_fmt(out, "\\u{%x}", (unsigned)cp);
		v->before = '}';
		*(class == CHAR_BIDI ? &counts->bidi : class == CHAR_TAG ? &counts->tags :
				&counts->invisible) += 1;
	}
	buf_add(out, text.p + shown, text.n - shown);
}
