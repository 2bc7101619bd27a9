/*
 * Compares validating a report of a megabyte with parsing the same bytes as JSON (line by line where the
 * format is lines). Prints the ratio of the medians for each format; the goal is 2.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/json_write.h"
#include "bench.h"
#include "result/validate.h"

#define SIZE ((size_t)1 << 20)
#define ROUNDS 15
#define GOAL 2.0

static const struct report {
	enum task task;
	const char *format;
	const char *head, *row, *between, *tail; /* row: %zu is its number */
	bool lines;
	int exit_code;
	const char *schema;
	bool wrapped; /* it is the stdout of a report of `caisson run`: both parse that */
} reports[] = {
	{TASK_TEST, "go-test-json", "",
			"{\"Time\":\"2026-01-01T00:00:00Z\",\"Action\":\"pass\",\"Package\":\"m\","
			"\"Test\":\"Test%zu\",\"Elapsed\":0}", "\n",
	 "\n{\"Action\":\"pass\",\"Package\":\"m\",\"Elapsed\":1}\n", true, 0, NULL, false},
	{TASK_LINT, "eslint-json", "[",
			"{\"filePath\":\"/w/f%zu.js\",\"messages\":[{\"ruleId\":\"no-undef\",\"severity\":2,"
			"\"message\":\"'x' is not defined.\",\"line\":2,\"column\":1}],"
	 "\"errorCount\":1,\"fatalErrorCount\":0,\"warningCount\":0}", ",", "]", false, 1, NULL, false},
	{TASK_TYPECHECK, "cargo-json", "",
			"{\"reason\":\"compiler-message\",\"message\":{\"level\":\"warning\","
			"\"message\":\"unused variable %zu\",\"spans\":[{\"line_start\":1}]}}", "\n",
	 "\n{\"reason\":\"build-finished\",\"success\":true}\n", true, 0, NULL, false},
	{TASK_DATA, "json", "[", "{\"id\":%zu,\"name\":\"somebody\",\"amount\":2.5,\"note\":null}", ",", "]",
			false, 0, NULL, false},
	{TASK_DATA, "jsonl", "",
			"{\"id\":%zu,\"name\":\"somebody\",\"amount\":2.5,\"note\":null}", "\n", "\n",
			true, 0, NULL, false},
	{TASK_JSON, "json", "[", "{\"id\":%zu,\"name\":\"somebody\",\"amount\":2.5,\"note\":null}", ",", "]",
			false, 0,
	 "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/row\"},\"$defs\":{\"row\":{\"type\":\"object\","
	 "\"required\":[\"id\",\"name\"],\"properties\":{\"id\":{\"type\":\"integer\","
	 "\"minimum\":0},\"name\":{\"type\":\"string\",\"pattern\":\"^[a-z]+$\",\"maxLength\":10},"
	 "\"amount\":{\"type\":\"number\"},\"note\":{\"type\":[\"string\",\"null\"]}},"
	 "\"additionalProperties\":false}}}", false},
	{TASK_TEST, "jest-json",
			"{\"numTotalTests\":@,\"numPassedTests\":@,\"numFailedTests\":0,"
			"\"numPendingTests\":0,\"numTodoTests\":0,\"success\":true,"
			"\"testResults\":[{\"assertionResults\":[",
	 "{\"ancestorTitles\":[],\"fullName\":\"adds %zu\",\"status\":\"passed\",\"title\":\"adds\","
			"\"duration\":1}", ",", "],\"status\":\"passed\"}]}", false, 0, NULL, false},
	{TASK_TEST, "tap", "1..@\n", "ok %zu - a test of something or other", "\n",
			"\n", false, 0, NULL, true},
	{TASK_TEST, "junit-xml",
			"<?xml version=\"1.0\"?><testsuites><testsuite name=\"s\" tests=\"@\" "
			"failures=\"0\">", "<testcase classname=\"a.b\" name=\"test_%zu\" time=\"0.001\"/>",
			"\n", "</testsuite></testsuites>\n", false, 0, NULL, true},
	{TASK_TEST, "go-test", "", "=== RUN   Test%zu\n--- PASS: TestX (0.00s)", "\n",
			"\nPASS\nok  \tm\t0.1s\n",
			false, 0, NULL, true},
	{TASK_TEST, "pytest",
			"============================= test session starts "
			"==============================\ncollected @ items\n\n", "t.py::test_%zu PASSED",
			"\n",
	 "\n============================== @ passed in 0.50s ===============================\n", false, 0,
	 NULL, true},
	{TASK_TYPECHECK, "mypy", "",
			"src/a.py:%zu: error: Incompatible types in assignment (expression has type "
			"\"str\", variable has type \"int\")  [assignment]", "\n",
			"\nFound @ errors in 1 file (checked 1 source file)\n", false, 1, NULL, true},
	{TASK_DATA, "csv", "id,name,amount,note\n", "%zu,somebody,2.5,", "\n", "\n", false, 0, NULL, true},
};

