/*
 * Asking an engine's API. engine_api.h has the theory.
 *
 * A container has the launcher's pid and start time as a label. Every run removes containers of dead
 * launchers.
 */
#define _GNU_SOURCE
#include "box/engine_api.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/num.h"

#define ASK_MS 60000
#define PROBE_MS 3000
#define SWEEP_MAX 32
#define START_FIELD 22 /* of /proc/PID/stat */

static const struct api_row *row_of(const struct box_state *b) { return b->backend->engine->row; }

/* ---- asking ---- */

static const char *socket_of(struct arena *a, const struct api_row *row)
{
	const char *given = getenv(row->variable), *own = getenv("XDG_RUNTIME_DIR");

	if (given && !strncmp(given, "unix:///", 8))
		return given + 7;
	if (!row->usual_own || !geteuid())
		return row->usual;
	if (own && own[0] == '/')
		return str_fmt_c(a, "%s/%s", own, row->usual_own);
	return str_fmt_c(a, "/run/user/%u/%s", (unsigned)geteuid(), row->usual_own);
}

static int ask(struct arena *a, const struct backend *backend, const char *method, struct str target,
		const char *type, struct str body, struct unix_http_answer *ret, struct err *e)
{
	const struct api_row *row = backend->engine->row;
	struct unix_http_request rq = {.socket = socket_of(a, row),
			.method = method,
			.target = str_cat(a, str_of(row->prefix), target),
			.type = type,
			.body = body,
			.timeout_ms = ASK_MS};
	struct err why = {0};

	return unix_http(a, &rq, ret, &why) == 0 ? 0 : err_wrap(e, &why, backend->name);
}

int api_ask(struct box_state *b, const char *method, struct str target, const char *type, struct str body,
		struct unix_http_answer *ret, struct err *e)
{
	return ask(b->a, b->backend, method, target, type, body, ret, e);
}

int api_refused(struct box_state *b, const struct unix_http_answer *r, const char *what, struct err *e)
{
	struct json *v = NULL;
	struct str why = json_read(b->a, r->body, &v, NULL) == 0 ? json_text_at(v, "message") : STR("");

	return err_host(e, "%s %s (%d): %.*s", b->backend->name, what, r->status,
			why.n > 300 ? 300 : (int)why.n, why.p);
}

/* ---- launchers ---- */

/* The start time of a process; 0: there is none. */
static uint64_t start_of(int64_t pid)
{
	char path[40], text[1024];
	const char *p;
	int64_t start;
	ssize_t n;

	str_put(path, sizeof(path), "/proc/%jd/stat", (intmax_t)pid);
	n = cg_read(AT_FDCWD, path, text, sizeof(text));
	p = n > 0 ? strrchr(text, ')') : NULL;
	for (int field = 2; p && field < START_FIELD; field++)
		p = strchr(p + 1, ' ');
	if (!p)
		return 0;
	p++;
	return num_parse(str_n(p, strcspn(p, " ")), 1, INT64_MAX, &start) == 0 ? (uint64_t)start : 0;
}

struct str api_launcher(struct arena *a)
{
	return str_fmt(a, "%d-%ju", (int)getpid(), (uintmax_t)start_of(getpid()));
}

static bool is_dead(struct str label)
{
	ptrdiff_t dash = str_find(label, '-', 0);
	int64_t pid, start;

	if (dash < 0 || num_parse(str_sub(label, 0, (size_t)dash), 1, INT32_MAX, &pid) != 0 ||
			num_parse(str_sub(label, (size_t)dash + 1, label.n), 1, INT64_MAX, &start) != 0)
		return false;
	return start_of(pid) != (uint64_t)start;
}

/* -1: the engine does not answer. */
static int remove_container(struct arena *a, const struct backend *backend, struct str id)
{
	struct unix_http_answer r;

	return ask(a, backend, "DELETE", str_fmt(a, "/containers/%.*s?force=1&v=1&timeout=0", STR_ARG(id)),
			NULL, STR(""), &r, NULL);
}

