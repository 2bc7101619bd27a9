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

static struct str cut(struct str text, struct truncate_options o, struct truncated *t) { return truncate_text(&a, text, &o, t); }

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

	CHECK_STR(cut(numbered(9), (struct truncate_options){.max = 30}, &t), "line 1\nline 2\n... truncated (5 more lines) ...\nline 8\nline 9\n");
	CHECK(t.is);
	CHECK_INT(t.total_lines, 9);
	CHECK_INT(t.omitted_lines, 5);
	CHECK_INT(t.omitted_bytes, 35);
	/* more of the end when it failed */
	CHECK_STR(cut(numbered(9), (struct truncate_options){.max = 30, .failed = true}, &t), "line 1\n... truncated (5 more lines) ...\nline 7\nline 8\nline 9\n");
	CHECK_STR(cut(STR("1\n2\n3\n4"), (struct truncate_options){.max = 4}, &t), "1\n... truncated (2 more lines) ...\n4");
	cut(numbered(2000), (struct truncate_options){0}, &t);
	CHECK_INT(t.total_bytes - t.omitted_bytes <= TRUNCATE_DEFAULT, 1);
	CHECK(t.total_bytes - t.omitted_bytes > TRUNCATE_DEFAULT - 20);
}

static void test_lines(void)
{
	struct truncated t;

	CHECK_STR(cut(numbered(9), (struct truncate_options){.head = 2, .tail = 1}, &t), "line 1\nline 2\n... truncated (6 more lines) ...\nline 9\n");
	CHECK_STR(cut(numbered(9), (struct truncate_options){.head = 2}, &t), "line 1\nline 2\n... truncated (7 more lines) ...\n");
	CHECK_STR(cut(numbered(9), (struct truncate_options){.tail = 1}, &t), "... truncated (8 more lines) ...\nline 9\n");
	CHECK_STRN(cut(numbered(3), (struct truncate_options){.head = 2, .tail = 1}, &t), numbered(3));
	CHECK(!t.is);
	CHECK_STRN(cut(numbered(3), (struct truncate_options){.head = 9, .tail = 9}, &t), numbered(3));
	CHECK_STR(cut(STR("a\nb\nc"), (struct truncate_options){.tail = 1}, &t), "... truncated (2 more lines) ...\nc");
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
	CHECK_STR(cut(STR("abcdefghij\n"), (struct truncate_options){.max = 4}, &t), "ab\n... truncated (1 more lines) ...\nj\n");
}

/* All sizes: what is shown is a beginning and an end, and nothing is lost in the count. */
static void test_adds_up(void)
{
	static const char *const texts[] = {"a\n\nbb\nccc\n\n\ndddd\ne", "\n\n\n\n\n\n", "abc", "a\nb\nc\nd\ne\nf\ng\n", "\xc3\xa9\xc3\xa9\n\xe2\x82\xac\n\xf0\x9f\x98\x80\n"};

	for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++) {
		for (size_t max = 1; max < 30; max++) {
			for (unsigned failed = 0; failed < 2; failed++) {
				struct truncated t;
				struct str text = str_of(texts[k]), s = cut(text, (struct truncate_options){.max = max, .failed = failed}, &t);

				CHECK(utf8_valid(s));
				CHECK(t.is == (text.n > max));
				CHECK(t.total_bytes - t.omitted_bytes <= max || !t.is);
				CHECK(!t.is || str_contains(s, str_fmt(&a, "... truncated (%llu more lines) ...\n", (unsigned long long)t.omitted_lines)));
			}
		}
	}
}

int main(void)
{
	arena_init(&a, ARENA_CAP_DEFAULT);
	RUN(test_short);
	RUN(test_bytes);
	RUN(test_lines);
	RUN(test_long_line);
	RUN(test_adds_up);
	arena_free(&a);
	return unit_end();
}
