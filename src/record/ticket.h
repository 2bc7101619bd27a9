/*
 * From the hook to the run: what was judged is stored as a ticket, and the client is told to run `caisson run
 * --ticket T`. So nothing of the original text is quoted again, and what runs is what was judged.
 *
 * A ticket is a file in STATE/tickets (0600) whose name is 128 random bits. It is good for one run: who takes
 * it renames it first, so that of two only one gets it, and it is gone before anything runs. It lives for
 * TICKET_AGE_MS.
 *
 * The ticket of a question belongs to its prompt and its tool call. No event says that a person refused, so
 * it dies when the session has another prompt, or when the call is over (ticket_end_asks()). A file beside
 * it, whose name holds hashes of session, prompt and call, makes it known for that: nothing has to be read.
 *
 * Project and working directory are in it by device and inode. A boxed program may give their names to
 * other directories before the ticket is used; then the ticket is refused.
 */
#pragma once
#include "model/identity.h"
#include "model/limits.h"
#include "model/view.h"
#include "model/walls.h"
#include "sys/ids.h"

#define TICKET_ID ID_LETTERS /* hexadecimal digits */
#define TICKET_BYTES_MAX ((size_t)8 << 20)
#define TICKET_AGE_MS (10 * 60 * 1000)
#define TICKET_SCAN_MAX 4096 /* names that are looked at */

struct ticket {
	struct str command;        /* shell text */
	enum dialect dialect;
	struct directory project;  /* what was judged as the project; the box opens exactly this */
	struct str cwd;            /* relative to the project, without links; empty: the project itself */
	struct identity cwd_id;
	enum profile profile;
	uint64_t time_ms;          /* no longer than this; 0: as the policy and the profile say */
	struct str policy;         /* digest of the policies by which it was judged */
	struct str agent, session, client, tool, tool_use_id; /* who asked; may be empty */
	struct str id;             /* of the verdict's row: the run's rows share it; may be empty */
	struct str config;         /* the policy file that stands in for the caller's; empty: none */
	struct client_walls walls; /* of the client's own sandbox, in whose place the box is */
	bool settings;             /* the client's own permission rules counted */
	bool follow;               /* the directory that the command ends in is handed back */
	bool input;                /* the command reads the standard input of the run */
	bool asked;                /* a person is asked, and may refuse */
	bool network;              /* the box gets the host's network: that is what was approved */
	/* ids of the reasons that were approved, separated by blanks; empty: none */
	struct str approved;
	struct str prompt;         /* the client's name for what the person wrote; may be empty. Not stored */
};

/*
 * Fills in project and cwd: opens both without following links, the second below the first. `cwd` is
 * absolute and resolved. An identity of the project that is known already must still be true.
 */
int ticket_locate(struct arena *a, const struct directory *project, struct str cwd, struct ticket *t,
		struct err *e);
/* Are they still the same directories? */
int ticket_check(struct arena *a, const struct ticket *t, struct err *e);
/* The working directory, absolute. */
struct str ticket_cwd(struct arena *a, const struct ticket *t);
/* `state`: the state directory, made and checked. *ret is the id. */
int ticket_write(struct arena *a, struct str state, const struct ticket *t, struct str *ret, struct err *e);
/*
 * An event of a session came: tickets of its questions that belong to another prompt than `now` are gone, and
 * with `over` those of this tool call.
 */
void ticket_end_asks(struct arena *a, struct str state, const struct ticket *now, bool over);
/* The session is over: its tickets are gone, and so is what belongs to them. */
void ticket_forget_session(struct arena *a, struct str state, struct str client, struct str session);
/* The same without taking it away, where that is not possible. */
int ticket_peek(struct arena *a, struct str state, struct str id, uint32_t uid, struct ticket *ret,
		struct err *e);
/* Takes the ticket away. ERR_INPUT when there is no such ticket (any more). */
int ticket_take(struct arena *a, struct str state, struct str id, uint32_t uid, struct ticket *ret,
		struct err *e);
