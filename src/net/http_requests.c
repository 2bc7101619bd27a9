/* HTTP/1.x requests: blocks, heads, fields. The table of fields holds those that decide framing or routing.
 */
#include "net/http_requests.h"

#include "base/num.h"

#define METHOD_MAX 32
#define CHUNK_DIGITS_MAX 8
#define CHUNK_MAX 0x7fffffff /* larger sizes overflow in some servers */

struct http_head {
	struct http_requests *h;
	bool http11, trailer;
	bool has_host, has_length, chunked, upgrade;
	uint64_t length;
};

/* ---- characters ---- */

/* Decimal without sign or leading zeros, which some servers read as octal. */
static int parse_decimal(struct str s, int64_t max, int64_t *ret)
{
	if (!str_is_digits(s) || (s.n > 1 && s.p[0] == '0'))
		return -1;
	return num_parse(s, 0, max, ret);
}

/* ---- the host ---- */

static bool same_host(struct str got, struct str host)
{
	uint8_t x[IP_BYTES], y[IP_BYTES];
	bool brackets = got.n >= 2 && got.p[0] == '[' && got.p[got.n - 1] == ']';

	if (ip_parse(host, y) == 0) {
		if (brackets)
			got = str_sub(got, 1, got.n - 1);
		return ip_is_mapped(y) != brackets && ip_parse(got, x) == 0 && memcmp(x, y, IP_BYTES) == 0;
	}
	if (got.n == host.n + 1 && str_ends(got, "."))
		got.n--;
	if (got.n != host.n)
		return false;
	for (size_t i = 0; i < got.n; i++)
		if (ascii_to_lower(got.p[i]) != host.p[i])
			return false;
	return got.n > 0;
}

static void note_other(struct http_requests *h, struct str got)
{
	if (!network_name_valid(got))
		return;
	memcpy(h->other, got.p, got.n);
	h->other[got.n] = 0;
}

/* "host" or "host:port" of a Host field or a target. */
static enum network_refusal check_authority(struct http_requests *h, struct str authority)
{
	struct str host = authority;
	ptrdiff_t colon = -1;

	for (size_t i = 0; i < authority.n; i++)
		if (authority.p[i] == ':')
			colon = (ptrdiff_t)i;
	bool in_brackets = colon >= 0 && str_find(authority, ']', (size_t)colon) >= 0;
	if (colon >= 0 && !in_brackets) {
		int64_t port;
		struct str digits = str_from(authority, (size_t)colon + 1);
		if (parse_decimal(digits, UINT16_MAX, &port) != 0 || port != h->port)
			return NETWORK_OTHER_HOST;
		host = str_first(authority, (size_t)colon);
	}
	if (same_host(host, h->host))
		return NETWORK_NOT_REFUSED;
	note_other(h, host);
	return NETWORK_OTHER_HOST;
}

/* ---- fields ---- */

static enum network_refusal take_host(struct http_head *head, struct str value)
{
	if (head->has_host)
		return NETWORK_BAD_HTTP;
	head->has_host = true;
	return check_authority(head->h, value);
}

static enum network_refusal take_length(struct http_head *head, struct str value)
{
	int64_t n;

	if (head->has_length || parse_decimal(value, INT64_MAX - HTTP_HEAD_MAX, &n) != 0)
		return NETWORK_BAD_HTTP;
	head->has_length = true;
	head->length = (uint64_t)n;
	return NETWORK_NOT_REFUSED;
}

static enum network_refusal take_encoding(struct http_head *head, struct str value)
{
	if (head->chunked || !head->http11 || !str_is_like(value, "chunked"))
		return NETWORK_BAD_HTTP;
	head->chunked = true;
	return NETWORK_NOT_REFUSED;
}

static enum network_refusal take_upgrade(struct http_head *head, struct str value)
{
	if (head->upgrade || !head->http11 || head->h->later || !str_is_like(value, "websocket"))
		return NETWORK_BAD_HTTP;
	head->upgrade = true;
	return NETWORK_NOT_REFUSED;
}

static enum network_refusal take_expect(struct http_head *head, struct str value)
{
	(void)head;
	return str_is_like(value, "100-continue") ? NETWORK_NOT_REFUSED : NETWORK_BAD_HTTP;
}

static enum network_refusal take_none(struct http_head *head, struct str value)
{
	(void)head;
	(void)value;
	return NETWORK_BAD_HTTP;
}

