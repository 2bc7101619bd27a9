/*
 * Parts of a stream (struct stream) on their way to where people and agents read them: in pieces, so that
 * memory stays the same however long they are, and without secrets.
 *
 *     raw bytes ─► normaliser (or not) ─► redactor ─► take()
 */
#pragma once
#include "model/outcome.h"
#include "result/normalise.h"
#include "result/redact.h"

enum stream_part {
	PART_HEAD,    /* what follows it is not there: at its end, what may be half a secret is left out */
	/*
	 * nothing of it is given out, but a secret that begins in it is seen in the part that follows, which
	 * must be the next
	 */
	PART_CONTEXT,
	PART_END,     /* nothing follows it */
};

struct stream_cleaner {
	struct arena *a;
	struct redactor *redactor;
	bool as_is;              /* bytes are redacted as they are, and not normalised */
	bool timestamps;         /* Unix times in prose become ISO 8601 */
	struct sanitized counts; /* of what was given out */
	uint64_t unseen;         /* secrets that were only in contexts; redactor_count() has them as well */
	/* bytes at the end of the last part that are undecided, and so are not given out */
	size_t left_out;
	char *raw;
	struct buf plain, out;
};

typedef void stream_cleaner_take(void *ctx, struct str text);

struct stream_extent { /* what was read */
	uint64_t at;             /* up to here: earlier than asked only when it cannot be read */
	uint64_t newlines;
};

void stream_cleaner_init(struct stream_cleaner *c, struct arena *a, struct redactor *r);
/* Bytes [from, to) of the stream. Bytes before stream_from() come from its beginning in memory. */
struct stream_extent stream_cleaner_pass(struct stream_cleaner *c, const struct stream *s, uint64_t from,
		uint64_t to, enum stream_part part, stream_cleaner_take *take, void *ctx);
/* The context of a part that starts at `at`: the bytes before it. Empty at the start of the stream. */
void stream_cleaner_context(struct stream_cleaner *c, const struct stream *s, uint64_t at);
