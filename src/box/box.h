/*
 * The box: a spec becomes a fresh sealed chamber, a program runs in it, the chamber is gone, an outcome
 * remains.
 *
 *     struct box box = {0};
 *     box_begin(&box, a, backend);            optional: a head start while the spec is still being made
 *     box_prime(&box, spec);                  optional: more of it, for a spec like the one that will come
 *     box_run(&box, a, backend, ..., &outcome)  the whole run
 *     box_wait(&box, &outcome)                after the report is out: waits for the kernel's clean-up
 *
 * A backend is a row of the table in box.c (backend.h has the interface). Each enforces a spec as a whole or
 * refuses it with the reason; none weakens it.
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "model/outcome.h"
#include "model/spec.h"

struct backend;
struct box_state; /* backend.h */
struct op;        /* plan.h */

#define BOX_LEAVING_MAX 4

struct box { /* owns all processes of one box; zeroed: none. Must not be copied while it owns any */
	struct box_state *begun;             /* by box_begin(), and not run yet; NULL: none */
	pid_t leaving[BOX_LEAVING_MAX];      /* processes of ours that are exiting after a run; 0: none */
	/* input: the arena outlives box_wait(), which removes what is left of a primed box that has ended */
	bool lasts;
	struct box_state *late;              /* such a box; NULL: none */
};

struct box_progress { /* called about twice a second while the program runs; NULL: nobody wants to know */
	void (*fn)(void *ctx, uint64_t elapsed_ms, uint64_t memory);
	void *ctx;
};

/*
 * Lets a box outlive its launcher (hold.h). The launcher forks a holder, which has a copy of everything:
 * after that box_run() returns in both. In the launcher outcome.held is set, and nothing of the box is its
 * own any more; its process must end without freeing the arena. In the holder box_run() returns when the box
 * has ended.
 */
struct box_hold {
	uint64_t after_ms;         /* the box is handed over after this time; 0: only what is left is */
	uint64_t age_ms;           /* the time limit from then on */
	/*
	 * Asks for a place. `left`: the program has ended, and others are left. *ret_life is for init, which
	 * ends the box when its other end is closed. -1: nothing stays in the background.
	 */
	int (*ask)(void *ctx, bool left, int *ret_life, struct err *e);
	void (*cancel)(void *ctx); /* the box was not handed over after all */
	/* If spec.shares: others may enter the network of the box with these, as spec.joins. */
	void (*share)(void *ctx, const int *fds, size_t n);
	/*
	 * If spec.shares: the same for a box that is still the launcher's. It is asked for the first time
	 * after lend_ms, and then now and then, if its network is to be lent; 0: it never is.
	 */
	uint64_t lend_ms;
	bool (*wants_lending)(void *ctx);
	bool (*lend)(void *ctx, const int *fds, size_t n);
	/* The caller's streams under other numbers, which the holder must not hold; -1: none. */
	int callers[2];
	/* In the holder, once the box is its own. True: our stdout and stderr take the output of the box. */
	bool (*begin)(void *ctx);
	pid_t init;                /* of the box, for ask() */
	/* ask() calls it every few ms while it waits: the limits hold meanwhile. */
	void (*tick)(void *ctx);
	void *tick_ctx;
	int keeper;                /* a descriptor that the holder watches, set by ask() */
	int client;                /* another: its end is the end of the box; -1: none */
	void (*client_ended)(void *ctx);
	bool (*wants_end)(void *ctx); /* it is readable: true if the box has to end */
	/* Called every few seconds in the holder. */
	void (*usage)(void *ctx, uint64_t memory, uint64_t cpu_ms);
	void *ctx;
};

struct box_start { /* how a run starts; zeroed: at once */
	/* Called when the box is being put together, before anything foreign runs in it; -1: nothing will. */
	int (*before_program)(void *ctx, struct err *e);
	/*
	 * Called with growing pauses while the program runs: so_far has the time, the streams and the
	 * connections, which are valid during the call. NULL: nobody wants to know.
	 */
	void (*look)(void *ctx, const struct outcome *so_far);
	void *ctx;
	struct box_hold *hold;     /* NULL: everything in the box ends with the program */
	/* A plan that was made elsewhere, for a box in a virtual machine; NULL: the spec becomes one. */
	const struct op *plan;
};

/* The backend with this name, or the default for NULL; NULL: there is none. */
const struct backend *box_backend(const char *name);
const struct backend *box_backend_at(size_t i); /* NULL after the last */
/*
 * The backend for this spec: the chosen one, or for BACKEND_AUTO the first of the table that this host has
 * and that enforces the whole spec. If there is none, the default, which will say why.
 */
const struct backend *box_choose(enum backend_choice c, const struct spec *s);
/* -1 with the reason if the backend cannot enforce the whole spec. */
int box_backend_lacks(const struct backend *b, const struct spec *s, struct err *e);
/* 0 when this host has what the backend needs, else -1 with the reason. */
int box_backend_probe(const struct backend *b, struct err *e);
const char *box_backend_about(const struct backend *b);
const char *box_backend_name(const struct backend *b);
/*
 * Begins a box for which there is no spec yet: the backend makes what every box needs while the caller still
 * finds out what is to run, and whether. Nothing foreign is in it. If it cannot be begun, box_run() will say
 * why.
 */
void box_begin(struct box *box, struct arena *a, const struct backend *b);
/*
 * Puts the begun box together for this spec, up to the start of its program. Only arguments, environment,
 * input, files in the home and limits of a run may differ from it; for any other run a new box is begun. The
 * spec must live as long as the box. With spec.preload this waits until the interpreter is ready. False: this
 * cannot be done ahead, e says why, and the box is as it was, or gone.
 */
bool box_prime(struct box *box, const struct spec *guess, struct err *e);
/*
 * Runs the spec, in the box that was begun if it fits. 0 and *ret, however the program ended. -1 when the box
 * could not be made: nothing ran, nothing is left behind, and e says why. The streams of *ret lie in the
 * arena and in files.
 */
int box_run(struct box *box, struct arena *a, const struct backend *b, const struct box_start *start,
		const struct spec *s, const struct box_progress *p, struct outcome *ret, struct err *e);
/* Removes a box that was begun and never ran. Safe to call twice, and if none was begun. */
void box_discard(struct box *box);
/*
 * After a run: closes the streams of *o, and waits until nothing of the box is left, not even in the kernel.
 * The arena may be gone by then. Safe to call twice, and if nothing ran.
 */
void box_wait(struct box *box, struct outcome *o);
/*
 * Makes a box for nothing, whatever the workspace is like. BOX_IMPOSSIBLE: the kernel refuses what every box
 * needs. BOX_UNSURE: it failed for another reason, which may pass; a program in another box may be the cause.
 * *ret_why says why, unless it is possible.
 */
enum box_ability { BOX_UNSURE, BOX_POSSIBLE, BOX_IMPOSSIBLE };
enum box_ability box_try(struct arena *a, const struct backend *b, struct err *ret_why);
/*
 * Is this process in a box already? For messages only: whatever it says, the outer box's filter refuses an
 * inner one.
 */
bool box_inside(void);
/*
 * For main(): the first process in a container of another engine (guest.h) is this program as `PROGRAM
 * BOX_GUEST SOCKET [UID:GID]`, with the socket to the launcher, a number or a path. The first process of a
 * virtual machine (vm.h) is this program as BOX_VM_AGENT. Never returns in either.
 */
#define BOX_GUEST "box-guest"
#define BOX_VM_AGENT "/init"
void box_entry(int argc, char **argv);
