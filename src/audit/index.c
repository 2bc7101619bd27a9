/* The index as a database: its lock, its tables, opening it, making it anew. See index.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "audit/index_inner.h"
#include "sys/file.h"

#define APPLICATION 0x43616978 /* says in the file's header whose it is */
#define CACHE_KIB 65536
#define BOOT_FILE "/proc/sys/kernel/random/boot_id"

static const char schema[] =
	"CREATE TABLE own(key BLOB NOT NULL, boot TEXT NOT NULL);"
	/* done: offset behind the last row read, whose hash is last_hash */
	"CREATE TABLE file(day INTEGER PRIMARY KEY, inode INTEGER NOT NULL, size INTEGER NOT NULL, changed "
	"INTEGER NOT NULL,"
	" done INTEGER NOT NULL, last_hash BLOB NOT NULL, rows INTEGER NOT NULL);"
	"CREATE TABLE row(place INTEGER PRIMARY KEY, length INTEGER NOT NULL, id INTEGER NOT NULL, agent "
	"INTEGER NOT NULL,"
	" verdict INTEGER NOT NULL, status INTEGER NOT NULL, command INTEGER NOT NULL);"
	/* text NULL: longer than is kept here */
	"CREATE TABLE command(digest INTEGER PRIMARY KEY, text TEXT);"
	"CREATE INDEX row_id ON row(id);"
	"CREATE INDEX row_agent ON row(agent);"
	"CREATE INDEX row_verdict ON row(verdict);"
	"CREATE INDEX row_status ON row(status);"
	"CREATE INDEX row_command ON row(command);";

/*
 * SQLite can load extensions. This program is static and loads nothing: the linker puts this in the place of
 * dlopen (--wrap, Makefile), which would need the C library's shared twin at run time.
 */
void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags)
{
	(void)name, (void)flags;
	return NULL;
}

/* ---- names and digests ---- */

int64_t index_place(int64_t day, uint64_t at) { return day << INDEX_OFFSET_BITS | (int64_t)at; }

void index_place_split(int64_t place, int64_t *ret_day, uint64_t *ret_at)
{
	*ret_day = place >> INDEX_OFFSET_BITS;
	*ret_at = (uint64_t)place & (INDEX_OFFSET_MAX - 1);
}

void index_day_name(int64_t day, char ret[DAY_NAME + 1])
{
	char ts[AUDIT_TS_CHARS + 1];
	audit_time_text(day * AUDIT_DAY_US, ts);
	memcpy(ret, ts, DAY_CHARS);
	memcpy(ret + DAY_CHARS, ".jsonl", DAY_NAME - DAY_CHARS + 1);
}

int64_t index_day_of(const char *name)
{
	int64_t us;
	if (audit_time_parse(str_n(name, DAY_CHARS), 0, false, &us, NULL) < 0)
		return -1;
	return us / AUDIT_DAY_US;
}

/*
 * A kept command is identified by its digest alone, so it gets all 64 bits. Other digests are shortened:
 * SQLite stores small numbers in fewer bytes. A collision is sorted out when the row itself is read.
 */
int64_t index_digest(const struct index *x, enum index_column column, struct str text)
{
	static const unsigned char bits[INDEX_COLUMNS] = {[INDEX_ID] = 46, [INDEX_AGENT] = 31,
			[INDEX_VERDICT] = 7, [INDEX_STATUS] = 7, [INDEX_COMMAND] = 64};
	unsigned char hash[crypto_shorthash_siphash24_BYTES];
	uint64_t v;
	_Static_assert(crypto_shorthash_siphash24_KEYBYTES == INDEX_KEY_BYTES && sizeof hash == sizeof v,
			"SipHash");
	if (!text.n)
		return 0;
	crypto_shorthash_siphash24(hash, (const unsigned char *)text.p, text.n, x->key);
	memcpy(&v, hash, sizeof v);
	if (bits[column] < 64)
		v &= ((uint64_t)1 << bits[column]) - 1;
	return v ? (int64_t)v : 1;
}

