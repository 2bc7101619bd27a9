/*
 * Waits for the vetter: after a run it searches a large workspace for planted repositories, and until it has
 * ended, git is contained there (box/protect.h).
 */
#include <time.h>

#include "box/protect.h"
#include "client/hook_pre.h"
#include "sys/path.h"

#define VETTING_WAIT_MS 1000
#define VETTING_STEP_MS 5

static bool are_related(struct str a, struct str b) { return path_inside(a, b) || path_inside(b, a); }

/* True if the search of this workspace will end soon. With `start`, restarts a lost search. */
static bool vetted_soon(struct hook_call *c, struct str workspace, bool start)
{
	enum vetting now = workspace.n ? protect_vetting(c->a, c->view->state_dir, workspace) : VETTING_DONE;

	if (now == VETTING_LOST && start)
		protect_vet(c->a, c->view->state_dir, workspace);
	return now == VETTING_UNDER_WAY || (now == VETTING_LOST && start);
}

static bool any_soon(struct hook_call *c, bool start)
{
	const struct view *v = c->view;
	bool soon = false;

	for (const struct root *r = v->unvetted.workspaces; r; r = r->next)
		if (are_related(r->path, v->project) || are_related(r->path, v->cwd) ||
				str_contains(c->h.command, r->path))
			soon |= vetted_soon(c, r->path, start);
	if (v->unvetted.everywhere) {
		soon |= vetted_soon(c, v->project, start);
		soon |= vetted_soon(c, v->cwd, start);
	}
	return soon;
}

void review_await_vetting(struct hook_call *c)
{
	bool soon;

	if ((!c->view->unvetted.everywhere && !c->view->unvetted.workspaces) ||
			!str_contains(c->h.command, STR("git")))
		return;
	soon = any_soon(c, true);
	for (int waited = 0; waited < VETTING_WAIT_MS && soon; waited += VETTING_STEP_MS) {
		nanosleep(&(struct timespec){.tv_nsec = VETTING_STEP_MS * 1000000L}, NULL);
		soon = any_soon(c, false);
		/* after the locks: by its locks, a vetter that has just ended looks like a lost one */
		protect_unvetted(c->a, c->view->state_dir, &c->view->unvetted);
		c->view->memo = NULL; /* its stats are old now */
	}
}
