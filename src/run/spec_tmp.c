/* The /tmp of a box: the project's own, which its contained commands share (sys/kept_tmp.h). */
#include "run/spec_builder.h"
#include "sys/kept_tmp.h"

void spec_build_tmp(struct spec_builder *m)
{
	struct spec *s = &m->r->spec;

	if (s->profile == PROFILE_WORK && s->workspace.n && m->at->state_dir.n)
		s->tmp = kept_tmp_path(m->a, m->at->state_dir, s->workspace);
}
