/*
 * The derivation of a judgement, for --explain and the JSON answer: the rules that matched and what they
 * lifted, the resolved paths, the knowledge rows of commands. Nothing here affects the verdict; each list is
 * bounded.
 */
#include "gate/judge.h"

static bool same_step(const struct step *s, enum step_kind k, struct str rule, struct span at)
{
	return s->kind == k && span_same(s->at, at) && str_eq(s->rule, rule);
}

void judge_step(struct judge *j, enum step_kind k, struct str rule, struct span at)
{
	struct step *s;

	if (j->nsteps >= GATE_STEPS_MAX)
		return;
	for (s = j->ret->steps; s; s = s->next)
		if (same_step(s, k, rule, at))
			return;
	j->nsteps++;
	s = arena_copy(j->a, (struct step){.kind = k, .rule = rule, .subject = judge_excerpt(j, at),
			.at = at});
	LIST_ADD(j->steps_end, s);
}

static enum place shown_place(const struct judge *j, const struct where *w)
{
	if (w->place == PLACE_ROOT && j->v->project.n && path_within(w->real, j->v->project))
		return PLACE_PROJECT;
	if (w->place == PLACE_OUTSIDE && j->v->home.n > 1 && path_within(w->real, j->v->home))
		return PLACE_HOME;
	return w->place;
}

void judge_placed(struct judge *j, const struct access *x, const struct where *w)
{

	if (j->nplaced >= GATE_PLACED_MAX)
		return;
	j->nplaced++;
	LIST_NEW(j->a, j->placed_end, (struct placed){.access = x, .path = w->path, .real = w->real,
			.place = shown_place(j, w), .wild = w->wild, .sure = w->sure});
}

void judge_known(struct judge *j)
{
	struct known **end = &j->ret->known;

	for (size_t i = 0; i < j->nsubjects && i < GATE_KNOWN_MAX; i++) {
		struct subject *s = &j->subjects[i];
		const struct know_result *k;
		struct known *n;

		if (!s->row)
			continue;
		k = subject_known(j, s);
		n = arena_copy(j->a, (struct known){.command = s->c, .row = k->name, .effects = k->effects,
				.readonly = k->readonly, .own = s->row != know_find(s->base, NULL, 0)});
		LIST_ADD(end, n);
	}
}
