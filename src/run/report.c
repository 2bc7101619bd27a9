/*
 * The report of a run (docs/run.md, docs/schema/report.schema.json): how it ended, its streams, their
 * meaning, as one JSON object. Unknown values are null. Streams are validated, normalised, redacted and
 * truncated, in this order (docs/result.md).
 */
#define _GNU_SOURCE
#include "run/run.h"

#include <string.h>

#include "base/json_write.h"
#include "image/image_store.h"
#include "run/run_validation.h"

#define UNKNOWN UINT64_MAX
#define VERSION 1

/* ---- exit code ---- */

static int exit_of(const struct outcome *o)
{
	switch (o->status) {
	case STATUS_OK:
	case STATUS_RUNNING: return 0;
	case STATUS_EXIT_NONZERO: return o->exit_code;
	case STATUS_SIGNAL: return 128 + o->signal;
	case STATUS_TIMEOUT: return EXIT_TIMEOUT;
	case STATUS_OOM: return EXIT_OOM;
	case STATUS_OUTPUT_LIMIT: return EXIT_OUTPUT_LIMIT;
	case STATUS_DENIED:
	case STATUS_NEEDS_APPROVAL: return EXIT_REFUSED;
	case STATUS_SETUP_ERROR:
	case STATUS_UNKNOWN: break;
	}
	return o->interrupted ? 128 + o->interrupted : EXIT_SETUP;
}

void report_make(struct arena *a, const struct run *r, const struct outcome *o,
		const struct judgement *refusal, struct report *ret)
{
	*ret = (struct report){.run = r, .outcome = o, .code = exit_of(o)};
	ret->validation = validation_make(a, r, o);
	streams_show(a, r, o, ret);
	ret->hints = denial_hints(a, r, o);
	if (refusal)
		ret->reasons = refusal->reasons;
	if (o->status == STATUS_SETUP_ERROR)
		ret->error = audience_text(a, r->rq->audience,
				str_of(o->err_setup.text));
	else if (o->interrupted)
		ret->error = str_fmt(a, "interrupted (SIG%s)", sigabbrev_np(o->interrupted));
	else if (o->status == STATUS_UNKNOWN)
		ret->error = STR("the box was killed from outside before it told how the program ended");
}

/* ---- JSON ---- */

static void put_number(struct buf *b, const char *name, uint64_t n)
{
	json_put_key(b, name);
	if (n == UNKNOWN)
		buf_c(b, "null");
	else
		buf_fmt(b, "%llu", (unsigned long long)n);
}

/* Formats n / unit with up to three decimals. */
static void put_share(struct buf *b, const char *name, uint64_t n, uint64_t unit)
{
	uint64_t rest = n % unit * 1000 / unit;

	put_number(b, name, n / unit);
	if (!rest)
		return;
	buf_fmt(b, ".%03u", (unsigned)rest);
	while (b->p[b->n - 1] == '0')
		b->n--;
}

static void put_limit(struct buf *b, const char *name, uint64_t n, uint64_t unit, enum enforcer e)
{
	json_put_open(b, name, '{');
	if (n)
		put_share(b, "value", n, unit);
	else
		put_number(b, "value", UNKNOWN);
	json_put_name(b, "enforced_by", enforcer_name(e));
	buf_char(b, '}');
}

static void put_limits(struct buf *b, const struct spec *s, const struct enforced *by)
{
	const struct limits *l = &s->limits;

	json_put_open(b, "limits", '{');
	/* affinity masks have whole CPUs */
	put_limit(b, "cpus", by->cpu == ENFORCED_AFFINITY ? (l->cpu_milli + 999) / 1000 * 1000 : l->cpu_milli,
			1000, by->cpu);
	put_limit(b, "memory_mb", l->memory, MB, by->memory);
	put_limit(b, "timeout_sec", l->time_ms, 1000, by->time);
	put_limit(b, "pids", l->pids, 1, by->pids);
	put_limit(b, "scratch_mb", l->scratch, MB, by->scratch);
	put_limit(b, "output_mb", l->output, MB, by->output);
	put_limit(b, "cpu_time_sec", l->cpu_ms, 1000, by->cpu_time);
	put_limit(b, "io_mb_sec", l->io, MB, by->io);
	json_put_open(b, "network", '{');
	json_put_field(b, "value", str_of(network_name(&s->network)));
	json_put_name(b, "enforced_by", enforcer_name(by->network));
	buf_c(b, "}}");
}

