/*
 * Names in a writable workspace that a program must not change: git's hooks and configuration, agent
 * settings, shell start files, caisson's own files.
 *
 * Before the run every protected path that exists is pinned read-only, each directory above it (below the
 * workspace) is pinned as a mount point, so that nothing can be renamed away from under it, and absent names
 * are masked. Afterwards what is there is compared with what was there (device, inode, kind), and what could
 * not be prevented (a name that was a link, a planted bare repository) is moved to quarantine.
 */
#pragma once
#include "box/plan.h"
#include "model/outcome.h"

struct unvetted; /* model/view.h */
struct protect;  /* what was there before */

/*
 * The names that are protected unless a policy says more, for spec.protected. Repositories are protected
 * without being named.
 */
struct texts *protect_names(struct arena *a);

/*
 * Opens what is needed, makes nothing. *ret is NULL when the spec has no writable workspace; the others take
 * that as nothing to do.
 */
int protect_open(struct arena *a, const struct spec *s, struct protect **ret, struct err *e);
/*
 * Looks, makes placeholders for absent names, and appends the operations. From here on until protect_after()
 * a process that outlives a launcher must be there to call protect_bury(); it shares the launcher's memory
 * and holds the descriptors of protect_open().
 */
int protect_before(struct protect *p, const struct spec *s, struct ops *ops, struct err *e);
/*
 * Removes the placeholders, compares, quarantines. Whatever happened in between; also after a failed setup.
 */
int protect_after(struct arena *a, struct protect *p, struct change **ret, struct err *e);
/* Is the search after runs in this directory over? In a large workspace a process of its own finishes it. */
enum vetting {
	VETTING_DONE,
	VETTING_UNDER_WAY,
	VETTING_BOX,  /* a box runs there: nobody knows for how long, and its work is judged afterwards */
	VETTING_LOST, /* nobody is at work: the process was killed, or could not see everything */
};
enum vetting protect_vetting(struct arena *a, struct str state, struct str workspace);
/*
 * All workspaces where it is not over, without waiting. One that is gone is none: what was planted there is
 * gone, too. A mark that does not say where, or more marks than are read, count for every place.
 */
#define UNVETTED_MAX 256
void protect_unvetted(struct arena *a, struct str state, struct unvetted *ret);
/* Starts the process that does it. Nothing waits for it, and it holds no descriptor of the caller. */
void protect_vet(struct arena *a, struct str state, struct str workspace);
/* The descriptors of protect_open(). How many. */
#define PROTECT_FDS 4
size_t protect_fds(const struct protect *p, int ret[PROTECT_FDS]);
/* Only removes the placeholders, without memory or messages. */
void protect_abandon(const struct protect *p);
/*
 * For the process that cleans up after a killed launcher, once nothing of the box is alive (a name removed on
 * the host is no longer a mount in the box; `ended` is false if something may be alive). Removes the
 * placeholders, then does the same as protect_after(). Its findings are in quarantine and in no report.
 */
void protect_bury(struct protect *p, bool ended);
