/*
 * A minimal D-Bus client for a single request: connects to a Unix socket, authenticates as this user (SASL
 * EXTERNAL), sends method calls, reads replies and signals. Little endian only; allocates nothing.
 *
 * The peer is not trusted. A message longer than DBUS_IN_MAX, a malformed message and more than
 * DBUS_MESSAGES_MAX messages are errors; every wait ends at the connection's deadline. Descriptors that a
 * peer attaches are discarded by the kernel (plain recv()).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

#define DBUS_OUT_MAX 2048      /* bytes of one outgoing message */
/* bytes of one incoming message; a signal may list all properties of a unit */
#define DBUS_IN_MAX 65536
/* incoming messages per connection; systemd broadcasts all signals */
#define DBUS_MESSAGES_MAX 4096

enum dbus_type { DBUS_CALL = 1, DBUS_REPLY = 2, DBUS_ERROR = 3, DBUS_SIGNAL = 4 };

/* ---- outgoing message ---- */

struct dbus_target { /* NULL leaves a field out */
	const char *destination, *path, *interface, *member;
};

struct dbus_out {
	size_t n;             /* bytes in p */
	size_t body;          /* offset of the body */
	bool full;            /* a part did not fit: sending fails */
	char p[DBUS_OUT_MAX];
};

/*
 * Starts a method call. dbus_put_*() appends its arguments in the order of `signature`; dbus_end() completes
 * it.
 */
void dbus_call(struct dbus_out *m, uint32_t serial, const struct dbus_target *to, const char *signature);
void dbus_put_u32(struct dbus_out *m, uint32_t n); /* also for a boolean */
void dbus_put_u64(struct dbus_out *m, uint64_t n);
void dbus_put_string(struct dbus_out *m, const char *text); /* also for an object path */
void dbus_put_signature(struct dbus_out *m, const char *text);
void dbus_put_struct(struct dbus_out *m); /* starts a structure */
struct dbus_array { /* an open array: offsets of its length and its first element */
	size_t length, first;
};
struct dbus_array dbus_put_array(struct dbus_out *m, size_t alignment /* of the element type */);
void dbus_put_array_end(struct dbus_out *m, struct dbus_array array);
void dbus_end(struct dbus_out *m);

/* ---- incoming message ---- */

struct dbus_in { /* strings point into the parsed bytes; a missing field is empty */
	enum dbus_type type;
	uint32_t serial, reply_serial;
	struct str path, interface, member, error, signature, body;
};

/*
 * Parses the message at the start of these bytes. Returns its length, 0 if the message is still incomplete,
 * -1 if it is malformed.
 */
ssize_t dbus_parse(struct str bytes, struct dbus_in *ret);
/* Takes the next argument of a body and advances *at. False if it is missing or malformed. */
bool dbus_take_u32(struct str body, size_t *at, uint32_t *ret);
bool dbus_take_string(struct str body, size_t *at, struct str *ret);

/* ---- a connection ---- */

struct dbus {
	int fd;
	int64_t deadline;     /* on the monotonic clock, for all waits together */
	bool authenticated;
	unsigned messages;    /* messages received so far */
	size_t n, taken;      /* bytes in `in`; length of the message handed out last */
	char in[DBUS_IN_MAX];
};

/* Initializes *d and takes over a connected stream socket. */
void dbus_start(struct dbus *d, int fd, int64_t deadline);
/*
 * Connects without blocking and returns the socket. -1 and *e unless the server runs as this user. *ret_pid
 * is the listening process, or 0 if it is not visible.
 */
int dbus_connect(const char *path, pid_t *ret_pid, struct err *e);
/* Sends the authentication and all messages at once; the answers are read later. */
int dbus_send(struct dbus *d, const struct dbus_out *messages, size_t n, struct err *e);
/* Waits until the peer accepts the authentication; dbus_next() does so too. */
int dbus_await_auth(struct dbus *d, struct err *e);
/*
 * Waits for the next message, which stays valid until the next call. -1 and *e at the deadline, at EOF, and
 * for a malformed message.
 */
int dbus_next(struct dbus *d, struct dbus_in *ret, struct err *e);
void dbus_close(struct dbus *d);
