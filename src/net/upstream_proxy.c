/* See upstream_proxy.h. */
#include "net/upstream_proxy.h"

#include <sodium.h>

#include "base/num.h"

#define DEFAULT_PORT 1080 /* as curl's, for every scheme */
#define HTTP_PORT 80
#define SSH_PORT 22
#define PORT_MAX 65535
#define PAIR_MAX (2 * PROXY_SECRET_MAX) /* user, colon, password, NUL */
#define AUTH_MAX sodium_base64_ENCODED_LEN(PAIR_MAX, sodium_base64_VARIANT_ORIGINAL)

/* ---- variables ---- */

static struct str variable(char *const *environ, const char *name)
{
	for (size_t n = strlen(name); environ && *environ; environ++)
		if (!strncmp(*environ, name, n) && (*environ)[n] == '=')
			return str_of(*environ + n + 1);
	return STR("");
}

static struct str either(char *const *environ, const char *lower, const char *upper)
{
	struct str value = variable(environ, lower);
	return value.n ? value : variable(environ, upper);
}

/* Decodes %41. False: a broken escape, a NUL, or no room. */
static bool decode(struct str s, char *to, size_t room)
{
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++) {
		int c = (unsigned char)s.p[i];
		if (c == '%') {
			int high = i + 2 < s.n ? ascii_hex_value(s.p[i + 1]) : -1;
			int low = i + 2 < s.n ? ascii_hex_value(s.p[i + 2]) : -1;
			if (high < 0 || low < 0)
				return false;
			c = high << 4 | low;
			i += 2;
		}
		if (!c || n + 1 >= room)
			return false;
		to[n++] = (char)c;
	}
	to[n] = 0;
	return true;
}

static const struct {
	char scheme[12];
	enum proxy_kind kind;
} schemes[] = {{"http://", PROXY_HTTP}, {"socks5h://", PROXY_SOCKS5}, {"socks5://", PROXY_SOCKS5}};

static enum proxy_kind take_scheme(struct str *rest)
{
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		size_t n = strlen(schemes[i].scheme);
		if (rest->n >= n && str_is_like(str_n(rest->p, n), schemes[i].scheme)) {
			*rest = str_from(*rest, n);
			return schemes[i].kind;
		}
	}
	return str_contains(*rest, STR("://")) ? PROXY_UNUSABLE : PROXY_HTTP;
}

static bool take_user(struct upstream_proxy *p, struct str *rest)
{
	ptrdiff_t at = -1;
	for (size_t i = 0; i < rest->n; i++)
		if (rest->p[i] == '@')
			at = (ptrdiff_t)i; /* the last one: a password may contain others */
	if (at < 0)
		return true;
	struct str login = str_n(rest->p, (size_t)at), password = STR("");
	*rest = str_from(*rest, (size_t)at + 1);
	ptrdiff_t colon = str_find(login, ':', 0);
	if (colon >= 0) {
		password = str_from(login, (size_t)colon + 1);
		login.n = (size_t)colon;
	}
	p->has_user = true;
	return decode(login, p->user, sizeof p->user) && decode(password, p->password, sizeof p->password);
}

/* Splits "host:port" or "[address]:port"; *ret_port stays without one. False: not that form. */
static bool split_port(struct str text, struct str *ret_host, int64_t *ret_port)
{
	struct str host = text, port = STR("");
	bool bracket = text.n && text.p[0] == '[';
	ptrdiff_t end = bracket ? str_find(text, ']', 1) : -1;
	ptrdiff_t colon = str_find(text, ':', end > 0 ? (size_t)end : 0);
	if (bracket && end < 0)
		return false;
	if (colon >= 0) {
		port = str_from(text, (size_t)colon + 1);
		host.n = (size_t)colon;
	}
	if (bracket && host.n != (size_t)end + 1)
		return false;
	*ret_host = bracket ? str_sub(host, 1, (size_t)end) : host;
	return !port.n || num_parse(port, 1, PORT_MAX, ret_port) == 0;
}

static void put_lower(char *to, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		to[i] = (char)(ascii_is_upper(s.p[i]) ? s.p[i] | 0x20 : s.p[i]);
	to[s.n] = 0;
}

