/* Mount operations. Uses syscall() where Debian 12's C library has no wrapper. */
#define _GNU_SOURCE
#include "sys/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

int mount_new(const char *type, const char *const options[][2], unsigned flags)
{
	FD_CLEANUP int fs = fsopen(type, FSOPEN_CLOEXEC);
	unsigned attr = MOUNT_ATTR_NOSUID | (flags & MOUNT_READONLY ? MOUNT_ATTR_RDONLY : 0) |
			(flags & MOUNT_NODEV ? MOUNT_ATTR_NODEV : 0) |
			(flags & MOUNT_NOEXEC ? MOUNT_ATTR_NOEXEC : 0);

	if (fs < 0)
		return -1;
	for (; options && (*options)[0]; options++)
		if (fsconfig(fs, (*options)[1] ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG, (*options)[0],
				(*options)[1], 0) != 0)
			return -1;
	if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) != 0)
		return -1;
	return fsmount(fs, FSMOUNT_CLOEXEC, attr);
}

static unsigned long classic(unsigned flags)
{
	return MS_NOSUID | (flags & MOUNT_READONLY ? MS_RDONLY : 0) | (flags & MOUNT_NODEV ? MS_NODEV : 0) |
			(flags & MOUNT_NOEXEC ? MS_NOEXEC : 0);
}

int mount_fs(const char *type, const char *options, unsigned flags, const char *target)
{
	return mount("none", target, type, classic(flags), options);
}

int mount_limit(const char *target, const char *options, unsigned flags)
{
	return mount("none", target, NULL, MS_REMOUNT | classic(flags), options);
}

int mount_bind(const char *source, const char *target)
{
	return mount(source, target, NULL, MS_BIND | MS_REC, NULL);
}

int mount_copy(int dir, const char *path)
{
	return open_tree(dir, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE |
			(*path ? 0 : AT_EMPTY_PATH));
}

static int set_attributes(int dir, const char *path, unsigned flags)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_NOSUID, .propagation = MS_PRIVATE};

	attr.attr_set |= flags & MOUNT_READONLY ? MOUNT_ATTR_RDONLY : 0;
	attr.attr_set |= flags & MOUNT_NODEV ? MOUNT_ATTR_NODEV : 0;
	attr.attr_set |= flags & MOUNT_NOEXEC ? MOUNT_ATTR_NOEXEC : 0;
	return mount_setattr(dir, path, (*path ? 0 : AT_EMPTY_PATH) |
			(flags & MOUNT_BELOW ? AT_RECURSIVE : 0), &attr, sizeof(attr));
}

int mount_attributes(int tree, unsigned flags) { return set_attributes(tree, "", flags); }

int mount_attributes_at(const char *path, unsigned flags) { return set_attributes(AT_FDCWD, path, flags); }

int mount_idmap(int tree, int userns)
{
	struct mount_attr attr = {.attr_set = MOUNT_ATTR_IDMAP, .userns_fd = (uint64_t)userns};

	return mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr, sizeof(attr));
}

int mount_place(int tree, int target)
{
	return move_mount(tree, "", target, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

int mount_place_at(int tree, int dir, const char *name)
{
	return move_mount(tree, "", dir, name, MOVE_MOUNT_F_EMPTY_PATH);
}

static int open_resolving(int dir, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = {.flags = (uint64_t)(unsigned)(flags | O_CLOEXEC),
			.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_BENEATH | resolve};

	while (*path == '/')
		path++;
	return (int)syscall(SYS_openat2, dir, *path ? path : ".", &how, sizeof(how));
}

int open_beneath(int dir, const char *path, int flags) { return open_resolving(dir, path, flags, 0); }

int open_within(int dir, const char *path, int flags)
{
	return open_resolving(dir, path, flags, RESOLVE_NO_XDEV);
}

int mount_pivot(const char *root)
{
	return chdir(root) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 ? 0 : -1;
}

int mount_detach(int root)
{
	return fchdir(root) == 0 && umount2(".", MNT_DETACH) == 0 && chdir("/") == 0 ? 0 : -1;
}
