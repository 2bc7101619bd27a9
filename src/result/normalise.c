/*
 * The normaliser: a terminal with one line.
 *
 *     bytes -> UTF-8 -> control sequences (ground, escape, CSI, strings) -> the line
 *           -> visible.c -> prose.c -> out
 *
 * Fast path: bytes that are ordinary in every state skip all of this, many lines at a time. A line is text
 * while the cursor stays at its end. Once the cursor moves (carriage return, backspace, CSI) the line becomes
 * cells, one per character, until it ends. Moves to other lines start a new line instead, and so does
 * clearing the screen: printed text stays.
 *
 * Control strings (titles, links, images) are buffered until their end and dropped. A string that is too
 * long, incomplete or longer than its line is shown, so that an unterminated string cannot swallow text.
 */
#define _GNU_SOURCE
#include "result/normalise.h"

#include "base/utf8.h"
#include "result/text.h"

#define STRING_MAX 4096   /* bytes of a control string */
#define PALETTE_LEN 8     /* bytes of a control string that sets a console colour */
#define CSI_MAX 64        /* bytes of a control sequence's parameters */
#define ESCAPE_MAX 3      /* intermediate bytes after ESC */
#define COLUMN_MAX 200    /* last column that a sequence can reach; text may be longer */
#define FEED_PIECE 65536  /* bytes processed at a time */
#define UTF8_MAX 4        /* bytes of a character */

enum { NUL = 0, BEL = 7, BS = 8, VT = 11, FF = 12, CAN = 0x18, SUB = 0x1A, ESC = 0x1B, DEL = 0x7F, NEL = 0x85,
		ST = 0x9C, BOM = 0xFEFF };

enum normaliser_mode { GROUND = 0, ESCAPE, ESCAPE_MORE, CSI, STRING, STRING_ESCAPE };

struct normaliser_state {
	struct arena *a;
	enum normaliser_mode mode;
	bool started;           /* input has begun */
	/* bytes of an incomplete character */
	char seq[4];
	unsigned have, need;
	/* sequences */
	char csi[CSI_MAX];
	size_t ncsi, nescape;
	char *string;
	size_t nstring;
	bool osc;               /* the string is an OSC */
	bool showing;           /* showing a string: no sequence starts in it */
	/* the line */
	char *line;             /* one byte more than NORMALISE_LINE_MAX, for the newline */
	size_t len;
	uint32_t *cells;        /* NULL until the first use */
	size_t ncells, at;
	bool in_cells, beyond_ascii;
	bool cr;                /* a carriage return without effect so far */
	bool is_long;           /* a part of the line is already written */
	struct visible visible;
	struct prose prose;
	char *cell_text;        /* text of all cells; NULL until the first use */
	struct buf scratch;
};

/* ---- the line ---- */

static struct str cells_text(struct normaliser_state *s, bool trim)
{
	size_t n = s->ncells, len = 0;

	while (trim && n && ascii_is_blank(s->cells[n - 1]))
		n--;
	for (size_t i = 0; i < n; i++) {
		if (s->cells[i] < 0x80)
			s->cell_text[len++] = (char)s->cells[i];
		else
			len += utf8_put(s->cells[i], s->cell_text + len);
	}
	return str_n(s->cell_text, len);
}

/* Writes the line; `end` is the newline, empty at EOF, NULL if the line continues. */
static void emit_line(struct normaliser *n, const char *end)
{
	struct normaliser_state *s = n->state;
	struct str text = str_n(s->line, s->len);

	s->scratch.n = 0;
	if (s->in_cells)
		text = cells_text(s, end != NULL);
	if (s->beyond_ascii || s->in_cells) {
		visible_put(&s->scratch, &s->visible, text, &n->counts);
		buf_c(&s->scratch, end ? end : "");
		text = buf_view(&s->scratch);
	} else if (end && *end) {
		s->line[s->len] = *end;
		text.n++;
	}
	if (end && !s->is_long)
		prose_lines(n->out, &s->prose, text, &n->counts);
	else
		prose_part(n->out, &s->prose, text);
	s->len = s->ncells = s->at = 0;
	s->is_long = !end;
	if (!end)
		return;
	s->in_cells = s->beyond_ascii = s->cr = false;
	s->visible = (struct visible){0};
}

static void emit_newline(struct normaliser *n) { emit_line(n, "\n"); }

/* Moves to another line: further text starts a new line. */
static void leave_line(struct normaliser *n)
{
	struct normaliser_state *s = n->state;

	if (s->len || s->ncells || s->is_long)
		emit_newline(n);
}

