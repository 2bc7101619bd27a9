/* caisson wait, caisson result: the report of a box that went to the background. */
#define _GNU_SOURCE
#include <stddef.h>

#include "base/json_write.h"
#include "cli/boxes.h"
#include "model/limits.h"

#define EXIT_RUNS 75 /* EX_TEMPFAIL: it still runs */

struct wait_job {
	struct boxes boxes;
	const char *id, *time;
	uint64_t ms;
	bool wait, json; /* json: the report is JSON in any case */
};

#define JSON_OPTION \
	{"json", OPTION_FLAG, offsetof(struct wait_job, json), "", "print one JSON object (the default)"}
static const struct option_row wait_options[] = {
		{"timeout", OPTION_VALUE, offsetof(struct wait_job, time), "TIME",
				"wait at most this long, such as 30, 500ms or 2m (default: until it ends)"},
		JSON_OPTION,
		OPTION_HELP_ROW,
};

static const struct option_row result_options[] = {JSON_OPTION, OPTION_HELP_ROW};

static const struct exit_row exits[] = {
		{0, "the program ended with 0; other codes are those of caisson run"},
		{1, "no such box, or the code of the report"},
		{EXIT_USAGE, "usage"},
		{EXIT_RUNS, "the box is still running"},
};

static const struct example_row wait_examples[] = {
		{"caisson wait --timeout 10m 3f9a", "Waits for the box to end and prints its report."},
};

static const struct example_row result_examples[] = {
		{"caisson result 3f9a | jq .validation", "Prints the validation of an ended box."},
};

static int say_running(struct wait_job *j, const struct background *b)
{
	struct buf out;

	buf_init(&out, &j->boxes.a, 0);
	buf_c(&out, "{\"v\":1");
	json_put_field(&out, "id", b->id);
	json_put_field(&out, "status", STR("running"));
	buf_c(&out, "}\n");
	return output_write(buf_view(&out), EXIT_RUNS);
}

static int print_result(void *arg)
{
	struct wait_job *j = arg;
	const char *name = j->wait ? "wait" : "result";
	struct background b;
	int rc = boxes_find(&j->boxes, name, j->id, &b);

	if (rc != 0)
		return rc;
	if (b.state == BACKGROUND_LIVES && !background_wait(&b, &j->boxes.a, j->boxes.state, j->ms))
		return say_running(j, &b);
	return boxes_report(&j->boxes, name, &b);
}

static int run_wait(const struct command_row *self, int argc, char **argv)
{
	struct wait_job j = {.wait = self->options == wait_options};
	int code, first = options_take(self, argc, argv, &j, &code);
	struct err e = {0};

	if (first < 0)
		return code;
	if (first == argc)
		return usage_wrong(self, "give one id (caisson ps lists them)");
	if (first + 1 < argc)
		return usage_extra(self, argv + first, 1, "give one id (caisson ps lists them)");
	j.id = argv[first];
	j.ms = j.wait ? INT32_MAX : 0;
	if (j.time && limit_parse(LIMIT_TIME, str_of(j.time), &j.ms, &e) != 0)
		return usage_wrong(self, e.text);
	return with_arena(&j.boxes.a, print_result, &j);
}

const struct command_row command_wait = {
		.name = "wait",
		.synopsis = "[--timeout TIME] BOX",
		.summary = "wait for a box in the background, and print its report",
		.about = "Prints the report of the box when its last process has ended, as caisson run does. "
			 "If the box is still running after --timeout, it prints an object with the status "
			 "running.",
		COMMAND_OPTIONS(wait_options),
		COMMAND_EXITS(exits),
		COMMAND_EXAMPLES(wait_examples),
		.run = run_wait,
};

const struct command_row command_result = {
		.name = "result",
		.synopsis = "BOX",
		.summary = "print the report of a box that was in the background",
		.about = "Prints the report of an ended box without waiting. Caisson keeps the reports of "
			 "the last 32 boxes.",
		COMMAND_OPTIONS(result_options),
		COMMAND_EXITS(exits),
		COMMAND_EXAMPLES(result_examples),
		.run = run_wait,
};
