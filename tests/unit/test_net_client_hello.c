/*
 * src/net/client_hello.c: messages of real TLS clients, which connect to a socket of this test; the same
 * messages in every way that records can split them; messages built by hand with one thing wrong.
 */
#define _GNU_SOURCE
#include "net/client_hello.h"
#include "real_client.h"
#include "unit.h"

#define HELLO_ROOM (2 * CLIENT_HELLO_MAX)
#define HOST "Some-Name.example"
#define HOST_LOWER "some-name.example"

/* ---- real clients ---- */

static const struct {
	const char *what, *command; /* for bash; $1 is the port */
	const char *name;           /* "": no server name */
} clients[] = {
		{"openssl", "openssl s_client -connect 127.0.0.1:$1 -servername " HOST, HOST_LOWER},
		{"openssl, TLS 1.2", "openssl s_client -tls1_2 -connect 127.0.0.1:$1 -servername " HOST,
				HOST_LOWER},
		{"openssl without a name", "openssl s_client -connect 127.0.0.1:$1 -noservername", ""},
		{"openssl, small records",
				"openssl s_client -max_send_frag 512 -connect 127.0.0.1:$1 -servername " HOST
				" -alpn $(printf 'protocol-%s,' {1..120})x",
				HOST_LOWER},
		{"curl", "curl -sk --resolve " HOST ":$1:127.0.0.1 https://" HOST ":$1/", HOST_LOWER},
		{"curl, trailing dot", "curl -sk --resolve " HOST ".:$1:127.0.0.1 https://" HOST ".:$1/",
				HOST_LOWER},
		{"curl, address", "curl -sk https://127.0.0.1:$1/", ""},
		{"python",
				"/usr/bin/python3 -Bc 'import socket, ssl, sys\n"
				"s = socket.create_connection((\"127.0.0.1\", int(sys.argv[1])))\n"
				"ssl.create_default_context().wrap_socket(s, server_hostname=\"" HOST
				"\")' $1",
				HOST_LOWER},
		{"node",
				"node -e 'require(\"tls\").connect({port: process.argv[1], host: "
				"\"127.0.0.1\", servername: "
				"\"" HOST "\"}).on(\"error\", () => {})' $1",
				HOST_LOWER},
};

/* The first bytes that the command sends to a socket of ours; the command has ended when this returns. */
static size_t capture(const char *command, uint8_t to[HELLO_ROOM])
{
	struct real_client c = real_client_start(command);
	struct client_hello hello;
	size_t n = 0;

	while (!client_hello_read(to, n, &hello) && real_client_read(&c, to, HELLO_ROOM, &n))
		;
	real_client_end(&c);
	return n;
}

/* ---- the same message in other records ---- */

/* The message without its record headers. */
static size_t join(const uint8_t *p, size_t n, uint8_t *to)
{
	size_t at = 0, have = 0;

	while (at + 5 <= n) {
		size_t length = (size_t)p[at + 3] << 8 | p[at + 4];
		memcpy(to + have, p + at + 5, length);
		have += length;
		at += 5 + length;
	}
	return have;
}

static size_t put_record(uint8_t *to, const uint8_t *p, size_t n)
{
	uint8_t header[] = {22, 3, 1, (uint8_t)(n >> 8), (uint8_t)n};

	memcpy(to, header, sizeof(header));
	if (n)
		memcpy(to + sizeof(header), p, n);
	return sizeof(header) + n;
}

static void check_same(const uint8_t *p, size_t n, const struct client_hello *want, const char *what)
{
	struct client_hello got = {.refusal = NETWORK_REFUSALS};

	CHECK_ROW(client_hello_read(p, n, &got), what);
	CHECK_ROW(got.refusal == want->refusal && strcmp(got.name, want->name) == 0, what);
	CHECK_ROW(got.refusal == NETWORK_NOT_REFUSED ? got.bytes > 0 && got.bytes <= n : !got.bytes, what);
}

/* No prefix of the bytes is enough, all of them are, and so are they with application data behind them. */
static void check_prefixes(const uint8_t *p, size_t n, const struct client_hello *want, const char *what)
{
	uint8_t more[HELLO_ROOM + 8];

	for (size_t i = 0; i < n; i++) {
		struct client_hello got;
		uint8_t *copy = memcpy(malloc(i + 1), p, i);
		CHECK_ROW(!client_hello_read(copy, i, &got), what);
		free(copy);
	}
	check_same(p, n, want, what);
	memcpy(more, p, n);
	memcpy(more + n, (uint8_t[]){23, 3, 3, 0, 1, 0}, 6);
	check_same(more, n + 6, want, what);
}

