/* See jsontext.h. */
#include "client/jsontext.h"

struct str jsontext_place(struct arena *a, struct str text, size_t at)
{
	struct json_place p = json_place(text, at);

	return str_fmt(a, "%zu:%zu", p.line, p.column);
}

int jsontext_wrong(struct arena *a, struct str text, const struct json *v, const char *want, struct err *e)
{
	return err_input(e, "%.*s: %s is expected here", STR_ARG(jsontext_place(a, text, v->from)), want);
}

/* ---- reading ---- */

int jsontext_read(struct arena *a, struct str text, bool comments, struct json **ret_root, struct err *e)
{
	struct json_reader r;
	struct json *root;

	if (text.n > JSONTEXT_BYTES_MAX)
		return err_limit(e, "1:1: longer than %zu bytes", JSONTEXT_BYTES_MAX);
	json_reader_init(&r, a, text, JSON_TOLERANT | (comments ? JSON_COMMENTS : 0));
	r.depth_max = JSONTEXT_DEPTH_MAX;
	r.count_max = JSONTEXT_VALUES_MAX;
	if (json_at_end(&r)) {
		*ret_root = NULL;
		return 0;
	}
	root = json_only(&r);
	if (!root)
		return err_input(e, "%.*s: %.*s%s", STR_ARG(jsontext_place(a, text, r.at)),
			STR_ARG(json_why(&r)),
			!comments && r.at < text.n && text.p[r.at] == '/'
				? ", not a comment, which this client does not know"
				: "");
	*ret_root = root;
	return 0;
}

/* ---- layout ---- */

struct jstyle jsontext_style(struct str text, const struct json *root)
{
	struct jstyle s = {"\n", STR("  ")};
	ptrdiff_t line = str_find(text, '\n', 0);
	size_t at;

	if (line > 0 && text.p[line - 1] == '\r')
		s.newline = "\r\n";
	if (!root || !root->first)
		return s;
	for (at = root->first->start;
		at > root->from + 1 && ascii_is_blank(text.p[at - 1]); at--)
		;
	if (text.p[at - 1] == '\n' && at < root->first->start)
		s.indent = str_sub(text, at, root->first->start);
	else if (!str_contains(str_sub(text, root->from, root->to), STR("\n")))
		s.newline = "";
	return s;
}

void jstyle_break(struct buf *b, const struct jstyle *s, unsigned depth)
{
	if (!*s->newline)
		return;
	buf_c(b, s->newline);
	for (unsigned i = 0; i < depth; i++)
		buf_str(b, s->indent);
}

/* ---- putting in, taking out ---- */

static struct str cut_range(struct arena *a, struct str text, size_t from, size_t to)
{
	return str_cat(a, str_first(text, from), str_from(text, to));
}

struct str jsontext_put(struct arena *a, struct str text, const struct json *container, struct str piece)
{
	size_t at = container->from + 1;
	struct buf b;

	buf_init(&b, a, 2 * JSONTEXT_BYTES_MAX);
	buf_str(&b, str_first(text, at));
	buf_str(&b, piece);
	buf_char(&b, container->first ? ',' : ' ');
	buf_str(&b, str_from(text, at));
	return buf_view(&b);
}

/* True if only blanks (and one comma) lie between two offsets. A comment belongs to somebody else. */
static bool has_only(struct str text, size_t from, size_t to, char comma)
{
	for (; from < to; from++)
		if (!ascii_is_space(text.p[from]) && text.p[from] != comma)
			return false;
	return true;
}

bool jsontext_made(struct str text, const struct json *child)
{
	const struct json *c = child->parent;

	return c && c->first == child && !child->next && has_only(text, c->from + 1, child->start, ' ') &&
	       has_only(text, child->to, c->to - 1, ' ') && text.p[child->to] != ' ';
}

static size_t find_comma(struct str text, size_t from, size_t to)
{
	for (; from < to;
		from++) { /* outside values, so a comma is a separator unless it is in a comment */
		if (text.p[from] == '/' && from + 1 < to && text.p[from + 1] == '/')
			while (from < to && text.p[from] != '\n')
				from++;
		else if (text.p[from] == '/' && from + 1 < to && text.p[from + 1] == '*')
			for (from += 3; from < to && !(text.p[from - 1] == '*' && text.p[from] == '/');
				from++)
				;
		else if (text.p[from] == ',')
			return from;
	}
	return to;
}

struct str jsontext_take(struct arena *a, struct str text, const struct json *child)
{
	const struct json *before = NULL;
	size_t from = child->start, to = child->to, comma;

	for (const struct json *n = child->parent->first; n != child; n = n->next)
		before = n;
	while (ascii_is_space(text.p[from - 1]))
		from--;
	if (child->next) {
		comma = find_comma(text, to, child->next->start);
		if (has_only(text, to, comma, ' '))
			return cut_range(a, text, from, comma + 1);
		text = cut_range(a, text, comma, comma + 1);
		return cut_range(a, text, from, to);
	}
	if (before) {
		comma = find_comma(text, before->to, from);
		text = cut_range(a, text, from, to);
		return cut_range(a, text, comma, comma + 1);
	}
	if (text.p[to] == ' ')
		to++;
	return cut_range(a, text, from, to);
}
