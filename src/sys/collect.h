/*
 * Named pipes that somebody else writes to while we are busy: a process of ours empties them into files
 * without a name, up to a size. Writers never wait for long, cannot take back what they wrote, and find
 * nothing to fill a disk with.
 */
#pragma once
#include <sys/types.h>

#include "base/str.h"

#define COLLECT_MAX 8

struct collector {
	struct arena *a;
	struct arena_cleanup cleanup; /* ends it when the arena is left */
	pid_t pid;              /* 0: none */
	int stop;               /* its end of a pipe: a byte means that all has been written */
	size_t n, max;
	const char *paths[COLLECT_MAX];
	int files[COLLECT_MAX];
};

/*
 * Makes the pipes (new names; nobody but us reads them) and starts. On failure, or when the arena is left,
 * nothing is left behind. *ret stays in place until collector_end().
 */
int collector_start(struct arena *a, const char *const *paths, size_t n, size_t max, struct collector *ret,
		struct err *e);
/*
 * Ends: texts[i] is what was written to the i-th pipe, or empty; large[i]: it was more than `max`, and is
 * left out. The pipes are gone afterwards. The writers must have ended.
 */
void collector_end(struct collector *c, struct str *texts, bool *large);
