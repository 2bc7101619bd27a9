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
			"who asks: claude-code, codex, gemini, qwen, copilot, opencode, cursor, windsurf, "
			"generic (default: recognised from the input)"},
	{"event", OPTION_VALUE, AT(event), "NAME",
			"which event it is, where the input does not say (Copilot's preToolUse, postToolUse "
			"...; generic: pre, post)"},
	{"config", OPTION_VALUE, AT(config), "FILE", "a policy file in place of your own"},
	{"help", OPTION_HELP, 0, "", "print this"},
};

static const struct exit_row exits[] = {
	{HOOK_PASS, "answered: what is denied or asked about stands on standard output, in the client's own "
			"form; nothing there means that the client goes on by itself"},
	{HOOK_BLOCK, "denied, with the reason on standard error; also whenever the input cannot be "
			"understood or anything fails"},
};

static const struct example_row examples[] = {
	{"caisson hook < event.json", "Client and event are recognised from the input."},
	{"echo '{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"git status\"}}' | caisson hook "
			"--client generic", "From an agent loop of your own: 0 lets it run, 2 does not."},
	{"echo '{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"make\"}, \"can\": [\"run\"]}' | "
			"caisson hook --client generic",
	 "The same with an answer as JSON: what may only run in the box comes with the command that runs it "
			"there."},
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
		output_error("denied, and the reason is missing; see caisson audit");
	fd_write_all(STDERR_FILENO, "standard error", said, NULL);
	if (!r->out.n || fd_write_all(STDOUT_FILENO, "standard output", buf_view(&r->out), &e) == 0 ||
			watchdog_passes())
		return r->code;
	output_error("the answer could not be written, so nothing runs: %s", e.text);
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
		reading.rc = err_set(&reading.err, ERR_LIMIT, 0, "the input is too long");
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
		usage_wrong(self, rc < 0 ? e.text : "nothing but options is expected");
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
	.about = "Reads one hook input of an agent client from standard input and answers it in that "
			"client's own way. Before a tool runs: commands, and tools that touch "
		 "files or hosts, are judged as `caisson check` judges them; what may only run in the box "
		 "is replaced by `caisson run --ticket`, which runs what was judged, once. "
		 "After a tool: control sequences and secrets are taken out of its output, and numbers that "
		 "do not add up are pointed out. When a session starts: a few lines for the model.\n\n"
		 "Whatever cannot be understood denies: broken JSON, a client or event that is not known, a "
		 "policy that does not load, a record that cannot be written, no answer in time, a crash. "
		 "Events that precede no tool call always pass. What each client can and cannot do stands "
		 "in docs/hooks.md; `caisson init` sets it up.",
	.options = options,
	.noptions = ARRAY_SIZE(options),
	.exits = exits,
	.nexits = ARRAY_SIZE(exits),
	.examples = examples,
	.nexamples = ARRAY_SIZE(examples),
	.run = run_hook,
};
