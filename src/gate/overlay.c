/*
 * The changes of a request, indexed: single names by path, changes of many names in short lists. See
 * overlay.h.
 */
#include "gate/overlay.h"

#include "base/glob.h"
#include "gate/git_changes.h"
#include "gate/path_table.h"

struct overlay_change {
	struct overlay_change *next;
	const struct access *x;
	struct str path; /* normalized; empty: unknown */
	struct str real; /* resolved; equals path if unknown */
	bool busy;       /* its sources are being visited */
	struct git_changes *git; /* lazy, for CHANGE_WORK_TREE: the files git changes */
};

struct source { /* a path that one command reads or deletes */
	struct source *next;
	const struct access *x;
};

struct overlay {
	const struct pmap *at;       /* path to its changes (struct overlay_change) */
	const struct pmap *sources;  /* place of a command to its struct source */
	struct overlay_change *trees;          /* those of CHANGE_TREE and CHANGE_WORK_TREE again */
	struct overlay_change *patterns;       /* writes and deletes of more than one name */
	size_t nwide;                /* length of both lists */
	bool links;                  /* some change makes or may move links */
	bool any, everywhere;        /* some change exists; some changes are not tracked */
	struct moment since;         /* moment of the first untracked change */
	unsigned depth;              /* depth of copies being visited */
	unsigned looks;              /* copies visited so far */
	const struct access *judged; /* cache of overlay_contained(): last argument, and result in `lifted` */
	bool lifted;
};

static struct str place_key(struct judge *j, struct span at)
{
	uint32_t v[3] = {at.text, at.from, at.to};

	return str_dup(j->a, str_n((const char *)v, sizeof(v)));
}

/* True if `from` reads or deletes what `to`, a write of the same command, copies or links. */
static bool is_source(const struct access *from, const struct access *to)
{
	if (from->kind != ACCESS_READ && from->kind != ACCESS_DELETE)
		return false;
	return span_same(from->at, to->at) && access_same_cause(from, to);
}

/* ---- building ---- */

static void push_change(struct judge *j, struct overlay_change **list, const struct overlay_change *m)
{
	struct overlay *o = j->overlay;
	struct overlay_change *copy;

	if (o->nwide++ >= OVERLAY_WIDE_MAX) {
		if (!o->everywhere)
			o->since = m->x->when;
		o->everywhere = true;
		return;
	}
	copy = arena_new(j->a, struct overlay_change);
	*copy = *m;
	copy->next = *list;
	*list = copy;
}

/* For many plain changes of one name the first two are enough, because only their moments matter. */
static bool is_redundant(const struct overlay_change *list, const struct overlay_change *m)
{
	unsigned earlier = 0;

	for (; list && m->x->change == CHANGE_PLAIN; list = list->next)
		earlier += list->x->change == CHANGE_PLAIN && list->x->kind == m->x->kind &&
			list->x->when.first < m->x->when.first;
	return earlier >= 2;
}

static void add_at(struct judge *j, struct str path, const struct overlay_change *m)
{
	const struct overlay_change *old = pmap_get(j->overlay->at, path);
	struct overlay_change *copy;

	if (is_redundant(old, m))
		return;
	copy = arena_new(j->a, struct overlay_change);
	*copy = *m;
	copy->next = (struct overlay_change *)old;
	j->overlay->at = pmap_set(j->a, j->overlay->at, path, copy);
}

/* git works on the whole work tree of the directory: at most the root around it. */
static struct str work_tree(const struct judge *j, struct str dir)
{
	for (const struct root *r = j->v->roots; r; r = r->next)
		if (path_within(dir, r->path))
			return r->path;
	return dir;
}

static struct str resolve_path(const struct judge *j, struct str path, struct str plain)
{
	const struct path_answer *p = pmap_get(j->answers, path);

	return p && p->real.n ? p->real : plain;
}

static bool is_tree(const struct access *x)
{
	return x->kind == ACCESS_WRITE && (x->change == CHANGE_TREE || x->change == CHANGE_WORK_TREE);
}

