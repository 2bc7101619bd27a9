/* Simple commands: assignments, then a function, a builtin or a program (program_effects.c). */
#include "shell/eval.h"

/* ---- assignments; variable_effects.c lists what they make programs run ---- */

/*
 * Applies attributes of the variable's earlier declaration: integers are evaluated, a readonly variable may
 * not change.
 */
static void keep_attributes(struct eval *e, struct shell_value *v, const struct shell_value *old,
	const struct fields *fs)
{
	if (!old || !(old->integer || old->lower || old->upper || old->fixed))
		return;
	for (size_t i = 0; i < fs->n && old->integer; i++)
		eval_arith(e, fs->at[i].kind == WORD_REST ? HOLE : fs->at[i].text);
	v->open = v->maybe = true;
	v->n = 0;
	v->integer = old->integer;
	v->lower = old->lower;
	v->upper = old->upper;
	v->fixed = old->fixed;
	if (old->fixed)
		may_abort(e);
}

static void assign_array(struct eval *e, const struct syn_assign *as, enum assign_scope scope)
{
	const struct shell_value *old = var_get(e, as->name);
	struct shell_value *v = arena_new(e->a, struct shell_value);
	v->kind = old && old->kind == VALUE_MAP ? VALUE_MAP : VALUE_LIST;
	v->set = true;
	v->exported = old && old->exported;
	if (as->append && old && old->kind != VALUE_TEXT) {
		v->items = old->items;
		v->n = old->n;
		v->open = old->open || old->maybe;
	} else if (as->append) {
		v->open = true;
	}
	struct fields fs = {0};
	bool keyed = false;
	size_t next = v->n;
	struct item *items = NULL;
	for (const struct syn_element *el = as->elements; el; el = el->next) {
		if (el->subscripted) {
			bool known;
			subscript_key(e, v->kind == VALUE_MAP ? v : old, expand_arith_text(e, el->subscript),
					&known);
			struct str text = expand_single(e, el->value);
			if (old && old->integer)
				eval_arith(e, text);
			v->likely = word_likely_best(v->likely, text);
			keyed = true;
		} else {
			expand_word(e, el->value, &fs);
		}
	}
	if (v->kind == VALUE_MAP)
		keyed = keyed || fs.n;
	bool rest = keyed;
	for (size_t i = 0; i < fs.n; i++)
		if (fs.at[i].kind == WORD_REST) {
			rest = true;
			v->likely = word_likely_best(v->likely, word_likely(e, &fs.at[i]));
		}
	/* appending starts after the highest index: known only without gaps */
	for (size_t i = 0; i < v->n && !rest; i++)
		rest |= !str_eq(v->items[i].key, str_fmt(e->a, "%zu", i));
	if (rest) {
		v->open = true;
		v->n = 0;
	} else if (!v->open) {
		items = arena_array(e->a, v->n + fs.n, sizeof *items);
		for (size_t i = 0; i < v->n; i++)
			items[i] = v->items[i];
		for (size_t i = 0; i < fs.n; i++, next++)
			items[next] = (struct item){str_fmt(e->a, "%zu", next), fs.at[i].text};
		v->items = items;
		v->n = next;
	}
	keep_attributes(e, v, old, &fs);
	var_set(e, as->name, v);
	assign_effect(e, as->name, HOLE, scope, as->at);
}

struct str value_appended(struct eval *e, const struct shell_value *old, struct str text)
{
	if (old && old->integer) { /* += on an integer evaluates both and adds them */
		eval_arith(e, text);
		eval_arith(e, old->set ? old->text : (struct str){"", 0});
		return HOLE_NUMBER;
	}
	return old && old->kind == VALUE_TEXT && old->set && !old->maybe ? str_cat(e->a, old->text, text) :
			HOLE;
}

void eval_assign(struct eval *e, const struct syn_assign *as, enum assign_scope scope)
{
	if (as->array && !as->subscripted) {
		assign_array(e, as, scope);
		return;
	}
	struct str text = as->value ? expand_single(e, as->value) : HOLE;
	bool ambient = as->value && !e->foreign && !as->append;
	struct str likely = as->value && !as->append ? e->likely : STR("");
	const struct shell_value *old = var_get(e, as->name);
	if (as->subscripted) {
		bool known;
		struct str key = subscript_key(e, old, expand_arith_text(e, as->subscript), &known);
		var_set_item(e, as->name, key, known, text, as->append);
		assign_effect(e, as->name, text, scope, as->at);
		return;
	}
	if (as->append)
		text = value_appended(e, old, text);
	var_set_text(e, as->name, text);
	var_hint(e, as->name, likely);
	const struct shell_value *now = var_get(e, as->name);
	if (now->kind == VALUE_TEXT &&
			(scope != ASSIGN_PLAIN ||
			(ambient && str_has(now->text, HOLE_ANY)))) {
		struct shell_value *v = arena_new(e->a, struct shell_value);
		*v = *now;
		v->exported |= scope != ASSIGN_PLAIN;
		v->ambient = ambient;
		var_set(e, as->name, v);
	}
	assign_effect(e, as->name, text, scope, as->at);
}

