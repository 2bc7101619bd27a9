/*
 * The /tmp of a project's boxes, kept between commands:
 *
 *   STATE/tmp/KEY          0700; KEY is state_project_key() of the workspace
 *   STATE/tmp/KEY/lock     shared lock: a box uses the directory. Exclusive lock: no box does. Its
 *                          modification time is the time of the last use
 *   STATE/tmp/KEY/files    mounted at /tmp
 *   STATE/tmp/KEY/old      names that were moved out of `files`, to be deleted
 *
 * Programs in boxes own everything in `files`: names, links, modes, FIFOs, trees of any depth. So all
 * functions work below a descriptor of it, follow no link, open nothing but directories, and read no content.
 */
#pragma once
#include "base/str.h"

#define KEPT_TMP_AGE_S (7 * 86400)      /* unused for longer: deleted */
#define KEPT_TMP_FRESH_S 3600           /* older times of last use are renewed */
#define KEPT_TMP_PROJECTS_MAX 4096      /* directories that a sweep visits */
#define KEPT_TMP_DELETES_MAX 50000      /* names that one call deletes; later calls go on */
#define KEPT_TMP_NAMES_MAX 10000        /* names that one question looks at */
#define KEPT_TMP_OPEN_COST 16           /* names that opening a directory counts as */
#define KEPT_TMP_LOOK_DEPTH 32          /* directories in each other that one question looks at */
#define KEPT_TMP_DEPTH_MAX 256          /* components of a path */

struct kept_tmp {
	int dir, lock, files; /* descriptors; -1: not open */
};

/* The directory that is mounted at /tmp. */
struct str kept_tmp_path(struct arena *a, struct str state, struct str workspace);
/* Creates the directory if necessary and takes the shared lock. `state` exists and is checked. */
int kept_tmp_open(struct arena *a, struct str state, struct str workspace, struct kept_tmp *ret,
		struct err *e);
void kept_tmp_close(struct kept_tmp *t); /* for KEPT_TMP_CLEANUP */
#define KEPT_TMP_CLEANUP __attribute__((cleanup(kept_tmp_close)))
/*
 * Makes a mount point of a path that is relative to `files`: a directory, or an empty file. Anything on the
 * way that is not a directory of the caller's is moved to `old`. An existing file is not changed.
 */
int kept_tmp_mount_point(const struct kept_tmp *t, const char *path, bool directory);
/* Removes the empty file that kept_tmp_mount_point() made, unless another box may have a mount on it. */
void kept_tmp_remove_mount_point(const struct kept_tmp *t, const char *path);
/* True if a path below /tmp exists in the directory. Mount points do not count. */
bool kept_tmp_has(struct arena *a, struct str state, struct str workspace, struct str path);
/*
 * The same for a pattern. With `filled`, directories without files do not count: programs may have made them,
 * or a box for its mounts.
 */
bool kept_tmp_matches(struct arena *a, struct str state, struct str workspace, struct str pattern,
		bool filled);
/* True if there are files at any depth in a directory: /tmp or one below it. Mount points do not count. */
bool kept_tmp_filled(struct arena *a, struct str state, struct str workspace, struct str dir);
/* Empties the directory, unless a box uses it. */
void kept_tmp_clean(struct arena *a, struct str state, struct str workspace);
/* Deletes the directories that were not used for KEPT_TMP_AGE_S, and goes on with earlier deletions. */
void kept_tmp_sweep(struct arena *a, struct str state, int64_t now_s);
