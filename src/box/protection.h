/*
 * Protection of a run's workspace, whatever the backend. protect.h has what is protected, and how. Inside of
 * src/box only.
 *
 * One undertaker (undertaker.h) for the workspace, and one for the git directory that a linked worktree
 * shares: each exists before the first placeholder, and cleans up if the launcher is killed.
 */
#pragma once
#include "box/undertaker.h"

struct protection { /* zeroed: nothing is protected */
	struct protect *workspace, *git;
	struct undertaker undertaker, undertaker_git;
};

/*
 * Looks at the workspace, makes placeholders, and appends the operations that pin its names. *init becomes
 * the pid of the box's first process: an undertaker waits for its end.
 */
int protection_begin(struct arena *a, struct protection *p, const struct spec *s, const pid_t *init,
		struct ops *ops, struct err *e);
/* Compares and cleans up; nothing in the box may be running any more. Also after a setup that failed. */
int protection_end(struct arena *a, struct protection *p, const struct spec *s, struct change **ret,
		struct err *e);
/* The same for a run whose arena was left: with memory of its own, and nobody reads the changes. */
void protection_abandon(struct protection *p);
