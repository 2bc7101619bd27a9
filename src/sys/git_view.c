/* Finds hooks and configured programs of a repository: see git_view.h. */
#define _GNU_SOURCE
#include "sys/git_view.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "base/glob.h"
#include "sys/file.h"
#include "sys/git_remotes.h"
#include "sys/stamp_cache.h"

#define DEPTH_MAX 64    /* parent directories searched */
#define INCLUDES_MAX 10 /* nesting depth of includes, as in git */
#define FILES_MAX 128   /* configuration files per answer */
#define LINE_MAX_BYTES (PATH_MAX + 16)
#define COMMAND_MAX 200 /* bytes of a command quoted in an answer */
#define PROGRAMS_MAX 32 /* programs listed in one answer */
#define HOOK_MAX 4096   /* size limit of a hook compared with git-lfs's */
#define BLANKS " \t\r\n"

/* ---- places ---- */

static struct str join_path(struct arena *a, struct str dir, struct str name)
{
	return str_starts(name, "/") ? name : str_path(a, dir, name);
}

static enum path_kind kind_of(struct path_memo *m, struct str dir, const char *name)
{
	enum path_kind kind = PATH_ABSENT;

	path_real(m, join_path(m->a, dir, str_of(name)), &kind);
	return kind;
}

/* Returns the only line of a small file; empty if the file is missing or empty. */
static struct str read_line(struct arena *a, struct str path)
{
	struct str text = STR("");

	if (file_read(a, str_c(a, path), LINE_MAX_BYTES, &text, NULL, NULL) != 0)
		return STR("");
	return str_trim(text, "\r\n");
}

/* *ret_linked: a file names the directory that holds configuration, objects and references. */
static bool is_git_dir(struct path_memo *m, struct str dir, bool *ret_linked)
{
	*ret_linked = false;
	if (kind_of(m, dir, "HEAD") == PATH_ABSENT)
		return false;
	*ret_linked = kind_of(m, dir, "commondir") == PATH_FILE;
	return *ret_linked || (kind_of(m, dir, "objects") == PATH_DIR && kind_of(m, dir, "refs") == PATH_DIR);
}

static bool take_place(struct path_memo *m, struct str top, struct str dir, struct git_place *ret)
{
	enum path_kind kind;
	struct str real = path_real(m, dir, &kind), common;
	bool linked;

	if (kind != PATH_DIR || !is_git_dir(m, real, &linked))
		return false;
	common = linked ? read_line(m->a, join_path(m->a, real, STR("commondir"))) : STR("");
	*ret = (struct git_place){.top = top, .dir = real, .common = real};
	if (common.n)
		ret->common = path_real(m, join_path(m->a, real, common), &kind);
	return true;
}

/*
 * Tries the directory itself: a .git directory, a .git file that names another directory, or a bare
 * repository.
 */
static bool place_at(struct path_memo *m, struct str top, struct git_place *ret)
{
	struct str git = join_path(m->a, top, STR(".git")), line;
	enum path_kind kind = kind_of(m, top, ".git");

	if (kind == PATH_FILE) {
		line = read_line(m->a, git);
		if (!str_take(&line, "gitdir:"))
			return false;
		return take_place(m, top, join_path(m->a, top, str_trim(line, " \t")), ret);
	}
	if (kind == PATH_DIR && take_place(m, top, git, ret))
		return true;
	return take_place(m, str_ends(top, "/.git") ? path_parent(top) : STR(""), top, ret);
}

bool git_place_find(struct path_memo *m, struct str dir, struct git_place *ret)
{
	enum path_kind kind;
	struct str at = path_real(m, dir, &kind);

	/*
	 * The directory may be absent, because an earlier command of the request creates it. Its parents
	 * count then.
	 */
	for (unsigned i = 0; i < DEPTH_MAX && at.n; i++, at = path_parent(at)) {
		if (place_at(m, at, ret))
			return true;
		if (at.n == 1)
			break;
	}
	return false;
}

static bool is_owned(struct path_memo *m, struct str dir)
{
	const struct path_dir *d = path_dir(m, dir);

	return d && d->owner == (uint32_t)getuid();
}

bool git_place_owned(struct path_memo *m, const struct git_place *p)
{
	return is_owned(m, p->dir) && is_owned(m, p->common);
}

