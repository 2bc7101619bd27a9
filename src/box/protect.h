/*
 * Names in a writable workspace that a program must not change: git's hooks and configuration, agent
 * settings, shell start files, caisson's own files.
 *
 * Before the run every protected path that exists is pinned read-only, each directory above it (below the
 * workspace) is pinned as a mount point, so that nothing can be renamed away from under it, and absent names
 * are masked. Afterwards what is there is compared with what was there (device, inode, kind), and what could
 * not be prevented (a name that was a link, a planted bare repository) is moved to quarantine.
 *
 *   protection.c       a run's workspace and the git directory it shares, each with its undertaker
 *   protect.c          one directory: names before and after the run
 *   protect_table.c    the protected names
 *   protect_git.c      repositories before the run; protect_compare.c: after it
 *   protect_config.c   settings of git that run nothing
 *   protect_private.c  the box's copies of configurations; git_merge.c: what of them is taken over
 *   protect_index.c    the index of a repository
 *   protect_alternates.c  objects that lie outside of the workspace
 *   protect_made.c     placeholders for absent names
 *   protect_modes.c    directories closed by their own mode
 *   protect_move.c     quarantine
 *   protect_lock.c     locks between runs in one workspace
 *   protect_vet.c      the search after the run, and the process that finishes it
 *   protect_walk.c     walking a hostile directory tree; protect_path.c: its paths as text
 */
#pragma once
#include "box/plan.h"
#include "model/outcome.h"

struct unvetted; /* model/view.h */
struct protect;  /* the state before the run */

/* The default list for spec.protected. Repositories are protected without being named there. */
struct texts *protect_names(struct arena *a);

/*
 * Opens the workspace and the files of the state; creates nothing. *ret is NULL when the spec has no writable
 * workspace, and the other functions then do nothing.
 */
int protect_open(struct arena *a, const struct spec *s, struct protect **ret, struct err *e);
/*
 * Searches the workspace, makes placeholders for absent names, and appends the operations. From here until
 * protect_after() a process that outlives a killed launcher must exist to call protect_bury(); it shares the
 * launcher's memory and holds the descriptors of protect_open().
 */
int protect_before(struct protect *p, const struct spec *s, struct ops *ops, struct err *e);
/* Removes the placeholders, compares, quarantines. Also after a failed setup. */
int protect_after(struct arena *a, struct protect *p, struct change **ret, struct err *e);
/*
 * The state of the search after runs in this directory. In a large workspace a process of its own finishes
 * it.
 */
enum vetting {
	VETTING_DONE,
	VETTING_UNDER_WAY,
	VETTING_BOX,  /* a box runs there; its work is judged when it ends */
	VETTING_LOST, /* the process was killed, or could not see everything */
};
enum vetting protect_vetting(struct arena *a, struct str state, struct str workspace);
/*
 * Lists all workspaces whose search is not over, without waiting. A workspace that was removed does not
 * count. A mark without a path, or more marks than UNVETTED_MAX, count for every place.
 */
#define UNVETTED_MAX 256
/* The directory of the marks: while it does not change, no mark is added. */
const char *protect_marks(struct arena *a, struct str state);
void protect_unvetted(struct arena *a, struct str state, struct unvetted *ret);
/* Starts the process that searches. Nothing waits for it, and it holds no descriptor of the caller. */
void protect_vet(struct arena *a, struct str state, struct str workspace);
/* Fills in the descriptors of protect_open() and returns their number. */
#define PROTECT_FDS 4
size_t protect_fds(const struct protect *p, int ret[PROTECT_FDS]);
/* Removes the placeholders and does nothing else. Allocates nothing. */
void protect_abandon(const struct protect *p);
/*
 * For the process that cleans up after a killed launcher, once nothing of the box is alive (a name removed on
 * the host is no longer a mount in the box; `ended` is false if something may be alive). Removes the
 * placeholders, then does the same as protect_after(). Its findings are in quarantine and in no report.
 */
void protect_bury(struct protect *p, bool ended);