/* ---- errors ---- */

int index_failed(struct index *x, const char *what)
{
	const int code = x->db ? sqlite3_errcode(x->db) & 0xff : SQLITE_NOMEM;
	const bool damaged = code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR ||
			code == SQLITE_MISMATCH || code == SQLITE_CONSTRAINT || code == SQLITE_SCHEMA ||
			code == SQLITE_READONLY /* it was taken away */;
	return err_set(x->e, damaged ? ERR_CONFIG : ERR_SYSTEM, 0, "cannot %s '%s': %s", what, x->path,
			x->db ? sqlite3_errmsg(x->db) : "out of memory");
}

int index_prepare(struct index *x, const char *sql, sqlite3_stmt **ret)
{
	return sqlite3_prepare_v2(x->db, sql, -1, ret, NULL) == SQLITE_OK ? 0 : index_failed(x,
			"use the index");
}

static int number_of(struct index *x, const char *sql, int64_t *ret)
{
	sqlite3_stmt *s;
	if (index_prepare(x, sql, &s) < 0)
		return -1;
	const int rc = sqlite3_step(s);
	if (rc == SQLITE_ROW)
		*ret = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	return rc == SQLITE_ROW ? 0 : index_failed(x, "read the index");
}

/* ---- the lock ---- */

static int lock_open(struct arena *a, const struct audit *au, struct index *x)
{
	char *path = str_fmt_c(a, "%.*s.lock", (int)(strlen(x->path) - strlen(".sqlite")), x->path);
	struct stat st;
	FD_CLEANUP int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_system(x->e, "cannot open '%s'", path);
	if (!S_ISREG(st.st_mode) || st.st_uid != au->uid)
		return err_config(x->e, "'%s' is not your file", path);
	x->lock = fd;
	fd = -1;
	return 0;
}

