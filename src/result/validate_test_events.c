/*
 * Runners that print one JSON object per line and event: go test -json, and libtest's --format json. Every
 * started test must end.
 */
#include "base/json.h"
#include "result/seen.h"
#include "result/validate_test.h"

#define EVENT_SAMPLE 20 /* lines read by detection */
#define NAMES_MAX 16384 /* names of tests that are kept */

struct event { /* one event */
	char action[16], type[16];
	uint64_t key, group;
	bool has_test, bad;
	int64_t n[5]; /* libtest: passed, failed, ignored, measured, test_count; -1: not given */
};

static void copy_text(char *into, size_t n, struct str s)
{
	size_t m = s.n < n ? s.n : n - 1;

	memcpy(into, s.p, m);
	into[m] = 0;
}

static bool read_event(struct json_reader *r, struct str line, struct event *ret)
{
	static const char counts[][12] = {"passed", "failed", "ignored", "measured", "test_count"};
	struct event e = {0};
	const struct json *o;

	json_reader_again(r, line);
	o = json_only(r);
	if (!o)
		return false;
	if (json_key(o, "Action")) {
		copy_text(e.action, sizeof(e.action), json_text_at(o, "Action"));
		e.has_test = json_is(json_key(o, "Test"), JSON_STRING);
		e.group = seen_key(json_text_at(o, "Package"), STR(""));
		e.key = seen_key(json_text_at(o, "Package"), json_text_at(o, "Test"));
	} else {
		copy_text(e.action, sizeof(e.action), json_text_at(o, "event"));
		copy_text(e.type, sizeof(e.type), json_text_at(o, "type"));
		e.key = seen_key(json_text_at(o, "name"), STR(""));
	}
	for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
		const struct json *n = json_key(o, counts[i]);

		e.n[i] = json_is_int(n) ? json_int(n, 0) : -1;
		e.bad |= n && (e.n[i] < 0 || e.n[i] > COUNT_MAX);
	}
	*ret = e;
	return true;
}

static bool action_is(const struct event *e, const char *action) { return !strcmp(e->action, action); }

/* Counts events among the first lines: all of them, or a few among others. */
static int detect_events(struct str text, const char *start, const char *mark)
{
	struct lines l = lines_of(text);
	struct str line;
	size_t seen = 0, other = 0;

	for (size_t n = 0; n < EVENT_SAMPLE && lines_next(&l, &line);) {
		if (lines_blank(line))
			continue;
		n++;
		if (str_starts(line, start) && str_contains(line, str_of(mark)))
			seen++;
		else
			other++;
	}
	return !seen ? 0 : !other ? 98 : seen > other ? 75 : 0;
}

void test_keep_names(struct arena *a, const struct seen *s, struct validation *v)
{
	if (!s->n || s->n > NAMES_MAX)
		return;
	v->names = arena_array(a, s->n, sizeof(*v->names));
	for (size_t i = 0; i < s->cap; i++)
		if (s->e[i].key)
			v->names[v->nnames++] = s->e[i].key;
}

/* ---- go test -json ---- */

struct go {
	struct seen tests, packages;
	int64_t passed, failed, skipped, failed_packages, ended_packages, bad_lines;
};

static void go_event(struct go *g, const struct event *e)
{
	bool end = action_is(e, "pass") || action_is(e, "fail") || action_is(e, "skip");
	struct seen *s = e->has_test ? &g->tests : &g->packages;
	struct seen_entry *at;

	if (!strncmp(e->action, "build-", 6))
		return;
	seen_set(&g->packages, seen_get(&g->packages, e->group, NULL), true);
	if (!action_is(e, "run") && !end)
		return;
	at = seen_get(s, e->key, NULL);
	if (!e->has_test) {
		seen_set(s, at, false);
		g->ended_packages++;
		g->failed_packages += action_is(e, "fail");
		return;
	}
	seen_set(s, at, !end);
	g->passed += action_is(e, "pass");
	g->failed += action_is(e, "fail");
	g->skipped += action_is(e, "skip");
}

static void read_go(struct str text, struct go *g)
{
	struct lines l = lines_of(text);
	struct json_reader reader;
	struct str line;
	struct event e;

	json_reader_init(&reader, g->tests.a, STR(""), JSON_STRICT);
	while (lines_next(&l, &line)) {
		if (str_starts(line, "FAIL\t") && str_ends(line, " failed]"))
			g->failed_packages++, g->ended_packages++;
		else if (line.n && line.p[0] == '{' && read_event(&reader, line, &e))
			go_event(g, &e);
		else if (line.n && line.p[0] == '{')
			g->bad_lines++;
	}
}

int gotest_json_detect(const struct validate_input *in)
{
	return detect_events(in->out, "{", "\"Action\":");
}

