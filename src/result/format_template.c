/*
 * Line templates: literal text, numbers that are counted, lists of counts, and gaps. Matching takes no
 * memory; a gap is tried from the left, in lines of at most FORMAT_LINE_MAX bytes.
 */
#define _GNU_SOURCE
#include "result/format.h"
#include "result/lines.h"

struct matching {
	struct scan c;
	int64_t *counters;
};

static bool match_from(struct matching *m, const char *t);

static void add_count(struct matching *m, char counter, int64_t n)
{
	if (counter != '_')
		m->counters[counter - 'a'] += n;
}

/* Advances behind one of the texts of "a|b" that ends with `op`; false if none is there. */
static bool scan_one_of(struct matching *m, const char *t, char op, const char **ret_end)
{
	const char *end = strchr(t, op);
	struct str best = STR("");
	bool found = false;

	for (const char *from = t; from <= end;) {
		const char *to = from;

		while (to < end && *to != '|')
			to++;
		struct str s = str_n(from, (size_t)(to - from));

		if (s.n >= best.n && str_eq(str_sub(m->c.s, m->c.at, m->c.at + s.n), s)) {
			best = s;
			found = true;
		}
		from = to + 1;
	}
	m->c.at += best.n;
	*ret_end = end + 1;
	return found;
}

/* Finds the counter of a word in "failed=c passed=b *=_"; 0: the word is not known. */
static char word_counter(const char *words, struct str word)
{
	while (*words != TEMPLATE_ITEMS) {
		const char *end = words;

		while (*end != '=')
			end++;
		if (str_eq(word, str_n(words, (size_t)(end - words))) || (*words == '*' && end == words + 1))
			return end[1];
		words = end + 2;
		words += *words == ',';
	}
	return 0;
}

/* Reads "failed as expected". */
static bool scan_words(struct scan *c, struct str *ret)
{
	size_t from = c->at;
	struct str word;

	if (!scan_word(c, &word))
		return false;
	while (c->at + 1 < c->s.n && c->s.p[c->at] == ' ' && ascii_is_letter(c->s.p[c->at + 1])) {
		c->at++;
		scan_word(c, &word);
	}
	*ret = str_sub(c->s, from, c->at);
	return true;
}

/* Reads "3 failed" (form "#") or "Failures: 3" (form is what stands between them). */
static bool scan_item(struct matching *m, struct str form, const char *words)
{
	struct str word;
	int64_t n, of;
	char counter;

	if (form.p[0] == '#') {
		scan_blanks(&m->c);
		if (!scan_count(&m->c, &n) || !scan_text(&m->c, " "))
			return false;
		/* "1 of 2 total": 1 ran, the others were not started */
		if (scan_text(&m->c, "of ") && (!scan_count(&m->c, &of) || of < n || !scan_text(&m->c, " ")))
			return false;
		if (!scan_words(&m->c, &word))
			return false;
	} else {
		size_t from = m->c.at, at = from;

		while (at < m->c.s.n && !str_eq(str_sub(m->c.s, at, at + form.n), form) &&
				!ascii_is_digit(m->c.s.p[at]))
			at++;
		word = str_sub(m->c.s, from, at);
		m->c.at = at + form.n;
		if (!word.n || at + form.n > m->c.s.n || !scan_count(&m->c, &n))
			return false;
	}
	counter = word_counter(words, word);
	if (counter)
		add_count(m, counter, n);
	return counter;
}

static bool match_items(struct matching *m, const char *t)
{
	const char *form = strchr(t, TEMPLATE_ITEMS) + 1, *words = strchr(form, TEMPLATE_ITEMS) + 1;
	struct str separator = str_n(t, (size_t)(form - t) - 1),
			between = str_n(form, (size_t)(words - form) - 1);

	for (;;) {
		if (!scan_item(m, between, words))
			return false;
		if (!str_eq(str_sub(m->c.s, m->c.at, m->c.at + separator.n), separator))
			break;
		m->c.at += separator.n;
	}
	return match_from(m, strchr(words, TEMPLATE_ITEMS) + 1);
}

/* A gap: the rest of the template at the first place where it fits. */
static bool match_gap(struct matching *m, const char *t)
{
	int64_t before[FORMAT_COUNTERS];
	size_t literal = 0; /* bytes of text behind the gap */

	if (!*t)
		return true;
	if (m->c.s.n > FORMAT_LINE_MAX)
		return false;
	while ((unsigned char)t[literal] >= ' ')
		literal++;
	memcpy(before, m->counters, sizeof(before));
	for (size_t at = m->c.at; at <= m->c.s.n; at++) {
		if (literal) {
			const char *p = memmem(m->c.s.p + at, m->c.s.n - at, t, literal);

			if (!p)
				return false;
			at = (size_t)(p - m->c.s.p);
		}
		m->c.at = at;
		if (match_from(m, t))
			return true;
		memcpy(m->counters, before, sizeof(before));
	}
	return false;
}

static bool match_word(struct matching *m)
{
	size_t from = m->c.at;

	while (m->c.at < m->c.s.n && !ascii_is_blank(m->c.s.p[m->c.at]))
		m->c.at++;
	return m->c.at > from;
}

/* Matches what begins with the operator *t; *ret_rest is what follows it. False: no match. */
static bool match_op(struct matching *m, const char *t, const char **ret_rest)
{
	int64_t n;

	*ret_rest = t + 1;
	switch (*t) {
	case TEMPLATE_COUNT:
		*ret_rest = t + 2;
		if (!scan_count(&m->c, &n))
			return false;
		add_count(m, t[1], n);
		return true;
	case TEMPLATE_SECONDS:
		return scan_seconds(&m->c);
	case TEMPLATE_BLANKS:
		return scan_blanks(&m->c);
	case TEMPLATE_WORD:
		return match_word(m);
	case TEMPLATE_SPACE:
		scan_blanks(&m->c);
		return true;
	case TEMPLATE_SOLID:
		return !scan_end(&m->c) && !ascii_is_blank(m->c.s.p[m->c.at]);
	case TEMPLATE_MAYBE:
		scan_one_of(m, t + 1, TEMPLATE_MAYBE, ret_rest);
		return true;
	default:
		return scan_one_of(m, t + 1, TEMPLATE_OF, ret_rest);
	}
}

static bool match_from(struct matching *m, const char *t)
{
	while (*t) {
		if (*t == TEMPLATE_ANY)
			return match_gap(m, t + 1);
		if (*t == TEMPLATE_ITEMS)
			return match_items(m, t + 1);
		if ((unsigned char)*t < ' ' && *t != '\t') {
			if (!match_op(m, t, &t))
				return false;
		} else {
			if (scan_end(&m->c) || m->c.s.p[m->c.at] != *t)
				return false;
			m->c.at++;
			t++;
		}
	}
	return scan_end(&m->c);
}

bool template_match(const char *template, struct str line, int64_t counters[FORMAT_COUNTERS])
{
	struct matching m = {{line, 0}, counters};

	memset(counters, 0, FORMAT_COUNTERS * sizeof(*counters));
	return match_from(&m, template);
}
