/*
 * Evaluates a Python expression to its possible values: names through their bindings, constants, attributes.
 * Records no findings.
 */
#include <stdlib.h>

#include "code/python.h"

/* ---- sets of values ---- */

const struct pvs *pvs_one(struct python *p, const struct pv *v)
{
	struct pvs *s = arena_new(p->a, struct pvs);

	s->n = 1;
	s->v[0] = v;
	return s;
}

static const struct pv *make_value(struct python *p, struct pv v)
{
	struct pv *n = arena_new(p->a, struct pv);

	*n = v;
	return n;
}

const struct pvs *pvs_text(struct python *p, enum pv_kind kind, struct str text)
{
	return pvs_one(p, make_value(p, (struct pv){.kind = kind, .text = text}));
}

static bool same_value(const struct pv *x, const struct pv *y)
{
	return x == y || (x->kind == y->kind && x->of == y->of && !x->nitems && !y->nitems &&
			str_eq(x->text, y->text) && x->node.id == y->node.id && x->many == y->many &&
			x->strict == y->strict);
}

static bool all_plain(const struct pvs *s, unsigned depth);

/* True if PV_UNKNOWN can replace the value: it contains neither a module nor a function with an effect. */
static bool is_plain(const struct pv *v, unsigned depth)
{
	bool plain = v->kind == PV_UNKNOWN || v->kind == PV_TEXT || v->kind == PV_PATH ||
			v->kind == PV_DATA || v->kind == PV_USER || v->kind == PV_SEQ || v->kind == PV_BELOW;

	for (size_t i = 0; plain && i < v->nitems; i++)
		plain = depth < PY_PLAIN_DEPTH_MAX && all_plain(v->items[i], depth + 1);
	return plain;
}

static bool all_plain(const struct pvs *s, unsigned depth)
{
	for (size_t i = 0; i < s->n; i++)
		if (!is_plain(s->v[i], depth))
			return false;
	return true;
}

const struct pvs *pvs_join(struct python *p, const struct pvs *x, const struct pvs *y)
{
	struct pvs *s = arena_new(p->a, struct pvs);

	*s = *x;
	s->cycle |= y->cycle;
	for (size_t i = 0; i < y->n; i++) {
		size_t k = 0;

		while (k < s->n && !same_value(s->v[k], y->v[i]))
			k++;
		if (k < s->n)
			continue;
		if (s->n == PY_VALUES_MAX) {
			bool plain = all_plain(x, 0) && all_plain(y, 0);

			s->n = 1;
			s->v[0] = plain ? p->unknown : p->lost;
			return s;
		}
		s->v[s->n++] = y->v[i];
	}
	return s;
}

/* `dir` must be exact. */
const struct pvs *pvs_below(struct python *p, struct str dir, bool path, bool strict)
{
	return pvs_one(p,
			make_value(p, (struct pv){.kind = PV_BELOW, .text = dir, .many = path,
			.strict = strict}));
}

struct str py_text(struct python *p, const struct pv *v)
{
	(void)p;
	return v->kind == PV_TEXT || v->kind == PV_PATH || (v->kind == PV_DATA && v->text.n) ? v->text :
			CODE_HOLE;
}

/* ---- names ---- */

static const struct pvs *eval_binding(struct python *p, struct py_binding *b);

/*
 * Returns all possible values of a name. A class does not hide outer names, because they are visible until
 * the class binds the name.
 */
static const struct pvs *bound_values(struct python *p, const struct py_scope *sc, struct str name,
		bool *ret_local)
{
	const struct pvs *all = NULL;
	bool past = false;

	*ret_local = false;
	for (const struct py_scope *s = sc; s && !*ret_local; s = s->parent) {
		bool declared = pmap_get(s->outer, name) != NULL;
		const struct py_binding *b = declared ? NULL : pmap_get(s->names, name);
		const struct pvs *one = b ? eval_binding(p, (struct py_binding *)b) : NULL;

		if (one)
			all = all ? pvs_join(p, all, one) : one;
		/*
		 * a global, or a name that a class may not have bound yet: enclosing functions do not hide it
		 */
		past |= declared || (b && s->kind == SCOPE_CLASS);
		*ret_local = b && s->kind == SCOPE_FUNCTION && !past;
	}
	return all;
}

/*
 * Any holder of a list may change it, so its items are known only if no one else holds it. Tuples are
 * immutable.
 */
