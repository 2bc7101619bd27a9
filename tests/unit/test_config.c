/* Policies from YAML: what loads, what must not, where the message points, and files made to hurt. */
#include <stdlib.h>
#include <unistd.h>

#include "base/regex.h"
#include "config/config.h"
#include "config/yaml.h"
#include "knowledge/knowledge.h"
#include "torture.h"
#include "unit.h"

static struct arena arena;

static int load_in(struct arena *a, struct str text, struct policy *p, struct err *e)
{
	return config_load(a, &(struct config_source){.name = STR("p.yaml"), .bytes = text, .who = WHO_OWNER},
			1, p, NULL, e);
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
	CHECK(!p.deny && !p.ask && !p.allow && !p.commands && p.ncommands == 0);
	CHECK_STRN(p.digest, config_digest(&arena, config_default_text()));
}

/* The built-in text and the built-in rules say the same. */
static void test_default_text(void)
{
	struct policy p, q;
	struct err e = {0};
	config_default(&p);
	CHECK_INT(load_in(&arena, config_default_text(), &q, &e), 0);
	CHECK_INT(q.fallback, p.fallback);
	CHECK(!q.deny);
}

static void test_empty(void)
{
	static const char *const texts[] = {"", "\n\n", "# nothing\n", "---\n", "~\n", "{}\n", "tools:\n",
			"tools: {bash: }\n", "tools: {bash: {deny: [], ask: , allow: ~}}\n", "commands: []\n",
			"commands:\n", "\xef\xbb\xbf# bom\n"};
	struct policy d, p;
	struct err e;
	config_default(&d);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		CHECK_ROW(load(texts[i], &p, &e) == 0, texts[i]);
		CHECK_ROW(p.fallback == d.fallback && count(p.deny) == count(d.deny) && !p.ask && !p.allow &&
				!p.ncommands, texts[i]);
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
	/* JSON is YAML */
	CHECK_INT(load("{\"default\": \"allow\", \"tools\": {\"bash\": {\"deny\": [\"x\"]}}}", &p, &e), 0);
	CHECK_STR(last(p.deny)->prefix, "x");
}

