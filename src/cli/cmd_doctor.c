/* caisson doctor: reports what this host can enforce, and how to get the missing parts. */
#define _GNU_SOURCE
#include <stddef.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/doc.h"
#include "cli/doctor_client.h"
#include "client/init_hooks.h"
#include "self/doctor.h"

#define TITLE_COLUMN 19
#define STATE_COLUMN 7
#define TEXT_AT (2 + TITLE_COLUMN + 1 + STATE_COLUMN + 1)
#define WIDTH_MIN 60
#define WIDTH_MAX 80 /* wider terminals get no longer lines: the text reads better */

struct doctor_options {
	bool json, client;
	const char *config;
};

#define AT(field) offsetof(struct doctor_options, field)
static const struct option_row options[] = {
	{"json", OPTION_FLAG, AT(json), "", "print the rows as one JSON object"},
	{"config", OPTION_VALUE, AT(config), "FILE", "look at this policy file in place of the user's"},
	{"client", OPTION_FLAG, AT(client), "",
			"look at the hooks of the agent clients that are named, or of all that are used "
			"here"},
	{"help", OPTION_HELP, 0, "", "print this"},
};

static const struct exit_row exits[] = {
	{0, "a box runs here with everything on; the hooks are live"},
	{1, "boxes run, the hooks deny, and something is missing"},
	{2, "no box can run here; a client is not guarded"}, {EXIT_USAGE, "usage"},
	{EXIT_INTERNAL, "internal error"},
};

static const struct example_row examples[] = {
	{"caisson doctor",
			"What enforces each wall and each limit here, and what to do about what is missing."},
	{"caisson doctor --client claude-code",
			"Whether Claude Code is guarded: the hook is fed a command that must be denied."},
	{"caisson doctor --json | jq '.rows[] | select(.state != \"yes\")'", "Only what is missing."},
};

struct doctor_job {
	const struct doctor_options *o;
	char *const *names; /* names of clients */
	size_t nnames;
	struct arena a;
};

/* ---- for people ---- */

static void tinted(struct buf *b, bool colour, const char *code, const char *text, int width)
{
	buf_fmt(b, "%s%-*s%s", colour ? code : "", width, text, colour ? "\033[0m" : "");
}

/*
 * Wraps words at `width`; each line but the first starts at column `at`. An overlong word gets its own line.
 */
static void put_words(struct buf *b, struct str text, size_t at, size_t width)
{
	size_t column = at;

	for (size_t i = 0; i < text.n;) {
		ptrdiff_t end = str_find(text, ' ', i);
		struct str word = str_sub(text, i, end < 0 ? text.n : (size_t)end);

		if (column > at && column + 1 + word.n > width) {
			buf_fmt(b, "\n%*s", (int)at, "");
			column = at;
		} else if (column > at) {
			buf_char(b, ' ');
			column++;
		}
		put_visible(b, word);
		column += word.n;
		i += word.n + 1;
	}
	buf_char(b, '\n');
}

static void put_row(struct buf *b, const struct probe *p, bool colour, size_t width)
{
	static const char *const states[] = {"no", "partly", "yes"},
			*const tints[] = {"\033[31m", "\033[33m", "\033[32m"};
	bool quiet = p->weight == PROBE_EXTRA && p->state == PROBE_NO;

	buf_fmt(b, "  %-*s ", TITLE_COLUMN, p->title);
	tinted(b, colour && !quiet, tints[p->state], states[p->state], STATE_COLUMN);
	buf_char(b, ' ');
	put_words(b, p->by, TEXT_AT, width);
}

/* Prints commands without wrapping, so that they can be copied. */
static void put_todo(struct buf *b, const struct doctor *d)
{
	bool any = false;

	for (const struct probe *p = d->rows.first; p; p = p->next) {
		if (!p->todo)
			continue;
		buf_fmt(b, "%s\n  %s\n", any ? "" : "\nTo get what is missing:\n", p->title);
		any = true;
		for (const struct texts *t = p->todo; t; t = t->next) {
			buf_c(b, "    ");
			if (str_starts(t->text, "#"))
				put_words(b, t->text, 6, WIDTH_MAX);
			else {
				put_visible(b, t->text);
				buf_char(b, '\n');
			}
		}
	}
}

