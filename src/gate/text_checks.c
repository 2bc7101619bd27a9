/*
 * Checks of the text itself: syntax that the reader understood, but that a stricter policy restricts. Also
 * the advice about file work.
 */
#include "base/glob.h"
#include "gate/judge.h"

#define MANY_COMMANDS 50

static const char sentences[MARK_KINDS][92] = {
	[MARK_FRAGMENT] = "the text looks like a part of a command",
	[MARK_SAFE_SUBST] = "a here-document inside a substitution, taken literally",
	[MARK_OBFUSCATED_FLAG] = "quotes or expansions inside the name of an option hide it from a reader",
	[MARK_METACHARACTER] = "a quoted shell operator inside an argument",
	[MARK_VARIABLE_CONTEXT] = "a variable decides where a redirection or a pipe leads",
	[MARK_COMMENT_QUOTE] = "a quote inside a comment can confuse readers about quoting",
	[MARK_QUOTED_NEWLINE] = "a newline inside quotes",
	[MARK_CARRIAGE_RETURN] = "a carriage return, which some readers take as the end of a line",
	[MARK_NEWLINE] = "several commands on separate lines",
	[MARK_IFS] = "$IFS used as a blank hides words from a reader",
	[MARK_BACKTICK] = "a command substitution in backticks",
	[MARK_SUBSTITUTION] = "a command or process substitution",
	[MARK_PARAMETER] = "a parameter expansion in braces",
	[MARK_OLD_ARITHMETIC] = "arithmetic in the old form $[ ]",
	[MARK_ZSH_EXPANSION] = "an expansion that only zsh knows",
	[MARK_REDIRECTION] = "a redirection to or from a file",
	[MARK_ESCAPED_BLANK] = "a blank with a backslash before it",
	[MARK_ESCAPED_OPERATOR] = "an operator with a backslash before it",
	[MARK_UNICODE_BLANK] = ("white space that is not ASCII: it looks like a blank, but the shell treats "
			"it as a letter"),
	[MARK_MIDWORD_HASH] = "a # next to a quote inside a word",
	[MARK_BRACES] = "a brace expansion",
	[MARK_MALFORMED] = "a word with unbalanced brackets or quotes in it",
	[MARK_INVISIBLE] = "characters that cannot be seen, or that change the order in which text is shown",
	[MARK_HOMOGLYPH] = "letters of another script that look like ASCII ones",
	[MARK_PROMPT_EXPANSION] = "a text that is expanded like a prompt, so that substitutions in it run",
	[MARK_ARITHMETIC_CODE] = "arithmetic on a value that may contain a command",
};

static bool inside_safe(const struct judge *j, const struct mark *m)
{
	for (const struct mark *s = j->f->marks; s; s = s->next)
		if (s->kind == MARK_SAFE_SUBST && s->at.text == m->at.text && s->at.from <= m->at.from &&
				m->at.to <= s->at.to)
			return true;
	return false;
}

/* The check's row selects its marks. Marks in a safe substitution are findings of that row only. */
void text_marks(struct judge *j, const struct check *c)
{
	if (judge_grade(j, c) == GRADE_OFF)
		return;
	for (const struct mark *m = j->f->marks; m; m = m->next)
		if ((c->marks >> m->kind & 1) && (m->kind == MARK_SAFE_SUBST || m->kind == MARK_INVISIBLE ||
				!inside_safe(j, m)))
			judge_say(j, c, m->at, str_of(sentences[m->kind]));
}

void text_empty(struct judge *j, const struct check *c)
{
	if (!j->f->commands && !j->f->troubles && !j->f->accesses && !j->f->settings)
		judge_say(j, c, (struct span){0}, STR("this text contains no command"));
}

void text_git_commit(struct judge *j, const struct check *c)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];
		const struct know_option *o = NULL;

		if (!str_is(s->base, "git") || strcmp(subject_options(j, s)->name, "git commit") != 0)
			continue;
		while ((o = know_option_find(subject_options(j, s), "-m", o)))
			if (o->has_value && o->value.kind != WORD_EXACT)
				judge_say(j, c, s->c->at,
						STR("the message of this commit is unknown before it runs"));
	}
}

