/*
 * The request's own changes to the file system, as its later commands see them. The answers say what MAY
 * exist: everything on the disk stays possible, changes are added, nothing is taken away. A change counts for
 * commands that may run after it (moment_precedes()).
 */
#pragma once
#include "gate/judge.h"

/* trees and patterns that are tracked; past it any name may appear anywhere */
#define OVERLAY_WIDE_MAX 512
#define OVERLAY_LOOKS_MAX 20000 /* copy look-ups per judgement; past it any path may have been copied */
#define OVERLAY_COPIES_DEEP 8   /* depth of copies of copies */

/* Builds the overlay. Call it once per judgement, before any other function here. */
void overlay_build(struct judge *j);
/*
 * True if the request may have put something at this path (absolute, normalized) before `use`. Copies are
 * looked up at their source, so this may ask the world. git's own work in its work tree does not count at the
 * top of the tree, because the repository already exists there.
 */
bool overlay_exists(struct judge *j, struct str path, struct moment use);
/*
 * Returns the change that may have put a link of unknown name at this path, or at a directory on the way to
 * it; else NULL.
 */
const struct access *overlay_tree(struct judge *j, struct str path, struct moment use);
/* ... or anywhere below this directory. */
const struct access *overlay_tree_below(struct judge *j, struct str dir, struct moment use);
/*
 * True if the command of this change runs in the box anyway (archive-extract), and the whole request with it.
 */
bool overlay_contained(struct judge *j, const struct access *tree);
/*
 * Returns the change that may have replaced a directory on the way to this path by a link or, with `follow`,
 * the path itself; else NULL.
 */
const struct access *overlay_link(struct judge *j, struct str path, bool follow, struct moment use);
/* True if the request may have deleted or moved this path, or a directory above it. */
bool overlay_removed(struct judge *j, struct str path, struct moment use);
/* Returns the change by which git made a repository, with a .git directory, exactly here; else NULL. */
const struct access *overlay_repository(struct judge *j, struct str dir, struct moment use);
/*
 * True if this lies in a work tree that git creates and fills in this request. Its hooks may be among the
 * files.
 */
bool overlay_checked_out(struct judge *j, struct str path, struct moment use);
/* True if git makes exactly this directory a git directory, under another name than .git. */
bool overlay_git_dir(struct judge *j, struct str path, struct moment use);
/*
 * True for a protected file of a git directory that has another name than .git, and that the request made or
 * moved.
 */
bool overlay_in_git_dir(struct judge *j, struct str path, struct moment use);
/*
 * True if the request may have put a name into this directory that starts with a dash and that the pattern
 * may match. Copied names are looked up at their source, so this may ask the world.
 */
bool overlay_option_name(struct judge *j, struct str dir, struct str pattern, struct moment use);
