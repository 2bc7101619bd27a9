/*
 * Abstract values of JavaScript expressions: the objects of the runtime and the constants that an expression
 * may stand for.
 */
#include "code/javascript.h"

#define DANGER_DEPTH_MAX 12

/* ---- sets ---- */

struct js_set js_one(struct js_value v)
{
	struct js_set s = {.n = 1};

	s.v[0] = v;
	return s;
}

static struct js_set number_set(struct str digits)
{
	return js_one((struct js_value){.kind = JS_NUM, .text = digits});
}

static bool same_value(const struct js_value *a, const struct js_value *b)
{
	return a->kind == b->kind && str_eq(a->text, b->text) &&
			((a->kind != JS_NODE && a->kind != JS_ITEMS) || ts_node_eq(a->node, b->node));
}

void js_bound(struct code_walk *w, TSNode n)
{
	struct js *js = js_of(w);

	if (!js->bound_said)
		code_marker_add(w, MARKER_BOUND, ts_node_is_null(n) ? js->root : n);
	js->bound_said = true;
}

void js_add(struct code_walk *w, struct js_set *s, struct js_value v, TSNode n)
{
	struct js_set one;

	for (size_t i = 0; i < s->n; i++)
		if (same_value(&s->v[i], &v))
			return;
	if (s->n < JS_UNION_MAX) {
		s->v[s->n++] = v;
		return;
	}
	/* An unknown value absorbs harmless ones; a value with an effect stays beside it. */
	one = js_one(v);
	for (size_t i = 0; !js_danger(w, &one) && i < s->n; i++) {
		one = js_one(s->v[i]);
		if (js_danger(w, &one))
			continue;
		s->v[i] = (struct js_value){.kind = JS_UNKNOWN};
		return;
	}
	js_bound(w, n);
}

void js_add_all(struct code_walk *w, struct js_set *s, const struct js_set *more, TSNode n)
{
	for (size_t i = 0; i < more->n; i++)
		js_add(w, s, more->v[i], n);
}

struct str js_text(const struct js_value *v)
{
	if (v->kind == JS_TEXT || (v->kind == JS_NUM && v->text.n))
		return v->text;
	if (v->kind == JS_UNDEF)
		return STR("undefined");
	/* digits, NaN ...: it can be part of a file name, but contains no slash */
	return v->kind == JS_NUM ? str_n("\2", 1) : CODE_HOLE;
}

struct str js_set_text(const struct js_set *s)
{
	if (s->n == 2 && (s->v[0].kind == JS_UNDEF || s->v[1].kind == JS_UNDEF))
		/* every caller's function rejects undefined */
		return js_text(&s->v[s->v[0].kind == JS_UNDEF]);
	return s->n == 1 ? js_text(&s->v[0]) : CODE_HOLE;
}

/* ---- literals ---- */

static struct js_set eval_source(struct code_walk *w, const struct js_source *s, unsigned depth);
static struct js_set items_of(struct code_walk *w, const struct js_value *v, struct str key);

static bool index_of(struct str key, size_t *ret)
{
	size_t v = 0;

	if (!key.n || key.n > 6)
		return false;
	for (size_t i = 0; i < key.n; i++) {
		if (!ascii_is_digit(key.p[i]))
			return false;
		v = v * 10 + (size_t)(key.p[i] - '0');
	}
	*ret = v;
	return true;
}

static struct js_set element_of(struct code_walk *w, const struct js_set *of);

static struct js_set array_elements(struct code_walk *w, TSNode array)
{
	struct js_set s = {0};
	size_t n;
	TSNode *c = js_children(w, array, &n);

	for (size_t i = 0; i < n && !js_of(w)->bound_said; i++) {
		struct js_set v = js_eval(w, node_is(c[i], "spread_element") ? js_last_child(w, c[i]) : c[i]);

		if (node_is(c[i], "spread_element"))
			v = element_of(w, &v);
		js_add_all(w, &s, &v, c[i]);
	}
	if (js_of(w)->arrays_change || !s.n)
		js_add(w, &s, (struct js_value){.kind = JS_UNKNOWN}, array);
	return s;
}

