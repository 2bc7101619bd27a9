/* Judges: every check of the table runs, every finding lowers the verdict, the minimum wins. */
#include "base/near.h"
#include "gate/overlay.h"

#include "base/chars.h"

static const enum verdict grade_verdicts[] = {VERDICT_ALLOW, VERDICT_ALLOW, VERDICT_CONTAIN, VERDICT_ASK,
		VERDICT_DENY};

/* ---- grades ---- */

enum grade judge_grade(const struct judge *j, const struct check *c) { return j->grades[c->id]; }

static bool is_regraded(const struct policy *p, enum check_id id)
{
	for (const struct regrade *r = p->regrades; r; r = r->next)
		if (r->id == id)
			return true;
	return false;
}

bool judge_regraded(const struct judge *j, enum check_id id) { return is_regraded(j->p, id); }

/* The box does not bound this finding, so the built-in contain becomes ask. A grade set by a policy stays. */
enum grade judge_grade_unbounded(const struct judge *j, const struct check *c)
{
	enum grade g = judge_grade(j, c);

	return g == GRADE_CONTAIN && !is_regraded(j->p, c->id) ? GRADE_ASK : g;
}

/* The built-in grade of these checks relies on the box. */
static bool needs_walls(enum check_id id)
{
	switch (id) {
	case CHECK_OPAQUE_COMMAND:
	case CHECK_OPAQUE_SCRIPT:
	case CHECK_OPAQUE_PATH:
	case CHECK_INLINE_CODE:
	case CHECK_CODE_ERROR:
	case CHECK_CODE_DYNAMIC:
	case CHECK_UNKNOWN_CONSTRUCT: return true;
	default: return false;
	}
}

bool gate_needs_walls(const struct judgement *j, const struct policy *p)
{
	for (const struct reason *r = j->reasons; r; r = r->next)
		if (r->grade == GRADE_CONTAIN && needs_walls(r->id) && !is_regraded(p, r->id))
			return true;
	return false;
}

static bool is_unjudged(enum check_id id)
{
	switch (id) {
	case CHECK_OPAQUE_COMMAND:
	case CHECK_OPAQUE_SCRIPT:
	case CHECK_SYNTAX_ERROR:
	case CHECK_BOUND_REACHED:
	case CHECK_UNKNOWN_CONSTRUCT:
	case CHECK_CODE_ERROR: return true;
	default: return false;
	}
}

/*
 * The policy's `onError`: anything that cannot be judged is at least asked about, or denied, unless the
 * policy grades the check itself.
 */
static enum grade grade_unjudged(const struct policy *p, const struct check *c, enum grade g)
{
	enum grade least = p->on_error == VERDICT_DENY ? GRADE_DENY : p->on_error == VERDICT_ASK ? GRADE_ASK :
			GRADE_OFF;

	return is_unjudged(c->id) && g < least && !is_regraded(p, c->id) ? least : g;
}

static void take_grades(struct judge *j)
{
	size_t n;
	const struct check *rows = gate_checks(&n);

	for (size_t i = 0; i < n; i++)
		j->grades[rows[i].id] = grade_unjudged(j->p, &rows[i], rows[i].grade);
	for (const struct regrade *r = j->p->regrades; r; r = r->next) {
		const struct check *c = gate_check(r->id);

		if (!c->fixed || r->grade > c->grade)
			j->grades[r->id] = r->grade;
	}
}

static int unknown_check(const struct regrade *r, struct err *e)
{
	struct near guess = {.word = r->name};

	for (int id = CHECK_NONE + 1; id < CHECK_IDS; id++)
		near_try(&guess, check_name((enum check_id)id));
	return err_config(e, "%.*s: no check '%.*s'%s%s%s", STR_ARG(r->rule.where), STR_ARG(r->name),
			guess.best ? ", did you mean '" : " (caisson checks lists them)",
			guess.best ? guess.best : "", guess.best ? "'" : "");
}

