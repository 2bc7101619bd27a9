/*
 * Scans a regular expression of the plain subset, by recursive descent over groups, and collects required
 * literals.
 *
 * A run is a sequence of adjacent literals; any other item ends it. Each finished run, and each group's own
 * set, is a candidate. A sequence keeps its best candidate, since all are required; an alternation joins the
 * sets of its branches.
 */
#include "base/regex_scan.h"

#include "base/utf8.h"

/* Upper estimates of compiled sizes, including the callout before each item. */
enum { SIZE_CHAR = 16, SIZE_CLASS = 64, SIZE_QUANTIFIER = 24, SIZE_BRANCH = 16, SIZE_GROUP = 40 };

enum atom_kind { ATOM_LITERAL, ATOM_ANY, ATOM_EDGE, ATOM_GROUP };

/* Properties of a part of the pattern. */
struct node {
	enum atom_kind kind;
	bool varies;          /* may match in several ways: has alternatives or a varying quantifier */
	unsigned char text_n; /* ATOM_LITERAL: one character; 0: not searchable */
	char text[4];
	size_t size; /* estimated compiled size */
};

struct quantifier {
	bool present, unbounded;
	unsigned min, max;
};

struct pattern_scan {
	struct str p;
	size_t at;
	char *pool;
	size_t pooled; /* bytes of the pool in use */
	size_t run;    /* start of the current run in the pool */
	struct regex_scan *out;
};

static bool scan_branches(struct pattern_scan *s, unsigned depth, struct node *ret,
	struct regex_literals *ret_must);

static int peek(const struct pattern_scan *s, size_t ahead)
{
	return ahead < s->p.n - s->at ? (unsigned char)s->p.p[s->at + ahead] : -1;
}

static inline bool in(int c, const char *set)
{
	for (; *set; set++) {
		if (c == *set)
			return true;
	}
	return false;
}

