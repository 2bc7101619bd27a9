/* Results of calls of Python's library, as far as paths, commands and callees depend on them. */
#include "code/python.h"

static struct str arg_text(struct python *p, const struct py_args *args, int pos, const char *name)
{
	const struct pvs *v = py_arg(p, args, pos, name);

	return !v ? STR("") : v->n == 1 ? py_text(p, v->v[0]) : CODE_HOLE;
}

/* A sequence of unknown length, with one item that stands for all. */
static const struct pvs *many_of(struct python *p, const struct pvs *one)
{
	struct pv *v = arena_new(p->a, struct pv);
	const struct pvs **items = arena_array(p->a, 1, sizeof(*items));

	items[0] = one;
	*v = (struct pv){.kind = PV_SEQ, .items = items, .nitems = 1, .many = true};
	return pvs_one(p, v);
}

/* True if the command line or the code sets this variable. Its value in the view is then wrong. */
bool py_is_set(struct python *p, const char *name)
{
	for (const struct setting *s = p->w->f->settings; s; s = s->next)
		if (str_is(s->name, name))
			return true;
	return false;
}

struct str py_home(struct python *p)
{
	return p->w->v->home.n && !py_is_set(p, "HOME") ? p->w->v->home : CODE_HOLE;
}

/* The directory of temporary files. */
struct str py_tmp(struct python *p)
{
	if (py_is_set(p, "TMPDIR") || py_is_set(p, "TEMP") || py_is_set(p, "TMP"))
		return CODE_HOLE;
	return p->w->v->tmp.n ? p->w->v->tmp : STR("/tmp");
}

static struct str home_path(struct python *p, struct str path)
{
	struct str home = py_home(p);

	if (!path.n || path.p[0] != '~')
		return path.n && path.p[0] == HOLE_ANY ? CODE_HOLE : path;
	if (path.n > 1 && path.p[1] != '/')
		return CODE_HOLE; /* home of another user */
	return py_cat(p, home, str_from(path, 1));
}

static struct str current_directory(struct python *p)
{
	return p->ncwds == 1 && !(p->early && p->chdirs) && p->cwds[0].n ? p->cwds[0] : CODE_HOLE;
}

/* ---- functions of modules ---- */

/* Joins the arguments, with value number `pick` of the one argument that has several. */
static struct str join_one(struct python *p, const struct py_args *args, size_t pick)
{
	struct str all = args->n || args->open || args->escaped ? STR("") : STR(".");

	for (size_t i = 0; i < args->n; i++) {
		const struct pvs *v = args->v[i].v;
		size_t at = v->n > 1 ? pick : 0;

		if (!args->v[i].name.n)
			all = py_path_join(p, all, at < v->n && !v->cycle ? py_text(p, v->v[at]) : CODE_HOLE);
	}
	return args->open || args->escaped ? CODE_HOLE : all;
}

/* True for join(DIR, "a", "b") with DIR below a known directory. */
static bool stays_below(const struct py_args *args)
{
	bool below = args->n > 1 && !args->open && !args->escaped && args->v[0].v->n == 1 &&
			args->v[0].v->v[0]->kind == PV_BELOW;

	for (size_t i = 1; below && i < args->n; i++)
		below = args->v[i].v->n == 1 && !args->v[i].v->cycle && args->v[i].v->v[0]->kind == PV_TEXT &&
				py_stays_below(args->v[i].v->v[0]->text);
	return below;
}

static const struct pvs *fold_join(struct python *p, const struct py_args *args, enum pv_kind kind)
{
	size_t several = 0, n = 1;
	const struct pvs *all;

	if (stays_below(args))
		return pvs_below(p, args->v[0].v->v[0]->text, kind == PV_PATH, true);
	for (size_t i = 0; i < args->n; i++)
		if (args->v[i].v->n > 1) {
			several++;
			n = args->v[i].v->n;
		}
	all = pvs_text(p, kind, several > 1 ? CODE_HOLE : join_one(p, args, 0));
	for (size_t k = 1; several == 1 && k < n; k++)
		all = pvs_join(p, all, pvs_text(p, kind, join_one(p, args, k)));
	return all;
}

/* Folds each value of a single argument separately. */
static const struct pvs *fold_each(struct python *p, const struct py_args *args, enum pv_kind kind)
{
	const struct pvs *v = py_arg(p, args, 0, "path"), *all = NULL;

	if (args->n != 1 || args->open || !v)
		return fold_join(p, args, kind);
	for (size_t i = 0; i < v->n; i++) {
		const struct pv *x = v->v[i];
		const struct pvs *one = x->kind == PV_BELOW ? pvs_below(p, x->text, kind == PV_PATH,
				x->strict) : pvs_text(p, kind, py_text(p, x));

		all = all ? pvs_join(p, all, one) : one;
	}
	return all;
}

