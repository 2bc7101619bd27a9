/*
 * struct context: the user and the place of one request. The caller makes it once per request and passes it
 * by const pointer to everything that loads policies, judges, runs or records.
 *
 * Fields that name a place are inputs and may be empty. `view` is what context_open() found there: it looks
 * at the world once, and readers of an open context do not look again. Given a context that is not open, each
 * reader looks for itself.
 */
#pragma once
#include "model/identity.h"
#include "model/view.h"

struct context {
	struct str cwd;        /* absolute, or relative to the process's cwd; empty: the process's cwd */
	/* Where the client's session started: if cwd lies in it, the search for the project starts there. */
	struct str start_dir;
	struct str home, user; /* empty: looked up */
	/* The pinned project, whatever its files say now. NULL: search for it. An empty path: no project. */
	const struct directory *pin;
	struct identity cwd_id; /* identity of cwd in a ticket; zero: not known */
	bool places;           /* the view holds only locations; judging fills in the rest */
	/* Set by a process that judges many requests: answers about files are kept. NULL: nothing is kept. */
	struct stamp_cache *stamps;
	const struct view *view; /* NULL: not open */
};

/* Looks at the world and sets s->view. Call it inside an arena_run(). */
void context_open(struct arena *a, struct context *s);
/* Returns s, or for NULL the context of the process's own directory, which is not open. */
const struct context *context_or_own(const struct context *s);
