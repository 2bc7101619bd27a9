/*
 * CPUs: how many there are for us, and which of our processes goes where.
 *
 * The kernel likes a process to stay where its parent or its data is. The launcher and init have work at
 * once, all of it together shorter than the kernel takes to spread it, and a CPU would stay idle. So the
 * launcher moves init by hand: that saves 13 % of the time of `caisson run` on a quiet machine with two CPUs,
 * for 5 % more CPU time (bench/versus.py). A process that init starts while its set is narrow inherits that,
 * and takes the rest back.
 */
#pragma once
#include <sched.h> /* with _GNU_SOURCE */
#include <sys/types.h>

#include "base/err.h"

unsigned cpus_count(void); /* at least 1 */
/* CPUs of the machine: a process that has fewer can take these, unless a cpuset or a filter keeps it. */
unsigned cpus_online(void);
/* The process goes to another CPU than ours, and may go anywhere from there. */
int cpus_away(pid_t pid, struct err *e);
/* The CPUs that this process may have; none when the kernel does not say. */
void cpus_own(cpu_set_t *ret);
/*
 * For a process that was moved, or started by one that was: takes all of these again, if it does not have
 * them. An empty set changes nothing. 0, or -1 with errno.
 */
int cpus_restore(const cpu_set_t *all);
