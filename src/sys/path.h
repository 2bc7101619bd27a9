/*
 * Resolves paths in the real file system: the answers of model/view.h.
 *
 * Follows links itself, one component at a time, with statx and readlink. It never opens anything, so nothing
 * blocks, nothing is mounted, and no time stamp changes. At most PATH_LINKS_MAX links and PATH_MAX bytes,
 * like the kernel.
 *
 * If a path does not exist, its missing names are kept below the deepest existing directory, and ".." among
 * them is resolved as text. The same holds below a directory that cannot be searched, or that would first
 * have to be mounted: there the kinds are PATH_UNREADABLE.
 *
 * /proc/self means the process that will use the path, not this one: its cwd is the view's, its root is /,
 * its descriptors stay names. Targets of another process's links are unknown: kind and target are PATH_OTHER,
 * `place` and `real` are empty. The same holds for link loops, too many links and paths that are too long,
 * except that `kind` and `place` are given if only the last link is at fault.
 */
#pragma once
#include "model/view.h"
#include "sys/stamp.h"

#define PATH_LINKS_MAX 40
#define PATH_MEMO_MAX 128
#define PATH_MISSING_MAX 32
#define PATH_LOOKS_MAX 100000   /* names looked up with one memo; any further name is unknown */
/* directory entries read with one memo; further ones are left out */
#define PATH_ENTRIES_MAX 100000

struct path_dir {
	struct str path;
	bool looked;          /* mode and owner are known */
	uint32_t mode, owner;
	struct stamp stamp;   /* if it is known and the memo has a stamp cache */
};

/*
 * Cache of paths known to be directories and not links, so that common prefixes are walked once. Also holds
 * the costs of this round, which bounds many questions together.
 */
struct path_memo {
	struct arena *a;
	struct str cwd; /* meaning of /proc/self/cwd; empty if unknown */
	struct stamp_cache *stamps; /* kept by the process, for readers of files; NULL: nothing is kept */
	int64_t started_ns;         /* before the first look, on the clock of stamps */
	struct str missing[PATH_MISSING_MAX]; /* names that were missing */
	size_t nmissing, looks, entries;
	struct path_dir *dirs; /* at most PATH_MEMO_MAX */
	size_t ndirs, cap;
};

void path_memo_init(struct path_memo *m, struct arena *a, struct str cwd);
/* Trusts the working directory that the kernel reported: it and all its parents are directories. */
void path_memo_trust(struct path_memo *m, struct str cwd);
/* True if the memo knows this path as a directory without links on the way. Costs no system call. */
bool path_memo_knows(struct path_memo *m, struct str path);
/*
 * True if this name, or a directory above it, was missing when the memo looked, or if the stamp of its
 * directory proves that it is still missing. False: not known. Costs one system call at most.
 */
bool path_memo_missing(struct path_memo *m, struct str path);
/* Returns the stamp of a directory that the memo has looked at, or NULL. Costs no system call. */
const struct stamp *path_memo_stamp(struct path_memo *m, struct str path);
/*
 * Looks up everything about an absolute path; `next` stays NULL. Cannot fail: facts that it cannot find out
 * are unknown.
 */
void path_look(struct path_memo *m, struct str path, struct path_answer *ret);
/*
 * The same; true if something has this name. Otherwise only `kind` is set: that is cheaper, since the
 * directory of a missing name need not be known.
 */
bool path_look_existing(struct path_memo *m, struct str path, struct path_answer *ret);
/* True if something has this name. The stamp of its directory may prove that a file still has it. */
bool path_exists(struct path_memo *m, struct str path);
/*
 * Returns only the resolved path and the kind of its target. Cheaper, since it does not stat a cached
 * directory again.
 */
struct str path_real(struct path_memo *m, struct str path, enum path_kind *ret_target);
/*
 * Returns mode and owner of a resolved directory, or NULL if it is not a directory. Valid until the memo is
 * used again.
 */
const struct path_dir *path_dir(struct path_memo *m, struct str real);
/* True if `path` is the directory `dir` or below it. Both must be resolved; false if one is empty. */
bool path_inside(struct str path, struct str dir);
/* Returns the parent directory of a resolved path; "/" for "/". */
struct str path_parent(struct str path);
/* Returns the resolved path of an open descriptor; empty if it has none. */
struct str path_of_fd(struct arena *a, int fd);
/*
 * True if an absolute path enters `dir` and leaves it through a link. `real` is the path of the opened
 * descriptor, so a path that changes in between is detected, too. False for a path that leaves `dir` through
 * its own "..".
 */
bool path_leaves(struct path_memo *m, struct str path, struct str real, struct str dir);
