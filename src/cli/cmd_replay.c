/*
 * caisson replay: shows one recorded request (the command, the verdict and its reasons, the run), and judges
 * or runs it again.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <unistd.h>

#include "audit/index.h"
#include "base/json.h"
#include "base/num.h"
#include "cli/cli.h"
#include "cli/record_home.h"
#include "cli/replay_show.h"
#include "cli/rows.h"
#include "run/job.h"
#include "run/job_record.h"

#define RUN_ARENA ((size_t)4 << 30) /* both streams at their maximum, and the texts derived from them */

struct replay_options {
	bool json, judge, run, full, explain, utc;
	const char *config;
};

#define AT(field) offsetof(struct replay_options, field)
static const struct option_row options[] = {
	{"judge", OPTION_FLAG, AT(judge), "",
			"judge it again by today's policy, with the recorded and with today's file system"},
	{"run", OPTION_FLAG, AT(run), "", "run it again in the box and compare"},
	{"config", OPTION_VALUE, AT(config), "FILE", "with --judge or --run: use this policy file instead of "
			"your own"},
	{"explain", OPTION_FLAG, AT(explain), "",
			"show how the verdict came about, as check --explain does"},
	{"full", OPTION_FLAG, AT(full), "", "show the whole output instead of its first and last lines"},
	{"utc", OPTION_FLAG, AT(utc), "", "times in UTC (default: local time)"},
	OPTION_JSON_ROW,
	OPTION_HELP_ROW,
};

enum { EXIT_DIFFERS = 1 };
static const struct exit_row exits[] = {
	{0, "shown; with --judge or --run: same result as recorded"},
	{EXIT_DIFFERS, "the verdict or the new run differs from the record"},
	{EXIT_NO_RECORD, "no record, or no such request in it"},
	{EXIT_USAGE, "wrong use, or the request cannot be run again"},
	{EXIT_INTERNAL, "the record cannot be read"},
};

static const struct example_row examples[] = {
	{"caisson replay 4711",
			"Shows the request of row 4711: the command, the verdict and the run. An id works as "
			"well."},
	{"caisson replay --judge --config new.yaml 4711", "Shows the verdict of another policy."},
	{"caisson replay --run 4711", "Runs it again and shows the differences."},
};

struct replay_job {
	struct arena a, running;
	struct replay_options o;
	const char *id;
	struct record_home at;
	struct replay_shown shown;
	struct job *job;
	struct buf out;
};

static const struct blobs *blobs_of(struct replay_job *c) { return c->at.has_blobs ? &c->at.blobs : NULL; }

/* ---- printing ---- */

static struct str get_blob(struct replay_job *c, const struct audit_line *row, const char *key,
	struct str *ret_why)
{
	struct str digest = row ? audit_text(&c->a, audit_field(row, key)) : STR(""), bytes;
	struct err e = {0};

	*ret_why = STR("");
	if (!digest.n)
		return STR("");
	if (c->at.has_blobs && blob_get(&c->a, &c->at.blobs, digest, REPLAY_STREAM_MAX, &bytes, &e) == 0)
		return bytes;
	*ret_why = str_dup(&c->a, str_of(c->at.has_blobs ? e.text : "the record has no blobs"));
	return STR("");
}

static void derive(struct replay_job *c)
{
	struct replay_shown *s = &c->shown;
	struct err e = {0};

	if (!s->r.judged)
		return;
	s->derived.tried = true;
	s->derived.ok = replay_derive(&c->a, blobs_of(c), &s->r, &s->derived.d, &e) == 0;
	s->derived.why = str_dup(&c->a, str_of(e.text));
	s->derived.same = s->derived.ok && replay_same(s->r.judged, &s->derived.d.judgement);
}

