/*
 * src/net/http_requests.c: streams of requests, given whole and split at every byte; streams that servers are
 * known to read differently; requests of real clients; and real servers (node, Python), which must see the
 * same requests in every stream that passes, also in streams with random changes.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>

#include "net/http_requests.h"
#include "real_client.h"
#include "unit.h"

#define HOST "a.example"
#define STREAM_MAX 8192
#define SEEN_MAX 2048

/* ---- a relay without a network ---- */

struct passage {
	enum network_refusal refusal; /* NETWORK_NOT_REFUSED: the stream ended before */
	size_t passed;
	bool between;        /* the stream ended between two requests */
	char seen[SEEN_MAX]; /* "METHOD TARGET LENGTH\n" for every request whose head passed */
	char other[NETWORK_HOST_MAX + 1];
};

struct requests_seen {
	size_t n;
	char method[64], target[512];
	uint64_t length;
	bool open;
};

static void note_end(struct requests_seen *r, struct passage *ret)
{
	if (r->open)
		r->n += str_put(ret->seen + r->n, SEEN_MAX - r->n, "%s %s %ju\n", r->method, r->target,
				(uintmax_t)r->length);
	r->open = false;
}

/* A block that may pass: a head starts a request, a chunk makes it longer. */
static void note_block(
		struct requests_seen *r, enum http_state at, struct str s, uint64_t pass, struct passage *ret)
{
	if (at == HTTP_AT_HEAD) {
		note_end(r, ret);
		size_t space = (size_t)str_find(s, ' ', 0), next = (size_t)str_find(s, ' ', space + 1);
		size_t head = (size_t)((const char *)memmem(s.p, s.n, "\r\n\r\n", 4) - s.p) + 4;
		(void)str_put(r->method, sizeof(r->method), "%.*s", (int)space, s.p);
		(void)str_put(r->target, sizeof(r->target), "%.*s", (int)(next - space - 1), s.p + space + 1);
		r->length = pass - head;
		r->open = true;
	} else if (at == HTTP_AT_CHUNK) {
		r->length += pass - (size_t)str_find(s, '\n', 0) - 1;
	}
}

/*
 * Feeds the stream in pieces of `piece` bytes (0: first `first` bytes, then the rest). Every byte is in a
 * copy of its own size, so that the sanitizer sees a read past the end.
 */
static struct passage relay(struct str host, uint16_t port, struct str stream, size_t first, size_t piece)
{
	struct http_requests h;
	struct passage ret = {.refusal = NETWORK_NOT_REFUSED};
	struct requests_seen seen = {.n = 0};
	size_t have = 0, at = 0; /* [at, have): held back */
	uint64_t free_bytes = 0; /* to pass unseen */

	http_requests_init(&h, host, port);
	while (have < stream.n) {
		size_t step = piece ? piece : have == 0 && first ? first : stream.n - have;
		have = stream.n - have < step ? stream.n : have + step;
		for (;;) {
			size_t now = free_bytes < have - at ? (size_t)free_bytes : have - at;
			uint64_t pass = 0;
			at += now;
			free_bytes -= now;
			if (free_bytes)
				break;
			enum http_state state = h.state;
			uint8_t *copy = memcpy(malloc(have - at + 1), stream.p + at, have - at);
			enum http_step next = http_requests_next(&h, copy, have - at, &pass);
			free(copy);
			if (next == HTTP_REFUSED) {
				ret.refusal = h.refusal;
				ret.passed = at;
				memcpy(ret.other, h.other, sizeof(h.other));
				return ret;
			}
			if (next == HTTP_WAIT)
				http_requests_answered(&h, false);
			if (next == HTTP_MORE)
				break;
			note_block(&seen, state, str_sub(stream, at, have), pass, &ret);
			free_bytes = pass;
		}
	}
	ret.between = at == stream.n && free_bytes == 0 &&
		      (h.state == HTTP_AT_HEAD || h.state == HTTP_AT_UPGRADE);
	note_end(&seen, &ret);
	ret.passed = at;
	return ret;
}

static bool same_passage(const struct passage *x, const struct passage *y)
{
	return x->refusal == y->refusal && x->passed == y->passed && x->between == y->between &&
	       (x->refusal || strcmp(x->seen, y->seen) == 0);
}

/* ---- streams that pass ---- */

#define H "Host: " HOST "\r\n"