static struct js_set array_at(struct code_walk *w, TSNode array, struct str key)
{
	size_t n, at;
	TSNode *c = js_children(w, array, &n);

	if (str_is(key, "length"))
		return number_set(STR(""));
	if (!index_of(key, &at))
		return js_unknown(); /* a method */
	for (size_t i = 0; i < n; i++)
		if (node_is(c[i], "spread_element"))
			return array_elements(w, array);
	/* An index is reliable only without holes ([,a]), because a hole has no node. */
	if (js_of(w)->arrays_change || js_of(w)->arrays_move || ts_node_child_count(array) != 2 * n + 1)
		return array_elements(w, array);
	return at < n ? js_eval(w, c[at]) : js_unknown();
}

static struct js_set element_of(struct code_walk *w, const struct js_set *of)
{
	struct js_set s = {0};

	for (size_t i = 0; i < of->n; i++) {
		const struct js_value *v = &of->v[i];
		struct js_set more = js_unknown();

		if (v->kind == JS_UNDEF)
			continue; /* access to undefined throws */
		if (v->kind == JS_NODE && node_is(v->node, "array"))
			more = array_elements(w, v->node);
		else if (v->kind == JS_ITEMS)
			more = items_of(w, v, STR(""));
		else if (v->kind == JS_NAMES && !js_of(w)->arrays_change)
			more = js_one((struct js_value){.kind = JS_TEXT, .text = str_n("\2", 1)});
		else if (v->kind == JS_PACKAGE)
			more = js_one(*v);
		js_add_all(w, &s, &more, (TSNode){0});
	}
	return s;
}

struct js_set js_keys(struct code_walk *w, TSNode key)
{
	if (node_is(key, "string"))
		return js_one((struct js_value){.kind = JS_TEXT, .text = js_string(w, key)});
	if (node_is(key, "computed_property_name"))
		return js_eval(w, js_last_child(w, key));
	if (node_is(key, "number"))
		return js_eval(w, key); /* 0x10 is "16" */
	return js_one((struct js_value){.kind = JS_TEXT, .text = node_text(w, key)});
}

static struct str literal_key(struct code_walk *w, TSNode key)
{
	struct js_set s = js_keys(w, key);

	return js_set_text(&s);
}

/* Adds everything that is ever assigned to a member of this name, on any object. */
static void add_stores(struct code_walk *w, struct js_set *s, struct js_name *key, TSNode n)
{
	struct js_set *all;

	if (key->store_value) {
		js_add_all(w, s, key->store_value, n);
		return;
	}
	if (key->storing) {
		js_of(w)->cycles++;
		js_add(w, s, (struct js_value){.kind = JS_UNKNOWN}, n);
		return;
	}
	key->storing = true;
	all = arena_new(w->a, struct js_set);
	for (const struct js_def *d = key->stores; d && !js_of(w)->bound_said; d = d->next) {
		struct js_set v = eval_source(w, d->source, 0);

		js_add_all(w, all, &v, n);
	}
	key->storing = false;
	/*
	 * Also in a cycle: an unknown value there stands for any text, and a value with an effect was
	 * recorded where it is stored.
	 */
	key->store_value = all;
	js_add_all(w, s, all, n);
}

/* The value of a member of an object literal; an empty key stands for all members. */
static struct js_set object_at(struct code_walk *w, TSNode object, struct str key)
{
	struct js_set s = {0};
	size_t n;
	TSNode *c = js_children(w, object, &n);