static const struct pvs *f_path_join(struct python *p, const struct py_args *args)
{
	return fold_join(p, args, PV_TEXT);
}
static const struct pvs *f_path(struct python *p, const struct py_args *args)
{
	return fold_each(p, args, PV_PATH);
}
static const struct pvs *f_str(struct python *p, const struct py_args *args)
{
	return args->n ? fold_each(p, args, PV_TEXT) : pvs_text(p, PV_TEXT, args->open ? CODE_HOLE : STR(""));
}
static const struct pvs *f_expanduser(struct python *p, const struct py_args *args)
{
	const struct pvs *v = py_arg(p, args, 0, "path"), *all = NULL;

	for (size_t i = 0; v && i < v->n; i++) {
		const struct pvs *one = pvs_text(p, PV_TEXT, home_path(p, py_text(p, v->v[i])));

		all = all ? pvs_join(p, all, one) : one;
	}
	return all ? all : pvs_text(p, PV_TEXT, home_path(p, arg_text(p, args, 0, "path")));
}
static const struct pvs *f_abspath(struct python *p, const struct py_args *args)
{
	return pvs_text(p, PV_TEXT, py_path_join(p, current_directory(p), arg_text(p, args, 0, "path")));
}
static const struct pvs *f_dirname(struct python *p, const struct py_args *args)
{
	struct str s = arg_text(p, args, 0, "p");

	size_t to = s.n;

	while (to && s.p[to - 1] != '/' && !text_hole(s.p[to - 1]))
		to--;
	if (to && s.p[to - 1] != '/')
		return pvs_text(p, PV_TEXT, s.p[to - 1] == HOLE_NAME ? py_path_parent(p, s) : CODE_HOLE);
	while (to > 1 && s.p[to - 1] == '/')
		to--;
	return pvs_text(p, PV_TEXT, str_first(s, to));
}

static const struct pvs *f_basename(struct python *p, const struct py_args *args)
{
	struct str s = arg_text(p, args, 0, "p");

	return pvs_text(p, PV_TEXT, text_exact(s) ? str_base(s) : CODE_HOLE);
}

static const struct pvs *f_getcwd(struct python *p, const struct py_args *args)
{
	(void)args;
	return pvs_text(p, PV_TEXT, current_directory(p));
}

static const struct pvs *f_path_cwd(struct python *p, const struct py_args *args)
{
	(void)args;
	return pvs_text(p, PV_PATH, current_directory(p));
}

static const struct pvs *f_path_home(struct python *p, const struct py_args *args)
{
	(void)args;
	return pvs_text(p, PV_PATH, py_home(p));
}

static const struct pvs *f_getenv(struct python *p, const struct py_args *args)
{
	struct str name = arg_text(p, args, 0, "key");
	const struct pvs *otherwise = py_arg(p, args, 1, "default");
	const struct pvs *value = pvs_text(p, PV_TEXT, str_is(name, "HOME") ? py_home(p) : CODE_HOLE);

	return otherwise ? pvs_join(p, value, otherwise) : value;
}

static const struct pvs *f_tempdir(struct python *p, const struct py_args *args)
{
	(void)args;
	return pvs_text(p, PV_TEXT, py_tmp(p));
}

static const struct pvs *f_mkdtemp(struct python *p, const struct py_args *args)
{
	bool elsewhere = args->n || args->open;

	return pvs_text(p, PV_TEXT, elsewhere ? CODE_HOLE : py_path_join(p, py_tmp(p), str_n("\2", 1)));
}

static const struct pvs *f_tempdir_object(struct python *p, const struct py_args *args)
{
	return f_mkdtemp(p, args);
}

static const struct pvs *f_listdir(struct python *p, const struct py_args *args)
{
	(void)args;
	return many_of(p, pvs_text(p, PV_TEXT, str_n("\2", 1)));
}

static const struct pvs *tuple_of(struct python *p, const struct pvs *const *list, size_t n)
{
	struct pv *v = arena_new(p->a, struct pv);
	const struct pvs **items = arena_array(p->a, n + 1, sizeof(*items));

	memcpy(items, list, n * sizeof(*items));
	*v = (struct pv){.kind = PV_SEQ, .items = items, .nitems = n};
	return many_of(p, pvs_one(p, v));
}

