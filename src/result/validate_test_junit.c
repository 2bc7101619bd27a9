/*
 * JUnit XML, with a small parser of our own: elements, attributes, comments, CDATA. Document types and
 * entities are rejected. Nodes are counted; attributes of a suite are only compared, because runners disagree
 * about their meaning.
 */
#define _GNU_SOURCE
#include "result/seen.h"
#include "result/validate_test.h"

#define XML_DEPTH_MAX 64
#define XML_ATTRIBUTES_MAX 256
#define NAMES_MAX 16384 /* names of tests that are kept */

struct xml {
	struct str s;
	size_t at;
	const char *why; /* error; NULL: none so far */
};

struct tag {
	struct str name;
	bool close, empty;
	int64_t tests; /* attributes; -1: absent */
	bool failures; /* a failures="" or errors="" attribute is not 0 */
	bool bad_number;
	struct str title, type, of; /* name="", type="" and classname="" */
	bool not_run;  /* a case: status="notrun", result="suppressed" */
};

enum { NODE_OTHER, NODE_SUITES, NODE_SUITE, NODE_CASE };

struct junit {
	int64_t cases, failed, errors, skipped;
	int64_t nameless;     /* cases without a name: pytest writes one for a test that never ended */
	int64_t files;        /* passed cases that are test files, not tests (node) */
	int64_t said, inside; /* sum of tests="" of the outermost suites, and their actual number */
	bool said_any, bad_number, said_failed;
	struct str names[XML_DEPTH_MAX];
	int kinds[XML_DEPTH_MAX];
	size_t depth, suites;
	int mark;        /* outcome of the open case so far: 1 skipped, 2 failed, 3 error */
	bool todo;       /* the open case may fail */
	struct arena *a;
	uint64_t *tests; /* hashes of the names of cases */
	size_t ntests, cap;
	int64_t outside; /* errors outside any case */
	bool root;   /* the root occurred; closed once depth is 0 */
};

static bool skip_past(struct xml *x, const char *end)
{
	const char *p = memmem(x->s.p + x->at, x->s.n - x->at, end, strlen(end));

	if (!p) {
		x->why = "it ends in the middle";
		return false;
	}
	x->at = (size_t)(p - x->s.p) + strlen(end);
	return true;
}

static bool name_char(char c) { return ascii_is_alnum(c) || c == '-' || c == '_' || c == ':' || c == '.'; }

static struct str read_name(struct xml *x)
{
	size_t from = x->at;

	while (x->at < x->s.n && name_char(x->s.p[x->at]))
		x->at++;
	return str_sub(x->s, from, x->at);
}

static void skip_space(struct xml *x)
{
	while (x->at < x->s.n && (ascii_is_blank_or_newline(x->s.p[x->at]) ||
			x->s.p[x->at] == '\r'))
		x->at++;
}

static bool read_attribute(struct xml *x, struct tag *t)
{
	struct str name = read_name(x), value;
	struct scan c;
	int64_t n;
	char quote;
	size_t from;

	skip_space(x);
	if (!name.n || x->at + 1 >= x->s.n || x->s.p[x->at] != '=') {
		x->why = "an attribute is malformed";
		return false;
	}
	x->at++;
	skip_space(x);
	quote = x->at < x->s.n ? x->s.p[x->at] : 0;
	if (quote != '"' && quote != '\'') {
		x->why = "an attribute has no quotes";
		return false;
	}
	from = ++x->at;
	if (!skip_past(x, (char[]){quote, 0}))
		return false;
	value = str_sub(x->s, from, x->at - 1);
	if (str_is_any(name, "tests failures errors skipped")) {
		c = scan_of(value);
		if (!scan_count(&c, &n) || !scan_end(&c))
			t->bad_number = true;
		else if (str_is(name, "tests"))
			t->tests = n;
		else if (!str_is(name, "skipped"))
			t->failures |= n > 0;
	}
	if (str_is(name, "name"))
		t->title = value;
	else if (str_is(name, "type"))
		t->type = value;
	else if (str_is(name, "classname"))
		t->of = value;
	else if (str_is_any(name, "status result"))
		t->not_run |= str_is_any(value, "notrun disabled suppressed");
	return true;
}

