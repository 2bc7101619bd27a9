/*
 * Internal to the normaliser: edits text after escape sequences are removed. Both parts keep state, so that
 * text may come in pieces: visible.c edits characters, prose.c whole lines.
 */
#pragma once
#include "result/normalise.h"

/*
 * Bytes of a line buffered until its end. Cursor movements reach this many bytes, and only shorter lines are
 * edited.
 */
#define NORMALISE_LINE_MAX 16384

/* visible.c: escapes invisible characters as \u{...}. */
struct visible {
	uint32_t before;  /* previous character, 0 at the start of a line */
	unsigned flag;    /* tags of a flag read so far */
};
void visible_put(struct buf *out, struct visible *v, struct str text, struct sanitized *counts);

/* prose.c: escapes look-alikes of the truncation marker and converts Unix times. */
struct prose {
	bool timestamps;
	bool begun;       /* a non-blank byte was read */
	bool machine;     /* the text starts like JSON or XML */
	char last;        /* last non-blank byte */
};
/* Edits whole lines; the last line of the whole text may lack its newline. */
void prose_lines(struct buf *out, struct prose *p, struct str text, struct sanitized *counts);
/* Copies a part of a line that is too long to be edited. */
void prose_part(struct buf *out, struct prose *p, struct str text);
