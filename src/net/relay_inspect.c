/*
 * The client's words: the relay holds them back until they say where they want to go.
 *
 * - Port 443 must be TLS with the host as SNI, port 80 HTTP with the host in every request.
 * - On other ports the first line decides: TLS and HTTP are checked in the same way, anything else passes.
 * The line itself passes while it grows, because a protocol without lines must not wait; what follows an HTTP
 *   request line does not.
 * - A listed address has no name to check, so everything passes.
 */
#include "net/relay_inner.h"

#define TLS_PORT 443
#define HTTP_PORT 80
#define TLS_HANDSHAKE 0x16 /* first byte of a ClientHello's record */
#define FIRST_LINE_MAX 8192

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
}

/* ---- TLS ---- */

static enum network_refusal inspect_tls(struct relay_connection *c)
{
	struct client_hello hello;
	if (!client_hello_read(c->words, c->words_n, &hello))
		return c->up.ended ? NETWORK_BAD_TLS : NETWORK_NOT_REFUSED;
	if (hello.refusal != NETWORK_NOT_REFUSED)
		return hello.refusal;
	if (strcmp(hello.name, c->target.host) != 0)
		return NETWORK_OTHER_SNI;
	pass_all(c);
	return NETWORK_NOT_REFUSED;
}

/* ---- other ports ---- */

static bool is_token(int c)
{
	return ascii_is_alnum(c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

/* True if the line has "HTTP/" in it, as every request line of HTTP/1 and the preface of HTTP/2. */
static bool names_http(const uint8_t *p, size_t n)
{
	return str_contains_nocase(str_n((const char *)p, n), "http/");
}

/*
 * Decides by the first line, empty lines before it left out. Bytes that no request line has decide at once,
 * and so does a first word that is far too long for a method.
 */
static enum relay_speech speech_of(const uint8_t *p, size_t n, bool ended)
{
	size_t i = 0, start, words = 0;
	if (n && p[0] == TLS_HANDSHAKE)
		return RELAY_TLS;
	while (i < n && ascii_is_space(p[i]))
		i++;
	for (start = i; i < n && p[i] != '\n'; i++) {
		if (!words && !is_token(p[i]) && !ascii_is_blank(p[i]) && p[i] != '\r')
			return RELAY_RAW;
		if (p[i] < ' ' && p[i] != '\t' && p[i] != '\r')
			return RELAY_RAW;
		words += ascii_is_blank(p[i]);
	}
	if (i < n || ended)
		return names_http(p + start, i - start) ? RELAY_HTTP : RELAY_RAW;
	if (i - start < FIRST_LINE_MAX)
		return RELAY_UNDECIDED;
	return words ? RELAY_HTTP : RELAY_RAW; /* HTTP refuses it for its length */
}

static void decide_speech(struct relay_connection *c)
{
	c->speech = speech_of(c->words, c->words_n, c->up.ended);
	if (c->speech == RELAY_RAW)
		pass_all(c);
	else if (c->speech == RELAY_UNDECIDED)
		c->words_ok = c->words_n; /* a server cannot act on half a request line */
}

/* ---- all ---- */

static enum network_refusal inspect_words(struct relay_connection *c)
{
	if (c->speech == RELAY_UNDECIDED)
		decide_speech(c);
	switch (c->speech) {
	case RELAY_TLS: return inspect_tls(c);
	case RELAY_HTTP: return NETWORK_BAD_HTTP; /* nobody reads requests yet */
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
