/*
 * The upper layer of the person's caches in a box.
 *
 *   STATE/caches/KEY/        a project's: directories that are its own as a whole (cache, npm, …), and
 *     layers/N/lock          held by the box that uses this layer, as long as any of its processes lives
 *     layers/N/upper/        what boxes wrote: paths as in the home
 *     layers/N/workdir/      new for every mount, which is much faster than one that was used
 *
 * One upper layer must never be in two living mounts: boxes of one project that run at once have different
 * layers. The first one that is free is taken, so a box that runs alone finds what the last one left.
 *
 * The host never reads a layer: only boxes of the same project do, and the size of it is counted.
 */
#pragma once
#include "run/run.h"

struct cache_layer {
	struct arena *a;
	struct arena_cleanup cleanup; /* closes the lock when the arena is left */
	int lock;                     /* -1: the run has no layer */
};

/*
 * Takes a layer for the caches of this run, if there are any, and enters it in *s. Without one the run goes
 * on without, and *why is set.
 */
void cache_layer_take(struct arena *a, const struct run *r, struct spec *s, struct cache_layer *ret,
		struct err *why);
void cache_layer_release(struct cache_layer *l);
