/*
 * The undertaker: a process outside the box that outlives a launcher which was killed, and removes what only a launcher could: its cgroup and its
 * placeholders. It shares the launcher's memory (so it costs no copy), has its own session (so a killed group does not take it along), and
 * no descriptors but those it needs.
 */
#pragma once
#include "box/protect.h"
#include "sys/cgroup.h"

#define UNDERTAKER_STACK ((size_t)256 << 10) /* protect_bury() has several directory listings on it */
#define UNDERTAKER_KEEP_MAX (1 + 2 * CG_HIERARCHIES_MAX + PROTECT_FDS)

struct undertaker {
	int pid;                /* 0: none */
	int life[2];            /* its end of a pipe, and the launcher's: that closes without a word when the launcher is killed */
	struct cgroup *cg;
	struct protect *protect;
	const pid_t *box;         /* the box's init, 0: none (yet); names are given free only when it is gone. NULL: nobody to wait for */
	int keep[UNDERTAKER_KEEP_MAX]; /* the descriptors it needs, the smallest first */
	size_t nkeep;
	char stack[UNDERTAKER_STACK] __attribute__((aligned(16)));
};

/* *u stays where it is until it is dismissed. cg and protect may be NULL. */
int undertaker_start(struct undertaker *u, struct cgroup *cg, struct protect *protect, struct err *e);
/* All is cleaned up: it goes without doing anything. Its pid, to be waited for, or 0. */
int undertaker_dismiss(struct undertaker *u);
/* For a box that nothing runs in any more, but that the kernel needs a while to end: a process of its own removes the group then. Nobody waits for it. */
void undertaker_later(struct cgroup *cg, int pidfd);
