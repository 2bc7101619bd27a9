/*
 * The record: rows and their chain, every kind of tampering with one row, torn tails, many writers, killed
 * writers, a full disk, clocks.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>

#include "audit/inner.h"
#include "base/json.h"
#include "record_place.h"

#define WRITERS 64
#define ROWS_EACH 200
#define KILL_ROUNDS 40
#define SLURP_MAX ((size_t)400 << 20)
#define DAY_US ((int64_t)86400 * 1000000)
static int append_note(const struct audit *au, enum audit_kind kind, struct str note,
		struct audit_written *ret, struct err *e)
{
	struct arena a;
	struct audit_row row = {.kind = kind, .command = STR("echo \"a\\b\"\n\x01"), .agent_id = STR("agent"),
			.note = note};
	arena_init(&a, 1 << 20);
	int rc = audit_append(&a, au, &row, ret, e);
	arena_free(&a);
	return rc;
}

static struct audit_written add(const struct audit *au, const char *note)
{
	struct audit_written w = {0};
	struct err e = {0};
	if (append_note(au, AUDIT_VERDICT, str_of(note), &w, &e) < 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	return w;
}

static struct audit_verdict verify(const struct audit *au)
{
	struct arena a;
	struct audit_verdict v = {0};
	struct err e = {0};
	arena_init(&a, 16 << 20);
	if (audit_verify(&a, au, &(struct audit_anchor){0}, &v, &e) < 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	arena_free(&a);
	return v;
}

static void expect(int line, struct audit_verdict v, enum audit_fault fault, uint64_t at_line, uint64_t seq)
{
	if (v.fault != fault || (fault && (v.line != at_line || v.seq != seq)))
		unit_fail(__FILE__, line, "%s %s:%" PRIu64 " seq %" PRIu64 " (%s), want %s line %" PRIu64
				" seq %" PRIu64, audit_fault_name(v.fault), v.file, v.line, v.seq, v.why,
			  audit_fault_name(fault), at_line, seq);
}
#define EXPECT(v, fault, at_line, seq) expect(__LINE__, (v), (fault), (at_line), (seq))

static struct str slurp(const char *path)
{
	struct str s = {0};
	struct err e = {0};
	if (file_read(A, path, SLURP_MAX, &s, NULL, &e) < 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	return s;
}

static void spill(const char *path, struct str s)
{
	FD_CLEANUP int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	CHECK_INT(fd_write_all(fd, path, s, NULL), 0);
}

static size_t lines_of(struct str s, struct str *ret, size_t max)
{
	size_t n = 0;
	for (size_t from = 0; from < s.n && n < max;) {
		ptrdiff_t end = str_find(s, '\n', from);
		ret[n++] = str_sub(s, from, (size_t)end + 1);
		from = (size_t)end + 1;
	}
	return n;
}

/* ---- rows ---- */

static void test_row(void)
{
	struct audit au = open_at("row");
	struct err e = {0};
	struct audit_written w;
	const struct str reasons[] = {STR("secret-read"), STR("x")};
	struct audit_row row = {.kind = AUDIT_END, .id = STR("run-1"),
			.command = STR("cat \xff \"q\" \\ \t\x7f\xc3\xa9"), .reasons = reasons, .nreasons = 2,
			.exit_code = {true, 3},
				.validation = {.outcome = STR("valid"), .result = STR("pass")}};
	CHECK_INT(audit_append(A, &au, &row, &w, &e), 0);
	CHECK_INT(w.seq, 1);
	CHECK_STR(str_of(w.id), "run-1");
	struct str text = slurp(at("row/audit/2026-01-01.jsonl"));
	struct json *v = NULL;
	CHECK_INT(json_read(A, str_sub(text, 0, text.n - 1), &v, &e), 0);
	CHECK_STR(json_text_at(v, "command"), "cat \xef\xbf\xbd \"q\" \\ \t\x7f\xc3\xa9");
	CHECK_STR(json_text_at(v, "ts"), "2026-01-01T12:00:00.000000Z");
	CHECK_STR(json_text_at(v, "prev"), AUDIT_ZERO);
	CHECK_STR(json_text_at(v, "hash"), w.hash);
	CHECK_INT(json_int_at(v, "exit_code"), 3);
	CHECK(json_is(json_key(v, "duration_ms"), JSON_NULL));
	CHECK_INT(json_size(json_key(v, "reasons")), 2);
	CHECK(!json_key(v, "cwd"));
	char hash[AUDIT_HASH + 1];
	hash_text(str_sub(text, 0, text.n - 1 - HASH_FIELD), hash);
	CHECK_STR(str_of(hash), w.hash);
	struct stat st;
	CHECK(stat(at("row/audit/2026-01-01.jsonl"), &st) == 0 && (st.st_mode & 07777) == 0600);
	CHECK(stat(at("row/audit"), &st) == 0 && (st.st_mode & 07777) == 0700);
	audit_close(&au);
}

