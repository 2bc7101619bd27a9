/* The first pass over Python code: finds all scopes, and everything that is ever bound to a name in them. */
#include "code/python.h"

TSNode *py_children(struct python *p, TSNode n, uint32_t *ret_n) { return node_children(p->w, n, ret_n); }

/* ---- scopes ---- */

static struct str node_key(const void *const *id) { return str_n((const char *)id, sizeof(*id)); }

const struct py_scope *py_scope_of(const struct python *p, TSNode n, const struct py_scope *otherwise)
{
	const struct py_scope *s = pmap_get(p->scopes, node_key(&n.id));

	return s ? s : otherwise;
}

static struct py_scope *new_scope(struct python *p, TSNode n, enum scope_kind kind, struct py_scope *parent)
{
	struct py_scope *s = arena_copy(p->a, (struct py_scope){.id = n.id, .kind = kind, .parent = parent});

	p->scopes = pmap_set(p->a, p->scopes, node_key(&s->id), s);
	return s;
}

/* ---- bindings ---- */

static void push_def(struct python *p, struct py_binding *b, const struct py_def *def)
{
	struct py_def *d = arena_new(p->a, struct py_def);

	if (b->ndefs++ > PY_DEFS_MAX)
		return; /* still counted, so that the overflow is detected */
	*d = *def;
	d->next = b->defs;
	b->defs = d;
}

static void add_field(struct python *p, struct str name, const struct py_def *def)
{
	struct py_binding *b = (struct py_binding *)pmap_get(p->fields, name);

	if (!b) {
		b = arena_copy(p->a, (struct py_binding){.name = name});
		p->fields = pmap_set(p->a, p->fields, name, b);
	}
	push_def(p, b, def);
}

/* Adds a return value to the innermost function. */
static void add_result(struct python *p, struct py_scope *sc, const struct py_def *def)
{
	while (sc && (sc->kind != SCOPE_FUNCTION || sc->comprehension))
		sc = sc->parent;
	if (!sc)
		return;
	if (!sc->result) {
		sc->result = arena_copy(p->a, (struct py_binding){.local = true});
	}
	push_def(p, sc->result, def);
}

static void add_def(struct python *p, struct py_scope *sc, struct str name, const struct py_def *def)
{
	struct py_binding *b = (struct py_binding *)pmap_get(sc->names, name);

	if (!b) {
		b = arena_copy(p->a, (struct py_binding){.name = name, .local = sc->kind == SCOPE_FUNCTION});
		sc->names = pmap_set(p->a, sc->names, name, b);
	}
	p->hides |= py_is_builtin(name) && def->kind != DEF_UNKNOWN && def->kind != DEF_EACH;
	push_def(p, b, def);
}

/* True if Python mangles the name: in a class __x means _Class__x. */
static bool is_mangled(const struct py_scope *sc, struct str name)
{
	if (!str_starts(name, "__") || str_ends(name, "__"))
		return false;
	while (sc && sc->kind != SCOPE_CLASS)
		sc = sc->parent;
	return sc != NULL;
}

static void bind_pattern(struct python *p, struct py_scope *sc, TSNode n, const struct py_def *def)
{
	struct str name;

	if (!py_identifier(p, node_text(p->w, n), &name) || is_mangled(sc, name)) {
		code_marker_add(p->w, MARKER_IDENTIFIER, n);
		return;
	}
	if (sc->kind == SCOPE_CLASS) {
		p->own = pmap_set(p->a, p->own, name, p);
		add_field(p, name, def);
	}
	if (!pmap_get(sc->outer, name)) {
		add_def(p, sc, name, def);
		return;
	}
	/* global or nonlocal: bind in all candidates */
	for (struct py_scope *s = sc->parent; s; s = s->parent)
		if (s->kind != SCOPE_CLASS)
			add_def(p, s, name, def);
}