static double now(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }

/* @ is how many rows there are. */
static void put(struct buf *b, const char *text, size_t rows)
{
	for (; *text; text++)
		if (*text == '@')
			buf_fmt(b, "%zu", rows);
		else
			buf_char(b, *text);
}

/* Its text; where its beginning depends on the number of rows, it is made twice. */
static struct str make(struct arena *a, const struct report *r, size_t rows)
{
	struct buf b;
	size_t i = 0;
	buf_init(&b, a, 0);
	put(&b, r->head, rows);
	for (; rows ? i < rows : b.n < SIZE; i++) {
		const char *at = strstr(r->row, "%zu");
		buf_c(&b, i ? r->between : "");
		buf_add(&b, r->row, (size_t)(at - r->row));
		buf_fmt(&b, "%zu", i + 1);
		buf_c(&b, at + 3);
	}
	put(&b, r->tail, i);
	return rows || !strchr(r->head, '@') ? buf_view(&b) : make(a, r, i);
}

static struct str wrap(struct arena *a, struct str text)
{
	struct buf b;
	buf_init(&b, a, 0);
	buf_c(&b, "{\"status\":\"ok\",\"exit_code\":0,\"stdout\":");
	json_put_string(&b, text);
	buf_c(&b, ",\"stderr\":\"\"}\n");
	return buf_view(&b);
}

/* As caisson validate does. */
static void judge(struct arena *a, struct str report, bool wrapped, struct validate_input *in,
		struct validation *v)
{
	struct json *root;
	if (!wrapped) {
		validate_text(a, in, v);
		return;
	}
	if (json_read(a, report, &root, NULL) < 0)
		exit(1);
	in->out = str_dup(a, json_text_at(root, "stdout"));
	validate_text(a, in, v);
}

static void parse(struct arena *a, struct str text, bool lines)
{
	for (size_t at = 0; at < text.n;) {
		ptrdiff_t end = lines ? str_find(text, '\n', at) : -1;
		size_t to = end < 0 ? text.n : (size_t)end;
		struct json *v = NULL;
		if (to > at && json_read(a, str_sub(text, at, to), &v, NULL) < 0)
			exit(1);
		at = to + 1;
	}
}

static bool measure(const struct report *r)
{
	double theirs[ROUNDS], ours[ROUNDS];
	struct arena kept;
	struct validation v = {0};
	arena_init(&kept, ARENA_CAP_DEFAULT);
	struct str text = make(&kept, r, 0), report = r->wrapped ? wrap(&kept, text) : text;
	struct validate_input in = {.task = r->task, .out = text, .exit_code = r->exit_code,
			.status = r->exit_code ? STATUS_EXIT_NONZERO : STATUS_OK};
	if (r->schema)
		in.schema = str_of(r->schema);
	for (size_t i = 0; i < ROUNDS; i++) {
		struct arena a;
		double start = now();
		arena_init(&a, ARENA_CAP_DEFAULT);
		parse(&a, report, r->lines);
		arena_free(&a);
		double middle = now();
		arena_init(&a, ARENA_CAP_DEFAULT);
		judge(&a, report, r->wrapped, &in, &v);
		arena_free(&a);
		theirs[i] = middle - start;
		ours[i] = now() - middle;
	}
	bool ok = v.validity == VALIDITY_VALID && v.format && !strcmp(v.format, r->format);
	printf("  %-10s %-12s %-9s %.2f (goal %.0f)%s\n", task_name(r->task),
			r->format, r->wrapped ? "in stdout" : "",
			median(ours, ROUNDS) / median(theirs, ROUNDS), GOAL,
			ok ? "" : "  NOT VALID: nothing was measured");
	arena_free(&kept);
	return ok;
}

int main(void)
{
	bool ok = true;
	puts("validate: a report of 1 MB / reading it as JSON (medians of CPU time)");
	for (size_t i = 0; i < ARRAY_SIZE(reports); i++)
		ok &= measure(&reports[i]);
	return !ok;
}
