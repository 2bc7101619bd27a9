/*
 * Judges one request: fills the view, reads the command, asks the gate. Catches every internal failure and
 * turns it into a denial.
 */
#include "judge/engine.h"

#include "code/code.h"
#include "gate/gate.h"
#include "judge/classifier.h"
#include "judge/world.h"
#include "shell/shell.h"

static const char dialect_names[][12] = {[DIALECT_BASH] = "bash", [DIALECT_SH] = "sh", [DIALECT_ZSH] = "zsh",
		[DIALECT_POWERSHELL] = "powershell"};

const char *dialect_name(enum dialect d) { return dialect_names[d]; }

int engine_dialect(struct str name, enum dialect *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(dialect_names); i++) {
		if (str_is(name, dialect_names[i])) {
			*ret = (enum dialect)i;
			return 0;
		}
	}
	return -1;
}

#define CODE_SNIPPETS_MAX 64 /* snippets of one request, nested ones included */

/* A PowerShell request is one piece of code as a whole. */
static void read_powershell(struct arena *a, const struct engine_request *rq, const struct view *v,
		struct facts *ret)
{
	struct span all = {.to = (uint32_t)(rq->command.n > UINT32_MAX ? UINT32_MAX : rq->command.n)};
	struct snippet *s = arena_new(a, struct snippet);

	facts_init(ret);
	ret->texts = arena_new(a, struct text);
	ret->texts[0] = (struct text){.bytes = rq->command};
	ret->ntexts = ret->texts_cap = 1;
	*s = (struct snippet){.lang = LANG_POWERSHELL,
		.text = {.kind = WORD_EXACT, .text = rq->command, .at = all},
		.at = all,
		.cwd = v->cwd};
	LIST_ADD(ret->snippets_end, s);
}

static const char mode_names[][20] = {[MODE_DEFAULT] = "default", [MODE_ACCEPT_EDITS] = "acceptEdits",
		[MODE_PLAN] = "plan", [MODE_BYPASS] = "bypassPermissions", [MODE_DONT_ASK] = "dontAsk",
		[MODE_PAUSED] = "paused"};

const char *mode_name(enum mode m) { return mode_names[m]; }

int engine_mode(struct str name, enum mode *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(mode_names); i++) {
		if (str_is(name, mode_names[i])) {
			*ret = (enum mode)i;
			return 0;
		}
	}
	return -1;
}

struct judge_job {
	struct arena *a;
	const struct engine_request *rq;
	const struct policies *p;
	struct view *given; /* recorded view of a replay; NULL: look at the world */
	struct facts facts;
	struct judgement judgement;
	struct judgement refusal; /* made first, while the arena has room for it */
	struct err err;
};

/* The client's mode, unless it is the default or the system's policy forbids it; else the policy's. */
static enum mode mode_in_force(const struct engine_request *rq, const struct policies *all,
		const struct policy *p)
{
	return rq->mode != MODE_DEFAULT && !(all->own.no_lifting && mode_lifts(rq->mode)) ? rq->mode :
			p->mode;
}

/*
 * Judges and answers the gate's questions, up to GATE_ROUNDS_MAX times, and then judges once more with the
 * answers there are. A question that is still open counts as bound-reached and asks.
 */
static void judge_in_rounds(struct judge_job *j, const struct policy *p, struct view *v,
		struct judgement *ret)
{
	struct policy own = *p;

	own.mode = mode_in_force(j->rq, j->p, p);
	for (unsigned round = 0; round < GATE_ROUNDS_MAX && !v->closed; round++) {
		gate_judge(j->a, &j->facts, &own, v, ret);
		if (!ret->questions)
			return;
		v->closed = j->given || world_answer(j->a, v, ret->questions) == 0;
	}
	v->closed = true;
	gate_judge(j->a, &j->facts, &own, v, ret);
	if (!ret->questions)
		return;
	struct reason *r = arena_copy(j->a, (struct reason){.next = ret->reasons,
		.id = CHECK_BOUND_REACHED,
		.grade = GRADE_ASK,
		.message = STR("too many paths to examine")});
	ret->reasons = r;
	ret->cut = true; /* the verdict of the rules is unknown */
	ret->verdict = verdict_min(ret->verdict, own.mode == MODE_DONT_ASK ? VERDICT_DENY : VERDICT_ASK);
}

