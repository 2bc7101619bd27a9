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
	uint8_t tried[UINT8_MAX]; /* templates that can match, by their index in the row */
	size_t ntried;
	bool first[256];          /* a line that begins with this byte can match one of them */
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
#define PAIR_SLOTS ((size_t)1 << PAIR_BITS)

struct word_search {
	uint64_t pairs[(1 << 16) / 64];     /* pairs that begin a list; 8 KB, which stay in the cache */
	uint16_t slots[PAIR_SLOTS];         /* list of a pair: 2 * word + (1 if its second pair) + 1 */
	uint16_t next[2 * FORMAT_WORDS + 1];
	struct format_found *found;
};

static size_t pair_at(const char *p)
{
	uint16_t pair;

	memcpy(&pair, p, sizeof(pair));
	return pair;
}

static size_t pair_slot(const char *p)
{
	return ((size_t)(unsigned char)p[0] << 4 ^ (unsigned char)p[1]) & (PAIR_SLOTS - 1);
}

static bool has_bit(const struct format_found *f, size_t word) { return f->bits[word / 64] >> word % 64 & 1; }

static void set_bit(struct format_found *f, size_t word) { f->bits[word / 64] |= (uint64_t)1 << word % 64; }

static void add_pair(struct word_search *w, size_t word, size_t second)
{
	const char *pair = format_text(format_words[word].text) + format_words[word].at + second;
	uint16_t *s = &w->slots[pair_slot(pair)], entry = (uint16_t)(2 * word + second + 1);

	w->pairs[pair_at(pair) / 64] |= (uint64_t)1 << pair_at(pair) % 64;
	w->next[entry] = *s;
	*s = entry;
}

/* The ends differ mostly, which saves the call. */
static bool same_text(const char *p, const char *q, size_t n)
{
	return p[0] == q[0] && p[n - 1] == q[n - 1] && !memcmp(p, q, n);
}

/* True if the word whose bytes from `before` on stand at i is there, a line's start before it if need be. */
static bool is_word_at(struct str text, size_t i, size_t before, const struct format_word *w)
{
	const char *word = format_text(w->text);
	size_t n = w->n;

	if (i + 1 == before && word[0] == '\n') /* at the start of the text */
		word++, before--, n--;
	return i >= before && text.n - (i - before) >= n && same_text(text.p + i - before, word, n);
}

/* Looks for the words of the pair at i. A pair is looked for until all of its words were found. */
static void find_words(struct word_search *s, struct str text, size_t i)
{
	size_t pair = pair_at(text.p + i);
	bool open = false;

	for (size_t entry = s->slots[pair_slot(text.p + i)]; entry; entry = s->next[entry]) {
		size_t word = (entry - 1) / 2;
		const struct format_word *w = &format_words[word];
		size_t before = w->at + (entry - 1) % 2;

		if (has_bit(s->found, word))
			continue;
		if (is_word_at(text, i, before, w))
			set_bit(s->found, word);
		else
			open = true;
	}
	if (!open)
		s->pairs[pair / 64] &= ~((uint64_t)1 << pair % 64);
}

/*
 * One pass for the words of all formats: a search for each would cost more than everything else. Each word
 * has two overlapping pairs of bytes, so one of them lies at an even place; at the start of the text the
 * second one does, if the first begins with the end of a line that is not there.
 */
void format_find(struct str text, const struct format_found *wanted, struct format_found *found)
{
	struct word_search s = {.found = found};

	for (size_t i = 0; i < format_nwords; i++)
		for (size_t second = 0; second < 2 && has_bit(wanted, i) && !has_bit(found, i); second++)
			add_pair(&s, i, second);
	for (size_t i = 0; i + 1 < text.n; i += 2) {
		size_t pair = pair_at(text.p + i);

		if (s.pairs[pair / 64] >> pair % 64 & 1)
			find_words(&s, text, i);
	}
}

struct word_list {
	const uint8_t *v;
	size_t n;
};

/* Empty: nothing is known about its outputs. */
static struct word_list words_of(const struct validator *r)
{
	if (r->row)
		return (struct word_list){format_row_words + r->row->words, r->row->nwords};
	for (size_t i = 0; i < format_ncodes; i++)
		if (!strcmp(format_text(format_codes[i].name), r->format))
			return (struct word_list){format_row_words + format_codes[i].words,
					format_codes[i].nwords};
	return (struct word_list){0};
}

