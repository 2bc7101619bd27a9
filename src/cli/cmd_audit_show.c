/* caisson audit show: prints everything in the record about one request. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>

#include "audit/index.h"
#include "base/json_write.h"
#include "base/num.h"
#include "cli/record_home.h"
#include "cli/rows.h"
#include "gate/gate.h"


#define ROWS_MAX 1000                    /* rows of one request; further rows are only counted */
#define OUTPUT_MAX ((size_t)64 << 20)    /* bytes of an output to show */
#define SPEC_MAX ((size_t)16 << 20)
#define LABEL_COLUMNS 12
#define HOSTS_COLUMNS 90                 /* of a line with hosts */

struct audit_show_options {
	bool json, output, utc;
};

struct audit_show_job {
	struct arena a;
	struct audit_show_options o;
	const char *what;
	struct record_home at;
	struct audit_line *rows; /* the arena owns their bytes */
	size_t nrows, more;
	struct page page;
	struct buf b;
};

/* ---- finding ---- */

static void keep_row(struct audit_show_job *j, const struct audit_line *l)
{
	if (j->nrows == ROWS_MAX) {
		j->more++;
		return;
	}
	struct str text = str_dup(&j->a, l->text);
	(void)audit_line_parse(text, &j->rows[j->nrows++]);
}

static int find_id(struct audit_show_job *j, struct str id, struct err *e)
{
	struct audit_filter f = {.id = id};
	struct audit_line *l = arena_new(&j->a, struct audit_line);
	struct search *s;
	int got;

	if (search_new(&j->a, &j->at.audit, &f, 0, &s, e) < 0)
		return -1;
	while ((got = search_next(s, l, e)) > 0)
		keep_row(j, l);
	search_close(s);
	return got;
}

/* Finds rows by request id; a number may also be a row's sequence number. */
static int find_rows(struct audit_show_job *j, struct err *e)
{
	struct audit_line *l = arena_new(&j->a, struct audit_line);
	int64_t seq;
	const bool number = num_parse(str_of(j->what), 1, INT64_MAX, &seq) == 0;

	j->rows = arena_array(&j->a, ROWS_MAX, sizeof *j->rows);
	if (number) {
		int got = search_seq(&j->a, &j->at.audit, (uint64_t)seq, l, e);

		if (got < 0)
			return -1;
		if (got)
			return find_id(j, str_dup(&j->a, l->id), e);
	}
	return find_id(j, str_of(j->what), e);
}

/* ---- a row for people ---- */

static void label(struct audit_show_job *j, const char *text)
{
	buf_fmt(&j->b, "  %s%-*s%s ", tint_on(j->page.colour, TINT_DIM), LABEL_COLUMNS, text,
			tint_off(j->page.colour, TINT_DIM));
}

static void tinted(struct audit_show_job *j, struct str text, enum tint t)
{
	buf_c(&j->b, tint_on(j->page.colour, t));
	put_cell(&j->b, text, 0);
	buf_c(&j->b, tint_off(j->page.colour, t));
	buf_char(&j->b, '\n');
}

/* Appends the text line by line, indented to the label's column. */
static void put_lines(struct audit_show_job *j, struct str text, bool first)
{
	for (size_t from = 0; from <= text.n;) {
		ptrdiff_t newline = str_find(text, '\n', from);
		size_t to = newline < 0 ? text.n : (size_t)newline;

		if (!first)
			buf_fmt(&j->b, "  %*s ", LABEL_COLUMNS, "");
		first = false;
		for (size_t at = from; at < to;) { /* tabs are kept */
			ptrdiff_t tab = str_find(str_sub(text, 0, to), '\t', at);
			size_t end = tab < 0 ? to : (size_t)tab;

			put_cell(&j->b, str_sub(text, at, end), 0);
			if (tab >= 0)
				buf_char(&j->b, '\t');
			at = end + 1;
		}
		buf_char(&j->b, '\n');
		from = to + 1;
		if (from == text.n)
			break; /* a final newline adds no line */
	}
}

static void show_text(struct audit_show_job *j, const char *key, struct str value)
{
	label(j, key);
	put_lines(j, audit_text(&j->a, value), true);
}

static void show_verdict(struct audit_show_job *j, const char *key, struct str value)
{
	struct str text = audit_text(&j->a, value);

	label(j, key);
	tinted(j, text, key[0] == 'v' ? verdict_tint(text) : status_tint(text));
}

