/* Evaluates lists, pipelines and compound commands over the abstract state, and texts that become scripts. */
#include "shell/marks.h"

void eval_burn(struct eval *e, uint64_t n)
{
	if (e->fuel < n) {
		e->fuel = 0;
		eval_stop(e, "too much work for its length");
	}
	e->fuel -= n;
}

void eval_enter(struct eval *e)
{
	if (++e->depth > EVAL_DEPTH_MAX)
		eval_stop(e, "evaluated too deeply");
}

/* ---- output of branches ---- */

/*
 * After the second branch: the output since the mark stays if both branches agree, else it becomes unknown.
 */
static void out_merge(struct eval *e, size_t mark, struct str other)
{
	if (!e->out || str_eq(out_since(e, mark), other))
		return;
	out_rewind(e, mark);
	out_unknown(e);
}

void command_may_fail(struct eval *e, const struct shell_state *before, size_t mark)
{
	out_doubt(e, mark);
	if (e->s.dead && !before->dead)
		out_spoil(e); /* it may or may not leave the script */
	struct shell_state joined = state_join(e, before, &e->s);
	state_return(e, &joined); /* keep the file contents: we do not assume that writing a file fails */
	e->s.status = -1;
}

/* An error may end the line or the text here, so the rest of it is not certain to run. */
void may_abort(struct eval *e)
{
	out_spoil(e);
	e->aborts++;
	if (!e->aborted)
		return;
	/*
	 * leaving undoes functions, temporary assignments and redirections: the values they hid are unknown
	 * here
	 */
	struct shell_state here = e->s;
	if (e->frame) {
		state_forget_vars(e);
		e->s.params = params_unknown(e, e->at);
	}
	e->s.in = (struct input){.script = e->s.in.script};
	*e->aborted = state_join(e, e->aborted, &e->s);
	e->s = here;
}

/* ---- copies of the state ---- */

struct apart {
	struct shell_state s;
	unsigned reads;
	struct loop inner_loop;
	struct frame inner_frame;
	struct loop *loop;
	struct frame *frame;
};

static void apart_begin(struct eval *e, struct apart *keep)
{
	*keep = (struct apart){.s = e->s, .reads = e->reads, .loop = e->loop, .frame = e->frame};
	/* break and return leave only the copy; a local variable in it belongs to the function */
	keep->inner_loop = (struct loop){.next = state_dead(&e->s), .left = state_dead(&e->s)};
	if (e->loop)
		e->loop = &keep->inner_loop;
	if (e->frame) {
		keep->inner_frame = *e->frame;
		keep->inner_frame.returned = state_dead(&e->s);
		e->frame = &keep->inner_frame;
	}
}

static void apart_end(struct eval *e, const struct apart *keep)
{
	state_return(e, &keep->s);
	e->s.in.known &= e->reads == keep->reads; /* the input is shared: data read in the copy are gone */
	e->loop = keep->loop;
	e->frame = keep->frame;
	e->s.status = -1;
	e->s.cd_pending = false;
}

void eval_apart(struct eval *e, const struct syn_node *n)
{
	struct apart keep;
	apart_begin(e, &keep);
	eval_node(e, n);
	apart_end(e, &keep);
}

void eval_text_apart(struct eval *e, struct str text, struct text_from from, struct span origin,
		enum dialect d)
{
	struct apart keep;
	apart_begin(e, &keep);
	eval_text(e, text, from, origin, d);
	apart_end(e, &keep);
}

void eval_text_sh(struct eval *e, struct str text, struct text_from from, struct span origin)
{
	size_t mark = out_mark(e);
	struct input in = e->s.in;
	uint32_t start = e->clock;
	const struct pmap *files = e->s.files;
	eval_text_apart(e, text, from, origin, DIALECT_SH);
	e->s.files = files;
	struct str other = out_since(e, mark);
	out_rewind(e, mark);
	struct input after = e->s.in;
	e->s.in = in;
	uint32_t end = e->clock;
	e->clock = start; /* it is the same script */
	eval_text_apart(e, text, from, origin, DIALECT_BASH);
	e->clock = e->clock > end ? e->clock : end;
	e->s.in.known &= after.known && after.rest.n == e->s.in.rest.n;
	out_merge(e, mark, other);
}

