/* Names that stay as they are in a writable workspace. docs/protected-paths.md lists them; the gate's table is the wider one, for text. */
#include "box/protect_inner.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static const struct protect_name names[] = {
	/* start files of shells: a workspace is never a home, but it may be where a person keeps the files that the home links to */
	{".bashrc", NAME_MASK, NULL}, {".bash_profile", NAME_MASK, NULL}, {".zshrc", NAME_MASK, NULL}, {".zprofile", NAME_MASK, NULL}, {".profile", NAME_MASK, NULL},
	{".bash_login", NAME_MOVE, NULL}, {".bash_logout", NAME_MOVE, NULL}, {".bash_aliases", NAME_MOVE, NULL}, {".zshenv", NAME_MOVE, NULL},
	{".zlogin", NAME_MOVE, NULL}, {".zlogout", NAME_MOVE, NULL}, {".inputrc", NAME_MOVE, NULL}, {".screenrc", NAME_MOVE, NULL}, {".tmux.conf", NAME_MOVE, NULL},
	/* tools that run what their file says; those that make such files in the course of ordinary work are not masked */
	{".gitconfig", NAME_MASK, NULL}, {".gitmodules", NAME_MASK, NULL}, {".ripgreprc", NAME_MASK, NULL},
	{".envrc", 0, NULL}, {".npmrc", 0, NULL}, {".yarnrc", 0, NULL}, {".yarnrc.yml", 0, NULL}, {".pypirc", 0, NULL}, {".pre-commit-config.yaml", 0, NULL},
	{".vimrc", NAME_MOVE, NULL}, {".nvimrc", NAME_MOVE, NULL}, {".exrc", NAME_MOVE, NULL}, {".gdbinit", NAME_MOVE, NULL}, {".lldbinit", NAME_MOVE, NULL},
	{".wgetrc", NAME_MOVE, NULL}, {".curlrc", NAME_MOVE, NULL},
	/* hooks that a repository's configuration may point to */
	{".husky", NAME_NESTED, NULL}, {".githooks", NAME_NESTED, NULL},
	/* editors: tasks, launch configurations, interpreters */
	{".vscode", NAME_MASK | NAME_NESTED, NULL}, {".idea", NAME_MASK | NAME_NESTED, NULL}, {".devcontainer", NAME_NESTED, NULL}, {".devcontainer.json", 0, NULL},
	/* agent clients: hooks, permissions, servers to start; masked where a running client takes up what appears */
	{".claude", NAME_MASK | NAME_NESTED, NULL}, {".mcp.json", NAME_MASK | NAME_NESTED, NULL}, {".claude.json", NAME_MASK, NULL},
	{".codex", NAME_MOVE | NAME_NESTED, NULL}, {".gemini", NAME_MOVE | NAME_NESTED, NULL}, {".qwen", NAME_MOVE | NAME_NESTED, NULL},
	{".cursor", NAME_MASK | NAME_NESTED, NULL}, {".opencode", NAME_MOVE | NAME_NESTED, NULL}, {".windsurf", NAME_MOVE | NAME_NESTED, NULL},
	{".github/hooks", NAME_MASK | NAME_MOVE, NULL}, {".aider.conf.yml", NAME_MOVE, NULL}, {"opencode.json", NAME_MOVE, NULL}, {"opencode.jsonc", NAME_MOVE, NULL},
	/* caisson's own; not masked: a hook that judges while a box runs would read the placeholder as a policy that does not load */
	{".caisson.yaml", NAME_MOVE, NULL},
};

/*
 * In a repository. What git runs is named by its configuration or lies in hooks; commondir moves both elsewhere. An empty configuration
 * is none, and a commondir that says "." changes nothing, while git stops at one that is empty or a directory.
 */
static const struct protect_name gitdir[] = {
	{"hooks", NAME_MASK, NULL}, {"config", NAME_MASK_FILE, NULL}, {"config.worktree", NAME_MASK_FILE, NULL}, {"commondir", NAME_MASK_FILE, ".\n"},
};

/* In .git/worktrees/NAME, which shares configuration and hooks with the repository. */
static const struct protect_name worktree_gitdir[] = {{"config.worktree", NAME_MASK_FILE, NULL}, {"commondir", NAME_MOVE, NULL}};

struct texts *protect_names(struct arena *a)
{
	struct texts *first = NULL, **end = &first;

	for (size_t i = 0; i < COUNT(names); i++) {
		*end = arena_new(a, struct texts);
		(*end)->text = str_of(names[i].path);
		end = &(*end)->next;
	}
	return first;
}

const struct protect_name *protect_name_find(struct str path)
{
	for (size_t i = 0; i < COUNT(names); i++)
		if (str_is(path, names[i].path))
			return &names[i];
	return NULL;
}

const struct protect_name *gitdir_names(bool worktree, size_t *ret_n)
{
	*ret_n = worktree ? COUNT(worktree_gitdir) : COUNT(gitdir);
	return worktree ? worktree_gitdir : gitdir;
}

bool gitdir_name(const char *name)
{
	for (size_t i = 0; i < COUNT(gitdir); i++)
		if (!strcmp(gitdir[i].path, name))
			return true;
	return false;
}

bool heavy_name(const char *name)
{
	static const char heavy[][16] = {"node_modules", "target", "vendor", "venv", ".venv", "__pycache__", ".tox", ".cache", "dist", "build", ".next", ".gradle"};

	for (size_t i = 0; i < COUNT(heavy); i++)
		if (!strcmp(heavy[i], name))
			return true;
	return false;
}
