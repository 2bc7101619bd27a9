/* The table of network modes; network.h states what each property means. */
#include "model/network.h"

enum property { ISOLATED = 1, SOCKETS = 2, LOOPBACK = 4, HOST_DNS = 8 };

static const struct {
	char name[12];
	unsigned properties;
} modes[] = {
	[NETWORK_DENY] = {"deny", ISOLATED},
	[NETWORK_LOOPBACK] = {"loopback", ISOLATED | SOCKETS | LOOPBACK},
	[NETWORK_HOST] = {"host", SOCKETS | HOST_DNS},
};
#define NMODES ARRAY_SIZE(modes)

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
		if (str_is(name, modes[i].name)) {
			*ret = (struct network_spec){.mode = (enum network_mode)i};
			return 0;
		}
	return -1;
}

bool network_isolated(const struct network_spec *n) { return has_property(n, ISOLATED); }
bool network_has_sockets(const struct network_spec *n) { return has_property(n, SOCKETS); }
bool network_has_loopback(const struct network_spec *n) { return has_property(n, LOOPBACK); }
bool network_uses_host_dns(const struct network_spec *n) { return has_property(n, HOST_DNS); }