static const struct {
	const char *what, *stream;
	const char *seen;
} good[] = {
		{"one", "GET / HTTP/1.1\r\n" H "\r\n", "GET / 0\n"},
		{"host last", "GET /x?y=z HTTP/1.1\r\nAccept: */*\r\n" H "\r\n", "GET /x?y=z 0\n"},
		{"upper case", "GET / HTTP/1.1\r\nHOST:A.Example\r\n\r\n", "GET / 0\n"},
		{"port", "GET / HTTP/1.1\r\nhost:\ta.example:80 \r\n\r\n", "GET / 0\n"},
		{"final dot", "GET / HTTP/1.1\r\nHost: a.example.\r\n\r\n", "GET / 0\n"},
		{"HTTP/1.0", "GET / HTTP/1.0\r\n" H "\r\n", "GET / 0\n"},
		{"options", "OPTIONS * HTTP/1.1\r\n" H "\r\n", "OPTIONS * 0\n"},
		{"absolute", "GET http://a.example/x HTTP/1.1\r\n" H "\r\n", "GET http://a.example/x 0\n"},
		{"absolute, port", "GET HTTP://A.example:80?q HTTP/1.1\r\n" H "\r\n",
				"GET HTTP://A.example:80?q 0\n"},
		{"two slashes", "GET //b.example/ HTTP/1.1\r\n" H "\r\n", "GET //b.example/ 0\n"},
		{"body", "POST / HTTP/1.1\r\n" H "Content-Length: 5\r\n\r\nabcde", "POST / 5\n"},
		{"body with a request in it",
				"POST / HTTP/1.1\r\n" H "Content-Length: 37\r\n\r\n"
				"GET / HTTP/1.1\r\nHost: b.example\r\n\r\n\r\n",
				"POST / 37\n"},
		{"empty body", "POST / HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n", "POST / 0\n"},
		{"expect", "PUT / HTTP/1.1\r\n" H "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\nab",
				"PUT / 2\n"},
		{"chunked",
				"POST / HTTP/1.1\r\n" H "Transfer-Encoding: Chunked\r\n\r\n"
				"5\r\nabcde\r\n0A\r\n0123456789\r\n00\r\n\r\n",
				"POST / 15\n"},
		{"chunk with chunks in it",
				"POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"
				"7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n",
				"POST / 7\n"},
		{"trailer",
				"POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\nTE: trailers\r\n\r\n"
				"1\r\na\r\n0\r\nX-Sum: 1\r\nY:\r\n\r\n",
				"POST / 1\n"},
		{"pipelined",
				"GET /1 HTTP/1.1\r\n" H "\r\n"
				"POST /2 HTTP/1.1\r\n" H "Content-Length: 3\r\n\r\nabc"
				"POST /3 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n" H
				"\r\n3\r\nabc\r\n0\r\n\r\n"
				"GET /4 HTTP/1.1\r\n" H "\r\n",
				"GET /1 0\nPOST /2 3\nPOST /3 3\nGET /4 0\n"},
		{"websocket that is not answered with 101, then a request",
				"GET /ws HTTP/1.1\r\n" H "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
				"GET /2 HTTP/1.1\r\n" H "\r\n",
				"GET /ws 0\nGET /2 0\n"},
		{"connection",
				"GET / HTTP/1.1\r\n" H
				"Connection: keep-alive, Upgrade, x\r\nConnection:\r\n\r\n",
				"GET / 0\n"},
		{"other-letters", "GET /\303\244 HTTP/1.1\r\n" H "X: \303\244\tb\r\n\r\n",
				"GET /\303\244 0\n"},
		{"unusual method", "M-SEARCH / HTTP/1.1\r\n" H "\r\n", "M-SEARCH / 0\n"},
};

static void test_good(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct str stream = str_of(good[i].stream);
		struct passage whole = relay(STR(HOST), 80, stream, 0, 0);
		CHECK_ROW(whole.refusal == NETWORK_NOT_REFUSED && whole.passed == stream.n, good[i].what);
		CHECK_ROW(whole.between, good[i].what);
		CHECK_STR(str_of(whole.seen), good[i].seen);
		for (size_t k = 1; k < stream.n; k++) {
			struct passage split = relay(STR(HOST), 80, stream, k, 0);
			CHECK_ROW(same_passage(&whole, &split), good[i].what);
		}
		for (size_t k = 1; k < 4; k++) {
			struct passage split = relay(STR(HOST), 80, stream, 0, k);
			CHECK_ROW(same_passage(&whole, &split), good[i].what);
		}
	}
}

/* ---- streams that do not ---- */

#define OTHER NETWORK_OTHER_HOST
#define BAD NETWORK_BAD_HTTP
#define FIRST "GET /1 HTTP/1.1\r\n" H "\r\n"
#define CHUNKED "POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"