/* Converts the line to cells before the cursor moves. */
static void to_cells(struct normaliser_state *s)
{
	if (s->in_cells)
		return;
	if (!s->cells) {
		s->cells = arena_array(s->a, NORMALISE_LINE_MAX, sizeof(*s->cells));
		s->cell_text = arena_array(s->a, NORMALISE_LINE_MAX, UTF8_MAX);
	}
	s->ncells = 0;
	for (size_t i = 0; i < s->len;)
		s->cells[s->ncells++] = utf8_next(str_n(s->line, s->len), &i);
	s->at = s->cr ? 0 : s->ncells;
	s->len = 0;
	s->cr = false;
	s->in_cells = true;
}

static void put_cell(struct normaliser *n, uint32_t cp)
{
	struct normaliser_state *s = n->state;

	if (s->at >= NORMALISE_LINE_MAX)
		emit_line(n, NULL);
	while (s->ncells < s->at)
		s->cells[s->ncells++] = ' ';
	s->cells[s->at++] = cp;
	if (s->ncells < s->at)
		s->ncells = s->at;
}

/* A tab over existing text moves the cursor without erasing. */
static void put_tab(struct normaliser *n)
{
	struct normaliser_state *s = n->state;

	if (s->at >= s->ncells)
		put_cell(n, '\t');
	else
		s->at = (s->at / 8 + 1) * 8 < s->ncells ? (s->at / 8 + 1) * 8 : s->ncells;
}

static void put_char(struct normaliser *n, uint32_t cp)
{
	struct normaliser_state *s = n->state;
	char c[4];
	size_t len;

	if (cp == UTF8_BAD) {
		n->counts.bad_utf8++;
		cp = 0xFFFD;
	}
	if (s->cr && s->len)
		to_cells(s);
	s->cr = false;
	if (s->in_cells) {
		if (cp == '\t')
			put_tab(n);
		else
			put_cell(n, cp);
		return;
	}
	len = utf8_put(cp, c);
	if (s->len + len > NORMALISE_LINE_MAX)
		emit_line(n, NULL);
	memcpy(s->line + s->len, c, len);
	s->len += len;
	s->beyond_ascii |= cp >= 0x80;
}

static void do_backspace(struct normaliser *n)
{
	struct normaliser_state *s = n->state;

	n->counts.backspace++;
	to_cells(s);
	if (s->at)
		s->at--;
}

static void carriage_return(struct normaliser *n)
{
	struct normaliser_state *s = n->state;

	n->counts.cr++;
	s->at = 0;
	s->cr = !s->in_cells;
}

/* ---- control sequences ---- */

/* Returns the first parameter, `missing` if there is none, at most COLUMN_MAX. */
static size_t csi_parameter(const struct normaliser_state *s, size_t missing)
{
	size_t v = 0, i = 0;

	for (; i < s->ncsi && ascii_is_digit(s->csi[i]); i++)
		v = v * 10 + (size_t)(s->csi[i] - '0') < COLUMN_MAX ? v * 10 + (size_t)(s->csi[i] - '0') :
				COLUMN_MAX;
	return i ? v : missing;
}

static void move_to(struct normaliser_state *s, size_t column)
{
	size_t most = s->ncells > COLUMN_MAX ? s->ncells : COLUMN_MAX;

	s->at = column < most ? column : most;
}

static void erase_line(struct normaliser_state *s, size_t how)
{
	if (how == 0 && s->ncells > s->at)
		s->ncells = s->at;
	else if (how == 2)
		s->ncells = 0;
	for (size_t i = 0; how == 1 && i <= s->at && i < s->ncells; i++)
		s->cells[i] = ' ';
}

static void erase_some(struct normaliser_state *s, size_t count)
{
	for (size_t i = s->at; i < s->ncells && i - s->at < count; i++)
		s->cells[i] = ' ';
}

static void delete_some(struct normaliser_state *s, size_t count)
{
	if (s->at >= s->ncells)
		return;
	if (count > s->ncells - s->at)
		count = s->ncells - s->at;
	memmove(s->cells + s->at, s->cells + s->at + count, (s->ncells - s->at - count) * sizeof(*s->cells));
	s->ncells -= count;
}

