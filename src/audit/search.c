/* Searches the record: by the index where it helps, else by reading the files. See index.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "audit/index_inner.h"
#include "sys/file.h"

#define LOOKUPS_MAX 2000 /* commands looked up one by one; beyond it all rows are scanned */
#define SPARE_PLACES 256
#define WHY_MAX 200

struct row_place {
	int64_t at;      /* index_place() */
	int64_t length;
};

struct row_places {
	struct row_place *v;
	size_t n, cap;
};

struct search {
	struct arena *a;
	const struct audit *au;
	struct audit_filter f;
	struct audit_reader *reader; /* NULL: by places */
	struct row_places places;
	size_t most;                 /* positions wanted, the newest ones; 0: all */
	size_t next;
	bool by_index;
	char why[WHY_MAX];
	/* the file that the last place was in */
	int fd;
	int64_t day;
	char name[DAY_NAME + 1];
	char *line;
	struct buf scratch;
	struct audit_passed passed;
};

/* ---- places ---- */

static int add_place(struct search *s, int64_t at, int64_t length, struct err *e)
{
	struct row_places *p = &s->places;
	if (p->n == INDEX_PLACES_MAX)
		return err_limit(e, "more than %zu rows", INDEX_PLACES_MAX);
	p->v = arena_room(s->a, p->v, p->n, &p->cap, sizeof(*p->v));
	p->v[p->n++] = (struct row_place){at, length};
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct row_place *x = a, *y = b;
	return (x->at > y->at) - (x->at < y->at);
}

static void sort_places(struct row_places *p)
{
	if (p->n)
		qsort(p->v, p->n, sizeof *p->v, by_place);
}

static void reverse_places(struct row_places *p)
{
	for (size_t i = 0, k = p->n; i + 1 < k; i++) {
		struct row_place swap = p->v[i];
		p->v[i] = p->v[--k];
		p->v[k] = swap;
	}
}

/* The day's file stays open until another day is needed. */
static int turn_to(struct search *s, int64_t day, struct err *e)
{
	struct err why = {0};
	off_t size;
	if (s->fd >= 0 && s->day == day)
		return 1;
	fd_close(&s->fd);
	index_day_name(day, s->name);
	s->day = day;
	s->fd = day_open(s->au, s->name, O_RDONLY, &size, &why);
	if (s->fd >= 0)
		return 1;
	if (why.kind == ERR_SYSTEM && why.errnum == ENOENT)
		return 0;
	if (e)
		*e = why;
	return -1;
}

/*
 * Reads the row at a position: 1 if it is there and passes, 0 or -1. The position must be a whole line, with
 * a newline before and behind it.
 */
static int row_at(struct search *s, const struct row_place *p, struct audit_line *ret, bool *ret_unsure,
		struct err *e)
{
	int64_t day;
	uint64_t at;
	index_place_split(p->at, &day, &at);
	const int there = turn_to(s, day, e);
	if (there <= 0 || p->length <= 0 || (uint64_t)p->length >= AUDIT_ROW_MAX)
		return there < 0 ? -1 : 0;
	const size_t before = at > 0, n = before + (size_t)p->length + 1;
	const ssize_t got = fd_read_at(s->fd, s->line, n, (off_t)(at - before));
	if (got < 0)
		return err_system(e, "cannot read '%s' of the record", s->name);
	if ((size_t)got != n || (before && s->line[0] != '\n') || s->line[n - 1] != '\n' ||
			!audit_line_parse(str_n(s->line + before, (size_t)p->length), ret))
		return 0;
	ret->file = s->name;
	ret->at = at;
	return audit_passes(&s->f, ret, &s->scratch, ret_unsure);
}

/* ---- asking the index ---- */

struct query {
	char sql[512];
	int64_t values[2 + INDEX_COLUMNS];
	int n;
};

static void range_of(const struct audit_filter *f, int64_t *ret_from, int64_t *ret_to)
{
	*ret_from = index_place(f->since > 0 ? f->since / AUDIT_DAY_US : 0, 0);
	*ret_to = index_place(f->until > 0 ? (f->until - 1) / AUDIT_DAY_US : (1 << 22), INDEX_OFFSET_MAX - 1);
}

