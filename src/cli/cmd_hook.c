/* caisson hook: answers an agent client in the client's own format. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/watchdog.h"
#include "client/hook.h"
#include "sys/file.h"

extern char **environ;

struct hook_flags {
	const char *client, *event, *config;
};

#define AT(field) offsetof(struct hook_flags, field)
static const struct option_row options[] = {
	{"client", OPTION_VALUE, AT(client), "CLIENT",
			"the client: claude-code, codex, gemini, qwen, copilot, opencode, cursor, windsurf, "
			"generic (default: recognised from the input)"},
	{"event", OPTION_VALUE, AT(event), "NAME",
			"the event, if the input does not name it (Copilot: preToolUse, postToolUse ...; "
			"generic: pre, post)"},
	OPTION_CONFIG_ROW,
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
	{HOOK_PASS, "answered: a denial or question is on standard output in the client's format; no output "
			"lets the client continue"},
	{HOOK_BLOCK, "denied, with the reason on standard error; also if the input is invalid or anything "
			"fails"},
};

static const struct example_row examples[] = {
	{"caisson hook < event.json", "Recognises client and event from the input."},
	{"echo '{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"git status\"}}' | caisson hook "
			"--client generic", "For an agent loop of your own: 0 lets the command run, 2 does "
					"not."},
	{"echo '{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"make\"}, \"can\": [\"run\"]}' | "
			"caisson hook --client generic",
	 "Answers with JSON: a contained command comes with the command that runs it in the box."},
};

/* If one of the descriptors 0 to 2 is closed, the next open() would reuse its number. */
static bool streams_open(void)
{
	return fcntl(STDIN_FILENO, F_GETFD) >= 0 && fcntl(STDOUT_FILENO, F_GETFD) >= 0 &&
			fcntl(STDERR_FILENO, F_GETFD) >= 0;
}

struct input_read {
	struct arena *a;
	struct str *ret;
	struct err err;
	int rc;
};

static int read_stdin(void *arg)
{
	struct input_read *r = arg;

	r->rc = fd_read_all(r->a, STDIN_FILENO, "standard input", HOOK_INPUT_MAX, r->ret, &r->err);
	return 0;
}

/* Some clients run the tool if the exit code denies but standard error is empty. */
static bool is_blank(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!strchr(" \t\r\n", s.p[i]))
			return false;
	return true;
}

static int send_reply(const struct reply *r)
{
	struct str said = buf_view(&r->err);
	struct err e = {0};

	if (r->code == HOOK_BLOCK && is_blank(said))
		output_error("denied, but the reason was lost; see caisson audit tail");
	fd_write_all(STDERR_FILENO, "standard error", said, NULL);
	if (!r->out.n || fd_write_all(STDOUT_FILENO, "standard output", buf_view(&r->out), &e) == 0 ||
			watchdog_passes())
		return r->code;
	output_error("cannot write the answer, so nothing runs: %s", e.text);
	return HOOK_BLOCK;
}

static int answer_client(const struct hook_flags *f)
{
	const struct hook_options o = {.client = f->client, .event = f->event, .config = f->config,
			.environ = environ,
			.set_deadline = watchdog_deadline, .set_phase = watchdog_phase};
	struct arena in, a, out;
	struct str input = STR("");
	struct input_read reading = {.a = &in, .ret = &input};
	struct reply reply;
	int rc;

	watchdog_phase(hook_cannot_block(&o) ? PHASE_POST : PHASE_PRE);
	arena_init(&in, 4 * HOOK_INPUT_MAX);
	arena_init(&a, ARENA_CAP_DEFAULT);
	arena_init(&out, ARENA_CAP_DEFAULT);
	if (arena_run(&in, read_stdin, &reading) < 0)
		reading.rc = err_limit(&reading.err, "the input is too long");
	if (reading.rc != 0)
		hook_refuse_unread(&out, &o, reading.err.text, &reply);
	else
		hook_reply(&a, &out, input, &o, &reply);
	rc = send_reply(&reply);
	arena_end(&out);
	arena_end(&a);
	arena_end(&in);
	return rc;
}

static int run_hook(const struct command_row *self, int argc, char **argv)
{
	struct hook_flags f = {0};
	struct err e = {0};
	int first = 0, rc;

	watchdog_start();
	rc = options_parse(self, argc, argv, &f, &first, &e);
	if (rc > 0)
		return usage_output(self);
	if (rc < 0 || first < argc) { /* a usage error must not let a tool run */
		usage_wrong(self, rc < 0 ? e.text : "unexpected argument");
		return HOOK_BLOCK;
	}
	if (isatty(STDIN_FILENO)) {
		usage_wrong(self, "an agent client starts this and sends its event to standard input; to "
				"judge a command yourself, use caisson check");
		return HOOK_BLOCK;
	}
	if (streams_open())
		return answer_client(&f);
	if (fcntl(STDERR_FILENO, F_GETFD) >= 0)
		output_error("nothing was judged, so nothing runs: standard input or standard output is "
				"closed");
	return HOOK_BLOCK;
}

const struct command_row command_hook = {
	.name = "hook",
	.synopsis = "[--client CLIENT] [--event NAME] [--config FILE]",
	.summary = "answer an agent client's hook",
	.about = "Reads one hook event of an agent client from standard input and answers in that client's "
			"format. Before a tool call it judges commands, and tools that touch files or hosts, "
			"as `caisson check` does. A command that may only run in the box is replaced by "
			"`caisson run --ticket`, which runs exactly the judged command, once. After a tool "
			"call it removes control sequences and secrets from the output and points out "
			"numbers that do not add up. When a session starts it gives the model a few lines of "
			"guidance.\n\nEvery failure denies: broken JSON, an unknown client or event, a "
			"policy that does not load, a record that cannot be written, no answer in time, a "
			"crash. Events that precede no tool call always pass. caisson help hooks "
			"says what each "
			"client can and cannot do; `caisson init` installs the hooks.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_hook,
};
