/*
 * The walk over a JavaScript tree. Handles every call (javascript_call.c), and every place where a value of
 * the runtime escapes. See javascript.h for the principle.
 */
#include "code/javascript.h"

enum js_flow { FLOW_FOLLOWED, FLOW_INERT, FLOW_LOST };

static void visit_node(struct code_walk *w, TSNode n);

/* ---- the flow of values ---- */

static bool has_spread(struct code_walk *w, TSNode call)
{
	size_t n;
	TSNode *args = js_children(w, node_field(call, "arguments"), &n);

	for (size_t i = 0; i < n; i++)
		if (node_is(args[i], "spread_element"))
			return true;
	return false;
}

static bool has_rest(struct code_walk *w, TSNode function)
{
	return str_contains(node_text(w, node_field(function, "parameters")), STR("..."));
}

/* True if the name certainly means one function of the text: its parameters are bound to the arguments. */
static bool calls_own(struct code_walk *w, TSNode call, TSNode f)
{
	struct js_set callee;

	if (!node_is(f, "identifier") || !node_is(call, "call_expression") || !js_closed(w, node_text(w, f)))
		return false;
	callee = js_eval(w, f);
	return callee.n == 1 && callee.v[0].kind == JS_NODE && !has_rest(w, callee.v[0].node);
}

/* True for f.call(x), f.apply(x), f.bind(x) with a function f of the runtime: x is its `this`. */
static bool becomes_this(struct code_walk *w, TSNode f)
{
	const struct js_row *r;
	struct js_set callee;
	struct str key;

	if (!node_is(f, "member_expression") && !node_is(f, "subscript_expression"))
		return false;
	if (!js_key(w, f, &key) || !str_is_any(key, "call bind apply"))
		return false;
	callee = js_eval(w, node_field(f, "object"));
	r = callee.n == 1 && callee.v[0].kind == JS_PATH ? js_row(w, callee.v[0].text) : NULL;
	return r && r->act != JS_ACT_PURE;
}

/* True if a function of the runtime with this row does not pass its argument on. */
static bool keeps_argument(const struct js_row *r, bool first, bool literal)
{
	if (!r)
		return false;
	return r->act == JS_ACT_INERT || (r->act == JS_ACT_PROMISIFY && !(literal && !*r->what)) ||
		(r->act == JS_ACT_STORE && first);
}

/* The flow of an argument of this call. */
static enum js_flow into_call(struct code_walk *w, TSNode call, TSNode arg, bool literal)
{
	TSNode f = node_field(call, node_is(call, "new_expression") ? "constructor" : "function"), inner = f,
			*args;
	struct js_set callee;
	bool first;
	size_t n;

	while (node_is(inner, "parenthesized_expression"))
		inner = js_last_child(w, inner);
	if (node_is(arg, "spread_element"))
		return FLOW_LOST;
	args = js_children(w, node_field(call, "arguments"), &n);
	first = n && ts_node_eq(args[0], arg);
	if (js_is_function(inner)) /* its parameters are bound to the arguments */
		return js_of(w)->uses_arguments || has_spread(w, call) || has_rest(w, inner) ? FLOW_LOST :
				FLOW_FOLLOWED;
	if (calls_own(w, call, f))
		return has_spread(w, call) ? FLOW_LOST : FLOW_FOLLOWED;
	if (first && becomes_this(w, f))
		return FLOW_INERT;
	callee = js_eval(w, f);
	for (size_t i = 0; i < callee.n; i++) {
		const struct js_row *r = callee.v[i].kind == JS_PATH ? js_row(w, callee.v[i].text) : NULL;

		if (callee.v[i].kind != JS_UNDEF && !keeps_argument(r, first, literal))
			return FLOW_LOST;
	}
	return FLOW_FOLLOWED;
}

