/*
 * Semantic validators: do the numbers that a tool printed make sense, and what do they say? Pure functions
 * over the raw bytes.
 *
 * A validator is a row: its task, the name of its format, a function that detects the format, and a function
 * that checks it. Each family of formats has a file with its rows (validate_*.c); the table of families is in
 * validate.c. The validator with the highest confidence wins; machine-readable formats come before text.
 */
#pragma once
#include "base/arena.h"
#include "model/outcome.h"
#include "model/validation.h"

struct validate_input {
	enum task task;
	struct str out, err;     /* raw bytes from the program */
	bool cut;                /* parts of the output are missing */
	enum status status;      /* STATUS_UNKNOWN: not known */
	int exit_code;           /* -1: not known */
	struct str command;      /* its text; empty: not known */
	/* data */
	const struct str *columns; /* required columns, with or without a type: validate_column() */
	size_t ncolumns;
	struct str schema;       /* json: a JSON Schema */
};

struct validator {
	enum task task;
	const char *format;
	enum evidence evidence;
	/* Returns the confidence that this is its format: 0 none, 100 certain. Must be cheap. */
	int (*detect)(const struct validate_input *in);
	/* Fills counts, checks, result and validity. */
	void (*check)(struct arena *a, const struct validate_input *in, struct validation *v);
	bool both;                    /* serves typecheck and lint: people call either tool by either name */
	const struct format_row *row; /* instead of the functions: a format that is data (format.h) */
	const struct test_json *json; /* instead of the functions: an object with counts at known places */
	const struct format_reading *reading; /* with row: what was read of an output; NULL: not yet */
};

/* Declares the two functions of a format. */
#define VALIDATOR(name)                                                     \
	int name##_detect(const struct validate_input *in);                 \
	void name##_check(struct arena *a, const struct validate_input *in, struct validation *v)

/* Families: arrays that end with a row without a format. */
extern const struct validator validators_test_text[], validators_test_machine[], validators_static[],
		validators_data[];

/*
 * Detects the format and checks it. An unrecognised output is indeterminate, with a note that lists the known
 * formats. Without a task the confidence must be at least DETECT_SURE; with one, above 0.
 */
#define DETECT_SURE 50
#define DETECT_CERTAIN 98 /* the highest confidence: later rows are skipped */
void validate_text(struct arena *a, const struct validate_input *in, struct validation *ret);
/*
 * A pass is none if the command has words with which the tool does not run what it reports: `--dry-run`,
 * `go test -list`, `tsc --noCheck`.
 */
void validate_command(struct arena *a, const struct validate_input *in, struct validation *v);
/* True if the command only shows texts that exist already (`cat old.log | tail`), so that it ran nothing. */
bool validate_only_prints(struct str command);
/* True if the command shows only some lines of the output (`npm test | tail -9`). */
bool validate_shows_part(struct str command);
/* Judges only the status of the run: killed, never started, cut. Otherwise valid, without a result. */
void validate_run(struct arena *a, const struct validate_input *in, struct validation *ret);
/* -1 if the part after the last colon of a required column is not a type. */
int validate_column(struct str column, struct err *e);
/* Sets row i of all families; false after the last. */
bool validator_at(size_t i, struct validator *ret);
void validator_check(const struct validator *r, struct arena *a, const struct validate_input *in,
		struct validation *v);

int test_json_detect(const struct test_json *row, const struct validate_input *in);
void test_json_check(const struct test_json *row, struct arena *a, const struct validate_input *in,
		struct validation *v);

/*
 * For validators. A check starts with a valid result of RESULT_NONE and adds its findings. At the end notes
 * decide: one that is not a warning makes the result invalid, and only a valid one has a result. Text
 * validators get the output without escape sequences (colours).
 */
void validation_count(struct arena *a, struct validation *v, const char *name, int64_t n);
/* Adds a failed check, which makes the result invalid unless it is a warning. */
void validation_note(struct arena *a, struct validation *v, enum note_id id, bool warning, const char *fmt,
		...) __attribute__((format(printf, 5, 6)));
/* The same for a custom validator. */
void validation_note_custom(struct arena *a, struct validation *v, const char *name, bool warning,
		const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Adds a sign that a valid result shows less than it seems. It changes neither validity nor result. */
void validation_suspect(struct arena *a, struct validation *v, enum note_id id, const char *fmt,
		...) __attribute__((format(printf, 4, 5)));
/* Adds the reason why nothing can be said: indeterminate unless something else makes it invalid. */
void validation_unsure(struct arena *a, struct validation *v, enum note_id id, const char *fmt,
		...) __attribute__((format(printf, 4, 5)));
