/* The table of special addresses. The first row that fits decides. */
#include "net/special_address.h"

#define V4(a, b, c, d)                        \
	{                                     \
		[10] = 0xff, 0xff, a, b, c, d \
	}
#define V4_BITS(n) (IP_MAPPED_BITS + (n))
#define PUBLIC NULL

static const struct special_range {
	uint8_t start[IP_BYTES];
	unsigned bits;
	const char *why;
	bool on_site;
} ranges[] = {
		{V4(0, 0, 0, 0), V4_BITS(8), "this network", false},
		{V4(10, 0, 0, 0), V4_BITS(8), "private", true},
		{V4(100, 100, 100, 200), V4_BITS(32), "cloud platform", false},
		{V4(100, 64, 0, 0), V4_BITS(10), "carrier-grade NAT", true},
		{V4(127, 0, 0, 0), V4_BITS(8), "loopback", false},
		{V4(168, 63, 129, 16), V4_BITS(32), "cloud platform", false},
		{V4(169, 254, 0, 0), V4_BITS(16), "link-local", false},
		{V4(172, 16, 0, 0), V4_BITS(12), "private", true},
		{V4(192, 0, 0, 0), V4_BITS(24), "protocol assignments", false},
		{V4(192, 0, 2, 0), V4_BITS(24), "documentation", true},
		{V4(192, 88, 99, 0), V4_BITS(24), "6to4 relay", false},
		{V4(192, 168, 0, 0), V4_BITS(16), "private", true},
		/* the boxes' own addresses lie here */
		{V4(198, 18, 0, 0), V4_BITS(15), "benchmarking", false},
		{V4(198, 51, 100, 0), V4_BITS(24), "documentation", true},
		{V4(203, 0, 113, 0), V4_BITS(24), "documentation", true},
		{V4(224, 0, 0, 0), V4_BITS(4), "multicast", false},
		{V4(255, 255, 255, 255), V4_BITS(32), "broadcast", false},
		{V4(240, 0, 0, 0), V4_BITS(4), "reserved", false},
		{V4(0, 0, 0, 0), V4_BITS(0), PUBLIC, false},

		{{0}, 128, "unspecified", false},
		{{[15] = 1}, 128, "loopback", false},
		{{0xfd, 0x00, 0xca, 0x15}, 32, "boxes", false}, /* their own addresses */
		{{0xfd, 0x00, 0x0e, 0xc2}, 32, "cloud platform", false},
		{{0xfc}, 7, "private", true}, /* unique local */
		{{0xfe, 0x80}, 10, "link-local", false},
		{{0xfe, 0xc0}, 10, "site-local", true},
		{{0xff}, 8, "multicast", false},
		{{0x20, 0x01, 0x0d, 0xb8}, 32, "documentation", true},
		{{0x3f, 0xff}, 20, "documentation", true},
		{{0x20, 0x01}, 23, "protocol assignments", false}, /* Teredo is 2001::/32 */
		{{0x20, 0x02}, 16, "6to4", false},
		{{0x20}, 3, PUBLIC, false},
		{{0}, 0, "reserved", false},
};

static const uint8_t nat64[IP_BYTES] = {0x00, 0x64, 0xff, 0x9b};

/* The row of an address; NULL: none, which makes it reserved. */
static const struct special_range *find_range(const uint8_t address[IP_BYTES])
{
	uint8_t inner[IP_BYTES] = V4(0, 0, 0, 0);

	if (ip_same_prefix(address, nat64, 96)) {
		memcpy(inner + 12, address + 12, 4);
		address = inner;
	}
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (ip_same_prefix(address, ranges[i].start, ranges[i].bits))
			return &ranges[i];
	return NULL;
}

const char *special_address(const uint8_t address[IP_BYTES])
{
	const struct special_range *r = find_range(address);

	return r ? r->why : "reserved";
}

bool special_address_on_site(const uint8_t address[IP_BYTES])
{
	const struct special_range *r = find_range(address);

	return r && r->on_site;
}