static void test_refused(void)
{
	struct audit au = open_at("refused"), other;
	struct err e = {0};
	struct audit_row row = {.kind = AUDIT_BEGIN, .id = STR("a\"b")};
	int fds = count_fds();
	CHECK_INT(audit_append(A, &au, &row, NULL, &e), -1);
	row = (struct audit_row){.kind = AUDIT_TOMBSTONE};
	CHECK_INT(audit_append(A, &au, &row, NULL, &e), -1);
	row = (struct audit_row){.kind = AUDIT_BEGIN, .command = str_n(arena_alloc(A, AUDIT_ROW_MAX),
			AUDIT_ROW_MAX)};
	CHECK_INT(audit_append(A, &au, &row, NULL, &e), -1);
	CHECK_INT(e.kind, ERR_LIMIT);
	add(&au, "one");
	CHECK_INT(chmod(at("refused/audit/2026-01-01.jsonl"), 0660), 0);
	CHECK_INT(append_note(&au, AUDIT_VERDICT, STR("x"), NULL, &e), -1);
	CHECK_INT(e.kind, ERR_CONFIG);
	CHECK_INT(unlink(at("refused/audit/2026-01-01.jsonl")), 0);
	make_link("/dev/null", "refused/audit/2026-01-01.jsonl");
	CHECK_INT(append_note(&au, AUDIT_VERDICT, STR("x"), NULL, &e), -1);
	CHECK_INT(chmod(at("refused/audit"), 0770), 0);
	CHECK_INT(audit_open(A, str_of(at("refused")), (uint32_t)getuid(), true, &other, &e), -1);
	CHECK_INT(audit_open(A, str_of(at("absent")), (uint32_t)getuid(), false, &other, &e), -1);
	CHECK_INT(e.errnum, ENOENT);
	CHECK_INT(count_fds(), fds);
	audit_close(&au);
}

/* ---- tampering ---- */

#define N 6

struct fixture {
	struct audit au;
	const char *file;
	struct str text, row[N];
};

static struct fixture fixture(const char *state)
{
	static const char *const notes[N] = {"one", "two", "three", "four", "five", "six"};
	struct fixture f = {.au = open_at(state)};
	for (size_t i = 0; i < N; i++)
		add(&f.au, notes[i]);
	f.file = at(str_fmt_c(A, "%s/audit/2026-01-01.jsonl", state));
	f.text = slurp(f.file);
	CHECK_INT(lines_of(f.text, f.row, N), N);
	EXPECT(verify(&f.au), AUDIT_SOUND, 0, 0);
	return f;
}

static void write_rows(const struct fixture *f, const struct str *rows, size_t n)
{
	struct buf b;
	buf_init(&b, A, 0);
	for (size_t i = 0; i < n; i++)
		buf_str(&b, rows[i]);
	spill(f->file, buf_view(&b));
}

static void test_changed_byte(void)
{
	struct fixture f = fixture("byte");
	char *bytes = arena_alloc(A, f.text.n);
	FD_CLEANUP int fd = open(f.file, O_WRONLY | O_CLOEXEC);
	size_t row = 0, start = 0, missed = 0, misnamed = 0;
	memcpy(bytes, f.text.p, f.text.n);
	for (size_t i = 0; i < f.text.n; i++) {
		static const char with[] = {'\n', '"', '0', 0};
		char c = bytes[i] == with[i % 4] ? 'x' : with[i % 4];
		if (i - start == f.row[row].n) {
			row++;
			start = i;
		}
		CHECK(pwrite(fd, &c, 1, (off_t)i) == 1);
		struct audit_verdict v = verify(&f.au);
		missed += v.fault == AUDIT_SOUND;
		misnamed += v.line != row + 1 ||
				(v.fault != AUDIT_CHANGED && !(v.fault == AUDIT_TORN && i + 1 == f.text.n));
		CHECK(pwrite(fd, bytes + i, 1, (off_t)i) == 1);
	}
	CHECK(f.text.n > N * 200);
	CHECK_INT(missed, 0);
	CHECK_INT(misnamed, 0);
	EXPECT(verify(&f.au), AUDIT_SOUND, 0, 0);
	audit_close(&f.au);
}

