/*
 * Names that stay as they are in a writable workspace. docs/protected-paths.md lists them; the gate's table
 * is the wider one, for text.
 */
#include <strings.h>

#include "box/protect_inner.h"

static const struct protect_name names[] = {
	/*
	 * start files of shells: a workspace is never a home, but it may be where a person keeps the files
	 * that the home links to
	 */
	{".bashrc", NAME_MASK | NAME_SOCKET, ""},
	{".bash_profile", NAME_MASK | NAME_SOCKET, ""},
	{".zshrc", NAME_MASK | NAME_SOCKET, ""},
	{".zprofile", NAME_MASK | NAME_SOCKET, ""},
	{".profile", NAME_MASK | NAME_SOCKET, ""},
	{".bash_login", NAME_MOVE, ""},
	{".bash_logout", NAME_MOVE, ""},
	{".bash_aliases", NAME_MOVE, ""},
	{".zshenv", NAME_MOVE, ""},
	{".zlogin", NAME_MOVE, ""},
	{".zlogout", NAME_MOVE, ""},
	{".inputrc", NAME_MOVE, ""},
	{".screenrc", NAME_MOVE, ""},
	{".tmux.conf", NAME_MOVE, ""},
	/*
	 * tools that run what their file says; those that make such files in the course of ordinary work are
	 * not masked
	 */
	{".gitconfig", NAME_MASK | NAME_SOCKET, ""},
	{".gitmodules", NAME_MASK | NAME_SOCKET, ""},
	{".ripgreprc", NAME_MASK | NAME_SOCKET, ""},
	{".lfsconfig", NAME_MOVE, ""},
	{".envrc", NAME_MOVE | NAME_NESTED, ""},
	{".pnpmfile.cjs", NAME_MOVE | NAME_NESTED, ""},
	{".nvim.lua", NAME_MOVE | NAME_NESTED, ""},
	{".hg/hgrc", NAME_MOVE | NAME_NESTED, ""},
	/* files that branches change in ordinary work */
	{".npmrc", NAME_REPORT, ""},
	{".yarnrc", NAME_REPORT, ""},
	{".yarnrc.yml", NAME_REPORT, ""},
	{".pypirc", NAME_REPORT, ""},
	{".pre-commit-config.yaml", NAME_REPORT, ""},
	{".yarn/releases", NAME_REPORT, ""},
	{"mise.toml", NAME_REPORT, ""},
	{".mise.toml", NAME_REPORT, ""},
	{".cargo/config.toml", NAME_REPORT, ""},
	{".vimrc", NAME_MOVE, ""},
	{".nvimrc", NAME_MOVE, ""},
	{".exrc", NAME_MOVE, ""},
	{".gdbinit", NAME_MOVE, ""},
	{".lldbinit", NAME_MOVE, ""},
	{".wgetrc", NAME_MOVE, ""},
	{".curlrc", NAME_MOVE, ""},
	/* hooks that a repository's configuration may point to */
	{".husky", NAME_NESTED, ""},
	{".githooks", NAME_NESTED, ""},
	/* editors: tasks, launch configurations, interpreters */
	{".vscode", NAME_MASK | NAME_NESTED, ""},
	{".idea", NAME_MASK | NAME_NESTED, ""},
	{".devcontainer", NAME_NESTED, ""},
	{".devcontainer.json", NAME_REPORT, ""},
	{".zed", NAME_MOVE | NAME_NESTED, ""},
	/*
	 * agent clients: hooks, permissions, servers to start; masked where a running client takes up what
	 * appears
	 */
	{".claude", NAME_MASK | NAME_NESTED, ""},
	{".mcp.json", NAME_MASK | NAME_SOCKET | NAME_NESTED, ""},
	{".claude.json", NAME_MASK | NAME_SOCKET, ""},
	{".codex", NAME_MOVE | NAME_NESTED, ""},
	{".gemini", NAME_MOVE | NAME_NESTED, ""},
	{".qwen", NAME_MOVE | NAME_NESTED, ""},
	{".cursor", NAME_MASK | NAME_NESTED, ""},
	{".opencode", NAME_MOVE | NAME_NESTED, ""},
	{".windsurf", NAME_MOVE | NAME_NESTED, ""},
	{".agents", NAME_MOVE | NAME_NESTED, ""},
	{"CLAUDE.md", NAME_REPORT | NAME_NESTED, ""},
	{"AGENTS.md", NAME_REPORT | NAME_NESTED, ""},
	{"GEMINI.md", NAME_REPORT | NAME_NESTED, ""},
	{".github/hooks", NAME_MASK | NAME_MOVE, ""},
	{".aider.conf.yml", NAME_MOVE, ""},
	{"opencode.json", NAME_MOVE, ""},
	{"opencode.jsonc", NAME_MOVE, ""},
	/*
	 * caisson's own; not masked: a hook that judges while a box runs would read the placeholder as a
	 * policy that does not load
	 */
	{".caisson.yaml", NAME_MOVE, ""},
};

