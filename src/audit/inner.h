/* Shared by the files of this folder: names and shapes of files, the lock, the head, the frame of a row. */
#pragma once
#include <sys/stat.h>
#include <sys/types.h>

#include "audit/audit.h"

#define DAY_CHARS 10           /* 2026-01-31 */
#define TS_CHARS 27            /* 2026-01-31T23:59:59.123456Z */
#define DAY_NAME (DAY_CHARS + 6)
#define FRAME_START_MAX 256    /* version, seq, id, kind, ts */
#define FRAME_END (74 + 75)    /* ,"prev":"..." and ,"hash":"..."} */
#define HASH_FIELD 75
#define TORN_NAME_MAX 63
#define DAYS_SPARE 8          /* that may come between counting and listing */

/* The parts of a row that the chain needs. Slices of the line. */
struct row_frame {
	uint64_t seq;
	struct str id, kind, ts, prev, hash;
};

/* record_dir.c */
struct head { /* what the lock file holds */
	uint64_t seq;
	char hash[AUDIT_HASH + 1];
	char torn[TORN_NAME_MAX + 1]; /* bytes were moved there and no row says so yet; empty: none */
	uint64_t torn_bytes;
	/* the newest file there is; it stands here before the file is made. Empty: not known */
	char day[DAY_NAME + 1];
};

/*
 * The opened file `name`, in the directory of rows or blobs, must belong to this user, have this type, and be
 * writable by nobody else.
 */
int opened_check(struct str dir, uint32_t uid, int fd, mode_t kind, const char *name, struct stat *ret,
		struct err *e);
/* Opens a directory of the record, and makes it if `make`; -1 with errno. */
int record_dir_open(const char *path, bool make);
/* the descriptor, or -1 */
int day_open(const struct audit *au, const char *name, int flags, off_t *ret_size, struct err *e);
/* The newest day's file before `bound` in the order of names; 1, 0 when there is none, or -1. */
int day_before(const struct audit *au, const char bound[DAY_NAME + 1], char ret[DAY_NAME + 1], struct err *e);
int day_count(const struct audit *au, size_t *ret, struct err *e);
/* All days' files, oldest first, into names[max]; more is an error. */
int day_list(const struct audit *au, char (*names)[DAY_NAME + 1], size_t max, size_t *ret_n, struct err *e);
int lock_take(const struct audit *au, struct err *e);             /* the descriptor to close, or -1 */
void lock_release(int lock);                                      /* it is still to be closed */
void head_read(int lock, struct head *ret);                       /* zero when there is none */
int head_write(int lock, const struct head *h, struct err *e);

/* row.c */
/*
 * The start of a row (its first bytes are enough), and its end (its last bytes are enough, without the
 * newline).
 */
bool frame_start(struct str s, struct row_frame *ret);
bool frame_end(struct str s, struct row_frame *ret);
void hash_text(struct str bytes, char ret[AUDIT_HASH + 1]);
/* The fields between ts and prev, each with a comma before it. */
int row_body(struct arena *a, const struct audit_row *row, struct str *ret, struct err *e);