static void add_change(struct judge *j, struct overlay_change *m)
{
	struct overlay *o = j->overlay;
	const struct access *x = m->x;

	o->any = true;
	if (is_tree(x)) {
		if (x->change == CHANGE_WORK_TREE && m->path.n) {
			m->path = work_tree(j, m->path);
			m->real = work_tree(j, m->real);
		}
		push_change(j, &o->trees, m);
	}
	if (!m->path.n)
		return;
	if (x->path.kind != WORD_EXACT) {
		push_change(j, &o->patterns, m);
		return;
	}
	add_at(j, m->path, m);
	if (!str_eq(m->path, m->real))
		add_at(j, m->real, m);
}

static void add_source(struct judge *j, const struct access *x)
{
	struct source *s = arena_new(j->a, struct source);
	struct str key = place_key(j, x->at);

	*s = (struct source){(struct source *)pmap_get(j->overlay->sources, key), x};
	j->overlay->sources = pmap_set(j->a, j->overlay->sources, key, s);
}

void overlay_build(struct judge *j)
{
	bool copies = false;

	j->overlay = arena_new(j->a, struct overlay);
	for (const struct access *x = j->f->accesses; x; x = x->next) {
		struct overlay_change m = {.x = x};
		bool known = path_known(&x->path) && str_starts(x->path.text, "/");

		if (x->elsewhere || (x->kind != ACCESS_WRITE && x->kind != ACCESS_DELETE))
			continue;
		if (!known && !is_tree(x))
			continue; /* a change at an unknown path is judged on its own */
		if (known) {
			m.path = m.real = path_plain(j->a, x->path.kind == WORD_EXACT
				? x->path.text : path_pattern(j->a, &x->path));
			if (x->path.kind == WORD_EXACT)
				m.real = resolve_path(j, x->path.text, m.path);
		}
		copies |= x->change == CHANGE_COPY || x->change == CHANGE_LINK;
		j->overlay->links |= x->change == CHANGE_LINK || x->change == CHANGE_COPY || is_tree(x);
		add_change(j, &m);
	}
	for (const struct access *x = j->f->accesses; x && copies; x = x->next)
		if (!x->elsewhere && (x->kind == ACCESS_READ || x->kind == ACCESS_DELETE))
			add_source(j, x);
}

/* ---- queries ---- */

static bool everywhere(const struct judge *j, struct moment use)
{
	return j->overlay->everywhere && moment_precedes(j->overlay->since, use);
}

/* True if the path lies strictly below the change, in one of its two forms. An unknown place may be any. */
static bool strictly_within(const struct overlay_change *m, struct str path)
{
	return !m->path.n || (path_within(path, m->path) && path.n > m->path.n) ||
	       (path_within(path, m->real) && path.n > m->real.n);
}

/* ---- files that git changes ---- */

static struct subject *subject_of(struct judge *j, const struct access *x)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		const struct command *c = j->subjects[i].c;

		if (c->argc && c->when.first == x->when.first && span_same(c->argv[0].at, x->at))
			return &j->subjects[i];
	}
	return NULL;
}

/* Returns the files, if known; NULL: any file. A repeated command may change other files each time. */
static const struct git_changes *git_names(struct judge *j, const struct overlay_change *m)
{
	struct overlay_change *made = (struct overlay_change *)m;

	if (m->x->change != CHANGE_WORK_TREE)
		return NULL;
	if (!m->git) {
		struct subject *s = subject_of(j, m->x);

		made->git = arena_new(j->a, struct git_changes);
		if (s && s->c->when.last == s->c->when.first && !s->c->when.again && s->c->ndirs == 1)
			git_changes_of(j, s, s->c->dirs[0], made->git);
	}
	if (!m->git->followed || m->git->state == GIT_CHANGES_UNKNOWN || m->git->state == GIT_CHANGES_ASKED)
		return NULL;
	return m->git->state == GIT_CHANGES_PARTLY && !m->git->npaths ? NULL : m->git;
}

