/* Turns the table row of a called function into accesses, hosts and markers. */
#include "code/python.h"

/* ---- files ---- */

static void access_at(struct python *p, enum access_kind kind, struct str path, bool below, const char *op,
		TSNode n)
{
	struct str cwd = p->w->s->cwd;

	for (size_t i = 0; i < p->ncwds; i++) {
		p->w->s->cwd = p->cwds[i];
		if (path.n && path.p[0] != '/' && !text_hole(path.p[0]))
			code_access(p->w, kind, py_path_join(p, p->cwds[i].n ? p->cwds[i] : CODE_HOLE, path),
					below, op, n);
		else if (!i)
			code_access(p->w, kind, path.n && (path.p[0] == HOLE_NAME || path.p[0] == HOLE_NUM) ?
					py_path_join(p, p->cwds[i].n ? p->cwds[i] : CODE_HOLE, path) :
					path.n && path.p[0] != '/' ? CODE_HOLE : path, below, op, n);
	}
	p->w->s->cwd = cwd;
}

struct path_spec {
	enum access_kind kind;
	bool below, into, here, database, archive, parents, optional;
};

static struct path_spec parse_letters(struct str s)
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
		f.optional |= s.p[i] == 'o';
	}
	return f;
}

static bool is_number(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_is_digit(s.p[i]) && s.p[i] != HOLE_NUM)
			return false;
	return s.n > 0;
}

static void one_path(struct python *p, const struct pv *v, struct path_spec f, struct str source,
		const char *op, TSNode n)
{
	struct str path = py_text(p, v);

	/* a symlink below the directory may lead out of it; only the box can detect that */
	if (v->kind == PV_BELOW) {
		access_at(p, f.kind, v->text, true, op, n);
		if (f.kind != ACCESS_READ)
			code_through_link(p->w, n);
		return;
	}
	/* None: an error, or the default */
	if (v->kind == PV_DATA && str_is(v->text, "None")) {
		if (f.here)
			access_at(p, f.kind, STR("."), f.below, op, n);
		return;
	}
	/* a file descriptor: it may refer to any open file, even one opened for reading */
	if (v->kind == PV_DATA && is_number(v->text)) {
		if (f.kind != ACCESS_READ && strcmp(op, "open") != 0)
			code_marker_add(p->w, MARKER_UNKNOWN_CALL, n);
		return;
	}
	if (f.kind != ACCESS_READ && (str_starts(path, "/proc/") || str_starts(path, "/dev/fd/")) &&
			!str_is_any(path, "/dev/fd/1 /dev/fd/2"))
		code_marker_add(p->w, MARKER_UNKNOWN_CALL, n); /* these paths lead to open files */
	if (f.database && (str_is(path, ":memory:") || str_is(path, "")))
		return;
	if (f.database && str_starts(path, "file:")) {
		code_marker_add(p->w, MARKER_SQL, n);
		return;
	}
	if (f.archive)
		path = py_cat(p, path, source); /* append the archive's suffix */
	access_at(p, f.kind, path.n ? path : CODE_HOLE, f.below, op, n);
	/* parents that become empty are removed, too */
	for (struct str up = path; f.parents && text_exact(up) && str_has(up, '/') && up.n > 1;) {
		up = py_path_parent(p, up);
		access_at(p, f.kind, up, false, op, n);
	}
	if (f.into)
		access_at(p, f.kind, py_path_join(p, path, source), f.below, op, n);
}

void py_writes(struct python *p, const struct pv *v, const char *op, TSNode n)
{
	one_path(p, v, (struct path_spec){.kind = ACCESS_WRITE}, STR(""), op, n);
}

/*
 * Returns an argument by its position in the spec. unbound: the object is the first argument, as in
 * Path.unlink(p).
 */
static const struct pvs *argument_of(struct python *p, const struct pv *self, bool unbound,
		const struct py_args *args, struct str pos, struct str name)
{
	if (pos.n && pos.p[0] == 's')
		return self ? pvs_one(p, self) : py_arg(p, args, 0, "self");
	return py_arg(p, args, pos.n && ascii_is_digit(pos.p[0]) ? pos.p[0] - '0' + unbound : -1,
			name.n ? str_c(p->a, name) : "");
}

