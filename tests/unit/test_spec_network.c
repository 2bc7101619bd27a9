/* src/run/spec_network: rows of policies and requests, with the network that results. */
#include "run/spec_builder.h"
#include "unit.h"

static struct arena arena;
static struct policies policies;

static void load(const char *user, const char *project, const char *around)
{
	struct config_source src = {.name = STR("x.yaml")};
	struct policy_around *outer = arena_new(&arena, struct policy_around);
	struct {
		const char *text;
		enum config_who who;
		struct policy *to;
	} files[] = {{user, WHO_OWNER, &policies.own}, {project, WHO_ANYONE, &policies.project},
			{around, WHO_ANYONE, &outer->policy}};

	policies_default(&policies);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct config_note *notes = NULL;
		struct err e = {0};

		if (!files[i].text)
			continue;
		src.bytes = str_of(files[i].text);
		src.who = files[i].who;
		if (config_load(&arena, &src, 1, files[i].to, &notes, &e) != 0)
			unit_fail(__FILE__, __LINE__, "%s", e.text);
	}
	policies.apart = project;
	policies.around = around ? outer : NULL;
}

struct network_row {
	enum profile profile;
	const char *network, *part, *skill; /* NULL: not given */
	bool ticket;
	const char *want;
};

static void parse(const char *text, struct network_request *ret)
{
	struct err e = {0};

	if (text && network_request_parse(&arena, str_of(text), ret, &e) != 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
}

/* "names a.example.org,*.b.example.org:8443 capped", or the error */
static struct str network_of(const struct network_row *row)
{
	struct run r = {.spec.profile = row->profile};
	struct skill skill = {0};
	struct run_request rq = {.skilled = &skill, .ticket = row->ticket ? "t" : NULL};
	struct spec_builder m = {.a = &arena, .rq = &rq, .p = &policies, .r = &r};
	struct err e = {0};
	struct buf b;

	parse(row->network, &rq.network);
	parse(row->part, &rq.network_part);
	parse(row->skill, &skill.network);
	if (spec_build_network(&m, &e) != 0)
		return str_fmt(&arena, "error %s", e.text);
	buf_init(&b, &arena, 0);
	buf_c(&b, network_name(&r.spec.network));
	for (const struct network_rule *x = r.spec.network.rules; x; x = x->next) {
		struct str text = network_rule_text(&arena, x);

		buf_fmt(&b, "%s%.*s", x == r.spec.network.rules ? " " : ",", STR_ARG(text));
	}
	if (r.capped)
		buf_c(&b, " capped");
	return buf_view(&b);
}

static void check_rows(int line, const struct network_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct str got = network_of(&rows[i]);

		const char *want = rows[i].want;

		if (!str_starts(got, want) || (!str_starts(got, "error") && got.n != strlen(want)))
			unit_fail(__FILE__, line, "row %zu: '%.*s', want '%s'", i, STR_ARG(got), want);
	}
}

#define ROWS(...) \
	do { \
		static const struct network_row rows_[] = {__VA_ARGS__}; \
		check_rows(__LINE__, rows_, ARRAY_SIZE(rows_)); \
	} while (0)
#define WORK PROFILE_WORK
#define EXEC PROFILE_EXEC

static void test_request(void)
{
	load(NULL, NULL, NULL);
	ROWS({EXEC, .want = "deny"}, {WORK, .want = "loopback"}, {WORK, "deny", .want = "deny"},
			{EXEC, "loopback", .want = "loopback"},
			{EXEC, "a.example.org", .want = "names a.example.org"},
			{WORK, "a.example.org, B.example.org:22+8443",
					.want = "names a.example.org,b.example.org:22+8443"},
			{EXEC, "*.example.org,a.example.org", .want = "names *.example.org"},
			{EXEC, "host", .want = "error --network 'host' needs"},
			{EXEC, "10.0.0.0/8:5432,[2001:db8::1]",
					.want = "names 10.0.0.0/8:5432,[2001:db8::1]"},
			{EXEC, "*", .want = "error --network: invalid host '*'"},
			{EXEC, "allow-list", .want = "error --network: invalid host 'allow-list'"},
			{EXEC, "preset:nothing", .want = "error --network: unknown preset 'preset:nothing'"});
	load("sandbox: {network: {host: true}}", NULL, NULL);
	ROWS({EXEC, "host", .want = "host"}, {EXEC, .want = "deny"});
}

