/*
 * The permissions of a client's own sandbox: finding and parsing Codex's transcript, and the way through a
 * ticket.
 */
#define _GNU_SOURCE
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "client/claude.h"
#include "client/codex.h"
#include "record/client_walls.h"
#include "sys/file.h"
#include "unit.h"

static struct arena arena;
static struct arena *const A = &arena;
static char dir[] = "/tmp/caisson-walls-XXXXXX";

static struct str joined(const struct texts *list)
{
	struct buf b;

	buf_init(&b, A, 0);
	for (const struct texts *t = list; t; t = t->next)
		buf_fmt(&b, "%s%.*s", t == list ? "" : " ", STR_ARG(t->text));
	return buf_view(&b);
}

/* The same texts in any order: patterns list names as the directory does. `words` are separated by spaces. */
static bool same_set(const struct texts *list, struct str words)
{
	size_t n = 0, wanted = words.n > 0;

	for (size_t i = 0; i < words.n; i++)
		wanted += words.p[i] == ' ';
	for (; list; list = list->next, n++)
		if (!str_contains(str_fmt(A, " %.*s ", STR_ARG(words)),
				str_fmt(A, " %.*s ", STR_ARG(list->text))))
			return false;
	return n == wanted;
}

#define LINE(rest) \
	"{\"timestamp\":\"t\",\"ordinal\":5,\"type\":\"turn_context\",\"payload\":{\"turn_id\":\"T\"," \
			"\"cwd\":\"/p\"," rest "}}"
#define PROFILE(entries) \
	"\"permission_profile\":{\"type\":\"managed\",\"file_system\":{\"type\":\"restricted\"," \
			"\"entries\":[" entries "]},\"network\":\"restricted\"}"
#define ROOT_READ "{\"path\":{\"type\":\"special\",\"value\":{\"kind\":\"root\"}},\"access\":\"read\"}"
#define PATH_IS(path, access) \
	"{\"path\":{\"type\":\"path\",\"path\":\"" path "\"},\"access\":\"" access \
			"\",\"missing_path_behavior\":\"skip\"}"
#define SPECIAL(value, access) \
	"{\"path\":{\"type\":\"special\",\"value\":" value "},\"access\":\"" access "\"}"