static const struct pv *settle_value(struct python *p, const struct pv *v, bool top, bool open)
{
	const struct pvs **items;

	if (v->kind != PV_SEQ && !(v->kind == PV_DATA && v->nitems))
		return v;
	if (!node_is(v->node, "tuple") && !node_is(v->node, "expression_list") && !(top && !open))
		return v->kind == PV_SEQ ? p->data : make_value(p,
				(struct pv){.kind = PV_DATA, .node = v->node});
	items = arena_array(p->a, v->nitems + 1, sizeof(*items));
	for (size_t i = 0; i < v->nitems; i++) {
		struct pvs *s = arena_new(p->a, struct pvs);

		*s = *v->items[i];
		for (size_t k = 0; k < s->n; k++)
			s->v[k] = settle_value(p, s->v[k], false, true);
		items[i] = s;
	}
	return make_value(p, (struct pv){.kind = v->kind, .items = items, .nitems = v->nitems,
			.many = v->many, .node = v->node});
}

static const struct pvs *settle_values(struct python *p, const struct pvs *all, bool open)
{
	struct pvs *s = NULL;

	for (size_t i = 0; i < all->n; i++) {
		if (!all->v[i]->nitems && all->v[i]->kind != PV_SEQ)
			continue;
		if (!s) {
			s = arena_new(p->a, struct pvs);
			*s = *all;
		}
		s->v[i] = settle_value(p, all->v[i], true, open || p->evals || p->early);
	}
	return s ? s : all;
}

/* True for an object of a third-party type. */
static bool is_foreign(const struct pv *v) { return v->kind == PV_INST && str_is(v->text, "*"); }

static const struct pvs *item_values(struct python *p, const struct pvs *of, size_t index)
{
	const struct pvs *all = NULL;

	for (size_t i = 0; i < of->n; i++) {
		const struct pv *v = of->v[i];
		const struct pvs *one = v->kind == PV_SEQ && index < v->nitems ? v->items[index] :
				v->kind == PV_TEXT ? pvs_text(p, PV_TEXT, CODE_HOLE) :
			v->kind == PV_LOST || is_foreign(v) ? pvs_one(p, v) : pvs_unknown(p);

		all = all ? pvs_join(p, all, one) : one;
	}
	return all && !of->cycle ? all : pvs_unknown(p);
}

const struct pvs *py_elements(struct python *p, const struct pvs *of)
{
	const struct pvs *all = NULL;

	for (size_t i = 0; i < of->n; i++) {
		const struct pv *v = of->v[i];
		const struct pvs *one = v->kind == PV_TEXT ? pvs_text(p, PV_TEXT, CODE_HOLE) :
				v->kind == PV_LOST || is_foreign(v) ? pvs_one(p, v) : v->nitems ?
				v->items[0] : pvs_unknown(p);

		for (size_t k = v->kind == PV_SEQ ? 1 : 2; k < v->nitems; k += v->kind == PV_SEQ ? 1 : 2)
			one = pvs_join(p, one, v->items[k]);
		all = all ? pvs_join(p, all, one) : one;
	}
	return all && !of->cycle ? all : pvs_unknown(p);
}

/*
 * A function that is bound once and used only in calls gets the arguments of these calls. Calls of another
 * function with the same name only add values.
 */
static const struct pvs *eval_parameter(struct python *p, const struct py_def *d)
{
	const struct py_binding *f = d->home ? pmap_get(d->home->names, d->text) : NULL;
	const struct pvs *all = NULL;
	size_t n = 0;

	if (!f || f->ndefs != 1 || pmap_get(p->mentioned, d->text) || p->evals || p->stars)
		return pvs_unknown(p);
	for (const struct py_def *c = pmap_get(p->sites, d->text); c; c = c->next) {
		struct py_args args;
		const struct pvs *one;

		if (n++ >= PY_VALUES_MAX)
			return pvs_unknown(p);
		py_args_eval(p, c->expr, c->scope, &args);
		one = py_arg(p, &args, (int)d->index, str_c(p->a, d->name));
		one = one ? one : ts_node_is_null(d->expr) ? pvs_unknown(p) : py_eval(p, d->expr,
				d->scope);
		all = all ? pvs_join(p, all, one) : one;
	}
	return all ? all : pvs_unknown(p);
}

