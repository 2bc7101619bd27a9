/*
 * The table of clients, and recognition of a client by its input. Rows hold behaviour seen by driving the
 * client, or documented behaviour (Cursor, Windsurf). docs/hooks.md describes the same in words.
 */
#include "client/client.h"
#include "client/render.h"

/* Known events. An unlisted event is refused, because it may precede a tool. */
static const struct client_event claude_events[] = {
	{"PreToolUse", PHASE_PRE, "", "", "", false},
	{"PostToolUse", PHASE_POST, "", "", "", false},
	{"PostToolUseFailure", PHASE_FAILURE, "", "", "error", false},
	{"SessionStart", PHASE_START, "", "", "", false},
	/* the client is about to ask a person; the call was judged already */
	{"PermissionRequest", PHASE_OTHER, "", "", "", false},
	{"PermissionDenied", PHASE_OTHER, "", "", "", false},
	{"UserPromptSubmit", PHASE_OTHER, "", "", "", false},
	{"Stop", PHASE_OTHER, "", "", "", false},
	{"StopFailure", PHASE_OTHER, "", "", "", false},
	{"SubagentStart", PHASE_OTHER, "", "", "", false},
	{"SubagentStop", PHASE_OTHER, "", "", "", false},
	{"PreCompact", PHASE_OTHER, "", "", "", false},
	{"PostCompact", PHASE_OTHER, "", "", "", false},
	{"Notification", PHASE_OTHER, "", "", "", false},
	{"SessionEnd", PHASE_END, "", "", "", false},
	{"Setup", PHASE_OTHER, "", "", "", false},
	{"InstructionsLoaded", PHASE_OTHER, "", "", "", false},
	{"ConfigChange", PHASE_OTHER, "", "", "", false},
	{"TaskCompleted", PHASE_OTHER, "", "", "", false},
	{"TeammateIdle", PHASE_OTHER, "", "", "", false},
	{.name = ""},
};

static const struct client_event gemini_events[] = {
	{"BeforeTool", PHASE_PRE, "", "", "", false},
	{"AfterTool", PHASE_POST, "", "", "", false},
	{"SessionStart", PHASE_START, "", "", "", false},
	{"SessionEnd", PHASE_END, "", "", "", false},
	{"BeforeAgent", PHASE_OTHER, "", "", "", false},
	{"AfterAgent", PHASE_OTHER, "", "", "", false},
	{"BeforeModel", PHASE_OTHER, "", "", "", false},
	{"AfterModel", PHASE_OTHER, "", "", "", false},
	{"BeforeToolSelection", PHASE_OTHER, "", "", "", false},
	{"PreCompress", PHASE_OTHER, "", "", "", false},
	{"Notification", PHASE_OTHER, "", "", "", false},
	{.name = ""},
};

/* The input does not name its event. --event does, else the input's keys decide. */
static const struct client_event copilot_events[] = {
	{"preToolUse", PHASE_PRE, "", "", "", false},
	{"postToolUse", PHASE_POST, "", "", "", false},
	{"postToolUseFailure", PHASE_FAILURE, "", "", "error", false},
	{"sessionStart", PHASE_START, "", "", "", false},
	{"sessionEnd", PHASE_END, "", "", "", false},
	{"userPromptSubmitted", PHASE_OTHER, "", "", "", false},
	{"errorOccurred", PHASE_OTHER, "", "", "", false},
	{"agentStop", PHASE_OTHER, "", "", "", false},
	{"subagentStop", PHASE_OTHER, "", "", "", false},
	{.name = ""},
};

static const struct client_event opencode_events[] = { /* sent by our own plugin */
	{"tool.execute.before", PHASE_PRE, "", "", "", false},
	{"tool.execute.after", PHASE_POST, "", "", "", false},
	{"session.created", PHASE_START, "", "", "", false},
	{.name = ""},
};

