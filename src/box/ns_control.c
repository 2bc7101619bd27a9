/*
 * The native backend while the program runs: events of init, killing, and what the box uses. ns.h has the
 * theory.
 *
 * Sources of events:
 *   talk       messages of init: setup failed, the program ended, descriptors with which to look into the box
 *   pidfd      of init: the box is gone
 *   oom_event  of the cgroup: the memory limit was hit
 *
 * Usage comes from the cgroup. Without one, the launcher sums it up from the box's own /proc (watch.h).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box/ns.h"
#include "box/ns_network.h"
#include "net/relay.h"
#include "sys/fds.h"
#include "sys/file.h"

static void kill_init(const struct ns_box *n) { syscall(SYS_pidfd_send_signal, n->pidfd, SIGKILL, NULL, 0); }

/* ---- events ---- */

/* Without these descriptors the memory of the box cannot be counted, so the box ends. */
static void fail_to_look(struct box_state *b)
{
	b->events.failed = true;
	err_system(&b->events.err, "cannot open the descriptors that count the memory of the box");
	kill_init(b->own);
}

static uint64_t ms_of(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000 + (uint64_t)t->tv_usec / 1000;
}

/* The first message that says how it went counts. */
static void note_message(struct box_events *ev, const struct ns_message *m)
{
	if (ev->failed || ev->ended)
		return;
	ev->kept |= m->kind == NS_KEPT;
	if (m->kind == NS_KEPT || m->kind == NS_SHARED)
		return;
	ev->failed = m->kind == NS_FAILED;
	ev->ended = m->kind == NS_ENDED;
	ev->left |= m->kind == NS_LEFT;
	ev->err = m->err;
	if (!ev->ended && !ev->left)
		return;
	ev->status = m->status;
	ev->cpu_ms = ms_of(&m->usage.ru_utime) + ms_of(&m->usage.ru_stime);
	ev->peak_memory = (uint64_t)m->usage.ru_maxrss * 1024;
}

static void note_dropped(struct outcome *o, const struct ns_message *m)
{
	memcpy(o->dropped, m->err.text, sizeof(o->dropped));
	o->dropped[sizeof(o->dropped) - 1] = 0;
}

void ns_take_events(struct box_state *b)
{
	struct ns_box *n = b->own;

	for (;;) {
		struct ns_message m;
		int fds[2];
		size_t nfds = 2;
		ssize_t got = fds_recv(n->talk, &m, sizeof(m), fds, &nfds, MSG_DONTWAIT);

		if (got < 0 && errno == EMFILE)
			fail_to_look(b);
		if (got != (ssize_t)sizeof(m))
			return;
		if (m.kind == NS_LOOK_IN) {
			n->procfd = nfds == 2 ? fds[0] : -1;
			n->rootfd = nfds == 2 ? fds[1] : -1;
		} else if ((m.kind == NS_KEPT || m.kind == NS_SHARED) && nfds == 1) {
			fd_close(&n->netfd);
			n->netfd = fds[0];
			b->events.kept |= m.kind == NS_KEPT;
			b->events.shared |= m.kind == NS_SHARED;
		} else if (m.kind == NS_HOME && nfds == 1) {
			b->outcome.home = fds[0];
		} else if (m.kind == NS_READY)
			n->ready = true;
		else if (m.kind == NS_CACHES)
			b->outcome.no_overlay = m.err;
		else if (m.kind == NS_DROPPED)
			note_dropped(&b->outcome, &m);
		else
			note_message(&b->events, &m);
	}
}

static void handle_talk(void *ctx, short revents)
{
	(void)revents;
	ns_take_events(ctx);
}

static void handle_gone(void *ctx, short revents)
{
	struct box_state *b = ctx;

	(void)revents;
	b->events.gone = true;
}

static void handle_oom(void *ctx, short revents)
{
	struct box_state *b = ctx;
	struct ns_box *n = b->own;

	(void)revents;
	if (cg_oom_kills(&n->cg) > 0)
		b->events.oom = true;
}

/*
 * Once init has said how it went, EOF of its socket would keep poll() awake. Last messages are taken at the
 * end.
 */
