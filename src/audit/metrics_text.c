/*
 * Prints the counters as OpenMetrics text; docs/metrics.md lists the families. Base units, exact numbers;
 * every family is printed, also an empty one.
 */
#include <inttypes.h>

#include "audit/metrics.h"

struct family {
	char name[28], start[16], labels[2][12], help[60]; /* `start` is that of the keys */
};

static const struct family counters[] = {
	{"caisson_decisions", "decisions|", {"verdict", "rule"},
			"Requests that were judged, by verdict and first reason."},
	{"caisson_reasons", "reasons|", {"rule", ""}, "Reasons of judgements; a request may have several."},
	{"caisson_requests", "requests|", {"client", ""}, "Requests that were judged or run, by client."},
	{"caisson_runs", "runs|", {"status", ""}, "Runs in the box that ended, by status."},
	{"caisson_validations", "validations|", {"task", "outcome"},
			"Results that were validated: can they be trusted?"},
	{"caisson_validation_results", "results|", {"task", "result"},
			"Validated results, by pass or fail."},
	{"caisson_record_rows", "rows|", {"kind", ""}, "Rows of the record."},
};

/* Writes a label's value. Our words need no escaping, but words stored by another version might. */
static void put_value(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '\n')
			buf_c(b, "\\n");
		else if (s.p[i] == '"' || s.p[i] == '\\')
			buf_fmt(b, "\\%c", s.p[i]);
		else
			buf_char(b, s.p[i]);
}

enum metric { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM, METRIC_INFO };

/* The classic text format has no info, and puts the suffix of the samples into the head. */
static const struct {
	const char *type, *classic_type, *classic_suffix;
} metrics[] = {
	[METRIC_COUNTER] = {"counter", "counter", "_total"},
	[METRIC_GAUGE] = {"gauge", "gauge", ""},
	[METRIC_HISTOGRAM] = {"histogram", "histogram", ""},
	[METRIC_INFO] = {"info", "gauge", "_info"},
};

static void put_head(struct buf *b, bool classic, const char *name, enum metric m, const char *unit,
		const char *help)
{
	const char *suffix = classic ? metrics[m].classic_suffix : "";

	buf_fmt(b, "# TYPE %s%s %s\n", name, suffix, classic ? metrics[m].classic_type : metrics[m].type);
	if (unit && !classic)
		buf_fmt(b, "# UNIT %s %s\n", name, unit);
	buf_fmt(b, "# HELP %s%s %s\n", name, suffix, help);
}

static void put_counter(struct buf *b, const struct tally *t, bool classic, const struct family *f)
{
	size_t n;
	struct tally_entry *all = tally_family(t, f->start, &n);
	put_head(b, classic, f->name, METRIC_COUNTER, NULL, f->help);
	for (size_t i = 0; i < n; i++) {
		buf_fmt(b, "%s_total{", f->name);
		for (unsigned k = 0; k < 2 && f->labels[k][0]; k++) {
			buf_fmt(b, "%s%s=\"", k ? "," : "", f->labels[k]);
			put_value(b, tally_word(all[i].key, k + 1));
			buf_char(b, '"');
		}
		buf_fmt(b, "} %" PRIu64 "\n", all[i].n);
	}
}

/* Prints thousandths as a decimal number with a point, the format of a bucket's bound. */
static void put_thousandths(struct buf *b, uint64_t n)
{
	unsigned rest = (unsigned)(n % 1000);
	buf_fmt(b, "%" PRIu64 ".%0*u", n / 1000, rest % 100 == 0 ? 1 : rest % 10 == 0 ? 2 : 3,
			rest % 100 == 0 ? rest / 100 : rest % 10 == 0 ? rest / 10 : rest);
}

static void put_bound(struct buf *b, enum metrics_histogram h, uint64_t n)
{
	if (h == METRICS_DURATION_MS)
		put_thousandths(b, n);
	else
		buf_fmt(b, "%" PRIu64 ".0", n << 20);
}

static void put_histogram(struct buf *b, const struct tally *t, bool classic, enum metrics_histogram h,
		const char *name, const char *key, const char *unit, const char *help)
{
	const uint64_t *bounds = metrics_buckets(h),
			sum = tally_get(t, str_c(t->a, str_fmt(t->a, "%s|sum", key)));
	uint64_t so_far = 0;
	put_head(b, classic, name, METRIC_HISTOGRAM, unit, help);
	for (unsigned i = 0; i <= METRICS_BUCKETS; i++) {
		so_far += tally_get(t, str_c(t->a, str_fmt(t->a, "%s|%u", key, i)));
		buf_fmt(b, "%s_bucket{le=\"", name);
		if (i < METRICS_BUCKETS)
			put_bound(b, h, bounds[i]);
		else
			buf_c(b, "+Inf");
		buf_fmt(b, "\"} %" PRIu64 "\n", so_far);
	}
	buf_fmt(b, "%s_count %" PRIu64 "\n%s_sum ", name, so_far, name);
	put_bound(b, h, sum);
	buf_char(b, '\n');
}

void metrics_text(struct buf *b, const struct tally *t, bool classic, const char *version, uint64_t row_bytes)
{
	put_head(b, classic, "caisson_build", METRIC_INFO, NULL, "The program that counted.");
	buf_c(b, "caisson_build_info{version=\"");
	put_value(b, str_of(version));
	buf_c(b, "\"} 1\n");
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		put_counter(b, t, classic, &counters[i]);
	put_head(b, classic, "caisson_runs_started", METRIC_COUNTER, NULL,
			"Runs that began; more than ended are under way, or were cut short.");
	buf_fmt(b, "caisson_runs_started_total %" PRIu64 "\n", tally_get(t, "started"));
	put_histogram(b, t, classic, METRICS_DURATION_MS, "caisson_run_duration_seconds", "duration",
			"seconds", "How long runs took.");
	put_histogram(b, t, classic, METRICS_MEMORY_MB, "caisson_run_peak_memory_bytes", "memory", "bytes",
			"The most memory that runs used, in steps of a mebibyte.");
	put_head(b, classic, "caisson_run_cpu_seconds", METRIC_COUNTER, "seconds",
			"CPU time that runs used.");
	buf_c(b, "caisson_run_cpu_seconds_total ");
	put_thousandths(b, tally_get(t, "cpu|sum"));
	buf_char(b, '\n');
	put_head(b, classic, "caisson_record_size_bytes", METRIC_GAUGE, "bytes",
			"Size of the days that the record has.");
	buf_fmt(b, "caisson_record_size_bytes %" PRIu64 "\n", row_bytes);
	put_head(b, classic, "caisson_record_newest_timestamp_seconds", METRIC_GAUGE, "seconds",
			"When the newest row was written.");
	buf_c(b, "caisson_record_newest_timestamp_seconds ");
	put_thousandths(b, t->last > 0 ? (uint64_t)t->last / 1000 : 0);
	buf_c(b, "\n# EOF\n");
}