/*
 * Names protected in a repository. Git runs programs named by its configuration, and files in hooks;
 * commondir moves both elsewhere. An empty configuration sets nothing, and a commondir of "." changes
 * nothing, while git stops at an empty one or at a directory.
 */
static const struct protect_name gitdir[] = {
	{"hooks", NAME_MASK, ""},
	{"config", NAME_MASK_FILE | NAME_PRIVATE, ""},
	{"config.worktree", NAME_MASK_FILE | NAME_PRIVATE, ""},
	{"commondir", NAME_MASK_FILE, ".\n"},
	/* says which directories of the host the next box may read */
	{"objects/info/alternates", NAME_MOVE, ""},
};

/* In .git/worktrees/NAME, which shares configuration and hooks with the repository. */
static const struct protect_name worktree_gitdir[] = {
	{"config.worktree", NAME_MASK_FILE | NAME_PRIVATE, ""}, {"commondir", NAME_MOVE, ""}};

struct texts *protect_names(struct arena *a)
{
	struct texts *first = NULL, **end = &first;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		end = texts_add(a, end, str_of(names[i].path));
	return first;
}

const struct protect_name *protect_name_find(struct str path)
{
	ptrdiff_t at = STR_ROW(names, path, path);

	return at < 0 ? NULL : &names[at];
}

const struct protect_name *gitdir_names(bool worktree, size_t *ret_n)
{
	*ret_n = worktree ? ARRAY_SIZE(worktree_gitdir) : ARRAY_SIZE(gitdir);
	return worktree ? worktree_gitdir : gitdir;
}

bool gitdir_name(const char *name)
{
	return STR_ROW(gitdir, path, str_of(name)) >= 0;
}

const struct protect_name *protect_nested_find(const char *parent, const char *name)
{
	static const struct protect_name workspace_file = {"*.code-workspace", NAME_MOVE | NAME_NESTED, ""};
	const size_t n = strlen(name);

	if (n > 15 && !strcmp(name + n - 15, ".code-workspace"))
		return &workspace_file;
	if (!strcmp(name, "hgrc") && !strcmp(parent, ".hg"))
		return protect_name_find(STR(".hg/hgrc"));
	if (name[0] != '.' && (n < 9 || strcmp(name + n - 3, ".md") != 0)) /* nearly every name */
		return NULL;
	const struct protect_name *row = protect_name_find(str_of(name));
	return row && row->flags & NAME_NESTED ? row : NULL;
}

bool heavy_name(const char *name)
{
	return str_is_any(str_of(name),
			"node_modules target vendor venv .venv __pycache__ .tox .cache dist build .next "
			".gradle");
}

/*
 * Length in bytes of an ignorable character: case-folding file systems compare names without them. 0: this is
 * another one.
 */
static size_t ignorable(const unsigned char *c)
{
	if (c[0] == 0xc2 && c[1] == 0xad) /* U+00AD */
		return 2;
	if (c[0] == 0xcd && c[1] == 0x8f) /* U+034F */
		return 2;
	if (c[0] == 0xe2 && c[1] == 0x80) /* U+200B to 200F, U+202A to 202E */
		return (c[2] >= 0x8b && c[2] <= 0x8f) || (c[2] >= 0xaa && c[2] <= 0xae) ? 3 : 0;
	if (c[0] == 0xe2 && c[1] == 0x81) /* U+2060 to 206F */
		return c[2] >= 0xa0 && c[2] <= 0xaf ? 3 : 0;
	if (c[0] == 0xe1 && c[1] == 0xa0) /* U+180B to 180F */
		return c[2] >= 0x8b && c[2] <= 0x8f ? 3 : 0;
	if (c[0] == 0xef && c[1] == 0xb8) /* U+FE00 to FE0F */
		return c[2] >= 0x80 && c[2] <= 0x8f ? 3 : 0;
	return c[0] == 0xef && c[1] == 0xbb && c[2] == 0xbf ? 3 : 0; /* U+FEFF */
}

bool dotgit_name(const char *name)
{
	const unsigned char *c = (const unsigned char *)name;
	char plain[8];
	size_t n = 0;

	if (!strcmp(name, ".git"))
		return true;
	if (c[0] != '.' && c[0] != 'g' && c[0] != 'G' && c[0] < 0x80) /* nearly every name */
		return false;
	while (*c && n < sizeof plain - 1) {
		size_t skip = ignorable(c);

		if (!skip)
			plain[n++] = (char)*c;
		c += skip ? skip : 1;
	}
	plain[n] = 0;
	if (*c)
		return false;
	/* Windows' file systems drop these at the end. */
	while (n && (plain[n - 1] == ' ' || (plain[n - 1] == '.' && n > 1)))
		plain[--n] = 0;
	return !strcasecmp(plain, ".git") || !strcasecmp(plain, "git~1");
}
