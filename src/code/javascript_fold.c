/* Folds JavaScript constants: concatenation, paths, and a few pure functions that build paths. */
#include "code/javascript.h"

static struct js_value text_value(struct str s)
{
	return (struct js_value){.kind = JS_TEXT, .text = s.n > JS_TEXT_MAX ? CODE_HOLE : s};
}

struct js_set js_concat(struct code_walk *w, const struct js_set *a, const struct js_set *b, TSNode n)
{
	struct js_set s = {0};

	if (a->n * b->n > JS_UNION_MAX)
		return js_one(text_value(CODE_HOLE));
	for (size_t i = 0; i < a->n; i++)
		for (size_t k = 0; k < b->n; k++)
			js_add(w, &s, text_value(str_cat(w->a, js_text(&a->v[i]), js_text(&b->v[k]))), n);
	return s;
}

/* ---- paths ---- */

/*
 * Removes "." and empty parts, and resolves ".." if possible. A path that starts with a hole stays unchanged.
 */
static struct str normal_path(struct code_walk *w, struct str p)
{
	bool rooted = p.n && p.p[0] == '/';
	struct buf b;
	size_t from = 0;

	if (p.n && text_hole(p.p[0]))
		return p;
	buf_init(&b, w->a, 4 * JS_TEXT_MAX);
	for (size_t i = 0; i <= p.n; i++) {
		struct str part;

		if (i < p.n && p.p[i] != '/')
			continue;
		part = str_sub(p, from, i);
		from = i + 1;
		if (!part.n || str_is(part, "."))
			continue;
		if (str_is(part, "..") && memchr(b.p ? b.p : "x", HOLE_ANY, b.n))
			return CODE_HOLE;
		if (str_is(part, "..") && b.n && !str_ends(buf_view(&b), "..")) {
			while (b.n && b.p[b.n - 1] != '/')
				b.n--;
			b.n -= b.n > 0;
			continue;
		}
		if (str_is(part, "..") && rooted)
			continue;
		if (b.n)
			buf_char(&b, '/');
		buf_str(&b, part);
	}
	if (rooted)
		return str_cat(w->a, STR("/"), buf_view(&b));
	return b.n ? buf_view(&b) : STR(".");
}

/*
 * Joins the arguments as path.join. With `resolve` an absolute argument discards the ones before it, and the
 * path starts at the working directory.
 */
static struct js_set join_paths(struct code_walk *w, TSNode *args, size_t nargs, bool resolve, TSNode n)
{
	struct js_set p = js_one(text_value(resolve ? w->s->cwd : STR(""))), all, out = {0};
	struct js_set slash = js_one(text_value(STR("/")));

	for (size_t i = 0; i < nargs; i++) {
		struct js_set s = js_eval(w, args[i]);
		bool anew = resolve && s.n == 1 && js_text(&s.v[0]).n &&
				(js_text(&s.v[0]).p[0] == '/' || text_hole(js_text(&s.v[0]).p[0]));

		if (node_is(args[i], "spread_element") || (resolve && s.n > 1))
			return js_one(text_value(CODE_HOLE));
		if (s.n == 1 && s.v[0].kind == JS_TEXT && !s.v[0].text.n)
			continue; /* no effect */
		if (resolve || p.n > 1 || js_text(&p.v[0]).n) {
			all = js_concat(w, &p, &slash, n);
			p = anew ? s : js_concat(w, &all, &s, n);
		} else {
			p = s;
		}
	}
	for (size_t i = 0; i < p.n; i++)
		js_add(w, &out, text_value(normal_path(w, js_text(&p.v[i]))), n);
	return out;
}

static struct str directory_of(struct str p)
{
	size_t n = p.n;

	while (n > 1 && p.p[n - 1] == '/')
		n--;
	while (n && p.p[n - 1] != '/' && p.p[n - 1] != HOLE_ANY)
		n--;
	if (n && p.p[n - 1] == HOLE_ANY)
		return CODE_HOLE;
	return n > 1 ? str_first(p, n - 1) : n ? STR("/") : STR(".");
}

static struct str last_part(struct str p)
{
	size_t n = p.n;

	if (str_has(p, HOLE_ANY))
		return CODE_HOLE;
	while (p.n && p.p[p.n - 1] == '/')
		p.n--;
	for (n = p.n; n && p.p[n - 1] != '/';)
		n--;
	return str_from(p, n);
}

/* ---- calls ---- */

/*
 * True if the variable has the value in the caller's environment: neither the command nor the code sets it.
 */
static bool as_given(struct code_walk *w, const char *name)
{
	for (const struct setting *s = w->f->settings; s; s = s->next)
		if (str_is(s->name, name) || !text_exact(s->name))
			return false;
	return !js_name_get(w, str_of(name))->stored && !js_of(w)->stores_computed;
}

static bool fold_path(struct code_walk *w, struct str path, TSNode *args, size_t nargs, TSNode n,
		struct js_set *ret)
{
	struct js_set s = nargs ? js_eval(w, args[0]) : (struct js_set){0};
	struct str first = js_set_text(&s);

	if (nargs > JS_ARGS_MAX)
		return false;
	if (str_is_any(path, "path.join path.resolve"))
		*ret = join_paths(w, args, nargs, str_is(path, "path.resolve"), n);
	else if (str_is(path, "path.normalize") && nargs)
		*ret = js_one(text_value(normal_path(w, first)));
	else if (str_is(path, "path.dirname") && nargs)
		*ret = js_one(text_value(directory_of(first)));
	else if (str_is(path, "path.basename") && nargs == 1)
		*ret = js_one(text_value(last_part(first)));
	else
		return false;
	return true;
}

