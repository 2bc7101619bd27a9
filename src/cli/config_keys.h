/* The parts of `caisson config` that need no policy: the keys, their schema, and a policy to start with. */
#pragma once
#include "config/policy_schema.h"

/* All keys in groups, or `name` (NULL: none) and the keys below it. Returns the exit code. */
int config_explain(struct arena *a, struct buf *out, const char *name, bool json);
/* Writes the starter policy of the user or the project, or only prints it. Returns the exit code. */
int config_start(struct arena *a, struct buf *out, bool project, bool dry_run);
