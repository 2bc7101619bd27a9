/*
 * What validating a report of a megabyte costs beside jansson's parse of the same bytes (a line at a time where the format is lines). Prints for each
 * format the ratio of the medians; the goal is 2.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/json.h"
#include "result/validate.h"

#define SIZE ((size_t)1 << 20)
#define ROUNDS 15
#define GOAL 2.0

static const struct report {
	const char *task, *format;
	const char *head, *row, *between, *tail; /* row: %zu is its number */
	bool lines;
	int exit_code;
	const char *schema;
} reports[] = {
	{"test", "go-test-json", "", "{\"Time\":\"2026-01-01T00:00:00Z\",\"Action\":\"pass\",\"Package\":\"m\",\"Test\":\"Test%zu\",\"Elapsed\":0}", "\n",
	 "\n{\"Action\":\"pass\",\"Package\":\"m\",\"Elapsed\":1}\n", true, 0, NULL},
	{"lint", "eslint-json", "[", "{\"filePath\":\"/w/f%zu.js\",\"messages\":[{\"ruleId\":\"no-undef\",\"severity\":2,\"message\":\"'x' is not defined.\",\"line\":2,\"column\":1}],"
	 "\"errorCount\":1,\"fatalErrorCount\":0,\"warningCount\":0}", ",", "]", false, 1, NULL},
	{"typecheck", "cargo-json", "", "{\"reason\":\"compiler-message\",\"message\":{\"level\":\"warning\",\"message\":\"unused variable %zu\",\"spans\":[{\"line_start\":1}]}}", "\n",
	 "\n{\"reason\":\"build-finished\",\"success\":true}\n", true, 0, NULL},
	{"data", "json", "[", "{\"id\":%zu,\"name\":\"somebody\",\"amount\":2.5,\"note\":null}", ",", "]", false, 0, NULL},
	{"data", "jsonl", "", "{\"id\":%zu,\"name\":\"somebody\",\"amount\":2.5,\"note\":null}", "\n", "\n", true, 0, NULL},
	{"json", "json", "[", "{\"id\":%zu,\"name\":\"somebody\",\"amount\":2.5,\"note\":null}", ",", "]", false, 0,
	 "{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/row\"},\"$defs\":{\"row\":{\"type\":\"object\",\"required\":[\"id\",\"name\"],\"properties\":{\"id\":{\"type\":\"integer\","
	 "\"minimum\":0},\"name\":{\"type\":\"string\",\"pattern\":\"^[a-z]+$\",\"maxLength\":10},\"amount\":{\"type\":\"number\"},\"note\":{\"type\":[\"string\",\"null\"]}},"
	 "\"additionalProperties\":false}}}"},
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static struct str make(struct arena *a, const struct report *r)
{
	struct buf b;
	buf_init(&b, a, 0);
	buf_c(&b, r->head);
	for (size_t i = 0; b.n < SIZE; i++) {
		const char *at = strstr(r->row, "%zu");
		buf_c(&b, i ? r->between : "");
		buf_add(&b, r->row, (size_t)(at - r->row));
		buf_fmt(&b, "%zu", i);
		buf_c(&b, at + 3);
	}
	buf_c(&b, r->tail);
	return buf_view(&b);
}

static void parse(struct str text, bool lines)
{
	for (size_t at = 0; at < text.n;) {
		ptrdiff_t end = lines ? str_find(text, '\n', at) : -1;
		size_t to = end < 0 ? text.n : (size_t)end;
		json_t *v = NULL;
		if (to > at && json_load_strict(str_sub(text, at, to), &v, NULL) < 0)
			exit(1);
		json_decref(v);
		at = to + 1;
	}
}

static bool measure(const struct report *r)
{
	double theirs[ROUNDS], ours[ROUNDS];
	struct arena kept;
	struct validation v = {0};
	arena_init(&kept, ARENA_CAP_DEFAULT);
	struct str text = make(&kept, r);
	struct validate_input in = {.task = r->task, .out = text, .exit_code = r->exit_code, .status = r->exit_code ? STATUS_EXIT_NONZERO : STATUS_OK};
	if (r->schema)
		in.schema = str_of(r->schema);
	for (size_t i = 0; i < ROUNDS; i++) {
		struct arena a;
		double start = now();
		parse(text, r->lines);
		double middle = now();
		arena_init(&a, ARENA_CAP_DEFAULT);
		validate(&a, &in, &v);
		arena_free(&a);
		theirs[i] = middle - start;
		ours[i] = now() - middle;
	}
	qsort(theirs, ROUNDS, sizeof *theirs, by_value);
	qsort(ours, ROUNDS, sizeof *ours, by_value);
	bool ok = v.validity == VALIDITY_VALID && v.format && !strcmp(v.format, r->format);
	printf("  %-10s %-12s %.2f (goal %.0f)%s\n", r->task, r->format, ours[ROUNDS / 2] / theirs[ROUNDS / 2], GOAL, ok ? "" : "  NOT VALID: nothing was measured");
	arena_free(&kept);
	return ok;
}

int main(void)
{
	bool ok = true;
	puts("validate: a report of 1 MB / jansson's parse of it (medians of CPU time)");
	for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++)
		ok &= measure(&reports[i]);
	return !ok;
}
