/*
 * The APIs of Piston (v2) and SandboxFusion, so that their clients work unchanged: code of a language, with
 * files, standard input and limits. Requests and answers have the shapes that those servers document.
 *
 * An interpreter gets the code itself, which the gate judges. A compiled language is shell text that builds
 * the files in the home of the box and starts the result.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "base/json_write.h"
#include "run/job.h"
#include "serve/serve_code.h"
#include "sys/file.h"

/* ---- requests ---- */

static int give_input(struct str text, struct err *e)
{
	FD_CLEANUP int fd = fd_of_text("stdin", text, e);

	if (fd < 0)
		return -1;
	return dup2(fd, STDIN_FILENO) < 0 ? err_set(e, ERR_SYSTEM, errno, "cannot make the standard input")
					  : 0;
}

/* The limits can only lower those of the server; a number below 1 asks for none. */
static void lower(struct run_request *rq, enum limit l, double n)
{
	if (n >= 1 && n < 1e15)
		rq->lower[l] = (uint64_t)n;
}

/* The first file is the program. Interpreters get its text, compilers the file. */
static int set_program(
		struct serve_work *w, const struct serve_code_row *row, struct run_file *files, struct err *e)
{
	struct run_request *rq = &w->run->request;

	if (!files)
		return err_set(e, ERR_INPUT, 0, "the request has no code");
	if (!row->build[0]) {
		if (memchr(files->text.p, 0, files->text.n))
			return err_set(e, ERR_INPUT, 0, "the code holds a NUL");
		rq->code = str_c(w->a, files->text);
		rq->language = row->language;
		rq->files = files->next;
		return 0;
	}
	if (!str_ends(files->name, row->ending))
		files->name = str_fmt(w->a, "main%s", row->ending);
	rq->code = row->build;
	rq->language = LANGUAGE_BASH;
	rq->files = files;
	return 0;
}

static void start_request(struct serve_work *w)
{
	struct run_request *rq = &w->run->request;

	*rq = w->o->mcp.base;
	rq->audience = AUDIENCE_MCP;
	rq->head = RUN_LINES_MAX; /* these clients expect the whole output */
	if (!rq->agent)
		rq->agent = w->job.token;
}

/* ---- Piston ---- */

int serve_piston_request(struct serve_work *w, const struct json *body, const struct serve_code_row *row,
		struct err *e)
{
	struct run_file *files = NULL;

	if (json_size(json_key(body, "files")) == 0)
		return err_set(e, ERR_INPUT, 0, "files is required as an array");
	start_request(w);
	if (serve_take_files(w, json_key(body, "files"), "main", &files, e) != 0 ||
			set_program(w, row, files, e) != 0 ||
			serve_take_args(w, json_key(body, "args"), &w->run->request, e) != 0)
		return -1;
	lower(&w->run->request, LIMIT_TIME, json_double(w->a, json_key(body, "run_timeout")));
	lower(&w->run->request, LIMIT_CPU_TIME, json_double(w->a, json_key(body, "run_cpu_time")));
	lower(&w->run->request, LIMIT_MEMORY, json_double(w->a, json_key(body, "run_memory_limit")));
	if (!json_text_at(body, "stdin").n)
		return 0;
	w->run->request.input = true;
	return give_input(json_text_at(body, "stdin"), e);
}

/* Statuses of Piston: RE, SG, TO, OL, EL, XX; null: it ended with 0. */
static const char *piston_status(enum status s)
{
	static const char names[][3] = {[STATUS_SETUP_ERROR] = "XX",
			[STATUS_OK] = "",
			[STATUS_EXIT_NONZERO] = "RE",
			[STATUS_SIGNAL] = "SG",
			[STATUS_TIMEOUT] = "TO",
			[STATUS_OOM] = "SG",
			[STATUS_OUTPUT_LIMIT] = "OL",
			[STATUS_DENIED] = "XX",
			[STATUS_NEEDS_APPROVAL] = "XX"};

	return (size_t)s < ARRAY_SIZE(names) ? names[s] : "XX";
}

static struct str piston_message(struct serve_work *w)
{
	const struct report *r = &w->run->report;

	if (r->reasons)
		return r->reasons->message;
	if (r->error.n)
		return r->error;
	switch (w->run->outcome.status) {
	case STATUS_TIMEOUT: return STR("Time limit exceeded (wall clock)");
	case STATUS_OOM: return STR("Memory limit exceeded");
	case STATUS_OUTPUT_LIMIT: return STR("stdout length exceeded");
	case STATUS_SIGNAL: return str_fmt(w->a, "Caught fatal signal %d", w->run->outcome.signal);
	case STATUS_EXIT_NONZERO: return str_fmt(w->a, "Exited with error status %d", r->code);
	default: return STR("");
	}
}

