/*
 * After a tool: what it printed, cleaned. Of a shell, and of tools of other servers, all strings of the output are normalised and redacted;
 * of tools that read files only secrets are taken out, and only where the policy wants that, because what is edited next must be found as it
 * was read. An answer replaces something only when something changed. What a run in the box said about itself, and numbers that
 * do not add up, are added as text.
 */
#define _GNU_SOURCE
#include "base/num.h"
#include "client/hook.h"
#include "engine/kept.h"
#include "engine/run.h"
#include "engine/validation.h"
#include "engine/world.h"
#include "result/normalise.h"
#include "result/redact.h"
#include "result/validate.h"

#define NOTES_MAX 3
#define NAME_SHOWN 300 /* bytes of a file name */
#define PICTURE_MIN 64 /* a shorter text is no picture */

struct cleaning {
	struct call *c;
	bool normalise, redact;
	struct redactor *redactor;
	struct sanitized sanitized;
	uint64_t redacted;
	bool changed;
};

static bool listed(const struct texts *list, struct str name)
{
	for (; list; list = list->next)
		if (str_eq(list->text, name))
			return true;
	return false;
}

static void start_cleaning(struct call *c, struct cleaning *k)
{
	const struct secrets *s = &c->policies.own.secrets;
	bool files = c->h.kind == TOOL_READ || c->h.kind == TOOL_SEARCH || c->h.kind == TOOL_LIST || c->h.kind == TOOL_WRITE || c->h.kind == TOOL_PATCH;
	struct str *values;
	size_t n = 0;

	*k = (struct cleaning){.c = c, .normalise = !files};
	k->redact = s->enabled ? s->scan_outputs && (!s->output_tools || listed(s->output_tools, c->h.tool)) : !files;
	values = variables_secret(c->a, c->o->environ, NULL, &n);
	k->redactor = redactor_new(c->a, values, n);
}

static struct str clean(struct cleaning *k, struct str raw)
{
	static const struct normalise_options options = {.timestamps = true};
	struct sanitized counts = {0};
	struct str text = raw;
	uint64_t n = 0;

	if (k->normalise) {
		text = normalise(k->c->a, text, &options, &counts);
		sanitized_add(&k->sanitized, &counts);
	}
	if (k->redact)
		text = redact(k->c->a, k->redactor, text, &n);
	k->redacted += n;
	if (str_eq(text, raw))
		return raw;
	k->changed = true;
	return text;
}

/* Pictures and sounds in base64 are no text; `in` is the object that the string is a member of. What only claims to be one is looked at. */
static bool is_picture(const struct value *in, const struct value *v)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_";
	const struct value *kind = value_key(in, "mimeType"), *type = value_key(in, "type");

	if (!str_is(v->key, "data") || v->text.n < PICTURE_MIN)
		return false;
	if (!(value_is(kind, VALUE_STRING) && !str_starts(kind->text, "text/")) && !(value_is(type, VALUE_STRING) && (str_is(type->text, "image") || str_is(type->text, "audio") || str_is(type->text, "base64"))))
		return false;
	for (size_t i = 0; i < v->text.n; i++)
		if (!memchr(letters, v->text.p[i], sizeof(letters) - 1))
			return false;
	return true;
}

/* The same value with clean strings. Depth is the reader's bound. */
static const struct value *clean_value(struct cleaning *k, const struct value *in, const struct value *v)
{
	struct value *copy = arena_new(k->c->a, struct value), **end = &copy->first;

	*copy = *v;
	copy->next = NULL;
	copy->index = NULL;
	copy->slots = 0;
	if (v->kind == VALUE_STRING && !is_picture(in, v))
		copy->text = clean(k, v->text);
	for (const struct value *x = v->first; x; x = x->next) {
		*end = (struct value *)clean_value(k, v, x);
		end = &(*end)->next;
	}
	*end = NULL;
	return copy;
}

/* ---- the output as one text ---- */

static struct str string_at(const struct value *o, const char *key)
{
	const struct value *v = value_key(o, key);

	return value_is(v, VALUE_STRING) ? v->text : STR("");
}

static struct str parts(struct arena *a, const struct value *list)
{
	struct buf b;

	buf_init(&b, a, HOOK_INPUT_MAX * 2);
	for (const struct value *x = value_is(list, VALUE_ARRAY) ? list->first : NULL; x; x = x->next)
		buf_str(&b, x->kind == VALUE_STRING ? x->text : string_at(x, "text"));
	return buf_view(&b);
}

static struct str as_text(struct arena *a, const struct value *v)
{
	static const char keys[][20] = {"llmContent", "textResultForLlm", "text_result_for_llm", "output"};
	struct buf b;

