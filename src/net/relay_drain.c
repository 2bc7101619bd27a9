/*
 * The end of the relay after a normal end of the box. Nobody is left to read, but a server gets everything
 * that programs have sent, as it would without the relay: connections that were not accepted yet, those that
 * still look for their host, and bytes that wait for a slow server. The kernel sends its own buffers to the
 * end after the relay has gone.
 *
 * A flush is the same for a box that ends while others use the relay.
 */
#include <sys/epoll.h>

#include "net/relay_inner.h"

#define DRAIN_IDLE_MS 5000 /* for a connection on which nothing moves */
#define DRAIN_LOOK_MS 50
#define DRAIN_QUIET_MS 200 /* a busy machine delivers the last connection late */
#define FLUSH_STEP_MS 5

void relay_drain_begin(struct relay_loop *l)
{
	if (l->drain_end)
		return;
	l->drain_end = l->now + RELAY_DRAIN_MS * MILLISECOND;
	for (size_t i = 0; i < l->used; i++) {
		struct relay_connection *c = &l->connections[i];
		if (c->stage == RELAY_FREE)
			continue;
		c->moved = l->now;
		if (c->down.pipe)
			relay_pipe_give(&l->pipes, c->down.pipe);
		c->down.pipe = NULL;
		relay_queue(l, c);
	}
}

/*
 * No launcher is left. If one of them has asked for a flush, its box ended by itself: servers that read
 * slowly still get its last bytes. Nobody waits for this.
 */
void relay_drain_alone(struct relay_loop *l)
{
	epoll_ctl(l->epoll, EPOLL_CTL_DEL, l->lifeline, NULL);
	l->ended = l->drain_end || !l->flush;
	if (l->ended)
		return;
	l->drain_quiet = l->now + DRAIN_QUIET_MS * MILLISECOND;
	relay_drain_begin(l);
}

/* Bytes of the server that were not read would make a clean end a reset, so they are discarded first. */
static bool is_done(const struct relay_connection *c)
{
	return c->up.shut && (!c->server.readable || c->down.ended);
}

static bool is_late(const struct relay_loop *l, const struct relay_connection *c)
{
	return c->stage == RELAY_ENDING || l->now >= l->drain_end ||
	       l->now >= c->moved + DRAIN_IDLE_MS * MILLISECOND;
}

/* A connection that has not found its host by now is a failed one, with its reason. */
static void cut_off(struct relay_loop *l, struct relay_connection *c)
{
	if (c->stage == RELAY_RESOLVING || c->stage == RELAY_CONNECTING || c->stage == RELAY_ASKING) {
		c->deadline = l->now;
		relay_dial_step(l, c);
	} else {
		relay_close(l, c, true);
	}
}

void relay_drain_step(struct relay_loop *l, int n)
{
	for (size_t i = 0; i < l->used; i++) {
		struct relay_connection *c = &l->connections[i];
		if (c->stage == RELAY_FREE)
			continue;
		if (is_done(c))
			relay_close(l, c, false);
		else if (is_late(l, c))
			cut_off(l, c);
	}
	/* a round without events: no connection waits to be accepted */
	l->ended = l->ended || l->now >= l->drain_end || (!l->active && n == 0 && l->now >= l->drain_quiet);
	relay_wake_at(l, l->active ? l->now + DRAIN_LOOK_MS * MILLISECOND :
			l->drain_quiet > l->now ? l->drain_quiet : l->now);
}

/* The client sent bytes, or its end, that the server did not get. */
static bool is_owing(const struct relay_connection *c)
{
	if (c->stage == RELAY_FREE || c->stage == RELAY_ENDING || c->up.shut)
		return false;
	if (c->stage != RELAY_OPEN && c->stage != RELAY_LISTENING)
		return true;
	return c->up.pipe || c->up.waits || c->client.readable || c->client.hung_up;
}

/* Counts after a round without events: then no connection waits to be accepted, either. */
void relay_flush_step(struct relay_loop *l, int n)
{
	bool owes = n != 0;

	for (size_t i = 0; i < l->used && !owes; i++)
		owes = is_owing(&l->connections[i]);
	if (owes)
		relay_wake_at(l, l->now + FLUSH_STEP_MS * MILLISECOND);
	else
		__atomic_store_n(&l->report->flushes, l->flush, __ATOMIC_RELEASE);
}
