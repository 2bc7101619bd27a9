/*
 * pid 1 of the box. ns.h has the theory. Nothing here allocates. Init sends any failure to the launcher and
 * ends, and the box ends with it.
 *
 *   1. makes the namespaces, becomes the user of the box, sets limits, drops privileges: the program inherits
 *      all
 *   2. starts the process that becomes the program (program.h)
 *   3. builds the part of the root that does not depend on the spec (setup.c)
 *   4. takes its task, finishes the root, enters it
 *   5. waits for the program's exec, removes the old root, and reaps until the program ends; in a box that
 *      may go to the background, until nothing is left or the launcher has decided
 *
 * Init has the same user as the program. It is not dumpable, so nothing of it can be read, traced or opened
 * through /proc; as pid 1 it takes no signal from inside. Once the program runs, init keeps the socket to the
 * launcher, and the descriptor of OP_HOLD if there is one.
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
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/program.h"
#include "sys/clock.h"
#include "sys/cpus.h"
#include "sys/fds.h"
#include "sys/file.h"
#include "sys/namespace.h"
#include "sys/title.h"

#define GRACE_MS 1000 /* after the time limit: the launcher should have killed the box by then */
#define LEFT_MS 30 /* for processes that are about to end with the program */
#define OPEN_FILES 20000
#define USER_PARTS 4         /* a box may use this fraction of what the kernel gives one user of the host */
#define SIGNALS_MAX 4096     /* pending, timers included */
/* Bytes in POSIX message queues: half of the usual limit holds four queues of the usual size. */
#define QUEUE_BYTES_MAX ((uint64_t)800 << 10)
#define LOCKED_BYTES_MAX ((uint64_t)8 << 20)
#define FAILING_MS 20 /* for the program's process to send its own reason first */

static void send_message(int talk, const struct ns_message *m)
{
	(void)fds_send(talk, m, sizeof(*m), NULL, 0);
}

void ns_tell_why(int talk, const struct err *why)
{
	struct ns_message m = {.kind = NS_FAILED, .err = *why};

	send_message(talk, &m);
}

/* Sends the reason to the launcher, and ends the box. */
static void __attribute__((noreturn)) give_up(int talk, const struct err *why)
{
	ns_tell_why(talk, why);
	_exit(NS_LOST);
}

void ns_not_told(int talk)
{
	struct err e = {0};

	if (errno != EMFILE)
		_exit(NS_LOST);
	err_system(&e, "cannot receive the descriptors of the box");
	give_up(talk, &e);
}

/* Waits for the launcher to say which user the box has. If the launcher is dead, init ends. */
static void await_user(int talk, struct ns_user *ret)
{
	ssize_t n;

	do
		n = recv(talk, ret, sizeof(*ret), 0);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(*ret))
		_exit(NS_LOST);
}

/* ---- user and signals ---- */

/* By system call: the C library hides two signals, which a caller may have ignored as well. */
void init_default_signals(void)
{
	/* The kernel's own structure: handler, flags, restorer, mask. */
	static const uint64_t as_by_default[4];
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		syscall(SYS_rt_sigaction, s, as_by_default, NULL, (size_t)(NSIG - 1) / 8);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int become_user(const struct ns_user *u, struct err *e)
{
	if (u->nobody && setgroups(0, NULL) != 0)
		return err_system(e, "cannot drop groups");
	if (setresgid(u->gid, u->gid, u->gid) != 0 || setresuid(u->uid, u->uid, u->uid) != 0)
		return err_system(e, "cannot become the user of the box");
	/*
	 * After a change of user a process is not dumpable, but init must enter another process's network
	 * namespace. Nothing foreign runs in the box while init is dumpable.
	 */
	if (prctl(PR_SET_DUMPABLE, 1) != 0)
		return err_system(e, "cannot protect the init process of the box");
	umask(022);
	return 0;
}

/*
 * Asks for the parent-death signal; again after a change of user, which clears it. The launcher may already
 * be dead, and only its pidfd tells that: other processes may still hold its end of the socket, and old
 * messages may still be queued there. A dying process sends these signals and becomes a zombie under one
 * kernel lock. setpgid() waits for that lock, so after it one of the two is certain.
 */
static int die_with_launcher(const struct ns_child *c, struct err *e)
{
	struct pollfd launcher = {.fd = c->launcher, .events = POLLIN};

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || setpgid(0, 0) != 0)
		return err_system(e, "cannot protect the init process of the box");
	if (poll(&launcher, 1, 0) != 0)
		_exit(NS_LOST);
	return 0;
}

