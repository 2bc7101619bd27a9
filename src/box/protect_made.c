/*
 * Placeholders for names that do not exist.
 *
 * A directory that is missing has an empty directory as its placeholder, which git does not show. A file has
 * a socket: git, ripgrep and file watchers pass over it by its type, and so they do in the box, where a mount
 * covers it with an empty file, because directory listings still say that it is a socket. Where no socket can
 * be made it is a directory as well.
 *
 * A placeholder has a mode nobody else uses, so that one left behind by a crash is known and taken over by
 * the next run. Making and removing directories is the most expensive part of all protection (file systems
 * take their time to find an inode and do not use one again at once), so a few empty ones are kept in the
 * state, when that is on the same file system, and only renamed into their places and back. So are sockets,
 * and files, which have to say the right thing.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* renameat2 */
#include <unistd.h>

#include "box/protect_inner.h"
#include "sys/directory.h"
#include "sys/file.h"

#define DIR_MODE 01700 /* writable for its owner, else it could not be renamed into another directory */
#define FILE_MODE 0400
#define SOCKET_MODE 01000 /* nobody may connect to it */
/* Programs before the number take every entry of theirs for a directory or a socket. */
#define POOL "placeholders-2"
#define POOL_MAX 48
#define SPARE_BYTES 16 /* of a file in the pool */

/* ---- the pool ---- */

static void spare_entry(void *ctx, int fd, const char *name, unsigned char type)
{
	struct protect *p = ctx;
	struct texts **list = type == DT_SOCK ? &p->spare_sockets
			    : type == DT_REG  ? &p->spare_files
			    : type == DT_DIR  ? &p->spare_dirs
					      : NULL;

	(void)fd;
	if (list) /* else a later program's */
		texts_push(p->a, list, str_dup(p->a, str_of(name)));
}

/* Beside the directory of all quarantines. Not there, or on another file system: there is no pool. */
void pool_open(struct protect *p)
{
	const char *state = path_dirname(p->a, path_dirname(p->a, str_c(p->a, p->quarantine))),
		   *path = path_join(p->a, state, POOL);
	size_t left = POOL_MAX;
	struct stat st, ws;

	if (!state[0] || (mkdir(path, 0700) < 0 && errno != EEXIST))
		return;
	p->pool = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (p->pool < 0)
		return;
	if (fstat(p->pool, &st) < 0 || fstat(p->ws, &ws) < 0 || st.st_dev != ws.st_dev ||
			st.st_uid != geteuid() || !dir_each(p->pool, &left, spare_entry, p))
		fd_close(&p->pool);
}

static bool dir_empty(int parent, const char *name)
{
	FD_CLEANUP int fd = below_open(parent, name, O_RDONLY | O_DIRECTORY);
	size_t none = 0;

	return fd >= 0 && dir_each(fd, &none, NULL, NULL);
}

/* One that others use at the same time is gone when we come. */
static int take_spare(const struct protect *p, struct texts **list, int parent, const char *name)
{
	for (; p->pool >= 0 && *list; *list = (*list)->next) {
		if (renameat2(p->pool, (*list)->text.p, parent, name, RENAME_NOREPLACE) == 0) {
			*list = (*list)->next;
			return 0;
		}
		if (errno == EEXIST)
			return -1;
	}
	errno = ENOENT;
	return -1;
}

/* Back to the pool, if it is still empty. Takes no memory. */
static bool give_back(const struct protect *p, int dir, const struct made *m)
{
	char as[32];

	const bool directory = m->kind == S_IFDIR;

	str_put(as, sizeof as, "%llu", (unsigned long long)m->ino);
	if (p->pool < 0 || !m->ino || (directory && !dir_empty(dir, m->name)) ||
			renameat2(dir, m->name, p->pool, as, RENAME_NOREPLACE) < 0)
		return false;
	/* Somebody on the host put something into it just now: it is theirs. */
	if (directory && !dir_empty(p->pool, as))
		renameat2(p->pool, as, dir, m->name, RENAME_NOREPLACE);
	return true;
}

/* ---- one placeholder ---- */

static bool is_placeholder(int parent, const char *name, const struct stat *st, off_t size)
{
	const mode_t mode = st->st_mode & 07777;

	if (st->st_uid != geteuid())
		return false;
	switch (st->st_mode & S_IFMT) {
	case S_IFREG: /* less: it is just being written */
		return mode == FILE_MODE && st->st_nlink == 1 && st->st_size <= size;
	case S_IFSOCK: return mode == SOCKET_MODE && st->st_nlink == 1;
	case S_IFDIR: return (mode & 01777) == DIR_MODE && dir_empty(parent, name);
	default: return false;
	}
}

/* A spare file that says this, and that nobody can have changed; NULL: none. The others are removed. */
static struct texts *find_spare_file(struct protect *p, struct str text)
{
	char now[SPARE_BYTES + 1];
	struct stat st;

