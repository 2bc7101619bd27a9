/* caisson doctor: reports what this host can enforce, and how to get the missing parts. */
#define _GNU_SOURCE
#include <stddef.h>
#include <unistd.h>

#include "base/wrap.h"
#include "cli/cli.h"
#include "cli/doc.h"
#include "cli/doctor_client.h"
#include "client/init_hooks.h"
#include "self/doctor.h"

#define NARROW 60 /* below this width, texts have lines of their own */
#define NARROW_AT 6
#define TITLE_COLUMN 19
#define STATE_COLUMN 7
#define TEXT_AT (2 + TITLE_COLUMN + 1 + STATE_COLUMN + 1)
#define DOCTOR_WORDS_MAX 64
#define WIDTH_MIN 36
#define WIDTH_MAX 80 /* wider terminals get no longer lines: the text reads better */

struct doctor_options {
	bool json, client;
	const char *config;
};

#define AT(field) offsetof(struct doctor_options, field)
static const struct option_row options[] = {
	{"json", OPTION_FLAG, AT(json), "", "print the rows as one JSON object"},
	OPTION_CONFIG_ROW,
	{"client", OPTION_FLAG, AT(client), "",
			"look at the hooks of the agent clients that are named, or of all that are used "
			"here"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
	{0, "boxes run here with every protection; with --client: the hooks work"},
	{1, "boxes run with fallbacks; with --client: the hooks deny, but there are warnings"},
	{2, "no box can run here, or nothing can be recorded; with --client: a client is not guarded"},
	{EXIT_USAGE, "usage"},
	{EXIT_INTERNAL, "internal error"},
};

static const struct example_row examples[] = {
	{"caisson doctor",
			"Shows what enforces each limit on this machine, and how to get what is missing."},
	{"caisson doctor --client claude-code",
			"Checks that Claude Code is guarded: a command that must be denied is denied."},
	{"caisson doctor --json | jq '.rows[] | select(.state != \"yes\")'", "Lists only what is missing."},
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
		size_t end = str_end(text, ' ', i);
		struct str word = str_sub(text, i, end);

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
	if (width >= NARROW) {
		buf_char(b, ' ');
		put_words(b, p->by, TEXT_AT, width);
		return;
	}
	buf_fmt(b, "\n%*s", NARROW_AT, "");
	put_words(b, p->by, NARROW_AT, width);
}

#define TODO_AT 4
#define COMMENT "   # "

/* Prints a command without wrapping, so that it can be copied. A comment that does not fit goes before it. */
static void put_command(struct buf *b, struct str text, size_t width)
{
	const char *comment = memmem(text.p, text.n, COMMENT, sizeof(COMMENT) - 1);
	size_t end = comment && TODO_AT + text.n > width ? (size_t)(comment - text.p) : text.n;

	if (end < text.n) {
		buf_fmt(b, "%*s", TODO_AT, "");
		put_words(b, str_trim(str_from(text, end), " "), TODO_AT + 2, width);
	}
	buf_fmt(b, "%*s", TODO_AT, "");
	put_visible(b, str_sub(text, 0, end));
	buf_char(b, '\n');
}

static void put_todo(struct buf *b, const struct doctor *d, size_t width)
{
	bool any = false;

	for (const struct probe *p = d->rows.first; p; p = p->next) {
		if (!p->todo)
			continue;
		buf_fmt(b, "%s\n  %s\n", any ? "" : "\nTo get what is missing:\n", p->title);
		any = true;
		for (const struct texts *t = p->todo; t; t = t->next) {
			if (str_starts(t->text, "#")) {
				buf_fmt(b, "%*s", TODO_AT, "");
				put_words(b, t->text, TODO_AT + 2, width);
			} else {
				put_command(b, t->text, width);
			}
		}
	}
}

static void put_end(struct buf *b, const struct doctor *d, bool colour, size_t width)
{
	static const char ends[][80] = {
		"Boxes run here with every protection.",
		"Boxes run here, with the fallbacks listed above.",
		"No box can run here, so commands that need one do not run at all.",
		"Every command is denied until the policy and the state directory work.",
	};
	static const char tints[][8] = {"\033[32m", "\033[33m", "\033[31m", "\033[31m"};

	buf_fmt(b, "\n%s", colour ? tints[d->end] : "");
	buf_wrapped(b, ends[d->end], 0, 0, width);
	buf_c(b, colour ? "\033[0m" : "");
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
		put_words(&b, str_fmt(&j->a, "Protections on this machine for %s:",
				geteuid() ? "this user" : "root"), 0, width);
		buf_char(&b, '\n');
		for (const struct probe *p = d.rows.first; p; p = p->next)
			put_row(&b, p, colour, width);
		doctor_backends_text(&b, &d, width);
		put_todo(&b, &d, width);
		put_end(&b, &d, colour, width);
	}
	return output_write(buf_view(&b), (int)(d.end == DOCTOR_DENIES ? DOCTOR_NONE : d.end));
}