/* Reads the next "pos:name:letters" of a list. False at the end. */
static bool next_spec(struct str *rest, struct str part[3])
{
	ptrdiff_t blank = str_find(*rest, ' ', 0);
	struct str one = blank < 0 ? *rest : str_first(*rest, (size_t)blank);

	if (!rest->n)
		return false;
	*rest = blank < 0 ? STR("") : str_from(*rest, (size_t)blank + 1);
	for (int i = 0; i < 3; i++) {
		ptrdiff_t colon = i < 2 ? str_find(one, ':', 0) : -1;

		part[i] = colon < 0 ? one : str_first(one, (size_t)colon);
		one = colon < 0 ? STR("") : str_from(one, (size_t)colon + 1);
	}
	return true;
}

static struct str archive_suffix(struct python *p, const struct py_args *args)
{
	static const char suffixes[][2][12] = {{"zip", ".zip"}, {"tar", ".tar"}, {"gztar", ".tar.gz"},
			{"bztar", ".tar.bz2"}, {"xztar", ".tar.xz"}, {"zstdtar", ".tar.zst"}};
	const struct pvs *v = py_arg(p, args, 1, "format");

	for (size_t i = 0; v && v->n == 1 && i < ARRAY_SIZE(suffixes); i++)
		if (str_is(py_text(p, v->v[0]), suffixes[i][0]))
			return str_of(suffixes[i][1]);
	return CODE_HOLE;
}

/* True if the path is unknown: relative to an open directory, or some arguments are unknown. */
static bool is_loose(const struct py_args *args)
{
	for (size_t i = 0; i < args->n; i++)
		if (str_ends(args->v[i].name, "dir_fd") || str_is(args->v[i].name, "opener"))
			return true;
	return args->open;
}

static void do_files(struct python *p, const struct py_row *r, const struct pv *self, bool unbound,
		const struct py_args *args, TSNode n)
{
	struct str rest = str_of(r->spec), part[3], source = str_n("\2", 1);
	const char *op = r->op[0] ? r->op : r->name;

	while (next_spec(&rest, part)) {
		struct path_spec f = parse_letters(part[2]);
		const struct pvs *v = argument_of(p, self, unbound, args, part[0], part[1]);

		if (!part[2].n)
			continue;
		if (!v && f.here)
			access_at(p, f.kind, STR("."), f.below, op, n);
		if (!v && !f.here && !f.optional && f.kind != ACCESS_READ)
			v = pvs_one(p, p->unknown);
		if (f.archive)
			source = archive_suffix(p, args);
		for (size_t i = 0; v && i < v->n; i++)
			one_path(p, v->v[i], f, source, op, n);
		source = v && v->n == 1 ? py_base(py_text(p, v->v[0])) : source;
	}
}

/* True if this mode of open() may write. */
bool py_mode_writes(struct python *p, const struct pvs *mode, bool flags)
{
	for (size_t i = 0; mode && i < mode->n; i++) {
		struct str m = mode->v[i]->kind == PV_NAME ? mode->v[i]->text : py_text(p, mode->v[i]);

		if (flags) {
			if (!str_is_any(m, "os.O_RDONLY 0"))
				return true;
			continue;
		}
		for (size_t k = 0; k < m.n; k++)
			if (text_hole(m.p[k]) || memchr("wax+", m.p[k], 4))
				return true;
	}
	return flags ? !mode : false;
}

static void do_open(struct python *p, const struct py_row *r, const struct pv *self, bool unbound,
		const struct py_args *args, TSNode n)
{
	struct str spec = str_of(r->spec);
	bool flags = spec.n > 3 && spec.p[3] == 'o';
	struct str name = str_from(spec, 4 + flags);
	const struct pvs *file = argument_of(p, self, unbound, args, str_first(spec, 1), name);
	const struct pvs *mode = argument_of(p, self, unbound, args, str_sub(spec, 2, 3),
			flags ? STR("flags") : STR("mode"));
	struct path_spec f = {.kind = py_mode_writes(p, mode, flags) ? ACCESS_WRITE : ACCESS_READ};

	for (size_t i = 0; file && i < file->n; i++)
		if (!(file->v[i]->kind == PV_INST && str_is(file->v[i]->text, "file")))
			one_path(p, file->v[i], f, STR(""), r->name, n);
}

