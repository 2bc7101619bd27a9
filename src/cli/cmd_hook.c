/* caisson hook: an agent client asks, and is answered in its own way. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "client/hook.h"
#include "sys/file.h"

#define DEADLINE_MS 8000      /* until the policy says another; clients wait longer */
#define DEADLINE_MAX_MS 20000 /* and this, after the first, is still below the 30 s that `init` has them wait: most run the tool then */

extern char **environ;

struct hook_flags {
	const char *client, *event, *config;
};

#define AT(field) offsetof(struct hook_flags, field)
static const struct option_row options[] = {
	{"client", OPTION_VALUE, AT(client), "NAME", "who asks: claude-code, codex, gemini, qwen, copilot, opencode, cursor, windsurf, generic (default: recognised from the input)"},
	{"event", OPTION_VALUE, AT(event), "NAME", "which event it is, where the input does not say (Copilot's preToolUse, postToolUse ...; generic: pre, post)"},
	{"config", OPTION_VALUE, AT(config), "FILE", "a policy file in place of your own"},
	{"help", OPTION_HELP, 0, "", "print this"},
};

static const struct exit_row exits[] = {
	{HOOK_PASS, "answered: what is denied or asked about stands on standard output, in the client's own form; nothing there means that the client goes on by itself"},
	{HOOK_BLOCK, "denied, with the reason on standard error; also whenever the input cannot be understood or anything fails"},
};

static const struct example_row examples[] = {
	{"caisson hook < event.json", "Client and event are recognised from the input."},
	{"echo '{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"git status\"}}' | caisson hook --client generic", "From an agent loop of your own: 0 lets it run, 2 does not."},
};

/*
 * The deadline. A client that gets no answer in time runs the tool, so the process ends itself before: by the exit code that denies, unless
 * the tool is over already. Only what a signal handler may do is done here.
 */
static volatile sig_atomic_t after_tool;

static void too_late(int signal)
{
	static const char why[] = "caisson: nothing was judged, so nothing runs: there was no answer in time (hooks.deadline_ms)\n";
	struct pollfd err = {.fd = STDERR_FILENO, .events = POLLOUT};
	ssize_t n;

	(void)signal;
	if (after_tool)
		_exit(HOOK_PASS);
	if (poll(&err, 1, 0) == 1) { /* a stream that nobody reads must not keep us */
		n = write(STDERR_FILENO, why, sizeof(why) - 1);
		(void)n;
	}
	_exit(HOOK_BLOCK);
}

static void set_deadline(unsigned ms)
{
	struct itimerval t = {0};

	ms = !ms ? DEADLINE_MS : ms < DEADLINE_MAX_MS ? ms : DEADLINE_MAX_MS;
	t.it_value.tv_sec = ms / 1000;
	t.it_value.tv_usec = (suseconds_t)ms % 1000 * 1000;
	setitimer(ITIMER_REAL, &t, NULL);
}

static void phase_known(enum phase p) { after_tool = p != PHASE_PRE; }

/* Standard streams that are closed would be other files soon. */
static bool streams_open(void) { return fcntl(STDIN_FILENO, F_GETFD) >= 0 && fcntl(STDOUT_FILENO, F_GETFD) >= 0 && fcntl(STDERR_FILENO, F_GETFD) >= 0; }

struct reading {
	struct arena *a;
	struct str *ret;
	struct err err;
	int rc;
};

static int read_input(void *arg)
{
	struct reading *r = arg;

	r->rc = fd_read_all(r->a, STDIN_FILENO, "standard input", HOOK_INPUT_MAX, r->ret, &r->err);
	return 0;
}

static int run(const struct command_row *self, int argc, char **argv)
{
	struct sigaction act = {.sa_handler = too_late};
	sigset_t deadline;
	struct hook_flags f = {0};
	struct hook_options asked;
	struct arena in, a, out;
	struct str input = STR("");
	struct reading reading = {.a = &in, .ret = &input};
	struct reply reply;
	struct err e = {0};
	int first = 0, rc = options_parse(self, argc, argv, &f, &first, &e);

	if (rc > 0)
		return usage_output(self);
	if (rc < 0 || first < argc) { /* a wrong call must not let anything run */
		usage_wrong(self, rc < 0 ? e.text : "nothing but options is expected");
		return HOOK_BLOCK;
	}
	if (!streams_open())
		return HOOK_BLOCK;
	sigemptyset(&deadline);
	sigaddset(&deadline, SIGALRM);
	sigaction(SIGALRM, &act, NULL);
	sigprocmask(SIG_UNBLOCK, &deadline, NULL); /* a caller may have blocked it, and that is inherited */
	set_deadline(DEADLINE_MS);
	asked = (struct hook_options){.client = f.client, .event = f.event, .config = f.config, .environ = environ, .deadline = set_deadline, .known = phase_known};
	after_tool = hook_is_over(&asked);
	arena_init(&in, 4 * HOOK_INPUT_MAX);
	arena_init(&a, ARENA_CAP_DEFAULT);
	arena_init(&out, ARENA_CAP_DEFAULT);
	if (arena_run(&in, read_input, &reading) < 0)
		reading.rc = err_set(&reading.err, ERR_LIMIT, 0, "the input is too long");
	if (reading.rc != 0)
		hook_refuse(&out, &asked, reading.err.text, &reply);
	else
		hook_reply(&a, &out, input, &asked, &reply);
	rc = reply.code;
	fd_write_all(STDERR_FILENO, "standard error", buf_view(&reply.err), NULL);
	if (reply.out.n && fd_write_all(STDOUT_FILENO, "standard output", buf_view(&reply.out), &e) != 0 && !after_tool) {
		complain("the answer could not be written, so nothing runs: %s", e.text);
		rc = HOOK_BLOCK;
	}
	arena_end(&out);
	arena_end(&a);
	arena_end(&in);
	return rc;
}

const struct command_row command_hook = {
	.name = "hook",
	.synopsis = "[--client NAME] [--event NAME] [--config FILE]",
	.summary = "answer an agent client's hook",
	.about = "Reads one hook input of an agent client from standard input and answers it in that client's own way. Before a tool runs: commands, and tools that touch "
		 "files or hosts, are judged as `caisson check` judges them; what may only run in the box is replaced by `caisson run --ticket`, which runs what was judged, once. "
		 "After a tool: its output is normalised, secrets are taken out, and numbers that do not add up are pointed out. When a session starts: a few lines for the model.\n\n"
		 "Whatever cannot be understood denies: broken JSON, a client or event that is not known, a policy that does not load, a record that cannot be written, no answer in time. "
		 "Events that precede no tool call always pass. What each client can and cannot do stands in docs/hooks.md; `caisson init` sets it up.",
	.options = options,
	.noptions = sizeof(options) / sizeof(*options),
	.exits = exits,
	.nexits = sizeof(exits) / sizeof(*exits),
	.examples = examples,
	.nexamples = sizeof(examples) / sizeof(*examples),
	.run = run,
};
