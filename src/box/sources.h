/*
 * Poll sources: the descriptors that a loop waits for, each with the function that handles it.
 *
 * A loop builds the array anew for every turn, because it waits for other things when a box is being killed
 * or when a reader is slow. Handlers run in the order in which the sources were added.
 */
#pragma once
#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#define SOURCES_MAX 16

/* Called with what poll() returned for the descriptor, never with 0. */
typedef void source_fn(void *ctx, short revents);

struct poll_handler {
	source_fn *handle;
	void *ctx;
};

struct sources { /* zeroed: empty */
	struct pollfd fds[SOURCES_MAX];
	struct poll_handler rows[SOURCES_MAX]; /* of the descriptor with the same index */
	size_t n;                        /* more than SOURCES_MAX: some did not fit */
};

/* A descriptor below 0 adds nothing. */
void sources_add(struct sources *s, struct pollfd fd, source_fn *handle, void *ctx);
/*
 * Waits until a source is ready or `ns` nanoseconds are over, and calls the handlers of those that are ready.
 * A signal ends the wait early. -1 with errno when waiting is impossible.
 */
int sources_wait(struct sources *s, int64_t ns);
