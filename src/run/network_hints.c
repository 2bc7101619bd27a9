/* Hosts that a box did not reach, for the hints of a report. See network_hints.h. */
#include "run/network_hints.h"

#include "knowledge/registry_rows.h"
#include "run/unseen_connection.h"

#define HOSTS_MAX 3 /* named in one hint */

/* A host, with its port unless every rule allows that one anyway. */
static struct str rule_for(struct arena *a, struct str host, unsigned port)
{
	return port == 0 || port == 80 || port == 443 ? host : str_fmt(a, "%.*s:%u", STR_ARG(host), port);
}

/* Somebody listed the host, and a project's policy does not cover that rule. */
static bool taken_away(struct arena *a, const struct network_hint_context *c, struct str rule)
{
	struct network_rule wanted;

	if (network_rule_parse(a, rule, &wanted, NULL) != 0)
		return false;
	for (const struct network_rule *r = c->taken_away; r; r = r->next)
		for (size_t i = 0; i < wanted.nports; i++) {
			struct network_rule one = wanted;

			one.ports[0] = wanted.ports[i];
			one.nports = 1;
			if (network_rule_covers(r, &one))
				return true;
		}
	return false;
}

/* --network replaces the list of the policy, and the policy's list does not hold for every run. */
static struct str advice_terminal(struct arena *a, const struct network_hint_context *c, struct str rule)
{
	bool rules = c->network->rules;

	if (!c->policy_counts)
		return str_fmt(a, "%s'--network %.*s' allows it", rules ? "a further " : "", STR_ARG(rule));
	if (rules)
		return str_fmt(a, "'caisson allow --host %.*s' allows it", STR_ARG(rule));
	return str_fmt(a, "'--network %.*s' allows it once, 'caisson allow --host %.*s' always",
			STR_ARG(rule), STR_ARG(rule));
}

/* A clause that says how the reader, or somebody else, allows the rule. */
static struct str advice(struct arena *a, const struct network_hint_context *c, struct str rule)
{
	if (taken_away(a, c, rule))
		return STR("'sandbox.network.allow' in the project's policy excludes it");
	switch (c->who) {
	case AUDIENCE_TERMINAL: return advice_terminal(a, c, rule);
	case AUDIENCE_CLIENT:
		return str_fmt(a, "to allow it, the user runs in a terminal: caisson allow --host %.*s",
				STR_ARG(rule));
	case AUDIENCE_MCP: break;
	}
	return str_fmt(a, "only the user who started this server can allow it ('--network %.*s')",
			STR_ARG(rule));
}

/* ---- with a relay ---- */

/* A refusal that a rule would lift; the others are about how the program speaks, or about the host. */
static bool needs_rule(enum network_refusal r) { return r == NETWORK_NOT_LISTED || r == NETWORK_PORT; }

static const char *why_refused(const struct network_connection *row)
{
	if (row->refusal == NETWORK_LIMIT && !row->port)
		return "the box asked for too many names below a wildcard";
	return network_refusal_text((enum network_refusal)row->refusal);
}

static void put_refusal(struct arena *a, struct buf *b, const struct network_hint_context *x,
		const struct network_connection *c)
{
	struct str host = str_of(c->host);

	buf_fmt(b, "%s'%.*s", b->n ? "; " : "the box could not reach ", STR_ARG(host));
	if (c->port)
		buf_fmt(b, ":%u", c->port);
	buf_fmt(b, "': %s", why_refused(c));
	if (c->refusal == NETWORK_PRIVATE)
		buf_c(b, " (a rule with its address, beside the name, allows it)");
	if (!needs_rule((enum network_refusal)c->refusal))
		return;
	struct str clause = advice(a, x, rule_for(a, host, c->port));
	buf_fmt(b, " (%.*s)", STR_ARG(clause));
}

/* The same host may have been refused as a name and with a port: the first row says enough. */
static bool seen_before(const struct network_report *r, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (r->rows[k].refusal && !strcmp(r->rows[k].host, r->rows[i].host))
			return true;
	return false;
}

static void put_unseen(struct arena *a, struct buf *b, const struct network_hint_context *c,
		struct str messages)
{
	struct unseen_connection u;

	if (!unseen_connection_find(a, messages, c->network->rules, &u))
		return;
	buf_c(b, b->n ? "; " : "the box could not reach ");
	if (!u.host.n) {
		buf_fmt(b, "port %u of a host: the rules list other ports ('HOST:%u' lists it)", u.port,
				u.port);
		return;
	}
	struct str clause = advice(a, c, rule_for(a, u.host, u.port));
	buf_fmt(b, "'%.*s:%u': %s (%.*s)", STR_ARG(u.host), u.port,
			network_refusal_text(u.listed ? NETWORK_PORT : NETWORK_NOT_LISTED), STR_ARG(clause));
}

static struct str of_report(struct arena *a, const struct network_hint_context *c, const struct outcome *o,
		struct str messages)
{
	const struct network_report *r = o->network;
	size_t named = 0;
	struct buf b;

