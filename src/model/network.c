/* The table of network modes, and the rules of allow-lists; network.h states what each property means. */
#include "model/network.h"

#include "base/num.h"

enum property { ISOLATED = 1, SOCKETS = 2, LOOPBACK = 4, HOST_DNS = 8, NAMES = 16 };

static const struct {
	char name[12];
	unsigned properties;
} modes[] = {
		[NETWORK_DENY] = {"deny", ISOLATED},
		[NETWORK_LOOPBACK] = {"loopback", ISOLATED | SOCKETS | LOOPBACK},
		[NETWORK_NAMES] = {"names", ISOLATED | SOCKETS | LOOPBACK | NAMES},
		[NETWORK_HOST] = {"host", SOCKETS | HOST_DNS},
};
#define NMODES ARRAY_SIZE(modes)

/* The widest prefixes that a rule may have: wider ones allow more than anybody means to list. */
#define PREFIX_V4_MIN 8
#define PREFIX_V6_MIN 16

static const uint16_t default_ports[] = {80, 443};

/* Words for modes, in Caisson or in other tools. As the name of a host they are more likely a mistake. */
static const char mode_words[] = "deny loopback names host none all any allow-list";

/* A mode outside the table counts as deny. */
static bool has_property(const struct network_spec *n, enum property p)
{
	return modes[(size_t)n->mode < NMODES ? n->mode : NETWORK_DENY].properties & p;
}

const char *network_name(const struct network_spec *n)
{
	return (size_t)n->mode < NMODES ? modes[n->mode].name : "unknown";
}

int network_parse(struct str name, struct network_spec *ret)
{
	for (size_t i = 0; i < NMODES; i++)
		if (str_is(name, modes[i].name) && !(modes[i].properties & NAMES)) {
			*ret = (struct network_spec){.mode = (enum network_mode)i};
			return 0;
		}
	return -1;
}

bool network_isolated(const struct network_spec *n)
{
	return has_property(n, ISOLATED);
}
bool network_has_sockets(const struct network_spec *n)
{
	return has_property(n, SOCKETS);
}
bool network_has_loopback(const struct network_spec *n)
{
	return has_property(n, LOOPBACK);
}
bool network_uses_host_dns(const struct network_spec *n)
{
	return has_property(n, HOST_DNS);
}
bool network_has_names(const struct network_spec *n)
{
	return has_property(n, NAMES);
}

/* ---- names ---- */

static bool label_valid(struct str label)
{
	bool alnum = false;

	if (label.n == 0 || label.n > NETWORK_LABEL_MAX || label.p[0] == '-' || label.p[label.n - 1] == '-')
		return false;
	for (size_t i = 0; i < label.n; i++) {
		char c = label.p[i];
		bool known = ascii_is_lower(c) || ascii_is_digit(c);
		if (!known && c != '-' && c != '_')
			return false;
		alnum |= known;
	}
	return alnum;
}

/* "127" and "0x7f": resolvers read a name with such an end as an address. */
static bool label_is_number(struct str label)
{
	bool hex = str_starts(label, "0x");

	for (size_t i = hex ? 2 : 0; i < label.n; i++)
		if (!ascii_is_digit(label.p[i]) && !(hex && label.p[i] >= 'a' && label.p[i] <= 'f'))
			return false;
	return true;
}

bool network_name_valid(struct str name)
{
	if (name.n == 0 || name.n > NETWORK_HOST_MAX)
		return false;
	for (size_t at = 0;;) {
		ptrdiff_t dot = str_find(name, '.', at);
		struct str label = str_sub(name, at, dot < 0 ? name.n : (size_t)dot);
		if (!label_valid(label))
			return false;
		if (dot < 0)
			return !label_is_number(label);
		at = (size_t)dot + 1;
	}
}

/* True if `name` is a label and a dot or more in front of `domain`. */
static bool is_below(struct str name, struct str domain)
{
	return name.n > domain.n + 1 && name.p[name.n - domain.n - 1] == '.' &&
	       str_eq(str_from(name, name.n - domain.n), domain);
}

/* ---- parsing ---- */

static int refuse(struct err *e, struct str text, const char *why)
{
	return err_input(e, "invalid host '%.*s': %s", (int)(text.n < 80 ? text.n : 80), text.p, why);
}

static bool add_port(struct network_rule *r, uint16_t port)
{
	size_t i = r->nports;

	if (network_rule_has_port(r, port))
		return true;
	if (i == NETWORK_PORTS_MAX)
		return false;
	for (; i > 0 && r->ports[i - 1] > port; i--)
		r->ports[i] = r->ports[i - 1];
	r->ports[i] = port;
	r->nports++;
	return true;
}

static int parse_ports(struct str text, struct str ports, struct network_rule *r, struct err *e)
{
	for (size_t at = 0; at <= ports.n;) {
		size_t end = str_end(ports, '+', at);
		int64_t port;
		if (num_parse(str_sub(ports, at, end), 1, UINT16_MAX, &port) != 0)
			return refuse(e, text,
					"expected a port from 1 to 65535 after ':' ('+' joins several)");
		if (!add_port(r, (uint16_t)port))
			return refuse(e, text, "a rule has at most 8 ports");
		at = end + 1;
	}
	return 0;
}

