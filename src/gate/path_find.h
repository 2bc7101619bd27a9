/*
 * The files that a find command selects: -name '*.o' -delete leaves most of a project alone, and -name '*'
 * does not. Git's own files count as selected unless the expression excludes them.
 */
#pragma once
#include "gate/judge.h"

/* Returns the index of the last word of -exec's command, which belongs to another command; else k. */
size_t find_skip(const struct command *c, size_t k);
/*
 * True if every alternative has a test that excludes something. `rewritten`: find changes what the files
 * hold; then only a test on the name, or a start path beside .git, keeps git's own files out.
 */
bool find_chooses(const struct command *c, bool rewritten);
/*
 * True if the whole expression excludes git's files: -not -path './.git/STAR' without alternatives, or -path
 * ./.git -prune before the only alternative.
 */
bool find_spares_git(const struct command *c);
/* True if a test selects git's own files by name, and not only by stars. */
bool find_names_git(const struct command *c);