bool git_place_linked(struct path_memo *m, const struct git_place *p)
{
	struct str worktrees = path_parent(p->dir);
	enum path_kind kind;
	struct str back;
	bool linked;

	if (!p->top.n || str_eq(p->dir, p->common) || !str_ends(worktrees, "/worktrees") ||
		!str_eq(path_parent(worktrees), p->common))
		return false;
	if (!git_place_owned(m, p) || !is_git_dir(m, p->common, &linked))
		return false;
	back = read_line(m->a, join_path(m->a, p->dir, STR("gitdir")));
	return back.n &&
	       str_eq(path_real(m, join_path(m->a, p->dir, back), &kind),
		       join_path(m->a, p->top, STR(".git"))) &&
	       kind == PATH_FILE;
}

static void take_worktree(void *ctx, const struct git_setting *s)
{
	struct str *worktree = ctx;

	if (str_is(s->section, "core") && str_is(s->key, "worktree"))
		*worktree = s->value;
}

bool git_place_submodule(struct path_memo *m, const struct git_place *p)
{
	struct str text, worktree = STR("");
	enum path_kind kind;

	if (!p->top.n || !str_eq(p->dir, p->common) || !str_contains(p->dir, STR("/.git/modules/")) ||
			!git_place_owned(m, p))
		return false;
	if (file_read(m->a, str_c(m->a, join_path(m->a, p->dir, STR("config"))), GIT_CONFIG_MAX, &text, NULL,
			NULL) != 0 || !git_config_each(m->a, text, take_worktree, &worktree))
		return false;
	return worktree.n && str_eq(path_real(m, join_path(m->a, p->dir, worktree), &kind), p->top) &&
		kind == PATH_DIR;
}

/* ---- configuration ---- */

static void add_file(struct arena *a, struct git_file ***end, struct str path, enum git_scope scope)
{
	struct git_file *f = arena_copy(a, (struct git_file){.path = path, .scope = scope});

	**end = f;
	*end = &f->next;
}

struct git_file *git_config_files(struct arena *a, struct str home)
{
	const char *system = getenv("GIT_CONFIG_SYSTEM"), *global = getenv("GIT_CONFIG_GLOBAL"),
		   *xdg = getenv("XDG_CONFIG_HOME");
	struct str usual = str_path(a, home, STR(".config/git/config")), other;
	struct git_file *list = NULL, **end = &list;

	add_file(a, &end, STR("/etc/gitconfig"), GIT_SCOPE_SYSTEM);
	if (system && system[0] == '/')
		add_file(a, &end, str_dup(a, str_of(system)), GIT_SCOPE_SYSTEM);
	if (home.n)
		add_file(a, &end, usual, GIT_SCOPE_PERSON);
	if (xdg && xdg[0] == '/' && !str_eq(other = str_path(a, str_of(xdg), STR("git/config")), usual))
		add_file(a, &end, other, GIT_SCOPE_PERSON);
	if (home.n)
		add_file(a, &end, str_path(a, home, STR(".gitconfig")), GIT_SCOPE_PERSON);
	if (global && global[0] == '/')
		add_file(a, &end, str_dup(a, str_of(global)), GIT_SCOPE_PERSON);
	return list;
}

struct git_config_reader {
	struct arena *a;
	struct stamp_cache *stamps;
	const struct git_place *place;
	struct str home;
	git_scoped_fn *fn;
	void *ctx;
	struct str file; /* the file being read */
	enum git_scope scope;
	unsigned depth, files;
	bool understood;
};

static struct str expand_path(const struct git_config_reader *r, struct str base, struct str path)
{
	if (str_starts(path, "~/"))
		return join_path(r->a, r->home, str_from(path, 2));
	return join_path(r->a, base, path);
}

/*
 * Checks gitdir:PATTERN and gitdir/i:PATTERN against the git directory; every other condition counts as true.
 */
static bool condition_holds(const struct git_config_reader *r, struct str condition)
{
	bool fold = str_starts(condition, "gitdir/i:");
	struct str pattern;

	if (!fold && !str_starts(condition, "gitdir:"))
		return true;
	if (!r->place)
		return false;
	pattern = str_from(condition, fold ? strlen("gitdir/i:") : strlen("gitdir:"));
	if (str_starts(pattern, "~/") || str_starts(pattern, "./"))
		pattern = expand_path(r, path_parent(r->file),
			str_starts(pattern, "./") ? str_from(pattern, 2) : pattern);
	else if (!str_starts(pattern, "/"))
		pattern = str_cat(r->a, STR("**/"), pattern);
	if (str_ends(pattern, "/"))
		pattern = str_cat(r->a, pattern, STR("**"));
	return glob_path(pattern, r->place->dir, fold ? GLOB_FOLD : 0);
}

