/* caisson keeper: the process that holds boxes in the background. Runs start it on demand (keeper/keeper.h).
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "judge/context.h"
#include "keeper/keeper.h"
#include "sys/state.h"

#define OTHER_WAIT_MS 50 /* another keeper may have its lock and not yet its socket */

static const struct option_row options[] = {OPTION_HELP_ROW};

static const struct exit_row exits[] = {
		{0, "no box is left, or another keeper is running"},
		{1, "the keeper could not start; its output says why"},
		{EXIT_USAGE, "usage"},
};

static const struct example_row examples[] = {
		{"caisson doctor", "Says if a keeper is running, and how many boxes it holds."},
};

static void say_ready(void)
{
	(void)!write(STDOUT_FILENO, "\n", 1);
	/* Whoever started it waits no longer, and nothing is printed any more. */
	(void)!dup2(STDIN_FILENO, STDOUT_FILENO);
}

static int serve(void *arg)
{
	struct arena *a = arg;
	struct context here = {.places = true};
	struct err e = {0};
	struct str state;
	bool other = false;

	context_open(a, &here);
	if (state_make(a, here.view->state_dir, STR(""), here.view->uid, &state, &e) != 0)
		return output_write(str_of(e.text), 1);
	if (keeper_serve(state, say_ready, &other, &e) == 0)
		return 0;
	if (!other)
		return output_write(str_of(e.text), 1);
	nanosleep(&(struct timespec){.tv_nsec = OTHER_WAIT_MS * 1000000L}, NULL);
	say_ready();
	return 0;
}

static int run_keeper(const struct command_row *self, int argc, char **argv)
{
	struct arena a;
	int code;

	if (!options_only(self, argc, argv, NULL, &code))
		return code;
	return with_arena(&a, serve, &a);
}

const struct command_row command_keeper = {
		.name = "keeper",
		.synopsis = "",
		.summary = "hold boxes in the background; runs start it on demand",
		.about = "The keeper is a process of one user. It holds the boxes that outlive their command "
			 "(caisson run --background, caisson-ps(1)). The first run that needs it starts it, "
			 "with an empty environment and in its own session. It ends when it holds no box; if "
			 "it is killed, its boxes end too.\n\nIt listens on a socket in the state directory, "
			 "answers only processes of the same user outside any box, and does not start under "
			 "no_new_privs, a seccomp filter or in another user namespace. A newer program "
			 "replaces it: the older keeper takes no further boxes and ends with its last one.",
		COMMAND_OPTIONS(options),
		COMMAND_EXITS(exits),
		COMMAND_EXAMPLES(examples),
		.run = run_keeper,
};
