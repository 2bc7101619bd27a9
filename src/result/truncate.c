/* See truncate.h. */
#define _GNU_SOURCE
#include "result/truncate.h"

/* A last line without a newline counts as one. */
static uint64_t lines(struct str s)
{
	uint64_t n = 0;

	for (const char *p = s.p, *end = s.p + s.n; p < end; n++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		p = nl ? nl + 1 : end;
	}
	return n;
}

static bool inside_character(struct str s, size_t at) { return at < s.n && ((unsigned char)s.p[at] & 0xC0) == 0x80; }

/* The end of as many whole lines as `most` bytes hold; of as many whole characters when the first line alone is longer. */
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

/* The same from the end: where it starts. */
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

struct str truncate_text(struct arena *a, struct str text, const struct truncate_options *o, struct truncated *ret)
{
	size_t max = o->max ? o->max : TRUNCATE_DEFAULT, first = o->failed ? max / 4 : max / 2, head, tail;
	struct truncated t = {.total_bytes = text.n, .total_lines = lines(text)};
	struct str left_out;
	struct buf b;

	if (o->head || o->tail) {
		head = head_lines(text, o->head);
		tail = tail_lines(text, o->tail);
	} else {
		head = text.n > max ? head_bytes(text, first) : text.n;
		tail = tail_bytes(text, max - (head < first ? head : first));
	}
	*ret = t;
	if (head >= tail)
		return text;
	left_out = str_sub(text, head, tail);
	ret->is = true;
	ret->omitted_bytes = left_out.n;
	ret->omitted_lines = lines(left_out);
	buf_init(&b, a, text.n + TRUNCATE_MARKER_MAX);
	buf_add(&b, text.p, head);
	if (head && text.p[head - 1] != '\n')
		buf_char(&b, '\n');
	buf_fmt(&b, "... truncated (%llu more lines) ...\n", (unsigned long long)ret->omitted_lines);
	buf_str(&b, str_sub(text, tail, text.n));
	return buf_view(&b);
}
