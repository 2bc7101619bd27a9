/*
 * Custom validators (docs/validators.md): a person's programs that read the report, each in a box of its own,
 * and answer like `caisson validate`.
 *
 * They run after the built-in validator of the same task. Invalid from either is invalid. A program without a
 * well-formed answer makes the result indeterminate, since the person wanted it judged. Its output is
 * untrusted: names are checked; messages are normalised, redacted and cut.
 */
#define _GNU_SOURCE
#include "base/json.h"
#include "record/secret_values.h"
#include "result/redact.h"
#include "result/validate.h"
#include "run/helper_run.h"
#include "run/run_validation.h"
#include "sys/file.h"
#include "sys/path.h"
#include "sys/stream.h"

#define NAMES_MAX 64           /* maximum number of counts, and of checks */
#define NAME_BYTES_MAX 64
#define MESSAGE_BYTES_MAX 600
#define WORDS_MAX 256          /* words of the command */
#define ANSWER_MAX ((size_t)1 << 20)
#define TIME_MS 10000

struct validator_call { /* one running validator */
	struct arena *a;
	const struct run *run;     /* the run to be judged */
	const struct policies *policies;
	struct str name, text;     /* text: its input, the report */
	struct redactor *redactor;
	struct validation *v;
};

static void no_answer(struct validator_call *j, const char *why)
{
	validation_unsure(j->a, j->v, NOTE_CUSTOM_FAILED,
			"the validator '%.*s' gave no answer: %s; correct it, or leave it out",
			STR_ARG(j->name), why);
}

/* ---- the validator's box ---- */

/* Makes files that the command names readable in the box. */
static void show_files(struct arena *a, struct run_request *rq, char *const *argv)
{
	struct stat st;

	for (size_t i = 0; argv[i]; i++)
		if (argv[i][0] == '/' && strncmp(argv[i], "/usr/", 5) != 0 &&
				strncmp(argv[i], "/bin/", 5) != 0 && stat(argv[i], &st) == 0 &&
				S_ISREG(st.st_mode))
			texts_add(a, &rq->read, str_of(argv[i]));
}

static char *const *words(struct arena *a, const struct texts *command)
{
	char **v = arena_array(a, WORDS_MAX + 1, sizeof(*v));
	size_t n = 0;

	for (const struct texts *t = command; t && n < WORDS_MAX; t = t->next)
		v[n++] = str_c(a, t->text);
	return v;
}

/* ---- the validator's answer ---- */

static bool name_ok(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!s.p[i] || !strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-",
				s.p[i]))
			return false;
	return s.n > 0 && s.n <= NAME_BYTES_MAX;
}

static int read_outcome(const struct json *o, enum validity *ret)
{
	for (int k = VALIDITY_INDETERMINATE; k <= VALIDITY_INVALID; k++)
		if (str_is(json_text_at(o, "outcome"), validity_name((enum validity)k))) {
			*ret = (enum validity)k;
			return 0;
		}
	return -1;
}

/* A valid answer without a result means passed. */
static int read_result(const struct json *o, enum validity validity, enum verdict_of_result *ret)
{
	*ret = validity == VALIDITY_VALID ? RESULT_PASS : RESULT_NONE;
	if (!json_key(o, "result"))
		return 0;
	for (int k = RESULT_NONE; k <= RESULT_FAIL; k++)
		if (str_is(json_text_at(o, "result"), result_name((enum verdict_of_result)k))) {
			*ret = (enum verdict_of_result)k;
			return validity == VALIDITY_VALID || k == RESULT_NONE ? 0 : -1;
		}
	return -1;
}

static bool is_counted(const struct validation *v, struct str name)
{
	for (const struct count *c = v->counts; c; c = c->next)
		if (str_is(name, c->name))
			return true;
	return false;
}

/* Adds the counts; those of the built-in validator stay. */
static int take_counts(struct validator_call *j, const struct json *counts)
{
	if (!counts)
		return 0;
	if (counts->kind != JSON_OBJECT || counts->n > NAMES_MAX)
		return -1;
	for (const struct json *c = counts->first; c; c = c->next)
		if (!name_ok(c->key) || json_int(c, -1) < 0)
			return -1;
	for (const struct json *c = counts->first; c; c = c->next)
		if (!is_counted(j->v, c->key))
			validation_count(j->a, j->v, str_c(j->a, c->key), json_int(c, 0));
	return 0;
}