static void read_file(struct git_config_reader *r, struct str path);

static void one_setting(void *ctx, const struct git_setting *s)
{
	struct git_config_reader *r = ctx;
	bool include = str_is(s->section, "include"), conditional = str_is(s->section, "includeif");

	if ((include || conditional) && str_is(s->key, "path")) {
		struct git_config_reader in = *r;

		if (r->depth >= INCLUDES_MAX || (conditional && !condition_holds(r, s->sub)))
			return;
		in.depth++;
		read_file(&in, expand_path(r, path_parent(r->file), s->value));
		r->files = in.files;
		r->understood &= in.understood;
		return;
	}
	r->fn(r->ctx, s, r->scope);
}

static void read_file(struct git_config_reader *r, struct str path)
{
	bool own = r->scope == GIT_SCOPE_REPOSITORY;
	struct err e = {0};
	struct str text;

	if (r->files++ >= FILES_MAX) {
		r->understood = false;
		return;
	}
	if (stamp_cache_read(r->stamps, r->a, str_c(r->a, path), GIT_CONFIG_MAX, &text, &e) != 0) {
		r->understood &= !own || e.errnum == ENOENT || e.errnum == ENOTDIR;
		return;
	}
	r->file = path;
	if (!git_config_each(r->a, text, one_setting, r) && own)
		r->understood = false;
}

bool git_settings_each(struct arena *a, struct stamp_cache *stamps, const struct git_place *place,
	struct str home, git_scoped_fn *fn, void *ctx)
{
	struct git_config_reader r = {.a = a,
		.stamps = stamps,
		.place = place,
		.home = home,
		.fn = fn,
		.ctx = ctx,
		.understood = true};

	for (const struct git_file *f = git_config_files(a, home); f; f = f->next) {
		r.scope = f->scope;
		read_file(&r, f->path);
	}
	if (!place)
		return true;
	r.scope = GIT_SCOPE_REPOSITORY;
	read_file(&r, join_path(a, place->common, STR("config")));
	read_file(&r, join_path(a, place->dir, STR("config.worktree")));
	return r.understood;
}

/* ---- programs ---- */

struct git_search {
	struct path_memo *m;
	const struct git_place *place;
	struct str home;
	struct git_answer *ret;
	struct git_item **programs_end;
	size_t nprograms;
	struct git_remotes remotes;
	struct str hooks; /* core.hooksPath, unexpanded */
	enum git_scope hooks_scope;
};

/*
 * Settings that name a program, as section.key; * is any key. Values of other settings, for instance tokens,
 * never get into an answer.
 */
static const char program_settings[][32] = {
	"core.pager",
	"core.editor",
	"core.sshcommand",
	"core.fsmonitor",
	"core.askpass",
	"core.gitproxy",
	"core.alternaterefscommand",
	"diff.external",
	"diff.command",
	"diff.textconv",
	"difftool.cmd",
	"difftool.path",
	"mergetool.cmd",
	"mergetool.path",
	"merge.driver",
	"filter.clean",
	"filter.smudge",
	"filter.process",
	"credential.helper",
	"gpg.program",
	"gpg.defaultkeycommand",
	"pager.*",
	"sequence.editor",
	"interactive.difffilter",
	"uploadpack.packobjectshook",
	"remote.uploadpack",
	"remote.receivepack",
	"trailer.command",
	"trailer.cmd",
	"tar.command",
	"hook.command",
	"gc.recentobjectshook",
	"submodule.update",
	"sendemail.tocmd",
	"sendemail.cccmd",
	"sendemail.headercmd",
	"sendemail.sendmailcmd",
	"sendemail.smtpserver",
};

static bool names_program(const struct git_setting *s)
{
	struct str value = s->value;
	size_t n = s->section.n;

	for (size_t i = 0; i < ARRAY_SIZE(program_settings); i++) {
		const char *row = program_settings[i], *key = row + n + 1;

		if (strncmp(row, s->section.p, n) != 0 || row[n] != '.' ||
			!(*key == '*' || str_is(s->key, key)))
			continue;
		if (str_is(s->section, "submodule"))
			return str_starts(value, "!");
		return value.n && !git_config_true(value) && !str_is_any(value, "false 0");
	}
	return false;
}

static bool in_project(const struct git_search *l, struct str real)
{
	const struct git_place *p = l->place;

	return (p->top.n > 1 && path_inside(real, p->top)) || path_inside(real, p->dir) ||
	       path_inside(real, p->common);
}

