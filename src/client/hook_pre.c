/*
 * Before a tool: judges the call, records it, and answers in a form that the client supports.
 *
 * Never falls back silently to a milder path. If a command should be contained but cannot be (the client does
 * not let hooks replace a command, or the tool is not a shell), contain_fallback decides. A question becomes
 * a denial if the client cannot ask. Both answers say why, and where to change it.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <time.h>

#include "base/chars.h"
#include "base/glob.h"
#include "box/box.h"
#include "client/hook_pre.h"
#include "client/live.h"
#include "client/sandbox.h"
#include "judge/tmp_names.h"
#include "judge/world.h"
#include "record/handoff.h"
#include "result/redact.h"
#include "sys/path.h"
#include "sys/user.h"

void review_change(struct review *g, struct str key, struct str text)
{
	struct change_of_input **at = &g->v.changes;

	while (*at && !str_eq((*at)->key, key))
		at = &(*at)->next;
	if (!*at)
		*at = arena_new(g->c->a, struct change_of_input);
	**at = (struct change_of_input){.next = (*at)->next, .key = key, .text = text};
}

/* ---- judging ---- */

/* Returns the language of the shell that will run the command. */
static enum dialect dialect_of(const struct hook_input *h)
{
	const char *shell = getenv("SHELL");

	if (h->dialect != DIALECT_BASH || !shell || (h->client->can & CLIENT_BASH))
		return h->dialect;
	return str_ends(str_of(shell), "/zsh") ? DIALECT_ZSH : DIALECT_BASH;
}

static int judge_call(struct review *g, struct err *e)
{
	struct hook_call *c = g->c;
	struct user self = {.home = STR("")};

	g->rq = (struct engine_request){.command = c->h.command, .context = &c->context,
			.dialect = review_is_shell(g) ? dialect_of(&c->h) : DIALECT_BASH, .mode = c->h.mode};
	review_shell(g, c->view, &g->shell);
	if (g->shell.named)
		g->rq.dialect = g->shell.dialect;
	if (!review_is_shell(g)) {
		struct facts *facts = arena_new(c->a, struct facts);

		user_self(c->a, NULL, getenv("HOME"), &self, NULL);
		if (tool_facts(c->a, &c->h, self.home, facts, e) != 0)
			return -1;
		g->rq.facts = facts;
		g->rq.command = facts->texts[0].bytes;
	}
	return engine_judge(c->a, &g->rq, &c->policies, &g->facts, &g->j, e);
}

/*
 * Adds a note about the call that the command itself does not show. engine_amend() turns all notes into
 * reasons at once.
 */
static void add_note(struct review *g, enum call_note_kind kind, struct str text)
{
	const struct call_note **end = &g->rq.notes;
	struct call_note *n = arena_new(g->c->a, struct call_note);

	while (*end)
		end = (const struct call_note **)&(*end)->next;
	*n = (struct call_note){.kind = kind, .text = text};
	*end = n;
}

/* Returns the view of the call's directory as if it were part of another project. */
static const struct view *view_from(struct hook_call *c, struct str project)
{
	struct view *v = arena_new(c->a, struct view);

	world_again(c->a, c->view, NULL, v);
	v->project = project;
	v->places = true; /* the rest depends on the project */
	return v;
}

/*
 * A directory named in the call is the model's choice and does not make another project its own. If it leaves
 * the session's project, judge the command again as one outside that project. The stricter verdict wins, and
 * the command gets no box, because a box would make the other project writable.
 */
static int judge_elsewhere(struct review *g, struct err *e)
{
	struct hook_call *c = g->c;
	struct judgement there;
	struct engine_request rq = g->rq;
	struct context at = {.cwd = c->h.cwd, .start_dir = c->h.start_dir};
	struct str project;
	struct facts facts;

	if (!c->h.session_cwd.n || !review_is_shell(g) || hook_pin(c))
		return 0;
	project = world_project(c->a, c->view,
			&(struct context){.cwd = c->h.session_cwd, .start_dir = c->h.start_dir});
	if (str_eq(project, c->view->project))
		return 0;
	at.view = view_from(c, project);
	rq.context = &at;
	if (engine_judge(c->a, &rq, &c->policies, &facts, &there, e) != 0)
		return -1;
	if (there.verdict < g->j.verdict) {
		g->j = there;
		g->facts = facts; /* the reasons refer to places in these facts */
	}
	add_note(g, NOTE_OTHER_PROJECT, c->h.cwd);
	return 0;
}

