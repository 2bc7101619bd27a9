/*
 * The meaning of a run's output: the requested task, and the validators' result for the raw bytes, before
 * anything is normalised or left out.
 *
 *     options, skill, policy --spec_build_task()--> run_task --validation_make()--> validation
 *     --validation_json()--> the report
 */
#pragma once
#include "run/run.h"

/* longer streams: only the end is validated, and the result is never valid */
#define VALIDATION_STREAM_MAX ((size_t)16 << 20)
#define VALIDATION_TAIL ((size_t)1 << 20)
#define VALIDATION_SCHEMA_MAX ((size_t)1 << 20)
#define VALIDATION_COLUMNS_MAX 256

/* Parses the value of --columns: "a,b:integer,c". */
int validation_columns(struct arena *a, struct str list, const struct str **ret, size_t *ret_n,
		struct err *e);
/*
 * Makes a valid test result indeterminate if the policy requires a report of the runner (results.require:
 * witnessed) and there is none.
 */
void validation_need_witness(struct arena *a, const struct run *r, struct validation *v);
/* Validates the output. NULL: no task given, and no format recognised. */
struct validation *validation_make(struct arena *a, const struct run *r, const struct outcome *o);
/*
 * Runs the custom validators after report_make(): those of the policy for the task, and the one on the
 * command line. Each reads the report in a box of its own. Updates report->validation.
 */
void validation_custom(struct arena *a, const struct policies *p, struct report *report);
bool validation_has_custom(const struct policies *p, enum task task);
/*
 * Appends the validation as a JSON object; `null` for NULL. An invalid one has no counts, since they must not
 * be used.
 */
void validation_json(struct buf *b, const struct validation *v);
/* Parts of it. Counts of an invalid result must not be used, so they are left out. */
void validation_counts_json(struct buf *b, const struct validation *v);
void validation_checks_json(struct buf *b, const char *key, const struct check_note *checks);
