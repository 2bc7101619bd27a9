/*
 * The tools of the MCP server.
 *
 * A tool is a row with rows of arguments. The schema for clients and the parser of calls both come from these
 * rows. A call runs in a child process (mcp_server.c), so it may take its time and as much memory as it
 * needs. A call's arguments can only narrow the options of the person who started the server: limits and the
 * workspace's mode. Nothing else of a run can be requested.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/embedded.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "client/mcp.h"
#include "run/job.h"
#include "run/run_validation.h"
#include "sys/file.h"
#include "sys/state.h"

#define RESULT_DEFAULT 16384            /* bytes of a stored output shown by default */
#define RESULT_MAX 65536                /* and at most on request */
#define RESULT_LINES_MAX 10000
#define WAIT_DEFAULT 30                 /* seconds */
#define WAIT_MAX 600
#define NUMBER_MAX 1000000000           /* larger numbers are clamped to this */
/* bytes of a notification: a fully escaped token, and the rest */
#define PROGRESS_MAX (7 * MCP_TEXT_MAX + 512)

/* ---- arguments ---- */

struct mcp_number {
	bool given;
	double n;
};

struct arguments {
	/* p is NULL if not given */
	struct str command, code, lang, cwd, workspace, network, task, input, columns, id, stream, action;
	struct mcp_number timeout, memory, cpus, pids, head, tail, offset, bytes, line, lines, after;
};

enum kind { KIND_TEXT, KIND_BYTES /* text that may contain NUL */, KIND_CHOICE, KIND_NUMBER, KIND_COUNT };

/* IF_KEPT: optional, and only of a server whose boxes may stay in the background. */
enum argument_need { OPTIONAL, REQUIRED, IF_KEPT };

struct argument {
	char name[24];
	enum kind kind;
	size_t offset;
	enum argument_need need;
	char choices[56]; /* a|b|c; empty: any */
	char about[120];
};

#define AT(field) offsetof(struct arguments, field)
#define ACTIONS "list|logs|wait|stop" /* in the order of enum mcp_background_action */
#define LANGUAGES "python|node|bash|sh|zsh|perl|ruby|php|lua|r|powershell"
static const struct argument run_arguments[] = {
	{"command", KIND_TEXT, AT(command), OPTIONAL, "", "shell text for bash; either this or code"},
	{"code", KIND_TEXT, AT(code), OPTIONAL, "", "code in the language of lang"},
	{"lang", KIND_CHOICE, AT(lang), OPTIONAL, LANGUAGES,
			"the language of code, or the shell for command"},
	{"stdin", KIND_BYTES, AT(input), OPTIONAL, "",
			"standard input of the program (default: empty)"},
	{"cwd", KIND_TEXT, AT(cwd), OPTIONAL, "",
			"working directory: absolute, or relative to the workspace"},
	{"workspace", KIND_CHOICE, AT(workspace), OPTIONAL, "none|ro|rw",
			"restrict the workspace: none, or read-only"},
	{"network", KIND_TEXT, AT(network), OPTIONAL, "",
			"restrict the network: deny, loopback, or some of the server's hosts separated by "
			"commas"},
	{"timeout_sec", KIND_NUMBER, AT(timeout), OPTIONAL, "",
			"time limit in seconds; at most the server's own"},
	{"memory_mb", KIND_NUMBER, AT(memory), OPTIONAL, "", "memory limit; at most the server's own"},
	{"cpus", KIND_NUMBER, AT(cpus), OPTIONAL, "",
			"number of CPUs, such as 2 or 0.5; at most the server's own"},
	{"pids", KIND_COUNT, AT(pids), OPTIONAL, "", "processes and threads; at most the server's own"},
	{"task", KIND_CHOICE, AT(task), OPTIONAL, "test|typecheck|lint|data|json",
			"check the result as this task: validation in the report says if its numbers can be "
			"trusted"},
	{"columns", KIND_TEXT, AT(columns), OPTIONAL, "",
			"for the task data: required columns, separated by commas; id:integer also sets a "
			"type"},
	{"head", KIND_COUNT, AT(head), OPTIONAL, "",
			"show this many first lines of each stream instead of 4 KB from both ends"},
	{"tail", KIND_COUNT, AT(tail), OPTIONAL, "", "show this many last lines of each stream"},
	{"background_after_sec", KIND_NUMBER, AT(after), IF_KEPT, "",
			"answer after this many seconds with the status running; the program goes on in the "
			"background"},
};
static const struct argument check_arguments[] = {
	{"command", KIND_TEXT, AT(command), OPTIONAL, "", "shell text; either this or code"},
	{"code", KIND_TEXT, AT(code), OPTIONAL, "", "code in the language of lang"},
	{"lang", KIND_CHOICE, AT(lang), OPTIONAL, LANGUAGES,
			"the language of code, or the shell for command (default: bash)"},
	{"cwd", KIND_TEXT, AT(cwd), OPTIONAL, "",
			"working directory: absolute, or relative to the workspace"},
};
static const struct argument verify_arguments[] = {
	{"command", KIND_TEXT, AT(command), REQUIRED, "", "shell text that runs the tests, such as npm test"},
	{"cwd", KIND_TEXT, AT(cwd), OPTIONAL, "",
			"working directory: absolute, or relative to the workspace"},
	{"timeout_sec", KIND_NUMBER, AT(timeout), OPTIONAL, "", "time limit in seconds; at most the server's "
			"own"},
};
static const struct argument result_arguments[] = {
	{"id", KIND_TEXT, AT(id), REQUIRED, "", "id from the report of the run"},
	{"stream", KIND_CHOICE, AT(stream), REQUIRED, "stdout|stderr", "which stream"},
	{"offset", KIND_COUNT, AT(offset), OPTIONAL, "", "the first byte to show, from 0 (default)"},
	{"bytes", KIND_COUNT, AT(bytes), OPTIONAL, "", "how many bytes (default 16384, at most 65536)"},
	{"line", KIND_COUNT, AT(line), OPTIONAL, "", "the first line to show, from 1; instead of offset"},
	{"lines", KIND_COUNT, AT(lines), OPTIONAL, "", "how many lines (as many as fit into bytes)"},
};
static const struct argument background_arguments[] = {
	{"action", KIND_CHOICE, AT(action), REQUIRED, ACTIONS, "what to do; all but list need an id"},
	{"id", KIND_TEXT, AT(id), OPTIONAL, "", "id of the box, from background in a report or from list"},
	{"timeout_sec", KIND_NUMBER, AT(timeout), OPTIONAL, "",
			"wait: at most this many seconds (default 30, at most 600)"},
	{"bytes", KIND_COUNT, AT(bytes), OPTIONAL, "",
			"logs: how many of the last bytes (default 16384, at most 65536)"},
};