static bool is_punct(int c)
{
	return c >= ' ' && c < 127 && !ascii_is_digit(c) && !((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* PLAIN: printable ASCII without special meaning. MORE: may start a quantifier. */
enum { PLAIN = 1, MORE = 2 };

static const unsigned char about[256] = {
	[' ' ... '#'] = PLAIN,  /* then $ */
	['%' ... '\''] = PLAIN, /* then ( ) */
	['*'] = MORE,
	['+'] = MORE,
	[',' ... '-'] = PLAIN, /* then . */
	['/' ... '>'] = PLAIN,
	['?'] = MORE,
	['@' ... 'Z'] = PLAIN, /* then [ and backslash */
	[']'] = PLAIN,         /* then ^ */
	['_' ... 'z'] = PLAIN,
	['{'] = MORE, /* then | */
	['}' ... '~'] = PLAIN,
};

/* Returns the character of an escape letter, or -1. */
static int escaped_char(int c)
{
	switch (c) {
	case 'n': return '\n';
	case 't': return '\t';
	case 'r': return '\r';
	case 'f': return '\f';
	default: return is_punct(c) ? c : -1;
	}
}

/* ---- sets of literals ---- */

static size_t shortest(const struct regex_literals *l)
{
	size_t min = REGEX_LITERAL_MAX;

	for (unsigned i = 0; i < l->n; i++)
		min = l->lit[i].n < min ? l->lit[i].n : min;
	return min;
}

/* A set is as good as its shortest literal is long; then fewer literals are better. */
static void keep_better(struct regex_literals *best, const struct regex_literals *other)
{
	if (!other->n)
		return;
	size_t have = shortest(best), offered = shortest(other);
	if (best->n && offered <= have && (offered < have || other->n >= best->n))
		return;
	best->n = other->n;
	memcpy(best->lit, other->lit, other->n * sizeof(other->lit[0]));
}

/* Ends the current run, which becomes a candidate if it is not empty. */
static void end_run(struct pattern_scan *s, struct regex_literals *best)
{
	size_t n = s->pooled - s->run;
	struct regex_literals one;

	if (!n)
		return;
	one.n = 1;
	one.lit[0].at = (uint16_t)s->run;
	one.lit[0].n = (uint16_t)(n < REGEX_LITERAL_MAX ? n : REGEX_LITERAL_MAX);
	keep_better(best, &one);
	s->run = s->pooled;
}

static void add_text(struct pattern_scan *s, const struct node *n)
{
	for (unsigned i = 0; i < n->text_n; i++)
		s->pool[s->pooled++] = n->text[i];
}

/* ---- atoms ---- */

static void literal(const struct pattern_scan *s, int c, struct node *ret)
{
	*ret = (struct node){.kind = ATOM_LITERAL, .size = SIZE_CHAR, .text_n = 1};
	ret->text[0] = s->out->nocase ? ascii_to_lower((char)c) : (char)c;
}

/*
 * A character beyond ASCII. It cannot be searched for: its other case has other bytes, and U+FFFD may stand
 * for any bad byte.
 */
static bool scan_wide(struct pattern_scan *s, struct node *ret)
{
	size_t start = s->at;
	uint32_t cp = utf8_next(s->p, &s->at);

	if (cp == UTF8_BAD)
		return false;
	*ret = (struct node){.kind = ATOM_LITERAL, .size = SIZE_CHAR};
	if (s->out->nocase || cp == 0xFFFD)
		return true;
	ret->text_n = (unsigned char)(s->at - start);
	memcpy(ret->text, s->p.p + start, ret->text_n);
	return true;
}

static bool scan_escape(struct pattern_scan *s, struct node *ret)
{
	int c = peek(s, 1), value = escaped_char(c);

	if (value >= 0)
		literal(s, value, ret);
	else if (in(c, "dDsSwW"))
		*ret = (struct node){.kind = ATOM_ANY, .size = SIZE_CHAR};
	else if (in(c, "bB"))
		*ret = (struct node){.kind = ATOM_EDGE, .size = SIZE_CHAR};
	else
		return false;
	s->at += 2;
	return true;
}

/* Parses one character of a class, escaped or not, or a class escape (*ret_single = -1). */
static bool scan_class_item(struct pattern_scan *s, int *ret_single)
{
	int c = peek(s, 0);

	if (c < ' ' || c >= 127 || (c == '[' && in(peek(s, 1), ":.=")))
		return false;
	s->at++;
	*ret_single = c;
	if (c != '\\')
		return true;
	c = peek(s, 0);
	s->at += c >= 0;
	*ret_single = escaped_char(c);
	return *ret_single >= 0 || in(c, "dDsSwW");
}

/* Accepts a hyphen only where its meaning is undisputed: first, last, or between two characters in order. */
static bool scan_class(struct pattern_scan *s, struct node *ret)
{
	int from, to;

	s->at++;
	if (in(peek(s, 0), ":.=")) /* [:alpha:] outside a class is an error */
		return false;
	if (peek(s, 0) == '^')
		s->at++;
	if (peek(s, 0) == ']')
		return false;
	for (bool first = true; peek(s, 0) != ']'; first = false) {
		if (peek(s, 0) == '-' && !first && peek(s, 1) != ']')
			return false;
		if (!scan_class_item(s, &from))
			return false;
		if (peek(s, 0) != '-' || peek(s, 1) == ']')
			continue;
		s->at++;
		if (!scan_class_item(s, &to) || from < 0 || to < from)
			return false;
	}
	s->at++;
	*ret = (struct node){.kind = ATOM_ANY, .size = SIZE_CLASS};
	return true;
}

static bool scan_group(struct pattern_scan *s, unsigned depth, struct node *ret,
	struct regex_literals *ret_must)
{
	if (depth >= REGEX_SCAN_DEPTH_MAX)
		return false;
	s->at++;
	if (peek(s, 0) == '?' && peek(s, 1) == ':')
		s->at += 2;
	else if (in(peek(s, 0), "?*"))
		return false;
	if (!scan_branches(s, depth + 1, ret, ret_must) || peek(s, 0) != ')')
		return false;
	s->at++;
	ret->kind = ATOM_GROUP;
	ret->size += SIZE_GROUP;
	return true;
}

/* *ret_must is set for a group only. */
static bool scan_atom(struct pattern_scan *s, unsigned depth, struct node *ret,
	struct regex_literals *ret_must)
{
	int c = peek(s, 0);

	switch (c) {
	case '(': return scan_group(s, depth, ret, ret_must);
	case '[': return scan_class(s, ret);
	case '\\': return scan_escape(s, ret);
	case '.': *ret = (struct node){.kind = ATOM_ANY, .size = SIZE_CHAR}; break;
	case '^':
	case '$': *ret = (struct node){.kind = ATOM_EDGE, .size = SIZE_CHAR}; break;
	case '*':
	case '+':
	case '?': return false;
	case '{': /* a brace that cannot start a quantifier is a literal */
		if (ascii_is_digit(peek(s, 1)) || in(peek(s, 1), ", \t"))
			return false;
		literal(s, c, ret);
		break;
	default:
		if (c >= 128)
			return scan_wide(s, ret);
		if (c < ' ' || c == 127)
			return false;
		literal(s, c, ret);
	}
	s->at++;
	return true;
}

/* ---- quantifiers ---- */

static bool scan_number(struct pattern_scan *s, unsigned *ret)
{
	unsigned n = 0;

	if (!ascii_is_digit(peek(s, 0)))
		return false;
	for (; ascii_is_digit(peek(s, 0)); s->at++) {
		n = n * 10 + (unsigned)(peek(s, 0) - '0');
		if (n > REGEX_SCAN_REPEAT_MAX)
			return false;
	}
	*ret = n;
	return true;
}

/* {m} {m,} {m,n} */
static bool scan_braces(struct pattern_scan *s, struct quantifier *ret)
{
	s->at++;
	if (!scan_number(s, &ret->min))
		return false;
	ret->max = ret->min;
	if (peek(s, 0) == ',') {
		s->at++;
		ret->unbounded = peek(s, 0) == '}';
		if (!ret->unbounded && !scan_number(s, &ret->max))
			return false;
	}
	if (peek(s, 0) != '}' || ret->max < ret->min)
		return false;
	s->at++;
	return true;
}

/* Parses an optional quantifier after an item. */
static bool scan_quantifier(struct pattern_scan *s, struct quantifier *ret)
{
	int c = peek(s, 0);

	*ret = (struct quantifier){.min = 1, .max = 1};
	if (c < 0 || !(about[c] & MORE))
		return true;
	ret->present = true;
	if (c == '{' && ascii_is_digit(peek(s, 1))) {
		if (!scan_braces(s, ret))
			return false;
	} else if (c == '{') {
		ret->present = false; /* a literal brace */
		return true;
	} else {
		s->at++;
		ret->min = c == '+';
		ret->unbounded = c != '?';
	}
	if (peek(s, 0) == '?')
		s->at++;
	return true;
}

/* ---- sequences and alternatives ---- */

/* Adds up sizes, and detects repetitions of varying parts, which can take exponential time. */
static bool add_size(struct pattern_scan *s, struct node *item, const struct quantifier *q, struct node *seq)
{
	if (q->unbounded || q->max > 1)
		s->out->nested |= item->varies;
	seq->varies |= item->varies || q->unbounded || q->max > q->min;
	if (item->kind == ATOM_GROUP && q->max)
		item->size *= q->max + q->unbounded;
	seq->size += item->size + (q->present ? SIZE_QUANTIFIER : 0);
	return seq->size <= REGEX_SCAN_SIZE_MAX;
}

/* Adds an item to the sequence: its text extends the run, ends it, or both. */
static void add_item(struct pattern_scan *s, const struct node *item, const struct regex_literals *group,
		const struct quantifier *q,
	struct regex_literals *must)
{
	bool text = item->kind == ATOM_LITERAL && q->min;

	if (item->kind == ATOM_EDGE)
		return;
	if (text)
		add_text(s, item);
	if (text && item->text_n && !q->present)
		return;
	end_run(s, must);
	if (item->kind == ATOM_GROUP && q->min)
		keep_better(must, group);
	/* The last copy of a repeated character is adjacent to the next item. */
	if (text)
		add_text(s, item);
}

/* Fast path: plain characters without a quantifier are appended to the run at once. */
static void scan_plain(struct pattern_scan *s, struct node *seq)
{
	const unsigned char *start = (const unsigned char *)s->p.p + s->at,
			*end = (const unsigned char *)s->p.p + s->p.n, *p = start;
	char *to = s->pool + s->pooled;

	for (; p < end && (about[*p] & PLAIN) && !(p + 1 < end && (about[p[1]] & MORE)); p++)
		to[p - start] = (char)*p;
	size_t n = (size_t)(p - start);
	for (size_t i = 0; s->out->nocase && i < n; i++)
		to[i] = ascii_to_lower(to[i]);
	s->at += n;
	s->pooled += n;
	seq->size += n * SIZE_CHAR;
}

static bool scan_sequence(struct pattern_scan *s, unsigned depth, struct node *ret,
	struct regex_literals *ret_must)
{
	struct regex_literals group;

	*ret = (struct node){.kind = ATOM_GROUP};
	ret_must->n = 0;
	s->run = s->pooled;
	for (;;) {
		scan_plain(s, ret);
		if (s->at == s->p.n || peek(s, 0) == '|' || peek(s, 0) == ')')
			break;
		struct quantifier q;
		struct node item;

		if (peek(s, 0) == '(')
			end_run(s, ret_must);
		if (!scan_atom(s, depth, &item, &group) || !scan_quantifier(s, &q))
			return false;
		if ((q.present && item.kind == ATOM_EDGE) || !add_size(s, &item, &q, ret))
			return false;
		add_item(s, &item, &group, &q, ret_must);
	}
	end_run(s, ret_must);
	return true;
}

/* Adds a branch's set to that of the earlier branches; a branch without required literals clears it. */
static void join_literals(struct regex_literals *all, const struct regex_literals *branch)
{
	if (!all->n || !branch->n || all->n + branch->n > REGEX_LITERALS_MAX) {
		all->n = 0;
		return;
	}
	memcpy(all->lit + all->n, branch->lit, branch->n * sizeof(branch->lit[0]));
	all->n += branch->n;
}

static bool scan_branches(struct pattern_scan *s, unsigned depth, struct node *ret,
	struct regex_literals *ret_must)
{
	if (!scan_sequence(s, depth, ret, ret_must))
		return false;
	while (peek(s, 0) == '|') {
		struct regex_literals must;
		struct node branch;

		s->at++;
		if (!scan_sequence(s, depth, &branch, &must))
			return false;
		join_literals(ret_must, &must);
		ret->varies = true;
		ret->size += branch.size + SIZE_BRANCH;
	}
	return ret->size <= REGEX_SCAN_SIZE_MAX;
}

bool regex_scan(struct str pattern, bool nocase, char *pool, struct regex_scan *ret)
{
	struct pattern_scan s = {.p = pattern, .pool = pool, .out = ret};
	struct node all;

	ret->nocase = nocase;
	ret->nested = false;
	if (str_starts(pattern, "(?i)")) {
		ret->nocase = true;
		s.at = 4;
	}
	return scan_branches(&s, 0, &all, &ret->must) && s.at == pattern.n;
}