int gate_verify(const struct policy *p, struct err *e)
{
	for (const struct regrade *r = p->regrades; r; r = r->next) {
		const struct check *c = gate_check(r->id);

		if (r->id == CHECK_NONE)
			return unknown_check(r, e);
		if (c->fixed && r->grade < c->grade)
			return err_config(e,
				"%.*s: '%s' is fixed and cannot be lower than %s",
				STR_ARG(r->rule.where), check_name(r->id), grade_name(c->grade));
	}
	return 0;
}

/* ---- raising ---- */

static struct reason *find_reason(struct reason *r, enum check_id id, const struct finding *fd)
{
	for (; r; r = r->next)
		if (r->id == id && str_eq(r->message, fd->message) && str_eq(r->network, fd->network))
			return r->grade >= fd->grade ? r : NULL;
	return NULL;
}

/* The same finding about another command is listed once, but an approval must know both places. */
static void note_place(struct judge *j, struct reason *r, const struct check *c, const struct finding *fd)
{
	struct reason_place *p;

	if ((fd->grade != GRADE_ASK && fd->grade != GRADE_CONTAIN) || !memcmp(&r->at, &fd->at, sizeof(r->at)))
		return;
	if (j->nmore++ >= GATE_MORE_MAX) {
		j->ret->cut = true;
		return;
	}
	p = arena_copy(j->a, (struct reason_place){.next = r->more, .at = fd->at,
			.approval = approval_of(j, c, fd)});
	r->more = p;
}

void judge_raise(struct judge *j, const struct check *c, const struct finding *fd)
{
	struct reason *r, ***end;

	if (fd->grade == GRADE_OFF)
		return;
	j->ret->verdict = verdict_min(j->ret->verdict, grade_verdicts[fd->grade]);
	r = find_reason(fd->grade == GRADE_WARN ? j->ret->warnings : j->ret->reasons, c->id, fd);
	if (r)
		note_place(j, r, c, fd);
	j->ret->cut |= !r && j->nreasons >= GATE_REASONS_MAX;
	if (j->nreasons >= GATE_REASONS_MAX || r)
		return;
	j->nreasons++;
	r = arena_copy(j->a, (struct reason){.id = c->id, .grade = fd->grade,
			.approval = approval_of(j, c, fd),
			.rule = fd->rule, .network = fd->network, .at = fd->at});
	/* quotes the command for people and models */
	r->message = str_visible(j->a, fd->message);
	r->alternative = str_visible(j->a, fd->alternative);
	end = fd->grade == GRADE_WARN ? &j->warnings_end : &j->reasons_end;
	**end = r;
	*end = &r->next;
}

static void raise_unless_lifted(struct judge *j, const struct check *c, const struct finding *fd)
{
	if (c->lift == LIFT_COMMAND && (fd->grade == GRADE_ASK || fd->grade == GRADE_CONTAIN) &&
			judge_lifted(j, fd->at)) {
		judge_step(j, STEP_LIFTED, str_of(check_name(c->id)), fd->at);
		return;
	}
	judge_raise(j, c, fd);
}

void judge_raise_with(struct judge *j, const struct check *c, struct span at, struct str message,
		const char *alternative)
{
	raise_unless_lifted(j, c, &(struct finding){.grade = judge_grade(j, c), .message = message,
			.alternative = str_of(alternative ? alternative : ""), .at = at});
}

void judge_say(struct judge *j, const struct check *c, struct span at, struct str message)
{
	judge_raise_with(j, c, at, message, NULL);
}

void judge_raise_at_most(struct judge *j, enum check_id id, enum grade most, struct span at,
	struct str message, const char *alternative)
{
	const struct check *c = gate_check(id);
	enum grade g = judge_grade(j, c);

	raise_unless_lifted(j, c, &(struct finding){.grade = g > most ? most : g, .message = message,
			.alternative = str_of(alternative ? alternative : ""), .at = at});
}

void judge_raise_graded(struct judge *j, const struct check *c, enum grade g, struct span at,
	struct str message, const char *alternative)
{
	raise_unless_lifted(j, c,
		&(struct finding){.grade = g,
			.message = message,
			.alternative = str_of(alternative ? alternative : ""),
			.at = at});
}

