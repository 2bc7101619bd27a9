/*
 * `caisson doctor --client`: tests if a client's hook is live. It reads the settings as the client does and
 * runs the hook as the client would (`/bin/sh -c`, the event on standard input):
 *
 *   - with a command that every policy denies and that would do nothing here
 *   - with a command that does nothing anywhere
 *
 * The client's own reaction to the answers is not tested here: docs/clients.md and `make check-clients` cover
 * that.
 */
#pragma once
#include "client/init_hooks.h"

#define LIVE_SESSION "doctor" /* session id of the probes in init_table.c */

enum live_state { LIVE_NO, LIVE_PARTLY, LIVE_YES };

struct live_finding {
	struct live_finding *next;
	/* settings, program, enabled, closed, first, matcher, plugin, twice, denies, passes */
	const char *id;
	enum live_state state;
	struct str text;
	struct str todo;         /* advice for the person; empty: none */
};

struct live {
	const struct init_row *row;
	const char *title, *cannot; /* from client.h; `cannot` may be NULL */
	struct live_finding *first, **end;
	/* yes: the hook denies; partly: it denies, but something else is wrong; no: it does not deny */
	enum live_state state;
};

/*
 * Tests the user's and the project's settings (rq->scope is ignored) and runs the hooks in them. Never fails:
 * a step that cannot be tested becomes a finding.
 */
void live_look(struct arena *a, const struct init_request *rq, const struct init_row *row,
		char *const *environment, struct live *ret);
/* Internal: appends a finding. */
void live_add(struct arena *a, struct live *l, const char *id, enum live_state state, struct str text,
		struct str todo);

struct live_request { /* one client with hooks installed */
	struct arena *a;
	const struct init_request *rq; /* its scope is ignored */
	const struct init_row *row;
	struct str program;            /* run by its hooks */
	struct live *l;
};
/* live_sandbox.c: reports on Codex's trust in our hooks and on the client's own sandbox. */
void live_sandbox(const struct live_request *q);

/*
 * True if live_look() is probing this hook, whose session has this name. Then nothing is recorded, because no
 * agent wanted to run anything. The proof is an ancestor process that runs this same program as `doctor`; no
 * client does.
 */
bool live_probing(struct arena *a, struct str session);

/* True if this client has a directory for the user or in the project. */
bool live_present(struct arena *a, const struct init_request *rq, const struct init_row *row);
