/*
 * libFuzzer: the parsers of settings of package managers. The first byte chooses the keys, the rest is the
 * text.
 * Holds: no crash, no leak, an end; a host has no user, password or path; settings that a box may see name no
 * user or password, and no host that its rules do not allow.
 */
#include <stdlib.h>

#include "run/registry_hosts.h"
#include "run/registry_settings.h"

#define TEXT_LENGTH_MAX 4096

struct fuzz_input {
	struct arena a;
	struct str text, keys;
};

static void check_hosts(const struct texts *hosts)
{
	size_t n = 0;

	for (; hosts; hosts = hosts->next, n++)
		for (size_t i = 0; i < hosts->text.n; i++)
			if (strchr("@/\\ \t\n", hosts->text.p[i]))
				abort();
	if (n > REGISTRY_HOSTS_MAX)
		abort();
}

static void check_settings(struct fuzz_input *in)
{
	struct network_rule rule;
	struct registry_text t = {.keys = STR("*")};
	struct texts *hosts = NULL;

	if (network_rule_parse(&in->a, STR("a.invalid"), &rule, NULL) != 0)
		abort();
	if (!registry_settings(&in->a, in->text, in->keys, &rule, &t.text))
		return;
	for (size_t i = 0; i + 3 < t.text.n; i++)
		if (str_starts(str_sub(t.text, i, t.text.n), "://") &&
				registry_userinfo(str_sub(t.text, i + 3, t.text.n)))
			abort();
	if (registry_hosts(&in->a, &t, &hosts) != 0)
		return;
	for (; hosts; hosts = hosts->next)
		if (!str_is_like(str_sub(hosts->text, 0, sizeof("a.invalid") - 1), "a.invalid"))
			abort();
}

static int parse_all(void *arg)
{
	struct fuzz_input *in = arg;
	struct registry_text t = {in->text, in->keys, STR("a"), STR("")};
	struct texts *hosts = NULL;

	(void)registry_hosts(&in->a, &t, &hosts);
	check_hosts(hosts);
	check_settings(in);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char keys[][24] = {"*", "registry @*:registry", "*.index-url", "* !*proxy*"};
	struct fuzz_input in;

	if (size < 1 || size > TEXT_LENGTH_MAX)
		return 0;
	in.keys = str_of(keys[data[0] % ARRAY_SIZE(keys)]);
	in.text = str_n((const char *)data + 1, size - 1);
	arena_init(&in.a, (size_t)64 << 20);
	arena_run(&in.a, parse_all, &in);
	arena_free(&in.a);
	return 0;
}
