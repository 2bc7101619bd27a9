/*
 * Rules about code inside a command: its calls, its imports, the files that it writes. tiers.c ranks the
 * tiers.
 */
#include "base/glob.h"
#include "base/regex.h"
#include "gate/tiers.h"

static bool in_names(const struct texts *names, struct str name)
{
	for (; names; names = names->next)
		if (glob_name(names->text, name))
			return true;
	return false;
}

/* MATCH_YES if some argument lies outside the roots, MATCH_MAYBE if a path is unknown. */
static enum prefix_match argument_outside(struct judge *j, const struct texts *roots,
		const struct code_call *c, struct str cwd)
{
	enum prefix_match worst = MATCH_NO;

	for (size_t i = 0; i < c->nargs; i++) {
		struct access x = {.kind = ACCESS_WRITE, .path = c->args[i]};
		struct redirect_rule r = {.outside = true, .paths = (struct texts *)roots,
				.decision = VERDICT_DENY};
		struct redirect_test t = {.r = &r, .all = true};

		if (x.path.kind == WORD_REST) { /* any words, perhaps paths */
			worst = worst == MATCH_NO ? MATCH_MAYBE : worst;
			continue;
		}
		if (!x.path.text.n ||
				(x.path.kind == WORD_EXACT && !str_has(x.path.text, '/') &&
				i > 0 && !str_is(x.path.text, "..")))
			continue; /* a mode or a flag */
		if (x.path.text.p[0] != '/' && !text_hole(x.path.text.p[0]))
			/* both may contain holes */
			x.path.text = str_cat(j->a, str_cat(j->a, cwd, STR("/")), x.path.text);
		x.path.kind = text_exact(x.path.text) ? x.path.kind : WORD_UNKNOWN;
		if (!paths_each(j, &x, tiers_redirect_one, &t))
			worst = worst == MATCH_NO ? MATCH_MAYBE : worst;
		else if (t.some)
			return MATCH_YES;
	}
	return worst;
}

static enum prefix_match argument_says(const struct code_call *c, struct regex *re)
{
	enum prefix_match worst = MATCH_NO;

	for (size_t i = 0; i < c->nargs; i++) {
		enum regex_answer is = c->args[i].kind == WORD_EXACT ? regex_match(re, c->args[i].text) :
				REGEX_LIMIT;

		if (is == REGEX_YES)
			return MATCH_YES;
		worst = is == REGEX_LIMIT ? MATCH_MAYBE : worst;
	}
	return worst;
}

static enum prefix_match call_matches(struct judge *j, const struct call_rule *r, const struct code_call *c,
		struct str cwd)
{
	enum prefix_match m = in_names(r->match, c->name) ? MATCH_YES : MATCH_NO, more;

	if (m != MATCH_NO && r->outside && (more = argument_outside(j, r->outside, c, cwd)) < m)
		m = more;
	if (m != MATCH_NO && r->arg && (more = argument_says(c, r->arg)) < m)
		m = more;
	return m;
}

/* In the second pass `v` is NULL, and matching ask rules are raised. */
static void match_code(struct judge *j, struct subject *s, struct verdicts *v, const struct call_rule *r,
		enum prefix_match m, struct str what)
{
	if (v)
		tiers_match(j, s, v, r->decision, true, m, &r->rule, what);
	else if (r->decision == VERDICT_ASK)
		tiers_raise_ask(j, s, &r->rule, what, m);
}

/* True if the code changes its directory, so that relative paths start elsewhere. */
static bool changes_directory(const struct code *code)
{
	for (const struct code_call *c = code->calls; c; c = c->next)
		if (str_is_any(c->name,
				"os.chdir os.fchdir os.chroot contextlib.chdir process.chdir Deno.chdir"))
			return true;
	return false;
}

