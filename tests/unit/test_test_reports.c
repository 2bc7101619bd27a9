/*
 * The output of a runner beside the report that it wrote: rows of both, and the expected results. The pipes
 * that reports come through.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "run/canary.h"
#include "run/run_validation.h"
#include "run/test_reports.h"
#include "expect.h"
#include "place.h"
#include "sys/file.h"

#define HEAD \
	"============================= test session starts ==============================\ncollected 2 " \
			"items\n\nt.py "
#define MARKS "                                                               [100%]\n\n"
#define PASSED \
	HEAD ".." MARKS "============================== 2 passed in 0.03s ===============================\n"
#define FAILED \
	HEAD ".F" MARKS \
			"FAILED t.py::b - assert 0\n========================= 1 failed, 1 passed in 0.03s " \
			"==========================\n"
#define XML(cases) \
	"<?xml version=\"1.0\"?><testsuites><testsuite name=\"pytest\">" cases "</testsuite></testsuites>"
#define GOOD "<testcase name=\"a\"/><testcase name=\"b\"/>"
#define BAD "<testcase name=\"a\"/><testcase name=\"b\"><failure message=\"no\"/></testcase>"

static const struct row {
	const char *name, *out;
	int exit_code;
	const char *file, *report;
	const char *want; /* outcome result format evidence, and the id of a check */
} rows[] = {
	{"both pass", PASSED, 0, "pytest.xml", XML(GOOD), "valid pass junit-xml witnessed"},
	{"both fail", FAILED, 1, "pytest.xml", XML(BAD), "valid fail junit-xml witnessed"},
	{"the output passes, the report fails", PASSED, 0, "pytest.xml", XML(BAD),
			"invalid none junit-xml machine reports-disagree"},
	{"the output fails, the report passes", FAILED, 1, "pytest.xml", XML(GOOD),
			"invalid none junit-xml machine reports-disagree"},
	{"another number of tests", PASSED, 0, "pytest.xml", XML(GOOD "<testcase name=\"c\"/>"),
			"invalid none junit-xml machine reports-disagree"},
	{"skipped in one, passed in the other", PASSED, 0, "pytest.xml",
			XML("<testcase name=\"a\"/><testcase name=\"b\"><skipped/></testcase>"),
			"invalid none junit-xml machine reports-disagree"},
	{"the report breaks off", PASSED, 0, "pytest.xml",
			"<?xml version=\"1.0\"?><testsuites><testsuite><testcase na",
			"invalid none junit-xml machine malformed-report"},
	{"the report is something else", PASSED, 0, "pytest.xml", "hello",
			"invalid none junit-xml machine malformed-report"},
	{"something before the report", PASSED, 0, "pytest.xml", "x" XML(GOOD),
			"invalid none junit-xml machine malformed-report"},
	{"no report", PASSED, 0, "pytest.xml", "", "indeterminate none pytest printed report-missing"},
	{"no report of tests that failed", FAILED, 1, "pytest.xml", "",
			"indeterminate none pytest printed report-missing"},
	{"no tests in it", PASSED, 0, "pytest.xml", XML(""), "invalid none junit-xml machine no-tests"},
	{"the report alone", "hello\n", 0, "pytest.xml", XML(GOOD), "valid pass junit-xml machine"},
	{"the report alone, and something else failed", "hello\n", 3, "pytest.xml", XML(GOOD),
			"invalid none junit-xml machine exit-mismatch"},
	{"a hidden exit code", FAILED, 0, "pytest.xml", XML(BAD), "valid fail junit-xml machine"},
	{"a hidden exit code, and a summary too many", PASSED "t.py ..\n" FAILED, 0, "pytest.xml", XML(BAD),
			"invalid none pytest printed exit-mismatch"},
	{"a summary that a test printed, and the report", PASSED "=== 500 passed in 0.01s ===\n", 0,
			"pytest.xml", XML(GOOD), "valid pass junit-xml machine two-summaries"},
	{"two reports", FAILED PASSED, 1, "pytest.xml", XML(BAD) XML(GOOD), "valid fail junit-xml witnessed"},
	{"two runs, one report", PASSED PASSED, 0, "pytest.xml", XML(GOOD),
			"invalid none junit-xml machine reports-disagree"},
	{"another runner's output", "1..1\nok 1\n", 0, "pytest.xml", XML(GOOD), "valid pass tap machine"},
	{"another runner's output, and the report fails", "1..1\nok 1\n", 0, "pytest.xml", XML(BAD),
			"valid fail tap machine"},
	{"another runner's output, and the report is none", "1..1\nok 1\n", 0, "pytest.xml", "rubbish",
			"invalid none tap machine malformed-report"},
	{"another runner's output alone", "1..1\nok 1\n", 0, "pytest.xml", "", "valid pass tap machine"},
	{"jest", "Test Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\nSnapshots:   0 "
			"total\nTime:        1 s\n", 0, "jest.json",
	 "{\"numTotalTests\": 1, \"numPassedTests\": 1, \"numFailedTests\": 0, \"numPendingTests\": 0, "
			"\"success\": true, \"testResults\": [{\"status\": \"passed\", "
			"\"assertionResults\": [{\"status\": \"passed\"}]}]}",
	 "valid pass jest-json witnessed"},
	{"jest, forged",
			"Test Suites: 1 passed, 1 total\nTests:       9 passed, 9 total\nSnapshots:   0 "
			"total\nTime:        1 s\n", 0, "jest.json",
	 "{\"numTotalTests\": 1, \"numPassedTests\": 1, \"numFailedTests\": 0, \"numPendingTests\": 0, "
			"\"success\": true, \"testResults\": [{\"status\": \"passed\", "
			"\"assertionResults\": [{\"status\": \"passed\"}]}]}",
	 "invalid none jest-json machine reports-disagree"},
};

