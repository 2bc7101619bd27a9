/* Shared by the files of the index. */
#pragma once
#include <sqlite3.h>

#include "audit/index.h"
#include "audit/inner.h"

#define INDEX_KEY_BYTES 16 /* of SipHash */
#define INDEX_BOOT_MAX 64
#define INDEX_OFFSET_BITS 40
#define INDEX_OFFSET_MAX ((uint64_t)1 << INDEX_OFFSET_BITS)

/* The columns of a row that are digests. */
enum index_column { INDEX_ID, INDEX_AGENT, INDEX_VERDICT, INDEX_STATUS, INDEX_COMMAND };
#define INDEX_COLUMNS (INDEX_COMMAND + 1)

struct index {
	const struct audit *au;
	char *path;              /* of the database */
	int lock;                /* -1: not locked */
	sqlite3 *db;
	unsigned char key[INDEX_KEY_BYTES];
	char boot[INDEX_BOOT_MAX]; /* which start of the machine this is */
	struct err *e;
};

/* Takes the lock and opens the database; creates or rebuilds it if needed. `shared`: for queries only. */
int index_open(struct arena *a, const struct audit *au, bool exclusive, struct index *ret, struct err *e);
void index_close(struct index *x);
/* Turns an SQLite failure into an error; a damaged database is ERR_CONFIG. */
int index_failed(struct index *x, const char *what);
int index_prepare(struct index *x, const char *sql, sqlite3_stmt **ret);
/* Never 0: that means that the text is missing. */
int64_t index_digest(const struct index *x, enum index_column column, struct str text);
/* The position of a row: day (days since 1970) and offset, in record order. */
int64_t index_place(int64_t day, uint64_t at);
void index_place_split(int64_t place, int64_t *ret_day, uint64_t *ret_at);
void index_day_name(int64_t day, char ret[DAY_NAME + 1]);
int64_t index_day_of(const char *name); /* -1: no day of the calendar */

/* index_sync.c. Returns 1 if the index matches the files, 0 if not, -1 on error. Changes nothing. */
int index_is_current(struct index *x, struct arena *a);
/* Reads the new rows into the index. */
int index_sync(struct index *x, struct arena *a, struct index_counts *ret);
