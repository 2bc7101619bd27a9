/*
 * The features that a host can have, one row and one function each. Functions that try something in a child
 * end it with 0 or an errno as its exit status.
 */
#define _GNU_SOURCE
#include "box/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/ns_network.h"
#include "sys/landlock.h"
#include "sys/mounts.h"
#include "sys/namespace.h"
#include "sys/process.h"
#include "sys/scope.h"
#include "sys/seccomp.h"
#include "sys/tree_walk.h"

#define CHILD_SECONDS 5      /* a child that runs longer is killed */
#define TODO_MAX 512         /* bytes of one line */
#define SMALL_FILE_MAX 65536 /* bytes read from a file of /proc */
#define EACH(i, table) for (size_t i = 0; i < ARRAY_SIZE(table); i++)

struct probing {
	struct arena *a;
	const char *state;     /* the state directory; it may be missing */
	const char *dir;
	bool root, inside;     /* this process is in a box */
	bool users;            /* user namespaces work */
	struct cg_host cg;
	bool scoped;           /* the group is in a scope of the user's systemd manager */
	struct err no_scope;   /* the reason why there is no scope, if one was tried */
};

/* ---- the list ---- */

struct probe *probe_add(struct arena *a, struct probes *list, const char *id, const char *title,
		enum probe_weight weight)
{
	struct probe *p = arena_copy(a, (struct probe){.id = id, .title = title, .weight = weight});

	if (!list->end)
		list->end = &list->first;
	LIST_ADD(list->end, p);
	return p;
}

void probe_todo(struct arena *a, struct probe *p, const char *fmt, ...)
{
	char line[TODO_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	texts_add(a, &p->todo, str_dup(a, str_of(line)));
}

static void found(struct probe *p, enum probe_state state, struct str by)
{
	p->state = state;
	p->by = by;
}

/* ---- children ---- */

static int child_status(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status) == SIGALRM ? ETIMEDOUT : EINTR;
}

static int in_child(int (*fn)(void *), void *arg)
{
	pid_t pid = process_fork(NULL);

	if (pid < 0)
		return errno;
	if (!pid) {
		alarm(CHILD_SECONDS);
		_exit(fn(arg));
	}
	return child_status(pid);
}

/* The child in the box's namespaces: waits until its users are mapped, then runs fn. */
static void run_inside(const int start[2], const struct ns_user *u, int (*fn)(void *), void *arg)
		__attribute__((noreturn));
static void run_inside(const int start[2], const struct ns_user *u, int (*fn)(void *), void *arg)
{
	char go;

	alarm(CHILD_SECONDS);
	close(start[1]);
	if (read(start[0], &go, 1) != 1)
		_exit(ECANCELED);
	if (namespace_leave() != 0 || setresgid(u->gid, u->gid, u->gid) != 0 ||
			setresuid(u->uid, u->uid, u->uid) != 0)
		_exit(errno);
	_exit(fn(arg));
}

/* fn as the first process of the namespaces of a box, with its users; as in backend_ns.c. */
static int in_namespaces(int (*fn)(void *), void *arg)
{
	struct ns_user u = ns_user(getpid());
	FD_CLEANUP int pidfd = -1;
	struct err e = {0};
	int start[2], why;
	pid_t pid;

	if (pipe2(start, O_CLOEXEC) != 0)
		return errno;
	pid = namespace_clone(-1, &pidfd);
	why = pid < 0 ? errno : 0;
	if (!pid)
		run_inside(start, &u, fn, arg);
	close(start[0]);
	if (pid > 0 && namespace_map(pid, u.uid, u.outside_uid, u.gid, u.outside_gid, u.nobody, &e) == 0 &&
			write(start[1], "", 1) != 1)
		e.errnum = errno;
	close(start[1]);
	if (pid > 0)
		why = child_status(pid);
	return e.errnum ? e.errnum : why;
}

static int nothing(void *arg)
{
	(void)arg;
	return 0;
}

/* ---- small files ---- */

static struct str small_file(struct arena *a, const char *path)
{
	char text[SMALL_FILE_MAX];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));

	fd_close(&fd);
	return n <= 0 ? STR("") : str_dup(a, str_n(text, (size_t)n));
}

/* True if a system call filter of a container or a box is already loaded. */
static bool filtered(struct arena *a)
{
	return str_contains(small_file(a, "/proc/self/status"), STR("\nSeccomp:\t2"));
}

