/* src/net/names.c and special_address.c: the allow-list in use, the addresses of names, special addresses. */
#include <stdlib.h>

#include "net/names.h"
#include "net/special_address.h"
#include "unit.h"

/* Rules from texts, in order. */
static struct network_rule *rules_of(struct arena *a, const char *const *texts, size_t n)
{
	struct network_rule *first = NULL, **end = &first;

	for (size_t i = 0; i < n; i++) {
		*end = arena_new(a, struct network_rule);
		CHECK_INT(network_rule_parse(a, str_of(texts[i]), *end, NULL), 0);
		end = &(*end)->next;
	}
	return first;
}

static const char *const allowed[] = {"a.example", "b.example:22", "*.x.example:443", "*.x.example:8443",
		"special.x.example:22", "a.example:25", "192.0.2.0/24:22", "[2001:db8::1]"};

static const struct {
	const char *host;
	uint16_t port;
	enum network_refusal refusal;
} checks[] = {
		{"a.example", 443, NETWORK_NOT_REFUSED}, {"a.example", 80, NETWORK_NOT_REFUSED},
		{"a.example", 25, NETWORK_NOT_REFUSED}, {"a.example", 22, NETWORK_PORT},
		{"a.example", 0, NETWORK_PORT}, {"b.example", 22, NETWORK_NOT_REFUSED},
		{"b.example", 443, NETWORK_PORT}, {"c.example", 443, NETWORK_NOT_LISTED},
		{"example", 443, NETWORK_NOT_LISTED}, {"x.example", 443, NETWORK_NOT_LISTED},
		{"www.x.example", 443, NETWORK_NOT_REFUSED}, {"www.x.example", 8443, NETWORK_NOT_REFUSED},
		{"www.x.example", 80, NETWORK_PORT}, {"a.b.x.example", 443, NETWORK_NOT_REFUSED},
		{"wwwx.example", 443, NETWORK_NOT_LISTED}, {"special.x.example", 22, NETWORK_NOT_REFUSED},
		{"special.x.example", 443, NETWORK_NOT_REFUSED}, {"special.x.example", 80, NETWORK_PORT},
		{"x.special.x.example", 22, NETWORK_PORT}, {"", 443, NETWORK_NOT_LISTED},
		{"192.0.2.7", 22, NETWORK_NOT_LISTED}, /* an address rule allows no name */
};

static const struct {
	const char *address;
	uint16_t port;
	enum network_refusal refusal;
} address_checks[] = {
		{"192.0.2.7", 22, NETWORK_NOT_REFUSED},
		{"192.0.2.7", 80, NETWORK_PORT},
		{"192.0.3.7", 22, NETWORK_NOT_LISTED},
		{"2001:db8::1", 443, NETWORK_NOT_REFUSED},
		{"2001:db8::2", 443, NETWORK_NOT_LISTED},
		{"::192.0.2.7", 22, NETWORK_NOT_LISTED},
};

static void test_check(void)
{
	struct arena a;
	arena_init(&a, 16 << 20);
	struct net_names *n = net_names_new(&a, rules_of(&a, allowed, ARRAY_SIZE(allowed)));

	for (size_t i = 0; i < ARRAY_SIZE(checks); i++)
		CHECK_ROW(net_names_check(n, str_of(checks[i].host), checks[i].port) == checks[i].refusal,
				checks[i].host);
	for (size_t i = 0; i < ARRAY_SIZE(address_checks); i++) {
		uint8_t address[IP_BYTES];
		CHECK_INT(ip_parse(str_of(address_checks[i].address), address), 0);
		CHECK_ROW(net_names_check_address(n, address, address_checks[i].port) ==
						address_checks[i].refusal,
				address_checks[i].address);
	}
	arena_free(&a);
}

static struct str at_address(const struct net_names *n, const char *text)
{
	uint8_t address[IP_BYTES];
	CHECK_INT(ip_parse(str_of(text), address), 0);
	return net_names_of_address(n, address);
}