static void check_splits(const uint8_t *p, size_t n, const struct client_hello *want, const char *what)
{
	uint8_t message[HELLO_ROOM], records[HELLO_ROOM];
	size_t length = join(p, n, message), at = 0;

	for (size_t i = 1; i < length; i++) { /* two records */
		at = put_record(records, message, i);
		at += put_record(records + at, message + i, length - i);
		check_same(records, at, want, what);
	}
	if (6 * length <= CLIENT_HELLO_MAX) { /* one byte in each record */
		at = 0;
		for (size_t i = 0; i < length; i++)
			at += put_record(records + at, message + i, 1);
		check_prefixes(records, at, want, what);
	}
	/* an empty record in front, a byte too many in the last record, another message behind it */
	struct client_hello bad = {.refusal = NETWORK_BAD_TLS};
	at = put_record(records, message, 0);
	at += put_record(records + at, message, length);
	check_same(records, at, &bad, what);
	message[length] = 1;
	at = put_record(records, message, length + 1);
	check_same(records, at, &bad, what);
	at = put_record(records, message, 10);
	at += put_record(records + at, message + 10, length - 9);
	check_same(records, at, &bad, what);
}

static void test_clients(void)
{
	static uint8_t bytes[HELLO_ROOM];

	for (size_t i = 0; i < ARRAY_SIZE(clients); i++) {
		struct client_hello got = {.refusal = NETWORK_REFUSALS};
		size_t n = capture(clients[i].command, bytes);
		printf("# %s: %zu bytes\n", clients[i].what, n);
		CHECK_ROW(client_hello_read(bytes, n, &got), clients[i].what);
		CHECK_ROW(strcmp(got.name, clients[i].name) == 0, clients[i].what);
		CHECK_ROW(got.refusal == (clients[i].name[0] ? NETWORK_NOT_REFUSED : NETWORK_NO_SNI),
				clients[i].what);
		check_prefixes(bytes, n, &got, clients[i].what);
		check_splits(bytes, n, &got, clients[i].what);
	}
}

/* ---- messages built by hand ---- */

struct hello_builder {
	uint8_t p[HELLO_ROOM];
	size_t n;
};

static void put(struct hello_builder *b, const void *p, size_t n)
{
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
}

static void put_number(struct hello_builder *b, size_t bytes, size_t number)
{
	for (size_t i = bytes; i-- > 0;)
		b->p[b->n++] = (uint8_t)(number >> 8 * i);
}

struct extension {
	unsigned type;
	const char *bytes;
	size_t n;
};
#define EXT(type, bytes)                       \
	{                                      \
		type, bytes, sizeof(bytes) - 1 \
	}
#define SNI_A                   \
	EXT(0, "\0\x0c\0\0\x09" \
	       "a.example")

/* The parts of a message that come before the extensions, and what follows them. */
struct message_shape {
	size_t session, suites, compressions, behind;
};

/* A record with a ClientHello that has these extensions; a type of 0x10000 ends them. */
static void build_shape(struct hello_builder *b, struct message_shape shape, const struct extension *exts)
{
	struct hello_builder body = {.n = 0}, list = {.n = 0};

	for (; exts->type < 0x10000; exts++) {
		put_number(&list, 2, exts->type);
		put_number(&list, 2, exts->n);
		put(&list, exts->bytes, exts->n);
	}
	put_number(&body, 2, 0x0303);
	body.n += 32;
	put_number(&body, 1, shape.session);
	body.n += shape.session;
	put_number(&body, 2, shape.suites);
	body.n += shape.suites;
	put_number(&body, 1, shape.compressions);
	body.n += shape.compressions;
	put_number(&body, 2, list.n);
	put(&body, list.p, list.n);
	body.n += shape.behind;
	b->n = 0;
	put_number(b, 3, 0x160301);
	put_number(b, 2, body.n + 4);
	put_number(b, 1, 1);
	put_number(b, 3, body.n);
	put(b, body.p, body.n);
}

static void build(struct hello_builder *b, const struct extension *exts)
{
	build_shape(b, (struct message_shape){0, 2, 1, 0}, exts);
}