/* True if the command's effect on this path goes beyond the difference between commits. */
static bool git_unsure(const struct git_changes *t, struct str path)
{
	for (size_t i = 0; i < t->npaths && t->state == GIT_CHANGES_PARTLY; i++)
		if (path_within(path, t->paths[i]) || path_within(t->paths[i], path))
			return true;
	return false;
}

static bool is_pattern(struct str path)
{
	return str_has(path, '*') || str_has(path, '?') || str_has(path, '[');
}

/*
 * True if the path leads through the link. A pattern does if its first components match the link, because the
 * shell also finds names that earlier commands made.
 */
static bool leads_through(struct str path, struct str link)
{
	size_t slashes = 0, end = 0;

	if (path_within(path, link))
		return true;
	if (!is_pattern(path))
		return false;
	for (size_t i = 0; i < link.n; i++)
		slashes += link.p[i] == '/';
	while (end < path.n && (path.p[end] != '/' || slashes-- > 0))
		end++;
	return glob_may(str_first(path, end), link, GLOB_PATH) != GLOB_NO;
}

enum git_question {
	GIT_LINK,       /* the path, or a directory on the way to it, becomes a link */
	GIT_LINK_BELOW, /* ... or something below it does */
	GIT_ANYTHING,   /* anything appears there: a file, a link, a directory */
};

static bool git_touches(const struct git_changes *t, struct str path, enum git_question what)
{
	if (git_unsure(t, path))
		return true;
	for (const struct git_touch *x = t->answer ? t->answer->touched : NULL; x; x = x->next) {
		bool link = x->kind == GIT_TOUCH_LINK;
		bool on_way = leads_through(path, x->path), below = path_within(x->path, path);

		if (x->kind == GIT_TOUCH_DELETE || !git_changes_touch(t, x->path))
			continue;
		if (what == GIT_ANYTHING ? below || (link && on_way)
					 : link && (on_way || (what == GIT_LINK_BELOW && below)))
			return true;
	}
	return false;
}

/* If the files are unknown, any may change. */
static bool tree_touches(struct judge *j, const struct overlay_change *m, struct str path,
	enum git_question what)
{
	const struct git_changes *git = git_names(j, m);

	return !git || git_touches(git, path, what);
}

struct overlay_look {
	bool present;
};

static void look_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	struct overlay_look *l = ctx;

	(void)j, (void)x;
	l->present |= w->answer && w->answer->target != PATH_ABSENT && w->answer->target != PATH_UNREADABLE;
}

/* ---- copies ---- */

/* Tests the origin of a copied path, at the moment of the copy. An unknown origin may be any path. */
typedef bool origin_fn(struct judge *j, const struct source *s, struct word origin, struct moment copy);

/* True if the path ends with these components ("/a/b"). */
static bool ends_in(struct str path, struct str components)
{
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	return path.n >= components.n && str_eq(str_from(path, path.n - components.n), components);
}

/*
 * Visits the origin if the source is renamed to the destination. `rest` is the path below the destination:
 * empty, or starting with a slash.
 */
static bool visit_renamed(struct judge *j, const struct source *s, struct str rest, struct moment copy,
	origin_fn *fn)
{
	struct word w = s->x->path;

	w.text = path_known(&w) ? str_cat(j->a, w.text, rest) : w.text;
	return fn(j, s, w, copy);
}

/*
 * Visits the origin if the source keeps its name inside the destination. cp --parents and rsync -R keep more
 * of its path.
 */
