/*
 * The keeper: a process of one user that holds what outlives one command. Runs that need nothing of it never
 * start it.
 *
 * Processes of a background box:
 *
 *   launcher    caisson run. When its box is to live on, it asks the keeper for a place, forks the holder,
 *               tells init, and answers its caller
 *   holder      a fork of the launcher: has all of its memory and descriptors. It supervises the box as the
 *               launcher did (limits, output, clock), ends it, compares the workspace, writes the end row
 *   init        pid 1 of the box. Its parent-death signal is off; it ends the box when one of two life lines
 *               closes: the socket to the holder, or the socket to the keeper
 *   keeper      knows all boxes of the user and their use of memory, keeps the bounds, holds one end of each
 *               life line. It runs no foreign code, reads no file of a project, and has no pid to kill
 *
 * Ends. Each process owns descriptors, never pids, so nothing is killed by mistake:
 *
 *   the launcher dies   before the holder has its word: the holder kills the box and cleans up
 *                       afterwards: nothing happens
 *   the holder dies     init sees EOF and ends the box; the undertakers (box/undertaker.h) remove cgroup and
 *                       placeholders. The next look at the list of boxes writes the missing end row
 *   the keeper dies     init sees EOF and ends the box; the holder sees EOF, finishes, and writes the end row
 *   init dies           the box is gone; the holder sees its pidfd, finishes, and closes its connection
 *   the box's program   is a process like any other of a box in the background: the box ends with the last
 *
 * Messages. A socket of whole messages (SOCK_SEQPACKET) at STATE/keeper/socket, in a directory of mode 0700
 * that no box sees. Every message is one struct keeper_message; any other length, an unknown kind or a text
 * without an end closes the connection. A peer must have our user and our user namespace (sys/peer.h).
 *
 *   client                       keeper
 *   HELLO (protocol, program) →
 *                              ← WELCOME (its protocol and program, number of boxes)
 *   RETIRE                    →  a newer program replaces this keeper: it frees its name at once, takes no
 *                                further box, and ends with its last one
 *   HOLD (id, session) + life →
 *                              ← HELD (maybe the id of a box that ends for it), or REFUSED (why)
 *   SHARE (key) + network     →  other boxes with this key may join the network of this one: descriptors of
 *                                its namespace and, if it reaches hosts by name, of its relay's life line
 *                                From a client without a box: the network of a box that is still its
 *                                launcher's. It holds no place, and lasts as long as the connection
 *   USAGE (memory, active)    →  from the holder, now and then
 *                              ← END (why): the holder ends its box
 *   EOF                          the box has ended
 *
 *   JOIN (key)                →
 *                              ← JOINED + network of the oldest box with this key, or REFUSED: there is none
 *
 *   PUBLISH (key, port) + life →  a relay carries this port of the host's loopback into the network with
 *                                this key (run/publish.h). The keeper holds its life line
 *                              ← PORT, or REFUSED (why). The life line closes with the last box of the key
 *   UNPUBLISH (port)          →  closes the life line
 *                              ← PORT, or REFUSED: it is not published
 *   PORTS (index)             →
 *                              ← PORT (port, key) of the published ports, or REFUSED after the last
 *
 * HELLO, WELCOME and RETIRE keep their shape in every version. A client that meets another protocol or
 * another program sends RETIRE and starts a keeper of its own.
 *
 * States of a connection: NEW (has KEEPER_HELLO_MS to say HELLO), GREETED (has KEEPER_ASK_MS to say more),
 * HOLDING, LENDING. An END that is not obeyed within KEEPER_END_MS closes the life line.
 *
 * Files:
 *   keeper_table.c   the decisions, without a system call: what a message means, who ends for whom
 *   keeper_serve.c   the process: lock, socket, loop
 *   keeper_client.c  connecting, starting, asking
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

#define KEEPER_PROTOCOL 3
#define KEEPER_FOLDER "keeper"
#define KEEPER_PEERS_MAX 112 /* connections at once */
#define KEEPER_LENDERS_MAX 16 /* of them: boxes of launchers that lend their network */
#define KEEPER_BOXES_MAX 16  /* boxes of one user */
#define KEEPER_SESSION_MAX 8 /* of one session */
#define KEEPER_PORTS_MAX 16  /* published ports of one user */
#define KEEPER_HELLO_MS 2000
#define KEEPER_ASK_MS 5000
#define KEEPER_END_MS 20000      /* the holder also compares the workspace */
#define KEEPER_IDLE_MS 500       /* without a connection: the keeper ends */
#define KEEPER_IDLE_BOX_MS 60000 /* a box without CPU time for so long may end for another */

enum keeper_kind {
	KEEPER_HELLO = 1,
	KEEPER_WELCOME,
	KEEPER_RETIRE,
	KEEPER_HOLD,
	KEEPER_HELD,
	KEEPER_REFUSED,
	KEEPER_USAGE,
	KEEPER_END,
	KEEPER_SHARE,
	KEEPER_JOIN,
	KEEPER_JOINED,
	KEEPER_PUBLISH,
	KEEPER_UNPUBLISH,
	KEEPER_PORTS,
	KEEPER_PORT,
};
#define KEEPER_KIND_LAST KEEPER_PORT
#define KEEPER_NETWORK_FDS 2 /* of SHARE and JOINED: namespace, life line of the relay */

