/*
 * Test runners that print one JSON object: pytest-json-report, jest and vitest, mocha, RSpec; and the rows of
 * all machine-readable formats.
 *
 * The object is the one with the format's mark as a key. A mark that occurs twice means two reports, one of
 * them printed by a test.
 */
#include "base/json.h"
#include "result/validate_test.h"

#include "result/json_object.h"

#define COUNTS_SURE 60 /* confidence in an object of bare counts */

const struct validator validators_test_machine[] = {
	{TASK_TEST, "pytest-json", EVIDENCE_MACHINE, pytest_json_detect, .check = pytest_json_check},
	{TASK_TEST, "jest-json", EVIDENCE_MACHINE, jest_json_detect, .check = jest_json_check},
	{TASK_TEST, "mocha-json", EVIDENCE_MACHINE, mocha_json_detect, .check = mocha_json_check},
	{TASK_TEST, "rspec-json", EVIDENCE_MACHINE, rspec_json_detect, .check = rspec_json_check},
	{TASK_TEST, "go-test-json", EVIDENCE_MACHINE, gotest_json_detect, .check = gotest_json_check},
	{TASK_TEST, "libtest-json", EVIDENCE_MACHINE, libtest_json_detect, .check = libtest_json_check},
	{TASK_TEST, "junit-xml", EVIDENCE_MACHINE, junit_detect, .check = junit_check},
	{TASK_TEST, "tap", EVIDENCE_MACHINE, tap_detect, .check = tap_check},
	{TASK_TEST, "counts-json", EVIDENCE_MACHINE, test_counts_json_detect,
			.check = test_counts_json_check},
	{0},
};

/* ---- shared ---- */

struct machine_report { /* common form of all reports */
	bool ok;                 /* parsed */
	bool bad_number;         /* a count or a duration is missing, negative or not a number */
	bool other;              /* not a report of this format */
	int64_t total, passed, failed, skipped, todo, errors;
	int64_t listed, listed_failed; /* individual results; -1: none */
	int64_t exit_said;       /* -1: not given */
	bool bad_list;           /* the length of an array disagrees with its count */
	bool says_fail, interrupted, sum_is_loose, from_file;
	bool dry_run;            /* tests without a duration: mocha only listed them */
	char why[ERR_TEXT_MAX];
};

static int64_t read_count(struct machine_report *r, const struct json *o, const char *key)
{
	const struct json *n = json_key(o, key);

	if (!json_is_int(n) || json_int(n, 0) < 0 || json_int(n, 0) > COUNT_MAX) {
		r->bad_number = true;
		return 0;
	}
	return json_int(n, 0);
}

static int64_t number_or_zero(struct machine_report *r, const struct json *o, const char *key)
{
	return json_key(o, key) ? read_count(r, o, key) : 0;
}

/* Zero may be negative. */
static bool is_negative(struct str number)
{
	size_t i = 1;

	while (i < number.n && (number.p[i] == '0' || number.p[i] == '.'))
		i++;
	return number.p[0] == '-' && i < number.n && number.p[i] >= '1' && number.p[i] <= '9';
}

static void read_duration(struct machine_report *r, const struct json *o, const char *key)
{
	const struct json *n = json_key(o, key);

	if (n && !json_is(n, JSON_NULL) && !(json_is(n, JSON_NUMBER) && !is_negative(n->text)))
		r->bad_number = true;
}

static void put_counts(struct arena *a, struct validation *v, const struct machine_report *r)
{
	validation_count(a, v, "total", r->total);
	validation_count(a, v, "passed", r->passed);
	validation_count(a, v, "failed", r->failed);
	validation_count(a, v, "skipped", r->skipped);
	if (r->todo)
		validation_count(a, v, "todo", r->todo);
	if (r->errors)
		validation_count(a, v, "errors", r->errors);
}

static void check_sums(struct arena *a, struct validation *v, const struct machine_report *r)
{
	int64_t sum = r->passed + r->failed + r->skipped + r->todo;

	if (r->bad_number)
		validation_note(a, v, NOTE_BAD_NUMBER, false,
				"a number of the report is missing, negative, too large or not a number; do "
				"not use the report: make it again");
	else if (sum != r->total)
		validation_note(a, v, NOTE_COUNT_MISMATCH, r->sum_is_loose,
				"the outcomes add up to %lld, but the total is %lld%s", (long long)sum,
				(long long)r->total,
			r->sum_is_loose ? " (a failed hook can cause that)" :
			"; do not use the report: make it again");
	else if (r->bad_list || (r->listed >= 0 && r->listed != r->total) ||
			(r->listed_failed >= 0 && r->listed_failed != r->failed))
		validation_note(a, v, NOTE_LIST_MISMATCH, false,
				"the report lists other results than it counts (%lld listed, %lld counted); "
				"make it again", (long long)r->listed,
			(long long)r->total);
}

