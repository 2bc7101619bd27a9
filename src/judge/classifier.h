/*
 * The classifier: a program of the person's that answers some questions before they reach the person.
 *
 * Its limits:
 * - It decides about an ask alone. It never lifts a denial, an ask of a fixed check, or anything in plan
 *   mode.
 * - A command that the gate contains stays in the box.
 * - A command that was not read to its end, or that runs unknown code, is at most contained.
 * - If the system's policy forbids lifting, only the system's classifier counts.
 * - Any failure (no start, timeout, exit status, malformed answer) leaves the ask as it is.
 */
#pragma once
#include "judge/engine.h"

#define CLASSIFIER_OUTPUT_MAX ((size_t)64 << 10)
#define CLASSIFIER_MS_DEFAULT 2000
#define CLASSIFIER_MS_MAX 30000
#define CLASSIFIER_ARGS_MAX 64
#define CLASSIFIER_REASON_MAX 500 /* kept bytes of its reason */

/*
 * Does nothing unless *j asks and the policy has a classifier. Adds the answer, or the reason for its
 * absence, to *j. Reuses the answer in *known if it has one; otherwise stores the new answer there.
 */
void classifier_consult(struct arena *a, const struct engine_request *rq, const struct policy *p,
		const struct facts *f, struct classified *known, struct judgement *j);
