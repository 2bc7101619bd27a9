/* What a call does: the row of its qualified name, turned into accesses, hosts, commands and markers. */
#include "code/python.h"

/* ---- words of a call, for rules ---- */

static struct word word_of(struct python *p, const struct pvs *v, TSNode n)
{
	struct str text = v && v->n == 1 && !v->cycle ? py_text(p, v->v[0]) : CODE_HOLE;

	return (struct word){.kind = text_exact(text) ? WORD_EXACT : WORD_UNKNOWN, .text = text, .at = node_at(p->w, n)};
}

static void record(struct python *p, struct str name, const struct pv *self, const struct py_args *args, TSNode n)
{
	size_t count = args->n + (self != NULL) + (args->open || args->escaped);
	struct word *words = arena_array(p->a, count + 1, sizeof(*words));
	struct str *names = arena_array(p->a, count + 1, sizeof(*names));
	size_t at = 0;

	if (self)
		words[at++] = word_of(p, pvs_one(p, self), n);
	for (size_t i = 0; i < args->n; i++) {
		names[at] = args->v[i].name;
		words[at++] = word_of(p, args->v[i].v, args->v[i].node);
	}
	if (args->open || args->escaped)
		words[at++] = (struct word){.kind = WORD_REST, .at = node_at(p->w, n)};
	code_call_add(p->w, name, words, names, at, n);
}

/* ---- files ---- */

static void access_at(struct python *p, enum access_kind kind, struct str path, bool below, const char *op, TSNode n)
{
	struct str cwd = p->w->s->cwd;

	for (size_t i = 0; i < p->ncwds; i++) {
		p->w->s->cwd = p->cwds[i];
		if (path.n && path.p[0] != '/' && !text_hole(path.p[0]))
			code_access(p->w, kind, py_path_join(p, p->cwds[i].n ? p->cwds[i] : CODE_HOLE, path), below, op, n);
		else if (!i)
			code_access(p->w, kind, path.n && path.p[0] == HOLE_NAME ? py_path_join(p, p->cwds[i].n ? p->cwds[i] : CODE_HOLE, path) : path.n && path.p[0] != '/' ? CODE_HOLE : path, below, op, n);
	}
	p->w->s->cwd = cwd;
}

static struct str base_of(struct str path)
{
	size_t from = path.n;

	while (from && path.p[from - 1] != '/')
		from--;
	return text_exact(path) && from < path.n ? str_sub(path, from, path.n) : str_n("\2", 1);
}

struct path_spec {
	enum access_kind kind;
	bool below, into, here, database, archive, parents;
};

static struct path_spec letters(struct str s)
{
	struct path_spec f = {.kind = ACCESS_READ};

	for (size_t i = 0; i < s.n; i++) {
		f.kind = s.p[i] == 'D' ? ACCESS_DELETE : s.p[i] == 'W' ? ACCESS_WRITE : f.kind;
		f.below |= s.p[i] == 'b';
		f.into |= s.p[i] == 'i';
		f.here |= s.p[i] == '.';
		f.database |= s.p[i] == 'q';
		f.archive |= s.p[i] == 'z';
		f.parents |= s.p[i] == 'p';
	}
	return f;
}

static bool is_number(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	return s.n > 0;
}

static void one_path(struct python *p, const struct pv *v, struct path_spec f, struct str source, const char *op, TSNode n)
{
	struct str path = py_text(p, v);

	if (v->kind == PV_DATA && is_number(v->text))
		return; /* a descriptor */
	if (f.database && (str_is(path, ":memory:") || str_is(path, "")))
		return;
	if (f.database && str_starts(path, "file:")) {
		code_marker_add(p->w, "sql", n);
		return;
	}
	if (f.archive)
		path = py_cat(p, path, source); /* its suffix */
	access_at(p, f.kind, path.n ? path : CODE_HOLE, f.below, op, n);
	for (struct str up = path; f.parents && text_exact(up) && memchr(up.p, '/', up.n) && up.n > 1;) { /* those that are left empty */
		up = py_path_parent(p, up);
		access_at(p, f.kind, up, false, op, n);
	}
	if (f.into)
		access_at(p, f.kind, py_path_join(p, path, source), f.below, op, n);
}

/* Position in the list when the object itself is the first argument: Path.unlink(p). */
static const struct pvs *argument(struct python *p, const struct pv *self, bool unbound, const struct py_args *args, struct str pos, struct str name)
{
	if (pos.n && pos.p[0] == 's')
		return self ? pvs_one(p, self) : py_arg(p, args, 0, "self");
	return py_arg(p, args, pos.n && pos.p[0] >= '0' && pos.p[0] <= '9' ? pos.p[0] - '0' + unbound : -1, name.n ? str_c(p->a, name) : "");
}

