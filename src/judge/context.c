/* Opens a context. See context.h. */
#include "judge/context.h"

#include "judge/world.h"

void context_open(struct arena *a, struct context *s)
{
	struct view *v = arena_new(a, struct view);

	world_view(a, s, NULL, v);
	s->view = v;
}

const struct context *context_or_own(const struct context *s)
{
	static const struct context own;

	return s ? s : &own;
}
