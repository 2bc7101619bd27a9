/* Trees of directories that a boxed program has made: removed and counted without following a link. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/*
 * Removes a file or directory with everything in it. Changes the modes of directories that cannot be read.
 * Never leaves the directory or its file system. A missing name is no error. -1: something is left.
 */
int tree_remove(int dir, const char *name);
/*
 * True if this is a directory, and nothing in it means something special in the upper layer of an overlay: no
 * device, no attribute user.overlay.*. False also where that is not known: the tree is too deep or too large,
 * or cannot be read.
 */
bool tree_is_plain(int dir, const char *name);
