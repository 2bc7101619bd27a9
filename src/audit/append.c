/*
 * Appending to the record: find the newest row, repair what is behind it, write one row. audit.h has the
 * theory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/inner.h"
#include "audit/read.h"
#include "audit/retain.h"
#include "audit/sign.h"
#include "sys/file.h"
#include "sys/ids.h"

#define BLOCK 16384
#define SHORT_ROW 4096
#define TORN_TRIES_MAX 1000
#define FRAME_MAX (FRAME_START_MAX + FRAME_END + 64) /* all of a row but its body, with `clock` and newline */
#define RECOVERED_MAX 512
#define CHECKPOINT_MAX 640 /* bytes of the field of a checkpoint row */

struct tail { /* where the next row goes */
	char name[DAY_NAME + 1]; /* empty: no file yet */
	int fd;
	off_t size;
	bool made;               /* the file is new */
	uint64_t seq;
	char hash[AUDIT_HASH + 1], ts[TS_CHARS + 1];
};

struct writing {
	const struct audit *au;
	int lock;
	struct head head;
	struct tail tail;
	struct err *e;
};

/* ---- the newest row ---- */

/* Where the line starts that ends before `end`: behind the newline before it. */
static int line_start(int fd, off_t end, off_t *ret, struct err *e)
{
	char block[BLOCK];
	while (end > 0) {
		size_t n = end < BLOCK ? (size_t)end : BLOCK;
		off_t from = end - (off_t)n;
		if (fd_read_at(fd, block, n, from) != (ssize_t)n)
			return err_system(e, "cannot read the record");
		const char *newline = memrchr(block, '\n', n);
		if (newline) {
			*ret = from + (newline - block) + 1;
			return 0;
		}
		end = from;
	}
	*ret = 0;
	return 0;
}

static void take_frame(struct tail *t, const struct row_frame *f)
{
	t->seq = f->seq;
	memcpy(t->hash, f->hash.p, AUDIT_HASH);
	memcpy(t->ts, f->ts.p, TS_CHARS);
}

/*
 * Returns 1 if [from, end) is a complete row with its newline, and copies its frame to the tail; 0 if not; -1
 * on a read error. Reads only the first and the last bytes.
 */
static int is_row(struct tail *t, off_t from, off_t end, struct err *e)
{
	char first[FRAME_START_MAX], last[FRAME_END + 1];
	struct row_frame f;
	size_t n = end - from < FRAME_START_MAX ? (size_t)(end - from) : FRAME_START_MAX;
	if (end - from <= FRAME_END || (uint64_t)(end - from) > AUDIT_ROW_MAX)
		return 0;
	if (fd_read_at(t->fd, first, n, from) != (ssize_t)n ||
			fd_read_at(t->fd, last, sizeof last, end - (off_t)sizeof last) !=
					(ssize_t)sizeof last)
		return err_system(e, "cannot read the record");
	if (last[FRAME_END] != '\n' || !frame_start(str_n(first, n), &f) ||
			!frame_end(str_n(last, FRAME_END), &f))
		return 0;
	take_frame(t, &f);
	return 1;
}

/*
 * Fast path: the file usually ends with a short row, so one read finds it. Returns 1, or 0 if the slow path
 * must look.
 */
static int short_row(struct tail *t)
{
	char block[SHORT_ROW];
	size_t n = t->size < SHORT_ROW ? (size_t)t->size : SHORT_ROW;
	struct row_frame f;
	if (n <= FRAME_END || fd_read_at(t->fd, block, n, t->size - (off_t)n) != (ssize_t)n ||
			block[n - 1] != '\n')
		return 0;
	const char *newline = memrchr(block, '\n', n - 1);
	if (!newline && (off_t)n < t->size)
		return 0;
	struct str line = str_n(newline ? newline + 1 : block,
			n - 1 - (newline ? (size_t)(newline + 1 - block) : 0));
	if (!frame_start(line, &f) || !frame_end(line, &f))
		return 0;
	take_frame(t, &f);
	return 1;
}

/* Offset behind the last complete row in the file; 0 if the file has no row. */
static int rows_end(struct tail *t, off_t *ret, struct err *e)
{
	off_t end = t->size, from = 0;
	int row = 0;
	if (short_row(t)) {
		*ret = end;
		return 0;
	}
	while (end > 0) {
		if (line_start(t->fd, end - 1, &from, e) < 0 || (row = is_row(t, from, end, e)) < 0)
			return -1;
		if (row)
			break;
		end = from;
	}
	*ret = end;
	return 0;
}

