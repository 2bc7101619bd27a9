/* JSON values in the arena: the parser, and the lookup of members. */
#include "base/json.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/utf8.h"

#define SPARE_BLOCK 64
#define INDEX_FROM 8      /* objects with more members get a hash index */
#define WHY_BYTES 60      /* bytes of a key or a literal in a message */
#define DOUBLE_DIGITS 308 /* a number with so many digits and no exponent is still finite */

struct json_index {
	size_t slots; /* a power of two; at least half of the slots are free */
	struct json *at[];
};

void json_reader_init(struct json_reader *r, struct arena *a, struct str text, unsigned flags)
{
	*r = (struct json_reader){.a = a,
		.text = text,
		.flags = flags,
		.depth_max = JSON_DEPTH_MAX,
		.count_max = JSON_COUNT_MAX};
	if ((flags & JSON_TOLERANT) && str_starts(text, "\xef\xbb\xbf"))
		r->at = 3;
}

void json_reader_again(struct json_reader *r, struct str text)
{
	struct json *block = r->block;
	json_reader_init(r, r->a, text, r->flags);
	if (!block)
		return;
	memset(block, 0, SPARE_BLOCK * sizeof *block);
	r->block = r->spare = block;
	r->nspare = SPARE_BLOCK;
}

static bool starts_here(const struct json_reader *r, const char *mark)
{
	return str_starts(str_from(r->text, r->at), mark);
}

/* Skips the comment at r->at; false if there is none, or if it does not end. */
static bool skip_comment(struct json_reader *r)
{
	const bool block = starts_here(r, "/*");
	if (!(r->flags & JSON_COMMENTS) || (!block && !starts_here(r, "//")))
		return false;
	for (size_t i = r->at + 2; i < r->text.n; i++) {
		if (block ? str_starts(str_from(r->text, i), "*/") : r->text.p[i] == '\n') {
			r->at = i + (block ? 2 : 1);
			return true;
		}
	}
	if (!block)
		r->at = r->text.n;
	return !block;
}

static void skip_blanks(struct json_reader *r)
{
	do {
		while (r->at < r->text.n && ascii_is_space(r->text.p[r->at]))
			r->at++;
	} while (r->at < r->text.n && r->text.p[r->at] == '/' && skip_comment(r));
}

bool json_at_end(struct json_reader *r)
{
	skip_blanks(r);
	return r->at >= r->text.n;
}

static struct json *fail_value(struct json_reader *r, enum json_trouble t, struct str what)
{
	r->trouble = t;
	r->what = what;
	return NULL;
}

/* Sets the trouble: the text ended, or it is not JSON. */
static struct json *fail_unexpected(struct json_reader *r, const char *expected)
{
	if ((r->flags & JSON_COMMENTS) && starts_here(r, "/*"))
		expected = "the end of a comment";
	return fail_value(r, r->at >= r->text.n ? JSON_CUT : JSON_SYNTAX, str_of(expected));
}

static struct json *new_value(struct json_reader *r, enum json_kind kind)
{
	if (++r->count > r->count_max)
		return fail_value(r, JSON_LIMIT, STR("too many values"));
	if (r->nspare == 0) {
		r->spare = r->block = arena_array(r->a, SPARE_BLOCK, sizeof *r->spare);
		r->nspare = SPARE_BLOCK;
	}
	r->nspare--;
	struct json *v = r->spare++;
	v->kind = kind;
	v->from = v->start = (uint32_t)r->at;
	return v;
}

/* Returns the end of the string that starts at r->at; 0 with trouble. */
static size_t string_end(struct json_reader *r, bool *ret_escapes)
{
	const struct str t = r->text;
	for (size_t i = r->at + 1; i < t.n;) {
		unsigned char c = (unsigned char)t.p[i];
		if (c == '"')
			return i;
		if (c == '\\') {
			*ret_escapes = true;
			i += 2;
		} else if (c < 0x20) {
			r->at = i;
			fail_value(r, JSON_SYNTAX, STR("a string without control characters"));
			return 0;
		} else if (c < 0x80) {
			i++;
		} else if (utf8_next(t, &i) == UTF8_BAD) {
			r->at = i - 1;
			fail_value(r, JSON_SYNTAX, STR("UTF-8"));
			return 0;
		}
	}
	r->at = t.n;
	fail_value(r, JSON_CUT, STR("the end of a string"));
	return 0;
}

