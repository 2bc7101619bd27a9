/* Truncation: what is shown, and counters that add up. */
#include "base/utf8.h"
#include "result/truncate.h"
#include "unit.h"

static struct arena a;

/* n lines: "line 1" and so on. */
static struct str numbered(unsigned n)
{
	struct buf b;

	buf_init(&b, &a, 0);
	for (unsigned i = 1; i <= n; i++)
		buf_fmt(&b, "line %u\n", i);
	return buf_view(&b);
}

static struct str cut(struct str text, struct truncate_options o, struct truncated *t)
{
	return truncate_text(&a, text, &o, t);
}

static void test_short(void)
{
	struct truncated t;
	struct str s = numbered(5);

	CHECK_STRN(cut(s, (struct truncate_options){0}, &t), s);
	CHECK(!t.is);
	CHECK_INT(t.total_bytes, s.n);
	CHECK_INT(t.total_lines, 5);
	CHECK_INT(t.omitted_bytes + t.omitted_lines, 0);
	CHECK_STR(cut(STR(""), (struct truncate_options){0}, &t), "");
	CHECK_INT(t.total_lines, 0);
	CHECK_STR(cut(STR("a\nb"), (struct truncate_options){.max = 3}, &t), "a\nb");
	CHECK_INT(t.total_lines, 2);
}

static void test_bytes(void)
{
	struct truncated t;

	CHECK_STR(cut(numbered(9), (struct truncate_options){.max = 30}, &t),
			"line 1\nline 2\n... truncated (5 more lines) ...\nline 8\nline 9\n");
	CHECK(t.is);
	CHECK_INT(t.total_lines, 9);
	CHECK_INT(t.omitted_lines, 5);
	CHECK_INT(t.omitted_bytes, 35);
	/* more of the end when it failed */
	CHECK_STR(cut(numbered(9), (struct truncate_options){.max = 30, .failed = true}, &t),
			"line 1\n... truncated (5 more lines) ...\nline 7\nline 8\nline 9\n");
	CHECK_STR(cut(STR("1\n2\n3\n4"), (struct truncate_options){.max = 4}, &t),
			"1\n... truncated (2 more lines) ...\n4");
	cut(numbered(2000), (struct truncate_options){0}, &t);
	CHECK_INT(t.total_bytes - t.omitted_bytes <= TRUNCATE_DEFAULT, 1);
	CHECK(t.total_bytes - t.omitted_bytes > TRUNCATE_DEFAULT - 20);
}

static void test_lines(void)
{
	struct truncated t;

	CHECK_STR(cut(numbered(9), (struct truncate_options){.head = 2, .tail = 1}, &t),
			"line 1\nline 2\n... truncated (6 more lines) ...\nline 9\n");
	CHECK_STR(cut(numbered(9), (struct truncate_options){.head = 2}, &t),
			"line 1\nline 2\n... truncated (7 more lines) ...\n");
	CHECK_STR(cut(numbered(9), (struct truncate_options){.tail = 1}, &t),
			"... truncated (8 more lines) ...\nline 9\n");
	CHECK_STRN(cut(numbered(3), (struct truncate_options){.head = 2, .tail = 1}, &t), numbered(3));
	CHECK(!t.is);
	CHECK_STRN(cut(numbered(3), (struct truncate_options){.head = 9, .tail = 9}, &t), numbered(3));
	CHECK_STR(cut(STR("a\nb\nc"), (struct truncate_options){.tail = 1}, &t),
			"... truncated (2 more lines) ...\nc");
}

/* One line that is too long is cut between characters. */
static void test_long_line(void)
{
	struct truncated t;
	struct buf b;
	struct str s;

	buf_init(&b, &a, 0);
	for (unsigned i = 0; i < 3000; i++)
		buf_c(&b, "\xe2\x82\xac");
	for (size_t max = 1; max < 60; max++) {
		s = cut(buf_view(&b), (struct truncate_options){.max = max}, &t);
		CHECK(utf8_valid(s));
		CHECK_INT(t.omitted_lines, 1);
		CHECK(t.total_bytes - t.omitted_bytes <= max);
	}
	CHECK_STR(cut(STR("abcdefghij\n"), (struct truncate_options){.max = 4}, &t),
			"ab\n... truncated (1 more lines) ...\nj\n");
}

