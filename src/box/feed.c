/*
 * Standard input of a box. The program gets a pipe, never the caller's descriptor: a file could be opened
 * once more through /proc/self/fd, for writing; a directory leads out of the box; a terminal is a way to its
 * user.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include "box/feed.h"
#include "sys/file.h"

void feed_start(struct feed *f, int from)
{
	if (from < 0)
		fd_close(&f->to);
	f->from = from;
	f->n = f->at = 0;
}

struct pollfd feed_poll(const struct feed *f)
{
	if (f->to < 0)
		return (struct pollfd){.fd = -1};
	return f->n ? (struct pollfd){.fd = f->to, .events = POLLOUT}
		    : (struct pollfd){.fd = f->from, .events = POLLIN};
}

static void write_chunk(struct feed *f)
{
	ssize_t put = write(f->to, f->chunk + f->at, f->n - f->at);

	if (put < 0 && errno != EAGAIN && errno != EINTR)
		fd_close(&f->to); /* the program closed its end */
	f->at += put > 0 ? (size_t)put : 0;
	if (f->at == f->n)
		f->n = f->at = 0;
}

void feed_step(struct feed *f)
{
	ssize_t got;

	if (f->to < 0)
		return;
	if (!f->n) {
		got = read(f->from, f->chunk, sizeof(f->chunk));
		if (got < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (got <= 0) {
			fd_close(&f->to);
			return;
		}
		f->n = (size_t)got;
	}
	write_chunk(f);
}
