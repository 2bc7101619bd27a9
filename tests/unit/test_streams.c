/*
 * Streams of a report that are longer than what is kept of them: what is shown, what is in the file, and that
 * the counts are exact.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <time.h>

#include "run/run.h"
#include "place.h"
#include "sys/stream.h"

static struct view here;
static struct run_world world = {.context.view = &here};
static struct run_request request;
static struct run run = {.world = &world, .rq = &request};
static unsigned runs;

/* A stream of n bytes in lines of 64, or in one line; `mine` is written over it at `where`. */
static struct stream made(uint64_t n, bool lines, uint64_t where, struct str mine, char *head, size_t nhead)
{
	static char piece[1 << 20];
	struct stream s = {.file = memfd_create("stream", MFD_CLOEXEC), .end = n, .total = n};

	for (size_t i = 0; i < sizeof(piece); i++)
		piece[i] = lines && i % 64 == 63 ? '\n' : 'x';
	for (uint64_t at = 0; at < n; at += sizeof(piece)) {
		size_t k = n - at < sizeof(piece) ? (size_t)(n - at) : sizeof(piece);
		char keep[4096];

		if (at <= where && where + mine.n <= at + k) {
			memcpy(keep, piece + (where - at), mine.n);
			memcpy(piece + (where - at), mine.p, mine.n);
		}
		CHECK_INT(stream_put(s.file, at, str_n(piece, k)), 0);
		s.lines += str_count(str_n(piece, k), '\n');
		if (!at)
			memcpy(head, piece, nhead < k ? nhead : k);
		if (at <= where && where + mine.n <= at + k)
			memcpy(piece + (where - at), keep, mine.n);
	}
	s.text = str_n(head, nhead < n ? nhead : (size_t)n);
	return s;
}

static struct report report(struct outcome *o)
{
	struct report r;

	run.id = str_fmt(A, "%u", ++runs);
	report_make(A, &run, o, NULL, &r);
	return r;
}

static struct str file_of(const struct report *r)
{
	struct str text = STR("");

	CHECK_INT(file_read(A, str_c(A, r->out_cut.path), STREAM_KEPT * 2, &text, NULL, NULL), 0);
	return text;
}

static char head[300000];

/*
 * A block of a key lies across the start of what is kept: it is redacted as a whole, and the rest is there.
 */
static void test_key_across(void)
{
	static const char line[] = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHU\n";
	struct str key = str_fmt(A, "\n-----BEGIN PRIVATE KEY-----\n%s%s%s%s%s%s-----END PRIVATE KEY-----\n",
			line, line, line, line, line, line), file;
	uint64_t n = STREAM_KEPT + 640000, start = 640000;
	struct outcome o = {.status = STATUS_OK, .out = made(n, true, start - 200, key, head, sizeof(head))};
	struct report r;

	memcpy(head, "FIRST\n", 6);
	r = report(&o);
	file = file_of(&r);
	CHECK(str_starts(file, "[redacted:private-key]\nxx"));
	CHECK(!str_contains(file, STR("QUJD")) && !str_contains(file, STR("END PRIVATE")));
	CHECK_INT(r.redacted, 1);
	CHECK(str_starts(r.out, "FIRST\nx") && str_ends(r.out, "xxx\n"));
	CHECK(r.out_cut.dropped_bytes >= start && r.out_cut.dropped_bytes < start + 100);
	CHECK_INT(r.out_cut.total_bytes, r.out_cut.dropped_bytes + file.n);
	CHECK_INT(r.out_cut.omitted_bytes, r.out_cut.total_bytes - r.out.n +
			strlen("... truncated (1058527 more lines) ...\n"));
	stream_close(&o.out);
}

/* Without any line, a token across the start. */
static void test_token_across(void)
{
	struct outcome o = {.status = STATUS_OK,
			.out = made(STREAM_KEPT + 15, false, 8,
			STR(" ghp_0123456789abcdefghijABCDEFGHIJ012345 "), head, sizeof(head))};
	struct report r = report(&o);
	struct str file = file_of(&r);

	CHECK(str_starts(file, "[redacted:github-token] xxx"));
	CHECK_INT(r.out_cut.dropped_bytes, 15);
	CHECK_INT(file.n, STREAM_KEPT - strlen("23456789abcdefghijABCDEFGHIJ012345") +
			strlen("[redacted:github-token]"));
	CHECK_INT(r.redacted, 1);
	stream_close(&o.out);
}

/* Around the bound, in one line: exact. */
static void test_bounds(void)
{
	for (uint64_t more = 0; more < 2; more++) {
		struct outcome o = {.status = STATUS_OK, .out = made(STREAM_KEPT + more, false, UINT64_MAX,
				STR(""), head, sizeof(head))};
		struct report r = report(&o);
		struct stat st = {0};

		CHECK_INT(r.out_cut.total_bytes, STREAM_KEPT + more);
		CHECK_INT(r.out_cut.dropped_bytes, more);
		CHECK_INT(r.out_cut.total_lines, 1);
		CHECK_INT(stat(str_c(A, r.out_cut.path), &st), 0);
		CHECK_INT(st.st_size, STREAM_KEPT);
		stream_close(&o.out);
		arena_free(A);
		arena_init(A, ARENA_CAP_DEFAULT);
		here.state_dir = str_of(at("state"));
	}
}

/* Bytes that cannot be read back are lost, and their lines are not counted. */
static void test_unreadable(void)
{
	struct outcome o = {.status = STATUS_OK, .out = {.file = memfd_create("stream", MFD_CLOEXEC),
			.end = 1000000, .total = 1000000, .lines = 3}};
	struct report r;

	CHECK_INT(stream_put(o.out.file, 0, STR("this is there\n")), 0);
	r = report(&o);
	CHECK_STR(r.out, "this is there\n");
	CHECK(r.out_cut.is && r.out_cut.total_bytes == 1000000 && r.out_cut.dropped_bytes == 1000000 - 14 &&
			r.out_cut.total_lines == UINT64_MAX);
	stream_close(&o.out);
}

/* Text that is far longer than its bytes: memory stays what it is, and what is shown is the end. */
static void test_drawing(void)
{
	struct outcome o = {.status = STATUS_OK};
	static char raw[200000];
	struct report r;
	size_t n = 0, used;

	while (n + 16 < sizeof(raw)) {
		memcpy(raw + n, "\033[200Cx\n", 8);
		n += 8;
	}
	memcpy(raw + n, "END\n", 4);
	o.out = (struct stream){.text = str_n(raw, n + 4), .total = n + 4};
	used = A->used;
	r = report(&o);
	CHECK(A->used - used < (size_t)4 << 20);
	CHECK(str_ends(r.out, "x\nEND\n"));
	CHECK_INT(r.out_cut.total_bytes, n / 8 * 202 + 4);
	CHECK_INT(r.out_cut.dropped_bytes, 0);
}

int main(void)
{
	place_begin();
	here.state_dir = str_of(at("state"));
	here.uid = geteuid();
	RUN(test_unreadable);
	RUN(test_drawing);
	RUN(test_key_across);
	RUN(test_token_across);
	RUN(test_bounds);
	place_end();
	return unit_end();
}