/* Parses the tag at '<'. */
static bool read_tag(struct xml *x, struct tag *ret)
{
	struct tag t = {.tests = -1};

	x->at++;
	if (x->at < x->s.n && x->s.p[x->at] == '/') {
		t.close = true;
		x->at++;
	}
	t.name = read_name(x);
	if (!t.name.n) {
		x->why = "a tag has no name";
		return false;
	}
	for (size_t n = 0; n < XML_ATTRIBUTES_MAX; n++) {
		skip_space(x);
		if (x->at >= x->s.n) {
			x->why = "it ends in the middle of a tag";
			return false;
		}
		if (x->s.p[x->at] == '/') {
			t.empty = true;
			x->at++;
		} else if (x->s.p[x->at] == '>') {
			x->at++;
			*ret = t;
			return true;
		} else if (!read_attribute(x, &t)) {
			return false;
		}
	}
	x->why = "a tag has too many attributes";
	return false;
}

/* A case has one outcome: the worst one it names. */
static void mark_case(struct junit *j, int to)
{
	int64_t *of[] = {NULL, &j->skipped, &j->failed, &j->errors};

	if (to <= j->mark || j->todo)
		return;
	if (j->mark)
		--*of[j->mark];
	++*of[to];
	j->mark = to;
}

static void add_name(struct junit *j, uint64_t key)
{
	if (j->ntests == NAMES_MAX)
		return;
	j->tests = arena_room(j->a, j->tests, j->ntests, &j->cap, sizeof(*j->tests));
	j->tests[j->ntests++] = key;
}

/* Handles a node inside the open one. */
static void count_case(struct junit *j, const struct tag *t, int kind)
{
	int parent = j->depth ? j->kinds[j->depth - 1] : NODE_OTHER;
	bool failure = str_is(t->name, "failure"), error = str_is(t->name, "error"),
			skip = str_is(t->name, "skipped");

	j->bad_number |= t->bad_number && kind != NODE_OTHER;
	j->said_failed |= t->failures && (kind == NODE_SUITE || kind == NODE_SUITES);
	if (kind == NODE_SUITE) {
		j->suites++;
		if (t->tests >= 0 && parent != NODE_SUITE) {
			j->said += t->tests;
			j->said_any = true;
		}
	}
	if (kind == NODE_CASE) {
		j->cases++;
		j->inside += parent == NODE_SUITE;
		j->mark = 0;
		j->todo = false;
		j->nameless += !t->title.n;
		add_name(j, seen_key(t->of, t->title));
		j->files += t->empty && parent == NODE_SUITES && test_is_file(t->title);
		if (t->not_run)
			mark_case(j, 1);
	}
	/* warning of PHPUnit: nothing was tested; a risky test of it has passed */
	if (parent == NODE_CASE && !(error && str_ends(t->type, "RiskyTestError")))
		mark_case(j, error ? 3 : failure ? 2 : skip || str_is(t->name, "warning") ? 1 : 0);
	if (parent == NODE_CASE && skip && str_is(t->type, "todo")) {
		if (j->mark > 1) {
			--*(j->mark == 2 ? &j->failed : &j->errors);
			j->skipped++;
			j->mark = 1;
		}
		j->todo = true; /* node: a failure of a todo does not fail the run */
	}
	if (parent == NODE_SUITE)
		j->outside += failure || error;
}

static bool put_tag(struct xml *x, struct junit *j, const struct tag *t)
{
	int kind = str_is(t->name, "testsuites") ? NODE_SUITES : str_is(t->name, "testsuite") ? NODE_SUITE :
			str_is(t->name, "testcase") ? NODE_CASE : NODE_OTHER;

	if (t->close) {
		if (!j->depth || !str_eq(j->names[j->depth - 1], t->name)) {
			x->why = "a tag closes what is not open";
			return false;
		}
		j->depth--;
		return true;
	}
	if (!j->depth && j->root) {
		x->why = "there is a second report behind it";
		return false;
	}
	j->root = true;
	count_case(j, t, kind);
	if (t->empty)
		return true;
	if (j->depth == XML_DEPTH_MAX) {
		x->why = "it is nested too deeply";
		return false;
	}
	j->names[j->depth] = t->name;
	j->kinds[j->depth++] = kind;
	return true;
}

