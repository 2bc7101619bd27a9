/* Policies from YAML: what loads, what must not, where the message points, and files made to hurt. */
#include <stdlib.h>
#include <unistd.h>

#include "config/config.h"
#include "config/yaml.h"
#include "knowledge/knowledge.h"
#include "torture.h"
#include "unit.h"

static struct arena arena;

static int load_in(struct arena *a, struct str text, struct policy *p, struct err *e)
{
	return config_load(a, &(struct config_source){.name = STR("p.yaml"), .bytes = text, .who = WHO_OWNER}, 1, p, NULL, e);
}

static int load(const char *text, struct policy *p, struct err *e)
{
	*e = (struct err){0};
	*p = (struct policy){0};
	return load_in(&arena, str_of(text), p, e);
}

static size_t count(const struct prefix_rule *r)
{
	size_t n = 0;
	for (; r; r = r->next)
		n++;
	return n;
}

static const struct prefix_rule *last(const struct prefix_rule *r)
{
	while (r && r->next)
		r = r->next;
	return r;
}

static void test_default(void)
{
	struct policy p = {0};
	config_default(&p);
	CHECK_INT(p.fallback, VERDICT_ALLOW);
	static const char *const must[] = {"mkfs", "shutdown", "reboot", "halt", "poweroff"};
	for (size_t i = 0; i < sizeof(must) / sizeof(must[0]); i++) {
		bool found = false;
		for (const struct prefix_rule *r = p.deny; r; r = r->next)
			found |= str_is(r->prefix, must[i]) && r->rule.description.n;
		CHECK_ROW(found, must[i]);
	}
	CHECK(!p.ask && !p.allow && !p.commands && p.ncommands == 0);
	CHECK_STRN(p.digest, config_digest(&arena, config_default_text()));
}

/* The built-in text and the built-in rules say the same. */
static void test_default_text(void)
{
	struct policy p, q;
	struct err e = {0};
	config_default(&p);
	size_t n = count(p.deny);
	CHECK_INT(load_in(&arena, config_default_text(), &q, &e), 0);
	CHECK_INT(q.fallback, p.fallback);
	CHECK_INT(count(q.deny), 2 * n);
	const struct prefix_rule *x = p.deny, *y = q.deny;
	for (size_t i = 0; i < n && y; i++)
		y = y->next;
	for (; x && y; x = x->next, y = y->next) {
		CHECK_STRN(y->prefix, x->prefix);
		CHECK_STRN(y->rule.description, x->rule.description);
	}
}

