/* Attacks on the box's file system as a whole: item 15 of the list, and devices. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "probe.h"

#ifndef OPEN_TREE_CLONE
#define OPEN_TREE_CLONE 1
#endif
#define TREE_RECURSIVE 0x8000
#define ATTR_RDONLY 1
#define UP_STEPS 64

static const char *fresh_dir(void)
{
	const char *path = fresh_path("dir");
	mkdir(path, 0755);
	return path;
}

/* The directory goes again; it is empty unless something was mounted, and then it is in use. */
static struct answer after(const char *dir, long r)
{
	struct answer a = result(r);
	if (r == 0)
		umount2(dir, MNT_DETACH);
	rmdir(dir);
	return a;
}

static struct answer mount_tmpfs(char **args)
{
	(void)args;
	const char *dir = fresh_dir();
	return after(dir, mount("none", dir, "tmpfs", 0, NULL));
}

static struct answer mount_proc(char **args)
{
	(void)args;
	const char *dir = fresh_dir();
	return after(dir, mount("none", dir, "proc", 0, NULL));
}

static struct answer mount_bind(char **args)
{
	const char *dir = fresh_dir();
	return after(dir, mount(args[0] ? args[0] : "/", dir, NULL, MS_BIND | MS_REC, NULL));
}

/* Takes read-only, nosuid and nodev off what is mounted there. */
static struct answer remount(char **args)
{
	return result(mount("none", args[0] ? args[0] : "/", NULL, MS_REMOUNT | MS_BIND, NULL));
}

static struct answer remount_super(char **args)
{
	return result(mount("none", args[0] ? args[0] : "/", NULL, MS_REMOUNT, NULL));
}

static struct answer propagate(char **args)
{
	(void)args;
	return result(mount("none", "/", NULL, MS_REC | MS_SHARED, NULL));
}

static struct answer umount_path(char **args)
{
	return result(umount2(args[0] ? args[0] : "/proc", MNT_DETACH));
}

static struct answer pivot(char **args)
{
	(void)args;
	return chdir("/") < 0 ? result(-1) : result(syscall(SYS_pivot_root, ".", "."));
}

/* A chroot below a directory that is held open is left by walking up from it. */
static struct answer chroot_escape(char **args)
{
	(void)args;
	const char *dir = fresh_dir();
	int top = open("/", O_RDONLY | O_DIRECTORY);
	int r = chroot(dir);
	struct answer a = result(r);
	if (r == 0)
		a = fchdir(top) == 0 && chroot(".") == 0 ? leak("a way out of a root") : done();
	rmdir(dir);
	return a;
}

static struct answer fs_open(char **args)
{
	(void)args;
	return result(syscall(SYS_fsopen, "tmpfs", 0));
}

static struct answer open_tree_of(char **args)
{
	return result(syscall(SYS_open_tree, AT_FDCWD, args[0] ? args[0] : "/",
			OPEN_TREE_CLONE | TREE_RECURSIVE));
}

static struct answer move_a_mount(char **args)
{
	(void)args;
	return result(syscall(SYS_move_mount, AT_FDCWD, "/proc", AT_FDCWD, "/tmp", 0));
}

static struct answer set_attributes(char **args)
{
	struct { uint64_t set, clear, propagation, userns; } attr = {.clear = ATTR_RDONLY};
	return result(syscall(SYS_mount_setattr, AT_FDCWD, args[0] ? args[0] : "/", 0, &attr, sizeof attr));
}

/* ---- where ".." and links lead ---- */

static struct answer walk_up(char **args)
{
	struct stat root, up;
	(void)args;
	int fd = open("/", O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < UP_STEPS; i++) {
		int next = openat(fd, "..", O_RDONLY | O_DIRECTORY);
		close(fd);
		fd = next;
	}
	if (stat("/", &root) < 0 || fstat(fd, &up) < 0)
		return result(-1);
	return root.st_dev == up.st_dev && root.st_ino == up.st_ino ? absent("anything above the root") :
			leak("a directory above the root");
}

/* ---- the system's files and the kernel's ---- */

static struct answer write_root(char **args)
{
	static const char *const dirs[] = {"/", "/etc", "/usr", "/usr/bin", "/usr/lib", "/bin", "/lib",
			"/var", "/opt", "/root", "/boot", "/sys", "/proc", "/run", "/srv", "/mnt"};
	char path[128];
	int last = ENOENT;
	(void)args;
	for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
		snprintf(path, sizeof path, "%s/probe-%d", dirs[i], (int)getpid());
		int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
		if (fd >= 0) {
			unlink(path);
			return leak("a file could be made in %s", dirs[i]);
		}
		last = errno;
	}
	return refused(last);
}

