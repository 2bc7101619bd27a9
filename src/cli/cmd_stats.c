/* caisson stats: summarises the record on one page, with verdicts, rules, runs, days and small plots. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "audit/metrics.h"
#include "base/wrap.h"
#include "cli/cli.h"
#include "cli/doc.h"
#include "cli/record_home.h"
#include "cli/rows.h"

#define TOP_DEFAULT 5
#define TOP_MAX 1000
#define BAR_MAX 40     /* width of the longest bar */
#define LABEL_MAX 26   /* width of a bar's label */
#define COUNT_COLUMNS 10 /* of a number and the blanks beside it */
#define WIDTH_MIN 36
#define NARROW 60
#define DAYS_SHOWN 31

struct stats_options {
	bool json;
	const char *since, *until, *agent, *top;
};

#define AT(field) offsetof(struct stats_options, field)
static const struct option_row options[] = {
	{"since", OPTION_VALUE, AT(since), "TIME", "since then: 30d (default), 12h, 2026-01-31 ..."},
	{"until", OPTION_VALUE, AT(until), "TIME", "before this time"},
	{"agent", OPTION_VALUE, AT(agent), "ID", "only this agent"},
	{"top", OPTION_VALUE, AT(top), "N", "lines in each list (default: 5)"},
	OPTION_JSON_ROW,
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {{0, "printed"}, {EXIT_NO_RECORD, "no record exists yet"},
		{EXIT_USAGE, "usage"}, {EXIT_INTERNAL, "the record cannot be read"}};

static const struct example_row examples[] = {
	{"caisson stats", "Sums up the last 30 days."},
	{"caisson stats --since 7d --agent ci-3", "Sums up one agent's week."},
	{"caisson stats --json | jq .deny_rate", "For a program."},
};

struct stats_job {
	struct arena a;
	struct stats_options o;
	size_t top;
	bool colour, utf8;
	size_t width, label, bar; /* of the page, of a label, of the longest bar */
	struct record_home at;
	struct tally t;
	struct buf out;
};

static const char verdicts[][8] = {"allow", "contain", "ask", "deny"};
#define NVERDICTS ARRAY_SIZE(verdicts)

/* ---- numbers ---- */

static uint64_t decisions(const struct stats_job *j, const char *verdict)
{
	size_t n;
	uint64_t sum = 0;
	struct tally_entry *e = tally_family(&j->t, str_fmt_c(j->t.a, "decisions|%s|", verdict), &n);

	while (n--)
		sum += e[n].n;
	return sum;
}

static uint64_t family_sum(const struct stats_job *j, const char *start)
{
	size_t n;
	uint64_t sum = 0;
	struct tally_entry *e = tally_family(&j->t, start, &n);

	while (n--)
		sum += e[n].n;
	return sum;
}

static uint64_t bucket(const struct stats_job *j, const char *name, unsigned i)
{
	return tally_get(&j->t, str_fmt_c(j->t.a, "%s|%u", name, i));
}

/*
 * Returns the upper bound of the histogram bucket that reaches this many thousandths of all entries.
 * UINT64_MAX: above all bounds; 0: no entries.
 */
static uint64_t quantile(const struct stats_job *j, const char *name, enum metrics_histogram h,
		unsigned thousandths)
{
	uint64_t all = 0, so_far = 0;

	for (unsigned i = 0; i <= METRICS_BUCKETS; i++)
		all += bucket(j, name, i);
	for (unsigned i = 0; all && i < METRICS_BUCKETS; i++) {
		so_far += bucket(j, name, i);
		if (so_far * 1000 >= all * thousandths)
			return metrics_buckets(h)[i];
	}
	return all ? UINT64_MAX : 0;
}

static unsigned percent(uint64_t part, uint64_t all)
{
	return all ? (unsigned)((part * 1000 / all + 5) / 10) : 0;
}

/* ---- plots ---- */

static void heading(struct stats_job *j, const char *text)
{
	buf_fmt(&j->out, "\n%s%s%s\n", j->colour ? "\033[1m" : "", text, j->colour ? "\033[0m" : "");
}

static void bar(struct stats_job *j, uint64_t n, uint64_t most)
{
	uint64_t eighths = most ? n * j->bar * 8 / most : 0;

	if (n && !eighths)
		eighths = 1;
	for (uint64_t i = 0; i < eighths / 8; i++)
		buf_c(&j->out, j->utf8 ? "\u2588" : "#");
	if (eighths % 8 && j->utf8) { /* U+258F is one eighth, U+2588 eight */
		const char part[] = {(char)0xe2, (char)0x96, (char)(0x90 - (int)(eighths % 8)), '\0'};

		buf_c(&j->out, part);
	} else if (eighths % 8 && eighths < 8)
		buf_char(&j->out, '.');
}

static void bar_line(struct stats_job *j, struct str name, uint64_t n, uint64_t most)
{
	size_t from = j->out.n;

	buf_c(&j->out, "  ");
	put_visible(&j->out, str_sub(name, 0, j->label));
	while (j->out.n - from < j->label + 2)
		buf_char(&j->out, ' ');
	buf_fmt(&j->out, "%8" PRIu64 "  ", n);
	bar(j, n, most);
	buf_char(&j->out, '\n');
}

/* Prints the largest entries of a family; word number `word` of the key is the label. */
static void top_list(struct stats_job *j, const char *title, const char *start, unsigned word)
{
	size_t n;
	struct tally_entry *e = tally_largest(&j->t, start, &n);

	if (!n)
		return;
	heading(j, title);
	for (size_t i = 0; i < n && i < j->top; i++)
		bar_line(j, tally_word(e[i].key, word), e[i].n, e[0].n);
	if (n > j->top)
		buf_fmt(&j->out, "  ... %zu more\n", n - j->top);
}

static void put_bound(struct buf *b, enum metrics_histogram h, uint64_t n)
{
	if (n == UINT64_MAX)
		buf_c(b, "more than all of these");
	else if (h == METRICS_MEMORY_MB)
		buf_fmt(b, n >= 1024 ? "%" PRIu64 " GB" : "%" PRIu64 " MB", n >= 1024 ? n / 1024 : n);
	else if (n >= 1000)
		buf_fmt(b, n % 1000 ? "%" PRIu64 ".%" PRIu64 " s" : "%" PRIu64 " s", n / 1000,
				n % 1000 / 100);
	else
		buf_fmt(b, "%" PRIu64 " ms", n);
}

/* One character for n: its height in eighths of the largest. */
static void spark(struct stats_job *j, uint64_t n, uint64_t most)
{
	static const char heights[] = " .:-=+*#";
	uint64_t eighths = most ? (n * 8 + most - 1) / most : 0;
	const char part[] = {(char)0xe2, (char)0x96, (char)(0x80 + (int)eighths), '\0'}; /* from U+2581 */

	if (!n)
		buf_char(&j->out, j->utf8 ? '.' : ' ');
	else if (j->utf8)
		buf_c(&j->out, part);
	else
		buf_char(&j->out, heights[eighths - 1 ? eighths - 1 : 1]);
}

static void histogram(struct stats_job *j, const char *title, const char *name, enum metrics_histogram h)
{
	uint64_t most = 0;
	unsigned first = METRICS_BUCKETS + 1, last = 0;

	for (unsigned i = 0; i <= METRICS_BUCKETS; i++) {
		uint64_t n = bucket(j, name, i);

		most = n > most ? n : most;
		first = n && i < first ? i : first;
		last = n ? i : last;
	}
	if (!most)
		return;
	buf_fmt(&j->out, "  %-8s", title);
	for (unsigned i = first; i <= last; i++)
		spark(j, bucket(j, name, i), most);
	buf_c(&j->out, j->width < NARROW ? "\n          half at most " : "  half at most ");
	put_bound(&j->out, h, quantile(j, name, h, 500));
	buf_c(&j->out, j->width < NARROW ? "\n          95 % at most " : ", 95 % at most ");
	put_bound(&j->out, h, quantile(j, name, h, 950));
	buf_char(&j->out, '\n');
}

/* ---- pages ---- */

struct stats_day {
	struct str day;
	uint64_t n[NVERDICTS], runs;
};

/* Returns the days in order, because a family's keys are sorted. */
static struct stats_day *days_of(struct stats_job *j, size_t *ret_n)
{
	size_t n, ndays = 0;
	struct tally_entry *e = tally_family(&j->t, "day|", &n);
	struct stats_day *days = arena_array(&j->a, n + 1, sizeof(*days));

	for (size_t i = 0; i < n; i++) {
		struct str name = tally_word(e[i].key, 1), what = tally_word(e[i].key, 2);

		if (!ndays || !str_eq(days[ndays - 1].day, name))
			days[ndays++].day = name;
		for (size_t v = 0; v < NVERDICTS; v++)
			if (str_is(what, verdicts[v]))
				days[ndays - 1].n[v] += e[i].n;
		if (str_is(what, "run"))
			days[ndays - 1].runs += e[i].n;
	}
	*ret_n = ndays;
	return days;
}

static void day_line(struct stats_job *j, const char *name, const struct stats_day *d, size_t n,
		size_t verdict)
{
	uint64_t most = 0, all = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t x = verdict < NVERDICTS ? d[i].n[verdict] : d[i].runs;

		most = x > most ? x : most;
		all += x;
	}
	if (!all)
		return;
	buf_fmt(&j->out, "  %-8s%8" PRIu64 "  ", name, all);
	for (size_t i = 0; i < n; i++)
		spark(j, verdict < NVERDICTS ? d[i].n[verdict] : d[i].runs, most);
	buf_char(&j->out, '\n');
}

