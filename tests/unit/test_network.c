/* src/base/ip.c, src/model/network.c and network_report.c: addresses, modes, and the rules of allow-lists. */
#include <arpa/inet.h>
#include <stdlib.h>

#include "model/network.h"
#include "model/network_report.h"
#include "unit.h"

/* ---- addresses ---- */

static const struct {
	const char *text, *canonical; /* NULL: not an address */
} addresses[] = {
		{"192.0.2.1", "192.0.2.1"},
		{"0.0.0.0", "0.0.0.0"},
		{"255.255.255.255", "255.255.255.255"},
		{"::", "::"},
		{"::1", "::1"},
		{"1::", "1::"},
		{"2001:DB8::1", "2001:db8::1"},
		{"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
		{"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
		{"1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"},
		{"::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"},
		{"1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"},
		{"0001:2::3.4.5.6", "1:2::304:506"},
		{"::ffff:192.0.2.1", "192.0.2.1"},
		{"::ffff:c000:201", "192.0.2.1"},
		{"1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"},
		{"", NULL},
		{".", NULL},
		{"1.2.3", NULL},
		{"1.2.3.4.5", NULL},
		{"1.2.3.", NULL},
		{".1.2.3", NULL},
		{"1..2.3", NULL},
		{"01.2.3.4", NULL},
		{"1.2.3.256", NULL},
		{"1.2.3.-1", NULL},
		{"1.2.3.-0", NULL},
		{"1.2.3.4 ", NULL},
		{"0x7f.0.0.1", NULL},
		{"2130706433", NULL},
		{":", NULL},
		{":::", NULL},
		{"::::", NULL},
		{"1:", NULL},
		{":1", NULL},
		{"1::2::3", NULL},
		{"1:2:3:4:5:6:7", NULL},
		{"1:2:3:4:5:6:7:8:9", NULL},
		{"1:2:3:4:5:6:7:8::", NULL},
		{"::1:2:3:4:5:6:7:8", NULL},
		{"1:2:3:4::5:6:7:8", NULL},
		{"1:2:3:4:5:6:7:", NULL},
		{"12345::", NULL},
		{"g::", NULL},
		{"::1.2.3", NULL},
		{"::1.2.3.4:5", NULL},
		{"1.2.3.4::", NULL},
		{"1:2:3:4:5:6:7:1.2.3.4", NULL},
		{"1::3:4:5:6:7:1.2.3.4", NULL},
		{"fe80::1%eth0", NULL},
		{"[::1]", NULL},
};

static void check_address(struct str text, const char *canonical)
{
	uint8_t got[IP_BYTES], libc[IP_BYTES] = {[10] = 0xff, [11] = 0xff};
	char c[64], put[IP_TEXT_MAX];
	int r = ip_parse(text, got);

	(void)str_put(c, sizeof(c), "%.*s", STR_ARG(text));
	bool v6 = strchr(c, ':') != NULL;
	int want = inet_pton(v6 ? AF_INET6 : AF_INET, c, v6 ? libc : libc + 12) == 1 ? 0 : -1;
	CHECK_INT(r, want);
	if (r != want)
		printf("#   '%s'\n", c);
	if (r != 0 || want != 0)
		return;
	CHECK(memcmp(got, libc, IP_BYTES) == 0);
	size_t n = ip_put(put, got);
	if (canonical)
		CHECK_STR(str_n(put, n), canonical);
	CHECK(ip_parse(str_n(put, n), libc) == 0 && memcmp(got, libc, IP_BYTES) == 0);
}

/* Every text gets the answer of the C library, also texts made of the same few characters by chance. */
static void test_addresses(void)
{
	static const char alphabet[] = "0123ff:::::....a";
	uint32_t seed = 1;

	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		uint8_t ret[IP_BYTES];
		CHECK_INT(ip_parse(str_of(addresses[i].text), ret), addresses[i].canonical ? 0 : -1);
		check_address(str_of(addresses[i].text), addresses[i].canonical);
	}
	for (int i = 0; i < 200000; i++) {
		char text[24];
		size_t n = 0, want = 1 + (seed >> 20) % 20;
		for (; n < want; n++) {
			seed = seed * 1664525 + 1013904223;
			text[n] = alphabet[(seed >> 24) % (sizeof(alphabet) - 1)];
		}
		check_address(str_n(text, n), NULL);
	}
}

static void test_prefixes(void)
{
	uint8_t x[IP_BYTES] = {0xff, 0x80}, y[IP_BYTES] = {0xff, 0xc0};

	CHECK(ip_same_prefix(x, y, 0));
	CHECK(ip_same_prefix(x, y, 8));
	CHECK(ip_same_prefix(x, y, 9));
	CHECK(!ip_same_prefix(x, y, 10));
	CHECK(!ip_same_prefix(x, y, IP_BITS));
	CHECK(ip_same_prefix(x, x, IP_BITS));
	CHECK(!ip_same_prefix(x, x, IP_BITS + 1));
}

/* ---- modes ---- */

static void test_modes(void)
{
	struct network_spec n = {.mode = NETWORK_NAMES};

	CHECK(network_isolated(&n));
	CHECK(network_has_sockets(&n));
	CHECK(network_has_loopback(&n));
	CHECK(network_has_names(&n));
	CHECK(!network_uses_host_dns(&n));
	CHECK_STR(str_of(network_name(&n)), "names");
	for (int mode = NETWORK_DENY; mode <= NETWORK_HOST; mode++) {
		struct network_spec one = {.mode = (enum network_mode)mode}, parsed = {.mode = NETWORK_DENY};
		CHECK_INT(network_has_names(&one), mode == NETWORK_NAMES);
		CHECK_INT(network_parse(str_of(network_name(&one)), &parsed), mode == NETWORK_NAMES ? -1 : 0);
		CHECK_INT(parsed.mode, mode == NETWORK_NAMES ? NETWORK_DENY : mode);
		CHECK(parsed.rules == NULL);
	}
	n.mode = (enum network_mode)99;
	CHECK(network_isolated(&n) && !network_has_sockets(&n) && !network_has_names(&n));
}

/* ---- rules ---- */

static const struct {
	const char *text, *canonical;
	enum network_rule_kind kind;
	unsigned bits;
	uint16_t ports[NETWORK_PORTS_MAX];
} rules[] = {
		{"example.org", "example.org", NETWORK_NAME, 0, {80, 443}},
		{"Example.ORG.", "example.org", NETWORK_NAME, 0, {80, 443}},
		{"example.org:443", "example.org:443", NETWORK_NAME, 0, {443}},
		{"example.org:443+22+443", "example.org:22+443", NETWORK_NAME, 0, {22, 443}},
		{"example.org:443+80", "example.org", NETWORK_NAME, 0, {80, 443}},
		{"example.org.:65535", "example.org:65535", NETWORK_NAME, 0, {65535}},
		{"h:1+2+3+4+5+6+7+8", "h:1+2+3+4+5+6+7+8", NETWORK_NAME, 0, {1, 2, 3, 4, 5, 6, 7, 8}},
		{"registry", "registry", NETWORK_NAME, 0, {80, 443}},
		{"xn--bcher-kva.example", "xn--bcher-kva.example", NETWORK_NAME, 0, {80, 443}},
		{"my_bucket.s3.example", "my_bucket.s3.example", NETWORK_NAME, 0, {80, 443}},
		{"_srv.example.org", "_srv.example.org", NETWORK_NAME, 0, {80, 443}},
		{"1.example", "1.example", NETWORK_NAME, 0, {80, 443}},
		{"3com.com", "3com.com", NETWORK_NAME, 0, {80, 443}},
		{"a.0xg", "a.0xg", NETWORK_NAME, 0, {80, 443}},
		{"*.example.org", "*.example.org", NETWORK_DOMAIN, 0, {80, 443}},
		{"*.Example.org.:8443", "*.example.org:8443", NETWORK_DOMAIN, 0, {8443}},
		{"192.0.2.1", "192.0.2.1", NETWORK_ADDRESS, 128, {80, 443}},
		{"192.0.2.1:22", "192.0.2.1:22", NETWORK_ADDRESS, 128, {22}},
		{"192.0.2.0/24", "192.0.2.0/24", NETWORK_ADDRESS, 120, {80, 443}},
		{"10.0.0.0/8:5432", "10.0.0.0/8:5432", NETWORK_ADDRESS, 104, {5432}},
		{"192.0.2.1/32", "192.0.2.1", NETWORK_ADDRESS, 128, {80, 443}},
		{"2001:DB8::1", "[2001:db8::1]", NETWORK_ADDRESS, 128, {80, 443}},
		{"[2001:db8::1]", "[2001:db8::1]", NETWORK_ADDRESS, 128, {80, 443}},
		{"[2001:db8::1]:443", "[2001:db8::1]:443", NETWORK_ADDRESS, 128, {443}},
		{"[2001:db8::]/32:443", "[2001:db8::]/32:443", NETWORK_ADDRESS, 32, {443}},
		{"2001:db8::/32", "[2001:db8::]/32", NETWORK_ADDRESS, 32, {80, 443}},
		{"1:2:3:4:5:6:7:8", "[1:2:3:4:5:6:7:8]", NETWORK_ADDRESS, 128, {80, 443}},
		{"[2001:db8::1:443]", "[2001:db8::1:443]", NETWORK_ADDRESS, 128, {80, 443}},
		{"2001:db8::1:a", "[2001:db8::1:a]", NETWORK_ADDRESS, 128, {80, 443}},
		{"2001:db8::1:0/112", "[2001:db8::1:0]/112", NETWORK_ADDRESS, 112, {80, 443}},
		{"[::ffff:192.0.2.1]:22", "192.0.2.1:22", NETWORK_ADDRESS, 128, {22}},
};

static const char *const bad_rules[] = {"", ".", "..", "*", "*.", "*.com", "*.com.", "*.*.com",
		"*example.org", "a.*.example.org", "**.example.org", "a..b", ".a", "a.b..", "-a.example",
		"a-.example", "_", "__._", "_.example", "a b", "a\tb", "a/b", "a@b", "a,b", "a\nb",
		"http://example.org", "example.org/path", "example.org:", "example.org:0",
		"example.org:65536", "example.org:-1", "example.org: 1", "example.org:+", "example.org:+1",
		"example.org:1+", "example.org:1+2+3+4+5+6+7+8+9", "example.org:http", "example.org:1:2",
		"example.org:*", "127.1", "1.2.3", "0x7f.1", "2130706433", "0x7f000001", "1.2.3.4.5",
		"01.2.3.4", "a.1", "a.0x1", "a.0x", "1.2.3.4.", "1.2.3.4/33", "1.2.3.4/24", "0.0.0.0/0",
		"0.0.0.0/7", "1.2.3.4/", "1.2.3.4/-1", "1.2.3.4/8/8", "1.2.3.4:80/8", "[1.2.3.4]", "[", "[]",
		"[::1", "::1]", "[::1]x", "[::1]443", "[::1]:", "[::1]/", "[::]/0", "[::]/15", "[::]/16",
		"[::]/80", "[::fffe:0:0]/95", "[2001:db8::1]/32", "[2001:db8::]/129", "[fe80::1%eth0]",
		"preset:registries", "preset:registries/npm", "host", "Host", "deny", "loopback", "names",
		"none", "all", "allow-list", "host:443", "Host.", "names.:443", "localhost", "LOCALHOST.",
		"a.localhost", "*.a.localhost", "b\303\274cher.example", "\xff", "example.org\\",
		"%65xample.org", "2001:db8::1:443", "1:2:3:4:5:6:7::8:80", "https://example.org/"};

/* Mistakes that people make, and words of the message that tells them. */
static const struct {
	const char *text, *says;
} mistakes[] = {
	{"https://example.org/", "without 'https://'"},
	{"http://example.org:8080", "without 'https://'"},
	{"2001:db8::1:443", "in brackets"},
	{"*.com", "at least two labels"},
	{"localhost", "own loopback"},
};

static void test_mistakes(void)
{
	struct arena a;
	arena_init(&a, 1 << 20);

	for (size_t i = 0; i < ARRAY_SIZE(mistakes); i++) {
		struct network_rule r;
		struct err e = {0};
		CHECK_INT(network_rule_parse(&a, str_of(mistakes[i].text), &r, &e), -1);
		CHECK_ROW(str_contains(str_of(e.text), str_of(mistakes[i].says)), mistakes[i].text);
	}
	arena_free(&a);
}

static void test_rules(void)
{
	struct arena a;
	arena_init(&a, 1 << 20);

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		struct network_rule r, again;
		struct err e = {0};
		size_t n = 0;
		CHECK_INT(network_rule_parse(&a, str_of(rules[i].text), &r, &e), 0);
		if (e.kind)
			printf("#   %s: %s\n", rules[i].text, e.text);
		struct str text = network_rule_text(&a, &r);
		CHECK_STR(text, rules[i].canonical);
		CHECK_INT(r.kind, rules[i].kind);
		CHECK_INT(r.bits, rules[i].bits);
		CHECK(r.next == NULL);
		for (; n < NETWORK_PORTS_MAX && rules[i].ports[n]; n++)
			CHECK_INT(r.ports[n], rules[i].ports[n]);
		CHECK_INT(r.nports, n);
		CHECK_INT(network_rule_parse(&a, text, &again, &e), 0);
		CHECK(network_rule_covers(&r, &again) && network_rule_covers(&again, &r));
	}
	arena_free(&a);
}