static void test_addresses(void)
{
	struct arena a;
	uint8_t v4[4], v6[IP_BYTES];
	arena_init(&a, 16 << 20);
	struct net_names *n = net_names_new(&a, rules_of(&a, allowed, ARRAY_SIZE(allowed)));

	CHECK_STR(at_address(n, "198.19.0.1"), "a.example");
	CHECK_STR(at_address(n, "198.19.0.2"), "b.example");
	CHECK_STR(at_address(n, "198.19.0.3"), "special.x.example");
	CHECK_STR(at_address(n, "198.19.0.4"), "");
	CHECK_STR(at_address(n, "198.19.0.0"), "");
	CHECK_STR(at_address(n, "fd00:ca15:0:1::2"), "b.example");
	CHECK_STR(at_address(n, "fd00:ca15:0:1:0:0:1:2"), "");
	CHECK_STR(at_address(n, "fd00:ca15::2"), "");
	CHECK_STR(at_address(n, "198.18.0.2"), "");
	CHECK_STR(at_address(n, "127.0.0.1"), "");
	CHECK_STR(at_address(n, "::198.19.0.1"), "");
	CHECK_INT(net_names_assign(n, STR("a.example")), 1);
	CHECK_INT(net_names_assign(n, STR("unlisted.example")), 0);
	CHECK_INT(net_names_assign(n, STR("x.example")), 0);
	CHECK_INT(net_names_assign(n, STR("-.x.example")), 0);
	CHECK_INT(net_names_assign(n, STR("A.x.example")), 0);
	CHECK_INT(net_names_assign(n, STR("")), 0);
	CHECK_INT(net_names_assign(n, STR("www.x.example")), 4);
	CHECK_INT(net_names_assign(n, STR("cdn.x.example")), 5);
	CHECK_INT(net_names_assign(n, STR("www.x.example")), 4);
	CHECK_STR(at_address(n, "198.19.0.4"), "www.x.example");
	CHECK_STR(at_address(n, "fd00:ca15:0:1::5"), "cdn.x.example");
	net_names_v4(0x1234, v4);
	net_names_v6(0x1234, v6);
	CHECK(memcmp(v4, (uint8_t[]){198, 19, 0x12, 0x34}, 4) == 0);
	CHECK(v6[0] == 0xfd && v6[2] == 0xca && v6[7] == 1 && v6[14] == 0x12 && v6[15] == 0x34);
	arena_free(&a);
}

/* A program that asks for names below a domain without end stops getting new ones; the others keep theirs. */
static void test_flood(void)
{
	struct arena a;
	char name[NETWORK_HOST_MAX + 1];
	unsigned got = 0;
	arena_init(&a, 16 << 20);
	struct net_names *n = net_names_new(&a, rules_of(&a, allowed, ARRAY_SIZE(allowed)));

	CHECK_INT(net_names_assign(n, STR("www.x.example")), 4);
	for (unsigned i = 0; i < 3 * NET_NAMES_BELOW_MAX; i++) {
		size_t len = str_put(name, sizeof(name), "n%u.x.example", i);
		uint16_t number = net_names_assign(n, str_n(name, len));
		got += number != 0;
		if (number)
			CHECK_STR(net_names_get(n, number), name);
	}
	CHECK_INT(got, NET_NAMES_BELOW_MAX - 1);
	CHECK_INT(net_names_assign(n, STR("n0.x.example")), 5);
	CHECK_INT(net_names_assign(n, STR("www.x.example")), 4);
	CHECK_INT(net_names_assign(n, STR("b.example")), 2);
	CHECK_STR(net_names_get(n, UINT16_MAX), "");
	arena_free(&a);
}

/* Long names use up the bytes before the numbers. At least 4,096 of any length fit. */
static void test_long_flood(void)
{
	struct arena a;
	char name[NETWORK_HOST_MAX + 1];
	unsigned got = 0;
	arena_init(&a, 16 << 20);
	struct net_names *n = net_names_new(&a, rules_of(&a, allowed, ARRAY_SIZE(allowed)));

	memset(name, 'a', sizeof(name));
	for (size_t i = 63; i < 240; i += 64)
		name[i] = '.';
	memcpy(name + NETWORK_HOST_MAX - 10, ".x.example", 10);
	for (unsigned i = 0; i < NET_NAMES_BELOW_MAX; i++) {
		char digits[9];
		(void)str_put(digits, sizeof(digits), "%08u", i);
		memcpy(name, digits, 8);
		got += net_names_assign(n, str_n(name, NETWORK_HOST_MAX)) != 0;
	}
	CHECK(got >= 4096);
	CHECK(got < NET_NAMES_BELOW_MAX);
	CHECK_INT(net_names_assign(n, STR("b.example")), 2);
	arena_free(&a);
}

