/* Calls in JavaScript code: the effects of the runtime's functions on files, programs and hosts. */
#include "code/javascript.h"

bool js_argument(struct code_walk *w, const struct js_call *c, size_t i, struct js_set *ret)
{
	*ret = i < c->nargs ? js_eval(w, c->args[i]) : js_unknown();
	return i < c->nargs || c->open;
}

/* ---- options ---- */

/* True if an object literal certainly has no such member. */
static bool lacks_key(struct code_walk *w, TSNode object, const char *key)
{
	size_t n;
	TSNode *c = js_children(w, object, &n);

	for (size_t i = 0; i < n; i++) {
		TSNode name = node_is(c[i], "pair") ? node_field(c[i], "key") : node_is(c[i],
				"method_definition") ? node_field(c[i], "name") : c[i];
		struct str text = node_is(name, "string") ? js_string(w, name) : node_text(w, name);

		if (node_is(c[i], "spread_element") || node_is(name, "computed_property_name") ||
				!text_exact(text) || str_is(text, key) || str_has(text, '\\'))
			return false;
	}
	return !js_of(w)->stores_computed && !js_name_get(w, str_of(key))->stored;
}

bool js_option(struct code_walk *w, const struct js_call *c, size_t from, const char *key, struct js_set *ret)
{
	bool found = false;

	*ret = (struct js_set){0};
	for (size_t i = from; i < c->nargs || (i == from && c->open); i++) {
		struct js_set s, v;

		js_argument(w, c, i, &s);
		for (size_t k = 0; k < s.n; k++) {
			struct js_set one = js_one(s.v[k]);
			bool object = s.v[k].kind == JS_NODE && node_is(s.v[k].node, "object");

			if (s.v[k].kind == JS_TEXT || s.v[k].kind == JS_NUM || s.v[k].kind == JS_UNDEF ||
					(s.v[k].kind == JS_NODE && !object && !js_of(w)->stores_computed &&
					!js_name_get(w, str_of(key))->stored))
				continue;
			if (object && lacks_key(w, s.v[k].node, key))
				continue;
			v = object ? js_member(w, &one, str_of(key), c->n) : js_unknown();
			for (size_t x = 0; x < v.n; x++)
				js_add(w, ret, v.v[x], c->n);
			found = true;
		}
	}
	return found;
}

/* ---- files ---- */

static bool is_descriptor(const struct js_value *v) { return v->kind == JS_NUM; }

static void note_file(struct code_walk *w, const struct js_call *c, char how, const struct js_value *v,
	bool options)
{
	struct str path = js_text(v);

	if ((is_descriptor(v) && how != 'e') || v->kind == JS_UNDEF)
		return;
	switch (how) {
	case 'r': case 'R': case 'f':
		code_access(w, ACCESS_READ, path, how == 'R', c->op, c->n);
		break;
	case 'w': case 'W':
		code_access(w, ACCESS_WRITE, path, how == 'W', c->op, c->n);
		break;
	case 'e': /* a file with variables */
		js_env_add(w, CODE_HOLE, CODE_HOLE, c->n);
		break;
	case 'm':
		code_access(w, ACCESS_WRITE, str_cat(w->a, path, str_n("\2", 1)), false, c->op, c->n);
		break;
	case 'd': case 'D': case 'o':
		code_access(w, ACCESS_DELETE, path, how == 'D' || (how == 'o' && options), c->op, c->n);
		break;
	default:
		code_access(w, ACCESS_EXEC, path, false, c->op, c->n);
	}
}

/* Records the target of a link, which is relative to the link's directory. */
static void link_target(struct code_walk *w, const struct js_call *c, const struct js_value *v)
{
	struct js_set to;
	struct str target = js_text(v), at;

	js_argument(w, c, 1, &to);
	at = js_set_text(&to);
	if (target.n && target.p[0] != '/' && !text_hole(target.p[0])) {
		while (at.n && at.p[at.n - 1] == '/')
			at.n--;
		while (at.n && at.p[at.n - 1] != '/' && !text_hole(at.p[at.n - 1]))
			at.n--;
		target = at.n && text_hole(at.p[at.n - 1]) ? CODE_HOLE : str_cat(w->a, at, target);
	}
	w->change = CHANGE_PLAIN;
	code_access(w, ACCESS_WRITE, target, false, c->op, c->n);
	w->change = CHANGE_LINK;
}

