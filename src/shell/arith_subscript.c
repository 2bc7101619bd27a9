/* Finds the ] of a subscript as bash does before it expands it: past quotes and substitutions. */
#include "shell/arith_subscript.h"

enum { SUBSCRIPT_NEST = 256 };

/* Quotes and substitutions nest. `deep` is set if they nest too deeply to follow. */
struct skip {
	struct str s;
	unsigned depth;
	bool deep;
};

static size_t skip_pair(struct skip *k, size_t i, char open, char close);

static bool opens_pair(struct str s, size_t i)
{
	return s.p[i] == '$' && i + 1 < s.n && (s.p[i + 1] == '(' || s.p[i + 1] == '{');
}

static size_t skip_dollar(struct skip *k, size_t i)
{
	char open = k->s.p[i + 1];

	return skip_pair(k, i + 2, open, open == '(' ? ')' : '}');
}

/* Returns the index after the closing quote. */
static size_t skip_quoted(struct skip *k, size_t i, char quote)
{
	struct str s = k->s;

	while (i < s.n && s.p[i] != quote) {
		if (s.p[i] == '\\' && quote != '\'')
			i += 2;
		else if (quote == '"' && opens_pair(s, i))
			i = skip_dollar(k, i);
		else if (quote == '"' && s.p[i] == '`')
			i = skip_quoted(k, i + 1, '`');
		else
			i++;
	}
	return i < s.n ? i + 1 : s.n;
}

/*
 * s[i] follows the opener of $( or ${. Returns the index after the matching closer, past quotes and nested
 * pairs.
 */
static size_t skip_pair(struct skip *k, size_t i, char open, char close)
{
	if (++k->depth > SUBSCRIPT_NEST)
		k->deep = true;
	for (size_t pairs = 1; i < k->s.n && !k->deep;) {
		char c = k->s.p[i];

		if (c == '\\')
			i += 2;
		else if (c == '\'' || c == '"' || c == '`')
			i = skip_quoted(k, i + 1, c);
		else if (pairs += (c == open) - (c == close), i++, !pairs)
			break;
	}
	k->depth--;
	return i < k->s.n ? i : k->s.n;
}

/* s[i] is the [. Returns the index of its ], or s.n. */
static size_t skip_subscript(struct skip *k, size_t i)
{
	size_t depth = 0;

	while (i < k->s.n && !k->deep) {
		char c = k->s.p[i];

		if (c == '\\')
			i += 2;
		else if (c == '`' || c == '\'' || c == '"')
			i = skip_quoted(k, i + 1, c);
		else if (opens_pair(k->s, i))
			i = skip_dollar(k, i);
		else if (c == ']' && --depth == 0)
			return i;
		else
			depth += c == '[', i++;
	}
	return k->s.n;
}

/*
 * A `)` inside $(...) may not close it if it belongs to a case, a comment or a here-document, which this scan
 * does not parse. If one of those may be inside, or a substitution does not seem to end, the result is
 * UNCLEAR.
 */
enum subscript arith_subscript(struct str s, size_t at, size_t *ret_end)
{
	struct skip k = {.s = s};
	size_t end = skip_subscript(&k, at);
	struct str sub = str_sub(s, at + 1, end);
	bool substitution = str_contains(sub, STR("$(")) || str_contains(sub, STR("`")) ||
			str_contains(sub, STR("${"));
	bool unclear = str_contains(sub, STR("case")) || str_contains(sub, STR("#")) ||
			str_contains(sub, STR("<<")) || end == s.n;

	if (k.deep || (substitution && unclear))
		return SUBSCRIPT_UNCLEAR;
	if (end == s.n)
		return SUBSCRIPT_OPEN;
	*ret_end = end;
	return SUBSCRIPT_CLOSED;
}