static int look_clients(void *arg)
{
	struct doctor_job *j = arg;

	return doctor_clients(&j->a, j->names, j->nnames, j->o->json);
}

/* Splits `--client=NAME` into the option and a name after all others, so that both spellings work. */
static int split_client(int argc, char **argv, char **ret)
{
	static const char option[] = "--client=";
	const size_t n = sizeof(option) - 1;
	char *name = NULL;
	int many = argc;

	for (int i = 0; i < argc; i++) {
		bool split = i && !strncmp(argv[i], option, n);

		name = split ? argv[i] + n : name;
		ret[i] = split ? "--client" : argv[i];
	}
	if (name)
		ret[many++] = name;
	return many;
}

static int look(const struct command_row *self, int argc, char **argv)
{
	struct doctor_options o = {0};
	struct doctor_job j = {.o = &o};
	int code, first = options_take(self, argc, argv, &o, &code);

	if (first < 0)
		return code;
	if (first < argc && !o.client)
		return usage_extra(self, argv + first, 0, "");
	if (o.client && o.config)
		return usage_wrong(self, "--config does not apply to --client");
	for (int i = first; i < argc; i++)
		if (!init_find(str_of(argv[i])))
			return client_unknown(self, argv[i]);
	j.names = argv + first;
	j.nnames = (size_t)(argc - first);
	return with_arena(&j.a, o.client ? look_clients : print_host, &j);
}

static int run_doctor(const struct command_row *self, int argc, char **argv)
{
	char *words[DOCTOR_WORDS_MAX + 1];

	if (argc > DOCTOR_WORDS_MAX)
		return usage_wrong(self, "too many arguments");
	return look(self, split_client(argc, argv, words), words);
}

const struct command_row command_doctor = {
	.name = "doctor",
	.synopsis = "[--json] [--config FILE]\n"
		    "--client [--json] [CLIENT]...",
	.summary = "check what this machine can enforce, and how to get the rest",
	.about = "Tries everything a box needs, in separate processes, and cleans up: namespaces, mounts, "
			"/proc, the system call filter, Landlock, control groups; then the policy, the state "
			"directory and the record, with a real write; finally a box. Each row says what "
			"enforces a protection, or why it is missing; the fixes follow. A table lists the "
			"backends: what enforces each limit of their boxes, or what this machine lacks for "
			"them.\n\nA box without a control group still runs: caisson watches the memory, and "
			"the user namespace limits processes. Reports of caisson run name what enforced each "
			"limit, and caisson run --require cgroup refuses instead.\n\nWith --client it checks "
			"the hooks of agent clients: are they set up, does their program exist, do failing "
			"hooks deny, are hooks switched off or preceded by other hooks, does Codex trust "
			"them, and do contained commands leave the client's own sandbox. Then it runs the "
			"hook as the client would, with a command that is always denied and with one that "
			"does nothing; neither is recorded. The last lines say what the client cannot "
			"enforce.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_doctor,
};
