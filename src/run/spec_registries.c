/*
 * Shows a box the person's settings of package managers (registry_settings.h): in the work profile, and only
 * those that name hosts which the box reaches.
 */
#include "knowledge/registry_rows.h"
#include "run/registry_settings.h"
#include "run/registry_tool.h"
#include "run/spec_builder.h"
#include "sys/file.h"

#define SETTINGS_MAX ((size_t)64 << 10) /* bytes of a settings file */

/* A file of a project is no setting of the person's, wherever a link to it lies. */
static bool is_persons(const struct spec_builder *m, struct str real, enum path_kind kind)
{
	return kind == PATH_FILE && !registry_foreign(m->world, real) &&
			!path_inside(real, m->r->spec.workspace);
}

/* `word` begins with "~/". */
static void show_file(struct spec_builder *m, struct path_memo *memo, struct str word, struct str lines)
{
	struct str at = str_cat(m->a, m->r->spec.home, str_from(word, 1)), text;
	enum path_kind kind;
	struct str real = path_real(memo, at, &kind);
	struct spec_file *f;

	if (!is_persons(m, real, kind) ||
			file_read(m->a, str_c(m->a, real), SETTINGS_MAX, &text, NULL, NULL) != 0 ||
			!registry_settings(m->a, text, lines, m->r->spec.network.rules, &text))
		return;
	f = arena_copy(m->a, (struct spec_file){.next = m->r->spec.files, .path = at, .text = text});
	m->r->spec.files = f;
}

/* A path that not every user of the machine can read may hold a secret. */
static bool is_public(struct arena *a, struct str real)
{
	struct stat st;

	return stat(str_c(a, real), &st) == 0 && (st.st_mode & S_IROTH) &&
			(S_ISREG(st.st_mode) || (S_ISDIR(st.st_mode) && (st.st_mode & S_IXOTH)));
}

static void show_system(struct spec_builder *m, struct path_memo *memo, struct str words)
{
	struct str word;

	while ((word = str_word(&words)).n) {
		enum path_kind kind;
		struct str real = path_real(memo, word, &kind);

		if (str_eq(real, word) && is_public(m->a, real))
			spec_add_path(m, real, real, false);
	}
}

int spec_build_registries(struct spec_builder *m, struct err *e)
{
	const struct spec *s = &m->r->spec;
	const struct registry_row *row;
	struct path_memo memo;
	enum path_kind kind;

	(void)e;
	if (s->profile != PROFILE_WORK || s->root.n || !network_has_names(&s->network))
		return 0;
	path_memo_init(&memo, m->a, STR(""));
	if (!m->at->home.n || !str_eq(path_real(&memo, m->at->home, &kind), s->home))
		return 0;
	for (size_t i = 0; (row = registry_at(i)); i++) {
		struct str words = registry_list(row, REGISTRY_SHOWN), word;

		while ((word = str_word(&words)).n)
			show_file(m, &memo, word, registry_list(row, REGISTRY_LINES));
		if (m->r->registry_tools >> i & 1)
			show_system(m, &memo, registry_list(row, REGISTRY_VISIBLE));
	}
	return 0;
}