static void judged(const struct row *row, enum status status, struct validation *ret)
{
	struct test_report asked = {.row = test_runner(str_of(row->file)), .text = str_of(row->report)};
	struct run r = {.asked = &asked};
	struct outcome o = {.status = status, .exit_code = row->exit_code};
	struct validate_input in = {.task = TASK_TEST, .out = str_of(row->out), .status = status,
			.exit_code = row->exit_code};

	validate_text(A, &in, ret);
	test_reports_judge(A, &r, &o, ret);
}

static void test_both(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct validation v;
		struct str want = str_of(rows[i].want), said;

		judged(&rows[i], rows[i].exit_code ? STATUS_EXIT_NONZERO : STATUS_OK, &v);
		said = str_fmt(A, "%s %s %s %s", validity_name(v.validity), result_name(v.result),
				v.format ? v.format : "-", evidence_name(v.evidence));
		CHECK_ROW(str_starts(want, str_c(A, said)),
				str_fmt_c(A, "%s: %.*s", rows[i].name, STR_ARG(said)));
		CHECK_ROW(want.n <= said.n || expect_noted(&v, str_sub(want, said.n + 1, want.n)),
				rows[i].name);
	}
}

static void test_killed(void)
{
	static const enum status killed[] = {STATUS_SIGNAL, STATUS_TIMEOUT, STATUS_OOM, STATUS_OUTPUT_LIMIT};

	for (size_t i = 0; i < ARRAY_SIZE(killed); i++) {
		struct validation v;

		judged(&rows[0], killed[i], &v);
		CHECK(v.validity == VALIDITY_INVALID && v.result == RESULT_NONE &&
				expect_noted(&v, STR("run-killed")));
	}
}

/* ---- canaries ---- */

#define STARTED "{\"runner\":\"pytest\",\"state\":\"started\"}\n"
#define DONE(exit, passed, failed, skipped) \
	"{\"runner\":\"pytest\",\"state\":\"done\",\"exit\":" #exit ",\"passed\":" #passed \
			",\"failed\":" #failed ",\"skipped\":" #skipped "}\n"
#define SKIPPED "{\"runner\":\"pytest\",\"state\":\"skipped\",\"why\":\"x\"}\n"