static void note_files(struct code_walk *w, const struct js_call *c)
{
	struct js_set s, flag;

	js_of(w)->streams |= str_ends(c->path, "Stream");
	for (const char *p = c->row->what; p[0] && p[1]; p += 2) {
		size_t i = (size_t)(p[1] - '0');
		bool options = c->nargs > i + 1 || c->open;

		if (!js_argument(w, c, i, &s))
			continue; /* the call fails without a path */
		for (size_t k = 0; k < s.n; k++)
			p[0] == 'l' ? link_target(w, c, &s.v[k]) : note_file(w, c, p[0], &s.v[k], options);
		if (*p != 'f')
			continue;
		if ((js_option(w, c, i + 1, "flag", &flag) && !str_is(js_set_text(&flag), "r")) ||
				(js_option(w, c, i + 1, "flags", &flag) && !str_is(js_set_text(&flag), "r")))
			for (size_t k = 0; k < s.n; k++)
				note_file(w, c, 'w', &s.v[k], false);
	}
	w->change = CHANGE_PLAIN;
}

static void open_file(struct code_walk *w, const struct js_call *c)
{
	struct js_set s, flags;
	bool given = js_argument(w, c, 1, &flags), writes = false;

	js_argument(w, c, 0, &s);
	for (size_t i = 0; given && i < flags.n; i++) {
		struct str f = js_text(&flags.v[i]);

		if (flags.v[i].kind == JS_NODE && js_is_function(flags.v[i].node))
			continue; /* a callback: the file is opened for reading */
		writes |= !str_is_any(f, "r rs sr 0");
	}
	for (size_t i = 0; i < s.n; i++)
		note_file(w, c, writes ? 'w' : 'r', &s.v[i], false);
}

/* ---- programs ---- */

struct js_words {
	struct word *v;
	size_t n;
};

static void add_word(struct js_words *ws, struct word x)
{
	if (ws->n < JS_WORDS_MAX)
		ws->v[ws->n++] = x;
	else
		ws->v[ws->n - 1] = (struct word){.kind = WORD_REST, .at = x.at};
}

static void add_words(struct code_walk *w, struct js_words *ws, const struct js_set *s, TSNode n,
	unsigned depth)
{
	bool array = s->n == 1 && s->v[0].kind == JS_NODE && node_is(s->v[0].node, "array") &&
			!js_of(w)->arrays_move && !js_of(w)->arrays_change;
	size_t count = 0;
	TSNode *c = array ? js_children(w, s->v[0].node, &count) : NULL;

	if (!array || depth > JS_PATTERN_DEPTH_MAX) {
		add_word(ws, (struct word){.kind = WORD_REST, .at = node_at(w, n)});
		return;
	}
	for (size_t i = 0; i < count; i++) {
		bool spread = node_is(c[i], "spread_element");
		struct js_set v = js_eval(w, spread ? js_last_child(w, c[i]) : c[i]);

		if (spread)
			add_words(w, ws, &v, c[i], depth + 1);
		else
			add_word(ws, code_word(w, js_set_text(&v), c[i]));
	}
}

void js_environment(struct code_walk *w, struct str name, struct str value, TSNode n)
{
	if (name.n && text_exact(name))
		code_setting(w, name, value, n);
	else
		code_marker_add(w, MARKER_ENVIRONMENT, n);
}

void js_stored_environment(struct code_walk *w, TSNode n)
{
	if (js_of(w)->stores_computed)
		code_marker_add(w, MARKER_ENVIRONMENT, n);
	for (size_t i = 0; js_of(w)->stores_any && i < js_of(w)->nchains; i++)
		for (const struct js_name *k = js_of(w)->names[i]; k; k = k->next) {
			bool variable = k->stores && k->name.n > 1;

			for (size_t c = 0; c < k->name.n && !str_has(k->name, '_'); c++)
				variable &= ascii_is_upper(k->name.p[c]) || ascii_is_digit(k->name.p[c]);
			if (variable)
				js_environment(w, k->name, CODE_HOLE, n);
		}
}

