/*
 * A ticket that is used inside the client's own sandbox. There the state directory is read-only, so the
 * ticket cannot be taken, and the kernel refuses to create a box. Clients are configured so that this does
 * not happen (docs/clients.md). If it does, the run is refused with an explanation. If the person's policy
 * trusts that sandbox (sandbox.client_sandbox), the command runs in it without a box.
 */
#pragma once
#include "run/job.h"

/*
 * ticket_take(). If the ticket cannot be taken because the kernel shows that this is a sandbox:
 * ticket_peek(), and j->peeked is set.
 */
int job_ticket(struct arena *a, struct job *j, struct err *e);
/*
 * True if this is a sandbox in which no box can be created. Then the outcome explains it, or j->direct is
 * set: the caller runs the command.
 */
bool job_sandboxed(struct arena *a, struct job *j);
