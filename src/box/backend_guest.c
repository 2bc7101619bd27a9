/*
 * The launcher's side of a box that another engine makes: begin, start, stop. guest.h has the theory;
 * ns_control.c is the time between start and stop.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/guest.h"
#include "sys/clock.h"
#include "sys/cpus.h"
#include "sys/fds.h"
#include "sys/file.h"
#include "sys/process.h"

#define HELLO_MS 60000   /* an engine on a busy machine takes seconds */
#define CLIENT_MS 10000  /* for the client to end after its box */
#define LAST_WORDS_MS 200 /* for the client to end by itself */
#define MESSAGES_MAX 300 /* bytes of the client's messages in an error */
/* Processes and threads of the host: of an engine that is a kernel, and for each process in it. */
#define KERNEL_THREADS 512
#define KERNEL_THREADS_EACH 32

/* ---- begin ---- */

static int open_pipe(int *ret_ours, int ours, int *ret_guests, struct err *e)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot create the sockets of the box");
	*ret_ours = ends[ours];
	*ret_guests = ends[!ours];
	return fcntl(ends[ours], F_SETFL, O_NONBLOCK) == 0
			       ? 0
			       : err_set(e, ERR_SYSTEM, errno, "cannot create the sockets of the box");
}

static int name_box(struct guest_box *g, struct err *e)
{
	uint64_t chance;

	if (getrandom(&chance, sizeof(chance), 0) != (ssize_t)sizeof(chance))
		return err_set(e, ERR_SYSTEM, errno, "cannot get random bytes");
	str_put(g->id, sizeof(g->id), "caisson-%d-%016jx", (int)getpid(), (uintmax_t)chance);
	return 0;
}

/* The user namespaces of engines map the box's user to the caller. */
static struct ns_user usual_user(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();

	return (struct ns_user){.uid = uid ? uid : PLAN_ID,
			.outside_uid = uid,
			.gid = uid ? gid : PLAN_ID,
			.outside_gid = gid};
}

int guest_begin(struct box_state *b, const struct spec *s, struct err *e)
{
	struct guest_box *g = arena_new(b->a, struct guest_box);
	struct ns_child *c = &g->ns.child;

	(void)s;
	b->own = g;
	g->engine = b->backend->engine;
	g->own_group = g->engine->own_group;
	g->ns.idmap = g->ns.talk = g->ns.pidfd = g->ns.procfd = g->ns.rootfd = -1;
	g->guests_end = g->listener = g->messages = g->stage.lock = -1;
	g->ns.child = (struct ns_child){
			.talk = -1, .in = -1, .out = -1, .err = -1, .null = -1, .launcher = -1};
	g->user = usual_user();
	if (name_box(g, e) != 0 || brief_open(e) != 0)
		return -1;
	if (open_pipe(&b->in.to, 1, &c->in, e) != 0 || open_pipe(&b->out.fd, 0, &c->out, e) != 0)
		return -1;
	return open_pipe(&b->err.fd, 0, &c->err, e);
}

static bool shows_callers(const struct op *op)
{
	for (; op; op = op->next)
		if (op->flags & (OP_CALLERS | OP_IMAGE))
			return true;
	return false;
}

void guest_choose_nobody(struct box_state *b)
{
	struct guest_box *g = b->own;
	const struct ns_child *c = &g->ns.child;
	uint32_t outside = NS_ID_OUTSIDE + (uint32_t)getpid() % NS_IDS_OUTSIDE;

	if (geteuid() || shows_callers(b->ops.first))
		return;
	if (fchown(c->in, outside, outside) != 0 || fchown(c->out, outside, outside) != 0 ||
			fchown(c->err, outside, outside) != 0)
		return;
	g->user.outside_uid = g->user.outside_gid = outside;
}

bool guest_fits(struct box_state *b, const struct spec *s)
{
	(void)b, (void)s;
	return true;
}

/* ---- refusals ---- */

