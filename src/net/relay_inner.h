/*
 * Parts of the relay process, which is single-threaded and never waits but in epoll_wait().
 *
 *   relay.c          start and stop, in the launcher
 *   relay_confine.c  everything the relay gives up before it reads a byte of the box
 *   relay_loop.c     events, listeners, name queries, clock
 *   relay_inspect.c  the client's words: TLS, HTTP or neither, and where they may go
 *   relay_dial.c     the way to the host: resolution, private addresses, attempts to connect, the proxy
 *   relay_pump.c     bytes in both directions
 *   relay_drain.c    the end: bytes of programs that are gone
 *   relay_report.c   rows of the report
 *
 * Sockets are edge-triggered: `readable` and `writable` are true until a call says EAGAIN. A connection that
 * could go on is on the run list, and each gets a bounded turn.
 */
#pragma once
#include <stdint.h>

#include "net/client_hello.h"
#include "net/dns.h"
#include "net/first_words.h"
#include "net/http_requests.h"
#include "net/names.h"
#include "net/relay.h"
#include "net/relay_pipes.h"
#include "net/upstream.h"
#include "net/upstream_proxy.h"

#define RELAY_CONNECTIONS_MAX 1024
#define RELAY_ATTEMPTS_MAX 3   /* addresses tried at once */
#define RELAY_HEAD_MAX 33280   /* a whole request head, or ClientHello; relay_inspect.c has the parts */
#define RELAY_REWRITE_MAX 2048 /* more for a head in absolute form */
#define RELAY_WORDS_MAX (RELAY_HEAD_MAX + RELAY_REWRITE_MAX)
#define RELAY_ROW_NONE (-1)

/*
 * Bytes in each buffer of a socket. The kernel lets it have twice as many, and counts them for nobody's
 * limit. A few connections at a time may be as quick to their servers as the kernel allows; many are smaller,
 * so that the four buffers of all connections hold at most about 350 MB and those of the few.
 */
#define RELAY_ROOM_FREE 0 /* the kernel decides, up to the end of tcp_rmem and tcp_wmem */
#define RELAY_ROOM_LARGE 212992 /* the most that hosts allow by default */
#define RELAY_ROOM_SMALL (1 << 15)
#define RELAY_ROOM_FREE_MAX 4 /* connections */
#define RELAY_ROOM_LARGE_MAX 64

#define MILLISECOND ((int64_t)1000000)

struct relay_target {
	char host[NETWORK_HOST_MAX + 1];
	uint16_t port;
	bool is_address; /* a listed address: nobody checks names */
	bool to_host;    /* this host's own loopback, in both families */
	uint8_t ip[IP_BYTES];
};

struct relay_socket {
	int fd; /* -1: none */
	bool readable, writable;
	bool hung_up; /* no more bytes will come */
	bool failed;  /* after its last bytes comes an error */
};

struct relay_flow {              /* one direction */
	struct relay_pipe *pipe; /* NULL: no bytes on the way */
	bool ended;              /* EOF was read */
	bool shut;               /* EOF was passed on */
	bool waits;              /* for a pipe */
};

enum relay_stage {
	RELAY_FREE,
	RELAY_LISTENING, /* the client's first words decide; not connected */
	RELAY_RESOLVING,
	RELAY_CONNECTING,
	RELAY_ASKING, /* the proxy */
	RELAY_OPEN,
	RELAY_ENDING, /* the server broke off; the client still gets what was sent before */
};

struct relay_dial {
	const struct upstream_proxy *proxy; /* NULL: direct */
	bool forwards;                      /* requests go to the proxy in absolute form */
	struct upstream_addresses to;
	size_t next;                      /* first address that was not tried */
	int attempts[RELAY_ATTEMPTS_MAX]; /* -1: none */
	int64_t again;                    /* time to try the next address as well */
	struct proxy_dialogue dialogue;
};

struct relay_connection {
	enum relay_stage stage;
	uint32_t generation; /* tells late events of a former connection in this slot */
	bool queued;         /* on the run list; stays so when the slot is used again */
	struct relay_connection *run_next, *free_next;
	struct relay_target target;
	int room; /* for the buffers of its sockets */
	struct relay_socket client, server;
	struct relay_flow up, down; /* to the server; to the client */
	struct relay_dial dial;
	int64_t began, deadline; /* deadline 0: none */
	int64_t moved;           /* last time that something went to the server */
	int row;                 /* of the report */

	enum relay_speech speech;
	bool must_tls, must_http;
	bool server_first; /* the server spoke before it saw a byte of the client */
	bool answer_decides; /* the server's answer says how to go on; until then the client has to wait */
	bool hello_again;    /* the server asked for a second ClientHello */
	uint64_t pass; /* bytes after `words` that may pass unseen; UINT64_MAX: all */
	/* bytes in `words`: all, those that may pass, those that were sent but are still looked at */
	size_t words_n, words_ok, words_sent;
	struct http_requests http;
	uint8_t *words; /* RELAY_WORDS_MAX bytes, of this slot for ever */
};

