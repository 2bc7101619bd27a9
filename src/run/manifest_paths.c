/*
 * See manifest_paths.h. Manifests have many languages, and in all of them a path that leaves the project
 * starts with "../" as a word of its own, so none of them is parsed: path = "../b", "file:../b",
 * replace x => ../b, -e ../b, includeBuild("../b"), add_subdirectory(../b).
 */
#include "run/manifest_paths.h"

#include "gate/judge.h"
#include "sys/file.h"
#include "sys/path.h"

#define MANIFEST_BYTES ((size_t)256 << 10)
#define DIRS_MAX 8    /* directories with manifests */
#define PATHS_MAX 64

static const char manifests[][24] = {
	"CMakeLists.txt", "Cargo.toml", "Gemfile", "Makefile", "Package.swift", "Pipfile", "build.gradle",
	"build.gradle.kts", "composer.json", "go.mod", "go.work", "lerna.json", "meson.build", "mix.exs",
	"package.json", "pnpm-workspace.yaml", "pom.xml", "pubspec.yaml", "pyproject.toml",
	"requirements-dev.txt", "requirements.txt", "setup.py", "settings.gradle", "settings.gradle.kts",
	"tsconfig.base.json", "tsconfig.json",
};

bool manifest_name(struct str base)
{
	return STR_INDEX(manifests, base) >= 0;
}

struct manifest_search {
	struct arena *a;
	struct str workspace;
	struct texts *found, **end;
	size_t n;
};

static bool is_part(char c) { return ascii_is_alnum_or(c, "_-./@+"); }

static void add_path(struct manifest_search *s, struct str path)
{
	if (s->n == PATHS_MAX || path_inside(path, s->workspace) || path_inside(s->workspace, path))
		return;
	if (texts_have(s->found, path))
		return;
	s->end = texts_add(s->a, s->end, path);
	s->n++;
}

static void read_manifest(struct manifest_search *s, struct str dir, struct str text)
{
	for (size_t i = 0; i + 3 <= text.n; i++) {
		size_t to = i;

		if (memcmp(text.p + i, "../", 3) != 0 || (i && is_part(text.p[i - 1])))
			continue;
		while (to < text.n && is_part(text.p[to]))
			to++;
		add_path(s, path_plain(s->a, str_path(s->a, dir, str_sub(text, i, to))));
		i = to;
	}
}

/* A link could lead out of the project. */
static void read_file_of(struct manifest_search *s, struct path_memo *memo, struct str file, struct str dir)
{
	enum path_kind kind;
	struct str text;

	if (str_eq(path_real(memo, file, &kind), file) && kind == PATH_FILE &&
			file_read(s->a, str_c(s->a, file), MANIFEST_BYTES, &text, NULL, NULL) == 0)
		read_manifest(s, dir, text);
}

struct texts *manifest_paths(struct arena *a, struct str workspace, struct str dir)
{
	struct manifest_search s = {.a = a, .workspace = workspace};
	struct path_memo memo;

	s.end = &s.found;
	path_memo_init(&memo, a, STR(""));
	for (size_t n = 0; n < DIRS_MAX && path_inside(dir, workspace); n++, dir = path_parent(dir))
		for (size_t i = 0; i < ARRAY_SIZE(manifests); i++)
			read_file_of(&s, &memo, str_path(a, dir, str_of(manifests[i])), dir);
	return s.found;
}

struct texts *manifest_paths_of(struct arena *a, struct str workspace, struct str file, struct str dir)
{
	struct manifest_search s = {.a = a, .workspace = workspace};
	struct path_memo memo;

	s.end = &s.found;
	path_memo_init(&memo, a, STR(""));
	if (path_inside(file, workspace))
		read_file_of(&s, &memo, file, dir);
	return s.found;
}
