/*
 * Output as a person would see it, as plain text: a terminal state machine that keeps only what stays
 * visible, within the line. Works in chunks: the same bytes in other chunks give the same text. Normalising
 * twice is normalising once.
 */
#pragma once
#include "base/str.h"

struct sanitized { /* how often each was removed or made visible */
	uint64_t ansi, osc, control, cr, backspace, nul, bad_utf8, bidi, tags, invisible, markers, timestamps;
};

void sanitized_add(struct sanitized *to, const struct sanitized *more);

struct normaliser { /* opaque; lives in the caller's arena */
	struct buf *out;
	struct sanitized counts;
	struct normaliser_state *state;
};

struct normalise_options {
	bool timestamps;   /* Unix times in prose become ISO 8601 */
};

void normaliser_start(struct normaliser *n, struct arena *a, const struct normalise_options *o,
		struct buf *out);
/* Appends to out what is certain by now. */
void normaliser_feed(struct normaliser *n, struct str chunk);
void normaliser_end(struct normaliser *n);
/* All at once. */
struct str normalise(struct arena *a, struct str raw, const struct normalise_options *o,
		struct sanitized *ret_counts);
