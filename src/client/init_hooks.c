/* See init_hooks.h: locates the settings, plans the change, and applies it. */
#define _GNU_SOURCE
#include "client/init_hooks.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "client/jsontext.h"
#include "sys/file.h"
#include "sys/path.h"
#include "sys/state.h"

#define DIRS_MAX 8 /* missing directories above a file */

bool init_changes(const struct init_change *c)
{
	return c->gone || !str_eq(c->before, c->after) || (!c->exists && c->after.n);
}

int init_self(struct arena *a, struct str *ret, struct err *e)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path);

	if (n <= 0 || (size_t)n >= sizeof path)
		return err_set(e, ERR_SYSTEM, n < 0 ? errno : ENAMETOOLONG,
				"cannot find the path of this program");
	if (str_ends(str_n(path, (size_t)n), " (deleted)"))
		return err_input(e, "the file of this program is gone: '%.*s'", (int)n, path);
	*ret = str_dup(a, str_n(path, (size_t)n));
	return 0;
}

static struct str settings_dir(struct arena *a, const struct init_request *rq, const struct init_row *row)
{
	const char *moved = row->variable[0] ? getenv(row->variable) : NULL;
	const char *config = str_starts(str_of(row->user_dir), ".config/") ? getenv("XDG_CONFIG_HOME") : NULL;

	if (rq->scope == INIT_PROJECT)
		return rq->project.n ? str_path(a, rq->project, str_of(row->project_dir)) :
				STR("");
	if (moved && moved[0] == '/')
		return str_of(moved);
	if (config && config[0] == '/')
		return str_fmt(a, "%s/%s", config, row->user_dir + strlen(".config/"));
	return rq->home.n ? str_path(a, rq->home, str_of(row->user_dir)) : STR("");
}

struct str init_path(struct arena *a, const struct init_request *rq, const struct init_row *row)
{
	struct str dir = settings_dir(a, rq, row);

	return dir.n ? str_path(a, dir, str_of(rq->scope == INIT_PROJECT ? row->project_file
			: row->user_file)) : dir;
}

bool init_present(struct arena *a, const struct init_request *rq, const struct init_row *row)
{
	struct str dir = settings_dir(a, rq, row);
	struct stat st;

	/* .github alone does not mean Copilot; .github/hooks does */
	if (dir.n && rq->scope == INIT_PROJECT && !strcmp(row->project_dir, ".github"))
		dir = str_fmt(a, "%.*s/hooks", STR_ARG(dir));
	return dir.n && stat(str_c(a, dir), &st) == 0 && S_ISDIR(st.st_mode);
}

/*
 * Resolves the path. In a project the result must be inside it, or the project's author could make us write
 * elsewhere.
 */
static int follow_links(struct arena *a, const struct init_request *rq, struct init_change *c, struct err *e)
{
	struct path_memo *m = arena_new(a, struct path_memo);
	struct path_answer at;

	path_memo_init(m, a, STR(""));
	path_look(m, c->path, &at);
	if (!at.real.n)
		return err_input(e, "'%.*s' has too many links, or links in a circle", STR_ARG(c->path));
	if (rq->scope == INIT_PROJECT && !path_inside(at.real, rq->project))
		return err_input(e,
				"'%.*s' is a link out of the project, to '%.*s': not followed",
				STR_ARG(c->path), STR_ARG(at.real));
	if (at.target != PATH_ABSENT && at.target != PATH_FILE)
		return err_input(e, "'%.*s' is not a file that can be read", STR_ARG(c->path));
	c->exists = at.target == PATH_FILE;
	c->real = at.real;
	return 0;
}

int init_look(struct arena *a, const struct init_request *rq, struct str path, struct init_change *ret,
		struct err *e)
{
	struct init_change c = {.path = path};

	if (follow_links(a, rq, &c, e) != 0)
		return -1;
	if (c.exists && file_read(a, str_c(a, c.real), JSONTEXT_BYTES_MAX, &c.before, &c.stat, e) != 0)
		return -1;
	*ret = c;
	return 0;
}

/* Completes a message to "FILE:LINE:COLUMN: what"; texts from init_text.c start at the line. */
static int name_file(const struct init_change *c, struct err *e)
{
	struct err inner = *e;

	return err_set(e, inner.kind, 0, "%.*s:%s; the file is left as it is", STR_ARG(c->path), inner.text);
}

int init_plan(struct arena *a, const struct init_request *rq, const struct init_row *row,
		struct init_change *ret, struct err *e)
{
	struct str path = init_path(a, rq, row);
	struct init_change c;
	int rc;

