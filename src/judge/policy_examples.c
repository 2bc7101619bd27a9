/*
 * Examples inside rules: commands that a rule must match (match) and must not match (not_match). Loading a
 * policy tries each example with a policy that holds only its rule, through the same judge as any command. A
 * policy with a failing example does not load.
 */
#include "base/regex.h"
#include "judge/engine.h"

#define EXAMPLES_MAX 500                      /* per policy */
/* total bytes of all examples: trying them costs no more than judging one long command */
#define EXAMPLES_BYTES_MAX ((size_t)64 << 10)
#define EXAMPLE_ARENA ((size_t)64 << 20)
#define QUOTE_MAX 80

/* The common initial members of all rule nodes. */
struct rule_node {
	struct rule_node *next;
	struct rule rule;
};

#define SAME(type) \
	_Static_assert(offsetof(struct type, next) == 0 && \
			offsetof(struct type, rule) == offsetof(struct rule_node, rule), "struct " #type)
SAME(prefix_rule);
SAME(regex_rule);
SAME(redirect_rule);
SAME(argument_rule);
SAME(names_rule);
SAME(permission_rule);

enum { PERMISSION_ALLOW = 0 };

#define LIST(field, type) {offsetof(struct policy, field), sizeof(struct type)}
static const struct rule_list {
	size_t offset, size;
} lists[] = {
	[PERMISSION_ALLOW] = LIST(permission_allow, permission_rule),
	LIST(permission_deny, permission_rule), LIST(permission_ask, permission_rule),
	LIST(deny, prefix_rule), LIST(ask, prefix_rule), LIST(allow, prefix_rule),
	LIST(checks, regex_rule), LIST(allow_checks, regex_rule), LIST(redirects, redirect_rule),
	LIST(arguments, argument_rule), LIST(only, names_rule),
};

/* Finds the node of a rule. Returns the index of its list, or -1. */
static int find_rule(const struct policy *p, const struct rule *rule, const struct rule_node **ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		const struct rule_node *n;

		memcpy(&n, (const char *)p + lists[i].offset, sizeof n);
		for (; n; n = n->next)
			if (&n->rule == rule) {
				*ret = n;
				return (int)i;
			}
	}
	return -1;
}

static bool about_files(const struct permission_rule *r)
{
	return !str_is_any(r->tool, "Bash PowerShell");
}

/* Makes a policy that holds this rule alone, plus the settings that change how its words are read. */
static void make_alone(struct arena *a, const struct policy *p, size_t list, const struct rule_node *n,
		struct policy *ret)
{
	struct policies none;
	struct rule_node *copy = arena_alloc(a, lists[list].size);

	policies_default(&none);
	*ret = none.own;
	ret->deny = NULL;
	ret->normalise = p->normalise;
	ret->fold_case = p->fold_case;
	ret->commands = p->commands;
	ret->ncommands = p->ncommands;
	memcpy(copy, n, lists[list].size);
	copy->next = NULL;
	memcpy((char *)ret + lists[list].offset, &copy, sizeof copy);
}

static bool is_in(const struct reason *r, struct str where, bool denies)
{
	for (; r; r = r->next)
		if (str_eq(r->rule, where) && (!denies || r->grade == GRADE_DENY))
			return true;
	return false;
}

static bool rule_spoke(const struct judgement *j, struct str where)
{
	for (const struct step *s = j->steps; s; s = s->next)
		if (str_eq(s->rule, where))
			return true;
	return is_in(j->reasons, where, false) || is_in(j->warnings, where, false);
}

struct example_trial {
	struct arena *a;
	const struct policies_request *rq;
	const struct policy *p;
	const struct example *x;
	bool spoke;
};

/* A normalise rule strips a part of a command, so only its regex is tried. */
static bool strip_matches(const struct policy *p, const struct example *x)
{
	for (const struct normalise_rule *n = p->normalise; n; n = n->next)
		for (const struct regex_rule *r = n->strip; r; r = r->next)
			if (&r->rule == x->rule)
				return regex_match(r->regex, x->command) == REGEX_YES;
	return false;
}

/*
 * An allow rule about files leaves no step in the derivation. It is tried as a deny rule, which compares
 * paths in the same way, and only a certain match (which denies) counts.
 */
static int try_one(void *arg)
{
	struct example_trial *t = arg;
	struct engine_request rq = {.command = t->x->command, .context = t->rq->context};
	struct policy alone;
	struct policies ps;
	struct facts f;
	struct judgement j;
	const struct rule_node *n;
	int list = find_rule(t->p, t->x->rule, &n);
	bool turned = list == PERMISSION_ALLOW && about_files((const struct permission_rule *)n);

	if (list < 0) {
		t->spoke = strip_matches(t->p, t->x);
		return 0;
	}
	make_alone(t->a, t->p, (size_t)list, n, &alone);
	if (turned) {
		alone.permission_deny = alone.permission_allow;
		alone.permission_allow = NULL;
	}
	policies_of(&alone, &ps);
	if (engine_judge(t->a, &rq, &ps, &f, &j, NULL) != 0)
		return 1;
	t->spoke = turned ? is_in(j.reasons, t->x->rule->where, true) : rule_spoke(&j, t->x->rule->where);
	return 0;
}

int policies_examples(const struct policies_request *rq, const struct policy *p, struct err *e)
{
	size_t n = 0, bytes = 0;

	for (const struct example *x = p->examples; x; x = x->next) {
		struct example_trial t = {.rq = rq, .p = p, .x = x};
		struct arena a;
		int rc, shown = (int)(x->command.n < QUOTE_MAX ? x->command.n : QUOTE_MAX);
		bool preset = str_starts(x->rule->where, "preset ");

		if (preset && !rq->thorough)
			continue;
		bytes += preset ? 0 : x->command.n;
		n += !preset;
		if (n > EXAMPLES_MAX || bytes > EXAMPLES_BYTES_MAX)
			return err_limit(e, "%.*s: more than %d examples or %zu bytes of them",
					STR_ARG(x->where), EXAMPLES_MAX, EXAMPLES_BYTES_MAX);
		arena_init(&a, EXAMPLE_ARENA); /* a separate arena: many need no more memory than one */
		t.a = &a;
		rc = arena_run(&a, try_one, &t);
		arena_free(&a);
		if (rc != 0)
			return err_limit(e, "%.*s: the example could not be tried: '%.*s'",
					STR_ARG(x->where), shown, x->command.p);
		if (t.spoke != x->match)
			return err_config(e, "%.*s: the rule %s about this example: '%.*s'",
					STR_ARG(x->where), x->match ? "says nothing" : "speaks", shown,
					x->command.p);
	}
	return 0;
}
