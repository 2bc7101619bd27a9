/* Marks: features of the text itself. marks.c walks the syntax tree; marks_unicode.c knows characters. */
#pragma once
#include "shell/eval.h"

/* marks of one kind; further ones are not listed. The first mark of each kind is always listed */
#define MARKS_MAX 1000

void emit_mark(struct eval *e, enum mark_kind kind, struct span at);

/* A text that is a script, before it is read: how it begins, carriage returns. */
void marks_text(struct eval *e, uint32_t text);
/*
 * One line of it as it was read, from `start` to the parser's position; n is NULL when it is empty, or could
 * not be read.
 */
void marks_line(struct eval *e, const struct parser *p, size_t start, const struct syn_node *n);
/* A text that is expanded as in double quotes: here-documents, prompts. */
void marks_parts(struct eval *e, uint32_t text, const struct syn_part *parts);
/* An assignment to one of the prompts. */
void marks_prompt(struct eval *e, struct str value, struct span at);

/* ---- marks_unicode.c ---- */
/* A word, or a part of one, outside of quotes: a run of letters that mixes ASCII with look-alikes. */
bool text_mixes_scripts(struct str s);
/* No ASCII letter, and nothing but letters that look like one. */
bool text_all_lookalikes(struct str s);
/* Starts with a dash that is none, before an ASCII letter. */
bool text_false_dash(struct str s);