/* Sequences with an effect inside the line. All others change colours, modes, or nothing visible. */
static void act_on_csi(struct normaliser *n, char final)
{
	struct normaliser_state *s = n->state;
	size_t one = csi_parameter(s, 1), zero = csi_parameter(s, 0);

	for (size_t i = 0; i < s->ncsi; i++)
		if (s->csi[i] < '0' || s->csi[i] > ';')
			return; /* private, or with a longer name */
	if (strchr("ABEFHLMSTdef", final) || (final == 'J' && zero > 1)) {
		leave_line(n);
		return;
	}
	if (!strchr("CDG`KJXP", final))
		return;
	to_cells(s);
	switch (final) {
	case 'C': move_to(s, s->at + (one ? one : 1)); break;
	case 'D': s->at -= (one ? one : 1) < s->at ? (one ? one : 1) : s->at; break;
	case 'G':
	case '`': move_to(s, one ? one - 1 : 0); break;
	case 'X': erase_some(s, one ? one : 1); break;
	case 'P': delete_some(s, one ? one : 1); break;
	default: erase_line(s, zero); break; /* K, and the part of J that affects this line */
	}
}

/* ---- states ---- */

static void take_ground(struct normaliser *n, uint32_t cp);

/* Shows a string that turned out not to be one. */
static void show_string(struct normaliser *n)
{
	struct normaliser_state *s = n->state;
	struct str text = str_n(s->string, s->nstring);

	s->mode = GROUND;
	s->nstring = 0;
	s->showing = true;
	for (size_t i = 0; i < text.n;)
		take_ground(n, utf8_next(text, &i));
	s->showing = false;
}

static void start_string(struct normaliser *n, bool osc)
{
	struct normaliser_state *s = n->state;

	n->counts.osc++;
	if (!s->string)
		s->string = arena_alloc(s->a, STRING_MAX);
	s->nstring = 0;
	s->osc = osc;
	s->mode = STRING;
}

static void start_csi(struct normaliser *n)
{
	n->counts.ansi++;
	n->state->ncsi = 0;
	n->state->mode = CSI;
}

/* C1 controls, 0x80 to 0x9F. */
static void control_high(struct normaliser *n, uint32_t cp)
{
	if (!n->state->showing && cp == 0x9B)
		start_csi(n);
	else if (!n->state->showing && (cp == 0x90 || cp == 0x98 || cp == 0x9D || cp == 0x9E || cp == 0x9F))
		start_string(n, cp == 0x9D);
	else
		n->counts.control++;
	if (cp == NEL || cp == 0x84 || cp == 0x8D)
		leave_line(n);
}

static void take_ground(struct normaliser *n, uint32_t cp)
{
	if ((cp >= 0x20 && cp < DEL) || cp > 0x9F || cp == '\t') {
		put_char(n, cp);
		return;
	}
	if (cp >= 0x80) {
		control_high(n, cp);
		return;
	}
	switch (cp) {
	case '\n': emit_newline(n); break;
	case '\r': carriage_return(n); break;
	case BS: do_backspace(n); break;
	case ESC: n->state->mode = ESCAPE; break;
	case NUL: n->counts.nul++; break;
	case VT:
	case FF:
		n->counts.control++;
		leave_line(n);
		break;
	default: n->counts.control++; break;
	}
}

static void take_escape(struct normaliser *n, uint32_t cp)
{
	struct normaliser_state *s = n->state;

	s->mode = GROUND;
	if (cp == '[') {
		start_csi(n);
	} else if (cp < 0x80 && cp && strchr("]PX^_k", (int)cp)) {
		start_string(n, cp == ']');
	} else if (cp >= 0x20 && cp < 0x30) {
		n->counts.ansi++;
		s->nescape = 1;
		s->mode = ESCAPE_MORE;
	} else if (cp >= 0x30 && cp < DEL) {
		n->counts.ansi++;
		if (strchr("DEM", (int)cp))
			leave_line(n);
	} else {
		n->counts.control++; /* an ESC without a sequence */
		take_ground(n, cp);
	}
}

/* Sequences with intermediate bytes, such as ESC ( B. */
static void escape_more(struct normaliser *n, uint32_t cp)
{
	struct normaliser_state *s = n->state;

	if (cp >= 0x20 && cp < 0x30 && s->nescape < ESCAPE_MAX) {
		s->nescape++;
		return;
	}
	s->mode = GROUND;
	if (!(cp >= 0x30 && cp < DEL))
		take_ground(n, cp);
}

static void take_csi(struct normaliser *n, uint32_t cp)
{
	struct normaliser_state *s = n->state;

	if (cp >= 0x20 && cp < 0x40 && s->ncsi < CSI_MAX) {
		s->csi[s->ncsi++] = (char)cp;
		return;
	}
	s->mode = GROUND;
	if (cp >= 0x40 && cp < DEL) {
		act_on_csi(n, (char)cp);
		return;
	}
	if (cp >= 0x20 && cp < 0x40)
		for (size_t i = 0; i < s->ncsi; i++) /* too long for a sequence */
			put_char(n, (unsigned char)s->csi[i]);
	take_ground(n, cp);
}

