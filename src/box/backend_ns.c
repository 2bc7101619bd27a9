/* The native backend: one run from spec to outcome. ns.h has the theory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/ns.h"
#include "box/undertaker.h"
#include "sys/clock.h"
#include "sys/landlock.h"
#include "sys/mounts.h"
#include "sys/namespace.h"

struct run {
	struct arena *a;
	const struct spec *s;
	struct ops ops;
	struct protect *protect;
	struct cgroup cg;
	bool grouped;             /* cg holds a group */
	bool cpus_suffice;        /* no more CPUs are there than the limit allows: nothing to enforce */
	struct undertaker undertaker; /* for the cgroup */
	struct undertaker keeper;     /* for the placeholders: there before the first of them */
	struct ns_child child;
	struct ns_watch watch;
	struct ns_user user;
	int idmap;                /* a user namespace for the caller's files; only root needs one */
	uid_t idmap_uid;
	gid_t idmap_gid;
};

/* ---- before the box ---- */

/* Our pipes must not take the numbers of the standard streams. */
static int fill_standard(struct err *e)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	while (fd >= 0 && fd <= STDERR_FILENO)
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot open /dev/null");
	return fd;
}

static int group_limits(struct run *r, struct err *e)
{
	const struct limits *l = &r->s->limits;

	if (cg_set(&r->cg, CG_MEMORY_MAX, l->memory, e) != 0 || cg_set(&r->cg, CG_PIDS_MAX, (uint64_t)l->pids + cg_guess_v2(), e) != 0) /* init is one more where it is born in it */
		return -1;
	if (l->io && cg_set(&r->cg, CG_IO_MAX, l->io, e) != 0)
		return -1;
	return r->cpus_suffice || cg_enforcer(&r->cg, CG_CPU_MILLI) == ENFORCED_NOT ? 0 : cg_set(&r->cg, CG_CPU_MILLI, l->cpu_milli, e);
}

static bool cpus_suffice(uint32_t cpu_milli)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 && (uint64_t)CPU_COUNT(&set) * 1000 <= cpu_milli;
}

static int group_make(struct run *r, struct err *e)
{
	struct err why;

	r->cpus_suffice = cpus_suffice(r->s->limits.cpu_milli);
	r->grouped = cg_make(&r->cg, r->s->limits.io, &why) == 0;
	if (!r->grouped && r->s->limits.io)
		return err_set(e, ERR_SYSTEM, 0, "no cgroup can limit disks here: %s", why.text);
	if (!r->grouped && r->s->require_cgroup)
		return err_set(e, ERR_SYSTEM, 0, "no cgroup can limit memory and processes here: %s", why.text);
	r->watch.cg = r->grouped ? &r->cg : NULL;
	return r->grouped ? group_limits(r, e) : 0;
}

static char *const *environment(struct arena *a, const struct spec_var *vars)
{
	size_t n = 0;
	char **envp;

	for (const struct spec_var *v = vars; v; v = v->next)
		n++;
	envp = arena_array(a, n + 1, sizeof(*envp));
	n = 0;
	for (const struct spec_var *v = vars; v; v = v->next)
		envp[n++] = str_c(a, str_fmt(a, "%.*s=%.*s", STR_ARG(v->name), STR_ARG(v->value)));
	return envp;
}

/* ---- files of the caller's, when the caller is root ---- */

