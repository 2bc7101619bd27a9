/* Text output of jest and vitest: a table of totals at the end, on stderr or stdout. */
#include "result/validate_test.h"

enum { PASSED, FAILED, SKIPPED, TODO, TOTAL, NKINDS };

static const struct {
	char word[8];
	int kind;
} words[] = {{"passed", PASSED}, {"failed", FAILED}, {"skipped", SKIPPED}, {"pending", SKIPPED},
		{"todo", TODO}, {"total", TOTAL}};
#define NWORDS ARRAY_SIZE(words)

struct totals {
	int64_t tests[NKINDS], suites[NKINDS];
	size_t ntests, nsuites;
	bool none, after;
	bool failed_file; /* jest: a line "FAIL dir/a.test.js" */
};

static bool scan_totals(struct scan *c, const char *separator, int64_t into[NKINDS])
{
	do {
		int64_t n, of;
		struct str word;
		size_t i = 0;

		if (!scan_count(c, &n) || !scan_text(c, " "))
			return false;
		/* "1 of 2 total": 1 ran, the rest was not started */
		if (scan_text(c, "of ") && (!scan_count(c, &of) || of < n || !scan_text(c, " ")))
			return false;
		if (!scan_word(c, &word))
			return false;
		while (i < NWORDS && !str_is(word, words[i].word))
			i++;
		if (i == NWORDS)
			return false;
		into[words[i].kind] += n;
	} while (scan_text(c, separator));
	return true;
}

static int64_t sum_counts(const int64_t n[NKINDS]) { return n[PASSED] + n[FAILED] + n[SKIPPED] + n[TODO]; }

/* Checks the numbers of both formats. */
static void judge_counts(struct arena *a, const struct validate_input *in, struct validation *v,
		const struct totals *t, const char *how)
{
	bool failed = t->tests[FAILED] || t->suites[FAILED];

	if (t->ntests) {
		validation_count(a, v, "total", t->tests[TOTAL]);
		validation_count(a, v, "passed", t->tests[PASSED]);
		validation_count(a, v, "failed", t->tests[FAILED]);
		validation_count(a, v, "skipped", t->tests[SKIPPED]);
		validation_count(a, v, "todo", t->tests[TODO]);
		validation_count(a, v, "failed_suites", t->suites[FAILED]);
	}
	if (!t->ntests && t->none) {
		test_none(a, v);
		return;
	}
	if (!t->ntests || !t->nsuites) {
		test_unfinished(a, v, "there are no totals");
		return;
	}
	if (t->ntests > 1 || t->nsuites > 1)
		validation_note(a, v, NOTE_TWO_SUMMARIES, failed,
				"there is more than one table of totals; a test may have printed one: run "
				"it once, with %s", how);
	if (sum_counts(t->tests) != t->tests[TOTAL] || sum_counts(t->suites) > t->suites[TOTAL])
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"the parts add up to %lld tests, but the total is %lld; run it again with "
				"%s and read that", (long long)sum_counts(t->tests),
			(long long)t->tests[TOTAL], how);
	if (!failed && t->failed_file)
		validation_note(a, v, NOTE_LIST_MISMATCH, false,
				"a file is reported as FAIL, and the totals know of no failure, so a test "
				"may have printed them; run it again with %s and read that", how);
	if (!failed && t->tests[TOTAL] == 0)
		test_none(a, v);
	else if (!failed && t->tests[PASSED] == 0)
		test_skipped(a, in, v);
	else
		test_result(a, in, v, failed);
}

/* ---- jest: "Tests:       1 failed, 1 passed, 2 total" ---- */

static void read_jest(struct str text, struct totals *t)
{
	struct lines l = lines_of(text);
	struct str line;

	while (lines_next(&l, &line)) {
		struct scan c = scan_of(line);
		int64_t n[NKINDS] = {0};
		bool suites = scan_text(&c, "Test Suites: "), tests = !suites && scan_text(&c, "Tests: ");

		if (suites || tests) {
			scan_blanks(&c);
			if (!scan_totals(&c, ", ", n) || !str_ends(line, " total"))
				continue;
			for (size_t k = 0; k < NKINDS; k++)
				*(suites ? &t->suites[k] : &t->tests[k]) += n[k];
			t->nsuites += suites;
			t->ntests += tests;
		} else {
			t->none |= str_starts(line, "No tests found");
			t->failed_file |= str_starts(line, "FAIL ") && line.n > 8 &&
					(str_ends(line, "js") || str_ends(line, "ts") ||
					str_ends(line, "jsx") || str_ends(line, "tsx"));
		}
	}
}

static void read_jest_streams(const struct validate_input *in, struct totals *t)
{
	read_jest(in->err, t);
	read_jest(in->out, t);
}

int jest_detect(const struct validate_input *in)
{
	struct totals t = {0};

	if (!in_either(in, "Test Suites: ") && !in_either(in, "No tests found"))
		return 0;
	read_jest_streams(in, &t);
	return t.ntests && t.nsuites ? 90 : t.none ? 60 : 0;
}

void jest_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct totals t = {0};

	read_jest_streams(in, &t);
	judge_counts(a, in, v, &t, "--json");
}

/* ---- vitest: " Test Files  1 failed | 1 passed (2)", "      Tests  3 passed (3)" ---- */

static bool read_vitest_row(struct str line, const char *name, int64_t into[NKINDS])
{
	struct scan c = scan_of(lines_trim(line));
	int64_t n[NKINDS] = {0};

	if (!scan_text(&c, name) || !scan_blanks(&c) || !scan_totals(&c, " | ", n) || !scan_text(&c, " (") ||
			!scan_count(&c, &n[TOTAL]) || !scan_text(&c, ")"))
		return false;
	for (size_t k = 0; k < NKINDS; k++)
		into[k] += n[k];
	return true;
}

static void read_vitest(struct str text, struct totals *t)
{
	struct lines l = lines_of(text);
	struct str line;

	while (lines_next(&l, &line)) {
		t->nsuites += read_vitest_row(line, "Test Files", t->suites);
		t->ntests += read_vitest_row(line, "Tests", t->tests);
		if (str_is(lines_trim(line), "Tests  no tests")) /* files that could not be loaded */
			t->ntests++;
		t->none |= str_starts(lines_trim(line), "No test files found");
	}
}

int vitest_detect(const struct validate_input *in)
{
	struct totals t = {0};

	if (!str_contains(in->out, STR("Test Files")) && !in_either(in, "No test files found"))
		return 0;
	read_vitest(in->out, &t);
	read_vitest(in->err, &t);
	return t.nsuites ? 90 : t.none ? 60 : 0;
}

void vitest_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct totals t = {0};

	read_vitest(in->out, &t);
	read_vitest(in->err, &t);
	judge_counts(a, in, v, &t, "--reporter=json");
}
