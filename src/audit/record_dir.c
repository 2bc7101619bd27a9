/* The record's directory: opening, days, the lock and what it holds. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "audit/inner.h"
#include "base/num.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/state.h"

#define LOCK_TRIES_MAX 16
#define PAUSE_FIRST_NS 50000
#define PAUSE_MOST_NS 2000000
#define HEAD_BYTES 192 /* seq, hash, name of the torn bytes, their number, newest day; blanks between */
#define ENTRIES_MAX (2 * AUDIT_DAYS_MAX)

int opened_check(struct str dir, uint32_t uid, int fd, mode_t kind, const char *name, struct stat *ret,
		struct err *e)
{
	if (fstat(fd, ret) < 0)
		return err_system(e, "cannot stat '%.*s/%s'", STR_ARG(dir), name);
	if ((ret->st_mode & S_IFMT) != kind)
		return err_config(e, "'%.*s/%s' of the record is not a %s", STR_ARG(dir), name,
				kind == S_IFDIR ? "directory" : "regular file");
	if (ret->st_uid != uid)
		return err_config(e, "'%.*s/%s' of the record belongs to another user", STR_ARG(dir), name);
	if (ret->st_mode & (S_IWGRP | S_IWOTH))
		return err_config(e, "other users can write '%.*s/%s' of the record: run chmod "
				"go-w on it",
				STR_ARG(dir), name);
	return 0;
}

int audit_open(struct arena *a, struct str state, uint32_t uid, bool make, struct audit *ret, struct err *e)
{
	struct str real;
	if ((make ? state_make : state_check)(a, state, STR(""), uid, &real, e) < 0)
		return -1;
	return audit_open_in(a, real, uid, make, ret, e);
}

int record_dir_open(const char *path, bool make)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = open(path, flags);

	if (fd < 0 && errno == ENOENT && make && (mkdir(path, 0700) == 0 || errno == EEXIST))
		fd = open(path, flags);
	return fd;
}

int audit_open_in(struct arena *a, struct str state, uint32_t uid, bool make, struct audit *ret,
		struct err *e)
{
	struct stat st;
	struct audit au = {.dir = -1, .uid = uid, .now = clock_real_us,
			.path = str_fmt(a, "%.*s/audit", STR_ARG(state))};
	const char *path = str_c(a, au.path);
	FD_CLEANUP int fd = record_dir_open(path, make);
	if (fd < 0 && errno == ENOENT && !make) { /* not a failure: callers check for this number */
		err_host(e, "no record yet: the first run or hook call creates '%s'", path);
		if (e)
			e->errnum = ENOENT;
		return -1;
	}
	if (fd < 0)
		return err_system(e, "cannot open the record '%s'", path);
	if (opened_check(au.path, au.uid, fd, S_IFDIR, ".", &st, e) < 0)
		return -1;
	au.dir = fd;
	fd = -1;
	*ret = au;
	return 0;
}

void audit_close(struct audit *au) { fd_close(&au->dir); }

/* ---- days ---- */

/* Is it the name of a day's file? */
static bool is_day(const char *name)
{
	static const char shape[] = "dddd-dd-dd.jsonl";
	for (size_t i = 0; i < sizeof shape; i++) /* its NUL too */
		if (shape[i] == 'd' ? !ascii_is_digit(name[i]) : name[i] != shape[i])
			return false;
	return true;
}

