/*
 * Passes a judged command from the hook to the run. The hook stores it as a ticket and tells the client to
 * run `caisson run --ticket T`. So the original text is not quoted again, and exactly the judged command
 * runs.
 *
 * A ticket is a file in STATE/tickets (0600) whose name is 128 random bits. It is valid for one run: the run
 * renames it first, so that only one of two competing runs gets it, and unlinks it before anything runs. It
 * expires after TICKET_AGE_MS.
 *
 * The ticket of a question belongs to its prompt and its tool call. No event reports that a person refused,
 * so the ticket ends when the session has another prompt, or when the call is over (ticket_end_asks()). A
 * tag file beside it, whose name holds hashes of session, prompt and call, identifies the ticket without
 * reading it.
 *
 * Project and working directory are stored with device and inode. A boxed program may give their names to
 * other directories before the ticket is used; then the ticket is refused.
 */
#pragma once
#include "model/identity.h"
#include "model/limits.h"
#include "model/network_request.h"
#include "model/tmp_name.h"
#include "model/view.h"
#include "model/walls.h"
#include "sys/ids.h"

#define TICKET_ID ID_LETTERS /* hex digits */
#define TICKET_BYTES_MAX ((size_t)8 << 20)
#define TICKET_AGE_MS (10 * 60 * 1000)
#define TICKET_SCAN_MAX 4096 /* bound for directory entries */

struct ticket {
	struct str command;        /* shell text */
	enum dialect dialect;
	struct directory project;  /* the judged project; the box opens exactly this directory */
	struct str cwd;            /* relative to the project, without links; empty: the project itself */
	struct identity cwd_id;
	enum profile profile;
	uint64_t time_ms;          /* upper limit; 0: that of policy and profile */
	struct str policy;         /* digest of the policies that judged it */
	struct str agent, session, client, tool, tool_use_id; /* origin of the request; may be empty */
	struct str id;             /* id of the verdict's row, shared by the run's rows; may be empty */
	struct str config;         /* policy file that replaces the caller's; empty: none */
	struct client_walls walls; /* walls of the client's own sandbox, which the box replaces */
	bool settings;             /* the client's own permission rules were applied */
	bool background;           /* the client goes on while it runs */
	bool follow;               /* report the final directory of the command */
	bool input;                /* the command reads the run's stdin */
	bool asked;                /* a person is asked and may refuse */
	/* what the box reaches, as judged or approved; the host's network only if approved */
	struct network_request network;
	/* ids of the approved reasons, separated by blanks; empty: none */
	struct str approved;
	/* files in the host's /tmp that the command may use */
	struct tmp_name *tmp;
	struct str prompt;         /* the client's id of the person's prompt; may be empty. Not stored */
};

/*
 * Sets project and cwd: opens both without following links, cwd below the project. `cwd` is absolute and
 * resolved. A known identity of the project must match.
 */
int ticket_locate(struct arena *a, const struct directory *project, struct str cwd, struct ticket *t,
		struct err *e);
/* -1 and *e if one of them is no longer the same directory. */
int ticket_check(struct arena *a, const struct ticket *t, struct err *e);
/* Returns the absolute working directory. */
struct str ticket_cwd(struct arena *a, const struct ticket *t);
/* The first hexadecimal digits of SHA-256 over two texts with a NUL between them, for names of files. */
struct str ticket_hash(struct arena *a, struct str x, struct str y, size_t letters);
/* `state` is the state directory, created and checked. *ret is the id. */
int ticket_write(struct arena *a, struct str state, const struct ticket *t, struct str *ret, struct err *e);
/*
 * Called for an event of a session: removes tickets of its questions that belong to another prompt than
 * `now`, and with `over` also those of this tool call.
 */
void ticket_end_asks(struct arena *a, struct str state, const struct ticket *now, bool over);
/* Called at the end of a session: removes its tickets and their files. */
void ticket_forget_session(struct arena *a, struct str state, struct str client, struct str session);
/* Reads a ticket without taking it, where taking is impossible. */
int ticket_peek(struct arena *a, struct str state, struct str id, uint32_t uid, struct ticket *ret,
		struct err *e);
/* Reads and removes a ticket. ERR_INPUT if it does not exist, or was already taken. */
int ticket_take(struct arena *a, struct str state, struct str id, uint32_t uid, struct ticket *ret,
		struct err *e);