/* ---- namespaces ---- */

/* Settings that can keep users from creating user namespaces. The first one that does is reported. */
static const struct {
	char path[56], key[48];
	char bad;              /* the setting forbids it if its value starts with this character */
	bool root_too;
	char good[8];
} user_settings[] = {
	{"/proc/sys/user/max_user_namespaces", "user.max_user_namespaces", '0', true, "15000"},
	{"/proc/sys/kernel/unprivileged_userns_clone", "kernel.unprivileged_userns_clone", '0', false,
			"1"},
	{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
			"kernel.apparmor_restrict_unprivileged_userns", '1', false, "0"},
};

static void why_no_users(struct probing *h, struct probe *p, int why)
{
	EACH(i, user_settings) {
		struct str now = small_file(h->a, user_settings[i].path);

		if (!now.n || now.p[0] != user_settings[i].bad || (h->root && !user_settings[i].root_too))
			continue;
		found(p, PROBE_NO, str_fmt(h->a, "%s is %c", user_settings[i].key, user_settings[i].bad));
		if (strstr(user_settings[i].key, "apparmor"))
			probe_todo(h->a, p,
					"# for caisson alone: the AppArmor profile of caisson help box; for "
					"every program:");
		probe_todo(h->a, p, "echo %s=%s | sudo tee /etc/sysctl.d/60-caisson.conf",
				user_settings[i].key, user_settings[i].good);
		probe_todo(h->a, p, "sudo sysctl --system");
		return;
	}
	if (h->inside) {
		found(p, PROBE_NO, STR("this is already a box: run caisson outside of it"));
	} else if (filtered(h->a)) {
		found(p, PROBE_NO, STR("a system call filter refuses them (a container?)"));
		probe_todo(h->a, p, "# run caisson outside of the container, or start that with:");
		probe_todo(h->a, p,
				"docker run --security-opt seccomp=unconfined --security-opt "
				"systempaths=unconfined ...");
	} else if (why == ENOSPC) {
		found(p, PROBE_NO, STR("the limit user.max_user_namespaces is reached"));
		probe_todo(h->a, p, "sudo sysctl -w user.max_user_namespaces=15000");
	} else {
		found(p, PROBE_NO, str_fmt(h->a, "refused: %s", strerror(why)));
		probe_todo(h->a, p,
				why == EPERM || why == EACCES ? "# is this a chroot, or a security module's "
								"rule? run caisson outside of it"
							      : "# a kernel with CONFIG_USER_NS=y is needed");
	}
}

static int try_users(void *arg)
{
	(void)arg;
	return unshare(CLONE_NEWUSER) == 0 ? 0 : errno;
}

static void probe_users(struct probing *h, struct probe *p)
{
	int why = in_child(try_users, NULL);

	h->users = why == 0;
	if (why == 0)
		found(p, PROBE_YES, STR("the kernel"));
	else
		why_no_users(h, p, why);
}

static int try_namespace(void *arg)
{
	return unshare(CLONE_NEWUSER | *(const int *)arg) == 0 ? 0 : errno;
}

static void probe_namespaces(struct probing *h, struct probe *p)
{
	static const struct {
		int flag;
		char name[8];
	} kinds[] = {{CLONE_NEWNS, "mount"}, {CLONE_NEWPID, "pid"}, {CLONE_NEWNET, "net"},
			{CLONE_NEWIPC, "ipc"}, {CLONE_NEWUTS, "uts"}, {CLONE_NEWCGROUP, "cgroup"}};
	struct buf good, bad;
	int why;

	buf_init(&good, h->a, 0);
	buf_init(&bad, h->a, 0);
	EACH(i, kinds) {
		int flag = kinds[i].flag;
		struct buf *to = in_child(try_namespace, &flag) == 0 ? &good : &bad;

		buf_fmt(to, "%s%s", to->n ? " " : "", kinds[i].name);
	}
	why = bad.n ? 0 : in_namespaces(nothing, NULL);
	if (bad.n) {
		found(p, PROBE_NO, str_fmt(h->a, "missing: %.*s", STR_ARG(buf_view(&bad))));
		probe_todo(h->a, p,
				"# user.max_*_namespaces must not be 0, and the kernel must have them: "
				"sysctl -a | grep max_");
	} else if (why) {
		found(p, PROBE_NO, str_fmt(h->a, "users cannot be mapped: %s", strerror(why)));
		probe_todo(h->a, p,
				h->root ? "# root needs CAP_SETUID, CAP_SETGID and CAP_SYS_ADMIN here; or "
					  "run caisson as an ordinary user"
					: "# see caisson help box, AppArmor");
	} else {
		found(p, PROBE_YES, buf_view(&good));
	}
}

