/*
 * Prefix rules (tools.bash.deny, ask, allow). A rule matches a command that equals it, or starts with it and
 * a blank. Both are compared as words joined by blanks, as the shell would pass them (without quotes or
 * disguises).
 *
 * The two directions differ on purpose. A deny or ask rule must not be missed: an unknown word may be the one
 * that the rule names, and /any/where/mkfs is mkfs. An allow rule must not be stretched: its words must be
 * present and known, and only a system directory may precede the name (/tmp/x/git is not git).
 */
#include "base/glob.h"
#include "gate/judge.h"

static const char system_dirs[][20] = {"/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/",
		"/usr/local/sbin/"};

struct str path_base(struct str s)
{
	struct str base = str_base(s);

	return base.n ? base : s;
}

bool path_is_system_program(struct str path)
{
	for (size_t i = 0; i < ARRAY_SIZE(system_dirs); i++) {
		size_t n = strlen(system_dirs[i]);

		if (path.n > n && !memcmp(path.p, system_dirs[i], n))
			return str_find(path, '/', n) < 0 && !str_is(str_from(path, n), "..") &&
					text_exact(path);
	}
	return false;
}

/* Reads the next word of a rule's text at *i; false at its end. */
static bool rule_word(struct str rule, size_t *i, struct str *ret)
{
	size_t from;

	while (*i < rule.n && ascii_is_blank(rule.p[*i]))
		++*i;
	from = *i;
	while (*i < rule.n && !ascii_is_blank(rule.p[*i]))
		++*i;
	*ret = str_sub(rule, from, *i);
	return ret->n > 0;
}

/*
 * True if the abstract text (with holes) may be this text. Backtracks greedily to the last hole, as for the *
 * of a pattern.
 */
static bool may_be(struct str abstract, struct str text)
{
	return glob_stars(abstract, text, text_hole);
}

/*
 * True if this file name pattern may match the text. Compares only the part before the first wildcard.
 * Option-like names do not count: a rule such as "rm -rf" should not make every `rm *` an ask.
 */
static bool glob_may_be(struct str pattern, struct str text)
{
	size_t i = 0;

	if (text.n > 0 && text.p[0] == '-')
		return false;
	while (i < pattern.n && !strchr("*?[\\({@+!", pattern.p[i]) && !text_hole(pattern.p[i]))
		i++;
	if (i > text.n || memcmp(pattern.p, text.p, i) != 0)
		return false;
	return str_find(text, '/', i) < 0 || str_find(pattern, '/', i) >= 0;
}

/* Matches one rule word with one word of the command; the first word also by its base name. */
static enum prefix_match word_match(const struct word *w, struct str want, bool first)
{
	if (w->kind == WORD_EXACT)
		return str_eq(w->text, want) || (first && str_eq(path_base(w->text), want)) ? MATCH_YES :
				MATCH_NO;
	if (w->kind == WORD_REST)
		return !w->glob || glob_may_be(w->text, want) ? MATCH_MAYBE : MATCH_NO;
	if (!w->text.n || may_be(w->text, want) || (first && may_be(path_base(w->text), want)))
		return MATCH_MAYBE;
	return MATCH_NO;
}

/*
 * True if the known words, joined by blanks, equal the rule or start with it and a blank. Also finds a rule's
 * text inside one quoted word.
 */
static bool joined_match(struct str rule, const struct command *c)
{
	size_t at = 0;

	for (size_t i = 0; i < c->argc && c->argv[i].kind == WORD_EXACT; i++) {
		struct str w = i ? c->argv[i].text : path_base(c->argv[i].text);
		size_t n = w.n < rule.n - at ? w.n : rule.n - at;

		if (memcmp(w.p, rule.p + at, n) != 0)
			return false;
		at += n;
		if (at == rule.n)
			return n == w.n || w.p[n] == ' ';
		if (rule.p[at++] != ' ')
			return false;
	}
	return false;
}

enum prefix_match rule_match(const struct prefix_rule *r, const struct command *c)
{
	enum prefix_match all = MATCH_YES;
	struct str want;
	size_t i = 0, at = 0;

	if (!c->argc || c->argv[0].kind != WORD_EXACT)
		return MATCH_NO; /* opaque-command asks */
	while (rule_word(r->prefix, &at, &want)) {
		enum prefix_match m = i < c->argc ? word_match(&c->argv[i], want, i == 0) : MATCH_NO;

		if (m == MATCH_NO) {
			all = MATCH_NO;
			break;
		}
		if (m == MATCH_MAYBE)
			all = MATCH_MAYBE;
		if (c->argv[i].kind == WORD_REST)
			break; /* any words follow */
		i++;
	}
	if (all == MATCH_NO && str_has(r->prefix, ' ') && joined_match(r->prefix, c))
		return MATCH_YES;
	return r->prefix.n ? all : MATCH_NO;
}

bool rule_allows(const struct prefix_rule *r, const struct command *c)
{
	struct str want;
	size_t i = 0, at = 0;

	while (rule_word(r->prefix, &at, &want)) {
		const struct word *w = i < c->argc ? &c->argv[i] : NULL;

		if (!w || w->kind != WORD_EXACT)
			return false;
		if (!str_eq(w->text, want) &&
				!(i == 0 && path_is_system_program(w->text) &&
				str_eq(path_base(w->text), want)))
			return false;
		i++;
	}
	return i > 0;
}
