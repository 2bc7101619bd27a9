#!/bin/bash
# Copilot CLI itself, with the hooks that `caisson init` writes. TAP.
# needs: copilot node
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/common.sh"
CLIENT=copilot TOOLS='["bash"]' KEYS='{command: ., description: "as agreed"}' SETTINGS=.copilot/hooks/caisson.json
cannot=
need_client copilot copilot

prepare() { jq -n --arg p "$P" '{trusted_folders: [$p], trustedFolders: [$p]}' >"$H/.copilot/config.json"; }
start() {
	ENVIRONMENT=(COPILOT_PROVIDER_BASE_URL="http://127.0.0.1:$PORT/v1" COPILOT_PROVIDER_API_KEY=not-a-key COPILOT_MODEL=scripted COPILOT_PROVIDER_MAX_PROMPT_TOKENS=100000
		COPILOT_OFFLINE=true COPILOT_AUTO_UPDATE=false)
	clean "$PROGRAM" -p "$PROMPT" --allow-all-tools --no-auto-update --disable-builtin-mcps
}
ask_everything
broken_hooks closed closed
finish