static bool visit_kept(struct judge *j, const struct source *s, struct str rest, struct moment copy,
	origin_fn *fn)
{
	struct word w = s->x->path;
	ptrdiff_t slash = str_find(rest, '/', 1);
	struct str pattern;

	if (!path_known(&w))
		return fn(j, s, w, copy);
	for (size_t end = 1; w.kind == WORD_EXACT && end <= rest.n; end++) {
		if (end < rest.n && rest.p[end] != '/')
			continue;
		if (ends_in(w.text, str_first(rest, end))) {
			w.text = str_cat(j->a, w.text, str_from(rest, end));
			return fn(j, s, w, copy);
		}
	}
	if (w.kind == WORD_EXACT)
		return false;
	pattern = path_pattern(j->a, &w); /* here the matching name is known */
	if (!str_contains(pattern, STR("**")) && !glob_path(path_base(pattern), str_sub(rest, 1, slash < 0
		? rest.n : (size_t)slash), 0))
		return false;
	w = (struct word){.kind = WORD_REST, .glob = true, .text = str_fmt(j->a, "%.*s%.*s",
		STR_ARG(path_above(pattern)), STR_ARG(rest))};
	if (str_contains(pattern, STR("**")))
		w.glob = false; /* anywhere below */
	return fn(j, s, w, copy);
}

/* Visits every possible origin of `path`, which lies at or below the copy. True as soon as fn is. */
static bool copied_from(struct judge *j, const struct overlay_change *m, struct str path, origin_fn *fn)
{
	const struct source *s = pmap_get(j->overlay->sources, place_key(j, m->x->at));
	struct str rest = str_from(path, path_within(path, m->path) ? m->path.n : m->real.n);
	struct overlay_change *made = (struct overlay_change *)m;
	bool found = false;

	if (m->busy)
		return false; /* a copy of itself, in a loop */
	if (j->overlay->depth >= OVERLAY_COPIES_DEEP || j->overlay->looks++ >= OVERLAY_LOOKS_MAX)
		return true; /* limit reached */
	made->busy = true;
	j->overlay->depth++;
	for (; s && !found; s = s->next)
		if (is_source(s->x, m->x))
			found = visit_renamed(j, s, rest, m->x->when, fn) ||
				(rest.n > 1 && m->x->below && visit_kept(j, s, rest, m->x->when, fn));
	j->overlay->depth--;
	made->busy = false;
	return found;
}

/* True if the origin exists on the disk, or the request made it before the copy. */
static bool origin_exists(struct judge *j, const struct source *s, struct word origin, struct moment copy)
{
	struct access x = {.kind = ACCESS_READ, .path = origin};
	struct overlay_look l = {0};

	(void)s;
	if (!paths_each(j, &x, look_one, &l) || l.present)
		return true;
	return origin.kind != WORD_EXACT || overlay_exists(j, path_plain(j->a, origin.text), copy);
}

static bool copy_puts(struct judge *j, const struct overlay_change *m, struct str path)
{
	bool local = pmap_get(j->overlay->sources, place_key(j, m->x->at)) != NULL;

	/* a remote source may contain anything */
	return !local || copied_from(j, m, path, origin_exists);
}

/*
 * True if a command that names files after its words may create this file. Such a command creates no
 * directories, and commondir only if a word resembles it.
 */
static bool may_be_file(struct judge *j, const struct access *x, struct str path)
{
	struct str name = path_base(path);
	const struct subject *s;

	if (str_is_any(name, "objects refs"))
		return false;
	s = str_is(name, "commondir") ? subject_of(j, x) : NULL;
	for (size_t i = 1; s && i < s->c->argc; i++)
		if (s->c->argv[i].kind != WORD_EXACT || str_contains(s->c->argv[i].text, STR("com")))
			return true;
	return !s;
}

/* True inside the .git directory of the new repository. */
static bool in_dot_git(const struct overlay_change *m, struct str path)
{
	struct str rest = str_from(path, path_within(path, m->path) ? m->path.n : m->real.n);

	return path_within(rest, STR("/.git"));
}

