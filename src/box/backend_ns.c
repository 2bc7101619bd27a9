/* The native backend: one run from spec to outcome. ns.h has the theory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/ns.h"
#include "box/undertaker.h"
#include "sys/clock.h"
#include "sys/cpus.h"
#include "sys/directory.h"
#include "sys/fds.h"
#include "sys/mounts.h"
#include "sys/namespace.h"
#include "sys/scope.h"

#define ENDS_MAX 6
/*
 * Open files of a process of untrusted code when its user is one of the host's. The kernel lets a user have as many descriptors in messages that nobody has received
 * as the sender may have open, 253 of the last message besides: so much stays below 1,024, the usual limit of the user's other processes.
 */
#define OPEN_FILES_EXEC 768

struct box { /* what is large stands last: only what is used of it is ever touched */
	struct arena *a;
	const struct spec *s;     /* NULL: not known yet */
	struct ops ops;
	struct protect *protect, *protect_git; /* of the workspace, and of the git directory that it shares */
	struct cgroup cg;
	bool grouped;             /* cg holds a group */
	struct err no_group;      /* else the reason */
	bool cpus_suffice;        /* no more CPUs are there than the limit allows: nothing to enforce but that it takes no others */
	bool keep_cpus;           /* there are others */
	struct ns_child child;
	int ends[ENDS_MAX];       /* descriptors for init alone, which has them from its birth; -1: closed */
	size_t nends;
	struct ns_user user;
	unsigned want;            /* what its group can limit besides memory and processes: bits of CG_HAS_* */
	int idmap;                /* a user namespace for the caller's files; only root needs one */
	uid_t idmap_uid;
	gid_t idmap_gid;
	struct ns_watch watch;
	struct undertaker undertaker; /* for the cgroup; in a scope it holds that */
	struct undertaker keeper, keeper_git; /* for the placeholders: there before the first of them */
	struct scope scope;       /* asked for where no other group can be had */
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

static int group_limits(struct box *r, struct err *e)
{
	const struct limits *l = &r->s->limits;

	if (cg_set(&r->cg, CG_MEMORY_MAX, l->memory, e) != 0 || cg_set(&r->cg, CG_PIDS_MAX, (uint64_t)l->pids + cg_guess_v2(), e) != 0) /* init is one more where it is born in it */
		return -1;
	if (l->io && cg_set(&r->cg, CG_IO_MAX, l->io, e) != 0)
		return -1;
	return r->cpus_suffice || cg_enforcer(&r->cg, CG_CPU_MILLI) == ENFORCED_NOT ? 0 : cg_set(&r->cg, CG_CPU_MILLI, l->cpu_milli, e);
}

static void group_make(struct box *r)
{
	r->grouped = cg_make(&r->cg, r->want, &r->no_group) == 0;
	r->watch.cg = r->grouped ? &r->cg : NULL;
}

/* Makes sure that the box has a cgroup with its limits: the one that init is in already, or a new one. */
static int group_ready(struct box *r, struct err *e)
{
	if (!r->grouped && !r->no_group.kind)
		group_make(r);
	if (!r->grouped && r->s->limits.io)
		return err_set(e, ERR_SYSTEM, 0, "no cgroup can limit disks here: %s", r->no_group.text);
	if (!r->grouped && r->s->require_cgroup)
		return err_set(e, ERR_SYSTEM, 0, "no cgroup can limit memory and processes here: %s", r->no_group.text);
	if (!r->grouped && r->s->refuse_watched)
		return err_set(e, ERR_SYSTEM, 0, "the memory limit cannot be enforced here: %s "
			"(add --accept watched to have it watched instead; caisson doctor says what a cgroup needs)", r->no_group.text);
	return r->grouped ? group_limits(r, e) : 0;
}

/* ---- a scope of the user's manager ---- */

/*
 * On version 2 an ordinary user often has no group, but a systemd manager that makes one. Init waits for its user meanwhile, so it is a
 * single process when it is moved. The undertaker goes along: the manager removes a scope with its last process, and this one is there
 * until the counters were read. Whatever fails, the box has no group then, and the reason is kept.
 */
static void scope_begin(struct box *r)
{
	pid_t pids[2] = {r->watch.pid};

	if (undertaker_start(&r->undertaker, NULL, NULL, &r->no_group) == 0) {
		pids[1] = r->undertaker.pid;
		if (scope_ask(&r->scope, pids, 2, &r->no_group) == 0)
			return;
	}
	scope_close(&r->scope);
}

static void scope_finish(struct box *r)
{
	const struct cg_scope in = {r->scope.unit, r->watch.pid, r->undertaker.pid};
	bool needed = r->s->require_cgroup || r->s->refuse_watched || r->s->limits.io;

	r->grouped = scope_wait(&r->scope, needed, &r->no_group) == 0 && cg_make_in_scope(&r->cg, &in, r->want, &r->no_group) == 0;
	r->watch.cg = r->grouped ? &r->cg : NULL;
	scope_close(&r->scope);
}

static int end_for_init(struct box *r, int fd)
{
	r->ends[r->nends++] = fd;
	return fd;
}

static void close_ends(struct box *r)
{
	for (size_t i = 0; i < r->nends; i++)
		fd_close(&r->ends[i]);
}

/* ---- files of the caller's, when the caller is root ---- */

/* In the box root is nobody. What belongs to the owner of the path belongs to the user of the box, and on disk nothing changes. */
static int open_tree_for(struct box *r, struct op *op, int top, uid_t outside, struct err *e)
{
	FD_CLEANUP int source = open_beneath(top, op->source, O_PATH | O_NOFOLLOW);
	struct stat st;

	if (source < 0 || fstat(source, &st) != 0)
		return op_unusable(op, e);
	if (!directory_is(&st, op->expected)) {
		errno = ESTALE;
		return op_unusable(op, e);
	}
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

/* A part of the home is lent with it when it and every directory on the way belong to the home's owner. */
static bool lent_with_home(const struct op *home, const struct op *part)
{
	struct stat owner, st;
	char path[PATH_MAX];

	if (!home || strlen(part->source) >= sizeof(path) || lstat(home->source, &owner) != 0)
		return false;
	for (const char *end = part->source + strlen(home->source); *end;) {
		end = strchrnul(end + 1, '/');
		str_put(path, sizeof(path), "%.*s", (int)(end - part->source), part->source);
		if (lstat(path, &st) != 0 || st.st_uid != owner.st_uid || st.st_gid != owner.st_gid)
			return false;
	}
	return true;
}

static int open_trees(struct box *r, uid_t outside, struct err *e)
{
	FD_CLEANUP int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const struct op *home = NULL;

	for (struct op *op = r->ops.first; op; op = op->next) {
		if (op->kind == OP_HOME)
			home = op;
		if (!(op->flags & OP_CALLERS) || (op->flags & OP_PART && lent_with_home(home, op)))
			continue;
		op->flags &= ~(unsigned)OP_PART;
		if (open_tree_for(r, op, top, outside, e) != 0)
			return -1;
	}
	return 0;
}

static void close_trees(struct box *r)
{
	for (struct op *op = r->ops.first; op; op = op->next)
		if (op->tree >= 0)
			fd_close(&op->tree);
	fd_close(&r->idmap);
}

/* ---- the beginning ---- */

struct ns_user ns_user(pid_t init)
{
	const uint32_t outside = NS_ID_OUTSIDE + (uint32_t)init % NS_IDS_OUTSIDE;
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (uid)
		return (struct ns_user){.uid = uid, .outside_uid = uid, .gid = gid, .outside_gid = gid};
	if (!namespace_knows(outside))
		return (struct ns_user){.uid = PLAN_ID, .outside_uid = uid, .gid = PLAN_ID, .outside_gid = gid};
	return (struct ns_user){.uid = PLAN_ID, .outside_uid = outside, .gid = PLAN_ID, .outside_gid = outside, .nobody = true};
}

static int write_maps(struct box *r, struct err *e)
{
	return namespace_map(r->watch.pid, r->user.uid, r->user.outside_uid, r->user.gid, r->user.outside_gid, r->user.nobody, e);
}

static int pipe_for_init(struct box *r, int which, int *ret_ours, struct err *e)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot make the channels of the box");
	*ret_ours = ends[!which];
	if (fcntl(ends[!which], F_SETFL, O_NONBLOCK) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot make the channels of the box");
	return end_for_init(r, ends[which]);
}

/* One for standard input is there before it is known whether that is needed. */
static int channels_open(struct box *r, struct err *e)
{
	struct ns_child *c = &r->child;
	int talk[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, talk) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot make the channels of the box");
	r->watch.talk = talk[0];
	c->talk = end_for_init(r, talk[1]);
	c->in = pipe_for_init(r, 0, &r->watch.in.to, e);
	c->out = pipe_for_init(r, 1, &r->watch.out.fd, e);
	c->err = pipe_for_init(r, 1, &r->watch.err.fd, e);
	if (c->in < 0 || c->out < 0 || c->err < 0)
		return -1;
	c->launcher = end_for_init(r, (int)syscall(SYS_pidfd_open, getpid(), 0));
	return c->launcher < 0 ? err_set(e, ERR_SYSTEM, errno, "cannot watch the launcher of the box") : 0;
}

/* A program may open its streams once more, as /dev/stderr: then a pipe has an owner like any file. */
static int give_streams(const struct box *r, struct err *e)
{
	const int fds[] = {r->watch.in.to, r->watch.out.fd, r->watch.err.fd};

	for (size_t i = 0; r->user.nobody && i < sizeof(fds) / sizeof(*fds); i++)
		if (fchown(fds[i], r->user.outside_uid, r->user.outside_gid) != 0)
			return err_set(e, ERR_SYSTEM, errno, "cannot give the box its streams");
	return 0;
}

static int child_make(struct box *r, bool own_network, struct err *e)
{
	if (brief_open(e) != 0)
		return -1;
	r->child = (struct ns_child){.own_network = own_network};
	r->child.null = end_for_init(r, fill_standard(e));
	return r->child.null < 0 ? -1 : channels_open(r, e);
}

/* Init lowers its limit of core dumps to NS_CORE_BYTES. From a hard limit of 0 that is raising it, which only root can, and init will not be. */
static void make_room_for_cores(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_CORE, &l) == 0 && l.rlim_max < NS_CORE_BYTES) {
		l.rlim_max = NS_CORE_BYTES;
		(void)setrlimit(RLIMIT_CORE, &l);
	}
}

