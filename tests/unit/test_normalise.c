/*
 * The normaliser: samples with what is expected beside them (tests/samples), rows, and what holds for every
 * input.
 */
#define _GNU_SOURCE
#include <dirent.h>

#include "base/utf8.h"
#include "result/normalise.h"
#include "sys/file.h"
#include "unit.h"

#define SAMPLES "tests/samples/ansi"
#define TIMES "tests/samples/timestamps/cases.tsv"
#define FILE_MAX ((size_t)1 << 20)
#define N(literal) {literal, sizeof(literal) - 1}

static struct arena a;
static const struct normalise_options both = {.timestamps = true};

static struct str in_pieces(struct str raw, size_t piece, struct sanitized *ret)
{
	struct normaliser n;
	struct buf out;

	buf_init(&out, &a, 0);
	normaliser_start(&n, &a, &both, &out);
	for (size_t i = 0; i < raw.n; i += piece)
		normaliser_feed(&n, str_sub(raw, i, i + piece));
	normaliser_end(&n);
	*ret = n.counts;
	return buf_view(&out);
}

static uint64_t removed(const struct sanitized *s)
{
	return s->ansi + s->osc + s->control + s->cr + s->backspace + s->nul + s->bad_utf8 + s->bidi +
			s->tags + s->invisible;
}

/* Invariants of every text. */
static struct str hold(struct str raw)
{
	static const size_t pieces[] = {1, 2, 3, 7, 64, 4095};
	struct sanitized whole, other, again;
	struct str text = normalise_text(&a, raw, &both, &whole), second = normalise_text(&a, text, &both,
			&again);

	CHECK(utf8_valid(text));
	CHECK_STRN(second, text);
	CHECK_INT(removed(&again) + again.timestamps + again.markers, 0);
	CHECK(removed(&whole) <= raw.n);
	CHECK((removed(&whole) + whole.timestamps + whole.markers == 0) == str_eq(raw, text));
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		CHECK_STRN(in_pieces(raw, pieces[i], &other), text);
		CHECK(memcmp(&other, &whole, sizeof(whole)) == 0);
	}
	return text;
}

static struct str load(const char *path)
{
	struct str s = STR("");
	struct err e = {0};

