/* Start and stop of the relay, in the launcher; relay.h has the theory. */
#define _GNU_SOURCE
#include "net/relay.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/relay_inner.h"
#include "sys/file.h"
#include "sys/process.h"

#define START_MS 10000
#define STOP_MS 1000
#define RELAY_ARENA_MAX ((size_t)64 << 20)

struct relay_process { /* in the arena; ends the relay when that is left */
	struct arena_cleanup cleanup;
	pid_t pid;
	int pidfd, lifeline;
	struct network_report *report;
};

/* ---- the relay itself ---- */

struct relay_task {
	struct relay_request rq;
	struct relay_listener listeners[RELAY_LISTENERS_MAX];
	int lifeline;
	pid_t parent;
	struct network_report *report;
	struct arena arena;
	struct relay_loop *loop;
	struct err e;
};

static int prepare(void *arg)
{
	struct relay_task *t = arg;
	t->rq.listeners = t->listeners;
	if (relay_settle(&t->rq, t->listeners, &t->lifeline, t->parent, &t->e) != 0)
		return 1;
	t->loop = relay_loop_new(&t->rq);
	if (!t->loop) {
		err_set(&t->e, ERR_LIMIT, 0, "no memory for the relay");
		return 1;
	}
	t->loop->lifeline = t->lifeline;
	t->loop->report = t->report;
	t->loop->names = net_names_new(&t->arena, t->rq.rules);
	return relay_loop_begin(t->loop, &t->e) != 0 || relay_confine(&t->e) != 0;
}

static void __attribute__((noreturn)) run_relay(struct relay_task *t)
{
	arena_init(&t->arena, RELAY_ARENA_MAX);
	int done = arena_run(&t->arena, prepare, t);
	if (done == ARENA_FULL)
		err_set(&t->e, ERR_LIMIT, 0, "no memory for the relay");
	/* A zeroed struct says that the relay is ready. */
	if (send(t->lifeline, &t->e, sizeof t->e, MSG_NOSIGNAL) != sizeof t->e || done != 0)
		_exit(1);
	relay_loop_run(t->loop);
	_exit(0);
}

/* ---- the launcher ---- */

/* Waits for the relay's end at most STOP_MS, then kills it. */
static void reap(struct relay_process *p)
{
	struct pollfd end = {.fd = p->pidfd, .events = POLLIN};
	if (p->pidfd < 0 || poll(&end, 1, STOP_MS) <= 0)
		kill(p->pid, SIGKILL);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
	fd_close(&p->pidfd);
}

static void end_process(struct relay_process *p)
{
	fd_close(&p->lifeline);
	if (p->pid > 0)
		reap(p);
}

static void release(void *ptr)
{
	struct relay_process *p = ptr;
	end_process(p);
	munmap(p->report, sizeof *p->report);
}

/* Waits until the relay says that it is ready, or why not. */
static int hear_start(const struct relay_process *p, struct err *e)
{
	struct err said = {0};
	struct pollfd word = {.fd = p->lifeline, .events = POLLIN};
	if (poll(&word, 1, START_MS) <= 0 || recv(p->lifeline, &said, sizeof said, 0) != sizeof said)
		return err_set(e, ERR_SYSTEM, 0, "the network relay ended before it was ready");
	said.text[sizeof said.text - 1] = 0;
	return said.kind == ERR_NONE ? 0 : err_wrap(e, &said, "network relay");
}

static int fork_relay(struct relay_process *p, struct relay_task *task, struct err *e)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot make a socket pair");
	p->lifeline = ends[0];
	task->lifeline = ends[1];
	p->pid = process_fork(NULL);
	if (!p->pid)
		run_relay(task);
	int why = errno;
	close(ends[1]);
	if (p->pid < 0)
		return err_set(e, ERR_SYSTEM, why, "cannot start the network relay");
	p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	return hear_start(p, e);
}

int relay_start(struct arena *a, const struct relay_request *rq, struct relay *ret, struct err *e)
{
	if (rq->n > RELAY_LISTENERS_MAX)
		return err_set(e, ERR_LIMIT, 0, "more than %d ports are allowed", RELAY_LISTENERS_MAX);
	struct relay_process *p = arena_new(a, struct relay_process);
	struct relay_task *task = arena_new(a, struct relay_task);
	p->pidfd = p->lifeline = -1;
	p->report = mmap(NULL, sizeof *p->report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p->report == MAP_FAILED)
		return err_set(e, ERR_SYSTEM, errno, "no memory for the report of the network");
	arena_defer(a, &p->cleanup, release, p);
	task->rq = *rq;
	memcpy(task->listeners, rq->listeners, rq->n * sizeof *rq->listeners);
	task->report = p->report;
	task->parent = getpid();
	if (fork_relay(p, task, e) != 0) {
		arena_release(a, &p->cleanup);
		return -1;
	}
	*ret = (struct relay){.pid = p->pid,
			.pidfd = p->pidfd,
			.lifeline = p->lifeline,
			.report = p->report,
			.process = p};
	return 0;
}

void relay_stop(struct relay *r)
{
	if (r->process)
		end_process(r->process);
	r->pid = 0;
	r->pidfd = r->lifeline = -1;
}