static void put_end(struct buf *b, const struct doctor *d, bool colour)
{
	static const char ends[][64] = {
		"A box runs here with everything on.",
		"Boxes run here; what is not \"yes\" above falls back as it says.",
		"No box can run here. Nothing is ever run without one instead.",
	};
	static const char tints[][8] = {"\033[32m", "\033[33m", "\033[31m"};

	buf_char(b, '\n');
	tinted(b, colour, tints[d->end], ends[d->end], 0);
	buf_c(b, "\n");
}

static int print_host(void *arg)
{
	struct doctor_job *j = arg;
	bool colour = terminal_colour(STDOUT_FILENO);
	size_t width = terminal_width(STDOUT_FILENO);
	struct doctor d;
	struct buf b;

	width = width < WIDTH_MIN ? WIDTH_MIN : width > WIDTH_MAX ? WIDTH_MAX : width;
	doctor_look(&j->a, j->o->config, &d);
	buf_init(&b, &j->a, 0);
	if (j->o->json) {
		doctor_json(&b, &d);
	} else {
		buf_fmt(&b, "What this host can enforce for %s:\n\n", geteuid() ? "this user" : "root");
		for (const struct probe *p = d.rows.first; p; p = p->next)
			put_row(&b, p, colour, width);
		doctor_backends_text(&b, &d);
		put_todo(&b, &d);
		put_end(&b, &d, colour);
	}
	return output_write(buf_view(&b), (int)d.end);
}

static int look_clients(void *arg)
{
	struct doctor_job *j = arg;

	return doctor_clients(&j->a, j->names, j->nnames, j->o->json);
}

static int run_doctor(const struct command_row *self, int argc, char **argv)
{
	struct doctor_options o = {0};
	struct doctor_job j = {.o = &o};
	int code, first = options_take(self, argc, argv, &o, &code);

	if (first < 0)
		return code;
	if (first < argc && !o.client)
		return usage_wrong(self, "no operands are expected");
	if (o.client && o.config)
		return usage_wrong(self, "--config says nothing about clients");
	for (int i = first; i < argc; i++)
		if (!init_find(str_of(argv[i])))
			return client_unknown(self, argv[i]);
	j.names = argv + first;
	j.nnames = (size_t)(argc - first);
	return with_arena(&j.a, o.client ? look_clients : print_host, &j);
}

const struct command_row command_doctor = {
	.name = "doctor",
	.synopsis = "[--json] [--config FILE]\n"
		    "--client [--json] [CLIENT]...",
	.summary = "say what this host can enforce, and how to get what is missing",
	.about = "Tries everything a box needs, in processes of its own, and cleans up: namespaces, mounts, "
			"/proc, the system call filter, Landlock, control groups; "
		 "then the policy and the state directory, and at last a box itself. Each row says what "
		 "enforces the thing, or why it is missing; below stands "
		 "what to do about it. A table has the backends: who enforces each limit of a box of theirs, "
		 "or what this host lacks for it.\n\n"
		 "A box without a control group still runs: memory is watched from outside, processes are "
		 "limited by the user namespace. Reports of caisson run name what "
		 "enforced each limit, and caisson run --require cgroup refuses instead.\n\n"
		 "With --client it is about the hooks of agent clients: whether they are set up, whether "
		 "the program they run is there, whether the client means no when a hook "
		 "fails, whether hooks are switched off or other hooks stand before, whether Codex's person "
		 "has trusted them, and whether contained commands leave the client's own "
		 "sandbox. Then the hook is run as the client would run it, with a command that is always "
		 "denied, and with "
		 "one that does nothing; neither is recorded. At last stands what the client cannot enforce.",
	.options = options,
	.noptions = ARRAY_SIZE(options),
	.exits = exits,
	.nexits = ARRAY_SIZE(exits),
	.examples = examples,
	.nexamples = ARRAY_SIZE(examples),
	.run = run_doctor,
};