int guest_lacks(const struct spec *s, struct err *e)
{
	if (network_has_names(&s->network))
		return err_set(e, ERR_INPUT, 0,
				"this backend has no network by name (use --backend native, or --network "
				"deny)");
	if (s->collects)
		return err_set(e, ERR_INPUT, 0, "this backend hands out no files (use --backend native)");
	if (s->background)
		return err_set(e, ERR_INPUT, 0,
				"this backend keeps nothing in the background (use --backend native)");
	return 0;
}

int guest_lacks_disks(const struct spec *s, struct err *e)
{
	if (s->limits.io)
		return err_set(e, ERR_INPUT, 0, "this backend does not limit disks (use --backend native)");
	return guest_lacks(s, e);
}

/* ---- the cgroup ---- */

/* The engine has made it: nothing runs unless its limits are there. */
static int engines_group(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	struct ns_box *n = &g->ns;
	const struct limits *l = &b->spec->limits;

	if (cg_adopt(&n->cg, b->init, e) != 0)
		return -1;
	n->grouped = n->child.born_in = true;
	if (cg_limit_now(&n->cg, CG_MEMORY_MAX) > l->memory)
		return err_set(e, ERR_SYSTEM, 0, "%s did not set the memory limit of the box",
				b->backend->name);
	if (cg_limit_now(&n->cg, CG_PIDS_MAX) > (uint64_t)l->pids + 1 + g->engine->extra)
		return err_set(e, ERR_SYSTEM, 0, "%s did not set the process limit of the box",
				b->backend->name);
	return 0;
}

/* On version 2 the engine's client is in the group, beside the guest. */
static int own_group(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	struct ns_box *n = &g->ns;
	const struct limits *l = &b->spec->limits;
	uint64_t most = (uint64_t)l->pids + 2;

	n->want = (n->cpus_suffice ? 0 : CG_HAS_CPU) | (l->io ? CG_HAS_IO : 0) |
		  (l->cpu_ms ? CG_HAS_CPUACCT : 0);
	if (ns_group_ready(b, e) != 0)
		return -1;
	if (!n->grouped && g->engine->needs_group)
		return err_set(e, ERR_SYSTEM, 0, "the backend %s needs a cgroup: %s", b->backend->name,
				n->no_group.text);
	if (!n->grouped)
		return 0;
	if (g->engine->needs_group)
		most = l->pids * KERNEL_THREADS_EACH + KERNEL_THREADS;
	if ((cg_guess_v2() || g->engine->needs_group) && cg_set(&n->cg, CG_PIDS_MAX, most, e) != 0)
		return -1;
	n->child.born_in = cg_guess_v2() || g->engine->needs_group;
	return undertaker_start(&n->undertaker, &n->cg, NULL, e);
}

/* ---- the engine's client ---- */

const char *guest_find(const char *name, char *buffer, size_t size)
{
	static const char dirs[][16] = {
			"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"};

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (str_put(buffer, size, "%s/%s", dirs[i], name) < size && access(buffer, X_OK) == 0)
			return buffer;
	return NULL;
}

const char *guest_program(struct arena *a)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	return n > 0 && path[0] == '/' ? str_c(a, str_n(path, (size_t)n)) : NULL;
}

/* In the child, which is in the group from its birth on. */
static bool enter_group(const struct ns_box *n)
{
	int doors[CG_HIERARCHIES_MAX];
	bool rest;
	int into = cg_into(&n->cg, &rest);
	FD_CLEANUP int procs = into < 0 ? -1 : openat(into, "cgroup.procs", O_WRONLY | O_CLOEXEC);

	if (into >= 0 && (procs < 0 || write(procs, "0", 1) != 1))
		return false;
	return cg_enter(doors, cg_doors(&n->cg, doors)) == 0;
}

