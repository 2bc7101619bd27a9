/*
 * Parses and formats lines and messages of the Model Context Protocol. Pure: bytes in, structs and bytes out.
 */
#include "base/json_write.h"
#include "client/mcp.h"
#include "judge/engine.h"

/* a buffer that grows by copying leaves its old copies in the arena */
#define SPLITTER_CAP ((size_t)8 * MCP_FRAME_MAX)
#define SPLITTER_KEEP ((size_t)1 << 20)          /* memory kept between lines */
#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CLIENT "io.modelcontextprotocol/clientInfo"
#define META_SERVER "io.modelcontextprotocol/serverInfo"

static const char *const versions[] = {MCP_MODERN, "2025-11-25", "2025-06-18", MCP_BATCHES, "2024-11-05",
		NULL};

const char *mcp_version_at(size_t i) { return versions[i]; }

bool mcp_modern(const struct mcp_message *m) { return str_is(m->version, MCP_MODERN); }

/* ---- lines ---- */

void mcp_splitter_init(struct mcp_splitter *s, struct arena *parent)
{
	*s = (struct mcp_splitter){0};
	arena_init_in(&s->a, SPLITTER_CAP, parent);
	buf_init(&s->b, &s->a, 2 * MCP_FRAME_MAX);
}

/* Drops the bytes of lines already returned. */
static void compact_buffer(struct mcp_splitter *s)
{
	if (!s->at)
		return;
	memmove(s->b.p, s->b.p + s->at, s->b.n - s->at);
	s->b.n -= s->at;
	s->seen -= s->at;
	s->at = 0;
	if (s->b.n || s->a.used < SPLITTER_KEEP)
		return;
	struct arena *parent = s->a.parent;

	arena_free(&s->a);
	arena_init_in(&s->a, SPLITTER_CAP, parent);
	buf_init(&s->b, &s->a, 2 * MCP_FRAME_MAX);
}

void mcp_splitter_feed(struct mcp_splitter *s, struct str bytes)
{
	compact_buffer(s);
	if (s->skipping) {
		ptrdiff_t end = str_find(bytes, '\n', 0);

		if (end < 0)
			return;
		s->skipping = false;
		bytes = str_from(bytes, (size_t)end + 1);
	}
	buf_str(&s->b, bytes);
}

int mcp_splitter_next(struct mcp_splitter *s, struct str *ret)
{
	ptrdiff_t end = str_find(buf_view(&s->b), '\n', s->seen);
	size_t to = end < 0 ? s->b.n : (size_t)end, from = s->at;

	s->seen = to;
	if (to - from > MCP_FRAME_MAX) {
		s->skipping = end < 0;
		s->at = s->seen = end < 0 ? s->b.n : to + 1;
		return MCP_TOO_LONG;
	}
	if (end < 0)
		return MCP_MORE;
	s->at = s->seen = to + 1;
	*ret = str_sub(buf_view(&s->b), from, to);
	return MCP_LINE;
}

/* ---- messages ---- */

static bool is_blank_line(struct str line)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] != ' ' && line.p[i] != '\t' && line.p[i] != '\r')
			return false;
	return true;
}

struct str mcp_name(struct arena *a, const struct json *v)
{
	struct buf b;

	if (!(json_is(v, JSON_STRING) && v->text.n <= MCP_TEXT_MAX) && !json_is_int(v))
		return STR("");
	buf_init(&b, a, 0);
	json_put_value(&b, v);
	return buf_view(&b);
}

/* Returns a string within MCP_TEXT_MAX; else empty. */
static struct str short_text(const struct json *v)
{
	struct str s = json_text(v);

	return s.n <= MCP_TEXT_MAX && !str_has(s, '\0') ? s : STR("");
}

static struct mcp_message bad_message(struct str id, int code, const char *why)
{
	return (struct mcp_message){.kind = MCP_BAD, .id = id.n ? id : STR("null"), .method = STR(""),
			.token = STR(""), .version = STR(""), .client = STR(""), .tool_use = STR(""),
			.code = code, .why = why};
}

static void read_meta(struct arena *a, const struct json *meta, struct mcp_message *m)
{
	const struct json *version = json_key(meta, META_VERSION);

	m->token = mcp_name(a, json_key(meta, "progressToken"));
	m->client = short_text(json_key(json_key(meta, META_CLIENT), "name"));
	m->tool_use = short_text(json_key(meta, "claudecode/toolUseId"));
	m->version = short_text(version);
	if (version && !m->version.n)
		m->version = STR("?"); /* a value is given, but is not a version */
}

