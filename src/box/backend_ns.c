/*
 * The native backend in the launcher: begin, start, stop. ns.h has the theory; ns_control.c is the time
 * between start and stop.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/ns_network.h"
#include "sys/clock.h"
#include "sys/cpus.h"
#include "sys/fds.h"
#include "sys/file.h"
#include "sys/namespace.h"

/*
 * Open files of a process of untrusted code when its user is one of the host's. The kernel lets a user have
 * as many descriptors in unreceived messages as the sender may have open, plus 253 of the last message: this
 * stays below 1,024, the usual limit of the user's other processes.
 */
#define OPEN_FILES_EXEC 768
#define SWEEP_EVERY 16 /* one of so many launchers of primed boxes looks for groups of dead ones */

/* ---- channels ---- */

/*
 * Fills the numbers of closed standard streams, or a pipe of ours could take one. Returns a descriptor of
 * /dev/null.
 */
static int fill_standard(struct err *e)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	while (fd >= 0 && fd <= STDERR_FILENO)
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot open /dev/null");
	return fd;
}

static int end_for_init(struct ns_box *n, int fd)
{
	n->ends[n->nends++] = fd;
	return fd;
}

static void close_ends(struct ns_box *n)
{
	for (size_t i = 0; i < n->nends; i++)
		fd_close(&n->ends[i]);
}

static int pipe_for_init(struct ns_box *n, int which, int *ret_ours, struct err *e)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot create the sockets of the box");
	*ret_ours = ends[!which];
	if (fcntl(ends[!which], F_SETFL, O_NONBLOCK) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot create the sockets of the box");
	return end_for_init(n, ends[which]);
}

/* The pipe for standard input exists before it is known whether there is input. */
static int channels_open(struct box_state *b, struct err *e)
{
	struct ns_box *n = b->own;
	struct ns_child *c = &n->child;
	int talk[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, talk) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot create the sockets of the box");
	n->talk = talk[0];
	c->talk = end_for_init(n, talk[1]);
	c->in = pipe_for_init(n, 0, &b->in.to, e);
	c->out = pipe_for_init(n, 1, &b->out.fd, e);
	c->err = pipe_for_init(n, 1, &b->err.fd, e);
	if (c->in < 0 || c->out < 0 || c->err < 0)
		return -1;
	c->launcher = end_for_init(n, (int)syscall(SYS_pidfd_open, getpid(), 0));
	return c->launcher < 0 ? err_set(e, ERR_SYSTEM, errno, "cannot watch the launcher of the box") : 0;
}

/* A program may open its streams once more, as /dev/stderr. For that a pipe has an owner like any file. */
static int give_streams(const struct box_state *b, struct err *e)
{
	const struct ns_box *n = b->own;
	const int fds[] = {b->in.to, b->out.fd, b->err.fd};

	for (size_t i = 0; n->user.nobody && i < ARRAY_SIZE(fds); i++)
		if (fchown(fds[i], n->user.outside_uid, n->user.outside_gid) != 0)
			return err_set(e, ERR_SYSTEM, errno, "cannot give the box its streams");
	return 0;
}

/* ---- begin ---- */

struct ns_user ns_user(pid_t init)
{
	const uint32_t outside = NS_ID_OUTSIDE + (uint32_t)init % NS_IDS_OUTSIDE;
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (uid)
		return (struct ns_user){.uid = uid, .outside_uid = uid, .gid = gid, .outside_gid = gid};
	if (!namespace_knows(outside))
		return (struct ns_user){
				.uid = PLAN_ID, .outside_uid = uid, .gid = PLAN_ID, .outside_gid = gid};
	return (struct ns_user){
			.uid = PLAN_ID, .outside_uid = outside, .gid = PLAN_ID, .outside_gid = outside,
			.nobody = true,
	};
}

/*
 * Init lowers its limit of core dumps to NS_CORE_BYTES. From a hard limit of 0 that would be raising it,
 * which only root may do, and init will not be root.
 */
static void make_room_for_cores(void)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_CORE, &l) == 0 && l.rlim_max < NS_CORE_BYTES) {
		l.rlim_max = NS_CORE_BYTES;
		(void)setrlimit(RLIMIT_CORE, &l);
	}
}

