/* See image_import.h. */
#define _GNU_SOURCE
#include "image/image_import.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "image/image_tar.h"
#include "model/spec.h"
#include "sys/file.h"

#define READER_MAX ((size_t)1 << 20)
#define READ_BYTES ((size_t)64 << 10)
#define DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* ---- archives ---- */

/* First bytes of compressed files, and the program that writes what is in them. */
static const struct {
	char magic[8];
	char program[12];
} compressed[] = {{"\x1f\x8b", "zcat"}, {"\xfd" "7zXZ", "xzcat"}, {"\x28\xb5\x2f\xfd", "zstdcat"},
		{"BZh", "bzcat"}};

/* A descriptor that cannot seek is not looked at: its header is then no header of an archive. */
static int refuse_compressed(int fd, struct err *e)
{
	char start[8] = {0};
	ssize_t n = pread(fd, start, sizeof(start), 0);

	for (size_t i = 0; n > 0 && i < ARRAY_SIZE(compressed); i++)
		if (!memcmp(start, compressed[i].magic, strlen(compressed[i].magic)))
			return err_input(e, "the archive is compressed: use %s FILE | caisson image import -",
					compressed[i].program);
	return 0;
}

static int add_file(struct image_tree *t, struct tar_reader *r, const struct tar_entry *f, struct err *e)
{
	int rc = image_tree_file(t, f->name, f->size, e);
	struct str part;

	if (rc != 0)
		return rc;
	do
		if (tar_content(r, &part, e) != 0 || image_tree_write(t, part, e) != 0)
			return -1;
	while (part.n);
	return image_tree_file_end(t, f->executable, e);
}

static int refuse_special(struct str name, struct err *e)
{
	struct str rest = name, first = str_part(&rest);

	if (str_is_any(first, SPEC_ROOT_OWN)) /* a root as Debian makes it has devices in /dev */
		return 1;
	return err_input(e, "'%.*s' is a device, a pipe or a socket", STR_ARG(name));
}

static int add_entry(struct image_tree *t, struct tar_reader *r, const struct tar_entry *entry,
		struct err *e)
{
	switch (entry->kind) {
	case TAR_FILE: return add_file(t, r, entry, e);
	case TAR_DIR: return image_tree_dir(t, entry->name, e);
	case TAR_LINK: return image_tree_link(t, entry->name, entry->target, e);
	case TAR_HARD_LINK: return image_tree_hard_link(t, entry->name, entry->target, e);
	case TAR_SPECIAL: break;
	}
	return refuse_special(entry->name, e);
}

static int add_entries(struct image_tree *t, struct tar_reader *r, struct err *e)
{
	struct tar_entry entry;
	int rc;

	while ((rc = tar_next(r, &entry, e)) > 0)
		if (add_entry(t, r, &entry, e) < 0)
			return -1;
	return rc;
}

/* An image may have thousands of archives, so the reader's memory goes with it. */
int image_add_tar(struct arena *a, struct image_tree *t, int fd, struct err *e)
{
	struct arena own;
	int rc;

	if (refuse_compressed(fd, e) != 0)
		return -1;
	arena_init_in(&own, READER_MAX, a);
	rc = add_entries(t, tar_reader_new(&own, fd), e);
	arena_free(&own);
	return rc;
}

/* ---- directories ---- */

struct dir_import {
	struct arena *a;
	struct image_tree *t;
	char path[PATH_MAX];
	char buffer[READ_BYTES];
};

/* A file that grows meanwhile is cut at its size, one that shrinks is an error. */
static int copy_content(struct dir_import *d, int fd, uint64_t size, struct err *e)
{
	while (size) {
		ssize_t n = fd_read(fd, d->buffer, size < sizeof(d->buffer) ? (size_t)size :
				sizeof(d->buffer));

		if (n <= 0)
			return n < 0 ? err_system(e, "cannot read '%s'", d->path)
				     : err_input(e, "'%s' changed while it was read", d->path);
		if (image_tree_write(d->t, str_n(d->buffer, (size_t)n), e) != 0)
			return -1;
		size -= (uint64_t)n;
	}
	return 0;
}

static int copy_file(struct dir_import *d, int dir, const char *name, struct err *e)
{
	FD_CLEANUP int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	int rc;

	if (fd < 0 || fstat(fd, &st) != 0)
		return err_system(e, "cannot read '%s'", d->path);
	if (!S_ISREG(st.st_mode))
		return err_input(e, "'%s' changed while it was read", d->path);
	rc = image_tree_file(d->t, str_of(d->path), (uint64_t)st.st_size, e);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	return copy_content(d, fd, (uint64_t)st.st_size, e) == 0
			? image_tree_file_end(d->t, st.st_mode & 0111, e)
			: -1;
}

static int copy_link(struct dir_import *d, int dir, const char *name, struct err *e)
{
	ssize_t n = readlinkat(dir, name, d->buffer, PATH_MAX);

	if (n <= 0 || n == PATH_MAX)
		return err_system(e, "cannot read the link '%s'", d->path);
	return image_tree_link(d->t, str_of(d->path), str_n(d->buffer, (size_t)n), e);
}

static int copy_dir(struct dir_import *d, int fd, size_t length, unsigned depth, struct err *e);

static int copy_entry(struct dir_import *d, int dir, const char *name, size_t length, unsigned depth,
		struct err *e)
{
	size_t n = str_put(d->path + length, sizeof(d->path) - length, "%s%s", length ? "/" : "", name);
	struct stat st;
	int rc;

	if (length + n >= sizeof(d->path) || depth > IMAGE_DEPTH_MAX)
		return err_limit(e, "'%.200s…': a name that is too long or too deep", d->path);
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return err_system(e, "cannot stat '%s'", d->path);
	if (S_ISREG(st.st_mode))
		return copy_file(d, dir, name, e);
	if (S_ISLNK(st.st_mode))
		return copy_link(d, dir, name, e);
	if (!S_ISDIR(st.st_mode))
		return refuse_special(str_of(d->path), e);
	rc = image_tree_dir(d->t, str_of(d->path), e);
	if (rc != 0)
		return rc;
	FD_SCOPE fd = {0};
	fd_scope(&fd, d->a, openat(dir, name, DIRECTORY));
	return fd.fd < 0 ? err_system(e, "cannot read '%s'", d->path)
			 : copy_dir(d, fd.fd, length + n, depth, e);
}

static int copy_dir(struct dir_import *d, int fd, size_t length, unsigned depth, struct err *e)
{
	const struct dirent *entry;
	DIR_SCOPE list = {0};

	dir_scope(&list, d->a, fdopendir(fcntl(fd, F_DUPFD_CLOEXEC, 3)));
	if (!list.dir)
		return err_system(e, "cannot read '%s'", d->path);
	for (errno = 0; (entry = readdir(list.dir)); errno = 0) {
		if (path_is_dots(entry->d_name))
			continue;
		if (copy_entry(d, fd, entry->d_name, length, depth + 1, e) < 0)
			return -1;
		d->path[length] = 0;
	}
	return errno ? err_system(e, "cannot read '%s'", d->path) : 0;
}

int image_add_dir(struct arena *a, struct image_tree *t, const char *path, struct err *e)
{
	struct dir_import *d = arena_new(a, struct dir_import);
	FD_SCOPE fd = {0};

	d->a = a;
	d->t = t;
	fd_scope(&fd, a, open(path, DIRECTORY));
	return fd.fd < 0 ? err_system(e, "cannot open '%s'", path) : copy_dir(d, fd.fd, 0, 0, e);
}