void judge_raise_network(struct judge *j, const struct check *c, struct span at, struct str message,
	const char *alternative, struct str words)
{
	raise_unless_lifted(j, c,
		&(struct finding){.grade = judge_grade(j, c),
			.message = message,
			.alternative = str_of(alternative ? alternative : ""),
			.network = words,
			.at = at});
}

/* ---- lifting ---- */

/* Maps a place inside code of another language to the command that runs the code. */
static struct span in_command_text(const struct judge *j, struct span at)
{
	while (at.text > 0 && at.text < j->f->ntexts) {
		for (size_t i = 0; i < j->nsubjects; i++)
			if (span_encloses(j->subjects[i].c->at, at))
				return at;
		at = j->f->texts[at.text].origin;
	}
	return at;
}

static bool works_outside(struct judge *j, struct subject *s, unsigned effects)
{
	const struct know_result *k = subject_known(j, s);

	for (const struct know_use *u = k->uses; u; u = u->next)
		if (u->flags & USE_ELSEWHERE)
			return true;
	return k->effects & effects;
}

bool span_substituted(const struct facts *f, struct span outer, struct span at)
{
	for (const struct mark *m = f->marks; m; m = m->next) {
		bool substitution = m->kind == MARK_SUBSTITUTION || m->kind == MARK_BACKTICK ||
				    m->kind == MARK_SAFE_SUBST;

		if (substitution && span_encloses(m->at, at) && !span_encloses(m->at, outer))
			return true;
	}
	return false;
}

/*
 * True if a command around this place reaches past the box: another machine or a container, other privileges,
 * a service of the host. The box would only break it. Nested text belongs to the command that runs it, a
 * substitution to the shell.
 */
bool judge_leaves_box_by(struct judge *j, struct span at, unsigned effects)
{
	if (!j->p->sandbox.enabled || j->nbounds++ >= GATE_LIFTS_MAX)
		return true;
	for (;;) {
		for (size_t i = 0; i < j->nsubjects; i++)
			if (j->subjects[i].row && command_covers(j->subjects[i].c, at) &&
				works_outside(j, &j->subjects[i], effects) &&
				!span_substituted(j->f, j->subjects[i].c->at, at))
				return true;
		if (at.text == 0 || at.text >= j->f->ntexts)
			return false;
		at = j->f->texts[at.text].origin;
	}
}

bool judge_leaves_box(struct judge *j, struct span at)
{
	return judge_leaves_box_by(j, at, EFFECT_NETWORK | EFFECT_PATTERN_HOST | EFFECT_PRIVILEGE |
		EFFECT_PERSISTENCE | EFFECT_SYSTEM);
}

/*
 * A finding belongs to the innermost command around it, so `allow: [echo]` does not lift a finding in echo's
 * $( ). A wrapper and its command share a range, or parts of it, so every command that overlaps the innermost
 * one must be allowed.
 */
bool judge_lifted(struct judge *j, struct span at)
{
	const struct subject *inner = NULL;
	bool any = false;

	if (j->nlifts++ >= GATE_LIFTS_MAX)
		return false;
	at = in_command_text(j, at);
	for (size_t i = 0; i < j->nsubjects; i++) {
		const struct subject *s = &j->subjects[i];

		any |= s->allowed;
		if (span_encloses(s->c->at, at) &&
				(!inner || s->c->at.to - s->c->at.from < inner->c->at.to - inner->c->at.from))
			inner = s;
	}
	if (!inner || !any)
		return false;
	for (size_t i = 0; i < j->nsubjects; i++) {
		const struct command *c = j->subjects[i].c;

		if (c->at.text == inner->c->at.text && c->at.from < inner->c->at.to &&
				inner->c->at.from < c->at.to && !j->subjects[i].allowed)
			return false;
	}
	return true;
}

/* ---- excerpts for messages ---- */

static bool is_borrowed(const struct via *v)
{
	return v && (v->kind == VIA_WRAPPER || v->kind == VIA_XARGS || v->kind == VIA_FIND);
}