static const struct {
	const char *line;
	int rc;
	enum client_sandbox mode;
	const char *writable, *closed, *hidden;
	bool refuse;
} lines[] = {
	/* as Codex 0.166 writes it */
	{LINE("\"sandbox_policy\":{\"type\":\"danger-full-access\"},"
			"\"permission_profile\":{\"type\":\"disabled\"}"), 0,
	 CLIENT_SANDBOX_NONE, "", "", "", false},
	{LINE("\"sandbox_policy\":{\"type\":\"read-only\"}," PROFILE(ROOT_READ)), 0, CLIENT_SANDBOX_READ_ONLY,
			"", "", "", false},
	{LINE("\"sandbox_policy\":{\"type\":\"workspace-write\",\"network_access\":false},"
			PROFILE(ROOT_READ "," PATH_IS("/p", "write")
			"," SPECIAL("{\"kind\":\"slash_tmp\"}", "write") "," PATH_IS("/p/.git", "read"))), 0,
	 CLIENT_SANDBOX_WORKSPACE_WRITE, "/p", "/p/.git", "", false},
	/* an older Codex without a profile */
	{LINE("\"sandbox_policy\":{\"type\":\"danger-full-access\"}"), 0, CLIENT_SANDBOX_NONE, "", "", "",
			false},
	{LINE("\"sandbox_policy\":{\"type\":\"read-only\"}"), 0, CLIENT_SANDBOX_READ_ONLY, "", "", "", false},
	{LINE("\"sandbox_policy\":{\"type\":\"workspace-write\",\"writable_roots\":[\"/q/\"]}"), 0,
			CLIENT_SANDBOX_WORKSPACE_WRITE, "/p /q",
	 "/p/.git /p/.codex /p/.agents /p/.aws /q/.git /q/.codex /q/.agents /q/.aws", "", false},
	/* the profile counts where both are there */
	{LINE("\"sandbox_policy\":{\"type\":\"danger-full-access\"}," PROFILE(ROOT_READ)), 0,
			CLIENT_SANDBOX_READ_ONLY, "", "", "", false},
	{LINE(PROFILE(ROOT_READ "," SPECIAL("{\"kind\":\"project_roots\",\"subpath\":\"src\"}", "write"))), 0,
	 CLIENT_SANDBOX_WORKSPACE_WRITE, "/p/src", "", "", false},
	{LINE(PROFILE(ROOT_READ "," PATH_IS("/p", "write") "," PATH_IS("/p/secret", "deny"))), 0,
			CLIENT_SANDBOX_WORKSPACE_WRITE, "/p", "",
	 "/p/secret", false},
	/* walls that the box cannot repeat */
	{LINE(PROFILE(PATH_IS("/p", "write"))), 0, CLIENT_SANDBOX_WORKSPACE_WRITE, "/p", "", "", true},
	{LINE(PROFILE(ROOT_READ
			",{\"path\":{\"type\":\"glob_pattern\",\"pattern\":\"**/.env\"},"
			"\"access\":\"deny\"}")), 0,
	 CLIENT_SANDBOX_READ_ONLY, "", "", "", true},
	{LINE(PROFILE(ROOT_READ "," SPECIAL("{\"kind\":\"new\"}", "deny"))), 0, CLIENT_SANDBOX_READ_ONLY, "",
			"", "", true},
	{LINE(PROFILE(ROOT_READ "," PATH_IS("relative", "write"))), 0, CLIENT_SANDBOX_READ_ONLY, "", "", "",
			true},
	/* nothing that is understood */
	{LINE("\"sandbox_policy\":{\"type\":\"new\"}"), 0, CLIENT_SANDBOX_UNKNOWN, "", "", "", false},
	{LINE("\"permission_profile\":{\"type\":\"new\"}"), 0, CLIENT_SANDBOX_UNKNOWN, "", "", "", false},
	{LINE("\"model\":\"m\""), 0, CLIENT_SANDBOX_UNKNOWN, "", "", "", false},
	/* not the line */
	{"{\"type\":\"turn_context\",\"payload\":{\"turn_id\":\"U\","
			"\"sandbox_policy\":{\"type\":\"danger-full-access\"}}}", -1, 0, "", "", "", false},
	{"{\"type\":\"turn_context\",\"payload\":{\"sandbox_policy\":{\"type\":\"danger-full-access\"}}}", -1,
			0, "", "", "", false},
	{"{\"type\":\"response_item\",\"payload\":{\"type\":\"turn_context\",\"turn_id\":\"T\"}}", -1, 0, "",
			"", "", false},
	{"{\"type\":\"turn_context\",\"type\":\"x\",\"payload\":{\"turn_id\":\"T\"}}", -1, 0, "", "", "",
			false},
	{"{\"type\":\"turn_context\",\"payload\":{\"turn_id\":\"T\"}} {}", -1, 0, "", "", "", false},
	{"{\"type\":\"turn_context\",\"payl", -1, 0, "", "", "", false},
};

static void test_lines(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct client_walls w = {0};
		struct str refuse = STR("");

		CHECK_ROW(codex_walls_of_line(A, str_of(lines[i].line), STR("T"), &w, &refuse) == lines[i].rc,
				lines[i].line);
		CHECK_ROW(w.mode == lines[i].mode, lines[i].line);
		CHECK_STR(joined(w.writable), lines[i].writable);
		CHECK_STR(joined(w.closed), lines[i].closed);
		CHECK_STR(joined(w.hidden), lines[i].hidden);
		CHECK_ROW((refuse.n > 0) == lines[i].refuse, lines[i].line);
	}
}

/* ---- the file ---- */

static void put(const char *name, struct str text, mode_t mode)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	CHECK_INT(file_replace(path, text, NULL), 0);
	CHECK_INT(chmod(path, mode), 0);
}

static enum client_sandbox found(const char *name, const char *project)
{
	struct codex_turn t = {.transcript = str_fmt(A, "%s/%s", dir, name), .turn = STR("T"),
			.home = str_of(dir),
			.project = str_fmt(A, "%s%s", dir, project), .uid = getuid()};
	struct client_walls w;
	struct str refuse;

	codex_walls(A, &t, &w, &refuse);
	return w.mode;
}

#define ONE(turn, mode) \
	"{\"timestamp\":\"t\",\"type\":\"turn_context\",\"payload\":{\"turn_id\":\"" turn \
			"\",\"cwd\":\"/p\",\"sandbox_policy\":{\"type\":\"" mode "\"}}}\n"
