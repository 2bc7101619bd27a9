/*
 * Repositories in the workspace: what they are, what in them is dangerous, and how they are protected before
 * the run. protect_compare.c has what happens after it.
 *
 * Configuration (config, config.worktree, and both where commondir points) and the files in hooks make git on
 * the host run something. A link in the place of a file that git opens by name (COMMIT_EDITMSG, FETCH_HEAD,
 * logs) makes it write elsewhere. Objects, refs, index and the rest stay writable, so that git works in the
 * box.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "box/protect_inner.h"
#include "sys/file.h"
#include "sys/path.h"

#define GIT_FILE_MAX 4096 /* bytes of a .git file or of commondir */
#define INCLUDES_MAX 10   /* configurations inside configurations, as in git */
#define BLANKS " \t\r\n"

/* ---- kinds of directories ---- */

const struct walk_spot *dotgit_around(const struct walk_spot *s)
{
	while (s && !s->dotgit)
		s = s->up;
	return s;
}

const char *gitdir_top(struct protect *p, const char *gitdir)
{
	if (!gitdir[0] && is_git_workspace(p))
		return str_c(p->a, path_parent(p->workspace));
	return dotgit_name(path_basename(gitdir)) ? path_dirname(p->a, gitdir) : gitdir;
}

/* Finds the innermost git directory above this one, and the entry of it that leads here. */
static const struct walk_spot *gitdir_above(const struct walk_spot *s, const char **ret_by)
{
	for (*ret_by = path_basename(s->path); (s = s->up); *ret_by = path_basename(s->path))
		if (s->kind != GITDIR_NONE)
			return s;
	return NULL;
}

enum gitdir_kind gitdir_kind(const struct walk_spot *s)
{
	const char *by;
	const struct walk_spot *above;

	if (s->dotgit)
		return GITDIR_DOTGIT;
	above = gitdir_above(s, &by);
	if (above && !strcmp(by, "worktrees") && s->up->up == above)
		return GITDIR_WORKTREE;
	if (!marks_repository(s->marks))
		return GITDIR_NONE;
	return above && !strcmp(by, "modules") ? GITDIR_MODULE : GITDIR_BARE;
}

struct str git_file_target(struct protect *p, const char *path)
{
	struct str text, prefix = STR("gitdir:");

	if (below_read(p->a, p->ws, path, GIT_FILE_MAX, &text) < 0 || !str_starts(text, prefix.p))
		return STR("");
	text = str_sub(text, prefix.n, text.n);
	while (text.n && ascii_is_blank(text.p[0]))
		text = str_sub(text, 1, text.n);
	while (text.n && (text.p[text.n - 1] == '\n' || text.p[text.n - 1] == '\r'))
		text.n--;
	return text;
}

/* ---- danger ---- */

static const char parts[PARTS][24] = {
	[PART_CONFIG] = "config",
	[PART_WORKTREE_CONFIG] = "config.worktree",
	[PART_COMMONDIR] = "commondir",
	[PART_HOOKS] = "hooks",
	[PART_ALTERNATES] = "objects/info/alternates",
};

const char *part_name(enum gitdir_part part) { return parts[part]; }

/* Adds to the digest in a way that ignores the order of hooks. */
static void danger_add(struct git_danger *d, struct str text)
{
	unsigned char one[SHA256_BYTES];

	sha256_digest(text, one);
	for (size_t i = 0; i < SHA256_BYTES; i++)
		d->digest[i] ^= one[i];
	d->any = true;
}

/* Adds a file by its identity if its content cannot be read; a link also by its text. */
static void danger_of_stat(
		struct protect *p, struct git_danger *d, int dir, const char *name, const struct stat *st)
{
	struct str text = S_ISLNK(st->st_mode) ? link_text(p->a, dir, name) : STR("");

	danger_add(d,
			str_fmt(p->a, "%s %llu %llu %lld %ld %.*s", name, (unsigned long long)st->st_dev,
					(unsigned long long)st->st_ino, (long long)st->st_ctim.tv_sec,
					st->st_ctim.tv_nsec, STR_ARG(text)));
}

struct settings { /* the settings of one configuration, in order */
	struct protect *p;
	const char *gitdir;
	struct buf text;
};

/*
 * core.worktree of a submodule: harmless while it lies in the workspace. A directory called .git does not
 * need it.
 */
