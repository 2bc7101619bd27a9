/*
 * `caisson run`, killed before each of its system calls in turn.
 *
 * The parent traces the run: it stops at every system call of the launcher (not of what that starts), and at
 * the Nth it is killed, until a run gets to its end. Around the writing of each row N is every number; while
 * the box is made and the program runs, every STRIDEth (all of them with FAULTS=all, which takes minutes).
 * After each: what was in the record is still there, the chain holds once another row is written, and a
 * program that left its mark has a begin row. At the end, everything that rows refer to can be read.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "audit/audit.h"
#include "audit/blob.h"
#include "audit/read.h"
#include "place.h"

#define STEPS_MAX 5000
#define STRIDE 15
#define AROUND 40 /* system calls before a row, and after it */
#define RECORD_MAX ((size_t)64 << 20)

static char *caisson;
static struct audit au;

/* ---- one run ---- */

static void start(unsigned step)
{
	char *const env[] = {"PATH=/usr/bin:/bin", str_fmt_c(A, "HOME=%s", at("home")),
			str_fmt_c(A, "CAISSON_STATE=%s", at("state")), NULL};
	char *mark = str_fmt_c(A, "%s/mark-%u-", at("ws"), step);
	char *const argv[] = {caisson, "run", "--gate", "--workspace", at("ws"), "-c",
			str_fmt_c(A, "echo %u > %s; echo done", step, mark), NULL};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	if (chdir(at("ws")) == 0 && ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
		execve(caisson, argv, env);
	_exit(99);
}

static off_t record_size(void)
{
	DIR *d = opendir(at("state/audit"));
	struct stat st;
	off_t n = 0;

	for (struct dirent *entry; d && (entry = readdir(d));)
		if (str_ends(str_of(entry->d_name), ".jsonl") && fstatat(dirfd(d), entry->d_name, &st,
				0) == 0)
			n += st.st_size;
	if (d)
		closedir(d);
	return n;
}

/* In which steps of a whole run its rows were written. */
struct rows {
	unsigned at[4], n;
	off_t size;
};

static void note_rows(struct rows *r, unsigned step)
{
	off_t now = record_size();

	if (now != r->size && r->n < ARRAY_SIZE(r->at))
		r->at[r->n++] = step;
	r->size = now;
}

/* Killed before its system call number `step`. How it ended; *ret_steps is how many there were. */
static int run_until(unsigned step, struct rows *rows, unsigned *ret_steps)
{
	unsigned stops = 0;
	int status = 0, pass = 0;
	pid_t pid = fork();

	if (pid == 0)
		start(step);
	CHECK(waitpid(pid, &status, 0) == pid && WIFSTOPPED(status));
	CHECK_INT(ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL)),
			0);
	while (ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(intptr_t)pass) == 0 &&
			waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		/* its own signals reach it */
		pass = WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status);
		if (rows && !pass)
			note_rows(rows, stops / 2 + 1);
		if (pass || ++stops % 2 == 0 || stops / 2 + 1 != step)
			continue;
		kill(pid, SIGKILL);
		CHECK(waitpid(pid, &status, 0) == pid);
		break;
	}
	*ret_steps = stops / 2;
	return status;
}

/* ---- what must hold ---- */

/* All of the record, file after file; day files are named by day, so this is in order. */
static struct str whole(struct arena *a)
{
	struct audit_reader *r;
	struct audit_line l;
	struct audit_filter all = {0};
	struct err e = {0};
	struct buf b;

	buf_init(&b, a, RECORD_MAX);
	if (audit_reader_new(a, &au, &all, AUDIT_OLDEST_FIRST, &r, &e) != 0)
		return STR("");
	while (audit_next(r, &l, &e) > 0) {
		buf_str(&b, l.text);
		buf_char(&b, '\n');
	}
	audit_reader_close(r);
	return buf_view(&b);
}

static enum audit_fault verify(struct arena *a, uint64_t *ret_recovered)
{
	struct audit_verdict v = {0};
	struct err e = {0};

