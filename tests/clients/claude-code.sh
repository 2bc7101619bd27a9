#!/bin/bash
# Claude Code itself, with the hooks that `caisson init` writes: what it lets run, what it does not, and what
# the model is told. TAP.
# needs: claude-code
# shellcheck disable=SC2016 # commands are data
. "$(dirname "$0")/lib.sh"
CLIENT=claude-code TOOLS='["Bash"]' KEYS='{command: .}'
need_client claude-code claude
. "$(dirname "$0")/day.sh"
PLUGIN=() MODE=() SETTINGS=.claude/settings.json
BACKGROUND='{command: ., run_in_background: true}' STATUS='^Exit code %s([^0-9]|$)'
SUBAGENT='[{"tool": ["Agent"], "input": {"description": "as agreed", "subagent_type": "general-purpose", "run_in_background": false, "prompt": "SECOND-SCRIPT: do what was agreed"}}]'

prepare() { :; }
start() {
	claude_environment
	ENVIRONMENT+=("${MORE[@]}")
	clean "$PROGRAM" "${PLUGIN[@]}" -p "$PROMPT" --output-format stream-json --verbose --allowedTools \
		"${ALLOWED-Bash}" "${MODE[@]}"
}
MORE=()

day
says "${at[contain]}" '^key none' "a contained command does not have the client's key"
grep -qi caisson "$RUN/model/texts"
result $? 'the session began with guidance'

# ---- modes ----
new_session bypass
set_up
MODE=(--dangerously-skip-permissions) MORE=(IS_SANDBOX=1) \
	# as root it wants to be told that this is a throw-away machine
session "$(script_of './where.sh' 'touch denied' 'touch asked')"
MODE=() MORE=()
cell bypass "$(place "$(text 0)")"
[[ ! -e $P/denied && $(count) == 3 ]]
result $? 'bypass: a denied command does not run'

new_session sandbox
set_up
jq '.sandbox.enabled = true' "$H/$SETTINGS" >"$RUN/s" && mv "$RUN/s" "$H/$SETTINGS"
session "$(script_of './where.sh' 'touch denied' 'grep -c NoNewPrivs:.1 /proc/self/status')"
if says_sandboxed 2; then cell sandbox "$(place "$(text 0)")"; else cell_skipped sandbox \
	"Claude Code's sandbox does not start here (bwrap, socat)"; fi
[[ ! -e $P/denied && $(count) == 3 ]]
result $? 'sandbox: a denied command does not run'
all_rows day faults modes

# ---- rules of the client hold for what is rewritten ----
new_session rules
set_up
jq '. + {permissions: {deny: ["Bash(./where.sh:*)"]}}' "$H/.claude/settings.json" >"$RUN/s" &&
	mv "$RUN/s" "$H/.claude/settings.json"
session "$(script_of './where.sh')"
says_not 0 '^ns pid' 'a deny rule of the settings holds for a command that would be rewritten'

# ---- tools that are no shell ----
new_session tools
set_up
mkdir "$H/.ssh"
echo 'not a key' >"$H/.ssh/id_ed25519"
ALLOWED='Bash Read Write Edit' session "$(jq -nc --arg p "$P" --arg o "$RUN/outside" --arg h "$H" '[
	{tool: ["Write"], input: {file_path: "\($p)/new.txt", content: "new"}},
	{tool: ["Write"], input: {file_path: "\($o)/new.txt", content: "new"}},
	{tool: ["Read"], input: {file_path: "\($h)/.ssh/id_ed25519"}},
	{tool: ["Write"], input: {file_path: "\($h)/.config/caisson/more.yaml", content: "default: allow"}},
	{tool: ["Read"], input: {file_path: "\($p)/build.log"}}]')"
[[ $(cat "$P/new.txt" 2>/dev/null) == new ]] && ! is_error 0
result $? 'a file in the project is written'
is_error 1 && [[ ! -e $RUN/outside/new.txt ]]
result $? 'one outside is not'
is_error 2 && ! text 2 | grep -q 'not a key'
result $? 'a private key is not read'
is_error 3 && [[ ! -e $H/.config/caisson/more.yaml ]]
result $? "caisson's own policy is not written"
says 4 'build ok' 'a file of the project is read'

# ---- a contained command that takes longer than the client's limit ----
new_session late
set_up
printf '#!/bin/bash\necho start\nsleep 4\necho "ns $(readlink /proc/self/ns/pid)" >slow.txt\n' >"$P/slow.sh"
chmod +x "$P/slow.sh"
session "$(jq -nc '[{tool: ["Bash"], input: {command: "./slow.sh", timeout: 1500}}, {tool: ["Bash"], input: {command: "sleep 4; cat slow.txt"}}]')"
says 0 'moved to the background' \
	'what takes longer than the limit of the client goes to the background, as without caisson'
says 1 '^ns pid:' 'and comes to its end there'
says_not 1 "$(readlink /proc/self/ns/pid | sed 's/[][]/\\&/g')" 'in the box'
new_session late_hint
set_up
printf '#!/bin/bash\necho npm error code ENOTCACHED\nsleep 20\n' >"$P/slow.sh"
chmod +x "$P/slow.sh"
session "$(jq -nc '[{tool: ["Bash"], input: {command: "./slow.sh", timeout: 2500}}, {tool: ["Bash"], input: {command: "true"}}]')"
grep -rq 'this goes on in a box: a package is missing in the caches' "$RUN/model"
result $? 'the likely cause is told when it goes there'

# ---- the plugin, without init ----
new_session plugin
mkdir "$RUN/bin"
ln -s "$CAISSON" "$RUN/bin/caisson"
PLUGIN=(--plugin-dir "$root/clients/claude-code")
session "$(script_of 'touch denied' './where.sh')"
is_error 0 && [[ ! -e $P/denied ]]
result $? 'the plugin: deny'
says 1 '^net no' 'the plugin: contain'
PLUGIN=()

# ---- the plugin from the marketplace file at the top, by the two commands of docs/clients.md ----
new_session marketplace
mkdir "$RUN/bin"
ln -s "$CAISSON" "$RUN/bin/caisson"
ENVIRONMENT=(CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 \
	PATH="$RUN/bin:/usr/local/bin:/usr/bin:/bin")
clean "$PROGRAM" plugin marketplace add "$root" && clean "$PROGRAM" plugin install caisson@caisson
result $? 'the marketplace: installed'
clean "$CAISSON" doctor --client claude-code
[[ $? == 1 ]] && grep -q 'plugins/cache/.*/hooks.json' "$RUN/out" && grep -q 'denies *yes' "$RUN/out"
result $? 'doctor sees it'
session "$(script_of 'touch denied' './where.sh')"
is_error 0 && [[ ! -e $P/denied ]]
result $? 'the installed plugin: deny'
says 1 '^net no' 'the installed plugin: contain'
rm -f "$RUN/bin/caisson" "$RUN"/model/*
session "$(script_of 'touch ran')"
[[ ! -e $P/ran ]] && is_error 0
result $? 'the installed plugin without its program: nothing runs'
says 0 'the hook failed with status 127' 'and the model is told'
not_a_person
finish
