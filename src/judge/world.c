/*
 * Fills the view and answers the gate's questions. It runs for every command, so a path memo caches every
 * directory it has seen.
 */
#define _GNU_SOURCE
#include "judge/world.h"

#include <limits.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/pmap.h"
#include "box/protect.h"
#include "gate/path_table.h"
#include "keeper/background.h"
#include "keeper/keeper.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/fold.h"
#include "sys/git_tree.h"
#include "sys/git_remotes.h"
#include "sys/git_view.h"
#include "sys/glob_expand.h"
#include "sys/kept_tmp.h"
#include "sys/stamp_cache.h"
#include "sys/state.h"
#include "sys/tmp_tree.h"
#include "sys/user.h"

#define SEARCH_MAX 64 /* directories of the PATH */
#define SELF "/proc/self/exe"
#define DELETED " (deleted)"
#define ANSWER_GIT_COST 64   /* cost of an answer that reads several files, in path answers */
#define ANSWER_TREE_COST 256 /* cost of an answer that starts git */
#define LEFT -2 /* value for the innermost arena_run() */

static void fill_user(struct arena *a, const struct context *at, struct view *v)
{
	struct user self = {0};
	v->home = at->home;
	v->user = at->user;
	struct err e = {0};
	if ((v->home.n && v->user.n) || user_self(a, at->stamps, getenv("HOME"), &self, &e) != 0) {
		if (e.kind == ERR_LIMIT)
			/*
			 * out of memory is no answer: with an unknown home, the home directory would pass for
			 * a project
			 */
			arena_leave(a, LEFT);
		v->uid = (uint32_t)getuid();
		return;
	}
	v->uid = (uint32_t)self.uid;
	v->entry_home = self.entry;
	v->has_entry = true;
	if (!v->home.n)
		v->home = self.home;
	if (!v->user.n)
		v->user = self.name;
}

/*
 * Sets the directory of the request. The memo also learns the kernel's path of the process's own directory.
 */
static void fill_cwd(struct path_memo *m, const struct context *at, struct view *v)
{
	struct str own = {0};
	v->cwd = at->cwd;
	if (cwd_get(m->a, &own, NULL) == 0)
		path_memo_trust(m, own);
	if (!v->cwd.n)
		v->cwd = own;
	else if (v->cwd.p[0] != '/')
		v->cwd = own.n ? str_path(m->a, own, at->cwd) : STR("");
	m->cwd = v->cwd;
}

struct project_look world_look(struct path_memo *m, const struct view *v)
{
	return (struct project_look){.m = m, .home = v->home, .uid = v->uid, .known = v->remembered};
}

/* Returns the directory where the search for the project starts. */
static struct str start_of(struct path_memo *m, const struct context *at, const struct view *v)
{
	enum path_kind kind;
	struct str base = str_starts(at->start_dir, "/") ? path_real(m, at->start_dir, &kind) : STR("");

	return base.n && path_inside(path_real(m, v->cwd, &kind), base) ? at->start_dir : v->cwd;
}

/*
 * A directory of keys or settings is never a project, even if somebody works there: its files stay out of
 * every box.
 */
static struct str find_project(struct path_memo *m, const struct context *at, const struct view *v)
{
	struct project_look look = world_look(m, v);
	struct project_way way = project_way(&look, v->cwd.n ? start_of(m, at, v) : STR(""));
	const char *pwd = getenv("PWD"); /* the kernel does not know the links that led here */
	struct str start = way.root.n ? way.root : way.real, found;

	if (!way.root.n && way.real.n && pwd && !str_is(way.real, pwd)) {
		struct project_way by_name = project_way(&look, str_of(pwd));

		if (by_name.root.n && path_inside(by_name.real, way.real))
			start = by_name.root;
	}
	found = start.n ? project_find(&look, start) : STR("");
	if (!path_inside(start, found)) /* `start` was resolved, but a link has replaced it since */
		return STR("");
	return world_guarded(m, found, v->home) ? STR("") : found;
}

