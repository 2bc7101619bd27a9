/*
 * Landlock: a second layer of protection for the same paths. Uses the newest version that the kernel has;
 * mounts enforce the rest anyway. Allocates nothing, so it can run between fork and exec.
 */
#pragma once
#include <stdbool.h>


/*
 * Returns the kernel's Landlock version. 0: none, or version 1, which forbids operations that ordinary
 * programs need.
 */
int landlock_version(void);
/*
 * Creates a ruleset that denies everything it handles: files, TCP unless `network` is true, abstract sockets
 * and signals to processes outside. Returns a close-on-exec descriptor, or -1 with errno.
 */
int landlock_start(bool network);
/*
 * Allows reading and executing below the path. With `writable`, also changing files and ioctl on devices, but
 * never creating device nodes. Rules add up: a rule further down cannot revoke a right. 0, or -1 with errno;
 * the caller decides about ENOENT.
 */
int landlock_allow(int ruleset, const char *path, bool writable);
/* Enforces the ruleset for this process and its descendants. Needs no_new_privs. 0, or -1 with errno. */
int landlock_enforce(int ruleset);
