/* Filter for escape sequences. See terminal.h. */
#include "base/terminal.h"

#include <stdbool.h>
#include <string.h>

#include "base/str.h"

#define ESC 0x1b
#define BEL 0x07
#define ENQ 0x05 /* the terminal answers with a text */

struct terminal_sink {
	char *p;
	size_t n;
};

static void emit(struct terminal_sink *s, char c) { s->p[s->n++] = c; }

static void emit_held(struct terminal *t, struct terminal_sink *s)
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

/* ---- the allow-list ---- */

/*
 * CSI sequences that draw, by prefix, intermediate and final byte. All others are dropped: some of them make
 * the terminal type an answer.
 */
static const struct {
	char prefix, intermediate; /* 0: none */
	const char *finals;
} drawing[] = {
	/* move, erase, insert, delete, scroll, tabs, colours, margins, save and restore the cursor */
	{0, 0, "@ABCDEFGHIJKLMPSTXZ`abdefgmrsu"},
	{'?', 0, "JKW"},                          /* selective erase; tabs */
	{0, ' ', "@Aq"},                          /* shift, cursor shape */
	{0, '"', "q"},                            /* protect */
	{0, '!', "p"},                            /* soft reset */
};

/*
 * Modes that pass. None makes the terminal type, or changes how it parses sequences. terminal_end() resets
 * the modes that would disturb the next program.
 */
static const struct {
	char prefix;
	short number;
	enum { ANYHOW, USUALLY_OFF, USUALLY_ON } usual;
} modes[] = {
	{0, 4, USUALLY_OFF},                                                            /* insert */
	{'?', 1, USUALLY_OFF},                                                          /* cursor keys */
	/* columns, smooth scrolling, reverse video */
	{'?', 3, ANYHOW},      {'?', 4, ANYHOW},         {'?', 5, USUALLY_OFF},
	/* origin, wrapping, reverse wrapping */
	{'?', 6, USUALLY_OFF}, {'?', 7, USUALLY_ON},     {'?', 45, ANYHOW},
	/* cursor blinks, is visible */
	{'?', 12, ANYHOW},     {'?', 25, USUALLY_ON},
	/* alternate screen */
	{'?', 47, USUALLY_OFF}, {'?', 1047, USUALLY_OFF}, {'?', 1048, ANYHOW}, {'?', 1049, USUALLY_OFF},
	{'?', 69, USUALLY_OFF},                                                         /* margins */
	/* bracketed paste, synchronized output */
	{'?', 2004, USUALLY_OFF}, {'?', 2026, USUALLY_OFF},
};
#define MODES ARRAY_SIZE(modes)
#define MODE_BYTES 8 /* maximum length of the sequence that sets one mode */

_Static_assert(MODES <= sizeof(unsigned) * 8, "a bit for each");
_Static_assert((MODES + 1) * MODE_BYTES <= TERMINAL_END_MAX, "the end has room for all, and the keypad");

static bool one_of(const char *set, char c) { return c && strchr(set, c); }

struct csi {
	char prefix, intermediate, final;
	const char *numbers; /* ended by any byte but a digit, colon or semicolon */
};

/* False if the sequence has no allowed form. */
static bool csi_parse(const char *held, size_t n, struct csi *ret)
{
	size_t at = 2;

	*ret = (struct csi){.final = held[n - 1]};
	if (held[at] >= '<' && held[at] <= '?')
		ret->prefix = held[at++];
	ret->numbers = held + at;
	while (held[at] >= '0' && held[at] <= ';')
		at++;
	if (held[at] >= ' ' && held[at] < '0')
		ret->intermediate = held[at++];
	return at == n - 1;
}

static size_t mode_row(char prefix, unsigned number)
{
	size_t i = 0;

	while (i < MODES && (modes[i].prefix != prefix || (unsigned)modes[i].number != number))
		i++;
	return i;
}

/* True if all modes that the sequence sets or resets are in the table. */
static bool modes_pass(struct terminal *t, const struct csi *c)
{
	unsigned number = 0, unusual = t->unusual;

	for (const char *p = c->numbers;; p++) {
		if (ascii_is_digit(*p) && number < 10000) {
			number = number * 10 + (unsigned)(*p - '0');
			continue;
		}
		size_t row = mode_row(c->prefix, number);
		if (row == MODES || (*p != ';' && *p != c->final))
			return false;
		bool as_usual = modes[row].usual == ANYHOW ||
				(modes[row].usual == USUALLY_ON) == (c->final == 'h');
		unusual = as_usual ? unusual & ~(1u << row) : unusual | 1u << row;
		if (*p == c->final)
			break;
		number = 0;
	}
	t->unusual = unusual;
	return true;
}