/* A report in a file may be printed by another command, whose exit code says nothing about the tests. */
static void set_result(struct arena *a, const struct validate_input *in, struct validation *v,
		const struct machine_report *r, bool failed)
{
	if (r->from_file && failed && in->exit_code == 0)
		v->result = RESULT_FAIL;
	else
		test_result(a, in, v, failed);
}

static void judge_report(struct arena *a, const struct validate_input *in, struct validation *v,
		const struct machine_report *r)
{
	bool failed = r->says_fail || r->failed || r->errors;

	if (!r->ok || r->other) {
		validation_note(a, v, NOTE_MALFORMED_REPORT, false,
				"the report cannot be read (%s); do not guess from it: make it again",
				r->other ? "it is not a report of this format" : r->why);
		return;
	}
	put_counts(a, v, r);
	check_sums(a, v, r);
	if (r->interrupted && !failed)
		validation_note(a, v, NOTE_INTERRUPTED, false,
				"the run was interrupted before all tests ran, so it did not pass; run it "
				"again");
	if (r->exit_said >= 0 && (r->exit_said != 0) != failed && r->total)
		validation_note(a, v, NOTE_EXIT_MISMATCH, false,
				"the report's own exit code is %lld, which its counts do not say; make it "
				"again", (long long)r->exit_said);
	if (!failed && r->total == 0)
		test_none(a, v);
	else if (!failed && r->dry_run)
		test_dry_run(a, v, "its tests have no duration");
	else if (!failed && r->passed == 0)
		test_skipped(a, in, v);
	else
		set_result(a, in, v, r, failed);
}

/* Finds and parses the object, passes it to `take`, and sets the result. */
static void check_object(struct arena *a, const struct validate_input *in, struct validation *v,
		const char *mark, void (*take)(const struct json *root, struct machine_report *r))
{
	struct machine_report r = {.listed = -1, .listed_failed = -1, .exit_said = -1};
	struct json_object_at at = json_object_find(in, mark);
	struct err e = {0};
	struct json *root;

	if (at.marks > 1) {
		validation_note(a, v, NOTE_TWO_SUMMARIES, false,
				"the output holds more than one report; a test may have printed one: write "
				"the report to a file and read that");
		return;
	}
	if (json_read(a, at.text, &root, &e) == 0) {
		r.ok = json_is(root, JSON_OBJECT);
		if (r.ok)
			take(root, &r);
	}
	memcpy(r.why, e.text, sizeof(r.why));
	judge_report(a, in, v, &r);
}

/* ---- pytest-json-report ---- */

static void read_pytest(const struct json *root, struct machine_report *r)
{
	const struct json *s = json_key(root, "summary"), *tests = json_key(root, "tests"),
			*code = json_key(root, "exitcode");

	r->from_file = true;
	r->other = !json_is(s, JSON_OBJECT);
	r->total = number_or_zero(r, s, "total");
	r->passed = number_or_zero(r, s, "passed") + number_or_zero(r, s, "xpassed");
	r->failed = number_or_zero(r, s, "failed") + number_or_zero(r, s, "error");
	r->skipped = number_or_zero(r, s, "skipped") + number_or_zero(r, s, "xfailed");
	if (json_is(tests, JSON_ARRAY))
		r->listed = (int64_t)json_size(tests);
	if (json_is_int(code) && json_int(code, 0) >= 0)
		r->exit_said = json_int(code, 0);
	/* collection errors are in no count */
	r->interrupted = r->exit_said == 2 || r->exit_said == 3;
	read_duration(r, root, "duration");
}

int pytest_json_detect(const struct validate_input *in)
{
	return json_object_sure(in, "\"exitcode\"", "\"summary\"");
}
void pytest_json_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	check_object(a, in, v, "\"exitcode\"", read_pytest);
}

/* ---- jest, vitest ---- */

static void read_jest_results(const struct json *suites, struct machine_report *r)
{
	r->listed = r->listed_failed = 0;
	for (const struct json *suite = json_items(suites); suite; suite = suite->next) {
		for (const struct json *test = json_items(json_key(suite, "assertionResults")); test;
				test = test->next) {
			r->listed++;
			r->listed_failed += str_is(json_text_at(test, "status"), "failed");
			read_duration(r, test, "duration");
		}
		r->says_fail |= str_is(json_text_at(suite, "status"), "failed");
	}
}

