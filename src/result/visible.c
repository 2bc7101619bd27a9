/*
 * Characters that nobody sees: they steer the direction of text, carry hidden text, or make two texts differ that look the same. They become
 * \u{...}. What belongs to an emoji stays. Only what stands before decides, never what follows, so that a second pass decides the same.
 */
#include "result/text.h"

#include "base/utf8.h"

#define ZWJ 0x200D
#define VS16 0xFE0F
#define BLACK_FLAG 0x1F3F4
#define TAG_FIRST 0xE0000
#define TAG_LAST 0xE007F
#define HIDDEN_FIRST 0xAD

struct range {
	uint32_t from, to;
};

enum hidden { HIDDEN_NO = 0, HIDDEN_BIDI, HIDDEN_TAG, HIDDEN_OTHER };

/* Sorted. */
static const struct {
	struct range range;
	enum hidden is;
} hidden[] = {
	{{0xAD, 0xAD}, HIDDEN_OTHER},       {{0x34F, 0x34F}, HIDDEN_OTHER},     {{0x61C, 0x61C}, HIDDEN_BIDI},      {{0x115F, 0x1160}, HIDDEN_OTHER},
	{{0x17B4, 0x17B5}, HIDDEN_OTHER},   {{0x180B, 0x180F}, HIDDEN_OTHER},   {{0x200B, 0x200D}, HIDDEN_OTHER},   {{0x200E, 0x200F}, HIDDEN_BIDI},
	{{0x2028, 0x2029}, HIDDEN_OTHER},   {{0x202A, 0x202E}, HIDDEN_BIDI},    {{0x2060, 0x2065}, HIDDEN_OTHER},   {{0x2066, 0x2069}, HIDDEN_BIDI},
	{{0x206A, 0x206F}, HIDDEN_OTHER},   {{0x3164, 0x3164}, HIDDEN_OTHER},   {{0xFE00, 0xFE0F}, HIDDEN_OTHER},   {{0xFEFF, 0xFEFF}, HIDDEN_OTHER},
	{{0xFFA0, 0xFFA0}, HIDDEN_OTHER},   {{0xFFF0, 0xFFFB}, HIDDEN_OTHER},   {{0x1BCA0, 0x1BCA3}, HIDDEN_OTHER}, {{0x1D173, 0x1D17A}, HIDDEN_OTHER},
	{{0xE0000, 0xE007F}, HIDDEN_TAG},   {{0xE0080, 0xE0FFF}, HIDDEN_OTHER},
};

/* What emoji are made of; a variation selector may follow it. Wider than the standard's list where its gaps are other pictures. */
static const struct range pictures[] = {
	{0xA9, 0xA9},     {0xAE, 0xAE},     {0x203C, 0x203C}, {0x2049, 0x2049}, {0x2122, 0x2122}, {0x2139, 0x2139}, {0x2194, 0x21AA},   {0x231A, 0x23FF},
	{0x24C2, 0x24C2}, {0x25AA, 0x25FE}, {0x2600, 0x27BF}, {0x2934, 0x2935}, {0x2B05, 0x2B55}, {0x3030, 0x3030}, {0x303D, 0x303D},   {0x3297, 0x3299},
	{0x1F000, 0x1FAFF},
};

/* The flags that are written with tags. */
static const char flags[][8] = {"gbeng\x7F", "gbsct\x7F", "gbwls\x7F"};
#define FLAG_TAGS 6

static enum hidden hidden_kind(uint32_t cp)
{
	size_t low = 0, high = sizeof(hidden) / sizeof(*hidden);

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (cp > hidden[mid].range.to)
			low = mid + 1;
		else if (cp < hidden[mid].range.from)
			high = mid;
		else
			return hidden[mid].is;
	}
	return HIDDEN_NO;
}

static bool picture(uint32_t cp)
{
	for (size_t i = 0; i < sizeof(pictures) / sizeof(*pictures); i++)
		if (cp >= pictures[i].from && cp <= pictures[i].to)
			return true;
	return false;
}

/* The next tag of a flag. The tags that were seen so far are those of all flags that share them, so the first letters say which are left. */
static bool continues_flag(struct visible *v, uint32_t cp)
{
	if (v->before == BLACK_FLAG)
		v->flag = 0;
	else if (!(v->before >= TAG_FIRST && v->before <= TAG_LAST))
		return false;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
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

static bool belongs(struct visible *v, uint32_t cp, enum hidden kind)
{
	if (kind == HIDDEN_TAG)
		return continues_flag(v, cp);
	if (cp == VS16)
		return picture(v->before) || v->before == '#' || v->before == '*' || (v->before >= '0' && v->before <= '9');
	return cp == ZWJ && (picture(v->before) || v->before == VS16);
}

void visible_put(struct buf *out, struct visible *v, struct str text, struct sanitized *counts)
{
	size_t shown = 0;

	for (size_t i = 0; i < text.n;) {
		size_t from = i;
		uint32_t cp = (unsigned char)text.p[i] < 0x80 ? (unsigned char)text.p[i++] : utf8_next(text, &i);
		enum hidden kind = cp < HIDDEN_FIRST ? HIDDEN_NO : hidden_kind(cp);

		if (kind == HIDDEN_NO || belongs(v, cp, kind)) {
			v->before = cp;
			continue;
		}
		buf_add(out, text.p + shown, from - shown);
		shown = i;
		buf_fmt(out, "\\u{%x}", (unsigned)cp);
		v->before = '}';
		*(kind == HIDDEN_BIDI ? &counts->bidi : kind == HIDDEN_TAG ? &counts->tags : &counts->invisible) += 1;
	}
	buf_add(out, text.p + shown, text.n - shown);
}
