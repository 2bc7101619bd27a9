/*
 * JSON Schema, the part of it that people write (draft 4 to 2020-12): pure, with bounds on depth and work.
 *
 * Three answers. SCHEMA_UNKNOWN is what a keyword gives that is not known here, a pattern that ran out of
 * steps, a reference to elsewhere, or a bound that was reached: never taken for a yes. Annotations (title,
 * default, …) restrict nothing and are passed over; `format` is one of them, as the standard has it, and
 * schema_result says that it was seen.
 */
#pragma once
#include "base/json.h"

#define SCHEMA_DEPTH_MAX 200            /* schemas in schemas, references followed */
#define SCHEMA_WORK_MAX 20000000        /* keywords tried and values compared */
#define SCHEMA_NOTES_MAX 8
#define SCHEMA_PATTERN_WORK 400000000   /* of all patterns together, in the units of base/regex.h */

enum schema_answer { SCHEMA_NO, SCHEMA_YES, SCHEMA_UNKNOWN };

struct schema_note {
	struct schema_note *next;
	struct str path;     /* of the value: a JSON pointer, "" is the whole */
	struct str why;
	bool unknown;        /* not a violation: it could not be checked */
};

struct schema_result {
	enum schema_answer answer;
	struct schema_note *notes; /* the first SCHEMA_NOTES_MAX */
	bool format;         /* `format` was seen and not checked */
};

/* The remaining budget, shared by all documents validated against one schema. */
struct schema_budget {
	int64_t work, pattern_work;
};
#define SCHEMA_BUDGET ((struct schema_budget){SCHEMA_WORK_MAX, SCHEMA_PATTERN_WORK})

void schema_check(struct arena *a, struct json *schema, struct json *v, struct schema_budget *left,
		struct schema_result *ret);
