/* caisson init: adds our hooks to the settings of agent clients, and removes them. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/change.h"
#include "base/near.h"
#include "cli/cli.h"
#include "cli/doc.h"
#include "client/init_hooks.h"
#include "client/person.h"
#include "judge/world.h"
#include "run/run.h"
#include "sys/path.h"
#include "sys/state.h"

struct init_options {
	struct option_list client;
	bool project, user, dry_run, remove;
};

#define AT(field) offsetof(struct init_options, field)
static const struct option_row options[] = {
	{"client", OPTION_LIST, AT(client), "CLIENT",
			"this client, whether it is used here or not; may be repeated"},
	{"user", OPTION_FLAG, AT(user), "", "in your own settings, for all your projects (the default)"},
	{"project", OPTION_FLAG, AT(project), "", "in the settings of this project, for all who work on it"},
	{"dry-run", OPTION_FLAG, AT(dry_run), "", "show what would change, as a diff, and change nothing"},
	{"remove", OPTION_FLAG, AT(remove), "", "take the hooks out again"},
	{"help", OPTION_HELP, 0, "", "print this"},
};

static const struct exit_row exits[] = {{0, "done, or there was nothing to do"},
		{1, "a client's settings could not be changed"}, {EXIT_USAGE, "usage"},
		{EXIT_INTERNAL, "internal error"}};

static const struct example_row examples[] = {
	{"caisson init", "Every client that has been used here is set up to ask caisson first."},
	{"caisson init --client claude-code --dry-run",
			"The lines that would come into ~/.claude/settings.json."},
	{"caisson init --client gemini --project", "Only this project, through its .gemini/settings.json."},
	{"caisson init --remove", "All files are what they were."},
};

struct init_job {
	struct arena a;
	struct init_options o;
	struct init_request rq;
	struct buf out;
	size_t done, failed;
};

static void tell_change(struct init_job *j, const struct init_row *row, struct str path, const char *what)
{
	buf_fmt(&j->out, "%s: ", row->name);
	put_visible(&j->out, path);
	buf_fmt(&j->out, ": %s\n", what);
}

static void note_failure(struct init_job *j, const struct init_row *row, const struct err *e)
{
	output_write(buf_view(&j->out), 0); /* flush first, so that both streams stay in order */
	j->out.n = 0;
	output_error("init: %s: %s", row->name, e->text);
	j->failed++;
}

static void handle(struct init_job *j, const struct init_row *row)
{
	struct init_change c;
	struct err e = {0};

	if (init_plan(&j->a, &j->rq, row, &c, &e) != 0) {
		note_failure(j, row, &e);
		return;
	}
	j->done++;
	if (!init_changes(&c)) {
		tell_change(j, row, c.path,
			j->rq.remove ? "there is nothing of caisson" : "all is there already");
		return;
	}
	if (j->o.dry_run) {
		show_change(&j->a, &j->out, &c);
		return;
	}
	if (init_apply(&j->a, &j->rq, &c, &e) != 0) {
		note_failure(j, row, &e);
		return;
	}
	tell_change(j, row, c.path, c.gone ? "removed, since nothing else was in it" : j->rq.remove ?
			"the hooks are taken out" : c.exists ? "the hooks are put in" : "made");
	if (!str_eq(c.real, c.path))
		buf_fmt(&j->out, "  it is a link; what was changed is %.*s\n", STR_ARG(c.real));
	if (!j->rq.remove && row->afterwards[0])
		buf_fmt(&j->out, "  %s\n", row->afterwards);
}

/* Warns about a program that the agent can write: it guards nothing. */
static void warn_program(struct init_job *j)
{
	struct path_memo *m = arena_new(&j->a, struct path_memo);
	struct path_answer at;

	path_memo_init(m, &j->a, STR(""));
	path_look(m, j->rq.program.path, &at);
	if (path_inside(j->rq.program.path, j->rq.project) || at.shared)
		buf_fmt(&j->out,
				"warning: %.*s lies where an agent could replace it; install caisson first "
				"(make install)\n", STR_ARG(j->rq.program.path));
}

/*
 * Handles all files of a client. Removal runs in reverse order of creation, so that directories are empty
 * when their turn comes.
 */
static void handle_client(struct init_job *j, const struct init_row *row)
{
	const struct init_row *more = init_at((size_t)(row - init_at(0)) + 1);

	if (more && !more->rules)
		more = NULL;
	if (more && j->rq.remove)
		handle(j, more);
	handle(j, row);
	if (more && !j->rq.remove)
		handle(j, more);
}