/* A line for each verdict, a character for each day that has rows. */
static void print_days(struct stats_job *j)
{
	size_t n;
	struct stats_day *d = days_of(j, &n);

	if (n < 2)
		return;
	d += n > DAYS_SHOWN ? n - DAYS_SHOWN : 0;
	n = n > DAYS_SHOWN ? DAYS_SHOWN : n;
	heading(j, str_fmt_c(&j->a, "%zu days, %.*s to %.*s", n, STR_ARG(str_sub(d[0].day, 0, 10)),
			STR_ARG(str_sub(d[n - 1].day, 0, 10))));
	for (size_t v = 0; v < NVERDICTS; v++)
		day_line(j, verdicts[v], d, n, v);
	day_line(j, "runs", d, n, NVERDICTS);
}

static void top_commands(struct stats_job *j, const char *title, const char *start)
{
	size_t n;
	struct tally_entry *e = tally_largest(&j->t, start, &n);

	if (!n)
		return;
	heading(j, title);
	for (size_t i = 0; i < n && i < j->top; i++) {
		buf_fmt(&j->out, "%8" PRIu64 "  ", e[i].n);
		put_cell(&j->out, str_sub(e[i].key, strlen(start), e[i].key.n), j->width - COUNT_COLUMNS);
		buf_char(&j->out, '\n');
	}
}

