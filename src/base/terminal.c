/* See terminal.h. */
#include "base/terminal.h"

#include <stdbool.h>
#include <string.h>

#define ESC 0x1b
#define BEL 0x07
#define ENQ 0x05 /* the terminal answers it with a text */

struct sink {
	char *p;
	size_t n;
};

static void emit(struct sink *s, char c) { s->p[s->n++] = c; }

static void emit_held(struct terminal *t, struct sink *s)
{
	memcpy(s->p + s->n, t->held, t->n);
	s->n += t->n;
}

static void hold(struct terminal *t, enum terminal_state state, unsigned char c)
{
	t->state = state;
	t->held[t->n++] = (char)c;
}

static void drop(struct terminal *t, enum terminal_state next)
{
	t->state = next;
	t->n = t->skipped = 0;
}

/* A CSI sequence that makes the terminal type: device attributes, status, the window, its modes, its version, its keyboard. */
static bool csi_asks(const char *held, size_t n)
{
	char final = held[n - 1];

	if (memchr("cntx", final, 4))
		return true;
	return (final == 'p' && memchr(held, '$', n)) || (final == 'q' && memchr(held, '>', n)) || (final == 'u' && memchr(held, '?', n)) ||
	       (final == 'y' && memchr(held, '*', n));
}

static unsigned letter_follows(unsigned char c) { return c >= 0xf0 && c < 0xf8 ? 3 : c >= 0xe0 && c < 0xf0 ? 2 : c > 0xc2 && c < 0xe0 ? 1 : 0; }

/* C1 controls are sequences in one byte, or in UTF-8 in two (C2 80 to C2 9F). A byte of that range inside of a letter is none. */
static void take_text(struct terminal *t, unsigned char c, struct sink *s)
{
	bool part = t->follow && c >= 0x80 && c < 0xc0;

	t->follow = part ? t->follow - 1 : letter_follows(c);
	if (part || (c != ESC && c != 0xc2 && c != ENQ && (c < 0x80 || c > 0x9f)))
		emit(s, (char)c);
	else if (c == ESC)
		hold(t, TERMINAL_ESCAPE, c);
	else if (c == 0xc2)
		hold(t, TERMINAL_C2, c);
}

static void take_escape(struct terminal *t, unsigned char c, struct sink *s)
{
	if (c < 0x20 || c > 0x7e || t->n + 1 >= TERMINAL_HELD_MAX) { /* broken off */
		drop(t, TERMINAL_TEXT);
		take_text(t, c, s);
	} else if (t->n == 1 && c == '[') {
		hold(t, TERMINAL_CSI, c);
	} else if (t->n == 1 && memchr("]PX^_", c, 5)) {
		drop(t, TERMINAL_STRING);
	} else if (c < 0x30) {
		hold(t, TERMINAL_ESCAPE, c);
	} else {
		hold(t, TERMINAL_TEXT, c);
		if (t->n > 2 || c != 'Z') /* DECID asks as well */
			emit_held(t, s);
		drop(t, TERMINAL_TEXT);
	}
}

static void take_csi(struct terminal *t, unsigned char c, struct sink *s)
{
	if (c < 0x20 || c > 0x7e || t->n + 1 >= TERMINAL_HELD_MAX) {
		drop(t, TERMINAL_TEXT);
		take_text(t, c, s);
		return;
	}
	hold(t, TERMINAL_CSI, c);
	if (c < 0x40)
		return;
	if (!csi_asks(t->held, t->n))
		emit_held(t, s);
	drop(t, TERMINAL_TEXT);
}

static void take_c2(struct terminal *t, unsigned char c, struct sink *s)
{
	if (c >= 0xa0 && c < 0xc0) {
		emit_held(t, s);
		emit(s, (char)c);
	}
	drop(t, TERMINAL_TEXT);
	if (c < 0x80 || c >= 0xc0)
		take_text(t, c, s);
}

/* Its beginning is gone already, so wherever it is thought to end, the rest of it is text. */
static void take_string(struct terminal *t, unsigned char c, struct sink *s)
{
	if (t->state == TERMINAL_STRING_ESCAPE && c != '\\') {
		drop(t, TERMINAL_TEXT);
		hold(t, TERMINAL_ESCAPE, ESC);
		take_escape(t, c, s);
	} else if (t->state == TERMINAL_STRING_ESCAPE || c == BEL || c == 0x18 || c == 0x1a || ++t->skipped > TERMINAL_STRING_MAX) {
		drop(t, TERMINAL_TEXT);
	} else if (c == '\n') {
		drop(t, TERMINAL_TEXT);
		emit(s, '\n');
	} else if (c == ESC) {
		t->state = TERMINAL_STRING_ESCAPE;
	}
}

size_t terminal_filter(struct terminal *t, const char *in, size_t n, char *out)
{
	struct sink s = {.p = out};

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)in[i];

		switch (t->state) {
		case TERMINAL_TEXT: take_text(t, c, &s); break;
		case TERMINAL_ESCAPE: take_escape(t, c, &s); break;
		case TERMINAL_CSI: take_csi(t, c, &s); break;
		case TERMINAL_C2: take_c2(t, c, &s); break;
		case TERMINAL_STRING:
		case TERMINAL_STRING_ESCAPE: take_string(t, c, &s); break;
		}
	}
	return s.n;
}
