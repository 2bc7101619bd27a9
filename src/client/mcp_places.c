/* The places of a server that runs commands for others. See mcp.h. */
#include "client/mcp.h"
#include "run/job_hold.h"
#include "sys/file.h"

static void pin_directories(struct arena *a, const struct job *j, struct mcp_options *o,
		struct mcp_places *ret)
{
	const struct spec *s = &j->run.spec;
	FD_CLEANUP int fd = -1;

	ret->pin.path = str_dup(a, j->world.context.view->project);
	fd = ret->pin.path.n ? directory_open(str_c(a, ret->pin.path)) : -1;
	if (fd >= 0 && directory_identity(fd, &ret->pin.id) == 0)
		o->base.pin = &ret->pin;
	if (o->base.workspace.given && s->workspace.n) {
		ret->place = (struct directory){str_dup(a, s->workspace), s->workspace_id};
		o->base.place = &ret->place;
	}
}

int mcp_try_options(struct arena *a, struct arena *trial, struct mcp_options *o, struct mcp_places *ret,
		struct str *ret_refused, struct err *e)
{
	struct job *j = arena_new(trial, struct job);
	struct facts facts;

	*ret_refused = STR("");
	j->request = o->base;
	j->request.code = ":";
	if (job_judge(trial, j, &facts, e) != 0)
		return -1;
	pin_directories(a, j, o, ret);
	o->keeps = !j->refused && job_keeps(j);
	if (j->refused)
		*ret_refused = str_dup(a, j->judgement.reasons->message);
	return 0;
}