/* ---- lists ---- */

static void eval_background(struct eval *e, const struct syn_node *n)
{
	out_spoil(e);
	struct output_sink *out = e->out, *captured = e->captured;
	struct input in = e->s.in;
	e->out = e->captured = NULL;
	e->s.in = (struct input){0};
	struct unordered job = order_open(e);
	eval_apart(e, n);
	order_close(e, job, ORDER_BESIDE);
	e->out = out;
	e->captured = captured;
	e->s.in = in;
	in_forget(e); /* the job may read input concurrently */
	struct shell_value *last = arena_new(e->a, struct shell_value); /* $! */
	*last = (struct shell_value){.set = true, .text = HOLE_NUMBER};
	e->s.vars = pmap_set(e->a, e->s.vars, STR("!"), last);
	e->s.status = 0;
}

static void eval_list(struct eval *e, const struct syn_node *n)
{
	for (const struct syn_node *m = n->first; m; m = m->next) {
		if (m->background)
			eval_background(e, m);
		else
			eval_node(e, m);
	}
}

/*
 * a && b || c: carries two states, "succeeded so far" and "failed so far". Each member runs from the state
 * that leads to it. A state that control flow cannot reach is dead: commands that run from it are listed, but
 * it does not count in a join.
 */
static void and_or(struct eval *e, const struct syn_node *n)
{
	eval_node(e, n->first);
	struct shell_state yes = e->s, no = e->s;
	state_assume(&yes, true);
	state_assume(&no, false);
	for (const struct syn_node *m = n->first->next; m; m = m->next) {
		size_t mark = out_mark(e);
		bool and = m->join == JOIN_AND;
		struct shell_state from = and ? yes : no;
		bool dead = from.dead, certain = and ? no.dead : yes.dead;
		from.dead = false;
		e->s = from;
		e->unsure += !certain;
		eval_node(e, m);
		e->unsure -= !certain;
		if (dead) /* it does not run, so it prints nothing */
			out_rewind(e, mark);
		else if (!certain)
			out_doubt(e, mark);
		struct shell_state t = e->s, f = e->s;
		if (dead)
			t.dead = f.dead = true;
		state_assume(&t, true);
		state_assume(&f, false);
		if (and) {
			yes = t;
			no = state_join(e, &no, &f);
		} else {
			yes = state_join(e, &yes, &t);
			no = f;
		}
	}
	int status = yes.dead && !no.dead ? 1 : no.dead && !yes.dead ? 0 : -1;
	bool pending = n->first->next && !n->first->next->next && !yes.dead && !no.dead;
	struct dirs ok = yes.dirs, fail = no.dirs;
	e->s = state_join(e, &yes, &no);
	e->s.status = status;
	if (pending) { /* cd a && cd b: the directory depends on the outcome */
		e->s.cd_pending = true;
		e->s.dirs_ok = ok;
		e->s.dirs_fail = fail;
	}
}