static void clear_after(uint8_t address[IP_BYTES], unsigned bits)
{
	for (unsigned i = bits; i < IP_BITS; i++)
		address[i / 8] &= (uint8_t) ~(0x80 >> i % 8);
}

/* `bits` is the text after '/', empty if there was no '/'. */
static int parse_prefix(struct arena *a, struct str text, bool has_bits, struct str bits,
		struct network_rule *r, struct err *e)
{
	uint8_t start[IP_BYTES];
	bool v4 = ip_is_mapped(r->address);
	int64_t n = v4 ? 32 : IP_BITS;

	if (has_bits && num_parse(bits, v4 ? PREFIX_V4_MIN : PREFIX_V6_MIN, n, &n) != 0)
		return refuse(e, text, "expected '/' and 8 to 32 bits for IPv4, 16 to 128 for IPv6");
	r->kind = NETWORK_ADDRESS;
	r->bits = (unsigned)n + (v4 ? IP_MAPPED_BITS : 0);
	memcpy(start, r->address, IP_BYTES);
	clear_after(start, r->bits);
	if (memcmp(start, r->address, IP_BYTES) != 0)
		return refuse(e, text, "the address has bits after its prefix");
	/* Every IPv4 address lies in ::ffff:0:0/96: a rule of one family must not open the other. */
	if (r->bits < IP_MAPPED_BITS && ip_parse(STR("0.0.0.0"), start) == 0 &&
			network_rule_matches_address(r, start))
		return refuse(e, text, "the prefix includes every IPv4 address");
	r->name = ip_text(a, r->address);
	if (r->bits < IP_BITS)
		r->name = str_fmt(a, "%.*s/%u", STR_ARG(r->name), (unsigned)n);
	return 0;
}

/* Splits "address[/bits]" or "[address][/bits]" from its ports. False: the text is no address. */
static bool split_address(struct str text, struct str *ret_address, struct str *ret_rest)
{
	ptrdiff_t colon = str_find(text, ':', 0), slash = str_find(text, '/', 0);
	size_t end = text.n;

	if (text.n && text.p[0] == '[') {
		ptrdiff_t close = str_find(text, ']', 0);
		if (close < 0)
			return false;
		*ret_address = str_sub(text, 1, (size_t)close);
		*ret_rest = str_from(text, (size_t)close + 1);
		return str_has(*ret_address, ':'); /* brackets are for IPv6 */
	}
	bool v6 = colon >= 0 && str_find(text, ':', (size_t)colon + 1) >= 0;
	if (slash >= 0)
		end = (size_t)slash;
	else if (colon >= 0 && !v6)
		end = (size_t)colon;
	*ret_address = str_first(text, end);
	*ret_rest = str_from(text, end);
	return true;
}

/* "2001:db8::1:443" is an address, and its writer may have meant another one with a port. */
static bool looks_like_port(struct str address)
{
	uint8_t shorter[IP_BYTES];
	size_t colon = address.n;
	int64_t port;

	while (colon > 0 && address.p[colon - 1] != ':')
		colon--;
	return colon > 0 && num_parse(str_from(address, colon), 1, UINT16_MAX, &port) == 0 &&
	       ip_parse(str_first(address, colon - 1), shorter) == 0;
}

/* 1: an address; 0: a name; -1: an error. */
static int parse_address(struct arena *a, struct str text, struct network_rule *r, struct err *e)
{
	struct str address, rest, bits = STR("");
	bool has_bits;

	if (!split_address(text, &address, &rest) || ip_parse(address, r->address) != 0) {
		if (str_has(text, '[') || str_has(text, '/'))
			return refuse(e, text,
					"expected a name, an address, '[IPv6 address]', or '/bits' after "
					"one");
		return 0;
	}
	has_bits = str_starts(rest, "/");
	if (text.p[0] != '[' && !has_bits && looks_like_port(address))
		return refuse(e, text,
				"write an IPv6 address in brackets, to separate it from the port "
				"('[2001:db8::1]:443')");
	if (has_bits) {
		size_t end = str_end(rest, ':', 0);
		bits = str_sub(rest, 1, end);
		rest = str_from(rest, end);
	}
	if (rest.n && rest.p[0] != ':')
		return refuse(e, text, "expected ':' and a port after the address");
	if (parse_prefix(a, text, has_bits, bits, r, e) != 0)
		return -1;
	return rest.n && parse_ports(text, str_from(rest, 1), r, e) != 0 ? -1 : 1;
}

static const char *why_invalid(struct str name)
{
	if (name.n > NETWORK_HOST_MAX)
		return "a name has at most 253 bytes";
	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] >= 0x80)
			return "write names with other letters than ASCII in punycode ('xn--…')";
	if (str_has(name, '*'))
		return "'*' stands only for the labels in front of a domain ('*.example.org')";
	return "a name has labels of 1 to 63 letters, digits and '-', and does not end in a number";
}