static void show_reasons(struct audit_show_job *j, const char *key, struct str value)
{
	struct str item;

	while (audit_item(&value, &item)) {
		struct str id = audit_text(&j->a, item);
		enum check_id check = check_find(id);

		label(j, key);
		key = "";
		put_cell(&j->b, id, 0);
		if (check != CHECK_NONE)
			buf_fmt(&j->b, ": %s", gate_check(check)->about);
		buf_char(&j->b, '\n');
	}
}

static void show_duration(struct audit_show_job *j, const char *key, struct str value)
{
	int64_t ms;

	if (!audit_number(value, &ms))
		return;
	label(j, key[0] == 'd' ? "took" : "cpu time");
	put_ms(&j->b, ms < 0 ? 0 : ms);
	buf_char(&j->b, '\n');
}

static void show_memory(struct audit_show_job *j, const char *key, struct str value)
{
	int64_t mb;

	(void)key;
	if (!audit_number(value, &mb))
		return;
	label(j, "peak memory");
	buf_fmt(&j->b, "%" PRId64 " MB\n", mb);
}

static void show_validation(struct audit_show_job *j, const char *key, struct str value)
{
	static const char parts[][8] = {"outcome", "result", "task", "format"};
	bool any = false;

	label(j, key);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		struct str text = audit_text(&j->a, audit_inner(value, parts[i]));

		if (!text.n)
			continue;
		buf_c(&j->b, any ? ", " : "");
		any = true;
		put_cell(&j->b, text, 0);
	}
	buf_char(&j->b, '\n');
}

/* Connections by name; the hosts stand in the specification. */
static void show_network(struct audit_show_job *j, const char *key, struct str value)
{
	int64_t allowed, refused;

	(void)key;
	if (!audit_number(audit_inner(value, "allowed"), &allowed) ||
			!audit_number(audit_inner(value, "refused"), &refused))
		return;
	label(j, "connections");
	buf_fmt(&j->b, "%" PRId64 " carried, %" PRId64 " refused\n", allowed, refused);
}

/* Shows the limits of the run: the parts of its specification that people ask for. */
static void show_limits(struct audit_show_job *j, const struct json *spec)
{
	static const struct {
		char key[12], name[12], unit[8];
		int64_t one;
	} limits[] = {{"cpu_milli", "cpus", "", 1000}, {"memory", "memory", " MiB", 1 << 20},
			{"time_ms", "time", " s", 1000}, {"cpu_ms", "cpu time", " s", 1000},
			{"pids", "processes", "", 1},
		      {"scratch", "scratch", " MiB", 1 << 20}, {"output", "output", " MiB", 1 << 20}};
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		const struct json *v = json_key(json_key(spec, "limits"), limits[i].key);

		if (!json_is_int(v) || json_int(v, 0) <= 0)
			continue;
		if (!any)
			label(j, "limits");
		buf_fmt(&j->b, "%s%s %g%s", any ? ", " : "", limits[i].name,
				(double)json_int(v, 0) / (double)limits[i].one, limits[i].unit);
		any = true;
	}
	if (any)
		buf_char(&j->b, '\n');
}

/* The hosts that a box could reach, several to a line. */
static void show_hosts(struct audit_show_job *j, const struct json *hosts)
{
	size_t column = 0;

	for (const struct json *h = json_items(hosts); h; h = h->next) {
		struct str text = json_text(h);

		if (!column || column + text.n > HOSTS_COLUMNS) {
			if (column)
				buf_char(&j->b, '\n');
			label(j, column ? "" : "hosts");
			column = 1;
		} else {
			buf_c(&j->b, ", ");
		}
		put_cell(&j->b, text, 0);
		column += text.n + 2;
	}
	if (column)
		buf_char(&j->b, '\n');
}

/* Shows a specification, which is in the row itself or a blob. */
static void show_spec(struct audit_show_job *j, const char *key, struct str value)
{
	static const char words[][12] = {"profile", "network", "workspace"};
	struct str text = value;
	struct json *spec = NULL;

	if (value.p[0] == '"') {
		struct str digest = audit_text(&j->a, value);

		label(j, key);
		tinted(j, digest, TINT_DIM);
		if (!j->at.has_blobs || !blob_is_digest(digest) || blob_get(&j->a, &j->at.blobs, digest,
				SPEC_MAX, &text, NULL) < 0)
			return;
	}
	if (json_read(&j->a, text, &spec, NULL) < 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct str word = json_text_at(spec, words[i]);

		if (!word.n)
			continue;
		label(j, words[i]);
		tinted(j, word, TINT_NONE);
	}
	show_hosts(j, json_key(spec, "hosts"));
	show_limits(j, spec);
}