/* True if the parent passes the value of `child` on unchanged. */
static bool passes(TSNode parent, TSNode child)
{
	if (IS_ANY(parent, "parenthesized_expression", "await_expression", "spread_element"))
		return true;
	if (node_is(parent, "ternary_expression"))
		return !ts_node_eq(node_field(parent, "condition"), child);
	if (node_is(parent, "binary_expression")) {
		const char *op = ts_node_type(node_field(parent, "operator"));

		return !strcmp(op, "||") || !strcmp(op, "&&") || !strcmp(op, "??");
	}
	return false;
}

/* True if a pattern assigns to a member of an object. */
static bool has_member(struct code_walk *w, TSNode n, unsigned depth)
{
	size_t count;
	TSNode *c = js_children(w, n, &count);

	if (IS_ANY(n, "member_expression", "subscript_expression") || depth > JS_PATTERN_DEPTH_MAX)
		return true;
	for (size_t i = 0; i < count; i++)
		if (has_member(w, c[i], depth + 1))
			return true;
	return false;
}

/* True for a member that the language itself may call: ''+o, await o, [...o]. */
static bool called_unseen(struct code_walk *w, TSNode pair)
{
	TSNode key = node_is(pair, "pair") ? node_field(pair, "key") : pair;
	struct str text = node_is(key, "string") ? js_string(w, key) : node_text(w, key);

	if (!node_is(pair, "pair") && !node_is(pair, "shorthand_property_identifier"))
		return false;
	if (str_is_any(text, "valueOf toString toJSON then constructor inspect"))
		return true;
	return node_is(key, "computed_property_name") || str_has(text, '\\');
}

static enum js_flow flow_of(struct code_walk *w)
{
	struct js *js = js_of(w);
	bool literal = false;

	for (unsigned i = js->nup - 1; i > 0; i--) {
		TSNode child = js->up[i], parent = js->up[i - 1];

		if (passes(parent, child))
			continue;
		if (node_is(parent, "sequence_expression")) {
			if (!ts_node_eq(js_last_child(w, parent), child))
				return FLOW_INERT;
			continue;
		}
		if (IS_ANY(parent, "pair", "object", "array")) {
			if ((js->sloppy_this && !node_is(parent, "array")) ||
					called_unseen(w, node_is(child, "shorthand_property_identifier") ?
					child : parent))
				return FLOW_LOST; /* a method may read it from `this` */
			literal = true;
			continue;
		}
		if (IS_ANY(parent, "assignment_expression", "augmented_assignment_expression")) {
			if (has_member(w, node_field(parent, "left"), 0))
				return FLOW_LOST;
			continue;
		}
		if (IS_ANY(parent, "member_expression", "subscript_expression"))
			return ts_node_eq(node_field(parent, "object"), child) ? FLOW_FOLLOWED : FLOW_INERT;
		if (IS_ANY(parent, "call_expression", "new_expression"))
			return FLOW_FOLLOWED;
		if (node_is(parent, "arguments"))
			return i > 1 ? into_call(w, js->up[i - 2], child, literal) : FLOW_LOST;
		if (node_is(parent, "for_in_statement"))
			return has_member(w, node_field(parent, "left"), 0) ? FLOW_LOST : FLOW_FOLLOWED;
		if (IS_ANY(parent, "variable_declarator", "assignment_pattern", "object_assignment_pattern"))
			return FLOW_FOLLOWED;
		if (node_is(parent, "template_substitution"))
			/* the function of a tagged template gets it */
			return i > 2 && node_is(js->up[i - 3], "call_expression") ? FLOW_LOST : FLOW_INERT;
		if (IS_ANY(parent, "expression_statement", "unary_expression", "binary_expression",
				"computed_property_name", "if_statement", "while_statement", "do_statement",
				"for_statement",
			"switch_statement", "switch_case", "update_expression", "ternary_expression"))
			return FLOW_INERT;
		return FLOW_LOST; /* returned, thrown, yielded, exported, a field ... */
	}
	return FLOW_INERT;
}

static void check_flow(struct code_walk *w, TSNode n)
{
	struct js_set s;

	if (js_of(w)->nup < 2 || flow_of(w) != FLOW_LOST)
		return;
	s = js_eval(w, n);
	if (js_danger(w, &s))
		js_escaped(w, &s, n);
}

