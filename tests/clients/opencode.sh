#!/bin/bash
# opencode itself, with the plugin that `caisson init` writes. TAP.
# needs: opencode node
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/common.sh"
CLIENT=opencode TOOLS='["bash", "shell"]' KEYS='{command: ., description: "as agreed"}' SETTINGS=.config/opencode/plugin/caisson.js
cannot='ask status'
need_client opencode opencode

prepare() {
	jq -n --arg u "http://127.0.0.1:$PORT/v1" '{model: "scripted/scripted", small_model: "scripted/scripted", autoupdate: false, share: "disabled",
		provider: {scripted: {npm: "@ai-sdk/openai-compatible", name: "scripted", options: {baseURL: $u, apiKey: "not-a-key"},
		models: {scripted: {name: "scripted", tool_call: true, limit: {context: 100000, output: 4000}}}}}}' >"$P/opencode.json"
}
start() {
	ENVIRONMENT=(OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 OPENCODE_DISABLE_LSP_DOWNLOAD=1 OPENCODE_DISABLE_DEFAULT_PLUGINS=1)
	clean "$PROGRAM" run "$PROMPT"
}
ask_everything
broken_hooks closed closed
finish
