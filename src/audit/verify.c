/*
 * Verifies the chain in one pass over all days, up to the first row that does not fit. A second scan then
 * looks for rows that belong around that position, to name the fault:
 *
 *     a row whose prev is the last good row's hash    the row here was inserted
 *     a row whose hash is this row's prev             the row here was moved
 *     neither, and seq skips numbers                  the rows between are missing
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "audit/inner.h"
#include "audit/read.h"
#include "audit/sign.h"
#include "base/num.h"
#include "sys/file.h"

#define READ_BYTES ((size_t)256 << 10)

static const char faults[][12] = {"sound", "changed", "removed", "reordered", "inserted", "torn", "forged",
		"rewritten", "unanchored"};

const char *audit_fault_name(enum audit_fault f) { return faults[f]; }

struct day_size {
	off_t size; /* under the lock; later rows are not checked */
};

struct chain_reader { /* lines over all days */
	const struct audit *au;
	char (*names)[DAY_NAME + 1];
	struct day_size *days;
	size_t ndays, day; /* the file being read */
	int fd;
	off_t left;        /* bytes of the file not read yet */
	char *p;
	size_t n, at;
	uint64_t line;
};

enum { READ_END = 0, READ_ROW = 1, READ_TORN = 2, READ_LONG = 3 };

struct good { /* the last row that fits, or the two last */
	uint64_t seq, line;
	size_t day;
	char hash[AUDIT_HASH];
};

struct chain_check {
	struct chain_reader r;
	struct head head;
	struct good last, before;
	uint64_t start_seq;              /* of the first row, if the chain does not start with row 1 */
	char start_prev[AUDIT_HASH];
	bool started, start_known;       /* a tombstone names the row before the first one */
	const struct audit_anchor *anchor;
	struct audit_verdict *v;
	struct err *e;
};

/* ---- reading ---- */

static int fill_buffer(struct chain_reader *r, struct err *e)
{
	ssize_t got;
	memmove(r->p, r->p + r->at, r->n - r->at);
	r->n -= r->at;
	r->at = 0;
	size_t want = (uint64_t)r->left < READ_BYTES ? (size_t)r->left : READ_BYTES;
	got = fd_read(r->fd, r->p + r->n, want);
	if (got < 0)
		return err_system(e, "cannot read '%s' of the record", r->names[r->day]);
	r->n += (size_t)got;
	r->left = got ? r->left - got : 0;
	return 0;
}

static int next_day(struct chain_reader *r, struct err *e)
{
	off_t now;
	fd_close(&r->fd);
	r->fd = day_open(r->au, r->names[r->day], O_RDONLY, &now, e);
	r->left = r->days[r->day].size;
	r->n = r->at = 0;
	r->line = 0;
	return r->fd < 0 ? -1 : 0;
}

/* READ_ROW and the line without its newline; READ_TORN or READ_LONG: the bytes that exist. */
static int next_line(struct chain_reader *r, struct str *ret, struct err *e)
{
	size_t seen = 0;
	for (;;) {
		size_t have = r->n - r->at;
		char *from = r->p + r->at, *end = memchr(from + seen, '\n', have - seen);
		*ret = str_n(from, end ? (size_t)(end - from) : have);
		if (end) {
			r->at += ret->n + 1;
			r->line++;
			return READ_ROW;
		}
		if (have >= AUDIT_ROW_MAX)
			return r->line++, READ_LONG;
		seen = have;
		if (r->fd >= 0 && r->left > 0) {
			if (fill_buffer(r, e) < 0)
				return -1;
			continue;
		}
		if (have)
			return r->line++, READ_TORN;
		if (r->fd >= 0)
			r->day++;
		if (r->day >= r->ndays)
			return READ_END;
		if (next_day(r, e) < 0)
			return -1;
	}
}

/* ---- naming the fault ---- */

__attribute__((format(printf, 6, 7))) static int blame(struct chain_check *c, enum audit_fault fault,
		size_t day, uint64_t line, uint64_t seq, const char *why, ...)
{
	va_list ap;
	c->v->fault = fault;
	if (day < c->r.ndays)
		memcpy(c->v->file, c->r.names[day], DAY_NAME + 1);
	c->v->line = line;
	c->v->seq = seq;
	va_start(ap, why);
	vsnprintf(c->v->why, sizeof c->v->why, why, ap);
	va_end(ap);
	return 0;
}

