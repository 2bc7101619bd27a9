/* Locates Caisson's own files and checks that they may be used. */
#define _GNU_SOURCE
#include "sys/state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/glob_expand.h"
#include "sys/secure.h"
#include "sys/sha256.h"

#define KEY_DIGITS 16 /* of the hex digest in the name of a project's directories */

struct state_env state_env(void)
{
	return (struct state_env){.caisson_state = getenv("CAISSON_STATE"),
			.xdg_state = getenv("XDG_STATE_HOME"), .xdg_config = getenv("XDG_CONFIG_HOME")};
}

static bool is_absolute(const char *value) { return value && value[0] == '/' && strlen(value) < PATH_MAX; }

static struct str path_below(struct arena *a, struct str dir, const char *name)
{
	return str_path(a, dir, str_of(name));
}

/* Returns $VARIABLE/caisson if the variable is set, else HOME/fallback. */
static struct str own_dir(struct arena *a, const char *variable, struct str home, const char *fallback)
{
	if (is_absolute(variable))
		return path_below(a, str_of(variable), "caisson");
	return home.n ? path_below(a, home, fallback) : STR("");
}

void state_paths(struct arena *a, const struct state_env *env, struct str home, struct str project,
		struct state_paths *ret)
{
	*ret = (struct state_paths){.system_policy = STR(STATE_SYSTEM_POLICY)};
	ret->config_dir = own_dir(a, env->xdg_config, home, ".config/caisson");
	ret->state_dir = is_absolute(env->caisson_state) ? str_dup(a, str_of(env->caisson_state)) : own_dir(a,
			env->xdg_state, home, ".local/state/caisson");
	if (ret->config_dir.n)
		ret->user_policy = path_below(a, ret->config_dir, "config.yaml");
	if (ret->state_dir.n)
		ret->trust_store = path_below(a, ret->state_dir, "trust.json");
	if (project.n)
		ret->project_policy = path_below(a, project, ".caisson.yaml");
}

struct str state_project_key(struct arena *a, struct str path)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(path, hex);
	return str_dup(a, str_n(hex, KEY_DIGITS));
}

/* Returns the deepest existing directory of a resolved path. */
static struct str deepest_existing(struct path_memo *m, struct str path)
{
	struct path_answer at;
	for (path_look(m, path, &at); at.target == PATH_ABSENT && path.n > 1; path_look(m, path, &at))
		path = path_parent(path);
	return path;
}

/* Checks the state directory. *ret_there (may be NULL) tells if it exists. */
static int look_at_state(struct path_memo *m, struct str dir, struct str project, uint32_t uid,
		struct str *ret, bool *ret_there, struct err *e)
{
	struct path_answer at;
	if (!dir.n)
		return err_config(e,
				"no place for caisson's state is known: set CAISSON_STATE to an absolute "
				"path");
	path_look(m, dir, &at);
	if (!at.real.n || (at.target != PATH_DIR && at.target != PATH_ABSENT))
		return err_config(e, "the state '%.*s' is not a directory", STR_ARG(dir));
	if (path_inside(at.real, project))
		return err_config(e,
				"the state '%.*s' lies inside the project '%.*s', whose commands could "
				"change it", STR_ARG(at.real), STR_ARG(project));
	if (secure_dir(m, at.target == PATH_DIR ? at.real : deepest_existing(m, at.real), uid, e) < 0)
		return -1;
	if (ret_there)
		*ret_there = at.target == PATH_DIR;
	*ret = at.real;
	return 0;
}

int state_check(struct arena *a, struct str dir, struct str project, uint32_t uid, struct str *ret,
		struct err *e)
{
	struct path_memo m;
	path_memo_init(&m, a, STR(""));
	return look_at_state(&m, dir, project, uid, ret, NULL, e);
}

int state_make(struct arena *a, struct str dir, struct str project, uint32_t uid, struct str *ret,
		struct err *e)
{
	struct path_memo m;
	path_memo_init(&m, a, STR(""));
	return state_make_known(&m, dir, project, uid, ret, e);
}

int state_make_known(struct path_memo *m, struct str dir, struct str project, uint32_t uid, struct str *ret,
		struct err *e)
{
	struct arena *a = m->a;
	struct str real;
	bool there;
	if (look_at_state(m, dir, project, uid, &real, &there, e) < 0)
		return -1;
	if (there) {
		*ret = real;
		return 0;
	}
	char *path = str_c(a, real);
	for (size_t i = 1; i <= real.n; i++) {
		if (i < real.n && path[i] != '/')
			continue;
		path[i] = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST)
			return err_system(e,
					"cannot make '%s' for caisson's state (CAISSON_STATE names another "
					"place)", path);
		if (i < real.n)
			path[i] = '/';
	}
	return state_check(a, dir, project, uid, ret, e);
}

