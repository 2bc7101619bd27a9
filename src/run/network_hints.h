/* Says which host a box did not reach, and who can allow it. */
#pragma once
#include "model/network.h"
#include "model/outcome.h"
#include "run/audience.h"

struct network_hint_context {
	enum audience who;
	const struct network_spec *network;
	const struct network_rule *taken_away; /* rules that a project's policy does not cover */
	char *const *argv; /* the command of the run; may be NULL */
	bool policy_counts; /* the person's sandbox.network.allow holds for this run */
};

/*
 * Returns the text of the hint about the network for a run that failed, or an empty text. With a relay the
 * report names the hosts, and stderr those connections that no relay sees (unseen_connection.h). In a box
 * without hosts they are read from the end of stderr, if a message of a known form names one; the hint
 * without a host is then up to the caller.
 */
struct str network_hint(struct arena *a, const struct network_hint_context *c, const struct outcome *o,
		struct str end_of_stderr);
