/* See jsontext.h. */
#include "client/jsontext.h"

#include "base/utf8.h"

struct reading {
	struct arena *a;
	struct str text;
	size_t at;
	bool comments;
	unsigned depth;
	struct err *e;
};

struct str jsontext_place(struct arena *a, struct str text, size_t at)
{
	size_t line = 1, start = 0;

	if (at > text.n)
		at = text.n;
	for (size_t i = 0; i < at; i++)
		if (text.p[i] == '\n') {
			line++;
			start = i + 1;
		}
	return str_fmt(a, "%zu:%zu", line, at - start + 1);
}

static int wrong(struct reading *r, size_t at, const char *what)
{
	return err_set(r->e, ERR_INPUT, 0, "%.*s: %s", STR_ARG(jsontext_place(r->a, r->text, at)), what);
}

static int peek(const struct reading *r) { return r->at < r->text.n ? (unsigned char)r->text.p[r->at] : -1; }

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* ---- reading ---- */

static int skip_comment(struct reading *r)
{
	size_t from = r->at;
	bool block = str_starts(str_sub(r->text, r->at, r->text.n), "/*");

	if (!r->comments)
		return wrong(r, from, "a comment, which this client does not know");
	if (!block && !str_starts(str_sub(r->text, r->at, r->text.n), "//"))
		return wrong(r, from, "a value is expected");
	for (r->at += 2; r->at < r->text.n; r->at++) {
		if (!block && r->text.p[r->at] == '\n')
			return 0;
		if (block && str_starts(str_sub(r->text, r->at, r->text.n), "*/")) {
			r->at += 2;
			return 0;
		}
	}
	return block ? wrong(r, from, "a comment without its end") : 0;
}

static int skip(struct reading *r)
{
	while (r->at < r->text.n) {
		if (is_blank(r->text.p[r->at]))
			r->at++;
		else if (r->text.p[r->at] != '/')
			return 0;
		else if (skip_comment(r) != 0)
			return -1;
	}
	return 0;
}

static int hex4(struct reading *r, unsigned *ret)
{
	unsigned v = 0;

	for (unsigned i = 0; i < 4; i++, r->at++) {
		int c = peek(r);
		int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;

		if (d < 0)
			return wrong(r, r->at, "four hexadecimal digits are expected");
		v = v * 16 + (unsigned)d;
	}
	*ret = v;
	return 0;
}

static void put_utf8(struct buf *b, unsigned c)
{
	char out[4];

	buf_add(b, out, utf8_put(c, out));
}

static int read_unicode(struct reading *r, struct buf *b)
{
	unsigned c, low;

	if (hex4(r, &c) != 0)
		return -1;
	if (c >= 0xd800 && c < 0xdc00 && str_starts(str_sub(r->text, r->at, r->text.n), "\\u")) {
		size_t back = r->at;

		r->at += 2;
		if (hex4(r, &low) != 0)
			return -1;
		if (low >= 0xdc00 && low < 0xe000)
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		else
			r->at = back;
	}
	put_utf8(b, c >= 0xd800 && c < 0xe000 ? 0xfffd : c); /* half of a pair */
	return 0;
}

static int read_escape(struct reading *r, struct buf *b)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	int c = peek(r);
	const char *known = c > 0 ? strchr(from, c) : NULL;

	if (c == 'u') {
		r->at++;
		return read_unicode(r, b);
	}
	if (!known)
		return wrong(r, r->at, "an escape that JSON does not know");
	buf_char(b, to[known - from]);
	r->at++;
	return 0;
}

static int read_string(struct reading *r, struct str *ret)
{
	size_t from = r->at++;
	struct buf b;

	buf_init(&b, r->a, JSONTEXT_BYTES_MAX);
	for (;;) {
		int c = peek(r);

		if (c < 0)
			return wrong(r, from, "a string without its end");
		if (c < 0x20)
			return wrong(r, r->at, "a control character in a string");
		r->at++;
		if (c == '"')
			break;
		if (c != '\\')
			buf_char(&b, (char)c);
		else if (read_escape(r, &b) != 0)
			return -1;
	}
	*ret = buf_view(&b);
	return 0;
}