static bool worktree_inside(struct settings *s, const struct git_setting *one)
{
	return str_is(one->section, "core") && str_is(one->key, "worktree") &&
			!dotgit_name(path_basename(s->gitdir)) && protect_plain(s->p, s->gitdir, one->value);
}

static void settings_one(void *ctx, const struct git_setting *one)
{
	struct settings *s = ctx;

	if (!config_setting_inert(one) && !worktree_inside(s, one))
		buf_fmt(&s->text, "%.*s.%.*s=%.*s\n", STR_ARG(one->section), STR_ARG(one->key),
				STR_ARG(one->value));
}

static void config_danger(struct protect *p, const char *gitdir, const char *path, struct git_danger *ret)
{
	struct settings s = {.p = p, .gitdir = gitdir};
	struct str text;

	if (below_read(p->a, p->ws, path, PROTECT_CONFIG_MAX, &text) < 0) {
		HELD dir = {p, held_open(p, gitdir, O_PATH | O_DIRECTORY)};
		struct stat st;

		if (dir.fd >= 0 && fstatat(dir.fd, path_basename(path), &st, AT_SYMLINK_NOFOLLOW) == 0)
			danger_of_stat(p, ret, dir.fd, path_basename(path), &st);
		return;
	}
	ret->text = text;
	buf_init(&s.text, p->a, 0);
	if (!git_config_each(p->a, text, settings_one, &s))
		danger_add(ret, text); /* cannot be parsed: all of it counts as dangerous */
	else if (s.text.n)
		danger_add(ret, buf_view(&s.text));
}

struct hook_scan {
	struct protect *p;
	const char *path;
	struct git_danger *ret;
};

