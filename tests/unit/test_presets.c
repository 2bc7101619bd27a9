/*
 * The presets: what each promises. Their rules explain themselves, their examples hold, docs/presets.md knows
 * them, and only three have a say in what is general.
 */
#include "base/glob.h"
#include "config/config.h"
#include "config/yaml.h"
#include "gate/gate.h"
#include "judge/engine.h"
#include "unit.h"

static struct arena arena;

/* The text of a preset as a file of its own, so that its examples are kept. */
static void load_text(const struct config_preset *p, struct policy *ret)
{
	struct err e = {0};
	struct config_source src = {.name = str_fmt(&arena, "%.*s.yaml", STR_ARG(p->name)), .bytes = p->text,
			.who = WHO_OWNER};

	if (config_load(&arena, &src, 1, ret, NULL, &e) != 0 || gate_verify(ret, &e) != 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
}

static void load_import(const char *names, struct policy *ret)
{
	struct err e = {0};
	struct config_source src = {.name = STR("p.yaml"), .bytes = str_fmt(&arena, "import: [%s]\n", names),
			.who = WHO_OWNER};

	if (config_load(&arena, &src, 1, ret, NULL, &e) != 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
}

static void test_examples(void)
{
	struct config_preset p;
	size_t n = 0;

	for (size_t i = 0; config_preset_at(i, &p); i++) {
		struct policies_request rq =
				{.context = &(struct context){.cwd = STR("/w/p"), .home = STR("/home/dev")}};
		struct policy policy = {0};
		struct err e = {0};

		load_text(&p, &policy);
		if (policies_examples(&rq, &policy, &e) != 0)
			unit_fail(__FILE__, __LINE__, "%s", e.text);
		for (const struct example *x = policy.examples; x; x = x->next)
			n++;
	}
	CHECK(n > 150);
}

/* Whoever imports a preset does not pay for its examples. */
static void test_examples_stay(void)
{
	struct policy policy = {0};

	load_import("git, kubernetes", &policy);
	CHECK(!policy.examples && policy.checks && policy.allow);
}

#define EXPLAINED(list, type) \
	for (const struct type *r = policy.list; r; r = r->next) { \
		n++; \
		if (!r->rule.description.n) \
			unit_fail(__FILE__, __LINE__, "%.*s: a rule without a description", \
					STR_ARG(r->rule.where)); \
	}

static void test_explained(void)
{
	struct config_preset p;
	size_t n = 0;

	for (size_t i = 0; config_preset_at(i, &p); i++) {
		struct policy policy = {0};

		load_text(&p, &policy);
		EXPLAINED(deny, prefix_rule)
		EXPLAINED(ask, prefix_rule)
		EXPLAINED(checks, regex_rule)
		EXPLAINED(allow_checks, regex_rule)
		EXPLAINED(redirects, redirect_rule)
		EXPLAINED(arguments, argument_rule)
		EXPLAINED(only, names_rule)
		EXPLAINED(permission_deny, permission_rule)
		EXPLAINED(tool_ask, tool_rule)
		EXPLAINED(tool_deny, tool_rule)
	}
	CHECK(n > 200);
}

/*
 * A preset about one tool leaves what is general alone, so that any number of them can be imported together.
 */
static void test_general(void)
{
	static const char *const general[] = {"default", "onError", "mode", "route", "contain_fallback",
			"allow_readonly", "fold_case", "import", "client_settings", "excluded_commands"};
	struct config_preset p;

	for (size_t i = 0; config_preset_at(i, &p); i++) {
		struct yaml_file f;

		CHECK_INT(yaml_read(&arena, p.name, p.text, &f, NULL), 0);
		CHECK_ROW(!yaml_get(f.root, "import"), str_c(&arena, p.name));
		if (str_is(p.name, "claude-code") || str_is(p.name, "code-exec") || str_is(p.name, "strict"))
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(general); k++)
			if (yaml_get(f.root, general[k]))
				unit_fail(__FILE__, __LINE__, "preset %.*s sets '%s'", STR_ARG(p.name),
						general[k]);
	}
}

static void test_standard(void)
{
	struct policy plain = {0}, with = {0};

	config_default(&plain);
	load_import("standard", &with);
	CHECK_INT(with.fallback, plain.fallback);
	CHECK_INT(with.on_error, plain.on_error);
	CHECK(!with.deny == !plain.deny && !with.ask && !with.allow && !with.checks && !with.allow_checks &&
			!with.regrades && !with.only && !with.arguments && !with.redirects);
	CHECK(!with.tool_deny && !with.tool_ask && !with.tool_allow && !with.permission_deny &&
			!with.permission_ask && !with.permission_allow);
}

/* ---- tools other than the shell ---- */

static bool names_tool(const struct tool_rule *r, const char *tool)
{
	for (; r; r = r->next)
		if (glob_name(r->tool, str_of(tool)))
			return true;
	return false;
}

static const char *tool_verdict(const struct policy *p, const char *tool)
{
	return names_tool(p->tool_deny, tool) ? "deny" : names_tool(p->tool_ask, tool) ? "ask" :
			names_tool(p->tool_allow, tool) ? "allow" : "nothing";
}

static void test_tools(void)
{
	static const struct {
		const char *preset, *tool, *verdict;
	} rows[] = {
		{"claude", "Read", "allow"}, {"claude", "Grep", "allow"}, {"claude", "TodoWrite", "allow"},
		{"claude", "Write", "nothing"}, {"claude", "Edit", "nothing"},
		{"claude", "Bash", "nothing"}, {"claude", "WebFetch", "nothing"},
		{"claude", "mcp__x__Read", "nothing"},
		{"claude-web", "WebFetch", "allow"}, {"claude-web", "WebSearch", "allow"},
		{"claude-web", "Read", "nothing"}, {"claude-web", "mcp__x__WebFetch", "nothing"},
		{"context7", "mcp__context7__get-library-docs", "allow"},
		{"context7", "mcp__plugin_context7_context7__resolve-library-id", "allow"},
		{"context7", "mcp__context7__delete-library", "nothing"},
		{"context7", "mcp__context7_evil__get-library-docs", "nothing"},
		{"playwright", "mcp__playwright__browser_snapshot", "allow"},
		{"playwright", "mcp__plugin_playwright_playwright__browser_tabs", "allow"},
		{"playwright", "mcp__playwright__browser_click", "ask"},
		{"playwright", "mcp__playwright__browser_run_code_unsafe", "ask"},
		{"playwright", "mcp__playwright__browser_evaluate", "ask"},
		{"playwright", "mcp__playwright__something_new", "nothing"},
		{"playwright", "mcp__mail__send", "nothing"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy p = {0};

		load_import(rows[i].preset, &p);
		if (strcmp(tool_verdict(&p, rows[i].tool), rows[i].verdict) != 0)
			unit_fail(__FILE__, __LINE__, "%s: %s is %s, want %s", rows[i].preset, rows[i].tool,
					tool_verdict(&p, rows[i].tool), rows[i].verdict);
	}
}

static void test_secrets(void)
{
	struct policy p = {0}, plain = {0};

	load_import("secrets", &p);
	load_import("git", &plain);
	CHECK(p.secrets.enabled && p.secrets.scan_inputs && p.secrets.scan_outputs && p.secret_allow &&
			p.secret_paths);
	CHECK(!plain.secrets.enabled);
}

/* ---- documentation ---- */

static void test_documented(void)
{
	static char text[65536];
	FILE *f = fopen("docs/presets.md", "rb");
	size_t n = f ? fread(text, 1, sizeof(text), f) : 0;
	struct config_preset p;

	if (f)
		fclose(f);
	CHECK(n > 0);
	for (size_t i = 0; config_preset_at(i, &p); i++) {
		struct str row = str_fmt(&arena, "\n| `%.*s` | %.*s |", STR_ARG(p.name), STR_ARG(p.title)),
				head = str_fmt(&arena, "\n### %.*s\n", STR_ARG(p.name));

		if (!str_contains(str_n(text, n), row))
			unit_fail(__FILE__, __LINE__, "docs/presets.md lacks the row '%.*s'", (int)row.n - 1,
					row.p + 1);
		if (!str_contains(str_n(text, n), head))
			unit_fail(__FILE__, __LINE__, "docs/presets.md lacks a section about %.*s",
					STR_ARG(p.name));
	}
}

int main(void)
{
	arena_init(&arena, ARENA_CAP_DEFAULT);
	RUN(test_examples);
	RUN(test_examples_stay);
	RUN(test_explained);
	RUN(test_general);
	RUN(test_standard);
	RUN(test_tools);
	RUN(test_secrets);
	RUN(test_documented);
	arena_free(&arena);
	return unit_end();
}
