/* See head_listing.h. */
#define _GNU_SOURCE
#include "run/head_listing.h"

#include "base/texts.h"
#include "result/lines.h"
#include "result/validate.h"
#include "run/helper_run.h"
#include "run/test_reports.h"
#include "sys/stream.h"

#define TIME_MS 20000

/* The number before a word, the lines that begin with one, or lines that are a number. */
enum count_by { COUNT_BEFORE, COUNT_LINES, COUNT_WHOLE };

static const struct lister {
	char runner[8];   /* format of its printed output */
	char word[8];     /* first word of the command that gets the arguments; empty: the variable does it */
	char setting[44]; /* NAME=value, wherever the runner is started */
	char arguments[12];
	enum count_by by;
	char words[3][20];
} rows[] = {
	{"pytest", "", "PYTEST_ADDOPTS=--collect-only", "", COUNT_BEFORE,
			{" test collected", " tests collected"}},
	{"go-test", "", "GOFLAGS=-list=^(Test|Example|Fuzz) -count=1", "", COUNT_LINES,
			{"Test", "Example", "Fuzz"}},
	{"mocha", "mocha", "", " --dry-run", COUNT_BEFORE, {" passing ("}},
	{"tap", "bats", "", " --count", COUNT_WHOLE, {""}},
};

/* ---- counting ---- */

/* The number that ends where the word begins: "2 tests collected", "1/2 tests collected (1 deselected)". */
static int64_t number_before(struct str line, const char *word)
{
	size_t n = strlen(word), from, to = 0;
	struct scan c;
	int64_t count;

	while (to + n <= line.n && !str_starts(str_from(line, to), word))
		to++;
	if (to + n > line.n)
		return 0;
	for (from = to; from > 0 && (ascii_is_digit(line.p[from - 1]) || line.p[from - 1] == '/'); from--)
		;
	c = scan_of(str_sub(line, from, to));
	return scan_count(&c, &count) ? count : 0;
}

static int64_t count_listed(const struct lister *row, struct str text)
{
	struct lines l = lines_of(text);
	struct str line;
	int64_t n = 0, whole;

	while (lines_next(&l, &line)) {
		struct scan c = scan_of(lines_trim(line));

		if (row->by == COUNT_WHOLE && scan_count(&c, &whole) && scan_end(&c))
			n += whole;
		for (size_t i = 0; i < ARRAY_SIZE(row->words) && row->words[i][0]; i++)
			n += row->by == COUNT_LINES ? str_starts(line, row->words[i]) :
					number_before(line, row->words[i]);
	}
	return n;
}

/* ---- choosing ---- */

/* True if the command is one call of a program with this name, or by npx. */
static bool calls(struct str command, const char *word)
{
	struct str first = str_first(command, str_end(command, ' ', 0)), rest;

	if (str_is(str_base(first), "npx")) {
		rest = str_from(command, first.n < command.n ? first.n + 1 : command.n);
		first = str_first(rest, str_end(rest, ' ', 0));
	}
	for (size_t i = 0; i < command.n; i++)
		if (strchr("|;&<>()`$\n", command.p[i]))
			return false;
	return str_is(str_base(first), word);
}

static const struct lister *lister_of(const struct run *r, const struct validation *v)
{
	const char *runner = test_reports_runner(r);

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct lister *row = &rows[i];

		if (strcmp(row->runner, runner ? runner : v->format) != 0)
			continue;
		if (!row->word[0] || (r->rq->code && calls(str_of(r->rq->code), row->word)))
			return row;
	}
	return NULL;
}

void head_listing_compare(struct arena *a, const struct run *r, const struct policies *p,
		struct validation *v)
{
	const struct lister *row = v->format ? lister_of(r, v) : NULL;
	struct run_request rq = *r->rq;
	struct test_totals ran;
	struct outcome o = {0};
	struct err e = {0};
	int64_t listed;

	if (!row || !validation_totals(v, &ran))
		return;
	rq.head_tests = true;
	rq.task = 0;
	rq.validator = rq.skill = NULL;
	rq.skilled = NULL;
	rq.background = false;
	rq.background_after = 0;
	rq.limits[LIMIT_TIME] = TIME_MS;
	if (row->setting[0])
		rq.env = arena_copy(a, (struct texts){.next = rq.env, .text = str_of(row->setting)});
	else
		rq.code = str_fmt_c(a, "%s%s", rq.code, row->arguments);
	if (helper_run(a, r, p, &rq, STR(""), &o, &e) != 0)
		return;
	listed = count_listed(row, stream_tail(a, &o.out, HELPER_OUTPUT));
	if (listed > ran.total)
		validation_suspect(a, v, NOTE_FEWER_TESTS,
				"%lld %s ran, but HEAD has %lld for this command; explain which tests are "
				"gone, and why", (long long)ran.total, ran.total == 1 ? "test" : "tests",
				(long long)listed);
}
