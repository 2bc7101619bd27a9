/* See first_words.h. */
#include "net/first_words.h"

#include "net/client_hello.h"
#include "net/http_requests.h"

#define FIRST_LINE_MAX 8192

/* Characters at which some server splits a request line; Python's splits Latin-1 text at any white space. */
static bool is_blank(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n') || (c >= 0x1c && c <= 0x1f) || c == 0x85 ||
	       c == 0xa0;
}

static bool ends_like(struct str s, const char *end)
{
	size_t n = strlen(end);
	return s.n >= n && str_is_like(str_from(s, s.n - n), end);
}

/*
 * True if the line shows with this character that it is a request: "HTTP/", as every request line of HTTP/1
 * and the preface of HTTP/2 has it, or a URL as the second word, as in HTTP/0.9.
 */
static bool shows_http(struct str before, char c, size_t word)
{
	if (c == '/')
		return ends_like(before, "http");
	return c == ':' && word == 1 && (ends_like(before, "http") || ends_like(before, "https"));
}

/*
 * True for a method with a blank behind it. Methods have no digits, other than the first words of ssh and
 * git. Lower case is a method only in front of a target's first character: memcached's commands are in lower
 * case. `rest` starts with the blank.
 */
static bool has_method(struct str word, struct str rest)
{
	bool lower = true;
	for (size_t i = 0; i < word.n; i++) {
		if (!ascii_is_letter(word.p[i]) && word.p[i] != '-' && word.p[i] != '_')
			return false;
		lower = lower && !ascii_is_upper(word.p[i]);
	}
	if (rest.p[0] == '\r')
		return rest.n > 1 && rest.p[1] != '\n'; /* a bare CR */
	if (!lower || rest.p[0] != ' ')
		return true;
	return rest.n > 1 && (is_blank((uint8_t)rest.p[1]) || memchr("\n/*", rest.p[1], 3));
}

/*
 * Reads the first line, which ends with LF; a request also ends with a bare CR, as for some servers. Bytes
 * that no method has decide at once, and so does a first word that is far too long for one. Behind the first
 * word any byte may come: some servers accept it.
 */
static enum relay_speech read_line(struct str s, bool ended, bool server_first)
{
	size_t i = 0, word = 0;
	bool http = false;
	while (i < s.n && ascii_is_alnum_or(s.p[i], HTTP_TOKEN_MARKS))
		i++;
	bool blank = i < s.n && is_blank((uint8_t)s.p[i]);
	if (i < s.n && s.p[i] != '\n' && !blank)
		return RELAY_RAW;
	if (blank && !server_first && has_method(str_first(s, i), str_from(s, i)))
		return RELAY_HTTP;
	for (; i < s.n && s.p[i] != '\n'; i++) {
		if (http && s.p[i] == '\r')
			return RELAY_HTTP;
		http |= shows_http(str_first(s, i), s.p[i], word);
		word += is_blank((uint8_t)s.p[i]) && !is_blank((uint8_t)s.p[i - 1]);
	}
	if (i < s.n || ended)
		return http ? RELAY_HTTP : RELAY_RAW;
	if (i < FIRST_LINE_MAX)
		return RELAY_UNDECIDED;
	return word ? RELAY_HTTP : RELAY_RAW; /* HTTP refuses it for its length */
}

enum relay_speech first_words_read(const uint8_t *p, size_t n, bool ended, bool server_first)
{
	size_t start = 0;
	bool empty_line = false;
	switch (client_hello_begins(p, n)) {
	case CLIENT_HELLO_BEGUN: return RELAY_TLS;
	case CLIENT_HELLO_UNCERTAIN: return ended ? RELAY_RAW : RELAY_UNDECIDED;
	case CLIENT_HELLO_OTHER: break;
	}
	for (; start < n && (is_blank(p[start]) || p[start] == '\n'); start++)
		empty_line |= p[start] == '\r' || p[start] == '\n';
	/* Servers skip empty lines in front of a request, and the PROXY protocol starts with some. */
	if (empty_line && start < n)
		return RELAY_HTTP;
	return read_line(str_n((const char *)p + start, n - start), ended, server_first);
}
