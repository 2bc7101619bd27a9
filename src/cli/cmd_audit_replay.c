/*
 * caisson audit replay-all: judges the requests of the last days by another policy and compares the verdicts.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stddef.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/doc.h"
#include "cli/record_home.h"
#include "cli/rows.h"
#include "gate/gate.h"
#include "record/replay.h"

#define EXAMPLES_DEFAULT 5
#define EXAMPLES_MAX 10000
#define COMMAND_WIDTH 100 /* characters of an example */

struct all_options {
	bool json;
	const char *policy, *since, *until, *agent, *examples;
};

#define AT(field) offsetof(struct all_options, field)
static const struct option_row options[] = {
	{"config", OPTION_VALUE, AT(policy), "FILE",
			"the policy to try instead of your own (default: the policy in force)"},
	{"policy", OPTION_VALUE, AT(policy), "FILE", "the same, as older versions spelt it"},
	{"since", OPTION_VALUE, AT(since), "TIME",
			"requests since then: 30d (default), 12h, 2026-01-31 ..."},
	{"until", OPTION_VALUE, AT(until), "TIME", "requests before this time"},
	{"agent", OPTION_VALUE, AT(agent), "ID", "only requests of this agent"},
	{"examples", OPTION_VALUE, AT(examples), "N", "this many commands for each change (default: 5)"},
	{"json", OPTION_FLAG, AT(json), "", "print one JSON object, with all commands"},
	OPTION_HELP_ROW,
};

enum { EXIT_CHANGES = 1 };
static const struct exit_row exits[] = {
	{0, "no verdict would change"}, {EXIT_CHANGES, "some would"}, {2, "the policy does not load"},
	{EXIT_NO_RECORD, "no record exists yet"}, {EXIT_USAGE, "usage"},
	{EXIT_INTERNAL, "the record cannot be read"},
};

static const struct example_row examples[] = {
	{"caisson audit replay-all --config new.yaml", "Shows which verdicts of the last 30 days new.yaml "
			"would change."},
	{"caisson audit replay-all --config new.yaml --json | jq '.changes[] | select(.to == "
			"\"deny\").command'", "Lists the commands that it would deny."},
};

struct audit_replay_job {
	struct arena a;
	struct all_options o;
	size_t examples;
	struct record_home at;
	struct replay_all all;
	struct buf out;
};

/* ---- printing ---- */

static const enum verdict order[] = {VERDICT_ALLOW, VERDICT_CONTAIN, VERDICT_ASK, VERDICT_DENY};
#define NORDER ARRAY_SIZE(order)

static void put_short(struct buf *b, struct str s)
{
	put_visible(b, str_sub(s, 0, COMMAND_WIDTH));
	if (s.n > COMMAND_WIDTH)
		buf_c(b, "...");
}

static void print_pair(struct audit_replay_job *j, enum verdict from, enum verdict to, bool colour)
{
	const char *shade = !colour ? "" : to > from ? "\033[32m" : "\033[31m";
	size_t shown = 0;

	buf_fmt(&j->out, "\n%s%s -> %s: %" PRIu64 "%s\n", shade, verdict_name(from), verdict_name(to),
			j->all.matrix[from][to], colour ? "\033[0m" : "");
	for (size_t i = 0; i < j->all.nchanges && shown < j->examples; i++) {
		const struct replay_change *c = &j->all.changes[i];

		if (c->from != from || c->to != to)
			continue;
		buf_fmt(&j->out, "%8" PRIu64 "  ", c->n);
		put_short(&j->out, c->command);
		if (c->reasons.n)
			buf_fmt(&j->out, "  [%.*s]", STR_ARG(c->reasons));
		buf_char(&j->out, '\n');
		shown++;
	}
}

static void print_text(struct audit_replay_job *j)
{
	const struct replay_all *all = &j->all;
	bool colour = terminal_colour(STDOUT_FILENO), any = false;
	struct buf *b = &j->out;

	buf_fmt(b, "%" PRIu64 " requests, %" PRIu64 " judged again", all->counts.rows, all->counts.judged);
	if (all->counts.redacted)
		buf_fmt(b, ", %" PRIu64 " skipped: a secret in them was redacted", all->counts.redacted);
	if (all->counts.missing)
		buf_fmt(b, ", %" PRIu64 " skipped: their policy or view is not in the record",
				all->counts.missing);
	if (all->counts.unseen)
		buf_fmt(b, ", %" PRIu64 " skipped: the policy needs files that were not examined then",
				all->counts.unseen);
	if (all->counts.failed)
		buf_fmt(b, ", %" PRIu64 " skipped: the policies do not load together, or an error occurred",
				all->counts.failed);
	buf_c(b, "\n\nthen \\ now ");
	for (size_t i = 0; i < NORDER; i++)
		buf_fmt(b, "%10s", verdict_name(order[i]));
	for (size_t i = 0; i < NORDER; i++) {
		buf_fmt(b, "\n%-11s", verdict_name(order[i]));
		for (size_t k = 0; k < NORDER; k++)
			buf_fmt(b, "%10" PRIu64, all->matrix[order[i]][order[k]]);
	}
	buf_char(b, '\n');
	for (size_t i = 0; i < NORDER; i++)
		for (size_t k = 0; k < NORDER; k++)
			if (i != k && all->matrix[order[i]][order[k]]) {
				print_pair(j, order[i], order[k], colour);
				any = true;
			}
	if (!any)
		buf_c(b, "\nno verdict would change\n");
	if (all->more)
		buf_c(b, "\ntoo many different commands to list; the table counts them all\n");
}

