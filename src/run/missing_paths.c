/* Paths that exist outside of a box only, for the hints of a report. See missing_paths.h. */
#include "run/missing_paths.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "gate/path_table.h"
#include "judge/world.h"
#include "run/manifest_paths.h"
#include "run/search_path.h"
#include "sys/file.h"
#include "sys/path.h"

#define PATHS_NAMED 3   /* in one hint */
#define PATHS_LOOKED 64 /* paths in messages that are looked up */
#define PATHS_READ 1024 /* paths in messages */
#define PATH_BYTES 512  /* of one path in a message */
/* lines before a complaint that may name its path, as with cargo; empty ones do not count */
#define LINES_BEFORE 2
#define LINES_AFTER 1
#define LINKS_READ 512  /* names in a directory of the project */
#define SCRIPTS_READ 8  /* files of a traceback */
#define WORDS_LOOKED 32 /* names of programs in messages that are looked up */
#define SEARCH_DIRS 64  /* directories of the PATH */

/* Names of directories with dependencies, which messages do not name */
static const char dependencies[][16] = {"node_modules", "vendor", ".venv", "venv", "packages"};

static const char complaints[][28] = {
		"No such file or directory",
		"no such file or directory",
		"ENOENT",
		"FileNotFoundError",
		"does not exist",
		"doesn't exist",
		"Cannot find module",
		"can't open file",
		"cannot open",
		"could not find",
		"Could not find",
		"No such file",
		"No module named",
		"not found",
		"is not a directory",
		"can't cd to",
		"can't read",
};

struct path_search {
	struct arena *a;
	const struct run *r;
	const struct view *at;
	struct path_memo memo;
	struct texts *named; /* in order */
	size_t nnamed, looked, read;
};

static bool complains(struct str line) { return STR_CONTAINS_ANY(line, complaints); }

/* ---- which paths may be named ---- */

static bool is_shown(const struct spec *s, struct str path)
{
	if (s->root.n || search_system(path) || (s->workspace.n && path_inside(path, s->workspace)) ||
			(s->git_common.n && path_inside(path, s->git_common)))
		return true;
	for (const struct spec_path *p = s->paths; p; p = p->next)
		if (path_inside(path, spec_path_target(p)))
			return true;
	for (const struct spec_tmp_file *t = s->tmp_files; t; t = t->next)
		if (str_eq(path, t->path))
			return true;
	return false;
}

/*
 * Part of /etc is shown, and the rest is none of a program's business. A look at automounted places and at
 * homes of others may reach other machines, by names that a program chose.
 */
static bool is_foreign(const struct path_search *p, struct str path)
{
	static const char foreign[][8] = {"/proc", "/sys", "/dev", "/run", "/etc", "/boot", "/root", "/home",
			"/net", "/afs", "/misc", "/media"};
	struct str own = p->at->home, beside = path_parent(p->r->spec.workspace);

	if (path_inside(path, own) || (p->r->spec.workspace.n && beside.n > 1 && path_inside(path, beside)))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(foreign); i++)
		if (path_inside(path, str_of(foreign[i])))
			return true;
	return false;
}

static bool never_named(struct path_search *p, struct str path)
{
	const struct view *v = p->at;

	return path.n < 2 || is_foreign(p, path) || path_inside(v->home, path) ||
		path_inside(path, v->state_dir) || path_inside(path, v->config_dir) ||
		path_table_secret_name(str_base(path)) || world_keys(&p->memo, path, v->home);
}

/*
 * Directories that are shown as a whole, because their files need each other: one beside the project, one
 * with a manifest, and the tree around a shown directory whose scripts reach out of it by "..".
 */
static struct str to_show(const struct run *r, struct str path, struct str dots)
{
	struct str beside = path_parent(r->spec.workspace);

	if (dots.n)
		return dots;
	if (manifest_name(str_base(path)))
		path = path_parent(path);
	if (!r->spec.workspace.n || beside.n < 2 || str_eq(beside, r->spec.callers_home) ||
			path_inside(STR("/tmp"), beside) || !path_inside(path, beside) ||
			str_eq(path, beside))
		return path;
	return str_first(path, str_end(path, '/', beside.n + 1));
}

