/*
 * The launcher while the box lives: takes output, watches the clock, the memory and the CPU time, and decides how it ended.
 *
 * One loop around ppoll. Whatever limit is reached, the answer is the same: the whole box is killed from outside, by its cgroup and by the
 * death of its pid 1, and the first reason counts. Nothing waits for the end of the output: a pipe can be held open by anyone, but once pid 1 is dead
 * nobody is left, and what is still in the pipe is taken then.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/ns.h"
#include "sys/clock.h"
#include "sys/cpus.h"
#include "sys/fds.h"
#include "sys/file.h"

#define MS 1000000LL
#define PROGRESS_EVERY (500 * MS)
#define WATCH_EVERY (10 * MS)   /* memory without a cgroup */
#define WATCH_EVERY_MIN (MS)    /* the same shortly before the limit */
#define FILL_RATE 8             /* bytes of memory that a machine fills in a nanosecond */
#define CPU_EVERY_MIN (5 * MS)  /* CPU time, at most this often */
#define LINGER (MS / 10)
#define GONE_WAIT (10000 * MS)  /* for a box that was killed; longer only when the kernel cannot end a process */
#define LEAVING_AFTER (100 * MS) /* when a box that was killed is still not gone, it is looked at this often */
#define LEAVING_LOOKS 2         /* without anybody in it who could still do something; what was born during the first is seen by the second */

enum cause { CAUSE_NONE, CAUSE_TIME, CAUSE_CPU, CAUSE_OUTPUT, CAUSE_MEMORY, CAUSE_CALLER, CAUSE_LOST };

struct state {
	struct ns_watch *w;
	enum cause cause;
	bool failed, ended, gone, lingered;
	unsigned quiet;           /* looks at a killed box, one after the other, in which nobody could do anything any more */
	int64_t leaving;          /* when the next of these is due */
	struct ns_message last;   /* NS_FAILED or NS_ENDED */
	int64_t killed;           /* when; 0: not yet */
	int64_t progress, watch, cpu; /* when each is due */
	uint64_t peak, cpu_ms;    /* seen by the watcher */
	int signals;              /* signalfd */
	int signal;
};

/* ---- messages of init ---- */

/* The memory of the box cannot be counted, so the box ends. */
static void cannot_look(struct state *s)
{
	s->failed = true;
	err_set(&s->last.err, ERR_SYSTEM, errno, "cannot look into the box");
	syscall(SYS_pidfd_send_signal, s->w->pidfd, SIGKILL, NULL, 0);
}

static void take_messages(struct state *s)
{
	for (;;) {
		struct ns_message m;
		int fds[2];
		size_t nfds = 2;
		ssize_t n = fds_recv(s->w->talk, &m, sizeof(m), fds, &nfds, MSG_DONTWAIT);

		if (n < 0 && errno == EMFILE)
			cannot_look(s);
		if (n != (ssize_t)sizeof(m))
			return;
		if (m.kind == NS_READY) {
			s->w->procfd = nfds == 2 ? fds[0] : -1;
			s->w->rootfd = nfds == 2 ? fds[1] : -1;
		} else if (!s->failed && !s->ended) {
			s->last = m;
			s->failed = m.kind == NS_FAILED;
			s->ended = m.kind == NS_ENDED;
		}
	}
}

/* ---- limits ---- */

/* What all processes have together, and their time; with a cgroup just their time. */
static uint64_t count(struct state *s, bool memory)
{
	FD_CLEANUP int list = s->w->cg ? cg_processes(s->w->cg) : -1;
	struct watch_sum sum = {0};

	if (s->w->cg)
		sum.cpu_ms = watch_time(list, s->w->pid, &s->w->times);
	else if (s->w->procfd < 0 || watch_box(s->w->procfd, s->w->rootfd, memory ? s->w->spec->limits.memory : UINT64_MAX, &s->w->times, &sum) != 0)
		return 0;
	if (sum.cpu_ms > s->cpu_ms)
		s->cpu_ms = sum.cpu_ms;
	if (memory && sum.memory > s->peak)
		s->peak = sum.memory;
	return sum.memory;
}

static void kill_box(struct state *s, enum cause why)
{
	if (s->cause == CAUSE_NONE)
		s->cause = why;
	if (s->killed)
		return;
	s->killed = clock_now();
	s->leaving = s->killed + LEAVING_AFTER;
	if (why != CAUSE_MEMORY || s->w->cg) /* else it was just done */
		count(s, false);             /* who is killed does not tell how much time was used */
	syscall(SYS_pidfd_send_signal, s->w->pidfd, SIGKILL, NULL, 0);
	if (s->w->cg)
		cg_kill(s->w->cg); /* which lifts the CPU limit: nobody may live to enjoy it */
}

static uint64_t memory_now(struct state *s)
{
	return s->w->cg ? cg_memory_now(s->w->cg) : s->peak;
}

/* A box of thousands of processes takes long to look at: no more than a fifth of a CPU goes into it. */
static int64_t next_look(int64_t before, int64_t pause)
{
	int64_t now = clock_now(), rest = 4 * (now - before);

	return now + (pause > rest ? pause : rest);
}

