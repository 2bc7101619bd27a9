/* Builtins that set variables. */
#include "base/num.h"
#include "shell/builtin.h"
#include "shell/known_output.h"

/* ---- declare, typeset, local, export, readonly ---- */

struct attributes {
	bool array, map, integer, lower, upper, ref, exported, functions, print, global, fixed, unexport;
	bool local;
};

static struct frame *function_frame(const struct eval *e)
{
	struct frame *f = e->frame;
	while (f && !f->function)
		f = f->outer;
	return f;
}

static void note_local(struct eval *e, struct str name)
{
	struct frame *f = function_frame(e);
	if (!f || pmap_get(f->locals, name))
		return;
	const struct shell_value *old = pmap_get(e->s.vars, name);
	f->locals = pmap_set(e->a, f->locals, str_dup(e->a, name), old ? old : &value_absent);
	if (e->unsure > f->unsure || !f->returned.dead) /* ... or some path has already returned */
		f->maybe = pmap_set(e->a, f->maybe, str_dup(e->a, name), "");
	if (old && old->fixed) { /* making a readonly variable local fails */
		var_set_unknown(e, name);
		may_abort(e);
	} else if (e->dialect != DIALECT_SH) { /* dash keeps the caller's value until the local is assigned */
		e->s.vars = pmap_set(e->a, e->s.vars, name, &value_absent);
	var_changed(e, name); /* for handlers that run meanwhile */
	}
}

/* True if the name is a local variable of a function on the call stack; it hides another variable. */
static bool is_local(const struct eval *e, struct str name)
{
	for (const struct frame *f = e->frame; f; f = f->outer)
		if (pmap_get(f->locals, name))
			return true;
	return false;
}

static void set_attributes(struct eval *e, struct str name, const struct attributes *at)
{
	const struct shell_value *old = pmap_get(e->s.vars, name);
	struct shell_value *v = arena_new(e->a, struct shell_value);
	if (old)
		*v = *old;
	else
		*v = (struct shell_value){.set = true, .maybe = true, .text = HOLE};
	v->exported = (v->exported || at->exported) && !at->unexport;
	v->integer |= at->integer;
	v->lower |= at->lower;
	v->upper |= at->upper;
	if ((at->array || at->map) && v->kind == VALUE_TEXT) {
		v->kind = at->map ? VALUE_MAP : VALUE_LIST;
		v->open = old ? old->set : false;
		v->items = NULL;
		v->n = 0;
	}
	if (at->map && old && old->kind != VALUE_MAP)
		v->kind = VALUE_MAP, v->open = true, v->n = 0;
	var_set(e, name, v);
}

/* a=( ... ) and a[..]=: the words are expanded before the variable becomes local. */
static void declare_array(struct eval *e, const struct syn_assign *as, const struct attributes *at)
{
	bool attributes = at->array || at->map || at->integer || at->lower || at->upper || at->exported;
	const struct shell_value *old = pmap_get(e->s.vars, as->name);
	if (attributes)
		set_attributes(e, as->name, at);
	eval_assign(e, as, at->exported ? ASSIGN_EXPORT : ASSIGN_PLAIN);
	if (!at->local || pmap_get(function_frame(e)->locals, as->name))
		return;
	const struct shell_value *made = pmap_get(e->s.vars, as->name);
	e->s.vars = pmap_set(e->a, e->s.vars, as->name, old);
	note_local(e, as->name);
	if (!(old && old->fixed))
		var_set(e, as->name, made);
}

