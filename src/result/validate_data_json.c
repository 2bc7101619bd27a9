/*
 * Tables in JSON, as one value or one value per line. The shapes are those that tools write: a list of
 * records; records in "data", "rows" and the like; columns with a value for each index, or a list of values;
 * names and rows separately ("split"); rows as lists.
 */
#include "result/validate_data.h"

struct table {
	const struct validate_input *in;
	struct header h;
	struct types types;
	int64_t rows, ragged, got, missing;
	size_t ragged_row;       /* first of them, from 1 */
	const struct json *shape; /* the first record, to which the others are compared */
};

static struct str start_of(struct str text)
{
	size_t i = str_starts(text, "\xef\xbb\xbf") ? 3 : 0;
	while (i < text.n && (text.p[i] == ' ' || text.p[i] == '\n' || text.p[i] == '\r' ||
			text.p[i] == '\t'))
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

static void note_ragged(struct table *t, size_t got)
{
	if (t->ragged++ == 0) {
		t->ragged_row = (size_t)t->rows;
		t->got = (int64_t)got;
	}
}

/*
 * Checks one more row. The first defines the columns; the hash of its keys makes comparing the others cheap.
 */
static void add_row(struct arena *a, struct table *t, const struct json *row)
{
	t->rows++;
	if (!t->shape) {
		t->shape = row;
		if (row->kind == JSON_OBJECT)
			for (const struct json *m = row->first; m; m = m->next)
				header_add(a, &t->h, m->key);
		data_types(a, t->in, &t->h, &t->types);
	}
	if (row->kind != t->shape->kind || (row->kind >= JSON_ARRAY && row->n != t->shape->n)) {
		note_ragged(t, row->n);
		return;
	}
	if (row->kind < JSON_ARRAY)
		return;
	if (row->kind == JSON_OBJECT)
		for (size_t i = 0; i < t->types.n; i++)
			if (t->types.of[i] != TYPE_ANY)
				data_value(&t->types, i, json_get(row, t->h.names[i]), (size_t)t->rows);
	size_t i = 0;
	for (const struct json *m = row->first; m; m = m->next, i++) {
		t->missing += m->kind == JSON_NULL;
		if (row->kind == JSON_ARRAY && t->types.n)
			data_value(&t->types, i, m, (size_t)t->rows);
		if (row->kind == JSON_OBJECT && !json_get(t->shape, m->key)) {
			note_ragged(t, row->n);
			return;
		}
	}
}

static void add_rows(struct arena *a, struct table *t, const struct json *list)
{
	for (const struct json *row = list->first; row; row = row->next)
		add_row(a, t, row);
}

/* {"columns": [...], "data": [[...], ...]}; a column may mix types of scalars. */
static bool split_table(struct arena *a, struct table *t, const struct json *v)
{
	const struct json *columns = json_key(v, "columns"), *data = json_key(v, "data");
	if (!json_is(columns, JSON_ARRAY) || !json_is(data, JSON_ARRAY))
		return false;
	for (const struct json *c = columns->first; c; c = c->next)
		header_add(a, &t->h, c->kind == JSON_STRING || c->kind == JSON_NUMBER ? c->text : STR(""));
	t->shape = columns;
	data_types(a, t->in, &t->h, &t->types);
	add_rows(a, t, data);
	return true;
}

/*
 * {"id": {"0": 1, "1": 2}, "name": {…}} or {"id": [1, 2], …}: each member is a column, as long as the
 * first and with the same index.
 */
static bool column_table(struct arena *a, struct table *t, const struct json *v)
{
	const struct json *first = v->first;
	if (!first || first->kind < JSON_ARRAY)
		return false;
	for (const struct json *c = first; c; c = c->next)
		if (c->kind != first->kind)
			return false;
	/* A record of records is a table only if its keys are an index. */
	if (first->kind == JSON_OBJECT && first->first && !json_key(first, "0"))
		return false;
	for (const struct json *c = first; c; c = c->next)
		header_add(a, &t->h, c->key);
	data_types(a, t->in, &t->h, &t->types);
	size_t column = 0;
	for (const struct json *c = first; c; c = c->next, column++) {
		bool same = c->n == first->n;
		size_t row = 1;
		for (const struct json *m = c->first; m && same; m = m->next) {
			data_value(&t->types, column, m, row++);
			t->missing += m->kind == JSON_NULL;
			same = c->kind == JSON_ARRAY || json_get(first, m->key);
		}
		if (!same)
			note_ragged(t, c->n);
	}
	t->rows = (int64_t)first->n;
	t->shape = first;
	return true;
}

static bool wrapped_table(struct arena *a, struct table *t, const struct json *v)
{
	static const char names[][8] = {"data", "rows", "records", "results", "items", "value", "values"};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct json *list = json_key(v, names[i]);
		if (json_is(list, JSON_ARRAY) && (!list->first || list->first->kind == JSON_OBJECT)) {
			add_rows(a, t, list);
			return true;
		}
	}
	return false;
}

static void read_table(struct arena *a, struct table *t, const struct json *v)
{
	if (v->kind == JSON_ARRAY)
		add_rows(a, t, v);
	else if (v->kind != JSON_OBJECT || (!split_table(a, t, v) && !wrapped_table(a, t, v) &&
			!column_table(a, t, v)))
		if (v->kind != JSON_OBJECT || v->n)
			add_row(a, t, v); /* a single record */
}

static void judge_table(struct arena *a, const struct validate_input *in, struct validation *v,
		struct table *t)
{
	int64_t columns = t->h.n ? (int64_t)t->h.n : t->shape &&
			t->shape->kind == JSON_ARRAY ? (int64_t)t->shape->n : t->rows ? 1 : 0;
	data_rows(a, in, v, t->rows, columns);
	validation_count(a, v, "missing", t->missing);
	if (t->ragged)
		validation_note(a, v, NOTE_ROW_RAGGED, false,
				"%lld rows or columns do not fit the others (%s%zu): write every column in "
				"every row, null where there is no value",
			(long long)t->ragged,
					t->ragged_row ? "first row " : "columns of different length, rows ",
					t->ragged_row ? t->ragged_row : (size_t)t->got);
	if (t->rows || t->h.n)
		data_header(a, in, v, &t->h);
	data_wrong_types(a, v, &t->h, &t->types);
}

void json_table_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct json_reader r;
	struct table t = {.in = in};
	json_reader_init(&r, a, in->out, JSON_TOLERANT);
	struct json *root = json_next(&r);
	if (root && !json_at_end(&r)) {
		root = NULL;
		r.trouble = JSON_SYNTAX;
		r.what = STR("nothing after the value");
	}
	if (!root) {
		data_bad_json(a, v, &r, 0);
		return;
	}
	read_table(a, &t, root);
	judge_table(a, in, v, &t);
	data_error_member(a, v, root);
}

void jsonl_table_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct table t = {.in = in};
	struct jsonl l;
	jsonl_init(&l, a, in->out);
	for (struct json *row; (row = jsonl_next(&l));)
		add_row(a, &t, row);
	if (l.r.trouble)
		data_bad_json(a, v, &l.r, l.number - 1);
	else
		judge_table(a, in, v, &t);
}
