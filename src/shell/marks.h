/*
 * Marks: features of the text itself. marks.c walks the syntax tree; marks_unicode.c classifies characters.
 */
#pragma once
#include "shell/eval.h"

/* Marks of one kind; further ones are not listed. The first mark of each kind is always listed. */
#define MARKS_MAX 1000

void emit_mark(struct eval *e, enum mark_kind kind, struct span at);

/* Marks a script before it is parsed: how it begins, carriage returns. */
void marks_text(struct eval *e, uint32_t text);
/*
 * Marks one parsed line, from `start` to the parser's position. n is NULL if the line is empty or could not
 * be parsed.
 */
void marks_line(struct eval *e, const struct parser *p, size_t start, const struct syn_node *n);
/* Marks a text that is expanded as in double quotes: a here-document, a prompt. */
void marks_parts(struct eval *e, uint32_t text, const struct syn_part *parts);
/* Marks an assignment to a prompt variable if its value has an expansion. */
void marks_prompt(struct eval *e, struct str value, struct span at);

/* ---- marks_unicode.c ---- */
/* True if an unquoted word, or a part of one, has a run of letters that mixes ASCII with look-alikes. */
bool text_mixes_scripts(struct str s);
/* True if s has letters that look like ASCII ones, and no other letters. */
bool text_all_lookalikes(struct str s);
/* True if s starts with a look-alike of the dash, before an ASCII letter. */
bool text_false_dash(struct str s);