static void append_reasons(struct reason **to, struct reason *more)
{
	while (*to)
		to = &(*to)->next;
	*to = more;
}

static bool has_reason(const struct reason *list, const struct reason *r)
{
	for (; list; list = list->next)
		if (list->id == r->id && span_same(list->at, r->at) && !r->rule.n)
			return true;
	return false;
}

/*
 * True if the reason comes from the project's own policy. The built-in checks have already run under the
 * user's policy.
 */
static bool of_project(const struct policy *p, const struct reason *r)
{
	bool regraded = false;

	for (const struct regrade *g = p->regrades; g; g = g->next)
		regraded |= g->id == r->id;
	if (r->rule.n || regraded)
		return true;
	switch (r->id) {
	case CHECK_CONFIGURED_DEFAULT:
	case CHECK_CHAINED: return true;
	case CHECK_FILE_ROUTE: return p->route != ROUTE_ADVISE;
	case CHECK_PROTECTED_WRITE:
	case CHECK_PERSISTENCE: return p->protected_paths; /* the project's own, beside the built-in ones */
	case CHECK_SECRET_READ:
	case CHECK_SECRET_LEAK: return p->secret_paths;
	default: return false;
	}
}

/*
 * The stricter verdict holds. Only the project's own rules and grades count: a built-in check that the user's
 * rule lifted stays lifted. If the project lowers the verdict, its reasons that are missing are appended.
 */
static void take_stricter(struct judgement *own, const struct judgement *project, const struct policy *p,
		enum mode mode)
{
	static const enum verdict verdicts[] = {VERDICT_ALLOW, VERDICT_ALLOW, VERDICT_CONTAIN, VERDICT_ASK,
			VERDICT_DENY};
	enum verdict v = project->cut ? project->verdict : VERDICT_ALLOW;
	struct step **steps = &own->steps;

	while (*steps)
		steps = &(*steps)->next;
	*steps = project->steps;
	own->complete &= project->complete;
	for (const struct reason *r = project->reasons; r; r = r->next)
		if (of_project(p, r))
			v = verdict_min(v, verdicts[r->grade]);
	if (v == VERDICT_ASK && project->verdict == VERDICT_DENY && mode == MODE_DONT_ASK)
		v = VERDICT_DENY;
	if (v >= own->verdict)
		return;
	own->verdict = v;
	for (struct reason *r = project->reasons, *next; r; r = next) {
		next = r->next;
		r->next = NULL;
		if (!has_reason(own->reasons, r))
			append_reasons(&own->reasons, r);
	}
	gate_order_reasons(own);
}

/*
 * Reads the request's inline code, and the commands that the code hands to shells, until no new code appears.
 */
static int read_code(struct judge_job *j, const struct shell_request *sr, const struct view *v)
{
	struct facts *f = &j->facts;
	unsigned n = 0;

	for (struct snippet *s = f->snippets; s; s = s->next) {
		struct code_run *runs;

		if (!code_knows(s->lang) || s->text.kind != WORD_EXACT)
			continue;
		if (n++ >= CODE_SNIPPETS_MAX)
			return 0; /* unread code asks */
		code_read(j->a, f, s, v, &runs);
		for (; runs; runs = runs->next) {
			struct shell_more more = {.lang = s->lang, .text = runs->text, .argv = runs->argv,
					.argc = runs->argc, .cwd = runs->cwd, .origin = runs->at,
				.settings = runs->settings, .when = snippet_moment(s)};

			if (shell_read_more(j->a, sr, &more, f, &j->err) != 0)
				return -1;
		}
	}
	return 0;
}

static void judge_apart(struct judge_job *j, const struct policy *p, struct view *v)
{
	struct judgement apart;

	judge_in_rounds(j, p, v, &apart);
	take_stricter(&j->judgement, &apart, p, mode_in_force(j->rq, j->p, p));
}

