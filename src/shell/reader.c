/* The entry points: evaluate one request, within its bounds. */
#include "shell/eval.h"

#define FUEL_BASE 400000u
#define FUEL_PER_BYTE 200u

struct read_job {
	struct eval e;
	struct str text;
	enum dialect dialect;
};

static int run(void *arg)
{
	struct read_job *j = arg;
	eval_text(&j->e, j->text, TEXT_FROM(REQUEST), (struct span){UINT32_MAX, 0, 0}, j->dialect);
	eval_traps(&j->e);
	return 0;
}

static struct word *rest_word(struct arena *a)
{
	struct word *w = arena_new(a, struct word);
	*w = word_rest((struct span){0});
	w->ambient = true; /* the caller's arguments */
	return w;
}

/* Evaluates the text in one dialect and adds to the facts. */
static int read_once(struct arena *a, const struct shell_request *rq, struct str text, enum dialect d,
		struct facts *f, struct seen_table *seen, unsigned *nmarks)
{
	struct read_job j = {.text = text, .dialect = d};
	struct eval *e = &j.e;
	struct via *via = arena_new(a, struct via);
	*e = (struct eval){.a = a, .f = f, .rq = rq, .dialect = d, .via = via, .seen = seen,
			.nmarks = nmarks};
	e->fuel = e->content_fuel = FUEL_BASE + (uint64_t)text.n * FUEL_PER_BYTE;
	e->s.params = (struct params){rest_word(a), 1};
	e->s.stack_unknown = false;
	if (rq->view && rq->view->cwd.n) {
		e->s.dirs.at[0] = rq->view->cwd;
		e->s.dirs.n = 1;
		e->dirs_ever = e->s.dirs;
	}
	int r = arena_run(a, run, &j);
	emit_through_links(e);
	return r == 0 || r == LEAVE_STOPPED ? 0 : -1;
}

static struct str without_nul(struct arena *a, struct str s)
{
	struct buf b;
	buf_init(&b, a, 0);
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i])
			buf_char(&b, s.p[i]);
	return buf_view(&b);
}

struct read_request {
	struct arena *a;
	const struct shell_request *rq;
	struct facts *f;
};

static int read_all(void *arg)
{
	struct read_request *w = arg;
	struct arena *a = w->a;
	struct facts *f = w->f;
	struct str text = w->rq->text;
	struct seen_table seen = {0};
	unsigned nmarks[MARK_KINDS] = {0};
	struct eval note = {.a = a, .f = f, .fuel = FUEL_BASE, .seen = &seen};
	if (text.n > SHELL_TEXT_MAX) {
		emit_text(&note, str_first(text, 0), TEXT_FROM(REQUEST), (struct span){0});
		emit_trouble(&note, TROUBLE_BOUND, "the text is too long to be read", (struct span){0});
		return 0;
	}
	if (str_has(text, 0)) {
		emit_trouble(&note, TROUBLE_BOUND, "a NUL byte, which shells drop or stop at",
				(struct span){0});
		text = without_nul(a, text);
	}
	if (str_has(text, HOLE_NUM) || str_has(text, HOLE_NAME))
		emit_trouble(&note, TROUBLE_CONSTRUCT, "a control byte that is not followed",
				(struct span){0});
	note.fuel += text.n;
	emit_text(&note, text, TEXT_FROM(REQUEST), (struct span){0});
	if (read_once(a, w->rq, text, w->rq->dialect, f, &seen, nmarks))
		return 1;
	if (w->rq->dialect == DIALECT_SH && read_once(a, w->rq, text, DIALECT_BASH, f, &seen, nmarks))
		return 1;
	return 0;
}

int shell_read(struct arena *a, const struct shell_request *rq, struct facts *ret, struct err *e)
{
	struct read_request w = {a, rq, ret};
	facts_init(ret);
	switch (arena_run(a, read_all, &w)) {
	case 0: return 0;
	case 1: case ARENA_FULL: ret->complete = false; return err_limit(e,
			"the text needs more memory than is allowed");
	default: ret->complete = false; return err_internal(e,
			"the reader left in an unknown way");
	}
}