static void put_count(struct buf *b, uint64_t n, const char *noun)
{
	buf_fmt(b, "%" PRIu64 " %s%s", n, noun, n == 1 ? "" : "s");
}

static void print_first(struct stats_job *j)
{
	uint64_t all = family_sum(j, "decisions|"), valid = family_sum(j, "validations|"), passed = 0;
	char ts[AUDIT_TS_CHARS + 1];
	struct buf b;
	size_t n;
	struct tally_entry *e = tally_family(&j->t, "results|", &n);

	for (size_t i = 0; i < n; i++)
		if (str_is(tally_word(e[i].key, 2), "pass"))
			passed += e[i].n;
	buf_init(&b, &j->a, 0);
	audit_time_text(j->t.first, ts);
	put_time(&b, str_of(ts), false, "%Y-%m-%d %H:%M");
	buf_c(&b, " to ");
	audit_time_text(j->t.last, ts);
	put_time(&b, str_of(ts), false, "%Y-%m-%d %H:%M");
	buf_c(&b, ": ");
	put_count(&b, family_sum(j, "rows|"), "row");
	buf_c(&b, ", ");
	put_count(&b, all, "request");
	buf_fmt(&b, " judged (%u %% denied), ", percent(decisions(j, "deny"), all));
	put_count(&b, family_sum(j, "runs|"), "run");
	if (valid)
		buf_fmt(&b, ", %" PRIu64 " result%s validated (%u %% passed)", valid, valid == 1 ? "" : "s",
				percent(passed, valid));
	buf_wrapped(&j->out, str_c(&j->a, buf_view(&b)), 0, 0, j->width);
}

