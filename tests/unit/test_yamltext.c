/* Edits of YAML as text: every layout keeps all bytes but ours, or is refused. */
#define _GNU_SOURCE
#include <string.h>

#include "config/yamltext.h"
#include "unit.h"

#define ALLOW "tools.bash.allow"
#define NAME STR("f.yaml")

static struct arena arena;
static struct arena *const A = &arena;

/*
 * after NULL: refused. Unless once is set, taking the item out again gives back the text before, or one with
 * the same values.
 */
static const struct row {
	const char *what, *before, *item, *after;
	const char *path;
	bool once; /* taking it out leaves keys behind that were not there */
} rows[] = {
	{"no file", "", "npm install", "tools:\n  bash:\n    allow:\n      - npm install\n", ALLOW, true},
	{"comments alone", "# mine\n", "a", "# mine\ntools:\n  bash:\n    allow:\n      - a\n", ALLOW, true},
	{"a comment without its end", "# mine", "a", "# mine\ntools:\n  bash:\n    allow:\n      - a\n",
			ALLOW, true},
	{"a document marker alone", "---\n", "a", "---\ntools:\n  bash:\n    allow:\n      - a\n", ALLOW,
			true},
	{"blank lines alone", "\n\n", "a", "\n\ntools:\n  bash:\n    allow:\n      - a\n", ALLOW, true},
	{"block list", "tools:\n  bash:\n    allow:\n      - x\n", "a",
			"tools:\n  bash:\n    allow:\n      - x\n      - a\n", ALLOW, false},
	{"not indented", "tools:\n  bash:\n    allow:\n    - x\n", "a",
			"tools:\n  bash:\n    allow:\n    - x\n    - a\n", ALLOW, false},
	{"indented by four", "tools:\n    bash:\n        allow:\n            - x\n", "a",
	 "tools:\n    bash:\n        allow:\n            - x\n            - a\n", ALLOW, false},
	{"no last newline", "tools:\n  bash:\n    allow:\n      - x", "a",
			"tools:\n  bash:\n    allow:\n      - x\n      - a\n", ALLOW, true},
	{"CRLF", "tools:\r\n  bash:\r\n    allow:\r\n      - x\r\n", "a",
			"tools:\r\n  bash:\r\n    allow:\r\n      - x\r\n      - a\r\n", ALLOW, false},
	{"CRLF, no key", "default: ask\r\n", "a",
			"default: ask\r\ntools:\r\n  bash:\r\n    allow:\r\n      - a\r\n", ALLOW, true},
	{"comments around",
			"# top\ntools: # t\n  bash:\n    # about x\n    allow: # l\n      # the x\n      - "
			"x # why\n      # the end\n# foot\n", "a",
	 "# top\ntools: # t\n  bash:\n    # about x\n    allow: # l\n      # the x\n      - x # why\n      "
			"- a\n      # the end\n# foot\n", ALLOW, false},
	{"more behind", "tools:\n  bash:\n    allow:\n      - x\n\n    deny:\n      - y\nmode: default\n",
			"a",
	 "tools:\n  bash:\n    allow:\n      - x\n      - a\n\n    deny:\n      - y\nmode: default\n", ALLOW,
	 false},
	{"last entry is a map",
			"tools:\n  bash:\n    allow:\n      - prefix: x\n        description: d\n    deny: "
			"[y]\n", "a",
	 "tools:\n  bash:\n    allow:\n      - prefix: x\n        description: d\n      - a\n    deny: [y]\n",
	 ALLOW, false},
	{"last entry has many lines",
			"tools:\n  bash:\n    allow:\n      - prefix: x\n        description: >\n          "
			"one\n          two\n    deny: [y]\n", "a",
	 "tools:\n  bash:\n    allow:\n      - a\n      - prefix: x\n        description: >\n          "
			"one\n          two\n    deny: [y]\n", ALLOW, false},
	{"first entry has a comment, last many lines",
			"tools:\n  bash:\n    allow:\n      # c\n      - x\n      - prefix: >-\n          "
			"one\n", "a",
	 "tools:\n  bash:\n    allow:\n      # c\n      - x\n      - prefix: >-\n          one\n      - a\n",
	 ALLOW, false},
	{"flow list", "tools:\n  bash:\n    allow: [x, y]\n", "a", "tools:\n  bash:\n    allow: [x, y, a]\n",
			ALLOW, false},
	{"flow list, comment", "tools:\n  bash:\n    allow: [x] # a, ]b\n", "a",
			"tools:\n  bash:\n    allow: [x, a] # a, ]b\n", ALLOW, false},
	{"flow list, blanks", "tools:\n  bash:\n    allow: [ x, y ]\n", "a",
			"tools:\n  bash:\n    allow: [ x, y, a ]\n", ALLOW, false},
	{"flow list, comma", "tools:\n  bash:\n    allow: [x,]\n", "a",
			"tools:\n  bash:\n    allow: [x, a]\n", ALLOW, true},
	{"empty flow list", "tools:\n  bash:\n    allow: []\n", "a", "tools:\n  bash:\n    allow: [a]\n",
			ALLOW, false},
	{"flow list on lines", "tools:\n  bash:\n    allow: [\n      x, # one\n      y, # two ]\n      ]\n",
			"a",
	 "tools:\n  bash:\n    allow: [\n      x, # one\n      y, a # two ]\n      ]\n", ALLOW, true},
	{"flow list, quotes", "tools:\n  bash:\n    allow: ['x]', \"y\\\"]\", it's]\n", "a",
			"tools:\n  bash:\n    allow: ['x]', \"y\\\"]\", it's, a]\n", ALLOW, false},
	{"flow list, maps", "tools:\n  bash:\n    allow: [{prefix: x, match: [x y]}]\n", "a",
	 "tools:\n  bash:\n    allow: [{prefix: x, match: [x y]}, a]\n", ALLOW, false},
	{"flow map", "tools: {bash: {deny: [x]}}\n", "a", "tools: {bash: {deny: [x], allow: [a]}}\n", ALLOW,
			true},
	{"empty flow map", "tools: {}\n", "a", "tools: {bash: {allow: [a]}}\n", ALLOW, true},
	{"all flow", "{tools: {bash: {allow: [x]}}}\n", "a", "{tools: {bash: {allow: [x, a]}}}\n", ALLOW,
			false},
	{"JSON", "{\"tools\": {\"bash\": {\"allow\": [\"x\"]}}}\n", "a b",
			"{\"tools\": {\"bash\": {\"allow\": [\"x\", \"a b\"]}}}\n", ALLOW, false},
	{"JSON on lines", "{\n  \"mode\": \"plan\"\n}\n", "a",
			"{\n  \"mode\": \"plan\", \"tools\": {\"bash\": {\"allow\": [\"a\"]}}\n}\n", ALLOW,
			true},
	{"empty JSON", "{}", "a", "{\"tools\": {\"bash\": {\"allow\": [\"a\"]}}}", ALLOW, true},
	{"the list is missing", "tools:\n  bash:\n    deny:\n      - x\n", "a",
			"tools:\n  bash:\n    deny:\n      - x\n    allow:\n      - a\n", ALLOW, true},
	{"... before another key", "tools:\n  bash:\n    deny: [x]\n\n# m\nmode: plan\n", "a",
	 "tools:\n  bash:\n    deny: [x]\n    allow:\n      - a\n\n# m\nmode: plan\n", ALLOW, true},
	{"... and the map ends in many lines", "tools:\n  bash:\n    deny:\n      - prefix: |\n          x\n",
			"a",
	 "tools:\n  bash:\n    deny:\n      - prefix: |\n          x\n    allow:\n      - a\n", ALLOW, true},
	{"bash is missing", "tools:\n  deny: [x]\n", "a",
			"tools:\n  deny: [x]\n  bash:\n    allow:\n      - a\n", ALLOW, true},
	{"tools is missing", "default: ask # d\n", "a",
			"default: ask # d\ntools:\n  bash:\n    allow:\n      - a\n", ALLOW, true},
	{"... in steps of four", "hooks:\n    approve: true\n", "a",
			"hooks:\n    approve: true\ntools:\n    bash:\n        allow:\n            - a\n",
			ALLOW, true},
	{"a key without a value", "tools:\n  bash:\n    allow:\n", "a",
			"tools:\n  bash:\n    allow:\n      - a\n", ALLOW, false},
	{"... with a comment", "tools:\n  bash:\n    allow: # none yet\n    deny: [x]\n", "a",
			"tools:\n  bash:\n    allow: # none yet\n      - a\n    deny: [x]\n", ALLOW, false},
	{"bash without a value", "tools:\n  bash:\n", "a", "tools:\n  bash:\n    allow:\n      - a\n", ALLOW,
			true},
	{"tools without a value", "tools:\n", "a", "tools:\n  bash:\n    allow:\n      - a\n", ALLOW, true},
	{"a marker at the start", "---\ntools:\n  bash:\n    allow:\n      - x\n", "a",
			"---\ntools:\n  bash:\n    allow:\n      - x\n      - a\n", ALLOW, false},
	{"a marker at the end", "tools:\n  bash:\n    allow:\n      - x\n...\n", "a",
			"tools:\n  bash:\n    allow:\n      - x\n      - a\n...\n", ALLOW, false},
	{"an anchor", "tools:\n  bash:\n    allow: &l\n      - x\n", "a",
			"tools:\n  bash:\n    allow: &l\n      - x\n      - a\n", ALLOW, false},
	{"letters beyond ASCII", "# \xc3\xa4\ntools:\n  bash:\n    allow: ['\xc3\xa4', x]\n", "a",
			"# \xc3\xa4\ntools:\n  bash:\n    allow: ['\xc3\xa4', x, a]\n", ALLOW, true},
	{"a colon", "tools:\n  bash:\n    allow:\n      - x\n", "curl https://e.org/a b",
			"tools:\n  bash:\n    allow:\n      - x\n      - 'curl https://e.org/a b'\n", ALLOW,
			false},
	{"a quote", "tools: {bash: {allow: []}}\n", "echo 'a' \"b\" \\c",
			"tools: {bash: {allow: [\"echo 'a' \\\"b\\\" \\\\c\"]}}\n", ALLOW, false},
	{"a word with a meaning", "tools: {bash: {allow: []}}\n", "true",
			"tools: {bash: {allow: ['true']}}\n", ALLOW, false},
	{"a number", "tools: {bash: {allow: []}}\n", "7z x", "tools: {bash: {allow: ['7z x']}}\n", ALLOW,
			false},
	{"a path", "tools: {bash: {allow: []}}\n", "./run.sh -a", "tools: {bash: {allow: [./run.sh -a]}}\n",
			ALLOW, false},
	{"a hash", "tools: {bash: {allow: []}}\n", "a #b", "tools: {bash: {allow: ['a #b']}}\n", ALLOW,
			false},
	{"an expression", "", "^git push origin x\\.y$",
			"tools:\n  bash:\n    allowChecks:\n      - '^git push origin x\\.y$'\n",
			"tools.bash.allowChecks", true},
	{"a permission", "permissions:\n  deny: [Read(x)]\n", "Bash(npm run:*)",
			"permissions:\n  deny: [Read(x)]\n  allow:\n    - 'Bash(npm run:*)'\n",
			"permissions.allow", true},
	{"a tool", "tools:\n  bash: {allow: [x]}\n", "mcp__docs_*",
			"tools:\n  bash: {allow: [x]}\n  allow:\n    - 'mcp__docs_*'\n", "tools.allow", true},
	{"a text in the place of the list", "tools: {bash: {allow: x}}\n", "a", NULL, ALLOW, false},
	{"a list in the place of the map", "tools: [x]\n", "a", NULL, ALLOW, false},
	{"null in letters", "tools:\n  bash:\n    allow: ~\n", "a", NULL, ALLOW, false},
	{"an empty block after a flow key", "{tools: }\n", "a", NULL, ALLOW, false},
	{"broken", "tools: {bash\n", "a", NULL, ALLOW, false},
	{"twice", "tools: {}\ntools: {}\n", "a", NULL, ALLOW, false},
	{"the marker ends it", "mode: plan\n...\n", "a",
			"mode: plan\ntools:\n  bash:\n    allow:\n      - a\n...\n", ALLOW, true},
	{"an explicit key", "? tools\n: bash:\n    allow: [x]\n", "a",
			"? tools\n: bash:\n    allow: [x, a]\n", ALLOW, false},
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		struct str got = STR("untouched"), back = STR("untouched");
		struct err e = {0};
		int rc = yamltext_add(A, NAME, str_of(r->before), r->path, str_of(r->item), &got, &e);

		CHECK_ROW(rc == (r->after ? 0 : -1), r->what);
		if (rc == 0 && r->after && !str_is(got, r->after)) {
			unit_fail(__FILE__, __LINE__, "row %s", r->what);
			unit_bytes(" got", got);
			unit_bytes("want", str_of(r->after));
		}
		if (rc != 0) {
			CHECK_ROW(str_is(got, "untouched") && str_contains(str_of(e.text), STR("f.yaml:")),
					r->what);
			continue;
		}
		CHECK_ROW(yamltext_remove(A, NAME, got, r->path, str_of(r->item), &back, &e) == 0, r->what);
		if (!r->once && !str_is(back, r->before)) {
			unit_fail(__FILE__, __LINE__, "row %s: not taken out as it was put in", r->what);
			unit_bytes(" got", back);
		}
	}
}

