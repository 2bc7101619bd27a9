/* See rule_change.h. */
#define _GNU_SOURCE
#include "client/rule_change.h"

#include <stdio.h>

#include "config/yamltext.h"
#include "gate/broad.h"
#include "gate/gate.h"
#include "judge/world.h"
#include "model/network.h"
#include "sys/state.h"

#define REASONS_MAX 300 /* bytes of the reasons in a message */

/* ---- reading a rule ---- */

static const char *key_of(enum rule_kind kind, enum verdict v)
{
	static const char keys[][3][24] = {
		[RULE_PREFIX] = {[VERDICT_DENY] = "tools.bash.deny", [VERDICT_ASK] = "tools.bash.ask",
				"tools.bash.allow"},
		[RULE_REGEX] = {[VERDICT_DENY] = "tools.bash.checks", [VERDICT_ASK] = "",
				"tools.bash.allowChecks"},
		[RULE_PERMISSION] = {[VERDICT_DENY] = "permissions.deny", [VERDICT_ASK] = "permissions.ask",
				"permissions.allow"},
		[RULE_TOOL] = {[VERDICT_DENY] = "tools.deny", [VERDICT_ASK] = "tools.ask", "tools.allow"},
		[RULE_HOST] = {[VERDICT_DENY] = "", [VERDICT_ASK] = "", "sandbox.network.allow"},
	};

	return keys[kind][v == VERDICT_ALLOW ? 2 : v];
}

static int check_text(struct str text, struct err *e)
{
	if (!text.n || text.p[0] == ' ' || text.p[text.n - 1] == ' ')
		return err_input(e, "the rule is empty, or has a blank at an end");
	if (text.n > RULE_TEXT_MAX)
		return err_input(e, "the rule is longer than %d bytes", RULE_TEXT_MAX);
	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] < ' ' || (unsigned char)text.p[i] >= 0x7f)
			return err_input(e,
					"the rule has a letter beyond ASCII or a control character; write "
					"it into the policy file by hand");
	if (text.p[0] == '-')
		return err_input(e, "'%.*s' is not a rule; put the options before the rules", STR_ARG(text));
	return 0;
}

/*
 * Returns an example for a permission rule: Bash(npm run test:*) gives `npm run test`. Rules about other
 * tools have none.
 */
static struct str permission_example(const struct permission_rule *p)
{
	struct str s = p->pattern;

	if (!str_is(p->tool, "Bash"))
		return STR("");
	if (str_ends(s, ":*") || str_ends(s, " *"))
		s.n -= 2;
	return str_has(s, '*') ? STR("") : s;
}

static bool next_word(struct str text, size_t *at, struct str *ret)
{
	ptrdiff_t end = *at < text.n ? str_find(text, ' ', *at) : -1;

	*ret = str_sub(text, *at < text.n ? *at : text.n, end < 0 ? text.n : (size_t)end);
	*at += ret->n + 1;
	return ret->n > 0;
}

/* True for an operator between commands or before a file. A rule covers the words of one command. */
static bool is_operator(struct str w)
{
	return str_like_any(w, "&& || ; | & |& > >> < << <<< &> 2>") || str_ends(w, ";") || str_starts(w,
			"$(") || str_starts(w, "`") ||
			str_starts(w, "2>");
}

/*
 * True for two commands joined without spaces: install;rm. Quoted text (s/a/b/;s/c/d/) rarely looks like
 * that.
 */
static bool glues_commands(struct str w)
{
	size_t n = 0;

	while (n < w.n && !strchr(";&|/'\"$=(){}\\", w.p[n]))
		n++;
	w = str_from(w, n);
	return n && (str_starts(w, ";") || str_starts(w, "&&") || str_starts(w, "||"));
}

/*
 * Returns the rule's words as a command. Quotes characters that would end a word or start another command, as
 * they were quoted originally.
 */
static struct str prefix_example(struct arena *a, struct str text)
{
	struct str word;
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t at = 0; next_word(text, &at, &word);) {
		bool quoted = false;

		for (size_t i = 0; i < word.n; i++)
			quoted |= strchr("|&;<>()#`\\\"'", word.p[i]) != NULL;
		buf_c(&b, b.n ? " " : "");
		if (quoted)
			buf_quoted(&b, word);
		else
			buf_str(&b, word);
	}
	return buf_view(&b);
}