static bool parse_proxy(struct str value, struct upstream_proxy *p)
{
	struct str rest = value, host;
	int64_t port = DEFAULT_PORT;
	p->kind = take_scheme(&rest);
	ptrdiff_t slash = str_find(rest, '/', 0);
	if (slash >= 0)
		rest.n = (size_t)slash;
	if (!take_user(p, &rest) || !split_port(rest, &host, &port) || !host.n || host.n > NETWORK_HOST_MAX)
		return false;
	p->port = (uint16_t)port;
	put_lower(p->host, host);
	p->is_address = ip_parse(host, p->ip) == 0;
	return p->is_address || str_is(host, "localhost") || network_name_valid(str_of(p->host));
}

static void read_proxy(struct str value, struct upstream_proxy *ret)
{
	if (value.n && !parse_proxy(value, ret))
		ret->kind = PROXY_UNUSABLE;
}

void upstream_proxies_read(char *const *environ, struct upstream_proxies *ret)
{
	struct str except = either(environ, "no_proxy", "NO_PROXY");
	memset(ret, 0, sizeof *ret);
	/* A web server's gateway sets HTTP_PROXY from a request's header, so nobody may trust it. */
	read_proxy(variable(environ, "http_proxy"), &ret->http);
	read_proxy(either(environ, "https_proxy", "HTTPS_PROXY"), &ret->https);
	read_proxy(either(environ, "all_proxy", "ALL_PROXY"), &ret->all);
	if (except.n < sizeof ret->except)
		memcpy(ret->except, except.p, except.n);
	else
		ret->http.kind = ret->https.kind = ret->all.kind = PROXY_UNUSABLE;
}

/* ---- exceptions ---- */

static bool except_address(struct str pattern, const uint8_t ip[IP_BYTES])
{
	uint8_t net[IP_BYTES];
	int64_t bits = IP_BITS;
	ptrdiff_t slash = str_find(pattern, '/', 0);
	struct str address = slash < 0 ? pattern : str_n(pattern.p, (size_t)slash);
	if (ip_parse(address, net) != 0)
		return false;
	int64_t before = ip_is_mapped(net) ? IP_MAPPED_BITS : 0;
	if (slash >= 0) {
		if (num_parse(str_from(pattern, (size_t)slash + 1), 0, IP_BITS - before, &bits) !=
				0)
			return false;
		bits += before;
	}
	return ip_same_prefix(net, ip, (unsigned)bits);
}

static bool except_name(struct str pattern, struct str host)
{
	if (str_starts(pattern, "*."))
		pattern = str_from(pattern, 1);
	if (pattern.n && pattern.p[0] == '.')
		pattern = str_from(pattern, 1);
	if (pattern.n && pattern.p[pattern.n - 1] == '.')
		pattern.n--;
	if (!pattern.n || host.n < pattern.n)
		return false;
	struct str tail = str_from(host, host.n - pattern.n);
	for (size_t i = 0; i < tail.n; i++)
		if ((pattern.p[i] | (ascii_is_upper(pattern.p[i]) ? 0x20 : 0)) != tail.p[i])
			return false;
	return host.n == pattern.n || host.p[host.n - pattern.n - 1] == '.';
}

static bool except_matches(struct str pattern, struct str host, uint16_t port)
{
	uint8_t ip[IP_BYTES], plain[IP_BYTES];
	struct str name = pattern;
	int64_t only = port;
	if (str_is(pattern, "*"))
		return true;
	if (ip_parse(pattern, plain) != 0 && !split_port(pattern, &name, &only))
		name = pattern;
	if (only != port)
		return false;
	return ip_parse(host, ip) == 0 ? except_address(name, ip) || except_address(pattern, ip)
				       : except_name(name, host);
}

static bool is_excepted(const struct upstream_proxies *p, struct str host, uint16_t port)
{
	struct str rest = str_of(p->except);
	while (rest.n) {
		size_t n = 0;
		while (n < rest.n && rest.p[n] != ',' && !ascii_is_space(rest.p[n]))
			n++;
		if (n && except_matches(str_n(rest.p, n), host, port))
			return true;
		rest = str_from(rest, n + 1);
	}
	return false;
}

const struct upstream_proxy *upstream_proxy_for(
		const struct upstream_proxies *p, struct str host, uint16_t port)
{
	const struct upstream_proxy *found = port == HTTP_PORT ? &p->http : &p->https;
	if (port == SSH_PORT || found->kind == PROXY_NONE)
		found = &p->all;
	return found->kind == PROXY_NONE || is_excepted(p, host, port) ? NULL : found;
}

bool upstream_proxy_forwards(const struct upstream_proxy *p, uint16_t port)
{
	return p->kind == PROXY_HTTP && port == HTTP_PORT;
}