/* If a class without bases is used only in calls, its methods run only on its own objects. */
static const struct pvs *eval_self(struct python *p, const struct py_def *d)
{
	const struct py_binding *c = d->home ? pmap_get(d->home->names, d->text) : NULL;

	if (!c || d->home->kind == SCOPE_CLASS || pmap_get(p->sites, d->name) ||
			pmap_get(p->mentioned, d->name))
		return pvs_unknown(p); /* called by its plain name inside the class */
	if (c->ndefs != 1 || c->defs->kind != DEF_USER || pmap_get(p->mentioned, d->text) || p->evals ||
			p->stars || !ts_node_is_null(node_field(c->defs->expr, "superclasses")))
		return pvs_unknown(p);
	return pvs_one(p, make_value(p, (struct pv){.kind = PV_USER, .node = c->defs->expr}));
}

static const struct pvs *eval_def(struct python *p, const struct py_def *d)
{
	static const struct pvs nothing = {0};

	switch (d->kind) {
	case DEF_EXPR: return py_eval(p, d->expr, d->scope);
	case DEF_ITEM: return item_values(p, py_eval(p, d->expr, d->scope), d->index);
	case DEF_EACH: return py_elements(p, py_eval(p, d->expr, d->scope));
	case DEF_EACH_ITEM: return item_values(p, py_elements(p, py_eval(p, d->expr, d->scope)), d->index);
	case DEF_ENTER: {
		const struct pvs *v = py_eval(p, d->expr, d->scope);

		for (size_t i = 0; i < v->n; i++)
			if (v->v[i]->kind != PV_INST && v->v[i]->kind != PV_DATA &&
					v->v[i]->kind != PV_PATH && v->v[i]->kind != PV_TEXT)
				return pvs_unknown(p);
		return v;
	}
	case DEF_NAME: return pvs_text(p, PV_NAME, d->text);
	case DEF_USER: return pvs_one(p, make_value(p, (struct pv){.kind = PV_USER, .node = d->expr}));
	case DEF_PARAMETER: return eval_parameter(p, d);
	case DEF_SELF: return eval_self(p, d);
	case DEF_DECORATED: {
		const struct pvs *by = py_eval(p, d->expr, d->scope);

		if (by->n == 1 && !by->cycle && by->v[0]->kind == PV_NAME &&
				str_is(by->v[0]->text, "dataclasses.dataclass"))
			return &nothing; /* the class itself: another binding provides it */
		break;
	}
	case DEF_NONE: return pvs_text(p, PV_DATA, STR("None"));
	case DEF_UNKNOWN: break;
	}
	return pvs_unknown(p);
}

static const struct pvs *eval_binding(struct python *p, struct py_binding *b)
{
	const struct pvs *all = NULL;
	unsigned low = p->low, level;

	if (b->memo)
		return b->memo;
	if (b->busy) {
		struct pvs *s = arena_new(p->a, struct pvs);

		s->cycle = true;
		if (b->level < p->low)
			p->low = b->level;
		return s;
	}
	if (b->ndefs > PY_DEFS_MAX)
		return pvs_one(p, p->lost);
	b->busy = true;
	b->level = level = p->level;
	p->low = ~0u;
	for (const struct py_def *d = b->defs; d; d = d->next) {
		const struct pvs *v = eval_def(p, d);

		all = all ? pvs_join(p, all, v) : v;
	}
	b->busy = false;
	if (p->low >= level) { /* complete: no name that is still being evaluated contributed */
		struct pvs *whole = arena_new(p->a, struct pvs);

		*whole = *all;
		whole->cycle = false;
		if (!whole->n) {
			whole->n = 1;
			whole->v[0] = p->unknown;
		}
		b->memo = all = whole;
		if (p->early) {
			b->early = p->early_memos;
			p->early_memos = b;
		}
		p->low = low;
	} else if (low < p->low) {
		p->low = low;
	}
	return all;
}

/*
 * Replaces values that are not tracked by unknown. That is sound, because effects were counted where the
 * value was returned or stored.
 */
static const struct pvs *at_least(struct python *p, const struct pvs *v)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i]->kind == PV_LOST)
			return pvs_unknown(p);
	return v->n && !v->cycle ? v : pvs_unknown(p);
}

const struct pvs *py_returned(struct python *p, TSNode function)
{
	const struct py_scope *sc = py_scope_of(p, function, NULL);

	if (!sc || !sc->result || sc->generator)
		return pvs_unknown(p);
	return settle_values(p, at_least(p, eval_binding(p, sc->result)), true);
}

/*
 * Returns the values of an attribute of an object that the code defines: everything ever stored under that
 * name, unless a special method may intercept the access.
 */
