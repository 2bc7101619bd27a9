/*
 * The Model Context Protocol over standard input and output: one JSON-RPC message per line.
 *
 * The server speaks two eras of the protocol and decides per message, because the newer one keeps no session.
 * In 2026-07-28 each request carries its version in _meta and each result a resultType; older versions begin
 * with `initialize`.
 *
 *     mcp_frame.c   parses lines into messages and formats answers as lines; pure
 *     mcp_tools.c   the tools: arguments, answers, and their work, done in a child process
 *     mcp_boxes.c   the tool `background`
 *     mcp_server.c  the loop: lines in, lines out, a bounded number of concurrent calls
 *
 * The caller of the tools is a model: it can ask for less than the person who started the server allows,
 * never for more.
 *
 * Processes that a command leaves behind stay (run/job_hold.h) if the policy keeps them. They belong to the
 * session of this server, and end with it: the holder of each box watches the server's process.
 */
#pragma once
#include "base/json.h"
#include "run/run.h"
#include "sys/directory.h"

#define MCP_FRAME_MAX ((size_t)16 << 20)  /* bytes of an input line */
#define MCP_LINE_MAX ((size_t)32 << 20)   /* bytes of an output line */
#define MCP_DEPTH_MAX 64                  /* nesting of arrays and objects */
#define MCP_VALUES_MAX 20000              /* values in one line; each takes far more memory than its text */
#define MCP_TEXT_MAX 256                  /* bytes of an id, token, method or name */
#define MCP_BATCH_MAX 64                  /* messages in one line */
#define MCP_RUNNING_MAX 8
#define MCP_WAITING_MAX 64
#define MCP_MODERN "2026-07-28"
#define MCP_CLIENT "mcp"                  /* name of the client in the record, for boxes and sessions */
#define MCP_BATCHES "2025-03-26"          /* the only version with batches */

enum { MCP_PARSE_ERROR = -32700, MCP_INVALID_REQUEST = -32600, MCP_NO_METHOD = -32601,
		MCP_INVALID_PARAMS = -32602, MCP_VERSION_ERROR = -32022 };

enum mcp_kind {
	MCP_BAD,          /* answered with `code` and `why` */
	MCP_REQUEST,
	MCP_NOTIFICATION,
	MCP_RESPONSE,     /* ignored: the server sends no requests */
};

struct mcp_message {
	enum mcp_kind kind;
	struct str id;             /* JSON text; "null": unknown */
	struct str method;
	const struct json *params;      /* an object, or NULL */
	struct str token;          /* progressToken as JSON text; empty: no progress wanted */
	struct str version;        /* version named in _meta; empty: none */
	struct str client;         /* client name in _meta; empty: not given */
	struct str tool_use;       /* the client's id of this call; empty: not given */
	int code;
	const char *why;
};

struct mcp_frame {
	bool batch;
	struct mcp_message *v;
	size_t n;                  /* 0: an empty line */
};

/* ---- mcp_frame.c ---- */

/* Splits a byte stream into lines. A line that is too long is skipped up to its end. */
struct mcp_splitter {
	struct arena a;
	struct buf b;
	size_t at, seen;           /* at: start of the next line; seen: no newline before this offset */
	bool skipping;
};
enum { MCP_MORE = 0 /* feed more bytes */, MCP_LINE = 1, MCP_TOO_LONG = 2 };

void mcp_splitter_init(struct mcp_splitter *s, struct arena *parent); /* parent may be NULL */
void mcp_splitter_feed(struct mcp_splitter *s, struct str bytes);
/*
 * Returns MCP_LINE with *ret (valid until the next feed), MCP_TOO_LONG once per overlong line, or MCP_MORE.
 */
int mcp_splitter_next(struct mcp_splitter *s, struct str *ret);

