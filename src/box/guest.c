/*
 * pid 1 in a container of another engine. guest.h has the theory. It is a process of its own, so unlike init
 * it may allocate, but needs not.
 *
 *   1. finds the launcher, says hello, takes the streams and the brief
 *   2. compares the container with the plan
 *   3. makes the files of the plan that lie in empty directories
 *   4. forks the program, and reaps until it has ended; then kills the rest, and tells
 */
#define _GNU_SOURCE
#include "box/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/num.h"
#include "box/program.h"
#include "box/vm.h"
#include "sys/directory.h"
#include "sys/fds.h"
#include "sys/namespace.h"
#include "sys/process.h"
#include "sys/title.h"

#define MOUNTS_MAX ((size_t)4 << 20) /* bytes of the list of mounts */
#define INTERFACES_MAX 64
#define COUNTERS_MS 5000 /* for the launcher to read what the box has used */

/* ---- the plan, for launcher and guest ---- */

struct identity guest_namespace(enum guest_namespace n)
{
	static const char paths[][20] = {"/proc/self/ns/mnt", "/proc/self/ns/pid", "/proc/self/ns/ipc",
			"/proc/self/ns/uts", "/proc/self/ns/net"};
	struct stat st;

	if (stat(paths[n], &st) != 0)
		return (struct identity){0};
	return (struct identity){st.st_dev, st.st_ino};
}

static bool is_mount(const struct op *op)
{
	return op->kind == OP_BIND || op->kind == OP_SCRATCH || op->kind == OP_INSIDE ||
	       op->kind == OP_EMPTY || op->kind == OP_COVER;
}

static bool is_at_or_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (!path[n] || path[n] == '/');
}

const struct op *guest_mount_of(const struct op *ops, const char *path)
{
	const struct op *found = NULL;

	for (const struct op *op = ops; op; op = op->next)
		if (is_mount(op) && is_at_or_below(path, op->target) &&
				(!found || strlen(op->target) >= strlen(found->target)))
			found = op;
	return found;
}

bool guest_makes(const struct op *ops, const struct op *op)
{
	const struct op *on = guest_mount_of(ops, op->target);

	return on && on->kind == OP_SCRATCH &&
	       (op->kind == OP_FILE || op->kind == OP_LINK || op->kind == OP_DIR);
}

/* ---- hello ---- */

