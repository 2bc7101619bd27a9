/*
 * Finds the control group hierarchies from /proc/self/cgroup and /proc/self/mountinfo, and the directory of a
 * version 2 tree that can hold a new group. Used by cgroup.c; separate so that tests can feed the texts and
 * trees of other hosts.
 */
#pragma once
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

enum { CG_HAS_MEMORY = 1, CG_HAS_PIDS = 2, CG_HAS_CPU = 4, CG_HAS_CPUACCT = 8, CG_HAS_IO = 16 };

#define CG_HIERARCHIES_MAX 6 /* memory, cpu, pids, cpuacct, blkio, and version 2 */
#define CG_PATH_MAX 1024
#define CG_V1_MAGIC 0x27e0eb
#define CG_V2_MAGIC 0x63677270
#define CG_LINE_MAX 8192     /* longest line of either file; longer lines are skipped */

struct cg_hierarchy {
	bool v2;
	/* bits of CG_HAS_*; 0 for version 2, whose directories list their own */
	unsigned controllers;
	char group[CG_PATH_MAX]; /* the caller's own group, as the kernel names it */
	char path[CG_PATH_MAX];  /* directory of that group; empty: not mounted, or not visible here */
	size_t mount_n;          /* length of the mount point at the start of the path */
};

struct cg_map {
	struct cg_hierarchy of[CG_HIERARCHIES_MAX];
	size_t n;
	/* bits: optional limits and counters (CPU time, disks) */
	unsigned want;
};

/*
 * Parses one line of /proc/self/cgroup (cg_map_group) or of /proc/self/mountinfo (cg_map_mount). All lines of
 * the former come first. Irrelevant and malformed lines are ignored.
 */
void cg_map_group(struct cg_map *m, struct str line);
void cg_map_mount(struct cg_map *m, struct str line);
/*
 * Drops the hierarchies that limit nothing here: CPU, cpuacct and disks unless they are in `want`, and
 * version 2 if memory and pids are on version 1. They would cost more than they give: the usage of the box's
 * pid 1 covers most of the CPU time, and its exit kills all other processes.
 */
void cg_map_prune(struct cg_map *m);
/* True if every hierarchy of the map has its directory. */
bool cg_map_complete(const struct cg_map *m);
/*
 * Tries the usual mount points first: mountinfo takes the kernel longer than everything else together.
 * Applies only where a wrong match is impossible: in the initial cgroup namespace, where group names start at
 * the root of a hierarchy, and at a directory that is a hierarchy's root (inode 1).
 */
void cg_map_usual(struct cg_map *m);
/*
 * Finds the hierarchies for all required and wanted limits: in /proc/self/cgroup, then in the usual places,
 * then in /proc/self/mountinfo if some are missing.
 */
int cg_map_read(struct cg_map *ret, unsigned want, struct err *e);
/* Like cg_map_read(), for another process of this pid namespace. */
int cg_map_read_of(struct cg_map *ret, pid_t pid, unsigned want, struct err *e);

/*
 * Opens the nearest directory, from the caller's own group up to the mount point, that can hold a new group
 * with the controllers `need` and to which the caller may move a process. Returns its descriptor
 * (close-on-exec), puts its path into h->path and the controllers of its children into *ret_controllers.
 * Enables controllers where they are available and the group holds no processes; this rule does not apply to
 * the root. The controllers `want` are optional.
 */
int cg_place_v2(struct cg_hierarchy *h, unsigned need, unsigned want, unsigned *ret_controllers,
		struct err *e);
/*
 * Enables controllers for the children of a delegated group that holds no processes itself. 0 and the
 * children's controllers; -1 if one of `need` is missing.
 */
int cg_hand_out_v2(int dir, unsigned need, unsigned want, unsigned *ret_controllers, struct err *e);
/* Reads a small file below a directory: up to cap - 1 bytes and a NUL. Returns the length, or -1. */
ssize_t cg_read(int dir, const char *name, char *buf, size_t cap);
