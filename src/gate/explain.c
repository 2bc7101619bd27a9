/*
 * Shows a judgement to a person. Each text (the request, and below it every text derived from it) is printed
 * with marks under its lines:
 *
 *     1 | git status && rm -rf build
 *       | ^~~~~~~~~~ 1
 *       |               ^~~~~~~~~~~~ 2
 *
 * The numbers refer to the list of commands after it; '!' marks reasons. These sections follow, if not empty:
 * commands with their knowledge, files with their places, network, code, the rules that matched by tier,
 * reasons, warnings, advice. The verdict comes last. Columns count code points; tabs expand to multiples of
 * eight; control and invisible characters are spelt out, so the output shows exactly what is there.
 */
#include <stdlib.h>

#include "base/chars.h"
#include "base/wrap.h"
#include "gate/judge.h"

#define TAB 8
#define GUTTER 9
#define EXPLAIN_LINES_MAX 200 /* printed lines of each text */
#define EXPLAIN_TEXTS_MAX 50
#define EXPLAIN_MARKS_MAX 400
#define EXPLAIN_ROWS_MAX 500  /* printed items of each list */
#define EXPLAIN_MATCHES_MAX 5 /* printed files of one pattern */
#define WIDTH_MIN 40
#define REASON_INDENT 6 /* of further lines of a reason */

enum explain_tint { TINT_NONE, TINT_DIM, TINT_BOLD, TINT_RED, TINT_YELLOW, TINT_GREEN, TINT_CYAN };
static const char tints[][8] = {"", "\033[2m", "\033[1m", "\033[31m", "\033[33m", "\033[32m", "\033[36m"};

struct label {
	struct span at;
	struct str label;
	enum explain_tint tint;
};

struct explain {
	struct buf *out;
	struct arena *a;
	const struct facts *f;
	const struct judgement *j;
	struct explain_style style;
	struct label labels[EXPLAIN_MARKS_MAX];
	size_t nlabels;
};

/* ---- text that is safe to print ---- */

/* Appends the character at s[*i] as it appears at this column. Returns its width in columns. */
static unsigned show_char(struct buf *b, struct str s, size_t *i, unsigned col)
{
	size_t n = b->n;

	if (s.p[*i] == '\t') {
		buf_add(b, "        ", TAB - col % TAB);
		(*i)++;
		return TAB - col % TAB;
	}
	return char_put_visible(b, s, i) ? (unsigned)(b->n - n) : 1;
}

static void put_visible_text(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n;) {
		if (s.p[i] == '\n') {
			buf_c(b, "\\n");
			i++;
		} else {
			show_char(b, s, &i, TAB - 1); /* here a tab is one blank */
		}
	}
}

static void tint_on(struct buf *b, struct explain_style st, enum explain_tint t)
{
	if (st.colour)
		buf_c(b, tints[t]);
}

static void tint_off(struct buf *b, struct explain_style st)
{
	if (st.colour)
		buf_c(b, "\033[0m");
}

static void put_tinted(struct buf *b, struct explain_style st, enum explain_tint t, const char *text)
{
	tint_on(b, st, t);
	buf_c(b, text);
	tint_off(b, st);
}

/* ---- lines with marks under them ---- */

struct source_line {
	uint32_t text;
	size_t from, to; /* byte range of the text; a part of a line that is wider than the terminal */
};

static void put_gutter(struct explain *x, size_t number)
{
	tint_on(x->out, x->style, TINT_DIM);
	if (number)
		buf_fmt(x->out, "%6zu | ", number);
	else
		buf_c(x->out, "       | ");
	tint_off(x->out, x->style);
}

/* Computes the columns of the bytes `from` and `to` in this line. */
static void columns_of(struct explain *x, const struct source_line *l, struct span at, unsigned *ret_from,
		unsigned *ret_to)
{
	struct str s = x->f->texts[l->text].bytes;
	struct buf scratch;
	unsigned col = 0;

	buf_init(&scratch, x->a, 0);
	*ret_from = *ret_to = 0;
	for (size_t i = l->from; i < l->to;) {
		if (i <= at.from)
			*ret_from = col;
		scratch.n = 0;
		col += show_char(&scratch, s, &i, col);
		if (i <= at.from)
			*ret_from = col;
		if (i <= at.to)
			*ret_to = col;
		else if (*ret_to <= *ret_from)
			*ret_to = col;
		if (i >= at.to)
			break;
	}
	if (*ret_to <= *ret_from)
		*ret_to = *ret_from + 1;
}