/* Programs installed by the system or the user lie outside every project. */
static bool is_installed(const struct git_search *l, struct str real)
{
	static const char dirs[][8] = {"/usr", "/bin", "/sbin", "/lib", "/opt", "/nix", "/snap"};

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (path_inside(real, str_of(dirs[i])))
			return true;
	return l->home.n > 1 && path_inside(real, l->home);
}

/*
 * True if this word of a command is a file of the project, or a program from a directory where nothing is
 * installed.
 */
static bool word_of_project(const struct git_search *l, struct str word, bool program, enum git_scope scope)
{
	struct arena *a = l->m->a;
	struct path_answer at;
	struct str path;

	if (!word.n || word.n >= PATH_MAX || word.p[0] == '-' || (program && !str_has(word, '/')))
		return false;
	path = str_starts(word, "~/") ? join_path(a, l->home, str_from(word, 2))
				      : join_path(a, l->place->top.n ? l->place->top : l->place->dir, word);
	path_look(l->m, path, &at);
	if (at.target == PATH_FILE && in_project(l, at.real))
		return true;
	if (at.target == PATH_ABSENT)
		return str_starts(word, "./");
	return program && scope == GIT_SCOPE_REPOSITORY && !is_installed(l, at.real);
}

/*
 * Each word of the command may be a script. In the repository's own settings, a word with a shell expansion
 * may become any path.
 */
static bool runs_project(const struct git_search *l, struct str value, enum git_scope scope)
{
	static const char between[] = BLANKS "!;&|()=<>{}'\"\\";
	bool program = true;

	for (size_t from = 0, to; from < value.n; from = to + 1) {
		for (; from < value.n && strchr(between, value.p[from]); from++)
			program |= strchr(";&|(!{", value.p[from]) != NULL;
		for (to = from; to < value.n && !strchr(between, value.p[to]); to++)
			if (scope == GIT_SCOPE_REPOSITORY && strchr("$`", value.p[to]))
				return true;
		if (word_of_project(l, str_sub(value, from, to), program, scope))
			return true;
		program = program && from == to;
		to -= to < value.n; /* the separator may start a new command */
	}
	return false;
}

static void add_program(struct git_search *l, const struct git_setting *s)
{
	struct git_item *p;

	if (l->nprograms++ >= PROGRAMS_MAX) {
		l->ret->unclear = true;
		return;
	}
	p = arena_copy(l->m->a, (struct git_item){.text = str_dup(l->m->a,
			str_first(s->value, COMMAND_MAX))});
	p->name = s->sub.n ? str_fmt(l->m->a, "%.*s.%.*s.%.*s", STR_ARG(s->section), STR_ARG(s->sub),
				     STR_ARG(s->key))
			   : str_fmt(l->m->a, "%.*s.%.*s", STR_ARG(s->section), STR_ARG(s->key));
	LIST_ADD(l->programs_end, p);
}

static void look_setting(void *ctx, const struct git_setting *s, enum git_scope scope)
{
	struct git_search *l = ctx;

	git_remotes_take(&l->remotes, s, scope);
	if (str_is(s->section, "core") && str_is(s->key, "hookspath")) {
		l->hooks = s->value;
		l->hooks_scope = scope;
	} else if (str_is(s->section, "commit") && str_is(s->key, "gpgsign")) {
		l->ret->signs_commits = !git_config_false(s->value);
	} else if (str_is(s->section, "tag") && str_is(s->key, "gpgsign")) {
		l->ret->signs_tags = !git_config_false(s->value);
	} else if (names_program(s) && runs_project(l, s->value, scope)) {
		add_program(l, s);
	}
}

/* ---- hooks ---- */

static const char hook_names[][28] = {
	"applypatch-msg",
	"pre-applypatch",
	"post-applypatch",
	"pre-commit",
	"pre-merge-commit",
	"prepare-commit-msg",
	"commit-msg",
	"post-commit",
	"pre-rebase",
	"post-checkout",
	"post-merge",
	"pre-push",
	"pre-auto-gc",
	"post-rewrite",
	"post-index-change",
	"reference-transaction",
	"sendemail-validate",
	"fsmonitor-watchman",
	"push-to-checkout",
	"pre-receive",
	"update",
	"post-receive",
	"post-update",
	"proc-receive",
};