/* Init learns who it is, and goes on. */
static int tell_user(struct box *r, struct err *e)
{
	if (fds_send(r->watch.talk, &r->user, sizeof(r->user), NULL, 0) < 0 && errno != EPIPE && errno != ECONNRESET)
		return err_set(e, ERR_SYSTEM, errno, "cannot talk to the box");
	return 0;
}

/* On version 2 init must be born in its group, or be moved there while it is alone. */
static int group_begin(struct box *r)
{
	struct err none;
	bool rest = false;
	int into = -1;

	if (cg_guess_v2()) {
		group_make(r);
		r->child.moved_in = !r->grouped && scope_open(&r->scope, &none) == 0;
	}
	if (r->grouped)
		into = cg_into(&r->cg, &rest);
	r->child.born_in = into >= 0 && !rest;
	return into;
}

/* Init, and what it can do by itself. */
static int begin(struct box *r, bool own_network, struct err *e)
{
	pid_t pid;
	int into;

	if (child_make(r, own_network, e) != 0)
		return -1;
	make_room_for_cores();
	into = group_begin(r);
	pid = namespace_clone(into, &r->watch.pidfd);
	if (pid < 0)
		return box_inside() ? err_set(e, ERR_SYSTEM, 0, "this is already a box, and in a box no other can be made")
				    : err_set(e, ERR_SYSTEM, errno, "cannot make the namespaces of the box (caisson doctor says what this host lacks)");
	if (!pid) {
		scope_close(&r->scope); /* the manager is not for the box */
		ns_init(&r->child);
	}
	r->watch.pid = pid;
	if (cpus_away(pid, e) != 0)
		return -1;
	r->user = ns_user(pid);
	if (write_maps(r, e) != 0 || give_streams(r, e) != 0)
		return -1;
	if (r->child.moved_in)
		scope_begin(r);
	if (!r->scope.open && tell_user(r, e) != 0)
		return -1;
	close_ends(r); /* else a word to an init that is dead would wait for somebody to take it */
	return r->grouped ? undertaker_start(&r->undertaker, &r->cg, NULL, e) : 0;
}

