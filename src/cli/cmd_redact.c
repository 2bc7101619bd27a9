/* caisson redact: removes secrets from text. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "cli/filter.h"
#include "record/secret_values.h"
#include "run/run.h"

struct redact_job {
	struct arena a;
	const char *path;
	struct option_list names;
	bool json, patterns_only;
};

static const struct option_row options[] = {
	{"json", OPTION_FLAG, offsetof(struct redact_job, json), "",
			"print one JSON object: the text, the number of secrets, and other changes"},
	{"value-of", OPTION_LIST, offsetof(struct redact_job, names), "NAME",
			"also treat the value of this variable as a secret; may be repeated"},
	{"patterns-only", OPTION_FLAG, offsetof(struct redact_job, patterns_only), "",
			"do not search for the values of variables that look like credentials"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {{0, "printed"}, {EXIT_USAGE, "usage"},
		{EXIT_INTERNAL, "the file cannot be read, or another error occurred"}};

static const struct example_row examples[] = {
	{"env | caisson redact", "Prints the environment without credentials."},
	{"caisson redact --json deploy.log",
			"Prints a file with its secrets replaced, and their number."},
};

static int redact_job_run(void *arg)
{
	struct redact_job *j = arg;
	size_t n = 0;
	struct str *found = secret_values(&j->a, j->patterns_only ? NULL : environ, NULL, &n),
			*values = arena_array(&j->a, n + OPTION_LIST_MAX, sizeof(*values));
	struct filter f = {.a = &j->a, .path = j->path, .json = j->json};

	memcpy(values, found, n * sizeof(*values));
	for (const struct texts *t = j->names.first; t; t = t->next) {
		const char *value = getenv(t->text.p);

		if (!value || strlen(value) < REDACT_VALUE_MIN) {
			output_error("--value-of '%.100s': %s", t->text.p,
					value ? "its value is too short to search for" :
					"no such variable");
			return EXIT_USAGE;
		}
		values[n++] = str_of(value);
	}
	f.redactor = redactor_new(&j->a, values, n);
	return filter_run(&f);
}

static int run_redact(const struct command_row *self, int argc, char **argv)
{
	struct redact_job j = {0};
	int code;

	if (!options_operand(self, argc, argv, &j, "give one file", &j.path, &code))
		return code;
	return with_arena(&j.a, redact_job_run, &j);
}

const struct command_row command_redact = {
	.name = "redact",
	.synopsis = "[--json] [--value-of NAME]... [--patterns-only] [FILE]",
	.summary = "print text with its secrets replaced",
	.about = "Reads standard input or FILE, normalises it as caisson-normalise(1) does (but keeps Unix "
			"times), and replaces every secret by [redacted:KIND]: tokens and keys of known "
			"formats, values after a name such as password or api_key, private keys in PEM, "
			"passwords in URLs, and the exact values of environment variables that `caisson run` "
			"hides from programs. Placeholders stay.\n\nNormalising comes first, so a colour or "
			"an invisible character inside a token does not hide it. Memory use does not grow "
			"with the input.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_redact,
};
