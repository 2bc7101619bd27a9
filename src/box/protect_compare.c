/*
 * Repositories after the run: nothing that the program brought may make git on the host run something.
 *
 * The search looks at every directory of the workspace, also inside git directories: git takes any directory
 * with a repository's content for a repository. Dangerous settings and hooks (protect_git.c) are accepted
 *   - if they were there before the run: the same git directory, at the same path, with the same content;
 *   - if the search before the run did not reach them, and nothing on the way to them or in them has changed
 *     since (path_unchanged).
 * Everything else goes to quarantine. `git init` in a box is ordinary work, so a repository with nothing but
 * harmless settings and sample hooks stays. A directory that is a repository by itself without being called
 * .git is not ordinary work, and is taken apart.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "box/protect_inner.h"
#include "sys/file.h"
#include "sys/path.h"

#define MARKS_OF_REPOSITORY (MARK_HEAD | MARK_OBJECTS | MARK_REFS | MARK_COMMONDIR)

struct repository_judge {
	struct texts *git_files; /* .git files that are new; what they name may be found later */
};

static bool was_visited(const struct protect *p, const char *dir)
{
	return pmap_get(p->visited, str_of(dir)) != NULL;
}

/* ---- files that a configuration names ---- */

struct fresh {
	struct protect *p;
	bool any;
};

static void fresh_entry(void *ctx, int fd, const char *name, unsigned char type)
{
	struct fresh *f = ctx;
	struct stat st;

	(void)type;
	f->any |= fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && protect_is_new(f->p, &st);
}

static void fresh_named(void *ctx, const char *path, bool directory)
{
	struct fresh *f = ctx;
	size_t left = PROTECT_HOOKS_MAX;
	struct stat st;

	if (below_stat(f->p->ws, path, &st) < 0)
		return;
	f->any |= !path_unchanged(f->p, path);
	if (directory && S_ISDIR(st.st_mode)) {
		HELD dir = {f->p, held_list(f->p, path)};

		f->any |= dir.fd < 0 || !dir_each(dir.fd, &left, fresh_entry, f);
	}
}

static bool named_unchanged(struct protect *p, const char *gitdir)
{
	struct fresh f = {.p = p};

	named_each(p, gitdir, gitdir_top(p, gitdir), fresh_named, &f);
	return !f.any;
}

/* ---- one git directory ---- */

static const struct {
	const char *made, *changed; /* in a repository that is new, and in one that was there */
} part_whats[PARTS] = {
	[PART_CONFIG] = {"settings of a new repository that can run programs",
			"settings changed so that they can run programs, put back"},
	[PART_WORKTREE_CONFIG] = {"settings of a new repository that can run programs",
			"settings changed so that they can run programs, put back"},
	[PART_COMMONDIR] = {"repository that takes its settings from elsewhere",
			"repository that takes its settings from elsewhere"},
	[PART_HOOKS] = {"hooks of a new repository", "hooks of a repository changed"},
	[PART_ALTERNATES] = {"objects outside of the workspace", "objects outside of the workspace"},
};

/*
 * Was it a repository before, as far as times tell? For one called .git it does not matter: its parts were
 * always judged.
 */
static bool was_repository(struct protect *p, const char *path)
{
	for (unsigned i = 0; i < MARKS; i++) {
		const char *mark = path_join(p->a, path, mark_names[i]);
		struct stat st;

		if (1u << i & MARKS_OF_REPOSITORY && below_stat(p->ws, mark, &st) == 0 &&
				!path_unchanged(p, mark))
			return false;
	}
	return true;
}

static bool unseen_and_unchanged(struct protect *p, const char *path, enum gitdir_kind kind,
		enum gitdir_part part, const struct git_danger *now)
{
	if (was_visited(p, path_dirname(p->a, path)) || now->fresh ||
			!path_unchanged(p, path_join(p->a, path, part_name(part))))
		return false;
	return (kind == GITDIR_DOTGIT || was_repository(p, path)) && named_unchanged(p, path);
}

/* The same settings or hooks in the same git directory. Files that they name may have changed. */
static bool same_as_before(struct protect *p, const struct gitdir *was, enum gitdir_part part,
		const struct git_danger *now)
{
	struct stat st;

	if (!was || below_stat(p->ws, was->path, &st) < 0 || st.st_dev != was->dev || st.st_ino != was->ino)
		return false;
	return was->parts[part].any && !memcmp(was->parts[part].digest, now->digest, SHA256_BYTES);
}

