/*
 * The host's own proxy, which a box never sees: the variables that name it, the hosts that need none, and the
 * words that open a connection through it. Pure: the relay sends and receives the bytes.
 *
 * The variables follow curl's rules: http_proxy (lower case only) for port 80, https_proxy for other ports,
 * all_proxy if there is none of these, no_proxy for exceptions; lower case wins over upper case. SSH (port
 * 22) uses all_proxy only, because ssh on the host ignores the other two.
 */
#pragma once
#include "base/ip.h"
#include "model/network.h"

#define PROXY_SECRET_MAX 256  /* bytes of user and of password */
#define PROXY_EXCEPT_MAX 4096 /* bytes of no_proxy; a longer list is unusable */
#define PROXY_REPLY_MAX 8192  /* bytes of a proxy's answer to CONNECT */
#define PROXY_WORDS_MAX 2048  /* bytes that one step sends */

enum proxy_kind {
	PROXY_NONE,
	PROXY_HTTP,     /* CONNECT; for port 80 requests in absolute form */
	PROXY_SOCKS5,   /* the proxy resolves the name */
	PROXY_UNUSABLE, /* a scheme that the relay does not speak, or a broken value: connections are refused
			 */
};

struct upstream_proxy {
	enum proxy_kind kind;
	char host[NETWORK_HOST_MAX + 1];
	uint8_t ip[IP_BYTES];
	bool is_address;
	uint16_t port;
	bool has_user;
	char user[PROXY_SECRET_MAX], password[PROXY_SECRET_MAX]; /* decoded */
};

struct upstream_proxies {
	struct upstream_proxy http, https, all;
	char except[PROXY_EXCEPT_MAX];
};

/* `environ` may be NULL: no proxy. */
void upstream_proxies_read(char *const *environ, struct upstream_proxies *ret);
/* Returns the proxy for a host (a name, or an address as text) and port; NULL: connect directly. */
const struct upstream_proxy *upstream_proxy_for(
		const struct upstream_proxies *p, struct str host, uint16_t port);
/* True if requests to this port go to the proxy in absolute form, without CONNECT. */
bool upstream_proxy_forwards(const struct upstream_proxy *p, uint16_t port);

enum proxy_progress {
	PROXY_MORE, /* wait for more bytes of the proxy */
	PROXY_SAY,  /* send `words`, then wait */
	PROXY_OPEN, /* everything from now on belongs to the connection */
	PROXY_FAILED,
};

struct proxy_dialogue {
	const struct upstream_proxy *proxy;
	struct str host; /* must outlive the dialogue */
	uint16_t port;
	unsigned step;
	char words[PROXY_WORDS_MAX];
	size_t n;
};

/* Fills d->words with the first thing to send. */
enum proxy_progress proxy_begin(
		struct proxy_dialogue *d, const struct upstream_proxy *proxy, struct str host, uint16_t port);
/*
 * Reads the proxy's answer so far. *ret_used: bytes to take out of the socket; the rest comes again. Bytes
 * after the answer belong to the connection and are never used up.
 */
enum proxy_progress proxy_answer(struct proxy_dialogue *d, struct str bytes, size_t *ret_used);
/*
 * Writes the head of a request, which starts with `METHOD /path` or `OPTIONS *`, in absolute form with the
 * proxy's authorization, and without the client's own fields for a proxy. Bytes behind the head stay as they
 * are. Returns the new length; 0 if there is no room.
 */
size_t proxy_absolute_form(
		const struct upstream_proxy *p, struct str host, struct str head, char *to, size_t room);
