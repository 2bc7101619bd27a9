/*
 * Reading the record: rows in order, oldest or newest first, that pass a filter; and their fields by name.
 *
 *     struct audit_filter f = {.agent_id = STR("a1"), .kinds = 1u << AUDIT_END, .since = now - 7 *
 *     AUDIT_DAY_US};
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
 * A reader sees the files as they were when it was made; it does not see a row that is being written. It
 * takes no lock and checks no hash: audit_verify() does that. A line that is not a row (torn, too long, of
 * another shape) is skipped and counted. If a field occurs twice, the first one counts.
 *
 * A reader allocates when it is made, and memory does not grow with the record. A line and all slices of it
 * live until the next audit_next().
 */
#pragma once
#include "audit/audit.h"
#include "base/regex.h"

#define AUDIT_DAY_US ((int64_t)86400 * 1000000)
#define AUDIT_FIELDS_MAX 64 /* of one row; what is behind is not found */
#define AUDIT_NEST_MAX 32   /* of a value in a row */

enum audit_order { AUDIT_OLDEST_FIRST, AUDIT_NEWEST_FIRST };

/* All zero passes every row. Texts must be equal; a row without the field does not pass. */
struct audit_filter {
	struct str id, agent_id, session, client, tool, verdict, status;
	unsigned kinds;       /* 1u << enum audit_kind; 0: all */
	int64_t since, until; /* microseconds since 1970: since <= ts < until; 0: no bound */
	/* matches the command. A match that gives up (REGEX_LIMIT) passes and is counted in `unsure` */
	struct regex *grep;
};

struct audit_line {
	struct str text;      /* the line in the file, without its newline */
	const char *file;     /* its name in audit/ */
	uint64_t at;          /* its first byte there */
	uint64_t seq;
	enum audit_kind kind; /* AUDIT_KINDS: a kind that this version does not know */
	int64_t time;         /* ts in microseconds */
	struct str id, ts, prev, hash;
	struct {
		struct str key, value;
	} fields[AUDIT_FIELDS_MAX]; /* all of them, as JSON has them */
	size_t nfields;
};

struct audit_reader;

struct audit_passed { /* counters of a reader */
	uint64_t rows;   /* rows read */
	uint64_t odd;    /* lines that are not rows; a torn last line of the newest file is not counted */
	uint64_t unsure; /* rows whose match gave up */
};

int audit_reader_new(struct arena *a, const struct audit *au, const struct audit_filter *f,
		enum audit_order order, struct audit_reader **ret, struct err *e);
/* Returns 1 and the next row that passes, 0 at the end, or -1. */
int audit_next(struct audit_reader *r, struct audit_line *ret, struct err *e);
/*
 * Restricts a forward reader to the rows of this file from offset `at` on, which must be the start of a line.
 */
int audit_reader_seek(struct audit_reader *r, const char *file, uint64_t at, struct err *e);
struct audit_passed audit_reader_passed(const struct audit_reader *r);
void audit_reader_close(struct audit_reader *r);

/* ---- rows as they come ---- */

struct audit_follow;

/* Starts behind this position, which is the end of a row; file NULL: at the first row. */
int audit_follow_new(struct arena *a, const struct audit *au, const char *file, uint64_t at,
		struct audit_follow **ret, struct err *e);
/* Returns 1 and the next row in the order of writing, across days; 0 if there is none yet; or -1. */
int audit_follow_next(struct audit_follow *f, struct audit_line *ret, struct err *e);
void audit_follow_close(struct audit_follow *f);

/*
 * Parses a line; false if it is not a row. The results are slices of the text; file and at stay as they are.
 */
bool audit_line_parse(struct str text, struct audit_line *ret);
/* True if the row passes. `scratch` holds the decoded command if it has escapes; *ret_unsure may be NULL. */
bool audit_passes(const struct audit_filter *f, const struct audit_line *l, struct buf *scratch,
		bool *ret_unsure);

/* ---- fields ---- */

/* A field's value as JSON text ("\"allow\"", "12", "[...]"); empty if the row does not have it. */
struct str audit_field(const struct audit_line *l, const char *key);
/* A field of a value that is an object, e.g. of `validation`. */
struct str audit_inner(struct str object, const char *key);
/*
 * The text of a JSON string: a slice if it has no escapes, else a copy in the arena. Empty if it is not a
 * string.
 */
struct str audit_text(struct arena *a, struct str value);
/*
 * The same with a reused buffer: the copy replaces its content. Leaves the arena_run if the text exceeds the
 * buffer's maximum.
 */
struct str audit_text_buf(struct buf *b, struct str value);
/* False: not there, null, or not an integer. */
bool audit_number(struct str value, int64_t *ret);
/*
 * Takes the next value off the front of *list, which starts as the list's JSON ("[...]"). False at the end.
 */
bool audit_item(struct str *list, struct str *ret);
/* The kind of this name; AUDIT_KINDS: none. */
enum audit_kind audit_kind_of(struct str name);

/* ---- times ---- */

#define AUDIT_TS_CHARS 27 /* 2026-01-31T23:59:59.123456Z */

void audit_time_text(int64_t us, char ret[AUDIT_TS_CHARS + 1]);
/* A row's ts in microseconds; -1 if it is malformed. */
int64_t audit_time_of(struct str ts);
/*
 * Parses a time as a person writes it, in UTC: 45s, 30m, 12h, 7d, 2w (before now), now, today, yesterday,
 * 2026-01-31, 2026-01-31T10:00, optionally with seconds, fractions and Z, @1769853600 (seconds since 1970).
 * With `end`, a day alone means its end, so since and until of one day cover the whole day.
 */
int audit_time_parse(struct str s, int64_t now, bool end, int64_t *ret, struct err *e);
