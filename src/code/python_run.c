/* Programs that Python code starts, with their arguments and environment. */
#include "code/python.h"

/* ---- arguments ---- */

struct word py_word(struct python *p, const struct pvs *v, TSNode n)
{
	struct str text = v && v->n == 1 && !v->cycle ? py_text(p, v->v[0]) : CODE_HOLE;

	return (struct word){.kind = text_exact(text) ? WORD_EXACT : WORD_UNKNOWN, .text = text,
			.at = node_at(p->w, n)};
}

bool py_is_data(const struct pvs *v, const char *text)
{
	return v && v->n == 1 && v->v[0]->kind == PV_DATA && str_is(v->v[0]->text, text);
}

const struct py_arg *py_keyword(const struct py_args *args, const char *name)
{
	for (size_t i = 0; i < args->n; i++)
		if (str_is(args->v[i].name, name))
			return &args->v[i];
	return NULL;
}

struct str py_base(struct str path)
{
	struct str base = str_base(path);

	return text_exact(path) && base.n ? base : str_n("\2", 1);
}

/* ---- programs ---- */

/* True for variables that also decide where the code itself finds files. */
static bool says_where(struct str name)
{
	return str_is_any(name, "HOME TMPDIR TEMP TMP");
}

/* Sets a variable in the code's own environment, or, with `own` false, only in that of a program. */
static void set_variable(struct python *p, const struct pvs *name, const struct pvs *value, bool own,
		TSNode n)
{
	struct str text = name && name->n == 1 ? py_text(p, name->v[0]) : CODE_HOLE;

	if (text_exact(text) && text.n)
		code_setting(p->w, text, value && value->n == 1 ? py_text(p, value->v[0]) : CODE_HOLE, n);
	if (!text_exact(text) || !text.n || (own && says_where(text)))
		code_marker_add(p->w, MARKER_ENVIRON, n);
}

void py_environ(struct python *p, const struct pvs *name, const struct pvs *value, TSNode n)
{
	set_variable(p, name, value, true, n);
}

void py_environ_less(struct python *p, const struct pvs *name, TSNode n)
{
	struct str text = name && name->n == 1 ? py_text(p, name->v[0]) : CODE_HOLE;

	if (!text_exact(text) || !text.n || says_where(text))
		code_marker_add(p->w, MARKER_ENVIRON, n);
}

static bool is_environ(const struct pvs *v)
{
	return v->n == 1 && v->v[0]->kind == PV_NAME &&
			str_is_any(v->v[0]->text, "os.environ os.environ.copy");
}

/* Handles env={**os.environ, "X": "1"} and os.environ.update({"X": "1"}). */
void py_environment(struct python *p, const struct py_arg *a, bool own, TSNode n)
{
	uint32_t count = 0;
	TSNode *kids = node_is(a->node, "dictionary") ? py_children(p, a->node, &count) : NULL;
	const struct py_scope *sc = a->scope ? a->scope : p->module;

	if (!kids && !is_environ(a->v) && !(a->v->n == 1 && a->v->v[0]->kind == PV_DATA &&
			str_is(a->v->v[0]->text, "None")))
		code_marker_add(p->w, MARKER_ENVIRON, n);
	for (uint32_t i = 0; i < count; i++) {
		if (node_is(kids[i], "pair"))
			set_variable(p, py_eval(p, node_field(kids[i], "key"), sc),
					py_eval(p, node_field(kids[i], "value"), sc), own, n);
		else if (!is_environ(py_eval(p, ts_node_named_child(kids[i], 0), sc)))
			code_marker_add(p->w, MARKER_ENVIRON, n);
	}
}

/* True for programs that only turn their input into output. */
static bool only_filters(struct str name)
{
	return str_is_any(py_base(name), "cat cut grep head jq md5sum sha256sum sort tail tr uniq wc");
}

static void run_list(struct python *p, const struct pv *list, size_t from, TSNode n)
{
	struct word *words = arena_array(p->a, list->nitems + 1, sizeof(*words));

	if (list->many || from >= list->nitems) {
		code_run_text(p->w, CODE_HOLE, n);
		return;
	}
	for (size_t i = from; i < list->nitems; i++)
		words[i - from] = py_word(p, list->items[i], n);
	code_run_argv(p->w, words, list->nitems - from, n);
}

