/* Runners with one summary at the end: Python's unittest, PHPUnit, ctest, prove. */
#include "result/validate_test.h"

#define RULE 70 /* unittest's line of dashes */

/* ---- unittest: on standard error; "Ran N tests in 0.001s" between a line of dashes and OK or FAILED ---- */

struct unittest {
	int64_t ran, failures, errors, skipped, expected, unexpected;
	size_t summaries, verdicts;
	int64_t announced;     /* with -v: lines that name a test */
	int64_t letters;       /* letters of progress */
	bool bad_letter, bad_block; /* a failure in the progress; a block that describes one */
	bool failed, none, after, started;
};

static bool is_rule(struct str line) { return line.n == RULE && lines_trim_char(line, '-').n == 0; }

/* "(failures=1, errors=2)" */
static void read_details(struct str line, struct unittest *u)
{
	static const struct {
		char name[24];
		size_t offset;
	} names[] = {{"unexpected successes=", offsetof(struct unittest, unexpected)},
			{"expected failures=", offsetof(struct unittest, expected)},
		{"failures=", offsetof(struct unittest, failures)},
		{"errors=", offsetof(struct unittest, errors)},
		{"skipped=", offsetof(struct unittest, skipped)}};
	ptrdiff_t open = str_find(line, '(', 0);
	struct scan c = scan_of(line);

	if (open < 0)
		return;
	c.at = (size_t)open + 1;
	do
		for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
			int64_t n;

			if (scan_text(&c, names[i].name)) {
				if (scan_count(&c, &n))
					*(int64_t *)((char *)u + names[i].offset) += n;
				break;
			}
		}
	while (scan_text(&c, ", "));
}

static bool read_ran(struct str line, int64_t *ret)
{
	struct scan c = scan_of(line);

	return scan_text(&c, "Ran ") && scan_count(&c, ret) &&
			(scan_text(&c, " tests in ") || scan_text(&c, " test in ")) && scan_seconds(&c) &&
			scan_text(&c, "s") && scan_end(&c);
}

static bool is_verdict(struct str line, const char *word)
{
	return str_is(line, word) ||
			(str_starts(line, word) && str_starts(str_sub(line, strlen(word), line.n), " (") &&
			str_ends(line, ")"));
}

/* "test_a (mod.Class.test_a) ... ok" */
static bool verbose_line(struct str line)
{
	return str_starts(line, "test") && str_contains(line, STR(" (")) && str_contains(line, STR(") ... "));
}

/*
 * Progress such as "..F.E" before the summary. Other programs print similar lines: they count only if there
 * are as many letters as tests.
 */
static void read_letters(struct str line, struct unittest *u)
{
	for (size_t i = 0; i < line.n; i++)
		if (!line.p[i] || !strchr(".FEsxu", line.p[i]))
			return;
	u->letters += (int64_t)line.n;
	u->bad_letter |= memchr(line.p, 'F', line.n) || memchr(line.p, 'E', line.n);
}

static bool is_block(struct str before, struct str line)
{
	return before.n == RULE && lines_trim_char(before, '=').n == 0 &&
			(str_starts(line, "FAIL: ") || str_starts(line, "ERROR: "));
}

static void read_unittest(struct str text, struct unittest *u)
{
	struct lines l = lines_of(text);
	struct str line, before = STR("");
	bool waits = false; /* a summary without OK or FAILED */

	while (lines_next(&l, &line)) {
		int64_t n;

		if (read_ran(line, &n) && is_rule(before)) {
			u->ran += n;
			u->summaries++;
			waits = true;
			u->after = false;
		} else if (waits && (is_verdict(line, "OK") || is_verdict(line, "FAILED") ||
				is_verdict(line, "NO TESTS RAN"))) {
			u->failed |= str_starts(line, "FAILED");
			u->none |= str_starts(line, "NO");
			u->verdicts++;
			read_details(line, u);
			waits = false;
		} else if (!lines_blank(line)) {
			u->after = u->summaries > 0;
			waits = false;
			u->started |= verbose_line(line);
			u->announced += str_contains(line, STR(" ... "));
			u->bad_block |= is_block(before, line);
			if (!u->summaries)
				read_letters(line, u);
		}
		before = line;
	}
}

static struct str unittest_text(const struct validate_input *in)
{
	return str_contains(in->err, STR("\nRan ")) || !str_contains(in->out, STR("\nRan ")) ? in->err :
			in->out;
}

int unittest_detect(const struct validate_input *in)
{
	struct unittest u = {0};

	if (!in_either(in, "Ran ") && !in_either(in, ") ... "))
		return 0;
	read_unittest(unittest_text(in), &u);
	return u.summaries ? 90 : u.started ? 70 : 0;
}

