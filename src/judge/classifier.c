/* Runs the classifier program and applies its answer within the limits of classifier.h. */
#define _GNU_SOURCE
#include "judge/classifier.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/utf8.h"
#include "gate/gate.h"
#include "sys/process.h"
#include "sys/user.h"

#define SYSTEM_PATH "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"

static const char system_dirs[][16] = {"/usr/local/bin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/sbin",
		"/sbin"};

struct classifier_answer {
	enum verdict verdict;
	char reason[CLASSIFIER_REASON_MAX];
	size_t n;
};

/* ---- limits of its answer ---- */

/* Not even the classifier can know the code that would run, so contain is the mildest answer. */
static bool is_unread(enum check_id id)
{
	switch (id) {
	case CHECK_OPAQUE_COMMAND:
	case CHECK_OPAQUE_SCRIPT:
	case CHECK_SYNTAX_ERROR:
	case CHECK_BOUND_REACHED:
	case CHECK_UNKNOWN_CONSTRUCT: return true;
	default: return false;
	}
}

/* The mildest verdict that the classifier can reach. VERDICT_ASK: it can only deny. */
static enum verdict mildest_verdict(const struct judgement *j)
{
	enum verdict best = j->complete && !j->questions ? VERDICT_ALLOW : VERDICT_CONTAIN;

	if (j->approval == APPROVAL_SPLIT) /* one part needs the box, another cannot work there */
		return VERDICT_ASK;
	for (const struct reason *r = j->reasons; r; r = r->next) {
		if (r->grade == GRADE_ASK && (gate_check(r->id)->fixed || r->id == CHECK_PLAN_MODE))
			return VERDICT_ASK;
		if (r->grade == GRADE_CONTAIN || is_unread(r->id))
			best = verdict_min(best, VERDICT_CONTAIN);
	}
	return best;
}

/* ---- the program ---- */

/*
 * Anyone who can write the program could decide for the person. It must belong to the person or root, and be
 * writable by nobody else.
 */
static int check_usable(const char *path, struct err *e)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return err_input(e, "'%s' does not exist", path);
	if (!S_ISREG(st.st_mode))
		return err_input(e, "'%s' is not a file", path);
	if ((st.st_uid != getuid() && st.st_uid != 0) || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return err_input(e, "other users can write '%s'", path);
	return 0;
}

static int find_program(struct arena *a, struct str name, const char **ret, struct err *e)
{
	if (name.n && name.p[0] == '/') {
		*ret = str_c(a, name);
		return check_usable(*ret, e);
	}
	if (!name.n || str_has(name, '/'))
		return err_input(e, "'%.*s' is neither an absolute path nor a name", STR_ARG(name));
	for (size_t i = 0; i < ARRAY_SIZE(system_dirs); i++) {
		*ret = str_c(a, str_fmt(a, "%s/%.*s", system_dirs[i], STR_ARG(name)));
		if (access(*ret, X_OK) == 0)
			return check_usable(*ret, e);
	}
	return err_input(e, "'%.*s' is not in the system's directories", STR_ARG(name));
}

static int make_argv(struct arena *a, const struct texts *command, char **argv, struct err *e)
{
	size_t n = 0;

	for (; command; command = command->next) {
		if (n == CLASSIFIER_ARGS_MAX)
			return err_limit(e, "it has more than %d arguments", CLASSIFIER_ARGS_MAX);
		argv[n++] = str_c(a, command->text);
	}
	argv[n] = NULL;
	return 0;
}

static void make_env(struct arena *a, char **env)
{
	const char *lang = getenv("LANG");
	struct user self = {0};
	size_t n = 0;

	env[n++] = str_c(a, STR("PATH=" SYSTEM_PATH));
	if (user_self(a, NULL, getenv("HOME"), &self, NULL) == 0) {
		env[n++] = str_c(a, str_fmt(a, "HOME=%.*s", STR_ARG(self.home)));
		env[n++] = str_c(a, str_fmt(a, "USER=%.*s", STR_ARG(self.name)));
	}
	if (lang)
		env[n++] = str_c(a, str_fmt(a, "LANG=%s", lang));
	env[n] = NULL;
}

static struct str make_question(struct arena *a, const struct engine_request *rq, const struct facts *f,
		const struct judgement *j)
{
	struct str own = STR(""), cwd = context_or_own(rq->context)->cwd;
	struct buf b;

	if ((!cwd.n || cwd.p[0] != '/') && cwd_get(a, &own, NULL) == 0)
		cwd = cwd.n ? str_path(a, own, cwd) : own;
	buf_init(&b, a, 0);
	answer_question(&b, rq->command, cwd, f, j);
	return buf_view(&b);
}

/* ---- its answer ---- */

static int take_answer(const struct json *v, struct classifier_answer *ret, struct err *e)
{
	static const enum verdict known[] = {VERDICT_DENY, VERDICT_CONTAIN, VERDICT_ALLOW};
	const struct json *reason = json_key(v, "reason");
	struct str verdict = json_text_at(v, "verdict"), text = json_text(reason);

	if (!json_is(v, JSON_OBJECT) || (reason && !json_is(reason, JSON_STRING)))
		return err_input(e, "its answer is not an object with a verdict and a reason");
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (!str_is(verdict, verdict_name(known[i])))
			continue;
		ret->verdict = known[i];
		for (size_t at = 0; at < text.n && (utf8_next(text, &at), at <= sizeof(ret->reason));)
			ret->n = at;
		memcpy(ret->reason, text.p, ret->n);
		return 0;
	}
	return err_input(e, "its verdict must be allow, contain or deny");
}

