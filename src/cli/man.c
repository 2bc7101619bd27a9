/*
 * Generates manual pages from the rows that parse the command line. `caisson help --man [COMMAND]` prints the
 * pages stored in man/; a test compares them.
 */
#include "cli/cli.h"

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
	buf_c(b, "caisson\\-");
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

	buf_fmt(b, ".\\\" Made by: caisson help --man %s%s%s\n.TH ", quote, c->name, quote);
	put_page(b, c);
	buf_c(b, " 1 \"\" \"caisson " CAISSON_VERSION "\" \"User Commands\"\n.SH NAME\n");
	put_page(b, c);
	buf_c(b, " \\- ");
	put_text(b, c->summary);
	buf_c(b, "\n.SH SYNOPSIS\n");
	while (synopsis_next(&at, &form)) {
		buf_fmt(b, "%s.B caisson %s\n", form.p == c->synopsis ? "" : ".br\n", c->name);
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
	buf_c(b, ".B caisson\n\\-\\-help | \\-\\-version\n.SH DESCRIPTION\nEvery command of an agent is "
			"read as the shell would read it, and what it would do is judged.\n.SH COMMANDS\n");
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
			"documentation that messages name as docs/, among it docs/policy.md with the "
			"language of policies\n.SH SEE ALSO\n");
	for (size_t i = 0; (each = command_at(i)); i++) {
		buf_c(b, ".BR ");
		put_page(b, each);
		buf_fmt(b, " (1)%s\n", command_at(i + 1) ? "," : "");
	}
}