static void test_messages(void)
{
	struct str got;
	struct err e = {0};

	CHECK_INT(yamltext_add(A, NAME, STR("mode: plan\ntools: [x]\n"), ALLOW, STR("it's"), &got, &e), -1);
	CHECK_STR(str_of(e.text),
			"f.yaml:2: this layout cannot be changed safely by a program; write it by hand, as "
			"an entry of tools.bash.allow: \"it's\"");
	CHECK_INT(yamltext_remove(A, NAME, STR("tools: {bash: {allow: [x]}}\n"), ALLOW, STR("y"), &got, &e),
			-1);
	CHECK_STR(str_of(e.text), "f.yaml: 'y' is not in tools.bash.allow");
	CHECK_INT(yamltext_remove(A, NAME,
			STR("tools:\n  bash:\n    allow:\n      - >-\n        x\n      - y\n"), ALLOW,
			STR("x"), &got, &e), -1);
	CHECK(str_contains(str_of(e.text), STR("remove it by hand, from tools.bash.allow: x")));
}

static void test_find(void)
{
	struct yaml_file f;
	const struct ynode *list;

	CHECK_INT(yaml_read(A, NAME,
			STR("tools:\n  bash:\n    allow:\n      - x\n      - prefix: y\n      - {command: "
			"z}\n"), &f, NULL), 0);
	list = yamltext_list(&f, ALLOW);
	CHECK(list && yamltext_find(list, STR("x")) && yamltext_find(list, STR("y")) &&
			yamltext_find(list, STR("z")));
	CHECK(list && !yamltext_find(list, STR("w")) && yamltext_find(list, STR("y"))->line == 5);
	CHECK(!yamltext_list(&f, "tools.bash.deny") && !yamltext_list(&f, "tools.bash") &&
			!yamltext_find(NULL, STR("x")));
}

/* Put in at every list of a large file, and taken out: the bytes are the same. */
static void test_many(void)
{
	struct str text = STR("tools:\n  bash:\n    allow:\n"), back;
	struct err e = {0};

	for (int i = 0; i < 200; i++)
		CHECK_INT(yamltext_add(A, NAME, text, ALLOW, str_fmt(A, "cmd %d: 'x'", i), &text, &e), 0);
	back = text;
	for (int i = 0; i < 200; i++)
		CHECK_INT(yamltext_remove(A, NAME, back, ALLOW, str_fmt(A, "cmd %d: 'x'", i), &back, &e), 0);
	CHECK_STR(back, "tools:\n  bash:\n    allow:\n");
}

int main(void)
{
	arena_init(&arena, (size_t)256 << 20);
	RUN(test_rows);
	RUN(test_messages);
	RUN(test_find);
	RUN(test_many);
	arena_free(&arena);
	return unit_end();
}
