/* The abstract state of a shell, and the join of two states where branches meet. */
#include "shell/eval.h"

const struct shell_value value_absent = {.set = false};

bool name_valid(struct str s)
{
	if (s.n == 0 || !ascii_is_name_start((unsigned char)s.p[0]))
		return false;
	for (size_t i = 1; i < s.n; i++)
		if (!ascii_is_name((unsigned char)s.p[i]))
			return false;
	return true;
}

/* ---- variables ---- */

const struct shell_value *var_get(const struct eval *e, struct str name) { return pmap_get(e->s.vars, name); }

/* Variables that the shell itself sets or computes: an assigned text does not tell their value. */
static const struct {
	char name[16];
	bool number;
} owned[] = {
	{"_", false}, {"BASHPID", true}, {"BASH_ARGC", false}, {"BASH_ARGV", false}, {"BASH_COMMAND", false},
	{"BASH_LINENO", false}, {"BASH_SOURCE", false},
	{"BASH_SUBSHELL", true}, {"COLUMNS", true}, {"COMP_WORDBREAKS", false}, {"DIRSTACK", false},
	{"EPOCHREALTIME", false}, {"EPOCHSECONDS", true}, {"EUID", true},
	{"FUNCNAME", false}, {"GROUPS", false}, {"HISTCMD", true}, {"LINENO", true}, {"LINES", true},
	{"OPTARG", false}, {"OPTIND", true}, {"PIPESTATUS", false}, {"PPID", true},
	{"RANDOM", true}, {"SECONDS", true}, {"SRANDOM", true}, {"UID", true},
};

/*
 * Returns the value that a variable has after an assignment of `text`. For integers the text is evaluated,
 * which may run commands.
 */
static struct str assigned_text(struct eval *e, struct str name, const struct shell_value *old,
	struct str text)
{
	bool number = old && old->integer, own = false;
	for (size_t i = 0; i < ARRAY_SIZE(owned); i++)
		if (str_is(name, owned[i].name)) {
			own = true;
			number |= owned[i].number;
		}
	if (number) {
		struct number_result r = eval_arith(e, text);
		if (old && old->doubt_kind)
			return HOLE;
		return r.known && !own ? str_fmt(e->a, "%lld", (long long)r.n) : HOLE_NUMBER;
	}
	return own || text.n > VALUE_MAX || (old && (old->upper || old->lower)) ? HOLE : text;
}

void var_changed(struct eval *e, struct str name)
{
	unsigned *at = arena_new(e->a, unsigned);
	*at = ++e->changes;
	e->changed = pmap_set(e->a, e->changed, str_dup(e->a, name), at);
}

struct keeping {
	struct eval *e;
	unsigned since;
};

static void keep_one(void *ctx, struct str key, const void *value)
{
	struct keeping *k = ctx;
	const unsigned *at = pmap_get(k->e->changed, key);
	static const char never[][8] = {"IFS", "HOME", "PWD", "OLDPWD"}; /* handled elsewhere */
	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		if (str_is(key, never[i]))
			return;
	if (at && *at <= k->since)
		k->e->s.vars = pmap_set(k->e->a, k->e->s.vars, key, value);
}

void vars_keep(struct eval *e, const struct pmap *then, unsigned since)
{
	struct keeping k = {e, since};
	if (e->forgot <= since)
		pmap_each(then, keep_one, &k);
}

void var_set(struct eval *e, struct str name, const struct shell_value *v)
{
	var_changed(e, name);
	e->ifs_touched |= str_is(name, "IFS");
	e->home_touched |= str_is_any(name, "HOME PWD");
	e->odd_globs |= str_is(name, "GLOBIGNORE"); /* turns dotglob on */
	if (e->dialect == DIALECT_ZSH && zsh_table(name))
		emit_trouble(e, TROUBLE_CONSTRUCT,
				"a parameter of zsh that is a table of commands, or changes what runs",
				e->at);
	e->s.vars = pmap_set(e->a, e->s.vars, str_dup(e->a, name), v);
}

static struct shell_value *copy_of(struct eval *e, const struct shell_value *old)
{
	struct shell_value *v = arena_new(e->a, struct shell_value);
	if (old)
		*v = *old;
	return v;
}

