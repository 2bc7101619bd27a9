/*
 * caisson audit prune: removes expired days and the files that only they referred to, and prints the size of
 * the rest.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <time.h>

#include "audit/index.h"
#include "audit/retain.h"
#include "base/num.h"
#include "cli/cli.h"
#include "cli/doc.h"
#include "cli/record_home.h"
#include "judge/engine.h"
#include "sys/outputs.h"

#define DAY 86400
#define OUT_MAX ((size_t)1 << 20)

struct prune_options {
	bool dry, json;
	const char *days, *config;
};

#define AT(field) offsetof(struct prune_options, field)
static const struct option_row options[] = {
	{"days", OPTION_VALUE, AT(days), "N",
			"keep this many days (default: audit.retention_days of the policy, 90)"},
	{"dry-run", OPTION_FLAG, AT(dry), "", "show what would be dropped and drop nothing"},
	OPTION_CONFIG_ROW,
	OPTION_JSON_ROW,
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
	{0, "done, or nothing to drop"},
	{1, "nothing was dropped: the policy does not load, or the chain is broken at the cut"},
	{EXIT_NO_RECORD, "no record exists yet"},
	{EXIT_USAGE, "usage"}, {EXIT_INTERNAL, "the record cannot be read or changed"},
};

static const struct example_row examples[] = {
	{"caisson audit prune --dry-run", "Lists the days that the policy no longer keeps."},
	{"caisson audit prune --days 365", "Keeps a year, regardless of the policy."},
};

struct audit_prune_job {
	struct arena a;
	struct prune_options o;
	unsigned days;
	uint64_t quota;
	struct record_home at;
	struct audit_pruned pruned;
	struct audit_swept swept;
	struct audit_usage usage;
	struct outputs_pruned outputs;
	struct buf out;
};

/* Reads retention and quota from the policy. */
static int load_settings(struct audit_prune_job *j, struct err *e)
{
	struct policies_request rq = {.config = j->o.config};
	struct policies p;
	int64_t days;

	if (policies_load(&j->a, &rq, &p, e) < 0) {
		e->kind = ERR_CONFIG; /* for every cause, a missing file included */
		return -1;
	}
	j->quota = p.own.audit.quota;
	j->days = p.own.audit.retention_days;
	if (!j->o.days)
		return 0;
	if (num_parse(str_of(j->o.days), 1, RETAIN_DAYS_MAX, &days) < 0)
		return err_input(e, "--days must be a number from 1 to %d", RETAIN_DAYS_MAX);
	j->days = (unsigned)days;
	return 0;
}

static int prune_rows(struct audit_prune_job *j, struct err *e)
{
	struct record_home *h = &j->at;

	if (audit_prune(&j->a, &h->audit, j->days, j->o.dry, &j->pruned, e) < 0)
		return -1;
	if (!j->o.dry && index_forget(&j->a, &h->audit, e) < 0) /* the index contains texts of commands */
		return -1;
	if (h->has_blobs && audit_sweep(&j->a, &h->audit, &h->blobs, j->o.dry ? &j->pruned : NULL, &j->swept,
			e) < 0)
		return -1;
	/* Full outputs are only copies for later reading, so the quota limits them. */
	if (outputs_prune(&j->a, h->state, (int64_t)time(NULL) - (int64_t)j->days * DAY, j->quota, j->o.dry,
			&j->outputs, e) < 0)
		return -1;
	return audit_usage(&j->a, &h->audit, h->has_blobs ? &h->blobs : NULL, &j->usage, e);
}

/* ---- printing ---- */

static uint64_t all_bytes(const struct audit_prune_job *j)
{
	return j->usage.row_bytes + j->usage.blob_bytes;
}
static bool above_quota(const struct audit_prune_job *j) { return j->quota && all_bytes(j) > j->quota; }