static const struct client_event cursor_events[] = {
	{"beforeShellExecution", PHASE_PRE, "Shell", "*", "", false},
	{"beforeMCPExecution", PHASE_PRE, "", "", "", false},
	{"beforeReadFile", PHASE_PRE, "Read", "*", "", true},
	{"beforeTabFileRead", PHASE_PRE, "Read", "*", "", true},
	{"preToolUse", PHASE_PRE, "", "", "", true},
	{"afterShellExecution", PHASE_POST, "Shell", "*", "output", false},
	{"afterMCPExecution", PHASE_POST, "", "", "result_json", false},
	{"afterFileEdit", PHASE_POST, "Write", "*", "", false},
	{"afterTabFileEdit", PHASE_POST, "Write", "*", "", false},
	{"postToolUse", PHASE_POST, "", "", "tool_output", false},
	{"postToolUseFailure", PHASE_FAILURE, "", "", "error_message", false},
	{"sessionStart", PHASE_START, "", "", "", false},
	{"sessionEnd", PHASE_END, "", "", "", false},
	{"beforeSubmitPrompt", PHASE_OTHER, "", "", "", false},
	{"afterAgentResponse", PHASE_OTHER, "", "", "", false},
	{"afterAgentThought", PHASE_OTHER, "", "", "", false},
	{"subagentStop", PHASE_OTHER, "", "", "", false},
	{"preCompact", PHASE_OTHER, "", "", "", false},
	{"stop", PHASE_OTHER, "", "", "", false},
	{.name = ""},
};

static const struct client_event windsurf_events[] = {
	{"pre_run_command", PHASE_PRE, "run_command", "", "", false},
	{"pre_read_code", PHASE_PRE, "Read", "", "", false},
	{"pre_write_code", PHASE_PRE, "Write", "", "", false},
	{"pre_mcp_tool_use", PHASE_PRE, "", "", "", false},
	{"post_run_command", PHASE_POST, "run_command", "", "", false},
	{"post_read_code", PHASE_POST, "Read", "", "", false},
	{"post_write_code", PHASE_POST, "Write", "", "", false},
	{"post_mcp_tool_use", PHASE_POST, "", "", "", false},
	{"pre_user_prompt", PHASE_OTHER, "", "", "", false},
	{"post_cascade_response", PHASE_OTHER, "", "", "", false},
	{"post_setup_worktree", PHASE_OTHER, "", "", "", false},
	{.name = ""},
};

static const struct client_event generic_events[] = {
	{"pre", PHASE_PRE, "", "", "", false},
	{"post", PHASE_POST, "", "", "", false},
	{.name = ""},
};

#define SEEN_BY_NAME \
	"hook_event_name", "tool_name", "tool_input", "tool_response", "session_id", "tool_use_id"