static void bind_unknown(struct python *p, struct py_scope *sc, TSNode n)
{
	bind_pattern(p, sc, n, &(struct py_def){.kind = DEF_UNKNOWN, .scope = sc});
}

static bool is_list_target(TSNode n)
{
	return node_is(n, "pattern_list") || node_is(n, "tuple_pattern") || node_is(n, "list_pattern");
}

static void collect_bindings(struct python *p, TSNode n, struct py_scope *sc, unsigned depth);

static void note_mention(struct python *p, struct str name)
{
	if (py_identifier(p, name, &name))
		p->mentioned = pmap_set(p->a, p->mentioned, name, p);
}

static void note_open(struct python *p, struct str name)
{
	py_identifier(p, name, &name);
	p->open = pmap_set(p->a, p->open, name, p);
	note_mention(p, name);
}

/*
 * Binds the targets of an assignment. A store to anything but a name binds nothing, but may change the
 * objects of the names in it.
 */
static void bind_target(struct python *p, struct py_scope *sc, TSNode n, const struct py_def *def,
		unsigned depth)
{
	uint32_t count;
	TSNode *kids;
	bool star = false;

	if (depth > CODE_DEPTH_MAX)
		return;
	if (node_is(n, "identifier")) {
		bind_pattern(p, sc, n, def);
		return;
	}
	if (node_is(n, "attribute")) {
		struct str attr;

		if (py_identifier(p, node_text(p->w, node_field(n, "attribute")), &attr))
			add_field(p, attr, def);
		p->own = pmap_set(p->a, p->own, node_text(p->w, node_field(n, "attribute")), p);
		p->stored = pmap_set(p->a, p->stored, node_text(p->w, node_field(n, "attribute")), p);
	}
	if (!is_list_target(n) && !node_is(n, "list_splat_pattern") && !node_is(n, "as_pattern_target") &&
			!node_is(n, "parenthesized_expression") && !node_is(n, "tuple") &&
	    !node_is(n, "list") && !node_is(n, "list_splat")) {
		if (node_is(n, "subscript") && node_is(node_field(n, "value"), "identifier"))
			note_open(p, node_text(p->w, node_field(n, "value")));
		collect_bindings(p, n, sc, depth + 1);
		return;
	}
	kids = py_children(p, n, &count);
	for (uint32_t i = 0; i < count; i++)
		star |= node_is(kids[i], "list_splat_pattern") || node_is(kids[i], "list_splat");
	for (uint32_t i = 0; i < count; i++) {
		struct py_def d = {.kind = DEF_UNKNOWN, .scope = sc};

		if (is_list_target(n) && !star && (def->kind == DEF_EXPR || def->kind == DEF_EACH)) {
			d = *def;
			d.kind = def->kind == DEF_EXPR ? DEF_ITEM : DEF_EACH_ITEM;
			d.index = i;
		} else if (count == 1 && !is_list_target(n) && !node_is(n, "list_splat_pattern") &&
				!node_is(n, "list_splat") && !node_is(n, "tuple") && !node_is(n, "list")) {
			d = *def;
		}
		bind_target(p, sc, kids[i], &d, depth + 1);
	}
}

/* ---- imports ---- */

static struct str dotted_path(struct python *p, TSNode n)
{
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);
	struct str all = STR(""), part;

	for (uint32_t i = 0; i < count && all.n < PY_TEXT_MAX; i++) {
		if (!py_identifier(p, node_text(p->w, kids[i]), &part)) {
			code_marker_add(p->w, MARKER_IDENTIFIER, kids[i]);
			return STR("?");
		}
		all = i ? str_fmt(p->a, "%.*s.%.*s", STR_ARG(all), STR_ARG(part)) : part;
	}
	return all;
}

static TSNode first_child(TSNode n) { return ts_node_named_child(n, 0); }

