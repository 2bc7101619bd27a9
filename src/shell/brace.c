/*
 * Brace expansion. As in bash, it works on the word's text before any other expansion. Each result is parsed
 * again as a word, because joined pieces can form new syntax ("{$,x}HOME"). Quotes, substitutions and ${...}
 * are copied whole, unparsed.
 */
#include "base/num.h"
#include "shell/eval.h"

/* The word's source, split into pieces: one unquoted byte each, or an opaque stretch. */
struct brace_piece {
	struct str text;
	char c;          /* the unquoted byte, or 0 for an opaque stretch */
};

struct pieces {
	const struct brace_piece *at;
	size_t n;
};

struct brace_texts {
	struct str *at;
	size_t n, cap;
};

static void texts_add(struct eval *e, struct brace_texts *t, struct str s)
{
	t->at = arena_room(e->a, t->at, t->n, &t->cap, sizeof(*t->at));
	eval_burn(e, s.n + 1);
	t->at[t->n++] = s;
}

static struct pieces cut_word(struct eval *e, const struct syn_word *w, uint32_t base)
{
	struct brace_piece *at = arena_array(e->a, w->source.n + 1, sizeof *at);
	size_t n = 0, pos = 0;
	for (const struct syn_part *part = w->parts; part; part = part->next) {
		size_t from = part->at.from - base, to = part->at.to - base;
		if (part->kind == PART_TEXT && !(part->text.n == 1 && part->text.p[0] == '$' && to == from +
				1))
			continue; /* the loop below takes its bytes one by one */
		for (; pos < from; pos++)
			at[n++] = (struct brace_piece){str_sub(w->source, pos, pos + 1), w->source.p[pos]};
		at[n++] = (struct brace_piece){str_sub(w->source, from, to), 0};
		pos = to;
	}
	for (; pos < w->source.n; pos++)
		at[n++] = (struct brace_piece){str_sub(w->source, pos, pos + 1), w->source.p[pos]};
	return (struct pieces){at, n};
}

static struct str join_pieces(struct eval *e, struct pieces p)
{
	struct buf b;
	buf_init(&b, e->a, 0);
	for (size_t i = 0; i < p.n; i++)
		buf_str(&b, p.at[i].text);
	return buf_view(&b);
}

static struct pieces slice_pieces(struct pieces p, size_t from, size_t to)
{
	return (struct pieces){p.at + from, to - from};
}

static struct brace_texts expand_pieces(struct eval *e, struct pieces p);

/*
 * Returns the } that closes the { at `open`, or p.n. *ret_comma: a comma stands between them at that level.
 */
static size_t find_closing(struct pieces p, size_t open, bool *ret_comma)
{
	size_t level = 0;
	*ret_comma = false;
	for (size_t i = open; i < p.n; i++) {
		if (p.at[i].c == '{')
			level++;
		else if (p.at[i].c == '}' && --level == 0)
			return i;
		else if (p.at[i].c == ',' && level == 1)
			*ret_comma = true;
	}
	return p.n;
}

static bool one_letter(struct str s) { return s.n == 1 && ((s.p[0] | 32) >= 'a') && ((s.p[0] | 32) <= 'z'); }

static size_t digits_width(struct str s)
{
	size_t sign = s.n && (s.p[0] == '-' || s.p[0] == '+');
	return s.n > sign + 1 && s.p[sign] == '0' ? s.n : 0;
}

static bool looks_number(struct str s)
{
	return str_is_digits(str_from(s, str_starts(s, "-") || str_starts(s, "+")));
}

struct brace_range {
	struct str x, y;
	int64_t from, to, step;
	bool letters;
	size_t width; /* digits with leading zeros; 0: no padding */
};

static ptrdiff_t find_dots(struct str s)
{
	for (size_t i = 0; i + 1 < s.n; i++)
		if (s.p[i] == '.' && s.p[i + 1] == '.')
			return (ptrdiff_t)i;
	return -1;
}

