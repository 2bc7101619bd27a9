/*
 * Head and tail of a text, cut at line boundaries, with "... truncated (N more lines) ..." on a line of its own between them. Only a line
 * that is longer than its share is cut inside, between two characters; it counts as one of the N.
 */
#pragma once
#include "base/str.h"

#define TRUNCATE_DEFAULT 4096
#define TRUNCATE_MARKER_MAX 64 /* bytes that are added at most */

struct truncate_options {
	size_t max;         /* bytes that are shown, the marker not counted; 0: TRUNCATE_DEFAULT */
	size_t head, tail;  /* lines instead of bytes, when one of them is given */
	bool failed;        /* the end matters more: a quarter for the head instead of half */
};

struct truncated {
	bool is;
	uint64_t total_bytes, total_lines, omitted_bytes, omitted_lines; /* a last line without a newline is a line */
};

struct str truncate_text(struct arena *a, struct str text, const struct truncate_options *o, struct truncated *ret);
