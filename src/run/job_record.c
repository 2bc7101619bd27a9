/*
 * The rows of a run. See job_record.h. The `spec` of a begin row holds the requested options, so that the run
 * can be repeated, and the resulting walls.
 */
#include "run/job_record.h"

#include <stddef.h>

#include "base/json_write.h"
#include "image/image_store.h"

#define HINT "record"
#define SPEC_TEXT_MAX (AUDIT_SPEC_MAX / 8) /* bytes of all texts in a spec, before escaping */

static const struct list_row {
	char name[8];
	size_t at;
} lists[] = {{"env", offsetof(struct run_request, env)}, {"read", offsetof(struct run_request, read)},
		{"write", offsetof(struct run_request, write)}};

/* ---- the spec of a begin row ---- */

struct putting {
	struct arena *a;
	struct job *j;
	struct buf b;
	size_t left; /* bytes of texts that still fit */
};

/*
 * Adds one text, redacted separately so that a replacement stays inside its quotes; null if it does not fit.
 */
static void put_redacted(struct putting *p, struct str s)
{
	if (s.n >= p->left) {
		buf_c(&p->b, "null");
		return;
	}
	p->left -= s.n + 1;
	json_put_string(&p->b, record_redact(p->a, &p->j->record, s));
}

static void put_texts(struct putting *p, const char *name, const struct texts *list)
{
	size_t n = 0;

	if (!list)
		return;
	for (const struct texts *t = list; t; t = t->next)
		n++;
	json_put_key(&p->b, name);
	if (n > p->left / 8) {
		buf_c(&p->b, "null");
		return;
	}
	buf_char(&p->b, '[');
	for (const struct texts *t = list; t; t = t->next) {
		if (t != list)
			buf_char(&p->b, ',');
		put_redacted(p, t->text);
	}
	buf_char(&p->b, ']');
}

