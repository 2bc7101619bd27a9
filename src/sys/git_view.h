/*
 * Finds the programs that a repository makes git run: its hooks, and programs named by settings. Only reads
 * files: git itself would obey those settings.
 *
 * Settings come from the files of the system, the user and the repository, in git's order and with their
 * includes. An `includeIf` counts if its `gitdir` condition holds; other conditions count as true.
 */
#pragma once
#include "sys/git_config.h"
#include "sys/path.h"

struct git_place {         /* a resolved repository */
	struct str top;    /* working tree; empty if unknown */
	struct str dir;    /* git directory */
	struct str common; /* holds configuration, hooks, objects, refs; not `dir` in a linked worktree */
};

/* Finds the repository like git, from this directory upwards. False if there is none. */
bool git_place_find(struct path_memo *m, struct str dir, struct git_place *ret);

/* True if the caller owns its directories. */
bool git_place_owned(struct path_memo *m, const struct git_place *p);
/*
 * True if it is a linked worktree of a repository that the caller owns, and both sides point at each other. A
 * program in a box can write only one side.
 */
bool git_place_linked(struct path_memo *m, const struct git_place *p);

/* The same for a submodule: its repository lies in .git/modules of another, and names this working tree. */
bool git_place_submodule(struct path_memo *m, const struct git_place *p);

enum git_scope { GIT_SCOPE_SYSTEM, GIT_SCOPE_PERSON, GIT_SCOPE_REPOSITORY };
struct git_file { /* a configuration file outside any repository */
	struct git_file *next;
	struct str path;
	enum git_scope scope;
};
/*
 * Lists the files that git reads, existing or not, in git's order. Includes the files named by the
 * environment.
 */
struct git_file *git_config_files(struct arena *a, struct str home);

typedef void git_scoped_fn(void *ctx, const struct git_setting *s, enum git_scope scope);
/*
 * Calls fn for each effective setting of the repository (NULL: outside any). A later setting replaces an
 * earlier one of the same name. `stamps` keeps the files, or is NULL. False if the repository's own
 * configuration is unreadable or not understood.
 */
bool git_settings_each(struct arena *a, struct stamp_cache *stamps, const struct git_place *place,
	struct str home, git_scoped_fn *fn, void *ctx);

/* Finds the hooks and programs of the project that git would run in `dir`. `next` stays NULL. */
void git_look(struct path_memo *m, struct str dir, struct str home, struct git_answer *ret);
