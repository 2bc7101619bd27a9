/* The project's root and the scratch directory. */
#define _GNU_SOURCE
#include "sys/project.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define SCRATCH "/tmp/claude"

/* Directories of the system are nobody's project, also when somebody works there. */
static bool is_system(struct str dir)
{
	static const char whole[][12] = {"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/boot", "/proc", "/sys", "/dev", "/run", "/System", "/Library"};
	static const char alone[][16] = {"/var", "/opt", "/srv", "/mnt", "/media", "/home", "/tmp", "/var/tmp", "/var/lib", "/var/log", "/snap", "/nix", "/Users", "/Applications", "/private"};
	static const char except[][16] = {"/usr/src", "/usr/local/src", "/dev/shm"};
	for (size_t i = 0; i < sizeof except / sizeof *except; i++)
		if (path_inside(dir, str_of(except[i])) && dir.n > strlen(except[i]))
			return false;
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (path_inside(dir, str_of(whole[i])))
			return true;
	for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
		if (str_is(dir, alone[i]))
			return true;
	return false;
}

bool project_allowed(struct path_memo *m, struct str dir, struct str home)
{
	enum path_kind kind;
	if (dir.n < 2 || dir.p[0] != '/' || path_inside(home, dir) || is_system(dir))
		return false;
	return !home.n || !path_inside(path_real(m, home, &kind), dir);
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

/* Is this directory a git top level, in the file system of the directory where the search started? An empty .git directory is none to git either. */
static enum top top_level(struct str dir, struct str start, uint32_t uid)
{
	char path[PATH_MAX];
	struct stat git, head, top, first;
	if (!join(path, dir, ".git") || fstatat(AT_FDCWD, path, &git, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0)
		return TOP_NO;
	if (!S_ISDIR(git.st_mode) && !S_ISREG(git.st_mode) && !S_ISLNK(git.st_mode))
		return TOP_NO;
	if (S_ISDIR(git.st_mode) && (!join(path, dir, ".git/HEAD") || lstat(path, &head) < 0))
		return TOP_NO;
	if (!join(path, dir, "") || stat(path, &top) < 0 || !ours(&top, uid) || !ours(&git, uid))
		return TOP_FOREIGN;
	if (dir.n == start.n)
		return TOP_YES;
	return join(path, start, "") && stat(path, &first) == 0 && first.st_dev == top.st_dev ? TOP_YES : TOP_FOREIGN;
}

/* Upwards from a directory that exists, within its file system. Empty: none. */
static struct str find_top(struct arena *a, struct str start, uint32_t uid)
{
	struct str dir = start;
	for (unsigned i = 0; i < PROJECT_DEPTH_MAX && dir.n > 1; i++, dir = path_parent(dir)) {
		enum top t = top_level(dir, start, uid);
		if (t == TOP_YES)
			return str_dup(a, dir);
		if (t == TOP_FOREIGN)
			break;
	}
	return STR("");
}

struct str project_find(struct path_memo *m, struct str cwd, struct str home, uint32_t uid)
{
	enum path_kind kind;
	struct str real = path_real(m, cwd, &kind);
	if (kind != PATH_DIR && kind != PATH_ABSENT && kind != PATH_UNREADABLE)
		return STR("");
	if (kind == PATH_DIR) {
		struct str top = find_top(m->a, real, uid);
		if (top.n && project_allowed(m, top, home))
			return top;
	}
	return project_allowed(m, real, home) ? real : STR("");
}

/* One link on the way: does it leave the repository it lies in? */
static bool leaves(struct path_memo *m, struct str dir, const struct path_answer *link, struct str home, uint32_t uid, struct project_exit *ret)
{
	struct str root = find_top(m->a, dir, uid);

	if (!root.n || !project_allowed(m, root, home) || path_inside(link->real, root))
		return false;
	*ret = (struct project_exit){.root = root, .link = link->path};
	return true;
}

/* The text of a link, and what is still to come behind it. Empty: it cannot be read. */
static struct str after_link(struct arena *a, struct str link, struct str rest)
{
	char to[PATH_MAX];
	ssize_t n = readlink(str_c(a, link), to, sizeof to);

	return n > 0 && (size_t)n < sizeof to ? str_fmt(a, "%.*s/%.*s", (int)n, to, STR_ARG(rest)) : STR("");
}

bool project_left(struct path_memo *m, struct str path, struct str home, uint32_t uid, struct project_exit *ret)
{
	struct str at = STR("/"), rest = path;
	unsigned links = 0;

	while (rest.n && links <= PATH_LINKS_MAX) {
		ptrdiff_t slash = str_find(rest, '/', 0);
		struct str name = str_sub(rest, 0, slash < 0 ? rest.n : (size_t)slash);
		struct path_answer answer;

		rest = str_sub(rest, name.n + (slash >= 0), rest.n);
		if (!name.n || str_is(name, "."))
			continue;
		if (str_is(name, "..")) {
			at = path_parent(at);
			continue;
		}
		path_look(m, str_fmt(m->a, "%.*s/%.*s", at.n > 1 ? (int)at.n : 0, at.p, STR_ARG(name)), &answer);
		if (answer.kind != PATH_LINK) {
			at = answer.path;
			continue;
		}
		if (leaves(m, at, &answer, home, uid, ret))
			return true;
		rest = after_link(m->a, answer.path, rest);
		at = str_starts(rest, "/") ? STR("/") : at;
		links++;
	}
	return false;
}

struct str project_scratch(struct path_memo *m, uint32_t uid)
{
	struct path_answer at;
	path_look(m, STR(SCRATCH), &at);
	if (at.kind == PATH_DIR)
		return at.owner == uid && !at.shared ? at.real : STR("");
	if (at.kind != PATH_ABSENT)
		return STR("");
	const struct path_dir *tmp = path_dir(m, path_parent(at.real));
	if (!tmp || (tmp->owner != uid && tmp->owner != 0))
		return STR("");
	return !at.shared || (tmp->mode & S_ISVTX) ? at.real : STR("");
}
