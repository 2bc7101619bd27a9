/* Builds a spec from options. The steps run in the order of their dependencies; the first error ends it. */
#include "run/run_validation.h"
#include "run/spec_builder.h"

/* Columns, schema and validator of the skill apply where the request names none. */
static int validation_of_skill(struct arena *a, struct run_request *rq, struct err *e)
{
	const struct skill *s = rq->skilled;
	enum task task = rq->task ? rq->task : s->task;

	if (s->columns.n && !rq->columns && task == TASK_DATA &&
			validation_columns(a, s->columns, &rq->columns, &rq->ncolumns, e) != 0)
		return -1;
	if (!rq->schema && task == TASK_JSON)
		rq->schema = s->schema;
	if (!rq->validator)
		rq->validator = s->validator;
	return 0;
}

int run_skill(struct arena *a, struct run_request *rq, struct err *e)
{
	struct skill *s;

	if (!rq->skill)
		return 0;
	s = arena_new(a, struct skill);
	if (skill_load(a, rq->skill, s, e) != 0)
		return -1;
	rq->skilled = s;
	rq->gate |= s->binaries != NULL;
	return validation_of_skill(a, rq, e);
}

bool run_iso_times(const struct run_request *rq)
{
	return rq->iso_times || (rq->skilled && rq->skilled->iso_times);
}

static int check_names(struct spec_builder *m, struct err *e)
{
	const char *const given[][2] = {{"--agent", m->rq->agent}};

	for (size_t i = 0; i < ARRAY_SIZE(given); i++)
		if (given[i][1] && (!given[i][1][0] || strlen(given[i][1]) > 200))
			return err_input(e, "%s needs a name of at most 200 letters", given[i][0]);
	return 0;
}

int run_prepare(struct arena *a, const struct run_request *rq, const struct run_world *world,
		const struct policies *p, struct run *ret, struct err *e)
{
	static int (*const parts[])(struct spec_builder *m, struct err *e) = {spec_build_places,
			spec_build_registries, spec_build_program, spec_build_task, spec_build_environment,
			spec_ask_test_reports, spec_use_head_tests};
	struct run r = {.rq = rq, .world = world, .id = ret->id,
			.spec = {.profile = rq->profile, .require_cgroup = rq->require_cgroup,
			.ptrace = p->own.sandbox.ptrace && rq->profile == PROFILE_WORK}};
	struct spec_builder m = {.a = a, .rq = rq, .world = world, .at = world->context.view, .p = p,
			.r = &r};

	if (check_names(&m, e) != 0 || spec_build_network(&m, e) != 0)
		return -1;
	spec_build_limits(&m);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i](&m, e) != 0)
			return -1;
	r.spec.input = rq->input ? 0 : -1;
	r.outputs_days = p->own.audit.retention_days;
	r.outputs_quota = p->own.audit.quota;
	r.spec.pass_through = rq->plain;
	r.spec.collects = rq->collects;
	r.spec.spool = m.at->state_dir.n ? str_c(a, m.at->state_dir) : NULL;
	if (m.at->state_dir.n)
		r.spec.stage = str_path(a, m.at->state_dir, STR("boxes"));
	r.backend = box_choose(rq->backend ? rq->backend : p->own.sandbox.backend, &r.spec);
	*ret = r;
	return 0;
}
