/*
 * Mount operations, in two styles:
 * - By descriptor: create a detached mount, set its attributes, then attach it. Each path is resolved once,
 *   by us.
 * - By path, which takes the kernel half the time: only for paths that cannot contain links, while no foreign
 *   program runs there.
 *
 * Nothing here allocates, so it can run between fork and exec. All functions return a descriptor or 0, or -1
 * with errno.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "sys/file.h"

enum {
	/* nosuid is always set */
	MOUNT_READONLY = 1, MOUNT_NODEV = 2, MOUNT_NOEXEC = 4,
	MOUNT_BELOW = 8, /* also apply to all submounts */
};

/*
 * Creates a detached file system of type "tmpfs", "proc" or "devpts". Options are pairs of key and value
 * (NULL for a flag); a NULL key ends them.
 */
int mount_new(const char *type, const char *const options[][2], unsigned flags);
/*
 * Mounts a new file system at a path. `options` is one string, or NULL. MOUNT_READONLY makes the file system
 * read-only, not just the mount.
 */
int mount_fs(const char *type, const char *options, unsigned flags, const char *target);
/* Changes the options of a file system. `flags` must be those it was mounted with. */
int mount_limit(const char *target, const char *options, unsigned flags);
/* Binds one path to another, with all submounts and their current attributes. */
int mount_bind(const char *source, const char *target);
/* Returns a detached copy of the tree at a path below dir (empty path: dir itself), with all submounts. */
int mount_copy(int dir, const char *path);
/* Makes the mount private to this namespace, nosuid, and sets the flags. */
int mount_attributes(int tree, unsigned flags);
int mount_attributes_at(const char *path, unsigned flags);
/*
 * Maps file owners: `from` on disk appears as `to` here. The user namespace comes from namespace_for_idmap().
 */
int mount_idmap(int tree, int userns);
/* Attaches a detached mount to an open directory or file. */
int mount_place(int tree, int target);
/* The same for a name in an open directory. The name must not be a link. */
int mount_place_at(int tree, int dir, const char *name);
/* Opens a path below a directory. Follows no links, neither on the way nor at the end. */
int open_beneath(int dir, const char *path, int flags);
/* The same without crossing into another mount. */
int open_within(int dir, const char *path, int flags);
/*
 * Makes the mount at `root` the root of the namespace and of this process. The old root ends up mounted on
 * top of it, where no path leads.
 */
int mount_pivot(const char *root);
/*
 * Detaches the old root (a descriptor of it) with all submounts, then changes to "/". The kernel may wait a
 * few milliseconds for concurrent readers.
 */
int mount_detach(int root);
