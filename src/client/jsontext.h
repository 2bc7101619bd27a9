/*
 * JSON as text, for changing settings files of others: every value knows its bytes, so that one can be put in or taken out and all the rest
 * (layout, order of keys, line ends, comments where the client knows them) stays as it was.
 *
 * Putting in is at the front of an object or array, right behind its bracket; nothing of what follows moves. Of what was empty one blank is
 * left behind what was put in: it says that the container was there before. So taking out gives back the very bytes, with no memory but the
 * file itself:
 *     []               -> [\n  NEW ]               -> []
 *     {"a": 1}         -> {\n  NEW,"a": 1}         -> {"a": 1}
 */
#pragma once
#include "base/str.h"

#define JSONTEXT_BYTES_MAX ((size_t)4 << 20)
#define JSONTEXT_DEPTH_MAX 64
#define JSONTEXT_CHILDREN_MAX 20000 /* of one object or array */

enum jnode_kind { JNODE_OTHER = 0 /* number, true, false, null */, JNODE_STRING, JNODE_ARRAY, JNODE_OBJECT };

struct jnode {
	enum jnode_kind kind;
	size_t from, to;            /* its bytes; of a member: of the value */
	size_t start;               /* of a member: where its key starts; else the same as from */
	struct str key;             /* of a member: unescaped */
	struct str text;            /* of a string: unescaped */
	struct jnode *first, *next, *parent;
};

/*
 * Reads one value. `comments`: those of C and C++ are allowed. A name twice in one object is an error: two readers may pick different ones.
 * *ret_root is NULL when there is nothing but blanks. -1 with "line:column: what".
 */
int jsontext_read(struct arena *a, struct str text, bool comments, struct jnode **ret_root, struct err *e);
struct jnode *jnode_get(const struct jnode *object, const char *key);
/* "line:column" of an offset, both from 1; columns are bytes. */
struct str jsontext_place(struct arena *a, struct str text, size_t at);
/* A JSON string with its quotes; what is not UTF-8 becomes U+FFFD. */
void jsontext_string(struct buf *b, struct str s);

struct jstyle { /* how a file is laid out */
	const char *newline; /* "" when all is on one line */
	struct str indent;   /* one step */
};
struct jstyle jsontext_style(struct str text, const struct jnode *root);
void jstyle_break(struct buf *b, const struct jstyle *s, unsigned depth); /* a new line at this depth */

/* The text with `piece` (which begins with its own line break) put in at the front of a container. */
struct str jsontext_put(struct arena *a, struct str text, const struct jnode *container, struct str piece);
/* The text without a child of a container. */
struct str jsontext_take(struct arena *a, struct str text, const struct jnode *child);
/* Is it the only one, with nothing to say that the container was there before it? Then the container goes with it. */
bool jsontext_made(struct str text, const struct jnode *child);
