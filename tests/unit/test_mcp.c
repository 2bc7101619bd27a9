/* The pure parts of the MCP server: lines out of pieces, messages out of lines, lines out of answers. */
#include "client/mcp.h"
#include "unit.h"

static struct arena a;

/* ---- lines ---- */

/* Feeds the text in pieces; the lines, each in brackets, "!" for one that was too long. */
static struct str split(struct str text, size_t piece)
{
	struct mcp_splitter s;
	struct str line;
	struct buf b;
	int kind;

	buf_init(&b, &a, 0);
	mcp_splitter_init(&s, NULL);
	for (size_t at = 0; at < text.n; at += piece) {
		mcp_splitter_feed(&s, str_sub(text, at, at + piece));
		while ((kind = mcp_splitter_next(&s, &line)) != MCP_MORE)
			buf_fmt(&b, kind == MCP_TOO_LONG ? "!" : "[%.*s]",
					kind == MCP_TOO_LONG ? 0 : (int)line.n,
					kind == MCP_TOO_LONG ? "" : line.p);
	}
	arena_free(&s.a);
	return buf_view(&b);
}

static void test_splitter(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {{"", ""}, {"a", ""}, {"a\n", "[a]"}, {"\n", "[]"}, {"a\nb\n\nc", "[a][b][]"},
			{"a\r\nb\n", "[a\r][b]"}, {"one line\nanother one\nrest", "[one line][another one]"}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (size_t piece = 1; piece < 12; piece++)
			CHECK_STR(split(str_of(rows[i].text), piece), rows[i].want);
}

static void test_too_long(void)
{
	const size_t pieces[] = {65536, 50000, 1 << 20};
	struct buf b;

	buf_init(&b, &a, 4 * MCP_FRAME_MAX);
	buf_c(&b, "before\n");
	for (size_t i = 0; i <= MCP_FRAME_MAX; i++)
		buf_char(&b, 'x');
	buf_c(&b, "\nafter\n");
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++)
		CHECK_STR(split(buf_view(&b), pieces[i]), "[before]![after]");
	b.n -= strlen("\nafter\n") + 1;
	buf_c(&b, "\nafter\n");
	CHECK(split(buf_view(&b), 65536).n == MCP_FRAME_MAX + strlen("[before][][after]"));
}

/* ---- messages ---- */

static const char *const kinds[] = {[MCP_BAD] = "bad", [MCP_REQUEST] = "request", [MCP_NOTIFICATION] = "note",
		[MCP_RESPONSE] = "response"};

/* "request 1 ping", "bad null -32700", ...; one after the other for a list */
static struct str read_line(struct str line)
{
	struct mcp_frame f;
	struct buf b;

	buf_init(&b, &a, 0);
	mcp_frame_read(&a, line, &f);
	if (f.batch)
		buf_c(&b, "list: ");
	for (size_t i = 0; i < f.n; i++) {
		const struct mcp_message *m = &f.v[i];

		buf_fmt(&b, "%s%s", i ? "; " : "", kinds[m->kind]);
		if (m->kind == MCP_BAD || m->kind == MCP_REQUEST)
			buf_fmt(&b, " %.*s", STR_ARG(m->id));
		if (m->kind == MCP_BAD)
			buf_fmt(&b, " %d", m->code);
		else if (m->method.n)
			buf_fmt(&b, " %.*s", STR_ARG(m->method));
		if (m->token.n)
			buf_fmt(&b, " token %.*s", STR_ARG(m->token));
		if (m->version.n)
			buf_fmt(&b, " version %.*s%s", STR_ARG(m->version), mcp_modern(m) ? " modern" : "");
		if (m->client.n)
			buf_fmt(&b, " client %.*s", STR_ARG(m->client));
		if (m->tool_use.n)
			buf_fmt(&b, " use %.*s", STR_ARG(m->tool_use));
	}
	return buf_view(&b);
}

static void test_messages(void)
{
	static const struct {
		const char *line, *want;
	} rows[] = {
		{"", ""},
		{"  \t\r", ""},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", "request 1 ping"},
		{"{\"jsonrpc\":\"2.0\",\"id\":\"a\\\"b\",\"method\":\"ping\",\"params\":{}}\r",
				"request \"a\\\"b\" ping"},
		{"{\"jsonrpc\":\"2.0\",\"id\":-9007199254740993,\"method\":\"x\"}",
				"request -9007199254740993 x"},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
				"note notifications/initialized"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", "response"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}", "response"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\","
				"\"params\":{\"_meta\":{\"progressToken\":\"t\","
				"\"claudecode/toolUseId\":\"toolu_1\"}}}",
				"request 1 x token \"t\" use toolu_1"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"_meta\":{\"progressToken\":0,"
				"\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
				"\"io.modelcontextprotocol/clientInfo\":{\"name\":\"c\"}}}}",
			"request 1 x token 0 version 2026-07-28 modern client c"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\","
				"\"params\":{\"_meta\":{\"progressToken\":[],"
				"\"io.modelcontextprotocol/protocolVersion\":7,"
				"\"io.modelcontextprotocol/clientInfo\":\"c\"}}}", "request 1 x version ?"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"_meta\":[1]}}", "request 1 x"},
		{"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"},7,{\"jsonrpc\":\"2.0\",\"method\":\"y\"}]",
				"list: request 1 x; bad null -32600; note y"},
		{"[]", "bad null -32600"},
		{"{", "bad null -32700"},
		{"{\"a\":1,\"a\":2}", "bad null -32700"},
		{"{\"jsonrpc\":\"2.0\",\"id\":5}", "bad 5 -32600"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"x\"}", "bad null -32600"},
		{"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"x\",\"params\":[]}", "bad 5 -32602"},
		{"{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":[]}", "bad null -32600"},
		{"{\"id\":\"i\",\"method\":\"x\"}", "bad \"i\" -32600"},
		{"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\\u0000b\"}", "bad 1 -32600"},
	};
	struct buf b;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_STR(read_line(str_of(rows[i].line)), rows[i].want);
	buf_init(&b, &a, 0);
	for (size_t i = 0; i < MCP_DEPTH_MAX + 1; i++)
		buf_char(&b, '[');
	CHECK_STR(read_line(buf_view(&b)), "bad null -32600");
	b.n = 0;
	buf_c(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\",\"params\":{\"t\":\"");
	for (size_t i = 0; i < 2 * MCP_VALUES_MAX; i++)
		buf_c(&b, ",[\\\"{"); /* in a string these are letters */
	buf_c(&b, "\"}}");
	CHECK_STR(read_line(buf_view(&b)), "request 1 x");
	b.n = 0;
	buf_char(&b, '[');
	for (size_t i = 0; i < MCP_VALUES_MAX; i++)
		buf_c(&b, "{},");
	buf_c(&b, "0]");
	CHECK_STR(read_line(buf_view(&b)), "bad null -32600");
}

