/*
 * The validators of test runners: two functions for each format, and shared helpers. The rows are in
 * validate_test_*.c.
 */
#pragma once
#include "result/lines.h"
#include "result/validate.h"

VALIDATOR(pytest);
VALIDATOR(unittest);
VALIDATOR(libtest);
VALIDATOR(gotest);
VALIDATOR(node);

VALIDATOR(gotest_json);
VALIDATOR(libtest_json);
VALIDATOR(tap);
VALIDATOR(junit);

/* Detection parses lines only if the output contains one of its fixed words: a search is much cheaper. */
static inline bool in_either(const struct validate_input *in, const char *word)
{
	return str_contains(in->out, str_of(word)) || str_contains(in->err, str_of(word));
}
struct seen;
/* Keeps the hashes of the names of tests, so that later runs can be compared. */
void test_keep_names(struct arena *a, const struct seen *s, struct validation *v);
/* Sets the result, and checks that the exit code (if known) agrees: 0 if and only if nothing failed. */
void test_result(struct arena *a, const struct validate_input *in, struct validation *v, bool failed);
/*
 * True for the path of a file of JavaScript or TypeScript. node --test reports a file without tests, and one
 * that ends the process, as a test with the file's path as its name.
 */
bool test_is_file(struct str name);
/* Notes files that count as tests and have none, beside real tests. */
void test_files(struct arena *a, struct validation *v, int64_t files, int64_t total);
/* No tests ran, which is no success. */
void test_none(struct arena *a, struct validation *v);
/* All tests were skipped: consistent, but no result. */
void test_skipped(struct arena *a, const struct validate_input *in, struct validation *v);
/* The runner listed its tests and ran none; `how`: the sign of it. */
void test_dry_run(struct arena *a, struct validation *v, const char *how);
/* More tests than are followed: no result. */
void test_too_many(struct arena *a, struct validation *v);
/* The runner started but never reported its end. */
void test_unfinished(struct arena *a, struct validation *v, const char *what);