struct tool {
	const char *name, *title, *about, *hints;
	const struct argument *arguments;
	size_t n;
	int (*work)(struct mcp_call *c, const struct arguments *g);
	void (*output)(struct buf *b); /* appends the schema of structuredContent */
	bool background; /* only of a server whose boxes may stay in the background */
};

static int work_run(struct mcp_call *c, const struct arguments *g);
static int work_verify_tests(struct mcp_call *c, const struct arguments *g);
static int work_check(struct mcp_call *c, const struct arguments *g);
static int work_result(struct mcp_call *c, const struct arguments *g);
static int work_background(struct mcp_call *c, const struct arguments *g);
static void put_report_schema(struct buf *b);
static void put_check_schema(struct buf *b);
static void put_result_schema(struct buf *b);
static void put_background_schema(struct buf *b);

static const struct tool tools[] = {
	{"run", "Run in a sandbox",
		"Run a shell command, or code in a language, in a fresh sandbox (the box) with limits, and "
				"get a report: status, exit_code, stdout, stderr, resources. Only files "
				"written to the workspace remain. The command is judged first: status denied "
				"and needs_approval mean that it did not run, and reasons say why. hints "
				"name limits of the box that likely caused a failure. Long output is "
				"shortened; the tool result shows the rest.",
		"{\"readOnlyHint\":false,\"destructiveHint\":true,\"idempotentHint\":false,"
				"\"openWorldHint\":false}", run_arguments, ARRAY_SIZE(run_arguments),
				work_run, put_report_schema, false},
	{"verify_tests", "Run the tests of HEAD on the current code",
			"Run a test command in a box, in a copy of the project with the tests and runner "
			"settings of the last commit, and get the report. A failure here means that edited "
			"tests may hide an error: validation.result says pass or fail.",
		"{\"readOnlyHint\":true,\"destructiveHint\":false,\"idempotentHint\":false,"
				"\"openWorldHint\":false}", verify_arguments, ARRAY_SIZE(verify_arguments),
				work_verify_tests, put_report_schema, false},
	{"check", "Judge a command",
			"Judge a command without running it: allow, contain (runs only in a box), ask or "
			"deny, with reasons.",
		"{\"readOnlyHint\":true,\"destructiveHint\":false,\"idempotentHint\":true,"
				"\"openWorldHint\":false}", check_arguments, ARRAY_SIZE(check_arguments),
				work_check, put_check_schema, false},
	{"result", "Read a kept output",
			"Show a part of the full output of an earlier run whose report says that it was "
			"truncated.",
		"{\"readOnlyHint\":true,\"destructiveHint\":false,\"idempotentHint\":true,"
				"\"openWorldHint\":false}", result_arguments, ARRAY_SIZE(result_arguments),
				work_result, put_result_schema, false},
	{"background", "Boxes in the background",
			"List the boxes that earlier commands of this session left in the background, read "
			"their output, wait for the end of one, or stop it.",
		"{\"readOnlyHint\":false,\"destructiveHint\":true,\"idempotentHint\":true,"
				"\"openWorldHint\":false}", background_arguments,
				ARRAY_SIZE(background_arguments), work_background, put_background_schema,
				true},
};

