/*
 * Links, addresses and routes of a network namespace, by rtnetlink.
 *
 * Nothing here allocates or looks at errno after another call, so that a process of the box may use it before
 * its exec. Requests are collected and sent together; the kernel carries them out in order and stops nowhere:
 * netlink_send() returns the first failure.
 *
 * Links are named by an index that the caller chooses, so nobody has to ask the kernel for one.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define NETLINK_LOOPBACK 1      /* index of the loopback interface in every namespace */
#define NETLINK_BATCH_BYTES 4096

struct netlink {
	int fd;                 /* belongs to the namespace in which it was opened */
	int failed;             /* the first errno; 0: none */
	unsigned nrequests;     /* in the batch */
	size_t used;
	_Alignas(8) char batch[NETLINK_BATCH_BYTES];
};

struct netlink_prefix {
	uint8_t address[16];    /* IPv4 is mapped into IPv6 */
	unsigned bits;          /* of these 128 */
};

/* Opens a socket in the namespace of this process. 0 or an errno. */
int netlink_open(struct netlink *ret);
void netlink_close(struct netlink *n);

/*
 * A pair of virtual links: `name` here, `peer_name` in the namespace of process `peer`, both with this index.
 */
void netlink_add_pair(struct netlink *n, unsigned index, const char *name, pid_t peer, const char *peer_name);
void netlink_add_up(struct netlink *n, unsigned index);
/* An address with the prefix of its network; IPv6 without duplicate address detection, so usable at once. */
void netlink_add_address(struct netlink *n, unsigned index, const struct netlink_prefix *p);
/* Every address of the prefix becomes one of this host's own. */
void netlink_add_local(struct netlink *n, const struct netlink_prefix *p);
/* A route to the prefix through a gateway (all 128 bits of it). */
void netlink_add_route(struct netlink *n, unsigned index, const struct netlink_prefix *p,
		const struct netlink_prefix *gateway);
/* Sends what is left of the batch. 0, or the first errno of any request since netlink_open(). */
int netlink_send(struct netlink *n);

/*
 * Asks for the type of the route to an address (RTN_UNICAST, RTN_LOCAL, ...), as a connection of this process
 * would take it. 0, or an errno: ENETUNREACH if there is none. Never waits.
 */
int netlink_route_type(int fd, const uint8_t address[16], unsigned *ret);

bool netlink_is_ipv4(const struct netlink_prefix *p);