void report_cut(struct buf *b, const char *name, const struct stream_cut *c)
{
	json_put_key(b, name);
	if (!c->is) {
		buf_c(b, "null");
		return;
	}
	buf_char(b, '{');
	put_number(b, "total_bytes", c->total_bytes);
	put_number(b, "total_lines", c->total_lines);
	put_number(b, "omitted_bytes", c->omitted_bytes);
	put_number(b, "omitted_lines", c->omitted_lines);
	put_number(b, "dropped_bytes", c->dropped_bytes);
	json_put_field_or_null(b, "path", c->path);
	buf_char(b, '}');
}

void report_sanitized(struct buf *b, const struct sanitized *s)
{
	const struct {
		const char *name;
		uint64_t n;
	} rows[] = {
		{"ansi", s->ansi}, {"osc", s->osc}, {"control", s->control}, {"cr", s->cr},
		{"backspace", s->backspace}, {"nul", s->nul}, {"bad_utf8", s->bad_utf8},
		{"bidi", s->bidi}, {"tags", s->tags}, {"invisible", s->invisible}, {"markers", s->markers},
		{"timestamps", s->timestamps},
	};

	buf_char(b, '{');
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (rows[i].n)
			put_number(b, rows[i].name, rows[i].n);
	buf_char(b, '}');
}

static void put_lists(struct buf *b, const struct report *r)
{
	json_put_texts(b, "env_scrubbed", r->run->scrubbed);
	json_put_open(b, "changes", '[');
	for (const struct change *c = r->outcome->changes; c; c = c->next) {
		buf_c(b, c == r->outcome->changes ? "{" : ",{");
		json_put_field(b, "path", c->path);
		json_put_field(b, "what", c->what);
		json_put_field_or_null(b, "moved_to", c->moved_to);
		buf_char(b, '}');
	}
	buf_char(b, ']');
	report_hints(b, r->hints);
}

void report_hints(struct buf *b, const struct hint *hints)
{
	json_put_open(b, "hints", '[');
	for (const struct hint *h = hints; h; h = h->next) {
		buf_c(b, h == hints ? "{" : ",{");
		json_put_field(b, "id", str_of(h->id));
		json_put_field(b, "message", h->text);
		buf_char(b, '}');
	}
	buf_char(b, ']');
}

static void put_ports(struct buf *b, const char *name, const uint16_t *ports, size_t n)
{
	json_put_open(b, name, '[');
	for (size_t i = 0; i < n; i++)
		buf_fmt(b, "%s%u", i ? "," : "", ports[i]);
	buf_char(b, ']');
}

static void put_background(struct buf *b, const struct run_background *k)
{
	json_put_open(b, "background", '[');
	json_put_open(b, NULL, '{');
	json_put_field(b, "id", k->id);
	json_put_bool(b, "running", k->running);
	json_put_texts(b, "processes", k->processes);
	put_ports(b, "ports", k->ports, k->nports);
	if (k->npublished)
		put_ports(b, "published", k->published, k->npublished);
	buf_c(b, "}]");
}

static void put_reasons(struct buf *b, const struct reason *reasons)
{
	json_put_open(b, "reasons", '[');
	for (const struct reason *r = reasons; r; r = r->next) {
		buf_c(b, r == reasons ? "{" : ",{");
		json_put_field(b, "id", str_of(check_name(r->id)));
		json_put_field(b, "message", r->message);
		if (r->alternative.n)
			json_put_field(b, "alternative", r->alternative);
		buf_char(b, '}');
	}
	buf_char(b, ']');
}

