/*
 * Test runners that print one JSON object: pytest-json-report, jest and vitest, mocha, RSpec, bare counts. A
 * row says where their numbers are; one reader checks them. The rows of all machine-readable formats are
 * here, too.
 *
 * The object is the one with the format's mark as a key. A mark that occurs twice means two reports, one of
 * them printed by a test.
 */
#include "base/json.h"
#include "result/validate_test.h"

#include "result/json_object.h"
#include "result/seen.h"

#define KEY_MAX 40

/*
 * Counts are sums of members: "passed? xpassed?". Those with a question mark may be missing. An empty sum is
 * 0; for `passed` it is what the other counts leave of the total.
 */
struct test_json {
	char mark[16], also[16];  /* keys of every such object */
	int sure;                 /* at most this confidence; 0: any */
	char at[8];               /* member that has the counts; the object itself if that is missing */
	char total[16], passed[20], failed[20], skipped[24], todo[16], errors[36];
	char fails[52];           /* counts that fail a run, and are no tests */
	char list[16], inner[20]; /* the array of single results; the arrays of them in each of its members */
	char status[8], name[20]; /* members of a single result: "failed", and what it is called */
	char arrays[3][12];       /* of those that passed, were skipped, failed: as long as their counts */
	char duration[12];        /* of the run */
	char success[8];          /* false: it failed */
	char exit[12];            /* the exit code that the runner had */
	bool loose;               /* a failed hook may break the sum */
	bool from_file;           /* such a report lies in a file, so another command may print it */
	bool required;            /* the object has the member `at` */
};

static const struct test_json pytest_row = {.mark = "\"exitcode\"", .also = "\"summary\"", .at = "summary",
		.total = "total?", .passed = "passed? xpassed?", .failed = "failed? error?",
		.skipped = "skipped? xfailed?", .list = "tests", .name = "nodeid", .duration = "duration",
		.exit = "exitcode", .from_file = true, .required = true};
static const struct test_json jest_row = {.mark = "\"numTotalTests\"", .also = "\"testResults\"",
		.total = "numTotalTests", .passed = "numPassedTests", .failed = "numFailedTests",
		.skipped = "numPendingTests", .todo = "numTodoTests?",
		.fails = "numFailedTestSuites? numRuntimeErrorTestSuites?", .list = "testResults",
		.inner = "assertionResults", .status = "status", .name = "fullName", .success = "success"};
static const struct test_json mocha_row = {.mark = "\"stats\"", .also = "\"passes\"", .at = "stats",
		.total = "tests", .passed = "passes", .failed = "failures", .skipped = "pending",
		.list = "tests", .name = "fullTitle", .arrays = {"passes", "pending", "failures"},
		.duration = "duration", .loose = true, .required = true};
static const struct test_json rspec_row = {.mark = "\"example_count\"", .also = "\"summary\"",
		.at = "summary", .total = "example_count", .failed = "failure_count",
		.skipped = "pending_count", .errors = "errors_outside_of_examples_count?",
		.list = "examples", .status = "status",
		.name = "full_description", .duration = "duration", .required = true};
/* {"passed": 5, "failed": 1, "skipped": 0, "total": 6}; runners' own formats have these words, too */
static const struct test_json counts_row = {.mark = "\"passed\"", .also = "\"total\"", .sure = 60,
		.at = "summary", .total = "total", .passed = "passed", .failed = "failed?",
		.skipped = "skipped?", .errors = "errors?", .from_file = true};

const struct validator validators_test_machine[] = {
	{TASK_TEST, "pytest-json", EVIDENCE_MACHINE, .json = &pytest_row},
	{TASK_TEST, "jest-json", EVIDENCE_MACHINE, .json = &jest_row},
	{TASK_TEST, "mocha-json", EVIDENCE_MACHINE, .json = &mocha_row},
	{TASK_TEST, "rspec-json", EVIDENCE_MACHINE, .json = &rspec_row},
	{TASK_TEST, "go-test-json", EVIDENCE_MACHINE, gotest_json_detect, .check = gotest_json_check},
	{TASK_TEST, "libtest-json", EVIDENCE_MACHINE, libtest_json_detect, .check = libtest_json_check},
	{TASK_TEST, "junit-xml", EVIDENCE_MACHINE, junit_detect, .check = junit_check},
	{TASK_TEST, "tap", EVIDENCE_MACHINE, tap_detect, .check = tap_check},
	{TASK_TEST, "counts-json", EVIDENCE_MACHINE, .json = &counts_row},
	{0},
};