/* In the box root is nobody. What belongs to the owner of the path belongs to the user of the box, and on disk nothing changes. */
static int open_tree_for(struct run *r, struct op *op, int top, uid_t outside, struct err *e)
{
	FD_CLEANUP int source = open_beneath(top, op->source, O_PATH | O_NOFOLLOW);
	struct stat st;

	if (source < 0 || fstat(source, &st) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot use '%s' in the box", op->source);
	if (r->idmap < 0 || r->idmap_uid != st.st_uid || r->idmap_gid != st.st_gid) {
		fd_close(&r->idmap);
		r->idmap = namespace_for_idmap(st.st_uid, outside, st.st_gid, outside, e);
		if (r->idmap < 0)
			return -1;
		r->idmap_uid = st.st_uid;
		r->idmap_gid = st.st_gid;
	}
	op->tree = mount_copy(source, "");
	if (op->tree < 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot use '%s' in the box", op->source);
	if (mount_idmap(op->tree, r->idmap) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot lend '%s' to the box: its file system does not let owners be mapped; run caisson as the user who owns it", op->source);
	return 0;
}

static int open_trees(struct run *r, uid_t outside, struct err *e)
{
	FD_CLEANUP int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (struct op *op = r->ops.first; op; op = op->next)
		if (op->kind == OP_BIND && op->flags & OP_CALLERS && open_tree_for(r, op, top, outside, e) != 0)
			return -1;
	return 0;
}

static void close_trees(struct run *r)
{
	for (struct op *op = r->ops.first; op; op = op->next)
		if (op->tree >= 0)
			fd_close(&op->tree);
	fd_close(&r->idmap);
}

/* ---- the start ---- */

static int open_channels(struct run *r, struct err *e)
{
	int talk[2], in[2] = {-1, -1}, out[2], err[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, talk) != 0 || pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0 || (r->s->input >= 0 && pipe2(in, O_CLOEXEC) != 0))
		return err_set(e, ERR_SYSTEM, errno, "cannot make the channels of the box");
	r->watch.talk = r->child.launcher_talk = talk[0];
	r->child.talk = talk[1];
	r->child.in = in[0];
	r->child.launcher_in = in[1];
	r->child.out = out[1];
	r->child.err = err[1];
	if (fcntl(out[0], F_SETFL, O_NONBLOCK) != 0 || fcntl(err[0], F_SETFL, O_NONBLOCK) != 0 || (in[1] >= 0 && fcntl(in[1], F_SETFL, O_NONBLOCK) != 0))
		return err_set(e, ERR_SYSTEM, errno, "cannot make the channels of the box");
	feed_start(&r->watch.in, r->s->input, in[1]);
	capture_start(&r->watch.out, out[0], r->s->pass_through ? STDOUT_FILENO : -1, r->s);
	capture_start(&r->watch.err, err[0], r->s->pass_through ? STDERR_FILENO : -1, r->s);
	return 0;
}

static int say(struct run *r, char word, struct err *e)
{
	/* A child that is dead already has said why; supervise() hears it. */
	if (send(r->watch.talk, &word, 1, MSG_NOSIGNAL) != 1 && errno != EPIPE && errno != ECONNRESET)
		return err_set(e, ERR_SYSTEM, errno, "cannot talk to the box");
	return 0;
}

struct ns_user ns_user(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (uid)
		return (struct ns_user){.uid = uid, .outside_uid = uid, .gid = gid, .outside_gid = gid};
	if (!namespace_knows(NS_ID_OUTSIDE))
		return (struct ns_user){.uid = PLAN_ID, .outside_uid = uid, .gid = PLAN_ID, .outside_gid = gid};
	return (struct ns_user){.uid = PLAN_ID, .outside_uid = NS_ID_OUTSIDE, .gid = PLAN_ID, .outside_gid = NS_ID_OUTSIDE, .nobody = true};
}

static int write_maps(struct run *r, struct err *e)
{
	return namespace_map(r->watch.pid, r->user.uid, r->user.outside_uid, r->user.gid, r->user.outside_gid, r->user.nobody, e);
}

/* Not before the box is on its way: nobody has to wait for it. */
static int start_undertaker(struct run *r, struct err *e)
{
	const int shut[] = {r->watch.talk, r->watch.pidfd, r->watch.in.to, r->watch.out.fd, r->watch.err.fd, r->child.null};
	struct undertaker *u = &r->undertaker;

	if (!r->grouped)
		return 0;
	u->nshut = sizeof(shut) / sizeof(*shut);
	memcpy(u->shut, shut, sizeof(shut));
	return undertaker_start(u, r->watch.cg, NULL, e);
}

/* Made while init is busy, unless it must be born in it. */
static int hand_group(struct run *r, struct err *e)
{
	int doors[CG_HIERARCHIES_MAX];
	size_t n = r->grouped ? cg_doors(&r->cg, doors) : 0;
	char word = r->grouped ? NS_GROUP : NS_ALONE;
	struct iovec part = {&word, 1};
	union {
		char room[CMSG_SPACE(sizeof(doors))];
		struct cmsghdr head;
	} control = {.room = {0}};
	struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1};

	if (r->grouped && !n)
		return err_set(e, ERR_INTERNAL, 0, "a cgroup without doors");
	if (n) {
		msg.msg_control = control.room;
		msg.msg_controllen = CMSG_SPACE(n * sizeof(int));
		control.head = (struct cmsghdr){.cmsg_len = CMSG_LEN(n * sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&control.head), doors, n * sizeof(int));
	}
	if (sendmsg(r->watch.talk, &msg, MSG_NOSIGNAL) != 1 && errno != EPIPE && errno != ECONNRESET)
		return err_set(e, ERR_SYSTEM, errno, "cannot talk to the box");
	return 0;
}

static int start(struct run *r, struct err *e)
{
	int into = -1;
	bool rest = false;
	pid_t pid;

	if (cg_guess_v2() && group_make(r, e) != 0)
		return -1;
	if (r->grouped)
		into = cg_into(&r->cg, &rest);
	r->child.born_in = into >= 0 && !rest;
	r->child.launcher = (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (r->child.launcher < 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot watch the launcher of the box");
	pid = namespace_clone(into, &r->watch.pidfd);
	if (pid < 0)
		return box_inside() ? err_set(e, ERR_SYSTEM, 0, "this is already a box, and in a box no other can be made")
				    : err_set(e, ERR_SYSTEM, errno, "cannot make the namespaces of the box (caisson doctor says what this host lacks)");
	if (!pid)
		ns_init(&r->child);
	r->watch.pid = pid;
	r->watch.start = clock_now();
	if (write_maps(r, e) != 0 || say(r, NS_MAPPED, e) != 0)
		return -1;
	fd_close(&r->child.launcher);
	fd_close(&r->child.talk);
	fd_close(&r->child.in);
	fd_close(&r->child.out);
	fd_close(&r->child.err);
	close_trees(r);
	if (!r->child.born_in && ((!r->grouped && group_make(r, e) != 0) || hand_group(r, e) != 0))
		return -1;
	return start_undertaker(r, e);
}

static int protect_workspace(struct run *r, struct err *e)
{
	if (protect_open(r->a, r->s, &r->protect, e) != 0)
		return -1;
	if (!r->protect)
		return 0;
	r->keeper.box = &r->watch.pid;
	return undertaker_start(&r->keeper, NULL, r->protect, e) != 0 ? -1 : protect_before(r->protect, r->s, &r->ops, e);
}

static int make(struct run *r, struct err *e)
{
	r->user = ns_user();
	r->child.null = fill_standard(e);
	if (r->child.null < 0 || plan_root(r->a, r->s, &r->ops, e) != 0 || protect_workspace(r, e) != 0)
		return -1;
	if ((r->user.nobody && open_trees(r, NS_ID_OUTSIDE, e) != 0) || open_channels(r, e) != 0)
		return -1;
	r->child.spec = r->s;
	r->child.ops = r->ops.first;
	r->child.envp = environment(r->a, r->s->env);
	r->child.cwd = str_c(r->a, r->s->cwd.n ? r->s->cwd : r->s->workspace.n ? r->s->workspace : r->s->home);
	r->child.uid = r->user.uid;
	r->child.gid = r->user.gid;
	r->child.drop_groups = r->user.nobody;
	return 0;
}

/* ---- the end ---- */

static void end_child(struct run *r)
{
	if (r->watch.pid <= 0)
		return;
	syscall(SYS_pidfd_send_signal, r->watch.pidfd, SIGKILL, NULL, 0);
	while (waitpid(r->watch.pid, NULL, 0) < 0 && errno == EINTR)
		;
	r->watch.pid = 0;
}

static void close_all(struct run *r)
{
	int *const fds[] = {&r->watch.talk, &r->watch.pidfd, &r->watch.out.fd, &r->watch.out.file, &r->watch.err.fd, &r->watch.err.file, &r->watch.procfd,
			    &r->watch.rootfd, &r->child.launcher, &r->child.talk, &r->child.in, &r->watch.in.to, &r->child.out, &r->child.err, &r->child.null};

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		fd_close(fds[i]);
	close_trees(r);
}

static void say_enforced(const struct run *r, struct enforced *ret)
{
	*ret = (struct enforced){
		.cpu = r->grouped && !r->cpus_suffice ? cg_enforcer(&r->cg, CG_CPU_MILLI) : ENFORCED_AFFINITY,
		.memory = r->grouped ? cg_enforcer(&r->cg, CG_MEMORY_MAX) : ENFORCED_WATCH,
		.pids = r->grouped ? cg_enforcer(&r->cg, CG_PIDS_MAX) : ENFORCED_RLIMIT,
		.scratch = ENFORCED_TMPFS, .output = ENFORCED_PIPE, .time = ENFORCED_TIMER,
		.cpu_time = r->s->limits.cpu_ms ? ENFORCED_TIMER : ENFORCED_NOT,
		.io = r->s->limits.io ? cg_enforcer(&r->cg, CG_IO_MAX) : ENFORCED_NOT,
		.network = r->s->network != NETWORK_HOST ? ENFORCED_NAMESPACE : ENFORCED_NOT,
	};
}

static int run_in(struct run *r, struct outcome *out, struct err *e)
{
	if (make(r, e) != 0 || start(r, e) != 0)
		return -1;
	if (supervise(&r->watch, out, e) != 0)
		return -1;
	say_enforced(r, &out->enforced);
	capture_end(&r->watch.out, &out->out);
	capture_end(&r->watch.err, &out->err);
	return 0;
}

/* Field by field: the memory is zeroed already, and large. */
static void run_init(struct run *r, struct arena *a, const struct spec *s, const struct box_progress *p)
{
	r->a = a;
	r->s = s;
	r->idmap = -1;
	r->watch.spec = s;
	r->watch.progress = p;
	r->watch.talk = r->watch.pidfd = r->watch.procfd = r->watch.rootfd = -1;
	r->watch.out.fd = r->watch.out.file = r->watch.err.fd = r->watch.err.file = -1;
	r->watch.in.to = r->child.in = r->child.launcher_in = -1;
	r->child.talk = r->child.out = r->child.err = r->child.null = r->child.launcher_talk = r->child.launcher = -1;
}

static int ns_run(struct arena *a, const struct spec *s, const struct box_progress *p, struct outcome *ret, struct err *e)
{
	struct run *r = arena_new(a, struct run);
	struct outcome out = {.backend = backend_ns.name};
	struct err after = {0};
	int rc;

	run_init(r, a, s, p);
	rc = run_in(r, &out, e);
	if (rc != 0 || r->protect)
		end_child(r); /* files are compared when nobody can change them any more */
	close_all(r);
	if (r->grouped)
		cg_remove(&r->cg);
	if (r->protect && protect_after(a, r->protect, &out.changes, &after) != 0 && rc == 0) {
		*e = after;
		rc = -1;
	}
	out.leaving[0] = undertaker_dismiss(&r->undertaker);
	out.leaving[1] = undertaker_dismiss(&r->keeper);
	out.leaving[2] = r->watch.pid;
	if (rc == 0)
		*ret = out;
	else
		box_wait(&out);
	return rc;
}

static int ns_probe(struct err *e)
{
	int pidfd = -1;
	pid_t pid = namespace_clone(-1, &pidfd);

	if (pid < 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot make user namespaces");
	if (!pid)
		_exit(0);
	fd_close(&pidfd);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

const struct backend backend_ns = {
	.name = "native", .about = "Linux namespaces, cgroups, Landlock and seccomp, by caisson itself", .probe = ns_probe, .run = ns_run,
};
