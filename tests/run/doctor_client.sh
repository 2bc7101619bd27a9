#!/bin/bash
# caisson doctor --client: what it finds in the settings of clients, and that its probe tells a hook that
# denies from one that does not. TAP.
# shellcheck source=tests/prologue.sh
. "$(dirname "$0")/../prologue.sh"

doctor() { "$CAISSON" doctor --client "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; }
finds() { # STATUS FINDING STATE WHAT: of claude-code
	doctor --json claude-code
	local rc=$?
	[[ $rc == "$1" ]] &&
		jq -e --arg id "$2" --arg s "$3" '.clients[0].findings | any(.id == $id and .state == $s)' \
		"$tmp/out" >/dev/null
	result $? "$4 (status $rc)"
}
leave_client
export HOME=$tmp/home
mkdir -p "$HOME" "$tmp/project/.git" "$tmp/bin"
cd "$tmp/project" || exit 1
settings=$HOME/.claude/settings.json

doctor
[[ $? == 2 ]] && grep -q 'no client is set up' "$tmp/out"
result $? 'nothing is set up'
finds 2 settings no 'a client that is named and has no hook'
for c in claude-code codex gemini qwen copilot opencode cursor windsurf; do "$CAISSON" init --client "$c" \
	>"$tmp/out" 2>"$tmp/err"; done
doctor --json codex
[[ $? == 2 ]] &&
	jq -e '.clients[0] | .live == "no" and (.findings | any(.id == "trusted" and .state == "no" and (.todo | contains("/hooks"))))' "$tmp/out" >/dev/null
result $? 'codex: nobody has trusted its hooks, so it is not guarded'
# As Codex notes what a person has trusted: the digest of a normal form (src/client/codex_trust.c;
# tests/clients/codex_sandbox.sh asks Codex itself).
trust_codex() { # [HASH]
	local event label normal
	for event in $(jq -r '.hooks | keys[]' "$HOME/.codex/hooks.json"); do
		label=$(sed 's/\(.\)\([A-Z]\)/\1_\2/g' <<<"$event" | tr '[:upper:]' '[:lower:]')
		normal=$(jq -jcS --arg e "$event" --arg l "$label" \
			'{event_name: $l, hooks: [.hooks[$e][0].hooks[0] + {async: false} | if $l == "session_end" then .timeout = ([.timeout, 3] | min) else . end]}' "$HOME/.codex/hooks.json")
		printf '[hooks.state."%s:%s:0:0"]\ntrusted_hash = "sha256:%s"\n' "$HOME/.codex/hooks.json" \
			"$label" "${1:-$(printf '%s' "$normal" | sha256sum | cut -d' ' -f1)}"
	done >"$HOME/.codex/config.toml"
}
trust_codex 0000
doctor --json codex
[[ $? == 2 ]] &&
	jq -e '.clients[0].findings | any(.id == "trusted" and .state == "no" and (.text | contains("have changed")))' "$tmp/out" >/dev/null
result $? 'codex: the hooks are not those that were trusted'
trust_codex
echo 'enabled = false' >>"$HOME/.codex/config.toml" # of the last one, which is not the one before a tool
doctor --json codex
jq -e '.clients[0].findings | any(.id == "trusted" and .state != "yes" and (.text | contains("turned off")))' "$tmp/out" >/dev/null
result $? 'codex: a hook that is turned off'
trust_codex
rm "$HOME/.codex/rules/caisson.rules"
doctor --json codex
[[ $? == 1 ]] &&
	jq -e '.clients[0].findings | any(.id == "sandbox" and .state == "partly" and (.todo | contains("caisson init --client codex")))' "$tmp/out" >/dev/null
result $? 'codex: the rule for its sandbox is missing'
sed 's|"run"|"runs"|' >"$HOME/.codex/rules/caisson.rules" \
	<<<'prefix_rule(pattern = ["/elsewhere/caisson", "run", "--ticket"], decision = "allow")'
doctor --json codex
[[ $? == 1 ]] &&
	jq -e '.clients[0].findings | any(.id == "sandbox" and .state == "partly" and (.text | contains("another program")))' "$tmp/out" >/dev/null
result $? 'codex: the rule for its sandbox is of another program'
rm "$HOME/.codex/rules/caisson.rules"
"$CAISSON" init --client codex >/dev/null 2>&1
for c in claude-code codex gemini qwen copilot opencode cursor windsurf; do
	doctor --json "$c" &&
		jq -e '.clients[0] | .live == "yes" and (.findings | any(.id == "denies" and .state == "yes")) and (.findings | any(.id == "passes" and .state == "yes")) and (.cannot | length > 0)' "$tmp/out" >/dev/null
	result $? "$c: set up by init, it denies what must be denied and passes what does nothing; what it cannot enforce is said"
done
doctor && [[ $(grep -c 'is guarded\.$' "$tmp/out") == 8 && $(grep -c 'cannot enforce: ' "$tmp/out") == 8 ]]
result $? 'all that are used here, for people'
cp "$settings" "$tmp/good"
sed -i 's|[^" ]*/timeout -k 1 25 ||' "$HOME/.codex/hooks.json"
trust_codex
doctor --json codex
[[ $? == 1 ]] &&
	jq -e '.clients[0].findings | any(.id == "closed" and .state == "partly" and (.text | contains("timeout")) and (.todo | contains("coreutils")))' "$tmp/out" >/dev/null
result $? 'codex: no time limit around the hook'
"$CAISSON" init --client codex >"$tmp/out" 2>&1

trust_codex
! grep -qs . "$HOME"/.local/state/caisson/audit/*.jsonl
result $? 'none of this left a row in the record'
finds 0 sandbox yes "Claude Code's own sandbox is off"
jq '.sandbox.enabled = true' "$tmp/good" >"$settings"
finds 0 sandbox yes "Claude Code's own sandbox is on, and tickets leave it"
jq '.sandbox = {enabled: true, excludedCommands: ["/elsewhere/caisson run --ticket:*"]}' "$tmp/good" \
	>"$settings"
finds 1 sandbox partly "Claude Code's own sandbox is on, and tickets of this program do not leave it"
cp "$tmp/good" "$settings"
jq '.security.toolSandboxing = true' "$HOME/.gemini/settings.json" >"$tmp/s" &&
	cp "$tmp/s" "$HOME/.gemini/settings.json"
doctor --json gemini
[[ $? == 1 ]] &&
	jq -e '.clients[0].findings | any(.id == "sandbox" and .state == "partly")' "$tmp/out" >/dev/null
result $? "Gemini's own sandbox is on"
sed -i 's/, "onFailure": "block"//' "$settings"
finds 1 closed partly 'onFailure is missing'
cp "$tmp/good" "$settings"
sed -i 's/"matcher": "\*"/"matcher": "Bash"/' "$settings"
finds 1 matcher partly 'only some tools'
jq '.hooks.PreToolUse |= [{matcher: "Bash", hooks: [{type: "command", command: "/opt/other"}]}] + .' \
	"$tmp/good" >"$settings"
finds 1 first partly 'other hooks stand before'
jq '.disableAllHooks = true' "$tmp/good" >"$settings"
finds 2 enabled no 'all hooks are switched off'
cp "$tmp/good" "$settings"
mkdir .claude
echo '{"disableAllHooks": true}' >.claude/settings.local.json
finds 2 enabled no 'or by the local settings of the project'
rm -rf .claude
sed "s|$CAISSON|$tmp/gone/caisson|" "$tmp/good" >"$settings"
finds 2 program no 'the program is not there'
jq '.hooks.PreToolUse[0].hooks[0].command = "caisson hook"' "$tmp/good" >"$settings"
doctor --json claude-code
jq -e '.clients[0].findings | any(.id == "program" and .state == "partly")' "$tmp/out" >/dev/null
result $? 'a program without its path'
answers() { # SCRIPT: the program is this, in the place that the settings at $1 name
	printf '#!/bin/sh\n%s\n' "$1" >"$tmp/bin/caisson"
	chmod 755 "$tmp/bin/caisson"
}
sed "s|$CAISSON|$tmp/bin/caisson|" "$tmp/good" >"$settings"
for answer in 'exit 0' 'echo "{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\"}}"' \
	'echo "{\"hookSpecificOutput\":{\"permissionDecision\":\"ask\"}}"' 'echo "{broken"'; do
	answers "$answer"
	finds 2 denies no "a hook that does not deny is found out: $answer"
done
for answer in 'exit 1' 'kill -SEGV $$'; do
	answers "$answer"
	finds 1 passes partly "a program that fails denies everything, by the line: $answer"
	grep -q 'the program fails with status 1' "$tmp/out"
	result $? 'and its status is told'
done
jq --arg c "$tmp/bin/caisson hook --client claude-code" '.hooks.PreToolUse[0].hooks[0].command = $c' \
	"$tmp/good" >"$settings"
for answer in 'exit 1' 'kill -SEGV $$'; do
	answers "$answer"
	finds 2 denies no "the line of an older caisson lets it run, which is found out: $answer"
done
jq --arg c "$CAISSON hook --client claude-code" '.hooks.PreToolUse[0].hooks[0].command = $c' "$tmp/good" \
	>"$settings"
finds 1 closed partly 'the line of an older caisson, with a program that works'
sed "s|$CAISSON|$tmp/bin/caisson|" "$tmp/good" >"$settings"
printf '#!/bin/sh\nexit 2\n' >"$tmp/bin/caisson"
finds 1 passes partly 'one that denies everything is, too'
cp "$tmp/good" "$settings"
mkdir -p "$HOME/.config/caisson"
echo 'tools: [broken' >"$HOME/.config/caisson/config.yaml"
finds 1 passes partly 'and so is a policy that does not load'
rm "$HOME/.config/caisson/config.yaml"
echo '{"hooks": ' >"$settings"
doctor claude-code
[[ $? == 2 ]] && grep -q 'settings.json:2:1: ' "$tmp/out"
result $? 'settings that cannot be read are named with the place'
# ---- the plugin, in the files that `claude plugin install` writes ----
copy=$HOME/.claude/plugins/cache/caisson/caisson/0.1.0
mkdir -p "$copy" && cp -r "$here/clients/claude-code/." "$copy/"
jq -n --arg p "$copy" \
	'{version: 2, plugins: {"caisson@caisson": [{scope: "user", installPath: $p, version: "0.1.0"}]}}' \
	>"$HOME/.claude/plugins/installed_plugins.json"
echo '{"enabledPlugins": {"caisson@caisson": true}}' >"$settings"
mkdir -p "$tmp/path" && ln -sf "$CAISSON" "$tmp/path/caisson"
PATH=$tmp/path:$PATH finds 1 denies yes 'the plugin is seen, and its hook denies'
PATH=$tmp/path:$PATH finds 1 closed yes 'a hook of the plugin that fails means no'
PATH=$tmp/path:$PATH finds 1 program partly 'its program is looked up in the PATH'
finds 1 passes partly 'without the program everything is denied'
mkdir -p .claude
echo '{"enabledPlugins": {"caisson@caisson": false}}' >.claude/settings.local.json
finds 2 settings no 'the project turns the plugin off'
rm -rf .claude
rm "$copy/hooks/hooks.json"
finds 2 plugin no 'the plugin is on, and its copy has no hooks'
jq '. + {enabledPlugins: {"caisson@caisson": true}}' "$tmp/good" >"$settings"
cp "$here/clients/claude-code/hooks/hooks.json" "$copy/hooks/"
PATH=$tmp/path:$PATH finds 1 twice partly 'plugin and settings'
rm -rf "$HOME/.claude/plugins"

rm "$settings"
"$CAISSON" init --client claude-code --project >"$tmp/out" 2>&1
finds 0 denies yes "in a project's settings"
for bad in '--client nosuch' '--client --config x' 'claude-code'; do
	# shellcheck disable=SC2086
	"$CAISSON" doctor $bad >"$tmp/out" 2>"$tmp/err"
	[[ $? == 64 ]]
	result $? "usage: $bad"
done
echo "1..$n"
