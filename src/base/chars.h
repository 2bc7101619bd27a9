/*
 * Classes of code points: those that a person cannot see, and those that change how their neighbours are
 * shown. This is the only table of its kind. The shell parser marks these characters, and every text that
 * Caisson prints escapes them.
 */
#pragma once
#include "base/str.h"

enum char_class {
	CHAR_PLAIN = 0,
	CHAR_BLANK,     /* white space that is not ASCII */
	/* line and paragraph separators that are not ASCII: programs disagree about line ends there */
	CHAR_LINE,
	/* zero-width joiners and variation selectors: ordinary next to letters of other scripts and emoji */
	CHAR_JOINER,
	CHAR_INVISIBLE, /* shows nothing */
	CHAR_BIDI,      /* changes the direction of the text around it */
	CHAR_TAG,       /* carries hidden ASCII */
	/* control characters of ASCII and Latin-1; tab, newline and carriage return are plain */
	CHAR_CONTROL,
	CHAR_CLASSES
};

struct char_range { /* code points, both ends included */
	uint32_t from, to;
};

/* True if a range of this sorted table has the code point. */
bool char_in_ranges(const struct char_range *r, size_t n, uint32_t cp);

#define CHAR_BLOCKS (0x10000 >> 6)
extern const bool char_blocks[CHAR_BLOCKS]; /* 64 code points each: some have a class */
enum char_class char_class_find(uint32_t cp);

/* True if no code point of this block has a class. */
static inline bool char_block_plain(uint32_t cp) { return cp >> 6 < CHAR_BLOCKS && !char_blocks[cp >> 6]; }

/* UTF8_BAD is CHAR_PLAIN: a bad byte has no class. */
static inline enum char_class char_class(uint32_t cp)
{
	return char_block_plain(cp) ? CHAR_PLAIN : char_class_find(cp);
}
/*
 * True if a reader would miss this character or be misled by it. White space that shows as a blank is not
 * hidden.
 */
static inline bool char_hidden(enum char_class c) { return c != CHAR_PLAIN && c != CHAR_BLANK; }

/* Maximum length of the output of char_put_visible(): \u{10ffff}. */
#define CHAR_VISIBLE_MAX 10
/*
 * Appends the character at s[*i] and advances *i. Escapes hidden characters, carriage returns and blanks that
 * are not ASCII as \u{...} (\xNN below 0x80), and each bad byte as \xNN. Tab and newline are appended
 * unchanged; the caller handles them. Returns true if it escaped the character.
 */
bool char_put_visible(struct buf *b, struct str s, size_t *i);
/* The same for a whole text; tab and newline stay. Returns the text itself if it needs no escapes. */
struct str str_visible(struct arena *a, struct str s);
