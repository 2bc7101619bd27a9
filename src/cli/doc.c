/* See doc.h. */
#include "cli/doc.h"

#include "base/chars.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "judge/engine.h"

/*
 * True for code points that a terminal acts on, or that are invisible: they could make a text look like
 * another.
 */
static bool hidden(uint32_t cp) { return cp < 0x20 || char_hidden(char_class(cp)); }

static void put_escaped(struct buf *b, struct str text, bool quoted)
{
	for (size_t i = 0; i < text.n;) {
		size_t from = i;
		uint32_t cp = utf8_next(text, &i);

		if (cp == UTF8_BAD)
			buf_fmt(b, "\\x%02x", (unsigned char)text.p[from]);
		else if (quoted && cp == '\n')
			buf_c(b, "\\n");
		else if (hidden(cp))
			buf_fmt(b, cp > 0xFFFF ? "\\U%08x" : cp > 0xFF ? "\\u%04x" : "\\x%02x", cp);
		else if (quoted && (cp == '"' || cp == '\\'))
			buf_fmt(b, "\\%c", (char)cp);
		else
			buf_add(b, text.p + from, i - from);
	}
}

void put_visible(struct buf *b, struct str text) { put_escaped(b, text, false); }

/* ---- YAML ---- */

/* True if the string needs no quotes. When in doubt, quote. */
static bool is_plain_word(struct str s)
{
	if (!s.n || !(ascii_is_letter(s.p[0]) || s.p[0] == '/' || s.p[0] == '_') || s.p[s.n - 1] == ' ')
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_is_letter(s.p[i]) && !ascii_is_digit(s.p[i]) &&
				(!strchr("_-./ =+@*()", s.p[i]) || !s.p[i]))
			return false;
	return !str_is_any(s,
			"true false yes no on off null True False Yes No On Off Null TRUE FALSE YES NO ON "
			"OFF NULL");
}

static void yaml_text(struct buf *b, struct str s)
{
	if (is_plain_word(s)) {
		buf_str(b, s);
		return;
	}
	buf_char(b, '"');
	put_escaped(b, s, true);
	buf_char(b, '"');
}

static void line_end(struct doc *o)
{
	if (o->where.n) {
		buf_c(o->b, "  # ");
		put_visible(o->b, o->where);
	}
	o->where = STR("");
	buf_char(o->b, '\n');
}

static void indent(struct doc *o, unsigned depth)
{
	for (unsigned i = 0; i < depth; i++)
		buf_c(o->b, "  ");
}

/* Starts a line: indentation, the dash of an item, the key. */
static void yaml_lead(struct doc *o, const char *key)
{
	bool list = o->level[o->depth].list;

	indent(o, o->depth - (o->dash && !list));
	if (list || o->dash)
		buf_c(o->b, "- ");
	o->dash = false;
	if (!key)
		return;
	yaml_text(o->b, str_of(key));
	buf_char(o->b, ':');
}

/* ---- both ---- */

static void json_lead(struct doc *o, const char *key)
{
	if (o->level[o->depth].any)
		buf_char(o->b, ',');
	if (!key)
		return;
	json_put_string(o->b, str_of(key));
	buf_char(o->b, ':');
}

static void lead(struct doc *o, const char *key)
{
	if (o->json)
		json_lead(o, key);
	else
		yaml_lead(o, key);
	o->level[o->depth].any = true;
}

static void push(struct doc *o, bool list)
{
	if (o->depth + 1 < DOC_DEPTH_MAX)
		o->depth++;
	o->level[o->depth].list = list;
	o->level[o->depth].any = false;
}

void doc_start(struct doc *o, struct buf *b, bool json)
{
	*o = (struct doc){.b = b, .json = json, .where = STR("")};
	if (json)
		buf_char(b, '{');
}

void doc_finish(struct doc *o)
{
	if (o->json)
		buf_c(o->b, "}\n");
}

void doc_map(struct doc *o, const char *key)
{
	if (o->json) {
		json_lead(o, key);
		buf_char(o->b, '{');
		o->level[o->depth].any = true;
	} else if (key) {
		lead(o, key);
		line_end(o);
	} else {
		o->dash = true; /* the first key writes the dash */
	}
	push(o, false);
}

void doc_list(struct doc *o, const char *key)
{
	lead(o, key);
	if (o->json)
		buf_char(o->b, '[');
	else
		line_end(o);
	push(o, true);
}

void doc_end(struct doc *o)
{
	if (o->json)
		buf_char(o->b, o->level[o->depth].list ? ']' : '}');
	o->dash = false;
	if (o->depth)
		o->depth--;
}

static void raw(struct doc *o, const char *key, const char *text)
{
	lead(o, key);
	if (!o->json && key)
		buf_char(o->b, ' ');
	buf_c(o->b, text);
	if (!o->json)
		line_end(o);
}

void doc_text(struct doc *o, const char *key, struct str text)
{
	lead(o, key);
	if (o->json) {
		json_put_string(o->b, text);
		return;
	}
	if (key)
		buf_char(o->b, ' ');
	yaml_text(o->b, text);
	line_end(o);
}

void doc_word(struct doc *o, const char *key, const char *word) { doc_text(o, key, str_of(word)); }

void doc_bool(struct doc *o, const char *key, bool value) { raw(o, key, value ? "true" : "false"); }

void doc_number(struct doc *o, const char *key, uint64_t value)
{
	char digits[24];
	size_t at = sizeof(digits) - 1;

	digits[at] = '\0';
	do
		digits[--at] = (char)('0' + value % 10);
	while (value /= 10);
	raw(o, key, digits + at);
}

void doc_where(struct doc *o, struct str where)
{
	if (o->json)
		doc_text(o, "where", where);
	else
		o->where = where;
}

void doc_comment(struct doc *o, const char *text)
{
	if (o->json)
		return;
	indent(o, o->depth);
	buf_fmt(o->b, "# %s\n", text);
}