/*
 * A command run by sudo, env, xargs ... has the place of the wrapper's name; its own words say more. Returns
 * these, empty if there is no such command at this place.
 */
static struct str wrapped_words(struct judge *j, struct span at)
{
	struct buf b;

	if (j->nexcerpts++ >= GATE_EXCERPTS_MAX)
		return STR("");
	buf_init(&b, j->a, 0);
	for (size_t i = 0; i < j->nsubjects && !b.n; i++) {
		const struct command *c = j->subjects[i].c;

		if (c->at.text != at.text || c->at.from != at.from || c->at.to != at.to ||
				!j->subjects[i].base.n || !is_borrowed(c->via))
			continue;
		for (size_t k = 0; k < c->argc && b.n <= GATE_EXCERPT_MAX; k++) {
			buf_c(&b, k ? " " : "");
			if (c->argv[k].kind == WORD_EXACT || (c->argv[k].glob && text_exact(c->argv[k].text)))
				buf_str(&b, c->argv[k].text);
			else
				buf_c(&b, "...");
		}
	}
	return buf_view(&b);
}

static bool blank_at(struct str s, size_t at) { return strchr(" \t\n", s.p[at]) != NULL; }

/*
 * Returns the end of an excerpt. It cuts no word: redaction happens later, and a part of a secret does not
 * look like one. A word that is too long is left out.
 */
static size_t excerpt_end(struct str s)
{
	size_t n = GATE_EXCERPT_MAX;

	if (s.n <= n)
		return s.n;
	while (n < s.n && n < GATE_WORD_MAX && !blank_at(s, n) && !blank_at(s, n - 1))
		n++;
	if (n < GATE_WORD_MAX || n == s.n)
		return n;
	while (n > 0 && !blank_at(s, n - 1))
		n--;
	return n;
}

struct str judge_excerpt(struct judge *j, struct span at)
{
	struct buf b;
	struct str s;
	size_t n;

	if (at.text >= j->f->ntexts)
		return STR("");
	s = wrapped_words(j, at);
	if (!s.n)
		s = str_sub(j->f->texts[at.text].bytes, at.from, at.to);
	while (s.n && ascii_is_blank_or_newline(s.p[s.n - 1]))
		s.n--;
	n = excerpt_end(s);
	buf_init(&b, j->a, 0);
	for (size_t i = 0; i < n; i++)
		buf_char(&b, s.p[i] == '\n' || s.p[i] == '\t' ? ' ' : s.p[i]);
	if (n < s.n)
		buf_c(&b, "...");
	return buf_view(&b);
}

struct str judge_quote(struct judge *j, const char *before, struct span at, const char *after)
{
	struct str x = judge_excerpt(j, at);

	return str_fmt(j->a, "%s'%.*s'%s", before, STR_ARG(x), after);
}

/* ---- subjects ---- */

/* True if the system's program of this name is started: no function, no builtin, no file of the project. */
bool subject_is_program(const struct judge *j, const struct subject *s)
{
	for (const struct launch *l = j->f->launches; l; l = l->next)
		if (l->at.text == s->c->argv[0].at.text && l->at.from == s->c->argv[0].at.from &&
			str_eq(path_base(l->name), s->base))
			return !str_has(l->name, '/') || path_is_system_program(l->name);
	return false;
}


struct know_options *subject_options(struct judge *j, struct subject *s)
{
	if (!s->options) {
		s->options = arena_new(j->a, struct know_options);
		know_options(j->a, s->row, s->c->argv, s->c->argc, s->options);
	}
	return s->options;
}

struct know_result *subject_known(struct judge *j, struct subject *s)
{
	if (!s->known) {
		s->known = arena_new(j->a, struct know_result);
		if (s->row)
			know_apply(j->a, s->row, s->c->argv, s->c->argc, s->known);
	}
	return s->known;
}