static void declare_one(struct builtin_call *b, const struct word *w, const struct syn_assign *as,
		const struct attributes *at)
{
	struct eval *e = b->e;
	if (as && (as->array || as->subscripted)) {
		declare_array(e, as, at);
		return;
	}
	struct str s = w->kind == WORD_REST ? HOLE : w->text;
	ptrdiff_t eq = str_find(s, '=', 0);
	bool append = eq > 0 && s.p[eq - 1] == '+';
	struct str ref = eq < 0 ? s : str_first(s, (size_t)eq - append),
			value = eq < 0 ? (struct str){"", 0} : str_from(s, (size_t)eq + 1);
	if (!text_exact(ref)) {
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a variable whose name is not known is declared",
				b->at);
		state_forget_vars(e);
		return;
	}
	if (at->functions) {
		b->e->functions_fixed |= at->fixed;
		return;
	}
	if (at->local && name_valid(ref))
		note_local(e, ref);
	if (name_valid(ref))
		set_attributes(e, ref, at);
	if (eq < 0) {
		if (at->exported && str_is_any(ref, "BASHOPTS SHELLOPTS"))
			assign_effect(e, ref, HOLE, ASSIGN_EXPORT, b->at);
		if (!name_valid(ref)) { /* declare 'a[$(cmd)]' evaluates the subscript */
			struct str name, key;
			bool sub, known;
			var_reference(e, ref, &name, &sub, &key, &known);
		}
		return;
	}
	/* declare -a 'x=($(cmd))': bash parses the text as an array */
	if (value.n && value.p[0] == '(' && (at->array || at->map || !as))
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a text is assigned as an array and evaluated", b->at);
	struct span at_command = e->at;
	e->at = w->at; /* facts of the assignment point to this word */
	var_assign_reference(e, ref, value, append);
	e->at = at_command;
}

/* Marks the variable as perhaps readonly. */
static void may_be_readonly(struct eval *e, struct str text)
{
	ptrdiff_t eq = str_find(text, '=', 0);
	struct str name = eq < 0 ? text : str_first(text, (size_t)eq);
	const struct shell_value *old = text_exact(name) ? pmap_get(e->s.vars, name) : NULL;
	if (!old)
		return;
	struct shell_value *v = arena_new(e->a, struct shell_value);
	*v = *old;
	v->fixed = true;
	var_set(e, name, v);
}

static void declare_all(struct builtin_call *b, size_t i, const struct attributes *at)
{
	struct eval *e = b->e;
	size_t first = i;
	for (; i < b->argc; i++) {
		const struct syn_assign *as = b->from ? b->from[i] : NULL;
		declare_one(b, &b->argv[i], as, at);
		/* its words were expanded before the operands on its left were assigned */
		if (as && as->array && i > first)
			var_set_unknown(e, as->name);
		if (at->fixed)
			may_be_readonly(e, as ? as->name : b->argv[i].text);
	}
	e->s.status = -1;
}

/*
 * Parses the options of declare and related builtins. False if they are unknown; then all variables become
 * unknown.
 */
static bool declare_options(struct builtin_call *b, char seen[OPTIONS_MAX], size_t *ret_operand)
{
	bool known;
	*ret_operand = builtin_options(b, "", seen, &known);
	if (known)
		return true;
	emit_trouble(b->e, TROUBLE_OPAQUE_SCRIPT, "variables that are not known are declared or exported",
			b->at);
	state_forget_vars(b->e);
	return false;
}

void builtin_declare(struct builtin_call *b)
{
	struct eval *e = b->e;
	char seen[OPTIONS_MAX];
	size_t i;
	if (!declare_options(b, seen, &i))
		return;
	struct attributes at = {
		.array = strchr(seen, 'a'), .map = strchr(seen, 'A'), .integer = strchr(seen, 'i'),
				.lower = strchr(seen, 'l'),
		.upper = strchr(seen, 'u') || strchr(seen, 'c'), .ref = strchr(seen, 'n'),
		.exported = strchr(seen, 'x'),
		.functions = strpbrk(seen, "fF") != NULL, .print = strchr(seen, 'p'),
		.global = strchr(seen, 'g'),
	};
	at.fixed = strchr(seen, 'r');
	if (at.fixed)
		e->s.options |= OPT_ABORTS;
	at.local = function_frame(e) && !at.global;
	/* -T ties two names, -m takes patterns ... */
	if (e->dialect == DIALECT_ZSH && seen[strspn(seen, "aAixrglup")])
		emit_trouble(e, TROUBLE_CONSTRUCT, "an option of zsh's typeset that is not followed", b->at);
	if (at.ref || strchr(seen, 'I'))
		emit_trouble(e, TROUBLE_CONSTRUCT, "a name reference, or an inherited local variable", b->at);
	for (size_t k = 1; k < i; k++)
		if (str_starts(b->argv[k].text, "+"))
			emit_trouble(e, TROUBLE_CONSTRUCT, "an attribute is taken from a variable", b->at);
	if (at.global && e->frame)
		emit_trouble(e, TROUBLE_CONSTRUCT, "a global variable declared inside a function", b->at);
	if (i >= b->argc || at.print || at.functions)
		out_unknown(e);
	if (at.functions && at.exported)
		e->s.options |= OPT_FUNCS_EXPORTED;
	struct shell_state before = e->s;
	if (!at.print)
		declare_all(b, i, &at);
	bool wrong = seen[strspn(seen, "aAfFgiIlnprtux")] != 0;
	if (wrong || (str_is(b->argv[0].text, "local") && !function_frame(e))) {
		/* an error: most shells assign nothing */
		e->s = state_join(e, &before, &e->s);
		out_spoil(e);
	}
}

