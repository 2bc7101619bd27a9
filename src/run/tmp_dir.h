/*
 * The project's own /tmp while a box uses it: the directory exists, has mount points for everything that the
 * box mounts below /tmp, and is locked against cleaning (sys/kept_tmp.h).
 */
#pragma once
#include "run/run.h"
#include "sys/kept_tmp.h"

struct held_tmp { /* owned by the arena, which closes it at the latest */
	struct kept_tmp kept;
	struct arena_cleanup cleanup;
};

struct tmp_dir { /* zeroed: nothing is held */
	struct arena *a;
	const struct spec *spec;
	struct held_tmp *held;
};

/* `state` exists and is checked. Does nothing if the box has an empty /tmp. */
int tmp_dir_hold(struct arena *a, const struct run *r, struct str state, struct tmp_dir *ret, struct err *e);
/* Called after the box is gone. */
void tmp_dir_release(struct tmp_dir *t);