static void take_subjects(struct judge *j)
{
	size_t n = 0;

	for (const struct command *c = j->f->commands; c; c = c->next)
		n++;
	j->subjects = arena_array(j->a, n, sizeof(*j->subjects));
	for (const struct command *c = j->f->commands; c; c = c->next) {
		struct subject *s = &j->subjects[j->nsubjects++];

		*s = (struct subject){.c = c, .base = STR("")};
		if (c->argc && c->argv[0].kind == WORD_EXACT) {
			s->base = path_base(c->argv[0].text);
			s->row = know_find(s->base, j->p->commands, j->p->ncommands);
		}
	}
	j->ninstallers = packages_installers(j);
}

static void take_answers(struct judge *j)
{
	for (const struct path_answer *p = j->v->paths; p; p = p->next)
		j->answers = pmap_set(j->a, j->answers, p->path, p);
	for (const struct glob_answer *g = j->v->globs; g; g = g->next)
		j->glob_answers = pmap_set(j->a, j->glob_answers, g->pattern, g);
}

/* ---- policy settings for the whole request ---- */

/* True if && || or ; separates two commands of one text. */
static bool is_chain(const struct judge *j)
{
	const struct command *last = NULL;

	for (const struct command *c = j->f->commands; c; c = c->next) {
		if (last && c->at.text == last->at.text && c->at.text < j->f->ntexts &&
				c->at.from >= last->at.to) {
			struct str between = str_sub(j->f->texts[c->at.text].bytes, last->at.to, c->at.from);

			if (str_has(between, ';') || str_contains(between, STR("&&")) ||
					str_contains(between, STR("||")))
				return true;
		}
		last = c;
	}
	return false;
}

void gate_order_reasons(struct judgement *j)
{
	struct reason *sorted = NULL, **end = &sorted;

	for (int g = GRADE_DENY; g >= GRADE_OFF; g--)
		for (struct reason **at = &j->reasons; *at;) {
			struct reason *r = *at;

			if ((int)r->grade != g) {
				at = &r->next;
				continue;
			}
			*at = r->next;
			r->next = NULL;
			LIST_ADD(end, r);
		}
	j->reasons = sorted;
}

static void finish_judgement(struct judge *j)
{
	const struct check *chained = gate_check(CHECK_CHAINED);

	contain_finish(j);
	if (j->p->discourage_chaining && j->p->mode != MODE_PAUSED && j->ret->verdict == VERDICT_ASK &&
			is_chain(j))
		judge_raise(j, chained, &(struct finding){.grade = judge_grade(j, chained),
				.alternative = STR("run the commands one by one"),
			.message = STR(
			"a part of this chain needs approval, and the policy wants such commands run one by "
			"one")});
	approval_finish(j);
	if (j->p->mode == MODE_DONT_ASK && j->ret->verdict == VERDICT_ASK) {
		judge_step(j, STEP_MODE, STR("dontAsk"), (struct span){0});
		j->ret->verdict = VERDICT_DENY;
	}
	gate_order_reasons(j->ret); /* this pass of the gate adds no reason after this */
	for (struct reason *r = j->ret->reasons; r && j->p->offer_manual_run &&
			j->ret->verdict == VERDICT_DENY; r = r->next)
		if (r->grade == GRADE_DENY)
			r->message = str_fmt(j->a, "%.*s (a person can still run it by hand)",
					STR_ARG(r->message));
}

void gate_judge(struct arena *a, const struct facts *f, const struct policy *p, const struct view *v,
		struct judgement *ret)
{
	struct judge j = {.a = a, .f = f, .p = p, .v = v, .ret = ret};

	*ret = (struct judgement){0};
	j.reasons_end = &ret->reasons;
	j.warnings_end = &ret->warnings;
	j.advice_end = &ret->advice;
	j.steps_end = &ret->steps;
	j.placed_end = &ret->placed;
	j.questions_end = &ret->questions;
	ret->complete = f->complete;
	take_answers(&j);
	take_subjects(&j);
	overlay_build(&j);
	if (!v->closed && paths_ask(&j))
		return; /* *ret has only questions */
	ret->verdict = VERDICT_ALLOW;
	take_grades(&j);
	tiers_decide(&j);
	checks_run(&j);
	finish_judgement(&j);
	judge_known(&j);
}
