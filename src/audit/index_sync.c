/* Updates the index: finds the changed files and reads their new rows. See index.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/index_inner.h"
#include "sys/file.h"

#define SEEN_BITS 16 /* recently seen commands that the index already has */

struct dayfile { /* a file: as the index knows it, or as it is now */
	int64_t day, inode, size, changed;
	int64_t done, rows;
	char hash[AUDIT_HASH]; /* of the last row, when done is not 0 */
	bool there;
};

struct day_files {
	struct dayfile *v;
	size_t n;
};

struct sync {
	struct index *x;
	struct audit_reader *reader;
	struct audit_line *line;
	struct buf scratch;
	struct day_files files, known;
	sqlite3_stmt *put_row, *put_command, *put_file;
	int64_t *seen;
	uint64_t batch;  /* rows since the transaction began */
	struct index_counts counts;
};

/* ---- what there is ---- */

static int list_files(struct index *x, struct arena *a, struct day_files *ret)
{
	size_t n, max;
	if (day_count(x->au, &max, x->e) < 0)
		return -1;
	max += DAYS_SPARE;
	char (*names)[DAY_NAME + 1] = arena_array(a, max, sizeof *names);
	ret->v = arena_array(a, max, sizeof *ret->v);
	if (day_list(x->au, names, max, &n, x->e) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct dayfile *k = &ret->v[ret->n];
		struct stat st;
		if ((k->day = index_day_of(names[i])) < 0)
			continue; /* an invalid day, so no row can have it */
		if (fstatat(x->au->dir, names[i], &st, AT_SYMLINK_NOFOLLOW) < 0) {
			if (errno == ENOENT)
				continue;
			return err_system(x->e, "cannot stat '%s' of the record", names[i]);
		}
		k->inode = (int64_t)st.st_ino;
		k->size = st.st_size;
		k->changed = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
		ret->n++;
	}
	return 0;
}

static int list_known(struct index *x, struct arena *a, struct day_files *ret)
{
	sqlite3_stmt *s;
	int rc = SQLITE_DONE;
	ret->v = arena_array(a, AUDIT_DAYS_MAX, sizeof *ret->v);
	if (index_prepare(x, "SELECT day, inode, size, changed, done, last_hash, rows FROM file ORDER BY day",
			&s) < 0)
		return -1;
	while (ret->n < AUDIT_DAYS_MAX && (rc = sqlite3_step(s)) == SQLITE_ROW) {
		struct dayfile *k = &ret->v[ret->n++];
		k->day = sqlite3_column_int64(s, 0);
		k->inode = sqlite3_column_int64(s, 1);
		k->size = sqlite3_column_int64(s, 2);
		k->changed = sqlite3_column_int64(s, 3);
		k->done = sqlite3_column_int64(s, 4);
		k->rows = sqlite3_column_int64(s, 6);
		if (sqlite3_column_bytes(s, 5) == AUDIT_HASH)
			memcpy(k->hash, sqlite3_column_blob(s, 5), AUDIT_HASH);
		else
			k->done = 0;
	}
	sqlite3_finalize(s);
	return rc == SQLITE_DONE ? 0 : index_failed(x, "read the index");
}

static bool is_unchanged(const struct dayfile *a, const struct dayfile *b)
{
	return a->day == b->day && a->inode == b->inode && a->size == b->size && a->changed == b->changed;
}

int index_is_current(struct index *x, struct arena *a)
{
	struct day_files files = {0}, known = {0};
	if (list_files(x, a, &files) < 0 || list_known(x, a, &known) < 0)
		return -1;
	if (files.n != known.n)
		return 0;
	for (size_t i = 0; i < files.n; i++)
		if (!is_unchanged(&files.v[i], &known.v[i]))
			return 0;
	return 1;
}

/* True if the last row that the index read is still at its offset. */
static bool still_there(const struct index *x, const char *name, const struct dayfile *k)
{
	char end[FRAME_END + 1];
	struct row_frame f;
	off_t size;
	FD_CLEANUP int fd = day_open(x->au, name, O_RDONLY, &size, NULL);
	if (fd < 0 || size < k->done || k->done < (int64_t)sizeof end ||
			pread(fd, end, sizeof end, k->done - (off_t)sizeof end) != (ssize_t)sizeof end)
		return false;
	return end[FRAME_END] == '\n' && frame_end(str_n(end, FRAME_END), &f) &&
			!memcmp(f.hash.p, k->hash, AUDIT_HASH);
}

/* ---- writing ---- */

