/* Judging one request: view, reader, gate. Everything that can fail inside is caught here and becomes a denial. */
#include "engine/engine.h"

#include <stdlib.h>

#include "config/config.h"
#include "gate/gate.h"
#include "shell/shell.h"
#include "sys/file.h"
#include "sys/user.h"

static const char *const dialect_names[] = {[DIALECT_BASH] = "bash", [DIALECT_SH] = "sh", [DIALECT_ZSH] = "zsh", [DIALECT_POWERSHELL] = "powershell"};

int engine_dialect(struct str name, enum dialect *ret)
{
	for (size_t i = 0; i < sizeof(dialect_names) / sizeof(*dialect_names); i++) {
		if (str_is(name, dialect_names[i])) {
			*ret = (enum dialect)i;
			return 0;
		}
	}
	return -1;
}

/* The caller's directory and home. What cannot be found out stays empty, which means "not known" to the reader. */
static void fill_view(struct arena *a, const struct engine_request *rq, struct view *ret)
{
	struct user self = {0};

	*ret = (struct view){.cwd = rq->cwd, .home = rq->home, .user = rq->user};
	if (!ret->cwd.n || ret->cwd.p[0] != '/') {
		struct str own = {0};

		if (cwd_get(a, &own, NULL) != 0)
			ret->cwd = STR("");
		else
			ret->cwd = rq->cwd.n ? str_fmt(a, "%.*s/%.*s", STR_ARG(own), STR_ARG(rq->cwd)) : own;
	}
	if (!ret->home.n && user_self(a, getenv("HOME"), &self, NULL) == 0) {
		ret->home = self.home;
		ret->user = self.name;
	}
}

static void read_nothing(struct arena *a, const struct engine_request *rq, struct facts *ret)
{
	struct trouble *t = arena_new(a, struct trouble);

	t->kind = TROUBLE_CONSTRUCT;
	t->message = "powershell is not read yet";
	t->at.to = (uint32_t)(rq->command.n > UINT32_MAX ? UINT32_MAX : rq->command.n);
	*ret = (struct facts){.troubles = t, .ntexts = 1, .texts_cap = 1, .texts = arena_new(a, struct text)};
	ret->texts[0] = (struct text){.from = "request", .bytes = rq->command};
}

struct job {
	struct arena *a;
	const struct engine_request *rq;
	const struct policy *p;
	struct facts facts;
	struct judgement judgement;
	struct err err;
};

static int run_job(void *arg)
{
	struct job *j = arg;
	struct view v;

	fill_view(j->a, j->rq, &v);
	if (j->rq->dialect == DIALECT_POWERSHELL) {
		read_nothing(j->a, j->rq, &j->facts);
	} else {
		struct shell_request sr = {.text = j->rq->command, .dialect = j->rq->dialect, .view = &v, .own = j->p->commands, .nown = j->p->ncommands};

		if (shell_read(j->a, &sr, &j->facts, &j->err) != 0)
			return 1;
	}
	gate_judge(j->a, &j->facts, j->p, &v, &j->judgement);
	return 0;
}

void engine_refuse(struct arena *a, const char *id, const char *message, struct judgement *ret)
{
	struct reason *r = arena_new(a, struct reason);

	*r = (struct reason){.id = id, .grade = GRADE_DENY, .message = str_dup(a, str_of(message))};
	*ret = (struct judgement){.verdict = VERDICT_DENY, .reasons = r};
}

/* Room for the refusal is taken before anything else can use the arena up. */
static int prepare_refusal(void *arg)
{
	struct job *j = arg;

	engine_refuse(j->a, "internal-error", "the memory bound was reached before the command was judged", &j->judgement);
	return 0;
}

int engine_judge(struct arena *a, const struct engine_request *rq, const struct policy *p, struct facts *ret_facts, struct judgement *ret_judgement, struct err *e)
{
	struct job j = {.a = a, .rq = rq, .p = p};
	struct judgement refusal;
	int rc;

	if (arena_run(a, prepare_refusal, &j) != 0)
		return err_set(e, ERR_LIMIT, 0, "the memory bound was reached");
	refusal = j.judgement;
	j.judgement = (struct judgement){0};
	rc = arena_run(a, run_job, &j);
	if (rc == 0) {
		*ret_facts = j.facts;
		*ret_judgement = j.judgement;
		return 0;
	}
	if (rc == 1 && j.err.kind != ERR_LIMIT)
		refusal.reasons->message = STR("the reader failed inside, so the command was not judged");
	*ret_facts = (struct facts){0};
	*ret_judgement = refusal;
	return 0;
}

int engine_policy(struct arena *a, const char *path, struct policy *ret, struct err *e)
{
	struct str bytes;

	if (!path) {
		config_default(ret);
		return 0;
	}
	if (file_read(a, path, ENGINE_CONFIG_MAX, &bytes, NULL, e) != 0)
		return -1;
	return config_load(a, &(struct config_source){.name = str_of(path), .bytes = bytes, .who = WHO_OWNER}, 1, ret, NULL, e);
}