static void test_many_rules(void)
{
	struct arena a;
	char name[40];
	struct network_rule *first = NULL;
	arena_init(&a, 16 << 20);

	for (int i = NETWORK_RULES_MAX + 10; i > 0; i--) {
		struct network_rule *r = arena_new(&a, struct network_rule);
		(void)str_put(name, sizeof(name), "n%d.example", i);
		CHECK_INT(network_rule_parse(&a, str_of(name), r, NULL), 0);
		r->next = first;
		first = r;
	}
	struct net_names *n = net_names_new(&a, first);
	CHECK_INT(net_names_assign(n, STR("n512.example")), 512);
	CHECK_INT(net_names_assign(n, STR("n513.example")), 0);
	n = net_names_new(&a, NULL);
	CHECK_INT(net_names_check(n, STR("a.example"), 443), NETWORK_NOT_LISTED);
	arena_free(&a);
}

/* ---- special addresses ---- */

static const char *const special[] = {"0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0",
		"100.100.100.200", "100.127.255.255", "127.0.0.1", "127.255.255.255", "168.63.129.16",
		"169.254.0.1", "169.254.169.254", "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.192",
		"192.0.0.255", "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.1",
		"198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.0",
		"255.255.255.254", "255.255.255.255", "::ffff:127.0.0.1", "::", "::1", "::2", "::127.0.0.1",
		"::8.8.8.8", "::ffff:0:127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::127.0.0.1",
		"64:ff9b::169.254.169.254", "64:ff9b:1::8.8.8.8", "64:ff9b:0:0:0:1:808:808", "100::1",
		"2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:1ff:ffff::1", "2001:db8::1",
		"2001:db8:ffff::1", "2002:7f00:1::1", "2002:a00:1::1", "2002:808:808::1", "3fff::1",
		"3fff:fff::1", "4000::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fd00:ca15:0:1::1",
		"fdff::1", "fe00::1", "fe80::1", "febf::1", "fec0::1", "ff02::1", "ff0e::1"};

static const char *const public[] = {"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255",
		"100.128.0.0", "126.255.255.255", "128.0.0.0", "168.63.129.15", "168.63.129.17",
		"169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0",
		"192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "203.0.112.255",
		"203.0.114.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2001:200::1",
		"2001:4860:4860::8888", "2001:db7::1", "2001:db9::1", "2000::1", "2003::1", "2606:4700::1111",
		"2a00:1450::1", "3ffe::1", "3fff:1000::1"};

static void test_special(void)
{
	uint8_t address[IP_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(special); i++) {
		CHECK_ROW(ip_parse(str_of(special[i]), address) == 0, special[i]);
		CHECK_ROW(special_address(address) != NULL, special[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(public); i++) {
		CHECK_ROW(ip_parse(str_of(public[i]), address) == 0, public[i]);
		CHECK_ROW(special_address(address) == NULL, public[i]);
	}
}

/* A registry of the person's own network; never this machine, a cloud's metadata or many hosts at once. */
static void test_on_site(void)
{
	static const char *const yes[] = {"10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1",
			"203.0.113.9", "fd12::1", "::ffff:10.0.0.1", "64:ff9b::a00:1"};
	static const char *const no[] = {"127.0.0.1", "0.0.0.0", "169.254.169.254",
			"168.63.129.16", "224.0.0.1", "198.18.0.1", "255.255.255.255", "8.8.8.8",
			"::1", "::", "fe80::1", "ff02::1", "2600::1", "64:ff9b::7f00:1",
			"100.100.100.200", "fd00:ec2::254", "fd00:ca15:0:1::1"};
	uint8_t address[IP_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(yes); i++) {
		CHECK_ROW(ip_parse(str_of(yes[i]), address) == 0, yes[i]);
		CHECK_ROW(special_address_on_site(address), yes[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(no); i++) {
		CHECK_ROW(ip_parse(str_of(no[i]), address) == 0, no[i]);
		CHECK_ROW(!special_address_on_site(address), no[i]);
	}
}

int main(void)
{
	RUN(test_check);
	RUN(test_addresses);
	RUN(test_flood);
	RUN(test_long_flood);
	RUN(test_many_rules);
	RUN(test_special);
	RUN(test_on_site);
	return unit_end();
}
