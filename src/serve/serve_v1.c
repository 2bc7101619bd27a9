/* Caisson's own API: run, check, results, the record. The arguments are those of the MCP tools. */
#include "audit/index.h"
#include "base/json_write.h"
#include "base/num.h"
#include "cli/record_home.h"
#include "cli/rows.h"
#include "run/job.h"
#include "serve/serve_code.h"
#include "sys/clock.h"

#define ROWS_DEFAULT 100
#define ROWS_MOST 1000
#define METRICS_BYTES ((size_t)16 << 20)

static int fail_input(struct serve_work *w, const struct err *e)
{
	serve_fail(w, 400, "invalid", audience_text(w->a, AUDIENCE_MCP, str_of(e->text)));
	return -1;
}

/* ---- run and check ---- */

/* The arguments of the tool need a command: a program with its arguments stands in for it. */
static const struct json *with_command(struct serve_work *w, const struct json *body)
{
	struct json *o = arena_dup(w->a, body, sizeof(*body)), *command = arena_new(w->a, struct json);

	*command = (struct json){
			.kind = JSON_STRING, .key = STR("command"), .text = STR(":"), .next = body->first};
	o->first = command;
	return o;
}

static int take_run(struct serve_work *w, const struct json *body, struct err *e)
{
	const struct json *argv = json_key(body, "argv");
	struct job *j = w->run;
	struct run_file *files;

	if (argv && (json_key(body, "command") || json_key(body, "code") || json_key(body, "args")))
		return err_set(e, ERR_INPUT, 0, "'argv' stands alone: without 'command', 'code' and 'args'");
	if (mcp_request(w->a, &w->o->mcp, str_of(w->job.token), "run", argv ? with_command(w, body) : body,
			    "files args argv outputs", j, e) != 0)
		return -1;
	if (serve_take_files(w, json_key(body, "files"), NULL, &files, e) != 0)
		return -1;
	j->request.files = files;
	if (serve_take_outputs(w, json_key(body, "outputs"), e) != 0)
		return -1;
	if (!argv)
		return serve_take_args(w, json_key(body, "args"), &j->request, e);
	j->request.code = NULL;
	j->request.language = LANGUAGE_UNKNOWN;
	return serve_take_args(w, argv, &j->request, e);
}

void serve_v1_run(struct serve_work *w)
{
	const struct json *body = serve_body_object(w);
	struct err e = {0};
	struct buf b;

	if (!body)
		return;
	if (take_run(w, body, &e) != 0) {
		fail_input(w, &e);
		return;
	}
	if (serve_go(w, "run") != 0)
		return;
	buf_init(&b, w->a, SERVE_ANSWER_MAX);
	report_json(&b, &w->run->report);
	serve_put_outputs(w, &b);
	serve_answer(w, 200, SERVE_JSON, buf_view(&b));
}

void serve_v1_check(struct serve_work *w)
{
	const struct json *body = serve_body_object(w);
	struct job *j = arena_new(w->a, struct job);
	struct facts facts;
	struct err e = {0};
	struct buf b;

	if (!body)
		return;
	if (mcp_request(w->a, &w->o->mcp, str_of(w->job.token), "check", body, NULL, j, &e) != 0 ||
			job_judge(w->a, j, &facts, &e) != 0) {
		fail_input(w, &e);
		return;
	}
	buf_init(&b, w->a, SERVE_ANSWER_MAX);
	answer_json(&b, STR(""), &facts, &j->judgement, j->policies.digest);
	serve_answer(w, 200, SERVE_JSON, buf_view(&b));
}

/* ---- the record ---- */

static bool open_record(struct serve_work *w, struct record_home *h)
{
	struct err e = {0};

	home_find(w->a, h);
	if (home_open(w->a, h, false, &e) == 0)
		return true;
	serve_fail(w, 503, "no-record", str_of(e.text));
	return false;
}

/* A caller that may only run sees the outputs of its own runs. */
static bool owns_run(struct serve_work *w)
{
	struct audit_filter f = {.id = w->target, .agent_id = str_of(w->job.token), .client = STR("http")};
	struct audit_line *l = arena_new(w->a, struct audit_line);
	struct record_home h;
	struct search *s;
	struct err e = {0};
	bool own = false;

	if (w->job.scopes & (SERVE_READ | SERVE_ADMIN))
		return true;
	home_find(w->a, &h);
	if (home_open(w->a, &h, false, &e) != 0)
		return false;
	if (search_new(w->a, &h.audit, &f, 1, &s, &e) == 0) {
		own = search_next(s, l, &e) > 0;
		search_close(s);
	}
	home_close(&h);
	return own;
}

