/*
 * Backslash escapes of $'...', echo -e, dash's echo, and printf's format and %b. Pure, one pass, on exact
 * bytes.
 *
 * Results are abstract text (model/facts.h): a byte 0, 1 or 2 that an escape makes is written as HOLE_ANY,
 * because those bytes mean holes there. A hole in the input is copied, but an escape next to it has an
 * unknown meaning. So callers must not pass a text that has both holes and backslashes. \u and \U are written
 * as UTF-8.
 */
#pragma once
#include "base/str.h"

enum escape_style {
	ESCAPE_ANSI_C,      /* $'...' */
	ESCAPE_ECHO,        /* bash: echo -e */
	ESCAPE_DASH,        /* dash: echo, always, and printf %b */
	ESCAPE_FORMAT,      /* bash: printf's format */
	ESCAPE_B,           /* bash: printf %b */
	ESCAPE_DASH_FORMAT, /* dash: printf's format */
};

/* Sets *ret_stop (may be NULL) to true if \c ended the text, else leaves it unchanged. */
struct str escape_decode(struct arena *a, struct str s, enum escape_style style, bool *ret_stop);
/*
 * Decodes one escape: *i is at the byte after the backslash, and moves past the escape. True: \c, the text
 * ends here.
 */
bool escape_one(struct buf *out, struct str s, size_t *i, enum escape_style style);

/*
 * The inside of $'...' decoded as bash 5.2 does (\x \u \U \c \nnn \e ...; a NUL ends the string there, as in
 * bash).
 */
struct str escape_ansi_c(struct arena *a, struct str s);
