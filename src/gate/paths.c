/*
 * Resolves and classifies paths. Paths come from the reader as written. Only the world knows their targets
 * (links, .., /proc/self/cwd), so each path is asked for once, and judged by its resolved form once the
 * answer is known.
 */
#include "base/descriptor.h"
#include "base/glob.h"
#include "code/code.h"
#include "gate/judge.h"

/* ---- forms of a path ---- */

/* True if the path has neither empty components nor "." and ".."; a name may start with a dot. */
static bool is_plain(struct str path)
{
	if (path.n < 2 || path.p[0] != '/')
		return false;
	for (size_t i = 1; i < path.n; i++) {
		bool dot = path.p[i] == '.' && (i + 1 == path.n || strchr("./", path.p[i + 1]));

		if (path.p[i - 1] == '/' && (path.p[i] == '/' || dot))
			return false;
	}
	return true;
}

struct str path_plain(struct arena *a, struct str path)
{
	char *to;
	size_t n = 0;

	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	if (is_plain(path))
		return path;
	to = arena_alloc(a, path.n + 2);
	for (struct str part; (part = str_part(&path)).n;) {
		if (str_is(part, "..")) {
			while (n > 0 && to[--n] != '/')
				;
			continue;
		}
		to[n++] = '/';
		memcpy(to + n, part.p, part.n);
		n += part.n;
	}
	if (n == 0)
		to[n++] = '/';
	return str_n(to, n);
}

struct str path_above(struct str path)
{
	while (path.n > 1 && path.p[path.n - 1] != '/')
		path.n--;
	path.n -= path.n > 1;
	return path;
}

bool path_within(struct str path, struct str dir)
{
	if (!dir.n || path.n < dir.n || memcmp(path.p, dir.p, dir.n) != 0)
		return false;
	return path.n == dir.n || path.p[dir.n] == '/' || dir.p[dir.n - 1] == '/';
}

/*
 * True if the path is known well enough: exact, a file name pattern, or one whose unknown parts are integers
 * or plain names, which cannot leave the directory.
 */
bool path_known(const struct word *w)
{
	if (path_descriptor(w->text) == DESCRIPTOR_BELOW)
		return false; /* below an unknown open directory */
	if (w->kind == WORD_EXACT)
		return true;
	return w->text.n > 0 && (w->glob || w->kind == WORD_UNKNOWN) &&
			!str_has(w->text, HOLE_ANY);
}

bool access_is_import(const struct access *x) { return x->cause == CAUSE_IMPORT; }
bool access_is_redirection(const struct access *x) { return x->cause == CAUSE_REDIRECT; }

bool access_connects(const struct access *x)
{
	return str_starts(x->path.text, "/inet/") || str_starts(x->path.text, "/inet4/") ||
		str_starts(x->path.text, "/inet6/");
}

/* ---- places ---- */

static const char temp_dirs[] = "/tmp /var/tmp /dev/shm";

static bool path_below(struct str path, struct str dir) { return path.n > dir.n && path_within(path, dir); }

static bool is_null_device(struct str path)
{
	struct str own = STR("/dev/fd /proc/self/fd /proc/thread-self/fd"), dir;

	if (!str_starts(path, "/dev/") && !str_starts(path, "/proc/"))
		return false;
	while ((dir = str_word(&own)).n)
		if (path_below(path, dir))
			return true;
	return str_is_any(path, "/dev/null /dev/stdin /dev/stdout /dev/stderr /dev/tty /dev/zero /dev/full "
				"/dev/random /dev/urandom");
}

/* True for a directory of the system, and for everything below it. */
static bool below_system(struct str path)
{
	return str_starts(path, "/") && str_is_any(str_sub(path, 1, str_end(path, '/', 1)),
			"etc usr bin sbin lib lib32 lib64 libx32 boot proc sys run var opt srv root home mnt "
			"media snap nix System Library Applications private");
}

/* Home directories and everything above them belong to the system; paths below a home belong to its user. */
static bool in_system(const struct judge *j, struct str path)
{
	if (str_is(path, "/") || (j->v->home.n && path_within(j->v->home, path)))
		return true;
	if (j->v->home.n > 1 && path_within(path, j->v->home))
		return false;
	if (path_within(path, STR("/home")) && path.n > 6)
		return str_find(path, '/', 6) < 0;
	return below_system(path);
}

