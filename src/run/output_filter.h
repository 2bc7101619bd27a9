/*
 * Filters the output of a contained command on its way to the client: normalises and redacts it while it
 * comes. Afterwards is too late: most clients cannot replace the output of a command that failed, ran in the
 * background, or printed much.
 *
 * Two processes and two pipes:
 *   parent  its stdout and stderr become the write ends of the pipes
 *   child   reads the pipes, cleans the bytes, writes them to the original descriptors
 * The child ends when both pipes are closed, however the parent ends. It holds no other descriptor of the
 * parent.
 */
#pragma once
#include <sys/types.h>

#include "base/str.h"

struct output_filter {
	pid_t child; /* 0: none */
	int out, err; /* the original stdout and stderr */
};

/* `environ` is the caller's; values of variables that look like credentials are secrets. */
int output_filter_start(struct arena *a, char *const *environ, struct output_filter *ret, struct err *e);
/* Restores stdout and stderr. False: the filter failed, and a part of the output is missing. */
bool output_filter_end(struct output_filter *p);