static void run_value(struct python *p, const struct pv *v, bool program, bool shell, TSNode n)
{
	struct str text = py_text(p, v);

	if (shell && v->kind == PV_SEQ && v->nitems)
		code_run_text(p->w, v->items[0]->n == 1 && !v->many ? py_text(p, v->items[0]->v[0]) :
				CODE_HOLE, n);
	else if (shell)
		code_run_text(p->w, v->kind == PV_TEXT ? text : CODE_HOLE, n);
	if (!program)
		return;
	if (v->kind == PV_SEQ) {
		run_list(p, v, 0, n);
	} else if (v->kind == PV_TEXT || v->kind == PV_PATH) {
		struct word *w = arena_new(p->a, struct word);

		*w = py_word(p, pvs_one(p, v), n);
		code_run_argv(p->w, w, 1, n);
	} else {
		code_run_text(p->w, CODE_HOLE, n);
	}
}

static struct str first_word(struct python *p, const struct pvs *v)
{
	if (!v || v->n != 1)
		return CODE_HOLE;
	return v->v[0]->kind == PV_SEQ && v->v[0]->nitems && v->v[0]->items[0]->n == 1 ? py_text(p,
			v->v[0]->items[0]->v[0]) : py_text(p, v->v[0]);
}

/* Handles options of subprocess, which asyncio accepts, too. */
static void process_options(struct python *p, const struct py_args *args, TSNode n)
{
	if (py_keyword(args, "env"))
		py_environment(p, py_keyword(args, "env"), false, n);
	if (py_keyword(args, "executable"))
		code_marker_add(p->w, MARKER_PROCESS, n);
}

static bool more_than_one(const struct py_args *args)
{
	size_t count = 0;

	for (size_t i = 0; i < args->n; i++)
		count += !args->v[i].name.n;
	return count > 1;
}

/* Sets the working directory of a program: the code's own, or the argument `dir`. */
static void enter_directory(struct python *p, const struct pvs *dir)
{
	if (!py_in_place(p))
		p->w->s->cwd = CODE_HOLE;
	if (dir && !py_is_data(dir, "None"))
		p->w->s->cwd = dir->n == 1 ? py_path_join(p, p->w->s->cwd.n ? p->w->s->cwd : CODE_HOLE,
				py_text(p, dir->v[0])) : CODE_HOLE;
}

void py_argv(struct python *p, const struct py_args *args, TSNode n)
{
	const struct pvs *v = py_arg(p, args, 0, "args"), *shell = py_arg(p, args, 8, "shell"),
			*dir = py_arg(p, args, 9, "cwd");
	bool never = !shell || py_is_data(shell, "False") || py_is_data(shell, "0") ||
	py_is_data(shell, "None"), always = py_is_data(shell, "True") || py_is_data(shell, "1");
	struct str cwd = p->w->s->cwd;

	if (!v || args->escaped) {
		code_run_text(p->w, CODE_HOLE, n);
		return;
	}
	process_options(p, args, n);
	if (more_than_one(args))
		code_marker_add(p->w, MARKER_PROCESS, n); /* the third argument would be another program */
	if ((py_keyword(args, "input") ||
			(py_keyword(args, "stdin") && !py_is_data(py_keyword(args, "stdin")->v, "None") &&
			!(py_keyword(args, "stdin")->v->n == 1 &&
			str_is(py_keyword(args, "stdin")->v->v[0]->text, "subprocess.DEVNULL")))) &&
			!only_filters(first_word(p, v)))
		code_marker_add(p->w, MARKER_STDIN, n);
	enter_directory(p, dir);
	for (size_t i = 0; i < v->n; i++)
		run_value(p, v->v[i], !always, !never, n);
	p->w->s->cwd = cwd;
}