static void test_standing(void)
{
	load("sandbox: {network: {allow: [a.example.org, 'b.example.org:22']}}", NULL, NULL);
	ROWS({WORK, .want = "names a.example.org,b.example.org:22"}, {EXEC, .want = "deny"},
			{WORK, "loopback", .want = "loopback"},
			{WORK, "c.example.org", .want = "names c.example.org"},
			{WORK, "c.example.org", .ticket = true,
					.want = "names c.example.org,a.example.org,b.example.org:22"},
			{WORK, .ticket = true, .want = "names a.example.org,b.example.org:22"});
}

static void test_projects(void)
{
	static const char user[] = "sandbox: {network: {allow: [a.example.org, '*.b.example.org']}}";

	load(user, "sandbox: {network: {allow: [a.example.org, evil.example.net]}}", NULL);
	ROWS({WORK, .want = "names a.example.org capped"},
			{WORK, "evil.example.net", .want = "names evil.example.net"},
			{WORK, "c.example.org,a.example.org:443", .want = "names a.example.org:443 capped"},
			{WORK, "c.example.org", .want = "loopback capped"});
	load(user, "sandbox: {network: {allow: []}}", NULL);
	ROWS({WORK, .want = "loopback capped"}, {EXEC, .want = "deny"});
	load(user, NULL, "sandbox: {network: {allow: ['x.b.example.org']}}");
	ROWS({WORK, .want = "names x.b.example.org capped"});
	load(user, "sandbox: {network: {allow: ['a.example.org:443+8443', '*.x.b.example.org', "
			"'*.c.example.org']}}",
			NULL);
	ROWS({WORK, .want = "names a.example.org:443,*.x.b.example.org capped"},
			{WORK, "host", .want = "error --network 'host' needs"});
	load("sandbox: {network: {allow: ['10.0.0.0/8:5432', '*.example.org']}}",
			"sandbox: {network: {allow: ['10.1.2.3:5432', '192.168.0.1', 'b.example.org:22']}}",
			NULL);
	ROWS({WORK, .want = "names 10.1.2.3:5432 capped"});
	load(user, "sandbox: {network: {allow: ['*.example.org']}}",
			"sandbox: {network: {allow: [a.example.org]}}");
	ROWS({WORK, .want = "names a.example.org capped"});
	load(user, "sandbox: {network: {host: true}}", NULL);
	ROWS({WORK, "host", .want = "error --network 'host' needs"});
}

static void test_skills(void)
{
	load("sandbox: {network: {allow: ['*.example.org']}}", NULL, NULL);
	ROWS({EXEC, .skill = "a.example.org", .want = "names a.example.org"},
			{EXEC, .skill = "a.example.org,evil.example.net",
					.want = "names a.example.org capped"},
			{EXEC, .skill = "evil.example.net", .want = "deny capped"},
			{EXEC, .skill = "a.example.org:22", .want = "deny capped"},
			{WORK, .skill = "evil.example.net", .want = "names *.example.org capped"},
			{WORK, .skill = "deny", .want = "deny"},
			{WORK, .skill = "host", .want = "names *.example.org capped"},
			{EXEC, "b.example.net", .skill = "a.example.org", .want = "names b.example.net"});
}

/* An agent's own request can only narrow. */
static void test_parts(void)
{
	load("sandbox: {network: {host: true}}", NULL, NULL);
	ROWS({EXEC, "a.example.org,b.example.org", "a.example.org", .want = "names a.example.org"},
			{EXEC, "*.example.org", "a.example.org,evil.example.net",
					.want = "names a.example.org capped"},
			{EXEC, "a.example.org", "evil.example.net", .want = "loopback capped"},
			{EXEC, "a.example.org", "deny", .want = "deny"},
			{EXEC, "a.example.org", "loopback", .want = "loopback"},
			{EXEC, "a.example.org", "host", .want = "names a.example.org capped"},
			{EXEC, "deny", "a.example.org", .want = "deny capped"},
			{EXEC, "deny", "loopback", .want = "deny capped"},
			{WORK, NULL, "a.example.org", .want = "loopback capped"},
			{WORK, NULL, "deny", .want = "deny"},
			{EXEC, "host", "a.example.org", .want = "names a.example.org"},
			{EXEC, "host", "loopback", .want = "loopback"},
			{EXEC, "host", "host", .want = "host"},
			{EXEC, "a.example.org", "*", .want = "error network: invalid host"});
}

int main(void)
{
	arena_init(&arena, (size_t)8 << 20);
	RUN(test_request);
	RUN(test_standing);
	RUN(test_projects);
	RUN(test_skills);
	RUN(test_parts);
	return unit_end();
}
