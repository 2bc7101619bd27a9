/* The table of routes, and what headers mean. Pure. */
#define _GNU_SOURCE
#include "serve/serve.h"

static const struct serve_route routes[] = {
		{"POST", "/v1/run", SERVE_RUN, true, true, false, serve_v1_run,
				"Judge, run in a fresh box, record; answer with the report"},
		{"POST", "/v1/check", SERVE_CHECK | SERVE_RUN, false, false, false, serve_v1_check,
				"Judge without running"},
		{"GET", "/v1/results/", SERVE_READ | SERVE_RUN, false, false, false, serve_v1_result,
				"A part of an output that a report shows shortened"},
		{"GET", "/v1/audit", SERVE_READ, false, false, false, serve_v1_audit, "Rows of the record"},
		{"GET", "/v1/runs", SERVE_RUN | SERVE_ADMIN, false, false, false, NULL,
				"The runs that are going on"},
		{"DELETE", "/v1/runs/", SERVE_RUN | SERVE_ADMIN, false, false, false, NULL, "Cancel a run"},
		{"GET", "/healthz", 0, false, false, false, NULL,
				"Is the server there, and does it take requests?"},
		{"GET", "/metrics", SERVE_READ, false, false, false, serve_metrics,
				"Counters for Prometheus"},
		{"GET", "/openapi.json", 0, false, false, false, serve_openapi, "This description"},
		{"POST", "/api/v2/execute", SERVE_RUN, true, false, true, serve_piston_execute,
				"Run code, as Piston does"},
		{"GET", "/api/v2/runtimes", 0, false, false, false, serve_piston_runtimes,
				"The languages, as Piston lists them"},
		{"POST", "/run_code", SERVE_RUN, true, false, true, serve_fusion_run,
				"Run code, as SandboxFusion does"},
};

const struct serve_route *serve_route_at(size_t i)
{
	return i < ARRAY_SIZE(routes) ? &routes[i] : NULL;
}
size_t serve_route_number(const struct serve_route *r)
{
	return (size_t)(r - routes);
}

/* A path with a slash at its end stands for all paths with one more part. */
static bool is_route(const struct serve_route *r, struct str path, struct str *ret_target)
{
	size_t n = strlen(r->path);

	*ret_target = STR("");
	if (r->path[n - 1] != '/')
		return str_is(path, r->path);
	*ret_target = str_sub(path, n, path.n);
	return str_starts(path, r->path) && ret_target->n && str_find(*ret_target, '/', 0) < 0;
}

const struct serve_route *serve_route_find(
		struct str method, struct str path, struct str *ret_target, bool *ret_other)
{
	*ret_other = false;
	for (size_t i = 0; i < ARRAY_SIZE(routes); i++) {
		if (!is_route(&routes[i], path, ret_target))
			continue;
		if (str_is(method, routes[i].method))
			return &routes[i];
		*ret_other = true;
	}
	return NULL;
}

struct str serve_host_name(struct str host)
{
	ptrdiff_t end = host.n && host.p[0] == '[' ? str_find(host, ']', 0) + 1 : str_find(host, ':', 0);

	if (end <= 0 || ((size_t)end < host.n && host.p[end] != ':'))
		return host;
	return str_sub(host, 0, (size_t)end);
}

bool serve_is_json(struct str type)
{
	ptrdiff_t end = str_find(type, ';', 0);

	return str_is_like(str_trim(end < 0 ? type : str_sub(type, 0, (size_t)end), " "), "application/json");
}

/* After white space, from `at` on. */
static bool follows(struct str body, size_t *at, const char *word)
{
	size_t n = strlen(word);

	while (*at < body.n && strchr(" \t\r\n", body.p[*at]) && body.p[*at])
		++*at;
	if (body.n - *at < n || memcmp(body.p + *at, word, n) != 0)
		return false;
	*at += n;
	return true;
}

bool serve_seems_python(struct str body)
{
	static const char keys[][12] = {"\"lang\"", "\"language\""};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		size_t n = strlen(keys[i]), at = 0;
		const char *found;

		while ((found = memmem(body.p + at, body.n - at, keys[i], n))) {
			at = (size_t)(found - body.p) + n;
			if (follows(body, &at, ":") && follows(body, &at, "\"py"))
				return true;
		}
	}
	return false;
}
