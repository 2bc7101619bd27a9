/*
 * Reader of the HTTP/1.x requests that a client sends over one connection. Every request must name the
 * allowed host, not only the first.
 *
 * The caller holds back the bytes from the start of a block on, and asks how many may pass: a head with its
 * body, a chunk, a trailer. Heads are checked as a whole before their first byte passes. Bodies pass unseen,
 * so that they can be spliced; a body may be longer than what has arrived.
 *
 * The reader refuses everything that two servers could frame or route differently, even where the standard
 * allows it: Content-Length next to Transfer-Encoding, folded lines, bare CR or LF, blanks before the colon,
 * a second Host, chunk extensions, and so on. It changes no byte.
 *
 * The only upgrade is to websocket, and only in the first request of a connection: its answer is then the
 * first one of the server, which http_answer_read() recognizes.
 */
#pragma once
#include "model/network_report.h"

#define HTTP_HEAD_MAX 32768 /* bytes of a head or trailer; the caller's buffer holds as much */
/* Characters of a token (a method, the name of a field) beside letters and digits. */
#define HTTP_TOKEN_MARKS "!#$%&'*+-.^_`|~"

enum http_state {
	HTTP_AT_HEAD,
	HTTP_AT_CHUNK,
	HTTP_AT_CHUNK_END,
	HTTP_AT_TRAILER,
	HTTP_AT_UPGRADE, /* behind a request for an upgrade that is not answered yet */
	HTTP_IN_TUNNEL,
	HTTP_FAILED
};

struct http_requests {
	struct str host; /* the allowed host: a name, or the text of an address without brackets */
	uint16_t port;
	enum http_state state;
	bool later;                   /* a request has passed */
	size_t scanned;               /* bytes of the block that have no end of it in them */
	enum network_refusal refusal; /* HTTP_FAILED */
	char other[NETWORK_HOST_MAX +
			1]; /* NETWORK_OTHER_HOST: the name in the request; "" if it is not a name */
};

enum http_step {
	HTTP_MORE,    /* the block is not complete: nothing passes */
	HTTP_PASS,    /* *ret_pass bytes may pass, then the next block starts; UINT64_MAX: all from now on */
	HTTP_WAIT,    /* nothing passes before http_requests_answered() */
	HTTP_REFUSED, /* for the reason in `refusal` */
};

void http_requests_init(struct http_requests *h, struct str host, uint16_t port);
/* Looks at the n bytes that follow those that have passed. */
enum http_step http_requests_next(struct http_requests *h, const uint8_t *p, size_t n, uint64_t *ret_pass);
/* After HTTP_WAIT: says whether the server switched protocols. */
void http_requests_answered(struct http_requests *h, bool switched);

enum http_answer { HTTP_ANSWER_MORE, HTTP_ANSWER_SWITCHED, HTTP_ANSWER_OTHER };
/* Reads the first answer of a server, behind interim ones (100, 103). *p is the first byte that the server
 * sent. */
enum http_answer http_answer_read(const uint8_t *p, size_t n);
