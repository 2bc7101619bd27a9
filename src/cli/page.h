/*
 * Output of any length: straight to standard output, or through a pager when that is a terminal and there is
 * more than it shows at once. The pager is $PAGER, run by sh, else `less -R`; an empty one or `cat` is none.
 * A reader that went away ends the output, and is no error.
 */
#pragma once
#include <sys/types.h>

#include "base/str.h"

struct page {
	struct buf held;      /* not written yet */
	bool terminal, colour;
	unsigned width, rows; /* of the terminal */
	bool waits;           /* a terminal whose first screen is not full yet */
	unsigned lines;
	int fd;
	pid_t pager;          /* 0: none */
	bool gone;            /* nobody reads any more, or writing failed: the rest is dropped */
	int failed;           /* errno of writing; 0: none, or nobody reads */
};

/* `paged`: there may be a pager. */
void page_begin(struct page *p, struct arena *a, bool paged);
void page_put(struct page *p, struct str text);
/* Writes the buffered output now. */
void page_flush(struct page *p);
/*
 * Waits for the pager. The exit code: `code`, or EXIT_INTERNAL after a message when something could not be
 * written.
 */
int page_end(struct page *p, int code);

/* Sequences for a terminal; empty without colours. */
enum tint { TINT_NONE, TINT_BOLD, TINT_DIM, TINT_RED, TINT_GREEN, TINT_YELLOW, TINT_CYAN };
const char *tint_on(bool colour, enum tint t);
const char *tint_off(bool colour, enum tint t);

/*
 * Appends the text made visible (put_visible; \n and \t for these), cut to so many columns with an ellipsis;
 * 0: not cut. The columns taken.
 */
size_t put_cell(struct buf *b, struct str text, size_t columns);