static const struct tool *find_tool(struct str name, bool background)
{
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++)
		if (str_is(name, tools[i].name) && (background || !tools[i].background))
			return &tools[i];
	return NULL;
}

/* ---- schemas ---- */

static void put_choices(struct buf *b, const char *choices)
{
	struct str all = str_of(choices);

	buf_c(b, "\"enum\":[");
	for (size_t from = 0; from <= all.n;) {
		size_t to = str_end(all, '|', from);

		buf_fmt(b, "%s\"%.*s\"", from ? "," : "", (int)(to - from), all.p + from);
		from = to + 1;
	}
	buf_char(b, ']');
}

static void put_properties(struct buf *b, const struct tool *t, bool background)
{
	static const char types[][8] = {[KIND_TEXT] = "string", [KIND_BYTES] = "string",
			[KIND_CHOICE] = "string", [KIND_NUMBER] = "number", [KIND_COUNT] = "integer"};

	for (size_t i = 0; i < t->n; i++) {
		const struct argument *a = &t->arguments[i];

		if (a->need == IF_KEPT && !background)
			continue;
		buf_fmt(b, "%s\"%s\":{\"type\":\"%s\",", i ? "," : "", a->name, types[a->kind]);
		if (a->choices[0]) {
			put_choices(b, a->choices);
			buf_char(b, ',');
		}
		if (a->kind == KIND_COUNT)
			buf_c(b, "\"minimum\":0,");
		buf_fmt(b, "\"description\":\"%s\"}", a->about);
	}
}

static void put_input_schema(struct buf *b, const struct tool *t, bool background)
{
	bool any = false;

	buf_c(b, "{\"type\":\"object\",\"properties\":{");
	put_properties(b, t, background);
	buf_c(b, "},\"required\":[");
	for (size_t i = 0; i < t->n; i++)
		if (t->arguments[i].need == REQUIRED) {
			buf_fmt(b, "%s\"%s\"", any ? "," : "", t->arguments[i].name);
			any = true;
		}
	buf_c(b, "],\"additionalProperties\":false}");
}

/* Appends all members of an object except two keys. */
static void put_members(struct buf *b, const struct json *o, const char *but, const char *nor)
{
	for (const struct json *m = json_members(o); m; m = m->next) {
		if (str_is(m->key, but) || str_is(m->key, nor))
			continue;
		json_put_comma(b);
		json_put_string(b, m->key);
		buf_char(b, ':');
		json_put_value(b, m);
	}
}

/*
 * Appends a schema, or one of its $defs, without "$schema": clients assume the newest draft, and some accept
 * no other name for it.
 */
static void put_schema(struct buf *b, const unsigned char *text, size_t n, const char *part)
{
	struct json *whole;

	if (json_read(b->a, str_n((const char *)text, n), &whole, NULL) != 0) {
		buf_c(b, "{\"type\":\"object\"}");
		return;
	}
	buf_char(b, '{');
	if (part) {
		const struct json *defs = json_key(whole, "$defs");

		put_members(b, json_key(defs, part), "$defs", "");
		json_put_open(b, "$defs", '{');
		put_members(b, defs, part, "error");
		buf_char(b, '}');
	} else {
		put_members(b, whole, "$schema", "");
	}
	buf_char(b, '}');
}

static void put_report_schema(struct buf *b) { put_schema(b, schema_report, schema_report_n, NULL); }
static void put_check_schema(struct buf *b)
{
	put_schema(b, schema_check_answer, schema_check_answer_n, "answer");
}

static void put_result_schema(struct buf *b)
{
	buf_c(b, "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"id\",\"stream\","
			"\"text\",\"from\",\"to\",\"line\",\"total_bytes\",\"total_lines\",\"next\"],"
			"\"properties\":{"
		 "\"id\":{\"type\":\"string\"},\"stream\":{\"enum\":[\"stdout\",\"stderr\"]},"
		 "\"text\":{\"type\":\"string\"},"
		 "\"from\":{\"type\":\"integer\",\"description\":\"The first byte "
		 "shown\"},\"to\":{\"type\":\"integer\",\"description\":\"The byte after the last\"},"
		 "\"line\":{\"type\":\"integer\",\"description\":\"The number of the line in which from "
		 "lies, from 1\"},"
		 "\"total_bytes\":{\"type\":\"integer\"},\"total_lines\":{\"type\":\"integer\"},"
		 "\"next\":{\"type\":[\"integer\",\"null\"],\"description\":\"offset for the next call; "
		 "null: this was the end\"}}}");
}

static void put_background_schema(struct buf *b)
{
	buf_c(b, "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"boxes\"],"
		 "\"properties\":{\"boxes\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
		 "\"required\":[\"id\",\"of\",\"state\",\"status\",\"started\",\"session\","
		 "\"project\",\"command\",\"ports\"],\"properties\":{"
		 "\"id\":{\"type\":\"string\"},\"of\":{\"type\":\"string\",\"description\":\"The id of "
		 "the run that left it behind\"},\"state\":{\"enum\":[\"running\",\"ended\",\"lost\"]},"
		 "\"ports\":{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"description\":\"The "
		 "ports on which it listens: later commands reach them at 127.0.0.1\"}}}},"
		 "\"log\":{\"type\":\"string\"},"
		 "\"report\":{\"type\":\"object\",\"description\":\"The report of a box that has "
		 "ended\"}}}");
}