struct relay_loop {
	int epoll, lifeline, spare; /* spare: closed to accept and refuse when descriptors run out */
	int routes;                 /* netlink socket to ask about addresses */
	const struct relay_request *request;
	struct relay_listener listeners[RELAY_LISTENERS_MAX];
	size_t nlisteners;
	int dns[2]; /* -1: none */
	struct network_report *report;
	uint16_t unpaired[NETWORK_REPORT_MAX]; /* see relay_report_query() */
	struct net_names *names;
	struct upstream *upstream;
	struct upstream_proxies proxies;
	struct relay_pipes pipes;
	size_t active, active_max;
	uint32_t flush; /* wishes of launchers so far */
	size_t files;   /* descriptors that the relay may have */
	size_t used;    /* slots that were ever in use; the pages of the others do not exist */
	uint8_t *words; /* RELAY_WORDS_MAX bytes for each slot */
	bool ended;
	int64_t drain_quiet; /* the relay ends no earlier; 0: as soon as no connection is left */
	int64_t drain_end; /* nobody is left in the box, and the relay ends then at the latest; 0: serves */
	bool starved;                    /* a direction waits for a pipe */
	int64_t now, wake, resolver_due; /* wake: when the clock has something to do */
	struct relay_connection *run, *run_last;
	struct relay_connection *free;
	struct relay_connection connections[RELAY_CONNECTIONS_MAX];
};

/* ---- relay_confine.c ---- */
/*
 * In the child, before anything else: default signals, no descriptor but the lifeline (whose number may
 * change), the given user, no capabilities, death with the parent.
 */
int relay_settle(const struct relay_request *rq, int *lifeline, pid_t parent, struct err *e);
/* After the proxy's variables and all files: wipes the environment; Landlock and a system call filter. */
int relay_confine(struct err *e);

/* ---- relay_loop.c ---- */
/* NULL: no memory. The caller sets lifeline, report and names, then calls relay_loop_begin(). */
struct relay_loop *relay_loop_new(const struct relay_request *rq);
int relay_loop_begin(struct relay_loop *l, struct err *e);
/* Watches listeners, name sockets and the lifeline, which the caller has set. */
int relay_loop_serve(struct relay_loop *l, struct err *e);
void relay_loop_run(struct relay_loop *l); /* until the lifeline ends, or everything is drained */
enum relay_event {
	RELAY_AT_LISTENER,
	RELAY_AT_DNS,
	RELAY_AT_LIFELINE,
	RELAY_AT_RESOLVER,
	RELAY_AT_CLIENT,
	RELAY_AT_SERVER,
	RELAY_AT_ATTEMPT /* and those after it */
};
/* Watches a socket of the connection, or changes the kind of its events. 0 or -1. */
int relay_watch(struct relay_loop *l, struct relay_connection *c, int fd, unsigned kind, bool change);
void relay_queue(struct relay_loop *l, struct relay_connection *c);
void relay_set_deadline(struct relay_loop *l, struct relay_connection *c, int64_t when); /* 0: none */
void relay_wake_at(struct relay_loop *l, int64_t when);
/* Ends the connection. With `reset` both sides see RST. */
void relay_close(struct relay_loop *l, struct relay_connection *c, bool reset);
/* Writes the refusal to the report and ends the connection with RST. */
void relay_refuse(struct relay_loop *l, struct relay_connection *c, enum network_refusal why);

/* ---- relay_inspect.c ---- */
/* Decides by target and port who must speak how. */
void relay_inspect_begin(struct relay_connection *c);
/* Decides about the words so far. False: the connection was refused. */
bool relay_inspect(struct relay_loop *l, struct relay_connection *c);
/*
 * Looks at the server's first answer if it decides how to go on. False: nothing may pass to the client,
 * because the answer is not complete, or the connection was refused.
 */
bool relay_inspect_answer(struct relay_loop *l, struct relay_connection *c);
/* True if the client's next bytes have to wait for that answer; not if the client sends no more. */
bool relay_inspect_waits(struct relay_connection *c);

/* ---- relay_dial.c ---- */
/* Finds the way: directly or through the host's own proxy. */
void relay_dial_route(const struct relay_loop *l, struct relay_connection *c);
void relay_dial(struct relay_loop *l, struct relay_connection *c);
/* Goes on with a connection that is not open yet, because of an event or the clock. */
void relay_dial_step(struct relay_loop *l, struct relay_connection *c);
void relay_dial_event(struct relay_loop *l, struct relay_connection *c, unsigned attempt);
void relay_dial_end(struct relay_connection *c); /* closes attempts */
void relay_set_options(int fd);
void relay_set_room(int fd, int room);

/* ---- relay_pump.c ---- */
void relay_pump(struct relay_loop *l, struct relay_connection *c);

/* ---- relay_drain.c ---- */
void relay_drain_begin(struct relay_loop *l);
void relay_drain_alone(struct relay_loop *l); /* no launcher is left */
/* After each round of events, of which there were n: ends what is done or late, and the loop at last. */
void relay_drain_step(struct relay_loop *l, int n);
void relay_flush_step(struct relay_loop *l, int n);

/* ---- relay_report.c ---- */
/* Counts a connection or refusal and returns its row, or RELAY_ROW_NONE when all are used. */
int relay_report_add(struct network_report *r, const char *host, uint16_t port, enum network_refusal why);
/*
 * Adds a refused name query. Programs ask for a name by two queries, of A and AAAA: the second one of a pair
 * does not count. `unpaired` has the type of a query that waits for its other, by row.
 */
void relay_report_query(struct network_report *r, uint16_t unpaired[NETWORK_REPORT_MAX],
		const struct dns_result *q);