/* All sizes: what is shown is a beginning and an end, and nothing is lost in the count. */
static void test_adds_up(void)
{
	static const char *const texts[] = {"a\n\nbb\nccc\n\n\ndddd\ne", "\n\n\n\n\n\n", "abc",
			"a\nb\nc\nd\ne\nf\ng\n", "\xc3\xa9\xc3\xa9\n\xe2\x82\xac\n\xf0\x9f\x98\x80\n"};

	for (size_t k = 0; k < ARRAY_SIZE(texts); k++) {
		for (size_t max = 1; max < 30; max++) {
			for (unsigned failed = 0; failed < 2; failed++) {
				struct truncated t;
				struct str text = str_of(texts[k]),
						s = cut(text, (struct truncate_options){.max = max,
						.failed = failed}, &t);

				CHECK(utf8_valid(s));
				CHECK(t.is == (text.n > max));
				CHECK(t.total_bytes - t.omitted_bytes <= max || !t.is);
				CHECK(!t.is || str_contains(s,
						str_fmt(&a, "... truncated (%llu more lines) ...\n",
						(unsigned long long)t.omitted_lines)));
			}
		}
	}
}

/* ---- in pieces ---- */

static uint64_t seed = 88172645463325252u;

static size_t below(size_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (size_t)(seed % n);
}

static uint64_t lines_of(struct str s) { return str_count(s, '\n') + (s.n && s.p[s.n - 1] != '\n'); }

static size_t line_end(struct str s, size_t at)
{
	while (at < s.n && s.p[at++] != '\n')
		;
	return at;
}

static size_t line_start(struct str s, size_t at)
{
	while (at && s.p[at - 1] != '\n')
		at--;
	return at;
}

static bool goes_on(struct str s, size_t at) { return at < s.n && (s.p[at] & 0xC0) == 0x80; }

/* The same by the book, on the whole text: where the head ends and where the tail starts. */
static void ends_of(struct str s, const struct truncate_options *o, size_t *ret_head, size_t *ret_tail)
{
	size_t max = o->max, first = o->failed ? max / 4 : max / 2, head = 0, tail = s.n, rest;

	for (size_t i = 0; i < o->head; i++)
		head = line_end(s, head);
	for (size_t i = 0; i < o->tail && tail; i++)
		tail = line_start(s, tail - 1);
	if ((o->head || o->tail) && (head >= tail ? s.n : head + s.n - tail) <= max) {
		*ret_head = head;
		*ret_tail = tail;
		return;
	}
	head = s.n <= max ? s.n : first;
	if (head < s.n && line_start(s, head))
		head = line_start(s, head);
	while (head < s.n && goes_on(s, head))
		head--;
	rest = max - (head < first ? head : first);
	tail = s.n > rest ? s.n - rest : 0;
	if (tail && s.p[tail - 1] != '\n' && line_end(s, tail) < s.n)
		tail = line_end(s, tail);
	while (goes_on(s, tail))
		tail++;
	*ret_head = head;
	*ret_tail = tail;
}

static struct str any_text(size_t n)
{
	static const char *const bits[] = {"a", "bc", "\n", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
			"a longer word", "\n\n"};
	size_t kinds = 1 + below(ARRAY_SIZE(bits));
	struct buf b;

	buf_init(&b, &a, 0);
	while (b.n < n)
		buf_c(&b, bits[below(kinds)]);
	return buf_view(&b);
}

static void feed_in_pieces(struct truncator *t, struct str s)
{
	size_t most = 1 + below(below(3) ? 40 : 4000);

	for (size_t at = 0, k; at < s.n; at += k) {
		k = 1 + below(most);
		truncator_feed(t, str_sub(s, at, at + k));
	}
}

static struct truncate_options any_options(void)
{
	struct truncate_options o = {.max = 1 + below(below(2) ? 30 : 3000), .failed = below(2)};

	if (below(2))
		o.head = below(below(2) ? 5 : 300);
	if (below(2))
		o.tail = below(below(2) ? 5 : 300);
	return o;
}

