/*
 * Hook inputs, by the library: recognition, tools as facts, and mutations of every input in tests/hooks: none
 * is answered wrongly, none is allowed by being broken.
 */
#define _GNU_SOURCE
#include "client/hook.h"

#include <dirent.h>

#include "hook_check.h"
#include "place.h"

#define MUTATIONS 60 /* of each input */
#define INPUTS_MAX 200

extern char **environ;

static struct str filled(struct str text, const char *command)
{
	struct buf b;

	buf_init(&b, A, 0);
	for (size_t i = 0; i < text.n; i++) {
		struct str rest = str_sub(text, i, text.n);

		if (str_starts(rest, "@CWD@") || str_starts(rest, "@HOME@")) {
			buf_c(&b, at("tree"));
			i += str_starts(rest, "@CWD@") ? 4 : 5;
		} else if (str_starts(rest, "@COMMAND@")) {
			buf_c(&b, command);
			i += 8;
		} else {
			buf_char(&b, text.p[i]);
		}
	}
	return buf_view(&b);
}

static uint32_t seed;
static uint32_t next_random(void) { return seed = seed * 1664525u + 1013904223u; }

/* One of: a byte, a part left out, a part twice, a piece of another place, an end that is missing. */
static struct str mutated(struct str s)
{
	static const char *const pieces[] = {"\"", "{", "}", "\\u0000", ",", "null", "\"tool_input\":{}",
			"\"command\":\"ls\"", "[]", "7", "\xff", "PreToolUse", "PostToolUse", ":"};
	size_t from = next_random() % (s.n + 1), n = next_random() % 24, to = from + n < s.n ? from + n : s.n;
	struct buf b;

	buf_init(&b, A, 0);
	buf_str(&b, str_sub(s, 0, from));
	switch (next_random() % 5) {
	case 0: buf_char(&b, (char)next_random()); break;
	case 1: break;
	case 2: buf_str(&b, str_sub(s, from, to)); to = from; break;
	case 3: buf_c(&b, pieces[next_random() % (ARRAY_SIZE(pieces))]); to = from; break;
	default: return buf_view(&b);
	}
	buf_str(&b, str_sub(s, to, s.n));
	return buf_view(&b);
}

struct trial {
	struct arena *a;
	struct str input;
	const char *client, *wrong;
	const struct reply *r;
};

static int look_at(void *arg)
{
	struct trial *t = arg;

	t->wrong = hook_wrong(t->a, t->input, t->client, t->r);
	return 0;
}

static void try(struct str input, const char *client)
{
	struct arena a, out, again;
	struct reply r;
	struct trial t = {&again, input, client, NULL, &r};

	arena_init(&a, (size_t)64 << 20);
	arena_init(&out, (size_t)64 << 20);
	arena_init(&again, (size_t)128 << 20);
	hook_reply(&a, &out, input, &(struct hook_options){.client = client, .environ = environ}, &r);
	CHECK_INT(arena_run(&again, look_at, &t), 0);
	if (t.wrong) {
		unit_fail(__FILE__, __LINE__, "%s (exit %d)", t.wrong, r.code);
		unit_bytes("input", input);
		unit_bytes("output", buf_view(&r.out));
	}
	arena_free(&again);
	arena_free(&out);
	arena_free(&a);
}

/*
 * An allocation that fails, anywhere: the answer is a refusal, or one that is no milder than the verdict.
 * True when there was one to fail.
 */
static bool try_failing(struct str input, size_t in_work, size_t in_reply)
{
	struct arena a, out, again;
	struct reply r;
	struct trial t = {&again, input, NULL, NULL, &r};
	bool failed;

	arena_init(&a, (size_t)64 << 20);
	arena_init(&out, (size_t)64 << 20);
	arena_init(&again, (size_t)128 << 20);
	a.fail_at = in_work;
	out.fail_at = in_reply;
	hook_reply(&a, &out, input, &(struct hook_options){.environ = environ}, &r);
	failed = in_work ? a.allocs >= in_work : out.allocs >= in_reply;
	CHECK_INT(arena_run(&again, look_at, &t), 0);
	/* what fails before the event is known is refused, whatever it is */
	if (t.wrong && !(failed && r.code == HOOK_BLOCK && r.err.n && !r.out.n)) {
		unit_fail(__FILE__, __LINE__, "%s (exit %d, allocation %zu %zu)", t.wrong, r.code, in_work,
				in_reply);
		unit_bytes("input", input);
	}
	arena_free(&again);
	arena_free(&out);
	arena_free(&a);
	return failed;
}

