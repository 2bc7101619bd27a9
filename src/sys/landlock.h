/*
 * Landlock: a second wall around the same paths. Uses the best version that the kernel has; what a version
 * lacks the mounts enforce anyway. Takes no memory: it is used between fork and exec.
 */
#pragma once
#include <stdbool.h>

#include "base/err.h"

/* The kernel's version. 0: none, or only the first, which forbids what ordinary programs need. */
int landlock_version(void);
/*
 * Starts a ruleset that denies all that it handles: files, and TCP where `network` is false; abstract sockets
 * and signals to the outside. The descriptor, close-on-exec, or -1 with errno.
 */
int landlock_start(bool network);
/*
 * Allows reading and running what is below the path, and with `writable` changing it and ioctl on devices;
 * device nodes are never made. Rules add up: what one allows no other can take away further down. 0 or -1
 * with errno; ENOENT is the caller's affair.
 */
int landlock_allow(int ruleset, const char *path, bool writable);
/* Puts the ruleset in force for this process and all after it. Needs no_new_privs. 0 or -1 with errno. */
int landlock_enforce(int ruleset);