static enum network_refusal take_connection(struct http_head *head, struct str value);

/* Fields that decide framing or routing. A trailer has none of them. */
static const struct {
	char name[20];
	enum network_refusal (*take)(struct http_head *head, struct str value);
} fields[] = {
		{"host", take_host},
		{"content-length", take_length},
		{"transfer-encoding", take_encoding},
		{"connection", take_connection},
		{"upgrade", take_upgrade},
		{"expect", take_expect},
		{"http2-settings", take_none},
};

/* The row of a field, also of one that a server could take for it: "Content_Length". -1: none. */
static int find_field(struct str name)
{
	char like[20];

	if (name.n >= sizeof(like))
		return -1;
	for (size_t i = 0; i < name.n; i++)
		like[i] = (char)(name.p[i] == '_' ? '-' : name.p[i]);
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (str_is_like(str_n(like, name.n), fields[i].name))
			return (int)i;
	return -1;
}

/* A proxy in front of the server removes the fields that are named here. */
static enum network_refusal take_connection(struct http_head *head, struct str value)
{
	(void)head;
	for (size_t at = 0; at <= value.n;) {
		size_t end = str_end(value, ',', at);
		struct str token = str_trim(str_sub(value, at, end), " \t");
		if (find_field(token) >= 0 && !str_is_like(token, "upgrade"))
			return NETWORK_BAD_HTTP;
		at = end + 1;
	}
	return NETWORK_NOT_REFUSED;
}

static enum network_refusal read_field(struct http_head *head, struct str line)
{
	ptrdiff_t colon = str_find(line, ':', 0);
	struct str name = str_first(line, colon < 0 ? 0 : (size_t)colon);

	if (!str_is_alnum_or(name, HTTP_TOKEN_MARKS)) /* no colon, a blank before it, or a folded line */
		return NETWORK_BAD_HTTP;
	int row = find_field(name);
	if (row < 0)
		return NETWORK_NOT_REFUSED;
	if (head->trailer || !str_is_like(name, fields[row].name))
		return NETWORK_BAD_HTTP;
	return fields[row].take(head, str_trim(str_from(line, (size_t)colon + 1), " \t"));
}

/* ---- the request line ---- */

static enum network_refusal check_target(struct http_requests *h, struct str method, struct str target)
{
	for (size_t i = 0; i < target.n; i++)
		if (ascii_is_space(target.p[i]))
			return NETWORK_BAD_HTTP;
	if (str_starts(target, "/"))
		return NETWORK_NOT_REFUSED;
	if (str_is(target, "*"))
		return str_is(method, "OPTIONS") ? NETWORK_NOT_REFUSED : NETWORK_BAD_HTTP;
	if (target.n < 8 || !str_is_like(str_first(target, 7), "http://"))
		return NETWORK_BAD_HTTP;
	size_t end = 7;
	while (end < target.n && !strchr("/?#", target.p[end]))
		end++;
	/* "http://host?@other/": some reader may look for the host in front of the first slash */
	for (size_t i = end; i < target.n && target.p[i] != '/'; i++)
		if (target.p[i] == '@' || target.p[i] == '#')
			return NETWORK_BAD_HTTP;
	return check_authority(h, str_sub(target, 7, end));
}

/* CONNECT opens a tunnel. TRACE sends the request back, with the authorization for this machine's proxy. */
static bool method_refused(struct str method)
{
	return str_is_like(method, "CONNECT") || str_is_like(method, "TRACE") || str_is_like(method, "TRACK");
}

static enum network_refusal read_request_line(struct http_head *head, struct str line)
{
	ptrdiff_t first = str_find(line, ' ', 0);
	ptrdiff_t second = first < 0 ? -1 : str_find(line, ' ', (size_t)first + 1);

	if (second < 0)
		return NETWORK_BAD_HTTP;
	struct str method = str_first(line, (size_t)first);
	struct str target = str_sub(line, (size_t)first + 1, (size_t)second);
	struct str version = str_from(line, (size_t)second + 1);
	head->http11 = str_is(version, "HTTP/1.1");
	if (!head->http11 && !str_is(version, "HTTP/1.0"))
		return NETWORK_BAD_HTTP;
	if (!str_is_alnum_or(method, HTTP_TOKEN_MARKS) || method.n > METHOD_MAX || method_refused(method))
		return NETWORK_BAD_HTTP;
	return check_target(head->h, method, target);
}

/* ---- blocks ---- */