static void test_deleted(void)
{
	struct fixture f = fixture("deleted");
	for (size_t i = 0; i < N; i++) {
		struct str rows[N - 1];
		for (size_t k = 0, n = 0; k < N; k++)
			if (k != i)
				rows[n++] = f.row[k];
		write_rows(&f, rows, N - 1);
		EXPECT(verify(&f.au), AUDIT_REMOVED, i + 1, i + 1);
	}
	audit_close(&f.au);
}

static void test_swapped(void)
{
	struct fixture f = fixture("swapped");
	for (size_t i = 0; i < N; i++)
		for (size_t k = i + 1; k < N; k++) {
			struct str rows[N];
			memcpy(rows, f.row, sizeof rows);
			rows[i] = f.row[k];
			rows[k] = f.row[i];
			write_rows(&f, rows, N);
			EXPECT(verify(&f.au), AUDIT_REORDERED, i + 1, k + 1);
		}
	audit_close(&f.au);
}

static void test_duplicated(void)
{
	struct fixture f = fixture("duplicated");
	for (size_t i = 0; i < N; i++)
		for (size_t to = i + 1; to <= N; to++) {
			struct str rows[N + 1];
			for (size_t k = 0; k <= N; k++)
				rows[k] = k < to ? f.row[k] : k == to ? f.row[i] : f.row[k - 1];
			write_rows(&f, rows, N + 1);
			EXPECT(verify(&f.au), AUDIT_INSERTED, to + 1, i + 1);
		}
	audit_close(&f.au);
}

/* A row of the right shape whose own hash is right. */
static struct str forge(uint64_t seq, const char *prev)
{
	char hash[AUDIT_HASH + 1];
	struct str s = str_fmt(A, "{\"v\":1,\"seq\":%" PRIu64
			",\"id\":\"forged\",\"kind\":\"verdict\",\"ts\":\"2026-01-01T12:00:00.000000Z\","
			"\"prev\":\"%.64s\"", seq, prev);
	hash_text(s, hash);
	return str_fmt(A, "%.*s,\"hash\":\"%s\"}\n", STR_ARG(s), hash);
}

static const char *hash_in(struct str row) { return row.p + row.n - 3 - AUDIT_HASH; }

static void test_forged(void)
{
	struct fixture f = fixture("forged");
	/* inserted before row i, in three ways; the last is also what a rewritten row looks like */
	for (size_t i = 0; i < N; i++) {
		const char *prev = i ? hash_in(f.row[i - 1]) : AUDIT_ZERO;
		const struct str forged[] = {forge(i + 1, prev), forge(i + 1, hash_in(f.row[N - 1])),
				forge(i + 40, prev)};
		for (size_t k = 0; k < 3; k++) {
			struct str rows[N + 1];
			for (size_t j = 0; j <= N; j++)
				rows[j] = j < i ? f.row[j] : j == i ? forged[k] : f.row[j - 1];
			write_rows(&f, rows, N + 1);
			struct audit_verdict v = verify(&f.au);
			CHECK_INT(v.fault, AUDIT_INSERTED);
			/* before the last row: either of the two may be the forged one */
			CHECK(v.line == i + 1 || (i + 1 == N && v.line == N + 1));
		}
	}
	for (size_t i = 0; i < N; i++) { /* in the place of row i, with its number and prev */
		struct str rows[N];
		memcpy(rows, f.row, sizeof rows);
		rows[i] = forge(i + 1, i ? hash_in(f.row[i - 1]) : AUDIT_ZERO);
		write_rows(&f, rows, N);
		EXPECT(verify(&f.au), AUDIT_CHANGED, i + 1, i + 1);
	}
	audit_close(&f.au);
}

/* ---- days ---- */