static const struct pvs *field_values(struct python *p, const struct pv *v, struct str attr)
{
	static const char between[][20] = {"__get__", "__set__", "__getattr__", "__getattribute__",
			"__setattr__", "__delattr__", "__set_name__", "__slots__", "__reduce__",
			"__reduce_ex__", "__getstate__", "__setstate__", "__copy__", "__deepcopy__",
			"__replace__"};
	const struct py_binding *b = pmap_get(p->fields, attr);

	if (!b || !node_is(v->node, "class_definition") || str_starts(attr, "__") ||
			!ts_node_is_null(node_field(v->node, "superclasses")) ||
			pmap_get(p->stored, STR("*")) || p->evals)
		return pvs_unknown(p);
	for (size_t i = 0; i < ARRAY_SIZE(between); i++)
		if (pmap_get(p->own, str_of(between[i])))
			return pvs_unknown(p);
	return settle_values(p, at_least(p, eval_binding(p, (struct py_binding *)b)), true);
}

static const struct pvs *eval_name(struct python *p, TSNode n, const struct py_scope *sc)
{
	const struct pvs *all;
	struct str name;
	bool local;

	if (!py_identifier(p, node_text(p->w, n), &name))
		return pvs_one(p, p->lost);
	all = bound_values(p, sc, name, &local);
	if (local)
		return settle_values(p, all, pmap_get(p->open, name) != NULL);
	if (py_is_builtin(name)) {
		const struct pvs *one = pvs_text(p, PV_NAME, name);

		all = all ? pvs_join(p, all, one) : one;
	}
	for (const struct py_stars *s = p->stars; s; s = s->next) {
		const struct pvs *one = py_attribute(p,
				make_value(p, (struct pv){.kind = PV_NAME, .text = s->module}), name);

		if (one->v[0]->kind != PV_NAME || py_row(one->v[0]->text) || !all)
			all = all ? pvs_join(p, all, one) : one;
	}
	/* no binding at all */
	return all ? settle_values(p, all, pmap_get(p->open, name) != NULL) : pvs_one(p, p->lost);
}

/* ---- attributes ---- */

static const struct pvs *path_property(struct python *p, struct str path, struct str attr)
{
	struct str parent;
	ptrdiff_t slash = -1;

	path = py_path_plain(p, path);
	parent = py_path_parent(p, path);

	if (str_is(attr, "parent"))
		return pvs_text(p, PV_PATH, parent);
	for (ptrdiff_t at = 0; (at = str_find(path, '/', (size_t)at)) >= 0; at++)
		slash = at;
	if (str_is(attr, "name"))
		return pvs_text(p, PV_TEXT, text_exact(path) ? str_from(path, (size_t)(slash + 1)) :
				CODE_HOLE);
	if (str_is_any(attr, "stem suffix anchor drive root"))
		return pvs_text(p, PV_TEXT, CODE_HOLE);
	if (str_is_any(attr, "parts suffixes parents"))
		return pvs_unknown(p);
	return NULL;
}

/* Joins "os" and "remove" to "os.remove". A module that another module imports keeps its own name. */
static struct str qualified_name(struct python *p, struct str name, struct str attr)
{
	struct str full = str_fmt(p->a, "%.*s.%.*s", STR_ARG(name), STR_ARG(attr));

	if (!py_row(full) && py_module(full) == PY_MODULE_OTHER && py_is_stdlib(name) && py_is_stdlib(attr) &&
			!str_ends(name, str_c(p->a, attr)))
		return attr;
	if (str_is_any(full, "pathlib.PosixPath pathlib.PurePath pathlib.PurePosixPath"))
		return STR("pathlib.Path");
	if (str_is(full, "posix.path") || str_is_any(name, "posixpath ntpath"))
		return str_is(full, "posix.path") ? STR("os.path") : str_fmt(p->a, "os.path.%.*s",
				STR_ARG(attr));
	if (str_is(name, "posix"))
		return str_fmt(p->a, "os.%.*s", STR_ARG(attr));
	if (str_is_any(name, "builtins __builtins__"))
		return attr;
	return full;
}

static const struct pvs *constant_values(struct python *p, struct str name)
{
	static const struct {
		char name[16], text[20];
	} texts[] = {{"os.sep", "/"}, {"os.path.sep", "/"}, {"os.curdir", "."}, {"os.pardir", ".."},
			{"os.path.curdir", "."}, {"os.path.pardir", ".."}, {"os.linesep", "\n"},
			{"os.devnull", "/dev/null"},
		{"os.path.devnull", "/dev/null"}, {"os.extsep", "."}, {"os.pathsep", ":"},
		{"os.name", "posix"}, {"sys.platform", "linux"}, {"sys.executable", "/usr/bin/python3"}};

	ptrdiff_t i = STR_ROW(texts, name, name);

	if (i >= 0)
		return pvs_text(p, PV_TEXT, str_of(texts[i].text));
	if (str_is(name, "sys.argv"))
		return pvs_unknown(p);
	return NULL;
}