static void print_json(struct audit_replay_job *j)
{
	const struct replay_all *all = &j->all;
	struct doc o;

	doc_start(&o, &j->out, true);
	doc_number(&o, "requests", all->counts.rows);
	doc_number(&o, "judged", all->counts.judged);
	doc_number(&o, "redacted", all->counts.redacted);
	doc_number(&o, "missing", all->counts.missing);
	doc_number(&o, "failed", all->counts.failed);
	doc_number(&o, "unseen", all->counts.unseen);
	doc_map(&o, "table");
	for (size_t i = 0; i < NORDER; i++) {
		doc_map(&o, verdict_name(order[i]));
		for (size_t k = 0; k < NORDER; k++)
			doc_number(&o, verdict_name(order[k]), all->matrix[order[i]][order[k]]);
		doc_end(&o);
	}
	doc_end(&o);
	doc_list(&o, "changes");
	for (size_t i = 0; i < all->nchanges; i++) {
		const struct replay_change *c = &all->changes[i];

		doc_map(&o, NULL);
		doc_word(&o, "from", verdict_name(c->from));
		doc_word(&o, "to", verdict_name(c->to));
		doc_number(&o, "count", c->n);
		doc_text(&o, "command", c->command);
		doc_text(&o, "cwd", c->cwd);
		doc_text(&o, "id", c->id);
		doc_text(&o, "reasons", c->reasons);
		doc_end(&o);
	}
	doc_end(&o);
	doc_bool(&o, "more", all->more);
	doc_finish(&o);
}

/* ---- the command ---- */

static int replay_rows(struct audit_replay_job *j)
{
	struct audit_filter f;
	struct trial t;
	struct err e = {0};

	if (rows_filter_lately(j->o.agent, j->o.since, j->o.until, j->at.audit.now(), &f, &e) < 0) {
		output_error("audit replay-all: %s", e.text);
		return EXIT_USAGE;
	}
	if (trial_open(&j->a, j->at.has_blobs ? &j->at.blobs : NULL, j->o.policy, &t, &e) < 0) {
		output_error("audit replay-all: %s", e.text);
		return 2;
	}
	if (replay_all(&j->a, &j->at.audit, &t, &f, &j->all, &e) < 0) {
		output_error("audit replay-all: %s", e.text);
		return EXIT_INTERNAL;
	}
	if (j->o.json)
		print_json(j);
	else
		print_text(j);
	for (size_t i = 0; i < NORDER; i++)
		for (size_t k = 0; k < NORDER; k++)
			if (i != k && j->all.matrix[i][k])
				return EXIT_CHANGES;
	return 0;
}

static int audit_replay_job_run(void *arg)
{
	struct audit_replay_job *j = arg;
	struct err e = {0};
	int rc;

	buf_init(&j->out, &j->a, 0);
	home_find(&j->a, &j->at);
	if (home_open(&j->a, &j->at, true, &e) < 0)
		return home_failed("audit replay-all", &e);
	rc = replay_rows(j);
	home_close(&j->at);
	return j->out.n ? output_write(buf_view(&j->out), rc) : rc;
}

static int run_audit_replay(const struct command_row *self, int argc, char **argv)
{
	struct audit_replay_job j = {0};
	int64_t n = EXAMPLES_DEFAULT;
	int code;

	if (!options_only(self, argc, argv, &j.o, &code))
		return code;
	if (!option_number(self, "--examples", j.o.examples, 0, EXAMPLES_MAX, &n, &code))
		return code;
	j.examples = (size_t)n;
	return with_arena(&j.a, audit_replay_job_run, &j);
}

const struct command_row command_audit_replay_all = {
	.name = "audit replay-all",
	.synopsis = "[--config FILE] [--since TIME] [--until TIME] [--agent ID] [--examples N] [--json]",
	.summary = "try another policy on the recorded requests",
	.about = "Judges the recorded requests again, each with its recorded view of the file system, and "
			"with FILE instead of your policy. The system's and the project's policies stay as "
			"recorded. It prints how many verdicts would change, and the most frequent commands "
			"of each change with their reasons. Nothing runs, and no classifier is "
			"asked.\n\nSome requests are counted and skipped: those whose commands contained "
			"secrets, those whose view or policy is not in the record, and those for which the "
			"new policy needs files that were not examined then.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_audit_replay,
};