/*
 * Codex treats more spellings of apply_patch as its patch tool than we judge as patches. Never pass such a
 * command unchanged: in the box it is plain shell text, and the client does not see it.
 */
static void note_patch_name(struct review *g)
{
	if ((g->c->h.client->can & CLIENT_PATCHES) && review_is_shell(g) && tool_names_patch(&g->facts))
		add_note(g, NOTE_PATCH_NAME, STR(""));
}

/*
 * Returns the first kind of secret in a redacted text that the policy does not ignore (secrets.allow.rules);
 * empty: none.
 */
static struct str secret_found(struct str redacted, const struct texts *allowed)
{
	static const char mark[] = "[redacted:";

	for (size_t i = 0; i + sizeof(mark) < redacted.n; i++) {
		ptrdiff_t end = str_starts(str_from(redacted, i), mark) ? str_find(redacted, ']',
				i) : -1;
		struct str kind = end < 0 ? STR("") : str_sub(redacted, i + sizeof(mark) - 1, (size_t)end);
		const struct texts *t = allowed;

		while (t && !glob_name(t->text, kind))
			t = t->next;
		if (kind.n && !t)
			return kind;
	}
	return STR("");
}

/* secrets.scanInputs: a tool's input must not contain a secret. */
static void note_secrets(struct review *g)
{
	struct hook_call *c = g->c;
	const struct secrets *s = &c->policies.own.secrets;
	bool searched = s->input_tools ? texts_have(s->input_tools, c->h.tool) : c->h.kind != TOOL_READ &&
			c->h.kind != TOOL_SEARCH && c->h.kind != TOOL_LIST;
	struct str kind;
	uint64_t n = 0;
	struct buf b;

	if (!s->enabled || !s->scan_inputs || !searched)
		return;
	buf_init(&b, c->a, HOOK_INPUT_MAX * 2);
	tool_texts(c->h.args, &b);
	if (b.n > s->scan_bytes_max) {
		add_note(g, NOTE_INPUT_LONG, STR(""));
		return;
	}
	kind = secret_found(redact_text(c->a, redactor_new(c->a, NULL, 0), buf_view(&b), &n), s->allow_rules);
	if (n && kind.n)
		add_note(g, NOTE_INPUT_SECRET, kind);
}

/*
 * Checks the shell that reads the command: no agent may have planted it, and it must not parse the command
 * differently.
 */
static int note_shell(struct review *g, struct err *e)
{
	bool differ;

	if (review_others(g, &g->shell, &differ, e) != 0)
		return -1;
	if (differ)
		add_note(g, NOTE_SHELL_DIFFERS, STR(""));
	if (g->shell.refuse.n)
		add_note(g, NOTE_SHELL_REFUSED, g->shell.refuse);
	return 0;
}

/*
 * The box opens only the project. Do not contain a command whose directory is elsewhere, or is reached by a
 * link that leaves the project.
 */
static void note_place(struct review *g)
{
	const struct view *v = g->j.view;

	if (g->c->changed.n)
		add_note(g, NOTE_PROJECT_CHANGED, g->c->changed);
	if (!v || !review_is_shell(g) || g->j.verdict < VERDICT_CONTAIN)
		return;
	/* An allowed command that stays outside the box needs no check. */
	if (g->j.verdict == VERDICT_ALLOW && !g->rq.notes && !g->c->policies.own.sandbox.always)
		return;
	if (!v->project.n)
		add_note(g, NOTE_NO_PROJECT, v->cwd);
	else if (!path_inside(review_cwd(g), v->project))
		add_note(g, NOTE_OUTSIDE_PROJECT, v->cwd);
}

static int note_call(struct review *g, struct err *e)
{
	if (note_shell(g, e) != 0)
		return -1;
	note_patch_name(g);
	note_secrets(g);
	if (g->c->h.unboxed)
		add_note(g, NOTE_UNBOXED, STR(""));
	note_place(g);
	return 0;
}

/* ---- adapting the verdict to the client ---- */

static void deny_call(struct review *g, const char *tail)
{
	g->v = (struct verdict_answer){.decision = DECIDE_DENY,
			.reason = text_reasons(g, MESSAGE_DENIAL, tail)};
}

static void deny_split(struct review *g, const struct approved *x)
{
	g->v = (struct verdict_answer){.decision = DECIDE_DENY,
			.reason = text_reasons(g, MESSAGE_SPLIT, text_split(g, x))};
}

