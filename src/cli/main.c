/* caisson: the table of commands, and dispatch to each. */
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

#include "cli/cli.h"
#include "sys/stack.h"
#include "sys/title.h"

static const struct command_row *const commands[] = {
	&command_allow,
	&command_ask,
	&command_audit,
	&command_audit_checkpoint,
	&command_audit_export,
	&command_audit_keygen,
	&command_audit_prune,
	&command_audit_query,
	&command_audit_reindex,
	&command_audit_replay_all,
	&command_audit_show,
	&command_audit_tail,
	&command_check,
	&command_config,
	&command_deny,
	&command_doctor,
	&command_hook,
	&command_init,
	&command_keeper,
	&command_logs,
	&command_mcp,
	&command_metrics,
	&command_normalise,
	&command_pause,
	&command_presets,
	&command_ps,
	&command_redact,
	&command_replay,
	&command_result,
	&command_run,
	&command_selftest,
	&command_stats,
	&command_stop,
	&command_suggest,
	&command_trust,
	&command_validate,
	&command_wait,
};
#define NCOMMANDS ARRAY_SIZE(commands)
#define PRINT_MAX ((size_t)1 << 20)

static const struct command_row *find_command(const char *name)
{
	for (size_t i = 0; i < NCOMMANDS; i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

/* "audit query" may come as two words; in "config show" only the first is the command. */
static const struct command_row *find_two(struct arena *a, const char *first, const char *second)
{
	return find_command(str_c(a, str_fmt(a, "%s %s", first, second)));
}

static void print_help(struct buf *b)
{
	buf_c(b, "usage: caisson COMMAND [OPTIONS]\n       caisson --help | --version\n\nJudges the shell "
			"commands of AI agents before they run, and runs them in a sealed box.\n\n");
	for (size_t i = 0; i < NCOMMANDS; i++)
		buf_fmt(b, "  %-16s %s\n", commands[i]->name, commands[i]->summary);
	buf_c(b, "  help             the usage of a command: caisson help check\n\n`caisson COMMAND --help` "
			"lists its options.\n");
}

/* help [COMMAND]; help --man [COMMAND] prints the manual page stored in man/. */
static int print_for(struct buf *b, int argc, char **argv)
{
	bool man = argc > 1 && !strcmp(argv[1], "--man");
	const char *name = argc > 1 + man ? argv[1 + man] : NULL;
	const struct command_row *c = name && argc > 2 + man ? find_two(b->a, name, argv[2 + man]) : NULL;

	if (!c && name)
		c = find_command(name);

	if (name && !c) {
		output_error("unknown command '%.100s'; see caisson --help", name);
		return EXIT_USAGE;
	}
	if (man)
		man_print(b, c, commands, NCOMMANDS);
	else if (c)
		usage_print(b, c);
	else
		print_help(b);
	return 0;
}

static int top(int argc, char **argv)
{
	struct arena a;
	struct buf b;
	int rc = 0;

	arena_init(&a, PRINT_MAX);
	buf_init(&b, &a, PRINT_MAX / 4);
	if (argc > 1 && !strcmp(argv[1], "--version"))
		buf_c(&b, "caisson " CAISSON_VERSION "\n");
	else if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
		print_help(&b);
	else
		rc = print_for(&b, argc - 1, argv + 1);
	if (!rc)
		rc = output_write(buf_view(&b), 0);
	arena_free(&a);
	return rc;
}

static int start_command(int argc, char **argv)
{
	const struct command_row *c;

	signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write(), handled there */
	signal(SIGXFSZ, SIG_IGN); /* so is a file above the caller's size limit */
	if (argc < 2) {
		output_error("a command is missing; see caisson --help");
		return EXIT_USAGE;
	}
	if (str_is_any(str_of(argv[1]), "--version --help -h help"))
		return top(argc, argv);
	c = find_command(argv[1]);
	if (!c) {
		output_error("unknown %s '%.100s'; see caisson --help", argv[1][0] == '-' ? "option" :
				"command", argv[1]);
		return EXIT_USAGE;
	}
	return c->run(c, argc - 1, argv + 1);
}

/* All output is already written and no exit handler is registered, so _exit() avoids the work of exit(). */
int main(int argc, char **argv)
{
	int code;

	title_known(argc, argv);
	code = stack_run(start_command, argc, argv);

	if (!arena_leaks_matter())
		_exit(code);
	return code;
}
