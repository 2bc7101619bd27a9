/*
 * Validators: real outputs (tests/samples, each with what must be said of it next to it), forged ones, and
 * hostile ones. A sample is NAME.stdout, NAME.stderr and NAME.meta.json (exit_code), or NAME.xml alone; what
 * is expected stands in NAME.expect.json.
 */
#define _GNU_SOURCE
#include <glob.h>

#include "base/json.h"
#include "result/validate.h"
#include "sys/file.h"
#include "unit.h"

#define SAMPLE_MAX ((size_t)4 << 20)

static bool noted(const struct validation *v, const char *id)
{
	for (const struct check_note *n = v->checks; n; n = n->next)
		if (!strcmp(n->name, id))
			return true;
	return false;
}

static const struct count *counted(const struct validation *v, const char *name)
{
	for (const struct count *c = v->counts; c; c = c->next)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

/* ---- samples ---- */

static bool sample_file(struct arena *a, const char *path, const char *end, struct str *ret)
{
	size_t n = strlen(path) - strlen(".expect.json");
	struct err e;

	return file_read(a, str_fmt_c(a, "%.*s%s", (int)n, path, end), SAMPLE_MAX, ret, NULL, &e) == 0;
}

static struct json *sample_json(struct arena *a, const char *path, const char *end)
{
	struct str text;
	struct err e;
	struct json *o = NULL;

	if (!sample_file(a, path, end, &text) || json_read(a, text, &o, &e) < 0)
		return NULL;
	return o;
}

static void compare(struct arena *a, const char *path, const struct validation *v, const struct json *want)
{
	const struct json *counts = json_key(want, "counts"), *checks = json_key(want, "checks");
	size_t n = 0;

	CHECK_ROW(str_is(json_text_at(want, "outcome"), validity_name(v->validity)), path);
	CHECK_ROW(str_is(json_text_at(want, "result"), result_name(v->result)), path);
	CHECK_ROW(v->format && str_is(json_text_at(want, "format"), v->format), path);
	for (const struct json *x = json_members(counts); x; x = x->next) {
		const struct count *c = counted(v, str_c(a, x->key));

		CHECK_ROW(c && c->n == json_int(x, 0), path);
	}
	for (const struct count *c = v->counts; c; c = c->next)
		CHECK_ROW(json_key(counts, c->name), path);
	for (const struct check_note *c = v->checks; c; c = c->next)
		n++;
	CHECK_ROW(n == json_size(checks), path);
	for (const struct json *x = json_items(checks); x; x = x->next)
		CHECK_ROW(noted(v, str_c(a, json_text(x))), path);
}

static void sample(const char *path)
{
	struct arena a;
	struct validate_input in = {.status = STATUS_UNKNOWN, .exit_code = -1, .out = STR(""),
			.err = STR("")};
	struct validation v;
	struct json *want, *meta;

	arena_init(&a, ARENA_CAP_DEFAULT);
	want = sample_json(&a, path, ".expect.json");
	meta = sample_json(&a, path, ".meta.json");
	CHECK_ROW(want, path);
	if (meta) {
		in.exit_code = (int)json_int_at(meta, "exit_code");
		in.status = in.exit_code ? STATUS_EXIT_NONZERO : STATUS_OK;
		CHECK_ROW(sample_file(&a, path, ".stdout", &in.out) && sample_file(&a, path, ".stderr",
				&in.err), path);
	} else {
		CHECK_ROW(sample_file(&a, path, ".xml", &in.out), path);
	}
	for (int task = 0; want && task < 2; task++) {
		in.task = task ? task_find(json_text_at(want, "task")) : TASK_ANY;
		validate_text(&a, &in, &v);
		/* without a task only what is certain is recognised */
		if (in.task || v.format)
			compare(&a, path, &v, want);
		/* the same output cut, or of a run that was killed, is never valid */
		in.cut = true;
		validate_text(&a, &in, &v);
		CHECK_ROW(v.validity != VALIDITY_VALID && v.result == RESULT_NONE, path);
		in.cut = false;
	}
	for (enum status s = STATUS_SIGNAL; s <= STATUS_OUTPUT_LIMIT; s++) {
		struct validate_input killed = in;

		killed.status = s;
		validate_text(&a, &killed, &v);
		CHECK_ROW(v.validity == VALIDITY_INVALID && v.result == RESULT_NONE &&
				noted(&v, "run-killed"), path);
	}
	arena_free(&a);
}

static void test_samples(void)
{
	glob_t g;

	CHECK_INT(glob("tests/samples/*/*.expect.json", 0, NULL, &g), 0);
	CHECK(g.gl_pathc >= 60);
	for (size_t i = 0; i < g.gl_pathc; i++)
		sample(g.gl_pathv[i]);
	globfree(&g);
}

/* ---- forged and broken outputs ---- */

#define HEAD \
	"============================= test session starts ==============================\ncollected 3 " \
			"items\n\n"
#define SUM(text) "=========================== " text " in 0.05s ===========================\n"
#define RULE "----------------------------------------------------------------------\n"

static const struct row {
	const char *name;
	int exit_code;
	const char *out, *err;
	enum validity validity;
	enum verdict_of_result result;
	const char *id; /* must be noted; NULL: nothing is */
} rows[] = {
#define V VALIDITY_VALID
#define I VALIDITY_INVALID
#define U VALIDITY_INDETERMINATE
#define P RESULT_PASS
#define F RESULT_FAIL
#define N RESULT_NONE
	/* pytest */
	{"plain", 0, HEAD "t.py ...   [100%]\n\n" SUM("3 passed"), "", V, P, NULL},
	{"os._exit(0)", 0, HEAD "t.py .", "", I, N, "no-summary"},
	{"fake summary, then os._exit(0)", 0, HEAD "t.py .\n" SUM("500 passed"), "", I, N, "count-mismatch"},
	{"fake summary before the real one", 0, HEAD "t.py .\n" SUM("500 passed") "..   [100%]\n"
			SUM("3 passed"), "", I, N, "two-summaries"},
	{"a fake of the same numbers before the real one", 0, HEAD "t.py .\n" SUM("3 passed") "..   [100%]\n"
			SUM("3 passed"), "", I, N, "two-summaries"},
	{"fake header and summary inside", 0, HEAD "t.py .\n" HEAD SUM("3 passed") "..   [100%]\n"
			SUM("3 passed"), "", I, N, "two-summaries"},
	{"a bare fake line is text", 0, HEAD "t.py .500 passed in 0.01s\n500 passed in 0.01s\n..\n"
			SUM("3 passed"), "", V, P, NULL},
	{"two runs", 0, HEAD "t.py ...   [100%]\n" SUM("3 passed") HEAD "u.py ...   [100%]\n" SUM("3 passed"),
			"", V, P, NULL},
	{"two runs, the first fails", 0, HEAD "t.py F..   [100%]\n" SUM("1 failed, 2 passed") HEAD
			"u.py ...   [100%]\n" SUM("3 passed"), "", I, N, "exit-mismatch"},
	{"the second run breaks off", 0, HEAD "t.py ...   [100%]\n" SUM("3 passed") HEAD "u.py .", "", I, N,
			"no-summary"},
	{"summary, then the run goes on", 0, HEAD "t.py .\n" SUM("3 passed") "t.py ..    [ 50%]\n", "", I, N,
			"summary-in-middle"},
	{"progress not at its end", 0, HEAD "t.py ..    [ 66%]\n" SUM("3 passed"), "", I, N,
			"unfinished-tests"},
	{"failed, exit 0", 0, HEAD "t.py F..   [100%]\n" SUM("1 failed, 2 passed"), "", I, N,
			"exit-mismatch"},
	{"passed, exit 1", 1, HEAD "t.py ...   [100%]\n" SUM("3 passed"), "", I, N, "exit-mismatch"},
	{"passed, exit 139", 139, HEAD "t.py ...   [100%]\n" SUM("3 passed"), "", I, N, "exit-mismatch"},
	{"exit not known", -1, HEAD "t.py ...   [100%]\n" SUM("3 passed"), "", V, P, "exit-unknown"},
	{"interrupted", 2, HEAD "t.py .\n!!!!!!!!!!!! KeyboardInterrupt !!!!!!!!!!!!!\n" SUM("1 passed"), "",
			I, N, "interrupted"},
	{"FAILED lines", 1, HEAD "t.py FF.   [100%]\n=== short test summary info ===\nFAILED t.py::a\n"
			SUM("2 failed, 1 passed"), "", I, N, "list-mismatch"},
	{"a failure on the way, a summary without one", 0, HEAD "t.py ..F   [100%]\n" SUM("3 passed"), "", I,
			N, "list-mismatch"},
	{"the same with -v", 0, HEAD "t.py::a FAILED   [100%]\n" SUM("3 passed"), "", I, N, "list-mismatch"},
	{"a word that is no progress", 0, HEAD "downloading FILES [ 50%]\nt.py ...   [100%]\n"
			SUM("3 passed"), "", V, P, NULL},
	{"coverage too low", 1, HEAD
			"t.py ...   [100%]\nFAIL Required test coverage of 90% not reached. Total coverage: "
			"50.00%\n" SUM("3 passed"), "", V, F, NULL},
	{"all skipped", 0, HEAD "t.py sss   [100%]\n" SUM("3 skipped"), "", V, N, "all-skipped"},
	{"skipped modules", 0, "=== test session starts ===\ncollected 1 item / 2 skipped\n"
			SUM("1 passed, 2 skipped"), "", V, P, NULL},
	{"-q and a command after it", 0, "...   [100%]\n3 passed in 0.01s\ndone\n", "", U, N,
			"text-after-summary"},
	{"-q with a bare fake", 0, "500 passed in 0.01s\n...   [100%]\n3 passed in 0.01s\n", "", I, N,
			"two-summaries"},
	{"a huge number", 0, HEAD SUM("99999999999999999999999 passed"), "", I, N, "no-summary"},
	{"a negative number", 0, HEAD SUM("-3 passed"), "", I, N, "no-summary"},
	{"long run", 0,
			"=== test session starts ===\ncollected 3 items\n\nt.py ...   [100%]\n=== 3 passed "
			"in 75.10s (0:01:15) ===\n", "", V, P, NULL},
	{"xdist", 0, "=== test session starts ===\n2 workers [3 items]\n...   [100%]\n" SUM("3 passed"), "",
			V, P, NULL},
	/* unittest */
	{"unittest", 0, "", ".\n" RULE "Ran 1 test in 0.001s\n\nOK\n", V, P, NULL},
	{"unittest into one stream", 0, ".\n" RULE "Ran 1 test in 0.001s\n\nOK\n", "", V, P, NULL},
	{"unittest fails", 1, "", "F\n" RULE "Ran 1 test in 0.001s\n\nFAILED (failures=1)\n", V, F, NULL},
	{"unittest of nothing", 0, "", "\n" RULE "Ran 0 tests in 0.000s\n\nOK\n", I, N, "no-tests"},
	{"unittest of nothing, newer", 5, "", "\n" RULE "Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", I, N,
			"no-tests"},
	{"unittest ends early", 0, "", "test_a (t.T.test_a) ... ok\ntest_b (t.T.test_b) ... ", I, N,
			"no-summary"},
	{"unittest ends before its verdict", 0, "", ".\n" RULE "Ran 1 test in 0.001s\n\n", I, N,
			"no-summary"},
	{"unittest with a fake", 0, "", RULE "Ran 500 tests in 0.1s\n\nOK\n.\n" RULE
			"Ran 1 test in 0.001s\n\nOK\n", I, N, "two-summaries"},
	{"unittest against its numbers", 0, "", "F\n" RULE "Ran 1 test in 0.001s\n\nOK (failures=1)\n", I, N,
			"count-mismatch"},
	{"unittest, a failure on the way", 0, "", ".F\n" RULE "Ran 2 tests in 0.001s\n\nOK\n", I, N,
			"list-mismatch"},
	{"unittest, letters of another program", 0, "", "FEE\n..\n" RULE "Ran 2 tests in 0.001s\n\nOK\n", V,
			P, NULL},
	{"unittest, exit 0 and FAILED", 0, "", "F\n" RULE "Ran 1 test in 0.001s\n\nFAILED (errors=1)\n", I, N,
			"exit-mismatch"},
	{"unittest -v, a fake summary, and the process ends", 0, "", "test_a (t.T.test_a) ... \n" RULE
			"Ran 500 tests in 0.1s\n\nOK\n", I, N, "count-mismatch"},
	{"unittest -v", 0, "", "test_a (t.T.test_a) ... ok\ntest_b (t.T.test_b)\nwith a text ... ok\n\n" RULE
			"Ran 2 tests in 0.001s\n\nOK\n", V, P, NULL},
	/* libtest */
	{"libtest, a fake result", 0,
			"\nrunning 3 tests\ntest result: ok. 500 passed; 0 failed; 0 ignored; 0 measured; 0 "
			"filtered out; finished in 0.00s\n", "", I, N, "count-mismatch"},
	{"libtest, a failure on the way", 0,
			"running 1 test\ntest a ... FAILED\ntest result: ok. 1 passed; 0 failed; 0 ignored; "
			"0 measured; 0 filtered out\n", "", I, N, "list-mismatch"},
	{"libtest ends early", 0, "\nrunning 3 tests\ntest a ... ok\n", "", I, N, "no-summary"},
	{"libtest, two results for one block", 0,
		"running 1 test\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered "
		"out\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n", "", I, N,
		"two-summaries"},
	{"libtest says ok and failed", 0,
			"running 1 test\ntest result: ok. 0 passed; 1 failed; 0 ignored; 0 measured; 0 "
			"filtered out\n", "", I, N, "count-mismatch"},
	{"libtest through make", 2,
			"running 1 test\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 "
			"filtered out\n", "", V, F, "exit-unusual"},
	/* go */
	{"go -v, a test ends the process", 0, "=== RUN   TestA\n", "", I, N, "no-summary"},
	{"go -v, a test ends the process and ok follows", 0, "=== RUN   TestA\nok  \tm\t0.01s\n", "", I, N,
			"unfinished-tests"},
	{"go, FAIL and exit 0", 0, "FAIL\tm\t0.01s\nFAIL\n", "", I, N, "exit-mismatch"},
	{"go, nothing matches", 0,
			"testing: warning: no tests to run\nPASS\nok  \tm\t0.01s [no tests to run]\n", "", I,
			N, "no-tests"},
	{"go -json, no end", 0, "{\"Action\":\"run\",\"Package\":\"m\",\"Test\":\"A\"}\n", "", I, N,
			"no-summary"},
	{"go -json, a test without an end", 0,
			"{\"Action\":\"run\",\"Package\":\"m\",\"Test\":\"A\"}\n{\"Action\":\"pass\","
			"\"Package\":\"m\"}\n", "", I, N, "unfinished-tests"},
	{"go -json", 0,
			"{\"Action\":\"run\",\"Package\":\"m\",\"Test\":\"A\"}\n{\"Action\":\"pass\","
			"\"Package\":\"m\",\"Test\":\"A\"}\n{\"Action\":\"pass\",\"Package\":\"m\"}\n", "", V,
			P, NULL},
	/* PHPUnit */
	{"PHPUnit", 0, "PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\n...\n\nTime: 00:00.001, "
			"Memory: 4.00 MB\n\nOK (3 tests, 5 assertions)\n", "", V, P, NULL},
	{"PHPUnit fails", 1,
			"PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\nFAILURES!\nTests: 3, "
			"Assertions: 2, Failures: 1, Skipped: 1.\n", "", V, F, NULL},
	{"PHPUnit counts too many", 1,
			"PHPUnit 9.6.7\n\nFAILURES!\nTests: 1, Assertions: 2, Failures: 1, Skipped: 1.\n", "",
			I, N, "count-mismatch"},
	{"PHPUnit of nothing", 0,
			"PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\nNo tests executed!\n", "",
			I, N, "no-tests"},
	{"PHPUnit ends early", 0, "PHPUnit 9.6.7 by Sebastian Bergmann and contributors.\n\n..", "", I, N,
			"no-summary"},
	/* ctest */
	{"ctest, a fake summary", 0,
			"Test project /b\n    Start 1: a\n100% tests passed, 0 tests failed out of 9\n1/1 "
			"Test #1: a ....   Passed    0.01 sec\n", "", I, N, "summary-in-middle"},
	{"ctest, list", 8, "Test project /b\n50% tests passed, 1 tests failed out of 2\n", "", I, N,
			"list-mismatch"},
	{"prove, a file that failed", 0,
			"t/a.t ..\nDubious, test returned 1 (wstat 256, 0x100)\nFailed 1/3 "
			"subtests\nFiles=1, Tests=3,  0 wallclock secs\nResult: PASS\n", "", I, N,
			"list-mismatch"},
	{"ctest ends early", 0, "Test project /b\n    Start 1: a\n", "", I, N, "no-summary"},
	/* jest, vitest */
	{"jest, sum", 0, "", "Test Suites: 1 passed, 1 total\nTests:       2 passed, 3 total\n", I, N,
			"count-mismatch"},
	{"jest, a file that failed", 0, "",
			"FAIL ./a.test.js\nTest Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\n",
			I, N, "list-mismatch"},
	{"jest, one suite skipped", 0, "", "Test Suites: 1 skipped, 1 passed, 1 of 2 total\n"
			"Tests:       1 skipped, 1 passed, 2 total\n", V, P, NULL},
	{"jest, two", 0, "Test Suites: 1 passed, 1 total\nTests:       500 passed, 500 total\n",
			"Test Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\n", I, N,
			"two-summaries"},
	{"vitest", 1, " Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 2 passed | 1 skipped "
			"(4)\n", "", V, F, NULL},
	{"vitest of nothing", 1, " RUN  v4.1.12 /p\n", "\nNo test files found, exiting with code 1\n", I, N,
			"no-tests"},
	{"vitest, a fake before the real one", 0,
			" Test Files  9 passed (9)\n      Tests  500 passed (500)\n\n Test Files  1 passed "
			"(1)\n      Tests  1 passed (1)\n", "", I, N, "two-summaries"},
	{"vitest, a file that does not load", 1, " Test Files  1 failed (1)\n      Tests  no tests\n", "", V,
			F, NULL},
	{"vitest, sum", 0, " Test Files  1 passed (1)\n      Tests  2 passed (4)\n", "", I, N,
			"count-mismatch"},
	/* mocha, RSpec, node */
	{"mocha", 1, "  x\n    1) a\n\n\n  2 passing (5ms)\n  1 pending\n  1 failing\n\n  1) x\n", "", V, F,
			NULL},
	{"mocha passes", 0, "\n  2 passing (5ms)\n", "", V, P, NULL},
	{"mocha, a fake before the real one", 0, "  500 passing (1ms)\n  x\n\n  2 passing (5ms)\n", "", I, N,
			"two-summaries"},
	{"mocha of nothing", 0, "\n  0 passing (1ms)\n", "", I, N, "no-tests"},
	{"RSpec", 1, "F.\n\n2 examples, 1 failure\n\nFailed examples:\n\nrspec ./a_spec.rb:3 # a\n", "", V, F,
			NULL},
	{"RSpec passes", 0, "..\n\n2 examples, 0 failures, 1 pending\n", "", V, P, NULL},
	{"RSpec, an error outside as text", 1,
			"0 examples, 0 failures, 1 error occurred outside of examples\n", "", V, F, NULL},
	{"RSpec of nothing", 0, "0 examples, 0 failures\n", "", I, N, "no-tests"},
	{"RSpec, list", 1, "3 examples, 2 failures\n\nrspec ./a_spec.rb:3 # a\n", "", I, N, "list-mismatch"},
	{"node", 1, "\u2139 tests 2\n\u2139 pass 1\n\u2139 fail 1\n\u2139 cancelled 0\n\u2139 skipped "
			"0\n\u2139 todo 0\n", "", V, F, NULL},
	{"node, sum", 0,
			"\u2139 tests 3\n\u2139 pass 1\n\u2139 fail 0\n\u2139 cancelled 0\n\u2139 skipped "
			"0\n\u2139 todo 0\n", "", I, N, "count-mismatch"},
	/* JSON reports */
	{"jest JSON", 0,
			"{\"numTotalTests\":1,\"numPassedTests\":1,\"numFailedTests\":0,"
			"\"numPendingTests\":0,\"success\":true,"
			"\"testResults\":[{\"assertionResults\":[{\"status\":\"passed\"}]}]}", "", V, P,
		NULL},
	{"jest JSON, list", 0,
			"{\"numTotalTests\":1,\"numPassedTests\":1,\"numFailedTests\":0,"
			"\"numPendingTests\":0,\"success\":true,\"testResults\":[]}", "", I, N,
			"list-mismatch"},
	{"jest JSON, negative", 0,
			"{\"numTotalTests\":1,\"numPassedTests\":2,\"numFailedTests\":-1,"
			"\"numPendingTests\":0,\"success\":true,\"testResults\":[]}", "", I, N, "bad-number"},
	{"jest JSON, twice", 0,
			"{\"numTotalTests\":1,\"testResults\":[]}\n{\"numTotalTests\":1,\"testResults\":[]}",
			"", I, N, "two-summaries"},
	{"jest JSON, cut", 0, "{\"numTotalTests\":1,\"testResults\":[", "", I, N, "malformed-report"},
	{"jest JSON, success and failures", 0,
		"{\"numTotalTests\":1,\"numPassedTests\":0,\"numFailedTests\":1,\"numPendingTests\":0,"
		"\"success\":true,\"testResults\":[{\"assertionResults\":[{\"status\":\"failed\"}]}]}", "", I,
		N,
		"exit-mismatch"},
	{"jest JSON inside pytest", 0, HEAD "{\"numTotalTests\":1,\"testResults\":[]}\n", "", I, N,
			"no-summary"},
	{"pytest JSON", 0,
			"{\"exitcode\": 0, \"duration\": 0.1, \"summary\": {\"passed\": 2, \"total\": 2}, "
			"\"tests\": [{}, {}]}", "", V, P, NULL},
	{"pytest JSON, NaN", 0,
			"{\"exitcode\": 0, \"duration\": NaN, \"summary\": {\"passed\": 2, \"total\": 2}}",
			"", I, N, "malformed-report"},
	{"pytest JSON, sum", 0, "{\"exitcode\": 0, \"summary\": {\"passed\": 2, \"total\": 3}}", "", I, N,
			"count-mismatch"},
	{"JUnit, a suite that failed without a node", -1,
			"<testsuites errors=\"1\"><testsuite tests=\"1\" errors=\"1\"><testcase "
			"name=\"a\"/></testsuite></testsuites>", "", I, N, "count-mismatch"},
	{"pytest JSON, duplicate key", 0,
			"{\"exitcode\": 0, \"summary\": {\"passed\": 2, \"total\": 2, \"total\": 2}}", "", I,
			N, "malformed-report"},
	{"pytest JSON, nothing", 5, "{\"exitcode\": 5, \"summary\": {\"total\": 0}}", "", I, N, "no-tests"},
	{"mocha JSON", 1,
			"{\"stats\": {\"tests\": 2, \"passes\": 1, \"pending\": 0, \"failures\": 1, "
			"\"duration\": 3}, \"tests\": [{}, {}], \"passes\": [{}], \"failures\": [{}], "
			"\"pending\": []}", "", V,
		F, NULL},
	{"mocha JSON, a hook failed", 1,
			"{\"stats\": {\"tests\": 1, \"passes\": 1, \"pending\": 0, \"failures\": 1, "
			"\"duration\": 3}, \"passes\": [{}], \"failures\": [{}]}", "", V, F,
			"count-mismatch"},
	{"mocha JSON, lengths", 0,
			"{\"stats\": {\"tests\": 2, \"passes\": 2, \"pending\": 0, \"failures\": 0, "
			"\"duration\": 3}, \"passes\": [{}]}", "", I, N, "list-mismatch"},
	{"RSpec JSON", 0,
			"{\"examples\":[{\"status\":\"passed\"}],\"summary\":{\"duration\":0.1,"
			"\"example_count\":1,\"failure_count\":0,\"pending_count\":0,"
			"\"errors_outside_of_examples_count\":0}}", "", V,
		P, NULL},
	{"RSpec JSON, an error outside", 1,
			"{\"examples\":[],\"summary\":{\"example_count\":0,\"failure_count\":0,"
			"\"pending_count\":0,\"errors_outside_of_examples_count\":1}}", "", V, F, NULL},
	{"RSpec JSON, nothing", 0,
			"{\"examples\":[],\"summary\":{\"example_count\":0,\"failure_count\":0,"
			"\"pending_count\":0}}", "", I, N, "no-tests"},
	/* TAP */
	{"TAP", 0, "TAP version 13\nok 1 - a\nok 2 - b\n1..2\n", "", V, P, NULL},
	{"TAP, too few", 0, "1..3\nok 1\nok 2\n", "", I, N, "plan-mismatch"},
	{"TAP, twice the same", 0, "1..2\nok 1\nok 1\n", "", I, N, "duplicate-id"},
	{"TAP, a subtest failed", 0, "1..1\n    not ok 1 - s\n    1..1\nok 1 - a\n", "", I, N,
			"list-mismatch"},
	{"TAP, a subtest to do", 0, "1..1\n    not ok 1 - s # TODO\n    1..1\nok 1 - a\n", "", V, P, NULL},
	{"TAP, a subtest failed, to do", 0,
			"1..2\n    not ok 1 - s\n    1..1\nok 1 - a # TODO later\nok 2\n", "", V, P, NULL},
	{"TAP, an indented text", 0, "1..1\n    not ok, said the log\nok 1 - a\n", "", V, P, NULL},
	{"TAP, a coloured failure", 0, "1..2\nok 1\n\033[31mnot ok 2\033[0m\nok 2\n", "", I, N,
			"plan-mismatch"},
	{"TAP, coloured", 0, "1..2\n\033[32mok 1\033[0m\n\033[1;32mok 2 - b\033[0m\n", "", V, P, NULL},
	{"TAP, what Perl says", 0, "1..2\nok 1\nok 2\n# Looks like you failed 1 test of 2.\n", "", V, F,
			NULL},
	{"TAP, bails out", 0, "1..2\nok 1\nBail out! no database\n", "", I, N, "bail-out"},
	{"TAP, two plans", 0, "1..1\nok 1\n1..1\nok 1\n", "", I, N, "two-summaries"},
	{"TAP, todo", 0, "1..2\nok 1\nnot ok 2 - b # TODO later\n", "", V, P, NULL},
	{"TAP, subtests", 1,
			"TAP version 13\n# Subtest: a\n    ok 1 - x\n    not ok 2 - y\n    1..2\nnot ok 1 - "
			"a\n1..1\n# fail 1\n", "", V, F, NULL},
	/* JUnit XML */
	{"JUnit", 0, "<?xml version=\"1.0\"?>\n<testsuites><testsuite tests=\"1\"><testcase name=\"a &lt; "
			"b\"/></testsuite></testsuites>", "", V, P, NULL},
	{"JUnit, markup in CDATA", 0,
			"<testsuite tests=\"1\"><testcase name=\"a\"><system-out><![CDATA[<failure>"
			"</testsuite>]]></sys"
			"tem-out></testcase></testsuite>", "", V, P, NULL},
	{"JUnit, entities", 0,
			"<?xml version=\"1.0\"?><!DOCTYPE x [<!ENTITY a \"b\">]><testsuite "
			"tests=\"1\"><testcase/></testsuite>", "", I, N, "malformed-report"},
	{"JUnit, cut", 0, "<testsuite tests=\"2\"><testcase/>", "", I, N, "malformed-report"},
	{"JUnit, two", 0,
			"<testsuite tests=\"1\"><testcase/></testsuite>\n<testsuite "
			"tests=\"1\"><testcase/></testsuite>", "", I, N, "malformed-report"},
	{"JUnit, attributes", 0, "<testsuite tests=\"9\"><testcase name=\"a\"/></testsuite>", "", V, P,
			"attributes-disagree"},
	{"JUnit, negative", 0, "<testsuite tests=\"-1\"><testcase/></testsuite>", "", I, N, "bad-number"},
	{"JUnit, negative next to a failure", 1,
			"<testsuite tests=\"1\" skipped=\"-1\"><testcase><failure/></testcase></testsuite>",
			"", V, F, "bad-number"},
	/* two in one output */
	{"RSpec JSON with a fake line before it", 0,
			"\n500 examples, 0 failures\n{\"examples\":[{\"status\":\"passed\"}],"
			"\"summary\":{\"example_count\":1,\"failure_count\":0,\"pending_count\":0}}\n", "", V,
			P,
		NULL},
	{"RSpec JSON that fails, with a fake line before it", 0,
			"\n500 examples, 0 failures\n{\"examples\":[{\"status\":\"failed\"}],"
			"\"summary\":{\"example_count\":1,\"failure_count\":1,\"pending_count\":0}}\n",
		"", I, N, "exit-mismatch"},
	{"pytest passes, mocha fails", 0, HEAD "t.py ...   [100%]\n"
			SUM("3 passed") "\n  1 passing (5ms)\n  1 failing\n", "", I, N, "two-formats"},
	{"pytest passes, mocha passes", 0, HEAD "t.py ...   [100%]\n" SUM("3 passed") "\n  1 passing (5ms)\n",
			"", V, P, "text-after-summary"},
	{"TAP with the verdict of prove inside", 0,
			"1..2\nok 1\nFiles=1, Tests=500, \nResult: PASS\nnot ok 2\n", "", V, F, NULL},
	{"prove and a command after it", 0,
			"a.t .. ok\nAll tests successful.\nFiles=1, Tests=2,  0 wallclock secs\nResult: "
			"PASS\ndone\n", "", V, P, "text-after-summary"},
	/* nothing of the kind */
	/* answers that looked like a pass and were none */
	{"pytest.exit(), -q", 0, "."
			"\n1 passed in 0.09s\n!!!!!!!!!!!! _pytest.outcomes.Exit: x !!!!!!!!!!!!\n", "", I, N,
			"interrupted"},
	{"pytest's report of a test that never ended", 0,
			"<testsuite tests=\"1\"><testcase name=\"a\"/><testcase time=\"0.000\"/></testsuite>",
			"", I, N, "interrupted"},
	{"node, a file without tests", 0,
			"<testsuites><testcase name=\"/p/a.test.js\" classname=\"test\"/></testsuites>"
			"", "", I, N,
			"no-tests"},
	{"node, a file without tests beside a test", 0,
			"<testsuites><testcase name=\"/p/a.test.js\"/><testcase name=\"t\"/></testsuites>"
			"", "", V, P,
			"file-without-tests"},
	{"node, a file without tests, TAP", 0, "TAP version 13\nok 1 - /p/a.test.js\n1..1\n# pass 1\n", "", I,
			N, "no-tests"},
	{"node, a file without tests, for people", 0,
			"\xE2\x9C\x94 /p/a.test.js (2.5ms)\n\xE2\x84\xB9 tests 1\n\xE2\x84\xB9 pass 1\n"
			"\xE2\x84\xB9 fail 0\n"
			"\xE2\x84\xB9 cancelled 0\n"
			"\xE2\x84\xB9 skipped 0\n\xE2\x84\xB9 todo 0\n", "", I, N, "no-tests"},
	{"node, a suite of skipped tests", 0,
			"TAP version 13\nok 1 - a\n1..1\n# tests 1\n# pass 0\n# fail 0\n# skipped 1\n"
			"", "", V, N,
			"all-skipped"},
	{"node, a todo that fails", 0,
			"<testsuites><testcase name=\"t\"><skipped type=\"todo\"/><failure/></testcase>"
			"<testcase name=\"u\"/></testsuites>", "", V, P, NULL},
	{"node, the failure before the todo", 0,
			"<testsuites><testcase name=\"t\"><failure/><skipped type=\"todo\"/></testcase>"
			"<testcase name=\"u\"/></testsuites>", "", V, P, NULL},
	{"a skipped test that fails is no todo", 1,
			"<testsuites><testcase name=\"t\"><skipped/><failure/></testcase></testsuites>"
			"", "", V, F,
			NULL},
	{"go test -list", 0, "TestA\nTestB\nok  \tx/ok\t0.002s\n", "", U, N, "dry-run"},
	{"go test that prints", 0, "TestA\nhello\nok  \tx/ok\t0.002s\n", "", V, P, NULL},
	{"go, all skipped", 0,
			"=== RUN   TestA\n--- SKIP: TestA (0.00s)\nPASS\nok  \tx\t0.002s\n", "", V, N,
			"all-skipped"},
	{"mocha-json of --dry-run", 0,
			"{\"stats\":{\"tests\":1,\"passes\":1,\"pending\":0,\"failures\":0,\"duration\":1},"
			"\"tests\":[{\"title\":\"a\"}],\"pending\":[],\"failures\":[],"
			"\"passes\":[{\"title\":\"a\"}]}", "", U, N, "dry-run"},
	{"mocha without files", 1, "", "\nError: No test files found: \"test\"\n", I, N, "no-tests"},
	{"gtest, tests that are disabled", 0,
			"<testsuites tests=\"1\"><testsuite name=\"a\" tests=\"1\"><testcase "
			"name=\"DISABLED_x\" "
			"status=\"notrun\" result=\"suppressed\"/></testsuite></testsuites>", "", V, N,
			"all-skipped"},
	{"jest-json of nothing, exit 1", 1,
			"{\"numTotalTests\":0,\"numPassedTests\":0,\"numFailedTests\":0,"
			"\"numPendingTests\":0,"
			"\"success\":false,\"testResults\":[]}", "", I, N, "no-tests"},
	{"PHPUnit, a risky test", 0,
			"<testsuites><testsuite tests=\"1\"><testcase name=\"t\">"
			"<error type=\"PHPUnit\\Framework\\RiskyTestError\"/></testcase></testsuite>"
			"</testsuites>",
			"", V, P, NULL},
	{"pytest-subtests", 1,
			"=== test session starts ===\ncollected 1 item\n\nt.py u,F   [100%]\n"
			"=== short test summary info ===\nSUBFAIL t.py::a - x\nFAILED t.py::a\n"
			SUM("2 failed, 1 passed"), "", V, F, NULL},
	{"jest -t", 1,
			"Test Suites: 1 failed, 1 of 2 total\nTests:       1 failed, 1 total\nSnapshots: "
			"  0 total\n",
			"", V, F, NULL},
	{"jest, more of fewer", 0,
			"Test Suites: 3 passed, 3 of 2 total\nTests:       1 passed, 1 total\n", "", I, N,
			"list-mismatch"},
	/* bare counts */
	{"counts of JavaScript", 1, "{ passed: 5, failed: 1, skipped: 0, total: 6 }\n", "", V, F, NULL},
	{"counts of JavaScript, exit 0", 0, "{passed: 5, failed: 1, skipped: 0, total: 6}\n", "", V, F, NULL},
	{"counts of JavaScript that pass", 0, "log\n{ passed: 5, failed: 0, total: 5 }\n", "", V, P, NULL},
	{"counts of Python", 0, "{'passed': 5, 'failed': 0, 'skipped': 0, 'total': 5}\n", "", V, P, NULL},
	{"counts of Python that do not add up", 0, "{'passed': 5, 'failed': 0, 'total': 6}\n", "", I, N,
			"count-mismatch"},
	{"counts of JavaScript, nothing ran", 0, "{ passed: 0, failed: 0, total: 0 }\n", "", I, N,
			"no-tests"},
	{"counts of JavaScript twice", 0, "{ passed: 5, total: 5 }\n{ passed: 5, total: 5 }\n", "", I, N,
			"two-summaries"},
	{"counts without the failed ones", 0, "{\"passed\": 5, \"total\": 5}\n", "", V, P, NULL},
	{"counts that hide the failed ones", 0, "{\"passed\": 4, \"total\": 5}\n", "", I, N,
			"count-mismatch"},
	{"counts", 1, "{\"passed\": 5, \"failed\": 1, \"skipped\": 0, \"total\": 6}\n", "", V, F, NULL},
	{"counts that pass", 0, "{\"passed\": 5, \"failed\": 0, \"skipped\": 1, \"total\": 6}\n", "", V, P,
			NULL},
	{"counts in a summary", 0, "{\"summary\": {\"passed\": 5, \"failed\": 0, \"total\": 5}}\n", "", V, P,
			NULL},
	{"counts below other lines", 0, "running\n{\"passed\": 5, \"failed\": 0, \"total\": 5}\n", "", V, P,
			NULL},
	{"counts that do not add up", 1, "{\"passed\": 5, \"failed\": 1, \"skipped\": 0, \"total\": 9}\n", "",
			I, N, "count-mismatch"},
	{"negative counts", 0, "{\"passed\": 6, \"failed\": -1, \"skipped\": 0, \"total\": 5}\n", "", I, N,
			"bad-number"},
	{"counts without a number", 0, "{\"passed\": \"5\", \"failed\": 0, \"total\": 5}\n", "", I, N,
			"bad-number"},
	{"counts of nothing", 0, "{\"passed\": 0, \"failed\": 0, \"skipped\": 0, \"total\": 0}\n", "", I, N,
			"no-tests"},
	{"counts that pass, exit 1", 1, "{\"passed\": 5, \"failed\": 0, \"total\": 5}\n", "", I, N,
			"exit-mismatch"},
	{"empty", 0, "", "", U, N, "not-recognised"},
	{"prose", 0, "all tests passed\n", "", U, N, "not-recognised"},
#undef V
#undef I
#undef U
#undef P
#undef F
#undef N
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		struct validate_input in = {.task = TASK_TEST, .out = str_of(r->out), .err = str_of(r->err),
				.exit_code = r->exit_code};
		struct validation v;
		struct arena a;

		in.status = r->exit_code < 0 ? STATUS_UNKNOWN : r->exit_code ? STATUS_EXIT_NONZERO :
				STATUS_OK;
		arena_init(&a, ARENA_CAP_DEFAULT);
		validate_text(&a, &in, &v);
		CHECK_ROW(v.validity == r->validity, r->name);
		CHECK_ROW(v.result == r->result, r->name);
		CHECK_ROW(r->id ? noted(&v, r->id) : !v.checks, r->name);
		if (v.validity != r->validity)
			printf("#   format %s, first check %s\n", v.format ? v.format : "none",
					v.checks ? v.checks->name : "none");
		arena_free(&a);
	}
}