/* ---- descriptions for clients ---- */

/* The hosts of the person's policy are not known here; a run that is refused one says so. */
static void put_network(struct arena *a, struct buf *b, const struct network_request *n)
{
	struct str hosts = network_request_text(a, n);

	if (n->words)
		buf_fmt(b, "The network is closed but for these hosts: %.*s. ", STR_ARG(hosts));
	else
		buf_fmt(b, "The network is %s. ", network_request_is_host(n) ? "the host's" : "closed");
}

struct str mcp_instructions(struct arena *a, const struct mcp_options *o)
{
	const struct run_request *rq = &o->base;
	const struct run_workspace *ws = &rq->workspace;
	struct buf b;

	buf_init(&b, a, 0);
	buf_c(&b, "Commands run in a fresh sandbox (the box): the kernel enforces limits, and nothing "
			"remains");
	if (ws->given || rq->profile == PROFILE_WORK)
		buf_fmt(&b, " except files written to the workspace%s%.*s%s. ", ws->given ? " " : "",
				STR_ARG(ws->path),
				ws->given && !ws->writable ? ", which is read-only here" : "");
	else
		buf_c(&b, ". This server has no workspace: pass data as stdin or in the code. ");
	put_network(a, &b, &rq->network);
	buf_c(&b, "The status denied or needs_approval means that nothing ran: do not work around it; choose "
			"another way or ask the user. Long output is shortened; the tool result reads the "
			"rest.");
	if (o->keeps)
		buf_c(&b, " Processes that a command leaves running (server &) stay until this session ends: "
			"later commands reach their ports at 127.0.0.1, and the tool background lists and "
			"stops them.");
	return buf_view(&b);
}

void mcp_tools_list(struct buf *b, const struct mcp_options *o)
{
	buf_c(b, "\"tools\":[");
	for (size_t i = 0; i < ARRAY_SIZE(tools); i++) {
		const struct tool *t = &tools[i];

		if (t->background && !o->keeps)
			continue;
		buf_fmt(b, "%s{\"name\":\"%s\",\"title\":\"%s\",\"description\":\"%s\",\"inputSchema\":",
				i ? "," : "", t->name, t->title, t->about);
		put_input_schema(b, t, o->keeps);
		buf_c(b, ",\"outputSchema\":");
		t->output(b);
		buf_fmt(b, ",\"annotations\":%s}", t->hints);
	}
	buf_char(b, ']');
}

/* ---- reading a call ---- */

static bool is_choice(const char *choices, struct str s)
{
	struct str all = str_of(choices);

	for (size_t from = 0; from <= all.n;) {
		size_t to = str_end(all, '|', from);

		if (str_eq(str_sub(all, from, to), s))
			return true;
		from = to + 1;
	}
	return false;
}

static bool is_text(const struct argument *row)
{
	return row->kind == KIND_TEXT || row->kind == KIND_BYTES || row->kind == KIND_CHOICE;
}

static int take_argument(struct arena *a, const struct argument *row, const struct json *v,
		struct arguments *ret, struct err *e)
{
	void *at = (char *)ret + row->offset;
	struct str s = json_text(v);
	double n = 0;

	switch (row->kind) {
	case KIND_TEXT:
	case KIND_BYTES:
		if (!json_is(v, JSON_STRING))
			return err_input(e, "'%s' is not a string", row->name);
		if (row->kind == KIND_TEXT && str_has(s, '\0'))
			return err_input(e, "'%s' contains a NUL", row->name);
		break;
	case KIND_CHOICE:
		if (!json_is(v, JSON_STRING) || !is_choice(row->choices, s))
			return err_input(e, "'%s' must be one of %s", row->name, row->choices);
		break;
	case KIND_COUNT:
		if (!json_is_int(v) || json_int(v, 0) < 0)
			return err_input(e, "'%s' must be a whole number of at least 0", row->name);
		n = (double)json_int(v, 0);
		break;
	case KIND_NUMBER:
		if (!json_is(v, JSON_NUMBER) || !(json_double(a, v) > 0))
			return err_input(e, "'%s' must be a number above 0", row->name);
		n = json_double(a, v);
		break;
	}
	if (is_text(row))
		*(struct str *)at = s;
	else
		*(struct mcp_number *)at = (struct mcp_number){.given = true, .n = fmin(n, NUMBER_MAX)};
	return 0;
}

