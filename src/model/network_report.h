/*
 * Connections that the relay carried or refused. The struct has a fixed size and no pointers: it lives in
 * memory that the relay and the launcher share. The relay reads hostile bytes, so the launcher trusts no
 * number in it beyond its bounds.
 *
 * A refused name query is a row with port 0. Equal refusals share one row, and so do connections to one host
 * and port: `count` says how many. When the rows are used up, `allowed` and `refused` go on counting, and
 * `left_out` says how many of both no row counts: with every `count` it makes `allowed` plus `refused`.
 */
#pragma once
#include <stdint.h>

#include "model/network.h"

#define NETWORK_REPORT_MAX 128

enum network_refusal {
	NETWORK_NOT_REFUSED,
	NETWORK_NOT_LISTED, /* the name or address */
	NETWORK_PORT,       /* the host is listed, with other ports */
	NETWORK_NO_SNI,
	NETWORK_OTHER_SNI,
	NETWORK_ECH, /* encrypted ClientHello */
	NETWORK_BAD_TLS,
	NETWORK_OTHER_HOST, /* a request's Host header or target */
	NETWORK_BAD_HTTP,
	NETWORK_PRIVATE, /* the name resolves to a private or special address */
	NETWORK_UNRESOLVED,
	NETWORK_UNREACHABLE,
	NETWORK_PROXY, /* the host's own proxy refused or failed */
	NETWORK_LIMIT,
	NETWORK_REFUSALS
};

struct network_connection {
	char host[NETWORK_HOST_MAX + 1]; /* NUL-terminated by the relay; the launcher checks */
	uint16_t port;
	uint8_t refusal;
	uint64_t bytes_in, bytes_out; /* as the box sees them */
	uint32_t ms;                  /* of the longest connection */
	uint32_t count;
};

struct network_report {
	uint64_t allowed, refused, left_out;
	uint32_t n;
	uint32_t flushes; /* the relay's count of its launcher's wishes to flush that are done */
	struct network_connection rows[NETWORK_REPORT_MAX];
};

/* Id for JSON reports; "" for NETWORK_NOT_REFUSED and "unknown" outside the enum. */
const char *network_refusal_name(enum network_refusal r);
/* The reason for a person, as the end of a sentence: "the host is not listed". */
const char *network_refusal_text(enum network_refusal r);