/* True if the pause changed the verdict. */
static bool paused_verdict(const struct review *g)
{
	const struct step *s = g->j.steps;

	while (s && s->kind != STEP_PAUSE)
		s = s->next;
	return s && g->c->pause.on;
}

static void allow_call(struct review *g)
{
	const struct reason *r = g->j.advice;

	g->v.decision = g->c->policies.own.hooks.approve && (g->c->h.client->can & CLIENT_APPROVES) ?
			DECIDE_ALLOW : DECIDE_PASS;
	if (r)
		g->v.context = str_visible(g->c->a, str_fmt(g->c->a, "caisson: %.*s", STR_ARG(r->message)));
	if (paused_verdict(g))
		g->v.context = str_fmt(g->c->a,
				"caisson is paused by the user until %.*s: it neither asks nor contains "
				"until then",
			STR_ARG(g->c->pause.until));
}

/*
 * Returns why this host cannot make a box; NULL: it can, as far as is known. A failed run leaves a hint; this
 * function then tries again. *ret_mildest: a transient failure, which a program in another box may have
 * caused, is never milder than "ask", whatever contain_fallback says.
 */
static const char *host_obstacle(struct review *g, enum verdict *ret_mildest)
{
	struct arena *a = g->c->a;
	struct str state = g->j.view ? g->j.view->state_dir : STR("");
	struct err why;

	if (!handoff_box_failed(a, state, time(NULL)))
		return NULL;
	switch (box_try(a, box_backend(NULL), &why)) {
	case BOX_POSSIBLE:
		handoff_note_box_failure(a, state, false);
		return NULL;
	case BOX_IMPOSSIBLE:
		return "No box could run here a moment ago (caisson doctor says why)";
	case BOX_UNSURE: break;
	}
	*ret_mildest = VERDICT_ASK;
	return str_fmt_c(a, "No box can run right now: %s; try again later", why.text);
}

/*
 * Returns why the command cannot be contained; NULL: it can. *ret_mildest is the mildest verdict allowed
 * then.
 */
static const char *box_obstacle(struct review *g, enum verdict *ret_mildest)
{
	const struct hook_call *c = g->c;
	struct str kept_in = STR("");
	const char *why;

	*ret_mildest = VERDICT_ALLOW;

	if (!review_is_shell(g))
		return "A tool of the client cannot run in the box";
	if (!(c->h.client->can & CLIENT_REWRITES))
		return str_fmt_c(c->a, "%s does not let caisson run a command in the box",
				c->h.client->title);
	if (c->h.words || g->rq.dialect == DIALECT_POWERSHELL)
		return "A command in this form cannot run in the box";
	why = host_obstacle(g, ret_mildest);
	if (why)
		return why;
	*ret_mildest = VERDICT_ASK; /* caisson may be in the workspace, where an agent can remove it */
	if (g->j.view)
		sandbox_walls(g->c, g->j.view, &g->walls, &kept_in);
	if (kept_in.n)
		return str_fmt_c(c->a, "It may only run in the box: %.*s", STR_ARG(kept_in));
	return g->j.view && g->j.view->program.n ? NULL :
			"No box can run: caisson cannot find its own program file";
}

/* sandbox.always: allowed commands go into the box, too, except those that the policy keeps outside. */
static bool policy_boxes(const struct review *g)
{
	return !g->c->pause.on && review_is_shell(g) && gate_boxes_always(g->c->a, &g->facts,
			&g->c->policies.own);
}

static bool allowed_is_boxed(const struct review *g)
{
	return g->j.verdict == VERDICT_ALLOW && policy_boxes(g);
}

/* Returns why the command of a question cannot go into the box; NULL: it can. */
static const char *approval_obstacle(struct review *g, enum approval run)
{
	const struct view *v = g->j.view;
	enum verdict mildest;
	const char *why;

	if (review_is_shell(g) && !(g->c->h.client->can & CLIENT_ASKS_BOXED))
		return str_fmt_c(g->c->a, "%s cannot run an approved command in the box",
				g->c->h.client->title);
	why = box_obstacle(g, &mildest);
	if (why)
		return why;
	if (run == APPROVAL_NETWORK && g->walls.mode != CLIENT_SANDBOX_NONE)
		return "the client's own sandbox controls the network";
	return v->project.n && path_inside(review_cwd(g), v->project) ? NULL :
			"the box shows only the project";
}

