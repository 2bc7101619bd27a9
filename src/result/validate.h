/*
 * Semantic validators: do the numbers that a tool printed make sense, and what do they say? Pure functions
 * over the raw bytes.
 *
 * A validator is a row: the task it belongs to, a name for its format, how it is recognised, and its checks.
 * The rows of each family of formats are in a file of their own (validate_*.c); the table of families is in
 * validate.c. The one that recognises the output best wins; machine-readable formats come before text.
 */
#pragma once
#include "base/arena.h"
#include "model/outcome.h"
#include "model/validation.h"

struct validate_input {
	const char *task;        /* test, typecheck, lint, data, json; NULL: whatever is recognised */
	struct str out, err;     /* raw, as the program wrote them */
	bool cut;                /* parts of them are missing */
	enum status status;      /* STATUS_UNKNOWN: not known */
	int exit_code;           /* -1: not known */
	/* data */
	const struct str *columns; /* required; with or without a type: validate_column() */
	size_t ncolumns;
	struct str schema;       /* json: a JSON Schema */
};

struct validator {
	const char *task, *format;
	enum evidence evidence;
	/* How sure it is that this is its format: 0 not at all, 100 certain. Cheap. */
	int (*detect)(const struct validate_input *in);
	/* Fills counts, checks, result and validity. */
	void (*check)(struct arena *a, const struct validate_input *in, struct validation *v);
};

/* Families: arrays ended by a row without a format. */
extern const struct validator validators_test_text[], validators_test_machine[], validators_static[],
		validators_data[];

/*
 * Recognises and checks. Nothing recognised is indeterminate, with a note that says what was looked for.
 * Without a task only what is recognised with at least DETECT_SURE counts; with one, anything above 0 does.
 */
#define DETECT_SURE 50
#define DETECT_CERTAIN 98 /* nothing is surer: the rows behind it are not asked */
void validate(struct arena *a, const struct validate_input *in, struct validation *ret);
/* Only what the run itself says: killed, never started, cut. Else it is valid, and says nothing. */
void validate_run(struct arena *a, const struct validate_input *in, struct validation *ret);
/* -1: what stands behind the last colon of a required column is no type. */
int validate_column(struct str column, struct err *e);
/* Row i of all families; NULL after the last. */
const struct validator *validator_at(size_t i);

/*
 * For validators. A check starts with a valid result of RESULT_NONE and says what it finds; at its end notes
 * decide: one that is not a warning makes it invalid, and what is not valid has no result. Validators of text
 * get it without escape sequences (colours).
 */
void validation_count(struct arena *a, struct validation *v, const char *name, int64_t n);
/* A check that failed: makes it invalid unless it is only a warning. */
void validation_note(struct arena *a, struct validation *v, const char *id, bool warning, const char *fmt,
		...) __attribute__((format(printf, 5, 6)));
/* Nothing can be said, and why: indeterminate unless something else makes it invalid. */
void validation_unsure(struct arena *a, struct validation *v, const char *id, const char *fmt,
		...) __attribute__((format(printf, 4, 5)));
