/*
 * struct session: who asks, and where. It is made once for a request and passed by const pointer to all that
 * load policies, judge, run or record.
 *
 * The fields that name a place are inputs and may be empty. `view` is what was found there: session_open()
 * looks once, and who is given an open session does not look again. A session that is not open is looked at
 * by its reader, for itself.
 */
#pragma once
#include "model/identity.h"
#include "model/view.h"

struct session {
	struct str cwd;        /* absolute, or relative to the process's own; empty: the process's own */
	/* Where the client's session started: the project is looked for from there if cwd lies in it. */
	struct str base;
	struct str home, user; /* empty: looked up */
	/* The project, whatever its files say by now. NULL: it is looked for. An empty path: none. */
	const struct directory *pin;
	bool places;           /* the view only says where things are; judging looks at the rest */
	const struct view *view; /* NULL: not open */
};

/* The caller is inside an arena_run(). */
void session_open(struct arena *a, struct session *s);
/* NULL is the session of the process's own directory, not open. */
const struct session *session_or_own(const struct session *s);
