/* The results of JavaScript calls: modules, constants, return values of functions that the text defines. */
#include "code/javascript.h"

/* Adds the values of a function's return statements, but not those of functions inside it. */
static void add_returned(struct code_walk *w, TSNode n, struct js_set *s, unsigned depth)
{
	size_t count;
	TSNode *c = js_children(w, n, &count);

	if (depth > CODE_DEPTH_MAX)
		js_bound(w, n);
	for (size_t i = 0; i < count && !js_of(w)->bound_said; i++) {
		if (node_is(c[i], "return_statement")) {
			struct js_set more = js_eval(w, js_last_child(w, c[i]));

			js_add_all(w, s, &more, c[i]);
		} else if (!js_is_function(c[i]) && !node_is(c[i], "class") &&
				!node_is(c[i], "class_declaration")) {
			add_returned(w, c[i], s, depth + 1);
		}
	}
}

/*
 * The result of calling a function that the text defines. Values with effects were recorded where they are
 * returned.
 */
static struct js_set given_back(struct code_walk *w, TSNode f)
{
	TSNode body = node_field(f, "body"), last;
	struct js_memo *m = js_memo_get(w, f);
	struct js_set s = {0};
	struct js_value *kept;

	if (!js_is_function(f) || node_is(f, "generator_function") ||
			node_is(f, "generator_function_declaration") || ts_node_is_null(body) ||
			str_starts(node_text(w, f), "async"))
		return js_unknown();
	if (m->busy) {
		js_of(w)->cycles++;
		return js_unknown();
	}
	if (m->n) {
		memcpy(s.v, m->value, m->n * sizeof(*s.v));
		s.n = m->n;
		return s;
	}
	m->busy = true;
	if (!node_is(body, "statement_block")) {
		s = js_eval(w, body);
	} else {
		last = js_last_child(w, body);
		add_returned(w, body, &s, 0);
		if (ts_node_is_null(last) ||
				(!node_is(last, "return_statement") && !node_is(last, "throw_statement")))
			js_add(w, &s, (struct js_value){.kind = JS_UNDEF}, f);
	}
	m->busy = false;
	if (!s.n)
		s = js_unknown();
	kept = arena_array(w->a, s.n, sizeof(*kept));
	memcpy(kept, s.v, s.n * sizeof(*kept));
	m->value = kept; /* also in a cycle, as for stored members */
	m->n = s.n;
	return s;
}

static struct js_set items_of(struct code_walk *w, TSNode arg, struct str which)
{
	struct js_set of = js_eval(w, arg), s = {0};

	for (size_t i = 0; i < of.n; i++) {
		bool object = of.v[i].kind == JS_NODE && node_is(of.v[i].node, "object");

		js_add(w, &s, object ? (struct js_value){.kind = JS_ITEMS, .text = which,
				.node = of.v[i].node} : (struct js_value){.kind = JS_UNKNOWN}, arg);
	}
	return s;
}

/* True for process.on() and similar, which return process. */
static bool gives_process(struct str name)
{
	if (str_starts(name, "process.") && str_is_any(str_from(name, strlen("process.")),
			"on once off addListener prependListener prependOnceListener removeListener "
			"removeAllListeners setMaxListeners"))
		return true;
	return false;
}

/* The modules that require() and import() load. */
static struct js_set load_all(struct code_walk *w, TSNode *args, size_t nargs, TSNode n)
{
	struct js_set names = nargs ? js_eval(w, args[0]) : js_unknown(), all = {0};

	for (size_t i = 0; i < names.n; i++) {
		struct js_set module = js_load(w, js_text(&names.v[i]));

		js_add_all(w, &all, &module, n);
	}
	return all;
}