/* ---- network ---- */

/* Returns the host of a URL; a hole unless the URL is plain. */
static struct str host_of(struct str url)
{
	size_t from = str_starts(url, "http://") ? 7 : str_starts(url, "https://") ? 8 : str_starts(url,
			"ftp://") ? 6 : str_starts(url, "ws://") ? 5 : str_starts(url, "wss://") ? 6 : 0,
			to = from;

	while (from && to < url.n && url.p[to] != '/' && url.p[to] != '?' && url.p[to] != '#')
		to++;
	if (from && (memchr(url.p + from, '@', to - from) || memchr(url.p + from, '\\', to - from)))
		return CODE_HOLE;
	for (size_t i = from; i < to; i++)
		if (url.p[i] == ':')
			to = i;
	if (from)
		return text_exact(str_first(url, to)) ? str_sub(url, from, to) : CODE_HOLE;
	for (size_t i = 0; i < url.n; i++)
		if (url.p[i] == '<' || url.p[i] == ':' || url.p[i] == '/' || url.p[i] == ' ' ||
				text_hole(url.p[i]))
			return CODE_HOLE;
	return url;
}

/* True if the scheme is not one of a host: the URL may name a file. */
static bool may_be_file(struct str url)
{
	return !str_starts(url, "http://") && !str_starts(url, "https://") &&
			(str_has(url, ':') || !text_exact(url));
}

