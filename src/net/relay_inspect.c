/*
 * The client's words: the relay holds them back until they say where they want to go.
 *
 * - Port 443 must be TLS with the host as SNI, port 80 HTTP with the host in every request.
 * - A server may ask for a second ClientHello, and takes the name from that one. So the client's bytes behind
 *   the first wait for the server's answer.
 * - On other ports the first bytes decide (first_words.h): TLS and HTTP are checked in the same way, anything
 *   else passes. Undecided bytes pass at once, because a protocol without lines must not wait.
 * - A listed address has no name to check, so everything passes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/socket.h>

#include "net/relay_inner.h"

#define TLS_PORT 443
#define HTTP_PORT 80
#define ANSWER_MAX 16384 /* bytes of the server's answer that decide how to go on */

static void pass_all(struct relay_connection *c)
{
	c->speech = RELAY_RAW;
	c->words_ok = c->words_n;
	c->pass = UINT64_MAX;
}

void relay_inspect_begin(struct relay_connection *c)
{
	if (c->target.is_address) {
		pass_all(c);
		return;
	}
	c->must_tls = c->target.port == TLS_PORT;
	c->must_http = c->target.port == HTTP_PORT;
	c->speech = c->must_tls ? RELAY_TLS : c->must_http ? RELAY_HTTP : RELAY_UNDECIDED;
	http_requests_init(&c->http, str_of(c->target.host), c->target.port);
}

/* ---- TLS ---- */

/* Reads the ClientHello at words_ok; *ret_n is 0 if it has not come as a whole. */
static enum network_refusal inspect_hello(const struct relay_connection *c, size_t *ret_n)
{
	struct client_hello hello;
	*ret_n = 0;
	if (!client_hello_read(c->words + c->words_ok, c->words_n - c->words_ok, &hello))
		return c->up.ended ? NETWORK_BAD_TLS : NETWORK_NOT_REFUSED;
	if (hello.refusal == NETWORK_NOT_REFUSED && strcmp(hello.name, c->target.host) != 0)
		return NETWORK_OTHER_SNI;
	*ret_n = hello.bytes;
	return hello.refusal;
}

/* Records in front of the second ClientHello pass: a change of cipher, early data that the server drops. */
static enum network_refusal inspect_second_hello(struct relay_connection *c)
{
	while (!c->pass && c->words_n > c->words_ok) {
		const uint8_t *p = c->words + c->words_ok;
		size_t here = c->words_n - c->words_ok, n;
		if (client_hello_is_handshake(p)) {
			enum network_refusal why = inspect_hello(c, &n);
			if (n)
				pass_all(c);
			return why;
		}
		n = client_hello_record(p, here);
		if (!n)
			return NETWORK_NOT_REFUSED;
		c->words_ok += n < here ? n : here;
		c->pass = n < here ? 0 : n - here;
	}
	return NETWORK_NOT_REFUSED;
}

static enum network_refusal inspect_tls(struct relay_connection *c)
{
	if (c->answer_decides)
		return NETWORK_NOT_REFUSED;
	if (c->hello_again)
		return inspect_second_hello(c);
	size_t n;
	enum network_refusal why = inspect_hello(c, &n);
	c->words_ok = n;
	c->answer_decides = n > 0;
	return why;
}

/* ---- other ports ---- */

static enum relay_speech speech_of(const struct relay_connection *c)
{
	return first_words_read(c->words, c->words_n, c->up.ended, c->server_first);
}

static void decide_speech(struct relay_connection *c)
{
	c->speech = speech_of(c);
	if (c->speech == RELAY_RAW)
		pass_all(c);
	else if (c->speech == RELAY_UNDECIDED)
		c->words_ok = c->words_n; /* a server cannot act on half a request line */
	else
		c->words_ok = 0;
}

/* ---- HTTP ---- */

/* Writes the head at `at` in absolute form, for a proxy, and adds the difference to *n. False: no room. */
static bool rewrite_head(struct relay_connection *c, size_t at, uint64_t *n)
{
	char text[RELAY_WORDS_MAX];
	struct str head = str_n((const char *)c->words + at, c->words_n - at);
	size_t length = proxy_absolute_form(
			c->dial.proxy, str_of(c->target.host), head, text, RELAY_WORDS_MAX - at);
	if (!length)
		return false;
	memcpy(c->words + at, text, length);
	c->words_n = at + length;
	*n = *n - head.n + length;
	return true;
}

/* Lets the checked block at words_ok pass; the rest of it may still have to come. */
static bool pass_block(struct relay_connection *c, bool is_head, uint64_t n)
{
	if (is_head && c->dial.forwards && !rewrite_head(c, c->words_ok, &n))
		return false;
	size_t here = c->words_n - c->words_ok;
	c->words_ok += n < here ? (size_t)n : here;
	c->pass = n < here ? 0 : n - here;
	return true;
}