/* One for each way that a verdict can go. */
static const char *const commands[] = {"git push; rm -rf /etc", "npm install", "make", "make && git push",
		"git push", "sudo make install", "git status", "cd sub && make"};

static size_t ninputs;
static struct str inputs[INPUTS_MAX], asking[INPUTS_MAX];

static void test_inputs(void)
{
	DIR *d = opendir("tests/hooks");
	struct dirent *entry;

	CHECK(d != NULL);
	while (d && (entry = readdir(d)) && ninputs < INPUTS_MAX) {
		struct str text;

		if (!str_ends(str_of(entry->d_name), ".json"))
			continue;
		CHECK_INT(file_read(A, str_fmt_c(A, "tests/hooks/%s", entry->d_name), 1 << 20, &text, NULL,
				NULL), 0);
		for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
			try(filled(text, commands[i]), NULL);
		asking[ninputs] = filled(text, "npm install");
		inputs[ninputs++] = filled(text, commands[0]);
	}
	if (d)
		closedir(d);
	CHECK(ninputs > 30);
}

static void test_mutations(void)
{
	for (size_t i = 0; i < ninputs; i++)
		for (unsigned k = 0; k < MUTATIONS; k++) {
			const struct client *c = client_at(next_random() % 20);

			struct str input = k % 2 ? asking[i] : inputs[i];

			try(mutated(k % 3 ? input : mutated(input)), c ? c->name : NULL);
		}
}

static void test_torture(void)
{
	static const char *const starts[] = {"\"PreToolUse\"", "\"PostToolUse\"", "\"Write\"",
			"\"SessionStart\""};
	size_t tried = 0;

	for (size_t i = 0; i < ninputs; i++)
		for (size_t k = 0; k < ARRAY_SIZE(starts); k++) {
			if (!str_contains(inputs[i], str_of(starts[k])) ||
					!str_contains(inputs[i], STR("transcript_path")) ||
					str_contains(inputs[i], STR("turn_id")))
				continue;
			for (size_t n = 1; try_failing(inputs[i], n, 0); n += 1 + n / 64)
				tried++;
			for (size_t n = 1; try_failing(inputs[i], 0, n); n++)
				tried++;
			for (size_t n = 1; try_failing(asking[i], n, 0); n += 1 + n / 16)
				tried++;
			for (size_t n = 1; try_failing(asking[i], 0, n); n++)
				tried++;
			break;
		}
	CHECK(tried > 500);
}

static void test_recognition(void)
{
	static const struct {
		const char *text, *client;
		enum phase phase;
	} rows[] = {
		{"{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"s\",\"transcript_path\":\"/t\","
				"\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}", "claude-code",
				PHASE_PRE},
		{"{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"s\",\"transcript_path\":\"/t\","
				"\"model\":\"m\",\"tool_name\":\"Bash\","
				"\"tool_input\":{\"command\":\"ls\"}}", "codex", PHASE_PRE},
		{"{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"s\",\"transcript_path\":\"/t\","
				"\"timestamp\":\"x\",\"tool_name\":\"Bash\","
				"\"tool_input\":{\"command\":\"ls\"}}", "qwen", PHASE_PRE},
		{"{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"s\",\"timestamp\":\"x\","
				"\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}", "copilot",
				PHASE_PRE},
		{"{\"sessionId\":\"s\",\"timestamp\":1,\"toolName\":\"bash\","
				"\"toolArgs\":{\"command\":\"ls\"},\"toolResult\":{}}", "copilot",
				PHASE_POST},
		{"{\"hook_event_name\":\"BeforeTool\",\"session_id\":\"s\",\"timestamp\":\"x\","
				"\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}", "gemini",
				PHASE_PRE},
		{"{\"hook_event_name\":\"stop\",\"conversation_id\":\"s\"}", "cursor", PHASE_OTHER},
		{"{\"agent_action_name\":\"pre_run_command\",\"tool_info\":{\"command_line\":\"ls\"}}",
				"windsurf", PHASE_PRE},
		{"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"}}", "generic", PHASE_PRE},
		{"{\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls\"},\"tool_result\":{}}", "generic",
				PHASE_POST},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct hook_input h;
		struct err e = {0};

		CHECK_INT(hook_read(A, str_of(rows[i].text), NULL, NULL, &h, &e), 0);
		CHECK_STR(str_of(h.client->name), rows[i].client);
		CHECK_INT(h.phase, rows[i].phase);
	}
}