/* Denies because nobody can be asked. The message says what a person and the model can do. */
static void deny_unasked(struct review *g, const char *why, const char *tail)
{
	const char *how = text_allow(g);

	deny_call(g, text_join(g, tail, why, how ? how : tail ? NULL : CHANGE_IT));
}

static struct approved approved_by_yes(struct review *g)
{
	struct approved x = gate_approved(g->c->a, &g->facts, &g->j, &g->c->policies.own);

	if (policy_boxes(g)) {
		x.unboxed |= x.run == APPROVAL_OUTSIDE;
		x.run = x.run == APPROVAL_PLAIN ? APPROVAL_BOX : x.run;
	}
	return x;
}

/*
 * A yes must have exactly the effect that the person was told. If the client runs the original input after a
 * question with a changed one, deny instead of asking.
 */
static void ask_about_call(struct review *g, const char *tail)
{
	struct arena *a = g->c->a;
	const struct client *client = g->c->h.client;
	struct approved x = approved_by_yes(g);
	bool boxed = x.run == APPROVAL_BOX || x.run == APPROVAL_NETWORK;
	const char *obstacle = boxed ? approval_obstacle(g, x.run) : NULL;
	struct err e = {0};

	if (x.run == APPROVAL_SPLIT && review_is_shell(g)) {
		deny_split(g, &x);
		return;
	}
	if (!(client->can & CLIENT_ASKS) || g->c->h.event->no_ask) {
		deny_unasked(g, str_fmt_c(a, "%s cannot ask the user%s, so this is denied", client->title,
				g->c->h.event->no_ask ? " here" : ""), tail);
		return;
	}
	if (g->v.changes && !(client->can & CLIENT_ASKS_BOXED)) {
		deny_call(g, str_fmt_c(a, "The policy changes its path (redirect), but %s would run the "
				"original command after approval", client->title));
		return;
	}
	if (boxed && !obstacle && review_hand_over(g, x.run, true, &e) != 0) {
		deny_call(g, str_fmt_c(a, "After approval it would run in the box, but it could not be "
				"handed over: %s", e.text));
		return;
	}
	g->v.decision = DECIDE_ASK;
	g->v.reason = text_reasons(g, MESSAGE_QUESTION, text_join(g, tail,
		text_yes(g, &x, obstacle && tail ? "" : obstacle),
		text_join(g, "This is denied if the client does not ask the user", text_allow(g), NULL)));
}

static void fall_back(struct review *g, const char *why, enum verdict mildest)
{
	struct arena *a = g->c->a;
	mildest = gate_needs_walls(&g->j, &g->c->policies.own) ? verdict_min(mildest, VERDICT_ASK) : mildest;
	const char *rule = mildest < VERDICT_CONTAIN ?
			"; contain_fallback does not apply to this" :
			"; contain_fallback decides, and the user can change it (caisson config explain "
			"contain_fallback)";
	const char *tail = str_fmt_c(a, "%s%s", why, rule);

	switch (verdict_min(g->c->policies.own.contain_fallback, mildest)) {
	case VERDICT_ALLOW:
	case VERDICT_CONTAIN:
		allow_call(g);
		g->v.context = str_fmt(a, "caisson: %s; contain_fallback lets it run outside", why);
		return;
	case VERDICT_ASK: ask_about_call(g, tail); return;
	case VERDICT_DENY: break;
	}
	deny_call(g, text_join(g, tail, NULL, NULL));
}

/* ---- containing a command ---- */

static void contain_call(struct review *g)
{
	struct arena *a = g->c->a;
	struct err e = {0};

	if (review_hand_over(g, g->j.approval, false, &e) != 0) {
		deny_call(g, str_fmt_c(a, "It may only run in the box, but it could not be handed over: %s",
				e.text));
		return;
	}
	g->v.decision = DECIDE_ALLOW;
	g->v.reason = str_fmt(a,
			"caisson: runs in the box: %s%s, the project is writable, the rest of the machine is "
			"read-only or hidden",
		g->j.network ? "with " : "", text_network(g));
}

/*
 * Denies a call: because of a reason, or because it would need a question in a mode without questions
 * (dontAsk).
 */
static void refuse_call(struct review *g)
{
	const struct reason *r = g->j.reasons;
	struct approved x;

	while (r && r->grade != GRADE_DENY)
		r = r->next;
	if (r || !g->j.reasons) {
		deny_call(g, NULL);
		return;
	}
	x = gate_approved(g->c->a, &g->facts, &g->j, &g->c->policies.own);
	if (x.run == APPROVAL_SPLIT && review_is_shell(g))
		deny_split(g, &x);
	else
		deny_unasked(g, "This mode never asks the user, so this is denied", NULL);
}

