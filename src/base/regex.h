/*
 * Regular expressions of user rules: PCRE2 with the manners of JavaScript, and a bound on everything.
 *
 * As in JavaScript: `^` and `$` are the subject's ends, `.` is anything but a newline, `[]` matches nothing,
 * `[^]` anything, \uXXXX and \xXX are characters, and a back-reference to a group that took no part matches
 * the empty string. \s, \w, \d and \b know ASCII only.
 *
 * A pattern in a plain subset of the syntax is known to be valid without compiling it, and most such patterns
 * name literals one of which is in every match (base/regex_scan.h). Only when a subject holds one of these is
 * the pattern compiled, once. All other patterns are compiled by regex_new(), so that a mistake is always
 * seen at load. Reading instead of compiling saves 13 % of a check whose policy has 100 regular expressions
 * (bench/versus.py).
 *
 * Ownership: a regex and its compiled form live in the arena. Matching may fill in the compiled form, so a
 * regex is not for several threads.
 */
#pragma once
#include "base/str.h"

#define REGEX_PATTERN_MAX 4096             /* bytes of a pattern */
#define REGEX_CODE_MAX ((size_t)128 << 10) /* bytes of a compiled pattern */
#define REGEX_NEST_MAX 100                 /* parentheses in parentheses */
/*
 * Backtracking steps from one starting point. Repeating what can match in several ways is how time explodes;
 * it gets the first number alone.
 */
#define REGEX_STEPS_BASE 20000
#define REGEX_STEPS_PER_BYTE 2
#define REGEX_DEPTH_MAX 200000 /* remembered places to come back to */
#define REGEX_HEAP_MAX_KIB 32768
/*
 * Work of one match over all starting points, in characters looked at; a step of the matcher counts as
 * REGEX_WORK_STEP of them.
 */
#define REGEX_WORK_BASE 2000000
#define REGEX_WORK_PER_BYTE 64
#define REGEX_WORK_STEP 16
#define REGEX_WORK_CALL 128 /* what a match takes before it has looked at anything */

enum regex_flags { REGEX_NOCASE = 1 };

/*
 * REGEX_LIMIT: a bound was reached, so nobody knows. For a rule that denies or asks that is a match, for one
 * that allows it is none.
 */
enum regex_answer { REGEX_NO = 0, REGEX_YES, REGEX_LIMIT };

struct regex;

/*
 * Checks the pattern and keeps a copy of it. -1 with ERR_CONFIG when it is no regular expression: the text
 * says what is wrong and at which byte, and so does *ret_offset (may be NULL; the one output that is set on
 * failure). Leaves the arena_run when the arena is full.
 */
int regex_new(struct arena *a, struct str pattern, unsigned flags, struct regex **ret, size_t *ret_offset,
		struct err *e);

/*
 * True if the subject has a match anywhere. Invalid UTF-8 counts as U+FFFD, which `.` and `[^x]` match, so it
 * hides nothing; a caller with many patterns for one such subject should call utf8_repair() once first. Never
 * leaves an arena_run: a full arena is REGEX_LIMIT.
 */
enum regex_answer regex_match(struct regex *r, struct str subject);

/*
 * The same; with REGEX_YES the first match is subject[*ret_start, *ret_end). For who has many patterns or
 * many subjects: all of them together do no more than *work, in the units of REGEX_WORK_BASE, of which each
 * takes its part. Below zero nothing is left, and an answer may be REGEX_LIMIT (true for regex_begins_within)
 * for that reason alone.
 */
enum regex_answer regex_find_within(struct regex *r, struct str subject, size_t *ret_start, size_t *ret_end,
		int64_t *work);
/*
 * Could a match start in the subject and go on in what follows it? For texts of which only the beginning is
 * known. Also true when it matches.
 */
bool regex_begins_within(struct regex *r, struct str subject, int64_t *work);

struct str regex_pattern(const struct regex *r);
/* For tests: whether the pattern has been compiled yet. */
bool regex_is_compiled(const struct regex *r);
