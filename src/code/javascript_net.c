/* Hosts that JavaScript code contacts, and ports that it opens. */
#include "code/javascript.h"

struct str js_url_host(struct str url)
{
	size_t from = 0, to;

	for (size_t i = 0; i + 2 < url.n && !from; i++)
		if (url.p[i] == ':' && url.p[i + 1] == '/' && url.p[i + 2] == '/')
			from = i + 3;
	if (!from || text_open(str_first(url, from)))
		return CODE_HOLE;
	for (to = from; to < url.n && url.p[to] != '/' && url.p[to] != '?' && url.p[to] != '#' &&
			url.p[to] != '\\'; to++) {
		if (text_hole(url.p[to]))
			return CODE_HOLE;
		if (url.p[to] == '@')
			from = to + 1;
	}
	for (size_t i = from; i < to; i++)
		if (url.p[i] == ':' && url.p[from] != '[')
			to = i;
	return to > from ? str_sub(url, from, to) : CODE_HOLE;
}

static void touch_one(struct code_walk *w, const struct js_call *c, const struct js_value *v)
{
	struct js_set one = js_one(*v), host;

	if (v->kind == JS_NODE && node_is(v->node, "object")) {
		host = js_member(w, &one, STR("hostname"), c->n);
		if (!text_exact(js_set_text(&host)))
			host = js_member(w, &one, STR("host"), c->n);
		code_touch(w, text_exact(js_set_text(&host)) ? js_set_text(&host) : CODE_HOLE, c->n);
	} else if (v->kind == JS_TEXT && str_starts(v->text, "file:")) {
		code_access(w, ACCESS_READ, CODE_HOLE, false, c->op, c->n);
	} else if (v->kind != JS_TEXT || !str_starts(v->text, "data:")) {
		code_touch(w, js_url_host(js_text(v)), c->n);
	}
}

/* True if an option directs the request to another place than its URL. */
static bool goes_elsewhere(struct code_walk *w, const struct js_call *c)
{
	static const char names[][20] = {"host", "hostname", "socketPath", "unix", "lookup",
			"createConnection", "agent", "_defaultAgent", "dispatcher", "proxy", "client"};
	/* for net.connect and tls.connect; in a request `path` has another meaning */
	static const char sockets[][16] = {"path", "socket", "fd", "secureContext"};
	struct js_set s;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (js_option(w, c, i < 2 ? 1 : 0, names[i], &s))
			return true;
	for (size_t i = 0; c->row->act == JS_ACT_PORT && i < ARRAY_SIZE(sockets); i++)
		if (js_option(w, c, 0, sockets[i], &s))
			return true;
	return false;
}

/* Handles server.listen(port, host), (port), ({port, host}) and (path). */
static void listen_at(struct code_walk *w, const struct js_call *c, const struct js_set *first)
{
	struct js_set host;
	bool given = js_argument(w, c, 1, &host) && host.n == 1 && host.v[0].kind == JS_TEXT;

	if (first->n == 1 && first->v[0].kind == JS_NODE && node_is(first->v[0].node, "object")) {
		given = js_option(w, c, 0, "host", &host);
		if (js_option(w, c, 0, "path", &(struct js_set){0}) ||
				js_option(w, c, 0, "fd", &(struct js_set){0}))
			code_touch(w, CODE_HOLE, c->n);
	} else if (first->n != 1 || first->v[0].kind != JS_NUM || c->open) {
		code_touch(w, CODE_HOLE, c->n);
	}
	if (!given || str_is(js_set_text(&host), "0.0.0.0") || !js_set_text(&host).n)
		code_touch(w, STR("::"), c->n); /* on all interfaces */
	else
		code_touch(w, js_set_text(&host), c->n);
}

void js_touch(struct code_walk *w, const struct js_call *c)
{
	struct js_set s, host;

	js_argument(w, c, 0, &s);
	if (c->row->act == JS_ACT_LISTEN) {
		code_touch(w, STR("0.0.0.0"), c->n); /* opens a port on all interfaces */
		code_touch(w, STR("::"), c->n);
	} else if (c->row->act == JS_ACT_BIND) {
		listen_at(w, c, &s);
	} else if (c->row->act == JS_ACT_SERVER) {
		/* it listens only after a call of listen() */
		c->open ? code_touch(w, STR("::"), c->n) : (void)0;
	} else if (c->row->act == JS_ACT_NET && !*c->row->what) {
		code_touch(w, CODE_HOLE, c->n);
	} else if (c->row->act == JS_ACT_PORT && !(s.n == 1 && s.v[0].kind == JS_NODE)) {
		bool given = js_argument(w, c, 1, &host) && js_is_list(&host);

		for (size_t i = 0; i < s.n; i++)
			/* possibly the path of a socket */
			c->open || s.v[i].kind != JS_NUM ? code_touch(w, CODE_HOLE, c->n) : (void)0;
		code_touch(w, goes_elsewhere(w, c) ? CODE_HOLE : given ? js_set_text(&host) :
				STR("localhost"), c->n);
	} else {
		for (size_t i = 0; i < s.n; i++)
			touch_one(w, c, &s.v[i]);
		if (goes_elsewhere(w, c))
			code_touch(w, CODE_HOLE, c->n);
	}
}