/*
 * True below a temporary directory, except in the part of it where the person works, which is like any other
 * directory.
 */
static bool in_temp_dir(const struct judge *j, struct str path)
{
	struct str rest = str_of(temp_dirs), dir, top;
	ptrdiff_t slash;

	while ((dir = str_word(&rest)).n && !path_below(path, dir))
		;
	if (!dir.n)
		dir = j->v->tmp;
	if (dir.n < 2 || !path_below(path, dir) || path_within(j->v->home, path))
		return false;
	slash = str_find(path, '/', dir.n + 1);
	top = slash < 0 ? path : str_first(path, (size_t)slash);
	return !path_within(j->v->home, top) && !path_within(j->v->project, top) &&
		!path_within(j->v->cwd, top);
}

enum place path_place(const struct judge *j, struct str path)
{
	if (path_descriptor(path) == DESCRIPTOR_BELOW)
		return PLACE_UNKNOWN;
	if (is_null_device(path))
		return PLACE_NULL;
	for (const struct root *r = j->v->roots; r; r = r->next)
		if (path_within(path, r->path))
			return PLACE_ROOT;
	if (in_temp_dir(j, path))
		return PLACE_TEMP;
	if (path_within(path, STR("/dev")))
		return PLACE_DEVICE;
	return in_system(j, path) || path_is_temp(path) ? PLACE_SYSTEM : PLACE_OUTSIDE;
}

bool path_is_temp(struct str path) { return str_is_any(path, temp_dirs); }

/* ---- questions ---- */

bool judge_ask(struct judge *j, const struct question *asked)
{
	static const char marks[][2] = {[QUESTION_PATH] = "=", [QUESTION_GLOB] = "*", [QUESTION_GIT] = "g",
			[QUESTION_TREE] = "t"};
	struct str key = str_cat(j->a, str_of(marks[asked->kind]), asked->path);
	struct question *q;

	if (asked->tree)
		key = str_fmt(j->a, "%.*s\n%d %.*s\n%.*s", STR_ARG(key), (int)asked->tree->change,
				STR_ARG(asked->tree->revs),
			STR_ARG(asked->tree->keep));
	if (pmap_get(j->asked, key))
		return true;
	if (j->nquestions++ >= GATE_QUESTIONS_MAX)
		return false;
	j->asked = pmap_set(j->a, j->asked, key, j);
	q = arena_new(j->a, struct question);
	*q = *asked;
	LIST_ADD(j->questions_end, q);
	return true;
}

static bool ask_world(struct judge *j, struct str path, bool glob)
{
	return judge_ask(j, &(struct question){.kind = glob ? QUESTION_GLOB : QUESTION_PATH, .path = path});
}

/* True for operations on the name itself, not on its link target. */
static bool acts_on_name(const struct access *x)
{
	static const char ops[] = "ln mv unlink rename sed rm rmdir";

	return x->kind == ACCESS_DELETE || access_by_any(x, ops);
}

/* sed -i --follow-symlinks writes to the link target. */
static bool follows(const struct judge *j, const struct access *x)
{
	for (const struct command *c = j->f->commands; c && access_by(x, "sed"); c = c->next)
		for (size_t k = 1; k < c->argc && c->argv[0].at.text == x->at.text &&
				c->argv[0].at.from == x->at.from; k++)
			if (str_starts(c->argv[k].text, "--fo"))
				return true;
	return false;
}

static void resolve_access(struct judge *j, const struct access *x, struct str path, struct where *w)
{
	const struct path_answer *p = pmap_get(j->answers, path);

	w->path = path_plain(j->a, path);
	w->real = w->path;
	w->answer = p;
	w->sure = p ? p->real.n > 0 || p->kind == PATH_ABSENT : ask_world(j, path, false);
	if (p && p->place.n && !str_eq(p->place, p->real) && acts_on_name(x) && !follows(j, x) &&
			!(p->kind == PATH_LINK && p->target == PATH_DIR && x->kind == ACCESS_WRITE))
		w->real = p->place;
	else if (p && p->real.n)
		w->real = p->real;
	w->place = path_place(j, w->real);
	w->sure &= w->place != PLACE_UNKNOWN;
}

