/*
 * The caller: user name, home directory, working directory.
 *
 * The program is linked statically, so it parses /etc/passwd itself. $HOME counts only if it names a
 * directory that the caller owns: whoever sets the environment of a hook must not be able to move the policy
 * to a place of theirs.
 */
#pragma once
#include <sys/types.h>

#include "base/str.h"

struct stamp_cache;

struct user {
	uid_t uid;
	struct str name; /* the uid in decimal if /etc/passwd has no entry */
	struct str home; /* absolute path; empty if unknown */
	struct str entry; /* home of the passwd entry, regardless of $HOME */
	struct str shell; /* login shell of that entry; empty if unknown */
};

/*
 * Looks up a user in the text of a password database: by name, or by uid if the name is empty. True and *ret
 * (slices of `passwd`) if found.
 */
bool passwd_find(struct str passwd, struct str name, uid_t uid, struct user *ret);
/* Returns the caller. `env_home` is the value of $HOME, or NULL. `stamps` keeps /etc/passwd, or is NULL. */
int user_self(struct arena *a, struct stamp_cache *stamps, const char *env_home, struct user *ret,
		struct err *e);
/* Returns the absolute working directory. */
int cwd_get(struct arena *a, struct str *ret, struct err *e);
