/*
 * The request's own changes to the file system, as its later commands see them. The answers say what MAY be:
 * the content of the disk stays possible, changes are added, nothing is taken away. A change counts for
 * commands that may come after it (moment_precedes()).
 */
#pragma once
#include "gate/judge.h"

/* trees and patterns that are followed; past it any name may appear anywhere */
#define OVERLAY_WIDE_MAX 512
#define OVERLAY_LOOKS_MAX 20000 /* copies that are looked at in one judgement; past it any may be asked for */
#define OVERLAY_COPIES_DEEP 8   /* copies of copies */

/* Once for each judgement, before anything else here. */
void overlay_build(struct judge *j);
/*
 * May there be something at this path, an absolute one in plain form, that the request put there before
 * `use`? Copies are looked up where they come from, so this may ask for answers of the world. git's own work
 * on its work tree does not count right at the top of the tree: the repository is there already.
 */
bool overlay_exists(struct judge *j, struct str path, struct moment use);
/* The change that may have put a link of unknown name at this path, or on the way to it; NULL: none. */
const struct access *overlay_tree(struct judge *j, struct str path, struct moment use);
/* ... or somewhere below this directory. */
const struct access *overlay_tree_below(struct judge *j, struct str dir, struct moment use);
/* Does the command of this change run in the box anyway (archive-extract), and the whole request with it? */
bool overlay_contained(struct judge *j, const struct access *tree);
/*
 * The change that may have made a directory on the way to this path a link or, with `follow`, the path
 * itself; NULL: none.
 */
const struct access *overlay_link(struct judge *j, struct str path, bool follow, struct moment use);
/* May the request have deleted or moved this path, or a directory above it? */
bool overlay_removed(struct judge *j, struct str path, struct moment use);
/* The change by which git made a repository, with a directory .git, right here; NULL: none. */
const struct access *overlay_repository(struct judge *j, struct str dir, struct moment use);
/* Is this in a work tree that git makes in this request, and fills? Its hooks may be among the files. */
bool overlay_checked_out(struct judge *j, struct str path, struct moment use);
/* Does git make this very directory a git directory, under another name than .git? */
bool overlay_git_dir(struct judge *j, struct str path, struct moment use);
/*
 * Is this a protected file of a git directory that has another name than .git, and that the request made or
 * moved?
 */
bool overlay_in_git_dir(struct judge *j, struct str path, struct moment use);
/*
 * True if the request may have put a name that starts with a dash, and that the pattern matches, into this
 * directory. Copied names are looked up at their source, so this may ask the world.
 */
bool overlay_option_name(struct judge *j, struct str dir, struct str pattern, struct moment use);
/* Does this access read or delete what that write, of the same command, copies or links? */
bool overlay_source(const struct access *from, const struct access *to);
