/* Shapes of secrets that are more than runs of characters: passwords in URLs, and private keys in PEM. */
#define _GNU_SOURCE
#include "result/redact_table.h"

#define BASE64 "A-Za-z0-9+/="

#define URL_USER_MAX 128
#define URL_PASSWORD_MAX 512
#define PEM_LABEL_MAX 64
#define URL_TOKEN_MIN 16 /* bytes of a user that is a token */
#define PEM_WORD_MIN 32 /* minimum letters of a key's line in a command; a shorter last line stays visible */

bool redact_in_set(const char *set, char c)
{
	for (; *set; set++) {
		if (set[1] == '-' && set[2]) {
			if (c >= set[0] && c <= set[2])
				return true;
			set += 2;
		} else if (c == *set) {
			return true;
		}
	}
	return false;
}

/* Counts bytes of the set from `at` on, up to `most`. */
size_t redact_run(struct str s, size_t at, const char *set, size_t most)
{
	size_t n = 0;

	while (n < most && at + n < s.n && redact_in_set(set, s.p[at + n]))
		n++;
	return n;
}

static bool ends_url(const struct candidate *c, size_t at)
{
	char x = c->text.p[at];

	return (unsigned char)x <= ' ' || strchr("\"'<>`()", x) || (c->command && strchr(";|&$\\{}", x));
}

/* The last @ of the word that may end a password: one with @ or / in it is replaced as a whole. */
static enum found find_at_sign(const struct candidate *c, size_t from, size_t *ret)
{
	size_t at = from, port = redact_run(c->text, from, "0-9", URL_PASSWORD_MAX), slash = 0;

	*ret = 0;
	for (; at < c->text.n && at - from < URL_PASSWORD_MAX && !ends_url(c, at); at++) {
		if (c->text.p[at] == '/' && (*ret || at == from + port))
			break; /* the path, or the end of a port */
		slash = c->text.p[at] == '/' ? at : slash;
		if (c->text.p[at] == '?' && slash)
			break;
		if (c->text.p[at] == '@')
			*ret = at;
	}
	if (candidate_open(c, at) && at - from < URL_PASSWORD_MAX)
		return FOUND_MORE;
	return *ret ? FOUND_YES : FOUND_NO;
}

/* A variable, a row of stars or a word like "password" is no secret. */
static bool is_hidden_already(struct str s)
{
	return !s.n || strchr("$*{[%", s.p[0]) || redact_placeholder(s);
}

/* ://user:password@host, ://token@host, ://token:x-oauth-basic@host */
enum found redact_url(const struct candidate *c, struct match *ret)
{
	size_t start = strlen("://"), at = start, end = 0;
	struct str user;
	enum found f;

	for (; at < c->text.n && at < URL_USER_MAX && c->text.p[at] != ':' && c->text.p[at] != '@'; at++)
		if (ends_url(c, at) || c->text.p[at] == '/')
			return FOUND_NO;
	if (candidate_open(c, at) && at < URL_USER_MAX)
		return FOUND_MORE;
	if (at >= c->text.n || at >= URL_USER_MAX)
		return FOUND_NO;
	user = str_sub(c->text, start, at);
	if (c->text.p[at] == ':') {
		f = find_at_sign(c, at + 1, &end);
		if (f != FOUND_YES)
			return f;
		if (!str_is(str_sub(c->text, at + 1, end), "x-oauth-basic") && end > at + 1) {
			ret->from = at + 1;
			ret->to = end;
			return is_hidden_already(str_sub(c->text, at + 1, end)) ? FOUND_NO : FOUND_YES;
		}
	}
	ret->from = start;
	ret->to = at;
	return user.n >= URL_TOKEN_MIN && !is_hidden_already(user) && redact_random(user) ? FOUND_YES :
			FOUND_NO;
}

/* True for a word of key material: long, with upper case, lower case and digits, unlike names of commands. */
static bool pem_word(struct str s)
{
	return s.n >= PEM_WORD_MIN && redact_has(s, FORM_MIXED);
}

/* Skips blanks and line ends between two words of a key, also as JSON and echo escape them. */
static size_t pem_gap(struct str s, size_t at)
{
	size_t from = at;

	for (size_t n = 1; n; at += n)
		n = str_starts(str_sub(s, at, s.n), "\\n") ? 2 : redact_run(s, at, " \t\r\n", 1);
	return at - from;
}

/*
 * A key in a command that a person decides about. The marks prove nothing, since a shell may run the text
 * between them. Replaces only words of key material just after the first mark, and the end mark if it follows
 * them.
 */
static enum found match_pem_words(struct str s, size_t body, size_t *ret_from, size_t *ret_to)
{
	size_t at = body, to = 0, n = 0;

