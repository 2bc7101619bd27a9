/*
 * Text output of Rust's libtest and of go test. Both print one block per binary or package. libtest announces
 * the number of tests before it runs them. So a block without its end, or an end without its block, reveals
 * text printed by a test, or a test that ended the process.
 */
#include "result/validate_test.h"

/* ---- libtest: "running 3 tests" ... "test result: ok. 1 passed; 0 failed; ..." ---- */

struct libtest {
	int64_t passed, failed, ignored, measured, filtered;
	size_t blocks, ends;
	bool open, bad_order, bad_count, bad_verdict, bad_list;
	bool failed_line; /* lines "test a ... FAILED" in the open block */
};

static bool read_running(struct str line, int64_t *ret)
{
	struct scan c = scan_of(line);

	return scan_text(&c, "running ") && scan_count(&c, ret) &&
			(scan_text(&c, " tests") || scan_text(&c, " test")) && scan_end(&c);
}

static bool read_end(struct str line, struct libtest *ret, bool *ret_ok)
{
	struct scan c = scan_of(line);
	struct libtest t = {0};

	if (!scan_text(&c, "test result: "))
		return false;
	*ret_ok = scan_text(&c, "ok. ");
	if (!*ret_ok && !scan_text(&c, "FAILED. "))
		return false;
	if (!scan_count(&c, &t.passed) || !scan_text(&c, " passed; ") || !scan_count(&c, &t.failed) ||
			!scan_text(&c, " failed; ") || !scan_count(&c, &t.ignored) ||
	    !scan_text(&c, " ignored; ") || !scan_count(&c, &t.measured) || !scan_text(&c, " measured; ") ||
	    !scan_count(&c, &t.filtered) || !scan_text(&c, " filtered out"))
		return false;
	*ret = t;
	return true;
}

static void read_libtest(struct str text, struct libtest *t)
{
	struct lines l = lines_of(text);
	struct str line;
	int64_t want = 0, n;

	while (lines_next(&l, &line)) {
		struct libtest e;
		bool ok;

		if (read_running(line, &n)) {
			t->bad_order |= t->open;
			t->open = true;
			t->blocks++;
			t->failed_line = false;
			want = n;
		} else if (read_end(line, &e, &ok)) {
			t->bad_order |= !t->open;
			t->open = false;
			t->ends++;
			t->bad_count |= e.passed + e.failed + e.ignored + e.measured != want;
			t->bad_verdict |= ok != (e.failed == 0);
			t->bad_list |= t->failed_line && e.failed == 0;
			t->passed += e.passed;
			t->failed += e.failed;
			t->ignored += e.ignored;
			t->measured += e.measured;
			t->filtered += e.filtered;
		} else {
			t->failed_line |= str_starts(line, "test ") && str_ends(line, " ... FAILED");
		}
	}
}

static bool not_compiled(const struct validate_input *in)
{
	return str_contains(in->err, STR("error: could not compile ")) ||
			str_contains(in->out, STR("error: could not compile "));
}

int libtest_detect(const struct validate_input *in)
{
	struct libtest t = {0};

	read_libtest(in->out, &t);
	return t.blocks && t.ends ? 94 : t.ends ? 80 : t.blocks ? 70 : not_compiled(in) ? 45 : 0;
}

void libtest_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct libtest t = {0};
	bool failed;

	read_libtest(in->out, &t);
	failed = t.failed > 0 || not_compiled(in);
	if (t.ends) {
		validation_count(a, v, "passed", t.passed);
		validation_count(a, v, "failed", t.failed);
		validation_count(a, v, "ignored", t.ignored);
		validation_count(a, v, "measured", t.measured);
		validation_count(a, v, "filtered_out", t.filtered);
	}
	if (t.open || (!t.ends && !failed)) {
		test_unfinished(a, v, "a block of tests has no result");
		return;
	}
	if (t.bad_order)
		validation_note(a, v, NOTE_TWO_SUMMARIES, false,
				"the lines 'running N tests' and 'test result:' do not come in pairs, so a "
				"test may have printed some; run without --nocapture");
	if (t.bad_count)
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"a 'test result:' line does not account for the tests that were to run; run "
				"again without --nocapture");
	if (t.bad_verdict)
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"a 'test result:' line says ok or FAILED against its own numbers; run again "
				"without --nocapture");
	if (t.bad_list)
		validation_note(a, v, NOTE_LIST_MISMATCH, false,
				"a test is reported as FAILED, and the 'test result:' line behind it knows "
				"of none, so a test may have printed it; run again without --nocapture");
	if (!failed && t.passed + t.measured == 0) {
		if (t.ignored)
			test_skipped(a, in, v);
		else
			test_none(a, v);
		return;
	}
	if (t.failed && in->exit_code > 0 && in->exit_code != 101)
		validation_note(a, v, NOTE_EXIT_UNUSUAL, true,
				"cargo test ends with 101 when tests failed; the exit code is %d, so it is "
				"another program's", in->exit_code);
	test_result(a, in, v, failed);
}

