/*
 * Losses in changed test files, read from the output of `git diff -U0`: assertions that vanished, tests that
 * are newly skipped, and lines that hide a failure. By words, so it is a sign and no proof.
 */
#pragma once
#include "base/arena.h"
#include "base/str.h"

#define TEST_DIFF_FILES_MAX 64 /* names that are kept */

struct test_diff {
	struct str files[TEST_DIFF_FILES_MAX]; /* paths in the repository */
	size_t nfiles;    /* of all that changed, also of those without a name here */
	int64_t asserts;  /* lines with an assertion: those added less those removed */
	int64_t skips;    /* tests that were there and are now skipped, left early or left out */
	int64_t hiding;   /* lines that catch a failed assertion or replace one, added less removed */
	int64_t plugins;  /* lines that load plugins of a runner or set its options, added less removed */
	bool witness;     /* a new line names what runners load in the box */
};

/* True if a text names what runners load in the box, or where they write their reports. */
bool test_diff_names_witness(struct str text);
void test_diff_read(struct arena *a, struct str diff, struct test_diff *ret);
