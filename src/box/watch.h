/*
 * Memory and time of a box without a cgroup, summed from outside through the box's own /proc.
 */
#pragma once
#include <stdint.h>

struct watch_sum {
	uint64_t memory;    /* bytes: private and shared memory of all processes, and what is in the scratch */
	uint64_t cpu_ms;    /* of those that live now */
	unsigned processes;
};

/* procfd: the box's /proc, opened inside; scratchfd: any directory of its scratch. 0 or -1. Takes no memory. */
int watch_box(int procfd, int scratchfd, struct watch_sum *ret);