static void collect_import(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	(void)depth;
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);

	for (uint32_t i = 0; i < count; i++) {
		bool alias = node_is(kids[i], "aliased_import");
		TSNode name = alias ? node_field(kids[i], "name") : kids[i];
		struct str path = dotted_path(p, name);
		struct py_def d = {.kind = DEF_NAME, .scope = sc, .text = path};

		py_import(p, path, sc->kind == SCOPE_CLASS, kids[i]);
		if (!alias)
			d.text = dotted_path(p, name),
					d.text = str_first(d.text, !str_has(d.text, '.') ? d.text.n :
					(size_t)str_find(d.text, '.', 0));
		if (str_is_any(d.text, "posixpath ntpath"))
			d.text = STR("os.path");
		bind_pattern(p, sc, alias ? node_field(kids[i], "alias") : first_child(name), &d);
	}
}

static void add_star(struct python *p, struct str module, TSNode n)
{
	struct py_stars **at = &p->stars;
	size_t count = 0;

	for (; *at && !str_eq((*at)->module, module); at = &(*at)->next)
		count++;
	if (!*at && count < PY_STARS_MAX) {
		*at = arena_new(p->a, struct py_stars);
		(*at)->module = module;
	} else if (!*at) {
		code_marker_add(p->w, MARKER_BOUND, n);
	}
}

static void collect_from(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	(void)depth;
	uint32_t count;
	TSNode *kids = py_children(p, n, &count), module = node_field(n, "module_name");
	bool relative = node_is(module, "relative_import");
	struct str path = relative ? STR("") : dotted_path(p, module);

	if (!relative)
		py_import(p, path, sc->kind == SCOPE_CLASS, module);
	for (uint32_t i = 0; i < count; i++) {
		bool alias = node_is(kids[i], "aliased_import");
		TSNode name = alias ? node_field(kids[i], "name") : kids[i],
				target = alias ? node_field(kids[i], "alias") : first_child(name);
		struct str attr;

		if (kids[i].id == module.id)
			continue;
		if (node_is(kids[i], "wildcard_import")) {
			add_star(p, path, kids[i]);
			continue;
		}
		attr = dotted_path(p, name);
		if (relative || str_is(path, "?")) {
			bind_unknown(p, sc, target);
			continue;
		}
		const struct pv from = {.kind = PV_NAME, .text = path};
		const struct pvs *v = py_attribute(p, &from, attr);
		struct str full = str_fmt(p->a, "%.*s.%.*s", STR_ARG(path), STR_ARG(attr));

		if (v->v[0]->kind == PV_NAME && (py_module(v->v[0]->text) != PY_MODULE_OTHER ||
				py_is_inner(v->v[0]->text)) && !py_row(v->v[0]->text))
			py_import(p, v->v[0]->text, false, kids[i]);
		bind_pattern(p, sc, target,
				&(struct py_def){.kind = v->v[0]->kind == PV_NAME ? DEF_NAME : DEF_UNKNOWN,
				.scope = sc, .text = v->v[0]->kind == PV_NAME ? v->v[0]->text : full});
	}
}

/* ---- nodes ---- */

static void collect_all(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);

	for (uint32_t i = 0; i < count; i++)
		collect_bindings(p, kids[i], sc, depth + 1);
}

static void note_maybe(struct python *p, TSNode name, TSNode other, bool call, const struct py_scope *sc)
{
	struct py_maybe *m = arena_copy(p->a, (struct py_maybe){.next = p->maybes,
			.name = node_text(p->w, name), .other = other, .call = call, .scope = sc});

	p->maybes = m;
	note_mention(p, node_text(p->w, name));
}

/* Collects the arguments of a function that may only read them. */
static void collect_given(struct python *p, TSNode list, TSNode function, struct py_scope *sc, unsigned depth)
{
	uint32_t count;
	TSNode *kids = py_children(p, list, &count);

	for (uint32_t i = 0; i < count; i++)
		if (node_is(kids[i], "identifier"))
			note_maybe(p, kids[i], function, true, sc);
		else
			collect_bindings(p, kids[i], sc, depth + 1);
}

