/*
 * A pool of pipes for splice(2). A direction of a connection takes a pipe only while it has bytes on the way,
 * so thousands of quiet connections need none.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define RELAY_PIPES_MAX 2048 /* two for each connection */
#define RELAY_PIPES_IDLE 32  /* kept open for the next direction */
/* Pipes of a megabyte: the kernel counts their pages for each user and stops at 64 MB by default. */
#define RELAY_PIPES_LARGE 16
#define RELAY_PIPE_BYTES ((size_t)1 << 20)
/* Bytes in any other pipe, which could hold more: together the pipes of slow readers hold 144 MB at most. */
#define RELAY_PIPE_SMALL ((size_t)1 << 16)

struct relay_pipe {
	int in, out; /* write end, read end */
	size_t n;    /* bytes in it */
	bool large;
	struct relay_pipe *next; /* of the free list */
};

struct relay_pipes { /* zeroed: no pipe is open */
	struct relay_pipe pipes[RELAY_PIPES_MAX];
	struct relay_pipe *idle; /* open and empty */
	struct relay_pipe *closed;
	size_t used; /* elements that were ever in use */
	size_t nidle, nlarge;
};

/* NULL if the system has no more: the caller waits until another direction gives one back. */
struct relay_pipe *relay_pipe_take(struct relay_pipes *p);
/* A pipe with bytes in it is closed, so that nobody else sees them. */
void relay_pipe_give(struct relay_pipes *p, struct relay_pipe *pipe);
