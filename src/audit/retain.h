/*
 * Retention: what the record drops, and how it says so. Only whole days are dropped, oldest first, never the
 * newest. A tombstone row names them and is synced before the first file is removed. If the process is killed
 * in between, the next prune removes the days that the tombstone names.
 *
 * Unreferenced blobs are swept: blobs older than a day are listed, all rows are read, and the blobs that no
 * row names are removed. A writer that finds an existing blob renews it first (blob_put_as()), so that it
 * stays.
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
 * Drops the days that are more than `days` before today. Today is the clock's day, or the day of the newest
 * row if that is earlier: a record that nobody writes keeps its last days. `dry` only reports. A record whose
 * chain is broken at the cut stays as it is (ERR_CONFIG).
 */
int audit_prune(struct arena *a, const struct audit *au, unsigned days, bool dry, struct audit_pruned *ret,
		struct err *e);
/*
 * The same at the start of a day, with au->retain_days and the previous day as today: a clock that was set
 * far ahead adds one new day and must not drop the old ones. Failures are left for the next day.
 */
void audit_prune_rotated(const struct audit *au);

struct audit_swept {
	uint64_t blobs, bytes; /* removed */
	uint64_t young;        /* skipped: less than a day old */
	uint64_t kept;         /* a row refers to them */
};
/* `would`: removes nothing and reports as if the days up to would->to were gone. NULL: removes. */
int audit_sweep(struct arena *a, const struct audit *au, const struct blobs *blobs,
		const struct audit_pruned *would, struct audit_swept *ret, struct err *e);

struct audit_usage {
	uint64_t days, row_bytes;   /* files of days and what they hold */
	uint64_t blobs, blob_bytes;
};
/* `blobs` NULL: there are none. */
int audit_usage(struct arena *a, const struct audit *au, const struct blobs *blobs, struct audit_usage *ret,
		struct err *e);
/* sweep.c: the number of blobs, and the bytes of their files. */
int blobs_size(const struct blobs *b, uint64_t *ret_n, uint64_t *ret_bytes, struct err *e);