static const struct {
	const char *what, *stream;
	enum network_refusal refusal;
	size_t passed;
} bad[] = {
		{"another host", "GET / HTTP/1.1\r\nHost: b.example\r\n\r\n", OTHER, 0},
		{"another host in the second request", FIRST "GET / HTTP/1.1\r\nHost: b.example\r\n\r\n",
				OTHER, sizeof(FIRST) - 1},
		{"a name below", "GET / HTTP/1.1\r\nHost: x.a.example\r\n\r\n", OTHER, 0},
		{"a longer name", "GET / HTTP/1.1\r\nHost: a.example.b\r\n\r\n", OTHER, 0},
		{"a shorter name", "GET / HTTP/1.1\r\nHost: a.exampl\r\n\r\n", OTHER, 0},
		{"two dots", "GET / HTTP/1.1\r\nHost: a.example..\r\n\r\n", OTHER, 0},
		{"empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", OTHER, 0},
		{"another port", "GET / HTTP/1.1\r\nHost: a.example:81\r\n\r\n", OTHER, 0},
		{"empty port", "GET / HTTP/1.1\r\nHost: a.example:\r\n\r\n", OTHER, 0},
		{"port with a zero", "GET / HTTP/1.1\r\nHost: a.example:080\r\n\r\n", OTHER, 0},
		{"port with a sign", "GET / HTTP/1.1\r\nHost: a.example:+80\r\n\r\n", OTHER, 0},
		{"two ports", "GET / HTTP/1.1\r\nHost: a.example:80:80\r\n\r\n", OTHER, 0},
		{"user in the host", "GET / HTTP/1.1\r\nHost: a.example@b.example\r\n\r\n", OTHER, 0},
		{"two hosts in one", "GET / HTTP/1.1\r\nHost: a.example, b.example\r\n\r\n", OTHER, 0},
		{"blank in the host", "GET / HTTP/1.1\r\nHost: a.example b\r\n\r\n", OTHER, 0},
		{"address", "GET / HTTP/1.1\r\nHost: 192.0.2.1\r\n\r\n", OTHER, 0},
		{"two Hosts", "GET / HTTP/1.1\r\n" H "Host: b.example\r\n\r\n", BAD, 0},
		{"two equal Hosts", "GET / HTTP/1.1\r\n" H H "\r\n", BAD, 0},
		{"no Host", "GET / HTTP/1.1\r\nAccept: */*\r\n\r\n", BAD, 0},
		{"no Host in HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", BAD, 0},
		{"blank before the colon", "GET / HTTP/1.1\r\nHost : a.example\r\n\r\n", BAD, 0},
		{"tab before the colon", "GET / HTTP/1.1\r\n" H "X\t: y\r\n\r\n", BAD, 0},
		{"blank before the first field", "GET / HTTP/1.1\r\n " H "\r\n", BAD, 0},
		{"folded line", "GET / HTTP/1.1\r\n" H "X: y\r\n z\r\n\r\n", BAD, 0},
		{"folded host", "GET / HTTP/1.1\r\nHost: a.example\r\n\tb.example\r\n\r\n", BAD, 0},
		{"field without a colon", "GET / HTTP/1.1\r\n" H "X\r\n\r\n", BAD, 0},
		{"field without a name", "GET / HTTP/1.1\r\n" H ": x\r\n\r\n", BAD, 0},
		{"bare LF", "GET / HTTP/1.1\nHost: a.example\n\n", BAD, 0},
		{"bare LF in a value", "GET / HTTP/1.1\r\n" H "X: y\nHost: b.example\r\n\r\n", BAD, 0},
		{"bare CR in a value", "GET / HTTP/1.1\r\n" H "X: y\rHost: b.example\r\n\r\n", BAD, 0},
		{"two CRs", "GET / HTTP/1.1\r\n" H "X: y\r\r\n\r\n", BAD, 0},
		{"bare LF at the end", "GET / HTTP/1.1\r\n" H "\n", BAD, 0},
		{"control character", "GET / HTTP/1.1\r\n" H "X: \1\r\n\r\n", BAD, 0},
		{"DEL", "GET / HTTP/1.1\r\n" H "X: \x7f\r\n\r\n", BAD, 0},
		{"vertical tab before the value",
				"GET / HTTP/1.1\r\n" H "Transfer-Encoding:\vchunked\r\n\r\n", BAD, 0},
		{"empty line first", "\r\nGET / HTTP/1.1\r\n" H "\r\n", BAD, 0},
		{"empty line between", FIRST "\r\n" FIRST, BAD, sizeof(FIRST) - 1},
		{"connect", "CONNECT b.example:443 HTTP/1.1\r\n" H "\r\n", BAD, 0},
		{"connect to the host", "CONNECT a.example:80 HTTP/1.1\r\n" H "\r\n", BAD, 0},
		{"connect in lower case", "connect / HTTP/1.1\r\n" H "\r\n", BAD, 0},
		{"trace", "TRACE / HTTP/1.1\r\n" H "Max-Forwards: 0\r\n\r\n", BAD, 0},
		{"trace in lower case", "trace / HTTP/1.1\r\n" H "\r\n", BAD, 0},
		{"HTTP/0.9", "GET /\r\n\r\n", BAD, 0},
		{"HTTP/2 prior knowledge", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", BAD, 0},
		{"HTTP/1.2", "GET / HTTP/1.2\r\n" H "\r\n", BAD, 0},
		{"lower-case version", "GET / http/1.1\r\n" H "\r\n", BAD, 0},
		{"version with a blank", "GET / HTTP/1.1 \r\n" H "\r\n", BAD, 0},
		{"two blanks", "GET  / HTTP/1.1\r\n" H "\r\n", BAD, 0},
		{"tab in the request line", "GET\t/ HTTP/1.1\r\n" H "\r\n", BAD, 0},
		{"tab in the target", "GET /\tx HTTP/1.1\r\n" H "\r\n", BAD, 0},
		{"blank in the target", "GET /x y HTTP/1.1\r\n" H "\r\n", BAD, 0},
		{"no target", "GET HTTP/1.1\r\n" H "\r\n", BAD, 0},
		{"relative target", "GET x HTTP/1.1\r\n" H "\r\n", BAD, 0},
		{"star with get", "GET * HTTP/1.1\r\n" H "\r\n", BAD, 0},
		{"absolute, another host", "GET http://b.example/ HTTP/1.1\r\n" H "\r\n", OTHER, 0},
		{"absolute, another Host", "GET http://a.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n", OTHER,
				0},
		{"absolute, user", "GET http://a.example@b.example/ HTTP/1.1\r\n" H "\r\n", OTHER, 0},
		{"absolute, backslash", "GET http://a.example\\@b.example/ HTTP/1.1\r\n" H "\r\n", OTHER, 0},
		{"absolute, at sign behind it", "GET http://a.example?@b.example/ HTTP/1.1\r\n" H "\r\n", BAD,
			0},
		{"absolute, fragment", "GET http://a.example#@b.example/ HTTP/1.1\r\n" H "\r\n", BAD, 0},
		{"absolute, another port", "GET http://a.example:8080/ HTTP/1.1\r\n" H "\r\n", OTHER, 0},
		{"absolute, https", "GET https://a.example/ HTTP/1.1\r\n" H "\r\n", BAD, 0},
		{"absolute, empty host", "GET http:///x HTTP/1.1\r\n" H "\r\n", OTHER, 0},
		{"absolute, no host", "GET http:// HTTP/1.1\r\n" H "\r\n", BAD, 0},
		{"absolute in a later request", FIRST "GET http://b.example/ HTTP/1.1\r\n" H "\r\n", OTHER,
				sizeof(FIRST) - 1},
		{"method with a bracket", "GE(T / HTTP/1.1\r\n" H "\r\n", BAD, 0},
		{"h2c",
				"GET / HTTP/1.1\r\n" H "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: "
				"h2c\r\nHTTP2-Settings: AA\r\n\r\n",
				BAD, 0},
		{"h2c next to websocket", "GET / HTTP/1.1\r\n" H "Upgrade: websocket, h2c\r\n\r\n", BAD, 0},
		{"TLS upgrade", "OPTIONS * HTTP/1.1\r\n" H "Upgrade: TLS/1.0\r\n\r\n", BAD, 0},
		{"two upgrades", "GET / HTTP/1.1\r\n" H "Upgrade: websocket\r\nUpgrade: websocket\r\n\r\n",
				BAD, 0},
		{"upgrade with a body",
				"GET / HTTP/1.1\r\n" H "Upgrade: websocket\r\nContent-Length: 1\r\n\r\n", BAD,
				0},
		{"upgrade in HTTP/1.0", "GET / HTTP/1.0\r\n" H "Upgrade: websocket\r\n\r\n", BAD, 0},
		{"upgrade in a later request", FIRST "GET / HTTP/1.1\r\n" H "Upgrade: websocket\r\n\r\n", BAD,
				sizeof(FIRST) - 1},
		{"another expectation", "POST / HTTP/1.1\r\n" H "Expect: x\r\nContent-Length: 1\r\n\r\na",
				BAD, 0},
		{"length and chunks",
				"POST / HTTP/1.1\r\n" H
				"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
				BAD, 0},
		{"chunks and length",
				"POST / HTTP/1.1\r\n" H
				"Transfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n0\r\n\r\n",
				BAD, 0},
		{"two lengths", "POST / HTTP/1.1\r\n" H "Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
				BAD, 0},
		{"two equal lengths",
				"POST / HTTP/1.1\r\n" H "Content-Length: 1\r\nContent-Length: 1\r\n\r\na",
				BAD, 0},
		{"list of lengths", "POST / HTTP/1.1\r\n" H "Content-Length: 1, 1\r\n\r\na", BAD, 0},
		{"negative length", "POST / HTTP/1.1\r\n" H "Content-Length: -1\r\n\r\n", BAD, 0},
		{"signed length", "POST / HTTP/1.1\r\n" H "Content-Length: +1\r\n\r\na", BAD, 0},
		{"length with a zero", "POST / HTTP/1.1\r\n" H "Content-Length: 010\r\n\r\n0123456789", BAD,
				0},
		{"hex length", "POST / HTTP/1.1\r\n" H "Content-Length: 0x1\r\n\r\na", BAD, 0},
		{"empty length", "POST / HTTP/1.1\r\n" H "Content-Length:\r\n\r\n", BAD, 0},
		{"length with a blank", "POST / HTTP/1.1\r\n" H "Content-Length: 1 1\r\n\r\n", BAD, 0},
		{"huge length", "POST / HTTP/1.1\r\n" H "Content-Length: 18446744073709551617\r\n\r\na", BAD,
				0},
		{"length next to the largest",
				"POST / HTTP/1.1\r\n" H "Content-Length: 9223372036854775807\r\n\r\na", BAD,
				0},
		{"length with an underscore", "POST / HTTP/1.1\r\n" H "Content_Length: 1\r\n\r\na", BAD, 0},
		{"encoding with an underscore", "POST / HTTP/1.1\r\n" H "transfer_encoding: chunked\r\n\r\n",
				BAD, 0},
		{"other encoding", "POST / HTTP/1.1\r\n" H "Transfer-Encoding: identity\r\n\r\n", BAD, 0},
		{"list of encodings",
				"POST / HTTP/1.1\r\n" H "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
				BAD, 0},
		{"quoted encoding", "POST / HTTP/1.1\r\n" H "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n",
				BAD, 0},
		{"encoding with a parameter",
				"POST / HTTP/1.1\r\n" H "Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n",
				BAD, 0},
		{"two encodings",
				"POST / HTTP/1.1\r\n" H
				"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
				BAD, 0},
		{"empty encoding", "POST / HTTP/1.1\r\n" H "Transfer-Encoding:\r\n\r\n", BAD, 0},
		{"chunks in HTTP/1.0", "POST / HTTP/1.0\r\n" H "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
				BAD, 0},
		{"connection removes the host", "GET / HTTP/1.1\r\n" H "Connection: close, Host\r\n\r\n", BAD,
				0},
		{"connection removes the length", "GET / HTTP/1.1\r\n" H "Connection:content-length\r\n\r\n",
				BAD, 0},
		{"chunk extension", CHUNKED "1;x=y\r\na\r\n0\r\n\r\n", BAD, sizeof(CHUNKED) - 1},
		{"bare semicolon", CHUNKED "1;\r\na\r\n0\r\n\r\n", BAD, sizeof(CHUNKED) - 1},
		{"extension with LF", CHUNKED "1;\nx\r\n0\r\n\r\n", BAD, sizeof(CHUNKED) - 1},
		{"chunk size with a blank", CHUNKED "1 \r\na\r\n0\r\n\r\n", BAD, sizeof(CHUNKED) - 1},
		{"chunk size with a blank first", CHUNKED " 1\r\na\r\n0\r\n\r\n", BAD, sizeof(CHUNKED) - 1},
		{"chunk size with 0x", CHUNKED "0x1\r\na\r\n0\r\n\r\n", BAD, sizeof(CHUNKED) - 1},
		{"signed chunk size", CHUNKED "+1\r\na\r\n0\r\n\r\n", BAD, sizeof(CHUNKED) - 1},
		{"no chunk size", CHUNKED "\r\na\r\n0\r\n\r\n", BAD, sizeof(CHUNKED) - 1},
		{"chunk size with bare LF", CHUNKED "1\na\r\n0\r\n\r\n", BAD, sizeof(CHUNKED) - 1},
		{"chunk size of 2 GB", CHUNKED "80000000\r\n", BAD, sizeof(CHUNKED) - 1},
		{"chunk size of nine digits", CHUNKED "000000001\r\na\r\n0\r\n\r\n", BAD,
				sizeof(CHUNKED) - 1},
		{"chunk size that overflows", CHUNKED "10000000000000001\r\na", BAD, sizeof(CHUNKED) - 1},
		{"chunk that is longer than its size", CHUNKED "1\r\nab\r\n0\r\n\r\n", BAD,
				sizeof(CHUNKED) - 1 + 4},
		{"chunk that ends with LF", CHUNKED "1\r\na\n0\r\n\r\n", BAD, sizeof(CHUNKED) - 1 + 4},
		{"host in the trailer", CHUNKED "0\r\n" H "\r\n", BAD, sizeof(CHUNKED) - 1 + 3},
		{"length in the trailer", CHUNKED "0\r\nContent-Length: 9\r\n\r\n", BAD,
				sizeof(CHUNKED) - 1 + 3},
		{"encoding in the trailer", CHUNKED "0\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n", BAD,
				sizeof(CHUNKED) - 1 + 3},
		{"folded trailer", CHUNKED "0\r\nX: y\r\n z\r\n\r\n", BAD, sizeof(CHUNKED) - 1 + 3},
		{"request as a trailer", CHUNKED "0\r\nGET / HTTP/1.1\r\nHost: b.example\r\n\r\n", BAD,
				sizeof(CHUNKED) - 1 + 3},
		{"trailer with LF", CHUNKED "0\r\nX: y\n\r\n", BAD, sizeof(CHUNKED) - 1 + 3},
		{"another host after a body",
				"POST / HTTP/1.1\r\n" H
				"Content-Length: 1\r\n\r\naGET / HTTP/1.1\r\nHost: b.example\r\n\r\n",
				OTHER, sizeof("POST / HTTP/1.1\r\n" H "Content-Length: 1\r\n\r\n")},
		{"another host after chunks", CHUNKED "0\r\n\r\nGET / HTTP/1.1\r\nHost: b.example\r\n\r\n",
				OTHER, sizeof(CHUNKED) - 1 + 5},
		{"TLS", "\x16\3\1\2", BAD, 0},
};

static void test_bad(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct str stream = str_of(bad[i].stream);
		struct passage whole = relay(STR(HOST), 80, stream, 0, 0);
		CHECK_ROW(whole.refusal == bad[i].refusal, bad[i].what);
		CHECK_ROW(whole.passed == bad[i].passed, bad[i].what);
		for (size_t k = 1; k < stream.n; k++) {
			struct passage split = relay(STR(HOST), 80, stream, k, 0);
			CHECK_ROW(same_passage(&whole, &split), bad[i].what);
		}
		struct passage split = relay(STR(HOST), 80, stream, 0, 1);
		CHECK_ROW(same_passage(&whole, &split), bad[i].what);
	}
	struct passage nul = relay(STR(HOST), 80, STR("GET / HTTP/1.1\r\n" H "X: \0\r\n\r\n"), 0, 0);
	CHECK_INT(nul.refusal, NETWORK_BAD_HTTP);
}