/* The path without empty components, "." and "..", as its letters say it. */
static struct str without_dots(struct arena *a, struct str path)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t i = 0; i < path.n;) {
		size_t to = str_end(path, '/', i);
		struct str part = str_sub(path, i, to);

		i = to + 1;
		if (str_is(part, ".."))
			b.n = path_parent(buf_view(&b)).n;
		else if (part.n && !str_is(part, "."))
			buf_fmt(&b, "/%.*s", STR_ARG(part));
		if (b.n == 1) /* the parent of /a is / */
			b.n = 0;
	}
	return buf_view(&b);
}

static void name_path(struct path_search *p, struct str path)
{
	if (texts_have(p->named, path))
		return;
	texts_add(p->a, &p->named, path);
	p->nnamed++;
}

/* The parent of DIR, if the path is DIR/../x and the box shows DIR; empty: it is none of these. */
static struct str tree_around(const struct path_search *p, struct str path)
{
	const struct spec *s = &p->r->spec;
	struct str dir, tree;
	size_t i = 0;

	while (i + 4 <= path.n && memcmp(path.p + i, "/../", 4) != 0)
		i++;
	if (i + 4 > path.n)
		return STR("");
	dir = without_dots(p->a, str_first(path, i));
	tree = path_parent(dir);
	if (tree.n < 2 || !is_shown(s, dir) || is_shown(s, tree) || path_inside(s->workspace, tree))
		return STR("");
	return tree;
}

/* The virtual environment whose bin/ has the path: a program there is a link, and needs the rest of it. */
static struct str environment_of(struct path_search *p, struct str path)
{
	struct str bin = path_parent(path), top = path_parent(bin);
	struct path_answer at;

	if (!str_is(str_base(bin), "bin") || top.n < 2)
		return STR("");
	path_look(&p->memo, str_fmt(p->a, "%.*s/pyvenv.cfg", STR_ARG(top)), &at);
	return at.target == PATH_FILE ? top : STR("");
}

static void look_at(struct path_search *p, struct str path)
{
	struct str around = tree_around(p, path);
	struct path_answer at;

	if (p->read++ >= PATHS_READ || p->looked >= PATHS_LOOKED || p->nnamed >= PATHS_NAMED)
		return;
	path = without_dots(p->a, path);
	if (!path.n || is_shown(&p->r->spec, path) || never_named(p, path))
		return;
	p->looked++;
	path_look(&p->memo, path, &at);
	if (!at.real.n || (at.target != PATH_FILE && at.target != PATH_DIR) || never_named(p, at.real))
		return;
	struct str whole = to_show(p->r, path, around.n ? around : environment_of(p, path));
	name_path(p, never_named(p, whole) ? path : whole);
}

/* ---- paths in messages ---- */

static bool ends_path(char c, char quote)
{
	if (quote)
		return c == quote;
	return (unsigned char)c <= ' ' || c == 127 || strchr("'\"`,;:()[]<>|", c);
}

static char quote_before(struct str line, size_t at)
{
	char c = at ? line.p[at - 1] : ' ';

	return c == '\'' || c == '"' || c == '`' ? c : 0;
}

static bool starts_path(struct str line, size_t at)
{
	struct str rest = str_from(line, at);

	if (at && !ends_path(line.p[at - 1], 0) && line.p[at - 1] != '=')
		return false;
	return str_starts(rest, "/") || str_starts(rest, "~/") || str_starts(rest, "../");
}

/* Quotes and control characters would change the meaning of a hint. */
static bool is_odd(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || strchr("'\"`$\\\x7F", s.p[i]))
			return true;
	return false;
}

static struct str make_absolute(const struct path_search *p, struct str path)
{
	const struct spec *s = &p->r->spec;

	if (path.p[0] == '/')
		return path;
	if (path.p[0] == '~')
		return p->at->home.n ? str_path(p->a, p->at->home, str_from(path, 2)) : STR("");
	return str_path(p->a, s->cwd.n ? s->cwd : s->workspace.n ? s->workspace : s->home, path);
}