#define OTHER \
	"{\"timestamp\":\"t\",\"type\":\"event_msg\"," \
			"\"payload\":{\"text\":\"\\\"type\\\":\\\"turn_context\\\"\"}}\n"

static void test_file(void)
{
	struct buf b;

	put(".codex/a.jsonl", STR(OTHER ONE("S", "danger-full-access") OTHER ONE("T", "read-only") OTHER),
			0600);
	CHECK_INT(found(".codex/a.jsonl", "/project"), CLIENT_SANDBOX_READ_ONLY);
	CHECK_INT(found(".codex/none.jsonl", "/project"), CLIENT_SANDBOX_UNKNOWN);
	CHECK_INT(found(".codex", "/project"), CLIENT_SANDBOX_UNKNOWN);
	/* Codex's directory lies in the project */
	CHECK_INT(found(".codex/a.jsonl", "/.codex"), CLIENT_SANDBOX_UNKNOWN);
	put("elsewhere.jsonl", STR(ONE("T", "danger-full-access")), 0600);
	CHECK_INT(found("elsewhere.jsonl", "/project"), CLIENT_SANDBOX_UNKNOWN);
	CHECK_INT(found(".codex/../elsewhere.jsonl", "/project"), CLIENT_SANDBOX_UNKNOWN);
	CHECK_INT(symlink("../elsewhere.jsonl", str_fmt_c(A, "%s/.codex/link.jsonl", dir)), 0);
	CHECK_INT(found(".codex/link.jsonl", "/project"), CLIENT_SANDBOX_UNKNOWN);
	put(".codex/shared.jsonl", STR(ONE("T", "danger-full-access")), 0666);
	CHECK_INT(found(".codex/shared.jsonl", "/project"), CLIENT_SANDBOX_UNKNOWN);
	put(".codex/cut.jsonl",
			STR(ONE("S", "danger-full-access") "{\"type\":\"turn_context\","
			"\"payload\":{\"turn_id\":\"T\""), 0600);
	CHECK_INT(found(".codex/cut.jsonl", "/project"), CLIENT_SANDBOX_UNKNOWN);

	/* the last one of the turn counts; a long way back, across the pieces in which the file is read */
	buf_init(&b, A, 0);
	buf_c(&b, ONE("T", "danger-full-access") ONE("T", "read-only"));
	while (b.n < ((size_t)3 << 20) + 17)
		buf_c(&b, OTHER);
	put(".codex/long.jsonl", buf_view(&b), 0600);
	CHECK_INT(found(".codex/long.jsonl", "/project"), CLIENT_SANDBOX_READ_ONLY);
}

/* A mark lies across the border of two pieces, wherever that is. */
static void test_borders(void)
{
	for (size_t shift = 0; shift < 64; shift++) {
		struct buf b;

		buf_init(&b, A, 0);
		buf_c(&b, ONE("T", "read-only"));
		while (b.n < ((size_t)1 << 20) + 20 + shift)
			buf_char(&b, 'x');
		buf_char(&b, '\n');
		put(".codex/border.jsonl", buf_view(&b), 0600);
		CHECK_INT(found(".codex/border.jsonl", "/project"), CLIENT_SANDBOX_READ_ONLY);
	}
}

/* ---- the shell of a call ---- */

