/*
 * Prints the counters as OpenMetrics text, as the older Prometheus text, or as one JSON object;
 * docs/metrics.md lists the families. Base units, exact numbers; every family is printed, also an empty one.
 */
#include <inttypes.h>

#include "audit/metrics.h"
#include "base/json_write.h"

struct metrics_page {
	struct buf *b;
	const struct tally *t;
	enum metrics_format format;
};

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
	const char *type, *classic_type, *suffix;
} metrics[] = {
	[METRIC_COUNTER] = {"counter", "counter", "_total"},
	[METRIC_GAUGE] = {"gauge", "gauge", ""},
	[METRIC_HISTOGRAM] = {"histogram", "histogram", ""},
	[METRIC_INFO] = {"info", "gauge", "_info"},
};

static bool is_json(const struct metrics_page *p) { return p->format == METRICS_JSON; }

static void open_family(struct metrics_page *p, const char *name, enum metric m, const char *unit,
		const char *help)
{
	bool classic = p->format == METRICS_CLASSIC;
	const char *suffix = classic ? metrics[m].suffix : "";

	if (is_json(p)) {
		json_put_open(p->b, NULL, '{');
		json_put_field(p->b, "name", str_of(name));
		json_put_field(p->b, "type", str_of(metrics[m].type));
		if (unit)
			json_put_field(p->b, "unit", str_of(unit));
		json_put_field(p->b, "help", str_of(help));
		json_put_open(p->b, "samples", '[');
		return;
	}
	buf_fmt(p->b, "# TYPE %s%s %s\n", name, suffix, classic ? metrics[m].classic_type : metrics[m].type);
	if (unit && !classic)
		buf_fmt(p->b, "# UNIT %s %s\n", name, unit);
	buf_fmt(p->b, "# HELP %s%s %s\n", name, suffix, help);
}

static void close_family(struct metrics_page *p)
{
	if (is_json(p))
		buf_c(p->b, "]}");
}

/* Starts a sample: in text its full name, in JSON an object. Its labels and its value follow. */
static void open_sample(struct metrics_page *p, const char *name, enum metric m)
{
	if (is_json(p))
		json_put_open(p->b, NULL, '{');
	else
		buf_fmt(p->b, "%s%s", name, metrics[m].suffix);
}

/* Appends label number `k` of a sample, which has `n` labels. */
static void put_label(struct metrics_page *p, unsigned k, unsigned n, const char *name, struct str value)
{
	if (is_json(p)) {
		if (!k)
			json_put_open(p->b, "labels", '{');
		json_put_field(p->b, name, value);
		if (k + 1 == n)
			buf_char(p->b, '}');
		return;
	}
	buf_fmt(p->b, "%c%s=\"", k ? ',' : '{', name);
	put_value(p->b, value);
	buf_c(p->b, k + 1 == n ? "\"}" : "\"");
}

/* Ends a sample; its value is in the format of a bucket's bound, or a whole number. */
static void close_sample(struct metrics_page *p, struct str value)
{
	if (is_json(p))
		json_put_key(p->b, "value");
	else
		buf_char(p->b, ' ');
	buf_str(p->b, value);
	buf_char(p->b, is_json(p) ? '}' : '\n');
}

static struct str whole(const struct metrics_page *p, uint64_t n) { return str_fmt(p->t->a, "%" PRIu64, n); }

/* Thousandths as a decimal number with a point, the format of a bucket's bound. */
static struct str thousandths(const struct metrics_page *p, uint64_t n)
{
	unsigned rest = (unsigned)(n % 1000);

	return str_fmt(p->t->a, "%" PRIu64 ".%0*u", n / 1000, rest % 100 == 0 ? 1 : rest % 10 == 0 ? 2 : 3,
			rest % 100 == 0 ? rest / 100 : rest % 10 == 0 ? rest / 10 : rest);
}

static struct str bound(const struct metrics_page *p, enum metrics_histogram h, uint64_t n)
{
	return h == METRICS_DURATION_MS ? thousandths(p, n) : str_fmt(p->t->a, "%" PRIu64 ".0", n << 20);
}

static void put_counter(struct metrics_page *p, const struct family *f)
{
	const unsigned nlabels = f->labels[1][0] ? 2 : 1;
	size_t n;
	struct tally_entry *all = tally_family(p->t, f->start, &n);

	open_family(p, f->name, METRIC_COUNTER, NULL, f->help);
	for (size_t i = 0; i < n; i++) {
		open_sample(p, f->name, METRIC_COUNTER);
		for (unsigned k = 0; k < nlabels; k++)
			put_label(p, k, nlabels, f->labels[k], tally_word(all[i].key, k + 1));
		close_sample(p, whole(p, all[i].n));
	}
	close_family(p);
}

