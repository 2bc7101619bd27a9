/*
 * Filters the output of a contained command on its way to the client: normalised and without secrets, as it
 * comes. Afterwards would be too late: most clients cannot replace the output of a command that failed, ran
 * in the background, or printed much.
 *
 * Two processes and two pipes. Our standard output and error become pipes to a child, which cleans the bytes
 * and writes them to the original descriptors. The child ends when both pipes are closed, whatever ends this
 * process; it holds no other descriptor of ours.
 */
#pragma once
#include <sys/types.h>

#include "base/str.h"

struct output_filter {
	pid_t child; /* 0: none */
	int out, err; /* where standard output and error led */
};

/* `environ`: of the caller; values of variables that look like credentials are secrets. */
int output_filter_start(struct arena *a, char *const *environ, struct output_filter *ret, struct err *e);
/*
 * Standard output and error are what they were. False: the filter failed, and a part of the output is
 * missing.
 */
bool output_filter_end(struct output_filter *p);
