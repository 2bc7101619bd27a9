/* The task of a run, and the validation of its output. See run_validation.h. */
#include "run/run_validation.h"

#include "base/json_write.h"
#include "record/secret_values.h"
#include "result/redact.h"
#include "result/validate.h"
#include "run/spec_builder.h"
#include "run/test_reports.h"
#include "sys/file.h"
#include "sys/stream.h"

/* ---- before the run ---- */

int validation_columns(struct arena *a, struct str list, const struct str **ret, size_t *ret_n, struct err *e)
{
	struct str *names = arena_array(a, VALIDATION_COLUMNS_MAX, sizeof(*names));
	struct err why = {0};
	size_t n = 0;

	for (size_t from = 0; from <= list.n;) {
		size_t comma = str_end(list, ',', from);
		struct str name = str_sub(list, from, comma);

		from += name.n + 1;
		if (!name.n)
			continue;
		if (n == VALIDATION_COLUMNS_MAX)
			return err_input(e, "--columns: more than %d columns", VALIDATION_COLUMNS_MAX);
		if (validate_column(name, &why) != 0)
			return err_input(e, "--columns %s", why.text);
		names[n++] = name;
	}
	*ret = names;
	*ret_n = n;
	return 0;
}

int spec_build_task(struct spec_builder *m, struct err *e)
{
	const struct run_request *rq = m->rq;
	struct run_task *t = &m->r->task;

	t->kind = rq->task || !rq->skilled ? rq->task : rq->skilled->task;
	t->need = m->p->own.results.need;
	t->canary = !m->p->own.results.no_canary;
	if (rq->columns && t->kind != TASK_DATA)
		return err_input(e, "--columns needs --task data");
	if (rq->schema && t->kind != TASK_JSON)
		return err_input(e, "--schema needs --task json");
	t->validator = rq->validator;
	if (rq->validator && !t->kind)
		t->kind = TASK_CUSTOM;
	if (rq->validator && file_read(m->a, rq->validator, RUN_SCRIPT_MAX, &t->validator_text, NULL, e) != 0)
		return -1;
	if (t->kind == TASK_CUSTOM && !rq->validator && !validation_has_custom(m->p, t->kind))
		return err_input(e,
				"--task custom needs --validator FILE, or 'validators' in your own policy");
	if (!rq->schema)
		return 0;
	if (file_read(m->a, rq->schema, VALIDATION_SCHEMA_MAX, &t->schema, NULL, e) < 0)
		return -1;
	/* an empty text would mean: no schema given */
	return t->schema.n ? 0 : err_input(e, "the schema '%s' is empty", rq->schema);
}

/* ---- after the run ---- */

/* Returns the raw bytes, or only their end if there are too many. */
static struct str raw_stream(struct arena *a, const struct stream *s, bool *cut, bool *large)
{
	struct str text = stream_tail(a, s, s->total > VALIDATION_STREAM_MAX ? VALIDATION_TAIL :
			VALIDATION_STREAM_MAX);

	*large |= s->total > VALIDATION_STREAM_MAX;
	*cut |= s->total > text.n;
	return text;
}

/* STATUS_SIGNAL if a signal from outside ended the run. */
static enum status status_of(const struct outcome *o)
{
	return o->interrupted ? STATUS_SIGNAL : o->status;
}

/* Messages quote the output, so they are normalised and redacted too. */
static void clean_notes(struct arena *a, const struct run *r, struct check_note *notes)
{
	static const struct normalise_options options = {0};
	struct redactor *redactor;
	struct str *values;
	size_t n = 0;

	if (!notes)
		return;
	values = secret_values(a, variables_known(a, r->world, r->rq), r->scrubbed, &n);
	redactor = redactor_new(a, values, n);
	for (struct check_note *c = notes; c; c = c->next)
		c->message = redact_text(a, redactor,
				normalise_text(a, c->message, &options, &(struct sanitized){0}), NULL);
}

void validation_need_witness(struct arena *a, const struct run *r, struct validation *v)
{
	if (r->task.need != RESULT_NEEDS_WITNESS || r->task.kind != TASK_TEST ||
			v->validity != VALIDITY_VALID || v->evidence == EVIDENCE_WITNESSED)
		return;
	validation_unsure(a, v, NOTE_NOT_WITNESSED,
			"the policy requires a machine-readable report of the test runner (results.require), "
			"and this result has none: see caisson help validators");
	v->result = RESULT_NONE;
}

