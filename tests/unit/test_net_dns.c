/*
 * src/net/dns.c: answers, read by the C library's own DNS parser; hostile packets. The library also builds
 * the well-formed queries.
 */
#include <arpa/nameser.h>
#include <resolv.h>
#include <stdlib.h>

#include "net/dns.h"
#include "unit.h"

static const char *const allowed[] = {"a.example", "*.x.example", "b.example:22"};

static struct net_names *names_of(struct arena *a)
{
	struct network_rule *first = NULL, **end = &first;

	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
		*end = arena_new(a, struct network_rule);
		CHECK_INT(network_rule_parse(a, str_of(allowed[i]), *end, NULL), 0);
		end = &(*end)->next;
	}
	return net_names_new(a, first);
}

/* Header with id 0x1234, RD, and one question. */
static size_t make_query(const char *name, int type, uint8_t ret[512])
{
	struct __res_state state = {0};
	int n = res_nmkquery(&state, ns_o_query, name, ns_c_in, type, NULL, 0, NULL, ret, 512);

	CHECK_ROW(n > 0, name);
	if (n <= 0)
		return 0;
	ret[0] = 0x12;
	ret[1] = 0x34;
	ret[2] |= 1;
	return (size_t)n;
}

struct dns_reply {
	size_t n;
	int rcode, answers;
	char address[INET6_ADDRSTRLEN];
	struct dns_result result;
};

/* The reply as the C library reads it. */
static struct dns_reply ask(struct net_names *names, const uint8_t *query, size_t n)
{
	struct dns_reply r = {.rcode = -1};
	uint8_t reply[DNS_REPLY_MAX];
	ns_msg msg;
	ns_rr rr;

	r.n = dns_answer(names, query, n, reply, &r.result);
	if (r.n == 0)
		return r;
	CHECK(r.n <= n + DNS_REPLY_EXTRA && r.n >= 12);
	CHECK(memcmp(reply, query, 2) == 0);
	CHECK_INT(ns_initparse(reply, (int)r.n, &msg), 0);
	CHECK(ns_msg_getflag(msg, ns_f_qr) && ns_msg_getflag(msg, ns_f_ra));
	CHECK(!ns_msg_getflag(msg, ns_f_tc) && !ns_msg_getflag(msg, ns_f_aa) &&
			!ns_msg_getflag(msg, ns_f_ad));
	r.rcode = ns_msg_getflag(msg, ns_f_rcode);
	r.answers = ns_msg_count(msg, ns_s_an);
	CHECK(r.answers <= 1 && ns_msg_count(msg, ns_s_ns) == 0);
	if (r.answers == 1) {
		CHECK_INT(ns_parserr(&msg, ns_s_an, 0, &rr), 0);
		CHECK_INT(ns_rr_type(rr), r.result.type);
		CHECK(ns_rr_ttl(rr) > 0 && strcasecmp(ns_rr_name(rr), r.result.name) == 0);
		uint8_t address[IP_BYTES] = {[10] = 0xff, [11] = 0xff};
		bool v4 = ns_rr_type(rr) == ns_t_a;
		CHECK_INT(ns_rr_rdlen(rr), v4 ? 4 : 16);
		memcpy(v4 ? address + 12 : address, ns_rr_rdata(rr), v4 ? 4 : 16);
		(void)ip_put(r.address, address);
	}
	return r;
}

