/*
 * Repositories in the workspace.
 *
 * What makes git on the host run something is its configuration (config, config.worktree, and both of wherever commondir points) and the
 * files in hooks; what makes it write elsewhere is a link in the place of a file that it opens by name (COMMIT_EDITMSG, FETCH_HEAD, logs).
 * Objects, refs, index and the rest stay writable, so that git works in the box.
 *
 * Repositories that were there are pinned, and searched for new links afterwards. New ones are looked at afterwards: `git init` in a box is
 * ordinary work, so a repository with nothing but harmless settings and sample hooks stays; whatever could run a program is moved away. A
 * directory that is a repository by itself without being called .git is nobody's ordinary work and is taken apart.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "box/protect_inner.h"
#include "sys/file.h"

#define MODULES_DEPTH 6
#define LINKS_DEPTH 8
#define GIT_FILE_MAX 4096 /* bytes of a .git file or of commondir */

static bool gitdir_known(const struct protect *p, const char *path)
{
	for (const struct gitdir *g = p->gitdirs; g; g = g->next)
		if (!strcmp(g->path, path))
			return true;
	return false;
}

static void gitdir_add(struct protect *p, const char *path, bool worktree)
{
	struct gitdir *g = arena_new(p->a, struct gitdir);

	*g = (struct gitdir){.next = p->gitdirs, .path = path, .worktree = worktree};
	p->gitdirs = g;
	p->ngitdirs++;
}

static bool listed(const struct texts *t, const char *path)
{
	for (; t; t = t->next)
		if (str_is(t->text, path))
			return true;
	return false;
}

/* The path after "gitdir:"; empty: there is none. */
static struct str git_file(struct protect *p, const char *path)
{
	struct str text, prefix = STR("gitdir:");

	if (below_read(p->a, p->ws, path, GIT_FILE_MAX, &text) < 0 || !str_starts(text, prefix.p))
		return STR("");
	text = str_sub(text, prefix.n, text.n);
	while (text.n && (text.p[0] == ' ' || text.p[0] == '\t'))
		text = str_sub(text, 1, text.n);
	while (text.n && (text.p[text.n - 1] == '\n' || text.p[text.n - 1] == '\r'))
		text.n--;
	return text;
}

static bool is_there(struct protect *p, const char *dir, const char *name, struct stat *ret)
{
	return below_stat(p->ws, path_join(p->a, dir, name), ret) == 0;
}

/* ---- repositories inside .git: of submodules and worktrees ---- */

struct inner {
	struct protect *p;
	const char *dir;
	void (*found)(struct protect *p, const char *path, bool worktree);
};

static void worktree_entry(void *ctx, int fd, const char *name, unsigned char type)
{
	struct inner *in = ctx;

	(void)fd;
	if (type == DT_DIR)
		in->found(in->p, path_join(in->p->a, in->dir, name), true);
}

static void module_leave(struct walk *w, const char *dir, unsigned marks)
{
	struct inner *in = w->ctx;

	if (marks_repository(marks))
		in->found(in->p, dir, false);
}

static void inner_each(struct protect *p, const char *path, void (*found)(struct protect *p, const char *path, bool worktree))
{
	struct inner in = {.p = p, .dir = path_join(p->a, path, "worktrees"), .found = found};
	struct walk w = {.p = p, .from = path_join(p->a, path, "modules"), .depth_max = MODULES_DEPTH, .left = PROTECT_ENTRIES_MAX, .leave = module_leave, .ctx = &in};
	HELD d = {p, held_open(p, in.dir, O_RDONLY | O_DIRECTORY)};
	struct stat st;
	bool all;

	if (p->nest >= PROTECT_NEST_MAX) {
		if (d.fd >= 0 || is_there(p, path, "modules", &st))
			protect_report(p, path, "repositories inside repositories, too many: the innermost were not looked at", STR(""));
		return;
	}
	p->nest++;
	all = d.fd < 0 || dir_each(d.fd, &p->budget, worktree_entry, &in);
	if (is_there(p, path, "modules", &st))
		walk_run(&w);
	p->nest--;
	if (!all || w.incomplete)
		protect_report(p, path, "too many files in it: not all of its repositories were looked at", STR(""));
}

/* ---- before ---- */

struct named { /* paths that a configuration names */
	struct protect *p;
	const char *gitdir, *top;
};