void py_shell(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n)
{
	const struct pvs *v = py_arg(p, args, 0, r->spec + 2), *mode = py_arg(p, args, 1, "mode");
	bool waits = !strcmp(r->name, "os.popen") && mode &&
			!(mode->n == 1 && str_is(py_text(p, mode->v[0]), "r"));
	struct str cwd = p->w->s->cwd;

	if (waits || (str_starts(str_of(r->name), "asyncio.") && py_keyword(args, "stdin")))
		code_marker_add(p->w, MARKER_STDIN, n);
	process_options(p, args, n);
	enter_directory(p, py_keyword(args, "cwd") ? py_keyword(args, "cwd")->v : NULL);
	for (size_t i = 0; v && i < v->n; i++)
		run_value(p, v->v[i], false, true, n);
	if (!v)
		code_run_text(p->w, CODE_HOLE, n);
	p->w->s->cwd = cwd;
}

/* Handles the environment argument of os.execve and similar, after all others. */
static void exec_environment(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n)
{
	struct str name = str_of(r->name);
	bool spawn = str_starts(name, "os.posix_spawn"), last = str_ends(name, "le") || str_ends(name, "lpe");
	size_t at = last ? args->n - 1 : spawn ? 2 : (size_t)(r->spec[0] - '0') + 2;

	if (spawn && args->n > 3)
		code_marker_add(p->w, MARKER_PROCESS, n); /* file_actions: files opened for the program */
	if ((last || spawn || str_ends(name, "ve") || str_ends(name, "vpe")) && at < args->n)
		py_environment(p, &args->v[at], false, n);
}

/* Handles os.execl(path, argv0, argv1...) and os.execv(path, argv). */
static void exec_words(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n);

void py_exec(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n)
{
	struct str cwd = p->w->s->cwd;

	process_options(p, args, n);
	if (str_starts(str_of(r->name), "asyncio.") && py_keyword(args, "stdin"))
		code_marker_add(p->w, MARKER_STDIN, n);
	if (str_starts(str_of(r->name), "os.") && args->n)
		exec_environment(p, r, args, n);
	enter_directory(p, py_keyword(args, "cwd") ? py_keyword(args, "cwd")->v : NULL);
	exec_words(p, r, args, n);
	p->w->s->cwd = cwd;
}

static void exec_words(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n)
{
	bool browser = !strcmp(r->spec, "browser"), list = r->kind == PY_EXECV,
			whole = !strcmp(r->spec, "00"),
			plain = !strcmp(r->name, "asyncio.create_subprocess_exec");
	size_t at = browser ? 0 : (size_t)(r->spec[0] - '0'), count = 0;
	const struct pvs *program = py_arg(p, args, (int)at, "program");
	struct word *words = arena_array(p->a, PY_ARGS_MAX + PY_ITEMS_MAX + 2, sizeof(*words)),
			other = {.kind = WORD_EXACT};

	if (!program || args->open || args->escaped) {
		code_run_text(p->w, CODE_HOLE, n);
		return;
	}
	if (whole) {
		run_value(p, program->v[0], true, false, n);
		return;
	}
	words[count++] = browser ? (struct word){.kind = WORD_EXACT, .text = STR("xdg-open"),
			.at = node_at(p->w, n)} : py_word(p, program, n);
	if (list) {
		const struct pvs *v = py_arg(p, args, (int)at + 1, "argv");

		if (!v || v->n != 1 || v->v[0]->kind != PV_SEQ || v->v[0]->many) {
			code_run_text(p->w, CODE_HOLE, n);
			return;
		}
		for (size_t i = 1; i < v->v[0]->nitems; i++)
			words[count++] = py_word(p, v->v[0]->items[i], n);
		other = v->v[0]->nitems ? py_word(p, v->v[0]->items[0], n) : other;
	}
	for (size_t i = browser ? 0 : at + (plain ? 1 : 2); !list && i < args->n; i++)
		if (!args->v[i].name.n)
			words[count++] = py_word(p, args->v[i].v, n);
	if (!list && !browser && !plain && py_arg(p, args, (int)at + 1, ""))
		other = py_word(p, py_arg(p, args, (int)at + 1, ""), n);
	code_run_argv(p->w, words, count, n);
	if (other.text.n && !str_eq(other.text, words[0].text)) { /* some programs behave by argv[0] */
		struct word *again = arena_array(p->a, count, sizeof(*again));

		memcpy(again, words, count * sizeof(*again));
		again[0] = other;
		code_run_argv(p->w, again, count, n);
	}
}
