/* caisson checks: lists the checks with their grades, or explains one. */
#include <stddef.h>

#include "base/near.h"
#include "base/wrap.h"
#include "cli/check_examples.h"
#include "cli/cli.h"
#include "cli/doc.h"
#include "gate/gate.h"
#include "judge/engine.h"

#define COLUMN 24
#define TITLE 10 /* columns of a title on the page of one check */

struct checks_job {
	struct arena a;
	bool json;
	const char *config, *name; /* either may be NULL */
	struct policies policies;
};

static const struct option_row options[] = {
	{"config", OPTION_VALUE, offsetof(struct checks_job, config), "FILE",
			"use this policy file instead of your own"},
	{"json", OPTION_FLAG, offsetof(struct checks_job, json), "", "print one JSON object"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {{0, "printed"},
		{1, "no such check, or the policy does not load"},
		{EXIT_USAGE, "usage"}, {EXIT_INTERNAL, "internal error"}};

static const struct example_row examples[] = {
	{"caisson checks", "Lists every check with its id, its grade in force and its meaning."},
	{"caisson checks secret-read", "Explains one check, with an example and how to change its grade."},
};

/* The grade by your own policy; regrades come in the order in which they apply. */
static enum grade grade_in_force(const struct checks_job *j, const struct check *c)
{
	enum grade g = c->grade;

	for (const struct regrade *r = j->policies.own.regrades; r; r = r->next)
		if (r->id == c->id && (!c->fixed || r->grade > c->grade))
			g = r->grade;
	return g;
}

static void put_json(struct checks_job *j, struct buf *b)
{
	size_t n;
	const struct check *rows = gate_checks(&n);
	struct doc o;

	doc_start(&o, b, true);
	doc_number(&o, "v", 1);
	doc_list(&o, "checks");
	for (size_t i = 0; i < n; i++) {
		if (j->name && strcmp(check_name(rows[i].id), j->name))
			continue;
		doc_map(&o, NULL);
		doc_word(&o, "id", check_name(rows[i].id));
		doc_word(&o, "grade", grade_name(grade_in_force(j, &rows[i])));
		doc_word(&o, "builtin", grade_name(rows[i].grade));
		doc_bool(&o, "fixed", rows[i].fixed);
		doc_word(&o, "meaning", rows[i].about);
		doc_word(&o, "example", check_example(rows[i].id));
		doc_end(&o);
	}
	doc_end(&o);
	doc_finish(&o);
}

static void put_list(struct checks_job *j, struct buf *b)
{
	unsigned width = terminal_width(1);
	size_t n;
	const struct check *rows = gate_checks(&n);

	for (size_t i = 0; i < n; i++) {
		size_t from = b->n;

		buf_fmt(b, "%-*s%-8s  ", COLUMN, check_name(rows[i].id),
				grade_name(grade_in_force(j, &rows[i])));
		buf_wrapped(b, rows[i].about, b->n - from, COLUMN + 10, width);
	}
}

/* One row of a page: a title and its text, in lines of the terminal. */
static void put_row(struct buf *b, const char *title, struct str text)
{
	buf_fmt(b, "%-*s", TITLE, title);
	buf_wrapped(b, str_c(b->a, text), TITLE, TITLE, terminal_width(1));
}

static void put_grades(struct buf *b, const struct check *c, enum grade now)
{
	struct str of_policy = now == c->grade ? STR("") :
			str_fmt(b->a, " by your policy (built-in grade: %s)", grade_name(c->grade));

	put_row(b, "grade", str_fmt(b->a, "%s%.*s%s", grade_name(now), STR_ARG(of_policy),
			c->fixed ? "; fixed: no policy can lower it" : ""));
	if (c->lift == LIFT_COMMAND)
		put_row(b, "allow", STR("caisson allow 'COMMAND' allows one command despite this check"));
	put_row(b, "change", str_fmt(b->a, "in ~/.config/caisson/config.yaml:  checks_grade: {%s: %s}",
			check_name(c->id), c->fixed ? "deny" : now == GRADE_ASK ? "deny" : "ask"));
	put_row(b, "", STR("grades, mildest first: off, warn, contain, ask, deny"));
}

static void put_one(struct checks_job *j, struct buf *b, const struct check *c)
{
	unsigned width = terminal_width(1);

	buf_fmt(b, "%s\n\n", check_name(c->id));
	buf_wrapped(b, c->about, 0, 0, width);
	buf_char(b, '\n');
	if (*check_example(c->id))
		buf_fmt(b, "%-*s%s\n", TITLE, "example", check_example(c->id));
	put_grades(b, c, grade_in_force(j, c));
}

static int unknown_check(struct checks_job *j)
{
	struct near guess = {.word = str_of(j->name)};
	size_t n;
	const struct check *rows = gate_checks(&n);

	for (size_t i = 0; i < n; i++)
		near_try(&guess, check_name(rows[i].id));
	output_error("no check '%.100s'%s", j->name,
			near_text(&j->a, &guess, " (caisson checks lists them)"));
	return 1;
}

static int checks_job_run(void *arg)
{
	struct checks_job *j = arg;
	struct context at = {0};
	enum check_id id = j->name ? check_find(str_of(j->name)) : CHECK_NONE;
	struct err e = {0};
	struct buf b;

	if (j->name && id == CHECK_NONE)
		return unknown_check(j);
	context_open(&j->a, &at);
	if (policies_load(&j->a, &(struct policies_request){.config = j->config, .context = &at},
			&j->policies, &e) != 0) {
		output_error("%s", e.text);
		return 1;
	}
	buf_init(&b, &j->a, 0);
	if (j->json)
		put_json(j, &b);
	else if (j->name)
		put_one(j, &b, gate_check(id));
	else
		put_list(j, &b);
	return output_write(buf_view(&b), 0);
}

static int run_checks(const struct command_row *self, int argc, char **argv)
{
	struct checks_job j = {0};
	int code;

	if (!options_operand(self, argc, argv, &j, "give one check", &j.name, &code))
		return code;
	return with_arena(&j.a, checks_job_run, &j);
}

const struct command_row command_checks = {
	.name = "checks",
	.synopsis = "[--config FILE] [--json] [CHECK]",
	.summary = "list the checks with their grades, or explain one",
	.about = "Every reason in an answer ends with the id of its check, such as [outside-delete]. Without "
		 "CHECK, this command lists all checks with the grades of your policy. With CHECK, it "
		 "explains one check, with an example command and the line of policy that changes its grade.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_checks,
};
