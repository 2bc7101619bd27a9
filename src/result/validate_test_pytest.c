/*
 * Text output of pytest. A run has a header ("test session starts"), a line with the number of collected
 * tests, progress, sections and a framed summary; with -q only progress and a bare summary. One output may
 * hold several runs in sequence. A header without a summary is an aborted run. A summary without a header, in
 * an output that has headers, was printed by another program.
 */
#include "result/validate_test.h"

enum { PASSED, FAILED, SKIPPED, XFAILED, XPASSED, ERRORS, DESELECTED, WARNINGS, RERUN, NKINDS };

static const struct {
	char word[12];
	int kind;
} words[] = {{"passed", PASSED}, {"failed", FAILED}, {"skipped", SKIPPED}, {"xfailed", XFAILED},
		{"xpassed", XPASSED}, {"error", ERRORS}, {"errors", ERRORS},
	{"deselected", DESELECTED}, {"warning", WARNINGS}, {"warnings", WARNINGS}, {"rerun", RERUN},
	{"reruns", RERUN}};
#define NWORDS ARRAY_SIZE(words)

struct summary {
	int64_t n[NKINDS];
	bool framed, none, collected, other; /* other: unknown words */
};

struct pytest_session {
	int64_t selected, collect_skips; /* selected -1: not given */
	int64_t failed_lines;
	int progress;                    /* percent; -1: none */
	bool bad_letter;                 /* the progress shows a failure or an error */
	bool subtests;                   /* a plugin counts them beside the tests */
	bool sections, list, stopped;
};

struct pytest_run { /* the whole output */
	int64_t n[NKINDS];
	size_t headers, summaries, bare;
	bool open;           /* a header without its summary so far */
	bool none, collected, other, stopped, coverage;
	bool after;          /* text after the last summary */
	bool bad_count, bad_list, bad_letter, bad_progress, bad_order, resumed;
	int64_t want, got;   /* of the first mismatch */
};

/* "in 0.05s", "in 75.10s (0:01:15)", "in 0.05 seconds" */
static bool scan_duration(struct scan *c)
{
	if (!scan_text(c, "in ") || !scan_seconds(c))
		return false;
	if (!scan_text(c, "s") && !scan_text(c, " seconds"))
		return false;
	if (scan_text(c, " ("))
		return str_ends(c->s, ")");
	return scan_end(c);
}

static bool scan_item(struct scan *c, struct summary *s, bool *ret_known)
{
	int64_t n;
	struct str word;

	if (!scan_count(c, &n) || !scan_text(c, " ") || !scan_word(c, &word))
		return false;
	for (size_t i = 0; i < NWORDS; i++)
		if (str_is(word, words[i].word)) {
			s->n[words[i].kind] += n;
			*ret_known = true;
			return true;
		}
	/* "3 subtests passed" from a plugin */
	while (!str_is(word, "in") && scan_text(c, " ")) {
		if (str_starts(scan_rest(c), "in ")) {
			c->at--;
			break;
		}
		if (!scan_word(c, &word))
			return false;
	}
	s->other = true;
	return true;
}

/* "4 tests collected in 0.01s", "1/4 tests collected (3 deselected) in 0.01s", "no tests collected in ..." */
static bool scan_collected(struct scan *c)
{
	struct scan at = *c;
	int64_t n;

	if (!scan_text(&at, "no tests collected")) {
		if (!scan_count(&at, &n) || (scan_text(&at, "/") && !scan_count(&at, &n)))
			return false;
		if (!scan_text(&at, " tests collected") && !scan_text(&at, " test collected"))
			return false;
	}
	if (scan_text(&at, " (")) {
		ptrdiff_t end = str_find(at.s, ')', at.at);

		if (end < 0)
			return false;
		at.at = (size_t)end + 1;
	}
	if (!scan_text(&at, " "))
		return false;
	*c = at;
	return true;
}