static void handle_all(struct init_job *j)
{
	for (const struct texts *t = j->o.client.first; t; t = t->next)
		handle_client(j, init_find(t->text));
	for (size_t i = 0; !j->o.client.n && init_at(i); i++)
		if (!init_at(i)->rules && init_present(&j->a, &j->rq, init_at(i)))
			handle_client(j, init_at(i));
	if (!j->done && !j->failed && j->rq.remove)
		buf_fmt(&j->out, "no client is set up %s: there is nothing to take out\n",
				j->rq.scope == INIT_PROJECT ? "in this project" : "for this user");
	else if (!j->done && !j->failed)
		buf_fmt(&j->out, "no client is set up %s: name one with --client (%.*s)\n",
				j->rq.scope == INIT_PROJECT ? "in this project" : "for this user",
				STR_ARG(init_names(&j->a)));
	else if (!j->rq.remove && !j->o.dry_run && j->done && !j->failed)
		buf_c(&j->out, "To see that it works: caisson doctor --client\n");
}

static int init_job_run(void *arg)
{
	struct init_job *j = arg;
	const struct state_env env = state_env();
	struct state_paths paths;
	struct view v;
	struct err e = {0};

	if (!j->o.dry_run && person_check(&j->a, 0, &e) != 0) {
		output_error("init: %s", e.text);
		return 1;
	}
	buf_init(&j->out, &j->a, 0);
	world_view(&j->a, context_or_own(NULL), NULL, &v);
	state_paths(&j->a, &env, v.home, v.project, &paths);
	j->rq = (struct init_request){.scope = j->o.project ? INIT_PROJECT : INIT_USER, .remove = j->o.remove,
			.home = v.home, .project = v.project, .state = paths.state_dir, .uid = v.uid};
	if (init_self(&j->a, &j->rq.program.path, &e) != 0) {
		output_error("init: %s", e.text);
		return EXIT_INTERNAL;
	}
	j->rq.program.timeout = init_timeout(&j->a, getenv("PATH"));
	if (!j->rq.remove)
		warn_program(j);
	handle_all(j);
	return output_write(buf_view(&j->out), j->failed ? 1 : 0);
}

int client_unknown(const struct command_row *c, const char *name)
{
	struct arena a;
	struct near guess = {.word = str_of(name)};

	arena_init(&a, ARENA_CAP_DEFAULT);
	for (size_t i = 0; init_at(i); i++)
		near_try(&guess, init_at(i)->name);
	output_error("%s: unknown client '%.100s'%s; the clients are %.*s", c->name, name,
			near_text(&a, &guess, ""), STR_ARG(init_names(&a)));
	arena_free(&a);
	return EXIT_USAGE;
}

static int run_init(const struct command_row *self, int argc, char **argv)
{
	struct init_job j = {0};
	int code, first = options_take(self, argc, argv, &j.o, &code);

	if (first < 0)
		return code;
	if (first < argc)
		return usage_wrong(self, "no operands are expected; clients are named with --client");
	if (j.o.user && j.o.project)
		return usage_wrong(self, "--user and --project exclude each other");
	for (const struct texts *t = j.o.client.first; t; t = t->next)
		if (!init_find(t->text))
			return client_unknown(self, t->text.p);
	return with_arena(&j.a, init_job_run, &j);
}

const struct command_row command_init = {
	.name = "init",
	.synopsis = "[--client CLIENT]... [--user | --project] [--dry-run]\n"
		    "--remove [--client CLIENT]... [--user | --project] [--dry-run]",
	.summary = "put caisson's hooks into the settings of agent clients, or take them out",
	.about = "Clients: claude-code, codex, gemini, qwen, copilot, opencode, cursor, windsurf. Without "
			"--client those whose configuration directory exists. docs/clients.md says for "
			"each "
		 "what is enforced then, and what is not.\n\n"
		 "The hooks run caisson hook by the absolute path of the program that runs init, and stand "
		 "first. Where a client can be told what a hook that fails means, it "
		 "means no. Everything else in the file stays as it is, to the byte; running init again "
		 "changes nothing; --remove gives back the bytes that were there "
		 "before, and removes a file that init has made. A file that is not what its client reads "
		 "is refused with line and column, and not touched. The new file takes the "
		 "place of the old one at once, with its mode and owner. A link is followed, but not out of "
		 "a project.\n\n"
		 "Hooks of a project are found by everybody who works on it, also by those who have no "
		 "caisson at that place; --user is meant for yourself.",
	.options = options,
	.noptions = ARRAY_SIZE(options),
	.exits = exits,
	.nexits = ARRAY_SIZE(exits),
	.examples = examples,
	.nexamples = ARRAY_SIZE(examples),
	.run = run_init,
};
