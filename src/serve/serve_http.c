/*
 * HTTP: the callbacks of libmicrohttpd. A request is checked by its headers alone (name of the host, origin,
 * route, token, size) before any byte of its body is taken. Its connection is suspended while a worker has
 * it.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "base/json_write.h"
#include "base/num.h"
#include "cli/cli.h"
#include "serve/serve_inner.h"
#include "sys/clock.h"
#include "sys/file.h"

#define BODIES_MAX ((size_t)128 << 20) /* bytes of all bodies that no worker has yet */
#define STREAM_BLOCK 65536
#define CALL_ARENA (4 * SERVE_ANSWER_MAX)

/* ---- responses ---- */

static const char *const types[] = {[SERVE_JSON] = "application/json",
		[SERVE_TEXT] = "text/plain; charset=utf-8",
		[SERVE_EVENTS] = "text/event-stream",
		[SERVE_METRICS] = "text/plain; version=0.0.4; charset=utf-8"};

static enum MHD_Result queue(
		struct serve_call *c, struct MHD_Response *r, unsigned status, enum serve_type type)
{
	enum MHD_Result done;

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, "Content-Type", types[type]);
	MHD_add_response_header(r, "Cache-Control", "no-store");
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	if (status == 401)
		MHD_add_response_header(r, "WWW-Authenticate", "Bearer realm=\"caisson\"");
	if (status == 429 || status == 503)
		MHD_add_response_header(r, "Retry-After", "1");
	if (c->id[0])
		MHD_add_response_header(r, "Caisson-Run", c->id);
	done = MHD_queue_response(c->connection, status, r);
	MHD_destroy_response(r);
	return done;
}

/* The call outlives its response, so the text need not be copied. */
static enum MHD_Result respond(struct serve_call *c)
{
	return queue(c, MHD_create_response_from_buffer(c->out.n, c->out.p, MHD_RESPMEM_PERSISTENT),
			c->status, c->type);
}

static enum MHD_Result refuse(struct serve_call *c, unsigned status, const char *id, const char *message)
{
	c->s->count.refused++;
	serve_queue_answer(c, status, id, message);
	return respond(c);
}

/* ---- waiting ---- */

static void on_hangup(void *ctx, uint32_t events)
{
	struct serve_call *c = ctx;

	(void)events;
	serve_queue_leave(c);
	c->ended = true;
	c->status = 499; /* nobody will read it */
	serve_http_resume(c);
}

