/*
 * The launcher's part of a network by name: what the box must set up, and the relay. ns_network.c has the
 * theory.
 *
 * The relay is a child of the launcher, outside of the box. The launcher starts it when the box has sent its
 * sockets, before the program may start, and stops it when the box has ended.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/ip.h"
#include "box/ns_network.h"
#include "net/relay.h"
#include "sys/fds.h"
#include "sys/file.h"

/* ---- the plan ---- */

/* Prefixes that are the box's own: no route leads from them to the relay. */
static const struct {
	char from[16];
	unsigned bits;
	const char *why;
} own_prefixes[] = {
	{"127.0.0.0", 96 + 8, "the box's own loopback, which every allow-list includes"},
	{"::1", 128, "the box's own loopback, which every allow-list includes"},
	{"198.18.0.0", 96 + 15, "an address that stands for a name in the box"},
	{"fd00:ca15::", 32, "an address that stands for a name in the box"},
	{"fe80::", 10, "an address of the box's own link"},
	{"0.0.0.0", 96 + 8, "not the address of a host"},
	{"::", 128, "not the address of a host"},
	{"224.0.0.0", 96 + 4, "a multicast address, and the relay connects to single hosts only"},
	{"ff00::", 8, "a multicast address, and the relay connects to single hosts only"},
	{"255.255.255.255", 128, "not the address of a host"},
};

static bool same_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
	unsigned rest = bits % 8;

	if (memcmp(a, b, bits / 8) != 0)
		return false;
	return !rest || !((a[bits / 8] ^ b[bits / 8]) >> (8 - rest));
}

/* A rule inside a prefix of the box itself would never match: said at once, not by a failing program. */
static int check_prefix(const struct network_rule *r, struct err *e)
{
	uint8_t own[IP_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(own_prefixes); i++)
		if (ip_parse(str_of(own_prefixes[i].from), own) == 0 && r->bits >= own_prefixes[i].bits &&
				same_bits(own, r->address, own_prefixes[i].bits))
			return err_input(e, "the network rule '%.*s' names %s", STR_ARG(r->name),
					own_prefixes[i].why);
	return 0;
}

static int add_port(struct ns_network *n, uint16_t port, struct err *e)
{
	for (size_t i = 0; i < n->nports; i++)
		if (n->ports[i] == port)
			return 0;
	if (n->nports == NS_PORTS_MAX)
		return err_limit(e, "the network rules name more than %d different ports", NS_PORTS_MAX);
	n->ports[n->nports++] = port;
	return 0;
}

static bool has_ipv6(void)
{
	FD_CLEANUP int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return fd >= 0;
}

int ns_network_plan(struct arena *a, const struct network_spec *s, struct ns_network *ret, struct err *e)
{
	struct netlink_prefix *to;
	size_t n = 0;

	for (const struct network_rule *r = s->rules; r; r = r->next)
		n += r->kind == NETWORK_ADDRESS;
	to = arena_array(a, n + 1, sizeof(*to));
	*ret = (struct ns_network){.ipv6 = has_ipv6(), .prefixes = to, .nhost_ports = s->nhost_ports};
	memcpy(ret->host_ports, s->host_ports, sizeof(ret->host_ports));
	for (const struct network_rule *r = s->rules; r; r = r->next) {
		for (size_t i = 0; i < r->nports; i++)
			if (add_port(ret, r->ports[i], e) != 0)
				return -1;
		if (r->kind != NETWORK_ADDRESS)
			continue;
		if (check_prefix(r, e) != 0)
			return -1;
		to[ret->nprefixes].bits = r->bits;
		memcpy(to[ret->nprefixes++].address, r->address, sizeof(r->address));
	}
	return 0;
}

/* ---- the relay ---- */

struct sockets { /* as the box sent them */
	int fds[NS_SOCKETS_MAX];
	size_t n;
};

static void close_sockets(struct sockets *s)
{
	for (size_t i = 0; i < s->n; i++)
		fd_close(&s->fds[i]);
}

