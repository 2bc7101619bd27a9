/* See search_path.h. */
#define _GNU_SOURCE
#include "run/search_path.h"

#include <unistd.h>

#include "knowledge/toolchain_rows.h"

#define PATH_ENTRIES 256      /* entries of the caller's PATH */
#define STAND_INS_MAX 2000    /* programs of directories that are not shown */

static const char program_dirs[][16] = {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin",
		"/bin"};

bool search_system(struct str dir)
{
	static const char seen[][20] = {"/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix",
			"/etc/alternatives"};

	for (size_t i = 0; i < ARRAY_SIZE(seen); i++)
		if (path_inside(dir, str_of(seen[i])))
			return true;
	return false;
}

bool search_seen(const struct spec_builder *m, struct str path)
{
	if (search_system(path) || path_inside(path, m->r->spec.workspace))
		return true;
	for (const struct spec_path *p = m->r->spec.paths; p; p = p->next)
		if (path_inside(path, spec_path_target(p)) && !p->cache &&
				!(p->at.n && p->writable))
			return true;
	return false;
}

/* ---- the caller's PATH ---- */

static struct str callers_variable(const struct spec_builder *m, struct str name)
{
	for (size_t i = 0; m->world->environ && m->world->environ[i]; i++) {
		struct str s = str_of(m->world->environ[i]);

		if (s.n > name.n && s.p[name.n] == '=' && str_eq(str_first(s, name.n), name))
			return str_from(s, name.n + 1);
	}
	return STR("");
}

/* A PATH separates by colons, and messages by lines. */
static bool has_odd_bytes(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 127 || s.p[i] == ':')
			return true;
	return false;
}

/* The second entry for the same directory finds nothing new. */
static bool is_listed(const struct spec_builder *m, struct str real, bool extra)
{
	for (const struct search_dir *d = m->search; d; d = d->next)
		if (str_eq(d->real, real) && (extra || !d->extra))
			return true;
	return false;
}

/* Adds a directory. A relative entry starts at the working directory; one that is empty is that directory. */
static void add_dir(struct spec_builder *m, struct path_memo *memo, struct search_dir ***end,
		struct str entry, bool extra, bool show)
{
	struct search_dir *d = arena_copy(m->a, (struct search_dir){.plain = true, .extra = extra});
	bool absolute = str_starts(entry, "/");
	enum path_kind kind = PATH_DIR;

	d->text = d->real = absolute ? entry : entry.n ? str_path(m->a, m->at->cwd, entry) : m->at->cwd;
	if (!search_system(d->text) || str_contains(d->text, STR(".."))) {
		d->real = path_real(memo, d->text, &kind);
		d->plain = search_system(d->real) || path_inside(d->real, m->r->spec.workspace);
	}
	if (kind != PATH_DIR || !d->real.n || is_listed(m, d->real, extra))
		return;
	if (!search_seen(m, d->text) || str_contains(d->text, STR("..")) || !absolute)
		d->text = d->plain || str_eq(d->text, d->real) ? d->real : d->text;
	LIST_ADD(*end, d);
	if (!show || (search_system(d->real) && !str_is_any(d->real, "/usr/local/bin /usr/local/sbin")))
		return; /* packages own the other directories of the system */
	if (d->plain)
		search_look_inside(m, memo, d);
	else
		search_show(m, memo, d, has_odd_bytes(d->real));
}

void search_path_list(struct spec_builder *m, struct path_memo *memo, bool show)
{
	struct str path = callers_variable(m, STR("PATH")), names = toolchain_variables(), name;
	struct search_dir **end = &m->search;

	for (size_t from = 0, n = 0; path.n && from <= path.n && n < PATH_ENTRIES; n++) {
		size_t colon = str_end(path, ':', from);
		struct str dir = str_sub(path, from, colon);

		add_dir(m, memo, &end, dir, false, show);
		from += dir.n + 1;
	}
	while ((name = str_word(&names)).n) {
		struct str value = callers_variable(m, name);

		if (str_starts(value, "/"))
			add_dir(m, memo, &end, str_path(m->a, value, STR("bin")), true, show);
	}
	if (m->r->spec.workspace.n)
		add_dir(m, memo, &end, str_path(m->a, m->r->spec.workspace, STR(".venv/bin")), true, show);
}

/* ---- the box's PATH ---- */

static void put_entry(struct buf *b, struct str dir)
{
	for (size_t from = 0; from < b->n;) {
		ptrdiff_t end = str_find(buf_view(b), ':', from);
		size_t to = end < 0 ? b->n : (size_t)end;

		if (str_eq(str_sub(buf_view(b), from, to), dir))
			return;
		from = to + 1;
	}
	if (b->n)
		buf_char(b, ':');
	buf_str(b, dir);
}