const struct pvs *py_attribute(struct python *p, const struct pv *v, struct str attr)
{
	const struct pvs *known = NULL;

	if (str_is(attr, "__class__") && (v->kind == PV_UNKNOWN || v->kind == PV_INST || v->kind == PV_NAME ||
			v->kind == PV_METHOD))
		return pvs_one(p, p->lost);
	if (v->kind == PV_NAME) {
		struct str full = v->text.n + attr.n > 256 ? STR("?") : qualified_name(p, v->text, attr);

		known = constant_values(p, full);
		return known ? known : pvs_text(p, PV_NAME, full);
	}
	if (v->kind == PV_PATH)
		known = path_property(p, v->text, attr);
	if (known)
		return known;
	if (v->kind == PV_BELOW && v->many)
		known = path_property(p, CODE_HOLE, attr);
	if (known)
		return str_is(attr, "name") ? pvs_text(p, PV_TEXT, v->strict ? str_n("\2", 1) : CODE_HOLE) :
				known;
	if (v->kind == PV_USER)
		return field_values(p, v, attr);
	if (v->kind == PV_PATH || v->kind == PV_BELOW || v->kind == PV_TEXT || v->kind == PV_INST ||
			(v->kind == PV_DATA && v->nitems))
		return pvs_one(p, make_value(p, (struct pv){.kind = PV_METHOD, .text = attr, .of = v}));
	return v->kind == PV_LOST ? pvs_one(p, p->lost) : pvs_unknown(p);
}

static const struct pvs *eval_attribute(struct python *p, TSNode n, const struct py_scope *sc)
{
	const struct pvs *of = py_eval(p, node_field(n, "object"), sc), *all = NULL;
	struct str attr;

	if (!py_identifier(p, node_text(p->w, node_field(n, "attribute")), &attr))
		return pvs_one(p, p->lost);
	for (size_t i = 0; i < of->n; i++) {
		const struct pvs *one = py_attribute(p, of->v[i], attr);

		all = all ? pvs_join(p, all, one) : one;
	}
	return all && !of->cycle ? all : of->cycle && all ? pvs_join(p, all, pvs_unknown(p)) :
			pvs_unknown(p);
}

/* ---- operators ---- */

/* True if a path below a directory stays below it after appending y. */
static bool stays_below(struct python *p, const struct pv *x, const struct pv *y, char op)
{
	if (op == '/')
		return x->many && py_stays_below(py_text(p, y));
	return op == '+' && !x->many && y->kind == PV_TEXT && str_starts(y->text, "/") &&
		py_stays_below(str_from(y->text, 1));
}

static const struct pvs *join_sequences(struct python *p, const struct pv *x, const struct pv *y)
{
	const struct pvs **items = arena_array(p->a, x->nitems + y->nitems + 1, sizeof(*items));

	memcpy(items, x->items, x->nitems * sizeof(*items));
	memcpy(items + x->nitems, y->items, y->nitems * sizeof(*items));
	return pvs_one(p,
			make_value(p, (struct pv){.kind = PV_SEQ, .items = items,
			.nitems = x->nitems + y->nitems}));
}

/* True if both are known sequences, and short enough together. */
static bool sequences(const struct pv *x, const struct pv *y)
{
	return x->kind == PV_SEQ && y->kind == PV_SEQ && !x->many && !y->many && x->nitems +
			y->nitems <= PY_ITEMS_MAX;
}

static const struct pvs *add_values(struct python *p, const struct pv *x, const struct pv *y, char op)
{
	bool text = x->kind == PV_TEXT || y->kind == PV_TEXT;

	if (x->kind == PV_BELOW && stays_below(p, x, y, op))
		return pvs_below(p, x->text, x->many, true);
	if (op == '/' && x->kind == PV_BELOW)
		return pvs_text(p, PV_PATH, CODE_HOLE);
	if (op == '/' && x->kind == PV_PATH)
		return pvs_text(p, PV_PATH, py_path_join(p, x->text, py_text(p, y)));
	if (op == '/' && y->kind == PV_PATH && x->kind == PV_TEXT)
		return pvs_text(p, PV_PATH, py_path_join(p, x->text, y->text));
	if (op == '%' && x->kind == PV_TEXT)
		return pvs_text(p, PV_TEXT, py_percent(p, x->text, pvs_one(p, y)));
	if (op == '+' && text)
		return pvs_text(p, PV_TEXT, py_cat(p, py_text(p, x), py_text(p, y)));
	if (op == '+' && sequences(x, y))
		return join_sequences(p, x, y);
	if (op == '*' && text)
		return pvs_text(p, PV_TEXT, CODE_HOLE);
	if (x->kind == PV_DATA && y->kind == PV_DATA)
		return pvs_one(p, p->data);
	return pvs_unknown(p);
}

