/*
 * Paths that lead to an open file: /dev/fd/N, /dev/stdin and its kin, /proc/PID/fd/N,
 * /proc/PID/task/TID/fd/N.
 */
#pragma once
#include "base/str.h"

enum descriptor {
	DESCRIPTOR_NONE,
	DESCRIPTOR_ITSELF,
	/* in the directory that was opened, wherever that is: also with a slash at the end */
	DESCRIPTOR_BELOW,
};

/*
 * Tells how an absolute path uses a descriptor. `..` before the descriptor is resolved as text; behind it,
 * only the kernel knows where `..` leads.
 */
enum descriptor path_descriptor(struct str path);
