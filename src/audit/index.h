/*
 * The index of the record finds the rows that match a query; search.c uses it.
 *
 * Theory of operation
 *
 *     STATE/index.sqlite       0600, one entry per row: offset and length, digests of id, agent, verdict,
 *                              status, command
 *     STATE/index.lock         0600, locked exclusively to update or rebuild the index, shared to query it
 *
 * The index is a cache and is never trusted. It names offsets where a match may be; the row there is read
 * from the record's own file, parsed, and must pass the filter itself. So digests may collide, and a stale
 * index at worst misses a row until the staleness is noticed. For each day's file the index keeps inode,
 * size, mtime, the offset read so far, and the hash of the last row read. A file that only grew is read on
 * from that offset. A file that was replaced, shortened or changed otherwise is read again. A deleted file is
 * forgotten, together with texts that only it had.
 *
 * Digests are keyed (SipHash with a key of this index), so nobody can craft a command that collides with
 * another one.
 *
 * A damaged index, or one of another version or owner, is rebuilt silently. If the index cannot be used at
 * all (full disk, read-only directory, lock held too long), the files are searched and the answer is the
 * same. A process may be killed anywhere: SQLite's journal rolls back the unfinished batch, finished batches
 * stay. Nothing is synced; the first use after a boot checks the database.
 */
#pragma once
#include "audit/read.h"

#define INDEX_VERSION 1
#define INDEX_WAIT_MS 3000                      /* for the lock; then the files are searched */
#define INDEX_BATCH 50000                       /* rows of one transaction */
/* bytes of a command stored in the index; longer ones are read from the files */
#define INDEX_TEXT_MAX 4096
#define INDEX_PLACES_MAX ((size_t)4 << 20)      /* rows per query; beyond it the files are searched */

struct index_counts {
	uint64_t files, rows;         /* in the index */
	uint64_t added, dropped;      /* rows, by this call */
	uint64_t bytes;               /* of the index */
};

/* Updates the index; `anew` rebuilds it from nothing. */
int index_update(struct arena *a, const struct audit *au, bool anew, struct index_counts *ret, struct err *e);
/*
 * Updates an existing index after rows were dropped, whose texts must not stay in it. Removes the index if
 * the update fails.
 */
int index_forget(struct arena *a, const struct audit *au, struct err *e);

/* ---- searching ---- */

struct search;

/*
 * Finds the rows that pass the filter, oldest first. `newest`: only that many, the newest ones; 0: all. Uses
 * the index or reads the files. Memory holds offsets of rows and one reader.
 */
int search_new(struct arena *a, const struct audit *au, const struct audit_filter *f, size_t newest,
		struct search **ret, struct err *e);
/* Returns 1 and the next row, 0 at the end, or -1. The row lives until the next call. */
int search_next(struct search *s, struct audit_line *ret, struct err *e);
struct audit_passed search_passed(const struct search *s);
/* True if the index answers; otherwise *why says why not (empty: the index would not help). */
bool search_by_index(const struct search *s, struct str *ret_why);
void search_close(struct search *s);
/* Finds the row with this seq by bisection. Returns 1, 0 if there is none, or -1. */
int search_seq(struct arena *a, const struct audit *au, uint64_t seq, struct audit_line *ret, struct err *e);
