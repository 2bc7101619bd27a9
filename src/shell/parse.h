/*
 * The shell grammar: one complete line at a time, as the shells themselves read and run it, so that what
 * stands before a syntax error has been read, and an alias or option of one line can change the reading of
 * the next.
 */
#pragma once
#include "shell/lex.h"

void parser_init(struct parser *p, struct arena *a, enum dialect d, struct str text, uint32_t text_index,
		uint64_t *fuel);

enum parse_result { PARSE_LINE, PARSE_END, PARSE_ERROR, PARSE_BOUND };
/* PARSE_LINE and *ret (NULL for an empty line), PARSE_END, or a failure with p->error and p->error_at. */
enum parse_result parse_line(struct parser *p, struct syn_node **ret);
/* The whole text as one word (results of brace expansion are read again so). */
enum parse_result parse_word(struct parser *p, struct syn_word **ret);
/*
 * The whole text as in double quotes (prompt strings), as a here-document's body, or as an arithmetic
 * expression.
 */
enum parse_result parse_text(struct parser *p, enum quote_context q, struct syn_part **ret);