/* Settings of a repository that was there before: without them it would lose its remotes and branches. */
static void put_back(struct protect *p, const char *path, struct str text)
{
	HELD dir = {p, held_open(p, path_dirname(p->a, path), O_PATH | O_DIRECTORY)};
	HELD file = {p,
			dir.fd < 0 ? -1
				   : held_add(p,
						     openat(dir.fd, path_basename(path),
								     O_WRONLY | O_CREAT | O_EXCL |
										     O_NOFOLLOW | O_CLOEXEC,
								     0644))};

	if (file.fd < 0 || fd_write_all(file.fd, path, text, NULL) < 0)
		protect_report(p, path, "could not be put back", STR(""));
}

/*
 * A file that the settings of a repository name, in a working tree that is new, or that a person's own
 * settings name in any: the program chose its content.
 */
static void move_named(void *ctx, const char *path, bool directory)
{
	struct protect *p = ctx;
	struct stat st;

	(void)directory;
	if (!protect_kept(p, path) && below_stat(p->ws, path, &st) == 0 && !path_unchanged(p, path))
		protect_move(p, path, "file that the settings of its repository run or include");
}

/* The configuration that holds in a git directory. */
static struct str config_of(struct protect *p, const char *gitdir, bool worktree)
{
	const char *common = worktree ? path_dirname(p->a, path_dirname(p->a, gitdir)) : gitdir;
	struct str text;

	return below_read(p->a, p->ws, path_join(p->a, common, part_name(PART_CONFIG)), PROTECT_CONFIG_MAX,
			       &text) == 0
			? text
			: STR("");
}

static void gitdir_after(struct protect *p, const struct walk_spot *dir)
{
	const char *path = dir->path;
	const struct gitdir *was = pmap_get(p->gitdirs_before, str_of(path));
	struct gitdir *g = arena_new(p->a, struct gitdir);
	struct stat st = {0};

	below_stat(p->ws, path, &st);
	*g = (struct gitdir){.path = path, .worktree = dir->kind == GITDIR_WORKTREE, .heavy = dir->heavy,
			.dev = st.st_dev, .ino = st.st_ino};
	p->gitdirs = pmap_set(p->a, p->gitdirs, str_of(path), g);
	for (enum gitdir_part i = 0; i < PARTS; i++) {
		struct git_danger *now = &g->parts[i];
		const char *part = path_join(p->a, path, part_name(i));

		part_danger(p, path, g->worktree, i, now);
		if (!now->any || (!was && unseen_and_unchanged(p, path, dir->kind, i, now)))
			continue;
		if (same_as_before(p, was, i, now)) {
			if (!was->pinned)
				named_each(p, path, gitdir_top(p, path), move_named, p);
			continue;
		}
		now->any = false;
		if (protect_move(p, part, was ? part_whats[i].changed : part_whats[i].made) != 0 || !was ||
				!was->parts[i].text.n)
			continue;
		/* Else the same text has come to mean something else. */
		if (!str_eq(was->parts[i].text, now->text))
			put_back(p, part, was->parts[i].text);
	}
	index_after(p, path, config_of(p, path, g->worktree));
	named_persons(p, gitdir_top(p, path), move_named, p);
}

/* ---- links in git directories ---- */

/* Was this directory, inside a git directory, put there by renaming, or did its entries change? */
static bool fresh_below(struct protect *p, const struct walk_spot *dir, const struct walk_spot *gitdir)
{
	struct stat st;

	for (; dir != gitdir; dir = dir->up)
		if (below_stat(p->ws, dir->path, &st) < 0 || protect_is_new(p, &st))
			return true;
	return false;
}

/* The path of a directory, links followed; empty when it is none. */
static struct str real_directory(struct protect *p, int dir, const char *name)
{
	HELD f = {p, held_add(p, openat(dir, name, O_PATH | O_DIRECTORY | O_CLOEXEC))};

	return f.fd < 0 ? STR("")
			: link_text(p->a, AT_FDCWD, str_fmt_c(p->a, "/proc/self/fd/%d", f.fd));
}

/*
 * The caches and the quarantine hold a program's work that nobody judges, so no link in the workspace may
 * lead there, also if what it names does not exist yet. Few links lead to directories or nowhere.
 */