static void eval_pipeline(struct eval *e, const struct syn_node *n)
{
	struct output_sink *out = e->out, *captured = e->captured;
	struct input in = e->s.in;
	if (!n->first) { /* "!" or "time" alone */
		e->s.status = -1;
		return;
	}
	if (!n->first->next) {
		eval_node(e, n->first);
	} else {
		struct shell_state start = e->s;
		unsigned reads = e->reads;
		struct unordered all = order_open(e);
		uint32_t changes = e->nchanges;
		size_t nstages = 0;
		for (const struct syn_node *m = n->first; m; m = m->next)
			nstages++;
		struct stage *stages = arena_array(e->a, nstages, sizeof *stages), *stage = stages;
		for (const struct syn_node *m = n->first; m; m = m->next) {
			struct output_sink sink = {0};
			buf_init(&sink.b, e->a, 0);
			e->out = m->next ? &sink : out;
			e->captured = m->next ? &sink : captured;
			bool last_here = !m->next &&
					((e->s.options & OPT_LASTPIPE) || e->dialect == DIALECT_ZSH);
			if (last_here) {
				e->s = start;
				eval_node(e, m);
				e->s = state_join(e, &start, &e->s);
			} else {
				e->s = start;
				eval_apart(e, m);
			}
			start.files = e->s.files;
			if (m->stderr_too || sink.may_miss)
				sink.spoiled = true;
			if (m == n->first)
				/* the first stage shares the pipeline's input */
				in.known &= e->reads == reads;
			start.in = (struct input){.known = out_known(e, &sink, false),
					.rest = buf_view(&sink.b)};
			*stage++ = (struct stage){e->nmoments, e->nchanges};
		}
		order_close_stages(e, all, changes, stages, nstages);
		e->s.in = in;
	}
	e->captured = captured;
	e->out = out;
	if (n->negated && e->s.status >= 0)
		e->s.status = !e->s.status;
	if (n->negated && e->s.cd_pending) {
		struct dirs ok = e->s.dirs_ok;
		e->s.dirs_ok = e->s.dirs_fail;
		e->s.dirs_fail = ok;
	}
	if (n->timed)
		out_spoil(e);
}

/* ---- conditions ---- */

static void eval_if(struct eval *e, const struct syn_node *n)
{
	eval_node(e, n->cond);
	struct shell_state yes = e->s, no = e->s;
	state_assume(&yes, true);
	state_assume(&no, false);
	size_t mark = out_mark(e);
	bool yes_dead = yes.dead, no_dead = no.dead;
	yes.dead = no.dead = false;
	e->unsure++;
	e->s = yes;
	eval_node(e, n->body);
	yes = e->s;
	yes.dead |= yes_dead;
	struct str printed = out_since(e, mark);
	out_rewind(e, mark);
	e->s = no;
	if (n->orelse)
		eval_node(e, n->orelse);
	else
		e->s.status = 0;
	no = e->s;
	no.dead |= no_dead;
	e->unsure--;
	out_merge(e, mark, printed);
	e->s = state_join(e, &yes, &no);
}

static void eval_case(struct eval *e, const struct syn_node *n)
{
	expand_unsplit(e, n->words);
	struct shell_state start = e->s, end = e->s, fall = state_dead(&e->s);
	size_t mark = out_mark(e);
	bool printed = false;
	e->unsure++;
	for (const struct syn_clause *c = n->clauses; c; c = c->next) {
		e->s = start;
		for (const struct syn_word *w = c->patterns; w; w = w->next)
			expand_pattern(e, w->parts);
		start = state_join(e, &start, &e->s);
		e->s = state_join(e, &start, &fall);
		if (c->body)
			eval_node(e, c->body);
		printed |= e->out && e->out->b.n != mark;
		out_rewind(e, mark);
		fall = c->end == CLAUSE_STOP ? state_dead(&e->s) : e->s;
		end = state_join(e, &end, &e->s);
	}
	e->unsure--;
	e->s = state_join(e, &end, &start);
	e->s.status = -1;
	if (printed)
		out_unknown(e);
}

/* ---- loops ---- */

static void loop_enter(struct eval *e, struct loop *l)
{
	e->unsure++;
	*l = (struct loop){.outer = e->loop, .next = state_dead(&e->s), .left = state_dead(&e->s)};
	l->turns = order_open(e);
	e->loop = l;
}

/* The end of an iteration: joins the states of `continue`. */
static void loop_turn(struct eval *e, struct loop *l)
{
	e->s = state_join(e, &e->s, &l->next);
	l->next = state_dead(&e->s);
}

static void loop_leave(struct eval *e, struct loop *l)
{
	e->unsure--;
	order_close(e, l->turns, l->order);
	e->loop = l->outer;
	e->s = state_join(e, &e->s, &l->left);
	e->s.status = -1;
	e->s.cd_pending = false;
}