static const struct {
	const char *name;
	int type, rcode;
	const char *address; /* NULL: no answer */
	enum network_refusal refusal;
} questions[] = {
		{"a.example", ns_t_a, ns_r_noerror, "198.19.0.1", NETWORK_NOT_REFUSED},
		{"a.example", ns_t_aaaa, ns_r_noerror, "fd00:ca15:0:1::1", NETWORK_NOT_REFUSED},
		{"A.eXample.", ns_t_a, ns_r_noerror, "198.19.0.1", NETWORK_NOT_REFUSED},
		{"b.example", ns_t_a, ns_r_noerror, "198.19.0.2", NETWORK_NOT_REFUSED},
		{"a.example", 65 /* HTTPS */, ns_r_noerror, NULL, NETWORK_NOT_REFUSED},
		{"a.example", 64 /* SVCB */, ns_r_noerror, NULL, NETWORK_NOT_REFUSED},
		{"a.example", ns_t_mx, ns_r_noerror, NULL, NETWORK_NOT_REFUSED},
		{"a.example", ns_t_txt, ns_r_noerror, NULL, NETWORK_NOT_REFUSED},
		{"a.example", ns_t_any, ns_r_noerror, NULL, NETWORK_NOT_REFUSED},
		{"a.example", ns_t_axfr, ns_r_noerror, NULL, NETWORK_NOT_REFUSED},
		{"w.x.example", ns_t_aaaa, ns_r_noerror, "fd00:ca15:0:1::3", NETWORK_NOT_REFUSED},
		{"w.x.example", ns_t_a, ns_r_noerror, "198.19.0.3", NETWORK_NOT_REFUSED},
		{"x.example", ns_t_a, ns_r_nxdomain, NULL, NETWORK_NOT_LISTED},
		{"wx.example", ns_t_a, ns_r_nxdomain, NULL, NETWORK_NOT_LISTED},
		{"a.example.org", ns_t_a, ns_r_nxdomain, NULL, NETWORK_NOT_LISTED},
		{"example", ns_t_a, ns_r_nxdomain, NULL, NETWORK_NOT_LISTED},
		{".", ns_t_a, ns_r_nxdomain, NULL, NETWORK_NOT_LISTED},
		{".", ns_t_ns, ns_r_nxdomain, NULL, NETWORK_NOT_REFUSED},
		{"_http._tcp.a.example", ns_t_srv, ns_r_nxdomain, NULL, NETWORK_NOT_REFUSED},
		{"1.0.19.198.in-addr.arpa", ns_t_ptr, ns_r_nxdomain, NULL, NETWORK_NOT_REFUSED},
		{"stolen-data.evil.example", ns_t_txt, ns_r_nxdomain, NULL, NETWORK_NOT_REFUSED},
		{"stolen-data.evil.example", ns_t_a, ns_r_nxdomain, NULL, NETWORK_NOT_LISTED},
		{"127.0.0.1", ns_t_a, ns_r_nxdomain, NULL, NETWORK_NOT_LISTED},
		{"localhost", ns_t_a, ns_r_noerror, "127.0.0.1", NETWORK_NOT_REFUSED},
		{"app.localhost", ns_t_aaaa, ns_r_noerror, "::1", NETWORK_NOT_REFUSED},
		{"a\\.example", ns_t_a, ns_r_nxdomain, NULL,
				NETWORK_NOT_LISTED}, /* one label with a dot in it */
		{"w\\.x.x.example", ns_t_a, ns_r_nxdomain, NULL, NETWORK_NOT_LISTED},
		{"w\\000.x.example", ns_t_a, ns_r_nxdomain, NULL, NETWORK_NOT_LISTED},
		{"-w.x.example", ns_t_a, ns_r_nxdomain, NULL, NETWORK_NOT_LISTED},
};

static void test_questions(void)
{
	struct arena a;
	arena_init(&a, 16 << 20);
	struct net_names *names = names_of(&a);

	for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
		uint8_t query[512];
		size_t n = make_query(questions[i].name, questions[i].type, query);
		struct dns_reply r = ask(names, query, n);
		CHECK_ROW(r.rcode == questions[i].rcode, questions[i].name);
		CHECK_ROW(r.result.refusal == questions[i].refusal, questions[i].name);
		CHECK_ROW(r.result.type == questions[i].type, questions[i].name);
		CHECK_ROW(r.answers == (questions[i].address != NULL), questions[i].name);
		if (questions[i].address)
			CHECK_STR(str_of(r.address), questions[i].address);
	}
	arena_free(&a);
}

/* The reply repeats the case of the question: some resolvers mix it and compare. */
static void test_echo(void)
{
	struct arena a;
	uint8_t query[512], reply[DNS_REPLY_MAX];
	struct dns_result result;
	arena_init(&a, 16 << 20);
	struct net_names *names = names_of(&a);

	size_t n = make_query("A.exAMple", ns_t_a, query);
	CHECK_INT(dns_answer(names, query, n, reply, &result), n + 16);
	CHECK(memcmp(reply + 12, query + 12, n - 12) == 0);
	CHECK_STR(str_of(result.name), "a.example");
	n = make_query("B\\(d.evil", ns_t_a, query);
	CHECK(dns_answer(names, query, n, reply, &result) > 0);
	CHECK_STR(str_of(result.name), "b?d.evil");
	arena_free(&a);
}

