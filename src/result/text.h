/*
 * Inside the normaliser: what happens to text once the terminal's language is out of it. Both parts keep what
 * stood before, so that texts may come in pieces: visible.c looks at characters, prose.c at whole lines.
 */
#pragma once
#include "result/normalise.h"

/*
 * Bytes of a line kept until its end. Cursor movements act on this many bytes, and only shorter lines are
 * edited.
 */
#define NORMALISE_LINE_MAX 16384

/* visible.c: characters that nobody sees become \u{...}. */
struct visible {
	uint32_t before;  /* the character before, 0 at the start of a line */
	unsigned flag;    /* tags of a flag that were seen */
};
void visible_put(struct buf *out, struct visible *v, struct str text, struct sanitized *counts);

/* prose.c: look-alikes of the truncation marker and Unix times. */
struct prose {
	bool timestamps;
	bool begun;       /* something that is not blank was seen */
	bool machine;     /* and it started like JSON or XML */
	char last;        /* the last byte that was not blank */
};
/* Whole lines, the last of which may be without its newline at the end of everything. */
void prose_lines(struct buf *out, struct prose *p, struct str text, struct sanitized *counts);
/* A part of a line that is too long to be edited. */
void prose_part(struct buf *out, struct prose *p, struct str text);
