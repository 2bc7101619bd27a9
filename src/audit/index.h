/*
 * The index of the record: where the rows are that a question is about. And the search that uses it.
 *
 * Theory of operation
 *
 *     STATE/index.sqlite       0600, what was found in the files so far, by row: place and length, digests of id, agent, verdict, status, command
 *     STATE/index.lock         0600, locked exclusively by whoever brings the index up to date or makes it anew, shared by whoever asks it
 *
 * The index is a cache and never believed: it names places where an answer may be. What is found there is read from the record's own files, taken
 * apart, and must pass the filter itself. So a digest may collide, and a stale index at worst misses a row until it is noticed. For each day's file it
 * keeps inode, size, time of change, how far it was read, and the hash of the last row read. A file that only grew is read on from there; one
 * that is another, shorter, or changed otherwise is read anew; one that is gone is forgotten, with the texts only it had.
 *
 * Digests are keyed (SipHash, with a key of the index's own): who may choose a command cannot choose one that passes for another.
 *
 * An index that is damaged, of another version or another's making is made anew, silently. One that cannot be used at all (a full disk, a
 * directory that cannot be written, a lock that is held too long) is done without: the files are searched, the answer is the same.
 * A process may be killed anywhere: SQLite's journal takes back what was not finished, and batches that were go on counting. Nothing is synced;
 * after a start of the machine the index is gone over once.
 */
#pragma once
#include "audit/read.h"

#define INDEX_VERSION 1
#define INDEX_WAIT_MS 3000                      /* for the lock; then the files are searched */
#define INDEX_BATCH 50000                       /* rows of one transaction */
#define INDEX_TEXT_MAX 4096                     /* bytes of a command that are kept; longer ones are read in the files */
#define INDEX_PLACES_MAX ((size_t)4 << 20)      /* rows that one question may have; more: the files are searched */

struct index_counts {
	uint64_t files, rows;         /* in the index */
	uint64_t added, dropped;      /* rows, by this call */
	uint64_t bytes;               /* of the index */
};

/* Brings the index up to date; `anew`: makes it from nothing. */
int index_update(struct arena *a, const struct audit *au, bool anew, struct index_counts *ret, struct err *e);
/* The same for who dropped rows, whose texts must not stay in it: when there is an index. One that cannot be brought up to date is removed. */
int index_forget(struct arena *a, const struct audit *au, struct err *e);

/* ---- searching ---- */

struct search;

/*
 * Rows that pass the filter, oldest first. `newest`: only so many, the newest ones; 0: all. Whether by the index or by reading the files is
 * search's own affair. Memory: places of rows, and what a reader needs.
 */
int search_new(struct arena *a, const struct audit *au, const struct audit_filter *f, size_t newest, struct search **ret, struct err *e);
/* 1 and the next row, 0 at the end, or -1. The row lives until the next call. */
int search_next(struct search *s, struct audit_line *ret, struct err *e);
struct audit_passed search_passed(const struct search *s);
/* Whether the index answers; else `why` says why not (empty: it would not help). */
bool search_by_index(const struct search *s, struct str *ret_why);
void search_close(struct search *s);
/* The row of this number, found by its place in the order; 1, 0 when there is none, or -1. */
int search_seq(struct arena *a, const struct audit *au, uint64_t seq, struct audit_line *ret, struct err *e);