/* ---- what it is for ---- */

static int protect_directory(struct box *r, const struct spec *s, struct protect **p, struct undertaker *keeper, struct err *e)
{
	if (protect_open(r->a, s, p, e) != 0)
		return -1;
	if (!*p)
		return 0;
	keeper->box = &r->watch.pid;
	return undertaker_start(keeper, NULL, *p, e) != 0 ? -1 : protect_before(*p, s, &r->ops, e);
}

/* The git directory of a linked worktree is a workspace of its own, with nothing in it but a repository. */
static int protect_workspace(struct box *r, struct err *e)
{
	struct spec *git;

	if (protect_directory(r, r->s, &r->protect, &r->keeper, e) != 0)
		return -1;
	if (!r->s->git_common.n)
		return 0;
	git = arena_new(r->a, struct spec);
	*git = *r->s;
	git->workspace = r->s->git_common;
	git->workspace_id = r->s->git_common_id;
	git->protected = NULL;
	return protect_directory(r, git, &r->protect_git, &r->keeper_git, e);
}

/* Names in the git directory are reported by their whole path. */
static int protect_end(struct arena *a, struct box *r, struct change **ret, struct err *e)
{
	struct change *more = NULL;
	int rc = r->protect ? protect_after(a, r->protect, ret, e) : 0;

	if (!r->protect_git)
		return rc;
	if (protect_after(a, r->protect_git, &more, rc == 0 ? e : NULL) != 0)
		return -1;
	while (*ret)
		ret = &(*ret)->next;
	*ret = more;
	for (; more; more = more->next)
		more->path = str_fmt(a, "%.*s/%.*s", STR_ARG(r->s->git_common), STR_ARG(more->path));
	return rc;
}