static const struct {
	const char *call;  /* the arguments; NULL: not known */
	const char *path, *login;
	bool refuse, named;
	enum dialect dialect; /* of a named one */
	unsigned others;
/* @ is the test's directory: @/agent is an agent's, @/.codex Codex's own; @/.codex/own has a zsh */
} shells[] = {
	{"{\"cmd\":\"ls\"}", "/usr/bin:/bin", "/bin/bash", false, false, 0, 1U << DIALECT_BASH},
	{"{\"cmd\":\"ls\",\"shell\":null}", "/usr/bin:/bin", "/bin/bash", false, false, 0,
			1U << DIALECT_BASH},
	{"{\"cmd\":\"ls\"}", "@/agent/bin:/bin", "/bin/bash", false, false, 0, 1U << DIALECT_BASH},
	{"{\"cmd\":\"ls\"}", "@/agent/bin:/bin", "/usr/bin/fish", true, false, 0, 0}, /* bash of PATH */
	{"{\"cmd\":\"ls\"}", "@/.codex/own:/bin", "@/.codex/own/zsh", false, false, 0, 1U << DIALECT_ZSH},
	/* a name */
	{"{\"shell\":\"bash\"}", "/usr/bin:/bin", "/bin/bash", false, true, DIALECT_BASH, 0},
	{"{\"shell\":\"sh\"}", "/usr/bin:/bin", "/bin/bash", false, true, DIALECT_SH, 0},
	{"{\"shell\":\"zsh\"}", "@/.codex/own:/bin", "/bin/bash", false, true, DIALECT_ZSH, 0},
	{"{\"shell\":\"zsh.exe\"}", "@/.codex/own:/bin", "/bin/bash", false, true, DIALECT_ZSH, 0},
	/* there is none: /bin/sh */
	{"{\"shell\":\"zsh\"}", "@/.codex/none", "/bin/bash", false, true, DIALECT_SH, 0},
	{"{\"shell\":\"python3\"}", "/usr/bin:/bin", "/bin/bash", false, true, DIALECT_SH, 0},
	{"{\"shell\":\"\"}", "/usr/bin:/bin", "/bin/bash", false, true, DIALECT_SH, 0},
	{"{\"shell\":\"sh\"}", "@/.codex/tmp:/bin", "/bin/bash", false, true, DIALECT_SH, 0},
	/* the login shell comes first */
	{"{\"shell\":\"bash\"}", "@/agent/bin:/bin", "/bin/bash", false, true, DIALECT_BASH, 0},
	/* where an agent has put one, or could */
	{"{\"shell\":\"sh\"}", "@/agent/bin:/bin", "/bin/bash", true, true, DIALECT_SH, 0},
	{"{\"shell\":\"sh\"}", "@/agent/empty:/bin", "/bin/bash", true, true, DIALECT_SH, 0},
	{"{\"shell\":\"sh\"}", "/bin:@/agent/bin", "/bin/bash", false, true, DIALECT_SH, 0},
	{"{\"shell\":\"sh\"}", ".:/bin", "/bin/bash", true, true, DIALECT_SH, 0},
	{"{\"shell\":\"sh\"}", ":/bin", "/bin/bash", true, true, DIALECT_SH, 0},
	{"{\"shell\":\"sh\"}", "/tmp/x:/bin", "/bin/bash", true, true, DIALECT_SH, 0},
	{"{\"shell\":\"sh\"}", "@/linked:/bin", "/bin/bash", true, true, DIALECT_SH, 0},
	/* a path */
	{"{\"shell\":\"/bin/bash\"}", "/usr/bin:/bin", "/bin/bash", false, true, DIALECT_BASH, 0},
	{"{\"shell\":\"/usr/bin/sh\"}", "/usr/bin:/bin", "/bin/bash", false, true, DIALECT_SH, 0},
	{"{\"shell\":\"/bin/nosuch\"}", "/usr/bin:/bin", "/bin/bash", false, true, DIALECT_SH, 0},
	{"{\"shell\":\"@/agent/bin/bash\"}", "/usr/bin:/bin", "/bin/bash", true, true, DIALECT_SH, 0},
	{"{\"shell\":\"@/agent/bin/none\"}", "/usr/bin:/bin", "/bin/bash", true, true, DIALECT_SH, 0},
	{"{\"shell\":\"bin/bash\"}", "/usr/bin:/bin", "/bin/bash", true, true, DIALECT_SH, 0},
	{"{\"shell\":\"./bash\"}", "/usr/bin:/bin", "/bin/bash", true, true, DIALECT_SH, 0},
	{"{\"shell\":\"/bin/../tmp/bash\"}", "/usr/bin:/bin", "/bin/bash", true, true, DIALECT_SH, 0},
	{"{\"shell\":\"/bin/bash/\"}", "/usr/bin:/bin", "/bin/bash", true, true, DIALECT_SH, 0},
	/* in /etc/shells, but in /tmp */
	{"{\"shell\":\"@/listed/bash\"}", "/usr/bin:/bin", "/bin/bash", true, true, DIALECT_SH, 0},
	/* another machine */
	{"{\"cmd\":\"ls\",\"environment_id\":\"local\"}", "/usr/bin:/bin", "/bin/bash", false, false, 0,
			1U << DIALECT_BASH},
	{"{\"cmd\":\"ls\",\"environment_id\":\"far\"}", "/usr/bin:/bin", "/bin/bash", true, false, 0,
			1U << DIALECT_BASH},
	/* nothing is known: any of them */
	{NULL, "@/.codex/own:/bin", "/bin/bash", false, false, 0, 1U << DIALECT_BASH | 1U << DIALECT_SH |
			1U << DIALECT_ZSH},
	{NULL, "@/agent/bin:/bin", "/bin/bash", true, false, 0, 1U << DIALECT_BASH},
};

