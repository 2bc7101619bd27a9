/*
 * Shows in the box what a directory of the caller's PATH needs, read-only: the parts of the installation that
 * it belongs to (knowledge/toolchains.yaml), or else the directory itself, and the programs that its links
 * lead to.
 *
 * The PATH may come from anybody who set the caller's environment, and another project's box may have written
 * into an environment's directory. So the directory must look like one of programs, nothing is shown that
 * holds keys or Caisson's own files or that other users can write, and names are never trusted: an
 * interpreter that pyvenv.cfg names must be an installation of Python.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gate/path_table.h"
#include "judge/world.h"
#include "knowledge/toolchain_rows.h"
#include "run/search_path.h"
#include "sys/file.h"
#include "sys/glob_expand.h"
#include "sys/user.h"

#define ENTRIES_MAX 16384    /* of a directory of programs */
#define LINKS_MAX 64         /* links to programs elsewhere, for the whole PATH */
#define ANCESTORS_MAX 5      /* directories above a program that may be its installation */
#define PYVENV_BYTES ((size_t)16 << 10)

/* ---- which places are safe ---- */

/* A group counts as the person's own if only they are in it: by convention it has their number. */
static bool is_private(const struct stat *st, const struct view *at)
{
	bool group = st->st_mode & S_IWGRP && !(st->st_gid == at->uid && st->st_gid == getegid());

	if (st->st_uid != 0 && st->st_uid != at->uid)
		return false;
	return !(group || st->st_mode & S_IWOTH) || (S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX);
}

/* True if nobody else can change the path or what it leads to. */
static bool nobody_else_writes(const struct spec_builder *m, struct str real)
{
	struct stat st;

	for (struct str at = real; at.n > 1; at = path_parent(at))
		if (lstat(str_c(m->a, at), &st) != 0 || S_ISLNK(st.st_mode) || !is_private(&st, m->at) ||
				(str_eq(at, real) && st.st_mode & S_IWOTH))
			return false;
	return true;
}

/* Settings of agents and editors, git's own files; not the usual directories of the person's programs. */
static bool holds_settings(struct spec_builder *m, struct path_memo *memo, struct str real)
{
	static const char programs[][12] = {"bin", ".local/bin"};

	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (path_inside(real, str_path(m->a, m->r->spec.home, str_of(programs[i]))))
			return false;
	return world_guarded(memo, real, m->at->home) != NULL;
}

const char *search_refuse(struct spec_builder *m, struct path_memo *memo, struct str real)
{
	static const char never[][8] = {"/proc", "/sys", "/dev", "/run"};

	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		if (path_inside(real, str_of(never[i])))
			return "this place can never be shown in a box";
	if (real.n < 2 || path_inside(m->at->home, real) || path_inside(m->r->spec.home, real))
		return "it is the home directory, or above it";
	if (spec_is_own(m, real))
		return "caisson's own files are there";
	if (world_keys(memo, real, m->at->home))
		return "it contains keys or other secrets";
	if (holds_settings(m, memo, real))
		return "it contains settings that other programs obey";
	if (!nobody_else_writes(m, real))
		return "other users can change it";
	return NULL;
}

/* ---- installations ---- */

/* Backslashes make a path literal in a pattern. */
static struct str literal(struct arena *a, struct str path)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t i = 0; i < path.n; i++) {
		if (strchr("*?[]\\", path.p[i]))
			buf_char(&b, '\\');
		buf_char(&b, path.p[i]);
	}
	return buf_view(&b);
}

static bool has_marker(struct path_memo *memo, struct str dir, struct str marker)
{
	struct glob_answer found = {0};
	enum path_kind kind;

	if (!str_has(marker, '*')) {
		(void)path_real(memo, str_path(memo->a, dir, marker), &kind);
		return kind == PATH_FILE || kind == PATH_DIR;
	}
	glob_expand(memo, str_path(memo->a, literal(memo->a, dir), marker), &found);
	return found.nmatches > 0;
}

/* The first name of a marker. */
static struct str marker_top(struct str marker)
{
	size_t slash = str_end(marker, '/', 0);

	return str_first(marker, slash);
}

