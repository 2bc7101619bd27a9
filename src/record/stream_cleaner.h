/*
 * Cleans parts of a stream (struct stream) for people and agents: removes secrets, and works in chunks, so
 * that memory use does not depend on their length.
 *
 *     raw bytes ─► normaliser (or not) ─► redactor ─► take()
 */
#pragma once
#include "model/outcome.h"
#include "result/normalise.h"
#include "result/redact.h"

enum stream_part {
	PART_HEAD,    /* the next text is missing: leaves out bytes that may begin a secret */
	/* not passed on itself; a secret that begins in it is found in the part that must follow directly */
	PART_CONTEXT,
	PART_END,     /* the end of the stream */
};

struct stream_cleaner {
	struct arena *a;
	struct redactor *redactor;
	bool as_is;              /* redact the bytes without normalising them */
	bool timestamps;         /* Unix times in prose become ISO 8601 */
	struct sanitized counts; /* for the bytes passed on */
	uint64_t unseen;         /* secrets inside contexts only; redactor_count() includes them */
	/* undecided bytes at the end of the last part, which were not passed on */
	size_t left_out;
	char *raw;
	struct buf plain, out;
};

typedef void stream_cleaner_take(void *ctx, struct str text);

struct stream_extent { /* the part that was read */
	uint64_t at;             /* end offset; earlier than requested only after a read error */
	uint64_t newlines;
};

void stream_cleaner_init(struct stream_cleaner *c, struct arena *a, struct redactor *r);
/* Passes bytes [from, to) of the stream. Bytes before stream_from() come from its beginning in memory. */
struct stream_extent stream_cleaner_pass(struct stream_cleaner *c, const struct stream *s, uint64_t from,
		uint64_t to, enum stream_part part, stream_cleaner_take *take, void *ctx);
/*
 * Reads the context of a part that starts at `at`: the bytes before it. Does nothing at the start of the
 * stream.
 */
void stream_cleaner_context(struct stream_cleaner *c, const struct stream *s, uint64_t at);
