/*
 * A port of the host's loopback that leads into the network of boxes, for a person's browser.
 *
 *   relay    a process of its own (net/relay.h), confined as for a box. It accepts the host's connections and
 *            connects from the boxes' network namespace to their loopback: it reaches nothing else
 */
#pragma once
#include "net/relay.h"

/*
 * Starts the relay. `network`: a descriptor of the network namespace. `listener`: a listening socket of the
 * host; the caller closes it. The relay ends with the last copy of its life line.
 */
int forward_start(struct arena *a, int network, int listener, uint16_t port, struct relay *ret,
		struct err *e);
