/*
 * caisson suggest: proposes rules that would remove the most frequent questions, and lists rules and checks
 * that never applied.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stddef.h>

#include "base/num.h"
#include "cli/change.h"
#include "cli/cli.h"
#include "cli/doc.h"
#include "cli/record_home.h"
#include "cli/rows.h"
#include "client/person.h"
#include "gate/broad.h"
#include "record/suggest.h"

#define LEAST_DEFAULT 2
#define LEFT_SHOWN 10
#define COMMAND_SHOWN 100

struct suggest_options {
	bool json, apply;
	const char *since, *until, *agent, *least, *config;
};

#define AT(field) offsetof(struct suggest_options, field)
static const struct option_row options[] = {
	{"since", OPTION_VALUE, AT(since), "TIME",
			"requests since then: 30d (default), 12h, 2026-01-31 ..."},
	{"until", OPTION_VALUE, AT(until), "TIME", "requests before this time"},
	{"agent", OPTION_VALUE, AT(agent), "ID", "only requests of this agent"},
	{"least", OPTION_VALUE, AT(least), "N", "only commands that were asked about this often (default: "
			"2)"},
	OPTION_CONFIG_ROW,
	OPTION_JSON_ROW,
	{"apply", OPTION_FLAG, AT(apply), "",
			"write the rules to your policy, after showing the diff and asking for yes"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
	{0, "printed or written, or nothing to suggest"}, {1, "--apply: nothing was written"},
	{2, "the policy does not load"}, {EXIT_NO_RECORD, "no record exists yet"}, {EXIT_USAGE, "usage"},
	{EXIT_INTERNAL, "the record cannot be read"},
};

static const struct example_row examples[] = {
	{"caisson suggest > suggested.yaml",
			"Writes suggested rules to a file, to review and paste into your policy."},
	{"caisson suggest --least 5 --apply",
			"Allows what was asked about five times or more, after you confirm."},
	{"caisson audit replay-all --config FILE",
			"Shows the effect of the changed policy on recorded requests."},
};

struct suggest_job {
	struct arena a;
	struct suggest_options o;
	uint64_t least;
	struct record_home at;
	struct suggest s;
	struct buf out;
};

/* ---- printing ---- */

static void comment_command(struct suggest_job *j, const struct suggest_ask *ask)
{
	buf_fmt(&j->out, "# %6" PRIu64 "  ", ask->n);
	put_visible(&j->out, str_sub(ask->command, 0, COMMAND_SHOWN));
	buf_fmt(&j->out, "%s  [%.*s] %s\n", ask->command.n > COMMAND_SHOWN ? "..." : "",
			STR_ARG(ask->reasons), ask->left);
}

static void print_left(struct suggest_job *j)
{
	size_t shown = 0;

	for (size_t i = 0; i < j->s.nasks && shown < LEFT_SHOWN; i++) {
		if (!j->s.asks[i].left)
			continue;
		if (!shown++)
			buf_c(&j->out, "#\n# Asked about, without a suggestion:\n");
		comment_command(j, &j->s.asks[i]);
	}
}

static void print_idle(struct suggest_job *j)
{
	struct buf *b = &j->out;

	if (j->s.ndead)
		buf_c(b, "#\n# Rules of your policy that matched none of these requests:\n");
	for (size_t i = 0; i < j->s.ndead; i++) {
		buf_fmt(b, "#   %s ", j->s.dead[i].what);
		put_visible(b, j->s.dead[i].text);
		buf_c(b, "  (");
		put_visible(b, j->s.dead[i].where);
		buf_c(b, ")\n");
	}
	if (!j->s.nsilent || !j->s.counts.judged)
		return;
	buf_fmt(b, "#\n# %zu checks matched none of these requests; --json lists them.\n", j->s.nsilent);
}

/* Everything except rules is a comment, so that the output is a valid policy file. */
static void print_yaml(struct suggest_job *j)
{
	const struct suggest *s = &j->s;
	struct buf *b = &j->out;

	buf_fmt(b, "# %" PRIu64 " request%s, %" PRIu64 " judged again by the policy in force now: %"
			PRIu64 " would be asked about.\n", s->counts.rows, s->counts.rows == 1 ? "" : "s",
			s->counts.judged, s->asked);
	if (s->counts.judged < s->counts.rows)
		buf_fmt(b, "# The other %" PRIu64
				" contain secrets, or their view or policy is not in the record.\n",
				s->counts.rows - s->counts.judged);
	if (s->nrules)
		buf_fmt(b, "# With the rules below %" PRIu64
				" of them would be allowed. Review each rule before you use it.\n",
				s->removed);
	else
		buf_c(b, "# No rule to suggest.\n");
	if (s->nrules) {
		buf_char(b, '\n');
		suggest_yaml(b, s);
		buf_char(b, '\n');
	}
	print_left(j);
	print_idle(j);
	if (s->more)
		buf_c(b, "#\n# There were too many different commands to count each.\n");
}

