/*
 * Names that matter: files that programs run or obey, secrets, what opens the machine, and names that other
 * systems read differently. Pure.
 */
#pragma once
#include "gate/judge.h"

/* auto-run and client files, repository internals */
bool path_table_protected(const struct judge *j, struct str path);
bool path_table_protected_start(const struct judge *j, struct str path); /* a protected path may start so */
bool path_table_protected_dir(const struct judge *j, struct str path);  /* all that is in it is */
/* a path with holes, by what is known of it */
bool path_table_secret_text(const struct judge *j, struct str text);
/* below: anything in it is read, too */
bool path_table_secret(const struct judge *j, const struct where *w, bool below);
bool path_table_opens_access(const struct judge *j, struct str path);   /* authorized_keys, sudoers, ... */
bool path_table_environ(struct str path, struct str real);              /* /proc/PID/environ */
bool path_table_odd(struct str path);
/*
 * A directory or file that no box may write: a secret of the tables, a directory that programs obey, or
 * what holds one. The pattern that says so, or NULL.
 */
const char *path_table_guarded(struct str path, struct str home);
/*
 * The patterns themselves, for docs/checks.md and its test: the i-th of "protected", "unprotected", "secret",
 * "open", "secret-dirs", "access"; NULL: none.
 */
const char *path_table_pattern(const char *table, size_t i);
