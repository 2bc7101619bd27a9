/*
 * Streams in the record: the bytes as they are but for secrets, also when only both ends are kept, and in
 * pieces.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "record/record.h"
#include "place.h"
#include "sys/stream.h"

#define TOKEN "ghp_0123456789abcdefghijABCDEFGHIJ012345"
#define REDACTED "[redacted:github-token]"

static struct record record;

/* In a file, as if it had been too long for memory. */
static struct stream made(struct str text)
{
	struct stream s = {.file = memfd_create("stream", MFD_CLOEXEC), .end = text.n, .total = text.n,
			.text = str_sub(text, 0, 100)};

	CHECK_INT(stream_put(s.file, 0, text), 0);
	return s;
}

static struct str kept(struct stream s, bool want_cut)
{
	struct str digest = STR(""), text = STR("");
	struct err e = {0};
	bool cut = !want_cut;

	if (record_stream(A, &record, &s, &digest, &cut, &e) != 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK_INT(cut, want_cut);
	if (digest.n && blob_get(A, &record.blobs, digest, BLOB_MAX, &text, &e) != 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	CHECK(!digest.n || str_eq(digest, blob_digest(A, text)));
	stream_close(&s);
	return text;
}

static struct str numbers(unsigned n, unsigned at, const char *with)
{
	struct buf b;

	buf_init(&b, A, 0);
	for (unsigned i = 0; i < n; i++)
		buf_fmt(&b, "%u %s\n", i, i == at ? with : "x");
	return buf_view(&b);
}

static void test_whole(void)
{
	record.output_max = AUDIT_OUTPUTS;
	CHECK_STR(kept((struct stream){0}, false), "");
	CHECK_STR(kept((struct stream){.text = STR("a " TOKEN "\n"), .total = sizeof(TOKEN) + 2}, false), "a "
			REDACTED "\n");
	/* the same bytes in memory and in a file are the same blob, large ones as well */
	CHECK_STR(kept(made(STR("a\r\n " TOKEN "\n")), false), "a\r\n " REDACTED "\n");
	CHECK_STRN(kept(made(numbers(300000, 7, TOKEN)), false), numbers(300000, 7, REDACTED));
	CHECK_STRN(kept((struct stream){.text = numbers(300000, 7, TOKEN),
			.total = numbers(300000, 7, TOKEN).n}, false), numbers(300000, 7, REDACTED));
	/* a colour inside a token: the text as it is seen, and only then */
	CHECK_STRN(kept(made(numbers(50000, 40000, "gh\033[1mp_0123456789abcdefghijABCDEFGHIJ012345")),
			false), numbers(50000, 40000, REDACTED));
	CHECK_STRN(kept(made(numbers(50000, 40000, "\033[1mplain\033[0m")), false),
			numbers(50000, 40000, "\033[1mplain\033[0m"));
}

/*
 * A token at every place around where the ends are cut: none of it is in the blob but what says that it was
 * there.
 */
static void test_ends(void)
{
	struct str line = STR("................................................................\n");
	struct buf b;
	struct str text;

	buf_init(&b, A, 0);
	while (b.n < 300000)
		buf_str(&b, line);
	text = buf_view(&b);
	record.output_max = 100000;
	/* the last two bytes of the head could be the start of a secret */
	CHECK_STRN(kept(made(text), true), str_fmt(A, "%.*s\n[%zu bytes are not kept]\n%.*s", 49998, text.p,
			text.n - 99998, 50000, text.p + text.n - 50000));
	for (unsigned end = 0; end < 2; end++) {
		for (size_t at = 0; at <= 60; at += 3) {
			struct str with = str_dup(A, text), got;
			size_t where = (end ? text.n - 50000 : 50000) + at - 50;

			memcpy((char *)with.p + where, " " TOKEN " ", sizeof(TOKEN) + 1);
			got = kept(made(with), true);
			CHECK(!str_contains(got, STR("ghp_")) && !str_contains(got, STR("abcdefgh")) &&
					!str_contains(got, STR("ABCDEFGHIJ0")) &&
					!str_contains(got, STR("12345 ")));
			CHECK(got.n > 99000 && got.n < 101000);
		}
	}
}

/* Parts that are lost already: the ring has gone round, or the limit was reached. */
static void test_lost(void)
{
	struct stream s = made(STR("0123456789"));
	static char piece[1 << 20];
	struct str got;

	record.output_max = 1000;
	s.total = 30;
	CHECK_STR(kept(s, true), "0123456789\n[20 bytes are not kept]\n");
	memset(piece, '.', sizeof(piece));
	s = made(STR("the beginning\n"));
	s.end = s.total = STREAM_RING + sizeof(piece);
	for (uint64_t at = 14; at < s.end; at += sizeof(piece))
		CHECK_INT(stream_put(s.file, at,
				str_n(piece, s.end - at < sizeof(piece) ? (size_t)(s.end - at) :
				sizeof(piece))), 0);
	got = kept(s, true);
	CHECK(str_starts(got, "the beginni"));
	CHECK(str_contains(got, str_fmt(A, "\n[%llu bytes are not kept]\n....",
			(unsigned long long)(s.total - 500 - 12))));
}

/* A stream that cannot be read back is an error, not a blob. */
static void test_unreadable(void)
{
	struct stream s = made(STR("0123456789"));
	struct str digest = STR("untouched");
	struct err e = {0};
	bool cut;

	record.output_max = AUDIT_OUTPUTS;
	s.end = s.total = 100000;
	CHECK_INT(record_stream(A, &record, &s, &digest, &cut, &e), -1);
	stream_close(&s);
}

int main(void)
{
	struct err e = {0};

	place_begin();
	make_dir("state", 0700);
	CHECK_INT(record_open(A, &(struct view){.state_dir = str_of(at("state")), .uid = geteuid()},
			&(struct record_options){0}, NULL, &record, &e), 0);
	RUN(test_whole);
	RUN(test_ends);
	RUN(test_lost);
	RUN(test_unreadable);
	record_close(&record);
	place_end();
	return unit_end();
}
