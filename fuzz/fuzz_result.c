/*
 * libFuzzer: normalising, redaction, truncation. The first byte says how large the pieces are, the second how
 * much is shown. Holds: no crash; the text is UTF-8; normalising twice is normalising once; pieces make no
 * difference; counts add up; an exact value never stays.
 */
#include "base/utf8.h"
#include "fuzz.h"
#include "result/normalise.h"
#include "result/redact.h"
#include "result/truncate.h"

#define TEXT_MAX 65536

struct input {
	struct arena *a;
	size_t piece, max;
	struct str raw;
};

static const struct normalise_options options = {.timestamps = true};
static const struct str secret = {"tr0ub4dor", 9};

/* in base64 behind 0, 1 and 2 bytes, in hexadecimal, backwards */
static const char *const encoded[] = {"dHIwdWI0ZG9y", "RyMHViNGRvc", "0cjB1YjRkb3", "747230756234646f72",
		"74 72 30 75 62 34 64 6f 72", "rod4bu0rt"};

static uint64_t total(const struct sanitized *s)
{
	return s->ansi + s->osc + s->control + s->cr + s->backspace + s->nul + s->bad_utf8 + s->bidi +
			s->tags + s->invisible;
}

static struct str normalised(struct input *in)
{
	struct sanitized whole, again;
	struct str text = normalise_text(in->a, in->raw, &options, &whole),
			second = normalise_text(in->a, text, &options, &again);
	struct normaliser n;
	struct buf out;

	require(utf8_valid(text));
	require(str_eq(text, second));
	require(total(&again) + again.timestamps + again.markers == 0);
	require(total(&whole) <= in->raw.n);
	require((total(&whole) + whole.timestamps + whole.markers == 0) == str_eq(text, in->raw));
	buf_init(&out, in->a, 0);
	normaliser_start(&n, in->a, &options, &out);
	for (size_t i = 0; i < in->raw.n; i += in->piece)
		normaliser_feed(&n, str_sub(in->raw, i, i + in->piece));
	normaliser_end(&n);
	require(str_eq(buf_view(&out), text));
	require(memcmp(&n.counts, &whole, sizeof(whole)) == 0);
	return text;
}

static struct str redacted(struct input *in, struct str text)
{
	struct redactor *r = redactor_new(in->a, &secret, 1);
	uint64_t count;
	struct str clean = redact_text(in->a, r, text, &count);
	struct buf out;

	require(utf8_valid(clean));
	require(!str_contains(clean, secret));
	for (size_t i = 0; i < ARRAY_SIZE(encoded); i++)
		require(!str_contains(clean, str_of(encoded[i])));
	require(count != 0 || str_eq(clean, text));
	buf_init(&out, in->a, 0);
	r = redactor_new(in->a, &secret, 1);
	for (size_t i = 0; i < text.n; i += in->piece)
		redactor_feed(r, str_sub(text, i, i + in->piece), &out);
	redactor_end(r, &out);
	require(str_eq(buf_view(&out), clean));
	require(redactor_count(r) == count);
	return clean;
}

static void truncated(struct input *in, struct str text)
{
	for (unsigned k = 0; k < 4; k++) {
		struct truncate_options o = {.max = in->max, .failed = k & 1, .head = k & 2 ? in->max % 5 : 0,
				.tail = k & 2 ? in->max % 7 : 0};
		struct truncated t;
		struct str s = truncate_text(in->a, text, &o, &t);
		struct truncated in_pieces;
		struct truncator cutter;

		require(utf8_valid(s));
		require(t.total_bytes == text.n);
		require(t.is || str_eq(s, text));
		require(!t.is == !t.omitted_bytes && !t.is == !t.omitted_lines);
		require(o.head || o.tail || t.total_bytes - t.omitted_bytes <= in->max);
		require(t.omitted_lines <= t.total_lines);
		require(s.n <= t.total_bytes - t.omitted_bytes + TRUNCATE_MARKER_MAX);
		truncator_start(&cutter, in->a, &o);
		for (size_t i = 0; i < text.n; i += in->piece)
			truncator_feed(&cutter, str_sub(text, i, i + in->piece));
		require(str_eq(truncator_end(&cutter, &in_pieces), s));
		require(in_pieces.omitted_bytes == t.omitted_bytes &&
				in_pieces.omitted_lines == t.omitted_lines);
	}
}

static int run(void *arg)
{
	struct input *in = arg;

	truncated(in, redacted(in, normalised(in)));
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct input in;

	if (size < 2 || size > TEXT_MAX)
		return 0;
	arena_init(&a, (size_t)256 << 20);
	in = (struct input){&a, 1 + data[0] % 97, 1 + data[1], str_n((const char *)data + 2, size - 2)};
	(void)arena_run(&a, run, &in);
	arena_free(&a);
	return 0;
}
