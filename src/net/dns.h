/*
 * Answers of the box's name server, which knows the allow-list and asks nobody: no query leaves the machine.
 *
 * Listed names have one A and one AAAA record, the address of net/names.h; they have no records of other
 * types, so no HTTPS record can offer an encrypted ClientHello. "localhost" is loopback. Every other name
 * does not exist. A reply is at most DNS_REPLY_EXTRA bytes longer than its query.
 */
#pragma once
#include "net/names.h"

#define DNS_REPLY_MAX 512
#define DNS_REPLY_EXTRA 28 /* one AAAA record */

struct dns_result {
	char name[NETWORK_HOST_MAX +
			1]; /* lower case, '?' for bytes that no name has; "" if there was no question */
	uint16_t type;
	/* NETWORK_NOT_LISTED or NETWORK_LIMIT for an address that was asked for and refused */
	enum network_refusal refusal;
};

/* Writes the reply to a query and returns its length; 0: no reply. */
size_t dns_answer(struct net_names *names, const uint8_t *query, size_t n, uint8_t ret[DNS_REPLY_MAX],
		struct dns_result *ret_result);
