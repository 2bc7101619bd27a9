/*
 * The home in a box: the person's programs and libraries, read-only, their caches and git identity.
 */
#define _GNU_SOURCE
#include <dirent.h>

#include "knowledge/toolchain_rows.h"
#include "run/git_identity.h"
#include "run/search_path.h"
#include "sys/file.h"
#include "sys/git_view.h"

#define EXEC_HOME "/home/box"
#define HOME_ENTRIES_MAX 4096 /* of a home; a larger one may have any name */

/* The bit of a name: names that share one are looked up, that is all. */
static unsigned name_bit(struct str name)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < name.n && name.p[i] != '/'; i++)
		h = (h ^ (unsigned char)name.p[i]) * 16777619u;
	return (h ^ h >> 16) % (HOME_NAME_WORDS * 64);
}

static void list_home(struct spec_builder *m)
{
	const struct dirent *entry;
	DIR_SCOPE d = {0};
	size_t n = 0;

	dir_scope(&d, m->a, opendir(str_c(m->a, m->r->spec.home)));
	while (d.dir && n < HOME_ENTRIES_MAX && (entry = readdir(d.dir))) {
		unsigned bit = name_bit(str_of(entry->d_name));

		m->home_names[bit / 64] |= (uint64_t)1 << bit % 64;
		n++;
	}
	if (!d.dir || n == HOME_ENTRIES_MAX)
		memset(m->home_names, 0xff, sizeof(m->home_names));
}

bool spec_home_may_have(const struct spec_builder *m, struct str path)
{
	unsigned bit = name_bit(path);

	return m->home_names[bit / 64] >> bit % 64 & 1;
}

/* Skips paths with links, which could lead outside the toolchains. */
void spec_add_toolchains(struct spec_builder *m, struct path_memo *memo)
{
	list_home(m);
	for (size_t i = 0; toolchain_home(i).n; i++) {
		struct str name, real;
		enum path_kind kind;

		if (!spec_home_may_have(m, toolchain_home(i)))
			continue;
		name = str_path(m->a, m->r->spec.home, toolchain_home(i));
		real = path_real(memo, name, &kind);
		if ((kind == PATH_DIR || kind == PATH_FILE) && str_eq(real, name) &&
				!path_inside(m->r->spec.workspace, name))
			spec_add_path(m, name, name, false);
	}
}

/*
 * Any repository may be used: the box contains what its settings run, and the person's own list is not shown.
 * In a box of root owners are mapped, and git would take each file of the index for a changed one.
 */
#define GIT_IN_BOX "[safe]\n\tdirectory = *\n"
#define GIT_IN_BOX_OF_ROOT "[core]\n\tcheckStat = minimal\n"

static void show_identity(struct spec_builder *m, struct path_memo *memo)
{
	struct git_place place;
	bool repository = m->r->spec.workspace.n && git_place_find(memo, m->r->spec.workspace, &place);
	struct str text = git_identity(m->a, repository ? &place : NULL, m->r->spec.home);
	struct spec_file *f;

	text = str_fmt(m->a, "%.*s" GIT_IN_BOX "%s", STR_ARG(text), m->at->uid ? "" : GIT_IN_BOX_OF_ROOT);
	f = arena_copy(m->a, (struct spec_file){.next = m->r->spec.files, .text = text});
	f->path = str_fmt(m->a, "%.*s/.gitconfig", STR_ARG(m->r->spec.home));
	m->r->spec.files = f;
}

void spec_build_home(struct spec_builder *m, struct path_memo *memo)
{
	struct spec *s = &m->r->spec;
	enum path_kind kind;
	struct str real = m->at->home.n ? path_real(memo, m->at->home, &kind) : STR("");

	s->home = STR(EXEC_HOME);
	if (s->profile != PROFILE_WORK)
		return;
	if (real.n >= 2 && kind == PATH_DIR && !path_inside(real, s->workspace)) {
		s->home = real;
		show_identity(m, memo);
		if (!s->root.n)
			spec_add_toolchains(m, memo);
	}
	if (s->root.n)
		return; /* the host's programs are useless with another root */
	search_path_list(m, memo, true);
	if (str_eq(s->home, real))
		spec_build_caches(m, memo);
}
