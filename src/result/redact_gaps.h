/*
 * Internal to redaction: invisible characters (zero-width, soft hyphens, direction marks, tags), raw or as
 * the normaliser escapes them (\u{200b}), between the characters of a text. Matching reads the text without
 * them.
 */
#pragma once
#include "base/str.h"

#define GAP_MAX 12 /* bytes of one invisible character: \u{10ffff} */

struct gap {
	size_t at;   /* the place in the text without gaps */
	size_t from; /* place of its bytes in `bytes` */
	size_t n;
};

struct gaps {
	struct arena *a;
	struct gap *v;        /* by place */
	size_t n, cap;
	struct buf bytes;
	size_t max;           /* with more bytes than this, further gaps stay in the text */
	char start[GAP_MAX];  /* the last bytes of the text so far: perhaps the start of a gap */
	size_t nstart;
};

void gaps_init(struct gaps *g, struct arena *a, size_t max);
bool gaps_any(struct str text);
/* Appends the text without its gaps to `plain`. */
void gaps_feed(struct gaps *g, struct str text, struct buf *plain);
/* No more text comes: what looked like the start of a gap is text. */
void gaps_flush(struct gaps *g, struct buf *plain);
/* Appends text[from, to) with its gaps to out; those at `to` belong to the text after it. */
void gaps_put(const struct gaps *g, struct str text, size_t from, size_t to, struct buf *out);
/* Appends the gaps after the last character of a text of this size. */
void gaps_put_last(const struct gaps *g, size_t size, struct buf *out);
/* Text before `done` is written, and its first `shift` bytes are removed. */
void gaps_drop(struct gaps *g, size_t done, size_t shift);
void gaps_clear(struct gaps *g);
/* Returns the number of bytes that are not in the text without gaps. */
size_t gaps_bytes(const struct gaps *g);
