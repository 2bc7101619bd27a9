#!/bin/bash
# A day with a development server in Claude Code. TAP.
# needs: claude-code
. "$(dirname "$0")/lib.sh"
CLIENT=claude-code TOOLS='["Bash"]' KEYS='{command: .}'
need_client claude-code claude
BACKGROUND='{command: ., run_in_background: true}'
. "$(dirname "$0")/day.sh"
. "$(dirname "$0")/server_day.sh"

prepare() { :; }
start() {
	claude_environment
	clean "$PROGRAM" -p "$PROMPT" --output-format stream-json --verbose --allowedTools Bash
}
server_day
