/*
 * The table of clients, and recognising them. What stands here about a client was seen by driving it, or (Cursor, Windsurf) is what its
 * documentation says; docs/hooks.md has the same in words.
 */
#include "client/client.h"
#include "client/render.h"

/* Events are those that we know. One that is not listed refuses: it may be one that precedes a tool. */
static const struct client_event claude_events[] = {
	{"PreToolUse", PHASE_PRE, NULL, NULL, NULL, false},
	{"PostToolUse", PHASE_POST, NULL, NULL, NULL, false},
	{"PostToolUseFailure", PHASE_FAILURE, NULL, NULL, "error", false},
	{"SessionStart", PHASE_START, NULL, NULL, NULL, false},
	{"PermissionRequest", PHASE_OTHER, NULL, NULL, NULL, false}, /* the client is about to ask a person; the call itself was judged */
	{"PermissionDenied", PHASE_OTHER, NULL, NULL, NULL, false},
	{"UserPromptSubmit", PHASE_OTHER, NULL, NULL, NULL, false},
	{"Stop", PHASE_OTHER, NULL, NULL, NULL, false},
	{"StopFailure", PHASE_OTHER, NULL, NULL, NULL, false},
	{"SubagentStart", PHASE_OTHER, NULL, NULL, NULL, false},
	{"SubagentStop", PHASE_OTHER, NULL, NULL, NULL, false},
	{"PreCompact", PHASE_OTHER, NULL, NULL, NULL, false},
	{"PostCompact", PHASE_OTHER, NULL, NULL, NULL, false},
	{"Notification", PHASE_OTHER, NULL, NULL, NULL, false},
	{"SessionEnd", PHASE_OTHER, NULL, NULL, NULL, false},
	{"Setup", PHASE_OTHER, NULL, NULL, NULL, false},
	{"InstructionsLoaded", PHASE_OTHER, NULL, NULL, NULL, false},
	{"ConfigChange", PHASE_OTHER, NULL, NULL, NULL, false},
	{"TaskCompleted", PHASE_OTHER, NULL, NULL, NULL, false},
	{"TeammateIdle", PHASE_OTHER, NULL, NULL, NULL, false},
	{0},
};

static const struct client_event gemini_events[] = {
	{"BeforeTool", PHASE_PRE, NULL, NULL, NULL, false},
	{"AfterTool", PHASE_POST, NULL, NULL, NULL, false},
	{"SessionStart", PHASE_START, NULL, NULL, NULL, false},
	{"SessionEnd", PHASE_OTHER, NULL, NULL, NULL, false},
	{"BeforeAgent", PHASE_OTHER, NULL, NULL, NULL, false},
	{"AfterAgent", PHASE_OTHER, NULL, NULL, NULL, false},
	{"BeforeModel", PHASE_OTHER, NULL, NULL, NULL, false},
	{"AfterModel", PHASE_OTHER, NULL, NULL, NULL, false},
	{"BeforeToolSelection", PHASE_OTHER, NULL, NULL, NULL, false},
	{"PreCompress", PHASE_OTHER, NULL, NULL, NULL, false},
	{"Notification", PHASE_OTHER, NULL, NULL, NULL, false},
	{0},
};

/* The input has no name of its event: what is there says which it is, unless --event does. */
static const struct client_event copilot_events[] = {
	{"preToolUse", PHASE_PRE, NULL, NULL, NULL, false},
	{"postToolUse", PHASE_POST, NULL, NULL, NULL, false},
	{"postToolUseFailure", PHASE_FAILURE, NULL, NULL, "error", false},
	{"sessionStart", PHASE_START, NULL, NULL, NULL, false},
	{"sessionEnd", PHASE_OTHER, NULL, NULL, NULL, false},
	{"userPromptSubmitted", PHASE_OTHER, NULL, NULL, NULL, false},
	{"errorOccurred", PHASE_OTHER, NULL, NULL, NULL, false},
	{"agentStop", PHASE_OTHER, NULL, NULL, NULL, false},
	{"subagentStop", PHASE_OTHER, NULL, NULL, NULL, false},
	{0},
};