/* Makes the whole network of a box that reaches one host by name. */
static int try_names(void *arg)
{
	const struct ns_network want = {.ports = {443}, .nports = 1};
	struct err e = {0};
	int talk[2];

	(void)arg;
	if (unshare(CLONE_NEWNET) != 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, talk) != 0)
		return errno;
	if (ns_network_join(&want, talk[0], &e) == 0)
		return 0;
	return e.errnum ? e.errnum : EOPNOTSUPP;
}

static void probe_names(struct probing *h, struct probe *p)
{
	int why = in_namespaces(try_names, NULL);

	if (!why) {
		found(p, PROBE_YES, STR("a pair of virtual links to a relay"));
		return;
	}
	found(p, PROBE_NO, why == EOPNOTSUPP ? STR("the kernel has no virtual links (veth)")
			: str_fmt(h->a, "refused: %s", strerror(why)));
	probe_todo(h->a, p, why == EOPNOTSUPP ? "sudo modprobe veth   # the kernel needs CONFIG_VETH"
			: "# runs with --network NAME are refused; user.max_net_namespaces must allow two "
			  "for each box");
}

/* ---- mounts ---- */

static int try_mounts(void *arg)
{
	FD_CLEANUP int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	FD_CLEANUP int tree = mount_copy(AT_FDCWD, "/usr");
	FD_CLEANUP int fs = -1;
	FD_CLEANUP int at = -1;

	(void)arg;
	if (tree < 0 || mount_attributes(tree, MOUNT_READONLY | MOUNT_NODEV | MOUNT_BELOW) != 0)
		return errno;
	fs = mount_new("tmpfs", NULL, MOUNT_NODEV);
	at = open_beneath(top, "proc", O_PATH | O_DIRECTORY);
	return fs >= 0 && at >= 0 && mount_place(fs, at) == 0 ? 0 : errno;
}

static void probe_mounts(struct probing *h, struct probe *p)
{
	int why = in_namespaces(try_mounts, NULL);

	found(p, why ? PROBE_NO : PROBE_YES,
			why ? str_fmt(h->a, "refused: %s", strerror(why))
			    : STR("bind, read-only, tmpfs, by descriptors"));
	if (why == ENOSYS)
		probe_todo(h->a, p,
				"# a kernel with open_tree, fsopen and mount_setattr is needed (Linux 5.12 "
				"or later)");
	else if (why)
		probe_todo(h->a, p,
				"# a security module or a container forbids mounts in user namespaces; run "
				"caisson outside of it (caisson help box, AppArmor)");
}

static int try_overlay(void *arg)
{
	static const char *const options[][2] = {{"lowerdir", "/usr:."}, {"redirect_dir", "nofollow"},
			{"metacopy", "off"}, {NULL, NULL}};
	int fd = chdir(arg) == 0 ? mount_new("overlay", options, MOUNT_READONLY | MOUNT_NODEV) : -1;

	return fd < 0 ? errno : 0;
}

static void probe_overlay(struct probing *h, struct probe *p)
{
	int why = in_namespaces(try_overlay, (void *)h->dir);

	if (!why) {
		found(p, PROBE_YES, STR("an overlay: FIFOs, sockets and locks in them are the box's own"));
		return;
	}
	found(p, PROBE_PARTLY,
			str_fmt(h->a,
					"a mount: FIFOs and sockets in them lead outside (no overlay for "
					"users here: %s)",
					strerror(why)));
	probe_todo(h->a, p,
			"# a kernel with overlayfs in user namespaces is needed (Linux 5.11 or later: "
			"modprobe overlay)");
}

struct cache_probe {
	const char *dir; /* in the state directory, with `upper` and `work` */
	int tree;        /* a mount of it with mapped owners; -1: none is needed */
};

