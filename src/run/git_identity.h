/*
 * Who the caller is to git. A box does not see ~/.gitconfig, which may hold credentials, aliases and programs
 * to run; but `git commit` needs a name. So the few keys that say who somebody is are read from it and
 * written anew.
 */
#pragma once
#include "sys/git_view.h"

/*
 * What the configurations of the person and of the system say of user.name, user.email and
 * init.defaultBranch, as a text of the same kind; empty: nothing. `place` is the repository for which it
 * holds (NULL: none): includes may depend on it.
 */
struct str git_identity(struct arena *a, const struct git_place *place, struct str home);