/* Control characters, bare CR and bare LF have no place in a head. `last` is the character before, 0 at
 * first. */
static bool char_valid(char last, char c)
{
	if ((c == '\n') != (last == '\r'))
		return false;
	return (unsigned char)c >= 0x20 ? c != 0x7f : c == '\t' || c == '\r' || c == '\n';
}

enum block_state { BLOCK_MORE, BLOCK_WHOLE, BLOCK_BAD };

/* Finds the empty line that ends a head or trailer. */
static enum block_state find_end(struct http_requests *h, struct str s, size_t *ret_n)
{
	size_t max = s.n < HTTP_HEAD_MAX ? s.n : HTTP_HEAD_MAX;

	for (size_t i = h->scanned; i < max; i++) {
		if (!char_valid(i ? s.p[i - 1] : 0, s.p[i]))
			return BLOCK_BAD;
		if (s.p[i] == '\n' && i >= 3 && s.p[i - 2] == '\n') {
			h->scanned = 0;
			*ret_n = i + 1;
			return BLOCK_WHOLE;
		}
	}
	h->scanned = max;
	return max == HTTP_HEAD_MAX ? BLOCK_BAD : BLOCK_MORE;
}

/* Reads the lines of a complete block. */
static enum network_refusal read_lines(struct http_head *head, struct str block)
{
	bool request_line = !head->trailer;

	for (size_t at = 0; at < block.n - 2;) {
		size_t end = (size_t)str_find(block, '\r', at);
		struct str line = str_sub(block, at, end);
		enum network_refusal refusal =
				request_line ? read_request_line(head, line) : read_field(head, line);
		if (refusal != NETWORK_NOT_REFUSED)
			return refusal;
		request_line = false;
		at = end + 2;
	}
	return NETWORK_NOT_REFUSED;
}

static enum http_step refuse(struct http_requests *h, enum network_refusal refusal)
{
	h->state = HTTP_FAILED;
	h->refusal = refusal;
	return HTTP_REFUSED;
}

static enum http_step pass(struct http_requests *h, enum http_state next, uint64_t n, uint64_t *ret_pass)
{
	h->state = next;
	*ret_pass = n;
	return HTTP_PASS;
}

/*
 * Refuses a line that is no request line before the rest of the head is there: a program that speaks another
 * protocol waits for the answer to its first line.
 */
static enum network_refusal check_first_line(struct http_requests *h, struct str s)
{
	struct http_head head = {.h = h};
	ptrdiff_t end = str_find(s, '\n', h->scanned);
	size_t n;

	if (end < 0 || str_find(s, '\n', 0) != end)
		return NETWORK_NOT_REFUSED;
	if (find_end(h, str_first(s, (size_t)end + 1), &n) == BLOCK_BAD)
		return NETWORK_BAD_HTTP;
	return read_request_line(&head, str_first(s, (size_t)end - 1));
}

static enum http_step next_head(struct http_requests *h, struct str s, uint64_t *ret_pass)
{
	struct http_head head = {.h = h};
	size_t n = 0;

	enum network_refusal refusal = check_first_line(h, s);
	if (refusal != NETWORK_NOT_REFUSED)
		return refuse(h, refusal);
	switch (find_end(h, s, &n)) {
	case BLOCK_MORE: return HTTP_MORE;
	case BLOCK_BAD: return refuse(h, NETWORK_BAD_HTTP);
	case BLOCK_WHOLE: break;
	}
	refusal = read_lines(&head, str_first(s, n));
	if (refusal != NETWORK_NOT_REFUSED)
		return refuse(h, refusal);
	bool body = head.chunked || head.length;
	if (!head.has_host || (head.chunked && head.has_length) || (head.upgrade && body))
		return refuse(h, NETWORK_BAD_HTTP);
	h->later = true;
	if (head.upgrade)
		return pass(h, HTTP_AT_UPGRADE, n, ret_pass);
	return pass(h, head.chunked ? HTTP_AT_CHUNK : HTTP_AT_HEAD, n + head.length, ret_pass);
}

/* The line with a chunk's size: hex digits and nothing else. */
static enum http_step next_chunk(struct http_requests *h, struct str s, uint64_t *ret_pass)
{
	uint64_t size = 0;
	size_t digits = 0;

