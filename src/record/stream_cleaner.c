/* Passes parts of a stream without secrets. See stream_cleaner.h. */
#include "record/stream_cleaner.h"

#include "sys/stream.h"

#define PIECE ((size_t)16 << 10) /* raw bytes per chunk; their text can be much longer */

void stream_cleaner_init(struct stream_cleaner *c, struct arena *a, struct redactor *r)
{
	*c = (struct stream_cleaner){.a = a, .redactor = r, .raw = arena_alloc(a, PIECE)};
	buf_init(&c->plain, a, a->cap);
	buf_init(&c->out, a, a->cap);
}

static void give_out(struct stream_cleaner *c, enum stream_part part, stream_cleaner_take *take, void *ctx)
{
	if (part != PART_CONTEXT && c->out.n)
		take(ctx, buf_view(&c->out));
	c->out.n = 0;
}

static void feed_piece(struct stream_cleaner *c, struct normaliser *n, struct str piece)
{
	if (!c->as_is)
		normaliser_feed(n, piece);
	redactor_feed(c->redactor, c->as_is ? piece : buf_view(&c->plain), &c->out);
	c->plain.n = 0;
}

static void finish_part(struct stream_cleaner *c, struct normaliser *n, enum stream_part part)
{
	if (!c->as_is)
		normaliser_end(n);
	redactor_feed(c->redactor, buf_view(&c->plain), &c->out);
	c->plain.n = 0;
	c->left_out = part != PART_END ? redactor_hide(c->redactor) : 0;
	if (part != PART_CONTEXT)
		redactor_end(c->redactor, &c->out);
}

struct stream_extent stream_cleaner_pass(struct stream_cleaner *c, const struct stream *s, uint64_t from,
		uint64_t to, enum stream_part part, stream_cleaner_take *take, void *ctx)
{
	const struct normalise_options options = {.timestamps = c->timestamps};
	const struct stream beginning = {.text = s->text}, *source = from < stream_from(s) ? &beginning : s;
	struct stream_extent e = {.at = from};
	struct normaliser n;
	ptrdiff_t got;

	if (!c->as_is) {
		normaliser_start(&n, c->a, &options, &c->plain);
		n.counts = c->counts;
	}
	while (e.at < to &&
			(got = stream_read(source, e.at, c->raw, to - e.at < PIECE ? (size_t)(to - e.at) :
			PIECE, NULL)) > 0) {
		feed_piece(c, &n, str_n(c->raw, (size_t)got));
		give_out(c, part, take, ctx);
		e.newlines += str_count(str_n(c->raw, (size_t)got), '\n');
		e.at += (uint64_t)got;
	}
	finish_part(c, &n, part);
	give_out(c, part, take, ctx);
	if (!c->as_is && part != PART_CONTEXT)
		c->counts = n.counts;
	return e;
}

void stream_cleaner_context(struct stream_cleaner *c, const struct stream *s, uint64_t at)
{
	uint64_t from = stream_from(s), seen = redactor_count(c->redactor);

	if (!at)
		return;
	stream_cleaner_pass(c, s, at - from > STREAM_CONTEXT ? at - STREAM_CONTEXT : from, at, PART_CONTEXT,
			NULL, NULL);
	c->unseen += redactor_count(c->redactor) - seen;
}