static struct str here(const char *text)
{
	struct buf b;

	buf_init(&b, A, 0);
	for (; *text; text++)
		if (*text == '@')
			buf_c(&b, dir);
		else
			buf_char(&b, *text);
	return buf_view(&b);
}

static const struct json *parsed(struct str text)
{
	struct json_reader r;

	json_reader_init(&r, A, text, JSON_TOLERANT);
	return json_next(&r);
}

static void test_shells(void)
{
	struct root root = {.path = here("@/agent")};
	struct codex_places p = {.shells = here("/bin/bash\n@/listed/bash\n"),
		.at = {.tmp = STR("/tmp"), .roots = &root, .own = here("@/.codex")}};
	static const char *const dirs[] = {"@/agent", "@/agent/bin", "@/agent/empty", "@/.codex/own",
			"@/.codex/tmp", "@/listed"};
	static const char *const files[] = {"agent/bin/bash", "agent/bin/sh", ".codex/own/zsh",
			"listed/bash"};

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		mkdir(str_c(A, here(dirs[i])), 0755);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		put(files[i], STR("#!/bin/sh\n"), 0755);
	CHECK_INT(symlink("agent/bin", str_c(A, here("@/linked"))), 0);
	for (size_t i = 0; i < ARRAY_SIZE(shells); i++) {
		const char *row = shells[i].call ? shells[i].call : "(not known)";
		struct shell_choice got;

		p.at.path = here(shells[i].path);
		p.login = here(shells[i].login);
		codex_shell_of_call(A, &p, shells[i].call ? parsed(here(shells[i].call)) : NULL, &got);
		CHECK_ROW((got.refuse.n > 0) == shells[i].refuse, row);
		CHECK_ROW(got.named == shells[i].named, row);
		CHECK_ROW(!got.named || got.dialect == shells[i].dialect, row);
		CHECK_ROW(got.refuse.n || (got.others & ~(1U << DIALECT_POWERSHELL)) == shells[i].others,
				row);
	}
}

