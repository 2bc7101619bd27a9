/*
 * JSON as text, for editing settings files of other programs. Every value knows its byte range, so adding or
 * removing a value leaves everything else unchanged: layout, key order, line ends, and comments if the client
 * allows them.
 *
 * A value is added at the front of an object or array, directly after the bracket; the rest does not change.
 * In a container that was empty, a space after the new value marks that the container existed. So removing
 * the value restores the original bytes, and the file itself is the only memory:
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
 * Parses one value. `comments` allows C and C++ comments. A duplicate key is an error, because two parsers
 * may pick different values. *ret_root is NULL if the text is blank. -1 with "line:column: what".
 */
int jsontext_read(struct arena *a, struct str text, bool comments, struct json **ret_root, struct err *e);
/* Returns "line:column" of an offset; both start at 1, and columns count bytes. */
struct str jsontext_place(struct arena *a, struct str text, size_t at);
/* Says that something else, such as "an array", is expected in the place of this value. Returns -1. */
int jsontext_wrong(struct arena *a, struct str text, const struct json *v, const char *want, struct err *e);

struct jstyle {              /* layout of a file */
	const char *newline; /* "" if all is on one line */
	struct str indent;   /* one level of indentation */
};
struct jstyle jsontext_style(struct str text, const struct json *root);
void jstyle_break(struct buf *b, const struct jstyle *s, unsigned depth); /* starts a line at this depth */

/*
 * Inserts `piece` (which begins with its own line break) at the front of a container. Returns the new text.
 */
struct str jsontext_put(struct arena *a, struct str text, const struct json *container, struct str piece);
/* Removes a child from its container. Returns the new text. */
struct str jsontext_take(struct arena *a, struct str text, const struct json *child);
/*
 * True if the child is the only one and no mark says that its container existed before. Then the container is
 * removed with it.
 */
bool jsontext_made(struct str text, const struct json *child);