/* Reads an output by its digest. -1 and the reason if it is not available. */
static int output_of(struct audit_show_job *j, struct str digest, struct str *ret, struct err *e)
{
	if (!blob_is_digest(digest))
		return err_input(e, "not a digest");
	if (!j->at.has_blobs)
		return err_set(e, ERR_SYSTEM, ENOENT, "it is not kept");
	return blob_get(&j->a, &j->at.blobs, digest, OUTPUT_MAX, ret, e);
}

static void show_output(struct audit_show_job *j, const char *key, struct str value)
{
	struct str text, digest = audit_text(&j->a, value);
	struct err e = {0};

	label(j, key);
	tinted(j, digest, TINT_DIM);
	if (!j->o.output)
		return;
	if (output_of(j, digest, &text, &e) == 0)
		put_lines(j, text, false);
	else {
		label(j, "");
		tinted(j, str_of(e.text), TINT_RED);
	}
}

static void show_digest(struct audit_show_job *j, const char *key, struct str value)
{
	label(j, key);
	tinted(j, audit_text(&j->a, value), TINT_DIM);
}

static void show_other(struct audit_show_job *j, const char *key, struct str value)
{
	if (str_is(value, "null"))
		return;
	label(j, key);
	tinted(j, value.p[0] == '"' ? audit_text(&j->a, value) : value, TINT_NONE);
}

static const struct {
	char key[16];
	void (*show)(struct audit_show_job *j, const char *key, struct str value); /* NULL: skip */
} shown[] = {
	{"v", NULL}, {"seq", NULL}, {"id", NULL}, {"kind", NULL}, {"ts", NULL}, {"prev", NULL},
	{"command", show_text}, {"verdict", show_verdict}, {"status", show_verdict},
	{"reasons", show_reasons},
	{"duration_ms", show_duration}, {"cpu_ms", show_duration}, {"peak_memory_mb", show_memory},
	{"validation", show_validation}, {"network", show_network},
	{"spec", show_spec}, {"policy", show_digest}, {"view", show_digest},
	{"answers", NULL},
	{"stdout", show_output}, {"stderr", show_output}, {"hash", show_digest},
};

static void show_field(struct audit_show_job *j, struct str key, struct str value)
{
	ptrdiff_t i = STR_ROW(shown, key, key);
	struct buf name;

	if (i >= 0) {
		if (shown[i].show)
			shown[i].show(j, shown[i].key, value);
		return;
	}
	buf_init(&name, &j->a, AUDIT_ROW_MAX);
	put_cell(&name, key, 0);
	show_other(j, str_c(&j->a, buf_view(&name)), value);
}

/* Skips fields that the first row has already shown. */
static void show_row(struct audit_show_job *j, size_t n)
{
	const struct audit_line *l = &j->rows[n], *first = &j->rows[0];

	buf_fmt(&j->b, "%s%srow %" PRIu64 ", ", n ? "\n" : "", tint_on(j->page.colour, TINT_BOLD), l->seq);
	put_cell(&j->b, audit_text(&j->a, audit_field(l, "kind")), 0);
	buf_c(&j->b, ", ");
	put_time(&j->b, l->ts, j->o.utc, "%Y-%m-%d %H:%M:%S %Z");
	if (n) {
		buf_c(&j->b, ", ");
		put_ms(&j->b, (audit_time_of(l->ts) - audit_time_of(first->ts)) / 1000);
		buf_c(&j->b, " later");
	}
	buf_fmt(&j->b, "%s\n", tint_off(j->page.colour, TINT_BOLD));
	for (size_t i = 0; i < l->nfields; i++) {
		struct str key = l->fields[i].key, value = l->fields[i].value;

		if (n && !str_is_any(key, "verdict status") &&
				str_eq(audit_field(first, str_c(&j->a, key)), value))
			continue;
		show_field(j, key, value);
	}
	page_put(&j->page, buf_view(&j->b));
	j->b.n = 0;
}

static int print_text(struct audit_show_job *j)
{
	page_begin(&j->page, &j->a, true);
	buf_fmt(&j->b, "%.*s\n", STR_ARG(j->rows[0].id));
	for (size_t i = 0; i < j->nrows && !j->page.gone; i++)
		show_row(j, i);
	if (j->more)
		buf_fmt(&j->b, "\nand %zu rows more\n", j->more);
	page_put(&j->page, buf_view(&j->b));
	return page_end(&j->page);
}

/* ---- for programs ---- */