/* ---- functions ---- */

static void restore_one(void *ctx, struct str key, const void *value)
{
	struct eval *e = ctx;
	var_changed(e, key);
	if (pmap_get(e->frame->maybe, key)) { /* declared local under a condition */
		var_set_unknown(e, key);
		return;
	}
	e->s.vars = pmap_set(e->a, e->s.vars, key, value == &value_absent ? NULL : value);
}

static void call_body(struct eval *e, const struct syn_node *body, const struct word *argv, size_t argc)
{
	struct frame frame = {.outer = e->frame, .returned = state_dead(&e->s), .function = true,
			.unsure = e->unsure};
	struct params params = e->s.params;
	struct loop *loop = e->loop;
	const struct via *outer = via_enter(e, (struct via){.kind = VIA_FUNCTION});
	e->frame = &frame;
	e->loop = NULL;
	e->s.params = (struct params){argv + 1, argc - 1};
	eval_node(e, body);
	e->s = state_join(e, &e->s, &frame.returned);
	pmap_each(frame.locals, restore_one, e);
	e->s.params = params;
	e->s.status = -1;
	e->frame = frame.outer;
	e->loop = loop;
	e->via = outer;
}

/* Evaluates every definition the name may have. False if the name may also be no function. */
static bool call_function(struct eval *e, const struct func *f, const struct word *argv, size_t argc)
{
	if (++e->calls > CALL_DEPTH_MAX)
		eval_stop(e, "functions call each other too deeply");
	struct shell_state before = e->s, after = state_dead(&e->s);
	bool certain = !f->maybe_absent;
	if (f->or || !certain)
		out_spoil(e);
	for (; f; f = f->or) {
		e->s = before;
		call_body(e, f->body, argv, argc);
		after = state_join(e, &after, &e->s);
	}
	e->s = after.dead && !certain ? before : after;
	e->calls--;
	return certain;
}

/* ---- dispatch ---- */

/* from: per word the assignment it was parsed as (declare and related builtins), or NULL. */
static void call_command(struct eval *e, const struct word *argv, size_t argc, unsigned what,
		const struct syn_assign *const *from)
{
	eval_enter(e);
	eval_burn(e, argc + 1);
	if (argv[0].kind != WORD_EXACT) {
		/*
		 * Unknown name, listed as such. It may be a builtin or a function, so the whole state becomes
		 * unknown.
		 */
		out_spoil(e);
		if (what & (CALL_FUNCTIONS | CALL_BUILTINS))
			state_forget(e);
		in_forget(e);
		eval_exit(e);
		return;
	}
	struct str name = argv[0].text;
	const struct func *f = what & CALL_FUNCTIONS ? pmap_get(e->s.funcs, name) : NULL;
	struct shell_state before = e->s;
	if (f && call_function(e, f, argv, argc)) {
		eval_exit(e);
		return;
	}
	struct shell_state called = e->s;
	if (f)
		e->s = before;
	if (!((what & CALL_BUILTINS) && builtin_run(e, name, argv, argc, from)) && (what & CALL_PROGRAMS))
		call_program(e, argv, argc);
	if (f)
		e->s = state_join(e, &called, &e->s);
	eval_exit(e);
}

void call_via(struct eval *e, struct via step, const struct word *argv, size_t argc, unsigned what,
	struct span at)
{
	const struct via *outer = via_enter(e, step);
	emit_command(e, argv, argc, at);
	call_command(e, argv, argc, what, NULL);
	e->via = outer;
}

/* Restores variables set for one command only. A builtin or function may also have kept them (dash does). */
static void undo_assigns(struct eval *e, const struct syn_assign *as, const struct shell_state *before,
	bool reads)
{
	for (; as; as = as->next) {
		const struct shell_value *was = pmap_get(before->vars, as->name),
				*is = pmap_get(e->s.vars, as->name);
		if (was == is)
			continue;
		struct shell_value *v = arena_new(e->a, struct shell_value);
		*v = was ? *was : (struct shell_value){.set = true, .maybe = true, .text = HOLE};
		if (!was || !is || was->kind != VALUE_TEXT || is->kind != VALUE_TEXT ||
				!str_eq(was->text, is->text)) {
			v->set = v->maybe = true;
			v->text = HOLE;
			v->open = true;
			v->n = 0;
		}
		if (str_is(as->name, "IFS") && reads) {
			/* `IFS=, read x` is common, and no shell keeps the value */
			e->s.vars = pmap_set(e->a, e->s.vars, as->name, was);
			var_changed(e, as->name);
			continue;
		}
		var_set(e, as->name, v);
	}
}

