/*
 * Disk space of a directory that programs in a box write, summed up from outside. Watching is not enforcing:
 * between two looks a program can write more, and files without a name or in directories that nobody can list
 * are not seen.
 */
#pragma once
#include <stdint.h>

#define WATCH_DISK_DEPTH_MAX 128 /* levels of directories; a deeper tree counts as too large */
#define WATCH_DISK_ENTRY 4096    /* each name counts at least as much */

/* Stops as soon as the sum is above `limit`. Follows no links. Takes no memory. */
uint64_t watch_disk(const char *path, uint64_t limit);
/*
 * Free bytes on the file system of a path, and WATCH_DISK_ENTRY for each free inode; UINT64_MAX: not known.
 */
uint64_t watch_free(const char *path);