/* Handles the option `env`: an object literal, possibly with ...process.env. */
static void note_environment(struct code_walk *w, const struct js_call *c, const struct js_value *v)
{
	size_t n = 0;
	TSNode *k = v->kind == JS_NODE && node_is(v->node, "object") ? js_children(w, v->node, &n) : NULL;

	if (v->kind == JS_PATH && str_is(v->text, "process.env"))
		return;
	if (!k)
		code_marker_add(w, MARKER_ENVIRONMENT, c->n);
	js_stored_environment(w, c->n);
	for (size_t i = 0; k && i < n; i++) {
		struct js_set s = js_eval(w, node_is(k[i], "spread_element") ? js_last_child(w, k[i]) :
				node_field(k[i], "value"));

		if (node_is(k[i], "spread_element"))
			s.n == 1 && s.v[0].kind == JS_PATH && str_is(s.v[0].text, "process.env") ? (void)0 :
					code_marker_add(w, MARKER_ENVIRONMENT, k[i]);
		else if (node_is(k[i], "pair") && (node_is(node_field(k[i], "key"), "property_identifier") ||
				node_is(node_field(k[i], "key"), "string")))
			js_environment(w, node_is(node_field(k[i], "key"), "string") ? js_string(w,
					node_field(k[i], "key")) : node_text(w, node_field(k[i], "key")),
					js_set_text(&s), k[i]);
		else
			code_marker_add(w, MARKER_ENVIRONMENT, k[i]);
	}
}

/* Applies the options cwd, env and input. *ret_cwd receives the old working directory. */
static void enter_options(struct code_walk *w, const struct js_call *c, size_t from, struct str *ret_cwd)
{
	struct js_set s;

	*ret_cwd = w->s->cwd;
	if (js_option(w, c, from, "cwd", &s)) {
		struct str dir = js_set_text(&s);

		if (text_exact(dir) && dir.n)
			w->s->cwd = dir.p[0] == '/' ? dir : str_cat(w->a, str_cat(w->a, w->s->cwd, STR("/")),
					dir);
		else
			w->s->cwd = CODE_HOLE;
	}
	if (js_option(w, c, from, "env", &s))
		for (size_t i = 0; i < s.n; i++)
			note_environment(w, c, &s.v[i]);
	if (js_option(w, c, from, "input", &s))
		code_marker_add(w, MARKER_PROCESS_INPUT, c->n);
}

/* True if there is an option `shell`. */
static bool in_shell(struct code_walk *w, const struct js_call *c, size_t from)
{
	struct js_set s;

	if (!js_option(w, c, from, "shell", &s))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (s.v[i].kind == JS_TEXT && !str_ends(s.v[i].text, "sh"))
			code_marker_add(w, MARKER_SHELL, c->n);
	return true; /* also for shell: false, where reading the words as a shell is a safe approximation */
}

static void run_shell(struct code_walk *w, const struct js_call *c)
{
	struct js_set s;
	struct str cwd;

	js_argument(w, c, 0, &s);
	enter_options(w, c, 1, &cwd);
	in_shell(w, c, 1);
	for (size_t i = 0; i < s.n; i++)
		if (s.v[i].kind != JS_UNDEF)
			code_run_text(w, js_text(&s.v[i]), c->n);
	w->s->cwd = cwd;
}

static void run_words(struct code_walk *w, const struct js_call *c, struct js_words *ws, bool shell)
{
	struct str line = STR("");

	if (js_of(w)->feeds && ws->n == 1)
		code_marker_add(w, MARKER_PROCESS_INPUT, c->n);
	if (!shell) {
		code_run_argv(w, ws->v, ws->n, c->n);
		return;
	}
	for (size_t i = 0; i < ws->n; i++) {
		struct str t = ws->v[i].kind == WORD_REST ? CODE_HOLE : ws->v[i].text;

		line = i ? str_cat(w->a, str_cat(w->a, line, STR(" ")), t) : t;
	}
	code_run_text(w, line, c->n);
}

static struct js_words words_new(struct code_walk *w)
{
	return (struct js_words){.v = arena_array(w->a, JS_WORDS_MAX, sizeof(struct word))};
}

bool js_is_list(const struct js_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].kind == JS_NODE &&
				(node_is(s->v[i].node, "object") || js_is_function(s->v[i].node)))
			return false;
	return true;
}