/*
 * The first of these columns in the query is looked up by its index, the others are compared (the + keeps
 * SQLite from choosing another index).
 */
static void build_query(const struct search *s, const struct index *x, const int64_t *command,
	struct query *q)
{
	const struct {
		enum index_column column;
		const char *name;
		struct str text;
	} by[] = {{INDEX_ID, "id", s->f.id}, {INDEX_AGENT, "agent", s->f.agent_id},
			{INDEX_STATUS, "status", s->f.status}, {INDEX_VERDICT, "verdict", s->f.verdict}};
	bool first = !command;
	int n = snprintf(q->sql, sizeof q->sql,
			"SELECT place, length, command FROM row WHERE place BETWEEN ? AND ?%s",
			command ? " AND command = ?" : "");
	range_of(&s->f, &q->values[0], &q->values[1]);
	q->n = 2;
	if (command)
		q->values[q->n++] = *command;
	for (size_t i = 0; i < ARRAY_SIZE(by); i++) {
		if (!by[i].text.n)
			continue;
		n += snprintf(q->sql + n, sizeof q->sql - (size_t)n, " AND %s%s = ?", first ? "" : "+",
				by[i].name);
		q->values[q->n++] = index_digest(x, by[i].column, by[i].text);
		first = false;
	}
	n += snprintf(q->sql + n, sizeof q->sql - (size_t)n, " ORDER BY place");
	if (s->most)
		snprintf(q->sql + n, sizeof q->sql - (size_t)n, " DESC LIMIT %zu", s->most);
}

struct digests {
	int64_t *v;
	size_t n, cap;
};

static int by_number(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static int run_query(struct search *s, struct index *x, const int64_t *command, const struct digests *among)
{
	struct query q = {0};
	sqlite3_stmt *st;
	int rc, bad = 0;
	build_query(s, x, command, &q);
	if (index_prepare(x, q.sql, &st) < 0)
		return -1;
	for (int i = 0; i < q.n; i++)
		sqlite3_bind_int64(st, 1 + i, q.values[i]);
	while ((rc = sqlite3_step(st)) == SQLITE_ROW && !bad) {
		const int64_t digest = sqlite3_column_int64(st, 2);
		if (among && !(among->n && bsearch(&digest, among->v, among->n, sizeof digest, by_number)))
			continue;
		bad = add_place(s, sqlite3_column_int64(st, 0), sqlite3_column_int64(st, 1), x->e);
	}
	if (!bad && rc != SQLITE_DONE)
		bad = index_failed(x, "read the index");
	sqlite3_finalize(st);
	return bad;
}

/* The commands that match the expression, or may match because they are too long to be stored. */
static int find_digests(struct search *s, struct index *x, struct digests *d)
{
	sqlite3_stmt *st;
	int rc;
	if (index_prepare(x, "SELECT digest, text FROM command", &st) < 0)
		return -1;
	while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
		const char *text = sqlite3_column_blob(st, 1);
		const bool kept = sqlite3_column_type(st, 1) != SQLITE_NULL;
		if (kept && regex_match(s->f.grep,
				str_n(text ? text : "", (size_t)sqlite3_column_bytes(st, 1))) == REGEX_NO)
			continue;
		d->v = arena_room(s->a, d->v, d->n, &d->cap, sizeof(*d->v));
		d->v[d->n++] = sqlite3_column_int64(st, 0);
	}
	sqlite3_finalize(st);
	if (rc != SQLITE_DONE)
		return index_failed(x, "read the index");
	if (d->n)
		qsort(d->v, d->n, sizeof *d->v, by_number);
	return 0;
}

static int collect_places(struct search *s, struct index *x)
{
	struct digests d = {0};
	s->places.n = 0;
	if (!s->f.grep) {
		const int bad = run_query(s, x, NULL, NULL);
		if (s->most)
			reverse_places(&s->places);
		return bad;
	}
	if (find_digests(s, x, &d) < 0)
		return -1;
	if (s->f.id.n || s->f.agent_id.n || d.n > LOOKUPS_MAX)
		return run_query(s, x, NULL, &d);
	for (size_t i = 0; i < d.n; i++)
		if (run_query(s, x, &d.v[i], NULL) < 0)
			return -1;
	sort_places(&s->places);
	return 0;
}

