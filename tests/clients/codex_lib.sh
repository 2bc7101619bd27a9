# shellcheck shell=bash disable=SC2034,SC2154 # what is set here is used by those that source it
# Codex for the tests that drive it: its settings against the scripted model, and how it is started. Sourced
# after lib.sh.
CLIENT=codex TOOLS='["exec_command", "shell_command", "shell"]' \
	KEYS='{cmd: ., command: ., yield_time_ms: 8000}' SETTINGS=.codex/hooks.json
need_client codex codex

prepare() {
	cat >"$H/.codex/config.toml" <<TOML
model = "gpt-5.1-codex"
model_provider = "scripted"
approval_policy = "on-request"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:$PORT/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
request_max_retries = 0
stream_max_retries = 0
[projects."$P"]
trust_level = "trusted"
TOML
}
codex_exec() { # OPTION...
	ENVIRONMENT=(CODEX_HOME="$H/.codex" SCRIPTED_KEY=not-a-key)
	clean "$PROGRAM" exec --json --skip-git-repo-check "$@" ${TRUSTED---dangerously-bypass-hook-trust} \
		"$PROMPT"
}
start() { codex_exec -s "${SANDBOX:-danger-full-access}"; }
