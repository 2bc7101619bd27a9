/* Parameter expansion: the value of a name, and the results of the operators of ${ }. */
#include "base/num.h"
#include "knowledge/variables.h"
#include "shell/eval.h"
#include "shell/pattern.h"

enum presence { PRESENT, ABSENT, PERHAPS };

/* The value of a parameter: one text, or a list ($@, $*, ${a[@]}). `rest`: the list may continue. */
struct param_value {
	bool list, rest, star, environment;
	enum presence is;
	struct str text;
	struct str likely; /* of the unknown part; see struct word */
	const struct choice_list *may;
	struct item *items;
	size_t n;
};

struct str param_ifs(const struct eval *e)
{
	const struct shell_value *v = var_get(e, STR("IFS"));
	if (!v || !v->set)
		return v && v->maybe ? HOLE : STR(" \t\n");
	return v->kind == VALUE_TEXT && !v->maybe ? v->text : HOLE;
}

/* ---- look-up ---- */

static struct param_value one_text(struct str text)
{
	return (struct param_value){.text = text, .is = PRESENT};
}
static struct param_value unknown_value(void) { return (struct param_value){.text = HOLE, .is = PERHAPS}; }
static struct param_value absent_value(void) { return (struct param_value){.text = {"", 0}, .is = ABSENT}; }

/* How the value of an environment variable probably looks: $KUBECONFIG is ~/.kube/config. */
static struct str likely_of_environment(struct eval *e, struct str name)
{
	struct str usual = var_usual(name);

	if (!str_starts(usual, "~") || !e->rq->view || !e->rq->view->home.n)
		return str_starts(usual, "~") ? STR("") : usual;
	return str_cat(e->a, e->rq->view->home, str_from(usual, 1));
}

/* The value that the environment or the shell gives to a variable that the text never assigned. */
static struct param_value ambient_value(struct eval *e, struct str name)
{
	if (str_is(name, "HOME") && e->rq->view && e->rq->view->home.n)
		return one_text(e->rq->view->home);
	if (str_is(name, "PWD"))
		return one_text(e->s.dirs.n == 1 ? e->s.dirs.at[0] : HOLE);
	if (str_is(name, "IFS"))
		return one_text(STR(" \t\n"));
	if (e->dialect == DIALECT_BASH && str_is_any(name,
			"RANDOM SECONDS LINENO UID EUID PPID BASHPID OPTIND EPOCHSECONDS SRANDOM SHLVL "
			"HISTCMD BASH_SUBSHELL"))
		return one_text(HOLE_NUMBER);
	struct param_value v = unknown_value();
	v.likely = str_is(name, "_") ? e->last_word : likely_of_environment(e, name);
	/* the shell fills these with text that it read or expanded */
	v.environment = !str_is_any(name,
		"_ BASH_COMMAND BASH_ARGV BASH_REMATCH OPTARG REPLY MAPFILE DIRSTACK COPROC READLINE_LINE "
		"MATCH match words history");
	return v;
}

static struct param_value positional_value(struct eval *e, size_t k)
{
	for (size_t i = 0; i < e->s.params.n && i < k; i++)
		if (e->s.params.at[i].kind == WORD_REST) {
			struct param_value v = unknown_value();
			v.environment = e->s.params.at[i].ambient;
			v.likely = word_likely(e, &e->s.params.at[i]);
			return v;
		}
	return k <= e->s.params.n ? one_text(e->s.params.at[k - 1].text) : absent_value();
}

static struct param_value all_positional(struct eval *e, bool star)
{
	struct param_value v = {.list = true, .star = star, .is = PRESENT, .environment = true};
	v.items = arena_array(e->a, e->s.params.n + 1, sizeof *v.items);
	for (size_t i = 0; i < e->s.params.n; i++) {
		if (e->s.params.at[i].kind == WORD_REST)
			v.rest = true, v.environment &= e->s.params.at[i].ambient,
			v.likely = word_likely_best(v.likely, word_likely(e, &e->s.params.at[i]));
		else
			v.items[v.n++].text = e->s.params.at[i].text;
	}
	v.environment &= v.rest;
	for (size_t i = 0; i < v.n; i++) /* an item that came from data that was read */
		v.environment &= text_exact(v.items[i].text);
	if (v.n == 0)
		v.is = v.rest ? PERHAPS : ABSENT;
	return v;
}