/* ---- pid 1 ---- */

/* No process is left in the box. */
static void tell_dropped(int talk, const struct op *ops)
{
	struct ns_message m = {.kind = NS_DROPPED};

	if (ns_dropped(ops, m.err.text, sizeof(m.err.text)))
		send_message(talk, &m);
}

/* The home is the scratch with an anchor. Nothing in the box can change it any more. */
static void send_home(int talk, const struct op *op)
{
	struct ns_message m = {.kind = NS_HOME};
	FD_CLEANUP int home = -1;

	while (op && !(op->kind == OP_SCRATCH && op->flags & OP_ANCHOR))
		op = op->next;
	if (op)
		home = open(op->target, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (home >= 0)
		(void)fds_send(talk, &m, sizeof(m), &home, 1);
}

/*
 * The end of init is the end of all namespaces, which takes longer than a report. In a box that was primed,
 * init waits until the launcher has answered and closes the socket.
 */
static void __attribute__((noreturn)) leave(int talk, const struct ns_task *t)
{
	char c;

	if (t->primed)
		(void)recv(talk, &c, sizeof(c), 0);
	_exit(0);
}

/* Reaps the program and orphans. When the program has ended, kills everything that is left. */
static void __attribute__((noreturn)) reap_until_end(int talk, pid_t child, const struct ns_task *t)
{
	struct ns_message m = {.kind = NS_ENDED};
	int status = 0;
	pid_t pid;

	do
		pid = waitpid(-1, &status, 0);
	while (pid != child && (pid > 0 || errno == EINTR));
	if (pid != child)
		_exit(NS_LOST); /* the program's status is lost */
	m.status = status;
	if (waitpid(-1, NULL, WNOHANG) >= 0) { /* every process left in the box is a descendant of init */
		kill(-1, SIGKILL);
		while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
			;
	}
	tell_dropped(talk, t->ops);
	if (t->collects)
		send_home(talk, t->ops);
	getrusage(RUSAGE_CHILDREN, &m.usage);
	send_message(talk, &m);
	leave(talk, t);
}

/* ---- processes that may outlive the program ---- */

struct stay { /* init of a box that may go to the background */
	int talk, life, signals; /* life is -1 until NS_KEEP; signals tells about SIGCHLD */
	pid_t child;
	const struct op *ops;
	bool ended, told;        /* the program has ended; the launcher knows */
	int64_t ended_at;
	int status;
};

/* Reaps without waiting. False: no process is left in the box. */
static bool reap_some(struct stay *s)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0 || (pid < 0 && errno == EINTR))
		if (pid == s->child) {
			s->ended = true;
			s->ended_at = clock_now();
			s->status = status;
		}
	return pid == 0;
}

static void tell_end(const struct stay *s, enum ns_message_kind kind)
{
	struct ns_message m = {.kind = kind, .status = s->status};

	getrusage(RUSAGE_CHILDREN, &m.usage);
	send_message(s->talk, &m);
}

static void __attribute__((noreturn)) end_rest(const struct stay *s)
{
	kill(-1, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
	tell_dropped(s->talk, s->ops);
	tell_end(s, NS_ENDED);
	_exit(0);
}

/* Without /proc no other box joins this network. */
static void send_network(const struct stay *s, enum ns_message_kind kind)
{
	struct ns_message m = {.kind = kind};
	FD_CLEANUP int network = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);

	(void)fds_send(s->talk, &m, sizeof(m), &network, network >= 0);
}

