/*
 * Inside the clients: the answers, one function for each family of clients (render.c). The table in clients.c
 * names them.
 */
#pragma once
#include "client/client.h"

enum decision {
	DECIDE_DENY = 0,
	DECIDE_ASK,   /* only where the client can */
	DECIDE_PASS,  /* nothing to say: the client goes on as it would without us */
	DECIDE_ALLOW, /* and the client need not ask by itself */
};

struct change_of_input { /* another value of one key of the tool's input */
	struct change_of_input *next;
	struct str key, text;
};

struct verdict_answer {
	enum decision decision;
	struct str reason;              /* for the model and the person; empty when there is nothing to say */
	/* with DECIDE_ASK, DECIDE_PASS and DECIDE_ALLOW, only where the client rewrites */
	struct change_of_input *changes;
	struct str context;             /* advice that is no reason, for the model; may be empty */
};

struct output_answer {
	const struct json *result;     /* in place of the old one; NULL: that stays */
	struct str text;                /* the same as one text, for clients that take no more */
	struct str context;             /* added for the model; may be empty */
	/* the exit code of a shell command, for clients that lose it with the old result; -1: not known */
	int code;
	struct str object;              /* generic: the whole answer */
};

void render_claude(struct reply *r, const struct hook *h, const struct verdict_answer *v);
void render_codex(struct reply *r, const struct hook *h, const struct verdict_answer *v);
void render_gemini(struct reply *r, const struct hook *h, const struct verdict_answer *v);
void render_copilot(struct reply *r, const struct hook *h, const struct verdict_answer *v);
void render_opencode(struct reply *r, const struct hook *h, const struct verdict_answer *v);
void render_cursor(struct reply *r, const struct hook *h, const struct verdict_answer *v);
void render_generic(struct reply *r, const struct hook *h, const struct verdict_answer *v);
/* by exit code and standard error alone */
void render_exit(struct reply *r, const struct hook *h, const struct verdict_answer *v);

void render_claude_after(struct reply *r, const struct hook *h, const struct output_answer *o);
void render_codex_after(struct reply *r, const struct hook *h, const struct output_answer *o);
void render_gemini_after(struct reply *r, const struct hook *h, const struct output_answer *o);
void render_copilot_after(struct reply *r, const struct hook *h, const struct output_answer *o);
void render_opencode_after(struct reply *r, const struct hook *h, const struct output_answer *o);
void render_generic_after(struct reply *r, const struct hook *h, const struct output_answer *o);
void render_nothing_after(struct reply *r, const struct hook *h, const struct output_answer *o);

/* Text for the model when a session starts. */
void render_start(struct reply *r, const struct hook *h, struct str text);
/* A value as JSON; the members of `changes` replace those of the object itself. */
void render_value(struct buf *b, const struct json *v, const struct change_of_input *changes);
