/*
 * Streams of a program, in memory and in their file: what is read back is what was put there, from wherever
 * it is asked for.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "sys/stream.h"
#include "unit.h"

static struct arena a;

/* Byte i of the stream. */
static char byte_at(uint64_t i) { return (char)('!' + (i ^ i >> 7 ^ i >> 16) % 90); }

static bool is_stream(struct str s, uint64_t at)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != byte_at(at + i))
			return false;
	return true;
}

/* n bytes, put in pieces of uneven size. */
static struct stream made(uint64_t n)
{
	static char piece[70001];
	struct stream s = {.file = memfd_create("stream", MFD_CLOEXEC), .end = n, .total = n};

	CHECK(s.file > 2);
	for (uint64_t at = 0, k = 1; at < n; at += k, k = k * 7 % 70001) {
		k = k < n - at ? k : n - at;
		for (size_t i = 0; i < k; i++)
			piece[i] = byte_at(at + i);
		CHECK_INT(stream_put(s.file, at, str_n(piece, (size_t)k)), 0);
	}
	return s;
}

static void test_memory(void)
{
	struct stream s = {.text = STR("hello"), .total = 5};
	char b[8];

	CHECK(stream_whole(&s));
	CHECK_INT(stream_read(&s, 0, b, sizeof(b), NULL), 5);
	CHECK_INT(stream_read(&s, 3, b, 1, NULL), 1);
	CHECK_INT(b[0], 'l');
	CHECK_INT(stream_read(&s, 5, b, sizeof(b), NULL), 0);
	CHECK_STR(stream_tail(&a, &s, 2), "lo");
	CHECK_STR(stream_tail(&a, &s, 9), "hello");
	stream_close(&s);
	s.total = 6;
	CHECK(!stream_whole(&s));
}

static void test_file(void)
{
	static const uint64_t sizes[] = {1, 4095, 300000, STREAM_RING, STREAM_RING + 1, 2 * STREAM_RING + 7};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		static char b[1 << 20];
		struct stream s = made(sizes[i]);
		uint64_t from = stream_from(&s), at = from;
		struct str tail = stream_tail(&a, &s, 100000);
		ptrdiff_t got;

		CHECK_INT(from, sizes[i] > STREAM_RING ? sizes[i] - STREAM_RING : 0);
		CHECK_INT(stream_whole(&s), from == 0);
		for (; (got = stream_read(&s, at, b, sizeof(b), NULL)) > 0; at += (uint64_t)got)
			CHECK(is_stream(str_n(b, (size_t)got), at));
		CHECK_INT(got, 0);
		CHECK_INT(at, sizes[i]);
		CHECK_INT(tail.n, sizes[i] < 100000 ? sizes[i] : 100000);
		CHECK(is_stream(tail, sizes[i] - tail.n));
		stream_close(&s);
		CHECK_INT(s.file, 0);
	}
}

/* A read failure is an error, not EOF. */
static void test_broken(void)
{
	struct stream s = {.file = memfd_create("stream", MFD_CLOEXEC), .end = 10, .total = 10};
	struct err e = {0};
	char b[8];

	CHECK_INT(stream_read(&s, 0, b, sizeof(b), &e), -1);
	CHECK_INT(e.kind, ERR_SYSTEM);
	CHECK_INT(stream_tail(&a, &s, 4).n, 0);
	stream_close(&s);
}

static void test_count(void)
{
	char text[5000];

	for (size_t n = 0; n < sizeof(text); n += n < 40 ? 1 : 611) {
		uint64_t want = 0;

		for (size_t i = 0; i < n; i++) {
			text[i] = "\n\x0b\x8a\t\xff"[(i * i + n) % 5];
			want += text[i] == '\n';
		}
		CHECK_INT(str_count(str_n(text, n), '\n'), want);
	}
	memset(text, '\n', sizeof(text));
	CHECK_INT(str_count(str_n(text, sizeof(text)), '\n'), sizeof(text));
	memset(text, '\xff', sizeof(text));
	CHECK_INT(str_count(str_n(text + 1, sizeof(text) - 1), '\xff'), sizeof(text) - 1);
}

int main(void)
{
	arena_init(&a, ARENA_CAP_DEFAULT);
	RUN(test_memory);
	RUN(test_file);
	RUN(test_broken);
	RUN(test_count);
	arena_free(&a);
	return unit_end();
}