static void test_bad_rules(void)
{
	struct arena a;
	arena_init(&a, 1 << 20);

	for (size_t i = 0; i < ARRAY_SIZE(bad_rules); i++) {
		struct network_rule r = {.nports = 77};
		struct err e = {0};
		CHECK_INT(network_rule_parse(&a, str_of(bad_rules[i]), &r, &e), -1);
		if (e.kind != ERR_INPUT || r.nports != 77)
			unit_fail(__FILE__, __LINE__, "'%s' is not refused: %s", bad_rules[i], e.text);
	}
	arena_free(&a);
}

/* A name of 253 bytes with labels of 63 passes; one byte more in the name or in a label does not. */
static void test_lengths(void)
{
	struct arena a;
	struct network_rule r;
	char name[300];
	arena_init(&a, 1 << 20);

	memset(name, 'a', sizeof(name));
	for (size_t i = 63; i < sizeof(name); i += 64)
		name[i] = '.';
	CHECK_INT(network_rule_parse(&a, str_n(name, 253), &r, NULL), 0);
	name[253] = '.';
	CHECK_INT(network_rule_parse(&a, str_n(name, 254), &r, NULL), 0);
	CHECK_INT(r.name.n, 253);
	name[253] = 'a';
	CHECK_INT(network_rule_parse(&a, str_n(name, 254), &r, NULL), -1);
	CHECK_INT(network_rule_parse(&a, str_n(name, 63), &r, NULL), 0);
	name[63] = 'a';
	CHECK_INT(network_rule_parse(&a, str_n(name, 64), &r, NULL), -1);
	CHECK_INT(network_rule_parse(&a, str_n("a\0b", 3), &r, NULL), -1);
	arena_free(&a);
}