static struct str without_plus(struct str s) { return str_starts(s, "+") ? str_from(s, 1) : s; }

/* Splits s into the texts x and y and the step. */
static bool split_range(struct str s, struct brace_range *r)
{
	ptrdiff_t dots = find_dots(s), second;

	if (dots < 0)
		return false;
	r->x = str_first(s, (size_t)dots);
	r->y = str_from(s, (size_t)dots + 2);
	r->step = 1;
	second = find_dots(r->y);
	if (second < 0)
		return true;
	s = str_from(r->y, (size_t)second + 2);
	r->y = str_first(r->y, (size_t)second);
	return s.n && num_parse(without_plus(s), INT32_MIN, INT32_MAX, &r->step) == 0;
}

/* Determines the first and last value of the range. */
static bool range_ends(struct eval *e, struct brace_range *r)
{
	r->letters = one_letter(r->x) && one_letter(r->y);
	if (r->letters) {
		r->from = (unsigned char)r->x.p[0];
		r->to = (unsigned char)r->y.p[0];
		return true;
	}
	if (num_parse(without_plus(r->x), -(1ll << 40), 1ll << 40, &r->from) == 0 &&
			num_parse(without_plus(r->y), -(1ll << 40), 1ll << 40, &r->to) == 0)
		return true;
	if (looks_number(r->x) && looks_number(r->y))
		eval_stop(e, "a sequence of very large numbers");
	return false;
}

static size_t range_width(const struct brace_range *r)
{
	size_t x = digits_width(r->x), y = digits_width(r->y), width = x > y ? x : y;

	if (width && width < r->x.n)
		width = r->x.n;
	return width && width < r->y.n ? r->y.n : width;
}

/* {x..y} or {x..y..step} of letters or numbers; false if s is no sequence. */
static bool expand_sequence(struct eval *e, struct str s, struct brace_texts *ret)
{
	struct brace_range r;

	if (!split_range(s, &r) || !range_ends(e, &r))
		return false;
	if (r.step == 0)
		r.step = 1;
	if ((r.from <= r.to) != (r.step > 0))
		r.step = -r.step;
	r.width = range_width(&r);
	for (int64_t v = r.from; r.step > 0 ? v <= r.to : v >= r.to; v += r.step) {
		/* {Z..a} includes syntax characters: escape them, they are literal */
		const char *format = strchr("\\`'\"$[]^_", (int)v) ? "\\%c" : "%c";

		if (ret->n > BRACE_MAX)
			return true;
		texts_add(e, ret, r.letters ? str_fmt(e->a, format, (int)v) :
				str_fmt(e->a, "%0*lld", (int)r.width, (long long)v));
	}
	return true;
}

/* The alternatives between { and }. */
static struct brace_texts expand_alternatives(struct eval *e, struct pieces inside, bool comma)
{
	struct brace_texts t = {0};
	if (!comma) {
		expand_sequence(e, join_pieces(e, inside), &t);
		return t;
	}
	size_t level = 0, from = 0;
	for (size_t i = 0; i <= inside.n; i++) {
		if (i < inside.n && inside.at[i].c == '{')
			level++;
		else if (i < inside.n && inside.at[i].c == '}' && level > 0)
			level--;
		else if (i == inside.n || (inside.at[i].c == ',' && level == 0)) {
			struct brace_texts one = expand_pieces(e, slice_pieces(inside, from, i));
			for (size_t k = 0; k < one.n; k++)
				texts_add(e, &t, one.at[k]);
			from = i + 1;
		}
		if (t.n > BRACE_MAX)
			eval_stop(e, "a brace expansion makes too many words");
	}
	return t;
}

static bool is_expandable(struct eval *e, struct pieces p, size_t open, size_t close, bool comma)
{
	if (close >= p.n)
		return false;
	if (comma)
		return true;
	struct brace_texts t = {0};
	return expand_sequence(e, join_pieces(e, slice_pieces(p, open + 1, close)), &t);
}

