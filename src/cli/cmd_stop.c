/* caisson stop: ends boxes in the background. */
#define _GNU_SOURCE
#include <stddef.h>

#include "base/json_write.h"
#include "cli/boxes.h"

#define PATIENCE_MS 10000

struct stop_job {
	struct boxes boxes;
	bool all, json;
	const char *session;
	char *const *ids;
	size_t n;
	struct buf ended, errors; /* items of arrays, for --json */
};

static const struct option_row options[] = {
		{"all", OPTION_FLAG, offsetof(struct stop_job, all), "", "end all boxes"},
		{"session", OPTION_VALUE, offsetof(struct stop_job, session), "ID",
				"end the boxes of this client session"},
		{"json", OPTION_FLAG, offsetof(struct stop_job, json), "", "print one JSON object"},
		OPTION_HELP_ROW,
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
		{"caisson stop --all --json | jq -r '.boxes[].id'", "Does the same, and prints their ids."},
};

static int note_failure(struct stop_job *j, struct str id, const struct err *e)
{
	output_error("stop: %s", e->text);
	json_put_open(&j->errors, NULL, '{');
	json_put_field(&j->errors, "id", id);
	json_put_field(&j->errors, "error", str_of(e->text));
	buf_char(&j->errors, '}');
	return 1;
}

/* Reads the entry again, for its state and its status after the end. */
static void note_ended(struct stop_job *j, struct str id)
{
	struct background b;

	if (background_open(&j->boxes.a, j->boxes.state, id, &b, NULL) == 0)
		background_json(&j->ended, &b);
}

static int stop_one(struct stop_job *j, const struct background *b)
{
	struct err e = {0};

	if (b->state == BACKGROUND_LIVES &&
			background_stop(b, &j->boxes.a, j->boxes.state, PATIENCE_MS, &e) != 0)
		return note_failure(j, b->id, &e);
	if (j->json)
		note_ended(j, b->id);
	return 0;
}

static int stop_named(struct stop_job *j)
{
	int rc = 0;

	for (size_t i = 0; i < j->n; i++) {
		struct background b;
		struct err e = {0};

		if (background_open(&j->boxes.a, j->boxes.state, str_of(j->ids[i]), &b, &e) == 0)
			rc |= stop_one(j, &b);
		else
			rc |= note_failure(j, str_of(j->ids[i]), &e);
	}
	return rc;
}

/* Boxes that ended before are not listed. */
static int stop_listed(struct stop_job *j)
{
	int rc = 0;

	for (const struct background *b = background_list(&j->boxes.a, j->boxes.state); b; b = b->next)
		if (b->state == BACKGROUND_LIVES && (j->all || str_is(b->session, j->session)))
			rc |= stop_one(j, b);
	return rc;
}

static int stop_boxes(void *arg)
{
	struct stop_job *j = arg;
	struct buf out;
	int rc = boxes_open(&j->boxes, "stop");

	if (rc != 0)
		return rc;
	buf_init(&j->ended, &j->boxes.a, 0);
	buf_init(&j->errors, &j->boxes.a, 0);
	rc = j->n ? stop_named(j) : stop_listed(j);
	if (!j->json)
		return rc;
	buf_init(&out, &j->boxes.a, 0);
	buf_fmt(&out, "{\"v\":1,\"boxes\":[%.*s],\"errors\":[%.*s]}\n", STR_ARG(buf_view(&j->ended)),
			STR_ARG(buf_view(&j->errors)));
	return output_write(buf_view(&out), rc);
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
		.synopsis = "[--json] BOX...\n"
			    "[--json] --all\n"
			    "[--json] --session ID",
		.summary = "end boxes in the background",
		.about = "Kills every process of the boxes. As at the end of any run, caisson compares the "
			 "workspace and records the end, and caisson result prints the report. The first "
			 "letters of an id are enough. With --json it prints the boxes that have ended, as "
			 "caisson ps --json does, and under errors the ids that failed.",
		COMMAND_OPTIONS(options),
		COMMAND_EXITS(exits),
		COMMAND_EXAMPLES(examples),
		.run = run_stop,
};
