/*
 * Placeholders for names that do not exist.
 *
 * A placeholder has a mode nobody else uses, so that one left behind by a crash is known and taken over by
 * the next run. Making and removing directories is the most expensive part of all protection (file systems
 * take their time to find an inode and do not use one again at once), so a few empty ones are kept in the
 * state, when that is on the same file system, and only renamed into their places and back.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* renameat2 */
#include <unistd.h>

#include "box/protect_inner.h"
#include "sys/directory.h"
#include "sys/file.h"

#define DIR_MODE 01700 /* writable for its owner, else it could not be renamed into another directory */
#define FILE_MODE 0400
#define POOL_MAX 48

/* ---- the pool ---- */

static void spare_entry(void *ctx, int fd, const char *name, unsigned char type)
{
	struct protect *p = ctx;
	struct texts *t = arena_new(p->a, struct texts);

	(void)fd, (void)type;
	*t = (struct texts){.next = p->spare, .text = str_of(str_c(p->a, str_of(name)))};
	p->spare = t;
}

/* Beside the directory of all quarantines. Not there, or on another file system: there is no pool. */
void pool_open(struct protect *p)
{
	const char *state = path_dirname(p->a, path_dirname(p->a, str_c(p->a, p->quarantine))),
		   *path = path_join(p->a, state, "placeholders");
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
static int take_spare(struct protect *p, int parent, const char *name)
{
	for (; p->pool >= 0 && p->spare; p->spare = p->spare->next) {
		if (renameat2(p->pool, p->spare->text.p, parent, name, RENAME_NOREPLACE) == 0) {
			p->spare = p->spare->next;
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

	str_put(as, sizeof as, "%llu", (unsigned long long)m->ino);
	if (p->pool < 0 || !m->ino || !dir_empty(dir, m->name) ||
			renameat2(dir, m->name, p->pool, as, RENAME_NOREPLACE) < 0)
		return false;
	if (!dir_empty(p->pool, as)) /* somebody on the host put something into it just now: it is theirs */
		renameat2(p->pool, as, dir, m->name, RENAME_NOREPLACE);
	return true;
}

/* ---- one placeholder ---- */

static bool is_placeholder(int parent, const char *name, const struct stat *st, bool file, off_t size)
{
	if (st->st_uid != geteuid())
		return false;
	if (file)
		/* Less: it is just being written. */
		return S_ISREG(st->st_mode) && (st->st_mode & 07777) == FILE_MODE && st->st_nlink == 1 &&
				st->st_size <= size;
	return S_ISDIR(st->st_mode) && (st->st_mode & 01777) == DIR_MODE && dir_empty(parent, name);
}

static int make_file(int parent, const char *name, const char *text)
{
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
	return take_spare(p, parent, name) == 0 ? 0 : errno == EEXIST ? -1 : mkdirat(parent, name, DIR_MODE);
}

/* Makes it, or finds one that is there already. */
static bool make(struct protect *p, int parent, const char *name, bool file, const char *text,
		struct stat *ret)
{
	bool made = (file ? make_file(parent, name, text) : make_dir(p, parent, name)) == 0;

	if ((!made && errno != EEXIST) || fstatat(parent, name, ret, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	return made || is_placeholder(parent, name, ret, file, text ? (off_t)strlen(text) : 0);
}

bool placeholder_make(struct protect *p, const char *path, unsigned flags, const char *text, struct stat *ret)
{
	const bool file = flags & NAME_MASK_FILE, wanted = flags & (NAME_MASK | NAME_MASK_FILE);
	const char *name = path_basename(path), *parent = path_dirname(p->a, path);
	HELD dir = {p, wanted && parent[0] ? held_open(p, parent, O_RDONLY | O_DIRECTORY) : -1};
	struct made *m;

	if (!wanted || (parent[0] && dir.fd < 0))
		return false;
	/*
	 * Recorded before it is made: neither running out of memory nor being killed in between must leave it
	 * behind.
	 */
	m = arena_copy(p->a, (struct made){.next = p->made, .parent = parent, .name = name, .file = file,
			.size = text ? (off_t)strlen(text) : 0});
	p->made = m;
	if (!make(p, parent[0] ? dir.fd : p->ws, name, file, text, ret)) {
		p->made = m->next;
		return false;
	}
	m->dev = ret->st_dev;
	m->ino = ret->st_ino;
	return true;
}

bool placeholder_at(struct protect *p, const char *path, const struct stat *st, off_t size)
{
	const char *parent = path_dirname(p->a, path);
	HELD dir = {p, held_open(p, parent, O_RDONLY | O_DIRECTORY)};

	return dir.fd >= 0 && is_placeholder(dir.fd, path_basename(path), st, S_ISREG(st->st_mode), size);
}

static int remove_at(const struct protect *p, int dir, const struct made *m, const struct stat *st)
{
	if (m->file)
		return st->st_size <= m->size ? unlinkat(dir, m->name, 0) : 0;
	return give_back(p, dir, m) ? 0 : unlinkat(dir, m->name, AT_REMOVEDIR); /* only ever an empty one */
}

static int try_remove(const struct protect *p, int dir, const struct made *m)
{
	struct stat st;

	if (fstatat(dir, m->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	/* without a number: killed while it was made */
	if (m->ino ? st.st_dev != m->dev || st.st_ino != m->ino
		   : !is_placeholder(dir, m->name, &st, m->file, st.st_size))
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
