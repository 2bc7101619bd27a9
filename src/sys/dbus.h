/*
 * D-Bus as far as one question needs it: connect to a Unix socket, authenticate as this user (SASL EXTERNAL),
 * send method calls, read replies and signals. Little endian only; no allocation.
 *
 * The peer is not trusted. A message longer than DBUS_IN_MAX, a message that breaks the format and more than
 * DBUS_MESSAGES_MAX messages are errors; every wait ends at the connection's deadline. Descriptors that a
 * peer attaches are discarded by the kernel (plain recv()).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"

#define DBUS_OUT_MAX 2048      /* bytes of one message of ours */
/* bytes of one message of the peer: systemd's signals list all properties of a unit */
#define DBUS_IN_MAX 65536
/* messages of the peer in one connection: at its own socket the manager tells everybody everything */
#define DBUS_MESSAGES_MAX 4096

enum dbus_type { DBUS_CALL = 1, DBUS_REPLY = 2, DBUS_ERROR = 3, DBUS_SIGNAL = 4 };

/* ---- a message of ours ---- */

struct dbus_target { /* NULL: the field is left out */
	const char *destination, *path, *interface, *member;
};

struct dbus_out {
	size_t n;             /* bytes in p */
	size_t body;          /* where the body begins */
	bool full;            /* something did not fit: the message is not sent */
	char p[DBUS_OUT_MAX];
};

/*
 * Starts a method call; its arguments follow by dbus_put_*() in the order of `signature`; dbus_end()
 * completes it.
 */
void dbus_call(struct dbus_out *m, uint32_t serial, const struct dbus_target *to, const char *signature);
void dbus_put_u32(struct dbus_out *m, uint32_t n); /* also a boolean */
void dbus_put_u64(struct dbus_out *m, uint64_t n);
void dbus_put_string(struct dbus_out *m, const char *text); /* also an object path */
void dbus_put_signature(struct dbus_out *m, const char *text);
void dbus_put_struct(struct dbus_out *m); /* where a structure begins */
struct dbus_array { /* an open array: where its length stands, and its first element */
	size_t length, first;
};
struct dbus_array dbus_put_array(struct dbus_out *m, size_t alignment /* of an element */);
void dbus_put_array_end(struct dbus_out *m, struct dbus_array array);
void dbus_end(struct dbus_out *m);

/* ---- a message of the peer ---- */

struct dbus_in { /* texts point into the bytes that were parsed; a field that is not there is empty */
	enum dbus_type type;
	uint32_t serial, reply_serial;
	struct str path, interface, member, error, signature, body;
};

/*
 * The message at the start of these bytes: its length, 0 when there is more to come, -1 when it can never be
 * one.
 */
ssize_t dbus_parse(struct str bytes, struct dbus_in *ret);
/* The next argument of a body, from *at on. False: it is not there, or is malformed. */
bool dbus_take_u32(struct str body, size_t *at, uint32_t *ret);
bool dbus_take_string(struct str body, size_t *at, struct str *ret);

/* ---- a connection ---- */

struct dbus {
	int fd;
	int64_t deadline;     /* of the monotonic clock, for everything */
	bool authenticated;
	unsigned messages;    /* taken so far */
	size_t n, taken;      /* bytes in `in`, and how many of them were handed out */
	char in[DBUS_IN_MAX];
};

/* Takes over a connected stream socket. */
void dbus_start(struct dbus *d, int fd, int64_t deadline);
/*
 * Connects without waiting. The server must run as this user. *ret_pid: the process that listens there, 0
 * when it is not visible.
 */
int dbus_connect(const char *path, pid_t *ret_pid, struct err *e);
/* Authentication and the messages in one piece: the answers are read later. */
int dbus_send(struct dbus *d, const struct dbus_out *messages, size_t n, struct err *e);
/* Waits until the peer has accepted the authentication; dbus_next() does it as well. */
int dbus_await_auth(struct dbus *d, struct err *e);
/*
 * Waits for the next message; valid until the next call. -1: the deadline, an end, or a message that cannot
 * be one.
 */
int dbus_next(struct dbus *d, struct dbus_in *ret, struct err *e);
void dbus_close(struct dbus *d);