static struct brace_texts expand_pieces(struct eval *e, struct pieces p)
{
	eval_enter(e);
	eval_burn(e, p.n + 1);
	struct brace_texts t = {0};
	size_t tries = 0;
	for (size_t i = 0; i < p.n; i++) {
		if (p.at[i].c != '{')
			continue;
		if (++tries > 64)
			eval_stop(e, "a word with too many braces");
		eval_burn(e, p.n);
		bool comma;
		size_t close = find_closing(p, i, &comma);
		if (!is_expandable(e, p, i, close, comma))
			continue;
		struct str head = join_pieces(e, slice_pieces(p, 0, i));
		struct brace_texts mid = expand_alternatives(e, slice_pieces(p, i + 1, close), comma),
				tail = expand_pieces(e, slice_pieces(p, close + 1, p.n));
		if (mid.n * tail.n > BRACE_MAX)
			eval_stop(e, "a brace expansion makes too many words");
		for (size_t a = 0; a < mid.n; a++)
			for (size_t b = 0; b < tail.n; b++)
				texts_add(e, &t, str_cat(e->a, str_cat(e->a, head, mid.at[a]), tail.at[b]));
		eval_exit(e);
		return t;
	}
	texts_add(e, &t, join_pieces(e, p));
	eval_exit(e);
	return t;
}

/* True if the brace at offset i is in literal text, not inside a quote or an expansion. */
static bool loose_brace(const struct syn_word *w, size_t i)
{
	for (const struct syn_part *part = w->parts; part; part = part->next)
		if (part->kind != PART_TEXT && w->at.from + i >= part->at.from && w->at.from +
				i < part->at.to)
			return false;
	return true;
}

bool brace_expand(struct eval *e, const struct syn_word *w, struct syn_word **ret)
{
	if (!w->braces || e->dialect == DIALECT_SH ||
			(w->source.n == 2 && w->source.p[0] == '{' && w->source.p[1] == '}'))
		return false;
	if (!str_has(w->source, ',') && !str_has(w->source, '.'))
		return false;
	/* $${a,b}: bash takes the second $ and the brace for ${ and does not expand it */
	for (size_t i = 1; i < w->source.n; i++)
		if (w->source.p[i] == '{' && w->source.p[i - 1] == '$' && loose_brace(w, i))
			emit_trouble(e, TROUBLE_CONSTRUCT, "a brace after a dollar sign that is no expansion",
					w->at);
	for (const struct syn_part *part = w->parts; part; part = part->next) {
		struct str src = str_sub(w->source, part->at.from - w->at.from, part->at.to - w->at.from);
		/* there bash finds the end of ${ } in a simpler way */
		if (part->kind == PART_PARAM && str_find(src, '{', 2) >= 0)
			emit_trouble(e, TROUBLE_CONSTRUCT, "braces inside ${...} inside a brace expansion",
					w->at);
	}
	struct brace_texts t = expand_pieces(e, cut_word(e, w, w->at.from));
	if (t.n == 1 && str_eq(t.at[0], w->source))
		return false;
	struct syn_word **end = ret;
	*end = NULL;
	for (size_t i = 0; i < t.n; i++) {
		struct parser p;
		parser_for(e, &p, t.at[i], w->at.text);
		struct syn_word *one = NULL;
		if (parse_word(&p, &one) != PARSE_LINE || !one) {
			emit_trouble(e, TROUBLE_CONSTRUCT, "brace expansion makes a word that cannot be read",
					w->at);
			continue;
		}
		one->at = w->at;
		one->made = true;
		parsed_aliases(e, &p);
		one->braces = false;
		if (one->parts || one->source.n) { /* an empty result is no word */
			LIST_ADD(end, one);
		}
	}
	return true;
}