static bool on_line(const struct label *m, const struct source_line *l)
{
	return m->at.text == l->text && m->at.from < l->to && (m->at.to > l->from || m->at.from >= l->from);
}

/* Marks keep their order and share rows as long as they do not touch. */
static void put_marks(struct explain *x, const struct source_line *l)
{
	bool done[EXPLAIN_MARKS_MAX] = {false};

	for (;;) {
		unsigned col = 0;
		bool any = false;

		for (size_t i = 0; i < x->nlabels; i++) {
			const struct label *m = &x->labels[i];
			unsigned from, to;

			if (done[i] || !on_line(m, l))
				continue;
			columns_of(x, l, m->at, &from, &to);
			if (any && from < col + 1)
				continue;
			if (!any)
				put_gutter(x, 0);
			for (; col < from; col++)
				buf_char(x->out, ' ');
			tint_on(x->out, x->style, m->tint);
			for (; col < to; col++)
				buf_char(x->out, col == from && m->at.from >= l->from ? '^' : '~');
			buf_char(x->out, ' ');
			buf_str(x->out, m->label);
			tint_off(x->out, x->style);
			col += 1 + (unsigned)m->label.n;
			done[i] = any = true;
		}
		if (!any)
			return;
		buf_char(x->out, '\n');
	}
}

/*
 * Prints one line of a text in pieces as wide as the terminal, each with its marks, at most `rows` of them.
 * Returns how far it came.
 */
static size_t put_line(struct explain *x, uint32_t text, size_t from, size_t to, size_t number, size_t rows)
{
	struct str s = x->f->texts[text].bytes;
	unsigned room = x->style.width - GUTTER - 3; /* and a number after the marks */
	size_t i = from;

	do {
		struct source_line l = {.text = text, .from = i};
		unsigned col = 0;

		put_gutter(x, i == from ? number : 0);
		while (i < to && col < room)
			col += show_char(x->out, s, &i, col);
		buf_char(x->out, '\n');
		l.to = i;
		put_marks(x, &l);
	} while (i < to && --rows > 0);
	return i;
}

static void put_text(struct explain *x, uint32_t text)
{
	struct str s = x->f->texts[text].bytes;
	size_t number = 1, from = 0;

	for (; from <= s.n && number <= EXPLAIN_LINES_MAX; number++) {
		size_t to = str_end(s, '\n', from);

		if (from == s.n && number > 1)
			break; /* nothing follows the last newline */
		from = put_line(x, text, from, to, number, EXPLAIN_LINES_MAX - number + 1);
		if (from < to)
			break;
		from++;
	}
	if (from < s.n)
		buf_fmt(x->out, "       ... (%zu bytes more)\n", s.n - from);
}

static void put_texts(struct explain *x)
{
	for (uint32_t i = 0; i < x->f->ntexts && i < EXPLAIN_TEXTS_MAX; i++) {
		const struct text *t = &x->f->texts[i];

		if (i > 0) {
			struct str source = text_source(x->out->a, t);

			tint_on(x->out, x->style, TINT_DIM);
			buf_fmt(x->out, "\n   text %u: %.*s, from text %u at byte %u\n", i, STR_ARG(source),
					t->in, t->origin.from);
			tint_off(x->out, x->style);
		}
		put_text(x, i);
	}
	if (x->f->ntexts > EXPLAIN_TEXTS_MAX)
		buf_fmt(x->out, "   ... (%zu texts more)\n", x->f->ntexts - EXPLAIN_TEXTS_MAX);
}

/* ---- marks ---- */

static enum explain_tint verdict_tint(enum verdict v)
{
	return v == VERDICT_ALLOW ? TINT_GREEN : v == VERDICT_DENY ? TINT_RED : TINT_YELLOW;
}

static void add_mark(struct explain *x, struct span at, struct str label, enum explain_tint tint)
{
	if (x->nlabels < EXPLAIN_MARKS_MAX && at.text < x->f->ntexts)
		x->labels[x->nlabels++] = (struct label){.at = at, .label = label, .tint = tint};
}

/* Sorts from left to right, longer marks first, so that they need few rows. */
static int mark_order(const void *p, const void *q)
{
	const struct label *a = p, *b = q;

	if (a->at.text != b->at.text)
		return a->at.text < b->at.text ? -1 : 1;
	if (a->at.from != b->at.from)
		return a->at.from < b->at.from ? -1 : 1;
	if (a->at.to != b->at.to)
		return a->at.to > b->at.to ? -1 : 1;
	return str_cmp(a->label, b->label);
}

