/*
 * Resolves paths in the real file system: the answers of model/view.h.
 *
 * Links are followed here, one component at a time, by statx and readlink and never by opening: nothing
 * blocks, nothing is mounted, no time stamp changes. At most PATH_LINKS_MAX links and PATH_MAX bytes, like
 * the kernel.
 *
 * If a path does not exist, its missing names are kept below the deepest existing directory, and ".." among
 * them is taken as text. The same holds below a directory that cannot be searched, or that would first have
 * to be mounted: there the kinds are PATH_UNREADABLE.
 *
 * /proc/self means the process that will use the path, not this one: its cwd is the view's, its root is /,
 * its descriptors stay names. Targets of another process's links are unknown: kind and target are PATH_OTHER,
 * `place` and `real` are empty. The same holds for link loops, too many links and paths that are too long,
 * except that `kind` and `place` are given if only the last link is to blame.
 */
#pragma once
#include "model/view.h"

#define PATH_LINKS_MAX 40
#define PATH_MEMO_MAX 128
#define PATH_LOOKS_MAX 100000   /* names looked at with one memo; beyond them everything is unknown */
/* directory entries read with one memo (glob_expand.h); beyond them there may be more */
#define PATH_ENTRIES_MAX 100000

struct path_dir {
	struct str path;
	bool looked;          /* the fields below are known */
	uint32_t mode, owner;
};

/*
 * Directories already found to be directories and no links, so that paths with the same beginning are not
 * walked twice; and what this round has cost so far, so that many questions together are bounded as well.
 */
struct path_memo {
	struct arena *a;
	struct str cwd; /* what /proc/self/cwd means; empty: not known */
	size_t looks, entries;
	struct path_dir *dirs; /* at most PATH_MEMO_MAX */
	size_t ndirs, cap;
};

void path_memo_init(struct path_memo *m, struct arena *a, struct str cwd);
/* Trusts the working directory that the kernel reported: it and all directories above it are directories. */
void path_memo_trust(struct path_memo *m, struct str cwd);
/*
 * Everything about an absolute path; `next` is left NULL. Cannot fail: what cannot be found out is unknown.
 */
void path_look(struct path_memo *m, struct str path, struct path_answer *ret);
/* Only where it leads to and what that is: cheaper, since a known directory is not looked at again. */
struct str path_real(struct path_memo *m, struct str path, enum path_kind *ret_target);
/* Mode and owner of a resolved directory, or NULL when it is none. Valid until the memo is used again. */
const struct path_dir *path_dir(struct path_memo *m, struct str real);
/* Is `path` the directory `dir` or below it? Both resolved; false when one is empty. */
bool path_inside(struct str path, struct str dir);
/* The directory a resolved path lies in; "/" for "/". */
struct str path_parent(struct str path);
/* The resolved path of what is open; empty when it has none. */
struct str path_of_fd(struct arena *a, int fd);
/*
 * Does an absolute path enter `dir` and leave it by a link? `real` is what the opened descriptor said, so
 * that a path which changes in between is found as well. A path that leaves `dir` by ".." of its own does
 * not.
 */
bool path_leaves(struct path_memo *m, struct str path, struct str real, struct str dir);