static void __attribute__((noreturn))
become_client(const struct guest_box *g, pid_t launcher, int input, int messages, const char *path,
		char *const *argv)
{
	static char *const envp[] = {
			"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", NULL};
	int from = input >= 0 ? input : open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != launcher)
		_exit(NS_LOST); /* killed before that */
	setpgid(0, 0);
	if (g->ns.child.born_in && g->ns.grouped && !enter_group(&g->ns))
		_exit(NS_LOST);
	if (from < 0 || dup2(from, 0) < 0 || dup2(messages, 1) < 0 || dup2(messages, 2) < 0)
		_exit(NS_LOST);
	if (g->engine->prepare && g->engine->prepare(g) != 0)
		_exit(NS_LOST);
	if (g->guests_end >= 0 && (g->guests_end == GUEST_TALK_FD ? fcntl(GUEST_TALK_FD, F_SETFD, 0)
								  : dup2(g->guests_end, GUEST_TALK_FD)) < 0)
		_exit(NS_LOST);
	(void)syscall(SYS_close_range, (unsigned)GUEST_TALK_FD + (g->guests_end >= 0), ~0u, 0);
	execve(path, argv, envp);
	_exit(NS_LOST);
}

int guest_spawn(struct box_state *b, int input, const char *path, char *const *argv, struct err *e)
{
	struct guest_box *g = b->own;
	pid_t launcher = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot create the sockets of the box");
	g->messages = ends[0];
	(void)fcntl(ends[0], F_SETFL, O_NONBLOCK);
	g->client = process_fork(NULL);
	if (!g->client)
		become_client(g, launcher, input, ends[1], path, argv);
	close(ends[1]);
	if (g->client < 0) {
		g->client = 0;
		return err_set(e, ERR_SYSTEM, errno, "cannot start '%s'", path);
	}
	fd_close(&g->guests_end);
	return 0;
}

/* The last words of the client, on one line. */
static void read_messages(struct guest_box *g, char *ret, size_t size)
{
	ssize_t n = g->messages < 0 ? 0 : read(g->messages, ret, size - 1);
	size_t len = n > 0 ? (size_t)n : 0;

	while (len && (ret[len - 1] == '\n' || ret[len - 1] == ' '))
		len--;
	ret[len] = 0;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)ret[i] < ' ')
			ret[i] = ' ';
}

/*
 * The signal that killed the client; 0: none did. Its sockets close shortly before it is dead. The client
 * stays to be waited for.
 */
static int client_killer(const struct guest_box *g)
{
	FD_CLEANUP int pidfd = g->client > 0 ? (int)syscall(SYS_pidfd_open, g->client, 0) : -1;
	siginfo_t si = {0};

	if (pidfd >= 0)
		(void)poll(&(struct pollfd){.fd = pidfd, .events = POLLIN}, 1, LAST_WORDS_MS);
	if (g->client <= 0 || waitid(P_PID, (id_t)g->client, &si, WEXITED | WNOHANG | WNOWAIT) != 0)
		return 0;
	return si.si_pid && (si.si_code == CLD_KILLED || si.si_code == CLD_DUMPED) ? si.si_status : 0;
}

static int no_guest(struct box_state *b, const char *what, struct err *e)
{
	struct guest_box *g = b->own;
	char words[MESSAGES_MAX];
	int killer = client_killer(g);

	read_messages(g, words, sizeof(words));
	if (killer && !words[0])
		return err_set(e, ERR_SYSTEM, 0, "%s %s: it was killed (SIG%s)", b->backend->name, what,
				sigabbrev_np(killer));
	return err_set(e, ERR_SYSTEM, 0, "%s %s%s%s", b->backend->name, what, words[0] ? ": " : "", words);
}

/* ---- hello ---- */

