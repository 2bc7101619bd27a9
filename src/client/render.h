/*
 * Internal: renders answers, one function per family of clients (render.c). The table in clients.c refers to
 * these functions.
 */
#pragma once
#include "client/client.h"

enum decision {
	DECIDE_DENY = 0,
	DECIDE_ASK,   /* only if the client can ask */
	DECIDE_PASS,  /* no decision: the client proceeds as it would without us */
	DECIDE_ALLOW, /* the client need not ask, either */
};

struct change_of_input { /* new value of one key in the tool's input */
	struct change_of_input *next;
	struct str key, text;
};

struct verdict_answer {
	enum decision decision;
	struct str reason;              /* for the model and the person; may be empty */
	/* valid with ASK, PASS and ALLOW, if the client accepts rewrites */
	struct change_of_input *changes;
	struct str context;             /* advice for the model, not a reason; may be empty */
};

struct output_answer {
	const struct json *result;     /* replacement; NULL: keep the old result */
	struct str text;                /* the replacement as plain text, for clients that accept only text */
	struct str context;             /* added text for the model; may be empty */
	/* exit code of a shell command, for clients that drop it with the old result; -1: unknown */
	int code;
	struct str object;              /* generic client: the complete answer */
};

void render_claude(struct reply *r, const struct hook_input *h, const struct verdict_answer *v);
void render_codex(struct reply *r, const struct hook_input *h, const struct verdict_answer *v);
void render_gemini(struct reply *r, const struct hook_input *h, const struct verdict_answer *v);
void render_copilot(struct reply *r, const struct hook_input *h, const struct verdict_answer *v);
void render_opencode(struct reply *r, const struct hook_input *h, const struct verdict_answer *v);
void render_cursor(struct reply *r, const struct hook_input *h, const struct verdict_answer *v);
void render_generic(struct reply *r, const struct hook_input *h, const struct verdict_answer *v);
/* uses only the exit code and standard error */
void render_exit(struct reply *r, const struct hook_input *h, const struct verdict_answer *v);

void render_claude_after(struct reply *r, const struct hook_input *h, const struct output_answer *o);
void render_codex_after(struct reply *r, const struct hook_input *h, const struct output_answer *o);
void render_gemini_after(struct reply *r, const struct hook_input *h, const struct output_answer *o);
void render_copilot_after(struct reply *r, const struct hook_input *h, const struct output_answer *o);
void render_opencode_after(struct reply *r, const struct hook_input *h, const struct output_answer *o);
void render_generic_after(struct reply *r, const struct hook_input *h, const struct output_answer *o);
void render_nothing_after(struct reply *r, const struct hook_input *h, const struct output_answer *o);

/* Renders the text for the model at session start. */
void render_start(struct reply *r, const struct hook_input *h, struct str text);
/* Appends a value as JSON; `changes` replace members of the top-level object. */
void render_value(struct buf *b, const struct json *v, const struct change_of_input *changes);
