/* Finds the project's root and the scratch directory. */
#define _GNU_SOURCE
#include "sys/project.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/file.h"

#define SCRATCH "/tmp/claude"

/* True for system directories, which are never a project, even if someone works there. */
static bool is_system(struct str dir)
{
	static const char whole[][12] = {"/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64",
			"/libx32", "/boot", "/proc", "/sys", "/dev", "/run", "/System", "/Library"};
	static const char except[][16] = {"/usr/src", "/usr/local/src", "/dev/shm"};
	for (size_t i = 0; i < ARRAY_SIZE(except); i++)
		if (path_inside(dir, str_of(except[i])) && dir.n > strlen(except[i]))
			return false;
	for (size_t i = 0; i < ARRAY_SIZE(whole); i++)
		if (path_inside(dir, str_of(whole[i])))
			return true;
	return str_is_any(dir,
			"/var /opt /srv /mnt /media /home /tmp /var/tmp /var/lib /var/log /snap /nix "
			"/Users /Applications /private");
}

bool project_allowed(struct path_memo *m, struct str dir, struct str home)
{
	enum path_kind kind;
	if (dir.n < 2 || dir.p[0] != '/' || path_inside(home, dir) || is_system(dir))
		return false;
	return !home.n || !path_inside(path_real(m, home, &kind), dir);
}

static bool is_ours(uint32_t owner, uint32_t uid) { return owner == uid || owner == 0; }

static bool same_device(struct arena *a, struct str x, struct str y)
{
	struct stat one, other;

	return str_eq(x, y) || (stat(str_c(a, x), &one) == 0 && stat(str_c(a, y), &other) == 0 &&
			one.st_dev == other.st_dev);
}

static bool is_our_link(struct arena *a, struct str path, uint32_t uid)
{
	struct stat st;

	return lstat(str_c(a, path), &st) == 0 && is_ours(st.st_uid, uid);
}

enum top { TOP_NO, TOP_YES, TOP_FOREIGN };

/*
 * Tells if this resolved directory is a git top level on the same file system as `start`. Like git, ignores a
 * .git directory without HEAD.
 */
static enum top top_level(struct path_memo *m, struct str dir, struct str start, uint32_t uid)
{
	struct path_answer git;
	const struct path_dir *top;
	bool ours;

	path_look_existing(m, str_path(m->a, dir, STR(".git")), &git);
	if (git.kind != PATH_DIR && git.kind != PATH_FILE && git.kind != PATH_LINK)
		return TOP_NO;
	if (git.kind == PATH_DIR && !path_exists(m, str_path(m->a, dir, STR(".git/HEAD"))))
		return TOP_NO;
	ours = git.kind == PATH_LINK ? is_our_link(m->a, git.path, uid) : is_ours(git.owner, uid);
	top = path_dir(m, dir);
	ours = ours && top && is_ours(top->owner, uid);
	return ours && same_device(m->a, dir, start) ? TOP_YES : TOP_FOREIGN;
}

/*
 * Searches upwards from an existing directory, within its file system. Returns the top level, or an empty
 * string.
 */
static struct str find_top(const struct project_look *l, struct str start)
{
	struct arena *a = l->m->a;
	struct str dir = start;
	for (unsigned i = 0; i < PROJECT_DEPTH_MAX && dir.n > 1; i++, dir = path_parent(dir)) {
		enum top t = remembered_root(l->known, dir) ? TOP_YES : top_level(l->m, dir, start, l->uid);
		if (t == TOP_YES)
			return str_dup(a, dir);
		if (t == TOP_FOREIGN)
			break;
	}
	return STR("");
}

bool project_repository(struct path_memo *m, struct str dir, uint32_t uid)
{
	return top_level(m, dir, dir, uid) == TOP_YES;
}

struct texts *project_enclosing(const struct project_look *l, struct str root)
{
	struct texts *list = NULL, **end = &list;
	struct str dir = root;
	for (unsigned i = 0; i < PROJECT_ENCLOSING_MAX && dir.n > 1; i++) {
		dir = find_top(l, path_parent(dir));
		if (!dir.n || !project_allowed(l->m, dir, l->home))
			break;
		end = texts_add(l->m->a, end, dir);
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

/* Reads a small file without its line end. Empty if it is not a regular file or too long. */
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
	struct str here = line_of(a, str_fmt_c(a, "%.*s/.git", STR_ARG(root)));
	struct str worktrees = str_fmt(a, "%.*s/.git/worktrees/", STR_ARG(repository)), name;

	if (!str_take(&here, "gitdir: "))
		return false;
	if (here.n <= worktrees.n || memcmp(here.p, worktrees.p, worktrees.n) != 0)
		return false;
	name = str_from(here, worktrees.n);
	if (str_has(name, '/') || str_is_any(name, ".. ."))
		return false;
	return str_eq(line_of(a, str_fmt_c(a, "%.*s/gitdir", STR_ARG(here))),
			str_fmt(a, "%.*s/.git", STR_ARG(root)));
}

/*
 * Searches upwards from a link for the first directory in which a program in a box may have created it. Empty
 * if there is none.
 */
static struct str find_written(const struct project_look *l, struct str start)
{
	bool git = true;

