/*
 * See codex.h. Codex keeps the digest of a hook's normal form. We found that form by asking `codex
 * app-server` (hooks/list) for the digests of known hooks:
 *
 *     {"event_name":"pre_tool_use","hooks":[{"async":false,"command":"…","timeout":30,"type":"command"}],
 *      "matcher":"…"}
 *
 * Keys are sorted, there are no blanks, a missing matcher is left out, and the timeout is the one that Codex
 * derives from the entry.
 */
#include "base/chars.h"
#include "client/codex.h"
#include "client/jsontext.h"
#include "sys/sha256.h"

/* Converts "PreToolUse" to "pre_tool_use". */
static struct str label_of(struct arena *a, struct str event)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t i = 0; i < event.n; i++) {
		bool upper = ascii_is_upper(event.p[i]);

		if (upper && i)
			buf_char(&b, '_');
		buf_char(&b, upper ? (char)(event.p[i] + 'a' - 'A') : event.p[i]);
	}
	return buf_view(&b);
}

#define TIMEOUT_DEFAULT 600
#define END_TIMEOUT_DEFAULT 1 /* for SessionEnd */
#define END_TIMEOUT_MAX 3

static int64_t timeout_of(const struct codex_hook *h)
{
	bool end = str_is(h->event, "SessionEnd");

	if (h->timeout < 0)
		return end ? END_TIMEOUT_DEFAULT : TIMEOUT_DEFAULT;
	if (end && h->timeout > END_TIMEOUT_MAX)
		return END_TIMEOUT_MAX;
	return h->timeout ? h->timeout : 1;
}

struct str codex_hook_hash(struct arena *a, const struct codex_hook *h)
{
	char hex[SHA256_HEX + 1];
	struct buf b;

	buf_init(&b, a, 0);
	buf_fmt(&b, "{\"event_name\":\"%.*s\",\"hooks\":[{\"async\":false,\"command\":",
		STR_ARG(label_of(a, h->event)));
	json_put_string(&b, h->command);
	buf_fmt(&b, ",\"timeout\":%lld,\"type\":\"command\"}]", (long long)timeout_of(h));
	if (h->has_matcher) {
		buf_c(&b, ",\"matcher\":");
		json_put_string(&b, h->matcher);
	}
	buf_char(&b, '}');
	sha256_hex(buf_view(&b), hex);
	return str_fmt(a, "sha256:%s", hex);
}

/* ---- config.toml ---- */

static struct str trim_blanks(struct str s)
{
	while (s.n && strchr(" \t\r", s.p[0]))
		s = str_from(s, 1);
	while (s.n && strchr(" \t\r", s.p[s.n - 1]))
		s.n--;
	return s;
}

/* Takes a string from the start of *s and advances *s. False if there is no string. */
static bool take_string(struct arena *a, struct str *s, struct str *ret)
{
	char quote = s->n ? s->p[0] : 0;
	struct buf b;
	size_t i = 1;

	if (quote != '"' && quote != '\'')
		return false;
	buf_init(&b, a, 0);
	for (; i < s->n && s->p[i] != quote; i++) {
		if (s->p[i] == '\\' && quote == '"' && i + 1 < s->n)
			i++; /* in paths, only quotes and backslashes are escaped */
		buf_char(&b, s->p[i]);
	}
	if (i >= s->n)
		return false;
	*ret = buf_view(&b);
	*s = trim_blanks(str_from(*s, i + 1));
	return true;
}

struct state { /* parser state: the hook's entry */
	struct arena *a;
	struct str key;
	bool here;   /* inside the hook's own table */
	bool states; /* inside the table of all hooks */
	struct str hash;
	bool off;
};

/* Reads one `name = value` of the entry. */
static void read_value(struct state *s, struct str name, struct str value)
{
	struct str text;

	if (str_is(name, "trusted_hash") && take_string(s->a, &value, &text))
		s->hash = text;
	if (str_is(name, "enabled") && str_starts(value, "false"))
		s->off = true;
}

/* Reads a table header: [hooks.state."KEY"] or [hooks.state]. */
static void read_header(struct state *s, struct str line)
{
	static const char table[] = "[hooks.state";
	struct str rest = str_starts(line, table) ? str_from(line, strlen(table)) : STR(""), key;

	s->states = str_is(rest, "]");
	s->here = false;
	if (!str_starts(rest, "."))
		return;
	rest = str_from(rest, 1);
	s->here = take_string(s->a, &rest, &key) && str_starts(rest, "]") && str_eq(key, s->key);
}

/* Reads an inline table: "KEY" = { trusted_hash = "…", enabled = true } */
static void read_inline(struct state *s, struct str line)
{
	struct str key;

	if (!take_string(s->a, &line, &key) || !str_eq(key, s->key) || !str_starts(line, "="))
		return;
	line = trim_blanks(str_from(line, 1));
	while (line.n && strchr("{,", line.p[0])) {
		ptrdiff_t equal = str_find(line, '=', 0), comma = str_find(line, ',', 1);

		if (equal < 0)
			return;
		read_value(s, trim_blanks(str_sub(line, 1, (size_t)equal)),
			trim_blanks(str_from(line, (size_t)equal + 1)));
		line = comma < 0 ? STR("") : str_from(line, (size_t)comma);
	}
}

static void read_line(struct state *s, struct str line)
{
	ptrdiff_t equal = str_find(line, '=', 0);

	if (str_starts(line, "["))
		read_header(s, line);
	else if (s->states)
		read_inline(s, line);
	else if (s->here && equal > 0)
		read_value(s, trim_blanks(str_first(line, (size_t)equal)),
			trim_blanks(str_from(line, (size_t)equal + 1)));
}

enum codex_trust codex_trusted(struct arena *a, struct str config, const struct codex_hook *h)
{
	struct state s = {.a = a};

	s.key = str_fmt(
		a, "%.*s:%.*s:%zu:%zu", STR_ARG(h->file), STR_ARG(label_of(a, h->event)), h->group, h->index);
	for (size_t i = 0; i < config.n;) {
		size_t end = str_end(config, '\n', i);
		struct str line = str_sub(config, i, end);

		read_line(&s, trim_blanks(line));
		i += line.n + 1;
	}
	if (s.off)
		return CODEX_OFF;
	if (!s.hash.n)
		return CODEX_UNTRUSTED;
	return str_eq(s.hash, codex_hook_hash(a, h)) ? CODEX_TRUSTED : CODEX_STALE;
}
