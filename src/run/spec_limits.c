/*
 * Limits of a run. The command line takes precedence over a skill, the skill over the person's policy, and
 * the policy over the profile. The system's and the project's policies are upper bounds.
 */
#include "run/spec_builder.h"

#define SKILL_TIME_MAX ((uint64_t)60 * 60 * 1000) /* ms */
#define SKILL_TIMES 4

static uint64_t smaller(uint64_t n, uint64_t most) { return most && (!n || most < n) ? most : n; }

void spec_note_capped(struct spec_builder *m, const char *name)
{
	texts_push(m->a, &m->r->capped, str_of(name));
}

/*
 * A skill is somebody else's text: where the person's policy sets no limit, it gets an hour, and four times
 * the memory and CPUs of the profile.
 */
static uint64_t skill_most(const struct spec_builder *m, enum limit l)
{
	return l == LIMIT_TIME ? SKILL_TIME_MAX : SKILL_TIMES * limit_default(m->r->spec.profile, l,
			&m->world->machine);
}

void spec_build_limits(struct spec_builder *m)
{
	const struct policies *p = m->p;
	uint64_t value[LIMITS];

	for (enum limit l = 0; l < LIMITS; l++) {
		const struct limit_set *own = &p->own.sandbox.limits[l],
				*project = &p->project.sandbox.limits[l];
		uint64_t n = m->rq->limits[l], less = m->rq->lower[l], wish;

		if (!n && m->rq->skilled) {
			wish = m->rq->skilled->limits[l];
			n = wish ? smaller(smaller(wish, own->value), own->value ? 0 : skill_most(m, l)) : 0;
		} else {
			wish = n;
		}
		if (l == LIMIT_TIME && m->rq->audience == AUDIENCE_CLIENT) {
			/* the client's limit is no request: the person's own applies if it is lower */
			n = smaller(n, own->value);
			wish = 0;
		}
		if (!n)
			n = own->value;
		if (!n)
			n = limit_default(m->r->spec.profile, l, &m->world->machine);
		n = smaller(n, own->most);
		if (l == LIMIT_PIDS && m->world->machine.pids)
			/* the other half is for the caller's other processes */
			n = smaller(n, m->world->machine.pids / 2 + 1);
		n = p->apart ? smaller(n, project->most) : n;
		for (const struct policy_around *x = p->around; x; x = x->next)
			n = smaller(n, x->policy.sandbox.limits[l].most);
		value[l] = smaller(n, less);
		/*
		 * The caller asked for this limit and relies on it, so a cgroup must enforce it. Policies and
		 * profiles also apply without a cgroup.
		 */
		if (l == LIMIT_MEMORY && (m->rq->limits[l] || value[l] < n))
			m->r->spec.refuse_watched = !m->rq->accept_watched && !p->own.sandbox.accept_watched;
		if (value[l] < (less ? less : wish))
			spec_note_capped(m, audience_limit(m->rq->audience, l));
	}
	limits_of(value, &m->r->spec.limits);
}