/* OSC of the Linux console: P and seven hex digits, or R. They have no terminator. */
static bool is_palette(struct str s)
{
	if (s.n == 1)
		return s.p[0] == 'R';
	for (size_t i = 1; s.n == PALETTE_LEN && i < s.n; i++)
		if (!strchr("0123456789ABCDEFabcdef", s.p[i]) || !s.p[i])
			return false;
	return s.n == PALETTE_LEN && s.p[0] == 'P';
}

static void take_string(struct normaliser *n, uint32_t cp, struct str raw)
{
	struct normaliser_state *s = n->state;

	if (cp == BEL || cp == ST) {
		s->mode = GROUND;
	} else if (cp == ESC) {
		s->mode = STRING_ESCAPE;
	} else if (cp == '\n' || cp == CAN || cp == SUB || s->nstring + raw.n > STRING_MAX) {
		show_string(n);
		take_ground(n, cp);
	} else {
		memcpy(s->string + s->nstring, raw.p, raw.n);
		s->nstring += raw.n;
		if (s->osc && is_palette(str_n(s->string, s->nstring)))
			s->mode = GROUND;
	}
}

/* Processes one character, or one bad byte (UTF8_BAD). */
static void take_char(struct normaliser *n, uint32_t cp, struct str raw)
{
	struct normaliser_state *s = n->state;
	bool first = !s->started;

	s->started = true;
	if (first && cp == BOM) {
		n->counts.invisible++;
		return;
	}
	switch (s->mode) {
	case GROUND: take_ground(n, cp); break;
	case ESCAPE: take_escape(n, cp); break;
	case ESCAPE_MORE: escape_more(n, cp); break;
	case CSI: take_csi(n, cp); break;
	case STRING: take_string(n, cp, raw); break;
	case STRING_ESCAPE:
		if (cp == '\\') {
			s->mode = GROUND;
			break;
		}
		show_string(n);
		take_escape(n, cp);
		break;
	}
}

/* ---- UTF-8 ---- */

static void bad_bytes(struct normaliser *n)
{
	struct normaliser_state *s = n->state;
	unsigned have = s->have;

	s->have = s->need = 0;
	for (unsigned i = 0; i < have; i++)
		take_char(n, UTF8_BAD, str_n(s->seq + i, 1));
}

static void take_byte(struct normaliser *n, char byte)
{
	struct normaliser_state *s = n->state;
	unsigned char c = (unsigned char)byte;
	size_t i = 0;
	uint32_t cp;

	if (s->have && !utf8_continues(byte))
		bad_bytes(n);
	if (!s->have && c < 0x80) {
		take_char(n, c, str_n(&byte, 1));
		return;
	}
	if (!s->have)
		s->need = c >= 0xC2 && c < 0xE0 ? 2 : c >= 0xE0 && c < 0xF0 ? 3 : c >= 0xF0 &&
				c < 0xF5 ? 4 : 1;
	s->seq[s->have++] = byte;
	if (s->have < s->need)
		return;
	cp = utf8_next(str_n(s->seq, s->have), &i);
	if (cp == UTF8_BAD) {
		bad_bytes(n);
		return;
	}
	i = s->have;
	s->have = s->need = 0;
	take_char(n, cp, str_n(s->seq, i));
}

/* ---- ordinary bytes ---- */

#define EACH(c) ((uint64_t)0x0101010101010101u * (c))
#define HIGH EACH(0x80)

/* Returns how many bytes from `i` on are printable ASCII, tabs or newlines. Eight at a time. */
static size_t plain_run(struct str s, size_t i)
{
	size_t from = i;

	for (; i + 8 <= s.n; i += 8) {
		uint64_t w, low, odd;

		memcpy(&w, s.p + i, 8);
		if (w & HIGH)
			break;
		/* below 0x20 */
		low = ~(w + EACH(0x60)) & HIGH;
		/* neither newline nor tab */
		odd = low & ((w ^ EACH('\n')) + EACH(0x7F)) & ((w ^ EACH('\t')) + EACH(0x7F)) & HIGH;
		/* or DEL */
		if (odd | ((w + EACH(1)) & HIGH))
			break;
	}
	for (; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if ((c < 0x20 && c != '\n' && c != '\t') || c >= DEL)
			break;
	}
	return i - from;
}

