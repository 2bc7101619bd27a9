/* Namespaces and privileges. The C library has no wrapper for clone3(), so it is called by number. */
#define _GNU_SOURCE
#include "sys/namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/nsfs.h>
#include <linux/sched.h>
#include <linux/securebits.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/num.h"
#include "sys/process.h"

#define PROC_NAME_MAX 64
#define MAP_TEXT_MAX 64
#define MAPS_MAX 16384 /* bytes of a uid_map, which has at most 340 lines */
#define CAPABILITIES_MAX 64 /* bits in the kernel's capability sets */

/* `parent`: CLONE_PARENT, or 0. */
static pid_t clone_init(int into, uint64_t parent, int *ret_pidfd)
{
	int pidfd = -1;
	struct clone_args args = {.flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_PIDFD | parent,
			.exit_signal = parent ? 0 : SIGCHLD}; /* 0: that of the caller */
	pid_t pid;

	args.pidfd = (uint64_t)(uintptr_t)&pidfd;
	if (into >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)into;
	}
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (pid > 0)
		*ret_pidfd = pidfd;
	return pid;
}

pid_t namespace_clone(int into, int *ret_pidfd) { return clone_init(into, 0, ret_pidfd); }

#define MIDWIFE_STACK ((size_t)128 << 10) /* the child goes on with a copy of it */

struct midwife {
	const struct namespace_birth *how;
	pid_t pid;
	int pidfd;
	struct err err;
};

/* Root may enter the network at once. Others need the powers of its owner, which change what is dumpable. */
int namespace_enter_network(int network, struct err *e)
{
	if (setns(network, CLONE_NEWNET) == 0)
		return 0;
	FD_CLEANUP int owner = errno == EPERM ? ioctl(network, NS_GET_USERNS) : -1;
	if (owner < 0 || setns(owner, CLONE_NEWUSER) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0 ||
			setns(network, CLONE_NEWNET) != 0)
		return err_system(e, "cannot enter the network of the project's other boxes");
	return 0;
}

int namespace_error(struct err *e, int why, const char *what)
{
	if (why != ENOSPC)
		return err_set(e, ERR_SYSTEM, why,
				"cannot make %s (caisson doctor says what this host lacks)", what);
	err_host(e, "cannot make %s: the limit user.max_user_namespaces, or another user.max_*_namespaces, "
			"is reached (sysctl -w user.max_user_namespaces=15000 raises it)", what);
	/* is_refusal() in box/ability.c tells a used-up limit from a missing feature by this. */
	if (e)
		e->errnum = why;
	return -1;
}

static int bear(void *arg)
{
	struct midwife *m = arg;

	if (namespace_enter_network(m->how->network, &m->err) != 0)
		return 1;
	m->pid = clone_init(m->how->into, CLONE_PARENT, &m->pidfd);
	if (!m->pid) {
		m->how->born(m->how->ctx);
		_exit(1);
	}
	if (m->pid < 0)
		namespace_error(&m->err, errno, "the namespaces of the box");
	else if (m->how->map(m->how->ctx, m->pid, &m->err) != 0)
		kill(m->pid, SIGKILL);
	return 0;
}

