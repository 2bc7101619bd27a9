/* Where in an output a JSON object stands: some runners print other lines before and after it. */
#pragma once
#include "result/validate.h"

struct json_object_at {
	/* from its brace to its end, or to the end of the output when it has none; empty: not found */
	struct str text;
	size_t marks;      /* how often the mark stands in the output */
	/* nothing but blank lines, comments and the echo of a package manager (">") stands before it */
	bool first;
};

/*
 * The object that starts a line and holds `mark` (a key in its quotes), in standard output or else standard
 * error.
 */
struct json_object_at json_object_find(const struct validate_input *in, const char *mark);
/* For detection: how sure it is that an object with both marks is what was printed; 0 when there is none. */
int json_object_sure(const struct validate_input *in, const char *mark, const char *also);
