/* The project's root and the scratch directory. */
#define _GNU_SOURCE
#include "sys/project.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRATCH "/tmp/claude"

bool project_allowed(struct path_memo *m, struct str dir, struct str home)
{
	struct path_answer at;
	if (dir.n < 2 || dir.p[0] != '/' || path_inside(home, dir))
		return false;
	if (!home.n)
		return true;
	path_look(m, home, &at);
	return !path_inside(at.real, dir);
}

static bool ours(const struct stat *st, uint32_t uid) { return st->st_uid == uid || st->st_uid == 0; }

/* dir/name into a buffer; false when it does not fit. */
static bool join(char path[static PATH_MAX], struct str dir, const char *name)
{
	size_t n = strlen(name);
	if (dir.n + 1 + n + 1 > PATH_MAX)
		return false;
	memcpy(path, dir.p, dir.n);
	path[dir.n] = '/';
	memcpy(path + dir.n + 1, name, n + 1);
	return true;
}

enum top { TOP_NO, TOP_YES, TOP_FOREIGN };

/* Is this directory a git top level? An empty .git directory is none to git either. */
static enum top top_level(struct str dir, const struct stat *dir_st, uint32_t uid)
{
	char path[PATH_MAX];
	struct stat git, head;
	if (!join(path, dir, ".git") || fstatat(AT_FDCWD, path, &git, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0)
		return TOP_NO;
	if (!S_ISDIR(git.st_mode) && !S_ISREG(git.st_mode) && !S_ISLNK(git.st_mode))
		return TOP_NO;
	if (S_ISDIR(git.st_mode) && (!join(path, dir, ".git/HEAD") || lstat(path, &head) < 0))
		return TOP_NO;
	return ours(dir_st, uid) && ours(&git, uid) ? TOP_YES : TOP_FOREIGN;
}

/* Upwards from a directory that exists, within its file system. Empty: none. */
static struct str find_top(struct arena *a, struct str dir, uint32_t uid)
{
	char path[PATH_MAX];
	struct stat st;
	dev_t device = 0;
	for (unsigned i = 0; i < PROJECT_DEPTH_MAX && dir.n > 1; i++, dir = path_parent(dir)) {
		if (!join(path, dir, "") || fstatat(AT_FDCWD, path, &st, AT_NO_AUTOMOUNT) < 0)
			break;
		if (i > 0 && st.st_dev != device)
			break;
		device = st.st_dev;
		enum top t = top_level(dir, &st, uid);
		if (t == TOP_YES)
			return str_dup(a, dir);
		if (t == TOP_FOREIGN)
			break;
	}
	return STR("");
}

struct str project_find(struct path_memo *m, struct str cwd, struct str home, uint32_t uid)
{
	struct path_answer at;
	path_look(m, cwd, &at);
	if (at.target != PATH_DIR && at.target != PATH_ABSENT && at.target != PATH_UNREADABLE)
		return STR("");
	if (at.target == PATH_DIR) {
		struct str top = find_top(m->a, at.real, uid);
		if (top.n && project_allowed(m, top, home))
			return top;
	}
	return project_allowed(m, at.real, home) ? at.real : STR("");
}

int project_root(struct arena *a, struct str cwd, struct str home, struct str *ret)
{
	struct path_memo m;
	path_memo_init(&m, a, cwd);
	*ret = project_find(&m, cwd, home, (uint32_t)getuid());
	return ret->n ? 0 : -1;
}

struct str project_scratch(struct path_memo *m, uint32_t uid)
{
	struct path_answer at, parent;
	struct stat st;
	path_look(m, STR(SCRATCH), &at);
	if (at.kind == PATH_DIR)
		return at.owner == uid && !at.shared ? at.real : STR("");
	if (at.kind != PATH_ABSENT)
		return STR("");
	path_look(m, STR("/tmp"), &parent);
	if (parent.target != PATH_DIR || lstat(str_c(m->a, parent.real), &st) < 0 || !ours(&st, uid))
		return STR("");
	return !(st.st_mode & (S_IWGRP | S_IWOTH)) || (st.st_mode & S_ISVTX) ? at.real : STR("");
}