/* "pos:name:letters", the next of a list; false at its end. */
static bool next_spec(struct str *rest, struct str part[3])
{
	ptrdiff_t blank = str_find(*rest, ' ', 0);
	struct str one = blank < 0 ? *rest : str_sub(*rest, 0, (size_t)blank);

	if (!rest->n)
		return false;
	*rest = blank < 0 ? STR("") : str_sub(*rest, (size_t)blank + 1, rest->n);
	for (int i = 0; i < 3; i++) {
		ptrdiff_t colon = i < 2 ? str_find(one, ':', 0) : -1;

		part[i] = colon < 0 ? one : str_sub(one, 0, (size_t)colon);
		one = colon < 0 ? STR("") : str_sub(one, (size_t)colon + 1, one.n);
	}
	return true;
}

static struct str archive_suffix(struct python *p, const struct py_args *args)
{
	static const char *const suffixes[][2] = {{"zip", ".zip"}, {"tar", ".tar"}, {"gztar", ".tar.gz"}, {"bztar", ".tar.bz2"}, {"xztar", ".tar.xz"}, {"zstdtar", ".tar.zst"}};
	const struct pvs *v = py_arg(p, args, 1, "format");

	for (size_t i = 0; v && v->n == 1 && i < sizeof(suffixes) / sizeof(*suffixes); i++)
		if (str_is(py_text(p, v->v[0]), suffixes[i][0]))
			return str_of(suffixes[i][1]);
	return CODE_HOLE;
}

/* Relative to a directory that is open, or with arguments that are not known: so is the path. */
static bool is_loose(const struct py_args *args)
{
	for (size_t i = 0; i < args->n; i++)
		if (str_ends(args->v[i].name, "dir_fd") || str_is(args->v[i].name, "opener"))
			return true;
	return args->open;
}

static void do_files(struct python *p, const struct py_row *r, const struct pv *self, bool unbound, const struct py_args *args, TSNode n)
{
	struct str rest = str_of(r->spec), part[3], source = str_n("\2", 1);
	const char *op = r->op ? r->op : r->name;

	while (next_spec(&rest, part)) {
		struct path_spec f = letters(part[2]);
		const struct pvs *v = argument(p, self, unbound, args, part[0], part[1]);

		if (!part[2].n)
			continue;
		if (!v && f.here)
			access_at(p, f.kind, STR("."), f.below, op, n);
		if (!v && !f.here && f.kind != ACCESS_READ)
			v = pvs_one(p, p->unknown);
		if (f.archive)
			source = archive_suffix(p, args);
		for (size_t i = 0; v && i < v->n; i++)
			one_path(p, v->v[i], f, source, op, n);
		source = v && v->n == 1 ? base_of(py_text(p, v->v[0])) : source;
	}
}

/* Could this mode of open() write? */
static bool mode_writes(struct python *p, const struct pvs *mode, bool flags)
{
	for (size_t i = 0; mode && i < mode->n; i++) {
		struct str m = mode->v[i]->kind == PV_NAME ? mode->v[i]->text : py_text(p, mode->v[i]);

		if (flags) {
			if (!(mode->v[i]->kind == PV_UNKNOWN && 0) && !str_is(m, "os.O_RDONLY") && !str_is(m, "0"))
				return true;
			continue;
		}
		for (size_t k = 0; k < m.n; k++)
			if (text_hole(m.p[k]) || memchr("wax+", m.p[k], 4))
				return true;
	}
	return flags ? !mode : false;
}

static void do_open(struct python *p, const struct py_row *r, const struct pv *self, bool unbound, const struct py_args *args, TSNode n)
{
	struct str spec = str_of(r->spec);
	bool flags = spec.n > 3 && spec.p[3] == 'o';
	struct str name = str_sub(spec, 4 + flags, spec.n);
	const struct pvs *file = argument(p, self, unbound, args, str_sub(spec, 0, 1), name);
	const struct pvs *mode = argument(p, self, unbound, args, str_sub(spec, 2, 3), flags ? STR("flags") : STR("mode"));
	struct path_spec f = {.kind = mode_writes(p, mode, flags) ? ACCESS_WRITE : ACCESS_READ};

	for (size_t i = 0; file && i < file->n; i++)
		if (!(file->v[i]->kind == PV_INST && str_is(file->v[i]->text, "file")))
			one_path(p, file->v[i], f, STR(""), r->name, n);
}

/* ---- programs ---- */

/* Variables that make programs load or run something. */
static bool is_dangerous(struct str name)
{
	static const char *const starts[] = {"LD_", "DYLD_", "PYTHON", "PERL", "RUBY", "GIT_", "NODE_", "NPM_", "npm_", "BASH_", "JAVA_", "_JAVA", "JDK_", "GCONV", "LUA_", "SSH_", "GEM_", "CARGO_", "RUST", "MAKE"};
	static const char *const names[] = {"PATH", "ENV", "IFS", "SHELL", "SHELLOPTS", "BROWSER", "ZDOTDIR", "PS4", "PROMPT_COMMAND", "CC", "CXX", "GOFLAGS", "LESSOPEN", "LESSCLOSE"};

	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++)
		if (str_starts(name, starts[i]) && !str_is(name, "PYTHONUNBUFFERED") && !str_is(name, "PYTHONDONTWRITEBYTECODE") && !str_is(name, "PYTHONIOENCODING") && !str_is(name, "PYTHONUTF8"))
			return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (str_is(name, names[i]))
			return true;
	return str_ends(name, "PAGER") || str_ends(name, "EDITOR") || str_ends(name, "VISUAL");
}

