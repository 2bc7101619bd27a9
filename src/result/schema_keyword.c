/*
 * Keywords of JSON Schema that check a single value: type, limits, equality, patterns. Numbers are compared
 * exactly, by their digits.
 */
#include <stdio.h>

#include "base/utf8.h"
#include "result/decimal.h"
#include "result/schema_inner.h"

#define COUNT_TEXT 24

static const char *kind_name(const struct json *v)
{
	static const char names[][8] = {[JSON_NULL] = "null", [JSON_FALSE] = "boolean",
			[JSON_TRUE] = "boolean", [JSON_NUMBER] = "number", [JSON_STRING] = "string",
		[JSON_ARRAY] = "array", [JSON_OBJECT] = "object"};
	return names[v->kind];
}

static bool is_whole(const struct json *v)
{
	struct decimal d = decimal_of(v->text);
	return decimal_is_whole(&d);
}

/* 1 yes, 0 no, -1 unknown type */
static int has_type(const struct json *v, struct str type)
{
	if (str_is(type, "integer"))
		return v->kind == JSON_NUMBER && is_whole(v);
	if (str_is_any(type, "null boolean number string array object"))
		return str_is(type, kind_name(v));
	return -1;
}

enum schema_answer schema_type(struct schema_run *r, const struct schema_at *at)
{
	bool list = at->word->kind == JSON_ARRAY;
	struct buf wanted;
	for (const struct json *t = list ? at->word->first : at->word; t; t = list ? t->next : NULL) {
		int has = t->kind == JSON_STRING ? has_type(at->v, t->text) : -1;
		if (has < 0)
			return schema_unknown(r, at, "the schema has an unknown type");
		if (has || !schema_spend(r, 1))
			return has ? SCHEMA_YES : SCHEMA_UNKNOWN;
	}
	if (at->quiet)
		return SCHEMA_NO;
	buf_init(&wanted, r->a, 0);
	for (const struct json *t = list ? at->word->first : at->word; t && wanted.n < 100;
			t = list ? t->next : NULL)
		buf_fmt(&wanted, "%s%.*s", wanted.n ? " or " : "", SCHEMA_SHOW(t->text));
	return schema_no(r, at, "must be %.*s, is %s", STR_ARG(buf_view(&wanted)), kind_name(at->v));
}

/* ---- equality ---- */

static enum schema_answer values_equal(struct schema_run *r, const struct json *x, const struct json *y)
{
	if (!schema_spend(r, 1))
		return SCHEMA_UNKNOWN;
	if (x->kind != y->kind || x->n != y->n)
		return SCHEMA_NO;
	if (x->kind == JSON_STRING)
		return str_eq(x->text, y->text) ? SCHEMA_YES : SCHEMA_NO;
	if (x->kind == JSON_NUMBER) {
		struct decimal dx = decimal_of(x->text), dy = decimal_of(y->text);
		return decimal_cmp(&dx, &dy) == 0 ? SCHEMA_YES : SCHEMA_NO;
	}
	const struct json *n = y->first;
	for (const struct json *m = x->first; m; m = m->next) {
		const struct json *other = x->kind == JSON_OBJECT ? json_get(y, m->key) : n;
		enum schema_answer same = other ? values_equal(r, m, other) : SCHEMA_NO;
		if (same != SCHEMA_YES)
			return same;
		n = n ? n->next : NULL;
	}
	return SCHEMA_YES;
}

enum schema_answer schema_enum(struct schema_run *r, const struct schema_at *at)
{
	for (const struct json *m = at->word->first; m; m = m->next) {
		enum schema_answer same = values_equal(r, at->v, m);
		if (same != SCHEMA_NO)
			return same;
	}
	return schema_no(r, at, "is not one of the %u allowed values", at->word->n);
}

enum schema_answer schema_const(struct schema_run *r, const struct schema_at *at)
{
	enum schema_answer same = values_equal(r, at->v, at->word);
	return same == SCHEMA_NO ? schema_no(r, at, "is not the one value that is allowed") : same;
}

/* Equal values have equal hashes: 1 and 1.0, {"a","b"} and {"b","a"}. */
static uint32_t deep_hash(struct schema_run *r, const struct json *v)
{
	uint32_t h = 17u + (v->kind);
	struct decimal d;
	schema_spend(r, 1);
	switch (v->kind) {
	case JSON_NUMBER:
		d = decimal_of(v->text);
		return decimal_hash(&d);
	case JSON_STRING:
		return str_hash(v->text);
	case JSON_ARRAY:
		for (const struct json *m = v->first; m; m = m->next)
			h = (h ^ deep_hash(r, m)) * 16777619u;
		return h;
	case JSON_OBJECT:
		for (const struct json *m = v->first; m; m = m->next)
			h += (str_hash(m->key) ^ (deep_hash(r, m) * 31u)) * 16777619u;
		return h;
	default:
		return h;
	}
}