static void run_program(struct code_walk *w, const struct js_call *c)
{
	struct js_set program, list;
	bool given = js_argument(w, c, 1, &list) && js_is_list(&list),
			shell = in_shell(w, c, given && c->nargs > 2 ? 2 : 1);
	struct str cwd;

	js_argument(w, c, 0, &program);
	enter_options(w, c, 1, &cwd);
	for (size_t i = 0; i < program.n; i++) {
		struct js_words ws = words_new(w);

		if (program.v[i].kind == JS_UNDEF)
			continue;

		add_word(&ws, code_word(w, js_text(&program.v[i]), c->n));
		if (given)
			add_words(w, &ws, &list, c->n, 0);
		run_words(w, c, &ws, shell);
	}
	w->s->cwd = cwd;
}

/* Handles Bun.spawn([..]), Bun.spawn({cmd: [..]}) and Deno.run({cmd: [..]}). */
static void run_list(struct code_walk *w, const struct js_call *c)
{
	struct js_set list;
	struct js_words ws = words_new(w);
	struct str cwd;

	js_argument(w, c, 0, &list);
	if (list.n == 1 && list.v[0].kind == JS_NODE && node_is(list.v[0].node, "object"))
		list = js_member(w, &list, STR("cmd"), c->n);
	enter_options(w, c, 0, &cwd);
	add_words(w, &ws, &list, c->n, 0);
	if (ws.n && ws.v[0].kind == WORD_REST)
		code_marker_add(w, MARKER_PROCESS, c->n);
	else
		run_words(w, c, &ws, false);
	w->s->cwd = cwd;
}

static void run_command(struct code_walk *w, const struct js_call *c)
{
	struct js_set program, list;
	struct js_words ws = words_new(w);
	struct str cwd;
	bool given = js_option(w, c, 1, "args", &list);

	js_argument(w, c, 0, &program);
	enter_options(w, c, 1, &cwd);
	add_word(&ws, code_word(w, js_set_text(&program), c->n));
	if (given)
		add_words(w, &ws, &list, c->n, 0);
	run_words(w, c, &ws, false);
	w->s->cwd = cwd;
}

/* ---- code ---- */

static void note_evaluation(struct code_walk *w, const struct js_call *c, size_t at)
{
	struct js_set s;

	if (!js_argument(w, c, at, &s))
		return;
	if (js_of(w)->shadows)
		/* the snippet would be read as if these names still meant the runtime's */
		code_marker_add(w, MARKER_EVAL, c->n);
	for (size_t i = 0; i < s.n; i++) {
		if (s.v[i].kind == JS_TEXT && text_exact(s.v[i].text))
			code_snippet(w, LANG_JAVASCRIPT, s.v[i].text, c->n);
		else if (s.v[i].kind != JS_NODE && s.v[i].kind != JS_NUM && s.v[i].kind != JS_UNDEF)
			code_marker_add(w, MARKER_EVAL, c->n);
	}
}

static void make_function(struct code_walk *w, const struct js_call *c)
{
	struct str text = STR("(function(");

	if (c->open || js_of(w)->shadows) {
		code_marker_add(w, MARKER_FUNCTION_CONSTRUCTOR, c->n);
		return;
	}
	for (size_t i = 0; i < c->nargs; i++) {
		struct js_set s = js_eval(w, c->args[i]);

		if (s.n != 1 || s.v[0].kind != JS_TEXT || !text_exact(s.v[0].text)) {
			code_marker_add(w, MARKER_FUNCTION_CONSTRUCTOR, c->n);
			return;
		}
		if (i + 1 == c->nargs)
			text = str_cat(w->a, text, STR("\n){\n"));
		else if (i)
			text = str_cat(w->a, text, STR(","));
		text = str_cat(w->a, text, s.v[0].text);
	}
	if (c->nargs)
		code_snippet(w, LANG_JAVASCRIPT, str_cat(w->a, text, STR("\n})")), c->n);
}

static void note_timer(struct code_walk *w, const struct js_call *c)
{
	bool evaluates_text = !js_in_node(w); /* node rejects text here */
	struct js_set s;

	js_argument(w, c, 0, &s);
	for (size_t i = 0; i < s.n; i++)
		if (s.v[i].kind == JS_TEXT && text_exact(s.v[i].text) && !js_of(w)->shadows)
			code_snippet(w, LANG_JAVASCRIPT, s.v[i].text, c->n);
		else if (s.v[i].kind == JS_TEXT || (evaluates_text && s.v[i].kind == JS_UNKNOWN))
			code_marker_add(w, MARKER_EVAL, c->n);
}

