/* Hosts in arguments that are certainly this machine. See loopback.h. */
#include "gate/loopback.h"

#include "base/ascii.h"
#include "base/glob.h"
#include "base/num.h"

/*
 * Schemes that really lead to the host. file: has no host, gopher: and dict: can send anything to a database,
 * dns://localhost/x leads to x.
 */
static bool plain_scheme(struct str s)
{
	static const char names[][12] = {"http", "https", "ws", "wss", "ftp", "ftps", "postgres",
			"postgresql", "mysql", "mariadb", "redis", "rediss", "mongodb", "amqp", "amqps",
			"nats", "mqtt", "tcp", "git"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_is_like(s, names[i]))
			return true;
	return false;
}

/* Strips "http://". False for a scheme that may lead elsewhere. */
static bool take_scheme(struct str *h)
{
	/* elsewhere/x://localhost has no scheme */
	for (size_t i = 0; i + 3 <= h->n && !strchr("/?#@\\", h->p[i]) && !text_hole(h->p[i]); i++)
		if (!memcmp(h->p + i, "://", 3)) {
			bool plain = plain_scheme(str_first(*h, i));

			*h = str_from(*h, i + 3);
			return plain;
		}
	return true;
}

/* Strips the port. False for a port on which containers can be started. */
static bool take_port(struct str *h, uint16_t *ret)
{
	ptrdiff_t x = str_find(*h, ':', 0), end = h->n && h->p[0] == '[' ? str_find(*h, ']', 0) : -1;
	struct str port;
	int64_t n;

	if (end > 0) {
		port = str_from(*h, (size_t)end + 1);
		*h = str_first(*h, (size_t)end + 1);
		if (str_starts(port, ":") && num_parse(str_from(port, 1), 1, UINT16_MAX, &n) == 0)
			*ret = (uint16_t)n;
		return true;
	}
	if (x < 0 || str_find(*h, ':', (size_t)x + 1) >= 0)
		return true;
	port = str_from(*h, (size_t)x + 1);
	*h = str_first(*h, (size_t)x);
	if (num_parse(port, 1, UINT16_MAX, &n) == 0)
		*ret = (uint16_t)n;
	return !str_is_any(port, "2375 2376 6443 10250");
}

static bool is_dotted_number(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] != '.' && !ascii_is_digit(s.p[i]))
			return false;
	return true;
}

static bool loopback_name(struct str h)
{
	static const char names[][12] = {"localhost", "127.*", "[::1]", "::1", "0.0.0.0", "*.localhost"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (glob_may(str_of(names[i]), h, GLOB_FOLD) == GLOB_YES)
			/* not 127.0.0.1.example.com */
			return !str_starts(str_of(names[i]), "127") || is_dotted_number(h);
	return false;
}

bool loopback_port(const struct word *host, uint16_t *ret)
{
	struct str h = host->text;
	ptrdiff_t x;

	if (host->kind == WORD_REST && !(host->glob && text_exact(h)))
		return false;
	*ret = str_is_like(str_first(h, h.n < 6 ? h.n : 6), "https:") ? 443 : 80;
	if (!take_scheme(&h))
		return false;
	if ((x = str_find(h, '/', 0)) >= 0)
		h = str_first(h, (size_t)x);
	if (host->glob && (x = str_find(h, '?', 0)) >= 0)
		h = str_first(h, (size_t)x); /* unquoted '?': start of the query */
	/*
	 * http://localhost:3000/$id stays local, whatever follows the slash; http://localhost:$port may be
	 * x@elsewhere
	 */
	if (!text_exact(h))
		return false;
	if (str_has(h, '@') || str_has(h, '\\') || str_has(h, '#') || str_has(h, '?'))
		return false; /* clients disagree about the host of such an address */
	return take_port(&h, ret) && loopback_name(h);
}

bool loopback_is(const struct word *host)
{
	uint16_t port;

	return loopback_port(host, &port);
}
