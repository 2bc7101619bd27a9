#!/bin/bash
# Qwen Code itself, with the hooks that `caisson init` writes. TAP.
# needs: qwen node
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/day.sh"
. "$(dirname "$0")/screen.sh"
CLIENT=qwen TOOLS='["run_shell_command"]' KEYS='{command: ., is_background: false}' \
	SETTINGS=.qwen/settings.json
BACKGROUND='{command: ., is_background: true}' STATUS='Exit Code: %s([^0-9]|$)'
SUBAGENT='[{"tool": ["agent"], "input": {"description": "as agreed", "subagent_type": "general-purpose", "run_in_background": false, "prompt": "SECOND-SCRIPT: do what was agreed"}}]'
need_client qwen qwen

prepare() {
	jq '. + {privacy: {usageStatisticsEnabled: false}, telemetry: {enabled: false}, general: {disableAutoUpdate: true}, security: {auth: {selectedType: "openai"}, folderTrust: {enabled: false}}}' \
		"$H/$SETTINGS" >"$RUN/s" && cp "$RUN/s" "$H/$SETTINGS"
}
environment() { \
	ENVIRONMENT=(OPENAI_API_KEY=not-a-key OPENAI_BASE_URL="http://127.0.0.1:$PORT/v1" \
	OPENAI_MODEL=scripted); }
start() { environment && clean "$PROGRAM" --auth-type openai --yolo -o json -p "$PROMPT"; }
start_tui() { environment && open_screen "$PROGRAM" --auth-type openai --yolo -i "$PROMPT"; }
day
cell bypass "$(place "$(words contain)")" # its sessions here all run with --yolo
cell sandbox ''
tui_cells
all_rows day faults modes tui
not_a_person
finish
