/* The OpenAPI description: made of the table of routes and of the schemas that the MCP tools have. */
#include "base/json_write.h"
#include "serve/serve_code.h"

#define FILES_SCHEMA                                                                                       \
	"\"files\":{\"type\":\"array\",\"description\":\"files in the home of the box\","                  \
	"\"items\":{\"type\":\"object\",\"required\":[\"name\",\"content\"],\"properties\":{"              \
	"\"name\":{\"type\":\"string\"},\"content\":{\"type\":\"string\"},"                                \
	"\"encoding\":{\"enum\":[\"utf8\",\"base64\"]}}}},"                                                \
	"\"outputs\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},"                             \
	"\"description\":\"patterns of files in the home that the answer shall have\"},"                \
	"\"args\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"arguments of the " \
	"program\"},\"argv\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},"                         \
	"\"description\":\"a program with its arguments, in place of command or code\"}"
#define OBJECT "{\"type\":\"object\"}"

static void put_error_schema(struct buf *b)
{
	buf_c(b, "{\"type\":\"object\",\"required\":[\"error\",\"message\"],\"properties\":{\"error\":"
		 "{\"type\":\"string\"},\"message\":{\"type\":\"string\"}}}");
}

/* The tool whose arguments the body has; NULL: it is another API's. */
static const char *tool_of(const struct serve_route *r)
{
	return r->work == serve_v1_run ? "run" : r->work == serve_v1_check ? "check" : NULL;
}

static void put_body(struct buf *b, const struct serve_route *r)
{
	const char *tool = tool_of(r);

	buf_c(b, ",\"requestBody\":{\"required\":true,\"content\":{\"application/json\":{\"schema\":");
	if (tool) {
		buf_c(b, "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{");
		mcp_arguments_schema(b, tool);
		if (r->boxed)
			buf_c(b, "," FILES_SCHEMA);
		buf_c(b, "}}");
	} else {
		buf_c(b, OBJECT);
	}
	buf_c(b, "}}}");
}

static void put_answer(struct buf *b, const struct serve_route *r)
{
	const char *tool = tool_of(r);

	buf_c(b, ",\"responses\":{\"200\":{\"description\":\"the answer\",\"content\":{");
	if (r->work == serve_metrics) {
		buf_c(b, "\"text/plain\":{\"schema\":{\"type\":\"string\"}}");
	} else {
		buf_c(b, "\"application/json\":{\"schema\":");
		if (tool)
			mcp_answer_schema(b, tool);
		else if (r->work == serve_v1_result)
			mcp_answer_schema(b, "result");
		else
			buf_c(b, r->work == serve_piston_runtimes ? "{\"type\":\"array\"}" : OBJECT);
		buf_char(b, '}');
	}
	if (r->streams)
		buf_c(b, ",\"text/event-stream\":{\"schema\":{\"type\":\"string\",\"description\":\"events "
			 "started, "
			 "stdout, stderr, report, error\"}}");
	buf_c(b, "}},\"default\":{\"description\":\"a "
		 "refusal\",\"content\":{\"application/json\":{\"schema\":");
	put_error_schema(b);
	buf_c(b, "}}}}");
}

static void put_parameters(struct buf *b, const struct serve_route *r)
{
	static const char audit[][8] = {"id", "agent", "session", "since", "until", "verdict", "status",
			"kind", "grep", "limit"};
	static const char result[][8] = {"stream", "offset", "bytes", "line", "lines"};
	const char(*names)[8] = r->work == serve_v1_audit    ? audit
				: r->work == serve_v1_result ? result
							     : NULL;
	size_t n = names == audit ? ARRAY_SIZE(audit) : names ? ARRAY_SIZE(result) : 0;

	json_put_open(b, "parameters", '[');
	if (str_ends(str_of(r->path), "/"))
		buf_c(b, "{\"name\":\"id\",\"in\":\"path\",\"required\":true,\"schema\":{\"type\":\"string\"}"
			 "}");
	for (size_t i = 0; i < n; i++) {
		json_put_comma(b);
		buf_fmt(b, "{\"name\":\"%s\",\"in\":\"query\",\"schema\":{\"type\":\"string\"}}", names[i]);
	}
	buf_char(b, ']');
}

static void put_route(struct buf *b, const struct serve_route *r)
{
	buf_char(b, '"');
	for (const char *p = r->method; *p; p++)
		buf_char(b, (char)(*p | 0x20));
	buf_fmt(b, "\":{\"summary\":\"%s\"", r->about);
	put_parameters(b, r);
	if (!strcmp(r->method, "POST"))
		put_body(b, r);
	put_answer(b, r);
	buf_c(b, r->scopes ? ",\"security\":[{\"token\":[]}]}" : ",\"security\":[]}");
}

void serve_openapi(struct serve_work *w)
{
	struct buf b;

	buf_init(&b, w->a, SERVE_ANSWER_MAX);
	buf_fmt(&b, "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"Caisson\",\"version\":\"%s\"},",
			w->o->mcp.version);
	buf_c(&b, "\"components\":{\"securitySchemes\":{\"token\":{\"type\":\"http\",\"scheme\":\"bearer\"}}}"
		  ","
		  "\"paths\":{");
	for (size_t i = 0; serve_route_at(i); i++) {
		const struct serve_route *r = serve_route_at(i);

		buf_fmt(&b, "%s\"%s%s\":{", i ? "," : "", r->path,
				str_ends(str_of(r->path), "/") ? "{id}" : "");
		put_route(&b, r);
		buf_char(&b, '}');
	}
	buf_c(&b, "}}\n");
	serve_answer(w, 200, SERVE_JSON, buf_view(&b));
}
