/*
 * Mounts by descriptors: made detached, given their attributes, then put in their place. Names are resolved once, and by us.
 * Nothing here takes memory: it is used between fork and exec. All return a descriptor or 0, or -1 with errno.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#include "sys/file.h"

enum {
	MOUNT_READONLY = 1, MOUNT_NODEV = 2, MOUNT_NOEXEC = 4, /* set-user-id never works: nosuid is always set */
	MOUNT_BELOW = 8, /* also of all that is mounted below */
};

/* A new file system: type "tmpfs", "proc" or "devpts"; options are pairs of key and value (NULL for a flag), ended by a NULL key. */
int mount_new(const char *type, const char *const options[][2], unsigned flags);
/* A detached copy of what is at the path below dir (an empty path: dir itself), with all that is mounted below it. */
int mount_copy(int dir, const char *path);
/* Private to this namespace, nosuid, and the flags. */
int mount_attributes(int tree, unsigned flags);
/* Owners of files: what is `from` on disk is `to` here. The name space of users comes from mount_idmap_ns(). */
int mount_idmap(int tree, int userns);
/* Puts a detached mount onto an opened directory or file. */
int mount_place(int tree, int target);
/* ... or onto a name in an opened directory, when that name is surely no link. */
int mount_place_at(int tree, int dir, const char *name);
/* Opens a name below a directory, following no link on the way and not at the end. */
int open_beneath(int dir, const char *path, int flags);
/*
 * What is mounted at `root` becomes the root of the namespace; the old one goes through `old`, a directory in the new one, and is taken away
 * with all below it. The kernel may wait a few milliseconds for all its readers.
 */
int mount_pivot(const char *root, int old);
