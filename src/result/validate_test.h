/*
 * The validators of test runners, one pair of functions for each format, and what they share. The rows are in
 * validate_test_*.c.
 */
#pragma once
#include "result/lines.h"
#include "result/validate.h"

#define VALIDATOR(name)                                                     \
	int name##_detect(const struct validate_input *in);                 \
	void name##_check(struct arena *a, const struct validate_input *in, struct validation *v)

VALIDATOR(pytest);
VALIDATOR(unittest);
VALIDATOR(libtest);
VALIDATOR(gotest);
VALIDATOR(ctest);
VALIDATOR(phpunit);
VALIDATOR(prove);
VALIDATOR(jest);
VALIDATOR(vitest);
VALIDATOR(mocha);
VALIDATOR(rspec);
VALIDATOR(node);

VALIDATOR(pytest_json);
VALIDATOR(jest_json);
VALIDATOR(mocha_json);
VALIDATOR(rspec_json);
VALIDATOR(gotest_json);
VALIDATOR(libtest_json);
VALIDATOR(tap);
VALIDATOR(junit);

/*
 * Detection reads lines only where one of its fixed words is in the output at all: a search is much cheaper.
 */
static inline bool in_either(const struct validate_input *in, const char *word)
{
	return str_contains(in->out, str_of(word)) || str_contains(in->err, str_of(word));
}
/* Says the result, and whether the exit code (when known) agrees with it: 0 if and only if nothing failed. */
void test_result(struct arena *a, const struct validate_input *in, struct validation *v, bool failed);
/* Nothing was tested, which is no success. */
void test_none(struct arena *a, struct validation *v);
/* Tests were there, and every one was skipped: consistent, and it says nothing. */
void test_skipped(struct arena *a, const struct validate_input *in, struct validation *v);
/* The runner started and never said how it ended. */
void test_unfinished(struct arena *a, struct validation *v, const char *what);