/* True if this change, found at `path` itself or above it, may have put something at the path. */
static bool puts_something(struct judge *j, const struct overlay_change *m, struct str path, bool above)
{
	if (m->x->kind != ACCESS_WRITE)
		return false;
	switch (m->x->change) {
	case CHANGE_FILES: return above && may_be_file(j, m->x, path) && (str_eq(path_above(path),
		m->path) || str_eq(path_above(path), m->real));
	case CHANGE_TREE: return above;
	case CHANGE_WORK_TREE: return above && !str_eq(path_above(path), m->path) &&
		!str_eq(path_above(path), m->real) && tree_touches(j, m, path, GIT_ANYTHING);
	case CHANGE_LINK: return above || !m->x->below;
	case CHANGE_COPY: return above ? copy_puts(j, m, path) : !m->x->below;
	/* git's own work is safe, but a copy of it is not */
	case CHANGE_GIT_DIR: return above && j->overlay->depth > 0;
	case CHANGE_REPOSITORY: return above && j->overlay->depth > 0 && in_dot_git(m, path);
	case CHANGE_PLAIN: break;
	}
	return !above && !m->x->below;
}

bool overlay_exists(struct judge *j, struct str path, struct moment use)
{
	struct overlay *o = j->overlay;

	if (!o->any)
		return false;
	if (everywhere(j, use))
		return true;
	for (struct str dir = path;; dir = path_above(dir)) {
		for (const struct overlay_change *m = pmap_get(o->at, dir); m; m = m->next)
			if (moment_precedes(m->x->when, use) && puts_something(j, m, path, dir.n < path.n))
				return true;
		if (dir.n <= 1)
			break;
	}
	for (const struct overlay_change *m = o->trees; m; m = m->next)
		if (!m->path.n && moment_precedes(m->x->when, use))
			return true;
	for (const struct overlay_change *m = o->patterns; m; m = m->next)
		if (m->x->kind == ACCESS_WRITE && moment_precedes(m->x->when, use) && glob_path(m->path,
			path, 0))
			return true;
	return false;
}

static const struct access overflow = {.kind = ACCESS_WRITE, .change = CHANGE_TREE};

const struct access *overlay_tree(struct judge *j, struct str path, struct moment use)
{
	for (const struct overlay_change *m = j->overlay->trees; m; m = m->next)
		if (moment_precedes(m->x->when, use) && strictly_within(m, path) && tree_touches(j, m, path,
			GIT_LINK))
			return m->x;
	return everywhere(j, use) ? &overflow : NULL;
}

const struct access *overlay_tree_below(struct judge *j, struct str dir, struct moment use)
{
	for (const struct overlay_change *m = j->overlay->trees; m; m = m->next) {
		bool apart = m->path.n && !path_within(dir, m->path) && !path_within(dir, m->real) &&
			!path_within(m->path, dir) && !path_within(m->real, dir);

		if (!apart && moment_precedes(m->x->when, use) && tree_touches(j, m, dir, GIT_LINK_BELOW))
			return m->x;
	}
	return everywhere(j, use) ? &overflow : NULL;
}

bool overlay_contained(struct judge *j, const struct access *tree)
{
	struct overlay *o = j->overlay;

	if (tree->change != CHANGE_TREE || tree == &overflow ||
	    judge_grade(j, gate_check(CHECK_ARCHIVE_EXTRACT)) < GRADE_CONTAIN)
		return false;
	if (o->judged != tree) {
		o->judged = tree;
		o->lifted = judge_lifted(j, tree->at);
	}
	return !o->lifted;
}

bool overlay_removed(struct judge *j, struct str path, struct moment use)
{
	for (struct str dir = path;; dir = path_above(dir)) {
		for (const struct overlay_change *m = pmap_get(j->overlay->at, dir); m; m = m->next)
			if (m->x->kind == ACCESS_DELETE && moment_precedes(m->x->when, use))
				return true;
		if (dir.n <= 1)
			break;
	}
	for (const struct overlay_change *m = j->overlay->patterns; m; m = m->next)
		if (m->x->kind == ACCESS_DELETE && moment_precedes(m->x->when, use) && glob_may(m->path,
			path, GLOB_PATH | GLOB_BELOW) != GLOB_NO)
			return true;
	return everywhere(j, use);
}

