/*
 * The box: a spec becomes a fresh sealed chamber, a program runs in it, the chamber is gone, and an outcome remains.
 *
 * A backend is a row of the table in box.c. Each enforces a spec as a whole or refuses it with the reason; none weakens it.
 */
#pragma once
#include <stdbool.h>

#include "base/arena.h"
#include "model/outcome.h"
#include "model/spec.h"

struct box_progress { /* called about twice a second while the program runs; NULL: nobody wants to know */
	void (*fn)(void *ctx, uint64_t elapsed_ms, uint64_t memory);
	void *ctx;
};

struct box; /* one under way, of a backend's own */

struct box_start { /* how a run starts; zeroed: at once, in a box of its own */
	struct box *begun;         /* what box_begin() began; used up */
	int (*ready)(void *ctx, struct err *e); /* called when the box is being put together, before anything foreign runs in it; -1: nothing will */
	void *ctx;
};

struct backend {
	const char *name;
	const char *about;
	/* 0 when this host can run it, else -1 with what is missing. */
	int (*probe)(struct err *e);
	struct box *(*begin)(struct arena *a);
	void (*end)(struct box *box);
	int (*run)(struct arena *a, const struct box_start *start, const struct spec *s, const struct box_progress *p, struct outcome *ret, struct err *e);
};

/* The backend with this name, or the default for NULL; NULL: there is none. */
const struct backend *box_backend(const char *name);
const struct backend *box_backend_at(size_t i); /* NULL after the last */
/*
 * Begins a box for which there is no spec yet: what every box needs is made while the caller still finds out what is to run, and whether. Nothing
 * foreign is in it. box_run() takes it over, or box_end() ends it. NULL: it cannot be begun, and box_run() will say why.
 */
struct box *box_begin(struct arena *a, const struct backend *b);
void box_end(const struct backend *b, struct box *begun); /* NULL is nothing */
/*
 * Runs the spec. 0 and *ret, whatever happened to the program; -1 when the box could not be made: nothing ran, nothing is left behind, and
 * e says why.
 */
int box_run(struct arena *a, const struct backend *b, const struct box_start *start, const struct spec *s, const struct box_progress *p, struct outcome *ret, struct err *e);
/*
 * Makes a box for nothing, whatever the workspace is like. BOX_IMPOSSIBLE: the kernel refuses what every box needs. BOX_UNSURE: it failed for another
 * reason, which may pass; a program in another box may be the cause. *ret_why says why, unless it is possible.
 */
enum box_ability { BOX_UNSURE, BOX_POSSIBLE, BOX_IMPOSSIBLE };
enum box_ability box_try(struct arena *a, const struct backend *b, struct err *ret_why);
/* Is this process in a box already? Only good for messages: whatever it says, a box in a box is refused by the outer one's filter. */
bool box_inside(void);
/* Waits until nothing of the run is left, not even in the kernel, nor of its streams; after the report is out, so that its reader need not wait for that. */
void box_wait(struct outcome *o);
