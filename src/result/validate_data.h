/*
 * The validators of tables and JSON: two functions for each format, and shared helpers. The rows are in
 * validate_data.c.
 */
#pragma once
#include "base/json.h"
#include "result/lines.h"
#include "result/validate.h"

VALIDATOR(csv);
VALIDATOR(tsv);
VALIDATOR(pandas);
VALIDATOR(psql);
VALIDATOR(json_table);
VALIDATOR(jsonl_table);
VALIDATOR(json_schema);
VALIDATOR(jsonl_schema);

#define DATA_COLUMNS_MAX 65536 /* columns of a table */
#define DATA_NAME_MAX 60       /* bytes of a name in a message */
#define DATA_NAME(s) (int)((s).n < DATA_NAME_MAX ? (s).n : DATA_NAME_MAX), (s).p

/* The names of the columns, in order. */
struct header {
	struct str *names;
	size_t n, cap;
	bool partial;        /* the output omits some */
};

void header_add(struct arena *a, struct header *h, struct str name);
/*
 * Checks for empty, duplicate and missing required names. A name may be missing only if the header is
 * partial.
 */
void data_header(struct arena *a, const struct validate_input *in, struct validation *v,
		const struct header *h);
/*
 * data_rows() adds counts and requires rows. data_ragged() reports rows with a different number of columns,
 * and the line of the first.
 */
void data_rows(struct arena *a, const struct validate_input *in, struct validation *v, int64_t rows,
		int64_t columns);
void data_ragged(struct arena *a, struct validation *v, int64_t ragged, size_t line, int64_t got,
		int64_t want);
/* True for a field without a value: empty, NaN, NULL. */
bool data_is_missing(struct str field);

/* ---- types of columns ---- */

enum data_type { TYPE_ANY, TYPE_INTEGER, TYPE_NUMBER, TYPE_BOOLEAN, TYPE_DATE, TYPE_TEXT };

struct types {
	enum data_type *of;  /* type of each column; NULL with n 0: none given */
	size_t n;
	int64_t wrong;       /* wrong cells; the first of them: */
	size_t column, row;
	struct str value;
};

/*
 * `id:integer` is the column id of type integer; a suffix that is not a type (validate_column()) belongs to
 * the name.
 */
struct str data_type_split(struct str column, enum data_type *ret);
void data_types(struct arena *a, const struct validate_input *in, const struct header *h, struct types *ret);
void data_cell(struct types *t, size_t column, struct str cell, size_t row);
void data_value(struct types *t, size_t column, const struct json *v, size_t row);
void data_wrong_types(struct arena *a, struct validation *v, const struct header *h, const struct types *t);

/* Describes an error in a JSON text; line_offset: lines before the reader's text. */
void data_bad_json(struct arena *a, struct validation *v, const struct json_reader *r, size_t line_offset);
/* Warns about an object with an "error": servers answer so when there is no data. */
void data_error_member(struct arena *a, struct validation *v, const struct json *root);
/* True for several values, one per line. */
bool data_is_jsonl(struct str text);

struct jsonl {
	struct lines lines;
	struct json_reader r;  /* reader of the current line; its trouble ends the loop */
	size_t number;          /* line number, from 1 */
};

void jsonl_init(struct jsonl *l, struct arena *a, struct str text);
/* Returns the value of the next non-blank line; NULL after the last, or with l->r.trouble. */
struct json *jsonl_next(struct jsonl *l);