void unittest_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct unittest u = {0};
	int64_t bad;

	read_unittest(unittest_text(in), &u);
	bad = u.failures + u.errors + u.unexpected;
	if (!u.summaries || u.verdicts < u.summaries) {
		test_unfinished(a, v, "unittest printed no summary with a verdict");
		return;
	}
	validation_count(a, v, "total", u.ran);
	validation_count(a, v, "failed", u.failures);
	validation_count(a, v, "errors", u.errors);
	validation_count(a, v, "skipped", u.skipped);
	if (u.summaries > 1)
		validation_note(a, v, NOTE_TWO_SUMMARIES, u.failed,
				"there are %zu summaries; a test may have printed one of them: run unittest "
				"once, alone", u.summaries);
	if (u.failed != (bad > 0))
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"the verdict and the numbers behind it disagree; run unittest once, alone");
	if (u.started && u.announced < u.ran)
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"the summary speaks of %lld tests, but only %lld were announced; a test may "
				"have printed it", (long long)u.ran,
			(long long)u.announced);
	if (!u.failed && (u.bad_block || (u.bad_letter && u.letters == u.ran)))
		validation_note(a, v, NOTE_LIST_MISMATCH, false,
				"a test failed on the way, and the summary says OK, so a test may have "
				"printed it; run unittest once, alone");
	if (u.after)
		validation_note(a, v, NOTE_TEXT_AFTER_SUMMARY, true, "other text follows the summary");
	if (!u.failed && (u.ran == 0 || u.none))
		test_none(a, v);
	else if (!u.failed && u.skipped >= u.ran)
		test_skipped(a, in, v);
	else
		test_result(a, in, v, u.failed);
}

/* ---- PHPUnit ---- */

struct phpunit {
	int64_t tests, assertions, errors, failures, skipped, incomplete, risky, warnings;
	size_t summaries;
	bool failed, none, bad, after;
};

static bool read_php_ok(struct str line, struct phpunit *p)
{
	struct scan c = scan_of(line);
	int64_t tests, assertions;

	if (!scan_text(&c, "OK (") || !scan_count(&c, &tests) ||
			!(scan_text(&c, " tests, ") || scan_text(&c, " test, ")) ||
			!scan_count(&c, &assertions) ||
	    !(scan_text(&c, " assertions)") || scan_text(&c, " assertion)")) || !scan_end(&c))
		return false;
	p->tests += tests;
	p->assertions += assertions;
	return true;
}

/* "Tests: 3, Assertions: 2, Failures: 1." */
static bool read_php_tests(struct str line, struct phpunit *p)
{
	static const struct {
		char name[16];
		size_t offset;
	} names[] = {{"Tests: ", offsetof(struct phpunit, tests)},
			{"Assertions: ", offsetof(struct phpunit, assertions)},
			{"Errors: ", offsetof(struct phpunit, errors)},
		{"Failures: ", offsetof(struct phpunit, failures)},
		{"Skipped: ", offsetof(struct phpunit, skipped)},
		{"Incomplete: ", offsetof(struct phpunit, incomplete)},
		{"Risky: ", offsetof(struct phpunit, risky)},
		{"Warnings: ", offsetof(struct phpunit, warnings)}};
	struct scan c = scan_of(line);
	struct str word;
	int64_t n;

	if (!str_starts(line, "Tests: ") || !str_contains(line, STR(", Assertions: ")) ||
			!str_ends(line, "."))
		return false;
	do {
		size_t i = 0;

		for (; i < ARRAY_SIZE(names); i++)
			if (scan_text(&c, names[i].name))
				break;
		/* "PHPUnit Deprecations: 1" of newer versions is not about tests */
		if (i == ARRAY_SIZE(names)) {
			while (scan_word(&c, &word) && scan_blanks(&c))
				;
			scan_text(&c, ": ");
		}
		if (!scan_count(&c, &n))
			return false;
		if (i < ARRAY_SIZE(names))
			*(int64_t *)((char *)p + names[i].offset) += n;
	} while (scan_text(&c, ", "));
	return true;
}

static void read_phpunit(struct str text, struct phpunit *p)
{
	struct lines l = lines_of(text);
	struct str line;

	while (lines_next(&l, &line)) {
		if (read_php_ok(line, p) || read_php_tests(line, p)) {
			p->summaries++;
			p->after = false;
		} else if (str_starts(line, "No tests executed!") || str_starts(line, "No tests found")) {
			p->none = true;
		} else if (str_is_any(line, "FAILURES! ERRORS!")) {
			p->failed = true;
		} else if (!lines_blank(line)) {
			p->after = p->summaries > 0;
		}
	}
}