/* Asks for the home by its name, and for the directory that it leads to. */
static const char *ask_table(struct path_memo *m, struct str real, struct str home,
		const char *(*table)(struct str path, struct str home))
{
	const char *pattern = table(real, home);
	enum path_kind kind;
	struct str real_home = !pattern && home.n ? path_real(m, home, &kind) : STR("");

	return pattern || !real_home.n || str_eq(real_home, home) ? pattern : table(real, real_home);
}

const char *world_guarded(struct path_memo *m, struct str real, struct str home)
{
	return ask_table(m, real, home, path_table_guarded);
}

const char *world_keys(struct path_memo *m, struct str real, struct str home)
{
	return ask_table(m, real, home, path_table_keys);
}

static void append_root(struct arena *a, struct root ***end, struct str path)
{
	if (!path.n)
		return;
	struct root *r = arena_new(a, struct root);
	r->path = path;
	**end = r;
	*end = &r->next;
}

struct str world_expand(struct arena *a, const struct view *v, struct str text)
{
	if (text.n && text.p[0] == '/')
		return text;
	bool tilde = text.n && text.p[0] == '~';
	struct str base = tilde ? v->home : v->project, rest = tilde ? str_from(text, 1) : text;
	if (!base.n || !text.n || (tilde && rest.n && rest.p[0] != '/'))
		return STR("");
	return str_path(a, base, rest);
}

static void fill_roots(struct path_memo *m, const struct policy *p, struct view *v)
{
	struct root **end = &v->roots;
	unsigned n = 0;
	append_root(m->a, &end, v->project);
	append_root(m->a, &end, project_scratch(m, v->uid));
	for (const struct texts *t = p ? p->writable_roots : NULL; t && n < WORLD_ROOTS_MAX; t = t->next,
			n++) {
		struct path_answer at;
		path_look(m, world_expand(m->a, v, t->text), &at);
		if (at.target != PATH_OTHER && project_allowed(m, at.real, v->home))
			append_root(m->a, &end, at.real);
	}
}

static struct str resolve_path(struct path_memo *m, struct str path)
{
	enum path_kind kind;
	return path_real(m, path, &kind);
}

/* The path of the program is kept while it names the same file. */
static void keep_program(struct stamp_cache *stamps, const char *path)
{
	struct stamp stamp, running;

	if (!stamps)
		return;
	stamp_take(path, &stamp);
	stamp_take(SELF, &running);
	if (!stamp.errnum && !running.errnum && identity_same(stamp.id, running.id))
		stamp_cache_put(stamps, STAMP_PROGRAM, path, &stamp, str_of(path));
}

static struct str find_program(struct path_memo *m)
{
	const char *kept = stamp_cache_path(m->stamps, STAMP_PROGRAM);
	char path[PATH_MAX];
	struct str found;
	ssize_t n;

	if (kept && stamp_cache_get(m->stamps, STAMP_PROGRAM, m->a, kept, NULL, &found))
		return found;
	n = readlink(SELF, path, sizeof path);
	if (n <= 0 || (size_t)n == sizeof path || path[0] != '/')
		return STR("");
	found = str_dup(m->a, str_n(path, (size_t)n));
	if (str_ends(found, DELETED)) /* replaced while it runs: the path still needs protection */
		found.n -= sizeof DELETED - 1;
	else
		keep_program(m->stamps, found.p);
	return found;
}

static struct str find_tmp(struct arena *a)
{
	const char *dir = getenv("TMPDIR");
	return dir && dir[0] == '/' && strlen(dir) < PATH_MAX ? str_dup(a, str_of(dir)) : STR("/tmp");
}

static bool probe_folding(struct path_memo *m, struct str dir)
{
	const char *path = str_c(m->a, dir);
	struct stamp stamp;
	struct str known;
	bool folds;

	if (stamp_cache_get(m->stamps, STAMP_FOLDS, m->a, path, path_memo_stamp(m, dir), &known))
		return known.n > 0;
	if (m->stamps)
		stamp_take(path, &stamp);
	folds = fold_probe(dir);
	if (m->stamps)
		stamp_cache_put(m->stamps, STAMP_FOLDS, path, &stamp, folds ? STR("folds") : STR(""));
	return folds;
}