static const struct {
	const char *outer, *inner;
	bool covers;
} pairs[] = {
		{"a.example", "a.example", true},
		{"a.example", "a.example:443", true},
		{"a.example:443", "a.example", false},
		{"a.example:22+443", "a.example:443", true},
		{"a.example", "b.example", false},
		{"a.example", "a.example:22", false},
		{"*.x.example", "a.x.example", true},
		{"*.x.example", "a.b.x.example", true},
		{"*.x.example", "x.example", false},
		{"*.x.example", "ax.example", false},
		{"*.x.example", "ax.example.org", false},
		{"*.x.example", "*.x.example", true},
		{"*.x.example", "*.a.x.example", true},
		{"*.a.x.example", "*.x.example", false},
		{"a.x.example", "*.x.example", false},
		{"x.example", "*.x.example", false},
		{"*.x.example", "a.x.example:22", false},
		{"10.0.0.0/8", "10.1.0.0/16", true},
		{"10.1.0.0/16", "10.0.0.0/8", false},
		{"10.0.0.0/8", "10.1.2.3", true},
		{"10.0.0.0/8", "11.1.2.3", false},
		{"10.1.2.3", "10.1.2.3:80", true},
		{"[2001:db8::]/32", "[2001:db8:1::]/48", true},
		{"[2001:db8::]/32", "10.0.0.0/8", false},
		{"[2001:db8::]/32", "a.example", false},
		{"a.example", "10.0.0.1", false},
};