	buf_init(&b, a, 0);
	if (o->relay_died)
		buf_c(&b, "the relay of the box ended early, so later connections failed");
	for (uint32_t i = 0; i < r->n && named < HOSTS_MAX; i++) {
		if (!r->rows[i].refusal || seen_before(r, i))
			continue;
		put_refusal(a, &b, c, &r->rows[i]);
		named++;
	}
	if (named < HOSTS_MAX)
		put_unseen(a, &b, c, messages);
	return buf_view(&b);
}

/* ---- without ---- */

/* The text in front of a host in messages about a failed look-up or connection. */
static const struct {
	char text[20];
	unsigned port; /* 0: as the message says, else that of the web */
} before_host[] = {
	{"://", 0}, {"host='", 0}, {"resolve host: ", 0}, {"resolve host ", 0}, {"resolving '", 0},
	{"host address ", 0}, {"lookup ", 0}, {"ENOTFOUND ", 0}, {"EAI_AGAIN ", 0},
	{"resolve hostname ", 22}, /* ssh */
};

static bool host_byte(char c)
{
	return ascii_is_lower(c) || ascii_is_digit(c) || c == '-' || c == '.' || c == '_';
}

/* The rule for the host at the start of the text, with the port that follows; empty: there is none. */
static struct str host_at(struct arena *a, struct str text, unsigned usual)
{
	size_t n = 0;
	unsigned port = 0;
	struct str host;

	while (n < text.n && strchr("'\"`", text.p[n]))
		n++;
	text = str_from(text, n);
	for (n = 0; n < text.n && n <= NETWORK_HOST_MAX && host_byte(text.p[n]); n++)
		;
	host = str_first(text, n);
	if (host.n && host.p[host.n - 1] == '.')
		host.n--;
	if (!str_has(host, '.') || !network_name_valid(host))
		return STR("");
	if (n < text.n && text.p[n] == ':')
		while (++n < text.n && ascii_is_digit(text.p[n]) && port <= UINT16_MAX)
			port = port * 10 + (unsigned)(text.p[n] - '0');
	return rule_for(a, host, port && port <= UINT16_MAX ? port : usual);
}

static struct str host_in(struct arena *a, struct str text)
{
	for (size_t i = 0; i < ARRAY_SIZE(before_host); i++) {
		const char *mark = before_host[i].text;
		size_t n = strlen(mark);

		for (size_t at = 0; at + n < text.n; at++) {
			if (text.p[at] != mark[0] || memcmp(text.p + at, mark, n) != 0)
				continue;
			struct str host = host_at(a, str_from(text, at + n), before_host[i].port);
			if (host.n)
				return host;
		}
	}
	return STR("");
}

/* True if one of the words is a part of the text between blanks, slashes and the like. */
static bool names_any(struct str text, struct str words)
{
	size_t end;

	for (size_t at = 0; at < text.n; at = end + 1) {
		struct str rest = words, one;

		for (end = at; end < text.n && (ascii_is_alnum(text.p[end]) || text.p[end] == '-');)
			end++;
		while ((one = str_word(&rest)).n)
			if (str_eq(one, str_sub(text, at, end)))
				return true;
	}
	return false;
}

/* A build runs what the project says, so its box reaches no registry; the tool can fetch packages before. */
static struct str fetch_first(struct arena *a, const struct network_hint_context *c)
{
	const struct registry_row *r;

	for (size_t i = 0; c->who == AUDIENCE_CLIENT && (r = registry_at(i)); i++) {
		struct str fetch = registry_list(r, REGISTRY_FETCH);

		for (char *const *word = c->argv; fetch.n && word && *word; word++)
			if (names_any(str_of(*word), registry_list(r, REGISTRY_NAME)) ||
				names_any(str_of(*word), registry_list(r, REGISTRY_ALSO)))
				return str_fmt(a, "; to get packages, run '%.*s' first: it can reach the "
					"registries", STR_ARG(fetch));
	}
	return STR("");
}

/* A box in the network of another one has no report of its own: what it wanted may well be listed. */
static bool is_listed(struct arena *a, const struct network_spec *n, struct str host)
{
	struct network_rule wanted;

	for (const struct network_rule *r = n->rules; r; r = r->next)
		if (network_rule_parse(a, host, &wanted, NULL) == 0 && network_rule_covers(r, &wanted))
			return true;
	return false;
}

struct str network_hint(struct arena *a, const struct network_hint_context *c, const struct outcome *o,
		struct str end_of_stderr)
{
	struct str host, clause, fetch;

	if (!network_isolated(c->network))
		return STR("");
	if (o->network)
		return of_report(a, c, o, end_of_stderr);
	host = host_in(a, end_of_stderr);
	if (!host.n || is_listed(a, c->network, host))
		return STR("");
	clause = advice(a, c, host);
	fetch = fetch_first(a, c);
	return str_fmt(a, "%s '%.*s'; %.*s%.*s",
			network_has_names(c->network) ? "the box could not reach"
						      : "the box reaches no host, and the program wanted",
			STR_ARG(host), STR_ARG(clause), STR_ARG(fetch));
}