/* Init waits for this message, and then becomes the user. */
static int tell_user(const struct ns_box *n, struct err *e)
{
	if (fds_send(n->talk, &n->user, sizeof(n->user), NULL, 0) < 0 && errno != EPIPE &&
			errno != ECONNRESET)
		return err_set(e, ERR_SYSTEM, errno, "cannot talk to the box");
	return 0;
}

static int clone_init(struct box_state *b, struct err *e)
{
	struct ns_box *n = b->own;
	int into = ns_group_begin(n);
	pid_t pid = namespace_clone(into, &n->pidfd);

	if (pid < 0 && box_inside())
		return err_set(e, ERR_SYSTEM, 0, "this is already a box, and a box cannot contain another");
	if (pid < 0)
		return namespace_error(e, errno, "the namespaces of the box");
	if (!pid) {
		scope_close(&n->scope); /* the manager is not for the box */
		ns_init(&n->child);
	}
	b->init = pid;
	return 0;
}

static int map_user(struct box_state *b, struct err *e)
{
	struct ns_box *n = b->own;
	const struct ns_user *u = &n->user;

	n->user = ns_user(b->init);
	return namespace_map(b->init, u->uid, u->outside_uid, u->gid, u->outside_gid, u->nobody, e);
}

/* ---- begin in the network of another box ---- */

static void __attribute__((noreturn)) init_beside(void *ctx)
{
	struct ns_box *n = ((struct box_state *)ctx)->own;

	scope_close(&n->scope); /* the manager is not for the box */
	ns_init(&n->child);
}

static int map_beside(void *ctx, pid_t init, struct err *e)
{
	struct box_state *b = ctx;

	b->init = init;
	return map_user(b, e);
}

static int clone_beside(struct box_state *b, int network, struct err *e)
{
	struct ns_box *n = b->own;
	struct namespace_birth how = {.network = network,
			.into = ns_group_begin(n),
			.born = init_beside,
			.map = map_beside,
			.ctx = b};

	b->init = namespace_clone_beside(&how, &n->pidfd, e);
	return b->init < 0 || e->kind ? -1 : 0;
}

static int begin(struct box_state *b, const struct spec *s, struct err *e)
{
	struct ns_box *n = b->own;
	const int *joins = s ? s->joins : NULL;

	if (brief_open(e) != 0)
		return -1;
	n->child = (struct ns_child){.own_network = !joins && (!s || network_isolated(&s->network))};
	n->child.null = end_for_init(n, fill_standard(e));
	if (n->child.null < 0 || channels_open(b, e) != 0)
		return -1;
	make_room_for_cores();
	if (joins ? clone_beside(b, *joins, e) != 0 : clone_init(b, e) != 0 || map_user(b, e) != 0)
		return -1;
	if (give_streams(b, e) != 0 || cpus_away(b->init, e) != 0)
		return -1;
	if (n->child.moved_in)
		ns_scope_begin(b);
	if (!n->scope.open && tell_user(n, e) != 0)
		return -1;
	close_ends(n); /* or sending to a dead init would block, with the other end still open here */
	return n->grouped ? undertaker_start(&n->undertaker, &n->cg, NULL, e) : 0;
}

/* Field by field: the memory is zeroed already, and large. */
static int ns_begin(struct box_state *b, const struct spec *s, struct err *e)
{
	struct ns_box *n = arena_new(b->a, struct ns_box);

	b->own = n;
	n->idmap = n->talk = n->pidfd = n->procfd = n->rootfd = n->netfd = -1;
	n->want = CG_HAS_CPU | (s && s->limits.io ? CG_HAS_IO : 0);
	return begin(b, s, e);
}

/* The network namespace and, on version 2, the controllers of the group are chosen when a box is begun. */
static bool ns_fits(struct box_state *b, const struct spec *s)
{
	const struct ns_box *n = b->own;

	if (n->primed)
		return ns_prime_fits(b, s);
	return (!n->grouped || !s->limits.io) && !s->joins &&
			n->child.own_network == network_isolated(&s->network);
}

/* ---- start ---- */

