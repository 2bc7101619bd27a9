/*
 * The world as the judge may know it: fills the view before the first round and answers questions between
 * rounds. Nothing here fails: what cannot be found out stays empty or unknown. Memory is the arena's, so both
 * are called under an arena_run.
 */
#pragma once
#include "judge/engine.h"
#include "sys/path.h"
#include "sys/project.h"

/* paths and patterns of one request; questions beyond them stay without an answer */
#define WORLD_ANSWERS_MAX 4096
#define WORLD_ROOTS_MAX 64     /* writable roots of a policy */

/* `paths_end` and `globs_end` point into *ret: a view is not copied. `memo` keeps the directories seen. */
void world_view(struct arena *a, const struct session *at, const struct policy *p, struct view *ret);
/*
 * The same for a request about the same place, of which `known` tells already: only what depends on the
 * policy is looked at, and without a policy nothing is.
 */
void world_again(struct arena *a, const struct view *known, const struct policy *p, struct view *ret);
/*
 * Is this resolved path, or something above or below it, a place of keys, or of settings that programs obey
 * (~/.ssh, ~/.config, .git, .claude)? The pattern that says so, or NULL. No box may write there, so it is
 * no project and no workspace either.
 */
const char *world_guarded(struct path_memo *m, struct str real, struct str home);
/*
 * Notes a directory that boxes may write in the state (made and checked): a repository's root, so that it
 * stays one whatever a box does to it, or else a place where links may be the work of a box.
 */
int world_remember(struct arena *a, const struct view *v, struct str state, struct str dir, struct err *e);
/* Context of a search for a project. */
struct project_look world_look(struct path_memo *m, const struct view *v);
/*
 * Appends the answers to these questions. Returns how many are new: a judge that asks and gets 0 must do
 * without.
 */
size_t world_answer(struct arena *a, struct view *v, const struct question *q);
