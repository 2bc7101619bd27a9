/*
 * Bytes in both directions: splice(2) from socket to pipe to socket, so that they are never copied. A slow
 * reader stops its own direction: the pipe stays full, the other socket's buffer fills, and TCP slows the
 * writer down.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <linux/sockios.h>
#include <sys/socket.h>

#include "net/relay_inner.h"

#define TURN_STEPS 8  /* steps of one direction before others get their turn */
#define ENDING_MS 5000 /* for a client to read the last bytes of a server that broke off */
#define ENDING_LOOK_MS 20
#define STARVED_LOOK_MS 20
#define DISCARD_BYTES ((size_t)1 << 20)

enum relay_step {
	STEP_IDLE, /* nothing to do until the next event */
	STEP_MOVED,
	STEP_GONE, /* the connection was refused and is closed */
};

static enum relay_step step_of_error(struct relay_socket *s, bool *ready)
{
	if (errno == EINTR)
		return STEP_MOVED;
	*ready = false;
	s->failed = s->failed || errno != EAGAIN;
	return STEP_IDLE;
}

static void count_bytes(struct relay_loop *l, struct relay_connection *c, bool up, size_t n)
{
	if (up)
		c->moved = l->now;
	if (c->row == RELAY_ROW_NONE)
		return;
	struct network_connection *row = &l->report->rows[c->row];
	if (up)
		row->bytes_out += n;
	else
		row->bytes_in += n;
}