static struct param_value special_value(struct eval *e, struct str name)
{
	switch (name.p[0]) {
	case '@': return all_positional(e, false);
	case '*': return all_positional(e, true);
	case '#': {
		struct param_value v = all_positional(e, false);
		return one_text(v.rest ? HOLE_NUMBER : str_fmt(e->a, "%zu", v.n));
	}
	case '?': return one_text(e->s.status == 0 ? STR("0") : HOLE_NUMBER);
	case '$': return one_text(HOLE_NUMBER);
	case '!': {
		const struct shell_value *last = var_get(e, name);
		if (last && last->set && !last->maybe)
			return one_text(last->text);
	}
	/* fall through */
	default: { /* - */
		struct param_value v = unknown_value();
		v.environment = true;
		return v;
	}
	}
}

static struct param_value list_of(struct eval *e, const struct shell_value *v, bool star)
{
	struct param_value r = {.list = true, .star = star, .rest = v->open || v->maybe, .n = v->n,
			.is = PRESENT};
	r.likely = v->likely;
	r.items = arena_array(e->a, v->n + 1, sizeof *r.items);
	for (size_t i = 0; i < v->n; i++)
		r.items[i] = v->items[i];
	if (v->n == 0)
		r.is = r.rest ? PERHAPS : ABSENT;
	return r;
}

static struct param_value item_of(struct eval *e, const struct shell_value *v, struct str key, bool known)
{
	if (!v->set && !v->maybe)
		return absent_value();
	if (v->kind == VALUE_TEXT)
		return known && str_is(key, "0") ? (v->maybe ? unknown_value() : one_text(v->text)) :
				unknown_value();
	struct param_value any = unknown_value();
	any.likely = v->likely;
	if (!known)
		return any;
	for (size_t i = 0; i < v->n; i++)
		if (str_eq(v->items[i].key, key))
			return v->maybe ? unknown_value() : one_text(v->items[i].text);
	(void)e;
	return v->open || v->maybe ? any : absent_value();
}

static struct param_value variable_value(struct eval *e, const struct syn_param *pm, struct str name)
{
	const struct shell_value *v = var_get(e, name);
	if (pm->subscripted && !pm->all) {
		bool known;
		struct str key = subscript_key(e, v, expand_arith_text(e, pm->subscript), &known);
		/* numbers; the first always exists */
		if (!v && str_is(name, "PIPESTATUS") && e->dialect == DIALECT_BASH)
			return (struct param_value){.text = HOLE_NUMBER,
					.is = known && str_is(key, "0") ? PRESENT : PERHAPS};
		return v ? item_of(e, v, key, known && e->dialect != DIALECT_ZSH) : unknown_value();
	}
	if (!v) {
		struct param_value r = ambient_value(e, name);
		if (pm->all) {
			r.list = r.rest = true;
			r.star = pm->all == '*';
		}
		return r;
	}
	if (!v->set && !v->maybe)
		return pm->all ? (struct param_value){.list = true, .is = ABSENT} : absent_value();
	if (pm->all) {
		if (v->kind != VALUE_TEXT)
			return list_of(e, v, pm->all == '*');
		struct param_value r = {.list = true, .star = pm->all == '*', .rest = v->maybe, .n = 1,
				.is = v->maybe ? PERHAPS : PRESENT};
		r.items = arena_new(e->a, struct item);
		*r.items = (struct item){STR("0"), v->text};
		return r;
	}
	if (v->kind != VALUE_TEXT && e->dialect == DIALECT_ZSH) /* in zsh it means all elements */
		return (struct param_value){.list = true, .rest = true, .is = PERHAPS};
	if (v->kind != VALUE_TEXT)
		return item_of(e, v, STR("0"), true);
	struct param_value r = one_text(v->text);
	r.likely = v->likely;
	r.environment = v->ambient;
	r.may = text_open(v->text) ? v->may : NULL;
	if (r.may && choice_text(e, r.may, &r.text))
		return r;
	if (v->maybe)
		r.is = PERHAPS;
	return r;
}