/* ---- answers ---- */

static void test_answers(void)
{
	struct mcp_message m = {.kind = MCP_REQUEST, .id = STR("\"q\""), .version = STR("")};
	struct buf b;

	buf_init(&b, &a, 0);
	mcp_put_error(&b, STR("null"), MCP_PARSE_ERROR, STR("no \"JSON\"\xff"), STR(""));
	CHECK_STR(buf_view(&b),
			"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"no "
			"\\\"JSON\\\"\xEF\xBF\xBD\"}}\n");
	b.n = 0;
	mcp_put_error(&b, STR("7"), MCP_VERSION_ERROR, STR("x"), STR("{\"supported\":[]}"));
	CHECK_STR(buf_view(&b),
			"{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32022,\"message\":\"x\","
			"\"data\":{\"supported\":[]}}}\n");
	b.n = 0;
	mcp_put_result(&b, &m, "1", STR(""));
	CHECK_STR(buf_view(&b), "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{}}\n");
	b.n = 0;
	mcp_put_failure(&b, &m, "1", "no");
	CHECK_STR(buf_view(&b),
			"{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{\"content\":[{\"type\":\"text\","
			"\"text\":\"no\"}],\"isError\":true}}\n");
	b.n = 0;
	m.version = STR(MCP_MODERN);
	mcp_put_result(&b, &m, "1", STR("\"a\":1"));
	CHECK_STR(buf_view(&b),
			"{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":{\"resultType\":\"complete\",\"a\":1,"
			"\"_meta\":{\"io.modelcontextprotocol/serverInfo\":{\"name\":\"caisson\","
			"\"version\":\"1\"}}}}\n");
}

static const struct json *tools_of(const struct mcp_options *o)
{
	struct buf b;
	struct json *v = NULL;
	struct err e = {0};

	buf_init(&b, &a, 0);
	buf_char(&b, '{');
	mcp_tools_list(&b, o);
	buf_char(&b, '}');
	CHECK_INT(json_read(&a, buf_view(&b), &v, &e), 0);
	return json_key(v, "tools");
}

static const struct json *run_argument(const struct json *tools, const char *name)
{
	const struct json *input = json_key(unit_item(tools, 0), "inputSchema");

	return json_key(json_key(input, "properties"), name);
}

static void test_list(void)
{
	struct mcp_options o = {.version = "1"}, keeps = {.version = "1", .keeps = true};
	const struct json *tools = tools_of(&o);

	CHECK_INT(json_size(tools), 4);
	CHECK(run_argument(tools, "tail") && !run_argument(tools, "background_after_sec"));
	tools = tools_of(&keeps);
	CHECK_INT(json_size(tools), 5);
	CHECK(run_argument(tools, "background_after_sec"));
	CHECK(str_contains(mcp_instructions(&a, &keeps), STR("tool background")));
	for (size_t i = 0; i < json_size(tools); i++) {
		const struct json *out = json_key(unit_item(tools, i), "outputSchema");

		CHECK_STR(json_text_at(out, "type"), "object");
		CHECK(json_is(json_key(out, "properties"), JSON_OBJECT) && !json_key(out, "$schema"));
	}
	CHECK(str_contains(mcp_instructions(&a, &o), STR("has no workspace")));
	CHECK(!str_contains(mcp_instructions(&a, &o), STR("tool background")));
	o.base.workspace = (struct run_workspace){.path = STR("/data/in"), .given = true};
	CHECK(str_contains(mcp_instructions(&a, &o),
			STR("the workspace /data/in, which is read-only here")));
	o.base.workspace = (struct run_workspace){0};
	o.base.profile = PROFILE_WORK;
	CHECK(str_contains(mcp_instructions(&a, &o), STR("written to the workspace. ")));
}

int main(void)
{
	arena_init(&a, (size_t)2 << 30);
	RUN(test_splitter);
	RUN(test_too_long);
	RUN(test_messages);
	RUN(test_answers);
	RUN(test_list);
	arena_free(&a);
	return unit_end();
}
