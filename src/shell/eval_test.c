/* Arithmetic and tests: (( )), let, subscripts, [[ ]], test and [. */
#include "base/num.h"
#include "shell/arith.h"
#include "shell/marks.h"
#include "shell/pattern.h"

/* ---- arithmetic ---- */

#define ARITH_FUEL 20000u

/*
 * Expands a subscript's text once more, as bash does for subscripts in values ("a[$(cmd)]"). That is how data
 * can run commands.
 */
static struct str expand_again(struct eval *e, struct str text)
{
	if (!str_has(text, '$') && !str_has(text, '`'))
		return text;
	emit_mark(e, MARK_ARITHMETIC_CODE, e->at);
	if (!text_exact(text)) {
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a subscript that is not known is expanded", e->at);
		return HOLE_NUMBER;
	}
	uint32_t index = emit_text(e, text, TEXT_FROM(SUBSCRIPT), e->at);
	struct parser p;
	parser_for(e, &p, text, index);
	struct syn_part *parts = NULL;
	if (parse_text(&p, IN_ARITH, &parts) != PARSE_LINE || p.unsure || p.alias_found) {
		emit_trouble(e, TROUBLE_CONSTRUCT, "a subscript that cannot be read", e->at);
		return HOLE_NUMBER;
	}
	marks_parts(e, index, parts);
	return expand_arith_text(e, parts);
}

struct str subscript_key(struct eval *e, const struct shell_value *v, struct str text, bool *ret_known)
{
	if (v && v->kind == VALUE_MAP) { /* quotes around a key are removed */
		text = expand_again(e, text);
		if (text.n >= 2 && (text.p[0] == '"' || text.p[0] == '\'') && text.p[text.n - 1] == text.p[0])
			text = str_sub(text, 1, text.n - 1);
		if (!(text.n && text_exact(text)))
			may_abort(e); /* an empty key is an error */
		*ret_known = text_exact(text) && !str_has(text, '\'') &&
				!str_has(text, '"') && !str_has(text, '\\');
		return text;
	}
	struct number_result r = eval_arith(e, text);
	*ret_known = r.known && r.n >= 0;
	if (!r.known || r.n < 0) /* a negative index may be out of range */
		may_abort(e);
	return r.known ? str_fmt(e->a, "%lld", (long long)r.n) : HOLE_NUMBER;
}

struct arith_context {
	struct eval *e;
	struct arith *ar;
};

static struct str arith_get(void *ctx, struct str name, const struct str *sub)
{
	struct arith_context *cx = ctx;
	struct eval *e = cx->e;
	const struct shell_value *v = var_get(e, name);
	if (sub) {
		bool known;
		struct str key = subscript_key(e, v, expand_again(e, *sub), &known);
		if (!(v && v->kind == VALUE_MAP))
			/* an assignment by the same operator does not expand it again */
			cx->ar->resolved = key;
		if (!v)
			return HOLE_NUMBER;
		for (size_t i = 0; known && i < v->n; i++)
			if (str_eq(v->items[i].key, key))
				return v->items[i].text;
		return v->open || v->maybe || !known ? HOLE : (struct str){"", 0};
	}
	if (!v)
		return HOLE_NUMBER; /* the environment's value counts as a number; see SECURITY.md */
	if (v->kind != VALUE_TEXT) {
		for (size_t i = 0; i < v->n; i++)
			if (str_is(v->items[i].key, "0"))
				return v->items[i].text;
		return v->open ? HOLE : (struct str){"", 0};
	}
	if (v->ambient && v->set)
		return HOLE_NUMBER;
	return v->set ? v->text : (struct str){"", 0};
}

static void arith_set(void *ctx, struct str name, const struct str *sub, struct str value)
{
	struct arith_context *cx = ctx;
	struct eval *e = cx->e;
	assign_effect(e, name, value, ASSIGN_PLAIN, e->at);
	if (!sub) {
		var_set_text(e, name, value);
		return;
	}
	bool known;
	struct str key = subscript_key(e, var_get(e, name), cx->ar->again ? *sub : expand_again(e, *sub),
			&known);
	var_set_item(e, name, key, known, value, false);
}

struct number_result eval_arith(struct eval *e, struct str text)
{
	unsigned fuel = ARITH_FUEL + (unsigned)(text.n < 1u << 24 ? text.n * 4 : 1u << 26);
	eval_enter(e);
	eval_burn(e, text.n + 1);
	struct arith ar = {.a = e->a, .fuel = &fuel, .get = arith_get, .set = arith_set};
	struct arith_context cx = {e, &ar};
	ar.ctx = &cx;
	struct shell_state before = e->s;
	struct number n = arith_eval(&ar, text);
	/* dash reads two signs */
	if (e->dialect == DIALECT_SH && (str_contains(text, STR("++")) || str_contains(text, STR("--")))) {
		e->s = state_join(e, &before, &e->s);
		n.known = false;
	}
	if (ar.opaque)
		emit_mark(e, MARK_ARITHMETIC_CODE, e->at);
	if (ar.opaque || fuel == 0)
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "arithmetic on a text that is not known", e->at);
	if (ar.may_fail)
		may_abort(e);
	eval_exit(e);
	return (struct number_result){n.known && !ar.opaque && !ar.error, n.n};
}