static struct str message_of(struct validator_call *j, struct str text)
{
	static const struct normalise_options options = {0};

	text = normalise_text(j->a, text, &options, &(struct sanitized){0});
	text = redact_text(j->a, j->redactor, text, NULL);
	return truncate_text(j->a, text, &(struct truncate_options){.max = MESSAGE_BYTES_MAX},
			&(struct truncated){0});
}

/* Notes of an invalid result are its reasons, unless they are warnings. */
static int take_checks(struct validator_call *j, const struct json *checks, enum validity validity)
{
	if (!checks)
		return 0;
	if (checks->kind != JSON_ARRAY || checks->n > NAMES_MAX)
		return -1;
	for (const struct json *c = checks->first; c; c = c->next)
		if (!name_ok(json_text_at(c, "id")) || !json_text_at(c, "message").n)
			return -1;
	for (const struct json *c = checks->first; c; c = c->next) {
		struct str text = message_of(j, json_text_at(c, "message")),
				id = str_fmt(j->a, "%.*s:%.*s", STR_ARG(j->name),
				STR_ARG(json_text_at(c, "id")));

		validation_note_custom(j->a, j->v, str_c(j->a, id), validity != VALIDITY_INVALID ||
				json_true_at(c, "warning"), "%.*s", STR_ARG(text));
	}
	return 0;
}

/* The built-in validator does not know this format; that is no objection. */
static void forget_unknown(struct validation *v)
{
	struct check_note **at = &v->checks;
	bool other = false;

	if (v->validity != VALIDITY_INDETERMINATE || v->format)
		return;
	while (*at) {
		if ((*at)->id == NOTE_NOT_RECOGNISED) {
			*at = (*at)->next;
			continue;
		}
		other |= (*at)->warning;
		at = &(*at)->next;
	}
	if (!other)
		v->validity = VALIDITY_VALID;
}

static void combine_results(struct validator_call *j, enum validity validity, enum verdict_of_result result)
{
	struct validation *v = j->v;

	if (validity == VALIDITY_INVALID && v->validity != VALIDITY_INVALID)
		validation_note(j->a, v, NOTE_CUSTOM_INVALID, false,
				"the validator '%.*s' rejects this result",
				STR_ARG(j->name));
	else if (validity == VALIDITY_INDETERMINATE)
		validation_unsure(j->a, v, NOTE_CUSTOM_UNSURE,
				"the validator '%.*s' cannot decide if this result can be used",
				STR_ARG(j->name));
	else if (validity == VALIDITY_VALID && (v->result == RESULT_NONE || result == RESULT_FAIL))
		v->result = result;
	if (!v->format)
		v->format = str_c(j->a, j->name);
	if (v->evidence == EVIDENCE_NONE)
		v->evidence = EVIDENCE_PRINTED;
}

static void take_answer(struct validator_call *j, const struct outcome *o)
{
	static const int codes[] = {[VALIDITY_VALID] = 0, [VALIDITY_INVALID] = 1,
			[VALIDITY_INDETERMINATE] = 3};
	struct json_reader reader;
	enum verdict_of_result result;
	enum validity validity;
	const struct json *answer;

	json_reader_init(&reader, j->a, stream_tail(j->a, &o->out, ANSWER_MAX), JSON_TOLERANT);
	answer = json_next(&reader);
	if (!json_is(answer, JSON_OBJECT) || !json_at_end(&reader)) {
		no_answer(j, o->exit_code ? "it failed and printed no JSON object" :
				"it printed no JSON object");
		return;
	}
	if (read_outcome(answer, &validity) != 0 || read_result(answer, validity, &result) != 0) {
		no_answer(j, "its 'outcome' or 'result' is missing, or they contradict each other");
		return;
	}
	if (o->exit_code && o->exit_code != codes[validity]) {
		no_answer(j, "it failed");
		return;
	}
	if (validity == VALIDITY_VALID)
		forget_unknown(j->v);
	if (take_checks(j, json_key(answer, "checks"), validity) != 0 ||
			take_counts(j, json_key(answer, "counts")) != 0)
		no_answer(j, "its 'checks' or 'counts' have the wrong form");
	else
		combine_results(j, validity, result);
}