/* Sets *ret_dir to the directory before the first "**" of a pattern. */
static bool below_pattern(struct python *p, struct str pattern, struct str *ret_dir)
{
	ptrdiff_t stars = -1;

	for (size_t i = 0; i + 1 < pattern.n && stars < 0; i++)
		if (pattern.p[i] == '*' && pattern.p[i + 1] == '*')
			stars = (ptrdiff_t)i;
	if (stars < 0 || !text_exact(pattern) || str_contains(pattern, STR("..")) ||
			(stars && pattern.p[stars - 1] != '/'))
		return false;
	*ret_dir = stars > 1 ? str_first(pattern, (size_t)stars - 1) : stars ? STR("/") : STR(".");
	(void)p;
	return !str_has(*ret_dir, '*') && !str_has(*ret_dir, '?') &&
			!str_has(*ret_dir, '[');
}

/* os.walk: (directory, directory names, file names) for each directory below the top */
static const struct pvs *f_walk(struct python *p, const struct py_args *args)
{
	const struct pvs *v = py_arg(p, args, 0, "top"),
			*names = many_of(p, pvs_text(p, PV_TEXT, str_n("\2", 1))),
			*one[3] = {NULL, names, names};

	if (!v || v->n != 1 || (v->v[0]->kind != PV_TEXT && v->v[0]->kind != PV_PATH) ||
	!text_exact(v->v[0]->text) || !v->v[0]->text.n || args->open)
		return pvs_unknown(p);
	one[0] = pvs_below(p, v->v[0]->text, false, false);
	return tuple_of(p, one, 3);
}

static const struct pvs *f_glob(struct python *p, const struct py_args *args)
{
	struct str dir;

	if (!py_arg(p, args, -1, "root_dir") && below_pattern(p, arg_text(p, args, 0, "pathname"), &dir))
		return many_of(p, pvs_below(p, dir, false, false));
	return many_of(p,
			pvs_text(p, PV_TEXT, py_arg(p, args, -1, "root_dir") ? CODE_HOLE : py_glob_text(p,
			arg_text(p, args, 0, "pathname"))));
}

static const struct pvs *f_same_items(struct python *p, const struct py_args *args)
{
	const struct pvs *v = py_arg(p, args, 0, "iterable");

	return v && v->n == 1 && v->v[0]->kind == PV_SEQ ? many_of(p, py_elements(p, v)) : pvs_one(p,
			p->data);
}

/* The result is known only for a known sequence: an object of the code may return anything. */
static const struct pvs *f_iterator(struct python *p, const struct py_args *args)
{
	const struct pvs *v = f_same_items(p, args);

	return v->v[0]->kind == PV_SEQ ? v : pvs_unknown(p);
}

static const struct pvs *f_range(struct python *p, const struct py_args *args)
{
	(void)args;
	return many_of(p, pvs_text(p, PV_DATA, str_n("\1", 1)));
}

static const struct pvs *f_enumerate(struct python *p, const struct py_args *args)
{
	const struct pvs *v = py_arg(p, args, 0, "iterable"),
			*pair[2] = {pvs_text(p, PV_DATA, str_n("\1", 1)),
			v ? py_elements(p, v) : pvs_unknown(p)};

	return tuple_of(p, pair, 2);
}

static const struct pvs *f_zip(struct python *p, const struct py_args *args)
{
	const struct pvs *all[PY_ARGS_MAX];

	if (args->open)
		return pvs_one(p, p->data);
	for (size_t i = 0; i < args->n; i++)
		all[i] = py_elements(p, args->v[i].v);
	return tuple_of(p, all, args->n);
}

static const struct pvs *f_import(struct python *p, const struct py_args *args)
{
	struct str name = arg_text(p, args, 0, "name");

	return !name.n || !text_exact(name) ? pvs_one(p, p->lost) : pvs_text(p, PV_NAME,
			str_is(name, "posixpath") ? STR("os.path") : name);
}

/* __import__("a.b") returns a */
static const struct pvs *f_import_top(struct python *p, const struct py_args *args)
{
	const struct pvs *v = f_import(p, args);
	ptrdiff_t dot = v->v[0]->kind == PV_NAME ? str_find(v->v[0]->text, '.', 0) : -1;

	return dot < 0 ? v : py_arg(p, args, 3, "fromlist") ? pvs_one(p, p->lost) : pvs_text(p, PV_NAME,
			str_first(v->v[0]->text, (size_t)dot));
}