static const struct client_event opencode_events[] = { /* our own plugin speaks */
	{"tool.execute.before", PHASE_PRE, NULL, NULL, NULL, false},
	{"tool.execute.after", PHASE_POST, NULL, NULL, NULL, false},
	{"session.created", PHASE_START, NULL, NULL, NULL, false},
	{0},
};

static const struct client_event cursor_events[] = {
	{"beforeShellExecution", PHASE_PRE, "Shell", "", NULL, false},
	{"beforeMCPExecution", PHASE_PRE, NULL, NULL, NULL, false},
	{"beforeReadFile", PHASE_PRE, "Read", "", NULL, true},
	{"beforeTabFileRead", PHASE_PRE, "Read", "", NULL, true},
	{"preToolUse", PHASE_PRE, NULL, NULL, NULL, true},
	{"afterShellExecution", PHASE_POST, "Shell", "", "output", false},
	{"afterMCPExecution", PHASE_POST, NULL, NULL, "result_json", false},
	{"afterFileEdit", PHASE_POST, "Write", "", NULL, false},
	{"afterTabFileEdit", PHASE_POST, "Write", "", NULL, false},
	{"postToolUse", PHASE_POST, NULL, NULL, "tool_output", false},
	{"postToolUseFailure", PHASE_FAILURE, NULL, NULL, "error_message", false},
	{"sessionStart", PHASE_START, NULL, NULL, NULL, false},
	{"sessionEnd", PHASE_OTHER, NULL, NULL, NULL, false},
	{"beforeSubmitPrompt", PHASE_OTHER, NULL, NULL, NULL, false},
	{"afterAgentResponse", PHASE_OTHER, NULL, NULL, NULL, false},
	{"afterAgentThought", PHASE_OTHER, NULL, NULL, NULL, false},
	{"subagentStop", PHASE_OTHER, NULL, NULL, NULL, false},
	{"preCompact", PHASE_OTHER, NULL, NULL, NULL, false},
	{"stop", PHASE_OTHER, NULL, NULL, NULL, false},
	{0},
};

static const struct client_event windsurf_events[] = {
	{"pre_run_command", PHASE_PRE, "run_command", NULL, NULL, false},
	{"pre_read_code", PHASE_PRE, "Read", NULL, NULL, false},
	{"pre_write_code", PHASE_PRE, "Write", NULL, NULL, false},
	{"pre_mcp_tool_use", PHASE_PRE, NULL, NULL, NULL, false},
	{"post_run_command", PHASE_POST, "run_command", NULL, NULL, false},
	{"post_read_code", PHASE_POST, "Read", NULL, NULL, false},
	{"post_write_code", PHASE_POST, "Write", NULL, NULL, false},
	{"post_mcp_tool_use", PHASE_POST, NULL, NULL, NULL, false},
	{"pre_user_prompt", PHASE_OTHER, NULL, NULL, NULL, false},
	{"post_cascade_response", PHASE_OTHER, NULL, NULL, NULL, false},
	{"post_setup_worktree", PHASE_OTHER, NULL, NULL, NULL, false},
	{0},
};

static const struct client_event generic_events[] = {
	{"pre", PHASE_PRE, NULL, NULL, NULL, false},
	{"post", PHASE_POST, NULL, NULL, NULL, false},
	{0},
};

#define SEEN_BY_NAME "hook_event_name", "tool_name", "tool_input", "tool_response", "session_id", "tool_use_id"

