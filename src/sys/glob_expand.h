/*
 * File name patterns, expanded in the real file system as a shell without options would: * ? [..] in each
 * component, a leading dot only where the pattern has one, ** like *. A backslash makes the next byte
 * literal. Matches are in byte order.
 *
 * `more` is set whenever the list may not be all: a bound was reached, a directory could not be read for
 * other reasons than the shell's own, a form depends on the locale or on extglob, or the pattern looks into
 * /proc, where every process sees something else. ".*" also gives "." and "..", as it does in dash and in
 * bash before 5.2.
 */
#pragma once
#include "sys/path.h"

#define GLOB_MATCHES_MAX 2048
#define GLOB_ENTRIES_MAX 20000 /* directory entries read for one pattern, and directories opened */
#define GLOB_DEPTH_MAX 64      /* components with something active in them, and those between */

void glob_expand(struct path_memo *m, struct str pattern, struct glob_answer *ret);
/*
 * 1 the name matches one component of a pattern, 0 it does not, -1 depends on the locale. A leading dot is
 * the caller's affair.
 */
int glob_match(struct str pattern, struct str name);