	for (size_t i = 0; i < n; i++) {
		struct js_set v = {0};

		if (node_is(c[i], "spread_element")) {
			v = js_eval(w, js_last_child(w, c[i]));
			v = js_member(w, &v, key, c[i]);
		} else if (node_is(c[i], "shorthand_property_identifier")) {
			v = !key.n || str_eq(node_text(w, c[i]), key) ? js_eval(w, c[i]) : v;
		} else if (node_is(c[i], "pair")) {
			struct str k = literal_key(w, node_field(c[i], "key"));

			v = !key.n || !text_exact(k) ||
					str_eq(k, key) ? js_eval(w, node_field(c[i], "value")) : v;
		} else if (node_is(c[i], "method_definition")) {
			struct str k = literal_key(w, node_field(c[i], "name"));

			if (!key.n || !text_exact(k) || str_eq(k, key))
				js_add(w, &s, (struct js_value){.kind = JS_UNKNOWN}, c[i]);
		}
		js_add_all(w, &s, &v, c[i]);
	}
	if (!key.n || js_of(w)->stores_computed || (!s.n && !js_name_get(w, key)->stored) ||
			(index_of(key, &n) && (js_of(w)->arrays_change || js_of(w)->arrays_move)))
		js_add(w, &s, (struct js_value){.kind = JS_UNKNOWN}, object);
	else if (!s.n)
		js_add(w, &s, (struct js_value){.kind = JS_UNDEF}, object); /* before its first assignment */
	if (key.n && js_name_get(w, key)->stores)
		add_stores(w, &s, js_name_get(w, key), object);
	return s;
}

/* Keys or values of a literal; unknown if the text may add members. */
static struct js_set literal_items(struct code_walk *w, TSNode object, bool values)
{
	struct js_set s = {0};
	size_t n;
	TSNode *c = js_children(w, object, &n);
	bool closed = !js_of(w)->stores_any && !js_of(w)->stores_computed && n <= JS_ITEMS_MAX;

	for (size_t i = 0; i < n && closed; i++) {
		struct js_set v = {0};

		closed = node_is(c[i], "pair") || node_is(c[i], "shorthand_property_identifier");
		if (closed && values)
			v = js_eval(w, node_is(c[i], "pair") ? node_field(c[i], "value") : c[i]);
		else if (closed)
			v = js_one((struct js_value){.kind = JS_TEXT,
					.text = node_is(c[i], "pair") ? literal_key(w,
					node_field(c[i], "key")) : node_text(w, c[i])});
		js_add_all(w, &s, &v, c[i]);
	}
	if (!closed || !s.n)
		js_add(w, &s, (struct js_value){.kind = JS_UNKNOWN}, object);
	return s;
}

/* An element of Object.keys(), .values() or .entries(); `key`: the index within an entry. */
static struct js_set items_of(struct code_walk *w, const struct js_value *v, struct str key)
{
	struct js_set s, more;

	if (js_of(w)->arrays_change)
		return js_unknown();
	if (str_is(v->text, "entries"))
		return js_one((struct js_value){.kind = JS_ITEMS, .text = STR("entry"), .node = v->node});
	if (str_is_any(v->text, "keys values"))
		return literal_items(w, v->node, str_is(v->text, "values"));
	s = literal_items(w, v->node, str_is(key, "1"));
	if (str_is_any(key, "0 1"))
		return s;
	more = literal_items(w, v->node, true);
	js_add_all(w, &s, &more, v->node);
	return s;
}

/* ---- members ---- */

static struct js_set eval_name(struct code_walk *w, struct str text, TSNode n);

static struct js_set member_of(struct code_walk *w, const struct js_value *v, struct str key)
{
	struct js_value folded;

	switch (v->kind) {
	case JS_PATH:
		if (!key.n || str_is_any(key, "then catch finally"))
			return js_unknown(); /* a promise of it: the call examines the object */
		folded.text = str_cat(w->a, STR("process."), key);
		if (str_is(v->text, "globalThis") && !js_global(w, key) &&
				(str_is(key, "mainModule") ||
				(js_row(w, folded.text) && js_row(w, folded.text)->act != JS_ACT_PURE)))
			return js_path(js_canonical(w, folded.text)); /* `this` in a callback of process */
		if (str_is(v->text, "globalThis") && !js_global(w, key))
			return js_name_get(w, key)->declared ? eval_name(w, key, (TSNode){0}) : js_unknown();
		folded.text = js_canonical(w, str_cat(w->a, str_cat(w->a, v->text, STR(".")), key));
		if (js_fold_member(w, folded.text, &folded))
			return js_one(folded);
		return js_path(folded.text);
	case JS_NODE:
		if (node_is(v->node, "object"))
			return object_at(w, v->node, key);
		if (node_is(v->node, "array"))
			return key.n ? array_at(w, v->node, key) : array_elements(w, v->node);
		return js_unknown();
	case JS_NAMES:
	case JS_TEXT:
		if (str_is(key, "length"))
			return number_set(STR(""));
		if (v->kind == JS_NAMES && !js_of(w)->arrays_change && (!key.n || ascii_is_digit(key.p[0])))
			return js_one((struct js_value){.kind = JS_TEXT, .text = str_n("\2", 1)});
		return js_unknown();
	case JS_PACKAGE:
		return js_one(*v);
	case JS_ITEMS:
		return str_is(key, "length") ? number_set(STR("")) : !key.n ||
				ascii_is_digit(key.p[0]) ? items_of(w, v, key) : js_unknown();
	default:
		return js_unknown();
	}
}