static const struct {
	const char *what;
	size_t at;
	uint8_t byte;
	int rcode; /* -1: no reply */
} changes[] = {
		{"a reply", 2, 0x81, -1},
		{"opcode 1", 2, 0x09, ns_r_notimpl},
		{"opcode 5, update", 2, 0x29, ns_r_notimpl},
		{"opcode 15", 2, 0x79, ns_r_notimpl},
		{"truncated flag", 2, 0x03, ns_r_formerr},
		{"no question", 5, 0, ns_r_formerr},
		{"two questions", 5, 2, ns_r_formerr},
		{"256 questions more", 4, 1, ns_r_formerr},
		{"an answer", 7, 1, ns_r_formerr},
		{"an authority", 9, 1, ns_r_formerr},
		{"an additional record that is missing", 11, 1, ns_r_formerr},
		{"65,281 additional records", 10, 255, ns_r_formerr},
		{"AD and CD flags", 3, 0x30, ns_r_noerror},
		{"a response code in the query", 3, 0x0f, ns_r_noerror},
		{"a label that is too long for the packet", 12, 63, ns_r_formerr},
		{"a label of 64", 12, 64, ns_r_formerr},
		{"a label of 128", 12, 128, ns_r_formerr},
		{"a compression pointer", 12, 0xc0, ns_r_formerr},
		{"a compression pointer behind a label", 14, 0xc0, ns_r_formerr},
		{"no end of the name", 22, 1, ns_r_formerr},
		{"an end in the name", 14, 0, ns_r_formerr}, /* bytes remain */
		{"class CH", 26, 3, ns_r_refused},
		{"class ANY", 26, 255, ns_r_refused},
};

static void test_changes(void)
{
	struct arena a;
	arena_init(&a, 16 << 20);
	struct net_names *names = names_of(&a);

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		uint8_t query[512];
		size_t n = make_query("a.example", ns_t_a, query);
		CHECK_INT(n, 27);
		query[changes[i].at] = changes[i].byte;
		struct dns_reply r = ask(names, query, n);
		CHECK_ROW(r.rcode == changes[i].rcode, changes[i].what);
		CHECK_ROW(r.answers == (changes[i].rcode == ns_r_noerror), changes[i].what);
	}
	arena_free(&a);
}

/* Every prefix of a query, and a query with bytes behind it. */
static void test_truncated(void)
{
	struct arena a;
	uint8_t query[512] = {0};
	arena_init(&a, 16 << 20);
	struct net_names *names = names_of(&a);

	size_t n = make_query("a.example", ns_t_a, query);
	for (size_t i = 0; i < n; i++) {
		uint8_t *copy = memcpy(
				malloc(i + 1), query, i); /* a read past the end is seen by the sanitizer */
		CHECK_INT(ask(names, copy, i).rcode, i < 12 ? -1 : ns_r_formerr);
		free(copy);
	}
	CHECK_INT(ask(names, query, n + 1).rcode, ns_r_formerr);
	CHECK_INT(ask(names, query, sizeof(query)).rcode, ns_r_formerr);
	arena_free(&a);
}

static size_t add_opt(uint8_t *query, size_t n, uint8_t version, uint16_t data)
{
	uint8_t opt[] = {0, 0, ns_t_opt, 0x10, 0, 0, version, 0x80, 0, (uint8_t)(data >> 8), (uint8_t)data};

	query[11]++;
	memcpy(query + n, opt, sizeof(opt));
	memset(query + n + sizeof(opt), 0, data);
	return n + sizeof(opt) + data;
}

static void test_edns(void)
{
	struct arena a;
	uint8_t query[512], reply[DNS_REPLY_MAX];
	struct dns_result result;
	ns_msg msg;
	ns_rr rr;
	arena_init(&a, 16 << 20);
	struct net_names *names = names_of(&a);

	size_t n = add_opt(query, make_query("a.example", ns_t_aaaa, query), 0, 12); /* a cookie */
	CHECK_STR(str_of(ask(names, query, n).address), "fd00:ca15:0:1::1");
	size_t got = dns_answer(names, query, n, reply, &result);
	CHECK_INT(ns_initparse(reply, (int)got, &msg), 0);
	CHECK_INT(ns_msg_count(msg, ns_s_ar), 1);
	CHECK_INT(ns_parserr(&msg, ns_s_ar, 0, &rr), 0);
	CHECK_INT(ns_rr_type(rr), ns_t_opt);
	CHECK_INT(ns_rr_ttl(rr), 0);

	n = add_opt(query, make_query("a.example", ns_t_aaaa, query), 1, 0);
	got = dns_answer(names, query, n, reply, &result);
	CHECK_INT(ns_initparse(reply, (int)got, &msg), 0);
	CHECK_INT(ns_msg_count(msg, ns_s_an), 0);
	CHECK_INT(ns_parserr(&msg, ns_s_ar, 0, &rr), 0);
	CHECK_INT(ns_rr_ttl(rr) >> 24, 1); /* BADVERS: 16, the upper bits of which stand in the OPT record */

	n = add_opt(query, make_query("a.example", ns_t_a, query), 0, 0);
	CHECK_INT(ask(names, query, n - 1).rcode, ns_r_formerr);
	CHECK_INT(ask(names, query, add_opt(query, n, 0, 0)).rcode, ns_r_formerr); /* two of them */
	n = add_opt(query, make_query("a.example", ns_t_a, query), 0, 20);
	CHECK_INT(ask(names, query, n - 1).rcode, ns_r_formerr);
	n = add_opt(query, make_query("a.example", ns_t_a, query), 0, 0);
	query[27] = 0xc0; /* a pointer instead of the root name */
	CHECK_INT(ask(names, query, n).rcode, ns_r_formerr);
	arena_free(&a);
}