static void run_words(struct eval *e, const struct syn_node *n, struct fields *fs,
		const struct syn_assign *const *from)
{
	struct shell_state before = e->s;
	struct setting *settings = e->settings;
	bool special = pmap_get(e->s.funcs, fs->at[0].text) || builtin_is(e, fs->at[0].text) ||
			fs->at[0].kind != WORD_EXACT;
	struct io *keep = arena_new(e->a, struct io);
	size_t mark = out_mark(e);
	order_tick(e);
	/* before the assignments: `a=x cmd >$a` uses the old value */
	bool fails = eval_redirect(e, n->redirs, keep);
	for (const struct syn_assign *as = n->assigns; as; as = as->next)
		eval_assign(e, as, ASSIGN_LEADING);
	/* builtin or function: the shell decides which value counts, so evaluate with the new one, too */
	if (n->assigns && n->redirs && special) {
		struct io *unused = arena_new(e->a, struct io);
		eval_redirect(e, n->redirs, unused);
		redirect_unread(e, unused);
		redirect_undo(e, unused);
	}
	emit_command(e, fs->at, fs->n, n->at);
	e->unsure += fails;
	call_command(e, fs->at, fs->n, CALL_ALL, from);
	e->unsure -= fails;
	e->settings = settings;
	redirect_undo(e, keep);
	if (e->exec_redirects) { /* exec >file, perhaps through `command`: the redirection lasts */
		out_spoil(e);
		e->s.in = (struct input){.script = e->s.in.script};
		e->exec_redirects = false;
		e->fds_closed = true; /* closed, or redirected elsewhere */
	}
	if (fails) {
		command_may_fail(e, &before, mark);
		if (e->dialect == DIALECT_SH && special)
			out_spoil(e); /* a redirection error ends dash */
	} else if (n->redirs && !special) {
		struct shell_state joined = state_join(e, &before, &e->s);
		state_return(e, &joined); /* a program's redirections are expanded in its own process */
		e->s.status = -1;
	}
	if (!n->assigns)
		return;
	if (special) {
		undo_assigns(e, n->assigns, &before, str_is_any(fs->at[0].text, "read mapfile"));
		return;
	}
	for (const struct syn_assign *as = n->assigns; as; as = as->next) {
		e->s.vars = pmap_set(e->a, e->s.vars, as->name, pmap_get(before.vars, as->name));
		var_changed(e, as->name);
	}
	e->s.options &= ~(e->s.options & OPT_PATH_CHANGED & ~before.options);
}

/*
 * Expands the words. Returns, per field, the assignment it was parsed as (declare and related builtins), or
 * NULL.
 */
static const struct syn_assign **declared(struct eval *e, const struct syn_node *n, struct fields *fs)
{
	const struct syn_assign **from = NULL;
	size_t cap = 0;
	for (const struct syn_word *w = n->words; w; w = w->next) {
		if (!w->assign) {
			expand_word(e, w, fs);
			continue;
		}
		/* always one word; the builtin expands arrays and subscripts when it takes them */
		bool later = w->assign->array || w->assign->subscripted;
		fields_add(e, fs, word_of(later ? HOLE : expand_single(e, w), w->at));
		if (fs->cap > cap) {
			from = arena_grow(e->a, from, cap * sizeof *from, fs->cap * sizeof *from);
			cap = fs->cap;
		}
		from[fs->n - 1] = w->assign;
	}
	if (from && fs->cap > cap) /* words after the last assignment are no assignments */
		from = arena_grow(e->a, from, cap * sizeof *from, fs->cap * sizeof *from);
	return from;
}

/* No command name: assignments last, redirections happen. */
static void only_assigns(struct eval *e, const struct syn_node *n)
{
	struct io *keep = arena_new(e->a, struct io);
	struct shell_state before = e->s;
	order_tick(e);
	/* dash: before the assignments, which do not happen if it fails */
	bool fails = eval_redirect(e, n->redirs, keep);
	redirect_undo(e, keep);
	for (const struct syn_assign *as = n->assigns; as; as = as->next)
		eval_assign(e, as, ASSIGN_PLAIN);
	if (n->redirs && n->assigns) { /* bash: after the assignments */
		eval_redirect(e, n->redirs, keep);
		redirect_undo(e, keep);
	}
	if (fails)
		e->s = state_join(e, &before, &e->s);
	e->s.status = -1; /* the status of a substitution in it, if any */
}

/*
 * How the last word probably looks, which is mostly the file that a command is about. All words count for
 * commands that do nothing but print or list them.
 */
static struct str last_likely(struct eval *e, const struct fields *fs)
{
	struct str likely = word_likely(e, &fs->at[fs->n - 1]);

	for (size_t i = 1; i + 1 < fs->n && str_is_any(fs->at[0].text, "echo printf ls"); i++)
		likely = word_likely_best(likely, word_likely(e, &fs->at[i]));
	return likely;
}

void eval_simple(struct eval *e, const struct syn_node *n)
{
	struct fields fs = {0};
	const struct syn_assign **from = declared(e, n, &fs);
	if (fs.n == 0) {
		only_assigns(e, n);
		return;
	}
	e->word_before = e->last_word;
	e->last_word = last_likely(e, &fs);
	run_words(e, n, &fs, from);
	/* an unquoted `$x` may expand to nothing: then the assignments before it last */
	if (fs.at[0].kind == WORD_REST) {
		for (const struct syn_assign *as = n->assigns; as; as = as->next)
			var_set_unknown(e, as->name);
	}
}