/* Members that `others` names, with blanks between them, are the caller's own. */
static int read_arguments(struct arena *a, const struct tool *t, const struct json *given, const char *others,
		bool background, struct arguments *ret, struct err *e)
{
	for (const struct json *v = json_members(given); v; v = v->next) {
		size_t i = 0;

		while (i < t->n && !str_is(v->key, t->arguments[i].name))
			i++;
		if (i == t->n && str_is_any(v->key, others))
			continue;
		if (i == t->n || (t->arguments[i].need == IF_KEPT && !background))
			return err_input(e, "unknown argument '%.*s'",
					(int)(v->key.n < 60 ? v->key.n : 60), v->key.p);
		if (!json_is(v, JSON_NULL) && take_argument(a, &t->arguments[i], v, ret, e) != 0)
			return -1;
	}
	for (size_t i = 0; i < t->n; i++)
		if (t->arguments[i].need == REQUIRED &&
				!((struct str *)((char *)ret + t->arguments[i].offset))->p)
			return err_input(e, "'%s' is missing", t->arguments[i].name);
	return 0;
}

const char *mcp_call_wrong(struct arena *a, const struct mcp_options *o, const struct mcp_message *m)
{
	const struct json *name = json_key(m->params, "name"), *arguments = json_key(m->params, "arguments");

	if (!json_is(name, JSON_STRING))
		return "'name' of the tool is missing or not a string";
	if (!find_tool(json_text(name), o->keeps))
		return str_fmt_c(a, "unknown tool: %.*s",
				(int)(json_text(name).n > MCP_TEXT_MAX ? MCP_TEXT_MAX : json_text(name).n),
				json_text(name).p);
	if (arguments && !json_is(arguments, JSON_OBJECT))
		return "'arguments' is not an object";
	return NULL;
}

/* ---- answering ---- */

void mcp_put_failure(struct buf *b, const struct mcp_message *m, const char *server_version, const char *why)
{
	struct buf fields;

	buf_init(&fields, b->a, 0);
	buf_c(&fields, "\"content\":[{\"type\":\"text\",\"text\":");
	json_put_string(&fields, str_of(why));
	buf_c(&fields, "}],\"isError\":true");
	mcp_put_result(b, m, server_version, buf_view(&fields));
}

static int fail_call(struct mcp_call *c, const char *why)
{
	struct buf b;

	buf_init(&b, c->a, 0);
	buf_char(&b, 'R');
	mcp_put_failure(&b, c->m, c->o->version, why);
	return fd_write_all(c->out, "the server", buf_view(&b), NULL);
}

/* `structured` is one object, possibly with a newline after it. */
static int answer_call(struct mcp_call *c, struct str structured, bool is_error)
{
	struct buf fields, b;

	if (structured.n && structured.p[structured.n - 1] == '\n')
		structured.n--;
	buf_init(&fields, c->a, 2 * MCP_LINE_MAX);
	buf_c(&fields, "\"content\":[{\"type\":\"text\",\"text\":");
	json_put_string(&fields, structured);
	buf_c(&fields, "}],\"structuredContent\":");
	buf_str(&fields, structured);
	buf_c(&fields, is_error ? ",\"isError\":true" : ",\"isError\":false");
	if (fields.n > MCP_LINE_MAX - 4096)
		return fail_call(c, "the answer is too long to be sent");
	buf_init(&b, c->a, 2 * MCP_LINE_MAX);
	buf_char(&b, 'R');
	mcp_put_result(&b, c->m, c->o->version, buf_view(&fields));
	return fd_write_all(c->out, "the server", buf_view(&b), NULL);
}

/* Engine messages speak of command-line options; here they are arguments. */
static int fail_plainly(struct mcp_call *c, const struct err *e)
{
	return fail_call(c, str_c(c->a, audience_text(c->a, AUDIENCE_MCP, str_of(e->text))));
}

/* ---- run and check ---- */

/* Returns the base of relative paths; empty: the server's own directory. */
static struct str start_of(struct mcp_call *c, const struct run_request *rq)
{
	struct context at = {.places = true};

	if (rq->workspace.given)
		return rq->workspace.path;
	if (rq->profile != PROFILE_WORK)
		return STR("");
	if (rq->pin)
		return rq->pin->path;
	context_open(c->a, &at);
	return at.view->project;
}

static int narrow_workspace(struct mcp_call *c, struct str wanted, struct run_request *rq, struct err *e)
{
	struct run_workspace *ws = &rq->workspace;
	bool work = rq->profile == PROFILE_WORK;

	if (!wanted.p || (str_is(wanted, "none") && !ws->given && !work))
		return 0;
	if (!ws->given && !work)
		return err_input(e, "workspace: this server has none");
	if (str_is(wanted, "none")) {
		if (work)
			return err_input(e,
					"workspace: this server always shows its workspace; ro makes it "
					"read-only");
		*ws = (struct run_workspace){0};
	} else if (str_is(wanted, "ro")) {
		struct str dir = start_of(c, rq);

		if (dir.n)
			*ws = (struct run_workspace){.path = dir, .given = true};
	} else if (ws->given && !ws->writable) {
		return err_input(e, "workspace: this server's workspace is read-only");
	}
	return 0;
}

static int narrow_network(struct arena *a, struct str wanted, struct run_request *rq, struct err *e)
{
	struct err why = {0};

	if (wanted.p && network_request_parse(a, wanted, &rq->network_part, &why) != 0)
		return err_input(e, "network: %s", why.text);
	return 0;
}