void format_want(const struct validator *r, struct format_found *wanted)
{
	struct word_list l = words_of(r);

	for (size_t i = 0; i < l.n; i++)
		set_bit(wanted, l.v[i]);
	for (size_t i = 0; r->row && i < r->row->nlines; i++)
		if (format_lines[r->row->lines + i].word < FORMAT_WORDS)
			set_bit(wanted, format_lines[r->row->lines + i].word);
}

bool format_has_words(const struct validator *r, const struct format_found *found)
{
	struct word_list l = words_of(r);

	for (size_t i = 0; i < l.n; i++)
		if (has_bit(found, l.v[i]))
			return true;
	return !l.n;
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

/* Returns the template that the line matches, or NULL. */
static const struct format_line *match_line(const struct format_reading *r, struct str line,
		int64_t n[FORMAT_COUNTERS])
{
	for (size_t i = 0; i < r->ntried; i++) {
		const struct format_line *f = &format_lines[r->row->lines + r->tried[i]];

		if (template_may_match(format_text(f->text), line) && role_fits(r, f->role) &&
				template_match(format_text(f->text), line, n))
			return f;
	}
	return NULL;
}

static void read_text(struct format_reading *r, struct str text)
{
	struct lines l = lines_of(text);

	for (struct str line; lines_next(&l, &line);) {
		const struct format_line *f;
		int64_t n[FORMAT_COUNTERS];

		if (!line.n || (ascii_is_blank(line.p[0]) && lines_blank(line)))
			continue;
		f = r->first[(unsigned char)line.p[0]] ? match_line(r, line, n) : NULL;
		if (f) {
			take_line(r, f, n);
		} else {
			r->below = false;
			r->after |= r->ends > 0;
		}
	}
}

/* Chooses the templates whose word occurs in the output. */
static void choose_templates(struct format_reading *r, const struct format_found *found)
{
	for (size_t i = 0; i < r->row->nlines; i++) {
		const struct format_line *f = &format_lines[r->row->lines + i];

		r->announces |= f->role == LINE_START;
		if (found && f->word < FORMAT_WORDS && !has_bit(found, f->word))
			continue;
		r->tried[r->ntried++] = (uint8_t)i;
		for (size_t c = 0; c < sizeof(r->first); c++)
			r->first[c] |= template_may_match(format_text(f->text), str_n(&(char){(char)c}, 1));
	}
}

static bool saw_run(const struct format_reading *r) { return r->ends || r->starts; }

/* found: the words of the output; NULL: not known. */
static struct format_reading *read_output(struct arena *a, const struct format_row *row,
		const struct validate_input *in, const struct format_found *found)
{
	struct format_reading *r = arena_copy(a, (struct format_reading){.row = row});

	choose_templates(r, found);
	if (row->stream == STREAM_OUT || row->stream == STREAM_BOTH)
		read_text(r, in->out);
	if (row->stream != STREAM_OUT)
		read_text(r, in->err);
	if (row->stream == STREAM_EITHER && !saw_run(r))
		read_text(r, in->out);
	close_block(r);
	return r;
}

int format_sure_at_most(const struct format_row *row)
{
	const uint8_t sure[] = {row->sure_end, row->sure_start, row->sure_item, row->sure_none,
			row->sure_after};
	int most = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sure); i++)
		most = sure[i] > most ? sure[i] : most;
	return most;
}

int format_detect(const struct format_row *row, struct arena *a, const struct validate_input *in,
		const struct format_found *found, const struct format_reading **ret)
{
	const struct format_reading *r;

	*ret = r = read_output(a, row, in, found);
	if (r->ends && row->sure_end)
		return r->after && row->sure_after ? row->sure_after : row->sure_end;
	if (r->starts && row->sure_start)
		return row->sure_start;
	if (r->items && row->sure_item)
		return row->sure_item;
	return r->none || r->dry || r->stopped || r->failed ? row->sure_none : 0;
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
		test_unfinished(a, v, str_fmt_c(a, "%s printed no summary", format_text(row->tool)));
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
	else if (failed && (row->flags & FORMAT_ZERO) && in->exit_code == 0)
		v->result = RESULT_FAIL;
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

void format_check(const struct format_row *row, const struct format_reading *r, struct arena *a,
		const struct validate_input *in, struct validation *v)
{
	if (!r)
		r = read_output(a, row, in, NULL);
	if (r->ends || row->task != TASK_TEST)
		put_counts(a, r, v);
	if (row->task == TASK_TEST)
		check_tests(a, in, r, v);
	else
		check_findings(a, in, r, v);
}
