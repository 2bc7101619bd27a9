/*
 * A filter for the output of a boxed program on its way to a person's terminal. It passes text and the escape
 * sequences that draw (colours, cursor, alternate screen). It drops
 *   - control strings (OSC, DCS, APC, PM, SOS), which set the clipboard and titles or carry files and images;
 *   - queries, which the terminal answers by typing in the person's place, and mouse and printer modes;
 *   - every sequence that is not on the allow-list.
 *
 * The filter is pure. It works in chunks, and the result does not depend on where chunks end: it holds a
 * sequence back until the sequence is complete, then passes or drops it as a whole. So a dropped sequence
 * never joins its neighbours.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#define TERMINAL_HELD_MAX 64      /* maximum length of a sequence; longer ones are dropped */
/* maximum length of a control string; bytes after it count as text again */
#define TERMINAL_STRING_MAX 65536
#define TERMINAL_END_MAX 160      /* maximum output of terminal_end() */

enum terminal_state { TERMINAL_TEXT, TERMINAL_ESCAPE, TERMINAL_CSI, TERMINAL_C2, TERMINAL_STRING,
		TERMINAL_STRING_ESCAPE };

struct terminal { /* zeroed: initial state */
	enum terminal_state state;
	unsigned follow;          /* continuation bytes that the current UTF-8 character still needs */
	size_t n, skipped;
	unsigned unusual;         /* bits of modes that differ from their defaults */
	bool keypad;              /* application keypad mode is on */
	char held[TERMINAL_HELD_MAX];
};

/* Writes to `out`, which has room for n + TERMINAL_HELD_MAX bytes. Returns the number of bytes written. */
size_t terminal_filter(struct terminal *t, const char *in, size_t n, char *out);

/*
 * Writes sequences that reset the modes which the program left on, and resets the filter. `out` has room for
 * TERMINAL_END_MAX bytes. Returns the number of bytes written.
 */
size_t terminal_end(struct terminal *t, char *out);