static void note_spec(struct box_state *b)
{
	const struct limits *l = &b->spec->limits;
	struct ns_box *n = b->own;

	n->cpus_suffice = (uint64_t)cpus_count() * 1000 <= l->cpu_milli;
	n->keep_cpus = (uint64_t)cpus_online() * 1000 > l->cpu_milli;
	n->want = ns_group_wants(l);
}

static int make_brief(struct box_state *b, struct err *e)
{
	const struct spec *s = b->spec;
	struct ns_box *n = b->own;
	uint32_t open_files = !n->user.nobody && s->profile == PROFILE_EXEC ? OPEN_FILES_EXEC : 0;
	struct str cwd = s->cwd.n ? s->cwd : s->workspace.n ? s->workspace : s->home;

	if (n->user.nobody && !n->primed && ns_trees_open(b, e) != 0)
		return -1;
	if (network_has_names(&s->network) && !s->joins) {
		n->network = arena_new(b->a, struct ns_network);
		if (ns_network_plan(b->a, &s->network, n->network, e) != 0)
			return -1;
	}
	return brief_make(s, open_files, n->primed ? n->files : b->ops.first, cwd, n->network, n->primed, e);
}

int ns_start_bits(const struct ns_box *n)
{
	int bits = n->grouped ? NS_GROUP : 0;

	if (ns_group_cpus(n) == ENFORCED_AFFINITY)
		bits |= (n->cpus_suffice ? 0 : NS_FEWER_CPUS) | (n->keep_cpus ? NS_KEEP_CPUS : 0);
	return bits;
}

/* The program may start. It gets the descriptors to enter its group, unless it was born there. */
static int send_start(const struct ns_box *n, struct err *e)
{
	int doors[CG_HIERARCHIES_MAX];
	size_t ndoors = n->grouped && !n->primed ? cg_doors(&n->cg, doors) : 0;
	char word = (char)(NS_START | ns_start_bits(n));

	if (n->grouped && !ndoors && !n->primed && !n->child.born_in && !n->child.moved_in)
		return err_set(e, ERR_INTERNAL, 0, "the box has a cgroup and no way to enter it");
	/* A child that is dead already has sent the reason; supervise_box() hears it. */
	if (fds_send(n->talk, &word, 1, doors, ndoors) != 1 && errno != EPIPE && errno != ECONNRESET)
		return err_set(e, ERR_SYSTEM, errno, "cannot talk to the box");
	return 0;
}

/* Unless init is in its group already, the group is made while init puts the root together. */
int ns_send_task(struct box_state *b, bool guess, struct err *e)
{
	struct ns_box *n = b->own;
	bool born = n->grouped;

	note_spec(b);
	if ((born && ns_group_ready(b, e) != 0) || make_brief(b, e) != 0)
		return -1;
	if (guess)
		brief_prime();
	if (n->scope.open) {
		ns_scope_finish(b);
		born = n->grouped;
		if ((born && ns_group_ready(b, e) != 0) || tell_user(n, e) != 0)
			return -1;
	}
	if (brief_send(n->talk, e) != 0 || (!born && ns_group_ready(b, e) != 0))
		return -1;
	ns_trees_close(b);
	return n->grouped && !born ? undertaker_start(&n->undertaker, &n->cg, NULL, e) : 0;
}

/* A primed box gets the rest of its task. */
static int send_run(struct box_state *b, struct err *e)
{
	struct ns_box *n = b->own;

	note_spec(b);
	if (make_brief(b, e) != 0 || brief_send(n->talk, e) != 0)
		return -1;
	return ns_prime_ready(b, e);
}

static int ns_start(struct box_state *b, struct err *e)
{
	struct ns_box *n = b->own;

	if ((n->primed ? send_run(b, e) : ns_send_task(b, false, e)) != 0 || box_before_program(b, e) != 0 ||
			(n->network && (ns_relay_start(b, e) != 0 || ns_group_settle(b, e) != 0)))
		return -1;
	b->memory_watched = !n->grouped;
	b->cpu_counted = b->spec->limits.cpu_ms && n->grouped && cg_time_counter(&n->cg) != ENFORCED_NOT;
	b->started = clock_now();
	if (send_start(n, e) != 0)
		return -1;
	return 0;
}

