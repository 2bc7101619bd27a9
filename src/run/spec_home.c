/*
 * The home in a box: the person's programs and libraries, read-only, their caches and git identity.
 */
#define _GNU_SOURCE
#include "knowledge/toolchain_rows.h"
#include "run/git_identity.h"
#include "run/search_path.h"
#include "sys/git_view.h"

#define EXEC_HOME "/home/box"

/*
 * Skips paths with links, which could lead outside the toolchains. Most homes have few toolchains; rows with
 * a common top directory are skipped together if it is absent.
 */
void spec_add_toolchains(struct spec_builder *m, struct path_memo *memo)
{
	struct str absent = {0}; /* top directory */

	for (size_t i = 0; toolchain_home(i).n; i++) {
		struct str name = str_path(m->a, m->r->spec.home, toolchain_home(i)), real;
		ptrdiff_t end = str_find(name, '/', m->r->spec.home.n + 1);
		struct str top = str_sub(name, 0, end < 0 ? name.n : (size_t)end);
		enum path_kind kind;

		if (str_eq(top, absent))
			continue;
		(void)path_real(memo, top, &kind);
		if (kind == PATH_ABSENT) {
			absent = top;
			continue;
		}
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