static const char *number_text(struct arena *a, double n)
{
	return str_fmt_c(a, n == floor(n) ? "%.0f" : "%.3f", n);
}

/* A call's limits can only lower those of the server. */
static int lower_limits(struct arena *a, const struct arguments *g, struct run_request *rq, struct err *e)
{
	const struct mcp_number given[LIMITS] = {[LIMIT_TIME] = g->timeout, [LIMIT_MEMORY] = g->memory,
			[LIMIT_CPUS] = g->cpus, [LIMIT_PIDS] = g->pids};

	for (enum limit l = 0; l < LIMITS; l++) {
		struct err why = {0};

		if (given[l].given && limit_from_number(l, given[l].n, &rq->lower[l], &why) != 0)
			return err_input(e, "%s '%s': %s", audience_limit(AUDIENCE_MCP, l),
					number_text(a, given[l].n), why.text);
	}
	return 0;
}

static int take_lines(struct arena *a, const char *name, struct mcp_number n, size_t *ret, struct err *e)
{
	*ret = 0;
	if (!n.given)
		return 0;
	if (n.n < 1 || n.n > RUN_LINES_MAX)
		return err_input(e, "%s '%s': expected a number of lines from 1 to %d", name,
				number_text(a, n.n), RUN_LINES_MAX);
	*ret = (size_t)n.n;
	return 0;
}

static int take_task(struct arena *a, const struct arguments *g, struct run_request *rq, struct err *e)
{
	enum task task = g->task.p ? task_find(g->task) : TASK_ANY;

	if (task && rq->task && task != rq->task)
		return err_input(e, "task: this server fixes the task '%s'", task_name(rq->task));
	if (task)
		rq->task = task;
	return g->columns.p ? validation_columns(a, g->columns, &rq->columns, &rq->ncolumns, e) : 0;
}

static int request_of(struct mcp_call *c, const struct arguments *g, struct run_request *rq, struct err *e)
{
	struct arena *a = c->a;
	struct str start;

	if ((g->command.p != NULL) == (g->code.p != NULL))
		return err_input(e, "either 'command' or 'code' is needed");
	if (g->code.p && !g->lang.p)
		return err_input(e, "'code' needs 'lang'");
	*rq = c->o->base;
	rq->code = str_c(a, g->command.p ? g->command : g->code);
	rq->language = g->lang.p ? language_find(g->lang) : LANGUAGE_UNKNOWN;
	rq->gate = true;
	rq->audience = AUDIENCE_MCP;
	if (!rq->agent && c->agent.n)
		rq->agent = str_c(a, c->agent);
	if (lower_limits(a, g, rq, e) != 0 || take_lines(a, "head", g->head, &rq->head, e) != 0 ||
			take_lines(a, "tail", g->tail, &rq->tail, e) != 0 || take_task(a, g, rq, e) != 0 ||
			narrow_workspace(c, g->workspace, rq, e) != 0 ||
			narrow_network(a, g->network, rq, e) != 0)
		return -1;
	start = start_of(c, rq);
	if (g->cwd.p)
		rq->cwd = g->cwd.n && g->cwd.p[0] != '/' &&
				start.n ? str_c(a, str_path(a, start, g->cwd)) :
				str_c(a, g->cwd);
	return 0;
}

/* Standard input is a memory file, so a program that does not read it blocks nobody. */
static int give_input(struct str text, struct err *e)
{
	int fd = memfd_create("stdin", MFD_CLOEXEC);

	if (fd < 0)
		return err_system(e, "cannot make the standard input");
	if (fd_write_all(fd, "the standard input", text, e) != 0 || lseek(fd, 0, SEEK_SET) != 0 ||
			dup2(fd, STDIN_FILENO) < 0) {
		close(fd);
		return e->kind ? -1 : err_system(e, "cannot make the standard input");
	}
	close(fd);
	return 0;
}

struct progress {
	const struct mcp_call *c;
	const struct job *j;
};

static void tell_progress(void *ctx, uint64_t elapsed_ms, uint64_t memory)
{
	const struct progress *p = ctx;
	char line[PROGRESS_MAX];
	int n = snprintf(line, sizeof(line),
			"P{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
			"\"params\":{\"progressToken\":%.*s,\"progress\":%llu.%llu,\"total\":%llu,"
			"\"message\":\"%llu s, %llu MB\"}}\n",
		STR_ARG(p->c->m->token), (unsigned long long)elapsed_ms / 1000,
				(unsigned long long)elapsed_ms % 1000 / 100,
				(unsigned long long)(p->j->run.spec.limits.time_ms + 999) / 1000,
		(unsigned long long)elapsed_ms / 1000, (unsigned long long)(memory / MB));

	if (n > 0 && (size_t)n < sizeof(line))
		fd_write_all(p->c->out, "the server", str_n(line, (size_t)n), NULL);
}

