/* See rows.h. */
#define _GNU_SOURCE
#include "cli/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/utf8.h"
#include "cli/doc.h"
#include "gate/gate.h"
#include "model/outcome.h"

#define AGENT_COLUMNS 14
#define STATE_COLUMNS 12
#define COMMAND_COLUMNS_MIN 20
#define SINCE_DEFAULT "30d"
#define SECOND_US INT64_C(1000000)
#define NARROW 90 /* a terminal below this width gets the short table */
#define TINY 60   /* and below this one, shorter columns */

/* ---- selection ---- */

static int take_verdict(const char *value, struct audit_filter *f, struct err *e)
{
	for (int v = VERDICT_DENY; v <= VERDICT_ALLOW; v++)
		if (!strcmp(value, verdict_name((enum verdict)v))) {
			f->verdict = str_of(value);
			return 0;
		}
	return err_input(e, "unknown verdict '%.40s': allow, ask, contain or deny", value);
}

static int take_status(const char *value, struct audit_filter *f, struct err *e)
{
	for (int s = 0; s <= STATUS_UNKNOWN; s++)
		if (!strcmp(value, status_name((enum status)s))) {
			f->status = str_of(value);
			return 0;
		}
	return err_input(e, "unknown status '%.40s': ok, exit_nonzero, signal, timeout, oom, output_limit, "
			"denied, needs_approval, setup_error or unknown", value);
}

static int take_kinds(const char *value, struct audit_filter *f, struct err *e)
{
	struct str s = str_of(value);

	for (size_t from = 0; from <= s.n;) {
		size_t to = str_end(s, ',', from);
		enum audit_kind k = audit_kind_of(str_sub(s, from, to));

		if (k == AUDIT_KINDS)
			return err_input(e, "unknown kind '%.*s': begin, end, verdict, recovered, "
					"checkpoint, tombstone or person",
					(int)(to - from < 40 ? to - from : 40), s.p + from);
		f->kinds |= 1u << k;
		from = to + 1;
	}
	return 0;
}

/* Seconds east of UTC at that time. */
static int64_t local_offset(int64_t us)
{
	time_t t = (time_t)(us / SECOND_US);
	struct tm tm;

	return localtime_r(&t, &tm) ? tm.tm_gmtoff : 0;
}

/* Days, and times without Z, are local unless `utc` is set. */
static int parse_time(const char *text, bool utc, int64_t now, bool end, int64_t *ret, struct err *e)
{
	struct str s = str_of(text);
	bool local = !utc && !str_ends(s, "Z") && (str_is_any(s, "today yesterday") || str_has(s, '-'));
	int64_t t, east = local ? local_offset(now) * SECOND_US : 0;

	if (audit_time_parse(s, now + east, end, &t, e) < 0)
		return -1;
	*ret = local ? t - local_offset(t - east) * SECOND_US : t;
	return 0;
}

int rows_filter(struct arena *a, const struct rows_options *o, int64_t now, struct audit_filter *ret,
		struct err *e)
{
	struct audit_filter f = {.agent_id = str_of(o->agent ? o->agent : ""),
			.session = str_of(o->session ? o->session : "")};

	if ((o->agent && !*o->agent) || (o->session && !*o->session))
		return err_input(e, "--agent and --session need a name");
	if ((o->since && parse_time(o->since, o->utc, now, false, &f.since, e) < 0) ||
			(o->until && parse_time(o->until, o->utc, now, true, &f.until, e) < 0) ||
	    (o->verdict && take_verdict(o->verdict, &f, e) < 0) ||
	    (o->status && take_status(o->status, &f, e) < 0) || (o->kind && take_kinds(o->kind, &f, e) < 0))
		return -1;
	if (f.since && f.until && f.since >= f.until)
		return err_input(e, "--since must be earlier than --until");
	if (o->grep && regex_new(a, str_of(o->grep), 0, &f.grep, NULL, e) < 0) {
		e->kind = ERR_INPUT;
		return -1;
	}
	*ret = f;
	return 0;
}

int rows_filter_lately(const char *agent, const char *since, const char *until, int64_t now,
		struct audit_filter *ret, struct err *e)
{
	struct audit_filter f = {.agent_id = str_of(agent ? agent : "")};

	if (parse_time(since ? since : SINCE_DEFAULT, false, now, false, &f.since, e) < 0 ||
			(until && parse_time(until, false, now, true, &f.until, e) < 0))
		return -1;
	*ret = f;
	return 0;
}