/* The result of evaluated code may be anything, so it must not escape or be used. */
static void check_result(struct code_walk *w, TSNode n)
{
	struct js_set callee = js_eval(w, node_field(n, "function"));
	enum js_flow f;

	for (size_t i = 0; i < callee.n; i++) {
		const struct js_row *r = callee.v[i].kind == JS_PATH ? js_row(w, callee.v[i].text) : NULL;

		if (!r || r->act != JS_ACT_EVAL)
			continue;
		f = flow_of(w);
		if (f == FLOW_LOST ||
				(f == FLOW_FOLLOWED && !node_is(js_of(w)->up[js_of(w)->nup - 2],
				"arguments")))
			code_marker_add(w, MARKER_EVAL, n);
	}
}

/* ---- names and members ---- */

static TSNode node_above(struct code_walk *w, unsigned levels)
{
	return js_of(w)->nup > levels ? js_of(w)->up[js_of(w)->nup - 1 - levels] : (TSNode){0};
}

/* True for functions that read an object and keep at most a copy. */
static bool reads_object(struct code_walk *w, TSNode call)
{
	struct js_set callee = js_eval(w, node_field(call, "function"));

	if (callee.n == 1 && callee.v[0].kind == JS_PATH && str_is_any(callee.v[0].text,
			"JSON.stringify Object.entries Object.keys Object.values console.dir console.error "
			"console.log console.table"))
		return true;
	return false;
}

/*
 * Notes if process.env may escape: into a call, a list, a promise. Code that holds it there may set variables
 * in it.
 */
static void check_environment(struct code_walk *w, TSNode n)
{
	TSNode up = node_above(w, 1);
	struct js_set s;

	if (!js_name_get(w, STR("env"))->property || js_of(w)->environment_leaks)
		return;
	if (IS_ANY(up, "spread_element", "variable_declarator", "binary_expression", "for_in_statement",
			"unary_expression", "expression_statement"))
		return;
	if (node_is(up, "assignment_expression") && node_is(node_field(up, "left"), "identifier"))
		return; /* names are tracked */
	if (IS_ANY(up, "member_expression", "subscript_expression") && ts_node_eq(node_field(up, "object"),
			n))
		return;
	if ((node_is(up, "pair") && str_is(node_text(w, node_field(up, "key")), "env")) ||
			(node_is(up, "arguments") && reads_object(w, node_above(w, 2))))
		return;
	s = js_eval(w, n);
	for (size_t i = 0; i < s.n; i++)
		js_of(w)->environment_leaks |= s.v[i].kind == JS_PATH && str_is(s.v[i].text, "process.env");
}

static void visit_name(struct code_walk *w, TSNode n)
{
	check_environment(w, n);
	struct str name = node_text(w, n);
	TSNode parent = node_above(w, 1);

	if (str_has(name, '\\'))
		code_marker_add(w, MARKER_ESCAPED_NAME, n);
	else if (!js_name_get(w, name)->declared && !js_global(w, name) &&
			!(node_is(parent, "unary_expression") && node_is(node_field(parent, "operator"),
			"typeof")))
		code_marker_add(w, MARKER_UNKNOWN_NAME, n);
	else if (str_is(name, "arguments") && !js_of(w)->functions)
		code_marker_add(w, MARKER_REFLECTION, n); /* the module's own arguments include require */
	check_flow(w, n);
}

/* True for `x.constructor.name` and comparisons, which only read. */
static bool only_looked_at(struct code_walk *w, TSNode n)
{
	TSNode parent = node_above(w, 1);

	if (node_is(parent, "member_expression"))
		return ts_node_eq(node_field(parent, "object"), n) &&
				str_is(node_text(w, node_field(parent, "property")), "name");
	return node_is(parent, "binary_expression") && ts_node_type(node_field(parent, "operator"))[1] == '=';
}

/* True for keys that lead from any value to the Function constructor or a shared prototype. */
static bool leads_away(struct str key)
{
	return str_is_any(key,
			"constructor __proto__ __defineGetter__ __defineSetter__ __lookupGetter__ "
			"__lookupSetter__");
}

