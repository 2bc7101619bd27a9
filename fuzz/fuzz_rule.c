/*
 * libFuzzer: the text of a rule for hosts, and of an address.
 * Holds: a rule's canonical text is a fixed point and means the same rule; names of rules are host names; no
 * single rule is for everything; addresses keep their value through their text.
 */
#include <stdlib.h>

#include "model/network.h"
#include "net/special_address.h"

#define CAP ((size_t)1 << 20)

struct rule_input {
	struct arena *a;
	struct str text;
};

static void check_rule(struct arena *a, const struct network_rule *r)
{
	struct network_rule again;
	struct str text = network_rule_text(a, r);

	if (network_rule_parse(a, text, &again, NULL) != 0 || !str_eq(network_rule_text(a, &again), text))
		abort();
	if (!network_rule_covers(r, &again) || !network_rule_covers(&again, r))
		abort();
	if (r->nports < 1 || r->nports > NETWORK_PORTS_MAX || network_rule_has_port(r, 0))
		abort();
	if (r->kind == NETWORK_ADDRESS ? r->bits < 16 || r->bits > IP_BITS : !network_name_valid(r->name))
		abort();
	if (r->kind == NETWORK_DOMAIN && str_find(r->name, '.', 0) < 0)
		abort();
}

static int run(void *arg)
{
	struct rule_input *in = arg;
	struct network_rule r;
	struct err e;
	uint8_t address[IP_BYTES], again[IP_BYTES];
	char text[IP_TEXT_MAX];

	if (network_rule_parse(in->a, in->text, &r, &e) == 0)
		check_rule(in->a, &r);
	if (ip_parse(in->text, address) == 0) {
		size_t n = ip_put(text, address);
		if (n >= IP_TEXT_MAX || ip_parse(str_n(text, n), again) != 0 ||
				memcmp(address, again, IP_BYTES))
			abort();
		(void)special_address(address);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena a;
	arena_init(&a, CAP);
	struct rule_input in = {&a, str_n((const char *)data, n)};
	(void)arena_run(&a, run, &in);
	arena_free(&a);
	return 0;
}