static const struct {
	const char *allowed;
	uint16_t port;
	const char *host;
	bool same;
} hosts[] = {
		{"a.example", 8080, "a.example:8080", true},
		{"a.example", 8080, "a.example", true},
		{"a.example", 8080, "a.example:80", false},
		{"192.0.2.1", 80, "192.0.2.1", true},
		{"192.0.2.1", 80, "192.0.2.1:80", true},
		{"192.0.2.1", 80, "192.0.2.2", false},
		{"192.0.2.1", 80, "192.0.2.01", false},
		{"192.0.2.1", 80, "[192.0.2.1]", false},
		{"192.0.2.1", 80, "[::ffff:192.0.2.1]", false},
		{"2001:db8::1", 80, "[2001:db8::1]", true},
		{"2001:db8::1", 80, "[2001:DB8:0::1]:80", true},
		{"2001:db8::1", 80, "[2001:db8::1]:81", false},
		{"2001:db8::1", 80, "2001:db8::1", false},
		{"2001:db8::1", 80, "[2001:db8::2]", false},
		{"2001:db8::1", 80, "[2001:db8::1", false},
		{"2001:db8::1", 80, "[]", false},
		{"2001:db8::1", 80, "a.example", false},
};

static void test_hosts(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
		char stream[256];
		(void)str_put(stream, sizeof(stream), "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", hosts[i].host);
		struct passage p = relay(str_of(hosts[i].allowed), hosts[i].port, str_of(stream), 0, 0);
		CHECK_ROW(p.refusal == (hosts[i].same ? NETWORK_NOT_REFUSED : NETWORK_OTHER_HOST),
				hosts[i].host);
	}
	struct passage p = relay(STR(HOST), 80, STR("GET / HTTP/1.1\r\nHost: b.example\r\n\r\n"), 0, 0);
	CHECK_STR(str_of(p.other), "b.example");
	p = relay(STR(HOST), 80, STR("GET / HTTP/1.1\r\nHost: b/example\r\n\r\n"), 0, 0);
	CHECK_STR(str_of(p.other), "");
}