struct around { /* found by the second scan */
	bool after_last, after_this, before_this;
};

/*
 * Reads to the end. `prev` is the hash that row `seq` must follow. The hashes are copies, since the reader's
 * buffer moves on.
 */
static int look_on(struct chain_check *c, const char *last, const char *this, const char *prev, uint64_t seq,
		struct around *ret)
{
	struct around found = {0};
	struct str line;
	int got;
	while ((got = next_line(&c->r, &line, c->e)) == READ_ROW) {
		struct row_frame f;
		if (!frame_start(line, &f) || !frame_end(line, &f))
			continue;
		found.after_last |= !memcmp(f.prev.p, last, AUDIT_HASH);
		found.after_this |= !memcmp(f.prev.p, this, AUDIT_HASH);
		found.before_this |= !memcmp(f.hash.p, prev, AUDIT_HASH) && f.seq + 1 == seq;
	}
	*ret = found;
	return got < 0 ? -1 : 0;
}

/* Finds a row that belongs before the first one: then the first one was moved to the front, or inserted. */
static int blame_front(struct chain_check *c, bool moved)
{
	if (moved)
		return blame(c, AUDIT_REORDERED, 0, 1, c->start_seq,
				"earlier rows come after it");
	return blame(c, AUDIT_INSERTED, 0, 1, c->start_seq,
			"its predecessor is missing, and lower numbers come after it");
}

/* A row with a correct hash of its own that does not follow the last one. */
static int blame_misplaced(struct chain_check *c, const struct row_frame *f)
{
	char hash[AUDIT_HASH], prev[AUDIT_HASH];
	const size_t day = c->r.day;
	const uint64_t line = c->r.line, seq = f->seq, last = c->last.seq;
	struct around found;
	memcpy(hash, f->hash.p, sizeof hash);
	memcpy(prev, f->prev.p, sizeof prev);
	const bool twin = seq == last && c->before.seq + 1 == seq &&
			!memcmp(prev, c->before.seq ? c->before.hash : AUDIT_ZERO, sizeof prev);
	const bool follows = !memcmp(prev, c->last.hash, sizeof prev);
	const bool low = seq < c->start_seq && !c->start_known;
	if (look_on(c, c->last.hash, hash, low ? c->start_prev : prev, low ? c->start_seq : seq, &found) < 0)
		return -1;
	if (twin && found.after_this && !found.after_last)
		return blame(c, AUDIT_INSERTED, c->last.day, c->last.line, last,
				"the chain goes on from the other row %" PRIu64 ", behind this one", last);
	if (low)
		return blame_front(c, found.before_this ||
				(!memcmp(hash, c->start_prev, sizeof hash) && seq + 1 == c->start_seq));
	if (seq <= last)
		return blame(c, AUDIT_INSERTED, day, line, seq, "row %" PRIu64 " was there before", seq);
	if (found.after_last && found.before_this)
		return blame(c, AUDIT_REORDERED, day, line, seq, "row %" PRIu64
				" belongs here, but comes later", last + 1);
	if (found.after_last)
		return blame(c, AUDIT_INSERTED, day, line, seq, "the row that follows row %" PRIu64
				" comes later", last);
	if (follows)
		return blame(c, AUDIT_CHANGED, day, line, seq, "it follows row %" PRIu64
				" and has another number; its hash was recomputed", last);
	if (seq > last + 1)
		return blame(c, AUDIT_REMOVED, day, line, last + 1, "rows %" PRIu64 " to %" PRIu64
				" are missing before this line", last + 1, seq - 1);
	return blame(c, AUDIT_CHANGED, c->last.day, c->last.line, last, "row %" PRIu64
			" follows another row %" PRIu64 "; the hash was recomputed", seq, last);
}

