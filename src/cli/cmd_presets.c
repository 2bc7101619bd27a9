/* caisson presets: lists the presets, or prints one. */
#include "cli/cli.h"
#include "config/config.h"

#define COLUMN 19

static const struct option_row options[] = {
	{"help", OPTION_HELP, 0, "", "print this"},
};

static const struct exit_row exits[] = {{0, "printed"}, {1, "there is no such preset"}, {EXIT_USAGE, "usage"},
		{EXIT_INTERNAL, "internal error"}};

static const struct example_row examples[] = {
	{"caisson presets", "A line for each: its name and what it is for."},
	{"caisson presets git > rules.yaml", "The text of one, in the language of policies."},
};

struct presets_job {
	struct arena a;
	const char *name; /* NULL: list all */
};

static int presets_job_run(void *arg)
{
	struct presets_job *j = arg;
	struct config_preset p;
	struct buf b;

	if (j->name && !config_preset(str_of(j->name), &p)) {
		output_error("there is no preset '%.100s'; caisson presets lists them", j->name);
		return 1;
	}
	if (j->name)
		return output_write(p.text, 0);
	buf_init(&b, &j->a, 0);
	for (size_t i = 0; config_preset_at(i, &p); i++) {
		size_t from = b.n;

		buf_str(&b, p.name);
		do
			buf_char(&b, ' ');
		while (b.n - from < COLUMN);
		buf_str(&b, p.title);
		buf_char(&b, '\n');
	}
	return output_write(buf_view(&b), 0);
}

static int run_presets(const struct command_row *self, int argc, char **argv)
{
	struct presets_job j = {0};
	int code, first = options_take(self, argc, argv, &j, &code);

	if (first < 0)
		return code;
	if (first + 1 < argc)
		return usage_wrong(self, "one name is expected");
	j.name = first < argc ? argv[first] : NULL;
	return with_arena(&j.a, presets_job_run, &j);
}

const struct command_row command_presets = {
	.name = "presets",
	.synopsis = "[NAME]",
	.summary = "list the presets, or print one",
	.about = "Presets are policies that the program carries. A policy takes one in by its name: "
			"`import: [git, secrets]`. Without NAME they are listed; with NAME "
		 "its text is printed, in the language of policies, to be read or copied.",
	.options = options,
	.noptions = ARRAY_SIZE(options),
	.exits = exits,
	.nexits = ARRAY_SIZE(exits),
	.examples = examples,
	.nexamples = ARRAY_SIZE(examples),
	.run = run_presets,
};
