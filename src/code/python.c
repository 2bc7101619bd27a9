/*
 * The second pass over Python code. Visits every expression once. Passes calls to python_call.c with the
 * possible values of their arguments, and counts every mention without a call as an escape (python.h explains
 * the idea).
 */
#include <stdlib.h>

#include "code/python.h"

static void visit_node(struct python *p, TSNode n, const struct py_scope *sc);

typedef void node_visitor(struct python *p, TSNode n, const struct py_scope *sc);

static void visit_children(struct python *p, TSNode n, const struct py_scope *sc, node_visitor *visit)
{
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);

	for (uint32_t i = 0; i < count; i++)
		visit(p, kids[i], sc);
}

static void visit_all(struct python *p, TSNode n, const struct py_scope *sc)
{
	visit_children(p, n, sc, visit_node);
}

/* ---- names and attributes ---- */

static void visit_identifier(struct python *p, TSNode n, const struct py_scope *sc)
{
	py_escape(p, py_eval(p, n, sc), n);
}

/* Visits the object before a dot: a module does not escape there. */
static void visit_receiver(struct python *p, TSNode n, const struct py_scope *sc);
static void visit_tracked(struct python *p, TSNode n, const struct py_scope *sc);
static void visit_call(struct python *p, TSNode n, const struct py_scope *sc);

/* Checks the attribute on each possible value of its object. args: arguments of the call, or NULL. */
static void check_attribute(struct python *p, TSNode n, const struct py_scope *sc, const struct py_args *args)
{
	const struct pvs *of = py_eval(p, node_field(n, "object"), sc);
	struct str attr;
	bool dunder;

	if (!py_identifier(p, node_text(p->w, node_field(n, "attribute")), &attr))
		return; /* the first pass has added a marker */
	dunder = str_starts(attr, "__") && str_ends(attr, "__");
	if (of->cycle || !of->n)
		py_unknown_attribute(p, attr, args, n);
	for (size_t i = 0; i < of->n; i++)
		if (of->v[i]->kind == PV_UNKNOWN || of->v[i]->kind == PV_LOST || dunder)
			py_unknown_attribute(p, attr, args, n);
}

static void visit_attribute(struct python *p, TSNode n, const struct py_scope *sc)
{
	visit_receiver(p, node_field(n, "object"), sc);
	check_attribute(p, n, sc, NULL);
	py_escape(p, py_eval(p, n, sc), n);
}

static void visit_receiver(struct python *p, TSNode n, const struct py_scope *sc)
{
	if (node_is(n, "identifier") || !walk_enter(p->w, n))
		return;
	if (node_is(n, "attribute")) {
		visit_receiver(p, node_field(n, "object"), sc);
		check_attribute(p, n, sc, NULL);
	} else if (node_is(n, "parenthesized_expression")) {
		visit_receiver(p, ts_node_named_child(n, 0), sc);
	} else {
		visit_tracked(p, n, sc);
	}
	walk_exit(p->w);
}

/* Visits an expression whose value stays tracked, because it is assigned to a plain name. */
static void visit_tracked(struct python *p, TSNode n, const struct py_scope *sc)
{
	uint32_t count;
	TSNode *kids;

	if (node_is(n, "identifier") || node_is(n, "attribute")) {
		visit_receiver(p, n, sc);
	} else if (node_is(n, "conditional_expression") || node_is(n, "boolean_operator") ||
			node_is(n, "parenthesized_expression")) {
		kids = py_children(p, n, &count);
		for (uint32_t i = 0; i < count && walk_enter(p->w, kids[i]); i++) {
			visit_tracked(p, kids[i], sc);
			walk_exit(p->w);
		}
	} else if (node_is(n, "named_expression") && sc->kind != SCOPE_CLASS) {
		visit_tracked(p, node_field(n, "value"), sc);
	} else if (node_is(n, "call")) {
		if (walk_enter(p->w, n)) {
			visit_call(p, n, sc);
			walk_exit(p->w);
		}
	} else {
		visit_node(p, n, sc);
	}
}

/* ---- calls ---- */