static enum relay_step empty_pipe(struct relay_loop *l, struct relay_connection *c, bool up)
{
	struct relay_pipe *pipe = up ? c->up.pipe : c->down.pipe;
	struct relay_socket *to = up ? &c->server : &c->client;
	if (!to->writable)
		return STEP_IDLE;
	ssize_t n = splice(pipe->out, NULL, to->fd, NULL, pipe->n, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	if (n < 0)
		return step_of_error(to, &to->writable);
	pipe->n -= (size_t)n;
	count_bytes(l, c, up, (size_t)n);
	return STEP_MOVED;
}

/* Fills the empty pipe with at most `limit` bytes; *ret_n says how many. */
static enum relay_step fill_pipe(struct relay_loop *l, struct relay_flow *flow, struct relay_socket *from,
		uint64_t limit, size_t *ret_n)
{
	if (!from->readable || flow->ended)
		return STEP_IDLE;
	if (!flow->pipe)
		flow->pipe = relay_pipe_take(&l->pipes);
	flow->waits = !flow->pipe;
	if (flow->waits) {
		l->starved = true;
		relay_wake_at(l, l->now + STARVED_LOOK_MS * MILLISECOND);
		return STEP_IDLE;
	}
	size_t room = flow->pipe->large ? RELAY_PIPE_BYTES : RELAY_PIPE_SMALL;
	room = limit < room ? (size_t)limit : room;
	ssize_t n = splice(from->fd, NULL, flow->pipe->in, NULL, room, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	if (n < 0) {
		enum relay_step s = step_of_error(from, &from->readable);
		flow->ended = from->failed;
		return s;
	}
	flow->ended = n == 0;
	flow->pipe->n = (size_t)n;
	*ret_n = (size_t)n;
	return STEP_MOVED;
}

/* ---- to the server ---- */

static enum relay_step send_words(struct relay_loop *l, struct relay_connection *c)
{
	if (!c->server.writable)
		return STEP_IDLE;
	ssize_t n = send(c->server.fd, c->words + c->words_sent, c->words_ok - c->words_sent, MSG_NOSIGNAL);
	if (n < 0)
		return step_of_error(&c->server, &c->server.writable);
	c->words_sent += (size_t)n;
	count_bytes(l, c, true, (size_t)n);
	if (c->words_sent < c->words_ok || c->speech == RELAY_UNDECIDED)
		return STEP_MOVED;
	c->words_n -= c->words_ok;
	memmove(c->words, c->words + c->words_ok, c->words_n);
	c->words_sent = c->words_ok = 0;
	/* words that follow in the buffer may be complete already */
	if (c->words_n && !relay_inspect(l, c))
		return STEP_GONE;
	return STEP_MOVED;
}

static enum relay_step read_words(struct relay_loop *l, struct relay_connection *c)
{
	if (!c->client.readable || c->up.ended || relay_inspect_waits(c))
		return STEP_IDLE;
	if (c->words_n >= RELAY_HEAD_MAX) { /* no parser waits for so much */
		relay_refuse(l, c, c->speech == RELAY_TLS ? NETWORK_BAD_TLS : NETWORK_BAD_HTTP);
		return STEP_GONE;
	}
	ssize_t n = recv(c->client.fd, c->words + c->words_n, RELAY_HEAD_MAX - c->words_n, 0);
	if (n < 0)
		return step_of_error(&c->client, &c->client.readable);
	c->up.ended = n == 0;
	c->words_n += (size_t)n;
	return relay_inspect(l, c) ? STEP_MOVED : STEP_GONE;
}

static enum relay_step step_up(struct relay_loop *l, struct relay_connection *c)
{
	bool open = c->stage == RELAY_OPEN;
	size_t n = 0;
	if (c->server.failed)
		return STEP_IDLE;
	if (c->up.pipe && c->up.pipe->n)
		return empty_pipe(l, c, true);
	if (c->words_ok > c->words_sent)
		return open ? send_words(l, c) : STEP_IDLE;
	if (!c->pass)
		return read_words(l, c);
	if (!open)
		return STEP_IDLE;
	enum relay_step s = fill_pipe(l, &c->up, &c->client, c->pass, &n);
	if (c->pass != UINT64_MAX)
		c->pass -= n;
	return s;
}

/* Drops answers that no program reads any more: a server that cannot send may stop reading, too. */
static enum relay_step discard(struct relay_connection *c)
{
	if (!c->server.readable || c->down.ended)
		return STEP_IDLE;
	ssize_t n = recv(c->server.fd, NULL, DISCARD_BYTES, MSG_TRUNC | MSG_DONTWAIT);
	if (n < 0) {
		enum relay_step s = step_of_error(&c->server, &c->server.readable);
		c->down.ended = c->server.failed;
		return s;
	}
	c->down.ended = n == 0;
	return STEP_MOVED;
}

static enum relay_step step_down(struct relay_loop *l, struct relay_connection *c)
{
	size_t n;
	if (c->down.pipe && c->down.pipe->n)
		return empty_pipe(l, c, false);
	if (c->stage != RELAY_OPEN)
		return STEP_IDLE;
	if (l->drain_end && !c->answer_decides)
		return discard(c);
	if (!relay_inspect_answer(l, c))
		return c->stage == RELAY_FREE ? STEP_GONE : STEP_IDLE;
	return fill_pipe(l, &c->down, &c->server, UINT64_MAX, &n);
}

/* ---- ends ---- */

/* Passes EOF on once everything before it has been sent. */
static void pass_end(struct relay_flow *flow, const struct relay_socket *to, bool pending)
{
	if (!flow->ended || flow->shut || pending || (flow->pipe && flow->pipe->n))
		return;
	shutdown(to->fd, SHUT_WR);
	flow->shut = true;
}

static void give_pipe(struct relay_loop *l, struct relay_flow *flow)
{
	if (!flow->pipe || flow->pipe->n)
		return;
	relay_pipe_give(&l->pipes, flow->pipe);
	flow->pipe = NULL;
}

/* RST would take back the bytes that the client has not received yet, so it waits for them. */
static void look_at_end(struct relay_loop *l, struct relay_connection *c)
{
	int unsent = 0;
	if (c->client.failed || l->now >= c->deadline || ioctl(c->client.fd, SIOCOUTQ, &unsent) != 0 ||
			!unsent)
		relay_close(l, c, true);
	else
		relay_wake_at(l, l->now + ENDING_LOOK_MS * MILLISECOND);
}

/*
 * Handles errors of either side. A client that broke off wants no more bytes. The bytes of a server that
 * broke off still go to the client, as far as they came. True: the connection is closed, or on its way there.
 */
static bool end_broken(struct relay_loop *l, struct relay_connection *c)
{
	if (c->client.failed) {
		relay_close(l, c, true);
		return true;
	}
	if (!c->server.failed || !c->down.ended || (c->down.pipe && c->down.pipe->n))
		return false;
	c->stage = RELAY_ENDING;
	relay_set_deadline(l, c, l->now + ENDING_MS * MILLISECOND);
	look_at_end(l, c);
	return true;
}

/* Each direction goes on as far as it can within its turn. */
void relay_pump(struct relay_loop *l, struct relay_connection *c)
{
	enum relay_step up = STEP_MOVED, down = STEP_MOVED;
	if (c->stage == RELAY_ENDING) {
		look_at_end(l, c);
		return;
	}
	for (int i = 0; i < TURN_STEPS && (up == STEP_MOVED || down == STEP_MOVED); i++) {
		up = step_up(l, c);
		if (up == STEP_GONE)
			return;
		down = step_down(l, c);
		if (down == STEP_GONE || end_broken(l, c))
			return;
	}
	give_pipe(l, &c->up);
	give_pipe(l, &c->down);
	if (c->stage == RELAY_OPEN) {
		pass_end(&c->up, &c->server, c->words_n > c->words_sent);
		pass_end(&c->down, &c->client, false);
	}
	if (c->up.shut && c->down.shut)
		relay_close(l, c, false);
	else if (up == STEP_MOVED || down == STEP_MOVED)
		relay_queue(l, c);
}
