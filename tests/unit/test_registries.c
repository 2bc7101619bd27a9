/*
 * knowledge/registries.yaml, the parser of configurations (run/registry_hosts.h) and the expansion of words
 * (run/registries.h) without tools. tests/run/registries.sh has the real tools.
 */
#include "knowledge/registry_rows.h"
#include "run/registries.h"
#include "run/registry_hosts.h"
#include "run/registry_settings.h"
#include "sys/file.h"
#include "torture.h"
#include "unit.h"

static struct arena arena;

/* ---- the table ---- */

static bool in_words(struct str words, struct str word)
{
	struct str next;

	while ((next = str_word(&words)).n)
		if (str_eq(next, word))
			return true;
	return false;
}

static void check_hosts(struct str words)
{
	struct network_rule rule;
	struct str word;

	while ((word = str_word(&words)).n) {
		CHECK_INT(network_rule_parse(&arena, word, &rule, NULL), 0);
		CHECK(str_eq(network_rule_text(&arena, &rule), word));
		CHECK(rule.kind != NETWORK_ADDRESS);
	}
}

/* The identity of an answer covers the programs of the row, so it must list those that are asked. */
static void check_questions(const struct registry_row *row)
{
	struct str lines = registry_list(row, REGISTRY_ASK);

	while (lines.n) {
		ptrdiff_t end = str_find(lines, '\n', 0);
		struct str line = str_sub(lines, 0, end < 0 ? lines.n : (size_t)end), rest = line;

		CHECK(in_words(registry_list(row, REGISTRY_PROGRAMS), str_word(&rest)));
		lines = str_sub(lines, line.n + 1, lines.n);
	}
}

static void check_shown(struct str words)
{
	struct str word;

	while ((word = str_word(&words)).n)
		CHECK(str_starts(word, "~/"));
}

static void test_table(void)
{
	const struct registry_row *row;
	size_t n = 0;

	for (size_t i = 0; (row = registry_at(i)); i++, n++) {
		struct str also = registry_list(row, REGISTRY_ALSO), word;

		CHECK(registry_find(registry_list(row, REGISTRY_NAME)) == row);
		while ((word = str_word(&also)).n)
			CHECK(registry_find(word) == row);
		check_hosts(registry_list(row, REGISTRY_HOSTS));
		check_hosts(registry_list(row, REGISTRY_APART));
		check_questions(row);
		check_shown(registry_list(row, REGISTRY_SHOWN));
	}
	CHECK(n >= 20);
	CHECK(!registry_find(STR("")));
	CHECK(!registry_find(STR("nonsense")));
	CHECK(registry_find(STR("npx")) == registry_find(STR("npm")));
}

/* The gate names tools of knowledge/network.yaml; each must have a row. */
static void test_named(void)
{
	static const char use[] = "use: registries/";
	struct str text, rest, name;
	size_t n = 0;

	CHECK_INT(file_read(&arena, "knowledge/network.yaml", (size_t)1 << 20, &text, NULL, NULL), 0);
	for (size_t i = 0; i < text.n; i++) {
		rest = str_sub(text, i, text.n);
		if (!str_starts(rest, use))
			continue;
		rest = str_sub(rest, sizeof(use) - 1, rest.n);
		name = str_word(&rest);
		if (!registry_find(name))
			unit_fail(__FILE__, __LINE__, "no tool '%.*s'", STR_ARG(name));
		n++;
	}
	CHECK(n >= 10);
}

/* npm and apt are always asked: no other row may name a host of theirs either, so both must ask. */
static void test_asked(void)
{
	CHECK(registry_list(registry_find(STR("npm")), REGISTRY_ASK).n);
	CHECK(registry_list(registry_find(STR("apt")), REGISTRY_ASK).n);
	CHECK_STR(registry_list(registry_find(STR("apt")), REGISTRY_HOSTS), "");
}

/* ---- the parser ---- */

