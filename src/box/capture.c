/*
 * Output of a box. The program has the write end of a pipe and nothing else: there is no name it could
 * replace by a link. Bytes go to a buffer and, once that is full, to a file without a name that holds the end
 * of the stream (struct stream). So memory and disk are bounded, however much the program writes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/mman.h>
#include <unistd.h>

#include "box/capture.h"
#include "sys/file.h"
#include "sys/stream.h"

#define PLACES 3
#define PIECE 4096
#define TURN_MAX 16 /* chunks at a time, so that the supervisor also gets to its clock */

/* Field by field: the struct is large, and most of it stays untouched. */
void capture_start(struct capture *c, int pass, const struct spec *s)
{
	c->pass = pass;
	c->pass_error = 0;
	c->file = -1;
	c->spool = s->spool;
	c->place = 0;
	c->lost = c->open_line = false;
	c->max = s->limits.output;
	c->total = c->kept = c->lines = c->lost_lines = 0;
	c->waiting = c->passed = 0;
	c->terminal = pass >= 0 && isatty(pass);
	c->screen = (struct terminal){0};
}

/*
 * Passing on must not block, or a slow reader would stop the clock of the box. A chunk waits until there is
 * room, and meanwhile nothing more is read from the program. A pipe that is ready takes PIPE_BUF bytes
 * without blocking. When the reader goes away, the program continues: the report still needs the rest.
 */
static void pass_on(struct capture *c, bool wait)
{
	while (c->pass >= 0 && c->passed < c->waiting) {
		size_t left = c->waiting - c->passed;
		struct pollfd p = {.fd = c->pass, .events = POLLOUT};
		ssize_t n;

		if (poll(&p, 1, wait ? -1 : 0) <= 0)
			return;
		n = write(c->pass, (c->terminal ? c->shown : c->chunk) + c->passed,
				left < PIPE_BUF ? left : PIPE_BUF);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0) {
			c->pass_error = n < 0 && errno != EPIPE ? errno : 0;
			c->pass = -1;
		} else
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

/* ---- streams that are too long for memory ---- */

/*
 * Places for the file, best first. The file has no name and cannot get one, so it does not matter who owns
 * the directory. The last place is memory, which STREAM_RING bounds as well.
 */
static int open_place(const struct capture *c, unsigned place)
{
	switch (place) {
	case 0: return c->spool ? open(c->spool, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600) : -1;
	case 1: return open("/var/tmp", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	default: return memfd_create("output", MFD_CLOEXEC);
	}
}

/* Moves the kept bytes to the next place that takes them. */
static bool move_to_next_place(struct capture *c)
{
	struct stream old = {
		.file = c->file < 0 ? 0 : c->file, .text = str_n(c->head, (size_t)c->kept), .end = c->kept,
	};

	while (c->place < PLACES) {
		int fd = open_place(c, c->place++);
		uint64_t at = stream_from(&old);
		char piece[PIECE];
		ptrdiff_t got = 1;

		while (fd >= 0 && (got = stream_read(&old, at, piece, sizeof(piece), NULL)) > 0 &&
				stream_put(fd, at, str_n(piece, (size_t)got)) == 0)
			at += (uint64_t)got;
		if (fd >= 0 && !got) {
			fd_close(&c->file);
			c->file = fd;
			return true;
		}
		fd_close(&fd);
	}
	return false;
}

static bool append_to_file(struct capture *c, struct str s)
{
	if (c->file < 0 && !move_to_next_place(c))
		return false;
	while (stream_put(c->file, c->kept, s) != 0)
		if (!move_to_next_place(c))
			return false;
	return true;
}

/* If no place takes the bytes (the disk is full), the program goes on and the missing lines are counted. */
static void keep(struct capture *c, struct str all, size_t wanted)
{
	size_t room = c->kept < sizeof(c->head) ? sizeof(c->head) - (size_t)c->kept : 0;
	struct str s = str_sub(all, 0, c->lost ? 0 : wanted);

	if ((c->file >= 0 || s.n > room) && !c->lost && !append_to_file(c, s)) {
		c->lost = true;
		s.n = c->file < 0 ? room : 0;
	}
	memcpy(c->head + (sizeof(c->head) - room), s.p, s.n < room ? s.n : room);
	c->kept += s.n;
	c->lines += str_count(s, '\n');
	c->lost_lines += str_count(str_sub(all, s.n, all.n), '\n');
	c->open_line = all.p[all.n - 1] != '\n';
}

bool capture_take(struct capture *c, bool all)
{
	pass_on(c, all);
	for (unsigned i = 0; c->fd >= 0 && !c->waiting && (all || i < TURN_MAX); i++) {
		ssize_t got = fd_read(c->fd, c->chunk, sizeof(c->chunk));
		uint64_t room = c->max > c->total ? c->max - c->total : 0;
		size_t kept;

		if (got < 0 && errno == EAGAIN)
			break;
		if (got <= 0) {
			fd_close(&c->fd);
			break;
		}
		c->total += (uint64_t)got;
		kept = (uint64_t)got < room ? (size_t)got : (size_t)room;
		keep(c, str_n(c->chunk, (size_t)got), kept);
		if (c->pass >= 0)
			c->waiting = c->terminal ? terminal_filter(&c->screen, c->chunk, kept, c->shown)
						 : kept;
		pass_on(c, all);
		if (c->total > c->max)
			return false;
		if (!all && (size_t)got < sizeof(c->chunk))
			break; /* the pipe is empty: other sources are next */
	}
	return true;
}

/* The end of the stream is kept, as STREAM_RING bounds it. */
void capture_hold(struct capture *c, int to)
{
	c->pass = to;
	c->max = UINT64_MAX;
	c->terminal = false;
	c->waiting = c->passed = 0;
}

struct stream capture_look(const struct capture *c)
{
	return (struct stream){
		.text = str_n(c->head, c->kept < sizeof(c->head) ? (size_t)c->kept : sizeof(c->head)),
		.file = c->file < 0 ? 0 : c->file,
		.end = c->kept, .total = c->total, .lines = c->lines,
		.lost_lines = c->lost_lines + (c->open_line && c->kept < c->total),
		.open_line = c->open_line, .pass_error = c->pass_error,
	};
}

void capture_end(struct capture *c, struct stream *ret)
{
	fd_close(&c->fd);
	if (c->terminal && c->pass >= 0) {
		c->waiting = terminal_end(&c->screen, c->shown);
		c->passed = 0;
		pass_on(c, false);
	}
	*ret = capture_look(c);
	c->file = -1;
}

void capture_close(struct capture *c)
{
	fd_close(&c->fd);
	fd_close(&c->file);
}
