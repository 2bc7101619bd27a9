/* See sources.h. */
#define _GNU_SOURCE
#include "box/sources.h"

#include <errno.h>

#define NS_PER_SECOND 1000000000LL

void sources_add(struct sources *s, struct pollfd fd, source_fn *handle, void *ctx)
{
	if (fd.fd < 0)
		return;
	if (s->n < SOURCES_MAX) {
		s->fds[s->n] = (struct pollfd){.fd = fd.fd, .events = fd.events};
		s->rows[s->n] = (struct poll_handler){handle, ctx};
	}
	s->n++;
}

int sources_wait(struct sources *s, int64_t ns)
{
	struct timespec t = {.tv_sec = ns > 0 ? ns / NS_PER_SECOND : 0,
			.tv_nsec = ns > 0 ? ns % NS_PER_SECOND : 0};

	if (s->n > SOURCES_MAX) {
		errno = ENOBUFS;
		return -1;
	}
	if (ppoll(s->fds, s->n, &t, NULL) < 0)
		return errno == EINTR ? 0 : -1;
	for (size_t i = 0; i < s->n; i++)
		if (s->fds[i].revents)
			s->rows[i].handle(s->rows[i].ctx, s->fds[i].revents);
	return 0;
}