/* Checks the key of any member access, in an expression or a pattern. */
static void check_any_key(struct code_walk *w, TSNode n, struct str key)
{
	if (leads_away(key))
		code_marker_add(w, MARKER_PROTOTYPE, n);
	if (str_is_any(key, "caller callee") || memchr(key.p ? key.p : "", '\\', key.n))
		code_marker_add(w, MARKER_REFLECTION, n);
}

void js_check_owner(struct code_walk *w, const struct js_set *object, struct str key, TSNode n)
{
	/* members of process, in case `this` is process */
	static const char roots[][20] = {"mainModule", "_linkedBinding", "getBuiltinModule", "_load",
			"createRequire", "reallyExit"};
	bool known = object->n == 1 && (object->v[0].kind == JS_PATH || object->v[0].kind == JS_PACKAGE),
			other = false;

	for (size_t i = 0; i < object->n; i++)
		other |= object->v[i].kind != JS_PATH && object->v[i].kind != JS_NODE;
	if (str_is(key, "prototype") && other)
		code_marker_add(w, MARKER_PROTOTYPE, n);
	for (size_t i = 0; !known && i < ARRAY_SIZE(roots); i++)
		if (str_is(key, roots[i]))
			code_marker_add(w, MARKER_REFLECTION, n);
}

static void check_key(struct code_walk *w, TSNode n, struct str key)
{
	struct js_set object = js_eval(w, node_field(n, "object"));

	if (!str_is(key, "constructor") || !only_looked_at(w, n))
		check_any_key(w, n, key);
	js_check_owner(w, &object, key, n);
}

/* Checks a member access with a computed name. On an object of the runtime it may be any member. */
static void check_computed(struct code_walk *w, TSNode n)
{
	struct js_set object = js_eval(w, node_field(n, "object")), keys = js_eval(w, node_field(n, "index"));
	bool some = false;

	for (size_t i = 0; i < keys.n; i++) {
		some |= keys.v[i].kind != JS_NUM && keys.v[i].kind != JS_UNDEF &&
				!(keys.v[i].kind == JS_TEXT && text_exact(keys.v[i].text));
		if (keys.v[i].kind != JS_TEXT || !text_exact(keys.v[i].text))
			continue;
		check_key(w, n, keys.v[i].text);
		if (js_unseen(w, keys.v[i].text))
			code_marker_add(w, MARKER_COMPUTED_MEMBER, n);
	}
	if (!some)
		return;
	for (size_t i = 0; i < object.n; i++) {
		const struct js_row *r = object.v[i].kind == JS_PATH ? js_row(w, object.v[i].text) : NULL;
		struct js_set one = js_one(object.v[i]);

		/* [f][Symbol.iterator]() */
		if (object.v[i].kind == JS_PATH ? !r || (r->act != JS_ACT_PURE && r->act != JS_ACT_INERT) :
				js_danger(w, &one))
			code_marker_add(w, MARKER_COMPUTED_MEMBER, n);
	}
	js_of(w)->computed_read = true;
	js_of(w)->computed_at = n;
}

static void visit_children(struct code_walk *w, TSNode n)
{
	size_t count;
	TSNode *c = js_children(w, n, &count);

	for (size_t i = 0; i < count; i++)
		visit_node(w, c[i]);
}

/*
 * Checks a method of an array, or of a promise, that contains a value of the runtime. The method returns the
 * value, or passes it to a function. Only function literals at that place are tracked.
 */
