/* Start and stop of the relay, in the launcher; relay.h has the theory. */
#define _GNU_SOURCE
#include "net/relay.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "net/relay_inner.h"
#include "sys/fds.h"
#include "sys/file.h"
#include "sys/namespace.h"
#include "sys/process.h"

#define START_MS 10000
#define STOP_MS 1000
#define FLUSH_LOOK_MS 5 /* pause between two looks at the report */
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
	if (t->rq.network && namespace_enter_network(*t->rq.network, &t->e) != 0)
		return 1;
	if (relay_settle(&t->rq, &t->lifeline, t->parent, &t->e) != 0)
		return 1;
	t->loop = relay_loop_new(&t->rq);
	if (!t->loop) {
		err_limit(&t->e, "out of memory for the relay");
		return 1;
	}
	t->loop->lifeline = t->lifeline;
	t->loop->report = t->report;
	t->loop->names = net_names_new(&t->arena, t->rq.rules);
	return relay_loop_begin(t->loop, &t->e) != 0 || relay_confine(&t->e) != 0;
}

/* The message of relay_serve(): ports of the listeners, and which name sockets follow them. */
struct relay_message {
	uint16_t ports[RELAY_LISTENERS_MAX];
	bool to_host[RELAY_LISTENERS_MAX];
	uint16_t n;
	bool dns4, dns6;
};

/* Waits for the sockets. -1 with a zeroed *e: the launcher has gone. */
static int take_sockets(struct relay_task *t)
{
	struct relay_message m;
	struct relay_loop *l = t->loop;
	int fds[RELAY_LISTENERS_MAX + 2];
	size_t nfds = ARRAY_SIZE(fds), at = 0;
	ssize_t n = fds_recv(t->lifeline, &m, sizeof m, fds, &nfds, 0);
	if (n == 0)
		return -1;
	if (n != sizeof m || m.n > RELAY_LISTENERS_MAX || nfds != (size_t)m.n + m.dns4 + m.dns6)
		return err_system(&t->e, "the relay cannot take its sockets");
	for (; at < m.n; at++)
		l->listeners[at] = (struct relay_listener){fds[at], m.ports[at], m.to_host[at]};
	l->nlisteners = m.n;
	l->dns[0] = m.dns4 ? fds[at++] : -1;
	l->dns[1] = m.dns6 ? fds[at] : -1;
	return relay_loop_serve(l, &t->e);
}

static void __attribute__((noreturn)) run_relay(struct relay_task *t)
{
	arena_init(&t->arena, RELAY_ARENA_MAX);
	int done = arena_run(&t->arena, prepare, t);
	if (done == ARENA_FULL)
		err_limit(&t->e, "out of memory for the relay");
	if (done == 0)
		done = take_sockets(t);
	if ((done != 0 && !t->e.kind) || send(t->lifeline, &t->e, sizeof t->e, MSG_NOSIGNAL) < 0 || done != 0)
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
	process_wait(p->pid);
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

static int fork_relay(struct relay_process *p, struct relay_task *task, struct err *e)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return err_system(e, "cannot make a socket pair");
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
	return 0;
}

int relay_start(struct arena *a, const struct relay_request *rq, struct relay *ret, struct err *e)
{
	struct relay_process *p = arena_new(a, struct relay_process);
	struct relay_task *task = arena_new(a, struct relay_task);
	p->pidfd = p->lifeline = -1;
	p->report = mmap(NULL, sizeof *p->report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p->report == MAP_FAILED)
		return err_system(e, "out of memory for the report of the network");
	arena_defer(a, &p->cleanup, release, p);
	task->rq = *rq;
	task->report = p->report;
	task->parent = getpid();
	if (fork_relay(p, task, e) != 0) {
		arena_release(a, &p->cleanup);
		return -1;
	}
	*ret = (struct relay){.pid = p->pid, .pidfd = p->pidfd, .report = p->report, .process = p};
	return 0;
}

/* Waits until the relay says that it serves, or why not. */
static int hear_answer(const struct relay_process *p, struct err *e)
{
	struct err said = {0};
	struct pollfd word = {.fd = p->lifeline, .events = POLLIN};
	if (poll(&word, 1, START_MS) <= 0 || recv(p->lifeline, &said, sizeof said, 0) != sizeof said)
		return err_host(e, "the network relay ended before it was ready");
	said.text[sizeof said.text - 1] = 0;
	return said.kind == ERR_NONE ? 0 : err_wrap(e, &said, "network relay");
}

int relay_serve(struct relay *r, const struct relay_sockets *sockets, struct err *e)
{
	struct relay_message m = {.dns4 = sockets->dns4 >= 0, .dns6 = sockets->dns6 >= 0};
	int fds[RELAY_LISTENERS_MAX + 2];
	size_t n = 0;
	if (sockets->n > RELAY_LISTENERS_MAX)
		return err_limit(e, "more than %d ports are allowed", RELAY_LISTENERS_MAX);
	for (; n < sockets->n; n++) {
		fds[n] = sockets->listeners[n].fd;
		m.ports[n] = sockets->listeners[n].port;
		m.to_host[n] = sockets->listeners[n].to_host;
	}
	m.n = (uint16_t)n;
	if (m.dns4)
		fds[n++] = sockets->dns4;
	if (m.dns6)
		fds[n++] = sockets->dns6;
	/* A relay that failed has said why, so its answer counts and not the error here. */
	fds_send(r->process->lifeline, &m, sizeof m, fds, n);
	return hear_answer(r->process, e);
}

static bool say_word(const struct relay_process *p, char word)
{
	return send(p->lifeline, &word, 1, MSG_NOSIGNAL) == 1;
}

void relay_drain(const struct relay *r)
{
	struct relay_process *p = r->process;
	struct pollfd end = {.fd = p ? p->pidfd : -1, .events = POLLIN};
	if (p && p->pid > 0 && p->pidfd >= 0 && say_word(p, RELAY_WORD_DRAIN))
		poll(&end, 1, RELAY_DRAIN_MS + STOP_MS); /* a signal's handler ends it early */
}

/* Another box's wish that is done meanwhile will do: our own programs had ended before it. */
void relay_flush(const struct relay *r)
{
	struct relay_process *p = r->process;
	const uint32_t *done = p ? &p->report->flushes : NULL;
	uint32_t before = p ? __atomic_load_n(done, __ATOMIC_ACQUIRE) : 0;
	struct pollfd end = {.fd = p ? p->pidfd : -1, .events = POLLIN};

	if (!p || p->pidfd < 0 || !say_word(p, RELAY_WORD_FLUSH))
		return;
	for (int waited = 0; waited < RELAY_DRAIN_MS; waited += FLUSH_LOOK_MS)
		if (__atomic_load_n(done, __ATOMIC_ACQUIRE) != before || poll(&end, 1, FLUSH_LOOK_MS) > 0)
			return;
}

void relay_stop(struct relay *r)
{
	if (r->process)
		end_process(r->process);
	r->pid = 0;
	r->pidfd = -1;
}

int relay_lifeline(const struct relay *r)
{
	return r->process->lifeline;
}

void relay_leave(struct relay *r)
{
	fd_close(&r->process->lifeline);
	fd_close(&r->process->pidfd);
	r->process->pid = r->pid = 0;
	r->pidfd = -1;
}
