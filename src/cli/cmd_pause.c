/*
 * caisson pause: for a short time, hooks neither ask nor contain. It exists so that nobody has to uninstall
 * caisson to get something done. A person starts it at a terminal, the record shows it, and it expires.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <time.h>

#include "base/num.h"
#include "cli/change.h"
#include "cli/cli.h"
#include "cli/doc.h"
#include "client/person.h"
#include "judge/engine.h"
#include "judge/pause.h"
#include "judge/world.h"

struct pause_options {
	bool project, end, json;
	const char *length;
};

#define AT(field) offsetof(struct pause_options, field)
static const struct option_row options[] = {
	{"for", OPTION_VALUE, AT(length), "TIME",
			"start or extend a pause: 90s, 10m, at most 1h; a plain number is minutes"},
	{"project", OPTION_FLAG, AT(project), "", "pause in this project only"},
	{"end", OPTION_FLAG, AT(end), "", "end the pause now"},
	{"json", OPTION_FLAG, AT(json), "", "print the state as one JSON object; not with --for"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
	{0, "done; without options: caisson is paused"},
	{1, "nothing was changed; without options: caisson is not paused"}, {EXIT_USAGE, "usage"},
	{EXIT_INTERNAL, "internal error"},
};

static const struct example_row examples[] = {
	{"caisson pause --for 10m",
			"For ten minutes caisson neither asks nor contains; denials stay."},
	{"caisson pause", "Says if caisson is paused, and until when."},
	{"caisson pause --end", "caisson guards again."},
	{"caisson pause --json | jq .left_s", "Prints how many seconds of the pause are left."},
};

struct pause_job {
	struct arena a;
	struct pause_options o;
	int64_t seconds;
	struct policies policies;
	struct view v;
	struct buf out;
};

static int report_failure(const struct err *e)
{
	output_error("pause: %s", e->text);
	return e->kind == ERR_SYSTEM || e->kind == ERR_INTERNAL ? EXIT_INTERNAL : 1;
}

/* Parses a duration: 90s, 10m, 1h; a plain number is minutes. */
static int read_length(struct str text, int64_t *ret)
{
	int64_t unit = 60, n;

	if (text.n && strchr("smh", text.p[text.n - 1])) {
		unit = text.p[text.n - 1] == 's' ? 1 : text.p[text.n - 1] == 'm' ? 60 : 3600;
		text.n--;
	}
	if (num_parse(text, 1, PAUSE_MAX_S, &n) != 0 || n * unit > PAUSE_MAX_S)
		return -1;
	*ret = n * unit;
	return 0;
}

static int start_pause(struct pause_job *j)
{
	struct str project = j->o.project ? j->v.project : STR("");
	bool minutes = j->seconds >= 120 && j->seconds % 60 == 0;
	struct pause p;
	struct err e = {0};

	if (person_check(&j->a, PERSON_TERMINAL, &e) != 0) {
		output_error("pause: %s", e.text);
		return 1;
	}
	if (j->policies.own.no_lifting) {
		output_error("pause: the system's policy forbids it (forbid_lifting)");
		return 1;
	}
	if (j->o.project && !project.n) {
		output_error("pause: this directory is not in a project");
		return 1;
	}
	buf_fmt(&j->out,
			"Pause for %lld %s: hooks will neither ask nor contain, in %s%.*s.\nSuch commands "
			"will run OUTSIDE the box, with your rights. Denials stay.\nThe pause is recorded "
			"and ends automatically.\n",
		(long long)(minutes ? j->seconds / 60 : j->seconds), minutes ? "minutes" : "seconds",
		j->o.project ? "" : "any project", STR_ARG(project));
	if (!person_types(&j->out, "\nType yes to pause: ", "yes")) {
		output_error("pause: the answer was not yes; nothing was changed");
		return 1;
	}
	if (record_deed(&j->a, &j->v, &j->policies, str_fmt(&j->a, "caisson pause --for %s%s", j->o.length,
			j->o.project ? " --project" : ""),
		str_fmt(&j->a, "a person paused caisson for %lld seconds%s%.*s", (long long)j->seconds,
		project.n ? " in " : "", STR_ARG(project)), &e) != 0 ||
		pause_start(&j->a, &j->v, project, j->seconds, &p, &e) != 0)
		return report_failure(&e);
	buf_fmt(&j->out, "caisson is paused until %.*s; caisson pause --end ends it\n", STR_ARG(p.until));
	return output_write(buf_view(&j->out), 0);
}