static void check_method(struct code_walk *w, TSNode n)
{
	static const char fine[][8] = {"forEach", "map", "some", "every", "flatMap", "filter", "then"};
	struct js_set object, one;
	struct str key;
	TSNode call = node_above(w, 1);
	size_t nargs = 0;
	TSNode *args = node_is(call, "call_expression") ? js_children(w, node_field(call, "arguments"),
			&nargs) : NULL;

	if (!js_key(w, n, &key) || (key.n && ascii_is_digit(key.p[0])))
		return;
	object = js_eval(w, node_field(n, "object"));
	for (size_t i = 0; i < object.n; i++) {
		bool array = object.v[i].kind == JS_NODE && node_is(object.v[i].node, "array"),
				promise = object.v[i].kind == JS_PATH && str_is(key, "then"), ok = false;

		one = js_one(object.v[i]);
		if ((!array && !promise) || !js_danger(w, &one))
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(fine); k++)
			ok |= str_is(key, fine[k]) && nargs && node_is(n, "member_expression") &&
					js_is_function(args[0]) && (!promise || nargs == 1);
		ok |= str_is_any(key, "slice reverse catch finally length includes toString");
		if (!ok)
			code_marker_add(w, MARKER_ESCAPE, n);
	}
}

static void visit_member(struct code_walk *w, TSNode n)
{
	struct str key;

	check_environment(w, n);
	if (node_is(n, "subscript_expression")) {
		check_computed(w, n);
		visit_node(w, node_field(n, "index"));
	} else {
		js_key(w, n, &key);
		check_key(w, n, key);
	}
	check_method(w, n);
	visit_node(w, node_field(n, "object"));
	check_flow(w, n);
}

/* ---- assignments ---- */

void js_env_add(struct code_walk *w, struct str name, struct str value, TSNode n)
{
	struct js_env *e = arena_copy(w->a, (struct js_env){.next = js_of(w)->env, .name = str_c(w->a, name),
			.value = value, .at = n});

	js_of(w)->env = e;
}

static void stored_in_runtime(struct code_walk *w, TSNode left, struct str path, struct str key, bool known)
{
	static const char fine[][20] = {"module.exports", "exports", "process.exitCode", "process.title"};
	struct str full = known ? js_canonical(w, str_cat(w->a, str_cat(w->a, path, STR(".")), key)) : path;
	TSNode assignment = node_above(w, 1);
	struct js_set v;

	if (str_is(path, "process.env")) {
		v = js_eval(w, node_field(assignment, "right"));
		js_env_add(w, known ? key : CODE_HOLE, js_set_text(&v), left);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(fine); i++)
		if (str_starts(full, fine[i]))
			return;
	if (str_is(path, "globalThis") && known && !js_global(w, key) && !str_is_any(key, "await yield"))
		return;
	code_marker_add(w, MARKER_TAMPERING, left);
}

static void visit_store(struct code_walk *w, TSNode left)
{
	struct js_set object = js_eval(w, node_field(left, "object"));
	struct str key = STR("");
	bool known = js_key(w, left, &key);

	if (known)
		check_key(w, left, key);
	for (size_t i = 0; i < object.n; i++) {
		if (object.v[i].kind == JS_PATH)
			stored_in_runtime(w, left, object.v[i].text, key, known);
		if (object.v[i].kind == JS_UNKNOWN &&
				(!known || str_is_any(key, "path flags fd")))
			js_of(w)->stream_store = left;
	}
	if (node_is(left, "subscript_expression"))
		visit_node(w, node_field(left, "index"));
	visit_node(w, node_field(left, "object"));
}

/* Checks every possible key of a pattern; an unknown key adds a marker. */
static void visit_pattern_key(struct code_walk *w, TSNode key)
{
	struct js *js = js_of(w);
	struct js_set s = js_keys(w, key);
	bool computed = node_is(key, "computed_property_name"), open = !text_exact(js_set_text(&s));

	for (size_t i = 0; i < s.n; i++)
		if (text_exact(js_text(&s.v[i])))
			check_any_key(w, key, js_text(&s.v[i]));
	if (!computed)
		return;
	js->computed_read |= open;
	js->computed_at = key;
	if (open || js_unseen(w, js_set_text(&s)))
		code_marker_add(w, MARKER_COMPUTED_MEMBER, key);
}

