/*
 * After a tool: cleans its output (tool_output_cleaner.h). The answer replaces the output only if something
 * changed, and if the model does not lose something more important. Notes from a boxed run's report, and
 * numbers that do not add up, are added as text.
 */
#define _GNU_SOURCE
#include "base/num.h"
#include "client/tool_output_cleaner.h"
#include "client/transcript.h"
#include "record/handoff.h"
#include "result/validate.h"
#include "run/run_validation.h"
#include "sys/peer.h"

#define NOTES_MAX 3
#define NAME_SHOWN 300 /* bytes of a file name */

static struct str join_parts(struct arena *a, const struct json *list)
{
	struct buf b;

	buf_init(&b, a, HOOK_INPUT_MAX * 2);
	for (const struct json *x = json_is(list, JSON_ARRAY) ? list->first : NULL; x; x = x->next)
		buf_str(&b, x->kind == JSON_STRING ? x->text : json_text_at(x, "text"));
	return buf_view(&b);
}

static struct str as_text(struct arena *a, const struct json *v)
{
	static const char keys[][20] = {"llmContent", "textResultForLlm", "text_result_for_llm", "output"};
	struct buf b;

	if (!v || v->kind == JSON_STRING)
		return v ? v->text : STR("");
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (json_is(json_key(v, keys[i]), JSON_STRING))
			return json_text_at(v, keys[i]);
	if (json_is(json_key(v, "llmContent"), JSON_ARRAY)) /* Gemini's MCP tools */
		return join_parts(a, json_key(v, "llmContent"));
	if (json_is(json_key(v, "stdout"), JSON_STRING))
		return str_cat(a, json_text_at(v, "stdout"), json_text_at(v, "stderr"));
	if (json_is(json_key(v, "content"), JSON_ARRAY))
		return join_parts(a, json_key(v, "content"));
	buf_init(&b, a, HOOK_INPUT_MAX * 2);
	render_value(&b, v, NULL);
	return buf_view(&b);
}

/* ---- notes for the model ---- */

/*
 * Parses "Exit code 3" in front of a failure's output. Returns 0 if the client sends this event only on
 * success, and -1 if unknown.
 */
static int exit_code_of(const struct hook_call *c, struct str text)
{
	int64_t n;
	size_t at = 10;

	if (c->h.phase == PHASE_POST && (c->h.client->can & CLIENT_SETTINGS) &&
			json_is(json_key(c->h.result, "stdout"), JSON_STRING) &&
			!json_key(c->h.result, "backgroundTaskId"))
		return 0;
	if (!str_starts(text, "Exit code "))
		return -1;
	while (at < text.n && ascii_is_digit(text.p[at]))
		at++;
	return num_parse(str_sub(text, 10, at), 0, 255, &n) == 0 ? (int)n : -1;
}

static void add_line(struct buf *b, const char *fmt, struct str text)
{
	if (b->n)
		buf_char(b, '\n');
	buf_c(b, fmt);
	buf_str(b, text);
}

/* Adds a note about numbers that do not add up, and nothing if they do. */
static void validate_output(struct tool_output_cleaner *k, struct str raw, struct buf *said)
{
	struct arena *a = k->c->a;
	int code = exit_code_of(k->c, raw);
	struct validate_input in = {.out = raw, .err = STR(""), .status = hook_status(code),
			.exit_code = code, .command = k->c->h.command};
	struct validation v = {0};
	unsigned n = 0;

	if (k->c->h.kind != TOOL_SHELL || !raw.n || validate_only_prints(in.command))
		return;
	validate_text(a, &in, &v);
	if (!v.format || v.validity != VALIDITY_INVALID)
		return;
	for (const struct check_note *x = v.checks; x && n < NOTES_MAX; x = x->next)
		if (!x->warning && ++n)
			add_line(said, "caisson: do not use this result: ",
					tool_output_cleaner_text(k, x->message));
}

/* The command chose the file name: keep it on one line, so that it cannot fake lines for the model. */
static struct str one_line(struct arena *a, struct str s)
{
	struct buf b;