static void test_calls(void)
{
	static const struct {
		const char *line, *shell; /* NULL: not the row */
	} calls[] = {
		{"{\"type\":\"response_item\",\"payload\":{\"type\":\"function_call\","
				"\"arguments\":\"{\\\"shell\\\":\\\"zsh\\\"}\",\"call_id\":\"C\"}}", "zsh"},
		{"{\"type\":\"response_item\",\"payload\":{\"type\":\"function_call\","
				"\"arguments\":\"{\\\"shell\\\":\\\"zsh\\\"}\",\"call_id\":\"D\"}}", NULL},
		{"{\"type\":\"response_item\",\"payload\":{\"type\":\"function_call\","
				"\"arguments\":\"{\\\"shell\",\"call_id\":\"C\"}}", NULL},
		{"{\"type\":\"response_item\",\"payload\":{\"type\":\"function_call_output\","
				"\"arguments\":\"{}\",\"call_id\":\"C\"}}", NULL},
		{"{\"type\":\"event_msg\",\"payload\":{\"type\":\"function_call\",\"arguments\":\"{}\","
				"\"call_id\":\"C\"}}", NULL},
		{"{\"type\":\"response_item\",\"payl", NULL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		const struct json *call = codex_call_of_line(A, str_of(calls[i].line), STR("C"));

		CHECK_ROW((call != NULL) == (calls[i].shell != NULL), calls[i].line);
		if (call && calls[i].shell)
			CHECK_STR(json_key(call, "shell")->text, calls[i].shell);
	}
}

/* ---- Claude Code's settings ---- */

static const struct {
	const char *user, *project; /* settings of either; NULL: no file */
	enum client_sandbox mode;
	/* @ is the test's directory; the usual names of a repository are left out */
	const char *writable, *closed, *hidden;
	bool refuse;
} settings[] = {
	{NULL, NULL, CLIENT_SANDBOX_NONE, "", "", "", false},
	{"{\"permissions\":{\"deny\":[\"Read(./a)\"]}}", NULL, CLIENT_SANDBOX_NONE, "", "", "", false},
	{"{\"sandbox\":{\"enabled\":false,\"filesystem\":{\"denyRead\":[\"/x\"]}}}", NULL,
			CLIENT_SANDBOX_NONE, "", "", "", false},
	{"{\"sandbox\":{\"enabled\":\"true\"}}", NULL, CLIENT_SANDBOX_NONE, "", "", "", false},
	{"{\"sandbox\":{\"enabled\":true}}", NULL, CLIENT_SANDBOX_WORKSPACE_WRITE, "@/project/part", "", "",
			false},
	{NULL, "{\"sandbox\":{\"enabled\":true}}", CLIENT_SANDBOX_WORKSPACE_WRITE, "@/project/part", "", "",
			false},
	/* where paths of either file start */
	{"{\"sandbox\":{\"enabled\":true,\"filesystem\":{\"denyRead\":[\"/x\",\"//y\",\"~/z\",\"./d\","
			"\"e\"],\"denyWrite\":[\"~/w\"]}}}", NULL,
	 CLIENT_SANDBOX_WORKSPACE_WRITE, "@/project/part", "@/w", "/x /y @/z @/.claude/d @/.claude/e", false},
	{"{\"sandbox\":{\"enabled\":true}}",
			"{\"sandbox\":{\"filesystem\":{\"denyWrite\":[\"./d\",\"e/**\",\"f/\"],"
			"\"allowWrite\":[\"g\"]}}}",
	 CLIENT_SANDBOX_WORKSPACE_WRITE, "@/project/g @/project/part", "@/project/d @/project/e @/project/f",
			"", false},
	{"{\"sandbox\":{\"enabled\":true},\"permissions\":{\"deny\":[\"Read(//x)\",\"Read(~/y)\","
			"\"Read(/z)\",\"Read(./a)\",\"Edit(./b)\",\"Bash(x)\",\"Read\"]}}", NULL,
	 CLIENT_SANDBOX_WORKSPACE_WRITE, "@/project/part", "@/project/part/b",
	 "/x @/y @/.claude/z @/project/part/a", false},
	{"{\"sandbox\":{\"enabled\":true}}", "{\"permissions\":{\"deny\":[\"Read(/z)\"]}}",
			CLIENT_SANDBOX_WORKSPACE_WRITE, "@/project/part", "", "@/project/z", false},
	/* patterns: what there is */
	{"{\"sandbox\":{\"enabled\":true},\"permissions\":{\"deny\":[\"Read(**/.env)\",\"Read(./*.key)\"]}}",
			NULL, CLIENT_SANDBOX_WORKSPACE_WRITE, "@/project/part",
	 "", "@/project/part/.env @/project/part/a.key", false},
	{"{\"sandbox\":{\"enabled\":true,\"filesystem\":{\"denyWrite\":[\"/x*\"],\"allowWrite\":[\"/*\"]}}}",
			NULL, CLIENT_SANDBOX_WORKSPACE_WRITE, "@/project/part", "", "", false},
	/* the project itself */
	{"{\"sandbox\":{\"enabled\":true,\"filesystem\":{\"denyRead\":[\"~/\"]}}}", NULL,
			CLIENT_SANDBOX_WORKSPACE_WRITE, "@/project/part", "", "@", true},
	{"{\"sandbox\":{\"enabled\":true,\"filesystem\":{\"denyRead\":[\"~\"],"
			"\"allowRead\":[\"~/project\"]}}}", NULL, CLIENT_SANDBOX_WORKSPACE_WRITE,
			"@/project/part", "", "@", false},
};

static struct str without_usual(const struct texts *list)
{
	struct texts *some = NULL;

	for (; list; list = list->next)
		if (!str_contains(list->text, STR("/.git/")))
			client_walls_add(A, &some, list->text);
	return joined(some);
}

static void test_settings(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		struct policy_file project = {.path = here("@/project/.claude/settings.json"),
				.base = here("@/project"), .project = true,
				.kind = POLICY_SETTINGS,
				.bytes = str_of(settings[i].project ? settings[i].project : "")};
		struct policy_file user = {.next = settings[i].project ? &project : NULL,
				.path = here("@/.claude/settings.json"),
				.base = here("@/.claude"), .kind = POLICY_SETTINGS,
				.bytes = str_of(settings[i].user ? settings[i].user : "{}")};
		struct claude_session s = {.files = &user, .base = here("@/project/part"),
				.home = str_of(dir), .project = here("@/project")};
		struct client_walls w;
		struct str refuse;
		const char *row = str_fmt_c(A, "%zu", i);

		claude_walls(A, &s, &w, &refuse);
		CHECK_ROW(w.mode == settings[i].mode, row);
		CHECK_STRN(joined(w.writable), here(settings[i].writable));
		CHECK_STRN(without_usual(w.closed), here(settings[i].closed));
		CHECK_ROW(same_set(w.hidden, here(settings[i].hidden)), settings[i].hidden);
		CHECK_ROW((refuse.n > 0) == settings[i].refuse, row);
	}
}