static void named_path(void *ctx, struct str section, struct str key, struct str value)
{
	struct named *n = ctx;
	bool hooks = str_is(section, "core") && str_is(key, "hookspath");
	bool include = (str_is(section, "include") || str_is(section, "includeif")) && str_is(key, "path");
	const char *path;

	if ((!hooks && !include) || !value.n || value.p[0] == '~' || value.n >= PROTECT_PATH_MAX)
		return;
	path = protect_as_text(n->p, hooks ? n->top : n->gitdir, value); /* links on the way are kept as well */
	if (path)
		protect_keep(n->p, path, hooks ? NAME_MASK : NAME_MOVE, NULL);
	path = protect_resolve(n->p, hooks ? n->top : n->gitdir, value);
	if (path)
		protect_keep(n->p, path, hooks ? NAME_MASK : NAME_MOVE, NULL);
}

static void named_paths(struct protect *p, const char *gitdir, const char *top, const char *config)
{
	struct named n = {.p = p, .gitdir = gitdir, .top = top};
	struct str text;

	if (below_read(p->a, p->ws, path_join(p->a, gitdir, config), PROTECT_CONFIG_MAX, &text) == 0)
		config_each(p->a, text, named_path, &n);
}

void gitdir_before(struct protect *p, const char *path, bool worktree)
{
	const char *top = !strcmp(path_basename(path), ".git") ? path_dirname(p->a, path) : path;
	const struct protect_name *rows;
	size_t n;

	if (gitdir_known(p, path))
		return;
	if (p->ngitdirs >= PROTECT_REPOSITORIES_MAX) {
		protect_report(p, path, "too many repositories, this one is not protected", STR(""));
		p->full = true;
		return;
	}
	gitdir_add(p, path, worktree);
	if (path[0])
		protect_keep(p, path, NAME_WRITABLE, NULL);
	rows = gitdir_names(worktree, &n);
	for (size_t i = 0; i < n; i++)
		protect_keep(p, path_join(p->a, path, rows[i].path), rows[i].flags, rows[i].text);
	named_paths(p, path, top, "config.worktree");
	if (worktree)
		return;
	named_paths(p, path, top, "config");
	inner_each(p, path, gitdir_before);
}

void git_before(struct protect *p, const char *dir, unsigned char type)
{
	const char *path = path_join(p->a, dir, ".git"), *target = path;
	struct texts *t = arena_new(p->a, struct texts);
	struct stat st;

	*t = (struct texts){.next = p->gits, .text = str_of(path)};
	p->gits = t;
	if (type != DT_DIR) {
		struct str text = type == DT_LNK ? STR(".git") : git_file(p, path);
		const char *plain = text.n && type == DT_REG ? protect_as_text(p, dir, text) : NULL;

		protect_keep(p, path, NAME_GIT, NULL);
		if (plain)
			protect_keep(p, plain, NAME_WRITABLE | NAME_GIT, NULL); /* so that no link on the way can be turned elsewhere */
		target = text.n ? protect_resolve(p, dir, text) : NULL;
	}
	/* A repository that lies outside the workspace is not seen in the box. */
	if (target && below_stat(p->ws, target, &st) == 0 && S_ISDIR(st.st_mode)) {
		bool worktree = type == DT_REG && is_there(p, target, "commondir", &st);

		gitdir_before(p, target, worktree);
	}
}

/* ---- after: what is new ---- */

/* Only the kernel sets these: what was made, renamed or changed since the start is not older. */
static bool is_new(const struct protect *p, const struct stat *st)
{
	const long part = st->st_ctim.tv_nsec;

	/* some file systems know whole seconds only */
	return st->st_ctim.tv_sec > p->start.tv_sec || (st->st_ctim.tv_sec == p->start.tv_sec && (part >= p->start.tv_nsec || !part));
}

static bool was_visited(const struct protect *p, const char *dir) { return listed(p->visited, dir); }

struct looking {
	struct protect *p;
	const char *dir;
	enum trust trust;
	struct texts *git_files;
	bool hook, new_hook;
};

/* A part that could run something. What may have been there before is only named. */
static void take(struct looking *l, const char *name, const char *what)
{
	const char *path = path_join(l->p->a, l->dir, name);
	struct stat st;

	if (l->trust == TRUST_NONE || (below_stat(l->p->ws, path, &st) == 0 && is_new(l->p, &st)))
		protect_move(l->p, path, what);
	else if (l->trust == TRUST_UNSURE)
		protect_report(l->p, path, what, STR(""));
}