static void collect_marks(struct explain *x, const struct judgement *j)
{
	size_t n = 0;

	for (const struct command *c = x->f->commands; c; c = c->next)
		add_mark(x, c->at, str_fmt(x->a, "%zu", ++n), TINT_CYAN);
	for (const struct reason *r = j->reasons; r; r = r->next)
		if (r->at.to > r->at.from)
			add_mark(x, r->at, str_fmt(x->a, "! %s", check_name(r->id)), TINT_YELLOW);
	qsort(x->labels, x->nlabels, sizeof(*x->labels), mark_order);
}

static bool plain_char(char c)
{
	return ascii_is_alnum_or(c, "_-./=:,@%+") || (unsigned char)c >= 0x80;
}

/* Appends a text with <...> for its holes. */
static void show_holes(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n;) {
		size_t from = i;

		while (i < s.n && !text_hole(s.p[i]))
			i++;
		put_visible_text(b, str_sub(s, from, i));
		if (i < s.n)
			buf_c(b, s.p[i] == HOLE_NUM ? "<number>" : s.p[i] == HOLE_NAME ? "<name>" :
					"<unknown>"), i++;
	}
}

static void show_word(struct buf *b, const struct word *w)
{
	bool plain = w->text.n > 0;

	for (size_t i = 0; i < w->text.n && plain; i++)
		plain = plain_char(w->text.p[i]);
	if (w->kind == WORD_EXACT) {
		buf_c(b, plain ? "" : "'");
		put_visible_text(b, w->text);
		buf_c(b, plain ? "" : "'");
	} else if (w->text.n && (w->glob || w->kind == WORD_UNKNOWN)) {
		show_holes(b, w->text);
	} else {
		buf_c(b, w->kind == WORD_REST ? "<any words>" : "<unknown>");
	}
}

/* ---- findings: lists, one line for each item ---- */

static void put_title(struct explain *x, size_t *n, const char *text)
{
	if ((*n)++)
		return;
	tint_on(x->out, x->style, TINT_BOLD);
	buf_fmt(x->out, "\n%s\n", text);
	tint_off(x->out, x->style);
}

static void put_dim(struct explain *x, const char *text) { put_tinted(x->out, x->style, TINT_DIM, text); }

static void put_via(struct explain *x, const struct via *v)
{
	tint_on(x->out, x->style, TINT_DIM);
	buf_c(x->out, "   (");
	/* innermost first; a direct outermost level is no news */
	for (const struct via *p = v; p && (p == v || p->outer); p = p->outer) {
		buf_c(x->out, p == v ? "" : " < ");
		buf_str(x->out, via_text(x->a, p));
	}
	buf_c(x->out, ")");
	tint_off(x->out, x->style);
}

static const struct known *known_of(const struct explain *x, const struct command *c)
{
	for (const struct known *k = x->j->known; k; k = k->next)
		if (k->command == c)
			return k;
	return NULL;
}

/* Appends the effects of this form's knowledge row: "git push: network". */
static void put_known(struct explain *x, const struct command *c)
{
	/* indexed by EFFECT_ bit */
	static const char effects[][20] = {"network", "privilege", "persistence", "system", "history",
			"runs the workspace"};
	const struct known *k = known_of(x, c);
	const char *sep = ": ";

	if (!k)
		return;
	tint_on(x->out, x->style, TINT_DIM);
	buf_fmt(x->out, "   [%s%s", k->row ? k->row : "", k->own ? ", a row of your own" : "");
	if (k->readonly) {
		buf_fmt(x->out, "%sonly reads", sep);
		sep = ", ";
	}
	for (size_t i = 0; i < ARRAY_SIZE(effects); i++)
		if (k->effects >> i & 1) {
			buf_fmt(x->out, "%s%s", sep, effects[i]);
			sep = ", ";
		}
	buf_char(x->out, ']');
	tint_off(x->out, x->style);
}

static void put_commands(struct explain *x)
{
	size_t n = 0;

	for (const struct command *c = x->f->commands; c; c = c->next) {
		put_title(x, &n, "commands");
		if (n > EXPLAIN_ROWS_MAX) {
			buf_c(x->out, "       ...\n");
			return;
		}
		buf_fmt(x->out, "%6zu ", n);
		for (const struct setting *s = c->settings; s; s = s->next) {
			buf_char(x->out, ' ');
			put_visible_text(x->out, s->name);
			buf_char(x->out, '=');
			show_holes(x->out, s->value);
		}
		for (size_t i = 0; i < c->argc; i++) {
			buf_char(x->out, ' ');
			show_word(x->out, &c->argv[i]);
		}
		put_known(x, c);
		if (c->via && c->via->kind != VIA_DIRECT)
			put_via(x, c->via);
		buf_char(x->out, '\n');
	}
}

