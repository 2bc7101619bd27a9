/* src/run/network_hints: the host of a failed connection, in messages of real programs and in reports. */
#include "run/network_hints.h"

#include "unit.h"

static struct arena arena;

static struct str hint_for(enum audience who, const struct network_spec *n, const struct outcome *o,
		struct str text)
{
	const struct network_hint_context c = {.who = who, .network = n, .policy_counts = true};

	return network_hint(&arena, &c, o, text);
}

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
		struct str got = hint_for(AUDIENCE_TERMINAL, &n, &o, str_of(rows[i].text));
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

	CHECK(str_contains(hint_for(AUDIENCE_CLIENT, &deny, &o, text),
			STR("the user runs in a terminal: caisson allow --host example.org")));
	CHECK(str_contains(hint_for(AUDIENCE_MCP, &deny, &o, text),
			STR("the user who started this server can allow it ('--network example.org')")));
	CHECK(!hint_for(AUDIENCE_TERMINAL, &host, &o, text).n);
}

/* An agent fetches the packages of a build by a command that reaches the registries. */
static void test_builds(void)
{
	static const struct {
		char *const argv[4];
		const char *fetch;
	} rows[] = {
		{{"bash", "-c", "cd a && cargo build", NULL}, "cargo fetch"},
		{{"bash", "-c", "./mvnw -q test", NULL}, "mvn dependency:go-offline"},
		{{"go", "test", "./...", NULL}, "go mod download"},
		{{"bash", "-c", "./going.sh; ls cargo2 mycargo", NULL}, NULL},
		{{"bash", "-c", "npm test", NULL}, NULL},
	};
	const struct network_spec n = {.mode = NETWORK_LOOPBACK};
	const struct outcome o = {0};
	struct network_hint_context c = {.who = AUDIENCE_CLIENT, .network = &n};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct str got, want = STR("");

		c.argv = rows[i].argv;
		got = network_hint(&arena, &c, &o, STR("Could not resolve host: example.org"));
		if (rows[i].fetch)
			want = str_fmt(&arena, "run '%s' first", rows[i].fetch);
		CHECK_ROW(rows[i].fetch ? str_contains(got, want) : !str_contains(got, STR("first")),
			rows[i].argv[2]);
	}
	c.who = AUDIENCE_TERMINAL;
	c.argv = rows[0].argv;
	CHECK(!str_contains(network_hint(&arena, &c, &o, STR("Could not resolve host: example.org")),
		STR("first")));
}

/* With a relay its report counts, whatever the program printed. */
static void test_report(void)
{
	const struct network_rule rule = {.name = STR("good.example.org"), .ports = {443}, .nports = 1};
	const struct network_spec n = {.mode = NETWORK_NAMES, .rules = &rule};
	struct network_report r = {.n = 6, .rows = {
		{.host = "good.example.org", .port = 443, .count = 1},
		{.host = "bad.example.org", .refusal = NETWORK_NOT_LISTED, .count = 4},
		{.host = "bad.example.org", .port = 443, .refusal = NETWORK_NOT_LISTED, .count = 1},
		{.host = "good.example.org", .port = 22, .refusal = NETWORK_PORT, .count = 1},
		{.host = "down.example.org", .port = 443, .refusal = NETWORK_UNREACHABLE, .count = 1},
		{.host = "fifth.example.org", .refusal = NETWORK_NOT_LISTED, .count = 1},
	}};
	struct outcome o = {.network = &r};
	const struct network_hint_context c = {.network = &n};
	struct str got = network_hint(&arena, &c, &o, STR("lookup other.example.org"));

	CHECK(str_contains(got, STR("the box could not reach 'bad.example.org': ")));
	CHECK(str_contains(got, STR("(a further '--network bad.example.org' allows ")));
	CHECK(str_contains(got, STR("; 'good.example.org:22': ")));
	CHECK(str_contains(got, STR("(a further '--network good.example.org:22' allows ")));

	CHECK(str_contains(got, STR("; 'down.example.org:443': ")));
	CHECK(!str_contains(got, STR("--network down")) && !str_contains(got, STR("fifth")));
	CHECK(!str_contains(got, STR("other.example.org")));
	r.n = 1;
	CHECK(!hint_for(AUDIENCE_TERMINAL, &n, &o, STR("")).n);
	o.relay_died = true;
	CHECK(str_contains(hint_for(AUDIENCE_TERMINAL, &n, &o, STR("")), STR("the relay")));
}

/* A name query has no port: the limit is that of names. */
static void test_limit(void)
{
	const struct network_spec n = {.mode = NETWORK_NAMES};
	struct network_report r = {.n = 1, .rows = {{.host = "a.example.org", .refusal = NETWORK_LIMIT}}};
	const struct outcome o = {.network = &r};

	CHECK(str_contains(hint_for(AUDIENCE_TERMINAL, &n, &o, STR("")), STR("too many names below")));
	r.rows[0].port = 443;
	CHECK(str_contains(hint_for(AUDIENCE_TERMINAL, &n, &o, STR("")), STR("too many connections")));
}