const struct access *overlay_repository(struct judge *j, struct str dir, struct moment use)
{
	if (overlay_removed(j, dir, use))
		return NULL;
	for (const struct overlay_change *m = pmap_get(j->overlay->at, dir); m; m = m->next)
		if (m->x->kind == ACCESS_WRITE && m->x->change == CHANGE_REPOSITORY &&
			moment_precedes(m->x->when, use))
			return m->x;
	return NULL;
}

bool overlay_checked_out(struct judge *j, struct str path, struct moment use)
{
	for (struct str dir = path; dir.n > 1; dir = path_above(dir))
		for (const struct overlay_change *m = pmap_get(j->overlay->at, dir); m; m = m->next)
			if (m->x->kind == ACCESS_WRITE && m->x->change == CHANGE_REPOSITORY &&
				m->x->below && moment_precedes(m->x->when, use))
				return true;
	return false;
}

static bool origin_in_git_dir(struct judge *j, const struct source *s, struct word origin, struct moment copy)
{
	struct str path;

	(void)s;
	if (origin.kind != WORD_EXACT)
		return false;
	path = path_plain(j->a, origin.text);
	return repository_file(j, path) || overlay_in_git_dir(j, path, copy);
}

bool overlay_git_dir(struct judge *j, struct str path, struct moment use)
{
	for (const struct overlay_change *m = pmap_get(j->overlay->at, path); m; m = m->next)
		if (m->x->kind == ACCESS_WRITE && m->x->change == CHANGE_GIT_DIR &&
		    moment_precedes(m->x->when, use))
			return true;
	return false;
}

/* Includes git directories that were copied, moved or linked. */
bool overlay_in_git_dir(struct judge *j, struct str path, struct moment use)
{
	for (struct str dir = path_above(path); dir.n > 1; dir = path_above(dir))
		for (const struct overlay_change *m = pmap_get(j->overlay->at, dir); m; m = m->next) {
			if (m->x->kind != ACCESS_WRITE || !moment_precedes(m->x->when, use))
				continue;
			if (m->x->change == CHANGE_GIT_DIR && path_table_protected(j, str_cat(j->a,
				STR("/.git"), str_from(path, dir.n))))
				return true;
			if (access_copies(m->x) && copied_from(j, m, path, origin_in_git_dir))
				return true;
		}
	return false;
}

/* ---- links ---- */

static void link_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	(void)j, (void)x;
	*(bool *)ctx |= w->answer && w->answer->kind == PATH_LINK;
}

static size_t count_components(struct str path)
{
	size_t n = 0;

	for (size_t i = 0; i < path.n; i++)
		n += path.p[i] == '/';
	return n;
}

/*
 * True if there is a link on the disk at the path, or between it and the copy's source. The copy contains
 * that link, too.
 */
static bool disk_link(struct judge *j, const struct source *s, struct str path)
{
	size_t top = count_components(path_plain(j->a, s->x->path.text));
	bool found = false;

	for (; path.n > 1 && count_components(path) >= top && !found; path = path_above(path)) {
		struct access x = {.kind = ACCESS_READ, .path = {.kind = WORD_EXACT, .text = path}};

		paths_each(j, &x, link_one, &found);
	}
	return found;
}

/* True if a pattern of the source matches a link. */
static bool some_link(struct judge *j, const struct source *s)
{
	struct access x = {.kind = ACCESS_READ, .path = s->x->path};
	bool found = false;

	return !paths_each(j, &x, link_one, &found) || found;
}

/* An inner link always leads elsewhere; a final link does if the access follows it. */
static bool origin_is_link(struct judge *j, const struct source *s, struct word origin, struct moment copy)
{
	struct str path;

	if (origin.kind != WORD_EXACT && (!origin.glob || is_pattern(origin.text)))
		return some_link(j, s);
	path = path_plain(j->a, origin.text);
	return disk_link(j, s, path) || overlay_link(j, path, true, copy) || overlay_tree(j, path, copy);
}