struct keeper_message {
	char magic[8]; /* KEEPER_MAGIC */
	uint32_t protocol;
	uint32_t kind;    /* enum keeper_kind */
	uint64_t memory;  /* USAGE: bytes now */
	/* USAGE: not 0: it used CPU time since the last one. WELCOME: boxes. PORTS: index. Others: port */
	uint64_t active;
	char program[32]; /* HELLO, WELCOME: version of the program */
	char id[40];      /* HOLD: of the box. HELD: of the box that ends for it; empty: none */
	char session[72]; /* HOLD: whose bound counts; empty: none */
	char text[152];   /* REFUSED, END: why. SHARE, JOIN, PUBLISH, PORT: the key of the network */
};
#define KEEPER_MAGIC "caisson"
_Static_assert(sizeof(struct keeper_message) == 328, "the shape of a message");

/* A message of this kind, with everything else empty. */
struct keeper_message keeper_message(enum keeper_kind kind);
/* Copies a text into a field of a message. False if it does not fit. */
bool keeper_put(char *field, size_t size, struct str text);
/* True for the bytes of one well-formed message. One of another protocol may only be of the first kinds. */
bool keeper_valid(const void *bytes, size_t n);

/* ---- keeper_table.c ---- */

enum keeper_state { KEEPER_FREE, KEEPER_NEW, KEEPER_GREETED, KEEPER_HOLDING, KEEPER_LENDING };

struct keeper_peer {
	enum keeper_state state;
	int64_t due;           /* NEW, GREETED: until when; HOLDING: 0, or when the life line closes */
	int64_t since, active; /* HOLDING: ns of the monotonic clock */
	uint64_t memory;
	char id[40], session[72];
	char network[152]; /* key of the network that others may join; empty: none */
};

struct keeper_port {
	uint16_t port;     /* 0: free */
	char network[152]; /* key of the network that it leads into */
};

struct keeper_table { /* zeroed but for memory_max: nobody is connected */
	struct keeper_peer peers[KEEPER_PEERS_MAX];
	struct keeper_port ports[KEEPER_PORTS_MAX];
	uint64_t memory_max; /* bytes of all boxes together */
	bool retired;
};

struct keeper_step {     /* what the loop has to do after a message */
	bool drop;       /* closes the connection */
	bool answers;    /* sends `answer` to the peer */
	bool takes_life; /* keeps the descriptor of this message */
	bool takes_network; /* keeps its descriptors for those who join */
	int gives;       /* the answer carries the network of this peer; -1: none */
	int publishes;   /* keeps the descriptor of this message for this port of the table; -1: none */
	int unpublishes; /* closes that of this port, which is free now; -1: none */
	struct keeper_message answer;
	int ends; /* the peer that gets `end`; -1: none */
	struct keeper_message end;
};

/* A place for a new connection; -1: none is left. */
int keeper_admit(struct keeper_table *t, int64_t now);
/* Takes the bytes of a message with `nfds` descriptors from the peer at this place. */
void keeper_take(struct keeper_table *t, int at, const void *bytes, size_t n, size_t nfds, int64_t now,
		struct keeper_step *ret);
void keeper_gone(struct keeper_table *t, int at);
size_t keeper_boxes(const struct keeper_table *t);
/* A published port whose network has no box any more; -1: none. The loop closes it, and frees its place. */
int keeper_stale_port(const struct keeper_table *t);
/* The earliest `due` of all; 0: none. */
int64_t keeper_due(const struct keeper_table *t);

/* ---- keeper_serve.c ---- */

/*
 * Serves until nobody needs it. `state` is the checked state directory. *ret_other: another keeper serves
 * already. -1: it could not start. `ready`: called once it serves.
 */
int keeper_serve(struct str state, void (*ready)(void), bool *ret_other, struct err *e);

/* ---- keeper_client.c ---- */

struct keeper_wait {             /* how long a client waits, and what it does meanwhile */
	int64_t due;             /* ns of the monotonic clock */
	void (*tick)(void *ctx); /* called every few ms; NULL: none */
	void *ctx;
};
#define KEEPER_WAIT_MS 3000

struct keeper_status {
	bool runs;
	char program[32];
	uint64_t boxes;
	int pid;
};

/* True if a keeper may be there: its socket exists. */
bool keeper_seen(struct str state);
/* Looks for a keeper, and starts none. */
void keeper_look(struct str state, struct keeper_status *ret);
/*
 * Connects to the keeper of this state directory, which is checked; starts it if needed, and replaces one of
 * another program. Returns the connection, or -1 and *e.
 */
int keeper_connect(struct str state, const struct keeper_wait *w, struct err *e);
/*
 * Asks for a place for a box. `life` is the keeper's end of the life line; the caller closes its copy.
 * ret_ended gets the id of a box that ends for this one, or an empty text. -1 and *e: refused.
 */
int keeper_hold(int keeper, struct str id, struct str session, int life, const struct keeper_wait *w,
		char ret_ended[40], struct err *e);
/*
 * Lets other boxes with this key join the network of the held box, or, on a fresh connection, that of a box
 * of the caller's. The caller closes its copies.
 */
void keeper_share(int keeper, struct str key, const int *fds, size_t n);
/*
 * Asks for the network of boxes with this key, and starts no keeper. Returns the number of descriptors in
 * ret_fds, which the caller closes; 0: no such box lives.
 */
size_t keeper_join(struct str state, struct str key, int ret_fds[KEEPER_NETWORK_FDS]);
/* Gives the keeper the life line of a relay that publishes a port. The caller closes its copy. */
int keeper_publish(struct str state, struct str key, uint16_t port, int life, struct err *e);
int keeper_unpublish(struct str state, uint16_t port, struct err *e);
/* The published ports, at most KEEPER_PORTS_MAX. Starts no keeper. */
size_t keeper_ports(struct str state, struct keeper_port ret[KEEPER_PORTS_MAX]);
/* Tells the keeper about the use of a box. */
void keeper_tell(int keeper, uint64_t memory, bool active);
/* Something came from the keeper. True: the box has to end, and text says why. */
bool keeper_wants_end(int keeper, char text[152]);
