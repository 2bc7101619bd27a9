/* Standard input of a box: bytes of the caller's descriptor, pumped into a pipe. */
#pragma once
#include <poll.h>
#include <stddef.h>

#define FEED_CHUNK 65536

struct feed { /* `to` is -1 before feed_start() */
	int from;                  /* the caller's descriptor */
	int to;                    /* the write end of the program's pipe; -1: EOF was sent */
	size_t n, at;              /* bytes in chunk, and how many are written */
	char chunk[FEED_CHUNK];
};

/* Starts to pump from this descriptor; below 0 the program sees EOF at once. */
void feed_start(struct feed *f, int from);
/* The event to poll for: bytes to read, or room to write them. */
struct pollfd feed_poll(const struct feed *f);
/* Moves one chunk a step on. */
void feed_step(struct feed *f);
