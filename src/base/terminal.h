/*
 * What a program writes to a person's terminal, without the sequences by which it would act on more than the screen: control strings (OSC, DCS, APC, PM, SOS: the
 * clipboard, titles, files, images), and questions that the terminal would answer by typing for the person (positions, names, the window's title). Colours, the
 * cursor and all text pass as they are. Pure; works in chunks: the same bytes in other chunks give the same output.
 *
 * A sequence is held back until it is whole and then goes out in one piece or not at all, so leaving one out never joins its neighbours to another.
 */
#pragma once
#include <stddef.h>

#define TERMINAL_HELD_MAX 64      /* bytes of a sequence; a longer one is left out */
#define TERMINAL_STRING_MAX 65536 /* bytes of a control string that are left out; what comes after them is text again */

enum terminal_state { TERMINAL_TEXT, TERMINAL_ESCAPE, TERMINAL_CSI, TERMINAL_C2, TERMINAL_STRING, TERMINAL_STRING_ESCAPE };

struct terminal { /* zeroed: at the start */
	enum terminal_state state;
	unsigned follow;          /* bytes that the letter under way still has */
	size_t n, skipped;
	char held[TERMINAL_HELD_MAX];
};

/* Writes to `out`, which has room for n + TERMINAL_HELD_MAX bytes; how many were written. */
size_t terminal_filter(struct terminal *t, const char *in, size_t n, char *out);
