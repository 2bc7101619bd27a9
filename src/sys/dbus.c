/*
 * A minimal D-Bus client; dbus.h states its limits. The format:
 * https://dbus.freedesktop.org/doc/dbus-specification.html
 */
#define _GNU_SOURCE
#include "sys/dbus.h"

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/file.h"

#define FIXED_HEADER 16 /* bytes before the first header field */
#define LINE_MAX_AUTH 256
#define AUTH_MAX 128

enum field { FIELD_PATH = 1, FIELD_INTERFACE, FIELD_MEMBER, FIELD_ERROR, FIELD_REPLY_SERIAL,
		FIELD_DESTINATION, FIELD_SENDER, FIELD_SIGNATURE };

/* ---- outgoing message ---- */

static void put_bytes(struct dbus_out *m, const void *p, size_t n)
{
	if (m->full || n > sizeof(m->p) - m->n) {
		m->full = true;
		return;
	}
	memcpy(m->p + m->n, p, n);
	m->n += n;
}

static void pad_to(struct dbus_out *m, size_t alignment)
{
	static const char zero[8];

	put_bytes(m, zero, -m->n & (alignment - 1));
}

static void put_byte(struct dbus_out *m, uint8_t byte) { put_bytes(m, &byte, 1); }

void dbus_put_u32(struct dbus_out *m, uint32_t n)
{
	uint32_t le = htole32(n);

	pad_to(m, 4);
	put_bytes(m, &le, sizeof(le));
}

void dbus_put_u64(struct dbus_out *m, uint64_t n)
{
	uint64_t le = htole64(n);

	pad_to(m, 8);
	put_bytes(m, &le, sizeof(le));
}

void dbus_put_string(struct dbus_out *m, const char *text)
{
	dbus_put_u32(m, (uint32_t)strlen(text));
	put_bytes(m, text, strlen(text) + 1);
}

void dbus_put_signature(struct dbus_out *m, const char *text)
{
	put_byte(m, (uint8_t)strlen(text));
	put_bytes(m, text, strlen(text) + 1);
}

void dbus_put_struct(struct dbus_out *m) { pad_to(m, 8); }

static void set_u32(struct dbus_out *m, size_t at, uint32_t n)
{
	uint32_t le = htole32(n);

	if (!m->full)
		memcpy(m->p + at, &le, sizeof(le));
}

/* The length does not count the padding in front of the first element. */
struct dbus_array dbus_put_array(struct dbus_out *m, size_t alignment)
{
	struct dbus_array array;

	dbus_put_u32(m, 0);
	array.length = m->n - sizeof(uint32_t);
	pad_to(m, alignment);
	array.first = m->n;
	return array;
}

void dbus_put_array_end(struct dbus_out *m, struct dbus_array array)
{
	set_u32(m, array.length, (uint32_t)(m->n - array.first));
}

static void put_field(struct dbus_out *m, enum field code, const char *type, const char *text)
{
	if (!text)
		return;
	dbus_put_struct(m);
	put_byte(m, (uint8_t)code);
	dbus_put_signature(m, type);
	if (*type == 'g')
		dbus_put_signature(m, text);
	else
		dbus_put_string(m, text);
}

void dbus_call(struct dbus_out *m, uint32_t serial, const struct dbus_target *to, const char *signature)
{
	struct dbus_array fields;

	m->n = 0;
	m->full = false;
	put_bytes(m, (const char[]){'l', DBUS_CALL, 0 /* flags */, 1 /* version */}, 4);
	dbus_put_u32(m, 0); /* body length; dbus_end() fills it in */
	dbus_put_u32(m, serial);
	fields = dbus_put_array(m, 8);
	put_field(m, FIELD_PATH, "o", to->path);
	put_field(m, FIELD_MEMBER, "s", to->member);
	put_field(m, FIELD_INTERFACE, "s", to->interface);
	put_field(m, FIELD_DESTINATION, "s", to->destination);
	put_field(m, FIELD_SIGNATURE, "g", signature);
	dbus_put_array_end(m, fields);
	pad_to(m, 8);
	m->body = m->n;
}

void dbus_end(struct dbus_out *m) { set_u32(m, 4, (uint32_t)(m->n - m->body)); }

/* ---- incoming message ---- */

/*
 * Skips to the next multiple of the alignment, counted from the start of s, then takes n bytes. Returns their
 * offset, or -1.
 */
static ptrdiff_t take(struct str s, size_t *at, size_t alignment, size_t n)
{
	size_t from = *at + (-*at & (alignment - 1));

	if (*at > s.n || from > s.n || n > s.n - from)
		return -1;
	*at = from + n;
	return (ptrdiff_t)from;
}

bool dbus_take_u32(struct str body, size_t *at, uint32_t *ret)
{
	ptrdiff_t from = take(body, at, 4, sizeof(*ret));
	uint32_t le;

	if (from < 0)
		return false;
	memcpy(&le, body.p + from, sizeof(le));
	*ret = le32toh(le);
	return true;
}

