/* Files and streams: bounded reads, complete writes, atomic replacement, lines. */
#define _GNU_SOURCE
#include "sys/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#define READ_STEP ((size_t)64 << 10)
#define READ_FIRST ((size_t)2 << 10) /* small: most inputs are short, and allocated memory is touched */

void fd_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_scoped(void *ptr) { fd_close(&((struct fd_scope *)ptr)->fd); }

void fd_scope(struct fd_scope *s, struct arena *a, int fd)
{
	s->fd = fd;
	s->a = a;
	if (fd >= 0)
		arena_defer(a, &s->cleanup, close_scoped, s);
}

void fd_scope_end(struct fd_scope *s)
{
	if (s->a)
		arena_release(s->a, &s->cleanup);
}

static void close_listing(void *ptr) { closedir(((struct dir_scope *)ptr)->dir); }

void dir_scope(struct dir_scope *s, struct arena *a, DIR *dir)
{
	s->dir = dir;
	s->a = a;
	if (dir)
		arena_defer(a, &s->cleanup, close_listing, s);
}

void dir_scope_end(struct dir_scope *s)
{
	if (s->a)
		arena_release(s->a, &s->cleanup);
}

int file_open(const char *path, struct stat *ret_stat, struct err *e)
{
	/* O_NONBLOCK: opening a FIFO must not wait for its writer. Regular files ignore the flag. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return err_system(e, "cannot open '%s'", path);
	struct stat st;
	if (fstat(fd, &st) < 0) {
		int why = errno;
		close(fd);
		return err_set(e, ERR_SYSTEM, why, "cannot stat '%s'", path);
	}
	if (!S_ISREG(st.st_mode)) {
		close(fd);
		return err_input(e, "'%s' is not a regular file", path);
	}
	if (ret_stat)
		*ret_stat = st;
	return fd;
}

ssize_t fd_read(int fd, void *to, size_t n)
{
	ssize_t got;

	do
		got = read(fd, to, n);
	while (got < 0 && errno == EINTR);
	return got;
}

ssize_t fd_read_at(int fd, void *to, size_t n, off_t at)
{
	ssize_t got;

	do
		got = pread(fd, to, n, at);
	while (got < 0 && errno == EINTR);
	return got;
}

/* `size` is the expected length, or 0 if unknown. */
static int read_all(struct arena *a, int fd, const char *name, size_t max, size_t size, struct str *ret,
		struct err *e)
{
	/* one extra byte detects excess */
	const size_t most = (max < SIZE_MAX / 2 ? max : SIZE_MAX / 2) + 1;
	char *p = NULL;
	size_t n = 0, cap = 0;

	for (;;) {
		if (n == cap) {
			size_t more = size ? size : cap ? cap : READ_FIRST;

			if (more > most - cap)
				more = most - cap;
			p = arena_grow(a, p, cap, cap + more);
			cap += more;
		}
		ssize_t got = fd_read(fd, p + n, cap - n);
		if (got < 0)
			return err_system(e, "cannot read '%s'", name);
		if (got == 0)
			break;
		n += (size_t)got;
		if (n >= most)
			return err_limit(e, "'%s' is longer than %zu bytes", name, max);
		if (n == size)
			break;
	}
	*ret = str_n(p, n);
	return 0;
}

int fd_read_all(struct arena *a, int fd, const char *name, size_t max, struct str *ret, struct err *e)
{
	return read_all(a, fd, name, max, 0, ret, e);
}

int fd_read_file(struct arena *a, int fd, const char *name, const struct stat *st, size_t max,
		struct str *ret, struct err *e)
{
	if (st->st_size > 0 && (uintmax_t)st->st_size > max)
		return err_limit(e, "'%s' is longer than %zu bytes", name, max);
	return read_all(a, fd, name, max, st->st_size > 0 ? (size_t)st->st_size : 0, ret, e);
}

int file_put_word(const char *path, const char *word)
{
	FD_CLEANUP int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t n = (ssize_t)strlen(word);

	return fd >= 0 && write(fd, word, (size_t)n) == n ? 0 : -1;
}

int file_read(struct arena *a, const char *path, size_t max, struct str *ret, struct stat *ret_stat,
		struct err *e)
{
	struct stat st;
	FD_SCOPE f = {0};

	fd_scope(&f, a, file_open(path, &st, e));
	if (f.fd < 0 || fd_read_file(a, f.fd, path, &st, max, ret, e) < 0)
		return -1;
	if (ret_stat)
		*ret_stat = st;
	return 0;
}

int fd_write_all(int fd, const char *name, struct str s, struct err *e)
{
	for (size_t at = 0; at < s.n;) {
		ssize_t put = write(fd, s.p + at, s.n - at);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return err_system(e, "cannot write '%s'", name);
		at += (size_t)put;
	}
	return 0;
}

int fd_of_text(const char *name, struct str text, struct err *e)
{
	int fd = memfd_create(name, MFD_CLOEXEC);
	if (fd < 0)
		return err_system(e, "cannot make a file in memory for '%s'", name);
	if (fd_write_all(fd, name, text, e) != 0 || lseek(fd, 0, SEEK_SET) != 0)
		fd_close(&fd);
	return fd;
}

/* Writes a new file in `dir` and renames it to `name`. Removes the temporary file on failure. */
static int replace_in(int dir, const char *name, const char *path, struct str bytes,
		const struct file_look *look, struct err *e)
{
	char temp[NAME_MAX + 1];
	unsigned long number;
	if (getrandom(&number, sizeof number, 0) != (ssize_t)sizeof number)
		return err_system(e, "cannot name a temporary file for '%s'", path);
	str_put(temp, sizeof temp, ".%lx.tmp", number);
	FD_CLEANUP int fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_system(e, "cannot make a file beside '%s'", path);
	int bad = fd_write_all(fd, path, bytes, e);
	if (!bad && look->keep_owner && fchown(fd, look->uid, look->gid) < 0)
		bad = err_system(e, "cannot keep the owner of '%s'", path);
	/* after fchown(), which clears mode bits */
	if (!bad && look->mode != 0600 && fchmod(fd, look->mode) < 0)
		bad = err_system(e, "cannot keep the mode of '%s'", path);
	if (!bad && (fsync(fd) < 0 || renameat(dir, temp, dir, name) < 0))
		bad = err_system(e, "cannot replace '%s'", path);
	if (bad)
		unlinkat(dir, temp, 0);
	return bad;
}

int file_replace(const char *path, struct str bytes, struct err *e)
{
	return file_replace_as(path, bytes, &(struct file_look){.mode = 0600}, e);
}

int file_replace_in(int dir, const char *path, struct str bytes, const struct file_look *look, struct err *e)
{
	const char *slash = strrchr(path, '/');
	if (replace_in(dir, slash ? slash + 1 : path, path, bytes, look, e) < 0)
		return -1;
	if (fsync(dir) < 0)
		return err_system(e, "cannot sync the directory of '%s'", path);
	return 0;
}

int file_open_parent(const char *path, struct err *e)
{
	char parent[PATH_MAX];
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) + 1 : 0;
	if (n >= sizeof parent)
		return err_set(e, ERR_SYSTEM, ENAMETOOLONG, "cannot replace '%s'", path);
	memcpy(parent, path, n);
	parent[n] = '\0';
	int dir = open(n ? parent : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return dir >= 0 ? dir : err_system(e, "cannot open the directory of '%s'", path);
}

int file_replace_as(const char *path, struct str bytes, const struct file_look *look, struct err *e)
{
	FD_CLEANUP int dir = file_open_parent(path, e);
	return dir < 0 ? -1 : file_replace_in(dir, path, bytes, look, e);
}

void line_reader_init(struct line_reader *r, int fd, size_t max)
{
	*r = (struct line_reader){.fd = fd, .max = max};
}

void line_reader_free(struct line_reader *r)
{
	free(r->p);
	r->p = NULL;
	r->n = r->at = r->cap = 0;
}

/* Moves the current line to the front of the buffer and reads more behind it. 1, 0 at EOF, or -1. */
static int refill(struct line_reader *r, struct err *e)
{
	if (r->ended)
		return 0;
	if (r->at > 0) {
		memmove(r->p, r->p + r->at, r->n - r->at);
		r->n -= r->at;
		r->at = 0;
	}
	if (r->n == r->cap) {
		size_t cap = r->cap ? r->cap * 2 : READ_STEP;
		char *p = realloc(r->p, cap);
		if (!p)
			return err_limit(e, "out of memory while reading a line");
		r->p = p;
		r->cap = cap;
	}
	ssize_t got = fd_read(r->fd, r->p + r->n, r->cap - r->n);
	if (got < 0)
		return err_system(e, "cannot read a line");
	r->ended = got == 0;
	r->n += (size_t)got;
	return got > 0;
}

/* Skips all bytes up to and including the next newline. */
static int skip_line(struct line_reader *r, struct err *e)
{
	for (;;) {
		char *end = memchr(r->p + r->at, '\n', r->n - r->at);
		if (end) {
			r->at = (size_t)(end - r->p) + 1;
			return 0;
		}
		r->at = r->n;
		int more = refill(r, e);
		if (more <= 0)
			return more;
	}
}

int line_read(struct line_reader *r, struct str *ret, struct err *e)
{
	size_t seen = 0; /* bytes already searched; keeps long lines linear */
	for (;;) {
		size_t have = r->n - r->at;
		char *line = r->p ? r->p + r->at : NULL;
		char *end = have > seen ? memchr(line + seen, '\n', have - seen) : NULL;
		size_t length = end ? (size_t)(end - line) : have;
		if (length > r->max) {
			size_t sample = length < LINE_SAMPLE ? length : LINE_SAMPLE;
			memcpy(r->sample, line, sample);
			*ret = str_n(r->sample, sample);
			return skip_line(r, e) < 0 ? -1 : LINE_TOO_LONG;
		}
		if (end || (r->ended && have > 0)) {
			*ret = str_n(line, length);
			r->at += length + (end ? 1 : 0);
			return LINE_OK;
		}
		if (r->ended)
			return LINE_END;
		seen = have;
		if (refill(r, e) < 0)
			return -1;
	}
}