/* Most markers begin with one of a few names, and a directory that is no installation has none of them. */
static const struct toolchain_prefix *find_prefix(struct path_memo *memo, struct str dir)
{
	const struct toolchain_prefix *p;
	struct texts *absent = NULL, **end = &absent;

	for (size_t i = 0; (p = toolchain_prefix(i)); i++) {
		struct str marker = toolchain_text(p->marker), top = marker_top(marker);
		enum path_kind kind;

		if (texts_have(absent, top))
			continue;
		(void)path_real(memo, str_path(memo->a, dir, top), &kind);
		if (kind == PATH_ABSENT)
			end = texts_add(memo->a, end, top);
		else if (has_marker(memo, dir, marker))
			return p;
	}
	return NULL;
}

struct search_prefix { /* an answer of prefix_of() */
	struct search_prefix *next;
	struct str dir;
	const struct toolchain_prefix *prefix;
};

/* Several directories of a PATH, and several links in one, lead to the same installation. */
static const struct toolchain_prefix *prefix_of(struct spec_builder *m, struct path_memo *memo,
		struct str dir)
{
	struct search_prefix *p = m->prefixes;

	while (p && !str_eq(p->dir, dir))
		p = p->next;
	if (!p) {
		p = arena_copy(m->a, (struct search_prefix){.next = m->prefixes, .dir = dir});
		p->prefix = find_prefix(memo, dir);
		m->prefixes = p;
	}
	return p->prefix;
}

static void add_link(struct spec_builder *m, struct str path, struct str text)
{
	m->r->spec.files = arena_copy(m->a, (struct spec_file){.next = m->r->spec.files, .path = path,
			.text = text, .link = true});
}

/* A part that is a link is left out, but for lib64 -> lib. */
static void show_part(struct spec_builder *m, struct path_memo *memo, struct str dir, struct str part)
{
	struct str path = str_path(m->a, dir, part);
	struct path_answer at;

	path_look(memo, path, &at);
	if (at.kind == PATH_LINK && str_eq(at.real, str_path(m->a, dir, STR("lib"))))
		add_link(m, path, STR("lib"));
	else if ((at.kind == PATH_DIR || at.kind == PATH_FILE) && str_eq(at.real, path) &&
			!search_seen(m, path) && !search_refuse(m, memo, path))
		spec_add_path(m, path, path, false);
}

static void show_parts(struct spec_builder *m, struct path_memo *memo, struct str dir,
		const struct toolchain_prefix *kind)
{
	struct str parts = toolchain_text(kind->parts), part;

	while ((part = str_word(&parts)).n)
		show_part(m, memo, dir, part);
}

/* The value of `home` in a pyvenv.cfg: the directory of the interpreter. */
static struct str interpreter_dir(struct arena *a, struct str text)
{
	for (size_t from = 0; from < text.n;) {
		size_t end = str_end(text, '\n', from);
		struct str line = str_sub(text, from, end);
		ptrdiff_t eq = str_find(line, '=', 0);
		struct str key = str_first(line, eq < 0 ? 0 : (size_t)eq);

		if (str_is(str_word(&key), "home")) {
			struct str value = str_from(line, (size_t)eq + 1);

			while (value.n && strchr(" \t\r", value.p[value.n - 1]))
				value.n--;
			while (value.n && strchr(" \t", value.p[0]))
				value = str_from(value, 1);
			return str_starts(value, "/") ? str_dup(a, value) : STR("");
		}
		from += line.n + 1;
	}
	return STR("");
}

/* An environment of Python needs the interpreter that it was made from. */
static void show_interpreter(struct spec_builder *m, struct path_memo *memo, struct str dir)
{
	struct str config = str_path(m->a, dir, STR("pyvenv.cfg")), text, base;
	const struct toolchain_prefix *kind;
	struct stat st;
	enum path_kind target;

	if (file_read(m->a, str_c(m->a, config), PYVENV_BYTES, &text, &st, NULL) != 0)
		return;
	base = interpreter_dir(m->a, text);
	base = base.n ? path_real(memo, base, &target) : base;
	if (base.n < 2 || target != PATH_DIR || search_seen(m, base))
		return;
	base = path_parent(base);
	if (path_inside(m->at->home, base)) /* a program of a box may have written pyvenv.cfg */
		return;
	kind = prefix_of(m, memo, base);
	if (kind && has_marker(memo, base, STR("lib/python3.*/os.py")) &&
			has_marker(memo, base, STR("bin/python3*")))
		show_parts(m, memo, base, kind);
}

