/*
 * A ticket that is used in the client's own sandbox. There the state directory is read-only, so the ticket
 * cannot be taken, and the kernel makes no box. Clients are set up so that this does not happen
 * (docs/clients.md). Where it does all the same, the run is refused with a sentence, or, when the person's
 * policy trusts that sandbox (sandbox.client_sandbox), the command runs in it as it is.
 */
#pragma once
#include "run/job.h"

/* ticket_take(), or, where the kernel says that this is a sandbox and the ticket cannot be taken, only a look
 * at it: j->peeked. */
int job_ticket(struct arena *a, struct job *j, struct err *e);
/* Is this a sandbox in which no box can be made? Then the outcome says so, or j->direct is set: the caller
 * runs the command. */
bool job_sandboxed(struct arena *a, struct job *j);