static bool is_number(struct str s)
{
	size_t i = s.n && s.p[0] == '-', digits = i;

	while (i < s.n && s.p[i] >= '0' && s.p[i] <= '9')
		i++;
	if (i == digits || (s.p[digits] == '0' && i > digits + 1))
		return false;
	if (i < s.n && s.p[i] == '.') {
		for (digits = ++i; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
			;
		if (i == digits)
			return false;
	}
	if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
		i++;
		if (i < s.n && (s.p[i] == '+' || s.p[i] == '-'))
			i++;
		for (digits = i; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
			;
		if (i == digits)
			return false;
	}
	return i == s.n;
}

static bool is_plain(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-' || c == '.'; }

static int read_plain(struct reading *r)
{
	size_t from = r->at;
	struct str word;

	while (r->at < r->text.n && is_plain(r->text.p[r->at]))
		r->at++;
	word = str_sub(r->text, from, r->at);
	if (!str_is(word, "true") && !str_is(word, "false") && !str_is(word, "null") && !is_number(word))
		return wrong(r, from, "a value is expected");
	return 0;
}

static int read_value(struct reading *r, struct jnode *n);

/* One member or element, its key first. */
static int read_child(struct reading *r, struct jnode *parent, struct jnode *child)
{
	child->parent = parent;
	child->start = r->at;
	if (parent->kind == JNODE_OBJECT) {
		if (peek(r) != '"')
			return wrong(r, r->at, "a name in quotes is expected");
		if (read_string(r, &child->key) != 0)
			return -1;
		for (const struct jnode *o = parent->first; o && o != child; o = o->next)
			if (str_eq(o->key, child->key))
				return wrong(r, child->start, "a name that is there twice");
		if (skip(r) != 0)
			return -1;
		if (peek(r) != ':')
			return wrong(r, r->at, "':' is expected");
		r->at++;
	}
	return skip(r) != 0 ? -1 : read_value(r, child);
}

static int read_children(struct reading *r, struct jnode *n, char end)
{
	struct jnode **last = &n->first;
	size_t count = 0;

	r->at++;
	if (++r->depth > JSONTEXT_DEPTH_MAX)
		return wrong(r, n->from, "nested too deeply");
	if (skip(r) != 0)
		return -1;
	while (peek(r) != end || n->first) {
		struct jnode *child = arena_new(r->a, struct jnode);

		if (++count > JSONTEXT_CHILDREN_MAX)
			return wrong(r, n->from, "too many values in one");
		*last = child;
		last = &child->next;
		if (read_child(r, n, child) != 0 || skip(r) != 0)
			return -1;
		if (peek(r) == end)
			break;
		if (peek(r) != ',')
			return wrong(r, r->at, end == ']' ? "',' or ']' is expected" : "',' or '}' is expected");
		r->at++;
		if (skip(r) != 0)
			return -1;
	}
	r->at++;
	r->depth--;
	return 0;
}

static int read_value(struct reading *r, struct jnode *n)
{
	int c = peek(r), rc;

	n->from = r->at;
	if (!n->parent || n->parent->kind != JNODE_OBJECT)
		n->start = r->at;
	if (c == '{' || c == '[') {
		n->kind = c == '{' ? JNODE_OBJECT : JNODE_ARRAY;
		rc = read_children(r, n, c == '{' ? '}' : ']');
	} else if (c == '"') {
		n->kind = JNODE_STRING;
		rc = read_string(r, &n->text);
	} else {
		rc = read_plain(r);
	}
	n->to = r->at;
	return rc;
}

int jsontext_read(struct arena *a, struct str text, bool comments, struct jnode **ret_root, struct err *e)
{
	struct reading r = {.a = a, .text = text, .comments = comments, .e = e};
	struct jnode *root = arena_new(a, struct jnode);

	if (text.n > JSONTEXT_BYTES_MAX)
		return err_set(e, ERR_LIMIT, 0, "1:1: longer than %zu bytes", JSONTEXT_BYTES_MAX);
	if (str_starts(text, "\xef\xbb\xbf"))
		r.at = 3;
	if (skip(&r) != 0)
		return -1;
	if (r.at == text.n) {
		*ret_root = NULL;
		return 0;
	}
	if (read_value(&r, root) != 0 || skip(&r) != 0)
		return -1;
	if (r.at < text.n)
		return wrong(&r, r.at, "something follows the value");
	*ret_root = root;
	return 0;
}

struct jnode *jnode_get(const struct jnode *object, const char *key)
{
	for (struct jnode *n = object && object->kind == JNODE_OBJECT ? object->first : NULL; n; n = n->next)
		if (str_is(n->key, key))
			return n;
	return NULL;
}

void jsontext_string(struct buf *b, struct str s)
{
	s = utf8_repair(b->a, s);
	buf_char(b, '"');
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c == '"' || c == '\\')
			buf_fmt(b, "\\%c", c);
		else if (c < 0x20)
			buf_fmt(b, "\\u%04x", c);
		else
			buf_char(b, (char)c);
	}
	buf_char(b, '"');
}

