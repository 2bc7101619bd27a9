/* Where each client keeps its hooks, and the form of an entry. client.h describes their input and answers. */
#include "client/init_hooks.h"

/*
 * "timeout" is the client's limit for one hook. Ours is at most 20 s (cli/watchdog.c), so that we answer
 * first. After its own limit, Claude Code and Cursor deny. The others run the tool, so timeout(1) ends the
 * hook earlier (outer_limit_s) and we set their own limit high: the default is 30 s in Copilot and 60 s in
 * Gemini. Qwen Code allows at most 60 s. Gemini and Qwen count milliseconds.
 */
#define CLAUDE_ENTRY \
	"{\"matcher\": \"*\", \"hooks\": [{\"type\": \"command\", \"command\": %, \"timeout\": 30&}]}"
#define CODEX_ENTRY "{\"hooks\": [{\"type\": \"command\", \"command\": %, \"timeout\": 120}]}"
#define GEMINI_ENTRY \
	"{\"matcher\": \"*\", \"hooks\": [{\"type\": \"command\", \"name\": \"caisson\", \"command\": %, " \
			"\"timeout\": 120000}]}"
#define QWEN_ENTRY \
	"{\"matcher\": \"*\", \"hooks\": [{\"type\": \"command\", \"name\": \"caisson\", \"command\": %, " \
			"\"timeout\": 60000}]}"
#define COPILOT_ENTRY "{\"type\": \"command\", \"bash\": %, \"timeoutSec\": 120}"
#define CURSOR_ENTRY "{\"command\": %, \"timeout\": 30&}"
#define WINDSURF_ENTRY "{\"command\": %, \"show_output\": true}"
#define OUTER_LIMIT_S 25 /* between our own limit and the client's */

#define CALL(tool) "\"tool_name\":\"" tool "\",\"tool_input\":{\"command\":%C},\"tool_use_id\":\"doctor\"}"

static const struct init_row rows[] = {
	{.name = "claude-code", .variable = "CLAUDE_CONFIG_DIR", .user_dir = ".claude",
			.user_file = "settings.json", .project_dir = ".claude",
			.project_file = "settings.json", .local_file = "settings.local.json",
	 .events = "PreToolUse PostToolUse PostToolUseFailure SessionStart SessionEnd", .entry = CLAUDE_ENTRY,
			.needs = "\"onFailure\": \"block\"", .excludes = true,
	 .probe = "{\"session_id\":\"doctor\",\"transcript_path\":\"/dev/null\",\"cwd\":%D,"
	 "\"permission_mode\":\"default\",\"hook_event_name\":\"PreToolUse\"," CALL("Bash")},
	{.name = "codex", .variable = "CODEX_HOME", .user_dir = ".codex", .user_file = "hooks.json",
			.project_dir = ".codex", .project_file = "hooks.json",
	 .events = "PreToolUse PostToolUse SessionStart SessionEnd", .entry = CODEX_ENTRY,
			.outer_limit_s = OUTER_LIMIT_S,
			.afterwards = "codex skips hooks until you trust them: start it once and trust them "
			"with /hooks",
	 .probe = "{\"session_id\":\"doctor\",\"turn_id\":\"1\",\"transcript_path\":\"/dev/null\","
			"\"cwd\":%D,\"hook_event_name\":\"PreToolUse\",\"model\":\"none\","
			"\"permission_mode\":\"default\"," CALL("Bash")},
	{.name = "codex", .variable = "CODEX_HOME", .user_dir = ".codex", .user_file = "rules/caisson.rules",
			.project_dir = ".codex",
	 .project_file = "rules/caisson.rules", .rules = true},
	{.name = "gemini", .user_dir = ".gemini", .user_file = "settings.json", .project_dir = ".gemini",
			.project_file = "settings.json",
	 .events = "BeforeTool AfterTool SessionStart SessionEnd", .entry = GEMINI_ENTRY,
			.outer_limit_s = OUTER_LIMIT_S, .comments = true,
	 .probe = "{\"session_id\":\"doctor\",\"transcript_path\":\"/dev/null\",\"cwd\":%D,"
	 "\"hook_event_name\":\"BeforeTool\",\"timestamp\":\"2000-01-01T00:00:00Z\","
	 CALL("run_shell_command")},
	{.name = "qwen", .user_dir = ".qwen", .user_file = "settings.json", .project_dir = ".qwen",
			.project_file = "settings.json",
	 .events = "PreToolUse PostToolUse PostToolUseFailure SessionStart SessionEnd", .entry = QWEN_ENTRY,
			.outer_limit_s = OUTER_LIMIT_S, .comments = true,
	 .probe = "{\"session_id\":\"doctor\",\"transcript_path\":\"/dev/null\",\"cwd\":%D,"
	 "\"hook_event_name\":\"PreToolUse\",\"timestamp\":\"2000-01-01T00:00:00Z\","
	 CALL("run_shell_command")},
	{.name = "copilot", .variable = "COPILOT_HOME", .user_dir = ".copilot",
			.user_file = "hooks/caisson.json", .project_dir = ".github",
			.project_file = "hooks/caisson.json",
	 .events = "preToolUse postToolUse postToolUseFailure sessionEnd", .entry = COPILOT_ENTRY,
			.outer_limit_s = OUTER_LIMIT_S, .version = true, .names_event = true,
	 .probe = "{\"sessionId\":\"doctor\",\"timestamp\":1,\"cwd\":%D,\"toolName\":\"bash\","
	 "\"toolArgs\":{\"command\":%C}}"},
	{.name = "opencode", .user_dir = ".config/opencode", .user_file = "plugin/caisson.js",
			.project_dir = ".opencode", .project_file = "plugin/caisson.js",
	 .probe = "{\"hook_event_name\":\"tool.execute.before\",\"session_id\":\"doctor\",\"cwd\":%D,"
			CALL("bash")},
	{.name = "cursor", .user_dir = ".cursor", .user_file = "hooks.json", .project_dir = ".cursor",
			.project_file = "hooks.json",
	 .events = "beforeShellExecution beforeMCPExecution beforeReadFile", .entry = CURSOR_ENTRY,
			.needs = "\"failClosed\": true", .version = true,
	 .probe = "{\"hook_event_name\":\"beforeShellExecution\",\"conversation_id\":\"doctor\","
	 "\"command\":%C,\"cwd\":%D}"},
	{.name = "windsurf", .user_dir = ".codeium/windsurf", .user_file = "hooks.json",
			.project_dir = ".windsurf", .project_file = "hooks.json",
	 .events = "pre_run_command pre_read_code pre_write_code pre_mcp_tool_use", .entry = WINDSURF_ENTRY,
	 .probe = "{\"agent_action_name\":\"pre_run_command\",\"trajectory_id\":\"doctor\","
	 "\"execution_id\":\"doctor\",\"tool_info\":{\"command_line\":%C,\"cwd\":%D}}"},
};
#define NROWS ARRAY_SIZE(rows)

const struct init_row *init_at(size_t i) { return i < NROWS ? &rows[i] : NULL; }

const struct init_row *init_find(struct str name)
{
	for (size_t i = 0; i < NROWS; i++)
		if (str_is(name, rows[i].name))
			return &rows[i];
	return NULL;
}

struct str init_names(struct arena *a)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t i = 0; i < NROWS; i++)
		if (!rows[i].rules)
			buf_fmt(&b, "%s%s", i ? ", " : "", rows[i].name);
	return buf_view(&b);
}