void var_set_text(struct eval *e, struct str name, struct str text)
{
	const struct shell_value *old = pmap_get(e->s.vars, name);
	if (old && old->kind != VALUE_TEXT) { /* a=x for an array is a[0]=x */
		var_set_item(e, name, STR("0"), true, text, false);
		return;
	}
	struct shell_value *v = copy_of(e, old);
	v->kind = VALUE_TEXT;
	v->ambient = false;
	v->set = true;
	v->likely.n = 0;
	v->maybe = old && old->fixed;
	v->text = assigned_text(e, name, old, text);
	v->may = NULL;
	if (v->maybe) {
		v->text = HOLE;
		may_abort(e);
	}
	var_set(e, name, v);
}

void var_hint(struct eval *e, struct str name, struct str likely)
{
	const struct shell_value *old = pmap_get(e->s.vars, name);
	struct shell_value *v;

	if (!likely.n || !old || old->kind != VALUE_TEXT || text_exact(old->text))
		return;
	v = copy_of(e, old);
	v->likely = likely;
	e->s.vars = pmap_set(e->a, e->s.vars, name, v);
}

void var_set_unknown(struct eval *e, struct str name)
{
	const struct shell_value *old = pmap_get(e->s.vars, name);
	struct shell_value *v = copy_of(e, old);
	v->ambient = false;
	v->set = v->maybe = true;
	v->text = HOLE;
	v->may = NULL;
	v->open = true;
	v->n = 0;
	var_set(e, name, v);
}

void var_set_item(struct eval *e, struct str name, struct str key, bool key_known, struct str text,
		bool append)
{
	const struct shell_value *old = pmap_get(e->s.vars, name);
	struct shell_value *v = copy_of(e, old);
	if (!old) {
		v->open = false; /* the environment has no arrays: at most element 0 */
		v->maybe = false;
	}
	if (v->kind == VALUE_TEXT) {
		bool had = old && old->set;
		v->kind = VALUE_LIST;
		v->items = NULL;
		v->n = 0;
		v->open = v->open || !old || old->maybe;
		if (had) {
			struct item *first = arena_copy(e->a, (struct item){STR("0"), old->text});
			v->items = first;
			v->n = 1;
		}
	}
	v->set = true;
	text = assigned_text(e, name, old, text);
	if (v->fixed)
		may_abort(e);
	if (!key_known || append || v->fixed || e->dialect == DIALECT_ZSH) {
		/* any element may have changed */
		v->open = true;
		v->n = 0;
		var_set(e, name, v);
		return;
	}
	eval_burn(e, v->n + 1);
	struct item *items = arena_array(e->a, v->n + 1, sizeof *items);
	size_t n = 0;
	bool done = false;
	int64_t index = -1;
	for (size_t i = 0; i < key.n && v->kind == VALUE_LIST; i++)
		index = (index < 0 ? 0 : index) * 10 + (key.p[i] - '0');
	for (size_t i = 0; i < v->n; i++) {
		bool same = str_eq(v->items[i].key, key);
		int64_t at = 0;
		for (size_t k = 0; k < v->items[i].key.n && v->kind == VALUE_LIST; k++)
			at = at * 10 + (v->items[i].key.p[k] - '0');
		if (!done && (same || (v->kind == VALUE_LIST && at > index))) {
			items[n++] = (struct item){key, text};
			done = true;
		}
		if (!same)
			items[n++] = v->items[i];
	}
	if (!done)
		items[n++] = (struct item){key, text};
	v->items = items;
	v->n = n;
	var_set(e, name, v);
}

struct forget {
	struct eval *e;
	const struct pmap *to;
};

static void forget_one(void *ctx, struct str key, const void *value)
{
	struct forget *f = ctx;
	const struct shell_value *old = value;
	struct shell_value *v = copy_of(f->e, old);
	v->ambient = false;
	v->set = v->maybe = true;
	v->text = HOLE;
	v->open = true;
	v->n = 0;
	f->to = pmap_set(f->e->a, f->to, key, v);
}

void state_forget_vars(struct eval *e)
{
	struct forget f = {e, NULL};
	pmap_each(e->s.vars, forget_one, &f);
	e->s.vars = f.to;
	e->forgot = ++e->changes;
	struct shell_value *ifs = arena_copy(e->a, (struct shell_value){.set = true, .maybe = true,
			.text = HOLE});
	var_set(e, STR("IFS"), ifs);
}

void state_any_time(struct eval *e)
{
	bool touched = e->ifs_touched;
	state_forget(e);
	e->s.dead = false;
	e->s.status = -1;
	e->ifs_touched = touched;
	if (!touched)
		e->s.vars = pmap_set(e->a, e->s.vars, STR("IFS"), NULL);
	if (e->home_touched) { /* perhaps in a subshell whose variables are gone here */
		var_set_unknown(e, STR("HOME"));
		var_set_unknown(e, STR("PWD"));
	}
}