static void put_piston_run(struct serve_work *w, struct buf *b)
{
	const struct report *r = &w->run->report;
	const struct outcome *o = &w->run->outcome;
	int fatal = o->status == STATUS_SIGNAL ? o->signal
		    : o->status == STATUS_TIMEOUT || o->status == STATUS_OOM ||
						    o->status == STATUS_OUTPUT_LIMIT
				    ? SIGKILL
				    : 0;

	json_put_open(b, "run", '{');
	json_put_field(b, "stdout", r->out);
	json_put_field(b, "stderr", r->err);
	json_put_field(b, "output", str_cat(w->a, r->out, r->err));
	json_put_key(b, "code");
	if (o->status == STATUS_OK || o->status == STATUS_EXIT_NONZERO)
		buf_fmt(b, "%d", o->exit_code);
	else
		buf_c(b, "null");
	json_put_field_or_null(b, "signal",
			fatal ? str_fmt(w->a, "SIG%s", sigabbrev_np(fatal) ? sigabbrev_np(fatal) : "UNKNOWN")
			      : STR(""));
	json_put_field_or_null(b, "status", str_of(piston_status(o->status)));
	json_put_field_or_null(b, "message", piston_message(w));
	buf_fmt(b, ",\"cpu_time\":%llu,\"wall_time\":%llu,\"memory\":%llu,\"id\":\"%.*s\"}",
			(unsigned long long)o->cpu_ms, (unsigned long long)o->duration_ms,
			(unsigned long long)o->peak_memory, STR_ARG(w->run->run.id));
}

typedef int request_fn(struct serve_work *w, const struct json *body, const struct serve_code_row *row,
		struct err *e);

/* Runs the code of a request. NULL if it was answered already, because it is wrong or could not run. */
static const struct serve_code_row *run_code(struct serve_work *w, const char *api, request_fn *read,
		struct str (*unknown)(struct arena *a, const struct json *body))
{
	const struct json *body = serve_body_object(w);
	const struct serve_code_row *row;
	struct err e = {0};

	if (!body)
		return NULL;
	row = serve_code_find(json_text_at(body, "language"));
	if (!row || !serve_code_version(w->o, row)) {
		serve_fail(w, 400, "invalid", unknown(w->a, body));
		return NULL;
	}
	if (read(w, body, row, &e) != 0) {
		serve_fail(w, 400, "invalid", str_of(e.text));
		return NULL;
	}
	return serve_go(w, api) == 0 ? row : NULL;
}

static struct str unknown_runtime(struct arena *a, const struct json *body)
{
	return str_fmt(a, "%.*s-%.*s runtime is unknown",
			STR_ARG(str_sub(json_text_at(body, "language"), 0, 40)),
			STR_ARG(str_sub(json_text_at(body, "version"), 0, 40)));
}

void serve_piston_execute(struct serve_work *w)
{
	const struct serve_code_row *row = run_code(w, "piston", serve_piston_request, unknown_runtime);
	struct buf b;

	if (!row)
		return;
	buf_init(&b, w->a, SERVE_ANSWER_MAX);
	buf_char(&b, '{');
	put_piston_run(w, &b);
	json_put_field(&b, "language", str_of(row->names[0]));
	json_put_field(&b, "version", str_of(serve_code_version(w->o, row)));
	buf_c(&b, "}\n");
	serve_answer(w, 200, SERVE_JSON, buf_view(&b));
}

void serve_piston_runtimes(struct serve_work *w)
{
	struct buf b;

	buf_init(&b, w->a, 0);
	buf_char(&b, '[');
	for (size_t i = 0; serve_code_at(i); i++) {
		const struct serve_code_row *row = serve_code_at(i);

		if (!serve_code_version(w->o, row))
			continue;
		json_put_open(&b, NULL, '{');
		json_put_field(&b, "language", str_of(row->names[0]));
		json_put_field(&b, "version", str_of(serve_code_version(w->o, row)));
		json_put_open(&b, "aliases", '[');
		for (size_t k = 1; k < SERVE_CODE_NAMES && row->names[k][0]; k++) {
			json_put_comma(&b);
			json_put_string(&b, str_of(row->names[k]));
		}
		buf_c(&b, "]}");
	}
	buf_c(&b, "]\n");
	serve_answer(w, 200, SERVE_JSON, buf_view(&b));
}

