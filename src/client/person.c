/* See person.h. */
#define _GNU_SOURCE
#include "client/person.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/glob.h"

#define WORDS_SEEN 8 /* words of an interpreter's command line searched for a script */

/*
 * Programs of the clients in client.h, and of agents without a row there. Names are separated by blanks; *
 * matches anything.
 */
static const struct {
	char client[16], names[96];
} programs[] = {
	{"claude-code", " claude claude-code claude-agent-sdk "},
	{"codex", " codex codex-* "},
	{"gemini", " gemini gemini-cli "},
	{"qwen", " qwen qwen-code "},
	{"copilot", " copilot copilot-* github-copilot* "},
	{"opencode", " opencode opencode-* .opencode "},
	{"cursor", " cursor Cursor cursor-agent "},
	{"windsurf", " windsurf Windsurf windsurf-* "},
	{"caisson", " caisson caissond "},
	{"another agent", " aider auggie cline crush droid goose kiro-cli "},
};

/* For these interpreters, the script's path names the program. */
static const char interpreters[][12] = {"node", "nodejs", "bun", "deno", "MainThread", "electron", "python*",
		"tsx",
	"npm", "npx", "bunx", ""};

/* Variables that agents set for the commands they run. */
static const char variables[][32] = {"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CODEX_SANDBOX",
		"CODEX_SANDBOX_NETWORK_DISABLED",
	"CODEX_CI", "CODEX_THREAD_ID", "GEMINI_CLI", "QWEN_CODE", "CURSOR_AGENT", "OPENCODE", "COPILOT_CLI",
	"AUGMENT_AGENT",
	"GOOSE_TERMINAL", "CLINE_ACTIVE", "AI_AGENT", "AGENT", ""};

static const char *client_called(struct str name)
{
	if (str_ends(name, ".exe")) /* some packages use .exe on every platform */
		name.n -= 4;
	for (size_t i = 0; name.n && i < ARRAY_SIZE(programs); i++) {
		struct str list = str_of(programs[i].names);

		for (size_t from = 1; from < list.n;) {
			size_t end = (size_t)str_find(list, ' ', from);

			if (glob_name(str_sub(list, from, end), name))
				return programs[i].client;
			from = end + 1;
		}
	}
	return NULL;
}

/* Finds a client's name among the parts of a path: node /usr/lib/node_modules/@openai/codex/bin/codex.js. */
static const char *client_in_path(struct str path)
{
	const char *found = NULL;

	for (size_t from = 0; from < path.n && !found;) {
		size_t end = str_end(path, '/', from);
		struct str name = str_sub(path, from, end);

		found = str_is(name, "caisson") ? NULL /* our own directory */ :
				client_called(str_ends(name, ".js") ? str_first(name, name.n - 3) : name);
		from += name.n + 1;
	}
	return found;
}

static bool is_interpreter(struct str name)
{
	for (size_t i = 0; interpreters[i][0]; i++)
		if (glob_name(str_of(interpreters[i]), name))
			return true;
	return false;
}

/* Some programs are named after their version: ~/.local/share/claude/versions/2.0.14. */
static bool is_version(struct str name) { return name.n && ascii_is_digit(name.p[0]); }

const char *person_client(const struct ancestor *p)
{
	struct str exe = str_base(p->exe), first = str_base(ancestor_word(p, 0));
	const char *found = client_called(exe);

	if (!found)
		found = client_called(p->comm);
	if (!found)
		found = client_called(first);
	if (!found && is_version(exe))
		found = client_in_path(p->exe);
	for (size_t i = 1; !found && i < WORDS_SEEN && (is_interpreter(exe) || is_interpreter(first)); i++)
		found = client_in_path(ancestor_word(p, i));
	return found;
}

/* Helpers of a client (codex-linux-sandbox) have names like its own, and end with one command. */
int person_client_watch(struct arena *a, void *unused)
{
	struct ancestor *all;
	const char *client = NULL;
	int64_t pid = 0;
	size_t n;

	(void)unused;
	if (ancestors_read(a, &all, &n, NULL) != 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const char *here = person_client(&all[i]);

		if (client && here != client)
			break;
		client = here;
		if (client)
			pid = all[i].pid;
	}
	return pid > 0 ? (int)syscall(SYS_pidfd_open, (pid_t)pid, 0) : -1;
}

static int below_client(struct arena *a, struct err *e)
{
	struct ancestor *all;
	size_t n;

	if (ancestors_read(a, &all, &n, e) != 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const char *client = person_client(&all[i]);

		if (client)
			return err_input(e,
				"this runs below %s (process %lld, '%.*s'), so it may be an agent; run it "
				"yourself in your own terminal", client,
				(long long)all[i].pid, STR_ARG(all[i].comm));
	}
	return 0;
}

int person_check(struct arena *a, unsigned flags, struct err *e)
{
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0)
		return err_input(e,
				"this runs in a sandbox (no_new_privs is set), so it may be an agent; run it "
				"yourself in your own terminal");
	for (size_t i = 0; variables[i][0]; i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			return err_input(e,
					"'%s' is set, so it may be an agent; run it yourself in your own "
					"terminal", variables[i]);
	}
	if (below_client(a, e) != 0)
		return -1;
	if ((flags & PERSON_TERMINAL) && !(isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)))
		return err_input(e,
				"must be run in a terminal, by a person (standard input or output is not a "
				"terminal)");
	return 0;
}