struct js_set js_member(struct code_walk *w, const struct js_set *of, struct str key, TSNode n)
{
	struct js_set s = {0};

	for (size_t i = 0; i < of->n; i++) {
		struct js_set more;

		if (of->v[i].kind == JS_UNDEF)
			continue; /* access to undefined throws */
		more = member_of(w, &of->v[i], text_exact(key) ? key : STR(""));
		js_add_all(w, &s, &more, n);
	}
	return s.n ? s : js_unknown();
}

bool js_key(struct code_walk *w, TSNode n, struct str *ret_key)
{
	struct js_set s;

	if (node_is(n, "member_expression")) {
		*ret_key = node_text(w, node_field(n, "property"));
		return true;
	}
	s = js_eval(w, node_field(n, "index"));
	*ret_key = js_set_text(&s);
	return s.n == 1 && text_exact(*ret_key) && (s.v[0].kind == JS_TEXT || s.v[0].kind == JS_NUM);
}

static bool numbers_only(const struct js_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].kind != JS_NUM && s->v[i].kind != JS_UNDEF)
			return false;
	return s->n > 0 && !(s->n == 1 && s->v[0].kind == JS_UNDEF);
}

/* The members for any of these keys. */
static struct js_set members_of(struct code_walk *w, const struct js_set *object, const struct js_set *keys,
	TSNode n)
{
	struct js_set s = {0};

	for (size_t i = 0; i < keys->n; i++) {
		struct js_set more = js_member(w, object, js_text(&keys->v[i]), n);

		js_add_all(w, &s, &more, n);
	}
	return s.n ? s : js_unknown();
}

static struct js_set eval_member(struct code_walk *w, TSNode n)
{
	struct js_set object = js_eval(w, node_field(n, "object")), keys;
	struct str key;

	if (js_key(w, n, &key))
		return js_member(w, &object, key, n);
	keys = js_eval(w, node_field(n, "index"));
	return members_of(w, &object, &keys, n);
}

/* ---- names ---- */

/* The value of a parameter: the arguments of all calls, if the function is used only in calls by its name. */
static struct js_set eval_param(struct code_walk *w, struct str function, size_t index,
	const struct js_name *self)
{
	struct js_set s = {0};
	bool same = false;

	if (!js_closed(w, function))
		return js_unknown();
	for (const struct js_site *c = js_name_get(w, function)->sites; c && !js_of(w)->bound_said;
			c = c->next) {
		size_t n;
		TSNode *args = js_children(w, node_field(c->call, "arguments"), &n);
		struct js_set more;
		bool known = index < n;

		for (size_t i = 0; known && i <= index; i++)
			known = !node_is(args[i], "spread_element");
		if (known && self && node_is(args[index], "identifier") &&
				js_name_get(w, node_text(w, args[index])) == self) {
			same = true; /* the argument has the same name as the parameter: it adds nothing */
			continue;
		}
		more = known ? js_eval(w, args[index]) : js_unknown();
		js_add_all(w, &s, &more, c->call);
	}
	return s.n || same ? s : js_unknown();
}

/*
 * The value that a method passes to its callback: an array or promise method, unless the text defines one of
 * that name. Empty `method`: an element.
 */
static struct js_set given_by(struct code_walk *w, const struct js_set *of, struct str method, TSNode n)
{
	struct js_set s = {0};

