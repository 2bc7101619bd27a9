/*
 * Where the control group hierarchies are: /proc/self/cgroup and /proc/self/mountinfo, and which directory of
 * a version 2 tree can hold a new group. Used by cgroup.c; apart from it so that other hosts' texts and trees
 * can be tested.
 */
#pragma once
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

enum { CG_HAS_MEMORY = 1, CG_HAS_PIDS = 2, CG_HAS_CPU = 4, CG_HAS_CPUACCT = 8, CG_HAS_IO = 16 };

#define CG_HIERARCHIES_MAX 6 /* memory, cpu, pids, cpuacct, blkio, and version 2's */
#define CG_PATH_MAX 1024
#define CG_V1_MAGIC 0x27e0eb
#define CG_V2_MAGIC 0x63677270
#define CG_LINE_MAX 8192     /* the longest line of either file; a longer one is passed over */

struct cg_hierarchy {
	bool v2;
	/* bits of CG_HAS_*; none for version 2, whose directories say it themselves */
	unsigned controllers;
	char group[CG_PATH_MAX]; /* the caller's own, as the kernel names it */
	char path[CG_PATH_MAX];  /* the same as a directory; empty: not mounted, or not visible from here */
	size_t mount_n;          /* how much of the path is the mount point */
};

struct cg_map {
	struct cg_hierarchy of[CG_HIERARCHIES_MAX];
	size_t n;
	/* bits: what is to be limited or counted besides memory and processes (CPU time, disks) */
	unsigned want;
};

/*
 * Takes one line of /proc/self/cgroup or of /proc/self/mountinfo; all lines of the former come first.
 * Irrelevant and malformed lines are ignored.
 */
void cg_map_group(struct cg_map *m, struct str line);
void cg_map_mount(struct cg_map *m, struct str line);
/*
 * Without the hierarchies that limit nothing here: those of CPU time, its count and disks unless they are
 * wanted, and version 2's when memory and pids are version 1's. They would cost more than they give: most of
 * the time is known from the usage of the box's pid 1, whose end also kills all the rest.
 */
void cg_map_prune(struct cg_map *m);
/* Every hierarchy of the map has its directory. */
bool cg_map_complete(const struct cg_map *m);
/*
 * The usual mount points, without asking mountinfo, which takes the kernel longer than all the rest together.
 * Only where it cannot lead astray: in the first cgroup namespace, whose names begin at the root of a
 * hierarchy, and at a directory that is such a root (number 1).
 */
void cg_map_usual(struct cg_map *m);
/*
 * Finds the hierarchies for all required and wanted limits: in /proc/self/cgroup, then in the usual places,
 * then in /proc/self/mountinfo if some are missing.
 */
int cg_map_read(struct cg_map *ret, unsigned want, struct err *e);
/* The same for another process of this pid namespace. */
int cg_map_read_of(struct cg_map *ret, pid_t pid, unsigned want, struct err *e);

/*
 * The nearest directory, from the caller's own group up to the mount point, in which a group with the
 * `need`ed controllers can be made and to which the caller may move a process: its descriptor
 * (close-on-exec), its path in h->path, *ret_controllers what its children have. Controllers are switched on
 * where they are offered and the group holds no processes (or is the root, to which that rule does not
 * apply). `want` is taken where it is to be had.
 */
int cg_place_v2(struct cg_hierarchy *h, unsigned need, unsigned want, unsigned *ret_controllers,
		struct err *e);
/*
 * Switches controllers on for the children of a group that was handed over whole and holds no processes
 * itself. 0 and what they have; -1: not all of the `need`ed.
 */
int cg_hand_out_v2(int dir, unsigned need, unsigned want, unsigned *ret_controllers, struct err *e);
/* The text of a small file below a directory, up to cap - 1 bytes and a NUL: its length, or -1. */
ssize_t cg_read(int dir, const char *name, char *buf, size_t cap);
