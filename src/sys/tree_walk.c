/*
 * See tree_walk.h. A program can nest directories deeper than any path or stack allows. A directory below
 * DEPTH_MAX levels is moved up to the top and removed from there, so descriptors and stack have a bound.
 */
#define _GNU_SOURCE
#include "sys/tree_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "sys/file.h"

#define DEPTH_MAX 32
#define ENTRIES_BYTES 8192
#define LIST (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

struct tree_removal {
	int top;        /* where directories from below DEPTH_MAX go */
	dev_t dev;      /* nothing on another file system is touched */
	unsigned moved; /* how many */
	bool failed;
};

/* Opens a directory that may have lost its owner's permissions. */
static int open_any(int dir, const char *name)
{
	int fd = openat(dir, name, LIST);
	char path[64];

	if (fd >= 0 || errno != EACCES)
		return fd;
	FD_CLEANUP int at = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	str_put(path, sizeof(path), "/proc/self/fd/%d", at);
	if (at < 0 || chmod(path, 0700) != 0)
		return -1;
	return openat(dir, name, LIST);
}

static void empty(struct tree_removal *t, int fd, unsigned depth);

static void remove_dir(struct tree_removal *t, int dir, const char *name, unsigned depth)
{
	char aside[32];
	struct stat st;

	if (unlinkat(dir, name, AT_REMOVEDIR) == 0)
		return;
	if (depth >= DEPTH_MAX) {
		str_put(aside, sizeof(aside), "deep.%u", t->moved++);
		t->failed |= renameat(dir, name, t->top, aside) != 0;
		return;
	}
	FD_CLEANUP int fd = open_any(dir, name);
	if (fd < 0 || fstat(fd, &st) != 0 || st.st_dev != t->dev) {
		t->failed = true;
		return;
	}
	empty(t, fd, depth + 1);
	t->failed |= unlinkat(dir, name, AT_REMOVEDIR) != 0;
}

static void remove_one(struct tree_removal *t, int dir, const char *name, unsigned char type, unsigned depth)
{
	if (type != DT_DIR && unlinkat(dir, name, 0) == 0)
		return;
	if (type == DT_DIR || errno == EISDIR)
		remove_dir(t, dir, name, depth);
	else
		t->failed |= errno != ENOENT;
}

/* Entries may be skipped while others are removed, so the directory is read until nothing is left. */
static void empty(struct tree_removal *t, int fd, unsigned depth)
{
	_Alignas(struct dirent64) char buf[ENTRIES_BYTES];
	bool again = true;

	if (fchmod(fd, 0700) != 0 && errno != EPERM)
		t->failed = true;
	while (again && !t->failed) {
		ssize_t n;

		again = false;
		if (lseek(fd, 0, SEEK_SET) < 0)
			t->failed = true;
		while (!t->failed && (n = getdents64(fd, buf, sizeof(buf))) > 0)
			for (ssize_t at = 0; at < n && !t->failed;) {
				const struct dirent64 *d = (const struct dirent64 *)(buf + at);

				at += d->d_reclen;
				if (path_is_dots(d->d_name))
					continue;
				remove_one(t, fd, d->d_name, d->d_type, depth);
				again = true;
			}
	}
}

int tree_remove(int dir, const char *name)
{
	struct tree_removal t = {.top = -1};
	struct stat st;

	if (unlinkat(dir, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return 0;
	if (errno == ENOTDIR)
		return unlinkat(dir, name, 0);
	FD_CLEANUP int fd = open_any(dir, name);
	if (fd < 0 || fstat(fd, &st) != 0)
		return -1;
	t.top = fd;
	t.dev = st.st_dev;
	empty(&t, fd, 1);
	return !t.failed && unlinkat(dir, name, AT_REMOVEDIR) == 0 ? 0 : -1;
}

/* ---- looking ---- */

#define MARK "user.overlay."
#define MARKS_BYTES 4096
#define PLAIN_MAX 200000 /* names */

/* Attributes that do not fit count as marks. */
static bool is_marked(int dir, const char *name)
{
	char path[64], names[MARKS_BYTES];
	FD_CLEANUP int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n;

	str_put(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = fd < 0 ? -1 : listxattr(path, names, sizeof(names));
	if (n < 0)
		return errno != ENOTSUP && errno != ENODATA;
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1)
		if (!strncmp(names + at, MARK, sizeof(MARK) - 1))
			return true;
	return false;
}

static bool is_plain_dir(int dir, const char *name, unsigned depth, size_t *left);

static bool is_plain(int dir, const char *name, unsigned depth, size_t *left)
{
	struct stat st;

	if (!*left || fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || S_ISCHR(st.st_mode) ||
			S_ISBLK(st.st_mode))
		return false;
	--*left;
	if (S_ISLNK(st.st_mode))
		return true; /* it cannot have such attributes */
	return !is_marked(dir, name) && (!S_ISDIR(st.st_mode) || is_plain_dir(dir, name, depth + 1, left));
}

static bool is_plain_dir(int dir, const char *name, unsigned depth, size_t *left)
{
	_Alignas(struct dirent64) char buf[ENTRIES_BYTES];
	FD_CLEANUP int fd = depth > DEPTH_MAX ? -1 : openat(dir, name, LIST);
	ssize_t n = -1;

	while (fd >= 0 && (n = getdents64(fd, buf, sizeof(buf))) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct dirent64 *d = (const struct dirent64 *)(buf + at);

			at += d->d_reclen;
			if (!path_is_dots(d->d_name) && !is_plain(fd, d->d_name, depth, left))
				return false;
		}
	return n == 0;
}

bool tree_is_plain(int dir, const char *name)
{
	size_t left = PLAIN_MAX;
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode) &&
			is_plain(dir, name, 0, &left);
}