static void check_memory(struct state *s, int64_t now)
{
	uint64_t limit = s->w->spec->limits.memory, used = count(s, true);
	int64_t pause;

	if (used > limit)
		kill_box(s, CAUSE_MEMORY);
	pause = used < limit ? (int64_t)((limit - used) / FILL_RATE) : 0;
	pause = pause < WATCH_EVERY_MIN ? WATCH_EVERY_MIN : pause > WATCH_EVERY ? WATCH_EVERY : pause;
	s->watch = next_look(now, pause);
}

static bool time_counted(const struct state *s) { return s->w->cg && cg_time_counter(s->w->cg) != ENFORCED_NOT; }

static void check_cpu(struct state *s, int64_t now)
{
	const struct limits *l = &s->w->spec->limits;
	bool counted = time_counted(s);
	uint64_t used;
	int64_t left;

	if (!counted)
		count(s, false);
	used = counted ? cg_cpu_us(s->w->cg) / 1000 : s->cpu_ms;
	left = used < l->cpu_ms ? (int64_t)(l->cpu_ms - used) * MS : 0;
	if (left <= 0)
		kill_box(s, CAUSE_CPU);
	/* It cannot use the rest faster than all its CPUs together can; but a watcher must have seen those that nobody waits for. */
	left = counted ? left * 1000 / l->cpu_milli : 0;
	s->cpu = next_look(now, left > CPU_EVERY_MIN ? left : CPU_EVERY_MIN);
}

static void check_due(struct state *s, int64_t now)
{
	const struct ns_watch *w = s->w;

	if (now >= w->start + (int64_t)w->spec->limits.time_ms * MS)
		kill_box(s, CAUSE_TIME);
	if (!w->cg && now >= s->watch)
		check_memory(s, now);
	if (w->spec->limits.cpu_ms && now >= s->cpu)
		check_cpu(s, now);
	if (now >= s->progress) {
		if (w->progress && w->progress->fn)
			w->progress->fn(w->progress->ctx, (uint64_t)((now - w->start) / MS), memory_now(s));
		s->progress = now + PROGRESS_EVERY;
	}
}

/* The kernel takes long to give back what a program holds, millions of watches of epoll for example. Nobody has to wait for that. */
static void check_leaving(struct state *s)
{
	int64_t now = clock_now();

	if (now >= s->killed + GONE_WAIT)
		s->gone = true;
	if (s->gone || now < s->leaving)
		return;
	FD_CLEANUP int list = s->w->cg ? cg_processes(s->w->cg) : -1;
	s->quiet = watch_all_leaving(s->w->cg ? -1 : s->w->procfd, list, s->w->pid) ? s->quiet + 1 : 0;
	s->gone = s->quiet == LEAVING_LOOKS;
	s->leaving = next_look(now, LEAVING_AFTER);
}

static int64_t next_due(const struct state *s)
{
	int64_t due = s->w->start + (int64_t)s->w->spec->limits.time_ms * MS;

	if (s->killed)
		return s->leaving;
	if (!s->w->cg && s->watch < due)
		due = s->watch;
	if (s->w->spec->limits.cpu_ms && s->cpu < due)
		due = s->cpu;
	if (s->w->progress && s->progress < due)
		due = s->progress;
	return due;
}

/* ---- the loop ---- */

static void take_signal(struct state *s)
{
	struct signalfd_siginfo si;

	if (read(s->signals, &si, sizeof(si)) == (ssize_t)sizeof(si)) {
		s->signal = (int)si.ssi_signo;
		kill_box(s, CAUSE_CALLER);
	}
}

static void take_output(struct state *s, bool all)
{
	bool out = capture_take(&s->w->out, all), err = capture_take(&s->w->err, all);

	if (!out || !err)
		kill_box(s, CAUSE_OUTPUT);
}

/* Both streams have ended, as a rule with the program, and init will say so in a moment: to sleep and to be woken would take longer. */
static void linger(struct state *s)
{
	int64_t until = clock_now() + LINGER;
	struct err e;

	(void)cpus_away(s->w->pid, &e);
	s->lingered = true;
	do {
		take_messages(s);
		if (s->ended || s->failed)
			return;
		sched_yield();
	} while (clock_now() < until);
}

