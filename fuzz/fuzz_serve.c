/*
 * libFuzzer: headers and bodies of caissond. The first byte says which: headers, bodies of /v1/run, or those
 * of Piston and SandboxFusion.
 * Holds: no crash; the name of a host is a part of the header, and all of it unless a port follows; a route
 * that was found has its own method, and a target without a slash; a decoded parameter is no longer than its
 * query; files of a body have names, and no more bytes than the body; limits of a body are numbers that can
 * be enforced; what base64 decodes to is shorter than its text.
 */
#include <fcntl.h>
#include <unistd.h>

#include "fuzz.h"
#include "run/job.h"
#include "serve/serve_code.h"

#define NUMBER_MAX 1000000000000000u

struct fuzz_input {
	struct arena *a;
	unsigned kind;
	struct str text;
	int null;
};

static void try_headers(struct fuzz_input *in)
{
	static const char methods[][8] = {"GET", "POST", "DELETE"};
	struct str name = serve_host_name(in->text), target;
	unsigned scopes;
	bool other;

	require(name.n <= in->text.n);
	require(name.n == in->text.n || in->text.p[name.n] == ':');
	(void)serve_seems_python(in->text);
	(void)serve_is_json(in->text);
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
		const struct serve_route *r = serve_route_find(str_of(methods[i]), in->text, &target, &other);

		require(!r || (!strcmp(r->method, methods[i]) && str_find(target, '/', 0) < 0));
	}
	require(serve_parameter(in->a, in->text, "id").n <= in->text.n);
	if (serve_scopes_parse(in->text, &scopes, NULL) == 0)
		require(scopes && scopes <= 15);
}

static void try_files(struct serve_work *w, const struct json *body)
{
	struct run_request rq = {0};
	struct run_file *files = NULL;
	size_t bytes = 0;

	if (serve_take_files(w, json_key(body, "files"), NULL, &files, NULL) == 0)
		for (const struct run_file *f = files; f; f = f->next) {
			require(f->name.n);
			bytes += f->text.n;
		}
	require(bytes <= w->body.n);
	(void)serve_take_args(w, json_key(body, "args"), &rq, NULL);
	(void)serve_take_outputs(w, json_key(body, "outputs"), NULL);
}

/* The APIs of others. */
static void try_others(struct serve_work *w, const struct json *body)
{
	const struct serve_code_row *row = serve_code_find(json_text_at(body, "language"));
	const struct run_request *rq = &w->run->request;
	struct err e = {0};

	row = row ? row : serve_code_at(0);
	if (json_text_at(body, "stdin").n) /* it would replace our own */
		return;
	if (serve_piston_request(w, body, row, &e) != 0 && serve_fusion_request(w, body, row, &e) != 0)
		return;
	require(rq->code && !rq->input);
	require(rq->lower[LIMIT_TIME] < NUMBER_MAX && rq->lower[LIMIT_MEMORY] < NUMBER_MAX);
}

static void try_body(struct fuzz_input *in)
{
	struct serve_options o = {0};
	struct job *j = arena_new(in->a, struct job);
	struct serve_work w = {.a = in->a, .o = &o, .talk = in->null, .body = in->text, .run = j};
	const struct json *body = serve_body_object(&w);
	struct err e = {0};

	require(!body || json_is(body, JSON_OBJECT));
	if (!body)
		return;
	if (in->kind == 2) {
		try_others(&w, body);
		return;
	}
	try_files(&w, body);
	(void)serve_code_find(json_text_at(body, "language"));
	if (!json_key(body, "stdin")) /* it would replace our own */
		(void)mcp_request(in->a, &o.mcp, STR("fuzz"), "run", body, "files args argv", j, &e);
}

static int try_input(void *arg)
{
	struct fuzz_input *in = arg;
	struct str decoded;

	if (in->kind == 0)
		try_headers(in);
	else
		try_body(in);
	if (serve_base64(in->a, in->text, &decoded) == 0)
		require(decoded.n <= in->text.n);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena a;
	struct fuzz_input in = {.a = &a};

	if (!n)
		return 0;
	in.kind = data[0] % 3;
	in.text = str_n((const char *)data + 1, n - 1);
	in.null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	arena_init(&a, ARENA_CAP_DEFAULT);
	(void)arena_run(&a, try_input, &in);
	arena_free(&a);
	close(in.null);
	return 0;
}