static const struct {
	const char *keys, *bare, *before, *text, *want; /* want: hosts, separated by blanks; "!": not valid */
} texts[] = {
	/* lines */
	{"*", "", "", "https://a.invalid/x\nhttp://b.invalid", "a.invalid b.invalid"},
	{"*", "", "", "registry = https://a.invalid:8443/npm/", "a.invalid:8443"},
	{"*.index-url", "", "", "global.index-url='https://a.invalid'\nglobal.proxy='http://p.invalid:3128'",
	 "a.invalid"},
	{"*.extra-index-url", "", "", "x.extra-index-url='https://a.invalid/s\\nhttps://b.invalid/s'",
	 "a.invalid b.invalid"},
	{"* !*proxy*", "", "", "url = \"https://a.invalid\"\nhttp_proxy = \"http://p.invalid\"", "a.invalid"},
	{"*", "", "", "# https://a.invalid\n; https://b.invalid\n  // https://c.invalid\nhttps://d.invalid",
	 "d.invalid"},
	{"*", "", "", "'http://a.invalid/dists/InRelease' a.invalid_dists 0", "a.invalid"},
	{"*", "", "", "sparse+https://a.invalid/index/", "a.invalid"},
	{"*", "", "", "ssh://a.invalid file:///b git://c.invalid ftp://d.invalid xhttps://e.invalid", ""},
	{"*", "", "", "https://a.invalid https://a.invalid/b HTTPS://A.invalid", "a.invalid A.invalid"},
	{"*", "", "", "https://[2001:db8::1]:81/ http://127.0.0.1:4873/", "[2001:db8::1]:81 127.0.0.1:4873"},
	/* credentials */
	{"*", "", "", "https://user:pass@a.invalid/", "a.invalid"},
	{"*", "", "", "https://user:p@ss@a.invalid:81/", "a.invalid:81"},
	{"*", "", "", "https://tok'en@a.invalid/", "a.invalid"},
	{"*", "", "", "https://token:@/", ""},
	{"*", "", "", "https://user:pass/word@a.invalid/", ""},
	/* not hosts */
	{"*", "", "", "https://${HOST}/ https://a${B}.invalid/ https://a%2e.invalid https:///x", ""},
	{"*", "", "", "https://a.invalid:0/ https://a.invalid:99999/ https://a.invalid:x/", ""},
	{"*", "", "", "https://a.invalid:/ https://:80/", ""},
	{"*", "", "", "", ""},
	{"*", "", "", "://", ""},
	{"*", "", "", "http://", ""},
	/* XML */
	{"*", "", "<url>", "<a xmlns=\"http://x.invalid\"><!-- <url>http://y.invalid</url> --><url>\n "
		"http://z.invalid/</url></a>", "z.invalid"},
	{"*", "", "<url>", "<!-- <url>http://y.invalid</url>", ""},
	{"*", "", "<url>", "<!----><url>http://y.invalid</url><!-- --><url>http://z.invalid",
	 "y.invalid z.invalid"},
	/* JSON */
	{"registry @*:registry", "", "",
	 "{\"registry\":\"https://a.invalid/\",\"@x:registry\":\"http://b.invalid:1/\","
		"\"proxy\":\"http://p.invalid\",\"deep\":{\"registry\":\"https://c.invalid\"}}",
	 "a.invalid b.invalid:1"},
	{"registries.*.index", "", "", "{\"registries\":{\"x\":{\"index\":\"sparse+https://a.invalid/\","
		"\"token\":\"https://t.invalid\"}}}", "a.invalid"},
	{"GOPROXY GOSUMDB", "GOSUMDB", "",
	 "{\"GOPROXY\":\"https://a.invalid,direct\",\"GOSUMDB\":\"b.invalid+k1\"}", "a.invalid b.invalid"},
	{"GOSUMDB", "GOSUMDB", "", "{\"GOSUMDB\":\"off\"}", ""},
	{"GOSUMDB", "GOSUMDB", "", "{\"GOSUMDB\":\"a.invalid https://b.invalid\"}", "b.invalid a.invalid"},
	{"c", "", "", "{\"c\":[\"https://a.invalid\",[\"https://b.invalid\"]]}", "a.invalid b.invalid"},
	{"*", "", "", "{\"a\":\"https://a.invalid\"", "!"},
	{"*", "", "", "{\"a\":1}{\"b\":\"https://a.invalid\"}", "!"},
};

static struct str joined(struct arena *a, const struct texts *t)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (; t; t = t->next)
		buf_fmt(&b, "%s%.*s", b.n ? " " : "", STR_ARG(t->text));
	return buf_view(&b);
}