/* From now on two life lines count: the one that came, and the socket, which the launcher's heir holds. */
static void keep_box(struct stay *s, const struct ns_order *o, int life)
{
	uint64_t ms = o->time_ms + GRACE_MS;
	struct itimerval t = {.it_value = {.tv_sec = (time_t)(ms / 1000)}};

	if (prctl(PR_SET_PDEATHSIG, 0) != 0 || setitimer(ITIMER_REAL, &t, NULL) != 0)
		_exit(NS_LOST);
	s->life = life;
	send_network(s, NS_KEPT);
}

/* EOF: the launcher, or its heir, is gone, and the box ends. So it does after anything unexpected. */
static void take_order(struct stay *s)
{
	struct ns_order o;
	int life = -1;
	size_t n = 1;
	ssize_t got = fds_recv(s->talk, &o, sizeof(o), &life, &n, 0);

	if (got < 0 && errno == EINTR)
		return;
	if (got != (ssize_t)sizeof(o) || (o.word == NS_KEEP && (n != 1 || s->life >= 0)))
		_exit(NS_LOST);
	if (o.word == NS_KEEP)
		keep_box(s, &o, life);
	else if (o.word == NS_SHARE)
		send_network(s, NS_SHARED);
	else if (s->ended)
		end_rest(s);
	else
		_exit(NS_LOST);
}

/*
 * Reaps until no process is left. The launcher decides about processes that outlive the program. The signal
 * of the timer ends the box in its handler.
 */
static void __attribute__((noreturn)) reap_and_listen(int talk, pid_t child, const struct op *ops)
{
	struct stay s = {.talk = talk, .life = -1, .child = child, .ops = ops};
	struct signalfd_siginfo info;
	sigset_t wanted;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGCHLD);
	sigprocmask(SIG_BLOCK, &wanted, NULL);
	s.signals = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s.signals < 0)
		_exit(NS_LOST);
	while (reap_some(&s)) {
		struct pollfd p[] = {{.fd = s.signals, .events = POLLIN}, {.fd = talk, .events = POLLIN},
				{.fd = s.life, .events = POLLIN}};

		bool wait = s.ended && !s.told && clock_now() < s.ended_at + LEFT_MS * 1000000LL;

		if (s.ended && !s.told && !wait) {
			tell_end(&s, NS_LEFT);
			s.told = true;
		}
		if (poll(p, ARRAY_SIZE(p), wait ? LEFT_MS : -1) < 0)
			continue;
		if (p[2].revents)
			_exit(NS_LOST); /* the keeper is gone, or wants the end of the box */
		if (p[1].revents)
			take_order(&s);
		while (read(s.signals, &info, sizeof(info)) > 0)
			;
	}
	if (!s.ended)
		_exit(NS_LOST); /* the program's status is lost */
	tell_dropped(talk, ops);
	tell_end(&s, NS_ENDED);
	_exit(0);
}

/* With a handler, pid 1 also gets this signal from inside the box. Only the kernel's timer counts. */
static void end_late_box(int sig, siginfo_t *from, void *context)
{
	(void)sig;
	(void)context;
	if (from->si_code == SI_KERNEL)
		_exit(NS_LOST);
}

/*
 * The box's own clock, a little later than the launcher's: a stopped or blocked launcher does not kill in
 * time.
 */
int init_start_clock(uint64_t limit_ms, struct err *e)
{
	uint64_t ms = limit_ms + GRACE_MS;
	struct itimerval t = {.it_value = {.tv_sec = (time_t)(ms / 1000),
					      .tv_usec = (suseconds_t)(ms % 1000 * 1000)}};

	struct sigaction act = {.sa_sigaction = end_late_box, .sa_flags = SA_SIGINFO | SA_RESTART};

	sigaction(SIGALRM, &act, NULL);
	return setitimer(ITIMER_REAL, &t, NULL) == 0 ? 0 : err_system(e, "cannot start the timer of the box");
}