/* Returns at once; the hook may wait for more. */
static void find_unvetted(struct path_memo *m, struct str state, struct unvetted *ret)
{
	const char *marks = protect_marks(m->a, state);
	struct stamp stamp;
	struct str none;

	*ret = (struct unvetted){0};
	if (path_memo_missing(m, state) || stamp_cache_get(m->stamps, STAMP_MARKS, m->a, marks, NULL, &none))
		return;
	if (m->stamps)
		stamp_take(marks, &stamp);
	protect_unvetted(m->a, state, ret);
	if (m->stamps && !ret->marked && !ret->everywhere)
		stamp_cache_put(m->stamps, STAMP_MARKS, marks, &stamp, STR(""));
}

/* A project with a living box counts as unvetted, so others have no such ports. */
static void find_box_ports(struct path_memo *m, const struct view *v, struct box_ports *ret)
{
	*ret = (struct box_ports){0};
	if (!v->project.n || (!v->unvetted.workspaces && !v->unvetted.everywhere) ||
			!keeper_seen(v->state_dir))
		return;
	for (const struct background *b = background_list(m->a, v->state_dir); b; b = b->next)
		if (b->state == BACKGROUND_LIVES && b->shares && str_eq(b->project, v->project))
			ret->n += background_ports(m->a, b, ret->at + ret->n, VIEW_PORTS_MAX - ret->n);
}

static bool is_within(struct str path, struct str dir)
{
	return str_eq(path, dir) || (path.n > dir.n && path.p[dir.n] == '/' &&
			str_eq(str_first(path, dir.n), dir));
}

/* No box can write a root that is the home, or holds it. */
static bool is_in_root(const struct view *v, struct str dir)
{
	for (const struct root *r = v->roots; r; r = r->next)
		if (is_within(dir, r->path) && !is_within(v->home, r->path))
			return true;
	return false;
}

/* No link of the system's own directories leads into a project, so they need no look at the disk. */
static bool is_system(struct str entry)
{
	return (str_starts(entry, "/usr/") || str_is(entry, "/bin") || str_is(entry, "/sbin")) &&
	       !str_contains(entry, STR(".."));
}

/* An empty or relative entry starts at the working directory. */
static struct str search_entry(struct path_memo *m, const struct view *v, struct str entry)
{
	if (is_system(entry))
		return entry;
	if (!entry.n || entry.p[0] != '/')
		entry = str_fmt(m->a, "%.*s/%.*s", STR_ARG(v->cwd), STR_ARG(entry));
	return resolve_path(m, entry);
}

static void find_search(struct path_memo *m, struct view *v)
{
	struct root **end = &v->search, **last = &v->search;
	const char *text = getenv("PATH");
	struct str path = text ? str_of(text) : STR("");

	v->search = NULL;
	for (size_t i = 0, n = 0; i < path.n && n < SEARCH_MAX; n++) {
		size_t to = str_end(path, ':', i);
		struct root *r = arena_new(m->a, struct root);

		r->path = str_dup(m->a, search_entry(m, v, str_sub(path, i, to)));
		*end = r;
		end = &r->next;
		if (is_in_root(v, r->path))
			last = end;
		i = to + 1;
	}
	*last = NULL;
}

static void fill_judged(struct path_memo *m, struct view *v)
{
	v->places = false;
	v->fold_case = probe_folding(m, v->project.n ? v->project : v->cwd);
	v->program = find_program(m);
	v->tmp = find_tmp(m->a);
	find_unvetted(m, v->state_dir, &v->unvetted);
	find_box_ports(m, v, &v->box_ports);
	find_search(m, v);
}

/* Caisson's own directories. */
static void fill_own(struct path_memo *m, struct view *v)
{
	const struct state_env env = state_env();
	struct state_paths own;

	state_paths(m->a, &env, v->home, STR(""), &own);
	v->config_dir = resolve_path(m, own.config_dir);
	v->state_dir = resolve_path(m, own.state_dir);
}

void world_user(struct arena *a, const struct context *at, struct view *ret)
{
	struct path_memo m;

	path_memo_init(&m, a, STR(""));
	fill_user(a, at, ret);
	fill_own(&m, ret);
}

struct str world_project(struct arena *a, const struct view *known, const struct context *at)
{
	struct view v = {.home = known->home, .uid = known->uid, .remembered = known->remembered};
	struct path_memo m;

