/*
 * The caches of package managers and build tools in a box.
 */
#include "run/spec_builder.h"
#include "sys/state.h"

/* Caches in a home: Caisson has its own, one set per project. */
static const char caches[][8] = {".cache", ".npm", ".yarn", ".gradle", ".nuget", ".ivy2"};

static void add_cache(struct spec_builder *m, struct texts ***end, struct str dir)
{
	**end = arena_new(m->a, struct texts);
	(**end)->text = dir;
	*end = &(**end)->next;
}

struct str spec_project_key(struct spec_builder *m)
{
	return state_project_key(m->a, m->r->spec.workspace);
}

void spec_build_caches(struct spec_builder *m)
{
	struct str top, of_project;
	struct texts **end = &m->r->caches;

	if (!m->at->state_dir.n)
		return;
	top = str_fmt(m->a, "%.*s/caches", STR_ARG(m->at->state_dir));
	of_project = str_path(m->a, top, spec_project_key(m));
	add_cache(m, &end, top);
	add_cache(m, &end, of_project);
	for (size_t i = 0; i < ARRAY_SIZE(caches); i++) {
		struct str at = str_path(m->a, m->r->spec.home, str_of(caches[i])),
				dir = str_path(m->a, of_project, str_of(caches[i] + 1));

		if (path_inside(m->r->spec.workspace, at))
			continue;
		add_cache(m, &end, dir);
		spec_add_path(m, dir, at, true);
	}
}
