/*
 * The caller's identity in git. A box does not see ~/.gitconfig, which may hold credentials, aliases and
 * programs to run; but `git commit` needs a name. So the few keys that identify a person are read from it and
 * written to a new file.
 */
#pragma once
#include "sys/git_view.h"

/*
 * user.name, user.email and init.defaultBranch from the configurations of the person and of the system, as
 * configuration text; empty: none set. `place` is the repository for which they hold (NULL: none): includes
 * may depend on it.
 */
struct str git_identity(struct arena *a, const struct git_place *place, struct str home);
