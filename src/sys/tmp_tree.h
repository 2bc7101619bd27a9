/* Lists files of the caller's own in the host's /tmp. */
#pragma once
#include "base/str.h"
#include "model/policy.h"

#define TMP_TREE_MAX 32   /* names */
#define TMP_TREE_DEPTH 16

/*
 * Adds a path and all names below it to the list, and their number to *n. False: more than TMP_TREE_MAX, or
 * one of them is neither a directory of `uid` that nobody else can write nor a regular file of theirs with
 * one name. Follows no link and opens only directories.
 */
bool tmp_tree(struct arena *a, struct str path, uint32_t uid, struct texts **list, size_t *n);
