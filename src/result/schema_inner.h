/*
 * The two halves of the schema checker: schema.c walks and combines, schema_keyword.c holds the keywords that
 * look at one value.
 */
#pragma once
#include "base/regex.h"
#include "result/schema.h"

/* Where in the document a value is. */
struct schema_path {
	const struct schema_path *up;
	struct str key;
	size_t index;        /* when key.p is NULL */
};

struct schema_run {
	struct arena *a;
	struct json *root;
	struct schema_budget *left;
	size_t depth;
	bool old;            /* up to draft 7: what stands beside $ref does not count */
	bool format;
	struct schema_note *violations, *unknowns;
	size_t nviolations, nunknowns;
};

/* The subject of a keyword. */
struct schema_at {
	struct json *schema;   /* the whole of it */
	struct json *word;     /* the keyword's value */
	struct json *v;
	const struct schema_path *path;
	bool quiet;             /* a no is not the last word: say nothing */
};

typedef enum schema_answer schema_fn(struct schema_run *r, const struct schema_at *at);

schema_fn schema_type, schema_enum, schema_const, schema_multiple, schema_maximum, schema_minimum,
		schema_exclusive_maximum, schema_exclusive_minimum,
	schema_max_length, schema_min_length, schema_pattern, schema_max_items, schema_min_items,
	schema_unique, schema_max_properties, schema_min_properties,
	schema_required;

enum schema_answer schema_no(struct schema_run *r, const struct schema_at *at, const char *fmt,
		...) __attribute__((format(printf, 3, 4)));
enum schema_answer schema_unknown(struct schema_run *r, const struct schema_at *at, const char *fmt,
		...) __attribute__((format(printf, 3, 4)));
/* Takes n steps of work; false when there are none left. */
bool schema_spend(struct schema_run *r, int64_t n);
/* True if the subject matches; the compiled pattern is kept in holder->own. */
enum schema_answer schema_matches(struct schema_run *r, const struct schema_at *at, struct json *holder,
		struct str pattern, struct str subject);

#define SCHEMA_SHOWN 48 /* bytes of a name or value in a message */
#define SCHEMA_SHOW(s) (int)((s).n < SCHEMA_SHOWN ? (s).n : SCHEMA_SHOWN), ((s).p ? (s).p : "")
