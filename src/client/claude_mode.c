/*
 * See claude.h. Claude Code 2.1 resolves paths like this (found by driving it):
 *
 *     sandbox.filesystem   "/x" and "//x" are absolute, "~/x" is in the home directory; others are relative
 *                          to the project, in the user's settings to ~/.claude
 *     Read(x), Edit(x)     "//x" is absolute, "~/x" is in the home directory; "/x" is relative to the owner
 *                          of the settings, "./x" and "x" to the session's start directory
 *
 * Patterns that deny reading are expanded over the project's current files. Patterns that deny writing have
 * no effect in its sandbox on Linux.
 */
#define _GNU_SOURCE
#include "client/claude.h"

#include <dirent.h>
#include <fcntl.h>

#include "base/glob.h"
#include "record/client_walls.h"
#include "sys/file.h"
#include "sys/path.h"

struct claude_place { /* a path or pattern, and its base directory */
	struct str dir, pattern;
	bool literal; /* no pattern: `path` is the one path */
	struct str path;
};

struct pattern {
	struct pattern *next;
	struct str dir, text;
};

struct claude_reader {
	struct arena *a;
	const struct claude_session *s;
	const struct policy_file *file; /* the file being read */
	bool on;
	struct client_walls w;
	struct texts *readable;
	struct pattern *patterns;
	struct str refuse;
	size_t entries;
};

static void refuse_mode(struct claude_reader *r, const char *why)
{
	if (!r->refuse.n)
		r->refuse = str_of(why);
}

static void add_path(struct claude_reader *r, struct texts **list, struct str path)
{
	if (!client_walls_add(r->a, list, path))
		refuse_mode(r, "Claude Code's sandbox names more paths than Caisson's box supports");
}

static bool is_pattern(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (strchr("*?[{", s.p[i]))
			return true;
	return false;
}

/* ---- resolving paths ---- */

static struct claude_place place_of(struct claude_reader *r, struct str text, bool rule)
{
	struct str own = r->file->project ? r->file->base : path_parent(r->file->path);
	struct claude_place p = {.dir = rule ? r->s->base : own, .pattern = text};

	if (str_starts(text, "//")) {
		p.dir = STR("/");
		p.pattern = str_from(text, 1);
	} else if (str_starts(text, "~/") || str_is(text, "~")) {
		p.dir = r->s->home;
		p.pattern = str_from(text, 1);
	} else if (str_starts(text, "/")) {
		p.dir = rule ? r->file->base : STR("/");
	} else if (str_starts(text, "./") || str_is(text, ".")) {
		p.pattern = str_from(text, 1);
	} else if (!rule) {
		p.pattern = str_fmt(r->a, "/%.*s", STR_ARG(text));
	}
	if (str_ends(p.pattern, "/**"))
		p.pattern.n -= 3;
	while (p.pattern.n && p.pattern.p[p.pattern.n - 1] == '/')
		p.pattern.n--;
	p.literal = (!p.pattern.n || p.pattern.p[0] == '/') && !is_pattern(p.pattern);
	if (p.literal)
		p.path = str_is(p.dir, "/") ? p.pattern.n ? p.pattern : p.dir
					    : str_fmt(r->a, "%.*s%.*s", STR_ARG(p.dir), STR_ARG(p.pattern));
	return p;
}

static void hide_path(struct claude_reader *r, struct str text, bool rule)
{
	struct claude_place p = place_of(r, text, rule);
	struct pattern *more;

	if (p.literal) {
		add_path(r, &r->w.hidden, p.path);
		return;
	}
	more = arena_copy(r->a, (struct pattern){.next = r->patterns, .dir = p.dir, .text = p.pattern});
	r->patterns = more;
}

/* ---- settings ---- */

static void each_text(struct claude_reader *r, const struct json *list,
	void (*take)(struct claude_reader *r, struct str text))
{
	for (const struct json *v = json_is(list, JSON_ARRAY) ? list->first : NULL; v; v = v->next)
		if (json_is(v, JSON_STRING) && v->text.n)
			take(r, v->text);
}

static void take_writable(struct claude_reader *r, struct str text)
{
	struct claude_place p = place_of(r, text, false);

	if (p.literal) /* ignoring a pattern only keeps more closed */
		add_path(r, &r->w.writable, p.path);
}

static void take_closed(struct claude_reader *r, struct str text)
{
	struct claude_place p = place_of(r, text, false);

	if (p.literal)
		add_path(r, &r->w.closed, p.path);
}

static void take_hidden(struct claude_reader *r, struct str text)
{
	hide_path(r, text, false);
}

static void take_readable(struct claude_reader *r, struct str text)
{
	struct claude_place p = place_of(r, text, false);

	if (p.literal)
		add_path(r, &r->readable, p.path);
}

/* "Read(./.env)", "Edit(//etc/x)" */
static void take_rule(struct claude_reader *r, struct str text)
{
	bool reads = str_starts(text, "Read("),
	     writes = str_starts(text, "Edit(") || str_starts(text, "Write(");
	ptrdiff_t from = str_find(text, '(', 0);
	struct str inner =
		from < 0 || !str_ends(text, ")") ? STR("") : str_sub(text, (size_t)from + 1, text.n - 1);
	struct claude_place p;

	if (!inner.n || (!reads && !writes))
		return;
	if (reads) {
		hide_path(r, inner, true);
		return;
	}
	p = place_of(r, inner, true);
	if (p.literal)
		add_path(r, &r->w.closed, p.path);
}

