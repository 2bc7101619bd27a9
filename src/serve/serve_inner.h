/* The server's own structs: calls, slots, the loop. Inside of serve.c, serve_http.c and serve_queue.c only.
 */
#pragma once
#include <microhttpd.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include "serve/serve.h"

#define SERVE_SECOND 1000000000LL
#define SERVE_CONNECTIONS_MAX 1024

struct serve;

struct serve_source { /* one descriptor of the loop */
	void (*fn)(void *ctx, uint32_t events);
	void *ctx;
};

struct serve_usage { /* of the callers with one token; never removed while the server lives */
	char name[SERVE_NAME_MAX + 1];
	size_t running, waiting;
	int64_t minute; /* the minute that `requests` counts */
	uint32_t requests;
};

enum call_state { CALL_RECEIVING, CALL_WAITING, CALL_RUNNING, CALL_ANSWERED };

struct serve_call { /* one HTTP request */
	struct serve *s;
	struct serve_call *next, *prev;
	struct arena a, body_arena;
	struct MHD_Connection *connection;
	const struct serve_route *route;
	enum call_state state;
	bool suspended, too_large, no_room, stream, queued;
	enum serve_kind work; /* the worker that it would like best */
	int64_t until; /* receiving, answered: the time to give up; 0: there is none */
	char target[SERVE_TARGET_MAX + 1];
	struct serve_usage *usage;
	struct serve_token token; /* as it was when the request came */
	struct buf body;
	size_t body_bytes; /* of it that count in serve.body_bytes */
	struct serve_slot *slot;
	char id[RUN_ID_MAX + 1]; /* the run's, once it has begun */
	unsigned status;
	enum serve_type type;
	struct buf out; /* the answer, or events that are not sent yet */
	size_t sent;
	bool ended;  /* no more events */
	int watched; /* the connection's descriptor while it is suspended; -1: none */
	struct serve_source hangup;
};

enum slot_kind { SLOT_UNUSED, SLOT_WARM, SLOT_BUSY };

struct serve_slot { /* a worker */
	struct serve *s;
	enum slot_kind kind;
	enum serve_kind work;
	int talk, pidfd;
	int pipes[2];            /* of a stream; -1: none */
	struct serve_call *call; /* NULL: the caller went away */
	struct arena a;
	struct buf in;      /* frames so far */
	struct buf held[2]; /* the start of a character at the end of each pipe */
	bool answered;
	int64_t kill_at;    /* 0: not asked to end */
	int64_t full_since; /* since then the caller has not read enough; 0: it has */
	char id[RUN_ID_MAX + 1];
	char token[SERVE_NAME_MAX + 1];
	int64_t since;
	struct serve_source on_talk, on_pipe[2];
};

struct serve_connection; /* serve_connections.c */

struct serve_counters {
	uint64_t requests, refused, full, runs, lost;
};

struct serve {
	struct arena *a;
	const struct serve_options *o;
	struct MHD_Daemon *http;
	int epoll, signals, control;
	struct serve_source on_http, on_signal, on_control;
	struct serve_call *first, *last;
	struct serve_connection *oldest, *newest;
	size_t nconnections;
	size_t body_bytes; /* of all calls */
	struct serve_slot slots[SERVE_SLOTS_MAX];
	size_t nslots; /* no slot after these was ever used */
	size_t asked[SERVE_KINDS]; /* workers that the spawner has not made yet */
	size_t waiting;
	struct serve_usage usage[SERVE_TOKENS_MAX + 1];
	size_t nusage;
	struct arena token_arena;
	struct serve_tokens tokens;
	struct stat tokens_seen;
	struct serve_counters count;
	unsigned early_ends; /* workers in a row that ended without work */
	int64_t not_before;  /* no worker is asked for until then */
	int64_t fill_at;     /* the pool is filled up then, if it is not half empty */
	int64_t stop_at;     /* stopping: when running calls are ended; 0: not stopping */
	bool failed;
	pid_t spawner;
};

/* serve.c */
void serve_watch(struct serve *s, int fd, uint32_t events, struct serve_source *source);
void serve_unwatch(struct serve *s, int fd);

/* serve_http.c: the callbacks of libmicrohttpd */
enum MHD_Result serve_http_request(void *cls, struct MHD_Connection *c, const char *url, const char *method,
		const char *version, const char *data, size_t *n, void **ret_call);
void serve_http_done(void *cls, struct MHD_Connection *c, void **call, enum MHD_RequestTerminationCode why);
/* Lets the connection go on; it was suspended while there was nothing to send. */
void serve_http_resume(struct serve_call *c);
/* Forgets the body, which the worker has. */
void serve_http_drop_body(struct serve_call *c);

/* serve_connections.c */
void serve_connection_notify(void *cls, struct MHD_Connection *connection, void **context,
		enum MHD_ConnectionNotificationCode what);
/* A request of the connection has headers, or has ended. */
void serve_connection_calls(struct serve_call *call, bool begins);
void serve_connection_end(struct serve_call *c);
/* The answer is there: it has to be read in time. */
void serve_connection_answers(struct serve_call *c);
/* Ends connections that take too long to send a request, or to read its answer. */
void serve_connections_expire(struct serve *s, int64_t now);

/* serve_queue.c */
/* The call waits for a worker. False: it is answered, since the queue is full. */
bool serve_queue_add(struct serve_call *c);
/* The caller went away, or its answer is out. */
void serve_queue_leave(struct serve_call *c);
/* Gives waiting calls to workers, and asks for more workers. */
void serve_queue_turn(struct serve *s, int64_t now);
void serve_queue_control(void *ctx, uint32_t events);
void serve_queue_kill(struct serve_slot *k, int64_t now);
/* Lets go of all workers. */
void serve_queue_close(struct serve *s);
/* An answer of the server itself. */
void serve_queue_answer(struct serve_call *c, unsigned status, const char *id, const char *message);
size_t serve_queue_count(const struct serve *s, enum slot_kind kind);