static int look_and_judge(void *arg)
{
	struct judge_job *j = arg;
	const struct context *at = context_or_own(j->rq->context);
	struct view *v;

	engine_refuse(j->a, CHECK_INTERNAL_ERROR,
			"the memory limit was reached before the command was judged", &j->refusal);
	v = j->given ? j->given : arena_new(j->a, struct view);
	if (!j->given && at->view)
		world_again(j->a, at->view, &j->p->own, v);
	else if (!j->given)
		world_view(j->a, at, &j->p->own, v);
	struct shell_request sr = {.text = j->rq->command, .dialect = j->rq->dialect, .view = v,
			.own = j->p->own.commands, .nown = j->p->own.ncommands};
	if (j->rq->facts)
		j->facts = *j->rq->facts;
	else if (j->rq->dialect == DIALECT_POWERSHELL)
		read_powershell(j->a, j->rq, v, &j->facts);
	else if (shell_read(j->a, &sr, &j->facts, &j->err) != 0)
		return 1;
	if (j->facts.snippets && read_code(j, &sr, v) != 0)
		return 1;
	judge_in_rounds(j, &j->p->own, v, &j->judgement);
	if (j->p->own.classifier.command && j->judgement.verdict == VERDICT_ASK &&
			(!j->given || v->classified.asked) && !j->rq->facts)
		classifier_consult(j->a, j->rq, &j->p->own, &j->facts, &v->classified, &j->judgement);
	if (j->p->apart)
		judge_apart(j, &j->p->project, v);
	for (const struct policy_around *x = j->p->around; x; x = x->next)
		judge_apart(j, &x->policy, v);
	j->judgement.view = v;
	engine_amend(j->a, j->rq, j->p, &j->facts, &j->judgement);
	/* the separately judged policies and notes may have added reasons */
	if (j->judgement.verdict == VERDICT_ASK)
		j->judgement.approval = gate_approved(j->a, &j->facts, &j->judgement, &j->p->own).run;
	gate_grant(j->a, &j->judgement);
	return 0;
}

void engine_amend(struct arena *a, const struct engine_request *rq, const struct policies *p,
		  const struct facts *f, struct judgement *j)
{
	struct policy own = p->own;

	own.mode = mode_in_force(rq, p, &p->own);
	gate_amend(a, f, &own, rq->notes, j);
}

void engine_refuse(struct arena *a, enum check_id id, const char *message, struct judgement *ret)
{
	struct reason *r = arena_copy(a, (struct reason){.id = id, .grade = GRADE_DENY,
			.message = str_dup(a, str_of(message))});

	*ret = (struct judgement){.verdict = VERDICT_DENY, .reasons = r};
}

static int judge_request(struct arena *a, const struct engine_request *rq, const struct policies *p,
		struct view *given, struct facts *ret_facts, struct judgement *ret_judgement, struct err *e)
{
	struct judge_job j = {.a = a, .rq = rq, .p = p, .given = given};
	int rc = arena_run(a, look_and_judge, &j);

	if (rc == 0) {
		*ret_facts = j.facts;
		*ret_judgement = j.judgement;
		return 0;
	}
	if (!j.refusal.reasons)
		return err_limit(e, "the memory limit was reached");
	if (rc == 1 && j.err.kind != ERR_LIMIT)
		j.refusal.reasons->message = STR("the parser failed, so the command was not judged");
	*ret_facts = (struct facts){0};
	*ret_judgement = j.refusal;
	return 0;
}

int engine_judge(struct arena *a, const struct engine_request *rq, const struct policies *p,
		struct facts *ret_facts, struct judgement *ret_judgement, struct err *e)
{
	return judge_request(a, rq, p, NULL, ret_facts, ret_judgement, e);
}

int engine_judge_again(struct arena *a, const struct engine_request *rq, const struct policies *p,
		struct view *v, struct facts *ret_facts, struct judgement *ret_judgement, struct err *e)
{
	return judge_request(a, rq, p, v, ret_facts, ret_judgement, e);
}
