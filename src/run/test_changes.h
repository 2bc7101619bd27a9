/*
 * Changes of tests, of the configuration of their runners and of CI files since the session began, or since
 * HEAD. By themselves they are information (`tests-changed` among the checks). Together with fewer tests,
 * vanished assertions or new skips they are a suspicion.
 */
#pragma once
#include "run/run.h"

/* Pathspecs of git for such files, each followed by a blank, quoted for a shell. */
struct str test_changes_paths(struct arena *a);
/*
 * Looks at a passing test run in a git repository, after result_memory_compare(). `since`: when the session
 * began, in Unix seconds; 0: not known. A helper box runs git. `compared`: an earlier run was there; without
 * one, the tests of HEAD are listed (head_listing.h).
 */
void test_changes_look(struct arena *a, const struct policies *p, int64_t since, bool compared,
		struct report *report);
