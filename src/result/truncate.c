/* Truncation to head and tail. See truncate.h. */
#define _GNU_SOURCE
#include "result/truncate.h"

#include "base/utf8.h"

static bool inside_character(struct str s, size_t at)
{
	return at < s.n && utf8_continues(s.p[at]);
}

/*
 * Returns the length of as many whole lines as fit in `most` bytes; of whole characters if the first line
 * alone is longer.
 */
static size_t head_bytes(struct str s, size_t most)
{
	const char *nl;

	if (most >= s.n)
		return s.n;
	nl = most ? memrchr(s.p, '\n', most) : NULL;
	if (nl)
		return (size_t)(nl - s.p) + 1;
	for (unsigned i = 0; i < 3 && most && inside_character(s, most); i++)
		most--;
	return most;
}

/* The same from the end; returns the start offset. */
static size_t tail_bytes(struct str s, size_t most)
{
	size_t at = s.n - (most < s.n ? most : s.n);
	const char *nl;

	if (!at || s.p[at - 1] == '\n')
		return at;
	nl = at < s.n ? memchr(s.p + at, '\n', s.n - at) : NULL;
	if (nl && nl + 1 < s.p + s.n)
		return (size_t)(nl - s.p) + 1;
	for (unsigned i = 0; i < 3 && inside_character(s, at); i++)
		at++;
	return at;
}

static size_t head_lines(struct str s, size_t n)
{
	size_t at = 0;

	while (n-- && at < s.n) {
		const char *nl = memchr(s.p + at, '\n', s.n - at);

		at = nl ? (size_t)(nl - s.p) + 1 : s.n;
	}
	return at;
}

static size_t tail_lines(struct str s, size_t n)
{
	size_t at = s.n;

	while (n-- && at) {
		const char *nl = at > 1 ? memrchr(s.p, '\n', at - 1) : NULL;

		at = nl ? (size_t)(nl - s.p) + 1 : 0;
	}
	return at;
}

void truncator_start(struct truncator *t, struct arena *a, const struct truncate_options *o)
{
	*t = (struct truncator){.a = a, .o = *o};
	if (!t->o.max)
		t->o.max = o->head || o->tail ? TRUNCATE_LINES_MAX : TRUNCATE_DEFAULT;
	t->room = t->o.max + 1;
	buf_init(&t->head, a, t->room);
}

static void push_bytes(struct truncator *t, struct str s)
{
	if (s.n > t->room)
		s = str_sub(s, s.n - t->room, s.n);
	if (t->ntail + s.n > 2 * t->room) {
		memmove(t->tail, t->tail + (t->ntail - t->room), t->room);
		t->ntail = t->room;
	}
	if (s.n)
		memcpy(t->tail + t->ntail, s.p, s.n);
	t->ntail += s.n;
}

static void start_tail(struct truncator *t)
{
	t->tail = arena_alloc(t->a, 2 * t->room);
	if (!t->gap)
		push_bytes(t, buf_view(&t->head));
}

void truncator_feed(struct truncator *t, struct str piece)
{
	size_t left = t->gap ? 0 : t->room - t->head.n, taken = piece.n < left ? piece.n : left;

	if (!piece.n)
		return;
	t->bytes += piece.n;
	t->newlines += str_count(piece, '\n');
	t->last = piece.p[piece.n - 1];
	if (t->tail)
		push_bytes(t, piece);
	buf_add(&t->head, piece.p, taken);
	if (t->tail || taken == piece.n)
		return;
	start_tail(t);
	push_bytes(t, str_sub(piece, taken, piece.n));
}

void truncator_gap(struct truncator *t, uint64_t bytes, bool ended)
{
	if (!bytes)
		return;
	t->bytes += bytes;
	t->last = ended ? '\n' : 0;
	t->gap = true;
	t->gap_ended = ended;
	t->ntail = 0;
	if (!t->tail)
		start_tail(t);
}

void truncator_gap_newlines(struct truncator *t, uint64_t n)
{
	if (t->gap)
		t->newlines += n;
}

struct ends { /* the shown text: the first bytes of the head, and the tail from an offset on */
	struct str head, tail;
	size_t to, from;
};

static uint64_t count_shown(const struct ends *e) { return (uint64_t)e->to + (e->tail.n - e->from); }

/* Computes where to cut the text. False if all of it is shown. */
static bool cut_ends(const struct truncator *t, struct ends *e)
{
	size_t max = t->o.max, first = t->o.failed ? max / 4 : max / 2;

	if (t->o.head || t->o.tail) {
		e->to = head_lines(e->head, t->o.head);
		e->from = tail_lines(e->tail, t->o.tail);
		if (count_shown(e) <= max || t->bytes <= max)
			return count_shown(e) < t->bytes;
	}
	if (!t->gap && t->bytes <= max)
		return false;
	e->to = head_bytes(e->head, first);
	e->from = tail_bytes(e->tail, max - (e->to < first ? e->to : first));
	return true;
}

struct str truncator_end(struct truncator *t, struct truncated *ret)
{
	struct ends e = {.head = buf_view(&t->head)};
	struct str left;
	struct buf b;

	e.tail = t->tail ? str_n(t->tail + (t->ntail > t->room ? t->ntail - t->room : 0),
			t->ntail > t->room ? t->room : t->ntail) : e.head;
	*ret = (struct truncated){.total_bytes = t->bytes, .total_lines = t->newlines +
			(t->bytes && t->last != '\n')};
	if (!cut_ends(t, &e))
		return e.head;
	left = str_sub(e.tail, e.from, e.tail.n);
	ret->is = true;
	ret->omitted_bytes = t->bytes - count_shown(&e);
	ret->omitted_lines = t->newlines - str_count(str_sub(e.head, 0, e.to), '\n') - str_count(left, '\n') +
			!(e.from ? e.tail.p[e.from - 1] == '\n' : t->gap_ended);
	buf_init(&b, t->a, e.to + left.n + TRUNCATE_MARKER_MAX);
	buf_add(&b, e.head.p, e.to);
	if (e.to && e.head.p[e.to - 1] != '\n')
		buf_char(&b, '\n');
	buf_fmt(&b, "... truncated (%llu more lines) ...\n", (unsigned long long)ret->omitted_lines);
	buf_str(&b, left);
	return buf_view(&b);
}

struct str truncate_text(struct arena *a, struct str text, const struct truncate_options *o,
		struct truncated *ret)
{
	struct truncator t;
	struct str s;

	truncator_start(&t, a, o);
	truncator_feed(&t, text);
	s = truncator_end(&t, ret);
	return ret->is ? s : text;
}
