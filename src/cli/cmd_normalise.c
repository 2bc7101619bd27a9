/* caisson normalise: converts a program's output to plain text. */
#include "cli/filter.h"

struct normalise_job {
	struct arena a;
	const char *path;
	bool json, keep_timestamps;
};

static const struct option_row options[] = {
	{"json", OPTION_FLAG, offsetof(struct normalise_job, json), "",
			"print one JSON object: the text, and counts of what was removed or made visible"},
	{"keep-timestamps", OPTION_FLAG, offsetof(struct normalise_job, keep_timestamps), "",
			"leave Unix times as they are"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {{0, "printed"}, {EXIT_USAGE, "usage"},
		{EXIT_INTERNAL, "the file cannot be read, or another error occurred"}};

static const struct example_row examples[] = {
	{"make 2>&1 | caisson normalise",
			"Prints the output without colours, and progress bars in their final state."},
	{"caisson normalise --json build.log", "Does the same for a file, with counts of the changes."},
};

static int normalise_job_run(void *arg)
{
	struct normalise_job *j = arg;
	struct filter f = {.a = &j->a, .path = j->path, .options = {.timestamps = !j->keep_timestamps},
			.json = j->json};

	return filter_run(&f);
}

static int run_normalise(const struct command_row *self, int argc, char **argv)
{
	struct normalise_job j = {0};
	int code;

	if (!options_operand(self, argc, argv, &j, "give one file", &j.path, &code))
		return code;
	return with_arena(&j.a, normalise_job_run, &j);
}

const struct command_row command_normalise = {
	.name = "normalise",
	.synopsis = "[--json] [--keep-timestamps] [FILE]",
	.summary = "print output as plain text, as a person would see it",
	.about = "Reads standard input or FILE and prints it as plain text in UTF-8. Colours, titles and "
			"other control sequences are removed; carriage returns and backspaces act as on a "
			"terminal; bytes that are not UTF-8 become U+FFFD; invisible characters are printed "
			"as \\u{...}. Cursor movements and clearing the screen hide nothing. Unix times in "
			"prose become ISO 8601 UTC.\n\nNormalising twice gives the same text. Memory use "
			"does not grow with the input.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_normalise,
};
