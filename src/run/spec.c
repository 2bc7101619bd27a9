/* Builds a spec from options. The steps run in the order of their dependencies; the first error ends it. */
#include "base/num.h"
#include "run/spec_builder.h"

static int set_profile(struct spec_builder *m, struct err *e)
{
	const char *name = m->w->profile;

	if (name && profile_find(str_of(name), &m->r->spec.profile) != 0)
		return err_set(e, ERR_INPUT, 0, "--profile '%.40s': expected exec or work", name);
	return 0;
}

int run_skill(struct arena *a, struct run_wishes *w, struct err *e)
{
	struct skill *s;

	if (!w->skill)
		return 0;
	s = arena_new(a, struct skill);
	if (skill_load(a, w->skill, s, e) != 0)
		return -1;
	w->skilled = s;
	w->gate |= s->binaries != NULL;
	return 0;
}

bool run_iso_times(const struct run_wishes *w)
{
	return w && (w->iso_times || (w->skilled && w->skilled->iso_times));
}

/*
 * A skill gets the host's network only if the person permits it; otherwise its network is capped like a
 * limit.
 */
static void skill_network(struct spec_builder *m)
{
	const struct skill *s = m->w->skilled;

	if (!s || !s->has_network)
		return;
	if (network_isolated(&s->network) || m->p->own.sandbox.host_network)
		m->r->spec.network = s->network;
	else
		spec_note_capped(m, "network");
}

static int set_network(struct spec_builder *m, struct err *e)
{
	const char *name = m->w->network;
	struct network_spec wanted;

	/* Tests of a project use servers that they start themselves; the outside stays unreachable. */
	m->r->spec.network.mode = m->r->spec.profile == PROFILE_WORK ? NETWORK_LOOPBACK : NETWORK_DENY;
	if (!name) {
		skill_network(m);
		return 0;
	}
	if (!strcmp(name, "allow-list"))
		return err_set(e, ERR_INPUT, 0,
				"--network 'allow-list' is not available yet; deny is the default");
	if (network_parse(str_of(name), &wanted) != 0)
		return err_set(e, ERR_INPUT, 0, "--network '%.40s': expected deny, loopback or host", name);
	/* `approved` comes only from a ticket. */
	if (!network_isolated(&wanted) && !m->p->own.sandbox.host_network && !m->w->approved.n)
		return err_set(e, ERR_INPUT, 0,
				"--network '%s' needs 'sandbox: {network: host-allowed}' in your own policy",
				name);
	m->r->spec.network = wanted;
	return 0;
}

static int set_backend(struct spec_builder *m, struct err *e)
{
	struct buf known;

	m->r->backend = m->w->backend;
	if (!m->w->backend || box_backend(m->w->backend))
		return 0;
	buf_init(&known, m->a, 0);
	for (size_t i = 0; box_backend_at(i); i++)
		buf_fmt(&known, "%s%s", i ? ", " : "", box_backend_name(box_backend_at(i)));
	return err_set(e, ERR_INPUT, 0, "--backend '%.40s': there is %.*s", m->w->backend,
			STR_ARG(buf_view(&known)));
}

static int set_requirement(struct spec_builder *m, struct err *e)
{
	if (m->w->require && strcmp(m->w->require, "cgroup") != 0)
		return err_set(e, ERR_INPUT, 0, "--require '%.40s': expected cgroup", m->w->require);
	if (m->w->accept && strcmp(m->w->accept, "watched") != 0)
		return err_set(e, ERR_INPUT, 0, "--accept '%.40s': expected watched", m->w->accept);
	m->r->spec.require_cgroup = m->w->require;
	return 0;
}

static int check_names(struct spec_builder *m, struct err *e)
{
	const char *const given[][2] = {{"--agent", m->w->agent}};

	for (size_t i = 0; i < ARRAY_SIZE(given); i++)
		if (given[i][1] && (!given[i][1][0] || strlen(given[i][1]) > 200))
			return err_set(e, ERR_INPUT, 0, "%s needs a name of at most 200 letters",
					given[i][0]);
	return 0;
}

/* How much of the streams the report shows. */
static int parse_lines(const char *option, const char *text, size_t *ret, struct err *e)
{
	int64_t n = 0;

	if (text && num_parse(str_of(text), 1, RUN_LINES_MAX, &n) != 0)
		return err_set(e, ERR_INPUT, 0, "--%s '%.60s': expected a number of lines from 1 to %d",
				option, text, RUN_LINES_MAX);
	*ret = (size_t)n;
	return 0;
}

static int set_shown_lines(struct spec_builder *m, struct err *e)
{
	return parse_lines("head", m->w->head, &m->r->head, e) != 0 ? -1 : parse_lines("tail", m->w->tail,
			&m->r->tail, e);
}

int run_prepare(struct arena *a, const struct run_wishes *w, const struct run_world *world,
		const struct policies *p, struct run *ret, struct err *e)
{
	static int (*const parts[])(struct spec_builder *m, struct err *e) = {set_profile, check_names,
			set_network, set_backend, set_requirement, set_shown_lines, spec_build_limits,
			spec_build_places, spec_build_registries, spec_build_program, spec_build_task, spec_build_environment,
			spec_ask_test_reports};
	struct run r = {.w = w, .world = world, .id = ret->id};
	struct spec_builder m = {.a = a, .w = w, .world = world, .p = p, .r = &r};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i](&m, e) != 0)
			return -1;
	r.spec.input = w->input ? 0 : -1;
	r.outputs_days = p->own.audit.retention_days;
	r.outputs_quota = p->own.audit.quota;
	r.spec.pass_through = w->plain;
	r.spec.spool = world->state_dir.n ? str_c(a, world->state_dir) : NULL;
	*ret = r;
	return 0;
}