/* ---- the dialogue ---- */

enum { SOCKS_METHOD, SOCKS_LOGIN, SOCKS_CONNECT };
enum { SOCKS_VERSION = 5, SOCKS_PLAIN = 0, SOCKS_PASSWORD = 2, SOCKS_LOGIN_VERSION = 1 };
enum { SOCKS_IPV4 = 1, SOCKS_NAME = 3, SOCKS_IPV6 = 4 };

static void put_bytes(struct proxy_dialogue *d, const void *p, size_t n)
{
	if (n <= sizeof d->words - d->n)
		memcpy(d->words + d->n, p, n);
	d->n += n; /* too much shows as a length beyond the room */
}

static void put_byte(struct proxy_dialogue *d, unsigned byte)
{
	put_bytes(d, &(uint8_t){(uint8_t)byte}, 1);
}

static void put_text(struct proxy_dialogue *d, struct str s)
{
	put_bytes(d, s.p, s.n);
}

static enum proxy_progress say(const struct proxy_dialogue *d)
{
	return d->n <= sizeof d->words ? PROXY_SAY : PROXY_FAILED;
}

/* Returns the header line, or an empty text without a user. */
static struct str authorization(const struct upstream_proxy *p, char *to, size_t room)
{
	char pair[PAIR_MAX], code[AUTH_MAX];
	if (!p->has_user)
		return STR("");
	size_t n = str_put(pair, sizeof pair, "%s:%s", p->user, p->password);
	sodium_bin2base64(code, sizeof code, (const unsigned char *)pair, n, sodium_base64_VARIANT_ORIGINAL);
	n = str_put(to, room, "Proxy-Authorization: Basic %s\r\n", code);
	return str_n(to, n);
}

static void put_connect(struct proxy_dialogue *d)
{
	char target[NETWORK_HOST_MAX + 16], line[AUTH_MAX + 64];
	bool bracket = str_has(d->host, ':');
	str_put(target, sizeof target, "%s%.*s%s:%u", bracket ? "[" : "", STR_ARG(d->host),
			bracket ? "]" : "", d->port);
	put_text(d, STR("CONNECT "));
	put_text(d, str_of(target));
	put_text(d, STR(" HTTP/1.1\r\nHost: "));
	put_text(d, str_of(target));
	put_text(d, STR("\r\n"));
	put_text(d, authorization(d->proxy, line, sizeof line));
	put_text(d, STR("\r\n"));
}

static void put_socks_target(struct proxy_dialogue *d)
{
	uint8_t ip[IP_BYTES];
	put_byte(d, SOCKS_VERSION);
	put_byte(d, 1); /* connect */
	put_byte(d, 0);
	if (ip_parse(d->host, ip) != 0) {
		put_byte(d, SOCKS_NAME);
		put_byte(d, (unsigned)d->host.n);
		put_text(d, d->host);
	} else if (ip_is_mapped(ip)) {
		put_byte(d, SOCKS_IPV4);
		put_bytes(d, ip + IP_MAPPED_BITS / 8, 4);
	} else {
		put_byte(d, SOCKS_IPV6);
		put_bytes(d, ip, IP_BYTES);
	}
	put_byte(d, d->port >> 8);
	put_byte(d, d->port & 0xff);
	d->step = SOCKS_CONNECT;
}

static void put_login(struct proxy_dialogue *d)
{
	put_byte(d, SOCKS_LOGIN_VERSION);
	put_byte(d, (unsigned)strlen(d->proxy->user));
	put_text(d, str_of(d->proxy->user));
	put_byte(d, (unsigned)strlen(d->proxy->password));
	put_text(d, str_of(d->proxy->password));
	d->step = SOCKS_LOGIN;
}

enum proxy_progress proxy_begin(
		struct proxy_dialogue *d, const struct upstream_proxy *proxy, struct str host, uint16_t port)
{
	*d = (struct proxy_dialogue){.proxy = proxy, .host = host, .port = port};
	if (proxy->kind == PROXY_HTTP) {
		put_connect(d);
		return say(d);
	}
	if (proxy->kind != PROXY_SOCKS5 || host.n > NETWORK_HOST_MAX)
		return PROXY_FAILED;
	put_byte(d, SOCKS_VERSION);
	put_byte(d, 1); /* one method */
	put_byte(d, proxy->has_user ? SOCKS_PASSWORD : SOCKS_PLAIN);
	d->step = SOCKS_METHOD;
	return say(d);
}

