/*
 * Reading what a program wrote (struct stream), whether it is in memory or in its file. These are raw bytes:
 * nothing of them may go where an agent could read it before it is redacted.
 */
#pragma once
#include "model/outcome.h"

/*
 * Up to n bytes of the stream from `at` on into buf, for `at` from stream_from() to stream_to(). How many; 0
 * at the end; -1.
 */
ptrdiff_t stream_read(const struct stream *s, uint64_t at, char *buf, size_t n, struct err *e);
/* A copy of the last n bytes, or of as many as there are. Empty when the file cannot be read. */
struct str stream_tail(struct arena *a, const struct stream *s, size_t n);
/* The stream is as if nothing had been kept but its beginning. */
void stream_close(struct stream *s);

/* For who makes one: bytes to their place in the file, after `at` bytes before them. */
int stream_put(int file, uint64_t at, struct str bytes, struct err *e);