/*
 * The kernel counts some resources per user of the host, and a box of an ordinary user shares those counts
 * with the user's other processes. A caller's real-time or nice privileges must not pass to the program: it
 * could starve the processes that keep the time.
 */
int init_set_limits(struct err *e)
{
	static const struct {
		int what;
		unsigned parts;
		uint64_t most;
	} limits[] = {
			{RLIMIT_NOFILE, 1, OPEN_FILES},
			{RLIMIT_SIGPENDING, USER_PARTS, SIGNALS_MAX},
			{RLIMIT_MSGQUEUE, 2, QUEUE_BYTES_MAX},
			{RLIMIT_MEMLOCK, 2, LOCKED_BYTES_MAX},
			{RLIMIT_RTPRIO, 1, 0},
			{RLIMIT_NICE, 1, 0},
	};
	int rc = limit_lower(RLIMIT_CORE, NS_CORE_BYTES);

	for (size_t i = 0; i < ARRAY_SIZE(limits) && rc == 0; i++)
		rc = limits[i].parts > 1 ? limit_share(limits[i].what, limits[i].parts, limits[i].most)
					 : limit_lower(limits[i].what, limits[i].most);
	namespace_share_inotify(USER_PARTS);
	process_spare_others();
	return rc == 0 ? 0 : err_system(e, "cannot set limits");
}

/* Sets up the namespaces, user, limits and privileges that every box has. The program inherits them. */
static int become_pid1(const struct ns_child *c, struct err *e)
{
	int why = namespace_leave() == 0 ? 0 : errno;
	struct ns_user user;

	/*
	 * Even after a failure: the launcher cannot write the uid map of a dead process, and would report
	 * that instead.
	 */
	await_user(c->talk, &user);
	/* Again, because the first cgroup namespace has the launcher's group as its root. */
	if (!why && c->moved_in && unshare(CLONE_NEWCGROUP) != 0)
		why = errno;
	if (why)
		return namespace_error(e, why, "the namespaces of the box");
	if (become_user(&user, e) != 0 || die_with_launcher(c, e) != 0 || init_set_limits(e) != 0)
		return -1;
	if (privileges_bound() != 0)
		return err_system(e, "cannot drop privileges");
	return sethostname(NS_HOSTNAME, sizeof(NS_HOSTNAME) - 1) ==
			0 ? 0 : err_system(e, "cannot set the host name of the box");
}

/* Signals come first: for a caller who ignores SIGCHLD the kernel would reap the program. */
static int begin_box(struct program *p, struct err *e)
{
	init_default_signals();
	title_set("init");
	if (die_with_launcher(p->child, e) != 0 || become_pid1(p->child, e) != 0)
		return -1;
	return program_start(p, e) == 0 ? setup_begin(e) : -1;
}

/* Lets the program's process report first: our error may be a consequence of its own, and errno is shared. */
static void __attribute__((noreturn)) fail_setup(struct program *p, const struct err *why)
{
	static const struct timespec patience = {.tv_nsec = FAILING_MS * 1000000};

	if (p->pid > 0 && program_await(p, p->pid, NULL) != 0)
		program_await(p, PROGRAM_NETWORK, &patience);
	give_up(p->child->talk, why);
}

/* Init enters the program's network namespace, or /proc/1/net would show the host's network. */
static int enter_network(struct program *p, struct err *e)
{
	int pidfd, rc;

	if (!program_await(p, p->pid, NULL))
		return err_host(e, "a process of the box was killed");
	if (!p->child->own_network)
		return 0;
	pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	rc = pidfd < 0 ? -1 : setns(pidfd, CLONE_NEWNET);
	if (rc != 0)
		return err_system(e, "cannot enter the network namespace of the box");
	close(pidfd);
	return 0;
}

static void tell_no_overlay(int talk, int why)
{
	struct ns_message m = {.kind = NS_CACHES};

	err_set(&m.err, ERR_SYSTEM, why, "the kernel refuses an overlay here");
	send_message(talk, &m);
}