static void put_request(struct putting *p)
{
	const struct run_request *rq = &p->j->request;
	struct texts *argv = NULL, **end = &argv;

	json_put_open(&p->b, "asked", '{');
	for (size_t i = 0; rq->argv && rq->argv[i]; i++)
		end = texts_add(p->a, end, str_of(rq->argv[i]));
	put_texts(p, "argv", argv);
	if (rq->code) {
		json_put_key(&p->b, "code");
		if (str_is(p->j->run.gate_request.command, rq->code))
			buf_c(&p->b, "true"); /* it is the command of the row */
		else
			put_redacted(p, str_of(rq->code));
	}
	for (size_t i = 0; request_option(i); i++) {
		struct str text = request_text(p->a, rq, i);

		if (text.p) {
			json_put_key(&p->b, request_option(i));
			put_redacted(p, text);
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		put_texts(p, lists[i].name, *(struct texts *const *)((const char *)rq + lists[i].at));
	if (rq->input) {
		json_put_key(&p->b, "stdin");
		buf_c(&p->b, "true");
	}
	buf_char(&p->b, '}');
}

/* The rules, which are no secrets. All of them or null: a part would look like the whole. */
static void put_hosts(struct putting *p, const struct network_rule *rules)
{
	size_t from;

	if (!rules)
		return;
	json_put_key(&p->b, "hosts");
	from = p->b.n;
	buf_char(&p->b, '[');
	for (const struct network_rule *r = rules; r; r = r->next) {
		struct str text = network_rule_text(p->a, r);

		if (text.n >= p->left) {
			p->b.n = from;
			buf_c(&p->b, "null");
			return;
		}
		p->left -= text.n + 1;
		json_put_comma(&p->b);
		json_put_string(&p->b, text);
	}
	buf_char(&p->b, ']');
}

static struct str spec_json(struct arena *a, struct job *j)
{
	const struct spec *s = &j->run.spec;
	const struct limits *l = &s->limits;
	struct putting p = {.a = a, .j = j, .left = SPEC_TEXT_MAX};

	buf_init(&p.b, a, AUDIT_SPEC_MAX);
	buf_fmt(&p.b, "{\"profile\":\"%s\",\"network\":\"%s\"", profile_name(s->profile),
			network_name(&s->network));
	json_put_key(&p.b, "limits");
	buf_fmt(&p.b, "{\"cpu_milli\":%u,\"memory\":%llu,\"time_ms\":%llu,\"pids\":%u,\"scratch\":%llu,"
			"\"output\":%llu,\"cpu_ms\":%llu,\"io\":%llu}", l->cpu_milli,
			(unsigned long long)l->memory,
		(unsigned long long)l->time_ms, l->pids, (unsigned long long)l->scratch,
		(unsigned long long)l->output, (unsigned long long)l->cpu_ms, (unsigned long long)l->io);
	if (s->workspace.n) {
		json_put_key(&p.b, "workspace");
		put_redacted(&p, s->workspace);
		json_put_bool(&p.b, "writable", s->workspace_writable);
	}
	if (s->image.n)
		json_put_field(&p.b, "image", str_fmt(a, IMAGE_PREFIX "%.*s", STR_ARG(s->image)));
	put_hosts(&p, s->network.rules);
	if (j->request.approved.n)
		json_put_words(&p.b, "approved", j->request.approved);
	put_request(&p);
	buf_char(&p.b, '}');
	return buf_view(&p.b);
}

/* ---- rows ---- */

/* The ticket names the agent. */
static void name_who(struct job *j)
{
	const struct ticket *t = &j->ticket;

	if (j->request.ticket)
		j->who = (struct record_who){t->agent, t->session, t->client, t->tool, t->tool_use_id};
	if (!j->who.agent.n && j->request.agent)
		j->who.agent = str_of(j->request.agent);
}

int job_record_open(struct arena *a, struct job *j, struct err *e)
{
	/* The state must lie outside everything that the program may write. */
	const struct record_options options = {
		.environ = variables_known(a, &j->world, &j->request), .scrubbed = j->run.scrubbed,
		.workspace = &j->run.spec.workspace, .fresh = true,
	};

	name_who(j);
	return record_open(a, j->world.context.view, &options, j->policies.digest.n ? &j->policies : NULL,
			&j->record, e);
}

/* Adds the requested options when no spec exists because the policy did not load. */
static struct engine_request request_of(struct arena *a, const struct job *j)
{
	struct engine_request rq = j->run.gate_request;
	struct buf b;

	if (rq.command.n)
		return rq;
	buf_init(&b, a, 0);
	if (j->request.code)
		buf_c(&b, j->request.code);
	for (size_t i = 0; !j->request.code && j->request.argv && j->request.argv[i]; i++) {
		if (i)
			buf_char(&b, ' ');
		buf_c(&b, j->request.argv[i]);
	}
	rq.command = buf_view(&b);
	rq.context = &j->world.context;
	return rq;
}

int job_record_refusal(struct arena *a, struct job *j, struct err *e)
{
	struct engine_request rq = request_of(a, j);

	return record_verdict(a, &j->record, &j->who, j->run.id, &rq, &j->judgement, NULL, e);
}

int job_record_begin(struct arena *a, struct job *j, struct err *e)
{
	struct record_start s = {.id = j->run.id, .rq = &j->run.gate_request,
			.judgement = j->request.gate ? &j->judgement : NULL,
			.backend = j->run.backend ? box_backend_name(j->run.backend) : NULL};

	if (j->record.off)
		return 0;
	s.spec = spec_json(a, j);
	return record_begin(a, &j->record, &j->who, &s, e);
}

static void note_failure(struct arena *a, struct job *j, const char *what, const struct err *e)
{
	struct hint *h = arena_new(a, struct hint), **end = &j->report.hints;

	*h = (struct hint){.id = HINT, .text = str_fmt(a, "%s: %s", what, e->text)};
	while (*end)
		end = &(*end)->next;
	*end = h;
}

/* Names the streams that are not stored completely. */
static struct str cut_note(struct arena *a, const struct outcome *o, bool out, bool err)
{
	struct buf b;

	buf_init(&b, a, 0);
	if (out)
		buf_fmt(&b, "stdout has %llu bytes; both ends are kept",
				(unsigned long long)o->out.total);
	if (err)
		buf_fmt(&b, "%sstderr has %llu bytes; both ends are kept", out ? "; " : "",
				(unsigned long long)o->err.total);
	return buf_view(&b);
}

void job_record_end(struct arena *a, struct job *j)
{
	struct record_stop s = {.id = j->run.id, .outcome = &j->outcome, .exit_code = j->report.code,
			.validation = j->report.validation};
	bool out = false, err = false;
	struct err e = {0};

	if (j->record.off)
		return;
	if (record_stream(a, &j->record, &j->outcome.out, &s.out, &out, &e) == 0 &&
			record_stream(a, &j->record, &j->outcome.err, &s.err, &err, &e) == 0) {
		s.note = cut_note(a, &j->outcome, out, err);
	} else {
		s.note = str_fmt(a, "the output could not be kept: %s", e.text);
		note_failure(a, j, "the output is not in the record", &e);
	}
	if (record_end(a, &j->record, &j->who, &s, &e) != 0)
		note_failure(a, j, "the end of the run is not in the record", &e);
}

/* ---- reading a spec back ---- */

static const char *copy_text(struct arena *a, const struct json *v)
{
	return json_is(v, JSON_STRING) ? str_c(a, json_text(v)) : NULL;
}

/* False if an option is missing from the record because it was too long. */
static bool read_list(struct arena *a, const struct json *v, size_t max, struct texts **end)
{
	if (v && (!json_is(v, JSON_ARRAY) || json_size(v) > max))
		return false;
	for (const struct json *x = json_items(v); x; x = x->next) {
		const char *text = copy_text(a, x);

		if (!text)
			return false;
		end = texts_add(a, end, str_of(text));
	}
	return true;
}

/* Reads argv and code; false if one of them is missing from the record. */
static bool read_program(struct arena *a, const struct json *asked, struct str command,
		struct run_request *rq)
{
	const struct json *code = json_key(asked, "code");
	size_t argc = json_size(json_key(asked, "argv"));
	char **argv = arena_array(a, argc + 1, sizeof(*argv));
	struct texts *words = NULL;

	if (!json_is(asked, JSON_OBJECT) || !read_list(a, json_key(asked, "argv"), argc, &words))
		return false;
	rq->argv = argv;
	for (; words; words = words->next)
		*argv++ = (char *)words->text.p;
	rq->code = json_is(code, JSON_TRUE) ? str_c(a, command) : copy_text(a, code);
	return !code || rq->code;
}

static bool read_options(struct arena *a, const struct json *asked, struct run_request *rq,
		struct run_words *w)
{
	for (size_t i = 0; request_option(i); i++) {
		const struct json *v = json_key(asked, request_option(i));
		const char *s = copy_text(a, v);

		if (v && !s)
			return false;
		*request_slot(w, rq, i) = s;
	}
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (!read_list(a, json_key(asked, lists[i].name), RUN_LIST_MAX,
				(struct texts **)((char *)rq + lists[i].at)))
			return false;
	rq->input = json_true_at(asked, "stdin");
	return true;
}

int job_request_of(struct arena *a, struct str spec, struct str command, struct run_request *ret,
		struct err *e)
{
	struct run_request *rq = arena_new(a, struct run_request);
	struct run_words words = {0};
	const struct json *asked;
	struct json *o;

	if (json_read(a, spec, &o, e) != 0)
		return -1;
	asked = json_key(o, "asked");
	if (!read_program(a, asked, command, rq) || !read_options(a, asked, rq, &words))
		return err_input(e, "the request is not completely in the record");
	if (request_parse(a, &words, rq, e) != 0)
		return -1;
	*ret = *rq;
	return 0;
}
