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
			"set up this client, even if it was never used here; may be repeated"},
	{"user", OPTION_FLAG, AT(user), "", "change your own settings, for all your projects (default)"},
	{"project", OPTION_FLAG, AT(project), "", "change the settings of this project, for everyone who "
			"works on it"},
	{"dry-run", OPTION_FLAG, AT(dry_run), "", "show the change as a diff and write nothing"},
	{"remove", OPTION_FLAG, AT(remove), "", "remove the hooks"},
	{"help", OPTION_HELP, 0, "", "print this"},
};

static const struct exit_row exits[] = {{0, "done, or nothing to do"},
		{1, "a client's settings could not be changed"}, {EXIT_USAGE, "usage"},
		{EXIT_INTERNAL, "internal error"}};

static const struct example_row examples[] = {
	{"caisson init", "Sets up every agent client that was used here to ask caisson first."},
	{"caisson init --client claude-code --dry-run",
			"Shows the lines that would be added to ~/.claude/settings.json."},
	{"caisson init --client gemini --project", "Sets up this project only, through its "
			".gemini/settings.json."},
	{"caisson init --remove", "Restores all files as they were."},
};

struct init_job {
	struct arena a;
	struct init_options o;
	struct init_request rq;
	const char *policy; /* path of the user's policy file */
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
			j->rq.remove ? "no hooks of caisson" : "already set up");
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
	tell_change(j, row, c.path, c.gone ? "file removed (it was empty without the hooks)" : j->rq.remove ?
			"hooks removed" : c.exists ? "hooks installed" : "made");
	if (!str_eq(c.real, c.path))
		buf_fmt(&j->out, "  it is a link; the file changed is %.*s\n", STR_ARG(c.real));
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
				"warning: an agent could replace %.*s; install caisson first (make "
				"install)\n", STR_ARG(j->rq.program.path));
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
		buf_fmt(&j->out, "no client is set up %s: nothing to remove\n",
				j->rq.scope == INIT_PROJECT ? "in this project" : "for this user");
	else if (!j->done && !j->failed)
		buf_fmt(&j->out, "found no client %s: name one with --client (%.*s)\n",
				j->rq.scope == INIT_PROJECT ? "in this project" : "for this user",
				STR_ARG(init_names(&j->a)));
	else if (!j->rq.remove && !j->o.dry_run && j->done && !j->failed) {
		buf_c(&j->out, "To check that it works: caisson doctor --client\n");
		if (j->rq.scope == INIT_USER && access(j->policy, F_OK) != 0)
			buf_c(&j->out, "To start your own policy, as a commented file: caisson config "
					"init\n");
	}
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
	j->policy = str_c(&j->a, paths.user_policy);
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
		return usage_wrong(self, "unexpected argument; name clients with --client");
	if (j.o.user && j.o.project)
		return usage_wrong(self, "use either --user or --project, not both");
	for (const struct texts *t = j.o.client.first; t; t = t->next)
		if (!init_find(t->text))
			return client_unknown(self, t->text.p);
	return with_arena(&j.a, init_job_run, &j);
}

const struct command_row command_init = {
	.name = "init",
	.synopsis = "[--client CLIENT]... [--user | --project] [--dry-run]\n"
		    "--remove [--client CLIENT]... [--user | --project] [--dry-run]",
	.summary = "install hooks into agent clients, or remove them",
	.about = "Clients: claude-code, codex, gemini, qwen, copilot, opencode, cursor, windsurf. Without "
			"--client, caisson sets up every client whose configuration directory exists. "
			"caisson help clients says what each client enforces and what it does "
			"not.\n\nThe hooks "
			"run caisson hook by the absolute path of this program, before other hooks. If a "
			"client can be told that a failing hook denies, it is. Everything else in the file "
			"stays byte for byte as it is, and running init again changes nothing. --remove "
			"restores the earlier bytes and deletes files that init created. A file that its "
			"client cannot read is refused with line and column, and is not touched. The new "
			"file replaces the old one atomically and keeps its mode and owner. Links are "
			"followed, but not out of a project.\n\nHooks in a project apply to everyone who "
			"works on it, also to people without caisson at that path; --user is for yourself "
			"alone.",
	.options = options,
	.noptions = ARRAY_SIZE(options),
	.exits = exits,
	.nexits = ARRAY_SIZE(exits),
	.examples = examples,
	.nexamples = ARRAY_SIZE(examples),
	.run = run_init,
};
