/* Applies a pause that a person has started (judge/pause.h) to a hook. */
#include "client/hook.h"
#include "judge/world.h"

/* Plan mode stays as it is: nothing may run in it. */
void hook_pause(struct hook_call *c)
{
	struct pause p;
	struct view *v;

	pause_look(c->a, c->view, &p);
	if (!p.on || c->policies.own.no_lifting || c->h.mode == MODE_PLAN)
		return;
	/* load again with the policy's writable roots: the pause file may be inside one */
	v = arena_new(c->a, struct view);
	world_again(c->a, c->view, &c->policies.own, v);
	pause_look(c->a, v, &c->pause);
	if (c->pause.on)
		c->h.mode = MODE_PAUSED;
}
