/* Rows of the record, one after the other. See read.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "audit/inner.h"
#include "audit/read.h"
#include "sys/file.h"

#define BLOCK ((size_t)128 << 10)
#define BLOCK_FIRST ((size_t)8 << 10)
#define ROOM (AUDIT_ROW_MAX + BLOCK)

/*
 * p[from, to) holds the bytes [near, far) of the current file. Lines are taken from its front when reading
 * forwards, from its end when reading backwards.
 */
struct audit_reader {
	const struct audit *au;
	struct audit_filter filter;
	enum audit_order order;
	char (*names)[DAY_NAME + 1];
	size_t ndays, done;     /* files; how many of them are begun */
	const char *name;
	char own[DAY_NAME + 1]; /* name of a file that was asked for */
	int fd;
	off_t size;             /* of the file when it was opened */
	off_t near, far;
	size_t block;           /* bytes to read at once, forwards */
	char *p;
	size_t from, to;
	bool skip;              /* inside of a line that is too long */
	struct buf scratch;
	struct audit_passed passed;
};

enum { LINE_NONE = 0, LINE_FOUND = 1 };

static int read_bytes(const struct audit_reader *r, char *p, size_t n, off_t at, size_t *ret, struct err *e)
{
	size_t have = 0;
	while (have < n) {
		ssize_t got = fd_read_at(r->fd, p + have, n - have, at + (off_t)have);
		if (got < 0)
			return err_system(e, "cannot read '%s' of the record", r->name);
		if (!got)
			break; /* it was cut meanwhile */
		have += (size_t)got;
	}
	*ret = have;
	return 0;
}

/* ---- forwards ---- */

static int more_behind(struct audit_reader *r, struct err *e)
{
	size_t have = r->to - r->from, got;
	memmove(r->p, r->p + r->from, have);
	size_t want = (uint64_t)(r->size - r->far) < r->block ? (size_t)(r->size - r->far) : r->block;
	r->block = r->block < BLOCK ? 2 * r->block : BLOCK;
	r->from = 0;
	r->to = have;
	if (read_bytes(r, r->p + have, want, r->far, &got, e) < 0)
		return -1;
	r->to += got;
	r->far += (off_t)got;
	if (got < want)
		r->size = r->far;
	return 0;
}

/* The next line that has an end. */
static int line_forwards(struct audit_reader *r, struct str *ret, off_t *ret_at, struct err *e)
{
	size_t seen = 0;
	for (;;) {
		char *start = r->p + r->from, *end = memchr(start + seen, '\n', r->to - r->from - seen);
		if (end) {
			*ret = str_n(start, (size_t)(end - start));
			*ret_at = r->near;
			r->from += ret->n + 1;
			r->near += (off_t)ret->n + 1;
			if (!r->skip)
				return LINE_FOUND;
			r->skip = false;
			seen = 0;
			continue;
		}
		seen = r->to - r->from;
		if (seen >= AUDIT_ROW_MAX) { /* too long for a row: skip to its end */
			r->passed.odd += !r->skip;
			r->skip = true;
			r->near += (off_t)seen;
			r->from = r->to;
			seen = 0;
		}
		if (r->far >= r->size) {
			r->passed.odd += seen && !r->skip && r->done < r->ndays;
			return LINE_NONE;
		}
		if (more_behind(r, e) < 0)
			return -1;
	}
}

/* ---- backwards ---- */

static int more_before(struct audit_reader *r, struct err *e)
{
	size_t have = r->to - r->from, want = (uint64_t)r->near < BLOCK ? (size_t)r->near : BLOCK, got;
	if (r->from < want) {
		memmove(r->p + ROOM - have, r->p + r->from, have);
		r->from = ROOM - have;
		r->to = ROOM;
	}
	if (read_bytes(r, r->p + r->from - want, want, r->near - (off_t)want, &got, e) < 0)
		return -1;
	if (got < want)
		return err_set(e, ERR_SYSTEM, EIO, "'%s' of the record was cut while it was read", r->name);
	r->from -= want;
	r->near -= (off_t)want;
	return 0;
}

/* The previous line; r->to is behind its newline, or at first behind a torn last line. */
static int line_backwards(struct audit_reader *r, struct str *ret, off_t *ret_at, struct err *e)
{
	size_t looked = 1; /* from the end: the newline of the line itself */
	for (;;) {
		const size_t have = r->to - r->from;
		const char *newline = have > looked ? memrchr(r->p + r->from, '\n', have - looked) : NULL;
		if (newline || (r->near == 0 && have)) {
			const size_t start = newline ? (size_t)(newline - r->p) + 1 : r->from;
			const bool ended = r->p[r->to - 1] == '\n', whole = ended && !r->skip;
			*ret = str_sub(str_n(r->p, r->to), start, r->to - ended);
			*ret_at = r->near + (off_t)(start - r->from);
			r->passed.odd += !ended && !r->skip && r->done > 1;
			r->far = *ret_at;
			r->to = start;
			r->skip = false;
			looked = 1;
			if (whole)
				return LINE_FOUND;
			continue;
		}
		if (r->near == 0)
			return LINE_NONE;
		looked = have > 1 ? have : 1;
		if (have > AUDIT_ROW_MAX) {
			r->passed.odd += !r->skip;
			r->skip = true;
			r->to = r->from + 1; /* one byte stands for the rest of it */
			looked = 1;
		}
		if (more_before(r, e) < 0)
			return -1;
	}
}