static struct js_set result_of_call(struct code_walk *w, const struct js_value *f, TSNode *args, size_t nargs,
		bool spread, TSNode n)
{
	const struct js_row *r = f->kind == JS_PATH ? js_row(w, f->text) : NULL;
	struct js_set s = {0};

	if (f->kind == JS_PACKAGE)
		return js_one(*f);
	if (f->kind == JS_NODE && node_is(n, "call_expression"))
		return given_back(w, f->node);
	if (f->kind != JS_PATH)
		return js_unknown();
	if (str_starts(f->text, "Object.") && nargs == 1 && !spread &&
			(str_ends(f->text, ".keys") || str_ends(f->text, ".values") ||
			str_ends(f->text, ".entries")))
		return items_of(w, args[0], str_from(f->text, strlen("Object.")));
	if (r && r->act == JS_ACT_CREATE_REQUIRE)
		return js_path(STR("require"));
	if (r && r->act == JS_ACT_PROMISIFY)
		return nargs ? js_eval(w, args[0]) : js_unknown();
	if (r && r->act == JS_ACT_REQUIRE)
		return load_all(w, args, nargs, n);
	if (str_is(f->text, "Bun.file"))
		return js_path(STR("Bun.file()"));
	if (gives_process(f->text))
		return js_path(STR("process"));
	if (str_is(f->text, "fs.promises.open"))
		return js_path(STR("fs.open()"));
	if ((r && r->act == JS_ACT_SERVER) || str_starts(f->text, "net.Server()."))
		return js_path(STR("net.Server()"));
	return !spread && js_fold_call(w, f->text, args, nargs, n, &s) ? s : js_unknown();
}

static bool keeps_elements(struct str method)
{
	return str_is_any(method, "filter slice sort reverse toSorted toReversed");
}

/* Evaluates a method call as far as it is known beyond the object's own members. False if unknown. */
static bool eval_method(struct code_walk *w, TSNode f, TSNode *args, size_t nargs, bool spread, TSNode n,
		struct js_set *ret)
{
	struct js_set object;
	struct str key;

	if ((!node_is(f, "member_expression") && !node_is(f, "subscript_expression")) || !js_key(w, f, &key))
		return false;
	object = js_eval(w, node_field(f, "object"));
	if (str_is_any(key, "catch finally") || (str_is(key, "bind") && nargs <= 1) ||
			str_is(key, "valueOf")) {
		*ret = object;
		return true;
	}
	if (str_is_any(key, "call apply") && object.n && js_danger(w, &object)) {
		*ret = (struct js_set){0};
		for (size_t i = 0; i < object.n; i++) {
			struct js_set more = result_of_call(w, &object.v[i], args + 1, str_is(key, "call") &&
					nargs ? nargs - 1 : 0, spread || str_is(key, "apply"), n);

			js_add_all(w, ret, &more, n);
		}
		return true;
	}
	if (keeps_elements(key) && object.n == 1 &&
			(object.v[0].kind == JS_NAMES || object.v[0].kind == JS_ITEMS ||
			(object.v[0].kind == JS_NODE && node_is(object.v[0].node, "array")))) {
		*ret = object;
		return true;
	}
	return !spread && js_fold_method(w, &object, key, args, nargs, n, ret);
}

struct js_set js_result(struct code_walk *w, TSNode n)
{
	bool fresh = node_is(n, "new_expression");
	TSNode f = node_field(n, fresh ? "constructor" : "function"), list = node_field(n, "arguments");
	size_t nargs = 0;
	TSNode *args = ts_node_is_null(list) || !node_is(list, "arguments") ? NULL : js_children(w, list,
			&nargs);
	struct js_set callee, s = {0};
	bool spread = false;

	if (node_is(f, "import"))
		return load_all(w, args, nargs, n);
	for (size_t i = 0; i < nargs; i++)
		if ((spread = node_is(args[i], "spread_element")))
			/* later arguments are unknown; the call of require(...x) itself adds a marker */
			nargs = i;
	if (eval_method(w, f, args, nargs, spread, n, &s))
		return s;
	callee = js_eval(w, f);
	for (size_t i = 0; i < callee.n; i++) {
		struct js_set more;

		if (callee.v[i].kind == JS_UNDEF)
			continue; /* calling undefined throws */
		more = result_of_call(w, &callee.v[i], args, nargs, spread, n);
		js_add_all(w, &s, &more, n);
	}
	return s.n ? s : js_unknown();
}
