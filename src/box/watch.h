/*
 * Memory and CPU time of a box without a cgroup, summed up from outside through the box's own /proc; and the
 * CPU time of a box whose cgroup does not count it. Watching is not enforcing: between two looks a program
 * can use more, and some of it is never seen.
 *
 * Memory is the sum of anonymous and shared-memory pages, of those in swap, and of the scratch file system;
 * not pages of mapped files, which the kernel can drop. Memory that no process has mapped and no file system
 * shows is not seen: shared memory that was unmapped or sent in a message, pipe and socket buffers. Mapped
 * shared memory of the scratch (/dev/shm) counts twice.
 *
 * CPU time: a process that nobody waits for takes its time with it. The time that was seen stays in the sum,
 * so the sum is never too large, and too small by what processes did after the last look at them.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define WATCH_PROCESSES 4200 /* whose time is remembered; that of others is lost with them */

struct watch_sum {
	/*
	 * Bytes. A page that several processes share counts for each of them as long as the sum stays within
	 * the limit.
	 */
	uint64_t memory;
	uint64_t cpu_ms;
	unsigned processes;
};

struct watch_process {
	int pid;
	uint64_t start;     /* clock ticks since the machine started: a number may be used again */
	uint64_t ns;        /* its own time, without that of children */
};

struct watch_times { /* zeroed: nothing was seen yet */
	uint64_t gone_ns;   /* of processes that are not there any more */
	unsigned n, nold;
	/* Processes of this look and of the one before. */
	struct watch_process now[WATCH_PROCESSES], old[WATCH_PROCESSES];
};

/*
 * procfd: the box's /proc, opened inside; scratchfd: any directory of its scratch, or -1. 0 or -1. Takes no
 * memory.
 *
 * Counting shared pages once takes the kernel a walk over all page tables. That is done only when the cheap
 * sum is above `limit`, so the answer to "is it too much?" is exact: a program that forks many children off a
 * large parent has not used its memory many times.
 */
int watch_box(int procfd, int scratchfd, uint64_t limit, struct watch_times *times, struct watch_sum *ret);
/*
 * Nothing in the box will execute another instruction: all its threads are on their way out of the kernel,
 * which may take it seconds when they hold much. procfd as above; or -1, and the processes are those of a
 * cgroup's list, and `init`. False when it cannot be said.
 */
bool watch_all_leaving(int procfd, int list, int init);
/*
 * CPU time in ms of those whose numbers stand in this list of a cgroup (a descriptor, or -1: nobody), and of
 * `init`.
 */
uint64_t watch_time(int list, int init, struct watch_times *times);
