/* See registry_hosts.h. Pure. */
#include "run/registry_hosts.h"

#include "base/glob.h"
#include "base/json.h"
#include "base/num.h"
#include "model/network.h"

#define JSON_DEPTH 16
#define KEY_MAX 512       /* longer keys match no pattern */
#define PREFIX_MAX 4096   /* bytes of a line, or of blanks, that are searched for the key of an address */

struct host_search {
	struct arena *a;
	const struct registry_text *t;
	struct texts **list;
	size_t n;
};

static void add_host(struct host_search *s, struct str host)
{
	if (!texts_have(*s->list, host) && s->n++ < REGISTRY_HOSTS_MAX)
		texts_add(s->a, s->list, str_dup(s->a, host));
}

/* ---- keys ---- */

bool registry_key_counts(struct str patterns, struct str key)
{
	struct str word;
	bool yes = false;

	if (key.n > KEY_MAX)
		return false;
	while ((word = str_word(&patterns)).n) {
		if (str_starts(word, "!") && glob_name(str_from(word, 1), key))
			return false;
		yes |= glob_name(word, key);
	}
	return yes;
}

struct str registry_key(struct str line)
{
	ptrdiff_t end = str_find(line, '=', 0);

	for (size_t i = 0; end < 0 && i < line.n; i++)
		if (line.p[i] == ':' && !str_starts(str_from(line, i), "://"))
			end = (ptrdiff_t)i;
	return end < 0 ? STR("") : str_trim(str_first(line, (size_t)end), " \t\"'[]{");
}

/* ---- addresses ---- */

static bool is_host_char(char c) { return ascii_is_alnum(c) || c == '.' || c == '-' || c == '_'; }

/* The length of the host at the beginning of s; 0: none. */
static size_t host_length(struct str s)
{
	size_t n = 0;

	if (str_starts(s, "[")) {
		ptrdiff_t end = str_find(s, ']', 0);

		return end < 0 ? 0 : (size_t)end + 1;
	}
	while (n < s.n && is_host_char(s.p[n]))
		n++;
	return n;
}

/* The authority ends before a slash; user and password end at its last '@'. */
static size_t authority_end(struct str s)
{
	size_t end = 0;

	while (end < s.n && !strchr("/?#\\ \t\r\n<", s.p[end])) /* also ends at NUL */
		end++;
	return end;
}

size_t registry_userinfo(struct str after)
{
	size_t from = 0, end = authority_end(after);

	for (size_t i = 0; i < end; i++)
		if (after.p[i] == '@')
			from = i + 1;
	return from;
}

/*
 * Takes HOST or HOST:PORT from the text after "://". Refuses a host with anything unknown in it, such as a
 * variable or an escape: it would be another host.
 */
static void take_address(struct host_search *s, struct str rest)
{
	struct str authority = str_sub(rest, registry_userinfo(rest), authority_end(rest));
	size_t host = host_length(authority), end = host;
	int64_t port;

	if (!host || host > NETWORK_HOST_MAX)
		return;
	if (end < authority.n && authority.p[end] == ':') {
		for (end++; end < authority.n && ascii_is_digit(authority.p[end]);)
			end++;
		if (num_parse(str_sub(authority, host + 1, end), 1, UINT16_MAX, &port) != 0)
			return;
	}
	if (end < authority.n && !strchr(",;|'\")]}>", authority.p[end]))
		return;
	add_host(s, str_first(authority, end));
}

/* True if the "://" at this place follows "http" or "https"; *ret_start is where that begins. */
static bool is_web(struct str text, size_t at, size_t *ret_start)
{
	size_t start = at;

	while (start && ascii_is_letter(text.p[start - 1]))
		start--;
	if (start && text.p[start - 1] == '\\') /* pip prints a list as 'https://...\nhttps://...' */
		start++;
	*ret_start = start;
	text = str_sub(text, start, at);
	return str_like_any(text, "http https");
}

