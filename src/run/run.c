/*
 * Runs a prepared run: the caller's world, the gate's verdict, the directories that the run needs, the box.
 */
#define _GNU_SOURCE
#include "run/run.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/image_store.h"
#include "judge/world.h"
#include "run/cache_layer.h"
#include "run/cache_sweep.h"
#include "run/test_reports.h"
#include "run/tmp_dir.h"
#include "sys/cpus.h"
#include "sys/file.h"
#include "sys/path.h"
#include "sys/state.h"

extern char **environ;

static uint64_t memory_size(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : 1024 * MB;
}

/* Processes of a box count towards the caller's limit. Root has none. */
static uint64_t process_limit(uint32_t uid)
{
	struct rlimit l;

	return uid && getrlimit(RLIMIT_NPROC, &l) == 0 && l.rlim_cur != RLIM_INFINITY ? l.rlim_cur : 0;
}

int run_world(struct arena *a, const struct context *at, struct run_world *ret, struct err *e)
{
	struct context context = *context_or_own(at);

	context.places = true;
	context_open(a, &context);
	context.cwd = context.view->cwd;
	if (!context.cwd.n)
		return err_input(e, "the working directory cannot be reached");
	*ret = (struct run_world){.environ = environ, .context = context, .terminal = isatty(STDOUT_FILENO),
			.machine = {.cpu_milli = (uint64_t)cpus_count() * 1000, .memory = memory_size(),
			.pids = process_limit(context.view->uid)}};
	return 0;
}

/* Directories of --write. Caches are Caisson's own; they have another path in the box. */
static const struct spec_path *next_given(const struct spec_path *p)
{
	while (p && (!p->writable || p->at.n))
		p = p->next;
	return p;
}

/* A directory of the workspace is recorded with it. */
static bool is_apart(struct arena *a, const struct run *r, struct str path)
{
	struct stat st;

	if (r->spec.workspace_writable && path_inside(path, r->spec.workspace))
		return false;
	return stat(str_c(a, path), &st) == 0 && S_ISDIR(st.st_mode);
}

/* Directories in which programs of this box can create links. */
static int remember_workspace(struct arena *a, const struct run *r, struct str state, struct err *e)
{
	const struct view *v = r->world->context.view;

	if (r->spec.workspace_writable && world_remember(a, v, state, r->spec.workspace, e) != 0)
		return -1;
	for (const struct spec_path *p = next_given(r->spec.paths); p; p = next_given(p->next))
		if (is_apart(a, r, p->path) && world_remember(a, v, state, p->path, e) != 0)
			return -1;
	return 0;
}

/*
 * Creates the caches and the /tmp of the work profile, and the state directory, which will hold the
 * quarantine. The state must belong to the caller alone; names below it are ours. Without it, quarantined
 * files stay in the workspace under another name.
 */
static int make_state(struct arena *a, const struct run *r, struct tmp_dir *ret_tmp, struct err *e)
{
	const struct view *v = r->world->context.view;
	struct str state;

	*ret_tmp = (struct tmp_dir){0};
	if (!r->caches && !r->spec.tmp.n && !r->spec.quarantine.n && !next_given(r->spec.paths))
		return 0;
	if (state_make(a, v->state_dir, r->spec.workspace, v->uid, &state, e) != 0)
		return r->caches || r->spec.tmp.n ? -1 : 0;
	if (remember_workspace(a, r, state, e) != 0)
		return -1;
	for (const struct texts *t = r->caches; t; t = t->next)
		if (access(str_c(a, t->text), F_OK) != 0 && mkdir(str_c(a, t->text), 0700) != 0 &&
				errno != EEXIST) /* a look is cheaper */
			return err_system(e, "cannot make '%.*s'", STR_ARG(t->text));
	return tmp_dir_hold(a, r, state, ret_tmp, e);
}

/* Keeps the image of the run from being removed; the box does so for itself. */
static int hold_image(struct arena *a, const struct run *r, struct fd_scope *ret, struct spec *s,
		struct err *e)
{
	const struct view *v = r->world->context.view;
	struct image_store store = {.uid = v->uid};

	if (!s->image.n)
		return 0;
	if (state_check(a, v->state_dir, STR(""), v->uid, &store.state, e) != 0)
		return -1;
	fd_scope(ret, a, image_hold(a, &store, s->image, e));
	s->image_lock = ret->fd;
	return ret->fd < 0 ? -1 : 0;
}

void run_go(struct arena *a, const struct run *r, struct box *box, const struct box_start *start,
		const struct box_progress *progress, struct outcome *ret)
{
	const struct backend *b = r->backend;
	struct outcome o = {0};
	struct err e = {0};
	struct err no_layer = {0};
	struct collector reports = {0};
	struct spec spec = r->spec;
	struct tmp_dir tmp;
	struct cache_layer layer = {.lock = -1};
	FD_SCOPE image = {0};
	int rc = make_state(a, r, &tmp, &e);

	if (rc == 0)
		rc = hold_image(a, r, &image, &spec, &e);
	if (rc == 0)
		cache_layer_take(a, r, &spec, &layer, &no_layer);
	if (rc == 0)
		rc = test_reports_start(a, r, &reports, &e);
	if (rc == 0 && !b)
		rc = err_host(&e, "no backend");
	if (rc == 0)
		rc = box_run(box, a, b, start, &spec, progress, &o, &e);
	else
		box_discard(box);
	if (o.status != STATUS_RUNNING) /* else the holder takes them */
		test_reports_end(r, &reports);
	if (!o.held) { /* else the holder does */
		tmp_dir_release(&tmp);
		cache_layer_release(&layer);
	}
	if (rc == 0) {
		*ret = o;
		if (no_layer.text[0])
			ret->no_overlay = no_layer;
		cache_sweep(a, r, ret);
		return;
	}
	*ret = (struct outcome){.status = STATUS_SETUP_ERROR, .exit_code = -1,
			.backend = b ? box_backend_name(b) : NULL, .err_setup = e};
}
