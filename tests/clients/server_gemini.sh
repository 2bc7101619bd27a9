#!/bin/bash
# A day with a development server in Gemini CLI. TAP.
# needs: gemini node
. "$(dirname "$0")/lib.sh"
CLIENT=gemini TOOLS='["run_shell_command"]' KEYS='{command: ., is_background: false}'
SETTINGS=.gemini/settings.json
need_client gemini gemini
BACKGROUND='{command: ., is_background: true}'
. "$(dirname "$0")/day.sh"
. "$(dirname "$0")/server_day.sh"

prepare() {
	jq '. + {privacy: {usageStatisticsEnabled: false}, telemetry: {enabled: false}, general: {enableAutoUpdate: false}, security: {auth: {selectedType: "gemini-api-key"}, folderTrust: {enabled: false}}}' \
		"$H/$SETTINGS" >"$RUN/s" && cp "$RUN/s" "$H/$SETTINGS"
}
start() {
	ENVIRONMENT=(GEMINI_API_KEY=not-a-key GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$PORT" \
		GEMINI_CLI_TRUST_WORKSPACE=true)
	clean "$PROGRAM" --yolo -o json -m gemini-2.5-pro -p "$PROMPT"
}
server_day