static void read_line(struct path_search *p, struct str line)
{
	for (size_t at = 0; at < line.n; at++) {
		size_t to = at;
		char quote = quote_before(line, at);

		if (!starts_path(line, at))
			continue;
		while (to < line.n && !ends_path(line.p[to], quote))
			to++;
		if (quote && to == line.n) /* an apostrophe */
			for (to = at; to < line.n && !ends_path(line.p[to], 0);)
				to++;
		struct str path = str_sub(line, at, to);
		while (path.n && path.p[path.n - 1] == '.')
			path.n--;
		if (path.n && path.n <= PATH_BYTES && !is_odd(path))
			look_at(p, make_absolute(p, path));
		at = to;
	}
}

static void read_messages(struct path_search *p, struct str text)
{
	struct str before[LINES_BEFORE] = {{0}};
	size_t after = 0;

	while (text.n && p->nnamed < PATHS_NAMED) {
		struct str line = str_cut(&text, '\n');

		if (!line.n)
			continue;
		if (complains(line)) {
			read_line(p, line);
			for (size_t i = 0; i < LINES_BEFORE; i++)
				read_line(p, before[i]);
			after = LINES_AFTER;
		} else if (after && after--) {
			read_line(p, line);
		}
		for (size_t i = LINES_BEFORE - 1; i; i--)
			before[i] = before[i - 1];
		before[0] = line;
	}
}

/* A shell that lacks a program says so in these words; any other complaint may be about a package. */
static bool misses_more_than_programs(struct str messages)
{
	for (size_t from = 0; from < messages.n;) {
		size_t end = str_end(messages, '\n', from);
		struct str line = str_sub(messages, from, end);

		from += line.n + 1;
		if (complains(line) && !str_ends(line, ": command not found") &&
				!str_ends(line, ": not found"))
			return true;
	}
	return false;
}

/* A message may name a package instead of a path: then the project's manifests tell where it is. */
static void read_manifests(struct path_search *p, struct str messages)
{
	const struct spec *s = &p->r->spec;

	if (p->named || !s->workspace.n || !misses_more_than_programs(messages))
		return;
	for (const struct texts *t = manifest_paths(p->a, s->workspace, s->cwd.n ? s->cwd : s->workspace); t;
			t = t->next)
		look_at(p, t->text);
}

/* Messages name the link, or a module of a directory that they do not name. */
static bool is_wanted(struct str messages, bool by_name, struct str name)
{
	for (size_t i = 0; !by_name && i < ARRAY_SIZE(dependencies); i++)
		if (str_is(name, dependencies[i]))
			return str_contains(messages, STR("odule")) || str_contains(messages, STR("ackage"));
	return by_name && str_contains(messages, name);
}

static void read_link(struct path_search *p, int fd, const char *name, struct str dir)
{
	char to[PATH_BYTES];
	ssize_t n = readlinkat(fd, name, to, sizeof to);
	struct str target = str_n(to, n < 0 ? 0 : (size_t)n);

	if (!target.n || target.n == sizeof to || is_odd(target))
		return;
	look_at(p, str_starts(target, "/") ? str_dup(p->a, target) : str_path(p->a, dir, target));
}