static bool read_summary(struct str line, struct summary *ret)
{
	struct summary s = {0};
	struct str inner;
	struct scan c;
	bool known = false;

	if (!line.n || !(ascii_is_digit(line.p[0]) || line.p[0] == '=' || line.p[0] == 'n'))
		return false; /* most lines */
	inner = lines_trim_char(line, '=');
	c = scan_of(inner);
	if (inner.n < 8 || inner.n > 400)
		return false;
	s.framed = line.p[0] == '=' && line.p[line.n - 1] == '=';
	if (!s.framed && inner.n != line.n)
		return false;
	if (scan_text(&c, "no tests ran ")) {
		s.none = known = true;
	} else if (scan_collected(&c)) {
		s.collected = known = true;
	} else {
		do
			if (!scan_item(&c, &s, &known))
				return false;
		while (scan_text(&c, ", "));
		if (!scan_text(&c, " "))
			return false;
	}
	if (!known || !scan_duration(&c))
		return false;
	*ret = s;
	return true;
}

static bool framed_with(struct str line, const char *text)
{
	return str_starts(line, "==") && str_ends(line, "==") && str_is(lines_trim_char(line, '='), text);
}

/* "collected 7 items / 1 error / 3 deselected / 4 selected", "4 workers [7 items]" */
static bool read_collected(struct str line, struct pytest_session *s)
{
	struct scan c = scan_of(line);
	int64_t n;

	scan_text(&c, "collecting ... ");
	if (scan_text(&c, "collected ")) {
		if (!scan_count(&c, &n))
			return false;
		s->selected = n;
		while (c.at < line.n) {
			ptrdiff_t slash = str_find(line, '/', c.at);

			if (slash < 0)
				break;
			c.at = (size_t)slash + 1;
			scan_blanks(&c);
			if (!scan_count(&c, &n))
				break;
			if (scan_text(&c, " selected"))
				s->selected = n;
			else if (scan_text(&c, " skipped"))
				s->collect_skips = n;
		}
		return true;
	}
	if (scan_count(&c, &n) && (scan_text(&c, " workers [") || scan_text(&c, " worker [")) &&
			scan_count(&c, &n) && scan_text(&c, " item")) {
		s->selected = n;
		return true;
	}
	return false;
}

/* "[ 57%]" at the end of a line; -1: none */
static int read_progress(struct str line)
{
	ptrdiff_t open;
	struct scan c;
	int64_t n;

	if (line.n < 6 || line.p[line.n - 1] != ']' || line.p[line.n - 2] != '%')
		return -1;
	open = str_find(line, '[', line.n - 6);
	if (open < 0)
		return -1;
	c = scan_of(line);
	c.at = (size_t)open + 1;
	scan_blanks(&c);
	return scan_count(&c, &n) && n <= 100 && scan_text(&c, "%]") ? (int)n : -1;
}

/* Returns the letters of a line of progress, one for each test, or its last word. */
static struct str progress_letters(struct str line, struct str *ret_before)
{
	ptrdiff_t open = str_find(line, '[', line.n >= 6 ? line.n - 6 : 0);
	struct str rest = lines_trim(str_sub(line, 0, open < 0 ? 0 : (size_t)open));
	size_t from = rest.n;

	while (from && rest.p[from - 1] != ' ')
		from--;
	*ret_before = rest;
	return str_sub(rest, from, rest.n);
}

/* True if a line of progress has letters of pytest-subtests: ',' for a passed one, 'u' for a failed one. */
static bool progress_subtests(struct str line)
{
	struct str rest, letters = progress_letters(line, &rest);

	for (size_t i = 0; i < letters.n; i++)
		if (!letters.p[i] || !strchr(".FEsxXRu,-", letters.p[i]))
			return false;
	return letters.n && (memchr(letters.p, 'u', letters.n) || memchr(letters.p, ',', letters.n));
}

/*
 * True if a line of progress shows a failure: "t.py ..F [ 60%]", "..F [100%]", "t.py::test_a FAILED [ 20%]".
 */
static bool progress_failed(struct str line)
{
	struct str rest, letters = progress_letters(line, &rest);

	if (str_is_any(letters, "FAILED ERROR"))
		return str_contains(rest, STR("::"));
	for (size_t i = 0; i < letters.n; i++)
		if (!letters.p[i] || !strchr(".FEsxXRu,-", letters.p[i]))
			return false;
	return letters.n && (memchr(letters.p, 'F', letters.n) || memchr(letters.p, 'E', letters.n));
}