static int connect_to(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	FD_CLEANUP int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int ret = fd;

	if (strlen(path) >= sizeof(at.sun_path) || fd < 0)
		return -1;
	memcpy(at.sun_path, path, strlen(path) + 1);
	if (connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
		return -1;
	fd = -1;
	return ret;
}

static int find_talk(const char *where)
{
	int64_t fd;

	if (where[0] == '/')
		return connect_to(where);
	if (num_parse(str_of(where), 0, 1024, &fd) != 0)
		return -1;
	if (fd > STDERR_FILENO)
		return fcntl((int)fd, F_SETFD, FD_CLOEXEC) == 0 ? (int)fd : -1;
	return fcntl((int)fd, F_DUPFD_CLOEXEC, GUEST_TALK_FD);
}

/*
 * The kernel fills in the pid as the launcher sees it. One that is not the host's cannot send credentials;
 * there the host adds those of the process that is this kernel.
 */
static int say_hello(int talk)
{
	struct ucred self = {.pid = getpid(), .uid = geteuid(), .gid = getegid()};
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(struct ucred))];
	} control = {0};
	struct iovec io = {.iov_base = "", .iov_len = 1};
	struct msghdr m = {.msg_iov = &io,
			.msg_iovlen = 1,
			.msg_control = &control,
			.msg_controllen = sizeof(control)};

	control.head.cmsg_len = CMSG_LEN(sizeof(self));
	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_CREDENTIALS;
	memcpy(CMSG_DATA(&control.head), &self, sizeof(self));
	return sendmsg(talk, &m, MSG_NOSIGNAL) == 1 || send(talk, "", 1, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

/* ---- comparing the container with the plan ---- */

static int check_namespaces(const struct guest_hello *h, struct err *e)
{
	static const char names[][16] = {"mount", "process", "IPC", "host name", "network"};

	if (getpid() != 1)
		return err_set(e, ERR_SYSTEM, 0, "the engine gave the box no process namespace of its own");
	for (enum guest_namespace n = 0; n < GUEST_NAMESPACES; n++) {
		struct identity own = guest_namespace(n);

		if (n == GUEST_NET && !h->isolated)
			continue;
		if (!identity_known(own) || identity_same(own, h->outside[n]))
			return err_set(e, ERR_SYSTEM, 0, "the engine gave the box no %s namespace of its own",
					names[n]);
	}
	return 0;
}

/* The container's network must have nothing but its loopback. */
static int check_interfaces(const struct guest_hello *h, struct err *e)
{
	FD_CLEANUP int s = h->isolated ? socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
	struct if_nameindex *list = s < 0 ? NULL : if_nameindex();
	int rc = 0;

	if (h->isolated && !list)
		return err_set(e, ERR_SYSTEM, errno, "cannot list the interfaces of the box");
	for (size_t i = 0; list && list[i].if_index && i < INTERFACES_MAX && rc == 0; i++) {
		struct ifreq r = {0};

		str_put(r.ifr_name, sizeof(r.ifr_name), "%s", list[i].if_name);
		if (ioctl(s, SIOCGIFFLAGS, &r) != 0 ||
				(r.ifr_flags & IFF_UP && !(r.ifr_flags & IFF_LOOPBACK)))
			rc = err_set(e, ERR_SYSTEM, 0, "the engine gave the box the network interface '%s'",
					r.ifr_name);
	}
	if (list)
		if_freenameindex(list);
	return rc;
}

static bool is_mount_root(const struct statx *st)
{
	return !(st->stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) ||
	       st->stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

/*
 * Every source was looked at before the engine mounted it by its path. A protected name of the workspace is
 * a mount of its own file: the right file without a mount on it protects nothing.
 */
static int check_identity(const struct ns_task *t, const struct op *op, struct err *e)
{
	struct statx st;

	if (!identity_known(op->expected) || guest_mount_of(t->ops, op->target) != op)
		return 0;
	if (statx(AT_FDCWD, op->target, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_INO, &st) != 0)
		return err_set(e, ERR_SYSTEM, errno, "the engine did not mount '%s'", op->target);
	errno = ESTALE;
	return identity_same((struct identity){makedev(st.stx_dev_major, st.stx_dev_minor), st.stx_ino},
			       op->expected) &&
			       is_mount_root(&st)
			       ? 0
			       : op_unusable(op, e);
}

static int check_identities(const struct ns_task *t, struct err *e)
{
	for (const struct op *op = t->ops; op; op = op->next)
		if (is_mount(op) && check_identity(t, op, e) != 0)
			return -1;
	return 0;
}

/* Parts of /dev and /proc are the engine's own. */
static bool is_engines(const char *path)
{
	static const char paths[][16] = {"/proc", "/dev/pts", "/dev/shm", "/dev/null", "/dev/zero",
			"/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/console", "/dev/ptmx"};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		if (!strcmp(path, paths[i]))
			return true;
	return false;
}

/* Its file system is the host's. */
static bool is_device(const char *path)
{
	return is_engines(path) && strcmp(path, "/dev/shm") != 0;
}

static bool may_be_writable(const struct ns_task *t, const char *path)
{
	const struct op *op = guest_mount_of(t->ops, path);

	return is_engines(path) || (op && op->flags & OP_WRITABLE && !(op->flags & OP_LOWER));
}

static char *field(char *line, int n)
{
	char *p = line;

	for (int i = 1; p && i < n; i++) {
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	return p;
}

/* The sixth field has the options of the mount. */
static bool is_listed_read_only(char *line)
{
	const char *options = field(line, 6);

	return options && !strncmp(options, "ro", 2) && strchr(" ,", options[2]);
}

/* One line of mountinfo: its fifth field is the mount point, with octal escapes. In place. */
static char *mount_point(char *line)
{
	char *p = field(line, 5), *to, *from;

	if (!p)
		return NULL;
	for (to = from = p; *from && *from != ' ';)
		if (from[0] == '\\' && from[1] && from[2] && from[3]) {
			*to++ = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else
			*to++ = *from++;
	*to = 0;
	return p;
}

static int own(const char *path, struct err *e)
{
	struct stat st;

	return stat(path, &st) == 0 && (st.st_uid == geteuid() || chown(path, geteuid(), getegid()) == 0)
			? 0
			: err_system(e, "cannot give '%s' to the box", path);
}

/*
 * Empty files fill no tmpfs, but their number is limited in each. A kernel of its own keeps them in memory
 * that counts for the box.
 */
static int check_files(const struct guest_hello *h, const char *path, struct err *e)
{
	char option[48];
	struct statfs kind;
	struct statvfs fs;
	uint64_t most;

	if (statfs(path, &kind) != 0 || kind.f_type != TMPFS_MAGIC || statvfs(path, &fs) != 0 ||
			is_device(path))
		return 0;
	most = (uint64_t)fs.f_blocks * fs.f_frsize / STAGE_INODE_BYTES + 2;
	str_put(option, sizeof(option), "nr_inodes=%llu", (unsigned long long)most);
	if (h->finishes & GUEST_FINISHES_FILES) {
		if (mount(NULL, path, NULL, MS_REMOUNT | MS_NOSUID | MS_NODEV, option) != 0)
			return err_set(e, ERR_SYSTEM, errno, "cannot limit the number of files in '%s'",
					path);
	}
	if (h->finishes & (GUEST_FINISHES_FILES | GUEST_OWN_KERNEL) && own(path, e) != 0)
		return -1;
	if (h->finishes & GUEST_OWN_KERNEL && fs.f_blocks)
		return 0;
	if (statvfs(path, &fs) != 0 || !fs.f_blocks || !fs.f_files || fs.f_files > most)
		return err_set(e, ERR_SYSTEM, 0, "the engine left '%s' without a limit in the box", path);
	return 0;
}

/* The node lies in the container's own /dev: a change of its mode is nobody else's. */
static bool is_own_device(const struct guest_hello *h, const struct stat *node)
{
	struct stat dev;

	return stat("/dev", &dev) == 0 && dev.st_dev == node->st_dev && dev.st_dev != h->devices;
}

/* An engine hides a file of /proc behind it, and a rootless one has only the host's. */
static bool is_null_device(const struct guest_hello *h, const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3) &&
	       (st.st_uid != geteuid() || is_own_device(h, &st));
}

/* A mount that another one hides has no path any more. `listed`: the list of mounts has it as read-only. */
static int check_mount(const struct guest_hello *h, const struct ns_task *t, const char *path, bool listed,
		struct err *e)
{
	bool own_kernel = h->finishes & GUEST_OWN_KERNEL; /* its mounts have no flags but in the list */
	struct statvfs fs;

	if (statvfs(path, &fs) != 0 || (own_kernel ? listed : fs.f_flag & ST_RDONLY) ||
			is_null_device(h, path))
		return 0;
	if (own_kernel && !strcmp(path, "/dev"))
		return 0; /* guest_disown_devices() */
	if (may_be_writable(t, path))
		return check_files(h, path, e);
	return err_set(e, ERR_SYSTEM, 0, "the engine left '%s' writable in the box", path);
}

static int check_mounts(const struct guest_hello *h, const struct ns_task *t, struct err *e)
{
	char *text = malloc(MOUNTS_MAX);
	FD_CLEANUP int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got = 0;
	int rc = text && fd >= 0 ? 0 : err_set(e, ERR_SYSTEM, errno, "cannot list the mounts of the box");

	while (rc == 0 && n < MOUNTS_MAX - 1 && (got = read(fd, text + n, MOUNTS_MAX - 1 - n)) > 0)
		n += (size_t)got;
	if (rc == 0 && (got != 0 || n == 0))
		rc = err_set(e, ERR_SYSTEM, 0, "cannot list the mounts of the box");
	if (rc == 0)
		text[n] = 0;
	for (char *line = text, *end; rc == 0 && *line; line = end + 1) {
		const char *path;
		bool listed;

		end = strchr(line, '\n');
		if (!end)
			break;
		*end = 0;
		listed = is_listed_read_only(line);
		path = mount_point(line);
		rc = path ? check_mount(h, t, path, listed, e) : -1;
	}
	free(text);
	return rc;
}

/* /proc is read-only as in a native box, so that no kernel setting can be changed through it. */
static int finish_mounts(const struct guest_hello *h, struct err *e)
{
	static const char devices[][16] = {
			"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};

	if (!(h->finishes & GUEST_FINISHES_DEVICES))
		return 0;
	/* A box of root owns the nodes: without this it could change their modes. */
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		if (mount(NULL, devices[i], NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NOEXEC,
				    NULL) != 0)
			return err_set(e, ERR_SYSTEM, errno, "cannot mount '%s' in the box", devices[i]);
	if (mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
			    "newinstance,ptmxmode=0666,mode=0620,max=256") != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot mount '/dev/pts' in the box");
	if (mount(NULL, "/proc", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC,
			    NULL) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot mount '/proc' in the box");
	return h->finishes & GUEST_FINISHES_PROC ? guest_mask_processes(e) : 0;
}

static int check_container(const struct guest_hello *h, const struct ns_task *t, struct err *e)
{
	bool own_kernel = h->finishes & GUEST_OWN_KERNEL;

	if (h->finishes & GUEST_FINISHES_MOUNTS && guest_place_late(t->ops, e) != 0)
		return -1;
	if (finish_mounts(h, e) != 0 || check_interfaces(h, e) != 0)
		return -1;
	if (!own_kernel && (check_namespaces(h, e) != 0 || check_identities(t, e) != 0))
		return -1;
	if (check_mounts(h, t, e) != 0)
		return -1;
	if (!own_kernel)
		return 0;
	return guest_disown_devices(e) == 0 ? guest_limit_processes(t->limits.pids, e) : -1;
}

/* ---- files in empty directories ---- */

static int make_file(const struct op *op)
{
	FD_CLEANUP int fd = open(op->target, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
			op->flags & OP_EXECUTABLE ? 0755 : 0644);

	return fd >= 0 && write(fd, op->text, op->ntext) == (ssize_t)op->ntext ? 0 : -1;
}

static int make_parents(const char *target)
{
	char path[PATH_MAX];

	if (strlen(target) >= sizeof(path))
		return -1;
	for (size_t i = 1; target[i]; i++) {
		if (target[i] != '/')
			continue;
		memcpy(path, target, i);
		path[i] = 0;
		if (mkdir(path, 0755) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
			return -1;
	}
	return 0;
}

static int make_name(const struct op *op)
{
	if (make_parents(op->target) != 0)
		return -1;
	if (op->kind == OP_FILE)
		return make_file(op);
	if (op->kind == OP_LINK)
		return symlink(op->source, op->target);
	return mkdir(op->target, 0755) == 0 || errno == EEXIST ? 0 : -1;
}

static int make_files(const struct ns_task *t, struct err *e)
{
	for (const struct op *op = t->ops; op; op = op->next)
		if (guest_makes(t->ops, op) && make_name(op) != 0)
			return err_set(e, ERR_SYSTEM, errno, "cannot make '%s' in the box", op->target);
	return 0;
}

/* ---- the program ---- */

struct guest_run {
	struct program program;
	const struct guest_user *user; /* that the program's process returns to; NULL: it has it */
	int exec; /* EOF: the program's process has called exec, or has ended */
	int signals;
};

static void __attribute__((noreturn)) become_program(struct guest_run *g)
{
	struct program *p = &g->program;
	struct err e = {0};

	setsid();
	if ((!g->user || guest_return_to_user(g->user, &e) == 0) && program_enclose(p, &e) == 0 &&
			program_enter(p, &e) == 0)
		program_exec(p->task, &e);
	ns_tell_why(p->child->talk, &e);
	_exit(NS_LOST);
}

static int fork_program(struct guest_run *g, struct err *e)
{
	sigset_t child, before;
	int ends[2];

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &before);
	g->signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	if (g->signals < 0 || pipe2(ends, O_CLOEXEC) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot start a process in the box");
	g->exec = ends[0];
	g->program.pid = process_fork(NULL);
	if (g->program.pid < 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot start a process in the box");
	if (!g->program.pid) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		become_program(g);
	}
	close(ends[1]);
	return g->user ? guest_keep_kill(e) : 0;
}

/* Again and again: gVisor's kill() may miss a process that is being made. */
static void kill_others(void)
{
	pid_t pid;

	do {
		kill(-1, SIGKILL);
		pid = waitpid(-1, NULL, WNOHANG);
		if (pid == 0)
			(void)poll(NULL, 0, 1);
	} while (pid >= 0 || errno == EINTR);
}

static void __attribute__((noreturn)) end_box(const struct program *p, int status)
{
	struct ns_message dropped = {.kind = NS_DROPPED}, m = {.kind = NS_ENDED, .status = status};

	kill_others();
	if (ns_dropped(p->task->ops, dropped.err.text, sizeof(dropped.err.text)))
		(void)fds_send(p->child->talk, &dropped, sizeof(dropped), NULL, 0);
	getrusage(RUSAGE_CHILDREN, &m.usage);
	(void)fds_send(p->child->talk, &m, sizeof(m), NULL, 0);
	/* An engine removes the cgroup with its last process: the launcher reads the counters first. */
	(void)poll(&(struct pollfd){.fd = p->child->talk}, 1, COUNTERS_MS);
	_exit(0);
}

static void reap(const struct program *p)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0 || (pid < 0 && errno == EINTR))
		if (pid == p->pid)
			end_box(p, status);
	if (pid < 0)
		_exit(NS_LOST); /* the program's status is lost */
}

/* The program's process reads the socket up to its exec: the guest only looks for the launcher's end. */
static void __attribute__((noreturn)) reap_until_end(struct guest_run *g)
{
	const struct program *p = &g->program;
	struct signalfd_siginfo info;
	struct err e = {0};

	for (;;) {
		struct pollfd polls[] = {{.fd = g->signals, .events = POLLIN}, {.fd = p->child->talk},
				{.fd = g->exec, .events = POLLIN}};

		reap(p);
		if (poll(polls, ARRAY_SIZE(polls), -1) < 0)
			continue;
		if (polls[1].revents)
			_exit(NS_LOST); /* the launcher is gone */
		if (polls[2].revents) {
			fd_close(&g->exec);
			if (init_start_clock(p->task->limits.time_ms, &e) != 0)
				_exit(NS_LOST);
		}
		while (read(g->signals, &info, sizeof(info)) > 0)
			;
	}
}

static void close_streams(struct ns_child *c)
{
	fd_close(&c->in);
	fd_close(&c->out);
	fd_close(&c->err);
	fd_close(&c->null);
	(void)syscall(SYS_close_range, 0u, 2u, 0);
}

/* ---- steps ---- */

static int take_task(
		struct ns_child *c, struct guest_hello *ret, const struct ns_task **ret_task, struct err *e)
{
	int fds[GUEST_STREAMS];
	size_t n = GUEST_STREAMS;

	/* An engine may leave standard streams closed, and a stream of the program must not take their
	 * number. */
	do
		c->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (c->null >= 0 && c->null <= STDERR_FILENO);
	if (c->null < 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot open /dev/null");
	if (brief_open(e) != 0)
		return -1;
	if (fds_recv(c->talk, ret, sizeof(*ret), fds, &n, 0) != (ssize_t)sizeof(*ret) || n != GUEST_STREAMS)
		_exit(NS_LOST);
	c->in = fds[0];
	c->out = fds[1];
	c->err = fds[2];
	c->born_in = ret->born_in;
	*ret_task = brief_take_moved(c->talk, ret->brief);
	if (!*ret_task)
		_exit(NS_LOST);
	return 0;
}

/*
 * The engine started the guest as another user than the program's: a user namespace of the guest's own maps
 * them. Its capabilities hold for nothing that the engine made.
 */
static int become_user(const struct guest_hello *h, struct err *e)
{
	return geteuid() == h->uid && getegid() == h->gid ? 0 : guest_map(h->uid, h->gid, 0, e);
}

/*
 * A bounding set that the engine left open is of no use: there are no new privileges. Limits of
 * what the host's kernel counts by user are of no use in another kernel.
 */
static int guard_guest(const struct guest_hello *h, struct err *e)
{
	(void)privileges_bound();
	if (h->finishes & GUEST_OWN_KERNEL)
		return guest_leave_user(e);
	if (privileges_drop() != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot drop privileges");
	if (init_set_limits(e) != 0)
		return -1;
	return prctl(PR_SET_DUMPABLE, 0) == 0
			       ? 0
			       : err_set(e, ERR_SYSTEM, errno, "cannot protect the init process of the box");
}

static void tell_engine(const struct err *e)
{
	(void)!write(STDERR_FILENO, e->text, strlen(e->text));
	_exit(NS_LOST);
}

/* The program may read it in /proc. */
static void forget_environment(void)
{
	for (char **e = environ; e && *e; e++)
		memset(*e, 0, strlen(*e));
	clearenv();
}

static void __attribute__((noreturn)) run_guest(const char *where, const char *nest)
{
	struct ns_child child = {.talk = -1, .in = -1, .out = -1, .err = -1, .null = -1};
	struct guest_run g = {.program = {.child = &child}};
	struct guest_hello hello;
	struct guest_user user;
	struct err e = {0};
	bool own_kernel;

	init_default_signals();
	umask(022);
	forget_environment();
	if (nest && guest_nest(nest, &e) != 0)
		tell_engine(&e);
	child.talk = find_talk(where);
	title_set("guest");
	if (child.talk < 0 || say_hello(child.talk) != 0)
		_exit(NS_LOST);
	if (take_task(&child, &hello, &g.program.task, &e) != 0)
		goto failed;
	own_kernel = hello.finishes & GUEST_OWN_KERNEL;
	g.program.start_checked = own_kernel;
	user = (struct guest_user){geteuid(), hello.uid, getegid(), hello.gid};
	g.user = own_kernel ? &user : NULL;
	if (check_container(&hello, g.program.task, &e) != 0 ||
			(!own_kernel && become_user(&hello, &e) != 0) ||
			make_files(g.program.task, &e) != 0 || guard_guest(&hello, &e) != 0 ||
			fork_program(&g, &e) != 0)
		goto failed;
	close_streams(&child);
	reap_until_end(&g);
failed:
	ns_tell_why(child.talk, &e);
	_exit(NS_LOST);
}

void box_entry(int argc, char **argv)
{
	if ((argc == 3 || argc == 4) && !strcmp(argv[1], BOX_GUEST))
		run_guest(argv[2], argv[3]);
	if (argc >= 1 && !strcmp(argv[0], BOX_VM_AGENT) && getpid() == 1)
		vm_agent();
}
