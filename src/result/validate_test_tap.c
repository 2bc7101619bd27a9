/*
 * TAP, as Perl's tests and node --test print it. Only the outermost lines count: those of subtests are
 * indented, and their parent reports the result. A plan comes first or last; without it the number of tests
 * is unknown.
 */
#include "result/seen.h"
#include "result/validate_test.h"

struct tap {
	struct seen ids;
	int64_t plan;          /* -1: none */
	int64_t passed, failed, skipped, todo, todo_passed;
	/* node's closing "# fail N" and "# cancelled N"; Perl's "# Looks like you failed N tests" */
	int64_t said_fail;
	int64_t lost;          /* tests that passed although a subtest of theirs failed */
	bool inner_plan, inner_failed; /* of the subtests since the last result */
	int64_t said_pass;     /* its "# pass N"; -1: none */
	int64_t files;         /* passed ones that are test files, not tests */
	size_t plans;
	/* first: the first non-empty line is TAP */
	bool version, bail, twice, order, first;
};

static bool read_plan(struct str line, struct tap *t)
{
	struct scan c = scan_of(line);
	int64_t n;

	if (!scan_text(&c, "1..") || !scan_count(&c, &n))
		return false;
	scan_blanks(&c);
	if (!scan_end(&c) && !scan_text(&c, "#"))
		return false;
	t->plan = n;
	t->plans++;
	return true;
}

/* Returns the directive after the last '#' with a blank before it: 's' skip, 't' todo, 0 none. */
static char directive_of(struct str line)
{
	for (size_t i = line.n; i-- > 1;) {
		struct str word;
		struct scan c;

		if (line.p[i] != '#' || (line.p[i - 1] != ' ' && line.p[i - 1] != '\t'))
			continue;
		c = scan_of(line);
		c.at = i + 1;
		scan_blanks(&c);
		if (!scan_word(&c, &word))
			return 0;
		if (word.n >= 4 && (word.p[0] | 32) == 's' && (word.p[1] | 32) == 'k' &&
				(word.p[2] | 32) == 'i' && (word.p[3] | 32) == 'p')
			return 's';
		if (word.n == 4 && (word.p[0] | 32) == 't' && (word.p[1] | 32) == 'o' &&
				(word.p[2] | 32) == 'd' && (word.p[3] | 32) == 'o')
			return 't';
		return 0;
	}
	return 0;
}

static bool read_result(struct str line, struct tap *t)
{
	struct scan c = scan_of(line);
	bool bad = scan_text(&c, "not "), fresh;
	int64_t id;
	char d;

	if (!scan_text(&c, "ok") || (!scan_end(&c) && !scan_blanks(&c)))
		return false;
	if (scan_count(&c, &id) && (scan_end(&c) || scan_blanks(&c))) {
		seen_get(&t->ids, (uint64_t)id + 1, &fresh);
		t->twice |= !fresh;
		t->order |= id == 0 || (t->plan >= 0 && id > t->plan);
	}
	d = directive_of(line);
	t->lost += !bad && !d && t->inner_plan && t->inner_failed;
	t->inner_plan = t->inner_failed = false;
	if (d == 't')
		t->todo++, t->todo_passed += !bad;
	else if (d == 's' && !bad)
		t->skipped++;
	else if (bad)
		t->failed++;
	else
		t->passed++, t->files += scan_text(&c, "- ") && test_is_file(scan_rest(&c));
	return true;
}

static void read_comment(struct str line, struct tap *t)
{
	struct scan c = scan_of(line);
	int64_t n;

	if (scan_text(&c, "# Looks like you failed ") && scan_count(&c, &n))
		t->said_fail += n;
	c = scan_of(line);
	if ((scan_text(&c, "# fail ") || scan_text(&c, "# cancelled ")) && scan_count(&c, &n) && scan_end(&c))
		t->said_fail += n;
	c = scan_of(line);
	if (scan_text(&c, "# pass ") && scan_count(&c, &n) && scan_end(&c))
		t->said_pass = n;
}

/* A subtest: its lines are indented by four blanks, and so is its plan. */
static void read_inner(struct str line, struct tap *t)
{
	struct scan c = scan_of(line);
	int64_t n;

	if (!scan_text(&c, "    "))
		return;
	t->inner_failed |= str_starts(scan_rest(&c), "not ok") && !directive_of(line);
	t->inner_plan |= scan_text(&c, "1..") && scan_count(&c, &n);
}

/* Returns the line without the escape sequences that it starts with: colours hide no result. */
static struct str without_colour(struct str line)
{
	while (str_starts(line, "\033[")) {
		size_t end = str_end(line, 'm', 0);

		line = str_from(line, end < line.n ? end + 1 : line.n);
	}
	return line;
}

