/*
 * The classifier: a program of the person's own that is asked about what would otherwise be asked of a
 * person.
 *
 * It speaks about the ask alone. It lifts no denial, no ask of a fixed check, nothing in plan mode, and what
 * the gate wants in the box stays there (where the system's policy forbids lifting, the policy in force has
 * the system's classifier or none); a command that was not read to its end, or runs what is not known, is at
 * most contained. Whatever goes wrong (it does not start, takes too long, fails, answers anything but what is
 * agreed) leaves the ask as it is.
 */
#pragma once
#include "judge/engine.h"

#define CLASSIFIER_OUTPUT_MAX ((size_t)64 << 10)
#define CLASSIFIER_MS_DEFAULT 2000
#define CLASSIFIER_MS_MAX 30000
#define CLASSIFIER_ARGS_MAX 64
#define CLASSIFIER_REASON_MAX 500 /* bytes of its reason that are kept */

/*
 * Does nothing unless *j asks and the policy has a classifier. Adds the answer, or why there is none, to *j.
 * Uses an answer that is already in *known instead of asking; otherwise stores it there.
 */
void classifier_consult(struct arena *a, const struct engine_request *rq, const struct policy *p,
		const struct facts *f, struct classified *known, struct judgement *j);
