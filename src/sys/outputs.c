/* Stores and prunes full outputs: see outputs.h. */
#define _GNU_SOURCE
#include "sys/outputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sys/file.h"

#define MARK ".pruned"
#define DAY 86400

/* ---- one file ---- */

static int open_folder(const char *state, bool make, int *ret_dir)
{
	FD_CLEANUP int at = open(state, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (at < 0 || (make && mkdirat(at, OUTPUTS_FOLDER, 0700) < 0 && errno != EEXIST))
		return -1;
	*ret_dir = openat(at, OUTPUTS_FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return *ret_dir < 0 ? -1 : 0;
}

/* Fallback without O_TMPFILE. */
static int open_temp(struct output_file *f)
{
	unsigned long number[2];

	if (getrandom(number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return -1;
	str_put(f->temp, sizeof(f->temp), ".%lx%lx", number[0] & 0xFFFFFFFFu, number[1] & 0xFFFFFFFFu);
	return openat(f->dir, f->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

int output_open(struct output_file *ret, const char *state, struct err *e)
{
	struct output_file f = {.dir = -1, .fd = -1};

	if (open_folder(state, true, &f.dir) < 0)
		return err_system(e, "cannot use '%s/%s'", state, OUTPUTS_FOLDER);
	f.fd = openat(f.dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (f.fd < 0)
		f.fd = open_temp(&f);
	if (f.fd < 0) {
		err_system(e, "cannot make a file in '%s/%s'", state, OUTPUTS_FOLDER);
		fd_close(&f.dir);
		return -1;
	}
	*ret = f;
	return 0;
}

int output_finish(struct output_file *f, const char *name, struct err *e)
{
	char self[64];
	int rc;

	str_put(self, sizeof(self), "/proc/self/fd/%d", f->fd);
	rc = f->temp[0] ? linkat(f->dir, f->temp, f->dir, name, 0) : linkat(AT_FDCWD, self, f->dir, name,
			AT_SYMLINK_FOLLOW);
	if (rc != 0)
		err_system(e, "cannot name the file '%s'", name);
	output_drop(f);
	return rc;
}

void output_drop(struct output_file *f)
{
	if (f->dir >= 0 && f->temp[0])
		unlinkat(f->dir, f->temp, 0);
	f->temp[0] = '\0';
	fd_close(&f->fd);
	fd_close(&f->dir);
}

/* ---- retention ---- */

struct kept_output {
	char *name;
	int64_t changed;
	uint64_t bytes;
};

struct kept_outputs {
	struct arena *a;
	struct kept_output *v;
	size_t n, cap;
};

static void add_output(struct kept_outputs *all, const char *name, const struct stat *st)
{
	all->v = arena_room(all->a, all->v, all->n, &all->cap, sizeof(*all->v));
	all->v[all->n++] =
		(struct kept_output){str_c(all->a, str_of(name)), st->st_mtime, (uint64_t)st->st_size};
}

static int older_first(const void *x, const void *y)
{
	const struct kept_output *a = x, *b = y;

	return (a->changed > b->changed) - (a->changed < b->changed);
}

/*
 * A name that starts with a dot is a file in progress or the mark. An old file in progress has no writer any
 * more.
 */
static bool is_prunable(const char *name, const struct stat *st, int64_t now)
{
	return S_ISREG(st->st_mode) && strcmp(name, MARK) != 0 &&
			(name[0] != '.' || st->st_mtime < now - OUTPUTS_TEMP_SEC);
}

static void list_outputs(DIR *dir, struct kept_outputs *all)
{
	int64_t now = time(NULL);
	struct stat st;

	for (struct dirent *d; all->n < OUTPUTS_MAX && (d = readdir(dir));)
		if (fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
				is_prunable(d->d_name, &st, now))
			add_output(all, d->d_name, &st);
}

static void close_folder(void *dir) { closedir(dir); }

static bool goes(const struct kept_output *f, int64_t older_than, uint64_t max_bytes, uint64_t left)
{
	return f->changed < older_than || f->name[0] == '.' || (max_bytes && left > max_bytes);
}

/* Removes the oldest files first. */
static void prune(DIR *dir, struct kept_outputs *all, int64_t older_than, uint64_t max_bytes, bool dry,
		struct outputs_pruned *ret)
{
	for (size_t i = 0; i < all->n; i++) {
		ret->left_files++;
		ret->left_bytes += all->v[i].bytes;
	}
	if (all->n)
		qsort(all->v, all->n, sizeof(*all->v), older_first);
	for (size_t i = 0; i < all->n; i++) {
		const struct kept_output *f = &all->v[i];

		if (!goes(f, older_than, max_bytes, ret->left_bytes) ||
				(!dry && unlinkat(dirfd(dir), f->name, 0) != 0))
			continue;
		ret->files++;
		ret->bytes += f->bytes;
		ret->left_files--;
		ret->left_bytes -= f->bytes;
	}
}

int outputs_prune(struct arena *a, struct str state, int64_t older_than, uint64_t max_bytes, bool dry,
		struct outputs_pruned *ret, struct err *e)
{
	struct kept_outputs all = {.a = a};
	struct outputs_pruned done = {0};
	const char *path = str_c(a, state);
	struct arena_cleanup cleanup;
	DIR *dir;
	int fd;

	if (open_folder(path, false, &fd) < 0) {
		if (errno != ENOENT)
			return err_system(e, "cannot use '%s/%s'", path, OUTPUTS_FOLDER);
		*ret = done;
		return 0;
	}
	dir = fdopendir(fd);
	if (!dir) {
		fd_close(&fd);
		return err_system(e, "cannot read '%s/%s'", path, OUTPUTS_FOLDER);
	}
	arena_defer(a, &cleanup, close_folder, dir);
	list_outputs(dir, &all);
	prune(dir, &all, older_than, max_bytes, dry, &done);
	arena_release(a, &cleanup);
	*ret = done;
	return 0;
}

bool outputs_due(const struct output_file *f, int64_t now)
{
	struct stat st;
	FD_CLEANUP int mark = openat(f->dir, MARK, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (mark < 0 || fstat(mark, &st) != 0 ||
			(st.st_size && st.st_mtime <= now && st.st_mtime > now - DAY))
		return false;
	return ftruncate(mark, 0) == 0 && write(mark, "\n", 1) == 1;
}