/* ---- lines ---- */

enum tint verdict_tint(struct str v)
{
	return str_is(v, "deny") ? TINT_RED : str_is(v, "ask") ? TINT_YELLOW : str_is(v, "contain") ?
			TINT_CYAN : str_is(v, "allow") ? TINT_GREEN : TINT_NONE;
}

enum tint status_tint(struct str s) { return str_is(s, "ok") ? TINT_GREEN : s.n ? TINT_RED : TINT_NONE; }

void put_time(struct buf *b, struct str ts, bool utc, const char *format)
{
	int64_t us = audit_time_of(ts);
	time_t t = (time_t)(us / SECOND_US);
	struct tm tm;
	char text[40];

	if (us < 0 || !(utc ? gmtime_r(&t, &tm) : localtime_r(&t, &tm))) {
		buf_str(b, ts);
		return;
	}
	if (utc)
		tm.tm_zone = "UTC"; /* %Z would say GMT, which no option is called */
	if (!strftime(text, sizeof(text), format, &tm))
		buf_str(b, ts);
	else
		buf_c(b, text);
}

void put_ms(struct buf *b, int64_t ms)
{
	if (ms < 1000)
		buf_fmt(b, "%" PRId64 "ms", ms);
	else if (ms < 100 * 1000)
		buf_fmt(b, "%" PRId64 ".%" PRId64 "s", ms / 1000, ms % 1000 / 100);
	else if (ms < 100 * 60000)
		buf_fmt(b, "%" PRId64 "m", ms / 60000);
	else
		buf_fmt(b, "%" PRId64 "h", ms / 3600000);
}

static struct str row_field(struct rows_printer *r, const struct audit_line *l, const char *key)
{
	return audit_text_buf(&r->text, audit_field(l, key));
}

/* Returns the text of the command column; for rows about the record itself, a remark. */
static struct str subject(struct rows_printer *r, const struct audit_line *l)
{
	struct str s = row_field(r, l, "command");

	return s.n ? s : row_field(r, l, "note");
}

static void plain_line(struct rows_printer *r, const struct audit_line *l)
{
	static const char keys[][12] = {"kind", "verdict", "status", "agent_id", "id"};
	struct buf *b = &r->line;

	buf_fmt(b, "%" PRIu64 "\t%.*s", l->seq, STR_ARG(l->ts));
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct str text = row_field(r, l, keys[i]);

		buf_char(b, '\t');
		put_cell(b, text.n ? text : STR("-"), 0);
	}
	buf_char(b, '\t');
	put_cell(b, subject(r, l), 0);
}

/* Appends one column of the table, padded with blanks. */
static void column(struct rows_printer *r, struct str text, size_t columns, enum tint t)
{
	struct buf *b = &r->line;
	bool colour = r->page->colour && text.n;

	buf_c(b, tint_on(colour, t));
	size_t taken = put_cell(b, text, columns);
	buf_c(b, tint_off(colour, t));
	for (; taken < columns + 1; taken++)
		buf_char(b, ' ');
}

static size_t outcome_columns(const struct rows_printer *r)
{
	return r->page->width < TINY ? 7 : STATE_COLUMNS;
}

static void table_header(struct rows_printer *r)
{
	struct buf *b = &r->line;

	buf_c(b, tint_on(r->page->colour, TINT_BOLD));
	if (r->page->width < NARROW)
		buf_fmt(b, "%6s %-11s %-*s%s", "ROW", r->utc ? "UTC" : "TIME", (int)outcome_columns(r) + 1,
				"OUTCOME", "COMMAND");
	else
		buf_fmt(b, "%8s  %-19s %-8s%-*s%-*s%7s  %s", "ROW", r->utc ? "TIME (UTC)" : "TIME", "VERDICT",
				STATE_COLUMNS + 1, "STATUS", AGENT_COLUMNS + 1, "AGENT", "TOOK", "COMMAND");
	buf_c(b, tint_off(r->page->colour, TINT_BOLD));
	buf_char(b, '\n');
}