/* The overlay that setup.c makes for caches. */
static int try_caches(void *arg)
{
	static const char *const options[][2] = {{"lowerdir", "/usr"}, {"upperdir", "/sys/upper"},
			{"workdir", "/sys/work"}, {"userxattr", NULL}, {"redirect_dir", "nofollow"},
			{"metacopy", "off"}, {"index", "off"}, {"xino", "off"}, {"nfs_export", "off"},
			{"volatile", NULL}, {NULL, NULL}};
	const struct cache_probe *c = arg;
	int tree = c->tree >= 0 ? c->tree : mount_copy(AT_FDCWD, c->dir), fd = -1;

	if (tree >= 0 && mount_place_at(tree, AT_FDCWD, "/sys") == 0)
		fd = mount_new("overlay", options, MOUNT_NODEV);
	return fd < 0 ? errno : 0;
}

/* 0, or why there is no overlay whose upper layer is in this directory */
static int probe_layer(struct probing *h, const char *dir)
{
	struct cache_probe c = {dir, -1};
	FD_SCOPE users = {0}, tree = {0};
	struct err e = {0};

	if (ns_user(0).nobody) {
		uint32_t outside = ns_user(getpid()).outside_uid;

		fd_scope(&users, h->a, namespace_for_idmap(0, outside, 0, outside, &e));
		fd_scope(&tree, h->a, mount_copy(AT_FDCWD, dir));
		if (users.fd < 0 || tree.fd < 0 || mount_idmap(tree.fd, users.fd) != 0)
			return errno;
		c.tree = tree.fd;
	}
	return in_namespaces(try_caches, &c);
}

static void probe_caches(struct probing *h, struct probe *p)
{
	char dir[PATH_MAX], path[PATH_MAX + 8];
	int why;

	if (str_put(dir, sizeof(dir), "%s/probe.XXXXXX", h->state) >= sizeof(dir) || !mkdtemp(dir)) {
		found(p, PROBE_PARTLY, errno == ENOENT ?
				STR("not tried yet: the first run makes the directory for them") :
				STR("not tried: nothing can be written to the state directory"));
		return;
	}
	str_put(path, sizeof(path), "%s/upper", dir);
	why = mkdir(path, 0700) == 0 ? 0 : errno;
	str_put(path, sizeof(path), "%s/work", dir);
	if (!why)
		why = mkdir(path, 0700) == 0 ? probe_layer(h, dir) : errno;
	(void)tree_remove(AT_FDCWD, dir);
	if (!why) {
		found(p, PROBE_YES, STR("overlays: yours below, the project's own above"));
		return;
	}
	found(p, PROBE_PARTLY, str_fmt(h->a, "the project's own, or read-only (no overlay with the state "
			"directory: %s)", strerror(why)));
	probe_todo(h->a, p, "# the state directory must not be on an overlay itself (in a container, use a "
			"volume); Linux 5.13 or later");
}

static int try_proc(void *arg)
{
	int fd = mount_new("proc", NULL, MOUNT_READONLY | MOUNT_NODEV | MOUNT_NOEXEC);

	(void)arg;
	return fd < 0 ? errno : 0;
}

static void probe_proc(struct probing *h, struct probe *p)
{
	int why = in_namespaces(try_proc, NULL);

	if (!why) {
		found(p, PROBE_YES, STR("its own, of its own processes"));
		return;
	}
	found(p, PROBE_NO,
			why == EPERM ? STR("parts of /proc are hidden here (a container?)")
				     : str_fmt(h->a, "refused: %s", strerror(why)));
	probe_todo(h->a, p, "# start the container with a /proc that hides nothing:");
	probe_todo(h->a, p,
			"docker run --security-opt systempaths=unconfined ...   # podman: --security-opt "
			"unmask=ALL");
}

/*
 * For root, files are mapped to the user of the box, which the file system must support. Other callers keep
 * their own uid.
 */
static void probe_idmap(struct probing *h, struct probe *p)
{
	struct err e = {0};
	FD_SCOPE users = {0}, tree = {0};

	if (!ns_user(0).nobody) {
		found(p, PROBE_YES, STR("not needed: your files are yours in the box"));
		return;
	}
	fd_scope(&users, h->a, namespace_for_idmap(0, NS_ID_OUTSIDE, 0, NS_ID_OUTSIDE, &e));
	fd_scope(&tree, h->a, mount_copy(AT_FDCWD, h->dir));
	if (users.fd >= 0 && tree.fd >= 0 && mount_idmap(tree.fd, users.fd) == 0) {
		found(p, PROBE_YES, STR("idmapped mounts"));
		return;
	}
	found(p, PROBE_PARTLY,
			str_fmt(h->a, "root cannot lend files of this directory: %s", strerror(errno)));
	probe_todo(h->a, p,
			"# only boxes with a workspace here are affected: run caisson as the user who owns "
			"the files");
}

