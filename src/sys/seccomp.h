/*
 * The system call filter: an allow-list, compiled to BPF when caisson is built (src/sys/gen/gen_seccomp.c,
 * with libseccomp), so that loading it is one call. The policy is in src/sys/gen/calls.c. Refused calls fail
 * with EPERM, or with ENOSYS where programs have a fallback (clone3, io_uring) and for unknown calls; sockets
 * fail with EAFNOSUPPORT; calls of other architectures kill the process with SIGSYS.
 */
#pragma once
#include <stdbool.h>

#include "base/err.h"

/*
 * Loads it for this process and all after it. Needs no_new_privs. Takes no memory. The error is errno, 0 on
 * success.
 */
int seccomp_load(bool network);
/*
 * Besides it, where no cgroup counts memory: memory files and System V segments, which a watcher from outside
 * cannot see. And where the CPUs of a process are what limits it: changing those. The same.
 */
int seccomp_refuse(bool hidden_memory, bool cpus);
