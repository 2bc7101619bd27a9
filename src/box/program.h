/*
 * The process that becomes the program. It exists before the task is known, beside init, because making the
 * network namespace takes the kernel longest. Inside of src/box only.
 *
 * It shares memory, descriptors and the root with init until its exec. It waits three times:
 *   1. for init's first word: the task is known
 *   2. for init's second word: the root is finished, and both are in it
 *   3. for the launcher's NS_START; before it, in a primed box, for NS_PRIME and the task of the run
 *
 * errno is shared, too. Up to the second word nothing may fail in this process that does not end the box;
 * from then on nothing may fail in init.
 */
#pragma once
#include "box/ns.h"

#define PROGRAM_NETWORK (-1)
#define PROGRAM_PRIMED (-2)
#define PROGRAM_LOADER 3 /* the descriptor of loader[1] in an interpreter that starts ahead */

struct program {
	const struct ns_child *child;
	const struct ns_task *task; /* set before init's first word; of a primed box, replaced by its run's */
	int words;                  /* an eventfd */
	pid_t pid;                  /* 0: there is none yet */
	/* A futex: the pid, then PROGRAM_NETWORK, in a primed box PROGRAM_PRIMED; 0 after exec or exit. */
	pid_t life;
	int loader[2];              /* task->preload: a socket pair, init's end and the interpreter's */
	bool started;               /* NS_START was received */
	bool start_checked;         /* cwd was compared by init (setup_root()), or by the launcher */
};

/* Clones the process. It inherits init's namespaces, user and limits. */
int program_start(struct program *p, struct err *e);
/* Init: sends the next word. */
int program_say(const struct program *p, struct err *e);
/* Waits while p->life has this value. Returns the new value, or the same on timeout. NULL: no timeout. */
pid_t program_await(struct program *p, pid_t life, const struct timespec *patience);

/* ---- a primed box: steps of the process that waits for the run ---- */

/* Takes the task of the run, which becomes p->task, and makes its files. */
int program_take_task(struct program *p, struct err *e);
/* Waits for NS_START. */
int program_await_start(const struct ns_child *c, struct err *e);

/* ---- an interpreter that starts ahead (preload.c): steps of init ---- */

int preload_open(struct program *p, struct err *e); /* before the first word */
/* After its exec: waits until it is ready, takes the task of the run, and waits for NS_START. */
int preload_take_run(struct program *p, struct err *e);
void preload_send(const struct program *p); /* the arguments of the run */

/* ---- steps that the guest takes as well (guest.c) ---- */

/* The program's streams, no privileges, the system call filter. */
int program_enclose(const struct program *p, struct err *e);
/* cwd, Landlock, the wait for NS_START, limits, the cgroup. After it only exec follows. */
int program_enter(struct program *p, struct err *e);
/*
 * Looks the program up as a shell does: the first one that can be executed. Returns only after a failure.
 */
void program_exec(const struct ns_task *t, struct err *e);