void builtin_export(struct builtin_call *b)
{
	struct eval *e = b->e;
	char seen[OPTIONS_MAX];
	size_t i;
	if (!declare_options(b, seen, &i))
		return;
	bool readonly = str_is(b->argv[0].text, "readonly");
	if (readonly)
		e->s.options |= OPT_ABORTS;
	struct attributes at = {.exported = !readonly && !strchr(seen, 'n'), .array = strchr(seen, 'a') &&
			readonly, .map = strchr(seen, 'A') && readonly,
				.functions = strchr(seen, 'f'), .fixed = readonly,
				.unexport = strchr(seen, 'n')};
	if (at.functions && at.exported)
		e->s.options |= OPT_FUNCS_EXPORTED;
	if (i >= b->argc || strchr(seen, 'p'))
		out_unknown(e);
	struct shell_state before = e->s;
	declare_all(b, i, &at);
	/* an invalid option, or one that prints: nothing is assigned */
	if (seen[strspn(seen, "aAfnp")] || (e->dialect == DIALECT_SH && *seen))
		e->s = state_join(e, &before, &e->s);
}

/* ---- unset ---- */

void builtin_unset(struct builtin_call *b)
{
	struct eval *e = b->e;
	char seen[OPTIONS_MAX];
	bool known;
	size_t i = builtin_options(b, "", seen, &known);
	e->s.status = -1;
	struct shell_state before = e->s;
	bool wrong = seen[strspn(seen, "fvn")] != 0; /* an error: nothing is unset */
	for (; i < b->argc; i++) {
		struct str s = b->argv[i].kind == WORD_REST ? HOLE : b->argv[i].text, name, key;
		bool sub, key_known;
		if (!text_exact(s) || !known) {
			emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a variable whose name is not known is unset",
					b->at);
			state_forget(e);
			return;
		}
		bool valid = !strchr(seen, 'f') && var_reference(e, s, &name, &sub, &key, &key_known);
		if (valid && sub) {
			var_set_unknown(e, name);
			continue;
		}
		const struct func *f = pmap_get(e->s.funcs, s);
		if (f && !strchr(seen, 'v')) {
			struct func *g = arena_new(e->a, struct func);
			*g = *f;
			g->maybe_absent = true;
			e->functions_lost = ++e->changes;
			e->s.funcs = pmap_set(e->a, e->s.funcs, s, g);
		}
		const struct shell_value *old = valid ? var_get(e, name) : NULL;
		if (valid && (f || strchr(seen, 'n') || is_local(e, name) || (old && old->fixed)))
			var_set_unknown(e, name);
		else if (valid)
			var_set(e, name, &value_absent);
		if (valid && str_is(name, "PATH"))
			e->s.options |= OPT_PATH_CHANGED;
	}
	if (wrong)
		e->s = state_join(e, &before, &e->s);
}

/* ---- read, mapfile ---- */

/*
 * Returns the next line of the known input, without its newline; false if it is unknown. *ret_end: the line
 * had no newline.
 */
static bool next_line(struct eval *e, struct str *ret, bool *ret_end)
{
	struct input *in = &e->s.in;
	e->reads++;
	e->line_reads++;
	e->script_reads += in->script;
	if (!in->known)
		return false;
	struct str line = str_until(in->rest, '\n');
	if (text_open(line)) { /* the hole may contain a newline or a backslash */
		in->known = false;
		return false;
	}
	*ret_end = line.n == in->rest.n;
	*ret = str_cut(&in->rest, '\n');
	return true;
}

static struct str trim_ifs(struct str s, struct str ifs)
{
	while (s.n && str_has(ifs, s.p[0]))
		s = str_from(s, 1);
	while (s.n && str_has(ifs, s.p[s.n - 1]))
		s.n--;
	return s;
}

