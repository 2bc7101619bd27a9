/*
 * Files whose names are options or hosts. A pattern without a directory (`sort *`) passes names as they are,
 * so a file called -o.envrc is an option of sort, and host:x is a remote file for rsync. It matters only if
 * such a name may exist: on the disk, or made earlier by the request.
 */
#include "base/glob.h"
#include "gate/overlay.h"

/*
 * True if the pattern may match a name that starts with a dash. A pattern that starts with a letter, a dot or
 * a slash cannot.
 */
static bool finds_dash(struct str pattern)
{
	unsigned char c = pattern.n ? (unsigned char)pattern.p[0] : 0;
	bool letter = ascii_is_alnum(c) || c >= 0x80;

	return pattern.n && !letter && !strchr("/._~,%:=", c);
}

bool option_name_fits(struct str pattern, struct str name)
{
	if (!str_starts(name, "-") || !finds_dash(pattern))
		return false;
	if (str_has(pattern, '(') || !text_exact(pattern))
		return true; /* groups count as a match */
	return glob_may(pattern, name, GLOB_PATH) != GLOB_NO;
}

/* True if a matching name exists on the disk. */
static bool on_disk(struct judge *j, struct str dir, struct str pattern)
{
	struct str asked = str_fmt(j->a, "%.*s/-*", STR_ARG(dir.n > 1 ? dir : STR("")));
	const struct glob_answer *g = pmap_get(j->glob_answers, asked);

	if (!g)
		return !judge_ask(j, &(struct question){.kind = QUESTION_GLOB, .path = asked}) ||
				j->v->closed;
	for (size_t i = 0; i < g->nmatches; i++)
		if (option_name_fits(pattern, path_base(g->matches[i])))
			return true;
	return g->more;
}

bool option_name_in(struct judge *j, struct str dir, struct str pattern, struct moment use)
{
	return finds_dash(pattern) && (on_disk(j, dir, pattern) || overlay_option_name(j, dir, pattern, use));
}

/*
 * Returns the first component of a pattern, or "*" for a name that a loop found. Empty if the word is
 * neither.
 */
static struct str first_component(const struct word *w)
{
	size_t slash = str_end(w->text, '/', 0);

	if (w->kind == WORD_UNKNOWN && w->text.n && w->text.p[0] == HOLE_NAME)
		return STR("*");
	return w->kind == WORD_REST && w->glob ? str_first(w->text, slash) :
			STR("");
}

/* True in one of the directories where the command may run. */
static bool may_be_there(struct judge *j, const struct command *c, struct str pattern)
{
	for (size_t i = 0; i < c->ndirs; i++)
		if (text_exact(c->dirs[i]) && str_starts(c->dirs[i], "/") &&
			option_name_in(j, path_plain(j->a, c->dirs[i]), pattern, c->when))
			return true;
	return false;
}

/* Returns the first word of the command that may match an option's name, or NULL. */
static const struct word *hidden_in(struct judge *j, struct subject *s)
{
	for (size_t i = 1; i < s->c->argc && s->row; i++) {
		const struct word *w = &s->c->argv[i];
		struct str pattern = first_component(w);

		if (finds_dash(pattern) && know_option_acts(subject_options(j, s), s->c->argv, i) &&
			may_be_there(j, s->c, pattern))
			return w;
	}
	return NULL;
}

void option_names_ask(struct judge *j)
{
	for (size_t i = 0; i < j->nsubjects; i++)
		hidden_in(j, &j->subjects[i]);
}

void option_names_check(struct judge *j, const struct check *c)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];
		const struct word *w = hidden_in(j, s);

		if (w)
			judge_raise_with(j, c, s->c->at, judge_quote(j, "", w->at, str_fmt_c(j->a,
					" may find a file whose name is an option of %s, so it may only run "
					"in the box", subject_options(j, s)->name)),
					"write ./ or -- before the pattern");
	}
}

/* ---- hosts ---- */

/* True if the pattern matches a name with a colon on the disk. */
static bool host_on_disk(struct judge *j, struct str dir, const char *names, struct str pattern)
{
	struct str asked = str_path(j->a, dir.n > 1 ? dir : STR(""), str_of(names));
	const struct glob_answer *g = pmap_get(j->glob_answers, asked);

	if (!g)
		return !judge_ask(j, &(struct question){.kind = QUESTION_GLOB, .path = asked}) ||
			j->v->closed;
	for (size_t i = 0; i < g->nmatches; i++)
		if (glob_may(pattern, path_base(g->matches[i]), GLOB_PATH) != GLOB_NO)
			return true;
	return g->more;
}

/*
 * True if an earlier command of the request may make a name with a colon. Only a plain file or directory
 * cannot.
 */
static bool host_made(const struct judge *j, struct moment use)
{
	for (const struct access *x = j->f->accesses; x; x = x->next) {
		if (x->kind != ACCESS_WRITE || !moment_precedes(x->when, use))
			continue;
		if (x->path.kind != WORD_EXACT || x->below || x->change != CHANGE_PLAIN ||
			str_has(x->path.text, ':'))
			return true;
	}
	return false;
}

bool option_names_no_host(struct judge *j, const struct subject *s, const struct word *w)
{
	struct str pattern = first_component(w);
	bool found = false;

	if (w->kind != WORD_REST || !pattern.n || !text_exact(w->text))
		return false;
	if (strpbrk(str_c(j->a, pattern), ":(") || !s->c->ndirs || host_made(j, s->c->when))
		return false;
	for (size_t i = 0; i < s->c->ndirs; i++) {
		struct str dir = path_plain(j->a, s->c->dirs[i]);

		if (!text_exact(dir) || !str_starts(dir, "/"))
			return false;
		/* ask both at once: each question that waits for an answer costs a round */
		found |= host_on_disk(j, dir, "*:*", pattern);
		found |= host_on_disk(j, dir, ".*:*", pattern);
	}
	return !found;
}