static void collect_operands(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);

	for (uint32_t i = 0; i < count; i++)
		if (count == 2 && node_is(kids[i], "identifier"))
			note_maybe(p, kids[i], kids[!i], false, sc);
		else
			collect_bindings(p, kids[i], sc, depth + 1);
}

/* Collects children; a plain name among them is only read. */
static void collect_reads(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);

	for (uint32_t i = 0; i < count; i++)
		if (!node_is(kids[i], "identifier") || (i && node_is(n, "subscript")))
			collect_bindings(p, kids[i], sc, depth + 1);
		else
			note_mention(p, node_text(p->w, kids[i]));
}

/* Binds parameters. Default values and annotations belong to the outer scope. */
static void collect_parameters(struct python *p, TSNode list, struct str function, bool method,
		struct py_scope *inner, struct py_scope *sc, unsigned depth)
{
	bool stars = false;
	struct str own;
	uint32_t count;
	TSNode *kids = ts_node_is_null(list) ? NULL : py_children(p, list, &count);

	for (uint32_t i = 0; kids && i < count; i++) {
		TSNode name = node_field(kids[i], "name"), value = node_field(kids[i], "value"),
				type = node_field(kids[i], "type");

		if (ts_node_is_null(name))
			name = node_is(kids[i], "typed_parameter") ? first_child(kids[i]) : kids[i];
		bool splat = node_is(name, "list_splat_pattern") ||
				node_is(name, "dictionary_splat_pattern") ||
				node_is(name, "keyword_separator") || node_is(name, "positional_separator");

		stars |= splat;
		if (splat)
			name = first_child(name);
		if (node_is(name, "identifier") && method && !i && !stars)
			bind_pattern(p, inner, name, &(struct py_def){.kind = DEF_SELF, .scope = sc,
					.home = sc->parent, .text = sc->name, .name = p->method});
		else if (node_is(name, "identifier") && function.n && !stars &&
				py_identifier(p, node_text(p->w, name), &own))
			bind_pattern(p, inner, name, &(struct py_def){.kind = DEF_PARAMETER, .scope = sc,
					.home = method ? sc->parent : sc, .expr = value, .index = i - method,
					.text = function, .name = own});
		else if (node_is(name, "identifier"))
			bind_unknown(p, inner, name);
		else if (node_is(name, "tuple_pattern"))
			bind_target(p, inner, name, &(struct py_def){.kind = DEF_UNKNOWN, .scope = inner},
					depth);
		if (!ts_node_is_null(value))
			collect_bindings(p, value, sc, depth + 1);
		if (!ts_node_is_null(type))
			collect_bindings(p, type, sc, depth + 1);
	}
}

/* [T: bound]: names, and expressions that Python evaluates lazily. */
static void collect_type_parameters(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	if (!ts_node_is_null(n))
		collect_all(p, n, sc, depth);
}

/* True if the code may create objects at places that do not name their class. */
static bool makes_otherwise(struct str src)
{
	static const char ways[][16] = {"type(", "__class__", "classmethod", "__new__", "copy", "__reduce",
			"__setstate__"};

	return STR_CONTAINS_ANY(src, ways);
}

/*
 * True if execution may reach the end of the block, so that the function returns None. False only in obvious
 * cases.
 */
static bool may_end(struct python *p, TSNode block, unsigned depth)
{
	uint32_t count;
	TSNode *kids = py_children(p, block, &count);

	if (!count || depth > 8)
		return true;
	if (node_is(kids[count - 1], "with_statement"))
		return may_end(p, node_field(kids[count - 1], "body"), depth + 1);
	return !node_is(kids[count - 1], "return_statement") && !node_is(kids[count - 1], "raise_statement");
}

static void collect_return(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);

	add_result(p, sc, count == 1 ? &(struct py_def){.kind = DEF_EXPR, .expr = kids[0], .scope = sc} :
			&(struct py_def){.kind = count ? DEF_UNKNOWN : DEF_NONE, .scope = sc});
	collect_all(p, n, sc, depth);
}