struct number_result eval_arith_parts(struct eval *e, const struct syn_part *parts)
{
	return eval_arith(e, expand_arith_text(e, parts));
}

/* ---- variables named at run time ---- */

bool var_reference(struct eval *e, struct str ref, struct str *ret_name, bool *ret_sub, struct str *ret_key,
		bool *ret_key_known)
{
	*ret_sub = false;
	ptrdiff_t open = str_find(ref, '[', 0);
	if (open < 0) {
		*ret_name = ref;
		return name_valid(ref);
	}
	struct str name = str_first(ref, (size_t)open), sub = str_from(ref, (size_t)open + 1);
	if (sub.n && sub.p[sub.n - 1] == ']')
		sub.n--;
	bool known = text_exact(name) && name_valid(name);
	*ret_name = name;
	*ret_sub = true;
	if (!text_exact(sub)) {
		if (text_open(sub))
			emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a subscript that is not known is evaluated",
					e->at);
		*ret_key = HOLE;
		*ret_key_known = false;
		return known;
	}
	if (str_is_any(sub, "@ *")) {
		*ret_key_known = false;
		*ret_key = HOLE;
		return known;
	}
	*ret_key = subscript_key(e, var_get(e, name), expand_again(e, sub), ret_key_known);
	return known;
}

void var_assign_reference(struct eval *e, struct str ref, struct str text, bool append)
{
	struct str name, key = HOLE;
	bool sub, known = false;
	if (!text_exact(ref) || !var_reference(e, ref, &name, &sub, &key, &known)) {
		if (!text_exact(ref))
			emit_trouble(e, TROUBLE_OPAQUE_SCRIPT,
					"a variable whose name is not known is assigned", e->at);
		state_forget_vars(e);
		return;
	}
	if (sub) {
		var_set_item(e, name, key, known, text, append);
	} else {
		const struct shell_value *old = var_get(e, name);
		if (append)
			text = value_appended(e, old, text);
		var_set_text(e, name, text);
	}
	assign_effect(e, name, text, ASSIGN_PLAIN, e->at);
}

/* ---- [[ ]] ---- */

static int number_test(struct str op, int64_t a, int64_t b)
{
	bool r = str_is(op, "-eq") ? a == b : str_is(op, "-ne") ? a != b : str_is(op, "-lt") ? a < b
		: str_is(op, "-le") ? a <= b : str_is(op, "-gt") ? a > b : a >= b;
	return r ? 0 : 1;
}

static bool number_op(struct str op)
{
	if (str_is_any(op, "-eq -ne -lt -le -gt -ge"))
			return true;
	return false;
}

static int empty_test(struct str s, bool wants_empty)
{
	if (s.n == 0)
		return wants_empty ? 0 : 1;
	return text_exact(s) ? (wants_empty ? 1 : 0) : -1;
}

static void test_variable(struct eval *e, struct str ref)
{
	struct str name, key;
	bool sub, known;
	if (!text_exact(ref))
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a variable whose name is not known is tested", e->at);
	else
		var_reference(e, ref, &name, &sub, &key, &known);
}

/* Operators on a file name, and between two of them. */
#define FILE_TESTS "-a -b -c -d -e -f -g -h -k -p -r -s -u -w -x -G -L -N -O -S"
#define FILE_COMPARISONS "-nt -ot -ef"

static int unary_test(struct eval *e, struct str op, struct str a)
{
	if (str_is_any(op, "-z -n"))
		return empty_test(a, str_is(op, "-z"));
	if (str_is_any(op, "-v -R"))
		test_variable(e, a);
	else if (str_is_any(op, FILE_TESTS))
		emit_look(e, word_of(a, e->at));
	return -1;
}