/* The first row: seq 1, or a row whose predecessor a tombstone names. */
static void first_row(struct chain_check *c, const struct row_frame *f)
{
	c->started = true;
	c->start_seq = f->seq;
	memcpy(c->start_prev, f->prev.p, AUDIT_HASH);
	c->start_known = f->seq == 1 && !memcmp(f->prev.p, AUDIT_ZERO, AUDIT_HASH);
}

static bool digits_after(struct str line, const char *key, uint64_t *ret, struct str *ret_rest)
{
	const char *at = memmem(line.p, line.n, key, strlen(key));
	int64_t n;
	size_t from = at ? (size_t)(at - line.p) + strlen(key) : line.n, to = from;
	while (to < line.n && ascii_is_digit(line.p[to]))
		to++;
	if (num_parse(str_sub(line, from, to), 1, INT64_MAX, &n) < 0)
		return false;
	*ret = (uint64_t)n;
	*ret_rest = str_from(line, to);
	return true;
}

/*
 * `until` is the last field before prev, so no text in the row can imitate it. If the record starts before
 * `until`, the process that dropped days was killed: the tombstone covers all missing rows.
 */
static void note_tombstone(struct chain_check *c, struct str line)
{
	static const char key[] = ",\"until\":{\"seq\":", hash[] = ",\"hash\":\"";
	const size_t most = sizeof key + 20 + sizeof hash + AUDIT_HASH + FRAME_END;
	uint64_t seq;
	struct str rest;
	c->v->tombstones++;
	line = str_from(line, line.n > most ? line.n - most : 0);
	if (!digits_after(line, key, &seq, &rest) || !str_starts(rest, hash) || rest.n != sizeof hash - 1 +
			AUDIT_HASH + 2 + FRAME_END)
		return;
	if (seq + 1 == c->start_seq ? !memcmp(rest.p + sizeof hash - 1, c->start_prev, AUDIT_HASH) : seq +
			1 > c->start_seq && seq <= c->last.seq)
		c->start_known = true;
}

/* ---- checkpoints ---- */

/* Takes `word`, then n bytes into ret, off the front. */
static bool take_part(struct str *s, const char *word, char *ret, size_t n)
{
	const size_t skip = strlen(word);
	if (!str_starts(*s, word) || s->n < skip + n)
		return false;
	memcpy(ret, s->p + skip, n);
	ret[n] = '\0';
	*s = str_from(*s, skip + n);
	return true;
}

/* append.c writes it as the last field before prev. */
static bool checkpoint_of_row(struct str line, struct audit_checkpoint *ret)
{
	struct str rest;
	return digits_after(line, ",\"checkpoint\":{\"seq\":", &ret->seq, &rest) &&
			take_part(&rest, ",\"hash\":\"", ret->hash, AUDIT_HASH) &&
	       take_part(&rest, "\",\"at\":\"", ret->at, AUDIT_AT) && take_part(&rest, "\",\"key\":\"",
	       ret->key, AUDIT_KEY) &&
	       take_part(&rest, "\",\"signature\":\"", ret->signature, AUDIT_SIGNATURE) && rest.n == 2 +
	       FRAME_END;
}

static bool by_the_key(const struct chain_check *c, const struct audit_checkpoint *cp)
{
	return !c->anchor->key.n || str_is(c->anchor->key, cp->key);
}

/* This row states that the row before it was signed. */
static bool checkpoint_fits(struct chain_check *c, struct str line, const struct row_frame *f)
{
	struct audit_checkpoint cp;
	if (!checkpoint_of_row(line, &cp) || cp.seq + 1 != f->seq ||
			memcmp(cp.hash, f->prev.p, AUDIT_HASH) != 0 || !checkpoint_signed(&cp))
		return false;
	if (by_the_key(c, &cp)) {
		c->v->checkpoints++;
		c->v->signed_seq = cp.seq;
	}
	return true;
}

/* True if this is the row of the given checkpoint, and its hash differs. */
static bool is_rewritten(const struct chain_check *c, uint64_t seq, const char *hash)
{
	const struct audit_checkpoint *cp = c->anchor->checkpoint;
	return cp && cp->seq == seq && memcmp(cp->hash, hash, AUDIT_HASH) != 0;
}