static void collect_yield(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	for (struct py_scope *s = sc; s; s = s->parent)
		if (s->kind == SCOPE_FUNCTION) {
			s->generator = true;
			if (!s->comprehension)
				break;
		}
	collect_all(p, n, sc, depth);
}

static void collect_function(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	struct py_scope *inner = new_scope(p, n, SCOPE_FUNCTION, sc);
	TSNode name = node_field(n, "name"), type = node_field(n, "return_type"),
			body = node_field(n, "body");
	struct str own = ts_node_is_null(name) || sc->kind == SCOPE_CLASS ? STR("") : node_text(p->w, name);
	bool method = !ts_node_is_null(name) && sc->kind == SCOPE_CLASS && !p->decorated;

	p->decorated = false;

	if (!ts_node_is_null(name)) {
		bind_pattern(p, sc, name, &(struct py_def){.kind = DEF_USER, .scope = sc, .expr = n});
		if (sc->kind == SCOPE_CLASS)
			p->own = pmap_set(p->a, p->own, node_text(p->w, name), p);
	}
	collect_type_parameters(p, node_field(n, "type_parameters"), sc, depth);
	if (method && !py_identifier(p, node_text(p->w, name), &p->method))
		method = false;
	if (method && str_is(p->method, "__init__") && sc->parent->kind != SCOPE_CLASS && !p->makes_otherwise)
		own = sc->name;
	collect_parameters(p, node_field(n, "parameters"), py_identifier(p, own, &own) ? own : STR(""),
			method, inner, sc, depth);
	if (ts_node_is_null(name))
		add_result(p, inner, &(struct py_def){.kind = DEF_EXPR, .expr = body, .scope = inner});
	else if (may_end(p, body, 0))
		add_result(p, inner, &(struct py_def){.kind = DEF_NONE});
	if (!ts_node_is_null(type))
		collect_bindings(p, type, sc, depth + 1);
	collect_bindings(p, body, inner, depth + 1);
}

static void collect_class(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	struct py_scope *inner = new_scope(p, n, SCOPE_CLASS, sc);
	TSNode bases = node_field(n, "superclasses");

	if (!py_identifier(p, node_text(p->w, node_field(n, "name")), &inner->name))
		inner->name = STR("");

	bind_pattern(p, sc, node_field(n, "name"), &(struct py_def){.kind = DEF_USER, .scope = sc,
			.expr = n});
	collect_type_parameters(p, node_field(n, "type_parameters"), sc, depth);
	if (!ts_node_is_null(bases))
		collect_bindings(p, bases, sc, depth + 1);
	collect_bindings(p, node_field(n, "body"), inner, depth + 1);
}

/* Collects a decorated definition. The result of a decorator is unknown. */
static void collect_decorated(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	uint32_t count;
	TSNode *kids = py_children(p, n, &count), made = node_field(n, "definition"),
			by = count == 2 ? ts_node_named_child(kids[0], 0) : kids[0];

	if (count == 2 && node_is(made, "class_definition"))
		bind_pattern(p, sc, node_field(made, "name"),
				&(struct py_def){.kind = DEF_DECORATED,
				.expr = node_is(by, "call") ? node_field(by, "function") : by, .scope = sc});
	else
		bind_unknown(p, sc, node_field(made, "name"));
	for (uint32_t i = 0; i < count; i++) {
		p->decorated = node_is(kids[i], "function_definition");
		collect_bindings(p, kids[i], sc, depth + 1);
	}
}

static void collect_comprehension(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	struct py_scope *inner = new_scope(p, n, SCOPE_FUNCTION, sc);

	uint32_t count;
	TSNode *kids = py_children(p, n, &count);

	inner->comprehension = true;
	for (uint32_t i = 0; i < count && !inner->first; i++)
		if (node_is(kids[i], "for_in_clause"))
			inner->first = node_field(kids[i], "right").id;
	collect_all(p, n, inner, depth);
}