/* 0, or -1 with x->why. */
static int read_junit(struct xml *x, struct junit *j)
{
	while (x->at < x->s.n) {
		struct tag t;
		const char *p = memchr(x->s.p + x->at, '<', x->s.n - x->at);

		if (!p || (j->root && !j->depth && str_starts(str_sub(x->s, (size_t)(p - x->s.p), x->s.n),
				"<?")))
			break;
		x->at = (size_t)(p - x->s.p);
		if (str_starts(str_sub(x->s, x->at, x->s.n), "<!--")) {
			if (!skip_past(x, "-->"))
				return -1;
		} else if (str_starts(str_sub(x->s, x->at, x->s.n), "<![CDATA[")) {
			if (!skip_past(x, "]]>"))
				return -1;
		} else if (str_starts(str_sub(x->s, x->at, x->s.n), "<?")) {
			if (!skip_past(x, "?>"))
				return -1;
		} else if (str_starts(str_sub(x->s, x->at, x->s.n), "<!")) {
			x->why = "it declares a document type or entities, which no report needs";
			return -1;
		} else if (!read_tag(x, &t) || !put_tag(x, j, &t)) {
			return -1;
		}
	}
	if (j->depth || !j->root) {
		x->why = "it ends in the middle";
		return -1;
	}
	return 0;
}

static struct str junit_text(const struct validate_input *in)
{
	return str_contains(in->out, STR("<testsuite")) ? in->out : in->err;
}

/* Returns the start of the report: its declaration or its outermost element. */
static size_t junit_start(struct str s)
{
	const char *p = s.n ? memmem(s.p, s.n, "<testsuite", 10) : NULL,
			*d = s.n ? memmem(s.p, s.n, "<?xml", 5) : NULL;

	if (!p)
		return s.n;
	return d && d < p ? (size_t)(d - s.p) : (size_t)(p - s.p);
}

int junit_detect(const struct validate_input *in)
{
	struct str s = junit_text(in);
	size_t at = junit_start(s);

	if (at == s.n)
		return 0;
	if (str_starts(s, "\xEF\xBB\xBF") && at == 3)
		return 98;
	for (size_t i = 0; i < at; i++)
		if (s.p[i] != ' ' && s.p[i] != '\n' && s.p[i] != '\r' && s.p[i] != '\t')
			return at && s.p[at - 1] == '\n' ? 60 : 20;
	return 98;
}

void junit_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct str s = junit_text(in);
	struct xml x = {.s = s, .at = junit_start(s)};
	struct junit *j = arena_new(a, struct junit);
	bool failed;

	j->a = a;
	if (read_junit(&x, j) < 0) {
		validation_note(a, v, NOTE_MALFORMED_REPORT, false,
				"the report cannot be read: %s; do not guess from it: make it again", x.why);
		return;
	}
	failed = j->failed || j->errors || j->outside;
	if (j->ntests < NAMES_MAX) {
		v->names = j->tests;
		v->nnames = j->ntests;
	}
	validation_count(a, v, "total", j->cases);
	validation_count(a, v, "passed", j->cases - j->failed - j->errors - j->skipped);
	validation_count(a, v, "failed", j->failed);
	validation_count(a, v, "errors", j->errors + j->outside);
	validation_count(a, v, "skipped", j->skipped);
	if (j->bad_number)
		/* mocha writes skipped="-1" after a failed hook: harmless next to a failure */
		validation_note(a, v, NOTE_BAD_NUMBER, failed,
				"a count of a suite is negative, too large or not a number%s",
				failed ? "; the nodes were counted" :
				"; do not use the report: make it again");
	if (j->said_any && j->said != j->inside)
		validation_note(a, v, NOTE_ATTRIBUTES_DISAGREE, true,
				"the suites say tests=\"%lld\", but hold %lld; the nodes were counted",
				(long long)j->said, (long long)j->inside);
	if (!failed && j->said_failed) /* jest has no node for a file that does not load */
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"the suites say that something failed, and hold no failure; do not use the "
				"report: read the output, and make it again");
	if (j->nameless && !failed)
		validation_note(a, v, NOTE_INTERRUPTED, false,
				"the report has a test without a name, as pytest writes it for a test "
				"that never "
				"ended; find what ends the run");
	test_files(a, v, j->files, j->cases);
	if (!failed && j->cases - j->files == 0)
		test_none(a, v);
	else if (!failed && j->skipped >= j->cases - j->files)
		test_skipped(a, in, v);
	else if (failed && in->exit_code == 0)
		v->result = RESULT_FAIL; /* another command printed the report from a file */
	else
		test_result(a, in, v, failed);
}