static const struct canary_row {
	const char *lines, *want; /* NULL: there was none */
	bool suspect;
} canaries[] = {
	{"", NULL, false},
	{STARTED DONE(1, 0, 2, 0), "failed", false},
	{STARTED DONE(0, 2, 0, 0), "passed", true},
	{STARTED DONE(1, 1, 1, 0), "passed", true},
	{STARTED DONE(0, 0, 0, 2), "passed", true},
	{STARTED DONE(5, 0, 0, 0), "passed", true},
	{STARTED DONE(0, 0, 2, 0), "passed", true},
	{STARTED SKIPPED, "skipped", false},
	{STARTED, "unfinished", true},
	{STARTED STARTED DONE(1, 0, 1, 0), "unfinished", true},
	{STARTED SKIPPED STARTED DONE(1, 0, 1, 0), "failed", false},
	{"rubbish\n[1]\n" STARTED "{\n" DONE(1, 0, 1, 0), "failed", false},
	{"{\"runner\":\"jest\",\"state\":\"own\"}\n", NULL, false},
};

static void test_canary(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(canaries); i++) {
		struct validation v = {.validity = VALIDITY_VALID, .result = RESULT_PASS},
				failed = {.validity = VALIDITY_VALID, .result = RESULT_FAIL};
		const char *want = canaries[i].want;

		canary_judge(A, str_of(canaries[i].lines), &v);
		canary_judge(A, str_of(canaries[i].lines), &failed);
		CHECK_ROW(want ? v.canary && !strcmp(v.canary, want) : !v.canary, canaries[i].lines);
		CHECK_ROW((v.suspicions != NULL) == canaries[i].suspect, canaries[i].lines);
		CHECK(!failed.canary && !failed.suspicions && v.validity == VALIDITY_VALID);
	}
	CHECK(canary_said(A, str_of(canaries[ARRAY_SIZE(canaries) - 1].lines), "jest", "own"));
	CHECK(!canary_said(A, STR(STARTED), "pytest", "own"));
	CHECK(canary_said(A, STR(STARTED), "pytest", "started"));
	CHECK(!canary_said(A, STR(STARTED), "mocha", "started"));
}

/* ---- the pipes ---- */

static void give(const char *path, size_t n)
{
	char chunk[4096];
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	memset(chunk, 'x', sizeof(chunk));
	CHECK(fd >= 0);
	for (; n; n -= n < sizeof(chunk) ? n : sizeof(chunk))
		CHECK(write(fd, chunk, n < sizeof(chunk) ? n : sizeof(chunk)) > 0);
	close(fd);
}

static void test_collector(void)
{
	const char *paths[] = {at("one"), at("two"), at("three")};
	struct collector c = {0};
	struct str texts[COLLECT_MAX];
	bool large[COLLECT_MAX];
	struct err e = {0};

	CHECK_INT(collector_start(A, paths, 3, 300000, &c, &e), 0);
	give(paths[0], 200000); /* more than a pipe holds */
	give(paths[0], 100000);
	give(paths[1], 1000000);
	collector_end(&c, texts, large);
	CHECK_INT(texts[0].n, 300000);
	CHECK(!large[0] && large[1] && !texts[1].n && !large[2] && !texts[2].n);
	for (size_t i = 0; i < 3; i++)
		CHECK(access(paths[i], F_OK) != 0);
	make_file("one", "there", 0600);
	CHECK_INT(collector_start(A, paths, 3, 10, &c, &e), -1);
	CHECK(access(paths[0], F_OK) == 0); /* not ours */
}

/* An arena that is freed before the end takes the process and the pipes along. */
static void test_collector_left(void)
{
	const char *paths[] = {at("four")};
	struct collector c = {0};
	struct err e = {0};
	struct arena a;
	pid_t pid;

	arena_init(&a, ARENA_CAP_DEFAULT);
	CHECK_INT(collector_start(&a, paths, 1, 100, &c, &e), 0);
	pid = c.pid;
	CHECK(access(paths[0], F_OK) == 0 && kill(pid, 0) == 0);
	arena_free(&a);
	CHECK(access(paths[0], F_OK) != 0 && kill(pid, 0) != 0);
}

int main(void)
{
	if (place_begin() != 0)
		return 1;
	RUN(test_both);
	RUN(test_killed);
	RUN(test_canary);
	RUN(test_collector);
	RUN(test_collector_left);
	place_end();
	return unit_end();
}
