#!/bin/bash
# Gemini CLI itself, with the hooks that `caisson init` writes. TAP.
# needs: gemini node
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/day.sh"
. "$(dirname "$0")/screen.sh"
CLIENT=gemini TOOLS='["run_shell_command"]' KEYS='{command: ., is_background: false}' SETTINGS=.gemini/settings.json
BACKGROUND='{command: ., is_background: true}' STATUS='Exit Code: %s([^0-9]|$)'
SUBAGENT='[{"tool": ["invoke_agent"], "input": {"agent_name": "generalist", "prompt": "SECOND-SCRIPT: do what was agreed"}}]'
need_client gemini gemini

prepare() {
	jq '. + {privacy: {usageStatisticsEnabled: false}, telemetry: {enabled: false}, general: {enableAutoUpdate: false}, security: {auth: {selectedType: "gemini-api-key"}, folderTrust: {enabled: false}}}' \
		"$H/$SETTINGS" >"$RUN/s" && cp "$RUN/s" "$H/$SETTINGS"
}
environment() { ENVIRONMENT=(GEMINI_API_KEY=not-a-key GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$PORT" GEMINI_CLI_TRUST_WORKSPACE=true); }
start() { environment && clean "$PROGRAM" --yolo -o json -m gemini-2.5-pro -p "$PROMPT"; }
start_tui() { environment && open_screen "$PROGRAM" --yolo -m gemini-2.5-pro -i "$PROMPT"; }
day
cell bypass "$(place "$(words contain)")" # its sessions here all run with --yolo
cell sandbox ''
tui_cells
all_rows day faults modes tui
not_a_person
finish