int phpunit_detect(const struct validate_input *in)
{
	struct phpunit p = {0};
	bool header = str_starts(in->out, "PHPUnit ") || str_contains(in->out, STR("\nPHPUnit "));

	if (!header && !str_contains(in->out, STR("OK (")) && !str_contains(in->out, STR(", Assertions: ")))
		return 0;
	read_phpunit(in->out, &p);
	if (p.summaries || (p.none && header))
		return header ? 92 : 75;
	return header && str_contains(in->out, STR(" by Sebastian Bergmann")) ? 60 : 0;
}

void phpunit_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct phpunit p = {0};
	bool failed;

	read_phpunit(in->out, &p);
	failed = p.failed || p.errors || p.failures;
	if (p.summaries) {
		validation_count(a, v, "total", p.tests);
		validation_count(a, v, "failed", p.failures);
		validation_count(a, v, "errors", p.errors);
		validation_count(a, v, "skipped", p.skipped);
	}
	if (!p.summaries && !p.none) {
		test_unfinished(a, v, "PHPUnit printed no summary");
		return;
	}
	if (p.none || (p.tests == 0 && !failed)) {
		test_none(a, v);
		return;
	}
	if (p.summaries > 1)
		validation_note(a, v, NOTE_TWO_SUMMARIES, failed,
				"there are %zu summaries; a test may have printed one of them: run PHPUnit "
				"once, with --log-junit FILE", p.summaries);
	if (p.errors + p.failures + p.skipped + p.incomplete + p.risky > p.tests)
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"the summary counts more outcomes than the %lld tests it speaks of; run "
				"PHPUnit with --log-junit FILE and read that file",
			(long long)p.tests);
	if (p.after)
		validation_note(a, v, NOTE_TEXT_AFTER_SUMMARY, true, "other text follows the summary");
	/* Warnings and risky tests fail a run only if its configuration says so. */
	if (!failed && in->exit_code > 0 && (p.risky || p.warnings))
		failed = true;
	test_result(a, in, v, failed);
}

/* ---- ctest: "67% tests passed, 1 tests failed out of 3" ---- */

struct ctest {
	int64_t failed, total, percent, listed, results, ok;
	size_t summaries;
	bool none, started, after;
};

static bool read_ctest_sum(struct str line, struct ctest *t)
{
	struct scan c = scan_of(line);
	int64_t percent, failed, total;

	if (!scan_count(&c, &percent) || !scan_text(&c, "% tests passed, ") || !scan_count(&c, &failed) ||
			!(scan_text(&c, " tests failed out of ") || scan_text(&c, " test failed out of ")) ||
	    !scan_count(&c, &total))
		return false;
	t->percent = percent;
	t->failed += failed;
	t->total += total;
	t->summaries++;
	return true;
}

/* "5/7 Test #5: e ......***Not Run   0.00 sec" */
static bool read_ctest_line(struct str line, struct ctest *t)
{
	struct scan c = scan_of(lines_trim(line));
	int64_t n;

	if (!scan_count(&c, &n) || !scan_text(&c, "/") || !scan_count(&c, &n) || !scan_text(&c, " Test"))
		return false;
	scan_blanks(&c);
	if (!scan_text(&c, "#"))
		return false;
	t->results++;
	/* ctest counts skipped ones as passed */
	t->ok += str_ends(line, " sec") &&
			(str_contains(line, STR("   Passed ")) || str_contains(line, STR("***Skipped ")));
	return true;
}

static void read_ctest(struct str text, struct ctest *t)
{
	struct lines l = lines_of(text);
	struct str line;
	bool list = false;

	while (lines_next(&l, &line)) {
		if (read_ctest_sum(line, t)) {
			list = false;
		} else if (str_is(line, "The following tests FAILED:")) {
			list = true;
		} else if (list && str_starts(line, "\t")) {
			t->listed += str_contains(line, STR(" - "));
		} else if (read_ctest_line(line, t) || str_starts(line, "Test project ")) {
			t->started = true;
			t->after |= t->summaries > 0;
		} else {
			list = list && lines_blank(line);
		}
	}
}

int ctest_detect(const struct validate_input *in)
{
	struct ctest t = {0};

	if (!str_contains(in->out, STR("% tests passed, ")) && !str_contains(in->out, STR("Test project ")) &&
			!str_contains(in->out, STR(" Test ")))
		return 0;
	read_ctest(in->out, &t);
	return t.summaries ? 93 : t.started ? 75 : 0;
}

