/*
 * Texts whose only unknown parts are names and numbers: results of file name patterns, and of the shell's
 * operators on them. A hole of those kinds contains no slash and is not empty, so each component of such a
 * path is known.
 */
#include "shell/eval.h"
#include "shell/pattern.h"

#define NAME ((struct str){"\2", 1})

static bool is_active(char c) { return strchr("*?[]@+!()|^", c) && c; }

/*
 * Returns the text for one component of a pattern: a hole for a name, plus the literal characters at its end
 * if the part before them cannot be empty. A star at the start matches no hidden file, so `*.c` does not
 * match ".c" unless dotglob is on, nor "x.C" unless nocaseglob is.
 */
static struct str expand_component(struct eval *e, struct str p)
{
	size_t first = 0, last = p.n;
	if (!text_exact(p) || str_contains(p, STR("**")))
		return HOLE;
	while (first < p.n && !is_active(p.p[first]) && p.p[first] != '\\')
		first++;
	if (first == p.n)
		return p;
	while (last > 0 && !is_active(p.p[last - 1]) && p.p[last - 1] != '\\')
		last--;
	if (last && p.p[last - 1] == '\\')
		last = p.n; /* the backslash quotes the next character */
	struct str head = str_first(p, first), tail = str_from(p, last);
	if (str_is(head, "..") || (str_starts(head, ".") && head.n < 3))
		return HOLE; /* `.*` matches . and .. */
	/* the part after it may be empty, so the hole includes the last character */
	if (str_starts(head, "."))
		return str_cat(e->a, str_first(head, head.n - 1), NAME);
	bool filled = head.n || (str_starts(tail, ".") && p.p[0] != '\\');
	return filled && !e->odd_globs ? str_cat(e->a, NAME, tail) : NAME;
}

struct str names_of_pattern(struct eval *e, struct str pattern)
{
	struct buf b;
	buf_init(&b, e->a, 0);
	if (pattern_extended(pattern))
		return HOLE;
	for (size_t i = 0; i <= pattern.n;) {
		size_t to = str_end(pattern, '/', i);
		struct str part = str_sub(pattern, i, to);
		bool escaped = part.n && part.p[part.n - 1] == '\\'; /* before a slash, or at the end */
		part = escaped ? HOLE : expand_component(e, part);
		if (str_has(part, HOLE_ANY))
			return HOLE;
		buf_str(&b, part);
		if (to < pattern.n)
			buf_char(&b, '/');
		i = to + 1;
	}
	return buf_view(&b);
}

/* Two names in the same directory become any name in it; else a hole. */
struct str names_join(struct eval *e, struct str a, struct str b)
{
	size_t da = a.n - str_base(a).n, db = b.n - str_base(b).n;
	struct str x = str_base(a), y = str_base(b);
	if (str_eq(a, b))
		return a;
	if (da != db || memcmp(a.p, b.p, da) != 0 || !names_only(a) || !names_only(b))
		return HOLE;
	for (int i = 0; i < 2; i++) {
		struct str s = i ? x : y;
		if (s.n == 0 || str_is_any(s, ". ..") || str_has(s, '\n'))
			return HOLE;
	}
	return str_cat(e->a, str_first(a, da), NAME);
}

bool names_only(struct str s) { return s.n && !str_has(s, HOLE_ANY); }

/* ---- ${x#p} and related operators ---- */

/* The number of literal characters at the start, and at the end. */
static size_t known_head(struct str s)
{
	size_t i = 0;
	while (i < s.n && !text_hole(s.p[i]))
		i++;
	return i;
}

static size_t known_tail(struct str s)
{
	size_t i = s.n;
	while (i > 0 && !text_hole(s.p[i - 1]))
		i--;
	return s.n - i;
}

/* Returns the index of the last c, if that is certain; else -1. */
static ptrdiff_t last_of(struct str s, char c)
{
	size_t from = c == '/' ? 0 : s.n - known_tail(s); /* no hole contains a slash */
	for (size_t i = s.n; i > from; i--)
		if (s.p[i - 1] == c)
			return (ptrdiff_t)i - 1;
	return -1;
}

static struct str unescape_pattern(struct eval *e, struct str p)
{
	struct buf b;
	buf_init(&b, e->a, 0);
	for (size_t i = 0; i < p.n; i++) {
		if (p.p[i] == '\\' && i + 1 < p.n)
			i++;
		buf_char(&b, p.p[i]);
	}
	return buf_view(&b);
}

struct str names_cut(struct eval *e, enum param_op op, struct str s, struct str pattern)
{
	if (!names_only(s) || !text_exact(pattern))
		return HOLE;
	ptrdiff_t at;
	if (!pattern_active(pattern) && !pattern_extended(pattern)) { /* literal text */
		struct str p = unescape_pattern(e, pattern);
		bool head = op == PARAM_CUT_HEAD || op == PARAM_CUT_HEAD_MAX;
		size_t known = head ? known_head(s) : known_tail(s);
		size_t from = head ? 0 : s.n - p.n;
		if (known < p.n)
			return HOLE;
		if (!str_eq(str_sub(s, from, from + p.n), p))
			return s;
		return head ? str_from(s, p.n) : str_first(s, from);
	}
	if (op == PARAM_CUT_HEAD_MAX && str_is_any(pattern, "*/ *.")) {
		at = last_of(s, pattern.p[1]);
		return at >= 0 ? str_from(s, (size_t)at + 1) : pattern.p[1] == '/' ? s : HOLE;
	}
	if (op == PARAM_CUT_TAIL && str_is_any(pattern, "/* .*")) {
		at = last_of(s, pattern.p[0]);
		return at >= 0 ? str_first(s, (size_t)at) : pattern.p[0] == '/' ? s : HOLE;
	}
	return HOLE;
}

/* ---- scripts ---- */

/*
 * A number between blanks is a word, so the script can be parsed with the hole in it. That fails where the
 * number would be a here-document delimiter or the name of a function.
 */
bool script_known(struct str text)
{
	if (text_exact(text))
		return true;
	if (text_open(text) || str_contains(text, STR("<<")) || str_contains(text, STR("()")) ||
			str_contains(text, STR("function")))
		return false;
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] != HOLE_NUM)
			continue;
		if (i == 0 || !strchr(" \t", text.p[i - 1]) ||
				(i + 1 < text.n && !strchr(" \t\n;", text.p[i + 1])))
			return false;
	}
	return true;
}
