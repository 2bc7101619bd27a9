/*
 * Output of a box. The program has the write end of a pipe and nothing else: there is no name it could replace by a link. What is read goes to
 * a buffer, and once that is full to a file in memory that has no name either.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <unistd.h>

#include "box/ns.h"
#include "sys/file.h"

void capture_start(struct capture *c, int fd, int pass, uint64_t max)
{
	c->fd = fd;
	c->pass = pass;
	c->file = -1;
	c->total = 0;
	c->max = max;
	c->n = c->waiting = c->passed = 0;
}

/*
 * Passing on must not block: whoever reads slowly would stop the clock of the box. So a chunk waits until there is room, and nothing more is
 * taken from the program meanwhile. A pipe that is ready takes PIPE_BUF bytes without blocking. A reader that went away must not end the
 * program: the report still wants the rest.
 */
static void pass_on(struct capture *c, bool wait)
{
	while (c->pass >= 0 && c->passed < c->waiting) {
		size_t left = c->waiting - c->passed;
		struct pollfd p = {.fd = c->pass, .events = POLLOUT};
		ssize_t n;

		if (poll(&p, 1, wait ? -1 : 0) <= 0)
			return;
		n = write(c->pass, c->chunk + c->passed, left < PIPE_BUF ? left : PIPE_BUF);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			c->pass = -1;
		else
			c->passed += (size_t)n;
	}
	c->waiting = c->passed = 0;
}

struct pollfd capture_poll(const struct capture *c)
{
	if (c->waiting)
		return (struct pollfd){.fd = c->pass, .events = POLLOUT};
	return (struct pollfd){.fd = c->fd, .events = POLLIN};
}

static int keep(struct capture *c, struct str s)
{
	struct err e;

	if (c->file < 0 && c->n + s.n <= sizeof(c->head)) {
		memcpy(c->head + c->n, s.p, s.n);
		c->n += s.n;
		return 0;
	}
	if (c->file < 0) {
		c->file = memfd_create("output", MFD_CLOEXEC);
		if (c->file < 0 || fd_write_all(c->file, "output", str_n(c->head, c->n), &e) != 0)
			return -1;
	}
	return fd_write_all(c->file, "output", s, &e);
}

bool capture_take(struct capture *c, bool all)
{
	pass_on(c, all);
	while (c->fd >= 0 && !c->waiting) {
		ssize_t got = read(c->fd, c->chunk, sizeof(c->chunk));
		uint64_t room = c->max > c->total ? c->max - c->total : 0;
		size_t kept;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 && errno == EAGAIN)
			break;
		if (got <= 0) {
			fd_close(&c->fd);
			break;
		}
		c->total += (uint64_t)got;
		kept = (uint64_t)got < room ? (size_t)got : (size_t)room;
		if (kept && keep(c, str_n(c->chunk, kept)) != 0)
			return false;
		c->waiting = c->pass >= 0 ? kept : 0;
		pass_on(c, all);
		if (c->total > c->max)
			return false;
		if (!all && (size_t)got < sizeof(c->chunk))
			break; /* others want to be looked at as well; poll will say when there is more */
	}
	return true;
}

int capture_end(struct arena *a, struct capture *c, struct stream *ret, struct err *e)
{
	FD_CLEANUP int file = c->file;
	off_t n;

	c->file = -1;
	fd_close(&c->fd);
	ret->total = c->total;
	if (file < 0) {
		ret->text = str_dup(a, str_n(c->head, c->n));
		return 0;
	}
	n = lseek(file, 0, SEEK_END);
	if (n < 0 || lseek(file, 0, SEEK_SET) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot read back the output");
	return fd_read_all(a, file, "output", (size_t)n, &ret->text, e);
}
