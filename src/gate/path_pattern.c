/*
 * File name patterns that match nearly everything, in any spelling: a delete with one deletes the whole
 * directory.
 */
#include "gate/judge.h"

/*
 * True for a bracket expression that excludes little: a negated one, or all letters. *ret_end is the index
 * after it.
 */
static bool broad_bracket(struct str s, size_t from, size_t *ret_end)
{
	static const char members[][10] = {"a-z", "A-Z", "[:alnum:]", "[:alpha:]", "[:lower:]", "[:print:]",
			"[:graph:]"};
	size_t end = from + 1;
	struct str in;

	end += end < s.n && (s.p[end] == '!' || s.p[end] == '^');
	end += end < s.n && s.p[end] == ']';
	for (; end < s.n && s.p[end] != ']'; end++)
		if (s.p[end] == '[' && end + 1 < s.n && s.p[end + 1] == ':')
			for (end += 3; end < s.n && !(s.p[end - 1] == ':' && s.p[end] == ']');)
				end++;
	in = str_sub(s, from + 1, end < s.n ? end : s.n);
	*ret_end = end + 1;
	if (in.n && (in.p[0] == '!' || in.p[0] == '^'))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(members); i++)
		if (str_contains(in, str_n(members[i], strnlen(members[i], sizeof(*members)))))
			return true;
	return false;
}

#define PATTERN_DEPTH_MAX 8

/*
 * True if this component of a pattern matches nearly every name: *, ?*, [!.]*, !(x), @(*|.*) do; *.c and
 * [0-9]* do not.
 */
static bool finds_everything(struct str s, unsigned depth)
{
	bool any = false;
	size_t i = 0;

	while (i < s.n && s.p[i] == '.')
		i++;
	while (i < s.n) {
		bool group = i + 1 < s.n && s.p[i + 1] == '(' && strchr("!@+*?", s.p[i]);
		size_t end;

		if (group) {
			bool broad = s.p[i] == '!';
			size_t from = i + 2;

			for (end = from; end <= s.n && (end == from || s.p[end - 1] != ')'); end++)
				if (end < s.n && (s.p[end] == '|' || s.p[end] == ')')) {
					broad |= depth < PATTERN_DEPTH_MAX &&
							(finds_everything(str_sub(s, from, end), depth + 1) ||
							str_is(str_sub(s, from, end), "?"));
					from = end + 1;
				}
			if (!broad)
				return false;
			any = true;
			i = end;
		} else if (s.p[i] == '*' || s.p[i] == '?') {
			any |= s.p[i++] == '*';
		} else if (s.p[i] == '[' && broad_bracket(s, i, &end)) {
			i = end;
		} else {
			return false;
		}
	}
	return any;
}

bool pattern_finds_all(struct str rest)
{
	for (size_t from = 1; from <= rest.n;) {
		size_t to = str_end(rest, '/', from);

		if (!finds_everything(str_sub(rest, from, to), 0))
			return false;
		from = to + 1;
	}
	return true;
}