static void test_parser(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct registry_text t = {str_of(texts[i].text), str_of(texts[i].keys), str_of(texts[i].bare),
				str_of(texts[i].before)};
		struct texts *list = NULL;
		int rc = registry_hosts(&arena, &t, &list);

		CHECK_INT(rc, texts[i].want[0] == '!' ? -1 : 0);
		CHECK_STR(joined(&arena, list), texts[i].want[0] == '!' ? "" : texts[i].want);
	}
}

/* Long lines of addresses and blanks must not take quadratic time, and never yield more than the bound. */
static void test_bounds(void)
{
	struct registry_text t = {.keys = STR("*"), .before = STR("<url>")};
	struct texts *list = NULL;
	size_t n = 0;
	struct buf b;

	buf_init(&b, &arena, 0);
	for (size_t i = 0; i < 100000; i++)
		buf_c(&b, i % 2 ? "http://" : "        ");
	t.text = buf_view(&b);
	CHECK_INT(registry_hosts(&arena, &t, &list), 0);
	CHECK(!list);
	for (size_t i = 0; i < 2 * REGISTRY_HOSTS_MAX; i++)
		buf_fmt(&b, "<url>http://h%zu.invalid\n", i);
	t.text = buf_view(&b);
	CHECK_INT(registry_hosts(&arena, &t, &list), 0);
	for (; list; list = list->next)
		n++;
	CHECK_INT(n, REGISTRY_HOSTS_MAX);
}

static int parse_in(struct arena *a, void *ctx)
{
	struct registry_text t = {.text = STR("{\"a\":[\"https://x:y@a.invalid\",\"http://b.invalid:1\"]}"),
			.keys = STR("*")};
	struct texts *list = NULL;

	(void)ctx;
	return registry_hosts(a, &t, &list) == 0 && list && list->next ? 0 : 1;
}

static void test_torture(void)
{
	struct torture r;

	CHECK_INT(torture(parse_in, NULL, 200, &r), 0);
	CHECK_INT(r.result, 0);
}

/* ---- settings for a box ---- */

static const struct {
	const char *patterns, *text, *want; /* want: NULL: nothing is shown */
} settings[] = {
	{"registry @*:registry", "registry=https://me:pw@a.invalid/npm/\n//a.invalid/:_authToken=abc\n"
		"@s:registry = http://b.invalid:81/\nscript-shell=/bin/sh\n",
	 "registry=https://a.invalid/npm/\n@s:registry = http://b.invalid:81/\n"},
	{"registry", "registry=https://other.invalid/", NULL},
	{"registry", "registry=https://a.invalid:8443/", NULL},
	{"registry", "registry=https://${HOST}/", NULL},
	{"registry", "# registry=https://a.invalid/\n", NULL},
	{"registry", "", NULL},
	{"index-url extra-index-url", "[install]\nuser = no\n[global]\nindex-url = https://t:@a.invalid/s\n"
		"extra-index-url =\n    https://a.invalid/x\n    https://x@a.invalid/y\n"
		"proxy = http://p.invalid\n   https://a.invalid/z\n",
	 "[global]\nindex-url = https://a.invalid/s\nextra-index-url =\n    https://a.invalid/x\n"
		"    https://a.invalid/y\n"},
	{"index-url", "index-url = https://a.invalid/Zk3v9Qw81LmN04tRx2/simple", NULL},
	{"index-url", "index-url = https://a.invalid/ZkvQwLmNtRxaBcDeFg9/simple", NULL},
	{"index-url", "index-url = https://a.invalid/1b4e28ba-2fa1-11d2-883f-0016d3cca427/simple", NULL},
	{"index-url", "index-url = https://a.invalid/artifactory/api/pypi/python-remote-2024/simple",
	 "index-url = https://a.invalid/artifactory/api/pypi/python-remote-2024/simple\n"},
	{"replace-with registry", "[source.crates-io]\nreplace-with = \"m\"\n[net]\nretry = 1\n[source.m]\n"
		"registry = \"sparse+https://a.invalid/\"\ntoken = \"abc\"\n",
	 "[source.crates-io]\nreplace-with = \"m\"\n[source.m]\nregistry = \"sparse+https://a.invalid/\"\n"},
	{"GOPROXY", "GOPROXY=https://a.invalid,direct\nGOFLAGS=-x\n", "GOPROXY=https://a.invalid,direct\n"},
	{"GOPROXY", "GOPROXY=https://a.invalid,https://other.invalid\n", NULL},
	{"npmRegistryServer", "npmRegistryServer: \"https://a.invalid\"\nnpmAuthToken: x\n",
	 "npmRegistryServer: \"https://a.invalid\"\n"},
};