#define END                      \
	{                        \
		0x10000, NULL, 0 \
	}
static const struct {
	const char *what;
	struct extension exts[4];
	enum network_refusal refusal;
} messages[] = {
		{"plain", {SNI_A, END}, NETWORK_NOT_REFUSED},
		{"between others", {EXT(0x0a0a, ""), SNI_A, EXT(16, "\0\3\2h2"), END}, NETWORK_NOT_REFUSED},
		{"no extensions", {END}, NETWORK_NO_SNI},
		{"others only", {EXT(43, "\2\3\4"), END}, NETWORK_NO_SNI},
		{"ECH", {SNI_A, EXT(0xfe0d, "\0\0\1\0\1\0\0 "), END}, NETWORK_ECH},
		{"ECH first", {EXT(0xfe0d, ""), SNI_A, END}, NETWORK_ECH},
		{"ECH alone", {EXT(0xfe0d, "\1"), END}, NETWORK_ECH},
		{"draft of ECH", {SNI_A, EXT(0xfe09, ""), END}, NETWORK_ECH},
		{"ESNI", {SNI_A, EXT(0xffce, ""), END}, NETWORK_ECH},
		{"next to ECH", {SNI_A, EXT(0xfe0e, ""), EXT(0xfe07, ""), END}, NETWORK_NOT_REFUSED},
		{"twice", {SNI_A, SNI_A, END}, NETWORK_BAD_TLS},
		{"two names in one list", {EXT(0, "\0\x08\0\0\1a\0\0\1b"), END}, NETWORK_BAD_TLS},
		{"another kind of name", {EXT(0, "\0\4\1\0\1a"), END}, NETWORK_BAD_TLS},
		{"another kind behind the name", {EXT(0, "\0\x08\0\0\1a\1\0\1b"), END}, NETWORK_BAD_TLS},
		{"empty extension", {EXT(0, ""), END}, NETWORK_BAD_TLS},
		{"empty list", {EXT(0, "\0\0"), END}, NETWORK_BAD_TLS},
		{"empty name", {EXT(0, "\0\3\0\0\0"), END}, NETWORK_BAD_TLS},
		{"list too short", {EXT(0, "\0\3\0\0\1a"), END}, NETWORK_BAD_TLS},
		{"list too long", {EXT(0, "\0\5\0\0\1a"), END}, NETWORK_BAD_TLS},
		{"name too long for its list", {EXT(0, "\0\4\0\0\2a"), END}, NETWORK_BAD_TLS},
		{"bytes behind the list", {EXT(0, "\0\4\0\0\1ab"), END}, NETWORK_BAD_TLS},
		{"NUL in the name", {EXT(0, "\0\6\0\0\3a\0b"), END}, NETWORK_OTHER_SNI},
		{"address",
				{EXT(0, "\0\x0c\0\0\x09"
					"192.0.2.1"),
						END},
				NETWORK_OTHER_SNI},
		{"trailing dot", {EXT(0, "\0\5\0\0\2a."), END}, NETWORK_OTHER_SNI},
		{"dot alone", {EXT(0, "\0\4\0\0\1."), END}, NETWORK_OTHER_SNI},
		{"not ASCII", {EXT(0, "\0\5\0\0\2\303\244"), END}, NETWORK_OTHER_SNI},
		{"blank", {EXT(0, "\0\5\0\0\2a "), END}, NETWORK_OTHER_SNI},
};

static void test_messages(void)
{
	static struct hello_builder b;

	for (size_t i = 0; i < ARRAY_SIZE(messages); i++) {
		struct client_hello want = {.refusal = messages[i].refusal};
		if (want.refusal == NETWORK_NOT_REFUSED)
			memcpy(want.name, "a.example", 10);
		build(&b, messages[i].exts);
		check_prefixes(b.p, b.n, &want, messages[i].what);
		check_splits(b.p, b.n, &want, messages[i].what);
	}
}

