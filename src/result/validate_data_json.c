/*
 * Tables in JSON, whole or a value a line. The shapes are those that tools write: a list of records; records in "data", "rows" and the like;
 * columns with a value for each index, or a list of values; names and rows apart ("split"); rows as lists.
 */
#include "result/validate_data.h"

struct table {
	const struct validate_input *in;
	struct header h;
	struct types types;
	int64_t rows, ragged, got, missing;
	size_t ragged_row;       /* the first, from 1 */
	const struct value *shape; /* the record that the others are compared with */
};

static struct str start_of(struct str text)
{
	size_t i = str_starts(text, "\xef\xbb\xbf") ? 3 : 0;
	while (i < text.n && (text.p[i] == ' ' || text.p[i] == '\n' || text.p[i] == '\r' || text.p[i] == '\t'))
		i++;
	return str_sub(text, i, text.n);
}

int json_table_detect(const struct validate_input *in)
{
	struct str t = start_of(in->out);
	return in->task && t.n && (t.p[0] == '{' || t.p[0] == '[') ? 70 : 0;
}

int jsonl_table_detect(const struct validate_input *in)
{
	return in->task && data_is_jsonl(in->out) ? 75 : 0;
}

static void ragged(struct table *t, size_t got)
{
	if (t->ragged++ == 0) {
		t->ragged_row = (size_t)t->rows;
		t->got = (int64_t)got;
	}
}

/* One more row. The first says which columns there are; the hash of its keys makes comparing the others cheap. */
static void add_row(struct arena *a, struct table *t, const struct value *row)
{
	t->rows++;
	if (!t->shape) {
		t->shape = row;
		if (row->kind == VALUE_OBJECT)
			for (const struct value *m = row->first; m; m = m->next)
				header_add(a, &t->h, m->key);
		data_types(a, t->in, &t->h, &t->types);
	}
	if (row->kind != t->shape->kind || (row->kind >= VALUE_ARRAY && row->n != t->shape->n)) {
		ragged(t, row->n);
		return;
	}
	if (row->kind < VALUE_ARRAY)
		return;
	if (row->kind == VALUE_OBJECT)
		for (size_t i = 0; i < t->types.n; i++)
			if (t->types.of[i] != TYPE_ANY)
				data_value(&t->types, i, value_get(row, t->h.names[i]), (size_t)t->rows);
	size_t i = 0;
	for (const struct value *m = row->first; m; m = m->next, i++) {
		t->missing += m->kind == VALUE_NULL;
		if (row->kind == VALUE_ARRAY && t->types.n)
			data_value(&t->types, i, m, (size_t)t->rows);
		if (row->kind == VALUE_OBJECT && !value_get(t->shape, m->key)) {
			ragged(t, row->n);
			return;
		}
	}
}

static void add_rows(struct arena *a, struct table *t, const struct value *list)
{
	for (const struct value *row = list->first; row; row = row->next)
		add_row(a, t, row);
}

/* {"columns": [...], "data": [[...], ...]}; scalars of different kinds in a column are no concern of ours. */
static bool split_table(struct arena *a, struct table *t, const struct value *v)
{
	const struct value *columns = value_key(v, "columns"), *data = value_key(v, "data");
	if (!value_is(columns, VALUE_ARRAY) || !value_is(data, VALUE_ARRAY))
		return false;
	for (const struct value *c = columns->first; c; c = c->next)
		header_add(a, &t->h, c->kind == VALUE_STRING || c->kind == VALUE_NUMBER ? c->text : STR(""));
	t->shape = columns;
	data_types(a, t->in, &t->h, &t->types);
	add_rows(a, t, data);
	return true;
}

/* {"id": {"0": 1, "1": 2}, "name": {…}} or {"id": [1, 2], …}: each member a column, all as long as the first and with the same index. */
static bool column_table(struct arena *a, struct table *t, const struct value *v)
{
	const struct value *first = v->first;
	if (!first || first->kind < VALUE_ARRAY)
		return false;
	for (const struct value *c = first; c; c = c->next)
		if (c->kind != first->kind)
			return false;
	/* A record of records is no table: an index counts. */
	if (first->kind == VALUE_OBJECT && first->first && !value_key(first, "0"))
		return false;
	for (const struct value *c = first; c; c = c->next)
		header_add(a, &t->h, c->key);
	data_types(a, t->in, &t->h, &t->types);
	size_t column = 0;
	for (const struct value *c = first; c; c = c->next, column++) {
		bool same = c->n == first->n;
		size_t row = 1;
		for (const struct value *m = c->first; m && same; m = m->next) {
			data_value(&t->types, column, m, row++);
			t->missing += m->kind == VALUE_NULL;
			same = c->kind == VALUE_ARRAY || value_get(first, m->key);
		}
		if (!same)
			ragged(t, c->n);
	}
	t->rows = (int64_t)first->n;
	t->shape = first;
	return true;
}

static bool wrapped_table(struct arena *a, struct table *t, const struct value *v)
{
	static const char names[][8] = {"data", "rows", "records", "results", "items", "value", "values"};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const struct value *list = value_key(v, names[i]);
		if (value_is(list, VALUE_ARRAY) && (!list->first || list->first->kind == VALUE_OBJECT)) {
			add_rows(a, t, list);
			return true;
		}
	}
	return false;
}

static void read_table(struct arena *a, struct table *t, const struct value *v)
{
	if (v->kind == VALUE_ARRAY)
		add_rows(a, t, v);
	else if (v->kind != VALUE_OBJECT || (!split_table(a, t, v) && !wrapped_table(a, t, v) && !column_table(a, t, v)))
		if (v->kind != VALUE_OBJECT || v->n)
			add_row(a, t, v); /* a single record */
}

static void judge_table(struct arena *a, const struct validate_input *in, struct validation *v, struct table *t)
{
	int64_t columns = t->h.n ? (int64_t)t->h.n : t->shape && t->shape->kind == VALUE_ARRAY ? (int64_t)t->shape->n : t->rows ? 1 : 0;
	data_rows(a, in, v, t->rows, columns);
	validation_count(a, v, "missing", t->missing);
	if (t->ragged)
		validation_note(a, v, "row-ragged", false, "%lld rows or columns do not fit the others (%s%zu): write every column in every row, null where there is no value",
			(long long)t->ragged, t->ragged_row ? "first row " : "columns of different length, rows ", t->ragged_row ? t->ragged_row : (size_t)t->got);
	if (t->rows || t->h.n)
		data_header(a, in, v, &t->h);
	data_wrong_types(a, v, &t->h, &t->types);
}

void json_table_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct value_reader r;
	struct table t = {.in = in};
	value_reader_init(&r, a, in->out);
	struct value *root = value_next(&r);
	if (root && !value_at_end(&r)) {
		root = NULL;
		r.trouble = VALUE_SYNTAX;
		r.what = STR("nothing after the value");
	}
	if (!root) {
		data_bad_json(a, v, &r, 0);
		return;
	}
	read_table(a, &t, root);
	judge_table(a, in, v, &t);
}

void jsonl_table_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct table t = {.in = in};
	struct jsonl l;
	jsonl_init(&l, a, in->out);
	for (struct value *row; (row = jsonl_next(&l));)
		add_row(a, &t, row);
	if (l.r.trouble)
		data_bad_json(a, v, &l.r, l.number - 1);
	else
		judge_table(a, in, v, &t);
}
