/*
 * The caller's identity in git. A box does not see ~/.gitconfig, which may hold credentials, aliases and
 * programs to run; but `git commit` needs a name. So a new file gets the few keys that identify a person.
 */
#pragma once
#include "sys/git_view.h"

/*
 * Returns user.name, user.email and init.defaultBranch from the person's and the system's configuration, as
 * configuration text; empty: none set. `place` is the repository (NULL: none): conditional includes depend on
 * it.
 */
struct str git_identity(struct arena *a, const struct git_place *place, struct str home);