/* True if a proxy may stand between the code and the hosts that it names. */
static bool is_proxied(struct python *p)
{
	static const char names[][12] = {"http_proxy", "https_proxy", "all_proxy", "ftp_proxy", "HTTP_PROXY",
			"HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (py_is_set(p, names[i]))
			return true;
	return str_contains(p->w->src, STR("_proxy")) || str_contains(p->w->src, STR("_PROXY"));
}

static void do_net(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n)
{
	struct str rest = str_of(r->spec), part[3];
	const struct pvs *v;
	struct str host = CODE_HOLE;

	if (strcmp(r->spec, "-") != 0 && next_spec(&rest, part)) {
		v = argument_of(p, NULL, false, args, part[0], part[1]);
		if (v && v->n == 1)
			host = v->v[0]->kind == PV_SEQ && v->v[0]->nitems &&
					v->v[0]->items[0]->n == 1 ? py_text(p, v->v[0]->items[0]->v[0]) :
					py_text(p, v->v[0]);
	}
	if (str_starts(str_of(r->name), "urllib.") && may_be_file(host))
		access_at(p, ACCESS_READ, str_starts(host, "file:///") &&
				!str_has(host, '%') ? str_from(host, 7) : CODE_HOLE, false,
				r->name, n);
	code_touch(p->w, is_proxied(p) ? CODE_HOLE : host_of(host), n);
	while (next_spec(&rest, part)) {
		v = argument_of(p, NULL, false, args, part[0], part[1]);
		for (size_t i = 0; v && i < v->n; i++)
			one_path(p, v->v[i], parse_letters(part[2]), STR(""), r->name, n);
	}
}

/* ---- dynamic code ---- */

/* True if evaluating this code may rebind names. */
static bool may_bind(struct str code, bool statements)
{
	static const char words[][8] = {"import", "def ", "class", "for ", "with ", "del ", "global",
			"except", "match"};
	bool binds = statements ? memchr(code.p, '=', code.n) != NULL : str_contains(code, STR(":="));

	for (size_t i = 0; statements && i < ARRAY_SIZE(words); i++)
		binds |= str_contains(code, str_of(words[i]));
	return binds;
}

static void one_code(struct python *p, const struct py_row *r, const struct pvs *v, bool function, TSNode n)
{
	struct str text = v && v->n == 1 && v->v[0]->kind == PV_TEXT ? v->v[0]->text : CODE_HOLE,
			cwd = p->w->s->cwd;
	enum marker id = !strcmp(r->name, "eval") ? MARKER_EVAL : MARKER_EXEC;

	if (function && v && v->n == 1 && v->v[0]->kind == PV_USER)
		return;
	if (!text.n || !text_exact(text)) {
		code_marker_add(p->w, id, n);
		return;
	}
	if (may_bind(text, id == MARKER_EXEC) || p->hides)
		code_marker_add(p->w, id, n);
	if (!py_in_place(p))
		p->w->s->cwd = CODE_HOLE;
	code_snippet(p->w, LANG_PYTHON, text, n);
	p->w->s->cwd = cwd;
}

static void do_code(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n)
{
	bool timed = str_starts(str_of(r->name), "timeit");
	const struct pvs *v = py_arg(p, args, 0, "stmt");

	one_code(p, r, v, timed, n);
	if (timed && py_arg(p, args, 1, "setup"))
		one_code(p, r, py_arg(p, args, 1, "setup"), true, n);
}

/* The name that getattr(x, NAME) and setattr(x, NAME, ...) give; a hole: not known. */
static struct str attribute_named(struct python *p, const struct py_args *args)
{
	const struct pvs *name = py_arg(p, args, 1, "");

	return name && name->n == 1 && name->v[0]->kind == PV_TEXT ? name->v[0]->text : CODE_HOLE;
}

static void do_getattr(struct python *p, const struct py_args *args, TSNode n)
{
	const struct pvs *of = py_arg(p, args, 0, "");
	struct str text = attribute_named(p, args);

	for (size_t i = 0; of && i < of->n; i++) {
		enum pv_kind k = of->v[i]->kind;

		if (!text_exact(text) && k != PV_DATA && k != PV_TEXT && k != PV_USER)
			code_marker_add(p->w, MARKER_GETATTR, n);
		else if (text_exact(text) &&
				(k == PV_UNKNOWN || k == PV_LOST ||
				(str_starts(text, "__") && str_ends(text, "__"))))
			py_unknown_attribute(p, text, NULL, n);
	}
	if (args->escaped)
		code_marker_add(p->w, MARKER_GETATTR, n);
}

static bool any_name(const struct pvs *v)
{
	for (size_t i = 0; v && i < v->n; i++)
		if (v->v[i]->kind == PV_NAME || v->v[i]->kind == PV_LOST)
			return true;
	return false;
}

/* Returns the directory as text; a hole for a number, which is a file descriptor. */
static struct str directory_text(struct python *p, const struct pv *v)
{
	return v->kind == PV_TEXT || v->kind == PV_PATH ? py_text(p, v) : CODE_HOLE;
}

bool py_in_place(struct python *p) { return p->ncwds == 1; }

static void do_chdir(struct python *p, const struct py_args *args, TSNode n)
{
	const struct pvs *v = py_arg(p, args, 0, "path");
	struct str text = v && v->n == 1 ? directory_text(p, v->v[0]) : CODE_HOLE;
	bool known = false;

	for (size_t i = 0; i < p->ncwds; i++)
		known |= str_eq(p->cwds[i], CODE_HOLE) ||
				(text_exact(text) && str_eq(p->cwds[i], py_path_join(p, p->w->s->cwd, text)));
	if (!known || args->escaped)
		code_marker_add(p->w, MARKER_CHDIR, n);
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
		to = v && v->n == 1 ? directory_text(p, v->v[0]) : CODE_HOLE;
		relative |= !str_starts(to, "/");
		if (p->ncwds == PY_CWDS_MAX || !text_exact(to) || !to.n || (relative && calls)) {
			p->cwds[0] = p->cwds[1] = CODE_HOLE;
			p->ncwds = 2; /* two entries, so that py_in_place() is false */
			return;
		}
		p->cwds[p->ncwds++] = py_path_join(p, p->w->s->cwd.n ? p->w->s->cwd : CODE_HOLE, to);
	}
}

static bool plain_name(const struct pvs *v)
{
	return !v || py_is_data(v, "None") ||
			(v->n == 1 && v->v[0]->kind == PV_TEXT && text_exact(v->v[0]->text) &&
			!str_has(v->v[0]->text, '/'));
}

/* Records a write of a file with an unknown name, in the temporary directory or in `dir`. */
static void do_temp(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n)
{
	int at = r->spec[0] - '0';
	const struct pvs *dir = py_arg(p, args, at + 2, "dir");
	bool named = dir && !py_is_data(dir, "None"), plain = plain_name(py_arg(p, args, at, "suffix")) &&
			plain_name(py_arg(p, args, at + 1, "prefix"));
	struct str place = !named ? py_tmp(p) : dir->n == 1 ? py_text(p, dir->v[0]) : CODE_HOLE;

	access_at(p, ACCESS_WRITE, plain && !args->escaped && place.n ? place : CODE_HOLE, true, "mktemp", n);
}

