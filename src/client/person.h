/*
 * Tests if a person is asking. The commands that make caisson milder (init, trust, allow, pause, suggest
 * --apply) all use person_check(). It refuses:
 *
 *     in a sandbox                 no_new_privs is set: our box and client sandboxes set it, a person's shell
 *                                  rarely does
 *     below an agent client        an ancestor process is a client's program; a terminal alone proves
 *                                  nothing, since agents have pseudo-terminals
 *     with an agent's variable     the environment says that an agent runs this
 *     without a terminal           if a question will be asked
 *
 * Limit: a process that left its client (reparented to init) and opened its own terminal looks like a person.
 * The gate and the protected paths cover that case; see SECURITY.md.
 */
#pragma once
#include "sys/ancestors.h"

enum { PERSON_TERMINAL = 1 /* standard input and output must be terminals */ };

/* Returns 0 if a person may be asking, else -1 and the reason in *e. */
int person_check(struct arena *a, unsigned flags, struct err *e);
/*
 * Returns a descriptor that is readable once the agent client above this process has ended; -1: there is
 * none. If the client's processes start each other, that is the first of them.
 */
int person_client_watch(struct arena *a, void *unused);
/* Returns the client whose program this process is ("claude-code", "another agent"), or NULL. */
const char *person_client(const struct ancestor *p);