/* Settings of a program's environment. */
static void add_setting(struct python *p, struct str name, struct str value, TSNode n)
{
	struct setting *s = arena_new(p->a, struct setting);

	if (is_dangerous(name))
		code_access(p->w, ACCESS_EXEC, CODE_HOLE, false, str_c(p->a, name), n);
	*s = (struct setting){.name = name, .value = value, .at = node_at(p->w, n)};
	*p->w->f->settings_end = s;
	p->w->f->settings_end = &s->next;
}

void py_environ(struct python *p, const struct pvs *name, const struct pvs *value, TSNode n)
{
	struct str text = name && name->n == 1 ? py_text(p, name->v[0]) : CODE_HOLE;

	if (text_exact(text) && text.n && !str_is(text, "HOME") && !str_is(text, "TMPDIR") && !str_is(text, "TEMP") && !str_is(text, "TMP"))
		add_setting(p, text, value && value->n == 1 ? py_text(p, value->v[0]) : CODE_HOLE, n);
	else
		code_marker_add(p->w, "environ", n);
}

static bool is_environ(const struct pvs *v) { return v->n == 1 && v->v[0]->kind == PV_NAME && (str_is(v->v[0]->text, "os.environ") || str_is(v->v[0]->text, "os.environ.copy")); }

/* env={**os.environ, "X": "1"} */
static void environment(struct python *p, const struct py_arg *a, TSNode n)
{
	uint32_t count = 0;
	TSNode *kids = node_is(a->node, "dictionary") ? py_children(p, a->node, &count) : NULL;

	if (!kids && !is_environ(a->v) && !(a->v->n == 1 && a->v->v[0]->kind == PV_DATA && str_is(a->v->v[0]->text, "None")))
		code_marker_add(p->w, "environ", n);
	for (uint32_t i = 0; i < count; i++) {
		if (node_is(kids[i], "pair"))
			py_environ(p, py_eval(p, node_field(kids[i], "key"), p->module), py_eval(p, node_field(kids[i], "value"), p->module), n);
		else if (!is_environ(py_eval(p, ts_node_named_child(kids[i], 0), p->module)))
			code_marker_add(p->w, "environ", n);
	}
}