/* Parses the string at r->at; false with trouble. */
static bool read_string(struct json_reader *r, struct str *ret)
{
	bool escapes = false;
	const size_t start = r->at + 1, end = string_end(r, &escapes);
	if (!end)
		return false;
	struct str s = str_n(r->text.p + start, end - start);
	if (escapes) {
		char *out = arena_alloc(r->a, s.n);
		size_t n;
		if (json_unescape(s, r->flags, out, &n) < 0)
			return fail_value(r, JSON_SYNTAX, STR("a known escape"));
		s = str_n(out, n);
	}
	r->at = end + 1;
	*ret = s;
	return true;
}

static size_t skip_digits(struct str t, size_t i)
{
	while (i < t.n && ascii_is_digit(t.p[i]))
		i++;
	return i;
}

/* Returns the end of the number at `i`, or 0. */
static size_t number_end(struct str t, size_t i)
{
	if (i < t.n && t.p[i] == '-')
		i++;
	size_t digits = skip_digits(t, i);
	if (digits == i || (t.p[i] == '0' && digits > i + 1))
		return 0;
	i = digits;
	if (i < t.n && t.p[i] == '.') {
		digits = skip_digits(t, i + 1);
		if (digits == i + 1)
			return 0;
		i = digits;
	}
	if (i < t.n && (t.p[i] == 'e' || t.p[i] == 'E')) {
		i++;
		if (i < t.n && (t.p[i] == '+' || t.p[i] == '-'))
			i++;
		digits = skip_digits(t, i);
		if (digits == i)
			return 0;
		i = digits;
	}
	return i;
}

static struct json *read_word(struct json_reader *r)
{
	static const struct {
		char word[12];
		enum json_kind kind;
		bool finite;
	} words[] = {
		{"null", JSON_NULL, true},
		{"true", JSON_TRUE, true},
		{"false", JSON_FALSE, true},
		{"NaN", 0, false},
		{"nan", 0, false},
		{"Infinity", 0, false},
		{"-Infinity", 0, false},
		{"-NaN", 0, false},
		{"inf", 0, false},
		{"-inf", 0, false},
	};
	struct str rest = str_from(r->text, r->at);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!str_starts(rest, words[i].word))
			continue;
		if (!words[i].finite)
			return fail_value(r, JSON_NOT_FINITE, str_of(words[i].word));
		struct json *v = new_value(r, words[i].kind);
		r->at += strlen(words[i].word);
		return v;
	}
	for (size_t i = 0; i < 3; i++) /* "nul" at the end of the text */
		if (rest.n < strlen(words[i].word) && memcmp(words[i].word, rest.p, rest.n) == 0)
			return fail_value(r, JSON_CUT, str_of(words[i].word));
	return fail_unexpected(r, "a value");
}

static bool is_integer(struct str number)
{
	for (size_t i = 0; i < number.n; i++)
		if (number.p[i] == '.' || number.p[i] == 'e' || number.p[i] == 'E')
			return false;
	return true;
}

static double to_double(struct arena *a, struct str number)
{
	return strtod(str_c(a, number), NULL);
}

/* True if every parser reads the same number here. */
static bool in_range(struct json_reader *r, struct str number)
{
	int64_t n;
	if (is_integer(number))
		return num_parse(number, INT64_MIN, INT64_MAX, &n) == 0;
	const bool short_one = number.n < DOUBLE_DIGITS && !str_has(number, 'e') &&
			       !str_has(number, 'E');
	return short_one || isfinite(to_double(r->a, number));
}

