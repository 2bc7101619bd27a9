/* The person's own rules, in the tiers of docs/policy.md. */
#pragma once
#include "gate/judge.h"

/* Does a redirect rule, or an Edit() or Read() rule, allow this access? */
bool tiers_redirect(struct judge *j, const struct access *x, enum verdict decision); /* raises what denies and asks; true when one matched */
bool tiers_path_allowed(struct judge *j, const struct access *x, const struct where *w);