/* Handles a line of a run other than its summary. */
static void read_line(struct str line, struct pytest_session *s, struct pytest_run *r)
{
	bool framed = str_starts(line, "==") && str_ends(line, "==");

	if (s->selected < 0 && !s->sections)
		read_collected(line, s);
	if (framed) {
		s->sections = true;
		s->list = str_is(lines_trim_char(line, '='), "short test summary info");
		s->failed_lines = s->list ? 0 : s->failed_lines;
	}
	if (s->list && (str_starts(line, "FAILED ") || str_starts(line, "SUBFAIL")))
		s->failed_lines++;
	s->subtests |= s->list && str_starts(line, "SUBFAIL");
	if (str_starts(line, "!!!!") && str_ends(line, "!!!!")) {
		s->stopped = true;
		r->stopped |= r->summaries && !r->open; /* pytest.exit(): below the summary */
	}
	if (!s->sections) {
		int n = read_progress(line);

		s->progress = n >= 0 ? n : s->progress;
		s->bad_letter |= n >= 0 && progress_failed(line);
		s->subtests |= n >= 0 && progress_subtests(line);
	}
	if (str_starts(line, "FAIL Required test coverage") || str_starts(line, "ERROR: Coverage failure"))
		r->coverage = true;
}

static void close_session(struct pytest_run *r, const struct pytest_session *s, const struct summary *m)
{
	int64_t sum = m->n[PASSED] + m->n[FAILED] + m->n[SKIPPED] + m->n[XFAILED] + m->n[XPASSED];
	bool low = s->selected > sum + m->n[ERRORS] && !s->stopped,
			high = sum > s->selected + s->collect_skips && !s->subtests;

	for (size_t k = 0; k < NKINDS; k++)
		r->n[k] += m->n[k];
	r->none |= m->none;
	r->collected |= m->collected;
	r->other |= m->other;
	r->stopped |= s->stopped;
	if (s->selected >= 0 && !m->collected && !m->other && (low || high) && !r->bad_count) {
		r->bad_count = true;
		r->want = s->selected;
		r->got = sum;
	}
	if (s->list && s->failed_lines && s->failed_lines != m->n[FAILED])
		r->bad_list = true;
	if (s->bad_letter && !m->n[FAILED] && !m->n[ERRORS] && !m->other)
		r->bad_letter = true;
	if (s->progress >= 0 && s->progress < 100 && !s->stopped)
		r->bad_progress = true;
}

static const struct pytest_session fresh = {.selected = -1, .progress = -1};

static void read_run(struct str text, struct pytest_run *r)
{
	struct lines l = lines_of(text);
	struct str line;
	struct pytest_session s = fresh;

	while (lines_next(&l, &line)) {
		struct summary m;

		if (framed_with(line, "test session starts")) {
			r->bad_order |= r->open || r->bare;
			r->headers++;
			r->open = true;
			r->after = false;
			s = fresh;
		} else if (read_summary(line, &m) && (m.framed || !r->headers)) {
			r->bad_order |= r->headers && !r->open;
			r->bare += !r->headers;
			r->summaries++;
			close_session(r, &s, &m);
			r->open = r->after = false;
			s = fresh;
		} else if (!lines_blank(line)) {
			r->after = true;
			r->resumed |= r->summaries && !r->open && read_progress(line) >= 0;
			read_line(line, &s, r);
		}
	}
	/* text after the last summary was not a run */
}

static bool usage_error(const struct validate_input *in)
{
	return in_either(in, "pytest: error:") || in_either(in, "ERROR: usage: ");
}

int pytest_detect(const struct validate_input *in)
{
	struct lines l = lines_of(in->out);
	struct str line;
	struct summary m;
	int sure = usage_error(in) ? 70 : 0;

	if (str_contains(in->out, STR(" test session starts =")))
		return 95;
	while (lines_next(&l, &line)) {
		if (read_summary(line, &m))
			return m.framed ? 85 : 80;
		if (read_progress(line) >= 0 && sure < 40)
			sure = 40;
	}
	return sure;
}

