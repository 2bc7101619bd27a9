/* caisson ps: lists the boxes in the background. */
#define _GNU_SOURCE
#include <stddef.h>
#include <unistd.h>

#include "cli/boxes.h"
#include "cli/doc.h"
#include "cli/page.h"
#include "cli/rows.h"

#define SHORT_ID 8
#define COLUMNS_BEFORE 42 /* of the columns before the command */
#define COMMAND_MIN 10    /* columns of a command in a narrow terminal */

struct ps_job {
	struct boxes boxes;
	bool all, json, utc;
};

static const struct option_row options[] = {
		{"all", OPTION_FLAG, offsetof(struct ps_job, all), "", "also list boxes that have ended"},
		{"json", OPTION_FLAG, offsetof(struct ps_job, json), "", "print one JSON object"},
		{"utc", OPTION_FLAG, offsetof(struct ps_job, utc), "", "times in UTC (default: local time)"},
		OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
		{0, "listed"},
		{EXIT_USAGE, "usage"},
		{EXIT_INTERNAL, "internal error"},
};

static const struct example_row examples[] = {
		{"caisson ps", "Lists the boxes in the background, newest first."},
		{"caisson ps --all --json | jq -r '.boxes[] | select(.state == \"ended\").id'",
				"Prints the ids of boxes that have ended."},
};

static void put_json(struct buf *out, const struct background *all, bool ended)
{
	buf_c(out, "{\"v\":1,\"boxes\":[");
	for (const struct background *b = all; b; b = b->next)
		if (b->state == BACKGROUND_LIVES || ended)
			background_json(out, b);
	buf_c(out, "]}\n");
}

/* A box that caisson stop ended has the status unknown, which says nothing in a list. */
static const char *state_of(struct arena *a, const struct background *b)
{
	bool known = b->state == BACKGROUND_ENDED && !str_is(b->status, "unknown");

	return known ? str_c(a, b->status) : background_state_name(b->state);
}

/* On a terminal every row is one line. */
static void put_rows(struct ps_job *j, struct buf *out, const struct background *all)
{
	unsigned width = isatty(STDOUT_FILENO) ? terminal_width(STDOUT_FILENO) : 0;
	bool narrow = width && width < COLUMNS_BEFORE + COMMAND_MIN;
	size_t room = !width ? 0 : narrow ? COMMAND_MIN : width - COLUMNS_BEFORE;

	for (const struct background *b = all; b; b = b->next) {
		if (b->state != BACKGROUND_LIVES && !j->all)
			continue;
		put_visible(out, str_sub(b->id, 0, b->id.n < SHORT_ID ? b->id.n : SHORT_ID));
		buf_fmt(out, narrow ? " %-9.9s " : "  %-12s  ", state_of(out->a, b));
		put_time(out, b->started, j->utc, narrow ? "%H:%M " : "%Y-%m-%d %H:%M  ");
		put_cell(out, b->command, room);
		buf_char(out, '\n');
	}
	if (!out->n)
		buf_c(out, j->all ? "no box has run in the background yet\n" :
				"no box runs in the background\n");
}

static int list(void *arg)
{
	struct ps_job *j = arg;
	struct buf out;
	int rc = boxes_open(&j->boxes, "ps");

	if (rc != 0)
		return rc;
	buf_init(&out, &j->boxes.a, 0);
	if (j->json)
		put_json(&out, background_list(&j->boxes.a, j->boxes.state), j->all);
	else
		put_rows(j, &out, background_list(&j->boxes.a, j->boxes.state));
	return output_write(buf_view(&out), 0);
}

static int run_ps(const struct command_row *self, int argc, char **argv)
{
	struct ps_job j = {0};
	int code;

	if (!options_only(self, argc, argv, &j, &code))
		return code;
	return with_arena(&j.boxes.a, list, &j);
}

const struct command_row command_ps = {
		.name = "ps",
		.synopsis = "[--all] [--utc] [--json]",
		.summary = "list the boxes in the background",
		.about = "Lists the boxes that caisson run --background left running: the first letters of "
			 "the id, which other commands accept, the state, the start, and the command. "
			 "A box ends when its last process ends, at a limit, after 8 hours, with caisson "
			 "stop, when a newer box needs its place, or with the keeper (caisson-keeper(1)).",
		COMMAND_OPTIONS(options),
		COMMAND_EXITS(exits),
		COMMAND_EXAMPLES(examples),
		.run = run_ps,
};
