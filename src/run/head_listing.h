/*
 * The tests of HEAD, listed by their runner and not run: `pytest --collect-only`, `go test -list`,
 * `bats --count`, `mocha --dry-run`. A helper box runs the command in a copy with the tests of HEAD
 * (head_tests.c). More tests there than ran are a suspicion. It serves the first run of a command in a
 * project, which has no earlier run to be compared with (result_memory.h).
 */
#pragma once
#include "run/run.h"

/* Adds the suspicion `fewer-tests` to a passing run. A list that cannot be made says nothing. */
void head_listing_compare(struct arena *a, const struct run *r, const struct policies *p,
		struct validation *v);
