/*
 * pid 1 of the box, and the program before it is itself. ns.h has the theory. Nothing here allocates; whatever fails is told to the launcher,
 * and then this process ends, and the box with it.
 *
 * Both prepare at the same time: the program makes the network namespace, which takes the kernel longest and needs no user yet, and enters the
 * cgroup, while init puts the root together. Then they meet: the program goes on in the new root, while init follows into the network namespace (its
 * own /proc entry must not show the host's) and guards itself; nothing foreign runs before that is done.
 *
 * Init shares its user with the program. It is not dumpable, so nothing of it can be read, traced or opened through /proc; as pid 1 it takes
 * no signal from inside. It keeps one descriptor, the socket to the launcher.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
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
#include "sys/landlock.h"
#include "sys/namespace.h"
#include "sys/seccomp.h"

#define SEAL_AFTER_MS 3
#define GRACE_MS 1000 /* after the time limit, which is the launcher's to keep */
#define OPEN_FILES 20000
#define CORE_BYTES 1 /* less than any core; unlike 0 it also keeps the kernel from starting the host's program for them */

static void tell(int talk, const struct ns_message *m)
{
	while (send(talk, m, sizeof(*m), MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

static void __attribute__((noreturn)) give_up(int talk, const struct err *why)
{
	struct ns_message m = {.kind = NS_FAILED, .err = *why};

	tell(talk, &m);
	_exit(127);
}

/* One byte from the launcher, or between init and program. The other's death ends us; it has said why. */
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

static void say(int to, char what)
{
	while (send(to, &what, 1, MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

/* The descriptors by which the launcher can look into the box from outside. */
static int hand_out(int talk, int root, struct err *e)
{
	FD_CLEANUP int proc = openat(root, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fds[2] = {proc, root};
	struct ns_message m = {.kind = NS_READY};
	struct iovec part = {&m, sizeof(m)};
	union {
		char room[CMSG_SPACE(sizeof(fds))];
		struct cmsghdr head;
	} control = {.room = {0}};
	struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room, .msg_controllen = sizeof(control.room)};

	control.head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(fds)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
	memcpy(CMSG_DATA(&control.head), fds, sizeof(fds));
	if (proc < 0 || sendmsg(talk, &msg, MSG_NOSIGNAL) < 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot let the launcher look into the box");
	return 0;
}

/* ---- who we are ---- */

static void default_signals(void)
{
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int become(const struct ns_child *c, struct err *e)
{
	if (c->drop_groups && setgroups(0, NULL) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot drop groups");
	if (setresgid(c->gid, c->gid, c->gid) != 0 || setresuid(c->uid, c->uid, c->uid) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot become the user of the box");
	/* Another user is not dumpable, and init must look at the program once more; until then nothing foreign runs in the box. */
	if (prctl(PR_SET_DUMPABLE, 1) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot guard the first process of the box");
	umask(022);
	return 0;
}

/*
 * Changing the user forgets the parent-death signal, so that comes last. Then it may be too late, which only the launcher's own descriptor says: other
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
	close(c->launcher);
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
static int limit_each(const struct ns_child *c, struct err *e)
{
	const struct limits *l = &c->spec->limits;

	if (limit(RLIMIT_DATA, l->memory) != 0 || limit(RLIMIT_NPROC, (uint64_t)l->pids + 1) != 0 || set_affinity(l->cpu_milli) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot set limits");
	return 0;
}

/*
 * On version 2 init was born in the cgroup. Else the launcher hands over the doors of the group as soon as it has made it; what it hands over
 * is closed again here, so nothing in the box holds a way to its own limits. No doors: there is no group, each process is limited by itself.
 */
static int enter_group(const struct ns_child *c, bool *ret_alone, struct err *e)
{
	int doors[CG_HIERARCHIES_MAX];
	char room[CMSG_SPACE(sizeof(doors))], word = 0;
	struct iovec part = {&word, 1};
	struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room)};
	struct cmsghdr *head;
	size_t n;
	int rc;

	if (c->born_in)
		return 0;
	while (recvmsg(c->talk, &msg, MSG_CMSG_CLOEXEC) < 0 && errno == EINTR)
		;
	*ret_alone = word == NS_ALONE;
	if (*ret_alone)
		return limit_each(c, e);
	head = CMSG_FIRSTHDR(&msg);
	if (word != NS_GROUP || !head || head->cmsg_type != SCM_RIGHTS)
		_exit(127); /* the launcher is dead */
	n = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(doors, CMSG_DATA(head), n * sizeof(int));
	rc = cg_enter(doors, n) == 0 ? 0 : err_set(e, ERR_SYSTEM, errno, "cannot enter the cgroup of the box");
	for (size_t i = 0; i < n; i++)
		close(doors[i]);
	return rc;
}

/* The same paths once more: everything that is mounted can be read, what is mounted writable can be written. */
static int wall_in(const struct ns_child *c, struct err *e)
{
	int rules = landlock_version() > 0 ? landlock_start(c->spec->network != NETWORK_DENY) : -1;

	if (rules < 0)
		return landlock_version() > 0 ? err_set(e, ERR_SYSTEM, errno, "cannot start Landlock") : 0;
	if (landlock_allow(rules, "/", false) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot set Landlock");
	for (const struct op *op = c->ops; op; op = op->next)
		if (op->flags & OP_WRITABLE && !(op->flags & OP_COVERED) && op->kind != OP_INSIDE && landlock_allow(rules, op->target, true) != 0 && errno != ENOENT)
			return err_set(e, ERR_SYSTEM, errno, "cannot set Landlock for '%s'", op->target);
	if (landlock_enforce(rules) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot enforce Landlock");
	close(rules);
	return 0;
}

static int set_streams(const struct ns_child *c, struct err *e)
{
	if (dup2(c->in >= 0 ? c->in : c->null, STDIN_FILENO) < 0 || dup2(c->out, STDOUT_FILENO) < 0 || dup2(c->err, STDERR_FILENO) < 0)
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
static void run(const struct ns_child *c, struct err *e)
{
	char *const *argv = c->spec->argv;
	const char *dirs = path_of(c->envp);
	char path[PATH_MAX];
	int why = ENOENT;

	if (strchr(argv[0], '/')) {
		execve(argv[0], argv, c->envp);
		why = errno;
		dirs = "";
	}
	while (*dirs) {
		size_t n = strcspn(dirs, ":");
		int len = snprintf(path, sizeof(path), "%.*s/%s", n ? (int)n : 1, n ? dirs : ".", argv[0]);

		if (len > 0 && (size_t)len < sizeof(path)) {
			execve(path, argv, c->envp);
			if (errno != ENOENT && errno != ENOTDIR)
				why = errno;
		}
		dirs += n + (dirs[n] == ':');
	}
	err_set(e, ERR_SYSTEM, why, "cannot run '%.200s' in the box", argv[0]);
}

/* What needs no root yet. */
static int begin(const struct ns_child *c, int meet, bool *ret_alone, struct err *e)
{
	if (c->spec->network != NETWORK_HOST && unshare(CLONE_NEWNET) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot make a network namespace");
	if (c->spec->network == NETWORK_LOOPBACK && loopback_up() != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot give the box its loopback");
	await(meet, NS_MAPPED);
	if (become(c, e) != 0)
		return -1;
	say(meet, NS_NETWORK);
	setsid();
	if (enter_group(c, ret_alone, e) != 0)
		return -1;
	/* a caller who may go before all others must not lend that: what keeps the time would be among the others */
	if (limit(RLIMIT_CORE, CORE_BYTES) != 0 || limit(RLIMIT_NOFILE, OPEN_FILES) != 0 || limit(RLIMIT_RTPRIO, 0) != 0 || limit(RLIMIT_NICE, 0) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot set limits");
	if (privileges_bound() != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot drop privileges");
	return set_streams(c, e);
}

/* What does. */
static int enclose(const struct ns_child *c, bool alone, struct err *e)
{
	int why = 0;

	if (setup_enter(e) != 0)
		return -1;
	if (chdir(c->cwd) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot change to '%s' in the box", c->cwd);
	if (privileges_drop() != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot drop privileges");
	if (wall_in(c, e) != 0)
		return -1;
	if (alone)
		why = seccomp_refuse_hidden_memory();
	if (!why)
		why = seccomp_load(c->spec->network != NETWORK_DENY);
	return why ? err_set(e, ERR_SYSTEM, why, "cannot load the system call filter") : 0;
}

static void __attribute__((noreturn)) program(const struct ns_child *c, int meet)
{
	struct err e = {0};
	bool alone = false;

	default_signals();
	if (begin(c, meet, &alone, &e) == 0) {
		await(meet, NS_ROOT);
		if (enclose(c, alone, &e) == 0) {
			await(meet, NS_GUARDED);
			run(c, &e);
		}
	}
	give_up(c->talk, &e);
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
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
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
static int keep_time(const struct ns_child *c, struct err *e)
{
	uint64_t ms = c->spec->limits.time_ms + GRACE_MS;
	struct itimerval t = {.it_value = {.tv_sec = (time_t)(ms / 1000), .tv_usec = (suseconds_t)(ms % 1000 * 1000)}};

	struct sigaction act = {.sa_sigaction = too_late, .sa_flags = SA_SIGINFO | SA_RESTART};

	sigaction(SIGALRM, &act, NULL);
	return setitimer(ITIMER_REAL, &t, NULL) == 0 ? 0 : err_set(e, ERR_SYSTEM, errno, "cannot keep the time of the box");
}

/* Into the network namespace of the program. */
static int follow(const struct ns_child *c, int meet, int pidfd, struct err *e)
{
	await(meet, NS_NETWORK);
	if (c->spec->network == NETWORK_HOST || setns(pidfd, CLONE_NEWNET) == 0)
		return 0;
	return err_set(e, ERR_SYSTEM, errno, "cannot enter the network namespace of the box");
}

static int prepare(const struct ns_child *c, int meet, int pidfd, int *ret_hidden, struct err *e)
{
	FD_CLEANUP int root = -1;

	if (setup_root(c->ops, c->spec->limits.scratch, &root, ret_hidden, e) != 0)
		return -1;
	say(meet, NS_ROOT);
	if (sethostname(NS_HOSTNAME, sizeof(NS_HOSTNAME) - 1) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot name the box");
	if (hand_out(c->talk, root, e) != 0 || follow(c, meet, pidfd, e) != 0)
		return -1;
	if (prctl(PR_SET_DUMPABLE, 0) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot guard the first process of the box");
	say(meet, NS_GUARDED);
	return 0;
}

/* The program is itself when its end of the channel closes. One that ends at once is not worth taking the old root away for. */
static bool ended_at_once(int meet, int pidfd)
{
	struct pollfd p = {.fd = pidfd, .events = POLLIN};
	char none;

	while (recv(meet, &none, 1, 0) < 0 && errno == EINTR)
		;
	return poll(&p, 1, SEAL_AFTER_MS) > 0;
}

/* What remains to be done while the program runs. If it fails the box ends, whatever the program has done by then. */
static int seal(int meet, int pidfd, int hidden, struct err *e)
{
	if (!ended_at_once(meet, pidfd) && setup_seal(hidden, e) != 0)
		return -1;
	return privileges_drop() == 0 ? 0 : err_set(e, ERR_SYSTEM, errno, "cannot guard the first process of the box");
}

/* Starts the program's process, and is its pid; only returns in init. */
static pid_t start(const struct ns_child *c, int *ret_meet, int *ret_pidfd, struct err *e)
{
	int meet[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, meet) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot make a channel in the box");
	child = fork();
	if (child < 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot start a process in the box");
	if (!child) {
		close(meet[0]);
		program(c, meet[1]);
	}
	close(meet[1]);
	*ret_meet = meet[0];
	*ret_pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	return *ret_pidfd < 0 ? err_set(e, ERR_SYSTEM, errno, "cannot watch a process in the box") : child;
}

static void shut(const struct ns_child *c)
{
	close(c->out);
	close(c->err);
	close(c->null);
	if (c->in >= 0)
		close(c->in);
}

void ns_init(const struct ns_child *c)
{
	struct err e = {0};
	int meet = -1, pidfd = -1, hidden = -1;
	pid_t child;

	close(c->launcher_talk);
	if (c->launcher_in >= 0)
		close(c->launcher_in);
	child = start(c, &meet, &pidfd, &e);
	default_signals();
	await(c->talk, NS_MAPPED);
	if (child < 0 || become(c, &e) != 0 || die_with_launcher(c, &e) != 0)
		give_up(c->talk, &e);
	say(meet, NS_MAPPED);
	if (prepare(c, meet, pidfd, &hidden, &e) != 0)
		give_up(c->talk, &e);
	shut(c);
	if (keep_time(c, &e) != 0 || seal(meet, pidfd, hidden, &e) != 0)
		give_up(c->talk, &e);
	close(meet);
	close(pidfd);
	close(hidden);
	reap(c->talk, child);
}
