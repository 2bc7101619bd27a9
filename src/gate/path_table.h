/*
 * Tables of file names that matter: files that programs run or obey, secrets, files that open the machine,
 * and names that other systems read differently. Pure.
 */
#pragma once
#include "gate/judge.h"

/* autorun and client files, repository internals */
bool path_table_protected(const struct judge *j, struct str path);
bool path_table_protected_start(const struct judge *j, struct str path); /* a protected path may start so */
bool path_table_protected_dir(const struct judge *j, struct str path);  /* everything in it is protected */
/* a path with holes */
bool path_table_secret_text(const struct judge *j, struct str text);
/* below: the access also reads everything in it */
bool path_table_secret(const struct judge *j, const struct where *w, bool below);
/* True if a search below `start` by this pattern of a name may find a secret of a home or of the system. */
bool path_table_secret_below(const struct judge *j, struct str start, struct str pattern);
/* True if this pattern of a whole path (with stars that match slashes) asks for a secret: STAR/.ssh/STAR. */
bool path_table_secret_anywhere(const struct judge *j, struct str pattern);
/* The same for a path on another machine or in a container, whose homes are not known. */
bool path_table_secret_elsewhere(const struct judge *j, struct str path, bool below);
bool path_table_opens_access(const struct judge *j, struct str path);   /* authorized_keys, sudoers, ... */
/* True if a path with holes is a secret when its unknown parts are empty, or names of files. */
bool path_table_secret_likely(const struct judge *j, struct str text, bool below);
/* The same for the environment of a process, which has any number. */
bool path_table_environ_likely(const struct judge *j, struct str text);
/* True if this pattern may find the environment of a process. */
bool path_table_environ_found(const struct judge *j, struct str pattern);
/* True for /proc and the directory of a process or its threads, below which environments lie. */
bool path_table_process(struct str path);
bool path_table_environ(struct str path, struct str real);              /* /proc/PID/environ */
bool path_table_odd(struct str path);
/* Returns the pattern by which this directory or file is a secret or contains one; else NULL. */
const char *path_table_keys(struct str path, struct str home);
/* True if a file of this name is a secret wherever it lies: id_rsa, .env, *.pfx. */
bool path_table_secret_name(struct str name);
/*
 * Returns the pattern by which no box may write this directory or file: a secret, a directory that programs
 * obey, or a directory that contains one. Else NULL.
 */
const char *path_table_guarded(struct str path, struct str home);
/*
 * Returns the i-th pattern of "protected", "unprotected", "secret", "open", "secret-dirs" or "access", or
 * NULL at the end. For docs/checks.md and its test.
 */
const char *path_table_pattern(const char *table, size_t i);