static const struct pvs *f_getattr(struct python *p, const struct py_args *args)
{
	const struct pvs *of = py_arg(p, args, 0, ""), *all = NULL, *otherwise = py_arg(p, args, 2, "");
	struct str name = arg_text(p, args, 1, "");

	for (size_t i = 0; of && i < of->n; i++) {
		const struct pvs *one = text_exact(name) ? py_attribute(p, of->v[i], name) : pvs_one(p,
				of->v[i]->kind == PV_NAME ? p->lost : p->unknown);

		all = all ? pvs_join(p, all, one) : one;
	}
	return !all ? pvs_unknown(p) : otherwise ? pvs_join(p, all, otherwise) : all;
}

/* type(): may be anything for objects such as files, whose class could open another file. */
static const struct pvs *f_type(struct python *p, const struct py_args *args)
{
	const struct pvs *v = args->n == 1 && !args->open ? args->v[0].v : NULL;

	for (size_t i = 0; v && i < v->n; i++)
		if (v->v[i]->kind == PV_UNKNOWN || v->v[i]->kind == PV_LOST || v->v[i]->kind == PV_INST ||
				v->v[i]->kind == PV_METHOD || v->v[i]->kind == PV_NAME)
			return pvs_one(p, p->lost);
	return v && v->n && !v->cycle ? pvs_unknown(p) : args->n == 3 ? pvs_unknown(p) : pvs_one(p,
			p->lost);
}

static const struct {
	const char *name;
	const struct pvs *(*fold)(struct python *, const struct py_args *);
} folds[] = {
	{"os.path.join", f_path_join}, {"os.path.expanduser", f_expanduser}, {"os.path.abspath", f_abspath},
	{"os.path.realpath", f_abspath}, {"os.path.normpath", f_str}, {"os.path.dirname", f_dirname},
	{"os.path.basename", f_basename}, {"os.getcwd", f_getcwd}, {"os.fspath", f_str}, {"str", f_str},
	{"os.fsdecode", f_str}, {"os.fsencode", f_str}, {"pathlib.Path", f_path},
	{"pathlib.Path.cwd", f_path_cwd}, {"pathlib.Path.home", f_path_home}, {"os.getenv", f_getenv},
	{"os.environ.get", f_getenv}, {"os.environ.pop", f_getenv}, {"os.environ.setdefault", f_getenv},
	{"tempfile.gettempdir", f_tempdir}, {"tempfile.mkdtemp", f_mkdtemp},
	{"tempfile.mktemp", f_mkdtemp}, {"tempfile.TemporaryDirectory", f_tempdir_object},
	{"os.listdir", f_listdir}, {"glob.glob", f_glob}, {"glob.iglob", f_glob}, {"sorted", f_same_items},
	{"list", f_same_items}, {"tuple", f_same_items}, {"set", f_same_items}, {"reversed", f_iterator},
	{"iter", f_iterator}, {"__import__", f_import_top}, {"importlib.import_module", f_import},
	{"getattr", f_getattr}, {"type", f_type}, {"enumerate", f_enumerate}, {"zip", f_zip},
	{"range", f_range}, {"os.walk", f_walk},
};

/* ---- methods of str and paths ---- */

static struct str map_case(struct python *p, struct str s, bool upper)
{
	char *out = arena_alloc(p->a, s.n + 1);

	for (size_t i = 0; i < s.n; i++) {
		if ((unsigned char)s.p[i] >= 128)
			return CODE_HOLE;
		out[i] = (char)(upper && ascii_is_lower(s.p[i]) ? s.p[i] - 32 : !upper &&
				ascii_is_upper(s.p[i]) ? s.p[i] + 32 : s.p[i]);
	}
	return str_n(out, s.n);
}

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 28 && c <= 31); }

