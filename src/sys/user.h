/*
 * The caller: user name, home directory, working directory.
 *
 * The program is linked statically, so the password database is /etc/passwd, parsed here. $HOME counts only
 * if it names a directory that the caller owns: somebody who sets the environment of a hook must not be able
 * to move the policy to a place of theirs.
 */
#pragma once
#include <sys/types.h>

#include "base/str.h"

struct user {
	uid_t uid;
	struct str name; /* the uid in decimal when the database does not know it */
	struct str home; /* absolute; empty when not known */
	struct str entry; /* the same as the database has it, whatever $HOME says */
	struct str shell; /* the login shell of that entry; empty when not known */
};

/*
 * One look-up in the text of a password database: by name, or by uid when name is empty. True and *ret
 * (slices of `passwd`) when found.
 */
bool passwd_find(struct str passwd, struct str name, uid_t uid, struct user *ret);
/* The caller. `env_home` is the value of $HOME, or NULL. */
int user_self(struct arena *a, const char *env_home, struct user *ret, struct err *e);
/* The working directory, absolute. */
int cwd_get(struct arena *a, struct str *ret, struct err *e);
