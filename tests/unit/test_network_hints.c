/* src/run/network_hints: the host of a failed connection, in messages of real programs and in reports. */
#include "run/network_hints.h"

#include "unit.h"

static struct arena arena;

/* Messages as programs print them; NULL: none of them names a host. */
static void test_messages(void)
{
	static const struct {
		const char *text, *rule;
	} rows[] = {
		{"npm error request to https://registry.example.org/x failed, reason: getaddrinfo EAI_AGAIN",
				"registry.example.org"},
		{"getaddrinfo ENOTFOUND api.example.org\n", "api.example.org"},
		{"curl: (6) Could not resolve host: example.org\n", "example.org"},
		{"curl: (7) Failed to connect to https://example.org:8443/ port 8443", "example.org:8443"},
		{"fatal: unable to access 'http://git.example.net:80/x/': Could not", "git.example.net"},
		{"ssh: Could not resolve hostname git.example.net: Temporary failure in name resolution",
				"git.example.net:22"},
		{"Temporary failure resolving 'deb.example.org'", "deb.example.org"},
		{"HTTPSConnectionPool(host='pypi.example.org', port=443): Max retries exceeded",
				"pypi.example.org"},
		{"dial tcp: lookup proxy.example.org on 127.0.0.1:53: read udp", "proxy.example.org"},
		{"wget: unable to resolve host address 'w.example.org'", "w.example.org"},
		/* no host, or no valid one */
		{"Network is unreachable", NULL},
		{"https://localhost/x failed", NULL},
		{"https://$(evil).example.org/", NULL},
		{"https://\x1b[31mexample.org/", NULL},
		{"https://10.0.0.1/", NULL},
		{"lookup .", NULL}, {"lookup ", NULL}, {"://", NULL}, {"host='", NULL},
		{"https://example.org:99999999999999999999/", "example.org"},
		{"https://example.org.", "example.org"},
		/* the first mark wins, then the first place */
		{"lookup a.example.org and https://b.example.org and https://c.example.org", "b.example.org"},
	};
	const struct network_spec n = {.mode = NETWORK_DENY};
	const struct outcome o = {0};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct str got = network_hint(&arena, AUDIENCE_TERMINAL, &n, &o, str_of(rows[i].text));
		struct str want = rows[i].rule
				? str_fmt(&arena, "the program wanted '%s'; '--network %s' allows",
						rows[i].rule, rows[i].rule)
				: STR("");

		CHECK_ROW(want.n ? str_contains(got, want) : !got.n, rows[i].text);
	}
}

static void test_readers(void)
{
	const struct network_spec deny = {.mode = NETWORK_LOOPBACK}, host = {.mode = NETWORK_HOST};
	const struct outcome o = {0};
	struct str text = STR("Could not resolve host: example.org");

	CHECK(str_contains(network_hint(&arena, AUDIENCE_CLIENT, &deny, &o, text),
			STR("a person runs in a terminal: caisson allow --host example.org")));
	CHECK(str_contains(network_hint(&arena, AUDIENCE_MCP, &deny, &o, text),
			STR("the person who started this server can allow it ('--network example.org')")));
	CHECK(!network_hint(&arena, AUDIENCE_TERMINAL, &host, &o, text).n);
}

/* With a relay its report counts, whatever the program printed. */
static void test_report(void)
{
	const struct network_spec n = {.mode = NETWORK_NAMES};
	struct network_report r = {.n = 6, .rows = {
		{.host = "good.example.org", .port = 443, .count = 1},
		{.host = "bad.example.org", .refusal = NETWORK_NOT_LISTED, .count = 4},
		{.host = "bad.example.org", .port = 443, .refusal = NETWORK_NOT_LISTED, .count = 1},
		{.host = "good.example.org", .port = 22, .refusal = NETWORK_PORT, .count = 1},
		{.host = "down.example.org", .port = 443, .refusal = NETWORK_UNREACHABLE, .count = 1},
		{.host = "fifth.example.org", .refusal = NETWORK_NOT_LISTED, .count = 1},
	}};
	struct outcome o = {.network = &r};
	struct str got = network_hint(&arena, AUDIENCE_TERMINAL, &n, &o, STR("lookup other.example.org"));

	CHECK(str_contains(got, STR("the box did not reach 'bad.example.org': ")));
	CHECK(str_contains(got, STR("('--network bad.example.org' allows ")));
	CHECK(str_contains(got, STR("; 'good.example.org:22': ")));
	CHECK(str_contains(got, STR("('--network good.example.org:22' allows ")));
	CHECK(str_contains(got, STR("; 'down.example.org:443': ")));
	CHECK(!str_contains(got, STR("--network down")) && !str_contains(got, STR("fifth")));
	CHECK(!str_contains(got, STR("other.example.org")));
	r.n = 1;
	CHECK(!network_hint(&arena, AUDIENCE_TERMINAL, &n, &o, STR("")).n);
	o.relay_died = true;
	CHECK(str_contains(network_hint(&arena, AUDIENCE_TERMINAL, &n, &o, STR("")), STR("the relay")));
}

int main(void)
{
	arena_init(&arena, (size_t)1 << 20);
	RUN(test_messages);
	RUN(test_readers);
	RUN(test_report);
	return unit_end();
}