/* Shows the installation that a directory of programs belongs to. False: there is none. */
static bool show_prefix(struct spec_builder *m, struct path_memo *memo, struct str dir)
{
	const struct toolchain_prefix *kind = path_inside(m->at->home, dir) ? NULL : prefix_of(m, memo, dir);

	if (!kind)
		return false;
	show_parts(m, memo, dir, kind);
	if (has_marker(memo, dir, STR("pyvenv.cfg")))
		show_interpreter(m, memo, dir);
	return true;
}

/* ---- a directory of programs ---- */

struct program_list {
	size_t programs, others, dirs; /* entries: executable files and links, other files, directories */
	bool secret;                   /* an entry is a secret by its name */
	struct search_program *list, **end;
};

static bool is_program(struct spec_builder *m, struct str path)
{
	struct stat st;

	return stat(str_c(m->a, path), &st) == 0 && S_ISREG(st.st_mode) && st.st_mode & 0111;
}

static void note_program(struct spec_builder *m, struct program_list *l, struct str name, struct str hop,
		struct str real)
{
	struct search_program *p = arena_copy(m->a, (struct search_program){.name = str_dup(m->a, name),
			.hop = hop, .real = real});

	LIST_ADD(l->end, p);
	l->programs++;
}

/*
 * LIST_LINKS: only links that leave the directory, and whether there are programs
 * LIST_LEAVING: links that lead to neither the system nor the workspace
 */
enum listing_kind { LIST_ALL, LIST_LINKS, LIST_LEAVING };

