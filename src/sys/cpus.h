/*
 * CPUs: how many there are for us, and which of our processes goes where.
 *
 * The kernel likes a process to stay where its parent or its data is. When several processes of ours have work at once, all of it
 * together shorter than the kernel takes to spread it, that leaves CPUs idle: then a process is moved by hand. Whoever it starts while its set is narrow
 * inherits that, and has to take the rest back.
 */
#pragma once
#include <sched.h> /* with _GNU_SOURCE */
#include <sys/types.h>

#include "base/err.h"

unsigned cpus_count(void); /* at least 1 */
unsigned cpus_online(void); /* of the machine: a process that has fewer can take these, unless a cpuset or a filter keeps it */
/* It goes to another CPU than ours, and may go anywhere from there. */
int cpus_away(pid_t pid, struct err *e);
/* It comes to ours, which we are about to leave, and stays there until it takes the others back. Only where there are two: with more there is one for everybody. */
void cpus_here(pid_t pid);
/* Those we may have; none when the kernel does not say. */
void cpus_own(cpu_set_t *ret);
/* For a process that was moved, or started by one that was: all of these again, if they are not its already. None is no wish. 0 or -1 with errno. */
int cpus_restore(const cpu_set_t *all);