/* A name of 253 bytes is read; longer ones are not host names. */
static void test_long_names(void)
{
	static struct hello_builder b;
	char ext[400];

	for (size_t n = 250; n < 300; n++) {
		struct client_hello got = {.refusal = NETWORK_REFUSALS};
		uint8_t header[] = {
				(uint8_t)((n + 3) >> 8), (uint8_t)(n + 3), 0, (uint8_t)(n >> 8), (uint8_t)n};
		memcpy(ext, header, 5);
		memset(ext + 5, 'a', n);
		for (size_t i = 50; i < n - 1; i += 50)
			ext[5 + i] = '.';
		build(&b, (struct extension[]){{0, ext, n + 5}, END});
		CHECK(client_hello_read(b.p, b.n, &got));
		CHECK_INT(got.refusal, n <= 253 ? NETWORK_NOT_REFUSED : NETWORK_OTHER_SNI);
		CHECK_INT(strlen(got.name), n <= 253 ? n : 0);
	}
}

static const struct {
	const char *what;
	size_t at;
	uint8_t byte;
} changes[] = {
		{"application data", 0, 23},
		{"alert", 0, 21},
		{"SSLv2", 0, 0x80},
		{"HTTP", 0, 'G'},
		{"version 2", 1, 2},
		{"version 4", 1, 4},
		{"empty record", 4, 0},
		{"record of more than 16 KB", 3, 0x41},
		{"record longer than its message", 4, 255},
		{"server hello", 5, 2},
		{"hello request", 5, 0},
		{"message of 65 KB more", 6, 1},
		{"message that is too long", 7, 0x40},
		{"message that is too short", 8, 20},
		{"version of the message", 9, 2},
		{"session id of 33", 43, 33},
		{"session id past the end", 43, 255},
		{"cipher suites of odd length", 45, 3},
		{"no cipher suite", 45, 0},
		{"cipher suites past the end", 44, 255},
		{"no compression", 48, 0},
		{"compressions past the end", 48, 200},
		{"extensions longer than the message", 51, 255},
		{"extensions shorter than the message", 51, 1},
		{"extension past the end", 55, 200},
};

static void test_changes(void)
{
	static struct hello_builder b;

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		struct client_hello got = {.refusal = NETWORK_REFUSALS};
		build(&b, (struct extension[]){SNI_A, END});
		b.p[changes[i].at] = changes[i].byte;
		CHECK_ROW(client_hello_read(b.p, b.n, &got), changes[i].what);
		CHECK_ROW(got.refusal == NETWORK_BAD_TLS && !got.name[0], changes[i].what);
	}
}

static const struct {
	const char *what;
	struct message_shape shape;
	enum network_refusal refusal;
} shapes[] = {
		{"usual", {32, 2, 1, 0}, NETWORK_NOT_REFUSED},
		{"many", {1, 8000, 255, 0}, NETWORK_NOT_REFUSED},
		{"session id of 33", {33, 2, 1, 0}, NETWORK_BAD_TLS},
		{"session id of 255", {255, 2, 1, 0}, NETWORK_BAD_TLS},
		{"no cipher suite", {0, 0, 1, 0}, NETWORK_BAD_TLS},
		{"half a cipher suite", {0, 3, 1, 0}, NETWORK_BAD_TLS},
		{"no compression", {0, 2, 0, 0}, NETWORK_BAD_TLS},
		{"a byte behind the extensions", {0, 2, 1, 1}, NETWORK_BAD_TLS},
		{"bytes behind the extensions", {0, 2, 1, 300}, NETWORK_BAD_TLS},
};

/* Messages whose lengths agree with each other. */
static void test_shapes(void)
{
	static struct hello_builder b;

	for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
		struct client_hello got = {.refusal = NETWORK_REFUSALS};
		build_shape(&b, shapes[i].shape, (struct extension[]){SNI_A, END});
		CHECK_ROW(client_hello_read(b.p, b.n, &got) && got.refusal == shapes[i].refusal,
				shapes[i].what);
	}
	/* an extension that is longer than the rest of the list, behind the name */
	struct client_hello got = {.refusal = NETWORK_REFUSALS};
	build(&b, (struct extension[]){SNI_A, EXT(16, "\0\3\2h2"), END});
	b.p[b.n - 6]++;
	CHECK(client_hello_read(b.p, b.n, &got));
	CHECK_INT(got.refusal, NETWORK_BAD_TLS);
}

