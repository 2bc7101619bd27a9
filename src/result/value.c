/* JSON values in the arena: reader, look-up and exact numbers. */
#include "result/value.h"

#include "base/num.h"
#include "base/utf8.h"

#define SPARE_BLOCK 64
#define INDEX_FROM 8             /* members from which an object gets an index */
#define EXPONENT_MAX 1000000000  /* of a number; beyond it, it is as good as this */

void value_reader_init(struct value_reader *r, struct arena *a, struct str text)
{
	*r = (struct value_reader){.a = a, .text = text};
	if (str_starts(text, "\xef\xbb\xbf"))
		r->at = 3;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static void skip_blanks(struct value_reader *r)
{
	while (r->at < r->text.n && is_blank(r->text.p[r->at]))
		r->at++;
}

bool value_at_end(struct value_reader *r)
{
	skip_blanks(r);
	return r->at >= r->text.n;
}

size_t value_line(const struct value_reader *r)
{
	size_t line = 1;
	for (size_t i = 0; i < r->at && i < r->text.n; i++)
		line += r->text.p[i] == '\n';
	return line;
}

static struct value *fail(struct value_reader *r, enum value_trouble t, struct str what)
{
	r->trouble = t;
	r->what = what;
	return NULL;
}

/* Something else was expected here: the text broke off, or it is no JSON. */
static struct value *unexpected(struct value_reader *r, const char *expected)
{
	return fail(r, r->at >= r->text.n ? VALUE_CUT : VALUE_SYNTAX, str_of(expected));
}

static struct value *new_value(struct value_reader *r, enum value_kind kind)
{
	if (++r->count > VALUE_COUNT_MAX)
		return fail(r, VALUE_LIMIT, STR("too many values"));
	if (r->nspare == 0) {
		r->spare = arena_array(r->a, SPARE_BLOCK, sizeof *r->spare);
		r->nspare = SPARE_BLOCK;
	}
	r->nspare--;
	struct value *v = r->spare++;
	v->kind = kind;
	return v;
}

static int hex4(struct str s, size_t at, uint32_t *ret)
{
	if (at + 4 > s.n)
		return -1;
	uint32_t cp = 0;
	for (size_t i = at; i < at + 4; i++) {
		char c = s.p[i];
		if (c >= '0' && c <= '9')
			cp = cp * 16 + (uint32_t)(c - '0');
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			cp = cp * 16 + (uint32_t)((c | 32) - 'a' + 10);
		else
			return -1;
	}
	*ret = cp;
	return 0;
}

/* \uXXXX behind the u at s[*i]; a lone half of a pair, which Python writes, becomes U+FFFD. */
static int unicode_escape(struct str s, size_t *i, struct buf *out)
{
	uint32_t cp, low;
	if (hex4(s, *i, &cp) < 0)
		return -1;
	*i += 4;
	if (cp >= 0xd800 && cp < 0xdc00 && *i + 6 <= s.n && s.p[*i] == '\\' && s.p[*i + 1] == 'u' && hex4(s, *i + 2, &low) == 0 && low >= 0xdc00 &&
	    low < 0xe000) {
		cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
		*i += 6;
	} else if (cp >= 0xd800 && cp < 0xe000) {
		cp = 0xfffd;
	}
	char bytes[4];
	buf_add(out, bytes, utf8_put(cp, bytes));
	return 0;
}

/* The text of a string whose quotes are s[-1] and s[n]; -1: a bad escape. */
static int unescape(struct arena *a, struct str s, struct str *ret)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	struct buf out;
	buf_init(&out, a, s.n + 4);
	for (size_t i = 0; i < s.n;) {
		if (s.p[i] != '\\') {
			size_t end = i;
			while (end < s.n && s.p[end] != '\\')
				end++;
			buf_add(&out, s.p + i, end - i);
			i = end;
			continue;
		}
		char c = i + 1 < s.n ? s.p[i + 1] : 0;
		i += 2;
		const char *known = c ? memchr(from, c, sizeof from - 1) : NULL;
		if (known)
			buf_char(&out, to[known - from]);
		else if (c != 'u' || unicode_escape(s, &i, &out) < 0)
			return -1;
	}
	*ret = buf_view(&out);
	return 0;
}

/* A string at the quote; false with trouble. */
static bool read_string(struct value_reader *r, struct str *ret)
{
	const struct str t = r->text;
	size_t i = r->at + 1, start = i;
	bool escapes = false;
	for (;;) {
		if (i >= t.n) {
			r->at = t.n;
			return fail(r, VALUE_CUT, STR("the end of a string"));
		}
		unsigned char c = (unsigned char)t.p[i];
		if (c == '"')
			break;
		if (c == '\\') {
			escapes = true;
			i += 2;
		} else if (c < 0x20) {
			r->at = i;
			return fail(r, VALUE_SYNTAX, STR("a string without control characters"));
		} else if (c < 0x80) {
			i++;
		} else if (utf8_next(t, &i) == UTF8_BAD) {
			r->at = i;
			return fail(r, VALUE_SYNTAX, STR("UTF-8"));
		}
	}
	struct str s = str_n(t.p + start, i - start);
	if (escapes && unescape(r->a, s, &s) < 0)
		return fail(r, VALUE_SYNTAX, STR("a known escape"));
	r->at = i + 1;
	*ret = s;
	return true;
}