static int plan(struct box *r, struct err *e)
{
	const struct spec *s = r->s;
	uint32_t open_files = !r->user.nobody && s->profile == PROFILE_EXEC ? OPEN_FILES_EXEC : 0;

	if (plan_root(r->a, s, &r->ops, e) != 0 || protect_workspace(r, e) != 0 || plan_close(r->a, s, &r->ops, e) != 0 ||
			(r->user.nobody && open_trees(r, r->user.outside_uid, e) != 0))
		return -1;
	return brief_make(s, open_files, r->ops.first, s->cwd.n ? s->cwd : s->workspace.n ? s->workspace : s->home, e);
}

/* From here on their ends mean something. */
static void streams_start(struct box *r)
{
	const struct spec *s = r->s;

	close_trees(r);
	if (s->input < 0)
		fd_close(&r->watch.in.to);
	feed_start(&r->watch.in, s->input, r->watch.in.to);
	capture_start(&r->watch.out, r->watch.out.fd, s->pass_through ? STDOUT_FILENO : -1, s);
	capture_start(&r->watch.err, r->watch.err.fd, s->pass_through ? STDERR_FILENO : -1, s);
}

/*
 * A cgroup quota limits the CPUs if the group has one and the machine has more CPUs than the limit. Otherwise the CPU
 * affinity of the program does.
 */
static enum enforcer cpu_enforcer(const struct box *r)
{
	enum enforcer quota = r->grouped && !r->cpus_suffice ? cg_enforcer(&r->cg, CG_CPU_MILLI) : ENFORCED_NOT;