static void maybe_one(void *ctx, struct str key, const void *value)
{
	struct forget *f = ctx;
	struct func *fn = arena_new(f->e->a, struct func);
	*fn = *(const struct func *)value;
	fn->maybe_absent = true;
	f->to = pmap_set(f->e->a, f->to, key, fn);
}

struct params params_unknown(struct eval *e, struct span at)
{
	struct word *rest = arena_new(e->a, struct word);
	*rest = word_rest(at);
	return (struct params){rest, 1};
}

void state_forget(struct eval *e)
{
	state_forget_vars(e);
	struct forget f = {e, NULL};
	e->functions_lost = ++e->changes;
	pmap_each(e->s.funcs, maybe_one, &f);
	e->s.funcs = f.to;
	e->s.dirs.n = 0;
	e->moved = true;
	e->s.cd_pending = false;
	e->s.stack_unknown = true;
	e->s.params = params_unknown(e, e->at);
}

/* ---- joining ---- */

/* The text if both are equal, else one hole. */
static struct str text_join(struct str a, struct str b) { return str_eq(a, b) ? a : HOLE; }

static bool items_same(const struct shell_value *x, const struct shell_value *y)
{
	if (x->n != y->n)
		return false;
	for (size_t i = 0; i < x->n; i++)
		if (!str_eq(x->items[i].key, y->items[i].key) || !str_eq(x->items[i].text, y->items[i].text))
			return false;
	return true;
}

static bool value_same(const struct shell_value *x, const struct shell_value *y)
{
	return x == y || (x && y && x->kind == y->kind && x->set == y->set && x->maybe == y->maybe &&
			x->exported == y->exported &&
			  x->open == y->open && x->ambient == y->ambient &&
			  x->doubt_exported == y->doubt_exported && x->doubt_kind == y->doubt_kind &&
			  x->fixed == y->fixed && x->integer == y->integer && x->upper == y->upper &&
			  x->lower == y->lower &&
			  str_eq(x->text, y->text) && items_same(x, y));
}

struct joining {
	struct eval *e;
	const struct pmap *to;
	bool same;
};

/*
 * True for a plain decimal number, or an unknown one. Other runs of digits (08) may be an error in
 * arithmetic.
 */
bool text_numeric(struct str s)
{
	if (s.n == 1 && s.p[0] == HOLE_NUM)
		return true;
	size_t i = s.n > 1 && s.p[0] == '-';
	if (i == s.n || (s.p[i] == '0' && s.n > i + 1))
		return false;
	for (; i < s.n; i++)
		if (!ascii_is_digit(s.p[i]))
			return false;
	return true;
}

/* True if the value is harmless where numbers belong: the environment's, a number, or derived from those. */
static bool joins_ambient(const struct shell_value *v)
{
	return !v || v->ambient || (v->kind == VALUE_TEXT && (!v->set || text_numeric(v->text)));
}

static const struct shell_value unset_value; /* stands for a variable that one side lacks */

static void join_text(struct shell_value *v, const struct shell_value *x, const struct shell_value *y)
{
	if (x->kind == VALUE_TEXT && y->kind == VALUE_TEXT && x->set && y->set) {
		bool numbers = text_numeric(x->text) && text_numeric(y->text) && !str_eq(x->text, y->text);

		v->text = numbers ? HOLE_NUMBER : text_join(x->text, y->text);
		v->maybe = x->maybe || y->maybe;
		return;
	}
	v->text = HOLE;
	v->set = v->maybe = true;
}

/* Lists that differ become an open list: any number of items, each unknown. */
static void join_items(struct shell_value *v, const struct shell_value *x, const struct shell_value *y,
		bool both)
{
	bool list = x->kind != VALUE_TEXT || y->kind != VALUE_TEXT;

	if (list && !(both && x->kind == y->kind && items_same(x, y))) {
		v->kind = x->kind == VALUE_MAP || y->kind == VALUE_MAP ? VALUE_MAP : VALUE_LIST;
		v->open = true;
		v->n = 0;
	}
	v->open = v->open || x->open || y->open;
}

static bool converts(const struct shell_value *v) { return v->integer || v->upper || v->lower; }

/* Joins attributes: it is enough if one side has one; where the sides differ, the doubt is recorded. */
static void join_attributes(struct shell_value *v, const struct shell_value *x, const struct shell_value *y,
		bool both)
{
	bool letters = both && (x->upper != y->upper || x->lower != y->lower);

	v->exported = x->exported || y->exported;
	v->doubt_exported = x->exported != y->exported || x->doubt_exported || y->doubt_exported;
	v->doubt_kind = converts(x) != converts(y) || letters || x->doubt_kind || y->doubt_kind;
	v->upper = x->upper || y->upper;
	v->lower = x->lower || y->lower;
	v->integer = x->integer || y->integer;
	v->fixed = x->fixed || y->fixed;
}