/* An index that is up to date is only queried; otherwise one process at a time updates it. */
static int by_index(struct search *s, struct err *e)
{
	struct index x;
	int rc = index_open(s->a, s->au, false, &x, e);
	if (rc == 0) {
		const int current = index_is_current(&x, s->a);
		rc = current == 1 ? collect_places(s, &x) : -1;
		index_close(&x);
		if (rc == 0)
			return 0;
	} else if (e->kind == ERR_LIMIT)
		return -1; /* locked for too long: waiting once is enough */
	struct index_counts counts;
	if (index_open(s->a, s->au, true, &x, e) < 0)
		return -1;
	rc = index_sync(&x, s->a, &counts) < 0 ? -1 : collect_places(s, &x);
	index_close(&x);
	if (rc < 0 && e->kind == ERR_CONFIG) { /* damaged further inside: rebuild and try once more */
		if (index_update(s->a, s->au, true, &counts, e) < 0 ||
				index_open(s->a, s->au, false, &x, e) < 0)
			return -1;
		rc = collect_places(s, &x);
		index_close(&x);
	}
	return rc;
}

/* ---- the search ---- */

static bool would_help(const struct audit_filter *f)
{
	return f->id.n || f->agent_id.n || f->verdict.n || f->status.n || f->grep;
}

/* Keeps only the newest positions whose rows pass. Each row is read to find out. */
static int keep_newest(struct search *s, size_t newest, struct err *e)
{
	struct audit_line *l = arena_new(s->a, struct audit_line);
	struct row_places *p = &s->places;
	size_t to = p->n, i = p->n;
	for (; i > 0 && p->n - to < newest; i--) {
		const int there = row_at(s, &p->v[i - 1], l, NULL, e);
		if (there < 0)
			return -1;
		if (there)
			p->v[--to] = p->v[i - 1];
	}
	s->next = to;
	return 0;
}

/* Nearly every position from the index passes, so ask for a few more than wanted at first. */
static int newest_by_index(struct search *s, size_t newest, struct err *why, struct err *e)
{
	s->most = s->f.grep ? 0 : newest + SPARE_PLACES;
	if (by_index(s, why) < 0)
		return 1;
	if (keep_newest(s, newest, e) < 0)
		return -1;
	if (!s->most || s->places.n < s->most || s->places.n - s->next >= newest)
		return 0;
	s->most = 0;
	if (by_index(s, why) < 0)
		return 1;
	return keep_newest(s, newest, e);
}

static int scan_newest(struct search *s, size_t newest, struct err *e)
{
	struct audit_line *l = arena_new(s->a, struct audit_line);
	int got = 1;
	while (s->places.n < newest && (got = audit_next(s->reader, l, e)) > 0)
		if (add_place(s, index_place(index_day_of(l->file), l->at), (int64_t)l->text.n, e) < 0)
			return -1;
	s->passed = audit_reader_passed(s->reader);
	audit_reader_close(s->reader);
	s->reader = NULL;
	reverse_places(&s->places);
	return got < 0 ? -1 : 0;
}

int search_new(struct arena *a, const struct audit *au, const struct audit_filter *f, size_t newest,
		struct search **ret, struct err *e)
{
	struct search *s = arena_new(a, struct search);
	struct err why = {0};
	*s = (struct search){.a = a, .au = au, .f = *f, .fd = -1};
	s->line = arena_alloc(a, AUDIT_ROW_MAX + 2);
	buf_init(&s->scratch, a, AUDIT_ROW_MAX);
	s->scratch.p = arena_alloc(a, AUDIT_ROW_MAX);
	s->scratch.cap = AUDIT_ROW_MAX;
	if (newest > INDEX_PLACES_MAX)
		newest = INDEX_PLACES_MAX;
	int bad = !would_help(f) ? 1 : newest ? newest_by_index(s, newest, &why, e) : by_index(s, &why) < 0;
	s->by_index = bad == 0;
	memcpy(s->why, why.text, sizeof s->why - 1);
	if (bad > 0) {
		s->places.n = s->next = 0;
		bad = audit_reader_new(a, au, f, newest ? AUDIT_NEWEST_FIRST : AUDIT_OLDEST_FIRST, &s->reader,
				e) < 0 || (newest && scan_newest(s, newest, e) < 0);
	}
	if (bad) {
		search_close(s);
		return -1;
	}
	*ret = s;
	return 0;
}