	if (str_is(method, "then")) {
		for (size_t i = 0; i < of->n; i++)
			js_add(w, &s, of->v[i].kind == JS_PATH || of->v[i].kind == JS_PACKAGE ? of->v[i] :
					(struct js_value){.kind = JS_UNKNOWN}, n);
		return s;
	}
	s = element_of(w, of);
	if (method.n && (js_name_get(w, method)->stored || js_of(w)->stores_computed))
		js_add(w, &s, (struct js_value){.kind = JS_UNKNOWN}, n);
	return s;
}

/* Checks once per place: a source is evaluated again until its dependencies are settled. */
static void check_owner(struct code_walk *w, const struct js_set *of, struct str key, TSNode n)
{
	struct code_marker **before = w->markers_end;

	if (js_memo_get(w, n)->owner_said)
		return;
	js_check_owner(w, of, key, n);
	js_memo_get(w, n)->owner_said = before != w->markers_end;
}

static struct js_set eval_source(struct code_walk *w, const struct js_source *s, unsigned depth)
{
	struct js_set of, keys;

	if (depth > JS_PATTERN_DEPTH_MAX) {
		js_bound(w, s->node);
		return js_unknown();
	}
	switch (s->from) {
	case JS_FROM_EXPR:
		return js_eval(w, s->node);
	case JS_FROM_PATH:
		return js_path(s->key);
	case JS_FROM_PARAM:
		return eval_param(w, s->key, s->index, NULL);
	case JS_FROM_NUMBER:
		return number_set(STR(""));
	case JS_FROM_MEMBER:
		of = eval_source(w, s->of, depth + 1);
		check_owner(w, &of, s->key, s->node);
		return js_member(w, &of, s->key, s->node);
	case JS_FROM_KEY: /* an unknown key adds a marker when the pattern is visited */
		of = eval_source(w, s->of, depth + 1);
		keys = js_keys(w, s->node);
		for (size_t i = 0; i < keys.n; i++)
			check_owner(w, &of, js_text(&keys.v[i]), s->node);
		return members_of(w, &of, &keys, s->node);
	case JS_FROM_INDEX: /* second parameter: a number only for arrays; a Map passes the key */
		of = eval_source(w, s->of, depth + 1);
		for (size_t i = 0; i < of.n; i++)
			if (of.v[i].kind != JS_NAMES && of.v[i].kind != JS_ITEMS &&
					!(of.v[i].kind == JS_NODE && node_is(of.v[i].node, "array")))
				return js_unknown();
		return js_name_get(w, s->key)->own || js_of(w)->stores_computed ? js_unknown()
										: number_set(STR(""));
	case JS_FROM_ELEMENT:
		of = eval_source(w, s->of, depth + 1);
		return given_by(w, &of, s->key, s->node);
	default:
		return js_unknown();
	}
}

static struct js_set global_value(struct code_walk *w, struct str name)
{
	struct js_value folded;
	struct str p;

	if (!js_global(w, name))
		return js_unknown();
	if (str_is_any(name, "global window self"))
		return js_path(STR("globalThis"));
	p = js_builtin(name).n && !str_is(name, "module") ? js_builtin(name) : name;
	if (js_fold_member(w, p, &folded))
		return js_one(folded);
	return js_path(p);
}

static struct js_set eval_name(struct code_walk *w, struct str text, TSNode n)
{
	struct js *js = js_of(w);
	struct js_name *name = js_name_get(w, text);
	size_t cycles = js->cycles;
	struct js_set s = {0}, more;

	if (name->done)
		return name->value;
	if (name->busy) {
		js->cycles++;
		return js_unknown();
	}
	name->busy = true;
	js->busy++;
	for (const struct js_def *d = name->defs; d; d = d->next) {
		more = d->source->from == JS_FROM_PARAM ? eval_param(w, d->source->key, d->source->index,
				name) : eval_source(w, d->source, 0);
		js_add_all(w, &s, &more, n);
	}
	if (!name->top || !s.n) {
		if (!name->top && !(name->declared && !js_global(w, name->name)))
			more = global_value(w, name->name);
		else if (s.n)
			memset(&more, 0, sizeof(more));
		else
			more = js_unknown();
		js_add_all(w, &s, &more, n);
	}
	if (name->undef ||
			(name->is_var &&
			(name->ref_at < name->var_at ||
			(name->ref_fn && (name->ref_many || name->ref_fn != name->var_fn)))))
		js_add(w, &s, (struct js_value){.kind = JS_UNDEF}, n);
	name->busy = false;
	js->busy--;
	/* otherwise the value is incomplete: it depends on where the cycle was entered */
	if (js->cycles == cycles || js->busy == 0) {
		name->done = true;
		name->value = s;
	}
	return s;
}