static void test_empty(void)
{
	static const char *const texts[] = {"", "\n\n", "# nothing\n", "---\n", "~\n", "{}\n", "tools:\n", "tools: {bash: }\n", "tools: {bash: {deny: [], ask: , allow: ~}}\n", "commands: []\n", "commands:\n", "\xef\xbb\xbf# bom\n"};
	struct policy d, p;
	struct err e;
	config_default(&d);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		CHECK_ROW(load(texts[i], &p, &e) == 0, texts[i]);
		CHECK_ROW(p.fallback == d.fallback && count(p.deny) == count(d.deny) && !p.ask && !p.allow && !p.ncommands, texts[i]);
	}
	CHECK_INT(load("", &p, &e), 0);
	CHECK_STR(p.digest, "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void test_good(void)
{
	struct policy p, d;
	struct err e;
	config_default(&d);
	CHECK_INT(load("default: ask\n"
	               "tools:\n"
	               "  bash:\n"
	               "    deny:\n"
	               "      - rm -rf\n"
	               "      - prefix: 'git push --force'\n"
	               "        description: rewrites what others have\n"
	               "        alternative: git push --force-with-lease\n"
	               "    ask: [npm publish, {command: \"docker run\"}]\n"
	               "    allow:\n"
	               "      - git status\n"
	               "commands:\n"
	               "  - {name: wrap, style: posix, operands: {rest: command}}\n", &p, &e), 0);
	CHECK_INT(p.fallback, VERDICT_ASK);
	CHECK_INT(count(p.deny), count(d.deny) + 2);
	const struct prefix_rule *r = last(p.deny);
	CHECK_STR(r->prefix, "git push --force");
	CHECK_STR(r->rule.description, "rewrites what others have");
	CHECK_STR(r->rule.alternative, "git push --force-with-lease");
	CHECK_STR(r->rule.where, "p.yaml:6");
	CHECK_INT(count(p.ask), 2);
	CHECK_STR(p.ask->prefix, "npm publish");
	CHECK_STR(p.ask->rule.where, "p.yaml:9");
	CHECK_STR(p.ask->next->prefix, "docker run");
	CHECK_STR(p.allow->prefix, "git status");
	CHECK_INT(p.ncommands, 1);
	CHECK(know_find(STR("wrap"), p.commands, p.ncommands) != NULL);
	CHECK(know_find(STR("wrap"), NULL, 0) == NULL);
	CHECK(str_starts(p.digest, "sha256:") && p.digest.n == 7 + 64);
	CHECK_INT(load("default: deny", &p, &e), 0);
	CHECK_INT(p.fallback, VERDICT_DENY);
	CHECK_INT(load("{\"default\": \"allow\", \"tools\": {\"bash\": {\"deny\": [\"x\"]}}}", &p, &e), 0); /* JSON is YAML */
	CHECK_STR(last(p.deny)->prefix, "x");
}

/* Each fails with the place, a word that says why, and the line itself. */
static void test_bad(void)
{
	static const struct {
		const char *text, *place, *why, *line;
	} rows[] = {
		{"default: maybe", "p.yaml:1:10: ", "expected allow, ask or deny", "'default: maybe'"},
		{"default: [allow]", "p.yaml:1:10: ", "expected allow", "'default: [allow]'"},
		{"a: 1\n", "p.yaml:1:1: ", "unknown key", "'a: 1'"},
		{"default: ask\n\nDefault: ask\n", "p.yaml:3:1: ", "unknown key", "'Default: ask'"},
		{"tools:\n  zsh: {}\n", "p.yaml:2:3: ", "unknown key", "'  zsh: {}'"},
		{"tools:\n  bash:\n    forbid: []\n", "p.yaml:3:5: ", "unknown key", "forbid"},
		{"tools: [bash]\n", "p.yaml:1:8: ", "expected keys and values", "tools"},
		{"tools: bash\n", "p.yaml:1:8: ", "expected keys and values", "tools"},
		{"tools: {bash: {deny: rm}}\n", "p.yaml:1:22: ", "expected a list", "rm"},
		{"tools: {bash: {deny: {rm: x}}}\n", "p.yaml:1:22: ", "expected a list", "rm"},
		{"tools: {bash: {deny: ['']}}\n", "p.yaml:1:23: ", "empty", "deny"},
		{"tools: {bash: {deny: ['  ']}}\n", "p.yaml:1:23: ", "empty", "deny"},
		{"tools:\n  bash:\n    deny:\n      -\n", "p.yaml:", "empty", ""},
		{"tools: {bash: {deny: [[rm]]}}\n", "p.yaml:1:23: ", "expected a text", "rm"},
		{"tools: {bash: {deny: [\"a\\nb\"]}}\n", "p.yaml:1:23: ", "more than one line", "deny"},
		{"tools: {bash: {deny: [\"a\\u0007b\"]}}\n", "p.yaml:1:23: ", "control character", "deny"},
		{"tools: {bash: {deny: [{description: x}]}}\n", "p.yaml:1:23: ", "needs 'prefix'", "deny"},
		{"tools: {bash: {deny: [{prefix: x, command: y}]}}\n", "p.yaml:1:35: ", "twice", "deny"},
		{"tools: {bash: {deny: [{prefix: x, because: y}]}}\n", "p.yaml:1:35: ", "unknown key", "because"},
		{"tools: {bash: {deny: [{prefix: [x]}]}}\n", "p.yaml:1:32: ", "expected a text", "prefix"},
		{"default: ask\ndefault: allow\n", "p.yaml:2:1: ", "duplicate key", "'default: allow'"},
		{"tools: {bash: {deny: [a]}}\ntools: {}\n", "p.yaml:2:1: ", "duplicate key", "'tools: {}'"},
		{"tools:\n  bash: {deny: [a], 'deny': []}\n", "p.yaml:2:21: ", "duplicate key", "deny"},
		{"- a\n", "p.yaml:1:1: ", "expected keys and values", "'- a'"},
		{"just text\n", "p.yaml:1:1: ", "expected keys and values", "just text"},
		{"default: allow\n---\ndefault: deny\n", "p.yaml:2:1: ", "only one document", "'---'"},
		{"a: &x [b]\ndefault: *x\n", "p.yaml:2:", "aliases are not allowed", "*x"},
		{"default: !!str allow\n", "p.yaml:1:", "tags are not used", "!!str"},
		{"tools: !x {}\n", "p.yaml:1:", "tags are not used", "!x"},
		{"? [a]\n: b\n", "p.yaml:1:", "a key must be a plain word", "[a]"},
		{"<<: {default: allow}\n", "p.yaml:1:1: ", "unknown key", "<<"},
		{"default: [allow\n", "p.yaml:", "not valid YAML", ""},
		{"default: 'allow\n", "p.yaml:", "not valid YAML", ""},
		{"default: allow\n\ttools: x\n", "p.yaml:", "not valid YAML", ""},
		{"tools: {bash: {deny: [a}}\n", "p.yaml:1:", "not valid YAML", ""},
		{"default: allow\n  tools: x\n", "p.yaml:", "not valid YAML", ""},
		{"%YAML 9.9\n---\ndefault: allow\n", "p.yaml:1:1: ", "directives", "%YAML"},
		{"# x\n%TAG ! !\n", "p.yaml:2:1: ", "directives", "%TAG"},
		{"\xff\xfe", "p.yaml:1:1: ", "not text in UTF-8", ""},
		{"default: ask\n\xc3\n", "p.yaml:2:1: ", "not text in UTF-8", ""},
		{"commands: {name: x}\n", "p.yaml:1:11: ", "expected a list of rows", "name"},
		{"commands:\n  - {name: x, frob: 1}\n", "p.yaml:2:15: ", "unknown key", "frob"},
		{"commands:\n  - {name: x, flags: {-a: frob}}\n", "p.yaml:2:27: ", "no such kind", "frob"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct policy p = {.ncommands = 77};
		struct err e = {0};
		CHECK_ROW(load_in(&arena, str_of(rows[i].text), &p, &e) == -1, rows[i].text);
		CHECK_ROW(p.ncommands == 77, rows[i].text);
		bool said = str_starts(str_of(e.text), rows[i].place) && str_contains(str_of(e.text), str_of(rows[i].why)) && str_contains(str_of(e.text), str_of(rows[i].line));
		if (!said)
			unit_fail(__FILE__, __LINE__, "%s\n#   said: %s", rows[i].text, e.text);
		CHECK_ROW(e.kind == ERR_CONFIG, rows[i].text);
	}
}

static struct str repeat(const char *unit, size_t n, const char *head, const char *tail)
{
	struct buf b;
	buf_init(&b, &arena, 0);
	buf_c(&b, head);
	for (size_t i = 0; i < n; i++)
		buf_c(&b, unit);
	buf_c(&b, tail);
	return buf_view(&b);
}

/* Files made to crash, to hang or to fill the memory get one clear error. */
static void test_hostile(void)
{
	struct policy p;
	const struct {
		const char *what;
		struct str text;
	} rows[] = {
		{"deep lists", repeat("[", 100000, "default: ", "")},
		{"deep closed lists", repeat("[", 5000, "default: ", "")},
		{"deep maps", repeat("{a: ", 100000, "default: ", "")},
		{"deep block", repeat("- ", 20000, "", "a")},
		{"too large", repeat("# comment\n", 110000, "", "")},
		{"alias bomb", STR("a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b]\n")},
		{"alias to itself", STR("a: &a [*a]\n")},
		{"anchor storm", repeat("&a ", 50000, "default: ", "x")},
		{"many keys", repeat("a: 1\n", 100000, "", "")},
		{"many items", repeat("- \n", 300000, "tools:\n  bash:\n    deny:\n", "")},
		{"many tokens", repeat("a,", 400000, "tools: {bash: {deny: [", "a]}}")},
		{"NUL", {"default: allow\0x", 16}},
		{"long key", repeat("k", 100000, "", ": 1\n")},
		{"long value", repeat("v", 100000, "tools: {bash: {deny: [", "]}}\n")},
		{"control characters", STR("default: \"\033[2J\001\"\n\033[31mx: y\n")},
		{"colons", repeat(": ", 50000, "", "")},
		{"question marks", repeat("? ", 50000, "", "")},
		{"quotes", repeat("'", 99999, "default: ", "")},
		{"tabs", repeat("\t", 50000, "default:\n", "x")},
		{"percent", repeat("%", 50000, "", "")},
		{"bars", repeat("|\n ", 30000, "default: ", "")},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct err e = {0};
		CHECK_ROW(load_in(&arena, rows[i].text, &p, &e) == -1, rows[i].what);
		CHECK_ROW(str_starts(str_of(e.text), "p.yaml:"), rows[i].what);
		for (const char *c = e.text; *c; c++)
			CHECK_ROW((unsigned char)*c >= ' ', rows[i].what);
	}
}

/* Every prefix of a good file, and every file with one byte changed, loads or fails; it never crashes, and says why. */
static void test_mutations(void)
{
	static const char good[] = "default: ask\ntools:\n  bash:\n    deny: [rm, {prefix: x, description: \"y\"}]\ncommands:\n  - {name: w, flags: {-a: word}, operands: {rest: command}}\n";
	static const char bytes[] = "\0\n\t :-[]{}&*!|>'\"%@`#,?\\\x80\xff";
	struct policy p;
	for (size_t i = 0; i < sizeof(good); i++)
		for (size_t k = 0; k < sizeof(bytes); k++) {
			struct arena a;
			struct err e = {0};
			arena_init(&a, 16 << 20);
			char *copy = malloc(sizeof(good));
			memcpy(copy, good, sizeof(good));
			size_t n = k + 1 == sizeof(bytes) ? i : sizeof(good) - 1;
			if (n == sizeof(good) - 1 && i < n)
				copy[i] = bytes[k];
			CHECK(load_in(&a, str_n(copy, n), &p, &e) == 0 || e.text[0]);
			free(copy);
			arena_free(&a);
		}
}

/* The library must not print: standard error is a file here, and stays empty. */
static void test_silent(void)
{
	char path[] = "/tmp/caisson-test-XXXXXX";
	int fd = mkstemp(path), saved = dup(2);
	struct policy p;
	struct err e;
	CHECK(fd >= 0 && saved >= 0);
	fflush(stderr);
	dup2(fd, 2);
	load("default: [allow\n", &p, &e);
	load("a: &a [*a]\n", &p, &e);
	load("\tx: y\n", &p, &e);
	load("%YAML 9.9\n---\na\n", &p, &e);
	load("default: \xff\n", &p, &e);
	fflush(stderr);
	dup2(saved, 2);
	close(saved);
	CHECK_INT(lseek(fd, 0, SEEK_END), 0);
	close(fd);
	unlink(path);
}

/* Every key stands in the documentation, with who may set it. */
static void test_documented(void)
{
	FILE *f = fopen("docs/config.md", "rb");
	static char text[65536];
	size_t n = f ? fread(text, 1, sizeof(text), f) : 0;
	if (f)
		fclose(f);
	CHECK(n > 0);
	static const char *const who[] = {"anyone", "trusted", "owner"};
	size_t keys = 0;
	for (const struct config_key *k; (k = config_key(keys)); keys++) {
		struct str row = str_fmt(&arena, "| `%s` | %s | %s |", k->name, who[k->who], k->help);
		CHECK_ROW(str_contains(str_n(text, n), row), k->name);
	}
	CHECK(keys >= 5);
}

static int torture_load(struct arena *a, void *ctx)
{
	struct policy p;
	struct err e = {0};
	(void)ctx;
	return load_in(a, STR("default: ask\ntools: {bash: {deny: [a, {prefix: b}]}}\ncommands: [{name: w, flags: {-a: word}}]\n"), &p, &e);
}

static void test_torture(void)
{
	struct torture t = {0};
	CHECK_INT(torture_fallible(torture_load, NULL, 2000, &t), 0);
	CHECK_INT(t.result, 0);
	CHECK(t.runs > 10);
}

int main(void)
{
	arena_init(&arena, ARENA_CAP_DEFAULT);
	RUN(test_default);
	RUN(test_default_text);
	RUN(test_empty);
	RUN(test_good);
	RUN(test_bad);
	RUN(test_hostile);
	RUN(test_mutations);
	RUN(test_silent);
	RUN(test_documented);
	RUN(test_torture);
	arena_free(&arena);
	return unit_end();
}