/* Appends text without a newline to the line. */
static void append_text(struct normaliser *n, struct str text)
{
	struct normaliser_state *s = n->state;

	while (text.n) {
		size_t room = NORMALISE_LINE_MAX - s->len, k = text.n < room ? text.n : room;

		if (!k) {
			emit_line(n, NULL);
			continue;
		}
		memcpy(s->line + s->len, text.p, k);
		s->len += k;
		text = str_sub(text, k, text.n);
	}
}

static void take_plain(struct normaliser *n, struct str text)
{
	struct normaliser_state *s = n->state;
	ptrdiff_t nl = str_find(text, '\n', 0);
	const char *last;

	s->started = true;
	if (nl >= 0 && (s->len || s->is_long)) {
		append_text(n, str_sub(text, 0, (size_t)nl));
		emit_newline(n);
		text = str_sub(text, (size_t)nl + 1, text.n);
	}
	last = text.n ? memrchr(text.p, '\n', text.n) : NULL;
	if (last) {
		size_t whole = (size_t)(last - text.p) + 1;

		prose_lines(n->out, &s->prose, str_sub(text, 0, whole), &n->counts);
		text = str_sub(text, whole, text.n);
	}
	append_text(n, text);
}

/* Appends complete non-ASCII characters that are not controls to the line. Returns their length in bytes. */
static size_t take_wide(struct normaliser *n, struct str chunk, size_t from)
{
	struct normaliser_state *s = n->state;
	size_t i = from;

	while (s->started && i < chunk.n && (unsigned char)chunk.p[i] >= 0xC2) {
		size_t end = i;
		uint32_t cp = utf8_next(chunk, &end);

		if (cp == UTF8_BAD || cp <= 0x9F)
			break;
		if (s->len + (end - i) > NORMALISE_LINE_MAX)
			emit_line(n, NULL);
		for (; i < end; i++)
			s->line[s->len++] = chunk.p[i];
		s->beyond_ascii = true;
	}
	return i - from;
}

/* ---- the interface ---- */

void normaliser_start(struct normaliser *n, struct arena *a, const struct normalise_options *o,
		struct buf *out)
{
	struct normaliser_state *s = arena_new(a, struct normaliser_state);

	*n = (struct normaliser){.out = out, .state = s};
	s->a = a;
	s->line = arena_alloc(a, NORMALISE_LINE_MAX + 1);
	s->prose.timestamps = o && o->timestamps;
	buf_init(&s->scratch, a, 0);
}

void normaliser_feed(struct normaliser *n, struct str chunk)
{
	struct normaliser_state *s = n->state;

	for (size_t i = 0; i < chunk.n;) {
		bool ordinary = s->mode == GROUND && !s->have && !s->cr && !s->in_cells;
		size_t k = ordinary ?
				plain_run(str_n(chunk.p, chunk.n - i < FEED_PIECE ? chunk.n : i + FEED_PIECE),
				i) : 0;

		if (k)
			take_plain(n, str_sub(chunk, i, i + k));
		else if (ordinary)
			k = take_wide(n, chunk, i);
		if (!k)
			take_byte(n, chunk.p[i++]);
		i += k;
	}
}

void normaliser_end(struct normaliser *n)
{
	struct normaliser_state *s = n->state;

	bad_bytes(n);
	if (s->mode == STRING || s->mode == STRING_ESCAPE)
		show_string(n);
	else if (s->mode == ESCAPE)
		n->counts.control++;
	s->mode = GROUND;
	emit_line(n, "");
}

struct str normalise_text(struct arena *a, struct str raw, const struct normalise_options *o,
		struct sanitized *ret_counts)
{
	struct normaliser n;
	struct buf out;

	buf_init(&out, a, a->cap);
	normaliser_start(&n, a, o, &out);
	normaliser_feed(&n, raw);
	normaliser_end(&n);
	if (ret_counts)
		*ret_counts = n.counts;
	return buf_view(&out);
}

void sanitized_add(struct sanitized *to, const struct sanitized *more)
{
	const struct sanitized t = *to, m = *more;

	*to = (struct sanitized){.ansi = t.ansi + m.ansi, .osc = t.osc + m.osc,
			.control = t.control + m.control, .cr = t.cr + m.cr, .backspace = t.backspace +
			m.backspace, .nul = t.nul + m.nul,
		.bad_utf8 = t.bad_utf8 + m.bad_utf8, .bidi = t.bidi + m.bidi, .tags = t.tags + m.tags,
		.invisible = t.invisible + m.invisible, .markers = t.markers + m.markers,
		.timestamps = t.timestamps + m.timestamps};
}
