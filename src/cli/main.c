/* caisson: dispatch to a command of commands.c. */
#define _GNU_SOURCE
#include <signal.h>
#include <unistd.h>

#include "box/box.h"
#include "cli/cli.h"
#include "sys/stack.h"
#include "sys/title.h"

#define PRINT_MAX ((size_t)1 << 20)
#define VERSION_LINE "caisson " CAISSON_VERSION CAISSON_COMMIT "\n"

/* "audit query" may come as two words; in "config show" only the first is the command. */
static const struct command_row *find_two(struct arena *a, const char *first, const char *second)
{
	const struct command_row *c = second ? command_find(str_fmt_c(a, "%s %s", first, second)) : NULL;

	return c ? c : command_find(command_spelling(first));
}

static int unknown_command(struct arena *a, const char *name)
{
	if (name[0] == '-')
		output_error("unknown option '%.100s'; options follow the command, as in caisson check "
				"--json; see caisson --help", name);
	else
		output_error("unknown command '%.100s'%s", name, command_guess(a, name));
	return EXIT_USAGE;
}

/* help --man [COMMAND] prints the manual page stored in man/. */
static int print_man(struct buf *b, const char *name, const char *second)
{
	const struct command_row *c = name ? find_two(b->a, name, second) : NULL;

	if (name && !strcmp(name, MAN_POLICY))
		return man_policy(b);
	if (name && !c)
		return unknown_command(b->a, name);
	man_print(b, c);
	return 0;
}

/* help [COMMAND | TOPIC] */
static int print_for(struct buf *b, int argc, char **argv)
{
	bool man = argc > 1 && !strcmp(argv[1], "--man");
	const char *name = argc > 1 + man ? argv[1 + man] : NULL;
	const char *second = argc > 2 + man ? argv[2 + man] : NULL;
	const struct command_row *c = name ? find_two(b->a, name, second) : NULL;

	if (man)
		return print_man(b, name, second);
	if (c)
		usage_print(b, c);
	else if (!name || !strcmp(command_spelling(name), "help"))
		commands_help(b);
	else if (!strcmp(command_spelling(name), "version"))
		buf_c(b, VERSION_LINE);
	else if (!strcmp(name, "topics"))
		topics_list(b);
	else if (topic_is(name))
		return topic_print(b->a, name);
	else {
		output_error("unknown command or topic '%.100s'%s", name, command_guess(b->a, name));
		return EXIT_USAGE;
	}
	return 0;
}

/* Without a command: the start of the help, but no success, because a script that gives none is wrong. */
static int print_help_alone(void)
{
	struct arena a;
	struct buf b;
	int rc;

	arena_init(&a, PRINT_MAX);
	buf_init(&b, &a, PRINT_MAX / 4);
	commands_start(&b);
	buf_c(&b, "\nAll commands: caisson --help\n");
	rc = output_write(buf_view(&b), EXIT_USAGE);
	arena_free(&a);
	return rc;
}

/* The words that are no command of the table: version, help, and what nobody knows. */
static int top(int argc, char **argv)
{
	const char *word = command_spelling(argv[1]);
	struct arena a;
	struct buf b;
	int rc = 0;

	arena_init(&a, PRINT_MAX);
	buf_init(&b, &a, PRINT_MAX / 4);
	if (!strcmp(word, "version"))
		buf_c(&b, VERSION_LINE);
	else if (!strcmp(word, "help"))
		rc = print_for(&b, argc - 1, argv + 1);
	else
		rc = unknown_command(&a, word);
	if (!rc && b.n)
		rc = output_write(buf_view(&b), 0);
	arena_free(&a);
	return rc;
}

static int start_command(int argc, char **argv)
{
	const struct command_row *c;

	signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write(), handled there */
	signal(SIGXFSZ, SIG_IGN); /* so is a file above the caller's size limit */
	if (argc < 2)
		return print_help_alone();
	c = command_find(command_spelling(argv[1]));
	if (!c)
		return top(argc, argv);
	return c->run(c, argc - 1, argv + 1);
}

/* All output is already written and no exit handler is registered, so _exit() avoids the work of exit(). */
int main(int argc, char **argv)
{
	int code;

	title_known(argc, argv);
	box_entry(argc, argv);
	code = stack_run(start_command, argc, argv);

	if (!arena_leaks_matter())
		_exit(code);
	return code;
}