static struct param_value look_up_param(struct eval *e, const struct syn_param *pm, struct str name)
{
	if (name.n == 0)
		return unknown_value();
	if (name.p[0] >= '1' && name.p[0] <= '9') {
		int64_t k = 0;
		return num_parse(name, 1, 1 << 20, &k) ? absent_value() : positional_value(e, (size_t)k);
	}
	if (ascii_is_digit(name.p[0])) { /* $0, and the unusual ${01} */
		const struct shell_value *zero = str_is(name, "0") ? var_get(e, name) : NULL;
		bool known = zero && zero->set && !zero->maybe && !var_get(e, STR("BASH_ARGV0"));

		return one_text(known ? zero->text : HOLE);
	}
	if (ascii_is_name_start((unsigned char)name.p[0]))
		return variable_value(e, pm, name);
	return special_value(e, name);
}

/*
 * ${!x}: the parameter whose name is the value of x. That value is parsed as syntax again, with subscripts.
 */
static struct param_value look_up_indirect(struct eval *e, const struct syn_param *pm, struct span at)
{
	struct param_value via = look_up_param(e, pm, pm->name);
	struct str name = via.text;
	if (via.list || via.is == ABSENT)
		return unknown_value();
	if (!text_exact(name)) {
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "an indirect expansion of a name that is not known",
				at);
		return unknown_value();
	}
	struct syn_param plain = {.name = name};
	if (name_valid(name) || (name.n == 1 && !ascii_is_name_start((unsigned char)name.p[0])))
		return look_up_param(e, &plain, name);
	struct str source = str_fmt(e->a, "${%.*s}", STR_ARG(name));
	struct parser p;
	uint32_t text = emit_text(e, source, TEXT_FROM(INDIRECTION), at);
	parser_for(e, &p, source, text);
	struct syn_part *parts = NULL;
	may_abort(e); /* an error if the value is no name */
	if (parse_text(&p, IN_DOUBLE, &parts) != PARSE_LINE || p.unsure)
		return unknown_value();
	if (parts && !parts->next && parts->kind == PART_PARAM && !parts->param->op &&
			!parts->param->indirect && !parts->param->length)
		return look_up_param(e, parts->param, parts->param->name); /* a[@] yields a list */
	return one_text(expand_text(e, parts));
}

/* ---- operators on texts ---- */

#define PATTERN_FUEL 20000u

static struct str change_case(struct eval *e, struct str s, enum param_op op)
{
	if (!str_is_ascii(s))
		return HOLE;
	char *to = arena_alloc(e->a, s.n + 1);
	for (size_t i = 0; i < s.n; i++) {
		bool here = i == 0 || op == PARAM_UPPER_ALL || op == PARAM_LOWER_ALL ||
				op == PARAM_TOGGLE_ALL;
		char c = s.p[i];
		bool lower = ascii_is_lower(c), upper = ascii_is_upper(c);
		if (here && lower && (op == PARAM_UPPER || op == PARAM_UPPER_ALL || op == PARAM_TOGGLE ||
				op == PARAM_TOGGLE_ALL))
			c = ascii_to_upper(c);
		else if (here && upper && (op == PARAM_LOWER || op == PARAM_LOWER_ALL || op == PARAM_TOGGLE ||
				op == PARAM_TOGGLE_ALL))
			c = ascii_to_lower(c);
		to[i] = c;
	}
	return str_n(to, s.n);
}

struct operands {
	struct str pattern, replacement;
	struct number_result offset, length;
	bool has_length, has_pattern;
};

static struct str slice_text(struct str s, const struct operands *o)
{
	if (!o->offset.known || (o->has_length && !o->length.known) || !str_is_ascii(s))
		return HOLE;
	int64_t n = (int64_t)s.n, from = o->offset.n < 0 ? o->offset.n + n : o->offset.n;
	if (from < 0 || from > n)
		return (struct str){"", 0};
	int64_t to = n;
	if (o->has_length)
		to = o->length.n < 0 ? n + o->length.n : o->length.n > n - from ? n : from + o->length.n;
	return to <= from ? (struct str){"", 0} : str_sub(s, (size_t)from, (size_t)to);
}

