/*
 * Runs the tree-sitter parser within bounds. Inside src/code only.
 *
 * The parser allocates from its own arena, which is freed after the read. So parsing can stop at any point
 * without releasing single blocks. Four budgets bound the work; all but the last grow with the length of the
 * text. A text that exceeds a budget counts as not parsed.
 *   steps   parser steps, a hundred shifts and reductions each
 *   reads   chunks of GRAMMAR_CHUNK bytes given to the lexer: a scanner that looks far ahead for every token
 *           would be quadratic
 *   bytes   bytes allocated: error recovery copies all skipped tokens for each further token that it skips
 *   errors  tokens read during error recovery: a text with an error is rejected, so recovery only has to find
 *           its offset
 */
#pragma once
#include <tree_sitter/api.h>

#include "base/str.h"

#define GRAMMAR_CHUNK 512          /* bytes per read of the lexer */
#define GRAMMAR_STEPS_BASE 100
/* bytes of text per additional step; the densest code needs one step for 14 bytes */
#define GRAMMAR_STEP_BYTES 7
#define GRAMMAR_READS_BASE 1000
/* bytes of text per additional read; ordinary code needs one read for 250 bytes */
#define GRAMMAR_READ_BYTES 4
#define GRAMMAR_BYTES_BASE 1000000
/* allocation budget per byte of text; ordinary code needs 25, the densest 480 */
#define GRAMMAR_BYTES_PER_BYTE 600
#define GRAMMAR_ERRORS_MAX 200
#define GRAMMAR_HEAP_MAX ((size_t)320 << 20)

struct grammar_cost {
	size_t steps, reads, bytes, errors;
};

/* free lists: one per 16 bytes up to this size, one per power of two above it */
#define GRAMMAR_SMALL 512
#define GRAMMAR_CLASSES (GRAMMAR_SMALL / 16 + 1 + 40)

struct grammar_block;

struct grammar {
	struct str src;
	struct arena heap;
	struct grammar_block *free[GRAMMAR_CLASSES];
	struct grammar_cost used, most;
	/* offset at the last progress callback; offset of the first error, valid if used.errors > 0 */
	uint32_t at, error_at;
	bool cut;                  /* the read budget ended before the text did */
	struct grammar *outer;
};

/*
 * Makes tree-sitter allocate from p->heap until grammar_end(). The caller must enter arena_run() of p->heap
 * before the first allocation.
 */
void grammar_begin(struct grammar *p, struct str src);
/* Returns the tree, valid until grammar_end(), or NULL if a budget was exceeded. */
TSTree *grammar_parse(struct grammar *p, const TSLanguage *language);
void grammar_end(struct grammar *p);
