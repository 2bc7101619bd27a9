/*
 * The undertaker: a process outside of the box that outlives a killed launcher, and removes what only a
 * launcher can: the cgroup and the placeholders in the workspace.
 *
 *   launcher    holds the write end of a pipe. It kills the undertaker when everything is cleaned up
 *   undertaker  sleeps in read(). EOF means that the launcher is dead: it cleans up, and exits
 *
 * The undertaker shares the launcher's memory (so it costs no copy), has its own session (so that killing a
 * process group does not reach it), and keeps only the descriptors that it needs.
 */
#pragma once
#include "box/protect.h"
#include "sys/cgroup.h"

#define UNDERTAKER_STACK ((size_t)256 << 10) /* protect_bury() has several directory listings on it */
#define UNDERTAKER_KEEP_MAX (1 + 2 * CG_HIERARCHIES_MAX + PROTECT_FDS)

/* Ends what another engine is still making: it would make placeholders once more. fn NULL: nothing. */
struct undertaker_call {
	void (*fn)(void *ctx);
	void *ctx;
};

struct undertaker {
	int pid;                /* 0: none */
	bool adopted;           /* it is no child of this process: a word on the pipe dismisses it */
	/*
	 * A pipe: the undertaker's end, and the launcher's, which the kernel closes when the launcher dies.
	 */
	int life[2];
	struct cgroup *cg;
	struct protect *protect;
	/*
	 * pid of the box's init: placeholders stay until it is gone. 0: none (yet). NULL: nothing to wait
	 * for.
	 */
	const pid_t *box;
	const struct undertaker_call *before; /* comes first; set before the start. NULL: none ever */
	int keep[UNDERTAKER_KEEP_MAX]; /* the descriptors it needs, the smallest first */
	size_t nkeep;
	char stack[UNDERTAKER_STACK] __attribute__((aligned(16)));
};

/* *u must stay in place until undertaker_dismiss(). cg and protect may be NULL. */
int undertaker_start(struct undertaker *u, struct cgroup *cg, struct protect *protect, struct err *e);
/* Everything is cleaned up: kills the undertaker. Returns its pid, to be waited for, or 0. */
int undertaker_dismiss(struct undertaker *u);
/*
 * Nothing runs in the box any more, but the kernel needs a while to free it: a process of its own, for which
 * nobody waits, removes the cgroup then.
 */
void undertaker_later(struct cgroup *cg, int pidfd);