	return quota == ENFORCED_NOT ? ENFORCED_AFFINITY : quota;
}

/* The program may start: with the doors of its group, unless it was born in it. */
static int let_go(struct box *r, struct err *e)
{
	int doors[CG_HIERARCHIES_MAX];
	size_t n = r->grouped ? cg_doors(&r->cg, doors) : 0;
	char word = NS_START | (r->grouped ? NS_GROUP : 0);

	if (cpu_enforcer(r) == ENFORCED_AFFINITY)
		word |= (r->cpus_suffice ? 0 : NS_FEWER_CPUS) | (r->keep_cpus ? NS_KEEP_CPUS : 0);

	if (r->grouped && !n && !r->child.born_in && !r->child.moved_in)
		return err_set(e, ERR_INTERNAL, 0, "a cgroup without doors");
	/* A child that is dead already has said why; supervise() hears it. */
	if (fds_send(r->watch.talk, &word, 1, doors, n) != 1 && errno != EPIPE && errno != ECONNRESET)
		return err_set(e, ERR_SYSTEM, errno, "cannot talk to the box");
	return 0;
}

/* The group is made while init puts the root together, unless that is in it already; and the caller says that it is ready. */
static int start(struct box *r, const struct box_start *how, struct err *e)
{
	bool born = r->grouped;

	if ((born && group_ready(r, e) != 0) || plan(r, e) != 0)
		return -1;
	if (r->scope.open) {
		scope_finish(r);
		born = r->grouped;
		if ((born && group_ready(r, e) != 0) || tell_user(r, e) != 0)
			return -1;
	}
	if (brief_send(r->watch.talk, e) != 0 || (!born && group_ready(r, e) != 0))
		return -1;
	streams_start(r);
	if (r->grouped && !born && undertaker_start(&r->undertaker, &r->cg, NULL, e) != 0)
		return -1;
	if (how->ready && how->ready(how->ctx, e) != 0)
		return -1;
	r->watch.start = clock_now();
	if (let_go(r, e) != 0)
		return -1;
	cpus_here(r->watch.pid);
	return 0;
}

/* ---- the end ---- */

static void end_child(struct box *r)
{
	if (r->watch.pid <= 0)
		return;
	syscall(SYS_pidfd_send_signal, r->watch.pidfd, SIGKILL, NULL, 0);
	while (waitpid(r->watch.pid, NULL, 0) < 0 && errno == EINTR)
		;
	r->watch.pid = 0;
}

static void close_all(struct box *r)
{
	int *const fds[] = {&r->watch.talk, &r->watch.pidfd, &r->watch.out.fd, &r->watch.out.file, &r->watch.err.fd, &r->watch.err.file, &r->watch.procfd,
			    &r->watch.rootfd, &r->watch.in.to};

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		fd_close(fds[i]);
	close_ends(r);
	close_trees(r);
	scope_close(&r->scope);
}

/* The launcher ends the box; what it goes by is somebody's count. */
static enum enforcer time_enforcer(const struct box *r)
{
	enum enforcer by = r->grouped ? cg_time_counter(&r->cg) : ENFORCED_NOT;

	return by == ENFORCED_NOT ? ENFORCED_WATCH : by;
}

static void say_enforced(const struct box *r, struct enforced *ret)
{
	*ret = (struct enforced){
		.cpu = cpu_enforcer(r),
		.memory = r->grouped ? cg_enforcer(&r->cg, CG_MEMORY_MAX) : ENFORCED_WATCH,
		.pids = r->grouped ? cg_enforcer(&r->cg, CG_PIDS_MAX) : ENFORCED_RLIMIT,
		.scratch = ENFORCED_TMPFS, .output = ENFORCED_PIPE, .time = ENFORCED_TIMER,
		.cpu_time = r->s->limits.cpu_ms ? time_enforcer(r) : ENFORCED_NOT,
		.io = r->s->limits.io ? cg_enforcer(&r->cg, CG_IO_MAX) : ENFORCED_NOT,
		.network = network_isolated(&r->s->network) ? ENFORCED_NAMESPACE : ENFORCED_NOT,
	};
}