static void read_links_of(struct path_search *p, struct str dir, struct str messages, bool by_name)
{
	int fd = open(str_c(p->a, dir), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const struct dirent *entry;
	DIR_SCOPE d = {0};

	dir_scope(&d, p->a, fd < 0 ? NULL : fdopendir(fd));
	if (!d.dir)
		fd_close(&fd);
	for (size_t n = 0; d.dir && n < LINKS_READ && (entry = readdir(d.dir)); n++)
		if (entry->d_type == DT_LNK && is_wanted(messages, by_name, str_of(entry->d_name)))
			read_link(p, dirfd(d.dir), entry->d_name, dir);
}

/* Links of the project lead nowhere in the box if they lead out of it. */
static void read_links(struct path_search *p, struct str messages)
{
	const struct spec *s = &p->r->spec;

	if (p->named || !s->workspace.n || !complains(messages))
		return;
	for (int i = 0; i < 2 && !p->named; i++) {
		read_links_of(p, s->workspace, messages, i == 0);
		if (!p->named && s->cwd.n && !str_eq(s->cwd, s->workspace) &&
				path_inside(s->cwd, s->workspace))
			read_links_of(p, s->cwd, messages, i == 0);
	}
}

static struct str quoted_after(struct str text, const char *mark, char quote, size_t *from)
{
	size_t n = strlen(mark);

	for (size_t i = *from; i + n < text.n; i++) {
		ptrdiff_t end = memcmp(text.p + i, mark, n) != 0 ? -1 : str_find(text, quote, i + n);

		if (end < 0)
			continue;
		*from = (size_t)end;
		return str_sub(text, i + n, (size_t)end);
	}
	*from = text.n;
	return STR("");
}

static bool holds_module(struct path_search *p, struct str dir, struct str module)
{
	static const char ends[][4] = {"", ".py"};
	struct path_answer at;

	for (size_t i = 0; i < ARRAY_SIZE(ends) && p->looked++ < PATHS_LOOKED; i++) {
		struct str name = str_fmt(p->a, "%.*s%s", STR_ARG(module), ends[i]);

		path_look(&p->memo, str_path(p->a, dir, name), &at);
		if (at.target == PATH_FILE || at.target == PATH_DIR)
			return true;
	}
	return false;
}

/* Python names the module it lacks and the scripts on the way; one of them may add "../b" to sys.path. */
static void read_scripts(struct path_search *p, struct str messages)
{
	const struct spec *s = &p->r->spec;
	size_t from = 0;
	struct str module = quoted_after(messages, "No module named '", '\'', &from);
	size_t dot = str_end(module, '.', 0);

	module = str_first(module, dot);
	if (p->named || !s->workspace.n || !module.n || is_odd(module) || str_has(module, '/'))
		return;
	from = 0;
	for (size_t n = 0; n < SCRIPTS_READ && from < messages.n; n++) {
		struct str file = quoted_after(messages, "File \"", '"', &from);
		struct str dir = s->cwd.n ? s->cwd : s->workspace;

		if (!file.n || file.n > PATH_BYTES || is_odd(file))
			continue;
		for (const struct texts *t = manifest_paths_of(p->a, s->workspace,
				path_plain(p->a, make_absolute(p, file)), dir); t; t = t->next)
			if (!is_shown(s, t->text) && !never_named(p, t->text) &&
					holds_module(p, t->text, module))
				look_at(p, t->text);
	}
}

/* ---- the hint ---- */

/* A path as one word of a command line or of a list in a policy. */
static struct str as_word(struct arena *a, struct str path)
{
	for (size_t i = 0; i < path.n; i++)
		if (!ascii_is_alnum(path.p[i]) && !strchr("/._-+@~", path.p[i]))
			return str_fmt(a, "\"%.*s\"", STR_ARG(path));
	return path;
}

static struct str join_words(struct arena *a, const struct texts *paths, const char *before,
		const char *between)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (; paths; paths = paths->next)
		buf_fmt(&b, "%s%s%.*s", b.n ? between : "", before, STR_ARG(as_word(a, paths->text)));
	return buf_view(&b);
}

static struct str advice(struct arena *a, enum audience who, const struct texts *paths)
{
	struct str options = join_words(a, paths, "--read ", " "), list = join_words(a, paths, "", ", ");

	switch (who) {
	case AUDIENCE_TERMINAL: return str_fmt(a, "'%.*s' shows it", STR_ARG(options));
	case AUDIENCE_CLIENT:
		return str_fmt(a, "copy it into the project, or the user can show it with 'sandbox: {read: "
			"[%.*s]}' in " AUDIENCE_POLICY, STR_ARG(list));
	case AUDIENCE_MCP: break;
	}
	return str_fmt(a, "only the user who started this server can show it ('%.*s')", STR_ARG(options));
}

struct str missing_paths_hint(struct arena *a, const struct run *r, struct str messages)
{
	struct path_search p = {.a = a, .r = r, .at = r->world ? r->world->context.view : NULL};
	struct buf b;