static void link_entry(void *ctx, int fd, const char *name, unsigned char type)
{
	struct looking *l = ctx;
	struct stat st;

	if (type != DT_LNK || fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !is_new(l->p, &st))
		return;
	if (!strcmp(name, "HEAD") && str_starts(link_text(l->p->a, fd, name), "refs/"))
		return; /* the old way to say which branch is checked out */
	protect_move(l->p, path_join(l->p->a, l->dir, name), "link in a repository");
}

static void inner_link(struct walk *w, const char *dir, const char *name, unsigned char type)
{
	struct looking l = {.p = w->p, .dir = dir};
	struct stat st;

	if (type == DT_LNK && is_there(w->p, dir, name, &st) && is_new(w->p, &st))
		protect_move(w->p, path_join(w->p->a, l.dir, name), "link in a repository");
}

/*
 * git follows links when it writes a message, a log, a branch or a list: they would lead it out of the workspace. Objects and packs are
 * written under new names, so only the directories that hold them count.
 */
static const struct {
	char dir[16];
	size_t depth;
} written[] = {{"logs", LINKS_DEPTH}, {"refs", LINKS_DEPTH}, {"info", 1}, {"objects", 0}, {"objects/info", 1}, {"rebase-merge", 1}, {"rebase-apply", 1}, {"sequencer", 1}};

static void gitdir_links(struct protect *p, const char *path)
{
	struct looking l = {.p = p, .dir = path};
	HELD d = {p, held_open(p, path, O_RDONLY | O_DIRECTORY)};

	if (d.fd < 0)
		return;
	if (!dir_each(d.fd, &p->budget, link_entry, &l))
		protect_report(p, path, "too many files in it: not all were looked at", STR(""));
	for (size_t i = 0; i < sizeof(written) / sizeof(*written); i++) {
		struct walk w = {.p = p, .from = path_join(p->a, path, written[i].dir), .depth_max = written[i].depth, .left = PROTECT_ENTRIES_MAX, .heavy = true, .entry = inner_link};

		walk_run(&w);
		if (w.incomplete)
			protect_report(p, w.from, "too many files in it: not all were looked at", STR(""));
	}
}

static void hook_entry(void *ctx, int fd, const char *name, unsigned char type)
{
	struct looking *l = ctx;
	struct stat st;

	(void)type;
	if (str_ends(str_of(name), ".sample"))
		return;
	l->hook = true;
	l->new_hook |= fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && is_new(l->p, &st);
}

static void look_hooks(struct looking *l)
{
	HELD d = {l->p, held_open(l->p, path_join(l->p->a, l->dir, "hooks"), O_RDONLY | O_DIRECTORY)};
	const char *found = l->trust == TRUST_OLD ? "hooks changed in a repository that could not be protected" : "hooks of a new repository";
	struct looking in = *l;
	struct stat st;

	if (d.fd < 0) { /* absent, or something else, which git follows if it is a link */
		if (is_there(l->p, l->dir, "hooks", &st))
			take(l, "hooks", found);
		return;
	}
	if (!dir_each(d.fd, &l->p->budget, hook_entry, &in))
		in.hook = true;
	if (in.new_hook)
		in.trust = TRUST_NONE;
	if (in.hook)
		take(&in, "hooks", found);
}

static void look_config(struct looking *l, const char *name)
{
	struct str text;
	struct stat st;

	if (!is_there(l->p, l->dir, name, &st) || (S_ISREG(st.st_mode) && !st.st_size))
		return;
	if (below_read(l->p->a, l->p->ws, path_join(l->p->a, l->dir, name), PROTECT_CONFIG_MAX, &text) < 0 || !config_inert(l->p->a, text))
		take(l, name, l->trust == TRUST_OLD ? "settings that can run programs, changed in a repository that could not be protected" : "settings of a new repository that can run programs");
}

static void look_inner(struct protect *p, const char *path, bool worktree);

/* A repository that was not there, or not looked at, before. */
static void look_gitdir(struct protect *p, const char *path, bool worktree, enum trust trust)
{
	struct looking l = {.p = p, .dir = path, .trust = trust};
	const enum trust outer = p->trust;
	struct str text = STR("");
	struct stat st;

	gitdir_add(p, path, worktree);
	gitdir_links(p, path);
	look_config(&l, "config.worktree");
	if (is_there(p, path, "commondir", &st)) {
		bool usual = below_read(p->a, p->ws, path_join(p->a, path, "commondir"), GIT_FILE_MAX, &text) == 0 && str_is(text, worktree ? "../..\n" : ".\n");

		if (!usual)
			take(&l, "commondir", "repository that takes its settings from elsewhere");
	}
	if (worktree)
		return;
	look_config(&l, "config");
	look_hooks(&l);
	p->trust = trust;
	inner_each(p, path, look_inner);
	p->trust = outer;
}

