/* caisson check: judges one command, or a stream of them, and explains the verdict. */
#define _GNU_SOURCE
#include <stddef.h>
#include <unistd.h>

#include "cli/cli.h"
#include "gate/gate.h"
#include "judge/world.h"
#include "record/record.h"
#include "sys/file.h"

#define STDIN_MAX ((size_t)64 << 20) /* the parser stops far earlier, with a verdict */

struct check_options {
	bool json, explain, batch, record;
	const char *config, *cwd, *shell, *mode, *agent;
};

#define AT(field) offsetof(struct check_options, field)
static const struct option_row options[] = {
	{"json", OPTION_FLAG, AT(json), "", "print the answer as one JSON object"},
	{"explain", OPTION_FLAG, AT(explain), "",
			"show the command with its parts underlined, and the findings (with --json: on "
			"standard error)"},
	OPTION_CONFIG_ROW,
	{"cwd", OPTION_VALUE, AT(cwd), "DIR", "directory in which the command would run (default: this one)"},
	{"shell", OPTION_VALUE, AT(shell), "bash|sh|zsh|powershell",
			"shell that would run it: bash (default), sh, zsh, powershell"},
	{"mode", OPTION_VALUE, AT(mode), "default|acceptEdits|plan|bypassPermissions|dontAsk",
			"the client's permission mode: default, acceptEdits, plan, bypassPermissions, "
			"dontAsk"},
	{"batch", OPTION_FLAG, AT(batch), "", "read JSON lines, write JSON lines"},
	{"record", OPTION_FLAG, AT(record), "",
			"write a row to the record (caisson help audit.md); if that fails, the "
			"answer is deny"},
	{"agent", OPTION_VALUE, AT(agent), "ID", "with --record: name of the agent that asks"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
	{EXIT_ALLOW, "allow"}, {EXIT_ASK, "ask"}, {EXIT_DENY, "deny"}, {EXIT_CONTAIN, "contain"},
	{EXIT_USAGE, "usage"}, {EXIT_INTERNAL, "internal error"},
};

static const struct example_row examples[] = {
	{"caisson check 'git status'", "Prints the verdict as one line."},
	{"caisson check --explain 'sh -c \"rm -rf $DIR\"'",
			"Shows the command with its parts underlined, also inside the nested script."},
	{"caisson check --json --shell sh - < script", "Prints the whole answer for a script on standard "
			"input."},
	{"echo '{\"id\": 1, \"command\": \"make\"}' | caisson check --batch", "Answers each line of input "
			"with one line of output."},
};

/*
 * Judging and printing each run inside an arena_run() of their own arena, so that a full arena is a denial
 * and not a crash. A verdict from a full arena can still be printed, and an answer that is too large to print
 * is replaced by a refusal.
 */
struct check_job {
	const struct check_options *o;
	const char *operand;
	struct arena *a, *out;
	struct policies policies;
	struct facts facts;
	struct judgement judgement;
};

/* Repeats the error on standard error if the answer is for a program. A person reads it among the reasons. */
static void complain_beside(const struct check_job *j, const struct err *e)
{
	if (j->o->json && !j->o->explain)
		output_error("%s", e->text);
}

/* Records the check. A verdict that cannot be recorded becomes deny. */
static void record_check(struct check_job *j, const struct engine_request *rq, const struct view *v)
{
	const struct record_options kept = {.environ = environ};
	const struct record_who who = {.agent = j->o->agent ? str_of(j->o->agent) : STR("")};
	struct record r;
	struct err e = {0};
	int rc = record_open(j->a, v, &kept, j->policies.digest.n ? &j->policies : NULL, &r, &e);

	if (rc == 0)
		rc = record_verdict(j->a, &r, &who, STR(""), rq, &j->judgement, NULL, &e);
	record_close(&r);
	if (rc != 0) {
		complain_beside(j, &e);
		record_refuse(j->a, &e, &j->judgement);
	}
}

static int judge_command(void *arg)
{
	struct check_job *j = arg;
	struct context at = {.cwd = j->o->cwd ? str_of(j->o->cwd) : STR("")};
	struct engine_request rq = {.command = str_of(j->operand), .context = &at};
	struct err e = {0};

	if (!strcmp(j->operand, "-") && fd_read_all(j->a, STDIN_FILENO, "standard input", STDIN_MAX,
			&rq.command, &e) != 0) {
		output_error("%s", e.text);
		return e.kind == ERR_SYSTEM ? EXIT_INTERNAL : EXIT_USAGE;
	}
	if (j->o->shell)
		engine_dialect(str_of(j->o->shell), &rq.dialect); /* already validated */
	if (j->o->mode)
		engine_mode(str_of(j->o->mode), &rq.mode); /* already validated */
	context_open(j->a, &at);
	if (policies_load(j->a, &(struct policies_request){.config = j->o->config, .context = &at},
			&j->policies, &e) != 0) {
		complain_beside(j, &e);
		engine_refuse(j->a, CHECK_POLICY_ERROR, e.text, &j->judgement);
	} else if (engine_judge(j->a, &rq, &j->policies, &j->facts, &j->judgement, &e) != 0) {
		output_error("%s", e.text);
		return EXIT_INTERNAL;
	}
	if (j->o->record)
		record_check(j, &rq, at.view);
	return 0;
}

static int print_answer(void *arg)
{
	static const int codes[] = {EXIT_DENY, EXIT_ASK, EXIT_CONTAIN, EXIT_ALLOW};
	struct check_job *j = arg;
	int fd = j->o->json ? STDERR_FILENO : STDOUT_FILENO;
	struct explain_style style = {.width = 80};
	struct buf answer, words;

	buf_init(&answer, j->out, 0);
	buf_init(&words, j->out, 0);
	if (j->o->explain || !j->o->json)
		style.colour = terminal_colour(fd);
	style.wrap = isatty(fd);
	if (j->o->explain || style.wrap)
		style.width = terminal_width(fd);
	if (j->o->explain) {
		gate_explain(&words, &j->facts, &j->judgement, style);
	} else if (!j->o->json) {
		gate_summary(&words, &j->judgement, style);
	}
	if (j->o->json)
		answer_json(&answer, STR(""), &j->facts, &j->judgement, j->policies.digest);
	if (j->o->json)
		fd_write_all(fd, "standard error", buf_view(&words), NULL);
	return output_write(j->o->json ? buf_view(&answer) : buf_view(&words), codes[j->judgement.verdict]);
}

static int check_one(const struct check_options *o, const char *operand)
{
	struct arena a, out;
	struct check_job j = {.o = o, .operand = operand, .a = &a, .out = &out};
	int rc;

	arena_init(&a, ARENA_CAP_DEFAULT);
	arena_init(&out, ARENA_CAP_DEFAULT);
	rc = arena_run(&a, judge_command, &j);
	if (rc == 0)
		rc = arena_run(&out, print_answer, &j);
	if (rc < 0) {
		arena_free(&out);
		arena_init(&out, ARENA_CAP_DEFAULT);
		j.facts = (struct facts){0};
		engine_refuse(&out, CHECK_INTERNAL_ERROR,
			"the memory limit was reached before there was an answer", &j.judgement);
		rc = print_answer(&j);
	}
	arena_end(&out);
	arena_end(&a);
	return rc;
}

static int run_check(const struct command_row *self, int argc, char **argv)
{
	struct check_options o = {0};
	enum dialect d;
	enum mode m;
	int code, first = options_take(self, argc, argv, &o, &code);

	if (first < 0)
		return code;
	if (o.shell && engine_dialect(str_of(o.shell), &d) != 0)
		return usage_wrong(self, "--shell must be bash, sh, zsh or powershell");
	if (o.batch && first < argc)
		return usage_wrong(self, "--batch reads its commands from standard input; give none as an "
				"argument");
	if (o.mode && engine_mode(str_of(o.mode), &m) != 0)
		return usage_wrong(self,
				"--mode must be default, acceptEdits, plan, bypassPermissions or dontAsk");
	if ((o.batch && o.record) || (o.agent && !o.record))
		return usage_wrong(self, "--record needs one command, and --agent needs --record");
	if (o.batch)
		return batch_run(&(struct batch){.config = o.config, .cwd = o.cwd, .shell = o.shell,
				.mode = o.mode});
	if (first >= argc)
		return usage_wrong(self, "no command given");
	if (first + 1 < argc)
		return usage_extra(self, argv + first, 1,
				"give the command as one argument, in quotes: caisson check 'ls -l'");
	return check_one(&o, argv[first]);
}

const struct command_row command_check = {
	.name = "check",
	.synopsis = "[--json] [--explain] [--config FILE] [--cwd DIR] [--shell SHELL] [--mode MODE] "
			"[--record] COMMAND\n"
		    "[OPTIONS] -\n"
		    "--batch [--config FILE] [--cwd DIR] [--shell NAME]",
	.summary = "judge a command without running it",
	.about = "Reads COMMAND as the shell would. It finds every command that would run and every file "
			"that would be written, deleted, read or executed, and judges them by the built-in "
			"checks and the policy. Nothing runs. With - it reads the text from standard "
			"input.\n\nThe verdict is the exit code and the first line of the output: allow, "
			"contain (runs only in the box), ask (needs approval) or deny. A command that "
			"caisson cannot understand completely is never allowed.\n\nWith --batch every line "
			"of standard input is a JSON object with id, command and optionally cwd and shell, "
			"and every answer is one line. An invalid line is answered by an object with the key "
			"error, and the next line is read. Policy files are checked for changes before each "
			"line.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_check,
};