static struct json *read_number(struct json_reader *r)
{
	const size_t end = number_end(r->text, r->at);
	if (end == 0) {
		size_t i = r->at + (r->text.p[r->at] == '-');
		if (i >= r->text.n || ascii_is_digit(r->text.p[i]))
			return fail_value(r, i >= r->text.n ? JSON_CUT : JSON_SYNTAX, STR("a number"));
		return read_word(r);
	}
	struct str number = str_n(r->text.p + r->at, end - r->at);
	if (!(r->flags & JSON_TOLERANT) && !in_range(r, number))
		return fail_value(r, JSON_RANGE, number);
	struct json *v = new_value(r, JSON_NUMBER);
	if (!v)
		return NULL;
	v->text = number;
	r->at = end;
	return v;
}

/* Adds m to the index; false if its key exists already or a bound is exhausted. */
static bool index_add(struct json_reader *r, struct json_index *x, struct json *m)
{
	for (size_t i = str_hash(m->key) & (x->slots - 1);; i = (i + 1) & (x->slots - 1)) {
		if (++r->probes > 1024 + r->keys * JSON_PROBES_PER_KEY)
			return fail_value(r, JSON_LIMIT, STR("too many keys that look alike"));
		if (!x->at[i]) {
			x->at[i] = m;
			return true;
		}
		if (str_eq(x->at[i]->key, m->key))
			return fail_value(r, JSON_DUPLICATE, m->key);
	}
}

/* Rebuilds the index whenever it is half full. */
static bool index_member(struct json_reader *r, struct json *o, struct json *m)
{
	r->keys++;
	if (o->n <= INDEX_FROM) {
		for (struct json *x = o->first; x != m; x = x->next)
			if (str_eq(x->key, m->key))
				return fail_value(r, JSON_DUPLICATE, m->key);
		return true;
	}
	if (o->index && o->n * 2 <= o->index->slots)
		return index_add(r, o->index, m);
	const size_t slots = o->index ? o->index->slots * 2 : INDEX_FROM * 4;
	o->index = arena_alloc(r->a, sizeof *o->index + slots * sizeof *o->index->at);
	o->index->slots = slots;
	for (struct json *x = o->first; x; x = x->next)
		if (!index_add(r, o->index, x))
			return false;
	return true;
}

static struct json *read_value(struct json_reader *r);

static bool is_next(const struct json_reader *r, char c)
{
	return r->at < r->text.n && r->text.p[r->at] == c;
}

/* Parses `"key":` before a member of an object. */
static bool read_key(struct json_reader *r, struct str *ret)
{
	if (!is_next(r, '"'))
		return fail_unexpected(r, "a key in quotes");
	const size_t start = r->at;
	if (!read_string(r, ret))
		return false;
	if (!(r->flags & JSON_TOLERANT) && str_has(*ret, 0)) {
		r->at = start;
		return fail_value(r, JSON_SYNTAX, STR("a key without NUL"));
	}
	skip_blanks(r);
	if (!is_next(r, ':'))
		return fail_unexpected(r, "':'");
	r->at++;
	return true;
}

/* Parses one member or item; false with trouble. */
static bool read_member(struct json_reader *r, struct json *v, struct json ***tail)
{
	const bool object = v->kind == JSON_OBJECT;
	struct str key = {0};
	skip_blanks(r);
	const size_t start = r->at;
	if (object && !read_key(r, &key))
		return false;
	struct json *m = read_value(r);
	if (!m)
		return false;
	m->key = key;
	m->parent = v;
	m->start = (uint32_t)start;
	**tail = m;
	*tail = &m->next;
	v->n++;
	if (!object || index_member(r, v, m))
		return true;
	if (r->trouble == JSON_DUPLICATE)
		r->at = start;
	return false;
}

static struct json *read_members(struct json_reader *r, struct json *v)
{
	const char close = v->kind == JSON_OBJECT ? '}' : ']';
	struct json **tail = &v->first;
	r->at++;
	skip_blanks(r);
	while (!is_next(r, close) || v->first) {
		if (!read_member(r, v, &tail))
			return NULL;
		skip_blanks(r);
		if (is_next(r, close))
			break;
		if (!is_next(r, ','))
			return fail_unexpected(r, close == '}' ? "',' or '}'" : "',' or ']'");
		r->at++;
	}
	r->at++;
	return v;
}

