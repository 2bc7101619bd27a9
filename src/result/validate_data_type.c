/*
 * Types of columns: `--columns id:integer,when:date`. A cell without a value fits every type; `any` is for
 * names that contain a colon.
 */
#include "result/decimal.h"
#include "result/validate_data.h"

static const struct {
	char name[8];
	enum data_type type;
} names[] = {
	{"integer", TYPE_INTEGER}, {"int", TYPE_INTEGER}, {"number", TYPE_NUMBER}, {"float", TYPE_NUMBER},
	{"boolean", TYPE_BOOLEAN}, {"bool", TYPE_BOOLEAN},
	{"date", TYPE_DATE}, {"text", TYPE_TEXT}, {"string", TYPE_TEXT}, {"any", TYPE_ANY},
};

/* Splits at the last colon. Without one, returns false and the second part is everything. */
static bool split_column(struct str column, struct str *ret_name, struct str *ret_type)
{
	size_t i = column.n;
	while (i > 0 && column.p[i - 1] != ':')
		i--;
	*ret_name = i ? str_sub(column, 0, i - 1) : column;
	*ret_type = str_sub(column, i, column.n);
	return i > 0;
}

static bool find_type(struct str word, enum data_type *ret)
{
	for (size_t k = 0; k < ARRAY_SIZE(names); k++)
		if (str_is(word, names[k].name)) {
			*ret = names[k].type;
			return true;
		}
	return false;
}

int validate_column(struct str column, struct err *e)
{
	struct str name, type;
	enum data_type t;
	if (!split_column(column, &name, &type) || find_type(type, &t))
		return 0;
	return err_input(e, "'%.*s': there is no type '%.*s'; expected integer, number, boolean, date, text "
			"or any", DATA_NAME(column), DATA_NAME(type));
}

struct str data_type_split(struct str column, enum data_type *ret)
{
	struct str name, type;
	*ret = TYPE_ANY;
	return split_column(column, &name, &type) && find_type(type, ret) ? name : column;
}

static const char *type_name(enum data_type t)
{
	for (size_t k = 0; k < ARRAY_SIZE(names); k++)
		if (names[k].type == t)
			return names[k].name;
	return "anything";
}

static bool is_asked(const struct validate_input *in)
{
	enum data_type t = TYPE_ANY;
	for (size_t i = 0; i < in->ncolumns && t == TYPE_ANY; i++)
		data_type_split(in->columns[i], &t);
	return t != TYPE_ANY;
}

void data_types(struct arena *a, const struct validate_input *in, const struct header *h, struct types *ret)
{
	*ret = (struct types){0};
	if (!is_asked(in))
		return;
	ret->n = h->n;
	ret->of = arena_array(a, h->n + 1, sizeof *ret->of);
	for (size_t i = 0; i < in->ncolumns; i++) {
		enum data_type t;
		struct str name = data_type_split(in->columns[i], &t);
		for (size_t k = 0; k < h->n && t != TYPE_ANY; k++)
			if (str_eq(h->names[k], name))
				ret->of[k] = t;
	}
}

/* ---- texts ---- */

static size_t count_digits(struct str s, size_t from)
{
	size_t i = from;
	while (i < s.n && ascii_is_digit(s.p[i]))
		i++;
	return i - from;
}

/* Numbers such as 12, -3.5, 1e9, .5; also with a decimal comma where it cannot be the separator. */
static bool is_number(struct str s, bool whole)
{
	size_t i = s.n && (s.p[0] == '-' || s.p[0] == '+'), before = count_digits(s, i), after = 0;
	i += before;
	if (!whole && i < s.n && (s.p[i] == '.' || s.p[i] == ',')) {
		after = count_digits(s, i + 1);
		i += 1 + after;
	}
	if (before + after == 0)
		return false;
	if (!whole && i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
		i++;
		i += i < s.n && (s.p[i] == '-' || s.p[i] == '+');
		size_t exponent = count_digits(s, i);
		if (!exponent)
			return false;
		i += exponent;
	}
	return i == s.n;
}

static bool is_boolean(struct str s)
{
	if (str_is_any(s, "true false True False TRUE FALSE t f 0 1"))
			return true;
	return false;
}

/* A date such as 2024-02-29, optionally followed by a time. */
static bool is_date(struct str s)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	if (s.n < 10 || count_digits(s, 0) != 4 || s.p[4] != '-' || count_digits(s, 5) != 2 ||
			s.p[7] != '-' || count_digits(s, 8) != 2)
		return false;
	int year = (s.p[0] - '0') * 1000 + (s.p[1] - '0') * 100 + (s.p[2] - '0') * 10 + (s.p[3] - '0');
	int month = (s.p[5] - '0') * 10 + (s.p[6] - '0'), day = (s.p[8] - '0') * 10 + (s.p[9] - '0');
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	if (month < 1 || month > 12 || day < 1 || day > days[month - 1] + (leap && month == 2))
		return false;
	if (s.n > 10 && s.p[10] != 'T' && s.p[10] != ' ')
		return false;
	for (size_t i = 11; i < s.n; i++)
		if (!ascii_is_digit(s.p[i]) && !memchr(":.,+-Z", s.p[i], 6))
			return false;
	return s.n != 11;
}

static bool text_fits(struct str s, enum data_type t)
{
	switch (t) {
	case TYPE_INTEGER: return is_number(s, true);
	case TYPE_NUMBER: return is_number(s, false);
	case TYPE_BOOLEAN: return is_boolean(s);
	case TYPE_DATE: return is_date(s);
	default: return true;
	}
}

static void note_wrong(struct types *t, size_t column, size_t row, struct str value)
{
	if (t->wrong++ == 0) {
		t->column = column;
		t->row = row;
		t->value = value;
	}
}

void data_cell(struct types *t, size_t column, struct str cell, size_t row)
{
	if (column < t->n && t->of[column] != TYPE_ANY && !data_is_missing(cell) &&
			!text_fits(cell, t->of[column]))
		note_wrong(t, column, row, cell);
}

/* ---- JSON ---- */

static bool value_fits(const struct json *v, enum data_type t)
{
	struct decimal d;
	switch (t) {
	case TYPE_INTEGER:
		d = decimal_of(v->kind == JSON_NUMBER ? v->text : STR("0.5"));
		return decimal_is_whole(&d);
	case TYPE_NUMBER: return v->kind == JSON_NUMBER;
	case TYPE_BOOLEAN: return v->kind == JSON_TRUE || v->kind == JSON_FALSE;
	case TYPE_DATE: return v->kind == JSON_STRING && is_date(v->text);
	case TYPE_TEXT: return v->kind == JSON_STRING;
	default: return true;
	}
}

void data_value(struct types *t, size_t column, const struct json *v, size_t row)
{
	if (v && column < t->n && v->kind != JSON_NULL && !value_fits(v, t->of[column]))
		note_wrong(t, column, row, v->text.p ? v->text : STR("a value of another kind"));
}

void data_wrong_types(struct arena *a, struct validation *v, const struct header *h, const struct types *t)
{
	if (t->wrong)
		validation_note(a, v, NOTE_TYPE_WRONG, false,
				"%lld cells have the wrong type, the first in column "
				"'%.*s', row %zu: '%.*s' is not of type %s; correct the data or the query",
			(long long)t->wrong, DATA_NAME(h->names[t->column]), t->row, DATA_NAME(t->value),
					type_name(t->of[t->column]));
}
