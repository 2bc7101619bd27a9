/* Finds a JSON object in an output: some runners print other lines before and after it. */
#pragma once
#include "result/validate.h"

struct json_object_at {
	/* from its brace to its end, or to the end of the output if incomplete; empty: not found */
	struct str text;
	size_t marks;      /* occurrences of the mark in the output */
	/* only blank lines, comments and the echo of a package manager (">") precede it */
	bool first;
};

/* Finds the object that starts a line and contains `mark` (a quoted key), first in stdout, then in stderr. */
struct json_object_at json_object_find(const struct validate_input *in, const char *mark);
/* For detection: confidence that the output is an object with both marks; 0: none found. */
int json_object_sure(const struct validate_input *in, const char *mark, const char *also);
