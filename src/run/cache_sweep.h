/*
 * The size of what boxes have written into caches, of all projects together (STATE/caches). Deletes whole
 * projects: those above the limit of one project, and the least recently used while all are above the total.
 * A project that a box is using is left alone.
 *
 * A child of its own does this after a run, at most once an hour, or at once after a run that a limit has
 * ended. Nobody waits for it.
 */
#pragma once
#include "run/run.h"

/* Notes that this project's caches are in use, and starts the child if it is time. */
void cache_sweep(struct arena *a, const struct run *r, const struct outcome *o);
