/*
 * A box that reaches hosts by name: its links, and the relay outside. ns_network.c has the theory. Inside of
 * src/box only.
 */
#pragma once
#include "box/ns.h"
#include "sys/netlink.h"

#define NS_PORTS_MAX 64
/* Listeners; those of the host's ports and the name server in IPv4 and IPv6. */
#define NS_SOCKETS_MAX (NS_PORTS_MAX + 2 * NETWORK_HOST_PORTS_MAX + 2)

struct ns_network { /* what the box's setup must know of the rules; part of the brief */
	bool ipv6;                 /* this kernel has it */
	uint16_t ports[NS_PORTS_MAX];
	size_t nports;
	uint16_t host_ports[NETWORK_HOST_PORTS_MAX];
	size_t nhost_ports;
	const struct netlink_prefix *prefixes; /* the listed addresses */
	size_t nprefixes;
};

/* ns_network.c: the program, in its own network namespace, makes the relay's and sends its sockets. */
int ns_network_join(const struct ns_network *want, int talk, struct err *e);

/* ns_relay.c: the rules as ports and prefixes. -1: they are too many, or name an address of the box. */
int ns_network_plan(struct arena *a, const struct network_spec *s, struct ns_network *ret, struct err *e);
/* Waits for the sockets and starts the relay. */
int ns_relay_start(struct box_state *b, struct err *e);
/* Ends the relay; its report goes to the outcome. */
/* Sets outcome.network to the connections so far, if there is a relay. */
void ns_relay_look(struct box_state *b);
void ns_relay_stop(struct box_state *b);