struct machine_report { /* common form of all reports */
	bool bad_number;         /* a count or a duration is missing, negative or not a number */
	int64_t total, passed, failed, skipped, todo, errors;
	int64_t listed, listed_failed; /* individual results; -1: none */
	int64_t exit_said;       /* -1: not given */
	int64_t snapshots;       /* expectations that the run wrote anew */
	bool bad_list;           /* the length of an array disagrees with its count */
	bool says_fail, interrupted;
	bool dry_run;            /* tests without a duration: mocha only listed them */
	struct seen names;
};

/* ---- reading ---- */

static int64_t read_count(struct machine_report *r, const struct json *o, const char *key)
{
	const struct json *n = json_key(o, key);

	if (!json_is_int(n) || json_int(n, 0) < 0 || json_int(n, 0) > COUNT_MAX) {
		r->bad_number = true;
		return 0;
	}
	return json_int(n, 0);
}

static int64_t read_sum(struct machine_report *r, const struct json *o, const char *keys)
{
	struct str all = str_of(keys);
	int64_t n = 0;

	for (size_t from = 0; from < all.n;) {
		struct str word = str_sub(all, from, str_end(all, ' ', from));
		bool optional = str_ends(word, "?");
		char key[KEY_MAX + 1] = "";

		from += word.n + 1;
		memcpy(key, word.p, word.n - optional < KEY_MAX ? word.n - optional : KEY_MAX);
		n += optional && !json_key(o, key) ? 0 : read_count(r, o, key);
	}
	return n;
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
	const struct json *n = key[0] ? json_key(o, key) : NULL;

	if (n && !json_is(n, JSON_NULL) && !(json_is(n, JSON_NUMBER) && !is_negative(n->text)))
		r->bad_number = true;
}

static void read_results(const struct test_json *row, const struct json *list, struct machine_report *r)
{
	for (const struct json *x = json_items(list); x; x = x->next) {
		struct str name = json_text_at(x, row->name);

		r->listed++;
		r->listed_failed += row->status[0] && str_is(json_text_at(x, row->status), "failed");
		read_duration(r, x, row->inner[0] ? "duration" : "");
		if (name.n)
			seen_get(&r->names, seen_key(name, STR("")), NULL);
	}
}

static void read_list(const struct test_json *row, const struct json *root, struct machine_report *r)
{
	const struct json *list = row->list[0] ? json_key(root, row->list) : NULL;

	if (!json_is(list, JSON_ARRAY))
		return;
	r->listed = r->listed_failed = 0;
	if (!row->inner[0])
		read_results(row, list, r);
	for (const struct json *x = row->inner[0] ? json_items(list) : NULL; x; x = x->next) {
		read_results(row, json_key(x, row->inner), r);
		r->says_fail |= str_is(json_text_at(x, row->status), "failed");
	}
	if (!row->status[0])
		r->listed_failed = -1;
}

/* Those that passed have a duration unless they were only listed. */
static void read_arrays(const struct test_json *row, const struct json *root, struct machine_report *r)
{
	const int64_t counts[] = {r->passed, r->skipped, r->failed};
	const struct json *passes = json_key(root, row->arrays[0]);

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		const struct json *l = json_key(root, row->arrays[i]);

		r->bad_list |= json_is(l, JSON_ARRAY) && (int64_t)json_size(l) != counts[i];
	}
	r->dry_run = json_is(passes, JSON_ARRAY) && json_size(passes) > 0;
	for (const struct json *x = json_items(passes); x; x = x->next)
		r->dry_run = r->dry_run && !json_key(x, "duration");
}

/*
 * success false without a failure (an obsolete snapshot, a threshold) fails, unless there was nothing to
 * test; success true with a failure is a contradiction.
 */
