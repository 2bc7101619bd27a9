/*
 * Reads the output of a program (struct stream), from memory or from its file. These are raw bytes: nothing
 * may go where an agent could read it before redaction.
 */
#pragma once
#include "model/outcome.h"

/*
 * Copies up to n bytes of the stream from `at` on, which must be from stream_from() to stream_to(). Returns
 * their number, 0 at the end, or -1 and *e.
 */
ptrdiff_t stream_read(const struct stream *s, uint64_t at, char *buf, size_t n, struct err *e);
/*
 * Returns the last n bytes, or all if there are fewer; a copy unless the stream is in memory. Empty if the
 * file cannot be read.
 */
struct str stream_tail(struct arena *a, const struct stream *s, size_t n);
/* Closes the file; only the beginning in memory remains. */
void stream_close(struct stream *s);

/* For the writer: stores bytes in the file; `at` is their offset in the stream. */
int stream_put(int file, uint64_t at, struct str bytes);