void ns_add_sources(struct box_state *b, struct sources *ret)
{
	struct ns_box *n = b->own;

	if (!b->events.ended && !b->events.failed && !n->killed)
		sources_add(ret, (struct pollfd){.fd = n->talk, .events = POLLIN}, handle_talk, b);
	sources_add(ret, (struct pollfd){.fd = n->pidfd, .events = POLLIN}, handle_gone, b);
	if (n->grouped && !n->killed)
		sources_add(ret, (struct pollfd){.fd = n->cg.oom_event, .events = n->cg.oom_poll}, handle_oom,
				b);
}

/* ---- killing ---- */

/* The cgroup comes second: killing it lifts its CPU limit, and nothing may live to enjoy that. */
void ns_kill(struct box_state *b)
{
	struct ns_box *n = b->own;

	n->killed = true;
	kill_init(n);
	if (n->grouped)
		cg_kill(&n->cg);
}

bool ns_all_exiting(struct box_state *b)
{
	struct ns_box *n = b->own;
	FD_CLEANUP int list = n->grouped ? cg_processes(&n->cg) : -1;

	return watch_all_leaving(n->grouped ? -1 : n->procfd, list, b->init);
}

/* ---- usage ---- */

static void usage_of_group(struct box_state *b, unsigned wanted, struct box_usage *ret)
{
	struct ns_box *n = b->own;

	if (wanted & USAGE_MEMORY)
		ret->memory = cg_memory_now(&n->cg);
	if (wanted & USAGE_CPU && b->cpu_counted) {
		ret->cpu_ms = cg_cpu_us(&n->cg) / 1000;
	} else if (wanted & USAGE_CPU) {
		FD_CLEANUP int list = cg_processes(&n->cg);

		ret->cpu_ms = watch_time(list, b->init, &n->times);
	}
	if (wanted & USAGE_PEAK) {
		ret->peak_memory = cg_memory_peak(&n->cg);
		ret->oom_kills = cg_oom_kills(&n->cg);
	}
}

/* One look counts both. Its sum of memory is exact only up to the limit that it is given. */
static void usage_by_watching(struct box_state *b, unsigned wanted, struct box_usage *ret)
{
	struct ns_box *n = b->own;
	uint64_t limit = wanted & USAGE_MEMORY ? b->spec->limits.memory : UINT64_MAX;
	struct watch_sum sum;

	if (!(wanted & (USAGE_MEMORY | USAGE_CPU)) || n->procfd < 0 ||
			watch_box(n->procfd, n->rootfd, limit, &n->times, &sum) != 0)
		return;
	ret->cpu_ms = sum.cpu_ms;
	ret->memory = wanted & USAGE_MEMORY ? sum.memory : 0;
}

void ns_usage(struct box_state *b, unsigned wanted, struct box_usage *ret)
{
	struct ns_box *n = b->own;

	if (wanted & USAGE_NETWORK)
		ns_relay_look(b);
	if (n->grouped)
		usage_of_group(b, wanted, ret);
	else
		usage_by_watching(b, wanted, ret);
}

/* ---- boxes that outlive their launcher ---- */

int ns_keep(struct box_state *b, int life, uint64_t time_ms, struct err *e)
{
	const struct ns_box *n = b->own;
	struct ns_order o = {.word = NS_KEEP, .time_ms = time_ms};

	return fds_send(n->talk, &o, sizeof(o), &life, 1) == (ssize_t)sizeof(o)
			? 0 : err_system(e, "cannot talk to the box");
}

/* An init that is dead already has ended everything. */
void ns_finish(struct box_state *b)
{
	const struct ns_box *n = b->own;
	struct ns_order o = {.word = NS_FINISH};

	(void)fds_send(n->talk, &o, sizeof(o), NULL, 0);
}

void ns_share(struct box_state *b)
{
	const struct ns_box *n = b->own;
	struct ns_order o = {.word = NS_SHARE};

	(void)fds_send(n->talk, &o, sizeof(o), NULL, 0);
}

size_t ns_shared(const struct box_state *b, int ret_fds[2])
{
	const struct ns_box *n = b->own;
	int relay = n->relay ? relay_lifeline(n->relay) : b->spec->joins ? b->spec->joins[1] : -1;

	ret_fds[0] = n->netfd;
	ret_fds[1] = relay;
	return n->netfd < 0 ? 0 : relay < 0 ? 1 : 2;
}

/* The manager's connection closes in the launcher alone: the scope lives as long as its processes. */
void ns_adopt(struct box_state *b)
{
	struct ns_box *n = b->own;

	n->adopted = n->undertaker.adopted = true;
	scope_close(&n->scope);
}
