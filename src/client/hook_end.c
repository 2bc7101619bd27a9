/* Session end: drops the session's tickets, and sweeps up files left behind by killed clients. */
#include <time.h>

#include "client/hook.h"
#include "judge/world.h"
#include "record/handoff.h"
#include "record/ticket.h"
#include "sys/state.h"

void hook_end(struct hook_call *c)
{
	const struct context at = {.cwd = c->h.cwd, .base = c->h.base};
	struct err why = {0};
	struct str state;
	struct view v;

	world_view(c->a, &at, NULL, &v);
	if (!c->h.session.n || !v.state_dir.n || state_check(c->a, v.state_dir, v.project, v.uid, &state,
			&why) != 0)
		return;
	ticket_forget_session(c->a, state, str_of(c->h.client->name), c->h.session);
	handoff_sweep(c->a, state, time(NULL));
}
