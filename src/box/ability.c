/*
 * Can this host make any box at all? box_try() makes one for nothing: no workspace, no paths, no policy, so
 * that nothing a program left in a workspace can make it fail. A failure counts as the host's only when the
 * kernel refuses the kind of thing. A lack of descriptors, processes, memory or names may be another
 * program's doing, and passes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/utsname.h>

#include "box/ns.h"
#include "sys/file.h"

#define TRY_MS 10000

static const int refusals[] = {EPERM, EACCES, ENOSYS, EINVAL, ENODEV, EOPNOTSUPP};

/* A namespace limit of 0 also fails with ENOSPC, like one that is used up. */
static const char namespace_limits[][40] = {
	"/proc/sys/user/max_user_namespaces", "/proc/sys/user/max_pid_namespaces",
	"/proc/sys/user/max_mnt_namespaces", "/proc/sys/user/max_net_namespaces",
	"/proc/sys/user/max_ipc_namespaces", "/proc/sys/user/max_uts_namespaces",
	"/proc/sys/user/max_cgroup_namespaces",
};

bool box_inside(void)
{
	struct utsname u;

	return uname(&u) == 0 && !strcmp(u.nodename, NS_HOSTNAME) &&
			prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 &&
			prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER;
}

static bool is_zero(const char *path)
{
	FD_CLEANUP int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[2];

	return fd >= 0 && read(fd, text, sizeof(text)) == (ssize_t)sizeof(text) && text[0] == '0' &&
			text[1] == '\n';
}

static bool is_refusal(const struct err *why)
{
	if (box_inside())
		return true;
	if (why->kind != ERR_SYSTEM)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++)
		if (refusals[i] == why->errnum)
			return true;
	if (why->errnum != ENOSPC)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(namespace_limits); i++)
		if (is_zero(namespace_limits[i]))
			return true;
	return false;
}

enum box_ability box_try(struct arena *a, const struct backend *b, struct err *ret_why)
{
	static char *const argv[] = {"/bin/sh", "-c", ":", NULL};
	const struct spec s = {
			.argv = argv, .home = STR("/home/box"), .input = -1, .limits =
					{
							.cpu_milli = 1000, .pids = 16, .memory = 256 * MB,
							.scratch = MB, .output = MB, .time_ms = TRY_MS,
					},
	};
	struct outcome o = {0};
	struct box box = {0};

	*ret_why = (struct err){0};
	if (box_run(&box, a, b, &(struct box_start){0}, &s, NULL, &o, ret_why) != 0)
		return is_refusal(ret_why) ? BOX_IMPOSSIBLE : BOX_UNSURE;
	box_wait(&box, &o);
	return BOX_POSSIBLE;
}
