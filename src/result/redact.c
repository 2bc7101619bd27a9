/*
 * Redaction in one pass. A bit table over three bytes, built from prefixes and values, tells where a secret
 * could start; only there the rows and values are compared. Text that cannot be decided before more text
 * comes stays in `pending`, at most as long as the longest secret, so that the result does not depend on
 * chunks.
 */
#include "result/redact.h"

#include "base/utf8.h"
#include "result/redact_forms.h"

#define BITS 32768
#define PIECE ((size_t)64 << 10)  /* bytes of a chunk processed at a time */
#define VALUES_MAX 4096
#define VALUE_KIND "value"

struct form_at { /* forms, indexed by their possible first bytes */
	struct form_at *next;
	const struct form *form;
};

struct redactor {
	struct arena *a;
	struct str *values;       /* longest first */
	size_t nvalues;
	struct form_at *forms[256];
	unsigned char bits[BITS / 8];
	struct buf pending;
	size_t hidden;            /* bytes of pending that are not written */
	char before;              /* last byte written */
	uint64_t count;
	bool command;             /* see redact_command() */
};

static unsigned slot(const char *p)
{
	return ((unsigned)(unsigned char)p[0] ^ (unsigned)(unsigned char)p[1] << 5 ^ (unsigned)(
			unsigned char)p[2] << 10) & (BITS - 1);
}

static void mark_start(struct redactor *r, const char *p)
{
	unsigned s = slot(p);

	r->bits[s / 8] |= (unsigned char)(1u << s % 8);
}

static char to_lower(char c) { return ascii_is_letter(c) ? (char)(c | 0x20) : c; }

/* Marks all spellings of the first three letters. */
static void mark_nocase(struct redactor *r, const char *p)
{
	for (unsigned ways = 0; ways < 8; ways++) {
		char c[REDACT_PREFIX_MIN];

		for (unsigned i = 0; i < REDACT_PREFIX_MIN; i++)
			c[i] = ascii_is_letter(p[i]) && ways >> i & 1 ? (char)(p[i] & ~0x20) : p[i];
		mark_start(r, c);
	}
}

static void mark_rows(struct redactor *r)
{
	for (size_t i = 0; i < redact_nrows; i++) {
		if (redact_rows[i].flags & ROW_NOCASE)
			mark_nocase(r, redact_rows[i].prefix);
		else
			mark_start(r, redact_rows[i].prefix);
	}
}

struct marking {
	struct redactor *r;
	const struct form *form;
};

static void mark_form(void *ctx, const char *three)
{
	struct marking *m = ctx;
	struct form_at **at = &m->r->forms[(unsigned char)three[0]];

	mark_start(m->r, three);
	if (*at && (*at)->form == m->form)
		return;
	struct form_at *f = arena_copy(m->r->a, (struct form_at){.next = *at, .form = m->form});
	*at = f;
}

static void add_forms(struct redactor *r, struct str value)
{
	struct form *forms = arena_array(r->a, FORMS_MAX, sizeof(*forms));
	size_t n = forms_of(r->a, value, forms);

	for (size_t i = 0; i < n; i++)
		form_starts(&forms[i], mark_form, &(struct marking){r, &forms[i]});
}

/* Trims blanks from a value, since programs may print it without them. */
static struct str trim_value(struct str s)
{
	return str_sub(str_trim(s, " \t\r\n"), 0, REDACT_VALUE_MAX);
}

struct redactor *redactor_new(struct arena *a, const struct str *values, size_t n)
{
	struct redactor *r = arena_new(a, struct redactor);

	r->a = a;
	if (n > VALUES_MAX)
		arena_leave(a, ARENA_FULL); /* dropping some would reveal them */
	r->values = n ? arena_array(a, n, sizeof(*values)) : NULL;
	for (size_t i = 0; i < n; i++) {
		struct str v = trim_value(values[i]);
		size_t at = r->nvalues;

		if (v.n < REDACT_VALUE_MIN || !utf8_valid(v))
			continue; /* normalised text is always UTF-8 */
		for (; at && r->values[at - 1].n < v.n; at--)
			r->values[at] = r->values[at - 1];
		r->values[at] = str_dup(a, v);
		r->nvalues++;
		mark_start(r, v.p);
	}
	for (size_t i = r->nvalues; i; i--) /* so that the longest is first in each list */
		add_forms(r, r->values[i - 1]);
	mark_rows(r);
	buf_init(&r->pending, a, REDACT_MATCH_MAX + PIECE);
	return r;
}