/* A hook that is a link includes its target, if a box could have changed that. */
static void hook_entry(void *ctx, int fd, const char *name, unsigned char type)
{
	struct hook_scan *h = ctx;
	struct stat st;
	const char *target;

	if (str_ends(str_of(name), ".sample") || fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	danger_of_stat(h->p, h->ret, fd, name, &st);
	h->ret->fresh |= protect_is_new(h->p, &st);
	target = type == DT_LNK ? protect_resolve(h->p, h->path, link_text(h->p->a, fd, name)) : NULL;
	if (target && below_stat(h->p->ws, target, &st) == 0) {
		danger_of_stat(h->p, h->ret, AT_FDCWD, target, &st);
		h->ret->fresh |= protect_is_new(h->p, &st);
	}
}

static void hooks_danger(struct protect *p, const char *path, const struct stat *st, struct git_danger *ret)
{
	struct hook_scan h = {.p = p, .path = path, .ret = ret};
	HELD dir = {p, held_list(p, path)};
	size_t left = PROTECT_HOOKS_MAX;

	if (dir.fd < 0) /* not a regular file; git follows it if it is a link */
		danger_of_stat(p, ret, AT_FDCWD, path, st);
	else if (!dir_each(dir.fd, &left, hook_entry, &h))
		danger_of_stat(p, ret, AT_FDCWD, path, st);
}

/*
 * True if this linked worktree takes its configuration and hooks from the repository around it. Only
 * `commondir` makes it so; without one the directory is a repository of its own.
 */
static bool shares_common(struct protect *p, const char *gitdir)
{
	struct str text;

	return below_read(p->a, p->ws, path_join(p->a, gitdir, parts[PART_COMMONDIR]), GIT_FILE_MAX, &text) ==
			0 &&
			str_is(text, "../..\n");
}

void part_danger(struct protect *p, const char *gitdir, bool worktree, enum gitdir_part part,
		struct git_danger *ret)
{
	const char *path = path_join(p->a, gitdir, parts[part]);
	struct str text = STR("");
	struct stat st;

	*ret = (struct git_danger){0};
	if (below_stat(p->ws, path, &st) < 0 ||
			(worktree && (part == PART_CONFIG || part == PART_HOOKS) && shares_common(p, gitdir)))
		return;
	if (S_ISREG(st.st_mode) && !st.st_size)
		return;
	if (part == PART_HOOKS) {
		hooks_danger(p, path, &st, ret);
	} else if (part == PART_ALTERNATES) {
		alternates_danger(p, path, ret);
	} else if (part == PART_COMMONDIR) {
		if (below_read(p->a, p->ws, path, GIT_FILE_MAX, &text) < 0 ||
				!str_is(text, worktree ? "../..\n" : ".\n"))
			danger_add(ret, text);
	} else {
		config_danger(p, gitdir, path, ret);
	}
	ret->fresh |= ret->any && !S_ISDIR(st.st_mode) && protect_is_new(p, &st);
}

/* ---- paths that a configuration names ---- */

/*
 * A place is a path relative to the workspace, or an absolute path outside of it: linked worktrees and
 * submodules may have their git directory elsewhere, and a person's configuration lies in the home.
 */
struct named_file {
	struct protect *p;
	const char *file, *top;  /* the configuration, and the working tree that commands start in */
	unsigned depth;          /* depth of includes */
	/* from a configuration outside of any repository: aliases run only when a person uses them */
	bool persons;
	named_fn *fn;
	void *ctx;
};

static const char *place_join(struct arena *a, const char *place, const char *name)
{
	return place[0] == '/' ? str_fmt_c(a, "%s/%s", place, name) : path_join(a, place, name);
}

static const char *place_dirname(struct arena *a, const char *place)
{
	const char *slash = strrchr(place, '/');

	return place[0] != '/' ? path_dirname(a, place)
			       : str_c(a, str_n(place, slash == place ? 1 : (size_t)(slash - place)));
}

/* Reads a small regular file at a place. -1 if there is none. */
static int place_read(struct protect *p, const char *place, size_t max, struct str *ret)
{
	struct stat st;

	if (place[0] != '/')
		return below_read(p->a, p->ws, place, max, ret);
	HELD f = {p, held_add(p, open(place, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC))};
	if (f.fd < 0 || fstat(f.fd, &st) != 0 || !S_ISREG(st.st_mode))
		return -1;
	return fd_read_all(p->a, f.fd, place, max, ret, NULL);
}

/* Resolves a value against a place, as text. The result is absolute, or relative to the workspace. */
static struct str value_at(struct named_file *n, const char *base, struct str value)
{
	struct arena *a = n->p->a;

	if (str_starts(value, "~/") && n->p->home.n)
		return str_path(a, n->p->home, str_sub(value, 2, value.n));
	return base[0] == '/' && !str_starts(value, "/") ? str_fmt(a, "%s/%.*s", base, STR_ARG(value))
							 : value;
}

static void named_one(struct named_file *n, const char *base, struct str value, bool directory)
{
	const char *text, *real, *below = base[0] == '/' ? "" : base;

	if (!value.n || value.n >= PROTECT_PATH_MAX)
		return;
	value = value_at(n, base, value);
	text = protect_as_text(n->p, below, value); /* also links on the way */
	real = protect_resolve(n->p, below, value);
	if (text)
		n->fn(n->ctx, text, directory);
	if (real && (!text || strcmp(text, real) != 0))
		n->fn(n->ctx, real, directory);
}

/*
 * True if this word of a command names a script in the workspace. A program without a slash is looked up in
 * PATH.
 */
static bool names_script(struct named_file *n, struct str word, bool program)
{
	const char *path;
	struct stat st;

	if (!word.n || word.p[0] == '-' || (program && str_find(word, '/', 0) < 0))
		return false;
	path = protect_resolve(n->p, n->top[0] == '/' ? "" : n->top, value_at(n, n->top, word));
	return path && (below_stat(n->p->ws, path, &st) == 0 ? S_ISREG(st.st_mode) : str_starts(word, "./"));
}

/* Every word of a command may be a script in the working tree. */
static void named_words(struct named_file *n, struct str value)
{
	static const char between[] = BLANKS "!;&|()=<>`$'\"\\";
	bool program = true;

	for (size_t from = 0, to; from < value.n; from = to + 1) {
		for (; from < value.n && strchr(between, value.p[from]); from++)
			program |= strchr(";&|(`!", value.p[from]) != NULL;
		for (to = from; to < value.n && !strchr(between, value.p[to]); to++)
			;
		if (names_script(n, str_sub(value, from, to), program))
			named_one(n, n->top, str_sub(value, from, to), false);
		program = program && from == to;
		to -= to < value.n; /* a separator may start another command */
	}
}

static void named_config(struct named_file *n);

/* Visits the configuration file and the files that it names. */
static void named_include(struct named_file *n, struct str value)
{
	const char *base = place_dirname(n->p->a, n->file), *inside;
	struct named_file in = *n;

	named_one(n, base, value, false);
	if (n->depth++ >= INCLUDES_MAX || !value.n || value.n >= PROTECT_PATH_MAX)
		return;
	value = value_at(n, base, value);
	inside = protect_resolve(n->p, base[0] == '/' ? "" : base, value);
	in.file = inside ? inside : str_c(n->p->a, value);
	in.depth = n->depth;
	if (inside || str_starts(value, "/"))
		named_config(&in);
}

static void named_setting(void *ctx, const struct git_setting *s)
{
	struct str section = s->section, key = s->key, value = s->value;
	struct named_file *n = ctx;
	bool alias = str_is(section, "alias") && (n->persons || !str_starts(value, "!"));

	if (str_is(section, "core") && str_is(key, "hookspath"))
		named_one(n, n->top, value, true);
	else if (str_is_any(section, "include includeif") && str_is(key, "path"))
		named_include(n, value);
	else if (!alias && !config_setting_inert(s))
		named_words(n, value);
}

static void named_config(struct named_file *n)
{
	struct str text;

	if (place_read(n->p, n->file, PROTECT_CONFIG_MAX, &text) == 0)
		git_config_each(n->p->a, text, named_setting, n);
}

/* Read once, because a workspace may have thousands of repositories. */
static const struct git_config *persons_configs(struct protect *p)
{
	struct git_config **end = &p->persons;

	for (const struct texts *t = p->persons_read ? NULL : p->git_configs; t; t = t->next) {
		struct git_config *c = arena_new(p->a, struct git_config);

		c->file = str_c(p->a, t->text);
		if (place_read(p, c->file, PROTECT_CONFIG_MAX, &c->text) < 0)
			continue;
		LIST_ADD(end, c);
	}
	p->persons_read = true;
	return p->persons;
}

void named_persons(struct protect *p, const char *top, named_fn *fn, void *ctx)
{
	for (const struct git_config *c = persons_configs(p); c; c = c->next) {
		struct named_file n = {
				.p = p, .file = c->file, .top = top, .persons = true, .fn = fn, .ctx = ctx};

		git_config_each(p->a, c->text, named_setting, &n);
	}
}

void named_each(struct protect *p, const char *gitdir, const char *top, named_fn *fn, void *ctx)
{
	static const enum gitdir_part configs[] = {PART_CONFIG, PART_WORKTREE_CONFIG};
	struct named_file n = {.p = p, .top = top, .fn = fn, .ctx = ctx};

	for (size_t i = 0; i < ARRAY_SIZE(configs); i++) {
		n.file = place_join(p->a, gitdir, parts[configs[i]]);
		n.depth = 0;
		named_config(&n);
	}
	named_persons(p, top, fn, ctx);
}

/* The repository of a linked worktree that lies outside of the workspace. */
static const char *common_of(struct protect *p, const char *gitdir)
{
	struct str text;

	if (place_read(p, place_join(p->a, gitdir, parts[PART_COMMONDIR]), GIT_FILE_MAX, &text) < 0)
		return gitdir;
	text = str_trim(text, "\r\n");
	if (str_is(text, "../.."))
		return place_dirname(p->a, place_dirname(p->a, gitdir));
	return str_starts(text, "/") ? str_c(p->a, text) : place_join(p->a, gitdir, str_c(p->a, text));
}

/*
 * The same for one more working tree: of a git directory, which may lie outside of the workspace (an absolute
 * path), and of the repository around it.
 */
static void named_outside(struct protect *p, const char *gitdir, const char *top, named_fn *fn, void *ctx)
{
	const char *common = common_of(p, gitdir);

	named_each(p, gitdir, top, fn, ctx);
	if (strcmp(common, gitdir) != 0)
		named_each(p, common, top, fn, ctx);
}

/* ---- before ---- */

static void keep_named(void *ctx, const char *path, bool directory)
{
	protect_keep(ctx, path, directory ? NAME_MASK : NAME_MOVE, NULL);
}

struct hook_links {
	struct protect *p;
	const char *path;
};

static void hook_link(void *ctx, int fd, const char *name, unsigned char type)
{
	struct hook_links *h = ctx;
	const char *target =
			type == DT_LNK ? protect_resolve(h->p, h->path, link_text(h->p->a, fd, name)) : NULL;

	if (target)
		protect_keep(h->p, target, NAME_MOVE, NULL);
}

static void keep_hook_links(struct protect *p, const char *gitdir)
{
	struct hook_links h = {.p = p, .path = path_join(p->a, gitdir, parts[PART_HOOKS])};
	HELD dir = {p, held_open(p, h.path, O_RDONLY | O_DIRECTORY)};
	size_t left = PROTECT_HOOKS_MAX;

	if (dir.fd >= 0)
		dir_each(dir.fd, &left, hook_link, &h);
}

static void gitdir_pin(struct protect *p, const struct gitdir *g)
{
	const char *top = gitdir_top(p, g->path);
	const struct protect_name *rows;
	size_t n;

	if (g->path[0])
		protect_keep(p, g->path, NAME_WRITABLE, NULL);
	rows = gitdir_names(g->worktree, &n);
	for (size_t i = 0; i < n; i++)
		protect_keep(p, path_join(p->a, g->path, rows[i].path), rows[i].flags, rows[i].text);
	named_each(p, g->path, top, keep_named, p);
	if (g->parts[PART_HOOKS].any)
		keep_hook_links(p, g->path);
}

void gitdir_before(struct protect *p, const char *path, bool worktree, bool pin)
{
	struct gitdir *g;
	struct stat st;

	if (pmap_get(p->gitdirs, str_of(path)) || below_stat(p->ws, path, &st) < 0)
		return;
	g = arena_copy(p->a, (struct gitdir){.path = path, .worktree = worktree, .heavy = !pin,
			.dev = st.st_dev, .ino = st.st_ino});
	p->gitdirs = pmap_set(p->a, p->gitdirs, str_of(path), g);
	for (size_t i = 0; i < PARTS; i++)
		part_danger(p, path, worktree, i, &g->parts[i]);
	if (pin)
		gitdir_pin(p, g);
	g->pinned = pin && !p->full;
}

static const char *outside_place(struct protect *p, const char *dir, struct str path)
{
	return str_c(p->a,
			str_starts(path, "/") ? path
					      : str_fmt(p->a, "%.*s/%s/%.*s", STR_ARG(p->workspace),
								dir[0] ? dir : ".", STR_ARG(path)));
}

/* The workspace is a part of a repository, which git uses where no other is nearer. */
void git_around(struct protect *p)
{
	for (struct str top = p->workspace; top.n > 1;) {
		struct stat st;
		const char *dir, *git;
		struct str text;

		while (top.n > 1 && top.p[top.n - 1] != '/')
			top.n--;
		top.n -= top.n > 1;
		dir = str_c(p->a, top);
		git = place_join(p->a, dir, ".git");
		if (lstat(git, &st) != 0)
			continue;
		if (S_ISREG(st.st_mode) && place_read(p, git, GIT_FILE_MAX, &text) == 0 &&
				str_starts(text, "gitdir:")) {
			text = str_trim(str_sub(text, strlen("gitdir:"), text.n), BLANKS);
			git = str_starts(text, "/") ? str_c(p->a, text)
						    : place_join(p->a, dir, str_c(p->a, text));
		}
		named_outside(p, git, dir, keep_named, p);
	}
}

void git_before(struct protect *p, const char *path, unsigned char type, bool pin)
{
	const char *dir = path_dirname(p->a, path), *plain, *target;
	struct str text = type == DT_REG ? git_file_target(p, path) : STR("");
	struct str *known = arena_new(p->a, struct str);
	struct stat st;

	*known = text;
	p->git_files = pmap_set(p->a, p->git_files, str_of(path), known);
	if (pin || type == DT_LNK)
		protect_keep(p, path, NAME_GIT, NULL);
	plain = text.n && pin ? protect_as_text(p, dir, text) : NULL;
	if (plain)
		/* Pins the way, so that no link on it can be replaced. */
		protect_keep(p, plain, NAME_WRITABLE | NAME_GIT, NULL);
	text = type == DT_LNK ? str_of(path_basename(path)) : text;
	target = text.n ? protect_resolve(p, dir, text) : NULL;
	if (target && below_stat(p->ws, target, &st) == 0 && S_ISDIR(st.st_mode))
		gitdir_before(p, target,
				type == DT_REG &&
						below_stat(p->ws, path_join(p->a, target, "commondir"),
								&st) == 0,
				pin);
	/*
	 * Settings name files relative to each working tree. A repository outside of the box may name files
	 * inside.
	 */
	if (text.n && pin)
		named_outside(p, target ? target : outside_place(p, dir, text), dir, keep_named, p);
}
