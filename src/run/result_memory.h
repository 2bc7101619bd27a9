/*
 * Memory of test runs: what the last run of the same command in the same project counted. A run that passes
 * with fewer tests, or with more of them skipped, gets a suspicion.
 *
 * The memory is a file per project and command in the state directory, which no box sees. Within one session
 * runs are compared with the last run before it, so that a second run does not hide what the first one lost.
 */
#pragma once
#include "run/run.h"

/*
 * Compares the result with the memory, adds suspicions to the report, and then remembers the result. Returns
 * false if there is no earlier result.
 */
bool result_memory_compare(struct arena *a, struct str session, struct report *report);
