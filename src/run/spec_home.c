/*
 * The home in a box: the person's programs and libraries, read-only, their caches and git identity, and the
 * PATH for programs in them.
 */
#define _GNU_SOURCE
#include "run/git_identity.h"
#include "run/spec_builder.h"
#include "sys/git_view.h"

#define EXEC_HOME "/home/box"
#define PATH_ENTRIES 128 /* entries of the caller's PATH */

static const char program_dirs[][16] = {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin",
		"/bin"};

/*
 * Parts of a home with programs and libraries, but without credentials: ~/.cargo without credentials.toml,
 * ~/.local without the keyrings.
 */
static const char toolchains[][32] = {
	".nvm/versions", ".nvm/alias", ".nvm/nvm.sh", ".nvm/nvm-exec", ".cargo/bin", ".cargo/env",
	".cargo/registry", ".cargo/git", ".rustup/toolchains", ".rustup/settings.toml", ".pyenv/bin",
	".pyenv/libexec",
	".pyenv/plugins", ".pyenv/pyenv.d", ".pyenv/shims", ".pyenv/version", ".pyenv/versions", ".rbenv/bin",
	".rbenv/libexec", ".rbenv/shims", ".rbenv/version", ".rbenv/versions", ".local/bin", ".local/lib",
	".local/share/fnm/node-versions", ".local/share/mise/installs", ".local/share/mise/shims",
	".local/share/pipx/venvs", ".local/share/pnpm", ".local/share/uv/python", ".local/share/uv/tools",
	".local/share/virtualenvs", ".local/pipx/venvs", "go/bin", "go/pkg", ".go", ".bun/bin",
	".bun/install", ".deno/bin", ".volta/bin", ".volta/tools", ".asdf/bin", ".asdf/lib", ".asdf/installs",
	".asdf/plugins", ".asdf/shims",
	".asdf/asdf.sh", ".sdkman/bin", ".sdkman/candidates", ".jbang/bin", ".m2/repository", ".juliaup/bin",
	".ghcup/bin", ".ghcup/ghc", ".opam", ".dotnet", ".config/git/attributes", ".config/git/ignore",
	"miniconda3/bin", "miniconda3/envs", "miniconda3/lib", "miniforge3/bin", "miniforge3/envs",
	"miniforge3/lib", "anaconda3/bin", "anaconda3/envs", "anaconda3/lib",
};

/*
 * Skips paths with links, which could lead outside the toolchains. Most homes have few toolchains; rows with
 * a common top directory are skipped together if it is absent.
 */
void spec_add_toolchains(struct spec_builder *m, struct path_memo *memo)
{
	struct str absent = {0}; /* top directory */

	for (size_t i = 0; i < ARRAY_SIZE(toolchains); i++) {
		struct str name = str_path(m->a, m->r->spec.home, str_of(toolchains[i])), real;
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

static void show_identity(struct spec_builder *m, struct path_memo *memo)
{
	struct git_place place;
	bool repository = m->r->spec.workspace.n && git_place_find(memo, m->r->spec.workspace, &place);
	struct str text = git_identity(m->a, repository ? &place : NULL, m->r->spec.home);
	struct spec_file *f;

	if (!text.n)
		return;
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
	if (real.n < 2 || kind != PATH_DIR || path_inside(real, s->workspace))
		return;
	s->home = real;
	show_identity(m, memo);
	if (s->root.n)
		return; /* the host's programs are useless with another root */
	spec_add_toolchains(m, memo);
	spec_build_caches(m);
}

/* ---- PATH ---- */

/* Directories of the host that are visible in every box. */
static bool of_system(struct str dir)
{
	static const char seen[][8] = {"/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix"};

	for (size_t i = 0; i < ARRAY_SIZE(seen); i++)
		if (path_inside(dir, str_of(seen[i])))
			return true;
	return false;
}

static bool seen_in_box(const struct spec_builder *m, struct str dir)
{
	if (of_system(dir) || path_inside(dir, m->r->spec.workspace))
		return true;
	for (const struct spec_path *p = m->r->spec.paths; p; p = p->next)
		if (path_inside(dir, spec_path_target(p)) && !(p->at.n && p->writable))
			return true;
	return false;
}

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

static void put_callers(struct spec_builder *m, struct buf *b)
{
	struct str path = STR("");

	for (size_t i = 0; m->world->environ && m->world->environ[i]; i++)
		if (!strncmp(m->world->environ[i], "PATH=", 5))
			path = str_of(m->world->environ[i] + 5);
	for (size_t from = 0, n = 0; from < path.n && n < PATH_ENTRIES; n++) {
		ptrdiff_t end = str_find(path, ':', from);
		struct str dir = str_sub(path, from, end < 0 ? path.n : (size_t)end);

		if (str_starts(dir, "/") && !str_contains(dir, STR("..")) && seen_in_box(m, dir))
			put_entry(b, dir);
		from += dir.n + 1;
	}
}

struct str spec_search_path(struct spec_builder *m, bool callers)
{
	struct buf b;

	buf_init(&b, m->a, 0);
	if (callers && !m->r->spec.root.n)
		put_callers(m, &b);
	for (size_t i = 0; i < ARRAY_SIZE(program_dirs); i++)
		put_entry(&b, str_of(program_dirs[i]));
	return buf_view(&b);
}
