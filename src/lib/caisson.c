/* The public library: include/caisson.h over judge/. Functions that allocate do so under an arena_run(). */
#define _GNU_SOURCE
#include <caisson.h>

#include <stdlib.h>

#include "base/version.h"
#include "judge/policy_cache.h"
#include "gate/gate.h"
#include "sys/user.h"

#define EXPLANATION_COLUMNS 80

struct caisson {
	char *policy, *directory; /* NULL: the default */
	enum dialect dialect;
	enum mode mode;
	struct policy_cache cache;
};

struct caisson_answer {
	struct arena arena; /* owns the rest; the judgement points into `policies`, too */
	struct policy_set *policies; /* NULL: they did not load */
	struct facts facts;
	struct judgement judgement;
	const char *json, *explanation; /* made when they are asked for */
};

_Static_assert((int)CAISSON_DENY == VERDICT_DENY && (int)CAISSON_ASK == VERDICT_ASK &&
	       (int)CAISSON_CONTAIN == VERDICT_CONTAIN && (int)CAISSON_ALLOW == VERDICT_ALLOW,
	       "same verdicts");
_Static_assert((int)CAISSON_ERROR_INTERNAL == ERR_INTERNAL, "the same kinds");
_Static_assert(CAISSON_ERROR_TEXT == ERR_TEXT_MAX, "the same room");

static int fail_with(struct caisson_error *e, const struct err *why)
{
	if (e) {
		*e = (struct caisson_error){.kind = (int)why->kind, .errnum = why->errnum};
		memcpy(e->text, why->text, sizeof(e->text));
	}
	return -1;
}

static int fail_memory(struct caisson_error *e)
{
	struct err why;

	err_limit(&why, "no memory left");
	return fail_with(e, &why);
}

static int fail_input(struct caisson_error *e, const char *what)
{
	struct err why;

	err_input(&why, "%s", what);
	return fail_with(e, &why);
}

const char *caisson_version(void) { return CAISSON_VERSION; }

const char *caisson_verdict_name(enum caisson_verdict verdict)
{
	static const char *const names[] = {"deny", "ask", "contain", "allow"};

	return (unsigned)verdict <= CAISSON_ALLOW ? names[verdict] : names[CAISSON_DENY];
}

int caisson_open(struct caisson **ret_caisson, struct caisson_error *e)
{
	struct caisson *c = calloc(1, sizeof(*c));

	if (!c)
		return fail_memory(e);
	*ret_caisson = c;
	return 0;
}

void caisson_close(struct caisson *c)
{
	if (!c)
		return;
	policy_cache_free(&c->cache);
	free(c->policy);
	free(c->directory);
	free(c);
}

/* ---- settings ---- */

static int set_text(char **to, const char *text, struct caisson_error *e)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		return fail_memory(e);
	free(*to);
	*to = copy;
	return 0;
}

int caisson_set_policy(struct caisson *c, const char *path, struct caisson_error *e)
{
	if (path && !*path)
		return fail_input(e, "the path of the policy is empty");
	return set_text(&c->policy, path, e);
}

int caisson_set_directory(struct caisson *c, const char *path, struct caisson_error *e)
{
	if (path && *path != '/')
		return fail_input(e, "the directory is not an absolute path");
	return set_text(&c->directory, path, e);
}

int caisson_set_shell(struct caisson *c, const char *name, struct caisson_error *e)
{
	enum dialect dialect = DIALECT_BASH;

	if (name && engine_dialect(str_of(name), &dialect) != 0)
		return fail_input(e, "the shell is one of bash, sh, zsh, powershell");
	c->dialect = dialect;
	return 0;
}

int caisson_set_mode(struct caisson *c, const char *name, struct caisson_error *e)
{
	enum mode mode = MODE_DEFAULT;

	/* A pause is a person's to begin, and only a hook honours it. */
	if (name && (engine_mode(str_of(name), &mode) != 0 || mode == MODE_PAUSED))
		return fail_input(e, "the mode is one of "
				     "default, acceptEdits, plan, bypassPermissions, dontAsk");
	c->mode = mode;
	return 0;
}

/* ---- judging ---- */

struct lib_judging {
	struct caisson *c;
	struct caisson_answer *answer;
	struct str command;
	struct err err;
};

