/*
 * Finds a row's fields in one pass, without building a tree: a row is one JSON object on one line. The bytes
 * are untrusted, since anyone who can write the file can write any line. So every step is bounded by the
 * line, and a line of another shape is not a row.
 */
#define _GNU_SOURCE
#include "audit/inner.h"
#include "audit/read.h"
#include "base/json.h"
#include "base/num.h"

/* ---- walking over JSON ---- */

/*
 * Parses one `"key":value` at *at, and the comma or brace behind it. False at the end of the object; *at is
 * then the object's length.
 */
static bool next_field(struct str s, size_t *at, struct str *ret_key, struct str *ret_value)
{
	size_t from = *at, key, value;
	if (from >= s.n || s.p[from] != '"' || !(key = json_skip_string(s, from)) || key >= s.n ||
			s.p[key] != ':' || !(value = json_skip(s, key + 1, AUDIT_NEST_MAX)) || value >= s.n)
		return false;
	if (s.p[value] != ',' && (s.p[value] != '}' || value + 1 != s.n))
		return false;
	*ret_key = str_sub(s, from + 1, key - 1);
	*ret_value = str_sub(s, key + 1, value);
	*at = value + 1;
	return true;
}

static bool walk_fields(struct str s, struct audit_line *l)
{
	size_t at = 1, n = 0;
	struct str key, value;
	while (next_field(s, &at, &key, &value)) {
		if (n < AUDIT_FIELDS_MAX) {
			l->fields[n].key = key;
			l->fields[n++].value = value;
		}
		if (at == s.n && s.p[at - 1] == '}') {
			l->nfields = n;
			return true;
		}
	}
	return false;
}

/* JSON allows no control character inside a string, and our writer puts none outside. */
static bool has_control(struct str s)
{
	unsigned char bad = 0;
	for (size_t i = 0; i < s.n; i++)
		bad |= (unsigned char)s.p[i] < 0x20;
	return bad;
}

enum audit_kind audit_kind_of(struct str name)
{
	for (unsigned k = 0; k < AUDIT_KINDS; k++)
		if (str_is(name, audit_kind_name((enum audit_kind)k)))
			return (enum audit_kind)k;
	return AUDIT_KINDS;
}

bool audit_line_parse(struct str text, struct audit_line *ret)
{
	struct row_frame f;
	if (text.n >= AUDIT_ROW_MAX || has_control(text) || !frame_start(text, &f) || !frame_end(text, &f))
		return false;
	const int64_t time = audit_time_of(f.ts);
	if (time < 0 || !walk_fields(text, ret))
		return false;
	ret->text = text;
	ret->seq = f.seq;
	ret->kind = audit_kind_of(f.kind);
	ret->time = time;
	ret->id = f.id;
	ret->ts = f.ts;
	ret->prev = f.prev;
	ret->hash = f.hash;
	return true;
}

/* ---- values ---- */

struct str audit_field(const struct audit_line *l, const char *key)
{
	const struct str want = str_of(key);
	for (size_t i = 0; i < l->nfields; i++)
		if (str_eq(l->fields[i].key, want))
			return l->fields[i].value;
	return STR("");
}

struct str audit_inner(struct str object, const char *key)
{
	size_t at = 1;
	struct str name, value;
	if (!object.n || object.p[0] != '{')
		return STR("");
	while (next_field(object, &at, &name, &value))
		if (str_is(name, key))
			return value;
	return STR("");
}

bool audit_number(struct str value, int64_t *ret)
{
	return num_parse(value, INT64_MIN + 1, INT64_MAX, ret) == 0;
}

bool audit_item(struct str *list, struct str *ret)
{
	struct str s = *list;
	size_t end;
	if (!s.n || (s.p[0] != '[' && s.p[0] != ','))
		return false;
	if (!(end = json_skip(s, 1, AUDIT_NEST_MAX)) || end >= s.n || (s.p[end] != ',' && s.p[end] != ']'))
		return false;
	*ret = str_sub(s, 1, end);
	*list = str_from(s, end);
	return true;
}

/* Text without its quotes into `out`, which has s.n bytes. */
static size_t unescape(struct str s, char *out)
{
	size_t n = 0;
	json_unescape(s, JSON_TOLERANT | JSON_REPAIR, out, &n);
	return n;
}

static bool is_plain_text(struct str value, struct str *ret)
{
	if (value.n < 2 || value.p[0] != '"') {
		*ret = STR("");
		return true;
	}
	*ret = str_sub(value, 1, value.n - 1);
	return !str_has(*ret, '\\');
}

struct str audit_text(struct arena *a, struct str value)
{
	struct str s;
	if (is_plain_text(value, &s))
		return s;
	char *out = arena_alloc(a, s.n);
	return str_n(out, unescape(s, out));
}

struct str audit_text_buf(struct buf *b, struct str value)
{
	struct str s;
	if (is_plain_text(value, &s))
		return s;
	b->n = 0;
	buf_str(b, s);
	b->n = unescape(s, b->p);
	return buf_view(b);
}

/* ---- filters ---- */

static bool is_text(const struct audit_line *l, const char *key, struct str want, struct buf *scratch)
{
	return !want.n || str_eq(audit_text_buf(scratch, audit_field(l, key)), want);
}

bool audit_passes(const struct audit_filter *f, const struct audit_line *l, struct buf *scratch,
		bool *ret_unsure)
{
	if ((f->kinds && (l->kind >= AUDIT_KINDS || !(f->kinds >> l->kind & 1))) ||
			(f->since && l->time < f->since) || (f->until && l->time >= f->until) ||
			(f->id.n && !str_eq(l->id, f->id)))
		return false;
	const struct {
		const char *key;
		struct str want;
	} texts[] = {{"agent_id", f->agent_id}, {"verdict", f->verdict}, {"status", f->status},
			{"session", f->session}, {"client", f->client}, {"tool", f->tool}};
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (!is_text(l, texts[i].key, texts[i].want, scratch))
			return false;
	if (!f->grep)
		return true;
	struct str command = audit_field(l, "command");
	enum regex_answer found = command.n ? regex_match(f->grep, audit_text_buf(scratch, command)) :
			REGEX_NO;
	if (found == REGEX_LIMIT && ret_unsure)
		*ret_unsure = true;
	return found != REGEX_NO;
}