/* The advice must help: not what a project forbids, and the policy only where its list counts. */
static void test_advice(void)
{
	struct network_rule listed, taken;
	const struct network_spec none = {.mode = NETWORK_LOOPBACK};
	const struct network_spec some = {.mode = NETWORK_NAMES, .rules = &listed};
	struct network_report r = {.n = 1,
			.rows = {{.host = "b.example.org", .refusal = NETWORK_NOT_LISTED}}};
	const struct outcome relay = {.network = &r}, no_relay = {0};
	struct network_hint_context c = {.network = &some};
	struct str text = STR("Could not resolve host: b.example.org");

	CHECK_INT(network_rule_parse(&arena, STR("a.example.org"), &listed, NULL), 0);
	CHECK_INT(network_rule_parse(&arena, STR("*.example.org:443"), &taken, NULL), 0);
	CHECK(!str_contains(network_hint(&arena, &c, &relay, text), STR("caisson allow")));
	c.policy_counts = true;
	CHECK(!str_contains(network_hint(&arena, &c, &relay, text), STR("--network")));
	CHECK(str_contains(network_hint(&arena, &c, &relay, text),
			STR("'caisson allow --host b.example.org' allows")));
	for (enum audience who = AUDIENCE_TERMINAL; who <= AUDIENCE_MCP; who++) {
		c.who = who;
		c.taken_away = &taken;
		c.network = &some;
		CHECK(str_contains(network_hint(&arena, &c, &relay, text), STR("policy excludes it)")));
		c.network = &none;
		text = network_hint(&arena, &c, &no_relay, STR("Could not resolve host: b.example.org"));
		CHECK(str_contains(text, STR("project's policy")) && !str_contains(text, STR("--network")));
	}
}

/* Refused by the kernel in the box: only the program's messages tell of these connections. */
static void test_unseen(void)
{
	static const struct {
		const char *text, *want; /* NULL: no hint */
	} rows[] = {
		{"curl: (7) Failed to connect to a.example.org port 81 after 0 ms: Couldn't connect",
				"'a.example.org:81': the host is listed with other ports (a further "
				"'--network a.example.org:81' "},
		{"fatal: unable to access 'https://a.example.org:81/x': Failed to connect to a.example.org",
				"'a.example.org:81': "},
		{"curl: (7) Failed to connect to 50.1.0.1 port 80 after 0 ms: Couldn't connect to server",
				"'50.1.0.1:80': the host is not listed (a further '--network 50.1.0.1' "},
		{"ssh: connect to host 50.1.0.1 port 22: Network is unreachable",
				"'50.1.0.1:22': the host is not"},
		{"ssh: connect to host 10.0.0.1 port 22: Connection refused",
				"'10.0.0.1:22': the host is listed with"},
		{"bash: line 1: /dev/tcp/50.1.0.1/80: Network is unreachable", "'50.1.0.1:80': "},
		{"Error: connect ENETUNREACH 50.1.0.1:8080 - Local (0.0.0.0:0)", "'50.1.0.1:8080': "},
		{"dial tcp [2001:db8::1]:443: connect: network is unreachable", "'[2001:db8::1]:443': "},
		{"Connecting to a.example.org (a.example.org)|198.19.0.1|:81... failed: Connection refused.",
				"port 81 of a host: the rules list other ports ('HOST:81' lists it)"},
		{"Error: connect ECONNREFUSED 198.19.0.1:81", "port 81 of a host"},
		{"HTTPSConnectionPool(host='a.example.org', port=8443): (Caused by NewConnectionError(",
				"'a.example.org:8443'"},
		/* reported by the relay, or of the box itself */
		{"curl: (7) Failed to connect to a.example.org port 443 after 0 ms: Couldn't connect", NULL},
		{"curl: (7) Failed to connect to b.example.org port 81 after 0 ms: Couldn't connect", NULL},
		{"Error: connect ECONNREFUSED 127.0.0.1:5432", NULL},
		{"Error: connect ECONNREFUSED ::1:5432", NULL},
		{"dial tcp [::1]:5432: connect: Connection refused", NULL},
		{"Error: connect ECONNREFUSED 198.19.0.1:443", NULL},
		{"connect to host 10.0.0.1 port 5432: Connection refused", NULL},
		/* no complaint, or no port */
		{"see http://50.1.0.1/ for help", NULL},
		{"Connection refused", NULL}, {"Connection refused: connect to ", NULL},
		{"Connection refused [", NULL}, {"dial tcp [::: Connection refused", NULL},
		{"ECONNREFUSED 50.1.0.1:99999", NULL}, {"ECONNREFUSED 50.1.0.1:", NULL},
	};
	struct network_rule a, b;
	const struct network_spec n = {.mode = NETWORK_NAMES, .rules = &a};
	const struct network_report none = {0};
	const struct outcome o = {.network = &none};
	const struct network_hint_context c = {.network = &n};

	CHECK_INT(network_rule_parse(&arena, STR("a.example.org"), &a, NULL), 0);
	CHECK_INT(network_rule_parse(&arena, STR("10.0.0.0/8:5432"), &b, NULL), 0);
	a.next = &b;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct str got = network_hint(&arena, &c, &o, str_of(rows[i].text));

		CHECK_ROW(rows[i].want ? str_contains(got, str_of(rows[i].want)) : !got.n, rows[i].text);
	}
}

int main(void)
{
	arena_init(&arena, (size_t)1 << 20);
	RUN(test_messages);
	RUN(test_readers);
	RUN(test_builds);
	RUN(test_report);
	RUN(test_limit);
	RUN(test_advice);
	RUN(test_unseen);
	return unit_end();
}