/* Something that is readable at once stands for a server that has ended. */
static int watch_server(struct arena *a, void *ctx)
{
	const struct mcp_call *c = ctx;
	int fd = (int)syscall(SYS_pidfd_open, c->server, 0);

	(void)a;
	if (fd >= 0 && getppid() == c->server) /* the pid was not another's */
		return fd;
	fd_close(&fd);
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int take_background(const struct mcp_call *c, const struct arguments *g, struct run_request *rq,
		struct err *e)
{
	struct err why = {0};

	rq->background_policy = c->session.n > 0;
	if (g->after.given && limit_from_number(LIMIT_TIME, g->after.n, &rq->background_after, &why) != 0)
		return err_input(e, "background_after_sec: %s", why.text);
	return 0;
}

static int run_request(struct mcp_call *c, const struct arguments *g, const char *tool, bool head_tests)
{
	struct job *j = arena_new(c->a, struct job);
	struct progress progress = {c, j};
	struct box_progress show = {tell_progress, &progress};
	struct err e = {0};
	struct buf b;
	int rc;

	if (request_of(c, g, &j->request, &e) != 0 || (g->input.p && give_input(g->input, &e) != 0))
		return fail_plainly(c, &e);
	if (!head_tests && take_background(c, g, &j->request, &e) != 0)
		return fail_plainly(c, &e);
	j->request.input = g->input.p;
	j->request.head_tests = head_tests;
	if (head_tests)
		j->request.task = TASK_TEST;
	j->who = (struct record_who){.client = STR(MCP_CLIENT), .session = c->session, .tool = str_of(tool),
			.tool_use_id = c->m->tool_use};
	j->callers[0] = c->out;
	j->client = watch_server;
	j->client_ctx = c;
	if (job_go(c->a, j, c->m->token.n ? &show : NULL, &e) != 0)
		return fail_plainly(c, &e);
	buf_init(&b, c->a, 2 * MCP_LINE_MAX);
	report_json(&b, &j->report);
	rc = answer_call(c, buf_view(&b), report_error(&j->report));
	job_end(j);
	return rc;
}

static int work_run(struct mcp_call *c, const struct arguments *g) { return run_request(c, g, "run", false); }

static int work_verify_tests(struct mcp_call *c, const struct arguments *g)
{
	return run_request(c, g, "verify_tests", true);
}

static int work_check(struct mcp_call *c, const struct arguments *g)
{
	struct job *j = arena_new(c->a, struct job);
	struct facts facts;
	struct err e = {0};
	struct buf b;

	if (request_of(c, g, &j->request, &e) != 0 || job_judge(c->a, j, &facts, &e) != 0)
		return fail_plainly(c, &e);
	buf_init(&b, c->a, 2 * MCP_LINE_MAX);
	answer_json(&b, STR(""), &facts, &j->judgement, j->policies.digest);
	return answer_call(c, buf_view(&b), false);
}

/* ---- result ---- */

/* Reads a stored output by run id and stream name; the caller cannot name a path. */
static int read_kept(struct arena *a, const struct arguments *g, struct str *ret, struct err *e)
{
	struct context at = {.places = true};
	struct str dir;
	int rc;

	for (size_t i = 0; i < g->id.n; i++)
		if (!strchr("0123456789abcdef", g->id.p[i]))
			return err_input(e, "'id' must be the id of a report: %d hexadecimal "
					"digits",
					RUN_ID_MAX);
	if (g->id.n != RUN_ID_MAX)
		return err_input(e, "'id' must be the id of a report: %d hexadecimal digits", RUN_ID_MAX);
	context_open(a, &at);
	if (state_check(a, at.view->state_dir, at.view->project, at.view->uid, &dir, e) != 0)
		return -1;
	rc = file_read(a, str_fmt_c(a, "%.*s/outputs/%.*s-%.*s.txt", STR_ARG(dir), STR_ARG(g->id),
			STR_ARG(g->stream)), RUN_TEXT_MAX, ret, NULL, e);
	if (rc != 0 && e->kind == ERR_SYSTEM && e->errnum == ENOENT)
		return err_input(e, "not kept: only streams named in 'truncated' of the report are");
	return rc;
}

static uint64_t number_or(struct mcp_number n, uint64_t otherwise)
{
	return n.given ? (uint64_t)n.n : otherwise;
}

static size_t line_breaks(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	return n;
}

/* Returns the offset of line `n` (from 1); the end of the text if it has fewer lines. */
static size_t line_start(struct str s, uint64_t n)
{
	struct str rest = s;

	for (uint64_t i = 1; i < n && rest.n; i++)
		str_cut(&rest, '\n');
	return s.n - rest.n;
}

/*
 * Returns the end of at most `bytes` bytes from `from`, without splitting a character, but with at least one.
 */
static size_t whole_letters(struct str text, size_t from, size_t bytes)
{
	size_t to = from + bytes;

	if (to >= text.n)
		return text.n;
	while (to > from && utf8_continues(text.p[to]))
		to--;
	if (to == from)
		for (to = from + 1; to < text.n && utf8_continues(text.p[to]);)
			to++;
	return to;
}

static int result_json(struct arena *a, const struct arguments *g, struct buf *b, struct err *e)
{
	uint64_t bytes = number_or(g->bytes, RESULT_DEFAULT), lines = number_or(g->lines, 0);
	struct str text;
	size_t from, to;

	if ((g->line.given || g->lines.given) && g->offset.given)
		return err_input(e, "use either 'offset' or 'line'");
	if (!bytes || bytes > RESULT_MAX || (g->lines.given && (!lines || lines > RESULT_LINES_MAX)))
		return err_input(e, "at most 65536 bytes and 10000 lines can be shown at once");
	if (read_kept(a, g, &text, e) != 0)
		return -1;
	from = g->offset.given ? number_or(g->offset, 0) : line_start(text, number_or(g->line, 1));
	for (from = from < text.n ? from : text.n; from < text.n && utf8_continues(text.p[from]);)
		from++;
	to = lines ? from + line_start(str_from(text, from), lines + 1) : text.n;
	if (to - from > bytes)
		to = whole_letters(text, from, bytes);
	buf_fmt(b, "{\"id\":\"%.*s\",\"stream\":\"%.*s\",\"text\":", STR_ARG(g->id), STR_ARG(g->stream));
	json_put_string(b, str_sub(text, from, to));
	buf_fmt(b, ",\"from\":%zu,\"to\":%zu,\"line\":%zu,\"total_bytes\":%zu,\"total_lines\":%zu,\"next\":",
			from, to, 1 + line_breaks(str_first(text, from)), text.n,
		line_breaks(text) + (text.n && text.p[text.n - 1] != '\n'));
	if (to < text.n)
		buf_fmt(b, "%zu}", to);
	else
		buf_c(b, "null}");
	return 0;
}

static int work_result(struct mcp_call *c, const struct arguments *g)
{
	struct err e = {0};
	struct buf b;

	buf_init(&b, c->a, 0);
	if (result_json(c->a, g, &b, &e) != 0)
		return fail_plainly(c, &e);
	return answer_call(c, buf_view(&b), false);
}

/* ---- background ---- */

/* The place of a choice in its list. */
static size_t choice_index(struct str choices, struct str s)
{
	size_t n = 0, from = 0;

	for (ptrdiff_t end; (end = str_find(choices, '|', from)) >= 0; from = (size_t)end + 1, n++)
		if (str_eq(str_sub(choices, from, (size_t)end), s))
			break;
	return n;
}

static int work_background(struct mcp_call *c, const struct arguments *g)
{
	size_t action = choice_index(STR(ACTIONS), g->action);
	struct mcp_background q = {.action = (enum mcp_background_action)action,
			.session = c->session,
			.id = g->id,
			.wait_ms = (uint64_t)(g->timeout.given ? fmin(g->timeout.n, WAIT_MAX) * 1000
							       : WAIT_DEFAULT * 1000),
			.bytes = number_or(g->bytes, RESULT_DEFAULT)};
	struct err e = {0};
	struct buf b;

	if (!q.bytes || q.bytes > RESULT_MAX)
		return fail_call(c, "at most 65536 bytes can be shown at once");
	buf_init(&b, c->a, 2 * MCP_LINE_MAX);
	if (mcp_background_json(c->a, &q, &b, &e) != 0)
		return fail_plainly(c, &e);
	return answer_call(c, buf_view(&b), false);
}

int mcp_call_do(struct mcp_call *c)
{
	const struct tool *t = find_tool(json_text_at(c->m->params, "name"), c->o->keeps);
	struct arguments g = {0};
	struct err e = {0};

	if (!t)
		return fail_call(c, "unknown tool");
	if (read_arguments(c->a, t, json_key(c->m->params, "arguments"), NULL, c->o->keeps, &g, &e) != 0)
		return fail_call(c, e.text);
	return t->work(c, &g);
}

/* ---- for other protocols ---- */

int mcp_request(struct arena *a, const struct mcp_options *o, struct str agent, const char *tool,
		const struct json *arguments, const char *others, struct job *ret, struct err *e)
{
	struct mcp_call c = {.o = o, .a = a, .agent = agent, .out = -1};
	struct arguments g = {0};

	if (read_arguments(a, find_tool(str_of(tool), false), arguments, others, false, &g, e) != 0 ||
			request_of(&c, &g, &ret->request, e) != 0 ||
			(g.input.p && give_input(g.input, e) != 0))
		return -1;
	ret->request.input = g.input.p;
	return 0;
}

int mcp_result_json(struct arena *a, const struct json *arguments, struct buf *b, struct err *e)
{
	struct arguments g = {0};

	if (read_arguments(a, find_tool(STR("result"), false), arguments, NULL, false, &g, e) != 0)
		return -1;
	return result_json(a, &g, b, e);
}

void mcp_arguments_schema(struct buf *b, const char *tool)
{
	put_properties(b, find_tool(str_of(tool), false), false);
}

void mcp_answer_schema(struct buf *b, const char *tool) { find_tool(str_of(tool), false)->output(b); }