/* ---- Codex's trust ---- */

#define KEY "\"/h/.codex/hooks.json:pre_tool_use:0:1\""
#define HASH "sha256:2f6e9ff54a3ea23a6dc6bf1d4b6b6b0b4e0ad3b1c4bd0a6f8ac9a2b9e0f6d1aa" /* of something else */

static const struct {
	const char *config; /* % is the right digest */
	enum codex_trust trust;
} configs[] = {
	{"", CODEX_UNTRUSTED},
	{"[hooks.state." KEY "]\ntrusted_hash = \"%\"\n", CODEX_TRUSTED},
	{"model = \"x\"\n[hooks.state." KEY
			"]\n  enabled = true\r\n  trusted_hash=\"%\"\n[other]\nenabled = false\n",
			CODEX_TRUSTED},
	{"[hooks.state.'/h/.codex/hooks.json:pre_tool_use:0:1']\ntrusted_hash = '%'", CODEX_TRUSTED},
	{"[hooks.state]\n" KEY " = { trusted_hash = \"%\", enabled = true }\n", CODEX_TRUSTED},
	{"[hooks.state]\n" KEY " = { enabled = false, trusted_hash = \"%\" }\n", CODEX_OFF},
	{"[hooks.state." KEY "]\ntrusted_hash = \"%\"\nenabled = false\n", CODEX_OFF},
	{"[hooks.state." KEY "]\ntrusted_hash = \"" HASH "\"\n", CODEX_STALE},
	{"[hooks.state." KEY "]\n# trusted_hash = \"%\"\n", CODEX_UNTRUSTED},
	{"[hooks.state.\"/h/.codex/hooks.json:pre_tool_use:0:0\"]\ntrusted_hash = \"%\"\n", CODEX_UNTRUSTED},
	{"[hooks.state.\"/x/.codex/hooks.json:pre_tool_use:0:1\"]\ntrusted_hash = \"%\"\n", CODEX_UNTRUSTED},
	{"[other]\ntrusted_hash = \"%\"\n", CODEX_UNTRUSTED},
	{"[hooks.state." KEY "\ntrusted_hash = \"%\"\n", CODEX_UNTRUSTED},
};

static void test_trust(void)
{
	struct codex_hook h = {.file = STR("/h/.codex/hooks.json"), .event = STR("PreToolUse"), .index = 1,
			.timeout = 30,
			.command = STR("/usr/bin/caisson hook --client codex")};
	struct str right = codex_hook_hash(A, &h);

	for (size_t i = 0; i < ARRAY_SIZE(configs); i++) {
		struct buf b;

		buf_init(&b, A, 0);
		for (const char *p = configs[i].config; *p; p++)
			if (*p == '%')
				buf_str(&b, right);
			else
				buf_char(&b, *p);
		CHECK_ROW(codex_trusted(A, buf_view(&b), &h) == configs[i].trust, configs[i].config);
	}
}