static enum proxy_progress http_answer(struct str bytes, size_t *ret_used)
{
	for (size_t i = 3; i < bytes.n; i++)
		if (!memcmp(bytes.p + i - 3, "\r\n\r\n", 4)) {
			*ret_used = i + 1;
			bool good = (str_starts(bytes, "HTTP/1.1 2") || str_starts(bytes, "HTTP/1.0 2"));
			return good ? PROXY_OPEN : PROXY_FAILED;
		}
	return bytes.n < PROXY_REPLY_MAX ? PROXY_MORE : PROXY_FAILED;
}

static enum proxy_progress socks_connected(const uint8_t *b, size_t n, size_t *ret_used)
{
	if (n < 5)
		return PROXY_MORE;
	size_t whole = b[3] == SOCKS_IPV4 ? 10 : b[3] == SOCKS_IPV6 ? 22 : (size_t)7 + b[4];
	if (b[0] != SOCKS_VERSION || b[1] != 0)
		return PROXY_FAILED;
	if (n < whole)
		return PROXY_MORE;
	*ret_used = whole;
	return PROXY_OPEN;
}

static enum proxy_progress socks_answer(struct proxy_dialogue *d, struct str bytes, size_t *ret_used)
{
	const uint8_t *b = (const uint8_t *)bytes.p;
	unsigned method = d->proxy->has_user ? SOCKS_PASSWORD : SOCKS_PLAIN;
	if (d->step == SOCKS_CONNECT)
		return socks_connected(b, bytes.n, ret_used);
	if (bytes.n < 2)
		return PROXY_MORE;
	*ret_used = 2;
	d->n = 0;
	if (d->step == SOCKS_METHOD && b[0] == SOCKS_VERSION && b[1] == method) {
		if (method == SOCKS_PASSWORD)
			put_login(d);
		else
			put_socks_target(d);
		return say(d);
	}
	if (d->step == SOCKS_LOGIN && b[1] == 0) {
		put_socks_target(d);
		return say(d);
	}
	return PROXY_FAILED;
}

enum proxy_progress proxy_answer(struct proxy_dialogue *d, struct str bytes, size_t *ret_used)
{
	*ret_used = 0;
	return d->proxy->kind == PROXY_HTTP ? http_answer(bytes, ret_used) : socks_answer(d, bytes, ret_used);
}

/* ---- absolute form ---- */

struct head_writer {
	char *to;
	size_t n, room;
	bool full;
};

static void put_part(struct head_writer *w, struct str s)
{
	w->full = w->full || s.n > w->room - w->n;
	if (w->full)
		return;
	memcpy(w->to + w->n, s.p, s.n);
	w->n += s.n;
}

static void put_target(struct head_writer *w, struct str host)
{
	bool bracket = str_has(host, ':');
	put_part(w, bracket ? STR("http://[") : STR("http://"));
	put_part(w, host);
	put_part(w, bracket ? STR("]") : STR(""));
}

static bool is_for_proxy(struct str line)
{
	return str_is_like(str_first(line, 6), "proxy-") || str_is_like(str_first(line, 6), "proxy_");
}

/* Writes the fields up to the empty line, and all that follows it. */
static void put_fields(struct head_writer *w, struct str rest)
{
	ptrdiff_t end;
	while ((end = str_find(rest, '\n', 0)) > 1) {
		struct str line = str_first(rest, (size_t)end + 1);
		if (!is_for_proxy(line))
			put_part(w, line);
		rest = str_from(rest, line.n);
	}
	put_part(w, rest);
}

size_t proxy_absolute_form(
		const struct upstream_proxy *p, struct str host, struct str head, char *to, size_t room)
{
	char line[AUTH_MAX + 64];
	struct head_writer w = {.to = to, .room = room};
	ptrdiff_t space = str_find(head, ' ', 0), end = str_find(head, '\n', 0);
	if (space < 0 || end < space)
		return 0;
	size_t method = (size_t)space + 1, rest = (size_t)end + 1;
	struct str target = str_sub(head, method, rest);
	bool star = str_starts(target, "* "); /* the proxy would answer for itself */
	put_part(&w, str_first(head, method));
	if (star || str_starts(target, "/"))
		put_target(&w, host);
	put_part(&w, str_from(target, star));
	put_part(&w, authorization(p, line, sizeof line));
	put_fields(&w, str_from(head, rest));
	return w.full ? 0 : w.n;
}
