#!/bin/bash
# Gemini CLI itself, with the hooks that `caisson init` writes. TAP.
# needs: gemini node
export TMPDIR=/var/tmp # its own sandbox has another /tmp
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/day.sh"
. "$(dirname "$0")/screen.sh"
CLIENT=gemini TOOLS='["run_shell_command"]' KEYS='{command: ., is_background: false}' \
	SETTINGS=.gemini/settings.json
BACKGROUND='{command: ., is_background: true}' STATUS='Exit Code: %s([^0-9]|$)'
SUBAGENT='[{"tool": ["invoke_agent"], "input": {"agent_name": "generalist", "prompt": "SECOND-SCRIPT: do what was agreed"}}]'
need_client gemini gemini

prepare() {
	jq '. + {privacy: {usageStatisticsEnabled: false}, telemetry: {enabled: false}, general: {enableAutoUpdate: false}, security: {auth: {selectedType: "gemini-api-key"}, folderTrust: {enabled: false}}}' \
		"$H/$SETTINGS" >"$RUN/s" && cp "$RUN/s" "$H/$SETTINGS"
}
environment() { \
	ENVIRONMENT=(GEMINI_API_KEY=not-a-key GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$PORT" \
	GEMINI_CLI_TRUST_WORKSPACE=true); }
start() { environment && clean "$PROGRAM" --yolo -o json -m gemini-2.5-pro -p "$PROMPT"; }
start_tui() { environment && open_screen "$PROGRAM" --yolo -m gemini-2.5-pro -i "$PROMPT"; }
day
cell bypass "$(place "$(words contain)")" # its sessions here all run with --yolo

# ---- its own sandbox ----
new_session sandbox
set_up
eval "$(declare -f prepare | sed 's/^prepare/prepare_plain/')"
prepare() {
	prepare_plain
	jq '.security.toolSandboxing = true' "$H/$SETTINGS" >"$RUN/s" && cp "$RUN/s" "$H/$SETTINGS"
}
SESSION_TIMEOUT=20 session "$(script_of 'grep -c NoNewPrivs:.1 /proc/self/status' './where.sh >here.txt')"
if text 0 | grep -q 'Output: 1'; then cell sandbox "$(place "$(cat "$P/here.txt" 2>/dev/null)")"; else \
	cell_skipped sandbox "Gemini CLI's sandbox does not start here"; fi
prepare() { prepare_plain; }
tui_cells
all_rows day faults modes tui
not_a_person
finish
