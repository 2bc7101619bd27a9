/*
 * What a program writes to a person's terminal, without the sequences by which it would act on more than the screen: control strings (OSC, DCS, APC, PM, SOS: the
 * clipboard, titles, files, images), and questions that the terminal would answer by typing for the person (positions, names, the mouse, the printer). Sequences that
 * draw (colours, the cursor, the other screen) and all text pass as they are; what is not known to draw is left out. Pure; works in chunks: the same bytes in other chunks give the same output.
 *
 * A sequence is held back until it is whole and then goes out in one piece or not at all, so leaving one out never joins its neighbours to another.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define TERMINAL_HELD_MAX 64      /* bytes of a sequence; a longer one is left out */
#define TERMINAL_STRING_MAX 65536 /* bytes of a control string that are left out; what comes after them is text again */
#define TERMINAL_END_MAX 160      /* bytes of an end */

enum terminal_state { TERMINAL_TEXT, TERMINAL_ESCAPE, TERMINAL_CSI, TERMINAL_C2, TERMINAL_STRING, TERMINAL_STRING_ESCAPE };

struct terminal { /* zeroed: at the start */
	enum terminal_state state;
	unsigned follow;          /* bytes that the letter under way still has */
	size_t n, skipped;
	unsigned unusual;         /* modes that are not as they usually are */
	bool keypad;              /* its keys type sequences */
	char held[TERMINAL_HELD_MAX];
};

/* Writes to `out`, which has room for n + TERMINAL_HELD_MAX bytes; how many were written. */
size_t terminal_filter(struct terminal *t, const char *in, size_t n, char *out);

/* What makes the terminal as usual again when the program is gone; `out` has room for TERMINAL_END_MAX bytes. How many were written; then it is at the start. */
size_t terminal_end(struct terminal *t, char *out);