static size_t skip_digits(struct str t, size_t i)
{
	while (i < t.n && t.p[i] >= '0' && t.p[i] <= '9')
		i++;
	return i;
}

/* The end of the number at `i`, or 0. */
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

static struct value *read_word(struct value_reader *r)
{
	static const struct {
		char word[12];
		enum value_kind kind;
		bool finite;
	} words[] = {
		{"null", VALUE_NULL, true}, {"true", VALUE_TRUE, true}, {"false", VALUE_FALSE, true}, {"NaN", 0, false}, {"nan", 0, false},
		{"Infinity", 0, false}, {"-Infinity", 0, false}, {"-NaN", 0, false}, {"inf", 0, false}, {"-inf", 0, false},
	};
	struct str rest = str_sub(r->text, r->at, r->text.n);
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (!str_starts(rest, words[i].word))
			continue;
		if (!words[i].finite)
			return fail(r, VALUE_NOT_FINITE, str_of(words[i].word));
		r->at += strlen(words[i].word);
		return new_value(r, words[i].kind);
	}
	for (size_t i = 0; i < 3; i++) /* "nul" at the very end */
		if (rest.n < strlen(words[i].word) && memcmp(words[i].word, rest.p, rest.n) == 0)
			return fail(r, VALUE_CUT, str_of(words[i].word));
	return fail(r, VALUE_SYNTAX, STR("a value"));
}

static struct value *read_number(struct value_reader *r)
{
	size_t end = number_end(r->text, r->at);
	if (end == 0) {
		size_t i = r->at + (r->text.p[r->at] == '-');
		if (i >= r->text.n || (r->text.p[i] >= '0' && r->text.p[i] <= '9'))
			return fail(r, i >= r->text.n ? VALUE_CUT : VALUE_SYNTAX, STR("a number"));
		return read_word(r);
	}
	struct value *v = new_value(r, VALUE_NUMBER);
	if (!v)
		return NULL;
	v->text = str_n(r->text.p + r->at, end - r->at);
	r->at = end;
	return v;
}

/* Enters m into o's index; false when its key is there already or a bound is reached. */
static bool index_add(struct value_reader *r, struct value *o, struct value *m)
{
	for (size_t i = str_hash(m->key) & (o->slots - 1);; i = (i + 1) & (o->slots - 1)) {
		if (++r->probes > 1024 + r->keys * VALUE_PROBES_PER_KEY)
			return fail(r, VALUE_LIMIT, STR("too many keys that look alike"));
		if (!o->index[i]) {
			o->index[i] = m;
			return true;
		}
		if (str_eq(o->index[i]->key, m->key))
			return fail(r, VALUE_DUPLICATE, m->key);
	}
}

/* The index is made anew whenever it is half full. */
static bool index_member(struct value_reader *r, struct value *o, struct value *m)
{
	r->keys++;
	if (o->n <= INDEX_FROM) {
		for (struct value *x = o->first; x != m; x = x->next)
			if (str_eq(x->key, m->key))
				return fail(r, VALUE_DUPLICATE, m->key);
		return true;
	}
	if (o->index && o->n * 2 <= o->slots)
		return index_add(r, o, m);
	o->slots = o->slots ? o->slots * 2 : INDEX_FROM * 4;
	o->index = arena_array(r->a, o->slots, sizeof *o->index);
	for (struct value *x = o->first; x; x = x->next)
		if (!index_add(r, o, x))
			return false;
	return true;
}

static struct value *read_value(struct value_reader *r);

/* `"key":` before a member of an object. */
static bool read_key(struct value_reader *r, struct str *ret)
{
	skip_blanks(r);
	if (r->at >= r->text.n || r->text.p[r->at] != '"')
		return unexpected(r, "a key in quotes");
	if (!read_string(r, ret))
		return false;
	skip_blanks(r);
	if (r->at >= r->text.n || r->text.p[r->at] != ':')
		return unexpected(r, "':'");
	r->at++;
	return true;
}

static struct value *read_members(struct value_reader *r, struct value *v)
{
	const bool object = v->kind == VALUE_OBJECT;
	const char close = object ? '}' : ']';
	struct value **tail = &v->first;
	r->at++;
	skip_blanks(r);
	if (r->at < r->text.n && r->text.p[r->at] == close) {
		r->at++;
		return v;
	}
	for (;;) {
		struct str key = {0};
		if (object && !read_key(r, &key))
			return NULL;
		struct value *m = read_value(r);
		if (!m)
			return NULL;
		m->key = key;
		*tail = m;
		tail = &m->next;
		v->n++;
		if (object && !index_member(r, v, m))
			return NULL;
		skip_blanks(r);
		if (r->at < r->text.n && r->text.p[r->at] == close) {
			r->at++;
			return v;
		}
		if (r->at >= r->text.n || r->text.p[r->at] != ',')
			return unexpected(r, object ? "',' or '}'" : "',' or ']'");
		r->at++;
	}
}

