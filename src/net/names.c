/* The allow-list in use. Names lie in one array by their number; an open hash table finds them by text. */
#include "net/names.h"

#define NAMES_MAX (NETWORK_RULES_MAX + NET_NAMES_BELOW_MAX + 1) /* number 0 stands for no name */
#define SLOTS 32768                                             /* power of two, more than twice the names */
_Static_assert(SLOTS > 2 * NAMES_MAX && NAMES_MAX <= UINT16_MAX, "table of names");

struct name_entry {
	struct str text;
	uint32_t hash;
};

struct net_names {
	struct network_rule *rules;
	size_t nrules;
	struct name_entry entries[NAMES_MAX];
	uint16_t slots[SLOTS]; /* numbers, 0: free */
	size_t n;              /* numbers in use, with 0 */
	size_t below;          /* names below "*." rules */
	char *bytes;
	size_t nbytes;
};

static const uint8_t prefix_v4[] = NET_NAMES_V4;
static const uint8_t prefix_v6[] = NET_NAMES_V6;

/* The slot of the name, or the free one where it belongs. */
static size_t find_slot(const struct net_names *n, struct str name, uint32_t hash)
{
	size_t i = hash % SLOTS;

	for (; n->slots[i]; i = (i + 1) % SLOTS) {
		const struct name_entry *e = &n->entries[n->slots[i]];
		if (e->hash == hash && str_eq(e->text, name))
			break;
	}
	return i;
}

static uint16_t add_name(struct net_names *n, size_t slot, struct str name, uint32_t hash)
{
	n->entries[n->n] = (struct name_entry){name, hash};
	n->slots[slot] = (uint16_t)n->n;
	return (uint16_t)n->n++;
}

struct net_names *net_names_new(struct arena *a, const struct network_rule *rules)
{
	struct net_names *n = arena_new(a, struct net_names);
	size_t nrules = 0;

	for (const struct network_rule *r = rules; r && nrules < NETWORK_RULES_MAX; r = r->next)
		nrules++;
	n->n = 1;
	n->bytes = arena_alloc(a, NET_NAMES_BYTES_MAX);
	n->rules = arena_array(a, nrules, sizeof(*n->rules));
	for (const struct network_rule *r = rules; n->nrules < nrules; r = r->next) {
		n->rules[n->nrules++] = *r;
		if (r->kind != NETWORK_NAME)
			continue;
		uint32_t hash = str_hash(r->name);
		size_t slot = find_slot(n, r->name, hash);
		if (!n->slots[slot])
			(void)add_name(n, slot, r->name, hash);
	}
	return n;
}

/* With an address, rules for addresses are looked at, else those for names. */
static enum network_refusal check_host(
		const struct net_names *n, const uint8_t *address, struct str name, uint16_t port)
{
	enum network_refusal refusal = NETWORK_NOT_LISTED;

	for (size_t i = 0; i < n->nrules; i++) {
		const struct network_rule *r = &n->rules[i];
		if (address ? !network_rule_matches_address(r, address) : !network_rule_matches_name(r, name))
			continue;
		if (network_rule_has_port(r, port))
			return NETWORK_NOT_REFUSED;
		refusal = NETWORK_PORT;
	}
	return refusal;
}

enum network_refusal net_names_check(const struct net_names *n, struct str name, uint16_t port)
{
	return check_host(n, NULL, name, port);
}

enum network_refusal net_names_check_address(
		const struct net_names *n, const uint8_t address[IP_BYTES], uint16_t port)
{
	return check_host(n, address, STR(""), port);
}

bool net_names_listed(const struct net_names *n, struct str name)
{
	return net_names_check(n, name, 0) != NETWORK_NOT_LISTED;
}

uint16_t net_names_assign(struct net_names *n, struct str name)
{
	uint32_t hash = str_hash(name);
	size_t slot = find_slot(n, name, hash);

	if (n->slots[slot])
		return n->slots[slot];
	if (!network_name_valid(name) || !net_names_listed(n, name))
		return 0;
	if (n->below == NET_NAMES_BELOW_MAX || name.n > NET_NAMES_BYTES_MAX - n->nbytes)
		return 0;
	memcpy(n->bytes + n->nbytes, name.p, name.n);
	name.p = n->bytes + n->nbytes;
	n->nbytes += name.n;
	n->below++;
	return add_name(n, slot, name, hash);
}

struct str net_names_get(const struct net_names *n, uint16_t number)
{
	return number < n->n ? n->entries[number].text : STR("");
}

void net_names_v4(uint16_t number, uint8_t ret[4])
{
	memcpy(ret, prefix_v4, sizeof(prefix_v4));
	ret[2] = (uint8_t)(number >> 8);
	ret[3] = (uint8_t)number;
}

void net_names_v6(uint16_t number, uint8_t ret[IP_BYTES])
{
	memset(ret, 0, IP_BYTES);
	memcpy(ret, prefix_v6, sizeof(prefix_v6));
	ret[IP_BYTES - 2] = (uint8_t)(number >> 8);
	ret[IP_BYTES - 1] = (uint8_t)number;
}

struct str net_names_of_address(const struct net_names *n, const uint8_t address[IP_BYTES])
{
	uint16_t number = (uint16_t)(address[IP_BYTES - 2] << 8 | address[IP_BYTES - 1]);
	uint8_t v4[4], v6[IP_BYTES];

	net_names_v4(number, v4);
	net_names_v6(number, v6);
	if (memcmp(address, v6, IP_BYTES) == 0)
		return net_names_get(n, number);
	if (ip_is_mapped(address) && memcmp(address + IP_BYTES - 4, v4, 4) == 0)
		return net_names_get(n, number);
	return STR("");
}
