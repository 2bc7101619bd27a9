/*
 * Session end: drops the session's tickets and the /tmp of its projects, ends its boxes in the background,
 * and sweeps up files left behind by killed clients.
 */
#include <time.h>

#include "client/hook.h"
#include "judge/client_session.h"
#include "judge/world.h"
#include "keeper/background.h"
#include "record/handoff.h"
#include "record/ticket.h"
#include "sys/kept_tmp.h"
#include "sys/state.h"

/* Two sessions of a project share its /tmp: the last one that ends cleans it. */
static void clean_tmp(struct hook_call *c, struct str state, uint32_t uid)
{
	int64_t now = time(NULL);
	struct client_session s;

	if (client_session_read(c->a, state, str_of(c->h.client->name), c->h.session, uid, &s, NULL) != 1)
		return;
	s.ended = now;
	(void)client_session_write(c->a, state, &s, uid, false, NULL);
	for (size_t i = 0; i < s.n; i++)
		if (!client_session_shared(c->a, state, &s, s.roots[i].path, now))
			kept_tmp_clean(c->a, state, s.roots[i].path);
}

/* Tells boxes to end, and does not wait. Without a box in the background there is no folder to read. */
static void end_boxes(struct hook_call *c, struct str state)
{
	for (const struct background *b = background_list(c->a, state); b; b = b->next)
		if (b->state == BACKGROUND_LIVES && str_eq(b->session, c->h.session) &&
				str_is(b->client, c->h.client->name))
			background_ask_end(b);
}

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
	end_boxes(c, state);
	handoff_sweep(c->a, state, time(NULL));
	clean_tmp(c, state, v.uid);
}