/* True if a link leads to a program beside it, which is seen where the link is. */
static bool is_beside(int fd, const char *to)
{
	struct stat st;

	return !strchr(to, '/') && fstatat(fd, to, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
			st.st_mode & 0111;
}

static void list_link(struct spec_builder *m, struct path_memo *memo, struct program_list *l, int fd,
		struct str dir, struct str name, enum listing_kind which)
{
	char to[4096];
	ssize_t n = readlinkat(fd, str_c(m->a, name), to, sizeof(to));
	struct path_answer at;
	struct str hop;

	if (n <= 0 || n == (ssize_t)sizeof(to))
		return;
	to[n] = '\0';
	if (which == LIST_LINKS && is_beside(fd, to)) {
		l->programs++;
		return;
	}
	hop = to[0] == '/' ? str_dup(m->a, str_n(to, (size_t)n)) : str_path(m->a, dir, str_n(to, (size_t)n));
	hop = path_plain(m->a, hop);
	if (which == LIST_LEAVING && (search_system(hop) || path_inside(hop, m->r->spec.workspace)))
		return;
	path_look(memo, str_path(m->a, dir, name), &at);
	if (at.target != PATH_FILE || !is_program(m, at.real))
		return;
	note_program(m, l, name, hop, at.real);
}

/* False: it has more entries than were listed. One that cannot be read has none. */
static bool list_dir(struct spec_builder *m, struct path_memo *memo, struct str dir, enum listing_kind which,
		struct program_list *ret)
{
	const struct dirent *entry;
	DIR_SCOPE d = {0};
	size_t n = 0;

	*ret = (struct program_list){0};
	ret->end = &ret->list;
	dir_scope(&d, m->a, opendir(str_c(m->a, dir)));
	while (d.dir && n++ < ENTRIES_MAX && (entry = readdir(d.dir))) {
		struct str name = str_of(entry->d_name);

		if (str_is_any(name, ". .."))
			continue;
		if (which != LIST_LEAVING)
			ret->secret |= path_table_secret_name(name);
		if (entry->d_type == DT_LNK)
			list_link(m, memo, ret, dirfd(d.dir), dir, name, which);
		else if (entry->d_type == DT_DIR)
			ret->dirs++;
		else if (which == LIST_LINKS && (ret->programs || is_program(m, str_path(m->a, dir, name))))
			ret->programs++; /* one is enough */
		else if (which == LIST_ALL && is_program(m, str_path(m->a, dir, name)))
			note_program(m, ret, name, STR(""), str_path(m->a, dir, name));
		else
			ret->others++;
	}
	return n <= ENTRIES_MAX;
}

static bool is_called_so(struct str dir)
{
	return str_is_any(str_base(dir), "bin sbin shims .bin scripts Scripts libexec cmd condabin");
}

/*
 * A directory that is called so, or has hardly anything but programs: a directory of documents does not
 * become visible by a PATH that names it.
 */
static bool looks_like_programs(struct str dir, const struct program_list *l)
{
	if (!l->programs || l->secret)
		return false;
	return is_called_so(dir) || (!l->dirs && l->others <= l->programs);
}

/* ---- links to programs elsewhere ---- */

/*
 * A link in a shown directory leads to a program that the box lacks. A program in another project's box may
 * have made a link that leaves that project.
 */
static void show_target(struct spec_builder *m, struct path_memo *memo, struct str link,
		const struct search_program *p)
{
	struct str dir = path_parent(p->real), parent;
	enum path_kind kind;

	if (spec_refuse_escape(m, "PATH", link, p->real, NULL) != 0)
		return;

	for (size_t i = 0; i < ANCESTORS_MAX && dir.n > 1 && !search_seen(m, p->real); i++) {
		if (path_inside(m->at->home, dir) || search_refuse(m, memo, dir) || show_prefix(m, memo, dir))
			break;
		dir = path_parent(dir);
	}
	if (!search_seen(m, p->real) &&
			(search_refuse(m, memo, p->real) || path_table_secret_name(str_base(p->real))))
		return;
	parent = path_real(memo, path_parent(p->hop), &kind);
	if (search_seen(m, p->hop) || !path_inside(p->hop, m->r->spec.home) ||
			!str_eq(parent, path_parent(p->hop)) || search_refuse(m, memo, parent))
		return;
	spec_add_path(m, p->real, p->hop, false);
}

static void show_links(struct spec_builder *m, struct path_memo *memo, const struct search_dir *d)
{
	for (const struct search_program *p = d->programs; p; p = p->next)
		if (p->hop.n && (!search_seen(m, p->hop) || !search_seen(m, p->real)) &&
				m->search_links++ < LINKS_MAX)
			show_target(m, memo, str_path(m->a, d->real, p->name), p);
}

void search_look_inside(struct spec_builder *m, struct path_memo *memo, struct search_dir *d)
{
	struct program_list l;

	if (!search_system(d->real) && has_marker(memo, path_parent(d->real), STR("pyvenv.cfg")))
		show_interpreter(m, memo, path_parent(d->real));
	(void)list_dir(m, memo, d->real, LIST_LEAVING, &l);
	d->programs = l.list;
	if (search_system(d->real))
		show_links(m, memo, d);
}

/* The programs of a directory that is not shown are listed one by one: others could run in their place. */
void search_show(struct spec_builder *m, struct path_memo *memo, struct search_dir *d, bool odd)
{
	bool seen = search_seen(m, d->real);
	enum listing_kind which;
	struct program_list l;

	d->why = seen  ? NULL
		 : odd ? "its name has a colon or control characters"
		       : search_refuse(m, memo, d->real);
	if (!seen && !d->why && spec_refuse_escape(m, "PATH", d->text, d->real, NULL) != 0)
		d->why = "a link in a project leads there";
	which = seen || (!d->why && is_called_so(d->real)) ? LIST_LINKS : LIST_ALL;
	d->partial = !list_dir(m, memo, d->real, which, &l);
	if (d->partial && !d->why && !seen)
		d->why = "it has too many entries";
	if (!seen && !d->why) {
		(void)show_prefix(m, memo, path_parent(d->real));
		if (!search_seen(m, d->real) && looks_like_programs(d->real, &l))
			spec_add_path(m, d->real, d->real, false);
		if (!search_seen(m, d->real))
			d->why = "it does not look like a directory of programs";
	}
	if (d->why && which == LIST_LINKS)
		(void)list_dir(m, memo, d->real, LIST_ALL, &l);
	d->programs = l.list;
	if (!d->why)
		show_links(m, memo, d);
}
