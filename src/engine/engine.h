/*
 * The engine joins the pure parts and the world: it fills the view, reads the command, lets the gate judge, and hands both back.
 */
#pragma once
#include "model/policy.h"
#include "model/verdict.h"
#include "model/view.h"

#define ENGINE_CONFIG_MAX ((size_t)4 << 20) /* bytes of one policy file */

struct engine_request {
	struct str command;
	struct str cwd;        /* absolute, or relative to the process's own; empty: the process's own */
	struct str home, user; /* empty: looked up */
	enum dialect dialect;
};

/*
 * Judges. Fails closed: when the memory bound is reached or something goes wrong inside, *ret_judgement denies with the reason
 * internal-error, *ret_facts is empty, and the return value is still 0: the answer stands. -1 only when not even that could be made.
 */
int engine_judge(struct arena *a, const struct engine_request *rq, const struct policy *p, struct facts *ret_facts, struct judgement *ret_judgement, struct err *e);
/* The policy of this file, or the built-in one when path is NULL. */
int engine_policy(struct arena *a, const char *path, struct policy *ret, struct err *e);
/* A judgement that denies because of something outside the command: id is internal-error or policy-error. */
void engine_refuse(struct arena *a, const char *id, const char *message, struct judgement *ret);
/* "bash", "sh", "zsh", "powershell"; 0 or -1 */
int engine_dialect(struct str name, enum dialect *ret);

/* answer.c: the answer of `check --json` (CONTRACTS.md), one object on one line. `id` is JSON text, or empty for none. */
void answer_json(struct buf *out, struct str id, const struct facts *f, const struct judgement *j, struct str policy_digest);
/* A JSON string with its quotes; bytes that are not UTF-8 become U+FFFD. */
void answer_string(struct buf *out, struct str s);
