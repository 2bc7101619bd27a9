/*
 * Validates outputs by the rows of knowledge/result/formats.yaml.
 *
 * An output is read as blocks: a block begins with the line that announces a run, or with the output, and has
 * one summary. The equations hold for each block. A second summary, a test behind the summary, or a summary
 * without an announcement where the format has one, shows that a test printed some of it.
 */
#include "result/format.h"
#include "result/lines.h"
#include "result/validate_static.h"
#include "result/validate_test.h"

#define BROKEN_MAX 4
#define SUM_MAX ((int64_t)COUNT_MAX * 1000)

struct broken_rule {
	const struct format_rule *rule;
	int64_t left, right;
};

struct format_reading {
	const struct format_row *row;
	int64_t block[FORMAT_COUNTERS], sums[FORMAT_COUNTERS];
	size_t starts, ends, items;
	bool announces; /* the format has lines that announce a run */
	bool open;      /* announced, and no summary yet */
	bool ended;     /* the block has its summary */
	bool below;     /* directly below the summary */
	bool fail_line; /* in this block */
	bool order, middle, after, none, failed, dry, stopped, verdict;
	struct broken_rule broken[BROKEN_MAX];
	size_t nbroken;
};

/* Sums of all counters fit. */
static int64_t sum_bounded(int64_t x, int64_t y) { return x + y > SUM_MAX ? SUM_MAX : x + y; }

static const char *format_text(uint16_t at) { return format_texts + at; }

/* "+a-b+20": counters and constants */
static int64_t sum_of(uint16_t sum, const int64_t counters[FORMAT_COUNTERS])
{
	struct scan c = scan_of(str_of(format_text(sum)));
	int64_t n = 0;

	while (!scan_end(&c)) {
		bool minus = c.s.p[c.at++] == '-';
		int64_t x;

		if (!scan_count(&c, &x))
			x = counters[c.s.p[c.at++] - 'a'];
		n += minus ? -x : x;
	}
	return n;
}

/* ---- words ---- */

#define PAIR_BITS 12

static size_t pair_at(const char *p) { return (size_t)(unsigned char)p[0] << 8 | (unsigned char)p[1]; }

static size_t pair_slot(const char *p)
{
	return ((size_t)(unsigned char)p[0] << 4 ^ (unsigned char)p[1]) & (((size_t)1 << PAIR_BITS) - 1);
}

static void find_word(struct str text, size_t i, size_t slot, const uint8_t *next, struct format_found *found)
{
	for (; slot; slot = next[slot]) {
		const struct format_word *w = &format_words[slot - 1];

		if (i >= w->at && text.n - (i - w->at) >= w->n &&
				!memcmp(text.p + i - w->at, format_text(w->text), w->n))
			found->bits[(slot - 1) / 64] |= (uint64_t)1 << (slot - 1) % 64;
	}
}

/*
 * One pass for the words of all rows: a search for each would cost more than everything else. The set of
 * pairs has 8 KB, which stay in the processor's nearest cache.
 */
void format_find(struct str text, struct format_found *found)
{
	uint8_t slots[1 << PAIR_BITS] = {0}, next[FORMAT_WORDS + 1]; /* a list of words for each pair */
	uint64_t pairs[(1 << 16) / 64] = {0};

	for (size_t i = 0; i < format_nwords; i++) {
		const char *pair = format_text(format_words[i].text) + format_words[i].at;
		uint8_t *s = &slots[pair_slot(pair)];

		pairs[pair_at(pair) / 64] |= (uint64_t)1 << pair_at(pair) % 64;
		next[i + 1] = *s;
		*s = (uint8_t)(i + 1);
	}
	for (size_t i = 0; i + 1 < text.n; i++) {
		size_t pair = pair_at(text.p + i);

		if (pairs[pair / 64] >> pair % 64 & 1)
			find_word(text, i, slots[pair_slot(text.p + i)], next, found);
	}
}

static bool has_words(const struct format_row *row, const struct format_found *found)
{
	for (size_t i = 0; i < row->nwords; i++) {
		size_t w = format_row_words[row->words + i];

		if (found->bits[w / 64] >> w % 64 & 1)
			return true;
	}
	return false;
}

/* ---- reading ---- */

static void check_rules(struct format_reading *r, bool failed)
{
	for (size_t i = 0; i < r->row->nrules; i++) {
		const struct format_rule *rule = &format_rules[r->row->rules + i];
		int64_t left = sum_of(rule->left, r->block), right = sum_of(rule->right, r->block);

		if ((rule->when == RULE_IF_LEFT && !left) || (rule->when == RULE_IF_PASS && failed) ||
				left == right || (rule->relation == RULE_AT_MOST && left < right) ||
				(rule->relation == RULE_AT_LEAST && left > right))
			continue;
		if (r->nbroken < BROKEN_MAX)
			r->broken[r->nbroken++] = (struct broken_rule){rule, left, right};
	}
}