void ctest_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct ctest t = {0};

	read_ctest(in->out, &t);
	t.none = str_contains(in->err, STR("No tests were found!!!")) ||
			str_contains(in->out, STR("No tests were found!!!"));
	if (t.summaries) {
		validation_count(a, v, "total", t.total);
		validation_count(a, v, "passed", t.total - t.failed);
		validation_count(a, v, "failed", t.failed);
	}
	if (t.none || (t.summaries && t.total == 0)) {
		test_none(a, v);
		return;
	}
	if (!t.summaries) {
		test_unfinished(a, v, "ctest printed no summary");
		return;
	}
	if (t.summaries > 1)
		validation_note(a, v, NOTE_TWO_SUMMARIES, t.failed > 0,
				"there are %zu summaries; a test may have printed one of them: run ctest "
				"once, with --output-junit FILE", t.summaries);
	else if (t.after)
		validation_note(a, v, NOTE_SUMMARY_IN_MIDDLE, false,
				"tests go on after the summary, so a test may have printed it; run ctest "
				"once, with --output-junit FILE");
	if (t.failed > t.total || t.percent > 100 || (t.percent == 100) != (t.failed == 0) ||
			(t.results && (t.results < t.total || t.ok < t.total - t.failed)))
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"ctest's lines and its summary disagree; run it again with --output-junit "
				"FILE and read that file");
	if (t.listed != t.failed)
		validation_note(a, v, NOTE_LIST_MISMATCH, false,
				"%lld tests are listed as failed, but the summary says %lld; run ctest "
				"again, with --output-junit FILE", (long long)t.listed,
			(long long)t.failed);
	if (t.failed && in->exit_code > 0 && in->exit_code != 8)
		validation_note(a, v, NOTE_EXIT_UNUSUAL, true,
				"ctest ends with 8 when tests failed; the exit code is %d, so it is another "
				"program's", in->exit_code);
	test_result(a, in, v, t.failed > 0);
}

/* ---- prove: "Files=1, Tests=3, ..." and "Result: PASS" ---- */

struct prove {
	int64_t files, tests, failed;
	size_t summaries, verdicts;
	bool pass, none, after; /* after: text follows the verdict */
	bool bad_file;          /* "t/a.t .. Failed 1/3 subtests", "Dubious, test returned 1" */
};

static void read_prove(struct str text, struct prove *p)
{
	struct lines l = lines_of(text);
	struct str line;

	while (lines_next(&l, &line)) {
		struct scan c = scan_of(line);
		int64_t files, tests, n;
		ptrdiff_t at;

		p->after |= !lines_blank(line);
		if (scan_text(&c, "Files=") && scan_count(&c, &files) && scan_text(&c, ", Tests=") &&
				scan_count(&c, &tests) && scan_text(&c, ",")) {
			p->files += files;
			p->tests += tests;
			p->summaries++;
		} else if (scan_text(&c, "Result: ")) {
			p->verdicts++;
			p->after = false;
			p->pass = (p->pass || p->verdicts == 1) && str_is(scan_rest(&c), "PASS");
			p->none |= str_is(scan_rest(&c), "NOTESTS");
		} else if (str_starts(line, "Dubious, test returned ") ||
				(str_starts(lines_trim(line), "Failed ") &&
				str_ends(lines_trim(line), " subtests"))) {
			p->bad_file = true;
		} else if (str_contains(line, STR(" (Wstat: ")) && str_ends(line, ")")) {
			for (at = 0; (at = str_find(line, 'F', (size_t)at)) >= 0; at++) {
				c.at = (size_t)at;
				if (scan_text(&c, "Failed: ") && scan_count(&c, &n))
					p->failed += n;
			}
		}
	}
}

int prove_detect(const struct validate_input *in)
{
	struct prove p = {0};

	if (!str_contains(in->out, STR("Result: ")))
		return 0;
	read_prove(in->out, &p);
	return !p.summaries || !p.verdicts ? 0 : p.after ? 70 : 97;
}

void prove_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct prove p = {0};

	read_prove(in->out, &p);
	validation_count(a, v, "files", p.files);
	validation_count(a, v, "total", p.tests);
	validation_count(a, v, "failed", p.failed);
	if (p.summaries > 1 || p.verdicts > 1)
		validation_note(a, v, NOTE_TWO_SUMMARIES, !p.pass,
				"there is more than one summary; a test may have printed one of them: run "
				"prove once, alone");
	if (p.failed > p.tests || (p.pass && p.failed))
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"the failed tests of the files and the summary disagree; run prove once, "
				"alone");
	if (p.pass && p.bad_file)
		validation_note(a, v, NOTE_LIST_MISMATCH, false,
				"a file failed on the way, and the verdict is PASS, so a test may have "
				"printed it; run prove once, alone");
	if (p.after)
		validation_note(a, v, NOTE_TEXT_AFTER_SUMMARY, true, "other text follows the verdict");
	if (p.none || (p.pass && p.tests == 0))
		test_none(a, v);
	else
		test_result(a, in, v, !p.pass);
}