int state_folder(struct arena *a, struct str dir, struct str project, uint32_t uid, const char *folder,
		struct str *ret, struct err *e)
{
	struct str state, place;
	struct stat st;
	if (state_make(a, dir, project, uid, &state, e) != 0)
		return -1;
	place = path_below(a, state, folder);
	const char *path = str_c(a, place);
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_system(e, "cannot make '%s'", path);
	if (lstat(path, &st) < 0 || !S_ISDIR(st.st_mode) || st.st_uid != uid)
		return err_set(e, ERR_SYSTEM, ENOTDIR, "'%s' is not a directory of the caller's", path);
	if (st.st_mode & 022)
		return err_input(e, "others may write to '%s': chmod 700 it", path);
	*ret = place;
	return 0;
}

int state_folder_check(int fd, const char *path, uint32_t uid, struct err *e)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return err_system(e, "cannot stat '%s'", path);
	if (st.st_uid != uid)
		return err_input(e, "'%s' belongs to another user: remove it", path);
	if (st.st_mode & 022)
		return err_input(e, "others may write to '%s': chmod 700 it", path);
	return 0;
}

int state_keep(struct arena *a, struct str dir, const char *folder, struct str name, struct str bytes,
		struct str *ret, struct err *e)
{
	struct str place = path_below(a, dir, folder);
	const char *path = str_c(a, place), *file = str_c(a, name);
	struct str whole =
		path_below(a, place, file); /* before anything is open: a full arena leaves at once */
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_system(e, "cannot make '%s'", path);
	FD_CLEANUP int at = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (at >= 0 && state_folder_check(at, path, geteuid(), e) != 0)
		return -1;
	FD_CLEANUP int fd = at < 0 ? -1 : openat(at, file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
			O_CLOEXEC, 0600);
	if (fd < 0)
		return err_system(e, "cannot make a file in '%s'", path);
	if (fd_write_all(fd, file, bytes, e) < 0) {
		unlinkat(at, file, 0);
		return -1;
	}
	*ret = whole;
	return 0;
}

/* ---- fencepost ---- */

static int add_existing(struct path_memo *m, struct str path, struct texts ***end, struct err *e)
{
	struct path_answer at;
	path_look(m, path, &at);
	if (at.kind == PATH_ABSENT)
		return 0;
	if (at.kind == PATH_UNREADABLE)
		return err_set(e, ERR_SYSTEM, EACCES, "cannot stat '%.*s'", STR_ARG(path));
	*end = texts_add(m->a, *end, str_dup(m->a, path));
	return 0;
}

static bool is_special(char c) { return c == '*' || c == '?' || c == '[' || c == ']' || c == '\\'; }

/* Escapes a path so that it is a pattern for itself. */
static struct str literal_pattern(struct arena *a, struct str path)
{
	struct buf b;
	buf_init(&b, a, 2 * PATH_MAX);
	for (size_t i = 0; i < path.n && i < PATH_MAX; i++) {
		if (is_special(path.p[i]) || path.p[i] == '(')
			buf_char(&b, '\\');
		buf_char(&b, path.p[i]);
	}
	return buf_view(&b);
}

int fencepost_files(struct path_memo *m, struct str base, struct texts **ret, struct err *e)
{
	struct arena *a = m->a;
	struct glob_answer folder;
	struct texts *list = NULL, **end = &list;

	glob_expand(m, path_below(a, literal_pattern(a, base), FENCEPOST_FOLDER "/*.yaml"), &folder);
	if (folder.more || folder.nmatches > FENCEPOST_FILES_MAX)
		return err_limit(e, "cannot look for policies in '%.*s/" FENCEPOST_FOLDER "': a directory "
				"cannot be read, or it has too many files", STR_ARG(base));
	for (size_t i = 0; i < folder.nmatches; i++)
		if (add_existing(m, folder.matches[i], &end, e) < 0)
			return -1;
	if (!list && add_existing(m, path_below(a, base, FENCEPOST_FILE), &end, e) < 0)
		return -1;
	*ret = list;
	return 0;
}
