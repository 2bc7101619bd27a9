/*
 * The grammars' parser (tree-sitter) within bounds. Inside src/code only.
 *
 * All that the parser allocates comes from an arena of its own, which dies with the reading: so it can be
 * left at any point, and nothing needs to be released piece by piece. Four counters bound its work, all but
 * the last by the length of the text; a bound reached means: not parsed.
 *   steps   of the parser: a hundred shifts and reductions each
 *   reads   of the lexer, of GRAMMAR_CHUNK bytes each: a scanner that looks far ahead for every token would
 *           make it quadratic
 *   bytes   allocated: the search for a way out of an error copies what it has skipped for every token that
 *           it skips
 *   errors  that is, tokens read in such a search: a text with an error is not read anyway, so it goes on
 *           only to find the error's place
 */
#pragma once
#include <tree_sitter/api.h>

#include "base/str.h"

#define GRAMMAR_CHUNK 512          /* bytes that the lexer is given at once */
#define GRAMMAR_STEPS_BASE 100
/* one step more for as many bytes of text; the densest code needs one for 14 */
#define GRAMMAR_STEP_BYTES 7
#define GRAMMAR_READS_BASE 1000
/* one read more for as many bytes of text; ordinary code needs one for 250 */
#define GRAMMAR_READ_BYTES 4
#define GRAMMAR_BYTES_BASE 1000000
#define GRAMMAR_BYTES_PER_BYTE 600 /* ordinary code needs 25, the densest 480 */
#define GRAMMAR_ERRORS_MAX 200
#define GRAMMAR_HEAP_MAX ((size_t)320 << 20)

struct grammar_cost {
	size_t steps, reads, bytes, errors;
};

/* blocks up to this size are kept by multiples of 16 bytes, larger ones by powers of two */
#define GRAMMAR_SMALL 512
#define GRAMMAR_CLASSES (GRAMMAR_SMALL / 16 + 1 + 40)

struct grammar_block;

struct grammar {
	struct str src;
	struct arena heap;
	struct grammar_block *free[GRAMMAR_CLASSES];
	struct grammar_cost used, most;
	/* where the parser was when it was last asked; and when it met the first error, if `used.errors` */
	uint32_t at, error_at;
	bool cut;                  /* the lexer did not get all of the text */
	struct grammar *outer;
};

/*
 * From here to grammar_end() the grammars' parser takes its memory from p->heap, whose arena_run() must be
 * entered before it is used.
 */
void grammar_begin(struct grammar *p, struct str src);
/* NULL: a bound was reached. The tree lives until grammar_end(). */
TSTree *grammar_parse(struct grammar *p, const TSLanguage *language);
void grammar_end(struct grammar *p);