	for (;; to = at + n, at = to) {
		at += pem_gap(s, at);
		n = redact_run(s, at, BASE64, s.n - at);
		if (!pem_word(str_sub(s, at, at + n)))
			break;
	}
	if (!to)
		return FOUND_NO;
	if (str_starts(str_sub(s, at, s.n), "-----END ")) {
		at += strlen("-----END ");
		at += redact_run(s, at, "A-Z0-9 ", PEM_LABEL_MAX);
		to = str_starts(str_sub(s, at, s.n), "-----") ? at + strlen("-----") : to;
	}
	*ret_from = 0;
	*ret_to = to;
	return FOUND_YES;
}

/* Returns the length of a line break, also as JSON writes it. */
static size_t pem_newline(struct str s, size_t at)
{
	at += at < s.n && s.p[at] == '\r';
	return str_starts(str_sub(s, at, s.n), "\\n") ? 2 : at < s.n && s.p[at] == '\n' ? 1 : 0;
}

/*
 * True if the text between the marks is a key: headers, then lines of one length with a shorter last line.
 * Other lines between them are output, and stay. Without `whole`: true if more lines can make it a key.
 */
static bool pem_is_key(struct str s, bool whole)
{
	size_t width = 0, lines = 0, last = 0;

	for (size_t at = 0; at < s.n;) {
		size_t from, n;

		at += redact_run(s, at, " \t\r\n", s.n - at);
		if (str_starts(str_sub(s, at, s.n), "\\n") || str_starts(str_sub(s, at, s.n), "\\r")) {
			at += 2;
			continue;
		}
		from = at;
		n = redact_run(s, at, "A-Za-z0-9+/=", s.n - at);
		at += n;
		if (!lines && at < s.n && (s.p[at] == ':' || s.p[at] == '-')) { /* Proc-Type: 4,ENCRYPTED */
			while (at < s.n && !pem_newline(s, at))
				at++;
			if (at - from > PEM_LABEL_MAX * 2)
				return false;
			continue;
		}
		if (!n && from < s.n)
			return false;
		if (!n)
			break;
		if (at < s.n && !pem_newline(s, at) && !strchr(" \t", s.p[at]))
			return false;
		if (lines && (last != width || n > width))
			return false;
		width = lines ? width : n;
		last = n;
		lines++;
	}
	return lines < 2 ? lines || !whole : width >= PEM_WORD_MIN;
}

/* Returns the place after headers such as Proc-Type: 4,ENCRYPTED. */
static size_t pem_headers(struct str s, size_t at)
{
	for (;;) {
		size_t from = at + pem_gap(s, at), n = redact_run(s, from, "A-Za-z-", PEM_LABEL_MAX);
		const char *nl = memchr(s.p + from, '\n', s.n - from);

		if (!n || !nl || !str_starts(str_sub(s, from + n, s.n), ": "))
			return at;
		at = (size_t)(nl - s.p);
	}
}

/* True if the complete lines so far can belong to a key. */
static bool pem_goes_on(struct str s, size_t body)
{
	const char *last = body < s.n ? memrchr(s.p + body, '\n', s.n - body) : NULL;

	return !last || pem_is_key(str_sub(s, body, (size_t)(last - s.p)), false);
}

/* -----BEGIN ... PRIVATE KEY----- to its END; without an end, only words of key material. */
enum found redact_pem(const struct candidate *c, struct match *ret)
{
	struct str s = str_sub(c->text, 0, REDACT_MATCH_MAX);
	bool more = c->more && c->text.n < REDACT_MATCH_MAX;
	size_t at = strlen("-----BEGIN "), label = redact_run(s, at, "A-Z0-9 ", PEM_LABEL_MAX),
			body = at + label + strlen("-----"), end;
	const char *next;

	if (more && body > s.n)
		return FOUND_MORE;
	if (!str_starts(str_sub(s, at + label, s.n), "-----") || !str_contains(str_sub(s, at, at + label),
			STR("PRIVATE KEY")))
		return FOUND_NO;
	if (c->command)
		return match_pem_words(s, body, &ret->from, &ret->to);
	next = memmem(s.p + body, s.n - body, "-----", strlen("-----"));
	if (more && (!next || s.n - (size_t)(next - s.p) < strlen("-----END ")) && pem_goes_on(s, body))
		return FOUND_MORE;
	end = next ? (size_t)(next - s.p) : s.n;
	if (!str_starts(str_sub(s, end, s.n), "-----END ") || !pem_is_key(str_sub(s, body, end), true))
		return match_pem_words(s, pem_headers(s, body), &ret->from, &ret->to);
	end += strlen("-----END ");
	end += redact_run(s, end, "A-Z0-9 ", PEM_LABEL_MAX);
	if (more && end + strlen("-----") > s.n)
		return FOUND_MORE;
	ret->from = 0;
	ret->to = str_starts(str_sub(s, end, s.n), "-----") ? end + strlen("-----") : end;
	return FOUND_YES;
}