static void close_block(struct format_reading *r)
{
	bool counted = sum_of(r->row->fail, r->block) > 0;

	if (r->ended || !r->announces)
		check_rules(r, counted || r->fail_line);
	if ((r->row->flags & FORMAT_VERDICT) && r->ended)
		r->verdict |= counted != r->fail_line;
	r->failed |= counted || r->fail_line;
	for (size_t i = 0; i < FORMAT_COUNTERS; i++)
		r->sums[i] = sum_bounded(r->sums[i], r->block[i]);
	memset(r->block, 0, sizeof(r->block));
	r->order |= r->open;
	r->open = r->ended = r->below = r->fail_line = false;
}

static void take_line(struct format_reading *r, const struct format_line *line,
		const int64_t n[FORMAT_COUNTERS])
{
	bool below = r->below;

	r->below = false;
	switch (line->role) {
	case LINE_START:
		close_block(r);
		r->starts++;
		r->open = true;
		r->after = false;
		break;
	case LINE_END:
		r->order |= (r->ended && !(r->row->flags & FORMAT_MANY)) || (r->announces && !r->open);
		r->ends++;
		r->ended = r->below = true;
		r->open = r->after = false;
		break;
	case LINE_ITEM:
		r->items++;
		r->middle |= r->ended && !(r->row->flags & FORMAT_MANY);
		break;
	case LINE_LIST:
		r->items++;
		r->below = below;
		break;
	case LINE_NONE: r->none = true; break;
	case LINE_DRY: r->dry = true; break;
	case LINE_STOP: r->stopped = true; break;
	case LINE_FAIL:
		r->fail_line = true;
		r->below = below;
		break;
	default: r->below = line->role == LINE_MORE; break;
	}
	for (size_t i = 0; i < FORMAT_COUNTERS; i++)
		r->block[i] = sum_bounded(r->block[i], n[i] + (line->counter == i));
}

static bool role_fits(const struct format_reading *r, enum line_role role)
{
	return role == LINE_MORE ? r->below : role == LINE_LATE ? r->ended : true;
}

static void read_text(struct format_reading *r, struct str text)
{
	struct lines l = lines_of(text);

	for (struct str line; lines_next(&l, &line);) {
		size_t i = 0;

		if (lines_blank(line))
			continue;
		for (; i < r->row->nlines; i++) {
			const struct format_line *f = &format_lines[r->row->lines + i];
			int64_t n[FORMAT_COUNTERS];

			if (template_may_match(format_text(f->text), line) && role_fits(r, f->role) &&
					template_match(format_text(f->text), line, n)) {
				take_line(r, f, n);
				break;
			}
		}
		if (i == r->row->nlines) {
			r->below = false;
			r->after |= r->ends > 0;
		}
	}
}

static bool saw_run(const struct format_reading *r) { return r->ends || r->starts; }

static void read_output(struct format_reading *r, const struct format_row *row,
		const struct validate_input *in)
{
	*r = (struct format_reading){.row = row};
	for (size_t i = 0; i < row->nlines; i++)
		r->announces |= format_lines[row->lines + i].role == LINE_START;
	if (row->stream == STREAM_OUT || row->stream == STREAM_BOTH)
		read_text(r, in->out);
	if (row->stream != STREAM_OUT)
		read_text(r, in->err);
	if (row->stream == STREAM_EITHER && !saw_run(r))
		read_text(r, in->out);
	close_block(r);
}

int format_detect(const struct format_row *row, const struct validate_input *in,
		const struct format_found *found)
{
	struct format_reading r;

	if (!has_words(row, found))
		return 0;
	read_output(&r, row, in);
	if (r.ends && row->sure_end)
		return r.after && row->sure_after ? row->sure_after : row->sure_end;
	if (r.starts && row->sure_start)
		return row->sure_start;
	if (r.items && row->sure_item)
		return row->sure_item;
	return r.none || r.dry || r.stopped || r.failed ? row->sure_none : 0;
}

/* ---- checking ---- */

static void put_counts(struct arena *a, const struct format_reading *r, struct validation *v)
{
	for (size_t i = 0; i < r->row->ncounts; i++) {
		const struct format_count *c = &format_counts[r->row->counts + i];
		int64_t n = sum_of(c->sum, r->sums);

		if (n || !c->only_some)
			validation_count(a, v, format_text(c->name), n);
	}
}

/* One equation that does not hold. */
static void note_rule(struct arena *a, const struct validate_input *in, const struct format_reading *r,
		const struct broken_rule *b, struct validation *v)
{
	const char *tool = format_text(r->row->tool), *how = format_text(r->row->how);
	long long left = b->left, right = b->right;

	if (b->rule->note == NOTE_LIST_MISMATCH)
		validation_note(a, v, NOTE_LIST_MISMATCH, false,
				"the output lists %lld where its summary says %lld, so a test may have "
				"printed it; run %s once, %s", left, right, tool, how);
	else if (r->row->task != TASK_TEST && !in->task && left > right)
		validation_unsure(a, v, NOTE_LINES_MISSING,
				"%s found %lld errors but %lld are shown; let it print all of its output to "
				"see them", tool, left, right);
	else if (r->row->task != TASK_TEST)
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"%s's summary says %lld errors but %lld are listed; do not believe either "
				"number: run it again and keep all of its output", tool, left, right);
	else
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"the parts add up to %lld, but %lld were counted; run %s once, %s", left,
				right, tool, how);
}