static bool has_program(struct spec_builder *m, struct str dir, struct str name)
{
	return access(str_c(m->a, str_path(m->a, dir, name)), X_OK) == 0;
}

/* True if the box would find another program of this name in a later directory. */
static bool finds_another(struct spec_builder *m, const struct search_dir *d, struct str name)
{
	for (d = d->next; d; d = d->next)
		if (!d->extra && search_seen(m, d->real) && has_program(m, d->real, name))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(program_dirs); i++)
		if (!is_listed(m, str_of(program_dirs[i]), false) &&
				has_program(m, str_of(program_dirs[i]), name))
			return true;
	return false;
}

static bool is_hidden(const struct spec_builder *m, const struct search_dir *d,
		const struct search_program *p)
{
	return !search_seen(m, d->real) || !search_seen(m, p->real) || (p->hop.n && !search_seen(m, p->hop));
}

static void add_file(struct spec_builder *m, struct spec_file f)
{
	f.next = m->r->spec.files;
	m->r->spec.files = arena_copy(m->a, f);
}

/* Its name tells a stand-in for which program it stands. */
static struct str stand_in_text(struct spec_builder *m, const struct search_dir *d)
{
	struct buf b;

	buf_init(&b, m->a, 0);
	buf_c(&b, "#!/bin/sh\nprintf '" STAND_IN_WORDS "%s is %s outside of the box, and the box does not "
			"show it%s\\n' \"${0##*/}\" ");
	buf_quoted(&b, str_fmt(m->a, "%.*s/", STR_ARG(d->real)));
	buf_c(&b, "\"${0##*/}\" ");
	buf_quoted(&b, d->why ? str_fmt(m->a, ": %s", d->why) : STR(""));
	buf_c(&b, " >&2\nexit 127\n");
	return buf_view(&b);
}

/* Puts stand-ins for hidden programs before their directory. */
static int put_stand_ins(struct spec_builder *m, const struct search_dir *d, struct buf *b, size_t *dirs,
		size_t *left, struct err *e)
{
	struct str script = str_fmt(m->a, SPEC_STAND_INS "%zu.sh", *dirs);
	struct str dir = str_fmt(m->a, SPEC_STAND_INS "%zu", *dirs);
	bool any = false;

	for (const struct search_program *p = d->programs; p; p = p->next) {
		if (!is_hidden(m, d, p) || !finds_another(m, d, p->name))
			continue;
		if (!(*left)--)
			return err_input(e,
					"the box cannot show '%.*s' of PATH, because more than %d of its "
					"programs are replaced by others; remove it from PATH",
					STR_ARG(d->real), STAND_INS_MAX);
		add_file(m, (struct spec_file){.path = str_path(m->a, dir, p->name), .text = script,
				.link = true});
		any = true;
	}
	if (!any)
		return 0;
	add_file(m, (struct spec_file){.path = script, .text = stand_in_text(m, d), .executable = true});
	put_entry(b, dir);
	++*dirs;
	return 0;
}

static void note_hidden(struct spec_builder *m, const struct search_dir *d)
{
	texts_add(m->a, &m->r->hidden_dirs, str_fmt(m->a, "'%.*s'%s%s%s", STR_ARG(d->real),
			d->why ? " (" : "", d->why ? d->why : "", d->why ? ")" : ""));
}

static int put_callers(struct spec_builder *m, struct buf *b, struct err *e)
{
	size_t dirs = 0, left = STAND_INS_MAX;

	for (const struct search_dir *d = m->search; d; d = d->next) {
		if (d->extra)
			continue;
		if (put_stand_ins(m, d, b, &dirs, &left, e) != 0)
			return -1;
		if (d->partial && !search_seen(m, d->real))
			return err_input(e,
					"the box cannot show '%.*s' of PATH (%s), and it has too many "
					"entries to compare; remove it from PATH",
					STR_ARG(d->real), d->why ? d->why : "hidden");
		if (search_seen(m, d->real) && !has_odd_bytes(d->text) && !has_odd_bytes(d->real))
			put_entry(b, d->plain && search_seen(m, d->text) ? d->text : d->real);
		else
			note_hidden(m, d);
	}
	return 0;
}

int search_path_make(struct spec_builder *m, struct str *ret, struct err *e)
{
	struct buf b;

	buf_init(&b, m->a, 0);
	if (put_callers(m, &b, e) != 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(program_dirs); i++)
		put_entry(&b, str_of(program_dirs[i]));
	*ret = buf_view(&b);
	return 0;
}

/* A variable that names an installation which the box does not show would mislead its tools. */
bool search_path_lacks(struct spec_builder *m, struct str name, struct str value)
{
	struct str names = toolchain_variables(), word;

	while ((word = str_word(&names)).n)
		if (str_eq(word, name))
			return !search_seen(m, value) && !search_seen(m, str_path(m->a, value, STR("bin")));
	return false;
}
