/* Runners whose summary is a few lines of "N word": mocha, RSpec, node --test in its format for people. */
#include "result/validate_test.h"

/* ---- mocha: "  3 passing (5ms)", "  1 pending", "  1 failing" ---- */

struct mocha {
	int64_t passing, pending, failing;
	size_t summaries;
};

static void read_mocha(struct str text, struct mocha *m)
{
	struct lines l = lines_of(text);
	struct str line;
	bool open = false; /* directly below "passing" */

	while (lines_next(&l, &line)) {
		struct scan c = scan_of(line);
		int64_t n;

		if (scan_text(&c, "  ") && scan_count(&c, &n)) {
			if (scan_text(&c, " passing (") && str_ends(line, ")")) {
				m->passing += n;
				m->summaries++;
				open = true;
			} else if (open && scan_text(&c, " pending") && scan_end(&c)) {
				m->pending += n;
			} else if (open && scan_text(&c, " failing") && scan_end(&c)) {
				m->failing += n;
			}
		} else if (!lines_blank(line)) {
			open = false;
		}
	}
}

static bool mocha_found_none(const struct validate_input *in)
{
	return in_either(in, "Error: No test files found");
}

int mocha_detect(const struct validate_input *in)
{
	struct mocha m = {0};

	if (str_contains(in->out, STR(" passing (")))
		read_mocha(in->out, &m);
	return m.summaries ? 85 : mocha_found_none(in) ? 60 : 0;
}

void mocha_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct mocha m = {0};

	read_mocha(in->out, &m);
	if (!m.summaries && mocha_found_none(in)) {
		test_none(a, v);
		return;
	}
	validation_count(a, v, "passed", m.passing);
	validation_count(a, v, "failed", m.failing);
	validation_count(a, v, "skipped", m.pending);
	if (!m.summaries) {
		test_unfinished(a, v, "mocha printed no summary");
		return;
	}
	if (m.summaries > 1)
		validation_note(a, v, NOTE_TWO_SUMMARIES, m.failing > 0,
				"there are %zu summaries; a test may have printed one of them: run mocha "
				"once, with --reporter json", m.summaries);
	if (m.passing + m.failing + m.pending == 0)
		test_none(a, v);
	else if (!m.failing && !m.passing)
		test_skipped(a, in, v);
	else
		test_result(a, in, v, m.failing > 0);
}

/* ---- RSpec: "3 examples, 1 failure, 1 pending, 1 error occurred outside of examples" ---- */

struct rspec {
	int64_t examples, failures, pending, outside, listed;
	size_t summaries;
};

static bool read_rspec_sum(struct str line, struct rspec *r)
{
	struct scan c = scan_of(line);
	struct rspec n = {0};

	if (!scan_count(&c, &n.examples) || !(scan_text(&c, " examples, ") || scan_text(&c, " example, ")) ||
			!scan_count(&c, &n.failures) ||
	    !(scan_text(&c, " failures") || scan_text(&c, " failure")))
		return false;
	if (scan_text(&c, ", ") && scan_count(&c, &n.pending) && !scan_text(&c, " pending")) {
		n.outside = n.pending;
		n.pending = 0;
	}
	if (scan_text(&c, ", "))
		scan_count(&c, &n.outside);
	r->examples += n.examples;
	r->failures += n.failures;
	r->pending += n.pending;
	r->outside += n.outside;
	r->summaries++;
	return true;
}

static void read_rspec(struct str text, struct rspec *r)
{
	struct lines l = lines_of(text);
	struct str line;

	while (lines_next(&l, &line))
		if (!read_rspec_sum(line, r))
			r->listed += str_starts(line, "rspec ") && str_contains(line, STR(" # "));
}

int rspec_detect(const struct validate_input *in)
{
	struct rspec r = {0};

	if (str_contains(in->out, STR(" example")))
		read_rspec(in->out, &r);
	return r.summaries ? 85 : 0;
}