/* In matching order: the most specific first. */
static const struct client rows[] = {
	{"claude-code", "Claude Code", CLIENT_LIMITS | CLIENT_COMMENTS | CLIENT_ASKS_BOXED | CLIENT_MARKS |
			CLIENT_ASKS | CLIENT_REWRITES | CLIENT_REPLACES | CLIENT_ADDS | CLIENT_FOLLOWS |
			CLIENT_GUIDES | CLIENT_APPROVES | CLIENT_SETTINGS | CLIENT_START_DIR,
	 " hook_event_name session_id transcript_path ", " turn_id model timestamp conversation_id ",
	 SEEN_BY_NAME, claude_events, ".claude/settings.json",
	 "the output of a command that failed or went to the background cannot be replaced afterwards; "
			"output from the box is already clean", render_claude, render_claude_after},
	{"codex", "Codex", CLIENT_LIMITS | CLIENT_INPUT | CLIENT_MARKS | CLIENT_UNATTENDED | CLIENT_REWRITES |
			CLIENT_REPLACES | CLIENT_GUIDES | CLIENT_APPROVES | CLIENT_LOSES_CODE |
			CLIENT_PATCHES, " hook_event_name session_id model ", " timestamp conversation_id ",
			SEEN_BY_NAME, claude_events, "$CODEX_HOME/hooks.json",
	 "it runs commands that a hook asks about, so an ask becomes a denial; it skips hooks that are not "
			"trusted", render_codex, render_codex_after},
	{"gemini", "Gemini CLI", CLIENT_LIMITS | CLIENT_COMMENTS | CLIENT_MARKS | CLIENT_REWRITES |
			CLIENT_REPLACES | CLIENT_GUIDES | CLIENT_SHOWS_ERROR | CLIENT_BASH,
			" hook_event_name session_id timestamp ", " turn_id conversation_id ", SEEN_BY_NAME,
			gemini_events, "~/.gemini/settings.json",
	 "a question would hang without a user, so an ask becomes a denial", render_gemini,
	render_gemini_after},
	{"qwen", "Qwen Code", CLIENT_MARKS | CLIENT_ASKS | CLIENT_GUIDES | CLIENT_APPROVES | CLIENT_BASH |
			CLIENT_WRAPS,
			" hook_event_name session_id timestamp transcript_path ", " turn_id conversation_id ",
			SEEN_BY_NAME, claude_events, "~/.qwen/settings.json",
	 "it cannot rewrite a command or replace its output, so nothing can be contained: contain_fallback "
			"applies", render_claude, render_nothing_after},
	{"copilot", "Copilot CLI", CLIENT_LIMITS | CLIENT_HIDES_ERROR | CLIENT_COMMENTS | CLIENT_TYPES |
			CLIENT_ASKS | CLIENT_REWRITES | CLIENT_APPROVES | CLIENT_FOLLOWS,
			" hook_event_name session_id timestamp ", " transcript_path turn_id conversation_id ",
	 "hook_event_name", "tool_name", "tool_input", "tool_result", "session_id", "tool_use_id",
	 claude_events, ".github/hooks/*.json",
	 "the model is not told why when the program is missing or crashes, only that the hook failed",
	 render_claude, render_nothing_after},
	{"copilot", "Copilot CLI", CLIENT_LIMITS | CLIENT_HIDES_ERROR | CLIENT_COMMENTS | CLIENT_TYPES |
			CLIENT_ASKS | CLIENT_REWRITES | CLIENT_REPLACES | CLIENT_APPROVES | CLIENT_FOLLOWS,
			" sessionId timestamp ", " hook_event_name ",
	 "", "toolName", "toolArgs", "toolResult", "sessionId", "toolCallId", copilot_events,
	 ".github/hooks/*.json",
	 "the model is not told why when the program is missing or crashes, only that the hook failed",
	 render_copilot, render_copilot_after},
	{"opencode", "opencode", CLIENT_LIMITS | CLIENT_COMMENTS | CLIENT_REWRITES | CLIENT_REPLACES,
			" hook_event_name session_id tool_name ",
			" timestamp model conversation_id transcript_path ", SEEN_BY_NAME, opencode_events,
			".opencode/plugin/caisson.js",
	 "a plugin cannot ask, so an ask becomes a denial", render_opencode, render_opencode_after},
	{"cursor", "Cursor", CLIENT_ASKS, " hook_event_name conversation_id ", " transcript_path turn_id ",
			"hook_event_name", "tool_name", "tool_input", "tool_output", "conversation_id",
			"tool_use_id",
	 cursor_events, ".cursor/hooks.json",
			"it cannot rewrite a command or replace its output, so nothing can be contained: "
			"contain_fallback applies", render_cursor, render_nothing_after},
	{"windsurf", "Windsurf", 0, " agent_action_name ", " hook_event_name ", "agent_action_name", "",
			"tool_info", "tool_info", "trajectory_id", "execution_id", windsurf_events,
			".windsurf/hooks.json",
	 "it cannot ask, rewrite a command or replace its output: ask and contain become denials",
	render_exit, render_nothing_after},
	{"generic", "this agent loop", CLIENT_COMMENTS | CLIENT_MARKS | CLIENT_NORMALISES,
			" tool_name tool_input ", " hook_event_name agent_action_name sessionId ", "",
			"tool_name", "tool_input", "tool_result", "session_id", "tool_use_id",
	 generic_events, "your own",
			"it cannot ask or rewrite: ask and contain become denials, unless the input says "
			"that it can ask or run", render_generic, render_generic_after},
};

#define NROWS ARRAY_SIZE(rows)

const struct client *client_at(size_t i) { return i < NROWS ? &rows[i] : NULL; }

const struct client *client_find(struct str name)
{
	for (size_t i = 0; i < NROWS; i++)
		if (str_is(name, rows[i].name))
			return &rows[i];
	return NULL;
}

enum phase client_phase(const char *name, const char *event)
{
	for (size_t i = 0; i < NROWS; i++)
		for (const struct client_event *ev = strcmp(rows[i].name, name) ? NULL : rows[i].events;
				ev && ev->name[0]; ev++)
			if (!strcmp(ev->name, event))
				return ev->phase;
	return PHASE_PRE;
}

struct str client_names(struct arena *a)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t i = 0; i < NROWS; i++)
		if (!i || strcmp(rows[i].name, rows[i - 1].name))
			buf_fmt(&b, "%s%s", i ? ", " : "", rows[i].name);
	return buf_view(&b);
}
