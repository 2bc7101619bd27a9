/*
 * Backslash escapes of $'...', echo -e, dash's echo, and printf's format and %b. Pure, one pass, on exact
 * bytes.
 *
 * Results are abstract text (model/facts.h): a byte 0 or 1 that an escape makes is written as HOLE_ANY,
 * because the bytes themselves mean holes there. A hole in the input is passed on, but what an escape next to
 * it means is not known then: callers with holes in a text that has a backslash must not use these. \u and \U
 * are written as UTF-8.
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

/* *ret_stop (may be NULL) is set to true when \c ended the text, else it is left alone. */
struct str escape_decode(struct arena *a, struct str s, enum escape_style style, bool *ret_stop);
/*
 * One escape: *i is at the byte after the backslash, and left after the escape. True: \c, the text ends here.
 */
bool escape_one(struct buf *out, struct str s, size_t *i, enum escape_style style);

/*
 * The inside of $'...' decoded as bash 5.2 does (\x \u \U \c \nnn \e ...; a NUL ends the string there, as in
 * bash).
 */
struct str escape_ansi_c(struct arena *a, struct str s);
