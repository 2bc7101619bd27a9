/* caisson audit query, export, reindex: select rows of the record, and rebuild its index. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stddef.h>
#include <unistd.h>

#include "audit/index.h"
#include "cli/doc.h"
#include "cli/record_home.h"
#include "cli/rows.h"
#include "sys/clock.h"

#define LIMIT_MAX 1000000
#define LIMIT_PEOPLE 100 /* rows on a terminal, unless --limit is given */

struct audit_query_options {
	struct rows_options rows;
	const char *limit, *format;
	bool json;
};

struct audit_query_job {
	struct arena a;
	const char *name;
	struct audit_query_options o;
	struct audit_filter filter;
	struct record_home at;
	size_t limit;
	bool export;
	enum rows_form form;
};

/* ---- query and export ---- */

static void remarks(const struct audit_query_job *j, const struct search *s)
{
	struct audit_passed p = search_passed(s);
	struct str why;

	if (!search_by_index(s, &why) && why.n)
		output_error("%s: searching without the index, which takes longer: %.*s", j->name,
				STR_ARG(why));
	if (p.odd)
		output_error("%s: %" PRIu64 " lines of the record are not rows; see caisson audit verify",
				j->name, p.odd);
	if (p.unsure)
		output_error("%s: %" PRIu64
				" rows took too long to match; they are printed as well",
				j->name, p.unsure);
}

static int print_rows(struct audit_query_job *j, struct search *s, struct err *e)
{
	struct audit_line *l = arena_new(&j->a, struct audit_line);
	struct page page;
	struct rows_printer r;
	size_t n = 0;
	int got = 0;

	page_begin(&page, &j->a, !j->export);
	rows_begin(&r, &j->a, &page, j->form);
	r.utc = j->o.rows.utc;
	for (; !page.gone && (got = search_next(s, l, e)) > 0; n++)
		rows_put(&r, l);
	rows_end(&r);
	if (j->form == ROWS_TABLE && !j->o.limit && n == LIMIT_PEOPLE)
		page_put(&page, STR("the newest 100 rows; --limit N and --since TIME select others\n"));
	int code = page_end(&page);
	return got < 0 ? -1 : code;
}

/* A terminal shows one line for each request: a run by its end, unless --kind is given. */
static void for_people(struct audit_query_job *j)
{
	if (j->export)
		return;
	j->form = j->o.json ? ROWS_JSON : isatty(STDOUT_FILENO) ? ROWS_TABLE : ROWS_PLAIN;
	if (j->form != ROWS_TABLE)
		return;
	j->limit = j->o.limit ? j->limit : LIMIT_PEOPLE;
	if (!j->filter.kinds)
		j->filter.kinds = ((1u << AUDIT_KINDS) - 1) & ~(1u << AUDIT_BEGIN);
}

static int audit_query_job_run(void *arg)
{
	struct audit_query_job *j = arg;
	struct search *s;
	struct err e = {0};
	int rc;

	home_find(&j->a, &j->at);
	if (rows_filter(&j->a, &j->o.rows, clock_real_us(), &j->filter, &e) < 0) {
		output_error("%s: %s", j->name, e.text);
		return e.kind == ERR_INPUT ? EXIT_USAGE : EXIT_INTERNAL;
	}
	if (home_open(&j->a, &j->at, false, &e) < 0)
		return home_failed(j->name, &e);
	for_people(j);
	rc = search_new(&j->a, &j->at.audit, &j->filter, j->limit, &s, &e);
	if (rc == 0) {
		rc = print_rows(j, s, &e);
		if (rc == 0)
			remarks(j, s);
		search_close(s);
	}
	home_close(&j->at);
	if (rc < 0) {
		output_error("%s: %s", j->name, e.text);
		return EXIT_INTERNAL;
	}
	return rc;
}

static int start_query(const struct command_row *self, int argc, char **argv, struct audit_query_job *j)
{
	int64_t limit = 0;
	int code;

	if (!options_only(self, argc, argv, &j->o, &code))
		return code;
	if (!option_number(self, "--limit", j->o.limit, 1, LIMIT_MAX, &limit, &code))
		return code;
	if (j->o.format && strcmp(j->o.format, "jsonl") != 0 && strcmp(j->o.format, "csv") != 0)
		return usage_wrong(self, "--format is jsonl or csv");
	j->name = self->name;
	j->limit = (size_t)limit;
	j->form = j->o.format && j->o.format[0] == 'c' ? ROWS_CSV : ROWS_JSON;
	return with_arena(&j->a, audit_query_job_run, j);
}

static int run_query(const struct command_row *self, int argc, char **argv)
{
	struct audit_query_job j = {0};

	return start_query(self, argc, argv, &j);
}

static int run_export(const struct command_row *self, int argc, char **argv)
{
	struct audit_query_job j = {.export = true};

	return start_query(self, argc, argv, &j);
}

#define AT(field) offsetof(struct audit_query_options, field)
static const struct option_row query_options[] = {
	ROWS_OPTIONS(AT),
	{"limit", OPTION_VALUE, AT(limit), "N", "only the newest N"},
	{"json", OPTION_FLAG, AT(json), "", "print the rows as stored, one JSON object a line"},
	OPTION_HELP_ROW,
};

