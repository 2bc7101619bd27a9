/* The end of a run in words for people, on standard error. The program's own output has passed already. */
#pragma once
#include "run/job.h"

/*
 * Prints how the run ended. `always` also prints one line about a program that ended by itself; otherwise
 * only a limit, a signal and what a box may have broken are worth a line.
 */
void run_summary(struct arena *a, const struct job *j, bool always);
