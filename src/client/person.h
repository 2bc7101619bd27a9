/*
 * Is a person asking? The commands that make caisson milder (init, trust, allow, pause, suggest --apply) use
 * this one function. It refuses:
 *
 *     in a sandbox                 no_new_privs is set: by our box, by those of clients, hardly ever in a
 *     person's shell below an agent client a process above this one is a program of the table: agents have
 *     pseudo-terminals, too with an agent's variable the environment says that an agent runs this without a
 *     terminal where a question will be asked
 *
 * A process that left its client (its parent ended, so init is its parent now) and made a terminal of its own
 * cannot be told from a person. The gate and the protected paths are for that; SECURITY.md says so.
 */
#pragma once
#include "sys/ancestors.h"

enum { PERSON_TERMINAL = 1 /* standard input and output must be terminals */ };

/* 0: nothing speaks against it. -1 with what does. */
int person_check(struct arena *a, unsigned flags, struct err *e);
/* The name of the client whose program this process is ("claude-code", "another agent"), or NULL. */
const char *person_client(const struct ancestor *p);