/* Row, time, the status of a run that went wrong or else the verdict, and the command. */
static void narrow_line(struct rows_printer *r, const struct audit_line *l)
{
	const size_t columns = outcome_columns(r), taken = 7 + 12 + columns + 1, width = r->page->width;
	struct buf *b = &r->line;
	struct str word = row_field(r, l, "status");
	bool verdict = audit_field(l, "verdict").n > 0;

	buf_fmt(b, "%6" PRIu64 " ", l->seq);
	put_time(b, l->ts, r->utc, "%m-%d %H:%M ");
	if (word.n && !(verdict && str_is(word, "ok"))) {
		enum tint t = status_tint(word);
		char exit[16];
		int64_t code;

		if (str_is(word, "exit_nonzero") && audit_number(audit_field(l, "exit_code"), &code)) {
			snprintf(exit, sizeof exit, "exit %d", (int)code);
			word = str_of(exit);
		}
		column(r, word, columns, t);
	} else {
		word = row_field(r, l, "verdict");
		column(r, word.n ? word : row_field(r, l, "kind"), columns, verdict_tint(word));
	}
	put_cell(b, subject(r, l), width > taken + columns ? width - taken : columns);
}

static void table_line(struct rows_printer *r, const struct audit_line *l)
{
	struct buf *b = &r->line;
	size_t taken = 8 + 2 + 20 + 8 + STATE_COLUMNS + 1 + AGENT_COLUMNS + 1 + 7 + 2, width = r->page->width;
	char took[16];
	int64_t ms;

	buf_fmt(b, "%8" PRIu64 "  ", l->seq);
	put_time(b, l->ts, r->utc, "%Y-%m-%d %H:%M:%S ");
	struct str verdict = row_field(r, l, "verdict");
	column(r, verdict, 7, verdict_tint(verdict));
	struct str status = row_field(r, l, "status");
	if (status.n)
		column(r, status, STATE_COLUMNS, status_tint(status));
	else /* no end row yet, or another kind */
		column(r, l->kind == AUDIT_VERDICT ? STR("") : row_field(r, l, "kind"), STATE_COLUMNS,
			TINT_DIM);
	column(r, row_field(r, l, "agent_id"), AGENT_COLUMNS, TINT_NONE);
	struct buf small = {.a = b->a, .p = took, .cap = sizeof took, .max = sizeof took};
	if (audit_number(audit_field(l, "duration_ms"), &ms) && ms >= 0)
		put_ms(&small, ms);
	buf_fmt(b, "%7.*s  ", (int)small.n, took);
	put_cell(b, subject(r, l), width > taken + COMMAND_COLUMNS_MIN ? width - taken : COMMAND_COLUMNS_MIN);
}

/* ---- CSV ---- */

/* Texts and numbers of a row, in the order of docs/audit.md. */
static const struct csv_column {
	char key[16], inner[8];
} csv_columns[] = {
	{"seq", ""}, {"ts", ""}, {"id", ""}, {"kind", ""}, {"agent_id", ""}, {"session", ""}, {"client", ""},
	{"tool", ""}, {"tool_use_id", ""}, {"command", ""}, {"cwd", ""},
	{"verdict", ""}, {"reasons", ""}, {"policy", ""}, {"view", ""}, {"spec", ""}, {"backend", ""},
	{"status", ""}, {"exit_code", ""}, {"duration_ms", ""}, {"cpu_ms", ""},
	{"peak_memory_mb", ""}, {"validation", "outcome"}, {"validation", "result"}, {"validation", "task"},
	{"validation", "format"}, {"stdout", ""}, {"stderr", ""}, {"note", ""}, {"prev", ""},
	{"hash", ""},
};
#define CSV_COLUMNS ARRAY_SIZE(csv_columns)

/*
 * Prefixes an apostrophe to a text that a spreadsheet would take for a formula. A text that starts with an
 * apostrophe gets one, too, so that the prefix can be removed unambiguously.
 */
static void csv_text(struct rows_printer *r, struct str s)
{
	struct buf *b = &r->line;

	if (r->page->terminal) { /* escape what a terminal would act on */
		r->shown.n = 0;
		put_cell(&r->shown, s, 0);
		s = buf_view(&r->shown);
	}
	const bool guard = s.n && strchr("=+-@\t\r'", s.p[0]) && s.p[0];
	bool quote = false;

	for (size_t i = 0; i < s.n && !quote; i++)
		quote = s.p[i] == '"' || s.p[i] == ',' || s.p[i] == '\r' || s.p[i] == '\n';
	if (quote)
		buf_char(b, '"');
	if (guard)
		buf_char(b, '\'');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"')
			buf_char(b, '"');
		buf_char(b, s.p[i]);
	}
	if (quote)
		buf_char(b, '"');
}

