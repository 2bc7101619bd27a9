/*
 * Addresses that no public name has a reason to resolve to: private, local and reserved ones. The relay
 * connects to them only if a rule lists the address itself.
 *
 * IPv6 counts as special outside of global unicast (2000::/3). A NAT64 address (64:ff9b::/96) is as special
 * as the IPv4 address in it; 6to4, Teredo and IPv4-compatible addresses always are.
 * A NAT64 prefix of the operator's own cannot be told from other global addresses.
 */
#pragma once
#include "base/ip.h"

/* The range that makes the address special, such as "private" or "loopback"; NULL: a public address. */
const char *special_address(const uint8_t address[IP_BYTES]);
/*
 * True if it is special and may be an ordinary host of a person's own network: private, carrier-grade NAT, or
 * a documentation range, which some networks use for mirrors.
 */
bool special_address_on_site(const uint8_t address[IP_BYTES]);