static struct str trim_text(struct str s, bool left, bool right)
{
	while (left && s.n && is_blank(s.p[0]))
		s = str_from(s, 1);
	while (right && s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

static struct str replace_text(struct python *p, struct str s, struct str from, struct str to)
{
	struct buf b;

	if (!from.n || !text_exact(s) || !text_exact(from))
		return CODE_HOLE;
	buf_init(&b, p->a, 0);
	for (size_t i = 0; i < s.n;) {
		if (str_eq(str_sub(s, i, i + from.n), from)) {
			buf_str(&b, to);
			i += from.n;
		} else {
			buf_char(&b, s.p[i++]);
		}
		if (b.n > PY_TEXT_MAX)
			return CODE_HOLE;
	}
	return buf_view(&b);
}

static struct str join_texts(struct python *p, struct str by, const struct pvs *list)
{
	const struct pv *v = list && list->n == 1 && list->v[0]->kind == PV_SEQ ? list->v[0] : NULL;
	struct str all = STR("");

	if (!v || v->many)
		return CODE_HOLE;
	for (size_t i = 0; i < v->nitems; i++)
		all = py_cat(p, i ? py_cat(p, all, by) : all,
				v->items[i]->n == 1 ? py_text(p, v->items[i]->v[0]) : CODE_HOLE);
	return all;
}

static const struct pvs *split_text(struct python *p, struct str s, struct str by)
{
	const struct pvs *all = NULL;
	size_t from = 0, n = 0;

	if (!text_exact(s) || !text_exact(by) || by.n > 1)
		return many_of(p, pvs_text(p, PV_TEXT, CODE_HOLE));
	for (size_t i = 0; i <= s.n && n < PY_VALUES_MAX; i++) {
		if (i < s.n && !(by.n ? s.p[i] == by.p[0] : is_blank(s.p[i])))
			continue;
		if (by.n || i > from) {
			const struct pvs *one = pvs_text(p, PV_TEXT, str_sub(s, from, i));

			all = all ? pvs_join(p, all, one) : one;
			n++;
		}
		from = i + 1;
	}
	return many_of(p, !all || n >= PY_VALUES_MAX ? pvs_text(p, PV_TEXT, CODE_HOLE) : all);
}

static const struct pvs *text_method(struct python *p, struct str s, struct str name,
		const struct py_args *args)
{
	bool none = !args->n && !args->open;

	if (str_is(name, "format"))
		return pvs_text(p, PV_TEXT, args->escaped ? CODE_HOLE : py_format(p, s, args));
	if (str_is(name, "join"))
		return pvs_text(p, PV_TEXT, join_texts(p, s, py_arg(p, args, 0, "")));
	if (str_is_any(name, "lower upper"))
		return pvs_text(p, PV_TEXT, map_case(p, s, str_is(name, "upper")));
	if (str_is_any(name, "strip lstrip rstrip"))
		return pvs_text(p, PV_TEXT, none && text_exact(s) ? trim_text(s, !str_is(name, "rstrip"),
				!str_is(name, "lstrip")) : CODE_HOLE);
	if (str_is(name, "replace"))
		return pvs_text(p, PV_TEXT, args->n == 2 && !args->open ? replace_text(p, s,
				arg_text(p, args, 0, ""), arg_text(p, args, 1, "")) : CODE_HOLE);
	if (str_is(name, "split"))
		return none ? split_text(p, s, STR("")) : args->n == 1 && !args->open &&
				!args->v[0].name.n ? split_text(p, s, arg_text(p, args, 0, "sep")) :
				many_of(p, pvs_text(p, PV_TEXT, CODE_HOLE));
	if (str_is_any(name, "splitlines rsplit"))
		return many_of(p, pvs_text(p, PV_TEXT, CODE_HOLE));
	if (str_is_any(name, "encode decode") && none)
		return pvs_text(p, PV_TEXT, s);
	if (str_is_any(name,
			"capitalize casefold center decode encode expandtabs hex ljust removeprefix "
			"removesuffix rjust swapcase title translate zfill"))
		return pvs_text(p, PV_TEXT, CODE_HOLE);
	return pvs_unknown(p);
}

/* ---- methods of pathlib.Path: one function each; `s` is the path ---- */

static const struct pvs *m_absolute(struct python *p, struct str s, const struct py_args *args)
{
	(void)args;
	return pvs_text(p, PV_PATH, py_path_join(p, current_directory(p), s));
}

static const struct pvs *m_expanduser(struct python *p, struct str s, const struct py_args *args)
{
	(void)args;
	return pvs_text(p, PV_PATH, home_path(p, s));
}

static const struct pvs *m_joinpath(struct python *p, struct str s, const struct py_args *args)
{
	for (size_t i = 0; i < args->n; i++)
		s = py_path_join(p, s, args->v[i].v->n == 1 ? py_text(p, args->v[i].v->v[0]) : CODE_HOLE);
	return pvs_text(p, PV_PATH, args->open || args->escaped ? CODE_HOLE : s);
}

/* Replaces the last component of a path. */
static const struct pvs *renamed(struct python *p, struct str s, struct str name)
{
	return pvs_text(p, PV_PATH, py_path_join(p, py_path_parent(p, py_path_plain(p, s)), name));
}

static const struct pvs *m_with_suffix(struct python *p, struct str s, const struct py_args *args)
{
	(void)args;
	return renamed(p, s, str_n("\2", 1));
}

/* True if the name may be "..", which leads to another directory. */
static bool leads_up(struct str name) { return !text_exact(name) || str_contains(name, STR("..")); }

static const struct pvs *m_with_name(struct python *p, struct str s, const struct py_args *args)
{
	struct str to = arg_text(p, args, 0, "name");

	return renamed(p, s, leads_up(to) ? CODE_HOLE : to.n ? to : str_n("\2", 1));
}

static const struct pvs *m_with_stem(struct python *p, struct str s, const struct py_args *args)
{
	return renamed(p, s, leads_up(arg_text(p, args, 0, "name")) ? CODE_HOLE : str_n("\2", 1));
}

static const struct pvs *m_iterdir(struct python *p, struct str s, const struct py_args *args)
{
	(void)args;
	return many_of(p, pvs_text(p, PV_PATH, py_path_join(p, s, str_n("\2", 1))));
}

static const struct pvs *m_rglob(struct python *p, struct str s, const struct py_args *args)
{
	if (text_exact(s) && py_stays_below(arg_text(p, args, 0, "pattern")))
		return many_of(p, pvs_below(p, s, true, true));
	return many_of(p, pvs_text(p, PV_PATH, CODE_HOLE));
}

/* True for "*.x" without another star or slash. */
static bool suffix_pattern(struct str s)
{
	return str_starts(s, "*.") && text_exact(s) && !memchr(s.p + 1, '*', s.n - 1) &&
			!str_has(s, '/');
}

static const struct pvs *m_glob(struct python *p, struct str s, const struct py_args *args)
{
	struct str pattern = arg_text(p, args, 0, "pattern"), dir;
	const struct pvs *found;

	if (text_exact(s) && below_pattern(p, pattern, &dir) && dir.p[0] != '/')
		return many_of(p, pvs_below(p, py_path_join(p, s, dir), true, false));
	found = pvs_text(p, PV_PATH, py_path_join(p, s, py_glob_text(p, pattern)));
	/* pathlib also matches names that start with a dot: the star may be empty */
	if (suffix_pattern(pattern))
		found = pvs_join(p, found,
				pvs_text(p, PV_PATH, py_path_join(p, s, str_from(pattern, 1))));
	return many_of(p, found);
}

static const struct pvs *m_text(struct python *p, struct str s, const struct py_args *args)
{
	(void)args;
	return pvs_text(p, PV_TEXT, s);
}

static const struct pvs *m_open(struct python *p, struct str s, const struct py_args *args)
{
	(void)s, (void)args;
	return pvs_text(p, PV_INST, STR("file"));
}

static const struct pvs *m_unknown_path(struct python *p, struct str s, const struct py_args *args)
{
	(void)s, (void)args;
	return pvs_text(p, PV_PATH, CODE_HOLE);
}

static const struct pvs *m_data(struct python *p, struct str s, const struct py_args *args)
{
	(void)s, (void)args;
	return pvs_one(p, p->data);
}

static const struct pvs *m_unknown_text(struct python *p, struct str s, const struct py_args *args)
{
	(void)s, (void)args;
	return pvs_text(p, PV_TEXT, CODE_HOLE);
}

static const struct {
	const char name[16];
	const struct pvs *(*method)(struct python *p, struct str s, const struct py_args *args);
} path_methods[] = {
	{"resolve", m_absolute}, {"absolute", m_absolute}, {"expanduser", m_expanduser},
	{"joinpath", m_joinpath},
	{"with_suffix", m_with_suffix}, {"with_name", m_with_name}, {"with_stem", m_with_stem},
	{"iterdir", m_iterdir}, {"glob", m_glob}, {"rglob", m_rglob},
	{"as_posix", m_text}, {"__str__", m_text}, {"__fspath__", m_text}, {"open", m_open},
	{"relative_to", m_unknown_path}, {"readlink", m_unknown_path}, {"rename", m_unknown_path},
	{"replace", m_unknown_path},
	{"exists", m_data}, {"is_dir", m_data}, {"is_file", m_data}, {"is_symlink", m_data},
	{"is_absolute", m_data},
	{"stat", m_data}, {"lstat", m_data}, {"match", m_data}, {"is_relative_to", m_data},
	{"samefile", m_data},
	{"is_mount", m_data},
	{"owner", m_unknown_text}, {"group", m_unknown_text}, {"as_uri", m_unknown_text},
	{"read_text", m_unknown_text}, {"read_bytes", m_unknown_text},
};

static const struct pvs *path_method(struct python *p, struct str s, struct str name,
		const struct py_args *args)
{
	ptrdiff_t i = STR_ROW(path_methods, name, name);

	if (i >= 0)
		return path_methods[i].method(p, s, args);
	return pvs_unknown(p);
}

/* ---- dictionaries ---- */

static const struct pvs *one_value(struct python *p, struct pv v)
{
	struct pv *n = arena_new(p->a, struct pv);

	*n = v;
	return pvs_one(p, n);
}

/* Evaluates {key: value, ...}: the items are keys and values in turn. */
const struct pvs *py_dictionary(struct python *p, TSNode n, const struct py_scope *sc)
{
	uint32_t count;
	TSNode *kids = py_children(p, n, &count);
	struct pv v = {.kind = PV_DATA, .node = n};
	const struct pvs **items = arena_array(p->a, 2 * (size_t)count + 1, sizeof(*items));

	for (uint32_t i = 0; i < count && count <= PY_ITEMS_MAX / 2; i++) {
		items[2 * i] = node_is(kids[i], "pair") ? py_eval(p, node_field(kids[i], "key"), sc) : NULL;
		items[2 * i + 1] = node_is(kids[i], "pair") ? py_eval(p, node_field(kids[i], "value"), sc) :
				NULL;
		if (!items[2 * i] || items[2 * i]->cycle || items[2 * i + 1]->cycle)
			return one_value(p, v);
	}
	if (count && count <= PY_ITEMS_MAX / 2) {
		v.items = items;
		v.nitems = 2 * (size_t)count;
	}
	return one_value(p, v);
}

const struct pvs *py_dict_value(struct python *p, const struct pv *v, const struct pvs *key)
{
	const struct pv *k = key && key->n == 1 && !key->cycle ? key->v[0] : NULL;
	bool exact = k && (k->kind == PV_TEXT || k->kind == PV_DATA) && k->text.n && text_exact(k->text);
	const struct pvs *all = NULL;

	for (size_t i = 0; i + 1 < v->nitems; i += 2) {
		const struct pvs *one = v->items[i];
		bool other = exact && one->n == 1 && one->v[0]->kind == PV_TEXT && k->kind == PV_TEXT &&
				text_exact(one->v[0]->text) && !str_eq(one->v[0]->text, k->text);

		if (!other)
			all = all ? pvs_join(p, all, v->items[i + 1]) : v->items[i + 1];
	}
	return all ? all : pvs_unknown(p);
}

static const struct pvs *below_method(struct python *p, const struct pv *v, struct str name,
		const struct py_args *args)
{
	struct str to = arg_text(p, args, 0, "name");

	if (!v->many)
		return text_method(p, CODE_HOLE, name, args);
	if (v->strict &&
			(str_is(name, "with_suffix") || (str_is(name, "with_name") && py_stays_below(to) &&
			!str_has(to, '/'))))
		return pvs_below(p, v->text, true, true);
	if (str_is(name, "joinpath") && args->n == 1 && !args->open && py_stays_below(to))
		return pvs_below(p, v->text, true, true);
	if (str_is_any(name, "as_posix __str__ __fspath__"))
		return pvs_below(p, v->text, false, v->strict);
	return path_method(p, CODE_HOLE, name, args);
}

static const struct pvs *dictionary_method(struct python *p, const struct pv *v, struct str name,
		const struct py_args *args)
{
	const struct pvs *values = py_dict_value(p, v, NULL), *keys = py_elements(p, pvs_one(p, v)),
			*pair[2] = {keys, values}, *otherwise = py_arg(p, args, 1, "");

	if (str_is(name, "items"))
		return tuple_of(p, pair, 2);
	if (str_is_any(name, "values keys"))
		return many_of(p, str_is(name, "keys") ? keys : values);
	if (!str_is(name, "get"))
		return pvs_unknown(p);
	return pvs_join(p, py_dict_value(p, v, py_arg(p, args, 0, "")),
			otherwise ? otherwise : pvs_text(p, PV_DATA, STR("None")));
}

/* ---- results of calls ---- */

static const struct pvs *row_result(struct python *p, const struct py_row *r)
{
	if (r->kind == PY_OPEN)
		return pvs_text(p, PV_INST, str_starts(str_of(r->name), "zipfile.") ? STR("zipfile.ZipFile") :
				str_starts(str_of(r->name), "tarfile.") ? STR("tarfile.TarFile") :
				STR("file"));
	if (r->kind != PY_NOTHING)
		return r->kind == PY_VARS || r->kind == PY_CODE ? pvs_one(p, p->lost) : r->kind == PY_SHELL ||
				r->kind == PY_ARGV ? pvs_text(p, PV_INST, STR("process")) : pvs_unknown(p);
	if (!strcmp(r->spec, "t"))
		return pvs_text(p, PV_TEXT, CODE_HOLE);
	if (!strcmp(r->spec, "d"))
		return pvs_one(p, p->data);
	return !strcmp(r->spec, "a") ? pvs_unknown(p) : pvs_text(p, PV_INST, str_of(r->spec));
}

static bool plain_bases(struct python *p, TSNode class)
{
	static const char plain[][20] = {"object", "dict", "list", "set", "tuple", "int", "float",
			"enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag",
			"typing.NamedTuple", "typing.TypedDict",
		"abc.ABC", "typing.Protocol"};
	TSNode list = node_field(class, "superclasses");
	uint32_t n = 0;
	TSNode *kids = ts_node_is_null(list) ? NULL : py_children(p, list, &n);
	bool all = true;

	for (uint32_t i = 0; i < n && all; i++) {
		/* A class in an inner scope may mean other names here. They are then joined or lost. */
		const struct pvs *v = py_eval(p, kids[i], p->module);
		size_t k = 0;

		while (v->n == 1 && v->v[0]->kind == PV_NAME && k < ARRAY_SIZE(plain) &&
				!str_is(v->v[0]->text, plain[k]))
			k++;
		all = v->n == 1 && !v->cycle && v->v[0]->kind == PV_NAME &&
				(k < ARRAY_SIZE(plain) ||
				(py_is_builtin(v->v[0]->text) &&
				(str_ends(v->v[0]->text, "Error") || str_is(v->v[0]->text, "Exception"))));
	}
	return all;
}

static const struct pvs *name_result(struct python *p, struct str name, const struct py_args *args)
{
	const struct py_row *r = py_row(name);

	for (size_t i = 0; i < ARRAY_SIZE(folds); i++)
		if (str_is(name, folds[i].name))
			return args->escaped ? pvs_unknown(p) : folds[i].fold(p, args);
	if (str_is_any(name,
			"all any bool bytearray callable complex dict float frozenset hash id int "
			"isinstance issubclass len print"))
		return pvs_one(p, p->data);
	if (str_is_any(name, "ascii bin bytes chr format hex input oct repr"))
		return pvs_text(p, PV_TEXT, CODE_HOLE);
	if (r)
		return row_result(p, r);
	if (!py_is_stdlib(name) && !py_is_builtin(name) && str_has(name, '.') &&
			!py_is_builtin(str_first(name, (size_t)str_find(name, '.', 0))))
		return pvs_text(p, PV_INST, STR("*"));
	return pvs_unknown(p);
}

const struct pvs *py_result(struct python *p, const struct pv *callee, const struct py_args *args)
{
	if (callee->kind == PV_NAME)
		return name_result(p, callee->text, args);
	if (callee->kind == PV_USER && !node_is(callee->node, "class_definition"))
		return py_returned(p, callee->node);
	if (callee->kind == PV_USER)
		return plain_bases(p, callee->node) && !pmap_get(p->own, STR("__new__")) &&
				!pmap_get(p->own, STR("__call__")) ? pvs_one(p, callee) : pvs_unknown(p);
	if (callee->kind == PV_INST)
		return pvs_one(p, callee);
	if (callee->kind != PV_METHOD)
		return callee->kind == PV_LOST ? pvs_one(p, p->lost) : pvs_unknown(p);
	if (callee->of->kind == PV_TEXT)
		return text_method(p, callee->of->text, callee->text, args);
	if (callee->of->kind == PV_PATH)
		return path_method(p, callee->of->text, callee->text, args);
	if (callee->of->kind == PV_BELOW)
		return below_method(p, callee->of, callee->text, args);
	if (callee->of->kind == PV_DATA)
		return dictionary_method(p, callee->of, callee->text, args);
	if (str_is(callee->of->text, "*"))
		return pvs_one(p, callee->of);
	if (str_is(callee->of->text, "file") &&
			str_is_any(callee->text, "read readline getvalue"))
		return pvs_text(p, PV_TEXT, CODE_HOLE);
	if (str_is(callee->of->text, "file") && str_is(callee->text, "readlines"))
		return many_of(p, pvs_text(p, PV_TEXT, CODE_HOLE));
	return pvs_unknown(p);
}