struct loop_turn {                 /* one iteration of some loop */
	const struct syn_node *n;
	struct str var;       /* NODE_FOR: the loop variable and its value */
	struct str value, likely;
};

static void turn_body(struct eval *e, struct loop *l, const struct loop_turn *t)
{
	if (t->var.n) {
		var_set_text(e, t->var, t->value);
		var_hint(e, t->var, t->likely);
		assign_effect(e, t->var, t->value, ASSIGN_PLAIN, t->n->at);
	}
	if (t->n->kind == NODE_ARITH_FOR && t->n->arith[1])
		eval_arith_parts(e, t->n->arith[1]);
	else if (t->n->cond)
		eval_node(e, t->n->cond);
	eval_node(e, t->n->body);
	loop_turn(e, l);
	if (t->n->kind == NODE_ARITH_FOR && t->n->arith[2])
		eval_arith_parts(e, t->n->arith[2]);
}

/* Any number of iterations, perhaps none: repeats until the joined state no longer changes. */
static void loop_unknown(struct eval *e, struct loop *l, const struct loop_turn *t)
{
	size_t mark = out_mark(e);
	l->order = ORDER_LOOP;
	in_forget(e); /* an iteration may read any line */
	for (int round = 0;; round++) {
		struct shell_state before = e->s;
		turn_body(e, l, t);
		struct shell_state joined = state_join(e, &before, &e->s);
		e->s = joined;
		if (state_same(&before, &joined))
			break;
		if (round == FIX_MAX)
			state_forget_vars(e);
		if (round > FIX_MAX)
			eval_stop(e, "a loop whose effect does not settle");
	}
	out_doubt(e, mark);
	if (t->n->kind == NODE_ARITH_FOR && t->n->arith[1])
		eval_arith_parts(e, t->n->arith[1]);
	if (t->n->cond) /* the loop ends when the condition, evaluated in the last state, says so */
		eval_node(e, t->n->cond);
}

static void eval_while(struct eval *e, const struct syn_node *n)
{
	struct loop l;
	struct loop_turn t = {.n = n};
	loop_enter(e, &l);
	for (int i = 0;; i++) {
		struct shell_state before = e->s;
		size_t mark = out_mark(e);
		eval_node(e, n->cond);
		int status = e->s.status < 0 ? -1 : (e->s.status == 0) == (n->kind == NODE_WHILE) ? 0 : 1;
		if (status == 1 && i > 0)
			break;
		if (status != 0 || i == LOOP_MAX || !l.left.dead) {
			e->s = before;
			out_rewind(e, mark);
			loop_unknown(e, &l, &t);
			break;
		}
		eval_node(e, n->body);
		loop_turn(e, &l);
		if (state_same(&before, &e->s) && out_mark(e) == mark) {
			e->s.dead = true; /* endless, or until a break */
			l.order = ORDER_LOOP;
			break;
		}
	}
	loop_leave(e, &l);
}

static void eval_arith_for(struct eval *e, const struct syn_node *n)
{
	struct loop l;
	struct loop_turn t = {.n = n};
	if (n->arith[0])
		eval_arith_parts(e, n->arith[0]);
	loop_enter(e, &l);
	for (int i = 0;; i++) {
		struct shell_state before = e->s;
		struct number_result go = n->arith[1] ? eval_arith_parts(e, n->arith[1]) :
				(struct number_result){true, 1};
		if (go.known && !go.n && i > 0)
			break;
		if (!go.known || !go.n || i == LOOP_MAX || !l.left.dead) {
			e->s = before;
			loop_unknown(e, &l, &t);
			break;
		}
		eval_node(e, n->body);
		loop_turn(e, &l);
		if (n->arith[2])
			eval_arith_parts(e, n->arith[2]);
	}
	loop_leave(e, &l);
}

/* A text that covers every word; a pattern contributes the names it may find. */
static struct str any_of(struct eval *e, const struct fields *fs)
{
	struct str all = HOLE;
	for (size_t i = 0; i < fs->n; i++) {
		const struct word *w = &fs->at[i];
		struct str one = w->kind != WORD_REST ? w->text : w->glob ? names_of_pattern(e, w->text) :
				HOLE;
		all = i ? names_join(e, all, one) : one;
	}
	return all;
}