/* The request line is enough to refuse, because other protocols wait for an answer to their first line. */
static void test_first_line(void)
{
	static const char *const lines[] = {"EHLO x\r\n", "GET /\r\n", "PRI * HTTP/2.0\r\n"};
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		CHECK_ROW(relay(STR(HOST), 80, str_of(lines[i]), 0, 0).refusal == NETWORK_BAD_HTTP, lines[i]);
	CHECK_INT(relay(STR(HOST), 80, STR("GET / HTTP/1.1\r\n"), 0, 0).refusal, NETWORK_NOT_REFUSED);
}

/* Heads and trailers are bounded; bodies are not, and need not be there to be passed. */
static void test_bounds(void)
{
	static char big[2 * HTTP_HEAD_MAX];
	struct http_requests h;
	uint64_t pass = 0;
	size_t start = str_put(big, sizeof(big), "GET / HTTP/1.1\r\n" H "X: ");

	memset(big + start, 'x', sizeof(big) - start);
	memcpy(big + HTTP_HEAD_MAX - 4, "\r\n\r\n", 4);
	http_requests_init(&h, STR(HOST), 80);
	CHECK_INT(http_requests_next(&h, (uint8_t *)big, HTTP_HEAD_MAX - 1, &pass), HTTP_MORE);
	CHECK_INT(http_requests_next(&h, (uint8_t *)big, sizeof(big), &pass), HTTP_PASS);
	CHECK_INT(pass, HTTP_HEAD_MAX);
	memset(big + HTTP_HEAD_MAX - 4, 'x', 4);
	http_requests_init(&h, STR(HOST), 80);
	CHECK_INT(http_requests_next(&h, (uint8_t *)big, HTTP_HEAD_MAX - 1, &pass), HTTP_MORE);
	CHECK_INT(http_requests_next(&h, (uint8_t *)big, HTTP_HEAD_MAX, &pass), HTTP_REFUSED);
	CHECK_INT(h.refusal, NETWORK_BAD_HTTP);
	CHECK_INT(http_requests_next(&h, (uint8_t *)big, 1, &pass), HTTP_REFUSED);

	static const char upload[] = "PUT / HTTP/1.1\r\n" H "Content-Length: 9000000000000000000\r\n\r\n";
	http_requests_init(&h, STR(HOST), 80);
	CHECK_INT(http_requests_next(&h, (const uint8_t *)upload, sizeof(upload) - 1, &pass), HTTP_PASS);
	CHECK(pass == 9000000000000000000u + sizeof(upload) - 1);
	CHECK_INT(http_requests_next(&h, NULL, 0, &pass), HTTP_MORE);

	static const char websocket[] = "GET / HTTP/1.1\r\n" H "Upgrade: WebSocket\r\n\r\n";
	http_requests_init(&h, STR(HOST), 80);
	CHECK_INT(http_requests_next(&h, (const uint8_t *)websocket, sizeof(websocket) - 1, &pass),
			HTTP_PASS);
	CHECK_INT(http_requests_next(&h, (const uint8_t *)"\x81", 1, &pass), HTTP_WAIT);
	CHECK_INT(http_requests_next(&h, NULL, 0, &pass), HTTP_WAIT);
	http_requests_answered(&h, true);
	CHECK_INT(http_requests_next(&h, (const uint8_t *)"\x81", 1, &pass), HTTP_PASS);
	CHECK(pass == UINT64_MAX);
	/* Without a request for it, nothing switches. */
	http_requests_init(&h, STR(HOST), 80);
	http_requests_answered(&h, true);
	CHECK_INT(http_requests_next(&h, (const uint8_t *)"\x81\r", 2, &pass), HTTP_MORE);
	CHECK_INT(http_requests_next(&h, (const uint8_t *)"\x81\r\n", 3, &pass), HTTP_REFUSED);
}