static int read_prefix(struct arena *a, struct str text, struct rule_item *r, struct err *e)
{
	struct str word;
	size_t at = 0;

	if (next_word(text, &at, &word) && str_find(word, '=', 0) > 0)
		return err_input(e, "a rule starts with the program: leave out the assignment before it");
	if (str_is(text, "*"))
		return err_input(e, "'*' is not a rule: it would match everything");
	if (str_ends(text, " *") || str_ends(text, ":*"))
		return err_input(e,
				"a rule matches the start of a command, so further words may follow: write "
				"'%.*s'",
			STR_ARG(str_first(text, text.n - 2)));
	for (at = 0; next_word(text, &at, &word);)
		if (is_operator(word) || glues_commands(word))
			return err_input(e,
					"'%.*s' never matches: rules are compared with one command at a "
					"time, so name one of the commands",
				STR_ARG(text));
	if (at < text.n)
		return err_input(e,
				"'%.*s' has two blanks in a row; a rule has one between words",
				STR_ARG(text));
	r->example = prefix_example(a, text);
	r->broad = prefix_broad(text);
	return 0;
}

int rule_read(struct arena *a, enum verdict verdict, struct str text, struct rule_item *ret, struct err *e)
{
	struct rule_item r = {.text = text};
	struct permission_rule p = {0};

	if (check_text(text, e) != 0)
		return -1;
	if (str_starts(text, "mcp__")) {
		r.kind = RULE_TOOL;
		r.broad = verdict == VERDICT_ALLOW && str_is_any(text, "mcp__* mcp__**") ?
				"it allows the tools of every MCP server" : NULL;
	} else if (text.p[text.n - 1] == ')' && config_permission(text, &p)) {
		r.kind = RULE_PERMISSION;
		r.broad = permission_broad(&p);
		r.example = permission_example(&p);
		if (permission_idle(&p))
			return err_input(e, "'%.*s' never matches: %s", STR_ARG(text), permission_idle(&p));
	} else if (read_prefix(a, text, &r, e) != 0) {
		return -1;
	}
	if (verdict != VERDICT_ALLOW)
		r.broad = NULL;
	*ret = r;
	return 0;
}

int rule_read_host(struct arena *a, struct str text, struct rule_item *ret, struct err *e)
{
	struct network_rule rule;

	if (check_text(text, e) != 0 || network_rule_parse(a, text, &rule, e) != 0)
		return -1;
	*ret = (struct rule_item){.kind = RULE_HOST, .text = text};
	if (rule.kind == NETWORK_NAME)
		ret->example = str_fmt(a, "curl -sS %s://%.*s/", rule.ports[0] == 80 ? "http" : "https",
			STR_ARG(text));
	return 0;
}

/* ---- the new text ---- */

static int edit_text(struct arena *a, struct rule_request *rq, struct rule_plan *plan, struct err *e)
{
	struct str text = plan->file.before;
	struct yaml_file y;

	for (size_t i = 0; i < rq->n; i++) {
		struct rule_item *r = &rq->items[i];
		const char *key = key_of(r->kind, rq->verdict);
		const struct ynode *there;

		if (yaml_read(a, plan->file.path, text, &y, e) != 0)
			return -1;
		there = yamltext_find(yamltext_list(&y, key), r->text);
		if (!rq->remove && there) {
			r->there = true;
			r->where = str_fmt(a, "%.*s:%u", STR_ARG(plan->file.path), there->line);
			continue;
		}
		if (rq->remove ? yamltext_remove(a, plan->file.path, text, key, r->text, &text, e) != 0
			       : yamltext_add(a, plan->file.path, text, key, r->text, &text, e) != 0)
			return -1;
		plan->n++;
	}
	plan->file.after = text;
	return 0;
}

/* ---- trying it ---- */

/*
 * Loads the files in force with the new text in place. An allow rule in a project's file is tried as if the
 * file were already trusted.
 */
static int new_policies(struct arena *a, const struct rule_request *rq, struct rule_plan *plan,
		const struct policies *now, struct policies *ret, struct err *e)
{
	struct policy_file *files = NULL, **end = &files, *mine = NULL;

	for (const struct policy_file *f = now->files; f; f = f->next) {
		struct policy_file *copy = arena_new(a, struct policy_file);

		*copy = *f;
		copy->next = NULL;
		if (str_eq(f->path, plan->file.path)) {
			mine = copy;
			plan->was_trusted = rq->project && f->who == WHO_TRUSTED;
		}
		LIST_ADD(end, copy);
	}
	if (!mine) {
		mine = arena_copy(a, (struct policy_file){.path = plan->file.path,
				.base = path_parent(plan->file.path),
				.who = rq->project ? WHO_ANYONE : WHO_OWNER,
			.project = rq->project});
		*end = mine;
	}
	mine->bytes = plan->file.after;
	if (rq->project)
		mine->who = rq->verdict == VERDICT_ALLOW ? WHO_TRUSTED : WHO_ANYONE;
	return policies_of_files(a, files, now->root, ret, e);
}