/* ---- matching at one offset ---- */

struct match {
	const char *kind;
	size_t from, to;
};

/* FOUND_MORE if the text ends inside it. */
static enum found starts_with(struct str s, struct str with, bool nocase, bool more)
{
	size_t n = s.n < with.n ? s.n : with.n;

	for (size_t i = 0; i < n; i++)
		if (nocase ? to_lower(s.p[i]) != with.p[i] : s.p[i] != with.p[i])
			return FOUND_NO;
	return n == with.n ? FOUND_YES : more ? FOUND_MORE : FOUND_NO;
}

static enum found match_value(const struct redactor *r, const struct candidate *c, struct match *ret)
{
	for (size_t i = 0; i < r->nvalues; i++) {
		enum found f = starts_with(c->text, r->values[i], false, c->more);

		if (f == FOUND_NO)
			continue;
		*ret = (struct match){VALUE_KIND, 0, r->values[i].n};
		return f;
	}
	for (const struct form_at *at = c->text.n ? r->forms[(unsigned char)c->text.p[0]] : NULL; at;
			at = at->next) {
		size_t to = 0;
		enum found f = form_match(at->form, c, &to);

		if (f == FOUND_NO)
			continue;
		*ret = (struct match){VALUE_KIND, 0, to};
		return f;
	}
	return FOUND_NO;
}

static enum found match_run(const struct redact_row *row, const struct candidate *c, size_t *ret_from,
		size_t *ret_to)
{
	size_t from = strlen(row->prefix), most = from + (row->max ? row->max : REDACT_MATCH_MAX - from),
			at = from;
	bool digits = false;

	for (; at < c->text.n && at < most && redact_in_set(row->set, c->text.p[at]); at++)
		digits |= ascii_is_digit(c->text.p[at]);
	if (at >= c->text.n && c->more && at < REDACT_MATCH_MAX)
		return FOUND_MORE;
	if (at - from < row->min || ((row->flags & ROW_DIGIT) && !digits))
		return FOUND_NO;
	if ((row->flags & ROW_EXACT) && at < c->text.n && redact_in_set("A-Za-z0-9_", c->text.p[at]))
		return FOUND_NO;
	*ret_from = 0;
	*ret_to = at;
	return FOUND_YES;
}

static enum found match_row(const struct redact_row *row, const struct candidate *c, char before,
		struct match *ret)
{
	enum found f;

	if (!(row->flags & ROW_INSIDE) && redact_in_set("A-Za-z0-9_", before))
		return FOUND_NO;
	f = starts_with(c->text, str_of(row->prefix), row->flags & ROW_NOCASE, c->more);
	if (f != FOUND_YES)
		return f;
	ret->kind = row->kind;
	return row->shape == SHAPE_RUN ? match_run(row, c, &ret->from, &ret->to) : redact_shape(row->shape, c,
			&ret->from, &ret->to);
}

/*
 * A match may contain a value, or its start: in the part that it would leave visible (the user of a URL), or
 * across its end. Then both are replaced.
 */
static enum found widen_match(const struct redactor *r, const struct candidate *c, struct match *m)
{
	for (size_t i = 1; i < m->to && i + REDACT_PREFIX_MIN <= c->text.n; i++) {
		unsigned s = slot(c->text.p + i);
		struct match inner = {0};
		enum found f;

		if (!(r->bits[s / 8] >> s % 8 & 1))
			continue;
		f = match_value(r, &(struct candidate){str_sub(c->text, i, c->text.n), c->more, c->command},
				&inner);
		if (f == FOUND_MORE)
			return f;
		if (f == FOUND_NO)
			continue;
		m->from = i < m->from ? i : m->from;
		m->to = i + inner.to > m->to ? i + inner.to : m->to;
	}
	/* too short to tell if a value starts */
	return m->to + REDACT_PREFIX_MIN > c->text.n && c->more ? FOUND_MORE : FOUND_YES;
}