	for (struct texts *t = p->pool < 0 ? NULL : p->spare_files; t; t = t->next) {
		FD_CLEANUP int fd = openat(p->pool, t->text.p,
				O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

		if (fd < 0 || fstat(fd, &st) < 0)
			continue;
		if (!S_ISREG(st.st_mode) || st.st_nlink != 1 || st.st_uid != geteuid() ||
				(st.st_mode & 07777) != FILE_MODE || st.st_size > SPARE_BYTES)
			unlinkat(p->pool, t->text.p, 0);
		else if (st.st_size == (off_t)text.n && read(fd, now, sizeof now) == (ssize_t)text.n &&
				memcmp(now, text.p, text.n) == 0)
			return t;
	}
	return NULL;
}

static int make_file(struct protect *p, int parent, const char *name, const char *text)
{
	struct texts *spare = find_spare_file(p, str_of(text ? text : ""));

	if (spare && renameat2(p->pool, spare->text.p, parent, name, RENAME_NOREPLACE) == 0)
		return 0;
	FD_CLEANUP int fd =
			openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);

	if (fd < 0)
		return -1;
	if (text && *text && fd_write_all(fd, name, str_of(text), NULL) < 0) {
		unlinkat(parent, name, 0);
		errno = EIO;
		return -1;
	}
	return 0;
}

static int make_dir(struct protect *p, int parent, const char *name)
{
	return take_spare(p, &p->spare_dirs, parent, name) == 0 ? 0
			: errno == EEXIST ? -1 : mkdirat(parent, name, DIR_MODE);
}

/* Some file systems have no sockets. */
static int make_socket(struct protect *p, int parent, const char *name)
{
	if (take_spare(p, &p->spare_sockets, parent, name) == 0 ||
			(errno != EEXIST && mknodat(parent, name, S_IFSOCK | SOCKET_MODE, 0) == 0))
		return 0;
	return errno == EEXIST ? -1 : make_dir(p, parent, name);
}

/* Makes it, or finds one that is there already. */
static bool make(struct protect *p, int parent, const struct made *m, const char *text, struct stat *ret)
{
	int got = m->kind == S_IFREG  ? make_file(p, parent, m->name, text)
		: m->kind == S_IFSOCK ? make_socket(p, parent, m->name)
				      : make_dir(p, parent, m->name);

	if ((got < 0 && errno != EEXIST) || fstatat(parent, m->name, ret, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	return got == 0 || is_placeholder(parent, m->name, ret, m->size);
}

static mode_t kind_of(unsigned flags)
{
	return flags & NAME_MASK_FILE ? S_IFREG : flags & NAME_SOCKET ? S_IFSOCK : S_IFDIR;
}

bool placeholder_make(struct protect *p, const char *path, unsigned flags, const char *text, struct stat *ret)
{
	const bool wanted = flags & (NAME_MASK | NAME_MASK_FILE);
	const char *name = path_basename(path), *parent = path_dirname(p->a, path);
	HELD dir = {p, wanted && parent[0] ? held_open(p, parent, O_RDONLY | O_DIRECTORY) : -1};
	struct made *m;

	if (!wanted || (parent[0] && dir.fd < 0))
		return false;
	/*
	 * Recorded before it is made: neither running out of memory nor being killed in between must leave it
	 * behind.
	 */
	m = arena_copy(p->a, (struct made){.next = p->made, .parent = parent, .name = name,
			.kind = kind_of(flags), .size = text ? (off_t)strlen(text) : 0});
	p->made = m;
	if (!make(p, parent[0] ? dir.fd : p->ws, m, text, ret)) {
		p->made = m->next;
		return false;
	}
	m->kind = ret->st_mode & S_IFMT;
	m->dev = ret->st_dev;
	m->ino = ret->st_ino;
	return true;
}

bool placeholder_at(struct protect *p, const char *path, const struct stat *st, off_t size)
{
	const char *parent = path_dirname(p->a, path);
	HELD dir = {p, held_open(p, parent, O_RDONLY | O_DIRECTORY)};

	return dir.fd >= 0 && is_placeholder(dir.fd, path_basename(path), st, size);
}

static int remove_at(const struct protect *p, int dir, const struct made *m, const struct stat *st)
{
	if (m->kind == S_IFREG && st->st_size > m->size)
		return 0;
	if ((m->kind != S_IFREG || st->st_size == m->size) && give_back(p, dir, m))
		return 0;
	return unlinkat(dir, m->name, m->kind == S_IFDIR ? AT_REMOVEDIR : 0); /* only ever an empty one */
}

static int try_remove(const struct protect *p, int dir, const struct made *m)
{
	struct stat st;

	if (fstatat(dir, m->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	/* without a number: killed while it was made */
	if (m->ino ? st.st_dev != m->dev || st.st_ino != m->ino
		   : !is_placeholder(dir, m->name, &st, st.st_size))
		return 0;
	return remove_at(p, dir, m, &st);
}

/* The program may have closed the directory by its mode. The workspace's own mode is the caller's affair. */
void placeholder_remove(const struct protect *p, const struct made *m)
{
	FD_CLEANUP int own = m->parent[0] ? below_open(p->ws, m->parent, O_PATH | O_DIRECTORY) : -1;
	int dir = m->parent[0] ? own : p->ws;
	struct stat st;

	if (dir < 0 || try_remove(p, dir, m) == 0 || errno != EACCES)
		return;
	if (fstat(dir, &st) < 0 || st.st_uid != geteuid() ||
			directory_chmod(dir, (st.st_mode & 07777) | 0700) < 0)
		return;
	try_remove(p, dir, m);
	directory_chmod(dir, st.st_mode & 07777);
}
