/*
 * The part after a tool of the two-call contract for custom agent loops (docs/hooks.md). The answer repeats
 * the input; a shell result always gets the same shape. Unlike in answers to agent clients, Unix times become
 * ISO 8601, because this caller asks for a normalised result. A stream that is too long is stored whole, and
 * the result names the file.
 */
#define _GNU_SOURCE
#include <time.h>

#include "base/json_write.h"
#include "client/tool_output_cleaner.h"
#include "result/truncate.h"
#include "result/validate.h"
#include "run/run.h"
#include "run/run_validation.h"
#include "sys/file.h"
#include "sys/ids.h"
#include "sys/outputs.h"
#include "sys/state.h"

#define DAY 86400

enum status hook_status(int code)
{
	switch (code) {
	case 0: return STATUS_OK;
	case EXIT_TIMEOUT: return STATUS_TIMEOUT;
	case EXIT_OOM: return STATUS_OOM;
	default: return code < 0 ? STATUS_UNKNOWN : STATUS_EXIT_NONZERO;
	}
}

static void put_or_null(struct buf *b, const char *name, const struct json *v)
{
	json_put_key(b, name);
	if (v && v->kind == JSON_NUMBER)
		buf_str(b, v->text);
	else
		buf_c(b, "null");
}

static bool known_status(struct str s)
{
	for (int i = STATUS_SETUP_ERROR; i <= STATUS_UNKNOWN; i++)
		if (str_is(s, status_name((enum status)i)))
			return true;
	return false;
}

/* ---- storing long streams ---- */

/* Prunes old files by the same rules as those of runs. */
static void prune_outputs(const struct hook_call *c, struct str state, const struct output_file *f)
{
	const struct audit_policy *p = &c->policies.own.audit;
	int64_t now = time(NULL), days = p->retention_days ? p->retention_days : AUDIT_RETENTION_DAYS;
	struct outputs_pruned done;

	if (outputs_due(f, now))
		outputs_prune(c->a, state, now - days * DAY, p->quota, false, &done, NULL);
}

/*
 * Stores a stream and returns the path of its file. Empty on failure: the result must arrive even without the
 * rest of the stream.
 */
static struct str keep_stream(const struct hook_call *c, const char *id, const char *stream, struct str text)
{
	const struct view *v = c->view;
	struct str state, name = str_fmt(c->a, "%s-%s.txt", id, stream);
	struct output_file f;

	if (!v || !v->state_dir.n || !id[0])
		return STR("");
	if (state_make(c->a, v->state_dir, v->project, v->uid, &state, NULL) != 0)
		return STR("");
	if (output_open(&f, str_c(c->a, state), NULL) != 0)
		return STR("");
	if (fd_write_all(f.fd, "output", text, NULL) != 0) {
		output_drop(&f);
		return STR("");
	}
	prune_outputs(c, state, &f);
	if (output_finish(&f, str_c(c->a, name), NULL) != 0)
		return STR("");
	return str_fmt(c->a, "%.*s/" OUTPUTS_FOLDER "/%.*s", STR_ARG(state), STR_ARG(name));
}

struct shown { /* one stream in the result */
	const char *name;
	struct str raw;
	struct stream_cut cut;
};

static void put_stream(struct tool_output_cleaner *k, struct buf *b, const char *id, struct shown *s,
		bool failed)
{
	struct truncate_options o = {.failed = failed};
	struct truncated t;
	struct str text = tool_output_cleaner_text(k, s->raw);

	json_put_key(b, s->name);
	json_put_string(b, truncate_text(k->c->a, text, &o, &t));
	if (t.is)
		s->cut = (struct stream_cut){.is = true,
			.total_bytes = t.total_bytes,
			.total_lines = t.total_lines,
			.omitted_bytes = t.omitted_bytes,
			.omitted_lines = t.omitted_lines,
			.path = keep_stream(k->c, id, s->name, text)};
}

static void put_streams(struct tool_output_cleaner *k, struct buf *b, struct shown *out, struct shown *err,
		bool failed)
{
	char id[ID_LETTERS + 1] = "";

	if (id_new(id, NULL) != 0)
		id[0] = '\0';
	put_stream(k, b, id, out, failed);
	put_stream(k, b, id, err, failed);
	json_put_open(b, "truncated", '{');
	report_cut(b, "stdout", &out->cut);
	report_cut(b, "stderr", &err->cut);
	buf_char(b, '}');
}

/* ---- the result ---- */

/*
 * Appends the result in its fixed shape: {status, exit_code, stdout, stderr, duration_ms, peak_memory_mb},
 * and the validation.
 */
static void put_result(struct tool_output_cleaner *k, struct buf *b)
{
	const struct json *all = k->c->h.all, *r = k->c->h.result, *n;
	int64_t number = json_int(json_key(r, "exit_code"), -1);
	int code = number >= 0 && number < 256 ? (int)number : -1;
	struct shown out = {.name = "stdout", .raw = json_is(r, JSON_STRING) ? r->text : json_text_at(r,
			"stdout")};
	struct shown err = {.name = "stderr", .raw = json_text_at(r, "stderr")};
	struct validate_input in = {.out = out.raw, .err = err.raw, .status = hook_status(code),
			.exit_code = code};
	struct str status = json_text_at(r, "status");
	struct validation v = {0};
	bool failed;

	if (!known_status(status))
		status = str_of(status_name(in.status));
	if (out.raw.n || err.raw.n)
		validate_text(k->c->a, &in, &v);
	failed = !str_is_any(status, "ok unknown");
	buf_char(b, '{');
	json_put_key(b, "status");
	json_put_string(b, status);
	put_or_null(b, "exit_code", json_key(r, "exit_code"));
	put_streams(k, b, &out, &err, !str_is(status, "ok"));
	n = json_key(r, "duration_ms");
	put_or_null(b, "duration_ms", n ? n : json_key(all, "latency_ms"));
	n = json_key(r, "peak_memory_mb");
	put_or_null(b, "peak_memory_mb", n ? n : json_key(all, "peak_memory_mb"));
	json_put_key(b, "sanitized");
	report_sanitized(b, &k->sanitized);
	json_put_key(b, "redacted");
	buf_fmt(b, "%llu", (unsigned long long)k->redacted);
	for (struct check_note *x = v.checks; x; x = x->next)
		x->message = tool_output_cleaner_text(k, x->message);
	json_put_key(b, "validation");
	validation_json(b, v.format ? &v : NULL);
	json_put_key(b, "is_error");
	buf_c(b, failed || v.validity == VALIDITY_INVALID ? "true}" : "false}");
}

struct str generic_result(struct hook_call *c)
{
	const struct hook_input *h = &c->h;
	struct tool_output_cleaner k;
	struct buf b;

	tool_output_cleaner_start(c, &k);
	k.options.timestamps = true; /* the contract asks for it */
	buf_init(&b, c->a, 0);
	if (h->kind != TOOL_SHELL || !h->result) { /* results of other tools stay unchanged */
		render_value(&b, h->all, NULL);
		return buf_view(&b);
	}
	buf_char(&b, '{');
	for (const struct json *x = h->all->first; x; x = x->next) {
		if (x != h->all->first)
			buf_char(&b, ',');
		json_put_string(&b, x->key);
		buf_char(&b, ':');
		if (x == h->result)
			put_result(&k, &b);
		else
			render_value(&b, x, NULL);
	}
	buf_char(&b, '}');
	return buf_view(&b);
}