static void note_worker(struct code_walk *w, const struct js_call *c)
{
	struct js_set s, eval;

	js_argument(w, c, 0, &s);
	if (js_option(w, c, 1, "eval", &eval)) {
		note_evaluation(w, c, 0);
		return;
	}
	for (size_t i = 0; i < s.n; i++) {
		if (s.v[i].kind == JS_TEXT &&
				(str_starts(s.v[i].text, "data:") || str_starts(s.v[i].text, "http") ||
				str_starts(s.v[i].text, "blob:")))
			code_marker_add(w, MARKER_EVAL, c->n);
		else
			code_access(w, ACCESS_EXEC, js_text(&s.v[i]), false, c->op, c->n);
	}
}

struct js_set js_load(struct code_walk *w, struct str specifier)
{
	struct str builtin = text_exact(specifier) ? js_builtin(specifier) : STR("");

	(void)w;
	if (builtin.n)
		return js_one((struct js_value){.kind = JS_PATH, .text = builtin});
	if ((str_ends(specifier, ".json") && !str_has(specifier, '?') &&
			!str_has(specifier, '#')) || !text_exact(specifier))
		return js_unknown();
	return js_one((struct js_value){.kind = JS_PACKAGE});
}

void js_loaded(struct code_walk *w, const struct js_set *specifiers, TSNode n)
{
	for (size_t i = 0; i < specifiers->n; i++) {
		const struct js_value *v = &specifiers->v[i];
		bool local = v->kind == JS_TEXT && v->text.n && (v->text.p[0] == '.' || v->text.p[0] == '/');
		struct str t = v->text;

		if (v->kind == JS_UNDEF)
			continue;
		/* import treats ? and # as in URLs */
		if (v->kind == JS_TEXT && local && str_ends(t, ".json") && !str_has(t, '*') &&
				!str_has(t, '?') && !str_has(t, '#')) {
			/* even if part of the path is unknown: JSON is parsed, not run */
			code_access(w, ACCESS_READ, t, false, "require", n);
			continue;
		}
		if (v->kind != JS_TEXT || !text_exact(t)) {
			code_marker_add(w, MARKER_REQUIRE, n);
			continue;
		}
		code_import_add(w, str_starts(t, "node:") ? str_from(t, 5) : t, n);
		if (js_builtin(t).n)
			continue;
		if (str_starts(t, "data:") || str_starts(t, "blob:"))
			code_marker_add(w, MARKER_REQUIRE, n);
		else if (str_starts(t, "http:") || str_starts(t, "https:")) {
			code_touch(w, js_url_host(t), n);
			code_marker_add(w, MARKER_REQUIRE, n);
		} else
			code_access(w, ACCESS_EXEC, local ? t : CODE_HOLE, false, "require", n);
	}
}

static void note_store(struct code_walk *w, const struct js_call *c)
{
	struct js_set s;

	if (!js_argument(w, c, 0, &s) || c->open) {
		code_marker_add(w, MARKER_TAMPERING, c->n);
		return;
	}
	for (size_t i = 0; i < s.n; i++) {
		if (s.v[i].kind == JS_PATH && !str_starts(s.v[i].text, "module.exports") &&
				!str_is(s.v[i].text, "exports"))
			code_marker_add(w, MARKER_TAMPERING, c->n);
		if (s.v[i].kind == JS_UNKNOWN)
			js_of(w)->stream_store = c->n;
	}
}

/* ---- one call ---- */

static void record_call(struct code_walk *w, const struct js_call *c)
{
	size_t n = c->nargs < JS_ARGS_MAX ? c->nargs : JS_ARGS_MAX;
	struct word *args = n ? arena_array(w->a, n + 1, sizeof(*args)) : arena_new(w->a, struct word);
	struct str *names = arena_array(w->a, n + 1, sizeof(*names));

	for (size_t i = 0; i < n; i++) {
		struct js_set s = js_eval(w, c->args[i]);

		args[i] = code_word(w, js_set_text(&s), c->args[i]);
	}
	if (c->open)
		args[n] = (struct word){.kind = WORD_REST, .at = node_at(w, c->n)};
	code_call_add(w, c->path, args, names, n + c->open, c->n);
}