static int parse_name(struct arena *a, struct str text, struct network_rule *r, struct err *e)
{
	ptrdiff_t colon = str_find(text, ':', 0);
	struct str name = str_lower(a, str_until(text, ':'));

	if (str_starts(name, "preset:"))
		return refuse(e, text, "a preset stands for several hosts");
	r->kind = str_starts(name, "*.") ? NETWORK_DOMAIN : NETWORK_NAME;
	r->name = str_from(name, r->kind == NETWORK_DOMAIN ? 2 : 0);
	if (str_ends(r->name, "."))
		r->name.n--;
	if (!network_name_valid(r->name))
		return refuse(e, text, why_invalid(r->name));
	if (str_like_any(r->name, mode_words))
		return refuse(e, text, "this is not a host and cannot be part of a list");
	if (str_is(r->name, "localhost") || str_ends(r->name, ".localhost"))
		return refuse(e, text,
				"'localhost' is the box's own loopback, which every allow-list includes");
	if (r->kind == NETWORK_DOMAIN && !str_has(r->name, '.'))
		return refuse(e, text, "'*.' needs a domain of at least two labels");
	return colon < 0 ? 0 : parse_ports(text, str_from(text, (size_t)colon + 1), r, e);
}

int network_rule_parse(struct arena *a, struct str text, struct network_rule *ret, struct err *e)
{
	struct network_rule r = {0};
	int address;

	if (str_contains(text, STR("://")))
		return refuse(e, text, "write the host alone, without 'https://' and path");
	address = parse_address(a, text, &r, e);

	if (address < 0 || (address == 0 && parse_name(a, text, &r, e) != 0))
		return -1;
	if (r.nports == 0) {
		memcpy(r.ports, default_ports, sizeof(default_ports));
		r.nports = ARRAY_SIZE(default_ports);
	}
	*ret = r;
	return 0;
}

/* ---- using rules ---- */

static bool has_default_ports(const struct network_rule *r)
{
	return r->nports == ARRAY_SIZE(default_ports) &&
	       memcmp(r->ports, default_ports, sizeof(default_ports)) == 0;
}

struct str network_rule_text(struct arena *a, const struct network_rule *r)
{
	struct buf b;
	bool brackets = r->kind == NETWORK_ADDRESS && !ip_is_mapped(r->address);

	buf_init(&b, a, 0);
	if (r->kind == NETWORK_DOMAIN)
		buf_c(&b, "*.");
	if (brackets) {
		size_t end = str_end(r->name, '/', 0);
		buf_fmt(&b, "[%.*s]", (int)end, r->name.p);
		buf_str(&b, str_from(r->name, end));
	} else {
		buf_str(&b, r->name);
	}
	for (size_t i = 0; i < r->nports && !has_default_ports(r); i++)
		buf_fmt(&b, "%c%u", i ? '+' : ':', r->ports[i]);
	return buf_view(&b);
}

bool network_rule_has_port(const struct network_rule *r, uint16_t port)
{
	for (size_t i = 0; i < r->nports; i++)
		if (r->ports[i] == port)
			return true;
	return false;
}

bool network_rule_matches_name(const struct network_rule *r, struct str name)
{
	if (r->kind == NETWORK_DOMAIN)
		return is_below(name, r->name);
	return r->kind == NETWORK_NAME && str_eq(r->name, name);
}

bool network_rule_matches_address(const struct network_rule *r, const uint8_t address[IP_BYTES])
{
	return r->kind == NETWORK_ADDRESS && ip_same_prefix(r->address, address, r->bits);
}

static bool covers_host(const struct network_rule *outer, const struct network_rule *inner)
{
	switch (inner->kind) {
	case NETWORK_NAME: return network_rule_matches_name(outer, inner->name);
	case NETWORK_DOMAIN:
		return outer->kind == NETWORK_DOMAIN &&
		       (str_eq(outer->name, inner->name) || is_below(inner->name, outer->name));
	case NETWORK_ADDRESS:
		return outer->bits <= inner->bits && network_rule_matches_address(outer, inner->address);
	}
	return false;
}

bool network_rule_covers(const struct network_rule *outer, const struct network_rule *inner)
{
	if (!covers_host(outer, inner))
		return false;
	for (size_t i = 0; i < inner->nports; i++)
		if (!network_rule_has_port(outer, inner->ports[i]))
			return false;
	return true;
}

bool network_rule_meet(const struct network_rule *a, const struct network_rule *b, struct network_rule *ret)
{
	struct network_rule r = covers_host(b, a) ? *a : *b;
	size_t n = 0;

	if (!covers_host(b, a) && !covers_host(a, b))
		return false;
	for (size_t i = 0; i < a->nports; i++)
		if (network_rule_has_port(b, a->ports[i]))
			r.ports[n++] = a->ports[i];
	r.nports = n;
	r.on_site = a->on_site && covers_host(b, a);
	r.next = NULL;
	if (n)
		*ret = r;
	return n > 0;
}