	if (!v || v->kind == VALUE_STRING)
		return v ? v->text : STR("");
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (value_is(value_key(v, keys[i]), VALUE_STRING))
			return string_at(v, keys[i]);
	if (value_is(value_key(v, "llmContent"), VALUE_ARRAY)) /* Gemini's tools of MCP servers */
		return parts(a, value_key(v, "llmContent"));
	if (value_is(value_key(v, "stdout"), VALUE_STRING))
		return str_cat(a, string_at(v, "stdout"), string_at(v, "stderr"));
	if (value_is(value_key(v, "content"), VALUE_ARRAY))
		return parts(a, value_key(v, "content"));
	buf_init(&b, a, HOOK_INPUT_MAX * 2);
	render_value(&b, v, NULL);
	return buf_view(&b);
}

/* ---- what it means ---- */

/* "Exit code 3" before the output of a failure; where only success has an event of this kind it is 0; else not known. */
static int exit_code_of(const struct call *c, struct str text)
{
	int64_t n;
	size_t at = 10;

	if (c->h.phase == PHASE_POST && (c->h.client->can & CLIENT_SETTINGS) && value_is(value_key(c->h.result, "stdout"), VALUE_STRING) && !value_key(c->h.result, "backgroundTaskId"))
		return 0;
	if (!str_starts(text, "Exit code "))
		return -1;
	while (at < text.n && text.p[at] >= '0' && text.p[at] <= '9')
		at++;
	return num_parse(str_sub(text, 10, at), 0, 255, &n) == 0 ? (int)n : -1;
}

static enum status status_of(int code) { return code < 0 ? STATUS_UNKNOWN : code == 0 ? STATUS_OK : code == 124 ? STATUS_TIMEOUT : code == 137 ? STATUS_OOM : STATUS_EXIT_NONZERO; }

static void add_line(struct buf *b, const char *fmt, struct str text)
{
	if (b->n)
		buf_char(b, '\n');
	buf_c(b, fmt);
	buf_str(b, text);
}

/* Numbers that do not add up; what is fine needs no word. */
static void validate_output(struct cleaning *k, struct str raw, struct buf *said)
{
	struct arena *a = k->c->a;
	int code = exit_code_of(k->c, raw);
	struct validate_input in = {.out = raw, .err = STR(""), .status = status_of(code), .exit_code = code};
	struct validation v = {0};
	unsigned n = 0;

	if (k->c->h.kind != TOOL_SHELL || !raw.n)
		return;
	validate(a, &in, &v);
	if (!v.format || v.validity != VALIDITY_INVALID)
		return;
	for (const struct check_note *x = v.checks; x && n < NOTES_MAX; x = x->next)
		if (!x->warning && ++n)
			add_line(said, "caisson: do not use this result: ", clean(k, x->message));
}

/* A file's name is the command's to choose: it must not speak to the model in lines of its own. */
static struct str one_line(struct arena *a, struct str s)
{
	struct buf b;