/* Applies an operator to one text. Returns a hole if the text, the pattern or the result is unknown. */
static struct str apply_operation(struct eval *e, enum param_op op, struct str s, const struct operands *o)
{
	unsigned fuel = PATTERN_FUEL;
	struct str r = HOLE;
	if (o->has_pattern && e->dialect == DIALECT_SH && str_contains(o->pattern, STR("[^")))
		return HOLE; /* dash negates only with ! */
	if (o->has_pattern && pattern_extended(o->pattern) && !(e->s.options & OPT_EXTGLOB))
		return HOLE;
	if (!text_exact(s) && op >= PARAM_CUT_HEAD && op <= PARAM_CUT_TAIL_MAX)
		return names_cut(e, op, s, o->pattern);
	if (!text_exact(s) || (o->has_pattern && !(text_exact(o->pattern) && text_exact(o->replacement))))
		return HOLE;
	eval_burn(e, s.n + 1);
	switch (op) {
	case PARAM_CUT_HEAD: case PARAM_CUT_HEAD_MAX: case PARAM_CUT_TAIL: case PARAM_CUT_TAIL_MAX:
		if (pattern_cut(s, o->pattern, op <= PARAM_CUT_HEAD_MAX, op == PARAM_CUT_HEAD_MAX ||
				op == PARAM_CUT_TAIL_MAX, &fuel, &r))
			return HOLE;
		return r;
	case PARAM_REPLACE: case PARAM_REPLACE_ALL: case PARAM_REPLACE_HEAD: case PARAM_REPLACE_TAIL:
		if (pattern_replace(e->a, s, o->pattern, o->replacement, (int)op - PARAM_REPLACE, true, &fuel,
				&r))
			return HOLE;
		return r;
	case PARAM_UPPER: case PARAM_UPPER_ALL: case PARAM_LOWER: case PARAM_LOWER_ALL: case PARAM_TOGGLE:
			case PARAM_TOGGLE_ALL:
		return o->has_pattern && o->pattern.n && !str_is(o->pattern, "?") ? HOLE : change_case(e, s,
				op);
	case PARAM_SLICE:
		return slice_text(s, o);
	default:
		return s;
	}
}

/*
 * Expands the operands even if the value does not need them, because commands in them may run. The
 * replacement is an exact text only without quotes and backslashes, whose meaning depends on the context of
 * the expansion.
 */
static struct operands operands_of(struct eval *e, const struct syn_param *pm)
{
	struct operands o = {.pattern = {"", 0}, .replacement = {"", 0}};
	if (pm->op == PARAM_SLICE) {
		o.offset = eval_arith_parts(e, pm->arg);
		o.has_length = pm->arg2 != NULL;
		if (pm->arg2)
			o.length = eval_arith_parts(e, pm->arg2);
		if (pm->arg2 && (!o.length.known || o.length.n < 0))
			may_abort(e); /* a length that ends before the offset is an error */
		return o;
	}
	if (pm->op < PARAM_CUT_HEAD || pm->op > PARAM_TOGGLE_ALL)
		return o;
	o.has_pattern = true;
	o.pattern = expand_pattern(e, pm->arg);
	for (const struct syn_part *p = pm->arg2; p; p = p->next)
		if (p->kind == PART_QUOTED || p->kind == PART_DOUBLE || str_has(p->text, '\'') ||
				str_has(p->text, '\\') ||
		    (p == pm->arg2 && str_starts(p->text, "~"))) {
			expand_text(e, pm->arg2);
			o.replacement = HOLE;
			return o;
		}
	if (pm->arg2)
		o.replacement = expand_text(e, pm->arg2);
	return o;
}

/* ---- output ---- */

