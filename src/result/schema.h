/*
 * JSON Schema, the commonly used part (draft 4 to 2020-12): pure, with bounds on depth and work.
 *
 * There are three answers. SCHEMA_UNKNOWN means an unknown keyword, a pattern that exceeded its budget, an
 * external reference, or an exhausted bound; it never counts as yes. Annotations (title, default, …)
 * restrict nothing and are ignored. By the standard `format` is an annotation too; schema_result says if it
 * occurred.
 */
#pragma once
#include "base/json.h"

#define SCHEMA_DEPTH_MAX 200            /* nesting depth of schemas, including references */
#define SCHEMA_WORK_MAX 20000000        /* budget: keywords checked and values compared */
#define SCHEMA_NOTES_MAX 8
#define SCHEMA_PATTERN_WORK 400000000   /* budget of all patterns together, in the units of base/regex.h */

enum schema_answer { SCHEMA_NO, SCHEMA_YES, SCHEMA_UNKNOWN };

struct schema_note {
	struct schema_note *next;
	struct str path;     /* JSON pointer to the value; "" is the whole document */
	struct str why;
	bool unknown;        /* not a violation but something that could not be checked */
};

struct schema_result {
	enum schema_answer answer;
	struct schema_note *notes; /* the first SCHEMA_NOTES_MAX */
	bool format;         /* `format` occurred and was not checked */
};

/* The remaining budget, shared by all documents validated against one schema. */
struct schema_budget {
	int64_t work, pattern_work;
};
#define SCHEMA_BUDGET ((struct schema_budget){SCHEMA_WORK_MAX, SCHEMA_PATTERN_WORK})

void schema_check(struct arena *a, struct json *schema, struct json *v, struct schema_budget *left,
		struct schema_result *ret);
