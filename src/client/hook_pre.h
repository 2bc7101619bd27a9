/*
 * Inside hook_pre.c and its parts: one call that is being judged.
 *
 *   hook_pre.c     the way: judging, the record, what the client can do with the verdict
 *   hook_text.c    what people and models are told
 *   command_secrets.c  secrets that a command's words give away

 *   hook_shell.c   which shell reads the command, where the model chooses it
 *   hook_ticket.c  handing a command over to a run in the box
 */
#pragma once
#include "client/hook.h"
#include "gate/gate.h"
#include "model/walls.h"
#include "record/record.h"

#define CHANGE_IT \
	"A person can change that in their own policy: tools.bash.allow or permissions.allow, or " \
			"checks_grade " \
	"for a check (caisson config explain KEY)"

struct shell_choice {
	bool named;           /* the model has named the shell */
	enum dialect dialect; /* counts with that */
	/* bits 1 << dialect: shells that may read the command instead of the usual one */
	unsigned others;
	struct str refuse;    /* why none of them may be started; empty: they may */
};

struct judging {
	struct hook_call *c;
	struct engine_request rq;
	struct facts facts;
	struct judgement j;
	struct verdict_answer v;
	struct shell_choice shell;
	struct record record;
	struct record_id id;
	struct client_walls
		walls; /* of the client's own sandbox; known once it was asked whether a box can be made */
};

static inline bool judging_is_shell(const struct judging *g)
{
	return g->c->h.kind == TOOL_SHELL;
}
/* Another value of one key of the tool's input, in place of an earlier one. */
void judging_change(struct judging *g, struct str key, struct str text);

/* ---- hook_text.c ---- */

enum told { TOLD_DENIED, TOLD_ASKED, TOLD_SPLIT };

/* The reasons, then `tail` (may be NULL); of a question also the whole command. */
struct str text_reasons(struct judging *g, enum told told, const char *tail);
/* Sentences, each without its full stop. NULL: nothing to say. */
const char *text_yes(struct judging *g, const struct approved *x,
	const char *no_box); /* what a yes lets happen; no_box: why not in the box, may be empty */
const char *text_allow(struct judging *g); /* how a person makes the answer permanent */
const char *text_split(struct judging *g, const struct approved *x); /* which commands to run by themselves */
/* Sentences put together; any of them may be NULL. */
const char *text_join(struct judging *g, const char *a, const char *b, const char *c);
/* The visible form of a contained command: its first line as a shell comment. Empty: none. */
struct str text_comment(struct judging *g);

/* ---- command_secrets.c ---- */

/* A command, or a part of one, without what its words say is a password. */
struct str text_hide_words(struct arena *a, struct str s);

/* ---- hook_shell.c ---- */

void judging_shell(struct judging *g, const struct view *v, struct shell_choice *ret);
/* *ret_differ: the command is allowed, and would not be as one of the other shells reads it. */
int judging_others(struct judging *g, const struct shell_choice *s, bool *ret_differ, struct err *e);

/* ---- hook_ticket.c ---- */

/* The working directory without links. */
struct str judging_cwd(struct judging *g);
/* Stores a ticket and changes the input to the command that runs it. -1: it cannot be handed over. */
int judging_hand_over(struct judging *g, enum approval approval, bool asked, struct err *e);
