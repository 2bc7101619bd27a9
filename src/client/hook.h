/*
 * One use of `caisson hook`: an input in, a reply out.
 *
 *     Before a tool   input -> policies -> gate -> record -> answer, or a ticket for the box and an answer
 *                     that runs it
 *     After a tool    its output is normalised, redacted and checked; the answer replaces it if the client
 *                     allows that
 *     Start           text for the model
 *
 * Fails closed: a reply is a refusal (exit 2 and a reason) until an answer is complete. Events after a tool
 * never refuse.
 */
#pragma once
#include "client/render.h"
#include "judge/pause.h"

struct hook_options {
	const char *client, *event, *config; /* may be NULL */
	char *const *environ;                /* of the caller */
	void (*deadline)(unsigned ms);       /* told once the policy is known; may be NULL */
	void (*known)(enum phase phase);     /* told once that is known; may be NULL */
};

/* Everything. `a` is for the work and `out` for the reply, so that a full one still answers. Never fails. */
void hook_reply(struct arena *a, struct arena *out, struct str input, const struct hook_options *o,
		struct reply *ret);
/*
 * Only a refusal: exit 2 with the reason; where the tool has run already there is nothing to refuse, and it
 * is 0.
 */
void hook_refuse(struct arena *out, const struct hook_options *o, const char *why, struct reply *ret);
/* The same for an input that was not read: nobody knows whether the tool has run already. */
void hook_refuse_unread(struct arena *out, const struct hook_options *o, const char *why, struct reply *ret);
/* Do the options alone say that the tool has run? */
bool hook_is_over(const struct hook_options *o);

/* Inside */

struct hook_call { /* one input under way */
	struct arena *a;
	const struct hook_options *o;
	struct hook h;
	struct policies policies;
	bool loaded;             /* the policies */
	struct session session;  /* open once hook_session() was here */
	struct view *view;       /* of the event's directory; NULL: not looked at */
	/* the session's project; an empty path: there is no session, or it has none yet */
	struct directory pin;
	struct str changed;      /* what is wrong with that; empty: nothing */
	struct pause pause;      /* in force here */
	struct reply *r;
};

/*
 * hook_session.c: looks at the event's directory, and finds the project that the session is pinned to. -1:
 * what is known of the session cannot be relied on.
 */
int hook_session(struct hook_call *c, struct err *e);
/*
 * Looks whether a person has paused caisson, once the policies are loaded: then what follows is judged in
 * that mode.
 */
void hook_pause(struct hook_call *c);
/* NULL: the project is looked for. */
const struct directory *hook_pin(const struct hook_call *c);

/* hook_pre.c, hook_post.c, hook_start.c. -1: the input cannot be answered; the caller refuses. */
int hook_pre(struct hook_call *c, struct err *e);
void hook_post(struct hook_call *c);
/*
 * hook_generic.c: the whole answer after a tool, where the contract is the one of docs/hooks.md for loops of
 * one's own.
 */
struct str generic_result(struct hook_call *c);
/* The meaning of an exit code; -1: unknown. */
enum status hook_status(int code);
void hook_start(struct hook_call *c);
/* hook_end.c. The session's project is not looked at: it may be gone. */
void hook_end(struct hook_call *c);