static void judge_now(struct replay_job *c)
{
	struct replay_shown *s = &c->shown;
	struct policies today;
	struct err e = {0};

	s->world.tried = true;
	s->world.ok = replay_now(&c->a, blobs_of(c), &s->r, c->o.config, &s->world.d, &e) == 0;
	s->world.why = str_dup(&c->a, str_of(e.text));
	s->world.same = s->world.ok && (!s->r.judged || replay_same(s->r.judged, &s->world.d.judgement));
	if (!s->r.judged || !s->r.view.n)
		return;
	e = (struct err){0};
	s->policy.tried = true;
	s->policy.ok = policies_load(&c->a, &(struct policies_request){.config = c->o.config,
			.context = &(struct context){.cwd = s->r.cwd}}, &today, &e) == 0 &&
		       replay_under(&c->a, blobs_of(c), &s->r, &today, &s->policy.d, &e) == 0;
	if (s->policy.ok && replay_unseen(s->r.judged, &s->policy.d.judgement)) {
		s->policy.ok = false;
		err_input(&e, "the policy needs files that were not examined then");
	}
	s->policy.why = str_dup(&c->a, str_of(e.text));
	s->policy.same = s->policy.ok && replay_same(s->r.judged, &s->policy.d.judgement);
}

/* ---- running it again ---- */

static int rerun_request(void *arg)
{
	struct replay_job *c = arg;
	struct job *j = c->job;
	struct err e = {0};

	if (job_go(&c->running, j, NULL, &e) != 0) {
		output_error("replay: %s", e.text);
		return EXIT_USAGE;
	}
	return 0;
}

static int can_run(struct replay_job *c, struct run_request *rq, struct err *e)
{
	const struct replay *r = &c->shown.r;
	struct str spec = r->begin ? audit_field(r->begin, "spec") : STR("");

	if (!r->begin)
		return err_input(e, "the request did not run, so it cannot be run again");
	if (r->redacted || str_contains(spec, STR("[redacted:")))
		return err_input(e, "a secret in the command was redacted, so it cannot be run again");
	if (!spec.n)
		return err_input(e, "the request is not in the record");
	if (job_request_of(&c->a, spec, r->command, rq, e) < 0)
		return -1;
	if (r->cut && rq->code && str_is(r->command, rq->code)) /* a truncated command is another command */
		return err_input(e, "the command is too long for a row, so it cannot be run again");
	if (r->cwd.n && chdir(str_c(&c->a, r->cwd)) < 0)
		return err_input(e, "its directory '%.*s' cannot be entered", STR_ARG(r->cwd));
	return 0;
}

/*
 * Runs the request again. Returns 0, or the exit code of a reported failure. The new run has its own rows,
 * which are compared.
 */
static int run_again(struct replay_job *c)
{
	struct replay_shown *s = &c->shown;
	struct job *j = c->job = arena_new(&c->a, struct job);
	struct str why;
	struct err e = {0};
	int rc;

	if (can_run(c, &j->request, &e) < 0) {
		output_error("replay: %s", e.text);
		return EXIT_USAGE;
	}
	s->no_input = j->request.input;
	slow_end(); /* a run shows its own progress */
	j->request.input = false;
	j->request.agent = "replay";
	if (c->o.config)
		j->request.config = c->o.config;
	arena_init_in(&c->running, RUN_ARENA, &c->a);
	rc = arena_run(&c->running, rerun_request, c);
	job_end(j);
	if (rc == 0 && (j->report.error.n || j->refused)) {
		output_error("replay: the new run failed: %.*s",
				STR_ARG(j->report.error.n ? j->report.error :
				STR("the policy does not load")));
		rc = EXIT_INTERNAL;
	}
	struct str id = rc == 0 ? str_dup(&c->a, j->run.id) : STR("");
	arena_free(&c->running);
	if (rc != 0)
		return rc < 0 ? EXIT_INTERNAL : rc;
	if (replay_find(&c->a, &c->at.audit, id, &s->again, &e) <= 0 || !s->again.end) {
		output_error("replay: the new run has no end row in the record: %s", e.text);
		return EXIT_INTERNAL;
	}
	s->ran = true;
	s->again_out = get_blob(c, s->again.end, "stdout", &why);
	s->again_err = get_blob(c, s->again.end, "stderr", &why);
	return 0;
}

/* ---- the command ---- */

