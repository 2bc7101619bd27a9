/* The JSON Schema of a policy and the loader agree: on examples, presets, documents, and on wrong values. */
#include <stdio.h>

#include "base/json.h"
#include "config/policy_schema.h"
#include "result/schema.h"
#include "unit.h"

static struct arena arena;
static struct json *schema;

static struct str file_text(const char *path)
{
	enum { TEXT_MAX = 1 << 18 };
	char *text = arena_alloc(&arena, TEXT_MAX);
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(text, 1, TEXT_MAX, f) : 0;

	if (f)
		fclose(f);
	return str_n(text, n);
}

static bool loads(struct str yaml)
{
	struct config_source src = {.name = STR("p.yaml"), .bytes = yaml, .who = WHO_SYSTEM};
	struct policy p;
	struct err e = {0};

	return config_load(&arena, &src, 1, &p, NULL, &e) == 0;
}

static struct json *parse(struct str text)
{
	struct json *v = NULL;
	struct err e = {0};

	if (json_read(&arena, text, &v, &e) != 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	return v;
}

static bool conforms(struct str yaml)
{
	struct schema_budget left = SCHEMA_BUDGET;
	struct schema_result answer;
	struct yaml_file y;
	struct err e = {0};
	struct buf b;

	if (yaml_read(&arena, STR("p.yaml"), yaml, &y, &e) != 0 || !y.root)
		return !y.root;
	buf_init(&b, &arena, 0);
	config_put_json(&b, y.root);
	schema_check(&arena, schema, parse(buf_view(&b)), &left, &answer);
	if (answer.answer == SCHEMA_UNKNOWN)
		unit_fail(__FILE__, __LINE__, "the schema cannot be decided: %.*s",
				answer.notes ? (int)answer.notes->why.n : 0,
				answer.notes ? answer.notes->why.p : "");
	return answer.answer == SCHEMA_YES;
}

/* "a.b.c" and a value as a file. */
static struct str file_of(const char *dotted, const char *value)
{
	struct buf b;
	int open = 0;

	buf_init(&b, &arena, 0);
	for (const char *c = dotted; *c; c++) {
		open += *c == '.';
		buf_fmt(&b, *c == '.' ? ": {" : "%c", *c);
	}
	buf_fmt(&b, ": %s", value);
	while (open--)
		buf_char(&b, '}');
	return buf_view(&b);
}

static void test_stored(void)
{
	struct buf b;

	buf_init(&b, &arena, 0);
	CHECK_INT(config_schema(&arena, &b, NULL), 0);
	CHECK_STRN(file_text("docs/schema/policy.schema.json"), buf_view(&b));
	schema = parse(buf_view(&b));
}

/* Values that no key accepts, by what the loader says; the schema must say the same. */
static void test_keys(void)
{
	static const char values[][40] = {"{no-such-thing: [[]]}", "[[]]", "[{no-such-key: 1}]", "maybe",
			"[ls]", "true", "-5", "''"};
	size_t refused = 0;
	struct yaml_file shapes;

	CHECK_INT(config_shapes(&arena, &shapes, NULL), 0);

	for (size_t i = 0; config_key(i); i++) {
		const struct config_key *k = config_key(i);

		CHECK_ROW(conforms(file_of(k->name, k->example)), k->name);
		CHECK_ROW(*config_shape_text(&arena, &shapes, k), k->name);
		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			struct str text = file_of(k->name, values[v]);

			/* The schema knows types, not ranges: it may accept more than the loader. */
			if (loads(text))
				CHECK_ROW(conforms(text) || !strcmp(values[v], "true"), k->name);
			refused += !conforms(text);
		}
		CHECK_ROW(!conforms(file_of(k->name, values[0])), k->name);
	}
	CHECK(refused > 300);
}

static void test_rules(void)
{
	static const struct {
		char text[120];
		bool good;
	} rows[] = {
		{"{}", true},
		{"tools:", true},
		{"deny: [ls]", false},
		{"tools: {deny: {prefix: x}}", false},
		{"sandbox.network.allow: [a.example]", true},
		{"sandbox: {network: {allow: [a.example]}}", true},
		{"sandbox: {network: deny}", true},
		{"sandbox: {network: {alow: [a.example]}}", false},
		{"import: git", true},
		{"import: [git, gti]", false},
		{"checks_grade: {secret-read: deny}", true},
		{"checks_grade: {secret-raed: deny}", false},
		{"checks_grade: {secret-read: severe}", false},
		{"tools: {bash: {deny: [{prefix: ls, description: x}]}}", true},
		{"tools: {bash: {deny: [{description: x}]}}", false},
		{"tools: {bash: {redirects: [{glob: x, decision: deny}]}}", true},
		{"tools: {bash: {redirects: [{glob: x, outside: y, decision: deny}]}}", false},
		{"tools: {bash: {arguments: [{command: rm, decision: ask}]}}", false},
		{"tools: {bash: {only: {names: [ls]}}}", true},
		{"tools: {bash: {only: []}}", false},
		{"secrets: {timeoutMs: 0}", false},
		{"sandbox: {limits: {memory: 2G, pids: 100}}", true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_ROW(conforms(str_of(rows[i].text)) == rows[i].good, rows[i].text);
		/* An unknown check is found when the gate verifies the policy, not by the loader. */
		if (!strstr(rows[i].text, "secret-raed"))
			CHECK_ROW(loads(str_of(rows[i].text)) == rows[i].good, rows[i].text);
	}
}

static void test_presets(void)
{
	struct config_preset p;
	size_t n = 0;

	for (; config_preset_at(n, &p); n++)
		CHECK_ROW(conforms(p.text), str_c(&arena, p.name));
	CHECK(n > 15);
}

/* Policies of the documentation. */
static void test_documents(void)
{
	struct str rest = file_text("docs/policy.md");
	size_t n = 0;

	for (const char *at = str_c(&arena, rest); (at = strstr(at, "```yaml\n")); n++) {
		const char *from = at + strlen("```yaml\n"), *end = strstr(from, "```");
		struct str text = str_n(from, end ? (size_t)(end - from) : 0);

		if (loads(text) && !conforms(text))
			unit_fail(__FILE__, __LINE__, "refused by the schema: %.*s", STR_ARG(text));
		at = from;
	}
	CHECK(n > 5);
}

/* The starter is all comments; without the first `#` of its sample lines it is a policy that loads. */
static void test_starter(void)
{
	struct str text = file_text("knowledge/policy/starter.yaml");
	struct buf b;

	CHECK(text.n > 500 && conforms(text) && loads(text));
	buf_init(&b, &arena, 0);
	for (size_t i = 0; i < text.n; i++) {
		bool start = !i || text.p[i - 1] == '\n';

		if (start && text.p[i] == '#' && (text.p[i + 1] != ' ' || text.p[i + 2] == ' ') &&
				text.p[i + 1] != '\n')
			continue;
		buf_char(&b, text.p[i]);
	}
	CHECK(str_contains(buf_view(&b), STR("\nimport: [git")));
	CHECK(conforms(buf_view(&b)) && loads(buf_view(&b)));
}

int main(void)
{
	arena_init(&arena, (size_t)256 << 20);
	RUN(test_stored);
	RUN(test_keys);
	RUN(test_rules);
	RUN(test_presets);
	RUN(test_documents);
	RUN(test_starter);
	arena_free(&arena);
	return unit_end();
}
