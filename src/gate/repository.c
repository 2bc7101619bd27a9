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
	if (c->argc && c->argv[0].kind == WORD_EXACT && str_is(path_base(c->argv[0].text), "git") && text_exact(c->cwd) && str_starts(c->cwd, "/"))
		present(j, c->cwd, "HEAD");
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

void repository_unvetted(struct judge *j, const struct check *c)
{
	for (size_t i = 0; i < j->nsubjects && j->v->unvetted; i++) {
		struct subject *s = &j->subjects[i];

		if (STR_LISTED(s->base, run_git) || str_starts(s->base, "git-"))
			judge_say(j, c, s->c->at, STR("programs that ran in a box may have left repositories here, and not all of them have been judged yet"));
	}
}
