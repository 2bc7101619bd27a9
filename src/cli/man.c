/*
 * Generates manual pages from the rows that parse the command line. `caisson help --man [COMMAND]` prints the
 * pages stored in man/; a test compares them.
 */
#include "cli/cli.h"
#include "config/policy_schema.h"

/*
 * Appends text for roff: escapes backslashes, dashes and quotes, and protects a dot or quote at the start of
 * a line.
 */
static void put_str(struct buf *b, struct str s)
{
	for (const char *p = s.p; p < s.p + s.n; p++) {
		if ((*p == '.' || *p == '\'') && (p == s.p || p[-1] == '\n'))
			buf_c(b, "\\&");
		if (*p == '\\')
			buf_c(b, "\\e");
		else if (*p == '-')
			buf_c(b, "\\-");
		else if (*p == '"')
			buf_c(b, "\\(dq"); /* macros interpret quotes */
		else
			buf_char(b, *p);
	}
}

static void put_text(struct buf *b, const char *s) { put_str(b, str_of(s)); }

static void put_about(struct buf *b, const char *s)
{
	for (; s && *s; s++) {
		const char *end = strstr(s, "\n\n");
		struct buf line;

		buf_init(&line, b->a, 0);
		buf_add(&line, s, end ? (size_t)(end - s) : strlen(s));
		buf_char(&line, '\0');
		put_text(b, line.p);
		buf_c(b, "\n.PP\n");
		if (!end)
			break;
		s = end + 1;
	}
}

static void put_options(struct buf *b, const struct command_row *c)
{
	buf_c(b, ".SH OPTIONS\n");
	for (size_t i = 0; i < c->noptions; i++) {
		const struct option_row *o = &c->options[i];

		if (o->kind == OPTION_GROUP) {
			buf_c(b, ".SS ");
			put_text(b, o->help);
			buf_char(b, '\n');
			continue;
		}
		buf_c(b, o->name[1] ? ".TP\n\\fB\\-\\-" : ".TP\n\\fB\\-");
		put_text(b, o->name);
		buf_c(b, "\\fR");
		if (o->value[0]) {
			buf_c(b, " \\fI");
			put_text(b, o->value);
			buf_c(b, "\\fR");
		}
		buf_char(b, '\n');
		put_text(b, o->help);
		buf_char(b, '\n');
	}
}

/* The page of "audit prune" is caisson-audit-prune. */
static void put_page(struct buf *b, const struct command_row *c)
{
	buf_c(b, c->alone ? "" : "caisson\\-");
	for (const char *p = c->name; *p; p++)
		if (*p == ' ' || *p == '-')
			buf_c(b, "\\-");
		else
			buf_char(b, *p);
}

static void man_command(struct buf *b, const struct command_row *c)
{
	const char *quote = strchr(c->name, ' ') ? "'" : "", *at = c->synopsis;
	struct str form;

	if (c->alone)
		buf_fmt(b, ".\\\" Made by: %s --man\n.TH ", c->name);
	else
		buf_fmt(b, ".\\\" Made by: caisson help --man %s%s%s\n.TH ", quote, c->name, quote);
	put_page(b, c);
	buf_fmt(b, " %s\n.SH NAME\n", c->alone ? "8 \"\" \"caisson " CAISSON_VERSION
			"\" \"System Administration\"" : "1 \"\" \"caisson " CAISSON_VERSION
			"\" \"User Commands\"");
	put_page(b, c);
	buf_c(b, " \\- ");
	put_text(b, c->summary);
	buf_c(b, "\n.SH SYNOPSIS\n");
	while (synopsis_next(&at, &form)) {
		buf_fmt(b, "%s.B %s%s\n", form.p == c->synopsis ? "" : ".br\n", c->alone ? "" : "caisson ",
				c->name);
		put_str(b, form);
		buf_char(b, '\n');
	}
	buf_c(b, ".SH DESCRIPTION\n");
	put_about(b, c->about);
	put_options(b, c);
	buf_c(b, ".SH EXIT STATUS\n");
	for (size_t i = 0; i < c->nexits; i++) {
		buf_fmt(b, ".TP\n.B %d\n", c->exits[i].code);
		put_text(b, c->exits[i].meaning);
		buf_char(b, '\n');
	}
	buf_c(b, ".SH EXAMPLES\n");
	for (size_t i = 0; i < c->nexamples; i++) {
		buf_c(b, ".TP\n.B ");
		put_text(b, c->examples[i].line);
		buf_char(b, '\n');
		put_text(b, c->examples[i].meaning);
		buf_char(b, '\n');
	}
	buf_c(b, ".SH SEE ALSO\n.BR caisson (1)\n");
}

