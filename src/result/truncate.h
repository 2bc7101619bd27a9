/*
 * Head and tail of a text, cut at line boundaries, with "... truncated (N more lines) ..." on a line of its
 * own between them. Only a line that is longer than its share is cut inside, between two characters; it
 * counts as one of the N.
 */
#pragma once
#include "base/str.h"

#define TRUNCATE_DEFAULT 4096
#define TRUNCATE_LINES_MAX ((size_t)1 << 20)
#define TRUNCATE_MARKER_MAX 64 /* bytes that are added at most */

struct truncate_options {
	/*
	 * bytes that are shown, the marker not counted; 0: TRUNCATE_DEFAULT, or TRUNCATE_LINES_MAX with lines
	 */
	size_t max;
	/*
	 * lines instead, when one of them is given; when they are more than `max` bytes, bytes count after
	 * all
	 */
	size_t head, tail;
	bool failed;        /* the end matters more: a quarter for the head instead of half */
};

struct truncated {
	bool is;
	/* a last line without a newline is a line */
	uint64_t total_bytes, total_lines, omitted_bytes, omitted_lines;
};

struct str truncate_text(struct arena *a, struct str text, const struct truncate_options *o,
		struct truncated *ret);

/*
 * The same in pieces: the same text in other pieces is cut in the same way. Memory is for what can be shown,
 * whatever comes.
 */
struct truncator {
	struct arena *a;
	struct truncate_options o;
	/* of each buffer: one byte more than is shown, which says where the next begins */
	size_t room;
	struct buf head;            /* the beginning; all of it when it is no longer */
	char *tail;                 /* twice the room; the last bytes are the end. NULL: the head is all */
	size_t ntail;
	uint64_t bytes, newlines;
	char last;                  /* byte */
	bool gap, gap_ended;
};
void truncator_start(struct truncator *t, struct arena *a, const struct truncate_options *o);
void truncator_feed(struct truncator *t, struct str piece);
/*
 * Here something is missing, once: so many bytes, the last of which is a newline or not. It is never shown.
 */
void truncator_gap(struct truncator *t, uint64_t bytes, bool ended);
/* How many newlines it had, as soon as that is known. */
void truncator_gap_newlines(struct truncator *t, uint64_t n);
struct str truncator_end(struct truncator *t, struct truncated *ret);