/* ---- system calls ---- */

static bool has_clone3(void)
{
	return syscall(SYS_clone3, NULL, 0) < 0 && errno != ENOSYS;
}

static bool has_openat2(void)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC};
	int fd = (int)syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof(how));

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static bool has_close_range(void)
{
	return syscall(SYS_close_range, ~0u, ~0u, 0u) == 0;
}

static bool has_pidfd(void)
{
	int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	bool good = fd >= 0 && syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) == 0;

	if (fd >= 0)
		close(fd);
	return good;
}

static void probe_calls(struct probing *h, struct probe *p)
{
	static const struct {
		const char *name;
		bool (*has)(void);
	} calls[] = {{"clone3", has_clone3}, {"openat2", has_openat2}, {"close_range", has_close_range},
			{"pidfd", has_pidfd}};
	struct buf good, bad;

	buf_init(&good, h->a, 0);
	buf_init(&bad, h->a, 0);
	EACH(i, calls) {
		struct buf *to = calls[i].has() ? &good : &bad;

		buf_fmt(to, "%s%s", to->n ? " " : "", calls[i].name);
	}
	found(p, bad.n ? PROBE_NO : PROBE_YES,
			bad.n ? str_fmt(h->a, "missing: %.*s", STR_ARG(buf_view(&bad))) : buf_view(&good));
	if (bad.n)
		probe_todo(h->a, p,
				h->inside ? "# this is already a box: run caisson outside of it"
					  : "# Linux 5.11 or later is needed, and no container's filter that "
					    "hides these calls");
}

static void probe_landlock(struct probing *h, struct probe *p)
{
	int version = landlock_version();

	if (version > 0) {
		found(p, PROBE_YES,
				str_fmt(h->a, "version %d: files%s%s", version, version >= 4 ? ", TCP" : "",
						version >= 6 ? ", signals, abstract sockets" : ""));
		return;
	}
	found(p, PROBE_NO, STR("missing: only mounts and namespaces protect files"));
	probe_todo(h->a, p,
			"cat /sys/kernel/security/lsm   # when landlock is not named there, add it in front "
			"of lsm= on the kernel's command line");
	probe_todo(h->a, p, "# and restart; a kernel with CONFIG_SECURITY_LANDLOCK=y is needed");
}

/* A filter that loads but does not filter is useless: it must refuse an Internet socket. */
static int try_filter(void *arg)
{
	int why, fd;

	(void)arg;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return errno;
	why = seccomp_load(false, false);
	if (why)
		return why;
	fd = socket(AF_INET, SOCK_STREAM, 0);
	return fd < 0 && unshare(CLONE_NEWUSER) != 0 ? 0 : EPROTO;
}

static void probe_filter(struct probing *h, struct probe *p)
{
	int why = in_child(try_filter, NULL);

	found(p, why ? PROBE_NO : PROBE_YES,
			!why                            ? STR("seccomp")
					: why == EPROTO ? STR("the filter loads but has no effect")
							: str_fmt(h->a, "refused: %s", strerror(why)));
	if (why)
		probe_todo(h->a, p, "# a kernel with CONFIG_SECCOMP_FILTER=y is needed");
}

/* ---- limits ---- */