static const struct pvs *eval_binary(struct python *p, TSNode n, const struct py_scope *sc)
{
	const struct pvs *x = py_eval(p, node_field(n, "left"), sc),
			*y = py_eval(p, node_field(n, "right"), sc), *all = NULL;
	struct str op = node_text(p->w, node_field(n, "operator"));

	if (x->cycle || y->cycle || op.n != 1)
		return pvs_unknown(p);
	for (size_t i = 0; i < x->n; i++)
		for (size_t k = 0; k < y->n; k++) {
			const struct pvs *one = add_values(p, x->v[i], y->v[k], op.p[0]);

			all = all ? pvs_join(p, all, one) : one;
			if (all->v[0] == p->lost) /* an operator never returns a function with effects */
				return pvs_unknown(p);
		}
	return all ? all : pvs_unknown(p);
}

/* ---- sequences ---- */

static const struct pvs *eval_sequence(struct python *p, TSNode n, const struct py_scope *sc)
{
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);
	const struct pvs **items;

	if (count > PY_ITEMS_MAX)
		return pvs_one(p, p->data);
	items = arena_array(p->a, count + 1, sizeof(*items));
	for (uint32_t i = 0; i < count; i++) {
		if (node_is(kids[i], "list_splat") || node_is(kids[i], "parenthesized_list_splat"))
			return pvs_one(p, p->data);
		items[i] = py_eval(p, kids[i], sc);
		if (items[i]->cycle)
			return pvs_one(p, p->data);
	}
	return pvs_one(p,
			make_value(p, (struct pv){.kind = PV_SEQ, .items = items, .nitems = count,
			.node = n}));
}

static bool small_number(struct str s, size_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (!ascii_is_digit(s.p[i]) || s.n > 4)
			return false;
		*ret = *ret * 10 + (size_t)(s.p[i] - '0');
	}
	return s.n > 0;
}

static const struct pvs *eval_subscript(struct python *p, TSNode n, const struct py_scope *sc)
{
	const struct pvs *of = py_eval(p, node_field(n, "value"), sc);
	TSNode key = node_field(n, "subscript");
	size_t index;

	if (of->n == 1 && !of->cycle && of->v[0]->kind == PV_NAME &&
			str_is_any(of->v[0]->text, "os.environ os.environb")) {
		const struct pvs *name = py_eval(p, key, sc);

		return pvs_text(p, PV_TEXT, name->n == 1 && name->v[0]->kind == PV_TEXT &&
				str_is(name->v[0]->text, "HOME") ? py_home(p) : CODE_HOLE);
	}
	if (of->n == 1 && !of->cycle && of->v[0]->kind == PV_DATA && of->v[0]->nitems)
		return at_least(p, py_dict_value(p, of->v[0], py_eval(p, key, sc)));
	if (node_is(key, "integer") && small_number(node_text(p->w, key), &index))
		return item_values(p, of, index);
	for (size_t i = 0; i < of->n; i++)
		if (of->v[i]->kind == PV_LOST || is_foreign(of->v[i]))
			return pvs_one(p, of->v[i]);
	if (of->n && of->v[0]->kind == PV_TEXT)
		return pvs_text(p, PV_TEXT, CODE_HOLE);
	if (of->n == 1 && of->v[0]->kind == PV_SEQ && !node_is(key, "slice"))
		return py_elements(p, of);
	return pvs_unknown(p);
}

/* ---- calls ---- */