/* Returns the text as a file name pattern, with stars for its unknown parts. */
struct str path_pattern(struct arena *a, const struct word *w)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t i = 0; i < w->text.n; i++) {
		if (text_hole(w->text.p[i]))
			buf_char(&b, '*');
		else if (!w->glob && strchr("*?[\\", w->text.p[i])) {
			buf_char(&b, '\\');
			buf_char(&b, w->text.p[i]);
		} else {
			buf_char(&b, w->text.p[i]);
		}
	}
	return buf_view(&b);
}

static size_t fixed_part(struct str pattern)
{
	size_t slash = 0;

	for (size_t i = 0; i < pattern.n && !strchr("*?[\\{(", pattern.p[i]); i++)
		if (pattern.p[i] == '/')
			slash = i + 1;
	return slash;
}

/*
 * A component such as .* or .? may also match the parent directory: returns the pattern with .. in its place,
 * or empty.
 */
static struct str climbing_pattern(struct arena *a, struct str pattern)
{
	for (size_t from = 0; from < pattern.n;) {
		size_t to = str_end(pattern, '/', from);
		struct str part = str_sub(pattern, from, to);

		if (part.n > 1 && part.p[0] == '.' && strpbrk(str_c(a, part), "*?[") &&
				glob_path(part, STR(".."), 0))
			return str_fmt(a, "%.*s..%.*s", STR_ARG(str_first(pattern, from)),
					STR_ARG(str_from(pattern, to)));
		from = to + 1;
	}
	return STR("");
}

/* Visits new files in hidden directories that a pattern matches: .[!.]* and then /hooks/pre-commit. */
static void each_new(struct judge *j, const struct access *x, struct str pattern,
	void (*fn)(struct judge *, const struct access *, const struct where *, void *), void *ctx)
{
	size_t wild = pattern.n;

	while (wild > 0 && !strchr("*?[\\", pattern.p[wild - 1]))
		wild--;
	ptrdiff_t slash = str_find(pattern, '/', wild);
	struct str head = str_first(pattern, slash < 0 ? 0 : (size_t)slash);
	if (x->kind != ACCESS_WRITE || !wild || !head.n || !str_starts(path_base(head), "."))
		return;
	const struct glob_answer *g = pmap_get(j->glob_answers, head);
	if (!g)
		ask_world(j, head, true);
	for (size_t i = 0; g && i < g->nmatches; i++) {
		struct where m = {0};

		resolve_access(j, x, str_cat(j->a, g->matches[i], str_from(pattern, (size_t)slash)),
			&m);
		m.wild = true;
		fn(j, x, &m, ctx);
	}
}

/* True if the directory did not exist before the request: then the request puts everything there. */
static bool is_new(const struct judge *j, struct str dir)
{
	const struct path_answer *p = pmap_get(j->answers, dir);

	return p && p->kind == PATH_ABSENT;
}

static void each_match(struct judge *j, const struct access *x,
		void (*fn)(struct judge *, const struct access *, const struct where *, void *), void *ctx)
{
	struct str pattern = path_pattern(j->a, &x->path);
	size_t fixed = fixed_part(pattern);
	struct str dir = fixed > 1 ? str_first(pattern, fixed - 1) : STR("/");
	const struct glob_answer *g = pmap_get(j->glob_answers, pattern);
	struct where w = {0};

	/* the pattern itself, in its resolved directory: stands for names that do not exist yet */
	resolve_access(j, &(struct access){.kind = ACCESS_READ}, dir, &w);
	w.path = path_plain(j->a, pattern);
	w.real = path_plain(j->a,
			str_path(j->a, w.real, str_from(pattern, fixed)));
	w.answer = NULL;
	w.wild = true;
	w.made = (!x->path.glob && fixed < pattern.n && pattern.p[fixed] != '*') || is_new(j, dir);
	w.place = path_place(j, w.real);
	if (w.made && w.place == PLACE_TEMP) {
		fn(j, x, &w, ctx);
		return;
	}
	if (!g)
		w.sure &= ask_world(j, pattern, true);
	else
		w.sure &= !g->more || x->kind != ACCESS_WRITE;
	fn(j, x, &w, ctx);
	/* find also finds its start path */
	if (str_ends(pattern, "/**") && !str_eq(path_plain(j->a, dir), j->v->cwd)) {
		struct where start = {0};

		resolve_access(j, x, dir, &start);
		start.wild = true;
		fn(j, x, &start, ctx);
	}
	struct str up = climbing_pattern(j->a, pattern);
	if (up.n && !(access_by(x, "rm") && str_ends(up, "/.."))) { /* rm refuses . and .. */
		struct where above = {0};

		resolve_access(j, x, up, &above);
		above.wild = true;
		fn(j, x, &above, ctx);
	}
	for (size_t i = 0; g && i < g->nmatches; i++) {
		struct where m = {.wild = true};

		resolve_access(j, x, g->matches[i], &m);
		m.wild = true;
		fn(j, x, &m, ctx);
	}
	each_new(j, x, pattern, fn, ctx);
}