/* True for functions that inspect a module and keep no reference to it. */
static bool looks_only(const struct pvs *callee, bool classes)
{
	static const char names[][20] = {"dir", "getattr", "hasattr", "help", "id", "isinstance", "print",
			"repr", "str", "type", "inspect.getsource", "inspect.getdoc", "inspect.getfile",
			"importlib.reload"};
	bool found = callee->n > 0;

	for (size_t i = 0; i < callee->n; i++) {
		if (classes && callee->v[i]->kind == PV_NAME && str_is(callee->v[i]->text, "isinstance"))
			return false; /* a class of the code may decide the result */
		size_t k = 0;

		while (k < ARRAY_SIZE(names) &&
				!(callee->v[i]->kind == PV_NAME && str_is(callee->v[i]->text, names[k])))
			k++;
		found &= k < ARRAY_SIZE(names);
	}
	return found;
}

static void visit_arguments(struct python *p, TSNode list, const struct py_scope *sc, bool looks)
{
	uint32_t count;
	TSNode *kids;

	if (!node_is(list, "argument_list")) {
		visit_node(p, list, sc);
		return;
	}
	kids = py_children(p, list, &count);
	for (uint32_t i = 0; i < count; i++) {
		TSNode v = node_is(kids[i], "keyword_argument") ? node_field(kids[i], "value") : kids[i];

		if (looks)
			visit_tracked(p, v, sc);
		else
			visit_node(p, v, sc);
	}
}

/* Visits a call whose value is not tracked any further. */
static void visit_value(struct python *p, TSNode n, const struct py_scope *sc)
{
	const struct pvs *v = py_eval(p, n, sc);

	visit_call(p, n, sc);
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i]->kind == PV_NAME || v->v[i]->kind == PV_METHOD || v->v[i]->kind == PV_LOST)
			py_escape(p, pvs_one(p, v->v[i]), n);
}

static bool is_dotted_text(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!(ascii_is_name(c) || c == '.'))
			return false;
	}
	return s.n && s.n <= 200;
}

static void visit_call(struct python *p, TSNode n, const struct py_scope *sc)
{
	TSNode function = node_field(n, "function"), list = node_field(n, "arguments");
	const struct pvs *callee = py_eval(p, function, sc);
	struct py_args args;

	py_args_eval(p, list, sc, &args);
	if (node_is(function, "attribute")) {
		visit_receiver(p, node_field(function, "object"), sc);
		check_attribute(p, function, sc, &args);
	} else if (!node_is(function, "identifier")) {
		visit_tracked(p, function, sc);
	}
	visit_arguments(p, list, sc, looks_only(callee, p->classes));
	for (size_t i = 0; i < callee->n; i++) {
		struct pv v = *callee->v[i];

		if ((v.kind == PV_UNKNOWN || v.kind == PV_USER) && is_dotted_text(node_text(p->w, function)))
			/* a rule may name the function as the code spells it */
			v.text = node_text(p->w, function);
		py_call(p, &v, &args, n);
	}
	if (callee->cycle)
		py_call(p, p->lost, &args, n);
}

/* ---- statements ---- */

static void stored_item(struct python *p, TSNode target, const struct pvs *value, const struct py_scope *sc);

static void visit_item_target(struct python *p, TSNode n, const struct py_scope *sc)
{
	visit_receiver(p, node_field(n, "value"), sc);
	visit_node(p, node_field(n, "subscript"), sc);
}

static void visit_target(struct python *p, TSNode n, const struct py_scope *sc)
{
	uint32_t count;
	TSNode *kids;

	if (node_is(n, "identifier"))
		return;
	if (node_is(n, "attribute")) {
		struct str attr;

		visit_receiver(p, node_field(n, "object"), sc);
		if (py_identifier(p, node_text(p->w, node_field(n, "attribute")), &attr))
			py_store(p, py_eval(p, node_field(n, "object"), sc), attr, n);
		return;
	}
	if (node_is(n, "subscript")) {
		visit_item_target(p, n, sc);
		stored_item(p, n, pvs_one(p, p->unknown), sc);
		return;
	}
	if (!walk_enter(p->w, n))
		return;
	kids = py_children(p, n, &count);
	for (uint32_t i = 0; i < count; i++)
		visit_target(p, kids[i], sc);
	walk_exit(p->w);
}

/* Handles os.environ["X"] = value, sys.modules["x"] = value and sys.path[0] = value. */
static void stored_item(struct python *p, TSNode target, const struct pvs *value, const struct py_scope *sc)
{
	const struct pvs *of = node_is(target, "subscript") ? py_eval(p, node_field(target, "value"), sc) :
			NULL;

	for (size_t i = 0; of && i < of->n; i++) {
		if (of->v[i]->kind != PV_NAME)
			continue;
		if (py_is_environment(of->v[i]))
			py_environ(p, py_eval(p, node_field(target, "subscript"), sc), value, target);
		else if (str_is(of->v[i]->text, "sys.path"))
			code_access(p->w, ACCESS_EXEC, CODE_HOLE, true, "sys.path", target);
		else
			code_marker_add(p->w, MARKER_SETATTR, target);
	}
}

