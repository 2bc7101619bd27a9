/*
 * Truncates a text to head and tail, cut at line boundaries, with "... truncated (N more lines) ..." on a
 * line of its own between them. Only a line longer than its share is cut inside, between two characters; it
 * counts as one of the N.
 */
#pragma once
#include "base/str.h"

#define TRUNCATE_DEFAULT 4096
#define TRUNCATE_LINES_MAX ((size_t)1 << 20)
#define TRUNCATE_MARKER_MAX 64 /* maximum length of the marker */

struct truncate_options {
	/* bytes to show, without the marker; 0: TRUNCATE_DEFAULT, or TRUNCATE_LINES_MAX with lines */
	size_t max;
	/* lines to show instead; if they exceed `max` bytes, bytes count */
	size_t head, tail;
	bool failed;        /* the end is more important: the head gets a quarter instead of half */
};

struct truncated {
	bool is;
	/* a last line without a newline counts */
	uint64_t total_bytes, total_lines, omitted_bytes, omitted_lines;
};

struct str truncate_text(struct arena *a, struct str text, const struct truncate_options *o,
		struct truncated *ret);

/*
 * The same in pieces; the result does not depend on where pieces end. Memory is bounded by what can be shown.
 */
struct truncator {
	struct arena *a;
	struct truncate_options o;
	/* size of each buffer: one byte more than is shown, to see where the next part begins */
	size_t room;
	struct buf head;            /* the beginning, or the whole text if it fits */
	char *tail;                 /* 2 * room bytes, ending with the last byte read; NULL: all is in head */
	size_t ntail;
	uint64_t bytes, newlines;
	char last;                  /* last byte */
	bool gap, gap_ended;
};
void truncator_start(struct truncator *t, struct arena *a, const struct truncate_options *o);
void truncator_feed(struct truncator *t, struct str piece);
/*
 * Declares a gap of missing bytes, at most once; `ended`: the last of them is a newline. They are never
 * shown.
 */
void truncator_gap(struct truncator *t, uint64_t bytes, bool ended);
/* Sets the number of newlines in the gap, once it is known. */
void truncator_gap_newlines(struct truncator *t, uint64_t n);
struct str truncator_end(struct truncator *t, struct truncated *ret);
