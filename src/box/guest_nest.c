/* Namespaces that the guest makes by itself. guest.h has the theory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/num.h"
#include "box/guest.h"
#include "sys/file.h"
#include "sys/process.h"

int guest_map(uid_t uid, gid_t gid, int flags, struct err *e)
{
	struct {
		const char *path;
		char text[48];
	} files[] = {{"/proc/self/setgroups", "deny"}, {"/proc/self/uid_map", ""},
			{"/proc/self/gid_map", ""}};

	str_put(files[1].text, sizeof(files[1].text), "%u %u 1", (unsigned)uid, (unsigned)geteuid());
	str_put(files[2].text, sizeof(files[2].text), "%u %u 1", (unsigned)gid, (unsigned)getegid());
	if (unshare(CLONE_NEWUSER | flags) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot make a user namespace in the container");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		FD_CLEANUP int fd = open(files[i].path, O_WRONLY | O_CLOEXEC);
		ssize_t n = (ssize_t)strlen(files[i].text);

		if (i == 0 && fd < 0 && errno == ENOENT)
			continue; /* gVisor: groups cannot be set without an outer privilege */
		if (fd < 0 || write(fd, files[i].text, (size_t)n) != n)
			return err_set(e, ERR_SYSTEM, errno, "cannot write '%s' in the container",
					files[i].path);
	}
	return 0;
}

static int read_ids(const char *ids, uid_t *ret_uid, gid_t *ret_gid)
{
	const char *colon = strchr(ids, ':');
	int64_t uid, gid;

	if (!colon || num_parse(str_n(ids, (size_t)(colon - ids)), 0, UINT32_MAX - 1, &uid) != 0 ||
			num_parse(str_of(colon + 1), 0, UINT32_MAX - 1, &gid) != 0)
		return -1;
	*ret_uid = (uid_t)uid;
	*ret_gid = (gid_t)gid;
	return 0;
}

/* The other flags of a mount from outside are locked, so they stay. */
static int close_mount(const char *path, struct err *e)
{
	struct statvfs fs;
	unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY;

	if (statvfs(path, &fs) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot stat '%s' in the box", path);
	flags |= (fs.f_flag & ST_NOSUID ? MS_NOSUID : 0) | (fs.f_flag & ST_NODEV ? MS_NODEV : 0) |
		 (fs.f_flag & ST_NOEXEC ? MS_NOEXEC : 0) | (fs.f_flag & ST_NOATIME ? MS_NOATIME : 0) |
		 (fs.f_flag & ST_RELATIME ? MS_RELATIME : 0);
	return mount(NULL, path, NULL, flags, NULL) == 0
			       ? 0
			       : err_set(e, ERR_SYSTEM, errno, "cannot make '%s' read-only in the box", path);
}

/* Like OP_MASK in a native box. An engine may mount something in /run; /sys is as empty. */
static int mask(const struct op *op, struct err *e)
{
	const char *source = !strcmp(op->source, "/run") ? "/sys" : op->source;

	if (mount(source, op->target, NULL, MS_BIND, NULL) == 0)
		return close_mount(op->target, e);
	return errno == ENOENT ? 0
			       : err_set(e, ERR_SYSTEM, errno, "cannot cover '%s' in the box", op->target);
}

int guest_mask_processes(struct err *e)
{
	struct op op;

	for (size_t i = 0; plan_usual(i, &op); i++)
		if (op.kind == OP_MASK && mask(&op, e) != 0)
			return -1;
	return 0;
}

/* The /proc of the host's processes stays below, locked. */
static int show_processes(struct err *e)
{
	if (mount("proc", "/proc", "proc", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot mount '/proc' in the box");
	return guest_mask_processes(e);
}

static void __attribute__((noreturn)) await_child(pid_t child)
{
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	_exit(0);
}

int guest_nest(const char *ids, struct err *e)
{
	uid_t uid;
	gid_t gid;
	pid_t child;

	if (read_ids(ids, &uid, &gid) != 0)
		return err_set(e, ERR_INPUT, 0, "invalid user '%.40s' (expected UID:GID)", ids);
	if (guest_map(uid, gid, CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC, e) != 0)
		return -1;
	child = process_fork(NULL);
	if (child < 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot start a process in the box");
	if (child)
		await_child(child);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sethostname(NS_HOSTNAME, sizeof(NS_HOSTNAME) - 1) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot set the host name of the box");
	/* a manager of a user leaves the root writable */
	return close_mount("/", e) == 0 ? show_processes(e) : -1;
}