static void put_list(struct eval *e, const struct param_value *v, struct how how, struct chars *out)
{
	enum char_kind kind = how.quoted ? CHAR_QUOTED : CHAR_EXPANDED;
	struct str ifs = param_ifs(e);
	bool joined = v->star && how.quoted;
	/* the treatment of empty elements depends on IFS and on bugs of the shell */
	if (!how.quoted && v->n > 1 && !str_eq(ifs, STR(" \t\n"))) {
		chars_mark(out, CHAR_REST);
		return;
	}
	for (size_t i = 0; i < v->n; i++) {
		if (i && joined)
			chars_add(out, text_exact(ifs) ? str_first(ifs, 1) : HOLE, kind);
		else if (i)
			chars_mark(out, CHAR_BREAK);
		if (v->items[i].text.n == 0 && how.quoted)
			chars_mark(out, CHAR_EMPTY);
		chars_add(out, v->items[i].text, kind);
	}
	if (v->rest && joined)
		chars_add(out, HOLE, kind);
	else if (v->rest)
		chars_mark(out, CHAR_REST);
	if (v->rest)
		chars_hint(out, 1, v->likely);
}

/* True if an unknown part of the value was read as data. */
static bool is_foreign(const struct param_value *v)
{
	if (v->environment)
		return false;
	bool any = v->list ? v->rest : text_open(v->text);
	for (size_t i = 0; i < v->n && !any; i++)
		any = text_open(v->items[i].text);
	return any;
}

static void put_value(struct eval *e, const struct param_value *v, struct how how, struct chars *out)
{
	out->foreign |= is_foreign(v);
	if (v->list) {
		put_list(e, v, how, out);
		return;
	}
	struct str text = v->text;
	/* the environment counts as holding numbers where numbers belong; see SECURITY.md */
	if (how.arith && v->environment)
		text = HOLE_NUMBER;
	chars_add(out, text, how.quoted ? CHAR_QUOTED : CHAR_EXPANDED);
	if (!text_exact(text))
		chars_hint(out, text.n, v->likely);
}

/* Adds the word of ${x:-word}: its own quotes count; its literal text is split like an expansion. */
static void put_word(struct eval *e, const struct syn_part *arg, struct how how, struct chars *out)
{
	how.text = CHAR_EXPANDED;
	bool nested = false; /* nested quotes in a quoted ${x:-...}: bash has quirks there */
	for (const struct syn_part *p = arg; p && how.quoted && arg->next; p = p->next)
		nested |= p->kind == PART_DOUBLE;
	if (nested) {
		expand_text(e, arg);
		chars_add(out, HOLE, CHAR_QUOTED);
		out->foreign = true;
		return;
	}
	for (const struct syn_part *p = arg; p && !how.quoted; p = p->next)
		if (p->kind == PART_TEXT && str_contains(p->text, STR(":~")))
			/* the use of the word decides if that tilde is expanded */
			chars_mark(out, CHAR_REST);
	expand_whole(e, arg, how, false, out);
}

/* True if the text is certainly not empty. */
static bool certainly_filled(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != HOLE_ANY)
			return true;
	return false;
}

/* The variable may now have this word as its value, or still the old value. */
static void perhaps_assigned(struct eval *e, struct str name, const struct chars *word)
{
	bool plain = true; /* one known text, no list or rest */
	for (size_t i = 0; i < word->kinds.n; i++)
		plain &= word->kinds.p[i] <= CHAR_EXPANDED;
	var_set_unknown(e, name);
	assign_effect(e, name, plain ? str_dup(e->a, buf_view(&word->b)) : HOLE, ASSIGN_PLAIN, e->at);
}

/* Uses the word instead of an unknown value if the current choice (choice.c) takes it. */
static bool word_chosen(struct eval *e, const struct syn_param *pm, const struct param_value *v,
		struct how how,
	struct chars *out)
{
	if (v->list || pm->op == PARAM_ERROR || !pm->arg || !choice_word(e, v->may))
		return false;
	size_t from = out->b.n;
	put_word(e, pm->arg, how, out);
	if (pm->op == PARAM_ASSIGN && name_valid(pm->name) && !pm->subscripted) {
		struct str text = str_dup(e->a, str_sub(buf_view(&out->b), from, out->b.n));
		var_set_text(e, pm->name, text);
		assign_effect(e, pm->name, text, ASSIGN_PLAIN, e->at);
	}
	return true;
}