/* The end of a pause in UTC, by the wall clock: for readers only, the pause itself ends by another clock. */
static struct str end_time(struct arena *a, const struct pause *p)
{
	time_t end = time(NULL) + (time_t)p->left_s;
	char text[24];
	struct tm tm;

	return gmtime_r(&end, &tm) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm)
		? str_dup(a, str_of(text))
		: STR("");
}

/* Prints the state as JSON; `was` tells if --end ended a pause, and is NULL without --end. */
static int print_json(struct pause_job *j, const struct pause *p, const bool *was, int code)
{
	struct doc o;

	doc_start(&o, &j->out, true);
	doc_number(&o, "v", 1);
	doc_bool(&o, "paused", p->on);
	if (was)
		doc_bool(&o, "ended", *was);
	if (p->on) {
		doc_text(&o, "until", end_time(&j->a, p));
		doc_number(&o, "left_s", (uint64_t)p->left_s);
		doc_text(&o, "project", p->project);
	}
	doc_finish(&o);
	return output_write(buf_view(&j->out), code);
}

static int end_pause(struct pause_job *j)
{
	bool was;
	struct err e = {0};

	if (pause_end(&j->a, &j->v, &was, &e) != 0)
		return report_failure(&e);
	if (was && record_deed(&j->a, &j->v, &j->policies, STR("caisson pause --end"),
			STR("the pause was ended"), &e) != 0)
		return report_failure(&e);
	if (j->o.json)
		return print_json(j, &(struct pause){0}, &was, 0);
	return output_write(was ? STR("caisson guards again\n") : STR("caisson was not paused\n"), 0);
}

static int status(struct pause_job *j)
{
	struct pause p;

	pause_look(&j->a, &j->v, &p);
	p.on = p.on && !j->policies.own.no_lifting;
	if (j->o.json)
		return print_json(j, &p, NULL, p.on ? 0 : 1);
	if (!p.on)
		return output_write(STR("caisson is not paused\n"), 1);
	buf_fmt(&j->out, "caisson is paused until %.*s", STR_ARG(p.until));
	if (p.project.n) {
		buf_c(&j->out, " in ");
		put_visible(&j->out, p.project);
	}
	buf_char(&j->out, '\n');
	return output_write(buf_view(&j->out), 0);
}

static int pause_job_run(void *arg)
{
	struct pause_job *j = arg;
	struct err e = {0};

	buf_init(&j->out, &j->a, 0);
	if (policies_load(&j->a, &(struct policies_request){0}, &j->policies, &e) != 0) {
		if (j->o.length)
			return report_failure(&e);
		policies_default(&j->policies); /* hooks deny everything then, but a pause can be ended */
	}
	world_view(&j->a, context_or_own(NULL), &j->policies.own, &j->v);
	return j->o.length ? start_pause(j) : j->o.end ? end_pause(j) : status(j);
}

static int run_pause(const struct command_row *self, int argc, char **argv)
{
	struct pause_job j = {0};
	int code;

	if (!options_only(self, argc, argv, &j.o, &code))
		return code;
	if (j.o.end && (j.o.length || j.o.project))
		return usage_wrong(self, "--end takes no other option");
	if (j.o.json && j.o.length)
		return usage_wrong(self, "--for asks a person, so it takes no --json");
	if (j.o.project && !j.o.length)
		return usage_wrong(self, "--project needs --for");
	if (j.o.length && read_length(str_of(j.o.length), &j.seconds) != 0)
		return usage_wrong(self, "--for takes a time such as 90s or 10m, at most 1h; a plain number "
				"is minutes");
	return with_arena(&j.a, pause_job_run, &j);
}

const struct command_row command_pause = {
	.name = "pause",
	.synopsis = "[--json]\n"
		    "--for TIME [--project]\n"
		    "--end [--json]",
	.summary = "stop asking and containing for a short time",
	.about = "While caisson is paused, hooks let commands through that they would otherwise ask about or "
			"contain. These commands run outside the box, with your rights, and only the client "
			"itself may still ask. Denials by checks and by your rules stay, and commands that "
			"could not be read completely stay in the box. The model is told. The record notes "
			"the mode paused. caisson run and caisson mcp are not affected.\n\nA pause ends at "
			"its time, after an hour at most, at the next boot, or with --end. Starting one "
			"needs a person: it must be run in a terminal, outside sandboxes, not below an agent "
			"client, and without the environment variables by which agents mark their commands. "
			"A fixed check denies it to agents. The system's policy can forbid pauses "
			"(forbid_lifting).\n\nWithout options this command says if caisson is paused.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_pause,
};
