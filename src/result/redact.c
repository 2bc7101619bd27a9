/*
 * Redaction in one pass. Bit tables over three or four bytes tell where a secret could start; only there the
 * rows and values are compared. The tables of prefixes and names are made when Caisson is built. Text that
 * cannot be decided before more text comes stays in `pending`, at most as long as the longest secret, so that
 * the result does not depend on chunks. The bytes before it are kept as well, for names.
 *
 * Invisible characters, raw or as the normaliser escapes them, could split a secret. They are taken out
 * first (gaps), and put back where nothing was found.
 */
#include "result/redact.h"

#include "base/utf8.h"
#include "result/redact_forms.h"
#include "result/redact_gaps.h"

#define GROUP 8 /* places looked up together */
#define PIECE ((size_t)64 << 10)  /* bytes of a chunk processed at a time */
#define PENDING_MAX (REDACT_BEHIND_MAX + REDACT_MATCH_MAX + PIECE)
#define GAPS_MAX ((size_t)64 << 10) /* bytes of invisible characters in undecided text */
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
	uint32_t *values_three;   /* starts of values, by three bytes; NULL without values */
	struct buf pending;       /* context, then undecided text */
	size_t context;           /* bytes of pending that are decided */
	size_t barrier;           /* bytes of pending up to the end of the last secret */
	size_t hidden;            /* bytes of pending that are not written */
	struct gaps gaps;         /* of pending */
	char before;              /* character before pending */
	uint64_t count;
	bool command;             /* see redact_command() */
};

static bool may_start_value(const struct redactor *r, const char *p)
{
	return start_is_marked(r->values_three, start_slot(start_of_three(p)));
}

static void mark_value(struct redactor *r, const char *p)
{
	start_mark(r->values_three, start_slot(start_of_three(p)));
}

static bool may_start_form(unsigned s, char before)
{
	return start_is_marked(secret_inside_four, s) || (start_is_marked(secret_forms_four, s) &&
			!ascii_is_letter(before) && !ascii_is_digit(before));
}

/* `before`: 0 where it is not known: at the start of a text and after a secret. */
static bool may_start_kind(unsigned s, char before)
{
	return start_is_marked(secret_names_four, s) || may_start_form(s, before);
}

/* a number: sums of it need no branch */
static unsigned may_start(const char *p)
{
	return start_is_marked(secret_four, start_slot(start_of_four(p)));
}

/* Returns the next group from `i` on in which a form or name could start, or a place near `stop`. */
static size_t next_group(const char *p, size_t i, size_t stop)
{
	for (; i + GROUP <= stop; i += GROUP)
		if ((may_start(p + i) | may_start(p + i + 1) | may_start(p + i + 2) | may_start(p + i + 3)) |
				(may_start(p + i + 4) | may_start(p + i + 5) | may_start(p + i + 6) |
				may_start(p + i + 7))) /* without a branch for each */
			break;
	return i;
}

/*
 * Returns the first place from `i` on, and before `last`, where a secret could start; else `last`. Groups of
 * places are looked up first: the branch is hardly ever mispredicted.
 */
static size_t next_start(const struct redactor *r, struct str text, size_t i, size_t last)
{
	const char *p = text.p;
	size_t stop = text.n < START_LENGTH ? 0 : text.n - START_LENGTH + 1, from = i;

	while (i < stop) {
		size_t group;

		if (!r->nvalues)
			i = next_group(p, i, stop);
		for (group = i + GROUP < stop ? i + GROUP : stop; i < group; i++) {
			uint32_t w = start_of_four(p + i);

			if (start_is_marked(secret_four, start_slot(w)) &&
					may_start_kind(start_kind_slot(w), i > from ? p[i - 1] : 0))
				return i;
			if (r->nvalues && may_start_value(r, p + i))
				return i;
		}
	}
	return i < last ? i : last; /* too short to tell */
}

struct marking {
	struct redactor *r;
	const struct form *form;
};