/* ---- hostile ---- */

static void hostile(struct str out)
{
	struct validate_input in = {.out = out, .err = STR(""), .status = STATUS_OK};
	struct validator r;
	struct validation v;
	struct arena a;

	arena_init(&a, ARENA_CAP_DEFAULT);
	for (size_t i = 0; validator_at(i, &r); i++) { /* each of them, whatever it recognises */
		v = (struct validation){.validity = VALIDITY_VALID};
		validator_check(&r, &a, &in, &v);
		/* to a checker silence is a pass; to a test it never is */
		CHECK_ROW(r.task != TASK_TEST || v.result != RESULT_PASS ||
				v.validity != VALIDITY_VALID, r.format);
	}
	in.task = TASK_TEST;
	validate_text(&a, &in, &v);
	CHECK(v.result != RESULT_PASS);
	arena_free(&a);
}

static void test_hostile(void)
{
	static const char *const pieces[] = {"[", "{", "<a>", "{\"numTotalTests\":", "\033[", "<testsuite ",
			"1..", "ok 1\n", "9", "\xff", "{\"Action\":\"run\"}\n", "=", "collected 1 items / ",
			"\033]"};
	static char text[(1 << 20) + 64];

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		size_t n = 0;

		while (n < 1 << 20) {
			memcpy(text + n, pieces[i], strlen(pieces[i]));
			n += strlen(pieces[i]);
		}
		hostile(str_n(text, n));
	}
	hostile(str_n("\0\0\0", 3));
	hostile(STR(""));
}

