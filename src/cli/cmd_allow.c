/*
 * caisson allow, ask, deny: add a rule to the person's policy, or remove one. They can make caisson milder
 * (ask and deny can replace a stricter rule, too), so they need a person at a terminal, and a fixed check
 * denies them to agents.
 */
#define _GNU_SOURCE
#include <stddef.h>

#include "cli/change.h"
#include "cli/cli.h"
#include "client/person.h"

struct allow_options {
	bool project, remove, dry_run, host;
};

#define AT(field) offsetof(struct allow_options, field)
static const struct option_row options[] = {
	/* allow alone has the first row */
	{"host", OPTION_FLAG, AT(host), "",
			"the words are hosts: boxes reach them, and curl and wget read from them without a "
			"question"},
	{"project", OPTION_FLAG, AT(project), "",
			"in this project's .caisson.yaml, for all who work on it; until it is trusted only "
			"ask and deny count"},
	{"remove", OPTION_FLAG, AT(remove), "", "take the rule out again"},
	{"dry-run", OPTION_FLAG, AT(dry_run), "", "show what would change, as a diff, and change nothing"},
	{"help", OPTION_HELP, 0, "", "print this"},
};

static const struct exit_row exits[] = {
	{0, "written, or it was there already"}, {1, "nothing was written"}, {EXIT_USAGE, "usage"},
	{EXIT_INTERNAL, "internal error"},
};

struct allow_job {
	struct arena a;
	struct allow_options o;
	const char *command;
	enum verdict verdict;
	char **words;
	size_t nwords;
	struct buf out;
};

static int report_failure(const struct allow_job *j, const struct err *e)
{
	output_error("%s: %s", j->command, e->text);
	return e->kind == ERR_SYSTEM || e->kind == ERR_INTERNAL ? EXIT_INTERNAL : 1;
}

/* Several words without blanks are one rule, because forgotten quotes look like that. */
static bool is_one_rule(const struct allow_job *j)
{
	for (size_t i = 0; i < j->nwords; i++)
		if (strpbrk(j->words[i], " ()") || !strncmp(j->words[i], "mcp__", 5))
			return false;
	return true;
}

static struct str joined(struct allow_job *j)
{
	struct buf b;

	buf_init(&b, &j->a, 0);
	for (size_t i = 0; i < j->nwords; i++)
		buf_fmt(&b, "%s%s", i ? " " : "", j->words[i]);
	return buf_view(&b);
}

static int read_rules(struct allow_job *j, struct rule_request *rq, struct err *e)
{
	bool one = !j->o.host && is_one_rule(j);

	rq->n = one ? 1 : j->nwords;
	rq->items = arena_array(&j->a, rq->n, sizeof(*rq->items));
	for (size_t i = 0; i < rq->n && j->o.host; i++)
		if (rule_read_host(&j->a, str_of(j->words[i]), &rq->items[i], e) != 0)
			return -1;
	for (size_t i = 0; i < rq->n && !j->o.host; i++)
		if (rule_read(&j->a, rq->verdict, one ? joined(j) : str_of(j->words[i]), &rq->items[i],
				e) != 0)
			return -1;
	return 0;
}

static int allow_job_run(void *arg)
{
	struct allow_job *j = arg;
	struct rule_request rq = {.verdict = j->verdict, .project = j->o.project, .remove = j->o.remove};
	struct rule_plan p;
	struct err e = {0};

	buf_init(&j->out, &j->a, 0);
	if (!j->o.dry_run && person_check(&j->a, PERSON_TERMINAL, &e) != 0) {
		output_error("%s: %s", j->command, e.text);
		return 1;
	}
	if (read_rules(j, &rq, &e) != 0 || rule_plan(&j->a, &rq, &p, &e) != 0)
		return report_failure(j, &e);
	return change_rules(&j->a, j->command, &rq, &p, j->o.dry_run, &j->out);
}

static bool is_option(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (!strncmp(word, "--", 2) && !strcmp(word + 2, options[i].name))
			return true;
	return false;
}

