/*
 * Tables: the list of formats, and the rules for all of them. Only a caller that names the task gets a
 * judgement: an ordinary command may print an empty table.
 *
 * A broken rule makes the data invalid. A table cannot fail, so the result of a valid one is pass.
 */
#include "result/validate_data.h"

#include <stdlib.h>

const struct validator validators_data[] = {
	{TASK_DATA, "json", EVIDENCE_MACHINE, json_table_detect, .check = json_table_check},
	{TASK_DATA, "jsonl", EVIDENCE_MACHINE, jsonl_table_detect, .check = jsonl_table_check},
	{TASK_DATA, "tsv", EVIDENCE_MACHINE, tsv_detect, .check = tsv_check},
	{TASK_DATA, "csv", EVIDENCE_MACHINE, csv_detect, .check = csv_check},
	{TASK_DATA, "psql", EVIDENCE_PRINTED, psql_detect, .check = psql_check},
	{TASK_DATA, "pandas", EVIDENCE_PRINTED, pandas_detect, .check = pandas_check},
	{TASK_JSON, "json", EVIDENCE_MACHINE, json_schema_detect, .check = json_schema_check},
	{TASK_JSON, "jsonl", EVIDENCE_MACHINE, jsonl_schema_detect, .check = jsonl_schema_check},
	{0},
};

#define LIST_SHOWN 12 /* names in a message */

void header_add(struct arena *a, struct header *h, struct str name)
{
	if (h->n >= DATA_COLUMNS_MAX) {
		h->partial = true;
		return;
	}
	h->names = arena_room(a, h->names, h->n, &h->cap, sizeof(*h->names));
	h->names[h->n++] = name;
}

static struct str name_list(struct arena *a, const struct header *h)
{
	struct buf b;
	buf_init(&b, a, 0);
	for (size_t i = 0; i < h->n && i < LIST_SHOWN; i++)
		buf_fmt(&b, "%s%.*s", i ? ", " : "", (int)(h->names[i].n < 24 ? h->names[i].n : 24),
				h->names[i].p ? h->names[i].p : "");
	if (h->n > LIST_SHOWN)
		buf_c(&b, ", ...");
	return buf_view(&b);
}

static void check_required(struct arena *a, const struct validate_input *in, struct validation *v,
		const struct header *h, const struct str *sorted)
{
	for (size_t i = 0; i < in->ncolumns; i++) {
		enum data_type type;
		struct str want = data_type_split(in->columns[i], &type);
		if (h->n && bsearch(&want, sorted, h->n, sizeof *sorted, str_order))
			continue;
		if (h->partial)
			validation_unsure(a, v, NOTE_COLUMN_NOT_SHOWN,
					"whether there is a column '%.*s' cannot be seen, since not all "
					"columns are shown; print all of them", DATA_NAME(want));
		else
			validation_note(a, v, NOTE_COLUMN_MISSING, false,
					"the required column '%.*s' is missing (there are: %.*s); change "
					"the query or the program so that it is there",
				DATA_NAME(want), STR_ARG(name_list(a, h)));
	}
}

void data_header(struct arena *a, const struct validate_input *in, struct validation *v,
		const struct header *h)
{
	struct str *sorted = arena_array(a, h->n + 1, sizeof *sorted);
	for (size_t i = 0; i < h->n; i++) {
		sorted[i] = h->names[i];
		if (lines_blank(sorted[i])) {
			validation_note(a, v, NOTE_HEADER_EMPTY, false,
					"column %zu has no name; give each column one (pandas: "
					"to_csv(index=False))", i + 1);
			break;
		}
	}
	for (size_t i = 0; i < h->n; i++)
		sorted[i] = h->names[i];
	if (h->n)
		qsort(sorted, h->n, sizeof *sorted, str_order);
	for (size_t i = 1; i < h->n; i++)
		if (sorted[i].n && str_eq(sorted[i - 1], sorted[i])) {
			validation_note(a, v, NOTE_HEADER_DUPLICATE, false,
					"the column '%.*s' is there twice, so it is ambiguous; rename "
					"one of them", DATA_NAME(sorted[i]));
			break;
		}
	if (h->n >= DATA_COLUMNS_MAX)
		validation_unsure(a, v, NOTE_TOO_LARGE,
				"the table has more than %d columns and cannot be checked", DATA_COLUMNS_MAX);
	check_required(a, in, v, h, sorted);
}