/* Words of a command that make a pass none. */
static void test_commands(void)
{
	static const struct {
		const char *command;
		bool dry;
	} rows_of_commands[] = {
		{"go test -list . ./ok", true}, {"cd x && go test -list=.", true}, {"go test ./...", false},
		{"go test -exec true ./fail", true}, {"go test -count=1 -v", false}, {"go test -c", true},
		{"npx mocha --dry-run", true}, {"npx mocha", false}, {"npx mocha --dry-runs", false},
		{"python3 -O -m pytest", true}, {"python3 -m pytest -k -Ofoo", false},
		{"pytest --assert=plain", true}, {"pytest --co", true}, {"pytest --color=no", false},
	};
	static const struct {
		const char *command;
		bool prints;
	} rows_of_logs[] = {
		{"cat old.log", true}, {"cat a | grep x | tail -n 3", true}, {"cd logs && /bin/cat a", true},
		{"git show HEAD:a.log", true}, {"LC_ALL=C sort a; head b", true}, {"", false},
		{"pytest | tail -3", false}, {"cat a; ./run", false}, {"git bisect run", false},
		{"cat $(make log)", false}, {"tail -f `x`", false}, {"catx", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows_of_commands); i++) {
		struct validate_input in = {.command = str_of(rows_of_commands[i].command)};
		struct validation v = {.validity = VALIDITY_VALID, .result = RESULT_PASS};
		struct arena a;

		arena_init(&a, ARENA_CAP_DEFAULT);
		validate_command(&a, &in, &v);
		CHECK_ROW((v.validity == VALIDITY_INDETERMINATE) == rows_of_commands[i].dry,
				rows_of_commands[i].command);
		arena_free(&a);
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows_of_logs); i++)
		CHECK_ROW(validate_only_prints(str_of(rows_of_logs[i].command)) == rows_of_logs[i].prints,
				rows_of_logs[i].command);
}

static void test_names(void)
{
	CHECK(!strcmp(validity_name(VALIDITY_INVALID), "invalid") && !strcmp(result_name(RESULT_FAIL),
			"fail") && !strcmp(evidence_name(EVIDENCE_MACHINE), "machine"));
	CHECK(!strcmp(evidence_name(EVIDENCE_NONE), ""));
}

int main(void)
{
	RUN(test_samples);
	RUN(test_rows);
	RUN(test_hostile);
	RUN(test_commands);
	RUN(test_names);
	return unit_end();
}