/* Evaluates the arguments in order. A star leaves the rest unknown. */
void py_args_eval(struct python *p, TSNode list, const struct py_scope *sc, struct py_args *ret)
{
	uint32_t n;
	TSNode *kids = py_children(p, list, &n);

	*ret = (struct py_args){0};
	if (node_is(list, "generator_expression")) {
		ret->v[ret->n++] = (struct py_arg){.v = pvs_one(p, p->data), .node = list};
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct py_arg *a = &ret->v[ret->n];
		TSNode value = kids[i];

		if (ret->n == PY_ARGS_MAX || node_is(kids[i], "list_splat") ||
				node_is(kids[i], "dictionary_splat")) {
			ret->open = true;
			continue;
		}
		*a = (struct py_arg){.node = kids[i], .scope = sc};
		if (node_is(kids[i], "keyword_argument")) {
			value = node_field(kids[i], "value");
			if (!py_identifier(p, node_text(p->w, node_field(kids[i], "name")), &a->name))
				ret->open = true;
		} else if (ret->open) {
			continue; /* after a star: its position is unknown */
		}
		a->v = py_eval(p, value, sc);
		a->node = value;
		ret->n++;
	}
}

const struct pvs *py_arg(struct python *p, const struct py_args *args, int pos, const char *name)
{
	int at = 0;

	for (size_t i = 0; i < args->n; i++) {
		if (args->v[i].name.n ? str_is(args->v[i].name, name) : at == pos)
			return args->v[i].v->cycle || !args->v[i].v->n ? pvs_unknown(p) : args->v[i].v;
		at += !args->v[i].name.n;
	}
	return args->open || args->escaped ? pvs_unknown(p) : NULL;
}

static const struct pvs *eval_call(struct python *p, TSNode n, const struct py_scope *sc)
{
	const struct pvs *of = py_eval(p, node_field(n, "function"), sc), *all = NULL;
	struct py_args args;

	py_args_eval(p, node_field(n, "arguments"), sc, &args);
	for (size_t i = 0; i < of->n; i++) {
		const struct pvs *one = py_result(p, of->v[i], &args);

		all = all ? pvs_join(p, all, one) : one;
	}
	return all && !of->cycle ? all : pvs_unknown(p);
}

/* ---- expressions ---- */

static const struct pvs *eval_number(struct python *p, TSNode n, const struct py_scope *sc)
{
	(void)sc;
	return pvs_text(p, PV_DATA, node_text(p->w, n));
}

/* -x, x == y: unknown if a class of the code may define the operator. */
static const struct pvs *eval_operator(struct python *p, TSNode n, const struct py_scope *sc)
{
	(void)sc;
	return p->classes ? pvs_unknown(p) : pvs_one(p,
			make_value(p, (struct pv){.kind = PV_DATA, .node = n}));
}

static const struct pvs *eval_data(struct python *p, TSNode n, const struct py_scope *sc)
{
	(void)sc;
	return pvs_one(p, make_value(p, (struct pv){.kind = PV_DATA, .node = n}));
}

/* f"{x}" with several values for one x yields one text per value. */
static const struct pvs *eval_string(struct python *p, TSNode n, const struct py_scope *sc)
{
	struct py_pick pick = {0};
	const struct pvs *all = pvs_text(p, PV_TEXT, py_string(p, n, sc, &pick));

	if (pick.several != 1 || pick.n > PY_VALUES_MAX)
		return all;
	all = NULL;
	for (pick.at = 1; pick.at <= pick.n; pick.at++) {
		const struct pvs *one = pvs_text(p, PV_TEXT, py_string(p, n, sc, &pick));

		all = all ? pvs_join(p, all, one) : one;
	}
	return all;
}

static const struct pvs *eval_strings(struct python *p, TSNode n, const struct py_scope *sc)
{
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);
	struct str all = STR("");

	for (uint32_t i = 0; i < count; i++)
		all = py_cat(p, all, py_string(p, kids[i], sc, NULL));
	return pvs_text(p, PV_TEXT, all);
}

static const struct pvs *eval_first(struct python *p, TSNode n, const struct py_scope *sc)
{
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);

	return count == 1 ? py_eval(p, kids[0], sc) : pvs_unknown(p);
}

static const struct pvs *eval_right(struct python *p, TSNode n, const struct py_scope *sc)
{
	TSNode v = node_field(n, "right");

	return ts_node_is_null(v) ? pvs_unknown(p) : py_eval(p, v, sc);
}

static const struct pvs *eval_value(struct python *p, TSNode n, const struct py_scope *sc)
{
	return py_eval(p, node_field(n, "value"), sc);
}

static const struct pvs *eval_either(struct python *p, TSNode n, const struct py_scope *sc)
{
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);

	if (node_is(n, "conditional_expression") && count == 3)
		return pvs_join(p, py_eval(p, kids[0], sc), py_eval(p, kids[2], sc));
	return count == 2 ? pvs_join(p, py_eval(p, kids[0], sc), py_eval(p, kids[1], sc)) : pvs_unknown(p);
}