/* ---- expressions ---- */

static struct js_set eval_both(struct code_walk *w, TSNode a, TSNode b, TSNode n)
{
	struct js_set s = js_eval(w, a), more = js_eval(w, b);

	js_add_all(w, &s, &more, n);
	return s;
}

static struct js_set eval_operator(struct code_walk *w, TSNode n)
{
	TSNode left = node_field(n, "left"), right = node_field(n, "right");
	const char *op = ts_node_type(node_field(n, "operator"));

	if (!strcmp(op, "+") || !strcmp(op, "+=")) {
		struct js_set a = js_eval(w, left), b = js_eval(w, right);

		return numbers_only(&a) && numbers_only(&b) ? number_set(STR("")) : js_concat(w, &a, &b, n);
	}
	if (!strncmp(op, "||", 2) || !strncmp(op, "&&", 2) || !strncmp(op, "??", 2))
		return eval_both(w, left, right, n);
	if (str_is_any(str_of(op), "- * / % ** << >> >>> & | ^ -= *= /= %= **= <<= >>= >>>= &= |= ^="))
		return number_set(STR(""));
	return js_unknown();
}

static struct js_set eval_template(struct code_walk *w, TSNode n)
{
	struct js_set s = js_one((struct js_value){.kind = JS_TEXT, .text = STR("")}), more;
	size_t count;
	TSNode *c = js_children(w, n, &count);

	for (size_t i = 0; i < count; i++) {
		if (node_is(c[i], "template_substitution"))
			more = js_eval(w, js_last_child(w, c[i]));
		else
			more = js_one((struct js_value){.kind = JS_TEXT,
					.text = node_is(c[i], "escape_sequence") ? js_escape(w,
					node_text(w, c[i])) : js_string(w, c[i])});
		s = js_concat(w, &s, &more, n);
	}
	return s;
}

static struct js_set eval_number(struct code_walk *w, TSNode n)
{
	struct str s = node_text(w, n);

	for (size_t i = 0; i < s.n; i++)
		if (!ascii_is_digit(s.p[i]) || s.n > 9 || (s.n > 1 && s.p[0] == '0'))
			return number_set(STR(""));
	return number_set(s);
}

static struct js_set eval_unary(TSNode n)
{
	const char *op = ts_node_type(node_field(n, "operator"));

	return !strcmp(op, "-") || !strcmp(op, "+") || !strcmp(op, "~") ? number_set(STR("")) : js_unknown();
}

/* True inside a class, where `this` is never the global object. */
static bool own_this(const struct js *js, TSNode n)
{
	size_t low = 0, high = js->nthis;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (js->own_this[mid] < ts_node_start_byte(n))
			low = mid + 1;
		else
			high = mid;
	}
	return low < js->nthis && js->own_this[low] == ts_node_start_byte(n);
}

static struct js_set eval_kind(struct code_walk *w, TSNode n)
{
	const char *t = ts_node_type(n);

