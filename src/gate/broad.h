/*
 * Allow rules that allow far more than they seem to: whoever may run python with any words may run anything.
 */
#pragma once
#include "model/policy.h"

/* NULL, or a sentence (lower case, no full stop) that says why this allow rule is over-broad. */
const char *permission_broad(const struct permission_rule *r);
/* The same for a prefix of tools.bash.allow: it always lets further words follow. */
const char *prefix_broad(struct str prefix);
/*
 * NULL, or why a rule for Bash can match nothing: commands are compared one by one, so an operator outside of
 * quotes is never in them.
 */
const char *permission_idle(const struct permission_rule *r);