static void eval_for(struct eval *e, const struct syn_node *n)
{
	struct fields fs = {0};
	if (n->in) {
		for (const struct syn_word *w = n->words; w; w = w->next)
			expand_word(e, w, &fs);
	} else {
		for (size_t i = 0; i < e->s.params.n; i++)
			fields_add(e, &fs, e->s.params.at[i]);
	}
	if (!name_valid(n->name)) {
		emit_trouble(e, TROUBLE_CONSTRUCT, "a loop variable that is not a name", n->at);
		return;
	}
	bool all = fs.n <= LOOP_WORDS_MAX && n->kind == NODE_FOR;
	for (size_t i = 0; i < fs.n; i++)
		all &= fs.at[i].kind != WORD_REST;
	struct loop l;
	loop_enter(e, &l);
	struct loop_turn t = {.n = n, .var = n->name, .value = HOLE};
	if (n->kind == NODE_SELECT) {
		var_set_unknown(e, STR("REPLY"));
		e->script_reads += e->s.in.script;
		in_forget(e);
	}
	for (size_t i = 0; all && i < fs.n; i++) {
		struct shell_state before = e->s;
		t.value = fs.at[i].text;
		size_t mark = out_mark(e);
		turn_body(e, &l, &t);
		if (!l.left.dead) { /* a break may have ended the loop before */
			e->s = state_join(e, &before, &e->s);
			out_doubt(e, mark);
		}
	}
	if (!all) {
		t.value = n->kind == NODE_FOR ? any_of(e, &fs) : HOLE;
		for (size_t i = 0; i < fs.n; i++)
			t.likely = word_likely_best(t.likely, word_likely(e, &fs.at[i]));
		loop_unknown(e, &l, &t);
	} else if (fs.n == 0) { /* listed although it does not run */
		struct shell_state before = e->s;
		size_t mark = out_mark(e);
		turn_body(e, &l, &t);
		out_rewind(e, mark);
		e->s = before;
		l.left = state_dead(&e->s);
	}
	loop_leave(e, &l);
}

/* ---- the rest ---- */

static void eval_definition(struct eval *e, const struct syn_node *n)
{
	struct func *f = arena_copy(e->a, (struct func){.body = n->body, .or = e->functions_fixed ?
			pmap_get(e->s.funcs, n->name) : NULL});
	struct str name = str_dup(e->a, n->name);
	struct func *any = arena_copy(e->a, (struct func){.body = n->body, .or = pmap_get(e->ever, name),
			.maybe_absent = true});
	e->s.funcs = pmap_set(e->a, e->s.funcs, name, f);
	e->ever = pmap_set(e->a, e->ever, name, any);
	e->s.status = 0;
	e->changes++;
	/* runs at any time, for every command that does not exist */
	if (str_starts(name, "command_not_found_handle"))
		trap_add(e, str_cat(e->a, name, STR(" \"$@\"")), n->at, TRAP_APART);
	if (e->dialect == DIALECT_ZSH && zsh_function(name)) { /* runs in the shell itself */
		e->trapped = true;
		trap_add(e, str_cat(e->a, name, STR(" \"$@\"")), n->at, TRAP_ANY_TIME);
	}
}

static void keep_func(void *ctx, struct str key, const void *value)
{
	struct eval *e = ctx;
	const struct func *then = value, *any = pmap_get(e->s.funcs, key);
	if (then->maybe_absent || !any)
		return;
	struct func *f = arena_new(e->a, struct func);
	*f = *any; /* any definition the name ever had */
	f->maybe_absent = false;
	e->s.funcs = pmap_set(e->a, e->s.funcs, key, f);
}

/* Names that were functions at that time still are. */
static void funcs_keep(struct eval *e, const struct pmap *then) { pmap_each(then, keep_func, e); }