static bool origin_kept(struct judge *j, const struct source *s, struct word origin, struct moment copy)
{
	(void)j, (void)s, (void)origin, (void)copy;
	return true;
}

/* ln TARGET... DIR makes DIR/NAME: true if it makes this path. */
static bool link_inside(struct judge *j, const struct overlay_change *m, struct str path)
{
	const struct source *s = pmap_get(j->overlay->sources, place_key(j, m->x->at));
	struct str rest = str_from(path, path_within(path, m->path) ? m->path.n : m->real.n);

	for (; s; s = s->next)
		if (is_source(s->x, m->x) && visit_kept(j, s, rest, m->x->when, origin_kept))
			return true;
	return false;
}

struct matched {
	struct judge *j;
	struct str pattern;
	struct moment use;
	const struct access *found;
};

static void match_one(void *ctx, struct str path, const void *value)
{
	struct matched *t = ctx;

	for (const struct overlay_change *m = value; m; m = m->next) {
		enum change_kind change = m->x->change;

		if (m->x->kind != ACCESS_WRITE || !moment_precedes(m->x->when, t->use) ||
		    (t->found && t->found->when.first <= m->x->when.first) ||
		    !leads_through(t->pattern, path))
			continue;
		if (change == CHANGE_LINK || (change == CHANGE_COPY && copied_from(t->j, m, path,
			origin_is_link)))
			t->found = m->x;
	}
}

/* Returns the first link of the request that the pattern matches or leads through, or NULL. */
static const struct access *matched_link(struct judge *j, struct str pattern, struct moment use)
{
	struct matched t = {.j = j, .pattern = pattern, .use = use};

	if (j->overlay->links)
		pmap_each(j->overlay->at, match_one, &t);
	return t.found;
}

const struct access *overlay_link(struct judge *j, struct str path, bool follow, struct moment use)
{
	if (is_pattern(follow ? path : path_above(path)))
		return matched_link(j, follow ? path : path_above(path), use);
	for (struct str dir = path; j->overlay->links && dir.n > 1; dir = path_above(dir))
		for (const struct overlay_change *m = pmap_get(j->overlay->at, dir); m; m = m->next) {
			bool above = dir.n < path.n;

			if (m->x->kind != ACCESS_WRITE || !moment_precedes(m->x->when, use))
				continue;
			if (m->x->change == CHANGE_LINK && (m->x->below ? above && link_inside(j, m,
				path) : above || follow))
				return m->x;
			if (m->x->change == CHANGE_COPY && (above || follow) && copied_from(j, m, path,
				origin_is_link))
				return m->x;
		}
	return NULL;
}

/* ---- names that are options ---- */

struct dashes {
	struct judge *j;
	struct str dir, pattern;
	struct moment use;
	bool found;
};

/* True if a copied directory contains a name with a dash. */
static bool origin_has_dash(struct judge *j, const struct source *s, struct word origin, struct moment copy)
{
	(void)s;
	if (origin.kind == WORD_EXACT)
		return option_name_in(j, path_plain(j->a, origin.text), STR("*"), copy);
	return str_ends(origin.text, "/") || str_ends(origin.text, "/.");
}

/* True if names with a dash are copied into this directory under their own names. */
static bool copies_dash(const struct dashes *d, const struct overlay_change *m)
{
	struct judge *j = d->j;
	const struct source *s = pmap_get(j->overlay->sources, place_key(j, m->x->at));
	bool found = !s; /* from a remote host */

	for (; s && !found; s = s->next) {
		struct str path;

		if (!is_source(s->x, m->x) || !path_known(&s->x->path))
			continue;
		path = path_plain(j->a, s->x->path.kind == WORD_EXACT ? s->x->path.text
								       : path_pattern(j->a, &s->x->path));
		found = s->x->path.kind == WORD_EXACT ? option_name_fits(d->pattern, path_base(path))
			: option_name_in(j, path_above(path), path_base(path), m->x->when);
	}
	return found;
}

