/*
 * caissond: Caisson over HTTP. docs/serve.md is for its users.
 *
 * Processes:
 *
 *   server    one thread, one loop: HTTP (libmicrohttpd), tokens, the queue. It never forks, and never parses
 *             a body                                                     serve.c, serve_http.c, serve_queue.c
 *   spawner   forked before the first request, so that it and its children hold nothing of any caller. Forks
 *             a worker whenever the server asks for one                                       serve_spawn.c
 *   worker    answers one request, and ends. A boxed worker is the launcher of its box, as `caisson run` is;
 *             it begins the box before it has a request, and primes it for the spec of a request without
 *             options (box_prime()), which the spawner makes now and then. Such a worker is a slot of the
 *             pool. A preloaded one has an interpreter waiting in its box (--preload)       serve_worker.c
 *
 * Channels:
 *
 *   control   server and spawner, whole messages: a byte asks for a worker of a kind; the answer has the
 *             server's end of a new socket pair, and a pidfd
 *   talk      server and worker: one struct serve_job with descriptors of the request (a memory file) and,
 *             for a stream, of two pipes; then frames from the worker, of which SERVE_ANSWER is the last
 *   pipes     for a stream: the program's output, cleaned on its way
 *
 * Ends. A worker dies with the spawner, and the spawner with the server (parent-death signal SIGTERM): a
 * worker that has begun a run ends its box and records how it ended. A worker serves one request, and its box
 * runs one program, so that nothing a program touched is used again.
 *
 * Bounds: SERVE_SLOTS_MAX workers, the options' number of running and waiting requests, of bytes, and of time
 * to receive a request. A request beyond the queue is answered by 429 at once.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "client/mcp.h"
#include "sys/sha256.h"

#define SERVE_SLOTS_MAX 512
#define SERVE_BODY_MAX ((size_t)16 << 20)
#define SERVE_ANSWER_MAX ((size_t)64 << 20)
#define SERVE_TOKENS_MAX 256
#define SERVE_NAME_MAX 63           /* letters of a token's name */
#define SERVE_TARGET_MAX 2048       /* bytes of a path with its query */
#define SERVE_ANONYMOUS "anonymous" /* the name of callers without a token */

enum serve_scope { SERVE_CHECK = 1, SERVE_RUN = 2, SERVE_READ = 4, SERVE_ADMIN = 8 };

/* ---- serve_tokens.c ---- */

struct serve_token {
	char name[SERVE_NAME_MAX + 1];
	char hash[SHA256_HEX + 1]; /* of the token; the token itself is nowhere */
	unsigned scopes;           /* bits of enum serve_scope */
	uint32_t parallel;         /* runs at once; 0: no limit of its own */
	uint32_t per_minute;       /* requests; 0: no limit */
};

struct serve_tokens {
	struct serve_token v[SERVE_TOKENS_MAX];
	size_t n;
};

/* Reads STATE/serve/tokens.json; a missing file has no tokens. */
int serve_tokens_read(struct arena *a, const char *path, struct serve_tokens *ret, struct err *e);
int serve_tokens_write(struct arena *a, const char *path, const struct serve_tokens *t, struct err *e);
/* Parses "check,run"; "all" is every scope. */
int serve_scopes_parse(struct str words, unsigned *ret, struct err *e);
void serve_scopes_put(struct buf *b, unsigned scopes);
/* The token of this text; NULL: none. */
const struct serve_token *serve_token_find(const struct serve_tokens *t, struct str secret);
/* Makes a new token with this name: *ret_secret has room for SERVE_SECRET_MAX bytes. */
#define SERVE_SECRET_MAX 64
int serve_token_new(struct serve_token *t, char *ret_secret, struct err *e);

/* ---- options ---- */

#define SERVE_LANGUAGES_MAX 16
#define SERVE_VERSION_MAX 24

struct serve_versions { /* of the languages of serve_code.c; empty: this host has none */
	char v[SERVE_LANGUAGES_MAX][SERVE_VERSION_MAX];
};

struct serve_options {
	struct mcp_options mcp;      /* its base is the upper bound of every run */
	const char *address;         /* numeric, without the port */
	uint16_t port;               /* 0: any */
	const struct texts *names;   /* further names of this host in Host headers */
	const struct texts *origins; /* of web pages that may call */
	unsigned open;               /* scopes of callers without a token */
	bool no_gate;                /* run without judging, as caisson run does without --gate */
	size_t parallel;             /* runs at once */
	size_t queue;                /* requests that wait */
	size_t pool;                 /* boxes that are ready */
	const char *preload;         /* modules that waiting Pythons have imported; NULL: none waits */
	size_t body;                 /* bytes */
	int64_t grace_ms;            /* for running requests at the end */
	const char *tokens;          /* path of the file */
	struct serve_versions versions;
};