static bool csi_passes(struct terminal *t)
{
	struct csi c;

	if (!csi_parse(t->held, t->n, &c))
		return false;
	if (!c.intermediate && one_of("hl", c.final))
		return modes_pass(t, &c);
	for (size_t i = 0; i < ARRAY_SIZE(drawing); i++)
		if (drawing[i].prefix == c.prefix && drawing[i].intermediate == c.intermediate &&
				one_of(drawing[i].finals, c.final))
			return true;
	return false;
}

/*
 * Other sequences: cursor, keypad, shifts, reset. With one intermediate byte: character sets (but not the
 * coding itself), double-size lines.
 */
static bool escape_passes(struct terminal *t)
{
	char final = t->held[t->n - 1];

	if (t->n == 2 && one_of("=>", final))
		t->keypad = final == '=';
	return (t->n == 2 && one_of("6789=>DEFHMNOcno|}~\\", final)) ||
			(t->n == 3 && one_of("()*+-./#", t->held[1]));
}

/* ---- bytes ---- */

static unsigned letter_follows(unsigned char c)
{
	return c >= 0xf0 && c < 0xf8 ? 3 : c >= 0xe0 && c < 0xf0 ? 2 : c > 0xc2 && c < 0xe0 ? 1 : 0;
}

/*
 * A C1 control is a sequence in one byte, or two bytes in UTF-8 (C2 80 to C2 9F). In that range a
 * continuation byte of another character is not a control.
 */
static void take_text(struct terminal *t, unsigned char c, struct terminal_sink *s)
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

static void take_escape(struct terminal *t, unsigned char c, struct terminal_sink *s)
{
	if (c < 0x20 || c > 0x7e || t->n + 1 >= TERMINAL_HELD_MAX) { /* incomplete */
		drop(t, TERMINAL_TEXT);
		take_text(t, c, s);
	} else if (t->n == 1 && c == '[') {
		hold(t, TERMINAL_CSI, c);
	} else if (t->n == 1 && one_of("]PX^_k", (char)c)) { /* k: title in tmux and screen */
		drop(t, TERMINAL_STRING);
	} else if (c < 0x30) {
		hold(t, TERMINAL_ESCAPE, c);
	} else {
		hold(t, TERMINAL_TEXT, c);
		if (escape_passes(t))
			emit_held(t, s);
		drop(t, TERMINAL_TEXT);
	}
}

static void take_csi(struct terminal *t, unsigned char c, struct terminal_sink *s)
{
	if (c < 0x20 || c > 0x7e || t->n + 1 >= TERMINAL_HELD_MAX) {
		drop(t, TERMINAL_TEXT);
		take_text(t, c, s);
		return;
	}
	hold(t, TERMINAL_CSI, c);
	if (c < 0x40)
		return;
	if (csi_passes(t))
		emit_held(t, s);
	drop(t, TERMINAL_TEXT);
}

static void take_c2(struct terminal *t, unsigned char c, struct terminal_sink *s)
{
	if (c >= 0xa0 && c < 0xc0) {
		emit_held(t, s);
		emit(s, (char)c);
	}
	drop(t, TERMINAL_TEXT);
	if (c < 0x80 || c >= 0xc0)
		take_text(t, c, s);
}

/* The start of the string is already dropped, so after its presumed end the rest is text. */
static void take_string(struct terminal *t, unsigned char c, struct terminal_sink *s)
{
	if (t->state == TERMINAL_STRING_ESCAPE && c != '\\') {
		drop(t, TERMINAL_TEXT);
		hold(t, TERMINAL_ESCAPE, ESC);
		take_escape(t, c, s);
	} else if (t->state == TERMINAL_STRING_ESCAPE || c == BEL || c == 0x18 || c == 0x1a ||
			++t->skipped > TERMINAL_STRING_MAX) {
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
	struct terminal_sink s = {.p = out};

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

size_t terminal_end(struct terminal *t, char *out)
{
	size_t n = 0;

	for (size_t i = 0; i < MODES; i++)
		if (t->unusual & 1u << i)
			n += str_put(out + n, TERMINAL_END_MAX - n, "\033[%.1s%d%c", &modes[i].prefix,
					modes[i].number, modes[i].usual == USUALLY_ON ? 'h' : 'l');
	if (t->keypad) {
		memcpy(out + n, "\033>", 2);
		n += 2;
	}
	*t = (struct terminal){0};
	return n;
}
