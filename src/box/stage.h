/*
 * The plan for an engine that mounts by paths: a directory on the host and a list of mounts. Inside of
 * src/box only.
 *
 * DIR is a new directory of ours (0700):
 *   root/     the box's own root: directories, links, small files, empty mount points. The same plan gives
 *             the same tree, so an engine may keep it
 *   caisson/  mounted at /caisson: the script and other texts of this run
 *   empty/    an empty directory, and `none`, a file that nobody may open, to cover others
 *
 * DIR is locked as long as the launcher lives. The next run sweeps a directory without a lock.
 *
 * DIR lies in SPEC_STAGE_MEMORY if the engine is local: its processes are children of the launcher and see
 * every path that the launcher sees. The tens of names cost milliseconds on a disk. A daemon may have another
 * /dev/shm, so its stages lie in spec.stage. So do all stages where /dev/shm is no tmpfs, is full, or lets no
 * programs run.
 *
 * /dev is a directory of root/, with mount points for devices; most engines have their own /dev.
 *
 * Mounts are in the order of the plan; none is below a later one, and each target occurs once, so that an
 * engine may sort them by path. A directory with mounts below it is a mount of its own for each of them:
 * "read-only" holds for a single mount.
 *
 * Links. Programs of other boxes can exchange directories in what boxes share (the workspace, /tmp) while an
 * engine mounts by paths. So the guest compares the identity of each mount there. An engine that sees the
 * host while it looks up targets makes those mounts at a place of our own instead, and the guest moves them
 * (stage_defer(), guest_late.c).
 *
 * Differences from a native root, all of them stricter or neutral:
 *   - empty directories of the box share no size: each is a tmpfs with a part of the limit
 *   - caches have no overlays: they are left out or read-only, and the outcome says so
 *   - git's configuration stays read-only where it would be a link to a private copy (OP_COVER)
 */
#pragma once
#include "box/plan.h"
#include "sys/file.h"

#define STAGE_CAISSON "/caisson"
#define STAGE_GUEST STAGE_CAISSON "/guest"
#define STAGE_LATE STAGE_CAISSON "/late" /* has mounts that the guest moves, with numbers as names */
#define STAGE_LATE_LIST STAGE_LATE "/list" /* their targets, each with a NUL */
#define STAGE_PATH_MAX 512
#define STAGE_INODE_BYTES 4096 /* bytes of an empty directory per file in it */

enum stage_kind { STAGE_BIND, STAGE_TMPFS, STAGE_DEVICE };

struct stage_mount {
	struct stage_mount *next;
	enum stage_kind kind;
	const char *source; /* STAGE_BIND, STAGE_DEVICE: path on the host */
	const char *target;
	const char *late;   /* mounted there, in STAGE_LATE; the guest moves it to its target. NULL: not so */
	const char *socket; /* host path of a mount point that is a placeholder socket; NULL: none */
	bool writable;
	bool directory;
	uint64_t size; /* STAGE_TMPFS */
	mode_t mode;   /* STAGE_TMPFS */
};

struct box_stage {
	char dir[STAGE_PATH_MAX]; /* empty: none */
	const char *root;         /* DIR/root */
	int lock;                 /* the directory, locked; -1: none */
	bool in_memory;           /* DIR is in SPEC_STAGE_MEMORY */
	struct stage_mount *mounts, **end;
	struct texts *masked; /* paths in /proc to hide, with a slash at the end if directories */
	bool no_overlay;      /* caches were planned with one */
};

/*
 * Makes the directory, and sweeps what killed launchers left beside it. Marks the sources of operations with
 * their identities, for the guest. `guest` is mounted at STAGE_GUEST. `local`: the engine is. -1:
 * stage_remove() cleans up.
 */
int stage_make(struct arena *a, const struct spec *s, struct ops *ops, const char *guest,
		bool local, struct box_stage *ret, struct err *e);
/* Only the directory, empty and locked. */
int stage_dir(struct arena *a, const struct spec *s, struct box_stage *ret, struct err *e);
/* Mounts below directories that other boxes may write get another place (`late`). */
int stage_defer(struct arena *a, struct box_stage *st, struct err *e);
void stage_remove(struct box_stage *st);
/* A file of the engine's, beside the root. */
int stage_write(struct arena *a, const struct box_stage *st, const char *name, struct str text,
		struct err *e);
/* The tree of root/ as a tar archive: directories, links, files. The same for the same plan. */
int stage_tar(struct arena *a, const struct box_stage *st, struct str *ret, struct err *e);
