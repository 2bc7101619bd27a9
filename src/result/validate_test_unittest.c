/* Python's unittest. */
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
				"the summary counts %lld tests, but only %lld were announced; a test may "
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