static void read_file(struct claude_reader *r)
{
	struct json_reader reader;
	const struct json *all, *sandbox, *files;

	json_reader_init(&reader, r->a, r->file->bytes, JSON_TOLERANT);
	all = json_next(&reader);
	sandbox = json_key(all, "sandbox");
	files = json_key(sandbox, "filesystem");
	r->on |= json_true_at(sandbox, "enabled");
	each_text(r, json_key(files, "allowWrite"), take_writable);
	each_text(r, json_key(files, "denyWrite"), take_closed);
	each_text(r, json_key(files, "denyRead"), take_hidden);
	each_text(r, json_key(files, "allowRead"), take_readable);
	each_text(r, json_key(json_key(all, "permissions"), "deny"), take_rule);
}

/* ---- expanding patterns over the project ---- */

static bool matches_any(const struct claude_reader *r, struct str path)
{
	for (const struct pattern *p = r->patterns; p; p = p->next)
		if (gitignore_below(p->dir, p->text, path, 0) != GLOB_NO)
			return true;
	return false;
}

struct listing { /* one directory being listed */
	struct claude_reader *r;
	DIR *d;
	struct str dir;
	struct texts *todo; /* directories still to search */
};

static void list_entries(struct listing *l)
{
	struct claude_reader *r = l->r;
	const struct dirent *entry;

	while (!r->refuse.n && (entry = readdir(l->d))) {
		struct str path;

		if (path_is_dots(entry->d_name))
			continue;
		path = str_path(r->a, l->dir, str_of(entry->d_name));
		if (++r->entries > CLAUDE_ENTRIES_MAX)
			refuse_mode(r, "Claude Code's sandbox hides files by patterns, and this project has "
					"too "
				  "many files to look for them");
		else if (matches_any(r, path))
			add_path(r, &r->w.hidden, path);
		else if (entry->d_type == DT_DIR)
			texts_push(r->a, &l->todo, path);
	}
}

static void close_directory(void *d) { closedir(d); }

/* Lists one directory. False if that fails: an unlisted directory may hold a file that must be hidden. */
static bool look_in(struct listing *l, struct str dir)
{
	int fd = open(str_c(l->r->a, dir), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct arena_cleanup cleanup;

	l->d = fd < 0 ? NULL : fdopendir(fd);
	if (!l->d) {
		fd_close(&fd);
		return false;
	}
	l->dir = dir;
	arena_defer(l->r->a, &cleanup, close_directory, l->d);
	list_entries(l);
	arena_release(l->r->a, &cleanup);
	return true;
}

static void look_in_project(struct claude_reader *r)
{
	struct listing l = {.r = r};
	struct str dir = r->s->project;

	for (;;) {
		if (!look_in(&l, dir))
			refuse_mode(r, "Claude Code's sandbox hides files by patterns, and a directory of "
					"this "
				  "project cannot be searched for them");
		if (!l.todo || r->refuse.n)
			return;
		dir = l.todo->text;
		l.todo = l.todo->next;
	}
}

/* ---- entry point ---- */

/*
 * Closes the names in a repository that Claude Code's sandbox keeps read-only, beyond those that every box
 * protects.
 */
static void close_usual(struct claude_reader *r)
{
	static const char names[][32] = {".git/remotes", ".git/branches", ".git/worktrees", ".git/glab-cli",
		".git/objects/info/alternates"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		add_path(r, &r->w.closed, str_path(r->a, r->s->project, str_of(names[i])));
}

static bool is_hidden(const struct claude_reader *r)
{
	for (const struct texts *t = r->readable; t; t = t->next)
		if (path_inside(r->s->project, t->text))
			return false;
	for (const struct texts *t = r->w.hidden; t; t = t->next)
		if (path_inside(r->s->project, t->text))
			return true;
	return false;
}

void claude_walls(
	struct arena *a, const struct claude_session *s, struct client_walls *ret, struct str *ret_refuse)
{
	struct claude_reader r = {.a = a, .s = s};

	for (r.file = s->files; r.file; r.file = r.file->next)
		if (r.file->kind == POLICY_SETTINGS && !r.file->err)
			read_file(&r);
	if (r.on) {
		r.w.mode = s->base.n ? CLIENT_SANDBOX_WORKSPACE_WRITE : CLIENT_SANDBOX_READ_ONLY;
		if (s->base.n)
			add_path(&r, &r.w.writable, s->base);
		close_usual(&r);
		if (r.patterns && s->project.n)
			look_in_project(&r);
		if (is_hidden(&r))
			refuse_mode(&r, "Claude Code's sandbox hides the project itself");
	} else {
		r.w = (struct client_walls){.mode = CLIENT_SANDBOX_NONE};
	}
	*ret = r.w;
	*ret_refuse = r.refuse;
}