static void mark_form(void *ctx, const char *three)
{
	struct marking *m = ctx;
	struct form_at **at = &m->r->forms[(unsigned char)three[0]];

	mark_value(m->r, three);
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
	if (n) {
		r->values = arena_array(a, n, sizeof(*values));
		r->values_three = arena_array(a, START_WORDS, sizeof(*r->values_three));
	}
	for (size_t i = 0; i < n; i++) {
		struct str v = trim_value(values[i]);
		size_t at = r->nvalues;

		if (v.n < REDACT_VALUE_MIN || !utf8_valid(v))
			continue; /* normalised text is always UTF-8 */
		for (; at && r->values[at - 1].n < v.n; at--)
			r->values[at] = r->values[at - 1];
		r->values[at] = str_dup(a, v);
		r->nvalues++;
		mark_value(r, v.p);
	}
	for (size_t i = r->nvalues; i; i--) /* so that the longest is first in each list */
		add_forms(r, r->values[i - 1]);
	buf_init(&r->pending, a, PENDING_MAX);
	gaps_init(&r->gaps, a, GAPS_MAX);
	return r;
}

/* ---- matching at one offset ---- */

/* FOUND_MORE if the text ends inside it. */
static enum found starts_with(struct str s, struct str with, bool more)
{
	size_t n = s.n < with.n ? s.n : with.n;

	if (memcmp(s.p, with.p, n) != 0)
		return FOUND_NO;
	return n == with.n ? FOUND_YES : more ? FOUND_MORE : FOUND_NO;
}