/* With a colon, an empty value counts as absent. */
static enum presence presence_of(const struct syn_param *pm, const struct param_value *v)
{
	bool doubtful = v->list &&
		(v->n == 0 || (v->n == 1 && (v->items[0].text.n == 0 || !text_exact(v->items[0].text))));

	if (!pm->colon || v->is != PRESENT)
		return v->is;
	if (v->list)
		return doubtful ? PERHAPS : PRESENT;
	return v->text.n == 0 ? ABSENT : certainly_filled(v->text) ? PRESENT : PERHAPS;
}

/* ${NAME:=WORD} for an absent variable. */
static void assign_absent(struct eval *e, const struct syn_param *pm, struct how how, struct chars *out)
{
	bool tilde = pm->arg && pm->arg->kind == PART_TEXT && str_has(pm->arg->text, '~');
	struct str text = tilde ? HOLE : expand_text(e, pm->arg);

	var_set_text(e, pm->name, text);
	out->foreign |= text_open(text);
	chars_add(out, text, how.quoted ? CHAR_QUOTED : CHAR_EXPANDED);
	assign_effect(e, pm->name, text, ASSIGN_PLAIN, e->at);
}

/* Both outcomes are possible: lists the commands in the word; the result is unknown. */
static void conditional_unknown(struct eval *e, const struct syn_param *pm, const struct param_value *v,
		enum presence is,
		struct how how, struct chars *out)
{
	bool assigns = pm->op == PARAM_ASSIGN, named = name_valid(pm->name);
	bool once = assigns && is == ABSENT && named && !pm->subscripted;
	struct shell_state before = e->s;
	struct chars unused = {.foreign = false};

	buf_init(&unused.b, e->a, 0);
	buf_init(&unused.kinds, e->a, 0);
	if (!once)
		put_word(e, pm->arg, how, &unused);
	out->foreign |= unused.foreign || is_foreign(v);
	if (is == PERHAPS)
		e->s = state_join(e, &before, &e->s);
	if (once) {
		assign_absent(e, pm, how, out);
		return;
	}
	if (assigns && named)
		perhaps_assigned(e, pm->name, &unused);
	else if (assigns)
		may_abort(e); /* ${1:=x} is an error */
	if (how.arith && v->environment)
		chars_add(out, HOLE_NUMBER, CHAR_QUOTED);
	else if (how.quoted && !v->list)
		chars_add(out, HOLE, CHAR_QUOTED);
	else
		chars_mark(out, CHAR_REST);
}

/* A word that bash does not expand here: lists its commands anyway, and undoes its effects. */
static void list_unused(struct eval *e, const struct syn_part *word)
{
	struct output_sink *keep = e->out, *captured = e->captured;
	struct shell_state before = e->s;

	e->out = e->captured = NULL;
	expand_text(e, word);
	e->out = keep;
	e->captured = captured;
	e->s = before;
}

/* The operators - = ? + */
static void expand_conditional(struct eval *e, const struct syn_param *pm, const struct param_value *v,
		struct how how,
		struct chars *out)
{
	enum presence is = presence_of(pm, v);

	if (is == PERHAPS && word_chosen(e, pm, v, how, out))
		return;
	if (is == PERHAPS || (pm->op == PARAM_ASSIGN && is != PRESENT)) {
		conditional_unknown(e, pm, v, is, how, out);
		return;
	}
	if (pm->op == PARAM_ALTERNATE ? is == PRESENT : is == ABSENT) {
		if (pm->op != PARAM_ERROR) {
			put_word(e, pm->arg, how, out);
			return;
		}
		expand_text(e, pm->arg); /* prints the word and exits */
		chars_add(out, HOLE, how.quoted ? CHAR_QUOTED : CHAR_EXPANDED);
		return;
	}
	if (pm->op == PARAM_ALTERNATE)
		return; /* absent: expands to nothing */
	if (pm->arg)
		list_unused(e, pm->arg);
	put_value(e, v, how, out);
}