int day_open(const struct audit *au, const char *name, int flags, off_t *ret_size, struct err *e)
{
	struct stat st;
	FD_CLEANUP int fd = openat(au->dir, name, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	if (fd < 0)
		return err_system(e, "cannot open '%.*s/%s'", STR_ARG(au->path), name);
	if (opened_check(au->path, au->uid, fd, S_IFREG, name, &st, e) < 0)
		return -1;
	int opened = fd;
	fd = -1;
	*ret_size = st.st_size;
	return opened;
}

/* Calls fn for each day's file. */
static int each_day(const struct audit *au, int (*fn)(void *ctx, const char *name), void *ctx, struct err *e)
{
	int fd = openat(au->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), bad = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	size_t n = 0;
	if (!d) {
		bad = err_system(e, "cannot list '%.*s'", STR_ARG(au->path));
		fd_close(&fd);
		return bad;
	}
	for (struct dirent *entry; !bad && (errno = 0, entry = readdir(d));) {
		if (++n > ENTRIES_MAX)
			bad = err_limit(e, "'%.*s' has more than %d entries", STR_ARG(au->path), ENTRIES_MAX);
		else if (is_day(entry->d_name) && fn(ctx, entry->d_name) < 0)
			bad = err_limit(e, "'%.*s' has more days than expected", STR_ARG(au->path));
	}
	if (!bad && errno)
		bad = err_system(e, "cannot list '%.*s'", STR_ARG(au->path));
	closedir(d);
	return bad;
}

struct day_search {
	const char *bound;
	char best[DAY_NAME + 1];
};

static int note_before(void *ctx, const char *name)
{
	struct day_search *b = ctx;
	if (strcmp(name, b->bound) < 0 && strcmp(name, b->best) > 0)
		memcpy(b->best, name, DAY_NAME + 1);
	return 0;
}

int day_before(const struct audit *au, const char bound[DAY_NAME + 1], char ret[DAY_NAME + 1], struct err *e)
{
	struct day_search b = {.bound = bound};
	if (each_day(au, note_before, &b, e) < 0)
		return -1;
	if (!b.best[0])
		return 0;
	memcpy(ret, b.best, sizeof b.best);
	return 1;
}

struct day_listing {
	char (*names)[DAY_NAME + 1]; /* NULL: only counted */
	size_t n, max;
};

static int note_name(void *ctx, const char *name)
{
	struct day_listing *l = ctx;
	if (l->n >= l->max)
		return -1;
	if (l->names)
		memcpy(l->names[l->n], name, DAY_NAME + 1);
	l->n++;
	return 0;
}

static int by_name(const void *a, const void *b) { return strcmp(a, b); }

int day_count(const struct audit *au, size_t *ret, struct err *e)
{
	struct day_listing count = {.max = AUDIT_DAYS_MAX};
	if (each_day(au, note_name, &count, e) < 0)
		return -1;
	*ret = count.n;
	return 0;
}

int day_list(const struct audit *au, char (*names)[DAY_NAME + 1], size_t max, size_t *ret_n, struct err *e)
{
	struct day_listing list = {.names = names, .max = max};
	if (each_day(au, note_name, &list, e) < 0)
		return -1;
	qsort(names, list.n, sizeof *names, by_name);
	*ret_n = list.n;
	return 0;
}

/* ---- the lock ---- */

/* Polls: a stopped (SIGSTOP) holder must not block everybody, so waiting has a limit. */
static int wait_for(int fd, struct err *e)
{
	struct timespec pause = {.tv_nsec = PAUSE_FIRST_NS};
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	for (int64_t waited = 0; fcntl(fd, F_OFD_SETLK, &whole) < 0; waited += pause.tv_nsec) {
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return err_system(e, "cannot lock the record");
		if (waited > (int64_t)AUDIT_WAIT_MS * 1000000)
			return err_limit(e,
					"the record has been locked by another process for %d ms",
					AUDIT_WAIT_MS);
		nanosleep(&pause, NULL);
		/* many processes wait: polling faster would slow the holder down */
		if (pause.tv_nsec < PAUSE_MOST_NS)
			pause.tv_nsec *= 2;
	}
	return 0;
}

/*
 * Opens the lock file each time: an open file shared by fork() would count as one holder. The name must still
 * refer to the locked file.
 */
int lock_take(const struct audit *au, struct err *e)
{
	for (int i = 0; i < LOCK_TRIES_MAX; i++) {
		struct stat named, opened;
		FD_CLEANUP int fd = openat(au->dir, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC |
				O_NONBLOCK, 0600);
		if (fd < 0)
			return err_system(e, "cannot open '%.*s/lock'", STR_ARG(au->path));
		if (opened_check(au->path, au->uid, fd, S_IFREG, "lock", &opened, e) < 0 ||
				wait_for(fd, e) < 0)
			return -1;
		if (fstatat(au->dir, "lock", &named, AT_SYMLINK_NOFOLLOW) == 0 &&
				named.st_ino == opened.st_ino && named.st_dev == opened.st_dev) {
			int locked = fd;
			fd = -1;
			return locked;
		}
	}
	return err_config(e, "the lock of the record '%.*s' is replaced again and again", STR_ARG(au->path));
}

/* The descriptor stays open, so that the caller can sync it. */
void lock_release(int lock)
{
	struct flock whole = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
	(void)fcntl(lock, F_OFD_SETLK, &whole);
}

static struct str next_word(struct str *s)
{
	size_t from = 0, to;
	while (from < s->n && s->p[from] == ' ')
		from++;
	for (to = from; to < s->n && s->p[to] != ' ' && s->p[to] != '\n';)
		to++;
	struct str w = str_sub(*s, from, to);
	*s = str_from(*s, to);
	return w;
}

void head_read(int lock, struct head *ret)
{
	char text[HEAD_BYTES];
	struct head h = {0};
	ssize_t n = pread(lock, text, sizeof text, 0);
	struct str s = str_n(text, n > 0 ? (size_t)n : 0), seq = next_word(&s), hash = next_word(&s),
			torn = next_word(&s), bytes = next_word(&s), day = next_word(&s);
	int64_t number, size = 0;
	*ret = h;
	if (n != HEAD_BYTES || num_parse(seq, 0, INT64_MAX, &number) < 0 || hash.n != AUDIT_HASH ||
			torn.n > TORN_NAME_MAX || num_parse(bytes, 0, INT64_MAX, &size) < 0)
		return;
	h.seq = (uint64_t)number;
	memcpy(h.hash, hash.p, hash.n);
	if (!str_is(torn, "-"))
		memcpy(h.torn, torn.p, torn.n);
	h.torn_bytes = (uint64_t)size;
	if (day.n == DAY_CHARS)
		str_put(h.day, sizeof h.day, "%.*s.jsonl", DAY_CHARS, day.p);
	if (!is_day(h.day))
		h.day[0] = '\0';
	*ret = h;
}

int head_write(int lock, const struct head *h, struct err *e)
{
	char text[HEAD_BYTES + 1];
	size_t n = str_put(text, sizeof text, "%" PRIu64 " %s %s %" PRIu64 " %.*s", h->seq,
			h->hash[0] ? h->hash : AUDIT_ZERO, h->torn[0] ? h->torn : "-", h->torn_bytes,
			DAY_CHARS,
			 h->day[0] ? h->day : "-");
	memset(text + n, ' ', HEAD_BYTES - n);
	text[HEAD_BYTES - 1] = '\n';
	if (pwrite(lock, text, HEAD_BYTES, 0) != HEAD_BYTES)
		return err_system(e, "cannot write the head of the record");
	return 0;
}
