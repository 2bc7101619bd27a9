/*
 * Reading the record: rows one after the other, oldest or newest first, those that a filter lets through; and their fields by name.
 *
 *     struct audit_filter f = {.agent_id = STR("a1"), .kinds = 1u << AUDIT_END, .since = now - 7 * AUDIT_DAY_US};
 *     struct audit_reader *r;
 *     struct audit_line l;
 *     if (audit_reader_new(a, au, &f, AUDIT_OLDEST_FIRST, &r, e) < 0) ...
 *     while ((got = audit_next(r, &l, e)) > 0) {
 *             struct str command = audit_text(&scratch, audit_field(&l, "command"));
 *             int64_t ms;
 *             if (audit_number(audit_field(&l, "duration_ms"), &ms)) ...
 *     }
 *     audit_reader_close(r);
 *
 * What is read is what the files held when the reader was made; a row that is being written is not seen. Nothing is locked and no hash is
 * checked: whether rows are what was written is for audit_verify() to say. A line that is no row (torn, too long, not of our shape) is
 * passed over and counted, whatever is in it. Of a field that is there twice the first counts.
 *
 * Memory is taken when the reader is made and does not grow with the record. A line and all slices of it live until the next audit_next().
 */
#pragma once
#include "audit/audit.h"
#include "base/regex.h"

#define AUDIT_DAY_US ((int64_t)86400 * 1000000)
#define AUDIT_FIELDS_MAX 64 /* of one row; what is behind is not found */
#define AUDIT_NEST_MAX 32   /* of a value in a row */

enum audit_order { AUDIT_OLDEST_FIRST, AUDIT_NEWEST_FIRST };

/* Zeroed memory lets every row through. Texts must be equal; a row that does not have the field does not pass. */
struct audit_filter {
	struct str id, agent_id, session, client, tool, verdict, status;
	unsigned kinds;       /* 1u << enum audit_kind; 0: all */
	int64_t since, until; /* microseconds since 1970: since <= ts < until; 0: no bound */
	struct regex *grep;   /* has a match in the command. A match that gives up (REGEX_LIMIT) passes and is counted in `unsure` */
};

struct audit_line {
	struct str text;      /* the line as it is in the file, without its newline */
	const char *file;     /* its name in audit/ */
	uint64_t at;          /* its first byte there */
	uint64_t seq;
	enum audit_kind kind; /* AUDIT_KINDS: one that this version does not know */
	int64_t time;         /* ts in microseconds */
	struct str id, ts, prev, hash;
	struct {
		struct str key, value;
	} fields[AUDIT_FIELDS_MAX]; /* all of them, as JSON has them */
	size_t nfields;
};

struct audit_reader;

struct audit_passed { /* what a reader came across so far */
	uint64_t rows;   /* looked at */
	uint64_t odd;    /* lines that are no rows; a torn last line of the newest file is not counted */
	uint64_t unsure; /* rows whose match gave up */
};

int audit_reader_new(struct arena *a, const struct audit *au, const struct audit_filter *f, enum audit_order order, struct audit_reader **ret, struct err *e);
/* 1 and the next row that passes, 0 at the end, or -1. */
int audit_next(struct audit_reader *r, struct audit_line *ret, struct err *e);
/* From now on: the rows of this file whose line starts at `at` or behind it, which is where a line starts. For readers that go forwards. */
int audit_reader_seek(struct audit_reader *r, const char *file, uint64_t at, struct err *e);
struct audit_passed audit_reader_passed(const struct audit_reader *r);
void audit_reader_close(struct audit_reader *r);

/* ---- rows as they come ---- */

struct audit_follow;

/* From this place on, which is where a row ends; file NULL: from the first row. */
int audit_follow_new(struct arena *a, const struct audit *au, const char *file, uint64_t at, struct audit_follow **ret, struct err *e);
/* 1 and the next row, in the order of writing and across days; 0: there is none yet; or -1. */
int audit_follow_next(struct audit_follow *f, struct audit_line *ret, struct err *e);
void audit_follow_close(struct audit_follow *f);

/* Takes a line apart: false when it is no row. Slices of the text; file and at are not touched. */
bool audit_line_parse(struct str text, struct audit_line *ret);
/* Whether a row passes. `scratch` takes the command when it has escapes; *ret_unsure may be NULL. */
bool audit_passes(const struct audit_filter *f, const struct audit_line *l, struct buf *scratch, bool *ret_unsure);

/* ---- fields ---- */

/* A field's value as JSON has it ("\"allow\"", "12", "[...]"); empty when it is not there. */
struct str audit_field(const struct audit_line *l, const char *key);
/* A field of a value that is an object, e.g. of `validation`. */
struct str audit_inner(struct str object, const char *key);
/* The text of a value: a slice of it when it has no escapes, else a copy in the arena. Empty when it is not a string. */
struct str audit_text(struct arena *a, struct str value);
/* The same; the copy replaces what the buffer held, so that one buffer serves for all rows. It may leave the arena_run at the buffer's maximum. */
struct str audit_text_buf(struct buf *b, struct str value);
/* False: not there, null, or not an integer. */
bool audit_number(struct str value, int64_t *ret);
/* The next value of a list: takes it off the front of *list, which starts as the list's value ("[...]"). False: there is none. */
bool audit_item(struct str *list, struct str *ret);
/* The kind of this name; AUDIT_KINDS: none. */
enum audit_kind audit_kind_of(struct str name);

/* ---- times ---- */

#define AUDIT_TS_CHARS 27 /* 2026-01-31T23:59:59.123456Z */

void audit_time_text(int64_t us, char ret[AUDIT_TS_CHARS + 1]);
/* A row's ts; -1 when it is none. */
int64_t audit_time_of(struct str ts);
/*
 * What a person writes, in UTC: 45s, 30m, 12h, 7d, 2w (so long before now), now, today, yesterday, 2026-01-31, 2026-01-31T10:00, with seconds,
 * fractions and Z if wanted, @1769853600 (seconds since 1970). With `end` a day alone is its end: since and until of one day are the whole of it.
 */
int audit_time_parse(struct str s, int64_t now, bool end, int64_t *ret, struct err *e);