/* ---- work that code passes to a shell ---- */

struct more_job {
	struct eval e;
	const struct shell_more *more;
};

/*
 * Sets up the environment of programs that the code starts. It is unknown when the code sets a variable, so
 * its value is unknown, too.
 */
static void enter_settings(struct eval *e, const struct shell_more *m)
{
	for (const struct setting *s = m->settings; s; s = s->next) {
		struct setting *own = arena_new(e->a, struct setting);
		struct shell_value *v = arena_new(e->a, struct shell_value);
		*own = *s;
		own->leading = true;
		own->next = e->settings;
		e->settings = own;
		*v = (struct shell_value){.set = true, .exported = true, .text = HOLE};
		var_set(e, s->name, v);
		relative_effect(e, s->name, s->value, s->at); /* in the directory of this run */
		e->home_touched |= str_is_any(s->name, "HOME PWD");
	}
}

/* Lists the effects of variables on programs, once for all programs that the code starts. */
static void tell_settings(struct eval *e, const struct shell_more *m)
{
	for (const struct setting *s = m->settings; s; s = s->next) {
		assign_effect(e, s->name, s->value, ASSIGN_PLAIN, s->at);
		if (e->s.options & OPT_PATH_CHANGED) /* also for programs that no reader finds */
			emit_variable_access(e, ACCESS_EXEC, word_of(HOLE, s->at), false, "PATH", s->at);
		e->s.options &= ~OPT_PATH_CHANGED;
	}
}

static int run_more(void *arg)
{
	struct more_job *j = arg;
	struct eval *e = &j->e;
	const struct shell_more *m = j->more;
	const struct via *via = e->via;
	e->at = m->origin;
	if (!m->argc && !m->text.n) {
		tell_settings(e, m);
		eval_traps(e);
		return 0;
	}
	enter_settings(e, m);
	if (m->argc) {
		e->via = via->outer; /* call_via() enters this step */
		call_via(e, *via, m->argv, m->argc, CALL_PROGRAMS, m->origin);
		e->via = via;
	} else if (text_exact(m->text))
		eval_text_sh(e, m->text, TEXT_FROM(CODE), m->origin);
	else
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "code runs a command that is not known", m->origin);
	eval_traps(e);
	return 0;
}

int shell_read_more(struct arena *a, const struct shell_request *rq, const struct shell_more *more,
		struct facts *f, struct err *e)
{
	struct via *direct = arena_new(a, struct via), *via = arena_new(a, struct via);
	struct seen_table *seen = arena_new(a, struct seen_table);
	unsigned nmarks[MARK_KINDS] = {0};
	struct more_job *j = arena_new(a, struct more_job);
	*via = (struct via){.kind = VIA_CODE, .lang = more->lang, .outer = direct};
	*j = (struct more_job){.e = {.a = a, .f = f, .rq = rq, .dialect = DIALECT_SH, .via = via,
			.seen = seen, .nmarks = nmarks, .fixed = &more->when}, .more = more};
	j->e.fuel = j->e.content_fuel = FUEL_BASE + (uint64_t)more->text.n * FUEL_PER_BYTE;
	j->e.s.params = (struct params){rest_word(a), 1};
	if (text_exact(more->cwd) && more->cwd.n) {
		j->e.s.dirs.at[0] = more->cwd;
		j->e.s.dirs.n = 1;
		j->e.dirs_ever = j->e.s.dirs;
	}
	int r = arena_run(a, run_more, j);
	emit_through_links(&j->e);
	if (r == 0 || r == LEAVE_STOPPED)
		return 0;
	f->complete = false;
	return err_limit(e, "the code needs more memory than is allowed");
}
