/* The table of commands, in the groups of `caisson --help`, and looking one up. */
#include "base/near.h"
#include "cli/cli.h"

#define GROUP_MAX 12 /* commands of a group */
#define COLUMN 13    /* where their summaries begin */

static const struct group {
	char title[40];
	const struct command_row *rows[GROUP_MAX];
} groups[] = {
	{"Start here", {&command_init, &command_doctor, &command_check, &command_run, &command_selftest}},
	{"Your policy", {&command_allow, &command_ask, &command_deny, &command_pause, &command_trust,
			&command_config, &command_presets, &command_checks}},
	{"The record", {&command_stats, &command_audit, &command_replay, &command_suggest, &command_metrics}},
	{"Subcommands of audit", {&command_audit_query, &command_audit_show, &command_audit_tail,
			&command_audit_export, &command_audit_reindex, &command_audit_replay_all,
			&command_audit_prune, &command_audit_checkpoint, &command_audit_keygen}},
	{"Boxes in the background", {&command_ps, &command_logs, &command_wait, &command_result,
			&command_stop, &command_ports}},
	{"Roots of boxes", {&command_image}},
	{"Output of programs", {&command_validate, &command_verify_tests, &command_redact,
			&command_normalise}},
	{"Used by other programs", {&command_hook, &command_mcp, &command_keeper, &command_completion}},
};

/* Other spellings that people type. */
static const struct {
	char spelling[12], name[12];
} aliases[] = {
	{"normalize", "normalise"},
	{"--version", "version"},
	{"-V", "version"},
	{"-v", "version"},
	{"--help", "help"},
	{"-h", "help"},
};

/* Words that people try, and the command that does it. */
static const struct {
	char word[12], command[20];
} synonyms[] = {
	{"explain", "check --explain"}, {"judge", "check"}, {"exec", "run"}, {"install", "init"},
	{"setup", "init"}, {"uninstall", "init --remove"}, {"remove", "init --remove"}, {"status", "doctor"},
	{"test", "selftest"}, {"policy", "config"}, {"rules", "config show"}, {"log", "audit query"},
	{"history", "audit query"}, {"list", "ps"}, {"kill", "stop"}, {"approve", "allow"},
	{"block", "deny"}, {"verify", "audit verify"}, {"query", "audit query"}, {"show", "audit show"},
};

const struct command_row *command_at(size_t i)
{
	for (size_t g = 0; g < ARRAY_SIZE(groups); g++)
		for (size_t k = 0; k < GROUP_MAX && groups[g].rows[k]; k++, i--)
			if (!i)
				return groups[g].rows[k];
	return NULL;
}

const char *command_spelling(const char *word)
{
	ptrdiff_t i = STR_ROW(aliases, spelling, str_of(word));

	if (i >= 0)
		return aliases[i].name;
	return word;
}

const struct command_row *command_find(const char *name)
{
	const struct command_row *c;

	for (size_t i = 0; (c = command_at(i)); i++)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

const char *command_guess(struct arena *a, const char *name)
{
	struct near guess = {.word = str_of(name)};
	const struct command_row *c;

	ptrdiff_t i = STR_ROW(synonyms, word, str_of(name));

	if (i >= 0)
		return str_fmt_c(a, ", did you mean '%s'", synonyms[i].command);
	for (size_t i = 0; (c = command_at(i)); i++)
		near_try(&guess, c->name);
	near_try(&guess, "help");
	near_try(&guess, "version");
	near_try(&guess, "topics");
	topics_try(&guess);
	return near_text(a, &guess, "; see caisson --help (caisson check 'TEXT' judges shell text)");
}

/* Returns the second word of "audit query" if the first is this command, or NULL. */
static const char *subcommand(const struct command_row *c, const char *of)
{
	size_t n = strlen(of);

	return strncmp(c->name, of, n) == 0 && c->name[n] == ' ' ? c->name + n + 1 : NULL;
}

void commands_below(struct buf *b, const char *name)
{
	const struct command_row *c;
	bool any = false;

	for (size_t i = 0; (c = command_at(i)); i++) {
		const char *word = subcommand(c, name);

		if (!word)
			continue;
		buf_fmt(b, "%s  %-*s%s\n", any ? "" : "subcommands:\n", COLUMN, word, c->summary);
		any = true;
	}
	if (any)
		buf_char(b, '\n');
}

static void put_group(struct buf *b, const struct group *g)
{
	buf_fmt(b, "\n%s:\n", g->title);
	for (size_t k = 0; k < GROUP_MAX && g->rows[k]; k++)
		buf_fmt(b, "  %-*s%s\n", COLUMN, g->rows[k]->name, g->rows[k]->summary);
}

void commands_start(struct buf *b)
{
	buf_c(b, "usage: caisson COMMAND [OPTIONS]\n\nJudges the shell commands of AI agents before they "
			"run, and runs them in a\nsandbox.\n");
	put_group(b, &groups[0]);
	buf_c(b, "\n  caisson init && caisson doctor      guard the agents of this machine\n"
			"  caisson check 'curl -s x.sh | sh'   judge a command without running it\n");
}

void commands_help(struct buf *b)
{
	commands_start(b);
	for (size_t g = 1; g < ARRAY_SIZE(groups); g++)
		if (!strchr(groups[g].rows[0]->name, ' ')) /* the command's own help lists those */
			put_group(b, &groups[g]);
	buf_c(b, "\n`caisson help COMMAND` explains a command and its options, `caisson help topics`\n"
			"lists the pages of the documentation. Every command takes --color\n"
			"auto|always|never and obeys NO_COLOR and CLICOLOR_FORCE.\n");
}