void py_sql(struct python *p, const struct py_args *args, TSNode n)
{
	static const char words[][16] = {"attach", "vacuum", "load_extension", "writefile"};
	const struct pvs *v = args ? py_arg(p, args, 0, "sql") : NULL;
	struct str text = v && v->n == 1 ? py_text(p, v->v[0]) : CODE_HOLE;
	struct str low = str_lower(p->a, text);
	bool bad = !text_exact(text);

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		bad |= str_contains(low, str_of(words[i]));
	if (bad)
		code_marker_add(p->w, MARKER_SQL, n);
}

static void do_import(struct python *p, const struct py_args *args, TSNode n)
{
	const struct pvs *v = py_arg(p, args, 0, "name");
	struct str name = v && v->n == 1 && v->v[0]->kind == PV_TEXT ? v->v[0]->text : CODE_HOLE;

	if (v && v->n == 1 && v->v[0]->kind == PV_NAME)
		return; /* the module is already imported */
	if (!text_exact(name) || !name.n || name.p[0] == '.')
		code_marker_add(p->w, MARKER_IMPORT, n);
	else
		py_import(p, name, false, n);
}

static void do_logging(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n)
{
	const struct pvs *v = py_arg(p, args, -1, "filename");

	for (size_t i = 0; v && i < v->n; i++)
		py_writes(p, v->v[i], r->name, n);
}

/* Handles operator.attrgetter("a") and operator.methodcaller("a", ...). */
static void do_names(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n)
{
	size_t count = !strcmp(r->name, "operator.methodcaller") && args->n ? 1 : args->n;

	for (size_t i = 0; i < count; i++) {
		const struct pvs *v = args->v[i].v;

		if (v->n != 1 || v->v[0]->kind != PV_TEXT || !text_exact(v->v[0]->text))
			code_marker_add(p->w, MARKER_GETATTR, n);
		else
			py_unknown_attribute(p, v->v[0]->text, NULL, n);
	}
	if (args->escaped || args->open)
		code_marker_add(p->w, MARKER_GETATTR, n);
}

/* Records a link. Accesses through it happen at its target; only the box can detect that. */
static void do_link(struct python *p, const struct py_row *r, const struct pv *self, bool unbound,
		const struct py_args *args, TSNode n)
{
	const struct py_args *known = is_loose(args) ? &py_nothing : args;
	struct str rest = str_of(r->spec), part[3], to = CODE_HOLE;
	const struct pvs *v = NULL;

	p->w->change = CHANGE_LINK;
	do_files(p, r, self, unbound, known, n);
	p->w->change = CHANGE_PLAIN;
	if (next_spec(&rest, part))
		v = argument_of(p, self, unbound, known, part[0], part[1]);
	if (v && v->n == 1)
		to = py_text(p, v->v[0]);
	if (!text_exact(to) || !to.n || to.p[0] == '/' || str_contains(to, STR("..")))
		code_through_link(p->w, n);
}

/* Finding a module with a dot in its name imports the packages around it. */
static void do_spec(struct python *p, const struct py_args *args, TSNode n)
{
	const struct pvs *v = py_arg(p, args, 0, "name");

	if (!v || args->escaped)
		code_marker_add(p->w, MARKER_IMPORT, n);
	for (size_t i = 0; v && i < v->n; i++) {
		struct str name = v->v[i]->kind == PV_TEXT ? v->v[i]->text : CODE_HOLE;

		if (!text_exact(name) || !name.n)
			code_marker_add(p->w, MARKER_IMPORT, n);
		else if (str_has(name, '.'))
			py_import(p, name, false, n);
	}
}

static void do_help(struct python *p, const struct py_args *args, TSNode n)
{
	const struct pvs *v = py_arg(p, args, 0, "request");

	if (!v)
		access_at(p, ACCESS_EXEC, CODE_HOLE, true, "help", n);
	for (size_t i = 0; v && i < v->n; i++) {
		const struct pv *x = v->v[i];

		if (x->kind == PV_TEXT && text_exact(x->text) && x->text.n)
			py_import(p, x->text, false, n);
		else if (x->kind == PV_TEXT || x->kind == PV_UNKNOWN || x->kind == PV_LOST)
			access_at(p, ACCESS_EXEC, CODE_HOLE, true, "help", n);
	}
}

