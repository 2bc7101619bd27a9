/* Runners whose summary is a few lines of "N word": mocha, RSpec, node --test in its format for people. */
#include "result/validate_test.h"

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