/* Splits a line over the variables as read does, when IFS is white space or empty. */
static void read_into(struct builtin_call *b, size_t i, struct str line)
{
	struct eval *e = b->e;
	struct str ifs = param_ifs(e);
	unsigned aborts = e->aborts;
	if (i >= b->argc) {
		var_set_text(e, STR("REPLY"), line);
		return;
	}
	for (; i < b->argc; i++) {
		line = trim_ifs(line, ifs);
		size_t n = line.n;
		for (size_t k = 0; i + 1 < b->argc && k < line.n && n == line.n; k++)
			if (str_has(ifs, line.p[k]))
				n = k;
		var_assign_reference(e, b->argv[i].text, aborts == e->aborts ? str_first(line, n) : HOLE,
				false);
		if (aborts != e->aborts && name_valid(b->argv[i].text))
			var_set_unknown(e, b->argv[i].text); /* read stops at a name that it cannot assign */
		line = str_from(line, n);
	}
}

void builtin_read(struct builtin_call *b)
{
	struct eval *e = b->e;
	char seen[OPTIONS_MAX];
	bool known, end = false;
	struct word inside;
	size_t i = builtin_options(b, "adinNptuk", seen, &known);
	const struct word *array = option_arg(b, "adinNptu", 'a', &inside);
	for (size_t k = i; k < b->argc; k++)
		known &= b->argv[k].kind != WORD_REST;
	if (!known) {
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "variables that are not known are read", b->at);
		state_forget_vars(e);
		return;
	}
	e->s.status = -1;
	struct str line;
	e->line_reads++;
	e->script_reads += e->s.in.script || (e->script_input && strchr(seen, 'u'));
	/* any other option does more, or is an error and nothing is read */
	const char *plain = e->dialect == DIALECT_SH ? "rp" : "resp";
	bool simple = !seen[strspn(seen, plain)] && (e->dialect != DIALECT_SH || i < b->argc) &&
			str_only(param_ifs(e), " \t\n") && e->dialect != DIALECT_ZSH;
	if (simple && next_line(e, &line, &end) && (strchr(seen, 'r') || !str_has(line, '\\'))) {
		read_into(b, i, line);
		e->s.status = end ? 1 : 0;
		return;
	}
	in_forget(e);
	if (array)
		var_assign_reference(e, array->kind == WORD_REST ? HOLE : array->text, HOLE, false);
	if (array && array->kind == WORD_EXACT && name_valid(array->text)) {
		struct shell_value *v = arena_copy(e->a,
				(struct shell_value){.kind = VALUE_LIST, .set = true, .open = true});
		var_set(e, array->text, v);
	}
	for (size_t k = i; k < b->argc; k++)
		var_assign_reference(e, b->argv[k].text, HOLE, false);
	if (i >= b->argc && !array)
		var_set_unknown(e, STR("REPLY"));
}

/* Evaluates the callback, which gets an index and a line as arguments. */
static void mapfile_callback(struct builtin_call *b, struct str callback)
{
	struct eval *e = b->e;
	struct params keep = e->s.params;
	unsigned changes = e->changes;

	e->s.params = params_unknown(e, b->at);
	eval_text(e, str_cat(e->a, callback, STR(" \"$@\"")), TEXT_FROM(MAPFILE), b->at, e->dialect);
	if (e->changes != changes) /* it runs any number of times, perhaps never */
		emit_trouble(e, TROUBLE_CONSTRUCT, "a callback that changes the shell's state", b->at);
	e->s.params = keep;
}

/* Returns the lines as a list, open if not all are known. */
static struct shell_value *mapfile_lines(struct eval *e, const char *seen)
{
	struct shell_value *v = arena_new(e->a, struct shell_value);
	struct item *items = arena_array(e->a, LOOP_WORDS_MAX, sizeof *items);
	bool only_t = !seen[strspn(seen, "t")], end = false;
	struct str line;

	*v = (struct shell_value){.kind = VALUE_LIST, .set = true, .items = items};
	while (v->n < LOOP_WORDS_MAX && !end && only_t && next_line(e, &line, &end)) {
		if (end && line.n == 0)
			break;
		items[v->n] = (struct item){str_fmt(e->a, "%zu", v->n),
				strchr(seen, 't') || end ? line : str_cat(e->a, line, STR("\n"))};
		v->n++;
	}
	if (!end) {
		v->open = true;
		v->n = 0;
	}
	in_forget(e);
	return v;
}

