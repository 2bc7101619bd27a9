/*
 * The guest in a kernel that is not the host's (GUEST_OWN_KERNEL). guest.h has the theory.
 *
 * gVisor lets a program kill pid 1 and look into it if both have the same user. So the guest takes another
 * one before it starts the program, whose process goes back to the user of the box. The guest keeps the
 * privilege to kill.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box/guest.h"
#include "sys/file.h"
#include "sys/namespace.h"

#define GROUPS "/sys" /* empty in a box */
#define NOBODY 65534
#define GUEST_ID 65533 /* of the guest, while the program has another */

/*
 * gVisor opens no device for writing in a directory that is read-only. So nobody owns /dev and its nodes: the
 * program may be root there, and has no privilege.
 */
int guest_disown_devices(struct err *e)
{
	static const char paths[][16] = {"/dev", "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
			"/dev/urandom", "/dev/tty", "/dev/console", "/dev/ptmx"};

	static const char unwanted[][16] = {"/dev/fuse", "/dev/net/tun"};
	struct op op;

	for (size_t i = 0; i < ARRAY_SIZE(unwanted); i++)
		if (unlink(unwanted[i]) != 0 && errno != ENOENT)
			return err_system(e, "cannot remove '%s' in the box", unwanted[i]);
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if (lchown(paths[i], NOBODY, NOBODY) != 0 && errno != ENOENT)
			return err_system(e, "cannot guard '%s' in the box", paths[i]);
	/* runsc hides no paths by itself; in a box /run is not empty, but /sys is */
	for (size_t i = 0; plan_usual(i, &op); i++)
		if (op.kind == OP_MASK &&
				mount(strcmp(op.source, "/run") != 0 ? op.source : GROUPS, op.target, NULL,
						MS_BIND, NULL) != 0 &&
				errno != ENOENT)
			return err_system(e, "cannot cover '%s' in the box", op.target);
	return 0;
}

static int set_capabilities(unsigned bits)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {
			{.effective = bits, .permitted = bits}};

	return (int)syscall(SYS_capset, &head, data);
}

#define CAP(name) (1u << CAP_##name)

static int set_ids(uid_t uid, gid_t gid)
{
	if (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0)
		return -1;
	return setresuid(uid, uid, uid);
}

int guest_leave_user(struct err *e)
{
	return limit_lower(RLIMIT_CORE, NS_CORE_BYTES) == 0 && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 &&
					set_ids(GUEST_ID, GUEST_ID) == 0 &&
					set_capabilities(CAP(SETUID) | CAP(SETGID) | CAP(SETFCAP) |
							 CAP(SYS_ADMIN) | CAP(KILL)) == 0
			? 0
			: err_system(e, "cannot guard the first process of the box");
}

int guest_keep_kill(struct err *e)
{
	return set_capabilities(CAP(KILL)) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
			? 0
			: err_system(e, "cannot drop privileges");
}

int guest_return_to_user(const struct guest_user *u, struct err *e)
{
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0 || set_ids(u->outer_uid, u->outer_gid) != 0 ||
			set_capabilities(CAP(SETUID) | CAP(SETGID) | CAP(SETFCAP) | CAP(SYS_ADMIN)) != 0)
		return err_system(e, "cannot become the user of the box");
	(void)prctl(PR_SET_DUMPABLE, 1); /* or the map in /proc is root's */
	if ((u->outer_uid != u->uid || u->outer_gid != u->gid) && guest_map(u->uid, u->gid, 0, e) != 0)
		return -1;
	(void)privileges_bound(); /* it ends with the first capability that gVisor does not know */
	return 0;
}

/*
 * The group ends with its mount, so that one stays below another. The program has no privilege to uncover it.
 */
int guest_limit_processes(uint32_t pids, struct err *e)
{
	char word[16];

	str_put(word, sizeof(word), "%u", (unsigned)pids + 1);
	if (mount("none", GROUPS, "cgroup", 0, "pids") != 0 || mkdir(GROUPS "/box", 0755) != 0 ||
			file_put_word(GROUPS "/box/pids.max", word) != 0 ||
			file_put_word(GROUPS "/box/cgroup.procs", "0") != 0)
		return err_system(e, "cannot limit the processes of the box");
	if (mount("none", GROUPS, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4096") != 0)
		return err_system(e, "cannot limit the processes of the box");
	/* gVisor shows the memory map of a process to everybody */
	return mount(GROUPS, "/proc/1", NULL, MS_BIND, NULL) == 0
			? 0
			: err_system(e, "cannot guard the first process of the box");
}
