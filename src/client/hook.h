/*
 * One run of `caisson hook`: reads an input, writes a reply.
 *
 *     Before a tool   input -> policies -> gate -> record -> answer; a contained command becomes a ticket
 *                     and the answer runs it in the box
 *     After a tool    normalises, redacts and checks the output; the answer replaces it if the client
 *                     allows that
 *     Start           sends text for the model
 *     End             drops the session's tickets and its /tmp, ends its boxes in the background
 *
 * Other events are answered with nothing.
 *
 * Fails closed: the reply is a refusal (exit 2 and a reason) until an answer is complete. Events after a tool
 * never refuse.
 */
#pragma once
#include "client/render.h"
#include "judge/pause.h"

struct hook_options {
	const char *client, *event, *config; /* may be NULL */
	char *const *environ;                /* environment of the caller */
	void (*set_deadline)(unsigned ms);   /* called once the policy is loaded; may be NULL */
	void (*set_phase)(enum phase phase); /* called once the phase is known; may be NULL */
};

/*
 * Handles one input. `a` holds the work and `out` the reply, so a full work arena still yields a reply. Never
 * fails.
 */
void hook_reply(struct arena *a, struct arena *out, struct str input, const struct hook_options *o,
		struct reply *ret);
/* Refuses an input that could not be read: exit 2 with the reason, or exit 0 if the event cannot block. */
void hook_refuse_unread(struct arena *out, const struct hook_options *o, const char *why, struct reply *ret);
/* True if the options alone say that the tool has already run. */
bool hook_cannot_block(const struct hook_options *o);

/* Internal: shared by the hook_*.c files. */

struct hook_call { /* one input being handled */
	struct arena *a;
	const struct hook_options *o;
	struct hook_input h;
	struct policies policies;
	bool loaded;             /* `policies` is loaded */
	struct context context;  /* open once hook_session() has run */
	struct view *view;       /* of the event's directory; set by hook_session() */
	/* project of the session; empty path: no session, or no project yet */
	struct directory pin;
	struct tmp_name *tmp;    /* files in the host's /tmp that the session wrote */
	struct str changed;      /* why the pinned project is invalid; empty: it is valid */
	struct pause pause;      /* the pause in force */
	struct reply *r;
};

/*
 * hook_session.c: loads the view of the event's directory and finds the project pinned by the session. -1 if
 * the session's stored state cannot be trusted.
 */
int hook_session(struct hook_call *c, struct err *e);
/*
 * Checks if a person has paused caisson; if so, the call is judged in that mode. Call after loading the
 * policies.
 */
void hook_pause(struct hook_call *c);
/* Notes files in the host's /tmp that a command or tool of the session will write. */
void hook_session_wrote(struct hook_call *c, const struct tmp_name *names);
/* Returns the pinned project. NULL: search for the project. */
const struct directory *hook_pin(const struct hook_call *c);

/* hook_pre.c, hook_post.c, hook_start.c. -1 if the input cannot be answered; the caller then refuses. */
int hook_pre(struct hook_call *c, struct err *e);
void hook_post(struct hook_call *c);
/*
 * hook_generic.c: returns the complete answer after a tool, for custom agent loops (contract in
 * docs/hooks.md).
 */
struct str generic_result(struct hook_call *c);
/* Returns the status for an exit code; a code of -1 means unknown. */
enum status hook_status(int code);
void hook_start(struct hook_call *c);
/* hook_end.c. Does not touch the session's project, which may be gone. */
void hook_end(struct hook_call *c);