static void note_broken(struct arena *a, const struct validate_input *in, const struct format_reading *r,
		struct validation *v)
{
	const char *tool = format_text(r->row->tool), *how = format_text(r->row->how);

	if (r->announces && !r->starts && r->ends == 1)
		validation_unsure(a, v, NOTE_NO_PLAN,
				"no line says what was to run, so the output may not be whole; run %s once, "
				"%s", tool, how);
	else if (r->order)
		validation_note(a, v, NOTE_TWO_SUMMARIES, r->failed,
				"there are %zu summaries of %zu runs; a test may have printed one of them: "
				"run %s once, %s", r->ends, r->announces ? r->starts : 1, tool, how);
	if (r->middle)
		validation_note(a, v, NOTE_SUMMARY_IN_MIDDLE, false,
				"tests go on after the summary, so a test may have printed it; run %s once, "
				"%s", tool, how);
	for (size_t i = 0; i < r->nbroken; i++)
		note_rule(a, in, r, &r->broken[i], v);
	if (r->verdict)
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"the verdict and the numbers beside it disagree; run %s once, %s", tool,
				how);
	if (r->after && (r->row->flags & FORMAT_AFTER))
		validation_note(a, v, NOTE_TEXT_AFTER_SUMMARY, true, "other text follows the summary");
	else if (r->after && !r->failed && (r->row->flags & FORMAT_LAST))
		validation_unsure(a, v, NOTE_TEXT_AFTER_SUMMARY,
				"other text follows the summary, which any program can print; run %s once, "
				"%s", tool, how);
}

static bool sums_to_none(const struct format_reading *r, uint16_t sum)
{
	return sum && sum_of(sum, r->sums) <= 0;
}

static void check_tests(struct arena *a, const struct validate_input *in, const struct format_reading *r,
		struct validation *v)
{
	const struct format_row *row = r->row;
	bool failed = r->failed;

	if (!failed && in->exit_code > 0 && (row->flags & FORMAT_LOOSE) && sum_of(row->loose, r->sums))
		failed = true;
	if (!failed && (r->none || (r->ends && sums_to_none(r, row->none)))) {
		test_none(a, v);
		return;
	}
	if (!failed && r->dry) {
		test_dry_run(a, v, "the tool only listed them");
		return;
	}
	if (!r->ends) {
		test_unfinished(a, v,
				str_c(a, str_fmt(a, "%s printed no summary", format_text(row->tool))));
		return;
	}
	note_broken(a, in, r, v);
	if (r->stopped && !failed)
		validation_note(a, v, NOTE_INTERRUPTED, false,
				"the run was interrupted before all tests ran, so it did not pass; run it "
				"again");
	if (failed && row->exit_usual && in->exit_code > 0 && in->exit_code != row->exit_usual)
		validation_note(a, v, NOTE_EXIT_UNUSUAL, true,
				"%s ends with %d when tests failed; the exit code is %d, so it is another "
				"program's", format_text(row->tool), row->exit_usual, in->exit_code);
	if (!failed && sums_to_none(r, row->shown))
		test_skipped(a, in, v);
	else
		test_result(a, in, v, failed);
}

static void check_findings(struct arena *a, const struct validate_input *in, const struct format_reading *r,
		struct validation *v)
{
	const struct format_row *row = r->row;
	bool failed = r->failed;

	if ((row->exit_broken && in->exit_code >= row->exit_broken) || (r->stopped && !failed)) {
		static_no_result(a, in, v, format_text(row->tool));
		return;
	}
	if (!failed && (r->none || sums_to_none(r, row->none))) {
		static_nothing(a, v);
		return;
	}
	note_broken(a, in, r, v);
	if (!failed && sums_to_none(r, row->shown))
		validation_unsure(a, v, NOTE_NOTHING_CHECKED,
				"the only findings are files that were left out; name the files to check");
	if ((row->flags & FORMAT_ZERO) && in->exit_code == 0)
		v->result = failed ? RESULT_FAIL : RESULT_PASS;
	else if (!failed && in->exit_code > 0 && (row->flags & FORMAT_LOOSE) && sum_of(row->loose, r->sums))
		v->result = RESULT_FAIL;
	else
		static_result(a, in, v, failed);
}

void format_check(const struct format_row *row, struct arena *a, const struct validate_input *in,
		struct validation *v)
{
	struct format_reading r;

	read_output(&r, row, in);
	if (r.ends || row->task != TASK_TEST)
		put_counts(a, &r, v);
	if (row->task == TASK_TEST)
		check_tests(a, in, &r, v);
	else
		check_findings(a, in, &r, v);
}