enum schema_answer schema_unique(struct schema_run *r, const struct schema_at *at)
{
	if (at->word->kind != JSON_TRUE || at->v->kind != JSON_ARRAY || at->v->n < 2)
		return SCHEMA_YES;
	size_t slots = 16, number = 0;
	while (slots < at->v->n * 2)
		slots *= 2;
	struct unique_slot {
		const struct json *v;
		uint32_t hash;
	} *table = arena_array(r->a, slots, sizeof *table);
	for (const struct json *m = at->v->first; m; m = m->next, number++) {
		uint32_t h = deep_hash(r, m);
		size_t i = h & (slots - 1);
		for (; table[i].v; i = (i + 1) & (slots - 1)) {
			enum schema_answer same = !schema_spend(r, 1) ? SCHEMA_UNKNOWN : table[i].hash == h ?
					values_equal(r, table[i].v, m) : SCHEMA_NO;
			if (same == SCHEMA_UNKNOWN)
				return SCHEMA_UNKNOWN;
			if (same == SCHEMA_YES)
				return schema_no(r, at, "holds an item twice (again at %zu)", number);
		}
		table[i] = (struct unique_slot){m, h};
	}
	return SCHEMA_YES;
}

/* ---- numbers ---- */

/* Returns the sign of number - limit. */
static int compare_limit(struct str number, const struct json *limit)
{
	struct decimal x = decimal_of(number), y = decimal_of(limit->text);
	return decimal_cmp(&x, &y);
}

/* Draft 4 says {"minimum": 1, "exclusiveMinimum": true}. */
static enum schema_answer check_bound(struct schema_run *r, const struct schema_at *at, int sign,
		bool exclusive, const char *what)
{
	if (at->v->kind != JSON_NUMBER)
		return SCHEMA_YES;
	if (!schema_spend(r, (int64_t)(at->v->text.n / 16)))
		return SCHEMA_UNKNOWN;
	int cmp = compare_limit(at->v->text, at->word);
	if (cmp == 0 ? !exclusive : cmp != sign)
		return SCHEMA_YES;
	return schema_no(r, at, "is %.*s, must be %s %.*s", SCHEMA_SHOW(at->v->text), what,
			SCHEMA_SHOW(at->word->text));
}

enum schema_answer schema_maximum(struct schema_run *r, const struct schema_at *at)
{
	bool exclusive = json_true_at(at->schema, "exclusiveMaximum");
	return check_bound(r, at, 1, exclusive, exclusive ? "below" : "at most");
}

enum schema_answer schema_minimum(struct schema_run *r, const struct schema_at *at)
{
	bool exclusive = json_true_at(at->schema, "exclusiveMinimum");
	return check_bound(r, at, -1, exclusive, exclusive ? "above" : "at least");
}

static bool is_flag(const struct json *v) { return v->kind == JSON_TRUE || v->kind == JSON_FALSE; }

enum schema_answer schema_exclusive_maximum(struct schema_run *r, const struct schema_at *at)
{
	return is_flag(at->word) ? SCHEMA_YES : check_bound(r, at, 1, true, "below");
}

enum schema_answer schema_exclusive_minimum(struct schema_run *r, const struct schema_at *at)
{
	return is_flag(at->word) ? SCHEMA_YES : check_bound(r, at, -1, true, "above");
}

/* Returns d * 10^places as an integer; false if it is not one or does not fit. */
static bool scale_decimal(const struct decimal *d, int64_t places, int64_t *ret)
{
	int64_t n = 0, zeros = d->exponent - (int64_t)d->ndigits + places;
	if (d->ndigits > 18 || zeros < 0 || zeros > 18)
		return d->ndigits == 0 && (*ret = 0, true);
	for (size_t i = 0; i < d->digits.n; i++)
		if (d->digits.p[i] != '.')
			n = n * 10 + (d->digits.p[i] - '0');
	for (; zeros > 0; zeros--)
		if (__builtin_mul_overflow(n, (int64_t)10, &n))
			return false;
	*ret = n;
	return true;
}

enum schema_answer schema_multiple(struct schema_run *r, const struct schema_at *at)
{
	if (at->v->kind != JSON_NUMBER)
		return SCHEMA_YES;
	struct decimal x = decimal_of(at->v->text), y = decimal_of(at->word->text);
	int64_t fx = (int64_t)x.ndigits - x.exponent, fy = (int64_t)y.ndigits - y.exponent,
			places = fx > fy ? fx : fy, nx, ny;
	if (places < 0)
		places = 0;
	if (!scale_decimal(&x, places, &nx) || !scale_decimal(&y, places, &ny) || ny == 0)
		return schema_unknown(r, at, "multipleOf %.*s is too large or too fine to be checked",
				SCHEMA_SHOW(at->word->text));
	return nx % ny == 0 ? SCHEMA_YES : schema_no(r, at, "is %.*s, no multiple of %.*s",
			SCHEMA_SHOW(at->v->text), SCHEMA_SHOW(at->word->text));
}