/* A client cannot make the relay wait for more than the bound, or for what is already known to be wrong. */
static void test_bounds(void)
{
	static struct hello_builder b;
	static uint8_t stream[HELLO_ROOM];
	struct client_hello got;
	static char padding[HELLO_ROOM];
	size_t at = 0;

	CHECK(!client_hello_read(NULL, 0, &got));
	CHECK(client_hello_read((const uint8_t *)"G", 1, &got));
	CHECK_INT(got.refusal, NETWORK_BAD_TLS);
	CHECK(client_hello_read((const uint8_t *)"\x80\x2e\1\3\1", 5, &got));
	CHECK_INT(got.refusal, NETWORK_BAD_TLS);
	/* The longest message that fits, and one byte more: refused when its length is known. */
	build(&b, (struct extension[]){SNI_A, {21, padding, 0}, END});
	size_t room = CLIENT_HELLO_MAX - b.n;
	build(&b, (struct extension[]){SNI_A, {21, padding, room}, END});
	CHECK_INT(b.n, CLIENT_HELLO_MAX);
	CHECK(!client_hello_read(b.p, b.n - 1, &got));
	CHECK(client_hello_read(b.p, b.n, &got));
	CHECK_INT(got.refusal, NETWORK_NOT_REFUSED);
	build(&b, (struct extension[]){SNI_A, {21, padding, room + 1}, END});
	CHECK(client_hello_read(b.p, 9, &got));
	CHECK_INT(got.refusal, NETWORK_BAD_TLS);
	/* The same bytes in small records: more headers, so the bound comes first. */
	build(&b, (struct extension[]){SNI_A, {21, padding, 8000}, END});
	for (size_t i = 5; i < b.n && at < CLIENT_HELLO_MAX; i++)
		at += put_record(stream + at, b.p + i, 1);
	CHECK(!client_hello_read(stream, CLIENT_HELLO_MAX - 1, &got));
	CHECK(client_hello_read(stream, at, &got));
	CHECK_INT(got.refusal, NETWORK_BAD_TLS);
}

/* Random changes: a message that is still accepted has exactly one readable name. */
static void test_noise(void)
{
	static struct hello_builder b;
	uint32_t seed = 3;

	for (unsigned i = 0; i < 200000; i++) {
		struct client_hello got;
		build(&b, (struct extension[]){EXT(16, "\0\3\2h2"), SNI_A, EXT(43, "\2\3\4"), END});
		for (unsigned k = 0; k <= i % 3; k++) {
			seed = seed * 1664525 + 1013904223;
			b.p[(seed >> 8) % b.n] = (uint8_t)(seed >> 24);
		}
		if (!client_hello_read(b.p, b.n, &got))
			continue;
		if ((got.refusal == NETWORK_NOT_REFUSED) != network_name_valid(str_of(got.name)))
			unit_fail(__FILE__, __LINE__, "name '%s' with refusal %d", got.name, got.refusal);
	}
}

/* ---- the server's answer ---- */

/* "HelloRetryRequest" as SHA-256, which is the random of such an answer */
#define RETRY \
	0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91, \
	0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c

static void test_answers(void)
{
	uint8_t retry[] = {22, 3, 3, 0, 38, 2, 0, 0, 34, 3, 3, RETRY};
	const uint8_t alert[] = {21, 3, 3, 0, 2, 2, 40}, small[] = {22, 3, 3, 0, 1, 2};
	const uint8_t other[] = {22, 3, 3, 0, 200, 11};

	for (size_t n = 0; n < sizeof(retry); n++)
		CHECK_INT(hello_answer_read(retry, n), HELLO_ANSWER_MORE);
	CHECK_INT(hello_answer_read(retry, sizeof(retry)), HELLO_ANSWER_RETRY);
	retry[sizeof(retry) - 1] ^= 1;
	CHECK_INT(hello_answer_read(retry, sizeof(retry)), HELLO_ANSWER_OTHER);
	CHECK_INT(hello_answer_read(alert, sizeof(alert)), HELLO_ANSWER_OTHER);
	CHECK_INT(hello_answer_read(alert, 1), HELLO_ANSWER_OTHER);
	CHECK_INT(hello_answer_read(small, sizeof(small)), HELLO_ANSWER_RETRY);
	CHECK_INT(hello_answer_read(other, sizeof(other)), HELLO_ANSWER_OTHER);
}

int main(void)
{
	RUN(test_clients);
	RUN(test_messages);
	RUN(test_long_names);
	RUN(test_changes);
	RUN(test_shapes);
	RUN(test_bounds);
	RUN(test_noise);
	RUN(test_answers);
	return unit_end();
}