/* The midwife shares memory and descriptors with us, and lives until the child is born. */
pid_t namespace_clone_beside(const struct namespace_birth *how, int *ret_pidfd, struct err *e)
{
	struct midwife m = {.how = how, .pid = -1, .pidfd = -1};
	char *stack = mmap(NULL, MIDWIFE_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pid = stack == MAP_FAILED ? -1
					: clone(bear, stack + MIDWIFE_STACK,
							  CLONE_VM | CLONE_VFORK | CLONE_FILES | SIGCHLD, &m);

	if (pid < 0)
		err_system(&m.err, "cannot start a process that makes the box");
	process_wait(pid);
	if (stack != MAP_FAILED)
		munmap(stack, MIDWIFE_STACK);
	if (m.pid > 0)
		*ret_pidfd = m.pidfd; /* also after a failure: the caller ends the child */
	if (m.err.kind)
		*e = m.err;
	return m.pid;
}

int namespace_leave(void) { return unshare(CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP); }

/* ---- maps ---- */

static int write_proc(pid_t pid, const char *name, const char *text, struct err *e)
{
	char path[PROC_NAME_MAX];

	str_put(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	FD_CLEANUP int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return err_system(e, "cannot set up the users of the box ('%s')", name);
	return 0;
}

int namespace_map(pid_t child, uid_t inside_uid, uid_t outside_uid, gid_t inside_gid, gid_t outside_gid,
		bool may_drop_groups, struct err *e)
{
	char uids[MAP_TEXT_MAX], gids[MAP_TEXT_MAX];

	str_put(uids, sizeof(uids), "%u %u 1", inside_uid, outside_uid);
	str_put(gids, sizeof(gids), "%u %u 1", inside_gid, outside_gid);
	if (!may_drop_groups && write_proc(child, "setgroups", "deny", e) != 0)
		return -1;
	return write_proc(child, "gid_map", gids, e) == 0 ? write_proc(child, "uid_map", uids, e) : -1;
}

/* Returns the next number of a map, or -1. */
static int64_t next_number(struct str text, size_t *at)
{
	size_t from, to;
	int64_t n;

	for (from = *at; from < text.n && (text.p[from] == ' ' || text.p[from] == '\n'); from++)
		;
	for (to = from; to < text.n && text.p[to] != ' ' && text.p[to] != '\n'; to++)
		;
	*at = to;
	return num_parse(str_sub(text, from, to), 0, UINT32_MAX, &n) == 0 ? n : -1;
}

bool namespace_knows(uid_t id)
{
	FD_CLEANUP int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
	char text[MAPS_MAX];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	struct str map = str_n(text, n < 0 ? 0 : (size_t)n);

	for (size_t at = 0; at < map.n;) { /* each line: first id here, first id outside, count */
		int64_t first = next_number(map, &at), outside = next_number(map, &at),
				count = next_number(map, &at);

		if (outside >= 0 && first >= 0 && id >= first && id - first < count)
			return true;
	}
	return false;
}

#define HOLDER_STACK 8192

/* Keeps a user namespace alive until it is killed. */
static int hold_namespace(void *parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == *(const pid_t *)parent) /* false if the parent died before prctl() */
		pause();
	_exit(0);
}

/*
 * The holder shares our memory (CLONE_VM) and does not change it: copying the memory takes longer than
 * everything else here.
 */
int namespace_for_idmap(uid_t from_uid, uid_t to_uid, gid_t from_gid, gid_t to_gid, struct err *e)
{
	char path[PROC_NAME_MAX], stack[HOLDER_STACK] __attribute__((aligned(16)));
	pid_t parent = getpid(), pid;
	int fd = -1;

	pid = clone(hold_namespace, stack + HOLDER_STACK, CLONE_NEWUSER | CLONE_VM | SIGCHLD, &parent);
	if (pid < 0)
		return err_system(e, "cannot make a user namespace");
	if (namespace_map(pid, from_uid, to_uid, from_gid, to_gid, true, e) == 0) {
		str_put(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			err_system(e, "cannot open '%s'", path);
	}
	kill(pid, SIGKILL);
	process_wait(pid);
	return fd;
}

/* ---- network ---- */

int loopback_up(void)
{
	FD_CLEANUP int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP};

	return fd < 0 ? -1 : ioctl(fd, SIOCSIFFLAGS, &lo);
}

/* ---- privileges ---- */

/* The kernel returns EINVAL after its last capability. */
static int bounding_drop(void)
{
	for (unsigned long cap = 0; cap < CAPABILITIES_MAX; cap++)
		if (prctl(PR_CAPBSET_DROP, cap) != 0)
			return errno == EINVAL && cap > 0 ? 0 : -1;
	return 0;
}

int privileges_bound(void)
{
	unsigned long locked = SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
			SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
			       SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED;

	if (bounding_drop() != 0 || prctl(PR_SET_SECUREBITS, locked) != 0)
		return -1;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

int privileges_drop(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

	/* gVisor has no ambient capabilities (EINVAL) */
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0 && errno != EINVAL)
		return -1;
	if (syscall(SYS_capset, &head, none) != 0)
		return -1;
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

int limit_lower(int what, uint64_t n)
{
	struct rlimit l;

	if (getrlimit(what, &l) != 0)
		return -1;
	if (l.rlim_max != RLIM_INFINITY && n > l.rlim_max)
		n = l.rlim_max;
	l.rlim_cur = l.rlim_max = n;
	return setrlimit(what, &l);
}

int limit_share(int what, unsigned parts, uint64_t most)
{
	struct rlimit l;

	if (getrlimit(what, &l) != 0)
		return -1;
	return limit_lower(what, l.rlim_cur == RLIM_INFINITY || l.rlim_cur / parts > most ? most :
			l.rlim_cur / parts);
}

void process_spare_others(void)
{
	FD_CLEANUP int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	(void)!write(fd, "1000", 4);
}

static void share_count(const char *of_host, const char *of_namespace, unsigned parts)
{
	FD_CLEANUP int from = open(of_host, O_RDONLY | O_CLOEXEC),
			to = open(of_namespace, O_WRONLY | O_CLOEXEC);
	char text[MAP_TEXT_MAX];
	ssize_t n = from < 0 || to < 0 ? -1 : read(from, text, sizeof(text));
	int64_t all;

	if (n <= 1 || num_parse(str_n(text, (size_t)n - 1), 0, INT32_MAX, &all) != 0)
		return;
	n = (ssize_t)str_put(text, sizeof(text), "%jd", (intmax_t)(all / parts));
	(void)!write(to, text, (size_t)n);
}

void namespace_share_inotify(unsigned parts)
{
	share_count("/proc/sys/fs/inotify/max_user_instances", "/proc/sys/user/max_inotify_instances", parts);
	share_count("/proc/sys/fs/inotify/max_user_watches", "/proc/sys/user/max_inotify_watches", parts);
}