static int run_statement(struct index *x, sqlite3_stmt *s)
{
	const int rc = sqlite3_step(s);
	sqlite3_reset(s);
	return rc == SQLITE_DONE ? 0 : index_failed(x, "write the index");
}

static int run_sql(struct index *x, const char *sql)
{
	return sqlite3_exec(x->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : index_failed(x,
			"write the index");
}

/* Stores a command once. The table may forget one; that costs one database look-up. */
static int put_command(struct sync *s, int64_t digest, struct str text)
{
	int64_t *seen = &s->seen[(uint64_t)digest >> (64 - SEEN_BITS)];
	if (!digest || *seen == digest)
		return 0;
	sqlite3_bind_int64(s->put_command, 1, digest);
	if (text.n <= INDEX_TEXT_MAX)
		sqlite3_bind_blob(s->put_command, 2, text.p, (int)text.n, SQLITE_STATIC);
	else
		sqlite3_bind_null(s->put_command, 2);
	*seen = digest;
	return run_statement(s->x, s->put_command);
}

static int put_row(struct sync *s, const struct audit_line *l, int64_t day)
{
	static const struct {
		enum index_column column;
		char key[12];
	} texts[] = {{INDEX_AGENT, "agent_id"}, {INDEX_VERDICT, "verdict"}, {INDEX_STATUS, "status"}};
	struct index *x = s->x;
	sqlite3_bind_int64(s->put_row, 1, index_place(day, l->at));
	sqlite3_bind_int64(s->put_row, 2, (int64_t)l->text.n);
	sqlite3_bind_int64(s->put_row, 3, index_digest(x, INDEX_ID, l->id));
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		sqlite3_bind_int64(s->put_row, 4 + (int)i,
				index_digest(x, texts[i].column,
				audit_text_buf(&s->scratch, audit_field(l, texts[i].key))));
	struct str command = audit_text_buf(&s->scratch, audit_field(l, "command"));
	const int64_t digest = index_digest(x, INDEX_COMMAND, command);
	sqlite3_bind_int64(s->put_row, 7, digest);
	return put_command(s, digest, command) < 0 || run_statement(x, s->put_row) < 0 ? -1 : 0;
}

static int put_file(struct sync *s, const struct dayfile *k)
{
	const int64_t numbers[] = {k->day, k->inode, k->size, k->changed, k->done, k->rows};
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		sqlite3_bind_int64(s->put_file, 1 + (int)i, numbers[i]);
	sqlite3_bind_blob(s->put_file, 7, k->hash, AUDIT_HASH, SQLITE_STATIC);
	return run_statement(s->x, s->put_file);
}

static int drop_rows(struct sync *s, const struct dayfile *k)
{
	char sql[160];
	if (!k->done)
		return 0;
	snprintf(sql, sizeof sql, "DELETE FROM row WHERE place BETWEEN %lld AND %lld",
			(long long)index_place(k->day, 0),
			(long long)index_place(k->day, INDEX_OFFSET_MAX - 1));
	if (run_sql(s->x, sql) < 0)
		return -1;
	s->counts.dropped += (uint64_t)sqlite3_changes(s->x->db);
	return 0;
}

static int drop_file(struct sync *s, const struct dayfile *k)
{
	char sql[80];
	snprintf(sql, sizeof sql, "DELETE FROM file WHERE day = %lld", (long long)k->day);
	return drop_rows(s, k) < 0 || run_sql(s->x, sql) < 0 ? -1 : 0;
}

/* ---- one file ---- */

/* Commits the rows read so far; they stay even if the rest fails. */
static int commit_batch(struct sync *s, const struct dayfile *k)
{
	s->batch = 0;
	return put_file(s, k) < 0 || run_sql(s->x, "COMMIT; BEGIN IMMEDIATE") < 0 ? -1 : 0;
}

/*
 * Reads the rows behind k->done. The file counts as changed until it is read completely; only then its size
 * and mtime are stored.
 */
static int read_on(struct sync *s, const char *name, const struct dayfile *now, struct dayfile *k)
{
	struct index *x = s->x;
	struct audit_line *l = s->line;
	int got;
	struct err why = {0};
	k->inode = now->inode;
	k->size = k->changed = -1;
	if (audit_reader_seek(s->reader, name, (uint64_t)k->done, &why) < 0) {
		if (why.kind == ERR_SYSTEM && why.errnum == ENOENT)
			return put_file(s, k);
		if (x->e)
			*x->e = why;
		return -1;
	}
	while ((got = audit_next(s->reader, l, x->e)) > 0) {
		if (l->at >= INDEX_OFFSET_MAX)
			return err_limit(x->e, "'%s' is too large for the index", name);
		if (put_row(s, l, k->day) < 0)
			return -1;
		k->done = (int64_t)(l->at + l->text.n + 1);
		k->rows++;
		memcpy(k->hash, l->hash.p, AUDIT_HASH);
		s->counts.added++;
		if (++s->batch >= INDEX_BATCH && commit_batch(s, k) < 0)
			return -1;
	}
	k->size = now->size;
	k->changed = now->changed;
	return got < 0 ? -1 : put_file(s, k);
}

static int sync_file(struct sync *s, const struct dayfile *now, const struct dayfile *before)
{
	struct dayfile k = before ? *before : (struct dayfile){.day = now->day};
	char name[DAY_NAME + 1];
	index_day_name(now->day, name);
	/*
	 * Same size, new mtime: read everything again. Grown: keep the old part if its last row has the same
	 * hash.
	 */
	const bool goes_on = before && now->inode == before->inode && now->size != before->size &&
			now->size >= before->done && (!before->done || still_there(s->x, name, before));
	if (before && !goes_on) {
		if (drop_rows(s, before) < 0)
			return -1;
		k.done = k.rows = 0;
	}
	return read_on(s, name, now, &k);
}

/* Both lists are in the order of days. */
static int sync_files(struct sync *s)
{
	size_t k = 0;
	for (size_t i = 0; i < s->files.n; i++) {
		const struct dayfile *now = &s->files.v[i], *before = NULL;
		for (; k < s->known.n && s->known.v[k].day < now->day; k++)
			if (drop_file(s, &s->known.v[k]) < 0)
				return -1;
		if (k < s->known.n && s->known.v[k].day == now->day)
			before = &s->known.v[k++];
		if (before && is_unchanged(now, before))
			continue;
		if (sync_file(s, now, before) < 0)
			return -1;
	}
	for (; k < s->known.n; k++)
		if (drop_file(s, &s->known.v[k]) < 0)
			return -1;
	/* Rows dropped from the record must not stay readable in the index. */
	return s->counts.dropped ? run_sql(s->x,
			"DELETE FROM command WHERE NOT EXISTS (SELECT 1 FROM row WHERE row.command = "
			"digest)") : 0;
}

static int count_rows(struct sync *s)
{
	sqlite3_stmt *st;
	if (index_prepare(s->x, "SELECT count(*), sum(rows) FROM file", &st) < 0)
		return -1;
	if (sqlite3_step(st) == SQLITE_ROW) {
		s->counts.files = (uint64_t)sqlite3_column_int64(st, 0);
		s->counts.rows = (uint64_t)sqlite3_column_int64(st, 1);
	}
	sqlite3_finalize(st);
	return 0;
}

static int in_transaction(struct sync *s)
{
	struct index *x = s->x;
	if (index_prepare(x, "INSERT INTO row VALUES(?,?,?,?,?,?,?)", &s->put_row) < 0 ||
			index_prepare(x, "INSERT OR IGNORE INTO command VALUES(?,?)", &s->put_command) < 0 ||
	    index_prepare(x,
	    "INSERT OR REPLACE INTO file(day, inode, size, changed, done, rows, last_hash) "
	    "VALUES(?,?,?,?,?,?,?)", &s->put_file) < 0)
		return -1;
	return run_sql(x, "BEGIN IMMEDIATE") < 0 || sync_files(s) < 0 || run_sql(x, "COMMIT") < 0 ||
			count_rows(s) < 0 ? -1 : 0;
}

int index_sync(struct index *x, struct arena *a, struct index_counts *ret)
{
	static const struct audit_filter all = {0};
	struct sync s = {.x = x, .line = arena_new(a, struct audit_line),
			.seen = arena_array(a, (size_t)1 << SEEN_BITS, sizeof *s.seen)};
	buf_init(&s.scratch, a, AUDIT_ROW_MAX);
	s.scratch.p = arena_alloc(a, AUDIT_ROW_MAX);
	s.scratch.cap = AUDIT_ROW_MAX;
	if (list_files(x, a, &s.files) < 0 || list_known(x, a, &s.known) < 0 ||
			audit_reader_new(a, x->au, &all, AUDIT_OLDEST_FIRST, &s.reader, x->e) < 0)
		return -1;
	const int bad = in_transaction(&s);
	audit_reader_close(s.reader);
	sqlite3_finalize(s.put_row);
	sqlite3_finalize(s.put_command);
	sqlite3_finalize(s.put_file);
	if (bad) {
		sqlite3_exec(x->db, "ROLLBACK", NULL, NULL, NULL);
		return -1;
	}
	*ret = s.counts;
	return 0;
}