/* ---- files ---- */

/* Opens the next file. Returns 1, 0 if there is none, or -1. */
static int next_file(struct audit_reader *r, struct err *e)
{
	while (r->done < r->ndays) {
		struct err why = {0};
		fd_close(&r->fd);
		r->name = r->names[r->order == AUDIT_OLDEST_FIRST ? r->done : r->ndays - 1 - r->done];
		r->done++;
		r->fd = day_open(r->au, r->name, O_RDONLY, &r->size, &why);
		r->skip = false;
		r->from = r->to = r->order == AUDIT_OLDEST_FIRST ? 0 : ROOM;
		r->near = r->far = r->order == AUDIT_OLDEST_FIRST ? 0 : r->size;
		if (r->fd >= 0)
			return 1;
		if (why.kind == ERR_SYSTEM && why.errnum == ENOENT)
			continue; /* dropped since the files were listed */
		if (e)
			*e = why;
		return -1;
	}
	return 0;
}

int audit_reader_seek(struct audit_reader *r, const char *file, uint64_t at, struct err *e)
{
	fd_close(&r->fd);
	r->done = r->ndays; /* no other file follows */
	r->name = memcpy(r->own, file, sizeof r->own);
	r->skip = false;
	r->block = BLOCK_FIRST; /* perhaps one row is all that is wanted */
	r->from = r->to = 0;
	r->near = r->far = (off_t)at;
	r->fd = day_open(r->au, file, O_RDONLY, &r->size, e);
	return r->fd < 0 ? -1 : 0;
}

/* True if this day's file can hold a matching row: a row lies in the file of its day. */
static bool day_wanted(const struct audit_filter *f, const char *name)
{
	char ts[AUDIT_TS_CHARS + 1];
	if (f->since) {
		audit_time_text(f->since, ts);
		if (memcmp(name, ts, DAY_CHARS) < 0)
			return false;
	}
	if (f->until) {
		audit_time_text(f->until - 1, ts);
		if (memcmp(name, ts, DAY_CHARS) > 0)
			return false;
	}
	return true;
}

int audit_reader_new(struct arena *a, const struct audit *au, const struct audit_filter *f,
		enum audit_order order, struct audit_reader **ret, struct err *e)
{
	struct audit_reader *r = arena_new(a, struct audit_reader);
	size_t max, n = 0;
	*r = (struct audit_reader){.au = au, .filter = *f, .order = order, .block = BLOCK, .fd = -1};
	if (day_count(au, &max, e) < 0)
		return -1;
	max += DAYS_SPARE;
	r->names = arena_array(a, max, sizeof *r->names);
	r->p = arena_alloc(a, ROOM);
	buf_init(&r->scratch, a, AUDIT_ROW_MAX);
	/* allocate everything now: nothing is allocated while a file is open */
	r->scratch.p = arena_alloc(a, AUDIT_ROW_MAX);
	r->scratch.cap = AUDIT_ROW_MAX;
	if (day_list(au, r->names, max, &r->ndays, e) < 0)
		return -1;
	for (size_t i = 0; i < r->ndays; i++)
		if (day_wanted(f, r->names[i]))
			memmove(r->names[n++], r->names[i], sizeof *r->names);
	r->ndays = n;
	*ret = r;
	return 0;
}

int audit_next(struct audit_reader *r, struct audit_line *ret, struct err *e)
{
	for (;;) {
		struct str text;
		off_t at = 0;
		bool unsure = false;
		int got = r->fd < 0 ? LINE_NONE : r->order == AUDIT_OLDEST_FIRST ? line_forwards(r, &text,
				&at, e) : line_backwards(r, &text, &at, e);
		if (got < 0)
			return -1;
		if (got == LINE_NONE) {
			got = next_file(r, e);
			if (got <= 0)
				return fd_close(&r->fd), got;
			continue;
		}
		if (!audit_line_parse(text, ret)) {
			r->passed.odd++;
			continue;
		}
		r->passed.rows++;
		ret->file = r->name;
		ret->at = (uint64_t)at;
		if (!audit_passes(&r->filter, ret, &r->scratch, &unsure))
			continue;
		r->passed.unsure += unsure;
		return 1;
	}
}

struct audit_passed audit_reader_passed(const struct audit_reader *r) { return r->passed; }

void audit_reader_close(struct audit_reader *r) { fd_close(&r->fd); }