	if (audit_verify(a, &au, &(struct audit_anchor){0}, &v, &e) != 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	*ret_recovered = v.recovered;
	if (v.fault && v.fault != AUDIT_TORN)
		unit_fail(__FILE__, __LINE__, "%s: %s", audit_fault_name(v.fault), v.why);
	return v.fault;
}

static bool marked(unsigned step)
{
	struct stat st;

	return stat(at(str_fmt_c(A, "ws/mark-%u-", step)), &st) == 0;
}

static bool begun(struct str record, unsigned step)
{
	return str_contains(record, str_fmt(A, "/mark-%u-", step));
}

/* The record was `before`, and a run was killed. *ret is the record now. */
static void look_after(unsigned step, struct str before, struct arena *a, struct str *ret)
{
	struct audit_row row = {.kind = AUDIT_VERDICT, .note = STR("another writer")};
	bool mark = marked(step); /* before the record is read */
	struct str now = whole(a);
	uint64_t recovered;
	struct err e = {0};

	if (now.n < before.n || memcmp(now.p, before.p, before.n) != 0)
		unit_fail(__FILE__, __LINE__, "step %u: rows that were there are gone", step);
	if (mark && !begun(now, step))
		unit_fail(__FILE__, __LINE__, "step %u: it ran and is not recorded", step);
	verify(a, &recovered);
	if (audit_append(a, &au, &row, NULL, &e) != 0)
		unit_fail(__FILE__, __LINE__, "step %u: %s", step, e.text);
	CHECK_INT(verify(a, &recovered), AUDIT_SOUND);
	*ret = whole(a);
}

/* ---- all steps ---- */

static unsigned next_step(const struct rows *r, unsigned step)
{
	const char *all = getenv("FAULTS");
	unsigned next = step + 1, last = r->at[r->n - 1];

	if ((all && !strcmp(all, "all")) || next >= last + AROUND)
		return next;
	for (; next % STRIDE; next++)
		for (unsigned i = 0; i < r->n; i++)
			if (next + AROUND > r->at[i] && next < r->at[i] + AROUND)
				return next;
	return next;
}

static void test_steps(const struct rows *rows)
{
	struct arena two[2];
	struct str record = STR("");
	unsigned step = 0, steps = 0, tried = 0, without = 0, begins = 0, marks = 0;
	int status = 0;

	arena_init(&two[0], ARENA_CAP_DEFAULT);
	arena_init(&two[1], ARENA_CAP_DEFAULT);
	do {
		struct arena *a = &two[++tried % 2];

		step = next_step(rows, step);
		arena_free(a);
		arena_init(a, ARENA_CAP_DEFAULT);
		status = run_until(step, NULL, &steps);
		look_after(step, record, a, &record);
		without += !begun(record, step);
	} while (step < STEPS_MAX && WIFSIGNALED(status) && !unit_bad);
	CHECK(WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), 0); /* the last got to its end */
	nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
	for (unsigned i = 1; i <= step; i++) { /* also of those that were a little late */
		begins += begun(record, i);
		marks += marked(i);
		CHECK(!marked(i) || begun(record, i));
	}
	/* some died before the record, some after it and before the program, some after both */
	CHECK(without > 20 && marks > 10 && marks < begins);
	printf("# killed at %u of %u steps: %u not recorded and not run, %u recorded, %u of them ran\n",
			tried - 1, step, without, begins, marks);
	arena_free(&two[0]);
	arena_free(&two[1]);
}

/* Everything that a row refers to was there before the row. */
static void test_blobs_there(void)
{
	static const char *const keys[] = {"policy", "view", "stdout", "stderr"};
	struct audit_filter all = {0};
	struct audit_reader *r;
	struct audit_line l;
	struct blobs blobs;
	struct err e = {0};
	size_t n = 0, ends = 0;

	CHECK_INT(blobs_open(A, str_of(at("state")), (uint32_t)getuid(), false, &blobs, &e), 0);
	CHECK_INT(audit_reader_new(A, &au, &all, AUDIT_OLDEST_FIRST, &r, &e), 0);
	while (audit_next(r, &l, &e) > 0) {
		ends += l.kind == AUDIT_END;
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
			struct str digest = audit_text(A, audit_field(&l, keys[i])), bytes;

			if (!digest.n)
				continue;
			n++;
			if (blob_get(A, &blobs, digest, 1 << 20, &bytes, &e) != 0)
				unit_fail(__FILE__, __LINE__, "row %" PRIu64 ": %s: %s", l.seq, keys[i],
						e.text);
		}
	}
	audit_reader_close(r);
	CHECK(n > 50 && ends > 0);
	blobs_close(&blobs);
}

static bool box_works(struct rows *ret)
{
	unsigned steps;
	int status = run_until(0, NULL, &steps); /* the first makes the directories */

	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return false;
	ret->size = record_size();
	status = run_until(0, ret, &steps);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(void)
{
	struct rows rows = {0};
	struct err e = {0};

	caisson = realpath(getenv("CAISSON") ? getenv("CAISSON") : "build/caisson", NULL);
	if (!caisson || place_begin() < 0) {
		printf("1..0 # SKIP no program to run\n");
		return 0;
	}
	make_dir("home", 0700);
	make_dir("ws", 0700);
	if (!box_works(&rows) || unit_bad) {
		place_end();
		printf("1..0 # SKIP no box, or nothing can be traced here\n");
		free(caisson);
		return 0;
	}
	if (audit_open(A, str_of(at("state")), (uint32_t)getuid(), false, &au, &e) != 0)
		return 1;
	CHECK_INT(rows.n, 2); /* begin and end */
	test_steps(&rows);
	unit_result("test_steps");
	RUN(test_blobs_there);
	audit_close(&au);
	place_end();
	free(caisson);
	return unit_end();
}
