/* Writer for JSON texts. See json_write.h. */
#include "base/json_write.h"

#include "base/utf8.h"

static bool is_plain(unsigned char c)
{
	return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

void json_put_string(struct buf *b, struct str s)
{
	size_t i = 0;

	buf_char(b, '"');
	while (i < s.n) {
		size_t from = i;
		unsigned char c = (unsigned char)s.p[i];

		if (is_plain(c)) {
			while (i < s.n && is_plain((unsigned char)s.p[i]))
				i++;
			buf_add(b, s.p + from, i - from);
		} else if (c == '"' || c == '\\') {
			buf_char(b, '\\');
			buf_char(b, (char)c);
			i++;
		} else if (c == '\n' || c == '\t') {
			buf_c(b, c == '\n' ? "\\n" : "\\t");
			i++;
		} else if (c < 0x20 || c == 0x7F) {
			buf_fmt(b, "\\u%04x", c);
			i++;
		} else if (utf8_next(s, &i) == UTF8_BAD) {
			buf_c(b, "\xEF\xBF\xBD");
		} else if (c == 0xC2 &&
			   (unsigned char)s.p[from + 1] < 0xA0) { /* C1: terminals execute these */
			buf_fmt(b, "\\u%04x", (unsigned char)s.p[from + 1]);
		} else {
			buf_add(b, s.p + from, i - from);
		}
	}
	buf_char(b, '"');
}

/* No value ends in an opening bracket, so the last byte tells if this is the first item. */
void json_put_comma(struct buf *b)
{
	char last = b->n ? b->p[b->n - 1] : '{';

	if (last != '{' && last != '[')
		buf_char(b, ',');
}

void json_put_key(struct buf *b, const char *key)
{
	json_put_comma(b);
	buf_char(b, '"');
	buf_c(b, key);
	buf_c(b, "\":");
}

void json_put_open(struct buf *b, const char *key, char bracket)
{
	if (key)
		json_put_key(b, key);
	else
		json_put_comma(b);
	buf_char(b, bracket);
}

void json_put_field(struct buf *b, const char *key, struct str s)
{
	json_put_key(b, key);
	json_put_string(b, s);
}

void json_put_field_or_null(struct buf *b, const char *key, struct str s)
{
	if (s.n) {
		json_put_field(b, key, s);
		return;
	}
	json_put_key(b, key);
	buf_c(b, "null");
}

void json_put_name(struct buf *b, const char *key, const char *name)
{
	json_put_field_or_null(b, key, name ? str_of(name) : STR(""));
}

void json_put_bool(struct buf *b, const char *key, bool value)
{
	json_put_key(b, key);
	buf_c(b, value ? "true" : "false");
}

void json_put_words(struct buf *b, const char *key, struct str words)
{
	struct str word;

	json_put_key(b, key);
	buf_char(b, '[');
	while ((word = str_word(&words)).n) {
		json_put_comma(b);
		json_put_string(b, word);
	}
	buf_char(b, ']');
}

void json_put_texts(struct buf *b, const char *key, const struct texts *list)
{
	json_put_open(b, key, '[');
	for (; list; list = list->next) {
		json_put_comma(b);
		json_put_string(b, list->text);
	}
	buf_char(b, ']');
}

/* The reader bounds the depth. */
void json_put_value(struct buf *b, const struct json *v)
{
	static const char words[][8] = {[JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true"};

	switch (v->kind) {
	case JSON_NUMBER: buf_str(b, v->text); return;
	case JSON_STRING: json_put_string(b, v->text); return;
	case JSON_ARRAY:
	case JSON_OBJECT: break;
	default: buf_c(b, words[v->kind]); return;
	}
	buf_char(b, v->kind == JSON_OBJECT ? '{' : '[');
	for (const struct json *m = v->first; m; m = m->next) {
		json_put_comma(b);
		if (v->kind == JSON_OBJECT) {
			json_put_string(b, m->key);
			buf_char(b, ':');
		}
		json_put_value(b, m);
	}
	buf_char(b, v->kind == JSON_OBJECT ? '}' : ']');
}
