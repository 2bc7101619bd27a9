/*
 * Shell pattern matching. One loop walks pattern and text. It remembers the last star, and a mismatch
 * backtracks to it (an earlier star cannot help where the last one failed). An extended form tries its
 * alternatives on every split of the text, by recursion.
 *
 * Unknown is sticky: once `unknown` is set, the result is -1, even if the rest matched.
 */
#include "shell/pattern.h"

#include "base/utf8.h"
#include "model/facts.h"

enum { PATTERN_DEPTH = 2000 }; /* repetitions and nesting of extended forms */

#define NOWHERE SIZE_MAX

struct matcher {
	struct str p, t;
	unsigned *fuel;
	unsigned depth;
	bool unknown;
	bool wide; /* the text has bytes that are not ASCII */
};

static bool match_here(struct matcher *m, size_t p, size_t pe, size_t t, size_t te);

static bool burn_fuel(struct matcher *m)
{
	if (!*m->fuel)
		m->unknown = true;
	else
		--*m->fuel;
	return !m->unknown;
}

static bool give_up(struct matcher *m)
{
	m->unknown = true;
	return false;
}

static bool is_wide(char c) { return (unsigned char)c >= 0x80; }
static bool is_tail(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

static bool has_wide(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (is_wide(s.p[i]))
			return true;
	return false;
}

static bool ext_at(struct str p, size_t i, size_t pe)
{
	return i + 1 < pe && p.p[i + 1] == '(' && memchr("?*+@!", p.p[i], 5);
}

/* --- bracket expressions --- */

int pattern_class(struct str name, unsigned char c)
{
	static const char names[][8] = {"alpha", "digit", "alnum", "upper", "lower", "space", "blank",
			"punct", "print", "graph", "cntrl", "xdigit"};
	bool graph = c > 32 && c < 127, alnum = ascii_is_alnum(c);
	const bool is[] = {ascii_is_letter(c), ascii_is_digit(c), alnum, ascii_is_upper(c), ascii_is_lower(c),
			c == ' ' || (c >= 9 && c <= 13), ascii_is_blank(c), graph && !alnum,
			graph || c == ' ', graph, c < 32 || c == 127, ascii_hex_value((char)c) >= 0};
	ptrdiff_t i = STR_INDEX(names, name);

	return i < 0 ? -1 : is[i];
}

static bool in_class(struct matcher *m, struct str name, unsigned char c)
{
	int is = pattern_class(name, c);

	if (is >= 0)
		return is;
	if (str_is(name, "word"))
		return ascii_is_name(c);
	return str_is(name, "ascii") || give_up(m);
}

/*
 * p[*i] is the start of "[:name:]" inside a bracket expression; moves *i past it. Other forms ([.x.], [=x=])
 * are unknown.
 */
static bool class_item(struct matcher *m, size_t *i, size_t pe, unsigned char c)
{
	size_t from = *i + 2, to = from;

	while (to < pe && ascii_is_lower(m->p.p[to]))
		to++;
	if (m->p.p[*i + 1] != ':' || to + 1 >= pe || m->p.p[to] != ':' || m->p.p[to + 1] != ']')
		return give_up(m);
	*i = to + 2;
	return in_class(m, str_sub(m->p, from, to), c);
}

/* Reads one character of a bracket expression, maybe escaped, at p[*i]. */
static unsigned char bracket_char(struct matcher *m, size_t *i, size_t pe)
{
	if (m->p.p[*i] == '\\') {
		if (*i + 1 >= pe)
			return (unsigned char)give_up(m);
		++*i;
	}
	if (is_wide(m->p.p[*i]))
		give_up(m);
	return (unsigned char)m->p.p[(*i)++];
}

/*
 * Matches c against the bracket expression whose [ is at p[i], and returns its end. NOWHERE if it has no ]:
 * then the [ is literal. bash is inconsistent there if it has ranges, classes or backslashes, so the result
 * is unknown.
 */
static size_t match_bracket(struct matcher *m, size_t i, size_t pe, unsigned char c, bool *ret)
{
	const char *p = m->p.p;
	size_t from = ++i;
	bool not = i < pe && (p[i] == '!' || p[i] == '^'), hit = false;

	i += not;
	for (bool first = true; i < pe && (first || p[i] != ']'); first = false) {
		unsigned char lo, hi;

		if (p[i] == '[' && i + 1 < pe && memchr(":.=", p[i + 1], 3)) {
			hit |= class_item(m, &i, pe, c);
		} else {
			lo = hi = bracket_char(m, &i, pe);
			if (i + 1 < pe && p[i] == '-' && p[i + 1] != ']') {
				i++;
				if (p[i] == '[' && i + 1 < pe && memchr(":.=", p[i + 1], 3))
					give_up(m);
				hi = bracket_char(m, &i, pe);
			}
			hit |= c >= lo && c <= hi;
		}
		if (m->unknown)
			return NOWHERE;
	}
	if (i >= pe) {
		if (memchr(p + from, '-', pe - from) || memchr(p + from, '\\', pe - from) ||
				memchr(p + from, '[', pe - from) || pe != m->p.n)
			give_up(m);
		return NOWHERE;
	}
	*ret = hit != not;
	return i + 1;
}

/* --- extended forms --- */

/*
 * p[i] is the start of an alternative. Returns the index of the | (with `bar`) or ) that ends it, or NOWHERE.
 */
static size_t scan_group(struct matcher *m, size_t i, size_t pe, bool bar)
{
	size_t nest = 0, first = NOWHERE;
	bool in = false;

	for (; i < pe && burn_fuel(m); i++) {
		char c = m->p.p[i];

		if (c == '\\') {
			i++;
		} else if (in) {
			if (c == '[' && i + 1 < pe && memchr(":.=", m->p.p[i + 1], 3)) {
				for (i += 2; i + 1 < pe &&
						!(m->p.p[i + 1] == ']' && memchr(":.=", m->p.p[i], 3)); i++)
					;
				i++;
			} else if (c == ']' && i != first) {
				in = false;
			}
		} else if (c == '[') {
			in = true;
			first = i + 1 < pe && (m->p.p[i + 1] == '!' || m->p.p[i + 1] == '^') ? i + 2 : i + 1;
		} else if (c == '(') {
			nest++;
		} else if ((c == ')' && nest-- == 0) || (bar && c == '|' && nest == 0)) {
			return i;
		}
	}
	return NOWHERE;
}

static bool any_alternative(struct matcher *m, size_t p, size_t close, size_t t, size_t te)
{
	while (!m->unknown) {
		size_t end = scan_group(m, p, close + 1, true);

		if (end == NOWHERE)
			return give_up(m);
		if (match_here(m, p, end, t, te))
			return true;
		if (end >= close)
			return false;
		p = end + 1;
	}
	return false;
}

/* Matches the extended form at p[p] and the rest of the pattern against the whole text from t. */
static bool match_extended(struct matcher *m, size_t p, size_t pe, size_t t, size_t te)
{
	char kind = m->p.p[p];
	size_t close = scan_group(m, p + 2, pe, false), rest = close + 1;
	bool repeats = kind == '*' || kind == '+', hit;

	if (close == NOWHERE || (kind == '!' && m->wide))
		return give_up(m);
	if ((kind == '*' || kind == '?') && match_here(m, rest, pe, t, te))
		return true;
	for (size_t cut = t; cut <= te && burn_fuel(m); cut++) {
		if (cut < te && is_tail(m->t.p[cut]))
			continue;
		if (kind != '!' && rest == pe && !repeats && cut < te)
			continue;
		hit = any_alternative(m, p + 2, close, t, cut) != (kind == '!');
		if (hit && (match_here(m, rest, pe, cut, te) ||
				   (repeats && cut > t && match_here(m, p, pe, cut, te))))
			return true;
	}
	return false;
}

/* --- the loop --- */

/* Matches one element of the pattern at *p that takes exactly one character at *t. */
static bool match_single(struct matcher *m, size_t *p, size_t pe, size_t *t, size_t te)
{
	char c = m->p.p[*p], have;
	size_t after;
	bool hit = false;

	/* a lone backslash matches itself; at the end of a longer pattern it depends */
	if (c == '\\' && *p + 1 == pe && *p)
		return give_up(m);
	if (*t >= te)
		return false;
	have = m->t.p[*t];
	if (c == '?' || c == '[') {
		if (is_wide(have))
			return give_up(m);
		after = c == '?' ? *p + 1 : match_bracket(m, *p, pe, (unsigned char)have, &hit);
		if (c == '[' && after == NOWHERE)
			after = *p + 1, hit = have == '[';
		if (c == '[' && !hit)
			return false;
		*p = after;
		++*t;
		return true;
	}
	if (c == '\\' && *p + 1 < pe)
		c = m->p.p[++*p];
	if (c != have)
		return false;
	++*p;
	++*t;
	return true;
}

/* After a run of stars, bash has special rules for some extended forms. */
static bool odd_after_star(struct matcher *m, size_t p, size_t pe)
{
	while (p < pe && (m->p.p[p] == '*' || m->p.p[p] == '?') && !ext_at(m->p, p, pe))
		p++;
	return ext_at(m->p, p, pe) && memchr("?*!", m->p.p[p], 3);
}

static bool match_walk(struct matcher *m, size_t p, size_t pe, size_t t, size_t te)
{
	size_t star = NOWHERE, star_t = 0;

	while (burn_fuel(m)) {
		if (p == star && t >= te && ext_at(m->p, p, pe))
			return false; /* bash does not match the form after a star against an empty rest */
		if (p < pe && ext_at(m->p, p, pe)) {
			if (match_extended(m, p, pe, t, te))
				return true;
		} else if (p < pe && m->p.p[p] == '*') {
			if (odd_after_star(m, p, pe))
				return give_up(m);
			star = ++p;
			star_t = t;
			if (p == pe)
				return true;
			continue;
		} else if (p < pe ? match_single(m, &p, pe, &t, te) : t == te) {
			if (p == pe && t == te)
				return true;
			continue;
		}
		if (star == NOWHERE || star_t >= te || m->unknown)
			return false;
		p = star;
		t = ++star_t;
		while (t < te && is_tail(m->t.p[t]))
			t = ++star_t;
	}
	return false;
}

static bool match_here(struct matcher *m, size_t p, size_t pe, size_t t, size_t te)
{
	bool hit = false;

	if (m->depth >= PATTERN_DEPTH)
		return give_up(m);
	m->depth++;
	if (burn_fuel(m))
		hit = match_walk(m, p, pe, t, te);
	m->depth--;
	return hit;
}

static bool start_matcher(struct matcher *m, struct str pattern, struct str text, unsigned *fuel)
{
	*m = (struct matcher){.p = pattern, .t = text, .fuel = fuel, .wide = has_wide(text)};
	if (!text_exact(pattern) || !text_exact(text) || (m->wide && !utf8_valid(text)) ||
			!utf8_valid(pattern))
		m->unknown = true;
	return !m->unknown;
}

int pattern_match(struct str pattern, struct str text, unsigned *fuel)
{
	struct matcher m;
	bool hit;

	if (!start_matcher(&m, pattern, text, fuel))
		return -1;
	hit = match_here(&m, 0, pattern.n, 0, text.n);
	return m.unknown ? -1 : hit;
}

/* --- cutting and replacing --- */

static bool is_boundary(struct str s, size_t i) { return i >= s.n || !is_tail(s.p[i]); }

int pattern_cut(struct str text, struct str pattern, bool from_head, bool longest, unsigned *fuel,
		struct str *ret)
{
	struct matcher m;
	struct str left = text;

	if (!start_matcher(&m, pattern, text, fuel))
		return -1;
	for (size_t k = 0; k <= text.n; k++) {
		size_t at = from_head == longest ? text.n - k : k; /* position of the cut */
		bool hit;

		if (!is_boundary(text, at))
			continue;
		hit = from_head ? match_here(&m, 0, pattern.n, 0, at)
				: match_here(&m, 0, pattern.n, at, text.n);
		if (m.unknown)
			return -1;
		if (!hit)
			continue;
		left = from_head ? str_from(text, at) : str_first(text, at);
		break;
	}
	*ret = left;
	return 0;
}

/* Returns the end of the longest match that starts at `from`, or NOWHERE. */
static size_t longest_at(struct matcher *m, size_t from)
{
	for (size_t to = m->t.n + 1; to-- > from && !m->unknown;)
		if (is_boundary(m->t, to) && match_here(m, 0, m->p.n, from, to))
			return to;
	return NOWHERE;
}

static void put_replacement(struct buf *out, struct str r, struct str hit, bool ampersand)
{
	for (size_t i = 0; i < r.n; i++) {
		if (ampersand && r.p[i] == '&') {
			buf_str(out, hit);
			continue;
		}
		if (ampersand && r.p[i] == '\\' && i + 1 < r.n && (r.p[i + 1] == '&' || r.p[i + 1] == '\\'))
			i++;
		buf_char(out, r.p[i]);
	}
}

/* Finds the next match at or after `from`, for the anchor `where`: its start and end. */
static bool find_match(struct matcher *m, size_t from, int where, size_t *ret_from, size_t *ret_to)
{
	for (size_t i = from; i <= m->t.n && !m->unknown; i++) {
		size_t to;

		if (!is_boundary(m->t, i))
			continue;
		if (i == m->t.n && m->p.p[0] != '*')
			break; /* at the end of the text only a star may match nothing */
		if (where == 3)
			to = match_here(m, 0, m->p.n, i, m->t.n) ? m->t.n : NOWHERE;
		else
			to = longest_at(m, i);
		if (to != NOWHERE) {
			*ret_from = i;
			*ret_to = to;
			return true;
		}
		if (where == 2)
			break;
	}
	return false;
}

bool pattern_extended(struct str pattern)
{
	for (size_t i = 0; i < pattern.n; i++) {
		if (pattern.p[i] == '\\')
			i++;
		else if (ext_at(pattern, i, pattern.n))
			return true;
	}
	return false;
}

/*
 * True for patterns on which bash behaves oddly. bash first tries the pattern with stars around it: a star is
 * odd before an extended form, and turns a "(" into one. bash also computes how long a match can be; a ]
 * right after the [, a missing ], or an empty alternative confuses that. A backslash near the end changes the
 * meaning of the added star.
 */
static bool odd_replace(struct str p)
{
	static const char odd[][4] = {"[]", "[!]", "[^]", "()", "(|", "|)", "||"};

	for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
		if (str_contains(p, str_of(odd[i])))
			return true;
	if (p.p[0] == '(' || (ext_at(p, 0, p.n) && memchr("?*!", p.p[0], 3)))
		return true;
	if (p.p[p.n - 1] == '\\' || (p.p[0] == '*' && str_ends(p, "\\*")))
		return true;
	for (size_t i = p.n; i-- && p.p[i] != ']';)
		if (p.p[i] == '[')
			return true;
	return false;
}

int pattern_replace(struct arena *a, struct str text, struct str pattern, struct str replacement, int where,
		bool ampersand, unsigned *fuel, struct str *ret)
{
	struct matcher m;
	struct buf out;
	size_t at = 0, from, to;

	if (!start_matcher(&m, pattern, text, fuel))
		return -1;
	buf_init(&out, a, 0);
	if (!pattern.n) { /* an empty pattern matches only at an anchored end */
		if (where == 2)
			put_replacement(&out, replacement, STR(""), ampersand);
		buf_str(&out, text);
		if (where == 3)
			put_replacement(&out, replacement, STR(""), ampersand);
		*ret = buf_view(&out);
		return 0;
	}
	if (odd_replace(pattern) || (m.wide && pattern_extended(pattern)))
		return -1;
	do {
		if (!find_match(&m, at, where, &from, &to))
			break;
		buf_str(&out, str_sub(text, at, from));
		put_replacement(&out, replacement, str_sub(text, from, to), ampersand);
		at = to;
		if (from == to && at < text.n && where == 1)
			do
				buf_char(&out, text.p[at++]);
			while (!is_boundary(text, at));
	} while (where == 1 && at < text.n);
	if (m.unknown)
		return -1;
	buf_str(&out, str_from(text, at));
	*ret = buf_view(&out);
	return 0;
}

bool pattern_active(struct str pattern)
{
	size_t open = NOWHERE;

	for (size_t i = 0; i < pattern.n; i++) {
		char c = pattern.p[i];

		if (c == '\\')
			i++;
		else if (c == '*' || c == '?' || ext_at(pattern, i, pattern.n) || (c == ']' && open < i))
			return true;
		else if (c == '[' && open == NOWHERE)
			open = i;
	}
	return false;
}