	if (!path.n)
		return err_input(e,
				rq->scope == INIT_PROJECT ? "this directory is not in a project" :
				"the home directory is unknown");
	if (init_look(a, rq, path, &c, e) != 0)
		return -1;
	c.row = row;
	if (!rq->remove)
		rc = init_text_add(a, row, &rq->program, c.exists ? &c.before : NULL, &c.after, e);
	else
		rc = c.exists ? init_text_remove(a, row, c.before, &c.after, &c.gone, e) : 0;
	if (rc != 0)
		return name_file(&c, e);
	*ret = c;
	return 0;
}

/* ---- applying ---- */

/*
 * We record in our state directory which directories we create above a file, so that removing the file
 * removes them, too. An empty directory that existed before is not ours. Without the record they stay, which
 * does no harm.
 */
static struct str note_name(struct arena *a, const struct init_change *c)
{
	return str_fmt(a, "made-%08x", str_hash(c->real));
}

static void note_dirs(struct arena *a, const struct init_request *rq, const struct init_change *c,
		struct str dirs)
{
	struct str state, path;

	if (dirs.n && rq->state.n && state_make(a, rq->state, rq->project, rq->uid, &state, NULL) == 0)
		state_keep(a, state, "init", note_name(a, c), dirs, &path, NULL);
}

static void remove_dirs(struct arena *a, const struct init_request *rq, const struct init_change *c)
{
	struct str note = str_fmt(a, "%.*s/init/%.*s", STR_ARG(rq->state), STR_ARG(note_name(a, c))), dirs;

	if (!rq->state.n || file_read(a, str_c(a, note), PATH_MAX * DIRS_MAX, &dirs, NULL, NULL) != 0)
		return;
	for (size_t i = 0; i < dirs.n;) { /* deepest first */
		size_t end = str_end(dirs, '\n', i);
		struct str dir = str_sub(dirs, i, end);

		if (!path_inside(c->real, dir) || rmdir(str_c(a, dir)) != 0)
			break;
		i += dir.n + 1;
	}
	unlink(str_c(a, note));
}

static int make_dirs(struct arena *a, struct str file, mode_t mode, struct str *ret_made, struct err *e)
{
	struct str todo[DIRS_MAX];
	size_t n = 0;
	struct buf made;

	buf_init(&made, a, 0);
	for (struct str dir = path_parent(file); dir.n > 1; dir = path_parent(dir)) {
		struct stat st;

		if (stat(str_c(a, dir), &st) == 0)
			break;
		if (n == DIRS_MAX)
			return err_limit(e, "too many directories are missing above '%.*s'", STR_ARG(file));
		buf_fmt(&made, "%.*s\n", STR_ARG(dir));
		todo[n++] = dir;
	}
	while (n--)
		if (mkdir(str_c(a, todo[n]), mode) != 0 && errno != EEXIST)
			return err_system(e, "cannot make the directory '%.*s'", STR_ARG(todo[n]));
	*ret_made = buf_view(&made);
	return 0;
}

/* Fails if the file has changed since the change was planned. */
static int check_same(struct arena *a, const struct init_change *c, struct err *e)
{
	struct str now;
	struct err why = {0};

	if (file_read(a, str_c(a, c->real), JSONTEXT_BYTES_MAX, &now, NULL, &why) == 0 ? c->exists &&
			str_eq(now, c->before) : !c->exists && why.errnum == ENOENT)
		return 0;
	return err_input(e, "'%.*s' has changed in the meantime; try again", STR_ARG(c->path));
}

int init_apply(struct arena *a, const struct init_request *rq, const struct init_change *c, struct err *e)
{
	struct file_look look = {.mode = rq->scope == INIT_PROJECT ? 0644 : 0600, .keep_owner = false};
	const char *real = str_c(a, c->real);
	struct str made = STR("");

	if (!init_changes(c))
		return 0;
	if (check_same(a, c, e) != 0)
		return -1;
	if (c->gone) {
		if (unlink(real) != 0)
			return err_system(e, "cannot remove '%s'", real);
		remove_dirs(a, rq, c);
		return 0;
	}
	if (c->exists)
		look = (struct file_look){.mode = c->stat.st_mode & 07777, .keep_owner = true,
				.uid = c->stat.st_uid, .gid = c->stat.st_gid};
	else if (make_dirs(a, c->real, rq->scope == INIT_PROJECT ? 0755 : 0700, &made, e) != 0)
		return -1;
	if (file_replace_as(real, c->after, &look, e) != 0)
		return -1;
	note_dirs(a, rq, c, made);
	return 0;
}
