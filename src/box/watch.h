/*
 * Memory and time of a box without a cgroup, summed from outside through the box's own /proc; and the time of one whose cgroup does not count it.
 *
 * What a program holds privately or shares (anonymous and shared-memory pages, and what of them is in swap) plus what is in the scratch file
 * system; not the pages of files it maps, which the kernel can drop. What no process has mapped and no file system shows is not seen:
 * memory files that were only written to, pipe and socket buffers. Shared memory of the scratch (/dev/shm) that is mapped counts twice.
 */
#pragma once
#include <stdint.h>

struct watch_sum {
	uint64_t memory;    /* bytes. A page that several processes share counts for each of them as long as the sum stays within the limit */
	uint64_t cpu_ms;    /* of those that live now and of the children they waited for */
	unsigned processes;
};

/*
 * procfd: the box's /proc, opened inside; scratchfd: any directory of its scratch, or -1. 0 or -1. Takes no memory.
 *
 * Counting shared pages once takes the kernel a walk over all page tables. That is done only when the cheap sum is above `limit`, so the
 * answer to "is it too much?" is exact: a program that forks many children off a large parent has not used its memory many times.
 */
int watch_box(int procfd, int scratchfd, uint64_t limit, struct watch_sum *ret);
/* CPU time in ms of those whose numbers stand in this list of a cgroup (a descriptor, or -1: nobody), and of `init`, with the children they waited for. */
uint64_t watch_time(int list, int init);
