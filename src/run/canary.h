/*
 * Canaries: after a test run that passed, its runner also gets tests that must fail (witness/). A suite that
 * makes them pass would make any test pass. The runner's counts come as lines of JSON through a pipe:
 *
 *     {"runner": "pytest", "state": "started"}      the runner is there
 *     {…, "state": "done", "exit": 1, "passed": 0, "failed": 2, "skipped": 0}
 *     {…, "state": "skipped", "why": "…"}           no canary was tried
 *     {…, "state": "own"}                           the runner has a report of its own, and writes no other
 */
#pragma once
#include "base/arena.h"
#include "model/validation.h"

#define CANARY_LINES_MAX 4096

/* Adds the suspicion `canary-passed` to a pass. `lines`: all that came through the pipe. */
void canary_judge(struct arena *a, struct str lines, struct validation *v);
/* True if a runner said this about itself: "started", or "own" if it writes a report of its own choice. */
bool canary_said(struct arena *a, struct str lines, const char *runner, const char *state);