static struct mcp_message read_message(struct arena *a, const struct json *v)
{
	const struct json *id = json_key(v, "id"), *method = json_key(v, "method"),
			*params = json_key(v, "params");
	struct mcp_message m = bad_message(STR(""), 0, NULL);
	struct str known = mcp_name(a, id);

	if (!json_is(v, JSON_OBJECT))
		return bad_message(STR(""), MCP_INVALID_REQUEST, "a message must be an object");
	if (!str_is(json_text_at(v, "jsonrpc"), "2.0"))
		return bad_message(known, MCP_INVALID_REQUEST, "'jsonrpc' is not \"2.0\"");
	if (!method && (json_key(v, "result") || json_key(v, "error"))) {
		m.kind = MCP_RESPONSE;
		return m;
	}
	if (id && !known.n)
		return bad_message(STR(""), MCP_INVALID_REQUEST, "'id' must be a string or an integer");
	if (!short_text(method).n)
		return bad_message(known, MCP_INVALID_REQUEST, "'method' is missing or not a string");
	if (params && !json_is(params, JSON_OBJECT))
		return bad_message(known, id ? MCP_INVALID_PARAMS : MCP_INVALID_REQUEST,
			"'params' is not an object");
	m.kind = id ? MCP_REQUEST : MCP_NOTIFICATION;
	m.id = id ? known : STR("null");
	m.method = short_text(method);
	m.params = params;
	read_meta(a, json_key(params, "_meta"), &m);
	return m;
}

static void set_single(struct arena *a, struct mcp_frame *f, struct mcp_message m)
{
	f->v = arena_new(a, struct mcp_message);
	*f->v = m;
	f->n = 1;
}

/* Makes the error message for a line that exceeds a bound or is not JSON. */
static struct mcp_message unreadable_message(struct arena *a, const struct json_reader *r)
{
	struct json_place at = json_place(r->text, r->at);

	if (r->trouble == JSON_LIMIT)
		return bad_message(STR(""), MCP_INVALID_REQUEST, str_c(a, json_why(r)));
	return bad_message(STR(""), MCP_PARSE_ERROR,
			str_fmt_c(a, "line %zu, column %zu: %.*s", at.line, at.column, STR_ARG(json_why(r))));
}

void mcp_frame_read(struct arena *a, struct str line, struct mcp_frame *ret)
{
	const struct json *value;
	struct json_reader r;

	*ret = (struct mcp_frame){0};
	if (is_blank_line(line))
		return;
	json_reader_init(&r, a, line, JSON_STRICT);
	r.depth_max = MCP_DEPTH_MAX;
	r.count_max = MCP_VALUES_MAX;
	value = json_only(&r);
	if (!value)
		set_single(a, ret, unreadable_message(a, &r));
	else if (value->kind != JSON_ARRAY)
		set_single(a, ret, read_message(a, value));
	else if (!value->n || value->n > MCP_BATCH_MAX)
		set_single(a, ret,
				bad_message(STR(""), MCP_INVALID_REQUEST,
				value->n ? "too many messages in one line" : "an empty list"));
	if (ret->n)
		return;
	ret->batch = true;
	ret->v = arena_array(a, value->n, sizeof(*ret->v));
	for (const struct json *v = value->first; v; v = v->next)
		ret->v[ret->n++] = read_message(a, v);
}

/* ---- answers ---- */

void mcp_put_error(struct buf *b, struct str id, int code, struct str message, struct str data)
{
	buf_c(b, "{\"jsonrpc\":\"2.0\",\"id\":");
	buf_str(b, id);
	buf_fmt(b, ",\"error\":{\"code\":%d,\"message\":", code);
	json_put_string(b, message);
	if (data.n) {
		buf_c(b, ",\"data\":");
		buf_str(b, data);
	}
	buf_c(b, "}}\n");
}

void mcp_put_result(struct buf *b, const struct mcp_message *m, const char *server_version, struct str fields)
{
	buf_c(b, "{\"jsonrpc\":\"2.0\",\"id\":");
	buf_str(b, m->id);
	buf_c(b, ",\"result\":{");
	if (mcp_modern(m))
		buf_c(b, fields.n ? "\"resultType\":\"complete\"," : "\"resultType\":\"complete\"");
	buf_str(b, fields);
	if (mcp_modern(m)) {
		buf_c(b, ",\"_meta\":{\"" META_SERVER "\":{\"name\":\"caisson\",\"version\":");
		json_put_string(b, str_of(server_version));
		buf_c(b, "}}");
	}
	buf_c(b, "}}\n");
}
