/* See remembered.h. */
#define _GNU_SOURCE
#include "sys/remembered.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/num.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/stamp_cache.h"

#define FILE_NAME "roots"
#define READ_MAX (4 * REMEMBERED_BYTES)
#define LOCK_TRIES 16
#define FLOCK_EXCLUSIVE 2 /* LOCK_EX; <sys/file.h> would include our own sys/file.h */

/* Marks of the kinds in front of the path. */
static const char kind_words[REMEMBERED_KINDS][12] = {"", "workspace "};

struct remembered_line { /* one parsed line */
	enum remembered_kind kind;
	struct identity id;
	int64_t seen;
	struct str path; /* escaped */
};

static struct str file_of(struct arena *a, struct str state_dir)
{
	return str_fmt(a, "%.*s/" FILE_NAME, STR_ARG(state_dir));
}

static bool is_ours(int fd, uint32_t uid)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == uid &&
			!(st.st_mode & 077);
}

void remembered_read(struct arena *a, struct stamp_cache *stamps, struct str state_dir, uint32_t uid,
		struct remembered *ret)
{
	const char *path = str_c(a, file_of(a, state_dir));
	struct stamp stamp;
	bool keep;

	*ret = (struct remembered){.text = STR("")};
	if (!state_dir.n || stamp_cache_get(stamps, STAMP_CONTENT, a, path, NULL, &ret->text))
		return;
	if (stamps)
		stamp_take(path, &stamp);
	if (stamps && stamp.errnum)
		return;
	FD_SCOPE f = {0};
	fd_scope(&f, a, open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	if (!is_ours(f.fd, uid))
		return;
	keep = stamps && stamp_cache_may_keep(&stamp, f.fd);
	if (fd_read_all(a, f.fd, path, READ_MAX, &ret->text, NULL) == 0 && keep)
		stamp_cache_put(stamps, STAMP_CONTENT, path, &stamp, ret->text);
}

/* ---- lines ---- */

static struct str escape_path(struct arena *a, struct str path)
{
	struct buf b;

	buf_init(&b, a, 3 * PATH_MAX);
	for (size_t i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.p[i];

		if (c < 0x20 || c == 0x7F || c == '%')
			buf_fmt(&b, "%%%02X", c);
		else
			buf_char(&b, path.p[i]);
	}
	return buf_view(&b);
}

/*
 * True if escape_path() would turn `path` into `written`. Allocates nothing, since it runs for every parent
 * directory of a command.
 */
static bool same_path(struct str written, struct str path)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t at = 0;

	for (size_t i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.p[i];
		bool plain = !(c < 0x20 || c == 0x7F || c == '%');
		char as[] = {plain ? path.p[i] : '%', digits[c >> 4], digits[c & 15]};
		size_t n = plain ? 1 : sizeof(as);

		if (at + n > written.n || memcmp(written.p + at, as, n) != 0)
			return false;
		at += n;
	}
	return at == written.n;
}

static bool read_number(struct str *rest, int64_t *ret)
{
	ptrdiff_t blank = str_find(*rest, ' ', 0);

	if (blank < 0 || num_parse(str_first(*rest, (size_t)blank), INT64_MIN, INT64_MAX, ret) != 0)
		return false;
	*rest = str_from(*rest, (size_t)blank + 1);
	return true;
}

/* Parses the line at *at and advances to the next. A malformed line gets an empty path. False at the end. */
static bool next_line(struct str text, size_t *at, struct remembered_line *ret)
{
	ptrdiff_t end = *at < text.n ? str_find(text, '\n', *at) : -1;
	struct str rest;
	int64_t dev, ino, seen;

	if (end < 0)
		return false;
	rest = str_sub(text, *at, (size_t)end);
	*at = (size_t)end + 1;
	*ret = (struct remembered_line){.path = STR("")};
	if (!read_number(&rest, &dev) || !read_number(&rest, &ino) || !read_number(&rest, &seen))
		return true;
	*ret = (struct remembered_line){REMEMBERED_ROOT, {(uint64_t)dev, (uint64_t)ino}, seen, rest};
	if (str_starts(rest, kind_words[REMEMBERED_WORKSPACE])) {
		ret->kind = REMEMBERED_WORKSPACE;
		ret->path = str_from(rest, strlen(kind_words[REMEMBERED_WORKSPACE]));
	}
	return true;
}

static void put_line(struct buf *b, const struct remembered_line *l)
{
	buf_fmt(b, "%lld %lld %lld %s%.*s\n", (long long)l->id.dev, (long long)l->id.ino, (long long)l->seen,
			kind_words[l->kind], STR_ARG(l->path));
}