static bool leads_to_state(struct protect *p, int dir, const char *name)
{
	struct str text, state = real_directory(p, AT_FDCWD, protect_state(p)), real = STR("");
	struct stat st;

	if (fstatat(dir, name, &st, AT_NO_AUTOMOUNT) == 0 && !S_ISDIR(st.st_mode))
		return false;
	text = link_text(p->a, dir, name);
	if (!str_starts(text, "/"))
		text = str_path(p->a, real_directory(p, dir, "."), text);
	while (text.n > 1 && !(real = real_directory(p, AT_FDCWD, str_c(p->a, text))).n)
		while (text.n > 1 && text.p[--text.n] != '/') /* as much of the way as there is */
			;
	return real.n && state.n && path_inside(real, state);
}

/*
 * git follows links when it writes a message, a log, a branch or a list: they would lead it out of the
 * workspace. The old way to say which branch is checked out is a link from HEAD.
 */
static bool is_branch(struct str text)
{
	return str_starts(text, "refs/heads/") && !str_contains(text, STR(".."));
}

static void link_after(struct protect *p, const struct walk_spot *dir, int fd, const char *name)
{
	const struct walk_spot *gitdir = dotgit_around(dir);
	const struct gitdir *was = gitdir ? pmap_get(p->gitdirs_before, str_of(gitdir->path)) : NULL;
	struct stat st;

	if (!gitdir || fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	if (was && !protect_is_new(p, &st) && !fresh_below(p, dir, gitdir))
		return;
	if (!was && !was_visited(p, path_dirname(p->a, gitdir->path)) &&
			path_unchanged(p, path_join(p->a, dir->path, name)))
		return;
	if (dir == gitdir && !strcmp(name, "HEAD") && is_branch(link_text(p->a, fd, name)))
		return;
	if (!private_unlink(p, path_join(p->a, dir->path, name), link_text(p->a, fd, name)))
		protect_move(p, path_join(p->a, dir->path, name), "link in a repository");
}

/*
 * .git/remotes and .git/branches have remotes as files, as git had them before they were settings: `git push`
 * would obey one. Nothing writes them any more.
 */
static void remote_after(struct protect *p, const struct walk_spot *dir, int fd, const char *name)
{
	struct stat st;

	if (!str_is_any(str_of(path_basename(dir->path)), "remotes branches") ||
			!pmap_get(p->gitdirs_before, str_of(dir->up->path)))
		return;
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			(protect_is_new(p, &st) || fresh_below(p, dir, dir->up)))
		protect_move(p, path_join(p->a, dir->path, name), "remote as a file");
}

/* ---- .git that is a file or a link ---- */

static void dotgit_after(struct protect *p, struct repository_judge *j, const char *path, unsigned char type)
{
	const struct str *was = pmap_get(p->git_files, str_of(path));

	if (type == DT_LNK) {
		if (!was && (was_visited(p, path_dirname(p->a, path)) || !path_unchanged(p, path)))
			protect_move(p, path, "link in the place of a repository");
		return; /* links that were there are kept */
	}
	if (was ? str_eq(*was, git_file_target(p, path))
		: !was_visited(p, path_dirname(p->a, path)) && path_unchanged(p, path))
		return;
	texts_push(p->a, &j->git_files, str_of(path));
}

/* A .git file is fine when it leads to a worktree or submodule of a repository that was judged. */
static void git_file_after(struct protect *p, const char *path)
{
	const char *dir = path_dirname(p->a, path), *target, *common;
	struct str text = git_file_target(p, path);
	const struct gitdir *g;

	target = text.n ? protect_plain(p, dir, text) : NULL;
	g = target ? pmap_get(p->gitdirs, str_of(target)) : NULL;
	if (!g) {
		protect_move(p, path, "points to an unknown repository");
		return;
	}
	common = g->worktree ? path_dirname(p->a, path_dirname(p->a, target)) : target;
	named_each(p, common, dir, move_named, p);
}

/* ---- directories that are repositories by themselves ---- */

