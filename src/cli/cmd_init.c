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
	bool project, user, dry_run, remove, json;
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
	OPTION_JSON_ROW,
	OPTION_HELP_ROW,
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
	{"caisson init --dry-run --json | jq -r '.files[].path'", "Lists the files of the clients in use."},
};

struct init_job {
	struct arena a;
	struct init_options o;
	struct init_request rq;
	const char *policy; /* path of the user's policy file */
	struct buf out;
	struct doc doc; /* only with --json */
	size_t done, failed;
};

/* The effect of init on a file: `word` for programs, `text` for people. */
struct init_effect {
	char word[8], text[48];
};

static const struct init_effect *effect_of(const struct init_job *j, const struct init_change *c)
{
	static const struct init_effect set_up = {"none", "already set up"},
		no_hooks = {"none", "no hooks of caisson"},
		deleted = {"delete", "file removed (it was empty without the hooks)"},
		removed = {"remove", "hooks removed"}, installed = {"install", "hooks installed"},
		created = {"create", "created"};

	if (!init_changes(c))
		return j->rq.remove ? &no_hooks : &set_up;
	if (c->gone)
		return &deleted;
	return j->rq.remove ? &removed : c->exists ? &installed : &created;
}

/* Appends a file to the JSON object. `c` is NULL if planning failed, `e` is NULL if nothing failed. */
static void put_file(struct init_job *j, const struct init_row *row, const struct init_change *c,
		const struct err *e)
{
	struct buf diff;
	bool changes = c && init_changes(c);

	doc_map(&j->doc, NULL);
	doc_word(&j->doc, "client", row->name);
	doc_text(&j->doc, "path", c ? c->path : init_path(&j->a, &j->rq, row));
	if (c && !str_eq(c->real, c->path))
		doc_text(&j->doc, "real_path", c->real);
	if (e)
		doc_text(&j->doc, "error", str_of(e->text));
	else
		doc_word(&j->doc, "change", effect_of(j, c)->word);
	if (changes && j->o.dry_run) {
		buf_init(&diff, &j->a, 0);
		change_diff(&diff, c);
		doc_text(&j->doc, "diff", buf_view(&diff));
	}
	doc_end(&j->doc);
}

static void tell_file(struct init_job *j, const struct init_row *row, const struct init_change *c)
{
	if (init_changes(c) && j->o.dry_run) {
		show_change(&j->a, &j->out, c);
		return;
	}
	buf_fmt(&j->out, "%s: ", row->name);
	put_visible(&j->out, c->path);
	buf_fmt(&j->out, ": %s\n", effect_of(j, c)->text);
	if (!init_changes(c))
		return;
	if (!str_eq(c->real, c->path))
		buf_fmt(&j->out, "  it is a link; the file changed is %.*s\n", STR_ARG(c->real));
	if (!j->rq.remove && row->afterwards[0])
		buf_fmt(&j->out, "  %s\n", row->afterwards);
}

static void tell_failure(struct init_job *j, const struct init_row *row, const struct err *e)
{
	if (!j->o.json) {
		output_write(buf_view(&j->out), 0); /* flush first, so that both streams stay in order */
		j->out.n = 0;
	}
	output_error("init: %s: %s", row->name, e->text);
}

static void handle(struct init_job *j, const struct init_row *row)
{
	struct init_change c;
	struct err e = {0};
	bool planned = init_plan(&j->a, &j->rq, row, &c, &e) == 0, failed = !planned;

	if (planned && init_changes(&c) && !j->o.dry_run)
		failed = init_apply(&j->a, &j->rq, &c, &e) != 0;
	j->done += planned;
	j->failed += failed;
	if (j->o.json)
		put_file(j, row, planned ? &c : NULL, failed ? &e : NULL);
	if (failed)
		tell_failure(j, row, &e);
	else if (!j->o.json)
		tell_file(j, row, &c);
}

/* Warns about a program that the agent can write: it guards nothing. */
static void warn_program(struct init_job *j)
{
	struct path_memo *m = arena_new(&j->a, struct path_memo);
	struct path_answer at;
	struct str text = str_fmt(&j->a, "an agent could replace %.*s; install caisson first (make install)",
			STR_ARG(j->rq.program.path));

	path_memo_init(m, &j->a, STR(""));
	path_look(m, j->rq.program.path, &at);
	if (!path_inside(j->rq.program.path, j->rq.project) && !at.shared)
		return;
	if (j->o.json)
		doc_text(&j->doc, "warning", text);
	else
		buf_fmt(&j->out, "warning: %.*s\n", STR_ARG(text));
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
}

/* For people: what to do next, or why nothing happened. */
static void tell_next(struct init_job *j)
{
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

static void start_json(struct init_job *j)
{
	doc_start(&j->doc, &j->out, true);
	doc_number(&j->doc, "v", 1);
	doc_word(&j->doc, "scope", j->rq.scope == INIT_PROJECT ? "project" : "user");
	doc_bool(&j->doc, "dry_run", j->o.dry_run);
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
	if (j->o.json)
		start_json(j);
	if (!j->rq.remove)
		warn_program(j);
	if (j->o.json)
		doc_list(&j->doc, "files");
	handle_all(j);
	if (j->o.json) {
		doc_end(&j->doc);
		doc_finish(&j->doc);
	} else {
		tell_next(j);
	}
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
	.synopsis = "[--client CLIENT]... [--user | --project] [--dry-run] [--json]\n"
		    "--remove [--client CLIENT]... [--user | --project] [--dry-run] [--json]",
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
			"alone.\n\n"
			"--json lists the files. The change of each is one of none, create, install, remove "
			"and delete; error says why a file could not be changed. With --dry-run, a "
			"change has its diff.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_init,
};
