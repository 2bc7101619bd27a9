/*
 * Detects a foreign sandbox around this process. Asks only the kernel, never environment variables, which
 * anybody can set.
 */
#pragma once
#include "base/str.h"

/*
 * True with no_new_privs, a seccomp filter and a user namespace other than the initial one, as in the
 * sandboxes of agent clients.
 */
bool confined_here(void);
/*
 * NULL if nothing of that kind is around this process; else what there is. Stricter than confined_here(): one
 * is enough. For a process that will serve others.
 */
const char *confined_by(void);
/* True if this directory, which the caller owns, is on a read-only mount. */
bool confined_readonly(const char *dir);
/* True if this network namespace has only a loopback interface. */
bool confined_offline(void);
