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
#include "sys/clock.h"
#include "sys/kept_tmp.h"
#include "sys/state.h"

/* Clients give their event of a session's end little time. */
#define END_WAIT_MS 1000

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

static bool is_own(const struct hook_call *c, const struct background *b)
{
	return b->state == BACKGROUND_LIVES && str_eq(b->session, c->h.session) &&
			str_is(b->client, c->h.client->name);
}

/*
 * Tells the session's boxes to end, and waits for a moment: a box that lives uses the /tmp that is cleaned
 * next. Without a box in the background there is no folder to read.
 */
static void end_boxes(struct hook_call *c, struct str state)
{
	const struct background *all = background_list(c->a, state);
	const int64_t due = clock_now() + END_WAIT_MS * 1000000LL;

	for (const struct background *b = all; b; b = b->next)
		if (is_own(c, b))
			background_ask_end(b);
	for (const struct background *b = all; b; b = b->next) {
		int64_t left = due - clock_now();

		if (is_own(c, b) && left > 0)
			(void)background_wait(b, c->a, state, (uint64_t)left / 1000000);
	}
}

void hook_end(struct hook_call *c)
{
	const struct context at = {.cwd = c->h.cwd, .start_dir = c->h.start_dir};
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