static int run_in(struct box *r, const struct box_start *how, struct outcome *out, struct err *e)
{
	if (start(r, how, e) != 0 || supervise(&r->watch, out, e) != 0)
		return -1;
	say_enforced(r, &out->enforced);
	capture_end(&r->watch.out, &out->out);
	capture_end(&r->watch.err, &out->err);
	return 0;
}

static void tear_down(struct box *r, bool lingers)
{
	if (r->grouped && lingers)
		undertaker_later(&r->cg, r->watch.pidfd);
	close_all(r);
	if (r->grouped && !lingers)
		cg_remove(&r->cg);
}

/* Nothing is left that would need them. What takes the kernel a while is left to box_wait(). */
static void dismiss(struct box *r, struct outcome *ret)
{
	ret->leaving[0] = undertaker_dismiss(&r->undertaker);
	ret->leaving[1] = undertaker_dismiss(&r->keeper);
	ret->leaving[2] = undertaker_dismiss(&r->keeper_git);
	ret->leaving[3] = ret->lingers ? 0 : r->watch.pid;
}

static void ns_end(struct box *r)
{
	struct outcome out = {0};

	end_child(r);
	tear_down(r, false);
	dismiss(r, &out);
	box_wait(&out);
}

/* Field by field: the memory is zeroed already, and large. */
static struct box *box_new(struct arena *a)
{
	struct box *r = arena_new(a, struct box);

	r->a = a;
	r->idmap = -1;
	r->want = CG_HAS_CPU; /* nobody knows yet */
	r->watch.talk = r->watch.pidfd = r->watch.procfd = r->watch.rootfd = -1;
	r->watch.out.fd = r->watch.out.file = r->watch.err.fd = r->watch.err.file = r->watch.in.to = -1;
	return r;
}

static struct box *ns_begin(struct arena *a)
{
	struct box *r = box_new(a);
	struct err e;

	if (begin(r, true, &e) == 0)
		return r;
	ns_end(r);
	return NULL;
}

/* One that was begun for something else is of no use: its network, and on version 2 its group. */
static bool fits(const struct box *r, const struct spec *s)
{
	return (!r->grouped || !s->limits.io) && r->child.own_network == network_isolated(&s->network);
}

static int ns_run(struct arena *a, const struct box_start *how, const struct spec *s, const struct box_progress *p, struct outcome *ret, struct err *e)
{
	struct outcome out = {.backend = backend_ns.name};
	struct box *r = how->begun;
	struct err after = {0};
	int rc = 0;

	if (r && !fits(r, s)) {
		ns_end(r);
		r = NULL;
	}
	if (!r) {
		r = box_new(a);
		r->want |= s->limits.io ? CG_HAS_IO : 0;
		rc = begin(r, network_isolated(&s->network), e);
	}
	r->s = r->watch.spec = s;
	r->watch.progress = p;
	r->cpus_suffice = (uint64_t)cpus_count() * 1000 <= s->limits.cpu_milli;
	r->keep_cpus = (uint64_t)cpus_online() * 1000 > s->limits.cpu_milli;
	r->want = (r->cpus_suffice ? 0 : CG_HAS_CPU) | (s->limits.io ? CG_HAS_IO : 0) | (s->limits.cpu_ms ? CG_HAS_CPUACCT : 0);
	if (rc == 0)
		rc = run_in(r, how, &out, e);
	if (rc != 0 || (r->protect && !out.lingers))
		end_child(r); /* files are compared when nobody can change them any more */
	tear_down(r, rc == 0 && out.lingers);
	if (protect_end(a, r, &out.changes, &after) != 0 && rc == 0) {
		*e = after;
		rc = -1;
	}
	dismiss(r, &out);
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
	.name = "native", .about = "Linux namespaces, cgroups, Landlock and seccomp, by caisson itself", .probe = ns_probe, .begin = ns_begin, .end = ns_end, .run = ns_run,
};