static void man_key(struct buf *b, const struct yaml_file *shapes, const struct config_key *k)
{
	static const char who[][72] = {[WHO_ANYONE] = "every file may set it",
			[WHO_TRUSTED] = "the system's file, yours and a trusted project's may set it",
			[WHO_OWNER] = "the system's file and yours may set it",
			[WHO_SYSTEM] = "the system's file may set it"};

	buf_c(b, ".TP\n.B ");
	put_text(b, k->name);
	buf_char(b, '\n');
	put_text(b, k->help);
	buf_c(b, ".\nValue: ");
	put_text(b, config_shape_text(b->a, shapes, k));
	buf_c(b, "; ");
	put_text(b, k->apart ? "every file may set it, an untrusted project's only to be stricter" :
			who[k->who]);
	buf_c(b, ".\n.br\nExample: ");
	put_text(b, k->example);
	buf_char(b, '\n');
}

int man_policy(struct buf *b)
{
	struct yaml_file shapes;
	struct err e = {0};

	if (config_shapes(b->a, &shapes, &e) != 0) {
		output_error("%s", e.text);
		return EXIT_INTERNAL;
	}
	buf_c(b, ".\\\" Made by: caisson help --man " MAN_POLICY "\n.TH " MAN_POLICY " 5 \"\" \"caisson "
			CAISSON_VERSION "\" \"File Formats\"\n");
	buf_c(b, ".SH NAME\n" MAN_POLICY " \\- policy of caisson(1)\n.SH DESCRIPTION\nA policy adds "
			"rules to the built\\-in checks. It is YAML, or JSON. Several files apply "
			"together: lists follow "
			"one another, and of single values the last one wins. A project's file that you have "
			"not trusted can only make verdicts stricter. Keys may be nested (tools: {bash: "
			"{deny: [...]}}) or written with their dots (tools.bash.deny: [...]).\n.PP\n");
	buf_c(b, "For each command, the first of these that matches decides: deny rules, scoped allow rules "
			"(allowChecks, arguments, redirects, interpreters), ask rules, allow rules, or the "
			"key default. The strictest verdict of all commands in a line holds. The order of "
			"rules in a file has no meaning.\n");
	buf_c(b, ".SH FILES\n.TP\n.I /etc/caisson/config.yaml\nthe system's policy\n.TP\n"
			".I ~/.config/caisson/config.yaml\nyour policy; caisson config init writes one to "
			"start with\n.TP\n.I .caisson.yaml\na project's policy, in its root; see "
			"caisson\\-trust(1)\n");
	for (size_t g = 0; config_group(g); g++) {
		buf_fmt(b, ".SH ");
		put_text(b, config_group(g));
		buf_char(b, '\n');
		for (size_t i = 0; config_key(i); i++)
			if (config_group_of(config_key(i)) == g)
				man_key(b, &shapes, config_key(i));
	}
	buf_c(b, ".SH SEE ALSO\n.BR caisson (1),\n.BR caisson\\-config (1),\n.BR caisson\\-checks (1),\n"
			".BR caisson\\-presets (1),\n.BR caisson\\-allow (1),\n.BR caisson\\-trust (1)\n");
	return 0;
}

void man_print(struct buf *b, const struct command_row *c)
{
	const struct command_row *each;

	if (c) {
		man_command(b, c);
		return;
	}
	buf_c(b, ".\\\" Made by: caisson help --man\n.TH caisson 1 \"\" \"caisson " CAISSON_VERSION
			"\" \"User Commands\"\n");
	buf_c(b, ".SH NAME\ncaisson \\- judges the shell commands of AI agents before they run\n.SH "
			"SYNOPSIS\n.B caisson\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.br\n");
	buf_c(b, ".B caisson\n\\-\\-help | \\-\\-version\n.SH DESCRIPTION\nCaisson reads every command of an "
			"agent as the shell would, judges what it would do, and runs it in a sandbox where "
			"needed.\n.SH COMMANDS\n");
	for (size_t i = 0; (each = command_at(i)); i++) {
		buf_c(b, ".TP\n.BR ");
		put_page(b, each);
		buf_c(b, " (1)\n");
		put_text(b, each->summary);
		buf_char(b, '\n');
	}
	buf_c(b, ".TP\n.B help\nthe usage of a command\n.SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colours at a "
			"terminal when set\n");
	buf_c(b, ".TP\n.B HOME\ncounts only when it names a directory that the caller owns\n");
	buf_c(b, ".SH FILES\n.TP\n.I share/doc/caisson\nbelow the prefix of the installation: the "
			"documentation; caisson help TOPIC prints its pages\n.SH SEE ALSO\n"
			".BR caisson.yaml (5),\n");
	for (size_t i = 0; (each = command_at(i)); i++) {
		buf_c(b, ".BR ");
		put_page(b, each);
		buf_fmt(b, " (1)%s\n", command_at(i + 1) ? "," : "");
	}
}
