/*
 * Regular expressions of user rules: PCRE2 with the semantics of JavaScript, and a bound on everything.
 *
 * As in JavaScript: `^` and `$` are the subject's ends, `.` is anything but a newline, `[]` matches nothing,
 * `[^]` anything, \uXXXX and \xXX are characters, and a back-reference to a group that took no part matches
 * the empty string. \s, \w, \d and \b know ASCII only.
 *
 * Lazy compilation. A pattern in a plain subset of the syntax is known to be valid without compiling it, and
 * most of these patterns have literals of which every match contains one (base/regex_scan.h). Such a pattern
 * is compiled, once, when a subject contains one of its literals. regex_new() compiles all other patterns, so
 * that a mistake is always found at load. Scanning instead of compiling saves 13 % of a check whose policy
 * has 100 regular expressions (bench/versus.py).
 *
 * Ownership: a regex and its compiled form live in the arena. Matching may compile the pattern, so threads
 * must not share a regex.
 */
#pragma once
#include "base/str.h"

#define REGEX_PATTERN_MAX 4096             /* bytes of a pattern */
#define REGEX_CODE_MAX ((size_t)128 << 10) /* bytes of a compiled pattern */
#define REGEX_NEST_MAX 100                 /* nesting depth of parentheses */
/*
 * Backtracking steps from one starting point. A pattern that repeats a varying group can take exponential
 * time; it gets only the first number.
 */
#define REGEX_STEPS_BASE 20000
#define REGEX_STEPS_PER_BYTE 2
#define REGEX_DEPTH_MAX 200000 /* backtracking points */
#define REGEX_HEAP_MAX_KIB 32768
/*
 * Budget of one match over all starting points, in characters read; one step of the matcher costs
 * REGEX_WORK_STEP.
 */
#define REGEX_WORK_BASE 2000000
#define REGEX_WORK_PER_BYTE 64
#define REGEX_WORK_STEP 16
#define REGEX_WORK_CALL 128 /* fixed cost of a match */

enum regex_flags { REGEX_NOCASE = 1 };

/*
 * REGEX_LIMIT: a bound is exhausted, so the answer is unknown. Rules that deny or ask treat it as a match,
 * rules that allow as none.
 */
enum regex_answer { REGEX_NO = 0, REGEX_YES, REGEX_LIMIT };

struct regex;

/*
 * Checks the pattern and copies it. -1 with ERR_CONFIG if it is not a regular expression: the text names the
 * error and its byte offset. *ret_offset (may be NULL) is the same offset, the only output set on failure.
 * Leaves the arena_run if the arena is full.
 */
int regex_new(struct arena *a, struct str pattern, unsigned flags, struct regex **ret, size_t *ret_offset,
		struct err *e);

/*
 * REGEX_YES if the subject has a match anywhere. Invalid UTF-8 counts as U+FFFD, which `.` and `[^x]` match,
 * so it hides nothing; a caller with many patterns for one invalid subject should call utf8_repair() once
 * first. Never leaves an arena_run: a full arena is REGEX_LIMIT.
 */
enum regex_answer regex_match(struct regex *r, struct str subject);

/*
 * The same; with REGEX_YES the first match is subject[*ret_start, *ret_end). Charges *work, a budget in the
 * units of REGEX_WORK_BASE that many calls share. Below zero it is exhausted, and the answer may be
 * REGEX_LIMIT (true for regex_begins_within) for that reason alone.
 */
enum regex_answer regex_find_within(struct regex *r, struct str subject, size_t *ret_start, size_t *ret_end,
		int64_t *work);
/*
 * True if a match is in the subject, or could start in it and continue after its end. For texts of which only
 * the beginning is known.
 */
bool regex_begins_within(struct regex *r, struct str subject, int64_t *work);

struct str regex_pattern(const struct regex *r);
/* For tests: true once the pattern is compiled. */
bool regex_is_compiled(const struct regex *r);
