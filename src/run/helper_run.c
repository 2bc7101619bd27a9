/* See helper_run.h. */
#include "run/helper_run.h"

#include "image/image_store.h"
#include "sys/file.h"

#define MEMORY (256 * MB)

int helper_run(struct arena *a, const struct run *of, const struct policies *p, struct run_request *rq,
		struct str input, struct outcome *ret, struct err *e)
{
	struct run r = {.id = of->id};
	struct box box = {0};
	int rc;

	rq->network = (struct network_request){.given = true, .mode = NETWORK_DENY};
	rq->limits[LIMIT_MEMORY] = MEMORY;
	rq->image = IMAGE_NONE; /* validators and git are programs of this machine */
	rq->accept_watched = true; /* the caller did not ask for this limit */
	rq->limits[LIMIT_OUTPUT] = HELPER_OUTPUT;
	if (of->spec.workspace.n)
		rq->workspace = (struct run_workspace){.path = of->spec.workspace, .given = true};
	if (run_prepare(a, rq, of->world, p, &r, e) != 0)
		return -1;
	FD_SCOPE in = {0};
	fd_scope(&in, a, fd_of_text("input", input, e));
	if (in.fd < 0)
		return -1;
	r.spec.input = in.fd;
	run_go(a, &r, &box, &(struct box_start){0}, NULL, ret);
	box_wait(&box, ret);
	rc = ret->status == STATUS_OK || ret->status == STATUS_EXIT_NONZERO ? 0 : -1;
	return rc == 0 ? 0 : err_input(e, "%s",
			ret->status == STATUS_SETUP_ERROR ? ret->err_setup.text : status_name(ret->status));
}
