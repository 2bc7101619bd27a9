/*
 * Reports of test runners, out of band. Any test can print a runner's summary; most runners can also write a
 * report to a file. For the task `test`, a variable or arguments of the command request it, and the file is a
 * pipe that leads out of the box.
 *
 *     spec_ask_test_reports() -> asked: rows, paths, variables of the spec -> test_reports_start(), the run,
 *     test_reports_end() -> asked[i].text -> test_reports_judge()
 *
 * A report proves (docs/validators.md) that the runner finished and counted. It proves no more: a test inside
 * the runner's process can do everything that the runner can, including writing its own report.
 */
#pragma once
#include "run/run.h"
#include "sys/collect.h"

#define TEST_REPORT_MAX ((size_t)16 << 20)
#define TEST_REPORT_DOCUMENTS_MAX 64 /* reports in one pipe, if the runner ran several times */

struct test_runner;

struct test_report {
	struct test_report *next;
	const struct test_runner *row;
	struct str path;           /* path of the pipe on the host */
	struct str text;           /* bytes read from the pipe */
	bool large;                /* the report exceeds TEST_REPORT_MAX */
};

/* Returns the row with this file name in the box, or NULL. */
const struct test_runner *test_runner(struct str file);
/* Returns the printed format of a runner that wrote a report, or NULL. */
const char *test_reports_runner(const struct run *r);
/* Creates the pipes, if reports are requested. */
int test_reports_start(struct arena *a, const struct run *r, struct collector *ret, struct err *e);
void test_reports_end(const struct run *r, struct collector *c);
/*
 * Combines the reports with the printed output: v is the validators' result for the output, and becomes the
 * result for both.
 */
void test_reports_judge(struct arena *a, const struct run *r, const struct outcome *o, struct validation *v);