static void json_output(struct audit_show_job *j, const char *key)
{
	struct str digest = {0}, text;
	struct err e = {0};

	for (size_t i = 0; i < j->nrows && !digest.n; i++)
		digest = audit_text(&j->a, audit_field(&j->rows[i], key));
	if (!digest.n)
		return;
	buf_fmt(&j->b, ",\"%s\":", key);
	if (output_of(j, digest, &text, &e) < 0) {
		buf_c(&j->b, "null");
		return;
	}
	json_put_string(&j->b, text);
}

static int print_json(struct audit_show_job *j)
{
	page_begin(&j->page, &j->a, false);
	buf_fmt(&j->b, "{\"id\":\"%.*s\",\"rows\":[", STR_ARG(j->rows[0].id));
	for (size_t i = 0; i < j->nrows; i++) {
		buf_c(&j->b, i ? "," : "");
		buf_str(&j->b, j->rows[i].text);
	}
	buf_char(&j->b, ']');
	if (j->o.output) {
		json_output(j, "stdout");
		json_output(j, "stderr");
	}
	buf_c(&j->b, "}\n");
	if (j->page.terminal) {
		struct buf safe;

		buf_init(&safe, &j->a, ARENA_CAP_DEFAULT);
		rows_json_safe(&safe, str_sub(buf_view(&j->b), 0, j->b.n - 1));
		buf_char(&safe, '\n');
		page_put(&j->page, buf_view(&safe));
	} else
		page_put(&j->page, buf_view(&j->b));
	return page_end(&j->page);
}

/* ---- the command ---- */

static int audit_show_job_run(void *arg)
{
	struct audit_show_job *j = arg;
	struct err e = {0};

	buf_init(&j->b, &j->a, ARENA_CAP_DEFAULT);
	home_find(&j->a, &j->at);
	if (home_open(&j->a, &j->at, true, &e) < 0)
		return home_failed("audit show", &e);
	int rc = find_rows(j, &e);
	if (rc < 0)
		output_error("audit show: %s", e.text);
	else if (!j->nrows)
		output_error("audit show: no row '%.80s' (caisson audit query lists rows)", j->what);
	const int code = rc < 0 ? EXIT_INTERNAL : !j->nrows ? EXIT_NO_RECORD : j->o.json ? print_json(j) :
			print_text(j);
	home_close(&j->at);
	return code;
}

#define AT(field) offsetof(struct audit_show_options, field)
static const struct option_row options[] = {
	{"output", OPTION_FLAG, AT(output), "",
			"also show the program's standard output and standard error"},
	{"json", OPTION_FLAG, AT(json), "", "print one JSON object: the id and the rows as stored"},
	{"utc", OPTION_FLAG, AT(utc), "", "times in UTC (default: local time)"},
	OPTION_HELP_ROW,
};

static int run_audit_show(const struct command_row *self, int argc, char **argv)
{
	struct audit_show_job j = {0};
	/* options may follow the id */
	const bool named = argc > 1 && argv[1][0] != '-';
	int code, first = options_take(self, argc - named, argv + named, &j.o, &code);

	if (first < 0)
		return code;
	if (!named && first == argc)
		return usage_wrong(self, "no id or row number given");
	if (first + !named < argc - named)
		return usage_wrong(self, "give one id or row number");
	j.what = named ? argv[1] : argv[first];
	if (!*j.what)
		return usage_wrong(self, "no id or row number given");
	return with_arena(&j.a, audit_show_job_run, &j);
}

static const struct exit_row exits[] = {
	{0, "the rows were printed"}, {EXIT_NO_RECORD, "no record, or no such row in it"},
	{EXIT_USAGE, "usage"},
	{EXIT_INTERNAL, "the record cannot be read, or other users can write to it"},
};

static const struct example_row examples[] = {
	{"caisson audit show 4711",
			"Shows the request of row 4711: its rows, reasons, limits and outcome."},
	{"caisson audit show ID --output", "Shows a request by its id, with the output of the program."},
};

const struct command_row command_audit_show = {
	.name = "audit show",
	.synopsis = "ID|ROW [--output] [--json]",
	.summary = "show one request with everything that is recorded about it",
	.about = "Shows everything the record has about one request: who asked and when, the command, the "
			"verdict with what each reason means, the limits it ran with, how it ended. It is "
			"named by its id, or by the number of one of its rows, which caisson-audit-query(1) "
			"prints first.\n\n--output adds what the program wrote, as it was kept (redacted). "
			"Invisible characters are printed as escapes.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_audit_show,
};