/* ---- go test: "ok  	pkg	0.01s", "FAIL	pkg [build failed]", "--- FAIL: TestA (0.00s)" ---- */

struct gotest {
	int64_t packages, failed_packages, empty_packages, runs, passed, failed, skipped;
	bool open;             /* test lines without the line of their package */
	int64_t lines, names; /* lines beside these, and those that are only the name of a test */
};

static bool go_package(struct str line, const char *start)
{
	struct str rest;

	if (!str_starts(line, start))
		return false;
	rest = str_sub(line, strlen(start), line.n);
	return rest.n && rest.p[0] != ' ' && rest.p[0] != '\t' &&
			(str_find(rest, '\t', 0) > 0 || str_ends(rest, " failed]"));
}

static bool read_go_package(struct str line, struct gotest *t)
{
	bool empty;

	if (!line.n || !strchr("Fo?\t", line.p[0])) /* most lines */
		return false;
	empty = str_contains(line, STR("[no test files]")) || str_contains(line, STR("[no tests to run]"));
	if (go_package(line, "FAIL\t"))
		t->failed_packages++;
	else if (!go_package(line, "ok  \t") && !go_package(line, "?   \t") &&
			!(empty && str_starts(line, "\t")))
		return false;
	t->packages++;
	t->empty_packages += empty;
	t->open = false;
	return true;
}

/* "TestA", as -list prints it */
static bool go_name(struct str line)
{
	size_t n = 0;

	while (n < line.n && (ascii_is_alnum(line.p[n]) || line.p[n] == '_'))
		n++;
	return n == line.n && (str_starts(line, "Test") || str_starts(line, "Benchmark") ||
			str_starts(line, "Example") || str_starts(line, "Fuzz"));
}

static void read_gotest(struct str text, struct gotest *t)
{
	struct lines l = lines_of(text);
	struct str line;

	while (lines_next(&l, &line)) {
		struct scan c = scan_of(lines_trim(line));
		bool test = true;

		if (read_go_package(line, t))
			continue;
		if (scan_text(&c, "=== RUN   "))
			t->runs++;
		else if (scan_text(&c, "--- PASS: "))
			t->passed++;
		else if (scan_text(&c, "--- FAIL: "))
			t->failed++;
		else if (scan_text(&c, "--- SKIP: "))
			t->skipped++;
		else
			test = false;
		t->lines += !test && !lines_blank(line);
		t->names += !test && go_name(line);
		t->open |= test;
	}
}

int gotest_detect(const struct validate_input *in)
{
	struct gotest t = {0};

	read_gotest(in->out, &t);
	return t.packages ? 90 : t.runs ? 75 : 0;
}

void gotest_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct gotest t = {0};
	bool failed;

	read_gotest(in->out, &t);
	failed = t.failed_packages > 0;
	validation_count(a, v, "packages", t.packages);
	validation_count(a, v, "failed_packages", t.failed_packages);
	if (t.runs) {
		validation_count(a, v, "passed", t.passed);
		validation_count(a, v, "failed", t.failed);
		validation_count(a, v, "skipped", t.skipped);
	}
	if (t.open || !t.packages) {
		test_unfinished(a, v, "tests ran, but no line says how their package ended");
		return;
	}
	if (!failed && t.empty_packages == t.packages) {
		test_none(a, v);
		return;
	}
	if (t.failed && !failed)
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"a test is reported as failed, but no package is; run again with -json and "
				"read that");
	if (t.names && t.names == t.lines && !t.runs && !failed) {
		test_dry_run(a, v, "only names of tests were printed, as by go test -list");
		return;
	}
	if (t.runs && !failed && t.passed + t.failed + t.skipped != t.runs)
		validation_note(a, v, NOTE_UNFINISHED_TESTS, false,
				"%lld tests were started, but %lld ended; one of them may end the process: "
				"run again with -json", (long long)t.runs,
			(long long)(t.passed + t.failed + t.skipped));
	if (t.runs && !failed && !t.passed && !t.failed)
		test_skipped(a, in, v);
	else
		test_result(a, in, v, failed);
}