/* ---- SandboxFusion ---- */

/* "files": {"NAME": "BASE64" or null} */
static int fusion_files(struct serve_work *w, const struct json *list, struct run_file *first, struct err *e)
{
	struct run_file **end = &first->next;

	for (const struct json *v = json_members(list); v; v = v->next) {
		struct run_file *f;

		if (json_is(v, JSON_NULL))
			continue;
		f = arena_copy(w->a, (struct run_file){.name = v->key});
		if (!json_is(v, JSON_STRING) || serve_base64(w->a, json_text(v), &f->text) != 0)
			return err_set(e, ERR_INPUT, 0, "the content of '%.*s' is not base64",
					STR_ARG(str_sub(v->key, 0, 100)));
		*end = f;
		end = &f->next;
	}
	return 0;
}

int serve_fusion_request(struct serve_work *w, const struct json *body, const struct serve_code_row *row,
		struct err *e)
{
	struct run_file *main = arena_copy(
			w->a, (struct run_file){.name = STR("main"), .text = json_text_at(body, "code")});

	if (!json_is(json_key(body, "code"), JSON_STRING))
		return err_set(e, ERR_INPUT, 0, "'code' is a string");
	if (json_size(json_key(body, "fetch_files")))
		return err_set(e, ERR_INPUT, 0, "'fetch_files' is not supported: print what is wanted");
	start_request(w);
	if (fusion_files(w, json_key(body, "files"), main, e) != 0 || set_program(w, row, main, e) != 0)
		return -1;
	lower(&w->run->request, LIMIT_TIME, 1000 * json_double(w->a, json_key(body, "run_timeout")));
	lower(&w->run->request, LIMIT_MEMORY,
			(double)MB * json_double(w->a, json_key(body, "memory_limit_MB")));
	if (!json_text_at(body, "stdin").n)
		return 0;
	w->run->request.input = true;
	return give_input(json_text_at(body, "stdin"), e);
}

static void put_fusion(struct serve_work *w, struct buf *b)
{
	const struct report *r = &w->run->report;
	const struct outcome *o = &w->run->outcome;
	bool ran = o->status != STATUS_SETUP_ERROR && o->status != STATUS_DENIED &&
		   o->status != STATUS_NEEDS_APPROVAL;
	bool ended = o->status == STATUS_OK || o->status == STATUS_EXIT_NONZERO || o->status == STATUS_SIGNAL;

	buf_char(b, '{');
	json_put_field(b, "status",
			o->status == STATUS_OK ? STR("Success")
			: ran                  ? STR("Failed")
					       : STR("SandboxError"));
	json_put_field(b, "message", ended ? STR("") : piston_message(w));
	buf_c(b, ",\"compile_result\":null");
	json_put_key(b, "run_result");
	if (!ran) {
		buf_c(b, "null");
	} else {
		buf_char(b, '{');
		json_put_field(b, "status",
				o->status == STATUS_TIMEOUT ? STR("TimeLimitExceeded")
				: ended                     ? STR("Finished")
							    : STR("Error"));
		buf_fmt(b, ",\"execution_time\":%llu.%03llu,\"return_code\":",
				(unsigned long long)o->duration_ms / 1000,
				(unsigned long long)o->duration_ms % 1000);
		if (ended)
			buf_fmt(b, "%d", o->status == STATUS_SIGNAL ? -o->signal : o->exit_code);
		else
			buf_c(b, "null");
		json_put_field(b, "stdout", r->out);
		json_put_field(b, "stderr", r->err);
		buf_char(b, '}');
	}
	buf_c(b, ",\"executor_pod_name\":null,\"files\":{}");
	json_put_field(b, "id", w->run->run.id);
	buf_c(b, "}\n");
}

static struct str unknown_language(struct arena *a, const struct json *body)
{
	return str_fmt(a, "language '%.*s' is not supported here",
			STR_ARG(str_sub(json_text_at(body, "language"), 0, 40)));
}

void serve_fusion_run(struct serve_work *w)
{
	struct buf b;

	if (!run_code(w, "run_code", serve_fusion_request, unknown_language))
		return;
	buf_init(&b, w->a, SERVE_ANSWER_MAX);
	put_fusion(w, &b);
	serve_answer(w, 200, SERVE_JSON, buf_view(&b));
}
