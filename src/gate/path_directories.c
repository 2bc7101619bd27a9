/*
 * Working directories outside the project: `cd /etc && ls` and `git -C /etc status` read there without naming
 * a file.
 */
#include "gate/judge.h"

static void outside_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	const struct check *c = ctx;

	if (w->place == PLACE_SYSTEM || w->place == PLACE_OUTSIDE || w->place == PLACE_UNKNOWN)
		judge_say(j, c, x->at,
			str_fmt(j->a, "%s works in a directory outside the project: '%.*s'", x->by,
				STR_ARG(w->path)));
}

/*
 * `text` is a directory, relative to that of the command. An unknown directory is not reported, like an
 * unknown file that is read.
 */
static void look_at(struct judge *j, const struct check *c, const struct subject *s, struct str text)
{
	struct str dir = text.n && text.p[0] != '/' ? str_path(j->a, s->c->cwd, text) : text;
	struct access x = {.kind = ACCESS_READ, .by = str_c(j->a, s->base), .at = s->c->at};

	if (!dir.n || dir.p[0] != '/' || !text_exact(dir))
		return;
	x.path = (struct word){.kind = WORD_EXACT, .text = dir, .at = s->c->at};
	paths_each(j, &x, outside_one, (void *)(uintptr_t)c);
}

void paths_directories(struct judge *j, const struct check *c)
{
	if (judge_grade(j, c) == GRADE_OFF)
		return;
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];
		bool goes = str_is_any(s->base, "cd pushd");

		if (!s->base.n)
			continue;
		if (goes && s->c->argc == 2 && s->c->argv[1].kind == WORD_EXACT &&
				!str_is(s->c->argv[1].text, "-"))
			look_at(j, c, s, s->c->argv[1].text);
		else if (!goes)
			look_at(j, c, s, s->c->cwd);
		for (const struct know_use *u = s->row ? subject_known(j, s)->uses : NULL; u; u = u->next)
			if (u->role == USE_DIR && u->value.kind == WORD_EXACT)
				look_at(j, c, s, u->value.text);
	}
}