static void test_rows(void)
{
	const struct client *c;

	for (size_t i = 0; (c = client_at(i)); i++) {
		CHECK(client_find(str_of(c->name)) != NULL);
		CHECK(c->need[0] == ' ' && c->need[strlen(c->need) - 1] == ' ' && c->not[0] == ' ' &&
				c->not[strlen(c->not) - 1] == ' ');
		CHECK(c->before && c->after && c->events && c->config && c->cannot);
	}
	CHECK(client_find(STR("frob")) == NULL);
}

static void test_tools(void)
{
	struct hook_input h = {.tool = STR("apply_patch"), .kind = TOOL_PATCH, .cwd = STR("/p")};
	struct json_reader r;
	struct facts f;
	struct err e = {0};

	json_reader_init(&r, A,
			STR("{\"input\":\"*** Begin Patch\\n*** Delete File: a\\n*** Add File: /b\\n*** "
			"Update File: c\\n*** Move to: ../d\\n*** End Patch\"}"), JSON_TOLERANT);
	h.args = json_next(&r);
	CHECK_INT(tool_facts(A, &h, STR(""), &f, &e), 0);
	CHECK(f.accesses && f.accesses->kind == ACCESS_DELETE && str_is(f.accesses->path.text, "/p/a"));
	CHECK(f.accesses->next && str_is(f.accesses->next->path.text, "/b") &&
			f.accesses->next->kind == ACCESS_WRITE);
	CHECK(f.accesses->next->next->next && str_is(f.accesses->next->next->next->path.text, "/p/../d"));
	json_reader_init(&r, A, STR("{\"input\":\"nothing\"}"), JSON_TOLERANT);
	h.args = json_next(&r);
	CHECK_INT(tool_facts(A, &h, STR(""), &f, &e), -1);
	json_reader_init(&r, A, STR("{\"url\":\"https://u:p@Example.com:8443/x?y\"}"), JSON_TOLERANT);
	h = (struct hook_input){.tool = STR("WebFetch"), .kind = TOOL_FETCH, .cwd = STR("/p"),
			.args = json_next(&r)};
	CHECK_INT(tool_facts(A, &h, STR(""), &f, &e), 0);
	CHECK(f.touches && str_is(f.touches->host.text, "Example.com"));
	json_reader_init(&r, A, STR("{\"path\":\"~/x\"}"), JSON_TOLERANT);
	h = (struct hook_input){.tool = STR("Read"), .kind = TOOL_READ, .cwd = STR("/p"),
			.args = json_next(&r)};
	CHECK_INT(tool_facts(A, &h, STR("/home/u"), &f, &e), 0);
	CHECK(f.accesses && str_is(f.accesses->path.text, "/home/u/x") && f.accesses->next &&
			str_is(f.accesses->next->path.text, "/p/~/x"));
}

int main(void)
{
	place_begin();
	make_dir("tree", 0700);
	setenv("HOME", at("tree"), 1);
	setenv("CAISSON_STATE", at("state"), 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("SHELL");
	seed = 20261116;
	RUN(test_rows);
	RUN(test_recognition);
	RUN(test_tools);
	RUN(test_inputs);
	RUN(test_mutations);
	RUN(test_torture);
	place_end();
	return unit_end();
}