static int binary_cond(struct eval *e, const struct syn_test *t)
{
	if (number_op(t->op)) {
		struct str a = expand_arith_text(e, t->a->parts), b = expand_arith_text(e, t->b->parts);
		struct number_result x = eval_arith(e, a), y = eval_arith(e, b);
		return x.known && y.known ? number_test(t->op, x.n, y.n) : -1;
	}
	struct str a = expand_unsplit(e, t->a);
	if (str_is(t->op, "=~")) {
		expand_pattern(e, t->b->parts);
		var_set_unknown(e, STR("BASH_REMATCH"));
		return -1;
	}
	if (t->op.p[t->op.n - 1] != '=') {
		struct str b = expand_unsplit(e, t->b);
		if (str_is_any(t->op, FILE_COMPARISONS)) {
			emit_look(e, word_of(a, e->at));
			emit_look(e, word_of(b, e->at));
		}
		return -1;
	}
	struct str pattern = expand_pattern(e, t->b->parts);
	unsigned fuel = 20000;
	if (!text_exact(a) || !text_exact(pattern))
		return -1;
	int m = pattern_match(pattern, a, &fuel);
	if (m < 0)
		return -1;
	return (m == 1) == !str_is(t->op, "!=") ? 0 : 1;
}

static int leaf_cond(struct eval *e, const struct syn_test *t)
{
	switch (t->kind) {
	case TEST_NOT: {
		eval_enter(e);
		int r = eval_test(e, t->left);
		eval_exit(e);
		return r < 0 ? r : 1 - r;
	}
	case TEST_UNARY: return unary_test(e, t->op, expand_unsplit(e, t->a));
	case TEST_WORD: return empty_test(expand_unsplit(e, t->a), false);
	default: return binary_cond(e, t);
	}
}

/*
 * Chains are left-deep and may be long, so a loop walks them. Every operand is evaluated; only the first is
 * certain to be.
 */
int eval_test(struct eval *e, const struct syn_test *t)
{
	if (t->kind != TEST_AND && t->kind != TEST_OR)
		return leaf_cond(e, t);
	eval_enter(e);
	size_t n = 0;
	for (const struct syn_test *k = t; k->kind == TEST_AND || k->kind == TEST_OR; k = k->left)
		n++;
	const struct syn_test **rights = arena_array(e->a, n, sizeof *rights);
	size_t i = n;
	for (; t->kind == TEST_AND || t->kind == TEST_OR; t = t->left)
		rights[--i] = t->right;
	eval_test(e, t);
	for (i = 0; i < n; i++) {
		struct shell_state before = e->s;
		eval_test(e, rights[i]);
		e->s = state_join(e, &before, &e->s);
	}
	eval_exit(e);
	return -1;
}

/* ---- test and [ ---- */

static int plain_compare(struct eval *e, struct str a, struct str op, struct str b)
{
	int64_t x, y;
	if (!text_exact(a) || !text_exact(op) || !text_exact(b))
		return -1;
	if (str_is(op, "=") || (str_is(op, "==") && e->dialect != DIALECT_SH))
		return str_eq(a, b) ? 0 : 1;
	if (str_is(op, "!="))
		return str_eq(a, b) ? 1 : 0;
	if (number_op(op) && !num_parse(a, INT64_MIN, INT64_MAX, &x) && !num_parse(b, INT64_MIN, INT64_MAX,
			&y))
		return number_test(op, x, y);
	return -1;
}

static void look_at_files(struct eval *e, const struct word *argv, size_t argc)
{
	for (size_t i = 0; i + 1 < argc; i++) {
		bool two = i && str_is_any(argv[i].text, FILE_COMPARISONS);

		if (two)
			emit_look(e, argv[i - 1]);
		if (two || str_is_any(argv[i].text, FILE_TESTS))
			emit_look(e, argv[i + 1]);
	}
}

int test_command(struct eval *e, const struct word *argv, size_t argc)
{
	look_at_files(e, argv, argc);
	for (size_t i = 0; i < argc; i++) {
		bool may_be_v = argv[i].kind != WORD_EXACT || str_is_any(argv[i].text, "-v -R");
		if (argv[i].kind == WORD_EXACT && may_be_v && i + 1 < argc && e->dialect != DIALECT_SH)
			test_variable(e, argv[i + 1].kind == WORD_REST ? HOLE : argv[i + 1].text);
		if (argv[i].kind == WORD_REST && !argv[i].glob && !argv[i].ambient &&
				e->dialect != DIALECT_SH)
			emit_trouble(e, TROUBLE_OPAQUE_SCRIPT,
					"an unquoted text that is not known is given to test, where -v "
					"evaluates it", argv[i].at);
		if (argv[i].kind == WORD_REST)
			return -1;
	}
	if (argc == 0)
		return 1;
	if (argc == 1)
		return empty_test(argv[0].text, false);
	if (argc == 2 && argv[0].kind == WORD_EXACT &&
			str_is_any(argv[0].text, "-z -n"))
		return empty_test(argv[1].text, str_is(argv[0].text, "-z"));
	if (argc == 3)
		return plain_compare(e, argv[0].text, argv[1].text, argv[2].text);
	return -1;
}