static void print_json(struct audit_prune_job *j)
{
	struct doc o;

	doc_start(&o, &j->out, true);
	doc_bool(&o, "dry_run", j->o.dry);
	doc_number(&o, "keep_days", j->days);
	doc_map(&o, "dropped");
	doc_number(&o, "days", j->pruned.days);
	doc_number(&o, "rows", j->pruned.rows);
	doc_number(&o, "bytes", j->pruned.bytes);
	doc_word(&o, "from", j->pruned.from);
	doc_word(&o, "to", j->pruned.to);
	doc_number(&o, "until_seq", j->pruned.last_seq);
	doc_end(&o);
	doc_map(&o, "swept");
	doc_number(&o, "blobs", j->swept.blobs);
	doc_number(&o, "bytes", j->swept.bytes);
	doc_end(&o);
	doc_map(&o, "outputs");
	doc_number(&o, "files", j->outputs.files);
	doc_number(&o, "bytes", j->outputs.bytes);
	doc_number(&o, "left_files", j->outputs.left_files);
	doc_number(&o, "left_bytes", j->outputs.left_bytes);
	doc_end(&o);
	doc_map(&o, "record");
	doc_number(&o, "days", j->usage.days);
	doc_number(&o, "row_bytes", j->usage.row_bytes);
	doc_number(&o, "blobs", j->usage.blobs);
	doc_number(&o, "blob_bytes", j->usage.blob_bytes);
	doc_number(&o, "quota", j->quota);
	doc_bool(&o, "above_quota", above_quota(j));
	doc_end(&o);
	doc_finish(&o);
}

static void print_text(struct audit_prune_job *j)
{
	const char *would = j->o.dry ? "would be " : "";
	struct buf *b = &j->out;

	if (!j->pruned.days)
		buf_fmt(b, "no day is older than %u days\n", j->days);
	else
		buf_fmt(b, "%" PRIu64 " day%s, %s to %s, %sdropped: %" PRIu64 " rows, %" PRIu64 " bytes%s\n",
				j->pruned.days, j->pruned.days == 1 ? "" : "s", j->pruned.from, j->pruned.to,
				would,
			j->pruned.rows, j->pruned.bytes,
			j->o.dry ? "" : "; a tombstone in the record says so");
	if (j->swept.blobs)
		buf_fmt(b, "%" PRIu64 " blobs that no row refers to %sremoved: %" PRIu64 " bytes\n",
				j->swept.blobs, would, j->swept.bytes);
	if (j->outputs.files)
		buf_fmt(b, "%" PRIu64 " full outputs %sremoved: %" PRIu64 " bytes\n", j->outputs.files, would,
				j->outputs.bytes);
	buf_fmt(b, "the record has %" PRIu64 " day%s, %" PRIu64 " bytes of rows and %" PRIu64 " blobs, %"
			PRIu64 " bytes\n", j->usage.days, j->usage.days == 1 ? "" : "s", j->usage.row_bytes,
			j->usage.blobs, j->usage.blob_bytes);
}

static int audit_prune_job_run(void *arg)
{
	struct audit_prune_job *j = arg;
	struct err e = {0};
	int rc;

	buf_init(&j->out, &j->a, OUT_MAX);
	home_find(&j->a, &j->at);
	if (load_settings(j, &e) < 0) {
		output_error("audit prune: %s", e.text);
		return e.kind == ERR_INPUT ? EXIT_USAGE : 1;
	}
	if (home_open(&j->a, &j->at, true, &e) < 0)
		return home_failed("audit prune", &e);
	rc = prune_rows(j, &e);
	home_close(&j->at);
	if (rc < 0) {
		output_error("audit prune: %s", e.text);
		return e.kind == ERR_CONFIG ? 1 : EXIT_INTERNAL;
	}
	if (j->o.json)
		print_json(j);
	else
		print_text(j);
	if (above_quota(j))
		output_error("audit prune: the record has %" PRIu64 " bytes, more than audit.quota (%" PRIu64
				"); nothing that is younger than %u days is dropped for it", all_bytes(j),
				j->quota, j->days);
	return output_write(buf_view(&j->out), 0);
}

static int run_audit_prune(const struct command_row *self, int argc, char **argv)
{
	struct audit_prune_job j = {0};
	int code;

	if (!options_only(self, argc, argv, &j.o, &code))
		return code;
	return with_arena(&j.a, audit_prune_job_run, &j);
}

const struct command_row command_audit_prune = {
	.name = "audit prune",
	.synopsis = "[--days N] [--dry-run] [--config FILE] [--json]",
	.summary = "drop old days of the record",
	.about = "Drops whole days, oldest first, that are more than audit.retention_days (90) old; the "
			"newest day always stays. A tombstone row comes first: it lists the days, the number "
			"of rows, and the number and hash of the last row dropped, so that caisson audit "
			"verify can continue after it. The first row of a new day does the same "
			"automatically.\n\nThen it removes the outputs, views and policies (blobs) that no "
			"row refers to, except those of the last day. Only this command does so, because it "
			"reads all rows. Full outputs of runs (STATE/outputs) of the same age are removed "
			"too, and the oldest of them while they take more than audit.quota.\n\nA record that "
			"is larger than audit.quota causes a warning, and nothing is dropped. A record whose "
			"chain is broken at the cut stays as it is. Agents may not run this command.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_audit_prune,
};
