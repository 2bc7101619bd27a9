/*
 * Is this process in somebody's sandbox? Known by what the kernel says of it, never by variables, which
 * anybody can set.
 */
#pragma once
#include "base/str.h"

/* No new privileges, a filter of system calls, and a user namespace other than the first: as in the sandboxes
 * of agent clients. */
bool confined(void);
/* Is this directory, which the caller owns, on a mount that is read-only for this process? */
bool confined_readonly(const char *dir);
/* Has this network namespace nothing but its loopback? */
bool confined_offline(void);
