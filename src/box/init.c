/*
 * pid 1 of the box, and the program before it is itself. ns.h has the theory. Nothing here allocates; whatever fails is told to the launcher,
 * and then this process ends, and the box with it.
 *
 * Init is there before the launcher knows what for: it makes its namespaces, becomes the user of the box and gives up what it will not need, all of which
 * the program inherits, and meanwhile another process makes the network namespace, which takes the kernel longest. Then it waits for its task.
 *
 * Init shares its user with the program. It is not dumpable, so nothing of it can be read, traced or opened through /proc; as pid 1 it takes
 * no signal from inside. It keeps one descriptor, the socket to the launcher, once the program runs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/ns.h"
#include "sys/file.h"
#include "sys/fds.h"
#include "sys/landlock.h"
#include "sys/namespace.h"
#include "sys/seccomp.h"

#define GRACE_MS 1000 /* after the time limit, which is the launcher's to keep */
#define OPEN_FILES 20000
#define CORE_BYTES 1 /* less than any core; unlike 0 it also keeps the kernel from starting the host's program for them */

static void tell(int talk, const struct ns_message *m) { (void)fds_send(talk, m, sizeof(*m), NULL, 0); }

static void __attribute__((noreturn)) give_up(int talk, const struct err *why)
{
	struct ns_message m = {.kind = NS_FAILED, .err = *why};

	tell(talk, &m);
	_exit(127);
}

/* The launcher is dead. Or what it sent could not be taken, for want of descriptors. */
static void __attribute__((noreturn)) not_told(int talk)
{
	struct err e = {0};

	if (errno != EMFILE)
		_exit(127);
	err_set(&e, ERR_SYSTEM, errno, "cannot take the descriptors of the box");
	give_up(talk, &e);
}

/* One byte from the launcher. Its death ends us. */
static void await(int talk, char what)
{
	char got = 0;
	ssize_t n;

	do
		n = recv(talk, &got, 1, 0);
	while (n < 0 && errno == EINTR);
	if (n != 1 || got != what)
		_exit(127);
}