/* True for a first line that is no request line. Programs that wait for an answer to it must not wait long.
 */
static bool speaks_other(const struct relay_connection *c)
{
	if (c->http.later || c->http.state != HTTP_AT_HEAD)
		return false;
	enum relay_speech speech = speech_of(c);
	return speech == RELAY_RAW || speech == RELAY_TLS;
}

static enum network_refusal inspect_http(struct relay_connection *c)
{
	if (c->words_n && !c->words_ok && speaks_other(c))
		return NETWORK_BAD_HTTP;
	while (!c->pass && c->words_n > c->words_ok) {
		uint64_t n = 0;
		bool is_head = c->http.state == HTTP_AT_HEAD;
		switch (http_requests_next(&c->http, c->words + c->words_ok, c->words_n - c->words_ok, &n)) {
		case HTTP_REFUSED: return c->http.refusal;
		case HTTP_MORE: return c->up.ended ? NETWORK_BAD_HTTP : NETWORK_NOT_REFUSED;
		case HTTP_WAIT: return NETWORK_NOT_REFUSED;
		case HTTP_PASS: break;
		}
		if (n == UINT64_MAX) {
			pass_all(c);
			return NETWORK_NOT_REFUSED;
		}
		if (!pass_block(c, is_head, n))
			return NETWORK_BAD_HTTP;
		c->answer_decides = c->http.state == HTTP_AT_UPGRADE;
		if (c->dial.forwards)
			break; /* the buffer has room for one head that grows */
	}
	return NETWORK_NOT_REFUSED;
}

/* Notes that the server speaks before it has seen any byte of the client. */
static void note_server_first(struct relay_connection *c)
{
	char byte;
	if (c->speech != RELAY_UNDECIDED || c->words_sent || c->server_first || !c->server.readable)
		return;
	c->server_first = recv(c->server.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

bool relay_inspect_waits(struct relay_connection *c)
{
	if (c->answer_decides && c->speech == RELAY_TLS && c->client.hung_up) {
		c->answer_decides = false;
		c->hello_again = true; /* it was not asked for, but could have been sent */
	}
	return c->answer_decides;
}

/* True once the bytes decide, or no more of them will come. */
static bool answer_read(struct relay_connection *c, const uint8_t *p, size_t n, bool last)
{
	if (c->speech == RELAY_TLS) {
		enum hello_answer answer = hello_answer_read(p, n);
		if (answer == HELLO_ANSWER_MORE && !last)
			return false;
		c->hello_again = answer != HELLO_ANSWER_OTHER;
		if (!c->hello_again)
			pass_all(c);
		return true;
	}
	enum http_answer answer = http_answer_read(p, n);
	if (answer == HTTP_ANSWER_MORE && !last)
		return false;
	http_requests_answered(&c->http, answer == HTTP_ANSWER_SWITCHED);
	return true;
}

bool relay_inspect_answer(struct relay_loop *l, struct relay_connection *c)
{
	uint8_t bytes[ANSWER_MAX];
	note_server_first(c);
	if (!c->answer_decides)
		return true;
	if (!c->server.readable)
		return false;
	ssize_t n = recv(c->server.fd, bytes, sizeof bytes, MSG_PEEK);
	bool failed = n < 0 && errno != EAGAIN && errno != EINTR;
	if (!answer_read(c, bytes, n > 0 ? (size_t)n : 0,
			    failed || c->server.hung_up || n == (ssize_t)sizeof bytes)) {
		c->server.readable = false; /* the next bytes are an event */
		return false;
	}
	c->answer_decides = false;
	/* nothing that follows has been looked at */
	return relay_inspect(l, c);
}

/* ---- all ---- */

static enum network_refusal inspect_words(struct relay_connection *c)
{
	if (c->speech == RELAY_UNDECIDED)
		decide_speech(c);
	switch (c->speech) {
	case RELAY_TLS: return inspect_tls(c);
	case RELAY_HTTP: return inspect_http(c);
	default: return NETWORK_NOT_REFUSED;
	}
}

bool relay_inspect(struct relay_loop *l, struct relay_connection *c)
{
	if (c->up.ended && !c->words_n && c->stage == RELAY_LISTENING) {
		relay_close(l, c, false); /* somebody looked whether the port is open */
		return false;
	}
	enum network_refusal why = inspect_words(c);
	if (why != NETWORK_NOT_REFUSED) {
		relay_refuse(l, c, why);
		return false;
	}
	if (c->stage == RELAY_LISTENING && c->words_ok)
		relay_dial(l, c);
	return c->stage != RELAY_FREE;
}