/* Checks the given checkpoint before any row is read. */
static bool anchor_fits(struct chain_check *c)
{
	const struct audit_checkpoint *cp = c->anchor->checkpoint;
	if (!cp || (checkpoint_signed(cp) && by_the_key(c, cp)))
		return true;
	blame(c, AUDIT_FORGED, c->r.ndays, 0, cp->seq, "the checkpoint of row %" PRIu64
			" is not signed by %s", cp->seq,
			c->anchor->key.n ? "this key" : "the key that it names");
	return false;
}

/* After the last row, when the chain holds. */
static int anchor_ends(struct chain_check *c)
{
	const struct audit_checkpoint *cp = c->anchor->checkpoint;
	if (cp && c->last.seq < cp->seq)
		return blame(c, AUDIT_REMOVED, c->last.day, c->last.line + 1, c->last.seq + 1, "row %" PRIu64
				" was signed, and the record ends before it", cp->seq);
	if (cp && cp->seq + 1 == c->start_seq && memcmp(c->start_prev, cp->hash, AUDIT_HASH) != 0)
		return blame(c, AUDIT_REWRITTEN, 0, 1, c->start_seq, "it follows another row %" PRIu64
				" than was signed", cp->seq);
	if (cp && cp->seq + 1 < c->start_seq)
		return blame(c, AUDIT_UNANCHORED, c->r.ndays, 0, cp->seq, "row %" PRIu64
				", which was signed, has been dropped since; a newer checkpoint is needed",
				cp->seq);
	if (cp && cp->seq > c->v->signed_seq)
		c->v->signed_seq = cp->seq;
	if (c->anchor->key.n && !c->v->signed_seq)
		return blame(c, AUDIT_UNANCHORED, c->r.ndays, 0, c->last.seq,
				"nothing in the record is signed by this key");
	return 0;
}

/* ---- one row after the other ---- */

enum { ROW_FITS = 0, ROW_BAD = 1 };

static int bad_row(struct chain_check *c, uint64_t seq, const char *why)
{
	blame(c, AUDIT_CHANGED, c->r.day, c->r.line, seq, "%s", why);
	return ROW_BAD;
}

/* The chain continues from what was left, so it holds; the missing rows are reported all the same. */
static void note_recovered(struct chain_check *c, struct str line)
{
	const struct str missing = audit_inner(line, "missing");
	int64_t from, to;

	c->v->recovered++;
	if (audit_number(audit_inner(missing, "from"), &from) && audit_number(audit_inner(missing, "to"),
			&to) && from > 0 && to >= from)
		c->v->missing += (uint64_t)(to - from) + 1;
}

static int check_row(struct chain_check *c, struct str line)
{
	struct row_frame f = {0};
	char hash[AUDIT_HASH + 1];
	if (!frame_start(line, &f) || !frame_end(line, &f))
		return bad_row(c, c->last.seq + 1, "this is not a row");
	hash_text(str_first(line, line.n - HASH_FIELD), hash);
	if (memcmp(hash, f.hash.p, AUDIT_HASH) != 0)
		return bad_row(c, c->last.seq ? c->last.seq + 1 : f.seq, "its hash is not that of its bytes");
	if (memcmp(f.ts.p, c->r.names[c->r.day], DAY_CHARS) != 0)
		return bad_row(c, f.seq, "it is not of the day that the file is named after");
	if (!c->started)
		first_row(c, &f);
	else if (f.seq != c->last.seq + 1 || memcmp(f.prev.p, c->last.hash, AUDIT_HASH) != 0)
		return blame_misplaced(c, &f) < 0 ? -1 : ROW_BAD;
	if (is_rewritten(c, f.seq, f.hash.p)) {
		blame(c, AUDIT_REWRITTEN, c->r.day, c->r.line, f.seq,
				"it is another row than was signed; the chain up to here was rewritten");
		return ROW_BAD;
	}
	if (str_is(f.kind, "checkpoint") && !checkpoint_fits(c, line, &f)) {
		blame(c, AUDIT_FORGED, c->r.day, c->r.line, f.seq,
				"its signature is not of its key, or not about the row before it");
		return ROW_BAD;
	}
	if (str_is(f.kind, "tombstone"))
		note_tombstone(c, line);
	if (str_is(f.kind, "recovered"))
		note_recovered(c, line);
	c->v->rows++;
	c->v->bytes += line.n + 1;
	c->before = c->last;
	c->last = (struct good){.seq = f.seq, .line = c->r.line, .day = c->r.day};
	memcpy(c->last.hash, f.hash.p, AUDIT_HASH);
	return ROW_FITS;
}

