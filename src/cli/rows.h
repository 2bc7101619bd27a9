/*
 * Rows of the record for people and programs: which ones (options that several commands share), and how they
 * are printed.
 */
#pragma once
#include "audit/read.h"
#include "cli/cli.h"
#include "cli/page.h"

/* The values of the options, or NULL. */
struct rows_options {
	const char *agent, *session, *since, *until, *verdict, *status, *kind, *grep;
};

#define ROWS_OPTIONS(at) \
	{"agent", OPTION_VALUE, at(rows.agent), "A", "of this agent"}, \
	{"session", OPTION_VALUE, at(rows.session), "S", "of this session"}, \
	{"since", OPTION_VALUE, at(rows.since), "TIME", \
			"from then on: 30m, 12h, 7d, today, 2026-01-31, 2026-01-31T10:00 (UTC)"}, \
	{"until", OPTION_VALUE, at(rows.until), "TIME", "before then; a day alone: all of it"}, \
	{"verdict", OPTION_VALUE, at(rows.verdict), "V", "allow, ask, contain or deny"}, \
	{"status", OPTION_VALUE, at(rows.status), "S", "ok, exit_nonzero, timeout, oom, denied ..."}, \
	{"kind", OPTION_VALUE, at(rows.kind), "K", \
			"begin, end, verdict, recovered, checkpoint, tombstone or person; several with " \
			"commas"}, \
	{"grep", OPTION_VALUE, at(rows.grep), "RE", "whose command has a match of this regular expression"}

/* The clock, in microseconds since 1970. */
int64_t rows_now(void);
/* ERR_INPUT when a value is none. */
int rows_filter(struct arena *a, const struct rows_options *o, int64_t now, struct audit_filter *ret,
		struct err *e);
/* For the commands that look at the time before now: 30 days unless `since` says another time. */
int rows_filter_lately(const char *agent, const char *since, const char *until, int64_t now,
		struct audit_filter *ret, struct err *e);

enum rows_form {
	ROWS_PLAIN, /* columns between tabs, for a pipe */
	ROWS_TABLE, /* for a terminal: columns of fixed width, cut to its width */
	ROWS_JSON,  /* as they are in the files */
	ROWS_CSV,
};

struct rows_printer {
	struct page *page;
	enum rows_form form;
	struct buf line, text; /* the line being made, and a field's text */
	struct buf list, shown;
	bool any;
};

void rows_begin(struct rows_printer *r, struct arena *a, struct page *page, enum rows_form form);
void rows_put(struct rows_printer *r, const struct audit_line *l);
/* Ends the output: prints the header of a CSV file without rows. */
void rows_end(struct rows_printer *r);
/* A JSON line that is safe for a terminal: what is invisible is escaped. */
void rows_json_safe(struct buf *b, struct str line);
enum tint verdict_tint(struct str verdict);
enum tint status_tint(struct str status);
/* 1234 as "1.2s". */
void put_ms(struct buf *b, int64_t ms);