static const struct pvs *eval_lambda(struct python *p, TSNode n, const struct py_scope *sc)
{
	(void)sc;
	return pvs_one(p, make_value(p, (struct pv){.kind = PV_USER, .node = n}));
}

/* Evaluates a comprehension to a list of its body's values. */
static const struct pvs *eval_comprehension(struct python *p, TSNode n, const struct py_scope *sc)
{
	TSNode body = node_field(n, "body");
	const struct pvs **items = arena_array(p->a, 1, sizeof(*items));

	items[0] = node_is(body, "pair") ? pvs_unknown(p) : py_eval(p, body, py_scope_of(p, n, sc));
	if (items[0]->cycle || !items[0]->n || items[0]->v[0]->kind == PV_LOST)
		return pvs_one(p, p->data);
	return pvs_one(p,
			make_value(p, (struct pv){.kind = PV_SEQ, .items = items, .nitems = 1, .many = true,
			.node = n}));
}

static const struct {
	const char *type;
	const struct pvs *(*eval)(struct python *, TSNode, const struct py_scope *);
	bool kept; /* cache the result: the expression has parts */
} kinds[] = {
	{"assignment", eval_right, false}, {"attribute", eval_attribute, true}, {"await", eval_first, false},
	{"binary_operator", eval_binary, true}, {"boolean_operator", eval_either, true},
	{"call", eval_call, true}, {"comparison_operator", eval_operator, false},
	{"concatenated_string", eval_strings, true}, {"conditional_expression", eval_either, true},
	{"dictionary", py_dictionary, true},
	{"dictionary_comprehension", eval_data, false}, {"ellipsis", eval_data, false},
	{"expression_list", eval_sequence, true}, {"false", eval_number, false},
	{"float", eval_number, false},
	{"generator_expression", eval_comprehension, true}, {"identifier", eval_name, false},
	{"integer", eval_number, false}, {"lambda", eval_lambda, false}, {"list", eval_sequence, true},
	{"list_comprehension", eval_comprehension, true}, {"named_expression", eval_value, false},
	{"none", eval_number, false}, {"not_operator", eval_data, false},
	{"parenthesized_expression", eval_first, false}, {"pattern_list", eval_sequence, true},
	{"set", eval_data, false}, {"set_comprehension", eval_comprehension, true},
	{"string", eval_string, true},
	{"subscript", eval_subscript, true}, {"true", eval_number, false}, {"tuple", eval_sequence, true},
	{"unary_operator", eval_operator, false},
};

static struct py_memo **memo_at(struct python *p, TSNode n, const struct py_scope *sc)
{
	struct py_memo **at = &p->memos[((uintptr_t)n.id / 8 ^ (uintptr_t)n.id / 65536) & (p->nmemos - 1)];

	while (*at && ((*at)->id != n.id || (*at)->scope != sc))
		at = &(*at)->next;
	return at;
}

static void keep_values(struct python *p, TSNode n, const struct py_scope *sc, const struct pvs *v)
{
	struct py_memo **at = memo_at(p, n, sc);
	struct py_memo *m = arena_copy(p->a, (struct py_memo){.next = *at, .id = n.id, .scope = sc,
			.value = v});

	*at = m;
}

/*
 * Evaluates an expression. Caches the result unless it is incomplete: a bound was reached, or a name that is
 * still being evaluated contributed.
 */
const struct pvs *py_eval(struct python *p, TSNode n, const struct py_scope *sc)
{
	const void *hit;
	const struct pvs *v;
	unsigned low = p->low;
	size_t row, bounds = p->bounds;
	bool kept;

	if (ts_node_is_null(n))
		return pvs_unknown(p);
	if (!p->fuel || p->level >= PY_EVAL_DEPTH_MAX || walk_full(p->w)) {
		p->bounds++;
		return pvs_one(p, p->lost);
	}
	p->fuel--;
	hit = bsearch(ts_node_type(n), kinds, ARRAY_SIZE(kinds), sizeof(*kinds), type_order);
	if (!hit)
		return pvs_unknown(p);
	row = (size_t)((const char *)hit - (const char *)kinds) / sizeof(*kinds);
	kept = kinds[row].kept && p->memos;
	if (kept && *memo_at(p, n, sc))
		return (*memo_at(p, n, sc))->value;
	p->low = ~0u;
	p->level++;
	v = kinds[row].eval(p, n, sc);
	p->level--;
	if (kept && p->low == ~0u && p->bounds == bounds && !v->cycle)
		keep_values(p, n, sc, v);
	if (low < p->low)
		p->low = low;
	return v;
}