static void csv_list(struct rows_printer *r, struct str list)
{
	struct buf *all = &r->list;
	struct str item;

	all->n = 0;
	while (audit_item(&list, &item)) {
		if (all->n)
			buf_char(all, ' ');
		buf_str(all, audit_text_buf(&r->text, item));
	}
	csv_text(r, buf_view(all));
}

static void csv_header(struct rows_printer *r)
{
	for (size_t i = 0; i < CSV_COLUMNS; i++)
		buf_fmt(&r->line, "%s%s%s%s", i ? "," : "", csv_columns[i].key,
				csv_columns[i].inner[0] ? "." : "", csv_columns[i].inner);
	buf_c(&r->line, "\r\n");
}

static void csv_line(struct rows_printer *r, const struct audit_line *l)
{
	struct buf *b = &r->line;

	for (size_t i = 0; i < CSV_COLUMNS; i++) {
		const struct csv_column *c = &csv_columns[i];
		struct str v = audit_field(l, c->key);

		if (i)
			buf_char(b, ',');
		if (c->inner[0])
			v = audit_inner(v, c->inner);
		if (v.n && v.p[0] == '"')
			csv_text(r, audit_text_buf(&r->text, v));
		else if (v.n && v.p[0] == '[')
			csv_list(r, v);
		else if (v.n && v.p[0] == '{')
			csv_text(r, v); /* JSON text as in the row */
		else if (v.n && !str_is(v, "null"))
			buf_str(b, v); /* a number */
	}
	buf_c(b, "\r\n");
}

/* ---- output ---- */

void rows_json_safe(struct buf *b, struct str line)
{
	for (size_t i = 0; i < line.n;) {
		size_t from = i, before = b->n;
		uint32_t cp = utf8_next(line, &i);

		if (cp < 0x7F) {
			buf_char(b, line.p[from]);
			continue;
		}
		put_visible(b, str_sub(line, from, i));
		if (cp != UTF8_BAD && str_eq(str_sub(buf_view(b), before, b->n), str_sub(line, from, i)))
			continue;
		b->n = before; /* as a JSON escape; a surrogate pair takes two */
		if (cp == UTF8_BAD)
			buf_c(b, "\\ufffd");
		else if (cp > 0xFFFF)
			buf_fmt(b, "\\u%04x\\u%04x", 0xD800 + ((cp - 0x10000) >> 10),
					0xDC00 + ((cp - 0x10000) & 0x3FF));
		else
			buf_fmt(b, "\\u%04x", cp);
	}
}

void rows_begin(struct rows_printer *r, struct arena *a, struct page *page, enum rows_form form)
{
	*r = (struct rows_printer){.page = page, .form = form};
	buf_init(&r->line, a, 8 * AUDIT_ROW_MAX);
	buf_init(&r->text, a, AUDIT_ROW_MAX);
	buf_init(&r->list, a, AUDIT_ROW_MAX);
	buf_init(&r->shown, a, 8 * AUDIT_ROW_MAX);
}

static void header(struct rows_printer *r)
{
	if (!r->any && r->form == ROWS_TABLE)
		table_header(r);
	if (!r->any && r->form == ROWS_CSV)
		csv_header(r);
	r->any = true;
}

void rows_put(struct rows_printer *r, const struct audit_line *l)
{
	r->line.n = 0;
	header(r);
	if (r->form == ROWS_CSV)
		csv_line(r, l);
	else if (r->form == ROWS_JSON && !r->page->terminal)
		buf_str(&r->line, l->text);
	else if (r->form == ROWS_JSON)
		rows_json_safe(&r->line, l->text);
	else if (r->form == ROWS_TABLE && r->page->width < NARROW)
		narrow_line(r, l);
	else if (r->form == ROWS_TABLE)
		table_line(r, l);
	else
		plain_line(r, l);
	if (r->form != ROWS_CSV)
		buf_char(&r->line, '\n');
	page_put(r->page, buf_view(&r->line));
}

void rows_end(struct rows_printer *r)
{
	if (r->any || r->form != ROWS_CSV)
		return;
	r->line.n = 0;
	header(r);
	page_put(r->page, buf_view(&r->line));
}