/* True for setattr(x, "__special__", ...), or an unknown name on a class that the code defines. */
static bool sets_special(struct python *p, const struct py_args *args)
{
	const struct pvs *of = py_arg(p, args, 0, "");
	struct str text = attribute_named(p, args);

	if (text_exact(text))
		return str_starts(text, "__");
	return of && of->n == 1 && of->v[0]->kind == PV_USER && str_contains(p->w->src, STR("dataclass"));
}

/* ---- a row ---- */

const struct py_args py_nothing = {.escaped = true};

void py_apply(struct python *p, const struct py_row *r, const struct pv *self, bool unbound,
		const struct py_args *args, TSNode n)
{
	switch (r->kind) {
	case PY_NOTHING: return;
	case PY_FILE:
		if (!strcmp(r->name, "os.mknod") && (args->n > 1 || args->open))
			code_marker_add(p->w, MARKER_UNKNOWN_CALL, n); /* may create a device */
		do_files(p, r, self, unbound, is_loose(args) ? &py_nothing : args, n);
		return;
	case PY_OPEN: do_open(p, r, self, unbound, is_loose(args) ? &py_nothing : args, n); return;
	case PY_SHELL: py_shell(p, r, args, n); return;
	case PY_ARGV: py_argv(p, args, n); return;
	case PY_EXECL: case PY_EXECV: py_exec(p, r, args, n); return;
	case PY_NET: do_net(p, r, args, n); return;
	case PY_MARK: code_marker_add(p->w, r->marker, n); return;
	case PY_CODE: do_code(p, r, args, n); return;
	case PY_GETATTR: do_getattr(p, args, n); return;
	case PY_CHDIR: do_chdir(p, args, n); return;
	case PY_PUTENV: py_environ(p, py_arg(p, args, 0, "key"), py_arg(p, args, 1, "value"), n); return;
	case PY_UNSETENV: py_environ_less(p, py_arg(p, args, 0, "key"), n); return;
	case PY_ENVIRON:
		if (args->n == 1 && !args->open && !args->v[0].name.n &&
				node_is(args->v[0].node, "dictionary"))
			py_environment(p, &args->v[0], true, n);
		else
			code_marker_add(p->w, MARKER_ENVIRON, n);
		return;
	case PY_SEARCH: access_at(p, ACCESS_EXEC, CODE_HOLE, true, r->name, n); return;
	case PY_SETATTR:
		if (any_name(py_arg(p, args, 0, "")) || args->escaped || !pmap_get(p->stored, STR("*")) ||
				sets_special(p, args))
			/* on a module, or under a name that the first pass does not know */
			code_marker_add(p->w, MARKER_SETATTR, n);
		return;
	case PY_VARS:
		if (strcmp(r->name, "vars") != 0 || !args->n || any_name(args->v[0].v) ||
				!pmap_get(p->stored, STR("*")))
			code_marker_add(p->w, MARKER_GLOBALS, n);
		return;
	case PY_IMPORT: do_import(p, args, n); return;
	case PY_LOGGING: do_logging(p, r, args, n); return;
	case PY_TYPE:
		if (args->escaped || (args->n != 1 && str_contains(p->w->src, STR("dataclass"))))
			code_marker_add(p->w, MARKER_TYPE, n);
		return;
	case PY_TEMP: do_temp(p, r, args, n); return;
	case PY_SQL: py_sql(p, args, n); return;
	case PY_NAMES: do_names(p, r, args, n); return;
	case PY_LINK: do_link(p, r, self, unbound, args, n); return;
	case PY_SPEC: do_spec(p, args, n); return;
	case PY_HELP: do_help(p, args, n); return;
	case PY_TESTS:
		if (py_arg(p, args, 0, "module") || py_arg(p, args, 1, "defaultTest") ||
				py_arg(p, args, 4, "testLoader"))
			access_at(p, ACCESS_EXEC, CODE_HOLE, true, r->name, n);
		return;
	}
}
