/* Internet addresses: text to bytes and back. */
#include "base/ip.h"

#include "base/num.h"

#define GROUPS 8 /* of an IPv6 address, 16 bits each */

static const uint8_t mapped[IP_BYTES] = {[10] = 0xff, [11] = 0xff};

bool ip_same_prefix(const uint8_t x[IP_BYTES], const uint8_t y[IP_BYTES], unsigned bits)
{
	unsigned whole = bits / 8, rest = bits % 8;

	if (bits > IP_BITS || memcmp(x, y, whole) != 0)
		return false;
	return rest == 0 || ((x[whole] ^ y[whole]) & (0xff00 >> rest) & 0xff) == 0;
}

bool ip_is_mapped(const uint8_t address[IP_BYTES])
{
	return ip_same_prefix(address, mapped, IP_MAPPED_BITS);
}

static int parse_v4(struct str s, uint8_t ret[4])
{
	uint8_t bytes[4];

	for (size_t i = 0, at = 0; i < 4; i++) {
		ptrdiff_t dot = str_find(s, '.', at);
		size_t end = i == 3 ? s.n : (size_t)dot;
		int64_t n;
		if ((i == 3) != (dot < 0))
			return -1;
		struct str part = str_sub(s, at, end);
		if (part.n > 3 || (part.n > 1 && part.p[0] == '0') || num_parse(part, 0, 255, &n) != 0)
			return -1;
		if (part.p[0] == '-')
			return -1;
		bytes[i] = (uint8_t)n;
		at = end + 1;
	}
	memcpy(ret, bytes, 4);
	return 0;
}

/* One group of one to four hex digits at s[*at]; -1 if there is none. */
static int parse_group(struct str s, size_t *at)
{
	int n = 0;
	size_t i = *at;

	for (; i < s.n && i < *at + 4 && ascii_hex_value(s.p[i]) >= 0; i++)
		n = n * 16 + ascii_hex_value(s.p[i]);
	if (i == *at)
		return -1;
	*at = i;
	return n;
}

/* Takes the groups from s[*at] on, until the end or "::". Returns their bytes, or -1. */
static int parse_groups(struct str s, size_t *at, uint8_t *to, size_t room)
{
	size_t n = 0;

	while (*at < s.n) {
		size_t start = *at;
		int group = parse_group(s, at);
		if (group >= 0 && *at < s.n && s.p[*at] == '.') { /* the last 32 bits in IPv4 form */
			if (n + 4 > room || parse_v4(str_from(s, start), to + n) != 0)
				return -1;
			*at = s.n;
			return (int)n + 4;
		}
		if (group < 0 || n + 2 > room)
			return -1;
		to[n++] = (uint8_t)(group >> 8);
		to[n++] = (uint8_t)group;
		if (*at == s.n || (s.n - *at >= 2 && s.p[*at] == ':' && s.p[*at + 1] == ':'))
			return (int)n;
		if (s.p[*at] != ':' || ++*at == s.n)
			return -1;
	}
	return (int)n;
}

static int parse_v6(struct str s, uint8_t ret[IP_BYTES])
{
	uint8_t head[IP_BYTES] = {0}, tail[IP_BYTES] = {0};
	size_t at = 0;
	int nhead = 0, ntail;

	if (!str_starts(s, "::"))
		nhead = parse_groups(s, &at, head, IP_BYTES);
	if (nhead < 0)
		return -1;
	if (at < s.n) { /* "::" stands for at least one group */
		at += 2;
		ntail = parse_groups(
				s, &at, tail, (size_t)(IP_BYTES - 2 - nhead > 0 ? IP_BYTES - 2 - nhead : 0));
		if (ntail < 0 || at != s.n || nhead > IP_BYTES - 2)
			return -1;
		memcpy(head + IP_BYTES - ntail, tail, (size_t)ntail);
	} else if (nhead != IP_BYTES) {
		return -1;
	}
	memcpy(ret, head, IP_BYTES);
	return 0;
}

int ip_parse(struct str text, uint8_t ret[IP_BYTES])
{
	uint8_t v4[4];

	if (text.n == 0)
		return -1;
	if (str_has(text, ':'))
		return parse_v6(text, ret);
	if (parse_v4(text, v4) != 0)
		return -1;
	memcpy(ret, mapped, IP_MAPPED_BITS / 8);
	memcpy(ret + IP_MAPPED_BITS / 8, v4, 4);
	return 0;
}

static unsigned group_at(const uint8_t *address, size_t i)
{
	return (unsigned)address[2 * i] << 8 | address[2 * i + 1];
}

/* The first of the longest runs of zero groups, if it has at least two. */
static void find_zeros(const uint8_t *address, size_t *ret_at, size_t *ret_n)
{
	*ret_at = GROUPS;
	*ret_n = 1;
	for (size_t i = 0, n = 0; i < GROUPS; i++) {
		n = group_at(address, i) ? 0 : n + 1;
		if (n > *ret_n) {
			*ret_n = n;
			*ret_at = i + 1 - n;
		}
	}
}

size_t ip_put(char to[IP_TEXT_MAX], const uint8_t address[IP_BYTES])
{
	size_t zeros, nzeros, n = 0;

	if (ip_is_mapped(address))
		return str_put(to, IP_TEXT_MAX, "%u.%u.%u.%u", address[12], address[13], address[14],
				address[15]);
	find_zeros(address, &zeros, &nzeros);
	for (size_t i = 0; i < GROUPS;) {
		if (i == zeros) {
			n += str_put(to + n, IP_TEXT_MAX - n, "::");
			i += nzeros;
			continue;
		}
		bool first = i == 0 || i == zeros + nzeros;
		n += str_put(to + n, IP_TEXT_MAX - n, first ? "%x" : ":%x", group_at(address, i++));
	}
	return n;
}

struct str ip_text(struct arena *a, const uint8_t address[IP_BYTES])
{
	char text[IP_TEXT_MAX];
	return str_dup(a, str_n(text, ip_put(text, address)));
}