/* True if fs.readdir returns plain names, not entries or paths. */
static bool plain_names(struct code_walk *w, struct str path, TSNode *args, size_t nargs)
{
	struct js_set s;

	if (!str_is_any(path, "fs.readdirSync fs.promises.readdir"))
		return false;
	if (nargs < 2)
		return true;
	s = js_eval(w, args[1]);
	return s.n == 1 && s.v[0].kind == JS_TEXT;
}

bool js_fold_call(struct code_walk *w, struct str path, TSNode *args, size_t nargs, TSNode n,
	struct js_set *ret)
{
	static const char numbers[][20] = {"parseInt", "parseFloat", "Number", "Number.parseInt",
			"Number.parseFloat", "Date.now", "performance.now", "process.uptime"};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (str_is(path, numbers[i]) || str_starts(path, "Math.")) {
			*ret = js_one((struct js_value){.kind = JS_NUM});
			return true;
		}
	}
	if (str_is_any(path, "fs.mkdtempSync fs.promises.mkdtemp") && nargs) {
		struct js_set prefix = js_eval(w, args[0]), name = js_one(text_value(str_n("\2", 1)));

		*ret = js_concat(w, &prefix, &name, n);
		return true;
	}
	if (str_is(path, "fs.openSync")) {
		*ret = js_one((struct js_value){.kind = JS_NUM});
	} else if (str_is_any(path, "process.cwd Deno.cwd")) {
		*ret = js_one(text_value(w->s->cwd));
	} else if (str_is(path, "os.homedir")) {
		*ret = js_one(text_value(as_given(w, "HOME") && w->v->home.n ? w->v->home : CODE_HOLE));
	} else if (str_is(path, "os.tmpdir")) {
		*ret = js_one(text_value(as_given(w, "TMPDIR") && as_given(w, "TMP") &&
				as_given(w, "TEMP") ? (w->v->tmp.n ? w->v->tmp : STR("/tmp")) : CODE_HOLE));
	} else if (str_is(path, "String") && nargs == 1) {
		*ret = js_eval(w, args[0]);
		for (size_t i = 0; i < ret->n; i++)
			ret->v[i] = text_value(js_text(&ret->v[i]));
	} else if (plain_names(w, path, args, nargs)) {
		*ret = js_one((struct js_value){.kind = JS_NAMES});
	} else {
		return fold_path(w, path, args, nargs, n, ret);
	}
	return true;
}

static bool fold_join(struct code_walk *w, TSNode array, TSNode *args, size_t nargs, struct js_set *ret)
{
	struct js_set s = nargs ? js_eval(w, args[0]) : js_one(text_value(STR(",")));
	struct str between = js_set_text(&s), all = STR("");
	size_t n;
	TSNode *c = js_children(w, array, &n);

	if (js_of(w)->arrays_change || js_of(w)->arrays_move || n > JS_WORDS_MAX ||
			ts_node_child_count(array) > 2 * n + 2)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (node_is(c[i], "spread_element") || all.n > JS_TEXT_MAX)
			return false;
		s = js_eval(w, c[i]);
		all = str_cat(w->a, i ? str_cat(w->a, all, between) : all, js_set_text(&s));
	}
	*ret = js_one(text_value(all));
	return true;
}

/* True if all bytes are ASCII. Normalising can turn other characters into ; and `. */
static bool all_ascii(const struct js_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->v[i].text.n; k++)
			if (s->v[i].text.p[k] & 0x80)
				return false;
	return true;
}

bool js_fold_method(struct code_walk *w, const struct js_set *object, struct str name, TSNode *args,
		size_t nargs, TSNode n, struct js_set *ret)
{
	static const char numbers[][16] = {"indexOf", "lastIndexOf", "charCodeAt", "codePointAt", "findIndex",
			"search", "getTime", "localeCompare"};

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (str_is(name, numbers[i]) && !js_danger(w, object) && !js_name_get(w, name)->own &&
				!js_of(w)->stores_computed && !js_of(w)->keys_computed) {
			*ret = js_one((struct js_value){.kind = JS_NUM});
			return true;
		}
	}
	if (object->n == 1 && object->v[0].kind == JS_NODE && node_is(object->v[0].node, "array") &&
			str_is(name, "join"))
		return fold_join(w, object->v[0].node, args, nargs, ret);
	for (size_t i = 0; i < object->n; i++)
		if (object->v[i].kind != JS_TEXT)
			return false;
	if ((str_is(name, "toString") || (str_is(name, "normalize") && all_ascii(object))) && nargs == 0) {
		*ret = *object;
	} else if (str_is(name, "concat") && nargs == 1) {
		struct js_set more = js_eval(w, args[0]);

		*ret = js_concat(w, object, &more, n);
	} else {
		return false;
	}
	return true;
}

bool js_fold_member(struct code_walk *w, struct str path, struct js_value *ret)
{
	if (str_is_any(path, "__dirname import.meta.dirname import.meta.dir"))
		*ret = text_value(w->s->cwd);
	else if (str_is(path, "__filename"))
		*ret = text_value(str_cat(w->a, w->s->cwd, STR("/[eval]")));
	else if (str_is(path, "process.env.HOME") && as_given(w, "HOME") && w->v->home.n)
		*ret = text_value(w->v->home);
	else if (str_is(path, "path.sep"))
		*ret = text_value(STR("/"));
	else if (str_is(path, "os.EOL"))
		*ret = text_value(STR("\n"));
	else if (str_is(path, "undefined"))
		*ret = (struct js_value){.kind = JS_UNKNOWN};
	else
		return false;
	return true;
}
