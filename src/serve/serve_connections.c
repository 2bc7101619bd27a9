/*
 * Connections: how long and how many. libmicrohttpd ends a connection that is silent; here are the bounds for
 * those that are not: a request has to be complete in time, an answer has to be read in time, and a newcomer
 * takes the place of the connection that has been without a request for longest.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/socket.h>

#include "serve/serve_inner.h"
#include "sys/clock.h"

#define REQUEST_TIME (30 * SERVE_SECOND) /* for a request to arrive, headers and body */
#define IDLE_TIME (60 * SERVE_SECOND)    /* between two requests of a connection */
#define ANSWER_TIME (60 * SERVE_SECOND)  /* for an answer to be read, and more for a long one */
#define ANSWER_SPEED (64 << 10)          /* bytes a second */
#define CONNECTIONS_HIGH (SERVE_CONNECTIONS_MAX - SERVE_CONNECTIONS_MAX / 16)

struct serve_connection {
	struct serve_connection *next, *prev;
	int fd;
	int64_t since;  /* when it was opened, or its last request ended */
	size_t answers; /* requests of it that have ended */
	bool calls;     /* it has a request with headers */
	bool closed;    /* by us: the library will say that it ended */
};

static void end_connection(struct serve_connection *c)
{
	if (!c->closed)
		shutdown(c->fd, SHUT_RDWR);
	c->closed = true;
}

/* The list is in the order of `since`. */
static void list_remove(struct serve *s, struct serve_connection *c)
{
	*(c->prev ? &c->prev->next : &s->oldest) = c->next;
	*(c->next ? &c->next->prev : &s->newest) = c->prev;
}

static void list_add(struct serve *s, struct serve_connection *c)
{
	c->since = clock_now();
	c->next = NULL;
	c->prev = s->newest;
	*(s->newest ? &s->newest->next : &s->oldest) = c;
	s->newest = c;
}

static void end_oldest(struct serve *s)
{
	struct serve_connection *c = s->oldest;

	while (c && (c->calls || c->closed))
		c = c->next;
	if (c)
		end_connection(c);
}

static void connection_new(struct serve *s, struct MHD_Connection *connection, void **ret)
{
	const union MHD_ConnectionInfo *info =
			MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct serve_connection *c = info ? calloc(1, sizeof(*c)) : NULL;

	*ret = c;
	if (!c)
		return;
	c->fd = info->connect_fd;
	list_add(s, c);
	if (++s->nconnections > CONNECTIONS_HIGH)
		end_oldest(s);
}

void serve_connection_notify(void *cls, struct MHD_Connection *connection, void **context,
		enum MHD_ConnectionNotificationCode what)
{
	struct serve_connection *c = *context;
	struct serve *s = cls;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		connection_new(s, connection, context);
	} else if (c) {
		list_remove(s, c);
		s->nconnections--;
		free(c);
		*context = NULL;
	}
}

void serve_connection_calls(struct serve_call *call, bool begins)
{
	const union MHD_ConnectionInfo *info =
			MHD_get_connection_info(call->connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct serve_connection *c = info ? info->socket_context : NULL;

	if (!c)
		return;
	c->calls = begins;
	if (begins) {
		call->until = (c->answers ? clock_now() : c->since) + REQUEST_TIME;
		return;
	}
	c->answers++;
	list_remove(call->s, c);
	list_add(call->s, c);
}

/* A call that waits or runs has bounds of its own. */
static bool is_late(const struct serve_call *c, int64_t now)
{
	return (c->state == CALL_RECEIVING || c->state == CALL_ANSWERED) && c->until && now >= c->until;
}

void serve_connection_answers(struct serve_call *c)
{
	int64_t bytes = (int64_t)(c->out.n - c->sent);

	c->until = clock_now() + ANSWER_TIME + bytes / ANSWER_SPEED * SERVE_SECOND;
}

void serve_connection_end(struct serve_call *c)
{
	const union MHD_ConnectionInfo *info =
			MHD_get_connection_info(c->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	if (info)
		shutdown(info->connect_fd, SHUT_RDWR);
}

void serve_connections_expire(struct serve *s, int64_t now)
{
	for (struct serve_call *c = s->first; c; c = c->next)
		if (is_late(c, now)) {
			c->until = now + ANSWER_TIME;
			serve_connection_end(c);
		}
	for (struct serve_connection *c = s->oldest; c; c = c->next)
		if (!c->calls && now >= c->since + (c->answers ? IDLE_TIME : REQUEST_TIME))
			end_connection(c);
}
