/*
 * The way to the host: its address, asked outside at connect time; no private or special address, unless a
 * rule lists it; a few attempts to connect, each next one soon after the one before; or the host's own proxy.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/relay_inner.h"
#include "net/special_address.h"
#include "sys/netlink.h"

#define DIAL_MS 20000       /* for everything before the connection is open */
#define NEXT_ATTEMPT_MS 250 /* as RFC 8305 recommends */

/* Finds dead peers of quiet connections; a living peer may be quiet for ever. */
#define KEEPALIVE_IDLE_S 60
#define KEEPALIVE_EACH_S 15
#define KEEPALIVE_COUNT 6

/*
 * Bytes that wait in the kernel for a slow reader, which would be 4 MB otherwise, outside of the box's
 * cgroup; those on their way to a quick reader do not count. Costs 15 % of the throughput to the program.
 */
#define UNSENT_MAX (1 << 18)

void relay_set_options(int fd)
{
	static const struct {
		int level, name, value;
	} options[] = {{SOL_SOCKET, SO_KEEPALIVE, 1}, {IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_IDLE_S},
			{IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_EACH_S},
			{IPPROTO_TCP, TCP_KEEPCNT, KEEPALIVE_COUNT}, {IPPROTO_TCP, TCP_NODELAY, 1},
			{IPPROTO_TCP, TCP_NOTSENT_LOWAT, UNSENT_MAX}};
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		setsockopt(fd, options[i].level, options[i].name, &options[i].value, sizeof options[i].value);
	/* If the relay dies, both sides see RST and not a clean end. */
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
}

void relay_set_room(int fd, int room)
{
	if (room == RELAY_ROOM_FREE)
		return;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
}

/* ---- addresses ---- */

union relay_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t put_address(const uint8_t ip[IP_BYTES], uint16_t port, union relay_address *ret)
{
	memset(ret, 0, sizeof *ret);
	if (ip_is_mapped(ip)) {
		ret->v4.sin_family = AF_INET;
		ret->v4.sin_port = htons(port);
		memcpy(&ret->v4.sin_addr, ip + IP_MAPPED_BITS / 8, 4);
		return sizeof ret->v4;
	}
	ret->v6.sin6_family = AF_INET6;
	ret->v6.sin6_port = htons(port);
	memcpy(&ret->v6.sin6_addr, ip, IP_BYTES);
	return sizeof ret->v6;
}

/*
 * True if the address is one of this machine's own, whose servers a public name must not reach. The route to
 * it says so, also for addresses that no interface has.
 */
static bool is_own_address(const struct relay_loop *l, const uint8_t ip[IP_BYTES])
{
	unsigned type = RTN_UNSPEC;
	int why = netlink_route_type(l->routes, ip, &type);
	if (why == ENETUNREACH || why == EHOSTUNREACH)
		return false; /* connect() will say so */
	return why || (type != RTN_UNICAST && type != RTN_UNREACHABLE); /* unknown is refused */
}

static bool is_listed(const struct relay_loop *l, const uint8_t ip[IP_BYTES], uint16_t port)
{
	for (const struct network_rule *r = l->request->rules; r; r = r->next)
		if (r->kind == NETWORK_ADDRESS && network_rule_has_port(r, port) &&
				network_rule_matches_address(r, ip))
			return true;
	return false;
}

/* True if the person's own settings name this host, so that it may lie in the person's own network. */
static bool is_on_site(const struct relay_loop *l, const struct relay_target *t)
{
	for (const struct network_rule *r = l->request->rules; r; r = r->next)
		if (r->on_site && r->kind == NETWORK_NAME && network_rule_has_port(r, t->port) &&
				network_rule_matches_name(r, str_of(t->host)))
			return true;
	return false;
}

/* Keeps the addresses that a name may lead to. */
static void drop_private(
		const struct relay_loop *l, const struct relay_target *t, struct upstream_addresses *all)
{
	bool on_site = is_on_site(l, t);
	size_t n = 0;
	for (size_t i = 0; i < all->n; i++) {
		const uint8_t *ip = all->ip[i];
		bool special = special_address(ip) && !(on_site && special_address_on_site(ip));
		if (!is_listed(l, ip, t->port) && (special || is_own_address(l, ip)))
			continue;
		memmove(all->ip[n++], ip, IP_BYTES);
	}
	all->n = n;
}