void data_rows(struct arena *a, const struct validate_input *in, struct validation *v, int64_t rows,
		int64_t columns)
{
	validation_count(a, v, "rows", rows);
	validation_count(a, v, "columns", columns);
	if (rows == 0)
		validation_note(a, v, NOTE_ROWS_NONE, false,
				"the table has no rows; find out why nothing was selected before going on");
	if (in->exit_code > 0)
		validation_note(a, v, NOTE_EXIT_NONZERO, false,
				"the command failed (exit code %d), so the data may not be whole; look at "
				"standard error and run it again", in->exit_code);
	v->result = RESULT_PASS;
}

void data_ragged(struct arena *a, struct validation *v, int64_t ragged, size_t line, int64_t got,
		int64_t want)
{
	if (ragged)
		validation_note(a, v, NOTE_ROW_RAGGED, false,
				"%lld rows do not have the columns of the header, first line %zu: %lld "
				"instead of %lld; quote fields that hold the separator, and write every "
				"column",
			(long long)ragged, line, (long long)got, (long long)want);
}

void data_bad_json(struct arena *a, struct validation *v, const struct json_reader *r, size_t line_offset)
{
	size_t line = json_place(r->text, r->at).line + line_offset;
	switch (r->trouble) {
	case JSON_NOT_FINITE:
		validation_note(a, v, NOTE_JSON_NAN, false,
				"line %zu: '%.*s' is not JSON; write null or a string if it is not a number",
				line, DATA_NAME(r->what));
		break;
	case JSON_CUT:
		validation_note(a, v, NOTE_JSON_CUT, false,
				"the JSON ends in the middle (line %zu, where %.*s is missing); run the "
				"command again and keep all of its output", line, DATA_NAME(r->what));
		break;
	case JSON_DUPLICATE:
		validation_note(a, v, NOTE_JSON_DUPLICATE_KEY, false,
				"line %zu: the key '%.*s' is there twice in one object, so its value is "
				"ambiguous", line, DATA_NAME(r->what));
		break;
	case JSON_LIMIT:
		validation_unsure(a, v, NOTE_TOO_LARGE,
				"line %zu: %.*s; it cannot be checked, print less at once", line,
				DATA_NAME(r->what));
		break;
	default:
		validation_note(a, v, NOTE_JSON_SYNTAX, false,
				"line %zu is not JSON: expected %.*s; print the JSON and nothing else on "
				"standard output", line, DATA_NAME(r->what));
	}
}

bool data_is_missing(struct str f)
{
	static const char words[][8] = {"", "NaN", "nan", "NULL", "null", "NA", "None"};
	for (size_t i = 0; f.n <= 4 && i < ARRAY_SIZE(words); i++)
		if (str_is(f, words[i]))
			return true;
	return false;
}

bool data_is_jsonl(struct str text)
{
	struct lines l = lines_of(str_starts(text, "\xef\xbb\xbf") ? str_sub(text, 3, text.n) : text);
	size_t seen = 0;
	for (struct str line; seen < 2 && lines_next(&l, &line);) {
		line = lines_trim(line);
		if (!line.n)
			continue;
		bool object = line.n > 1 && line.p[0] == '{' && (seen || line.p[line.n - 1] == '}');
		bool array = line.n > 1 && line.p[0] == '[' && (seen || line.p[line.n - 1] == ']');
		if (!object && !array)
			return false;
		seen++;
	}
	return seen == 2;
}

void jsonl_init(struct jsonl *l, struct arena *a, struct str text)
{
	*l = (struct jsonl){.lines = lines_of(str_starts(text, "\xef\xbb\xbf") ? str_sub(text, 3, text.n) :
			text)};
	json_reader_init(&l->r, a, STR(""), JSON_TOLERANT);
}

struct json *jsonl_next(struct jsonl *l)
{
	for (struct str line; lines_next(&l->lines, &line);) {
		l->number++;
		if (lines_blank(line))
			continue;
		l->r.text = line;
		l->r.at = 0;
		struct json *v = json_next(&l->r);
		if (!v || json_at_end(&l->r))
			return v;
		l->r.trouble = JSON_SYNTAX;
		l->r.what = STR("one value a line");
		return NULL;
	}
	return NULL;
}

void data_error_member(struct arena *a, struct validation *v, const struct json *root)
{
	static const char names[][8] = {"error", "errors"};

	for (size_t i = 0; i < ARRAY_SIZE(names) && json_is(root, JSON_OBJECT); i++) {
		const struct json *e = json_key(root, names[i]);

		if (json_is(e, JSON_TRUE) || (json_is(e, JSON_STRING) && e->text.n) ||
				(e && e->kind >= JSON_ARRAY && e->first))
			validation_note(a, v, NOTE_ERROR_MEMBER, true,
					"the data has a member '%s', so it may be an error message "
					"instead of data; read it",
					names[i]);
	}
}