static void test_days(void)
{
	struct audit au = open_at("days");
	struct audit_written second = {0}, third = {0};
	for (int day = 0; day < 4; day++, clock_us += DAY_US)
		for (int i = 0; i < 3; i++) {
			struct audit_written w = add(&au, "x");
			CHECK_INT(w.seq, day * 3 + i + 1);
			second = w.seq == 6 ? w : second;
			third = w.seq == 9 ? w : third;
		}
	clock_us = NOON;
	struct audit_verdict v = verify(&au);
	CHECK_INT(v.fault, AUDIT_SOUND);
	CHECK_INT(v.days, 4);
	CHECK_INT(v.rows, 12);
	/* the clock is set back: the same file, the same ts, and a word about it */
	add(&au, "back");
	struct str text = slurp(at("days/audit/2026-01-04.jsonl"));
	CHECK(str_contains(text,
			STR("\"ts\":\"2026-01-04T12:00:00.000000Z\","
			"\"clock\":\"2026-01-01T12:00:00.000000Z\"")));
	CHECK_INT(verify(&au).rows, 13);
	/* a day that is gone */
	CHECK_INT(rename(at("days/audit/2026-01-02.jsonl"), at("days/kept")), 0);
	v = verify(&au);
	EXPECT(v, AUDIT_REMOVED, 1, 4);
	CHECK_STR(str_of(v.file), "2026-01-03.jsonl");
	/* a day under another name */
	CHECK_INT(rename(at("days/kept"), at("days/audit/2026-01-05.jsonl")), 0);
	CHECK(verify(&au).fault == AUDIT_REORDERED);
	CHECK_INT(rename(at("days/audit/2026-01-05.jsonl"), at("days/audit/2026-01-02.jsonl")), 0);
	CHECK_INT(rename(at("days/audit/2026-01-04.jsonl"), at("days/audit/2026-01-05.jsonl")), 0);
	CHECK(verify(&au).fault == AUDIT_CHANGED);
	CHECK_INT(rename(at("days/audit/2026-01-05.jsonl"), at("days/audit/2026-01-04.jsonl")), 0);
	/* the oldest days dropped: only with a tombstone that names the newest row dropped */
	struct audit_row stone = {.kind = AUDIT_TOMBSTONE, .note = STR(",\"until\":{\"seq\":6,"),
			.until = {.seq = 5, .hash = str_of(second.hash)}};
	CHECK_INT(unlink(at("days/audit/2026-01-01.jsonl")), 0);
	CHECK_INT(unlink(at("days/audit/2026-01-02.jsonl")), 0);
	EXPECT(verify(&au), AUDIT_REMOVED, 1, 1);
	CHECK_INT(audit_append(A, &au, &stone, NULL, NULL), 0);
	EXPECT(verify(&au), AUDIT_REMOVED, 1, 1);
	stone.until.seq = 6;
	CHECK_INT(audit_append(A, &au, &stone, NULL, NULL), 0);
	v = verify(&au);
	EXPECT(v, AUDIT_SOUND, 0, 0);
	CHECK_INT(v.tombstones, 2);
	CHECK_INT(v.first_seq, 7);
	CHECK_INT(unlink(at("days/audit/2026-01-03.jsonl")), 0); /* more than the tombstone says */
	EXPECT(verify(&au), AUDIT_REMOVED, 1, 1);
	/* everything */
	CHECK_INT(unlink(at("days/audit/2026-01-04.jsonl")), 0);
	CHECK_INT(verify(&au).fault, AUDIT_REMOVED);
	audit_close(&au);
}

static void set_head_day(const char *state, const char *day)
{
	FD_CLEANUP int lock = open(at(str_fmt_c(A, "%s/audit/lock", state)), O_RDWR | O_CLOEXEC);
	struct head h;
	CHECK(lock >= 0);
	head_read(lock, &h);
	snprintf(h.day, sizeof h.day, "%s", day);
	CHECK_INT(head_write(lock, &h, NULL), 0);
}

/*
 * The head names the newest file. It is stale after a power loss, ahead after a kill, and missing in an older
 * record.
 */