static void compare_snippet(struct judge *j, struct subject *s, const struct snippet *k,
		const struct interpreter_rules *in, struct verdicts *v)
{
	static const struct str nowhere = {"", 1}; /* a hole: any directory */

	for (const struct call_rule *r = in->calls; r; r = r->next)
		for (const struct code_call *c = k->code->calls; c; c = c->next)
			match_code(j, s, v, r,
					call_matches(j, r, c, changes_directory(k->code) ? nowhere : k->cwd),
					c->name);
	for (const struct call_rule *r = in->imports; r; r = r->next)
		for (const struct code_import *i = k->code->imports; i; i = i->next)
			match_code(j, s, v, r, in_names(r->match, i->name) ? MATCH_YES : MATCH_NO, i->name);
	for (const struct call_rule *r = in->writes; r; r = r->next)
		for (const struct access *x = j->f->accesses; x; x = x->next) {
			struct redirect_rule outside = {.outside = true, .paths = r->outside,
					.decision = r->decision};
			struct redirect_test t = {.r = &outside, .all = true};
			bool here = x->kind == ACCESS_WRITE && x->at.text == k->code->error_at.text &&
					x->at.text > 0;

			if (here)
				match_code(j, s, v, r,
						!paths_each(j, x, tiers_redirect_one, &t) ? MATCH_MAYBE :
						t.all ? MATCH_YES : t.some ? MATCH_MAYBE : MATCH_NO,
						judge_excerpt(j, x->at));
		}
}

/* Maps a place to `text`, following the origins of derived texts. */
static struct span outer_place(const struct judge *j, struct span at, uint32_t text)
{
	while (at.text > text && at.text < j->f->ntexts && j->f->texts[at.text].origin.text < at.text)
		at = j->f->texts[at.text].origin;
	return at;
}

/* True if this is the code of that command, or code nested in it. */
static bool is_code_of(const struct judge *j, const struct subject *s, const struct snippet *k)
{
	struct span at = s->c->argc ? outer_place(j, k->at, s->c->argv[0].at.text) : k->at;

	return s->c->argc && at.text == s->c->argv[0].at.text && at.from == s->c->argv[0].at.from;
}

/*
 * True if this code at most reads. Programs that it starts are commands of their own; executes-file judges
 * modules of the project.
 */
static bool snippet_reads(const struct judge *j, const struct snippet *k)
{
	uint32_t text = k->code ? k->code->error_at.text : 0;

	if (!k->code || !k->code->complete || k->code->markers || !text)
		return false;
	for (const struct access *x = j->f->accesses; x; x = x->next)
		if (x->at.text == text && x->kind != ACCESS_READ && !access_is_import(x))
			return false;
	for (const struct touch *t = j->f->touches; t; t = t->next)
		if (t->at.text == text)
			return false;
	return true;
}

bool tiers_code_reads(struct judge *j, struct subject *s)
{
	const struct know_result *known = subject_known(j, s);
	bool code = false;

	if (known->effects)
		return false;
	for (const struct know_use *u = known->uses; u; u = u->next)
		if (u->role != USE_CODE && u->role != USE_READ)
			return false;
	for (const struct snippet *k = j->f->snippets; k; k = k->next)
		if (is_code_of(j, s, k)) {
			if (!snippet_reads(j, k))
				return false;
			code = true;
		}
	return code;
}

/* Compares the rules with the code passed to this command, nested code included. */
void tiers_compare_code(struct judge *j, struct subject *s, struct verdicts *v)
{
	for (const struct snippet *k = j->p->interpreters ? j->f->snippets : NULL; k; k = k->next) {
		bool mine = is_code_of(j, s, k);

		for (const struct interpreter_rules *in = j->p->interpreters; in && mine && k->code &&
				k->code->parsed; in = in->next)
			if (in->lang == k->lang && (!in->names || in_names(in->names, s->base) || !s->base.n))
				compare_snippet(j, s, k, in, v);
	}
}

/* A PowerShell request is code as a whole: rules about its calls apply, and the default. */
void tiers_decide_request(struct judge *j)
{
	struct command *c = arena_new(j->a, struct command);
	struct subject *s = arena_new(j->a, struct subject);
	const struct snippet *first = j->f->snippets;
	struct verdicts v = {0};

	if (!first || first->at.text || first->at.from || !j->f->ntexts ||
			first->at.to != j->f->texts[0].bytes.n || first->text.at.to != first->at.to)
		return;
	c->at = first->at;
	*s = (struct subject){.c = c, .base = STR("")};
	j->request = s;
	for (const struct snippet *k = first; k; k = k->next)
		for (const struct interpreter_rules *in = j->p->interpreters; in && k->code &&
				k->code->parsed; in = in->next)
			if (in->lang == k->lang) {
				compare_snippet(j, s, k, in, &v);
				compare_snippet(j, s, k, in, NULL);
			}
	s->matched = v.deny || v.ask || v.maybe;
}
