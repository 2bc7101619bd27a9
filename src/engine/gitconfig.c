/* See gitconfig.h. Only plain lines are read: a section in brackets, NAME = VALUE, quotes around the value or parts of it. */
#include "engine/gitconfig.h"

#define BLANKS " \t\r"
#define VALUE_MAX 200

enum { KEYS = 3 };

static const struct {
	char section[8], name[16];
} keys[KEYS] = {{"user", "name"}, {"user", "email"}, {"init", "defaultbranch"}};

static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c); }

static bool same(struct str s, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < n && s.n == n; i++)
		if (lower(s.p[i]) != name[i])
			return false;
	return s.n == n;
}

/* Without quotes and comments. Empty for what is not plain: an escape, a control character, too long. */
static struct str value_of(struct arena *a, struct str s)
{
	struct buf b;
	bool quoted = false;

	buf_init(&b, a, 0);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"') {
			quoted = !quoted;
			continue;
		}
		if (!quoted && (s.p[i] == '#' || s.p[i] == ';'))
			break;
		if (s.p[i] == '\\' || (unsigned char)s.p[i] < ' ' || s.p[i] == 127 || b.n >= VALUE_MAX)
			return STR("");
		buf_char(&b, s.p[i]);
	}
	return quoted ? STR("") : str_trim(buf_view(&b), BLANKS);
}

static void read_line(struct arena *a, struct str line, struct str *section, struct str found[KEYS])
{
	ptrdiff_t eq = str_find(line, '=', 0);
	struct str name;

	if (line.n && line.p[0] == '[') {
		ptrdiff_t end = str_find(line, ']', 0);

		*section = end > 0 ? str_trim(str_sub(line, 1, (size_t)end), BLANKS) : STR("");
		return;
	}
	if (eq < 0)
		return;
	name = str_trim(str_sub(line, 0, (size_t)eq), BLANKS);
	for (size_t i = 0; i < KEYS; i++)
		if (same(*section, keys[i].section) && same(name, keys[i].name))
			found[i] = value_of(a, str_trim(str_sub(line, (size_t)eq + 1, line.n), BLANKS));
}

struct str gitconfig_identity(struct arena *a, struct str text)
{
	struct str found[KEYS] = {{0}}, section = STR("");
	const char *last = "";
	struct buf b;

	for (size_t at = 0; at < text.n;) {
		ptrdiff_t end = str_find(text, '\n', at);
		size_t to = end < 0 ? text.n : (size_t)end;

		read_line(a, str_trim(str_sub(text, at, to), BLANKS), &section, found);
		at = to + 1;
	}
	buf_init(&b, a, 0);
	for (size_t i = 0; i < KEYS; i++) {
		if (!found[i].n)
			continue;
		if (strcmp(last, keys[i].section) != 0)
			buf_fmt(&b, "[%s]\n", keys[i].section);
		last = keys[i].section;
		buf_fmt(&b, "\t%s = \"%.*s\"\n", keys[i].name, STR_ARG(found[i]));
	}
	return buf_view(&b);
}
