/* caisson metrics: prints counters from the record for a monitoring system. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/metrics.h"
#include "audit/retain.h"
#include "cli/cli.h"
#include "cli/record_home.h"
#include "sys/file.h"

#define STATE_NAME "metrics.json" /* in the state directory: the counters so far */
#define TEXT_MAX ((size_t)16 << 20)

struct metrics_options {
	bool anew, prometheus, json;
	const char *textfile;
};

#define AT(field) offsetof(struct metrics_options, field)
static const struct option_row options[] = {
	{"textfile", OPTION_VALUE, AT(textfile), "FILE",
			"write to this file atomically, for a textfile collector"},
	{"prometheus", OPTION_FLAG, AT(prometheus), "", "the older text format (the default of --textfile)"},
	OPTION_JSON_ROW,
	{"anew", OPTION_FLAG, AT(anew), "",
			"recount from scratch; counters may go down"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {{0, "printed or written"}, {EXIT_NO_RECORD, "no record exists yet"},
		{EXIT_USAGE, "usage"},
		{EXIT_INTERNAL, "the record cannot be read, or the file cannot be written"}};

static const struct example_row examples[] = {
	{"caisson metrics", "OpenMetrics text."},
	{"caisson metrics --json | jq '.families[] | select(.name == \"caisson_runs\").samples'",
			"Prints how often runs ended with each status."},
	{"caisson metrics --textfile /var/lib/node_exporter/caisson.prom",
			"Run from a timer, for node_exporter's textfile collector."},
};

struct metrics_job {
	struct arena a;
	struct metrics_options o;
	struct record_home at;
	struct buf text;
};

/* Others must be able to read the file, and never see half of it. */
static int write_public(struct arena *a, const char *path, struct str text, struct err *e)
{
	const char *spare = str_fmt_c(a, "%s.%ld.tmp", path, (long)getpid());
	FD_CLEANUP int fd = open(spare, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (fd < 0)
		return err_system(e, "cannot make '%s'", spare);
	int bad = fd_write_all(fd, spare, text, e);
	if (!bad && (fchmod(fd, 0644) < 0 || rename(spare, path) < 0))
		bad = err_system(e, "cannot write '%s'", path);
	if (bad)
		unlink(spare);
	return bad;
}

/*
 * The stored counters are a cache. Without them all rows are counted; if they cannot be stored, the next call
 * counts all rows again.
 */
static int count_rows(struct arena *a, const struct record_home *h, bool anew, struct tally *ret,
		struct err *e)
{
	const char *path = str_fmt_c(a, "%.*s/" STATE_NAME, STR_ARG(h->state));
	struct str state = STR("");
	struct buf b;
	bool restarted;

	if (!anew)
		(void)file_read(a, path, METRICS_STATE_MAX, &state, NULL, NULL);
	tally_init(ret, a);
	if (metrics_update(ret, &h->audit, state, &restarted, e) < 0)
		return -1;
	buf_init(&b, a, METRICS_STATE_MAX);
	metrics_state(&b, ret);
	(void)file_replace(path, buf_view(&b), NULL);
	return 0;
}

int home_metrics(struct arena *a, const struct record_home *h, bool anew, enum metrics_format format,
		struct buf *b, struct err *e)
{
	struct audit_usage u;
	struct tally t;

	if (count_rows(a, h, anew, &t, e) < 0 || audit_usage(a, &h->audit, NULL, &u, e) < 0)
		return -1;
	metrics_print(b, &t, format, CAISSON_VERSION, u.row_bytes);
	return 0;
}

static int make_metrics(struct metrics_job *j, struct err *e)
{
	const enum metrics_format format = j->o.json ? METRICS_JSON :
			j->o.prometheus || j->o.textfile ? METRICS_CLASSIC : METRICS_OPENMETRICS;

	buf_init(&j->text, &j->a, TEXT_MAX);
	if (home_metrics(&j->a, &j->at, j->o.anew, format, &j->text, e) < 0)
		return -1;
	return j->o.textfile ? write_public(&j->a, j->o.textfile, buf_view(&j->text), e) : 0;
}

static int metrics_job_run(void *arg)
{
	struct metrics_job *j = arg;
	struct err e = {0};
	int rc;

	home_find(&j->a, &j->at);
	if (home_open(&j->a, &j->at, false, &e) < 0)
		return home_failed("metrics", &e);
	rc = make_metrics(j, &e);
	home_close(&j->at);
	if (rc < 0) {
		output_error("metrics: %s", e.text);
		return EXIT_INTERNAL;
	}
	return j->o.textfile ? 0 : output_write(buf_view(&j->text), 0);
}

static int run_metrics(const struct command_row *self, int argc, char **argv)
{
	struct metrics_job j = {0};
	int code;

	if (!options_only(self, argc, argv, &j.o, &code))
		return code;
	if (j.o.textfile && !*j.o.textfile)
		return usage_wrong(self, "the file name is empty");
	if (j.o.json && (j.o.prometheus || j.o.textfile))
		return usage_wrong(self, "--json takes neither --prometheus nor --textfile");
	return with_arena(&j.a, metrics_job_run, &j);
}

const struct command_row command_metrics = {
	.name = "metrics",
	.synopsis = "[--prometheus | --json] [--anew]\n"
		    "--textfile FILE [--anew]",
	.summary = "print counters of the record for monitoring",
	.about = "Prints counters and histograms of the record: decisions by verdict and rule, runs by "
			"status, their duration and memory, validations by task and outcome. "
			"caisson help metrics.md "
			"lists them. The format is OpenMetrics; --textfile and --prometheus select the text "
			"format that node_exporter's textfile collector reads, --json one object with the "
			"same families.\n\nThe totals are kept in "
			"metrics.json in the state directory, so that only new rows are read and counters do "
			"not go down when old days are dropped. No label names an agent, a command or a "
			"path. Agents may not use --textfile.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_metrics,
};
