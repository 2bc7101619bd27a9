/*
 * Classes of code points: which ones a person cannot see, and which change how their neighbours are shown.
 * This is the only table of its kind. The shell reader marks such characters, and every text that caisson
 * prints spells them out.
 */
#pragma once
#include "base/str.h"

enum char_class {
	CHAR_PLAIN = 0,
	CHAR_BLANK,     /* white space that is not ASCII */
	/* line and paragraph separators that are not ASCII: programs disagree about where the line ends */
	CHAR_LINE,
	/* zero-width joiners and variation selectors: ordinary next to letters of other scripts and emoji */
	CHAR_JOINER,
	CHAR_INVISIBLE, /* shows nothing */
	CHAR_BIDI,      /* turns the direction of the text around it */
	CHAR_TAG,       /* carries hidden ASCII */
	/* control characters of ASCII and Latin-1; tab, newline and carriage return are plain */
	CHAR_CONTROL,
	CHAR_CLASSES
};

struct char_range { /* of code points, both ends included */
	uint32_t from, to;
};

/* UTF8_BAD is CHAR_PLAIN: a bad byte has no class. */
enum char_class char_class(uint32_t cp);
/*
 * Would a person who reads the text miss this character, or be misled by it? White space that shows as a
 * blank is not hidden.
 */
static inline bool char_hidden(enum char_class c) { return c != CHAR_PLAIN && c != CHAR_BLANK; }

/* The most bytes that char_put_visible() writes: \u{10ffff}. */
#define CHAR_VISIBLE_MAX 10
/*
 * Appends the character at s[*i] and advances *i. Hidden characters, carriage returns and blanks that are not
 * ASCII become \u{...} (\xNN below 0x80), and so does each bad byte (\xNN). Tab and newline are the caller's:
 * they are appended as they are. Returns true when it was spelt out.
 */
bool char_put_visible(struct buf *b, struct str s, size_t *i);
/*
 * The same for a whole text; tab and newline stay. Returns the text itself when nothing has to be spelt out
 * in it.
 */
struct str str_visible(struct arena *a, struct str s);