/* The parameters of the query as the arguments of the MCP tool. */
static struct str result_arguments(struct serve_work *w)
{
	static const char numbers[][8] = {"offset", "bytes", "line", "lines"};
	struct str stream = serve_parameter(w->a, w->query, "stream");
	struct buf b;

	buf_init(&b, w->a, 0);
	buf_char(&b, '{');
	json_put_field(&b, "id", w->target);
	json_put_field(&b, "stream", stream.p ? stream : STR("stdout"));
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct str n = serve_parameter(w->a, w->query, numbers[i]);

		if (n.p && str_is_digits(n) && n.n < 10) {
			json_put_key(&b, numbers[i]);
			buf_str(&b, n);
		} else if (n.p) {
			json_put_field(&b, numbers[i], n); /* is refused with a reason */
		}
	}
	buf_char(&b, '}');
	return buf_view(&b);
}

void serve_v1_result(struct serve_work *w)
{
	struct json *arguments;
	struct err e = {0};
	struct buf b;

	if (!owns_run(w)) {
		serve_fail(w, 404, "not-found", STR("this caller has no run of that id"));
		return;
	}
	buf_init(&b, w->a, SERVE_ANSWER_MAX);
	if (json_read(w->a, result_arguments(w), &arguments, &e) != 0 ||
			mcp_result_json(w->a, arguments, &b, &e) != 0) {
		serve_fail(w, e.kind == ERR_INPUT && str_starts(str_of(e.text), "nothing") ? 404 : 400,
				e.kind == ERR_INPUT ? "not-found" : "failed", str_of(e.text));
		return;
	}
	serve_answer(w, 200, SERVE_JSON, buf_view(&b));
}

static const char *parameter_c(struct serve_work *w, const char *name)
{
	struct str v = serve_parameter(w->a, w->query, name);

	return v.p ? str_c(w->a, v) : NULL;
}

static int audit_rows(struct serve_work *w, const struct record_home *h, struct buf *b, struct err *e)
{
	const struct rows_options o = {.agent = parameter_c(w, "agent"),
			.session = parameter_c(w, "session"),
			.since = parameter_c(w, "since"),
			.until = parameter_c(w, "until"),
			.verdict = parameter_c(w, "verdict"),
			.status = parameter_c(w, "status"),
			.kind = parameter_c(w, "kind"),
			.grep = parameter_c(w, "grep")};
	struct str limit = serve_parameter(w->a, w->query, "limit");
	struct audit_line *l = arena_new(w->a, struct audit_line);
	struct audit_filter f;
	struct search *s;
	int64_t n = ROWS_DEFAULT;
	int got;

	if (limit.p && num_parse(limit, 1, ROWS_MOST, &n) != 0)
		return err_set(e, ERR_INPUT, 0, "'limit' is a number from 1 to %d", ROWS_MOST);
	if (rows_filter(w->a, &o, clock_real_us(), &f, e) != 0)
		return -1;
	f.id = serve_parameter(w->a, w->query, "id");
	if (search_new(w->a, &h->audit, &f, (size_t)n, &s, e) != 0)
		return -1;
	buf_c(b, "{\"rows\":[");
	while ((got = search_next(s, l, e)) > 0) {
		json_put_comma(b);
		buf_str(b, l->text);
	}
	buf_c(b, "]}\n");
	search_close(s);
	return got;
}

void serve_v1_audit(struct serve_work *w)
{
	struct record_home h;
	struct err e = {0};
	struct buf b;

	if (!open_record(w, &h))
		return;
	buf_init(&b, w->a, SERVE_ANSWER_MAX);
	if (audit_rows(w, &h, &b, &e) != 0)
		serve_fail(w, e.kind == ERR_INPUT ? 400 : 500, e.kind == ERR_INPUT ? "invalid" : "failed",
				str_of(e.text));
	else
		serve_answer(w, 200, SERVE_JSON, buf_view(&b));
	home_close(&h);
}

/* The body has the server's own counters. Before the first run there is no record to count. */
void serve_metrics(struct serve_work *w)
{
	struct record_home h;
	struct err e = {0};
	struct buf b;

	buf_init(&b, w->a, METRICS_BYTES);
	home_find(w->a, &h);
	if (home_open(w->a, &h, false, &e) == 0) {
		if (home_metrics(w->a, &h, false, METRICS_CLASSIC, &b, &e) != 0)
			b.n = 0;
		home_close(&h);
	}
	buf_str(&b, w->body);
	serve_answer(w, 200, SERVE_METRICS, buf_view(&b));
}
