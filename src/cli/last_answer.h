/*
 * The answer of a hook that cannot finish: a client that gets none runs the tool. From last_answer_begin()
 * on, each of these ends the process with the exit code that denies and one line on standard error:
 *
 *   - a signal that would end it with a core dump (a crash, a failed allocation that aborts, a stack
 *   overflow)
 *   - the deadline; a process that is stopped is killed by the kernel a little later
 *
 * After a tool the exit code is the one that passes, and nothing is said: what is over cannot be denied.
 * SIGKILL, and whatever happens earlier, is left to the line that `caisson init` writes.
 */
#pragma once
#include "client/client.h"

/* The first thing a hook does. Sets the default deadline. */
void last_answer_begin(void);
/* Another deadline, counted from the beginning. 0: the default; bounded by what clients wait. */
void last_answer_deadline(unsigned ms);
/* Tells the phase of the input, once it is known. Until then it counts as PHASE_PRE. */
void last_answer_phase(enum phase phase);
/* Is it about a tool that is over, or about none? */
bool last_answer_passes(void);
