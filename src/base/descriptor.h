/*
 * Paths that lead to an open file: /dev/fd/N, /dev/stdin and the like, /proc/PID/fd/N,
 * /proc/PID/task/TID/fd/N.
 */
#pragma once
#include "base/str.h"

enum descriptor {
	DESCRIPTOR_NONE,
	DESCRIPTOR_ITSELF,
	/* below the opened directory, wherever that is; also for a trailing slash */
	DESCRIPTOR_BELOW,
};

/*
 * Returns how an absolute path uses a descriptor. `..` before the descriptor is resolved as text; after it,
 * only the kernel knows where `..` leads.
 */
enum descriptor path_descriptor(struct str path);
