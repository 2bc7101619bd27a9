/* Rows of the record for people and programs: selection (options shared by several commands) and printing. */
#pragma once
#include "audit/read.h"
#include "cli/cli.h"
#include "cli/page.h"

/* Values of the options; NULL: not given. */
struct rows_options {
	const char *agent, *session, *since, *until, *verdict, *status, *kind, *grep;
	bool utc; /* times for people, and times in these options, are UTC and not local */
};

#define ROWS_OPTIONS(at) \
	{"agent", OPTION_VALUE, at(rows.agent), "A", "only this agent"}, \
	{"session", OPTION_VALUE, at(rows.session), "S", "only this client session"}, \
	{"since", OPTION_VALUE, at(rows.since), "TIME", \
			"since then: 30m, 12h, 7d, today, 2026-01-31, 2026-01-31T10:00"}, \
	{"until", OPTION_VALUE, at(rows.until), "TIME", "before this time; a day includes all of it"}, \
	{"verdict", OPTION_VALUE, at(rows.verdict), "V", "allow, ask, contain or deny"}, \
	{"status", OPTION_VALUE, at(rows.status), "S", "ok, exit_nonzero, timeout, oom, denied ..."}, \
	{"kind", OPTION_VALUE, at(rows.kind), "K", \
			"begin, end, verdict, recovered, checkpoint, tombstone or person; several with " \
			"commas"}, \
	{"grep", OPTION_VALUE, at(rows.grep), "RE", "only commands that match this regular expression"}, \
	{"utc", OPTION_FLAG, at(rows.utc), "", "times in UTC (default: local time)"}

/* Builds a filter. ERR_INPUT if a value is invalid. */
int rows_filter(struct arena *a, const struct rows_options *o, int64_t now, struct audit_filter *ret,
		struct err *e);
/* The same for commands that cover a recent period: 30 days unless `since` says otherwise. */
int rows_filter_lately(const char *agent, const char *since, const char *until, int64_t now,
		struct audit_filter *ret, struct err *e);

enum rows_form {
	ROWS_PLAIN, /* separated by tabs, for a pipe */
	ROWS_TABLE, /* fixed columns, cut to the terminal's width */
	ROWS_JSON,  /* as in the files */
	ROWS_CSV,
};

struct rows_printer {
	struct page *page;
	enum rows_form form;
	struct buf line, text; /* current line, and a field's text */
	struct buf list, shown;
	bool any, utc;
};

void rows_begin(struct rows_printer *r, struct arena *a, struct page *page, enum rows_form form);
void rows_put(struct rows_printer *r, const struct audit_line *l);
/* Ends the output; a CSV file without rows gets its header here. */
void rows_end(struct rows_printer *r);
/* Appends a JSON line that is safe for a terminal: invisible characters are escaped. */
void rows_json_safe(struct buf *b, struct str line);
enum tint verdict_tint(struct str verdict);
enum tint status_tint(struct str status);
/* Appends a row's time for people in a format of strftime(): local, or UTC. */
void put_time(struct buf *b, struct str ts, bool utc, const char *format);
/* Formats 1234 as "1.2s". */
void put_ms(struct buf *b, int64_t ms);
