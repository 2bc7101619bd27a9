/*
 * The table of checks: id, grade, whether it is fixed, what it means, and the function that looks. In the spirit of git fsck's messages:
 * a person may re-grade a check by its id, except a fixed one. To add a check: a row, a function, a hit and a near-miss in tests/cases,
 * a line in docs/checks.md; `make check` fails when one of them is missing.
 */
#include "gate/judge.h"

static struct str say(struct judge *j, const char *before, struct span at, const char *after)
{
	struct str x = judge_excerpt(j, at);

	return str_fmt(j->a, "%s'%.*s'%s", before, STR_ARG(x), after);
}

/* ---- what is not known ---- */

static void opaque_command(struct judge *j, const struct check *c)
{
	for (const struct command *k = j->f->commands; k; k = k->next) {
		if (!k->argc || k->argv[0].kind == WORD_EXACT)
			continue;
		/* nothing but "any words", below a program: its own words do not tell what it runs */
		bool hidden = k->argc == 1 && k->argv[0].kind == WORD_REST && strncmp(k->via->name, "wrapper:", 8) == 0;
		judge_say(j, c, k->argv[0].at, hidden ? say(j, "", k->argv[0].at, " may run a command that its words do not tell; write its words out, or quote them")
						      : say(j, "which command ", k->argv[0].at, " runs is only known when it runs; write its name out"));
	}
}

/* A file name pattern names files where it says, and an integer cannot lead out of a directory: both are known well enough. */
static bool path_known(const struct word *w)
{
	if (w->kind == WORD_EXACT)
		return true;
	return w->text.n > 0 && (w->glob || w->kind == WORD_UNKNOWN) && !memchr(w->text.p, HOLE_ANY, w->text.n);
}

static bool is_redirection(const struct access *x) { return x->op && strpbrk(x->op, "<>"); }

static void opaque_path(struct judge *j, const struct check *c)
{
	for (const struct access *x = j->f->accesses; x; x = x->next) {
		if ((x->kind != ACCESS_WRITE && x->kind != ACCESS_DELETE) || path_known(&x->path))
			continue;
		if (!is_redirection(x) && judge_lifted(j, x->at)) /* a rule that allows a command says nothing of its redirections */
			continue;
		judge_say(j, c, x->at, say(j, "the path that ", x->at,
			x->kind == ACCESS_DELETE ? " deletes is not known before it runs; write the path out" :
			" writes to is not known before it runs; write the path out"));
	}
}

/* ---- what the reader could not promise ---- */

static void troubles(struct judge *j, const struct check *c, enum trouble_kind kind, bool liftable)
{
	for (const struct trouble *t = j->f->troubles; t; t = t->next)
		if (t->kind == kind && !(liftable && j->f->complete && judge_lifted(j, t->at)))
			judge_say(j, c, t->at, str_fmt(j->a, "%s", t->message ? t->message : c->about));
}

static void opaque_script(struct judge *j, const struct check *c) { troubles(j, c, TROUBLE_OPAQUE_SCRIPT, true); }
static void syntax_error(struct judge *j, const struct check *c) { troubles(j, c, TROUBLE_SYNTAX, false); }
static void bound_reached(struct judge *j, const struct check *c) { troubles(j, c, TROUBLE_BOUND, false); }

/* Also the net under the others: facts that are not complete never earn more than ask, whatever the reason. */
static void unknown_construct(struct judge *j, const struct check *c)
{
	troubles(j, c, TROUBLE_CONSTRUCT, false);
	if (!j->f->complete && j->ret->verdict > VERDICT_ASK)
		judge_say(j, c, (struct span){0}, STR("this command could not be read to its end"));
}

/* ---- what is known and not harmless by itself ---- */

static void executes_file(struct judge *j, const struct check *c)
{
	for (const struct access *x = j->f->accesses; x; x = x->next) {
		if (x->kind != ACCESS_EXEC || (x->path.kind == WORD_EXACT && path_is_system_program(x->path.text)) || judge_lifted(j, x->at))
			continue;
		judge_say(j, c, x->at, say(j, "", x->at, " executes a file whose content is not judged here, so it may only run in the box"));
	}
}

static void inline_code(struct judge *j, const struct check *c)
{
	for (const struct snippet *s = j->f->snippets; s; s = s->next) {
		if (inline_harmless(s))
			continue;
		j->ret->complete = false; /* the code may run commands of its own */
		if (!judge_lifted(j, s->at))
			judge_say(j, c, s->at, str_fmt(j->a, "this %s code may run commands or write files, and it is not read here", s->lang ? s->lang : "inline"));
	}
}