/* libmicrohttpd does not look at a suspended connection, so its end is watched for here. */
static void suspend(struct serve_call *c)
{
	const union MHD_ConnectionInfo *info =
			MHD_get_connection_info(c->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	MHD_suspend_connection(c->connection);
	c->suspended = true;
	c->watched = info ? info->connect_fd : -1;
	c->hangup = (struct serve_source){on_hangup, c};
	if (c->watched >= 0)
		serve_watch(c->s, c->watched, EPOLLRDHUP, &c->hangup);
}

void serve_http_resume(struct serve_call *c)
{
	if (!c->suspended)
		return;
	c->suspended = false;
	if (c->watched >= 0)
		serve_unwatch(c->s, c->watched);
	c->watched = -1;
	MHD_resume_connection(c->connection);
}

static ssize_t read_events(void *cls, uint64_t pos, char *buf, size_t max)
{
	struct serve_call *c = cls;
	size_t n = c->out.n - c->sent;

	(void)pos;
	if (!n && c->ended)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (!n) {
		suspend(c);
		return 0;
	}
	n = n < max ? n : max;
	memcpy(buf, c->out.p + c->sent, n);
	c->sent += n;
	return (ssize_t)n;
}

static enum MHD_Result respond_events(struct serve_call *c)
{
	return queue(c,
			MHD_create_response_from_callback(
					MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_events, c, NULL),
			200, SERVE_EVENTS);
}

/* ---- checks before the body ---- */

static struct str header(struct serve_call *c, const char *name)
{
	const char *v = MHD_lookup_connection_value(c->connection, MHD_HEADER_KIND, name);

	return v ? str_of(v) : (struct str){0};
}

static bool text_in(const struct texts *list, struct str s)
{
	for (; list; list = list->next)
		if (str_is_like(s, list->text.p))
			return true;
	return false;
}

/* A page of another site could make a browser call us under a name of its own (DNS rebinding). */
static bool knows_host(const struct serve *s, struct str host)
{
	struct str name = serve_host_name(host);

	return str_is_like(name, "localhost") || str_is(name, "127.0.0.1") || str_is(name, "[::1]") ||
	       str_is(str_trim(name, "[]"), s->o->address) || text_in(s->o->names, name);
}

static void refresh_tokens(struct serve *s)
{
	struct stat st = {0};
	struct err e = {0};

	if (stat(s->o->tokens, &st) == 0 && st.st_ino == s->tokens_seen.st_ino &&
			st.st_size == s->tokens_seen.st_size &&
			st.st_mtim.tv_sec == s->tokens_seen.st_mtim.tv_sec &&
			st.st_mtim.tv_nsec == s->tokens_seen.st_mtim.tv_nsec)
		return;
	arena_free(&s->token_arena);
	arena_init_in(&s->token_arena, ARENA_CAP_DEFAULT, s->a);
	if (serve_tokens_read(&s->token_arena, s->o->tokens, &s->tokens, &e) != 0) {
		output_error("%s: no token is valid", e.text);
		s->tokens.n = 0;
	}
	s->tokens_seen = st;
}

/* The token of the request, or that of callers without one. False: there is none. */
static bool find_token(struct serve_call *c)
{
	struct serve *s = c->s;
	struct str given = header(c, "Authorization");
	const struct serve_token *t;

	if (given.p) {
		refresh_tokens(s);
		if (given.n > 7 && str_is_like(str_sub(given, 0, 7), "Bearer "))
			given = str_sub(given, 7, given.n);
		t = serve_token_find(&s->tokens, str_trim(given, " "));
		if (t)
			c->token = *t;
		return t;
	}
	c->token = (struct serve_token){.name = SERVE_ANONYMOUS, .scopes = s->o->open};
	return s->o->open || !c->route->scopes;
}

static struct serve_usage *usage_of(struct serve *s, const char *name)
{
	size_t i = 0;

	while (i < s->nusage && strcmp(s->usage[i].name, name) != 0)
		i++;
	if (i == ARRAY_SIZE(s->usage)) { /* tokens came and went: the places of those that do nothing are free
					  */
		for (i = 0; i < s->nusage && (s->usage[i].running || s->usage[i].waiting); i++)
			;
		i = i == s->nusage ? 0 : i;
		s->usage[i] = (struct serve_usage){
				.running = s->usage[i].running, .waiting = s->usage[i].waiting};
	}
	if (i == s->nusage)
		s->nusage++;
	str_put(s->usage[i].name, sizeof(s->usage[i].name), "%s", name);
	return &s->usage[i];
}

static bool over_quota(struct serve_call *c)
{
	struct serve_usage *u = c->usage;
	int64_t minute = clock_now() / (60 * SERVE_SECOND);

	if (u->minute != minute) {
		u->minute = minute;
		u->requests = 0;
	}
	return c->token.per_minute && ++u->requests > c->token.per_minute;
}

struct query_text {
	struct buf b;
};

static enum MHD_Result add_query(void *cls, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct query_text *q = cls;
	const char *const parts[] = {key, value ? value : ""};

	(void)kind;
	for (size_t i = 0; i < 2; i++) {
		if (i)
			buf_char(&q->b, '=');
		else if (q->b.n)
			buf_char(&q->b, '&');
		for (const char *p = parts[i]; *p; p++)
			if (ascii_is_alnum_or(*p, "-_.:,"))
				buf_char(&q->b, *p);
			else
				buf_fmt(&q->b, "%%%02X", (unsigned char)*p);
	}
	return q->b.n > SERVE_TARGET_MAX ? MHD_NO : MHD_YES;
}

static bool take_target(struct serve_call *c, struct str rest)
{
	struct query_text q;

	buf_init(&q.b, &c->a, 0);
	MHD_get_connection_values(c->connection, MHD_GET_ARGUMENT_KIND, add_query, &q);
	return str_put(c->target, sizeof(c->target), "%.*s%s%.*s", STR_ARG(rest), q.b.n ? "?" : "",
			       STR_ARG(buf_view(&q.b))) < sizeof(c->target);
}

struct header_count {
	size_t host, length, coding, token;
};

static enum MHD_Result count_header(void *cls, enum MHD_ValueKind kind, const char *key, const char *value)
{
	struct header_count *n = cls;
	struct str name = str_of(key);

	(void)kind, (void)value;
	n->host += str_is_like(name, "Host");
	n->length += str_is_like(name, "Content-Length");
	n->coding += str_is_like(name, "Transfer-Encoding");
	n->token += str_is_like(name, "Authorization");
	return MHD_YES;
}

/* A proxy in front of us could read such a request in another way, and take a part of it for another one. */
static bool is_ambiguous(struct serve_call *c)
{
	struct header_count n = {0};

	MHD_get_connection_values(c->connection, MHD_HEADER_KIND, count_header, &n);
	return n.host > 1 || n.length + n.coding > 1 || n.token > 1;
}

/* Browsers say where a request comes from, also where they send no origin. */
static bool is_foreign(struct serve_call *c)
{
	struct str origin = header(c, "Origin"), site = header(c, "Sec-Fetch-Site");

	if (origin.p)
		return !text_in(c->s->o->origins, origin);
	return site.p && !str_is_like(site, "same-origin") && !str_is_like(site, "none");
}

static bool has_body(struct serve_call *c)
{
	struct str length = header(c, "Content-Length");

	return header(c, "Transfer-Encoding").p || (length.p && !str_is(length, "0"));
}

static enum MHD_Result check_call(struct serve_call *c, const char *url, const char *method)
{
	struct serve *s = c->s;
	struct str rest, length = header(c, "Content-Length");
	bool post = !strcmp(method, "POST"), other;
	int64_t bytes;

	if (is_ambiguous(c))
		return refuse(c, 400, "ambiguous", "a header that counts once is given twice");
	if (!knows_host(s, header(c, "Host")))
		return refuse(c, 421, "host", "this server has another name (caissond --name)");
	if (is_foreign(c))
		return refuse(c, 403, "origin", "web pages of this origin may not call (caissond --origin)");
	c->route = serve_route_find(str_of(method), str_of(url), &rest, &other);
	if (!c->route)
		return other ? refuse(c, 405, "method", "this path has another method (GET /openapi.json)")
			     : refuse(c, 404, "not-found", "no such path (GET /openapi.json lists them)");
	if (!find_token(c))
		return refuse(c, 401, "token", "a valid token is needed: Authorization: Bearer TOKEN");
	if (c->route->scopes && !(c->token.scopes & c->route->scopes))
		return refuse(c, 403, "scope", "the token may not do this");
	c->usage = usage_of(s, c->token.name);
	if (over_quota(c))
		return refuse(c, 429, "quota", "the token has no requests left in this minute");
	if (post && !c->route->any_type && !serve_is_json(header(c, "Content-Type")))
		return refuse(c, 415, "type", "the body has to be application/json");
	if (!post && has_body(c))
		return refuse(c, 413, "too-large", "this request has no body");
	if (length.p && (num_parse(length, 0, INT64_MAX, &bytes) != 0 || (size_t)bytes > s->o->body))
		return refuse(c, 413, "too-large", "the body is too large");
	if (!take_target(c, rest))
		return refuse(c, 414, "too-long", "the path is too long");
	c->stream = c->route->streams && str_contains(header(c, "Accept"), STR("text/event-stream"));
	return MHD_YES;
}

/* ---- answers of the server itself ---- */

static void put_runs(struct serve_call *c)
{
	buf_c(&c->out, "{\"runs\":[");
	for (size_t i = 0; i < c->s->nslots; i++) {
		const struct serve_slot *k = &c->s->slots[i];

		if (k->kind != SLOT_BUSY || !k->id[0] || k->answered ||
				(!(c->token.scopes & SERVE_ADMIN) && strcmp(k->token, c->token.name) != 0))
			continue;
		json_put_open(&c->out, NULL, '{');
		json_put_field(&c->out, "id", str_of(k->id));
		json_put_field(&c->out, "token", str_of(k->token));
		buf_fmt(&c->out, ",\"elapsed_ms\":%lld}", (long long)((clock_now() - k->since) / 1000000));
	}
	buf_c(&c->out, "]}\n");
}

static unsigned cancel_run(struct serve_call *c)
{
	for (size_t i = 0; i < c->s->nslots; i++) {
		struct serve_slot *k = &c->s->slots[i];

		if (k->kind != SLOT_BUSY || strcmp(k->id, c->target) != 0 ||
				(!(c->token.scopes & SERVE_ADMIN) && strcmp(k->token, c->token.name) != 0))
			continue;
		serve_queue_kill(k, clock_now());
		buf_c(&c->out, "{\"cancelled\":true}\n");
		return 202;
	}
	serve_put_error(&c->out, "not-found", STR("no run of this id is going on"));
	return 404;
}

static void put_health(struct serve_call *c)
{
	const struct serve *s = c->s;

	buf_fmt(&c->out,
			"{\"status\":\"%s\",\"running\":%zu,\"waiting\":%zu,\"ready\":%zu,\"version\":\"%s\"}"
			"\n",
			s->stop_at ? "stopping" : "ok", serve_queue_count(s, SLOT_BUSY), s->waiting,
			serve_queue_count(s, SLOT_WARM), CAISSON_VERSION);
}

static enum MHD_Result answer_here(struct serve_call *c)
{
	c->status = 200;
	if (!strcmp(c->route->path, "/healthz"))
		put_health(c);
	else if (!strcmp(c->route->path, "/v1/runs"))
		put_runs(c);
	else
		c->status = cancel_run(c);
	c->state = CALL_ANSWERED;
	return respond(c);
}

/* The worker adds the counters of the record. */
static void put_counters(struct serve_call *c)
{
	const struct serve_counters *n = &c->s->count;
	const struct {
		char name[24], type[8], about[48];
		uint64_t n;
	} rows[] = {
			{"requests_total", "counter", "HTTP requests", n->requests},
			{"refused_total", "counter", "requests that were refused", n->refused},
			{"queue_full_total", "counter", "requests that found the queue full", n->full},
			{"runs_total", "counter", "runs that began", n->runs},
			{"lost_total", "counter", "workers that died without an answer", n->lost},
			{"running", "gauge", "requests that workers have",
					serve_queue_count(c->s, SLOT_BUSY)},
			{"waiting", "gauge", "requests that wait", c->s->waiting},
			{"ready", "gauge", "workers that wait", serve_queue_count(c->s, SLOT_WARM)},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		buf_fmt(&c->body, "# HELP caissond_%s %s\n# TYPE caissond_%s %s\ncaissond_%s %llu\n",
				rows[i].name, rows[i].about, rows[i].name, rows[i].type, rows[i].name,
				(unsigned long long)rows[i].n);
}

/* ---- the life of a call ---- */

static struct serve_call *call_new(struct serve *s, struct MHD_Connection *connection)
{
	struct serve_call *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->s = s;
	c->connection = connection;
	c->watched = -1;
	serve_connection_calls(c, true);
	arena_init_in(&c->a, CALL_ARENA, s->a);
	arena_init_in(&c->body_arena, CALL_ARENA, s->a);
	buf_init(&c->body, &c->body_arena, 2 * SERVE_BODY_MAX);
	buf_init(&c->out, &c->a, 2 * SERVE_ANSWER_MAX);
	c->prev = s->last;
	*(s->last ? &s->last->next : &s->first) = c;
	s->last = c;
	s->count.requests++;
	return c;
}

void serve_http_drop_body(struct serve_call *c)
{
	c->s->body_bytes -= c->body_bytes;
	c->body_bytes = 0;
	arena_free(&c->body_arena);
	c->body = (struct buf){0};
}

/* Bodies of callers who may not send any have been refused by their headers. */
static void take_body(struct serve_call *c, struct str piece)
{
	struct serve *s = c->s;

	c->too_large |= c->body.n + piece.n > s->o->body;
	c->no_room |= s->body_bytes + piece.n > BODIES_MAX;
	if (c->too_large || c->no_room) {
		serve_http_drop_body(c);
		return;
	}
	buf_str(&c->body, piece);
	c->body_bytes += piece.n;
	s->body_bytes += piece.n;
}

static enum MHD_Result start_call(struct serve_call *c)
{
	if (c->too_large)
		return refuse(c, 413, "too-large", "the body is too large");
	if (c->no_room)
		return refuse(c, 429, "busy", "the bodies of waiting requests are too many: try again later");
	if (!c->route->work)
		return answer_here(c);
	if (!strcmp(c->route->path, "/metrics"))
		put_counters(c);
	if (!serve_queue_add(c))
		return respond(c);
	suspend(c);
	return MHD_YES;
}

enum MHD_Result serve_http_request(void *cls, struct MHD_Connection *connection, const char *url,
		const char *method, const char *version, const char *data, size_t *n, void **ret_call)
{
	struct serve_call *c = *ret_call;

	(void)version;
	if (!c) {
		c = call_new(cls, connection);
		*ret_call = c;
		return c ? check_call(c, url, method) : MHD_NO;
	}
	if (*n) {
		take_body(c, str_n(data, *n));
		*n = 0;
		return MHD_YES;
	}
	if (c->state == CALL_RECEIVING)
		return start_call(c);
	if (c->status == 499)
		return MHD_NO;
	return c->stream ? respond_events(c) : respond(c);
}

void serve_http_done(void *cls, struct MHD_Connection *connection, void **call,
		enum MHD_RequestTerminationCode why)
{
	struct serve_call *c = *call;
	struct serve *s = cls;

	(void)connection, (void)why;
	if (!c)
		return;
	if (c->watched >= 0)
		serve_unwatch(s, c->watched);
	serve_queue_leave(c);
	serve_http_drop_body(c);
	serve_connection_calls(c, false);
	*(c->prev ? &c->prev->next : &s->first) = c->next;
	*(c->next ? &c->next->prev : &s->last) = c->prev;
	arena_free(&c->a);
	free(c);
	*call = NULL;
}