/* Text, options and pieces at random: what comes out is what the whole text gives. */
static void test_pieces(void)
{
	for (unsigned i = 0; i < 20000 && !unit_bad; i++) {
		struct str text = any_text(below(below(2) ? 80 : 5000)), got;
		struct truncate_options o = any_options();
		struct truncated t;
		struct truncator cutter;
		size_t head, tail;

		ends_of(text, &o, &head, &tail);
		truncator_start(&cutter, &a, &o);
		feed_in_pieces(&cutter, text);
		got = truncator_end(&cutter, &t);
		CHECK_INT(t.is, head < tail);
		CHECK_INT(t.total_bytes, text.n);
		CHECK_INT(t.total_lines, lines_of(text));
		CHECK_INT(t.omitted_bytes, head < tail ? tail - head : 0);
		CHECK_INT(t.omitted_lines, head < tail ? lines_of(str_sub(text, head, tail)) : 0);
		if (!t.is)
			CHECK_STRN(got, text);
		else
			CHECK_STRN(got, str_fmt(&a, "%.*s%s... truncated (%llu more lines) ...\n%.*s",
					(int)head, text.p, head && text.p[head - 1] != '\n' ? "\n" : "",
				(unsigned long long)t.omitted_lines, (int)(text.n - tail), text.p + tail));
		if (i % 100 == 0) {
			arena_free(&a);
			arena_init(&a, ARENA_CAP_DEFAULT);
		}
	}
}

/* With something missing in the middle: counted as if it were there, and never shown. */
static void test_gap(void)
{
	for (unsigned i = 0; i < 10000 && !unit_bad; i++) {
		struct str first = any_text(below(300)), gap = any_text(1 + below(below(2) ? 3 : 3000)),
				last = any_text(below(300)), marker, got,
				text = str_cat(&a, str_cat(&a, first, gap), last);
		struct truncate_options o = any_options();
		struct truncated t;
		struct truncator cutter;
		size_t at, head, tail;

		truncator_start(&cutter, &a, &o);
		feed_in_pieces(&cutter, first);
		truncator_gap(&cutter, gap.n, gap.p[gap.n - 1] == '\n');
		feed_in_pieces(&cutter, last);
		truncator_gap_newlines(&cutter, str_count(gap, '\n'));
		got = truncator_end(&cutter, &t);
		marker = str_fmt(&a, "... truncated (%llu more lines) ...\n",
				(unsigned long long)t.omitted_lines);
		for (at = 0; at + marker.n < got.n && !str_eq(str_sub(got, at, at + marker.n), marker); at++)
			;
		tail = got.n - at - marker.n;
		head = text.n - tail - (size_t)t.omitted_bytes;
		CHECK(t.is && head <= first.n && tail <= last.n);
		CHECK_STRN(got, str_fmt(&a, "%.*s%s%.*s%.*s", (int)head, text.p,
				head && text.p[head - 1] != '\n' ? "\n" : "", STR_ARG(marker), (int)tail,
				text.p + text.n - tail));
		CHECK(t.total_bytes - t.omitted_bytes <= o.max);
		CHECK_INT(t.total_bytes, text.n);
		CHECK_INT(t.total_lines, lines_of(text));
		CHECK_INT(t.omitted_lines, lines_of(str_sub(text, head, text.n - tail)));
		if (i % 100 == 0) {
			arena_free(&a);
			arena_init(&a, ARENA_CAP_DEFAULT);
		}
	}
}

/* However long it is, memory is for what is shown. */
static void test_bounded(void)
{
	static char text[100000];
	struct truncator cutter;
	struct truncated t;
	size_t used;

	memset(text, 'x', sizeof(text));
	truncator_start(&cutter, &a, &(struct truncate_options){0});
	truncator_feed(&cutter, str_n(text, sizeof(text)));
	used = a.used;
	for (unsigned i = 0; i < 1000; i++)
		truncator_feed(&cutter, str_n(text, 1 + i * 97 % sizeof(text)));
	CHECK_INT(a.used, used);
	truncator_end(&cutter, &t);
	CHECK_INT(t.total_bytes - t.omitted_bytes, TRUNCATE_DEFAULT);
}

int main(void)
{
	arena_init(&a, ARENA_CAP_DEFAULT);
	RUN(test_short);
	RUN(test_bytes);
	RUN(test_lines);
	RUN(test_long_line);
	RUN(test_adds_up);
	RUN(test_pieces);
	RUN(test_gap);
	RUN(test_bounded);
	arena_free(&a);
	return unit_end();
}
