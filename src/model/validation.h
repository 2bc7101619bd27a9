/* The meaning of a result, as validators found it. Zeroed memory means indeterminate. */
#pragma once
#include "base/str.h"

enum validity { VALIDITY_INDETERMINATE, VALIDITY_VALID, VALIDITY_INVALID }; /* can the numbers be trusted? */
enum verdict_of_result { RESULT_NONE, RESULT_PASS, RESULT_FAIL };           /* what the numbers say */
/*
 * How strong the evidence is. `printed`: text for people, which any program can print. `machine`: a format
 * for programs in the output. `witnessed`: the runner wrote a report to a place that the box chose, and what
 * it printed says the same.
 */
enum evidence { EVIDENCE_NONE, EVIDENCE_PRINTED, EVIDENCE_MACHINE, EVIDENCE_WITNESSED };

/* The purpose of a run, which tells the validators. */
enum task { TASK_ANY /* not given: any that is recognised */, TASK_TEST, TASK_TYPECHECK, TASK_LINT, TASK_DATA,
		TASK_JSON, TASK_CUSTOM, TASKS };
#define TASK_NAMES "test, typecheck, lint, data, json or custom" /* for messages */

struct count { /* a named number, such as "passed": 5 */
	struct count *next;
	const char *name;
	int64_t n;
};

enum note_id {
	NOTE_CUSTOM = 0, /* of a custom validator */
#define VALIDATION_NOTE(constant, ...) NOTE_##constant,
#include "model/note_rows.h"
#undef VALIDATION_NOTE
	NOTES
};

struct check_note { /* a check that failed, or information about the result */
	struct check_note *next;
	enum note_id id;
	const char *name;     /* of the id; NOTE_CUSTOM: "validator:id" */
	struct str message;   /* for the model: the problem, and what to do */
	bool warning;         /* does not make the result invalid */
};

struct validation {
	enum validity validity;
	enum verdict_of_result result;
	enum evidence evidence;
	enum task task;
	const char *format; /* NULL: not recognised */
	struct count *counts;
	struct check_note *checks;
	/* signs that a valid result shows less than it seems: fewer tests than before, and so on */
	struct check_note *suspicions;
	const char *canary; /* outcome of added tests that must fail (run/canary.h); NULL: none */
	uint64_t *names; /* hashes of the names of single tests; NULL: not known */
	size_t nnames;
};

/* The counts of a test run, in the same four numbers for all formats. */
struct test_totals {
	int64_t passed, failed, skipped, total;
};

/* False if the validation has no counts of tests, or is not valid. */
bool validation_totals(const struct validation *v, struct test_totals *ret);

const char *task_name(enum task t);     /* NULL for TASK_ANY */
enum task task_find(struct str name);   /* TASK_ANY: no task has this name */
const char *validation_note_name(enum note_id id);
const char *validity_name(enum validity v);
const char *result_name(enum verdict_of_result r);
const char *evidence_name(enum evidence e); /* "" for EVIDENCE_NONE */
