/*
 * Internal header of hook_pre.c and its parts: the review of one call before its tool runs.
 *
 *   hook_pre.c         the steps: judge, record, turn the verdict into an answer the client supports
 *   hook_redirect.c    applies the policy's `redirect` to the call
 *   hook_vetting.c     waits for a vetter that will soon have looked at the workspace
 *   hook_text.c        messages for people and models
 *   command_secrets.c  redacts secrets in a command by their position
 *   hook_shell.c       finds which shell reads the command, if the model chooses it
 *   hook_ticket.c      hands a command over to a run in the box
 */
#pragma once
#include "client/hook.h"
#include "client/shell_place.h"
#include "gate/gate.h"
#include "model/walls.h"
#include "record/record.h"

#define CHANGE_IT \
	"The user can change that in their policy: tools.bash.allow or permissions.allow, or " \
	"checks_grade for a check (caisson config explain KEY)"

struct review {
	struct hook_call *c;
	struct engine_request rq; /* the call, as a request to the gate */
	struct facts facts;
	struct judgement j;
	struct verdict_answer v;  /* the answer, made from the judgement */
	struct shell_choice shell;
	struct record record;
	struct record_id id;      /* of the verdict's row; a ticket passes it to the run */
	struct client_walls walls; /* of the client's own sandbox; set once box_obstacle() has run */
};

static inline bool review_is_shell(const struct review *g)
{
	return g->c->h.kind == TOOL_SHELL;
}
/* Sets a new value for one key of the tool's input; replaces an earlier change. */
void review_change(struct review *g, struct str key, struct str text);

/* ---- hook_redirect.c ---- */

/* Replaces /tmp in the command, or in the paths of a tool, if the policy redirects it. */
void review_redirect_tmp(struct review *g);

/* ---- hook_vetting.c ---- */

/*
 * Before a git command in an unvetted workspace: waits a moment for the vetter, since most searches end soon,
 * and then git needs no box. Does not wait for a search that waits for a running box.
 */
void review_await_vetting(struct hook_call *c);

/* ---- hook_text.c ---- */

enum message_kind { MESSAGE_DENIAL, MESSAGE_QUESTION, MESSAGE_SPLIT };

/* Returns the reasons, then `tail` (may be NULL). A question also shows the whole command. */
struct str text_reasons(struct review *g, enum message_kind kind, const char *tail);
/* The next functions return sentences without their full stop; NULL: nothing to say. */
const char *text_yes(struct review *g, const struct approved *x,
	const char *obstacle); /* effect of a yes; obstacle: why not in the box, may be empty */
/* what the box reaches: "no network", "only the hosts of the policy", "the network", "example.com only" */
const char *text_network(struct review *g);
const char *text_allow(struct review *g); /* how a person makes the answer permanent */
const char *text_split(struct review *g, const struct approved *x); /* commands to run separately */
/* Joins sentences; each may be NULL. */
const char *text_join(struct review *g, const char *a, const char *b, const char *c);
/* Returns the visible form of a contained command: its first line as a shell comment. Empty: no comment. */
struct str text_comment(struct review *g);

/* ---- command_secrets.c ---- */

/* Returns a command, or part of one, without the passwords that its words give away. */
struct str text_hide_words(struct arena *a, struct str s);

/* ---- hook_shell.c ---- */

void review_shell(struct review *g, const struct view *v, struct shell_choice *ret);
/* Judges the command for the other shells. *ret_differ: it is allowed, but not as another shell reads it. */
int review_others(struct review *g, const struct shell_choice *s, bool *ret_differ, struct err *e);

/* ---- hook_ticket.c ---- */

/* Returns the working directory with links resolved. */
struct str review_cwd(struct review *g);
/*
 * Stores a ticket and changes the input to the command that runs it. -1 if the command cannot be handed over.
 */
int review_hand_over(struct review *g, enum approval approval, bool asked, struct err *e);