static void visit_pattern(struct code_walk *w, TSNode n)
{
	struct js *js = js_of(w);
	size_t count;
	TSNode *c;

	if (IS_ANY(n, "identifier", "shorthand_property_identifier_pattern", "property_identifier",
			"undefined")) {
		if (str_has(node_text(w, n), '\\'))
			code_marker_add(w, MARKER_ESCAPED_NAME, n);
		if (node_is(n, "shorthand_property_identifier_pattern"))
			check_any_key(w, n, node_text(w, n));
		return;
	}
	if (!walk_enter(w, n))
		return;
	js->up[js->nup++] = n;
	if (IS_ANY(n, "member_expression", "subscript_expression")) {
		visit_store(w, n);
	} else if (IS_ANY(n, "assignment_pattern", "object_assignment_pattern")) {
		visit_pattern(w, node_field(n, "left"));
		visit_node(w, node_field(n, "right"));
	} else if (node_is(n, "computed_property_name")) {
		visit_children(w, n);
	} else {
		if (node_is(n, "pair_pattern"))
			visit_pattern_key(w, node_field(n, "key"));
		c = js_children(w, n, &count);
		for (size_t i = 0; i < count; i++)
			visit_pattern(w, c[i]);
	}
	js->nup--;
	walk_exit(w);
}

static void visit_assignment(struct code_walk *w, TSNode n)
{
	TSNode left = node_field(n, "left"), right = node_field(n, "right"),
			argument = node_field(n, "argument");

	if (!ts_node_is_null(left))
		visit_pattern(w, left);
	if (!ts_node_is_null(argument))
		visit_pattern(w, argument);
	if (!ts_node_is_null(right))
		visit_node(w, right);
}

/* ---- all nodes ---- */

static void visit_function(struct code_walk *w, TSNode n)
{
	size_t count;
	TSNode *c = js_children(w, n, &count), name = node_field(n, "name"), one = node_field(n, "parameter"),
			all = node_field(n, "parameters");

	js_of(w)->functions += !node_is(n, "arrow_function");
	for (size_t i = 0; i < count; i++) {
		if (ts_node_eq(c[i], name))
			node_is(c[i], "computed_property_name") ? visit_node(w, c[i]) : (void)0;
		else if ((!ts_node_is_null(one) && ts_node_eq(c[i], one)) ||
				(!ts_node_is_null(all) && ts_node_eq(c[i], all)))
			visit_pattern(w, c[i]);
		else
			visit_node(w, c[i]);
	}
	js_of(w)->functions -= !node_is(n, "arrow_function");
}

static void visit_import(struct code_walk *w, TSNode n)
{
	TSNode from = node_field(n, "source");

	if (!ts_node_is_null(from)) {
		struct js_set s = js_eval(w, from);

		js_loaded(w, &s, n);
	}
}

/* f<T>('x') and f<T, U>('x') are comparisons in JavaScript, but calls of f in TypeScript. */
static void check_generic(struct code_walk *w, TSNode n)
{
	bool script = !js_in_node(w);

	for (size_t i = 0; i < w->f->ntexts && !script; i++)
		script = str_contains(w->f->texts[i].bytes, STR("typescript")); /* --input-type */
	if (script && IS_ANY(node_field(n, "right"), "parenthesized_expression", "template_string"))
		code_marker_add(w, MARKER_TYPESCRIPT, n);
}

static void visit_other(struct code_walk *w, TSNode n)
{
	size_t count;
	TSNode *c = js_children(w, n, &count), name = node_field(n, "name");
	bool class = IS_ANY(n, "class", "class_declaration");

	for (size_t i = 0; i < count; i++)
		if (!(class && ts_node_eq(c[i], name)))
			visit_node(w, c[i]);
}