static void test_head_day(void)
{
	struct audit au = open_at("heads");
	char *lock = at("heads/audit/lock");
	clock_us = NOON;
	add(&au, "one");
	CHECK_INT(add(&au, "two").seq, 2);
	struct str old = slurp(lock);
	CHECK(str_contains(old, STR(" 2026-01-01 ")));
	clock_us += DAY_US;
	add(&au, "three");
	CHECK_INT(add(&au, "four").seq, 4);
	spill(lock, old); /* the file of the second day was on the disk, the head was not */
	CHECK_INT(add(&au, "five").seq, 5);
	EXPECT(verify(&au), AUDIT_SOUND, 0, 0);
	set_head_day("heads", "2026-01-03.jsonl"); /* killed before the file was made */
	CHECK_INT(add(&au, "six").seq, 6);
	clock_us += DAY_US;
	set_head_day("heads", "2026-01-03.jsonl");
	CHECK_INT(add(&au, "seven").seq, 7);
	EXPECT(verify(&au), AUDIT_SOUND, 0, 0);
	set_head_day("heads", "2026-01-04.jsonl"); /* killed inside its first row */
	spill(at("heads/audit/2026-01-04.jsonl"), STR("{\"v\":1,\"seq\":8,"));
	clock_us += DAY_US;
	CHECK_INT(add(&au, "nine").seq, 9); /* behind a row about the torn line */
	struct audit_verdict v = verify(&au);
	EXPECT(v, AUDIT_SOUND, 0, 0);
	CHECK_INT(v.recovered, 1);
	clock_us = NOON; /* back, over all of them */
	CHECK_INT(add(&au, "ten").seq, 10);
	CHECK_INT(add(&au, "eleven").seq, 11);
	EXPECT(verify(&au), AUDIT_SOUND, 0, 0);
	CHECK(str_contains(slurp(at("heads/audit/2026-01-04.jsonl")), STR("\"eleven\"")));
	set_head_day("heads", "");
	clock_us = NOON + 3 * DAY_US;
	CHECK_INT(add(&au, "twelve").seq, 12);
	CHECK_INT(unlink(lock), 0);
	CHECK_INT(add(&au, "thirteen").seq, 13);
	v = verify(&au);
	EXPECT(v, AUDIT_SOUND, 0, 0);
	CHECK_INT(v.rows, 13);
	CHECK_INT(v.days, 4);
	clock_us = NOON;
	audit_close(&au);
}

/* Midnight passes while many write; for half of them twice, because their clocks are set back. */
#define FASTER 500

static int64_t started_us;

static int64_t monotonic_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t fast_clock(void)
{
	int64_t passed = (monotonic_us() - started_us) * FASTER;
	return NOON + DAY_US / 2 - 60000000 +
			(getpid() % 2 && passed > 100000000 ? passed - 70000000 : passed);
}

static void test_midnight(void)
{
	struct audit au = open_at("midnight");
	pid_t pid[8];
	au.now = fast_clock;
	au.sync = AUDIT_SYNC_BEGIN;
	started_us = monotonic_us();
	for (int i = 0; i < 8; i++)
		if ((pid[i] = fork()) == 0) {
			int bad = 0;
			for (int k = 0; k < 40; k++) {
				bad |= append_note(&au, k % 8 ? AUDIT_VERDICT : AUDIT_BEGIN, STR("n"), NULL,
						NULL);
				nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
			}
			_exit(bad != 0);
		}
	for (int i = 0; i < 8; i++) {
		int status = -1;
		CHECK(waitpid(pid[i], &status, 0) == pid[i]);
		CHECK_INT(status, 0);
	}
	struct audit_verdict v = verify(&au);
	EXPECT(v, AUDIT_SOUND, 0, 0);
	CHECK_INT(v.rows, 8 * 40);
	CHECK_INT(v.days, 2);
	CHECK_INT(v.recovered, 0);
	CHECK(str_contains(slurp(at("midnight/audit/2026-01-02.jsonl")), STR("\"clock\":\"2026-01-0")));
	audit_close(&au);
}

/* ---- repairs ---- */