static int lock_wait(struct index *x, bool exclusive)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	struct flock whole = {.l_type = exclusive ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};
	for (int64_t waited = 0; fcntl(x->lock, F_OFD_SETLK, &whole) < 0; waited += pause.tv_nsec) {
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return err_system(x->e, "cannot lock the index");
		if (waited > (int64_t)INDEX_WAIT_MS * 1000000)
			return err_limit(x->e,
					"the index has been locked by another process for %d ms",
					INDEX_WAIT_MS);
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* ---- the database ---- */

static int run_sql(struct index *x, const char *sql)
{
	return sqlite3_exec(x->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : index_failed(x,
			"set up the index");
}

/* The file must belong to the caller and be writable by nobody else, or not exist. */
static int check_file(struct index *x)
{
	struct stat st;
	if (lstat(x->path, &st) < 0)
		return errno == ENOENT ? 0 : err_system(x->e, "cannot stat '%s'", x->path);
	if (!S_ISREG(st.st_mode) || st.st_uid != x->au->uid)
		return err_config(x->e, "'%s' is not your file", x->path);
	if (st.st_mode & (S_IWGRP | S_IWOTH | S_IRGRP | S_IROTH))
		return err_config(x->e, "other users can access '%s'", x->path);
	return 0;
}

static int db_open(struct index *x, bool make)
{
	FD_CLEANUP int fd = make ? open(x->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) :
			-1;
	if (make && fd < 0)
		return err_system(x->e, "cannot make '%s'", x->path);
	if (sqlite3_open_v2(x->path, &x->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL) != SQLITE_OK)
		return index_failed(x, "open");
	sqlite3_busy_timeout(x->db, INDEX_WAIT_MS);
	return 0;
}

static void db_close(struct index *x)
{
	if (x->db)
		sqlite3_close_v2(x->db);
	x->db = NULL;
}

/* The boot id; empty: unknown. */
static void boot_id(char ret[INDEX_BOOT_MAX])
{
	FD_CLEANUP int fd = open(BOOT_FILE, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, ret, INDEX_BOOT_MAX - 1);
	ret[n > 0 ? n : 0] = '\0';
	ret[strcspn(ret, "\n")] = '\0';
}

/* *ret_same: the database was written since the last boot. */
static int read_own(struct index *x, bool *ret_same)
{
	sqlite3_stmt *s;
	if (index_prepare(x, "SELECT key, boot FROM own", &s) < 0)
		return -1;
	const bool ok = sqlite3_step(s) == SQLITE_ROW && sqlite3_column_bytes(s, 0) == INDEX_KEY_BYTES;
	if (ok) {
		const char *boot = (const char *)sqlite3_column_text(s, 1);
		memcpy(x->key, sqlite3_column_blob(s, 0), INDEX_KEY_BYTES);
		*ret_same = boot && !strcmp(boot, x->boot);
	}
	sqlite3_finalize(s);
	return ok ? 0 : err_config(x->e, "'%s' has no key", x->path);
}

/*
 * The index is never synced: syncing would dominate the cost of a query, and it is only a cache. A power loss
 * may have kept any part of it, so the first use after a boot checks the database.
 */
static int after_start(struct index *x)
{
	sqlite3_stmt *s;
	int64_t rows, counted;
	if (index_prepare(x, "PRAGMA integrity_check(1)", &s) < 0)
		return -1;
	const bool sound = sqlite3_step(s) == SQLITE_ROW && !strcmp((const char *)sqlite3_column_text(s, 0),
			"ok");
	sqlite3_finalize(s);
	if (!sound || number_of(x, "SELECT count(*) FROM row", &rows) < 0 ||
			number_of(x, "SELECT coalesce(sum(rows), 0) FROM file", &counted) < 0 ||
			rows != counted)
		return err_config(x->e, "'%s' is damaged", x->path);
	if (index_prepare(x, "UPDATE own SET boot = ?", &s) < 0)
		return -1;
	sqlite3_bind_text(s, 1, x->boot, -1, SQLITE_STATIC);
	const int rc = sqlite3_step(s);
	sqlite3_finalize(s);
	return rc == SQLITE_DONE ? 0 : index_failed(x, "write");
}

/* Is it an index of this version? */
static int db_check(struct index *x, bool exclusive)
{
	int64_t application, version;
	bool same = false;
	if (number_of(x, "PRAGMA application_id", &application) < 0 || number_of(x, "PRAGMA user_version",
			&version) < 0)
		return -1;
	if (application != APPLICATION || version != INDEX_VERSION)
		return err_config(x->e, "'%s' is not an index of this version", x->path);
	if (read_own(x, &same) < 0)
		return -1;
	if (same)
		return 0;
	return exclusive ? after_start(x) : err_config(x->e,
			"'%s' was written before the machine was started", x->path);
}

static int write_schema(struct index *x)
{
	sqlite3_stmt *s;
	char head[160];
	if (getrandom(x->key, sizeof x->key, 0) != (ssize_t)sizeof x->key)
		return err_system(x->e, "cannot make a key for the index");
	snprintf(head, sizeof head, "BEGIN IMMEDIATE; PRAGMA application_id=%d; PRAGMA user_version=%d;",
			APPLICATION, INDEX_VERSION);
	if (run_sql(x, head) < 0 || run_sql(x, schema) < 0 || index_prepare(x, "INSERT INTO own VALUES(?,?)",
			&s) < 0)
		return -1;
	sqlite3_bind_blob(s, 1, x->key, sizeof x->key, SQLITE_STATIC);
	sqlite3_bind_text(s, 2, x->boot, -1, SQLITE_STATIC);
	const int rc = sqlite3_step(s);
	sqlite3_finalize(s);
	return rc == SQLITE_DONE ? run_sql(x, "COMMIT") : index_failed(x, "write");
}

static int remove_one(struct index *x, const char *suffix)
{
	char path[4096 + 16];
	if ((size_t)snprintf(path, sizeof path, "%s%s", x->path, suffix) >= sizeof path)
		return err_limit(x->e, "the name of the index is too long");
	if (unlink(path) < 0 && errno != ENOENT)
		return err_system(x->e, "cannot remove '%s'", path);
	return 0;
}

static int apply_settings(struct index *x)
{
	char sql[200];
	snprintf(sql, sizeof sql,
			"PRAGMA cache_size=-%d; PRAGMA synchronous=%s; PRAGMA temp_store=MEMORY; PRAGMA "
			"journal_mode=TRUNCATE; PRAGMA locking_mode=EXCLUSIVE;", CACHE_KIB,
			x->boot[0] ? "OFF" : "NORMAL");
	return run_sql(x, sql);
}

/* Needs the exclusive lock. Deletes the database and creates an empty one. */
static int make_anew(struct index *x)
{
	db_close(x);
	/* Delete the journal first, or SQLite would replay it into the new file. */
	if (remove_one(x, "-journal") < 0 || remove_one(x, "-wal") < 0 || remove_one(x, "-shm") < 0 ||
			remove_one(x, "") < 0)
		return -1;
	return db_open(x, true) < 0 || apply_settings(x) < 0 || write_schema(x) < 0 ? -1 : 0;
}

static char *index_path(struct arena *a, const struct audit *au)
{
	return str_fmt_c(a, "%.*s/index.sqlite", (int)(au->path.n - strlen("/audit")), au->path.p);
}

int index_open(struct arena *a, const struct audit *au, bool exclusive, struct index *ret, struct err *e)
{
	struct index x = {.au = au, .lock = -1, .e = e};
	struct stat st;
	boot_id(x.boot);
	x.path = index_path(a, au);
	if (lock_open(a, au, &x) < 0)
		return -1;
	int bad = lock_wait(&x, exclusive);
	if (!bad && !exclusive && stat(x.path, &st) < 0)
		bad = err_set(e, ERR_CONFIG, errno, "no index yet");
	if (!bad)
		bad = check_file(&x) < 0 ||
				(stat(x.path, &st) < 0 ? make_anew(&x) : db_open(&x, false)) < 0 ||
				(exclusive && apply_settings(&x) < 0) || db_check(&x, exclusive) < 0;
	if (bad && exclusive && e && e->kind == ERR_CONFIG) /* damaged, or of another version */
		bad = make_anew(&x) < 0;
	if (bad) {
		index_close(&x);
		return -1;
	}
	*ret = x;
	return 0;
}

void index_close(struct index *x)
{
	db_close(x);
	fd_close(&x->lock);
}

int index_update(struct arena *a, const struct audit *au, bool anew, struct index_counts *ret, struct err *e)
{
	struct index x;
	struct err why = {0};
	struct index_counts counts = {0};
	struct stat st;
	int bad = index_open(a, au, true, &x, &why);
	if (!bad) {
		bad = (anew && make_anew(&x) < 0) || index_sync(&x, a, &counts) < 0;
		if (bad && why.kind == ERR_CONFIG) { /* found to be damaged on the way */
			counts = (struct index_counts){0};
			bad = make_anew(&x) < 0 || index_sync(&x, a, &counts) < 0;
		}
		if (!bad && stat(x.path, &st) == 0)
			counts.bytes = (uint64_t)st.st_size;
		index_close(&x);
	}
	if (bad) {
		if (e)
			*e = why;
		return -1;
	}
	*ret = counts;
	return 0;
}

int index_forget(struct arena *a, const struct audit *au, struct err *e)
{
	struct index x = {.au = au, .lock = -1, .e = e};
	struct index_counts counts;
	struct stat st;
	x.path = index_path(a, au);
	if (lstat(x.path, &st) < 0)
		return errno == ENOENT ? 0 : err_system(e, "cannot stat '%s'", x.path);
	if (index_update(a, au, false, &counts, e) == 0)
		return 0;
	return remove_one(&x, "-journal") < 0 || remove_one(&x, "") < 0 ? -1 : 0;
}