static struct param_value length_of(struct eval *e, const struct param_value *v)
{
	if (v->list)
		return one_text(v->rest ? HOLE_NUMBER : str_fmt(e->a, "%zu", v->n));
	if (!text_exact(v->text) || v->is == PERHAPS || !str_is_ascii(v->text))
		return one_text(HOLE_NUMBER);
	return one_text(str_fmt(e->a, "%zu", v->text.n));
}

static void slice_list(struct eval *e, const struct syn_param *pm, struct param_value *v,
		const struct operands *o)
{
	bool args = str_is_any(pm->name, "@ *");
	bool gaps = false; /* slicing an array counts indexes, not positions */
	for (size_t i = 0; i < v->n && !args; i++)
		gaps |= !str_eq(v->items[i].key, str_fmt(e->a, "%zu", i));
	if (gaps || v->rest || !o->offset.known || (o->has_length && !o->length.known) || o->offset.n < 0 ||
			(args && o->offset.n == 0) ||
	    (o->has_length && o->length.n < 0)) {
		v->n = 0;
		v->rest = true;
		return;
	}
	uint64_t from = (uint64_t)o->offset.n - (args ? 1 : 0), n = v->n; /* $@ counts from 1 (0 is $0) */
	if (from > n)
		from = n;
	uint64_t len = o->has_length && (uint64_t)o->length.n < n - from ? (uint64_t)o->length.n : n - from;
	v->items += from;
	v->n = len;
}

static void keys_of(struct param_value *v)
{
	for (size_t i = 0; i < v->n; i++)
		v->items[i].text = v->items[i].key;
}

/* ${x@P} expands the value as a prompt, in which commands run. */
static void expand_prompt(struct eval *e, const struct param_value *v, struct span at)
{
	if (v->list || !text_exact(v->text)) {
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a prompt expansion of a text that is not known", at);
		return;
	}
	assign_effect(e, STR("PS4"), v->text, ASSIGN_PLAIN, at);
}

void expand_param(struct eval *e, const struct syn_param *pm, struct how how, struct chars *out,
		struct span at)
{
	eval_burn(e, 1);
	if (pm->unknown || pm->op == PARAM_ERROR)
		out_spoil(e); /* the script may end here */
	if (pm->unknown || pm->op == PARAM_NAMES) {
		out->foreign = true;
		if (pm->arg)
			expand_text(e, pm->arg);
		chars_mark(out, CHAR_REST);
		return;
	}
	if (e->dialect == DIALECT_SH && pm->op != PARAM_PLAIN &&
			str_is_any(pm->name, "@ *")) {
		/* the results of dash are not modelled here */
		if (pm->arg)
			expand_text(e, pm->arg);
		chars_mark(out, CHAR_REST);
		out->foreign = true;
		return;
	}
	struct param_value v = pm->indirect ? look_up_indirect(e, pm, at) : look_up_param(e, pm, pm->name);
	if (pm->length) {
		v = length_of(e, &v);
	} else if (pm->op >= PARAM_DEFAULT && pm->op <= PARAM_ALTERNATE) {
		expand_conditional(e, pm, &v, how, out);
		return;
	} else if (pm->op == PARAM_TRANSFORM) {
		if (pm->letter == 'P')
			expand_prompt(e, &v, at);
		v = v.list ? (struct param_value){.list = true, .rest = true, .star = v.star} :
				unknown_value();
	} else if (pm->op == PARAM_KEYS) {
		keys_of(&v);
	} else if (pm->op != PARAM_PLAIN) {
		struct operands o = operands_of(e, pm);
		out->foreign |= text_open(o.replacement);
		if (v.list && pm->op == PARAM_SLICE)
			slice_list(e, pm, &v, &o);
		for (size_t i = 0; i < v.n && pm->op != PARAM_SLICE; i++)
			v.items[i].text = apply_operation(e, pm->op, v.items[i].text, &o);
		if (!v.list && v.is != ABSENT)
			v.text = v.is == PRESENT ? apply_operation(e, pm->op, v.text, &o) : HOLE;
	}
	put_value(e, &v, how, out);
}
