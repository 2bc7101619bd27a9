/*
 * Who the caller is to git. A box does not see ~/.gitconfig, which may hold credentials, aliases and programs to run; but `git commit` needs a
 * name. So the few keys that say who somebody is are read from it and written anew.
 */
#pragma once
#include "base/str.h"

#define GITCONFIG_BYTES_MAX ((size_t)1 << 20)

/* What a git configuration's text says of user.name, user.email and init.defaultBranch, as a text of the same kind; empty: nothing. */
struct str gitconfig_identity(struct arena *a, struct str text);
