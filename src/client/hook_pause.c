/* A pause that a person has made, as hooks see it (judge/pause.h). */
#include "client/hook.h"
#include "judge/world.h"

/* The mode in which a client only plans stays: nothing is to run there. */
void hook_pause(struct hook_call *c)
{
	struct pause p;
	struct view *v;

	if (!c->view)
		return;
	pause_look(c->a, c->view, &p);
	if (!p.on || c->policies.own.no_lifting || c->h.mode == MODE_PLAN)
		return;
	/* once more with the writable roots of the policy: the file may lie in one */
	v = arena_new(c->a, struct view);
	world_again(c->a, c->view, &c->policies.own, v);
	pause_look(c->a, v, &c->pause);
	if (c->pause.on)
		c->h.mode = MODE_PAUSED;
}