/* Known file lists of git include names that start with a dash. */
static bool git_brings_dash(const struct dashes *d, const struct overlay_change *m)
{
	const struct git_changes *t = git_names(d->j, m);

	if (!t || git_unsure(t, d->dir))
		return true;
	for (const struct git_touch *x = t->answer ? t->answer->touched : NULL; x; x = x->next)
		if (x->kind != GIT_TOUCH_DELETE && str_eq(path_above(x->path), d->dir) &&
			option_name_fits(d->pattern, path_base(x->path)))
			return true;
	return false;
}

/* True if this change, at the directory or above it, may add a name with a dash. */
static bool brings_dash(const struct dashes *d, const struct overlay_change *m)
{
	bool here = str_eq(m->path, d->dir) || str_eq(m->real, d->dir);

	switch (m->x->change) {
	case CHANGE_TREE: return !overlay_contained(d->j, m->x);
	case CHANGE_WORK_TREE: return git_brings_dash(d, m);
	case CHANGE_FILES: return here;
	case CHANGE_LINK: return here && m->x->below && copies_dash(d, m);
	case CHANGE_COPY: return (here && m->x->below && copies_dash(d, m)) ||
		copied_from(d->j, m, d->dir, origin_has_dash);
	case CHANGE_REPOSITORY: return m->x->below;
	case CHANGE_PLAIN: case CHANGE_GIT_DIR: break;
	}
	return false;
}

/* Returns the component directly below the directory that this path leads through. */
static struct str name_below(struct str path, struct str dir)
{
	size_t from = dir.n > 1 ? dir.n + 1 : 1;
	size_t slash = str_end(path, '/', from);

	return str_sub(path, from, slash);
}

static void dash_one(void *ctx, struct str path, const void *value)
{
	struct dashes *d = ctx;
	bool below = path.n > d->dir.n && path_within(path, d->dir);
	bool named = below && option_name_fits(d->pattern, name_below(path, d->dir));

	for (const struct overlay_change *m = value; m && !d->found; m = m->next)
		if (m->x->kind == ACCESS_WRITE && moment_precedes(m->x->when, d->use))
			d->found = named || (!below && path_within(d->dir, path) && brings_dash(d, m));
}

/*
 * Handles a pattern as the target of a copy, and a write to a name that data choose. A loop expands its names
 * before it writes any (`for f in *.md; do mv "$f" "${f%.md}.txt"; done`).
 */
static bool pattern_brings_dash(const struct dashes *d, const struct overlay_change *m)
{
	struct str name = path_base(m->x->path.text);

	if (m->x->kind != ACCESS_WRITE || !moment_precedes(m->x->when, d->use))
		return false;
	if (glob_may(m->path, d->dir, GLOB_PATH) != GLOB_NO && m->x->below)
		return brings_dash(d, m) || (m->x->change == CHANGE_COPY && copies_dash(d, m));
	return name.n && ((name.p[0] == HOLE_NAME && m->x->when.first != d->use.first) || name.p[0] == '-') &&
	       glob_may(path_above(m->path), d->dir, GLOB_PATH) != GLOB_NO;
}

bool overlay_option_name(struct judge *j, struct str dir, struct str pattern, struct moment use)
{
	struct dashes d = {.j = j, .dir = dir, .pattern = pattern, .use = use};

	if (!j->overlay->any)
		return false;
	if (everywhere(j, use))
		return true;
	pmap_each(j->overlay->at, dash_one, &d);
	for (const struct overlay_change *m = j->overlay->patterns; m && !d.found; m = m->next)
		d.found = pattern_brings_dash(&d, m);
	for (const struct overlay_change *m = j->overlay->trees; m && !d.found; m = m->next)
		d.found = !m->path.n && moment_precedes(m->x->when, use) && brings_dash(&d, m);
	return d.found;
}
