/*
 * The world as the judge may know it. world_view() fills the view before the first round; world_answer()
 * answers questions between rounds. Nothing here fails: a value that cannot be determined stays empty or
 * unknown. Both allocate from the arena, so call them inside an arena_run().
 */
#pragma once
#include "judge/engine.h"
#include "sys/path.h"
#include "sys/project.h"

/* total cost of one request's answers; further questions stay open */
#define WORLD_ANSWERS_MAX 4096
#define WORLD_ROOTS_MAX 64     /* writable roots of a policy */

/*
 * Fills *ret. `paths_end` and `globs_end` point into *ret, so a view must not be copied. `memo` caches the
 * directories seen.
 */
void world_view(struct arena *a, const struct context *at, const struct policy *p, struct view *ret);
/* Fills in only the user, the home and Caisson's own directories; the rest of *ret is untouched. */
void world_user(struct arena *a, const struct context *at, struct view *ret);
/* Returns the project that a view of `at` would have, for the user and the remembered roots of `known`. */
struct str world_project(struct arena *a, const struct view *known, const struct context *at);
/*
 * Fills *ret from `known`, the view of an earlier request about the same place. Looks only at what depends on
 * the policy; without a policy it looks at nothing.
 */
void world_again(struct arena *a, const struct view *known, const struct policy *p, struct view *ret);
/*
 * Returns the pattern by which this resolved path, or a path above or below it, holds keys or settings that
 * programs obey (~/.ssh, ~/.config, .git, .claude); else NULL. No box may write there, so it is no project or
 * workspace either.
 */
const char *world_guarded(struct path_memo *m, struct str real, struct str home);
/* Returns the pattern by which it holds keys or other secrets; else NULL. */
const char *world_keys(struct path_memo *m, struct str real, struct str home);
/*
 * Makes a path of a policy absolute: "~" and "~/x" start at the home, ".", "x" and "../x" at the project.
 * Returns empty for anything else, such as another user's home.
 */
struct str world_expand(struct arena *a, const struct view *v, struct str text);
/*
 * Records in `state` (an existing, checked directory) that boxes may write to `dir`. A repository's root is
 * recorded as a root, so that it stays one whatever a box does to it. Any other directory is a workspace,
 * where links may be the work of a box.
 */
int world_remember(struct arena *a, const struct view *v, struct str state, struct str dir, struct err *e);
/* Returns the context for a project search. */
struct project_look world_look(struct path_memo *m, const struct view *v);
/*
 * Appends the answers to these questions and returns the cost of the new ones. On 0 the judge must decide
 * without answers.
 */
size_t world_answer(struct arena *a, struct view *v, const struct question *q);
