/*
 * Internet addresses. Every address is 16 bytes in network order; an IPv4 address is mapped into IPv6
 * (::ffff:a.b.c.d). Pure: no resolver, no scope ids.
 */
#pragma once
#include "base/str.h"

#define IP_BYTES 16
#define IP_BITS 128
#define IP_MAPPED_BITS 96 /* length of the prefix ::ffff:0:0/96, behind which IPv4 addresses lie */
#define IP_TEXT_MAX 40    /* eight groups of four digits, and a NUL */

/*
 * Parses "192.0.2.1" (four decimal numbers without leading zeros) or an IPv6 address without brackets.
 * 0, or -1 for any other text; *ret is then untouched.
 */
int ip_parse(struct str text, uint8_t ret[IP_BYTES]);
bool ip_is_mapped(const uint8_t address[IP_BYTES]);
/* True if the first `bits` bits of both addresses are equal. */
bool ip_same_prefix(const uint8_t x[IP_BYTES], const uint8_t y[IP_BYTES], unsigned bits);
/* Canonical text: a mapped address in IPv4 form, others as RFC 5952 writes them. */
struct str ip_text(struct arena *a, const uint8_t address[IP_BYTES]);
/* The same into a buffer, with a NUL; returns the length. */
size_t ip_put(char to[IP_TEXT_MAX], const uint8_t address[IP_BYTES]);