static int read_answer(struct arena *a, struct str text, struct classifier_answer *ret, struct err *e)
{
	struct json *v = NULL;
	struct err why = {0};

	if (json_read(a, text, &v, &why) != 0)
		return err_input(e, "its answer is not JSON: %s", why.text);
	return take_answer(v, ret, e);
}

static int ask_classifier(struct arena *a, const struct engine_request *rq, const struct policy *p,
		const struct facts *f, const struct judgement *j, struct classifier_answer *ret,
		struct err *e)
{
	char **argv = arena_array(a, CLASSIFIER_ARGS_MAX + 1, sizeof(*argv)), *env[8];
	struct process_request pr = {.argv = argv, .envp = env, .output_max = CLASSIFIER_OUTPUT_MAX,
			.timeout_ms = p->classifier.timeout_ms};
	struct process_result result;

	if (find_program(a, p->classifier.command->text, &pr.path, e) != 0 ||
			make_argv(a, p->classifier.command, argv, e) != 0)
		return -1;
	make_env(a, env);
	if (!pr.timeout_ms)
		pr.timeout_ms = CLASSIFIER_MS_DEFAULT;
	if (pr.timeout_ms > CLASSIFIER_MS_MAX)
		pr.timeout_ms = CLASSIFIER_MS_MAX;
	pr.input = make_question(a, rq, f, j);
	pr.output = arena_alloc(a, CLASSIFIER_OUTPUT_MAX);
	if (process_ask(&pr, &result, e) != 0)
		return -1;
	if (result.status != 0)
		return err_input(e, "it ended with status %d", result.status);
	return read_answer(a, str_n(pr.output, result.n), ret, e);
}

/* ---- recording it ---- */

static void add_reason(struct arena *a, struct reason **to, enum grade grade, struct str message)
{
	struct reason *r = arena_copy(a, (struct reason){
		.id = CHECK_CLASSIFIER, .grade = grade, .approval = APPROVAL_PLAIN, .message = message});

	while (*to)
		to = &(*to)->next;
	*to = r;
}

static struct step **add_step(struct arena *a, struct step **to, enum step_kind k, struct str rule,
		struct str subject, struct span at)
{
	struct step *s = arena_copy(a, (struct step){.kind = k, .rule = rule, .subject = subject, .at = at});

	while (*to)
		to = &(*to)->next;
	*to = s;
	return &s->next;
}

/* Moves the ask reasons from the list to the derivation ("lifted"). */
static void lift_asks(struct arena *a, struct judgement *j)
{
	struct step **end = &j->steps;

	for (struct reason **at = &j->reasons; *at;) {
		const struct reason *r = *at;

		if (r->grade != GRADE_ASK) {
			at = &(*at)->next;
			continue;
		}
		*at = r->next;
		end = add_step(a, end, STEP_LIFTED, str_of(check_name(r->id)), r->message, r->at);
	}
}

static void record_answer(struct arena *a, struct judgement *j, enum verdict answered, struct str said,
		enum verdict best)
{
	static const enum step_kind steps[] = {[VERDICT_DENY] = STEP_CLASSIFIED_DENY,
			[VERDICT_CONTAIN] = STEP_CLASSIFIED_CONTAIN, [VERDICT_ALLOW] = STEP_CLASSIFIED_ALLOW};

	add_step(a, &j->steps, steps[answered], str_of(check_name(CHECK_CLASSIFIER)), said,
		(struct span){0});
	if (answered == VERDICT_DENY) {
		j->verdict = VERDICT_DENY;
		add_reason(a, &j->reasons, GRADE_DENY, said);
		gate_order_reasons(j);
		return;
	}
	if (best == VERDICT_ASK) {
		add_reason(a, &j->warnings, GRADE_WARN,
				str_fmt(a, "%.*s (the classifier may not answer this question)",
						STR_ARG(said)));
		return;
	}
	lift_asks(a, j);
	j->verdict = verdict_min(answered, best);
	j->approval = APPROVAL_OUTSIDE; /* its answer settles the asks and opens nothing in a box */
	if (j->verdict == VERDICT_CONTAIN)
		add_reason(a, &j->reasons, GRADE_CONTAIN, said);
	else
		add_reason(a, &j->warnings, GRADE_WARN, said);
}

static void consult_classifier(struct arena *a, const struct engine_request *rq, const struct policy *p,
		const struct facts *f, const struct judgement *j, struct classified *ret)
{
	struct classifier_answer got = {.verdict = VERDICT_ASK};
	struct err e = {0};

	*ret = (struct classified){.asked = true};
	if (ask_classifier(a, rq, p, f, j, &got, &e) != 0) {
		ret->said = str_fmt(a, "the classifier gave no answer: %s", e.text);
		return;
	}
	ret->verdict = str_of(verdict_name(got.verdict));
	ret->said = utf8_repair(a, str_fmt(a, "the classifier says %s%s%.*s", verdict_name(got.verdict),
			got.n ? ": " : "", (int)got.n, got.reason));
}

void classifier_consult(struct arena *a, const struct engine_request *rq, const struct policy *p,
		const struct facts *f, struct classified *known, struct judgement *j)
{
	if (j->verdict != VERDICT_ASK || !p->classifier.command)
		return;
	if (!known->asked)
		consult_classifier(a, rq, p, f, j, known);
	for (enum verdict v = VERDICT_DENY; v <= VERDICT_ALLOW; v++)
		if (v != VERDICT_ASK && str_is(known->verdict, verdict_name(v))) {
			record_answer(a, j, v, known->said, mildest_verdict(j));
			return;
		}
	add_step(a, &j->steps, STEP_UNANSWERED, str_of(check_name(CHECK_CLASSIFIER)), known->said,
		(struct span){0});
	add_reason(a, &j->warnings, GRADE_WARN, known->said);
}
