/*
 * JSON as text, for changing settings files of others: every value knows its bytes, so that a value can be
 * added or removed and everything else (layout, order of keys, line ends, comments where the client allows
 * them) stays as it was.
 *
 * A value is added at the front of an object or array, right behind its bracket; nothing behind it moves. In
 * a container that was empty, one space is left behind the new value: it says that the container existed. So
 * removing the value restores the original bytes, without any memory but the file itself:
 *
 *     []               -> [\n  NEW ]               -> []
 *     {"a": 1}         -> {\n  NEW,"a": 1}         -> {"a": 1}
 */
#pragma once
#include "base/json_write.h"

#define JSONTEXT_BYTES_MAX ((size_t)4 << 20)
#define JSONTEXT_DEPTH_MAX 64
#define JSONTEXT_VALUES_MAX 200000

/*
 * Reads one value. `comments`: those of C and C++ are allowed. A name twice in one object is an error: two
 * readers may pick different ones. *ret_root is NULL when there is nothing but blanks. -1 with "line:column:
 * what".
 */
int jsontext_read(struct arena *a, struct str text, bool comments, struct json **ret_root, struct err *e);
/* "line:column" of an offset, both from 1; columns are bytes. */
struct str jsontext_place(struct arena *a, struct str text, size_t at);

struct jstyle {              /* how a file is laid out */
	const char *newline; /* "" when all is on one line */
	struct str indent;   /* one step */
};
struct jstyle jsontext_style(struct str text, const struct json *root);
void jstyle_break(struct buf *b, const struct jstyle *s, unsigned depth); /* a new line at this depth */

/* The text with `piece` (which begins with its own line break) put in at the front of a container. */
struct str jsontext_put(struct arena *a, struct str text, const struct json *container, struct str piece);
/* The text without a child of a container. */
struct str jsontext_take(struct arena *a, struct str text, const struct json *child);
/* Is it the only one, with nothing to say that the container was there before it? Then the container goes
 * with it. */
bool jsontext_made(struct str text, const struct json *child);
