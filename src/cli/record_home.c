/* Finds and opens the record. */
#include "cli/record_home.h"

#include <errno.h>

#include "cli/cli.h"
#include "judge/engine.h"
#include "judge/world.h"
#include "sys/state.h"

void home_find(struct arena *a, struct record_home *ret)
{
	const struct state_env env = state_env();
	struct state_paths paths;

	*ret = (struct record_home){.audit.dir = -1, .blobs.dir = -1};
	world_view(a, context_or_own(NULL), NULL, &ret->view);
	state_paths(a, &env, ret->view.home, ret->view.project, &paths);
	ret->state = paths.state_dir;
	ret->uid = ret->view.uid;
}

int home_open(struct arena *a, struct record_home *h, bool blobs, struct err *e)
{
	struct err why = {0};

	if (audit_open(a, h->state, h->uid, false, &h->audit, e) < 0)
		return -1;
	h->opened = true;
	slow_start();
	if (!blobs)
		return 0;
	h->has_blobs = blobs_open(a, str_sub(h->audit.path, 0, h->audit.path.n - strlen("/audit")), h->uid,
			false, &h->blobs, &why) == 0;
	if (h->has_blobs || (why.kind == ERR_SYSTEM && why.errnum == ENOENT))
		return 0;
	*e = why;
	return -1;
}

int home_make(struct arena *a, struct record_home *h, struct err *e)
{
	struct str real;

	return state_make(a, h->state, h->view.project, h->uid, &real, e);
}

void home_close(struct record_home *h)
{
	slow_end();
	if (h->opened)
		audit_close(&h->audit);
	if (h->has_blobs)
		blobs_close(&h->blobs);
	h->opened = h->has_blobs = false;
}

int home_failed(const char *command, const struct err *e)
{
	output_error("%s: %s", command, e->text);
	return e->kind == ERR_SYSTEM && e->errnum == ENOENT ? EXIT_NO_RECORD : EXIT_INTERNAL;
}