static int judge_under(struct arena *a, const struct policies *p, struct str command, struct judgement *ret,
		struct err *e)
{
	struct facts f;

	return engine_judge(a, &(struct engine_request){.command = command}, p, &f, ret, e);
}

/* Returns the ids of the reasons. For a refusal, only the deciding ones with their rules. */
static struct str reasons_of(struct arena *a, const struct judgement *j, bool deciding)
{
	enum grade strictest = GRADE_OFF;
	struct buf b;

	buf_init(&b, a, 0);
	for (const struct reason *r = j->reasons; r && deciding; r = r->next)
		strictest = r->grade > strictest ? r->grade : strictest;
	for (const struct reason *r = j->reasons; r && b.n < REASONS_MAX; r = r->next) {
		if (r->grade < strictest)
			continue;
		buf_fmt(&b, "%s%s", b.n ? ", " : "", check_name(r->id));
		if (deciding && r->rule.n)
			buf_fmt(&b, " (%.*s)", STR_ARG(r->rule));
	}
	for (const struct step *s = j->steps; s && !b.n && deciding; s = s->next)
		if (s->kind == STEP_SCOPED_ALLOW)
			buf_fmt(&b, "the rule at %.*s", STR_ARG(s->rule));
	return b.n ? buf_view(&b) : deciding ? STR("the rest of the policy") : STR("");
}

static const char *passive_verb(enum verdict v)
{
	static const char words[][16] = {[VERDICT_DENY] = "denied", [VERDICT_ASK] = "asked about",
			[VERDICT_CONTAIN] = "contained", [VERDICT_ALLOW] = "allowed"};

	return words[v];
}

static int try_one(struct arena *a, const struct rule_request *rq, const struct policies *now,
		const struct policies *then, struct rule_item *r, struct err *e)
{
	struct judgement before, after;

	if (!r->example.n)
		return 0;
	if (judge_under(a, now, r->example, &before, e) != 0 ||
		judge_under(a, then, r->example, &after, e) != 0)
		return -1;
	r->before = before.verdict;
	r->after = after.verdict;
	r->reasons = reasons_of(a, &before, false);
	if (rq->remove || after.verdict == rq->verdict)
		return 0;
	if (then->own.no_lifting && rq->verdict == VERDICT_ALLOW)
		return err_input(e,
				"the system's policy (%s) sets forbid_lifting, so an allow rule has no "
				"effect", STATE_SYSTEM_POLICY);
	return err_input(e,
			"with this rule '%.*s' would still be %s, because of %.*s; nothing was written",
			STR_ARG(r->example),
		passive_verb(after.verdict), STR_ARG(reasons_of(a, &after, true)));
}

static int prepare_plan(struct arena *a, const struct rule_request *rq, struct rule_plan *plan, struct err *e)
{
	const struct state_env env = state_env();
	struct state_paths paths;
	struct view *v = arena_new(a, struct view);
	struct str path;

	world_view(a, context_or_own(NULL), NULL, v);
	state_paths(a, &env, v->home, v->project, &paths);
	plan->view = v;
	plan->init = (struct init_request){.scope = rq->project ? INIT_PROJECT : INIT_USER, .home = v->home,
			.project = v->project,
		.state = paths.state_dir, .uid = v->uid};
	path = rq->project ? paths.project_policy : paths.user_policy;
	if (!path.n)
		return err_input(e, rq->project ? "this directory is not in a project" :
				"the home directory is unknown");
	return init_look(a, &plan->init, path, &plan->file, e);
}

int rule_plan(struct arena *a, struct rule_request *rq, struct rule_plan *ret, struct err *e)
{
	struct rule_plan plan = {0};
	struct policies *now = arena_new(a, struct policies), then;

	if (policies_load(a, &(struct policies_request){0}, now, e) != 0 ||
			prepare_plan(a, rq, &plan, e) != 0 || edit_text(a, rq, &plan, e) != 0)
		return -1;
	if (new_policies(a, rq, &plan, now, &then, e) != 0)
		return -1;
	for (size_t i = 0; i < rq->n; i++)
		if (!rq->items[i].there && try_one(a, rq, now, &then, &rq->items[i], e) != 0)
			return -1;
	plan.policies = now;
	plan.always_boxed = then.own.sandbox.always && then.own.sandbox.enabled;
	*ret = plan;
	return 0;
}