static int replay_request(struct replay_job *c, struct err *e)
{
	struct replay_shown *s = &c->shown;
	int rc = replay_find(&c->a, &c->at.audit, str_of(c->id), &s->r, e);

	if (rc < 0)
		return -1;
	if (!rc) {
		output_error("replay: no row '%.100s' (caisson audit query lists rows)", c->id);
		return EXIT_NO_RECORD;
	}
	s->out = get_blob(c, s->r.end, "stdout", &s->out_why);
	s->err = get_blob(c, s->r.end, "stderr", &s->err_why);
	derive(c);
	if (c->o.judge)
		judge_now(c);
	if (c->o.run && (rc = run_again(c)) != 0)
		return rc;
	replay_show(&c->out, s, &(struct replay_style){.json = c->o.json, .full = c->o.full, .utc = c->o.utc,
			.explain = c->o.explain, .colour = terminal_colour(STDOUT_FILENO),
			.width = terminal_width(STDOUT_FILENO)});
	return replay_differs(s) ? EXIT_DIFFERS : 0;
}

/* A row's number stands for the id in that row, as in audit show. */
static int take_row(struct replay_job *c, struct err *e)
{
	struct audit_line *l = arena_new(&c->a, struct audit_line);
	int64_t seq;
	int got = num_parse(str_of(c->id), 1, INT64_MAX, &seq) == 0 ? search_seq(&c->a, &c->at.audit,
			(uint64_t)seq, l, e) : 0;

	if (got > 0)
		c->id = str_c(&c->a, l->id);
	return got < 0 ? -1 : 0;
}

static int run_call(void *arg)
{
	struct replay_job *c = arg;
	struct err e = {0};
	int rc;

	buf_init(&c->out, &c->a, 0);
	home_find(&c->a, &c->at);
	if (home_open(&c->a, &c->at, true, &e) < 0)
		return home_failed("replay", &e);
	rc = take_row(c, &e) < 0 ? -1 : replay_request(c, &e);
	home_close(&c->at);
	if (rc < 0) {
		output_error("replay: %s", e.text);
		return EXIT_INTERNAL;
	}
	/* escape what a terminal would act on, or hide */
	if (c->o.json && c->out.n && isatty(STDOUT_FILENO)) {
		struct buf safe;

		buf_init(&safe, &c->a, 0);
		rows_json_safe(&safe, buf_view(&c->out));
		return output_write(buf_view(&safe), rc);
	}
	return c->out.n ? output_write(buf_view(&c->out), rc) : rc;
}

static int run_replay(const struct command_row *self, int argc, char **argv)
{
	struct replay_job c = {0};
	int code, first = options_take(self, argc, argv, &c.o, &code);

	if (first < 0)
		return code;
	if (first == argc)
		return usage_wrong(self, "no id or row number given");
	if (first + 1 < argc)
		return usage_extra(self, argv + first, 1, "give one id or row number");
	c.id = argv[first];
	if (!*c.id || strlen(c.id) > AUDIT_ID_MAX)
		return usage_wrong(self, "invalid id");
	if (c.o.config && !c.o.judge && !c.o.run)
		return usage_wrong(self, "--config needs --judge or --run");
	return with_arena(&c.a, run_call, &c);
}

const struct command_row command_replay = {
	.name = "replay",
	.synopsis = "[--judge] [--run] [--config FILE] [--explain] [--full] [--utc] [--json] ID|ROW",
	.summary = "reconstruct a request from the record",
	.about = "Shows one request from the record: who asked for it, where and when; the verdict and its "
			"reasons, derived again from the recorded policy and view of the file system; the "
			"limits, the outcome, the resources, the validation and the output. If the "
			"derivation gives another verdict than recorded, it says so: the program has changed "
			"since, a classifier had decided (it is not asked again), or the record was "
			"changed.\n\n--judge judges the request by the policy in force now: once with the "
			"recorded view, so that only the policy differs, and once with the file system as it "
			"is now. --run runs it again in the box with its recorded options (today's policy "
			"still applies), records the new run, and compares status, exit code, validation and "
			"output. Requests that were denied or contained a secret do not run again. Agents "
			"may not use --run.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_replay,
};
