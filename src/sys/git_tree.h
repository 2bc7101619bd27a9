/*
 * Predicts the paths that a git command will change in a working tree: answers QUESTION_TREE for the view.
 *
 * A git child with a fixed environment reads the objects (`git diff-tree` and other plumbing), so Caisson
 * needs no reader for packs with deltas and zlib. The child obeys nothing that the repository configures:
 * - It finds no configuration but the repository's own. Command-line overrides replace each setting that
 *   could start a program in these commands.
 * - Comparing two trees runs no hook, filter, textconv, pager, editor or fsmonitor, and does not read the
 *   index.
 * - If a tree is compared with files (git stash), the repository must have no filters.
 * - A missing object is an error and is not fetched: no transport is allowed, and partial clones are refused.
 * - The caller must own the git directory, as git itself demands.
 *
 * The answer is unknown after an error or when a bound is exceeded.
 */
#pragma once
#include "sys/path.h"

#define GIT_TREE_REVS_MAX 16

/* Answers the question in `asked`; *ret holds question and answer. `next` stays NULL. */
void git_tree_look(struct path_memo *m, const struct tree_answer *asked, struct tree_answer *ret);