static int open_talk(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int ends[2], on = 1;

	if (!g->engine->connects) {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
			return err_set(e, ERR_SYSTEM, errno, "cannot create the sockets of the box");
		/* from now on: a guest that cannot send credentials may say hello before they are awaited */
		(void)setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
		g->ns.talk = ends[0];
		g->guests_end = ends[1];
		return 0;
	}
	if (str_put(at.sun_path, sizeof(at.sun_path), "%s/caisson/talk", g->stage.dir) >= sizeof(at.sun_path))
		return err_set(e, ERR_INPUT, 0, "the path '%s' is too long for a socket", g->stage.dir);
	g->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (g->listener < 0 || bind(g->listener, (struct sockaddr *)&at, sizeof(at)) != 0 ||
			chmod(at.sun_path, 0666) != 0 || listen(g->listener, 1) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot listen at '%s'", at.sun_path);
	return 0;
}

/* 1: it is ready; 0: the client has ended, or too much time is over. */
static int await_fd(struct guest_box *g, int fd)
{
	int64_t until = clock_now() + (int64_t)HELLO_MS * 1000000;
	FD_CLEANUP int client = g->client > 0 ? (int)syscall(SYS_pidfd_open, g->client, 0) : -1;

	for (;;) {
		struct pollfd p[] = {{.fd = fd, .events = POLLIN}, {.fd = client, .events = POLLIN}};
		int64_t left = (until - clock_now()) / 1000000;

		if (left <= 0)
			return 0;
		if (poll(p, ARRAY_SIZE(p), (int)left) < 0 && errno == EINTR)
			continue;
		if (p[0].revents)
			return 1;
		if (p[1].revents)
			return 0;
	}
}

static int accept_guest(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;

	if (!await_fd(g, g->listener))
		return no_guest(b, "started no box", e);
	g->ns.talk = accept4(g->listener, NULL, NULL, SOCK_CLOEXEC);
	fd_close(&g->listener);
	return g->ns.talk < 0 ? err_set(e, ERR_SYSTEM, errno, "cannot talk to the box") : 0;
}

/* The guest's first message: the kernel says who sent it. */
static int take_hello(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	int on = 1, off = 0;
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(struct ucred))];
	} control = {0};
	char word;
	struct iovec io = {.iov_base = &word, .iov_len = 1};
	struct msghdr m = {.msg_iov = &io,
			.msg_iovlen = 1,
			.msg_control = &control,
			.msg_controllen = sizeof(control)};
	struct ucred who = {0};

	(void)setsockopt(g->ns.talk, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	if (!await_fd(g, g->ns.talk) || recvmsg(g->ns.talk, &m, MSG_CMSG_CLOEXEC) != 1)
		return no_guest(b, "started no box", e);
	(void)setsockopt(g->ns.talk, SOL_SOCKET, SO_PASSCRED, &off, sizeof(off));
	if (control.head.cmsg_type == SCM_CREDENTIALS)
		memcpy(&who, CMSG_DATA(&control.head), sizeof(who));
	if (who.pid <= 0)
		return err_set(e, ERR_SYSTEM, 0, "the init process of the box has no pid in this namespace");
	g->ns.pidfd = (int)syscall(SYS_pidfd_open, who.pid, 0);
	if (g->ns.pidfd < 0)
		return no_guest(b, "ended the box", e);
	b->init = who.pid;
	return 0;
}

/* The guest takes no descriptors: the launcher, which outlives these boxes, holds the locks itself. */
static void drop_holds(struct box_state *b)
{
	for (struct op *op = b->ops.first; op; op = op->next)
		fd_close(&op->tree);
}