static void collect_assignment(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	TSNode left = node_field(n, "left"), right = node_field(n, "right"), type = node_field(n, "type");

	if (sc->kind == SCOPE_CLASS && node_is(left, "identifier"))
		p->own = pmap_set(p->a, p->own, node_text(p->w, left), p);
	if (sc->kind == SCOPE_CLASS && node_is(left, "identifier") && !ts_node_is_null(type))
		/* field of a dataclass: a constructor may pass any value */
		add_field(p, node_text(p->w, left), &(struct py_def){.kind = DEF_UNKNOWN, .scope = sc});
	if (!ts_node_is_null(right)) {
		bind_target(p, sc, left, &(struct py_def){.kind = DEF_EXPR, .expr = right, .scope = sc},
				depth);
		if (node_is(right, "assignment")) { /* two names for one object */
			note_open(p, node_text(p->w, left));
			note_open(p, node_text(p->w, node_field(right, "left")));
		}
		collect_bindings(p, right, sc, depth + 1);
	}
	if (!ts_node_is_null(type))
		collect_bindings(p, type, sc, depth + 1);
}

static void collect_augmented(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	TSNode left = node_field(n, "left");

	bind_target(p, sc, left, &(struct py_def){.kind = DEF_UNKNOWN, .scope = sc}, depth);
	if (node_is(left, "identifier"))
		note_open(p, node_text(p->w, left));
	collect_bindings(p, node_field(n, "right"), sc, depth + 1);
}

static void collect_named(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	TSNode name = node_field(n, "name"), value = node_field(n, "value");
	struct py_def d = {.kind = DEF_EXPR, .expr = value, .scope = sc};

	bind_pattern(p, sc, name, &d);
	for (struct py_scope *s = sc; s->comprehension && s->parent; s = s->parent)
		bind_pattern(p, s->parent, name, &d);
	note_open(p, node_text(p->w, name));
	collect_bindings(p, value, sc, depth + 1);
}

static void collect_for(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	TSNode left = node_field(n, "left"), right = node_field(n, "right");
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);

	struct py_scope *outside = sc->first && sc->first == right.id ? sc->parent : sc;

	bind_target(p, sc, left, &(struct py_def){.kind = DEF_EACH, .expr = right, .scope = outside}, depth);
	for (uint32_t i = 0; i < count; i++)
		if (kids[i].id == right.id && node_is(right, "identifier"))
			note_mention(p, node_text(p->w, right));
		else if (kids[i].id != left.id)
			collect_bindings(p, kids[i], kids[i].id == right.id ? outside : sc, depth + 1);
}

static void collect_as(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	TSNode alias = node_field(n, "alias"), value = first_child(n);

	if (!ts_node_is_null(alias))
		bind_target(p, sc, alias, &(struct py_def){.kind = DEF_ENTER, .expr = value, .scope = sc},
				depth);
	collect_bindings(p, value, sc, depth + 1);
}

static void collect_except(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	TSNode alias = node_field(n, "alias");

	if (node_is(alias, "identifier"))
		bind_unknown(p, sc, alias);
	collect_all(p, n, sc, depth);
}

static void collect_outer(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	(void)depth;
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);
	struct str name;

	for (uint32_t i = 0; i < count && sc->parent; i++)
		if (py_identifier(p, node_text(p->w, kids[i]), &name))
			sc->outer = pmap_set(p->a, sc->outer, name, p);
}

/* A pattern may bind every name in it. */
static void collect_pattern(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);

	for (uint32_t i = 0; i < count && depth < CODE_DEPTH_MAX; i++) {
		if (node_is(kids[i], "identifier") && !(node_is(n, "dotted_name") && count > 1))
			bind_unknown(p, sc, kids[i]);
		else
			collect_pattern(p, kids[i], sc, depth + 1);
	}
}