static void join_one(void *ctx, struct str key, const void *vx, const void *vy)
{
	const struct shell_value *x = vx, *y = vy;
	struct joining *j = ctx;
	struct shell_value *v;

	if (value_same(x, y) && (!x || x->may == y->may || text_exact(x->text)))
		return;
	v = copy_of(j->e, x ? x : y);
	v->may = choice_of(j->e, choice_of(j->e, NULL, x), y);
	v->ambient = joins_ambient(x) && joins_ambient(y);
	x = x ? x : &unset_value;
	y = y ? y : &unset_value;
	join_text(v, x, y);
	join_items(v, x, y, vx && vy);
	join_attributes(v, x, y, vx && vy);
	j->to = pmap_set(j->e->a, j->to, key, v);
}

static void join_func(void *ctx, struct str key, const void *vx, const void *vy)
{
	struct joining *j = ctx;
	const struct func *x = vx, *y = vy;
	if (!x || !y) {
		struct func *f = arena_new(j->e->a, struct func);
		*f = x ? *x : *y;
		f->maybe_absent = true;
		j->to = pmap_set(j->e->a, j->to, key, f);
		return;
	}
	const struct func *all = x;
	for (; y; y = y->or) {
		const struct func *k = x;
		while (k && k->body != y->body)
			k = k->or;
		if (k)
			continue;
		struct func *f = arena_new(j->e->a, struct func);
		*f = *y;
		f->or = all;
		all = f;
	}
	bool maybe = ((const struct func *)vx)->maybe_absent || ((const struct func *)vy)->maybe_absent;
	if (all->maybe_absent != maybe) {
		struct func *f = arena_new(j->e->a, struct func);
		*f = *all;
		f->maybe_absent = maybe;
		all = f;
	}
	j->to = pmap_set(j->e->a, j->to, key, all);
}

static void join_alias(void *ctx, struct str key, const void *vx, const void *vy)
{
	struct joining *j = ctx;
	if (vx && vy)
		emit_trouble(j->e, TROUBLE_CONSTRUCT, "an alias that depends on a condition", j->e->at);
	j->to = pmap_set(j->e->a, j->to, key, vx ? vx : vy);
}

struct dirs dirs_join(const struct dirs *x, const struct dirs *y)
{
	struct dirs d = *x;
	if (x->n == 0 || y->n == 0)
		return (struct dirs){.n = 0};
	for (size_t i = 0; i < y->n; i++) {
		size_t k = 0;
		while (k < d.n && !str_eq(d.at[k], y->at[i]))
			k++;
		if (k < d.n)
			continue;
		if (d.n == DIRS_MAX)
			return (struct dirs){.n = 0};
		d.at[d.n++] = y->at[i];
	}
	return d;
}

static bool params_same(const struct params *x, const struct params *y)
{
	if (x->n != y->n)
		return false;
	for (size_t i = 0; i < x->n && x->at != y->at; i++)
		if (x->at[i].kind != y->at[i].kind || !str_eq(x->at[i].text, y->at[i].text))
			return false;
	return true;
}

const struct pmap *vars_join(struct eval *e, const struct pmap *x, const struct pmap *y)
{
	struct joining j = {.e = e, .to = x};
	pmap_diff(x, y, join_one, &j);
	return j.to;
}

struct shell_state state_join(struct eval *e, const struct shell_state *x, const struct shell_state *y)
{
	if (x->dead)
		return *y;
	if (y->dead)
		return *x;
	struct shell_state s = *x;
	s.vars = vars_join(e, x->vars, y->vars);
	struct joining j = {.e = e, .to = x->funcs};
	pmap_diff(x->funcs, y->funcs, join_func, &j);
	s.funcs = j.to;
	j.to = x->aliases;
	pmap_diff(x->aliases, y->aliases, join_alias, &j);
	s.aliases = j.to;
	s.files = content_join(e, x->files, y->files);
	s.dirs = dirs_join(&x->dirs, &y->dirs);
	s.cd_pending = false;
	s.stack_unknown = x->stack_unknown || y->stack_unknown || x->nstack != y->nstack ||
			x->stack != y->stack;
	if (!params_same(&x->params, &y->params)) {
		s.params = params_unknown(e, e->at);
	}
	s.in.script = x->in.script || y->in.script;
	s.in.known = x->in.known && y->in.known && str_eq(x->in.rest, y->in.rest);
	s.in.file = !x->in.known && !y->in.known && str_eq(x->in.file, y->in.file) ? x->in.file :
			(struct str){"", 0};
	s.options = x->options | y->options;
	s.status = x->status == y->status ? x->status : -1;
	return s;
}

