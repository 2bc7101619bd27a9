/* The table of special addresses. The first row that fits decides. */
#include "net/special_address.h"

#define V4(a, b, c, d)                        \
	{                                     \
		[10] = 0xff, 0xff, a, b, c, d \
	}
#define V4_BITS(n) (IP_MAPPED_BITS + (n))
#define PUBLIC NULL

static const struct {
	uint8_t start[IP_BYTES];
	unsigned bits;
	const char *why;
} ranges[] = {
		{V4(0, 0, 0, 0), V4_BITS(8), "this network"},
		{V4(10, 0, 0, 0), V4_BITS(8), "private"},
		{V4(100, 64, 0, 0), V4_BITS(10), "carrier-grade NAT"},
		{V4(127, 0, 0, 0), V4_BITS(8), "loopback"},
		{V4(168, 63, 129, 16), V4_BITS(32), "cloud platform"},
		{V4(169, 254, 0, 0), V4_BITS(16), "link-local"},
		{V4(172, 16, 0, 0), V4_BITS(12), "private"},
		{V4(192, 0, 0, 0), V4_BITS(24), "protocol assignments"},
		{V4(192, 0, 2, 0), V4_BITS(24), "documentation"},
		{V4(192, 88, 99, 0), V4_BITS(24), "6to4 relay"},
		{V4(192, 168, 0, 0), V4_BITS(16), "private"},
		{V4(198, 18, 0, 0), V4_BITS(15), "benchmarking"}, /* the boxes' own addresses lie here */
		{V4(198, 51, 100, 0), V4_BITS(24), "documentation"},
		{V4(203, 0, 113, 0), V4_BITS(24), "documentation"},
		{V4(224, 0, 0, 0), V4_BITS(4), "multicast"},
		{V4(255, 255, 255, 255), V4_BITS(32), "broadcast"},
		{V4(240, 0, 0, 0), V4_BITS(4), "reserved"},
		{V4(0, 0, 0, 0), V4_BITS(0), PUBLIC},

		{{0}, 128, "unspecified"},
		{{[15] = 1}, 128, "loopback"},
		{{0xfc}, 7, "private"}, /* unique local; the boxes' own addresses lie here */
		{{0xfe, 0x80}, 10, "link-local"},
		{{0xfe, 0xc0}, 10, "site-local"},
		{{0xff}, 8, "multicast"},
		{{0x20, 0x01, 0x0d, 0xb8}, 32, "documentation"},
		{{0x3f, 0xff}, 20, "documentation"},
		{{0x20, 0x01}, 23, "protocol assignments"}, /* Teredo is 2001::/32 */
		{{0x20, 0x02}, 16, "6to4"},
		{{0x20}, 3, PUBLIC},
		{{0}, 0, "reserved"},
};

static const uint8_t nat64[IP_BYTES] = {0x00, 0x64, 0xff, 0x9b};

const char *special_address(const uint8_t address[IP_BYTES])
{
	uint8_t inner[IP_BYTES] = V4(0, 0, 0, 0);

	if (ip_same_prefix(address, nat64, 96)) {
		memcpy(inner + 12, address + 12, 4);
		address = inner;
	}
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (ip_same_prefix(address, ranges[i].start, ranges[i].bits))
			return ranges[i].why;
	return "reserved";
}