/*
 * True for names of functions that neither change nor keep a list. settle_maybes() checks that the name means
 * this function.
 */
static bool may_only_read(struct python *p, TSNode function)
{
	bool method = node_is(function, "attribute");
	struct str name = node_text(p->w, method ? node_field(function, "attribute") : function);

	if (!method && str_is_any(name,
			"all any dict enumerate filter len list map max min print range repr reversed set "
			"sorted str sum tuple zip isinstance"))
		return true;
	if (method && str_is_any(name, "join run Popen call check_call check_output dumps"))
		return true;
	return false;
}

static bool only_reads(struct python *p, const struct pv *v)
{
	const struct py_row *r = v->kind == PV_NAME ? py_row(v->text) : NULL;

	if (v->kind == PV_METHOD)
		return v->of->kind == PV_TEXT;
	return v->kind == PV_NAME && (r ? r->kind == PY_ARGV : str_is(v->text, "json.dumps") ||
			(py_is_builtin(v->text) && !(str_is(v->text, "isinstance") && p->classes)));
}

static bool is_plain(struct python *p, const struct pv *v)
{
	return v->kind == PV_TEXT || v->kind == PV_SEQ || v->kind == PV_DATA || v->kind == PV_PATH ||
			(v->kind == PV_UNKNOWN && !p->classes);
}

static void settle_maybes(struct python *p)
{
	for (const struct py_maybe *m = p->maybes; m; m = m->next) {
		const struct pvs *v = py_eval(p, m->other, m->scope);
		bool fine = v->n && !v->cycle;

		for (size_t i = 0; i < v->n; i++)
			fine &= m->call ? only_reads(p, v->v[i]) : is_plain(p, v->v[i]);
		if (!fine)
			note_open(p, m->name);
	}
}

/* True for d.items() and similar, on a plain name. */
static bool reads_dictionary(struct python *p, TSNode function)
{
	struct str name = node_is(function, "attribute") ? node_text(p->w,
			node_field(function, "attribute")) : STR("");

	return node_is(node_field(function, "object"), "identifier") &&
			str_is_any(name, "items keys values get");
}

static void collect_call(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	TSNode function = node_field(n, "function"), args = node_field(n, "arguments");
	struct str name;

	if (str_ends(node_text(p->w, function), "chdir") || str_ends(node_text(p->w, function), "chroot")) {
		struct py_def *d = arena_copy(p->a, (struct py_def){.next = p->chdirs, .expr = args,
				.scope = sc});

		p->chdirs = d;
	}
	if (node_is(function, "identifier") && py_identifier(p, node_text(p->w, function), &name) &&
			!is_mangled(sc, name)) {
		struct py_def *d = arena_copy(p->a,
				(struct py_def){.next = (struct py_def *)pmap_get(p->sites, name),
				.expr = args, .scope = sc});

		p->sites = pmap_set(p->a, p->sites, name, d);
		p->evals |= str_is_any(name, "exec eval");
	} else if (reads_dictionary(p, function)) {
		note_mention(p, node_text(p->w, node_field(function, "object")));
	} else {
		collect_bindings(p, function, sc, depth + 1);
	}
	py_own_attributes(p, function, args);
	if (may_only_read(p, function) && node_is(args, "argument_list"))
		collect_given(p, args, function, sc, depth + 1);
	else
		collect_bindings(p, args, sc, depth + 1);
}

static void collect_attribute(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	struct str name;

	if (!py_identifier(p, node_text(p->w, node_field(n, "attribute")), &name))
		code_marker_add(p->w, MARKER_IDENTIFIER, n);
	p->evals |= str_is_any(name, "exec eval");
	collect_bindings(p, node_field(n, "object"), sc, depth + 1);
}

static void collect_delete(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);

	for (uint32_t i = 0; i < count; i++)
		if (!node_is(kids[i], "identifier"))
			bind_target(p, sc, kids[i], &(struct py_def){.kind = DEF_UNKNOWN, .scope = sc},
					depth + 1);
}