/* Takes a NUL-terminated string of length n without a NUL inside. */
static bool take_text(struct str s, size_t *at, size_t n, struct str *ret)
{
	ptrdiff_t from = n < s.n ? take(s, at, 1, n + 1) : -1;

	if (from < 0 || s.p[(size_t)from + n] != '\0' || memchr(s.p + from, '\0', n))
		return false;
	*ret = str_n(s.p + from, n);
	return true;
}

bool dbus_take_string(struct str body, size_t *at, struct str *ret)
{
	uint32_t n;

	return dbus_take_u32(body, at, &n) && take_text(body, at, n, ret);
}

static bool take_signature(struct str s, size_t *at, struct str *ret)
{
	ptrdiff_t from = take(s, at, 1, 1);

	return from >= 0 && take_text(s, at, (uint8_t)s.p[from], ret);
}

/* Takes the value of a header field. Accepts only the types that the specification allows there. */
static bool take_value(struct str s, size_t *at, char type, struct str *ret_text, uint32_t *ret_n)
{
	switch (type) {
	case 's':
	case 'o': return dbus_take_string(s, at, ret_text);
	case 'g': return take_signature(s, at, ret_text);
	case 'u': return dbus_take_u32(s, at, ret_n);
	default: return false;
	}
}

static const struct {
	char type;
	uint8_t code;
	size_t to; /* offset in struct dbus_in */
} text_fields[] = {
	{'o', FIELD_PATH, offsetof(struct dbus_in, path)},
	{'s', FIELD_INTERFACE, offsetof(struct dbus_in, interface)},
	{'s', FIELD_MEMBER, offsetof(struct dbus_in, member)},
	{'s', FIELD_ERROR, offsetof(struct dbus_in, error)},
	{'g', FIELD_SIGNATURE, offsetof(struct dbus_in, signature)},
};

/* Stores a header field and ignores unknown ones. False if a known field has the wrong type. */
static bool set_field(struct dbus_in *m, uint8_t code, char type, struct str text, uint32_t n)
{
	if (code == FIELD_REPLY_SERIAL) {
		m->reply_serial = n;
		return type == 'u';
	}
	for (size_t i = 0; i < ARRAY_SIZE(text_fields); i++)
		if (text_fields[i].code == code) {
			memcpy((char *)m + text_fields[i].to, &text, sizeof(text));
			return type == text_fields[i].type;
		}
	return true;
}

static bool parse_fields(struct str header, struct dbus_in *m)
{
	for (size_t at = FIXED_HEADER; at < header.n;) {
		ptrdiff_t from = take(header, &at, 8, 1);
		struct str type = {0}, text = {0};
		uint32_t n = 0;

		if (from < 0 || !take_signature(header, &at, &type) || type.n != 1 ||
				!take_value(header, &at, type.p[0], &text, &n))
			return false;
		if (!set_field(m, (uint8_t)header.p[from], type.p[0], text, n))
			return false;
	}
	return true;
}

ssize_t dbus_parse(struct str bytes, struct dbus_in *ret)
{
	struct dbus_in m = {0};
	uint32_t body, fields;
	size_t at = 4, start;

	if (bytes.n > 0 && bytes.p[0] != 'l')
		return -1;
	if (bytes.n < FIXED_HEADER)
		return 0;
	if (bytes.p[1] < DBUS_CALL || bytes.p[1] > DBUS_SIGNAL || bytes.p[3] != 1)
		return -1;
	m.type = (enum dbus_type)bytes.p[1];
	if (!dbus_take_u32(bytes, &at, &body) || !dbus_take_u32(bytes, &at, &m.serial) ||
			!dbus_take_u32(bytes, &at, &fields))
		return -1;
	if (body > DBUS_IN_MAX || fields > DBUS_IN_MAX || m.serial == 0)
		return -1;
	start = (FIXED_HEADER + (size_t)fields + 7) & ~(size_t)7;
	if (start + body > DBUS_IN_MAX)
		return -1;
	if (start + body > bytes.n)
		return 0;
	if (!parse_fields(str_n(bytes.p, FIXED_HEADER + (size_t)fields), &m))
		return -1;
	m.body = str_n(bytes.p + start, body);
	*ret = m;
	return (ssize_t)(start + body);
}

/* ---- a connection ---- */

void dbus_start(struct dbus *d, int fd, int64_t deadline)
{
	d->fd = fd;
	d->deadline = deadline;
	d->authenticated = false;
	d->messages = 0;
	d->n = d->taken = 0;
}

