/*
 * Hints of a run that has not ended. A client that reaches its own time-out may kill the launcher (SIGKILL),
 * or stop waiting and let the command go on. In both cases no report exists when the model asks itself why
 * the command took so long.
 *
 *   launcher  looks at the output now and then, and leaves the hints that hold so far (record/handoff.h):
 *             for the event of its call, and for the next event of the session. Its report replaces them
 *   hook      finds them. It says the latter only if the launcher is dead
 */
#pragma once
#include "run/job.h"

/* Only for a ticket, whose reader is a hook. */
void job_unfinished_note(struct job *j, const struct outcome *so_far);
/* The run has ended, and its report says everything. */
void job_unfinished_clear(struct arena *a, struct job *j);
