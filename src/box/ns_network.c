/*
 * The network of a box that reaches some hosts by name. This file runs in the box's setup and makes what the
 * relay (ns_relay.c, net/relay.h) works with.
 *
 * Namespaces, both of the box's user namespace:
 *
 *   B   of the box: 198.18.0.2, fd00:ca15::2, and a route to the addresses of names. No default route, so any
 *       other address is unreachable at once. On its loopback there are listeners for ports of the host
 *   R   of the relay: 198.18.0.1, fd00:ca15::1. Every address of a name is its own (AnyIP). It holds the
 *       listeners, so a server in the box may bind any port, and no program in the box can take the address
 *       of a name
 *
 * Processes:
 *
 *   program   is in B. It clones the helper, waits for its end, sets up its own side, and sends the sockets
 *             to the launcher
 *   helper    is born in R and shares memory and descriptors with the program. It makes the pair of links,
 *             sets up R, opens the sockets, and ends. From then on only the sockets keep R alive
 *
 * Nothing here allocates. No call may fail without ending the box, because errno is shared with init; the
 * failures of netlink are no failures of calls.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "box/ns_network.h"
#include "sys/fds.h"
#include "sys/process.h"

#define LINK_INDEX 100      /* on both sides; smaller ones may belong to links that the kernel makes */
#define LINK_NAME "eth0"
#define RELAY_LINK_NAME "box0"
#define HELPER_STACK ((size_t)32 << 10)
#define DNS_PORT 53
#define BACKLOG 1024

#define V4(a, b, c, d) {[10] = 0xff, 0xff, (a), (b), (c), (d)}

static const struct netlink_prefix relay4 = {V4(198, 18, 0, 1), 96 + 30}, box4 = {V4(198, 18, 0, 2), 96 + 30},
		names4 = {V4(198, 19, 0, 0), 96 + 16};
static const struct netlink_prefix relay6 = {{0xfd, 0, 0xca, 0x15, [15] = 1}, 126},
		box6 = {{0xfd, 0, 0xca, 0x15, [15] = 2}, 126}, names6 = {{0xfd, 0, 0xca, 0x15, [7] = 1}, 112};

static const struct netlink_prefix loopback4 = {V4(127, 0, 0, 1), 96 + 8}, loopback6 = {{[15] = 1}, 128};

struct relay_side { /* shared by program and helper */
	const struct ns_network *want;
	bool ipv6;
	int fds[NS_SOCKETS_MAX];
	size_t nfds;
	bool failed;
	struct err err;
};

/* ---- links and routes ---- */

static int links_failed(int why, struct err *e)
{
	if (why == EOPNOTSUPP)
		return err_host(e, "this kernel has no virtual links (veth), which a network by name needs");
	return err_set(e, ERR_SYSTEM, why, "cannot make the links of the box's network");
}

/* The addresses that the caller listed, of one family. */
static void add_listed(struct netlink *n, const struct ns_network *want, bool ipv4,
		const struct netlink_prefix *gateway)
{
	for (size_t i = 0; i < want->nprefixes; i++) {
		if (netlink_is_ipv4(&want->prefixes[i]) != ipv4)
			continue;
		if (gateway)
			netlink_add_route(n, LINK_INDEX, &want->prefixes[i], gateway);
		else
			netlink_add_local(n, &want->prefixes[i]);
	}
}

/* One family at one side. gateway: NULL in R, where the addresses of names are local. */
static void add_family(struct netlink *n, const struct ns_network *want, const struct netlink_prefix *own,
		const struct netlink_prefix *names, const struct netlink_prefix *gateway)
{
	netlink_add_address(n, LINK_INDEX, own);
	if (gateway)
		netlink_add_route(n, LINK_INDEX, names, gateway);
	else
		netlink_add_local(n, names);
	add_listed(n, want, netlink_is_ipv4(own), gateway);
}

/* In R: makes the pair. IPv6 is left out where the kernel refuses it. */
static int set_up_relay_side(struct relay_side *s, struct netlink *n, struct err *e)
{
	int why = netlink_open(n);

	if (why)
		return links_failed(why, e);
	netlink_add_pair(n, LINK_INDEX, RELAY_LINK_NAME, getppid(), LINK_NAME);
	netlink_add_up(n, NETLINK_LOOPBACK);
	netlink_add_up(n, LINK_INDEX);
	add_family(n, s->want, &relay4, &names4, NULL);
	why = netlink_send(n);
	if (why)
		return links_failed(why, e);
	s->ipv6 = s->want->ipv6;
	if (s->ipv6)
		add_family(n, s->want, &relay6, &names6, NULL);
	s->ipv6 = s->ipv6 && netlink_send(n) == 0;
	netlink_close(n);
	return 0;
}