static const struct {
	const char *bytes;
	enum http_answer answer;
} answers[] = {
		{"HTTP/1.1 101 Switching Protocols\r\n", HTTP_ANSWER_SWITCHED},
		{"HTTP/1.1 101", HTTP_ANSWER_SWITCHED},
		{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 x", HTTP_ANSWER_SWITCHED},
		{"HTTP/1.1 103 Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n", HTTP_ANSWER_OTHER},
		{"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 101 x", HTTP_ANSWER_OTHER},
		{"HTTP/1.1 404 Not Found", HTTP_ANSWER_OTHER},
		{"SSH-2.0-x\r\n   ", HTTP_ANSWER_OTHER},
		{"HTTP/1.1 10", HTTP_ANSWER_MORE},
		{"HTTP/1.1 100 Continue\r\n", HTTP_ANSWER_MORE},
		{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 ", HTTP_ANSWER_MORE},
		{"", HTTP_ANSWER_MORE},
};

static void test_answers(void)
{
	static char endless[HTTP_HEAD_MAX + 100] = "HTTP/1.1 100 ";

	for (size_t i = 0; i < ARRAY_SIZE(answers); i++)
		CHECK_ROW(http_answer_read((const uint8_t *)answers[i].bytes, strlen(answers[i].bytes)) ==
						answers[i].answer,
				answers[i].bytes);
	CHECK_INT(http_answer_read((uint8_t *)endless, sizeof(endless)), HTTP_ANSWER_OTHER);
}

/* ---- real clients ---- */

#define LOCAL "127.0.0.1"
#define CURL "curl -s --resolve " HOST ":$1:" LOCAL " http://" HOST ":$1/x "

static const struct {
	const char *what, *command; /* for bash; $1 is the port */
	const char *host;
	enum network_refusal refusal;
	const char *seen;
} clients[] = {
		{"curl", CURL, HOST, NETWORK_NOT_REFUSED, "GET /x 0\n"},
		{"curl, HTTP/1.0", CURL "--http1.0", HOST, NETWORK_NOT_REFUSED, "GET /x 0\n"},
		{"curl, form", CURL "-d a=b", HOST, NETWORK_NOT_REFUSED, "POST /x 3\n"},
		{"curl, upload", "seq 1000 | " CURL "-T -", HOST, NETWORK_NOT_REFUSED, "PUT /x 3893\n"},
		{"curl, large form", CURL "-H Expect:100-continue -d $(seq -s, 1000)", HOST,
				NETWORK_NOT_REFUSED, "POST /x 3892\n"},
		{"curl, files", CURL "-F a=b -F c=d -H Content-Type:", HOST, NETWORK_NOT_REFUSED, NULL},
		{"curl, another host", CURL "-H 'Host: b.example'", HOST, NETWORK_OTHER_HOST, NULL},
		{"curl, no host", CURL "-H Host:", HOST, NETWORK_BAD_HTTP, NULL},
		{"curl, proxy", "curl -s -x " LOCAL ":$1 http://" HOST ":$1/x", HOST, NETWORK_NOT_REFUSED,
				NULL},
		{"curl, proxy, another host", "curl -s -x " LOCAL ":$1 http://b.example:$1/x", HOST,
				NETWORK_OTHER_HOST, NULL},
		{"curl, tunnel", "curl -s -p -x " LOCAL ":$1 http://" HOST ":$1/x", HOST, NETWORK_BAD_HTTP,
				NULL},
		{"curl, h2c", CURL "--http2", HOST, NETWORK_BAD_HTTP, NULL},
		{"curl, HTTP/2", CURL "--http2-prior-knowledge", HOST, NETWORK_BAD_HTTP, NULL},
		{"curl, websocket", CURL "-H 'Connection: Upgrade' -H 'Upgrade: websocket'", HOST,
				NETWORK_NOT_REFUSED, "GET /x 0\n"},
		{"git", "git ls-remote http://" LOCAL ":$1/x", LOCAL, NETWORK_NOT_REFUSED,
				"GET /x/info/refs?service=git-upload-pack 0\n"},
		{"python",
				"/usr/bin/python3 -Bc 'import http.client, sys\nc = "
				"http.client.HTTPConnection(\"" LOCAL "\", int(sys.argv[1]))\n"
				"c.request(\"POST\", \"/x\", iter([b\"abc\", b\"de\"]), {\"Host\": \"" HOST
				"\"}, encode_chunked=True)\n"
				"c.getresponse()' $1",
				HOST, NETWORK_NOT_REFUSED, "POST /x 5\n"},
		{"python, urllib",
				"/usr/bin/python3 -Bc 'import sys, urllib.request\n"
				"urllib.request.urlopen(\"http://" LOCAL
				":%s/x\" % sys.argv[1], b\"abc\")' $1",
				LOCAL, NETWORK_NOT_REFUSED, "POST /x 3\n"},
		{"node, fetch",
				"node -e 'fetch(`http://" LOCAL ":${process.argv[1]}/x`, {method: \"POST\", "
				"body: \"abc\"}).catch(() => {})' $1",
				LOCAL, NETWORK_NOT_REFUSED, "POST /x 3\n"},
		{"node, stream",
				"node -e 'const r = require(\"http\").request({port: process.argv[1], host: "
				"\"" LOCAL "\", path: \"/x\", "
				"method: \"PUT\", headers: {Host: \"" HOST
				"\"}}); r.on(\"error\", () => {}); r.write(\"abc\"); r.end(\"de\")' $1",
				HOST, NETWORK_NOT_REFUSED, "PUT /x 5\n"},
};

/* The requests that the command sends to a socket of ours, which answers nothing. */
static struct passage hear(const char *command, const char *host)
{
	struct real_client c = real_client_start(command);
	char stream[STREAM_MAX];
	struct passage p = {.refusal = NETWORK_REFUSALS};
	size_t n = 0;

	while (real_client_read(&c, stream, sizeof(stream), &n)) {
		p = relay(str_of(host), (uint16_t)c.port, str_n(stream, n), 0, 0);
		if (p.refusal != NETWORK_NOT_REFUSED || p.between)
			break;
	}
	real_client_end(&c);
	return p;
}

static void test_clients(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(clients); i++) {
		struct passage p = hear(clients[i].command, clients[i].host);
		CHECK_ROW(p.refusal == clients[i].refusal, clients[i].what);
		CHECK_ROW(p.between == (clients[i].refusal == NETWORK_NOT_REFUSED), clients[i].what);
		if (clients[i].seen)
			CHECK_STR(str_of(p.seen), clients[i].seen);
	}
}

/* ---- real servers ---- */

/* Each answers a request with "<<METHOD TARGET HOST LENGTH>>" and prints its port first. */
static const char node_server[] = "const s = require('http').createServer((q, r) => { let n = 0; "
				  "q.on('data', d => n += d.length);\n"
				  "q.on('end', () => r.end(Buffer.from(`<<${q.method} ${q.url} "
				  "${q.headers.host} ${n}>>`, 'latin1'))); });\n"
				  "s.keepAliveTimeout = 300;\n"
				  "s.listen(0, '127.0.0.1', () => console.log(s.address().port));";
static const char python_server[] =
		"import http.server, sys\n"
		"class H(http.server.BaseHTTPRequestHandler):\n"
		"    protocol_version = 'HTTP/1.1'\n"
		"    wbufsize = -1\n"
		"    def log_message(self, *x): pass\n"
		"    def handle_expect_100(self): return True\n"
		"    def __getattr__(self, name):\n"
		"        if not name.startswith('do_'): raise AttributeError(name)\n"
		"        return self.answer\n"
		"    def answer(self):\n"
		"        n = len(self.rfile.read(int(self.headers.get('Content-Length', 0))))\n"
		"        line = self.requestline.split(' ')\n"
		"        b = ('<<%s %s %s %d>>' % (line[0], line[1], self.headers['Host'].strip(), "
		"n)).encode('latin1')\n"
		"        self.send_response(200)\n"
		"        self.send_header('Content-Length', str(len(b)))\n"
		"        self.end_headers()\n"
		"        self.wfile.write(b)\n"
		"s = http.server.ThreadingHTTPServer(('127.0.0.1', 0), H)\n"
		"print(s.server_address[1], flush=True)\n"
		"s.serve_forever()";

struct http_server {
	const char *name;
	char *argv[5];
	bool chunks;         /* decodes chunked bodies */
	const char *refuses; /* streams of good[] for which some versions of the server are too strict */
	pid_t pid;
	struct sockaddr_in at;
	unsigned requests, refused;
};

static bool server_start(struct http_server *s)
{
	int out[2];
	char port[16] = "";
	size_t n = 0;

	if (pipe2(out, O_CLOEXEC) || (s->pid = fork()) < 0)
		abort();
	if (s->pid == 0)
		real_child(s->argv, open("/dev/null", O_RDONLY), out[1]);
	close(out[1]);
	while (n < sizeof(port) - 1 && read(out[0], port + n, 1) == 1 && port[n] != '\n')
		n++;
	close(out[0]);
	s->at = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	for (size_t i = 0; i < n; i++)
		s->at.sin_port = (in_port_t)(s->at.sin_port * 10 + port[i] - '0');
	s->at.sin_port = htons(s->at.sin_port);
	return n > 0;
}

static void server_stop(struct http_server *s)
{
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
}

/* All that the server answers until it closes the connection. */
static struct str server_ask(struct arena *a, const struct http_server *s, struct str stream)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct timeval patience = {.tv_sec = 30};
	char piece[4096];
	struct buf b;
	ssize_t n;

	buf_init(&b, a, 0);
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(fd, (const struct sockaddr *)&s->at, sizeof(s->at)) != 0 ||
			send(fd, stream.p, stream.n, MSG_NOSIGNAL) != (ssize_t)stream.n)
		unit_fail(__FILE__, __LINE__, "cannot ask %s", s->name);
	while ((n = recv(fd, piece, sizeof(piece), 0)) > 0)
		buf_add(&b, piece, (size_t)n);
	close(fd);
	return buf_view(&b);
}