static struct json *read_value(struct json_reader *r)
{
	struct json *v;
	skip_blanks(r);
	if (r->at >= r->text.n)
		return fail_unexpected(r, "a value");
	char c = r->text.p[r->at];
	if (c == '{' || c == '[') {
		if (r->depth >= r->depth_max)
			return fail_value(r, JSON_LIMIT, STR("values nested too deeply"));
		v = new_value(r, c == '{' ? JSON_OBJECT : JSON_ARRAY);
		r->depth++;
		v = v ? read_members(r, v) : NULL;
		r->depth--;
	} else if (c == '"') {
		v = new_value(r, JSON_STRING);
		v = v && read_string(r, &v->text) ? v : NULL;
	} else if (c == '-' || ascii_is_digit(c)) {
		v = read_number(r);
	} else {
		v = read_word(r);
	}
	if (v)
		v->to = (uint32_t)r->at;
	return v;
}

struct json *json_next(struct json_reader *r)
{
	r->trouble = JSON_FINE;
	if (r->text.n > UINT32_MAX)
		return fail_value(r, JSON_LIMIT, STR("too many bytes"));
	return read_value(r);
}

struct json *json_only(struct json_reader *r)
{
	struct json *v = json_next(r);
	return !v || json_at_end(r) ? v : fail_unexpected(r, "nothing after the value");
}

struct json_place json_place(struct str text, size_t at)
{
	struct json_place p = {1, 1};
	for (size_t i = 0; i < at && i < text.n; i++) {
		p.line += text.p[i] == '\n';
		p.column = text.p[i] == '\n' ? 1 : p.column + 1;
	}
	return p;
}

struct str json_why(const struct json_reader *r)
{
	const struct str what = str_first(r->what, WHY_BYTES);
	switch (r->trouble) {
	case JSON_LIMIT: return what;
	case JSON_DUPLICATE: return str_fmt(r->a, "a key twice: %.*s", STR_ARG(what));
	case JSON_RANGE: return str_fmt(r->a, "a number that is too large: %.*s", STR_ARG(what));
	case JSON_NOT_FINITE: return str_fmt(r->a, "expected a number, not %.*s", STR_ARG(what));
	default: return str_fmt(r->a, "expected %.*s", STR_ARG(what));
	}
}

int json_read(struct arena *a, struct str text, struct json **ret, struct err *e)
{
	struct json_reader r;
	json_reader_init(&r, a, text, JSON_STRICT);
	struct json *v = json_only(&r);
	if (v) {
		*ret = v;
		return 0;
	}
	const struct json_place p = json_place(text, r.at);
	return err_input(e, "line %zu, column %zu: %.*s", p.line, p.column, STR_ARG(json_why(&r)));
}

struct json *json_get(const struct json *o, struct str key)
{
	if (!json_is(o, JSON_OBJECT))
		return NULL;
	const struct json_index *x = o->index;
	if (!x) {
		for (struct json *m = o->first; m; m = m->next)
			if (str_eq(m->key, key))
				return m;
		return NULL;
	}
	for (size_t i = str_hash(key) & (x->slots - 1); x->at[i]; i = (i + 1) & (x->slots - 1))
		if (str_eq(x->at[i]->key, key))
			return x->at[i];
	return NULL;
}

bool json_is_int(const struct json *v)
{
	int64_t n;
	return json_is(v, JSON_NUMBER) && num_parse(v->text, INT64_MIN, INT64_MAX, &n) == 0;
}

int64_t json_int(const struct json *v, int64_t otherwise)
{
	int64_t n;
	return json_is(v, JSON_NUMBER) && num_parse(v->text, INT64_MIN, INT64_MAX, &n) == 0 ? n : otherwise;
}

double json_double(struct arena *a, const struct json *v)
{
	return json_is(v, JSON_NUMBER) ? to_double(a, v->text) : 0;
}
