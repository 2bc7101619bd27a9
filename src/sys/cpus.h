/*
 * CPUs: the number available to us, and the placement of our processes.
 *
 * The scheduler prefers to keep a process near its parent or its data. The launcher and init have work at the
 * same time, but finish it before the scheduler would spread it, so one CPU would stay idle. Therefore the
 * launcher moves init to another CPU: that saves 13 % of the time of `caisson run` on a quiet machine with
 * two CPUs, for 5 % more CPU time (bench/versus.py). A process that init starts while its CPU set is narrow
 * inherits that set, and restores the full one.
 */
#pragma once
#include <sched.h> /* with _GNU_SOURCE */
#include <sys/types.h>

#include "base/err.h"

unsigned cpus_count(void); /* at least 1 */
/*
 * CPUs of the machine. A process with fewer can take all of these, unless a cpuset or a seccomp filter
 * forbids it.
 */
unsigned cpus_online(void);
/* Moves the process to another CPU than ours, then allows it all of our CPUs again. */
int cpus_away(pid_t pid, struct err *e);
/* The CPU set of this process; empty if the kernel does not report it. */
void cpus_own(cpu_set_t *ret);
/*
 * Restores the full CPU set of a process that was moved, or that a moved process started. An empty set
 * changes nothing. 0, or -1 with errno.
 */
int cpus_restore(const cpu_set_t *all);