static void put_place(struct explain *x, const struct placed *p)
{
	if (!str_eq(p->path, p->real)) {
		buf_c(x->out, " -> ");
		put_visible_text(x->out, p->real);
	}
	tint_on(x->out, x->style, TINT_DIM);
	buf_fmt(x->out, "   %s%s", place_name(p->place), p->sure ? "" : ", links not resolved");
	tint_off(x->out, x->style);
}

static const struct placed *place_of(const struct explain *x, const struct access *k)
{
	const struct placed *p = x->j->placed;

	while (p && p->access != k)
		p = p->next;
	return p;
}

/*
 * Appends the matches of a pattern: each file that lies elsewhere than the pattern itself; the others are
 * only counted.
 */
static void put_matches(struct explain *x, const struct placed *pattern)
{
	size_t same = 0, other = 0;

	for (const struct placed *p = pattern->next; p; p = p->next)
		if (p->access == pattern->access)
			*(p->place == pattern->place && str_eq(p->path, p->real) ? &same :
					&other) += 1;
	if (same)
		buf_fmt(x->out, ", %zu file%s", same, same == 1 ? "" : "s");
	same = 0;
	for (const struct placed *p = pattern->next; p && same < EXPLAIN_MATCHES_MAX; p = p->next) {
		if (p->access != pattern->access ||
				(p->place == pattern->place && str_eq(p->path, p->real)))
			continue;
		same++;
		buf_c(x->out, "\n            ");
		put_visible_text(x->out, p->path);
		put_place(x, p);
	}
	if (other > same)
		buf_fmt(x->out, "\n            ... (%zu more)", other - same);
}

static void put_accesses(struct explain *x, const char *text, enum access_kind kind)
{
	size_t n = 0;

	for (const struct access *k = x->f->accesses; k; k = k->next) {
		const struct placed *p;
		struct str cause;

		if (k->kind != kind || n > EXPLAIN_ROWS_MAX)
			continue;
		put_title(x, &n, text);
		p = place_of(x, k);
		buf_c(x->out, "        ");
		show_word(x->out, &(struct word){.kind = k->path.kind, .glob = k->path.glob,
				.text = p ? p->path : k->path.text});
		if (k->below)
			buf_c(x->out, " and below");
		if (p)
			put_place(x, p);
		cause = access_cause(x->a, k);
		if (cause.n)
			buf_fmt(x->out, "   (%.*s)", STR_ARG(cause));
		if (p)
			put_matches(x, p);
		buf_char(x->out, '\n');
	}
}

/* Appends how far a piece of code was read; its effects are in the other sections. */
static const char *code_state(const struct snippet *s)
{
	if (!s->code)
		return inline_harmless(s) ? "   only computes" : "   not read";
	if (!s->code->parsed)
		return "   does not parse";
	return s->code->complete ? "   read completely" : "   known in full only when it runs";
}

static void put_others(struct explain *x)
{
	size_t n = 0;

	for (const struct touch *t = x->f->touches; t && n < EXPLAIN_ROWS_MAX; t = t->next) {
		put_title(x, &n, "network");
		buf_c(x->out, "        ");
		show_word(x->out, &t->host);
		buf_char(x->out, '\n');
	}
	n = 0;
	for (const struct snippet *s = x->f->snippets; s && n < EXPLAIN_ROWS_MAX; s = s->next) {
		put_title(x, &n, "code");
		buf_fmt(x->out, "        %s: ", snippet_language(s) ? snippet_language(s) : "unknown");
		show_word(x->out, &s->text);
		put_dim(x, code_state(s));
		buf_char(x->out, '\n');
	}
}

/* ---- why ---- */

/*
 * Appends the rules that matched, by tier; then the findings that an allow lifted; last the effect of the
 * mode or the classifier.
 */
static void put_steps(struct explain *x)
{
	size_t n = 0;

	for (enum step_kind tier = STEP_DENY; tier <= STEP_MODE; tier++)
		for (const struct step *s = x->j->steps; s && n < EXPLAIN_ROWS_MAX; s = s->next) {
			if (s->kind != tier && (tier < STEP_MODE || s->kind < STEP_MODE))
				continue;
			put_title(x, &n, "rules");
			buf_fmt(x->out, "        %-12s  ", step_name(s->kind));
			put_visible_text(x->out, s->rule);
			if (s->subject.n) {
				/* a sentence with its own quotes */
				const char *quote = s->subject.p[0] == '\'' ? "" : "'";

				buf_fmt(x->out, "   %s", quote);
				put_visible_text(x->out, s->subject);
				buf_c(x->out, quote);
			}
			buf_char(x->out, '\n');
		}
}

