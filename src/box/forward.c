/* See forward.h. */
#define _GNU_SOURCE
#include "box/forward.h"

#include <unistd.h>

#include "box/ns.h"

int forward_start(struct arena *a, int network, int listener, uint16_t port, struct relay *ret, struct err *e)
{
	const struct ns_user user = ns_user(getpid());
	char *const no_variables[] = {NULL};
	const struct relay_request rq = {.environ = no_variables,
			.uid = user.outside_uid,
			.gid = user.outside_gid,
			.network = &network,
			.outlives = true};
	const struct relay_listener at = {.fd = listener, .port = port, .to_host = true};
	const struct relay_sockets sockets = {.listeners = &at, .n = 1, .dns4 = -1, .dns6 = -1};

	if (relay_start(a, &rq, ret, e) != 0)
		return -1;
	if (relay_serve(ret, &sockets, e) == 0)
		return 0;
	relay_stop(ret);
	return -1;
}
