/*
 * Patterns of policies: names with stars, paths with * and **, gitignore paths. No allocation, no recursion.
 *
 * A pattern is walked as a set of positions, one step for each byte of the text, so there is no backtracking:
 * the work is at most positions times bytes, and never more than GLOB_STEPS_MAX. A pattern that is longer
 * than GLOB_PATTERN_MAX, or a text that takes more steps, gets GLOB_MAYBE: who denies asks then, who allows
 * does not.
 *
 * The text may be abstract (model/facts.h): bytes 0, 1 and 2 in it stand for any bytes, an integer, and bytes
 * without a slash. GLOB_YES means that it matches whatever stands there, GLOB_NO that it never does. For a
 * text without holes the answer is exact.
 */
#pragma once
#include "base/str.h"

#define GLOB_PATTERN_MAX 8192
#define GLOB_STEPS_MAX ((size_t)2 << 20)
#define GLOB_SETS ((GLOB_PATTERN_MAX + 2) / 64 + 1)

enum { GLOB_HOLE_ANY = 0, GLOB_HOLE_NUM = 1, GLOB_HOLE_NAME = 2 };

enum glob_match { GLOB_NO = 0, GLOB_MAYBE, GLOB_YES };

enum {
	/*
	 * * ? and [..] do not match a slash, ** does, backslash makes literal. Without it only * is special
	 */
	GLOB_PATH = 1,
	GLOB_GIT = 2,     /* with GLOB_PATH: ** is special only as a whole component, as in .gitignore */
	GLOB_FOLD = 4,    /* ASCII letters match in either case */
	GLOB_BELOW = 8,   /* what matches may be followed by a slash and anything */
	GLOB_WORDS = 16,  /* what matches may be followed by a blank and anything */
	GLOB_ESCAPE = 32, /* without GLOB_PATH: a backslash makes a star or a backslash after it literal */
};

/* A match under way: for texts that come in pieces. */
struct glob {
	struct str pattern;
	unsigned flags;
	bool exact;  /* no hole so far: `must` is not kept yet */
	bool gave_up;
	size_t steps;
	size_t sets; /* words of a set in use */
	uint64_t may[GLOB_SETS], must[GLOB_SETS]; /* positions reached by some, by every value of the holes */
};

void glob_start(struct glob *g, struct str pattern, unsigned flags);
void glob_feed(struct glob *g, struct str text);
/* Any number of further words, also none, each after a blank. */
void glob_feed_rest(struct glob *g);
/*
 * Any number of further words, each after a blank; the first starts with these bytes, or with anything but a
 * dash if there are none.
 */
void glob_feed_names(struct glob *g, struct str start);
enum glob_match glob_end(const struct glob *g);

/* The whole of an abstract text against a pattern. */
enum glob_match glob_may(struct str pattern, struct str text, unsigned flags);
/* Names of tools, hosts, calls: * is any bytes, nothing else is special. */
bool glob_name(struct str pattern, struct str text);
/* Paths: * ? [..] within a component, ** across components. True only for a sure match. */
bool glob_path(struct str pattern, struct str path, unsigned flags);
/*
 * A line of .gitignore in the directory `dir` against an absolute path: without a slash in its middle it
 * matches at any depth, a slash at its start anchors it, one at its end means a directory (which the path
 * itself may or may not be: GLOB_MAYBE); what is below a match matches. `dir` is "" when it is not known: any
 * may be it, so nothing is sure. There is no negation here. GLOB_FOLD is the only flag.
 */
enum glob_match gitignore_below(struct str dir, struct str pattern, struct str path, unsigned flags);
