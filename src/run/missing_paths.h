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
