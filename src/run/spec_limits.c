/*
 * Limits of a run. The command line takes precedence over a skill, the skill over the person's policy, and
 * the policy over the profile. The system's and the project's policies are upper bounds.
 */
#include "run/spec_builder.h"

static const struct wish_row {
	char option[12];
	size_t offset; /* offset in struct run_wishes */
} rows[LIMITS] = {
	[LIMIT_CPUS] = {"--cpus", offsetof(struct run_wishes, cpus)},
	[LIMIT_MEMORY] = {"--memory", offsetof(struct run_wishes, memory)},
	[LIMIT_TIME] = {"--timeout", offsetof(struct run_wishes, timeout)},
	[LIMIT_PIDS] = {"--pids", offsetof(struct run_wishes, pids)},
	[LIMIT_SCRATCH] = {"--scratch", offsetof(struct run_wishes, scratch)},
	[LIMIT_OUTPUT] = {"--output", offsetof(struct run_wishes, output)},
	[LIMIT_CPU_TIME] = {"--cpu-time", offsetof(struct run_wishes, cpu_time)},
	[LIMIT_IO] = {"--io", offsetof(struct run_wishes, io)},
};

/* 0: not requested. */
static int parse_asked(const struct run_wishes *w, enum limit l,
		int (*parse)(enum limit, struct str, uint64_t *, struct err *), uint64_t *ret, struct err *e)
{
	const char *text = *(const char *const *)((const char *)w + rows[l].offset);
	struct err why = {0};

	if (text && parse(l, str_of(text), ret, &why) != 0)
		return err_set(e, ERR_INPUT, 0, "%s '%.60s': %s", rows[l].option, text, why.text);
	return 0;
}

static uint64_t smaller(uint64_t n, uint64_t most) { return most && (!n || most < n) ? most : n; }

void spec_note_capped(struct spec_builder *m, const char *name)
{
	struct texts *t = arena_new(m->a, struct texts);

	t->text = str_of(name);
	t->next = m->r->capped;
	m->r->capped = t;
}

int spec_build_limits(struct spec_builder *m, struct err *e)
{
	const struct policies *p = m->p;
	uint64_t value[LIMITS];

	for (enum limit l = 0; l < LIMITS; l++) {
		const struct limit_set *own = &p->own.sandbox.limits[l],
				*project = &p->project.sandbox.limits[l];
		uint64_t n = 0, less = 0, wish;

		if (parse_asked(m->w, l, limit_parse, &n, e) != 0 ||
				(m->w->within && parse_asked(m->w->within, l, limit_parse_less, &less,
				e) != 0))
			return -1;
		if (!n && l == LIMIT_TIME && m->w->skilled) {
			wish = m->w->skilled->time_ms;
			n = smaller(wish, wish ? own->value : 0);
		} else {
			wish = n;
		}
		if (l == LIMIT_TIME && m->w->audience == AUDIENCE_CLIENT) {
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
		if (l == LIMIT_MEMORY && (m->w->memory || value[l] < n))
			m->r->spec.refuse_watched = !m->w->accept && !p->own.sandbox.accept_watched;
		if (value[l] < (less ? less : wish))
			spec_note_capped(m, audience_limit(m->w->audience, l));
	}
	limits_of(value, &m->r->spec.limits);
	return 0;
}
