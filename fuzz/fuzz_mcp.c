/*
 * libFuzzer: lines of the MCP server. The first byte says how large the pieces are.
 * Holds: no crash; pieces make no difference; a message is a request with an id and a method, a notification
 * with a method, or has a code; what is answered is one line of JSON with that id; a call that is let through
 * names a tool and has arguments that are an object.
 */
#include "client/mcp.h"
#include "fuzz.h"

#define LINES_MAX 64

struct input {
	struct arena *a;
	size_t piece;
	struct str text;
};

/* The text of all lines in brackets, so that two ways can be compared. */
static struct str lines_of(struct input *in, size_t piece)
{
	struct mcp_splitter s;
	struct str line;
	struct buf b;
	int kind;

	buf_init(&b, in->a, 0);
	mcp_splitter_init(&s, NULL);
	for (size_t at = 0; at < in->text.n; at += piece) {
		mcp_splitter_feed(&s, str_sub(in->text, at, at + piece));
		while ((kind = mcp_splitter_next(&s, &line)) != MCP_MORE) {
			require(kind == MCP_LINE && !memchr(line.p, '\n', line.n));
			buf_char(&b, '<');
			buf_str(&b, line);
			buf_char(&b, '>');
		}
	}
	arena_free(&s.a);
	return buf_view(&b);
}

/* One line of JSON, with the id of the question. */
static void require_answer(struct arena *a, struct str line, struct str id)
{
	struct json *v = NULL;

	require(line.n && line.p[line.n - 1] == '\n' && !memchr(line.p, '\n', line.n - 1));
	require(json_read(a, str_sub(line, 0, line.n - 1), &v, NULL) == 0);
	require(json_key(v, "id") && str_eq(str_sub(line, json_key(v, "id")->from, json_key(v, "id")->to),
			id));
	require(!json_key(v, "result") != !json_key(v, "error"));
}

static void message(struct input *in, const struct mcp_message *m)
{
	struct buf b;

	buf_init(&b, in->a, 0);
	require(m->kind != MCP_REQUEST || (m->method.n && !str_is(m->id, "null") && !m->code));
	require(m->kind != MCP_NOTIFICATION || (m->method.n && str_is(m->id, "null")));
	require(m->kind != MCP_BAD || (m->code < 0 && m->why));
	require(!m->params || json_is(m->params, JSON_OBJECT));
	require(m->id.n <= 6 * MCP_TEXT_MAX + 2 && m->token.n <= 6 * MCP_TEXT_MAX + 2 &&
			m->method.n <= MCP_TEXT_MAX && m->client.n <= MCP_TEXT_MAX);
	if (m->kind == MCP_BAD)
		mcp_put_error(&b, m->id, m->code, str_of(m->why), STR(""));
	else if (m->kind == MCP_REQUEST && str_is(m->method, "tools/call") &&
			!mcp_call_wrong(in->a, &(struct mcp_options){.keeps = true}, m))
		require(json_is(json_key(m->params, "name"), JSON_STRING) &&
				(!json_key(m->params, "arguments") ||
				json_is(json_key(m->params, "arguments"), JSON_OBJECT)));
	if (m->kind == MCP_REQUEST)
		mcp_put_failure(&b, m, "1", "no");
	if (b.n)
		require_answer(in->a, buf_view(&b), m->id);
}

static int one(void *arg)
{
	struct input *in = arg;
	struct str all = lines_of(in, in->text.n ? in->text.n : 1);
	struct mcp_frame f;
	size_t from = 0;

	require(str_eq(all, lines_of(in, in->piece)));
	for (size_t n = 0; n < LINES_MAX && from <= in->text.n; n++) {
		ptrdiff_t end = str_find(in->text, '\n', from);
		size_t to = end < 0 ? in->text.n : (size_t)end;

		mcp_frame_read(in->a, str_sub(in->text, from, to), &f);
		require(!f.batch || (f.n && f.n <= MCP_BATCH_MAX));
		for (size_t i = 0; i < f.n; i++)
			message(in, &f.v[i]);
		from = to + 1;
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct input in = {.a = &a};

	if (size < 1)
		return 0;
	in.piece = 1 + data[0] % 64;
	in.text = str_n((const char *)data + 1, size - 1);
	arena_init(&a, ARENA_CAP_DEFAULT);
	require(arena_run(&a, one, &in) == 0);
	arena_free(&a);
	return 0;
}