/* True if an attribute of the variable changes the stored value, or may prevent storing it. */
static bool converted(const struct shell_value *old)
{
	return old && (old->fixed || old->integer || old->lower || old->upper || old->kind == VALUE_MAP);
}

static void mapfile_store(struct builtin_call *b, struct str name, const struct shell_value *v, bool plain)
{
	struct eval *e = b->e;
	const struct shell_value *old = text_exact(name) ? var_get(e, name) : NULL;

	for (size_t k = 0; k < v->n && old && old->integer; k++)
		eval_arith(e, v->items[k].text);
	if (!text_exact(name) || !name_valid(name))
		var_assign_reference(e, name, HOLE, false);
	else if (!plain || converted(old))
		var_set_unknown(e, name);
	else
		var_set(e, name, v);
	if (text_exact(name))
		assign_effect(e, name, v->n == 1 && !v->open ? v->items[0].text : HOLE, ASSIGN_PLAIN, b->at);
}

void builtin_mapfile(struct builtin_call *b)
{
	struct eval *e = b->e;
	char seen[OPTIONS_MAX];
	bool known;
	struct word inside;
	const char *with = "dnOsucC";
	size_t i = builtin_options(b, with, seen, &known);
	const struct word *callback;

	e->script_reads += e->s.in.script || (e->script_input && strchr(seen, 'u'));
	callback = option_arg(b, with, 'C', &inside);
	e->s.status = -1;
	if (!known || (callback && callback->kind != WORD_EXACT)) {
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "mapfile with words that are not known", b->at);
		state_forget_vars(e);
		return;
	}
	if (callback)
		mapfile_callback(b, callback->text);
	mapfile_store(b, i < b->argc ? b->argv[i].text : STR("MAPFILE"), mapfile_lines(e, seen),
			!seen[strspn(seen, "tdnOsucC")]);
}

/* ---- the rest ---- */

void builtin_wait(struct builtin_call *b)
{
	char seen[OPTIONS_MAX];
	bool known;
	struct word inside;
	builtin_options(b, "p", seen, &known);
	const struct word *var = option_arg(b, "p", 'p', &inside);
	b->e->s.status = -1;
	if (var)
		var_assign_reference(b->e, var->kind == WORD_REST ? HOLE : var->text, HOLE, false);
	else if (!known && b->e->dialect == DIALECT_BASH && b->argc > 1 && b->argv[1].kind == WORD_REST &&
			!b->argv[1].ambient)
		emit_trouble(b->e, TROUBLE_OPAQUE_SCRIPT,
				"wait with words that are not known may assign any variable", b->at);
}

void builtin_let(struct builtin_call *b)
{
	struct number_result r = {0};
	for (size_t i = 1; i < b->argc; i++)
		r = eval_arith(b->e, b->argv[i].kind == WORD_REST ? HOLE : b->argv[i].text);
	b->e->s.status = r.known ? r.n == 0 : -1;
}

void builtin_getopts(struct builtin_call *b)
{
	b->e->s.status = -1;
	if (b->argc > 2)
		var_assign_reference(b->e, b->argv[2].kind == WORD_REST ? HOLE : b->argv[2].text, HOLE,
				false);
	var_set_unknown(b->e, STR("OPTARG"));
	var_set_text(b->e, STR("OPTIND"), HOLE_NUMBER);
}

