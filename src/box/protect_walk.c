/*
 * Looking at a workspace that a hostile program may have arranged: below its descriptor, no links, bounded.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box/protect_inner.h"
#include "sys/file.h"

#define LIST_BYTES 8192 /* on the stack, several deep */
#define BUSY_TRIES 32 /* openat2 says EAGAIN when something was renamed while it looked */

const char *const mark_names[MARKS] = {"HEAD", "objects", "refs", "commondir", "config", "hooks"};

int below_open(int root, const char *path, int flags)
{
	struct open_how how = {.flags = (uint64_t)(flags | O_CLOEXEC | O_NOFOLLOW),
			.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};

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

int held_open(struct protect *p, const char *path, int flags)
{
	return held_add(p, below_open(p->ws, path, flags));
}

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
	FD_SCOPE f = {0};
	struct stat st;

	fd_scope(&f, a, below_open(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY));
	if (f.fd < 0 || fstat(f.fd, &st) < 0 || !S_ISREG(st.st_mode))
		return -1;
	return fd_read_all(a, f.fd, path, max, ret, NULL);
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

	return fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 ? DT_UNKNOWN
							       : (unsigned char)IFTODT(st.st_mode);
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
			if (path_is_dots(d->name))
				continue;
			if (!*left)
				return false;
			--*left;
			fn(ctx, fd, d->name, d->type == DT_UNKNOWN ? type_of(fd, d->name) : d->type);
		}
	}
}

/* ---- many ---- */

struct queue {
	struct walk_spot *first, **end;
};

struct visit {
	struct walk *w;
	struct walk_spot *at;
	struct queue *later, *last; /* directories of ordinary and of heavy names */
};

static void queue_add(struct visit *v, const char *name)
{
	struct arena *a = v->w->p->a;
	struct walk_spot *s = arena_new(a, struct walk_spot);
	const bool heavy = heavy_name(name);
	struct queue *q = heavy || v->at->heavy ? v->last : v->later;

	*s = (struct walk_spot){.up = v->at, .path = path_join(a, v->at->path, name),
			.heavy = heavy || v->at->heavy, .dotgit = dotgit_name(name)};
	LIST_ADD(q->end, s);
}

static void visit_entry(void *ctx, int fd, const char *name, unsigned char type)
{
	struct visit *v = ctx;
	struct walk *w = v->w;

	for (unsigned i = 0; i < MARKS; i++)
		if (!strcasecmp(name, mark_names[i]))
			v->at->marks |= 1u << i;
	if (w->entry)
		w->entry(w, v->at, fd, name, type);
	if (type != DT_DIR || (w->descend && !w->descend(w, v->at, fd, name)))
		return;
	if (strlen(v->at->path) + strlen(name) + 2 <= PROTECT_PATH_MAX)
		queue_add(v, name);
	else if (w->too_deep)
		w->too_deep(w, v->at, name);
	else
		w->incomplete = true;
}

static void visit(struct walk *w, struct walk_spot *at, struct queue *later, struct queue *last)
{
	struct visit v = {.w = w, .at = at, .later = later, .last = last};
	HELD dir = {w->p, held_list(w->p, at->path)};

	if (dir.fd < 0) { /* gone since it was listed, or of no use to git either */
		w->incomplete |= errno != ENOENT && errno != ENOTDIR && errno != ELOOP &&
				!foreign_closed(w->p, at->path);
		return;
	}
	if (!dir_each(dir.fd, &w->left, visit_entry, &v))
		w->incomplete = true;
	if (w->leave)
		w->leave(w, at);
}

/*
 * Breadth first, so that a bound cuts off the deepest directories; those below heavy ones come after all
 * others.
 */
void walk_run(struct walk *w)
{
	struct queue later = {NULL, &later.first}, last = {NULL, &last.first};
	struct walk_spot *top = arena_copy(w->p->a, (struct walk_spot){.path = "",
			.dotgit = is_git_workspace(w->p)});

	later.first = top;
	later.end = &top->next;
	for (struct walk_spot *s = later.first; s && w->left; s = s->next)
		visit(w, s, &later, &last);
	for (struct walk_spot *s = last.first; s && w->left; s = s->next)
		visit(w, s, &last, &last);
	w->incomplete |= !w->left;
}
