/*
 * The record: what was judged and run, as rows that are only ever appended. docs/audit.md has the format and
 * the promises for readers.
 *
 * Theory of operation
 *
 *     STATE/audit/             0700
 *       2026-01-31.jsonl       0600, one row a line; the day (UTC) is that of the row's ts
 *       lock                   0600, locked (fcntl, by open file) by whoever appends; holds the head: seq and
 *                              hash of the newest row
 *       torn/                  bytes that were no row, moved aside
 *
 * Writers are processes that know nothing of each other. Each takes the lock, looks for the newest row (last
 * line of the newest file), builds its own behind it and appends it by one write(); then it lets the lock go,
 * and only then waits for the disk, if the policy says so. Nothing is remembered between two rows, so that a
 * writer may be killed anywhere:
 *
 *     before write()           nothing happened
 *     inside write()           the last line is torn. The next writer moves its bytes to torn/, cuts the
 *                              file, appends a `recovered` row
 *     before the head is set   the head is behind the newest row, which is harmless: it only ever serves to
 *                              see that rows are missing
 *     inside a repair          the head names the bytes that were moved aside before the file is cut, so that
 *                              the row follows in any case
 *
 * The chain: a row ends in `prev`, the hash of the row before it (AUDIT_ZERO for the first), and `hash`, the
 * SHA-256 of the row's own bytes as written, up to and without the comma before "hash". seq counts up by one
 * across days. ts never decreases: when the clock was set back a row has the ts of the row before it, and
 * `clock` says what the clock said.
 *
 * Promised: when audit_append() returns 0 the row is in the file, whole, and (as far as the policy says) on
 * the disk; when it returns -1 there is no such row, except for "not on the disk". A chain without an outside
 * anchor does not stop those who may write the files.
 *
 * Memory comes from the caller's arena, and all of it before anything is open or locked: a full arena leaves
 * nothing behind.
 */
#pragma once
#include "model/policy.h"

#define AUDIT_VERSION 1
#define AUDIT_ROW_MAX ((size_t)4 << 20)  /* bytes of a row with its newline */
#define AUDIT_REASONS_MAX 1000
#define AUDIT_SPEC_MAX ((size_t)1 << 20)
#define AUDIT_DAYS_MAX 36525             /* files; a hundred years */
#define AUDIT_WAIT_MS 10000              /* for the lock; then appending fails */
#define AUDIT_ID_MAX 64
#define AUDIT_HASH 64                    /* hex digits */
#define AUDIT_ZERO "0000000000000000000000000000000000000000000000000000000000000000"

enum audit_kind { AUDIT_BEGIN, AUDIT_END, AUDIT_VERDICT, AUDIT_RECOVERED, AUDIT_CHECKPOINT, AUDIT_TOMBSTONE,
		AUDIT_PERSON };
#define AUDIT_KINDS (AUDIT_PERSON + 1)

struct audit_number {
	bool known;
	int64_t n;
};

struct audit_key;
struct audit_checkpoint;

/*
 * An empty text is left out of the row. Unknown numbers are null in an `end` row and left out of others.
 * Invalid UTF-8 is replaced.
 */
struct audit_row {
	enum audit_kind kind;
	/* letters, digits, - and _; begin and end of one run share it; empty: audit_append() makes one */
	struct str id;
	struct str agent_id, session, client, tool, tool_use_id;
	struct str command, cwd, verdict; /* the command is redacted by the caller */
	const struct str *reasons;        /* ids */
	size_t nreasons;
	struct str policy, view;          /* digests of blobs */
	struct str answers;               /* per-request data that the view does not hold: a JSON object */
	struct str spec;                  /* a JSON object on one line, at most AUDIT_SPEC_MAX bytes */
	struct str backend, status;
	struct audit_number exit_code, duration_ms, cpu_ms, peak_memory_mb;
	struct {
		struct str task, outcome, result, format, evidence;
		struct str suspicions; /* ids with commas between them */
	} validation;                     /* not there without an outcome */
	struct {
		struct audit_number passed, failed, skipped, total;
	} counts;                         /* of tests; not there without `total` */
	struct {
		struct audit_number allowed, refused;
	} network;                        /* connections by name; not there without `allowed` */
	struct str out, err;              /* digests of blobs: stdout, stderr */
	struct str note;
	struct {
		uint64_t seq;
		struct str hash;
	/* tombstone: the newest dropped row; the chain may start behind it */
	} until;
	struct {
		struct str from, to;      /* days; empty: not said */
		uint64_t days, rows, bytes;
	} dropped;                        /* tombstone: what it was */
	/* checkpoint (sign.h): signs the row before this one; no other fields are set */
	const struct audit_key *key;
	struct audit_checkpoint *checkpoint; /* ... and here is what was signed */
};