/* An old log that a command shows is no result of this command, so nothing in it is an error. */
static void only_printed(struct arena *a, struct validation *v)
{
	for (struct check_note *n = v->checks; n; n = n->next)
		n->warning = true;
	v->validity = VALIDITY_INDETERMINATE;
	validation_unsure(a, v, NOTE_ONLY_PRINTED,
			"the command prints a text that existed before, so it is not evidence of a new "
			"result");
}

struct validation *validation_make(struct arena *a, const struct run *r, const struct outcome *o)
{
	struct validation *v = arena_new(a, struct validation);
	struct validate_input in = {.task = r->task.kind, .status = status_of(o), .exit_code = o->exit_code,
			.command = r->gate_request.command, .columns = r->rq->columns,
			.ncolumns = r->rq->ncolumns, .schema = r->task.schema};
	bool large = false;

	in.out = raw_stream(a, &o->out, &in.cut, &large);
	in.err = raw_stream(a, &o->err, &in.cut, &large);
	if (!in.task && !in.out.n && !in.err.n)
		return NULL;
	if (in.task == TASK_CUSTOM)
		validate_run(a, &in, v);
	else
		validate_text(a, &in, v);
	if (!in.task && !v->format)
		return NULL;
	if (r->asked)
		test_reports_judge(a, r, o, v);
	validation_need_witness(a, r, v);
	if (!in.task && v->validity != VALIDITY_VALID && validate_only_prints(in.command))
		only_printed(a, v);
	if (large)
		validation_unsure(a, v, NOTE_OUTPUT_LARGE,
				"more than %zu MB were printed, too much to check; let the tool print less, "
				"or write a report to a file", VALIDATION_STREAM_MAX >> 20);
	clean_notes(a, r, v->checks);
	return v;
}

/* ---- in the report ---- */

/* Returns one sentence for the reader of the result: is it usable, and if not, what to do. */
static void put_message(struct buf *b, const struct validation *v)
{
	const struct check_note *n = v->checks;
	struct str why;

	while (n && v->validity == VALIDITY_INVALID && n->warning)
		n = n->next;
	if (v->validity == VALIDITY_VALID || !n) {
		json_put_name(b, "message", NULL);
		return;
	}
	why = str_fmt(b->a, "%s: %.*s", v->validity == VALIDITY_INVALID ? "do not use this result" :
			"this output proves nothing", STR_ARG(n->message));
	json_put_field(b, "message", why);
}

void validation_counts_json(struct buf *b, const struct validation *v)
{
	json_put_open(b, "counts", '{');
	for (const struct count *c = v->validity == VALIDITY_VALID ? v->counts : NULL; c; c = c->next) {
		json_put_key(b, c->name);
		buf_fmt(b, "%lld", (long long)c->n);
	}
	buf_char(b, '}');
}

void validation_checks_json(struct buf *b, const char *key, const struct check_note *checks)
{
	json_put_open(b, key, '[');
	for (const struct check_note *n = checks; n; n = n->next) {
		json_put_open(b, NULL, '{');
		json_put_name(b, "id", n->name);
		json_put_field(b, "message", n->message);
		buf_c(b, n->warning ? ",\"warning\":true}" : "}");
	}
	buf_char(b, ']');
}

void validation_json(struct buf *b, const struct validation *v)
{
	if (!v) {
		buf_c(b, "null");
		return;
	}
	buf_char(b, '{');
	json_put_name(b, "task", task_name(v->task));
	json_put_name(b, "outcome", validity_name(v->validity));
	json_put_name(b, "result", result_name(v->result));
	json_put_name(b, "format", v->format);
	json_put_name(b, "evidence", v->evidence == EVIDENCE_NONE ? NULL : evidence_name(v->evidence));
	validation_counts_json(b, v);
	validation_checks_json(b, "checks", v->checks);
	validation_checks_json(b, "suspicions", v->suspicions);
	json_put_name(b, "canary", v->canary);
	put_message(b, v);
	buf_char(b, '}');
}