/* The longest name that DNS has: 255 bytes on the wire. One label more is an error. */
static void test_lengths(void)
{
	struct arena a;
	uint8_t query[512] = {0x12, 0x34, 1, 0, 0, 1};
	arena_init(&a, 16 << 20);
	struct net_names *names = names_of(&a);
	size_t at = 12;

	for (; at + 64 < 12 + 254; at += 64) {
		query[at] = 63;
		memset(query + at + 1, 'a', 63);
	}
	query[at] = (uint8_t)(12 + 254 - at - 1);
	memset(query + at + 1, 'a', query[at]);
	query[12 + 254] = 0;
	query[12 + 254 + 2] = ns_t_a;
	query[12 + 254 + 4] = ns_c_in;
	struct dns_reply r = ask(names, query, 12 + 255 + 4);
	CHECK_INT(r.rcode, ns_r_nxdomain);
	CHECK_INT(strlen(r.result.name), NETWORK_HOST_MAX);
	memmove(query + at + 1, query + at, 12 + 255 + 4 - at);
	query[at + 1]++;
	query[at]++;
	CHECK_INT(ask(names, query, 12 + 256 + 4).rcode, ns_r_formerr);
	arena_free(&a);
}

/* Labels that fit into the packet, but have the lengths of pointers and of reserved kinds. */
static void test_kinds_of_labels(void)
{
	struct arena a;
	arena_init(&a, 16 << 20);
	struct net_names *names = names_of(&a);

	for (unsigned length = 1; length < 256; length++) {
		uint8_t query[512] = {0x12, 0x34, 1, 0, 0, 1};
		query[12] = (uint8_t)length;
		memset(query + 13, 'a', length);
		query[12 + 1 + length + 2] = ns_t_a;
		query[12 + 1 + length + 4] = ns_c_in;
		CHECK_INT(ask(names, query, 12 + 1 + length + 5).rcode,
				length <= 63 ? ns_r_nxdomain : ns_r_formerr);
	}
	/* an OPT record with a name */
	uint8_t query[512];
	size_t n = make_query("a.example", ns_t_a, query);
	memcpy(query + n, "\1a", 2);
	CHECK_INT(ask(names, query, add_opt(query, n + 2, 0, 0)).rcode, ns_r_formerr);
	arena_free(&a);
}

/* A flood of names below a wildcard: refused as a limit, and exact names go on. */
static void test_flood(void)
{
	struct arena a;
	unsigned limited = 0, good = 0;
	arena_init(&a, 16 << 20);
	struct net_names *names = names_of(&a);
	uint8_t query[512];

	for (unsigned i = 0; i < NET_NAMES_BELOW_MAX + 100; i++) {
		char name[40];
		(void)str_put(name, sizeof(name), "n%u.x.example", i);
		struct dns_reply r = ask(names, query, make_query(name, ns_t_a, query));
		good += r.answers == 1;
		limited += r.rcode == ns_r_servfail && r.result.refusal == NETWORK_LIMIT;
	}
	CHECK_INT(good, NET_NAMES_BELOW_MAX);
	CHECK_INT(limited, 100);
	CHECK_STR(str_of(ask(names, query, make_query("b.example", ns_t_a, query)).address), "198.19.0.2");
	arena_free(&a);
}

/* Random changes of good queries and random bytes: bounded replies that the C library can read. */
static void test_noise(void)
{
	struct arena a;
	uint32_t seed = 7;
	arena_init(&a, 16 << 20);
	struct net_names *names = names_of(&a);

	for (unsigned i = 0; i < 100000; i++) {
		uint8_t query[512];
		size_t n = make_query("a.example", ns_t_a, query);
		if (i % 3 == 0)
			n = add_opt(query, n, 0, i % 40);
		for (unsigned k = 0; k < 1 + i % 4; k++) {
			seed = seed * 1664525 + 1013904223;
			query[(seed >> 8) % n] = (uint8_t)(seed >> 24);
		}
		struct dns_reply r = ask(names, query, n);
		CHECK(r.n == 0 || r.answers == 0 || r.rcode == ns_r_noerror);
	}
	arena_free(&a);
}

int main(void)
{
	RUN(test_questions);
	RUN(test_echo);
	RUN(test_changes);
	RUN(test_truncated);
	RUN(test_edns);
	RUN(test_lengths);
	RUN(test_kinds_of_labels);
	RUN(test_flood);
	RUN(test_noise);
	return unit_end();
}
