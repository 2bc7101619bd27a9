/*
 * From the hook to the run: what was judged is stored as a ticket, and the client is told to run `caisson run --ticket T`. So nothing of the
 * original text is quoted again, and what runs is what was judged.
 *
 * A ticket is a file in STATE/tickets (0600) whose name is 128 random bits. It is good for one run: who takes it renames it first, so that of
 * two only one gets it, and it is gone before anything runs.
 */
#pragma once
#include "model/limits.h"
#include "model/view.h"
#include "sys/ids.h"

#define TICKET_ID ID_LETTERS /* hexadecimal digits */
#define TICKET_BYTES_MAX ((size_t)8 << 20)

struct ticket {
	struct str command;        /* shell text */
	enum dialect dialect;
	struct str cwd;            /* absolute */
	struct str base;           /* where the session started; may be empty */
	enum profile profile;
	uint64_t time_ms;          /* the client's own limit; 0: none */
	struct str policy;         /* digest of the policies by which it was judged */
	struct str agent, session, client, tool, tool_use_id; /* who asked; may be empty */
	struct str id;             /* of the verdict's row: the run's rows share it; may be empty */
	struct str config;         /* the policy file that stands in for the caller's; empty: none */
	bool settings;             /* the client's own permission rules counted */
	bool follow;               /* the directory that the command ends in is handed back */
};

/* `state`: the state directory, made and checked. *ret is the id. */
int ticket_write(struct arena *a, struct str state, const struct ticket *t, struct str *ret, struct err *e);
/* Takes the ticket away. ERR_INPUT when there is no such ticket (any more). */
int ticket_take(struct arena *a, struct str state, struct str id, uint32_t uid, struct ticket *ret, struct err *e);
