/* Head and tail of a text, cut at line boundaries, with "... truncated (N more lines) ..." between them. */
#pragma once
#include "base/str.h"

#define TRUNCATE_DEFAULT 4096

struct truncate_options {
	size_t max;         /* bytes that are shown; 0: TRUNCATE_DEFAULT */
	size_t head, tail;  /* lines instead of bytes, when one of them is given */
	bool failed;        /* the end matters more */
};

struct truncated {
	bool is;
	uint64_t total_bytes, total_lines, omitted_bytes, omitted_lines;
};

struct str truncate_text(struct arena *a, struct str text, const struct truncate_options *o, struct truncated *ret);
