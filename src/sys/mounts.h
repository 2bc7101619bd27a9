/*
 * Mounts. By descriptors: made detached, given their attributes, then put in their place; names are resolved
 * once, and by us. By paths, which takes the kernel half as long: for names that cannot be links, in a place
 * where nothing foreign runs yet. Nothing here takes memory: it is used between fork and exec. All return a
 * descriptor or 0, or -1 with errno.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "sys/file.h"

enum {
	/* set-user-id never works: nosuid is always set */
	MOUNT_READONLY = 1, MOUNT_NODEV = 2, MOUNT_NOEXEC = 4,
	MOUNT_BELOW = 8, /* also of all that is mounted below */
};

/*
 * A new file system: type "tmpfs", "proc" or "devpts"; options are pairs of key and value (NULL for a flag),
 * ended by a NULL key.
 */
int mount_new(const char *type, const char *const options[][2], unsigned flags);
/*
 * The same at once at a path. The options are one text, or NULL. Read-only is the file system then, not just
 * the mount.
 */
int mount_fs(const char *type, const char *options, unsigned flags, const char *target);
/* Other options for it; the flags are those it has. */
int mount_limit(const char *target, const char *options, unsigned flags);
/* Binds one path to another, with everything mounted below it and the attributes that it has there. */
int mount_bind(const char *source, const char *target);
/*
 * A detached copy of what is at the path below dir (an empty path: dir itself), with all that is mounted
 * below it.
 */
int mount_copy(int dir, const char *path);
/* Private to this namespace, nosuid, and the flags. */
int mount_attributes(int tree, unsigned flags);
int mount_attributes_at(const char *path, unsigned flags);
/*
 * Owners of files: what is `from` on disk is `to` here. The name space of users comes from mount_idmap_ns().
 */
int mount_idmap(int tree, int userns);
/* Puts a detached mount onto an opened directory or file. */
int mount_place(int tree, int target);
/* ... or onto a name in an opened directory, when that name is surely no link. */
int mount_place_at(int tree, int dir, const char *name);
/* Opens a name below a directory, following no link on the way and not at the end. */
int open_beneath(int dir, const char *path, int flags);
/* ... and without leaving the mount that the directory is of. */
int open_within(int dir, const char *path, int flags);
/*
 * Makes the mount at `root` the root of the namespace, and ours. The old root lies on top of it, where no
 * path leads.
 */
int mount_pivot(const char *root);
/*
 * It goes away with all below it; afterwards we are in our root. The kernel may wait a few milliseconds for
 * all its readers.
 */
int mount_detach(int root);
