/*
 * Which names a change of git's makes in a working tree, found in advance: the view's answer to
 * QUESTION_TREE.
 *
 * Git itself reads the objects (`git diff-tree` and other plumbing), as a child with a fixed environment.
 * Packs with deltas and zlib would otherwise have to be read here. The child obeys nothing that the
 * repository configures:
 *
 *   - it finds no configuration but the repository's own, and each setting that could start something in
 *     these commands is overridden
 *   - no hook, filter, textconv, pager, editor or fsmonitor takes part in comparing two trees, and the index
 *     is not read
 *   - where a tree is compared with files (git stash), the repository must have no filters
 *   - a missing object is an error and is not fetched: no transport is allowed, and a partial clone is not
 *     asked about at all
 *   - the git directory must be the caller's own, as git itself wants it
 *
 * A bound or an error makes the answer unknown.
 */
#pragma once
#include "sys/path.h"

#define GIT_TREE_REVS_MAX 16

/* `asked` has the question; *ret gets it with the answer. `next` is left NULL. */
void git_tree_look(struct path_memo *m, const struct tree_answer *asked, struct tree_answer *ret);
