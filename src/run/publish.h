/*
 * Publishing: a port of a project's boxes at the host's 127.0.0.1, for a person's browser. Off unless the
 * policy lists the port (sandbox.network.publish) or a person says so (caisson ports publish).
 *
 * A relay carries the connections (box/forward.h), and the keeper holds its life line: it ends with the last
 * box in the background that is in the network.
 */
#pragma once
#include "keeper/keeper.h"
#include "model/policy.h"

#define PUBLISH_PORT_MIN 1024

/* 0 if a port may be published under this policy: it is high enough, and not that of another service. */
int publish_check(const struct policy *p, uint16_t port, struct err *e);
/*
 * Publishes a port of the network with this key. *ret_before: it was already. -1 and *e: it is not published.
 */
int publish_port(struct arena *a, struct str state, struct str key, uint16_t port, bool *ret_before,
		struct err *e);