	buf_init(&b, a, HOOK_INPUT_MAX);
	for (size_t i = 0; i < s.n && i < NAME_SHOWN; i++)
		buf_char(&b, (unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7F ? '?' : s.p[i]);
	return buf_view(&b);
}

static void tell_messages(struct buf *said, const char *before, const struct json *list)
{
	for (const struct json *x = json_is(list, JSON_ARRAY) ? list->first : NULL; x; x = x->next)
		add_line(said, before, json_text_at(x, "message"));
}

/* True if the report is of a run that goes on: its launcher lives. */
static bool goes_on(const struct json *report)
{
	const struct json *launcher = json_key(report, HANDOFF_LAUNCHER);

	return launcher && peer_lives((pid_t)json_int_at(launcher, "pid"),
			(uint64_t)json_int_at(launcher, "start"));
}

/*
 * A client that ends a command at its own time-out may call no hook about it. Then the next call of the
 * session tells why the command took so long. `told` is the run that this call has told about.
 */
static void tell_ended(struct hook_call *c, struct str told, struct buf *said)
{
	const struct view *v = c->view;
	const struct json *report;
	struct json_reader r;
	struct str text;

	if (handoff_look(c->a, v->state_dir, c->h.session, STR(HANDOFF_ENDED), v->uid, &text, NULL) != 0)
		return;
	json_reader_init(&r, c->a, text, JSON_TOLERANT);
	report = json_next(&r);
	if (goes_on(report))
		return;
	handoff_drop(c->a, v->state_dir, c->h.session, STR(HANDOFF_ENDED));
	if (!told.n || !str_eq(told, json_text_at(report, "id")))
		tell_messages(said, "caisson: the command that was interrupted ran in a box: ",
				json_key(report, "hints"));
}

/* The words before a hint. */
static const char *hint_start(const struct json *report)
{
	if (!json_key(report, HANDOFF_LAUNCHER))
		return "caisson: this ran in a box: ";
	return goes_on(report) ? "caisson: this goes on in a box: " :
			"caisson: this ran in a box until it was killed: ";
}

/* Adds notes from a boxed run's report that its output does not contain. *ret_code is its exit code. */
static bool tell_report(struct tool_output_cleaner *k, struct buf *said, int *ret_code)
{
	struct hook_call *c = k->c;
	struct json_reader r;
	const struct json *report, *validation, *message;
	const struct view *v = c->view;
	struct str text;

	if (c->h.kind != TOOL_SHELL || !c->h.tool_use_id.n)
		return false;
	if (handoff_take(c->a, v->state_dir, c->h.session, c->h.tool_use_id, v->uid, &text, NULL) != 0) {
		tell_ended(c, STR(""), said);
		return false;
	}
	json_reader_init(&r, c->a, text, JSON_TOLERANT);
	report = json_next(&r);
	*ret_code = (int)json_int(json_key(report, "exit_code"), -1);
	validation = json_key(report, "validation");
	message = json_key(validation, "message");
	if (json_is(message, JSON_STRING))
		add_line(said, "caisson: ", message->text);
	tell_messages(said, "caisson: this result may prove less than it seems: ",
			json_key(validation, "suspicions"));
	tell_messages(said, hint_start(report), json_key(report, "hints"));
	tell_ended(c, json_text_at(report, "id"), said);
	for (const struct json *x = json_is(json_key(report, "changes"), JSON_ARRAY) ? json_key(report,
			"changes")->first : NULL; x; x = x->next)
		add_line(said, "caisson: repaired in the project: ",
				str_fmt(c->a, "%.*s: %.*s", STR_ARG(one_line(c->a, json_text_at(x, "path"))),
				STR_ARG(json_text_at(x, "what"))));
	return true;
}

/* True if a shell's output is an image as a whole. A server's claim of an image is not trusted. */
static bool shows_picture(const struct hook_input *h)
{
	return h->kind == TOOL_SHELL && json_true_at(h->result, "isImage") &&
			str_starts(json_text_at(h->result, "stdout"), "data:image/");
}

/* Returns the exit code of a shell command whose result we are about to replace; -1: unknown. */
static int exit_code_lost(struct hook_call *c, int reported)
{
	const struct json *transcript = json_key(c->h.all, "transcript_path");

	if (reported >= 0 || !(c->h.client->can & CLIENT_LOSES_CODE))
		return reported;
	if (c->h.kind != TOOL_SHELL || !json_is(transcript, JSON_STRING))
		return -1;
	return transcript_exit_code(c->a, transcript->text, c->h.tool_use_id, c->view->uid);
}

/*
 * Secrets are always removed. Merely untidy output (colours, control characters) stays if the client would
 * show the replacement as a failure, or if the exit code would be lost.
 */
static bool worth_replacing(struct hook_call *c, const struct tool_output_cleaner *k, int code)
{
	if (!k->changed || k->redacted)
		return k->changed;
	if (c->h.client->can & CLIENT_SHOWS_ERROR)
		return false;
	return code >= 0 || c->h.kind != TOOL_SHELL || !(c->h.client->can & CLIENT_LOSES_CODE);
}

static void clean_output(struct hook_call *c, struct output_answer *o)
{
	const struct json *clean;
	struct tool_output_cleaner k;
	struct buf said;

	buf_init(&said, c->a, 0);
	tool_output_cleaner_start(c, &k);
	clean = tool_output_cleaner_value(&k, c->h.result);
	o->code = -1;
	if (!tell_report(&k, &said, &o->code))
		validate_output(&k, as_text(c->a, c->h.result), &said);
	if (k.changed)
		o->code = exit_code_lost(c, o->code);
	if (worth_replacing(c, &k, o->code))
		o->result = clean;
	o->text = as_text(c->a, clean);
	if (k.redacted && (c->h.phase == PHASE_FAILURE || !(c->h.client->can & CLIENT_REPLACES)))
		add_line(&said, "caisson: ",
				STR("this output contains what looks like a secret; do not repeat it"));
	o->context = buf_view(&said);
}

void hook_post(struct hook_call *c)
{
	const struct policies_request rq = {.config = c->o->config, .context = &c->context};
	struct output_answer o = {.text = STR(""), .context = STR(""), .object = STR(""), .code = -1};

	if (policies_load(c->a, &rq, &c->policies, NULL) != 0)
		policies_default(&c->policies); /* the defaults clean everything */
	if (c->h.client->can & CLIENT_NORMALISES)
		o.object = generic_result(c);
	else if (c->h.result && !shows_picture(&c->h))
		clean_output(c, &o);
	c->h.client->after(c->r, &c->h, &o);
}