static void act_on_call(struct code_walk *w, struct js_call *c)
{
	struct js_set s;

	c->row = js_row(w, c->path);
	if (str_is_any(c->path, "process.chdir Deno.chdir") &&
			!js_name_get(w, STR("chdir"))->property)
		/* relative paths were resolved against the old directory */
		code_marker_add(w, MARKER_COMPUTED_MEMBER, c->n);
	c->op = str_c(w->a, c->path);
	record_call(w, c);
	switch (c->row ? c->row->act : JS_ACT_NONE) {
	case JS_ACT_NONE: code_marker_add(w, MARKER_UNKNOWN_CALL, c->n); break;
	case JS_ACT_MARK: code_marker_add(w, c->row->marker, c->n); break;
	case JS_ACT_FILES: note_files(w, c); break;
	case JS_ACT_OPEN: open_file(w, c); break;
	case JS_ACT_SHELL: run_shell(w, c); break;
	case JS_ACT_SPAWN: run_program(w, c); break;
	case JS_ACT_ARGV: run_list(w, c); break;
	case JS_ACT_COMMAND: run_command(w, c); break;
	case JS_ACT_FORK:
		js_argument(w, c, 0, &s);
		for (size_t i = 0; i < s.n; i++)
			code_access(w, ACCESS_EXEC, js_text(&s.v[i]), false, c->op, c->n);
		break;
	case JS_ACT_NET:
	case JS_ACT_LISTEN:
	case JS_ACT_BIND:
	case JS_ACT_SERVER:
	case JS_ACT_PORT: js_touch(w, c); break;
	case JS_ACT_EVAL: note_evaluation(w, c, (size_t)(c->row->what[0] - '0')); break;
	case JS_ACT_FUNCTION: make_function(w, c); break;
	case JS_ACT_TIMER: note_timer(w, c); break;
	case JS_ACT_WORKER: note_worker(w, c); break;
	case JS_ACT_REQUIRE:
		js_argument(w, c, 0, &s);
		js_loaded(w, &s, c->n);
		break;
	case JS_ACT_STORE: note_store(w, c); break;
	default: break;
	}
}

void js_escaped(struct code_walk *w, const struct js_set *s, TSNode n)
{
	for (size_t i = 0; i < s->n; i++) {
		struct js_set one = js_one(s->v[i]);
		struct js_call c = {.path = s->v[i].text, .open = true, .n = n};
		const struct js_row *r = s->v[i].kind == JS_PATH ? js_row(w, s->v[i].text) : NULL;

		if (!js_danger(w, &one))
			continue;
		if (r && (r->act == JS_ACT_FILES || r->act == JS_ACT_OPEN || r->act == JS_ACT_MARK ||
				(r->act >= JS_ACT_NET && r->act <= JS_ACT_PORT)))
			act_on_call(w, &c); /* its holder may call it with any arguments */
		else
			code_marker_add(w, MARKER_ESCAPE, n);
	}
}

/*
 * Handles `f.call(x, ...)`, `f.apply(x, [...])` and `f.bind(x, ...)`: sets the callee and its arguments.
 * False for any other call.
 */
static bool shift_call(struct code_walk *w, TSNode f, struct js_call *c, struct js_set *callee)
{
	struct str key;
	size_t n;

	if ((!node_is(f, "member_expression") && !node_is(f, "subscript_expression")) || !js_key(w, f, &key))
		return false;
	if (!str_is_any(key, "call apply bind"))
		return false;
	*callee = js_eval(w, node_field(f, "object"));
	if (str_is(key, "bind")) {
		if (c->nargs > 1 || c->open)
			js_escaped(w, callee, c->n);
		*callee = (struct js_set){0};
		return true;
	}
	if (str_is(key, "apply")) {
		struct js_set list = c->nargs > 1 ? js_eval(w, c->args[1]) : (struct js_set){0};
		bool known = list.n == 1 && list.v[0].kind == JS_NODE && node_is(list.v[0].node, "array") &&
				!js_of(w)->arrays_move && !js_of(w)->arrays_change;

		c->open |= !known && c->nargs > 1;
		c->args = known ? js_children(w, list.v[0].node, &n) : NULL;
		c->nargs = known ? n : 0;
	} else if (c->nargs) {
		c->args++;
		c->nargs--;
	}
	return true;
}

