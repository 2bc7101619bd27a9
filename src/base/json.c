/* JSON: glue over jansson. */
#include "base/json.h"

#include "base/utf8.h"

/* Where jansson's pieces go. Memory is taken between its calls only: leaving one by arena_leave() would skip its own clean-up. */
struct sink {
	char *p;
	size_t n, cap;
};

int json_load_strict(struct str text, json_t **ret, struct err *e)
{
	json_error_t why;
	json_t *v = json_loadb(text.n ? text.p : "", text.n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &why);
	if (!v)
		return err_set(e, ERR_INPUT, 0, "line %d, column %d: %s", why.line, why.column, why.text);
	*ret = v;
	return 0;
}

json_t *json_of_str(struct arena *a, struct str s)
{
	s = utf8_repair(a, s);
	return json_stringn(s.n ? s.p : "", s.n);
}

struct str json_to_str(const json_t *v)
{
	if (!json_is_string(v))
		return STR("");
	return str_n(json_string_value(v), json_string_length(v));
}

static int measure(const char *p, size_t n, void *ctx)
{
	(void)p;
	((struct sink *)ctx)->n += n;
	return 0;
}

static int fill(const char *p, size_t n, void *ctx)
{
	struct sink *s = ctx;
	if (n > s->cap - s->n)
		return -1;
	memcpy(s->p + s->n, p, n);
	s->n += n;
	return 0;
}

int json_dump_buf(struct buf *b, const json_t *v, struct err *e)
{
	const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY;
	struct sink size = {0};
	if (json_dump_callback(v, measure, &size, flags) != 0)
		return err_set(e, ERR_INTERNAL, 0, "cannot write a JSON value");
	struct sink out = {.p = arena_alloc(b->a, size.n), .cap = size.n};
	if (json_dump_callback(v, fill, &out, flags) != 0)
		return err_set(e, ERR_INTERNAL, 0, "cannot write a JSON value");
	buf_add(b, out.p, out.n);
	return 0;
}

int json_dump_line(struct buf *b, const json_t *v, struct err *e)
{
	if (json_dump_buf(b, v, e) < 0)
		return -1;
	buf_char(b, '\n');
	return 0;
}
