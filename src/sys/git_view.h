/*
 * The programs that a repository makes git run: its hooks, and the programs named by settings. Found by
 * reading files only: git is not started, since it would obey those settings.
 *
 * Settings come from the files of the system, of the person and of the repository, in git's order and with
 * their includes. An `includeIf` counts if its `gitdir` condition holds; other conditions count as true.
 */
#pragma once
#include "sys/git_config.h"
#include "sys/path.h"

struct git_place {         /* a repository, resolved */
	struct str top;    /* the working tree; empty: none is known */
	struct str dir;    /* the git directory */
	struct str common; /* where its configuration, hooks, objects and refs are: the same, but for a linked
			      worktree */
};

/* The repository that git finds from this directory upwards. False: none. */
bool git_place_find(struct path_memo *m, struct str dir, struct git_place *ret);

/* Are its directories the caller's own? */
bool git_place_owned(struct path_memo *m, const struct git_place *p);
/*
 * Is its working tree a linked worktree, by what both sides say? A program in a box writes only one of them.
 * The repository must be the caller's own.
 */
bool git_place_linked(struct path_memo *m, const struct git_place *p);

enum git_scope { GIT_SCOPE_SYSTEM, GIT_SCOPE_PERSON, GIT_SCOPE_REPOSITORY };
struct git_file { /* of configuration outside of any repository */
	struct git_file *next;
	struct str path;
	enum git_scope scope;
};
/* The files where git looks, whether they exist or not: those that the environment names as well. In git's
 * order. */
struct git_file *git_config_files(struct arena *a, struct str home);

typedef void git_scoped_fn(void *ctx, const struct git_setting *s, enum git_scope scope);
/*
 * Calls fn for each setting that holds in the repository (NULL: in none); a later one replaces an earlier one
 * of the same name. False: there is something in the repository's own configuration that is not understood or
 * cannot be read.
 */
bool git_settings_each(
	struct arena *a, const struct git_place *place, struct str home, git_scoped_fn *fn, void *ctx);

/* Answers which hooks and programs of the project git would run in `dir`. `next` is left NULL. */
void git_look(struct path_memo *m, struct str dir, struct str home, struct git_answer *ret);