static struct answer open_one(const char *path, int flags)
{
	int fd = open(path, flags | O_NONBLOCK);
	return fd < 0 ? result(fd) : leak("%s was opened", path);
}

static const struct { const char *path; int flags; } kernel_files[] = {
	{"/proc/sys/kernel/core_pattern", O_WRONLY}, {"/proc/sysrq-trigger", O_WRONLY},
	{"/dev/mem", O_RDONLY}, {"/dev/kmsg", O_RDONLY},
	{"/proc/kcore", O_RDONLY}, {"/proc/sys/vm/overcommit_memory", O_WRONLY},
	{"/proc/sys/user/max_user_namespaces", O_WRONLY},
	{"/sys/kernel/uevent_helper", O_WRONLY}, {"/proc/sys/fs/binfmt_misc/register", O_WRONLY},
	{"/sys/kernel/security/landlock", O_WRONLY},
};

static struct answer kernel_file(char **args)
{
	(void)args;
	return open_one(kernel_files[probe_flags()].path, kernel_files[probe_flags()].flags);
}

static struct answer read_path(char **args)
{
	char buf[64];
	int fd = open(args[0], O_RDONLY | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, sizeof buf);
	return fd < 0 ? result(-1) : n < 0 && errno == EISDIR ? leak("%s was opened", args[0]) : n < 0 ?
			result(-1) : leak("%s: %zd bytes", args[0], n);
}

static struct answer write_path(char **args)
{
	int fd = open(args[0], O_WRONLY | O_CREAT | O_NONBLOCK, 0600);
	return fd < 0 ? result(-1) : result(write(fd, "probe\n", 6));
}

/* ---- devices ---- */

static struct answer make_device(char **args)
{
	(void)args;
	const char *path = fresh_path("device");
	mode_t kind = probe_flags() ? S_IFBLK : S_IFCHR;
	if (mknod(path, kind | 0600, probe_flags() ? makedev(8, 0) : makedev(1, 1)) < 0)
		return result(-1);
	int fd = open(path, O_RDONLY);
	unlink(path);
	return fd >= 0 ? leak("a device was made and opened") : done();
}

static bool known_device(dev_t d)
{
	return (major(d) == 1 && (minor(d) == 3 || minor(d) == 5 || (minor(d) >= 7 && minor(d) <= 9))) ||
			major(d) == 5 || (major(d) >= 136 && major(d) <= 143);
}

/* Whatever in /dev is more than null, zero, full, random, urandom and terminals. */
static struct answer devices(char **args)
{
	struct stat st;
	(void)args;
	DIR *d = opendir("/dev");
	for (struct dirent *e; d && (e = readdir(d));)
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
				(S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode)) && !known_device(st.st_rdev))
			return leak("/dev/%s (%u:%u)", e->d_name, major(st.st_rdev), minor(st.st_rdev));
	return absent("other devices");
}

const struct probe probes_mount[] = {
	{"mount", mount_tmpfs, 0, NULL},
	{"mount-proc", mount_proc, 0, NULL},
	{"mount-bind", mount_bind, 0, NULL},
	{"remount", remount, 0, NULL},
	{"remount-super", remount_super, 0, NULL},
	{"propagate", propagate, 0, NULL},
	{"chroot", chroot_escape, 0, NULL},
	{"fsopen", fs_open, 0, NULL},
	{"open-tree", open_tree_of, 0, NULL},
	{"mount-setattr", set_attributes, 0, NULL},
	{"move-mount", move_a_mount, 0, NULL},
	{"walk-up", walk_up, 0, NULL},
	{"write-root", write_root, 0, NULL},
	{"core-pattern", kernel_file, 0, NULL},
	{"sysrq", kernel_file, 1, NULL},
	{"dev-mem", kernel_file, 2, NULL},
	{"dev-kmsg", kernel_file, 3, NULL},
	{"kcore", kernel_file, 4, NULL},
	{"proc-sys", kernel_file, 5, NULL},
	{"proc-sys-user", kernel_file, 6, NULL},
	{"uevent-helper", kernel_file, 7, NULL},
	{"binfmt", kernel_file, 8, NULL},
	{"mknod", make_device, 0, NULL},
	{"mknod-block", make_device, 1, NULL},
	{"devices", devices, 0, NULL},
	{"umount", umount_path, 0, NULL}, /* last: where they work, the others have nothing left to look at */
	{"pivot", pivot, 0, NULL},
	{"read", read_path, 0, "PATH"},
	{"write", write_path, 0, "PATH"},
	{NULL, NULL, 0, NULL},
};