/* ---- routes (serve_routes.c) ---- */

enum serve_type { SERVE_JSON, SERVE_TEXT, SERVE_EVENTS, SERVE_METRICS };

struct serve_work;

struct serve_route {
	char method[8];
	char path[24];   /* with a slash at its end: the rest is the target */
	unsigned scopes; /* one of them is enough; 0: nobody needs a token */
	bool boxed;      /* needs a box */
	bool streams;    /* may answer by events */
	bool any_type;   /* its clients say no type of their bodies, or another one than JSON */
	void (*work)(struct serve_work *w); /* in a worker; NULL: the server answers */
	char about[100];
};

const struct serve_route *serve_route_at(size_t i); /* NULL after the last */
/*
 * The route of this request; *ret_target is the rest of its path. NULL: there is none, and *ret_other says if
 * there is one for another method.
 */
const struct serve_route *serve_route_find(
		struct str method, struct str path, struct str *ret_target, bool *ret_other);
size_t serve_route_number(const struct serve_route *r);
/* The name in a Host header, without its port. */
struct str serve_host_name(struct str host);
/* A Content-Type that says JSON. */
bool serve_is_json(struct str type);
/* The body seems to ask for Python. A guess, for the choice of a worker: the worker parses the body. */
bool serve_seems_python(struct str body);

/* ---- between server and worker ---- */

struct serve_job { /* from the server, with descriptors: the body; for a stream, two pipes */
	uint32_t route;
	uint32_t scopes;
	bool stream;
	char token[SERVE_NAME_MAX + 1];
	char target[SERVE_TARGET_MAX + 1]; /* the rest of the path, and "?QUERY" if there is one */
};

enum serve_frame_kind { SERVE_ANSWER = 1, SERVE_BEGUN };

struct serve_frame { /* from the worker; n bytes follow */
	uint32_t n;
	uint16_t kind, status;
	uint32_t type;
};

struct serve_work { /* in a worker */
	struct arena *a;
	const struct serve_options *o;
	int talk;
	struct serve_job job;
	struct str target, query, body; /* the query is not decoded */
	struct job *run;                /* of a boxed worker: its box is begun */
	struct texts *outputs;          /* patterns of files that the run hands out; NULL: none */
	const struct spec *guess;       /* for which its box is primed; NULL: none */
};

/* Sends the answer. The first one counts. */
void serve_answer(struct serve_work *w, unsigned status, enum serve_type type, struct str body);
/* Appends {"error":ID,"message":TEXT}. */
void serve_put_error(struct buf *b, const char *id, struct str message);
void serve_fail(struct serve_work *w, unsigned status, const char *id, struct str message);
/* The value of a query's parameter, decoded; p is NULL if it is not there. */
struct str serve_parameter(struct arena *a, struct str query, const char *name);
enum serve_kind { SERVE_UNBOXED, SERVE_BOXED, SERVE_PRELOADED, SERVE_KINDS };
/* serve_worker.c. Never returns. */
void serve_worker(const struct serve_options *o, const struct spec *guess, int talk, enum serve_kind kind)
		__attribute__((noreturn));

/* ---- serve_spawn.c ---- */

/*
 * Starts the spawner and returns its pid, or -1: *ret_control is the server's end. When that is closed, the
 * spawner waits for its workers and ends.
 */
pid_t serve_spawner(const struct serve_options *o, int *ret_control, struct err *e);
int serve_spawn_ask(int control, enum serve_kind kind, struct err *e);
/* Takes a worker that was asked for. 1, 0: not yet, -1: the spawner is gone. */
int serve_spawn_take(int control, enum serve_kind *ret_kind, int *ret_talk, int *ret_pidfd);
/* Makes one box with a waiting interpreter, and ends it: -1 with the reason if none can wait. */
int serve_spawn_try(const struct serve_options *o, struct err *e);

/* ---- API: functions of routes ---- */

void serve_v1_check(struct serve_work *w); /* serve_v1.c */
void serve_v1_run(struct serve_work *w);
void serve_v1_result(struct serve_work *w);
void serve_v1_audit(struct serve_work *w);
void serve_metrics(struct serve_work *w);
void serve_openapi(struct serve_work *w);        /* serve_openapi.c */
void serve_piston_execute(struct serve_work *w); /* serve_piston.c */
void serve_piston_runtimes(struct serve_work *w);
void serve_fusion_run(struct serve_work *w);

/*
 * Runs w->run, whose request is complete, and records it: from then on the report is there. -1: the request
 * was wrong, and the answer is out.
 */
int serve_go(struct serve_work *w, const char *tool);

/* ---- the server (serve.c) ---- */

/* Serves until SIGTERM or SIGINT; call inside an arena_run(). Returns the exit code. */
int serve_run(struct arena *a, const struct serve_options *o, int control, pid_t spawner);