static void test_torn(void)
{
	struct fixture f = fixture("torn");
	const size_t last = f.row[N - 1].n;
	for (size_t keep = 1; keep < last; keep += 37) { /* the last row torn after so many bytes */
		char *torn = at(str_fmt_c(A, "torn/audit/torn/2026-01-01-%zu.0", f.text.n - last));
		spill(f.file, str_sub(f.text, 0, f.text.n - last + keep));
		unlink(torn);
		EXPECT(verify(&f.au), AUDIT_TORN, N, N);
		CHECK_INT(add(&f.au, "after").seq, N + 1);
		CHECK_STRN(slurp(torn), str_sub(f.row[N - 1], 0, keep));
		struct audit_verdict v = verify(&f.au);
		EXPECT(v, AUDIT_SOUND, 0, 0);
		CHECK_INT(v.recovered, 1);
		CHECK_INT(v.rows, N + 1);
	}
	struct str text = slurp(f.file);
	CHECK(str_contains(text, STR("\"kind\":\"recovered\"")));
	CHECK(str_contains(text, STR("\"torn\":{\"path\":\"torn/2026-01-01-")));
	/* nothing but torn bytes, in a new day's file: the chain goes on from the day before */
	spill(at("torn/audit/2026-01-02.jsonl"), STR("{\"v\":1,\n\nzz"));
	clock_us += DAY_US;
	CHECK_INT(add(&f.au, "next").seq, N + 3);
	clock_us = NOON;
	EXPECT(verify(&f.au), AUDIT_SOUND, 0, 0);
	/* rows cut off cleanly: the next writer says so */
	spill(f.file, f.text);
	CHECK_INT(unlink(at("torn/audit/2026-01-02.jsonl")), 0);
	CHECK_INT(verify(&f.au).fault, AUDIT_REMOVED);
	add(&f.au, "x");
	CHECK(str_contains(slurp(f.file), STR("\"missing\":{\"from\":7,\"to\":9,")));
	EXPECT(verify(&f.au), AUDIT_SOUND, 0, 0);
	audit_close(&f.au);
}

/*
 * A writer was killed after it had moved torn bytes aside and cut the file, before it wrote the row about it.
 */
static void test_repair_cut_short(void)
{
	struct fixture f = fixture("cut");
	struct head h;
	FD_CLEANUP int lock = open(at("cut/audit/lock"), O_RDWR | O_CLOEXEC);
	head_read(lock, &h);
	CHECK_INT(h.seq, N);
	memcpy(h.torn, "torn/somewhere", 15);
	h.torn_bytes = 11;
	CHECK_INT(head_write(lock, &h, NULL), 0);
	CHECK_INT(add(&f.au, "x").seq, N + 2);
	CHECK(str_contains(slurp(f.file), STR("\"torn\":{\"path\":\"torn/somewhere\",\"bytes\":11}")));
	CHECK_INT(add(&f.au, "x").seq, N + 3);
	CHECK_INT(verify(&f.au).recovered, 1);
	audit_close(&f.au);
}

/* ---- many writers ---- */

static void test_writers(void)
{
	struct audit au = open_at("writers");
	pid_t pid[WRITERS];
	for (int i = 0; i < WRITERS; i++) {
		pid[i] = fork();
		CHECK(pid[i] >= 0);
		if (pid[i])
			continue;
		int bad = 0;
		for (int k = 0; k < ROWS_EACH; k++) {
			char note[32];
			snprintf(note, sizeof note, "w%d.%d.", i, k);
			bad |= append_note(&au, AUDIT_VERDICT, str_of(note), NULL, NULL);
		}
		_exit(bad != 0);
	}
	for (int i = 0; i < WRITERS; i++) {
		int status = -1;
		CHECK(waitpid(pid[i], &status, 0) == pid[i]);
		CHECK_INT(status, 0);
	}
	struct audit_verdict v = verify(&au);
	EXPECT(v, AUDIT_SOUND, 0, 0);
	CHECK_INT(v.rows, WRITERS * ROWS_EACH);
	CHECK_INT(v.recovered, 0);
	struct str text = slurp(at("writers/audit/2026-01-01.jsonl"));
	size_t missing = 0;
	for (int i = 0; i < WRITERS; i++)
		for (int k = 0; k < ROWS_EACH; k += 7)
			missing += !str_contains(text, str_fmt(A, "\"note\":\"w%d.%d.\"", i, k));
	CHECK_INT(missing, 0);
	audit_close(&au);
}

#define ACKED_MAX 100000

struct acked {
	atomic_size_t n;
	struct {
		atomic_uint_least64_t seq; /* set last: who is killed before that has acknowledged nothing */
		char hash[AUDIT_HASH];
	} row[ACKED_MAX];
};

