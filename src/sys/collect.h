/*
 * Reads named pipes while the caller is busy: a child process copies them to memory files, up to a size. So
 * writers never block for long, cannot take back what they wrote, and cannot fill a disk.
 */
#pragma once
#include <sys/types.h>

#include "base/str.h"

#define COLLECT_MAX 12

struct collector {
	struct arena *a;
	struct arena_cleanup cleanup; /* kills the child when the arena is left */
	pid_t pid;              /* the child process; 0: none */
	int pidfd;
	int stop;               /* write end of the stop pipe: one byte says that all writers have ended */
	size_t n, max;
	const char *paths[COLLECT_MAX];
	int files[COLLECT_MAX];
};

/*
 * Creates the named pipes (paths that do not exist yet) and starts the child. Cleans up on failure, and when
 * the arena is left. *ret must not move until collector_end().
 */
int collector_start(struct arena *a, const char *const *paths, size_t n, size_t max, struct collector *ret,
		struct err *e);
/*
 * Stops the child and removes the pipes. texts[i] is the content of the i-th pipe, or empty; large[i] is set
 * if it was more than `max`, or unreadable, and left out. The writers must have ended.
 */
void collector_end(struct collector *c, struct str *texts, bool *large);
