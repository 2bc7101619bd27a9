#!/bin/bash
# opencode itself, with the plugin that `caisson init` writes. TAP.
# needs: opencode node
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/day.sh"
. "$(dirname "$0")/screen.sh"
CLIENT=opencode TOOLS='["bash", "shell"]' KEYS='{command: ., description: "as agreed"}' \
	SETTINGS=.config/opencode/plugin/caisson.js
SUBAGENT='[{"tool": ["task"], "input": {"description": "as agreed", "subagent_type": "general", "prompt": "SECOND-SCRIPT: do what was agreed"}}]'
need_client opencode opencode

SESSION_TIMEOUT=300
# Where there are plugins it fetches a package for them from npm, once for each home; what the first session
# got is kept for the others.
fetched=$CACHE/opencode/fetched
prepare() {
	[[ -d $fetched ]] && cp -r "$fetched/." "$H/.config/opencode/"
	jq -n --arg u "http://127.0.0.1:$PORT/v1" \
		'{model: "scripted/scripted", small_model: "scripted/scripted", autoupdate: false, share: "disabled",
		provider: {scripted: {npm: "@ai-sdk/openai-compatible", name: "scripted", options: {baseURL: $u, apiKey: "not-a-key"},
		models: {scripted: {name: "scripted", tool_call: true, limit: {context: 100000, output: 4000}}}}}}' >"$P/opencode.json"
}
environment() { \
	ENVIRONMENT=(OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 \
	OPENCODE_DISABLE_LSP_DOWNLOAD=1 OPENCODE_DISABLE_DEFAULT_PLUGINS=1); }
start_tui() { environment && open_screen "$PROGRAM" --prompt "$PROMPT"; }
start() {
	environment
	clean "$PROGRAM" run "$PROMPT" || return
	if [[ ! -d $fetched && -d $H/.config/opencode/node_modules && -w $CACHE/opencode ]]; then
		mkdir "$fetched.new" &&
			cp -r "$H"/.config/opencode/{node_modules,package.json,package-lock.json} \
			"$fetched.new/" && mv "$fetched.new" "$fetched"
	fi
}
day
cell bypass "$(place "$(words contain)")" # it asks nothing in `run`
cell sandbox ''
tui_cells
all_rows day faults modes tui
not_a_person
finish
