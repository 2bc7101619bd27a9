/*
 * The allow-list in use: which rule allows a host and port, and the address that stands for a name in a box.
 *
 * A name's address is a prefix and a number of 16 bits, the same number in both families:
 * 198.19.0.0/16 and fd00:ca15:0:1::/112. Names of exact rules have theirs from the start. A name below a
 * "*." rule gets the next number when it is first asked for, and keeps it: a number never changes its name.
 * When the numbers or the memory for such names are used up, new ones are refused; exact names are not
 * affected.
 *
 * All memory is allocated by net_names_new(). Texts of names are valid as network_name_valid() says.
 */
#pragma once
#include "model/network_report.h"

#define NET_NAMES_BELOW_MAX 8192              /* names below "*." rules */
#define NET_NAMES_BYTES_MAX ((size_t)1 << 20) /* of their texts */
#define NET_NAMES_V4    \
	{               \
		198, 19 \
	} /* first bytes of the IPv4 address of a name */
#define NET_NAMES_V6                               \
	{                                          \
		0xfd, 0x00, 0xca, 0x15, 0, 0, 0, 1 \
	} /* of the IPv6 address; six zero bytes follow */

struct net_names;

/* At most NETWORK_RULES_MAX rules; further ones are ignored. The texts of the rules must live as long as the
 * result. */
struct net_names *net_names_new(struct arena *a, const struct network_rule *rules);
/* NETWORK_NOT_REFUSED, NETWORK_NOT_LISTED, or NETWORK_PORT if rules allow the name with other ports only. */
enum network_refusal net_names_check(const struct net_names *n, struct str name, uint16_t port);
/* The same for an address, which only an address rule allows. */
enum network_refusal net_names_check_address(
		const struct net_names *n, const uint8_t address[IP_BYTES], uint16_t port);
/* True if a rule is about this name, with any port. */
bool net_names_listed(const struct net_names *n, struct str name);
/* The number of a listed name, assigned if need be. 0: the name is not listed, or no number is left. */
uint16_t net_names_assign(struct net_names *n, struct str name);
/* The name with this number; empty if it was never assigned. */
struct str net_names_get(const struct net_names *n, uint16_t number);
/* The name that this address (an IPv4 one in mapped form) stands for; empty if it stands for none. */
struct str net_names_of_address(const struct net_names *n, const uint8_t address[IP_BYTES]);
/* The addresses of a number. */
void net_names_v4(uint16_t number, uint8_t ret[4]);
void net_names_v6(uint16_t number, uint8_t ret[IP_BYTES]);