void gotest_json_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct go g = {.tests.a = a, .packages.a = a};
	bool failed;

	read_go(in->out, &g);
	failed = g.failed_packages || g.failed;
	test_keep_names(a, &g.tests, v);
	validation_count(a, v, "packages", g.ended_packages);
	validation_count(a, v, "failed_packages", g.failed_packages);
	validation_count(a, v, "passed", g.passed);
	validation_count(a, v, "failed", g.failed);
	validation_count(a, v, "skipped", g.skipped);
	if (g.tests.full || g.packages.full) {
		validation_unsure(a, v, NOTE_TOO_LARGE,
				"there are more tests than can be followed; run fewer packages at a time");
		return;
	}
	if (g.bad_lines)
		validation_note(a, v, NOTE_MALFORMED_REPORT, false,
				"%lld lines look like events and cannot be read; run it again",
				(long long)g.bad_lines);
	if (g.packages.open || !g.ended_packages) {
		test_unfinished(a, v, "a package has no end");
		return;
	}
	if (g.tests.open && !failed)
		validation_note(a, v, NOTE_UNFINISHED_TESTS, false,
				"%zu tests started and never ended; one of them may end the process",
				g.tests.open);
	if (g.failed && !g.failed_packages)
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"a test failed and its package did not, which cannot be; run it again");
	if (!failed && !g.passed && !g.skipped)
		test_none(a, v);
	else if (!failed && !g.passed)
		test_skipped(a, in, v);
	else
		test_result(a, in, v, failed);
}

/* ---- libtest --format json ---- */

struct rust {
	struct seen tests;
	int64_t passed, failed, ignored, measured, test_failed, started;
	int64_t want;        /* tests of the open suite */
	size_t suites, ends;
	bool open, bad_order, bad_count, bad_number, says_fail;
	int64_t bad_lines;
};

static void rust_suite(struct rust *r, const struct event *e)
{
	if (action_is(e, "started")) {
		r->bad_order |= r->open;
		r->open = true;
		r->suites++;
		r->want = e->n[4];
		return;
	}
	if (!action_is(e, "ok") && !action_is(e, "failed"))
		return;
	r->bad_order |= !r->open;
	r->open = false;
	r->ends++;
	r->says_fail |= action_is(e, "failed");
	if (e->n[0] < 0 || e->n[1] < 0 || e->n[2] < 0 || e->n[3] < 0 || e->bad) {
		r->bad_number = true;
		return;
	}
	r->bad_count |=
		e->n[0] + e->n[1] + e->n[2] + e->n[3] != r->want || action_is(e, "ok") != (e->n[1] == 0);
	r->passed += e->n[0];
	r->failed += e->n[1];
	r->ignored += e->n[2];
	r->measured += e->n[3];
}

static void rust_event(struct rust *r, const struct event *e)
{
	if (!strcmp(e->type, "suite")) {
		rust_suite(r, e);
	} else if (!strcmp(e->type, "test")) {
		seen_set(&r->tests, seen_get(&r->tests, e->key, NULL), action_is(e, "started"));
		r->test_failed += action_is(e, "failed");
	}
}

int libtest_json_detect(const struct validate_input *in)
{
	int n = detect_events(in->out, "{", "\"type\": \"suite\""),
			m = n ? n : detect_events(in->out, "{ \"type\":", "\"event\":");

	return m;
}

void libtest_json_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct rust r = {.tests.a = a};
	struct lines l = lines_of(in->out);
	struct json_reader reader;
	struct str line;
	struct event e;
	bool failed;

	json_reader_init(&reader, a, STR(""), JSON_STRICT);
	while (lines_next(&l, &line))
		if (line.n && line.p[0] == '{') {
			if (read_event(&reader, line, &e))
				rust_event(&r, &e);
			else
				r.bad_lines++;
		}
	failed = r.failed || r.says_fail;
	test_keep_names(a, &r.tests, v);
	validation_count(a, v, "passed", r.passed);
	validation_count(a, v, "failed", r.failed);
	validation_count(a, v, "ignored", r.ignored);
	if (r.tests.full) {
		test_too_many(a, v);
		return;
	}
	if (r.bad_lines)
		validation_note(a, v, NOTE_MALFORMED_REPORT, false,
				"%lld lines look like events and cannot be read; run it again",
				(long long)r.bad_lines);
	if (r.open || !r.ends) {
		test_unfinished(a, v, "a suite has no end");
		return;
	}
	if (r.bad_order)
		validation_note(a, v, NOTE_TWO_SUMMARIES, false,
				"the starts and ends of suites do not come in pairs, so a test may have "
				"printed some; run without --nocapture");
	if (r.bad_number)
		validation_note(a, v, NOTE_BAD_NUMBER, false,
				"a number of a suite's end is missing, negative or too large; run it again");
	if (r.bad_count || (r.test_failed != r.failed))
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"the end of a suite does not account for its tests; run it again without "
				"--nocapture");
	if (r.tests.open && !failed)
		validation_note(a, v, NOTE_UNFINISHED_TESTS, false, "%zu tests started and never ended",
				r.tests.open);
	if (!failed && r.passed + r.measured == 0 && r.ignored == 0)
		test_none(a, v);
	else if (!failed && r.passed + r.measured == 0)
		test_skipped(a, in, v);
	else
		test_result(a, in, v, failed);
}
