/*
 * libFuzzer: the name server of boxes; the input is one packet.
 * Holds: a reply is bounded and repeats id and question, and an address in it leads back to the listed name
 * that was asked for.
 */
#include <stdlib.h>

#include "net/dns.h"

#define CAP ((size_t)16 << 20)

static const char *const allowed[] = {"a.example", "*.x.example", "b.example:22", "192.0.2.0/24"};

static struct net_names *make_names(struct arena *a)
{
	struct network_rule *first = NULL, **end = &first;

	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
		*end = arena_new(a, struct network_rule);
		if (network_rule_parse(a, str_of(allowed[i]), *end, NULL) != 0)
			abort();
		end = &(*end)->next;
	}
	return net_names_new(a, first);
}

static void check_address(const struct net_names *names, const uint8_t *data, size_t n, struct str name)
{
	uint8_t address[IP_BYTES] = {[10] = 0xff, [11] = 0xff};

	memcpy(n == 4 ? address + 12 : address, data, n);
	if (str_is(name, "localhost") || str_ends(name, ".localhost"))
		return;
	if (!net_names_listed(names, name) || !str_eq(net_names_of_address(names, address), name))
		abort();
}

static void check_reply(const struct net_names *names, const uint8_t *query, size_t n, const uint8_t *reply,
		size_t got, const struct dns_result *r)
{
	unsigned answers = (unsigned)reply[6] << 8 | reply[7];
	bool edns = reply[11];

	if (got > DNS_REPLY_MAX || got > n + DNS_REPLY_EXTRA || got < 12 || memcmp(reply, query, 2) != 0)
		abort();
	if (!(reply[2] & 0x80) || answers > 1 || reply[8] || reply[9] || reply[10] || reply[11] > 1)
		abort();
	if (reply[5] && (got < 17 || memcmp(reply + 12, query + 12, 5) != 0))
		abort();
	if (answers && ((reply[3] & 15) || r->refusal != NETWORK_NOT_REFUSED))
		abort();
	size_t data = r->type == 1 ? 4 : IP_BYTES;
	if (answers)
		check_address(names, reply + got - (edns ? 11 : 0) - data, data, str_of(r->name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct arena a;
	static struct net_names *names;
	static unsigned runs;
	uint8_t reply[DNS_REPLY_MAX];
	struct dns_result result;

	if (runs++ % 4096 == 0) { /* names below "*." use up their numbers */
		if (names)
			arena_free(&a);
		arena_init(&a, CAP);
		names = make_names(&a);
	}
	size_t got = dns_answer(names, data, n, reply, &result);
	if (got)
		check_reply(names, data, n, reply, got, &result);
	return 0;
}
