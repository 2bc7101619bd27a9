/* Hosts and ports in messages about failed connections. See unseen_connection.h. */
#include "run/unseen_connection.h"

#include "base/ip.h"

#define PORT_WORDS 2 /* spellings of a port after one host */
#define PORT_DIGITS 5

static const char complaints[][24] = {
	"onnection refused", "ECONNREFUSED", "etwork is unreachable", "ENETUNREACH", "ailed to connect",
	"ouldn't connect", "NewConnectionError",
};

/* The text in front of a host, texts that may stand between it and its port, and the port without them. */
static const struct connection_form {
	char before[16], port[PORT_WORDS][12];
	unsigned usual;
} forms[] = {
	{"onnect to host ", {" port "}, 0},                        /* ssh */
	{"onnect to ", {" port ", ":"}, 0},                        /* curl, git */
	{"host='", {"', port="}, 0},                               /* Python's urllib3 */
	{"ECONNREFUSED ", {":"}, 0}, {"ENETUNREACH ", {":"}, 0},   /* Node.js */
	{"dial tcp ", {":"}, 0},                                   /* Go */
	{"/dev/tcp/", {"/"}, 0},                                   /* bash */
	{"|", {"|:"}, 0},                                          /* wget */
	{"http://", {":"}, 80}, {"https://", {":"}, 443},
};

/* Addresses that are the box's own; those of names come last. */
static const struct {
	char from[12];
	unsigned bits;
	bool of_names;
} own[] = {
	{"127.0.0.0", 96 + 8, false}, {"0.0.0.0", 96 + 8, false}, {"::", 127, false},
	{"198.18.0.0", 96 + 15, true}, {"fd00:ca15::", 32, true},
};

static bool is_host_byte(char c, bool brackets)
{
	return ascii_is_lower(c) || ascii_is_digit(c) || (brackets ? c == ':' : c && strchr("-._", c));
}

static struct str host_at(struct str text)
{
	bool brackets = str_starts(text, "[");
	size_t n = brackets;

	while (n < text.n && n <= NETWORK_HOST_MAX && is_host_byte(text.p[n], brackets))
		n++;
	if (brackets)
		return n < text.n && text.p[n] == ']' ? str_first(text, n + 1) : STR("");
	return str_first(text, n);
}

static unsigned port_at(struct str text, const char *separator)
{
	unsigned port = 0;

	if (!str_take(&text, separator))
		return 0;
	for (size_t i = 0; i < text.n && i < PORT_DIGITS && ascii_is_digit(text.p[i]); i++)
		port = port * 10 + (unsigned)(text.p[i] - '0');
	return port <= UINT16_MAX ? port : 0;
}

static unsigned port_of(const struct connection_form *f, struct str after)
{
	unsigned port = 0;

	for (size_t i = 0; i < PORT_WORDS; i++)
		if (!port && f->port[i][0])
			port = port_at(after, f->port[i]);
	return port ? port : f->usual;
}

static bool any_has_port(const struct network_rule *rules, unsigned port)
{
	while (rules && !network_rule_has_port(rules, (uint16_t)port))
		rules = rules->next;
	return rules;
}

static bool is_unseen_address(const struct network_rule *rules, const uint8_t address[IP_BYTES],
		struct unseen_connection *c)
{
	uint8_t from[IP_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (ip_parse(str_of(own[i].from), from) == 0 && ip_same_prefix(from, address, own[i].bits)) {
			c->host = STR("");
			c->listed = true;
			return own[i].of_names && !any_has_port(rules, c->port);
		}
	for (; rules; rules = rules->next)
		if (network_rule_matches_address(rules, address)) {
			c->listed = true;
			if (network_rule_has_port(rules, (uint16_t)c->port))
				return false;
		}
	return true;
}

/* The name server of the relay saw every name that is not listed. */
static bool is_unseen_name(const struct network_rule *rules, struct unseen_connection *c)
{
	for (const struct network_rule *r = rules; r; r = r->next)
		c->listed |= network_rule_matches_name(r, c->host);
	return c->listed && !any_has_port(rules, c->port);
}

static bool is_unseen(const struct network_rule *rules, struct unseen_connection *c)
{
	bool brackets = str_starts(c->host, "[");
	uint8_t address[IP_BYTES];

	if (!c->host.n || !c->port)
		return false;
	if (ip_parse(brackets ? str_sub(c->host, 1, c->host.n - 1) : c->host, address) == 0)
		return is_unseen_address(rules, address, c);
	return !brackets && is_unseen_name(rules, c);
}

static bool complains(struct str messages) { return STR_CONTAINS_ANY(messages, complaints); }

bool unseen_connection_find(struct arena *a, struct str messages, const struct network_rule *rules,
		struct unseen_connection *ret)
{
	if (!complains(messages))
		return false;
	for (const struct connection_form *f = forms; f < forms + ARRAY_SIZE(forms); f++) {
		size_t n = strlen(f->before);

		for (size_t at = 0; at + n < messages.n; at++) {
			if (messages.p[at] != f->before[0] || memcmp(messages.p + at, f->before, n) != 0)
				continue;
			struct str host = host_at(str_from(messages, at + n));
			struct unseen_connection c = {.host = host,
					.port = port_of(f, str_from(messages, at + n + host.n))};
			if (!is_unseen(rules, &c))
				continue;
			*ret = c;
			ret->host = str_dup(a, c.host);
			return true;
		}
	}
	return false;
}