static const struct option_row export_options[] = {
	{"format", OPTION_VALUE, AT(format), "jsonl|csv", "jsonl (default): the rows as stored; or csv"},
	ROWS_OPTIONS(AT),
	{"limit", OPTION_VALUE, AT(limit), "N", "only the newest N"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
	{0, "done, even if no row matched"}, {EXIT_NO_RECORD, "no record exists yet"},
	{EXIT_USAGE, "wrong use, for example an invalid time, verdict, status, kind or expression"},
	{EXIT_INTERNAL, "the record cannot be read, or other users can write to it"},
};

static const struct example_row query_examples[] = {
	{"caisson audit query --agent a1 --since 7d --verdict deny",
			"Lists what agent a1 was denied in the last seven days."},
	{"caisson audit query --since 2026-01-31 --until 2026-01-31 --json | jq -r .command",
			"Prints all commands of one day."},
	{"caisson audit query --grep '^git push' --status timeout --limit 20",
			"Lists the twenty newest pushes that reached the time limit."},
};

static const struct example_row export_examples[] = {
	{"caisson audit export --format csv --since 30d", "Exports the last thirty days for a spreadsheet."},
};

const struct command_row command_audit_query = {
	.name = "audit query",
	.synopsis = "[--agent A] [--session S] [--since TIME] [--until TIME] [--verdict V] [--status S] "
			"[--kind K] [--grep RE] [--limit N] [--json]",
	.summary = "search the record",
	.about = "Prints the rows that match all options, oldest first. An end row also has the "
		 "command and the verdict of its begin row, so a search by command finds "
		 "it.\n\nOn a terminal it prints a table with one line for each request: the "
		 "newest 100 unless --limit sets another number, in local time, through $PAGER "
		 "(less -R) if the table is longer than the screen. A run in progress has no "
		 "line yet: --kind begin lists it, and caisson ps lists runs in the background. "
		 "In a pipe it prints every row: number, time (UTC), kind, verdict, status, "
		 "agent, id and command, separated by tabs, with - for a missing value and "
		 "escapes for invisible characters. --json prints the rows as "
		 "stored.\n\nExpressions use PCRE2 with limits. If a match reaches a limit, the "
		 "row is printed and a message says so.\n\n"
		 "Rows are found by an index (index.sqlite in the state directory), which is brought up to "
		 "date first. It is a cache: rows are read from the record itself, and when the index "
		 "cannot be used the files "
		 "are searched.",
	COMMAND_OPTIONS(query_options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(query_examples),
	.run = run_query,
};

const struct command_row command_audit_export = {
	.name = "audit export",
	.synopsis = "[--format jsonl|csv] [--agent A] [--since TIME] [--until TIME] [--verdict V] [--status "
			"S] [--kind K] [--grep RE] [--limit N]",
	.summary = "export rows of the record for other programs",
	.about = "Prints rows, oldest first: all of them, or those that caisson-audit-query(1) would "
			"find.\n\ncsv follows RFC 4180: a header, commas, lines that end in CR LF, and "
			"quotes around texts with a comma, a quote or a line end. A text that a spreadsheet "
			"would read as a formula (it starts with = + - @, a tab or a CR), or that starts "
			"with an apostrophe, gets an apostrophe in front: remove one to get the text. "
			"Reasons are ids separated by blanks.",
	COMMAND_OPTIONS(export_options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(export_examples),
	.run = run_export,
};

/* ---- reindex ---- */

static int run_reindex_job(void *arg)
{
	struct audit_query_job *j = arg;
	struct index_counts n;
	struct buf b;
	struct err e = {0};

	home_find(&j->a, &j->at);
	if (home_open(&j->a, &j->at, false, &e) < 0)
		return home_failed(j->name, &e);
	int rc = index_update(&j->a, &j->at.audit, true, &n, &e);
	home_close(&j->at);
	if (rc < 0) {
		output_error("%s: %s", j->name, e.text);
		return EXIT_INTERNAL;
	}
	buf_init(&b, &j->a, 0);
	if (j->o.json) {
		struct doc o;

		doc_start(&o, &b, true);
		doc_number(&o, "rows", n.rows);
		doc_number(&o, "days", n.files);
		doc_number(&o, "bytes", n.bytes);
		doc_finish(&o);
	} else
		buf_fmt(&b, "%" PRIu64 " rows of %" PRIu64 " day%s, %" PRIu64 " bytes\n", n.rows, n.files,
		n.files == 1 ? "" : "s", n.bytes);
	return output_write(buf_view(&b), 0);
}

static int run_reindex(const struct command_row *self, int argc, char **argv)
{
	struct audit_query_job j = {.name = self->name};
	int code;

	if (!options_only(self, argc, argv, &j.o, &code))
		return code;
	return with_arena(&j.a, run_reindex_job, &j);
}

static const struct option_row reindex_options[] = {
	OPTION_JSON_ROW,
	OPTION_HELP_ROW,
};

static const struct exit_row reindex_exits[] = {
	{0, "the index was rebuilt"}, {EXIT_NO_RECORD, "no record exists yet"}, {EXIT_USAGE, "usage"},
	{EXIT_INTERNAL, "the record cannot be read, or the index cannot be written"},
};

static const struct example_row reindex_examples[] =
		{{"caisson audit reindex", "Rebuilds the index and prints its number of rows."}};

const struct command_row command_audit_reindex = {
	.name = "audit reindex",
	.synopsis = "[--json]",
	.summary = "rebuild the index of the record",
	.about = "Rebuilds index.sqlite in the state directory from scratch. You never need it: every query "
			"updates the index first and rebuilds it if it is damaged. The index is a cache of "
			"the record and may be deleted at any time.",
	COMMAND_OPTIONS(reindex_options),
	COMMAND_EXITS(reindex_exits),
	COMMAND_EXAMPLES(reindex_examples),
	.run = run_reindex,
};