/* While the engine makes the container, of which the task says nothing. */
static int make_task(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	const struct spec *s = b->spec;
	struct str cwd = s->cwd.n ? s->cwd : s->workspace.n ? s->workspace : s->home;
	struct stat devices;

	g->hello = (struct guest_hello){.brief = brief_address(),
			.isolated = network_isolated(&s->network),
			.finishes = g->engine->finishes,
			.uid = g->user.uid,
			.gid = g->user.gid};
	for (enum guest_namespace n = 0; n < GUEST_NAMESPACES; n++)
		g->hello.outside[n] = guest_namespace(n);
	if (stat("/dev", &devices) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot stat '/dev'");
	g->hello.devices = devices.st_dev;
	drop_holds(b);
	return brief_make(s, 0, b->ops.first, cwd, NULL, 0, e);
}

static int send_task(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	struct ns_child *c = &g->ns.child;
	int fds[GUEST_STREAMS] = {c->in, c->out, c->err};

	g->hello.born_in = c->born_in;
	if (fds_send(g->ns.talk, &g->hello, sizeof(g->hello), fds, GUEST_STREAMS) < 0 && errno != EPIPE &&
			errno != ECONNRESET)
		return err_set(e, ERR_SYSTEM, errno, "cannot talk to the box");
	fd_close(&c->in);
	fd_close(&c->out);
	fd_close(&c->err);
	return brief_send(g->ns.talk, e);
}

/* ---- start ---- */

static int send_start(const struct ns_box *n, struct err *e)
{
	int doors[CG_HIERARCHIES_MAX];
	size_t ndoors = n->grouped && !n->child.born_in ? cg_doors(&n->cg, doors) : 0;
	char word = NS_START | (n->grouped ? NS_GROUP : 0);

	if (ns_group_cpus(n) == ENFORCED_AFFINITY)
		word |= (n->cpus_suffice ? 0 : NS_FEWER_CPUS) | (n->keep_cpus ? NS_KEEP_CPUS : 0);
	/* A guest that is dead already has sent the reason; supervise_box() hears it. */
	if (fds_send(n->talk, &word, 1, doors, ndoors) != 1 && errno != EPIPE && errno != ECONNRESET)
		return err_set(e, ERR_SYSTEM, errno, "cannot talk to the box");
	return 0;
}

static int prepare(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	const char *program = guest_program(b->a);
	uint32_t cpu_milli = b->spec->limits.cpu_milli;

	g->ns.cpus_suffice = (uint64_t)cpus_count() * 1000 <= cpu_milli;
	g->ns.keep_cpus = (uint64_t)cpus_online() * 1000 > cpu_milli;
	if (!program)
		return err_set(e, ERR_SYSTEM, errno, "cannot find this program's own file");
	if (stage_make(b->a, b->spec, &b->ops, program, !g->engine->connects, &g->stage, e) != 0)
		return -1;
	if (g->stage.no_overlay)
		err_set(&b->outcome.no_overlay, ERR_SYSTEM, 0, "the backend %s has no overlays",
				b->backend->name);
	if (g->engine->settle && g->engine->settle(b, e) != 0)
		return -1;
	return g->own_group ? own_group(b, e) : 0;
}

int guest_start(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	struct ns_box *n = &g->ns;

	if (prepare(b, e) != 0 || open_talk(b, e) != 0 || g->engine->launch(b, e) != 0 ||
			make_task(b, e) != 0)
		return -1;
	if (g->engine->connects && accept_guest(b, e) != 0)
		return -1;
	if (take_hello(b, e) != 0 || (!g->own_group && engines_group(b, e) != 0))
		return -1;
	if (g->engine->check && g->engine->check(b, e) != 0)
		return -1;
	if (send_task(b, e) != 0 || box_before_program(b, e) != 0)
		return -1;
	b->memory_watched = !n->grouped;
	b->cpu_counted = b->spec->limits.cpu_ms && n->grouped && cg_time_counter(&n->cg) != ENFORCED_NOT;
	b->started = clock_now();
	return send_start(n, e);
}

/* ---- usage ---- */

/* Without a cgroup, memory is counted by looking. The files of each tmpfs are memory as well. */
static uint64_t scratch_now(const struct box_state *b, const struct stage_mount *m)
{
	char path[PATH_MAX];
	struct statfs fs;

	str_put(path, sizeof(path), "/proc/%d/root%s", (int)b->init, m->target);
	if (statfs(path, &fs) != 0 || fs.f_type != TMPFS_MAGIC)
		return m->size;
	return (uint64_t)(fs.f_blocks - fs.f_bfree) * (uint64_t)fs.f_bsize;
}

void guest_usage(struct box_state *b, unsigned wanted, struct box_usage *ret)
{
	struct guest_box *g = b->own;

	fd_close(&g->ns.rootfd); /* the root of the box is no scratch */
	ns_usage(b, wanted, ret);
	if (g->ns.grouped || !(wanted & USAGE_MEMORY) || !ret->memory)
		return;
	for (const struct stage_mount *m = g->stage.mounts; m; m = m->next)
		if (m->kind == STAGE_TMPFS)
			ret->memory += scratch_now(b, m);
}

/* ---- the end ---- */

void guest_enforcers(const struct box_state *b, struct enforced *ret)
{
	const struct guest_box *g = b->own;
	const struct ns_box *n = &g->ns;
	const struct spec *s = b->spec;
	enum enforcer counter = n->grouped ? cg_time_counter(&n->cg) : ENFORCED_NOT;

	*ret = (struct enforced){
			.cpu = ns_group_cpus(n),
			.memory = n->grouped ? cg_enforcer(&n->cg, CG_MEMORY_MAX) : ENFORCED_WATCH,
			.pids = n->grouped ? cg_enforcer(&n->cg, CG_PIDS_MAX) : ENFORCED_RLIMIT,
			.scratch = s->tmp.n ? ENFORCED_WATCH : ENFORCED_TMPFS,
			.output = ENFORCED_PIPE,
			.time = ENFORCED_TIMER,
			.cpu_time = !s->limits.cpu_ms         ? ENFORCED_NOT
				    : counter == ENFORCED_NOT ? ENFORCED_WATCH
							      : counter,
			.io = s->limits.io ? cg_enforcer(&n->cg, CG_IO_MAX) : ENFORCED_NOT,
			.network = network_isolated(&s->network) ? ENFORCED_NAMESPACE : ENFORCED_NOT,
	};
}

static void end_guest(struct guest_box *g, bool wait)
{
	struct pollfd p = {.fd = g->ns.pidfd, .events = POLLIN};

	if (g->ns.pidfd < 0)
		return;
	syscall(SYS_pidfd_send_signal, g->ns.pidfd, SIGKILL, NULL, 0);
	while (wait && poll(&p, 1, -1) < 0 && errno == EINTR)
		;
}

/* The client ends with its container. One that hangs is killed. */
static void end_client(struct guest_box *g)
{
	FD_CLEANUP int pidfd = g->client > 0 ? (int)syscall(SYS_pidfd_open, g->client, 0) : -1;
	struct pollfd p = {.fd = pidfd, .events = POLLIN};

	if (g->client <= 0)
		return;
	if (g->ns.pidfd < 0 || poll(&p, 1, CLIENT_MS) != 1)
		kill(-g->client, SIGKILL);
	while (waitpid(g->client, NULL, 0) < 0 && errno == EINTR)
		;
	g->client = 0;
}

void guest_stop(struct box_state *b, enum box_stop how)
{
	struct guest_box *g = b->own;
	struct ns_box *n = &g->ns;
	int *const fds[] = {&n->talk, &n->procfd, &n->rootfd, &n->child.in, &n->child.out, &n->child.err,
			&g->guests_end, &g->listener, &g->messages};

	end_guest(g, how != STOP_LINGERING);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		fd_close(fds[i]);
	end_client(g);
	if (g->engine->remove)
		g->engine->remove(b);
	if (n->grouped && how == STOP_LINGERING)
		undertaker_later(&n->cg, n->pidfd);
	else if (n->grouped)
		cg_remove(&n->cg);
	fd_close(&n->pidfd);
	box_leave(b, undertaker_dismiss(&n->undertaker));
	stage_remove(&g->stage);
	b->init = 0;
}