static int run_allow(const struct command_row *self, int argc, char **argv)
{
	struct allow_job j = {.command = self->name};
	int code, first = options_take(self, argc, argv, &j.o, &code);

	if (first < 0)
		return code;
	if (first == argc)
		return usage_wrong(self, "a rule is missing, such as 'npm install'");
	if (argc - first > RULES_MAX)
		return usage_wrong(self, "too many rules");
	for (int i = first; i < argc; i++)
		if (is_option(argv[i]))
			return usage_wrong(self, "options stand before the rules");
	j.verdict = !strcmp(self->name, "allow") ? VERDICT_ALLOW : !strcmp(self->name, "ask") ? VERDICT_ASK :
			VERDICT_DENY;
	if (j.o.host && j.o.project)
		return usage_wrong(self, "--host is about your own policy; a project cannot add hosts");
	j.words = argv + first;
	j.nwords = (size_t)(argc - first);
	return with_arena(&j.a, allow_job_run, &j);
}

#define SYNOPSIS "[--project] [--dry-run] RULE...\n--remove [--project] [--dry-run] RULE..."
#define SYNOPSIS_ALLOW SYNOPSIS "\n--host [--remove] [--dry-run] HOST..."
#define ABOUT_RULES \
	"A RULE says how a command starts: 'npm install' is about npm install with whatever words follow. " \
			"It may also be a permission rule, Bash(npm run " \
	"test:*) or Read(~/.ssh/**), or the name of an MCP tool, mcp__docs_*. Words without blanks in " \
			"them are one rule; several rules need " \
	"quotes. Rules of other kinds (docs/policy.md) are written by hand.\n\n"
#define ABOUT_FILE \
	"The rule goes into ~/.config/caisson/config.yaml, with --project into .caisson.yaml. Everything " \
			"else in the file stays as it is, to the byte, comments " \
	"included; a layout in which that cannot be promised is refused with the line, and what to write " \
			"by hand. Before anything is written the new policy is " \
	"loaded and judges the command of the rule: where another rule or a check would still decide " \
			"otherwise, it is named and nothing is written. Then the diff is shown, " \
	"and yes has to be typed.\n\n" \
	"That needs a person: it must be run in a terminal, outside of sandboxes and not below an agent " \
			"client, and no variable by which agents mark their " \
	"commands may be set. No option skips the question."

static const struct example_row allow_examples[] = {
	{"caisson allow 'npm install'", "npm install is not asked about any more, and runs outside the box."},
	{"caisson allow --dry-run 'git push origin'",
			"The line that would come into the policy, and what it means."},
	{"caisson allow --remove 'npm install'", "As it was before."},
	{"caisson allow --host api.example.com",
			"Boxes reach this host, and curl https://api.example.com/ is not asked about."},
};
static const struct example_row ask_examples[] = {
	{"caisson ask 'git push'", "git push is asked about, also where a preset allows it."},
};
static const struct example_row deny_examples[] = {
	{"caisson deny 'npm publish'", "npm publish is denied, in every project."},
	{"caisson deny --project 'terraform apply'", "The same for everybody who works on this project."},
};

const struct command_row command_allow = {
	.name = "allow",
	.synopsis = SYNOPSIS_ALLOW,
	.summary = "allow a command for good: a rule into your policy",
	.about = ABOUT_RULES
		"An allowed command is neither asked about nor contained: it runs outside the box, with "
		"your rights. A rule that allows nearly everything (bash, sudo, "
		"npx: whatever their words say) has to be confirmed by the word everything.\n\n" ABOUT_FILE,
	.options = options,
	.noptions = ARRAY_SIZE(options),
	.exits = exits,
	.nexits = ARRAY_SIZE(exits),
	.examples = allow_examples,
	.nexamples = ARRAY_SIZE(allow_examples),
	.run = run_allow,
};

const struct command_row command_ask = {
	.name = "ask",
	.synopsis = SYNOPSIS,
	.summary = "always ask about a command: a rule into your policy",
	.about = ABOUT_RULES ABOUT_FILE,
	.options = options + 1,
	.noptions = ARRAY_SIZE(options) - 1,
	.exits = exits,
	.nexits = ARRAY_SIZE(exits),
	.examples = ask_examples,
	.nexamples = ARRAY_SIZE(ask_examples),
	.run = run_allow,
};

const struct command_row command_deny = {
	.name = "deny",
	.synopsis = SYNOPSIS,
	.summary = "always deny a command: a rule into your policy",
	.about = ABOUT_RULES ABOUT_FILE,
	.options = options + 1,
	.noptions = ARRAY_SIZE(options) - 1,
	.exits = exits,
	.nexits = ARRAY_SIZE(exits),
	.examples = deny_examples,
	.nexamples = ARRAY_SIZE(deny_examples),
	.run = run_allow,
};
