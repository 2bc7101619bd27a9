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
			"the arguments are hosts: boxes may reach them, and curl and wget may read from them "
			"without a question"},
	{"project", OPTION_FLAG, AT(project), "",
			"write to this project's .caisson.yaml, for everyone who works on it; only ask and "
			"deny rules work until it is trusted"},
	{"remove", OPTION_FLAG, AT(remove), "", "remove the rule"},
	{"dry-run", OPTION_FLAG, AT(dry_run), "", "show the change as a diff and write nothing"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
	{0, "the rule was written, or was already there"}, {1, "nothing was written"}, {EXIT_USAGE, "usage"},
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
		return usage_wrong(self, "no rule given (for example 'npm install')");
	if (argc - first > RULES_MAX)
		return usage_wrong(self, "too many rules");
	for (int i = first; i < argc; i++)
		if (is_option(argv[i]))
			return usage_wrong(self, "put the options before the rules");
	j.verdict = !strcmp(self->name, "allow") ? VERDICT_ALLOW : !strcmp(self->name, "ask") ? VERDICT_ASK :
			VERDICT_DENY;
	if (j.o.host && j.o.project)
		return usage_wrong(self, "--host changes your own policy; a project cannot add hosts");
	j.words = argv + first;
	j.nwords = (size_t)(argc - first);
	return with_arena(&j.a, allow_job_run, &j);
}

#define SYNOPSIS "[--project] [--dry-run] RULE...\n--remove [--project] [--dry-run] RULE..."
#define SYNOPSIS_ALLOW SYNOPSIS "\n--host [--remove] [--dry-run] HOST..."
#define ABOUT_RULES \
	"A RULE is how a command starts: 'npm install' matches npm install with any further arguments. " \
			"It may also be a permission rule, Bash(npm run " \
	"test:*) or Read(~/.ssh/**), or the name of an MCP tool, mcp__docs_*. Words without blanks " \
			"form one rule; to give several rules, put each in " \
	"quotes. Rules of other kinds (caisson help policy) are written by hand.\n\n"
#define ABOUT_FILE \
	"The rule goes into ~/.config/caisson/config.yaml, with --project into .caisson.yaml. Everything " \
			"else in the file stays byte for byte as it is, comments " \
	"included; if the layout makes that impossible, caisson refuses and prints the line to write " \
			"by hand. Before anything is written the new policy is " \
	"loaded and judges the command of the rule: if another rule or a check would still decide " \
			"otherwise, caisson names it and writes nothing. Then it shows the diff " \
	"and waits for you to type yes.\n\n" \
	"This needs a person: it must be run in a terminal, outside sandboxes, not below an agent " \
			"client, and without the environment variables by which agents mark their " \
	"commands. No option skips the question."

static const struct example_row allow_examples[] = {
	{"caisson allow 'npm install'", "npm install runs without a question, outside the box."},
	{"caisson allow --dry-run 'git push origin'",
			"Shows the line that would be added to the policy, and its effect."},
	{"caisson allow --remove 'npm install'", "Removes the rule again."},
	{"caisson allow --host api.example.com",
			"Boxes may reach this host, and curl https://api.example.com/ needs no question."},
};
static const struct example_row ask_examples[] = {
	{"caisson ask 'git push'", "Asks before every git push, even if a preset allows it."},
};
static const struct example_row deny_examples[] = {
	{"caisson deny 'npm publish'", "Denies npm publish in every project."},
	{"caisson deny --project 'terraform apply'", "The same for everyone who works on this project."},
};

const struct command_row command_allow = {
	.name = "allow",
	.synopsis = SYNOPSIS_ALLOW,
	.summary = "always allow a command: add a rule to your policy",
	.about = ABOUT_RULES
		"An allowed command runs outside the box, with your rights and without a question. A rule "
		"that allows nearly everything (bash, sudo and npx run whatever their arguments say) must be "
		"confirmed with the word everything.\n\n" ABOUT_FILE,
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(allow_examples),
	.run = run_allow,
};

const struct command_row command_ask = {
	.name = "ask",
	.synopsis = SYNOPSIS,
	.summary = "always ask before a command: add a rule to your policy",
	.about = ABOUT_RULES ABOUT_FILE,
	.options = options + 1,
	.noptions = ARRAY_SIZE(options) - 1,
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(ask_examples),
	.run = run_allow,
};

const struct command_row command_deny = {
	.name = "deny",
	.synopsis = SYNOPSIS,
	.summary = "always deny a command: add a rule to your policy",
	.about = ABOUT_RULES ABOUT_FILE,
	.options = options + 1,
	.noptions = ARRAY_SIZE(options) - 1,
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(deny_examples),
	.run = run_allow,
};