static void put_reason_line(struct buf *out, const struct reason *r)
{
	buf_fmt(out, "  %s", check_name(r->id));
	if (r->grade != GRADE_OFF)
		buf_fmt(out, " (%s)", grade_name(r->grade));
	buf_c(out, ": ");
	put_visible_text(out, r->message);
	if (r->alternative.n && r->grade != GRADE_OFF) { /* advice already names it */
		buf_c(out, "; instead: ");
		put_visible_text(out, r->alternative);
	}
	if (r->rule.n) {
		buf_c(out, " [");
		put_visible_text(out, r->rule);
		buf_char(out, ']');
	}
}

static void put_reason(struct buf *out, const struct reason *r, struct explain_style style)
{
	struct buf line;

	if (!style.wrap) {
		put_reason_line(out, r);
		buf_char(out, '\n');
		return;
	}
	buf_init(&line, out->a, 0);
	put_reason_line(&line, r);
	buf_c(out, "  ");
	buf_wrapped(out, str_c(out->a, str_from(buf_view(&line), 2)), 2, REASON_INDENT, style.width);
}

static void put_reasons(struct explain *x, const char *text, const struct reason *r)
{
	for (size_t n = 0; r; r = r->next) {
		put_title(x, &n, text);
		put_reason(x->out, r, x->style);
	}
}

static void put_approval(struct explain *x)
{
	static const char *const runs[] = {
		[APPROVAL_OUTSIDE] = "it runs outside of the box",
		[APPROVAL_PLAIN] = "it runs as it would without a question",
		[APPROVAL_BOX] = "it runs in the box",
		[APPROVAL_CODE] = "it runs in the box",
		[APPROVAL_NETWORK] = "it runs in the box, with the network",
		[APPROVAL_SPLIT] = ("nothing runs: one part must run in the box and another cannot; run them "
				"separately"),
	};
	size_t n = 0;

	if (x->j->verdict != VERDICT_ASK)
		return;
	put_title(x, &n, "once approved");
	buf_fmt(x->out, "  %s\n", runs[x->j->approval]);
}

static void put_network(struct explain *x)
{
	size_t n = 0;

	for (const struct texts *t = x->j->network; t; t = t->next) {
		struct str word = str_visible(x->a, t->text);

		put_title(x, &n, x->j->verdict == VERDICT_ASK ? "hosts it may then reach from the box"
							      : "hosts it may reach from the box");
		buf_fmt(x->out, "  %.*s\n", STR_ARG(word));
	}
}

static void put_verdict(struct buf *out, const struct judgement *j, struct explain_style style)
{
	put_tinted(out, style, verdict_tint(j->verdict), verdict_name(j->verdict));
	buf_c(out, j->complete ? "\n" : " (not read completely)\n");
}

void gate_summary(struct buf *out, const struct judgement *j, struct explain_style style)
{
	put_verdict(out, j, style);
	for (const struct reason *r = j->reasons; r; r = r->next)
		put_reason(out, r, style);
	for (const struct reason *r = j->warnings; r; r = r->next)
		put_reason(out, r, style);
}

void gate_explain(struct buf *out, const struct facts *f, const struct judgement *j,
		struct explain_style style)
{
	struct explain *x = arena_new(out->a, struct explain);

	*x = (struct explain){.out = out, .a = out->a, .f = f, .j = j, .style = style};
	if (x->style.width < WIDTH_MIN)
		x->style.width = WIDTH_MIN;
	collect_marks(x, j);
	put_texts(x);
	put_commands(x);
	put_accesses(x, "reads", ACCESS_READ);
	put_accesses(x, "writes", ACCESS_WRITE);
	put_accesses(x, "deletes", ACCESS_DELETE);
	put_accesses(x, "executes", ACCESS_EXEC);
	put_others(x);
	put_steps(x);
	put_reasons(x, "reasons", j->reasons);
	put_reasons(x, "warnings", j->warnings);
	put_reasons(x, "advice", j->advice);
	put_approval(x);
	put_network(x);
	put_tinted(out, style, TINT_BOLD, "\nverdict: ");
	put_verdict(out, j, style);
}
