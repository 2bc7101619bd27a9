/*
 * Parser for git configuration files: see git_config.h.
 *
 * It understands settings on a single line, with quotes and escapes in the value. For everything else (a
 * value that continues on the next line, an unknown escape) it reports that it did not understand, and yields
 * the raw line as a setting "?.?". Callers then assume the worst.
 */
#include "sys/git_config.h"

#define NAME_BYTES 64
#define BLANKS " \t\r"

/* Returns a name in lower case, or an empty string if it is not a valid name. */
static struct str name_of(struct arena *a, struct str s)
{
	char *c = str_c(a, s);

	if (!s.n || s.n > NAME_BYTES)
		return STR("");
	for (size_t i = 0; i < s.n; i++) {
		if (!ascii_is_alnum(c[i]) && c[i] != '-')
			return STR("");
		c[i] = ascii_to_lower(c[i]);
	}
	return str_n(c, s.n);
}

/* Parses [section] or [section "sub"]. Returns its length, or 0 if it is malformed. */
static size_t read_header(struct arena *a, struct str line, struct git_setting *ret)
{
	struct buf sub;
	size_t i = 1;

	while (i < line.n && line.p[i] != ']' && line.p[i] != ' ' && line.p[i] != '\t' && line.p[i] != '"')
		i++;
	ret->section = name_of(a, str_sub(line, 1, i));
	buf_init(&sub, a, line.n + 1);
	while (i < line.n && ascii_is_blank(line.p[i]))
		i++;
	if (i < line.n && line.p[i] == '"') {
		for (i++; i < line.n && line.p[i] != '"'; i++) {
			if (line.p[i] == '\\' && ++i >= line.n)
				return 0;
			buf_char(&sub, line.p[i]);
		}
		i++;
	}
	ret->sub = buf_view(&sub);
	return ret->section.n && i < line.n && line.p[i] == ']' ? i + 1 : 0;
}

/*
 * Returns the character of an escape in a value. 0: unknown escape, or the value continues on the next line.
 */
static char escaped_char(char c)
{
	switch (c) {
	case '"':
	case '\\': return c;
	case 'n': return '\n';
	case 't': return '\t';
	case 'b': return '\b';
	default: return 0;
	}
}

/* Parses a value as git does: removes quotes, escapes and the comment. False if it is malformed. */
static bool value_of(struct arena *a, struct str s, struct str *ret)
{
	bool quoted = false;
	size_t keep = 0; /* blanks before this offset belong to the value */
	struct buf b;

	s = str_trim(s, BLANKS);
	buf_init(&b, a, s.n + 1);
	for (size_t i = 0; i < s.n && (quoted || !strchr("#;", s.p[i])); i++) {
		char c = s.p[i];

		if (c == '"') {
			quoted = !quoted;
			keep = b.n;
			continue;
		}
		if (c == '\\') {
			c = ++i < s.n ? escaped_char(s.p[i]) : 0;
			if (!c)
				return false;
			buf_char(&b, c);
			keep = b.n;
			continue;
		}
		buf_char(&b, c);
		if (quoted)
			keep = b.n;
	}
	while (b.n > keep && strchr(BLANKS, b.p[b.n - 1]))
		b.n--;
	*ret = buf_view(&b);
	return !quoted;
}

static bool read_setting(
	struct arena *a, const struct git_setting *in, struct str line, git_setting_fn *fn, void *ctx)
{
	ptrdiff_t equals = str_find(line, '=', 0);
	struct git_setting s = {
		.section = in->section, .sub = in->sub, .value = STR("true"), .line = line};

	s.key = name_of(a, str_trim(equals < 0 ? line : str_first(line, (size_t)equals), BLANKS));
	if (!s.section.n || !s.key.n ||
		(equals >= 0 && !value_of(a, str_from(line, (size_t)equals + 1), &s.value)))
		return false;
	fn(ctx, &s);
	return true;
}

bool git_config_each(struct arena *a, struct str text, git_setting_fn *fn, void *ctx)
{
	struct git_setting in = {.section = STR(""), .sub = STR("")};
	bool understood = !text.n || !str_has(text, 0);

	for (size_t from = 0; from < text.n;) {
		size_t to = str_end(text, '\n', from);
		struct str line = str_trim(str_sub(text, from, to), BLANKS);

		from = to + 1;
		if (line.n && line.p[0] == '[') {
			size_t n = read_header(a, line, &in);

			line = n ? str_trim(str_from(line, n), BLANKS) : line;
			if (!n)
				in.section = in.sub = STR("");
		}
		if (line.n && line.p[0] != '#' && line.p[0] != ';' && !read_setting(a, &in, line, fn, ctx)) {
			understood = false;
			fn(ctx, &(struct git_setting){
					.section = STR("?"), .sub = STR(""), .key = STR("?"), .value = line,
					.line = line});
		}
	}
	return understood;
}

bool git_config_true(struct str value)
{
	return str_like_any(value, "true yes on 1");
}

bool git_config_false(struct str value)
{
	return str_like_any(value, "false no off") ||
		str_is(value, "0");
}