/* Without an overlay some of the person's caches are private, some are read-only (docs/run.md). */
static void put_caches(struct buf *b, const struct report *r)
{
	struct str why = str_of(r->outcome->no_overlay.text);

	json_put_open(b, "caches", '{');
	put_number(b, "shown", r->run->ncaches);
	json_put_bool(b, "overlay", !why.n);
	json_put_field_or_null(b, "reason", why);
	buf_char(b, '}');
}

static void put_image(struct buf *b, const struct run *r)
{
	json_put_open(b, "image", '{');
	json_put_field(b, "name", r->image_name);
	json_put_field(b, "digest", str_fmt(b->a, IMAGE_PREFIX "%.*s", STR_ARG(r->spec.image)));
	buf_char(b, '}');
}

static void put_measures(struct buf *b, const struct outcome *o, bool ran)
{
	put_number(b, "duration_ms", ran ? o->duration_ms : UNKNOWN);
	put_number(b, "cpu_ms", ran ? o->cpu_ms : UNKNOWN);
	if (o->peak_memory)
		put_share(b, "peak_memory_mb", o->peak_memory, MB);
	else
		put_number(b, "peak_memory_mb", UNKNOWN);
	json_put_name(b, "peak_memory_by",
			!o->peak_memory ? NULL : o->peak_by_cgroup ? "cgroup" : "rusage");
}

bool report_error(const struct report *r)
{
	const struct validation *v = r->validation;
	const struct run_task *task = &r->run->task;

	if (r->outcome->status == STATUS_RUNNING) /* nobody knows yet */
		return false;
	if (r->outcome->status != STATUS_OK || (v && v->validity == VALIDITY_INVALID))
		return true;
	/* a task was named, and nothing in the output is its result */
	return v && v->validity == VALIDITY_INDETERMINATE && task->kind &&
			task->need != RESULT_NEEDS_NOTHING && (!v->format || task->kind == TASK_TEST);
}

void report_json(struct buf *b, const struct report *r)
{
	const struct outcome *o = r->outcome;
	bool refused = o->status == STATUS_DENIED || o->status == STATUS_NEEDS_APPROVAL, ran = !refused &&
			o->status != STATUS_SETUP_ERROR;

	buf_char(b, '{');
	put_number(b, "v", VERSION);
	json_put_field(b, "id", r->run->id);
	json_put_field(b, "status", str_of(status_name(o->status)));
	put_number(b, "exit_code", (uint64_t)r->code);
	put_number(b, "signal", o->signal ? (uint64_t)o->signal : UNKNOWN);
	json_put_field(b, "stdout", r->out);
	json_put_field(b, "stderr", r->err);
	put_measures(b, o, ran);
	put_limits(b, &r->run->spec, &o->enforced);
	report_network(b, &r->run->spec.network, o);
	json_put_open(b, "truncated", '{');
	report_cut(b, "stdout", &r->out_cut);
	report_cut(b, "stderr", &r->err_cut);
	buf_char(b, '}');
	json_put_key(b, "sanitized");
	report_sanitized(b, &r->sanitized);
	put_number(b, "redacted", r->redacted);
	json_put_key(b, "validation");
	validation_json(b, r->validation);
	if (r->run->rq->approved.n)
		json_put_words(b, "approved", r->run->rq->approved);
	if (r->run->ncaches && ran)
		put_caches(b, r);
	if (r->run->spec.image.n)
		put_image(b, r->run);
	put_lists(b, r);
	if (r->background)
		put_background(b, r->background);
	if (refused)
		put_reasons(b, r->reasons);
	json_put_field_or_null(b, "error", r->error);
	json_put_bool(b, "is_error", report_error(r));
	json_put_name(b, "backend", o->backend);
	buf_c(b, "}\n");
}
