/* The task `json`: checks that the output is JSON, or JSON lines, and fits the user's schema. */
#include <stdio.h>

#include "result/schema.h"
#include "result/validate_data.h"

int json_schema_detect(const struct validate_input *in)
{
	return in->task ? 60 : 0; /* reports output that is not JSON */
}

int jsonl_schema_detect(const struct validate_input *in)
{
	return in->task && data_is_jsonl(in->out) ? 70 : 0;
}

/* Parses the user's schema; NULL with a note if it is invalid. */
static struct json *read_schema(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct json_reader r;
	if (!in->schema.n) {
		validation_note(a, v, NOTE_SCHEMA_NONE, true,
				"no schema was given, so only that it is JSON was checked");
		return NULL;
	}
	json_reader_init(&r, a, in->schema, JSON_TOLERANT);
	struct json *schema = json_next(&r);
	if (schema && json_at_end(&r))
		return schema;
	validation_unsure(a, v, NOTE_SCHEMA_BAD,
			"the schema itself is not JSON (line %zu, %.*s), so the result is unknown; correct "
			"the schema", json_place(r.text, r.at).line, DATA_NAME(r.what));
	return NULL;
}

/* Checks one document; `line`: line number in JSON lines, else 0. */
static void check_value(struct arena *a, struct validation *v, struct json *schema, struct json *doc,
		struct schema_budget *left, size_t line)
{
	struct schema_result res;
	char where[32] = "";
	schema_check(a, schema, doc, left, &res);
	if (line)
		snprintf(where, sizeof where, "line %zu, ", line);
	for (const struct schema_note *n = res.notes; n; n = n->next) {
		struct str path = n->path.n ? n->path : STR("/");
		if (n->unknown)
			validation_unsure(a, v, NOTE_SCHEMA_UNSUPPORTED,
					"%s'%.*s': %.*s; it is unknown whether the output fits the schema",
					where, STR_ARG(path), STR_ARG(n->why));
		else
			validation_note(a, v, NOTE_SCHEMA_VIOLATION, false,
					"%s'%.*s' %.*s; change the output so that it fits the schema", where,
					STR_ARG(path), STR_ARG(n->why));
	}
	if (res.answer == SCHEMA_UNKNOWN && !res.notes)
		validation_unsure(a, v, NOTE_SCHEMA_UNSUPPORTED,
				"%sthere is too much to check; it is unknown whether the output fits the "
				"schema",
				where);
	if (res.format && !v->checks)
		validation_note(a, v, NOTE_SCHEMA_FORMAT, true,
				"the schema's 'format' says what a text means and was not checked, as the "
				"standard has it; use 'pattern' to have it checked");
}

static void finish_validation(struct arena *a, const struct validate_input *in, struct validation *v,
	int64_t values)
{
	validation_count(a, v, "values", values);
	if (in->exit_code > 0)
		validation_note(a, v, NOTE_EXIT_NONZERO, false,
				"the command failed (exit code %d), so the data may not be whole; look at "
				"standard error and run it again", in->exit_code);
	v->result = RESULT_PASS;
}

void json_schema_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct json_reader r;
	json_reader_init(&r, a, in->out, JSON_TOLERANT);
	if (json_at_end(&r)) {
		validation_note(a, v, NOTE_DATA_EMPTY, false,
				"nothing was printed where JSON was expected; find out why before going on");
		return;
	}
	struct json *schema = NULL;
	struct schema_budget left = SCHEMA_BUDGET;
	int64_t values = 0;
	for (; !json_at_end(&r); values++) { /* jq prints one value after the other */
		struct json *doc = json_next(&r);
		if (!doc) {
			data_bad_json(a, v, &r, 0);
			return;
		}
		if (!values)
			schema = read_schema(a, in, v);
		/* the first mismatch is enough */
		if (schema && v->validity != VALIDITY_INVALID)
			check_value(a, v, schema, doc, &left, 0);
		else if (!schema && !values)
			data_error_member(a, v, doc);
	}
	finish_validation(a, in, v, values);
}

void jsonl_schema_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct json *schema = read_schema(a, in, v);
	struct schema_budget left = SCHEMA_BUDGET;
	struct jsonl l;
	int64_t values = 0;
	jsonl_init(&l, a, in->out);
	for (struct json *doc; (doc = jsonl_next(&l)); values++)
		/* the first mismatch is enough */
		if (schema && v->validity != VALIDITY_INVALID)
			check_value(a, v, schema, doc, &left, l.number);
	if (l.r.trouble)
		data_bad_json(a, v, &l.r, l.number - 1);
	finish_validation(a, in, v, values);
}
