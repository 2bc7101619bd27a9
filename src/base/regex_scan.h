/*
 * Parses a regular expression without compiling it; internal to base/regex.
 *
 * The subset: literals, `.`, `^`, `$`, \d \D \s \S \w \W \b \B, \n \t \r \f, escaped punctuation, classes of
 * ASCII characters and ranges, (...) and (?:...), `|`, the quantifiers * + ? {m} {m,} {m,n} with their lazy
 * forms, and (?i) at the very start. PCRE2 accepts everything in the subset. A pattern outside the subset may
 * also be valid, but PCRE2 has to decide.
 */
#pragma once
#include "base/str.h"

#define REGEX_LITERALS_MAX 16      /* alternatives in one set */
#define REGEX_LITERAL_MAX 32       /* bytes of a literal that are searched for */
#define REGEX_SCAN_DEPTH_MAX 24    /* nesting depth of groups */
#define REGEX_SCAN_REPEAT_MAX 1000 /* numbers in {m,n} */
#define REGEX_SCAN_SIZE_MAX 24000  /* estimated bytes of the compiled form; PCRE2's bound is 64 KiB */

/* Every match contains one of these literals; n = 0: not known. */
struct regex_literals {
	unsigned n;
	struct {
		uint16_t at; /* offsets in the pool */
		uint16_t n;
	} lit[REGEX_LITERALS_MAX];
};

struct regex_scan {
	bool nocase; /* by flag or (?i); literals are then in lower case and ASCII */
	bool nested; /* repeats a part that can itself match in several ways */
	struct regex_literals must;
};

/* Size of the pool for a pattern of n bytes: each literal is written at most twice. */
#define REGEX_POOL(n) (2 * (n))

/*
 * True if the pattern is in the subset; otherwise *ret is undefined. The pool has REGEX_POOL(pattern.n)
 * bytes.
 */
bool regex_scan(struct str pattern, bool nocase, char *pool, struct regex_scan *ret);