/* The next "://" at or after `from`, or -1. */
static ptrdiff_t next_address(struct str text, size_t from)
{
	ptrdiff_t at = str_find(text, ':', from);

	while (at >= 0 && !str_starts(str_from(text, (size_t)at), "://"))
		at = str_find(text, ':', (size_t)at + 1);
	return at;
}

/* ---- JSON ---- */

static void take_value(struct host_search *s, struct str key, struct str value)
{
	bool bare = s->t->bare.n && registry_key_counts(s->t->bare, key);
	size_t start, host = host_length(value);

	if (!registry_key_counts(s->t->keys, key))
		return;
	for (ptrdiff_t at = next_address(value, 0); at >= 0; at = next_address(value, (size_t)at + 3))
		if (is_web(value, (size_t)at, &start))
			take_address(s, str_from(value, (size_t)at + 3));
	if (bare && host && host <= NETWORK_HOST_MAX && str_find(str_first(value, host), '.', 0) > 0 &&
			(host == value.n || strchr("+ ,", value.p[host])))
		add_host(s, str_first(value, host));
}

static void take_json(struct host_search *s, const struct json *v, struct str key)
{
	if (json_is(v, JSON_STRING))
		take_value(s, key, v->text);
	for (const struct json *c = json_items(v); c; c = c->next)
		take_json(s, c, key);
	for (const struct json *c = json_members(v); c; c = c->next)
		take_json(s, c, key.n ? str_fmt(s->a, "%.*s.%.*s", STR_ARG(key), STR_ARG(c->key)) : c->key);
}

/* ---- lines ---- */

static bool is_comment(struct str line)
{
	line = str_trim(line, " \t");
	return str_starts(line, "#") || str_starts(line, ";") || str_starts(line, "//");
}

/* Returns the text without comments of XML; one that does not end hides the rest. */
static struct str without_comments(struct arena *a, struct str text)
{
	struct buf b;
	size_t from = 0;

	if (!str_contains(text, STR("<!--")))
		return text;
	buf_init(&b, a, text.n + 1);
	for (size_t i = 0; i <= text.n; i++) {
		struct str rest = str_from(text, i);

		if (rest.n && !str_starts(rest, "<!--"))
			continue;
		buf_str(&b, str_sub(text, from, i));
		while (i < text.n && !str_starts(str_from(text, i), "-->"))
			i++;
		from = i + 3;
	}
	return buf_view(&b);
}

/* True if `before` stands in front of this place, with blanks between them at most. */
static bool follows(struct str text, size_t at, struct str before)
{
	for (size_t n = 0; n < PREFIX_MAX && at && ascii_is_space(text.p[at - 1]); n++)
		at--;
	return at >= before.n && str_eq(str_sub(text, at - before.n, at), before);
}

static void take_lines(struct host_search *s, struct str text)
{
	size_t line = 0, seen = 0, start; /* line: where the line of `seen` starts */

	for (ptrdiff_t at = next_address(text, 0); at >= 0; at = next_address(text, (size_t)at + 3)) {
		struct str prefix;

		if (!is_web(text, (size_t)at, &start))
			continue;
		for (; seen < start; seen++)
			if (text.p[seen] == '\n')
				line = seen + 1;
		prefix = str_sub(text, line, start < line + PREFIX_MAX ? start : line + PREFIX_MAX);
		if (!is_comment(prefix) && registry_key_counts(s->t->keys, registry_key(prefix)) &&
				follows(text, start, s->t->before))
			take_address(s, str_from(text, (size_t)at + 3));
	}
}

int registry_hosts(struct arena *a, const struct registry_text *t, struct texts **list)
{
	struct host_search s = {.a = a, .t = t, .list = list};
	struct json_reader reader;
	const struct json *v;

	if (!str_starts(str_trim(t->text, " \t\r\n"), "{")) {
		take_lines(&s, without_comments(a, t->text));
		return 0;
	}
	json_reader_init(&reader, a, t->text, JSON_TOLERANT);
	reader.depth_max = JSON_DEPTH;
	v = json_only(&reader);
	if (!v)
		return -1;
	take_json(&s, v, STR(""));
	return 0;
}
