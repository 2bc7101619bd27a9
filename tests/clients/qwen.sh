#!/bin/bash
# Qwen Code itself, with the hooks that `caisson init` writes. TAP.
# needs: qwen node
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/common.sh"
CLIENT=qwen TOOLS='["run_shell_command"]' KEYS='{command: ., is_background: false}' SETTINGS=.qwen/settings.json
cannot='contain replace'
need_client qwen qwen

prepare() {
	jq '. + {privacy: {usageStatisticsEnabled: false}, telemetry: {enabled: false}, general: {disableAutoUpdate: true}, security: {auth: {selectedType: "openai"}, folderTrust: {enabled: false}}}' \
		"$H/$SETTINGS" >"$RUN/s" && cp "$RUN/s" "$H/$SETTINGS"
}
start() {
	ENVIRONMENT=(OPENAI_API_KEY=not-a-key OPENAI_BASE_URL="http://127.0.0.1:$PORT/v1" OPENAI_MODEL=scripted)
	clean "$PROGRAM" --auth-type openai --yolo -o json -p "$PROMPT"
}
ask_everything
broken_hooks closed closed
finish
