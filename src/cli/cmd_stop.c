/* caisson stop: ends boxes in the background. */
#define _GNU_SOURCE
#include <stddef.h>

#include "cli/boxes.h"

#define PATIENCE_MS 10000

struct stop_job {
	struct boxes boxes;
	bool all;
	const char *session;
	char *const *ids;
	size_t n;
};

static const struct option_row options[] = {
		{"all", OPTION_FLAG, offsetof(struct stop_job, all), "", "end all boxes"},
		{"session", OPTION_VALUE, offsetof(struct stop_job, session), "ID",
				"end the boxes of this client session"},
		{"help", OPTION_HELP, 0, "", "print this"},
};

static const struct exit_row exits[] = {
		{0, "the boxes have ended"},
		{1, "no such box, or it could not be ended"},
		{EXIT_USAGE, "usage"},
		{EXIT_INTERNAL, "internal error"},
};

static const struct example_row examples[] = {
		{"caisson stop 3f9a", "Ends the box whose id begins with 3f9a."},
		{"caisson stop --all", "Ends every box in the background."},
};

static int stop_one(struct stop_job *j, const struct background *b)
{
	struct err e = {0};

	if (b->state != BACKGROUND_LIVES ||
			background_stop(b, &j->boxes.a, j->boxes.state, PATIENCE_MS, &e) == 0)
		return 0;
	output_error("stop: %s", e.text);
	return 1;
}

static int stop_boxes(void *arg)
{
	struct stop_job *j = arg;
	int rc = boxes_open(&j->boxes, "stop");

	if (rc != 0)
		return rc;
	for (size_t i = 0; i < j->n; i++) {
		struct background b;
		struct err e = {0};

		if (background_open(&j->boxes.a, j->boxes.state, str_of(j->ids[i]), &b, &e) == 0)
			rc |= stop_one(j, &b);
		else {
			output_error("stop: %s", e.text);
			rc = 1;
		}
	}
	if (!j->all && !j->session)
		return rc;
	for (const struct background *b = background_list(&j->boxes.a, j->boxes.state); b; b = b->next)
		if (j->all || str_is(b->session, j->session))
			rc |= stop_one(j, b);
	return rc;
}

static int run_stop(const struct command_row *self, int argc, char **argv)
{
	struct stop_job j = {0};
	int code, first = options_take(self, argc, argv, &j, &code);

	if (first < 0)
		return code;
	j.ids = argv + first;
	j.n = (size_t)(argc - first);
	if ((j.n > 0) + j.all + (j.session != NULL) != 1)
		return usage_wrong(self, "give ids, --all or --session (caisson ps lists the ids)");
	return with_arena(&j.boxes.a, stop_boxes, &j);
}

const struct command_row command_stop = {
		.name = "stop",
		.synopsis = "BOX...\n"
			    "--all\n"
			    "--session ID",
		.summary = "end boxes in the background",
		.about = "Kills every process of the boxes. As at the end of any run, caisson compares the "
			 "workspace and records the end, and caisson result prints the report. The first "
			 "letters of an id are enough.",
		.options = options,
		.noptions = ARRAY_SIZE(options),
		.exits = exits,
		.nexits = ARRAY_SIZE(exits),
		.examples = examples,
		.nexamples = ARRAY_SIZE(examples),
		.run = run_stop,
};
