/*
 * Patterns under dotglob and nocaseglob. The gate matches patterns as bash does by default: case-sensitive,
 * and hidden names only where the pattern has the dot. So each pattern is rewritten: letters of components
 * with a wildcard become [xX]. For every subset of the components that may find hidden names, one variant
 * starts these components with a dot.
 */
#include "shell/eval.h"

struct glob_piece {
	struct str text;   /* pattern under nocaseglob */
	struct str dotted; /* the same for hidden names; empty: it finds none */
};

static char other_case(char c)
{
	return ascii_is_lower(c) ? ascii_to_upper(c) : ascii_to_lower(c);
}

/* Returns the end of the set that begins at `from`; 0: it is no set. */
static size_t set_end(struct str s, size_t from)
{
	size_t i = from + 1;
	i += i < s.n && (s.p[i] == '!' || s.p[i] == '^');
	i += i < s.n && s.p[i] == ']';
	for (; i < s.n && s.p[i] != ']'; i++)
		if (s.p[i] == '[' && i + 1 < s.n && s.p[i + 1] == ':') {
			ptrdiff_t close = str_find(s, ':', i + 2);
			i = close < 0 ? s.n - 1 : (size_t)close + 1;
		} else if (s.p[i] == '\\') {
			i++;
		}
	return i < s.n ? i + 1 : 0;
}

/* Adds the set with both cases of its letters ([a-cX]). A set with classes or escapes becomes a ?. */
static void add_set(struct buf *b, struct str set)
{
	if (memchr(set.p + 1, '[', set.n - 1) || str_has(set, '\\')) {
		buf_char(b, '?');
		return;
	}
	size_t from = set.p[1] == '!' || set.p[1] == '^' ? 2 : 1;
	buf_str(b, str_first(set, set.n - 1));
	for (size_t i = from; i + 1 < set.n; i++)
		if (i + 3 < set.n && set.p[i + 1] == '-') {
			if (other_case(set.p[i]) != set.p[i] && other_case(set.p[i + 2]) != set.p[i + 2]) {
				char range[3] = {other_case(set.p[i]), '-', other_case(set.p[i + 2])};
				buf_str(b, str_n(range, sizeof range));
			}
			i += 2;
		} else if (other_case(set.p[i]) != set.p[i]) {
			buf_char(b, other_case(set.p[i]));
		}
	buf_char(b, ']');
}

static void add_char(struct buf *b, char c, bool fold)
{
	char both[4] = {'[', c, other_case(c), ']'};
	if (fold && both[1] != both[2])
		buf_str(b, str_n(both, sizeof both));
	else
		buf_char(b, c);
}

/*
 * Returns a component as a pattern, case-insensitive with `fold` (it has a wildcard). `glob`: its wildcards
 * are active; else they are literal. Holes become stars.
 */
static struct str fold_part(struct eval *e, struct str part, bool glob, bool fold)
{
	struct buf b;
	buf_init(&b, e->a, 0);
	for (size_t i = 0; i < part.n; i++) {
		size_t end = glob && part.p[i] == '[' ? set_end(part, i) : 0;
		if (end) {
			add_set(&b, str_sub(part, i, end));
			i = end - 1;
		} else if (glob && part.p[i] == '\\' && i + 1 < part.n) {
			buf_str(&b, str_sub(part, i, i + 2));
			i++;
		} else if (text_hole(part.p[i])) {
			buf_char(&b, '*');
		} else {
			if (!glob && strchr("*?[\\", part.p[i]))
				buf_char(&b, '\\');
			add_char(&b, part.p[i], fold);
		}
	}
	return buf_view(&b);
}

static bool is_wild(struct str part, bool glob)
{
	for (size_t i = 0; i < part.n; i++)
		if (text_hole(part.p[i]) || (glob && strchr("*?[\\", part.p[i])))
			return true;
	return false;
}

/*
 * The form of a folded component that finds names with a leading dot, but not "..". Empty if it does not
 * begin with a wildcard.
 */
static struct str hidden_form(struct eval *e, struct str part)
{
	size_t from = part.p[0] == '[' ? set_end(part, 0) : part.p[0] == '?', plain = from;
	if (part.p[0] != '*' && !from)
		return STR("");
	while (plain < part.n && (part.p[plain] == '*' || part.p[plain] == '?'))
		plain++;
	return plain == part.n ? STR(".[!.]*") : str_cat(e->a, STR("."), str_from(part, from));
}

static struct glob_piece piece_of(struct eval *e, struct str part, bool glob)
{
	bool fold = is_wild(part, glob);
	struct glob_piece p = {fold_part(e, part, glob, fold), STR("")};
	if (fold)
		p.dotted = hidden_form(e, p.text);
	return p;
}

static struct str join_pieces(struct eval *e, const struct glob_piece *at, size_t n, unsigned chosen)
{
	struct buf b;
	buf_init(&b, e->a, 0);
	for (size_t i = 0; i < n; i++) {
		buf_char(&b, '/');
		bool dot = at[i].dotted.n && (chosen & 1);
		buf_str(&b, dot ? at[i].dotted : at[i].text);
		chosen >>= at[i].dotted.n != 0;
	}
	return buf_view(&b);
}

bool odd_patterns(struct eval *e, const struct word *path, struct str ret[ODD_PATTERNS_MAX], size_t *ret_n)
{
	struct glob_piece at[ODD_COMPONENTS_MAX];
	size_t n = 0;
	unsigned variants = 1;
	*ret_n = 0;
	for (size_t from = 1; from <= path->text.n;) {
		size_t to = str_end(path->text, '/', from);
		if (n == ODD_COMPONENTS_MAX)
			return false;
		at[n] = piece_of(e, str_sub(path->text, from, to), path->glob);
		variants <<= at[n++].dotted.n != 0;
		if (variants > ODD_PATTERNS_MAX)
			return false;
		from = to + 1;
	}
	for (unsigned v = 0; v < variants; v++)
		ret[(*ret_n)++] = join_pieces(e, at, n, v);
	return true;
}