	if (!p.at)
		return STR("");
	path_memo_init(&p.memo, a, p.at->cwd);
	read_messages(&p, messages);
	read_manifests(&p, messages);
	read_links(&p, messages);
	read_scripts(&p, messages);
	if (!p.named)
		return STR("");
	buf_init(&b, a, 0);
	for (const struct texts *t = p.named; t; t = t->next)
		buf_fmt(&b, "%s'%.*s'", b.n ? ", " : "", STR_ARG(t->text));
	buf_fmt(&b, " %s outside of the box, which does not show %s; ", p.named->next ? "exist" : "exists",
			p.named->next ? "them" : "it");
	buf_str(&b, advice(a, r->rq->audience, p.named));
	return buf_view(&b);
}

/* ---- programs ---- */

static struct str callers_path(const struct run *r)
{
	char *const *env = r->world->environ;

	for (size_t i = 0; env && env[i]; i++)
		if (!strncmp(env[i], "PATH=", 5))
			return str_of(env[i] + 5);
	return STR("");
}

/* A box with a root of its own shows nothing else. */
static bool is_hidden_file(struct path_search *p, struct str path)
{
	struct path_answer at;

	path_look(&p->memo, path, &at);
	return at.target == PATH_FILE && (p->r->spec.root.n || !is_shown(&p->r->spec, path));
}

static bool find_program(struct path_search *p, struct str name)
{
	struct str rest = callers_path(p->r);

	if (!name.n || name.n > PATH_BYTES)
		return false;
	if (str_has(name, '/'))
		return is_hidden_file(p, without_dots(p->a, make_absolute(p, name)));
	for (size_t i = 0; rest.n && i < SEARCH_DIRS; i++) {
		struct str dir = str_cut(&rest, ':');

		if (str_starts(dir, "/") && is_hidden_file(p, str_path(p->a, dir, name)))
			return true;
	}
	return false;
}

/* False if nothing is known of the caller's world. */
static bool begin_search(struct path_search *p, struct arena *a, const struct run *r)
{
	*p = (struct path_search){.a = a, .r = r, .at = r->world ? r->world->context.view : NULL};
	if (p->at)
		path_memo_init(&p->memo, a, p->at->cwd);
	return p->at;
}

bool missing_program(struct arena *a, const struct run *r, struct str name)
{
	struct path_search p;

	return begin_search(&p, a, r) && find_program(&p, name);
}

static bool find_word(struct path_search *p, struct str line)
{
	for (size_t at = 0; at < line.n; at++) {
		size_t to = at;

		while (to < line.n && !ends_path(line.p[to], 0))
			to++;
		struct str word = str_sub(line, at, to);

		at = to;
		/* paths have a hint of their own */
		if (!word.n || str_has(word, '/') || is_odd(word))
			continue;
		if (p->looked++ >= WORDS_LOOKED)
			return false;
		if (find_program(p, word))
			return true;
	}
	return false;
}

bool missing_programs_named(struct arena *a, const struct run *r, struct str messages)
{
	struct path_search p;

	if (!begin_search(&p, a, r))
		return false;
	while (messages.n) {
		struct str line = str_cut(&messages, '\n');

		if (complains(line) && find_word(&p, line))
			return true;
	}
	return false;
}

/* A word of the command that leads to something in the working directory, and not beside it. */
static bool is_here(struct path_search *p, struct str word)
{
	struct path_answer at;

	if (!word.n || word.p[0] == '-' || word.p[0] == '/' || str_contains(word, STR("..")) ||
			p->looked++ >= WORDS_LOOKED)
		return false;
	path_look(&p->memo, str_fmt(p->a, "%.*s/%.*s", STR_ARG(p->at->cwd), STR_ARG(word)), &at);
	return (at.target == PATH_FILE || at.target == PATH_DIR) && !never_named(p, at.real);
}

struct str missing_here(struct arena *a, const struct run *r, struct str messages)
{
	struct path_search p = {.a = a, .r = r, .at = r->world ? r->world->context.view : NULL};
	struct str command = r->gate_request.command;

	if (!p.at || !p.at->cwd.n || r->spec.workspace.n || r->spec.root.n || !complains(messages))
		return STR("");
	path_memo_init(&p.memo, a, p.at->cwd);
	for (size_t at = 0; at < command.n; at++) {
		size_t to = at;

		while (to < command.n && !ends_path(command.p[to], 0))
			to++;
		if (is_here(&p, str_sub(command, at, to)))
			return str_sub(command, at, to);
		at = to;
	}
	return STR("");
}