static pid_t sleeper(void)
{
	pid_t pid = process_fork(NULL);

	if (pid)
		return pid;
	alarm(CHILD_SECONDS);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static void end_sleeper(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	child_status(pid);
}

/* As in backend_ns.c, with two processes that only sleep. */
static void try_scope(struct probing *h)
{
	const struct cg_scope two = {.first = sleeper(), .holder = sleeper()};
	struct cg_scope in = two;
	struct scope s = {0};
	struct cgroup cg = {0};
	struct err *e = &h->no_scope;

	in.unit = s.unit;
	if (two.first < 0 || two.holder < 0)
		err_system(e, "cannot fork");
	else if (scope_open(&s, e) == 0 && scope_ask(&s, (const pid_t[]){two.first, two.holder}, 2, e) == 0 &&
			scope_wait(&s, true, e) == 0)
		h->scoped = cg_make_in_scope(&cg, &in, CG_HAS_CPU, e) == 0;
	if (h->scoped)
		cg_describe(&cg, &h->cg);
	h->cg.into = false;
	end_sleeper(two.first);
	cg_remove(&cg);
	end_sleeper(two.holder);
	scope_close(&s);
}

/* The way to a cgroup depends on the manager of the hierarchy. */
static void todo_group(struct probing *h, struct probe *p)
{
	bool v2 = access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0,
	     systemd = access("/run/systemd/system", F_OK) == 0;

	if (access("/sys/fs/cgroup", F_OK) != 0) {
		probe_todo(h->a, p, "# no cgroups are mounted at /sys/fs/cgroup");
	} else if (!v2 || !systemd) {
		probe_todo(h->a, p, "sudo caisson run ...   # root may make groups");
		if (!v2 && systemd)
			probe_todo(h->a, p,
					"# or start the kernel with systemd.unified_cgroup_hierarchy=1, then "
					"users can have groups of their own");
		if (v2)
			probe_todo(h->a, p,
					"# or hand a directory of /sys/fs/cgroup with its controllers to "
					"this user (caisson help box); in a container: --cgroupns=private "
					"and a writable /sys/fs/cgroup");
	} else {
		if (h->no_scope.kind)
			probe_todo(h->a, p, "# your user manager (systemd) delegates no cgroup: %s",
					h->no_scope.text);
		/* Lingering starts it at boot and keeps it without a login session. */
		if (h->no_scope.errnum == ENOENT)
			probe_todo(h->a, p, "sudo loginctl enable-linger %u", (unsigned)geteuid());
		else
			probe_todo(h->a, p, "systemctl --user status   # does your user manager answer?");
		probe_todo(h->a, p, "# in a service of your own:  [Service]  Delegate=memory pids cpu");
	}
}

static void todo_cpu(struct probing *h, struct probe *p)
{
	if (access("/run/systemd/system", F_OK) != 0) {
		todo_group(h, p);
		return;
	}
	probe_todo(h->a, p, "sudo mkdir -p /etc/systemd/system/user@.service.d");
	probe_todo(h->a, p,
			"printf '[Service]\\nDelegate=cpu cpuset io memory pids\\n' | sudo tee "
			"/etc/systemd/system/user@.service.d/delegate.conf");
	probe_todo(h->a, p, "sudo systemctl daemon-reload   # then log in again");
}

static void probe_memory(struct probing *h, struct probe *p)
{
	if (h->cg.memory != ENFORCED_NOT) {
		const char *by = enforcer_name(h->cg.memory);

		found(p, PROBE_YES,
				h->scoped ? str_fmt(h->a, "%s, by a scope of your user manager (systemd)", by)
					  : str_fmt(h->a, "%s, in %s", by, h->cg.where));
		return;
	}
	found(p, PROBE_PARTLY,
			STR("watched from outside every few milliseconds, not enforced: --memory is refused "
			    "unless --accept watched"));
	probe_todo(h->a, p, "# no usable cgroup: %s", h->cg.where);
	todo_group(h, p);
	probe_todo(h->a, p, "# with a group the process and CPU limits are the kernel's as well");
}

static void probe_pids(struct probing *h, struct probe *p)
{
	if (h->cg.pids != ENFORCED_NOT)
		found(p, PROBE_YES, str_of(enforcer_name(h->cg.pids)));
	else
		found(p, PROBE_PARTLY, STR("the user namespace's own limit (rlimit)"));
}

static void probe_cpu(struct probing *h, struct probe *p)
{
	if (h->cg.cpu != ENFORCED_NOT) {
		found(p, PROBE_YES, str_of(enforcer_name(h->cg.cpu)));
		return;
	}
	found(p, PROBE_PARTLY, STR("whole CPUs only (affinity)"));
	if (h->cg.memory != ENFORCED_NOT)
		todo_cpu(h, p);
}

/* The memory limit excludes swap. Where the kernel does not count swap, a program can use it in addition. */
static void probe_swap(struct probing *h, struct probe *p)
{
	struct str swaps = small_file(h->a, "/proc/swaps");
	ptrdiff_t line = str_find(swaps, '\n', 0);

	if (line < 0 || (size_t)line + 1 >= swaps.n) {
		found(p, PROBE_YES, STR("this host has no swap"));
		return;
	}
	if (h->cg.memory == ENFORCED_NOT) {
		found(p, PROBE_YES, STR("counted by the watcher"));
		return;
	}
	found(p, h->cg.swap ? PROBE_YES : PROBE_PARTLY,
			h->cg.swap ? str_of(enforcer_name(h->cg.memory))
				   : STR("swap is not counted: a program may use it besides"));
	if (!h->cg.swap)
		probe_todo(h->a, p,
				"# add swapaccount=1 to the kernel's command line and restart; or: sudo "
				"swapoff -a");
}

static void probe_kill(struct probing *h, struct probe *p)
{
	found(p, h->cg.kill ? PROBE_YES : PROBE_NO,
			h->cg.kill ? STR("cgroup.kill, and the end of pid 1")
				   : STR("the kernel kills the box when its pid 1 ends"));
}

/* With a hard limit of 0, only root can set the 1 that keeps the host's core dump program from starting. */
static void probe_cores(struct probing *h, struct probe *p)
{
	struct str pattern = small_file(h->a, "/proc/sys/kernel/core_pattern");
	bool program = pattern.n && (pattern.p[0] == '|' || pattern.p[0] == '@');
	struct rlimit l;

	if (getrlimit(RLIMIT_CORE, &l) == 0 && l.rlim_max < NS_CORE_BYTES) {
		l.rlim_max = NS_CORE_BYTES;
		if (setrlimit(RLIMIT_CORE, &l) != 0 && program) {
			found(p, PROBE_PARTLY,
					STR("the host's program for core dumps sees crashes in boxes: the "
					    "hard limit of core dumps is 0"));
			probe_todo(h->a, p,
					"# a hard limit of at least 1: '* hard core 1' in "
					"/etc/security/limits.conf, then log in again");
			return;
		}
	}
	found(p, PROBE_YES,
			program ? STR("the host's program for them is not started")
				: STR("none are written"));
}

static void probe_into(struct probing *h, struct probe *p)
{
	if (h->cg.into)
		found(p, PROBE_YES, STR("CLONE_INTO_CGROUP"));
	else if (h->cg.memory == ENFORCED_NOT)
		found(p, PROBE_NO, STR("there is no group"));
	else
		found(p, PROBE_NO,
				h->scoped ? STR("the user manager moves it there, before it runs")
					  : STR("it enters its cgroup before it runs"));
}

/* ---- all of them ---- */

static const struct {
	const char *id, *title;
	enum probe_weight weight;
	bool needs_users;
	void (*fn)(struct probing *h, struct probe *p);
} rows[] = {
	{"user-namespaces", "user namespaces", PROBE_NEEDED, false, probe_users},
	{"namespaces", "other namespaces", PROBE_NEEDED, true, probe_namespaces},
	{"system-calls", "system calls", PROBE_NEEDED, false, probe_calls},
	{"mounts", "mounts", PROBE_NEEDED, true, probe_mounts},
	{"proc", "/proc in the box", PROBE_NEEDED, true, probe_proc},
	{"read-only", "read-only places", PROBE_WALL, true, probe_overlay},
	{"seccomp", "system call filter", PROBE_NEEDED, false, probe_filter},
	{"landlock", "Landlock", PROBE_WALL, false, probe_landlock},
	{"idmap", "root's workspaces", PROBE_WALL, true, probe_idmap},
	{"memory", "memory limit", PROBE_WALL, false, probe_memory},
	{"pids", "process limit", PROBE_WALL, false, probe_pids},
	{"cpu", "CPU limit", PROBE_WALL, false, probe_cpu},
	{"swap", "swap counted", PROBE_WALL, false, probe_swap},
	{"cores", "no core dumps", PROBE_WALL, false, probe_cores},
	{"caches", "caches in boxes", PROBE_EXTRA, true, probe_caches},
	{"network-names", "network by name", PROBE_EXTRA, true, probe_names},
	{"group-kill", "cgroup kill", PROBE_EXTRA, false, probe_kill},
	{"group-birth", "starts in cgroup", PROBE_EXTRA, false, probe_into},
};

void probe_host(struct arena *a, const char *dir, const char *state, struct probes *list)
{
	struct probing h = {.a = a, .dir = dir, .state = state, .root = geteuid() == 0,
			.inside = box_inside()};

	cg_probe(&h.cg);
	if (h.cg.memory == ENFORCED_NOT && !h.root && cg_guess_v2())
		try_scope(&h);
	EACH(i, rows) {
		struct probe *p = probe_add(a, list, rows[i].id, rows[i].title, rows[i].weight);

		if (rows[i].needs_users && !h.users)
			found(p, PROBE_NO, STR("not tried: it needs user namespaces"));
		else
			rows[i].fn(&h, p);
	}
}