static void read_jest(const struct json *root, struct machine_report *r)
{
	const struct json *success = json_key(root, "success"), *suites = json_key(root, "testResults");

	r->total = read_count(r, root, "numTotalTests");
	r->passed = read_count(r, root, "numPassedTests");
	r->failed = read_count(r, root, "numFailedTests");
	r->skipped = read_count(r, root, "numPendingTests");
	r->todo = number_or_zero(r, root, "numTodoTests");
	r->says_fail = number_or_zero(r, root, "numFailedTestSuites") > 0 ||
			number_or_zero(r, root, "numRuntimeErrorTestSuites") > 0;
	r->interrupted = json_true_at(root, "wasInterrupted");
	if (json_is(suites, JSON_ARRAY))
		read_jest_results(suites, r);
	/*
	 * success false without a failure (an obsolete snapshot, a threshold) fails, unless there was nothing
	 * to test; success true with a failure is a contradiction
	 */
	if (json_is(success, JSON_FALSE) && r->total)
		r->says_fail = true;
	else if (json_is(success, JSON_TRUE) && (r->failed || r->says_fail))
		r->exit_said = 0;
}

int jest_json_detect(const struct validate_input *in)
{
	return json_object_sure(in, "\"numTotalTests\"", "\"testResults\"");
}
void jest_json_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	check_object(a, in, v, "\"numTotalTests\"", read_jest);
}

/* ---- mocha ---- */

static int64_t array_length(const struct json *root, const char *key)
{
	const struct json *l = json_key(root, key);

	return json_is(l, JSON_ARRAY) ? (int64_t)json_size(l) : -1;
}

static void read_mocha(const struct json *root, struct machine_report *r)
{
	const struct json *s = json_key(root, "stats");
	int64_t passes = array_length(root, "passes"), pending = array_length(root, "pending");

	r->other = !json_is(s, JSON_OBJECT);
	r->total = read_count(r, s, "tests");
	r->passed = read_count(r, s, "passes");
	r->failed = read_count(r, s, "failures");
	r->skipped = read_count(r, s, "pending");
	r->sum_is_loose = r->failed > 0;
	r->listed = array_length(root, "tests");
	r->listed_failed = array_length(root, "failures");
	if ((passes >= 0 && passes != r->passed) || (pending >= 0 && pending != r->skipped))
		r->bad_list = true;
	r->dry_run = passes > 0;
	for (const struct json *x = json_items(json_key(root, "passes")); x; x = x->next)
		r->dry_run = r->dry_run && !json_key(x, "duration");
	read_duration(r, s, "duration");
}

int mocha_json_detect(const struct validate_input *in)
{
	return json_object_sure(in, "\"stats\"", "\"passes\"");
}
void mocha_json_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	check_object(a, in, v, "\"stats\"", read_mocha);
}

/* ---- RSpec ---- */

static void read_rspec(const struct json *root, struct machine_report *r)
{
	const struct json *s = json_key(root, "summary"), *examples = json_key(root, "examples");

	r->other = !json_is(s, JSON_OBJECT);
	r->total = read_count(r, s, "example_count");
	r->failed = read_count(r, s, "failure_count");
	r->skipped = read_count(r, s, "pending_count");
	r->errors = number_or_zero(r, s, "errors_outside_of_examples_count");
	r->passed = r->total - r->failed - r->skipped;
	r->bad_number |= r->passed < 0;
	read_duration(r, s, "duration");
	if (!json_is(examples, JSON_ARRAY))
		return;
	r->listed = (int64_t)json_size(examples);
	r->listed_failed = 0;
	for (const struct json *x = examples->first; x; x = x->next)
		r->listed_failed += str_is(json_text_at(x, "status"), "failed");
}

int rspec_json_detect(const struct validate_input *in)
{
	return json_object_sure(in, "\"example_count\"", "\"summary\"");
}
void rspec_json_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	check_object(a, in, v, "\"example_count\"", read_rspec);
}

/* ---- {"passed": 5, "failed": 1, "skipped": 0, "total": 6}, or the same in "summary" ---- */

static void read_counts(const struct json *root, struct machine_report *r)
{
	const struct json *summary = json_key(root, "summary"),
			*s = json_is(summary, JSON_OBJECT) ? summary : root;

	r->total = read_count(r, s, "total");
	r->passed = read_count(r, s, "passed");
	r->failed = read_count(r, s, "failed");
	r->skipped = number_or_zero(r, s, "skipped");
	r->errors = number_or_zero(r, s, "errors");
	r->from_file = true;
}

int test_counts_json_detect(const struct validate_input *in)
{
	int sure = json_object_sure(in, "\"passed\"", "\"total\"");

	/* runners' own formats have these words, too */
	return sure > COUNTS_SURE ? COUNTS_SURE : sure;
}

void test_counts_json_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	check_object(a, in, v, "\"passed\"", read_counts);
}
