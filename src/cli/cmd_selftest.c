/* caisson selftest: shows what the policy in force stops and what it allows, and that the box holds. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "gate/gate.h"
#include "self/selftest.h"
#include "self/selftest_box.h"

#define NAME_COLUMN 14
#define TITLE_COLUMN 44
#define WIDTH_FULL 100 /* narrower terminals show no titles */
#define LIST_MAX 20 /* commands listed for people */
#define WIDTH_TRIALS 80 /* the same for attempts to break out of the box */
#define WIDTH_NARROW 64 /* narrower terminals show short columns */

struct selftest_options {
	bool gate, box, json;
	const char *config, *cwd, *backend;
};

#define AT(field) offsetof(struct selftest_options, field)
static const struct option_row options[] = {
	{"gate", OPTION_FLAG, AT(gate), "",
			"judge the shipped attacks and ordinary commands by the policy in force"},
	{"box", OPTION_FLAG, AT(box), "",
			"try to break out of boxes on purpose (takes some seconds)"},
	{"backend", OPTION_VALUE, AT(backend), "BACKEND",
			"use this backend (default: the policy's, else native)"},
	{"json", OPTION_FLAG, AT(json), "", "print the result as one JSON object"},
	OPTION_CONFIG_ROW,
	{"cwd", OPTION_VALUE, AT(cwd), "DIR", "directory in which the commands would run (default: this "
			"one)"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
	{0, "no attempt was missed, and the box held"}, {1, "an attempt was missed or broke out"},
	{EXIT_USAGE, "usage"},
	{EXIT_INTERNAL, "internal error, the policy does not load, or no box can run"},
};

static const struct example_row examples[] = {
	{"caisson selftest", "Both tests."},
	{"caisson selftest --box", "Shows what stops each attempt to break out of a box on this machine."},
	{"caisson selftest --box --backend bwrap", "Does the same for boxes made by bubblewrap."},
	{"caisson selftest --gate", "Shows what your policy stops and what it interrupts, by class."},
	{"caisson selftest --gate --config strict.yaml",
			"Tests another policy before you install it."},
	{"caisson selftest --gate --json | jq '.attempts.classes[].missed[]'",
			"Lists the attempts that would run."},
};

struct selftest_job {
	struct context context;
	const struct selftest_options *o;
	struct arena a;
};

/* ---- for people ---- */

enum selftest_tint { TINT_NONE, TINT_BOLD, TINT_RED, TINT_YELLOW, TINT_GREEN };

static void tinted(struct buf *b, bool colour, enum selftest_tint t, struct str text)
{
	static const char codes[][8] = {"", "\033[1m", "\033[31m", "\033[33m", "\033[32m"};

	if (colour)
		buf_c(b, codes[t]);
	buf_str(b, text);
	if (colour && t != TINT_NONE)
		buf_c(b, "\033[0m");
}

/* Some rows contain invisible characters, or ones that move the cursor. */
static void put_command(struct buf *b, struct str command)
{
	for (size_t i = 0; i < command.n; i++) {
		unsigned char c = (unsigned char)command.p[i];

		if (c == '\n')
			buf_c(b, "\\n");
		else if (c < 0x20 || c >= 0x7F)
			buf_fmt(b, "\\x%02x", c);
		else
			buf_char(b, (char)c);
	}
}

struct selftest_style {
	bool colour;
	int title; /* width of the title column */
	bool narrow; /* for terminals of 40 columns */
};

/* The columns after the total, for each kind: from the best verdict to the worst. */
static const enum verdict columns[][4] = {
	[SELFTEST_ATTEMPTS] = {VERDICT_DENY, VERDICT_ASK, VERDICT_CONTAIN, VERDICT_ALLOW},
	[SELFTEST_ORDINARY] = {VERDICT_ALLOW, VERDICT_CONTAIN, VERDICT_ASK, VERDICT_DENY},
};

static const char *column_name(enum selftest_kind kind, enum verdict v, bool narrow)
{
	static const char short_names[][8] = {[VERDICT_DENY] = "deny", [VERDICT_ASK] = "ask",
			[VERDICT_CONTAIN] = "box", [VERDICT_ALLOW] = "ok"};
	static const char names[][12] = {[VERDICT_DENY] = "denied", [VERDICT_ASK] = "asked",
			[VERDICT_CONTAIN] = "contained", [VERDICT_ALLOW] = "allowed"};

	if (kind == SELFTEST_ATTEMPTS && v == VERDICT_ALLOW)
		return narrow ? "miss" : "missed";
	return narrow ? short_names[v] : names[v];
}

static int cell_columns(struct selftest_style st) { return st.narrow ? 4 : 9; }

static void put_row(struct buf *b, enum selftest_kind kind, const struct selftest_class *c,
	struct selftest_style st)
{
	if (st.narrow)
		buf_fmt(b, " %-*.*s %4u", NAME_COLUMN, STR_ARG(c->name), c->total);
	else
		buf_fmt(b, "  %-*.*s %-*.*s %6u", NAME_COLUMN, STR_ARG(c->name), st.title,
				(int)c->title.n < st.title ? (int)c->title.n : st.title, c->title.p,
				c->total);
	for (size_t i = 0; i < 4; i++) {
		enum verdict v = columns[kind][i];
		struct str cell = str_fmt(b->a, " %*u", cell_columns(st), c->by[v]);

		tinted(b, st.colour, c->by[v] && selftest_failed(kind, v) ? TINT_RED : TINT_NONE, cell);
	}
	buf_char(b, '\n');
}

static void put_list(struct buf *b, const struct selftest_set *set, bool colour)
{
	unsigned shown = 0;

	for (const struct selftest_class *c = set->classes; c; c = c->next) {
		for (const struct selftest_row *r = c->rows; r; r = r->next) {
			if (!selftest_failed(set->kind, r->verdict) || shown++ >= LIST_MAX)
				continue;
			buf_c(b, "  ");
			tinted(b, colour, r->verdict == VERDICT_ASK ? TINT_YELLOW : TINT_RED,
					str_of(verdict_name(r->verdict)));
			buf_fmt(b, " %s%s", check_name(r->id), r->id ? ": " : "");
			put_command(b, r->command);
			buf_char(b, '\n');
		}
	}
	if (shown > LIST_MAX)
		buf_fmt(b, "  ... and %u more; --json lists all\n", shown - LIST_MAX);
}

static void put_set(struct buf *b, const struct selftest_set *set, struct selftest_style st)
{
	bool attempts = set->kind == SELFTEST_ATTEMPTS;
	struct selftest_class all = {.name = STR("all"), .title = STR(""), .total = set->total};

	tinted(b, st.colour, TINT_BOLD, attempts ? STR("Attempts: what must be stopped") :
			STR("Ordinary: what must not be interrupted"));
	if (st.narrow)
		buf_fmt(b, "\n\n %-*s %4s", NAME_COLUMN, "class", "all");
	else
		buf_fmt(b, "\n\n  %-*s %-*s %6s", NAME_COLUMN, "class", st.title, "", "total");
	for (size_t i = 0; i < 4; i++)
		buf_fmt(b, " %*s", cell_columns(st), column_name(set->kind, columns[set->kind][i],
				st.narrow));
	buf_char(b, '\n');
	for (const struct selftest_class *c = set->classes; c; c = c->next)
		put_row(b, set->kind, c, st);
	memcpy(all.by, set->by, sizeof(all.by));
	put_row(b, set->kind, &all, st);
	buf_c(b, "\n");
	if (selftest_failures(set)) {
		buf_fmt(b, "%s\n", attempts ? "Missed, these would run:" : "Interrupted:");
		put_list(b, set, st.colour);
		buf_c(b, "\n");
	}
}

static void put_end(struct buf *b, const struct selftest_set *attempts, const struct selftest_set *ordinary,
		bool colour)
{
	unsigned missed = selftest_failures(attempts), interrupted = selftest_failures(ordinary);

	tinted(b, colour, missed ? TINT_RED : TINT_GREEN, str_fmt(b->a, "%u of %u attempts caught, %u missed",
			attempts->total - missed, attempts->total, missed));
	buf_c(b, terminal_width(STDOUT_FILENO) < WIDTH_NARROW ? ";\n" : "; ");
	tinted(b, colour, interrupted ? TINT_YELLOW : TINT_GREEN,
			str_fmt(b->a, "%u of %u ordinary commands interrupted", interrupted,
			ordinary->total));
	buf_c(b, ".\n");
}

/* ---- the box, for people ---- */

static void put_trial(struct buf *b, const struct selftest_trial *t, bool colour)
{
	static const enum selftest_tint tints[] = {[TRIAL_HELD] = TINT_GREEN, [TRIAL_BROKEN] = TINT_RED,
			[TRIAL_UNTRIED] = TINT_YELLOW};
	struct str late = t->timed ? str_fmt(b->a, " +%lld ms", (long long)t->over_ms)
			  : t->status == STATUS_OOM ? str_fmt(b->a, " at %llu MB",
					(unsigned long long)(t->peak_memory / MB)) : STR("");

	const bool narrow = terminal_width(STDOUT_FILENO) < WIDTH_TRIALS;

	buf_fmt(b, "%s%-12s", narrow ? " " : "  ", t->attempt->name);
	if (!narrow) {
		buf_char(b, ' ');
		tinted(b, colour, t->end == TRIAL_HELD ? TINT_NONE : tints[t->end],
				str_fmt(b->a, "%-35s", t->attempt->title));
	}
	if (t->end == TRIAL_UNTRIED)
		buf_c(b, " not tried\n");
	else
		buf_fmt(b, " %-*s %s%.*s\n", narrow ? 9 : 13, t->by ? t->by : "", status_name(t->status),
				STR_ARG(late));
	if (t->end == TRIAL_HELD)
		return;
	buf_fmt(b, "  %-12s ", "");
	tinted(b, colour, tints[t->end], str_fmt(b->a, "%s%.*s", t->end == TRIAL_BROKEN ? "BROKEN: " : "",
			STR_ARG(t->why)));
	buf_char(b, '\n');
}

static void put_box(struct buf *b, const struct box_test *test, bool colour)
{
	tinted(b, colour, TINT_BOLD, STR("The box: attempts to break out of it"));
	if (terminal_width(STDOUT_FILENO) >= WIDTH_TRIALS)
		buf_fmt(b, "\n\n  %-12s %-35s %-13s %s\n", "attempt", "", "stopped by", "ended with");
	else
		buf_fmt(b, "\n\n %-12s %-9s %s\n", "attempt", "by", "ended with");
	for (const struct selftest_trial *t = test->trials; t; t = t->next)
		put_trial(b, t, colour);
	buf_c(b, "\n");
	tinted(b, colour, test->broken ? TINT_RED : TINT_GREEN,
			str_fmt(b->a, "%u of %u held, %u broken", test->held, test->held + test->broken +
			test->untried, test->broken));
	if (test->untried)
		tinted(b, colour, TINT_YELLOW, str_fmt(b->a, ", %u not tried", test->untried));
	buf_c(b, ".\n");
}

/* ---- running ---- */

static int report_failure(const struct err *e)
{
	output_error("%s", e->text);
	return EXIT_INTERNAL;
}

/* Returns 0 or 1, the exit code; -1 and the reason in *e. */
static int test_gate(struct selftest_job *j, const struct policies *p, struct buf *b, struct err *e)
{
	struct selftest_set attempts, ordinary;
	struct selftest_request rq = {.context = &j->context, .policies = p};
	struct selftest_style st = {.colour = terminal_colour(STDOUT_FILENO),
			.title = terminal_width(STDOUT_FILENO) < WIDTH_FULL ? 0 : TITLE_COLUMN,
			.narrow = terminal_width(STDOUT_FILENO) < WIDTH_NARROW};

	if (selftest_parse(&j->a, selftest_text(SELFTEST_ATTEMPTS), SELFTEST_ATTEMPTS, &attempts, e) != 0 ||
	    selftest_parse(&j->a, selftest_text(SELFTEST_ORDINARY), SELFTEST_ORDINARY, &ordinary, e) != 0 ||
	    selftest_judge(&attempts, &rq, e) != 0 ||
	    selftest_judge(&ordinary, &rq, e) != 0)
		return -1;
	if (j->o->json) {
		selftest_json(b, &attempts, &ordinary, p);
	} else {
		put_set(b, &attempts, st);
		put_set(b, &ordinary, st);
		if (!p->root.n)
			buf_c(b, "This directory is not a project (it is /, a home, or above one), so "
					"changing its files counts as\na change outside the project. Run "
					"caisson selftest in a project to see how your agents would fare.\n");
		put_end(b, &attempts, &ordinary, st.colour);
	}
	return selftest_failures(&attempts) ? 1 : 0;
}

static int test_box(struct selftest_job *j, const struct policies *p, struct buf *b, struct err *e)
{
	const char *dir = getenv("TMPDIR");
	enum backend_choice backend =
			j->o->backend ? backend_choice_find(str_of(j->o->backend)) : BACKEND_UNSET;
	struct box_test test;

	if (j->o->backend && !backend)
		return err_input(e, "--backend '%.40s': expected one of " BACKEND_NAMES_TEXT, j->o->backend);
	if (box_test(&j->a, p, backend, dir && dir[0] == '/' ? dir : "/tmp", &test, e) != 0)
		return -1;
	if (j->o->json) {
		buf_c(b, "\"box\":");
		box_test_json(b, &test);
	} else {
		put_box(b, &test, terminal_colour(STDOUT_FILENO));
	}
	return test.broken ? 1 : 0;
}

static int test_all(void *arg)
{
	struct selftest_job *j = arg;
	struct policies p;
	struct err e = {0};
	struct buf b;
	int gate = 0, box = 0;

	j->context.cwd = j->o->cwd ? str_of(j->o->cwd) : STR("");
	context_open(&j->a, &j->context);
	if (policies_load(&j->a, &(struct policies_request){.config = j->o->config, .context = &j->context},
			&p, &e) != 0)
		return report_failure(&e);
	buf_init(&b, &j->a, 0);
	buf_c(&b, j->o->json ? "{" : "");
	if (j->o->gate)
		gate = test_gate(j, &p, &b, &e);
	if (j->o->gate && j->o->box)
		buf_c(&b, j->o->json ? "," : "\n");
	if (gate >= 0 && j->o->box)
		box = test_box(j, &p, &b, &e);
	if (gate < 0 || box < 0)
		return report_failure(&e);
	buf_c(&b, j->o->json ? "}\n" : "");
	return output_write(buf_view(&b), gate || box);
}

static int run_selftest(const struct command_row *self, int argc, char **argv)
{
	struct selftest_options o = {0};
	struct selftest_job j = {.o = &o};
	int code;

	if (!options_only(self, argc, argv, &o, &code))
		return code;
	if (!o.gate && !o.box)
		o.gate = o.box = true;
	return with_arena(&j.a, test_all, &j);
}

const struct command_row command_selftest = {
	.name = "selftest",
	.synopsis = "[--gate] [--box] [--backend NAME] [--json] [--config FILE] [--cwd DIR]",
	.summary = "attack the policy and the box, and show what holds",
	.about = "Without --gate or --box it tests both.\n\nThe gate: judges two shipped sets of commands by "
		 "the policy in force for this user and directory, as caisson check would. One set contains "
		 "attempts to destroy, leak or take over, plain and disguised; the other contains commands "
		 "of an ordinary working day. Nothing runs, and the policy's classifier is not asked.\n\nAn "
		 "attempt is caught if it is denied, asked about or contained, and missed if it is allowed. "
		 "An ordinary command is interrupted if it is asked about or denied. Both are counted by "
		 "class, and every missed or interrupted command is listed.\n\nThe box: runs programs that "
		 "exceed memory, time, processes, files or output, that reach for the network, for outside "
		 "files, for secrets or for privileges, or that try to outlive their box. Each runs in a "
		 "fresh box, aimed at canaries in a temporary directory that is removed afterwards. Each row "
		 "says what stopped the program, how it ended, and how long after the time limit.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_selftest,
};
