/*
 * Boxes of Caisson's own beside a run: without network, with the run's workspace read-only, and with small
 * limits. They leave no rows in the record.
 */
#pragma once
#include "run/run.h"

#define HELPER_OUTPUT MB

/* Runs the request with `input` as its standard input. -1 if it was killed or could not start. */
int helper_run(struct arena *a, const struct run *of, const struct policies *p, struct run_request *rq,
		struct str input, struct outcome *ret, struct err *e);