/* ---- sizes ---- */

static enum schema_answer check_size(struct schema_run *r, const struct schema_at *at, size_t n, bool max,
		const char *what)
{
	char text[COUNT_TEXT];
	int len = snprintf(text, sizeof text, "%zu", n),
	    cmp = compare_limit(str_n(text, (size_t)len), at->word);
	if (max ? cmp <= 0 : cmp >= 0)
		return SCHEMA_YES;
	return schema_no(r, at, "has %zu %s, must have at %s %.*s", n, what, max ? "most" : "least",
			SCHEMA_SHOW(at->word->text));
}

static enum schema_answer check_length(struct schema_run *r, const struct schema_at *at, bool max)
{
	size_t n = 0;
	if (at->v->kind != JSON_STRING)
		return SCHEMA_YES;
	if (!schema_spend(r, (int64_t)(at->v->text.n / 16)))
		return SCHEMA_UNKNOWN;
	for (size_t i = 0; i < at->v->text.n; i++) /* counts all bytes except UTF-8 continuation bytes */
		n += ((unsigned char)at->v->text.p[i] & 0xc0) != 0x80;
	return check_size(r, at, n, max, "characters");
}

enum schema_answer schema_max_length(struct schema_run *r, const struct schema_at *at)
{
	return check_length(r, at, true);
}
enum schema_answer schema_min_length(struct schema_run *r, const struct schema_at *at)
{
	return check_length(r, at, false);
}

static enum schema_answer check_members(struct schema_run *r, const struct schema_at *at, enum json_kind kind,
		bool max, const char *what)
{
	return at->v->kind == kind ? check_size(r, at, at->v->n, max, what) : SCHEMA_YES;
}

enum schema_answer schema_max_items(struct schema_run *r, const struct schema_at *at)
{
	return check_members(r, at, JSON_ARRAY, true, "items");
}
enum schema_answer schema_min_items(struct schema_run *r, const struct schema_at *at)
{
	return check_members(r, at, JSON_ARRAY, false, "items");
}
enum schema_answer schema_max_properties(struct schema_run *r, const struct schema_at *at)
{
	return check_members(r, at, JSON_OBJECT, true, "properties");
}
enum schema_answer schema_min_properties(struct schema_run *r, const struct schema_at *at)
{
	return check_members(r, at, JSON_OBJECT, false, "properties");
}

/* ---- names and patterns ---- */

enum schema_answer schema_required(struct schema_run *r, const struct schema_at *at)
{
	enum schema_answer answer = SCHEMA_YES;
	if (at->v->kind != JSON_OBJECT)
		return SCHEMA_YES;
	for (const struct json *m = at->word->first; m; m = m->next) {
		if (m->kind != JSON_STRING || !schema_spend(r, 1))
			return schema_unknown(r, at,
					"the schema's required is no list of names, or too long");
		if (!json_get(at->v, m->text))
			answer = schema_no(r, at, "has no '%.*s', which is required", SCHEMA_SHOW(m->text));
	}
	return answer;
}

enum schema_answer schema_matches(struct schema_run *r, const struct schema_at *at, struct json *holder,
		struct str pattern, struct str subject)
{
	struct err e;
	/* A $ref may point at a list of patterns; then one value has two patterns. */
	if (!holder->own || !str_eq(regex_pattern(holder->own), pattern)) {
		struct regex *re;
		if (regex_new(r->a, pattern, 0, &re, NULL, &e) < 0)
			return schema_unknown(r, at, "the schema's pattern '%.*s' cannot be used: %.120s",
					SCHEMA_SHOW(pattern), e.text);
		holder->own = re;
	}
	size_t start, end;
	switch (regex_find_within(holder->own, subject, &start, &end, &r->left->pattern_work)) {
	case REGEX_YES:
		return SCHEMA_YES;
	case REGEX_NO:
		return SCHEMA_NO;
	default:
		return schema_unknown(r, at, "the pattern '%.*s' takes too long", SCHEMA_SHOW(pattern));
	}
}

enum schema_answer schema_pattern(struct schema_run *r, const struct schema_at *at)
{
	if (at->v->kind != JSON_STRING)
		return SCHEMA_YES;
	enum schema_answer answer = schema_matches(r, at, at->word, at->word->text, at->v->text);
	return answer == SCHEMA_NO ? schema_no(r, at, "does not match '%.*s'", SCHEMA_SHOW(at->word->text)) :
			answer;
}