static void print_text(struct stats_job *j)
{
	uint64_t most = 0;

	if (!j->t.seq) {
		buf_c(&j->out, "no rows\n");
		return;
	}
	print_first(j);
	heading(j, "verdicts");
	for (size_t v = 0; v < NVERDICTS; v++)
		most = decisions(j, verdicts[v]) > most ? decisions(j, verdicts[v]) : most;
	for (size_t v = 0; v < NVERDICTS; v++)
		bar_line(j, str_of(verdicts[v]), decisions(j, verdicts[v]), most);
	top_list(j, "denied because of", "decisions|deny|", 2);
	top_list(j, "asked because of", "decisions|ask|", 2);
	top_commands(j, "denied most", "denied|deny|");
	top_commands(j, "asked about most", "denied|ask|");
	top_list(j, "runs ended", "runs|", 1);
	histogram(j, "time", "duration", METRICS_DURATION_MS);
	histogram(j, "memory", "memory", METRICS_MEMORY_MB);
	top_list(j, "validations", "validations|", 2);
	top_list(j, "agents", "agent|", 1);
	print_days(j);
}

static void doc_family(struct stats_job *j, struct doc *o, const char *key, const char *start, unsigned word)
{
	size_t n;
	struct tally_entry *e = tally_largest(&j->t, start, &n);

	doc_list(o, key);
	for (size_t i = 0; i < n; i++) {
		doc_map(o, NULL);
		doc_text(o, "name", word ? tally_word(e[i].key, word) : str_sub(e[i].key, strlen(start),
				e[i].key.n));
		doc_number(o, "count", e[i].n);
		doc_end(o);
	}
	doc_end(o);
}

static void doc_histogram(struct stats_job *j, struct doc *o, const char *key, const char *name,
		enum metrics_histogram h)
{
	doc_list(o, key);
	for (unsigned i = 0; i <= METRICS_BUCKETS; i++) {
		doc_map(o, NULL);
		if (i < METRICS_BUCKETS)
			doc_number(o, "up_to", metrics_buckets(h)[i]);
		doc_number(o, "count", bucket(j, name, i));
		doc_end(o);
	}
	doc_end(o);
}

