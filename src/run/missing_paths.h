/* Finds paths that a failed program missed in its box and that exist outside of it. */
#pragma once
#include "run/run.h"

/*
 * Returns the text of a hint about paths that messages name as missing, or an empty text. If messages
 * complain and name none, the project's manifests may. Only what these name is looked up, and places of keys,
 * of Caisson's own files and of the kernel never are: a program in a box that prints names learns nothing
 * about them.
 */
struct str missing_paths_hint(struct arena *a, const struct run *r, struct str messages);
/*
 * Returns the first word of the command that names a file or directory in the caller's working directory, if
 * the box shows no workspace and a message says that something was not found. Empty: there is none.
 */
struct str missing_here(struct arena *a, const struct run *r, struct str messages);
/* True if a program of this name, or at this path, exists outside of the box and is not seen in it. */
bool missing_program(struct arena *a, const struct run *r, struct str name);
/* The same for any word of the lines that say that something was not found. */
bool missing_programs_named(struct arena *a, const struct run *r, struct str messages);
