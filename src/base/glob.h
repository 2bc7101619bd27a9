/*
 * Glob patterns of policies: names with stars, paths with * and **, gitignore paths. No allocation, no
 * recursion.
 *
 * The matcher keeps a set of pattern positions and makes one step per byte of the text, without backtracking.
 * The work is at most positions times bytes, and never more than GLOB_STEPS_MAX. A pattern longer than
 * GLOB_PATTERN_MAX, or a text that needs more steps, gets GLOB_MAYBE: deny rules then ask, allow rules do not
 * apply.
 *
 * The text may be abstract (model/facts.h): bytes 0, 1 and 2 stand for any bytes, an integer, and bytes
 * without a slash. GLOB_YES means that every value of the holes matches, GLOB_NO that none does. For a text
 * without holes the answer is exact.
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
	 * * ? and [..] do not match a slash, ** does, backslash escapes. Without this flag only * is special
	 */
	GLOB_PATH = 1,
	GLOB_GIT = 2,     /* with GLOB_PATH: ** is special only as a whole component, as in .gitignore */
	GLOB_FOLD = 4,    /* ASCII letters match in either case */
	GLOB_BELOW = 8,   /* the match may be followed by a slash and anything */
	GLOB_WORDS = 16,  /* the match may be followed by a blank and anything */
	GLOB_ESCAPE = 32, /* without GLOB_PATH: a backslash escapes a star or a backslash */
};

/* State of a match, for texts that come in pieces. */
struct glob {
	struct str pattern;
	unsigned flags;
	bool exact;  /* no hole so far: `must` is not maintained yet */
	bool gave_up;
	size_t steps;
	size_t sets; /* words in use in each set */
	uint64_t may[GLOB_SETS], must[GLOB_SETS]; /* positions reached by some, by every value of the holes */
};

void glob_start(struct glob *g, struct str pattern, unsigned flags);
void glob_feed(struct glob *g, struct str text);
/* Feeds any number of unknown words, possibly none, each after a blank. */
void glob_feed_rest(struct glob *g);
/*
 * Feeds any number of words, each after a blank. The first one starts with `start`; if `start` is empty, with
 * anything but a dash.
 */
void glob_feed_names(struct glob *g, struct str start);
enum glob_match glob_end(const struct glob *g);

/* Matches a whole abstract text against a pattern. */
enum glob_match glob_may(struct str pattern, struct str text, unsigned flags);
/* For names of tools, hosts and calls: * matches any bytes, nothing else is special. */
bool glob_name(struct str pattern, struct str text);
/* The same with other stars: the bytes of the pattern for which is_star() is true match any text. */
bool glob_stars(struct str pattern, struct str text, bool (*is_star)(char c));
/*
 * For paths: * ? [..] within a component, ** across components. True only if every value of the holes
 * matches.
 */
bool glob_path(struct str pattern, struct str path, unsigned flags);
/*
 * Matches a line of the .gitignore in `dir` against an absolute path. A pattern without a slash in its middle
 * matches at any depth; a leading slash anchors it. A trailing slash means a directory; for the path itself,
 * which may be none, the answer is GLOB_MAYBE. Everything below a match matches. If `dir` is "" (not known),
 * no match is certain. There is no negation. GLOB_FOLD is the only flag.
 */
enum glob_match gitignore_below(struct str dir, struct str pattern, struct str path, unsigned flags);