/* Programs that make nothing of what they are given to read but output. */
static bool only_filters(struct str name)
{
	static const char *const names[] = {"cat", "cut", "grep", "head", "jq", "md5sum", "sha256sum", "sort", "tail", "tr", "uniq", "wc"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (str_is(base_of(name), names[i]))
			return true;
	return false;
}

static bool is_data(const struct pvs *v, const char *text) { return v && v->n == 1 && v->v[0]->kind == PV_DATA && str_is(v->v[0]->text, text); }

static void run_list(struct python *p, const struct pv *list, size_t from, TSNode n)
{
	struct word *words = arena_array(p->a, list->nitems + 1, sizeof(*words));

	if (list->many || from >= list->nitems) {
		code_run_text(p->w, CODE_HOLE, n);
		return;
	}
	for (size_t i = from; i < list->nitems; i++)
		words[i - from] = word_of(p, list->items[i], n);
	code_run_argv(p->w, words, list->nitems - from, n);
}

static void run_value(struct python *p, const struct pv *v, bool program, bool shell, TSNode n)
{
	struct str text = py_text(p, v);

	if (shell && v->kind == PV_SEQ && v->nitems)
		code_run_text(p->w, v->items[0]->n == 1 && !v->many ? py_text(p, v->items[0]->v[0]) : CODE_HOLE, n);
	else if (shell)
		code_run_text(p->w, v->kind == PV_TEXT ? text : CODE_HOLE, n);
	if (!program)
		return;
	if (v->kind == PV_SEQ) {
		run_list(p, v, 0, n);
	} else if (v->kind == PV_TEXT || v->kind == PV_PATH) {
		struct word *w = arena_new(p->a, struct word);

		*w = word_of(p, pvs_one(p, v), n);
		code_run_argv(p->w, w, 1, n);
	} else {
		code_run_text(p->w, CODE_HOLE, n);
	}
}

static struct str first_word(struct python *p, const struct pvs *v)
{
	if (!v || v->n != 1)
		return CODE_HOLE;
	return v->v[0]->kind == PV_SEQ && v->v[0]->nitems && v->v[0]->items[0]->n == 1 ? py_text(p, v->v[0]->items[0]->v[0]) : py_text(p, v->v[0]);
}

static const struct py_arg *keyword(const struct py_args *args, const char *name)
{
	for (size_t i = 0; i < args->n; i++)
		if (str_is(args->v[i].name, name))
			return &args->v[i];
	return NULL;
}

static void do_argv(struct python *p, const struct py_args *args, TSNode n)
{
	const struct pvs *v = py_arg(p, args, 0, "args"), *shell = py_arg(p, args, 8, "shell"), *dir = py_arg(p, args, 9, "cwd");
	bool never = !shell || is_data(shell, "False") || is_data(shell, "0") || is_data(shell, "None"), always = is_data(shell, "True") || is_data(shell, "1");
	struct str cwd = p->w->s->cwd;

	if (!v || args->escaped) {
		code_run_text(p->w, CODE_HOLE, n);
		return;
	}
	if (keyword(args, "env"))
		environment(p, keyword(args, "env"), n);
	if (keyword(args, "executable"))
		code_marker_add(p->w, "process", n);
	if ((keyword(args, "input") || (keyword(args, "stdin") && !is_data(keyword(args, "stdin")->v, "None") && !(keyword(args, "stdin")->v->n == 1 && str_is(keyword(args, "stdin")->v->v[0]->text, "subprocess.DEVNULL")))) && !only_filters(first_word(p, v)))
		code_marker_add(p->w, "stdin", n);
	if (p->ncwds > 1)
		p->w->s->cwd = CODE_HOLE;
	if (dir && !is_data(dir, "None"))
		p->w->s->cwd = dir->n == 1 ? py_path_join(p, p->w->s->cwd.n ? p->w->s->cwd : CODE_HOLE, py_text(p, dir->v[0])) : CODE_HOLE;
	for (size_t i = 0; i < v->n; i++)
		run_value(p, v->v[i], !always, !never, n);
	p->w->s->cwd = cwd;
}

static void do_shell(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n)
{
	const struct pvs *v = py_arg(p, args, 0, r->spec + 2);

	for (size_t i = 0; v && i < v->n; i++)
		run_value(p, v->v[i], false, true, n);
	if (!v)
		code_run_text(p->w, CODE_HOLE, n);
}

/* os.execl(path, argv0, argv1...), os.execv(path, argv) */
static void do_exec(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n)
{
	bool browser = !strcmp(r->spec, "browser"), list = r->kind == PY_EXECV, whole = !strcmp(r->spec, "00"), plain = !strcmp(r->name, "asyncio.create_subprocess_exec");
	size_t at = browser ? 0 : (size_t)(r->spec[0] - '0'), count = 0;
	const struct pvs *program = py_arg(p, args, (int)at, "program");
	struct word *words = arena_array(p->a, PY_ARGS_MAX + PY_ITEMS_MAX + 2, sizeof(*words)), other = {.kind = WORD_EXACT};

	if (!program || args->open || args->escaped) {
		code_run_text(p->w, CODE_HOLE, n);
		return;
	}
	if (whole) {
		run_value(p, program->v[0], true, false, n);
		return;
	}
	words[count++] = browser ? (struct word){.kind = WORD_EXACT, .text = STR("xdg-open"), .at = node_at(p->w, n)} : word_of(p, program, n);
	if (list) {
		const struct pvs *v = py_arg(p, args, (int)at + 1, "argv");

		if (!v || v->n != 1 || v->v[0]->kind != PV_SEQ || v->v[0]->many) {
			code_run_text(p->w, CODE_HOLE, n);
			return;
		}
		for (size_t i = 1; i < v->v[0]->nitems; i++)
			words[count++] = word_of(p, v->v[0]->items[i], n);
		other = v->v[0]->nitems ? word_of(p, v->v[0]->items[0], n) : other;
	}
	for (size_t i = browser ? 0 : at + (plain ? 1 : 2); !list && i < args->n; i++)
		if (!args->v[i].name.n)
			words[count++] = word_of(p, args->v[i].v, n);
	if (!list && !browser && !plain && py_arg(p, args, (int)at + 1, ""))
		other = word_of(p, py_arg(p, args, (int)at + 1, ""), n);
	code_run_argv(p->w, words, count, n);
	if (other.text.n && !str_eq(other.text, words[0].text)) { /* some programs are what they are called */
		struct word *again = arena_array(p->a, count, sizeof(*again));

		memcpy(again, words, count * sizeof(*again));
		again[0] = other;
		code_run_argv(p->w, again, count, n);
	}
}

/* ---- network ---- */

static struct str host_of(struct str url)
{
	for (size_t i = 0; i + 2 < url.n; i++)
		if (url.p[i] == ':' && url.p[i + 1] == '/' && url.p[i + 2] == '/') {
			size_t from = i + 3, to = from;

			while (to < url.n && url.p[to] != '/' && url.p[to] != '?' && url.p[to] != '#' && url.p[to] != ':')
				to++;
			return text_exact(str_sub(url, 0, to)) ? str_sub(url, from, to) : CODE_HOLE;
		}
	return text_exact(url) ? url : CODE_HOLE;
}

static void do_net(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n)
{
	struct str rest = str_of(r->spec), part[3];
	const struct pvs *v;
	struct str host = CODE_HOLE;

	if (strcmp(r->spec, "-") != 0 && next_spec(&rest, part)) {
		v = argument(p, NULL, false, args, part[0], part[1]);
		if (v && v->n == 1)
			host = v->v[0]->kind == PV_SEQ && v->v[0]->nitems && v->v[0]->items[0]->n == 1 ? py_text(p, v->v[0]->items[0]->v[0]) : py_text(p, v->v[0]);
	}
	if (str_starts(host, "file:"))
		access_at(p, ACCESS_READ, str_starts(host, "file:///") ? str_sub(host, 7, host.n) : CODE_HOLE, false, r->name, n);
	code_touch(p->w, host_of(host), n);
	while (next_spec(&rest, part)) {
		v = argument(p, NULL, false, args, part[0], part[1]);
		for (size_t i = 0; v && i < v->n; i++)
			one_path(p, v->v[i], letters(part[2]), STR(""), r->name, n);
	}
}

/* ---- what is dynamic ---- */

/* May evaluating this change what names stand for? */
static bool may_bind(struct str code, bool statements)
{
	static const char *const words[] = {"import", "def ", "class", "for ", "with ", "del ", "global", "except", "match"};
	bool binds = statements ? memchr(code.p, '=', code.n) != NULL : str_contains(code, STR(":="));

	for (size_t i = 0; statements && i < sizeof(words) / sizeof(*words); i++)
		binds |= str_contains(code, str_of(words[i]));
	return binds;
}

static void do_code(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n)
{
	const struct pvs *v = py_arg(p, args, 0, "stmt");
	struct str text = v && v->n == 1 && v->v[0]->kind == PV_TEXT ? v->v[0]->text : CODE_HOLE;
	const char *id = !strcmp(r->name, "eval") ? "eval" : "exec";

	if (str_starts(str_of(r->name), "timeit") && v && v->n == 1 && v->v[0]->kind == PV_USER)
		return;
	if (!text.n || !text_exact(text)) {
		code_marker_add(p->w, id, n);
		return;
	}
	if (may_bind(text, !strcmp(id, "exec")))
		code_marker_add(p->w, id, n);
	code_snippet(p->w, "python", text, n);
}

static void do_getattr(struct python *p, const struct py_args *args, TSNode n)
{
	const struct pvs *of = py_arg(p, args, 0, ""), *name = py_arg(p, args, 1, "");
	struct str text = name && name->n == 1 && name->v[0]->kind == PV_TEXT ? name->v[0]->text : CODE_HOLE;

	for (size_t i = 0; of && i < of->n; i++) {
		enum pv_kind k = of->v[i]->kind;

		if (!text_exact(text) && k != PV_DATA && k != PV_TEXT && k != PV_USER)
			code_marker_add(p->w, "getattr", n);
		else if (text_exact(text) && (k == PV_UNKNOWN || k == PV_LOST || (str_starts(text, "__") && str_ends(text, "__"))))
			py_unknown_attribute(p, text, NULL, n);
	}
	if (args->escaped)
		code_marker_add(p->w, "getattr", n);
}

static bool any_name(const struct pvs *v)
{
	for (size_t i = 0; v && i < v->n; i++)
		if (v->v[i]->kind == PV_NAME || v->v[i]->kind == PV_LOST)
			return true;
	return false;
}

static void do_chdir(struct python *p, const struct py_args *args, TSNode n)
{
	const struct pvs *v = py_arg(p, args, 0, "path");
	struct str text = v && v->n == 1 ? py_text(p, v->v[0]) : CODE_HOLE;
	bool known = false;

	for (size_t i = 0; i < p->ncwds; i++)
		known |= str_eq(p->cwds[i], CODE_HOLE) || (text_exact(text) && str_eq(p->cwds[i], py_path_join(p, p->w->s->cwd, text)));
	if (!known || args->escaped)
		code_marker_add(p->w, "chdir", n);
}

void py_directories(struct python *p)
{
	bool relative = false;
	size_t calls = 0;

	for (const struct py_def *d = p->chdirs; d; d = d->next, calls++) {
		struct py_args *args = arena_new(p->a, struct py_args);
		const struct pvs *v;
		struct str to;

		py_args_eval(p, d->expr, d->scope, args);
		v = py_arg(p, args, 0, "path");
		to = v && v->n == 1 ? py_text(p, v->v[0]) : CODE_HOLE;
		relative |= !str_starts(to, "/");
		if (p->ncwds == PY_CWDS_MAX || !text_exact(to) || !to.n || (relative && calls)) {
			p->cwds[0] = p->cwds[1] = CODE_HOLE;
			p->ncwds = 2; /* two, so that nobody takes the first for certain */
			return;
		}
		p->cwds[p->ncwds++] = py_path_join(p, p->w->s->cwd.n ? p->w->s->cwd : CODE_HOLE, to);
	}
}

static bool plain_name(const struct pvs *v)
{
	return !v || is_data(v, "None") || (v->n == 1 && v->v[0]->kind == PV_TEXT && text_exact(v->v[0]->text) && !memchr(v->v[0]->text.p, '/', v->v[0]->text.n));
}

/* A file of a name that nobody knows, in the directory for such files or in the one that is named. */
static void do_temp(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n)
{
	int at = r->spec[0] - '0';
	const struct pvs *dir = py_arg(p, args, at + 2, "dir");
	bool named = dir && !is_data(dir, "None"), plain = plain_name(py_arg(p, args, at, "suffix")) && plain_name(py_arg(p, args, at + 1, "prefix"));
	struct str place = !named ? (p->w->v->tmp.n ? p->w->v->tmp : STR("/tmp")) : dir->n == 1 ? py_text(p, dir->v[0]) : CODE_HOLE;

	access_at(p, ACCESS_WRITE, plain && !args->escaped && place.n ? place : CODE_HOLE, true, "mktemp", n);
}

static void do_sql(struct python *p, const struct py_args *args, TSNode n)
{
	static const char *const words[] = {"attach", "vacuum", "load_extension", "writefile"};
	const struct pvs *v = args ? py_arg(p, args, 0, "sql") : NULL;
	struct str text = v && v->n == 1 ? py_text(p, v->v[0]) : CODE_HOLE;
	char *low = arena_alloc(p->a, text.n + 1);

	for (size_t i = 0; i < text.n; i++)
		low[i] = (char)(text.p[i] >= 'A' && text.p[i] <= 'Z' ? text.p[i] + 32 : text.p[i]);
	bool bad = !text_exact(text);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		bad |= str_contains(str_n(low, text.n), str_of(words[i]));
	if (bad)
		code_marker_add(p->w, "sql", n);
}

/* ---- a row ---- */

static const struct py_args nothing = {.escaped = true};

static void apply(struct python *p, const struct py_row *r, const struct pv *self, bool unbound, const struct py_args *args, TSNode n)
{
	switch (r->kind) {
	case PY_NOTHING: return;
	case PY_FILE: do_files(p, r, self, unbound, is_loose(args) ? &nothing : args, n); return;
	case PY_OPEN: do_open(p, r, self, unbound, is_loose(args) ? &nothing : args, n); return;
	case PY_SHELL: do_shell(p, r, args, n); return;
	case PY_ARGV: do_argv(p, args, n); return;
	case PY_EXECL: case PY_EXECV: do_exec(p, r, args, n); return;
	case PY_NET: do_net(p, r, args, n); return;
	case PY_MARK: code_marker_add(p->w, r->spec, n); return;
	case PY_CODE: do_code(p, r, args, n); return;
	case PY_GETATTR: do_getattr(p, args, n); return;
	case PY_CHDIR: do_chdir(p, args, n); return;
	case PY_PUTENV: py_environ(p, py_arg(p, args, 0, "key"), py_arg(p, args, 1, "value"), n); return;
	case PY_ENVIRON:
		if (args->n == 1 && !args->open && !args->v[0].name.n && node_is(args->v[0].node, "dictionary"))
			environment(p, &args->v[0], n);
		else
			code_marker_add(p->w, "environ", n);
		return;
	case PY_SEARCH: access_at(p, ACCESS_EXEC, CODE_HOLE, true, r->name, n); return;
	case PY_SETATTR:
		if (any_name(py_arg(p, args, 0, "")) || args->escaped)
			code_marker_add(p->w, "setattr", n);
		return;
	case PY_VARS:
		if (strcmp(r->name, "vars") != 0 || !args->n || any_name(args->v[0].v))
			code_marker_add(p->w, "globals", n);
		return;
	case PY_IMPORT: {
		const struct pvs *v = py_arg(p, args, 0, "name");
		struct str name = v && v->n == 1 && v->v[0]->kind == PV_TEXT ? v->v[0]->text : CODE_HOLE;

		if (!text_exact(name) || !name.n)
			code_marker_add(p->w, "import", n);
		else
			py_import(p, name, false, n);
		return;
	}
	case PY_LOGGING: {
		const struct pvs *v = py_arg(p, args, -1, "filename");

		for (size_t i = 0; v && i < v->n; i++)
			one_path(p, v->v[i], (struct path_spec){.kind = ACCESS_WRITE}, STR(""), r->name, n);
		return;
	}
	case PY_TYPE:
		if (args->escaped)
			code_marker_add(p->w, "type", n);
		return;
	case PY_TEMP: do_temp(p, r, args, n); return;
	case PY_SQL: do_sql(p, args, n); return;
	case PY_NAMES:
		for (size_t i = 0; i < args->n; i++) {
			const struct pvs *v = args->v[i].v;

			if (v->n != 1 || v->v[0]->kind != PV_TEXT || !text_exact(v->v[0]->text))
				code_marker_add(p->w, "getattr", n);
			else
				py_unknown_attribute(p, v->v[0]->text, NULL, n);
			if (str_is(str_of(r->name), "operator.methodcaller"))
				break;
		}
		if (args->escaped || args->open)
			code_marker_add(p->w, "getattr", n);
		return;
	}
}

/* ---- names ---- */

static bool is_module(struct str name) { return py_module(name) != PY_MODULE_OTHER; }

/* a._b: what a module keeps to itself may be another module. */
static bool has_private(struct str path)
{
	for (size_t from = 0; from < path.n;) {
		ptrdiff_t dot = str_find(path, '.', from);
		struct str part = str_sub(path, from, dot < 0 ? path.n : (size_t)dot);

		if (str_starts(part, "_") && !py_special_name(part))
			return true;
		from += part.n + 1;
	}
	return false;
}

/* What is known of a name without a row of its own: by the module it stands in. NULL: nothing to fear. */
static const char *name_trouble(struct str name)
{
	struct str module = name;

	if (py_is_builtin(name))
		return NULL;
	for (size_t i = name.n; i-- > 0;) {
		if (name.p[i] != '.')
			continue;
		module = str_sub(name, 0, i);
		struct str attr = str_sub(name, i + 1, name.n);
		const struct py_row *r = py_row(module);

		if (r && r->kind != PY_NOTHING)
			return "unknown-call"; /* an attribute of a function with effects */
		if (r || py_is_builtin(module))
			return NULL;
		switch (py_module(module)) {
		case PY_MODULE_PURE: return (str_is(attr, "main") || str_is(attr, "test")) && !str_is(module, "unittest") ? "unknown-call" : has_private(attr) ? "private" : NULL;
		case PY_MODULE_LISTED: case PY_MODULE_STDLIB: return py_special_name(attr) ? NULL : "unknown-call";
		case PY_MODULE_OTHER: break;
		}
	}
	return py_is_stdlib(name) ? "unknown-call" : NULL; /* else another's module: its code runs in the box */
}

static const struct py_row *method_row(struct python *p, const struct pv *m)
{
	if (m->of->kind == PV_PATH)
		return py_row(str_fmt(p->a, "pathlib.Path.%.*s", STR_ARG(m->text)));
	if (m->of->kind == PV_INST)
		return py_row(str_fmt(p->a, "%.*s.%.*s", STR_ARG(m->of->text), STR_ARG(m->text)));
	return NULL;
}

static void call_method(struct python *p, const struct pv *m, const struct py_args *args, TSNode n)
{
	const struct py_row *r = method_row(p, m);
	bool path = m->of->kind == PV_PATH;

	if (path)
		record(p, str_fmt(p->a, "pathlib.Path.%.*s", STR_ARG(m->text)), m->of, args, n);
	else if (m->of->kind == PV_INST && !str_is(m->of->text, "*"))
		record(p, str_fmt(p->a, "%.*s.%.*s", STR_ARG(m->of->text), STR_ARG(m->text)), NULL, args, n);
	if (r)
		apply(p, r, m->of, false, args, n);
	else if (path && py_effect_name(m->text) && !str_is(m->text, "write"))
		code_marker_add(p->w, "unknown-call", n);
}

void py_call(struct python *p, const struct pv *callee, const struct py_args *args, TSNode n)
{
	const struct py_row *r;
	const char *trouble;

	switch (callee->kind) {
	case PV_LOST:
		code_marker_add(p->w, "unknown-call", n);
		return;
	case PV_METHOD:
		call_method(p, callee, args, n);
		return;
	case PV_NAME:
		record(p, callee->text, NULL, args, n);
		r = py_row(callee->text);
		trouble = r ? NULL : name_trouble(callee->text);
		if (r)
			apply(p, r, NULL, r->spec[0] == 's' || str_starts(callee->text, "pathlib.Path.") || str_starts(callee->text, "zipfile.ZipFile.") || str_starts(callee->text, "tarfile.TarFile.e"), args, n);
		if (trouble)
			code_marker_add(p->w, trouble, n);
		return;
	default:
		if (callee->text.n && (callee->kind == PV_UNKNOWN || callee->kind == PV_USER))
			record(p, callee->text, NULL, args, n);
	}
}

static void escape_one(struct python *p, const struct pv *v, TSNode n)
{
	const struct py_row *r;

	if (v->kind == PV_LOST) {
		code_marker_add(p->w, "unknown-call", n);
	} else if (v->kind == PV_METHOD) {
		r = method_row(p, v);
		if (r && r->kind != PY_NOTHING)
			call_method(p, v, &nothing, n);
	} else if (v->kind == PV_NAME) {
		r = py_row(v->text);
		if (r ? str_is(v->text, "os.path") || str_is(v->text, "sys.path") : is_module(v->text))
			if (!str_is(v->text, "sys.path"))
				code_marker_add(p->w, "module", n);
		if ((r && r->kind != PY_NOTHING) || (!r && !is_module(v->text) && name_trouble(v->text)))
			py_call(p, v, &nothing, n);
	} else if (v->kind == PV_SEQ) {
		for (size_t i = 0; i < v->nitems; i++)
			for (size_t k = 0; k < v->items[i]->n; k++)
				if (v->items[i]->v[k]->kind == PV_LOST)
					code_marker_add(p->w, "unknown-call", n);
	}
}

void py_escape(struct python *p, const struct pvs *v, TSNode n)
{
	for (size_t i = 0; i < v->n; i++)
		escape_one(p, v->v[i], n);
}

/* ---- attributes of what is not known ---- */

static size_t positional(const struct py_args *args)
{
	size_t count = 0;

	for (size_t i = 0; i < args->n; i++)
		count += !args->v[i].name.n;
	return count;
}

/* Names that mean different things on different types, told apart by how they are called. */
static bool told_by_arguments(struct python *p, struct str attr, const struct py_args *args, TSNode n)
{
	if (str_is(attr, "execute") || str_is(attr, "executemany") || str_is(attr, "executescript")) {
		if (!p->foreign)
			do_sql(p, args, n);
		return true;
	}
	if (str_is(attr, "write") && p->writes_trees && args && args->n) {
		const struct pvs *v = py_arg(p, args, 0, "file_or_filename");

		for (size_t i = 0; v && i < v->n; i++)
			if (v->v[i]->kind != PV_INST)
				one_path(p, v->v[i], (struct path_spec){.kind = ACCESS_WRITE}, STR(""), "write", n);
		return true;
	}
	if (str_is(attr, "write") || !args || args->open)
		return str_is(attr, "write");
	if (str_is(attr, "replace")) /* Path.replace() has one argument, that of a text two */
		return positional(args) >= 2 || (!positional(args) && !keyword(args, "target"));
	if (str_is(attr, "copy"))
		return !positional(args) && !keyword(args, "target");
	if (str_is(attr, "open")) {
		bool reads = true;

		for (size_t i = 0; i < args->n && i < 3; i++)
			reads &= !args->v[i].name.n || str_is(args->v[i].name, "mode") ? !mode_writes(p, args->v[i].v, false) : !str_is(args->v[i].name, "opener");
		return reads;
	}
	return false;
}

void py_unknown_attribute(struct python *p, struct str attr, const struct py_args *args, TSNode n)
{
	if (str_starts(attr, "__") && str_ends(attr, "__")) {
		if (!py_special_name(attr))
			code_marker_add(p->w, "dunder", n);
		return;
	}
	if (told_by_arguments(p, attr, args, n) || py_harmless_name(attr))
		return;
	if (!py_effect_name(attr) && (p->foreign || pmap_get(p->own, attr) || attr.p[0] == '_'))
		return;
	code_marker_add(p->w, "unknown-call", n);
}

/* ---- imports and stores ---- */

static void local_file(struct python *p, struct str path, TSNode n)
{
	if (p->w->s->cwd.n && text_exact(p->w->s->cwd))
		code_access(p->w, ACCESS_EXEC, py_path_join(p, p->w->s->cwd, path), false, "import", n);
}

void py_import(struct python *p, struct str module, bool in_class, TSNode n)
{
	static const char *const marked[] = {"ctypes", "cffi"};
	ptrdiff_t dot = str_find(module, '.', 0);
	struct str top = dot < 0 ? module : str_sub(module, 0, (size_t)dot);

	code_import_add(p->w, module, n);
	if (in_class)
		code_marker_add(p->w, "module", n); /* it is an attribute of the class */
	p->writes_trees |= str_starts(module, "xml.etree");
	if (!py_is_stdlib(top)) {
		p->foreign = true;
		code_access(p->w, ACCESS_EXEC, CODE_HOLE, true, "python module", n);
		return;
	}
	if (py_module(module) == PY_MODULE_STDLIB || (dot >= 0 && py_module(module) == PY_MODULE_OTHER && py_module(top) != PY_MODULE_PURE))
		code_marker_add(p->w, "module", n);
	for (size_t i = 0; i < sizeof(marked) / sizeof(*marked); i++)
		if (str_is(top, marked[i]))
			code_marker_add(p->w, "ctypes", n);
	local_file(p, str_fmt(p->a, "%.*s.py", STR_ARG(top)), n);
	local_file(p, str_fmt(p->a, "%.*s/__init__.py", STR_ARG(top)), n);
}

void py_store(struct python *p, const struct pvs *object, struct str attr, TSNode n)
{
	static const char *const free_to_set[] = {"sys.stdout", "sys.stderr", "sys.stdin", "sys.argv", "sys.tracebacklimit", "sys.dont_write_bytecode", "sys.excepthook", "csv.field_size_limit", "random.seed", "decimal.getcontext"};

	for (size_t i = 0; i < object->n; i++) {
		const struct pv *v = object->v[i];
		size_t k = 0;

		if (v->kind == PV_NAME && py_is_stdlib(v->text)) {
			struct str full = str_fmt(p->a, "%.*s.%.*s", STR_ARG(v->text), STR_ARG(attr));

			while (k < sizeof(free_to_set) / sizeof(*free_to_set) && !str_is(full, free_to_set[k]))
				k++;
			if (str_is(full, "sys.path"))
				code_access(p->w, ACCESS_EXEC, CODE_HOLE, true, "sys.path", n);
			else if (k == sizeof(free_to_set) / sizeof(*free_to_set))
				code_marker_add(p->w, "setattr", n);
		} else if (v->kind == PV_LOST || (str_starts(attr, "__") && str_ends(attr, "__") && v->kind != PV_USER)) {
			code_marker_add(p->w, "setattr", n);
		}
	}
}
