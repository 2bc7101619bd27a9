/* Over-broad allow rules: a rule that allows python with any arguments allows everything. */
#pragma once
#include "model/policy.h"

/* Returns why this allow rule is over-broad (lower case, no full stop), or NULL. */
const char *permission_broad(const struct permission_rule *r);
/* The same for a prefix of tools.bash.allow, which always allows further words. */
const char *prefix_broad(struct str prefix);
/*
 * Returns why a Bash rule can never match, or NULL. Commands are compared one by one, so an operator outside
 * of quotes never occurs in them.
 */
const char *permission_idle(const struct permission_rule *r);
/*
 * The same for a rule by the start of a command. Its words are compared as they are, so a pattern that works
 * in other programs (git push *) would silently match nothing.
 */
const char *prefix_idle(struct str prefix);