int search_next(struct search *s, struct audit_line *ret, struct err *e)
{
	if (s->reader)
		return audit_next(s->reader, ret, e);
	while (s->next < s->places.n) {
		bool unsure = false;
		const int there = row_at(s, &s->places.v[s->next++], ret, &unsure, e);
		s->passed.rows++;
		s->passed.unsure += unsure && there > 0;
		if (there)
			return there;
	}
	return 0;
}

struct audit_passed search_passed(const struct search *s)
{
	return s->reader ? audit_reader_passed(s->reader) : s->passed;
}

bool search_by_index(const struct search *s, struct str *ret_why)
{
	if (ret_why)
		*ret_why = s->by_index ? STR("") : str_of(s->why);
	return s->by_index;
}

void search_close(struct search *s)
{
	if (s->reader)
		audit_reader_close(s->reader);
	fd_close(&s->fd);
}

/* ---- by number ---- */

#define CLOSE_ENOUGH ((uint64_t)64 << 10) /* bytes that are read through */

/*
 * The first row that starts at `at` or behind it. `at` may lie inside a line: the rest of that line is not a
 * row.
 */
static int first_behind(struct audit_reader *r, const char *name, uint64_t at, struct audit_line *l,
		struct err *e)
{
	return audit_reader_seek(r, name, at, e) < 0 ? -1 : audit_next(r, l, e);
}

/* seq increases, so bisection finds the row. */
static int seq_in_file(const struct audit *au, struct audit_reader *r, const char *name, uint64_t seq,
		struct audit_line *l, struct err *e)
{
	off_t size;
	FD_CLEANUP int fd = day_open(au, name, O_RDONLY, &size, e);
	uint64_t from = 0, to = (uint64_t)size;
	int got;
	if (fd < 0)
		return -1;
	while (to - from > CLOSE_ENOUGH) {
		const uint64_t middle = from + (to - from) / 2;
		if ((got = first_behind(r, name, middle, l, e)) < 0)
			return -1;
		if (!got || l->at >= to || l->seq > seq)
			to = middle;
		else
			from = l->at;
	}
	for (got = first_behind(r, name, from, l, e); got > 0 && l->seq < seq; )
		got = audit_next(r, l, e);
	return got > 0 && l->seq != seq ? 0 : got;
}

/* The file that holds it: the last one whose first seq is not larger. */
static int seq_in_files(const struct audit *au, struct audit_reader *r, char (*names)[DAY_NAME + 1], size_t n,
		uint64_t seq, struct audit_line *l, struct err *e)
{
	size_t from = 0, to = n;
	while (from < to) {
		const size_t middle = from + (to - from) / 2;
		const int got = first_behind(r, names[middle], 0, l, e);
		if (got < 0)
			return -1;
		if (got && l->seq <= seq)
			from = middle + 1;
		else
			to = middle;
	}
	return from ? seq_in_file(au, r, names[from - 1], seq, l, e) : 0;
}

int search_seq(struct arena *a, const struct audit *au, uint64_t seq, struct audit_line *ret, struct err *e)
{
	static const struct audit_filter all = {0};
	struct audit_line *l = arena_new(a, struct audit_line);
	struct audit_reader *r;
	size_t n;
	if (day_count(au, &n, e) < 0)
		return -1;
	const size_t max = n + DAYS_SPARE;
	char (*names)[DAY_NAME + 1] = arena_array(a, max, sizeof *names);
	if (day_list(au, names, max, &n, e) < 0 || audit_reader_new(a, au, &all, AUDIT_OLDEST_FIRST, &r,
			e) < 0)
		return -1;
	int got = seq_in_files(au, r, names, n, seq, l, NULL);
	if (got <= 0) { /* seq out of order, or files that come and go: fall back to a linear scan */
		audit_reader_close(r);
		if (audit_reader_new(a, au, &all, AUDIT_NEWEST_FIRST, &r, e) < 0)
			return -1;
		while ((got = audit_next(r, l, e)) > 0 && l->seq != seq)
			;
	}
	audit_reader_close(r);
	if (got > 0)
		*ret = *l; /* its bytes belong to the reader, whose memory is in the arena */
	return got;
}