void text_jq(struct judge *j, const struct check *c)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];
		struct know_options *o;

		if (!str_is_any(s->base, "jq gojq jaq"))
			continue;
		o = subject_options(j, s);
		if (know_has(o, "-f") || know_has(o, "--from-file") || know_has(o, "-L"))
			judge_say(j, c, s->c->at, STR("jq reads its program from a file that was not "
					"judged"));
		for (size_t k = 0; k < o->noperands; k++)
			if (str_contains(s->c->argv[o->operands[k]].text, STR("system(")) ||
					str_contains(s->c->argv[o->operands[k]].text, STR("system (")))
				judge_say(j, c, s->c->at, STR("a jq program that calls system()"));
	}
}

void text_zsh(struct judge *j, const struct check *c)
{
	static const char names[] =
			"zmodload emulate sysopen sysread syswrite sysseek syserror ztcp zsocket zpty "
			"zselect zprof zftp zstyle zparseopts zregexparse zle zcompile autoload disable "
			"vared sched ttyctl noglob nocorrect mapfile_zsh";

	for (size_t i = 0; i < j->nsubjects; i++)
		if (str_is_any(j->subjects[i].base, names) || str_starts(j->subjects[i].base, "zf_"))
			judge_say(j, c, j->subjects[i].c->at, judge_quote(j, "", j->subjects[i].c->at,
					" is a zsh builtin that caisson does not analyse"));
}

void text_many(struct judge *j, const struct check *c)
{
	if (j->nsubjects > MANY_COMMANDS)
		judge_say(j, c, j->subjects[MANY_COMMANDS].c->at,
				str_fmt(j->a, "this is %zu commands, more than %d", j->nsubjects,
				MANY_COMMANDS));
}

/* ---- advice ---- */

static const struct {
	char name[8], tool[8];
} routes[] = {
	{"cat", "Read"}, {"head", "Read"}, {"tail", "Read"}, {"less", "Read"}, {"more", "Read"},
	{"grep", "Grep"}, {"egrep", "Grep"}, {"fgrep", "Grep"}, {"rg", "Grep"}, {"ag", "Grep"},
	{"ack", "Grep"},
	{"find", "Glob"}, {"fd", "Glob"}, {"ls", "Glob"}, {"sed", "Edit"}, {"awk", "Read"}, {"cut", "Read"},
	{"wc", "Read"}, {"sort", "Read"}, {"uniq", "Read"},
};

static bool is_redirected(const struct judge *j)
{
	for (const struct access *x = j->f->accesses; x; x = x->next)
		if (x->kind == ACCESS_WRITE && x->cause == CAUSE_REDIRECT)
			return true;
	return false;
}

/* Plain file work: the whole request is one command that only reads or edits files, without a pipe. */
void advice_route(struct judge *j, const struct check *c)
{
	static const enum grade grades[] = {[ROUTE_ADVISE] = GRADE_OFF, [ROUTE_OFF] = GRADE_OFF,
			[ROUTE_WARN] = GRADE_WARN, [ROUTE_ASK] = GRADE_ASK, [ROUTE_DENY] = GRADE_DENY};
	const struct command *k = j->f->commands;
	const char *tool;
	struct str text;

	if (!k || k->next || j->p->route == ROUTE_OFF || !j->subjects[0].base.n || k->via->kind != VIA_DIRECT)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(routes); i++) {
		if (!str_is(j->subjects[0].base, routes[i].name))
			continue;
		tool = is_redirected(j) ? "Write" : routes[i].tool;
		text = str_fmt(j->a,
				"for plain file work prefer the %s tool to '%s'; use the shell to run "
				"programs", tool, routes[i].name);
		if (j->p->route == ROUTE_ADVISE) {
			LIST_NEW(j->a, j->advice_end, (struct reason){.id = c->id, .grade = GRADE_OFF,
					.message = text, .alternative = str_of(tool), .at = k->at});
		} else {
			judge_raise(j, c, &(struct finding){.grade = grades[j->p->route], .message = text,
					.alternative = str_of(tool), .at = k->at});
		}
		return;
	}
}