	while (digits < s.n && ascii_hex_value(s.p[digits]) >= 0 && digits <= CHUNK_DIGITS_MAX)
		size = size * 16 + (uint64_t)ascii_hex_value(s.p[digits++]);
	struct str rest = str_sub(s, digits, digits + 2);
	if (digits > CHUNK_DIGITS_MAX || size > CHUNK_MAX || (rest.n && digits == 0))
		return refuse(h, NETWORK_BAD_HTTP);
	if (memcmp(rest.p, "\r\n", rest.n) != 0)
		return refuse(h, NETWORK_BAD_HTTP);
	if (rest.n < 2)
		return HTTP_MORE;
	if (size == 0)
		return pass(h, HTTP_AT_TRAILER, digits + 2, ret_pass);
	return pass(h, HTTP_AT_CHUNK_END, digits + 2 + size, ret_pass);
}

static enum http_step next_line_end(
		struct http_requests *h, struct str s, enum http_state next, uint64_t *ret_pass)
{
	size_t n = s.n < 2 ? s.n : 2;

	if (memcmp(s.p, "\r\n", n) != 0)
		return refuse(h, NETWORK_BAD_HTTP);
	return n < 2 ? HTTP_MORE : pass(h, next, 2, ret_pass);
}

static enum http_step next_trailer(struct http_requests *h, struct str s, uint64_t *ret_pass)
{
	struct http_head head = {.h = h, .trailer = true};
	size_t n = 0;

	if (s.p[0] == '\r')
		return next_line_end(h, s, HTTP_AT_HEAD, ret_pass);
	switch (find_end(h, s, &n)) {
	case BLOCK_MORE: return HTTP_MORE;
	case BLOCK_BAD: return refuse(h, NETWORK_BAD_HTTP);
	case BLOCK_WHOLE: break;
	}
	enum network_refusal refusal = read_lines(&head, str_first(s, n));
	return refusal != NETWORK_NOT_REFUSED ? refuse(h, refusal) : pass(h, HTTP_AT_HEAD, n, ret_pass);
}

void http_requests_init(struct http_requests *h, struct str host, uint16_t port)
{
	*h = (struct http_requests){.host = host, .port = port};
}

enum http_step http_requests_next(struct http_requests *h, const uint8_t *p, size_t n, uint64_t *ret_pass)
{
	struct str s = str_n((const char *)p, n);

	if (n == 0 && h->state <= HTTP_AT_TRAILER)
		return HTTP_MORE;
	switch (h->state) {
	case HTTP_AT_HEAD: return next_head(h, s, ret_pass);
	case HTTP_AT_CHUNK: return next_chunk(h, s, ret_pass);
	case HTTP_AT_CHUNK_END: return next_line_end(h, s, HTTP_AT_CHUNK, ret_pass);
	case HTTP_AT_TRAILER: return next_trailer(h, s, ret_pass);
	case HTTP_AT_UPGRADE: return HTTP_WAIT;
	case HTTP_IN_TUNNEL: return pass(h, HTTP_IN_TUNNEL, UINT64_MAX, ret_pass);
	case HTTP_FAILED: break;
	}
	return HTTP_REFUSED;
}

void http_requests_answered(struct http_requests *h, bool switched)
{
	if (h->state == HTTP_AT_UPGRADE)
		h->state = switched ? HTTP_IN_TUNNEL : HTTP_AT_HEAD;
}

#define STATUS_START "HTTP/1."
#define STATUS_BYTES 12 /* "HTTP/1.1 101" */

/* Length of the head at the start of s, 0 if its end is not there. */
static size_t head_length(struct str s)
{
	for (size_t i = 0; i + 4 <= s.n; i++)
		if (memcmp(s.p + i, "\r\n\r\n", 4) == 0)
			return i + 4;
	return 0;
}

enum http_answer http_answer_read(const uint8_t *p, size_t n)
{
	struct str s = str_n((const char *)p, n < HTTP_HEAD_MAX ? n : HTTP_HEAD_MAX);

	while (s.n >= STATUS_BYTES) {
		if (!str_starts(s, STATUS_START) || s.p[8] != ' ' || s.p[9] != '1')
			return HTTP_ANSWER_OTHER;
		if (str_eq(str_sub(s, 9, STATUS_BYTES), STR("101")))
			return HTTP_ANSWER_SWITCHED;
		size_t interim = head_length(s);
		if (interim == 0)
			break;
		s = str_from(s, interim);
	}
	return n < HTTP_HEAD_MAX ? HTTP_ANSWER_MORE : HTTP_ANSWER_OTHER;
}