static void read_success(const struct test_json *row, const struct json *root, struct machine_report *r)
{
	const struct json *success = row->success[0] ? json_key(root, row->success) : NULL,
			*code = row->exit[0] ? json_key(root, row->exit) : NULL;

	if (json_is(success, JSON_FALSE) && r->total)
		r->says_fail = true;
	else if (json_is(success, JSON_TRUE) && (r->failed || r->says_fail))
		r->exit_said = 0;
	if (json_is_int(code) && json_int(code, 0) >= 0)
		r->exit_said = json_int(code, 0);
	/* pytest: errors while collecting are in no count */
	r->interrupted = json_true_at(root, "wasInterrupted") || r->exit_said == 2 || r->exit_said == 3;
	r->snapshots = json_int_at(json_key(root, "snapshot"), "updated");
}

/* Returns false if the object is not a report of this format. */
static bool read_report(const struct test_json *row, const struct json *root, struct machine_report *r)
{
	const struct json *member = row->at[0] ? json_key(root, row->at) : NULL,
			*o = json_is(member, JSON_OBJECT) ? member : root;

	if (row->required && o == root)
		return false;
	r->total = read_sum(r, o, row->total);
	r->failed = read_sum(r, o, row->failed);
	r->skipped = read_sum(r, o, row->skipped);
	r->todo = read_sum(r, o, row->todo);
	r->errors = read_sum(r, o, row->errors);
	r->passed = row->passed[0] ? read_sum(r, o, row->passed) : r->total - r->failed - r->skipped;
	r->bad_number |= r->passed < 0;
	r->says_fail = read_sum(r, o, row->fails) > 0;
	read_duration(r, json_key(o, row->duration) ? o : root, row->duration);
	read_list(row, root, r);
	if (row->arrays[0][0])
		read_arrays(row, root, r);
	read_success(row, root, r);
	return true;
}

/* ---- judging ---- */

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

static void check_sums(struct arena *a, struct validation *v, const struct machine_report *r, bool loose)
{
	int64_t sum = r->passed + r->failed + r->skipped + r->todo;

	if (r->bad_number)
		validation_note(a, v, NOTE_BAD_NUMBER, false,
				"a number of the report is missing, negative, too large or not a number; do "
				"not use the report: make it again");
	else if (sum != r->total)
		validation_note(a, v, NOTE_COUNT_MISMATCH, loose,
				"the outcomes add up to %lld, but the total is %lld%s", (long long)sum,
				(long long)r->total,
			loose ? " (a failed hook can cause that)" :
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
		const struct test_json *row, bool failed)
{
	if (row->from_file && failed && in->exit_code == 0)
		v->result = RESULT_FAIL;
	else
		test_result(a, in, v, failed);
}

static void judge_report(struct arena *a, const struct validate_input *in, struct validation *v,
		const struct test_json *row, const struct machine_report *r)
{
	bool failed = r->says_fail || r->failed || r->errors;

	put_counts(a, v, r);
	check_sums(a, v, r, row->loose && r->failed > 0);
	test_keep_names(a, &r->names, v);
	if (r->snapshots > 0 && !failed)
		validation_suspect(a, v, NOTE_SNAPSHOTS_UPDATED,
				"%lld %s with what the code does now, so these tests pass whatever it does; "
				"read the difference", (long long)r->snapshots,
				r->snapshots == 1 ? "snapshot was replaced" : "snapshots were replaced");
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
		set_result(a, in, v, row, failed);
}

int test_json_detect(const struct test_json *row, const struct validate_input *in)
{
	int sure = json_object_sure(in, row->mark, row->also);

	return row->sure && sure > row->sure ? row->sure : sure;
}

void test_json_check(const struct test_json *row, struct arena *a, const struct validate_input *in,
		struct validation *v)
{
	struct machine_report r = {.listed = -1, .listed_failed = -1, .exit_said = -1, .names.a = a};
	struct json_object_at at = json_object_find(in, row->mark);
	struct err e = {0};
	struct json *root;

	if (at.marks > 1) {
		validation_note(a, v, NOTE_TWO_SUMMARIES, false,
				"the output holds more than one report; a test may have printed one: write "
				"the report to a file and read that");
		return;
	}
	if (json_read(a, at.text, &root, &e) == 0 && json_is(root, JSON_OBJECT) &&
			read_report(row, root, &r)) {
		judge_report(a, in, v, row, &r);
		return;
	}
	validation_note(a, v, NOTE_MALFORMED_REPORT, false,
			"the report cannot be read (%s); do not guess from it: make it again",
			e.text[0] ? e.text : "it is not a report of this format");
}