void rspec_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct rspec r = {0};
	bool failed;

	read_rspec(in->out, &r);
	failed = r.failures || r.outside;
	validation_count(a, v, "total", r.examples);
	validation_count(a, v, "failed", r.failures);
	validation_count(a, v, "skipped", r.pending);
	validation_count(a, v, "errors", r.outside);
	if (!r.summaries) {
		test_unfinished(a, v, "RSpec printed no summary");
		return;
	}
	if (r.summaries > 1)
		validation_note(a, v, NOTE_TWO_SUMMARIES, failed,
				"there are %zu summaries; a test may have printed one of them: run RSpec "
				"once, with --format json", r.summaries);
	if (r.failures + r.pending > r.examples)
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"the summary counts more outcomes than examples; run RSpec again with "
				"--format json");
	if (r.listed && r.listed != r.failures)
		validation_note(a, v, NOTE_LIST_MISMATCH, false,
				"%lld examples are listed as failed, but the summary says %lld; run RSpec "
				"again with --format json", (long long)r.listed,
			(long long)r.failures);
	if (!failed && r.examples == 0)
		test_none(a, v);
	else if (!failed && r.pending >= r.examples)
		test_skipped(a, in, v);
	else
		test_result(a, in, v, failed);
}

/* ---- node --test for people: a mark, then "tests 3", "pass 2", ... ---- */

static const char node_names[][12] = {"tests", "pass", "fail", "cancelled", "skipped", "todo"};
enum { NODE_TESTS, NODE_PASS, NODE_FAIL, NODE_CANCELLED, NODE_SKIPPED, NODE_TODO, NNODE };

struct spec_counts {
	int64_t n[NNODE];
	int64_t files; /* passed ones that are test files, not tests */
	size_t seen[NNODE];
};

static void read_node(struct str text, struct spec_counts *t)
{
	struct lines l = lines_of(text);
	struct str line;

	while (lines_next(&l, &line)) {
		struct scan c = scan_of(line);
		struct str word;
		int64_t n;

		if (scan_text(&c, "\xE2\x9C\x94 ") && str_ends(line, "ms)")) {
			ptrdiff_t end = str_find(line, ' ', c.at);

			t->files += end > 0 && test_is_file(str_sub(line, c.at, (size_t)end));
		}
		c = scan_of(line);
		if (!scan_text(&c, "\xE2\x84\xB9 ") || !scan_word(&c, &word) || !scan_text(&c, " ") ||
				!scan_count(&c, &n) || !scan_end(&c))
			continue;
		for (size_t i = 0; i < NNODE; i++)
			if (str_is(word, node_names[i])) {
				t->n[i] += n;
				t->seen[i]++;
			}
	}
}

int node_detect(const struct validate_input *in)
{
	struct spec_counts t = {0};

	if (str_contains(in->out, STR("\xE2\x84\xB9 tests ")))
		read_node(in->out, &t);
	return t.seen[NODE_TESTS] ? 90 : 0;
}

void node_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	static const char names[NNODE][12] = {"total", "passed", "failed", "cancelled", "skipped", "todo"};
	struct spec_counts t = {0};
	int64_t sum = 0;
	bool failed, twice = false, whole = true;

	read_node(in->out, &t);
	for (size_t i = 0; i < NNODE; i++) {
		validation_count(a, v, names[i], t.n[i]);
		sum += i == NODE_TESTS ? 0 : t.n[i];
		twice |= t.seen[i] > 1;
		whole &= t.seen[i] > 0;
	}
	failed = t.n[NODE_FAIL] || t.n[NODE_CANCELLED];
	if (!whole) {
		test_unfinished(a, v, "the totals are not all there");
		return;
	}
	if (twice)
		validation_note(a, v, NOTE_TWO_SUMMARIES, failed,
				"there is more than one table of totals; a test may have printed one: run "
				"it once, with --test-reporter=tap");
	if (sum != t.n[NODE_TESTS])
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"the outcomes add up to %lld, but the total is %lld; run it again with "
				"--test-reporter=tap", (long long)sum, (long long)t.n[NODE_TESTS]);
	test_files(a, v, t.files, t.n[NODE_TESTS]);
	if (!failed && t.n[NODE_TESTS] - t.files <= 0)
		test_none(a, v);
	else if (!failed && t.n[NODE_PASS] - t.files <= 0)
		test_skipped(a, in, v);
	else
		test_result(a, in, v, failed);
}
