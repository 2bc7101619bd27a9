/* Memory of test runs: rows of runs, one after the other, and the suspicions that each must have. */
#define _GNU_SOURCE
#include <dirent.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/result_memory.h"
#include "unit.h"

static struct arena arena;
#define A (&arena)

static const struct row {
	const char *name, *command, *session;
	enum verdict_of_result result;
	int64_t total, skipped;
	const char *tests; /* a letter for each name; "": not known */
	const char *want;  /* ids of suspicions */
} rows[] = {
#define P RESULT_PASS
#define F RESULT_FAIL
	{"the first run", "pytest", "", P, 3, 0, "abc", ""},
	{"the same again", "pytest", "", P, 3, 0, "abc", ""},
	{"a test more", "pytest", "", P, 4, 0, "abcd", ""},
	{"a renamed test", "pytest", "", P, 4, 0, "abce", ""},
	{"two removed, one new", "pytest", "", P, 3, 0, "abf", "fewer-tests tests-vanished"},
	{"what is known now", "pytest", "", P, 3, 0, "abf", ""},
	{"a test skipped", "pytest", "", P, 3, 1, "abf", "more-skipped"},
	{"a new test that is skipped takes nothing away", "pytest", "", P, 4, 2, "abfg", ""},
	{"as before", "pytest", "", P, 3, 1, "abf", "fewer-tests tests-vanished"},
	{"a run that fails says it anyway", "pytest", "", F, 1, 0, "a", ""},
	{"and does not lower what is expected", "pytest", "", P, 2, 1, "ab", "fewer-tests tests-vanished"},
	{"another command", "pytest -k a", "", P, 1, 0, "a", ""},
	{"names are not known", "make test", "", P, 9, 0, "", ""},
	{"names are not known, fewer", "make test", "", P, 8, 0, "", "fewer-tests"},
	{"names are known for the first time", "make test", "", P, 8, 0, "abcdefgh", ""},
	{"a session", "npm test", "s1", P, 5, 0, "abcde", ""},
	{"loses a test", "npm test", "s2", P, 4, 0, "abcd", "fewer-tests tests-vanished"},
	{"and a second run does not hide it", "npm test", "s2", P, 4, 0, "abcd",
			"fewer-tests tests-vanished"},
	{"the next session knows", "npm test", "s3", P, 4, 0, "abcd", ""},
	{"others replaced by as many", "npm test", "s4", P, 4, 0, "wxyz", ""},
#undef P
#undef F
};

static struct str ids_of(const struct check_note *n)
{
	struct buf b;

	buf_init(&b, A, 0);
	for (; n; n = n->next)
		buf_fmt(&b, "%s%s", b.n ? " " : "", n->name);
	return buf_view(&b);
}

static void run_row(const struct row *row, const struct view *at)
{
	struct run_world world = {.context.view = at};
	struct run r = {.world = &world, .spec.workspace = STR("/tmp"),
			.gate_request.command = str_of(row->command)};
	struct count skipped = {.name = "skipped", .n = row->skipped},
			total = {.next = &skipped, .name = "total", .n = row->total};
	uint64_t names[32];
	struct validation v = {.validity = VALIDITY_VALID, .result = row->result, .task = TASK_TEST,
			.counts = &total, .names = names, .nnames = strlen(row->tests)};
	struct report report = {.run = &r, .validation = &v};

	for (size_t i = 0; i < v.nnames; i++)
		names[i] = (uint64_t)row->tests[i] * 0x9e3779b97f4a7c15u;
	result_memory_compare(A, str_of(row->session), &report);
	CHECK_ROW(str_is(ids_of(report.validation->suspicions), row->want), row->name);
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static void test_rows(void)
{
	char dir[] = "/var/tmp/caisson-memory-XXXXXX";
	struct view at = {.uid = getuid()};

	CHECK(mkdtemp(dir) != NULL);
	at.state_dir = str_of(dir);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		run_row(&rows[i], &at);
	CHECK(nftw(dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS) == 0);
}

/* Nothing is compared or kept without a valid result of tests, a workspace, and a state directory. */
static void test_nothing(void)
{
	struct view at = {.uid = getuid()};
	struct run_world world = {.context.view = &at};
	struct run r = {.world = &world, .spec.workspace = STR("/tmp")};
	struct report report = {.run = &r};

	result_memory_compare(A, STR(""), &report);
	CHECK(report.validation == NULL);
}

int main(void)
{
	arena_init(A, ARENA_CAP_DEFAULT);
	RUN(test_rows);
	RUN(test_nothing);
	arena_free(A);
	return unit_end();
}