static void collect_identifier(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	(void)depth;
	struct str name;

	if (!py_identifier(p, node_text(p->w, n), &name) || is_mangled(sc, name))
		code_marker_add(p->w, MARKER_IDENTIFIER, n);
	else
		note_open(p, name);
	p->evals |= str_is_any(name, "exec eval");
}

static void collect_value(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	collect_bindings(p, node_field(n, "value"), sc, depth + 1);
}

static void collect_subscript(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	if (node_is(node_field(n, "value"), "identifier"))
		collect_reads(p, n, sc, depth);
	else
		collect_all(p, n, sc, depth);
}

/* Nodes that bind or read names in their own way. All others use collect_all(). */
static const struct {
	const char type[28];
	void (*collect)(struct python *p, TSNode n, struct py_scope *sc, unsigned depth);
} collectors[] = {
	{"identifier", collect_identifier}, {"function_definition", collect_function},
	{"lambda", collect_function},
	{"decorated_definition", collect_decorated}, {"class_definition", collect_class},
	{"generator_expression", collect_comprehension}, {"list_comprehension", collect_comprehension},
	{"set_comprehension", collect_comprehension}, {"dictionary_comprehension", collect_comprehension},
	{"assignment", collect_assignment}, {"augmented_assignment", collect_augmented},
	{"named_expression", collect_named}, {"for_statement", collect_for}, {"for_in_clause", collect_for},
	{"as_pattern", collect_as}, {"except_clause", collect_except}, {"import_statement", collect_import},
	{"import_from_statement", collect_from}, {"global_statement", collect_outer},
	{"nonlocal_statement", collect_outer}, {"case_pattern", collect_pattern}, {"call", collect_call},
	{"attribute", collect_attribute}, {"delete_statement", collect_delete},
	{"return_statement", collect_return},
	{"yield", collect_yield}, {"keyword_argument", collect_value}, {"binary_operator", collect_operands},
	{"comparison_operator", collect_operands}, {"interpolation", collect_reads},
	{"subscript", collect_subscript},
};

static void collect_bindings(struct python *p, TSNode n, struct py_scope *sc, unsigned depth)
{
	const char *type = ts_node_is_null(n) ? "" : ts_node_type(n);

	if (!*type)
		return;
	if (depth > CODE_DEPTH_MAX) {
		code_marker_add(p->w, MARKER_BOUND, n);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(collectors); i++)
		if (!strcmp(type, collectors[i].type)) {
			collectors[i].collect(p, n, sc, depth);
			return;
		}
	collect_all(p, n, sc, depth);
}

void py_collect(struct python *p, TSNode root)
{
	/* functions that set attributes by computed names */
	static const char setters[][16] = {"setattr", "delattr", "vars", "update_wrapper", "wraps"};
	/* words that create classes; "ock" is for Mock */
	static const char makers[][8] = {"class", "type", "Meta", "ock"};
	static const char odd[][20] = {"__instancecheck__", "__subclasshook__", "__match_args__", "register",
			"setattr", "type("};

	for (size_t i = 0; i < ARRAY_SIZE(makers); i++)
		p->classes |= str_contains(p->w->src, str_of(makers[i]));
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
		p->steers |= str_contains(p->w->src, str_of(odd[i]));
	p->makes_otherwise = makes_otherwise(p->w->src);
	for (size_t i = 0; i < ARRAY_SIZE(setters); i++)
		if (str_contains(p->w->src, str_of(setters[i])))
			p->stored = pmap_set(p->a, p->stored, STR("*"), p);
	p->module = new_scope(p, root, SCOPE_MODULE, NULL);
	collect_bindings(p, root, p->module, 0);
	p->early = true;
	settle_maybes(p);
	py_directories(p);
	p->early = false;
	for (struct py_binding *b = p->early_memos; b; b = b->early)
		b->memo = NULL;
}