/* ---- the end ---- */

/* The launcher kills the box for CPU time; this is who counts it. */
static enum enforcer time_enforcer(const struct ns_box *n)
{
	enum enforcer by = n->grouped ? cg_time_counter(&n->cg) : ENFORCED_NOT;

	return by == ENFORCED_NOT ? ENFORCED_WATCH : by;
}

static void ns_enforcers(const struct box_state *b, struct enforced *ret)
{
	const struct ns_box *n = b->own;
	const struct spec *s = b->spec;

	*ret = (struct enforced){
		.cpu = ns_group_cpus(n),
		.memory = n->grouped ? cg_enforcer(&n->cg, CG_MEMORY_MAX) : ENFORCED_WATCH,
		.pids = n->grouped ? cg_enforcer(&n->cg, CG_PIDS_MAX) : ENFORCED_RLIMIT,
		.scratch = s->tmp.n ? ENFORCED_WATCH : ENFORCED_TMPFS,
		.output = ENFORCED_PIPE, .time = ENFORCED_TIMER,
		.cpu_time = s->limits.cpu_ms ? time_enforcer(n) : ENFORCED_NOT,
		.io = s->limits.io ? cg_enforcer(&n->cg, CG_IO_MAX) : ENFORCED_NOT,
		.network = network_isolated(&s->network) ? ENFORCED_NAMESPACE : ENFORCED_NOT,
	};
}

/* In a holder init is no child. Its pidfd tells its end, which is the end of the box. False: it has ended. */
static bool wait_for_stranger(int pidfd)
{
	return errno == ECHILD && poll(&(struct pollfd){.fd = pidfd, .events = POLLIN}, 1, -1) < 0;
}

static void end_init(struct box_state *b)
{
	struct ns_box *n = b->own;

	if (b->init <= 0)
		return;
	syscall(SYS_pidfd_send_signal, n->pidfd, SIGKILL, NULL, 0);
	while (waitpid(b->init, NULL, 0) < 0 && (errno == EINTR || wait_for_stranger(n->pidfd)))
		;
	b->init = 0;
}

static void close_all(struct box_state *b)
{
	struct ns_box *n = b->own;
	int *const fds[] = {&n->talk, &n->pidfd, &n->procfd, &n->rootfd, &n->netfd};

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		fd_close(fds[i]);
	close_ends(n);
	ns_trees_close(b);
	scope_close(&n->scope);
}

static void ns_stop(struct box_state *b, enum box_stop how)
{
	struct ns_box *n = b->own;

	if (how == STOP_NOW)
		end_init(b);
	ns_relay_stop(b);
	if (n->grouped && how == STOP_LINGERING)
		undertaker_later(&n->cg, n->pidfd);
	close_all(b);
	if (n->primed && getpid() % SWEEP_EVERY)
		cg_spare_sweep(&n->cg);
	if (n->grouped && how != STOP_LINGERING)
		cg_remove(&n->cg);
	box_leave(b, undertaker_dismiss(&n->undertaker));
	if (how != STOP_LINGERING)
		box_leave(b, b->init);
}

static int ns_probe(const struct backend *self, struct err *e)
{
	int pidfd = -1;
	pid_t pid = namespace_clone(-1, &pidfd);

	(void)self;
	if (pid < 0)
		return namespace_error(e, errno, "the namespaces of the box");
	if (!pid)
		_exit(0);
	fd_close(&pidfd);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

const struct backend backend_ns = {
	.name = "native",
	.about = "Linux namespaces, cgroups, Landlock and seccomp, by caisson itself",
	.probe = ns_probe, .begin = ns_begin, .prime = ns_prime, .fits = ns_fits, .start = ns_start,
	.add_sources = ns_add_sources, .take_events = ns_take_events, .kill = ns_kill,
	.usage = ns_usage, .all_exiting = ns_all_exiting, .enforcers = ns_enforcers, .stop = ns_stop,
	.keep = ns_keep, .finish = ns_finish, .adopt = ns_adopt, .share = ns_share, .shared = ns_shared,
};