	if (!strcmp(t, "identifier") || !strcmp(t, "shorthand_property_identifier") ||
			!strcmp(t, "undefined"))
		return eval_name(w, node_text(w, n), n);
	if (!strcmp(t, "string"))
		return js_one((struct js_value){.kind = JS_TEXT, .text = js_string(w, n)});
	if (!strcmp(t, "member_expression") || !strcmp(t, "subscript_expression"))
		return eval_member(w, n);
	if (!strcmp(t, "call_expression") || !strcmp(t, "new_expression"))
		return js_result(w, n);
	if (!strcmp(t, "binary_expression") || !strcmp(t, "augmented_assignment_expression"))
		return eval_operator(w, n);
	if (!strcmp(t, "number"))
		return eval_number(w, n);
	if (!strcmp(t, "template_string"))
		return eval_template(w, n);
	if (!strcmp(t, "parenthesized_expression") || !strcmp(t, "sequence_expression") ||
			!strcmp(t, "await_expression"))
		return js_eval(w, js_last_child(w, n));
	if (!strcmp(t, "ternary_expression"))
		return eval_both(w, node_field(n, "consequence"), node_field(n, "alternative"), n);
	if (!strcmp(t, "assignment_expression"))
		return js_eval(w, node_field(n, "right"));
	if (!strcmp(t, "unary_expression"))
		return eval_unary(n);
	if (!strcmp(t, "update_expression"))
		return number_set(STR(""));
	if (!strcmp(t, "this"))
		return own_this(js_of(w), n) ? js_unknown() : js_path(STR("globalThis"));
	if (!strcmp(t, "meta_property"))
		return str_starts(node_text(w, n), "import") ? js_path(STR("import.meta")) : js_unknown();
	if (str_is_any(str_of(t), "object array class class_declaration"))
		return js_one((struct js_value){.kind = JS_NODE, .node = n});
	if (js_is_function(n))
		return js_one((struct js_value){.kind = JS_NODE, .node = n});
	return js_unknown();
}

static bool is_remembered(TSNode n)
{
	static const char *const kinds[] = {"call_expression", "member_expression", "binary_expression",
			"subscript_expression", "new_expression", "ternary_expression", "template_string"};

	return node_is_any(n, kinds, ARRAY_SIZE(kinds));
}

static void remember_set(struct code_walk *w, struct js_memo *m, const struct js_set *s)
{
	struct js_value *v = arena_array(w->a, s->n, sizeof(*v));

	memcpy(v, s->v, s->n * sizeof(*v));
	m->value = v;
	m->n = s->n;
}

struct js_set js_eval(struct code_walk *w, TSNode n)
{
	struct js *js = js_of(w);
	struct js_memo *m = !ts_node_is_null(n) && is_remembered(n) ? js_memo_get(w, n) : NULL;
	size_t cycles = js->cycles;
	struct js_set s = {0};

	if (ts_node_is_null(n))
		return js_unknown();
	if (m && m->n) {
		memcpy(s.v, m->value, m->n * sizeof(*s.v));
		s.n = m->n;
		return s;
	}
	if (!js->steps || js->depth >= JS_EVAL_DEPTH_MAX || walk_full(w)) {
		js_bound(w, n);
		return js_unknown();
	}
	js->steps--;
	js->depth++;
	s = eval_kind(w, n);
	js->depth--;
	if (m && s.n && (js->cycles == cycles || js->busy == 0)) /* as in eval_name() */
		remember_set(w, m, &s);
	return s;
}

/* ---- danger ---- */

static bool danger_in(struct code_walk *w, const struct js_set *s, unsigned depth)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct js_value *v = &s->v[i];
		const struct js_row *r = v->kind == JS_PATH ? js_row(w, v->text) : NULL;

		if (v->kind == JS_PATH && (!r || (r->act != JS_ACT_PURE && r->act != JS_ACT_INERT)))
			return true;
		if (v->kind == JS_NODE && (node_is(v->node, "object") || node_is(v->node, "array"))) {
			struct js_memo *m = js_memo_get(w, v->node);
			size_t cycles = js_of(w)->cycles;
			struct js_set more = {0};
			bool is;

			if (m->danger == JS_DANGER_YES || depth >= DANGER_DEPTH_MAX)
				return true;
			if (m->danger == JS_DANGER_NO)
				continue;
			more = node_is(v->node, "array") ? array_elements(w, v->node) : object_at(w, v->node,
					STR(""));
			is = danger_in(w, &more, depth + 1);
			if (is || js_of(w)->cycles == cycles || js_of(w)->busy == 0)
				m->danger = is ? JS_DANGER_YES : JS_DANGER_NO;
			if (is)
				return true;
		}
	}
	return false;
}

bool js_danger(struct code_walk *w, const struct js_set *s) { return danger_in(w, s, 0); }