/* Each fails with the place, a word that says why, and the line itself. */
static void test_bad(void)
{
	static const struct {
		const char *text, *place, *why, *line;
	} rows[] = {
		{"default: maybe", "p.yaml:1:10: ", "expected allow, ask or deny", "'default: maybe'"},
		{"sandbox: {network: names}", "p.yaml:1:20: ", "expected deny or host-allowed", "names"},
		{"sandbox: {network: {allow: x}}", "p.yaml:1:28: ", "expected a list", "allow"},
		{"sandbox: {network: {allow: ['*']}}", "p.yaml:1:29: ", "invalid host '*'", "allow"},
		{"sandbox: {network: {allow: [host]}}", "p.yaml:1:29: ", "invalid host 'host'", "allow"},
		{"sandbox: {network: {allow: ['preset:']}}", "p.yaml:1:29: ", "preset", "allow"},
		{"sandbox: {network: {only: [a.b]}}", "p.yaml:1:21: ", "unknown key", "only"},
		{"default: [allow]", "p.yaml:1:10: ", "expected allow", "'default: [allow]'"},
		{"a: 1\n", "p.yaml:1:1: ", "unknown key", "'a: 1'"},
		{"allow: [make]\n", "p.yaml:1:1: ", "did you mean 'tools.bash.allow'", "'allow: [make]'"},
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
		{"tools: {bash: {deny: [{prefix: x, because: y}]}}\n", "p.yaml:1:35: ", "unknown key",
				"because"},
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
		{"tools:\n  bash:\n    dney: []\n", "p.yaml:3:5: ", "did you mean 'deny'", "dney"},
		{"default: ask\ndefalt: ask\n", "p.yaml:2:1: ", "did you mean 'default'", "defalt"},
		{"secrets: {enable: true}\n", "p.yaml:1:11: ", "did you mean 'enabled'", "enable"},
		{"tools: {bash: {checks: [{tset: x}]}}\n", "p.yaml:1:26: ", "did you mean 'test'", "tset"},
		{"tools: {bash: {checks: [{test: x, not_mach: [x]}]}}\n", "p.yaml:1:35: ",
				"did you mean 'not_match'", "mach"},
		{"classifier: {comand: [x]}\n", "p.yaml:1:14: ", "did you mean 'command'", "comand"},
		{"tools:\n  bash:\n    checks:\n      - test: 'a(b'\n", "p.yaml:4:15: ", "a(b",
				"test: 'a(b'"},
		{"tools: {bash: {allowChecks: ['[z-a]']}}\n", "p.yaml:1:30: ", "", "z-a"},
		{"tools: {bash: {checks: [{description: x}]}}\n", "p.yaml:1:25: ", "needs 'test'", ""},
		{"tools: {bash: {normalise: [{prefix: x, strip: ['*']}]}}\n", "p.yaml:1:48: ", "", ""},
		{"tools: {bash: {normalise: [{prefix: x}]}}\n", "p.yaml:1:28: ", "needs 'prefix' and 'strip'",
				""},
		{"tools: {bash: {redirects: [{mode: wrote, glob: x, decision: ask}]}}\n", "p.yaml:1:35: ",
				"expected read, write", ""},
		{"tools: {bash: {redirects: [{glob: x}]}}\n", "p.yaml:1:28: ", "needs 'decision'", ""},
		{"tools: {bash: {redirects: [{glob: x, outside: [y], decision: ask}]}}\n", "p.yaml:1:28: ",
				"one of 'outside' and 'glob'", ""},
		{"tools: {bash: {redirects: [{outside: [], decision: ask}]}}\n", "p.yaml:1:28: ",
				"one of 'outside' and 'glob'", ""},
		{"tools: {bash: {redirects: [x]}}\n", "p.yaml:1:28: ", "expected a rule", ""},
		{"tools: {bash: {arguments: [{command: x, decision: ask}]}}\n", "p.yaml:1:28: ",
				"needs one of 'anyArgOutside'", ""},
		{"tools: {bash: {arguments: [{command: x, anyArgOutside: [a], allArgsInside: [a], decision: "
				"ask}]}}\n", "p.yaml:1:28: ", "needs one of", ""},
		{"tools: {bash: {arguments: [{anyArgOutside: [a], decision: ask}]}}\n", "p.yaml:1:28: ",
				"needs 'command'", ""},
		{"tools: {bash: {arguments: [{command: x, anyArgMatches: '(', decision: ask}]}}\n",
				"p.yaml:1:56: ", "", ""},
		{"tools: {bash: {arguments: [{command: x, allArgsMatch: [a, '('], decision: ask}]}}\n",
				"p.yaml:1:59: ", "", ""},
		{"tools: {bash: {arguments: [{command: 'a||b', anyArgOutside: [a], decision: ask}]}}\n",
				"p.yaml:1:38: ", "nothing between", ""},
		{"tools: {bash: {arguments: [{command: a, anyArgOutside: [a], decision: contain}]}}\n",
				"p.yaml:1:71: ", "expected allow, ask or deny", ""},
		{"tools: {bash: {only: []}}\n", "p.yaml:1:22: ", "at least one name", ""},
		{"tools: {bash: {deny: [{prefix: x, match: y}]}}\n", "p.yaml:1:42: ",
				"expected a list of commands", ""},
		{"tools: {bash: {discourageChaining: yes}}\n", "p.yaml:1:36: ", "expected true or false",
				"yes"},
		{"tools: {bash: {discourageChaining: 'true'}}\n", "p.yaml:1:36: ", "expected true or false",
				""},
		{"tools: {bash: {interpreters: {pyton: {}}}}\n", "p.yaml:1:31: ", "did you mean 'python'",
				""},
		{"tools: {bash: {interpreters: {python: {calls: [{match: a}]}}}}\n", "p.yaml:1:48: ",
				"needs 'decision'", ""},
		{"tools: {bash: {interpreters: {python: {imports: [{match: a, argMatches: x, decision: "
				"ask}]}}}}\n", "p.yaml:1:61: ", "unknown key", ""},
		{"tools: {bash: {interpreters: {python: {writes: {decision: ask}}}}}\n", "p.yaml:1:48: ",
				"'writes' needs", ""},
		{"permissions: {deny: ['Bash(x']}\n", "p.yaml:1:22: ", "expected a permission", "Bash(x"},
		{"permissions: {deny: ['(x)']}\n", "p.yaml:1:22: ", "expected a permission", ""},
		{"permissions: {deny: [{description: x}]}\n", "p.yaml:1:22: ", "needs 'rule'", ""},
		{"checks_grade: {secret-read: no}\n", "p.yaml:1:29: ",
				"expected off, warn, contain, ask or deny", ""},
		{"checks_grade: {'Secret Read': deny}\n", "p.yaml:1:16: ", "not the id of a check", ""},
		{"checks_grade: [a]\n", "p.yaml:1:15: ", "expected the ids", ""},
		{"mode: yolo\n", "p.yaml:1:7: ", "expected default, acceptEdits", "yolo"},
		{"route: x\n", "p.yaml:1:8: ", "expected off, advise", ""},
		{"audit: {required: maybe}\n", "p.yaml:1:19: ", "expected true or false", ""},
		{"audit: {sync: sometimes}\n", "p.yaml:1:15: ", "expected always, begin or none", ""},
		{"audit: {retention_days: 89}\n", "p.yaml:1:25: ", "from 90 to 36500", ""},
		{"audit: {outputs: 2T}\n", "p.yaml:1:18: ", "expected a size from 1K to 1G", ""},
		{"audit: {quota: 4X}\n", "p.yaml:1:16: ", "expected a size from 64K", ""},
		{"audit: {requierd: true}\n", "p.yaml:1:9: ", "unknown key", "required"},
		{"onError: allow\n", "p.yaml:1:10: ", "expected ask or deny", ""},
		{"validators: [{name: a}]\n", "p.yaml:1:14: ", "needs 'name' and 'command'", ""},
		{"validators: [{name: a b, command: [x]}]\n", "p.yaml:1:21: ", "expected a name", ""},
		{"classifier: {timeout_ms: 5}\n", "p.yaml:1:13: ", "needs 'command'", ""},
		{"classifier: {command: [x], timeout_ms: 0}\n", "p.yaml:1:40: ", "expected a number from 1",
				""},
		{"classifier: {command: [x], timeout_ms: 5s}\n", "p.yaml:1:40: ", "expected a number from 1",
				""},
		{"secrets: {maxScanBytes: -1}\n", "p.yaml:1:25: ", "expected a number", ""},
		{"redirect: {tmp: true, tmpTarget: /home/x}\n", "p.yaml:1:34: ", "directly below /tmp", ""},
		{"redirect: {tmpTarget: /tmp/..}\n", "p.yaml:1:23: ", "directly below /tmp", ""},
		{"import: [gitt]\n", "p.yaml:1:10: ", "no such preset, did you mean 'git'", "gitt"},
		{"import: [nothing-like-it]\n", "p.yaml:1:10: ", "no such preset", ""},
		{"import: ['../git']\n", "p.yaml:1:10: ", "expected the name of a preset", ""},
		{"import: {git: x}\n", "p.yaml:1:9: ", "expected a list of presets", ""},
		{"commands: {name: x}\n", "p.yaml:1:11: ", "expected a list of rows", "name"},
		{"commands:\n  - {name: x, frob: 1}\n", "p.yaml:2:15: ", "unknown key", "frob"},
		{"commands:\n  - {name: x, flags: {-a: frob}}\n", "p.yaml:2:27: ", "no such kind", "frob"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct policy p = {.ncommands = 77};
		struct err e = {0};
		CHECK_ROW(load_in(&arena, str_of(rows[i].text), &p, &e) == -1, rows[i].text);
		CHECK_ROW(p.ncommands == 77, rows[i].text);
		bool said = str_starts(str_of(e.text), rows[i].place) &&
				str_contains(str_of(e.text), str_of(rows[i].why)) &&
				str_contains(str_of(e.text), str_of(rows[i].line));
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

static struct str many_names(void)
{
	struct buf b;
	buf_init(&b, &arena, 0);
	buf_c(&b, "tools: {bash: {interpreters: {python: {names: [");
	for (int i = 0; i < 50000; i++)
		buf_fmt(&b, "a%d, ", i);
	buf_c(&b, "a]}}}}");
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
		{"ten megabytes", repeat("default: ask # and more\n", 450000, "", "")},
		{"many imports", repeat("git,", 1000, "import: [", "x]")},
		{"many unknown keys", repeat("a", 20000, "'", "': 1")},
		{"many names", many_names()},
		{"many regexes", repeat("a(b|c)d*,", 3000, "tools: {bash: {checks: [", "x]}}")},
		{"deep regex", repeat("(", 3000, "tools: {bash: {checks: ['", "']}}")},
		{"large regex", repeat("(a{1,1000}){1,1000}", 200, "tools: {bash: {checks: ['", "']}}")},
		{"alias bomb", STR(
				"a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a]\nc: "
				"[*b,*b,*b,*b,*b,*b]\n")},
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
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = {0};
		CHECK_ROW(load_in(&arena, rows[i].text, &p, &e) == -1, rows[i].what);
		CHECK_ROW(str_starts(str_of(e.text), "p.yaml:"), rows[i].what);
		for (const char *c = e.text; *c; c++)
			CHECK_ROW((unsigned char)*c >= ' ', rows[i].what);
	}
}

/*
 * Every prefix of a good file, and every file with one byte changed, loads or fails; it never crashes, and
 * says why.
 */
static void test_mutations(void)
{
	static const char good[] =
			"default: ask\ntools:\n  bash:\n    deny: [rm, {prefix: x, description: "
			"\"y\"}]\ncommands:\n  - {name: w, flags: {-a: word}, operands: {rest: command}}\n";
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

/* Every key stands in the documentation, with who may set it and an example; and the example loads. */
static void test_documented(void)
{
	FILE *f = fopen("docs/policy.md", "rb");
	static char text[65536];
	size_t n = f ? fread(text, 1, sizeof(text), f) : 0;
	if (f)
		fclose(f);
	CHECK(n > 0);
	static const char *const who[] = {"anyone", "trusted", "owner", "system"};
	size_t keys = 0;
	for (const struct config_key *k; (k = config_key(keys)); keys++) {
		struct buf example;
		buf_init(&example, &arena, 0);
		for (const char *c = k->example; *c; c++)
			buf_fmt(&example, "%s%c", *c == '|' ? "\\" : "", *c);
		struct str row = str_fmt(&arena, "| `%s` | %s%s | %s | `%.*s` |", k->name, who[k->who],
				k->apart ? "*" : "", k->help, STR_ARG(buf_view(&example)));
		if (!str_contains(str_n(text, n), row))
			unit_fail(__FILE__, __LINE__, "docs/policy.md lacks %.*s", STR_ARG(row));
	}
	CHECK(keys >= 50);
	size_t rows = 0;
	for (struct str t = str_n(text, n); str_contains(t, STR("\n| `")); t = str_sub(t, 1, t.n))
		rows += str_starts(t, "\n| `") && str_contains(str_sub(t, 1, (size_t)str_find(t, '\n', 1)),
				STR("` |"));
	CHECK(rows >= keys);
}

/* "a.b.c" and a value as a file. */
static struct str file_of(const char *dotted, const char *value)
{
	struct buf b;
	int open = 0;
	buf_init(&b, &arena, 0);
	for (const char *c = dotted; *c; c++)
		if (*c == '.') {
			buf_c(&b, ": {");
			open++;
		} else
			buf_char(&b, *c);
	buf_fmt(&b, ": %s", value);
	while (open--)
		buf_char(&b, '}');
	return buf_view(&b);
}

static void test_key_examples(void)
{
	for (size_t i = 0; config_key(i); i++) {
		const struct config_key *k = config_key(i);
		struct config_source src = {.name = STR("p.yaml"), .bytes = file_of(k->name, k->example),
				.who = k->who};
		struct config_note *notes = NULL;
		struct policy p;
		struct err e = {0};
		int r = config_load(&arena, &src, 1, &p, &notes, &e);
		if (r != 0 || notes)
			unit_fail(__FILE__, __LINE__, "%s: %s%.*s", k->name, e.text,
					notes ? (int)notes->text.n : 0, notes ? notes->text.p : "");
		src.bytes = file_of(k->name, "{no-such-thing: [[]]}");
		CHECK_ROW(config_load(&arena, &src, 1, &p, NULL, &e) == -1, k->name);
	}
}

/* Every kind of rule arrives with all its parts. */
static void test_rules(void)
{
	struct policy p;
	struct err e;
	CHECK_INT(load("tools:\n  bash:\n"
	               "    checks: [{test: 'a\\s+b', description: \"x\n      y\", alternative: z}, '^c$']\n"
	               "    allowChecks: ['^d']\n"
	               "    redirects:\n"
	               "      - {mode: append, outside: ['.', /t], decision: ask}\n"
	               "      - {glob: '/etc/**', decision: deny}\n"
	               "    arguments:\n"
	               "      - {command: 'rm|rmdir', anyArgOutside: ['.'], decision: deny}\n"
	               "      - {command: cp, allArgsInside: [/t], decision: allow}\n"
	               "      - {command: 'x*', anyArgMatches: '^-f$', decision: ask}\n"
	               "      - {command: y, allArgsMatch: ['a', 'b+'], decision: ask}\n"
	               "    normalise: [{prefix: kubectl, strip: ['-n \\S+', x]}]\n"
	               "    only: {names: [ls, cat], description: few}\n"
	               "    ssh: {allow: [a, b], deny: [c]}\n"
	               "    discourageChaining: true\n"
	               "    offerManualRun: true\n", &p, &e), 0);
	CHECK_STR(p.checks->pattern, "a\\s+b");
	CHECK_STR(p.checks->rule.description, "x y");
	CHECK_STR(p.checks->rule.alternative, "z");
	CHECK_STR(p.checks->rule.where, "p.yaml:3");
	CHECK_INT(regex_match(p.checks->regex, STR("a  b")), REGEX_YES);
	CHECK_INT(regex_match(p.checks->next->regex, STR("c")), REGEX_YES);
	CHECK_INT(regex_match(p.allow_checks->regex, STR("xd")), REGEX_NO);
	CHECK(p.redirects->mode == REDIRECT_APPEND && p.redirects->outside &&
			p.redirects->decision == VERDICT_ASK);
	CHECK_STR(p.redirects->paths->next->text, "/t");
	CHECK(p.redirects->next->mode == REDIRECT_ANY && !p.redirects->next->outside &&
			p.redirects->next->decision == VERDICT_DENY);
	const struct argument_rule *r = p.arguments;
	CHECK(r->test == ARGUMENT_ANY_OUTSIDE && r->decision == VERDICT_DENY && !r->regexes);
	CHECK_STR(r->commands->text, "rm");
	CHECK_STR(r->commands->next->text, "rmdir");
	r = r->next;
	CHECK(r->test == ARGUMENT_ALL_INSIDE && r->decision == VERDICT_ALLOW);
	r = r->next;
	CHECK(r->test == ARGUMENT_ANY_MATCHES && regex_match(r->regexes[0], STR("-f")) == REGEX_YES);
	r = r->next;
	CHECK(r->test == ARGUMENT_ALL_MATCH && regex_match(r->regexes[1], STR("xbb")) == REGEX_YES &&
			!r->next);
	CHECK_STR(p.normalise->prefix, "kubectl");
	CHECK_INT(regex_match(p.normalise->strip->regex, STR("-n prod")), REGEX_YES);
	CHECK(p.normalise->strip->next && !p.normalise->strip->next->next);
	CHECK_STR(p.only->names->next->text, "cat");
	CHECK_STR(p.only->rule.description, "few");
	CHECK_STR(p.ssh_allow->next->text, "b");
	CHECK_STR(p.ssh_deny->text, "c");
	CHECK(p.discourage_chaining && p.offer_manual_run);
}

static void test_other_blocks(void)
{
	struct policy p;
	struct err e;
	CHECK_INT(load(
			"onError: ask\nmode: acceptEdits\nroute: deny\ncontain_fallback: deny\nfold_case: "
			"true\nclient_settings: true\n"
	               "tools: {deny: [{tool: 'mcp__*', alternative: no}], ask: [A], allow: [B, C]}\n"
	               "permissions: {deny: ['Read(~/.ssh/**)', WebFetch], ask: ['Bash(a (b):*)'], allow: "
	               "[{rule: 'Bash(*)', description: d}]}\n"
	               "checks_grade: {secret-read: deny, inline-code: 'off', opaque-path: warn}\n"
	               "writable_roots: [/a]\nprotected_paths: [b]\nsecret_paths: [c]\nexcluded_commands: "
	               "[d]\n"
	               "classifier: {command: [j, -x]}\nvalidators: [{name: cov, command: [c, -y]}, {name: "
	               "d, task: lint, command: [e], timeout_ms: 5}]\nguidance: {extra: [one, "
	               "two]}\nredirect: {tmp: true}\n"
	               "secrets: {enabled: true, scanInputs: false, inputTools: [Bash], allow: {paths: [p], "
	               "rules: [q]}, maxScanBytes: 7, timeoutMs: 8}\n"
	               "meta: {title: t, description: d}\n", &p, &e), 0);
	CHECK(p.on_error == VERDICT_ASK && p.mode == MODE_ACCEPT_EDITS && p.route == ROUTE_DENY &&
			p.contain_fallback == VERDICT_DENY && p.fold_case && p.client_settings);
	CHECK_STR(p.tool_deny->tool, "mcp__*");
	CHECK_STR(p.tool_deny->rule.alternative, "no");
	CHECK_STR(p.tool_allow->next->tool, "C");
	CHECK_STR(p.permission_deny->tool, "Read");
	CHECK_STR(p.permission_deny->pattern, "~/.ssh/**");
	CHECK(!p.permission_deny->all && p.permission_deny->next->all);
	CHECK_STR(p.permission_ask->pattern, "a (b):*");
	CHECK(p.permission_allow->all);
	CHECK_STR(p.permission_allow->rule.description, "d");
	CHECK(p.regrades->id == CHECK_SECRET_READ);
	CHECK(p.regrades->grade == GRADE_DENY && p.regrades->next->grade == GRADE_OFF &&
			p.regrades->next->next->grade == GRADE_WARN);
	CHECK_STR(p.regrades->next->rule.where, "p.yaml:9");
	CHECK_STR(p.writable_roots->text, "/a");
	CHECK_STR(p.protected_paths->text, "b");
	CHECK_STR(p.secret_paths->text, "c");
	CHECK_STR(p.secret_allow->text, "p");
	CHECK_STR(p.excluded_commands->text, "d");
	CHECK_STR(p.classifier.command->next->text, "-x");
	CHECK(p.classifier.timeout_ms > 0);
	CHECK_STR(p.validators->command->next->text, "-y");
	CHECK_INT(p.validators->task, TASK_CUSTOM);
	CHECK(p.validators->timeout_ms > 0 && p.validators->next->timeout_ms == 5 &&
			!p.validators->next->next);
	CHECK_INT(p.validators->next->task, TASK_LINT);
	CHECK(p.guidance.enabled && p.guidance.include_defaults);
	CHECK_STR(p.guidance.extra->next->text, "two");
	CHECK(p.redirect.on);
	CHECK_STR(p.redirect.target, "/tmp/claude");
	CHECK(p.secrets.enabled && !p.secrets.scan_inputs && p.secrets.scan_outputs &&
			p.secrets.scan_bytes_max == 7 && p.secrets.timeout_ms == 8);
	CHECK_STR(p.secrets.allow_rules->text, "q");
}

static void test_examples(void)
{
	struct policy p;
	struct err e;
	CHECK_INT(load(
			"tools:\n  bash:\n    deny: [{prefix: a, match: [a b, a c], not_match: [b]}]\n    "
			"checks: [{test: x, match: [x]}]\n", &p, &e), 0);
	const struct example *x = p.examples;
	CHECK(x && x->match && x->rule == &last(p.deny)->rule);
	CHECK_STR(x->command, "a b");
	CHECK_STR(x->where, "p.yaml:3:32");
	x = x->next->next;
	CHECK(!x->match && x->rule == &last(p.deny)->rule);
	CHECK(x->next->match && x->next->rule == &p.checks->rule && !x->next->next);
}

struct loaded {
	struct policy p;
	struct config_note *notes;
	struct err e;
	int r;
};

/* Two files, the second one with this dialect and owner. */
static struct loaded load_two(const char *first, const char *second, enum config_dialect dialect,
		enum config_who who)
{
	struct loaded x = {0};
	struct config_source src[] = {
		{.name = STR("one.yaml"), .bytes = str_of(first), .who = WHO_OWNER, .base = STR("/base/one")},
		{.name = STR("two.yaml"), .bytes = str_of(second), .who = who, .dialect = dialect,
				.base = STR("/base/two")},
	};
	x.r = config_load(&arena, src, 2, &x.p, &x.notes, &x.e);
	return x;
}

static void test_merge(void)
{
	struct loaded x =
			load_two("default: deny\nroute: ask\ntools: {bash: {ask: [a], interpreters: "
			"{python: {names: [p, q], calls: [{match: a, decision: ask}], writes: {outside: "
			"[a], decision: ask}}}}}\n"
	                           "guidance: {enabled: false, extra: [a]}\nredirect: {tmp: true, "
	                           "tmpTarget: /tmp/x}\nsecrets: {enabled: true, allow: {paths: "
	                           "[a]}}\npermissions: {ask: [A]}\n"
	                           "commands: [{name: one-wrap, style: posix, operands: {rest: command}}]\n",
	                           "default: ask\ntools: {bash: {ask: [b], interpreters: {javascript: "
			"{names: [node]}, python: {names: [q, r], calls: [{match: b, decision: deny, "
			"argMatches: x}], imports: [{match: c, decision: ask}], writes: {outside: [b, c], "
			"decision: deny}}}}}\n"
	                           "guidance: {extra: [b]}\nredirect: {}\nsecrets: {allow: {paths: "
	                           "[b]}}\npermissions: {ask: [B]}\n"
	                           "commands: [{name: two-wrap, style: posix, operands: {rest: command}}]\n",
	                           CONFIG_CAISSON, WHO_OWNER);
	CHECK_STR(str_of(x.e.text), "");
	CHECK_INT(x.r, 0);
	CHECK(x.p.fallback == VERDICT_ASK && x.p.route == ROUTE_ASK);
	CHECK_STR(x.p.ask->prefix, "a");
	CHECK_STR(x.p.ask->next->prefix, "b");
	CHECK_STR(x.p.ask->next->rule.where, "two.yaml:2");
	const struct interpreter_rules *i = x.p.interpreters;
	CHECK_STR(i->name, "python");
	CHECK_INT(i->lang, LANG_PYTHON);
	CHECK_STR(i->next->name, "javascript");
	CHECK_STR(i->names->text, "p");
	CHECK_STR(i->names->next->text, "q");
	CHECK_STR(i->names->next->next->text, "r");
	CHECK(!i->names->next->next->next);
	CHECK_STR(i->calls->next->match->text, "b");
	CHECK(i->calls->next->arg && !i->calls->arg && i->imports);
	CHECK(i->writes->decision == VERDICT_DENY && !i->writes->next);
	CHECK_STR(i->writes->outside->text, "b");
	/* whole blocks: nothing is left of the first */
	CHECK(x.p.guidance.enabled && !x.p.guidance.extra->next);
	CHECK(!x.p.redirect.on);
	CHECK(x.p.secrets.enabled);
	CHECK_STR(x.p.secret_allow->next->text, "b");
	CHECK_STR(x.p.permission_ask->base, "/base/one");
	CHECK_STR(x.p.permission_ask->next->base, "/base/two");
	CHECK(know_find(STR("one-wrap"), x.p.commands, x.p.ncommands) &&
			know_find(STR("two-wrap"), x.p.commands, x.p.ncommands));
	struct loaded y = load_two("", "", CONFIG_CAISSON, WHO_OWNER);
	CHECK(y.r == 0 && !str_eq(x.p.digest, y.p.digest));
	struct policy none = {0}, built_in;
	CHECK_INT(config_load(&arena, NULL, 0, &none, NULL, NULL), 0);
	config_default(&built_in);
	CHECK(str_eq(none.digest, built_in.digest) && none.deny == built_in.deny);
	y = load_two("", "default: maybe", CONFIG_CAISSON, WHO_OWNER); /* the message names the right file */
	CHECK(y.r == -1 && str_starts(str_of(y.e.text), "two.yaml:1:10: "));
}

static size_t notes_with(const struct loaded *x, const char *text)
{
	size_t n = 0;
	for (const struct config_note *k = x->notes; k; k = k->next)
		n += str_contains(k->text, str_of(text));
	return n;
}

/* A file does not set keys that it may not set, and its author gets a note with the place. */
static void test_who(void)
{
	static const char text[] =
			"mode: bypassPermissions\nclassifier: {command: [evil]}\nexcluded_commands: "
			"[x]\ncontain_fallback: allow\nclient_settings: true\n"
		"forbid_lifting: true\nwritable_roots: [/]\ncommands: [{name: rm, style: posix}]\n"
		"default: deny\ntools: {bash: {deny: [{prefix: x, description: do evil, alternative: "
		"\"more\\nevil\"}], allow: [y]}}\nguidance: {extra: [evil]}\n";
	struct loaded x = load_two("", text, CONFIG_CAISSON, WHO_ANYONE);
	CHECK_INT(x.r, 0);
	CHECK(x.p.mode == MODE_DEFAULT && !x.p.classifier.command && !x.p.excluded_commands &&
			x.p.contain_fallback == VERDICT_ASK && !x.p.client_settings);
	CHECK(!x.p.no_lifting && !x.p.writable_roots && !x.p.ncommands && !x.p.guidance.extra);
	CHECK(x.p.fallback == VERDICT_DENY);
	CHECK_STR(last(x.p.deny)->prefix, "x");
	CHECK(!last(x.p.deny)->rule.description.n && !last(x.p.deny)->rule.alternative.n);
	CHECK_STR(x.p.allow->prefix, "y");
	CHECK_INT(notes_with(&x, "is ignored: only"), 9);
	CHECK_STR(x.p.title, "project");
	CHECK_INT(notes_with(&x, "two.yaml:2:1: 'classifier' is ignored"), 1);
	x = load_two("", text, CONFIG_CAISSON, WHO_TRUSTED);
	CHECK(x.r == 0 && x.p.mode == MODE_DEFAULT && x.p.writable_roots && x.p.ncommands == 1 &&
			!x.p.no_lifting);
	CHECK_STR(last(x.p.deny)->rule.description, "do evil");
	CHECK_STR(last(x.p.deny)->rule.alternative, "more evil");
	CHECK_INT(notes_with(&x, "is ignored: only"), 6);
	x = load_two("", text, CONFIG_CAISSON, WHO_OWNER);
	CHECK(x.r == 0 && x.p.mode == MODE_BYPASS && x.p.classifier.command && !x.p.no_lifting);
	CHECK_INT(notes_with(&x, "'forbid_lifting' is ignored: only the system's policy may set it"), 1);
	x = load_two("", text, CONFIG_CAISSON, WHO_SYSTEM);
	CHECK(x.r == 0 && x.p.no_lifting && !x.notes);
}

/* Hosts for boxes: the person's file adds them, a project's can only take some away. */
static void test_network_keys(void)
{
	static const char text[] =
			"sandbox: {network: {host: true, allow: [api.example.org, '*.example.com:8443', "
			"'preset:registries/npm']}}\n";
	struct loaded x = load_two("", text, CONFIG_CAISSON, WHO_OWNER);

	CHECK(x.r == 0 && x.p.sandbox.host_network && !x.p.sandbox.network_limited);
	CHECK(!x.p.sandbox.network_only);
	CHECK_STR(x.p.sandbox.network_allow->text, "api.example.org");
	CHECK_STR(x.p.sandbox.network_allow->next->next->text, "preset:registries/npm");
	x = load_two("", "sandbox: {network: {host_ports: [5432, 6379]}}", CONFIG_CAISSON, WHO_OWNER);
	CHECK(x.r == 0);
	CHECK_STR(x.p.sandbox.host_ports->next->text, "6379");
	x = load_two("", "sandbox: {network: {host_ports: [0]}}", CONFIG_CAISSON, WHO_OWNER);
	CHECK(x.r != 0);
	x = load_two("", "sandbox: {network: {host_ports: [5432]}}", CONFIG_CAISSON, WHO_TRUSTED);
	CHECK(!x.p.sandbox.host_ports);
	x = load_two("", "sandbox: {network: {publish: [3000]}}", CONFIG_CAISSON, WHO_TRUSTED);
	CHECK_STR(x.p.sandbox.publish->text, "3000");
	x = load_two("", "sandbox: {network: {publish: [3000]}}", CONFIG_CAISSON, WHO_ANYONE);
	CHECK(!x.p.sandbox.publish);
	x = load_two("", "sandbox: {network: {publish: [1023]}}", CONFIG_CAISSON, WHO_OWNER);
	CHECK(x.r != 0);
	x = load_two(text, "sandbox: {network: {allow: [other.example.org]}}", CONFIG_CAISSON, WHO_SYSTEM);
	CHECK_STR(x.p.sandbox.network_allow->next->next->next->text, "other.example.org");
	for (enum config_who who = WHO_ANYONE; who <= WHO_TRUSTED; who++) {
		x = load_two("sandbox: {network: host-allowed}", text, CONFIG_CAISSON, who);
		CHECK(x.r == 0 && x.p.sandbox.network_limited && !x.p.sandbox.network_allow);
		CHECK_STR(x.p.sandbox.network_only->text, "api.example.org");
		CHECK_INT(notes_with(&x, "'sandbox.network.host' is ignored: only"), 1);
		x = load_two(text, "sandbox: {network: {allow: []}}", CONFIG_CAISSON, who);
		CHECK(x.r == 0 && x.p.sandbox.network_limited && !x.p.sandbox.network_only &&
				x.p.sandbox.network_allow);
		x = load_two("", "sandbox: {network: host-allowed}", CONFIG_CAISSON, who);
		CHECK(x.r == 0 && !x.p.sandbox.host_network && !x.p.sandbox.network_limited);
		CHECK_INT(notes_with(&x, "'sandbox.network' is ignored: only"), 1);
	}
}

/* The record: what the system's file says can be made stricter by the person's own, not milder. */
static void test_audit_keys(void)
{
	struct policy p;
	config_default(&p);
	CHECK(!p.audit.optional && p.audit.sync == AUDIT_SYNC_BEGIN && p.audit.retention_days == 90 &&
			p.audit.quota == AUDIT_QUOTA && p.audit.outputs == AUDIT_OUTPUTS);
	struct loaded x = load_two("",
			"audit: {required: false, sync: none, retention_days: 400, quota: 0, outputs: 64K}\n",
			CONFIG_CAISSON, WHO_OWNER);
	CHECK(x.r == 0 && x.p.audit.optional && x.p.audit.sync == AUDIT_SYNC_NONE &&
			x.p.audit.retention_days == 400 && !x.p.audit.quota && x.p.audit.outputs == 64 << 10);
	x = load_two("",
			"audit: {required: false, sync: none, retention_days: 400, quota: 0, outputs: 64K}\n",
			CONFIG_CAISSON, WHO_TRUSTED);
	CHECK(x.r == 0 && !x.p.audit.optional && x.p.audit.sync == AUDIT_SYNC_BEGIN &&
			x.p.audit.outputs == AUDIT_OUTPUTS);
	CHECK_INT(notes_with(&x, "is ignored: only your own policy"), 5);
	struct config_source src[] =
			{{.name = STR("system.yaml"),
			.bytes = STR("audit: {required: true, sync: begin, retention_days: 200}\n"),
			.who = WHO_SYSTEM},
				      {.name = STR("own.yaml"),
						.bytes = STR("audit: {required: false, sync: none, "
						"retention_days: 90}\n"), .who = WHO_OWNER}};
	x = (struct loaded){0};
	CHECK_INT(config_load(&arena, src, 2, &x.p, &x.notes, &x.e), 0);
	CHECK(!x.p.audit.optional && x.p.audit.sync == AUDIT_SYNC_BEGIN && x.p.audit.retention_days == 200);
	CHECK_INT(notes_with(&x, "the system's policy is stricter"), 3);
	src[1].bytes = STR("audit: {sync: always, retention_days: 300}\n");
	CHECK_INT(config_load(&arena, src, 2, &x.p, &x.notes, &x.e), 0);
	CHECK(x.p.audit.sync == AUDIT_SYNC_ALWAYS && x.p.audit.retention_days == 300);
	src[0].bytes = STR("audit: {required: false, sync: none}\n");
	src[1].bytes = STR("audit: {required: true, sync: begin}\n");
	CHECK_INT(config_load(&arena, src, 2, &x.p, &x.notes, &x.e), 0);
	CHECK(!x.p.audit.optional && x.p.audit.sync == AUDIT_SYNC_BEGIN);
}

/* A file of fencepost: read as it is, with its own defaults. */
static void test_fencepost(void)
{
	static const char text[] =
			"# a comment\nimport:\n  - git\n  - no-such-preset\n  - python-safety\nonError: "
			"ask\ntools:\n"
		"  deny:\n    - tool: \"mcp__evil_*\"\n      description: >-\n        folded\n        "
		"text\n      alternative: |\n        two\n        lines\n  ask: [WebFetch]\n  allow:\n    "
		"- Read\n"
		"  bash:\n    normalise:\n      - prefix: kubectl\n        strip: ['-n \\S+', "
		"'--context=\\S+']\n"
		"    deny: [\"git clean -xfd\"]\n    checks:\n      - test: "
		"'git\\s+push\\b.*\\s(--force(?!-with-lease)|-f)\\b'\n        description: force push\n   "
		"     alternative: use --force-with-lease\n"
		"    allowChecks:\n      - '^rm -rf /tmp/claude/[^ ]+$'\n    ask:\n      - git push\n    "
		"allow: [ls, cat]\n    frobnicate: 3\n"
		"    arguments:\n      - { command: rm, allArgsInside: [\"/tmp/claude\"], decision: allow "
		"}\n      - command: \"rm|rmdir|mkdir|touch\"\n        anyArgOutside: [\"/tmp/claude\", "
		"\".\"]\n        decision: ask\n"
		"    redirects:\n      - mode: write\n        outside: [\"/tmp/claude\", \".\"]\n        "
		"decision: deny\n"
		"redirect:\n  tmp: true\n  tmpTarget: /tmp/claude\nsecrets:\n  enabled: true\n  scanner: "
		"auto\n  allow:\n    paths: ['.env.example']\n    rules: ['gitleaks:generic-api-key']\n"
		"guidance:\n  enabled: true\n  extra:\n    - Prefer ripgrep.\ncolour: red\n";
	struct loaded x = load_two("", text, CONFIG_FENCEPOST, WHO_OWNER);
	CHECK_STR(str_of(x.e.text), "");
	CHECK(x.r == 0 && x.p.fallback == VERDICT_ASK && x.p.discourage_chaining && x.p.offer_manual_run &&
			x.p.on_error == VERDICT_ASK);
	CHECK_STR(x.p.tool_deny->rule.description, "folded text");
	CHECK_STR(x.p.tool_deny->rule.alternative, "two lines");
	CHECK_INT(notes_with(&x, "two.yaml:4:5: no preset 'no-such-preset'"), 1);
	CHECK_INT(notes_with(&x, "'python-safety' has no rules"), 0);
	CHECK_INT(notes_with(&x, "unknown key 'frobnicate' is ignored"), 1);
	CHECK_INT(notes_with(&x, "unknown key 'colour' is ignored"), 1);
	CHECK(x.p.arguments->next && x.p.redirect.on && x.p.redirects && x.p.normalise);
	CHECK_INT(load_two("", text, CONFIG_CAISSON, WHO_OWNER).r, -1);
	x = load_two("default: allow", "tools: {bash: {discourageChaining: false}}", CONFIG_FENCEPOST,
			WHO_OWNER);
	CHECK(x.r == 0 && x.p.fallback == VERDICT_ALLOW && !x.p.discourage_chaining);
	x = load_two("", "onError: allow", CONFIG_FENCEPOST, WHO_OWNER);
	CHECK(x.r == 0 && x.p.on_error == VERDICT_ASK && notes_with(&x, "read as ask") == 1);
	x = load_two("", "import: all", CONFIG_FENCEPOST, WHO_OWNER);
	CHECK(x.r == 0 && x.p.allow_readonly && x.notes && !x.notes->next &&
			notes_with(&x, "presets are caisson's own") == 1);
	x = load_two("", "import: [python-safety]", CONFIG_FENCEPOST, WHO_OWNER);
	CHECK(x.r == 0 && x.p.interpreters && x.p.interpreters->next && !x.p.allow_readonly);
	x = load_two("", "default: ask", CONFIG_FENCEPOST, WHO_OWNER);
	CHECK(x.r == 0 && x.p.on_error == VERDICT_ALLOW && !x.p.allow_readonly && !x.notes);
	x = load_two("",
			"tools: {bash: {interpreters: {python: {calls: [{match: \"*Path(*).unlink|a b(\", "
			"decision: deny}]}}}}", CONFIG_FENCEPOST, WHO_OWNER);
	CHECK(x.r == 0 && notes_with(&x, "'a b(' never matches") == 1 && notes_with(&x, "unlink") == 1);
	CHECK_STR(x.p.interpreters->calls->match->text, "*Path.unlink");
	struct buf many;
	buf_init(&many, &arena, 0);
	for (int i = 0; i < 5000; i++)
		buf_fmt(&many, "key%d: 1\n", i);
	x = load_two("", str_c(&arena, buf_view(&many)), CONFIG_FENCEPOST, WHO_ANYONE);
	CHECK(x.r == -1 && str_contains(str_of(x.e.text), STR("too many unknown keys")));
	static const char *const wrong[] = {"default: maybe", "onError: x", "tools: [x]",
			"tools: {bash: {checks: [{test: '('}]}}", "import: ['../x']", "a: [",
			"default: ask\ndefault: ask"};
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		CHECK_ROW(load_two("", wrong[i], CONFIG_FENCEPOST, WHO_OWNER).r == -1, wrong[i]);
}

/* The presets that every file may name: each loads by itself, imports nothing, and says what it is. */
static void test_presets(void)
{
	static const char *const names[] = {"standard", "claude-code", "code-exec", "strict", "git",
			"secrets", "filesystem", "kubernetes", "ssh", "gh", "helm", "helmfile",
		"ansible", "docker", "database", "terraform", "claude", "claude-web", "context7",
		"playwright", "python-safety", "javascript-safety", "powershell"};
	struct config_preset p;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		CHECK_ROW(config_preset(str_of(names[i]), &p) && p.title.n && p.text.n &&
				str_is(p.name, names[i]), names[i]);
	CHECK(!config_preset(STR("no-such"), &p) && !config_preset(STR(""), &p));
	size_t n = 0;
	for (; config_preset_at(n, &p); n++) {
		struct yaml_file f;
		struct loaded x = load_two(str_fmt_c(&arena, "import: [%.*s]", STR_ARG(p.name)), "",
				CONFIG_CAISSON, WHO_OWNER);
		if (x.r != 0 || x.notes)
			unit_fail(__FILE__, __LINE__, "preset %.*s: %s%.*s", STR_ARG(p.name), x.e.text,
					x.notes ? (int)x.notes->text.n : 0, x.notes ? x.notes->text.p : "");
		CHECK_INT(yaml_read(&arena, p.name, p.text, &f, NULL), 0);
		CHECK_ROW(!yaml_get(f.root, "import"), str_c(&arena, p.name));
	}
	CHECK_INT(n, ARRAY_SIZE(names));
	struct loaded x = load_two("import: [git, git]", "", CONFIG_CAISSON, WHO_OWNER),
			y = load_two("import: git", "", CONFIG_CAISSON, WHO_OWNER);
	CHECK(x.r == 0 && y.r == 0 && count(x.p.deny) == count(y.p.deny) && count(x.p.ask) == count(y.p.ask));
	CHECK(load_two("import: [powershell]", "", CONFIG_CAISSON, WHO_OWNER).notes == NULL);
}

static int torture_load(struct arena *a, void *ctx)
{
	struct policy p;
	struct err e = {0};
	(void)ctx;
	return load_in(a,
			STR("default: ask\nimport: [git]\ntools: {deny: [x], bash: {deny: [a, {prefix: b, "
			"match: [b]}], checks: ['a\\s'], arguments: [{command: a|b, anyArgMatches: c, "
			"decision: ask}]}}\n"
	                       "checks_grade: {a: ask}\ncommands: [{name: w, flags: {-a: word}}]\n"), &p, &e);
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
	RUN(test_key_examples);
	RUN(test_rules);
	RUN(test_other_blocks);
	RUN(test_examples);
	RUN(test_merge);
	RUN(test_who);
	RUN(test_network_keys);
	RUN(test_audit_keys);
	RUN(test_fencepost);
	RUN(test_presets);
	RUN(test_torture);
	arena_free(&arena);
	return unit_end();
}