/* True if the box is no wall for this command: it only has the files and servers that the command names. */
static bool boxed_for_files(const struct review *g)
{
	const struct reason *r = g->j.reasons;

	while (r && (r->id == CHECK_BOX_FILE || r->id == CHECK_BOX_PORT) && r->grade == GRADE_CONTAIN)
		r = r->next;
	return g->j.verdict == VERDICT_CONTAIN && g->j.reasons && !r && !g->c->policies.own.sandbox.always;
}

static void decide_call(struct review *g)
{
	enum verdict v = allowed_is_boxed(g) ? VERDICT_CONTAIN : g->j.verdict;
	enum verdict mildest;
	const char *why = v == VERDICT_CONTAIN ? box_obstacle(g, &mildest) : NULL;

	if (why && boxed_for_files(g)) {
		why = NULL;
		v = VERDICT_ALLOW;
	}
	switch (v) {
	case VERDICT_DENY: refuse_call(g); return;
	case VERDICT_ASK: ask_about_call(g, NULL); return;
	case VERDICT_CONTAIN:
		if (why)
			fall_back(g, why, mildest);
		else
			contain_call(g);
		return;
	case VERDICT_ALLOW:
		allow_call(g);
		hook_session_wrote(g->c, tmp_names(g->c->a, &g->facts, g->j.view, g->c->view->project));
		return;
	}
}

/* ---- all steps ---- */

static int record_call(struct review *g, struct err *e)
{
	struct hook_call *c = g->c;
	const struct view *v = g->j.view;
	const struct record_options options = {.environ = c->o->environ, .fresh = true};
	struct record_who who = {.agent = c->h.agent, .session = c->h.session,
			.client = str_of(c->h.client->name), .tool = c->h.tool,
			.tool_use_id = c->h.tool_use_id};
	int rc;

	if (live_probing(c->a, c->h.session)) /* doctor's own question: no agent wanted to run it */
		return 0;
	if (!v) /* judging itself failed: still an answer, but there is no record to write to */
		return 0;
	if (record_open(c->a, v, &options, c->loaded ? &c->policies : NULL, &g->record, e) != 0)
		return -1;
	rc = record_verdict(c->a, &g->record, &who, STR(""), &g->rq, &g->j, &g->id, e);
	record_close(&g->record);
	return rc;
}

/* A policy that fails to load denies. Record that if possible; the policy in force is unknown. */
static int no_policy(struct review *g, const struct err *why, struct err *e)
{
	struct hook_call *c = g->c;

	g->rq = (struct engine_request){.command = c->h.kind == TOOL_SHELL ? c->h.command : c->h.tool,
			.context = &c->context, .dialect = c->h.dialect, .mode = c->h.mode};
	engine_refuse(c->a, CHECK_POLICY_ERROR, why->text, &g->j);
	g->j.view = c->context.view;
	(void)record_call(g, NULL);
	*e = *why;
	return -1;
}

int hook_pre(struct hook_call *c, struct err *e)
{
	struct review *g = arena_new(c->a, struct review);
	const struct policies_request rq = {.config = c->o->config, .context = &c->context,
			.settings = c->h.client->can & CLIENT_SETTINGS};
	struct err why = {0};

	g->c = c;
	review_await_vetting(c);
	if (policies_load(c->a, &rq, &c->policies, &why) != 0)
		return no_policy(g, &why, e);
	c->loaded = true;
	hook_pause(c);
	if (c->o->set_deadline)
		c->o->set_deadline(c->policies.own.hooks.deadline_ms);
	review_redirect_tmp(g);
	if (judge_call(g, e) != 0 || judge_elsewhere(g, e) != 0 || note_call(g, e) != 0)
		return -1;
	/* judge_call() had no notes yet; a replay judges with them */
	engine_amend(c->a, &g->rq, &c->policies, &g->facts, &g->j);
	if (record_call(g, e) != 0) /* the judgement; decide_call() makes it an answer of this client */
		return -1;
	decide_call(g);
	/* the answer holds the decision; an incomplete answer is replaced by a refusal */
	c->r->code = HOOK_PASS;
	c->h.client->before(c->r, &c->h, &g->v);
	return 0;
}