/* Reports a summary that contradicts its run. */
static void check_runs(struct arena *a, const struct pytest_run *r, struct validation *v, bool failed)
{
	if (r->bad_order)
		validation_note(a, v, NOTE_TWO_SUMMARIES, false,
			"there is a summary that does not belong to a run of pytest; a test may have "
			"printed it: run pytest alone, with --junitxml=FILE, and read that file");
	else if (r->bare > 1)
		validation_note(a, v, NOTE_TWO_SUMMARIES, failed,
				"there are %zu summaries and no headers to tell the runs apart; run pytest "
				"once, without -q, or with --junitxml=FILE",
			r->summaries);
	else if (r->resumed)
		validation_note(a, v, NOTE_SUMMARY_IN_MIDDLE, false,
				"tests go on after the summary, so a test may have printed it: run pytest "
				"with --junitxml=FILE and read that file");
	if (r->bad_count)
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
			"pytest selected %lld tests, but its summary accounts for %lld; do not use these "
			"numbers: run again with --junitxml=FILE and read that file", (long long)r->want,
			(long long)r->got);
	if (r->bad_list)
		validation_note(a, v, NOTE_LIST_MISMATCH, false,
				"the FAILED lines are not as many as the summary says; run again with "
				"--junitxml=FILE and read that file");
	if (r->bad_letter)
		validation_note(a, v, NOTE_LIST_MISMATCH, false,
				"a test failed on the way, and the summary counts none, so a test may "
				"have printed it; run again with --junitxml=FILE and read that file");
	if (r->bad_progress)
		validation_note(a, v, NOTE_UNFINISHED_TESTS, false,
				"the progress ends before 100%%, so not all tests ran; find out what ended "
				"the run");
	if (r->after && r->headers)
		validation_note(a, v, NOTE_TEXT_AFTER_SUMMARY, true, "other text follows the summary");
	else if (r->after && !failed)
		validation_unsure(a, v, NOTE_TEXT_AFTER_SUMMARY,
				"other text follows a bare summary, which any program can print; run pytest "
				"alone and without -q");
}

static void check_exit(struct arena *a, const struct validate_input *in, const struct pytest_run *r,
		struct validation *v, bool failed)
{
	if (r->stopped && !failed) {
		validation_note(a, v, NOTE_INTERRUPTED, false,
				"the run was interrupted before all tests ran, so it did not pass; run it "
				"again");
		return;
	}
	if (in->exit_code == 3) {
		validation_note(a, v, NOTE_INTERRUPTED, false,
				"pytest ended with an internal error; read its traceback, fix that and run "
				"it again");
		return;
	}
	if (!failed && !r->coverage && r->n[PASSED] + r->n[XFAILED] + r->n[XPASSED] == 0)
		test_skipped(a, in, v);
	else
		test_result(a, in, v, failed || r->coverage);
}

static void put_counts(struct arena *a, const struct pytest_run *r, struct validation *v)
{
	static const char names[NKINDS][12] = {[PASSED] = "passed", [FAILED] = "failed",
			[SKIPPED] = "skipped", [XFAILED] = "xfailed", [XPASSED] = "xpassed",
		[ERRORS] = "errors", [DESELECTED] = "deselected", [WARNINGS] = "warnings", [RERUN] = "rerun"};

	for (size_t k = 0; k < NKINDS; k++)
		if (k <= SKIPPED || r->n[k])
			validation_count(a, v, names[k], r->n[k]);
}

void pytest_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct pytest_run r = {0};
	bool failed;

	read_run(in->out, &r);
	failed = r.n[FAILED] || r.n[ERRORS];
	if (r.summaries)
		put_counts(a, &r, v);
	if (!r.summaries && !r.headers && usage_error(in)) {
		validation_note(a, v, NOTE_USAGE_ERROR, false,
				"pytest did not understand its options and ran nothing; correct the command");
	} else if (!r.summaries && !r.headers) {
		validation_unsure(a, v, NOTE_NO_SUMMARY,
				"this looks like pytest's progress, without a summary; run it with -q at "
				"most, or with --junitxml=FILE");
	} else if (r.open || !r.summaries) {
		test_unfinished(a, v, "pytest printed no summary");
	} else if (r.collected && !failed) {
		validation_unsure(a, v, NOTE_ONLY_COLLECTED,
				"tests were only collected, none was run; leave out --collect-only");
	} else if (!failed && r.n[PASSED] + r.n[SKIPPED] + r.n[XFAILED] + r.n[XPASSED] == 0) {
		test_none(a, v);
	} else {
		check_runs(a, &r, v, failed);
		check_exit(a, in, &r, v, failed);
	}
}