static void print_json(struct suggest_job *j)
{
	const struct suggest *s = &j->s;
	struct doc o;

	doc_start(&o, &j->out, true);
	doc_number(&o, "requests", s->counts.rows);
	doc_number(&o, "judged", s->counts.judged);
	doc_number(&o, "asked", s->asked);
	doc_number(&o, "removed", s->removed);
	doc_list(&o, "rules");
	for (size_t i = 0; i < s->nrules; i++) {
		doc_map(&o, NULL);
		doc_word(&o, "kind", s->rules[i].prefix ? "allow" : "allowChecks");
		doc_text(&o, "words", s->rules[i].text);
		doc_number(&o, "count", s->rules[i].n);
		doc_number(&o, "commands", s->rules[i].commands);
		doc_text(&o, "reasons", s->rules[i].reasons);
		doc_end(&o);
	}
	doc_end(&o);
	doc_list(&o, "left");
	for (size_t i = 0; i < s->nasks; i++) {
		if (!s->asks[i].left)
			continue;
		doc_map(&o, NULL);
		doc_text(&o, "command", s->asks[i].command);
		doc_number(&o, "count", s->asks[i].n);
		doc_text(&o, "reasons", s->asks[i].reasons);
		doc_word(&o, "why", s->asks[i].left);
		doc_end(&o);
	}
	doc_end(&o);
	doc_list(&o, "dead_rules");
	for (size_t i = 0; i < s->ndead; i++) {
		doc_map(&o, NULL);
		doc_word(&o, "kind", s->dead[i].what);
		doc_text(&o, "rule", s->dead[i].text);
		doc_text(&o, "at", s->dead[i].where);
		doc_end(&o);
	}
	doc_end(&o);
	doc_list(&o, "silent_checks");
	for (size_t i = 0; i < s->nsilent; i++)
		doc_word(&o, NULL, check_name(s->silent[i]));
	doc_end(&o);
	doc_finish(&o);
}

/* ---- applying ---- */

/* Each rule was tried against its own requests; here all of them must load together. */
static int apply(struct suggest_job *j)
{
	struct rule_request rq = {.verdict = VERDICT_ALLOW, .n = j->s.nrules};
	struct rule_plan p;
	struct err e = {0};

	if (!rq.n)
		return output_write(STR("No rule to suggest.\n"), 0);
	rq.items = arena_array(&j->a, rq.n, sizeof(*rq.items));
	for (size_t i = 0; i < rq.n; i++) {
		const struct suggest_rule *r = &j->s.rules[i];

		rq.items[i] = (struct rule_item){.kind = r->prefix ? RULE_PREFIX : RULE_REGEX,
				.broad = r->prefix ? prefix_broad(r->text) : NULL,
			.text = r->prefix ? r->text : suggest_expression(&j->a, r->text)};
	}
	if (rule_plan(&j->a, &rq, &p, &e) != 0) {
		output_error("suggest: %s", e.text);
		return e.kind == ERR_SYSTEM || e.kind == ERR_INTERNAL ? EXIT_INTERNAL : 1;
	}
	return change_rules(&j->a, "suggest", &rq, &p, false, &j->out);
}

/* ---- the command ---- */

static int make_suggestions(struct suggest_job *j, struct err *e)
{
	struct audit_filter f;

	if (rows_filter_lately(j->o.agent, j->o.since, j->o.until, j->at.audit.now(), &f, e) < 0)
		return EXIT_USAGE;
	if (suggest_make(&j->a, &j->at.audit, j->at.has_blobs ? &j->at.blobs : NULL, j->o.config, &f,
			j->least, &j->s, e) < 0)
		return e->kind == ERR_CONFIG ? 2 : EXIT_INTERNAL;
	return 0;
}

static int suggest_job_run(void *arg)
{
	struct suggest_job *j = arg;
	struct err e = {0};
	int rc;

	buf_init(&j->out, &j->a, 0);
	if (j->o.apply && person_check(&j->a, PERSON_TERMINAL, &e) != 0) {
		output_error("suggest: %s", e.text);
		return 1;
	}
	home_find(&j->a, &j->at);
	if (home_open(&j->a, &j->at, true, &e) < 0)
		return home_failed("suggest", &e);
	rc = make_suggestions(j, &e);
	home_close(&j->at);
	if (rc) {
		output_error("suggest: %s", e.text);
		return rc;
	}
	if (j->o.apply)
		return apply(j);
	if (j->o.json)
		print_json(j);
	else
		print_yaml(j);
	return output_write(buf_view(&j->out), 0);
}

static int run_suggest(const struct command_row *self, int argc, char **argv)
{
	struct suggest_job j = {0};
	int64_t n = LEAST_DEFAULT;
	int code;

	if (!options_only(self, argc, argv, &j.o, &code))
		return code;
	if (j.o.least && num_parse(str_of(j.o.least), 1, INT32_MAX, &n) < 0)
		return usage_wrong(self, "--least must be a number of at least 1");
	if (j.o.apply && (j.o.json || j.o.config))
		return usage_wrong(self, "--apply cannot be combined with --json or --config");
	j.least = (uint64_t)n;
	return with_arena(&j.a, suggest_job_run, &j);
}

const struct command_row command_suggest = {
	.name = "suggest",
	.synopsis = "[--since TIME] [--until TIME] [--agent ID] [--least N] [--config FILE] [--json]\n"
		    "--apply [--since TIME] [--until TIME] [--agent ID] [--least N]",
	.summary = "suggest rules that remove the most frequent questions",
	.about = "Judges the recorded requests again by the policy in force now. For commands that would "
			"still be asked about, it prints allow rules as a policy file: the exact command "
			"(allowChecks), or its first two words (allow) if three or more similar commands "
			"were asked about only because of the network. Each rule was tried and works. A "
			"comment behind each says how often it applied.\n\nIt suggests no rule for denials, "
			"for commands that your own rules ask about, and for commands asked about for more "
			"than the network or a program that runs: secrets, privileges, changes that others "
			"see, work that may be lost, incomplete readings. The most frequent of these are "
			"listed as comments, as are rules and checks that no request matched. Nothing is "
			"changed: a person decides which rules to use.\n\n--apply writes all rules to your "
			"policy, as caisson allow does: with the same diff, question and conditions.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_suggest,
};
