/* The project's root and the scratch directory. */
#define _GNU_SOURCE
#include "sys/project.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/file.h"

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
static struct str find_top(const struct project_look *l, struct str start)
{
	struct arena *a = l->m->a;
	struct str dir = start;
	for (unsigned i = 0; i < PROJECT_DEPTH_MAX && dir.n > 1; i++, dir = path_parent(dir)) {
		enum top t = remembered_root(l->known, dir) ? TOP_YES : top_level(dir, start, l->uid);
		if (t == TOP_YES)
			return str_dup(a, dir);
		if (t == TOP_FOREIGN)
			break;
	}
	return STR("");
}

bool project_repository(struct str dir, uint32_t uid) { return top_level(dir, dir, uid) == TOP_YES; }

struct texts *project_enclosing(const struct project_look *l, struct str root)
{
	struct texts *list = NULL, **end = &list;
	struct str dir = root;
	for (unsigned i = 0; i < PROJECT_ENCLOSING_MAX && dir.n > 1; i++) {
		dir = find_top(l, path_parent(dir));
		if (!dir.n || !project_allowed(l->m, dir, l->home))
			break;
		*end = arena_new(l->m->a, struct texts);
		(*end)->text = dir;
		end = &(*end)->next;
	}
	return list;
}

struct str project_find(const struct project_look *l, struct str cwd)
{
	struct path_memo *m = l->m;
	struct str home = l->home;
	enum path_kind kind;
	struct str real = path_real(m, cwd, &kind);
	if (kind != PATH_DIR && kind != PATH_ABSENT && kind != PATH_UNREADABLE)
		return STR("");
	if (kind == PATH_DIR) {
		struct str top = find_top(l, real);
		if (top.n && project_allowed(m, top, home))
			return top;
	}
	return project_allowed(m, real, home) ? real : STR("");
}

/* A small file without its line end; empty: it is none, or too long. */
static struct str line_of(struct arena *a, const char *path)
{
	struct str text = STR("");
	struct stat st;

	if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode) || file_read(a, path, PATH_MAX + 16, &text, NULL,
			NULL) != 0)
		return STR("");
	while (text.n && (text.p[text.n - 1] == '\n' || text.p[text.n - 1] == '\r'))
		text.n--;
	return text;
}

bool project_worktree(struct arena *a, struct str root, struct str repository)
{
	static const char key[] = "gitdir: ";
	struct str here = line_of(a, str_c(a, str_fmt(a, "%.*s/.git", STR_ARG(root))));
	struct str worktrees = str_fmt(a, "%.*s/.git/worktrees/", STR_ARG(repository)), name;

	if (!str_starts(here, key))
		return false;
	here = str_sub(here, sizeof key - 1, here.n);
	if (here.n <= worktrees.n || memcmp(here.p, worktrees.p, worktrees.n) != 0)
		return false;
	name = str_sub(here, worktrees.n, here.n);
	if (str_find(name, '/', 0) >= 0 || str_is(name, "..") || str_is(name, "."))
		return false;
	return str_eq(line_of(a, str_c(a, str_fmt(a, "%.*s/gitdir", STR_ARG(here)))), str_fmt(a, "%.*s/.git",
			STR_ARG(root)));
}

/* Upwards from a link: the first directory in which a program in a box may have made it. Empty: none. */
static struct str find_written(const struct project_look *l, struct str start)
{
	bool git = true;

	for (struct str dir = start; dir.n > 1; dir = path_parent(dir)) {
		enum top t = remembered_place(l->known, dir) ? TOP_YES : git ? top_level(dir, start, l->uid) : TOP_NO;

		if (t == TOP_YES)
			return str_dup(l->m->a, dir);
		git &= t != TOP_FOREIGN;
	}
	return STR("");
}

/* One link on the way: does it leave the repository, or the workspace, that it lies in? */
static bool leaves(const struct project_look *l, struct str dir, const struct path_answer *link,
		struct project_exit *ret)
{
	struct str root = find_written(l, dir);

	if (!root.n || !project_allowed(l->m, root, l->home) || path_inside(link->real, root))
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

bool project_left(const struct project_look *l, struct str path, struct project_exit *ret)
{
	struct path_memo *m = l->m;
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
		if (leaves(l, at, &answer, ret))
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