/* ---- repairing ---- */

static int copy_bytes(int from, off_t at, off_t end, int to, struct err *e)
{
	char block[BLOCK];
	while (at < end) {
		size_t n = end - at < BLOCK ? (size_t)(end - at) : BLOCK;
		if (fd_read_at(from, block, n, at) != (ssize_t)n)
			return err_system(e, "cannot read the record");
		if (fd_write_all(to, "torn", str_n(block, n), e) < 0)
			return -1;
		at += (off_t)n;
	}
	if (fdatasync(to) < 0)
		return err_system(e, "cannot sync the bytes that were moved aside");
	return 0;
}

/* Creates a file in torn/. Returns its descriptor or -1; *name is its name below audit/. */
static int torn_file(const struct writing *w, off_t at, char name[TORN_NAME_MAX + 1], struct err *e)
{
	if (mkdirat(w->au->dir, "torn", 0700) < 0 && errno != EEXIST)
		return err_system(e, "cannot make '%.*s/torn'", STR_ARG(w->au->path));
	FD_CLEANUP int dir = openat(w->au->dir, "torn", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int fd = -1;
	for (int i = 0; dir >= 0 && fd < 0 && i < TORN_TRIES_MAX; i++) {
		str_put(name, TORN_NAME_MAX + 1, "torn/%.*s-%jd.%d", DAY_CHARS, w->tail.name, (intmax_t)at,
				i);
		fd = openat(dir, name + 5, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd >= 0 ? fd : err_system(e, "cannot make a file in '%.*s/torn'", STR_ARG(w->au->path));
}

/* Moves the bytes behind `end` to torn/. The head names that file before the record is cut. */
static int set_aside(struct writing *w, off_t end)
{
	struct tail *t = &w->tail;
	struct head h = w->head;
	FD_CLEANUP int to = torn_file(w, end, h.torn, w->e);
	if (to < 0 || copy_bytes(t->fd, end, t->size, to, w->e) < 0)
		return -1;
	h.torn_bytes += (uint64_t)(t->size - end);
	if (head_write(w->lock, &h, w->e) < 0)
		return -1;
	w->head = h;
	if (ftruncate(t->fd, end) < 0)
		return err_system(w->e, "cannot cut the torn line off '%s'", t->name);
	t->size = end;
	return 0;
}

/*
 * The head names the newest file. After a power loss the head can be stale. Then a file of a later day
 * exists, so the head is used only if its day is today. The head is synced together with a new file, in case
 * the clock also went back.
 */
static int tail_of_head(struct writing *w, const char *today)
{
	struct tail *t = &w->tail;
	off_t end = 0;
	if (!w->head.day[0] || memcmp(w->head.day, today, DAY_CHARS) != 0 || w->head.torn[0])
		return 0;
	t->fd = day_open(w->au, w->head.day, O_RDWR | O_APPEND, &t->size, NULL);
	if (t->fd >= 0 && rows_end(t, &end, NULL) == 0 && end > 0 && end == t->size &&
			t->seq >= w->head.seq) {
		memcpy(t->name, w->head.day, sizeof t->name);
		return 1;
	}
	fd_close(&t->fd);
	t->seq = 0;
	return 0;
}

/* Fills the tail from the newest file that has a row; leaves it empty if the record has no row. */
static int find_tail(struct writing *w)
{
	struct tail *t = &w->tail;
	char now[TS_CHARS + 1];
	audit_time_text(w->au->now(), now);
	if (tail_of_head(w, now))
		return 0;
	char bound[DAY_NAME + 1] = "~", name[DAY_NAME + 1];
	off_t end = 0;
	for (int i = 0; i < AUDIT_DAYS_MAX; i++) {
		int found = day_before(w->au, bound, name, w->e);
		if (found <= 0)
			return found;
		memcpy(t->name, name, sizeof name);
		fd_close(&t->fd);
		t->fd = day_open(w->au, name, O_RDWR | O_APPEND, &t->size, w->e);
		if (t->fd < 0 || rows_end(t, &end, w->e) < 0)
			return -1;
		if (end < t->size && set_aside(w, end) < 0)
			return -1;
		if (end > 0)
			return 0;
		memcpy(bound, name, sizeof name); /* empty: its writer was killed before the first row */
	}
	return err_limit(w->e, "'%.*s' has more than %d days", STR_ARG(w->au->path), AUDIT_DAYS_MAX);
}

/* ---- writing ---- */

/* Opens the file for the day of ts: the tail's file or a later one. */
static int turn_to(struct writing *w, const char *ts)
{
	struct tail *t = &w->tail;
	char name[DAY_NAME + 1];
	str_put(name, sizeof name, "%.*s.jsonl", DAY_CHARS, ts);
	if (t->fd >= 0 && !strcmp(name, t->name))
		return 0;
	/* before the file exists, or a process that looks for the newest row would miss it */
	if (strcmp(name, w->head.day) != 0) {
		memcpy(w->head.day, name, sizeof name);
		if (head_write(w->lock, &w->head, w->e) < 0)
			return -1;
	}
	fd_close(&t->fd);
	t->fd = day_open(w->au, name, O_RDWR | O_APPEND | O_CREAT, &t->size, w->e);
	t->made = true;
	memcpy(t->name, name, sizeof name);
	return t->fd < 0 ? -1 : 0;
}

/* Appends the row by one write(). Cuts a partial row off again if the disk is full. */
static int put_line(struct writing *w, struct str line)
{
	struct tail *t = &w->tail;
	ssize_t put;
	do
		put = write(t->fd, line.p, line.n);
	while (put < 0 && errno == EINTR);
	if (put == (ssize_t)line.n) {
		t->size += put;
		return 0;
	}
	int why = put < 0 ? errno : ENOSPC;
	if (put > 0 && ftruncate(t->fd, t->size) < 0)
		return err_system(w->e, "cannot cut off a row that was written in part to '%s'", t->name);
	return err_set(w->e, ERR_SYSTEM, why, "cannot write to the record '%.*s/%s'", STR_ARG(w->au->path),
			t->name);
}

/* `line` has room for the body plus FRAME_MAX bytes. */
static int put_row(struct writing *w, enum audit_kind kind, const char *id, struct str body, char *line)
{
	struct tail *t = &w->tail;
	char now[TS_CHARS + 1], ts[TS_CHARS + 1], hash[AUDIT_HASH + 1];
	audit_time_text(w->au->now(), now);
	memcpy(ts, strcmp(now, t->ts) < 0 ? t->ts : now, sizeof ts);
	if (turn_to(w, ts) < 0)
		return -1;
	size_t n = str_put(line, FRAME_MAX, "{\"v\":%d,\"seq\":%" PRIu64
			",\"id\":\"%s\",\"kind\":\"%s\",\"ts\":\"%s\"", AUDIT_VERSION, t->seq + 1, id,
			audit_kind_name(kind), ts);
	if (strcmp(now, ts) != 0)
		n += str_put(line + n, FRAME_MAX - n, ",\"clock\":\"%s\"", now);
	memcpy(line + n, body.p, body.n);
	n += body.n;
	n += str_put(line + n, FRAME_END, ",\"prev\":\"%s\"", t->seq ? t->hash : AUDIT_ZERO);
	hash_text(str_n(line, n), hash);
	n += str_put(line + n, HASH_FIELD + 2, ",\"hash\":\"%s\"}\n", hash);
	if (put_line(w, str_n(line, n)) < 0)
		return -1;
	t->seq++;
	memcpy(t->ts, ts, sizeof ts);
	memcpy(t->hash, hash, sizeof hash);
	w->head.seq = t->seq;
	memcpy(w->head.day, t->name, sizeof t->name);
	memcpy(w->head.hash, hash, sizeof hash);
	return 0;
}

/* Appends a `recovered` row if a repair found torn bytes or missing rows. */
static int put_recovered(struct writing *w)
{
	char body[RECOVERED_MAX], line[RECOVERED_MAX + FRAME_MAX], id[AUDIT_ID_MAX + 1];
	size_t n = 0;
	const bool missing = w->tail.seq < w->head.seq;
	if (!missing && !w->head.torn[0])
		return 0;
	if (w->head.torn[0])
		n += str_put(body, sizeof body, ",\"torn\":{\"path\":\"%s\",\"bytes\":%" PRIu64 "}",
				w->head.torn, w->head.torn_bytes);
	if (missing)
		n += str_put(body + n, sizeof body - n, ",\"missing\":{\"from\":%" PRIu64 ",\"to\":%" PRIu64
				",\"hash\":\"%s\"}", w->tail.seq + 1, w->head.seq, w->head.hash);
	n += str_put(body + n, sizeof body - n, ",\"note\":\"%s\"",
			missing ? "rows that were written are missing at the end" :
			"a torn line was moved aside");
	if (id_new(id, w->e) < 0 || put_row(w, AUDIT_RECOVERED, id, str_n(body, n), line) < 0)
		return -1;
	w->head.torn[0] = '\0';
	w->head.torn_bytes = 0;
	return head_write(w->lock, &w->head, w->e);
}

static bool must_sync(enum audit_sync policy, enum audit_kind kind)
{
	return policy == AUDIT_SYNC_ALWAYS ||
			(policy == AUDIT_SYNC_BEGIN && (kind == AUDIT_BEGIN || kind == AUDIT_CHECKPOINT ||
			kind == AUDIT_TOMBSTONE || kind == AUDIT_PERSON));
}

/* A checkpoint signs the row right before it; its seq and hash are known only under the lock. */
static int sign_newest(struct writing *w, const struct audit_row *row, char field[CHECKPOINT_MAX],
		size_t *ret_n)
{
	struct audit_checkpoint cp = {.seq = w->tail.seq};
	if (!w->tail.seq)
		return err_input(w->e, "no row to sign yet");
	memcpy(cp.hash, w->tail.hash, sizeof cp.hash);
	audit_time_text(w->au->now(), cp.at);
	checkpoint_sign(row->key, &cp);
	*ret_n = str_put(field, CHECKPOINT_MAX, ",\"checkpoint\":{\"seq\":%" PRIu64
			",\"hash\":\"%s\",\"at\":\"%s\",\"key\":\"%s\",\"signature\":\"%s\"}", cp.seq,
			cp.hash,
				  cp.at, cp.key, cp.signature);
	if (row->checkpoint)
		*row->checkpoint = cp;
	return 0;
}

static int append_locked(struct writing *w, const struct audit_row *row, const char *id, struct str body,
	char *line)
{
	char field[CHECKPOINT_MAX];
	head_read(w->lock, &w->head);
	if (find_tail(w) < 0 || put_recovered(w) < 0)
		return -1;
	if (row->kind == AUDIT_CHECKPOINT) {
		if (sign_newest(w, row, field, &body.n) < 0)
			return -1;
		body.p = field;
	}
	if (put_row(w, row->kind, id, body, line) < 0)
		return -1;
	/* The row is in the file. If writing the head fails, later checks only detect fewer missing rows. */
	(void)head_write(w->lock, &w->head, NULL);
	return 0;
}

/* Syncs the row. For a new file, once a day, also syncs its name and the head. */
static int sync_all(const struct writing *w)
{
	if (fdatasync(w->tail.fd) < 0)
		return -1;
	return w->tail.made && (fsync(w->au->dir) < 0 || fdatasync(w->lock) < 0) ? -1 : 0;
}

int audit_append(struct arena *a, const struct audit *au, const struct audit_row *row,
		struct audit_written *ret, struct err *e)
{
	struct audit_written done = {0};
	struct str body;
	if (row_body(a, row, &body, e) < 0)
		return -1;
	if (row->id.n)
		memcpy(done.id, row->id.p, row->id.n);
	else if (id_new(done.id, e) < 0)
		return -1;
	char *line = arena_alloc(a, body.n + FRAME_MAX + CHECKPOINT_MAX);
	struct writing w = {.au = au, .lock = lock_take(au, e), .tail = {.fd = -1}, .e = e};
	if (w.lock < 0)
		return -1;
	int bad = append_locked(&w, row, done.id, body, line);
	const bool sync = !bad &&
			(must_sync(au->sync, row->kind) || (w.tail.made && au->sync != AUDIT_SYNC_NONE));
	if (sync)
		lock_release(w.lock);
	if (sync && sync_all(&w) < 0)
		bad = err_system(e, "the row is written but not on the disk: '%.*s/%s'",
				STR_ARG(au->path), w.tail.name);
	fd_close(&w.lock);
	fd_close(&w.tail.fd);
	if (bad)
		return -1;
	if (w.tail.made && au->retain_days)
		audit_prune_rotated(au);
	done.seq = w.tail.seq;
	memcpy(done.hash, w.tail.hash, sizeof done.hash);
	if (ret)
		*ret = done;
	return 0;
}
