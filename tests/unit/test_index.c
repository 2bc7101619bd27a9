/*
 * The index: the same answers as reading the files, whatever happens to index and record; many at once,
 * killed ones, and one that cannot be used.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <time.h>

#include "audit/index.h"
#include "record_place.h"

#define ROWS 240

static const char *const agents[] = {"a1", "a \"2\"", "\xc3\xa9", ""};
static const char *const verdicts[] = {"allow", "deny", "ask", "contain", ""};
static const char *const statuses[] = {"ok", "oom", "", "timeout"};

/* Rows of all kinds; every fifth has a command that is too long to be kept in the index. */
static void add(const struct audit *au, int i)
{
	static char text[INDEX_TEXT_MAX + 100];
	struct arena a;
	struct err e = {0};
	arena_init(&a, 8 << 20);
	memset(text, 'x', sizeof text);
	struct str command = i % 5 ? str_fmt(&a, "echo \"%d\"\n\tword%d", i % 17, i % 7) : str_fmt(&a,
			"%.*s word%d", (int)sizeof text, text, i % 7);
	struct audit_row row = {.kind = i % 3 ? AUDIT_VERDICT : AUDIT_END, .id = str_fmt(&a, "id-%d", i / 2),
			.agent_id = str_of(agents[i % 4]), .verdict = str_of(verdicts[i % 5]),
				.status = i % 3 ? STR("") : str_of(statuses[i % 4]),
				.command = i % 11 ? command : STR("")};
	if (audit_append(&a, au, &row, NULL, &e) < 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	arena_free(&a);
}

static void fill(const struct audit *au, int from, int to)
{
	for (int i = from; i < to; i++) {
		clock_us = NOON + i * (AUDIT_DAY_US / 50); /* five days */
		add(au, i);
	}
}

struct answer {
	struct str seqs;
	bool by_index;
	struct str why;
};

static struct answer find(const struct audit *au, const struct audit_filter *f, size_t newest)
{
	struct search *s;
	struct err e = {0};
	struct answer ret = {0};
	struct buf b;
	struct arena a; /* of one question, as in the program */
	struct audit_line *l = arena_new(A, struct audit_line);
	int got = -1;
	buf_init(&b, A, 0);
	arena_init(&a, 64 << 20);
	if (search_new(&a, au, f, newest, &s, &e) < 0) {
		unit_fail(__FILE__, __LINE__, "%s", e.text);
		return ret;
	}
	while ((got = search_next(s, l, &e)) > 0)
		buf_fmt(&b, "%" PRIu64 "@%s:%" PRIu64 " ", l->seq, l->file, l->at);
	if (got < 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	ret.by_index = search_by_index(s, &ret.why);
	ret.why = str_dup(A, ret.why);
	search_close(s);
	arena_free(&a);
	ret.seqs = buf_view(&b);
	return ret;
}

/* The answer by reading the files. */
static struct str scan(const struct audit *au, const struct audit_filter *f, size_t newest)
{
	struct audit_reader *r;
	struct err e = {0};
	struct audit_line *l = arena_new(A, struct audit_line);
	struct str *all = arena_array(A, 4 * ROWS, sizeof *all);
	struct buf b;
	struct arena a;
	size_t n = 0;
	buf_init(&b, A, 0);
	arena_init(&a, 64 << 20);
	if (audit_reader_new(&a, au, f, AUDIT_OLDEST_FIRST, &r, &e) < 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	while (audit_next(r, l, &e) > 0)
		all[n++] = str_fmt(A, "%" PRIu64 "@%s:%" PRIu64 " ", l->seq, l->file, l->at);
	audit_reader_close(r);
	arena_free(&a);
	for (size_t i = newest && newest < n ? n - newest : 0; i < n; i++)
		buf_str(&b, all[i]);
	return buf_view(&b);
}

static struct regex *regex(const char *pattern)
{
	struct regex *re = NULL;
	struct err e = {0};
	CHECK_INT(regex_new(A, str_of(pattern), 0, &re, NULL, &e), 0);
	return re;
}

/* Every question (of so many) gives the same with and without the index. */
static void compare(int line, const struct audit *au, size_t of)
{
	const struct audit_filter filters[] = {
		{.agent_id = STR("a1")}, {.agent_id = STR("a \"2\""), .verdict = STR("deny")},
		{.agent_id = STR("nobody")}, {.verdict = STR("ask")}, {.status = STR("oom")},
		{.id = STR("id-7")}, {.id = STR("id-9999")},
		{.agent_id = STR("\xc3\xa9"), .since = NOON + AUDIT_DAY_US, .until = NOON + 2 * AUDIT_DAY_US},
		{.verdict = STR("deny"), .kinds = 1u << AUDIT_END}, {.grep = regex("word3$")},
		{.grep = regex("^echo \"4\""), .agent_id = STR("a1")},
		{.grep = regex("x word5"), .verdict = STR("contain")}, {.grep = regex("nowhere")},
		{.grep = regex("."), .status = STR("ok")},
		{.grep = regex("word"), .since = NOON + AUDIT_DAY_US / 3},
		{.status = STR("timeout"), .verdict = STR("allow")},
	};
	static const size_t newest[] = {0, 7};
	for (size_t i = 0; i < ARRAY_SIZE(filters); i += of)
		for (size_t k = 0; k < ARRAY_SIZE(newest); k++) {
			struct answer got = find(au, &filters[i], newest[k]);
			struct str want = scan(au, &filters[i], newest[k]);
			if (!str_eq(got.seqs, want))
				unit_fail(__FILE__, line, "filter %zu, newest %zu: '%.*s', want '%.*s'", i,
						newest[k], STR_ARG(got.seqs), STR_ARG(want));
			if (!got.by_index)
				unit_fail(__FILE__, line, "filter %zu: not by the index: %.*s", i,
						STR_ARG(got.why));
		}
}
#define COMPARE(au) compare(__LINE__, (au), 1)
#define COMPARE_SOME(au) compare(__LINE__, (au), 5)

/* All that does not depend on the index's key, as text. */
static struct str dump(const char *name)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *s = NULL;
	struct buf b;
	buf_init(&b, A, 0);
	CHECK_INT(sqlite3_open_v2(at(name), &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	CHECK_INT(sqlite3_prepare_v2(db,
			"SELECT place || ' ' || length || ' ' || coalesce(text, '') FROM row LEFT JOIN "
			"command ON digest = command UNION ALL SELECT day || ' ' || done || ' ' || rows "
			"FROM file ORDER BY 1", -1, &s, NULL), SQLITE_OK);
	while (sqlite3_step(s) == SQLITE_ROW)
		buf_fmt(&b, "%s\n", sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	sqlite3_close(db);
	return buf_view(&b);
}

static int64_t count(const char *name, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *s = NULL;
	int64_t n = -1;
	sqlite3_open_v2(at(name), &db, SQLITE_OPEN_READWRITE, NULL);
	if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
		n = sqlite3_column_int64(s, 0);
	sqlite3_finalize(s);
	sqlite3_close(db);
	return n;
}

static struct index_counts update(const struct audit *au, bool anew)
{
	struct index_counts c = {0};
	struct err e = {0};
	struct arena a;
	arena_init(&a, 64 << 20);
	if (index_update(&a, au, anew, &c, &e) < 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	arena_free(&a);
	return c;
}

static struct audit made(const char *state, int rows)
{
	struct audit au = open_at(state);
	clock_us = NOON;
	fill(&au, 0, rows);
	return au;
}

static void write_over(const char *name, off_t from, struct str bytes, bool cut)
{
	FD_CLEANUP int fd = open(at(name), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	CHECK(pwrite(fd, bytes.p, bytes.n, from) == (ssize_t)bytes.n);
	if (cut)
		CHECK_INT(ftruncate(fd, from + (off_t)bytes.n), 0);
}

/* ---- the tests ---- */

static void test_answers(void)
{
	struct audit au = made("answers", ROWS);
	struct stat st;
	COMPARE(&au);
	CHECK(stat(at("answers/index.sqlite"), &st) == 0 && (st.st_mode & 0777) == 0600);
	CHECK(stat(at("answers/index.lock"), &st) == 0 && (st.st_mode & 0777) == 0600);
	/* questions that the index does not help with, and nothing is amiss */
	struct answer got = find(&au, &(struct audit_filter){.kinds = 1u << AUDIT_END}, 0);
	CHECK(!got.by_index && !got.why.n &&
			str_eq(got.seqs, scan(&au, &(struct audit_filter){.kinds = 1u << AUDIT_END}, 0)));
	got = find(&au, &(struct audit_filter){0}, 9);
	CHECK(!got.by_index && str_eq(got.seqs, scan(&au, &(struct audit_filter){0}, 9)));
	audit_close(&au);
}

static void test_incremental(void)
{
	struct audit au = open_at("incremental");
	const char *name = "incremental/index.sqlite";
	uint64_t added = 0;
	clock_us = NOON;
	for (int i = 0; i < ROWS; i += 30) {
		fill(&au, i, i + 30);
		struct index_counts c = update(&au, false);
		CHECK_INT(c.added, 30);
		CHECK_INT(c.dropped, 0);
		added += c.added;
		CHECK_INT(c.rows, added);
	}
	CHECK_INT(update(&au, false).added, 0);
	COMPARE(&au);
	struct str grown = dump(name);
	struct index_counts c = update(&au, true);
	CHECK_INT(c.added, ROWS);
	CHECK_INT(c.files, 6);
	CHECK(grown.n > 1000 && str_eq(grown, dump(name)));
	audit_close(&au);
}

static void test_damaged(void)
{
	struct audit au = made("damaged", ROWS);
	const char *name = "damaged/index.sqlite";
	static char junk[100000];
	struct stat st;
	COMPARE(&au);
	CHECK_INT(unlink(at(name)), 0);
	COMPARE_SOME(&au);
	memset(junk, 'j', sizeof junk);
	static const off_t places[] = {0, 16, 24, 100, 4096, 8192, 20000};
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		write_over(name, places[i], str_n(junk, 3000), false);
		COMPARE_SOME(&au);
	}
	static const off_t ends[] = {0, 1, 99, 512, 4096, 5000, 16384};
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		write_over(name, ends[i], STR(""), true);
		COMPARE_SOME(&au);
	}
	write_over(name, 0, str_n(junk, sizeof junk), true);
	COMPARE_SOME(&au);
	write_over("damaged/index.sqlite-journal", 0, str_n(junk, 5000), true);
	COMPARE_SOME(&au);
	/* another version, another program's, other tables, no key; a text where a number should be */
	static const char *const changes[] = {"PRAGMA user_version=7", "PRAGMA application_id=3",
			"DROP TABLE row", "DROP TABLE own", "DELETE FROM own",
			"ALTER TABLE file RENAME COLUMN done TO xdone",
					      "UPDATE file SET last_hash='x'",
					      "UPDATE file SET done=5, size=5", "UPDATE file SET inode=1",
					      "UPDATE row SET place=place+1; UPDATE file SET changed=1",
					      "DELETE FROM file; DELETE FROM own",
					      "UPDATE own SET boot='before'",
					      ("UPDATE own SET boot='before'; "
					       "DELETE FROM row WHERE place % 5 = 1")};
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		sqlite3 *db = NULL;
		CHECK_INT(sqlite3_open_v2(at(name), &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
		CHECK_INT(sqlite3_exec(db, changes[i], NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(db);
		COMPARE_SOME(&au);
	}
	/* places that are none: nothing is shown that does not pass */
	sqlite3 *db = NULL;
	sqlite3_open_v2(at(name), &db, SQLITE_OPEN_READWRITE, NULL);
	CHECK_INT(sqlite3_exec(db,
			"UPDATE row SET length = length + 1 WHERE place % 3 = 0; UPDATE row SET agent = "
			"(SELECT agent FROM row LIMIT 1)", NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	const struct audit_filter a1 = {.agent_id = STR("a1")};
	struct answer got = find(&au, &a1, 0);
	struct str all = scan(&au, &a1, 0);
	for (size_t from = 0; from < got.seqs.n;) {
		size_t to = (size_t)str_find(got.seqs, ' ', from) + 1;
		CHECK(str_contains(all, str_sub(got.seqs, from, to)));
		from = to;
	}
	/* others may read it: made anew, for the caller alone */
	CHECK_INT(chmod(at(name), 0644), 0);
	COMPARE_SOME(&au);
	CHECK(stat(at(name), &st) == 0 && (st.st_mode & 0777) == 0600);
	CHECK_INT(unlink(at(name)), 0);
	make_file("damaged/elsewhere", "not to be touched", 0600);
	make_link("elsewhere", "damaged/index.sqlite");
	COMPARE_SOME(&au);
	CHECK(lstat(at(name), &st) == 0 && S_ISREG(st.st_mode));
	CHECK(stat(at("damaged/elsewhere"), &st) == 0 && st.st_size == 17);
	audit_close(&au);
}

static void test_record_changes(void)
{
	struct audit au = made("changes", ROWS);
	const char *name = "changes/index.sqlite", *day = "changes/audit/2026-01-03.jsonl";
	struct str text;
	COMPARE(&au);
	const int64_t commands = count(name, "SELECT count(*) FROM command");
	CHECK_INT(file_read(A, at(day), 64 << 20, &text, NULL, NULL), 0);
	/* cut at a line's end, and in the middle of one */
	const size_t half = (size_t)str_find(text, '\n', text.n / 2) + 1;
	write_over(day, (off_t)half, STR(""), true);
	COMPARE_SOME(&au);
	write_over(day, (off_t)half - 40, STR(""), true);
	COMPARE_SOME(&au);
	write_over(day, 0, text, true);
	COMPARE_SOME(&au);
	/* other bytes of the same length: one row of another agent, one line that is no row any more */
	char *other = str_c(A, text), *agent = strstr(other, "\"agent_id\":\"a1\"");
	CHECK(agent != NULL);
	memcpy(agent, "\"agent_id\":\"b1\"", 15);
	write_over(day, 0, str_n(other, text.n), true);
	COMPARE_SOME(&au);
	CHECK(find(&au, &(struct audit_filter){.agent_id = STR("b1")}, 0).seqs.n > 0);
	other[0] = 'x';
	write_over(day, 0, str_n(other, text.n), true);
	COMPARE_SOME(&au);
	/* as it was */
	write_over(day, 0, text, true);
	COMPARE_SOME(&au);
	CHECK_INT(count(name, "SELECT count(*) FROM row"), ROWS);
	/* a torn last line, which becomes a row; a line that is far too long */
	write_over("changes/audit/2026-01-06.jsonl", 0, str_sub(text, 0, 300), true);
	COMPARE_SOME(&au);
	char *longs = arena_alloc(A, AUDIT_ROW_MAX + 10);
	memset(longs, 'x', AUDIT_ROW_MAX + 10);
	longs[AUDIT_ROW_MAX + 9] = '\n';
	write_over("changes/audit/2026-01-06.jsonl", 0, str_cat(A, str_n(longs, AUDIT_ROW_MAX + 10), text),
			true);
	COMPARE_SOME(&au);
	struct err e = {0};
	/* dropped: no row and no text of it stays behind */
	CHECK_INT(unlink(at("changes/audit/2026-01-06.jsonl")), 0);
	for (int d = 1; d <= 5; d++) {
		CHECK(unlink(at(str_fmt_c(A, "changes/audit/2026-01-0%d.jsonl", d))) == 0);
		COMPARE_SOME(&au);
	}
	CHECK(commands > 100);
	CHECK_INT(index_forget(A, &au, &e), 0);
	CHECK_INT(count(name, "SELECT count(*) FROM row"), 0);
	CHECK_INT(count(name, "SELECT count(*) FROM command"), 0);
	CHECK_INT(count(name, "SELECT count(*) FROM file"), 0);
	make_file("changes/audit/2026-99-99.jsonl", "{}\n", 0600); /* no day: nothing to be found there */
	COMPARE_SOME(&au);
	audit_close(&au);
}

static void test_unusable(void)
{
	struct audit au = made("unusable", 60);
	const struct audit_filter f = {.agent_id = STR("a1")};
	make_dir("unusable/index.sqlite", 0700);
	make_file("unusable/index.sqlite/x", "", 0600);
	struct answer got = find(&au, &f, 0);
	CHECK(!got.by_index && got.why.n && got.seqs.n && str_eq(got.seqs, scan(&au, &f, 0)));
	got = find(&au, &f, 3);
	CHECK(!got.by_index && str_eq(got.seqs, scan(&au, &f, 3)));
	CHECK_INT(unlink(at("unusable/index.sqlite/x")), 0);
	CHECK_INT(rmdir(at("unusable/index.sqlite")), 0);
	COMPARE(&au);
	/*
	 * what was dropped must be forgotten: an index that cannot be brought up to date goes away, and one
	 * that is not there is none
	 */
	struct err e = {0};
	write_over("unusable/index.sqlite", 0, STR("junk"), true);
	CHECK_INT(index_forget(A, &au, &e), 0);
	CHECK_INT(count("unusable/index.sqlite", "SELECT count(*) FROM row"), 60);
	CHECK_INT(unlink(at("unusable/index.sqlite")), 0);
	CHECK_INT(index_forget(A, &au, &e), 0);
	CHECK(access(at("unusable/index.sqlite"), F_OK) < 0);
	COMPARE(&au);
	/* somebody holds the lock and does not let go */
	FD_CLEANUP int fd = open(at("unusable/index.lock"), O_RDWR | O_CLOEXEC);
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	CHECK_INT(fcntl(fd, F_OFD_SETLK, &whole), 0);
	got = find(&au, &f, 0);
	CHECK(!got.by_index && str_contains(got.why, STR("locked")) && str_eq(got.seqs, scan(&au, &f, 0)));
	fd_close(&fd);
	COMPARE(&au);
	/* a record that cannot be read is an error, not an empty answer */
	struct search *s;
	CHECK_INT(chmod(at("unusable/audit/2026-01-01.jsonl"), 0666), 0);
	CHECK_INT(search_new(A, &au, &f, 0, &s, &e) < 0 ? -1 : search_next(s, arena_new(A, struct audit_line),
			&e), -1);
	CHECK(str_contains(str_of(e.text), STR("other users can write")));
	audit_close(&au);
}

/* Writers and those who ask, all at once: nobody fails, and what was there before is always found. */
static void test_many(void)
{
	enum { CHILDREN = 8, ROUNDS = 12 };
	struct audit au = made("many", 40);
	pid_t pids[CHILDREN];
	int bad = 0;
	for (int c = 0; c < CHILDREN; c++) {
		if ((pids[c] = fork()) == 0) {
			const struct audit_filter f = {.agent_id = STR("a1")};
			size_t before = 0;
			for (int i = 0; i < ROUNDS; i++) {
				if (c < 2)
					add(&au, 100 * c + i);
				struct answer got = find(&au, &f, 0);
				if (!got.by_index || got.seqs.n < before)
					_exit(1);
				before = got.seqs.n;
				if (c == 7 && i % 4 == 1)
					update(&au, true);
			}
			_exit(0);
		}
	}
	for (int c = 0; c < CHILDREN; c++) {
		int status = -1;
		waitpid(pids[c], &status, 0);
		bad += status != 0;
	}
	CHECK_INT(bad, 0);
	COMPARE(&au);
	CHECK_INT(count("many/index.sqlite", "SELECT count(*) FROM row"), 40 + 2 * ROUNDS);
	audit_close(&au);
}

/*
 * Killed at any time while it indexes; the next one goes on, and ends with what one that was not killed has.
 */
static void test_killed(void)
{
	struct audit au = made("killed", ROWS);
	for (int i = 0; i < 40; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			for (;;)
				update(&au, true);
		}
		const struct timespec pause = {.tv_nsec = 300000 + (i * 7919 % 97) * 100000};
		nanosleep(&pause, NULL);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		if (i % 10 == 9)
			COMPARE(&au);
		else
			update(&au, false);
	}
	struct str after = dump("killed/index.sqlite");
	update(&au, true);
	CHECK(str_eq(after, dump("killed/index.sqlite")));
	CHECK_INT(count("killed/index.sqlite", "SELECT count(*) FROM row"), ROWS);
	audit_close(&au);
}

/* 1 when the row of this number is found, and it is that one. */
static int numbered(const struct audit *au, uint64_t seq)
{
	struct audit_line *l = arena_new(A, struct audit_line);
	struct err e = {0};
	struct arena a;
	arena_init(&a, 64 << 20);
	int got = search_seq(&a, au, seq, l, &e);
	arena_free(&a);
	return got == 1 && l->seq != seq ? 2 : got;
}

static void test_numbers(void)
{
	struct audit au = made("numbers", ROWS);
	for (uint64_t seq = 1; seq <= ROWS; seq += 7)
		CHECK_INT(numbered(&au, seq), 1);
	CHECK_INT(numbered(&au, ROWS), 1);
	CHECK_INT(numbered(&au, ROWS + 1), 0);
	/* days whose names are in another order than their numbers: still found */
	CHECK_INT(rename(at("numbers/audit/2026-01-02.jsonl"), at("numbers/audit/2027-01-01.jsonl")), 0);
	for (uint64_t seq = 1; seq <= ROWS; seq += 31)
		CHECK_INT(numbered(&au, seq), 1);
	audit_close(&au);
}

static void test_follow(void)
{
	struct audit au = open_at("follow");
	struct audit_follow *f;
	struct audit_line *l = arena_new(A, struct audit_line);
	struct err e = {0};
	uint64_t seen = 0;
	clock_us = NOON;
	CHECK_INT(audit_follow_new(A, &au, NULL, 0, &f, &e), 0);
	CHECK_INT(audit_follow_next(f, l, &e), 0);
	for (int i = 0; i < 40; i++) { /* over midnight, and several days at once */
		for (int k = 0; k <= i % 3; k++) {
			clock_us += AUDIT_DAY_US / 5;
			add(&au, i);
		}
		for (int k = 0; k <= i % 3; k++) {
			CHECK_INT(audit_follow_next(f, l, &e), 1);
			CHECK_INT(l->seq, ++seen);
		}
		CHECK_INT(audit_follow_next(f, l, &e), 0);
	}
	/* a torn line is not a row; the row that takes its place is */
	char *file = str_fmt_c(A, "follow/audit/%s", l->file);
	FD_CLEANUP int fd = open(at(file), O_WRONLY | O_APPEND | O_CLOEXEC);
	CHECK(write(fd, "{\"v\":1,", 7) == 7);
	CHECK_INT(audit_follow_next(f, l, &e), 0);
	add(&au, 1);
	CHECK_INT(audit_follow_next(f, l, &e), 1);
	CHECK_INT(l->kind, AUDIT_RECOVERED);
	CHECK_INT(audit_follow_next(f, l, &e), 1);
	CHECK_INT(audit_follow_next(f, l, &e), 0);
	/* the file is dropped */
	CHECK_INT(unlink(at(file)), 0);
	CHECK_INT(audit_follow_next(f, l, &e), 0);
	clock_us += AUDIT_DAY_US;
	add(&au, 1);
	CHECK_INT(audit_follow_next(f, l, &e), 1);
	audit_follow_close(f);
	audit_close(&au);
}

int main(void)
{
	if (place_begin() < 0)
		return 1;
	RUN(test_answers);
	RUN(test_incremental);
	RUN(test_damaged);
	RUN(test_record_changes);
	RUN(test_unusable);
	RUN(test_many);
	RUN(test_killed);
	RUN(test_numbers);
	RUN(test_follow);
	place_end();
	return unit_end();
}