/* In the order in which they are tried: the more telling first. */
static const struct client rows[] = {
	{"claude-code", "Claude Code", CLIENT_MARKS | CLIENT_ASKS | CLIENT_REWRITES | CLIENT_REPLACES | CLIENT_ADDS | CLIENT_FOLLOWS | CLIENT_GUIDES | CLIENT_APPROVES | CLIENT_SETTINGS | CLIENT_BASE,
	 " hook_event_name session_id transcript_path ", " turn_id model timestamp conversation_id ", SEEN_BY_NAME, claude_events, ".claude/settings.json",
	 "the output of a command that failed, or went to the background, cannot be replaced afterwards; what ran in the box is clean already", render_claude, render_claude_after},
	{"codex", "Codex", CLIENT_MARKS | CLIENT_UNATTENDED | CLIENT_REWRITES | CLIENT_REPLACES | CLIENT_GUIDES | CLIENT_APPROVES, " hook_event_name session_id model ", " timestamp conversation_id ", SEEN_BY_NAME, claude_events, "$CODEX_HOME/hooks.json",
	 "it runs what a hook wants to ask about, so an ask is a denial; hooks that nobody has trusted are skipped", render_codex, render_block_after},
	{"gemini", "Gemini CLI", CLIENT_MARKS | CLIENT_REWRITES | CLIENT_REPLACES | CLIENT_GUIDES, " hook_event_name session_id timestamp ", " turn_id conversation_id ", SEEN_BY_NAME, gemini_events, "~/.gemini/settings.json",
	 "an ask hangs where nobody sits, so it is a denial; a hook that fails or takes too long lets the tool run", render_gemini, render_deny_after},
	{"qwen", "Qwen Code", CLIENT_MARKS | CLIENT_ASKS | CLIENT_GUIDES | CLIENT_APPROVES, " hook_event_name session_id timestamp transcript_path ", " turn_id conversation_id ", SEEN_BY_NAME, claude_events, "~/.qwen/settings.json",
	 "it neither rewrites a command nor replaces its output, so nothing can be contained: contain_fallback holds", render_claude, render_nothing_after},
	{"copilot", "Copilot CLI", CLIENT_ASKS | CLIENT_REWRITES | CLIENT_APPROVES | CLIENT_FOLLOWS, " hook_event_name session_id timestamp ", " transcript_path turn_id conversation_id ",
	 "hook_event_name", "tool_name", "tool_input", "tool_result", "session_id", "tool_use_id", claude_events, ".github/hooks/*.json",
	 "a hook that takes too long lets the tool run", render_claude, render_nothing_after},
	{"copilot", "Copilot CLI", CLIENT_ASKS | CLIENT_REWRITES | CLIENT_REPLACES | CLIENT_APPROVES | CLIENT_FOLLOWS, " sessionId timestamp ", " hook_event_name ",
	 "", "toolName", "toolArgs", "toolResult", "sessionId", "toolCallId", copilot_events, ".github/hooks/*.json",
	 "a hook that takes too long lets the tool run", render_copilot, render_copilot_after},
	{"opencode", "opencode", CLIENT_REWRITES | CLIENT_REPLACES, " hook_event_name session_id tool_name ", " timestamp model conversation_id transcript_path ", SEEN_BY_NAME, opencode_events, ".opencode/plugin/caisson.js",
	 "a plugin cannot ask, so an ask is a denial", render_opencode, render_opencode_after},
	{"cursor", "Cursor", CLIENT_ASKS, " hook_event_name conversation_id ", " transcript_path turn_id ", "hook_event_name", "tool_name", "tool_input", "tool_output", "conversation_id", "tool_use_id",
	 cursor_events, ".cursor/hooks.json", "it neither rewrites a command nor replaces its output, so nothing can be contained: contain_fallback holds", render_cursor, render_nothing_after},
	{"windsurf", "Windsurf", 0, " agent_action_name ", " hook_event_name ", "agent_action_name", "", "tool_info", "tool_info", "trajectory_id", "execution_id", windsurf_events, ".windsurf/hooks.json",
	 "it neither asks, nor rewrites a command, nor replaces its output: what would be asked about or contained is denied", render_exit, render_nothing_after},
	{"generic", "any agent loop", CLIENT_MARKS, " tool_name tool_input ", " hook_event_name agent_action_name sessionId ", "", "tool_name", "tool_input", "tool_result", "session_id", "tool_use_id",
	 generic_events, "your own", "it neither asks nor rewrites: what would be asked about or contained is denied", render_exit, render_generic_after},
};

#define NROWS (sizeof(rows) / sizeof(*rows))

const struct client *client_at(size_t i) { return i < NROWS ? &rows[i] : NULL; }

const struct client *client_find(struct str name)
{
	for (size_t i = 0; i < NROWS; i++)
		if (str_is(name, rows[i].name))
			return &rows[i];
	return NULL;
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