bool paths_each(struct judge *j, const struct access *x, void (*fn)(struct judge *, const struct access *,
		const struct where *, void *), void *ctx)
{
	struct where w = {0};

	if (!path_known(&x->path) || !x->path.text.n || x->path.text.p[0] != '/')
		return false;
	if (x->path.kind != WORD_EXACT) {
		struct access plain = *x;

		each_match(j, x, fn, ctx);
		plain.path.text = path_plain(j->a, x->path.text);
		/* a/../.g*: an earlier command may create the directory */
		if (str_contains(x->path.text, STR("/../")))
			each_match(j, &plain, fn, ctx);
		return true;
	}
	resolve_access(j, x, x->path.text, &w);
	fn(j, x, &w, ctx);
	return true;
}

void paths_visit_nothing(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	(void)j, (void)x, (void)w, (void)ctx;
}

/*
 * Asks for the files of a directory, and whether directories with the name of a Python standard module are
 * packages.
 */
static void ask_imports(struct judge *j, struct str pattern)
{
	const struct glob_answer *g = pmap_get(j->glob_answers, pattern);

	if (!g)
		ask_world(j, pattern, true);
	for (size_t i = 0; g && i < g->nmatches; i++) {
		struct str package = code_python_module(path_base(g->matches[i])) ? str_cat(j->a,
				g->matches[i], STR(PACKAGE_FILES)) : STR("");

		if (package.n && !pmap_get(j->glob_answers, package))
			ask_world(j, package, true);
	}
}

/* Only boxes have an answer (contain.c). They come last: other questions decide more. */
static void ask_looks(struct judge *j)
{
	for (const struct look *l = j->f->looks; l; l = l->next) {
		struct str path = l->path.glob ? path_pattern(j->a, &l->path) : l->path.text;

		if (!pmap_get(l->path.glob ? j->glob_answers : j->answers, path))
			ask_world(j, path, l->path.glob);
	}
}

bool paths_ask(struct judge *j)
{
	bool copies = false;

	for (const struct access *x = j->f->accesses; x && !copies; x = x->next)
		copies = x->kind == ACCESS_WRITE && access_copies(x);
	for (const struct access *x = j->f->accesses; x; x = x->next)
		if ((x->kind != ACCESS_EXEC || access_is_import(x)) && !x->elsewhere) {
			if (access_is_import(x) && x->path.glob) {
				ask_imports(j, x->path.text);
				continue;
			}
			paths_each(j, x, paths_visit_nothing, NULL);
			if (x->kind != ACCESS_READ && x->path.kind == WORD_EXACT)
				repository_file(j, path_plain(j->a, x->path.text));
			paths_into_directory(j, x, paths_visit_nothing, NULL);
			paths_through_descriptor(j, x, paths_visit_nothing, NULL);
			if (copies && x->kind != ACCESS_EXEC)
				paths_through_new_names(j, x, paths_visit_nothing, NULL);
		}
	repository_ask(j);
	option_names_ask(j);
	for (const struct command *c = j->f->commands; c; c = c->next)
		packages_ask(j, c);
	ask_looks(j);
	return j->ret->questions != NULL;
}
