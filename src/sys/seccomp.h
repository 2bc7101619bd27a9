/*
 * The system call filter: an allow-list, compiled to BPF at build time (src/sys/gen/gen_seccomp.c, with
 * libseccomp), so that loading it takes one system call. The policy is in src/sys/gen/calls.c.
 *
 * A refused call fails with EPERM; with ENOSYS if programs have a fallback (clone3, io_uring) or the call is
 * unknown; sockets fail with EAFNOSUPPORT. A call of another architecture kills the process with SIGSYS.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>


/*
 * Loads the filter for this process and its descendants. traced: they may trace each other. Needs
 * no_new_privs. Allocates nothing. Returns 0 or an errno.
 */
int seccomp_load(bool network, bool traced);
/*
 * Loads an additional filter. hidden_memory, for a box without a memory cgroup: refuses memory files and
 * System V segments, which an outside observer cannot see. cpus, for a box limited by its CPU set: refuses to
 * change that set. Needs and returns the same as seccomp_load().
 */
int seccomp_refuse(bool hidden_memory, bool cpus);
/*
 * Loads an additional filter that refuses every call but these with EPERM; at most SECCOMP_ONLY_MAX. For a
 * process of ours that knows what it needs. Needs and returns the same as seccomp_load().
 */
#define SECCOMP_ONLY_MAX 96
int seccomp_only(const unsigned short *calls, size_t n);