static void compare_values(void *ctx, struct str key, const void *vx, const void *vy)
{
	(void)key;
	struct joining *j = ctx;
	j->same &= value_same(vx, vy);
}

static void differ_ptr(void *ctx, struct str key, const void *vx, const void *vy)
{
	(void)key;
	(void)vx;
	(void)vy;
	((struct joining *)ctx)->same = false;
}

bool state_same(const struct shell_state *x, const struct shell_state *y)
{
	if (x->in.known != y->in.known || (x->in.known && !str_eq(x->in.rest, y->in.rest)))
		return false;
	if (x->dead != y->dead || x->options != y->options || !params_same(&x->params, &y->params) ||
			x->dirs.n != y->dirs.n ||
	    x->stack_unknown != y->stack_unknown ||
	    (!x->stack_unknown && (x->nstack != y->nstack || x->stack != y->stack)))
		return false;
	for (size_t i = 0; i < x->dirs.n; i++)
		if (!str_eq(x->dirs.at[i], y->dirs.at[i]))
			return false;
	struct joining j = {.same = true};
	pmap_diff(x->vars, y->vars, compare_values, &j);
	if (j.same)
		pmap_diff(x->funcs, y->funcs, differ_ptr, &j);
	if (j.same)
		pmap_diff(x->aliases, y->aliases, differ_ptr, &j);
	return j.same;
}

void state_return(struct eval *e, const struct shell_state *outer)
{
	const struct pmap *files = e->s.files;
	e->s = *outer;
	e->s.files = files;
}

struct shell_state state_dead(const struct shell_state *s)
{
	struct shell_state d = *s;
	d.dead = true;
	return d;
}

void state_assume(struct shell_state *s, bool success)
{
	if (s->cd_pending)
		s->dirs = success ? s->dirs_ok : s->dirs_fail;
	s->cd_pending = false;
	if (s->status >= 0 && (s->status == 0) != success)
		s->dead = true;
	s->status = success ? 0 : 1;
}

/* ---- directories ---- */

/* Returns base/path without "." and with ".." resolved textually, as cd does. */
struct str path_normal(struct arena *a, struct str base, struct str path)
{
	struct buf b;
	buf_init(&b, a, 0);
	struct str all = path.n && path.p[0] == '/' ? path : str_path(a, base, path);
	size_t i = 0;
	while (i < all.n) {
		while (i < all.n && all.p[i] == '/')
			i++;
		size_t from = i;
		while (i < all.n && all.p[i] != '/')
			i++;
		struct str part = str_sub(all, from, i);
		if (part.n == 0 || str_is(part, "."))
			continue;
		if (str_is(part, "..")) {
			while (b.n > 0 && b.p[--b.n] != '/')
				;
			continue;
		}
		buf_char(&b, '/');
		buf_str(&b, part);
	}
	return b.n ? buf_view(&b) : STR("/");
}

void dirs_forget_names(struct eval *e)
{
	struct shell_value *pwd = arena_new(e->a, struct shell_value);

	e->moved = true;
	*pwd = (struct shell_value){.set = true, .maybe = true, .exported = true, .text = HOLE};
	if (var_get(e, STR("PWD")))
		var_set(e, STR("PWD"), pwd);
	var_set_unknown(e, STR("OLDPWD"));
}

void dirs_change(struct eval *e, struct str path)
{
	e->changes++;
	e->likely_dir.n = 0;
	dirs_forget_names(e);
	struct dirs to = {.n = 0};
	if (text_exact(path) || (names_only(path) && !str_starts(path, "-"))) {
		if (path.n && path.p[0] == '/') {
			to.at[to.n++] = path_normal(e->a, STR(""), path);
		} else {
			for (size_t i = 0; i < e->s.dirs.n; i++)
				to.at[to.n++] = path_normal(e->a, e->s.dirs.at[i], path);
		}
	}
	e->s.dirs_fail = e->s.dirs;
	e->s.dirs_ok = to;
	e->s.dirs = dirs_join(&e->s.dirs_fail, &to);
	e->dirs_ever = dirs_join(&e->dirs_ever, &to);
	e->s.cd_pending = true;
	e->s.status = -1;
}