	for (struct str dir = start; dir.n > 1; dir = path_parent(dir)) {
		enum top t = TOP_NO;

		if (remembered_place(l->known, dir))
			t = TOP_YES;
		else if (git)
			t = top_level(l->m, dir, start, l->uid);
		if (t == TOP_YES)
			return str_dup(l->m->a, dir);
		git &= t != TOP_FOREIGN;
	}
	return STR("");
}

struct way_link {
	struct str link, root; /* root: the link must stay inside; empty: it may lead anywhere */
	size_t rest;           /* path bytes behind the link; when no more are left, its own text is done */
	bool ended, leaves;
};

struct way_walk {
	const struct project_look *l;
	struct str at, rest; /* resolved part, and names still to walk */
	struct way_link links[PATH_LINKS_MAX];
	size_t nlinks;
};

/* Links whose text has been walked completely lead to `at`. */
static void end_links(struct way_walk *w)
{
	for (size_t i = 0; i < w->nlinks; i++) {
		struct way_link *k = &w->links[i];

		if (k->ended || w->rest.n > k->rest)
			continue;
		k->ended = true;
		k->leaves = k->root.n && !path_inside(w->at, k->root);
	}
}

/* Reads the link `path`, which is in w->at, and puts its text in front of the remaining names. */
static bool enter_link(struct way_walk *w, struct str path)
{
	struct arena *a = w->l->m->a;
	struct str root = find_written(w->l, w->at);
	char to[PATH_MAX];
	ssize_t n;

	if (w->nlinks == PATH_LINKS_MAX)
		return false;
	n = readlink(str_c(a, path), to, sizeof to);
	if (n <= 0 || (size_t)n >= sizeof to)
		return false;
	if (root.n && !project_allowed(w->l->m, root, w->l->home))
		root = STR("");
	w->links[w->nlinks++] = (struct way_link){.link = path, .root = root, .rest = w->rest.n};
	w->rest = str_fmt(a, "%.*s/%.*s", (int)n, to, STR_ARG(w->rest));
	w->at = to[0] == '/' ? STR("/") : w->at;
	return true;
}

/* Walks one name of the path. False if a link cannot be read, or a directory on the way was replaced. */
static bool way_step(struct way_walk *w)
{
	struct path_memo *m = w->l->m;
	struct str name = str_cut(&w->rest, '/'), path;
	struct path_answer answer;

	if (!name.n || str_is(name, "."))
		return true;
	if (str_is(name, "..")) {
		w->at = path_parent(w->at);
		return true;
	}
	path = str_path(m->a, w->at.n > 1 ? w->at : STR(""), name);
	if (path_memo_knows(m, path)) {
		w->at = path;
		return true;
	}
	path_look(m, path, &answer);
	if (answer.kind == PATH_LINK)
		return enter_link(w, path);
	if (!str_eq(answer.real, path)) /* the path, or a parent, has just become a link */
		return false;
	w->at = path;
	return true;
}

struct project_way project_way(const struct project_look *l, struct str path)
{
	struct way_walk *w = arena_new(l->m->a, struct way_walk);
	struct project_way way = {.real = STR(""), .root = STR(""), .link = STR("")};
	bool known = str_starts(path, "/");

	w->l = l;
	w->at = STR("/");
	w->rest = path;
	while (known && w->rest.n) {
		known = way_step(w);
		end_links(w);
	}
	way.real = known ? w->at : STR("");
	for (size_t i = 0; i < w->nlinks && !way.root.n; i++)
		if (w->links[i].leaves) {
			way.root = w->links[i].root;
			way.link = w->links[i].link;
		}
	return way;
}

struct str project_scratch(struct path_memo *m, uint32_t uid)
{
	struct path_answer at;
	path_dir(m, path_parent(STR(SCRATCH))); /* first: its stamp may prove that the directory is missing */
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
