/* caisson validate: checks if the numbers that a tool printed can be trusted, and prints them. */
#define _GNU_SOURCE
#include <stddef.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/num.h"
#include "cli/cli.h"
#include "result/validate.h"
#include "run/run_validation.h"
#include "sys/file.h"

#define INPUT_MAX ((size_t)64 << 20)

enum { EXIT_VALID = 0, EXIT_INVALID = 1, EXIT_INDETERMINATE = 3 };

struct validate_options {
	const char *task, *exit_code, *columns, *schema;
	bool raw, json; /* json: the answer is JSON in any case */
};

#define AT(field) offsetof(struct validate_options, field)
static const struct option_row options[] = {
	{"task", OPTION_VALUE, AT(task), "TASK",
			"check as: test, typecheck, lint, data, json (default: recognised from the output)"},
	{"raw", OPTION_FLAG, AT(raw), "", "the input is plain output instead of a report"},
	{"exit-code", OPTION_VALUE, AT(exit_code), "N",
			"with --raw: exit code of the command (default: unknown)"},
	{"columns", OPTION_VALUE, AT(columns), "NAMES",
			"for --task data: required columns, separated by commas; id:integer also sets a "
			"type"},
	{"schema", OPTION_VALUE, AT(schema), "FILE",
			"for --task json: JSON Schema for the output"},
	{"json", OPTION_FLAG, AT(json), "", "print one JSON object (the default)"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
	{EXIT_VALID, "valid: the numbers are consistent, for a pass or a fail"},
	{EXIT_INVALID, "invalid: they cannot be trusted"},
	{EXIT_INDETERMINATE, "indeterminate: unknown format, or parts are missing"},
	{EXIT_USAGE, "usage"}, {EXIT_INTERNAL, "internal error"},
};

static const struct example_row examples[] = {
	{"caisson validate --task test report.json", "Checks the tests in a report of `caisson run --json`."},
	{"python3 -m unittest 2>&1 | caisson validate --task test --raw -",
			"Checks plain output; give --exit-code to compare it with the summary."},
	{"caisson validate --task test --raw --exit-code 1 junit.xml",
			"A machine-readable report is better evidence than text."},
};

struct validate_job {
	struct validate_options o;
	struct arena a;
	const char *file;
	enum task task;
};

/* ---- the input ---- */

static int read_file_operand(struct validate_job *j, struct str *ret, struct err *e)
{
	if (!strcmp(j->file, "-"))
		return fd_read_all(&j->a, STDIN_FILENO, "standard input", INPUT_MAX, ret, e);
	return file_read(&j->a, j->file, INPUT_MAX, ret, NULL, e);
}

static enum status status_of(struct str name)
{
	for (int s = STATUS_SETUP_ERROR; s < STATUS_UNKNOWN; s++)
		if (str_is(name, status_name((enum status)s)))
			return (enum status)s;
	return STATUS_UNKNOWN;
}

/* True if part of this stream was omitted: "truncated": {"stdout": {"omitted_bytes": 5}}. */
static bool stream_cut(const struct json *root, const char *name)
{
	const struct json *t = json_key(json_key(root, "truncated"), name), *n = json_key(t, "omitted_bytes"),
			*is = json_key(t, "is");

	return json_is(t, JSON_TRUE) || json_is(is, JSON_TRUE) || (json_is_int(n) && json_int(n, 0) > 0);
}

static int take_report(struct validate_job *j, const struct json *root, struct validate_input *in,
		struct err *e)
{
	const struct json *code = json_key(root, "exit_code"), *out = json_key(root, "stdout"),
			*err = json_key(root, "stderr");

	if (!json_is(root, JSON_OBJECT))
		return err_input(e, "not an object");
	if (!json_is(json_key(root, "status"), JSON_STRING))
		return err_input(e, "'status' is missing or not a string");
	in->status = status_of(json_text_at(root, "status"));
	if (in->status == STATUS_UNKNOWN && !str_is(json_text_at(root, "status"),
			status_name(STATUS_UNKNOWN)))
		return err_input(e, "'status' has an unknown value");
	if ((out && !json_is(out, JSON_STRING) && !json_is(out, JSON_NULL)) ||
			(err && !json_is(err, JSON_STRING) && !json_is(err, JSON_NULL)))
		return err_input(e, "'stdout' or 'stderr' is not a string");
	if (code && !json_is(code, JSON_NULL) && !(json_is_int(code) && json_int(code, 0) >= 0 &&
			json_int(code, 0) <= 255))
		return err_input(e, "'exit_code' is not a number from 0 to 255");
	in->exit_code = json_is_int(code) ? (int)json_int(code, 0) : -1;
	in->out = str_dup(&j->a, json_text(out));
	in->err = str_dup(&j->a, json_text(err));
	in->command = json_dup_at(&j->a, root, "command");
	in->cut = stream_cut(root, "stdout") || stream_cut(root, "stderr");
	return 0;
}

static int report_input(struct validate_job *j, struct str text, struct validate_input *in, struct err *e)
{
	struct err why;
	struct json *root;

	if (json_read(&j->a, text, &root, &why) < 0)
		return err_set(e, why.kind, 0,
				"not the report of a run as JSON (%s); --raw takes plain output", why.text);
	return take_report(j, root, in, e);
}

static int raw_input(struct validate_job *j, struct str text, struct validate_input *in, struct err *e)
{
	int64_t n;

	in->out = text;
	if (!j->o.exit_code)
		return 0;
	if (num_parse(str_of(j->o.exit_code), 0, 255, &n) < 0)
		return err_input(e, "--exit-code must be a number from 0 to 255, not '%.40s'",
				j->o.exit_code);
	in->exit_code = (int)n;
	in->status = n ? STATUS_EXIT_NONZERO : STATUS_OK;
	return 0;
}

static int fill(struct validate_job *j, struct validate_input *in, struct err *e)
{
	struct str text;

	if (read_file_operand(j, &text, e) < 0)
		return -1;
	if (j->o.columns && validation_columns(&j->a, str_of(j->o.columns), &in->columns, &in->ncolumns,
			e) != 0)
		return -1;
	if (j->o.schema && file_read(&j->a, j->o.schema, VALIDATION_SCHEMA_MAX, &in->schema, NULL, e) < 0)
		return -1;
	if (j->o.schema && !in->schema.n) /* an empty schema would mean no schema */
		return err_input(e, "the schema '%s' is empty", j->o.schema);
	return j->o.raw ? raw_input(j, text, in, e) : report_input(j, text, in, e);
}

/* ---- the answer ---- */

static void put_answer(struct buf *b, const struct validation *v, bool task)
{
	buf_char(b, '{');
	json_put_name(b, "outcome", validity_name(v->validity));
	json_put_name(b, "result", result_name(v->result));
	json_put_name(b, "evidence", v->evidence == EVIDENCE_NONE ? NULL : evidence_name(v->evidence));
	json_put_name(b, "format", v->format);
	validation_counts_json(b, v);
	validation_checks_json(b, "checks", v->checks);
	json_put_bool(b, "is_error", v->validity == VALIDITY_INVALID || (task && !v->format));
	buf_c(b, "}\n");
}

static int validate_job_run(void *arg)
{
	static const int codes[] = {[VALIDITY_VALID] = EXIT_VALID, [VALIDITY_INVALID] = EXIT_INVALID,
			[VALIDITY_INDETERMINATE] = EXIT_INDETERMINATE};
	struct validate_job *j = arg;
	struct validate_input in = {.task = j->task, .status = STATUS_UNKNOWN, .exit_code = -1};
	struct validation v;
	struct err e = {0};
	struct buf b;

	if (fill(j, &in, &e) < 0) {
		output_error("cannot validate '%.200s': %s", j->file, e.text);
		return EXIT_USAGE;
	}
	validate_text(&j->a, &in, &v);
	buf_init(&b, &j->a, 0);
	put_answer(&b, &v, j->task != TASK_ANY);
	return output_write(buf_view(&b), codes[v.validity]);
}

static int run_validate(const struct command_row *self, int argc, char **argv)
{
	struct validate_job j = {0};
	int code, first = options_take(self, argc, argv, &j.o, &code);

	if (first < 0)
		return code;
	if (first == argc)
		return usage_wrong(self, "give one file, or - for standard input");
	if (first + 1 < argc)
		return usage_extra(self, argv + first, 1, "give one file, or - for standard input");
	j.task = j.o.task ? task_find(str_of(j.o.task)) : TASK_ANY;
	if (j.o.task && (!j.task || j.task == TASK_CUSTOM))
		return usage_wrong(self, "--task must be test, typecheck, lint, data or json");
	if (j.o.exit_code && !j.o.raw)
		return usage_wrong(self, "--exit-code needs --raw; a report contains its own");
	j.file = argv[first];
	return with_arena(&j.a, validate_job_run, &j);
}

const struct command_row command_validate = {
	.name = "validate",
	.synopsis = "[--task TASK] FILE|-\n"
		    "[--task TASK] --raw [--exit-code N] FILE|-",
	.summary = "check that the numbers printed by a tool can be trusted",
	.about = "Reads a report (the JSON of `caisson run --json`: status, exit_code, stdout, stderr) or, "
			"with --raw, plain output. It recognises the tool and checks that its numbers are "
			"consistent and agree with the exit code. It prints one JSON object: outcome (valid, "
			"invalid, indeterminate), result (pass, fail, none), evidence (witnessed, machine, "
			"printed), format, counts, checks, is_error.\n\nA consistent report of failing tests "
			"is valid. Invalid means that the numbers must not be used; each check says why and "
			"what to do. caisson help validators lists the formats and the checks.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_validate,
};