static struct value *read_value(struct value_reader *r)
{
	skip_blanks(r);
	if (r->at >= r->text.n)
		return unexpected(r, "a value");
	char c = r->text.p[r->at];
	if (c == '{' || c == '[') {
		if (r->depth >= VALUE_DEPTH_MAX)
			return fail(r, VALUE_LIMIT, STR("values too deep in values"));
		struct value *v = new_value(r, c == '{' ? VALUE_OBJECT : VALUE_ARRAY);
		r->depth++;
		v = v ? read_members(r, v) : NULL;
		r->depth--;
		return v;
	}
	if (c == '"') {
		struct value *v = new_value(r, VALUE_STRING);
		return v && read_string(r, &v->text) ? v : NULL;
	}
	if (c == '-' || (c >= '0' && c <= '9'))
		return read_number(r);
	return read_word(r);
}

struct value *value_next(struct value_reader *r)
{
	r->trouble = VALUE_FINE;
	return read_value(r);
}

struct value *value_get(const struct value *o, struct str key)
{
	if (!value_is(o, VALUE_OBJECT))
		return NULL;
	if (!o->index) {
		for (struct value *m = o->first; m; m = m->next)
			if (str_eq(m->key, key))
				return m;
		return NULL;
	}
	for (size_t i = str_hash(key) & (o->slots - 1); o->index[i]; i = (i + 1) & (o->slots - 1))
		if (str_eq(o->index[i]->key, key))
			return o->index[i];
	return NULL;
}

int64_t value_int(const struct value *v, int64_t otherwise)
{
	int64_t n;
	if (!value_is(v, VALUE_NUMBER) || num_parse(v->text, INT64_MIN, INT64_MAX, &n) < 0)
		return otherwise;
	return n;
}

/* ---- exact numbers ---- */

static size_t count_digits(struct str s)
{
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] != '.';
	return n;
}

struct decimal value_decimal(struct str s)
{
	struct decimal d = {0};
	if (str_starts(s, "-")) {
		d.negative = true;
		s = str_sub(s, 1, s.n);
	}
	size_t mantissa = 0;
	while (mantissa < s.n && s.p[mantissa] != 'e' && s.p[mantissa] != 'E')
		mantissa++;
	struct str e = str_sub(s, mantissa + 1, s.n);
	s = str_sub(s, 0, mantissa);
	if (str_starts(e, "+"))
		e = str_sub(e, 1, e.n);
	if (e.n && num_parse(e, -EXPONENT_MAX, EXPONENT_MAX, &d.exponent) < 0)
		d.exponent = e.p[0] == '-' ? -EXPONENT_MAX : EXPONENT_MAX;
	ptrdiff_t point = str_find(s, '.', 0);
	int64_t before = point < 0 ? (int64_t)s.n : point; /* digits before the point */
	size_t from = 0, to = s.n;
	while (from < to && (s.p[from] == '0' || s.p[from] == '.')) {
		before -= s.p[from] == '0';
		from++;
	}
	while (to > from && (s.p[to - 1] == '0' || s.p[to - 1] == '.'))
		to--;
	if (from == to)
		return (struct decimal){.digits = STR("")};
	d.exponent += before;
	d.digits = str_sub(s, from, to);
	d.ndigits = count_digits(d.digits);
	return d;
}

static int digits_cmp(struct str x, struct str y)
{
	size_t i = 0, j = 0;
	for (;;) {
		i += i < x.n && x.p[i] == '.';
		j += j < y.n && y.p[j] == '.';
		if (i >= x.n || j >= y.n)
			return (i < x.n) - (j < y.n);
		if (x.p[i] != y.p[j])
			return x.p[i] < y.p[j] ? -1 : 1;
		i++;
		j++;
	}
}

int decimal_cmp(const struct decimal *x, const struct decimal *y)
{
	int sx = x->ndigits == 0 ? 0 : x->negative ? -1 : 1, sy = y->ndigits == 0 ? 0 : y->negative ? -1 : 1;
	if (sx != sy)
		return sx < sy ? -1 : 1;
	if (sx == 0)
		return 0;
	if (x->exponent != y->exponent)
		return x->exponent < y->exponent ? -sx : sx;
	return sx * digits_cmp(x->digits, y->digits);
}

bool decimal_is_whole(const struct decimal *d)
{
	return d->ndigits == 0 || d->exponent >= (int64_t)d->ndigits;
}

uint32_t decimal_hash(const struct decimal *d)
{
	uint32_t h = 2166136261u ^ (uint32_t)d->exponent ^ (d->negative ? 0x80000000u : 0);
	for (size_t i = 0; i < d->digits.n; i++)
		if (d->digits.p[i] != '.')
			h = (h ^ (unsigned char)d->digits.p[i]) * 16777619u;
	return h;
}