void builtin_printf(struct builtin_call *b)
{
	struct eval *e = b->e;
	size_t i = 1;
	struct word var = {0};
	bool to_var = false;
	unsigned aborts = e->aborts;
	e->s.status = -1;
	if (i < b->argc && b->argv[i].kind == WORD_EXACT && str_starts(b->argv[i].text, "-v") &&
			e->dialect != DIALECT_SH) {
		struct str s = b->argv[i].text;
		to_var = true;
		if (s.n > 2)
			var = word_of(str_from(s, 2), b->at);
		else if (++i < b->argc)
			var = b->argv[i];
		i++;
	} else if (i < b->argc && b->argv[i].kind != WORD_EXACT && e->dialect != DIALECT_SH) {
		struct str t = b->argv[i].text; /* may be -v, followed by any variable */
		if (b->argv[i].kind == WORD_REST || t.n == 0 || t.p[0] == HOLE_ANY || t.p[0] == HOLE_NAME) {
			emit_trouble(e, TROUBLE_OPAQUE_SCRIPT,
					"printf with a format that is not known may assign any variable",
					b->at);
			state_forget_vars(e);
		}
	}
	if (i < b->argc && b->argv[i].kind == WORD_EXACT && str_is(b->argv[i].text, "--")) {
		i++;
	/* an invalid option or a format, depending on the shell */
	} else if (!to_var && i < b->argc && str_starts(b->argv[i].text, "-")) {
		out_unknown(e);
		return;
	}
	struct str text;
	bool known = (e->out || to_var) && i < b->argc && output_printf(e->a, b->argv + i, b->argc - i,
			e->dialect, &text);
	if (to_var)
		var_assign_reference(e, var.kind == WORD_EXACT ? var.text : HOLE, known ? text : HOLE, false);
	else if (known)
		out_add(e, text);
	else
		out_unknown(e);
	if (known && to_var && aborts == e->aborts)
		e->s.status = 0;
}

/* Options of set -o that only print or make fewer things happen. */
static bool set_option_fine(struct str s)
{
	if (str_is_any(s,
			"errexit nounset pipefail xtrace verbose noclobber noglob errtrace functrace "
			"monitor notify physical allexport ignoreeof hashall noexec onecmd privileged vi "
			"emacs"))
			return true;
	return false;
}

void builtin_set(struct builtin_call *b)
{
	struct eval *e = b->e;
	size_t i = 1;
	bool replace = false, fine = true;
	for (; i < b->argc; i++) {
		struct word w = b->argv[i];
		struct str s = w.text;
		if (w.kind != WORD_EXACT) {
			fine = w.kind == WORD_UNKNOWN && s.n && !text_hole(s.p[0]) && s.p[0] != '-' &&
					s.p[0] != '+';
			break;
		}
		if (s.n < 1 || (s.p[0] != '-' && s.p[0] != '+'))
			break;
		if (str_is_any(s, "-- -")) {
			replace = str_is(s, "--");
			i++;
			break;
		}
		for (size_t k = 1; k < s.n; k++) {
			if (s.p[k] == 'o')
				out_unknown(e); /* without a name, -o prints */
			if (s.p[k] == 'o' && i + 1 < b->argc) {
				fine &= b->argv[i + 1].kind == WORD_EXACT &&
						set_option_fine(b->argv[i + 1].text);
				e->s.options |= OPT_ABORTS;
				e->physical |= str_is(b->argv[i + 1].text, "physical");
				i++;
			} else if (s.p[k] == 'P') {
				e->physical = true;
			} else if (s.p[k] == 'e' || s.p[k] == 'u' || s.p[k] == 'n') {
				e->s.options |= OPT_ABORTS;
			} else if (!strchr("abfhmptvxCETPo", s.p[k])) {
				fine &= s.p[k] == 'B' && s.p[0] == '-';
			}
		}
	}
	e->s.status = 0;
	e->changes++;
	if (b->argc == 1)
		out_unknown(e);
	if (!fine)
		emit_trouble(e, TROUBLE_CONSTRUCT, "a shell option that is not followed", b->at);
	if (replace || i < b->argc)
		e->s.params = (struct params){b->argv + i, b->argc > i ? b->argc - i : 0};
}

void builtin_shift(struct builtin_call *b)
{
	struct eval *e = b->e;
	int64_t n = 1;
	bool known = b->argc == 1 ||
			(b->argc == 2 && b->argv[1].kind == WORD_EXACT &&
			num_parse(b->argv[1].text, 0, 1 << 20, &n) == 0);
	struct params *p = &e->s.params;
	e->s.status = -1;
	e->changes++;
	if (e->dialect == DIALECT_ZSH && b->argc > 1)
		state_forget_vars(e); /* zsh: the operands may name arrays */
	for (size_t i = 0; i < p->n && (int64_t)i < n; i++)
		known &= p->at[i].kind != WORD_REST;
	if (known && (size_t)n <= p->n) {
		e->s.status = 0;
		p->at += n;
		p->n -= (size_t)n;
	} else if (!known) {
		*p = params_unknown(e, b->at);
	} else {
		e->s.status = 1; /* too few parameters: nothing is shifted */
	}
}