/* ---- layout ---- */

struct jstyle jsontext_style(struct str text, const struct jnode *root)
{
	struct jstyle s = {"\n", STR("  ")};
	ptrdiff_t line = str_find(text, '\n', 0);
	size_t at;

	if (line > 0 && text.p[line - 1] == '\r')
		s.newline = "\r\n";
	if (!root || !root->first)
		return s;
	for (at = root->first->start; at > root->from + 1 && (text.p[at - 1] == ' ' || text.p[at - 1] == '\t'); at--)
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

static struct str cut(struct arena *a, struct str text, size_t from, size_t to)
{
	return str_cat(a, str_sub(text, 0, from), str_sub(text, to, text.n));
}

struct str jsontext_put(struct arena *a, struct str text, const struct jnode *container, struct str piece)
{
	size_t at = container->from + 1;
	struct buf b;

	buf_init(&b, a, 2 * JSONTEXT_BYTES_MAX);
	buf_str(&b, str_sub(text, 0, at));
	buf_str(&b, piece);
	buf_char(&b, container->first ? ',' : ' ');
	buf_str(&b, str_sub(text, at, text.n));
	return buf_view(&b);
}

/* Only blanks (and one comma) between two places. Comments are somebody's. */
static bool only(struct str text, size_t from, size_t to, char comma)
{
	for (; from < to; from++)
		if (!is_blank(text.p[from]) && text.p[from] != comma)
			return false;
	return true;
}

bool jsontext_made(struct str text, const struct jnode *child)
{
	const struct jnode *c = child->parent;

	return c && c->first == child && !child->next && only(text, c->from + 1, child->start, ' ') && only(text, child->to, c->to - 1, ' ') && text.p[child->to] != ' ';
}

static size_t find_comma(struct str text, size_t from, size_t to)
{
	for (; from < to; from++) { /* outside of values, so that a comma stands for itself unless it is in a comment */
		if (text.p[from] == '/' && from + 1 < to && text.p[from + 1] == '/')
			while (from < to && text.p[from] != '\n')
				from++;
		else if (text.p[from] == '/' && from + 1 < to && text.p[from + 1] == '*')
			for (from += 3; from < to && !(text.p[from - 1] == '*' && text.p[from] == '/'); from++)
				;
		else if (text.p[from] == ',')
			return from;
	}
	return to;
}

struct str jsontext_take(struct arena *a, struct str text, const struct jnode *child)
{
	const struct jnode *before = NULL;
	size_t from = child->start, to = child->to, comma;

	for (const struct jnode *n = child->parent->first; n != child; n = n->next)
		before = n;
	while (is_blank(text.p[from - 1]))
		from--;
	if (child->next) {
		comma = find_comma(text, to, child->next->start);
		if (only(text, to, comma, ' '))
			return cut(a, text, from, comma + 1);
		text = cut(a, text, comma, comma + 1);
		return cut(a, text, from, to);
	}
	if (before) {
		comma = find_comma(text, before->to, from);
		text = cut(a, text, from, to);
		return cut(a, text, comma, comma + 1);
	}
	if (text.p[to] == ' ')
		to++;
	return cut(a, text, from, to);
}
