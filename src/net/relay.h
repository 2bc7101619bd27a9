/*
 * The relay: carries the TCP connections of a box to the hosts of its allow-list, and answers its name
 * queries. The relay is a process of its own, a child of the launcher.
 *
 * Theory of operation:
 * - lifeline: a socket pair. The launcher sends listeners and name sockets that were made in the relay
 *   namespace, and the relay answers with a struct err, zeroed if it serves them. RELAY_WORD_DRAIN tells the
 *   relay to drain: nobody is left in the box, but bytes that a program sent before it ended are still on
 *   their way. RELAY_WORD_FLUSH asks for the same while other boxes go on: the relay counts in its report
 *   when no connection owes its server a byte. EOF tells the relay that the launcher is gone or wants it to
 *   end now. PDEATHSIG does the same for a launcher that was killed, unless a fork of it may take the relay
 *   over.
 * - The relay itself stays in the host's network namespace, so its own connections go out from there. A relay
 *   that publishes a port works the other way around: its listener is the host's, and it connects from the
 *   network namespace of boxes (box/forward.h).
 * - report: shared memory. The relay writes, the launcher reads and trusts it only within its bounds.
 * - Before it reads a byte of the box, the relay closes every other descriptor, becomes the given user, drops
 *   its capabilities and confines itself (relay_confine.c).
 *
 * The address that a program connected to says which name it wants (net/names.h). The relay checks the port,
 * then the client's own words: TLS must name the host as SNI, HTTP as Host in every request. Only then does
 * it connect. A refused or failed connection ends with RST, so that programs fail at once. So does one that
 * the relay cuts off when it ends or dies: no server takes half of the bytes for all of them.
 */
#pragma once
#include <sys/types.h>

#include "model/network_report.h"

#define RELAY_LISTENERS_MAX 192 /* they travel in one message */
#define RELAY_DRAIN_MS 10000
#define RELAY_WORD_DRAIN 'd'
#define RELAY_WORD_FLUSH 'f'

struct relay_listener {
	int fd; /* listening TCP socket, IPv4 or dual-stack */
	uint16_t port;
	bool to_host; /* its connections go to this port of the host's own loopback */
};

struct relay_sockets {
	const struct relay_listener *listeners;
	size_t n;
	int dns4, dns6; /* UDP sockets; -1: none */
};

struct relay_request {
	const struct network_rule *rules;
	char *const *environ; /* for the variables that name the host's own proxy */
	uint32_t uid, gid;    /* identity to take if the launcher is root */
	/* The network namespace from which it connects; NULL: the launcher's. */
	const int *network;
	/* A fork of the launcher may take the relay over: EOF of its lifeline alone ends it. */
	bool outlives;
};

struct relay_process;

struct relay {
	pid_t pid; /* 0: not running, or already waited for */
	int pidfd; /* readable when the relay has ended */
	const struct network_report *report;
	struct relay_process *process;
};

/*
 * Starts the relay, which prepares itself while the caller goes on. Leaving the arena ends the relay, and so
 * does relay_stop().
 */
int relay_start(struct arena *a, const struct relay_request *rq, struct relay *ret, struct err *e);
/*
 * Gives the relay its sockets, and returns when it is confined and serves them. The sockets stay open in the
 * caller, who closes them: their namespace lives as long as somebody holds them.
 */
int relay_serve(struct relay *r, const struct relay_sockets *sockets, struct err *e);
/*
 * After the end of every process in the box: waits until the relay has passed on what they sent, which is at
 * once if no connection is left, and RELAY_DRAIN_MS at most. The relay may still run afterwards.
 */
void relay_drain(const struct relay *r);
/*
 * The same for a relay that other boxes use as well: it goes on. A connection of theirs that is busy all the
 * time makes it wait for RELAY_DRAIN_MS.
 */
void relay_flush(const struct relay *r);
/*
 * Tells the relay to end now and waits for it; kills it after a bounded time. ret->report stays readable
 * until the arena is left. Harmless if the relay has ended by itself.
 */
void relay_stop(struct relay *r);
/* The relay ends when the last copy of this descriptor is closed. */
int relay_lifeline(const struct relay *r);
/* Gives up our own copy: the relay goes on for others who have one. */
void relay_leave(struct relay *r);