/* As `codex app-server` of Codex 0.166 says them. */
static const struct {
	const char *event, *command, *matcher;
	int64_t timeout;
	const char *hash;
} hashes[] = {
	{"PreToolUse", "/opt/caisson hook --client codex", NULL, 30,
			"2623a757c3e9d575d17877ecc12dabdc820b1567f96259e403317ebd213e2c79"},
	{"PreToolUse", "/opt/caisson hook --client codex", "Bash", 30,
			"05bfa26300622181d9d5aebe49be2b8defefa1b5a57e18852dcf96ff1109e085"},
	{"PreToolUse", "x", NULL, 100000, "b502a76b16eee6d8c012b6b1b8dd5023de1bbc889123c74c09280af0ed12dd65"},
	{"SessionStart", "x", NULL, -1, "c9eb9044e230d9483968744da9be0fd56b4b2e8581433bca61135f5e0008ebb8"},
	{"SessionStart", "x", NULL, 0, "b850cbbec3936ff575139e5586d22adaf17bec1970884305a9c052aaec2e042a"},
	{"SessionEnd", "x", NULL, 2, "3ced4c28664694cfa2c555f972196962bf7eab06d8fa69f1836ce22690440de3"},
	{"SessionEnd", "x", NULL, 120, "b1aa6329f3a5daf36ae487200db1136f90a884bb805ddb24a6326c98dd6f29f6"},
	{"SessionEnd", "x", NULL, -1, "f3041eae9d0be5faed5367060d633bb905ed83825e2f4d9c7bc7f5ef19fe4bc7"},
};

static void test_hashes(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(hashes); i++) {
		const struct codex_hook h = {.event = str_of(hashes[i].event),
				.command = str_of(hashes[i].command), .timeout = hashes[i].timeout,
				.has_matcher = hashes[i].matcher,
				.matcher = str_of(hashes[i].matcher ? hashes[i].matcher : "")};

		CHECK_STRN(codex_hook_hash(A, &h), str_fmt(A, "sha256:%s", hashes[i].hash));
	}
}

/* ---- through a ticket ---- */

static void test_json(void)
{
	static const char *const wrong[] = {"{}", "{\"mode\":\"none\"}",
			"{\"mode\":\"no\",\"writable\":[],\"closed\":[],\"hidden\":[]}",
			"{\"mode\":\"none\",\"writable\":[\"x\"],\"closed\":[],\"hidden\":[]}",
			"{\"mode\":\"none\",\"writable\":[1],\"closed\":[],\"hidden\":[]}"};
	struct client_walls w = {.mode = CLIENT_SANDBOX_WORKSPACE_WRITE}, back = {0};
	struct json *o = NULL;
	struct buf b;

	CHECK(client_walls_add(A, &w.writable, STR("/p")) &&
			client_walls_add(A, &w.closed, STR("/p/a \"b\"")) &&
			client_walls_add(A, &w.closed, STR("/p/c")));
	CHECK(client_walls_is_utf8(&w));
	buf_init(&b, A, 0);
	client_walls_write(&b, &w);
	CHECK_INT(json_read(A, buf_view(&b), &o, NULL), 0);
	CHECK_INT(client_walls_read(A, o, &back), 0);
	CHECK_INT(back.mode, CLIENT_SANDBOX_WORKSPACE_WRITE);
	CHECK_STR(joined(back.closed), "/p/a \"b\" /p/c");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		CHECK_INT(json_read(A, str_of(wrong[i]), &o, NULL), 0);
		CHECK_ROW(client_walls_read(A, o, &back) == -1, wrong[i]);
	}
	CHECK(client_walls_add(A, &w.hidden, STR("/p/\xff")) && !client_walls_is_utf8(&w));
	w.hidden = NULL;
	for (unsigned i = 0; i < WALLS_PATHS_MAX; i++)
		CHECK(client_walls_add(A, &w.hidden, str_fmt(A, "/%u", i)));
	CHECK(!client_walls_add(A, &w.hidden, STR("/more")));
}

static void make_dir(const char *name)
{
	CHECK_INT(mkdir(str_fmt_c(A, "%s/%s", dir, name), 0700), 0);
}

static int take(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

int main(void)
{
	arena_init(A, (size_t)512 << 20);
	unsetenv("CODEX_HOME");
	if (!mkdtemp(dir) || mkdir(str_fmt_c(A, "%s/.codex", dir), 0700) != 0)
		return 1;
	RUN(test_lines);
	RUN(test_file);
	RUN(test_borders);
	RUN(test_shells);
	RUN(test_calls);
	make_dir("project");
	make_dir("project/part");
	make_dir("project/other");
	put("project/part/.env", STR("x"), 0600);
	put("project/part/a.key", STR("x"), 0600);
	put("project/other/.env", STR("x"), 0600);
	RUN(test_settings);
	RUN(test_trust);
	RUN(test_hashes);
	RUN(test_json);
	nftw(dir, take, 16, FTW_DEPTH | FTW_PHYS);
	arena_free(A);
	return unit_end();
}