/* Matches a line of the hook that git-lfs installs, which only calls git-lfs. */
static bool lfs_line(struct str line, const char *hook)
{
	static const char start[] = "command -v git-lfs >/dev/null 2>&1 || { echo >&2 \"",
			  end[] = "\"; exit 2; }";
	struct str said =
		str_sub(line, sizeof start - 1, line.n - (line.n > sizeof end ? sizeof end - 1 : 0));
	char call[64];

	str_put(call, sizeof call, "git lfs %s \"$@\"", hook);
	if (!line.n || str_is(line, "#!/bin/sh") || str_is(line, call))
		return true;
	return str_starts(line, start) && str_ends(line, end) && !str_has(said, '"') &&
	       !str_has(said, '$') && !str_has(said, '`');
}

static bool is_lfs(struct arena *a, struct str path, const char *hook)
{
	struct str text;

	if (file_read(a, str_c(a, path), HOOK_MAX, &text, NULL, NULL) != 0)
		return false;
	for (size_t from = 0; from < text.n;) {
		size_t to = str_end(text, '\n', from);

		if (!lfs_line(str_sub(text, from, to), hook))
			return false;
		from = to + 1;
	}
	return true;
}

/* A user's hooks for all repositories lie outside the project and are trusted as the user's. */
static bool hooks_of_project(const struct git_search *l, struct str dir)
{
	return in_project(l, dir) || (l->hooks_scope == GIT_SCOPE_REPOSITORY && !is_installed(l, dir));
}

_Static_assert(ARRAY_SIZE(hook_names) < 32, "a bit for each hook");

/*
 * Returns a bit for each hook whose name, in any case, is in the directory, or all bits if that is not known.
 */
static uint32_t list_hooks(struct path_memo *m, const char *dir)
{
	struct stamp stamp;
	struct str known;
	uint32_t present = 0;
	bool keep;
	DIR *d;

	if (stamp_cache_get(m->stamps, STAMP_HOOKS, m->a, dir, NULL, &known))
		return 0;
	if (m->stamps)
		stamp_take(dir, &stamp);
	d = opendir(dir);
	if (!d)
		return UINT32_MAX;
	errno = 0;
	for (const struct dirent *e; (e = readdir(d));)
		for (size_t i = 0; i < ARRAY_SIZE(hook_names); i++)
			if (!strcasecmp(e->d_name, hook_names[i]))
				present |= (uint32_t)1 << i;
	if (errno)
		present = UINT32_MAX;
	keep = m->stamps && !present && stamp_cache_may_keep(&stamp, dirfd(d));
	closedir(d);
	if (keep)
		stamp_cache_put(m->stamps, STAMP_HOOKS, dir, &stamp, STR(""));
	return present;
}

static void look_hooks(struct git_search *l)
{
	struct git_item **end = &l->ret->hooks;
	uint32_t present;
	struct arena *a = l->m->a;
	struct str base = l->place->top.n ? l->place->top : l->place->dir,
		   dir = join_path(a, l->place->common, STR("hooks"));
	enum path_kind kind;

	if (l->hooks.n)
		dir = str_starts(l->hooks, "~/") ? join_path(a, l->home, str_from(l->hooks, 2))
						 : join_path(a, base, l->hooks);
	dir = path_real(l->m, dir, &kind);
	if (kind != PATH_DIR || !hooks_of_project(l, dir))
		return;
	present = list_hooks(l->m, str_c(a, dir));
	for (size_t i = 0; i < ARRAY_SIZE(hook_names); i++) {
		struct str path = join_path(a, dir, str_of(hook_names[i]));

		if (!(present >> i & 1) || access(str_c(a, path), X_OK) != 0 ||
			kind_of(l->m, dir, hook_names[i]) != PATH_FILE || is_lfs(a, path, hook_names[i]))
			continue;
		*end = arena_copy(a, (struct git_item){.name = str_of(hook_names[i]), .text = path});
		end = &(*end)->next;
	}
}

void git_look(struct path_memo *m, struct str dir, struct str home, struct git_answer *ret)
{
	struct git_place place;
	struct git_search l = {
		.m = m, .place = &place, .home = home, .ret = ret, .programs_end = &ret->programs};

	*ret = (struct git_answer){.dir = dir};
	if (!git_place_find(m, dir, &place))
		return;
	ret->found = true;
	ret->top = place.top;
	git_remotes_start(&l.remotes, m, &place, ret);
	ret->unclear = !git_settings_each(m->a, m->stamps, &place, home, look_setting, &l);
	git_remotes_finish(&l.remotes);
	look_hooks(&l);
}