	buf_init(&b, a, HOOK_INPUT_MAX);
	for (size_t i = 0; i < s.n && i < NAME_SHOWN; i++)
		buf_char(&b, (unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7F ? '?' : s.p[i]);
	return buf_view(&b);
}

/* What the report of a run in the box says beyond its output. */
static bool tell_report(struct cleaning *k, struct buf *said)
{
	struct call *c = k->c;
	struct value_reader r;
	const struct value *report, *message;
	const struct view *v = c->view;
	struct str text;

	if (c->h.kind != TOOL_SHELL || !c->h.tool_use_id.n)
		return false;
	if (kept_take(c->a, v->state_dir, c->h.session, c->h.tool_use_id, v->uid, &text, NULL) != 0)
		return false;
	value_reader_init(&r, c->a, text);
	report = value_next(&r);
	message = value_key(value_key(report, "validation"), "message");
	if (value_is(message, VALUE_STRING))
		add_line(said, "caisson: ", message->text);
	for (const struct value *h = value_is(value_key(report, "hints"), VALUE_ARRAY) ? value_key(report, "hints")->first : NULL; h; h = h->next)
		add_line(said, "caisson: this ran in a box: ", string_at(h, "message"));
	for (const struct value *x = value_is(value_key(report, "changes"), VALUE_ARRAY) ? value_key(report, "changes")->first : NULL; x; x = x->next)
		add_line(said, "caisson: put right in the project: ", str_fmt(c->a, "%.*s: %.*s", STR_ARG(one_line(c->a, string_at(x, "path"))), STR_ARG(string_at(x, "what"))));
	return true;
}

/* ---- the seed's own contract ---- */

static void put_or_null(struct buf *b, const char *name, const struct value *v)
{
	answer_key(b, name);
	if (v && v->kind == VALUE_NUMBER)
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

static void put_stream(struct cleaning *k, struct buf *b, const char *name, struct str raw, bool failed)
{
	struct truncate_options o = {.failed = failed};
	struct truncated t;

	answer_key(b, name);
	answer_string(b, truncate_text(k->c->a, clean(k, raw), &o, &t));
}

/* The result in the one shape: {status, exit_code, stdout, stderr, duration_ms, peak_memory_mb}, and what it means. */
static void put_result(struct cleaning *k, struct buf *b)
{
	const struct value *all = k->c->h.all, *r = k->c->h.result, *n;
	int64_t code = value_int(value_key(r, "exit_code"), -1);
	struct str out = value_is(r, VALUE_STRING) ? r->text : string_at(r, "stdout"), err = string_at(r, "stderr"), status = string_at(r, "status");
	struct validate_input in = {.out = out, .err = err, .status = status_of(code >= 0 && code < 256 ? (int)code : -1), .exit_code = code >= 0 && code < 256 ? (int)code : -1};
	struct validation v = {0};

	if (!known_status(status))
		status = str_of(status_name(in.status));
	if (out.n || err.n)
		validate(k->c->a, &in, &v);
	buf_char(b, '{');
	answer_key(b, "status");
	answer_string(b, status);
	put_or_null(b, "exit_code", value_key(r, "exit_code"));
	put_stream(k, b, "stdout", out, !str_is(status, "ok"));
	put_stream(k, b, "stderr", err, !str_is(status, "ok"));
	n = value_key(r, "duration_ms");
	put_or_null(b, "duration_ms", n ? n : value_key(all, "latency_ms"));
	n = value_key(r, "peak_memory_mb");
	put_or_null(b, "peak_memory_mb", n ? n : value_key(all, "peak_memory_mb"));
	answer_key(b, "sanitized");
	report_sanitized(b, &k->sanitized);
	answer_key(b, "redacted");
	buf_fmt(b, "%llu", (unsigned long long)k->redacted);
	for (struct check_note *x = v.checks; x; x = x->next)
		x->message = clean(k, x->message);
	answer_key(b, "validation");
	validation_json(b, v.format ? &v : NULL);
	answer_key(b, "is_error");
	buf_c(b, (!str_is(status, "ok") && !str_is(status, "unknown")) || v.validity == VALIDITY_INVALID ? "true}" : "false}");
}

static struct str generic_object(struct cleaning *k)
{
	const struct hook *h = &k->c->h;
	struct buf b;

	buf_init(&b, k->c->a, 0);
	if (h->kind != TOOL_SHELL || !h->result) { /* other tools' results are as they are */
		render_value(&b, h->all, NULL);
		return buf_view(&b);
	}
	buf_char(&b, '{');
	for (const struct value *x = h->all->first; x; x = x->next) {
		if (x != h->all->first)
			buf_char(&b, ',');
		answer_string(&b, x->key);
		buf_char(&b, ':');
		if (x == h->result)
			put_result(k, &b);
		else
			render_value(&b, x, NULL);
	}
	buf_char(&b, '}');
	return buf_view(&b);
}

/* A shell's output that is a picture as a whole; a server's word for that is not taken. */
static bool shows_picture(const struct hook *h)
{
	return h->kind == TOOL_SHELL && value_is(value_key(h->result, "isImage"), VALUE_TRUE) && str_starts(string_at(h->result, "stdout"), "data:image/");
}

void hook_post(struct call *c)
{
	const struct policies_request rq = {.config = c->o->config, .cwd = c->h.cwd, .base = c->h.base, .pin = hook_pin(c), .known = c->view};
	struct cleaning k;
	struct output_answer o = {.text = STR(""), .context = STR(""), .object = STR("")};
	struct buf said;

	if (policies_load(c->a, &rq, &c->policies, NULL) != 0)
		policies_default(&c->policies); /* which cleans everything */
	start_cleaning(c, &k);
	buf_init(&said, c->a, 0);
	if (!strcmp(c->h.client->name, "generic")) {
		o.object = generic_object(&k);
	} else if (c->h.result && !shows_picture(&c->h)) {
		const struct value *clean = clean_value(&k, NULL, c->h.result);

		if (k.changed)
			o.result = clean;
		o.text = as_text(c->a, clean);
		if (!tell_report(&k, &said))
			validate_output(&k, as_text(c->a, c->h.result), &said);
		if (k.redacted && (c->h.phase == PHASE_FAILURE || !(c->h.client->can & CLIENT_REPLACES)))
			add_line(&said, "caisson: ", STR("there is what looks like a secret in this output; do not repeat it"));
		o.context = buf_view(&said);
	}
	c->h.client->after(c->r, &c->h, &o);
}