	path_memo_init(&m, a, STR(""));
	fill_cwd(&m, at, &v);
	return find_project(&m, at, &v);
}

void world_view(struct arena *a, const struct context *at, const struct policy *p, struct view *ret)
{
	struct path_memo *m = arena_new(a, struct path_memo);
	struct remembered *known = arena_new(a, struct remembered);
	*ret = (struct view){.memo = m, .remembered = known, .places = at->places};
	ret->paths_end = &ret->paths;
	ret->globs_end = &ret->globs;
	path_memo_init(m, a, STR(""));
	m->stamps = at->stamps;
	fill_user(a, at, ret);
	fill_cwd(m, at, ret);
	fill_own(m, ret);
	remembered_read(a, at->stamps, path_memo_missing(m, ret->state_dir) ? STR("") : ret->state_dir,
			ret->uid, known);
	ret->project = at->pin ? at->pin->path : find_project(m, at, ret);
	if (!ret->places || !at->stamps) /* judging fills them in, at once */
		fill_roots(m, p, ret);
	if (!ret->places)
		fill_judged(m, ret);
}

/* The stat cache of the view is valid for the request that looked, which has one arena. */
static struct path_memo *judging_memo(struct arena *a, struct view *v)
{
	if (!v->memo || v->memo->a != a) {
		v->memo = arena_new(a, struct path_memo);
		path_memo_init(v->memo, a, v->cwd);
	}
	return v->memo;
}

void world_again(struct arena *a, const struct view *known, const struct policy *p, struct view *ret)
{
	struct path_memo *m;

	*ret = *known;
	ret->paths = NULL;
	ret->paths_end = &ret->paths;
	ret->globs = NULL;
	ret->globs_end = &ret->globs;
	ret->gits = NULL;
	ret->trees = NULL;
	if (!p)
		return;
	ret->roots = NULL;
	m = judging_memo(a, ret);
	fill_roots(m, p, ret);
	if (ret->places)
		fill_judged(m, ret);
}

int world_remember(struct arena *a, const struct view *v, struct str state, struct str dir, struct err *e)
{
	struct directory d = {.path = dir};
	const char *path = str_c(a, dir);
	int64_t now = time(NULL);
	enum remembered_kind kind;
	struct path_memo m;

	if (!dir.n)
		return 0;
	path_memo_init(&m, a, v->cwd);
	kind = project_repository(&m, dir, v->uid) || remembered_root(v->remembered, dir) ? REMEMBERED_ROOT
			: REMEMBERED_WORKSPACE;
	FD_SCOPE f = {0};
	fd_scope(&f, a, directory_open(path));
	if (f.fd < 0 || directory_identity(f.fd, &d.id) != 0)
		return err_input(e, "the project '%s' was moved or replaced while caisson examined it", path);
	return remembered_lately(v->remembered, kind, &d, now) ? 0 : remembered_add(a, state, kind, &d, now,
			e);
}

static bool answered_tree(const struct view *v, const struct question *q)
{
	for (const struct tree_answer *t = v->trees; t; t = t->next)
		if (tree_same(t, q->tree))
			return true;
	return false;
}

/* `paths` has the paths that earlier rounds and this one answered. */
static bool is_answered(const struct view *v, const struct pmap *paths, const struct question *q)
{
	bool found = false;

	switch (q->kind) {
	case QUESTION_PATH:
		return pmap_get(paths, q->path);
	case QUESTION_GLOB:
		for (const struct glob_answer *g = v->globs; g && !found; g = g->next)
			found = str_eq(g->pattern, q->path);
		break;
	case QUESTION_GIT:
		for (const struct git_answer *g = v->gits; g && !found; g = g->next)
			found = str_eq(g->dir, q->path);
		break;
	case QUESTION_TREE:
		return answered_tree(v, q);
	}
	return found;
}

static size_t count_answers(struct view *v)
{
	size_t n = 0;
	v->paths_end = &v->paths;
	v->globs_end = &v->globs;
	for (; *v->paths_end; v->paths_end = &(*v->paths_end)->next)
		n++;
	for (; *v->globs_end; v->globs_end = &(*v->globs_end)->next)
		n++;
	for (const struct git_answer *g = v->gits; g; g = g->next)
		n += ANSWER_GIT_COST;
	for (const struct tree_answer *t = v->trees; t; t = t->next)
		n += ANSWER_TREE_COST;
	return n;
}

