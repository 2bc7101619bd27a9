/*
 * The watchdog of a hook answers for a hook that cannot finish: without an answer, a client runs the tool.
 * After watchdog_start(), each of these ends the process with the exit code that denies and one line on
 * standard error:
 *
 *   - a signal that would dump core (a crash, an abort after a failed allocation, a stack overflow)
 *   - the deadline; a stopped process is killed by the kernel a little later
 *
 * After a tool the exit code passes and nothing is printed, because a finished call cannot be denied.
 * SIGKILL, and anything before watchdog_start(), is left to the hook line that `caisson init` writes.
 */
#pragma once
#include "client/client.h"

/* Installs the handlers and the default deadline. Must be the first thing a hook does. */
void watchdog_start(void);
/* Sets another deadline, counted from the start and capped below the clients' limits. 0: the default. */
void watchdog_deadline(unsigned ms);
/* Sets the phase of the input once it is known. Until then it is PHASE_PRE. */
void watchdog_phase(enum phase phase);
/* True if the event is about a finished tool, or about none. */
bool watchdog_passes(void);