static int prepare_root(struct program *p, const struct ns_task *t, int *ret_old, struct err *e)
{
	struct setup_notes notes = {0};

	if (t->preload && preload_open(p, e) != 0)
		return -1;
	p->task = t;
	if (program_say(p, e) != 0 || setup_root(t, &notes, e) != 0 || enter_network(p, e) != 0)
		return -1;
	p->start_checked = notes.start_checked;
	if (notes.no_overlay)
		tell_no_overlay(p->child->talk, notes.no_overlay);
	if (prctl(PR_SET_DUMPABLE, 0) != 0)
		return err_system(e, "cannot protect the init process of the box");
	return setup_enter(ret_old, e) == 0 ? program_say(p, e) : -1;
}

/*
 * Waits until the program's process has called exec or has ended. If the launcher dies or stops after
 * NS_START, the wait ends with the time limit.
 */
static void await_exec(struct program *p, pid_t life, uint64_t limit_ms)
{
	const struct timespec patience = {.tv_sec = (time_t)((limit_ms + GRACE_MS) / 1000),
			.tv_nsec = (long)((limit_ms + GRACE_MS) % 1000) * 1000000};
	bool late = false;

	while (program_await(p, life, &patience) != 0) {
		if (late)
			_exit(NS_LOST);
		late = p->started;
	}
}

/* Removes the old root, which the program's process has left. If this fails, init ends the box. */
static int remove_old_root(int old, struct err *e)
{
	if (setup_seal(old, e) != 0)
		return -1;
	return privileges_drop() == 0 ? 0 : err_system(e, "cannot protect the init process of the box");
}

/* The descriptor of the first OP_HOLD, or -1. */
static int held(const struct op *op)
{
	while (op && op->kind != OP_HOLD)
		op = op->next;
	return op ? op->tree : -1;
}

static int close_between(int from, int to)
{
	return to < from ? 0 : (int)syscall(SYS_close_range, (unsigned)from, (unsigned)to, 0);
}

/* Closes every descriptor but these: the launcher and the program wait for EOF on theirs. */
int init_close_all_but(int fd, int other, struct err *e)
{
	int low = other < 0 || fd < other ? fd : other, high = fd < other ? other : fd;

	if (close_between(0, low - 1) != 0 || close_between(low + 1, high - 1) != 0 ||
			close_between(high + 1, INT_MAX) != 0)
		return err_system(e, "cannot close descriptors");
	return 0;
}

void ns_init(const struct ns_child *c)
{
	struct program p = {.child = c};
	const struct ns_task *t;
	struct err e = {0};
	int old;

	if (begin_box(&p, &e) != 0)
		fail_setup(&p, &e);
	errno = 0;
	t = brief_take(c->talk);
	if (!t)
		ns_not_told(c->talk);
	if (prepare_root(&p, t, &old, &e) != 0)
		fail_setup(&p, &e);
	if (t->primed) {
		program_await(&p, PROGRAM_NETWORK, NULL);
		if (remove_old_root(old, &e) != 0)
			give_up(c->talk, &e);
	}
	if (t->preload && preload_take_run(&p, &e) != 0)
		give_up(c->talk, &e);
	if (!t->preload)
		await_exec(&p, t->primed ? PROGRAM_PRIMED : PROGRAM_NETWORK, t->limits.time_ms);
	if (init_start_clock(p.task->limits.time_ms, &e) != 0)
		give_up(c->talk, &e);
	if (t->preload)
		preload_send(&p);
	if ((!t->primed && remove_old_root(old, &e) != 0) ||
			init_close_all_but(c->talk, held(t->ops), &e) != 0)
		give_up(c->talk, &e);
	(void)cpus_restore(&t->cpus);
	if (t->background)
		reap_and_listen(c->talk, p.pid, p.task->ops);
	reap_until_end(c->talk, p.pid, p.task);
}
