/*
 * Memory and CPU time of a box without a cgroup, summed up from outside through the box's own /proc; and the
 * CPU time of a box whose cgroup does not count it. Watching is not enforcing: between two looks a program
 * can use more, and some of it is never seen.
 *
 * Memory is the sum of anonymous and shared-memory pages, of those in swap, and of the scratch file system;
 * not pages of mapped files, which the kernel can drop. Memory that no process has mapped and no file system
 * shows is not seen: shared memory that was unmapped while others could still map it, pipe and socket
 * buffers. Mapped shared memory of the scratch (/dev/shm) counts twice.
 *
 * CPU time: a process that nobody waits for takes its time with it. The time that was seen stays in the sum,
 * so the sum is never too large, and too small by what processes did after the last look at them.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Processes whose time is remembered; the time of others is lost when they end. */
#define WATCH_PROCESSES 4200

struct watch_sum {
	/* Bytes. While the sum stays within the limit, a shared page counts once for each process. */
	uint64_t memory;
	uint64_t cpu_ms;
	unsigned processes;
};

struct watch_process {
	int pid;
	uint64_t start;     /* clock ticks since boot: tells processes with a reused pid apart */
	uint64_t ns;        /* its own time, without that of children */
};

struct watch_times { /* zeroed: nothing was seen yet */
	uint64_t gone_ns;   /* of processes that have ended */
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
 * True if nothing in the box will execute another instruction: all threads are exiting, which can take the
 * kernel seconds when they hold much memory. procfd as above; with -1 the processes are those of a cgroup's
 * list, and init. False also when that is unknown.
 */
bool watch_all_leaving(int procfd, int list, int init);
/* CPU time in ms of the processes in a cgroup's list (a descriptor; -1: none) and of init. */
uint64_t watch_time(int list, int init, struct watch_times *times);