/* The descriptors by which the launcher can look into the box from outside, where no cgroup counts for it. */
static int hand_out(int talk, int root, struct err *e)
{
	FD_CLEANUP int proc = openat(root, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct ns_message m = {.kind = NS_READY};

	if (proc < 0 || fds_send(talk, &m, sizeof(m), (int[]){proc, root}, 2) < 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot let the launcher look into the box");
	return 0;
}

/* ---- who we are ---- */

/* By number: the C library keeps two signals for itself, which a caller may have ignored as well. */
static void default_signals(void)
{
	static const uint64_t as_by_default[4]; /* the kernel's own structure: handler, flags, restorer, mask */
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		syscall(SYS_rt_sigaction, s, as_by_default, NULL, (size_t)(NSIG - 1) / 8);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int become(const struct ns_child *c, struct err *e)
{
	if (c->drop_groups && setgroups(0, NULL) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot drop groups");
	if (setresgid(c->gid, c->gid, c->gid) != 0 || setresuid(c->uid, c->uid, c->uid) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot become the user of the box");
	/* Another user is not dumpable, and init must look at the process that makes the network; while it can, nothing foreign runs in the box. */
	if (prctl(PR_SET_DUMPABLE, 1) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot guard the first process of the box");
	umask(022);
	return 0;
}

/*
 * Changing the user forgets the parent-death signal, so this is done again after it. It may be too late, which only the launcher's own descriptor says: other
 * processes may still hold its end of the socket, and words it said before are still in there. It sends the signals and counts as ended
 * under one lock of the kernel, which changing our process group waits for: after that it is one or the other.
 */
static int die_with_launcher(const struct ns_child *c, struct err *e)
{
	struct pollfd launcher = {.fd = c->launcher, .events = POLLIN};

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || setpgid(0, 0) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot guard the first process of the box");
	if (poll(&launcher, 1, 0) != 0)
		_exit(127);
	return 0;
}

/* ---- the program ---- */

static int limit(int what, uint64_t n)
{
	struct rlimit l;

	if (getrlimit(what, &l) != 0)
		return -1;
	if (l.rlim_max != RLIM_INFINITY && n > l.rlim_max)
		n = l.rlim_max;
	l.rlim_cur = l.rlim_max = n;
	return setrlimit(what, &l);
}

/* Without a cgroup: as many CPUs as there are whole ones in the limit, and one for the rest. */
static int set_affinity(uint32_t cpu_milli)
{
	uint32_t wanted = (cpu_milli + 999) / 1000, n = 0;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) != 0)
		return -1;
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && ++n > wanted)
			CPU_CLR(cpu, &set);
	return n > wanted ? sched_setaffinity(0, sizeof(set), &set) : 0;
}

/* In a user namespace of its own the kernel counts only the processes of this box; init is one of them. */
static int limit_each(const struct ns_task *t, struct err *e)
{
	const struct limits *l = &t->limits;

	if (limit(RLIMIT_DATA, l->memory) != 0 || limit(RLIMIT_NPROC, (uint64_t)l->pids + 1) != 0 || set_affinity(l->cpu_milli) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot set limits");
	return 0;
}

struct entry { /* of the program */
	bool alone;                    /* there is none: each process is limited by itself */
	int doors[CG_HIERARCHIES_MAX]; /* how it gets in; none when init was born in it */
	size_t n;
};

/* The doors are closed when the program is itself, and here soon after, so nothing in the box holds a way to its own limits. */
static int enter_group(const struct entry *g, const struct ns_task *t, struct err *e)
{
	if (g->alone)
		return limit_each(t, e);
	return cg_enter(g->doors, g->n) == 0 ? 0 : err_set(e, ERR_SYSTEM, errno, "cannot enter the cgroup of the box");
}

/* The same paths once more: everything that is mounted can be read, what is mounted writable can be written. */
static int wall_in(const struct ns_task *t, struct err *e)
{
	int rules = landlock_version() > 0 ? landlock_start(t->network != NETWORK_DENY) : -1;

	if (rules < 0)
		return landlock_version() > 0 ? err_set(e, ERR_SYSTEM, errno, "cannot start Landlock") : 0;
	if (landlock_allow(rules, "/", false) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot set Landlock");
	for (const struct op *op = t->ops; op; op = op->next)
		if (op->flags & OP_WRITABLE && !(op->flags & OP_COVERED) && op->kind != OP_INSIDE && landlock_allow(rules, op->target, true) != 0 && errno != ENOENT)
			return err_set(e, ERR_SYSTEM, errno, "cannot set Landlock for '%s'", op->target);
	if (landlock_enforce(rules) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot enforce Landlock");
	close(rules);
	return 0;
}

static int set_streams(const struct ns_child *c, bool input, struct err *e)
{
	if (dup2(input ? c->in : c->null, STDIN_FILENO) < 0 || dup2(c->out, STDOUT_FILENO) < 0 || dup2(c->err, STDERR_FILENO) < 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot set the streams of the program");
	if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot close descriptors");
	return 0;
}

static const char *path_of(char *const *envp)
{
	for (; *envp; envp++)
		if (!strncmp(*envp, "PATH=", 5))
			return *envp + 5;
	return "/usr/local/bin:/usr/bin:/bin";
}

/* As a shell looks a command up: the first that can be run; what can be found and not run is remembered for the message. */
static void run(const struct ns_task *t, struct err *e)
{
	char *const *argv = t->argv;
	const char *dirs = path_of(t->envp);
	char path[PATH_MAX];
	int why = ENOENT;

	if (strchr(argv[0], '/')) {
		execve(argv[0], argv, t->envp);
		why = errno;
		dirs = "";
	}
	while (*dirs) {
		size_t n = strcspn(dirs, ":");
		size_t len = str_put(path, sizeof(path), "%.*s/%s", n ? (int)n : 1, n ? dirs : ".", argv[0]);

		if (len < sizeof(path)) {
			execve(path, argv, t->envp);
			if (errno != ENOENT && errno != ENOTDIR)
				why = errno;
		}
		dirs += n + (dirs[n] == ':');
	}
	err_set(e, ERR_SYSTEM, why, "cannot run '%.200s' in the box", argv[0]);
}

static int enclose(const struct ns_child *c, const struct ns_task *t, const struct entry *g, struct err *e)
{
	int why = 0;

	setsid();
	if (enter_group(g, t, e) != 0 || set_streams(c, t->input, e) != 0 || setup_enter(e) != 0)
		return -1;
	if (chdir(t->cwd) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot change to '%s' in the box", t->cwd);
	if (privileges_drop() != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot drop privileges");
	if (wall_in(t, e) != 0)
		return -1;
	if (g->alone)
		why = seccomp_refuse_hidden_memory();
	if (!why)
		why = seccomp_load(t->network != NETWORK_DENY);
	return why ? err_set(e, ERR_SYSTEM, why, "cannot load the system call filter") : 0;
}

/* In init's memory, while that sleeps. */
static void __attribute__((noreturn)) program(const struct ns_child *c, const struct ns_task *t, const struct entry *g)
{
	struct err e = {0};

	if (enclose(c, t, g, &e) == 0)
		run(t, &e);
	give_up(c->talk, &e);
}

/* ---- the network ---- */

#define NETWORK_STACK ((size_t)16 << 10)
#define NETWORK_TRIES 100

static _Alignas(16) char network_stack[NETWORK_STACK];

/* In init's memory while that works: errno is the same for both, so nothing here may fail but what ends the box (see blame()). Stopped: there is a network. */
static int make_network(void *arg)
{
	int why = 0, before;

	(void)arg;
	for (int tries = 0; tries < NETWORK_TRIES; tries++) {
		if (unshare(CLONE_NEWNET) == 0)
			for (;;)
				kill(getpid(), SIGSTOP);
		before = why;
		why = errno; /* or what init has just set: believed when it says the same twice */
		if (why && why == before)
			break;
	}
	return why; /* which ends it with that */
}

static int begin_network(const struct ns_child *c, pid_t *ret_maker, struct err *e)
{
	*ret_maker = c->host_network ? 0 : clone(make_network, network_stack + NETWORK_STACK, CLONE_VM | SIGCHLD, NULL);
	return *ret_maker >= 0 ? 0 : err_set(e, ERR_SYSTEM, errno, "cannot start a process in the box");
}

/* Something failed while the maker was at work: if that failed as well, its errno is what made the other look failed, or was told in place of the other's. */
static int blame(pid_t maker, struct err *e)
{
	siginfo_t how = {0};
	int rc;

	do
		rc = maker > 0 ? waitid(P_PID, (id_t)maker, &how, WEXITED | WSTOPPED | WNOWAIT) : -1;
	while (rc < 0 && maker > 0 && errno == EINTR);
	return rc == 0 && how.si_code == CLD_EXITED ? err_set(e, ERR_SYSTEM, how.si_status, "cannot make a network namespace") : -1;
}

/* Into the network namespace of its maker, which then is not needed any more and on its way out. */
static int enter_network(enum network wanted, pid_t maker, struct err *e)
{
	int status = 0, pidfd, rc;

	if (!maker)
		return 0;
	while (waitpid(maker, &status, WUNTRACED) < 0 && errno == EINTR)
		;
	if (!WIFSTOPPED(status))
		return err_set(e, ERR_SYSTEM, WIFEXITED(status) ? WEXITSTATUS(status) : 0, "cannot make a network namespace");
	pidfd = (int)syscall(SYS_pidfd_open, maker, 0);
	rc = pidfd < 0 ? -1 : setns(pidfd, CLONE_NEWNET);
	if (rc != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot enter the network namespace of the box");
	close(pidfd);
	kill(maker, SIGKILL);
	if (wanted == NETWORK_LOOPBACK && loopback_up() != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot give the box its loopback");
	return 0;
}

/* ---- pid 1 ---- */

/* Waits for the program and whatever is orphaned meanwhile; then ends the rest. */
static void __attribute__((noreturn)) reap(int talk, pid_t child)
{
	struct ns_message m = {.kind = NS_ENDED};
	int status = 0;
	pid_t pid;

	do
		pid = waitpid(-1, &status, 0);
	while (pid != child && (pid > 0 || errno == EINTR));
	m.status = status;
	if (waitpid(-1, NULL, WNOHANG) >= 0) { /* who is left is a child of ours, or has a parent who is */
		kill(-1, SIGKILL);
		while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
			;
	}
	getrusage(RUSAGE_CHILDREN, &m.usage);
	tell(talk, &m);
	_exit(0);
}

/* With a handler a signal from inside gets through as well: only the kernel's own counts. */
static void too_late(int sig, siginfo_t *from, void *context)
{
	(void)sig;
	(void)context;
	if (from->si_code == SI_KERNEL)
		_exit(127);
}

/* A launcher that is stopped, or waits for something, keeps no time: then the box ends itself, a little later. */
static int keep_time(uint64_t limit_ms, struct err *e)
{
	uint64_t ms = limit_ms + GRACE_MS;
	struct itimerval t = {.it_value = {.tv_sec = (time_t)(ms / 1000), .tv_usec = (suseconds_t)(ms % 1000 * 1000)}};

	struct sigaction act = {.sa_sigaction = too_late, .sa_flags = SA_SIGINFO | SA_RESTART};

	sigaction(SIGALRM, &act, NULL);
	return setitimer(ITIMER_REAL, &t, NULL) == 0 ? 0 : err_set(e, ERR_SYSTEM, errno, "cannot keep the time of the box");
}

/* What every box needs, whatever for. Whoever is started after that inherits it. */
static int begin_rest(const struct ns_child *c, struct err *e)
{
	if (namespace_leave() != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot make the namespaces of the box");
	await(c->talk, NS_MAPPED);
	if (become(c, e) != 0 || die_with_launcher(c, e) != 0)
		return -1;
	/* a caller who may go before all others must not lend that: what keeps the time would be among the others */
	if (limit(RLIMIT_CORE, CORE_BYTES) != 0 || limit(RLIMIT_NOFILE, OPEN_FILES) != 0 || limit(RLIMIT_RTPRIO, 0) != 0 || limit(RLIMIT_NICE, 0) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot set limits");
	if (privileges_bound() != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot drop privileges");
	if (sethostname(NS_HOSTNAME, sizeof(NS_HOSTNAME) - 1) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot name the box");
	return setup_begin(e);
}

/* Signals come first: for a caller who ignores SIGCHLD the kernel would reap the maker. */
static int begin(const struct ns_child *c, pid_t *ret_maker, struct err *e)
{
	default_signals();
	if (die_with_launcher(c, e) != 0 || begin_network(c, ret_maker, e) != 0)
		return -1;
	return begin_rest(c, e) == 0 ? 0 : blame(*ret_maker, e);
}

static int prepare(const struct ns_task *t, pid_t maker, int *ret_root, int *ret_hidden, struct err *e)
{
	FD_CLEANUP int root = -1;

	if (setup_root(t->ops, t->limits.scratch, &root, ret_hidden, e) != 0)
		return blame(maker, e);
	if (enter_network(t->network, maker, e) != 0)
		return -1;
	if (prctl(PR_SET_DUMPABLE, 0) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot guard the first process of the box");
	*ret_root = root;
	root = -1;
	return 0;
}

/* The launcher's word that the program may start, with the doors of its group. The launcher's death ends us. */
static void await_start(const struct ns_child *c, struct entry *ret)
{
	char word = 0;

	errno = 0;
	ret->n = CG_HIERARCHIES_MAX;
	if (fds_recv(c->talk, &word, 1, ret->doors, &ret->n, 0) != 1)
		not_told(c->talk);
	ret->alone = word == NS_ALONE;
	if (!ret->alone && (word != NS_GROUP || (!ret->n && !c->born_in)))
		_exit(127);
}

/* The program's pid, when it is itself, or has failed to become that. Until then it uses our memory, and we sleep. */
static pid_t start(const struct ns_child *c, const struct ns_task *t, const struct entry *g)
{
	pid_t child = vfork();

	if (!child)
		program(c, t, g);
	return child;
}

/* What remains to be done while the program runs. If it fails the box ends, whatever the program has done by then. */
static int seal(int hidden, struct err *e)
{
	if (setup_seal(hidden, e) != 0)
		return -1;
	return privileges_drop() == 0 ? 0 : err_set(e, ERR_SYSTEM, errno, "cannot guard the first process of the box");
}

/* What else is open is the launcher's or the program's, and its end means something to them. */
static int keep_only(int fd, struct err *e)
{
	if ((fd > 0 && syscall(SYS_close_range, 0, fd - 1, 0) != 0) || syscall(SYS_close_range, fd + 1, ~0u, 0) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot close descriptors");
	return 0;
}

void ns_init(const struct ns_child *c)
{
	const struct ns_task *t;
	struct err e = {0};
	int root = -1, hidden = -1;
	pid_t maker = 0, child;
	struct entry group;

	if (begin(c, &maker, &e) != 0)
		give_up(c->talk, &e);
	errno = 0;
	t = brief_take(c->talk);
	if (!t)
		not_told(c->talk);
	if (prepare(t, maker, &root, &hidden, &e) != 0)
		give_up(c->talk, &e);
	await_start(c, &group);
	if ((group.alone && hand_out(c->talk, root, &e) != 0) || keep_time(t->limits.time_ms, &e) != 0)
		give_up(c->talk, &e);
	while (maker > 0 && waitpid(maker, NULL, 0) < 0 && errno == EINTR)
		;
	child = start(c, t, &group);
	if (child < 0)
		err_set(&e, ERR_SYSTEM, errno, "cannot start a process in the box");
	if (child < 0 || seal(hidden, &e) != 0 || keep_only(c->talk, &e) != 0)
		give_up(c->talk, &e);
	reap(c->talk, child);
}