static void test_covers(void)
{
	struct arena a;
	arena_init(&a, 1 << 20);

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		struct network_rule outer, inner;
		CHECK_INT(network_rule_parse(&a, str_of(pairs[i].outer), &outer, NULL), 0);
		CHECK_INT(network_rule_parse(&a, str_of(pairs[i].inner), &inner, NULL), 0);
		if (network_rule_covers(&outer, &inner) != pairs[i].covers)
			unit_fail(__FILE__, __LINE__, "%s covers %s: expected %d", pairs[i].outer,
					pairs[i].inner, pairs[i].covers);
	}
	arena_free(&a);
}

static void test_refusals(void)
{
	for (int i = 1; i < NETWORK_REFUSALS; i++) {
		CHECK(network_refusal_name((enum network_refusal)i)[0]);
		CHECK(network_refusal_text((enum network_refusal)i)[0]);
		for (int k = 1; k < i; k++)
			CHECK(strcmp(network_refusal_name((enum network_refusal)i),
					network_refusal_name((enum network_refusal)k)));
	}
	CHECK_STR(str_of(network_refusal_name((enum network_refusal)200)), "unknown");
	CHECK_STR(str_of(network_refusal_name(NETWORK_NOT_REFUSED)), "");
}

int main(void)
{
	RUN(test_addresses);
	RUN(test_prefixes);
	RUN(test_modes);
	RUN(test_rules);
	RUN(test_bad_rules);
	RUN(test_mistakes);
	RUN(test_lengths);
	RUN(test_covers);
	RUN(test_refusals);
	return unit_end();
}
