/*
 * A planted repository: a directory that holds HEAD, objects and refs (or commondir, which says where those are) is a repository to git, and its
 * config may name programs that even `git status` runs. Whoever may write files in the project can make one, so git in such a directory runs
 * in the box.
 */
#include "gate/judge.h"

struct look {
	bool present, asked;
};

static void look_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	struct look *l = ctx;

	(void)j, (void)x;
	l->asked |= w->answer != NULL;
	l->present |= w->answer && w->answer->target != PATH_ABSENT && w->answer->target != PATH_UNREADABLE;
}

static bool present(struct judge *j, struct str dir, const char *name)
{
	struct access x = {.kind = ACCESS_READ};
	struct look l = {0};

	x.path = (struct word){.kind = WORD_EXACT, .text = str_fmt(j->a, "%.*s/%s", STR_ARG(dir), name)};
	paths_each(j, &x, look_one, &l);
	return l.present;
}

void repository_ask(struct judge *j, const struct command *c)
{
	if (c->argc && c->argv[0].kind == WORD_EXACT && str_is(path_base(c->argv[0].text), "git") && text_exact(c->cwd) && str_starts(c->cwd, "/")) {
		present(j, c->cwd, "HEAD");
		git_hooks_answer(j, c->cwd);
	}
}

struct str repository_directory(struct judge *j, struct subject *s)
{
	struct know_options *o = subject_options(j, s);
	struct str dir = s->c->cwd;

	for (size_t i = 0; i < o->noptions; i++) {
		struct know_option *k = &o->options[i];

		if (!k->global || strcmp(k->name, "-C") != 0) /* git commit and git branch have a -C of their own */
			continue;
		if (!k->has_value || k->value.kind != WORD_EXACT)
			return STR("");
		dir = str_starts(k->value.text, "/") ? k->value.text : str_fmt(j->a, "%.*s/%.*s", STR_ARG(dir), STR_ARG(k->value.text));
	}
	return text_exact(dir) && str_starts(dir, "/") ? dir : STR("");
}

void repository_planted(struct judge *j, const struct check *c)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];
		struct str dir;

		if (!str_is(s->base, "git"))
			continue;
		dir = repository_directory(j, s);
		if (!dir.n || !present(j, dir, "HEAD") || str_ends(dir, "/.git"))
			continue;
		/* all at once: every question that depends on an answer is a round of its own */
		bool objects = present(j, dir, "objects"), refs = present(j, dir, "refs"), common = present(j, dir, "commondir"), own = present(j, dir, ".git");
		if (((objects && refs) || common) && !own)
			judge_say(j, c, s->c->at, str_fmt(j->a, "'%.*s' looks like a repository of its own, whose settings may make git run programs", STR_ARG(dir)));
	}
}

/* Programs that run git without being asked to. */
static const char run_git[][12] = {"git", "gh", "glab", "hub", "tig", "lazygit", "gitui", "gitk", "jj", "git-lfs", "pre-commit", ""};

/* Ways to a command that do not change the directory, or whose directory the reader follows. Others may run it anywhere. */
static const char ways[][18] = {"direct", "subst", "procsub", "function", "alias", "eval", "trap", "source", "sh-c", "stdin-shell", "xargs", "code:python", "code:javascript", "code:powershell", "wrapper:env",
	"wrapper:command", "wrapper:exec", "wrapper:builtin", "wrapper:nice", "wrapper:ionice", "wrapper:nohup", "wrapper:time", "wrapper:timeout", "wrapper:stdbuf", "wrapper:setsid", "wrapper:sudo", "wrapper:watch", ""};

static bool stays(const struct via *v)
{
	for (; v; v = v->outer)
		if (!STR_LISTED(str_of(v->name), ways))
			return false;
	return true;
}

/* The same directory, one above it, or one below it: git looks for repositories both ways. */
static bool related(const struct judge *j, struct str path)
{
	for (const struct root *r = j->v->unvetted.workspaces; r; r = r->next)
		if (path_within(path, r->path) || path_within(r->path, path))
			return true;
	return false;
}

static void related_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	bool *found = ctx;

	(void)x;
	*found |= !w->sure || related(j, w->path) || related(j, w->real);
}

/* As it is written and where it leads. What is not known may be anywhere. */
static bool leads_there(struct judge *j, struct str dir, struct str path)
{
	struct access x = {.kind = ACCESS_READ};
	bool found = false;

	x.path = (struct word){.kind = WORD_EXACT, .text = str_starts(path, "/") ? path : str_fmt(j->a, "%.*s/%.*s", STR_ARG(dir), STR_ARG(path))};
	return !paths_each(j, &x, related_one, &found) || found;
}

/* An option before the subcommand, or a variable, that says where the repository or its files are. */
static bool named_there(struct judge *j, struct subject *s, struct str dir)
{
	static const char places[][12] = {"--git-dir", "--work-tree", ""};
	struct know_options *o = subject_options(j, s);

	for (size_t i = 0; i < o->noptions; i++) {
		struct know_option *k = &o->options[i];

		if (k->global && STR_LISTED(str_of(k->name), places) && (!k->has_value || k->value.kind != WORD_EXACT || leads_there(j, dir, k->value.text)))
			return true;
	}
	for (const struct setting *v = j->f->settings; v; v = v->next)
		if (str_starts(v->name, "GIT_") && (!text_exact(v->value) || leads_there(j, dir, v->value)))
			return true;
	return false;
}

/* A word that names something in such a workspace; options of other programs than git are not known one by one. */
static bool mentioned(struct judge *j, const struct subject *s, struct str dir)
{
	for (size_t i = 1; i < s->c->argc; i++) {
		struct str text = s->c->argv[i].text, path;
		ptrdiff_t equals = str_find(text, '=', 0);

		if (str_starts(text, "-") && equals > 0)
			text = str_sub(text, (size_t)equals + 1, text.n);
		path = path_plain(j->a, str_starts(text, "/") ? text : str_fmt(j->a, "%.*s/%.*s", STR_ARG(dir), STR_ARG(text)));
		for (const struct root *r = j->v->unvetted.workspaces; r; r = r->next)
			if (path_within(path, r->path))
				return true;
	}
	return false;
}

/* A word that is not known may be an option that names a directory: git's stand before its subcommand. */
static bool hidden_option(struct judge *j, struct subject *s)
{
	static const char without[][12] = {"gh", "glab", "hub", "pre-commit", ""};
	struct know_options *o = subject_options(j, s);
	size_t end = str_is(s->base, "git") && o->nwords ? o->words[0] : s->c->argc;

	for (size_t i = 1; i < end && !STR_LISTED(s->base, without); i++)
		if (s->c->argv[i].kind != WORD_EXACT)
			return true;
	return false;
}

static bool meets_unvetted(struct judge *j, struct subject *s)
{
	struct str dir;

	if (j->v->unvetted.everywhere)
		return true;
	if (!j->v->unvetted.workspaces)
		return false;
	dir = repository_directory(j, s);
	return related(j, j->v->project) || !dir.n || !stays(s->c->via) || leads_there(j, dir, STR(".")) || hidden_option(j, s) || named_there(j, s, dir) || mentioned(j, s, dir);
}

void repository_unvetted(struct judge *j, const struct check *c)
{
	if (!j->v->unvetted.everywhere && !j->v->unvetted.workspaces)
		return;
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];

		if ((STR_LISTED(s->base, run_git) || str_starts(s->base, "git-")) && meets_unvetted(j, s))
			judge_say(j, c, s->c->at, STR("programs in a box may have left repositories where this goes, and not all of them have been judged yet"));
	}
}