#define LAST "GET /the-end HTTP/1.1\r\nHost: " HOST "\r\nConnection: close\r\n\r\n"

static bool allowed_host(struct str host)
{
	return str_is_like(host, HOST) || str_is_like(host, HOST ".") || str_is_like(host, HOST ":80") ||
	       str_is_like(host, HOST ".:80");
}

/*
 * The server sees the same requests as the reader, in order, and none beyond the last. It may stop earlier,
 * because it refuses one.
 */
static void compare(struct arena *a, struct http_server *s, struct str stream)
{
	struct passage p = relay(STR(HOST), 80, stream, 0, 0);
	const char *want = p.seen;

	if (p.refusal || !p.between || strlen(want) > SEEN_MAX - 100)
		return;
	struct str got = server_ask(a, s, str_cat(a, stream, STR(LAST)));
	(void)str_put(p.seen + strlen(want), 100, "GET /the-end 0\n");
	for (size_t at = 0; at + 4 < got.n; at++) {
		if (memcmp(got.p + at, "<<", 2) != 0)
			continue;
		const char *end = memmem(got.p + at, got.n - at, ">>", 2);
		struct str all = str_n(got.p + at + 2, end ? (size_t)(end - got.p) - at - 2 : 0);
		struct str line = all;
		size_t last = all.n;
		while (last > 0 && all.p[last - 1] != ' ')
			last--;
		size_t host = last ? last - 1 : 0;
		while (host > 0 && all.p[host - 1] != ' ')
			host--;
		CHECK(allowed_host(str_sub(all, host, last ? last - 1 : 0)));
		line = str_cat(a, str_sub(all, 0, host), str_cat(a, str_sub(all, last, all.n), STR("\n")));
		if (!str_starts(str_of(want), str_c(a, line))) {
			unit_fail(__FILE__, __LINE__, "%s sees another request", s->name);
			unit_bytes("stream", stream);
			unit_bytes("it sees", line);
			unit_bytes("reader", str_of(want));
			return;
		}
		want += line.n;
		s->requests++;
		at += all.n;
	}
	s->refused += *want != 0;
}