/*
 * True if the box can show what the host has there, too. Then nothing is missed in the box; otherwise the
 * command stays with the host's files.
 */
static bool can_show(struct path_memo *m, const struct view *v, struct str path, size_t *n)
{
	struct texts *names = NULL;

	return !path_inside(v->project, path) && tmp_tree(m->a, path, v->uid, &names, n);
}

/* True if a box would find the path, or a place for it, where the host has none. */
static bool absent_is_kept(struct path_memo *m, const struct view *v, struct str path)
{
	struct path_answer at;

	for (struct str dir = path; dir.n > 5; dir = path_parent(dir)) {
		if (kept_tmp_has(m->a, v->state_dir, v->project, dir))
			return true;
		if (str_is(dir, "/tmp/claude")) { /* each box has it; without a state there was none yet */
			path_look(m, v->state_dir, &at);
			return at.target == PATH_DIR;
		}
		path_look(m, path_parent(dir), &at);
		if (at.kind != PATH_ABSENT)
			return false;
	}
	return false;
}

static bool path_is_kept(struct path_memo *m, const struct view *v, const struct path_answer *p)
{
	size_t n = 0;

	if (!path_inside(p->real, STR("/tmp")) || !v->state_dir.n || path_inside(p->real, v->project))
		return false;
	if (p->kind == PATH_ABSENT)
		return absent_is_kept(m, v, p->real);
	return p->kind == PATH_DIR && kept_tmp_filled(m->a, v->state_dir, v->project, p->real) &&
			(str_is(p->real, "/tmp") || can_show(m, v, p->real, &n));
}

static bool glob_is_kept(struct path_memo *m, const struct view *v, const struct glob_answer *g)
{
	size_t n = 0;

	if (g->more || !kept_tmp_matches(m->a, v->state_dir, v->project, g->pattern, g->nmatches > 0))
		return false;
	for (size_t i = 0; i < g->nmatches; i++)
		if (!can_show(m, v, g->matches[i], &n))
			return false;
	return true;
}

/* Appends one answer and returns its cost. */
static size_t answer_one(struct path_memo *m, struct view *v, const struct question *q)
{
	struct path_answer *p;
	struct glob_answer *g;
	struct git_answer *git;
	struct tree_answer *tree;

	switch (q->kind) {
	case QUESTION_GLOB:
		g = arena_new(m->a, struct glob_answer);
		glob_expand(m, q->path, g);
		g->kept = glob_is_kept(m, v, g);
		LIST_ADD(v->globs_end, g);
		return 1;
	case QUESTION_GIT:
		git = arena_new(m->a, struct git_answer);
		git_look(m, q->path, v->home, git);
		if (v->in_session)
			git_remotes_keep(git, v->session_remotes);
		git->next = v->gits;
		v->gits = git;
		return ANSWER_GIT_COST;
	case QUESTION_TREE:
		tree = arena_new(m->a, struct tree_answer);
		git_tree_look(m, q->tree, tree);
		tree->next = v->trees;
		v->trees = tree;
		return ANSWER_TREE_COST;
	case QUESTION_PATH:
		break;
	}
	p = arena_new(m->a, struct path_answer);
	path_look(m, q->path, p);
	p->kept = path_is_kept(m, v, p);
	LIST_ADD(v->paths_end, p);
	return 1;
}

size_t world_answer(struct arena *a, struct view *v, const struct question *q)
{
	struct path_memo *m = judging_memo(a, v);
	size_t before = count_answers(v), n = before;
	const struct pmap *paths = NULL;

	for (const struct path_answer *p = v->paths; p; p = p->next)
		paths = pmap_set(a, paths, p->path, p);
	m->looks = m->entries = 0; /* bounds of one round */
	for (; q && n < WORLD_ANSWERS_MAX; q = q->next) {
		if (is_answered(v, paths, q))
			continue;
		n += answer_one(m, v, q);
		if (q->kind == QUESTION_PATH)
			paths = pmap_set(a, paths, q->path, q);
	}
	return n - before;
}
