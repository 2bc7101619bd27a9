/* See cache_layer.h. */
#define _GNU_SOURCE
#include "run/cache_layer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/mounts.h"
#include "sys/path.h"
#include "sys/tree_walk.h"

#define LAYERS_MAX 16 /* of a project: boxes with caches that run at once */
#define DIRECTORY (O_PATH | O_DIRECTORY | O_NOFOLLOW)

/* Makes and opens a directory. */
static int make_in(int dir, const char *name)
{
	if (mkdirat(dir, name, 0700) != 0 && errno != EEXIST)
		return -1;
	return open_beneath(dir, name, DIRECTORY);
}

/* Someone may remove a layer while its lock is free: the name must still lead to the file. */
static bool is_current(int dir, int lock)
{
	struct stat st, now;

	return fstat(lock, &st) == 0 && fstatat(dir, "lock", &now, AT_SYMLINK_NOFOLLOW) == 0 &&
			st.st_dev == now.st_dev && st.st_ino == now.st_ino;
}

/* Returns the lock; -1: another box has it (EAGAIN), or errno says why. */
static int take_lock(int dir)
{
	FD_CLEANUP int fd = openat(dir, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int lock = fd;

	if (fd < 0 || fcntl(fd, F_OFD_SETLK, &whole) != 0)
		return -1;
	if (!is_current(dir, fd)) {
		errno = EAGAIN;
		return -1;
	}
	(void)futimens(fd, NULL); /* the last use */
	fd = -1;
	return lock;
}

/* ---- the directories of a layer ---- */

/* Makes a directory and those above it. */
static int make_path(int dir, const char *path)
{
	FD_CLEANUP int at = open_beneath(dir, ".", DIRECTORY);
	char name[NAME_MAX + 1];

	while (at >= 0 && *path) {
		size_t n = strcspn(path, "/");
		int next;

		str_put(name, sizeof(name), "%.*s", (int)n, path);
		next = make_in(at, name);
		fd_close(&at);
		at = next;
		path += n + (path[n] == '/');
	}
	return at < 0 ? -1 : 0;
}

/* Opens the directory above a path. */
static int open_parent(int dir, const char *path)
{
	const char *slash = strrchr(path, '/');
	char parent[PATH_MAX];

	if (str_put(parent, sizeof(parent), "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".") >=
			sizeof(parent))
		return -1;
	return open_beneath(dir, parent, DIRECTORY);
}

/*
 * A cache that the project has had for itself, when the person had none, moves to the layer. A program that
 * still runs may replace it by something else in between.
 */
static void take_over(int own, const char *from, int upper, const char *to)
{
	FD_CLEANUP int old = open_parent(own, from), new = open_parent(upper, to);
	const char *name = basename(from);
	struct stat st;

	if (old < 0 || new < 0 || !tree_is_plain(old, name))
		return;
	if (renameat2(old, name, new, name, RENAME_NOREPLACE) == 0 &&
			fstatat(new, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(st.st_mode))
		(void)unlinkat(new, name, 0);
}

/* The directory of the project's own in which this cache lies, or NULL. */
static const struct spec_path *own_above(const struct spec *s, const struct spec_path *cache)
{
	const struct spec_path *p = s->paths;

	while (p && !(p->writable && p->at.n && path_inside(spec_path_target(cache), p->at)))
		p = p->next;
	return p;
}

/*
 * Makes a cache's directory in the upper layer. No program can change the names on the way there, so that
 * nothing follows a link.
 */
static int make_part(const struct spec *s, const struct spec_path *p, int upper, bool first)
{
	const struct spec_path *above;
	char path[PATH_MAX], dir[PATH_MAX], from[PATH_MAX], *slash;
	struct str at = spec_path_target(p);
	struct stat st;

	str_put(path, sizeof(path), "%.*s", STR_ARG(p->upper));
	slash = strrchr(path, '/');
	if (fstatat(upper, path, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return 0;
	above = first ? own_above(s, p) : NULL;
	if (above && slash) {
		str_put(dir, sizeof(dir), "%.*s", STR_ARG(above->path));
		str_put(from, sizeof(from), "%.*s", STR_ARG(str_from(at, above->at.n + 1)));
		FD_CLEANUP int own = open(dir, DIRECTORY | O_CLOEXEC);
		*slash = 0;
		if (make_path(upper, path) != 0)
			return -1;
		*slash = '/';
		take_over(own, from, upper, path);
	}
	return make_path(upper, path);
}

static int prepare(const struct spec *s, int layer, bool first)
{
	FD_CLEANUP int upper = make_in(layer, "upper");

	for (const struct spec_path *p = s->paths; p && upper >= 0; p = p->next)
		if (p->cache && make_part(s, p, upper, first) != 0)
			return -1;
	return upper >= 0 && tree_remove(layer, "workdir") == 0 ? mkdirat(layer, "workdir", 0700) : -1;
}

/* ---- choosing one ---- */

/* 1: *s has layer n; 0: another box has it; -1: errno */
static int take(int layers, int n, struct spec *s)
{
	char name[16];

	str_put(name, sizeof(name), "%d", n);
	FD_CLEANUP int dir = make_in(layers, name);
	FD_CLEANUP int lock = dir < 0 ? -1 : take_lock(dir);
	if (lock < 0)
		return dir >= 0 && (errno == EAGAIN || errno == EACCES) ? 0 : -1;
	if (prepare(s, dir, n == 0) != 0)
		return -1;
	s->layer_lock = lock;
	lock = -1;
	return 1;
}

static int choose(struct arena *a, const struct run *r, struct spec *s, struct err *e)
{
	const char *path = str_c(a, r->spec.caches);
	struct str paths[LAYERS_MAX];

	/* Nothing is allocated while descriptors are open, or a full arena would leave them open. */
	for (int n = 0; n < LAYERS_MAX; n++)
		paths[n] = str_fmt(a, "%s/layers/%d", path, n);
	FD_CLEANUP int project = open(path, DIRECTORY | O_CLOEXEC);
	FD_CLEANUP int layers = project < 0 ? -1 : make_in(project, "layers");
	int rc = layers < 0 ? -1 : 0;

	for (int n = 0; rc == 0 && n < LAYERS_MAX; n++)
		if ((rc = take(layers, n, s)) > 0)
			s->layer = paths[n];
	if (rc > 0)
		return 0;
	return rc < 0 ? err_system(e, "cannot make a layer in '%.*s'", STR_ARG(r->spec.caches))
		      : err_limit(e, "%d boxes of this project with caches run already", LAYERS_MAX);
}

static void close_lock(void *ptr)
{
	struct cache_layer *l = ptr;

	fd_close(&l->lock);
}

void cache_layer_take(struct arena *a, const struct run *r, struct spec *s, struct cache_layer *ret,
		struct err *why)
{
	*ret = (struct cache_layer){.a = a, .lock = -1};
	s->layer = STR("");
	if (!r->ncaches || choose(a, r, s, why) != 0)
		return;
	ret->lock = s->layer_lock;
	arena_defer(a, &ret->cleanup, close_lock, ret);
}

void cache_layer_release(struct cache_layer *l)
{
	if (l->lock >= 0)
		arena_release(l->a, &l->cleanup);
}
