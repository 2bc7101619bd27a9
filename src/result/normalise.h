/*
 * Converts output to plain text as a person would see it: a terminal state machine that keeps what stays
 * visible within the line. Works in chunks; the result does not depend on where chunks end. Normalising twice
 * equals normalising once.
 */
#pragma once
#include "base/str.h"

struct sanitized { /* how often each kind was removed or escaped */
	uint64_t ansi, osc, control, cr, backspace, nul, bad_utf8, bidi, tags, invisible, markers, timestamps;
};

void sanitized_add(struct sanitized *to, const struct sanitized *more);

struct normaliser { /* opaque; lives in the caller's arena */
	struct buf *out;
	struct sanitized counts;
	struct normaliser_state *state;
};

struct normalise_options {
	bool timestamps;   /* convert Unix times in prose to ISO 8601 */
};

void normaliser_start(struct normaliser *n, struct arena *a, const struct normalise_options *o,
		struct buf *out);
/* Appends the text that is final by now to out. */
void normaliser_feed(struct normaliser *n, struct str chunk);
void normaliser_end(struct normaliser *n);
/* Normalises a whole text. */
struct str normalise_text(struct arena *a, struct str raw, const struct normalise_options *o,
		struct sanitized *ret_counts);
