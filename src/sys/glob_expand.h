/*
 * Expands file name patterns in the real file system like a shell without options: * ? [..] in each
 * component, a leading dot only where the pattern has one, ** like *. A backslash makes the next byte
 * literal. Matches are in byte order.
 *
 * `more` is set if the list may be incomplete:
 * - a bound was reached;
 * - a directory was unreadable for a reason that would not stop the shell;
 * - the pattern depends on the locale or on extglob;
 * - the pattern reaches into /proc, which differs for each process.
 *
 * ".*" also matches "." and "..", as in dash and in bash before 5.2.
 */
#pragma once
#include "sys/path.h"

#define GLOB_MATCHES_MAX 2048
#define GLOB_ENTRIES_MAX 20000 /* directory entries read plus directories opened, for one pattern */
#define GLOB_DEPTH_MAX 64      /* components with active characters, and those between them */

void glob_expand(struct path_memo *m, struct str pattern, struct glob_answer *ret);
/*
 * Returns 1 if the name matches one component of a pattern, 0 if not, -1 if that depends on the locale. The
 * caller handles a leading dot.
 */
int glob_match(struct str pattern, struct str name);
