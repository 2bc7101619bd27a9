/*
 * The caches of package managers and build tools in a box: the project's own directories, and on top of them
 * those of the person that exist (knowledge/caches.yaml), as lower layers. cache_layer.h has the theory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "knowledge/cache_rows.h"
#include "run/search_path.h"
#include "run/spec_builder.h"
#include "sys/mounts.h"
#include "sys/state.h"

/* ---- the person's ---- */

enum cache_found { FOUND_NOTHING, FOUND_PARENT, FOUND_CACHE };

struct cache_search {
	struct path_memo *memo;
	int home;
	struct str parent; /* of the last path */
	int dir;           /* it is open; -1: it does not exist */
	struct str *moved; /* values of the variables of cache_moves[]; empty: not set */
};

static int open_dir(int dir, struct str path)
{
	char name[PATH_MAX];

	if (str_put(name, sizeof(name), "%.*s", STR_ARG(path)) >= sizeof(name))
		return -1;
	return open_beneath(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW);
}

/*
 * Rows are sorted, and most homes lack most of their directories: each of those is looked up once. The text
 * of a path ends with NUL.
 */
static enum cache_found look(struct cache_search *c, struct str path)
{
	size_t slash = path.n;
	struct stat st;

	while (slash && path.p[slash - 1] != '/')
		slash--;
	if (!str_eq(str_first(path, slash), c->parent)) {
		fd_close(&c->dir);
		c->parent = str_first(path, slash);
		c->dir = open_dir(c->home, c->parent);
	}
	if (c->dir < 0)
		return FOUND_NOTHING;
	if (fstatat(c->dir, path.p + slash, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return S_ISDIR(st.st_mode) ? FOUND_CACHE : FOUND_NOTHING;
	return slash && errno == ENOENT ? FOUND_PARENT : FOUND_NOTHING;
}

/* USER in a path stands for the person's name. */
static struct str with_user(struct spec_builder *m, struct str path)
{
	size_t at = 0;

	while (at + 4 <= path.n && !str_is(str_sub(path, at, at + 4), "USER"))
		at++;
	if (at + 4 > path.n)
		return path;
	return str_fmt(m->a, "%.*s%.*s%.*s", (int)at, path.p, STR_ARG(m->at->user),
			(int)(path.n - at - 4), path.p + at + 4);
}

static bool is_given(const struct spec_builder *m, struct str at)
{
	const struct spec *s = &m->r->spec;

	for (const struct spec_path *p = s->paths; p; p = p->next)
		if (p->writable && !p->at.n &&
				(path_inside(at, p->path) || path_inside(p->path, at)))
			return true;
	return path_inside(s->workspace, at) || path_inside(at, s->workspace);
}

/* The variables that name other places. One that lists several places is not followed. */
static void find_moved(struct spec_builder *m, struct cache_search *c)
{
	c->moved = arena_array(m->a, cache_nmoves, sizeof(*c->moved));
	for (size_t i = 0; m->world->environ && m->world->environ[i]; i++) {
		struct str s = str_of(m->world->environ[i]);
		ptrdiff_t eq = str_find(s, '=', 1);

		if (eq < 0 || (size_t)eq + 1 >= s.n || s.p[eq + 1] != '/' || strpbrk(s.p + eq, ":,"))
			continue;
		for (size_t k = 0; k < cache_nmoves; k++)
			if (str_eq(str_first(s, (size_t)eq), cache_text(cache_moves[k].variable)))
				c->moved[k] = str_from(s, (size_t)eq + 1);
	}
}

/* The most exact variable that moves this path, or NULL. *ret: where it leads. */
static const struct cache_move *moved_to(struct spec_builder *m, const struct cache_search *c,
		struct str path, struct str *ret)
{
	const struct cache_move *best = NULL;

	for (size_t k = 0; k < cache_nmoves; k++) {
		struct str dir = cache_text(cache_moves[k].dir);

		if (!c->moved[k].n || (best && dir.n < cache_text(best->dir).n))
			continue;
		if (!str_eq(path, dir) && !(path.n > dir.n && str_eq(str_first(path, dir.n), dir) &&
				path.p[dir.n] == '/'))
			continue;
		best = &cache_moves[k];
		*ret = str_fmt(m->a, "%.*s%.*s", STR_ARG(c->moved[k]), STR_ARG(str_from(path, dir.n)));
	}
	return best;
}

static void add_layer(struct spec_builder *m, struct str real, struct str at, enum spec_cache cache)
{
	struct spec_path *p = spec_add_path(m, real, at, false);

	p->cache = cache;
	p->upper = path_inside(at, m->r->spec.home) ? str_from(at, m->r->spec.home.n + 1)
						    : str_fmt(m->a, ".moved%.*s", STR_ARG(at));
	m->r->ncaches++;
}

/* True if a directory at another place has what stays hidden at the usual one. */
static bool holds_hidden(struct spec_builder *m, struct cache_search *c, const struct cache_row *row,
		struct str real)
{
	struct str path = cache_text(row->path);
	enum path_kind kind = PATH_ABSENT;

	for (size_t i = 0; i < cache_nhidden && kind == PATH_ABSENT; i++) {
		struct str name = cache_text(cache_hidden[i]);

		if (name.n > path.n && str_eq(str_first(name, path.n), path) && name.p[path.n] == '/')
			(void)path_real(c->memo, str_fmt(m->a, "%.*s%.*s", STR_ARG(real),
					STR_ARG(str_from(name, path.n))), &kind);
	}
	return kind != PATH_ABSENT;
}

/*
 * A cache that a variable of the person moves is seen where the program in the box looks for it: at the same
 * place if it gets the variable, else at the usual one.
 */
static bool add_moved(struct spec_builder *m, struct cache_search *c, const struct cache_row *row,
		struct str at)
{
	struct str place, real;
	enum path_kind kind;
	const struct cache_move *move = moved_to(m, c, cache_text(row->path), &place);

	if (!move)
		return false;
	real = path_real(c->memo, place, &kind);
	if (str_eq(real, at))
		return false;
	if (kind != PATH_DIR || !str_eq(real, place) || search_refuse(m, c->memo, real) ||
			holds_hidden(m, c, row, real))
		return true;
	if (spec_passes(m, cache_text(move->variable)))
		at = real;
	if (!is_given(m, real) && !is_given(m, at))
		add_layer(m, real, at, row->is_private ? CACHE_PRIVATE : CACHE_READ);
	return true;
}

/*
 * A cache that is absent is made in the layer if its tool's directory exists, so that a first download stays.
 * In a directory that is the project's own as a whole that needs no layer.
 */
static void add_row(struct spec_builder *m, struct cache_search *c, const struct cache_row *row)
{
	struct str path = with_user(m, cache_text(row->path)), at = str_path(m->a, m->r->spec.home, path);
	enum cache_found found;

	if (add_moved(m, c, row, at) || !spec_home_may_have(m, path))
		return;
	found = look(c, path);
	if (found == FOUND_NOTHING || (found == FOUND_PARENT && row->is_private) || is_given(m, at))
		return;
	add_layer(m, at, at, found == FOUND_PARENT ? CACHE_ABSENT : row->is_private ? CACHE_PRIVATE
										     : CACHE_READ);
}

static void hide_credentials(struct spec_builder *m)
{
	struct texts **end = &m->r->spec.cache_hidden;

	for (size_t i = 0; i < cache_nhidden; i++)
		end = texts_add(m->a, end, str_path(m->a, m->r->spec.home, cache_text(cache_hidden[i])));
}

static void close_search(void *ptr)
{
	struct cache_search *c = ptr;

	fd_close(&c->dir);
	fd_close(&c->home);
}

static void add_persons(struct spec_builder *m, struct path_memo *memo)
{
	const char *home = str_c(m->a, m->r->spec.home);
	struct cache_search c = {.memo = memo, .parent = STR("/"), .dir = -1};
	struct arena_cleanup cleanup = {0};

	c.home = open(home, O_PATH | O_DIRECTORY | O_CLOEXEC);
	arena_defer(m->a, &cleanup, close_search, &c);
	find_moved(m, &c);
	for (size_t i = 0; c.home >= 0 && i < cache_nrows; i++)
		add_row(m, &c, &cache_rows[i]);
	arena_release(m->a, &cleanup);
	if (m->r->ncaches)
		hide_credentials(m);
}

/* ---- the project's own ---- */

void spec_build_caches(struct spec_builder *m, struct path_memo *memo)
{
	struct str top, of_project;
	struct texts **end = &m->r->caches;

	if (!m->at->state_dir.n)
		return;
	top = str_fmt(m->a, "%.*s/caches", STR_ARG(m->at->state_dir));
	of_project = str_path(m->a, top, state_project_key(m->a, m->r->spec.workspace));
	end = texts_add(m->a, end, top);
	end = texts_add(m->a, end, of_project);
	for (size_t i = 0; i < cache_nprivates; i++) {
		struct str name = cache_text(cache_privates[i]), at = str_path(m->a, m->r->spec.home, name),
				dir = str_path(m->a, of_project, str_from(name, 1));

		if (path_inside(m->r->spec.workspace, at))
			continue;
		end = texts_add(m->a, end, dir);
		spec_add_path(m, dir, at, true);
	}
	add_persons(m, memo);
	m->r->spec.caches = of_project;
	m->r->caches_total = m->p->own.sandbox.caches_total;
	m->r->spec.caches_limit = m->p->own.sandbox.caches_project;
}