/* Containers of killed launchers. Also finds out whether the engine answers, and as which user it runs. */
static int sweep(struct box_state *b, uid_t *ret_peer, struct err *e)
{
	static const struct str labelled =
			STR("/containers/json?all=1&filters=%7B%22label%22%3A%5B%22" API_LABEL "%22%5D%7D");
	struct unix_http_answer r;
	struct json *list;
	int n = 0;

	if (api_ask(b, "GET", labelled, NULL, STR(""), &r, e) != 0)
		return -1;
	if (r.status != 200 || json_read(b->a, r.body, &list, NULL) != 0)
		return api_refused(b, &r, "does not list its containers", e);
	*ret_peer = r.peer;
	for (const struct json *c = json_items(list); c && n < SWEEP_MAX; c = c->next)
		if (is_dead(json_text_at(json_key(c, "Labels"), API_LABEL))) {
			(void)remove_container(b->a, b->backend, json_text_at(c, "Id"));
			n++;
		}
	return 0;
}

/* ---- the user ---- */

/* Rootless engines cannot use control groups of version 1: the launcher does what it can. */
int api_settle(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	struct api_box *api = arena_new(b->a, struct api_box);

	if (sweep(b, &api->peer, e) != 0)
		return -1;
	g->more = api;
	if (api->peer && api->peer != geteuid())
		return err_host(e, "%s runs as another user (uid %u)", b->backend->name, (unsigned)api->peer);
	if (api->peer) {
		g->own_group = !cg_guess_v2();
		return 0;
	}
	guest_choose_nobody(b);
	api->uid = g->user.outside_uid;
	api->gid = g->user.outside_gid;
	return 0;
}

/* ---- the container ---- */

static void bury(void *ctx) { api_remove(ctx); }

int api_launch(struct box_state *b, struct err *e)
{
	const struct api_row *row = row_of(b);
	struct guest_box *g = b->own;
	struct api_box *api = g->more;
	struct unix_http_answer r;
	struct json *made;

	if (row->provide && row->provide(b, e) != 0)
		return -1;
	api->made = true;
	b->bury = (struct undertaker_call){bury, b};
	if (api_ask(b, "POST", str_fmt(b->a, "/containers/create?name=%s", g->id), "application/json",
			    row->describe(b), &r, e) != 0)
		return -1;
	if (r.status != 201)
		return api_refused(b, &r, "made no container", e);
	if (json_read(b->a, r.body, &made, NULL) == 0)
		api->id = json_text_at(made, "Id");
	if (api_ask(b, "POST", str_fmt(b->a, "/containers/%s/start", g->id), "application/json", STR(""), &r,
			    e) != 0)
		return -1;
	return r.status == 204 ? 0 : api_refused(b, &r, "started no container", e);
}

void api_remove(struct box_state *b)
{
	struct guest_box *g = b->own;
	struct api_box *api = g->more;
	struct arena own;

	if (!api || !api->made)
		return;
	arena_init(&own, (size_t)64 << 20);
	if (remove_container(&own, b->backend, str_of(g->id)) != 0 && !b->init)
		guest_end_stragglers(g, api->id);
	arena_free(&own);
}

/* ---- probing ---- */

int api_probe(const struct backend *self, struct err *e)
{
	const struct api_row *row = self->engine->row;
	struct unix_http_answer r;
	struct err why = {0};
	struct arena a;
	int rc;

	arena_init(&a, (size_t)32 << 20);
	rc = unix_http(&a,
			&(struct unix_http_request){.socket = socket_of(&a, row),
					.method = "GET",
					.target = STR("/_ping"),
					.timeout_ms = PROBE_MS},
			&r, &why);
	if (rc == 0 && r.status != 200)
		rc = err_host(&why, "'%s' answers with status %d", socket_of(&a, row), r.status);
	arena_free(&a);
	return rc == 0 ? 0 : err_host(e, "%s (%s)", why.text, row->install);
}