/* ---- attempts ---- */

static void drop_attempt(struct relay_connection *c, size_t i)
{
	if (c->dial.attempts[i] >= 0)
		close(c->dial.attempts[i]);
	c->dial.attempts[i] = -1;
}

void relay_dial_end(struct relay_connection *c)
{
	for (size_t i = 0; i < RELAY_ATTEMPTS_MAX; i++)
		drop_attempt(c, i);
}

static size_t count_attempts(const struct relay_dial *d)
{
	size_t n = 0;
	for (size_t i = 0; i < RELAY_ATTEMPTS_MAX; i++)
		n += d->attempts[i] >= 0;
	return n;
}

static void try_next(struct relay_loop *l, struct relay_connection *c)
{
	struct relay_dial *d = &c->dial;
	union relay_address to;
	size_t i = 0;
	while (i < RELAY_ATTEMPTS_MAX && d->attempts[i] >= 0)
		i++;
	if (i == RELAY_ATTEMPTS_MAX || d->next == d->to.n)
		return;
	socklen_t n = put_address(d->to.ip[d->next++], d->proxy ? d->proxy->port : c->target.port, &to);
	d->again = l->now + NEXT_ATTEMPT_MS * MILLISECOND;
	relay_wake_at(l, d->again);
	int fd = socket(to.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	d->attempts[i] = fd;
	relay_set_options(fd);
	relay_set_room(fd, c->room);
	if ((connect(fd, &to.any, n) != 0 && errno != EINPROGRESS) ||
			relay_watch(l, c, fd, RELAY_AT_ATTEMPT + (unsigned)i, false) != 0)
		drop_attempt(c, i);
}

/* Tries addresses until one is under way; refuses when all have failed. */
static void go_on_trying(struct relay_loop *l, struct relay_connection *c)
{
	struct relay_dial *d = &c->dial;
	if (count_attempts(d) && l->now >= d->again)
		try_next(l, c);
	while (!count_attempts(d) && d->next < d->to.n)
		try_next(l, c);
	if (!count_attempts(d))
		relay_refuse(l, c, d->proxy ? NETWORK_PROXY : NETWORK_UNREACHABLE);
}

static void set_open(struct relay_loop *l, struct relay_connection *c)
{
	c->stage = RELAY_OPEN;
	c->moved = l->now;
	relay_set_deadline(l, c, 0);
	c->row = relay_report_add(l->report, c->target.host, c->target.port, NETWORK_NOT_REFUSED);
	relay_queue(l, c);
}

/* ---- the proxy ---- */

/* The words of a dialogue are few, so that the buffer of a fresh socket takes them whole. */
static bool send_dialogue(struct relay_connection *c)
{
	struct proxy_dialogue *d = &c->dial.dialogue;
	return send(c->server.fd, d->words, d->n, MSG_NOSIGNAL) == (ssize_t)d->n;
}

static void ask_proxy(struct relay_loop *l, struct relay_connection *c)
{
	struct proxy_dialogue *d = &c->dial.dialogue;
	c->stage = RELAY_ASKING;
	if (proxy_begin(d, c->dial.proxy, str_of(c->target.host), c->target.port) != PROXY_SAY ||
			!send_dialogue(c))
		relay_refuse(l, c, NETWORK_PROXY);
}

/* Looks at the answer without taking it: bytes behind it belong to the connection. */
static void hear_proxy(struct relay_loop *l, struct relay_connection *c)
{
	char bytes[PROXY_REPLY_MAX];
	enum proxy_progress p = PROXY_SAY;
	while (p == PROXY_SAY) {
		size_t used = 0;
		ssize_t n = recv(c->server.fd, bytes, sizeof bytes, MSG_PEEK);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		p = n > 0 ? proxy_answer(&c->dial.dialogue, str_n(bytes, (size_t)n), &used) : PROXY_FAILED;
		bool taken = !used || recv(c->server.fd, bytes, used, 0) == (ssize_t)used;
		if (!taken || (p == PROXY_SAY && !send_dialogue(c)))
			p = PROXY_FAILED;
	}
	if (p == PROXY_FAILED)
		relay_refuse(l, c, NETWORK_PROXY);
	else if (p == PROXY_OPEN)
		set_open(l, c);
}

/* ---- stages ---- */

static void connected(struct relay_loop *l, struct relay_connection *c, unsigned attempt)
{
	c->server = (struct relay_socket){
			.fd = c->dial.attempts[attempt], .readable = true, .writable = true};
	c->dial.attempts[attempt] = -1;
	relay_dial_end(c);
	if (relay_watch(l, c, c->server.fd, RELAY_AT_SERVER, true) != 0)
		relay_refuse(l, c, NETWORK_UNREACHABLE);
	else if (c->dial.proxy && !c->dial.forwards)
		ask_proxy(l, c);
	else
		set_open(l, c);
}

void relay_dial_event(struct relay_loop *l, struct relay_connection *c, unsigned attempt)
{
	int error = 0;
	socklen_t n = sizeof error;
	if (c->stage != RELAY_CONNECTING || c->dial.attempts[attempt] < 0)
		return;
	if (getsockopt(c->dial.attempts[attempt], SOL_SOCKET, SO_ERROR, &error, &n) == 0 && !error) {
		connected(l, c, attempt);
		return;
	}
	drop_attempt(c, attempt);
	go_on_trying(l, c);
}

static void resolved(struct relay_loop *l, struct relay_connection *c)
{
	/* A proxy is the person's own choice and usually private. A listed address needs no check. */
	if (!c->dial.proxy && !c->target.is_address)
		drop_private(l, &c->target, &c->dial.to);
	if (!c->dial.to.n) {
		relay_refuse(l, c, NETWORK_PRIVATE);
		return;
	}
	c->stage = RELAY_CONNECTING;
	go_on_trying(l, c);
}

static void resolve(struct relay_loop *l, struct relay_connection *c)
{
	static const uint8_t loopbacks[2][IP_BYTES] = {{[10] = 0xff, 0xff, 127, 0, 0, 1}, {[15] = 1}};
	struct relay_dial *d = &c->dial;
	const char *name = d->proxy ? d->proxy->host : c->target.host;
	enum upstream_answer answer = UPSTREAM_READY;
	if (c->target.to_host) {
		memcpy(d->to.ip[0], loopbacks[0], IP_BYTES);
		memcpy(d->to.ip[1], loopbacks[1], IP_BYTES);
		d->to.n = 2;
	} else if (d->proxy ? d->proxy->is_address : c->target.is_address) {
		memcpy(d->to.ip[0], d->proxy ? d->proxy->ip : c->target.ip, IP_BYTES);
		d->to.n = 1;
	} else {
		answer = upstream_resolve(l->upstream, str_of(name), &d->to);
	}
	if (answer == UPSTREAM_READY)
		resolved(l, c);
	else if (answer == UPSTREAM_FAILED)
		relay_refuse(l, c, d->proxy ? NETWORK_PROXY : NETWORK_UNRESOLVED);
}

void relay_dial_step(struct relay_loop *l, struct relay_connection *c)
{
	if (l->now >= c->deadline) {
		relay_refuse(l, c,
				c->dial.proxy                 ? NETWORK_PROXY
				: c->stage == RELAY_RESOLVING ? NETWORK_UNRESOLVED
							      : NETWORK_UNREACHABLE);
		return;
	}
	switch (c->stage) {
	case RELAY_RESOLVING: resolve(l, c); break;
	case RELAY_CONNECTING: go_on_trying(l, c); break;
	case RELAY_ASKING: hear_proxy(l, c); break;
	default: break;
	}
}

void relay_dial_route(const struct relay_loop *l, struct relay_connection *c)
{
	struct relay_dial *d = &c->dial;
	if (c->target.to_host)
		return;
	d->proxy = upstream_proxy_for(&l->proxies, str_of(c->target.host), c->target.port);
	d->forwards = d->proxy && c->must_http && upstream_proxy_forwards(d->proxy, c->target.port);
}

void relay_dial(struct relay_loop *l, struct relay_connection *c)
{
	c->stage = RELAY_RESOLVING;
	relay_set_deadline(l, c, l->now + DIAL_MS * MILLISECOND);
	if (c->dial.proxy && c->dial.proxy->kind == PROXY_UNUSABLE)
		relay_refuse(l, c, NETWORK_PROXY);
	else
		resolve(l, c);
}
