/*
 * `caisson doctor --client`: tests if a client's hook is live. It reads the settings as the client does and
 * runs their hook as the client would (`/bin/sh -c`, the event on standard input): once with a command that
 * every policy denies and that would do nothing here, and once with a command that does nothing anywhere. The
 * client's own reaction to the answers is not tested here: docs/clients.md and `make check-clients` cover
 * that.
 */
#pragma once
#include "client/init_hooks.h"

#define LIVE_SESSION "doctor" /* of the probes in init_table.c */

enum live_state { LIVE_NO, LIVE_PARTLY, LIVE_YES };

struct live_finding {
	struct live_finding *next;
	/* settings, program, enabled, closed, first, matcher, plugin, twice, denies, passes */
	const char *id;
	enum live_state state;
	struct str text;
	struct str todo;         /* what a person can do about it; empty: nothing */
};

struct live {
	const struct init_row *row;
	const char *title, *cannot; /* of client.h; cannot may be NULL */
	struct live_finding *first, **end;
	/* the hook denies: yes; it does, and something is not as it should be: partly; no */
	enum live_state state;
};

/*
 * Looks at the user's settings and the project's; rq->scope is not used. Runs what they say. Never fails:
 * what cannot be found out is a finding.
 */
void live_look(struct arena *a, const struct init_request *rq, const struct init_row *row,
		char *const *environment, struct live *ret);
/* Inside: a finding at the end of the list. */
void live_add(struct arena *a, struct live *l, const char *id, enum live_state state, struct str text,
		struct str todo);

struct live_request { /* of one client whose hooks are there */
	struct arena *a;
	const struct init_request *rq; /* its scope is not used */
	const struct init_row *row;
	struct str program;            /* that its hooks run */
	struct live *l;
};
/* live_sandbox.c: trust in Codex, and the client's own sandbox. */
void live_sandbox(const struct live_request *q);

/*
 * Is a hook, whose session has this name, being probed by live_look()? Then nothing is recorded: nobody
 * wanted to run anything. Told by the process above that runs this same program as `doctor`, which no client
 * is.
 */
bool live_probing(struct arena *a, struct str session);

/* Has this client a directory, for the user or in the project? */
bool live_present(struct arena *a, const struct init_request *rq, const struct init_row *row);