static bool is_name_target(TSNode n)
{
	uint32_t count = ts_node_named_child_count(n);

	if (node_is(n, "identifier"))
		return true;
	if (!node_is(n, "pattern_list") && !node_is(n, "tuple_pattern"))
		return false;
	for (uint32_t i = 0; i < count && i < PY_ITEMS_MAX; i++)
		if (!node_is(ts_node_named_child(n, i), "identifier"))
			return false;
	return count <= PY_ITEMS_MAX;
}

/* True for a, b = x, y with equal lengths: each value stays tracked. */
static bool stays_known(TSNode left, TSNode right)
{
	return is_name_target(left) && !node_is(left, "identifier") &&
			(node_is(right, "tuple") || node_is(right, "expression_list")) &&
			ts_node_named_child_count(left) == ts_node_named_child_count(right);
}

static void visit_each_tracked(struct python *p, TSNode n, const struct py_scope *sc)
{
	visit_children(p, n, sc, visit_tracked);
}

static void visit_assignment(struct python *p, TSNode n, const struct py_scope *sc)
{
	TSNode left = node_field(n, "left"), right = node_field(n, "right"), type = node_field(n, "type");

	if (node_is(left, "subscript"))
		visit_item_target(p, left, sc);
	else
		visit_target(p, left, sc);
	if (!ts_node_is_null(type))
		visit_node(p, type, sc);
	if (ts_node_is_null(right))
		return;
	stored_item(p, left, py_eval(p, right, sc), sc);
	if (sc->kind == SCOPE_CLASS) /* the names are also attributes of the class */
		visit_node(p, right, sc);
	else if (node_is(left, "identifier") && !node_is(right, "tuple") &&
			!node_is(right, "expression_list"))
		visit_tracked(p, right, sc);
	else if (stays_known(left, right))
		visit_each_tracked(p, right, sc);
	else
		visit_node(p, right, sc);
	if (node_is(right, "assignment") && !is_name_target(left)) {
		while (node_is(right, "assignment"))
			right = node_field(right, "right");
		py_escape(p, py_eval(p, right, sc), right);
	}
}

/* `x is y` calls no code. Other comparisons may call a method of the code, which gets the other operand. */
static void visit_comparison(struct python *p, TSNode n, const struct py_scope *sc)
{
	struct str op = node_text(p->w, node_field(n, "operators"));

	if (!p->classes || str_is(op, "is") || str_is(op, "is not"))
		visit_each_tracked(p, n, sc);
	else
		visit_all(p, n, sc);
}

static void visit_augmented(struct python *p, TSNode n, const struct py_scope *sc)
{
	TSNode left = node_field(n, "left");

	visit_target(p, left, sc);
	if (node_is(left, "attribute") || node_is(left, "identifier")) {
		const struct pvs *of = py_eval(p, left, sc);

		for (size_t i = 0; i < of->n; i++)
			if (py_is_environment(of->v[i])) /* |= */
				code_marker_add(p->w, MARKER_ENVIRON, n);
			else if (of->v[i]->kind == PV_NAME && str_is(of->v[i]->text, "sys.path"))
				code_access(p->w, ACCESS_EXEC, CODE_HOLE, true, "sys.path", n);
	}
	if (p->classes && (node_is(left, "attribute") || node_is(left, "identifier")))
		py_escape(p, py_eval(p, left, sc), n); /* an operator method of the right side may get it */
	visit_node(p, node_field(n, "right"), sc);
}

static void visit_named(struct python *p, TSNode n, const struct py_scope *sc)
{
	visit_node(p, node_field(n, "value"), sc);
}
static void visit_nothing(struct python *p, TSNode n, const struct py_scope *sc)
{
	(void)p, (void)n, (void)sc;
}

static void visit_for(struct python *p, TSNode n, const struct py_scope *sc)
{
	TSNode left = node_field(n, "left");
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);

	for (uint32_t i = 0; i < count; i++)
		if (kids[i].id == left.id)
			visit_target(p, left, sc);
		else
			visit_node(p, kids[i], sc->first && sc->first == kids[i].id ? sc->parent : sc);
}

static void visit_as(struct python *p, TSNode n, const struct py_scope *sc)
{
	TSNode alias = node_field(n, "alias");

	visit_node(p, ts_node_named_child(n, 0), sc);
	if (!ts_node_is_null(alias))
		visit_target(p, alias, sc);
}