static void look_inner(struct protect *p, const char *path, bool worktree)
{
	if (!gitdir_known(p, path)) /* with as many as are protected, it may be one more that was there */
		look_gitdir(p, path, worktree, p->full && p->trust == TRUST_NONE ? TRUST_OLD : p->trust);
}

/* ---- after: the workspace ---- */

static void after_entry(struct walk *w, const char *dir, const char *name, unsigned char type)
{
	struct looking *l = w->ctx;
	struct protect *p = w->p;
	const char *path;
	struct stat st;

	if (strcmp(name, ".git") != 0)
		return;
	path = path_join(p->a, dir, name);
	if (listed(p->gits, path) || gitdir_known(p, path) || below_stat(p->ws, path, &st) < 0)
		return;
	if (type == DT_DIR) {
		look_gitdir(p, path, false, was_visited(p, dir) ? TRUST_NONE : is_new(p, &st) ? TRUST_UNSURE : TRUST_OLD);
		return;
	}
	if (!was_visited(p, dir) && !is_new(p, &st))
		return; /* too deep to have been looked at before, and as it was */
	if (type == DT_REG) { /* what it names may be found later */
		struct texts *t = arena_new(p->a, struct texts);

		*t = (struct texts){.next = l->git_files, .text = str_of(path)};
		l->git_files = t;
	} else {
		protect_move(p, path, "link in the place of a repository");
	}
}

static bool part_is_new(struct protect *p, const char *dir, unsigned i)
{
	struct stat st;

	return is_there(p, dir, mark_names[i], &st) && is_new(p, &st);
}

/* A directory that git takes for a repository, and that was none: everything of it that is new goes. */
static void planted(struct protect *p, const char *dir, unsigned marks)
{
	unsigned old = 0, go;

	for (const struct seen *s = p->seen; s; s = s->next)
		if (!strcmp(s->path, dir))
			old = s->marks;
	go = marks & ~old;
	if (!was_visited(p, dir)) { /* not known: what is new by its time stamps, and then at least what makes it one */
		go = 0;
		for (unsigned i = 0; i < MARKS; i++)
			go |= marks & 1u << i && part_is_new(p, dir, i) ? 1u << i : 0;
		if (go & (MARK_HEAD | MARK_OBJECTS | MARK_REFS | MARK_COMMONDIR))
			go |= MARK_HEAD;
	}
	if (!(go & (MARK_HEAD | MARK_OBJECTS | MARK_REFS | MARK_COMMONDIR))) {
		if (!was_visited(p, dir)) /* it was one, out of reach: what is new in it? */
			look_gitdir(p, dir, false, TRUST_OLD);
		return;
	}
	for (unsigned i = 0; i < MARKS; i++)
		if (go & 1u << i)
			protect_move(p, path_join(p->a, dir, mark_names[i]), "planted repository");
}

static void after_leave(struct walk *w, const char *dir, unsigned marks)
{
	if (marks_repository(marks) && !gitdir_known(w->p, dir))
		planted(w->p, dir, marks);
}

/* A .git file is fine when it leads to a worktree or submodule of a repository that was looked at. */
static void look_git_file(struct protect *p, const char *path)
{
	const char *dir = path_dirname(p->a, path), *target;
	struct str text = git_file(p, path);

	target = text.n ? protect_as_text(p, dir, text) : NULL; /* a link on the way could be turned elsewhere by the next box */
	if (!target || !gitdir_known(p, target))
		protect_move(p, path, "leads to a repository that is not known");
}

void git_after(struct protect *p)
{
	struct looking l = {.p = p};
	struct walk w = {.p = p, .from = "", .depth_max = PROTECT_DEPTH_AFTER, .left = PROTECT_ENTRIES_MAX, .heavy = true, .entry = after_entry, .leave = after_leave, .ctx = &l};

	for (struct gitdir *g = p->gitdirs; g; g = g->next) { /* new ones are put before the first */
		gitdir_links(p, g->path);
		if (!g->worktree)
			inner_each(p, g->path, look_inner);
	}
	walk_run(&w);
	if (w.incomplete)
		protect_report(p, ".", "too many files: not all directories were searched for planted repositories", STR(""));
	for (struct texts *t = l.git_files; t; t = t->next)
		look_git_file(p, str_c(p->a, t->text));
}
