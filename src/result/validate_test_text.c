/*
 * Test runners that print text: the rows, and helpers of all test runners. Tests can forge text, so it is
 * weak evidence.
 */
#include "result/validate_test.h"

const struct validator validators_test_text[] = {
	{TASK_TEST, "pytest", EVIDENCE_PRINTED, pytest_detect, .check = pytest_check},
	{TASK_TEST, "unittest", EVIDENCE_PRINTED, unittest_detect, .check = unittest_check},
	{TASK_TEST, "libtest", EVIDENCE_PRINTED, libtest_detect, .check = libtest_check},
	{TASK_TEST, "go-test", EVIDENCE_PRINTED, gotest_detect, .check = gotest_check},
	{TASK_TEST, "node", EVIDENCE_PRINTED, node_detect, .check = node_check},
	{0},
};

void test_result(struct arena *a, const struct validate_input *in, struct validation *v, bool failed)
{
	v->result = failed ? RESULT_FAIL : RESULT_PASS;
	if (in->exit_code < 0)
		validation_note(a, v, NOTE_EXIT_UNKNOWN, true,
				"the exit code is not known, so it could not be compared with the summary");
	else if (failed && in->exit_code == 0)
		validation_note(a, v, NOTE_EXIT_MISMATCH, false,
			"the output says that tests failed, but the exit code is 0; a pipe or a later "
			"command may hide the runner's own, so run the tests alone");
	else if (!failed && in->exit_code != 0)
		validation_note(a, v, NOTE_EXIT_MISMATCH, false,
			"the output says that all tests passed, but the exit code is %d; find out what "
			"failed after or beside the tests, and do not report success", in->exit_code);
}

bool test_is_file(struct str name)
{
	static const char ends[][8] = {".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"};

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if (str_starts(name, "/") && str_ends(name, ends[i]))
			return true;
	return false;
}

void test_files(struct arena *a, struct validation *v, int64_t files, int64_t total)
{
	if (files && files < total)
		validation_note(a, v, NOTE_FILE_WITHOUT_TESTS, true,
				"%lld of %lld counted tests are files without tests, or files that end the "
				"process; look into them", (long long)files, (long long)total);
}

void test_none(struct arena *a, struct validation *v)
{
	validation_note(a, v, NOTE_NO_TESTS, false,
			"no test ran, so this is no success; check the path, the filter and the names of "
			"the tests, and run them again");
}

void test_skipped(struct arena *a, const struct validate_input *in, struct validation *v)
{
	test_result(a, in, v, false);
	v->result = RESULT_NONE;
	validation_note(a, v, NOTE_ALL_SKIPPED, true,
			"every test was skipped, so nothing was shown; do not report it as a pass");
}

void test_dry_run(struct arena *a, struct validation *v, const char *how)
{
	validation_unsure(a, v, NOTE_DRY_RUN,
			"nothing shows that a test ran (%s), so this is no success; run the tests "
			"themselves", how);
}

void test_too_many(struct arena *a, struct validation *v)
{
	validation_unsure(a, v, NOTE_TOO_LARGE,
			"there are more tests than can be followed; run fewer at a time");
}

void test_unfinished(struct arena *a, struct validation *v, const char *what)
{
	validation_note(a, v, NOTE_NO_SUMMARY, false,
			"%s: the run ended before the runner could say how it went (a crash, or code that "
			"ends the process); find what ends it", what);
}