/* The judged program could change a validator in the workspace. */
static bool has_changed(struct validator_call *j, const char *path)
{
	struct str text;

	return file_read(j->a, path, RUN_SCRIPT_MAX, &text, NULL, NULL) != 0 ||
			!str_eq(text, j->run->task.validator_text);
}

static void consult_validator(struct validator_call *j, struct run_request *rq)
{
	struct outcome o = {0};
	struct err e = {0};

	if (helper_run(j->a, j->run, j->policies, rq, j->text, &o, &e) != 0)
		no_answer(j, e.text);
	else
		take_answer(j, &o);
}

/* ---- choosing validators, and their input ---- */

/* Makes the report with the full streams, as far as they were kept: validators need all numbers. */
static struct str report_text(struct validator_call *j, const struct report *report)
{
	const struct normalise_options options = {.timestamps = run_iso_times(report->run->rq)};
	struct report whole = *report;
	const struct stream *from[] = {&report->outcome->out, &report->outcome->err};
	struct str *to[] = {&whole.out, &whole.err};
	struct stream_cut *cuts[] = {&whole.out_cut, &whole.err_cut};
	struct buf b;

	for (size_t i = 0; i < ARRAY_SIZE(from); i++) {
		struct str raw = from[i]->total <= VALIDATION_STREAM_MAX ? stream_tail(j->a, from[i],
				VALIDATION_STREAM_MAX) : STR("");

		if (raw.n != from[i]->total)
			continue;
		raw = normalise_text(j->a, raw, &options, &(struct sanitized){0});
		*to[i] = redact_text(j->a, j->redactor, raw, NULL);
		*cuts[i] = (struct stream_cut){0};
	}
	buf_init(&b, j->a, j->a->cap);
	report_json(&b, &whole);
	return buf_view(&b);
}

bool validation_has_custom(const struct policies *p, enum task task)
{
	for (const struct custom_validator *c = p->own.validators; c && task; c = c->next)
		if (c->task == task)
			return true;
	return false;
}

void validation_custom(struct arena *a, const struct policies *p, struct report *report)
{
	const struct run *r = report->run;
	struct validation *v = arena_new(a, struct validation);
	struct validator_call j = {.a = a, .run = r, .policies = p, .v = v};
	size_t n = 0;

	if (!report->validation || report->validation->validity == VALIDITY_INVALID ||
			report->outcome->status == STATUS_SETUP_ERROR ||
			report->outcome->status == STATUS_DENIED ||
	    report->outcome->status == STATUS_NEEDS_APPROVAL ||
	    (!r->task.validator && !validation_has_custom(p, report->validation->task)))
		return;
	*v = *report->validation;
	j.redactor = redactor_new(a, secret_values(a, variables_known(a, r->world, r->rq), r->scrubbed, &n),
			n);
	j.text = report_text(&j, report);
	for (const struct custom_validator *c = p->own.validators; c; c = c->next) {
		struct run_request rq = {.argv = words(a, c->command), .config = r->rq->config,
				.limits = {[LIMIT_TIME] = c->timeout_ms}};

		if (c->task != v->task)
			continue;
		j.name = c->name;
		show_files(a, &rq, rq.argv);
		consult_validator(&j, &rq);
	}
	if (r->task.validator) {
		struct run_request rq = {.file = r->task.validator, .config = r->rq->config,
				.limits = {[LIMIT_TIME] = TIME_MS}};

		j.name = STR("validator");
		if (has_changed(&j, rq.file))
			no_answer(&j, "the run changed it");
		else
			consult_validator(&j, &rq);
	}
	validation_need_witness(a, r, v);
	if (v->validity != VALIDITY_VALID)
		v->result = RESULT_NONE;
	report->validation = v;
}
