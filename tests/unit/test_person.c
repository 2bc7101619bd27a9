/* Which processes are programs of agent clients, and what /proc says of parents. */
#define _GNU_SOURCE
#include <string.h>
#include <unistd.h>

#include "client/client.h"
#include "client/person.h"
#include "unit.h"

static struct arena arena;
static struct arena *const A = &arena;

/* args: words with a blank between */
static const struct {
	const char *client, *comm, *exe, *args;
} rows[] = {
	{"claude-code", "claude", "/usr/bin/node", "claude"},
	{"claude-code", "node", "/usr/bin/node", "node /usr/local/bin/claude --resume"},
	{"claude-code", "node", "/usr/bin/node",
			"node --no-warnings /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"},
	{"claude-code", "2.0.14", "/home/dev/.local/share/claude/versions/2.0.14",
			"/home/dev/.local/bin/claude"},
	{"claude-code", "2.0.14", "/home/dev/.local/share/claude/versions/2.0.14", "x"},
	{"claude-code", "x", "/usr/lib/node_modules/@anthropic-ai/claude-code/bin/claude.exe", "x"},
	{"codex", "codex", "/opt/codex/codex", "codex exec"},
	{"codex", "codex-x86_64-un", "/opt/v/codex-x86_64-unknown-linux-musl", "codex"},
	{"codex", "MainThread", "/usr/bin/node", "node /usr/lib/node_modules/@openai/codex/bin/codex.js"},
	{"codex", "node", "/usr/bin/node", "/usr/bin/node /home/dev/.bin/codex.js"},
	{"gemini", "node", "/usr/bin/node", "node /usr/bin/gemini -p x"},
	{"gemini", "node", "/usr/bin/node",
			"/usr/bin/node --max-old-space-size=4096 "
			"/usr/lib/node_modules/@google/gemini-cli/dist/index.js"},
	{"qwen", "node", "/usr/bin/node", "node /usr/lib/node_modules/@qwen-code/qwen-code/cli.js"},
	{"copilot", "node", "/usr/bin/node", "node /usr/lib/node_modules/@github/copilot/index.js"},
	{"copilot", "copilot", "/usr/local/bin/copilot", "copilot"},
	{"opencode", "opencode", "/home/dev/.opencode/bin/opencode", "opencode run"},
	{"opencode", "bun", "/usr/bin/bun", "bun /usr/lib/node_modules/opencode-ai/bin/opencode"},
	{"cursor", "cursor", "/usr/share/cursor/cursor", "/usr/share/cursor/cursor --type=utility"},
	{"cursor", "node", "/home/dev/.local/share/cursor-agent/versions/1/node",
			"/home/dev/.local/bin/cursor-agent --use-system-ca index.js"},
	{"windsurf", "windsurf", "/usr/share/windsurf/windsurf", "windsurf"},
	{"caisson", "caisson", "/usr/local/bin/caisson", "caisson mcp"},
	{"another agent", "aider", "/usr/bin/python3.12", "/usr/bin/python3 /home/dev/.local/bin/aider"},
	{NULL, "bash", "/usr/bin/bash", "-bash"},
	{NULL, "bash", "/usr/bin/bash", "bash /home/dev/src/claude/build.sh"},
	{NULL, "sshd", "", "sshd: dev@pts/0"},
	{NULL, "tmux: server", "/usr/bin/tmux", "tmux new -s codex"},
	{NULL, "node", "/usr/bin/node", "node /srv/app/server.js"},
	{NULL, "python3", "/usr/bin/python3.12", "python3 /home/dev/src/caisson/tests/terminal.py"},
	{NULL, "code", "/usr/share/code/code", "/usr/share/code/code --type=utility"},
	{NULL, "systemd", "", "/sbin/init"},
	{NULL, "vim", "/usr/bin/vim", "vim claude"},
	{NULL, "", "", ""},
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct ancestor p = {.comm = str_of(rows[i].comm), .exe = str_of(rows[i].exe)};
		struct str words = str_dup(A, str_of(rows[i].args));
		const char *got;

		for (char *c = strchr((char *)words.p, ' '); c; c = strchr(c + 1, ' '))
			*c = '\0';
		p.args = str_n(words.p, strlen(rows[i].args));
		got = person_client(&p);
		if ((got == NULL) != (rows[i].client == NULL) || (got && strcmp(got, rows[i].client) != 0))
			unit_fail(__FILE__, __LINE__, "row %zu (%s): %s", i, rows[i].args,
					got ? got : "none");
	}
}

/* Every client that sends hooks has programs here. */
static void test_every_client(void)
{
	for (size_t i = 0; client_at(i); i++) {
		struct ancestor p = {.comm = str_of(client_at(i)->name)};
		bool generic = !strcmp(client_at(i)->name, "generic");

		if (!strcmp(client_at(i)->name, "claude-code"))
			p.comm = STR("claude");
		if (!generic && (!person_client(&p) || strcmp(person_client(&p), client_at(i)->name) != 0))
			unit_fail(__FILE__, __LINE__, "%s has no program", client_at(i)->name);
	}
}

static void test_parent(void)
{
	CHECK_INT(ancestor_parent(STR("12 (bash) S 7 12 12 0 -1")), 7);
	CHECK_INT(ancestor_parent(STR("12 (a) S 9 (b) S 31 12 12")), 31);
	CHECK_INT(ancestor_parent(STR("1 (init) S 0 1")), 0);
	CHECK_INT(ancestor_parent(STR("12 (bash) S")), -1);
	CHECK_INT(ancestor_parent(STR("12 (bash) S x 1")), -1);
	CHECK_INT(ancestor_parent(STR("")), -1);
}

static void test_chain(void)
{
	struct ancestor *all = NULL;
	size_t n = 0;
	struct err e = {0};

	CHECK_INT(ancestors_read(A, &all, &n, &e), 0);
	CHECK_INT(getppid() ? n >= 1 : n == 0, 1);
	if (n) {
		CHECK_INT(all[0].pid, getppid());
		CHECK_INT(all[0].comm.n > 0, 1);
		CHECK_INT(ancestor_word(&all[0], 0).n > 0, 1);
	}
}

int main(void)
{
	arena_init(&arena, (size_t)4 << 20);
	RUN(test_rows);
	RUN(test_every_client);
	RUN(test_parent);
	RUN(test_chain);
	arena_free(&arena);
	return unit_end();
}