static enum found match_value(const struct redactor *r, const struct candidate *c, struct match *ret)
{
	for (size_t i = 0; i < r->nvalues; i++) {
		enum found f = starts_with(c->text, r->values[i], c->more);

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

/*
 * A match may contain a value, or its start: in the part that it would leave visible (the user of a URL), or
 * across its end. Then both are replaced.
 */
static enum found widen_match(const struct redactor *r, const struct candidate *c, struct match *m)
{
	for (size_t i = 1; i < m->to && i + REDACT_PREFIX_MIN <= c->text.n; i++) {
		struct match inner = {0};
		enum found f;

		if (!may_start_value(r, c->text.p + i))
			continue;
		f = match_value(r, &(struct candidate){.text = str_sub(c->text, i, c->text.n),
				.more = c->more, .command = c->command}, &inner);
		if (f == FOUND_MORE)
			return f;
		if (f == FOUND_NO)
			continue;
		if (i <= m->from && i + inner.to >= m->to)
			m->kind = VALUE_KIND;
		m->from = i < m->from ? i : m->from;
		m->to = i + inner.to > m->to ? i + inner.to : m->to;
	}
	/* too short to tell if a value starts */
	return m->to + REDACT_PREFIX_MIN > c->text.n && c->more ? FOUND_MORE : FOUND_YES;
}

/* Values are certainly secret, so they come first; then the first matching form; then names. */
static enum found match_at(const struct redactor *r, const struct candidate *c, struct match *ret)
{
	bool is_short = c->text.n < START_LENGTH; /* too short to look up */
	unsigned s = is_short ? 0 : start_kind_slot(start_of_four(c->text.p));
	enum found f = r->nvalues ? match_value(r, c, ret) : FOUND_NO;

	if (f == FOUND_NO && (is_short || may_start_form(s, c->before)))
		f = redact_forms_at(c, ret);
	if (f == FOUND_NO && (is_short || start_is_marked(secret_names_four, s)))
		f = redact_names_at(c, ret);
	return f == FOUND_YES && r->nvalues ? widen_match(r, c, ret) : f;
}

/* ---- scanning a text ---- */

struct secret_scan { /* a text without its gaps */
	struct str text;
	const struct gaps *gaps;
	size_t start, barrier; /* decided before; end of the last secret */
	bool more;
};

static void put_shown(const struct redactor *r, const struct secret_scan *s, size_t from, size_t to,
		struct buf *out)
{
	gaps_put(s->gaps, s->text, from < r->hidden ? r->hidden : from, to, out);
}

static struct candidate candidate_at(const struct redactor *r, const struct secret_scan *s, size_t i)
{
	struct candidate c = {.text = str_sub(s->text, i, s->text.n), .more = s->more, .command = r->command,
			.before = i ? s->text.p[i - 1] : r->before};

	c.behind = i - s->barrier < REDACT_BEHIND_MAX ? i - s->barrier : REDACT_BEHIND_MAX;
	if (s->barrier && i == s->barrier)
		c.before = ']';
	return c;
}

/* Appends all decided text to out; returns its length in the input. */
static size_t scan_secrets(struct redactor *r, struct secret_scan *s, struct buf *out)
{
	size_t shown = s->start, i = s->start, last = s->text.n < REDACT_PREFIX_MIN ? 0 : s->text.n -
			REDACT_PREFIX_MIN + 1;

	while (i < last && (i = next_start(r, s->text, i, last)) < last) {
		struct candidate c = candidate_at(r, s, i);
		struct match m = {0};
		enum found f = match_at(r, &c, &m);

		if (f == FOUND_MORE)
			break;
		if (f == FOUND_NO) {
			i++;
			continue;
		}
		put_shown(r, s, shown, i + m.from, out);
		if (i + m.to > r->hidden) {
			buf_fmt(out, "[redacted:%s]", m.kind);
			r->count++;
		}
		i = shown = s->barrier = i + m.to;
	}
	if (!s->more)
		i = s->text.n;
	for (int back = 0; s->more && back < 3 && i > shown && i < s->text.n &&
			utf8_continues(s->text.p[i]); back++)
		i--; /* not inside a character: the consumer may process each piece separately */
	put_shown(r, s, shown, i, out);
	return i;
}

/* Scans pending text and drops all of it that is decided, but for the context of names. */
static void scan_pending(struct redactor *r, bool more, struct buf *out)
{
	struct secret_scan s = {buf_view(&r->pending), &r->gaps, r->context, r->barrier, more};
	size_t done = scan_secrets(r, &s, out), keep = done < REDACT_BEHIND_MAX ? done : REDACT_BEHIND_MAX,
			drop = done - keep;

	if (drop) {
		r->before = r->pending.p[drop - 1];
		memmove(r->pending.p, r->pending.p + drop, r->pending.n - drop);
	}
	r->pending.n -= drop;
	gaps_drop(&r->gaps, done, drop);
	r->context = keep;
	r->barrier = s.barrier > drop ? s.barrier - drop : 0;
	r->hidden = r->hidden > drop ? r->hidden - drop : 0;
}

void redactor_feed(struct redactor *r, struct str chunk, struct buf *out)
{
	while (chunk.n) {
		size_t room = PENDING_MAX - GAP_MAX - r->pending.n, k = chunk.n < room ? chunk.n : room;

		gaps_feed(&r->gaps, str_sub(chunk, 0, k), &r->pending);
		chunk = str_sub(chunk, k, chunk.n);
		scan_pending(r, true, out);
	}
}

void redactor_end(struct redactor *r, struct buf *out)
{
	gaps_flush(&r->gaps, &r->pending);
	scan_pending(r, false, out);
	gaps_put_last(&r->gaps, r->pending.n, out);
	r->pending.n = r->context = r->barrier = r->hidden = 0;
	gaps_clear(&r->gaps);
	r->before = 0;
}

size_t redactor_hide(struct redactor *r)
{
	size_t n;

	gaps_flush(&r->gaps, &r->pending);
	n = r->pending.n - r->context + gaps_bytes(&r->gaps);
	gaps_clear(&r->gaps);
	r->hidden = r->pending.n;
	return n;
}

size_t redactor_held(const struct redactor *r)
{
	size_t from = r->hidden > r->context ? r->hidden : r->context;

	return r->pending.n - from + gaps_bytes(&r->gaps);
}

struct str redact_text(struct arena *a, struct redactor *r, struct str text, uint64_t *ret_count)
{
	uint64_t before = r->count;
	struct secret_scan s = {.text = text};
	struct gaps gaps;
	struct buf out, plain;

	buf_init(&out, a, a->cap);
	buf_init(&plain, a, a->cap);
	gaps_init(&gaps, a, SIZE_MAX);
	if (gaps_any(text)) {
		gaps_feed(&gaps, text, &plain);
		gaps_flush(&gaps, &plain);
		s.text = buf_view(&plain);
	}
	s.gaps = &gaps;
	r->before = 0;
	scan_secrets(r, &s, &out);
	gaps_put_last(&gaps, s.text.n, &out);
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
	if (i < secret_nforms)
		return secret_text(secret_forms[i].kind);
	i -= secret_nforms;
	if (i < secret_nnames)
		return secret_text(secret_names[i].kind);
	i -= secret_nnames;
	if (i < secret_nvendors)
		return secret_text(secret_vendors[i].kind);
	return i == secret_nvendors ? VALUE_KIND : NULL;
}