/* Waits for the sockets. A box that fails first has said why, or is gone. */
static int await_sockets(struct box_state *b, struct sockets *ret, struct err *e)
{
	struct ns_box *n = b->own;

	for (;;) {
		struct ns_message m;
		ssize_t got;

		ret->n = NS_SOCKETS_MAX;
		got = fds_recv(n->talk, &m, sizeof(m), ret->fds, &ret->n, 0);
		if (got != (ssize_t)sizeof(m))
			return err_set(e, ERR_SYSTEM, got < 0 ? errno : 0,
					"the box ended while its network was set up");
		if (m.kind == NS_NETWORK)
			return 0;
		close_sockets(ret);
		if (m.kind == NS_CACHES)
			b->outcome.no_overlay = m.err;
		if (m.kind == NS_FAILED) {
			*e = m.err;
			return -1;
		}
	}
}

/*
 * The order of the sockets: the name server in IPv4, and in IPv6 if there is any; a listener for each port;
 * for each port of the host one in IPv4, and one in IPv6.
 */
static int serve_with(struct box_state *b, const struct sockets *s, struct err *e)
{
	struct ns_box *n = b->own;
	const struct ns_network *want = n->network;
	struct relay_listener listeners[NS_SOCKETS_MAX];
	size_t families = s->n == 2 + want->nports + 2 * want->nhost_ports ? 2 : 1, at = families;
	struct relay_sockets given = {.listeners = listeners, .dns4 = -1, .dns6 = -1};

	if (s->n != families + want->nports + families * want->nhost_ports)
		return err_internal(e, "the box sent unexpected sockets");
	for (size_t i = 0; i < want->nports; i++)
		listeners[given.n++] = (struct relay_listener){.fd = s->fds[at++], .port = want->ports[i]};
	for (size_t i = 0; i < families * want->nhost_ports; i++)
		listeners[given.n++] = (struct relay_listener){.fd = s->fds[at++],
				.port = want->host_ports[i / families],
				.to_host = true};
	given.dns4 = s->fds[0];
	if (families == 2)
		given.dns6 = s->fds[1];
	return relay_serve(n->relay, &given, e);
}

/* The relay prepares itself while the box makes the sockets. */
int ns_relay_start(struct box_state *b, struct err *e)
{
	struct ns_box *n = b->own;
	struct relay_request rq = {.rules = b->spec->network.rules, .environ = environ,
			.uid = n->user.outside_uid, .gid = n->user.outside_gid,
			.outlives = b->spec->background};
	struct relay *relay = arena_new(b->a, struct relay);
	struct sockets s;
	int rc = relay_start(b->a, &rq, relay, e);

	if (rc != 0)
		return -1;
	n->relay = relay; /* whatever fails from now on, ns_relay_stop() ends it */
	n->report = arena_new(b->a, struct network_report); /* not later: the arena may be full by then */
	rc = await_sockets(b, &s, e);
	if (rc != 0)
		return -1;
	rc = serve_with(b, &s, e);
	close_sockets(&s); /* the relay has its own */
	return rc;
}

/* The relay reads hostile bytes, so its numbers count only within their bounds. */
static void take_report(struct box_state *b, const struct network_report *from)
{
	struct network_report *to = ((struct ns_box *)b->own)->report;

	if (!to)
		return;
	memcpy(to, from, sizeof(*to));
	if (to->n > NETWORK_REPORT_MAX)
		to->n = NETWORK_REPORT_MAX;
	for (size_t i = 0; i < to->n; i++)
		to->rows[i].host[sizeof(to->rows[i].host) - 1] = 0;
	b->outcome.network = to;
}

void ns_relay_look(struct box_state *b)
{
	const struct relay *relay = ((struct ns_box *)b->own)->relay;

	if (relay)
		take_report(b, relay->report);
}

/* A program that has ended by itself may have sent its last bytes right before. */
static bool ended_itself(const struct outcome *o)
{
	return (o->status == STATUS_OK || o->status == STATUS_EXIT_NONZERO) && !o->interrupted;
}

void ns_relay_stop(struct box_state *b)
{
	struct ns_box *n = b->own;
	struct pollfd gone;

	if (!n->relay)
		return;
	gone = (struct pollfd){.fd = n->relay->pidfd, .events = POLLIN};
	b->outcome.relay_died = poll(&gone, 1, 0) > 0;
	if ((n->adopted && b->spec->shares) || b->lent) { /* other boxes may use it */
		if (ended_itself(&b->outcome))
			relay_flush(n->relay);
		relay_leave(n->relay);
	} else {
		if (ended_itself(&b->outcome))
			relay_drain(n->relay);
		relay_stop(n->relay);
	}
	take_report(b, n->relay->report);
	n->relay = NULL;
}
