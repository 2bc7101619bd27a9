#!/bin/bash
# A day with a development server in Claude Code, by the tools of caisson mcp alone. TAP.
# needs: claude-code
. "$(dirname "$0")/lib.sh"
CLIENT=claude-code
need_client claude-code claude

prepare() {
	jq -n --arg c "$CAISSON" \
		'{mcpServers: {caisson: {type: "stdio", command: $c, args: ["mcp", "--profile", "work"]}}}' >"$RUN/mcp.json"
}
start() {
	claude_environment
	ENVIRONMENT+=(ENABLE_TOOL_SEARCH=false)
	clean "$PROGRAM" -p "$PROMPT" --output-format stream-json --verbose --allowedTools mcp__caisson \
		--mcp-config "$RUN/mcp.json" --strict-mcp-config
}
BACKGROUND='{command: ., background_after_sec: 1}'
stop_server() {
	add ps '{"tool": ["mcp__caisson__background"], "input": {"action": "list"}}'
	add stop '{"tool": ["mcp__caisson__background"], "input": {"action": "stop", "id": "%ID%"}, "take": "([0-9a-f]{32})[^}]*dev.sh"}'
}
TOOLS='["mcp__caisson__run"]' KEYS='{command: .}'
. "$(dirname "$0")/day.sh"
. "$(dirname "$0")/server_day.sh"
set_up() { :; }
server_day