	if (file_read(&a, path, FILE_MAX, &s, NULL, &e) != 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	return s;
}

static void test_samples(void)
{
	DIR *d = opendir(SAMPLES);
	int seen = 0;

	CHECK(d != NULL);
	for (struct dirent *f; d && (f = readdir(d));) {
		struct str name = str_of(f->d_name);

		if (!str_ends(name, ".raw"))
			continue;
		seen++;
		CHECK_STRN(hold(load(str_fmt_c(&a, SAMPLES "/%s", f->d_name))),
				load(str_fmt_c(&a, SAMPLES "/%.*s.txt", (int)name.n - 4, name.p)));
	}
	if (d)
		closedir(d);
	CHECK(seen >= 24);
}

static const struct {
	struct str raw, want;
} rows[] = {
	{N(""), N("")},
	{N("plain\ttext\n\nend"), N("plain\ttext\n\nend")},
	/* within the line */
	{N("abc\rX\n"), N("Xbc\n")},
	{N("12345\r\033[K7\n"), N("7\n")},
	{N("working   \rdone      \n"), N("done\n")},
	{N("a\r\r\nb\r"), N("a\nb")},
	{N("abc\b\bX\n"), N("aXc\n")},
	{N("\b\bx\n"), N("x\n")},
	{N("abcdef\033[3DX\n"), N("abcXef\n")},
	{N("abc\033[1GX\033[3CY\n"), N("Xbc Y\n")},
	{N("abc\033[2Kd\n"), N("   d\n")},
	{N("abcdef\r\033[2P\n"), N("cdef\n")},
	{N("50%\033[0m\r\033[J51%\n"), N("51%\n")},
	{N("x\033[9999999999Cy\n"),
			N("x                                                                                "
			"                                                                                 "
			"                                      y\n")},
	{N("\xc3\xa9t\xc3\xa9\r\xc3\x89\n"), N("\xc3\x89t\xc3\xa9\n")},
	/* other lines stay */
	{N("ERROR\033[A\r\033[Kfine\n"), N("ERROR\nfine\n")},
	{N("ERROR\033[2Jfine\n"), N("ERROR\nfine\n")},
	{N("ERROR\033[1;1Hfine\n"), N("ERROR\nfine\n")},
	{N("ERROR\033[;Hfine\n"), N("ERROR\nfine\n")},
	{N("ERROR\033[1Mfine\n"), N("ERROR\nfine\n")},
	{N("ERROR\033Mfine\n"), N("ERROR\nfine\n")},
	{N("a\n\033[1A\033[2Kb\n"), N("a\nb\n")},
	/* control strings */
	{N("\033]0;title\007x\n"), N("x\n")},
	{N("\033]0;not ended\nx\n"), N("0;not ended\nx\n")},
	{N("\033]0;not ended"), N("0;not ended")},
	{N("\033]0;broken\033[1mx\n"), N("0;brokenx\n")},
	{N("\033P1;2q\033\\x\n"), N("x\n")},
	{N("\033ktitle\033\\x\n"), N("x\n")},
	{N("\033]P0a1B2c3text\n"), N("text\n")},
	{N("\033]Rtext\n"), N("text\n")},
	{N("\033]P0a1B2x3text\n"), N("P0a1B2x3text\n")},
	{N("\xc2\x9d""0;title\xc2\x9cx\n"), N("x\n")},
	{N("\033]0;\xc2\x90\xc2\x9b""1m\nx\n"), N("0;1m\nx\n")},
	/* sequences that are none */
	{N("\033\033[1mx\033"), N("x")},
	{N("\033[1\nm\n"), N("\nm\n")},
	{N("\033[?25lx\033[?25h\033(B\033=\n"), N("x\n")},
	{N("\033[0000000000000000000000000000000000000000000000000000000000000000000m\n"),
			N("0000000000000000000000000000000000000000000000000000000000000000000m\n")},
	/* UTF-8 */
	{N("\xe2\x82"), N("\xef\xbf\xbd\xef\xbf\xbd")},
	{N("\xe2\xe2\x82\xac\n"), N("\xef\xbf\xbd\xe2\x82\xac\n")},
	{N("\xf0\x9f\x98\x80\x80\n"), N("\xf0\x9f\x98\x80\xef\xbf\xbd\n")},
	{N("\xef\xbb\xbfid,name\n"), N("id,name\n")},
	{N("\xef\xbb\xbf\xef\xbb\xbfx\n"), N("\\u{feff}x\n")},
	/* what nobody sees */
	{N("a\xe2\x80\xae""b\n"), N("a\\u{202e}b\n")},
	{N("\xe2\x9c\x94\xef\xb8\x8f ok\n"), N("\xe2\x9c\x94\xef\xb8\x8f ok\n")},
	{N("x\xef\xb8\x8f\n"), N("x\\u{fe0f}\n")},
	{N("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb\n"),
			N("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb\n")},
	{N("\xf0\x9f\x91\xa9\xe2\x80\x8d\xe2\x80\x8d\n"), N("\xf0\x9f\x91\xa9\xe2\x80\x8d\\u{200d}\n")},
	{N("\xf0\x9f\x8f\xb4\xf3\xa0\x81\xa7\xf3\xa0\x81\xa8\n"),
			N("\xf0\x9f\x8f\xb4\xf3\xa0\x81\xa7\\u{e0068}\n")},
	{N("\xc2\xad\xe2\x80\xa8\n"), N("\\u{ad}\\u{2028}\n")},
	/* our own marker */
	{N("a\n... truncated (12 more lines) ...\nb\n"), N("a\n\\... truncated (12 more lines) ...\nb\n")},
	{N("  ... truncated (1 more line) ... "), N("  \\... truncated (1 more line) ... ")},
	{N("x ... truncated (1 more lines) ...\n"), N("x ... truncated (1 more lines) ...\n")},
	{N("... truncated (one more lines) ...\n"), N("... truncated (one more lines) ...\n")},
	{N("... trun\033[0mcated (3 more lines) ...\n"), N("\\... truncated (3 more lines) ...\n")},
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STRN(hold(rows[i].raw), rows[i].want);
}

static void test_times(void)
{
	struct str s = load(TIMES);
	int seen = 0;

	for (size_t at = 0, row = 0; at < s.n; row++) {
		ptrdiff_t end = str_find(s, '\n', at), tab = str_find(s, '\t', at),
				tab2 = str_find(s, '\t', (size_t)tab + 1);
		struct str in = str_sub(s, at, (size_t)tab), want = str_sub(s, (size_t)tab + 1, (size_t)tab2);

		at = end < 0 ? s.n : (size_t)end + 1;
		if (!row)
			continue;
		seen++;
		CHECK_STRN(hold(in), str_is(want, "unchanged") ? in : want);
	}
	CHECK(seen >= 20);
}

/* Beside the samples: `@` stands for 1700000000. */
static void test_times_context(void)
{
	static const struct {
		bool is;
		const char *text;
	} rows[] = {
		{true, "started at @"}, {true, "started at @."}, {true, "[@] CURRENT SERVICE STATE"},
		{true, "INFO @ done"}, {true, "time: @"}, {true, "(at @) done"}, {false, "@ x"},
		{true, "@: up"}, {true, "  @"},
		{true, "ok\n@\nok"}, {true, "expires @ soon"},
		{false, "size @"}, {false, "user id: @"}, {false, "orderId @"}, {false, "order-id @"},
		{false, "@ bytes"}, {false, "@ requests"}, {false, "#@"}, {false, "# @"}, {false, "x = @"},
		{false, "a,b,@"},
		{false, "a, @, b"}, {false, "@,a,b"}, {false, "1\t@\tx"}, {false, " 1 | @ | x"},
		{false, "<t>@</t>"}, {false, "<t>\n  @\n</t>"}, {false, "{\"a\": [@]}"},
		{false, "[\n  @,\n  1\n]"}, {false, "[\n  1,\n  @\n]"},
		{false, "x: [\n  @\n]"}, {false, "[@]"}, {false, "[@, 1]"}, {false, "{'t': @}"},
		{false, "12 @"}, {false, "0  @  foo"}, {false, "id  @"}, {false, "$@"}, {false, "v@"},
		{false, "@x"}, {false, "@/2"},
		{false, "@.1234567890"}, {false, "\"at @\""}, {false, "{\"msg\": \"now\"}\nat @"},
		{false, "f(@)"}, {false, "than @"}, {false, "a,b at @,c"},
		{true, "time=@"}, {true, "level=info ts=@ msg=up"}, {false, "id=@"}, {false, "fileSize=@"},
		{false, "=@"}, {false, "1=@"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct str row = str_of(rows[i].text), text;
		struct sanitized c;
		struct buf b;

		buf_init(&b, &a, 0);
		for (size_t k = 0; k < row.n; k++)
			buf_str(&b, row.p[k] == '@' ? STR("1700000000") : str_sub(row, k, k + 1));
		text = hold(buf_view(&b));
		normalise_text(&a, buf_view(&b), &both, &c);
		CHECK_ROW((c.timestamps == 1) == rows[i].is, rows[i].text);
		CHECK_ROW(str_contains(text, STR("2023-11-14T22:13:20Z")) == rows[i].is, rows[i].text);
		CHECK_STRN(normalise_text(&a, buf_view(&b), NULL, NULL), buf_view(&b));
	}
	CHECK_STR(hold(STR("at 1709164800 and 1735689599 and 1600000000 and 1999999999")),
			"at 2024-02-29T00:00:00Z and 2024-12-31T23:59:59Z and 2020-09-13T12:26:40Z and "
			"2033-05-18T03:33:19Z");
	/*
	 * Every one of a line or none: a number that was converted cannot be compared with one that was not.
	 */
	CHECK_STR(hold(STR("1700000000 1700000001")), "1700000000 1700000001");
	CHECK_STR(hold(STR("at 1700000000, size 1700000000")), "at 1700000000, size 1700000000");
	CHECK_STR(hold(STR("from 1700000000 to 1700000001\nat 1700000000 of 1700000001\n")),
		"from 2023-11-14T22:13:20Z to 2023-11-14T22:13:21Z\nat 1700000000 of 1700000001\n");
	CHECK_STR(hold(STR("v1700000000 built at 1700000000")), "v1700000000 built at 2023-11-14T22:13:20Z");
}

/* Characters that pass for a blank or for nothing; those of ordinary texts stay. */
static void test_odd_blanks(void)
{
	CHECK_STR(normalise_text(&a, STR("a\u2800b\u2003c\u1680d\ufffce\xef\xbf\xbe\n"), NULL, NULL),
			"a\\u{2800}b\\u{2003}c\\u{1680}d\\u{fffc}e\\u{fffe}\n");
	CHECK_STR(normalise_text(&a, STR("3\u00a0000\u202f km \u3000\u2014\n"), NULL, NULL),
			"3\u00a0000\u202f km \u3000\u2014\n");
}

static void test_counts(void)
{
	struct sanitized c;

	normalise_text(&a, STR(
			"\033[1mx\033[0m\033]0;t\007\007\r\n"
			"\b\0\xff\xe2\x80\xae\xf3\xa0\x81\xa1\xe2\x80\x8b at 1700000000\n... truncated (1 "
			"more lines) ...\n"), &both, &c);
	CHECK_INT(c.ansi, 2);
	CHECK_INT(c.osc, 1);
	CHECK_INT(c.control, 1);
	CHECK_INT(c.cr, 1);
	CHECK_INT(c.backspace, 1);
	CHECK_INT(c.nul, 1);
	CHECK_INT(c.bad_utf8, 1);
	CHECK_INT(c.bidi, 1);
	CHECK_INT(c.tags, 1);
	CHECK_INT(c.invisible, 1);
	CHECK_INT(c.timestamps, 1);
	CHECK_INT(c.markers, 1);
}

/* Lines around the bound, and strings around theirs. */
static void test_bounds(void)
{
	for (size_t n = 16370; n < 16395; n++) {
		struct buf b;

		buf_init(&b, &a, 0);
		for (size_t i = 0; i < n; i++)
			buf_char(&b, 'x');
		buf_c(&b, " at 1700000000\rY\b\033[Kz\n... truncated (1 more lines) ...\n");
		hold(buf_view(&b));
		buf_c(&b, "\033]0;");
		for (size_t i = 0; i < n - 12290; i++)
			buf_c(&b, i % 50 ? "\xc3\xa9" : "a");
		buf_c(&b, "\007\n");
		hold(buf_view(&b));
	}
}

/* Pieces of everything that means something, at random. */
static void test_random(void)
{
	static const struct str pieces[] = {
		N("\033"), N("["), N("]0;"), N("\033["), N("1700000000"), N(" "), N("\n"), N("\r"), N("\b"),
				N("\t"), N("3"), N(";"), N("K"), N("A"), N("C"), N("m"), N("\007"),
				N("\033\\"), N("\xc2\x9b"), N("\xc2"),
		N("\x9d"), N("\xf0\x9f\x8f\xb4"), N("\xf3\xa0\x81\xa7"), N("\xe2\x80\x8d"), N("\xef\xb8\x8f"),
		N("... truncated (1 more lines) ..."), N("id"), N("x"), N("{"), N("["), N(","), N("\0"),
		N("\xe2\x80\xae"),
		N("\xef\xbb\xbf"), N("\v"), N("\033P"), N("."), N("12"), N(":"), N("at "), N("\x18"),
	};
	uint64_t state = 88172645463325252u;

	for (unsigned round = 0; round < 4000 && !unit_bad; round++) {
		struct buf b;
		struct arena keep = a;

		arena_init(&a, ARENA_CAP_DEFAULT);
		buf_init(&b, &a, 0);
		for (unsigned i = 0; i < 1 + round % 40; i++) {
			state ^= state << 13;
			state ^= state >> 7;
			state ^= state << 17;
			buf_str(&b, pieces[state % (ARRAY_SIZE(pieces))]);
		}
		hold(buf_view(&b));
		if (unit_bad)
			unit_bytes(" raw", buf_view(&b));
		arena_free(&a);
		a = keep;
	}
}

int main(void)
{
	arena_init(&a, (size_t)4 << 30);
	RUN(test_samples);
	RUN(test_rows);
	RUN(test_times);
	RUN(test_times_context);
	RUN(test_odd_blanks);
	RUN(test_counts);
	RUN(test_bounds);
	RUN(test_random);
	arena_free(&a);
	return unit_end();
}
