#!/bin/bash
# Claude Code itself, with the hooks that `caisson init` writes: what it lets run, what it does not, and what the model is told. TAP.
# needs: claude-code
# shellcheck disable=SC2016 # commands are data
. "$(dirname "$0")/lib.sh"
CLIENT=claude-code TOOLS='["Bash"]' KEYS='{command: .}'
need_client claude-code claude
PLUGIN=()

prepare() { :; }
start() {
	ENVIRONMENT=(ANTHROPIC_BASE_URL="http://127.0.0.1:$PORT" ANTHROPIC_API_KEY=not-a-key CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 DISABLE_AUTOUPDATER=1 DISABLE_ERROR_REPORTING=1)
	[[ -d $RUN/bin ]] && ENVIRONMENT+=(PATH="$RUN/bin:/usr/local/bin:/usr/bin:/bin")
	clean "$PROGRAM" "${PLUGIN[@]}" -p "$PROMPT" --output-format stream-json --verbose --allowedTools "${ALLOWED-Bash}" "$@"
}

new_session main
set_up
result $? 'caisson init'
session "$(script_of 'echo plain > made && cat made' 'touch denied; echo after' 'touch asked' './where.sh 7' 'cat build.log' './leak.sh' './big.sh' 'echo oops >&2; exit 3' 'cd sub && ../where.sh' 'pwd' 'rm -rf ../../outside' 'caisson init --remove')"
[[ $(count) == 12 ]]
result $? "twelve calls, twelve results ($(count))"
says 0 '^plain' 'allow: it ran'
is_error 1 && [[ ! -e $P/denied ]]
result $? 'deny: it did not run'
says 1 'touch denied' 'and the model is told what and why'
is_error 2 && [[ ! -e $P/asked ]]
result $? 'ask: with nobody there it did not run'
says 3 '^ns pid:' 'contain: it ran'
says_not 3 "$(readlink /proc/self/ns/pid | tr -d '[]')|$(readlink /proc/self/ns/pid | sed 's/[][]/\\&/g')" 'in another process namespace'
says 3 '^net no' 'without the network'
says 3 '^key none' "without the client's key"
is_error 3 && text 3 | grep -q '^Exit code 7'
result $? 'and its exit code is what it was'
says 4 'build ok' 'output of an allowed command is given back'
says_not 4 "$PACKED" 'without the key in it'
says 5 'build ok' 'output of a contained command is given back'
says_not 5 "$PACKED" 'without the key in it'
[[ $(text 6 | wc -c) -lt 40000 ]] && text 6 | grep -q '^1$'
result $? "large output is shortened ($(text 6 | wc -c) bytes)"
file=$(text 6 | grep -o '/[^ ]*/\(outputs\|tool-results\)/[^ ,)]*' | head -n 1)
[[ -n $file && $(tail -n 1 "$file" 2>/dev/null) == 200000 ]]
result $? 'and all of it is in the file that is named'
is_error 7 && text 7 | grep -q 'oops'
result $? 'a command that fails says so'
says 8 '^net no' 'contain after cd'
says 9 '/project/sub$' 'and the next command is where it went'
is_error 10 && [[ -e $RUN/outside/canary ]]
result $? 'what would delete outside of the project did not run'
is_error 11 && grep -q 'caisson hook' "$H/.claude/settings.json"
result $? 'the hooks cannot be taken out from inside'
grep -qi caisson "$RUN/model/texts"
result $? 'the session began with guidance'

# ---- rules of the client hold for what is rewritten ----
new_session rules
set_up
jq '. + {permissions: {deny: ["Bash(./where.sh:*)"]}}' "$H/.claude/settings.json" >"$RUN/s" && mv "$RUN/s" "$H/.claude/settings.json"
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

# ---- hooks that do not work ----
new_session missing
set_up
sed -i "s|$CAISSON|$RUN/gone/caisson|" "$H/.claude/settings.json"
session "$(script_of 'touch ran')"
[[ ! -e $P/ran && $(count) == 1 ]] && is_error 0
result $? 'the hook is missing: nothing runs'

new_session crash
set_up
mkdir "$RUN/bin"
printf '#!/bin/sh\nkill -SEGV $$\n' >"$RUN/bin/caisson"
chmod +x "$RUN/bin/caisson"
sed -i "s|$CAISSON|$RUN/bin/caisson|" "$H/.claude/settings.json"
session "$(script_of 'touch ran')"
[[ ! -e $P/ran && $(count) == 1 ]] && is_error 0
result $? 'the hook crashes: nothing runs'

new_session policy
set_up
echo 'tools: [broken' >"$H/.config/caisson/config.yaml"
session "$(script_of 'touch ran')"
[[ ! -e $P/ran && $(count) == 1 ]] && is_error 0 && text 0 | grep -q config.yaml
result $? 'the policy does not load: nothing runs, and the model is told which file'
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
finish