static void visit_except(struct python *p, TSNode n, const struct py_scope *sc)
{
	TSNode alias = node_field(n, "alias");
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);

	for (uint32_t i = 0; i < count; i++)
		if (ts_node_is_null(alias) || kids[i].id != alias.id)
			visit_node(p, kids[i], sc);
}

static void visit_delete(struct python *p, TSNode n, const struct py_scope *sc)
{
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);

	for (uint32_t i = 0; i < count; i++) {
		const struct pvs *of = node_is(kids[i], "subscript") ? py_eval(p,
				node_field(kids[i], "value"), sc) : NULL;

		if (of && of->n == 1 && py_is_environment(of->v[0])) {
			visit_item_target(p, kids[i], sc);
			py_environ_less(p, py_eval(p, node_field(kids[i], "subscript"), sc), kids[i]);
		} else {
			visit_target(p, kids[i], sc);
		}
	}
}

static void visit_parameters(struct python *p, TSNode list, const struct py_scope *sc)
{
	uint32_t count;
	TSNode *kids = ts_node_is_null(list) ? NULL : py_children(p, list, &count);

	for (uint32_t i = 0; kids && i < count; i++) {
		TSNode value = node_field(kids[i], "value"), type = node_field(kids[i], "type");

		if (!ts_node_is_null(value))
			visit_node(p, value, sc);
		if (!ts_node_is_null(type))
			visit_node(p, type, sc);
	}
}

static void visit_function(struct python *p, TSNode n, const struct py_scope *sc)
{
	TSNode type = node_field(n, "return_type");

	visit_node(p, node_field(n, "type_parameters"), sc);
	visit_parameters(p, node_field(n, "parameters"), sc);
	if (!ts_node_is_null(type))
		visit_node(p, type, sc);
	visit_node(p, node_field(n, "body"), py_scope_of(p, n, sc));
}

static void visit_class(struct python *p, TSNode n, const struct py_scope *sc)
{
	TSNode bases = node_field(n, "superclasses");

	visit_node(p, node_field(n, "type_parameters"), sc);
	if (!ts_node_is_null(bases))
		visit_node(p, bases, sc);
	visit_node(p, node_field(n, "body"), py_scope_of(p, n, sc));
}

static void visit_comprehension(struct python *p, TSNode n, const struct py_scope *sc)
{
	visit_all(p, n, py_scope_of(p, n, sc));
}

/*
 * case C(name=x) reads an attribute. case C(x) reads one that the class chooses, from any object that the
 * class accepts.
 */
static void visit_pattern(struct python *p, TSNode n, const struct py_scope *sc)
{
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);
	struct str name;

	if (node_is(n, "keyword_pattern") && count && py_identifier(p, node_text(p->w, kids[0]), &name))
		py_unknown_attribute(p, name, NULL, n);
	if (p->steers && node_is(n, "class_pattern"))
		code_marker_add(p->w, MARKER_GETATTR, n);
	for (uint32_t i = 0; i < count && walk_enter(p->w, kids[i]); i++) {
		visit_pattern(p, kids[i], sc);
		walk_exit(p->w);
	}
}

static void visit_exec(struct python *p, TSNode n, const struct py_scope *sc)
{
	(void)sc;
	code_marker_add(p->w, MARKER_EXEC, n);
}


static void visit_subscript(struct python *p, TSNode n, const struct py_scope *sc)
{
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);
	const struct pvs *of = py_eval(p, node_field(n, "value"), sc);
	bool plain = !p->classes || (of->n == 1 && of->v[0]->kind == PV_NAME);

	for (uint32_t i = 0; i < count; i++)
		if (i && plain)
			visit_tracked(p, kids[i], sc);
		else
			visit_node(p, kids[i], sc);
}