static void write_until_killed(const struct audit *au, struct acked *acked)
{
	static char big[200000]; /* long rows: more of the time is spent inside write() */
	memset(big, 'b', sizeof big);
	for (size_t i = 0;; i++) {
		struct audit_written w;
		if (append_note(au, AUDIT_VERDICT, str_n(big, i % 4 ? 100 : sizeof big), &w, NULL) < 0)
			_exit(1);
		size_t at = atomic_fetch_add(&acked->n, 1);
		if (at < ACKED_MAX) {
			memcpy(acked->row[at].hash, w.hash, AUDIT_HASH);
			atomic_store(&acked->row[at].seq, w.seq);
		}
	}
}

static void test_killed(void)
{
	struct audit au = open_at("killed");
	struct acked *acked = mmap(NULL, sizeof *acked, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	CHECK(acked != MAP_FAILED);
	srand((unsigned)getpid());
	for (int round = 0; round < KILL_ROUNDS; round++) {
		pid_t pid[2];
		for (int i = 0; i < 2; i++)
			if ((pid[i] = fork()) == 0)
				write_until_killed(&au, acked);
		for (int i = 0; i < 2; i++) {
			int status = 0;
			nanosleep(&(struct timespec){.tv_nsec = 1000000 + rand() % 4000000}, NULL);
			kill(pid[i], SIGKILL);
			CHECK(waitpid(pid[i], &status, 0) == pid[i]);
			CHECK(WIFSIGNALED(status));
		}
		add(&au, "survivor");
		EXPECT(verify(&au), AUDIT_SOUND, 0, 0);
	}
	struct str text = slurp(at("killed/audit/2026-01-01.jsonl"));
	size_t lost = 0, n = acked->n < ACKED_MAX ? acked->n : ACKED_MAX;
	for (size_t i = 0; i < n; i++) /* a killed writer may have counted and not filled its place */
		lost += acked->row[i].seq && !memmem(text.p, text.n, acked->row[i].hash, AUDIT_HASH);
	CHECK(n > KILL_ROUNDS);
	CHECK_INT(lost, 0);
	printf("# %zu rows acknowledged by writers that were killed, %" PRIu64 " repairs\n", n,
			verify(&au).recovered);
	munmap(acked, sizeof *acked);
	audit_close(&au);
}

/* ---- a full disk ---- */

static int fill_disk(void)
{
	struct audit au = open_at("small/state");
	static char big[30000];
	struct err e = {0};
	uint64_t rows = 0;
	size_t refused = 0;
	memset(big, 'b', sizeof big);
	for (size_t i = 0; i < 400; i++) {
		struct audit_written w;
		if (append_note(&au, AUDIT_BEGIN, str_n(big, i % 2 ? sizeof big : 500), &w, &e) == 0)
			rows = w.seq;
		else
			refused += e.errnum == ENOSPC;
		struct audit_verdict v = i % 20 ? (struct audit_verdict){.last_seq = rows} : verify(&au);
		CHECK_INT(v.fault, AUDIT_SOUND);
		CHECK_INT(v.last_seq, rows);
	}
	CHECK(rows > 10);
	CHECK(refused > 10);
	CHECK_INT(mount(NULL, at("small"), NULL, MS_REMOUNT, "size=4m"), 0);
	CHECK_INT(add(&au, "room again").seq, rows + 1);
	struct audit_verdict v = verify(&au);
	EXPECT(v, AUDIT_SOUND, 0, 0);
	CHECK_INT(v.rows, rows + 1);
	CHECK_INT(v.recovered, 0);
	audit_close(&au);
	fflush(stdout);
	return unit_bad ? 1 : 0;
}

static bool test_full_disk(void)
{
	int status = -1;
	make_dir("small", 0700);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
				mount("small", at("small"), "tmpfs", 0, "size=1m,mode=0700") < 0)
			_exit(77);
		_exit(fill_disk());
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		return false;
	CHECK_INT(status, 0);
	return true;
}

int main(void)
{
	if (place_begin() < 0)
		return 1;
	RUN(test_row);
	RUN(test_refused);
	RUN(test_changed_byte);
	RUN(test_deleted);
	RUN(test_swapped);
	RUN(test_duplicated);
	RUN(test_forged);
	RUN(test_days);
	RUN(test_head_day);
	RUN(test_midnight);
	RUN(test_torn);
	RUN(test_repair_cut_short);
	RUN(test_writers);
	RUN(test_killed);
	if (test_full_disk())
		unit_result("test_full_disk");
	else
		unit_skip("test_full_disk", "no private mount namespace here");
	place_end();
	return unit_end();
}
