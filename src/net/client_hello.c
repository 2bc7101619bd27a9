/* TLS records to one handshake message, and the message to its server name. */
#include "net/client_hello.h"

#define RECORD_HEADER 5
#define HANDSHAKE_HEADER 4
#define RANDOM_BYTES 32
#define SESSION_ID_MAX 32

enum tls_value {
	RECORD_CHANGE_CIPHER = 20,
	RECORD_ALERT = 21,
	RECORD_HANDSHAKE = 22,
	MAJOR_VERSION = 3,
	MAJOR_VERSION_MAX = 15, /* that a server accepts in a first record; Go's does */
	MESSAGE_CLIENT_HELLO = 1,
	MESSAGE_SERVER_HELLO = 2,
	SNI_HOST_NAME = 0,
	SSL2_LONG = 0x80, /* in the first byte: a header of two bytes */
	SSL2_HELLO_MIN = 9
};
enum tls_extension {
	EXT_SERVER_NAME = 0,
	EXT_ECH_FIRST = 0xfe08, /* drafts of encrypted ClientHello */
	EXT_ECH = 0xfe0d,
	EXT_ESNI = 0xffce
};

/* Bytes that are still to be read. A read past the end sets `bad` and gives zeros. */
struct tls_bytes {
	const uint8_t *p;
	size_t n;
	bool bad;
};

static struct tls_bytes take(struct tls_bytes *b, size_t n)
{
	if (n == 0 || n > b->n) {
		b->bad |= n > b->n;
		return (struct tls_bytes){.bad = n > 0};
	}
	struct tls_bytes part = {.p = b->p, .n = n};
	b->p += n;
	b->n -= n;
	return part;
}

/* A number of 1, 2 or 3 bytes. */
static size_t take_number(struct tls_bytes *b, size_t bytes)
{
	struct tls_bytes part = take(b, bytes);
	size_t number = 0;

	for (size_t i = 0; i < part.n; i++)
		number = number << 8 | part.p[i];
	return number;
}

/* A vector: its length in 1 or 2 bytes, and so many bytes. */
static struct tls_bytes take_vector(struct tls_bytes *b, size_t bytes)
{
	size_t n = take_number(b, bytes);
	return take(b, n);
}

/* ---- the message ---- */

static enum network_refusal read_server_name(struct tls_bytes ext, struct client_hello *ret)
{
	struct tls_bytes list = take_vector(&ext, 2);
	size_t type = take_number(&list, 1);
	struct tls_bytes host = take_vector(&list, 2);

	/* One name and nothing behind it: libraries differ in which of several they take. */
	if (ext.bad || ext.n || list.bad || list.n || type != SNI_HOST_NAME || host.n == 0)
		return NETWORK_BAD_TLS;
	if (host.n > NETWORK_HOST_MAX)
		return NETWORK_OTHER_SNI;
	for (size_t i = 0; i < host.n; i++)
		ret->name[i] = ascii_to_lower((char)host.p[i]);
	ret->name[host.n] = 0;
	return network_name_valid(str_n(ret->name, host.n)) ? NETWORK_NOT_REFUSED : NETWORK_OTHER_SNI;
}

static bool hides_name(size_t extension)
{
	return (extension >= EXT_ECH_FIRST && extension <= EXT_ECH) || extension == EXT_ESNI;
}

static enum network_refusal read_extensions(struct tls_bytes all, struct client_hello *ret)
{
	enum network_refusal refusal = NETWORK_NO_SNI;
	bool hidden = false, named = false;

	while (all.n) {
		size_t type = take_number(&all, 2);
		struct tls_bytes ext = take_vector(&all, 2);
		if (all.bad)
			return NETWORK_BAD_TLS;
		hidden |= hides_name(type);
		if (type != EXT_SERVER_NAME)
			continue;
		if (named)
			return NETWORK_BAD_TLS;
		named = true;
		refusal = read_server_name(ext, ret);
		if (refusal == NETWORK_BAD_TLS)
			return refusal;
	}
	return hidden ? NETWORK_ECH : refusal;
}

static enum network_refusal read_message(struct tls_bytes m, struct client_hello *ret)
{
	size_t version = take_number(&m, 2);
	(void)take(&m, RANDOM_BYTES);
	struct tls_bytes session = take_vector(&m, 1);
	struct tls_bytes suites = take_vector(&m, 2);
	struct tls_bytes compressions = take_vector(&m, 1);

	if (m.bad || version >> 8 != MAJOR_VERSION || session.n > SESSION_ID_MAX)
		return NETWORK_BAD_TLS;
	if (suites.n == 0 || suites.n % 2 || compressions.n == 0)
		return NETWORK_BAD_TLS;
	if (m.n == 0)
		return NETWORK_NO_SNI;
	struct tls_bytes extensions = take_vector(&m, 2);
	return m.bad || m.n ? NETWORK_BAD_TLS : read_extensions(extensions, ret);
}

/* ---- records ---- */

enum record_state { RECORDS_MORE, RECORDS_WHOLE, RECORDS_BAD };

static bool header_valid(const uint8_t *p, size_t n)
{
	size_t length = n >= RECORD_HEADER ? (size_t)p[3] << 8 | p[4] : 1;

	if ((n >= 1 && p[0] != RECORD_HANDSHAKE) || (n >= 2 && p[1] != MAJOR_VERSION))
		return false;
	return length > 0;
}

/* The message's header, which may itself be spread over records; returns the length of the whole message. */
static size_t message_length(const uint8_t header[HANDSHAKE_HEADER])
{
	return HANDSHAKE_HEADER + ((size_t)header[1] << 16 | (size_t)header[2] << 8 | header[3]);
}