/* Finds the last line of this kind and path; false if there is none. */
static bool find_line(struct str text, enum remembered_kind kind, struct str path,
	struct remembered_line *ret)
{
	bool found = false;
	struct remembered_line l;

	for (size_t at = 0; next_line(text, &at, &l);)
		if (l.kind == kind && l.path.n >= path.n && path.n && same_path(l.path, path)) {
			*ret = l;
			found = true;
		}
	return found;
}

/*
 * Compares the inode only: device numbers may change after a reboot, and a false match only makes a box
 * smaller.
 */
static bool seen_as(const struct remembered *r, enum remembered_kind kind, struct str dir)
{
	char path[PATH_MAX];
	struct identity now;
	struct remembered_line l;

	if (!r || !r->text.n || dir.n >= sizeof(path) || !find_line(r->text, kind, dir, &l))
		return false;
	memcpy(path, dir.p, dir.n);
	path[dir.n] = 0;
	FD_CLEANUP int fd = directory_open(path);
	return fd >= 0 && directory_identity(fd, &now) == 0 && now.ino == l.id.ino;
}

bool remembered_root(const struct remembered *r, struct str dir) { return seen_as(r, REMEMBERED_ROOT, dir); }

bool remembered_place(const struct remembered *r, struct str dir)
{
	return seen_as(r, REMEMBERED_ROOT, dir) || seen_as(r, REMEMBERED_WORKSPACE, dir);
}

bool remembered_lately(const struct remembered *r, enum remembered_kind kind, const struct directory *d,
		int64_t now_s)
{
	struct remembered_line l;

	if (!r || !find_line(r->text, kind, d->path, &l))
		return false;
	return identity_same(l.id, d->id) && l.seen + REMEMBERED_AGAIN_S > now_s;
}

/* ---- writing ---- */

/* True if this line is young enough and no later line has the same directory. */
static bool still_counts(struct str text, size_t from, const struct remembered_line *line, int64_t now_s)
{
	struct remembered_line l;

	if (!line->path.n || line->seen + REMEMBERED_AGE_S <= now_s)
		return false;
	while (next_line(text, &from, &l))
		if (l.kind == line->kind && str_eq(l.path, line->path))
			return false;
	return true;
}

/*
 * Returns the latest lines of each kind, one per path. The oldest lines come first in the file, since lines
 * are only appended.
 */
static struct str compact_text(struct arena *a, struct str text, int64_t now_s)
{
	size_t left[REMEMBERED_KINDS] = {0};
	struct remembered_line l;
	struct buf b;

	for (size_t at = 0; next_line(text, &at, &l);)
		left[l.kind] += still_counts(text, at, &l, now_s);
	buf_init(&b, a, 2 * READ_MAX);
	for (size_t at = 0; next_line(text, &at, &l);)
		if (still_counts(text, at, &l, now_s) && left[l.kind]-- <= REMEMBERED_MAX)
			put_line(&b, &l);
	return buf_view(&b);
}

/* Opens and locks the file; retries if it was replaced meanwhile. */
static int open_locked(const char *path)
{
	struct stat mine, now;

	for (int i = 0; i < LOCK_TRIES; i++) {
		int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);

		if (fd < 0)
			return -1;
		if (syscall(SYS_flock, fd, FLOCK_EXCLUSIVE) == 0 && fstat(fd, &mine) == 0 &&
				lstat(path, &now) == 0 &&
		    mine.st_dev == now.st_dev && mine.st_ino == now.st_ino)
			return fd;
		fd_close(&fd);
	}
	errno = EAGAIN;
	return -1;
}

int remembered_add(struct arena *a, struct str state_dir, enum remembered_kind kind,
		const struct directory *dir, int64_t now_s, struct err *e)
{
	const char *path = str_c(a, file_of(a, state_dir));
	struct remembered_line line = {kind, dir->id, now_s, escape_path(a, dir->path)};
	struct str text = STR("");
	FD_SCOPE f = {0};
	struct stat st;
	struct buf b;

	fd_scope(&f, a, open_locked(path));
	if (f.fd < 0)
		return err_system(e, "cannot open '%s'", path);
	if (fstat(f.fd, &st) != 0)
		return err_system(e, "cannot stat '%s'", path);
	buf_init(&b, a, 2 * READ_MAX);
	if ((size_t)st.st_size > REMEMBERED_BYTES) {
		if (fd_read_all(a, f.fd, path, READ_MAX, &text, e) != 0)
			return -1;
		buf_str(&b, compact_text(a, text, now_s));
	}
	put_line(&b, &line);
	return text.n ? file_replace(path, buf_view(&b), e) : fd_write_all(f.fd, path, buf_view(&b), e);
}