static int judge_command(void *arg)
{
	struct lib_judging *j = arg;
	struct caisson *c = j->c;
	struct caisson_answer *to = j->answer;
	struct arena *a = &to->arena;
	struct context at = {.cwd = c->directory ? str_of(c->directory) : STR(""), .places = true,
			.stamps = &c->cache.stamps};
	struct engine_request rq = {.context = &at};
	struct policies_request policies = {.config = c->policy, .context = &at};
	struct policy_set *set;

	rq.command = str_dup(a, j->command); /* the facts point into it */
	rq.dialect = c->dialect;
	rq.mode = c->mode;
	context_open(a, &at);
	if (policy_cache_get(&c->cache, a, &policies, &set, &j->err) != 0) {
		engine_refuse(a, CHECK_POLICY_ERROR, j->err.text, &to->judgement);
		return 0;
	}
	to->policies = policy_set_hold(set);
	return engine_judge(a, &rq, &set->policies, &to->facts, &to->judgement, &j->err) == 0 ? 0 : 1;
}

int caisson_judge(struct caisson *c, const char *command, size_t length, struct caisson_answer **ret_answer,
		  struct caisson_error *e)
{
	struct caisson_answer *a = calloc(1, sizeof(*a));
	struct lib_judging j = {.c = c, .answer = a, .command = str_n(command, length)};
	int rc;

	if (!a)
		return fail_memory(e);
	arena_init(&a->arena, ARENA_CAP_DEFAULT);
	rc = arena_run(&a->arena, judge_command, &j);
	if (rc == 0) {
		*ret_answer = a;
		return 0;
	}
	caisson_answer_free(a);
	return rc < 0 ? fail_memory(e) : fail_with(e, &j.err);
}

/* ---- answers ---- */

enum caisson_verdict caisson_answer_verdict(const struct caisson_answer *a)
{
	return a ? (enum caisson_verdict)a->judgement.verdict : CAISSON_DENY;
}

size_t caisson_answer_reasons(const struct caisson_answer *a)
{
	size_t n = 0;

	for (const struct reason *r = a ? a->judgement.reasons : NULL; r; r = r->next)
		n++;
	return n;
}

static const struct reason *reason_at(const struct caisson_answer *a, size_t i)
{
	const struct reason *r = a ? a->judgement.reasons : NULL;

	while (r && i-- > 0)
		r = r->next;
	return r;
}

const char *caisson_answer_reason_id(const struct caisson_answer *a, size_t i)
{
	const struct reason *r = reason_at(a, i);

	return r ? check_name(r->id) : NULL;
}

struct rendering {
	struct caisson_answer *answer;
	const struct reason *reason; /* of a text */
	void (*put)(struct buf *out, const struct rendering *r);
	const char *text;
};

static void put_reason(struct buf *out, const struct rendering *r) { buf_str(out, r->reason->message); }

static void put_json(struct buf *out, const struct rendering *r)
{
	const struct caisson_answer *a = r->answer;
	struct str digest = a->policies ? a->policies->policies.digest : STR("");

	answer_json(out, STR(""), &a->facts, &a->judgement, digest);
}

static void put_explanation(struct buf *out, const struct rendering *r)
{
	static const struct explain_style style = {.width = EXPLANATION_COLUMNS};

	gate_explain(out, &r->answer->facts, &r->answer->judgement, style);
}

static int render_text(void *arg)
{
	struct rendering *r = arg;
	struct buf out;

	buf_init(&out, &r->answer->arena, 0);
	r->put(&out, r);
	buf_char(&out, '\0');
	r->text = out.p;
	return 0;
}

static const char *render_result(struct rendering r)
{
	return arena_run(&r.answer->arena, render_text, &r) == 0 ? r.text : NULL;
}

const char *caisson_answer_reason_text(struct caisson_answer *a, size_t i)
{
	const struct reason *r = reason_at(a, i);

	return r ? render_result((struct rendering){.answer = a, .reason = r, .put = put_reason}) : NULL;
}

const char *caisson_answer_json(struct caisson_answer *a)
{
	if (a && !a->json)
		a->json = render_result((struct rendering){.answer = a, .put = put_json});
	return a ? a->json : NULL;
}

const char *caisson_answer_explanation(struct caisson_answer *a)
{
	if (a && !a->explanation)
		a->explanation = render_result((struct rendering){.answer = a, .put = put_explanation});
	return a ? a->explanation : NULL;
}

void caisson_answer_free(struct caisson_answer *a)
{
	if (!a)
		return;
	policy_set_release(a->policies);
	arena_free(&a->arena);
	free(a);
}
