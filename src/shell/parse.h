/*
 * The parser for shell scripts. It parses one complete line at a time, as the shells themselves parse and run
 * a script. So the lines before a syntax error are known, and an alias or option set in one line can change
 * the parsing of the next.
 */
#pragma once
#include "shell/lex.h"

void parser_init(struct parser *p, struct arena *a, enum dialect d, struct str text, uint32_t text_index,
		uint64_t *fuel);

enum parse_result { PARSE_LINE, PARSE_END, PARSE_ERROR, PARSE_BOUND };
/*
 * Returns PARSE_LINE and *ret (NULL for an empty line), PARSE_END, or a failure with p->error and
 * p->error_at.
 */
enum parse_result parse_line(struct parser *p, struct syn_node **ret);
/* Parses the whole text as one word (for results of brace expansion). */
enum parse_result parse_word(struct parser *p, struct syn_word **ret);
/*
 * Parses the whole text as in double quotes (prompt strings), as a here-document's body, or as an arithmetic
 * expression.
 */
enum parse_result parse_text(struct parser *p, enum quote_context q, struct syn_part **ret);