/* A directory that git takes for a repository, and that was none: its new parts go. */
static void bare_after(struct protect *p, const struct walk_spot *dir)
{
	const struct walk_spot *was = pmap_get(p->visited, str_of(dir->path));
	unsigned go = was ? dir->marks & ~was->marks : 0;
	struct stat st;

	for (unsigned i = 0; i < MARKS; i++) /* `head` is not HEAD where case matters */
		if (1u << i & MARKS_OF_REPOSITORY & dir->marks &&
				below_stat(p->ws, path_join(p->a, dir->path, mark_names[i]), &st) < 0)
			return;
	if (!was) {
		for (unsigned i = 0; i < MARKS; i++)
			if (dir->marks & 1u << i &&
					!path_unchanged(p, path_join(p->a, dir->path, mark_names[i])))
				go |= 1u << i;
		go |= go & MARKS_OF_REPOSITORY ? MARK_HEAD : 0;
	}
	if (!(go & MARKS_OF_REPOSITORY)) { /* it was one */
		gitdir_after(p, dir);
		return;
	}
	for (unsigned i = 0; i < MARKS; i++)
		if (go & 1u << i)
			protect_move(p, path_join(p->a, dir->path, mark_names[i]), "planted repository");
}

/* ---- the workspace ---- */

/*
 * Settings below the top that programs obey by themselves: new ones go, those that branches change are
 * reported.
 */
static void settings_after(struct protect *p, const struct walk_spot *dir, int fd, const char *name,
		const struct protect_name *row)
{
	const char *path = path_join(p->a, dir->path, name);
	struct stat st;

	if (row->flags & NAME_REPORT) {
		if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && protect_is_new(p, &st))
			protect_report(p, path, "changed by the program", STR(""));
		return;
	}
	if (!protect_kept(p, path) && !pmap_get(p->settings, str_of(path)) &&
			(was_visited(p, dir->path) || !path_unchanged(p, path))) {
		if (!(row->flags & (NAME_MASK | NAME_MOVE)))
			protect_report(p, path, "protected name made", STR(""));
		else if (protect_move(p, path, "protected name made") == 0)
			return;
	}
	texts_push(p->a, &p->nested, str_of(path));
}

static void after_entry(struct walk *w, struct walk_spot *dir, int fd, const char *name, unsigned char type)
{
	struct protect *p = w->p;
	const struct protect_name *row = protect_nested(dir, name);

	if (dotgit_name(name) && (type == DT_REG || type == DT_LNK))
		dotgit_after(p, w->ctx, path_join(p->a, dir->path, name), type);
	else if (type == DT_LNK && leads_to_state(p, fd, name))
		protect_move(p, path_join(p->a, dir->path, name), "link to caisson's own files");
	else if (type == DT_LNK)
		link_after(p, dir, fd, name);
	else if (dir->up && dir->up->dotgit)
		remote_after(p, dir, fd, name);
	if (row)
		settings_after(p, dir, fd, name, row);
}

/*
 * Fan-out directories of objects that have not changed and hold nothing but files: most of a repository's
 * directories.
 */
static bool after_descend(const struct walk *w, const struct walk_spot *dir, int fd, const char *name)
{
	char at[sizeof "ab/HEAD"];
	struct stat st;

	if (strcmp(path_basename(dir->path), "objects") != 0 || !dir->up || !dir->up->dotgit ||
			!str_is_hex(str_of(name), 2))
		return true;
	/* 2: no directory in it; 1: this file system does not say. */
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_nlink != 2 || protect_is_new(w->p, &st))
		return true;
	str_put(at, sizeof at, "%s/HEAD", name);
	if (fstatat(fd, at, &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT)
		return true;
	str_put(at, sizeof at, "%s/.git", name);
	return fstatat(fd, at, &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

static void after_leave(struct walk *w, struct walk_spot *dir)
{
	dir->kind = gitdir_kind(dir);
	if (dir->kind == GITDIR_BARE && !pmap_get(w->p->gitdirs_before, str_of(dir->path)))
		bare_after(w->p, dir);
	else if (dir->kind != GITDIR_NONE)
		gitdir_after(w->p, dir);
}

static void after_too_deep(struct walk *w, const struct walk_spot *dir, const char *name)
{
	const char *path = path_join(w->p->a, dir->path, name);

	if (path_unchanged(w->p, path) || protect_move(w->p, path, "too deep to be searched") < 0)
		w->incomplete = true;
}

size_t git_after(struct protect *p, size_t entries_max)
{
	struct repository_judge j = {0};
	struct walk w = {.p = p, .left = entries_max, .descend = after_descend, .entry = after_entry,
			.leave = after_leave, .too_deep = after_too_deep, .ctx = &j};

	walk_run(&w);
	p->over_budget = !w.left;
	for (struct texts *t = p->over_budget ? NULL : j.git_files; t; t = t->next)
		git_file_after(p, str_c(p->a, t->text));
	p->incomplete |= w.incomplete;
	return entries_max - w.left;
}
