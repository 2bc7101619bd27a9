/* Looking at a workspace that a hostile program may have arranged: below its descriptor, no links, bounded. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box/protect_inner.h"
#include "sys/file.h"

#define LIST_BYTES 8192 /* on the stack, several deep */
#define BUSY_TRIES 32 /* openat2 says EAGAIN when something was renamed while it looked */

const char *const mark_names[MARKS] = {"HEAD", "objects", "refs", "commondir", "config", "hooks"};

int below_open(int root, const char *path, int flags)
{
	struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC | O_NOFOLLOW), .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};

	for (int i = 0; i < BUSY_TRIES; i++) {
		int fd = (int)syscall(SYS_openat2, root, path[0] ? path : ".", &how, sizeof how);

		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			return fd;
	}
	return -1;
}

int held_add(struct protect *p, int fd)
{
	if (fd < 0)
		return -1;
	if (p->nheld == PROTECT_HELD_MAX) {
		close(fd);
		errno = EMFILE;
		return -1;
	}
	p->held[p->nheld++] = fd;
	return fd;
}

int held_open(struct protect *p, const char *path, int flags) { return held_add(p, below_open(p->ws, path, flags)); }

/* Blocks nest, so the last one opened is closed first. */
void held_close(struct held *h)
{
	if (h->fd < 0)
		return;
	h->p->nheld--;
	fd_close(&h->fd);
}

int below_stat(int root, const char *path, struct stat *ret)
{
	if (!strchr(path, '/'))
		return fstatat(root, path[0] ? path : ".", ret, AT_SYMLINK_NOFOLLOW);
	FD_CLEANUP int fd = below_open(root, path, O_PATH);
	return fd < 0 ? -1 : fstat(fd, ret);
}

int below_read(struct arena *a, int root, const char *path, size_t max, struct str *ret)
{
	FD_CLEANUP int fd = below_open(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	return fd_read_all(a, fd, path, max, ret, NULL);
}

struct str link_text(struct arena *a, int dir, const char *name)
{
	char text[PROTECT_PATH_MAX];
	ssize_t n = readlinkat(dir, name, text, sizeof text);

	return n < 0 ? STR("") : str_dup(a, str_n(text, (size_t)n));
}

/* ---- one directory ---- */

struct entry64 { /* as the kernel lays it out */
	uint64_t ino;
	int64_t off;
	unsigned short length;
	unsigned char type;
	char name[];
};

static unsigned char type_of(int fd, const char *name)
{
	struct stat st;

	return fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? DT_UNKNOWN : (unsigned char)IFTODT(st.st_mode);
}

bool dir_each(int fd, size_t *left, dir_entry_fn *fn, void *ctx)
{
	_Alignas(struct entry64) char bytes[LIST_BYTES];

	for (;;) {
		ssize_t n = syscall(SYS_getdents64, fd, bytes, sizeof bytes);

		if (n <= 0)
			return n == 0;
		for (ssize_t at = 0; at < n;) {
			struct entry64 *d = (struct entry64 *)(bytes + at);

			at += d->length;
			if (!strcmp(d->name, ".") || !strcmp(d->name, ".."))
				continue;
			if (!*left)
				return false;
			--*left;
			fn(ctx, fd, d->name, d->type == DT_UNKNOWN ? type_of(fd, d->name) : d->type);
		}
	}
}

/* ---- many ---- */

struct pending {
	struct pending *next;
	const char *path;
	size_t depth;
};

struct queue {
	struct pending *first, **end;
};

struct visit {
	struct walk *w;
	const struct pending *at;
	struct queue *later, *last; /* directories of ordinary and of heavy names */
	unsigned marks;
};

static void queue_add(struct arena *a, struct queue *q, const char *path, size_t depth)
{
	struct pending *n = arena_new(a, struct pending);

	*n = (struct pending){.path = path, .depth = depth};
	*q->end = n;
	q->end = &n->next;
}

static void visit_entry(void *ctx, int fd, const char *name, unsigned char type)
{
	struct visit *v = ctx;
	struct arena *a = v->w->p->a;

	(void)fd;
	for (unsigned i = 0; i < MARKS; i++)
		if (!strcmp(name, mark_names[i]))
			v->marks |= 1u << i;
	if (v->w->entry)
		v->w->entry(v->w, v->at->path, name, type);
	if (type != DT_DIR || !strcmp(name, ".git"))
		return;
	if (v->at->depth >= v->w->depth_max || strlen(v->at->path) + strlen(name) + 2 > PROTECT_PATH_MAX)
		return;
	if (!heavy_name(name))
		queue_add(a, v->later, path_join(a, v->at->path, name), v->at->depth + 1);
	else if (v->w->heavy)
		queue_add(a, v->last, path_join(a, v->at->path, name), v->at->depth + 1);
}

static bool visit(struct walk *w, const struct pending *at, struct queue *later, struct queue *last)
{
	struct visit v = {.w = w, .at = at, .later = later, .last = last};
	HELD dir = {w->p, held_open(w->p, at->path, O_RDONLY | O_DIRECTORY | O_NONBLOCK)};
	bool all;

	if (dir.fd < 0)
		return errno != EMFILE && errno != ENFILE && errno != ENOMEM; /* gone since it was listed, or nobody's to look into */
	all = dir_each(dir.fd, &w->left, visit_entry, &v);
	if (w->leave)
		w->leave(w, at->path, v.marks);
	return all;
}

/* Breadth first, so that a bound cuts off what lies deepest; what lies below heavy directories comes after all else. */
void walk_run(struct walk *w)
{
	struct queue later = {NULL, &later.first}, last = {NULL, &last.first};
	size_t given = w->left = w->left < w->p->budget ? w->left : w->p->budget;

	w->p->budget -= given; /* what is not used goes back */
	queue_add(w->p->a, &later, w->from, 0);
	for (struct pending *n = later.first; n && !w->incomplete; n = n->next)
		w->incomplete = !w->left || !visit(w, n, &later, &last);
	for (struct pending *n = last.first; n && w->left; n = n->next)
		visit(w, n, &last, &last);
	w->p->budget += w->left;
}