static bool takes_function(struct str method)
{
	return str_is_any(method,
			"map forEach filter reduce reduceRight some every find findIndex flatMap sort then "
			"catch finally replace replaceAll from call apply");
}

/*
 * Handles a call of an untracked value. It can only be dangerous if it is the Function constructor, reached
 * by a computed member.
 */
static void call_unknown(struct code_walk *w, TSNode f, const struct js_call *c)
{
	struct js_set object, s;
	struct str key;

	if ((!node_is(f, "member_expression") && !node_is(f, "subscript_expression")) ||
			!js_key(w, f, &key)) {
		js_of(w)->unknown_call = true;
		return;
	}
	object = js_eval(w, node_field(f, "object"));
	if (js_effect_name(key) && !(str_is_any(key, "rm cp") && js_name_get(w, key)->own) &&
			(object.n != 1 || object.v[0].kind == JS_UNKNOWN || object.v[0].kind == JS_PATH))
		code_marker_add(w, MARKER_UNKNOWN_CALL, c->n);
	if (!takes_function(key))
		return;
	for (size_t i = 0; i < c->nargs; i++) {
		s = js_eval(w, c->args[i]);
		for (size_t k = 0; k < s.n; k++)
			js_of(w)->unknown_call |= s.v[k].kind == JS_UNKNOWN && !node_is(c->args[i], "regex");
	}
}

void js_call(struct code_walk *w, TSNode n)
{
	TSNode f = node_field(n, node_is(n, "new_expression") ? "constructor" : "function"),
			list = node_field(n, "arguments");
	struct js_call c = {.n = n};
	struct js_set callee;

	c.args = ts_node_is_null(list) ? NULL : js_children(w, list, &c.nargs);
	for (size_t i = 0; i < c.nargs; i++) {
		if (node_is(c.args[i], "spread_element")) {
			c.open = true;
			c.nargs = i;
		}
	}
	if (node_is(f, "import")) {
		js_argument(w, &c, 0, &callee);
		js_loaded(w, &callee, n);
		return;
	}
	if (!shift_call(w, f, &c, &callee))
		callee = js_eval(w, f);
	for (size_t i = 0; i < c.nargs; i++) { /* again, for the list of apply */
		if (node_is(c.args[i], "spread_element")) {
			c.open = true;
			c.nargs = i;
		}
	}
	for (size_t i = 0; i < callee.n; i++) {
		struct js_call one = c;

		one.path = callee.v[i].text;
		if (callee.v[i].kind == JS_PATH)
			act_on_call(w, &one);
		else if (callee.v[i].kind == JS_UNKNOWN)
			call_unknown(w, f, &c);
	}
}

/* The template as its tag function sees it: escape sequences unprocessed, substitutions as holes. */
static struct str raw_template(struct code_walk *w, TSNode template)
{
	size_t n;
	TSNode *c = js_children(w, template, &n);
	struct str s = STR("");

	for (size_t i = 0; i < n; i++)
		s = str_cat(w->a, s, node_is(c[i], "escape_sequence") ? node_text(w, c[i]) : node_is(c[i],
				"string_fragment") ? js_string(w, c[i]) : CODE_HOLE);
	return s;
}

void js_tagged(struct code_walk *w, TSNode n)
{
	struct js_set tag = js_eval(w, node_field(n, "function"));
	TSNode template = node_field(n, "arguments");

	for (size_t i = 0; i < tag.n; i++) {
		struct js_call c = {.path = tag.v[i].text, .open = true, .n = n};

		if (tag.v[i].kind == JS_PATH && str_is(tag.v[i].text, "Bun.$")) {
			struct word *args = arena_new(w->a, struct word);

			*args = code_word(w, raw_template(w, template), template);
			code_call_add(w, tag.v[i].text, args, arena_new(w->a, struct str), 1, n);
			code_run_text(w, args->text, n);
			if (js_name_get(w, STR("env"))->property || js_name_get(w, STR("cwd"))->property ||
					js_of(w)->computed_read)
				code_marker_add(w, MARKER_SHELL, n); /* `...`.cwd('/elsewhere') */
		} else if (tag.v[i].kind == JS_PATH) {
			act_on_call(w, &c);
		} else if (tag.v[i].kind == JS_UNKNOWN) {
			js_of(w)->unknown_call = true;
		}
	}
}