struct audit {
	int dir;               /* STATE/audit */
	uint32_t uid;
	enum audit_sync sync;
	unsigned retain_days;  /* when a new day begins, older days are dropped (retain.h); 0: keep all */
	int64_t (*now)(void);  /* microseconds since 1970, UTC; tests replace the clock */
	struct str path;       /* of dir, for messages */
};

struct audit_written {
	uint64_t seq;
	char id[AUDIT_ID_MAX + 1], hash[AUDIT_HASH + 1];
};

const char *audit_kind_name(enum audit_kind k);
/*
 * Opens the record in a state directory (sys/state.h). With `make`, missing directories and files are
 * created; without it, a missing record is ERR_SYSTEM with ENOENT. Refuses a directory or file that belongs
 * to somebody else or that others may write.
 */
int audit_open(struct arena *a, struct str state, uint32_t uid, bool make, struct audit *ret, struct err *e);
/* The same for a state directory that the caller has resolved and checked. */
int audit_open_in(struct arena *a, struct str state, uint32_t uid, bool make, struct audit *ret,
		struct err *e);
void audit_close(struct audit *au);
/*
 * Appends a row, after repairing what a killed writer left. ret may be NULL. Many processes may call it at
 * once, also processes that share *au by fork().
 */
int audit_append(struct arena *a, const struct audit *au, const struct audit_row *row,
		struct audit_written *ret, struct err *e);

/* ---- verify.c ---- */

#define AUDIT_FILE_MAX 32
#define AUDIT_WHY_MAX 160

enum audit_fault { AUDIT_SOUND = 0, AUDIT_CHANGED, AUDIT_REMOVED, AUDIT_REORDERED, AUDIT_INSERTED, AUDIT_TORN,
		AUDIT_FORGED, AUDIT_REWRITTEN, AUDIT_UNANCHORED };

struct audit_verdict {
	uint64_t rows, bytes, days, recovered, tombstones;
	uint64_t missing;              /* rows that a writer found missing, as its `recovered` row says */
	uint64_t first_seq, last_seq;  /* 0: no row */
	uint64_t checkpoints;          /* signed rows: by the requested key, or by any key */
	/* the newest row with such a signature, or the one of the given checkpoint; 0: none */
	uint64_t signed_seq;
	char last_hash[AUDIT_HASH + 1];
	/* the first fault; the fields below describe it, the numbers above count the rows before it */
	enum audit_fault fault;
	char file[AUDIT_FILE_MAX];     /* file name in audit/; empty: the fault concerns no row */
	uint64_t line, seq;
	char why[AUDIT_WHY_MAX];
};

const char *audit_fault_name(enum audit_fault f);

struct audit_anchor { /* from outside of the record */
	/* a public key (sign.h) that must have signed a row; empty: any */
	struct str key;
	const struct audit_checkpoint *checkpoint; /* the record must go on from it; NULL: none */
};
/*
 * Checks all rows that exist when it is called, in order. Returns 0 if every row could be read; ret->fault
 * then says if the chain holds and agrees with the anchor. A checkpoint with a wrong signature is always a
 * fault. Memory use does not depend on the size of the record, except for the list of days.
 */
int audit_verify(struct arena *a, const struct audit *au, const struct audit_anchor *anchor,
		struct audit_verdict *ret, struct err *e);
