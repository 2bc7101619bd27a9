/* Reading the record: both directions, filters, fields, odd lines, times. */
#define _GNU_SOURCE
#include "audit/inner.h"
#include "audit/read.h"
#include "record_place.h"

static void add(const struct audit *au, const struct audit_row *row)
{
	struct arena a;
	struct err e = {0};
	arena_init(&a, 32 << 20);
	if (audit_append(&a, au, row, NULL, &e) < 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	arena_free(&a);
}

static void put_bytes(const char *name, struct str s)
{
	FD_CLEANUP int fd = open(at(name), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	CHECK_INT(fd_write_all(fd, name, s, NULL), 0);
}

/* The numbers of the rows that pass, as "1 2 3", and what was passed over. */
static struct str seqs(const struct audit *au, struct audit_filter f, enum audit_order order,
		struct audit_passed *ret)
{
	struct audit_reader *r;
	struct err e = {0};
	struct buf b;
	struct audit_line *l = arena_new(A, struct audit_line);
	int got = -1;
	buf_init(&b, A, 0);
	if (audit_reader_new(A, au, &f, order, &r, &e) < 0) {
		unit_fail(__FILE__, __LINE__, "%s", e.text);
		return STR("");
	}
	while ((got = audit_next(r, l, &e)) > 0)
		buf_fmt(&b, "%s%" PRIu64, b.n ? " " : "", l->seq);
	if (got < 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	if (ret)
		*ret = audit_reader_passed(r);
	audit_reader_close(r);
	return buf_view(&b);
}

static void test_fields(void)
{
	struct audit au = open_at("fields");
	const struct str reasons[] = {STR("a\"b"), STR("c")};
	struct audit_row row = {.kind = AUDIT_END, .id = STR("x-1"),
			.command = STR("echo \"a\\b\"\n\t\x01\xc3\xa9"), .agent_id = STR("me"),
			.reasons = reasons, .nreasons = 2,
				.duration_ms = {true, 12}, .exit_code = {true, -1},
				.validation = {.outcome = STR("valid"), .task = STR("t{\"")}};
	struct audit_filter f = {0};
	struct audit_reader *r;
	struct audit_line l;
	struct err e = {0};
	int64_t n = 0;
	add(&au, &row);
	CHECK_INT(audit_reader_new(A, &au, &f, AUDIT_OLDEST_FIRST, &r, &e), 0);
	CHECK_INT(audit_next(r, &l, &e), 1);
	CHECK_INT(l.kind, AUDIT_END);
	CHECK_INT(l.time, NOON);
	CHECK_INT(l.at, 0);
	CHECK_STR(str_of(l.file), "2026-01-01.jsonl");
	CHECK_STR(l.id, "x-1");
	CHECK_STR(audit_text(A, audit_field(&l, "command")), "echo \"a\\b\"\n\t\x01\xc3\xa9");
	CHECK_STR(audit_field(&l, "agent_id"), "\"me\"");
	CHECK(audit_number(audit_field(&l, "duration_ms"), &n) && n == 12);
	CHECK(audit_number(audit_field(&l, "exit_code"), &n) && n == -1);
	CHECK(!audit_number(audit_field(&l, "cpu_ms"), &n));
	CHECK_STR(audit_field(&l, "cpu_ms"), "null");
	CHECK_STR(audit_field(&l, "nothing"), "");
	CHECK_STR(audit_text(A, audit_inner(audit_field(&l, "validation"), "task")), "t{\"");
	CHECK_STR(audit_inner(audit_field(&l, "validation"), "none"), "");
	CHECK_STR(audit_inner(audit_field(&l, "agent_id"), "none"), "");
	struct str list = audit_field(&l, "reasons"), item;
	CHECK(audit_item(&list, &item));
	CHECK_STR(audit_text(A, item), "a\"b");
	CHECK(audit_item(&list, &item));
	CHECK_STR(audit_text(A, item), "c");
	CHECK(!audit_item(&list, &item));
	list = STR("[]");
	CHECK(!audit_item(&list, &item));
	CHECK_INT(audit_next(r, &l, &e), 0);
	CHECK_INT(audit_next(r, &l, &e), 0);
	audit_reader_close(r);
	audit_close(&au);
}

static void test_escapes(void)
{
	static const struct {
		const char *json, *want;
	} rows[] = {{"\"\\u00e9\\ud83d\\ude00\\/\\b\\f\\r\"", "\xc3\xa9\xf0\x9f\x98\x80/\b\f\r"},
			{"\"\\ud83dx\"", "\xef\xbf\xbdx"}, {"\"\\u12\"", "?12"}, {"\"\\", ""}, {"12", ""},
			{"\"", ""},
		    {"\"\\u\"", "?"}, {"\"a\\\"", "a\\"}};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(audit_text(A, str_of(rows[i].json)), rows[i].want);
}

static void test_filters(void)
{
	struct audit au = open_at("filters");
	struct regex *re;
	struct err e = {0};
	for (int i = 1; i <= 9; i++) {
		struct audit_row row = {.kind = i % 3 ? AUDIT_VERDICT : AUDIT_END,
				.id = str_fmt(A, "r%d", i / 2),
				.agent_id = i % 2 ? STR("odd") : STR("ev\"en"),
				.command = str_fmt(A, "ls\n%d", i),
					.verdict = i > 6 ? STR("deny") : STR("allow"),
					.status = i % 3 ? STR("") : STR("oom")};
		clock_us = NOON + (i - 1) * AUDIT_DAY_US / 4;
		add(&au, &row);
	}
	CHECK_STR(seqs(&au, (struct audit_filter){0}, AUDIT_OLDEST_FIRST, NULL), "1 2 3 4 5 6 7 8 9");
	CHECK_STR(seqs(&au, (struct audit_filter){0}, AUDIT_NEWEST_FIRST, NULL), "9 8 7 6 5 4 3 2 1");
	CHECK_STR(seqs(&au, (struct audit_filter){.agent_id = STR("ev\"en")}, AUDIT_OLDEST_FIRST, NULL),
			"2 4 6 8");
	CHECK_STR(seqs(&au, (struct audit_filter){.verdict = STR("deny"), .agent_id = STR("odd")},
			AUDIT_NEWEST_FIRST, NULL), "9 7");
	CHECK_STR(seqs(&au, (struct audit_filter){.status = STR("oom")}, AUDIT_OLDEST_FIRST, NULL), "3 6 9");
	CHECK_STR(seqs(&au, (struct audit_filter){.kinds = 1u << AUDIT_END | 1u << AUDIT_BEGIN},
			AUDIT_OLDEST_FIRST, NULL), "3 6 9");
	CHECK_STR(seqs(&au, (struct audit_filter){.id = STR("r2")}, AUDIT_OLDEST_FIRST, NULL), "4 5");
	CHECK_STR(seqs(&au, (struct audit_filter){.since = NOON + AUDIT_DAY_US / 4,
			.until = NOON + AUDIT_DAY_US}, AUDIT_OLDEST_FIRST, NULL), "2 3 4");
	CHECK_STR(seqs(&au, (struct audit_filter){.since = NOON + 3 * AUDIT_DAY_US}, AUDIT_OLDEST_FIRST,
			NULL), "");
	CHECK_INT(regex_new(A, STR("^ls\\n[3-5]$"), 0, &re, NULL, &e), 0);
	CHECK_STR(seqs(&au, (struct audit_filter){.grep = re}, AUDIT_OLDEST_FIRST, NULL), "3 4 5");
	audit_close(&au);
}

/*
 * Lines that are no rows are passed over in both directions, however long they are and wherever they stand.
 */
static void test_odd(void)
{
	struct audit au = open_at("odd");
	const char *day = "odd/audit/2026-01-01.jsonl";
	struct audit_row row = {.kind = AUDIT_VERDICT, .command = STR("ls")};
	struct audit_passed p;
	clock_us = NOON;
	add(&au, &row);
	struct str good, e0;
	CHECK_INT(file_read(A, at(day), 1 << 20, &good, NULL, NULL), 0);
	e0 = str_sub(good, 0, good.n - 1);
	put_bytes(day, STR("\n\nnot a row\n{}\n"));
	/* every part of a row's start, and one with a byte too many */
	for (size_t cut = 1; cut < e0.n; cut++) {
		put_bytes(day, str_sub(e0, 0, cut));
		put_bytes(day, STR("\n"));
	}
	put_bytes(day, str_cat(A, str_cat(A, str_sub(e0, 0, 60), STR("\x1b")), str_sub(e0, 61, e0.n)));
	put_bytes(day, STR("\n"));
	char *longs = arena_alloc(A, 3 * AUDIT_ROW_MAX);
	memset(longs, 'x', 3 * AUDIT_ROW_MAX);
	static const size_t sizes[] = {AUDIT_ROW_MAX - 1, AUDIT_ROW_MAX, AUDIT_ROW_MAX + 1,
			2 * AUDIT_ROW_MAX + 77};
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		put_bytes(day, str_n(longs, sizes[i]));
		put_bytes(day, STR("\n"));
		put_bytes(day, good);
	}
	put_bytes(day, STR("torn"));
	CHECK_STR(seqs(&au, (struct audit_filter){0}, AUDIT_OLDEST_FIRST, &p), "1 1 1 1 1");
	const uint64_t odd = 4 + e0.n - 1 + 1 + 4;
	CHECK_INT(p.odd, odd);
	CHECK_STR(seqs(&au, (struct audit_filter){0}, AUDIT_NEWEST_FIRST, &p), "1 1 1 1 1");
	CHECK_INT(p.odd, odd);
	/* now the torn line is not at the end of the record */
	put_bytes("odd/audit/2026-01-02.jsonl", STR("x"));
	CHECK_STR(seqs(&au, (struct audit_filter){0}, AUDIT_NEWEST_FIRST, &p), "1 1 1 1 1");
	CHECK_INT(p.odd, odd + 1);
	CHECK_STR(seqs(&au, (struct audit_filter){0}, AUDIT_OLDEST_FIRST, &p), "1 1 1 1 1");
	CHECK_INT(p.odd, odd + 1);
	audit_close(&au);
}

/* Rows of many lengths around the sizes of blocks: the same rows at the same places in both directions. */
static void test_blocks(void)
{
	struct audit au = open_at("blocks");
	struct buf want;
	char *text = arena_alloc(A, 1 << 20);
	uint32_t random = 1;
	memset(text, 'c', 1 << 20);
	buf_init(&want, A, 0);
	clock_us = NOON;
	for (int i = 1; i <= 200; i++) {
		random = random * 1664525 + 1013904223;
		struct audit_row row = {.kind = AUDIT_VERDICT,
				.command = str_n(text, i % 20 ? random >> 20 : 128 << 10)};
		add(&au, &row);
		buf_fmt(&want, "%s%d", i > 1 ? " " : "", i);
	}
	struct audit_passed p;
	CHECK(str_eq(seqs(&au, (struct audit_filter){0}, AUDIT_OLDEST_FIRST, &p), buf_view(&want)));
	CHECK_INT(p.odd, 0);
	struct audit_reader *r;
	struct audit_filter all = {0};
	struct audit_line l;
	struct str file;
	struct err e = {0};
	CHECK_INT(file_read(A, at("blocks/audit/2026-01-01.jsonl"), 64 << 20, &file, NULL, NULL), 0);
	CHECK_INT(audit_reader_new(A, &au, &all, AUDIT_NEWEST_FIRST, &r, &e), 0);
	uint64_t seq = 200, end = file.n;
	for (; audit_next(r, &l, &e) > 0; seq--) {
		CHECK_INT(l.seq, seq);
		CHECK_INT(l.at + l.text.n + 1, end);
		CHECK(str_eq(l.text, str_sub(file, l.at, l.at + l.text.n)));
		end = l.at;
	}
	CHECK_INT(seq, 0);
	CHECK_INT(end, 0);
	audit_reader_close(r);
	audit_close(&au);
}

static void test_times(void)
{
	static const struct {
		const char *text, *start, *end;
	} rows[] = {
		{"now", "2026-01-01T12:00:00.000000Z", "2026-01-01T12:00:00.000000Z"},
		{"30s", "2026-01-01T11:59:30.000000Z", "2026-01-01T11:59:30.000000Z"},
		{"90m", "2026-01-01T10:30:00.000000Z", "2026-01-01T10:30:00.000000Z"},
		{"7d", "2025-12-25T12:00:00.000000Z", "2025-12-25T12:00:00.000000Z"},
		{"2w", "2025-12-18T12:00:00.000000Z", "2025-12-18T12:00:00.000000Z"},
		{"today", "2026-01-01T00:00:00.000000Z", "2026-01-02T00:00:00.000000Z"},
		{"yesterday", "2025-12-31T00:00:00.000000Z", "2026-01-01T00:00:00.000000Z"},
		{"2024-02-29", "2024-02-29T00:00:00.000000Z", "2024-03-01T00:00:00.000000Z"},
		{"2026-01-31T10:20", "2026-01-31T10:20:00.000000Z", "2026-01-31T10:20:00.000000Z"},
		{"2026-12-31 23:59:59.5Z", "2026-12-31T23:59:59.500000Z", "2026-12-31T23:59:59.500000Z"},
		{"@1767268800", "2026-01-01T12:00:00.000000Z", "2026-01-01T12:00:00.000000Z"},
		{"1970-01-01T00:00:01", "1970-01-01T00:00:01.000000Z", "1970-01-01T00:00:01.000000Z"},
	};
	static const char *const bad[] = {"", "7", "d", "-7d", "7x", "2026-02-29", "2026-13-01", "2026-00-01",
			"2026-1-1", "2026-01-31T", "2026-01-31T24:00", "2026-01-31T10:00:00.",
			"2026-01-31T10:00ZZ", "tomorrow", "@", "@x",
					  "99999999999999999999d", "\x1b[31m"};
	char text[AUDIT_TS_CHARS + 1];
	struct err e = {0};
	int64_t t;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (int end = 0; end < 2; end++) {
			CHECK_INT(audit_time_parse(str_of(rows[i].text), NOON, end, &t, &e), 0);
			audit_time_text(t, text);
			CHECK_STR(str_of(text), end ? rows[i].end : rows[i].start);
			CHECK_INT(audit_time_of(str_of(text)), t);
		}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK_INT(audit_time_parse(str_of(bad[i]), NOON, false, &t, &e), -1);
	CHECK_INT(audit_time_of(STR("2026-01-31T10:00:00.000000")), -1);
	for (int64_t day = 0; day < 40000; day += 13) {
		audit_time_text(day * AUDIT_DAY_US + 1, text);
		CHECK_INT(audit_time_of(str_of(text)), day * AUDIT_DAY_US + 1);
	}
}

int main(void)
{
	if (place_begin() < 0)
		return 1;
	RUN(test_fields);
	RUN(test_escapes);
	RUN(test_filters);
	RUN(test_odd);
	RUN(test_blocks);
	RUN(test_times);
	place_end();
	return unit_end();
}