/* A family with one sample without labels. */
static void put_single(struct metrics_page *p, const char *name, enum metric m, const char *unit,
		const char *help, struct str value)
{
	open_family(p, name, m, unit, help);
	open_sample(p, name, m);
	close_sample(p, value);
	close_family(p);
}

static uint64_t bucket_entries(const struct metrics_page *p, const char *key, unsigned i)
{
	return tally_get(p->t, str_fmt_c(p->t->a, "%s|%u", key, i));
}

static void put_buckets_json(struct metrics_page *p, enum metrics_histogram h, const char *key,
		struct str sum)
{
	const uint64_t *bounds = metrics_buckets(h);
	uint64_t so_far = 0;

	buf_c(p->b, "{\"buckets\":[");
	for (unsigned i = 0; i < METRICS_BUCKETS; i++) {
		so_far += bucket_entries(p, key, i);
		buf_fmt(p->b, "%s{\"le\":%.*s,\"count\":%" PRIu64 "}", i ? "," : "",
				STR_ARG(bound(p, h, bounds[i])), so_far);
	}
	so_far += bucket_entries(p, key, METRICS_BUCKETS);
	buf_fmt(p->b, "],\"count\":%" PRIu64 ",\"sum\":%.*s}", so_far, STR_ARG(sum));
}

static void put_buckets_text(struct metrics_page *p, enum metrics_histogram h, const char *name,
		const char *key, struct str sum)
{
	const uint64_t *bounds = metrics_buckets(h);
	uint64_t so_far = 0;

	for (unsigned i = 0; i <= METRICS_BUCKETS; i++) {
		struct str le = i < METRICS_BUCKETS ? bound(p, h, bounds[i]) : STR("+Inf");

		so_far += bucket_entries(p, key, i);
		buf_fmt(p->b, "%s_bucket{le=\"%.*s\"} %" PRIu64 "\n", name, STR_ARG(le), so_far);
	}
	buf_fmt(p->b, "%s_count %" PRIu64 "\n%s_sum %.*s\n", name, so_far, name, STR_ARG(sum));
}

static void put_histogram(struct metrics_page *p, enum metrics_histogram h, const char *name, const char *key,
		const char *unit, const char *help)
{
	struct str sum = bound(p, h, tally_get(p->t, str_fmt_c(p->t->a, "%s|sum", key)));

	open_family(p, name, METRIC_HISTOGRAM, unit, help);
	if (is_json(p))
		put_buckets_json(p, h, key, sum);
	else
		put_buckets_text(p, h, name, key, sum);
	close_family(p);
}

static void put_build(struct metrics_page *p, const char *version)
{
	open_family(p, "caisson_build", METRIC_INFO, NULL, "The program that counted.");
	open_sample(p, "caisson_build", METRIC_INFO);
	put_label(p, 0, 1, "version", str_of(version));
	close_sample(p, STR("1"));
	close_family(p);
}

void metrics_print(struct buf *b, const struct tally *t, enum metrics_format format, const char *version,
		uint64_t row_bytes)
{
	struct metrics_page p = {.b = b, .t = t, .format = format};

	if (is_json(&p))
		buf_c(b, "{\"v\":1,\"families\":[");
	put_build(&p, version);
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		put_counter(&p, &counters[i]);
	put_single(&p, "caisson_runs_started", METRIC_COUNTER, NULL,
			"Runs that began; more than ended are under way, or were cut short.",
			whole(&p, tally_get(t, "started")));
	put_histogram(&p, METRICS_DURATION_MS, "caisson_run_duration_seconds", "duration", "seconds",
			"How long runs took.");
	put_histogram(&p, METRICS_MEMORY_MB, "caisson_run_peak_memory_bytes", "memory", "bytes",
			"The most memory that runs used, in steps of a mebibyte.");
	put_single(&p, "caisson_run_cpu_seconds", METRIC_COUNTER, "seconds", "CPU time that runs used.",
			thousandths(&p, tally_get(t, "cpu|sum")));
	put_single(&p, "caisson_record_size_bytes", METRIC_GAUGE, "bytes",
			"Size of the days that the record has.", whole(&p, row_bytes));
	put_single(&p, "caisson_record_newest_timestamp_seconds", METRIC_GAUGE, "seconds",
			"When the newest row was written.",
			thousandths(&p, t->last > 0 ? (uint64_t)t->last / 1000 : 0));
	buf_c(b, is_json(&p) ? "]}\n" : "# EOF\n");
}