static int set_up_box_side(const struct relay_side *s, struct netlink *n, struct err *e)
{
	int why = netlink_open(n);

	if (!why) {
		netlink_add_up(n, LINK_INDEX);
		add_family(n, s->want, &box4, &names4, &relay4);
		if (s->ipv6)
			add_family(n, s->want, &box6, &names6, &relay6);
		why = netlink_send(n);
		netlink_close(n);
	}
	return why ? links_failed(why, e) : 0;
}

/* ---- sockets ---- */

static int sockets_failed(struct err *e)
{
	return err_system(e, "cannot open the sockets of the box's network");
}

static void fill_address(struct sockaddr_in6 *ret, const struct netlink_prefix *p, uint16_t port)
{
	*ret = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons(port)};
	if (p)
		memcpy(&ret->sin6_addr, p->address, sizeof(ret->sin6_addr));
}

static int bind_ipv4(int fd, const struct netlink_prefix *p, uint16_t port)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};

	if (p)
		memcpy(&to.sin_addr, p->address + 12, sizeof(to.sin_addr));
	return bind(fd, (const struct sockaddr *)&to, sizeof(to));
}

static int bind_ipv6(int fd, const struct netlink_prefix *p, uint16_t port)
{
	const int both = 0;
	struct sockaddr_in6 to;

	fill_address(&to, p, port);
	if (setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &both, sizeof(both)) != 0)
		return -1;
	return bind(fd, (const struct sockaddr *)&to, sizeof(to));
}

/* Opens a socket on an address; NULL: on every address of R. The helper's socket is the program's as well. */
static int open_socket(struct relay_side *s, int type, bool ipv6, const struct netlink_prefix *at,
		uint16_t port)
{
	const int on = 1;
	int fd = socket(ipv6 ? AF_INET6 : AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	s->fds[s->nfds++] = fd;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 ||
			(ipv6 ? bind_ipv6(fd, at, port) : bind_ipv4(fd, at, port)) != 0)
		return -1;
	return type == SOCK_STREAM ? listen(fd, BACKLOG) : 0;
}

static int open_sockets(struct relay_side *s, struct err *e)
{
	if (open_socket(s, SOCK_DGRAM, false, &relay4, DNS_PORT) != 0 ||
			(s->ipv6 && open_socket(s, SOCK_DGRAM, true, &relay6, DNS_PORT) != 0))
		return sockets_failed(e);
	for (size_t i = 0; i < s->want->nports; i++)
		if (open_socket(s, SOCK_STREAM, s->ipv6, NULL, s->want->ports[i]) != 0)
			return sockets_failed(e);
	return 0;
}

/* In B, after the sockets of R. */
static int open_host_ports(struct relay_side *s, struct err *e)
{
	for (size_t i = 0; i < s->want->nhost_ports; i++)
		if (open_socket(s, SOCK_STREAM, false, &loopback4, s->want->host_ports[i]) != 0 ||
				(s->ipv6 && open_socket(s, SOCK_STREAM, true, &loopback6,
							    s->want->host_ports[i]) != 0))
			return sockets_failed(e);
	return 0;
}

/* ---- processes ---- */

static int run_helper(void *arg)
{
	struct relay_side *s = arg;
	struct netlink n;

	s->failed = set_up_relay_side(s, &n, &s->err) != 0 || open_sockets(s, &s->err) != 0;
	return 0; /* ends the process; at an _exit() AddressSanitizer warns that it does not know the stack */
}

static int make_relay_side(struct relay_side *s, struct err *e)
{
	static _Alignas(16) char stack[HELPER_STACK];
	const int flags = CLONE_NEWNET | CLONE_VM | CLONE_VFORK | CLONE_FILES | CLONE_FS | SIGCHLD;
	pid_t pid;

	s->failed = true; /* until the helper says otherwise */
	err_host(&s->err, "a process of the box was killed");
	pid = clone(run_helper, stack + HELPER_STACK, flags, s);
	if (pid < 0)
		return err_system(e, "cannot make the network namespace of the relay");
	process_wait(pid);
	if (s->failed)
		*e = s->err;
	return s->failed ? -1 : 0;
}

static int send_sockets(const struct relay_side *s, int talk, struct err *e)
{
	const struct ns_message m = {.kind = NS_NETWORK};

	if (fds_send(talk, &m, sizeof(m), s->fds, s->nfds) != (ssize_t)sizeof(m))
		return err_system(e, "cannot give the relay its sockets");
	for (size_t i = 0; i < s->nfds; i++)
		close(s->fds[i]);
	return 0;
}

int ns_network_join(const struct ns_network *want, int talk, struct err *e)
{
	struct relay_side s = {.want = want};
	struct netlink n;

	if (make_relay_side(&s, e) != 0 || set_up_box_side(&s, &n, e) != 0 || open_host_ports(&s, e) != 0)
		return -1;
	return send_sockets(&s, talk, e);
}