static void eval_coproc(struct eval *e, const struct syn_node *n)
{
	eval_background(e, n->body);
	if (!name_valid(n->name)) {
		if (n->name_word)
			emit_trouble(e, TROUBLE_CONSTRUCT, "a coprocess whose name is not a name", n->at);
		return;
	}
	var_set_unknown(e, n->name);
	var_set_unknown(e, str_cat(e->a, n->name, STR("_PID")));
}

static void dispatch_node(struct eval *e, const struct syn_node *n)
{
	switch (n->kind) {
	case NODE_SIMPLE: eval_simple(e, n); break;
	case NODE_PIPE: eval_pipeline(e, n); break;
	case NODE_ANDOR: and_or(e, n); break;
	case NODE_LIST: eval_list(e, n); break;
	case NODE_GROUP: eval_node(e, n->body); break;
	case NODE_SUBSHELL: {
		eval_apart(e, n->body);
		break;
	}
	case NODE_IF: eval_if(e, n); break;
	case NODE_WHILE: case NODE_UNTIL: eval_while(e, n); break;
	case NODE_FOR: case NODE_SELECT: eval_for(e, n); break;
	case NODE_ARITH_FOR: eval_arith_for(e, n); break;
	case NODE_CASE: eval_case(e, n); break;
	case NODE_FUNCTION: eval_definition(e, n); break;
	case NODE_COND: e->s.status = eval_test(e, n->test); break;
	case NODE_ARITH: {
		unsigned aborts = e->aborts;
		struct number_result r = eval_arith_parts(e, n->arith[0]);
		e->s.status = r.known && aborts == e->aborts ? r.n == 0 : -1;
		break;
	}
	case NODE_COPROC: eval_coproc(e, n); break;
	}
}

void eval_node(struct eval *e, const struct syn_node *n)
{
	if (n)
		choice_eval(e, n);
}

void eval_once(struct eval *e, const struct syn_node *n)
{
	eval_enter(e);
	eval_burn(e, 1);
	struct span at = e->at;
	e->at = n->at;
	e->s.cd_pending = false;
	if (n->redirs && n->kind != NODE_SIMPLE && n->kind != NODE_FUNCTION) {
		struct io *keep = arena_new(e->a, struct io);
		size_t mark = out_mark(e);
		struct shell_state before = e->s;
		order_tick(e);
		bool fails = eval_redirect(e, n->redirs, keep);
		if (n->kind == NODE_WHILE || n->kind == NODE_UNTIL || n->kind == NODE_ARITH_FOR)
			redirect_unread(e, keep);
		e->unsure += fails;
		dispatch_node(e, n);
		e->unsure -= fails;
		redirect_undo(e, keep);
		if (fails)
			command_may_fail(e, &before, mark);
	} else {
		dispatch_node(e, n);
	}
	e->at = at;
	eval_exit(e);
}

/* ---- texts ---- */

static void parse_trouble(struct eval *e, const struct parser *p, enum parse_result r)
{
	struct span at = {p->text, (uint32_t)p->error_at,
			(uint32_t)(p->error_at < p->end ? p->error_at + 1 : p->error_at)};
	emit_trouble(e, r == PARSE_BOUND ? TROUBLE_BOUND : TROUBLE_SYNTAX, p->error ? p->error : "not read",
			at);
	if (r == PARSE_BOUND)
		arena_leave(e->a, LEAVE_STOPPED);
}

void parsed_aliases(struct eval *e, const struct parser *p)
{
	if (p->alias_found)
		emit_trouble(e, TROUBLE_CONSTRUCT, "an alias inside a text that is expanded", e->at);
}

void parser_for(struct eval *e, struct parser *p, struct str text, uint32_t index)
{
	parser_init(p, e->a, e->dialect, text, index, &e->fuel);
	p->extglob = e->s.options & OPT_EXTGLOB;
	p->aliases = e->s.aliases;
}

/*
 * Evaluates the line with its first alias replaced. A client's shell may have aliases on or off, so the line
 * is evaluated both ways. Returns the number of bytes of the text after the line, which must be equal for
 * both readings.
 */