static void print_json(struct stats_job *j)
{
	uint64_t all = family_sum(j, "decisions|");
	char time[AUDIT_TS_CHARS + 1];
	struct doc o;
	size_t n;

	doc_start(&o, &j->out, true);
	audit_time_text(j->t.first, time);
	doc_word(&o, "from", j->t.first ? time : "");
	audit_time_text(j->t.last, time);
	doc_word(&o, "to", j->t.last ? time : "");
	doc_number(&o, "rows", family_sum(j, "rows|"));
	doc_number(&o, "judged", all);
	doc_number(&o, "deny_rate_percent", percent(decisions(j, "deny"), all));
	doc_map(&o, "verdicts");
	for (size_t v = 0; v < NVERDICTS; v++)
		doc_number(&o, verdicts[v], decisions(j, verdicts[v]));
	doc_end(&o);
	doc_family(j, &o, "denied_by_rule", "decisions|deny|", 2);
	doc_family(j, &o, "asked_by_rule", "decisions|ask|", 2);
	doc_family(j, &o, "reasons", "reasons|", 1);
	doc_family(j, &o, "denied_commands", "denied|deny|", 0);
	doc_family(j, &o, "asked_commands", "denied|ask|", 0);
	doc_family(j, &o, "runs", "runs|", 1);
	doc_histogram(j, &o, "duration_ms", "duration", METRICS_DURATION_MS);
	doc_histogram(j, &o, "peak_memory_mb", "memory", METRICS_MEMORY_MB);
	doc_family(j, &o, "validations", "validations|", 0);
	doc_family(j, &o, "results", "results|", 0);
	doc_family(j, &o, "agents", "agent|", 1);
	struct stats_day *d = days_of(j, &n);
	doc_list(&o, "days");
	for (size_t i = 0; i < n; i++) {
		doc_map(&o, NULL);
		doc_text(&o, "day", d[i].day);
		for (size_t v = 0; v < NVERDICTS; v++)
			doc_number(&o, verdicts[v], d[i].n[v]);
		doc_number(&o, "runs", d[i].runs);
		doc_end(&o);
	}
	doc_end(&o);
	doc_finish(&o);
}

/* ---- the command ---- */

static int stats_job_run(void *arg)
{
	struct stats_job *j = arg;
	struct audit_filter f;
	struct err e = {0};
	int rc = 0;

	buf_init(&j->out, &j->a, 0);
	home_find(&j->a, &j->at);
	if (home_open(&j->a, &j->at, false, &e) < 0)
		return home_failed("stats", &e);
	tally_init(&j->t, &j->a);
	j->t.days = true;
	if (rows_filter_lately(j->o.agent, j->o.since, j->o.until, j->at.audit.now(), &f, &e) < 0)
		rc = EXIT_USAGE;
	else if (metrics_rows(&j->t, &j->at.audit, &f, &e) < 0)
		rc = EXIT_INTERNAL;
	home_close(&j->at);
	if (rc) {
		output_error("stats: %s", e.text);
		return rc;
	}
	j->colour = terminal_colour(STDOUT_FILENO);
	j->utf8 = terminal_utf8();
	j->width = terminal_width(STDOUT_FILENO);
	j->width = j->width < WIDTH_MIN ? WIDTH_MIN : j->width;
	j->label = j->width * 2 / 5 < LABEL_MAX ? j->width * 2 / 5 : LABEL_MAX;
	j->bar = j->width - j->label - COUNT_COLUMNS - 2;
	j->bar = j->bar < BAR_MAX ? j->bar : BAR_MAX;
	if (j->o.json)
		print_json(j);
	else
		print_text(j);
	return output_write(buf_view(&j->out), 0);
}

static int run_stats(const struct command_row *self, int argc, char **argv)
{
	struct stats_job j = {0};
	int64_t n = TOP_DEFAULT;
	int code;

	if (!options_only(self, argc, argv, &j.o, &code))
		return code;
	if (!option_number(self, "--top", j.o.top, 1, TOP_MAX, &n, &code))
		return code;
	j.top = (size_t)n;
	return with_arena(&j.a, stats_job_run, &j);
}

const struct command_row command_stats = {
	.name = "stats",
	.synopsis = "[--since TIME] [--until TIME] [--agent ID] [--top N] [--json]",
	.summary = "sum up the record on one page",
	.about = "Counts the last 30 days, or the given time: verdicts, the rules and commands that were "
			"denied and asked about most, how runs ended, their duration and memory, "
			"validations, agents, and each day. Durations and memory are grouped into ranges; "
			"the numbers of a list add up to the totals.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_stats,
};