/* ---- the person's own rules ---- */

static void raise_rule(struct judge *j, const struct check *c, const struct command *k, const struct prefix_rule *r, enum grade g, enum match m)
{
	struct str text = r->rule.description;

	if (m == MATCH_MAYBE)
		text = str_fmt(j->a, "an unknown word may make this '%.*s', which the policy does not allow", STR_ARG(r->prefix));
	else if (!text.n)
		text = str_fmt(j->a, g == GRADE_DENY ? "the policy denies '%.*s'" : "the policy asks about '%.*s'", STR_ARG(r->prefix));
	judge_raise(j, c, &(struct finding){.grade = g, .message = text, .alternative = r->rule.alternative, .rule = r->rule.where, .at = k->at});
}

/* True when a rule of the list matches; a rule that only may match asks. */
static bool raise_matches(struct judge *j, const struct check *c, const struct command *k, const struct prefix_rule *rules)
{
	bool found = false;

	for (const struct prefix_rule *r = rules; r; r = r->next) {
		enum match m = rule_match(r, k);

		if (m == MATCH_NO)
			continue;
		raise_rule(j, c, k, r, m == MATCH_YES ? c->grade : GRADE_ASK, m);
		found = true;
	}
	return found;
}

static void configured_deny(struct judge *j, const struct check *c)
{
	for (const struct command *k = j->f->commands; k; k = k->next)
		raise_matches(j, c, k, j->p->deny);
}

static void configured_ask(struct judge *j, const struct check *c)
{
	for (const struct command *k = j->f->commands; k; k = k->next)
		raise_matches(j, c, k, j->p->ask);
}

static void configured_default(struct judge *j, const struct check *c)
{
	static const enum grade grades[] = {GRADE_DENY, GRADE_ASK, GRADE_CONTAIN, GRADE_OFF};
	enum grade g = grades[j->p->fallback];

	if (g == GRADE_OFF)
		return;
	for (const struct command *k = j->f->commands; k; k = k->next) {
		bool spoken = false; /* the tiers: an ask rule or an allow rule stands above the default */

		for (const struct prefix_rule *r = j->p->ask; r && !spoken; r = r->next)
			spoken = rule_match(r, k) == MATCH_YES;
		for (const struct prefix_rule *r = j->p->allow; r && !spoken; r = r->next)
			spoken = rule_allows(r, k);
		if (!spoken)
			judge_raise(j, c, &(struct finding){.grade = g, .at = k->at,
				.message = say(j, "no rule of the policy allows ", k->at, ", and its default is not to")});
	}
}

static const struct check rows[] = {
	{"internal-error", GRADE_DENY, true, "caisson failed, or its memory bound was reached, before the command was judged", NULL},
	{"policy-error", GRADE_DENY, true, "a policy file does not load, so nothing is allowed", NULL},
	{"configured-deny", GRADE_DENY, false, "a deny rule of the policy matches (ask when an unknown word may make it match)", configured_deny},
	{"configured-ask", GRADE_ASK, false, "an ask rule of the policy matches", configured_ask},
	{"configured-default", GRADE_ASK, false, "no rule matches and the policy's default is not allow; the default is the grade", configured_default},
	{"opaque-command", GRADE_ASK, false, "the name of a command that would run is not known", opaque_command},
	{"opaque-script", GRADE_ASK, false, "shell text that would run is not known", opaque_script},
	{"opaque-path", GRADE_ASK, false, "a path that would be written or deleted is not known", opaque_path},
	{"syntax-error", GRADE_ASK, false, "the shell would refuse the text; what stands before the error would still run", syntax_error},
	{"bound-reached", GRADE_ASK, false, "the text is larger, deeper or more laborious than the reader's bounds", bound_reached},
	{"inline-code", GRADE_ASK, false, "code in another language that is not known to be harmless", inline_code},
	{"executes-file", GRADE_CONTAIN, false, "a file is executed or sourced, and its content is not judged", executes_file},
	{"unknown-construct", GRADE_ASK, false, "the reader does not follow this construct", unknown_construct}, /* last: it is also the net */
};

const struct check *gate_checks(size_t *ret_n)
{
	*ret_n = sizeof(rows) / sizeof(*rows);
	return rows;
}

const struct check *gate_check(const char *id)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].id, id))
			return &rows[i];
	return NULL;
}
