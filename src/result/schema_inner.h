/*
 * Shared by the two halves of the schema checker: schema.c evaluates and combines, schema_keyword.c has the
 * keywords that check a single value.
 */
#pragma once
#include "base/regex.h"
#include "result/schema.h"

/* Path of a value in the document. */
struct schema_path {
	const struct schema_path *up;
	struct str key;
	size_t index;        /* index in an array, if key.p is NULL */
};

struct schema_run {
	struct arena *a;
	struct json *root;
	struct schema_budget *left;
	size_t depth;
	bool old;            /* up to draft 7: siblings of $ref are ignored */
	bool format;
	struct schema_note *violations, *unknowns;
	size_t nviolations, nunknowns;
};

/* Arguments of a keyword function. */
struct schema_at {
	struct json *schema;   /* the schema that contains the keyword */
	struct json *word;     /* the keyword's value */
	struct json *v;
	const struct schema_path *path;
	bool quiet;             /* the answer is not final: add no notes */
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
/* Charges n steps; false if the budget is exhausted. */
bool schema_spend(struct schema_run *r, int64_t n);
/* Matches the subject; the compiled pattern is cached in holder->own. */
enum schema_answer schema_matches(struct schema_run *r, const struct schema_at *at, struct json *holder,
		struct str pattern, struct str subject);

#define SCHEMA_SHOWN 48 /* bytes of a name or value in a message */
#define SCHEMA_SHOW(s) (int)((s).n < SCHEMA_SHOWN ? (s).n : SCHEMA_SHOWN), ((s).p ? (s).p : "")