/* Values are certainly secret, so they come first; then the first matching row. */
static enum found match_at(const struct redactor *r, const struct candidate *c, char before,
		struct match *ret)
{
	enum found f = match_value(r, c, ret);

	for (size_t i = 0; f == FOUND_NO && i < redact_nrows; i++)
		if (to_lower(redact_rows[i].prefix[0]) == to_lower(c->text.p[0]))
			f = match_row(&redact_rows[i], c, before, ret);
	return f == FOUND_YES && r->nvalues ? widen_match(r, c, ret) : f;
}

/* ---- scanning a text ---- */

static void put_shown(const struct redactor *r, struct str text, size_t from, size_t to, struct buf *out)
{
	from = from < r->hidden ? r->hidden : from;
	if (from < to)
		buf_add(out, text.p + from, to - from);
}

/* Appends all decided text to out; returns its length in the input. */
static size_t scan_secrets(struct redactor *r, struct str text, bool more, struct buf *out)
{
	size_t shown = 0, i = 0;

	while (i + REDACT_PREFIX_MIN <= text.n) {
		unsigned s = slot(text.p + i);
		struct match m = {0};
		enum found f;

		if (!(r->bits[s / 8] >> s % 8 & 1)) {
			i++;
			continue;
		}
		f = match_at(r, &(struct candidate){str_sub(text, i, text.n), more, r->command},
				i > shown ? text.p[i - 1] : r->before, &m);
		if (f == FOUND_MORE)
			break;
		if (f == FOUND_NO) {
			i++;
			continue;
		}
		put_shown(r, text, shown, i + m.from, out);
		r->before = ']';
		if (i + m.to > r->hidden) {
			buf_fmt(out, "[redacted:%s]", m.kind);
			r->count++;
		}
		i = shown = i + m.to;
	}
	if (!more)
		i = text.n;
	for (int back = 0; more && back < 3 && i > shown && i < text.n &&
			((unsigned char)text.p[i] & 0xC0) == 0x80; back++)
		i--; /* not inside a character: the consumer may process each piece separately */
	put_shown(r, text, shown, i, out);
	if (i > shown)
		r->before = text.p[i - 1];
	r->hidden -= i < r->hidden ? i : r->hidden;
	return i;
}

void redactor_feed(struct redactor *r, struct str chunk, struct buf *out)
{
	while (chunk.n) {
		size_t room = REDACT_MATCH_MAX + PIECE - r->pending.n, k = chunk.n < room ? chunk.n : room,
				done;

		buf_add(&r->pending, chunk.p, k);
		chunk = str_sub(chunk, k, chunk.n);
		done = scan_secrets(r, buf_view(&r->pending), true, out);
		memmove(r->pending.p, r->pending.p + done, r->pending.n - done);
		r->pending.n -= done;
	}
}

void redactor_end(struct redactor *r, struct buf *out)
{
	scan_secrets(r, buf_view(&r->pending), false, out);
	r->pending.n = 0;
	r->before = 0;
}

size_t redactor_hide(struct redactor *r)
{
	r->hidden = r->pending.n;
	return r->hidden;
}

size_t redactor_held(const struct redactor *r)
{
	return r->pending.n > r->hidden ? r->pending.n - r->hidden : 0;
}

struct str redact_text(struct arena *a, struct redactor *r, struct str text, uint64_t *ret_count)
{
	uint64_t before = r->count;
	struct buf out;

	buf_init(&out, a, a->cap);
	r->before = 0;
	scan_secrets(r, text, false, &out);
	r->before = 0;
	if (ret_count)
		*ret_count = r->count - before;
	return buf_view(&out);
}

struct str redact_command(struct arena *a, struct redactor *r, struct str text)
{
	struct str s;

	r->command = true;
	s = redact_text(a, r, text, NULL);
	r->command = false;
	return s;
}

uint64_t redactor_count(const struct redactor *r) { return r->count; }

const char *redact_kind(size_t i)
{
	if (i == redact_nrows)
		return VALUE_KIND;
	return i < redact_nrows ? redact_rows[i].kind : NULL;
}
