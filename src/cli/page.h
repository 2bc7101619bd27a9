/*
 * Output of any length: directly to standard output, or through a pager if that is a terminal and the text
 * exceeds one screen. The pager is $PAGER, run by sh, else `less -R`; an empty $PAGER or `cat` means no
 * pager. If the reader goes away, output ends without an error.
 */
#pragma once
#include <sys/types.h>

#include "base/str.h"

struct page {
	struct buf held;      /* not yet written */
	bool terminal, colour;
	unsigned width, rows; /* size of the terminal */
	bool waits;           /* terminal output still fits on the first screen */
	unsigned lines;
	int fd;
	pid_t pager;          /* 0: no pager */
	bool gone;            /* reader gone, or writing failed: the rest is dropped */
	int failed;           /* errno of a failed write; 0: none, or the reader went away */
};

/* `paged` permits a pager. */
void page_begin(struct page *p, struct arena *a, bool paged);
void page_put(struct page *p, struct str text);
/* Writes the buffered output now. */
void page_flush(struct page *p);
/* Waits for the pager. Returns 0, or EXIT_INTERNAL after a message if writing failed. */
int page_end(struct page *p);

/* Return escape sequences for a terminal; empty without colours. */
enum tint { TINT_NONE, TINT_BOLD, TINT_DIM, TINT_RED, TINT_GREEN, TINT_YELLOW, TINT_CYAN };
const char *tint_on(bool colour, enum tint t);
const char *tint_off(bool colour, enum tint t);

/*
 * Appends the text made visible (put_visible(), with newlines and tabs as two characters), cut to `columns`
 * with an ellipsis; 0: no limit. Returns the columns used.
 */
size_t put_cell(struct buf *b, struct str text, size_t columns);