static size_t line_with_alias(struct eval *e, const struct parser *from, size_t start, unsigned guard)
{
	const struct shell_value *alias = pmap_get(e->s.aliases, from->alias_name);
	size_t left = from->end - from->pos;
	if (!alias || guard == 0)
		return left;
	if (!text_exact(alias->text) || (alias->text.n && ascii_is_blank(alias->text.p[alias->text.n - 1])))
		emit_trouble(e, TROUBLE_CONSTRUCT, "an alias that is not known or makes the next word one",
				e->at);
	struct buf b;
	buf_init(&b, e->a, 0);
	buf_add(&b, from->s + start, from->alias_from - start);
	size_t head = b.n;
	buf_str(&b, alias->text);
	size_t value_end = b.n;
	buf_add(&b, from->s + from->alias_to, from->end - from->alias_to);
	eval_burn(e, b.n);
	struct span origin = {from->text, (uint32_t)from->alias_from, (uint32_t)from->alias_to};
	uint32_t index = emit_text(e, buf_view(&b), TEXT_FROM(ALIAS), origin);
	struct parser p;
	parser_for(e, &p, buf_view(&b), index);
	/* an alias is not expanded again inside its own value */
	p.alias_barred = from->alias_name;
	p.alias_barred_end = value_end;
	p.alias_done = head;
	struct syn_node *n = NULL;
	enum parse_result r = parse_line(&p, &n);
	if (r == PARSE_ERROR || r == PARSE_BOUND) {
		parse_trouble(e, &p, r);
		return left;
	}
	marks_line(e, &p, 0, n);
	const struct via *outer = via_enter(e, (struct via){.kind = VIA_ALIAS});
	eval_node(e, n);
	if (p.alias_found && guard == 1)
		emit_trouble(e, TROUBLE_BOUND, "aliases inside aliases, too many", origin);
	if (p.alias_found && guard > 1) {
		struct shell_state after = e->s;
		line_with_alias(e, &p, 0, guard - 1);
		e->s = state_join(e, &after, &e->s);
	}
	e->via = outer;
	if (p.end - p.pos != left)
		emit_trouble(e, TROUBLE_CONSTRUCT, "an alias that changes where its line ends", origin);
	return left;
}

static void eval_line(struct eval *e, const struct parser *p, size_t start, const struct syn_node *n)
{
	if (!p->alias_found) {
		eval_node(e, n);
		return;
	}
	struct shell_state before = e->s;
	size_t mark = out_mark(e);
	uint32_t clock = e->clock;
	eval_node(e, n);
	struct shell_state plain = e->s;
	uint32_t end = e->clock;
	e->s = before;
	e->clock = clock;
	line_with_alias(e, p, start, 8);
	e->clock = e->clock > end ? e->clock : end;
	e->s = state_join(e, &plain, &e->s);
	if (e->out && e->out->b.n != mark)
		out_spoil(e);
}