int dbus_connect(const char *path, pid_t *ret_pid, struct err *e)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	struct ucred peer;
	socklen_t n = sizeof(peer);
	FD_CLEANUP int fd = -1;
	int connected;

	if (str_put(to.sun_path, sizeof(to.sun_path), "%s", path) >= sizeof(to.sun_path))
		return err_limit(e, "the path of the socket '%s' is too long", path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof(to)) != 0)
		return err_system(e, "cannot connect to '%s'", path);
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) != 0)
		return err_system(e, "cannot identify the process that listens at '%s'", path);
	if (peer.uid != geteuid())
		return err_input(e, "another user listens at '%s'", path);
	*ret_pid = peer.pid;
	connected = fd;
	fd = -1;
	return connected;
}

/*
 * A NUL, then EXTERNAL with the decimal uid encoded in hexadecimal. The server compares the uid with the
 * socket's credentials.
 */
static size_t auth_text(char *to, size_t room)
{
	char uid[16], hex[2 * sizeof(uid)];
	size_t n = str_put(uid, sizeof(uid), "%u", (unsigned)geteuid());

	for (size_t i = 0; i < n; i++) { /* '7' is 0x37 */
		hex[2 * i] = '3';
		hex[2 * i + 1] = uid[i];
	}
	hex[2 * n] = '\0';
	to[0] = '\0';
	return 1 + str_put(to + 1, room - 1, "AUTH EXTERNAL %s\r\nBEGIN\r\n", hex);
}

int dbus_send(struct dbus *d, const struct dbus_out *messages, size_t n, struct err *e)
{
	char auth[AUTH_MAX];
	struct iovec parts[1 + 4];
	struct msghdr msg = {.msg_iov = parts};
	size_t all;

	if (n > 4)
		return err_internal(e, "too many messages at once");
	parts[msg.msg_iovlen++] = (struct iovec){auth, all = auth_text(auth, sizeof(auth))};
	for (size_t i = 0; i < n; i++) {
		if (messages[i].full)
			return err_limit(e, "a D-Bus message of more than %d bytes", DBUS_OUT_MAX);
		parts[msg.msg_iovlen++] = (struct iovec){(void *)messages[i].p, messages[i].n};
		all += messages[i].n;
	}
	/* A fresh socket buffer holds all of it. If it does not fit, fail rather than wait for the peer. */
	ssize_t sent = sendmsg(d->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (sent != (ssize_t)all)
		return err_set(e, ERR_SYSTEM, sent < 0 ? errno : 0, "cannot send a D-Bus message");
	return 0;
}

/* Appends received bytes to the buffer; waits for them until the deadline. */
static int receive_bytes(struct dbus *d, struct err *e)
{
	if (d->n == sizeof(d->in))
		return err_limit(e, "a D-Bus message of more than %d bytes", DBUS_IN_MAX);
	for (;;) {
		ssize_t got = recv(d->fd, d->in + d->n, sizeof(d->in) - d->n, MSG_DONTWAIT);
		int64_t left = d->deadline - clock_now();
		struct timespec wait = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};

		if (got > 0) {
			d->n += (size_t)got;
			return 0;
		}
		if (got == 0)
			return err_host(e, "the D-Bus peer has ended the connection");
		if (errno != EAGAIN && errno != EINTR)
			return err_system(e, "cannot read from D-Bus");
		if (left <= 0 ||
				(ppoll(&(struct pollfd){.fd = d->fd, .events = POLLIN}, 1, &wait, NULL) == 0))
			return err_limit(e, "no answer in time");
	}
}

static void drop_bytes(struct dbus *d, size_t n)
{
	memmove(d->in, d->in + n, d->n - n);
	d->n -= n;
}

/* The server sends a single line: "OK" and its id. */
int dbus_await_auth(struct dbus *d, struct err *e)
{
	while (!d->authenticated) {
		const char *end = memmem(d->in, d->n, "\r\n", 2);

		if (end && !str_starts(str_n(d->in, d->n), "OK "))
			return err_host(e, "the D-Bus peer does not take this user");
		if (end) {
			drop_bytes(d, (size_t)(end - d->in) + 2);
			d->authenticated = true;
			return 0;
		}
		if (d->n > LINE_MAX_AUTH)
			return err_input(e, "the answer of the D-Bus peer is malformed");
		if (receive_bytes(d, e) != 0)
			return -1;
	}
	return 0;
}

int dbus_next(struct dbus *d, struct dbus_in *ret, struct err *e)
{
	ssize_t n;

	if (dbus_await_auth(d, e) != 0)
		return -1;
	drop_bytes(d, d->taken);
	d->taken = 0;
	while ((n = dbus_parse(str_n(d->in, d->n), ret)) == 0)
		if (receive_bytes(d, e) != 0)
			return -1;
	if (n < 0)
		return err_input(e, "the answer of the D-Bus peer is malformed");
	if (++d->messages > DBUS_MESSAGES_MAX)
		return err_limit(e, "no answer among %d D-Bus messages", DBUS_MESSAGES_MAX);
	if (clock_now() >= d->deadline)
		return err_limit(e, "no answer in time");
	d->taken = (size_t)n;
	return 0;
}

void dbus_close(struct dbus *d) { fd_close(&d->fd); }
