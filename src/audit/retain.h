/*
 * What the record forgets, and how it says so. Only whole days go, oldest first, never the newest; a tombstone row says which, and is on the
 * disk before the first file is removed. Whoever is killed in between leaves days that the tombstone speaks of already: the next to prune removes them.
 *
 * Blobs that no row refers to any more are swept: those that are older than a day are listed, all rows are read, and what none of them names
 * is removed. A writer that finds a blob there and means to refer to it makes it young first (blob_put_as()), so that it stays.
 */
#pragma once
#include "audit/audit.h"
#include "audit/blob.h"

#define RETAIN_DAYS_MAX 36500
#define RETAIN_BLOBS_MAX ((size_t)8 << 20) /* that can be swept at once */
#define RETAIN_DAY_CHARS 10                /* 2026-01-31 */

struct audit_pruned {
	char from[RETAIN_DAY_CHARS + 1], to[RETAIN_DAY_CHARS + 1]; /* days, both dropped; empty: none */
	uint64_t days, rows, bytes;
	uint64_t last_seq;                                         /* of the newest row that was dropped */
	uint64_t torn;                                             /* files in torn/ of these days */
};

/*
 * Drops the days that are more than `days` before today. Today is what the clock says, or the day of the newest row if that is earlier: a record
 * that nobody writes to keeps its last days. `dry`: only says what would be dropped. A record whose chain is broken where it would be cut is left as it is (ERR_CONFIG).
 */
int audit_prune(struct arena *a, const struct audit *au, unsigned days, bool dry, struct audit_pruned *ret, struct err *e);
/*
 * The same when a day has just begun, by au->retain_days, with the day before it as today: a clock that was set far ahead makes one new day, and
 * must not take the old ones with it. What cannot be done is left for the next day.
 */
void audit_prune_rotated(const struct audit *au);

struct audit_swept {
	uint64_t blobs, bytes; /* removed */
	uint64_t young;        /* not looked at: less than a day old */
	uint64_t kept;         /* a row refers to them */
};
/* `would`: nothing is removed; as if the days up to would->to were gone. NULL: for real. */
int audit_sweep(struct arena *a, const struct audit *au, const struct blobs *blobs, const struct audit_pruned *would, struct audit_swept *ret, struct err *e);

struct audit_usage {
	uint64_t days, row_bytes;   /* files of days and what they hold */
	uint64_t blobs, blob_bytes;
};
/* `blobs` NULL: there are none. */
int audit_usage(struct arena *a, const struct audit *au, const struct blobs *blobs, struct audit_usage *ret, struct err *e);
/* sweep.c: how many blobs there are, and the bytes of their files. */
int blobs_size(const struct blobs *b, uint64_t *ret_n, uint64_t *ret_bytes, struct err *e);