void eval_text(struct eval *e, struct str text, struct text_from from, struct span origin, enum dialect d)
{
	if (++e->text_depth > TEXT_DEPTH_MAX)
		eval_stop(e, "texts inside texts, too deeply");
	enum dialect outer = e->dialect;
	e->dialect = d;
	struct parser p;
	uint32_t index = origin.text == UINT32_MAX ? 0 : emit_text(e, text, from, origin);
	parser_for(e, &p, text, index);
	bool new = first_reading(e, index, d);
	bool command = false; /* an earlier line had a command */
	if (new)
		marks_text(e, index);
	struct shell_state aborted = state_dead(&e->s), *outer_aborted = e->aborted;
	e->aborted = &aborted;
	for (;;) {
		size_t start = p.pos;
		struct syn_node *n = NULL;
		p.aliases = e->s.aliases;
		p.extglob = e->s.options & OPT_EXTGLOB;
		p.memo = NULL; /* aliases and options may have changed how text is parsed */
		p.memo_cap = p.memo_n = 0;
		enum parse_result r = parse_line(&p, &n);
		if (p.unsure) {
			struct span at = {index, (uint32_t)p.unsure_at, (uint32_t)p.unsure_at};
			emit_trouble(e, TROUBLE_CONSTRUCT, p.unsure, at);
			p.unsure = NULL;
		}
		if (r == PARSE_END)
			break;
		if (new)
			marks_line(e, &p, start, r == PARSE_LINE ? n : NULL);
		if (new && n && command)
			emit_mark(e, MARK_NEWLINE,
					(struct span){index, (uint32_t)start - 1, (uint32_t)start});
		command |= n != NULL;
		if (r != PARSE_LINE) {
			parse_trouble(e, &p, r);
			break;
		}
		unsigned taken = e->script_reads;
		eval_line(e, &p, start, n);
		if (from.source == TEXT_STDIN && e->script_reads != taken && p.pos < p.end) {
			struct span at = {index, (uint32_t)start, (uint32_t)p.pos};
			emit_trouble(e, TROUBLE_CONSTRUCT,
					"a script on standard input whose commands take lines of it", at);
		}
		if (!aborted.dead) {
			e->s = state_join(e, &e->s, &aborted);
			aborted = state_dead(&e->s);
		}
	}
	e->aborted = outer_aborted;
	e->dialect = outer;
	e->text_depth--;
}

void trap_add(struct eval *e, struct str text, struct span at, enum trap_kind kind)
{
	struct trap new = {.next = e->traps, .text = text, .at = at, .prompt = kind == TRAP_PROMPT,
			.apart = kind != TRAP_ANY_TIME, .dialect = e->dialect,
			   .vars = e->s.vars, .funcs = e->s.funcs, .since = e->changes};
	for (struct trap *t = e->traps; t; t = t->next)
		if (t->prompt == new.prompt && t->apart == new.apart && t->dialect == new.dialect &&
				str_eq(t->text, text)) {
			t->done &= !t->vars; /* run it again: the variables may differ */
			t->vars = t->funcs = NULL;
			return;
		}
	struct trap *t = arena_new(e->a, struct trap);
	*t = new;
	e->traps = t;
}

static struct trap *trap_left(const struct eval *e)
{
	struct trap *t = e->traps;
	while (t && t->done)
		t = t->next;
	return t;
}

/*
 * Handlers run at any time, in any state: every variable is unknown, and every function ever defined may be
 * set.
 */
void eval_traps(struct eval *e)
{
	for (struct trap *t; (t = trap_left(e));) { /* a handler may set handlers */
		t->done = true;
		struct shell_state keep = e->s;
		unsigned forgot = e->forgot, lost = e->functions_lost;
		state_any_time(e);
		e->forgot = forgot; /* state_any_time() counted as a change, but is none of the script */
		e->functions_lost = lost;
		vars_keep(e, t->vars, t->since);
		e->s.funcs = e->ever;
		if (e->functions_lost <= t->since)
			funcs_keep(e, t->funcs);
		e->s.dirs = e->dirs_ever;
		const struct via *outer = via_enter(e, (struct via){.kind = VIA_TRAP});
		e->out = e->captured = NULL;
		e->s.in = (struct input){.script = e->s.in.script};
		unsigned changes = e->changes;
		unsigned reads = e->line_reads;
		struct unordered handler = order_open(e);
		if (t->prompt)
			eval_prompt(e, t->text, t->at);
		else
			eval_text(e, t->text, TEXT_FROM(TRAP), t->at, t->dialect);
		order_close(e, handler, ORDER_ANY_TIME);
		if (t->prompt && e->line_reads != reads)
			emit_trouble(e, TROUBLE_CONSTRUCT, "a prompt that reads standard input", t->at);
		/* a handler that leaves the script changes nothing for later commands */
		if (!t->apart && !e->s.dead && e->changes != changes)
			emit_trouble(e, TROUBLE_CONSTRUCT,
					"a trap that changes variables, functions, input or the directory",
					t->at);
		e->via = outer;
		e->s = keep;
	}
}
