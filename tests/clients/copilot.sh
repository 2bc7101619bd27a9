#!/bin/bash
# Copilot CLI itself, with the hooks that `caisson init` writes. TAP.
# needs: copilot node
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/day.sh"
. "$(dirname "$0")/screen.sh"
CLIENT=copilot TOOLS='["bash"]' KEYS='{command: ., description: "as agreed"}' \
	SETTINGS=.copilot/hooks/caisson.json
BACKGROUND='{command: ., description: "as agreed", mode: "async"}' STATUS='exit code %s([^0-9]|$)'
SUBAGENT='[{"tool": ["task"], "input": {"name": "second", "description": "as agreed", "agent_type": "task", "mode": "sync", "prompt": "SECOND-SCRIPT: do what was agreed"}}]'
need_client copilot copilot

prepare() { jq -n --arg p "$P" '{trusted_folders: [$p], trustedFolders: [$p]}' >"$H/.copilot/config.json"; }
environment() {
	ENVIRONMENT=(COPILOT_PROVIDER_BASE_URL="http://127.0.0.1:$PORT/v1" \
		COPILOT_PROVIDER_API_KEY=not-a-key COPILOT_MODEL=scripted \
		COPILOT_PROVIDER_MAX_PROMPT_TOKENS=100000
		COPILOT_OFFLINE=true COPILOT_AUTO_UPDATE=false)
}
start() { environment &&
	clean "$PROGRAM" -p "$PROMPT" --allow-all-tools --no-auto-update --disable-builtin-mcps; }
start_tui() { environment &&
	open_screen "$PROGRAM" -i "$PROMPT" --allow-all-tools --no-auto-update --disable-builtin-mcps; }
day
cell bypass "$(place "$(words contain)")" # its sessions here all run with --allow-all-tools
cell sandbox ''
tui_cells
all_rows day faults modes tui
not_a_person
finish
