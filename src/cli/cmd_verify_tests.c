/* caisson verify-tests: do the tests of HEAD pass on the current code? */
#define _GNU_SOURCE
#include <stddef.h>
#include <unistd.h>

#include "cli/cli.h"
#include "run/job.h"

struct verify_job {
	struct arena a;
	struct job job;
	bool json;
	const char *code, *config, *timeout;
	char *const *argv;
};

#define AT(field) offsetof(struct verify_job, field)
static const struct option_row options[] = {
	{"c", OPTION_VALUE, AT(code), "COMMAND", "shell text that runs the tests, instead of a program"},
	{"timeout", OPTION_VALUE, AT(timeout), "TIME", "time limit (as in caisson run)"},
	OPTION_CONFIG_ROW,
	{"json", OPTION_FLAG, AT(json), "", "print the report of the run"},
	OPTION_HELP_ROW,
};

enum { EXIT_HEAD_FAILS = 1, EXIT_UNSURE = 3 };
static const struct exit_row exits[] = {
	{0, "the tests of HEAD pass on the current code"},
	{EXIT_HEAD_FAILS, "they fail"},
	{EXIT_UNSURE, "unknown: no result was recognised, or nothing ran"},
	{EXIT_USAGE, "wrong use, or not a git repository"}, {EXIT_INTERNAL, "internal error"},
};

static const struct example_row examples[] = {
	{"caisson verify-tests -c 'npm test'",
			"Runs npm test with the code of the project, and the tests and settings of HEAD."},
	{"caisson verify-tests -- python3 -m pytest -q", "The same for pytest."},
};

static int verdict_of(const struct validation *v)
{
	if (!v || v->validity != VALIDITY_VALID || v->result == RESULT_NONE)
		return EXIT_UNSURE;
	return v->result == RESULT_PASS ? 0 : EXIT_HEAD_FAILS;
}

static int print_result(struct verify_job *c)
{
	static const char *const words[] = {[0] = "pass", [EXIT_HEAD_FAILS] = "fail"};
	const struct report *r = &c->job.report;
	int rc = verdict_of(r->validation);
	struct buf b;

	buf_init(&b, &c->a, 0);
	if (c->json) {
		report_json(&b, r);
		return output_write(buf_view(&b), rc);
	}
	buf_str(&b, r->out);
	buf_str(&b, r->err);
	if (b.n && b.p[b.n - 1] != '\n')
		buf_char(&b, '\n');
	if (rc == EXIT_UNSURE)
		buf_fmt(&b, "verify-tests: the result of the tests of HEAD is unknown%s%.*s\n",
				r->error.n ? ": " : "", STR_ARG(r->error));
	else
		buf_fmt(&b, "verify-tests: the tests of HEAD %s on the current code\n", words[rc]);
	return output_write(buf_view(&b), rc);
}

static int verify_call(void *arg)
{
	struct verify_job *c = arg;
	struct run_request *rq = &c->job.request;
	struct run_words words = {0};
	struct err e = {0};
	int rc;

	words.v[WORD_PROFILE] = "work";
	words.v[WORD_TASK] = "test";
	words.v[WORD_LIMIT + LIMIT_TIME] = c->timeout;
	*rq = (struct run_request){.code = c->code, .argv = c->argv, .config = c->config, .head_tests = true};
	if (request_parse(&c->a, &words, rq, &e) != 0 || job_go(&c->a, &c->job, NULL, &e) != 0) {
		output_error("verify-tests: %s", e.text);
		return EXIT_USAGE;
	}
	rc = print_result(c);
	job_end(&c->job);
	return rc;
}

static int run_verify_tests(const struct command_row *self, int argc, char **argv)
{
	struct verify_job *c = &(struct verify_job){0};
	int code, first = options_take(self, argc, argv, c, &code);

	if (first < 0)
		return code;
	if ((c->code != NULL) == (first < argc))
		return usage_wrong(self, "give -c COMMAND or a program that runs the tests");
	c->argv = argv + first;
	return with_arena(&c->a, verify_call, c);
}

const struct command_row command_verify_tests = {
	.name = "verify-tests",
	.synopsis = "[OPTIONS] -c COMMAND\n"
		    "[OPTIONS] -- PROGRAM [ARGUMENTS]",
	.summary = "run the tests of HEAD on the current code",
	.about = "Tests that were edited together with the code may have been changed to pass. This command "
		 "runs the tests in a box, in a copy of the project whose tests, runner settings and CI "
		 "files are those of the last commit, and says if they pass. Files that git ignores, such as "
		 "installed packages, are links to the project, which is read-only there. A test may fail "
		 "rightly because an interface changed: the reader has to decide.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_verify_tests,
};