static const struct {
	const char *type;
	void (*visit)(struct python *, TSNode, const struct py_scope *);
} kinds[] = {
	{"as_pattern", visit_as}, {"assignment", visit_assignment}, {"attribute", visit_attribute},
	{"augmented_assignment", visit_augmented}, {"call", visit_value}, {"case_pattern", visit_pattern},
	{"class_definition", visit_class}, {"comment", visit_nothing},
	{"comparison_operator", visit_comparison}, {"delete_statement", visit_delete},
	{"dictionary_comprehension", visit_comprehension}, {"except_clause", visit_except},
	{"exec_statement", visit_exec}, {"expression_statement", visit_each_tracked},
	{"for_in_clause", visit_for}, {"for_statement", visit_for}, {"function_definition", visit_function},
	{"future_import_statement", visit_nothing},
	{"generator_expression", visit_comprehension}, {"global_statement", visit_nothing},
	{"identifier", visit_identifier}, {"import_from_statement", visit_nothing},
	{"import_statement", visit_nothing},
	{"interpolation", visit_each_tracked}, {"keyword_argument", visit_named},
	{"lambda", visit_function}, {"list_comprehension", visit_comprehension},
	{"named_expression", visit_named},
	{"nonlocal_statement", visit_nothing}, {"set_comprehension", visit_comprehension},
	{"string_content", visit_nothing}, {"subscript", visit_subscript},
};

static void visit_node(struct python *p, TSNode n, const struct py_scope *sc)
{
	const void *hit;

	if (ts_node_is_null(n) || !walk_enter(p->w, n))
		return;
	hit = bsearch(ts_node_type(n), kinds, ARRAY_SIZE(kinds), sizeof(*kinds), type_order);
	if (hit)
		kinds[((const char *)hit - (const char *)kinds) / sizeof(*kinds)].visit(p, n, sc);
	else
		visit_all(p, n, sc);
	walk_exit(p->w);
}

/*
 * True if the comment declares no encoding but UTF-8 or ASCII. Python uses the first "coding: name" or
 * "coding=name".
 */
static bool plain_coding(struct str comment)
{
	static const struct str word = {"coding", 6};

	for (size_t i = 0; i + word.n < comment.n; i++) {
		struct str rest = str_from(comment, i + word.n);

		if (!str_eq(str_sub(comment, i, i + word.n), word) || (rest.p[0] != ':' && rest.p[0] != '='))
			continue;
		for (rest = str_from(rest, 1); rest.n && ascii_is_blank(rest.p[0]);)
			rest = str_from(rest, 1);
		if ((!str_starts(rest, "utf-8") && !str_starts(rest, "UTF-8") && !str_starts(rest, "utf8") &&
				!str_starts(rest, "ascii")))
			return false;
		rest = str_from(rest, str_starts(rest, "utf8") ? 4 : 5);
		return !rest.n || ascii_is_blank(rest.p[0]) || rest.p[0] == '\r';
	}
	return true;
}

/*
 * True if Python may read other lines than the grammar: Python also ends a line at a lone CR, and a comment
 * may declare another encoding.
 */
static bool odd_lines(struct str src)
{
	size_t lines = 0;

	for (size_t i = 0; i < src.n; i++) {
		if (src.p[i] == '\r' && !(i + 1 < src.n && src.p[i + 1] == '\n'))
			return true;
		if (src.p[i] == '#' && lines < 2) {
			size_t end = str_end(src, '\n', i);
			if (!plain_coding(str_sub(src, i, end)))
				return true;
		}
		lines += src.p[i] == '\n';
	}
	return false;
}

void python_walk(struct code_walk *w, TSNode root)
{
	static const struct pv unknown = {.kind = PV_UNKNOWN}, lost = {.kind = PV_LOST},
			data = {.kind = PV_DATA};
	struct python *p = arena_new(w->a, struct python);

	*p = (struct python){.w = w, .a = w->a, .unknown = &unknown, .lost = &lost, .data = &data,
			.low = ~0u};
	p->fuel = PY_FUEL_BASE + w->src.n * PY_FUEL_PER_BYTE;
	if (p->fuel > PY_FUEL_MAX)
		p->fuel = PY_FUEL_MAX;
	p->cwds[p->ncwds++] = w->s->cwd;
	if (odd_lines(w->src))
		code_marker_add(w, MARKER_LINE_END, root);
	py_collect(p, root);
	for (p->nmemos = 64; p->nmemos < w->src.n / 16; p->nmemos *= 2)
		;
	p->memos = arena_array(w->a, p->nmemos, sizeof(*p->memos));
	visit_node(p, root, p->module);
	if (str_contains(w->src, STR("dataclass")) && str_contains(w->src, STR("__annotations__")))
		code_marker_add(w, MARKER_EXEC, root); /* field names become code there */
	py_shadows(p, root);
	if (w->runs && !ts_node_is_null(p->environment_leak))
		/* started programs would see variables set through the leak */
		code_marker_add(w, MARKER_ENVIRON, p->environment_leak);
	if (!p->fuel || walk_full(w))
		code_marker_add(w, MARKER_BOUND, root);
}