static void visit_inner(struct code_walk *w, TSNode n)
{
	if (IS_ANY(n, "identifier", "shorthand_property_identifier")) {
		visit_name(w, n);
	} else if (IS_ANY(n, "member_expression", "subscript_expression")) {
		visit_member(w, n);
	} else if (IS_ANY(n, "call_expression", "new_expression")) {
		if (node_is(node_field(n, "arguments"), "template_string"))
			js_tagged(w, n);
		else
			js_call(w, n);
		visit_children(w, n);
		check_result(w, n);
		check_flow(w, n);
	} else if (js_is_function(n)) {
		visit_function(w, n);
	} else if (IS_ANY(n, "assignment_expression", "augmented_assignment_expression",
			"update_expression")) {
		visit_assignment(w, n);
	} else if (node_is(n, "variable_declarator")) {
		visit_pattern(w, node_field(n, "name"));
		visit_node(w, node_field(n, "value"));
	} else if (node_is(n, "for_in_statement")) {
		visit_pattern(w, node_field(n, "left"));
		visit_node(w, node_field(n, "right"));
		visit_node(w, node_field(n, "body"));
	} else if (node_is(n, "catch_clause")) {
		if (!ts_node_is_null(node_field(n, "parameter")))
			visit_pattern(w, node_field(n, "parameter"));
		visit_node(w, node_field(n, "body"));
	} else if (node_is(n, "import_statement")) {
		visit_import(w, n);
	} else if (node_is(n, "this")) {
		check_flow(w, n);
	} else {
		if (IS_ANY(n, "with_statement", "decorator", "html_comment", "jsx_element",
				"jsx_self_closing_element"))
			code_marker_add(w, node_is(n, "with_statement") ? MARKER_WITH :
					node_is(n, "decorator") ? MARKER_DECORATOR :
					node_is(n, "html_comment") ? MARKER_HTML_COMMENT : MARKER_JSX, n);
		if (node_is(n, "binary_expression") && node_is(node_field(n, "operator"), ">"))
			check_generic(w, n);
		if (node_is(n, "pair") && str_contains(node_text(w, node_field(n, "key")), STR("__proto__")))
			code_marker_add(w, MARKER_PROTOTYPE, n);
		if (node_is(n, "export_statement"))
			visit_import(w, n);
		visit_other(w, n);
	}
}

static void visit_node(struct code_walk *w, TSNode n)
{
	struct js *js = js_of(w);

	if (ts_node_is_null(n) || IS_ANY(n, "string", "number", "comment", "property_identifier", "regex",
			"export_clause") || !walk_enter(w, n))
		return;
	js->up[js->nup++] = n;
	visit_inner(w, n);
	js->nup--;
	walk_exit(w);
}

void javascript_walk(struct code_walk *w, TSNode root)
{
	struct js *js = arena_new(w->a, struct js);
	struct str cwd = w->s->cwd;
	uint32_t around = w->s->at.text;
	bool inner = around < w->f->ntexts && w->f->texts[around].lang == LANG_JAVASCRIPT;

	w->own = js;
	js->root = root;
	js->steps = JS_STEPS_BASE + w->src.n * JS_STEPS_PER_BYTE;
	if (js->steps > JS_STEPS_MAX)
		js->steps = JS_STEPS_MAX;
	for (js->nchains = 64; js->nchains < w->src.n / 16; js->nchains *= 2)
		;
	js->names = arena_array(w->a, js->nchains, sizeof(*js->names));
	js->memos = arena_array(w->a, js->nchains, sizeof(*js->memos));
	js_collect(w, root);
	if (inner && (js->shadows || js->assigns || js_name_get(w, STR("chdir"))->property))
		/* it may rebind names of the surrounding code, or change the working directory */
		code_marker_add(w, MARKER_EVAL, root);
	visit_node(w, root);
	if (js->streams && !ts_node_is_null(js->stream_store))
		/* s = fs.createWriteStream('a'); s.path = 'b' */
		code_marker_add(w, MARKER_TAMPERING, js->stream_store);
	if (js->computed_read && js->unknown_call)
		code_marker_add(w, MARKER_COMPUTED_MEMBER, js->computed_at);
	for (const struct js_env *e = w->runs || w->f->snippets->next ? js->env : NULL; e; e = e->next)
		js_environment(w, str_of(e->name), e->value, e->at);
	if (js->environment_leaks && (w->runs || w->f->snippets->next))
		js_stored_environment(w, root);
	w->s->cwd = cwd;
}