/*
 * Joins the contents of the records of the first message in to[CLIENT_HELLO_MAX]. The message must end where
 * its last record ends.
 */
static enum record_state join_records(
		const uint8_t *p, size_t n, uint8_t *to, size_t *ret_n, size_t *ret_bytes)
{
	size_t at = 0, have = 0;

	if (!n)
		return RECORDS_MORE;
	for (;;) {
		if (!header_valid(p + at, n - at))
			return RECORDS_BAD;
		if (n - at < RECORD_HEADER)
			return RECORDS_MORE;
		size_t length = (size_t)p[at + 3] << 8 | p[at + 4];
		at += RECORD_HEADER;
		size_t part = length < n - at ? length : n - at;
		memcpy(to + have, p + at, part);
		have += part;
		at += part;
		if (have >= 1 && to[0] != MESSAGE_CLIENT_HELLO)
			return RECORDS_BAD;
		/* The record's length is announced: what cannot fit is refused before it arrives. */
		size_t whole = have >= HANDSHAKE_HEADER ? message_length(to) : 0;
		if (whole && (whole > CLIENT_HELLO_MAX - RECORD_HEADER || have - part + length > whole))
			return RECORDS_BAD;
		if (whole && have == whole) {
			*ret_n = whole;
			*ret_bytes = at;
			return RECORDS_WHOLE;
		}
		if (part < length)
			return RECORDS_MORE;
	}
}

/* ---- the first bytes ---- */

/* SSLv2: a length in two bytes, the message's type, the version. */
static enum client_hello_start begins_ssl2(const uint8_t *p, size_t n)
{
	if (n >= 2 && ((size_t)(p[0] & ~SSL2_LONG) << 8 | p[1]) < SSL2_HELLO_MIN)
		return CLIENT_HELLO_OTHER;
	if ((n >= 3 && p[2] != MESSAGE_CLIENT_HELLO) || (n >= 4 && p[3] != MAJOR_VERSION && p[3] != 0))
		return CLIENT_HELLO_OTHER;
	if (n >= 4 && p[3] == MAJOR_VERSION)
		return CLIENT_HELLO_BEGUN;
	if (n < 5)
		return CLIENT_HELLO_UNCERTAIN;
	return p[4] == 2 ? CLIENT_HELLO_BEGUN : CLIENT_HELLO_OTHER;
}

enum client_hello_start client_hello_begins(const uint8_t *p, size_t n)
{
	if (n == 0)
		return CLIENT_HELLO_UNCERTAIN;
	if (p[0] & SSL2_LONG)
		return begins_ssl2(p, n);
	if (p[0] < RECORD_CHANGE_CIPHER || p[0] > RECORD_HANDSHAKE || (n >= 2 && p[1] > MAJOR_VERSION_MAX))
		return CLIENT_HELLO_OTHER;
	if (p[0] == RECORD_HANDSHAKE && n >= 2 && p[1] == MAJOR_VERSION)
		return CLIENT_HELLO_BEGUN;
	if (n <= RECORD_HEADER)
		return CLIENT_HELLO_UNCERTAIN;
	size_t length = (size_t)p[3] << 8 | p[4];
	bool tls = p[0] == RECORD_ALERT           ? length == 2
		   : p[0] == RECORD_CHANGE_CIPHER ? length == 1
						  : length && p[RECORD_HEADER] == MESSAGE_CLIENT_HELLO;
	return tls ? CLIENT_HELLO_BEGUN : CLIENT_HELLO_OTHER;
}

bool client_hello_read(const uint8_t *p, size_t n, struct client_hello *ret)
{
	uint8_t message[CLIENT_HELLO_MAX];
	struct client_hello hello = {.refusal = NETWORK_BAD_TLS};
	size_t length = 0, bytes = 0;
	bool full = n >= CLIENT_HELLO_MAX;

	switch (join_records(p, full ? CLIENT_HELLO_MAX : n, message, &length, &bytes)) {
	case RECORDS_MORE:
		if (!full)
			return false;
		break;
	case RECORDS_WHOLE:
		hello.refusal = read_message((struct tls_bytes){message + HANDSHAKE_HEADER,
							     length - HANDSHAKE_HEADER, false},
				&hello);
		break;
	case RECORDS_BAD: break;
	}
	if (hello.refusal != NETWORK_NOT_REFUSED)
		hello.name[0] = 0;
	else
		hello.bytes = bytes;
	*ret = hello;
	return true;
}

/* ---- the answer ---- */

/* The random of a ServerHello that is a HelloRetryRequest (RFC 8446, 4.1.3). */
static const uint8_t retry_random[RANDOM_BYTES] = {0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d,
	0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09,
	0xe2, 0xc8, 0xa8, 0x33, 0x9c};

enum hello_answer hello_answer_read(const uint8_t *p, size_t n)
{
	const size_t at = RECORD_HEADER + HANDSHAKE_HEADER + 2, end = at + RANDOM_BYTES;

	if (n >= 1 && p[0] != RECORD_HANDSHAKE)
		return HELLO_ANSWER_OTHER;
	if (n < RECORD_HEADER)
		return HELLO_ANSWER_MORE;
	/* spread over records: it may be one */
	if (((size_t)p[3] << 8 | p[4]) < end - RECORD_HEADER)
		return HELLO_ANSWER_RETRY;
	if (n > RECORD_HEADER && p[RECORD_HEADER] != MESSAGE_SERVER_HELLO)
		return HELLO_ANSWER_OTHER;
	if (n < end)
		return HELLO_ANSWER_MORE;
	return memcmp(p + at, retry_random, RANDOM_BYTES) ? HELLO_ANSWER_OTHER : HELLO_ANSWER_RETRY;
}