static void turn(struct state *s)
{
	struct ns_watch *w = s->w;
	bool oom = w->cg && w->cg->oom_event >= 0 && !s->killed;
	struct pollfd fds[] = {
		{.fd = w->pidfd, .events = POLLIN}, {.fd = w->talk, .events = POLLIN}, capture_poll(&w->out), capture_poll(&w->err),
		{.fd = oom ? w->cg->oom_event : -1, .events = oom ? w->cg->oom_poll : 0}, {.fd = s->signals, .events = POLLIN}, feed_poll(&w->in),
	};
	int64_t now = clock_now(), wait = next_due(s) - now;
	struct timespec t = {.tv_sec = wait > 0 ? wait / (1000 * MS) : 0, .tv_nsec = wait > 0 ? wait % (1000 * MS) : 0};

	if (s->ended || s->failed || s->killed)
		fds[1].fd = -1; /* nothing more to hear, or at the end; its end would keep poll awake */
	if (ppoll(fds, sizeof(fds) / sizeof(*fds), &t, NULL) < 0 && errno != EINTR)
		kill_box(s, CAUSE_LOST);
	take_output(s, false);
	feed_turn(&w->in, fds[6].revents);
	if (fds[1].fd >= 0 && fds[1].revents)
		take_messages(s);
	if (!s->lingered && !s->ended && !s->failed && !s->killed && w->out.fd < 0 && w->err.fd < 0)
		linger(s);
	/* Everything has ended and been reaped when init says so. What it leaves to the kernel, its own end, nobody has to wait for here. */
	s->gone = fds[0].revents || (s->ended && !s->killed && w->out.fd < 0 && w->err.fd < 0);
	if (s->gone)
		return;
	if (fds[5].revents)
		take_signal(s);
	if (oom && fds[4].revents && cg_oom_kills(w->cg) > 0)
		kill_box(s, CAUSE_MEMORY);
	if (s->killed)
		check_leaving(s);
	else
		check_due(s, clock_now());
}

/* ---- how it ended ---- */

/* Our own reason first, then the kernel's, then the program's. */
static void conclude(struct state *s, struct outcome *ret)
{
	uint64_t ooms = s->w->cg ? cg_oom_kills(s->w->cg) : 0;
	int status = s->last.status;

	ret->exit_code = -1;
	if (s->cause == CAUSE_TIME || s->cause == CAUSE_CPU)
		ret->status = STATUS_TIMEOUT;
	else if (s->cause == CAUSE_OUTPUT)
		ret->status = STATUS_OUTPUT_LIMIT;
	else if (s->cause == CAUSE_MEMORY || ooms)
		ret->status = STATUS_OOM;
	else if (s->cause == CAUSE_CALLER || !s->ended)
		ret->status = STATUS_UNKNOWN;
	else if (WIFSIGNALED(status))
		ret->status = STATUS_SIGNAL;
	else
		ret->status = WEXITSTATUS(status) ? STATUS_EXIT_NONZERO : STATUS_OK;
	if (s->ended && WIFSIGNALED(status))
		ret->signal = WTERMSIG(status);
	else if (s->ended)
		ret->exit_code = WEXITSTATUS(status);
	ret->by_cpu_time = s->cause == CAUSE_CPU;
	ret->interrupted = s->signal;
	ret->lingers = s->quiet == LEAVING_LOOKS;
}

static uint64_t ms_of(const struct timeval *t) { return (uint64_t)t->tv_sec * 1000 + (uint64_t)t->tv_usec / 1000; }
static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void measure(struct state *s, struct outcome *ret)
{
	const struct rusage *u = &s->last.usage;
	uint64_t by_cgroup = s->w->cg ? cg_memory_peak(s->w->cg) : 0, by_usage = s->ended ? (uint64_t)u->ru_maxrss * 1024 : 0;

	ret->peak_by_cgroup = by_cgroup > 0;
	ret->peak_memory = by_cgroup ? by_cgroup : larger(s->peak, by_usage);
	/* None of these is more than what was used. */
	ret->cpu_ms = s->cpu_ms;
	if (s->ended)
		ret->cpu_ms = larger(ret->cpu_ms, ms_of(&u->ru_utime) + ms_of(&u->ru_stime));
	if (s->w->spec->limits.cpu_ms && time_counted(s))
		ret->cpu_ms = larger(ret->cpu_ms, cg_cpu_us(s->w->cg) / 1000);
	ret->duration_ms = (uint64_t)((clock_now() - s->w->start) / MS);
}

static int signals_open(sigset_t *ret_before)
{
	sigset_t wanted, held;

	sigemptyset(&wanted);
	sigaddset(&wanted, SIGINT);
	sigaddset(&wanted, SIGTERM);
	sigaddset(&wanted, SIGHUP);
	sigaddset(&wanted, SIGQUIT);
	/* in the background a terminal that is read or written would stop us, and with us the clock */
	held = wanted;
	sigaddset(&held, SIGTTIN);
	sigaddset(&held, SIGTTOU);
	sigprocmask(SIG_BLOCK, &held, ret_before);
	return signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
}

int supervise(struct ns_watch *w, struct outcome *ret, struct err *e)
{
	struct state s = {.w = w, .progress = w->start + PROGRESS_EVERY, .watch = w->cg ? INT64_MAX : w->start, .cpu = w->start};
	sigset_t before;

	s.signals = signals_open(&before);
	while (!s.gone)
		turn(&s);
	take_messages(&s); /* what was said and written just before the end */
	take_output(&s, true);
	if (s.signals >= 0)
		close(s.signals);
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (s.cause == CAUSE_NONE && !s.failed && !s.ended && clock_now() >= w->start + (int64_t)w->spec->limits.time_ms * MS)
		s.cause = CAUSE_TIME; /* init's own clock was first: we were stopped */
	if (s.failed && s.cause == CAUSE_NONE) {
		*e = s.last.err;
		return -1;
	}
	conclude(&s, ret);
	measure(&s, ret);
	return 0;
}
