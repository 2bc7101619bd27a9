/*
 * The process that becomes the program. It is there before it is known what for, beside init, because it has something to do: to make the network namespace
 * takes the kernel longest. Inside of src/box only.
 *
 * It shares memory, descriptors and the root with init, in which that puts everything together; exec ends that. Init gives it two words: what it is for, and
 * that the root is there, into which it was taken along. Then it waits for the launcher's.
 *
 * So errno is one for both. Up to the second word nothing may fail here that does not end the box, and from then on nothing of init's.
 */
#pragma once
#include "box/ns.h"

#define PROGRAM_NETWORK (-1)

struct program {
	const struct ns_child *child;
	const struct ns_task *task; /* there with init's first word */
	int words;                  /* an eventfd */
	pid_t pid;                  /* 0: there is none yet */
	pid_t life;                 /* its pid, then PROGRAM_NETWORK; 0: it has ended, or is the program. A futex. */
	bool started;               /* by the launcher */
	bool start_checked;         /* by init: the directory that it starts in (setup_root()) */
};

/* The program keeps the namespaces, user and limits that it is created with. */
int program_start(struct program *p, struct err *e);
int program_say(const struct program *p, struct err *e);
/* While its life is this: the next one, or the same when time is up. patience NULL: for ever */
pid_t program_await(struct program *p, pid_t life, const struct timespec *patience);