static void test_settings(void)
{
	struct network_rule *rules = NULL;
	struct registries r = {0};
	struct str got;

	CHECK_INT(registries_expand(&arena, &r, STR("a.invalid"), &rules, NULL), 0);
	CHECK_INT(registries_expand(&arena, &r, STR("b.invalid:81"), &rules, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		bool shown = registry_settings(&arena, str_of(settings[i].text), str_of(settings[i].patterns),
				rules, &got);

		if (shown != (settings[i].want != NULL))
			unit_fail(__FILE__, __LINE__, "shown: %d: %s", shown, settings[i].text);
		if (shown && settings[i].want)
			CHECK_STR(got, settings[i].want);
	}
}

/* ---- words ---- */

static struct str expanded(const char *words, struct err *e)
{
	struct registries r = {0};
	struct network_rule *list = NULL;
	struct str rest = str_of(words), word;
	struct buf b;

	*e = (struct err){0};
	while ((word = str_word(&rest)).n)
		if (registries_expand(&arena, &r, word, &list, e) != 0)
			break;
	buf_init(&b, &arena, 0);
	for (; list; list = list->next) {
		struct str text = network_rule_text(&arena, list);

		buf_fmt(&b, "%s%.*s", b.n ? " " : "", STR_ARG(text));
	}
	return buf_view(&b);
}

static void test_words(void)
{
	struct err e;

	CHECK_STR(expanded("a.invalid", &e), "a.invalid");
	CHECK_STR(expanded("A.invalid a.invalid:443 b.invalid:81", &e), "a.invalid b.invalid:81");
	CHECK_STR(expanded("*.x.invalid a.x.invalid x.invalid", &e), "*.x.invalid x.invalid");
	CHECK_STR(expanded("preset:registries/go", &e), "proxy.golang.org sum.golang.org");
	CHECK(str_eq(expanded("preset:registries/gradlew", &e), expanded("preset:registries/gradle", &e)));
	CHECK(str_contains(expanded("preset:registries/gradle", &e), STR("repo.maven.apache.org")));
	CHECK(str_contains(expanded("preset:registries/composer", &e), STR("codeload.github.com")));
	CHECK_STR(expanded("preset:registries", &e), ""); /* without a world no tool is there */
	CHECK_INT(e.kind, ERR_NONE);
	CHECK_STR(expanded("a.invalid preset:nonsense", &e), "a.invalid");
	CHECK_INT(e.kind, ERR_INPUT);
	CHECK(strstr(e.text, "preset:registries/TOOL") && strstr(e.text, "apt"));
	(void)expanded("preset:registries/", &e);
	CHECK_INT(e.kind, ERR_INPUT);
	(void)expanded("preset:registries/nonsense", &e);
	CHECK_INT(e.kind, ERR_INPUT);
	(void)expanded("preset:registriesX", &e);
	CHECK_INT(e.kind, ERR_INPUT);
}

static void test_empty(void)
{
	struct network_rule *list = NULL;
	struct registries r = {0};

	CHECK_INT(registries_expand(&arena, &r, STR(""), &list, NULL), -1);
	CHECK_INT(registries_expand(&arena, &r, STR("a.invalid b.invalid"), &list, NULL), -1);
	CHECK(!list);
}

static void test_limit(void)
{
	struct network_rule *list = NULL, *before = NULL;
	struct registries r = {0};
	struct err e = {0};
	size_t i = 0;

	for (; i <= NETWORK_RULES_MAX; i++) {
		before = list;
		if (registries_expand(&arena, &r, str_fmt(&arena, "h%zu.invalid", i), &list, &e) != 0)
			break;
	}
	CHECK_INT(i, NETWORK_RULES_MAX);
	CHECK_INT(e.kind, ERR_LIMIT);
	CHECK(list == before);
}

int main(void)
{
	arena_init(&arena, ARENA_CAP_DEFAULT);
	RUN(test_table);
	RUN(test_named);
	RUN(test_asked);
	RUN(test_parser);
	RUN(test_bounds);
	RUN(test_torture);
	RUN(test_settings);
	RUN(test_words);
	RUN(test_empty);
	RUN(test_limit);
	arena_free(&arena);
	return unit_end();
}
