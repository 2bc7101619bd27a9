/*
 * Connections that no relay sees, because the kernel refuses them in the box: to a listed host at a port that
 * no rule lists, and to an address that no rule covers. Only the program's own messages tell of them.
 */
#pragma once
#include "model/network.h"

struct unseen_connection {
	struct str host; /* empty: a listed host that the message shows by its address in the box */
	unsigned port;
	bool listed; /* the host is, with other ports */
};

/* Finds the first one in messages of known forms. False if there is none, or if nothing says "refused". */
bool unseen_connection_find(struct arena *a, struct str messages, const struct network_rule *rules,
		struct unseen_connection *ret);
