/* See tmp_dir.h. */
#include "run/tmp_dir.h"

#include <errno.h>
#include <sys/stat.h>

#include "sys/path.h"

#define AGENTS "claude" /* /tmp/claude: the gate calls it writable, so it exists in every box */

/* The path relative to /tmp; NULL: it is not below /tmp. */
static const char *below_tmp(struct arena *a, struct str path)
{
	return path.n > 5 && str_starts(path, "/tmp/") ? str_c(a, str_from(path, 5)) : NULL;
}

static int make_mount_point(struct tmp_dir *t, struct str target, bool directory, struct err *e)
{
	const char *below = below_tmp(t->a, target);

	if (!below || kept_tmp_mount_point(&t->held->kept, below, directory) == 0)
		return 0;
	return err_system(e, "cannot make '%.*s' in the /tmp of the box", STR_ARG(target));
}

static bool is_directory(struct arena *a, struct str path)
{
	struct stat st;

	return stat(str_c(a, path), &st) != 0 || S_ISDIR(st.st_mode);
}

/* A path comes after those above it: making a directory on its way never removes an earlier mount point. */
static int make_mount_points(struct tmp_dir *t, struct err *e)
{
	const struct spec *s = t->spec;

	if (make_mount_point(t, STR("/tmp/" AGENTS), true, e) != 0 ||
			make_mount_point(t, s->home, true, e) != 0)
		return -1;
	for (const struct texts *d = s->tmp_dirs; d; d = d->next)
		if (make_mount_point(t, d->text, true, e) != 0)
			return -1;
	for (const struct spec_tmp_file *f = s->tmp_files; f; f = f->next)
		if (make_mount_point(t, f->path, false, e) != 0)
			return -1;
	for (const struct spec_path *p = s->paths; p; p = p->next)
		if (below_tmp(t->a, spec_path_target(p)) && !path_inside(spec_path_target(p), s->home) &&
				make_mount_point(t, spec_path_target(p), is_directory(t->a, p->path), e) != 0)
			return -1;
	if (make_mount_point(t, s->git_common, true, e) != 0)
		return -1;
	return make_mount_point(t, s->workspace, true, e);
}

static void close_held(void *ptr) { kept_tmp_close(&((struct held_tmp *)ptr)->kept); }

int tmp_dir_hold(struct arena *a, const struct run *r, struct str state, struct tmp_dir *ret, struct err *e)
{
	struct tmp_dir t = {.a = a, .spec = &r->spec};

	if (!r->spec.tmp.n) {
		*ret = t;
		return 0;
	}
	t.held = arena_new(a, struct held_tmp);
	if (kept_tmp_open(a, state, r->spec.workspace, &t.held->kept, e) != 0)
		return -1;
	arena_defer(a, &t.held->cleanup, close_held, t.held);
	if (make_mount_points(&t, e) != 0) {
		arena_release(a, &t.held->cleanup);
		return -1;
	}
	*ret = t;
	return 0;
}

void tmp_dir_release(struct tmp_dir *t)
{
	if (!t->held)
		return;
	for (const struct spec_tmp_file *f = t->spec->tmp_files; f; f = f->next)
		kept_tmp_remove_mount_point(&t->held->kept, below_tmp(t->a, f->path));
	arena_release(t->a, &t->held->cleanup);
	t->held = NULL;
}