/* A change of some bytes: copied from elsewhere in the stream, or one that means something in HTTP. */
static size_t change(char *to, struct str stream, uint32_t *seed)
{
	static const char special[] = "\r\n\r\n  \t:;,/0123456789abcdefHTP-_.\v\f\"\\\x80";
	size_t n = stream.n;

	memcpy(to, stream.p, n);
	for (unsigned k = 0; k < 1 + (*seed >> 30); k++) {
		*seed = *seed * 1664525 + 1013904223;
		size_t at = (*seed >> 12) % n;
		*seed = *seed * 1664525 + 1013904223;
		char c = special[(*seed >> 16) % (sizeof(special) - 1)];
		switch ((*seed >> 8) % 4) {
		case 0: to[at] = c; break;
		case 1: /* insert */
			if (n < STREAM_MAX - 1) {
				memmove(to + at + 1, to + at, n - at);
				to[at] = c;
				n++;
			}
			break;
		case 2: /* delete */
			if (n > 1) {
				memmove(to + at, to + at + 1, n - at - 1);
				n--;
			}
			break;
		default: to[at] = to[(*seed >> 10) % n];
		}
	}
	return n;
}

static void check_server(struct http_server *s)
{
	struct arena a;
	static char stream[STREAM_MAX];
	uint32_t seed = 11;

	arena_init(&a, 256 << 20);
	if (!server_start(s)) {
		unit_fail(__FILE__, __LINE__, "%s does not start", s->name);
		arena_free(&a);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		struct str text = str_of(good[i].stream);
		bool chunks = str_contains_nocase(text, "transfer-encoding");
		if (chunks && !s->chunks)
			continue;
		unsigned before = s->requests;
		compare(&a, s, text);
		bool strict = str_is_any(str_of(good[i].what), s->refuses);
		CHECK_ROW(strict || s->requests > before, good[i].what);
		for (unsigned k = 0; k < 200; k++) {
			size_t n = change(stream, text, &seed);
			compare(&a, s, str_n(stream, n));
		}
	}
	printf("# %s: %u requests seen, %u streams stopped earlier\n", s->name, s->requests, s->refused);
	server_stop(s);
	arena_free(&a);
}

static void test_node(void)
{
	struct http_server s = {.name = "node", .chunks = true, .refuses = "HTTP/1.0 other-letters"};
	s.argv[0] = "node";
	s.argv[1] = "-e";
	s.argv[2] = (char *)(uintptr_t)node_server;
	check_server(&s);
}

static void test_python(void)
{
	struct http_server s = {.name = "python"};
	s.argv[0] = "/usr/bin/python3";
	s.argv[1] = "-Bc";
	s.argv[2] = (char *)(uintptr_t)python_server;
	check_server(&s);
}

int main(void)
{
	RUN(test_good);
	RUN(test_bad);
	RUN(test_hosts);
	RUN(test_first_line);
	RUN(test_bounds);
	RUN(test_answers);
	RUN(test_clients);
	RUN(test_node);
	RUN(test_python);
	return unit_end();
}