/* Parses a line. Never fails: an error becomes a message of kind MCP_BAD. */
void mcp_frame_read(struct arena *a, struct str line, struct mcp_frame *ret);
/* Returns an id or token (a string or an integer) as JSON text; empty for other types or if too long. */
struct str mcp_name(struct arena *a, const struct json *v);
/* Returns the supported versions, newest first; NULL after the last. */
const char *mcp_version_at(size_t i);
bool mcp_modern(const struct mcp_message *m);
/* These append an output line with its newline. */
void mcp_put_error(struct buf *b, struct str id, int code, struct str message, struct str data);
/* `fields` is the content of the result object: "a":1,"b":2 */
void mcp_put_result(struct buf *b, const struct mcp_message *m, const char *server_version,
		struct str fields);

/* ---- mcp_tools.c ---- */

struct mcp_options {
	const char *version;       /* version of caisson */
	size_t parallel;           /* concurrent calls, at most MCP_RUNNING_MAX; 0: that maximum */
	/* options of the person who started the server: upper bound of each call */
	struct run_request base;
	/* commands may leave processes in the background; set by mcp_try_options() */
	bool keeps;
};

struct mcp_places { /* identity of project and workspace at the start of a server */
	struct directory pin, place;
};

/*
 * mcp_places.c: tries the options, and pins the directories that the server was started for: later calls use
 * them, even if a boxed program renames or replaces them. *ret_refused: why nothing will run; empty: it will.
 * *ret must live as long as *o; `trial` may be freed afterwards.
 */
int mcp_try_options(struct arena *a, struct arena *trial, struct mcp_options *o, struct mcp_places *ret,
		struct str *ret_refused, struct err *e);

struct mcp_call {
	const struct mcp_options *o;
	struct arena *a;
	const struct mcp_message *m;
	struct str agent;          /* the calling agent; may be empty */
	struct str session;        /* of this server; empty: nothing stays in the background */
	pid_t server;
	int out;                   /* pipe to the server: lines 'P' + notification, then 'R' + answer */
};

/* Appends the content of a tools/list result. */
void mcp_tools_list(struct buf *b, const struct mcp_options *o);
/* Returns the text that the model gets when it connects. */
struct str mcp_instructions(struct arena *a, const struct mcp_options *o);
/* Returns NULL if the call is valid, else the error in its params (MCP_INVALID_PARAMS). */
const char *mcp_call_wrong(struct arena *a, const struct mcp_options *o, const struct mcp_message *m);
/*
 * Does the work and writes its lines. Runs in a child process, inside an arena_run(). Returns 0, or -1 if
 * nothing could be written.
 */
int mcp_call_do(struct mcp_call *c);
/* Appends the answer of a tool that failed before it had a result. */
void mcp_put_failure(struct buf *b, const struct mcp_message *m, const char *server_version, const char *why);

/*
 * The arguments of the tools run and check as a request, for other protocols: *ret gets it, and the process's
 * standard input becomes the argument `stdin`. Members that `others` names, with blanks between them, are the
 * caller's.
 */
struct job;
int mcp_request(struct arena *a, const struct mcp_options *o, struct str agent, const char *tool,
		const struct json *arguments, const char *others, struct job *ret, struct err *e);
/* Appends the answer of the tool result. */
int mcp_result_json(struct arena *a, const struct json *arguments, struct buf *b, struct err *e);
/* Append the schemas of a tool's arguments (its members only) and of its answer. */
void mcp_arguments_schema(struct buf *b, const char *tool);
void mcp_answer_schema(struct buf *b, const char *tool);

/* ---- mcp_boxes.c ---- */

enum mcp_background_action {
	MCP_BACKGROUND_LIST,
	MCP_BACKGROUND_LOGS,
	MCP_BACKGROUND_WAIT,
	MCP_BACKGROUND_STOP,
};

struct mcp_background {
	enum mcp_background_action action;
	struct str session, id;    /* id: for all but the list */
	uint64_t wait_ms;
	size_t bytes;              /* of a log, its last ones */
};

/* Does it and appends {"boxes":[…]}, with a "log" or with the "report" of a box that has ended. */
int mcp_background_json(struct arena *a, const struct mcp_background *q, struct buf *out, struct err *e);

/* ---- mcp_server.c ---- */

/*
 * Serves until EOF on `in`; call inside an arena_run(). Returns 0, or -1 if `out` can no longer be written.
 */
int mcp_serve(struct arena *a, const struct mcp_options *o, int in, int out, struct err *e);
