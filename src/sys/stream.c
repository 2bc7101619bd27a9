/* Reads and writes streams of a program: see stream.h. */
#define _GNU_SOURCE
#include "sys/stream.h"

#include <errno.h>
#include <unistd.h>

#include "sys/file.h"

/* Returns how many of n bytes are contiguous in the ring file. */
static size_t in_one_piece(uint64_t at, size_t n)
{
	uint64_t left = STREAM_RING - at % STREAM_RING;

	return n < left ? n : (size_t)left;
}

ptrdiff_t stream_read(const struct stream *s, uint64_t at, char *buf, size_t n, struct err *e)
{
	uint64_t to = stream_to(s);
	ssize_t got;

	if (at >= to)
		return 0;
	if (n > to - at)
		n = (size_t)(to - at);
	if (!s->file) {
		memcpy(buf, s->text.p + at, n);
		return (ptrdiff_t)n;
	}
	got = fd_read_at(s->file, buf, in_one_piece(at, n), (off_t)(at % STREAM_RING));
	if (got <= 0)
		return err_set(e, ERR_SYSTEM, got < 0 ? errno : EIO, "cannot read back the output");
	return got;
}

struct str stream_tail(struct arena *a, const struct stream *s, size_t n)
{
	uint64_t from = stream_from(s), to = stream_to(s), at = to - from > n ? to - n : from;
	char *p;
	size_t have = 0;
	ptrdiff_t got;

	if (!s->file)
		return str_sub(s->text, (size_t)at, (size_t)to);
	p = arena_alloc(a, (size_t)(to - at));
	while ((got = stream_read(s, at + have, p + have, (size_t)(to - at) - have, NULL)) > 0)
		have += (size_t)got;
	return got < 0 ? STR("") : str_n(p, have);
}

void stream_close(struct stream *s)
{
	int fd = s->file ? s->file : -1;

	fd_close(&fd);
	s->file = 0;
}

int stream_put(int file, uint64_t at, struct str bytes)
{
	while (bytes.n) {
		ssize_t put = pwrite(file, bytes.p, in_one_piece(at, bytes.n), (off_t)(at % STREAM_RING));

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return -1;
		at += (uint64_t)put;
		bytes = str_from(bytes, (size_t)put);
	}
	return 0;
}
