/*
 * The Model Context Protocol over standard input and output: one JSON-RPC message on each line.
 *
 * Two eras of it are spoken, whichever the client opens with, and by message, since the newer one keeps no
 * session: 2026-07-28 (each request carries its version in _meta, each result a resultType) and the versions
 * that begin with `initialize`.
 *
 *     mcp_frame.c   a line becomes messages, a message's answer becomes a line; pure
 *     mcp_tools.c   the tools: what they take, what they answer, and their work, which is done in a process
 *                   of its own
 *     mcp_server.c  the loop: lines in, lines out, a bounded number of calls at a time
 *
 * The caller of the tools is a model: it can ask for less than the person who started the server allows,
 * never for more.
 */
#pragma once
#include "base/json.h"
#include "run/run.h"

#define MCP_FRAME_MAX ((size_t)16 << 20)  /* bytes of a line that is read */
#define MCP_LINE_MAX ((size_t)32 << 20)   /* bytes of a line that is written */
#define MCP_DEPTH_MAX 64                  /* lists and objects inside each other */
#define MCP_VALUES_MAX 20000              /* values in one line: each costs far more memory than it is long */
#define MCP_TEXT_MAX 256                  /* bytes of an id, a token, a method, a name */
#define MCP_BATCH_MAX 64                  /* messages in one line */
#define MCP_RUNNING_MAX 8
#define MCP_WAITING_MAX 64
#define MCP_MODERN "2026-07-28"
#define MCP_BATCHES "2025-03-26"          /* the one version that has lines with several messages */

enum { MCP_PARSE_ERROR = -32700, MCP_INVALID_REQUEST = -32600, MCP_NO_METHOD = -32601,
		MCP_INVALID_PARAMS = -32602, MCP_INTERNAL_ERROR = -32603, MCP_VERSION_ERROR = -32022 };

enum mcp_kind {
	MCP_BAD,          /* to be answered with `code` and `why` */
	MCP_REQUEST,
	MCP_NOTIFICATION,
	MCP_RESPONSE,     /* nobody here asked for anything */
};

struct mcp_message {
	enum mcp_kind kind;
	struct str id;             /* JSON text; "null": not known */
	struct str method;
	const struct json *params;      /* an object, or NULL */
	struct str token;          /* progressToken, JSON text; empty: nobody wants to know */
	struct str version;        /* that _meta names; empty: none */
	struct str client;         /* the client's name in _meta; empty: not said */
	struct str tool_use;       /* the client's own name for this call; empty: not said */
	int code;
	const char *why;
};

struct mcp_frame {
	bool batch;
	struct mcp_message *v;
	size_t n;                  /* 0: an empty line */
};

/* ---- mcp_frame.c ---- */

/* Lines out of pieces. A line that is too long is passed over up to its end. */
struct mcp_splitter {
	struct arena a;
	struct buf b;
	size_t at, seen;           /* where the next line starts; up to where there is no newline */
	bool skipping;
};
enum { MCP_MORE = 0 /* feed it */, MCP_LINE = 1, MCP_TOO_LONG = 2 };

void mcp_splitter_init(struct mcp_splitter *s, struct arena *parent); /* parent: may be NULL */
void mcp_splitter_free(struct mcp_splitter *s);
void mcp_splitter_feed(struct mcp_splitter *s, struct str bytes);
/* MCP_LINE and *ret, valid until the next feed; MCP_TOO_LONG once for such a line; MCP_MORE. */
int mcp_splitter_next(struct mcp_splitter *s, struct str *ret);

/* Never fails: what is wrong with a line is a message of kind MCP_BAD. */
void mcp_frame_read(struct arena *a, struct str line, struct mcp_frame *ret);
/* An id or a token: a string or an integer as JSON text; empty when it is something else or too long. */
struct str mcp_name(struct arena *a, const struct json *v);
/* Versions, newest first; NULL after the last. */
const char *mcp_version_at(size_t i);
bool mcp_modern(const struct mcp_message *m);
/* Lines to be written, with their newline. */
void mcp_put_error(struct buf *b, struct str id, int code, struct str message, struct str data);
/* `fields` is the inside of the result: "a":1,"b":2 */
void mcp_put_result(struct buf *b, const struct mcp_message *m, const char *server_version,
		struct str fields);

/* ---- mcp_tools.c ---- */

struct mcp_options {
	const char *version;       /* of caisson */
	size_t parallel;           /* calls at a time, at most MCP_RUNNING_MAX; 0: as many as that */
	/* what the person who started the server gave: the most that a call gets */
	struct run_wishes base;
};

struct mcp_call {
	const struct mcp_options *o;
	struct arena *a;
	const struct mcp_message *m;
	struct str agent;          /* who asks; may be empty */
	int out;                   /* lines for the server: 'P' and a notification, then 'R' and the answer */
};

/* The inside of a result of tools/list. */
void mcp_tools_list(struct buf *b, const struct mcp_options *o);
/* The text that the model gets when it connects to the server. */
struct str mcp_instructions(struct arena *a, const struct mcp_options *o);
/* NULL when the call can be made, else what is wrong with its params (MCP_INVALID_PARAMS). */
const char *mcp_call_wrong(struct arena *a, const struct mcp_message *m);
/*
 * Does the work and writes its lines. In a process of its own, with the arena guarded. 0, or -1 when nothing
 * could be written.
 */
int mcp_call_do(struct mcp_call *c);
/* An answer of a tool that failed before it had anything to show. */
void mcp_put_failure(struct buf *b, const struct mcp_message *m, const char *server_version, const char *why);

/* ---- mcp_server.c ---- */

/* Serves until the end of `in`, inside an arena_run(). 0, or -1 when `out` cannot be written any more. */
int mcp_serve(struct arena *a, const struct mcp_options *o, int in, int out, struct err *e);