/* After the last row: does the chain start where it may, and end where the head says? */
static int check_ends(struct chain_check *c)
{
	const uint64_t from = c->start_seq;
	if (c->started && !c->start_known) {
		if (from == 1)
			return blame(c, AUDIT_CHANGED, 0, 1, 1,
					"row 1 follows no row, and names one; its hash was recomputed");
		return blame(c, AUDIT_REMOVED, 0, 1, 1, "rows 1 to %" PRIu64
				" are missing, and no tombstone mentions them", from - 1);
	}
	if (c->last.seq < c->head.seq)
		return blame(c, AUDIT_REMOVED, c->last.day, c->last.line + 1, c->last.seq + 1,
			     "rows %" PRIu64 " to %" PRIu64 " were written and are missing at the end",
			     c->last.seq + 1, c->head.seq);
	if (c->last.seq == c->head.seq && c->last.seq && memcmp(c->last.hash, c->head.hash, AUDIT_HASH) != 0)
		return blame(c, AUDIT_CHANGED, c->last.day, c->last.line, c->last.seq,
				"it is not the row that was written last; its hash was recomputed");
	return anchor_ends(c);
}

static int check_all(struct chain_check *c)
{
	struct str line;
	if (!anchor_fits(c))
		return 0;
	for (;;) {
		int got = next_line(&c->r, &line, c->e);
		if (got < 0)
			return -1;
		if (got == READ_END)
			return check_ends(c);
		if (got == READ_TORN && c->r.day + 1 == c->r.ndays)
			return blame(c, AUDIT_TORN, c->r.day, c->r.line, c->last.seq + 1,
					"the last line has no end; the next row that is written moves it "
					"aside");
		if (got != READ_ROW) {
			bad_row(c, c->last.seq + 1, got == READ_TORN ? "the line has no end" :
					"the line is longer than a row can be");
			return 0;
		}
		int rc = check_row(c, line);
		if (rc != ROW_FITS)
			return rc < 0 ? -1 : 0;
	}
}

/* Takes names, sizes and head under the lock, so that they belong together. */
static int take_stock(struct chain_check *c, size_t max)
{
	struct chain_reader *r = &c->r;
	FD_CLEANUP int lock = lock_take(r->au, c->e);
	if (lock < 0 || day_list(r->au, r->names, max, &r->ndays, c->e) < 0)
		return -1;
	head_read(lock, &c->head);
	for (size_t i = 0; i < r->ndays; i++) {
		FD_CLEANUP int fd = day_open(r->au, r->names[i], O_RDONLY, &r->days[i].size, c->e);
		if (fd < 0)
			return -1;
	}
	return 0;
}

int audit_verify(struct arena *a, const struct audit *au, const struct audit_anchor *anchor,
		struct audit_verdict *ret, struct err *e)
{
	struct audit_verdict v = {0};
	struct chain_check c = {.r = {.au = au, .fd = -1}, .anchor = anchor, .v = &v, .e = e};
	size_t max;
	if (day_count(au, &max, e) < 0)
		return -1;
	max += DAYS_SPARE;
	c.r.names = arena_array(a, max, sizeof *c.r.names);
	c.r.days = arena_array(a, max, sizeof *c.r.days);
	c.r.p = arena_alloc(a, AUDIT_ROW_MAX + READ_BYTES);
	int rc = take_stock(&c, max) < 0 ? -1 : check_all(&c);
	fd_close(&c.r.fd);
	if (rc < 0)
		return -1;
	v.days = c.r.ndays;
	v.first_seq = c.start_seq;
	v.last_seq = c.last.seq;
	if (c.last.seq)
		memcpy(v.last_hash, c.last.hash, AUDIT_HASH);
	*ret = v;
	return 0;
}