static void read_tap(struct str text, struct tap *t)
{
	struct lines l = lines_of(text);
	struct str line;
	bool any = false;

	t->plan = t->said_pass = -1;
	while (lines_next(&l, &line)) {
		bool ours = true;

		line = without_colour(line);
		if (lines_blank(line))
			continue;
		read_inner(line, t);
		if (str_starts(line, "TAP version "))
			t->version = true;
		else if (str_starts(line, "Bail out!"))
			t->bail = true;
		else if (line.p[0] == '#')
			read_comment(line, t);
		else
			ours = read_plan(line, t) || read_result(line, t);
		if (!any)
			t->first = ours && line.p[0] != '#';
		any = any || line.p[0] != '#';
	}
}

/* Detection has no arena, so it reads only the first lines. */
int tap_detect(const struct validate_input *in)
{
	struct lines l = lines_of(in->out);
	struct str line;
	bool first = true, start = false;
	size_t plans = 0, results = 0;

	while (lines_next(&l, &line)) {
		struct scan c = scan_of(line);
		bool plan, result;
		int64_t n;

		if (lines_blank(line) || line.p[0] == '#')
			continue;
		if (str_starts(line, "TAP version ") && first)
			return 96;
		plan = scan_text(&c, "1..") && scan_count(&c, &n);
		scan_text(&c, "not ");
		result = !plan && scan_text(&c, "ok ") && scan_count(&c, &n);
		start |= first && (plan || result || str_starts(line, "Bail out!"));
		first = false;
		plans += plan;
		results += result;
	}
	return start ? 94 : plans && results ? 60 : results > 1 ? 30 : 0;
}

static void check_plan(struct arena *a, const struct validate_input *in, struct validation *v,
		const struct tap *t)
{
	int64_t ran = t->passed + t->failed + t->skipped + t->todo;

	if (t->plans > 1)
		validation_note(a, v, NOTE_TWO_SUMMARIES, false,
				"there is more than one plan; a test may have printed one, or several files "
				"ran into one output: use prove");
	else if ((t->plan < 0 || ran < t->plan) && validate_shows_part(in->command))
		validation_unsure(a, v, NOTE_OUTPUT_CUT,
				"the command shows only some lines of the output, so it is "
				"unknown whether all tests ran; leave head or tail out");
	else if (t->plan < 0)
		validation_note(a, v, NOTE_NO_PLAN, false,
				"there is no plan (1..N), so it is unknown whether all tests ran; let the "
				"test say done_testing, or declare a plan");
	else if (ran != t->plan)
		validation_note(a, v, NOTE_PLAN_MISMATCH, false,
				"%lld tests were planned and %lld ran; the test ended early or ran too much",
				(long long)t->plan, (long long)ran);
	if (t->lost)
		validation_note(a, v, NOTE_LIST_MISMATCH, false,
				"%lld tests passed although a subtest of theirs failed; find what swallows "
				"its failure", (long long)t->lost);
	if (t->twice || t->order)
		validation_note(a, v, NOTE_DUPLICATE_ID, false,
				"the numbers of the tests repeat or lie outside the plan; a test may have "
				"printed some of them");
}

void tap_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct tap t = {.ids.a = a};
	bool failed;

	read_tap(in->out, &t);
	failed = t.failed || t.said_fail;
	validation_count(a, v, "total", t.passed + t.failed + t.skipped + t.todo);
	validation_count(a, v, "passed", t.passed);
	validation_count(a, v, "failed", t.failed);
	validation_count(a, v, "skipped", t.skipped);
	validation_count(a, v, "todo", t.todo);
	if (t.ids.full) {
		test_too_many(a, v);
		return;
	}
	if (t.bail) {
		validation_note(a, v, NOTE_BAIL_OUT, false,
				"the test gave up (Bail out!) before it was done; read why, and fix that "
				"first");
		return;
	}
	check_plan(a, in, v, &t);
	test_files(a, v, t.files, t.passed);
	if (!failed && (t.plan == 0 || (t.files && t.files == t.passed && !t.skipped && !t.todo)))
		test_none(a, v);
	else if (failed && in->exit_code == 0)
		/* a script that prints TAP without a harness exits with 0 */
		v->result = RESULT_FAIL;
	/* a suite passes although all of its tests were skipped: node's own sum tells */
	else if (!failed && ((!t.passed && !t.todo_passed) || (t.said_pass == 0 && !t.todo)))
		test_skipped(a, in, v);
	else
		test_result(a, in, v, failed);
}
